#include "device/streams.h"

#include <stdio.h>

#include "base/error.h"
#include "base/queue.h"
#include "device/device.h"

_Static_assert(SITU_STREAMS <= 32, "a word has a bit for each");
static _Atomic uint32_t taken;
_Atomic int situ_stream_of_ranks;

int situ_stream_take(void)
{
    static _Atomic int next_shared;
    for (uint32_t now = atomic_load(&taken); ~now;) {
        int lane = __builtin_ctz(~now);
        if (atomic_compare_exchange_weak(&taken, &now, now | 1u << lane)) return lane;
    }
    return (int)((unsigned)atomic_fetch_add(&next_shared, 1) % SITU_STREAMS); /* all lanes are in use: shares one */
}

void situ_stream_release(int lane) { atomic_fetch_and(&taken, ~(1u << lane)); }

int situ_stream_open(situ_dev *d, int lane)
{
    if (!lane || d->device.kind != SITU_CPU || !d->queue) return 0;
    if (situ_stream_queue(d, lane)) return lane;
    char name[32];
    situ_queue *none = NULL, *q = situ_queue_new(situ_device_name(d->device, name), true);
    if (!q) {
        situ_error_take(NULL);
        return 0;
    }
    if (!atomic_compare_exchange_strong(&d->lane[lane], &none, q)) situ_queue_free(q);
    return lane;
}

bool situ_stamp_done(situ_dev *d, uint64_t stamp)
{
    situ_queue *q = stamp ? situ_stream_queue(d, situ_stamp_stream(stamp)) : NULL;
    return !q || situ_queue_done(q) >= (stamp & (((uint64_t)1 << SITU_STREAM_SHIFT) - 1));
}

void situ_stamp_wait(situ_dev *d, uint64_t stamp)
{
    situ_queue *q = stamp ? situ_stream_queue(d, situ_stamp_stream(stamp)) : NULL;
    if (q) situ_queue_wait(q, stamp & (((uint64_t)1 << SITU_STREAM_SHIFT) - 1));
}

bool situ_stamp_wait_for(situ_dev *d, uint64_t stamp, int64_t nanoseconds)
{
    situ_queue *q = stamp ? situ_stream_queue(d, situ_stamp_stream(stamp)) : NULL;
    return !q || situ_queue_wait_for(q, stamp & (((uint64_t)1 << SITU_STREAM_SHIFT) - 1), nanoseconds);
}

bool situ_streams_wait(situ_dev *d)
{
    bool waited = false;
    for (int i = 0; i < SITU_STREAMS; i++) {
        situ_queue *q = situ_stream_queue(d, i);
        if (q && situ_queue_inside(q)) return false;
    }
    for (int i = 0; i < SITU_STREAMS; i++) {
        situ_queue *q = situ_stream_queue(d, i);
        uint64_t last = q ? situ_queue_last(q) : 0;
        if (!q || situ_queue_done(q) >= last) continue;
        situ_queue_wait(q, last);
        waited = true;
    }
    return waited;
}

void situ_streams_free(situ_dev *d)
{
    for (int i = 1; i < SITU_STREAMS; i++) situ_queue_free(atomic_exchange(&d->lane[i], NULL));
    situ_queue_free(d->queue);
    d->queue = NULL;
}

void situ_streams_after_fork(situ_dev *d)
{
    for (int i = 0; i < SITU_STREAMS; i++) {
        situ_queue *q = situ_stream_queue(d, i);
        if (q) situ_queue_after_fork(q);
    }
}
