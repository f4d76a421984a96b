#include "run/enqueue.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/queue.h"
#include "base/runtime.h"
#include <situ/ops.h>
#include "graph/op.h"
#include "plan/build.h"
#include "run/launch.h"

static situ_walk walk;

static int scope_flush(situ_scope *scope, bool closing);
static void thread_ends(situ_thread *th) { situ_outbox_unref(th->outbox); }
__attribute__((constructor)) static void install(void)
{
    situ_scope_flush = scope_flush;
    situ_thread_ends = thread_ends;
}

static void forget_plans(void)
{
    pthread_mutex_lock(&situ_planner);
    situ_plan_cache_free();
    situ_walk_free(&walk);
    pthread_mutex_unlock(&situ_planner);
}

static bool debug_plan(void)
{
    const char *debug = getenv("SITU_DEBUG");
    return debug && strstr(debug, "plan");
}

static situ_plan *plan_for(bool fusing, situ_site site)
{
    situ_hash key = situ_walk_key(&walk, fusing);
    situ_plan *p = situ_plan_find(key);
    if (p) return p;
    if (!(p = situ_plan_make(&walk, fusing, site))) return NULL;
    p->key = key;
    situ_plan_keep(p);
    if (debug_plan()) situ_plan_print(stderr, p);
    return p;
}

/* ---- the ledger ------------------------------------------------------------------------------------------------- */

static situ_transfer transfer_of(const situ_dev *from, const situ_dev *to)
{
    return from->device.kind == SITU_CPU ? SITU_TRANSFER_UPLOAD : to->device.kind == SITU_CPU ? SITU_TRANSFER_DOWNLOAD : SITU_TRANSFER_PEER;
}

/* First all copies are allowed, then all are recorded. */
static int account(const situ_plan *p)
{
    int64_t count[3] = {0}, bytes[3] = {0};
    if (p->ndev < 2) return 0;
    for (uint32_t i = 0; i < p->nstep; i++) {
        const situ_step *s = &p->step[i];
        if (s->kind != SITU_STEP_COPY) continue;
        situ_transfer t = transfer_of(p->dev[s->from_device], p->dev[s->device]);
        situ_site site = s->node >= 0 ? walk.node[s->node]->site : NULL;
        count[t - 1]++;
        bytes[t - 1] += s->bytes;
        int rc = situ_ledger_allow(t, count[t - 1], bytes[t - 1], site);
        if (rc) return rc;
    }
    for (uint32_t i = 0; i < p->nstep; i++) {
        const situ_step *s = &p->step[i];
        if (s->kind != SITU_STEP_COPY) continue;
        const situ_dev *from = p->dev[s->from_device], *to = p->dev[s->device];
        situ_ledger_add(&(situ_ledger_entry){.transfer = transfer_of(from, to), .reason = SITU_REASON_COPY, .from = from->device,
                                             .to = to->device, .bytes = s->bytes, .site = s->node >= 0 ? walk.node[s->node]->site : NULL});
    }
    return 0;
}

/* ---- what a launch means for the nodes ------------------------------------------------------------------------------- */

static void settle_outputs(const situ_plan *p, const situ_launch *l)
{
    for (uint32_t i = 0; i < p->noutput; i++) {
        const situ_output *o = &p->output[i];
        situ_tensor *t = walk.node[o->node];
        situ_buffer *b;
        int64_t base = 0;
        if (o->place < 0) {
            b = walk.node[o->leaf]->buffer;
            base = walk.node[o->leaf]->offset;
        } else {
            b = l->room[p->place[o->place].of];
        }
        if (o->strided && !(t->stride = situ_node_strides(t, o->stride))) continue;
        t->buffer = situ_buffer_ref(b);
        t->offset = base + o->offset + (o->dynamic >= 0 ? l->dynamic[o->dynamic] : 0);
        t->flags |= SITU_NODE_ASKED;
    }
}

/* The nodes that stood for the overwritten value have it no longer. */
static void overwrite_reads(situ_slot *s, const situ_buffer *old)
{
    for (uint32_t i = 0; i < s->read_count; i++) {
        situ_tensor *t = s->read[i];
        if (t->buffer != old) continue;
        situ_buffer_unref(t->buffer);
        t->buffer = NULL;
        t->op = &situ_op_stored;
        t->flags |= SITU_NODE_OVERWRITTEN;
    }
}

static void settle_updates(const situ_plan *p, const situ_launch *l, situ_site site)
{
    for (uint32_t i = 0; i < p->nupdate; i++) {
        const situ_update *u = &p->update[i];
        const situ_assignment *a = &walk.assignment[u->assignment];
        situ_slot *s = a->slot;
        situ_tensor *t = walk.node[a->value];
        if (u->room < 0) {
            overwrite_reads(s, s->buffer);
        } else {
            if (s->buffer) situ_buffer_unref(s->buffer);
            s->buffer = situ_buffer_ref(l->room[u->room]);
        }
        s->pending = NULL;
        s->version++;
        s->overwritten_at = t->site ? t->site : site;
        if (!t->buffer && !situ_slot_add_read(s, t)) {
            t->buffer = situ_buffer_ref(s->buffer);
            t->flags |= SITU_NODE_READ | (s->trainable ? SITU_NODE_TRAINABLE : 0);
        }
    }
}

static void settle_ran(void)
{
    for (uint32_t i = 0; i < walk.count; i++) {
        situ_tensor *t = walk.node[i];
        if (walk.flags[i] & SITU_WALK_LEAF || t->flags & SITU_NODE_RAN) continue;
        t->flags |= SITU_NODE_RAN;
        situ_tensor **in = situ_node_in(t);
        for (int k = 0; k < t->nin; k++) {
            if (in[k]->flags & SITU_NODE_POISON) continue;
            if (in[k]->scope) in[k]->readers--;
            else __atomic_fetch_sub(&in[k]->readers, 1, __ATOMIC_RELAXED);
        }
    }
}

static void drop_dirty(situ_slot *const *slot, uint32_t slots)
{
    situ_thread *th = &situ_thread_state;
    for (uint32_t i = 0; i < slots; i++)
        for (uint32_t k = 0; k < th->dirty_count; k++)
            if (th->dirty[k] == slot[i]) {
                memmove(th->dirty + k, th->dirty + k + 1, (th->dirty_count - k - 1) * sizeof *th->dirty);
                th->dirty_count--;
                break;
            }
}

static int enqueue(situ_tensor *const *root, uint32_t roots, uint32_t asked, situ_slot *const *slot, uint32_t slots,
                   bool will_wait, situ_site site)
{
    situ_thread *th = &situ_thread_state;
    int rc = situ_walk_collect(&walk, root, roots, slot, slots, site);
    if (!rc) rc = situ_walk_decide(&walk, root, asked);
    if (rc) return rc;
    bool work = slots > 0;
    for (uint32_t i = 0; i < walk.count && !work; i++) work = !(walk.flags[i] & SITU_WALK_LEAF);
    if (!work) return 0;
    situ_plan *p = plan_for(!th->no_fusing, site);
    if (!p) return -situ_error_code;
    rc = account(p);
    situ_launch *l = rc ? NULL : situ_launch_new(p, &walk, site);
    if (!l) {
        situ_plan_unref(p);
        return -situ_error_code;
    }
    if (walk.recomputes) situ_ledger_add(&(situ_ledger_entry){.transfer = SITU_TRANSFER_RECOMPUTE, .site = site});
    settle_outputs(p, l);
    settle_updates(p, l, site);
    settle_ran();
    situ_launch_submit(l, will_wait);
    situ_plan_unref(p);
    return 0;
}

int situ_enqueue(situ_tensor *const *root, uint32_t roots, uint32_t asked, situ_slot *const *slot, uint32_t slots,
                 bool will_wait, situ_site site)
{
    if (situ_error_code) return -situ_error_code;
    situ_at_shutdown(forget_plans);
    pthread_mutex_lock(&situ_planner);
    int rc = enqueue(root, roots, asked, slot, slots, will_wait, site);
    pthread_mutex_unlock(&situ_planner);
    if (!rc) drop_dirty(slot, slots);
    return rc;
}

/* ---- scopes --------------------------------------------------------------------------------------------------------- */

/* The older half of what is pending is computed: what nobody has read yet is stored, and what the younger half reads. */
static int spill(situ_scope *scope, situ_site site)
{
    uint32_t from = scope->enqueued, to = from + (scope->count - from) / 2, n = 0, idle = 0;
    situ_tensor **root = situ_malloc((to - from) * sizeof *root);
    if (!root) return situ_fail(SITU_NO_MEMORY, site, "out of host memory for the graph");
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = from; i < to; i++) {
            situ_tensor *t = scope->node[i];
            bool pending = !t->buffer && !(t->flags & (SITU_NODE_RAN | SITU_NODE_POISON | SITU_NODE_SCALAR)) && t->op->family != SITU_LEAF;
            if (!pending || (t->readers == 0) != (pass == 0)) continue;
            root[n++] = t;
            idle += pass == 0;
        }
    scope->enqueued = to;
    int rc = n ? situ_enqueue(root, n, idle, NULL, 0, false, site) : 0;
    situ_free(root);
    return rc;
}

static int scope_flush(situ_scope *scope, bool closing)
{
    situ_thread *th = scope->thread;
    if (!closing) return spill(scope, NULL);
    uint32_t roots = 0, slots = 0, n = 0;
    for (situ_heap *h = scope->kept; h; h = h->next) roots += h->target && !h->target->buffer;
    situ_tensor **root = roots ? situ_malloc(roots * sizeof *root) : NULL;
    situ_slot **slot = th->dirty_count ? situ_malloc(th->dirty_count * sizeof(*slot)) : NULL;
    for (situ_heap *h = scope->kept; h && root; h = h->next)
        if (h->target && !h->target->buffer) root[n++] = h->target;
    for (uint32_t i = 0; i < th->dirty_count && slot; i++)
        if (th->dirty[i]->pending && th->dirty[i]->pending->scope == scope) slot[slots++] = th->dirty[i];
    int rc = n || slots ? situ_enqueue(root, n, n, slot, slots, false, NULL) : 0;
    if (rc) { /* the variables keep their values */
        for (uint32_t i = 0; i < slots; i++) slot[i]->pending = NULL;
        drop_dirty(slot, slots);
    }
    situ_free(root);
    situ_free(slot);
    return rc;
}

int situ_compute(situ_tensor **t, int count, bool will_wait, situ_site site)
{
    situ_thread *th = situ_thread_get();
    if (!th) return -situ_error_code;
    bool pending = false;
    for (int i = 0; i < count; i++) {
        if (!situ_usable(&t[i], 1, "situ_eval", site)) return -situ_error_code;
        if (!(t[i] = situ_resolve(t[i], site))) return -situ_error_code;
        if (t[i]->flags & SITU_NODE_SCALAR) { /* a number becomes a tensor on the default device */
            situ_tensor *x = (situ_add)(t[i], situ_scalar_int(0), site);
            t[i] = x;
            if (x->flags & SITU_NODE_POISON) return -situ_error_code;
        }
        pending |= !t[i]->buffer;
    }
    if (!pending && !th->dirty_count) return 0;
    if (!pending) { /* stored already: no reason to start the assignments now, unless there is nothing else to do */
        if (will_wait) return 0;
    }
    situ_tensor *few[8], **root = count > 8 ? situ_malloc(sizeof *root * (size_t)count) : few;
    uint32_t slots = th->dirty_count;
    situ_slot **slot = slots ? situ_malloc(slots * sizeof(*slot)) : NULL;
    int rc = !root || (slots && !slot) ? situ_fail(SITU_NO_MEMORY, site, "out of host memory to run a plan") : 0;
    if (!rc) {
        memcpy(root, t, sizeof *root * (size_t)count);
        if (slots) memcpy(slot, th->dirty, slots * sizeof(*slot));
        rc = situ_enqueue(root, (uint32_t)count, (uint32_t)count, slot, slots, will_wait, site);
    }
    if (root != few) situ_free(root);
    situ_free(slot);
    return rc;
}

int situ_await(situ_buffer *b)
{
    uint64_t ready = atomic_load(&b->ready);
    if (ready && b->dev->queue) situ_queue_wait(b->dev->queue, ready);
    situ_failure *f = atomic_load(&b->failed);
    if (!f) return 0;
    situ_thread *th = &situ_thread_state;
    if (th->outbox) { /* reported now */
        situ_failure *same = f;
        atomic_compare_exchange_strong(&th->outbox->failure, &same, NULL);
    }
    return situ_failure_raise(f);
}

int situ_eval_at(situ_tensor *const *tensors, int count, situ_site site)
{
    if (situ_error_code) return -situ_error_code;
    if (count < 0 || (count && !tensors)) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_eval: no tensors were given");
    situ_tensor *few[8], **t = count > 8 ? situ_malloc(sizeof *t * (size_t)count) : few;
    if (!t) return situ_fail(SITU_NO_MEMORY, site, "situ_eval: out of host memory");
    memcpy(t, tensors, sizeof *t * (size_t)count);
    int rc = situ_compute(t, count, false, site);
    if (t != few) situ_free(t);
    return rc;
}

static int wait_all(situ_site site)
{
    situ_thread *th = situ_thread_get();
    situ_outbox *o = th ? th->outbox : NULL;
    for (int i = 0; o && i < o->devices; i++) {
        bool remote = o->last[i].dev->device.kind != SITU_CPU;
        if (remote && situ_ledger_allow(SITU_TRANSFER_WAIT, 1, 0, site)) return -situ_error_code;
        double start = situ_seconds();
        situ_queue_wait(o->last[i].dev->queue, o->last[i].sequence);
        if (remote) situ_ledger_add(&(situ_ledger_entry){.transfer = SITU_TRANSFER_WAIT, .reason = SITU_REASON_WAIT, .from = o->last[i].dev->device,
                                                         .site = site, .seconds = situ_seconds() - start});
    }
    situ_failure *f = o ? atomic_exchange(&o->failure, NULL) : NULL;
    return f ? situ_failure_raise(f) : 0;
}

int situ_wait_at(situ_tensor *t, situ_site site)
{
    if (situ_error_code) return -situ_error_code;
    if (!t) {
        int rc = situ_compute(NULL, 0, false, site);
        return rc ? rc : wait_all(site);
    }
    int rc = situ_compute(&t, 1, false, site);
    if (rc) return rc;
    bool remote = t->device.kind != SITU_CPU;
    if (remote && (rc = situ_ledger_allow(SITU_TRANSFER_WAIT, 1, 0, site))) return rc;
    double start = situ_seconds();
    rc = situ_await(t->buffer);
    if (remote) situ_ledger_add(&(situ_ledger_entry){.transfer = SITU_TRANSFER_WAIT, .reason = SITU_REASON_WAIT, .from = t->device, .site = site,
                                                     .seconds = situ_seconds() - start});
    return rc;
}

bool situ_fusing(bool on)
{
    situ_thread *th = situ_thread_get();
    bool before = th && !th->no_fusing;
    if (th) th->no_fusing = !on;
    return before;
}
