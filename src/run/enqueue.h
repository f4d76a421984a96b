/* Turns the recorded graph into running work. */
#ifndef SITU_RUN_ENQUEUE_H
#define SITU_RUN_ENQUEUE_H

#include "graph/record.h"
#include "plan/plan.h"
#include "run/watch.h"

/* Computes and stores the `asked` roots and, if `assign`, all pending values of the thread's variables; does not wait,
 * unless will_wait allows to work in the caller. Roots after `asked` are computed but stored only if needed. 0, or a
 * negative code: then nothing ran, and the variables keep their values. */
int situ_enqueue(situ_tensor *const *root, uint32_t roots, uint32_t asked, bool assign, bool will_wait, situ_site site);
/* Starts computing the initial values of the thread's variables that have none stored yet, and the operands of these. */
int situ_enqueue_first_values(situ_site site);
/* The same if `variable` is among them. So if a plan with an assignment fails, the variable still has its initial value
 * (variable.c). */
int situ_store_first_values(situ_tensor *variable, situ_site site);
/* A variable with t's value, which is stored and owned by it: borrowed host memory is used in place until the variable
 * changes, anything else is copied (variable.c). */
situ_tensor *situ_variable_holding(situ_tensor *t, bool trainable, const char *name, situ_site site);
/* Is it recorded, and neither started nor a leaf of the graph? */
static inline bool situ_node_is_pending(const situ_tensor *t)
{
    return !t->buffer && !(t->flags & (SITU_NODE_RAN | SITU_NODE_POISON | SITU_NODE_SCALAR)) && t->op->family != SITU_LEAF;
}
/* Starts what the language's objects own (graph/owned.h). */
int situ_enqueue_owned(situ_site site);
/* Starts what the thread's open scopes have kept, and the pending assignments. With hints, names what else is pending. */
int situ_enqueue_kept(situ_site site);
/* Starts pending values that write a part of a variable and that a recorded operation reads. */
int situ_enqueue_parts(situ_site site);
/* situ_enqueue for tensors named by the user, with all pending assignments of the thread. Replaces handles by nodes
 * and may reorder the array. */
int situ_compute(situ_tensor **t, int count, bool will_wait, situ_site site);
/* Computes a pending elementwise operation on stored single elements at once: 0, or a negative code; 1: it is another
 * case, and nothing was done (single.c). */
int situ_run_single(situ_tensor *t, situ_site site);
/* For base/parts.h: enqueues what is kept or assigned in a scope that closes, or the older half of a scope with too
 * many nodes; raises an error of this thread's work that it has not seen yet; cleans up when a thread ends. */
int situ_scope_enqueue(situ_scope *scope, bool closing);
void situ_raise_late(void);
void situ_thread_leaves(situ_thread *th);
/* The mode for plans of this thread: SITU_PLAN_ flags of plan/plan.h. */
unsigned situ_plan_mode(void);
/* note.c. Called when t has run: it no longer counts as a reader of its operands. */
void situ_note_ran(situ_tensor *t);
/* Called when t is stored and its whole launch is enqueued. An owned value then forgets its operands, unless a
 * gradient may need them. */
void situ_note_stored(situ_tensor *t);
/* Both, for a pending node whose value is in b without a plan. Under the planner's lock. */
void situ_store_in(situ_tensor *t, situ_buffer *b);
/* Waits for a buffer's contents; raises the error that prevented them. Negative without an error: situ_wait_goes_on
 * (run/ahead.h) ended the wait. */
int situ_await(situ_buffer *b, situ_site site);

#endif
