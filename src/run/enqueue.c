#include "run/enqueue.h"
#include "base/debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/runtime.h"
#include "device/streams.h"
#include "device/thread.h"
#include "device/trace.h"
#include "device/virtual.h"
#include <situ/ops.h>
#include "graph/op.h"
#include "graph/owned.h"
#include "plan/build.h"
#include "run/ahead.h"
#include "run/apart.h"

static situ_walk walk;

void situ_raise_late(void)
{
    situ_outbox *o = situ_thread_state.outbox;
    situ_failure *f = o ? atomic_exchange(&o->failure, NULL) : NULL;
    if (f) situ_failure_raise(f);
}
void situ_thread_leaves(situ_thread *th)
{
    if (situ_debug(SITU_DEBUG_ERRORS) && !situ_error_code) situ_raise_late();
    situ_outbox_unref(th->outbox);
    if (th->lane) situ_stream_release(th->lane - 1);
}

/* Runs before the devices close: computes what is kept and pending. */
static void forget_plans(void)
{
    situ_thread_finish();
    situ_mutex_lock(&situ_planner);
    situ_outbox_generation++;
    situ_plan_cache_free();
    situ_walk_free(&walk);
    situ_mutex_unlock(&situ_planner);
}

static void trace_host(const char *name, double start, uint64_t starts, situ_site site)
{
    situ_trace_add(&(situ_trace_event){.name = name, .site = site, .start = start, .end = situ_seconds(), .starts = starts});
}

_Atomic int situ_steps_apart;

unsigned situ_plan_mode(void)
{
    return (situ_thread_state.no_fusing ? 0 : SITU_PLAN_FUSES) | (situ_guards_nan() ? SITU_PLAN_WATCHES : 0) |
        (situ_steps_apart ? SITU_PLAN_ALONE : 0);
}

static situ_plan *plan_for(unsigned mode, situ_site site)
{
    situ_hash key = situ_walk_key(&walk, mode);
    situ_plan *p = situ_plan_find(key);
    if (p) return p;
    double start = situ_tracing() ? situ_seconds() : 0;
    if (!(p = situ_plan_make(&walk, mode, site))) return NULL;
    if (situ_tracing()) trace_host("plan", start, 0, site);
    p->key = key;
    situ_plan_keep(p);
    if (situ_debug(SITU_DEBUG_PLAN)) situ_plan_print(stderr, p);
    return p;
}

/* ---- the ledger ------------------------------------------------------------------------------------------------- */

static situ_transfer transfer_of(const situ_dev *from, const situ_dev *to)
{
    return from->device.kind == SITU_CPU ? SITU_TRANSFER_UPLOAD :
        to->device.kind == SITU_CPU      ? SITU_TRANSFER_DOWNLOAD :
                                           SITU_TRANSFER_PEER;
}

/* Checks the guards before anything runs. */
static int allow_copies(const situ_plan *p)
{
    int64_t count[3] = {0}, bytes[3] = {0};
    for (uint32_t i = 0; i < p->nstep && p->ndev > 1; i++) {
        const situ_plan_step *s = &p->step[i];
        if (s->kind != SITU_PLAN_COPY || !s->bytes) continue;
        situ_transfer t = transfer_of(p->dev[s->from_device], p->dev[s->device]);
        count[t - 1]++;
        bytes[t - 1] += s->bytes;
        int rc = situ_ledger_allow(t, count[t - 1], bytes[t - 1], s->node >= 0 ? walk.node[s->node]->site : NULL);
        if (rc) return rc;
    }
    return 0;
}

/* One entry for all of a line. */
static void record_merged(const situ_plan *p)
{
    for (uint32_t i = 0, next; i < p->nmerged; i = next) {
        const situ_tensor *t = walk.node[p->merged[i]];
        for (next = i + 1; next < p->nmerged && walk.node[p->merged[next]]->site == t->site;) next++;
        situ_ledger_add(&(situ_ledger_entry){.transfer = SITU_TRANSFER_MERGE,
            .reason = SITU_REASON_EQUAL,
            .from = t->device,
            .to = t->device,
            .bytes = next - i,
            .site = t->site});
    }
}

static void record_copies(const situ_plan *p, situ_site site)
{
    for (uint32_t i = 0; i < p->nstep && p->ndev > 1; i++) {
        const situ_plan_step *s = &p->step[i];
        if (s->kind != SITU_PLAN_COPY || !s->bytes) continue;
        const situ_dev *from = p->dev[s->from_device], *to = p->dev[s->device];
        situ_ledger_add(&(situ_ledger_entry){.transfer = transfer_of(from, to),
            .reason = SITU_REASON_COPY,
            .from = from->device,
            .to = to->device,
            .bytes = s->bytes,
            .site = s->node >= 0 ? walk.node[s->node]->site : NULL});
    }
    record_merged(p);
    if (walk.recomputes) situ_ledger_add(&(situ_ledger_entry){.transfer = SITU_TRANSFER_RECOMPUTE, .site = site});
}

/* ---- effects of a launch on nodes ------------------------------------------------------------------------------------ */

/* Reserves all memory needed afterwards, so that nothing can fail once the work is enqueued. */
static int prepare(const situ_plan *p)
{
    for (uint32_t i = 0; i < p->noutput; i++) {
        const situ_output *o = &p->output[i];
        situ_tensor *t = walk.node[o->node];
        bool plain = !o->strided && o->place >= 0 && !o->offset && o->dynamic < 0;
        if (!plain && !situ_node_make_aside(t)) return -situ_error_code;
        if (o->strided && !(t->aside->stride = situ_node_strides(t, o->stride))) return -situ_error_code;
    }
    for (uint32_t i = 0; i < p->nupdate; i++)
        if (situ_slot_reserve_read(walk.assignment[p->update[i].assignment].slot)) return -situ_error_code;
    return 0;
}

static void store_outputs(const situ_plan *p, const situ_launch *l)
{
    for (uint32_t i = 0; i < p->noutput; i++) {
        const situ_output *o = &p->output[i];
        situ_tensor *t = walk.node[o->node];
        situ_buffer *b;
        int64_t base = 0;
        t->flags |= SITU_NODE_ASKED;
        if (t->buffer) continue; /* it was stored before */
        if (o->place < 0) {
            b = walk.node[o->leaf]->buffer;
            base = situ_node_aside(walk.node[o->leaf])->offset;
        } else {
            b = l->persistent[p->place[o->place].of];
        }
        t->buffer = situ_buffer_ref(b);
        if (!t->aside) continue;
        if (!o->strided) t->aside->stride = NULL;
        t->aside->offset = base + o->offset + (o->dynamic >= 0 ? l->dynamic[o->dynamic] : 0);
    }
}

/* Nodes that stood for the overwritten value lose it. The node that was assigned becomes a dropped one, which can be
 * computed again. */
static void overwrite_reads(situ_slot *s, const situ_buffer *old)
{
    for (uint32_t i = 0; i < s->read_count; i++) {
        situ_tensor *t = s->read[i];
        if (t->buffer != old) continue;
        situ_buffer_unref(t->buffer);
        t->buffer = NULL;
        t->flags &= (uint16_t)~SITU_NODE_READ;
        if (t->op->family == SITU_LEAF) t->flags |= SITU_NODE_OVERWRITTEN;
    }
}

/* Read nodes made while the value was pending become stored, as if they had been recorded later. Nodes of older values
 * are removed from the list. */
static void store_reads(situ_slot *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->read_count; i++) {
        situ_tensor *t = s->read[i];
        bool foreign = t->scope->thread != &situ_thread_state;
        if (!foreign && (!t->aside->version || t->aside->version != s->stored_version)) continue;
        s->read[kept++] = t;
        if (foreign || t->op == &situ_op_stored) continue;
        situ_note_ran(t);
        if (!t->buffer) t->buffer = situ_buffer_ref(s->buffer);
        if (situ_is_owned(t)) situ_owned_cut(t);
        t->op = &situ_op_stored;
    }
    s->read_count = kept;
}

static void store_updates(const situ_plan *p, const situ_launch *l, situ_site site)
{
    for (uint32_t i = 0; i < p->nupdate; i++) {
        const situ_update *u = &p->update[i];
        const situ_assignment *a = &walk.assignment[u->assignment];
        situ_slot *s = a->slot;
        situ_tensor *t = walk.node[a->value];
        situ_buffer *old = s->buffer;
        situ_slot_lock();
        if (u->persistent < 0) overwrite_reads(s, old);
        else s->buffer = situ_buffer_ref(l->persistent[u->persistent]);
        s->stored_version = s->version;
        s->overwritten_at = t->site ? t->site : site;
        store_reads(s);
        situ_slot_unlock();
        if (u->persistent >= 0) situ_buffer_unref(old);
        /* the node stands for the variable's value, even if it is stored for its own sake, too */
        if (situ_slot_add_read(s, t) || t->buffer) continue;
        t->buffer = situ_buffer_ref(s->buffer);
        t->flags |= SITU_NODE_READ;
    }
}

static void note_owned(void)
{
    for (uint32_t i = 0; i < walk.count; i++) {
        situ_tensor *t = walk.node[i];
        if (walk.flags[i] & SITU_WALK_FIRST && situ_is_owned(t)) situ_owned_ran(t);
    }
    for (uint32_t i = 0; i < walk.count; i++) {
        situ_tensor *t = walk.node[i];
        if (!(walk.flags[i] & SITU_WALK_LEAF)) situ_note_stored(t);
    }
}

static bool any_work(void)
{
    bool work = walk.assignments > 0;
    for (uint32_t i = 0; i < walk.count && !work; i++) work = !(walk.flags[i] & SITU_WALK_LEAF);
    return work;
}

__thread const situ_launch_watcher *situ_launch_watch;

static void tell(const situ_launch *l, double start, situ_site site)
{
    trace_host("launch", start, l->number, site);
    if (situ_launch_watch) situ_launch_watch->see(l->plan, &walk, situ_launch_watch->self);
}

/* 1: the thread is too far ahead of *full. */
static int launch_walk(bool will_wait, situ_dev **full, situ_site site)
{
    double start = situ_tracing() ? situ_seconds() : 0;
    situ_plan *p = plan_for(situ_plan_mode(), site);
    if (!p) return -situ_error_code;
    if (situ_ahead_any() && !situ_owned_recording(&situ_thread_state) && (*full = situ_ahead_full(p, &walk))) {
        situ_plan_unref(p);
        return 1;
    }
    situ_launch *l = allow_copies(p) || prepare(p) ? NULL : situ_launch_new(p, &walk, site);
    if (l) {
        record_copies(p, site);
        store_outputs(p, l);
        store_updates(p, l, site);
        if (walk.owned) note_owned();
        if (l->number) tell(l, start, site);
        situ_launch_submit(l, &walk, will_wait);
    }
    situ_plan_unref(p);
    return l ? 0 : -situ_error_code;
}

/* Takes the planner's lock. */
static int enqueue(situ_tensor *const *root, uint32_t roots, uint32_t asked, situ_slot *const *slot, uint32_t slots, bool will_wait,
    situ_site site)
{
    for (;;) {
        situ_dev *full = NULL;
        situ_mutex_lock(&situ_planner);
        walk.runs = true;
        int rc = situ_walk_collect(&walk, root, roots, slot, slots, site);
        if (!rc) rc = situ_walk_decide(&walk, root, asked);
        if (!rc && any_work()) rc = launch_walk(will_wait, &full, site);
        if (rc) situ_walk_undo(&walk);
        situ_mutex_unlock(&situ_planner);
        if (rc <= 0) return rc;
        situ_ahead_wait(full, site); /* then plans again: other threads may have computed something meanwhile */
    }
}

static int may_compute(situ_site site)
{
    if (situ_error_code) return -situ_error_code;
    if (situ_thread_state.in_launch)
        return situ_fail(
            SITU_BAD_ARGUMENT, site, "an operation's own function must not compute tensors; it is given all that it needs");
    situ_at_shutdown(SITU_END_WORK, forget_plans);
    return 0;
}

/* from this size on a copy costs more than a launch */
enum { MUCH_BYTES = 64 << 10 };

/* True if the slot's next value is the present one with a small part overwritten, and something reads it. In a plan of
 * its own the part is written in place. In one plan with its readers, which may fail later, the whole variable would
 * be copied. */
static bool is_read_part(const situ_slot *s)
{
    const situ_tensor *t = s->pending;
    if (!t || t->buffer || !s->buffer || t->op != &situ_op_update_slice) return false;
    int64_t bytes = (int64_t)situ_node_bytes(t), part = (int64_t)situ_node_bytes(situ_node_in(t)[1]);
    bool read = false;
    if (bytes < MUCH_BYTES || 4 * part > bytes) return false;
    situ_slot_lock();
    for (uint32_t i = 0; i < s->read_count && !read; i++) {
        const situ_tensor *r = s->read[i];
        if (r->scope->thread == &situ_thread_state) read = situ_node_aside(r)->version == s->version && r->readers > 0;
    }
    situ_slot_unlock();
    return read;
}

int situ_enqueue_parts(situ_site site)
{
    situ_thread *th = &situ_thread_state;
    for (uint32_t i = 0; i < th->dirty_count;) {
        situ_slot *s = th->dirty[i];
        if (!is_read_part(s)) {
            i++;
            continue;
        }
        int rc = may_compute(site) || enqueue(NULL, 0, 0, &s, 1, false, site) ? -situ_error_code : 0;
        situ_thread_clean(th, s);
        if (rc) return rc;
    }
    return 0;
}

int situ_enqueue(situ_tensor *const *root, uint32_t roots, uint32_t asked, bool assign, bool will_wait, situ_site site)
{
    situ_thread *th = &situ_thread_state;
    if (may_compute(site)) return -situ_error_code;
    int rc = assign && th->dirty_count ? situ_enqueue_parts(site) : 0;
    if (!rc) rc = enqueue(root, roots, asked, th->dirty, assign ? th->dirty_count : 0, will_wait, site);
    if (rc && roots && assign && th->dirty_count &&
        situ_error_code == SITU_OVERWRITTEN) { /* without the roots the updates may succeed */
        situ_error why;
        situ_error_take(&why);
        if (enqueue(NULL, 0, 0, th->dirty, th->dirty_count, false, site)) situ_error_take(NULL);
        rc = situ_fail(why.code, NULL, "%s", why.message);
    }
    /* they are done, or the plan failed and its variables keep their values */
    while (assign && th->dirty_count) situ_thread_clean(th, th->dirty[th->dirty_count - 1]);
    return rc;
}

int situ_enqueue_first_values(situ_site site)
{
    situ_thread *th = &situ_thread_state;
    if (may_compute(site)) return -situ_error_code;
    situ_slot **first = situ_malloc(th->dirty_count * sizeof(*first));
    if (!first) return situ_fail(SITU_NO_MEMORY, site, "out of host memory for a variable");
    uint32_t n = 0;
    for (uint32_t i = 0; i < th->dirty_count; i++)
        if (th->dirty[i]->pending && !th->dirty[i]->buffer) first[n++] = th->dirty[i];
    int rc = enqueue(NULL, 0, 0, first, n, false, site);
    while (n) situ_thread_clean(th, first[--n]);
    situ_free(first);
    return rc;
}

/* ---- scopes --------------------------------------------------------------------------------------------------------- */

/* Computes the older half of the pending nodes. Stores those without a reader yet, and those that the younger half
 * reads. */
static int spill_owned(situ_site site)
{
    int rc = situ_enqueue_owned(site);
    situ_owned_scope.enqueued = situ_owned_scope.count + SITU_MOST_PENDING;
    return rc;
}

static int spill(situ_scope *scope, situ_site site)
{
    if (scope == &situ_owned_scope) return spill_owned(site);
    uint32_t from = scope->enqueued, to = from + (scope->count - from) / 2, n = 0, idle = 0;
    situ_tensor **root = situ_malloc((to - from) * sizeof *root);
    if (!root) return situ_fail(SITU_NO_MEMORY, site, "out of host memory for the graph");
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = from; i < to; i++) {
            situ_tensor *t = scope->node[i];
            if (!situ_node_is_pending(t) || (t->readers == 0) != (pass == 0)) continue;
            root[n++] = t;
            idle += pass == 0;
        }
    scope->enqueued = to;
    int rc = n ? situ_enqueue(root, n, idle, true, false, site) : 0;
    situ_free(root);
    return rc;
}

/* Has this scope pending values of variables? The other function removes them. */
static bool assigned_in(const situ_thread *th, const situ_scope *scope)
{
    for (uint32_t i = 0; i < th->dirty_count; i++)
        if (th->dirty[i]->pending && th->dirty[i]->pending->scope == scope) return true;
    return false;
}

static void forget_assigned(situ_thread *th, const situ_scope *scope)
{
    for (uint32_t i = th->dirty_count; i-- > 0;)
        if (!th->dirty[i]->pending || th->dirty[i]->pending->scope == scope) situ_thread_clean(th, th->dirty[i]);
}

static int flush_kept(situ_scope *scope, uint32_t roots, bool assign)
{
    situ_tensor **root = roots ? situ_malloc(roots * sizeof *root) : NULL;
    if (roots && !root) return situ_fail(SITU_NO_MEMORY, NULL, "out of host memory to close a scope");
    uint32_t n = 0;
    for (situ_heap *h = scope->kept; h; h = h->next)
        if (!h->target->buffer) root[n++] = h->target;
    int rc = situ_enqueue(root, n, n, assign, false, NULL);
    situ_free(root);
    return rc;
}

/* While an error is pending, kept values are computed all the same. Variables keep their values: the error may have
 * interrupted the code that assigns them. */
static int close_flush(situ_scope *scope)
{
    situ_thread *th = scope->thread;
    uint32_t roots = 0;
    for (situ_heap *h = scope->kept; h; h = h->next) roots += !h->target->buffer;
    bool assign = assigned_in(th, scope);
    if (!roots && !assign) return 0;
    if (!situ_error_code) {
        int rc = flush_kept(scope, roots, assign || th->dirty_count);
        forget_assigned(th, scope);
        return rc;
    }
    forget_assigned(th, scope);
    if (!roots) return -situ_error_code;
    situ_error sticking;
    situ_error_take(&sticking);
    flush_kept(scope, roots, false);
    situ_error_take(NULL);
    return situ_fail_again(sticking.code, sticking.message);
}

int situ_scope_enqueue(situ_scope *scope, bool closing) { return closing ? close_flush(scope) : spill(scope, NULL); }

int situ_compute(situ_tensor **t, int count, bool will_wait, situ_site site)
{
    situ_thread *th = situ_thread_get();
    if (!th) return -situ_error_code;
    bool pending = false;
    int asked = 0;
    for (int i = 0; i < count; i++) {
        if (!(t[i] = situ_take_operand(th, t[i], "situ_eval", site))) return -situ_error_code;
        if (t[i]->flags & SITU_NODE_SCALAR) { /* a C number becomes a tensor on the default device */
            situ_tensor *x = (situ_full)(SHAPE(), t[i], NULL, site);
            t[i] = x;
            if (x->flags & SITU_NODE_POISON) return -situ_error_code;
        }
        pending |= !t[i]->buffer;
        if (situ_node_is_read(t[i])) continue;                            /* it is stored only as the variable's value */
        if (t[i]->flags & SITU_NODE_READ) t[i]->flags |= SITU_NODE_ASKED; /* so far stored only as a variable's value */
        situ_tensor *first = t[asked];
        t[asked++] = t[i];
        t[i] = first;
    }
    if (!pending && (will_wait || !th->dirty_count)) return 0; /* stored already: a read does not start assignments */
    if (count == 1 && will_wait && !th->dirty_count) {
        int rc = situ_run_single(t[0], site);
        if (rc <= 0) return rc;
    }
    return situ_enqueue(t, (uint32_t)count, (uint32_t)asked, true, will_wait, site);
}

int situ_await(situ_buffer *b, situ_site site)
{
    uint64_t ready = atomic_load(&b->ready);
    if (!situ_wait_for_job(b->dev, ready, &b->clock, site)) return -1;
    situ_failure *f = atomic_load(&b->failed), *missed = atomic_load(&b->missed);
    situ_thread *th = &situ_thread_state;
    if (!f && missed && th->outbox &&
        atomic_load(&th->outbox->failure) == missed) { /* the error has not been reported in the thread that started the work */
        atomic_store(&b->missed, NULL);
        f = missed;
    }
    if (!f) return 0;
    if (th->outbox) { /* it is reported now */
        situ_failure *same = f;
        atomic_compare_exchange_strong(&th->outbox->failure, &same, NULL);
    }
    return situ_failure_raise(f);
}

int(situ_eval)(situ_list tensors, situ_site site)
{
    int count = tensors.count;
    if (situ_error_code) return -situ_error_code;
    if (count < 0 || (count && !tensors.tensor)) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_eval: no tensors were given");
    situ_tensor *few[8], **t = count > 8 ? situ_malloc(sizeof *t * (size_t)count) : few;
    if (!t) return situ_fail(SITU_NO_MEMORY, site, "situ_eval: out of host memory");
    for (int i = 0; i < count; i++) t[i] = tensors.tensor[i];
    int rc = situ_compute(t, count, false, site);
    if (t != few) situ_free(t);
    return rc;
}

static int wait_all(situ_site site)
{
    situ_thread *th = situ_thread_get();
    situ_outbox *o = th ? th->outbox : NULL;
    if (o && o->generation != situ_outbox_generation) o->devices = 0, o->collective = 0; /* the devices were closed since */
    for (int i = 0; o && i < o->devices; i++) {
        bool remote = o->sent[i].dev->device.kind != SITU_CPU;
        if (remote && situ_ledger_allow(SITU_TRANSFER_WAIT, 1, 0, site)) return -situ_error_code;
        double start = situ_seconds();
        situ_dev *d = o->sent[i].dev;
        if (!situ_wait_for_job(d, o->sent[i].stamp, &d->clock, site)) return -1;
        if (remote)
            situ_ledger_add(&(situ_ledger_entry){.transfer = SITU_TRANSFER_WAIT,
                .reason = SITU_REASON_WAIT,
                .from = o->sent[i].dev->device,
                .site = site,
                .seconds = situ_seconds() - start});
    }
    situ_dev *cpu = o && o->collective ? situ_dev_open(situ_cpu(), site) : NULL;
    if (cpu && !situ_wait_for_job(cpu, o->collective, &o->clock, site)) return -1;
    if (situ_host_on()) situ_host_wait(situ_host_self.cpu); /* small work of the CPU ran in the caller, and takes its time there */
    situ_failure *f = o ? atomic_exchange(&o->failure, NULL) : NULL;
    return f ? situ_failure_raise(f) : 0;
}

int(situ_wait)(situ_tensor *t, situ_site site)
{
    SITU_SPEAK("situ_wait", site);
    if (situ_error_code) return -situ_error_code;
    if (!t) {
        int rc = situ_enqueue_kept(site);
        return rc ? rc : wait_all(site);
    }
    bool pending = !t->buffer && !(t->flags & SITU_NODE_VARIABLE); /* waiting for a stored value starts the pending assignments */
    int rc = situ_compute(&t, 1, pending && t->device.kind == SITU_CPU, site);
    if (rc) return rc;
    bool remote = t->device.kind != SITU_CPU;
    if (remote && (rc = situ_ledger_allow(SITU_TRANSFER_WAIT, 1, 0, site))) return rc;
    double start = remote ? situ_seconds() : 0;
    rc = situ_await(t->buffer, site);
    if (remote)
        situ_ledger_add(&(situ_ledger_entry){.transfer = SITU_TRANSFER_WAIT,
            .reason = SITU_REASON_WAIT,
            .from = t->device,
            .site = site,
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
