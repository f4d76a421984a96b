/* The little that POSIX says about the machine. */
#include "os/machine.h"

#include <unistd.h>

int situ_cpus(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count < 8192 ? (int)count : 1;
}

int situ_cgroup_cpus(const char *self, const char *root)
{
    (void)self, (void)root;
    return 0;
}

int64_t situ_cgroup_memory(const char *self, const char *root, int64_t resident)
{
    (void)self, (void)root, (void)resident;
    return 0;
}

int64_t situ_memory_allowed(void) { return 0; }
int64_t situ_memory_resident(void) { return 0; }
void situ_memory_machine(int64_t *total, int64_t *used) { *total = *used = 0; }

void situ_cpu_name(char *name, size_t size) { *name = 0, (void)size; }

size_t situ_cpu_features(char *text, size_t size)
{
    (void)text, (void)size;
    return 0;
}

bool situ_cpu_sha(void) { return false; }
bool situ_cpu_tiles(void) { return false; }

bool situ_cpu_ticks(int64_t *busy, int64_t *all)
{
    *busy = *all = 0;
    return false;
}

int situ_cpu_here(void) { return -1; }

static bool unknown(situ_thread_id thread, int cpu)
{
    (void)thread, (void)cpu;
    return false;
}

bool situ_cpu_exclude(situ_thread_id thread, int cpu) { return unknown(thread, cpu); }
bool situ_cpu_include(situ_thread_id thread, int cpu) { return unknown(thread, cpu); }
bool situ_cpu_move_thread(situ_thread_id thread, int cpu) { return unknown(thread, cpu); }
