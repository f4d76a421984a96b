/* Linear equations and factorizations composed of other operations. */
#include <situ/linalg.h>

#include <math.h>

#include "op/view.h"
#include "op/precision.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static bool matrices(situ_tensor *const *in, int n, bool square, const char *operation, const char *names, situ_site site)
{
    char text[SITU_BRIEF_TEXT];
    if (!situ_together(in, n, operation, names, site)) return false;
    const situ_tensor *a = in[0];
    if (!situ_is_number(a) && a->ndim >= 2 && (!square || a->dim[a->ndim - 1] == a->dim[a->ndim - 2])) return true;
    situ_fail(SITU_BAD_SHAPE, site, "%s: %.1s must be a %smatrix or a batch of them, not %s", operation, names,
        square ? "square " : "", situ_brief(a, text));
    return false;
}

/* ---- LU ------------------------------------------------------------------------------------------------------------------ */

/* Eliminates column k: swaps the row with the largest element in it with row k, and stores the multipliers below the
 * diagonal. order: the original index of each row. A column of zeros is left as it is. */
static void eliminate(situ_tensor **a, situ_tensor **order, int64_t k, situ_site site)
{
    int64_t m = (*a)->dim[(*a)->ndim - 2], n = (*a)->dim[(*a)->ndim - 1];
    situ_tensor *row = situ_arange(0, m, 1, .device = (*a)->device), *column = situ_arange(0, n, 1, .device = (*a)->device);
    situ_tensor *size = situ_where(situ_less(row, k), -1, situ_abs(situ_select(*a, -1, k)));
    situ_tensor *best = situ_argmax(situ_stop_gradient(size), .axis = -1, .keepdims = true);
    situ_tensor *from = situ_where(situ_equal(row, k), best, situ_where(situ_equal(row, best), k, row));
    *order = situ_gather(*order, from);
    *a = situ_gather(*a, situ_expand_dims(from, -1), .axis = -2);
    situ_tensor *pivots = situ_expand_dims(situ_select(*a, -2, k), -2),
                *pivot = situ_expand_dims(situ_expand_dims(situ_select(situ_select(*a, -2, k), -1, k), -1), -1);
    situ_tensor *none = situ_equal(pivot, 0), *below = situ_expand_dims(situ_greater(row, k), -1);
    situ_tensor *left = situ_expand_dims(situ_select(*a, -1, k), -1);
    situ_tensor *times = situ_where(situ_logical_and(below, situ_logical_not(none)), situ_div(left, situ_where(none, 1, pivot)), 0);
    situ_tensor *right = situ_sub(*a, situ_mul(times, pivots)), *after = situ_greater(column, k);
    *a = situ_where(below, situ_where(after, right, situ_where(situ_equal(column, k), times, *a)), *a);
}

situ_tensor *(situ_lu)(situ_tensor *x, const situ_lu_options *options, situ_site site)
{
    SITU_SPEAK("lu", site);
    situ_lu_options o = {SITU_DEFAULTS(SITU_LU_DEFAULTS)};
    bool usable = SITU_TAKE_OPTIONS(o, options, "lu", site);
    if (o.lower) *o.lower = situ_poisoned();
    if (o.upper) *o.upper = situ_poisoned();
    if (!usable || !matrices(&x, 1, false, "lu", "x", site)) return situ_poisoned();
    situ_dtype dtype = situ_as_float((situ_dtype)x->dtype);
    int64_t m = x->dim[x->ndim - 2], n = x->dim[x->ndim - 1], least = m < n ? m : n;
    situ_tensor *a = situ_cast(x, situ_dtype_is_complex(dtype) ? SITU_C128 : SITU_F64);
    situ_shape rows = situ_shape_like(x);
    const int64_t start[SITU_MAX_DIMS] = {0};
    rows.ndim--;
    situ_tensor *order = situ_broadcast_to(situ_arange(0, m, 1, .device = x->device), rows);
    for (int64_t k = 0; k < least && !situ_error_code; k++) eliminate(&a, &order, k, site);
    if (situ_error_code) return situ_poisoned();
    situ_shape tall = situ_shape_like(x), wide = tall;
    tall.dim[x->ndim - 1] = wide.dim[x->ndim - 2] = least;
    situ_tensor *lower = situ_slice_at(a, start, tall.dim, NULL, site), *upper = situ_slice_at(a, start, wide.dim, NULL, site);
    lower = situ_add(situ_tril(lower, -1), situ_eye(m, .columns = least, .dtype = (situ_dtype)a->dtype, .device = x->device));
    if (o.lower) *o.lower = situ_cast(lower, dtype);
    if (o.upper) *o.upper = situ_cast(situ_triu(upper, 0), dtype);
    /* row i of L U is row order[i] of x, so P has a 1 there */
    return situ_matrix_transpose(situ_one_hot(order, m, .dtype = dtype));
}

/* ---- least squares, condition -------------------------------------------------------------------------------------------- */

situ_tensor *(situ_lstsq)(situ_tensor *a, situ_tensor *b, const situ_lstsq_options *options, situ_site site)
{
    SITU_SPEAK("lstsq", site);
    situ_lstsq_options o = {SITU_DEFAULTS(SITU_LSTSQ_DEFAULTS)};
    situ_tensor *in[] = {a, b};
    char left[SITU_BRIEF_TEXT], right[SITU_BRIEF_TEXT];
    bool usable = SITU_TAKE_OPTIONS(o, options, "lstsq", site);
    situ_tensor **more[] = {o.residuals, o.rank, o.values};
    for (int i = 0; i < 3; i++)
        if (more[i]) *more[i] = situ_poisoned();
    if (!usable || !matrices(in, 2, false, "lstsq", "a, b", site)) return situ_poisoned();
    bool vector = b->ndim == 1;
    if (situ_is_number(b) || b->ndim < 1 || b->dim[vector ? 0 : b->ndim - 2] != a->dim[a->ndim - 2])
        return situ_refused(SITU_BAD_SHAPE, site, "lstsq: b %s has no row for each of a %s: it is [rows] or [..., rows, columns]",
            situ_brief(b, right), situ_brief(a, left));
    uint8_t precision = situ_precision_swap(0);
    situ_tensor *y = situ_matmul(situ_pinv(a, .rtol = o.rtol), b);
    if (o.residuals) {
        situ_tensor *apart = situ_abs(situ_sub(situ_matmul(a, y), b));
        *o.residuals = situ_sum(situ_square(apart), .axes = AXES(vector ? -1 : -2));
    }
    situ_precision_swap(precision);
    if (o.rank) *o.rank = situ_matrix_rank(a, .rtol = o.rtol);
    if (o.values) *o.values = situ_svd(a);
    return y;
}

situ_tensor *(situ_cond)(situ_tensor *x, const situ_matrix_cond_options *options, situ_site site)
{
    SITU_SPEAK("cond", site);
    situ_matrix_cond_options o = {SITU_DEFAULTS(SITU_MATRIX_COND_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, "cond", site)) return situ_poisoned();
    bool two = o.order == SITU_INDUCED && fabs(o.ord) == 2;
    if (!matrices(&x, 1, !two, "cond", "x", site)) return situ_poisoned();
    if (!two)
        return situ_mul(
            situ_matrix_norm(x, .order = o.order, .ord = o.ord), situ_matrix_norm(situ_inv(x), .order = o.order, .ord = o.ord));
    situ_tensor *s = situ_svd(x);
    if (situ_error_code) return situ_poisoned();
    if (!s->dim[s->ndim - 1]) return situ_refused(SITU_BAD_SHAPE, site, "cond: a matrix without elements has no condition");
    situ_tensor *above = situ_select(s, -1, o.ord > 0 ? 0 : -1), *below = situ_select(s, -1, o.ord > 0 ? -1 : 0);
    return situ_where(situ_equal(below, 0), INFINITY, situ_div(above, below)); /* 0 / 0 counts as infinite, too */
}
