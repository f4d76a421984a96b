/* Resize and Upsample. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "onnx/call.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

typedef struct sizing {
    const char *mode, *where, *round;
    double scale, low, high, outside, a;
    int64_t from, to;
    bool exclude, antialias, sized; /* sized: the scale is to / from, which may be no exact float */
} sizing;

/* x / scale, rounded to f32 if that makes it a whole element, as exporters and runtimes compute it: 1.5 / 0.6 gives
 * 2.5. */
static double unscaled(const sizing *z, double x)
{
    if (z->sized) return x * (double)z->from / (double)z->to;
    return strcmp(z->mode, "nearest") ? x / z->scale : (double)((float)x / (float)z->scale);
}

/* Position in the old axis of element i of the new one. */
static double place(const sizing *z, int64_t i)
{
    double x = (double)i, n = (double)z->from, m = (double)z->to;
    if (!strcmp(z->where, "align_corners")) return m == 1 ? 0 : x * (n - 1) / (m - 1);
    if (!strcmp(z->where, "asymmetric")) return unscaled(z, x);
    if (!strcmp(z->where, "pytorch_half_pixel") && z->to == 1) return 0;
    if (!strcmp(z->where, "tf_half_pixel_for_nn")) return unscaled(z, x + 0.5);
    if (!strcmp(z->where, "tf_crop_and_resize"))
        return m > 1 ? z->low * (n - 1) + x * (z->high - z->low) * (n - 1) / (m - 1) : 0.5 * (z->low + z->high) * (n - 1);
    double at = unscaled(z, x + 0.5) - 0.5;
    if (strcmp(z->where, "half_pixel_symmetric")) return at;
    double real = z->scale * n; /* the exact size minus the integer one is split evenly between both ends */
    return n / 2 * (1 - m / real) + at;
}

static double kernel(const sizing *z, double x)
{
    x = fabs(x);
    if (strcmp(z->mode, "cubic")) return x < 1 ? 1 - x : 0;
    if (x <= 1) return ((z->a + 2) * x - (z->a + 3)) * x * x + 1;
    return x < 2 ? ((z->a * x - 5 * z->a) * x + 8 * z->a) * x - 4 * z->a : 0;
}

static double nearest(const sizing *z, double at)
{
    if (!strcmp(z->round, "floor")) return floor(at);
    if (!strcmp(z->round, "ceil")) return ceil(at);
    return !strcmp(z->round, "round_prefer_ceil") ? floor(at + 0.5) : ceil(at - 0.5);
}

/* Weights of the old elements for new element i: row[from]. Outside of the axis its end elements count. */
static void shares(const sizing *z, int64_t i, float *row)
{
    double at = fmax(-INT32_MAX, fmin(place(z, i), INT32_MAX)), sum = 0;
    int64_t n = z->from;
    if (!strcmp(z->mode, "nearest")) {
        double k = nearest(z, at);
        row[(int64_t)fmax(0, fmin(k, (double)n - 1))] = 1; /* fmax also handles a NaN position */
        return;
    }
    double stretch = z->antialias && z->scale < 1 ? z->scale : 1, reach = (strcmp(z->mode, "cubic") ? 1 : 2) / stretch;
    for (int64_t k = (int64_t)floor(at - reach); k <= (int64_t)ceil(at + reach); k++)
        if (!z->exclude || (k >= 0 && k < n)) sum += kernel(z, ((double)k - at) * stretch);
    for (int64_t k = (int64_t)floor(at - reach); k <= (int64_t)ceil(at + reach); k++) {
        if (z->exclude && (k < 0 || k >= n)) continue;
        row[k < 0 ? 0 : k >= n ? n - 1 : k] += (float)(kernel(z, ((double)k - at) * stretch) / sum);
    }
}

/* Resizes one axis of x: a product with the matrix of weights. */
static situ_tensor *resized(situ_onnx_call *c, situ_tensor *x, int axis, const sizing *z, situ_site site)
{
    situ_dtype d = situ_dtype_of(x);
    int ndim = situ_ndim(x);
    bool near = !strcmp(z->mode, "nearest");
    float *row = situ_arena_alloc(&c->run->arena, 4 * (size_t)(z->from * (near ? 1 : z->to) + 1));
    int64_t *at = situ_arena_alloc(&c->run->arena, 8 * (size_t)(z->to + 1));
    uint8_t *out = situ_arena_alloc(&c->run->arena, (size_t)z->to + 1);
    if (!row || !at || !out || z->from > INT32_MAX || z->to > INT32_MAX)
        return situ_refused(SITU_NO_MEMORY, site, "situ_module_call: out of host memory");
    memset(row, 0, 4 * (size_t)(z->from * (near ? 1 : z->to)));
    bool some = false;
    for (int64_t i = 0; i < z->to; i++) {
        double p = place(z, i);
        out[i] = !strcmp(z->where, "tf_crop_and_resize") && (p < 0 || p > (double)z->from - 1);
        some |= out[i];
        if (near) {
            double k = nearest(z, p);
            at[i] = (int64_t)fmax(0, fmin(k, (double)z->from - 1));
        } else shares(z, i, row + i * z->from);
    }
    situ_tensor *y;
    situ_device where = situ_device_of(x);
    if (!z->to) {
        situ_shape stop = situ_shape_of(x);
        stop.dim[axis] = 0;
        return situ_slice(x, .stop = stop);
    }
    if (near) y = situ_take(x, situ_from_host((const void *)at, SHAPE(z->to), .dtype = SITU_I64, .device = where), .axis = axis);
    else {
        situ_tensor *w = situ_from_host((const void *)row, SHAPE(z->to, z->from), .dtype = SITU_F32, .device = where);
        y = situ_matmul(situ_moveaxis(situ_dtype_is_float(d) ? x : situ_cast(x, SITU_F32), axis, ndim - 1), situ_transpose(w));
        y = situ_moveaxis(y, ndim - 1, axis);
        if (situ_dtype_is_integer(d)) y = situ_clip(situ_round(y), situ_dtype_lowest(d), situ_dtype_highest(d));
        y = situ_cast(y, d);
    }
    if (!some) return y;
    situ_shape line = {.ndim = ndim};
    for (int i = 0; i < ndim; i++) line.dim[i] = i == axis ? z->to : 1;
    situ_tensor *mask = situ_reshape(situ_from_host((const void *)out, SHAPE(z->to), .dtype = SITU_BOOL, .device = where), line);
    return situ_where(mask, situ_cast(situ_full(SHAPE(), z->outside, .device = where), d), y);
}

/* Converts a length; -1 with an error if it is invalid or too large. */
static int64_t length_of(const situ_onnx_call *c, double wide, int64_t from)
{
    if (wide >= 0 && wide <= INT32_MAX && (from || wide < 1)) return (int64_t)wide;
    situ_onnx_refuse(c, SITU_BAD_SHAPE, "a size is below 0, beyond 2^31 - 1, or to be made of no elements");
    return -1;
}

/* Scales from the attributes of opset 1, for the last two axes; false if they are absent. */
static bool first_scales(const situ_onnx_call *c, int n, double *scale)
{
    if (!situ_onnx_attr(c, "width_scale") || !situ_onnx_attr(c, "height_scale") || n < 2) return false;
    for (int i = 0; i < n; i++) scale[i] = i < n - 2 ? 1 : situ_onnx_float(c, i < n - 1 ? "height_scale" : "width_scale", 1);
    return true;
}

/* Scales and sizes of the named axes, with the aspect ratio kept if requested; false with an error. */
static bool sizes_of(situ_onnx_call *c, situ_shape s, const int64_t *axis, int n, double *scale, int64_t *to, bool *sized)
{
    bool old = !strcmp(c->node->type, "Upsample") || c->opset < 11;
    const situ_onnx_host *sizes = !old && HAS(3) ? situ_onnx_read(c, 3) : NULL,
                         *scales = HAS(old ? 1 : 2) ? situ_onnx_read(c, old ? 1 : 2) : NULL;
    const situ_onnx_attribute *a = situ_onnx_attr(c, "scales");
    const char *keep = situ_onnx_one_of(c, "keep_aspect_ratio_policy", "stretch, not_larger, not_smaller");
    if (situ_error_code) return false;
    bool by_size = sizes && sizes->count == n, by_scale = scales && scales->count == n, first = first_scales(c, n, scale);
    if (!by_size && !by_scale && !first && !(a && a->floats && a->count == n))
        return situ_onnx_refuse(c, SITU_BAD_FORMAT, "it has no scales or sizes for %d axes", n), false;
    double one = -1;
    for (int i = 0; i < n; i++) {
        int64_t from = s.dim[axis[i]];
        if (by_size) scale[i] = from ? (double)situ_onnx_host_int(sizes, i) / (double)from : 1;
        else if (!first) scale[i] = by_scale ? situ_onnx_host_float(scales, i) : a->floats[i];
        bool better = !strcmp(keep, "not_larger") ? scale[i] < one : scale[i] > one;
        if (one < 0 || better) one = scale[i];
        if (!by_size && !(scale[i] > 0)) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "a scale is not above 0"), false;
        to[i] = length_of(c, by_size ? (double)situ_onnx_host_int(sizes, i) : floor((double)from * scale[i]), from);
        if (to[i] < 0) return false;
    }
    *sized = by_size && !strcmp(keep, "stretch");
    for (int i = 0; i < n && by_size && !*sized; i++) {
        scale[i] = one;
        if ((to[i] = length_of(c, floor((double)s.dim[axis[i]] * one + 0.5), s.dim[axis[i]])) < 0) return false;
    }
    return true;
}

SITU_ONNX_BODY(resize)
{
    situ_tensor *x = IN(0);
    int64_t axis[SITU_MAX_DIMS], to[SITU_MAX_DIMS];
    double scale[SITU_MAX_DIMS];
    if (situ_error_code) return situ_poisoned();
    situ_shape s = situ_shape_of(x);
    bool old = !strcmp(c->node->type, "Upsample") || c->opset < 11;
    int n = situ_onnx_ints(c, "axes", axis, SITU_MAX_DIMS);
    if (n < 0)
        for (n = 0; n < s.ndim; n++) axis[n] = n;
    for (int i = 0; i < n; i++)
        if ((axis[i] += axis[i] < 0 ? s.ndim : 0) < 0 || axis[i] >= s.ndim)
            return situ_onnx_refuse(c, SITU_BAD_SHAPE, "no such axis");
    const situ_onnx_host *roi = !old && HAS(1) ? situ_onnx_read(c, 1) : NULL;
    sizing z = {.mode = situ_onnx_one_of(c, "mode", c->opset < 7 ? "nearest, bilinear, linear" : "nearest, linear, cubic"),
        .round = old ? "floor" : situ_onnx_one_of(c, "nearest_mode", "round_prefer_floor, round_prefer_ceil, floor, ceil"),
        .where = old ? "asymmetric" :
                       situ_onnx_one_of(c, "coordinate_transformation_mode",
                           "half_pixel, half_pixel_symmetric, pytorch_half_pixel, align_corners, asymmetric, tf_half_pixel_for_nn, "
                           "tf_crop_and_resize"),
        .outside = situ_onnx_float(c, "extrapolation_value", 0),
        .a = situ_onnx_float(c, "cubic_coeff_a", -0.75),
        .exclude = situ_onnx_int(c, "exclude_outside", 0) != 0,
        .antialias = situ_onnx_int(c, "antialias", 0) != 0};
    if (!sizes_of(c, s, axis, n, scale, to, &z.sized)) return situ_poisoned();
    for (int i = 0; i < n && !situ_error_code; i++) {
        if (old) z.round = scale[i] < 1 ? "ceil" : "floor"; /* as in onnxruntime; the standard does not define it */
        z.scale = scale[i];
        z.from = s.dim[axis[i]];
        z.to = to[i];
        bool crop = roi && roi->count == 2 * n && !strcmp(z.where, "tf_crop_and_resize");
        z.low = crop ? situ_onnx_host_float(roi, i) : 0;
        z.high = crop ? situ_onnx_host_float(roi, n + i) : 1;
        if (z.from == z.to && ((z.scale == 1 && !crop) || !z.from)) continue;
        x = resized(c, x, (int)axis[i], &z, site);
    }
    return x;
}

#define ROW(onnx, f, r) \
    { \
        .name = onnx, .body = (f), .read = (r) \
    }
const situ_onnx_op situ_onnx_resize_ops[] = {ROW("Resize", resize, 14), ROW("Upsample", resize, 2), {0}};
