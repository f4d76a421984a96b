/* The thread pool: one per process, started by its first use. */
#ifndef SITU_BASE_POOL_H
#define SITU_BASE_POOL_H

#include <stdbool.h>
#include <stdint.h>

/* Calls task(context, i) once for each i in 0..count-1, on the pool's threads and the caller; returns when all are
 * done. A nested call, and a call while another thread uses the pool, runs its tasks in the caller alone. */
void situ_pool_run(void (*task)(void *context, int64_t index), void *context, int64_t count);

/* Parses SITU_THREADS: a number of threads; 0 (or an empty string): automatic; -1: not a number that situ_set_threads
 * accepts. */
int situ_threads_of(const char *text);

/* How many tasks can run at once if called here: 1 inside a task or in a serial thread. */
int situ_pool_width(void);

/* How often since the process began a waiting thread gave its core to one that the system had stopped: a worker to the
 * caller (to_callers), or the caller to a worker. */
int64_t situ_pool_hand_overs(bool to_callers);

/* Makes situ_pool_run serial in the calling thread (for a simulated device's queue). Returns the previous setting. */
bool situ_pool_serial(bool serial);

#endif
