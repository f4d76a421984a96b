/* Sums over ranks. Each rank sends the roots of its subtrees, piece by piece, to the rank that owns the piece; that one finishes
 * the tree, and sends the result to all. Where all of it rides in the heads, everybody sends everything to everybody instead, and
 * finishes the whole tree. */
#include <stdlib.h>
#include <string.h>

#include <situ/custom.h>
#include <situ/grad.h>

#include "base/memory.h"
#include "group/group.h"
#include "group/tree.h"
#include "op/support.h"
/* last */
#include "op/here.h"

/* What is summed, over all ranks. */
typedef struct sum {
    situ_group *g;
    situ_call_kind call;
    situ_group_reduction reduction;
    situ_site site;
    situ_tensor *like;
    int64_t shards;
    const int64_t *end;  /* [size] where each rank's shards end                    */
    int own;             /* roots of this rank ...                                 */
    situ_tensor **value; /* ... each of the shape of `like`, then as [count]       */
    situ_borrow *held;   /* [own]                                                  */
    situ_root *root;     /* [roots] of all ranks, in order                         */
    int *from;           /* [roots] their ranks                                    */
    situ_tensor **all;   /* [roots] the elements of them that this rank adds       */
    int roots;
    bool scatter, whole; /* each rank keeps its part; everybody adds everything    */
    int64_t count;       /* elements of `like`                                     */
} sum;

/* Where rank p's piece begins: element or row. */
static int64_t piece(const sum *s, int p)
{
    int64_t rows = s->scatter ? s->like->dim[0] : s->count, n = s->g->size;
    int64_t each = rows / n, more = rows % n; /* the first `more` of them have one element more */
    int64_t first = p * each + (p < more ? p : more);
    return s->scatter && rows ? first * (s->count / rows) : first;
}

static int list_roots(sum *s)
{
    situ_root root[SITU_MOST_ROOTS];
    int n = s->g->size, most = 0;
    for (int r = 0; r < n; r++) s->roots += situ_tree_roots(s->shards, r ? s->end[r - 1] : 0, s->end[r], root);
    size_t k = (size_t)s->roots;
    s->root = situ_malloc(k * (sizeof *s->root + sizeof *s->all + sizeof *s->from) + sizeof *s->root);
    s->held = situ_calloc((size_t)s->own + 1, sizeof *s->held);
    if (!s->root || !s->held) return situ_fail(SITU_NO_MEMORY, s->site, "%s: out of host memory", situ_call_name(s->call));
    s->all = (situ_tensor **)(void *)(s->root + k);
    s->from = (int *)(void *)(s->all + k);
    for (int r = 0, at = 0; r < n; r++) {
        int these = situ_tree_roots(s->shards, r ? s->end[r - 1] : 0, s->end[r], root);
        for (int i = 0; i < these; i++, at++) s->root[at] = root[i], s->from[at] = r;
        if (these > most) most = these;
    }
    s->whole = !s->scatter && (size_t)most * situ_node_bytes(s->like) <= SITU_RIDE;
    return 0;
}

/* All roots of this rank computed together. */
static int compute_own(sum *s)
{
    situ_site site = s->site;
    for (int i = 0; i < s->own; i++) s->value[i] = situ_reshape(situ_to(s->value[i], situ_cpu()), SHAPE(s->count));
    if (s->own && situ_eval(TENSORS_OF(s->value, s->own))) return -situ_error_code;
    for (int i = 0; i < s->own; i++)
        if (situ_group_values(s->value[i], &s->held[i], site)) return -situ_error_code;
    return 0;
}

/* The roots' elements of this rank's piece, from everybody. */
static int bring_roots(sum *s)
{
    situ_exchange e;
    situ_site site = s->site;
    int n = s->g->size, rank = s->g->rank, mine = 0;
    size_t size = situ_dtype_size((situ_dtype)s->like->dtype);
    int64_t first = s->whole ? 0 : piece(s, rank), count = (s->whole ? s->count : piece(s, rank + 1)) - first;
    situ_exchange_begin(&e, s->call, s->like);
    e.head.reduction = (uint16_t)s->reduction;
    e.head.shards = s->call == SITU_CALL_TREE_SUM ? s->shards : 0;
    e.move = situ_malloc((size_t)(s->own * n + s->roots + 1) * sizeof *e.move);
    if (!e.move) return situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", situ_call_name(s->call));
    for (int p = 0; p < n; p++)
        for (int i = 0; p != rank && i < s->own; i++) {
            int64_t from = s->whole ? 0 : piece(s, p), to = s->whole ? s->count : piece(s, p + 1);
            situ_exchange_move(&e, p, true, s->held[i].data + (size_t)from * size, (size_t)(to - from) * size);
        }
    for (int i = 0; i < s->roots && !situ_error_code; i++) {
        char *data;
        if (s->from[i] == rank) {
            s->all[i] = situ_slice(s->value[mine++], .start = SHAPE(first), .stop = SHAPE(first + count));
        } else if ((s->all[i] = situ_group_room((situ_dtype)s->like->dtype, SHAPE(count), &data, site))) {
            situ_exchange_move(&e, s->from[i], false, data, (size_t)count * size);
        }
    }
    int rc = situ_error_code ? -situ_error_code : situ_exchange_run(&e, s->g, site);
    situ_exchange_end(&e);
    return rc;
}

static situ_tensor *join(const sum *s, situ_tensor *a, situ_tensor *b)
{
    situ_site site = s->site;
    return s->reduction == SITU_GROUP_MAX ? situ_maximum(a, b) :
        s->reduction == SITU_GROUP_MIN    ? situ_minimum(a, b) :
                                            situ_add(a, b);
}

/* Level by level: two neighbours in one block of the level are its halves. */
static situ_tensor *finish(sum *s)
{
    situ_site site = s->site;
    int n = s->roots;
    for (int64_t block = 2; n > 1; block *= 2) {
        int to = 0;
        for (int i = 0; i < n; i++, to++) {
            s->root[to] = s->root[i];
            s->all[to] = s->all[i];
            if (i + 1 == n || s->root[i].first / block != s->root[i + 1].first / block) continue;
            s->all[to] = join(s, s->all[i], s->all[i + 1]);
            s->root[to].end = s->root[++i].end;
        }
        n = to;
    }
    return s->reduction == SITU_GROUP_MEAN ? situ_div(s->all[0], s->g->size) : s->all[0];
}

/* Everybody's piece, to everybody. */
static situ_tensor *share(sum *s, situ_tensor *own)
{
    situ_exchange e;
    situ_borrow b;
    situ_site site = s->site;
    char *data;
    int n = s->g->size, rank = s->g->rank;
    size_t size = situ_dtype_size(situ_dtype_of(own));
    if (situ_group_values(own, &b, site)) return situ_poisoned();
    situ_tensor *out = situ_group_room(situ_dtype_of(own), SHAPE(s->count), &data, site);
    situ_exchange_begin(&e, s->call, s->like);
    e.head.reduction = (uint16_t)s->reduction;
    e.head.second = true;
    e.move = out ? situ_malloc(2 * (size_t)n * sizeof *e.move) : NULL;
    if (!e.move) situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", situ_call_name(s->call));
    for (int p = 0; p < n && e.move; p++) {
        size_t from = (size_t)piece(s, p) * size, to = (size_t)piece(s, p + 1) * size,
               mine = (size_t)piece(s, rank + 1) * size - (size_t)piece(s, rank) * size;
        if (p == rank) {
            if (mine) memcpy(data + from, b.data, mine);
        } else {
            situ_exchange_move(&e, p, true, b.data, mine);
            situ_exchange_move(&e, p, false, data + from, to - from);
        }
    }
    if (e.move) situ_exchange_run(&e, s->g, site);
    situ_group_return(&b);
    situ_exchange_end(&e);
    return situ_error_code ? situ_poisoned() : out;
}

static situ_tensor *reduce(sum *s)
{
    situ_site site = s->site;
    situ_device device = situ_device_of(s->like);
    situ_shape shape = situ_shape_like(s->like);
    s->count = situ_node_count(s->like);
    if (s->scatter) shape.dim[0] /= s->g->size;
    bool before = situ_no_grad(true); /* what has a gradient says so itself */
    situ_tensor *y = situ_poisoned();
    if (!list_roots(s) && !compute_own(s) && !bring_roots(s)) {
        y = finish(s);
        if (!s->whole && !s->scatter) y = share(s, y);
        y = situ_to(situ_reshape(y, shape), device);
    }
    for (int i = 0; s->held && i < s->own; i++) situ_group_return(&s->held[i]);
    situ_free(s->held);
    situ_free(s->root);
    situ_no_grad(before);
    return situ_error_code ? situ_poisoned() : y;
}

/* ---- gradients: of the sum of all ranks' losses ------------------------------------------------------------------------------ */

static void vjp_all_reduce(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out)
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

/* ---- public --------------------------------------------------------------------------------------------------------------------
 * */

static bool check(const situ_group *g, situ_tensor **x, situ_call_kind call, situ_group_reduction reduction, situ_site site)
{
    if (!situ_group_take(g, x, call, site)) return false;
    if ((unsigned)reduction > SITU_GROUP_MIN)
        return situ_fail(SITU_BAD_OPTION, site, "%s: .reduction is %d, which is none", situ_call_name(call), (int)reduction), false;
    if (reduction != SITU_GROUP_MEAN || situ_dtype_is_float((situ_dtype)(*x)->dtype)) return true;
    return situ_fail(SITU_BAD_DTYPE, site, "%s: a mean is of floats; x is %s", situ_call_name(call),
               situ_dtype_name((situ_dtype)(*x)->dtype)),
           false;
}

/* One tensor of each rank. */
static situ_tensor *reduce_one(situ_group *g, situ_tensor *x, situ_call_kind call, situ_group_reduction reduction, situ_site site)
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
        .scatter = call == SITU_CALL_REDUCE_SCATTER};
    situ_tensor *y = reduce(&s);
    situ_free(end);
    return y;
}

situ_tensor *(situ_group_all_reduce)(situ_group *g, situ_tensor *x, const situ_group_all_reduce_options *options, situ_site site)
{
    SITU_SPEAK("situ_group_all_reduce", site);
    situ_group_all_reduce_options o = {SITU_DEFAULTS(SITU_GROUP_ALL_REDUCE_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_group_all_reduce", site) ||
        !check(g, &x, SITU_CALL_ALL_REDUCE, o.reduction, site))
        return situ_poisoned();
    if (!g->link) return situ_itself(x, site);
    situ_tensor *y = reduce_one(g, x, SITU_CALL_ALL_REDUCE, o.reduction, site);
    if (o.reduction > SITU_GROUP_MEAN) return y;
    return situ_custom_vjp(y, TENSORS(x), o.reduction ? vjp_mean : vjp_all_reduce, g);
}

situ_tensor *(
    situ_group_reduce_scatter)(situ_group *g, situ_tensor *x, const situ_group_reduce_scatter_options *options, situ_site site)
{
    SITU_SPEAK("situ_group_reduce_scatter", site);
    situ_group_reduce_scatter_options o = {SITU_DEFAULTS(SITU_GROUP_REDUCE_SCATTER_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_group_reduce_scatter", site) ||
        !check(g, &x, SITU_CALL_REDUCE_SCATTER, o.reduction, site))
        return situ_poisoned();
    if (!x->ndim || x->dim[0] % g->size) {
        char text[512];
        return situ_refused(SITU_BAD_SHAPE, site, "situ_group_reduce_scatter: the first axis of %s is not cut into %d equal parts",
            situ_operand_text(x, text, sizeof text), g->size);
    }
    if (!g->link) return situ_itself(x, site);
    situ_tensor *y = reduce_one(g, x, SITU_CALL_REDUCE_SCATTER, o.reduction, site);
    return o.reduction == SITU_GROUP_SUM ? situ_custom_vjp(y, TENSORS(x), vjp_reduce_scatter, g) : y;
}

int64_t situ_group_cut(const situ_group *g, int64_t total, int64_t *first)
{
    if (first) *first = 0;
    if (!situ_there(g, "situ_group_cut", "group") || total < 1) return 0;
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

/* The roots of this rank's part, and their sum over all ranks. */
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

situ_tensor *(
    situ_group_tree_sum)(situ_group *g, situ_list part, int64_t total, const situ_group_tree_sum_options *options, situ_site site)
{
    SITU_SPEAK("situ_group_tree_sum", site);
    situ_group_tree_sum_options o = {SITU_DEFAULTS(SITU_GROUP_TREE_SUM_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_group_tree_sum", site) ||
        !situ_group_take(g, NULL, SITU_CALL_TREE_SUM, site))
        return situ_poisoned();
    int64_t here = situ_group_cut(g, total, NULL);
    situ_tensor *like = o.like ? o.like : part.tensor && part.count > 0 ? part.tensor[0] : NULL;
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
