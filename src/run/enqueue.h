/* From recorded graph to running work. */
#ifndef SITU_RUN_ENQUEUE_H
#define SITU_RUN_ENQUEUE_H

#include "graph/record.h"
#include "plan/plan.h"
#include "run/watch.h"

/* Computes and stores the asked tensors and, if `assign`, gives all variables of the thread their pending values;
 * without waiting, unless will_wait lets it work in the caller. Roots past `asked` are computed but stored only where
 * needed. 0 or a negative code: then nothing ran, and the variables keep the values they have. */
int situ_enqueue(situ_tensor *const *root, uint32_t roots, uint32_t asked, bool assign, bool will_wait, situ_site site);
/* Starts the first values of the thread's variables that have no stored value yet, and the operands of these. */
int situ_enqueue_first_values(situ_site site);
/* The same if `variable` is among them. So a plan whose assignment fails leaves it its first value (variable.c). */
int situ_store_first_values(situ_tensor *variable, situ_site site);
/* A variable with t's value, which is stored and nobody else's from now on: borrowed memory of the host is held as it is until
 * the variable changes, anything else is copied (variable.c). */
situ_tensor *situ_variable_holding(situ_tensor *t, bool trainable, const char *name, situ_site site);
/* Starts the pending values of the thread's variables that come from writing a part of the variable and that a recorded
 * operation reads. */
int situ_enqueue_parts(situ_site site);
/* situ_enqueue for what the user names, with all pending assignments of the thread; handles become nodes, in another order. */
int situ_compute(situ_tensor **t, int count, bool will_wait, situ_site site);
/* Computes and stores one pending elementwise operation on single elements that are stored: 0, or a negative code; 1:
 * it is something else, and nothing was done (single.c). */
int situ_run_single(situ_tensor *t, situ_site site);
/* How this thread's plans are made now: plan/plan.h's SITU_PLAN_ bits. */
unsigned situ_plan_mode(void);
/* note.c. t has run: it no longer counts as a reader of its operands. */
void situ_note_ran(situ_tensor *t);
/* t is stored; called once its whole launch is enqueued. An owned value forgets its operands then, unless a gradient may
 * need them. */
void situ_note_stored(situ_tensor *t);
/* Both, for a pending node whose value is in b without a plan. Under the planner's lock. */
void situ_store_in(situ_tensor *t, situ_buffer *b);
/* Waits for a buffer's contents; raises what spoiled them. */
int situ_await(situ_buffer *b);

#endif
