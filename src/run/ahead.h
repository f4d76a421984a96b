/* Run-ahead: how far a thread may be ahead of the device that runs its launches. At the limit it waits for its oldest
 * launch before it takes memory (the ledger's reason: ahead). Each thread has its own limits. */
#ifndef SITU_RUN_AHEAD_H
#define SITU_RUN_AHEAD_H

#include "graph/record.h"
#include "run/launch.h"

/* Bytes of the device's memory that this launch newly holds until it ends: its results, operands that no other launch holds,
 * and the arena where launches do not share one. */
int64_t situ_ahead_bytes(const situ_plan *p, const situ_walk *w, int device);
/* Has the calling thread anything under way? Nearly always where work is small: it ran in the caller. */
static inline bool situ_ahead_any(void)
{
    const situ_outbox *o = situ_thread_state.outbox;
    return o && atomic_load_explicit(&o->launches, memory_order_relaxed);
}
/* The device for which the calling thread has to wait before it launches p, or NULL. */
situ_dev *situ_ahead_full(const situ_plan *p, const situ_walk *w);
/* Waits for the thread's oldest launch on this device. */
void situ_ahead_wait(situ_dev *d, situ_site site);
/* Before so many bytes more are taken for operands of later launches. */
void situ_ahead_room(situ_dev *d, int64_t bytes, situ_site site);
/* A device's job of the launch is on its way; is done. */
void situ_ahead_more(situ_launch *l, int device, uint64_t stamp, int64_t bytes);
void situ_ahead_less(situ_launch *l, int device);
/* For a language whose lock must not be held in a wait: is there a device on which the next launch would have to wait, if
 * it is like the last one? Its oldest job; wait by situ_stamp_wait or in slices. */
situ_dev *situ_ahead_pending(uint64_t *stamp);

/* Is the work that the calling thread has started there so short that the thread may run it itself? For callers that must
 * notice signals while they wait. */
bool situ_ahead_short(const situ_dev *d);
/* The i-th device that the calling thread has started work on, and the last of it; NULL: there are no more. */
situ_dev *situ_ahead_started(int i, uint64_t *stamp);

/* For tests: the most launches of one thread that were under way on one device since the last call. */
int situ_test_ahead(void);

#endif
