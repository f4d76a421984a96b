/* Random operators. Their numbers are not those of other runtimes. */
#include <situ/random.h>
#include <string.h>

#include "base/error.h"
#include "nn/module.h"
#include "onnx/call.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* A key from the node's seed; without one from the module's key, different for each node and step. */
static situ_tensor *key_of(situ_onnx_call *c, situ_site site)
{
    situ_tensor *x = c->run->x;
    if (situ_onnx_attr(c, "seed")) {
        float seed = (float)situ_onnx_float(c, "seed", 0);
        int32_t bits;
        memcpy(&bits, &seed, sizeof bits);
        return situ_key(bits, .device = situ_device_of(x));
    }
    return situ_fold_in(situ_module_key(c->run->module, x), 1 + (c->node->outs ? c->node->out[0] : 0));
}

static situ_dtype dtype_of(situ_onnx_call *c, situ_dtype otherwise)
{
    const situ_onnx_attribute *a = situ_onnx_attr(c, "dtype");
    return a ? situ_onnx_dtype(situ_onnx_int(c, "dtype", 1)) : otherwise;
}

static situ_tensor *normal(situ_onnx_call *c, situ_tensor *key, situ_shape shape, situ_site site)
{
    return situ_add(situ_mul(situ_normal(key, shape), situ_onnx_float(c, "scale", 1)), situ_onnx_float(c, "mean", 0));
}
static situ_tensor *uniform(situ_onnx_call *c, situ_tensor *key, situ_shape shape, situ_site site)
{
    return situ_uniform(key, shape, .low = situ_onnx_float(c, "low", 0), .high = situ_onnx_float(c, "high", 1));
}
typedef situ_tensor *(*draw)(situ_onnx_call *c, situ_tensor *key, situ_shape shape, situ_site site);

static situ_tensor *of_shape(situ_onnx_call *c, draw f, situ_site site)
{
    situ_shape shape = {.ndim = 0};
    int n = situ_onnx_ints(c, "shape", shape.dim, SITU_MAX_DIMS);
    situ_dtype d = dtype_of(c, SITU_F32);
    if (n < 0 || d == SITU_DTYPE_DEFAULT) return situ_onnx_refuse(c, SITU_BAD_FORMAT, "it has no shape, or another dtype");
    shape.ndim = n;
    return situ_cast(f(c, key_of(c, site), shape, site), d);
}

/* Draws for the whole batch, of which x may be a part. */
static situ_tensor *like(situ_onnx_call *c, draw f, situ_site site)
{
    situ_tensor *x = IN(0);
    if (!x || situ_error_code) return situ_onnx_refuse(c, SITU_BAD_FORMAT, "its input is missing");
    situ_shape shape = situ_shape_of(x), start = {.ndim = 1}, stop = start;
    situ_dtype d = dtype_of(c, situ_dtype_of(x));
    if (d == SITU_DTYPE_DEFAULT) return situ_onnx_refuse(c, SITU_UNSUPPORTED, "of another dtype");
    int64_t rows = shape.ndim ? shape.dim[0] : 1, of = rows;
    situ_module_rows(c->run->module, x, &start.dim[0], &of);
    if (shape.ndim) shape.dim[0] = of;
    situ_tensor *y = f(c, key_of(c, site), shape, site);
    stop.dim[0] = start.dim[0] + rows;
    if (of != rows) y = situ_slice(y, .start = start, .stop = stop);
    return situ_cast(y, d);
}
SITU_ONNX_BODY(random_normal) { return of_shape(c, normal, site); }
SITU_ONNX_BODY(random_uniform) { return of_shape(c, uniform, site); }
SITU_ONNX_BODY(random_normal_like) { return like(c, normal, site); }
SITU_ONNX_BODY(random_uniform_like) { return like(c, uniform, site); }

static situ_tensor *share(situ_onnx_call *c, situ_tensor *key, situ_shape shape, situ_site site)
{
    (void)c;
    return situ_uniform(key, shape);
}
SITU_ONNX_BODY(bernoulli)
{
    situ_tensor *x = IN(0), *u = like(c, share, site);
    situ_dtype d = dtype_of(c, situ_error_code ? SITU_F32 : situ_dtype_of(x));
    if (situ_error_code) return situ_poisoned();
    if (situ_dtype_is_float(d)) return situ_cast(situ_less(u, x), d);
    return situ_onnx_refuse(c, SITU_UNSUPPORTED, "of a dtype that is no float");
}

SITU_ONNX_BODY(multinomial)
{
    situ_tensor *x = IN(0);
    int64_t many = situ_onnx_int(c, "sample_size", 1);
    situ_dtype d = dtype_of(c, SITU_I32);
    if (!x || situ_error_code || situ_ndim(x) != 2 || many < 1 || (d != SITU_I32 && d != SITU_I64))
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it takes [n, classes], 1 sample and more, and gives i32 or i64");
    situ_tensor *all = situ_broadcast_to(situ_expand_dims(x, 1), SHAPE(situ_dim(x, 0), many, situ_dim(x, 1)));
    return situ_cast(situ_categorical(key_of(c, site), all), d);
}

#define ROW(onnx, f) \
    { \
        .name = onnx, .body = (f) \
    }
const situ_onnx_op situ_onnx_random_ops[] = {ROW("RandomNormal", random_normal), ROW("RandomUniform", random_uniform),
    ROW("RandomNormalLike", random_normal_like), ROW("RandomUniformLike", random_uniform_like), ROW("Bernoulli", bernoulli),
    ROW("Multinomial", multinomial), {0}};
