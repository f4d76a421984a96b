/* WASI says nothing of the machine; a module has one thread. */
#include "os/machine.h"

int situ_cpus(void) { return 1; }
int situ_cgroup_cpus(const char *self, const char *root) { return (void)self, (void)root, 0; }
int64_t situ_cgroup_memory(const char *self, const char *root, int64_t resident)
{
    return (void)self, (void)root, (void)resident, 0;
}
int64_t situ_memory_allowed(void) { return 0; }
int64_t situ_memory_resident(void) { return 0; }
void situ_memory_machine(int64_t *total, int64_t *used) { *total = *used = 0; }

void situ_cpu_name(char *name, size_t size) { *name = 0, (void)size; }
size_t situ_cpu_features(char *text, size_t size) { return (void)text, (void)size, 0; }
bool situ_cpu_sha(void) { return false; }
bool situ_cpu_tiles(void) { return false; }
bool situ_cpu_ticks(int64_t *busy, int64_t *all) { return *busy = *all = 0, false; }
int situ_cpu_here(void) { return -1; }
bool situ_cpu_exclude(situ_thread_id thread, int cpu) { return (void)thread, (void)cpu, false; }
bool situ_cpu_include(situ_thread_id thread, int cpu) { return (void)thread, (void)cpu, false; }
bool situ_cpu_move_thread(situ_thread_id thread, int cpu) { return (void)thread, (void)cpu, false; }
