/* Pooling with windows that reach past the end, or with dilation: composed of padding and common pooling. */
#include <math.h>

#include "op/pool.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

bool situ_take_pool_options(situ_pool_options *o, const void *options, bool mean, const char *operation, situ_site site)
{
    situ_max_pool_options most = {SITU_DEFAULTS(SITU_MAX_POOL_DEFAULTS)};
    situ_avg_pool_options average = {SITU_DEFAULTS(SITU_AVG_POOL_DEFAULTS)};
    if (mean ? !SITU_TAKE_OPTIONS(average, options, operation, site) : !SITU_TAKE_OPTIONS(most, options, operation, site))
        return false;
    *o = mean ? (situ_pool_options){average.stride, average.padding, most.dilation, average.ceil, average.count_padding} :
                (situ_pool_options){most.stride, most.padding, most.dilation, most.ceil, false};
    return true;
}

bool situ_take_pool(
    situ_window *w, const situ_tensor *x, situ_shape size, const situ_pool_options *o, const char *operation, situ_site site)
{
    char text[SITU_BRIEF_TEXT];
    situ_brief(x, text);
    if (!situ_take_each(size, w->n, 1, NULL, w->size, "the size of windows", operation, site) ||
        !situ_take_each(o->stride, w->n, 1, w->size, w->stride, SITU_SAY(".stride", "stride"), operation, site) ||
        !situ_take_each(o->padding, w->n, 0, NULL, w->padding, SITU_SAY(".padding", "padding"), operation, site) ||
        !situ_take_each(o->dilation, w->n, 1, NULL, w->dilation, SITU_SAY(".dilation", "dilation"), operation, site))
        return false;
    if (situ_is_number(x) || x->ndim < w->n || !situ_dtype_is_float((situ_dtype)x->dtype)) {
        situ_fail(SITU_BAD_SHAPE, site, "%s: x is %s; it pools floats over the last %d of its axes", operation, text, w->n);
        return false;
    }
    for (int i = 0; i < w->n; i++) {
        int axis = x->ndim - w->n + i;
        bool half = w->padding[i] <= w->size[i] / 2;
        if (half && situ_window_positions(w, i, x->dim[axis])) continue;
        situ_fail(SITU_BAD_SHAPE, site, "%s: a window of %lld with " SITU_SAY(".padding", "padding") " = %lld %s axis %d of x %s%s",
            operation, (long long)w->size[i], (long long)w->padding[i], half ? "does not fit into" : "along", axis, text,
            half ? "" : "; at most half of a window may be padding");
        return false;
    }
    return true;
}

/* Number of elements from the first to after the last element of a window. */
static int64_t reach(const situ_window *w, int i) { return (w->size[i] - 1) * w->dilation[i] + 1; }

static int64_t places(const situ_window *w, int i, int64_t n, bool ceil)
{
    int64_t count = situ_window_positions(w, i, n), capacity = n + 2 * w->padding[i] - reach(w, i);
    return count + (ceil && capacity % w->stride[i] && count * w->stride[i] < n + w->padding[i]);
}

/* The maximum of each window along an axis; the first one gets the gradient, and NaN counts as the largest. */
static situ_tensor *largest(situ_tensor *x, int axis, int64_t count, const situ_window *w, int i, situ_site site)
{
    situ_tensor *start = situ_mul(situ_arange(0, count, 1, .device = x->device), w->stride[i]);
    situ_tensor *tap = situ_mul(situ_arange(0, w->size[i], 1, .device = x->device), w->dilation[i]);
    situ_tensor *at = situ_add(situ_expand_dims(tap, 1), start); /* [tap, window] index of each element */
    situ_shape shape = {.ndim = x->ndim + 1};
    for (int k = 0; k < x->ndim; k++) shape.dim[k + (k >= axis)] = x->dim[k];
    shape.dim[axis] = w->size[i];
    shape.dim[axis + 1] = count;
    situ_tensor *y = situ_reshape(situ_take(x, situ_reshape(at, SHAPE(w->size[i] * count)), .axis = axis), shape);
    return situ_squeeze(situ_gather(y, situ_argmax(y, .axis = axis, .keepdims = true), .axis = axis), .axes = AXES(axis));
}

/* The factor that makes a mean over a whole window one over its elements within x: [count, 1 ...]. */
static situ_tensor *share(const situ_tensor *x, int axis, int64_t count, const situ_window *w, int i, bool padding, situ_site site)
{
    int64_t more = padding ? w->padding[i] : 0;
    situ_shape shape = {.ndim = x->ndim - axis, .dim = {count, 1, 1}};
    situ_tensor *start = situ_sub(situ_mul(situ_arange(0, count, 1, .device = x->device), w->stride[i]), w->padding[i]);
    situ_tensor *end = situ_minimum(situ_add(start, w->size[i]), x->dim[axis] + more);
    situ_tensor *held = situ_cast(situ_sub(end, situ_maximum(start, -more)), (situ_dtype)x->dtype);
    return situ_reshape(situ_div((double)w->size[i], held), shape);
}

situ_tensor *situ_pool_uncommon(
    situ_tensor *x, const situ_window *w, const situ_pool_options *o, bool mean, situ_plain_pool plain, situ_site site)
{
    int first = x->ndim - w->n;
    situ_dtype dtype = (situ_dtype)x->dtype;
    situ_shape before = {.ndim = x->ndim}, after = before;
    situ_window inner = *w; /* windows on the padded tensor */
    int64_t count[SITU_WINDOW_AXES];
    bool gaps = false;
    x = situ_cast(x, situ_dtype_compute(dtype));
    for (int i = 0; i < w->n; i++) {
        int64_t n = x->dim[first + i] + 2 * w->padding[i], end;
        count[i] = places(w, i, x->dim[first + i], o->ceil);
        end = (count[i] - 1) * w->stride[i] + reach(w, i);
        if (!mean) inner.padding[i] = 0;
        before.dim[first + i] = w->padding[i] - inner.padding[i];
        after.dim[first + i] = before.dim[first + i] + (end > n ? end - n : 0);
        gaps = gaps || w->dilation[i] != 1;
    }
    situ_tensor *y = situ_pad(x, before, after, .value = mean ? 0 : -INFINITY);
    if (!gaps && !situ_error_code) y = plain(y, &inner, mean, true, site);
    for (int i = w->n - 1; i >= 0 && !situ_error_code; i--) {
        if (gaps) y = largest(y, first + i, count[i], w, i, site);
        else if (mean) y = situ_mul(y, share(x, first + i, count[i], w, i, o->count_padding, site));
    }
    return situ_cast(y, dtype);
}
