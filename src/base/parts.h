/* What this library was linked with: its backends, and functions of higher folders that lower folders call. parts/parts.c fills it
 * in. A library with other parts (SITU_PARTS in CMakeLists.txt) compiles that file again. */
#ifndef SITU_BASE_PARTS_H
#define SITU_BASE_PARTS_H

#include <stdbool.h>

struct situ_backend;
struct situ_scope;
struct situ_thread;
struct situ_collectives;
struct situ_card_calls;

struct situ_linked {
    /* The backends, in the order in which their devices are numbered. A NULL ends the array. */
    const struct situ_backend *const *backends;
    /* In run/. Enqueues the pending values of a scope (kept and assigned ones), or the older half of them. */
    int (*scope_flush)(struct situ_scope *scope, bool closing);
    /* In run/. Called when a thread ends. */
    void (*thread_ends)(struct situ_thread *thread);
    /* In run/. Raises an error of this thread's work that it has not seen yet. */
    void (*error_late)(void);
    /* In group/. Collectives for layers and optimizers; NULL in a library without groups. */
    const struct situ_collectives *collectives;
    /* In backend/cuda. Collectives between cards; NULL in a library without CUDA. */
    const struct situ_card_calls *cards;
};

extern const struct situ_linked situ_linked;

#endif
