/* Operators of quantised values. */
#include "base/error.h"
#include "onnx/call.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Broadcasts a scale or zero point, along one axis or in blocks, to the shape of x. */
static situ_tensor *spread(situ_onnx_call *c, situ_tensor *v, situ_tensor *x, situ_site site)
{
    int64_t axis = situ_onnx_int(c, "axis", 1), block = situ_onnx_int(c, "block_size", 0);
    int ndim = situ_ndim(x);
    if (situ_ndim(v) == 0 || situ_count(v) == 1) return situ_reshape(v, SHAPE());
    if (axis < 0) axis += ndim;
    if (block > 0) return situ_slice(situ_repeat(v, block, .axis = (int32_t)axis), .stop = situ_shape_of(x));
    situ_shape s = {.ndim = ndim};
    for (int i = 0; i < ndim; i++) s.dim[i] = i == axis ? situ_dim(x, i) : 1;
    return situ_reshape(v, s);
}

static situ_tensor *saturated(situ_tensor *y, situ_tensor *zero, situ_dtype d, situ_site site)
{
    y = situ_round(y);
    if (zero) y = situ_add(y, situ_cast(zero, SITU_F32));
    return situ_cast(situ_clip(y, situ_dtype_lowest(d), situ_dtype_highest(d)), d);
}

SITU_ONNX_BODY(quantize)
{
    situ_tensor *x = IN(0), *scale = spread(c, IN(1), x, site), *zero = HAS(2) ? spread(c, IN(2), x, site) : NULL;
    int64_t number = situ_onnx_int(c, "output_dtype", 0);
    if (situ_error_code) return situ_poisoned();
    situ_dtype d = zero ? situ_dtype_of(zero) : number ? situ_onnx_dtype(number) : SITU_U8;
    if (!situ_dtype_is_integer(d)) return situ_onnx_refuse(c, SITU_UNSUPPORTED, "to values that are no integers");
    return saturated(situ_div(situ_cast(x, SITU_F32), situ_cast(scale, SITU_F32)), zero, d, site);
}

SITU_ONNX_BODY(dequantize)
{
    situ_tensor *x = IN(0), *scale = spread(c, IN(1), x, site);
    if (situ_error_code) return situ_poisoned();
    int64_t number = situ_onnx_int(c, "output_dtype", 0);
    situ_dtype d = number ? situ_onnx_dtype(number) : situ_dtype_of(scale);
    if (!situ_dtype_is_float(d)) return situ_onnx_refuse(c, SITU_UNSUPPORTED, "to values that are no floats");
    situ_tensor *y = situ_cast(x, SITU_F32);
    if (HAS(2)) y = situ_sub(y, situ_cast(spread(c, IN(2), x, site), SITU_F32));
    return situ_cast(situ_mul(y, situ_cast(scale, SITU_F32)), d);
}

SITU_ONNX_BODY(dynamic_quantize)
{
    situ_tensor *x = IN(0);
    if (situ_error_code) return situ_poisoned();
    situ_tensor *all = situ_count(x) ? x : situ_zeros(SHAPE(1), .dtype = situ_dtype_of(x), .device = situ_device_of(x));
    situ_tensor *high = situ_maximum(situ_max(all), 0.0), *low = situ_minimum(situ_min(all), 0.0);
    situ_tensor *scale = situ_div(situ_sub(high, low), 255.0);
    situ_tensor *zero = situ_cast(situ_round(situ_clip(situ_div(situ_negative(low), scale), 0.0, 255.0)), SITU_U8);
    situ_onnx_give(c, 1, scale);
    situ_onnx_give(c, 2, zero);
    return saturated(situ_div(x, scale), zero, SITU_U8, site);
}

/* Integers minus their zero point; a vector of zero points has one for each row (a) or column (b). */
static situ_tensor *shifted(situ_tensor *x, situ_tensor *zero, bool rows, situ_site site)
{
    x = situ_cast(x, SITU_I32);
    if (!zero) return x;
    zero = situ_cast(zero, SITU_I32);
    if (!situ_error_code && rows && situ_ndim(zero) == 1 && situ_dim(zero, 0) > 1) zero = situ_expand_dims(zero, 1);
    return situ_sub(x, zero);
}
SITU_ONNX_BODY(matmul_integer)
{
    return situ_cast(
        situ_matmul(shifted(IN(0), HAS(2) ? IN(2) : NULL, true, site), shifted(IN(1), HAS(3) ? IN(3) : NULL, false, site)),
        SITU_I32);
}

SITU_ONNX_BODY(qlinear_matmul)
{
    situ_tensor *a = situ_cast(shifted(IN(0), IN(2), true, site), SITU_F64),
                *b = situ_cast(shifted(IN(3), IN(5), false, site), SITU_F64);
    situ_tensor *by = situ_div(situ_mul(situ_cast(IN(1), SITU_F32), situ_cast(IN(4), SITU_F32)), situ_cast(IN(6), SITU_F32));
    return situ_error_code ? situ_poisoned() :
                             saturated(situ_cast(situ_mul(situ_matmul(a, b), by), SITU_F32), IN(7), situ_dtype_of(IN(7)), site);
}

#define ROW(onnx, f, r) \
    { \
        .name = onnx, .body = (f), .read = (r) \
    }
const situ_onnx_op situ_onnx_quantised_ops[] = {ROW("QuantizeLinear", quantize, 0), ROW("DequantizeLinear", dequantize, 0),
    ROW("DynamicQuantizeLinear", dynamic_quantize, 0), ROW("MatMulInteger", matmul_integer, 0),
    ROW("QLinearMatMul", qlinear_matmul, 0), {0}};
