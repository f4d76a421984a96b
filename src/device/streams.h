/* Lanes are the queues of a device. The CPU has one for each thread that uses it, so that no thread's work waits for
 * another's; dependencies on other lanes are waited for when a job begins. Other devices have a single lane. A stamp
 * identifies a job: its lane, and its number there; 0 is no job. */
#ifndef SITU_DEVICE_LANES_H
#define SITU_DEVICE_LANES_H

#include "device/backend.h"

struct situ_queue;

/* A lane for a thread, its own if there are enough of them; the other releases it. */
int situ_stream_take(void);
void situ_stream_release(int lane);

/* The lane of device d that corresponds to a thread's lane, opened if necessary; lane 0 if there is no memory for
 * another. */
int situ_stream_open(situ_dev *d, int lane);
static inline struct situ_queue *situ_stream_queue(situ_dev *d, int lane)
{
    return lane ? atomic_load_explicit(&d->lane[lane], memory_order_acquire) : d->queue;
}

enum { SITU_STREAM_SHIFT = 58 };
static inline uint64_t situ_stamp_of(int lane, uint64_t sequence)
{
    return sequence ? (uint64_t)lane << SITU_STREAM_SHIFT | sequence : 0;
}
static inline int situ_stamp_stream(uint64_t stamp) { return (int)(stamp >> SITU_STREAM_SHIFT); }

/* 1 + the lane on which processes exchange values (src/group), 0: none. */
extern _Atomic int situ_stream_of_ranks;
static inline bool situ_stamp_is_of_ranks(uint64_t stamp)
{
    return stamp && situ_stamp_stream(stamp) + 1 == atomic_load_explicit(&situ_stream_of_ranks, memory_order_relaxed);
}

/* Is the job done? The other waits until it is. A device without queues has nothing to wait for. */
bool situ_stamp_done(situ_dev *d, uint64_t stamp);
void situ_stamp_wait(situ_dev *d, uint64_t stamp);
/* Waits for at most this many nanoseconds, without running any of the work itself; returns whether the job is done. */
bool situ_stamp_wait_for(situ_dev *d, uint64_t stamp, int64_t nanoseconds);
/* Waits for all work ever submitted to this device; false: there was none, or the caller is a job of the device. */
bool situ_streams_wait(situ_dev *d);
/* Called at the end, when no device has work under way. */
void situ_streams_free(situ_dev *d);
void situ_streams_after_fork(situ_dev *d);

#endif
