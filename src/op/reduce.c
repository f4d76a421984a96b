/* A reduction of one group of neighbouring axes in the documented order; several groups are reduced one after the
 * other. */
#include "op/reduce.h"

#include <math.h>

#include "op/reduce_kind.h"
#include "op/generate.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static void mark_neighbours(const situ_reduce_attr *a, bool *mark)
{
    for (int i = 0; i < SITU_MAX_DIMS; i++) mark[i] = i >= a->first && i < a->first + a->count;
}

static int infer_marked(situ_infer *c, const bool *mark, bool keepdims)
{
    const situ_tensor *x = c->in[0];
    int failed = situ_refuse_complex(c);
    if (failed) return failed;
    c->dtype = (situ_dtype)x->dtype;
    c->ndim = 0;
    for (int i = 0; i < x->ndim; i++)
        if (!mark[i] || keepdims) c->dim[c->ndim++] = mark[i] ? 1 : x->dim[i];
    return 0;
}

static int infer_reduce(situ_infer *c)
{
    const situ_reduce_attr *a = c->attr;
    bool mark[SITU_MAX_DIMS];
    mark_neighbours(a, mark);
    return infer_marked(c, mark, a->keepdims);
}

/* t with its reduced axes inserted again, with size 1. */
static situ_tensor *unreduced(const situ_vjp *c, situ_tensor *t, situ_site site)
{
    const situ_reduce_attr *a = situ_node_attr(c->y);
    situ_shape shape = situ_shape_like(c->in[0]);
    for (int i = a->first; i < a->first + a->count; i++) shape.dim[i] = 1;
    return situ_reshape(t, shape);
}

static void vjp_sum(situ_vjp *c)
{
    situ_site site = c->site;
    c->out[0] = situ_broadcast_to(unreduced(c, c->g, site), situ_shape_like(c->in[0]));
}

/* Equal shares for ties along the marked axes; a half could not count them. NaN ties with nothing: if it is the
 * result, the gradient is NaN everywhere. */
static void share(situ_vjp *c, const bool *mark)
{
    situ_site site = c->site;
    situ_dtype dtype = (situ_dtype)c->g->dtype;
    situ_shape shape = situ_shape_like(c->in[0]);
    situ_axes axes = {.given = 1};
    for (int i = 0; i < shape.ndim; i++)
        if (mark[i]) shape.dim[axes.axis[axes.count++] = i] = 1;
    situ_tensor *g = situ_reshape(c->g, shape), *y = situ_reshape(c->y, shape), *tie = situ_equal(c->in[0], y);
    situ_tensor *ties = situ_sum(situ_cast(tie, situ_dtype_size(dtype) == 2 ? SITU_F32 : dtype), .axes = axes, .keepdims = true);
    situ_tensor *others = situ_cast(situ_where(situ_isnan(y), NAN, 0), dtype);
    c->out[0] = situ_where(tie, situ_cast(situ_div(g, ties), dtype), others);
}

static void vjp_extreme(situ_vjp *c)
{
    bool mark[SITU_MAX_DIMS];
    mark_neighbours(situ_node_attr(c->y), mark);
    share(c, mark);
}

/* Products of all elements before each one along axis 1 of [A,R,C], or of all after it, which stay right if some are
 * 0. */
static situ_tensor *exclusive_products(situ_tensor *x, bool reverse, situ_site site)
{
    situ_shape first = SHAPE(x->dim[0], 1, x->dim[2]);
    situ_tensor *one = situ_ones(first, .dtype = (situ_dtype)x->dtype, .device = x->device);
    situ_tensor *all = situ_cumprod(x, .axis = 1, .reverse = reverse);
    if (reverse) return situ_concat(TENSORS(situ_slice(all, .start = SHAPE(0, 1)), one), .axis = 1);
    return situ_concat(TENSORS(one, situ_slice(all, .stop = SHAPE(SITU_FULL, -1))), .axis = 1);
}

static void vjp_prod(situ_vjp *c)
{
    situ_site site = c->site;
    const situ_reduce_attr *a = situ_node_attr(c->y);
    const situ_tensor *x = c->in[0];
    situ_shape reduced = SHAPE(1, 1, 1);
    for (int i = 0; i < x->ndim; i++) reduced.dim[i < a->first ? 0 : i < a->first + a->count ? 1 : 2] *= x->dim[i];
    if (!reduced.dim[1]) { /* no elements */
        vjp_sum(c);
        return;
    }
    situ_tensor *flat = situ_reshape(c->in[0], reduced);
    situ_tensor *others = situ_mul(exclusive_products(flat, false, site), exclusive_products(flat, true, site));
    c->out[0] = situ_mul(unreduced(c, c->g, site), situ_reshape(others, situ_shape_like(x)));
}

#define REDUCE(id, reduction, ...) \
    const situ_op situ_op_##id = { \
        .name = #id, .family = SITU_REDUCE, .code = SITU_REDUCE_##reduction, .operands = "x", .infer = infer_reduce, __VA_ARGS__}
REDUCE(sum, SUM, .vjp = vjp_sum);
REDUCE(prod, PROD, .vjp = vjp_prod, .reads = {SITU_READS_A});
REDUCE(max, MAX, .vjp = vjp_extreme, .reads = {SITU_READS_A | SITU_READS_RESULT});
REDUCE(min, MIN, .vjp = vjp_extreme, .reads = {SITU_READS_A | SITU_READS_RESULT});
REDUCE(any, ANY, .no_gradient = "its result is a bool");
REDUCE(all, ALL, .no_gradient = "its result is a bool");

/* ---- public functions -------------------------------------------------------------------------------------------------- */

#define SAME_PLACE(T, field, as) _Static_assert(offsetof(T, field) == offsetof(situ_reduce_taken, as), #T "." #field)
SAME_PLACE(situ_extreme_options, axes, axes);
SAME_PLACE(situ_extreme_options, keepdims, keepdims);
SAME_PLACE(situ_sum_options, dtype, dtype);
SAME_PLACE(situ_var_options, dtype, dtype);
SAME_PLACE(situ_var_options, correction, parameter);
SAME_PLACE(situ_norm_options, dtype, dtype);
SAME_PLACE(situ_norm_options, ord, parameter);
_Static_assert(sizeof(situ_extreme_options) <= offsetof(situ_reduce_taken, dtype), "an extreme has no dtype");
_Static_assert(sizeof(situ_sum_options) <= offsetof(situ_reduce_taken, parameter), "a sum has no parameter");

bool situ_take_reduce(situ_tensor *x, situ_reduce_taken *o, bool *mark, const void *options, const char *operation, situ_site site)
{
    *o = (situ_reduce_taken){.axes = SITU_AXES_UNSET, .dtype = SITU_DTYPE_DEFAULT, .parameter = o->parameter};
    if (!situ_usable(&x, 1, operation, site) || !SITU_TAKE_OPTIONS(*o, options, operation, site)) return false;
    if (o->dtype != SITU_DTYPE_DEFAULT && !situ_dtype_valid(o->dtype))
        return situ_fail(SITU_BAD_DTYPE, site, "%s: %d is no dtype", operation, (int)o->dtype), false;
    return situ_take_axes(&o->axes, operation, site) && situ_axes_mark(o->axes, x->ndim, mark, operation, site);
}

int64_t situ_reduce_count(const situ_tensor *x, const bool *mark)
{
    int64_t n = 1;
    for (int i = 0; i < x->ndim; i++)
        if (mark[i]) n *= x->dim[i];
    return n;
}

/* Complex numbers: the parts of a sum are sums of parts. A product is the last running product along its axes. */
static situ_tensor *complex_product(situ_tensor *x, int first, int count, bool keepdims, situ_site site)
{
    situ_shape reduced = SHAPE(1, 1, 1), shape = {.ndim = 0};
    for (int i = 0; i < x->ndim; i++) {
        bool in = i >= first && i < first + count;
        reduced.dim[i < first ? 0 : in ? 1 : 2] *= x->dim[i];
        if (!in || keepdims) shape.dim[shape.ndim++] = in ? 1 : x->dim[i];
    }
    if (!reduced.dim[1]) return situ_ones(shape, .dtype = (situ_dtype)x->dtype, .device = x->device);
    situ_tensor *running = situ_cumprod(situ_reshape(x, reduced), .axis = 1);
    return situ_reshape(situ_select(running, 1, reduced.dim[1] - 1), shape);
}

static situ_tensor *reduction(const situ_op *op, situ_tensor *x, int first, int count, bool keepdims, situ_site site)
{
    if (!situ_dtype_is_complex((situ_dtype)x->dtype) || (op != &situ_op_sum && op != &situ_op_prod)) {
        situ_reduce_attr attr = {.first = first, .count = count, .keepdims = keepdims, .dtype = x->dtype};
        return situ_apply1(op, x, &attr, sizeof attr, site);
    }
    if (op == &situ_op_prod) return complex_product(x, first, count, keepdims, site);
    return situ_complex(
        reduction(op, situ_real(x), first, count, keepdims, site), reduction(op, situ_imag(x), first, count, keepdims, site));
}

static situ_tensor *reduce_groups(const situ_op *op, situ_tensor *x, const bool *mark, bool keepdims, situ_site site)
{
    int end = x->ndim;
    while (end > 0) {
        if (!mark[end - 1]) {
            end--;
            continue;
        }
        int first = end - 1;
        while (first > 0 && mark[first - 1]) first--;
        x = reduction(op, x, first, end - first, keepdims, site);
        if (x->flags & SITU_NODE_POISON) return x;
        end = first;
    }
    return situ_itself(x, site);
}

/* True if the marked axes are not neighbours, so that several reductions are needed. */
static bool scattered(const bool *mark, int ndim)
{
    int runs = 0;
    for (int i = 0; i < ndim; i++) runs += mark[i] && !(i && mark[i - 1]);
    return runs > 1;
}

/* Several reductions as one operation, whose gradient treats all ties alike; separate ones would share twice. */
typedef struct apart_attr {
    bool mark[SITU_MAX_DIMS], keepdims, least;
} apart_attr;

static int infer_apart(situ_infer *c)
{
    const apart_attr *a = c->attr;
    return infer_marked(c, a->mark, a->keepdims);
}

static situ_tensor *expand_apart(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    const apart_attr *a = attr;
    (void)nin;
    return reduce_groups(a->least ? &situ_op_min : &situ_op_max, in[0], a->mark, a->keepdims, site);
}

static void vjp_apart(situ_vjp *c)
{
    const apart_attr *a = situ_node_attr(c->y);
    share(c, a->mark);
}

static const situ_op extreme_apart = {.name = "max or min",
    .family = SITU_COMPOSITE,
    .operands = "x",
    .infer = infer_apart,
    .expand = expand_apart,
    .vjp = vjp_apart,
    .reads = {SITU_READS_A | SITU_READS_RESULT}};

situ_tensor *situ_reduce_marked(const situ_op *op, situ_tensor *x, const bool *mark, bool keepdims, situ_site site)
{
    if (!situ_usable(&x, 1, op->name, site)) return situ_poisoned();
    if ((op == &situ_op_max || op == &situ_op_min) && scattered(mark, x->ndim)) {
        apart_attr attr = {.keepdims = keepdims, .least = op == &situ_op_min};
        memcpy(attr.mark, mark, (size_t)x->ndim * sizeof *mark);
        return situ_apply1(&extreme_apart, x, &attr, sizeof attr, site);
    }
    return reduce_groups(op, x, mark, keepdims, site);
}

/* bool and integers are reduced as 64-bit integers of their kind. */
static situ_dtype sum_dtype(situ_dtype d)
{
    switch (situ_dtype_kind(d)) {
    case SITU_KIND_BOOLEAN:
    case SITU_KIND_SIGNED: return SITU_I64;
    case SITU_KIND_UNSIGNED: return SITU_U64;
    default: return d;
    }
}

static situ_tensor *total(const situ_op *op, situ_tensor *x, const void *options, situ_site site)
{
    situ_reduce_taken o = {.parameter = 0};
    bool mark[SITU_MAX_DIMS];
    if (!situ_take_reduce(x, &o, mark, options, op->name, site)) return situ_poisoned();
    situ_dtype dtype = o.dtype == SITU_DTYPE_DEFAULT ? sum_dtype((situ_dtype)x->dtype) : o.dtype;
    /* bools have no sum; it is computed as logical or */
    if (dtype == SITU_BOOL)
        return situ_reduce_marked(op == &situ_op_sum ? &situ_op_any : &situ_op_all, situ_cast(x, dtype), mark, o.keepdims, site);
    x = situ_cast(x, dtype);
    /* halves are rounded once, not after each reduction */
    bool widen = situ_dtype_is_float(dtype) && situ_dtype_size(dtype) == 2 && scattered(mark, x->ndim);
    return situ_cast(situ_reduce_marked(op, widen ? situ_cast(x, SITU_F32) : x, mark, o.keepdims, site), dtype);
}

static situ_tensor *extreme(const situ_op *op, situ_tensor *x, const void *options, situ_site site)
{
    situ_reduce_taken o = {.parameter = 0};
    bool mark[SITU_MAX_DIMS];
    if (!situ_take_reduce(x, &o, mark, options, op->name, site)) return situ_poisoned();
    if (!situ_reduce_count(x, mark) && !situ_is_number(x)) {
        char text[SITU_BRIEF_TEXT];
        situ_fail(SITU_BAD_SHAPE, site, "%s: no element to choose from in %s", op->name, situ_brief(x, text));
        return situ_poisoned();
    }
    if (situ_is_number(x)) x = situ_full(SHAPE(), x);
    return situ_reduce_marked(op, x, mark, o.keepdims, site);
}

static situ_tensor *test(const situ_op *op, situ_tensor *x, const void *options, situ_site site)
{
    situ_reduce_taken o = {.parameter = 0};
    bool mark[SITU_MAX_DIMS];
    if (!situ_take_reduce(x, &o, mark, options, op->name, site)) return situ_poisoned();
    return situ_reduce_marked(op, situ_cast(x, SITU_BOOL), mark, o.keepdims, site);
}

#define REDUCTION(name, set, how) \
    situ_tensor *(situ_##name)(situ_tensor * x, const situ_##set##_options *options, situ_site site) \
    { \
        return how(&situ_op_##name, x, options, site); \
    }
REDUCTION(sum, sum, total)
REDUCTION(prod, sum, total)
REDUCTION(max, extreme, extreme)
REDUCTION(min, extreme, extreme)
REDUCTION(any, extreme, test)
REDUCTION(all, extreme, test)

situ_tensor *(situ_count_nonzero)(situ_tensor *x, const situ_extreme_options *options, situ_site site)
{
    SITU_SPEAK("count_nonzero", site);
    situ_reduce_taken o = {.parameter = 0};
    bool mark[SITU_MAX_DIMS];
    if (!situ_take_reduce(x, &o, mark, options, "count_nonzero", site)) return situ_poisoned();
    return situ_reduce_marked(&situ_op_sum, situ_cast(situ_cast(x, SITU_BOOL), SITU_I64), mark, o.keepdims, site);
}
