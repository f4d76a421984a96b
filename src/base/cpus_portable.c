#if !defined(__linux__) || defined(SITU_PORTABLE)

#include "base/cpus.h"

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
    (void)resident;
    (void)self;
    (void)root;
    return 0;
}

int64_t situ_memory_allowed(void) { return 0; }
int64_t situ_memory_resident(void) { return 0; }

int situ_cpu_here(void) { return -1; }

static bool unknown(pthread_t thread, int cpu)
{
    (void)thread, (void)cpu;
    return false;
}

bool situ_cpu_keep_off(pthread_t thread, int cpu) { return unknown(thread, cpu); }
bool situ_cpu_let_on(pthread_t thread, int cpu) { return unknown(thread, cpu); }
bool situ_cpu_bring(pthread_t thread, int cpu) { return unknown(thread, cpu); }

#endif
