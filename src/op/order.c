/* Positions of maxima, sorting, searching. All of it works on keys. */
#include "op/attr.h"
#include "numeric/extreme.h"
#include "op/kernel.h"
#include "op/number.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

typedef situ_axis_attr arg_attr;
static const char positions[] = "its results are positions";

/* ---- argmax, argmin -------------------------------------------------------------------------------------------------- */

static int infer_arg(situ_infer *c)
{
    const arg_attr *a = c->attr;
    const situ_tensor *x = c->in[0];
    int failed = situ_refuse_complex(c);
    if (failed) return failed;
    if (!x->dim[a->axis])
        return situ_fail(SITU_BAD_SHAPE, c->site, "%s: axis %d has no element to choose from", c->op->name, a->axis);
    c->dtype = SITU_I64;
    for (int i = 0; i < x->ndim; i++)
        if (i != a->axis) c->dim[c->ndim++] = x->dim[i];
    return 0;
}

/* The element with the largest rank wins, the first of equal ones; NaN has the largest rank for minima, too. */
SITU_KERNEL(arg, SITU_POSITIONS, (largest, real), {
    PER_J(u64_F, best);
    PER_J(i64_F, at);
    EACH_J J(best) = 0, J(at) = 0;
    for (i64_F s = 0; s < K.n; s++) {
        EACH_J
        {
            u64_F key = KEY(IN0[(row * K.n + s) * K.inner + j]), rank = K.largest || (K.real && key == ~(u64_F)0) ? key : ~key;
            i64_F better = rank > J(best);
            J(at) = better ? s : J(at);
            J(best) = better ? rank : J(best);
        }
    }
    EACH_J OUT[row * K.inner + j] = J(at);
})

static void arg_shape(const situ_call_desc *c, struct arg *k)
{
    situ_around r = situ_host_around(&c->in[0], ((const arg_attr *)c->attr)->axis);
    k->outer = r.outer, k->inner = r.inner, k->work = 1 + r.n, k->n = r.n;
    k->largest = c->op->code, k->real = situ_dtype_is_float((situ_dtype)c->in[0].dtype);
}

typedef struct job {
    const situ_call_desc *call;
    char *const *address;
    int64_t n;
} job;

static void arg_lines(void *context, int64_t first, int64_t end)
{
    const job *j = context;
    situ_dtype dtype = (situ_dtype)j->call->in[0].dtype;
    int64_t bytes = j->n * (int64_t)situ_dtype_size(dtype), *out = (int64_t *)(void *)j->address[0];
    for (int64_t i = first; i < end; i++) out[i] = situ_extreme(dtype, j->address[1] + i * bytes, j->n, j->call->op->code);
}

/* Contiguous lines are searched by vectors. */
static void host_arg(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    situ_around r = situ_host_around(&c->in[0], ((const arg_attr *)c->attr)->axis);
    job j = {c, address, r.n};
    if (r.inner == 1) situ_host_lines(h, arg_lines, &j, r, 1);
    else situ_kernel_host(c, address, h);
}

const situ_op situ_op_argmax = {.name = "argmax",
    .family = SITU_CALL,
    .code = 1,
    .operands = "x",
    .infer = infer_arg,
    .no_gradient = positions,
    .kernel = &arg_kernel,
    .host = host_arg};
const situ_op situ_op_argmin = {.name = "argmin",
    .family = SITU_CALL,
    .code = 0,
    .operands = "x",
    .infer = infer_arg,
    .no_gradient = positions,
    .kernel = &arg_kernel,
    .host = host_arg};

static situ_tensor *arg(const situ_op *op, situ_tensor *x, const situ_arg_options *options, situ_site site)
{
    situ_arg_options o = {.axis = SITU_ALL_AXES};
    if (!situ_usable(&x, 1, op->name, site) || !SITU_TAKE_OPTIONS(o, options, op->name, site)) return situ_poisoned();
    situ_shape kept = situ_shape_like(x);
    if (o.axis == SITU_ALL_AXES) {
        for (int i = 0; i < x->ndim; i++) kept.dim[i] = 1;
        x = situ_reshape(x, SHAPE(situ_node_count(x)));
        o.axis = 0;
    } else {
        o.axis = situ_axis(o.axis, x->ndim, op->name, site);
        if (o.axis < 0) return situ_poisoned();
        kept.dim[o.axis] = 1;
    }
    arg_attr attr = {.axis = o.axis};
    situ_tensor *y = situ_apply1(op, x, &attr, sizeof attr, site);
    return o.keepdims ? situ_reshape(y, kept) : y;
}

situ_tensor *(situ_argmax)(situ_tensor *x, const situ_arg_options *options, situ_site site)
{
    SITU_SPEAK("argmax", site);
    return arg(&situ_op_argmax, x, options, site);
}

situ_tensor *(situ_argmin)(situ_tensor *x, const situ_arg_options *options, situ_site site)
{
    SITU_SPEAK("argmin", site);
    return arg(&situ_op_argmin, x, options, site);
}

/* ---- searchsorted ---------------------------------------------------------------------------------------------------- */

static int infer_search(situ_infer *c)
{
    int failed = situ_refuse_complex(c);
    if (failed) return failed;
    if (c->in[0]->ndim != 1)
        return situ_fail(SITU_BAD_SHAPE, c->site, "searchsorted: the sorted sequence has %d dimensions, not 1", c->in[0]->ndim);
    c->dtype = SITU_I64;
    situ_infer_dims(c, c->in[1]->ndim, c->in[1]->dim);
    return 0;
}

/* Searches several values at a time, whose loads do not wait for each other; the result is the number of elements
 * before each. */
SITU_KERNEL(searchsorted, SITU_POSITIONS, (right), {
    PER_J(u64_F, value);
    PER_J(i64_F, low);
    EACH_J J(value) = KEY(IN1[j]), J(low) = 0;
    for (i64_F left = K.n, step; left > 0; left -= step) {
        step = left > 1 ? left / 2 : 1;
        EACH_J
        {
            u64_F key = KEY(IN0[J(low) + step - 1]);
            J(low) += step & -(i64_F)((key < J(value)) | ((key == J(value)) & K.right));
        }
    }
    EACH_J OUT[j] = J(low);
})

static void searchsorted_shape(const situ_call_desc *c, struct searchsorted *k)
{
    k->inner = situ_layout_count(&c->out), k->n = c->in[0].dim[0], k->work = 16;
    k->right = *(const int32_t *)c->attr;
}

const situ_op situ_op_searchsorted = {.name = "searchsorted",
    .family = SITU_CALL,
    .operands = "sorted, values",
    .infer = infer_search,
    .no_gradient = positions,
    SITU_ONE_KERNEL(searchsorted)};

/* Searching between u64 and signed dtypes: values beyond the searched dtype's range come before or after everything. */
static situ_tensor *search_integers(situ_tensor *sorted, situ_tensor *values, const situ_search_options *options, situ_site site)
{
    bool large = values->dtype == SITU_U64;
    situ_tensor *beyond = large ? situ_greater(values, INT64_MAX) : situ_less(values, 0);
    situ_dtype dtype = large ? SITU_I64 : SITU_U64;
    situ_tensor *at = (situ_searchsorted)(situ_cast(sorted, dtype), situ_cast(values, dtype), options, site);
    return situ_where(beyond, large && sorted->ndim ? sorted->dim[0] : 0, at);
}

situ_tensor *(situ_searchsorted)(situ_tensor *sorted, situ_tensor *values, const situ_search_options *options, situ_site site)
{
    SITU_SPEAK("searchsorted", site);
    situ_search_options o = {SITU_DEFAULTS(SITU_SEARCH_DEFAULTS)};
    situ_tensor *in[] = {sorted, values};
    if (!situ_together(in, 2, "searchsorted", "sorted, values", site) || !SITU_TAKE_OPTIONS(o, options, "searchsorted", site))
        return situ_poisoned();
    situ_infer both = {.nin = 2, .in = in};
    situ_dtype dtype = situ_infer_promote(&both, 0, 2);
    bool right = o.right;
    if (situ_is_number(values) && !situ_is_number(sorted)) {
        dtype = (situ_dtype)sorted->dtype;
        in[1] = situ_as_tensor(situ_number_between(values, dtype, &right), dtype, sorted, "searchsorted", site);
    } else if (situ_no_common_integer(sorted, values)) {
        return search_integers(sorted, values, options, site);
    }
    for (int i = 0; i < 2; i++) in[i] = situ_cast(in[i], dtype);
    int32_t attr = right;
    return situ_apply(&situ_op_searchsorted, in, 2, &attr, sizeof attr, NULL, 0, site);
}

/* ---- isin ------------------------------------------------------------------------------------------------------------ */

situ_tensor *(situ_isin)(situ_tensor *x, situ_tensor *values, const situ_isin_options *options, situ_site site)
{
    SITU_SPEAK("isin", site);
    situ_isin_options o = {SITU_DEFAULTS(SITU_ISIN_DEFAULTS)};
    situ_tensor *in[] = {x, values};
    if (!situ_together(in, 2, "isin", "x, values", site) || !SITU_TAKE_OPTIONS(o, options, "isin", site)) return situ_poisoned();
    situ_infer both = {.nin = 2, .in = in};
    situ_dtype dtype = situ_infer_promote(&both, 0, 2);
    const situ_tensor *some = situ_is_number(x) ? values : x;
    if (situ_no_common_integer(x, values)) { /* equal as i64, and not negative */
        situ_tensor *whole = situ_cast(x, SITU_I64), *found = situ_isin(whole, situ_cast(values, SITU_I64));
        found = situ_logical_and(found, situ_greater_equal(whole, 0));
        return o.invert ? situ_logical_not(found) : found;
    }
    for (int i = 0; i < 2 && !situ_is_number(some); i++) {
        if (!situ_is_number(in[i])) continue;
        dtype = (situ_dtype)some->dtype;
        if (!situ_number_is_in(in[i], dtype))
            return situ_full(situ_shape_like(x), o.invert, .dtype = SITU_BOOL, .device = some->device);
    }
    for (int i = 0; i < 2; i++) {
        if (situ_is_number(some)) in[i] = situ_full(SHAPE(), in[i], .dtype = dtype);
        else in[i] = situ_cast(situ_as_tensor(in[i], dtype, some, "isin", site), dtype);
        if (!situ_usable(&in[i], 1, "isin", site)) return situ_poisoned();
    }
    situ_shape shape = situ_shape_like(in[0]);
    int64_t n = situ_node_count(in[1]);
    situ_tensor *found, *flat = situ_reshape(in[1], SHAPE(n));
    if (!n) {
        found = situ_full(shape, 0, .dtype = SITU_BOOL, .device = in[0]->device);
    } else if (situ_dtype_is_complex(dtype)) { /* complex numbers have no order to search in */
        situ_tensor *all = situ_reshape(in[0], SHAPE(situ_node_count(in[0]), 1));
        found = situ_reshape(situ_any(situ_equal(all, flat), .axes = AXES(1)), shape);
    } else {
        situ_tensor *sorted = situ_sort(flat), *at = situ_minimum(situ_searchsorted(sorted, in[0]), n - 1);
        found = situ_equal(situ_take(sorted, at), in[0]);
    }
    return o.invert ? situ_logical_not(found) : found;
}
