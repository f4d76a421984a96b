/* The pool: one per process, started by its first use. */
#ifndef SITU_BASE_POOL_H
#define SITU_BASE_POOL_H

#include <stdbool.h>
#include <stdint.h>

/* Calls task(context, i) once for each i of 0..count-1 on the pool's threads and the caller; returns when all are
 * done. A nested call, and a call while another thread uses the pool, runs its tasks in the caller alone. */
void situ_pool_run(void (*task)(void *context, int64_t index), void *context, int64_t count);

/* What SITU_THREADS says: a number of threads; 0 (or nothing): automatic; -1: it is no number that situ_set_threads takes. */
int situ_threads_of(const char *text);

/* How many tasks may run at once in a call from here: 1 inside a task or while serial. */
int situ_pool_width(void);

/* How often since the process began a thread that waited handed its core to one that the system had stopped: workers to
 * callers, or callers to workers. */
int64_t situ_pool_hand_overs(bool to_callers);

/* Makes situ_pool_run in the calling thread serial (a simulated device's queue); returns the earlier setting. */
bool situ_pool_serial(bool serial);

#endif
