/* Elementwise operators. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "onnx/call.h"
#include "onnx/host.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Casts to the operand's dtype, where situ's operation widens it. */
static situ_tensor *as(situ_tensor *y, situ_dtype dtype, situ_site site) { return situ_cast(y, dtype); }
static situ_dtype of(situ_tensor *x) { return situ_dtype_of(x); }

SITU_ONNX_BODY(divide)
{
    situ_tensor *a = IN(0), *b = situ_onnx_second(c);
    if (situ_error_code || situ_dtype_is_float(of(a)) || situ_dtype_is_complex(of(a))) return situ_div(a, b);
    if (situ_dtype_kind(of(a)) == SITU_KIND_UNSIGNED) return situ_floor_divide(a, b);
    return situ_floor_divide(situ_sub(a, situ_fmod(a, b)), b);
}

SITU_ONNX_BODY(power)
{
    situ_tensor *a = IN(0), *b = situ_onnx_second(c);
    const situ_onnx_host *h = situ_onnx_there(c, 1);
    if (situ_error_code) return situ_poisoned();
    if (h && h->count == 1 && situ_onnx_host_float(h, 0) == 2)
        return situ_broadcast_to(situ_square(a), situ_shape_of(situ_add(a, b)));
    situ_dtype both = situ_dtype_promote(of(a), of(b));
    if (!situ_dtype_is_float(of(a)) && situ_dtype_is_float(of(b))) both = SITU_F64;
    return as(situ_pow(situ_cast(a, both), situ_cast(b, both)), of(a), site);
}

SITU_ONNX_BODY(modulo) { return situ_onnx_int(c, "fmod", 0) ? situ_fmod(IN(0), IN(1)) : situ_remainder(IN(0), IN(1)); }

SITU_ONNX_BODY(bit_shift)
{
    if (!situ_onnx_attr(c, "direction")) return situ_onnx_refuse(c, SITU_BAD_FORMAT, "it has no \"direction\"");
    return situ_onnx_is(c, "direction", "LEFT", "LEFT, RIGHT") ? situ_bitwise_left_shift(IN(0), IN(1)) :
                                                                 situ_bitwise_right_shift(IN(0), IN(1));
}

SITU_ONNX_BODY(is_infinite)
{
    situ_tensor *x = IN(0), *y = situ_isinf(x);
    if (!situ_onnx_int(c, "detect_negative", 1)) y = situ_logical_and(y, situ_greater(x, 0));
    if (!situ_onnx_int(c, "detect_positive", 1)) y = situ_logical_and(y, situ_less(x, 0));
    return y;
}

/* Folds a binary function over all inputs. */
static situ_tensor *folded(situ_onnx_call *c, situ_tensor *(*f)(situ_tensor *, situ_tensor *, situ_site), situ_site site)
{
    situ_tensor *y = IN(0);
    for (int i = 1; i < c->node->ins && !situ_error_code; i++) y = f(y, IN(i), site);
    return y;
}
SITU_ONNX_BODY(largest) { return folded(c, (situ_maximum), site); }
SITU_ONNX_BODY(smallest) { return folded(c, (situ_minimum), site); }
SITU_ONNX_BODY(sum) { return folded(c, (situ_add), site); }
SITU_ONNX_BODY(mean)
{
    situ_tensor *y = folded(c, (situ_add), site);
    return situ_div(y, c->node->ins);
}

SITU_ONNX_BODY(clip)
{
    situ_tensor *x = IN(0);
    const situ_onnx_attribute *low = situ_onnx_attr(c, "min"), *high = situ_onnx_attr(c, "max");
    if (HAS(1)) x = situ_maximum(x, situ_reshape(IN(1), SHAPE()));
    else if (low) x = situ_maximum(x, low->f);
    if (HAS(2)) x = situ_minimum(x, situ_reshape(IN(2), SHAPE()));
    else if (high) x = situ_minimum(x, high->f);
    return x;
}

/* Returns +0 for both zeros. */
SITU_ONNX_BODY(sign)
{
    situ_tensor *x = IN(0);
    if (situ_error_code || !situ_dtype_is_float(of(x))) return situ_sign(x);
    return situ_where(situ_equal(x, 0), situ_zeros_like(x), situ_sign(x));
}

SITU_ONNX_BODY(where) { return situ_where(IN(0), IN(1), IN(2)); }

/* ---- activations ---------------------------------------------------------------------------------------------------------- */

SITU_ONNX_BODY(leaky_relu) { return situ_leaky_relu(IN(0), situ_onnx_float(c, "alpha", 0.01)); }
SITU_ONNX_BODY(elu) { return situ_elu(IN(0), situ_onnx_float(c, "alpha", 1)); }
SITU_ONNX_BODY(selu)
{
    bool old = c->opset < 6;
    double alpha = situ_onnx_float(c, "alpha", old ? (double)1.6732f : 1.67326319217681884765625),
           gamma = situ_onnx_float(c, "gamma", old ? (double)1.0507f : 1.05070102214813232421875);
    return situ_mul(situ_elu(IN(0), alpha), gamma);
}
SITU_ONNX_BODY(celu)
{
    double alpha = situ_onnx_float(c, "alpha", 1);
    situ_tensor *x = IN(0);
    return situ_add(situ_maximum(x, 0.0), situ_minimum(situ_mul(situ_expm1(situ_div(x, alpha)), alpha), 0.0));
}
SITU_ONNX_BODY(prelu)
{
    situ_tensor *x = IN(0), *slope = IN(1);
    if (!situ_error_code && c->opset < 7 && situ_ndim(slope) == 1 && situ_count(slope) > 1 && situ_ndim(x) > 2) {
        situ_shape s = {.ndim = situ_ndim(x) - 1, .dim = {situ_count(slope)}}; /* one slope for each channel */
        for (int i = 1; i < s.ndim; i++) s.dim[i] = 1;
        slope = situ_reshape(slope, s);
    }
    return situ_where(situ_less(x, 0), situ_mul(x, slope), x);
}
SITU_ONNX_BODY(hard_sigmoid)
{
    situ_tensor *y = situ_add(situ_mul(IN(0), situ_onnx_float(c, "alpha", 0.2)), situ_onnx_float(c, "beta", 0.5));
    return situ_clip(y, 0.0, 1.0);
}
SITU_ONNX_BODY(hard_swish)
{
    situ_tensor *x = IN(0);
    return situ_mul(x, situ_clip(situ_add(situ_div(x, 6.0), 0.5), 0.0, 1.0));
}
SITU_ONNX_BODY(swish)
{
    situ_tensor *x = IN(0);
    return situ_mul(x, situ_sigmoid(situ_mul(x, situ_onnx_float(c, "alpha", 1))));
}
SITU_ONNX_BODY(swiglu) { return situ_mul(swish(c, site), IN(1)); }
SITU_ONNX_BODY(gelu)
{
    return situ_onnx_is(c, "approximate", "tanh", "none, tanh") ? situ_gelu(IN(0)) : situ_gelu(IN(0), .exact = true);
}
SITU_ONNX_BODY(mish) { return situ_mish(IN(0)); }
SITU_ONNX_BODY(softsign)
{
    situ_tensor *x = IN(0);
    return situ_div(x, situ_add(situ_abs(x), 1.0));
}
SITU_ONNX_BODY(thresholded)
{
    situ_tensor *x = IN(0);
    return situ_where(situ_greater(x, situ_onnx_float(c, "alpha", 1)), x, situ_zeros_like(x));
}
SITU_ONNX_BODY(shrink)
{
    situ_tensor *x = IN(0), *zero = situ_zeros_like(x);
    double bias = situ_onnx_float(c, "bias", 0), lambda = situ_onnx_float(c, "lambd", 0.5);
    situ_tensor *low = situ_cast(situ_add(x, bias), of(x)), *high = situ_cast(situ_sub(x, bias), of(x));
    return situ_where(situ_less(x, -lambda), low, situ_where(situ_greater(x, lambda), high, zero));
}

/* ---- dtypes --------------------------------------------------------------------------------------------------------------- */

/* Before opset 6 the dtype is given by name. */
static int64_t wanted_dtype(const situ_onnx_call *c)
{
    static const char *const names[] = {"", "FLOAT", "UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "STRING", "BOOL",
        "FLOAT16", "DOUBLE", "UINT32", "UINT64", "COMPLEX64", "COMPLEX128"};
    const situ_onnx_attribute *a = situ_onnx_attr(c, "to");
    for (int i = 1; a && a->s && i < (int)(sizeof names / sizeof *names); i++)
        if (!strcmp(a->s, names[i])) return i;
    return a && a->s ? 0 : situ_onnx_int(c, "to", 1);
}

SITU_ONNX_BODY(cast)
{
    int64_t number = wanted_dtype(c);
    situ_dtype d = situ_onnx_dtype(number);
    if (d == SITU_DTYPE_DEFAULT)
        return situ_onnx_refuse(c, SITU_UNSUPPORTED, "there are no tensors of %s", situ_onnx_dtype_text(number));
    return situ_cast(IN(0), d);
}
SITU_ONNX_BODY(cast_like) { return situ_cast(IN(0), of(IN(1))); }
SITU_ONNX_BODY(bit_cast)
{
    situ_tensor *x = IN(0);
    situ_dtype from = of(x), d = situ_onnx_dtype(situ_onnx_int(c, "to", 1));
    if (from == d) return x;
    if (from == SITU_F32 && (d == SITU_U32 || d == SITU_I32)) return situ_cast(situ_bitcast_u32(x), d);
    if (from == SITU_F64 && (d == SITU_U64 || d == SITU_I64)) return situ_cast(situ_bitcast_u64(x), d);
    if ((from == SITU_U32 || from == SITU_I32) && d == SITU_F32) return situ_bitcast_f32(situ_cast(x, SITU_U32));
    if ((from == SITU_U64 || from == SITU_I64) && d == SITU_F64) return situ_bitcast_f64(situ_cast(x, SITU_U64));
    if (from == SITU_BOOL && d == SITU_U8) return situ_cast(x, d);
    bool integers = situ_dtype_is_integer(from) && situ_dtype_is_integer(d) && situ_dtype_size(from) == situ_dtype_size(d);
    return integers ? situ_cast(x, d) : situ_onnx_refuse(c, SITU_UNSUPPORTED, "these dtypes have no common bits");
}

static bool host_cast(situ_onnx_call *c)
{
    const situ_onnx_host *h = situ_onnx_there(c, 0);
    situ_dtype d = situ_onnx_dtype(wanted_dtype(c));
    if (!h || h->count > SITU_ONNX_HOST_MOST || d == SITU_DTYPE_DEFAULT || situ_dtype_is_complex(d)) return false;
    uint8_t *to = situ_onnx_give_host(c, 0, d, h->ndim, h->dim);
    for (int64_t i = 0; to && i < h->count; i++, to += situ_dtype_size(d))
        if (situ_dtype_is_float(h->dtype)) situ_element_set_f64(d, to, situ_onnx_host_float(h, i));
        else situ_element_set_i64(d, to, situ_onnx_host_int(h, i));
    return to != NULL;
}

#define ONE(onnx, f) \
    { \
        .name = onnx, .one = (f) \
    }
#define ONE_HOST(onnx, f, h) \
    { \
        .name = onnx, .one = (f), .host = (h) \
    }
#define TWO(onnx, f) \
    { \
        .name = onnx, .two = (f) \
    }
#define TWO_HOST(onnx, f, h) \
    { \
        .name = onnx, .two = (f), .host = (h) \
    }
#define OWN(onnx, f) \
    { \
        .name = onnx, .body = (f) \
    }
#define OWN_HOST(onnx, f, h) \
    { \
        .name = onnx, .body = (f), .host = (h) \
    }
const situ_onnx_op situ_onnx_element_ops[] = {TWO_HOST("Add", situ_add, situ_onnx_host_add),
    TWO_HOST("Sub", situ_sub, situ_onnx_host_sub), TWO_HOST("Mul", situ_mul, situ_onnx_host_mul),
    OWN_HOST("Div", divide, situ_onnx_host_div), OWN("Pow", power), OWN_HOST("Mod", modulo, situ_onnx_host_mod),
    OWN("BitShift", bit_shift), TWO_HOST("And", situ_logical_and, situ_onnx_host_and),
    TWO_HOST("Or", situ_logical_or, situ_onnx_host_or), TWO("Xor", situ_logical_xor),
    TWO_HOST("Equal", situ_equal, situ_onnx_host_equal), TWO_HOST("Less", situ_less, situ_onnx_host_less),
    TWO_HOST("Greater", situ_greater, situ_onnx_host_greater), TWO_HOST("LessOrEqual", situ_less_equal, situ_onnx_host_less_equal),
    TWO_HOST("GreaterOrEqual", situ_greater_equal, situ_onnx_host_greater_equal), TWO("BitwiseAnd", situ_bitwise_and),
    TWO("BitwiseOr", situ_bitwise_or), TWO("BitwiseXor", situ_bitwise_xor), ONE("BitwiseNot", situ_bitwise_invert),
    ONE_HOST("Not", situ_logical_not, situ_onnx_host_not), OWN_HOST("Max", largest, situ_onnx_host_max),
    OWN_HOST("Min", smallest, situ_onnx_host_min), OWN("Sum", sum), OWN("Mean", mean), OWN("Clip", clip),
    OWN_HOST("Where", where, situ_onnx_host_where), ONE_HOST("Abs", situ_abs, situ_onnx_host_abs),
    ONE_HOST("Neg", situ_negative, situ_onnx_host_neg), OWN("Sign", sign), ONE("Exp", situ_exp), ONE("Log", situ_log),
    ONE_HOST("Sqrt", situ_sqrt, situ_onnx_host_sqrt), ONE("Reciprocal", situ_reciprocal), ONE("Sin", situ_sin),
    ONE("Cos", situ_cos), ONE("Tan", situ_tan), ONE("Asin", situ_asin), ONE("Acos", situ_acos), ONE("Atan", situ_atan),
    ONE("Sinh", situ_sinh), ONE("Cosh", situ_cosh), ONE("Tanh", situ_tanh), ONE("Asinh", situ_asinh), ONE("Acosh", situ_acosh),
    ONE("Atanh", situ_atanh), ONE("Erf", situ_erf), ONE("Sigmoid", situ_sigmoid), ONE("Relu", situ_relu),
    ONE("Softplus", situ_softplus), ONE_HOST("Floor", situ_floor, situ_onnx_host_floor),
    ONE_HOST("Ceil", situ_ceil, situ_onnx_host_ceil), ONE("Round", situ_round), ONE("IsNaN", situ_isnan), OWN("IsInf", is_infinite),
    OWN("LeakyRelu", leaky_relu), OWN("Elu", elu), OWN("Selu", selu), OWN("Celu", celu), OWN("PRelu", prelu),
    OWN("HardSigmoid", hard_sigmoid), OWN("HardSwish", hard_swish), OWN("Swish", swish), OWN("SwiGLU", swiglu), OWN("Gelu", gelu),
    OWN("Mish", mish), OWN("Softsign", softsign), OWN("ThresholdedRelu", thresholded), OWN("Shrink", shrink),
    OWN_HOST("Cast", cast, host_cast), OWN("CastLike", cast_like), OWN("BitCast", bit_cast), {0}};
