/* The group as an object, and its collectives: checks, the operand as bytes of the host, what each rank sends to whom. */
#include "group/group.h"

#include <stdlib.h>
#include <string.h>

#include <situ/custom.h>

#include "base/env.h"
#include "base/memory.h"
#include "device/device.h"
#include "device/trace.h"
#include "op/support.h"
#include "run/borrow.h"
/* last */
#include "op/here.h"

static double deadline_of(double option)
{
    const char *text = situ_env("SITU_GROUP_DEADLINE");
    double seconds = option > 0 ? option : text ? strtod(text, NULL) : 0;
    return seconds > 0 && seconds <= 1e6 ? seconds : 30;
}

situ_group *(situ_group_open)(const situ_group_open_options *options, situ_site site)
{
    SITU_SPEAK("situ_group_open", site);
    situ_group_open_options o = {SITU_DEFAULTS(SITU_GROUP_OPEN_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_group_open", site)) return NULL;
    if (!(o.deadline >= 0 && o.deadline <= 1e6)) {
        situ_fail(SITU_BAD_OPTION, site, "situ_group_open: .deadline is %g; it is at least 0 seconds and at most 1e6", o.deadline);
        return NULL;
    }
    situ_link *link;
    if (situ_link_open(&link, o.communicator, deadline_of(o.deadline), site)) return NULL;
    situ_group *g = situ_calloc(1, sizeof *g);
    if (g) *g = (situ_group){.handle = SITU_HANDLE_NEW, .link = link, .rank = situ_link_rank(link), .size = situ_link_size(link)};
    else situ_fail(SITU_NO_MEMORY, site, "situ_group_open: out of host memory");
    return g;
}

void situ_group_free(situ_group *g)
{
    situ_site site = situ_told();
    if (!g || situ_ended(g, "situ_group_free", "group", site)) return;
    if (situ_handle_end(g, site)) situ_retire(g);
}

int situ_group_rank(const situ_group *g) { return situ_there(g, "situ_group_rank", "group") ? g->rank : 0; }
int situ_group_size(const situ_group *g) { return situ_there(g, "situ_group_size", "group") ? g->size : 1; }
const char *situ_group_engine(const situ_group *g)
{
    return situ_there(g, "situ_group_engine", "group") ? situ_link_engine(g->link) : "none";
}

/* ---- one call ------------------------------------------------------------------------------------------------------------ */

bool situ_group_take(const situ_group *g, situ_tensor **x, situ_call_kind call, situ_site site)
{
    const char *name = situ_call_name(call);
    if (situ_error_code || situ_ended(g, name, "group", site)) return false;
    if (!g) return situ_fail(SITU_BAD_ARGUMENT, site, "%s: the group is NULL", name), false;
    if (!x) return true;
    if (!situ_usable(x, 1, name, site)) return false;
    if (situ_is_number(*x)) *x = situ_full(SHAPE(), *x);
    return !situ_error_code;
}

/* What a call sends and gets: at most `most` moves. */
static int room(situ_exchange *e, int most, situ_site site)
{
    e->move = situ_malloc((size_t)(most ? most : 1) * sizeof *e->move);
    return e->move ? 0 : situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", situ_call_name((situ_call_kind)e->head.call));
}

void situ_exchange_begin(situ_exchange *e, situ_call_kind call, const situ_tensor *x)
{
    *e = (situ_exchange){.head = {.call = (uint16_t)call}, .partner = SITU_EVERYBODY};
    if (!x) return;
    e->head.dtype = (uint16_t)(x->dtype + 1);
    e->head.ndim = x->ndim;
    memcpy(e->head.dim, x->dim, 8 * (size_t)x->ndim);
}

void situ_exchange_move(situ_exchange *e, int peer, bool out, void *data, size_t bytes)
{
    e->move[e->moves++] = (situ_move){peer, out, data, bytes};
    if (out) e->sent += (int64_t)bytes;
}

int situ_exchange_run(situ_exchange *e, const situ_group *g, situ_site site)
{
    double start = situ_tracing() ? situ_seconds() : 0;
    if (situ_ledger_allow(SITU_TRANSFER_PEER, 1, e->sent, site)) return -situ_error_code;
    int rc = situ_link_exchange(g->link, &e->head, e->partner, e->move, e->moves, site);
    if (situ_tracing())
        situ_trace_add(&(situ_trace_event){.name = situ_call_name((situ_call_kind)e->head.call),
            .site = site,
            .track = SITU_TRACK_PEER,
            .device = situ_cpu(),
            .start = start,
            .end = situ_seconds(),
            .bytes = e->sent});
    situ_ledger_add(&(situ_ledger_entry){.transfer = SITU_TRANSFER_PEER,
        .reason = SITU_REASON_COLLECTIVE,
        .from = situ_cpu(),
        .to = situ_cpu(),
        .bytes = e->sent,
        .site = site});
    return rc;
}

void situ_exchange_end(situ_exchange *e)
{
    if (!situ_link_stuck()) situ_free(e->move); /* else the thread of MPI may still read it */
}

situ_tensor *situ_group_room(situ_dtype dtype, situ_shape shape, char **data, situ_site site)
{
    situ_device cpu = situ_cpu();
    situ_dev *dev = situ_dev_open(cpu, site);
    situ_label label = {.name = "group", .site = site, .dtype = (uint8_t)dtype, .ndim = (uint8_t)shape.ndim};
    memcpy(label.dim, shape.dim, sizeof label.dim);
    size_t bytes = (size_t)situ_shape_count((int)shape.ndim, shape.dim) * situ_dtype_size(dtype);
    situ_buffer *b = dev ? situ_buffer_new(dev, bytes, &label, site) : NULL;
    situ_tensor *t = b ? situ_node_new(&situ_op_stored, (int)shape.ndim, 0, 0, 0, site) : NULL;
    if (!t) {
        situ_buffer_unref(b);
        return NULL;
    }
    t->buffer = b;
    t->dtype = (uint8_t)dtype;
    t->device = dev->device;
    t->flags |= SITU_NODE_ASKED;
    memcpy(t->dim, shape.dim, 8 * (size_t)shape.ndim);
    *data = b->address;
    return t;
}

int situ_group_values(situ_tensor *x, situ_borrow *out, situ_site site)
{
    int rc = situ_borrow_open(situ_to(x, situ_cpu()), true, out, site);
    if (!rc && (rc = situ_borrow_wait(out, site))) situ_borrow_close(out);
    return rc;
}

void situ_group_return(situ_borrow *b)
{
    if (!situ_link_stuck()) situ_borrow_close(b);
}

/* ---- without sums ---------------------------------------------------------------------------------------------------------- */

int(situ_group_barrier)(situ_group *g, situ_site site)
{
    SITU_SPEAK("situ_group_barrier", site);
    situ_exchange e;
    if (!situ_group_take(g, NULL, SITU_CALL_BARRIER, site)) return -situ_error_code;
    situ_exchange_begin(&e, SITU_CALL_BARRIER, NULL);
    return g->link ? situ_exchange_run(&e, g, site) : 0;
}

static int check_rank(const situ_group *g, int rank, bool other, situ_call_kind call, const char *what, situ_site site)
{
    const char *name = situ_call_name(call);
    if (rank < 0 || rank >= g->size)
        return situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s is %d; the ranks are 0 to %d", name, what, rank, g->size - 1);
    return other && rank == g->rank ? situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s is this rank itself, %d", name, what, rank) : 0;
}

/* Runs it with x's bytes going out by `out` and a result of this shape coming in by `in`, to x's device. */
typedef void moves(situ_exchange *e, const situ_group *g, char *mine, size_t bytes, char *all);
static situ_tensor *run(situ_exchange *e, const situ_group *g, situ_tensor *x, const situ_shape *shape, moves *fill, situ_site site)
{
    situ_borrow b;
    char *all = NULL;
    situ_tensor *out = NULL;
    if (room(e, 2 * g->size, site)) return situ_poisoned();
    if (!situ_group_values(x, &b, site)) {
        if (!shape || (out = situ_group_room((situ_dtype)x->dtype, *shape, &all, site))) {
            fill(e, g, b.data, situ_node_bytes(x), all);
            situ_exchange_run(e, g, site);
        }
        situ_group_return(&b);
    }
    situ_exchange_end(e);
    return situ_error_code ? situ_poisoned() : out ? situ_to(out, situ_device_of(x)) : x;
}

static void moves_gather(situ_exchange *e, const situ_group *g, char *mine, size_t bytes, char *all)
{
    for (int i = 0; i < g->size; i++) {
        char *part = all + (size_t)i * bytes;
        if (i == g->rank) {
            if (bytes) memcpy(part, mine, bytes);
            continue;
        }
        situ_exchange_move(e, i, true, mine, bytes);
        situ_exchange_move(e, i, false, part, bytes);
    }
}

/* The gradient is that of the sum of all ranks' losses. */
static void vjp_gather(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out)
{
    (void)inputs;
    situ_site site = y->site;
    out[0] = situ_group_reduce_scatter(self, g);
}

static void vjp_root(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out)
{
    (void)inputs;
    situ_site site = y->site;
    out[0] = situ_group_all_reduce(self, g);
}

static void vjp_not_root(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out)
{
    vjp_root(self, g, inputs, y, out);
    out[0] = NULL;
}

situ_tensor *(situ_group_all_gather)(situ_group *g, situ_tensor *x, situ_site site)
{
    SITU_SPEAK("situ_group_all_gather", site);
    if (!situ_group_take(g, &x, SITU_CALL_ALL_GATHER, site)) return situ_poisoned();
    if (!x->ndim)
        return situ_refused(SITU_BAD_SHAPE, site,
            "situ_group_all_gather: x has no axis along which the ranks' could lie; " SITU_SAY(
                "situ_reshape(x, SHAPE(1))", "x.reshape(1)") " gives it one");
    if (!g->link) return situ_itself(x, site);
    situ_exchange e;
    situ_shape shape = situ_shape_like(x);
    shape.dim[0] *= g->size;
    situ_exchange_begin(&e, SITU_CALL_ALL_GATHER, x);
    situ_tensor *y = run(&e, g, x, &shape, moves_gather, site);
    return situ_custom_vjp(y, TENSORS(x), vjp_gather, g);
}

static void moves_broadcast(situ_exchange *e, const situ_group *g, char *mine, size_t bytes, char *all)
{
    if (g->rank != e->head.root) {
        situ_exchange_move(e, e->head.root, false, all, bytes);
        return;
    }
    if (bytes) memcpy(all, mine, bytes);
    for (int i = 0; i < g->size; i++)
        if (i != g->rank) situ_exchange_move(e, i, true, mine, bytes);
}

situ_tensor *(situ_group_broadcast)(situ_group *g, situ_tensor *x, int root, situ_site site)
{
    SITU_SPEAK("situ_group_broadcast", site);
    if (!situ_group_take(g, &x, SITU_CALL_BROADCAST, site) || check_rank(g, root, false, SITU_CALL_BROADCAST, "root", site))
        return situ_poisoned();
    if (!g->link) return situ_itself(x, site);
    situ_exchange e;
    situ_shape shape = situ_shape_like(x);
    situ_exchange_begin(&e, SITU_CALL_BROADCAST, x);
    e.head.root = root;
    situ_tensor *y = run(&e, g, x, &shape, moves_broadcast, site);
    return situ_custom_vjp(y, TENSORS(x), g->rank == root ? vjp_root : vjp_not_root, g);
}

static void moves_send(situ_exchange *e, const situ_group *g, char *mine, size_t bytes, char *all)
{
    (void)g, (void)all;
    situ_exchange_move(e, e->partner, true, mine, bytes);
}

static void moves_receive(situ_exchange *e, const situ_group *g, char *mine, size_t bytes, char *all)
{
    (void)g, (void)mine;
    situ_exchange_move(e, e->partner, false, all, bytes);
}

int(situ_group_send)(situ_group *g, situ_tensor *x, int to, situ_site site)
{
    SITU_SPEAK("situ_group_send", site);
    if (!situ_group_take(g, &x, SITU_CALL_SEND, site) || check_rank(g, to, true, SITU_CALL_SEND, "to", site))
        return -situ_error_code;
    situ_exchange e;
    situ_exchange_begin(&e, SITU_CALL_SEND, x);
    e.partner = to;
    run(&e, g, x, NULL, moves_send, site);
    return -situ_error_code;
}

situ_tensor *(situ_group_receive)(situ_group *g, situ_tensor *like, int from, situ_site site)
{
    SITU_SPEAK("situ_group_receive", site);
    if (!situ_group_take(g, &like, SITU_CALL_RECEIVE, site) || check_rank(g, from, true, SITU_CALL_RECEIVE, "from", site))
        return situ_poisoned();
    situ_exchange e;
    situ_shape shape = situ_shape_like(like);
    situ_exchange_begin(&e, SITU_CALL_RECEIVE, like);
    e.partner = from;
    return run(&e, g, like, &shape, moves_receive, site);
}
