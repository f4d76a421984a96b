/* What this library was linked with: its backends, and functions of higher folders that lower folders call.
 * parts/parts.c initialises it. A library with other parts (SITU_PARTS in CMakeLists.txt) compiles that file again. */
#ifndef SITU_BASE_PARTS_H
#define SITU_BASE_PARTS_H

#include <stdbool.h>

struct situ_backend;
struct situ_scope;
struct situ_thread;
struct situ_collectives;
struct situ_card_calls;

struct situ_linked {
    /* The backends, in the order in which their devices are numbered; ends with NULL. */
    const struct situ_backend *const *backends;
    /* Defined in run/. Enqueues the pending values of a scope that are kept or assigned; without `closing`, the older
     * half of all pending values. */
    int (*scope_flush)(struct situ_scope *scope, bool closing);
    /* Defined in run/. Called when a thread ends. */
    void (*thread_ends)(struct situ_thread *thread);
    /* Defined in run/. Raises the error of work of this thread that it has not seen yet. */
    void (*error_late)(void);
    /* Defined in group/. Collectives for layers and optimizers; NULL in a library without groups. */
    const struct situ_collectives *collectives;
    /* Defined in backend/cuda. Collectives between cards; NULL in a library without CUDA. */
    const struct situ_card_calls *cards;
};

extern const struct situ_linked situ_linked;

#endif
