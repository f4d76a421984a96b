#include "onnx/host.h"

#include <math.h>
#include <string.h>

#include "tensor/dtype.h"
#include "tensor/shape.h"

const situ_onnx_host *situ_onnx_few(const situ_onnx_call *c, int i)
{
    const situ_onnx_host *h = situ_onnx_there(c, i);
    return h && h->count <= SITU_ONNX_HOST_MOST && !situ_dtype_is_complex(h->dtype) && h->dtype != SITU_U64 ? h : NULL;
}

/* The index in h of element i of a larger (broadcast) shape. */
static int64_t place(const situ_onnx_host *h, int ndim, const int64_t *dim, int64_t i)
{
    int64_t at = 0, step = 1;
    for (int a = ndim - 1, k = h->ndim - 1; k >= 0; a--, k--) {
        at += h->dim[k] == 1 ? 0 : i % dim[a] * step;
        step *= h->dim[k];
        i /= dim[a];
    }
    return at;
}

/* The broadcast shape; false if the shapes do not fit: the operator on tensors then raises the better error. */
static bool broadcast(const situ_onnx_host *a, const situ_onnx_host *b, int *ndim, int64_t *dim)
{
    *ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
    for (int k = 0; k < *ndim; k++) {
        int64_t x = k < a->ndim ? a->dim[a->ndim - 1 - k] : 1, y = k < b->ndim ? b->dim[b->ndim - 1 - k] : 1;
        if (x != y && x != 1 && y != 1) return false;
        dim[*ndim - 1 - k] = x == 1 ? y : x;
    }
    return situ_shape_count(*ndim, dim) <= SITU_ONNX_HOST_MOST;
}

typedef bool (*whole_fn)(int64_t, int64_t, int64_t *);
typedef double (*real_fn)(double, double);

static bool two(situ_onnx_call *c, whole_fn whole, real_fn real, bool boolean)
{
    const situ_onnx_host *a = situ_onnx_few(c, 0), *b = situ_onnx_few(c, 1);
    int ndim;
    int64_t dim[SITU_MAX_DIMS], value[SITU_ONNX_HOST_MOST];
    double number[SITU_ONNX_HOST_MOST];
    if (c->node->ins != 2 || (c->opset < 7 && situ_onnx_attr(c, "axis")) || !a || !b || a->dtype != b->dtype ||
        !broadcast(a, b, &ndim, dim))
        return false;
    bool floats = situ_dtype_is_float(a->dtype);
    if (floats ? !real : !whole) return false;
    int64_t count = situ_shape_count(ndim, dim);
    for (int64_t i = 0; i < count; i++) {
        int64_t p = place(a, ndim, dim, i), q = place(b, ndim, dim, i);
        if (floats) number[i] = real(situ_onnx_host_float(a, p), situ_onnx_host_float(b, q));
        else if (!whole(situ_onnx_host_int(a, p), situ_onnx_host_int(b, q), &value[i])) return false;
    }
    situ_dtype d = boolean ? SITU_BOOL : a->dtype;
    uint8_t *to = situ_onnx_give_host(c, 0, d, ndim, dim);
    for (int64_t i = 0; to && i < count; i++, to += situ_dtype_size(d))
        if (floats) situ_element_set_f64(d, to, number[i]);
        else situ_element_set_i64(d, to, value[i]);
    return to != NULL;
}

static bool one(situ_onnx_call *c, whole_fn whole, real_fn real)
{
    const situ_onnx_host *a = situ_onnx_few(c, 0);
    int64_t value;
    if (!a || (situ_dtype_is_float(a->dtype) ? !real : !whole)) return false;
    uint8_t *to = situ_onnx_give_host(c, 0, a->dtype, a->ndim, a->dim);
    for (int64_t i = 0; to && i < a->count; i++, to += situ_dtype_size(a->dtype))
        if (situ_dtype_is_float(a->dtype)) situ_element_set_f64(a->dtype, to, real(situ_onnx_host_float(a, i), 0));
        else situ_element_set_i64(a->dtype, to, whole(situ_onnx_host_int(a, i), 0, &value) ? value : 0);
    return to != NULL;
}

/* False on overflow: the operator on tensors then decides. */
static bool add(int64_t a, int64_t b, int64_t *y) { return !__builtin_add_overflow(a, b, y); }
static bool sub(int64_t a, int64_t b, int64_t *y) { return !__builtin_sub_overflow(a, b, y); }
static bool mul(int64_t a, int64_t b, int64_t *y) { return !__builtin_mul_overflow(a, b, y); }
static bool divide(int64_t a, int64_t b, int64_t *y)
{
    if (!b || (a == INT64_MIN && b == -1)) return false;
    *y = a / b;
    return true;
}
static bool mod(int64_t a, int64_t b, int64_t *y)
{
    if (!b || (a == INT64_MIN && b == -1)) return false;
    *y = a % b;
    if (*y && (*y < 0) != (b < 0)) *y += b;
    return true;
}
#define WHOLE(name, value) \
    static bool name(int64_t a, int64_t b, int64_t *y) \
    { \
        (void)b; \
        *y = (value); \
        return true; \
    }
#define REAL(name, value) \
    static double name(double a, double b) \
    { \
        (void)b; \
        return (value); \
    }
WHOLE(both, a &&b)
WHOLE(either, a || b)
WHOLE(equal, a == b)
WHOLE(less, a < b)
WHOLE(greater, a > b)
WHOLE(less_equal, a <= b)
WHOLE(greater_equal, a >= b)
WHOLE(larger, a > b ? a : b)
WHOLE(smaller, a < b ? a : b)
WHOLE(not, !a)
WHOLE(absolute, a < 0 ? (int64_t)(0 - (uint64_t)a) : a)
WHOLE(negative, (int64_t)(0 - (uint64_t)a))
REAL(add_real, a + b)
REAL(sub_real, a - b)
REAL(mul_real, a *b)
REAL(div_real, a / b)
REAL(equal_real, a == b)
REAL(less_real, a < b)
REAL(greater_real, a > b)
REAL(less_equal_real, a <= b)
REAL(greater_equal_real, a >= b)
REAL(abs_real, fabs(a))
REAL(neg_real, -a)
REAL(sqrt_real, sqrt(a))
REAL(floor_real, floor(a))
REAL(ceil_real, ceil(a))

#define HOST_TWO(name, whole, real, boolean) \
    bool situ_onnx_host_##name(situ_onnx_call *c) { return two(c, whole, real, boolean); }
#define HOST_ONE(name, whole, real) \
    bool situ_onnx_host_##name(situ_onnx_call *c) { return one(c, whole, real); }
HOST_TWO(add, add, add_real, false)
HOST_TWO(sub, sub, sub_real, false)
HOST_TWO(mul, mul, mul_real, false)
HOST_TWO(div, divide, div_real, false)
bool situ_onnx_host_mod(situ_onnx_call *c) { return !situ_onnx_int(c, "fmod", 0) && two(c, mod, NULL, false); }
HOST_TWO(and, both, NULL, true)
HOST_TWO(or, either, NULL, true)
HOST_TWO(equal, equal, equal_real, true)
HOST_TWO(less, less, less_real, true)
HOST_TWO(greater, greater, greater_real, true)
HOST_TWO(less_equal, less_equal, less_equal_real, true)
HOST_TWO(greater_equal, greater_equal, greater_equal_real, true)
HOST_TWO(max, larger, NULL, false)
HOST_TWO(min, smaller, NULL, false)
HOST_ONE(not, not, NULL)
HOST_ONE(abs, absolute, abs_real)
HOST_ONE(neg, negative, neg_real)
HOST_ONE(sqrt, NULL, sqrt_real)
HOST_ONE(floor, NULL, floor_real)
HOST_ONE(ceil, NULL, ceil_real)

bool situ_onnx_host_where(situ_onnx_call *c)
{
    const situ_onnx_host *t = situ_onnx_few(c, 0), *a = situ_onnx_few(c, 1), *b = situ_onnx_few(c, 2);
    int ndim;
    int64_t dim[SITU_MAX_DIMS];
    if (!t || !a || !b || a->dtype != b->dtype || !broadcast(a, b, &ndim, dim)) return false;
    situ_onnx_host ab = {.ndim = ndim};
    memcpy(ab.dim, dim, sizeof dim);
    if (!broadcast(&ab, t, &ndim, dim)) return false;
    size_t size = situ_dtype_size(a->dtype);
    int64_t count = situ_shape_count(ndim, dim);
    uint8_t *to = situ_onnx_give_host(c, 0, a->dtype, ndim, dim);
    for (int64_t i = 0; to && i < count; i++, to += size) {
        const situ_onnx_host *from = situ_onnx_host_int(t, place(t, ndim, dim, i)) ? a : b;
        memcpy(to, from->data + (size_t)place(from, ndim, dim, i) * size, size);
    }
    return to != NULL;
}
