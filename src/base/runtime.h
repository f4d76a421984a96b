/* The library's life in the process: fork, and what to free at the end. */
#ifndef SITU_BASE_RUNTIME_H
#define SITU_BASE_RUNTIME_H

#include <situ/runtime.h>

/* 1 in a child forked after the library was used, until situ_after_fork(). Public calls test it first. */
extern volatile int situ_forked;

/* Marks the library as used (installs the fork handler, once); cheap to call again. */
void situ_runtime_use(void);

/* Raises SITU_FORKED; for calls that found situ_forked set. */
int situ_fail_forked(situ_site site);

/* Registers a function that situ_shutdown() calls, last registered first; registering one twice keeps one. Returns 0
 * or an error (more than 64). */
int situ_at_shutdown(void (*free_cache)(void));
/* Registers a function that situ_after_fork() calls in the child, to reset what did not survive. */
int situ_at_fork_reset(void (*reset)(void));

#endif
