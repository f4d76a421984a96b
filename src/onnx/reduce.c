/* Reductions, matrix products, softmax. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "onnx/call.h"
#include "onnx/host.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

typedef struct folding {
    situ_tensor *x;
    situ_axes axes;
    bool keep;
    situ_dtype dtype;
} folding;

/* False: there is nothing to reduce, and x is the result. */
static bool fold_of(situ_onnx_call *c, folding *f)
{
    f->x = IN(0);
    f->axes = situ_onnx_axes(c, 1, "axes");
    f->keep = situ_onnx_int(c, "keepdims", 1) != 0;
    if (situ_error_code) return true;
    f->dtype = situ_dtype_of(f->x);
    if (f->axes.given) return true;
    f->axes.axis[0] = SITU_ALL_AXES;
    f->axes.count = 0;
    for (; f->axes.count < situ_ndim(f->x); f->axes.count++) f->axes.axis[f->axes.count] = f->axes.count;
    f->axes.given = 1;
    return !situ_onnx_int(c, "noop_with_empty_axes", 0) && f->axes.count;
}

/* Sums of f16 and of integers keep their dtype. */
static situ_tensor *total(const folding *f, situ_tensor *x, situ_site site)
{
    return situ_cast(situ_sum(x, .axes = f->axes, .keepdims = f->keep), f->dtype);
}

#define FOLD(name, nothing, value) \
    SITU_ONNX_BODY(name) \
    { \
        folding f; \
        bool some = fold_of(c, &f); \
        situ_tensor *x = f.x; \
        return some ? (value) : (nothing); \
    }
FOLD(sum, x, total(&f, x, site))
FOLD(mean, x, situ_cast(situ_mean(x, .axes = f.axes, .keepdims = f.keep), f.dtype))
FOLD(prod, x, situ_cast(situ_prod(x, .axes = f.axes, .keepdims = f.keep), f.dtype))
FOLD(l1, situ_abs(x), total(&f, situ_abs(x), site))
FOLD(l2, situ_abs(x), situ_cast(situ_sqrt(total(&f, situ_square(x), site)), f.dtype))
FOLD(square, situ_square(x), total(&f, situ_square(x), site))
FOLD(log_sum, situ_log(x), situ_cast(situ_log(total(&f, x, site)), f.dtype))
FOLD(log_sum_exp, x, situ_cast(situ_logsumexp(x, .axes = f.axes, .keepdims = f.keep), f.dtype))

/* For an axis without elements: the neutral value. */
static situ_tensor *extreme(const folding *f, bool largest, situ_site site)
{
    situ_shape s = situ_shape_of(f->x);
    bool empty = false;
    for (int i = 0; i < s.ndim; i++) empty |= !s.dim[i];
    if (!empty) {
        situ_tensor *x = f->dtype == SITU_BOOL ? situ_cast(f->x, SITU_U8) : f->x;
        x = largest ? situ_max(x, .axes = f->axes, .keepdims = f->keep) : situ_min(x, .axes = f->axes, .keepdims = f->keep);
        return situ_cast(x, f->dtype);
    }
    bool floats = situ_dtype_is_float(f->dtype);
    double most = floats ? (double)INFINITY : situ_dtype_highest(f->dtype),
           least = floats ? -(double)INFINITY : situ_dtype_lowest(f->dtype);
    situ_shape like = situ_shape_of(situ_sum(f->x, .axes = f->axes, .keepdims = f->keep));
    situ_tensor *y = situ_full(like, largest ? least : most, .dtype = floats ? f->dtype : SITU_F64, .device = situ_device_of(f->x));
    return situ_cast(y, f->dtype);
}
FOLD(largest, x, extreme(&f, true, site))
FOLD(smallest, x, extreme(&f, false, site))

/* ---- products ------------------------------------------------------------------------------------------------------------- */

SITU_ONNX_BODY(gemm)
{
    situ_tensor *a = IN(0), *b = IN(1);
    double alpha = situ_onnx_float(c, "alpha", 1), beta = situ_onnx_float(c, "beta", 1);
    if (situ_onnx_int(c, "transA", 0)) a = situ_transpose(a);
    if (situ_onnx_int(c, "transB", 0)) b = situ_transpose(b);
    situ_tensor *y = situ_matmul(a, b);
    if (alpha != 1) y = situ_cast(situ_mul(y, alpha), situ_dtype_of(a));
    if (!HAS(2)) return y;
    return situ_add(y, beta == 1 ? IN(2) : situ_cast(situ_mul(IN(2), beta), situ_dtype_of(a)));
}

SITU_ONNX_BODY(einsum)
{
    situ_tensor *part[SITU_MODULE_MOST];
    char text[256];
    const char *from = situ_onnx_text(c, "equation", "");
    int n = 0, count = c->node->ins;
    for (; *from && n < 255; from++)
        if (*from != ' ') text[n++] = *from;
    text[n] = 0;
    if (count > SITU_MODULE_MOST) return situ_onnx_refuse(c, SITU_UNSUPPORTED, "it has %d inputs", count);
    for (int i = 0; i < count; i++) part[i] = IN(i);
    return situ_einsum(text, TENSORS_OF(part, count));
}

SITU_ONNX_BODY(determinant) { return situ_det(IN(0)); }

/* ---- softmax: before opset 13 over all axes from `axis` on ------------------------------------------------------------------- */

static situ_tensor *soft(situ_onnx_call *c, situ_tensor *(*f)(situ_tensor *, int, situ_site), situ_site site)
{
    situ_tensor *x = IN(0);
    if (c->opset >= 13) return f(x, (int)situ_onnx_int(c, "axis", -1), site);
    int64_t axis = situ_onnx_int(c, "axis", 1), rows = 1;
    int ndim = situ_ndim(x);
    if (situ_error_code || !situ_count(x)) return x;
    for (int i = 0; i < (axis < 0 ? axis + ndim : axis) && i < ndim; i++) rows *= situ_dim(x, i);
    return situ_reshape(f(situ_reshape(x, SHAPE(rows, -1)), -1, site), situ_shape_of(x));
}
static situ_tensor *softmax_along(situ_tensor *x, int axis, situ_site site) { return situ_softmax(x, .axis = axis); }
static situ_tensor *log_softmax_along(situ_tensor *x, int axis, situ_site site) { return situ_log_softmax(x, .axis = axis); }
static situ_tensor *hardmax_along(situ_tensor *x, int axis, situ_site site)
{
    int64_t n = situ_dim(x, axis);
    if (!situ_error_code && !situ_count(x)) return x;
    situ_tensor *y = situ_one_hot(situ_argmax(x, .axis = axis), n, .dtype = situ_dtype_of(x));
    return situ_moveaxis(y, situ_ndim(x) - 1, axis < 0 ? axis + situ_ndim(x) : axis);
}
SITU_ONNX_BODY(softmax) { return soft(c, softmax_along, site); }
SITU_ONNX_BODY(log_softmax) { return soft(c, log_softmax_along, site); }
SITU_ONNX_BODY(hardmax) { return soft(c, hardmax_along, site); }

#define FOLDS(onnx, f) \
    { \
        .name = onnx, .body = (f), .read = 2 \
    }
const situ_onnx_op situ_onnx_reduce_ops[] = {FOLDS("ReduceSum", sum), FOLDS("ReduceMean", mean), FOLDS("ReduceProd", prod),
    FOLDS("ReduceMax", largest), FOLDS("ReduceMin", smallest), FOLDS("ReduceL1", l1), FOLDS("ReduceL2", l2),
    FOLDS("ReduceSumSquare", square), FOLDS("ReduceLogSum", log_sum), FOLDS("ReduceLogSumExp", log_sum_exp),
    {.name = "MatMul", .two = (situ_matmul)}, {.name = "Gemm", .body = gemm}, {.name = "Einsum", .body = einsum},
    {.name = "Det", .body = determinant}, {.name = "Softmax", .body = softmax}, {.name = "LogSoftmax", .body = log_softmax},
    {.name = "Hardmax", .body = hardmax}, {0}};
