/* The library's life in the process: fork, and what to free at the end. */
#ifndef SITU_BASE_RUNTIME_H
#define SITU_BASE_RUNTIME_H

#include <situ/runtime.h>

/* 1 in a child forked after the library was used, until situ_after_fork(). Public calls test it first. */
extern volatile int situ_forked;
/* How many forks lie between this process and the one that used the library first: threads that were started at another count
 * are gone. */
extern volatile int situ_forks;

/* Marks the library as used (installs the fork handler, once); cheap to call again. */
void situ_runtime_use(void);

/* Raises SITU_FORKED; for calls that found situ_forked set. */
int situ_fail_forked(situ_site site);

/* What ends in which order, since what comes later is used by what comes before: by this, not by what was used first. */
typedef enum situ_end {
    SITU_END_WORK,    /* what is pending is computed, plans go */
    SITU_END_DEVICES, /* queues stop, memory goes              */
    SITU_END_RECORDS, /* the trace, the ledger, threads' sums  */
    SITU_END_POOL     /* threads of the pool, scratch, tuning  */
} situ_end;
/* Registers a function that situ_shutdown() calls, of the same end the last registered first; registering one twice keeps one,
 * and one that is registered during a shutdown is called in it. Returns 0 or an error (more than 64). */
int situ_at_shutdown(situ_end when, void (*free_cache)(void));
/* Registers a function that situ_after_fork() calls in the child, to reset what did not survive. */
int situ_at_fork_reset(void (*reset)(void));

#endif
