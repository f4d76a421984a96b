/* Pooling over one and three axes, composed of pooling over two, and adaptive pooling. */
#include <situ/network.h>

#include "op/pool.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

typedef struct pool {
    situ_window at;
    bool mean, whole;
} pool;

/* Pools over the last two axes of x, with the parameters of axes `high` and `wide`; -1: that axis is not pooled. */
static situ_tensor *pool2d(situ_tensor *x, const pool *p, int high, int wide, situ_site site)
{
    const int axis[] = {high, wide};
    situ_shape size = SHAPE(1, 1), stride = SHAPE(1, 1), padding = SHAPE(0, 0);
    for (int i = 0; i < 2; i++) {
        if (axis[i] < 0) continue;
        size.dim[i] = p->at.size[axis[i]];
        stride.dim[i] = p->at.stride[axis[i]];
        padding.dim[i] = p->at.padding[axis[i]];
    }
    if (p->mean) return situ_avg_pool2d(x, size, .stride = stride, .padding = padding, .count_padding = p->whole);
    return situ_max_pool2d(x, size, .stride = stride, .padding = padding);
}

/* Pools one or two axes at a time: a maximum of maxima, or a mean of means over windows of equal size. */
static situ_tensor *run(situ_tensor *x, const pool *p, situ_site site)
{
    int n = p->at.n;
    if (n == 1) return situ_squeeze(pool2d(situ_expand_dims(x, -2), p, -1, 0, site), .axes = AXES(-2));
    x = pool2d(x, p, n - 2, n - 1, site);
    if (n == 2 || situ_error_code) return x;
    situ_shape shape = situ_shape_like(x), flat = {.ndim = x->ndim - 1};
    int last = x->ndim - 1;
    for (int i = 0; i < last; i++) flat.dim[i] = shape.dim[i];
    flat.dim[last - 1] *= shape.dim[last];
    x = pool2d(situ_reshape(x, flat), p, 0, -1, site);
    if (situ_error_code) return situ_poisoned();
    shape.dim[last - 2] = x->dim[last - 2];
    return situ_reshape(x, shape);
}

/* Checks that x is float and has n axes with elements. */
static bool fits(const situ_tensor *x, int n, const char *operation, situ_site site)
{
    char text[SITU_BRIEF_TEXT];
    bool right = !situ_is_number(x) && x->ndim >= n && situ_dtype_is_float((situ_dtype)x->dtype);
    for (int i = 0; i < n && right; i++) right = x->dim[x->ndim - 1 - i] > 0;
    if (right) return true;
    situ_fail(SITU_BAD_SHAPE, site, "%s: x is %s; it pools floats over the last %d of its axes, each with elements", operation,
        situ_brief(x, text), n);
    return false;
}

static situ_tensor *plain(situ_tensor *x, const situ_window *w, bool mean, bool whole, situ_site site)
{
    return run(x, &(pool){*w, mean, whole}, site);
}

static situ_tensor *pooled(
    situ_tensor *x, situ_shape size, const void *options, int n, bool mean, const char *operation, situ_site site)
{
    situ_window w = {.n = n};
    situ_pool_options o;
    if (!situ_usable(&x, 1, operation, site) || !situ_take_pool_options(&o, options, mean, operation, site) ||
        !fits(x, n, operation, site) || !situ_take_pool(&w, x, size, &o, operation, site))
        return situ_poisoned();
    return situ_pool_is_plain(&w, &o) ? plain(x, &w, mean, o.count_padding, site) :
                                        situ_pool_uncommon(x, &w, &o, mean, plain, site);
}

#define POOL(what, mean, n) \
    situ_tensor *(situ_##what##_pool##n##d)( \
        situ_tensor * x, situ_shape size, const situ_##what##_pool_options *options, situ_site site) \
    { \
        SITU_SPEAK(#what "_pool" #n "d", site); \
        return pooled(x, size, options, n, mean, #what "_pool" #n "d", site); \
    }
POOL(max, false, 1)
POOL(avg, true, 1)
POOL(max, false, 3)
POOL(avg, true, 3)

/* ---- adaptive ------------------------------------------------------------------------------------------------------------ */

/* Splits one axis of n elements into m parts of different lengths, as two axes; shorter parts repeat their last
 * element. */
static situ_tensor *parts(situ_tensor *x, int axis, int64_t m, bool mean, situ_site site)
{
    int64_t n = x->dim[axis], most = 0; /* most: elements of the longest part, at most n / m + 2 */
    for (int64_t i = 0; i < m && most <= n / m + 1; i++) {
        int64_t length = ((i + 1) * n + m - 1) / m - i * n / m;
        if (length > most) most = length;
    }
    situ_tensor *i = situ_expand_dims(situ_arange(0, m, 1, .device = x->device), 1),
                *j = situ_arange(0, most, 1, .device = x->device);
    situ_tensor *start = situ_floor_divide(situ_mul(i, n), m);
    situ_tensor *end = situ_floor_divide(situ_add(situ_mul(i, n), n + m - 1), m), *at = situ_add(start, j);
    situ_shape shape = situ_shape_like(x), rest = {.ndim = x->ndim - axis + 1, .dim = {m, most, 1, 1, 1, 1, 1, 1}}, line = rest;
    for (int k = shape.ndim++; k > axis; k--) shape.dim[k] = k > axis + 1 ? shape.dim[k - 1] : most;
    shape.dim[axis] = m;
    situ_tensor *taken = situ_take(x, situ_reshape(situ_minimum(at, situ_sub(end, 1)), SHAPE(m * most)), .axis = axis);
    taken = situ_reshape(taken, shape);
    if (!mean) /* among equal elements the first gets the gradient */
        return situ_squeeze(
            situ_gather(taken, situ_argmax(taken, .axis = axis + 1, .keepdims = true), .axis = axis + 1), .axes = AXES(axis + 1));
    situ_tensor *kept = situ_where(situ_reshape(situ_less(at, end), rest), taken, 0);
    line.ndim--;
    line.dim[1] = 1;
    return situ_div(
        situ_sum(kept, .axes = AXES(axis + 1)), situ_cast(situ_reshape(situ_sub(end, start), line), (situ_dtype)x->dtype));
}

static situ_tensor *adaptive(situ_tensor *x, situ_shape size, int n, bool mean, const char *operation, situ_site site)
{
    pool p = {.at = {.n = n}, .mean = mean};
    int64_t out[SITU_WINDOW_AXES];
    bool even = true;
    if (!situ_usable(&x, 1, operation, site) || !fits(x, n, operation, site) ||
        !situ_take_each(size, n, 1, NULL, out, "the size", operation, site))
        return situ_poisoned();
    for (int i = 0; i < n; i++) {
        int64_t length = x->dim[x->ndim - n + i];
        even = even && length % out[i] == 0;
        p.at.size[i] = p.at.stride[i] = length / out[i];
    }
    if (even) return run(x, &p, site);
    if (x->ndim == SITU_MAX_DIMS)
        return situ_refused(
            SITU_BAD_SHAPE, site, "%s: x has %d axes; parts of different lengths are possible with one less", operation, x->ndim);
    situ_dtype dtype = (situ_dtype)x->dtype;
    situ_tensor *y = situ_cast(x, situ_dtype_compute(dtype));
    for (int i = n - 1; i >= 0 && !situ_error_code; i--) y = parts(y, x->ndim - n + i, out[i], mean, site);
    return situ_cast(y, dtype);
}

#define ADAPTIVE(what, mean, n) \
    situ_tensor *(situ_adaptive_##what##_pool##n##d)(situ_tensor * x, situ_shape size, situ_site site) \
    { \
        SITU_SPEAK("adaptive_" #what "_pool" #n "d", site); \
        return adaptive(x, size, n, mean, "adaptive_" #what "_pool" #n "d", site); \
    }
ADAPTIVE(max, false, 1)
ADAPTIVE(max, false, 2)
ADAPTIVE(max, false, 3)
ADAPTIVE(avg, true, 1)
ADAPTIVE(avg, true, 2)
ADAPTIVE(avg, true, 3)
