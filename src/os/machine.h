/* The machine's processors and memory, this process's share of both, and on which CPU a thread runs. */
#ifndef SITU_OS_MACHINE_H
#define SITU_OS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/thread.h"

/* ---- processors ---------------------------------------------------------------------------------------------------------- */

/* Number of CPUs that affinity and control-group quotas allow, rounded up; at least 1. */
int situ_cpus(void);
/* CPU quota of the process's control group and its ancestors, rounded up; 0: no limit. `self` is /proc/self/cgroup,
 * `root` is /sys/fs/cgroup. Handles cgroup versions 1 and 2. */
int situ_cgroup_cpus(const char *self, const char *root);

/* The processor's own name; "" if unknown. */
void situ_cpu_name(char *name, size_t size);
/* The processor's name and features as the system lists them. Returns the number of bytes; 0 if it does not. */
size_t situ_cpu_features(char *text, size_t size);
/* Whether the processor has instructions for SHA-256 (x86-64). */
bool situ_cpu_sha(void);
/* Whether the processor has AMX tiles, the system saves their registers, and this process may use them. Requests the
 * permission. */
bool situ_cpu_tiles(void);
/* Clock ticks since the machine's start: those in which CPUs were busy, and all. False if the system does not say. */
bool situ_cpu_ticks(int64_t *busy, int64_t *all);

/* The CPU on which the calling thread runs; -1 if the system does not say. */
int situ_cpu_here(void);
/* Removes a CPU from a thread's affinity. False if it is not in there, is the only one, or the system refuses. */
bool situ_cpu_exclude(situ_thread_id thread, int cpu);
/* Adds the CPU again; false if the system refuses. */
bool situ_cpu_include(situ_thread_id thread, int cpu);
/* Moves a thread to a CPU of its affinity, which stays as it was. False if the CPU is not in there or the system
 * refuses. */
bool situ_cpu_move_thread(situ_thread_id thread, int cpu);

/* ---- memory -------------------------------------------------------------------------------------------------------------- */

/* Memory limit in bytes of the process's control group and its ancestors; 0: no limit. With resident >= 0, the bytes
 * that this process uses: less what other processes of those groups use. */
int64_t situ_cgroup_memory(const char *self, const char *root, int64_t resident);
/* Bytes that this process may use, by control groups and its own limits (RLIMIT_AS, RLIMIT_DATA); 0: unknown. */
int64_t situ_memory_allowed(void);
/* Bytes of memory that this process uses now; 0 if the system does not say. */
int64_t situ_memory_resident(void);
/* Bytes of memory of the machine or of the control group, and how many are used; 0: unknown. */
void situ_memory_machine(int64_t *total, int64_t *used);

#endif
