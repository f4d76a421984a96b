#include "run/launch.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/queue.h"
#include "device/streams.h"
#include "device/trace.h"
#include "run/digest.h"

static situ_label label_of(const situ_tensor *t)
{
    situ_label l = {.name = situ_node_aside(t)->name ? situ_node_aside(t)->name : t->op->name,
        .site = t->site,
        .dtype = t->dtype,
        .ndim = t->ndim};
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
    for (uint32_t i = 0; i < p->nstep && l->site; i++) {
        const situ_tensor *t = p->step[i].node >= 0 ? w->node[p->step[i].node] : NULL;
        l->site[i] = t ? t->site : NULL;
        l->speaker[i] = t ? situ_node_aside(t)->speaker : NULL;
        if (t && !l->speaker[i] && t->op->family == SITU_COMPOSITE) l->speaker[i] = t->op->name;
    }
}

/* Launches of a lane share an arena. A plan over several devices has its own, because another device may read it at a
 * time that this device's queue does not order. */
static situ_buffer *arena_new(const situ_plan *p, int device, const situ_label *label, situ_site site)
{
    situ_dev *d = p->dev[device];
    size_t bytes = (size_t)p->arena_bytes[device];
    return p->ndev > 1 ? situ_buffer_new(d, bytes, label, site) : situ_buffer_arena(d, situ_launch_stream(d), bytes, label, site);
}

static int reserve(situ_launch *l, const situ_walk *w, situ_site site)
{
    const situ_plan *p = l->plan;
    static const situ_label intermediates = {.name = "intermediate values of one plan", .dtype = SITU_U8, .ndim = 0};
    for (int i = 0; i < p->ndev; i++)
        if (p->arena_bytes[i] && !(l->arena[i] = arena_new(p, i, &intermediates, site))) return -situ_error_code;
    for (uint32_t i = 0; i < p->npersistent; i++) {
        situ_label label = label_of(w->node[p->persistent[i].node]);
        l->persistent[i] = situ_buffer_new(p->dev[p->persistent[i].device], (size_t)p->persistent[i].bytes, &label, site);
        if (!l->persistent[i]) return -situ_error_code;
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

/* Refuses tensors of a device that was closed by situ_shutdown. */
static int check_devices(const situ_plan *p, const situ_walk *w, situ_site site)
{
    for (uint32_t i = 0; i < p->nplace; i++) {
        const situ_place *at = &p->place[i];
        const situ_buffer *b = at->kind == SITU_PLACE_LEAF ? w->node[at->of]->buffer :
            at->kind == SITU_PLACE_SLOT                    ? w->assignment[at->of].slot->buffer :
                                                             NULL;
        if (b && b->dev != p->dev[at->device])
            return situ_fail(SITU_DEVICE_LOST, site,
                "%s was stored before " SITU_SAY(
                    "situ_shutdown", "the end of the library") " closed its device; read it and make it anew",
                at->kind == SITU_PLACE_LEAF ? w->node[at->of]->op->name : "the variable");
    }
    return 0;
}

/* Reserves queue entries on all devices: their jobs wait for each other, so either all or none are enqueued. */
static int reserve_queues(const situ_plan *p)
{
    for (int i = 0; i < p->ndev && p->ndev > 1; i++) {
        int rc = situ_queue_reserve(situ_stream_queue(p->dev[i], situ_launch_stream(p->dev[i])));
        if (rc) return rc;
    }
    return 0;
}

static bool keeps_sites(const situ_plan *p)
{
    bool remote = false;
    for (int i = 0; i < p->ndev; i++) remote |= p->dev[i]->device.kind != SITU_CPU; /* such a device may be lost at any step */
    return remote || p->can_fail || situ_tracing() || p->apart;
}

static void bind_places(situ_launch *l, const situ_walk *w)
{
    const situ_plan *p = l->plan;
    for (uint32_t i = 0; i < p->nplace; i++) {
        const situ_place *at = &p->place[i];
        switch (at->kind) {
        case SITU_PLACE_LEAF: {
            const situ_tensor *t = w->node[at->of];
            l->base[i] = situ_node_address(t);
            add_leaf(l, t->buffer, i, false);
            break;
        }
        case SITU_PLACE_ARENA: l->base[i] = l->arena[at->device]->address + at->offset; break;
        case SITU_PLACE_OUTPUT: l->base[i] = l->persistent[at->of]->address + at->offset; break;
        case SITU_PLACE_SLOT:
            l->base[i] = w->assignment[at->of].slot->buffer->address;
            add_leaf(l, w->assignment[at->of].slot->buffer, i, true);
            break;
        }
    }
    for (uint32_t i = 0; i < p->nupdate; i++) {
        const situ_update *u = &p->update[i];
        if (u->persistent < 0 || !w->assignment[u->assignment].slot->buffer) continue;
        l->fresh[l->nfresh].before = situ_buffer_ref(w->assignment[u->assignment].slot->buffer);
        l->fresh[l->nfresh].after = l->persistent[u->persistent];
        l->fresh[l->nfresh++].bytes = u->bytes;
    }
}

/* A plan keeps the memory of one launch: for small plans allocating it would be a twentieth of the work. */
static situ_launch *take_memory(situ_plan *p)
{
    size_t bytes = sizeof(situ_launch) + p->nplace * (sizeof(char *) + sizeof *((situ_launch *)0)->leaf) + p->ndynamic * 8u +
        p->nword * 8u + p->npersistent * sizeof(situ_buffer *) + p->nupdate * sizeof *((situ_launch *)0)->fresh +
        p->nstep * (sizeof(situ_site) + sizeof(char *)) + (p->ndev > 1 ? p->nstep * (sizeof(int) + sizeof(void *)) : 0);
    void *kept = atomic_exchange(&p->launch, NULL);
    return kept ? kept : situ_malloc(bytes);
}

static void give_memory(situ_plan *p, situ_launch *l) { situ_free(atomic_exchange(&p->launch, l)); }

situ_launch *situ_launch_new(situ_plan *p, const situ_walk *w, situ_site site)
{
    situ_launch *l = take_memory(p);
    situ_outbox *o = l ? situ_outbox_get() : NULL;
    if (!o) {
        if (l) give_memory(p, l);
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
        l->mark = (void *)at, at += p->nstep * sizeof(void *);
        memset(l->mark, 0, p->nstep * sizeof(void *));
    }
    l->persistent = (void *)at, at += p->npersistent * sizeof *l->persistent;
    l->fresh = (void *)at, at += p->nupdate * sizeof *l->fresh;
    if (keeps_sites(p)) {
        l->site = (void *)at, at += p->nstep * sizeof *l->site;
        l->speaker = (void *)at, at += p->nstep * sizeof *l->speaker;
    }
    if (p->ndev > 1) {
        l->signal = (void *)at;
        memset(l->signal, 0, p->nstep * sizeof *l->signal);
        situ_mutex_init(&l->lock);
        situ_condition_init(&l->changed);
    }
    memset(l->persistent, 0, p->npersistent * sizeof *l->persistent);
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

/* Does another device read this memory, at a time not ordered by its own queue? */
static bool read_by_others(const situ_plan *p, const situ_buffer *b)
{
    for (uint32_t k = 0; k < p->nstep && p->ndev > 1; k++)
        if (p->step[k].kind == SITU_PLAN_COPY && p->dev[p->step[k].from_device] == b->dev) return true;
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
    for (uint32_t i = 0; i < l->plan->npersistent; i++) {
        situ_buffer_pin(l->persistent[i]);
        situ_buffer_unref(l->persistent[i]);
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
    for (uint32_t i = 0; i < l->plan->npersistent; i++) {
        if (l->pinned) situ_buffer_unpin(l->persistent[i]);
        else situ_buffer_unref(l->persistent[i]);
    }
    for (int i = 0; i < l->plan->ndev; i++) situ_buffer_unref(l->arena[i]);
    for (uint32_t i = 0; i < l->plan->nstep && l->mark; i++) {
        situ_dev *d = l->plan->dev[l->plan->step[i].device];
        if (l->mark[i]) d->backend->unmark(d, l->mark[i]);
    }
    if (l->signal) {
        situ_mutex_destroy(&l->lock);
        situ_condition_destroy(&l->changed);
    }
    situ_outbox_unref(l->outbox);
    situ_free(l->clock);
    situ_plan *p = l->plan;
    give_memory(p, l);
    situ_plan_unref(p);
}

_Atomic int situ_outbox_generation;

uint8_t situ_launch_stream(situ_dev *d)
{
    situ_thread *th = &situ_thread_state;
    if (d->device.kind != SITU_CPU || situ_digesting()) return 0;
    if (!th->lane) th->lane = situ_stream_take() + 1;
    return (uint8_t)situ_stream_open(d, th->lane - 1);
}

/* ---- work of a thread ----------------------------------------------------------------------------------------------- */

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
