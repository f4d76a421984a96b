/* Operators for optimizer steps and for feature extraction. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/f64.h"
#include "onnx/call.h"
#include "onnx/host.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* After rate and step count the inputs are groups: value, gradient and further state of all tensors, first all values,
 * then all gradients ... */
typedef struct step {
    situ_tensor *rate;
    double count; /* number of steps so far */
    int tensors;
} step;

static bool step_of(situ_onnx_call *c, int kinds, step *s)
{
    const situ_onnx_host *h = situ_onnx_read(c, 1);
    *s = (step){.rate = IN(0), .count = h && h->count ? situ_onnx_host_float(h, 0) : 0, .tensors = (c->node->ins - 2) / kinds};
    if (!situ_error_code && s->rate && h && s->tensors >= 1 && s->tensors * kinds == c->node->ins - 2) {
        bool all = true;
        for (int i = 2; i < c->node->ins; i++) all &= HAS(i);
        if (all) return true;
    }
    return situ_onnx_refuse(c, SITU_BAD_FORMAT, "it takes a rate, a step and %d tensors of each parameter", kinds), false;
}

/* The gradient of tensor i plus that of an L2 penalty. */
static situ_tensor *gradient(situ_onnx_call *c, const step *s, int i, double norm, situ_site site)
{
    situ_tensor *g = IN(2 + s->tensors + i);
    return norm != 0 ? situ_add(situ_mul(IN(2 + i), norm), g) : g;
}

SITU_ONNX_BODY(momentum)
{
    step s;
    if (!step_of(c, 3, &s)) return situ_poisoned();
    double alpha = situ_onnx_float(c, "alpha", 0), beta = s.count > 0 ? situ_onnx_float(c, "beta", 1) : 1;
    bool nesterov = situ_onnx_is(c, "mode", "nesterov", "standard, nesterov");
    for (int i = 0; i < s.tensors; i++) {
        situ_tensor *g = gradient(c, &s, i, situ_onnx_float(c, "norm_coefficient", 0), site);
        situ_tensor *v = situ_add(situ_mul(IN(2 + 2 * s.tensors + i), alpha), situ_mul(g, beta));
        situ_tensor *way = nesterov ? situ_add(g, situ_mul(v, alpha)) : v;
        situ_onnx_give(c, i, situ_sub(IN(2 + i), situ_mul(s.rate, way)));
        situ_onnx_give(c, s.tensors + i, v);
    }
    return NULL;
}

SITU_ONNX_BODY(adagrad)
{
    step s;
    if (!step_of(c, 3, &s)) return situ_poisoned();
    situ_tensor *rate = situ_div(s.rate, 1 + s.count * situ_onnx_float(c, "decay_factor", 0));
    for (int i = 0; i < s.tensors; i++) {
        situ_tensor *g = gradient(c, &s, i, situ_onnx_float(c, "norm_coefficient", 0), site);
        situ_tensor *h = situ_add(IN(2 + 2 * s.tensors + i), situ_square(g));
        situ_tensor *by = situ_add(situ_sqrt(h), situ_onnx_float(c, "epsilon", 1e-6));
        situ_onnx_give(c, i, situ_sub(IN(2 + i), situ_div(situ_mul(rate, g), by)));
        situ_onnx_give(c, s.tensors + i, h);
    }
    return NULL;
}

SITU_ONNX_BODY(adam)
{
    step s;
    if (!step_of(c, 4, &s)) return situ_poisoned();
    double alpha = situ_onnx_float(c, "alpha", 0.9), beta = situ_onnx_float(c, "beta", 0.999),
           after = situ_onnx_float(c, "norm_coefficient_post", 0);
    situ_tensor *rate = s.rate;
    if (s.count > 0) rate = situ_mul(rate, sqrt(1 - situ_f64_pow(beta, s.count)) / (1 - situ_f64_pow(alpha, s.count)));
    for (int i = 0; i < s.tensors; i++) {
        situ_tensor *g = gradient(c, &s, i, situ_onnx_float(c, "norm_coefficient", 0), site);
        situ_tensor *v = situ_add(situ_mul(IN(2 + 2 * s.tensors + i), alpha), situ_mul(g, 1 - alpha));
        situ_tensor *h = situ_add(situ_mul(IN(2 + 3 * s.tensors + i), beta), situ_mul(situ_square(g), 1 - beta));
        situ_tensor *by = situ_add(situ_sqrt(h), situ_onnx_float(c, "epsilon", 1e-6));
        situ_onnx_give(c, i, situ_mul(situ_sub(IN(2 + i), situ_mul(rate, situ_div(v, by))), 1 - after));
        situ_onnx_give(c, s.tensors + i, v);
        situ_onnx_give(c, 2 * s.tensors + i, h);
    }
    return NULL;
}

SITU_ONNX_BODY(binarizer)
{
    situ_tensor *x = IN(0);
    if (!x || situ_error_code) return situ_onnx_refuse(c, SITU_BAD_FORMAT, "an input is missing");
    return situ_cast(situ_greater(x, situ_onnx_float(c, "threshold", 0)), situ_dtype_of(x));
}
SITU_ONNX_BODY(array_features)
{
    situ_tensor *x = IN(0), *at = IN(1);
    if (!x || !at || situ_error_code || situ_ndim(x) < 1) return situ_onnx_refuse(c, SITU_BAD_FORMAT, "an input is missing");
    int last = situ_ndim(x) - 1;
    situ_tensor *y = situ_take(x, situ_reshape(at, SHAPE(-1)), .axis = last);
    return last ? y : situ_expand_dims(y, 0);
}

#define ROW(onnx, f) \
    { \
        .name = onnx, .body = (f) \
    }
const situ_onnx_op situ_onnx_update_ops[] = {ROW("ai.onnx.preview.training.Momentum", momentum),
    ROW("ai.onnx.preview.training.Adagrad", adagrad), ROW("ai.onnx.preview.training.Adam", adam),
    ROW("ai.onnx.ml.Binarizer", binarizer), ROW("ai.onnx.ml.ArrayFeatureExtractor", array_features), {0}};
