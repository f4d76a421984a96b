/* How many CPUs this process may keep busy, how much memory it may have, and on which of them a thread runs. */
#ifndef SITU_BASE_CPUS_H
#define SITU_BASE_CPUS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The CPUs that affinity and control group quotas allow, rounded up, at least 1. */
int situ_cpus(void);

/* The CPU quota of the process's control group and those above it, rounded up; 0: no limit. `self` is
 * /proc/self/cgroup, `root` /sys/fs/cgroup; versions 1 and 2. */
int situ_cgroup_cpus(const char *self, const char *root);

/* The bytes that the process's control group and those above it allow; 0: no limit. Given how much of them this process has
 * (else -1), less what others in those groups have. */
int64_t situ_cgroup_memory(const char *self, const char *root, int64_t resident);
/* The bytes that this process may have, by control groups and its own limits (RLIMIT_AS, RLIMIT_DATA); 0: nobody says. */
int64_t situ_memory_allowed(void);
/* The bytes that it has now; 0: this system does not say. */
int64_t situ_memory_resident(void);

/* The CPU that the calling thread runs on; -1: this system does not say. */
int situ_cpu_here(void);
/* Takes a CPU out of a thread's affinity; false: it is not in there, it is the only one, or this system does not let us. */
bool situ_cpu_keep_off(pthread_t thread, int cpu);
/* Adds it again; false: this system does not let us. */
bool situ_cpu_let_on(pthread_t thread, int cpu);
/* Moves a thread to a CPU of its affinity, which is the same afterwards; false: not in there, or this system does not let us. */
bool situ_cpu_bring(pthread_t thread, int cpu);

#endif
