/* The part of a launch that runs on one device: in the thread of its queue, or in the caller. */
#include "run/launch.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/pool.h"
#include "device/streams.h"
#include "device/trace.h"
#include "run/ahead.h"
#include "run/bound.h"
#include "run/digest.h"

/* Copies between devices of different backends, through the host. */
static int copy_by_host(situ_dev *to, void *to_address, situ_dev *from, const void *from_address, size_t bytes)
{
    void *host = situ_malloc(bytes);
    if (!host) return -SITU_NO_MEMORY;
    int rc = from->backend->download(from, host, from_address, bytes);
    if (!rc) rc = to->backend->upload(to, to_address, host, bytes);
    situ_free(host);
    return rc;
}

static int run_copy(situ_launch *l, const situ_plan_step *s, char *const *address)
{
    situ_dev *to = l->plan->dev[s->device], *from = l->plan->dev[s->from_device];
    size_t bytes = (size_t)s->bytes;
    if (!bytes) return 0;
    if (from->device.kind == SITU_CPU) return to->backend->upload(to, address[0], address[1], bytes);
    if (to->device.kind == SITU_CPU) return from->backend->download(from, address[0], address[1], bytes);
    int rc = to->backend->copy(to, address[0], from, address[1], bytes);
    return rc == -SITU_UNSUPPORTED ? copy_by_host(to, address[0], from, address[1], bytes) : rc;
}

static void wait_signal(situ_launch *l, int32_t step)
{
    if (!atomic_load(&l->signal[step])) {
        situ_mutex_lock(&l->lock);
        while (!atomic_load(&l->signal[step])) situ_condition_wait(&l->changed, &l->lock);
        situ_mutex_unlock(&l->lock);
    }
}

static void give_signal(situ_launch *l, uint32_t step)
{
    situ_mutex_lock(&l->lock);
    atomic_store(&l->signal[step], 1);
    situ_condition_broadcast(&l->changed);
    situ_mutex_unlock(&l->lock);
}

/* Records a failure. The message is about the first failure in time; another device may fail later in a step that is
 * earlier in the plan. */
static void fault_at(situ_launch *l, int code, uint32_t step)
{
    int none = 0, first = atomic_load(&l->broken);
    situ_fault_set(&l->fault, code, 0, 0);
    if (l->fault.step == 0) atomic_compare_exchange_strong(&l->fault.step, &none, (int)step + 1);
    while ((!first || (int)step + 1 < first) && !atomic_compare_exchange_weak(&l->broken, &first, (int)step + 1)) {}
}

/* Records what the device reported about the slot that has just failed in this thread. */
static void device_fault_at(situ_launch *l, situ_dev *d, int code, uint32_t step)
{
    const char *why = l->fault.code || !d->backend->why ? NULL : d->backend->why(d);
    if (why && *why) l->why = situ_site_intern(why);
    fault_at(l, code, step);
}

/* ---- asynchronous devices -------------------------------------------------------------------------------------------- */

/* Maps launch number `which` of the device, counted from step `first`, to its step; and counts the launches before
 * `end`. */
static uint32_t step_of(const situ_plan *p, int device, uint32_t first, uint32_t end, int64_t which, int *count)
{
    uint32_t found = first;
    *count = 0;
    for (uint32_t i = first; i < end; i++) {
        if (p->step[i].device != device) continue;
        if (*count == 0 || (p->step[i].kind == SITU_PLAN_KERNEL && which == 0)) found = i;
        which -= p->step[i].kind == SITU_PLAN_KERNEL;
        ++*count;
    }
    return found;
}

/* Waits for everything that the device has started up to step `end`. Negative: the device failed; 1: it failed before
 * it overwrote any variable. */
static int finish_until(situ_launch *l, int device, uint32_t end)
{
    situ_dev *d = l->plan->dev[device];
    situ_fault found = {0};
    int64_t which = -1;
    int count = 0;
    uint32_t first = l->job[device].started;
    if (!d->backend->finish) return 0;
    step_of(l->plan, device, first, end, which, &count);
    if (!count) return 0;
    int rc = d->backend->finish(d, &found, &which);
    uint32_t step = rc || found.code ? step_of(l->plan, device, first, end, which, &count) : 0;
    l->job[device].started = end;
    if (rc && which < 0 && !l->fault.code && count > 1) l->among = count - 1;
    if (rc) device_fault_at(l, d, -rc, step);
    else if (found.code && situ_fault_set_at(&l->fault, found.code, found.value, found.bound, found.place))
        fault_at(l, found.code, step);
    return rc && found.code ? 1 : rc;
}

/* Signals this step to other devices. Devices of the same backend wait for it without the host. */
static void pass_on(situ_launch *l, int device, uint32_t step)
{
    situ_dev *d = l->plan->dev[device];
    l->mark[step] = d->backend->mark && !l->number && !l->plan->apart ? d->backend->mark(d) : NULL;
    if (!l->mark[step]) finish_until(l, device, step + 1);
    give_signal(l, step);
}

static void follow(situ_launch *l, int device, uint32_t step)
{
    int32_t before = l->plan->step[step].waits_for;
    situ_dev *d = l->plan->dev[device], *marked = l->plan->dev[l->plan->step[before].device];
    wait_signal(l, before);
    if (!l->mark[before]) return;
    int rc = marked->backend->follow(d->backend == marked->backend ? d : NULL, marked, l->mark[before]);
    if (rc) device_fault_at(l, d->backend == marked->backend ? d : marked, -rc, step);
}

/* The source of a copy may still be computed on its own device: waits for it. */
static void wait_leaf(situ_launch *l, uint32_t step)
{
    const situ_plan_step *s = &l->plan->step[step];
    uint32_t place = l->plan->address[s->address + 1].place;
    for (uint32_t i = 0; i < l->leaves; i++) {
        situ_buffer *b = l->leaf[i].buffer;
        if (l->leaf[i].place != place) continue;
        situ_stamp_wait(b->dev, atomic_load(&b->ready));
        if (atomic_load(&b->failed)) fault_at(l, SITU_BAD_ARGUMENT, step);
    }
}

/* May step i be skipped? After a failure, results of later steps are never used. */
static bool is_pointless(situ_launch *l, uint32_t i)
{
    int failed = atomic_load_explicit(&l->broken, memory_order_relaxed);
    return failed && (int)i >= failed - 1;
}

static void trace_step(const situ_launch *l, uint32_t i, double start)
{
    const situ_plan *p = l->plan;
    const situ_plan_step *s = &p->step[i];
    const situ_dev *to = p->dev[s->device], *from = p->dev[s->from_device];
    bool copy = s->kind == SITU_PLAN_COPY, first = true;
    situ_track track = !copy          ? SITU_TRACK_COMPUTE :
        from->device.kind == SITU_CPU ? SITU_TRACK_UPLOAD :
        to->device.kind == SITU_CPU   ? SITU_TRACK_DOWNLOAD :
                                        SITU_TRACK_PEER;
    char name[96];
    if (s->merged) snprintf(name, sizeof name, "%.60s, also for %u equal", s->name ? s->name : "", s->merged);
    for (uint32_t k = 0; k < i && first; k++) first = p->step[k].device != s->device;
    situ_trace_add(&(situ_trace_event){.name = s->merged ? name : s->name,
        .site = l->site ? l->site[i] : NULL,
        .track = track,
        .device = track == SITU_TRACK_DOWNLOAD ? from->device : to->device,
        .lane = s->lane,
        .start = start,
        .end = situ_seconds(),
        .virtual_start = l->clock ? l->clock[i] : 0,
        .virtual_end = l->clock ? l->clock[p->nstep + 1 + i] : 0,
        .bytes = copy ? s->bytes : 0,
        .started_by = first ? l->number : 0});
}

static void run_step(situ_launch *l, uint32_t i)
{
    const situ_plan *p = l->plan;
    if (is_pointless(l, i)) return;
    const situ_plan_step *s = &p->step[i];
    const situ_address *a = &p->address[s->address];
    char *few[SITU_FUSED_LOADS + SITU_FUSED_STORES + 2], **address = few;
    if (s->naddress > sizeof few / sizeof *few && !(address = situ_malloc(s->naddress * sizeof *address))) {
        fault_at(l, SITU_NO_MEMORY, i);
        return;
    }
    for (uint32_t k = 0; k < s->naddress; k++)
        address[k] = l->base[a[k].place] + a[k].offset + (a[k].dynamic >= 0 ? l->dynamic[a[k].dynamic] : 0);
    situ_dev *d = p->dev[s->device];
    int rc;
    double start = l->number ? situ_seconds() : 0;
    if (s->kind == SITU_PLAN_COPY) {
        wait_leaf(l, i);
        if (l->number) start = situ_seconds();
        rc = run_copy(l, s, address);
    } else {
        rc = d->backend->launch(d, s->kernel, address, l->word + s->word, &l->fault);
    }
    bool alone = d->backend->finish && /* then its time and its results are measured separately, or are reproducible */
        (l->number || l->plan->apart || (l->plan->alone && !d->backend->bit_equal));
    if (rc) device_fault_at(l, s->kind == SITU_PLAN_COPY && d->device.kind == SITU_CPU ? p->dev[s->from_device] : d, -rc, i);
    else if (s->can_fail && l->fault.code) fault_at(l, l->fault.code, i);
    if (alone) finish_until(l, s->device, i + 1);
    if (l->number) trace_step(l, i, start);
    int64_t nan = p->apart && !l->fault.code ? situ_digest_step(l, i, address) : -1;
    if (nan >= 0 && situ_fault_set(&l->fault, SITU_NAN, nan, 0)) fault_at(l, SITU_NAN, i);
    if (address != few) situ_free(address);
}

/* Decides, once all devices have run everything else, whether the updates are made: all of them or none. */
static void decide(situ_launch *l)
{
    if (l->fault.code) situ_launch_spread(l);
    for (uint32_t i = 0; i < l->leaves && !l->fault.code; i++)
        if (l->leaf[i].written)
            atomic_store(&l->leaf[i].buffer->failed, NULL); /* it gets a new value now, even if its last one failed */
}

static void arrive(situ_launch *l, bool waits)
{
    if (l->plan->ndev == 1) {
        decide(l);
        return;
    }
    situ_mutex_lock(&l->lock);
    if (--l->undecided == 0) {
        decide(l);
        l->decided = true;
        situ_condition_broadcast(&l->changed);
    }
    while (waits && !l->decided) situ_condition_wait(&l->changed, &l->lock);
    situ_mutex_unlock(&l->lock);
}

static void finish(situ_launch *l)
{
    if (l->fault.code && !l->failed) situ_launch_spread(l);
    if (l->plan->ndev == 1) situ_bound_publish(l, 0); /* else in the order of each device's jobs, below */
    situ_launch_free(l);
}

static void trace_memory(const situ_launch *l, int device)
{
    const situ_plan *p = l->plan;
    situ_memory m;
    if (l->number && !situ_memory_of(p->dev[device]->device, &m))
        situ_trace_add(&(situ_trace_event){.name = "memory",
            .track = SITU_TRACK_MEMORY,
            .device = p->dev[device]->device,
            .start = situ_seconds(),
            .bytes = m.in_use});
}

typedef struct lanes {
    situ_launch *launch;
    uint32_t first, end;
} lanes;

static void run_lane(void *context, int64_t lane)
{
    const lanes *w = context;
    for (uint32_t i = w->first; i < w->end; i++)
        if (w->launch->plan->step[i].lane == lane) run_step(w->launch, i);
}

/* Runs small steps concurrently, if there are threads for them. Returns the index of the next step. */
static uint32_t run_beside(situ_launch *l, uint32_t first)
{
    const situ_plan_step *s = &l->plan->step[first];
    lanes w = {l, first, first + s->beside};
    if (situ_pool_width() < 2) return first;
    situ_pool_run(run_lane, &w, s->lanes);
    return w.end;
}

/* Can the device itself skip the updates after a failure (slot `guard`)? Only if no other device waits for the
 * decision and the old values are still needed. */
static bool is_guarded(const situ_launch *l, int device)
{
    situ_dev *d = l->plan->dev[device];
    if (!d->backend->guard || l->plan->ndev > 1 || l->number || l->plan->apart || l->fault.code) return false;
    for (uint32_t i = 0; i < l->leaves; i++)
        if (l->leaf[i].written && atomic_load(&l->leaf[i].buffer->failed)) return false;
    return d->backend->guard(d);
}

/* Called before the first step that overwrites variables; true: the device guards them. */
static bool before_updates(situ_launch *l, int device, uint32_t step)
{
    /* a single device whose kernels cannot fail need not wait here */
    bool guarded = l->plan->can_fail && is_guarded(l, device);
    if (!guarded && (l->plan->ndev > 1 || l->plan->can_fail)) finish_until(l, device, step);
    arrive(l, true);
    return guarded;
}

/* Waits for a job of another lane; shown in the trace if that is an exchange between processes. */
static void wait_for_job(const situ_launch *l, int device, uint64_t stamp)
{
    situ_dev *d = l->plan->dev[device];
    bool traced = l->number && situ_stamp_is_of_ranks(stamp); /* `situ simulate` records even those that are complete already */
    double start = traced ? situ_seconds() : 0;
    situ_stamp_wait(d, stamp);
    if (traced)
        situ_trace_add(&(situ_trace_event){
            .name = "wait for ranks", .track = SITU_TRACK_COMPUTE, .device = d->device, .start = start, .end = situ_seconds()});
}

void (*_Atomic situ_forget)(situ_dev *d, void *address, size_t bytes);

static void forget_intermediates(const situ_launch *l, int device)
{
    void (*forget)(situ_dev *, void *, size_t) = situ_forget;
    if (forget && l->arena[device]) forget(l->plan->dev[device], l->arena[device]->address, l->arena[device]->bytes);
}

void situ_launch_job(void *argument)
{
    typeof(((situ_launch *)0)->job[0]) *job = argument;
    situ_launch *l = job->launch;
    const situ_plan *p = l->plan;
    bool arrived = false, guarded = false, updates = false, before = situ_thread_state.in_launch;
    situ_thread_state.in_launch = true;
    for (int i = 0; i < job->after; i++) wait_for_job(l, job->device, l->after[i]);
    for (uint32_t i = 0; i < l->leaves; i++)
        if (!l->leaf[i].written && atomic_load_explicit(&l->leaf[i].buffer->failed, memory_order_relaxed))
            fault_at(l, SITU_BAD_ARGUMENT, 0);
    for (uint32_t i = 0; i < p->nstep; i++) {
        for (uint32_t next; i < p->nstep && p->step[i].beside && (next = run_beside(l, i)) > i;) i = next;
        if (i == p->nstep) break;
        const situ_plan_step *s = &p->step[i];
        if (s->device != job->device) continue;
        if (s->waits_for >= 0) follow(l, job->device, i);
        if (s->update && !arrived) {
            guarded = before_updates(l, job->device, i);
            arrived = true;
        }
        if (!(s->update && l->fault.code)) run_step(l, i);
        if (s->update && !l->fault.code) updates = true;
        if (updates && !guarded) l->updated = true;
        if (s->signals) pass_on(l, job->device, i);
    }
    forget_intermediates(l, job->device);
    int broke = l->fault.code, rc = finish_until(l, job->device, p->nstep);
    if (guarded) l->updated = updates && (broke || rc < 0); /* if an error word was set, they did nothing */
    if (rc > 0 && p->ndev == 1) l->updated = false;
    if (!arrived) arrive(l, job->waits);
    trace_memory(l, job->device);
    if (p->ndev > 1) situ_bound_publish(l, job->device);
    situ_ahead_less(l, job->device);
    if (atomic_fetch_sub(&l->unfinished, 1) == 1) finish(l);
    situ_thread_state.in_launch = before;
}
