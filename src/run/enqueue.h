/* From recorded graph to running work. */
#ifndef SITU_RUN_ENQUEUE_H
#define SITU_RUN_ENQUEUE_H

#include "graph/record.h"

/* Computes and stores the asked tensors and, if `assign`, gives all variables of the thread their pending values;
 * without waiting, unless will_wait lets it work in the caller. Roots past `asked` are computed but stored only where
 * needed. 0 or a negative code: then nothing ran, and the variables keep the values they have. */
int situ_enqueue(situ_tensor *const *root, uint32_t roots, uint32_t asked, bool assign, bool will_wait, situ_site site);
/* Starts to compute the pending values of those of the thread's variables that have none yet, and what those read. */
int situ_enqueue_first_values(situ_site site);
/* The same where this variable is one of them: a plan that fails to give it its next value is to leave it one (variable.c). */
int situ_store_first_values(situ_tensor *variable, situ_site site);
/* Starts to compute those pending values of the thread's variables that are a part of the variable, written, and that something
 * reads. */
int situ_enqueue_parts(situ_site site);
/* situ_enqueue for what the user names, with all pending assignments of the thread; handles become nodes, in another order. */
int situ_compute(situ_tensor **t, int count, bool will_wait, situ_site site);
/* Computes and stores one pending elementwise operation on single elements that are stored: 0, or a negative code; 1:
 * it is something else, and nothing was done (single.c). */
int situ_run_single(situ_tensor *t, situ_site site);
/* How this thread's plans are made now: plan/plan.h's SITU_PLAN_ bits. */
unsigned situ_plan_mode(void);
/* note.c. It ran: what it read is read no more by it. */
void situ_note_ran(situ_tensor *t);
/* Called once all that ran with it is under way: an owned value that is stored forgets how it was made, unless a
 * gradient may pass through it. */
void situ_note_stored(situ_tensor *t);
/* Both, for a pending node whose value is in b without a plan. Under the planner's lock. */
void situ_store_in(situ_tensor *t, situ_buffer *b);
/* Waits for a buffer's contents; raises what spoiled them. */
int situ_await(situ_buffer *b);

#endif
