/* Operations whose result's size depends on the data: they wait, unless the size is given. */
#include "op/create.h"
#include "op/find.h"
#include "op/support.h"
#include "run/read.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Reads the options, which begin with .count. */
#define TAKE_FIND(o, given, operation, site) \
    (SITU_TAKE_OPTIONS(o, given, operation, site) && check_count((o).count, operation, site))

static bool check_count(int64_t count, const char *operation, situ_site site)
{
    if (count >= -1) return true;
    situ_fail(
        SITU_BAD_OPTION, site, "%s: .count = %lld; it is at least 0, or -1 for as many as there are", operation, (long long)count);
    return false;
}

/* The number of true elements: given by the caller, or counted after waiting for the data. The mask is stored, since
 * it is used again. */
static int64_t count_true(situ_tensor *mask, int64_t count, situ_site site)
{
    if (count >= 0) return count;
    if (situ_eval(TENSORS(mask))) return 0;
    return situ_fetch(situ_count_nonzero(mask), &count, sizeof count, SITU_REASON_SHAPE, site) ? 0 : count;
}

/* Stores a result that was waited for. */
static situ_tensor *stored(situ_tensor *t, int64_t count, situ_site site)
{
    if (count < 0 && situ_eval(TENSORS(t))) return situ_poisoned();
    return t;
}

situ_tensor *(situ_nonzero)(situ_tensor *x, const situ_places_options *options, situ_site site)
{
    SITU_SPEAK("nonzero", site);
    situ_places_options o = {SITU_DEFAULTS(SITU_PLACES_DEFAULTS)};
    if (!situ_usable(&x, 1, "nonzero", site) || !TAKE_FIND(o, options, "nonzero", site)) return situ_poisoned();
    situ_tensor *mask = situ_cast(x, SITU_BOOL);
    int64_t count = count_true(mask, o.count, site);
    if (situ_error_code) return situ_poisoned();
    return stored(situ_find(mask, count, o.fill, site), o.count, site);
}

situ_tensor *(situ_masked)(situ_tensor *x, situ_tensor *mask, const situ_places_options *options, situ_site site)
{
    SITU_SPEAK("masked", site);
    situ_places_options o = {SITU_DEFAULTS(SITU_PLACES_DEFAULTS)};
    if (!situ_together((situ_tensor *[]){x, mask}, 2, "masked", "x, mask", site) || !TAKE_FIND(o, options, "masked", site))
        return situ_poisoned();
    bool fits = mask->dtype == SITU_BOOL && mask->ndim <= x->ndim && !memcmp(mask->dim, x->dim, 8 * (size_t)mask->ndim);
    if (!fits || situ_is_number(mask) || situ_is_number(x)) {
        char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT];
        situ_fail(SITU_BAD_SHAPE, site, "masked: the mask %s is not a bool with the leading dimensions of x %s",
            situ_brief(mask, b), situ_brief(x, a));
        return situ_poisoned();
    }
    if (x->ndim - mask->ndim >= SITU_MAX_DIMS)
        return situ_refused(SITU_BAD_SHAPE, site,
            "masked: by a mask without dimensions the result has one more than x has, %d; at most %d are possible", x->ndim + 1,
            SITU_MAX_DIMS);
    int64_t count = count_true(mask, o.count, site);
    situ_shape rows = {.ndim = 1 + x->ndim - mask->ndim, .dim = {situ_node_count(mask)}};
    for (int i = mask->ndim; i < x->ndim; i++) rows.dim[1 + i - mask->ndim] = x->dim[i];
    situ_tensor *y = situ_compress(situ_reshape(x, rows), situ_reshape(mask, SHAPE(rows.dim[0])), count, site);
    if (o.count >= 0) {
        situ_shape there = {.ndim = rows.ndim, .dim = {count, 1, 1, 1, 1, 1, 1, 1}};
        situ_tensor *found = situ_less(situ_iota(SHAPE(count), 0, SITU_I64, x->device, site), situ_count_nonzero(mask));
        y = situ_where(situ_reshape(found, there), y, o.fill);
    }
    return stored(y, o.count, site);
}

/* For each element of x, in sorted order, the index of its value in the result. */
static situ_tensor *group_numbers(situ_tensor *first, situ_site site)
{
    return situ_sub(situ_cumsum(situ_cast(first, SITU_I64)), 1);
}

/* Sorts complex numbers by their real parts, then by their imaginary parts. */
static situ_tensor *order_of(situ_tensor *x, situ_site site)
{
    if (!situ_dtype_is_complex((situ_dtype)x->dtype)) return situ_argsort(x);
    situ_tensor *order = situ_argsort(situ_imag(x));
    return situ_take(order, situ_argsort(situ_take(situ_real(x), order)));
}

/* Sorts rows lexicographically: by the last element first, with stable sorts. */
static situ_tensor *order_of_rows(situ_tensor *rows, situ_site site)
{
    situ_tensor *order = situ_iota(SHAPE(rows->dim[0]), 0, SITU_I64, rows->device, site);
    for (int64_t i = rows->dim[1]; i-- > 0 && !situ_error_code;)
        order = situ_take(order, order_of(situ_take(situ_select(rows, 1, i), order), site));
    return order;
}

situ_tensor *(situ_unique)(situ_tensor *x, const situ_unique_options *options, situ_site site)
{
    SITU_SPEAK("unique", site);
    situ_unique_options o = {SITU_DEFAULTS(SITU_UNIQUE_DEFAULTS)};
    bool usable = situ_usable(&x, 1, "unique", site) && TAKE_FIND(o, options, "unique", site);
    situ_tensor **extra[] = {o.index, o.inverse, o.counts};
    for (int i = 0; i < 3; i++)
        if (extra[i]) *extra[i] = situ_poisoned();
    if (!usable) return situ_poisoned();
    bool slices = o.axis != SITU_ALL_AXES;
    int axis = slices ? situ_axis(o.axis, x->ndim, "unique", site) : 0;
    if (axis < 0) return situ_poisoned();
    int64_t all = situ_node_count(x), n = slices ? x->dim[axis] : all;
    if (slices) x = situ_moveaxis(x, axis, 0);
    situ_shape shape = situ_shape_like(x);
    x = situ_reshape(x, slices ? SHAPE(n, n ? all / n : 0) : SHAPE(n));
    bool places = slices || situ_dtype_is_complex((situ_dtype)x->dtype);
    situ_tensor *order = slices ? order_of_rows(x, site) : places || o.index || o.inverse ? order_of(x, site) : NULL;
    situ_tensor *sorted = places ? situ_take(x, order) : situ_sort(x);
    /* true at the first of each run of equal elements */
    situ_tensor *begins = situ_not_equal(situ_slice(sorted, .start = SHAPE(1)), situ_slice(sorted, .stop = SHAPE(n ? n - 1 : 0)));
    if (slices) begins = situ_any(begins, .axes = AXES(1));
    situ_tensor *first = n ? situ_concat(TENSORS(situ_full(SHAPE(1), 1, .dtype = SITU_BOOL, .device = x->device), begins)) : begins;
    /* evaluated together, so that nothing is sorted twice; what was not asked for is not computed */
    if (o.count < 0 && (places ? situ_eval(TENSORS(first, sorted, order)) : situ_eval(TENSORS(first, sorted))))
        return situ_poisoned();
    int64_t count = count_true(first, o.count, site);
    if (situ_error_code) return situ_poisoned();
    situ_tensor *group = situ_minimum(group_numbers(first, site), count ? count - 1 : 0);
    if (o.index) *o.index = situ_compress(order, first, count, site);
    if (o.counts) {
        situ_tensor *zero = situ_zeros(SHAPE(count), .dtype = SITU_I64, .device = x->device);
        *o.counts = situ_index_add(zero, group, situ_ones(SHAPE(n), .dtype = SITU_I64, .device = x->device));
    }
    if (o.inverse) {
        situ_tensor *inverse = situ_scatter(situ_zeros(SHAPE(n), .dtype = SITU_I64, .device = x->device), order, group);
        *o.inverse = slices ? inverse : situ_reshape(inverse, shape);
    }
    situ_tensor *y = situ_compress(sorted, first, count, site);
    if (slices) {
        shape.dim[0] = count;
        y = situ_moveaxis(situ_reshape(y, shape), 0, axis);
    }
    return stored(y, o.count, site);
}

situ_tensor *(situ_repeat_each)(situ_tensor *x, situ_tensor *counts, const situ_repeat_each_options *options, situ_site site)
{
    SITU_SPEAK("repeat_each", site);
    situ_repeat_each_options o = {.total = -1};
    if (!situ_together((situ_tensor *[]){x, counts}, 2, "repeat_each", "x, counts", site) ||
        !SITU_TAKE_OPTIONS(o, options, "repeat_each", site))
        return situ_poisoned();
    int axis = situ_axis(o.axis, x->ndim, "repeat_each", site);
    if (axis < 0) return situ_poisoned();
    if (situ_is_number(counts) || counts->ndim != 1 || counts->dim[0] != x->dim[axis] ||
        !situ_dtype_is_integer((situ_dtype)counts->dtype)) {
        char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT];
        situ_fail(SITU_BAD_SHAPE, site, "repeat_each: counts (%s) is not one integer for each of the %lld slices of x (%s)",
            situ_brief(counts, b), (long long)x->dim[axis], situ_brief(x, a));
        return situ_poisoned();
    }
    situ_tensor *ends = situ_cumsum(situ_cast(counts, SITU_I64));
    int64_t total = o.total, n = counts->dim[0];
    if (total < 0 && n) { /* as u64 a negative count is very large */
        uint64_t most = 0;
        if (situ_fetch(situ_max(situ_cast(counts, SITU_U64)), &most, sizeof most, SITU_REASON_SHAPE, site)) return situ_poisoned();
        if (most > (uint64_t)(INT64_MAX / n))
            return situ_refused(SITU_BAD_ARGUMENT, site,
                "repeat_each: a count of %lld; counts are not negative, and the result has a place in memory", (long long)most);
    }
    if (total < 0 && situ_fetch(situ_sum(situ_cast(counts, SITU_I64)), &total, sizeof total, SITU_REASON_SHAPE, site))
        return situ_poisoned();
    situ_tensor *at = situ_searchsorted(ends, situ_iota(SHAPE(total < 0 ? 0 : total), 0, SITU_I64, x->device, site), .right = true);
    return situ_take(x, at, .axis = axis);
}
