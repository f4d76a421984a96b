/* Run-ahead: limits how far a thread may be ahead of the device that runs its launches. At the limit it waits for its
 * oldest launch before it takes memory (the ledger's reason: ahead). Each thread has its own limits. */
#ifndef SITU_RUN_AHEAD_H
#define SITU_RUN_AHEAD_H

#include "graph/record.h"
#include "run/launch.h"

/* Bytes of device memory that this launch holds until it ends and no other launch holds already: its results,
 * operands, and the arena unless launches share it. */
int64_t situ_ahead_bytes(const situ_plan *p, const situ_walk *w, int device);
/* Set while a language waits without its lock: asked now and then, false ends the wait. The language has the error
 * then (a signal in Python), the library none. */
extern __thread bool (*situ_wait_goes_on)(void);
/* Waits for a job, on the virtual clock until this time (NULL: not at all), and shows this in the trace; false:
 * situ_wait_goes_on ended the wait. */
bool situ_wait_for_job(situ_dev *d, uint64_t stamp, const _Atomic double *until, situ_site site);

/* Are the buffer's contents there? Of a simulated device's the virtual clock of the calling thread tells. */
bool situ_buffer_is_ready(const situ_buffer *b);

/* Has the calling thread anything under way? Small work usually ran in the caller. */
static inline bool situ_ahead_any(void)
{
    const situ_outbox *o = situ_thread_state.outbox;
    return o && atomic_load_explicit(&o->launches, memory_order_relaxed);
}
/* The device for which the calling thread has to wait before it launches p, or NULL. */
situ_dev *situ_ahead_full(const situ_plan *p, const situ_walk *w);
/* Waits for the thread's oldest launch on this device; false: situ_wait_goes_on ended the wait. */
bool situ_ahead_wait(situ_dev *d, situ_site site);
/* To be called before `bytes` more are allocated for operands of later launches. */
void situ_ahead_room(situ_dev *d, int64_t bytes, situ_site site);
/* Count a device's job of the launch when it is submitted, and when it is done. */
void situ_ahead_more(situ_launch *l, int device, uint64_t stamp, int64_t bytes);
void situ_ahead_less(situ_launch *l, int device);
/* For a language whose lock must not be held while waiting: a device on which the next launch would have to wait, if
 * it is like the last one (NULL: none). */
situ_dev *situ_ahead_pending(void);

/* For tests: the largest number of launches of one thread under way on one device since the last call. */
int situ_test_ahead(void);

#endif
