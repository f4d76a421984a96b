/* Submits a launch to the queues of its devices, after the jobs of other lanes that it depends on. */
#include "base/queue.h"
#include "device/streams.h"
#include "device/trace.h"
#include "run/ahead.h"
#include "run/launch.h"

static void follow_lane(situ_launch *l, int device, uint64_t stamp)
{
    typeof(&l->job[0]) job = &l->job[device];
    bool told = situ_tracing() && situ_stamp_is_of_ranks(stamp); /* `situ simulate` has to see what waits for an exchange */
    if (situ_stamp_done(l->plan->dev[device], stamp) && !told) return;
    for (int i = 0; i < job->after; i++) {
        if (situ_stamp_stream(l->after[i]) != situ_stamp_stream(stamp)) continue;
        if (l->after[i] < stamp) l->after[i] = stamp;
        return;
    }
    l->after[job->after++] = stamp;
}

static inline void follow_job(situ_launch *l, int device, uint64_t stamp)
{
    if (stamp && situ_stamp_stream(stamp) != l->job[device].lane) follow_lane(l, device, stamp);
}

/* Collects the jobs of other lanes that this one must wait for: writers of its operands, readers of what it
 * overwrites. */
static void find_before(situ_launch *l, int device)
{
    situ_dev *d = l->plan->dev[device];
    for (uint32_t i = 0; i < l->leaves && d->device.kind == SITU_CPU; i++) {
        situ_buffer *b = l->leaf[i].buffer;
        if (b->dev != d) continue;
        follow_job(l, device, atomic_load(&b->ready));
        uint32_t readers = l->leaf[i].written ? atomic_load_explicit(&b->readers, memory_order_relaxed) : 0;
        for (; readers; readers &= readers - 1) {
            int lane = __builtin_ctz(readers);
            situ_queue *q = situ_stream_queue(d, lane);
            if (q) follow_job(l, device, situ_stamp_of(lane, situ_queue_last(q)));
        }
    }
}

/* Stamps every buffer before any job runs. */
static void mark_buffers(situ_launch *l, const uint64_t *stamp)
{
    const situ_plan *p = l->plan;
    for (uint32_t i = 0; i < p->npersistent; i++) {
        atomic_store(&l->persistent[i]->ready, stamp[p->persistent[i].device]);
        atomic_store_explicit(&l->persistent[i]->launched, true, memory_order_relaxed);
    }
    for (uint32_t i = 0; i < l->leaves; i++) {
        situ_buffer *b = l->leaf[i].buffer;
        atomic_store_explicit(&b->launched, true, memory_order_relaxed);
        for (int k = 0; k < p->ndev; k++) {
            if (p->dev[k] != b->dev) continue;
            if (l->leaf[i].written) atomic_store(&b->ready, stamp[k]);
            uint32_t bit = 1u << l->job[k].lane;
            if (l->leaf[i].written) atomic_store_explicit(&b->readers, 0, memory_order_relaxed);
            else if (!(atomic_load_explicit(&b->readers, memory_order_relaxed) & bit))
                atomic_fetch_or_explicit(&b->readers, bit, memory_order_relaxed);
        }
    }
}

static void hand_over(situ_launch *l, const situ_walk *w)
{
    situ_plan *p = l->plan;
    situ_queue *queue[SITU_PLAN_DEVICES];
    uint64_t stamp[SITU_PLAN_DEVICES], next[SITU_PLAN_DEVICES];
    int64_t bytes[SITU_PLAN_DEVICES];
    int ndev = p->ndev;
    for (int i = 0; i < ndev; i++) bytes[i] = situ_ahead_bytes(p, w, i);
    situ_launch_hold(l);
    for (int i = 0; i < ndev; i++) {
        queue[i] = situ_stream_queue(p->dev[i], l->job[i].lane);
        next[i] = situ_queue_last(queue[i]) + 1;
        stamp[i] = situ_stamp_of(l->job[i].lane, next[i]);
        situ_ahead_more(l, i, stamp[i], bytes[i]);
    }
    mark_buffers(l, stamp);
    for (int i = 0; i < ndev; i++) { /* the launch may be freed after the last push */
        if (!situ_queue_push(queue[i], situ_launch_job, &l->job[i], NULL)) continue;
        situ_error_take(NULL); /* no memory in the queue: waits for it and runs here, under the same stamp */
        do situ_queue_wait(queue[i], next[i] - 1);
        while (!situ_queue_run_inline(queue[i], situ_launch_job, &l->job[i], NULL));
    }
}

void (*_Atomic situ_timeline)(situ_launch *l);

int situ_launch_submit(situ_launch *l, const situ_walk *w, bool will_wait)
{
    situ_plan *p = l->plan;
    enum { SMALL_US = 60 };
    for (int i = 0; i < p->ndev; i++) {
        l->job[i].launch = l;
        l->job[i].device = i;
        l->job[i].sent = -1;
        l->job[i].lane = situ_launch_stream(p->dev[i]);
        /* readers of this device's results must learn of a failure on any device */
        for (uint32_t k = 0; k < p->npersistent; k++) l->job[i].waits |= p->persistent[k].device == i;
        for (uint32_t k = 0; k < l->leaves; k++) l->job[i].waits |= l->leaf[k].written && l->leaf[k].buffer->dev == p->dev[i];
        find_before(l, i);
    }
    if (p->ndev == 0) {
        situ_launch_free(l);
        return 0;
    }
    l->unfinished = l->undecided = p->ndev;
    void (*timeline)(situ_launch *) = situ_timeline;
    if (timeline) timeline(l);
    situ_dev *d = p->dev[0];
    bool inline_ok = p->ndev == 1 && !l->job[0].after && (d->device.kind == SITU_CPU || d->device.kind == SITU_NULL);
    if (!inline_ok || !(p->cost * 1e6 < SMALL_US || (will_wait && situ_threads_live <= 1)) ||
        !situ_queue_run_inline(situ_stream_queue(d, l->job[0].lane), situ_launch_job, &l->job[0], NULL))
        hand_over(l, w);
    return 0;
}
