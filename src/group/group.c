/* The group object and its collectives that do not add: checks, and which rank sends what to whom. */
#include "group/group.h"

#include <stdlib.h>
#include <string.h>

#include <situ/custom.h>

#include "base/memory.h"
#include "base/parts.h"
#include "group/parent.h"
#include "op/support.h"
#include "os/env.h"
#include "os/plain.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static double deadline_of(double option)
{
    const char *text = situ_env("SITU_GROUP_DEADLINE");
    double seconds = option > 0 ? option : text ? situ_plain_number(text, NULL) : 0;
    return seconds > 0 && seconds <= 1e6 ? seconds : 30;
}

static _Atomic bool opened; /* set once this process has become a rank */

situ_group *(situ_group_open)(const situ_group_open_options *options, situ_site site)
{
    SITU_SPEAK("situ_group_open", site);
    situ_group_open_options o = {SITU_DEFAULTS(SITU_GROUP_OPEN_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_group_open", site)) return NULL;
    if (!(o.deadline >= 0 && o.deadline <= 1e6)) {
        situ_fail(SITU_BAD_OPTION, site, "situ_group_open: .deadline is %g; it is at least 0 seconds and at most 1e6", o.deadline);
        return NULL;
    }
    int above = o.communicator || opened ? 0 : situ_rank_above();
    if (above) {
        situ_fail(SITU_FORKED, site,
            "situ_group_open: this process was started by a rank, process %d, and is no rank itself: the group is that one's; "
            "open it there alone" SITU_SAY(
                "", ", in a program below if __name__ == \"__main__\": where multiprocessing runs it again"),
            above);
        return NULL;
    }
    situ_link *link;
    if (situ_link_open(&link, o.communicator, deadline_of(o.deadline), site)) return NULL;
    opened = true;
    situ_group *g = situ_calloc(1, sizeof *g);
    if (g)
        *g = (situ_group){
            .handle = SITU_HANDLE_NEW(GROUP), .link = link, .rank = situ_link_rank(link), .size = situ_link_size(link)};
    else situ_fail(SITU_NO_MEMORY, site, "situ_group_open: out of host memory");
    return g;
}

void situ_group_free(situ_group *g)
{
    situ_site site = situ_passed_site();
    if (!g || situ_ended(g, "situ_group_free", "group", site)) return;
    if (g->link) situ_collectives_wait();
    if (situ_handle_end(g, site)) situ_retire(g);
}

/* Taken from the link, not from the handle: after a loss of ranks another handle of the group may have renewed the
 * link. */
int situ_group_rank(const situ_group *g) { return situ_is_usable(g, "situ_group_rank", "group") ? situ_link_rank(g->link) : 0; }
int situ_group_size(const situ_group *g) { return situ_is_usable(g, "situ_group_size", "group") ? situ_link_size(g->link) : 1; }
void situ_group_fail(const situ_group *g, const char *why) { situ_link_fail(g->link, why); }
bool situ_group_survives(const situ_group *g) { return g && situ_link_survives(g->link); }
bool situ_group_settled(const situ_group *g) { return !g || situ_link_settled(g->link); }

bool situ_group_survive(situ_group *g, char *lost, size_t size)
{
    if (!g || !situ_link_survive(g->link, lost, size)) return false;
    g->rank = situ_link_rank(g->link);
    g->size = situ_link_size(g->link);
    return true;
}

const char *situ_group_engine(const situ_group *g)
{
    return situ_is_usable(g, "situ_group_engine", "group") ? situ_link_engine(g->link) : "none";
}

/* ---- one call ------------------------------------------------------------------------------------------------------------ */

bool situ_group_take(const situ_group *g, situ_tensor **x, situ_call_kind call, situ_site site)
{
    const char *name = situ_call_name(call);
    char why[1700];
    if (situ_error_code || situ_ended(g, name, "group", site)) return false;
    if (!g) return situ_fail(SITU_BAD_ARGUMENT, site, "%s: the group is NULL", name), false;
    if (g->link && situ_link_child(site)) return false;
    if (g->link && g->size != situ_link_size(g->link)) { /* the number of ranks changed under another handle of this group */
        ((situ_group *)(uintptr_t)g)->rank = situ_link_rank(g->link);
        ((situ_group *)(uintptr_t)g)->size = situ_link_size(g->link);
    }
    int code = g->link ? situ_link_broken(g->link, why, sizeof why) : 0;
    if (code) { /* first report an error that this thread has not seen yet */
        situ_linked.error_late();
        if (!situ_error_code) situ_fail(code, site, "%s: %s", name, why);
        return false;
    }
    if (!x) return true;
    if (!situ_usable(x, 1, name, site)) return false;
    if (situ_is_number(*x)) *x = situ_full(SHAPE(), *x);
    return !situ_error_code;
}

static int check_rank(const situ_group *g, int rank, bool other, situ_call_kind call, const char *what, situ_site site)
{
    const char *name = situ_call_name(call);
    if (rank < 0 || rank >= g->size)
        return situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s is %d; the ranks are 0 to %d", name, what, rank, g->size - 1);
    return other && rank == g->rank ? situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s is this rank itself, %d", name, what, rank) : 0;
}

int(situ_group_barrier)(situ_group *g, situ_site site)
{
    SITU_SPEAK("situ_group_barrier", site);
    if (!situ_group_take(g, NULL, SITU_CALL_BARRIER, site)) return -situ_error_code;
    if (!g->link) return 0;
    situ_collective *c = situ_collective_new(g, SITU_CALL_BARRIER, NULL, SITU_EVERYBODY, 0, 0, 0, site);
    return c ? situ_collective_start(c, true) : -situ_error_code;
}

situ_tensor *situ_group_give(situ_group *g, situ_tensor *y)
{
    if (!situ_error_code) return y;
    situ_link_fail(g->link, situ_error_peek());
    return situ_poisoned();
}

/* Starts the call; the result is moved to x's device. */
static situ_tensor *start(situ_group *g, situ_collective *c, situ_tensor *out, situ_tensor *x, situ_vjp_fn rule, situ_site site)
{
    if (!out || situ_error_code) {
        situ_collective_drop(c);
        return situ_poisoned();
    }
    if (situ_collective_start(c, false)) return situ_poisoned();
    out = situ_to(out, situ_device_of(x));
    return situ_group_give(g, rule ? situ_custom_vjp(out, TENSORS(x), rule, g) : out);
}

/* Gradient of all_gather, for the sum of all ranks' losses. */
static void vjp_gather(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out)
{
    (void)inputs;
    situ_site site = y->site;
    out[0] = situ_group_reduce_scatter(self, g);
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
    situ_shape shape = situ_shape_like(x);
    if (__builtin_mul_overflow(shape.dim[0], g->size, &shape.dim[0])) shape.dim[0] = INT64_MAX;
    if (!situ_shape_check(&shape, false, "situ_group_all_gather", site)) return situ_poisoned();
    size_t bytes = situ_node_bytes(x);
    situ_collective *c = situ_collective_new(g, SITU_CALL_ALL_GATHER, x, SITU_EVERYBODY, 1, 2 * g->size, 2 * g->size, site);
    situ_tensor *out = c && !situ_collective_operand(c, x) ? situ_collective_result(c, (situ_dtype)x->dtype, shape) : NULL;
    if (out && c->cards) situ_collective_by_card(c, (size_t)situ_node_count(x), (size_t)(g->size - 1) * bytes);
    for (int i = 0; i < g->size && out && !c->cards; i++) {
        if (i == g->rank) continue;
        situ_collective_move(c, situ_collective_stream(c, i, true, 1), c->own[0].data, bytes);
        situ_collective_move(c, situ_collective_stream(c, i, false, 1), c->data + (size_t)i * bytes, bytes);
    }
    if (out && !c->cards) c->copy = c->data + (size_t)g->rank * bytes;
    return start(g, c, out, x, vjp_gather, site);
}

/* ---- broadcast: large values go in pieces from rank to rank, in a binomial tree ------------------------------------------------
 */

static void vjp_not_root(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out)
{
    situ_group_vjp_sum(self, g, inputs, y, out);
    out[0] = NULL;
}

/* Forwards the pieces that have arrived from the parent. */
static void pass_on(situ_exchange *e)
{
    int there = -1;
    for (int i = 0; i < e->streams; i++)
        if (!e->stream[i].out) there = e->stream[i].ended;
    for (int i = 0; i < e->streams && there >= 0; i++)
        if (e->stream[i].out) e->stream[i].allowed = there;
}

static void to_rank(situ_collective *c, int peer, bool out, char *data, size_t bytes)
{
    situ_stream *s = situ_collective_stream(c, peer, out, situ_pieces(bytes));
    for (size_t at = 0; at < bytes; at += SITU_PIECE) situ_collective_move(c, s, data + at, situ_piece_bytes(bytes, at));
}

static void plan_broadcast(situ_collective *c, const situ_group *g, int root, size_t bytes)
{
    int n = g->size, place = (g->rank - root + n) % n; /* rank relative to the root */
    bool rides = bytes <= SITU_RIDE;
    char *data = place ? c->data : c->own[0].data;
    int low = 1; /* the parent in the tree has this number without its lowest set bit */
    while (low < n && !(place & low)) low *= 2;
    if (place) to_rank(c, rides ? root : (place - low + root) % n, false, data, bytes);
    if (rides) low = place ? 1 : n;
    for (int step = 1; step < low && !rides; step *= 2)
        if (place + step < n) to_rank(c, (place + step + root) % n, true, data, bytes);
    for (int i = 1; i < low && rides; i++) to_rank(c, (root + i) % n, true, data, bytes);
    if (place && !rides) {
        for (int i = 0; i < c->e.streams; i++)
            if (c->e.stream[i].out) c->e.stream[i].allowed = 0;
        c->e.more = pass_on;
    }
}

situ_tensor *(situ_group_broadcast)(situ_group *g, situ_tensor *x, int root, situ_site site)
{
    SITU_SPEAK("situ_group_broadcast", site);
    if (!situ_group_take(g, &x, SITU_CALL_BROADCAST, site) || check_rank(g, root, false, SITU_CALL_BROADCAST, "root", site))
        return situ_poisoned();
    if (!g->link) return situ_itself(x, site);
    size_t bytes = situ_node_bytes(x);
    int64_t pieces = (int64_t)(bytes / SITU_PIECE) + 1;
    situ_collective *c = situ_collective_new(g, SITU_CALL_BROADCAST, x, SITU_EVERYBODY, 1, g->size, pieces * g->size, site);
    situ_tensor *out = NULL;
    if (c && g->rank != root) out = situ_collective_result(c, (situ_dtype)x->dtype, situ_shape_like(x));
    else if (c && !situ_collective_operand(c, x)) out = situ_itself(x, site);
    if (out) {
        c->e.head.root = root;
        if (!c->cards) plan_broadcast(c, g, root, bytes);
        else situ_collective_by_card(c, (size_t)situ_node_count(x), (g->rank + 1) % g->size == root ? 0 : bytes);
    }
    return start(g, c, out, x, g->rank == root ? situ_group_vjp_sum : vjp_not_root, site);
}

/* ---- send and receive -------------------------------------------------------------------------------------------------------- */

static void between_two(situ_collective *c, int peer, bool out, char *data, size_t bytes)
{
    if (!c->cards) situ_collective_move(c, situ_collective_stream(c, peer, out, 1), data, bytes);
    else if (!situ_collective_moves(c, 1)) situ_collective_card_move(c, peer, out, data, bytes);
}

int(situ_group_send)(situ_group *g, situ_tensor *x, int to, situ_site site)
{
    SITU_SPEAK("situ_group_send", site);
    if (!situ_group_take(g, &x, SITU_CALL_SEND, site) || check_rank(g, to, true, SITU_CALL_SEND, "to", site))
        return -situ_error_code;
    situ_collective *c = situ_collective_new(g, SITU_CALL_SEND, x, to, 1, 1, 1, site);
    if (c && !situ_collective_operand(c, x)) between_two(c, to, true, c->own[0].data, situ_node_bytes(x));
    if (!situ_error_code) return situ_collective_start(c, true);
    situ_collective_drop(c);
    return -situ_error_code;
}

situ_tensor *(situ_group_receive)(situ_group *g, situ_tensor *like, int from, situ_site site)
{
    SITU_SPEAK("situ_group_receive", site);
    if (!situ_group_take(g, &like, SITU_CALL_RECEIVE, site) || check_rank(g, from, true, SITU_CALL_RECEIVE, "from", site))
        return situ_poisoned();
    situ_collective *c = situ_collective_new(g, SITU_CALL_RECEIVE, like, from, 0, 1, 1, site);
    situ_tensor *out = c ? situ_collective_result(c, (situ_dtype)like->dtype, situ_shape_like(like)) : NULL;
    if (out) between_two(c, from, false, c->data, situ_node_bytes(like));
    return start(g, c, out, like, NULL, site);
}
