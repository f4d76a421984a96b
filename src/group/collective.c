/* A collective call as a job: which tensors it waits for, what it stores, how errors are reported. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/parts.h"
#include "base/queue.h"
#include "device/device.h"
#include "device/streams.h"
#include "device/trace.h"
#include "device/virtual.h"
#include "group/group.h"
#include "op/support.h"
#include "run/enqueue.h"
#include "run/launch.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { MOST_DUE = 100 }; /* finished calls whose results nobody has read yet: they still hold memory */

static int lane_of(situ_dev *d)
{
    int none = 0, own = atomic_load(&situ_stream_of_ranks);
    if (!own) {
        own = situ_stream_take() + 1;
        if (!atomic_compare_exchange_strong(&situ_stream_of_ranks, &none, own)) situ_stream_release(own - 1), own = none;
    }
    return situ_stream_open(d, own - 1);
}

static const char *name_of(const situ_collective *c) { return situ_call_name((situ_call_kind)c->e.head.call); }

static int no_memory(const char *name, situ_site site) { return situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", name); }

situ_collective *situ_collective_new(const situ_group *g, situ_call_kind call, const situ_tensor *like, int partner, int owns,
    int streams, int64_t moves, situ_site site)
{
    bool empty = !like || !situ_node_count(like);
    situ_cards *cards = empty ? NULL : situ_cards_of(g->link, situ_device_of(like), partner, call, site);
    situ_dev *dev = cards ? situ_cards_device(cards) : situ_dev_open(situ_cpu(), site);
    if (!dev || situ_error_code) return NULL;
    if (cards) moves = streams = situ_cards_ranks(cards);
    situ_collective *c = situ_calloc(1, sizeof *c);
    situ_borrow *own = situ_calloc((size_t)owns + 1, sizeof *own);
    situ_stream *stream = situ_calloc((size_t)streams + 1, sizeof *stream);
    situ_move *move = situ_malloc(((size_t)moves + 1) * sizeof *move);
    if (!c || !own || !stream || !move) {
        situ_free(c);
        situ_free(own);
        situ_free(stream);
        situ_free(move);
        no_memory(situ_call_name(call), site);
        return NULL;
    }
    *c = (situ_collective){.e = {.head = {.call = (uint16_t)call, .card = cards != NULL}, .partner = partner, .stream = stream},
        .link = g->link,
        .own = own,
        .cards = cards,
        .dev = dev,
        .site = site};
    stream[0].move = move; /* the next stream's moves start here in the array */
    c->speaker = situ_speaking.name ? situ_speaking.name : situ_call_name(call);
    if (!like) return c;
    c->e.head.dtype = (uint16_t)(like->dtype + 1);
    c->e.head.ndim = like->ndim;
    memcpy(c->e.head.dim, like->dim, 8 * (size_t)like->ndim);
    return c;
}

int situ_collective_operand(situ_collective *c, situ_tensor *x)
{
    situ_site site = c->site;
    int rc = situ_borrow_open(situ_to(x, c->dev->device), true, &c->own[c->owns], site);
    c->owns += !rc;
    return rc;
}

situ_tensor *situ_collective_result(situ_collective *c, situ_dtype dtype, situ_shape shape)
{
    situ_label label = {.name = name_of(c), .site = c->site, .dtype = (uint8_t)dtype, .ndim = (uint8_t)shape.ndim};
    memcpy(label.dim, shape.dim, sizeof label.dim);
    size_t bytes = (size_t)situ_shape_count((int)shape.ndim, shape.dim) * situ_dtype_size(dtype);
    situ_buffer *b = situ_buffer_new(c->dev, bytes, &label, c->site);
    situ_tensor *t = b ? situ_node_new(&situ_op_stored, (int)shape.ndim, 0, 0, 0, c->site) : NULL;
    if (!t) {
        situ_buffer_unref(b);
        return NULL;
    }
    t->buffer = b;
    t->dtype = (uint8_t)dtype;
    t->device = c->dev->device;
    t->flags |= SITU_NODE_ASKED;
    memcpy(t->dim, shape.dim, 8 * (size_t)shape.ndim);
    c->out = situ_buffer_ref(b);
    c->data = b->address;
    return t;
}

situ_stream *situ_collective_stream(situ_collective *c, int peer, bool out, int moves)
{
    situ_stream *s = &c->e.stream[c->e.streams++];
    situ_move *move = s->move;
    *s = (situ_stream){.peer = peer, .out = out, .move = move, .allowed = moves};
    s[1].move = move + moves;
    return s;
}

void situ_collective_move(situ_collective *c, situ_stream *s, void *data, size_t bytes)
{
    if (!bytes) return;
    s->move[s->moves++] = (situ_move){data, bytes};
    s->bytes += bytes;
    if (s->out) c->e.sent += (int64_t)bytes;
}

/* ---- between cards ------------------------------------------------------------------------------------------------------- */

/* Runs inside the job. */
static int by_card(situ_exchange *e, char *why, size_t size)
{
    situ_collective *c = (situ_collective *)e;
    situ_nccl *n;
    int rc = situ_cards_open(c->cards, &n, why, size);
    char *own = c->owns ? c->own[0].data : NULL;
    const situ_nccl_call call = {.call = (situ_call_kind)e->head.call,
        .in = own ? own : c->data,
        .out = c->data ? c->data : own,
        .count = c->elements,
        .dtype = (situ_dtype)(e->head.dtype - 1),
        .reduction = (situ_group_reduction)e->head.reduction,
        .root = e->head.root};
    if (!rc && c->copy && (rc = c->dev->backend->copy(c->dev, c->copy, c->dev, own, situ_borrow_bytes(&c->own[0]))))
        snprintf(why, size, "the card failed%s", situ_dev_why(c->dev));
    if (!rc)
        rc = c->elements ? situ_card_calls_here()->collect(n, &call, why, size) :
                           situ_card_calls_here()->move(n, c->move, c->moves, why, size);
    c->loose = rc != 0;
    return -rc;
}

void situ_collective_by_card(situ_collective *c, size_t elements, size_t sends)
{
    c->elements = elements;
    c->e.sent = (int64_t)sends;
}

int situ_collective_moves(situ_collective *c, int moves)
{
    c->move = situ_malloc(((size_t)moves + 1) * sizeof *c->move);
    return c->move ? 0 : no_memory(name_of(c), c->site);
}

void situ_collective_card_move(situ_collective *c, int peer, bool out, void *data, size_t bytes)
{
    if (!bytes) return;
    c->move[c->moves++] = (situ_device_move){situ_cards_place(c->cards, peer), out, data, bytes};
    if (out) c->e.sent += (int64_t)bytes;
}

/* The identity of a new communicator travels with the headers of its first call. */
static int meet(situ_collective *c)
{
    bool out = false;
    char *identity;
    int own = situ_link_rank(c->link), size = situ_cards_identity(c->cards, &out, &identity, c->site);
    int64_t sent = c->e.sent;
    for (int i = 0; i < situ_link_size(c->link) && size > 0; i++)
        if (i != own && (c->e.partner == SITU_EVERYBODY || c->e.partner == i) && (out || !situ_cards_place(c->cards, i)))
            situ_collective_move(c, situ_collective_stream(c, i, out, 1), identity, (size_t)size);
    c->e.sent = sent;
    c->e.instead = by_card;
    return size < 0 ? -situ_error_code : 0;
}

/* A job of the card's queue: waits until the CPU's queue has finished the call. */
static void follow(void *stamp) { situ_stamp_wait(situ_dev_opened(situ_cpu()), (uint64_t)(uintptr_t)stamp); }

/* ---- one call ------------------------------------------------------------------------------------------------------------ */

/* Messages that are still under way may write to the call's memory, or read it. */
static bool is_loose(const situ_collective *c)
{
    bool loose = situ_link_stuck() || c->loose;
    for (int i = 0; i < c->e.streams; i++) loose |= c->e.stream[i].open > 0;
    return loose;
}

void situ_collective_drop(situ_collective *c)
{
    if (!c || is_loose(c)) return;
    for (int i = 0; i < c->owns; i++) situ_borrow_close(&c->own[i]);
    situ_buffer_unref(c->out);
    if (c->outbox) situ_outbox_unref(c->outbox);
    situ_fold_free(&c->fold);
    situ_free(c->own);
    situ_free(c->move);
    situ_free(c->e.stream[0].move);
    situ_free(c->e.stream);
    situ_free(c);
}

static void fail(situ_collective *c, situ_failure *f)
{
    situ_failure *none = NULL;
    if (c->out) atomic_store(&c->out->failed, f);
    if (c->report) *c->report = f;
    else atomic_compare_exchange_strong(&c->outbox->failure, &none, f);
}

static void fail_with(situ_collective *c, int code, const char *why)
{
    char text[2400];
    const char *name = c->speaker;
    if (situ_speaks_python && !strncmp(name, "situ_", 5)) name += 5;
    snprintf(text, sizeof text, "%s%s%s: %s", c->site ? c->site : "", c->site ? ": " : "", name, why);
    fail(c, situ_failure_make(code, text));
}

/* Waits for the operands; returns the error of one that could not be computed. */
static situ_failure *wait_for_operands(const situ_collective *c)
{
    situ_failure *f = NULL;
    for (int i = 0; i < c->owns; i++) {
        situ_buffer *b = c->own[i].buffer;
        situ_stamp_wait(b->dev, atomic_load(&b->ready));
        if (!f) f = atomic_load(&b->failed);
    }
    return f;
}

/* When this rank can take part, on the virtual clock: its operands are there. */
static double own_clock(const situ_collective *c, double clock)
{
    for (int i = 0; i < c->owns; i++)
        if (clock < c->own[i].buffer->clock) clock = c->own[i].buffer->clock;
    return clock;
}

/* All ranks have taken part: those that wait, and readers of the result, go on then. */
static void tell_clock(situ_collective *c)
{
    if (c->out) atomic_store_explicit(&c->out->clock, c->e.clock, memory_order_relaxed);
    if (c->outbox->clock < c->e.clock) atomic_store_explicit(&c->outbox->clock, c->e.clock, memory_order_relaxed);
    if (c->when) *c->when = c->e.clock;
}

static void run(void *argument)
{
    situ_collective *c = argument;
    char why[1800];
    situ_failure *lost = wait_for_operands(c);
    if (lost) c->e.lost = strchr((const char *)lost, ' ') + 1;
    if (c->copy && !lost && !c->cards) memcpy(c->copy, c->own[0].data, situ_borrow_bytes(&c->own[0]));
    c->e.head.clock = c->e.clock = own_clock(c, c->e.clock);
    double start = situ_tracing() ? situ_seconds() : 0;
    int code = situ_link_exchange(c->link, &c->e, c->site, why, sizeof why);
    if (situ_tracing())
        situ_trace_add(&(situ_trace_event){.name = name_of(c),
            .site = c->site,
            .track = SITU_TRACK_PEER,
            .device = c->dev->device,
            .start = start,
            .end = situ_seconds(),
            .bytes = c->e.sent});
    tell_clock(c);
    if (lost) fail(c, lost);
    else if (code) fail_with(c, code, why);
    situ_collective_drop(c);
    situ_link_due(-1);
}

static void wait_for_stamp(void *dev, uint64_t stamp) { situ_stamp_wait_for(dev, stamp, 0); }

/* `now`: runs the job in this thread if the queue is empty, which saves waking another thread. */
static int push(situ_collective *c, situ_dev *d, bool now, uint64_t *stamp)
{
    int at = lane_of(d);
    situ_queue *q = situ_stream_queue(d, at);
    uint64_t sequence;
    situ_buffer *out = c->out;
    situ_queue *then = out && c->cards ? c->dev->queue : NULL; /* the queue of the result's readers, which then waits for the call
                                                                */
    situ_link_due(1);
    if (now && situ_queue_run_inline(q, run, c, &sequence)) return 0;
    situ_mutex_lock(&situ_planner); /* launches number their jobs under this lock */
    int rc = then ? situ_queue_reserve(then) : 0;
    if (out) { /* the job must not run before this, since it frees the call */
        atomic_store(&out->ready, then ? situ_stamp_of(0, situ_queue_last(then) + 1) : situ_stamp_of(at, situ_queue_last(q) + 1));
        atomic_store_explicit(&out->launched, true, memory_order_relaxed);
    }
    /* A reader that arrives before the queue's thread has woken runs the job itself; this saves a switch to another
     * core. */
    situ_buffer *last = c->owns ? c->own[c->owns - 1].buffer : NULL;
    situ_dev *of = last ? last->dev : d;
    uint64_t before = last ? atomic_load(&last->ready) : 0;
    if (!rc) rc = situ_queue_push_after(q, wait_for_stamp, of, before, run, c, &sequence);
    if (!rc && then) situ_queue_push(then, follow, (void *)(uintptr_t)situ_stamp_of(at, sequence), NULL);
    if (rc && out) atomic_store(&out->ready, 0);
    situ_mutex_unlock(&situ_planner);
    if (rc) situ_link_due(-1);
    else *stamp = situ_stamp_of(at, sequence);
    return rc;
}

void situ_collectives_wait(void)
{
    const situ_outbox *o = situ_outbox_get();
    situ_dev *d = o && o->collective && !situ_error_code ? situ_dev_open(situ_cpu(), NULL) : NULL;
    if (d) situ_stamp_wait(d, o->collective);
    if (d) situ_linked.error_late();
}

int situ_collective_start(situ_collective *c, bool wait)
{
    situ_failure *failure = NULL;
    uint64_t stamp = 0;
    situ_dev *d = situ_dev_open(situ_cpu(), c->site);
    int64_t sent = c->e.sent;
    situ_site site = c->site;
    double clock = c->e.clock = situ_virtual;
    if (c->out) /* on simulated devices readers wait for the other ranks' (sim/timeline.c) */
        atomic_store_explicit(&c->out->clock, own_clock(c, clock), memory_order_relaxed);
    bool asked = wait;
    if (wait) c->report = &failure, c->when = &clock;
    situ_device device = c->dev->device;
    if (!d || (c->cards && meet(c)) || situ_ledger_allow(SITU_TRANSFER_PEER, 1, sent, site) || !(c->outbox = situ_outbox_get()))
        goto failed;
    situ_outbox *outbox = c->outbox;
    atomic_fetch_add(&outbox->refs, 1);
    wait |= !situ_link_beside() || situ_link_due(0) > MOST_DUE;
    if (push(c, d, wait, &stamp)) goto failed;
    if (stamp) outbox->collective = stamp;
    situ_ledger_add(&(situ_ledger_entry){.transfer = SITU_TRANSFER_PEER,
        .reason = SITU_REASON_COLLECTIVE,
        .from = device,
        .to = device,
        .bytes = sent,
        .site = site});
    if (wait) situ_stamp_wait(d, stamp);
    if (asked && situ_host_on()) situ_host_wait(clock);
    return failure ? situ_failure_raise(failure) : 0;
failed:
    situ_collective_drop(c);
    if (!situ_error_code) situ_fail(SITU_NO_MEMORY, site, "out of host memory for a collective");
    return -situ_error_code;
}
