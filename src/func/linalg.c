/* Linear algebra composed of factorizations, products and sums. */
#include <situ/custom.h>
#include <situ/linalg.h>

#include <float.h>
#include <math.h>

#include "op/precision.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static bool take_matrix(situ_tensor *x, const char *operation, situ_site site)
{
    char text[SITU_BRIEF_TEXT];
    if (!situ_usable(&x, 1, operation, site)) return false;
    if (!situ_is_number(x) && x->ndim >= 2) return true;
    situ_fail(SITU_BAD_SHAPE, site, "%s: x must be a matrix or a batch of them, not %s", operation, situ_brief(x, text));
    return false;
}

static bool check_rtol(double rtol, const char *operation, situ_site site)
{
    if (rtol == -1 || rtol >= 0) return true;
    situ_fail(SITU_BAD_OPTION, site, "%s: .rtol = %g; it is at least 0, or -1 for the default", operation, rtol);
    return false;
}

/* Which singular values count as nonzero: those above rtol times the largest. */
static situ_tensor *significant(const situ_tensor *x, situ_tensor *s, double rtol, situ_site site)
{
    int64_t m = x->dim[x->ndim - 2], n = x->dim[x->ndim - 1];
    if (rtol < 0) rtol = (double)(m > n ? m : n) * (s->dtype == SITU_F64 ? DBL_EPSILON : FLT_EPSILON);
    if (!s->dim[s->ndim - 1]) return situ_greater(s, 0);
    return situ_greater(s, situ_mul(situ_max(s, .axes = AXES(-1), .keepdims = true), rtol));
}

situ_tensor *(situ_matrix_rank)(situ_tensor *x, const situ_rank_options *options, situ_site site)
{
    SITU_SPEAK("matrix_rank", site);
    situ_rank_options o = {SITU_DEFAULTS(SITU_RANK_DEFAULTS)};
    if (!take_matrix(x, "matrix_rank", site) || !SITU_TAKE_OPTIONS(o, options, "matrix_rank", site) ||
        !check_rtol(o.rtol, "matrix_rank", site))
        return situ_poisoned();
    situ_tensor *s = situ_svd(x);
    if (s->flags & SITU_NODE_POISON) return s;
    return situ_count_nonzero(significant(x, s, o.rtol, site), .axes = AXES(-1));
}

/* Gradient of the pseudo-inverse. With G = conj(g) and P the result: -P^H G P^H + (1 - x P) G^H P P^H + P^H P G^H (1 -
 * P x) (G. H. Golub and V. Pereyra, The differentiation of pseudo-inverses, 1973). Unlike the gradient through the SVD
 * it does not need distinct singular values. */
static void vjp_pinv(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out)
{
    (void)self;
    situ_site site = y->site;
    situ_tensor *x = inputs.tensor[0], *p = y, *up = situ_conj(situ_transpose(p)), *turned = situ_transpose(g);
    situ_tensor *left = situ_matmul(turned, situ_matmul(p, up)), *right = situ_matmul(situ_matmul(up, p), turned);
    left = situ_sub(left, situ_matmul(x, situ_matmul(p, left)));
    right = situ_sub(right, situ_matmul(situ_matmul(right, p), x));
    situ_tensor *middle = situ_matmul(up, situ_matmul(situ_conj(g), up));
    out[0] = situ_conj(situ_sub(situ_add(left, right), middle));
}

/* The same if singular values other than 0 were cut off. Inputs: x, and the inverses of the values, 0 for those cut
 * off. Each cut value b adds, for each kept value a, to the rule above (which assumes b = 0): with H = V^H G U, the
 * element (a, b) of U^H dx V gets H^H (1 / (a^2 - b^2) - 1 / a^2) + H b / (a (a^2 - b^2)). */
static void vjp_pinv_cut(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out)
{
    situ_site site = y->site;
    situ_tensor *x = inputs.tensor[0], *kept = situ_not_equal(inputs.tensor[1], 0), *u, *vh, *s = situ_svd(x, .u = &u, .vh = &vh);
    vjp_pinv(self, g, inputs, y, out);
    if (situ_error_code) return;
    out[1] = NULL;
    situ_tensor *row = situ_expand_dims(s, -1), *column = situ_expand_dims(s, -2), *row_kept = situ_expand_dims(kept, -1);
    situ_tensor *one = situ_not_equal(row_kept, situ_expand_dims(kept, -2)); /* one value of the pair is kept, the other cut */
    situ_tensor *a = situ_where(one, situ_where(row_kept, row, column), 1),
                *b = situ_where(one, situ_where(row_kept, column, row), 0);
    situ_tensor *ratio = situ_div(b, a), *apart = situ_mul(situ_square(a), situ_mul(situ_sub(1, ratio), situ_add(1, ratio)));
    situ_tensor *h = situ_matmul(situ_matmul(vh, situ_conj(g)), u);
    situ_tensor *more =
        situ_add(situ_mul(situ_conj(situ_transpose(h)), situ_div(situ_square(ratio), apart)), situ_mul(h, situ_div(ratio, apart)));
    out[0] = situ_add(out[0], situ_conj(situ_matmul(situ_matmul(u, more), vh)));
}

situ_tensor *(situ_pinv)(situ_tensor *x, const situ_rank_options *options, situ_site site)
{
    SITU_SPEAK("pinv", site);
    situ_rank_options o = {SITU_DEFAULTS(SITU_RANK_DEFAULTS)};
    if (!take_matrix(x, "pinv", site) || !SITU_TAKE_OPTIONS(o, options, "pinv", site) || !check_rtol(o.rtol, "pinv", site))
        return situ_poisoned();
    situ_tensor *u, *vh, *s = situ_svd(x, .u = &u, .vh = &vh);
    if (s->flags & SITU_NODE_POISON) return s;
    situ_tensor *inverse = situ_where(significant(x, s, o.rtol, site), situ_reciprocal(s), 0);
    situ_tensor *v = situ_conj(situ_transpose(vh));
    uint8_t precision = situ_precision_swap(0);
    situ_tensor *y = situ_matmul(situ_mul(v, situ_expand_dims(inverse, -2)), situ_conj(situ_transpose(u)));
    situ_precision_swap(precision);
    if (o.rtol < 0) return (situ_custom_vjp)(y, TENSORS(x), vjp_pinv, NULL, site); /* only rounding errors were cut off */
    return (situ_custom_vjp)(y, TENSORS(x, inverse), vjp_pinv_cut, NULL, site);
}

situ_tensor *(situ_matrix_power)(situ_tensor *x, int64_t n, situ_site site)
{
    SITU_SPEAK("matrix_power", site);
    if (!take_matrix(x, "matrix_power", site)) return situ_poisoned();
    int64_t size = x->dim[x->ndim - 1];
    if (x->dim[x->ndim - 2] != size) {
        char text[SITU_BRIEF_TEXT];
        situ_fail(SITU_BAD_SHAPE, site, "matrix_power: x must be square in its last two axes, not %s", situ_brief(x, text));
        return situ_poisoned();
    }
    if (!n) return situ_broadcast_to(situ_eye(size, .dtype = (situ_dtype)x->dtype, .device = x->device), situ_shape_like(x));
    situ_tensor *y = NULL, *square = n < 0 ? situ_inv(x) : x;
    uint8_t precision = situ_precision_swap(0);
    for (uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n; left; left >>= 1) {
        if (left & 1) y = y ? situ_matmul(y, square) : square;
        if (left > 1) square = situ_matmul(square, square);
    }
    situ_precision_swap(precision);
    return situ_itself(y, site);
}

static situ_tensor *induced_norm(situ_tensor *x, double ord, bool keepdims, situ_site site)
{
    double size = fabs(ord);
    if (size != 1 && size != 2 && !isinf(size))
        return situ_refused(SITU_BAD_ARGUMENT, site,
            "matrix_norm: " SITU_SAY(".ord", "ord") " is %g; it may be 1, -1, 2, -2, " SITU_SAY(
                "INFINITY or -INFINITY", "inf, -inf, \"fro\" or \"nuc\""),
            ord);
    situ_tensor *sums = size == 2 ? situ_svd(x) : situ_sum(situ_abs(x), .axes = AXES(size == 1 ? -2 : -1));
    if (sums->flags & SITU_NODE_POISON) return sums;
    situ_tensor *y;
    if (!sums->dim[sums->ndim - 1]) y = situ_sum(sums, .axes = AXES(-1)); /* the norm of an empty tensor is 0 */
    else y = ord > 0 ? situ_max(sums, .axes = AXES(-1)) : situ_min(sums, .axes = AXES(-1));
    return keepdims ? situ_expand_dims(situ_expand_dims(y, -1), -1) : y;
}

situ_tensor *(situ_matrix_norm)(situ_tensor *x, const situ_matrix_norm_options *options, situ_site site)
{
    SITU_SPEAK("matrix_norm", site);
    situ_matrix_norm_options o = {SITU_DEFAULTS(SITU_MATRIX_NORM_DEFAULTS)};
    if (!take_matrix(x, "matrix_norm", site) || !SITU_TAKE_OPTIONS(o, options, "matrix_norm", site)) return situ_poisoned();
    x = situ_cast(x, situ_as_float((situ_dtype)x->dtype));
    if (o.order != SITU_INDUCED && o.ord != 2)
        return situ_refused(SITU_BAD_OPTION, site,
            "matrix_norm: .ord = %g belongs to " SITU_SAY(".order = SITU_INDUCED", "induced norms") ", which is not set", o.ord);
    if (o.order == SITU_FROBENIUS) return situ_norm(x, .axes = AXES(-2, -1), .keepdims = o.keepdims);
    if (o.order == SITU_INDUCED) return induced_norm(x, o.ord, o.keepdims, site);
    if (o.order != SITU_NUCLEAR)
        return situ_refused(SITU_BAD_ARGUMENT, site,
            "matrix_norm: order is %d; it may be " SITU_SAY(
                "SITU_FROBENIUS, SITU_NUCLEAR or SITU_INDUCED", "\"fro\", \"nuc\" or a number"),
            (int)o.order);
    situ_tensor *y = situ_sum(situ_svd(x), .axes = AXES(-1));
    return o.keepdims ? situ_expand_dims(situ_expand_dims(y, -1), -1) : y;
}

/* ---- products of vectors ------------------------------------------------------------------------------------------------ */

/* Moves the axis, which counts from the end of both tensors, to the end. */
static bool take_vectors(situ_tensor **in, const situ_last_axis_options *options, const char *operation, situ_site site)
{
    situ_last_axis_options o = {SITU_DEFAULTS(SITU_LAST_AXIS_DEFAULTS)};
    if (!situ_together(in, 2, operation, "a, b", site) || !SITU_TAKE_OPTIONS(o, options, operation, site)) return false;
    int64_t length[2];
    int most = in[0]->ndim > in[1]->ndim ? in[0]->ndim : in[1]->ndim;
    if (situ_axis(o.axis, most, operation, site) < 0) return false;
    for (int i = 0; i < 2; i++) {
        if (situ_is_number(in[i])) {
            situ_fail(SITU_BAD_ARGUMENT, site, "%s: %c must be a tensor, not a number", operation, "ab"[i]);
            return false;
        }
        int ndim = in[i]->ndim, axis = o.axis;
        if (axis >= 0) axis -= most;
        axis = situ_axis(axis, ndim, operation, site);
        if (axis < 0) return false;
        length[i] = in[i]->dim[axis];
        in[i] = situ_moveaxis(in[i], axis, -1);
    }
    if (length[0] == length[1]) return !situ_error_code;
    situ_fail(SITU_BAD_SHAPE, site, "%s: a has %lld elements along the axis, b %lld", operation, (long long)length[0],
        (long long)length[1]);
    return false;
}

situ_tensor *(situ_vecdot)(situ_tensor *a, situ_tensor *b, const situ_last_axis_options *options, situ_site site)
{
    SITU_SPEAK("vecdot", site);
    situ_tensor *in[] = {a, b};
    if (!take_vectors(in, options, "vecdot", site)) return situ_poisoned();
    situ_dtype dtype = situ_dtype_promote((situ_dtype)in[0]->dtype, (situ_dtype)in[1]->dtype);
    /* Halves: rounded once at the end, not after each product. */
    bool half = situ_dtype_is_float(dtype) && situ_dtype_size(dtype) == 2;
    for (int i = 0; i < 2 && half; i++) in[i] = situ_cast(in[i], SITU_F32);
    /* not a matrix product, which would have one element for a row and a column */
    situ_tensor *y = situ_dot(situ_conj(in[0]), in[1]);
    return half ? situ_cast(y, dtype) : y;
}

situ_tensor *(situ_cross)(situ_tensor *a, situ_tensor *b, const situ_last_axis_options *options, situ_site site)
{
    SITU_SPEAK("cross", site);
    situ_tensor *in[] = {a, b}, *x[3], *y[3];
    if (!take_vectors(in, options, "cross", site)) return situ_poisoned();
    situ_last_axis_options o = {SITU_DEFAULTS(SITU_LAST_AXIS_DEFAULTS)};
    (void)SITU_TAKE_OPTIONS(o, options, "cross", site);
    if (in[0]->dim[in[0]->ndim - 1] != 3)
        return situ_refused(SITU_BAD_SHAPE, site, "cross: %lld elements along the axis; the product is of vectors of 3",
            (long long)in[0]->dim[in[0]->ndim - 1]);
    for (int i = 0; i < 3; i++) {
        x[i] = situ_select(in[0], -1, i);
        y[i] = situ_select(in[1], -1, i);
    }
    situ_tensor *z[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        z[i] = situ_sub(situ_mul(x[j], y[k]), situ_mul(x[k], y[j]));
    }
    return situ_moveaxis(situ_stack(TENSORS(z[0], z[1], z[2]), .axis = -1), -1, o.axis);
}

/* x as a matrix, with the named axes after the others (or before them); appends its other sizes to *shape. */
static situ_tensor *as_matrix(situ_tensor *x, situ_axes axes, bool behind, situ_shape *shape, situ_site site)
{
    situ_axes order = {.given = 1};
    bool mark[SITU_MAX_DIMS] = {false};
    int64_t inner = 1, outer = 1;
    if (!situ_axes_mark(axes, x->ndim, mark, "tensordot", site)) return situ_poisoned();
    for (int pass = 0; pass < 2; pass++)
        if ((pass == 1) == behind)
            for (int i = 0; i < axes.count; i++) {
                int axis = axes.axis[i] < 0 ? axes.axis[i] + x->ndim : axes.axis[i];
                order.axis[order.count++] = axis;
                inner *= x->dim[axis];
            }
        else
            for (int i = 0; i < x->ndim; i++) {
                if (mark[i]) continue;
                order.axis[order.count++] = i;
                outer *= x->dim[i];
                if (shape->ndim >= SITU_MAX_DIMS)
                    return situ_refused(SITU_BAD_SHAPE, site, "tensordot: a result of more than %d dimensions", SITU_MAX_DIMS);
                shape->dim[shape->ndim++] = x->dim[i];
            }
    return situ_reshape(situ_permute(x, order), behind ? SHAPE(outer, inner) : SHAPE(inner, outer));
}

situ_tensor *(situ_tensordot)(situ_tensor *a, situ_tensor *b, situ_axes axes_a, situ_axes axes_b, situ_site site)
{
    SITU_SPEAK("tensordot", site);
    situ_shape shape = {.ndim = 0};
    if (!situ_together((situ_tensor *[]){a, b}, 2, "tensordot", "a, b", site)) return situ_poisoned();
    if (situ_is_number(a) || situ_is_number(b) || !axes_a.given || !axes_b.given || axes_a.count != axes_b.count)
        return situ_refused(SITU_BAD_ARGUMENT, site,
            "tensordot: it needs two tensors and as many axes of each, such as " SITU_SAY("AXES(1), AXES(0)", "axes=((1,), (0,))"));
    situ_tensor *x = as_matrix(a, axes_a, true, &shape, site), *y = as_matrix(b, axes_b, false, &shape, site);
    if (situ_error_code) return situ_poisoned();
    for (int i = 0; i < axes_a.count; i++) {
        int64_t m = a->dim[(axes_a.axis[i] + a->ndim) % a->ndim], n = b->dim[(axes_b.axis[i] + b->ndim) % b->ndim];
        if (m == n) continue;
        situ_fail(SITU_BAD_SHAPE, site, "tensordot: axis %d of a has %lld elements, axis %d of b %lld", axes_a.axis[i],
            (long long)m, axes_b.axis[i], (long long)n);
        return situ_poisoned();
    }
    return situ_reshape(situ_matmul(x, y), shape);
}
