#include "run/launch.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "base/queue.h"
#include "device/trace.h"
#include "run/digest.h"
#include "tensor/shape.h"

static situ_label label_of(const situ_tensor *t)
{
    situ_label l = {.name = t->name ? t->name : t->op->name, .site = t->site, .dtype = t->dtype, .ndim = t->ndim};
    memcpy(l.dim, t->dim, 8 * (size_t)t->ndim);
    return l;
}

static void bind_dynamic(situ_launch *l, const situ_walk *w)
{
    const situ_plan *p = l->plan;
    for (uint32_t i = 0; i < p->ndynamic; i++) {
        const situ_dynamic *d = &p->dynamic[i];
        const uint64_t *word = situ_node_word(w->node[d->node]);
        int64_t offset = d->base >= 0 ? l->dynamic[d->base] : 0;
        for (int k = 0; k < d->count; k++) offset += (int64_t)word[k] * d->coefficient[k];
        l->dynamic[i] = offset;
    }
    for (uint32_t i = 0; i < p->nword; i++) {
        const situ_word_source *s = &p->word[i];
        l->word[i] = s->node < 0 ? s->constant : situ_node_word(w->node[s->node])[s->index];
    }
    for (uint32_t i = 0; i < p->nstep && l->site; i++) l->site[i] = p->step[i].node >= 0 ? w->node[p->step[i].node]->site : NULL;
}

static int reserve(situ_launch *l, const situ_walk *w, situ_site site)
{
    const situ_plan *p = l->plan;
    static const situ_label intermediates = {.name = "intermediate values of one plan", .dtype = SITU_U8, .ndim = 0};
    for (int i = 0; i < p->ndev; i++)
        if (p->arena_bytes[i] && !(l->arena[i] = situ_buffer_new(p->dev[i], (size_t)p->arena_bytes[i], &intermediates, site))) return -situ_error_code;
    for (uint32_t i = 0; i < p->nroom; i++) {
        situ_label label = label_of(w->node[p->room[i].node]);
        l->room[i] = situ_buffer_new(p->dev[p->room[i].device], (size_t)p->room[i].bytes, &label, site);
        if (!l->room[i]) return -situ_error_code;
    }
    return 0;
}

static void add_leaf(situ_launch *l, situ_buffer *b, uint32_t place, bool written)
{
    typeof(l->leaf) leaf = &l->leaf[l->leaves++];
    leaf->buffer = b;
    leaf->place = place;
    leaf->written = written;
    leaf->owned = leaf->pinned = false;
}

/* A tensor that outlived a shutdown lies on a device that is gone. */
static int check_devices(const situ_plan *p, const situ_walk *w, situ_site site)
{
    for (uint32_t i = 0; i < p->nplace; i++) {
        const situ_place *at = &p->place[i];
        const situ_buffer *b = at->kind == SITU_PLACE_LEAF ? w->node[at->of]->buffer : at->kind == SITU_PLACE_SLOT ? w->assignment[at->of].slot->buffer : NULL;
        if (b && b->dev != p->dev[at->device])
            return situ_fail(SITU_DEVICE_LOST, site, "%s was stored before situ_shutdown closed its device; read it and make it anew",
                             at->kind == SITU_PLACE_LEAF ? w->node[at->of]->op->name : "the variable");
    }
    return 0;
}

/* Where several devices work their jobs wait for each other: all of them must get on their queues. */
static int reserve_queues(const situ_plan *p)
{
    for (int i = 0; i < p->ndev && p->ndev > 1; i++) {
        int rc = situ_queue_reserve(p->dev[i]->queue);
        if (rc) return rc;
    }
    return 0;
}

static bool keeps_sites(const situ_plan *p)
{
    bool remote = false;
    for (int i = 0; i < p->ndev; i++) remote |= p->dev[i]->device.kind != SITU_CPU; /* it may be lost at any step */
    return remote || p->can_fail || situ_tracing() || situ_digesting();
}

static void bind_places(situ_launch *l, const situ_walk *w)
{
    const situ_plan *p = l->plan;
    for (uint32_t i = 0; i < p->nplace; i++) {
        const situ_place *at = &p->place[i];
        switch (at->kind) {
        case SITU_PLACE_LEAF: {
            const situ_tensor *t = w->node[at->of];
            l->base[i] = t->buffer->address + t->offset;
            add_leaf(l, t->buffer, i, false);
            break;
        }
        case SITU_PLACE_ARENA: l->base[i] = l->arena[at->device]->address + at->offset; break;
        case SITU_PLACE_OUTPUT: l->base[i] = l->room[at->of]->address; break;
        case SITU_PLACE_SLOT:
            l->base[i] = w->assignment[at->of].slot->buffer->address;
            add_leaf(l, w->assignment[at->of].slot->buffer, i, true);
            break;
        }
    }
    for (uint32_t i = 0; i < p->nupdate; i++) {
        const situ_update *u = &p->update[i];
        if (u->room < 0 || !w->assignment[u->assignment].slot->buffer) continue;
        l->fresh[l->nfresh].before = situ_buffer_ref(w->assignment[u->assignment].slot->buffer);
        l->fresh[l->nfresh].after = l->room[u->room];
        l->fresh[l->nfresh++].bytes = u->bytes;
    }
}

situ_launch *situ_launch_new(situ_plan *p, const situ_walk *w, situ_site site)
{
    size_t bytes = sizeof(situ_launch) + p->nplace * (sizeof(char *) + sizeof *((situ_launch *)0)->leaf) + p->ndynamic * 8u +
                   p->nword * 8u + p->nroom * sizeof(situ_buffer *) + p->nupdate * sizeof *((situ_launch *)0)->fresh +
                   (keeps_sites(p) ? p->nstep * sizeof(situ_site) : 0) + (p->ndev > 1 ? p->nstep * (sizeof(int) + sizeof(double) + sizeof(void *)) : 0);
    situ_launch *l = situ_malloc(bytes);
    situ_outbox *o = l ? situ_outbox_get() : NULL;
    if (!o) {
        situ_free(l);
        situ_fail(SITU_NO_MEMORY, site, "out of host memory to run a plan");
        return NULL;
    }
    memset(l, 0, offsetof(situ_launch, job) + (size_t)p->ndev * sizeof *l->job);
    l->plan = p;
    char *at = (char *)(l + 1);
    l->base = (void *)at, at += p->nplace * sizeof *l->base;
    l->leaf = (void *)at, at += p->nplace * sizeof *l->leaf;
    l->dynamic = (void *)at, at += p->ndynamic * 8u;
    l->word = (void *)at, at += p->nword * 8u;
    if (p->ndev > 1) {
        l->signalled = (void *)at, at += p->nstep * sizeof(double);
        l->mark = (void *)at, at += p->nstep * sizeof(void *);
        memset(l->mark, 0, p->nstep * sizeof(void *));
    }
    l->room = (void *)at, at += p->nroom * sizeof *l->room;
    l->fresh = (void *)at, at += p->nupdate * sizeof *l->fresh;
    if (keeps_sites(p)) l->site = (void *)at, at += p->nstep * sizeof *l->site;
    if (p->ndev > 1) {
        l->signal = (void *)at;
        memset(l->signal, 0, p->nstep * sizeof *l->signal);
        pthread_mutex_init(&l->lock, NULL);
        pthread_cond_init(&l->changed, NULL);
    }
    memset(l->room, 0, p->nroom * sizeof *l->room);
    atomic_fetch_add(&o->refs, 1);
    l->outbox = o;
    l->number = situ_trace_launch();
    if (situ_digesting()) situ_digest_launch(l);
    atomic_fetch_add(&p->refs, 1);
    if (check_devices(p, w, site) || reserve_queues(p) || reserve(l, w, site)) {
        situ_launch_free(l);
        return NULL;
    }
    bind_dynamic(l, w);
    bind_places(l, w);
    return l;
}

/* Is this memory read by another device, at a time that its own queue does not know? */
static bool read_by_others(const situ_plan *p, const situ_buffer *b)
{
    for (uint32_t k = 0; k < p->nstep && p->ndev > 1; k++)
        if (p->step[k].kind == SITU_STEP_COPY && p->dev[p->step[k].from_device] == b->dev) return true;
    return false;
}

void situ_launch_hold(situ_launch *l)
{
    for (uint32_t i = 0; i < l->leaves; i++) {
        situ_buffer *b = l->leaf[i].buffer;
        l->leaf[i].owned = read_by_others(l->plan, b);
        l->leaf[i].pinned = !l->leaf[i].owned;
        if (l->leaf[i].owned) situ_buffer_ref(b);
        else situ_buffer_pin(b);
    }
    for (uint32_t i = 0; i < l->plan->nroom; i++) {
        situ_buffer_pin(l->room[i]);
        situ_buffer_unref(l->room[i]);
    }
    l->pinned = true;
}

void situ_launch_free(situ_launch *l)
{
    for (uint32_t i = 0; i < l->leaves; i++) {
        if (l->leaf[i].pinned) situ_buffer_unpin(l->leaf[i].buffer);
        else if (l->leaf[i].owned) situ_buffer_unref(l->leaf[i].buffer);
    }
    for (uint32_t i = 0; i < l->nfresh; i++) situ_buffer_unref(l->fresh[i].before);
    for (uint32_t i = 0; i < l->plan->nroom; i++) {
        if (l->pinned) situ_buffer_unpin(l->room[i]);
        else situ_buffer_unref(l->room[i]);
    }
    for (int i = 0; i < l->plan->ndev; i++) situ_buffer_unref(l->arena[i]);
    for (uint32_t i = 0; i < l->plan->nstep && l->mark; i++) {
        situ_dev *d = l->plan->dev[l->plan->step[i].device];
        if (l->mark[i]) d->backend->unmark(d, l->mark[i]);
    }
    if (l->signal) {
        pthread_mutex_destroy(&l->lock);
        pthread_cond_destroy(&l->changed);
    }
    situ_outbox_unref(l->outbox);
    situ_plan_unref(l->plan);
    situ_free(l);
}

/* ---- running: on the queue's thread, or in the caller ---------------------------------------------------------------- */

/* Between backends that do not know each other. */
static int copy_by_host(situ_dev *to, void *to_address, situ_dev *from, const void *from_address, size_t bytes)
{
    void *host = situ_malloc(bytes);
    if (!host) return -SITU_NO_MEMORY;
    int rc = from->backend->download(from, host, from_address, bytes);
    if (!rc) rc = to->backend->upload(to, to_address, host, bytes);
    situ_free(host);
    return rc;
}

static int run_copy(situ_launch *l, const situ_step *s, char *const *address)
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
        pthread_mutex_lock(&l->lock);
        while (!atomic_load(&l->signal[step])) pthread_cond_wait(&l->changed, &l->lock);
        pthread_mutex_unlock(&l->lock);
    }
    situ_virtual_reach(l->signalled[step]);
}

static void give_signal(situ_launch *l, uint32_t step)
{
    pthread_mutex_lock(&l->lock);
    l->signalled[step] = situ_virtual;
    atomic_store(&l->signal[step], 1);
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
}

static void fault_at(situ_launch *l, int code, uint32_t step)
{
    int none = 0;
    situ_fault_set(&l->fault, code, 0, 0);
    if (l->fault.step == 0) atomic_compare_exchange_strong(&l->fault.step, &none, (int)step + 1);
}

/* A slot of the device failed in this thread just now. */
static void device_fault_at(situ_launch *l, situ_dev *d, int code, uint32_t step)
{
    const char *why = l->fault.code || !d->backend->why ? NULL : d->backend->why(d);
    if (why && *why) l->why = situ_site_intern(why);
    fault_at(l, code, step);
}

/* ---- devices that only start their work -------------------------------------------------------------------------- */

/* The step of the device's `which`-th launch from step `first` on; how many there are before `end`. */
static uint32_t step_of(const situ_plan *p, int device, uint32_t first, uint32_t end, int64_t which, int *count)
{
    uint32_t found = first;
    *count = 0;
    for (uint32_t i = first; i < end; i++) {
        if (p->step[i].device != device) continue;
        if (*count == 0 || (p->step[i].kind == SITU_STEP_KERNEL && which == 0)) found = i;
        which -= p->step[i].kind == SITU_STEP_KERNEL;
        ++*count;
    }
    return found;
}

/* Everything that the device's part of the launch has started, up to step `end`, is over. A negative code: the device failed;
 * 1: it failed before it overwrote any variable. */
static int settle(situ_launch *l, int device, uint32_t end)
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
    if (rc && !l->fault.code && count > 1) l->among = count - 1;
    if (rc) device_fault_at(l, d, -rc, step);
    else if (found.code && situ_fault_set(&l->fault, found.code, found.value, found.bound)) fault_at(l, found.code, step);
    return rc && found.code ? 1 : rc;
}

/* Other devices may go on from this step: those of the same backend need not wait for it on the host. */
static void pass_on(situ_launch *l, int device, uint32_t step)
{
    situ_dev *d = l->plan->dev[device];
    l->mark[step] = d->backend->mark && !l->number && !situ_digesting() ? d->backend->mark(d) : NULL;
    if (!l->mark[step]) settle(l, device, step + 1);
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

/* The leaf behind a copy's source may still be in the making on its own device. */
static void wait_leaf(situ_launch *l, uint32_t step)
{
    const situ_step *s = &l->plan->step[step];
    uint32_t place = l->plan->address[s->address + 1].place;
    for (uint32_t i = 0; i < l->leaves; i++) {
        situ_buffer *b = l->leaf[i].buffer;
        if (l->leaf[i].place != place) continue;
        if (b->dev->queue) situ_queue_wait(b->dev->queue, atomic_load(&b->ready));
        if (atomic_load(&b->failed)) fault_at(l, SITU_BAD_ARGUMENT, step);
        situ_virtual_reach(b->clock);
    }
}

/* What a failed step would have made, and all after it, is given to nobody. */
static bool is_pointless(situ_launch *l, uint32_t i)
{
    int failed = atomic_load_explicit(&l->fault.step, memory_order_relaxed);
    return failed && (int)i >= failed - 1;
}

static void trace_step(const situ_launch *l, uint32_t i, double start, double virtual_start)
{
    const situ_plan *p = l->plan;
    const situ_step *s = &p->step[i];
    const situ_dev *to = p->dev[s->device], *from = p->dev[s->from_device];
    bool copy = s->kind == SITU_STEP_COPY, first = true;
    situ_track track = !copy ? SITU_TRACK_COMPUTE : from->device.kind == SITU_CPU ? SITU_TRACK_UPLOAD : to->device.kind == SITU_CPU ? SITU_TRACK_DOWNLOAD : SITU_TRACK_PEER;
    for (uint32_t k = 0; k < i && first; k++) first = p->step[k].device != s->device;
    situ_trace_add(&(situ_trace_event){
        .name = s->name, .site = l->site ? l->site[i] : NULL, .track = track, .device = track == SITU_TRACK_DOWNLOAD ? from->device : to->device,
        .lane = s->lane, .start = start, .end = situ_seconds(), .virtual_start = virtual_start, .virtual_end = situ_virtual,
        .bytes = copy ? s->bytes : 0, .started_by = first ? l->number : 0});
}

static void run_step(situ_launch *l, uint32_t i)
{
    const situ_plan *p = l->plan;
    if (is_pointless(l, i)) return;
    const situ_step *s = &p->step[i];
    const situ_address *a = &p->address[s->address];
    char *few[SITU_GROUP_LOADS + SITU_GROUP_STORES + 2], **address = few;
    if (s->naddress > sizeof few / sizeof *few && !(address = situ_malloc(s->naddress * sizeof *address))) {
        fault_at(l, SITU_NO_MEMORY, i);
        return;
    }
    for (uint32_t k = 0; k < s->naddress; k++)
        address[k] = l->base[a[k].place] + a[k].offset + (a[k].dynamic >= 0 ? l->dynamic[a[k].dynamic] : 0);
    situ_dev *d = p->dev[s->device];
    int rc;
    double start = l->number ? situ_seconds() : 0, virtual_start = situ_virtual;
    if (s->kind == SITU_STEP_COPY) {
        wait_leaf(l, i);
        if (l->number) start = situ_seconds(), virtual_start = situ_virtual;
        rc = run_copy(l, s, address);
    } else {
        rc = d->backend->launch(d, s->kernel, address, l->word + s->word, &l->fault);
    }
    bool alone = (l->number || situ_digesting()) && d->backend->finish; /* its time, and its results, are its own */
    if (rc) device_fault_at(l, s->kind == SITU_STEP_COPY && d->device.kind == SITU_CPU ? p->dev[s->from_device] : d, -rc, i);
    else if (s->can_fail && l->fault.code) fault_at(l, l->fault.code, i);
    if (alone) settle(l, s->device, i + 1);
    if (l->number) trace_step(l, i, start, virtual_start);
    if (situ_digesting() && !l->fault.code) situ_digest_step(l, i, address);
    if (address != few) situ_free(address);
}

/* Everything has run but the updates, on all devices: now they are made, or none of them. */
static void decide(situ_launch *l)
{
    if (l->fault.code) situ_launch_spread(l);
    for (uint32_t i = 0; i < l->leaves && !l->fault.code; i++)
        if (l->leaf[i].written) atomic_store(&l->leaf[i].buffer->failed, NULL); /* it gets a value now, whatever became of its last one */
}

static void arrive(situ_launch *l, bool waits)
{
    if (l->plan->ndev == 1) {
        decide(l);
        return;
    }
    pthread_mutex_lock(&l->lock);
    if (l->decided_at < situ_virtual) l->decided_at = situ_virtual;
    if (--l->undecided == 0) {
        decide(l);
        l->decided = true;
        pthread_cond_broadcast(&l->changed);
    }
    while (waits && !l->decided) pthread_cond_wait(&l->changed, &l->lock);
    if (waits) situ_virtual_reach(l->decided_at);
    pthread_mutex_unlock(&l->lock);
}

static void finish(situ_launch *l)
{
    if (l->fault.code && !l->failed) situ_launch_spread(l);
    situ_launch_free(l);
}

__thread bool situ_launch_inside;

/* The device's part starts behind its last job and the call that started it; before: the caller's clock. */
static double start_clock(situ_launch *l, int device)
{
    double before = situ_virtual;
    situ_dev *d = l->plan->dev[device];
    situ_virtual = l->started;
    situ_virtual_reach(d->clock);
    for (uint32_t i = 0; i < l->leaves; i++)
        if (l->leaf[i].buffer->dev == d) situ_virtual_reach(l->leaf[i].buffer->clock);
    return before;
}

static void end_clock(situ_launch *l, int device, double before)
{
    const situ_plan *p = l->plan;
    atomic_store_explicit(&p->dev[device]->clock, situ_virtual, memory_order_relaxed);
    for (uint32_t i = 0; i < p->nroom; i++)
        if (p->room[i].device == device) atomic_store_explicit(&l->room[i]->clock, situ_virtual, memory_order_relaxed);
    for (uint32_t i = 0; i < l->leaves; i++)
        if (l->leaf[i].written && l->leaf[i].buffer->dev == p->dev[device])
            atomic_store_explicit(&l->leaf[i].buffer->clock, situ_virtual, memory_order_relaxed);
    situ_virtual = before;
    situ_memory m;
    if (l->number && !situ_memory_of(p->dev[device]->device, &m))
        situ_trace_add(&(situ_trace_event){.name = "memory", .track = SITU_TRACK_MEMORY, .device = p->dev[device]->device, .start = situ_seconds(), .bytes = m.in_use});
}

typedef struct lanes { situ_launch *launch; uint32_t first, end; } lanes;

static void run_lane(void *context, int64_t lane)
{
    const lanes *w = context;
    for (uint32_t i = w->first; i < w->end; i++)
        if (w->launch->plan->step[i].lane == lane) run_step(w->launch, i);
}

/* Small steps side by side, if there are threads for them; returns the number of the next step. */
static uint32_t run_beside(situ_launch *l, uint32_t first)
{
    const situ_step *s = &l->plan->step[first];
    lanes w = {l, first, first + s->beside};
    if (situ_pool_width() < 2) return first;
    situ_pool_run(run_lane, &w, s->lanes);
    return w.end;
}

/* Will the device itself leave out the updates where something has failed by then? Nobody else may wait to hear of it, and
 * what is overwritten must be worth keeping. */
static bool is_guarded(const situ_launch *l, int device)
{
    situ_dev *d = l->plan->dev[device];
    if (!d->backend->guard || l->plan->ndev > 1 || l->number || situ_digesting() || l->fault.code) return false;
    for (uint32_t i = 0; i < l->leaves; i++)
        if (l->leaf[i].written && atomic_load(&l->leaf[i].buffer->failed)) return false;
    return d->backend->guard(d);
}

/* Before the first step that overwrites variables; true: it is guarded. */
static bool before_updates(situ_launch *l, int device, uint32_t step)
{
    /* a device on its own, where nothing can go wrong but the device itself, need not stop for that */
    bool guarded = l->plan->can_fail && is_guarded(l, device);
    if (!guarded && (l->plan->ndev > 1 || l->plan->can_fail)) settle(l, device, step);
    arrive(l, true);
    return guarded;
}

static void run_job(void *argument)
{
    typeof(((situ_launch *)0)->job[0]) *job = argument;
    situ_launch *l = job->launch;
    const situ_plan *p = l->plan;
    bool arrived = false, guarded = false, updates = false, before = situ_launch_inside;
    situ_launch_inside = true;
    double clock = start_clock(l, job->device);
    for (uint32_t i = 0; i < l->leaves; i++)
        if (!l->leaf[i].written && atomic_load_explicit(&l->leaf[i].buffer->failed, memory_order_relaxed)) fault_at(l, SITU_BAD_ARGUMENT, 0);
    for (uint32_t i = 0; i < p->nstep; i++) {
        for (uint32_t next; i < p->nstep && p->step[i].beside && (next = run_beside(l, i)) > i;) i = next;
        if (i == p->nstep) break;
        const situ_step *s = &p->step[i];
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
    int broke = l->fault.code, rc = settle(l, job->device, p->nstep);
    if (guarded) l->updated = updates && (broke || rc < 0); /* where an error word was set, they did nothing */
    if (rc > 0 && p->ndev == 1) l->updated = false;
    if (!arrived) arrive(l, job->waits);
    end_clock(l, job->device, clock);
    if (atomic_fetch_sub(&l->unfinished, 1) == 1) finish(l);
    situ_launch_inside = before;
}

_Atomic int situ_outbox_generation;

static void stamp(situ_launch *l, situ_dev *d, uint64_t sequence)
{
    situ_outbox *o = l->outbox;
    int i = 0;
    if (o->generation != situ_outbox_generation) {
        o->generation = situ_outbox_generation;
        o->devices = 0;
    }
    while (i < o->devices && o->last[i].dev != d) i++;
    if (i == SITU_OUTBOX_DEVICES) return;
    if (i == o->devices) o->devices++;
    o->last[i].dev = d;
    o->last[i].sequence = sequence;
}

int situ_launch_submit(situ_launch *l, bool will_wait)
{
    situ_plan *p = l->plan;
    enum { SMALL_US = 60 };
    for (int i = 0; i < p->ndev; i++) {
        l->job[i].launch = l;
        l->job[i].device = i;
        /* who reads what this device stores must hear of a failure anywhere */
        for (uint32_t k = 0; k < p->nroom; k++) l->job[i].waits |= p->room[k].device == i;
        for (uint32_t k = 0; k < l->leaves; k++) l->job[i].waits |= l->leaf[k].written && l->leaf[k].buffer->dev == p->dev[i];
    }
    if (p->ndev == 0) {
        situ_launch_free(l);
        return 0;
    }
    l->unfinished = l->undecided = p->ndev;
    l->started = situ_virtual;
    situ_dev *d = p->dev[0];
    bool inline_ok = p->ndev == 1 && d->device.kind != SITU_GPU && d->device.kind != SITU_OPENCL;
    if (inline_ok && (p->cost * 1e6 < SMALL_US || (will_wait && situ_threads_live <= 1)) &&
        situ_queue_run_inline(d->queue, run_job, &l->job[0], NULL))
        return 0;
    situ_launch_hold(l);
    uint64_t next[SITU_PLAN_DEVICES];
    for (int i = 0; i < p->ndev; i++) { /* nothing runs before every buffer knows whom to wait for */
        next[i] = situ_queue_last(p->dev[i]->queue) + 1;
        stamp(l, p->dev[i], next[i]);
    }
    for (uint32_t i = 0; i < p->nroom; i++) atomic_store(&l->room[i]->ready, next[p->room[i].device]);
    for (uint32_t i = 0; i < l->leaves; i++)
        if (l->leaf[i].written)
            for (int k = 0; k < p->ndev; k++)
                if (p->dev[k] == l->leaf[i].buffer->dev) atomic_store(&l->leaf[i].buffer->ready, next[k]);
    situ_dev *dev[SITU_PLAN_DEVICES];
    int ndev = p->ndev;
    memcpy(dev, p->dev, sizeof dev); /* the launch may be gone after the last push */
    for (int i = 0; i < ndev; i++) {
        if (!situ_queue_push(dev[i]->queue, run_job, &l->job[i], NULL)) continue;
        situ_error_take(NULL); /* no memory for the queue: wait for it and run here, under the same number */
        do situ_queue_wait(dev[i]->queue, next[i] - 1);
        while (!situ_queue_run_inline(dev[i]->queue, run_job, &l->job[i], NULL));
    }
    return 0;
}

/* ---- what a thread started ------------------------------------------------------------------------------------------ */

situ_outbox *situ_outbox_get(void)
{
    situ_thread *th = situ_thread_get();
    if (!th) return NULL;
    if (!th->outbox && (th->outbox = situ_calloc(1, sizeof *th->outbox))) th->outbox->refs = 1;
    return th->outbox;
}

void situ_outbox_unref(situ_outbox *o)
{
    if (o && atomic_fetch_sub(&o->refs, 1) == 1) situ_free(o);
}
