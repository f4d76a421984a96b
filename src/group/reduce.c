/* Sums over ranks. Each rank sends the roots of its subtrees, piece by piece, to the rank that owns the piece. The
 * owner finishes the tree and sends the result to all, while further pieces arrive. If everything fits into the
 * headers, each rank sends everything to every other rank instead and computes the whole tree. Between cards NCCL
 * computes the sum if no order is required. Otherwise it works as in host memory, in two calls, and the sums of the
 * pieces are recorded between them as operations on the card. */
#include <stdlib.h>
#include <string.h>

#include <situ/custom.h>
#include <situ/grad.h>

#include "base/memory.h"
#include "group/group.h"
#include "group/tree.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* A sum over all ranks. */
typedef struct sum {
    situ_group *g;
    situ_call_kind call;
    situ_group_reduction reduction;
    situ_site site;
    situ_tensor *like;
    int64_t shards;
    const int64_t *end;  /* [size] the end of each rank's shards */
    int own;             /* number of roots of this rank ... */
    situ_tensor **value; /* ... each with the shape of `like` */
    int *count;          /* [size] number of roots of each rank */
    situ_vjp_fn rule;    /* its gradient; NULL: none */
    bool scatter, whole; /* scatter: each rank keeps only its part; whole: each rank adds everything */
    bool begun;          /* the call has started, so the other ranks count it */
    int64_t elements;    /* elements of `like` */
    size_t size;         /* bytes of an element */
} sum;

/* Start of rank p's piece, as an element or row; and in bytes. */
static size_t piece(const sum *s, int p)
{
    int64_t rows = s->scatter ? s->like->dim[0] : s->elements, n = s->g->size;
    int64_t each = rows / n, more = rows % n; /* the first `more` pieces have one element more */
    int64_t first = p * each + (p < more ? p : more);
    return (size_t)(s->scatter && rows ? first * (s->elements / rows) : first) * s->size;
}

/* The bytes that rank p adds: returns their number, and their start in *first. */
static size_t range(const sum *s, int p, size_t *first)
{
    *first = s->whole ? 0 : piece(s, p);
    return s->whole ? (size_t)s->elements * s->size : piece(s, p + 1) - *first;
}

/* Adds the pieces that have arrived. Their buffers are then free, and the sums may be sent on. */
static void add_more(situ_exchange *e)
{
    situ_collective *c = (situ_collective *)e;
    situ_folding *f = &c->fold;
    for (bool there = true; f->done < f->pieces;) {
        for (int i = 0; i < e->streams && there; i++) {
            const situ_stream *s = &e->stream[i];
            if (!s->out && !s->result) there = s->ended >= s->moves / f->pieces * (f->done + 1);
        }
        if (!there) break;
        situ_fold_next(f);
    }
    for (int i = 0; i < e->streams; i++) {
        situ_stream *s = &e->stream[i];
        if (s->out && s->result) s->allowed = f->done;
        else if (!s->out && !s->result && f->pieces) s->allowed = s->moves / f->pieces * (f->done + f->window);
    }
}

/* Collects the roots of all ranks, in order, and plans the additions. */
static int plan_fold(sum *s, situ_collective *c, int roots)
{
    situ_folding *f = &c->fold;
    situ_root *root = situ_malloc(((size_t)roots + 1) * sizeof *root);
    f->own = situ_calloc((size_t)roots + 1, 2 * sizeof(int) + 2 * sizeof(char *) + sizeof *f->join);
    if (!root || !f->own) {
        situ_free(root);
        return situ_fail(SITU_NO_MEMORY, s->site, "%s: out of host memory", situ_call_name(s->call));
    }
    f->now = f->own + roots + 1;
    f->join = (situ_fold_join *)(void *)(f->now + roots + 1);
    f->from = (int *)(f->join + roots + 1);
    int *at = f->from + roots + 1;
    for (int r = 0; r < s->g->size; r++) {
        int n = situ_tree_roots(s->shards, r ? s->end[r - 1] : 0, s->end[r], root + f->roots);
        for (int i = 0; i < n; i++) f->from[f->roots++] = r;
    }
    f->joins = situ_fold_joins(root, roots, at, f->join);
    situ_free(root);
    size_t first;
    f->window = SITU_WINDOW;
    f->piece = SITU_PIECE;
    f->bytes = range(s, s->g->rank, &first);
    f->pieces = situ_pieces(f->bytes);
    for (int i = 0, k = 0; i < roots; i++) f->own[i] = f->from[i] == s->g->rank ? c->own[k++].data + first : NULL;
    situ_el el = s->reduction == SITU_GROUP_MAX ? SITU_EL_maximum : s->reduction == SITU_GROUP_MIN ? SITU_EL_minimum : SITU_EL_add;
    return situ_fold_compile(f, (situ_dtype)s->like->dtype, el, s->site);
}

/* Streams between this rank and rank p: out, the roots of p's piece; in, p's roots of this rank's piece; and the sums
 * of both pieces. */
static void plan_streams(const sum *s, situ_collective *c, int p)
{
    const situ_folding *f = &c->fold;
    size_t first, bytes = range(s, p, &first);
    int theirs = situ_pieces(bytes);
    situ_stream *out = situ_collective_stream(c, p, true, theirs * s->own);
    for (size_t at = 0; at < bytes; at += SITU_PIECE)
        for (int i = 0; i < s->own; i++) situ_collective_move(c, out, c->own[i].data + first + at, situ_piece_bytes(bytes, at));
    situ_stream *in = situ_collective_stream(c, p, false, f->pieces * s->count[p]);
    for (int j = 0; j < f->pieces; j++)
        for (int i = 0; i < f->roots; i++)
            if (f->from[i] == p) situ_collective_move(c, in, situ_fold_place(f, j, i), situ_fold_length(f, j));
    if (s->whole || s->scatter) return;
    out = situ_collective_stream(c, p, true, f->pieces);
    for (int j = 0; j < f->pieces; j++) situ_collective_move(c, out, f->out + (size_t)j * SITU_PIECE, situ_fold_length(f, j));
    out->result = true;
    out->allowed = 0;
    in = situ_collective_stream(c, p, false, theirs);
    in->result = true;
    for (size_t at = 0; at < bytes; at += SITU_PIECE)
        situ_collective_move(c, in, c->data + first + at, situ_piece_bytes(bytes, at));
}

/* Fills in the number of roots of each rank and returns their total. */
static int count_roots(sum *s)
{
    situ_root root[SITU_MOST_ROOTS];
    int all = 0, most = 0;
    for (int r = 0; r < s->g->size; r++) {
        all += s->count[r] = situ_tree_roots(s->shards, r ? s->end[r - 1] : 0, s->end[r], root);
        if (s->count[r] > most) most = s->count[r];
    }
    s->whole = !s->scatter && (size_t)most * (size_t)s->elements * s->size <= SITU_RIDE;
    return all;
}

/* Starts computing all roots of this rank in one plan. */
static int start_own(const sum *s, situ_collective *c)
{
    situ_site site = s->site;
    for (int i = 0; i < s->own; i++) s->value[i] = situ_to(s->value[i], situ_cpu());
    if (s->own > 1 && situ_eval(TENSORS_OF(s->value, s->own))) return -situ_error_code;
    for (int i = 0; i < s->own; i++)
        if (situ_collective_operand(c, s->value[i])) return -situ_error_code;
    return 0;
}

/* ---- between cards ----------------------------------------------------------------------------------------------------------- */

static situ_collective *next_call(const sum *s, int owns)
{
    situ_collective *c = situ_collective_new(s->g, s->call, s->like, SITU_EVERYBODY, owns, 0, 0, s->site);
    if (!c) return NULL;
    c->e.head.reduction = (uint16_t)s->reduction;
    c->e.head.shards = s->call == SITU_CALL_TREE_SUM ? s->shards : 0;
    return c;
}

static int end_call(sum *s, situ_collective *c)
{
    if (!c || situ_error_code) {
        situ_collective_drop(c);
        return -situ_error_code;
    }
    int rc = situ_collective_start(c, false);
    s->begun |= !rc;
    return rc;
}

static situ_tensor *sum_by_nccl(sum *s, situ_shape shape)
{
    situ_collective *c = next_call(s, 1);
    situ_tensor *y =
        c && !situ_collective_operand(c, s->value[0]) ? situ_collective_result(c, (situ_dtype)s->like->dtype, shape) : NULL;
    size_t bytes = (size_t)s->elements * s->size, part = piece(s, s->g->rank + 1) - piece(s, s->g->rank);
    if (y) situ_collective_by_card(c, (size_t)s->elements, bytes - part + (s->scatter ? 0 : (size_t)(s->g->size - 1) * part));
    return end_call(s, c) ? NULL : y;
}

/* The other ranks' roots for this rank's piece, concatenated; NULL if there are none, or with an error. */
static situ_tensor *bring_roots(sum *s, int roots)
{
    int n = s->g->size, rank = s->g->rank;
    size_t first, bytes = range(s, rank, &first), from;
    situ_collective *c = next_call(s, s->own);
    situ_tensor *y = NULL;
    for (int i = 0; i < s->own && c; i++)
        if (situ_collective_operand(c, s->value[i])) break;
    int64_t length = (int64_t)(bytes / s->size) * (roots - s->own);
    if (c && !situ_error_code && length) y = situ_collective_result(c, (situ_dtype)s->like->dtype, SHAPE(length));
    if (c && !situ_error_code && !situ_collective_moves(c, n * s->own + roots)) {
        for (int r = 0, at = 0; r < n; r++)
            for (int i = 0; i < s->count[r] && r != rank; i++, at++)
                situ_collective_card_move(c, r, false, c->data + (size_t)at * bytes, bytes);
        for (int r = 0; r < n; r++)
            for (int i = 0; i < s->own && r != rank; i++) {
                size_t part = range(s, r, &from);
                situ_collective_card_move(c, r, true, c->own[i].data + from, part);
            }
    }
    return end_call(s, c) ? NULL : y;
}

/* Adds up the tree over all roots, for this rank's piece. */
static situ_tensor *add_roots(const sum *s, situ_tensor *others, int roots)
{
    situ_site site = s->site;
    size_t first, bytes = range(s, s->g->rank, &first);
    int64_t from = (int64_t)(first / s->size), length = (int64_t)(bytes / s->size);
    situ_tensor **now =
        situ_malloc((size_t)roots * (sizeof(situ_tensor *) + sizeof(situ_root) + sizeof(situ_fold_join) + sizeof(int)));
    if (!now) return situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", situ_call_name(s->call)), NULL;
    situ_root *root = (situ_root *)(void *)(now + roots);
    situ_fold_join *join = (situ_fold_join *)(void *)(root + roots);
    int at = 0, other = 0, *places = (int *)(void *)(join + roots);
    for (int r = 0; r < s->g->size; r++) {
        int n = situ_tree_roots(s->shards, r ? s->end[r - 1] : 0, s->end[r], root + at);
        for (int i = 0; i < n; i++, at++) {
            bool own = r == s->g->rank;
            int64_t begin = own ? from : length * other;
            other += !own;
            now[at] = situ_slice(
                own ? situ_reshape(s->value[i], SHAPE(-1)) : others, .start = SHAPE(begin), .stop = SHAPE(begin + length));
        }
    }
    int joins = situ_fold_joins(root, roots, places, join);
    for (int i = 0; i < joins && !situ_error_code; i++) {
        situ_tensor *a = now[join[i].a], *b = now[join[i].b];
        now[join[i].a] = s->reduction == SITU_GROUP_MAX ? situ_maximum(a, b) :
            s->reduction == SITU_GROUP_MIN              ? situ_minimum(a, b) :
                                                          situ_add(a, b);
    }
    situ_tensor *y = now[0];
    situ_free(now);
    return situ_error_code ? NULL : y;
}

/* Gathers all ranks' pieces, whose lengths differ. */
static situ_tensor *bring_pieces(sum *s, situ_tensor *own)
{
    int rank = s->g->rank;
    size_t first, bytes = range(s, rank, &first), from;
    situ_collective *c = next_call(s, 1);
    situ_tensor *y = c && !situ_collective_operand(c, own) ?
        situ_collective_result(c, (situ_dtype)s->like->dtype, situ_shape_like(s->like)) :
        NULL;
    if (y && !situ_collective_moves(c, 2 * s->g->size)) {
        c->copy = c->data + first;
        for (int r = 0; r < s->g->size; r++) {
            size_t part = range(s, r, &from);
            if (r == rank) continue;
            situ_collective_card_move(c, r, true, c->own[0].data, bytes);
            situ_collective_card_move(c, r, false, c->data + from, part);
        }
    }
    return end_call(s, c) ? NULL : y;
}

static situ_tensor *reduce_cards(sum *s, int roots, situ_shape shape)
{
    situ_site site = s->site;
    if (s->call != SITU_CALL_TREE_SUM && situ_card_calls_here()->adds((situ_dtype)s->like->dtype, s->reduction))
        return sum_by_nccl(s, shape);
    s->whole |= !s->scatter && s->elements < s->g->size;
    for (int i = 0; i < s->own; i++) s->value[i] = situ_to(s->value[i], situ_device_of(s->like));
    if (s->own > 1 && situ_eval(TENSORS_OF(s->value, s->own))) return NULL;
    situ_tensor *others = bring_roots(s, roots), *y = situ_error_code ? NULL : add_roots(s, others, roots);
    if (y && !s->scatter && !s->whole) return bring_pieces(s, y);
    return y ? situ_reshape(y, shape) : NULL;
}

/* ---- in the host's memory ---------------------------------------------------------------------------------------------------- */

static situ_tensor *reduce(sum *s)
{
    situ_site site = s->site;
    int n = s->g->size, rank = s->g->rank;
    s->elements = situ_node_count(s->like);
    s->size = situ_dtype_size((situ_dtype)s->like->dtype);
    if (!(s->count = situ_malloc((size_t)n * sizeof *s->count)))
        return situ_refused(SITU_NO_MEMORY, site, "%s: out of host memory", situ_call_name(s->call));
    int roots = count_roots(s), most = situ_pieces((size_t)s->elements * s->size) + n; /* number of pieces over all ranks */
    size_t first;
    int64_t mine = situ_pieces(range(s, rank, &first));
    situ_shape shape = situ_shape_like(s->like);
    if (s->scatter) shape.dim[0] /= n;
    bool before = situ_no_grad(true); /* no gradient is recorded: the caller attaches its own */
    bool cards = s->elements && situ_cards_of(s->g->link, situ_device_of(s->like), SITU_EVERYBODY, s->call, site);
    int64_t moves = (int64_t)most * (s->own + 1) + mine * (roots + n);
    situ_collective *c =
        cards || situ_error_code ? NULL : situ_collective_new(s->g, s->call, s->like, SITU_EVERYBODY, s->own, 4 * n, moves, site);
    situ_tensor *y = cards ? reduce_cards(s, roots, shape) : NULL;
    if (c && !start_own(s, c) && (y = situ_collective_result(c, (situ_dtype)s->like->dtype, shape)) && !plan_fold(s, c, roots)) {
        c->fold.out = c->data + (s->scatter ? 0 : first);
        c->e.head.reduction = (uint16_t)s->reduction;
        c->e.head.shards = s->call == SITU_CALL_TREE_SUM ? s->shards : 0;
        c->e.more = add_more;
        for (int p = 0; p < n; p++)
            if (p != rank) plan_streams(s, c, p);
        s->begun = !situ_collective_start(c, false);
        c = NULL;
    }
    situ_collective_drop(c);
    situ_free(s->count);
    if (s->begun && !y) y = situ_poisoned();
    if (s->begun && s->reduction == SITU_GROUP_MEAN) y = situ_div(y, n);
    if (s->begun) y = situ_to(y, situ_device_of(s->like));
    situ_no_grad(before);
    if (s->begun && s->rule) y = situ_custom_vjp(y, TENSORS(s->like), s->rule, s->g);
    return s->begun ? situ_group_give(s->g, y) : situ_poisoned();
}

/* ---- gradients: of the sum of all ranks' losses ------------------------------------------------------------------------------ */

void situ_group_vjp_sum(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out)
{
    (void)inputs;
    situ_site site = y->site;
    out[0] = situ_group_all_reduce(self, g);
}

static void vjp_mean(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out)
{
    (void)inputs;
    situ_site site = y->site;
    out[0] = situ_group_all_reduce(self, g, .reduction = SITU_GROUP_MEAN);
}

static void vjp_reduce_scatter(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out)
{
    (void)inputs;
    situ_site site = y->site;
    out[0] = situ_group_all_gather(self, g);
}

static void vjp_mean_scatter(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out)
{
    (void)inputs;
    situ_site site = y->site;
    out[0] = situ_div(situ_group_all_gather(self, g), situ_group_size(self));
}

/* Raises an error: without it, what depends on this result would silently have a gradient of zeros. */
static void vjp_extreme(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out)
{
    (void)self, (void)g, (void)inputs, (void)out;
    situ_fail(SITU_NO_GRADIENT, y->site,
        "the largest or smallest of all ranks' elements has no gradient: sums and means have; wrap the operand in " SITU_SAY(
            "situ_stop_gradient", "situ.stop_gradient") " if none should pass");
}

static void vjp_tree(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out)
{
    (void)self, (void)g, (void)inputs, (void)out;
    situ_fail(SITU_NO_GRADIENT, y->site,
        "a sum in one tree has no gradient: that of " SITU_SAY(
            "situ_group_all_reduce", "all_reduce") " has; wrap the operands in " SITU_SAY("situ_stop_gradient",
            "situ.stop_gradient") " if none should pass");
}

/* ---- public --------------------------------------------------------------------------------------------------------------------
 * */

static bool check(const situ_group *g, situ_tensor **x, situ_call_kind call, situ_group_reduction reduction, situ_site site)
{
    if (!situ_group_take(g, x, call, site)) return false;
    if ((unsigned)reduction > SITU_GROUP_MIN)
        return situ_fail(SITU_BAD_OPTION, site, "%s: .reduction is %d, which is none", situ_call_name(call), (int)reduction), false;
    situ_dtype d = (situ_dtype)(*x)->dtype;
    bool complex = d == SITU_C64 || d == SITU_C128;
    if (d == SITU_BOOL)
        return situ_fail(SITU_BAD_DTYPE, site,
                   "%s: x is bool; " SITU_SAY("situ_cast(x, SITU_I32)", "x.astype(\"int32\")") " counts", situ_call_name(call)),
               false;
    if (reduction >= SITU_GROUP_MAX ? !complex : reduction == SITU_GROUP_SUM || complex || situ_dtype_is_float(d)) return true;
    return situ_fail(SITU_BAD_DTYPE, site, "%s: %s; x is %s", situ_call_name(call),
               reduction == SITU_GROUP_MEAN ? "a mean is of floats" : "complex numbers have no order", situ_dtype_name(d)),
           false;
}

/* Sums with one tensor from each rank. */
static situ_tensor *reduce_one(
    situ_group *g, situ_tensor *x, situ_call_kind call, situ_group_reduction reduction, situ_vjp_fn rule, situ_site site)
{
    int64_t *end = situ_malloc((size_t)g->size * sizeof *end);
    if (!end) return situ_refused(SITU_NO_MEMORY, site, "%s: out of host memory", situ_call_name(call));
    for (int r = 0; r < g->size; r++) end[r] = r + 1;
    situ_tensor *value = x;
    sum s = {.g = g,
        .call = call,
        .reduction = reduction,
        .site = site,
        .like = x,
        .shards = g->size,
        .end = end,
        .own = 1,
        .value = &value,
        .rule = rule,
        .scatter = call == SITU_CALL_REDUCE_SCATTER};
    situ_tensor *y = reduce(&s);
    situ_free(end);
    return y;
}

situ_tensor *(situ_group_all_reduce)(situ_group *g, situ_tensor *x, const situ_group_reduce_options *options, situ_site site)
{
    SITU_SPEAK("situ_group_all_reduce", site);
    situ_group_reduce_options o = {SITU_DEFAULTS(SITU_GROUP_REDUCE_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_group_all_reduce", site) ||
        !check(g, &x, SITU_CALL_ALL_REDUCE, o.reduction, site))
        return situ_poisoned();
    if (!g->link) return situ_itself(x, site);
    static const situ_vjp_fn rule[] = {situ_group_vjp_sum, vjp_mean, vjp_extreme, vjp_extreme};
    return reduce_one(g, x, SITU_CALL_ALL_REDUCE, o.reduction, rule[o.reduction], site);
}

situ_tensor *(situ_group_reduce_scatter)(situ_group *g, situ_tensor *x, const situ_group_reduce_options *options, situ_site site)
{
    SITU_SPEAK("situ_group_reduce_scatter", site);
    situ_group_reduce_options o = {SITU_DEFAULTS(SITU_GROUP_REDUCE_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_group_reduce_scatter", site) ||
        !check(g, &x, SITU_CALL_REDUCE_SCATTER, o.reduction, site))
        return situ_poisoned();
    if (!x->ndim || x->dim[0] % g->size) {
        char text[512];
        return situ_refused(SITU_BAD_SHAPE, site, "situ_group_reduce_scatter: the first axis of %s is not cut into %d equal parts",
            situ_operand_text(x, text, sizeof text), g->size);
    }
    if (!g->link) return situ_itself(x, site);
    static const situ_vjp_fn rule[] = {vjp_reduce_scatter, vjp_mean_scatter, vjp_extreme, vjp_extreme};
    return reduce_one(g, x, SITU_CALL_REDUCE_SCATTER, o.reduction, rule[o.reduction], site);
}

int64_t situ_group_cut(const situ_group *g, int64_t total, int64_t *first)
{
    if (first) *first = 0;
    if (!situ_is_usable(g, "situ_group_cut", "group") || total < 1) return 0;
    int64_t *end = g->link ? situ_malloc((size_t)g->size * sizeof *end) : NULL, n = total;
    if (g->link && !end) situ_fail(SITU_NO_MEMORY, NULL, "situ_group_cut: out of host memory");
    if (end && !situ_tree_cut(total, g->size, end, NULL)) {
        int64_t from = g->rank ? end[g->rank - 1] : 0;
        if (first) *first = from;
        n = end[g->rank] - from;
    }
    situ_free(end);
    return situ_error_code ? 0 : n;
}

/* Adds the shards of this rank to roots, and sums the roots over all ranks. */
static situ_tensor *tree_sum(situ_group *g, situ_list part, int64_t total, const int64_t *end, situ_tensor *like, situ_site site)
{
    situ_root root[SITU_MOST_ROOTS];
    int64_t first = g->rank ? end[g->rank - 1] : 0;
    int own = situ_tree_roots(total, first, end[g->rank], root);
    situ_tensor **value = situ_malloc(((size_t)part.count + 1) * sizeof(situ_tensor *)), *of[SITU_MOST_ROOTS];
    if (!value) return situ_refused(SITU_NO_MEMORY, site, "situ_group_tree_sum: out of host memory");
    if (part.count) memcpy(value, part.tensor, (size_t)part.count * sizeof(situ_tensor *));
    bool before = situ_no_grad(true);
    for (int i = 0; i < own; i++) of[i] = situ_tree_sum(value + (root[i].first - first), (int)(root[i].end - root[i].first), site);
    sum s = {.g = g, .call = SITU_CALL_TREE_SUM, .site = site, .like = like, .shards = total, .end = end, .own = own, .value = of};
    situ_tensor *y = reduce(&s);
    situ_no_grad(before);
    situ_free(value);
    return y;
}

static int check_parts(const situ_group *g, situ_list part, int64_t here, int64_t total, situ_tensor *like, situ_site site)
{
    if (total < 1 || part.count < 0 || (part.count && !part.tensor))
        return situ_fail(
            SITU_BAD_ARGUMENT, site, "situ_group_tree_sum: %s", total < 1 ? "the total is less than 1" : "the list has no tensors");
    if (part.count != here)
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_group_tree_sum: rank %d of %d has %lld of %lld tensors, as " SITU_SAY(
                "situ_group_cut", "cut") " says, but %d are given",
            g->rank, g->size, (long long)here, (long long)total, part.count);
    if (!like) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_group_tree_sum: a rank without a tensor needs .like");
    if (!situ_usable(&like, 1, "situ_group_tree_sum", site)) return -situ_error_code;
    if (!part.count || !situ_usable(part.tensor, part.count, "situ_group_tree_sum", site)) return -situ_error_code;
    for (int i = 0; i < part.count; i++) {
        const situ_tensor *x = part.tensor[i];
        if (!situ_is_number(x) && x->dtype == like->dtype && x->ndim == like->ndim &&
            !memcmp(x->dim, like->dim, 8 * (size_t)like->ndim))
            continue;
        char text[512];
        return situ_fail(SITU_BAD_SHAPE, site, "situ_group_tree_sum: tensor %d, %s, is of another shape or dtype than %s", i,
            situ_operand_text(x, text, sizeof text), i ? "the first one" : ".like");
    }
    return 0;
}

situ_tensor *situ_group_add_up(situ_group *g, situ_list part, int64_t total, situ_tensor *like, situ_site site)
{
    if (situ_error_code || !situ_group_take(g, NULL, SITU_CALL_TREE_SUM, site)) return situ_poisoned();
    int64_t here = situ_group_cut(g, total, NULL);
    if (!like && part.tensor && part.count > 0) like = part.tensor[0];
    if (situ_error_code || check_parts(g, part, here, total, like, site)) return situ_poisoned();
    int64_t *end = situ_malloc((size_t)g->size * sizeof *end);
    if (!end) return situ_refused(SITU_NO_MEMORY, site, "situ_group_tree_sum: out of host memory");
    situ_tensor *y = NULL;
    if (!situ_tree_cut(total, g->size, end, site)) {
        if (g->link) {
            y = tree_sum(g, part, total, end, like, site);
        } else {
            situ_tensor **value = situ_malloc((size_t)part.count * sizeof(situ_tensor *));
            if (!value) situ_fail(SITU_NO_MEMORY, site, "situ_group_tree_sum: out of host memory");
            else memcpy(value, part.tensor, (size_t)part.count * sizeof(situ_tensor *));
            y = value ? situ_itself(situ_tree_sum(value, part.count, site), site) : NULL;
            situ_free(value);
        }
    }
    situ_free(end);
    return situ_error_code ? situ_poisoned() : y;
}

situ_tensor *(
    situ_group_tree_sum)(situ_group *g, situ_list part, int64_t total, const situ_group_tree_sum_options *options, situ_site site)
{
    SITU_SPEAK("situ_group_tree_sum", site);
    situ_group_tree_sum_options o = {SITU_DEFAULTS(SITU_GROUP_TREE_SUM_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_group_tree_sum", site)) return situ_poisoned();
    situ_tensor *y = situ_group_add_up(g, part, total, o.like, site);
    for (int i = 0; i < part.count && !situ_error_code && g->link; i++)
        y = situ_custom_vjp(y, TENSORS(part.tensor[i]), vjp_tree, g);
    return y;
}

static situ_tensor *sum_of_all(situ_group *g, situ_tensor *x, situ_site site) { return situ_group_all_reduce(g, x); }

const situ_collectives situ_group_collectives = {
    .size = situ_group_size, .rank = situ_group_rank, .cut = situ_group_cut, .sum = sum_of_all, .tree_sum = situ_group_add_up};
