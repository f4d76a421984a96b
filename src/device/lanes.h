/* Lanes: the queues of a device. The CPU has one for each thread that uses it, so that nobody's work waits behind another's;
 * what a job needs of other lanes it waits for when it begins. Other devices have one lane, which keeps their order.
 * A stamp says where a job is: its lane, and its number there. 0 is no job. */
#ifndef SITU_DEVICE_LANES_H
#define SITU_DEVICE_LANES_H

#include "device/backend.h"

struct situ_queue;

/* A lane for a thread, its own while there are enough of them; and back. */
int situ_lane_take(void);
void situ_lane_give(int lane);

/* The lane of device d that stands for a thread's lane, opened; lane 0 where there is no memory for another. */
int situ_lane_open(situ_dev *d, int lane);
static inline struct situ_queue *situ_lane_queue(situ_dev *d, int lane)
{
    return lane ? atomic_load_explicit(&d->lane[lane], memory_order_acquire) : d->queue;
}

enum { SITU_LANE_SHIFT = 58 };
static inline uint64_t situ_stamp_of(int lane, uint64_t sequence)
{
    return sequence ? (uint64_t)lane << SITU_LANE_SHIFT | sequence : 0;
}
static inline int situ_stamp_lane(uint64_t stamp) { return (int)(stamp >> SITU_LANE_SHIFT); }

/* The lane on which processes exchange values (src/group) + 1, 0: they do not. */
extern _Atomic int situ_lane_of_ranks;
static inline bool situ_stamp_is_of_ranks(uint64_t stamp)
{
    return stamp && situ_stamp_lane(stamp) + 1 == atomic_load_explicit(&situ_lane_of_ranks, memory_order_relaxed);
}

/* Is that job done? Waits until it is. A device without queues has nothing to wait for. */
bool situ_stamp_done(situ_dev *d, uint64_t stamp);
void situ_stamp_wait(situ_dev *d, uint64_t stamp);
/* Waits for so many nanoseconds at most, and runs nothing of it itself; is it done? */
bool situ_stamp_wait_for(situ_dev *d, uint64_t stamp, int64_t nanoseconds);
/* Waits for all that was ever given to this device; false: there was nothing to wait for, or this is a job of the device. */
bool situ_lanes_wait(situ_dev *d);
/* At the end: nothing is under way on any device any more. */
void situ_lanes_free(situ_dev *d);
void situ_lanes_after_fork(situ_dev *d);

#endif
