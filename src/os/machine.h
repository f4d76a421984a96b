/* The processors and the memory of the machine, how much of both this process may have, and on which CPU a thread runs. */
#ifndef SITU_OS_MACHINE_H
#define SITU_OS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/thread.h"

/* ---- processors ---------------------------------------------------------------------------------------------------------- */

/* The CPUs that affinity and control group quotas allow, rounded up, at least 1. */
int situ_cpus(void);
/* The CPU quota of the process's control group and those above it, rounded up; 0: no limit. `self` is
 * /proc/self/cgroup, `root` /sys/fs/cgroup; versions 1 and 2. */
int situ_cgroup_cpus(const char *self, const char *root);

/* What the processor calls itself, "" if nobody says. */
void situ_cpu_name(char *name, size_t size);
/* Its name and its features as the system lists them; how many bytes, 0: it does not. */
size_t situ_cpu_features(char *text, size_t size);
/* Does it have tiles (AMX), whose registers the system keeps, and may this process use them? Asks the system for them. */
bool situ_cpu_tiles(void);
/* Since the machine's start: ticks in which CPUs worked, and all; false: this system does not say. */
bool situ_cpu_ticks(int64_t *busy, int64_t *all);

/* The CPU that the calling thread runs on; -1: this system does not say. */
int situ_cpu_here(void);
/* Takes a CPU out of a thread's affinity; false: it is not in there, it is the only one, or this system does not let us. */
bool situ_cpu_keep_off(situ_thread_id thread, int cpu);
/* Adds it again; false: this system does not let us. */
bool situ_cpu_let_on(situ_thread_id thread, int cpu);
/* Moves a thread to a CPU of its affinity, which is the same afterwards; false: not in there, or this system does not let us. */
bool situ_cpu_bring(situ_thread_id thread, int cpu);

/* ---- memory -------------------------------------------------------------------------------------------------------------- */

/* The bytes that the process's control group and those above it allow; 0: no limit. Given how much of them this process has
 * (else -1), less what others in those groups have. */
int64_t situ_cgroup_memory(const char *self, const char *root, int64_t resident);
/* The bytes that this process may have, by control groups and its own limits (RLIMIT_AS, RLIMIT_DATA); 0: nobody says. */
int64_t situ_memory_allowed(void);
/* The bytes that it has now; 0: this system does not say. */
int64_t situ_memory_resident(void);
/* The bytes of the machine or of the control group, and those in use; 0: nobody says. */
void situ_memory_machine(int64_t *total, int64_t *used);

#endif
