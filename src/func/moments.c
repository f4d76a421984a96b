/* Means, standard deviations, norms. Halves are widened once and rounded once. */
#include <math.h>

#include "func/square_scale.h"
#include "op/reduce.h"
#include "op/table.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* x in a float dtype in which sums are precise enough. */
static situ_tensor *wide(situ_tensor *x, situ_site site)
{
    situ_dtype d = (situ_dtype)x->dtype;
    if (situ_dtype_is_integer(d) && situ_dtype_size(d) >= 4) d = SITU_F64; /* f32 cannot hold 32-bit integers exactly */
    return situ_cast(x, d == SITU_F64 || situ_dtype_is_complex(d) ? d : SITU_F32);
}

/* The dtype of the result: that of x, or f32 for integers. */
static situ_dtype result_dtype(const situ_tensor *x, situ_dtype wanted)
{
    if (wanted != SITU_DTYPE_DEFAULT) return wanted;
    return situ_as_float((situ_dtype)x->dtype);
}

static situ_tensor *mean_of(situ_tensor *x, const bool *mark, bool keepdims, double divisor, situ_site site)
{
    return situ_div(situ_reduce_marked(&situ_op_sum, x, mark, keepdims, site), divisor);
}

situ_tensor *(situ_mean)(situ_tensor *x, const situ_sum_options *options, situ_site site)
{
    SITU_SPEAK("mean", site);
    situ_reduce_taken o = {.parameter = 0};
    bool mark[SITU_MAX_DIMS];
    if (!situ_take_reduce(x, &o, mark, options, "mean", site)) return situ_poisoned();
    situ_dtype dtype = result_dtype(x, o.dtype);
    if (situ_dtype_is_float(o.dtype) && o.dtype > (situ_dtype)x->dtype) x = situ_cast(x, o.dtype);
    return situ_cast(mean_of(wide(x, site), mark, o.keepdims, (double)situ_reduce_count(x, mark), site), dtype);
}

/* The square root of a variance. At 0, for equal elements, its gradient is set to 0, as in PyTorch. */
static situ_tensor *expand_std_root(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    (void)attr;
    return situ_sqrt(in[0]);
}

static void vjp_std_root(situ_vjp *c)
{
    situ_site site = c->site;
    situ_tensor *zero = situ_equal(c->y, 0);
    c->out[0] = situ_where(zero, 0, situ_div(situ_mul(0.5, c->g), situ_where(zero, 1, c->y)));
}

const situ_op situ_op_std_root = {.name = "std",
    .family = SITU_COMPOSITE,
    .operands = "variance",
    .infer = situ_infer_same,
    .expand = expand_std_root,
    .vjp = vjp_std_root,
    .reads = {SITU_READS_RESULT}};

situ_tensor *situ_square_scale(situ_tensor *most, bool up, situ_site site)
{
    bool wide = (situ_dtype)most->dtype == SITU_F64;
    double far = wide ? 0x1p200 : 0x1p25; /* below this, products of two squares do not overflow */
    most = situ_stop_gradient(most);
    situ_tensor *power = wide ? situ_bitcast_f64(situ_bitwise_and(situ_bitcast_u64(most), 0x7ff0000000000000ll)) :
                                situ_bitcast_f32(situ_bitwise_and(situ_bitcast_u32(most), 0x7f800000));
    power = situ_where(situ_greater(power, 0), power, wide ? 0x1p-1022 : 0x1p-126); /* if `most` is 0 or subnormal */
    situ_tensor *out = situ_greater(most, far);
    if (up) out = situ_logical_or(out, situ_logical_and(situ_less(most, 1 / far), situ_greater(most, 0)));
    return situ_where(situ_logical_and(out, situ_isfinite(most)), situ_reciprocal(power), 1);
}

static situ_tensor *variance(situ_tensor *x, const situ_var_options *options, bool root, const char *name, situ_site site)
{
    situ_reduce_taken o = {.parameter = 0};
    bool mark[SITU_MAX_DIMS];
    if (!situ_take_reduce(x, &o, mark, options, name, site)) return situ_poisoned();
    if (situ_dtype_is_complex((situ_dtype)x->dtype))
        return situ_refused(SITU_BAD_DTYPE, site,
            "%s: no rule for %s; take " SITU_SAY("situ_real and situ_imag", "situ.real and situ.imag") " of it", name,
            situ_dtype_name((situ_dtype)x->dtype));
    if (!isfinite(o.parameter))
        return situ_refused(SITU_BAD_OPTION, site,
            "%s: " SITU_SAY(".correction", "correction") " = %g; it is taken from the number of elements", name, o.parameter);
    situ_dtype dtype = result_dtype(x, o.dtype);
    double n = (double)situ_reduce_count(x, mark);
    situ_tensor *w = wide(x, site);
    situ_tensor *deviation = situ_sub(w, mean_of(w, mark, true, n, site)), *space = NULL;
    if (root && n > 0 && (situ_dtype)w->dtype == SITU_F64) {
        space = situ_square_scale(situ_reduce_marked(&situ_op_max, situ_abs(w), mark, true, site), true, site);
        deviation = situ_mul(deviation, space);
    }
    if (root) deviation = situ_cast(deviation, SITU_F64); /* squares of f32 do not overflow in f64 */
    situ_tensor *v = mean_of(situ_square(deviation), mark, o.keepdims, fmax(n - o.parameter, 0), site);
    if (root) v = situ_apply1(&situ_op_std_root, v, NULL, 0, site);
    if (space && !situ_error_code) v = situ_div(v, situ_reshape(space, situ_shape_like(v)));
    return situ_cast(v, dtype);
}

situ_tensor *(situ_var)(situ_tensor *x, const situ_var_options *options, situ_site site)
{
    SITU_SPEAK("var", site);
    return variance(x, options, false, "var", site);
}

situ_tensor *(situ_std)(situ_tensor *x, const situ_var_options *options, situ_site site)
{
    SITU_SPEAK("std", site);
    return variance(x, options, true, "std", site);
}

situ_tensor *(situ_logsumexp)(situ_tensor *x, const situ_sum_options *options, situ_site site)
{
    SITU_SPEAK("logsumexp", site);
    situ_reduce_taken o = {.parameter = 0};
    bool mark[SITU_MAX_DIMS];
    if (!situ_take_reduce(x, &o, mark, options, "logsumexp", site)) return situ_poisoned();
    situ_dtype dtype = result_dtype(x, o.dtype);
    situ_tensor *w = wide(x, site);
    if (!situ_reduce_count(x, mark))
        return situ_cast(situ_log(situ_reduce_marked(&situ_op_sum, situ_exp(w), mark, o.keepdims, site)), dtype);
    situ_tensor *most = situ_stop_gradient(situ_reduce_marked(&situ_op_max, w, mark, true, site));
    most = situ_where(situ_isfinite(most), most, 0); /* avoids inf - inf */
    situ_tensor *sum = situ_reduce_marked(&situ_op_sum, situ_exp(situ_sub(w, most)), mark, true, site);
    situ_tensor *y = situ_add(situ_log(sum), most);
    if (o.keepdims || situ_error_code) return situ_cast(y, dtype);
    situ_shape shape = {.ndim = 0};
    for (int i = 0; i < x->ndim; i++)
        if (!mark[i]) shape.dim[shape.ndim++] = x->dim[i];
    return situ_cast(situ_reshape(y, shape), dtype);
}

/* ---- norms ------------------------------------------------------------------------------------------------------------- */

typedef struct norm_attr {
    double ord;
    bool mark[SITU_MAX_DIMS], keepdims;
} norm_attr;

static int infer_norm(situ_infer *c)
{
    const norm_attr *a = c->attr;
    const situ_tensor *x = c->in[0];
    c->dtype = (situ_dtype)x->dtype;
    c->ndim = 0;
    for (int i = 0; i < x->ndim; i++)
        if (!a->mark[i] || a->keepdims) c->dim[c->ndim++] = a->mark[i] ? 1 : x->dim[i];
    return 0;
}

/* The divisor of |x| that keeps powers from overflowing, and from vanishing all together: the largest |x|, or the
 * smallest for a negative power. */
static situ_tensor *unit_of(situ_tensor *size, const norm_attr *a, situ_site site)
{
    situ_tensor *unit = situ_reduce_marked(a->ord > 0 ? &situ_op_max : &situ_op_min, size, a->mark, true, site);
    return situ_where(situ_logical_and(situ_isfinite(unit), situ_greater(unit, 0)), unit, 1);
}

/* Squares of f32 are computed in f64, where they do not overflow. */
static situ_tensor *expand_norm(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    const norm_attr *a = attr;
    situ_tensor *x = in[0];
    (void)nin;
    if (a->ord == 2 && x->dtype == SITU_F32)
        return situ_cast(
            situ_sqrt(situ_reduce_marked(&situ_op_sum, situ_square(situ_cast(x, SITU_F64)), a->mark, a->keepdims, site)), SITU_F32);
    situ_tensor *size = situ_abs(x), *unit = unit_of(size, a, site), *part = situ_div(size, unit);
    part = a->ord == 2 ? situ_square(part) : situ_pow(part, a->ord);
    situ_tensor *sum = situ_reduce_marked(&situ_op_sum, part, a->mark, true, site);
    situ_tensor *y = situ_mul(a->ord == 2 ? situ_sqrt(sum) : situ_pow(sum, 1 / a->ord), unit);
    situ_shape shape = {.ndim = 0};
    for (int i = 0; i < x->ndim; i++)
        if (!a->mark[i] || a->keepdims) shape.dim[shape.ndim++] = a->mark[i] ? 1 : x->dim[i];
    return situ_reshape(y, shape);
}

/* Gradient by x: sign(x) (|x| / y)^(ord - 1), x / y if ord is 2, 0 if y is 0, as in PyTorch. Both quotients are at
 * most 1, so nothing overflows. */
static void vjp_norm(situ_vjp *c)
{
    situ_site site = c->site;
    const norm_attr *a = situ_node_attr(c->y);
    situ_shape shape = situ_shape_like(c->in[0]);
    for (int i = 0; i < shape.ndim; i++)
        if (a->mark[i]) shape.dim[i] = 1;
    situ_tensor *x = c->in[0], *y = situ_reshape(c->y, shape), *none = situ_equal(y, 0), *nothing = situ_scalar_int(0), *slope;
    situ_tensor *ratio = situ_div(x, situ_where(none, 1, y));
    if (a->ord == 2) {
        slope = ratio;
    } else {
        situ_tensor *size = situ_abs(ratio);
        if (a->ord < 2) { /* at 0 this power or its derivative is infinite */
            none = situ_logical_or(none, situ_equal(x, 0));
            size = situ_where(none, 1, size);
            nothing = situ_where(situ_isnan(y), y, 0); /* a NaN among the elements makes the gradient NaN */
        }
        slope = situ_mul(situ_sign(x), situ_pow(size, a->ord - 1));
    }
    c->out[0] = situ_mul(situ_reshape(c->g, shape), situ_where(none, nothing, slope));
}

const situ_op situ_op_norm = {.name = "norm",
    .family = SITU_COMPOSITE,
    .operands = "x",
    .infer = infer_norm,
    .expand = expand_norm,
    .vjp = vjp_norm,
    .reads = {SITU_READS_A | SITU_READS_RESULT}};

situ_tensor *(situ_norm)(situ_tensor *x, const situ_norm_options *options, situ_site site)
{
    SITU_SPEAK("norm", site);
    situ_reduce_taken o = {.parameter = 2};
    bool mark[SITU_MAX_DIMS];
    if (!situ_take_reduce(x, &o, mark, options, "norm", site)) return situ_poisoned();
    if (isnan(o.parameter)) return situ_refused(SITU_BAD_OPTION, site, "norm: .ord is NaN");
    situ_dtype dtype = result_dtype(x, o.dtype);
    situ_tensor *w = wide(x, site), *y;
    if (situ_dtype_is_complex((situ_dtype)w->dtype)) {
        w = situ_abs(w);
        dtype = situ_dtype_real(dtype);
    }
    if (isinf(o.parameter)) {
        /* the maximum of no elements is 0 here, like an empty sum */
        const situ_op *reduction = o.parameter < 0 ? &situ_op_min : situ_reduce_count(x, mark) ? &situ_op_max : &situ_op_sum;
        y = situ_reduce_marked(reduction, situ_abs(w), mark, o.keepdims, site);
    } else if (o.parameter == 0) {
        y = situ_reduce_marked(&situ_op_sum, situ_cast(situ_not_equal(w, 0), (situ_dtype)w->dtype), mark, o.keepdims, site);
    } else if (o.parameter == 1) {
        y = situ_reduce_marked(&situ_op_sum, situ_abs(w), mark, o.keepdims, site);
    } else {
        norm_attr attr = {.ord = o.parameter, .keepdims = o.keepdims};
        memcpy(attr.mark, mark, (size_t)w->ndim * sizeof *mark);
        y = situ_apply1(&situ_op_norm, w, &attr, sizeof attr, site);
    }
    return situ_cast(y, dtype);
}
