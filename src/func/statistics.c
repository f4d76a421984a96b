/* Order statistics, weighted means, and counts. */
#include <math.h>

#include <situ/create.h>
#include <situ/index.h>

#include "op/reduce.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static bool real(const situ_tensor *x, const char *operation, situ_site site)
{
    char text[SITU_BRIEF_TEXT];
    if (!situ_is_number(x) && !situ_dtype_is_complex((situ_dtype)x->dtype)) return true;
    situ_fail(SITU_BAD_DTYPE, site, "%s: x is %s; it must be a tensor of real numbers", operation, situ_brief(x, text));
    return false;
}

/* ---- quantiles ----------------------------------------------------------------------------------------------------------- */

/* Merges the marked axes into one, the last; shape: the other axes. */
static situ_tensor *marked_last(situ_tensor *x, const bool *mark, situ_shape *shape, situ_site site)
{
    situ_axes order = {.given = 1};
    int64_t n = 1;
    for (int i = 0; i < x->ndim; i++)
        if (!mark[i]) shape->dim[shape->ndim++] = x->dim[order.axis[order.count++] = i];
    for (int i = 0; i < x->ndim; i++)
        if (mark[i]) n *= x->dim[order.axis[order.count++] = i];
    situ_shape flat = *shape;
    if (flat.ndim == SITU_MAX_DIMS) return x; /* no axis was marked */
    flat.dim[flat.ndim++] = n;
    return situ_reshape(situ_permute(x, order), flat);
}

/* Interpolates between two neighbours of the sorted elements; at an element it is that element, even next to an
 * infinity. q: [m], f64. */
static situ_tensor *between(situ_tensor *sorted, situ_tensor *q, situ_quantile_method method, situ_site site)
{
    int64_t n = sorted->dim[sorted->ndim - 1];
    situ_tensor *at = situ_mul(q, (double)(n - 1)), *low = situ_floor(at), *high = situ_ceil(at);
    if (method == SITU_QUANTILE_NEAREST) at = low = high = situ_round(at);
    if (method == SITU_QUANTILE_LOWER) at = high = low;
    if (method == SITU_QUANTILE_HIGHER) at = low = high;
    situ_tensor *share = situ_sub(at, low);
    if (method == SITU_QUANTILE_MIDPOINT) share = situ_where(situ_equal(low, high), 0, 0.5);
    situ_tensor *a = situ_take(sorted, situ_cast(low, SITU_I64), .axis = -1);
    if (low == high) return a;
    situ_tensor *b = situ_take(sorted, situ_cast(high, SITU_I64), .axis = -1), *apart = situ_sub(b, a);
    share = situ_cast(share, (situ_dtype)sorted->dtype);
    /* the first form is exact for equal neighbours, the second avoids inf - inf */
    situ_tensor *within = situ_add(a, situ_mul(apart, share)),
                *weighed = situ_add(situ_mul(a, situ_sub(1, share)), situ_mul(b, share));
    return situ_where(situ_equal(low, high), a, situ_where(situ_isfinite(apart), within, weighed));
}

situ_tensor *(situ_quantile)(situ_tensor *x, situ_tensor *q, const situ_quantile_options *options, situ_site site)
{
    SITU_SPEAK("quantile", site);
    situ_quantile_options o = {SITU_DEFAULTS(SITU_QUANTILE_DEFAULTS)};
    bool mark[SITU_MAX_DIMS];
    char text[SITU_BRIEF_TEXT];
    if (!situ_together((situ_tensor *[]){x, q}, 2, "quantile", "x, q", site) || !SITU_TAKE_OPTIONS(o, options, "quantile", site) ||
        !situ_take_axes(&o.axes, "quantile", site) || !real(x, "quantile", site) ||
        !situ_axes_mark(o.axes, x->ndim, mark, "quantile", site))
        return situ_poisoned();
    if (q->ndim > 1 || situ_dtype_is_complex((situ_dtype)q->dtype) ||
        (situ_is_number(q) && !(situ_number_f64(q) >= 0 && situ_number_f64(q) <= 1)))
        return situ_refused(
            SITU_BAD_ARGUMENT, site, "quantile: q is %s; it is a number from 0 to 1, or a vector of them", situ_brief(q, text));
    if (o.method < SITU_QUANTILE_LINEAR || o.method > SITU_QUANTILE_MIDPOINT)
        return situ_refused(SITU_BAD_OPTION, site, "quantile: " SITU_SAY(".method", "method") " = %d is none", (int)o.method);
    if (!situ_reduce_count(x, mark))
        return situ_refused(SITU_BAD_SHAPE, site, "quantile: no element to choose from in %s", situ_brief(x, text));
    situ_shape shape = {.ndim = 0};
    situ_dtype dtype = situ_as_float((situ_dtype)x->dtype);
    situ_tensor *flat = marked_last(situ_cast(x, situ_dtype_compute(dtype)), mark, &shape, site);
    int64_t count = q->ndim ? q->dim[0] : 1;
    situ_tensor *at = situ_is_number(q) ? situ_full(SHAPE(1), q, .dtype = SITU_F64, .device = x->device) :
                                          situ_reshape(situ_cast(q, SITU_F64), SHAPE(count));
    /* NaN is sorted last, and makes all quantiles NaN */
    situ_tensor *sorted = situ_sort(flat), *last = situ_slice(situ_moveaxis(sorted, -1, 0), .start = SHAPE(-1));
    situ_tensor *y = situ_moveaxis(between(sorted, at, o.method, site), -1, 0);
    /* the maximum is then NaN, too, and passes the gradient to all elements */
    situ_tensor *largest = situ_moveaxis(situ_max(flat, .axes = AXES(-1), .keepdims = true), -1, 0);
    y = situ_where(situ_isnan(last), largest, y);
    situ_shape line = {.ndim = shape.ndim + 1, .dim = {count, 1, 1, 1, 1, 1, 1, 1}};
    /* multiplies, since a choice between y and y * NaN would have the gradient 0 * NaN where it is y */
    situ_tensor *inside = situ_reshape(situ_logical_and(situ_greater_equal(at, 0), situ_less_equal(at, 1)), line);
    y = situ_mul(y, situ_cast(situ_where(inside, 1.0, NAN), (situ_dtype)y->dtype));
    if (o.keepdims) {
        shape = situ_shape_like(x);
        for (int i = 0; i < x->ndim; i++) shape.dim[i] = mark[i] ? 1 : shape.dim[i];
    }
    if (q->ndim) {
        if (shape.ndim == SITU_MAX_DIMS)
            return situ_refused(SITU_BAD_SHAPE, site, "quantile: a result of more than %d dimensions", SITU_MAX_DIMS);
        memmove(shape.dim + 1, shape.dim, 8 * (size_t)shape.ndim++);
        shape.dim[0] = count;
    }
    return situ_cast(situ_reshape(y, shape), dtype);
}

situ_tensor *(situ_median)(situ_tensor *x, const situ_extreme_options *options, situ_site site)
{
    SITU_SPEAK("median", site);
    situ_extreme_options o = {SITU_DEFAULTS(SITU_EXTREME_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, "median", site)) return situ_poisoned();
    return situ_quantile(x, 0.5, .axes = o.axes, .keepdims = o.keepdims, .method = SITU_QUANTILE_MIDPOINT);
}

/* ---- weighted means ------------------------------------------------------------------------------------------------------ */

situ_tensor *(situ_weighted_average)(situ_tensor *x, situ_tensor *weights, const situ_extreme_options *options, situ_site site)
{
    SITU_SPEAK("weighted_average", site);
    situ_reduce_taken o = {.parameter = 0};
    bool mark[SITU_MAX_DIMS];
    char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT];
    if (!situ_together((situ_tensor *[]){x, weights}, 2, "weighted_average", "x, weights", site) ||
        !situ_take_reduce(x, &o, mark, options, "weighted_average", site))
        return situ_poisoned();
    int axis = -1, count = 0;
    for (int i = 0; i < x->ndim; i++)
        if (mark[i]) axis = i, count++;
    bool line = weights->ndim == 1 && count == 1 && weights->dim[0] == x->dim[axis];
    if (!line && !situ_shape_equal(weights->ndim, weights->dim, x->ndim, x->dim))
        return situ_refused(SITU_BAD_SHAPE, site,
            "weighted_average: weights %s for x %s; they have its shape, or are a vector along its one axis",
            situ_brief(weights, b), situ_brief(x, a));
    situ_shape shape = {.ndim = x->ndim - axis, .dim = {line ? weights->dim[0] : 1, 1, 1, 1, 1, 1, 1, 1}};
    situ_dtype dtype = situ_dtype_promote(situ_as_float((situ_dtype)x->dtype), (situ_dtype)weights->dtype),
               wide = situ_dtype_compute(dtype);
    if (situ_dtype_is_integer((situ_dtype)x->dtype) && situ_dtype_size((situ_dtype)x->dtype) >= 4)
        wide = situ_dtype_promote(wide, SITU_F64);
    situ_tensor *w = situ_cast(line ? situ_reshape(weights, shape) : weights, wide);
    w = situ_broadcast_to(w, situ_shape_like(x));
    situ_tensor *sum = situ_reduce_marked(&situ_op_sum, situ_mul(situ_cast(x, wide), w), mark, o.keepdims, site);
    return situ_cast(situ_div(sum, situ_reduce_marked(&situ_op_sum, w, mark, o.keepdims, site)), dtype);
}

/* ---- counts -------------------------------------------------------------------------------------------------------------- */

/* Adds 1, or a weight, at each index; an index out of range is an error when it is computed. */
static situ_tensor *counted(situ_tensor *at, situ_tensor *weights, int64_t n, situ_site site)
{
    int64_t count = situ_node_count(at);
    situ_tensor *value =
        weights ? situ_reshape(weights, SHAPE(count)) : situ_ones(SHAPE(count), .dtype = SITU_I64, .device = at->device);
    if (!situ_dtype_is_float((situ_dtype)value->dtype)) value = situ_cast(value, SITU_I64);
    situ_tensor *none = situ_zeros(SHAPE(n), .dtype = (situ_dtype)value->dtype, .device = at->device);
    return situ_scatter_add(none, situ_reshape(at, SHAPE(count)), value);
}

/* Checks that weights, if any, have x's shape. */
static bool fit(situ_tensor *x, situ_tensor *weights, const char *operation, situ_site site)
{
    char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT];
    if (!situ_usable(&x, 1, operation, site)) return false;
    if (!weights) return true;
    if (!situ_together((situ_tensor *[]){x, weights}, 2, operation, "x, weights", site)) return false;
    if (situ_shape_equal(x->ndim, x->dim, weights->ndim, weights->dim) && !situ_dtype_is_complex((situ_dtype)weights->dtype))
        return true;
    situ_fail(SITU_BAD_SHAPE, site, "%s: weights %s for x %s; they are real and have its shape", operation, situ_brief(weights, b),
        situ_brief(x, a));
    return false;
}

situ_tensor *(situ_bincount)(situ_tensor *x, const situ_bincount_options *options, situ_site site)
{
    SITU_SPEAK("bincount", site);
    situ_bincount_options o = {SITU_DEFAULTS(SITU_BINCOUNT_DEFAULTS)};
    char text[SITU_BRIEF_TEXT];
    if (!situ_usable(&x, 1, "bincount", site) || !SITU_TAKE_OPTIONS(o, options, "bincount", site) ||
        !fit(x, o.weights, "bincount", site))
        return situ_poisoned();
    if (situ_is_number(x) || !situ_dtype_is_integer((situ_dtype)x->dtype))
        return situ_refused(SITU_BAD_DTYPE, site, "bincount: x is %s; it counts integers", situ_brief(x, text));
    if (o.least < 0 || o.count < -1)
        return situ_refused(SITU_BAD_OPTION, site,
            "bincount: " SITU_SAY(".least", "least") " = %lld, " SITU_SAY(
                ".count", "count") " = %lld; numbers of results are not negative",
            (long long)o.least, (long long)o.count);
    int64_t n = o.count;
    if (n < 0) {
        int64_t most = situ_node_count(x) ? situ_item_int(situ_max(x)) : -1;
        int64_t small = situ_node_count(x) && situ_dtype_is_signed((situ_dtype)x->dtype) ? situ_item_int(situ_min(x)) : 0;
        if (situ_error_code) return situ_poisoned();
        if (small < 0)
            return situ_refused(SITU_BAD_INDEX, site, "bincount: x has %lld; numbers below 0 are not counted", (long long)small);
        n = most + 1 > o.least ? most + 1 : o.least;
    }
    situ_tensor *at = situ_cast(x, SITU_I64);
    return counted(situ_where(situ_less(at, 0), n, at), o.weights, n, site); /* negative values do not count from the end here */
}

situ_tensor *(situ_histogram)(situ_tensor *x, int64_t bins, const situ_histogram_options *options, situ_site site)
{
    SITU_SPEAK("histogram", site);
    situ_histogram_options o = {SITU_DEFAULTS(SITU_HISTOGRAM_DEFAULTS)};
    bool usable = situ_usable(&x, 1, "histogram", site) && SITU_TAKE_OPTIONS(o, options, "histogram", site);
    if (o.edges) *o.edges = situ_poisoned();
    if (!usable || !real(x, "histogram", site) || !fit(x, o.weights, "histogram", site)) return situ_poisoned();
    bool given = o.low != 0 || o.high != 0;
    if (bins < 1 || bins > INT32_MAX || !(o.low <= o.high) || !isfinite(o.low) || !isfinite(o.high))
        return situ_refused(SITU_BAD_ARGUMENT, site,
            "histogram: %lld bins from %g to %g; there is at least one, between two numbers in order", (long long)bins, o.low,
            o.high);
    situ_dtype dtype = situ_dtype_compute(situ_as_float((situ_dtype)x->dtype));
    if (situ_dtype_is_integer((situ_dtype)x->dtype)) dtype = SITU_F64;
    situ_tensor *flat = situ_cast(situ_reshape(situ_stop_gradient(x), SHAPE(situ_node_count(x))), dtype);
    situ_tensor *low = situ_full(SHAPE(), o.low, .dtype = SITU_F64, .device = x->device),
                *high = situ_full(SHAPE(), given ? o.high : 1, .dtype = SITU_F64, .device = x->device);
    if (!given && flat->dim[0]) {
        low = situ_cast(situ_min(flat), SITU_F64);
        high = situ_cast(situ_max(flat), SITU_F64);
    }
    situ_tensor *same = situ_equal(low, high); /* a single value is in the middle of bins of total width 1 */
    low = situ_where(same, situ_sub(low, 0.5), low);
    high = situ_where(same, situ_add(high, 0.5), high);
    situ_tensor *share = situ_linspace(0, 1, bins + 1, .dtype = SITU_F64, .device = x->device);
    situ_tensor *edges = situ_cast(situ_add(situ_mul(low, situ_sub(1, share)), situ_mul(high, share)), dtype);
    /* the last bin includes its upper edge; values outside, and NaN, go to an extra bin that is dropped */
    situ_tensor *first = situ_select(edges, 0, 0), *end = situ_select(edges, 0, bins);
    situ_tensor *in = situ_logical_and(situ_greater_equal(flat, first), situ_less_equal(flat, end));
    situ_tensor *at = situ_minimum(situ_sub(situ_searchsorted(edges, flat, .right = true), 1), bins - 1);
    situ_tensor *y = situ_slice(counted(situ_where(in, at, bins), o.weights, bins + 1, site), .stop = SHAPE(bins));
    if (o.density) {
        situ_tensor *width = situ_sub(situ_slice(edges, .start = SHAPE(1)), situ_slice(edges, .stop = SHAPE(bins)));
        situ_tensor *count = situ_cast(y, dtype);
        y = situ_div(situ_div(count, width), situ_sum(count));
    }
    if (o.edges) *o.edges = edges;
    return y;
}
