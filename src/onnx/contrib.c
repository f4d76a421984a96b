/* Fused operators that onnxruntime's optimizer writes:
 * https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md */
#include <string.h>

#include "base/error.h"
#include "onnx/call.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static situ_tensor *with(situ_onnx_call *c, situ_tensor *x, int i, situ_site site) { return HAS(i) ? situ_add(x, IN(i)) : x; }

SITU_ONNX_BODY(gelu) { return situ_gelu(with(c, IN(0), 1, site), .exact = true); }
SITU_ONNX_BODY(fast_gelu) { return situ_gelu(with(c, IN(0), 1, site)); }
SITU_ONNX_BODY(quick_gelu)
{
    situ_tensor *x = IN(0);
    return situ_mul(x, situ_sigmoid(situ_mul(x, situ_onnx_float(c, "alpha", 1.702))));
}

SITU_ONNX_BODY(fused_matmul)
{
    situ_tensor *a = IN(0), *b = IN(1);
    double alpha = situ_onnx_float(c, "alpha", 1);
    if (situ_onnx_int(c, "transBatchA", 0) || situ_onnx_int(c, "transBatchB", 0))
        return situ_onnx_refuse(c, SITU_UNSUPPORTED, "with batches that are turned");
    if (!a || !b || situ_error_code) return situ_onnx_refuse(c, SITU_BAD_FORMAT, "an input is missing");
    if (situ_onnx_int(c, "transA", 0) && situ_ndim(a) > 1) a = situ_matrix_transpose(a);
    if (situ_onnx_int(c, "transB", 0) && situ_ndim(b) > 1) b = situ_matrix_transpose(b);
    situ_tensor *y = situ_matmul(a, b);
    return alpha != 1 ? situ_cast(situ_mul(y, alpha), situ_dtype_of(a)) : y;
}

/* Normalises x over its last axes, from `axis` on, by standard deviation or (rms) by root mean square; the factor is
 * result 2 or 1. */
static situ_tensor *norm(situ_onnx_call *c, situ_tensor *x, int axis, double eps, bool rms, situ_site site)
{
    situ_axes axes = {.given = 1};
    if (situ_error_code || situ_ndim(x) < 1) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it takes one axis and more");
    if (axis < 0) axis += situ_ndim(x);
    if (axis < 0 || axis >= situ_ndim(x)) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "there is no such axis");
    for (; axis < situ_ndim(x); axis++) axes.axis[axes.count++] = axis;
    situ_dtype d = situ_dtype_of(x);
    if (d != SITU_F64) x = situ_cast(x, SITU_F32);
    situ_tensor *mean = rms ? NULL : situ_mean(x, .axes = axes, .keepdims = true), *off = rms ? x : situ_sub(x, mean);
    situ_tensor *by = situ_rsqrt(situ_add(situ_mean(situ_square(off), .axes = axes, .keepdims = true), eps));
    if (!rms) situ_onnx_give(c, 1, mean);
    situ_onnx_give(c, strncmp(c->node->type, "Simp", 4) ? 2 : 1, by);
    return situ_cast(situ_mul(off, by), d);
}

/* Adds input, skip and bias, then normalises with a scale and, unless rms, a shift. */
static situ_tensor *skip_norm(situ_onnx_call *c, bool rms, situ_site site)
{
    situ_tensor *sum = with(c, situ_add(IN(0), IN(1)), rms ? 3 : 4, site);
    situ_tensor *y = situ_mul(norm(c, sum, -1, situ_onnx_float(c, "epsilon", 1e-12), rms, site), IN(2));
    situ_onnx_give(c, 3, sum);
    return rms ? y : with(c, y, 3, site);
}
SITU_ONNX_BODY(skip_layer_norm) { return skip_norm(c, false, site); }
SITU_ONNX_BODY(skip_rms_norm) { return skip_norm(c, true, site); }
SITU_ONNX_BODY(rms_norm)
{
    int64_t axis = situ_onnx_int(c, "axis", -1);
    axis = axis < -SITU_MAX_DIMS || axis > SITU_MAX_DIMS ? SITU_MAX_DIMS : axis;
    return situ_mul(norm(c, IN(0), (int)axis, situ_onnx_float(c, "epsilon", 1e-5), true, site), IN(1));
}

/* Unpacks 4-bit numbers, the lower one first, as a new last axis of two. */
static situ_tensor *halves(situ_tensor *x, situ_site site)
{
    return situ_stack(TENSORS(situ_bitwise_and(x, 15), situ_bitwise_right_shift(x, 4)), .axis = situ_ndim(x));
}

/* A product with weights [n, k] that are quantised in blocks along k, each with a scale and a zero point (default 8). */
SITU_ONNX_BODY(matmul_bits)
{
    situ_tensor *x = IN(0), *w = IN(1), *scale = IN(2), *zero = HAS(3) ? IN(3) : NULL;
    int64_t k = situ_onnx_int(c, "K", 0), n = situ_onnx_int(c, "N", 0), bits = situ_onnx_int(c, "bits", 4),
            block = situ_onnx_int(c, "block_size", 0);
    if (HAS(4) || (bits != 4 && bits != 8))
        return situ_onnx_refuse(c, SITU_UNSUPPORTED, "of %d bits, or in another order", (int)bits);
    bool fits = x && w && scale && !situ_error_code && k > 0 && n > 0 && block > 1 && block % 2 == 0 && k < INT32_MAX &&
        n < INT32_MAX && block < INT32_MAX;
    int64_t blocks = fits ? (k + block - 1) / block : 1;
    if (!fits || situ_count(w) != n * blocks * block * bits / 8 || situ_count(scale) != n * blocks || situ_dtype_of(w) != SITU_U8 ||
        (zero && situ_dtype_of(zero) == SITU_U8 && situ_count(zero) != (bits == 8 ? n * blocks : n * ((blocks + 1) / 2))))
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "its shapes do not fit");
    situ_dtype d = situ_dtype_of(x), wide = d == SITU_F64 ? d : SITU_F32;
    w = situ_cast(situ_reshape(bits == 4 ? halves(w, site) : w, SHAPE(n, blocks, block)), wide);
    if (zero && bits == 4 && situ_dtype_of(zero) == SITU_U8)
        zero = situ_slice(situ_reshape(halves(zero, site), SHAPE(n, -1)), .stop = SHAPE(n, blocks));
    if (zero) w = situ_sub(w, situ_cast(situ_reshape(zero, SHAPE(n, blocks, 1)), wide));
    else w = situ_sub(w, bits == 4 ? 8.0 : 128.0);
    w = situ_reshape(situ_mul(w, situ_cast(situ_reshape(scale, SHAPE(n, blocks, 1)), wide)), SHAPE(n, blocks * block));
    if (blocks * block != k) w = situ_slice(w, .stop = SHAPE(n, k));
    return with(c, situ_cast(situ_matmul(situ_cast(x, wide), situ_transpose(w)), d), 5, site);
}

#define ROW(onnx, f) \
    { \
        .name = onnx, .body = (f) \
    }
const situ_onnx_op situ_onnx_contrib_ops[] = {ROW("com.microsoft.Gelu", gelu), ROW("com.microsoft.BiasGelu", gelu),
    ROW("com.microsoft.FastGelu", fast_gelu), ROW("com.microsoft.QuickGelu", quick_gelu),
    ROW("com.microsoft.FusedMatMul", fused_matmul), ROW("com.microsoft.SkipLayerNormalization", skip_layer_norm),
    ROW("com.microsoft.SkipSimplifiedLayerNormalization", skip_rms_norm), ROW("SimplifiedLayerNormalization", rms_norm),
    ROW("com.microsoft.MatMulNBits", matmul_bits), {0}};
