/* The library's life in the process: fork, and what is freed at the end. */
#ifndef SITU_BASE_RUNTIME_H
#define SITU_BASE_RUNTIME_H

#include <situ/runtime.h>

/* 1 in a child forked after the library was used, until situ_after_fork(). Public calls test it first. */
extern volatile int situ_forked;
/* Number of forks between this process and the one that first used the library. Threads started at another count do not
 * exist any more. */
extern volatile int situ_forks;

/* Marks the library as used; the first call installs the fork handler. */
void situ_runtime_use(void);

/* Raises SITU_FORKED, for calls that found situ_forked set. */
int situ_fail_forked(situ_site site);

/* The order of the shutdown, whatever was used first: what stands later here is used by what stands earlier. */
typedef enum situ_end {
    SITU_END_WORK,    /* pending values are computed, plans are freed */
    SITU_END_DEVICES, /* queues stop, device memory is freed */
    SITU_END_RECORDS, /* trace, ledger, sums of each thread */
    SITU_END_POOL     /* threads of the pool, scratch memory, tuning */
} situ_end;
/* Registers a function that situ_shutdown calls; of one stage, the last registered is called first. Registering a
 * function twice has no effect; one that is registered during a shutdown is called in it. Returns 0 or an error (more
 * than 64). */
int situ_at_shutdown(situ_end when, void (*free_cache)(void));
/* Registers a function that situ_after_fork calls in the child, to reset what did not survive the fork. */
int situ_at_fork_reset(void (*reset)(void));

#endif
