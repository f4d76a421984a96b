/* Operators of networks: convolutions, pooling, normalisation. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "onnx/call.h"
#include "onnx/host.h"
#include "onnx/window.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { AXES_MOST = SITU_ONNX_WINDOW_AXES };
typedef situ_onnx_window window;

static bool each_of(situ_onnx_call *c, const char *name, int n, int64_t otherwise, int64_t *out)
{
    int64_t list[SITU_MAX_DIMS];
    int count = situ_onnx_ints(c, name, list, SITU_MAX_DIMS);
    if (count >= 0 && count != n)
        return situ_onnx_refuse(c, SITU_BAD_FORMAT, "\"%s\" has %d numbers for %d axes", name, count, n), false;
    for (int i = 0; i < n; i++) {
        out[i] = count < 0 ? otherwise : list[i];
        if (out[i] < 1 || out[i] > INT32_MAX)
            return situ_onnx_refuse(c, SITU_BAD_FORMAT, "\"%s\" has the number %lld", name, (long long)out[i]), false;
    }
    return true;
}

static int64_t floored(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static int64_t ceiling(int64_t a, int64_t b) { return floored(a + b - 1, b); }

bool situ_onnx_window_of(situ_onnx_call *c, const situ_shape *s, window *w)
{
    int64_t pad[2 * AXES_MOST];
    const char *mode = situ_onnx_one_of(c, "auto_pad", SITU_ONNX_AUTO_PADS);
    if (s->ndim < 3 || s->ndim > 2 + AXES_MOST)
        return situ_onnx_refuse(c, SITU_UNSUPPORTED, "windows over %d axes; one to three are possible", (int)s->ndim - 2), false;
    w->n = (int)s->ndim - 2;
    if (!each_of(c, "strides", w->n, 1, w->stride) || !each_of(c, "dilations", w->n, 1, w->dilation)) return false;
    int pads = situ_onnx_ints(c, "pads", pad, 2 * AXES_MOST);
    if (pads >= 0 && pads != 2 * w->n) return situ_onnx_refuse(c, SITU_BAD_FORMAT, "it has %d pads for %d axes", pads, w->n), false;
    if (strcmp(mode, "NOTSET")) pads = -1; /* auto_pad: the pads are computed, or zero */
    for (int i = 0; i < w->n; i++) {
        w->before[i] = pads < 0 ? 0 : pad[i];
        w->after[i] = pads < 0 ? 0 : pad[w->n + i];
        if (strncmp(mode, "SAME", 4)) continue;
        int64_t length = s->dim[2 + i], out = ceiling(length, w->stride[i]);
        int64_t all = (out - 1) * w->stride[i] + (w->size[i] - 1) * w->dilation[i] + 1 - length;
        if (all < 0) all = 0;
        w->before[i] = !strcmp(mode, "SAME_LOWER") ? all - all / 2 : all / 2;
        w->after[i] = all - w->before[i];
    }
    return true;
}

static situ_shape shape_of(int n, const int64_t *dim)
{
    situ_shape s = {.ndim = n};
    memcpy(s.dim, dim, 8 * (size_t)n);
    return s;
}

/* Pads the last axes of x. */
static situ_tensor *padded(situ_tensor *x, int n, const int64_t *before, const int64_t *after, double value, situ_site site)
{
    situ_shape a = {.ndim = situ_ndim(x)}, b = a;
    bool some = false;
    for (int i = 0; i < n; i++) {
        a.dim[a.ndim - n + i] = before[i];
        b.dim[a.ndim - n + i] = after[i];
        some |= before[i] || after[i];
    }
    return some ? situ_pad(x, a, b, .value = value) : x;
}

static situ_tensor *with_bias(situ_onnx_call *c, situ_tensor *y, situ_site site)
{
    if (!HAS(2) || situ_error_code) return y;
    situ_shape s = {.ndim = situ_ndim(y) - 1};
    for (int i = 0; i < s.ndim; i++) s.dim[i] = i ? 1 : situ_dim(y, 1);
    return situ_add(y, situ_reshape(IN(2), s));
}

static bool weight_sizes(situ_onnx_call *c, situ_tensor *x, situ_tensor *weight, window *w)
{
    if (situ_error_code) return false;
    if (situ_ndim(x) != situ_ndim(weight) || situ_ndim(x) > 2 + AXES_MOST || situ_ndim(x) < 3)
        return situ_onnx_refuse(c, SITU_UNSUPPORTED, "an input of %d axes; 3 to 5 are possible", situ_ndim(x)), false;
    for (int i = 0; i + 2 < situ_ndim(x); i++) w->size[i] = situ_dim(weight, 2 + i);
    return true;
}

enum { FEW_WINDOWS = 16 };

/* A convolution along one axis with few windows, as a matrix product: it reads the weights in place, while a
 * convolution packs them first. NULL: there are too many windows. */
static situ_tensor *few_windows(situ_tensor *x, situ_tensor *weight, const window *w, situ_site site)
{
    int64_t n = situ_dim(x, 0), channels = situ_dim(x, 1), out = situ_dim(weight, 0);
    int64_t capacity = situ_dim(x, 2) + 2 * w->before[0] - (w->size[0] - 1) * w->dilation[0] - 1,
            count = capacity / w->stride[0] + 1;
    if (capacity < 0 || n < 1 || n * count > FEW_WINDOWS || channels != situ_dim(weight, 1) || !channels || !out) return NULL;
    situ_tensor *row[FEW_WINDOWS];
    situ_shape start = {.ndim = 3}, stop = SHAPE(n, channels, 0), step = SHAPE(1, 1, w->dilation[0]);
    x = padded(x, 1, w->before, w->before, 0, site);
    for (int64_t i = 0; i < count; i++) {
        start.dim[2] = i * w->stride[0];
        stop.dim[2] = start.dim[2] + (w->size[0] - 1) * w->dilation[0] + 1;
        row[i] = situ_slice(x, .start = start, .stop = stop, .step = step);
    }
    situ_tensor *rows = count > 1 ? situ_stack(TENSORS_OF(row, (int)count), .axis = 1) : row[0];
    situ_tensor *y = situ_matmul(situ_reshape(rows, SHAPE(n * count, -1)), situ_transpose(situ_reshape(weight, SHAPE(out, -1))));
    return situ_swapaxes(situ_reshape(y, SHAPE(n, count, out)), 1, 2);
}

/* A convolution whose input, and so its result, is empty along an axis; NULL: it is not empty. */
static situ_tensor *no_windows(situ_tensor *x, situ_tensor *weight, const window *w, situ_site site)
{
    situ_shape s = situ_shape_of(x);
    bool none = false;
    for (int i = 0; i < w->n; i++) {
        int64_t capacity = s.dim[2 + i] + w->before[i] + w->after[i] - (w->size[i] - 1) * w->dilation[i] - 1, from = s.dim[2 + i];
        s.dim[2 + i] = floored(capacity, w->stride[i]) + 1;
        if (s.dim[2 + i] < 0) return NULL;
        none |= !from && !s.dim[2 + i];
    }
    s.dim[1] = situ_dim(weight, 0);
    return none ? situ_zeros(s, .dtype = situ_dtype_of(x), .device = situ_device_of(x)) : NULL;
}

/* The convolution without its bias. */
static situ_tensor *convolved(situ_onnx_call *c, situ_tensor *x, situ_tensor *weight, situ_site site)
{
    window w = {.n = 0};
    if (!weight_sizes(c, x, weight, &w)) return situ_poisoned();
    situ_shape s = situ_shape_of(x);
    if (!situ_onnx_window_of(c, &s, &w)) return situ_poisoned();
    situ_tensor *none = no_windows(x, weight, &w, site);
    if (none) return none;
    int64_t more[AXES_MOST] = {0}, less[AXES_MOST] = {0};
    for (int i = 0; i < w.n; i++) { /* padding common to both ends is done by the convolution itself */
        int64_t both = w.before[i] < w.after[i] ? w.before[i] : w.after[i];
        more[i] = w.before[i] - both;
        less[i] = w.after[i] - both;
        w.before[i] = both;
    }
    x = padded(x, w.n, more, less, 0, site);
    int64_t groups = situ_onnx_int(c, "group", 1);
    if (groups == 1 && w.n == 1 && !situ_error_code) {
        situ_tensor *few = few_windows(x, weight, &w, site);
        if (few) return few;
    }
    situ_shape stride = shape_of(w.n, w.stride), padding = shape_of(w.n, w.before), dilation = shape_of(w.n, w.dilation);
    const situ_conv_options o = {
        .unnamed = SITU_NAMED, .size = sizeof o, .stride = stride, .padding = padding, .dilation = dilation, .groups = groups};
    situ_tensor *(*f)(situ_tensor *, situ_tensor *, const situ_conv_options *, situ_site) = w.n == 1 ? (situ_conv1d) :
        w.n == 2                                                                                     ? (situ_conv2d) :
                                                                                                       (situ_conv3d);
    return f(x, weight, &o, site);
}

SITU_ONNX_BODY(conv) { return with_bias(c, convolved(c, IN(0), IN(1), site), site); }

/* Integers minus their zero point, which may differ for each channel of a weight; sums are exact. */
static situ_tensor *from_zero(situ_tensor *x, situ_tensor *zero, situ_site site)
{
    if (!x) return NULL;
    x = situ_cast(x, SITU_F64);
    if (!zero || situ_error_code) return x;
    situ_shape s = {.ndim = situ_count(zero) != 1 ? situ_ndim(x) : 0};
    for (int i = 0; i < s.ndim; i++) s.dim[i] = i ? 1 : situ_count(zero);
    return situ_sub(x, situ_reshape(situ_cast(zero, SITU_F64), s));
}

SITU_ONNX_BODY(conv_integer)
{
    situ_tensor *x = from_zero(IN(0), HAS(2) ? IN(2) : NULL, site), *weight = from_zero(IN(1), HAS(3) ? IN(3) : NULL, site);
    if (!x || !weight) return situ_onnx_refuse(c, SITU_BAD_FORMAT, "an input is missing");
    return situ_cast(convolved(c, x, weight, site), SITU_I32);
}

SITU_ONNX_BODY(qlinear_conv)
{
    situ_tensor *x = from_zero(IN(0), IN(2), site), *weight = from_zero(IN(3), IN(5), site), *zero = IN(7);
    if (!x || !weight || !zero || situ_error_code) return situ_onnx_refuse(c, SITU_BAD_FORMAT, "an input is missing");
    situ_dtype d = situ_dtype_of(zero);
    situ_shape s = {.ndim = situ_ndim(x) - 1};
    for (int i = 0; i < s.ndim; i++) s.dim[i] = i ? 1 : situ_dim(weight, 0);
    situ_tensor *y = convolved(c, x, weight, site);
    if (HAS(8)) y = situ_add(y, situ_reshape(situ_cast(IN(8), SITU_F64), s));
    situ_tensor *by = situ_div(situ_mul(situ_cast(IN(1), SITU_F32), situ_cast(IN(4), SITU_F32)), situ_cast(IN(6), SITU_F32));
    y = situ_add(situ_round(situ_mul(y, situ_count(by) != 1 ? situ_reshape(by, s) : situ_reshape(by, SHAPE()))), zero);
    return situ_cast(situ_clip(y, situ_dtype_lowest(d), situ_dtype_highest(d)), d);
}

/* An attribute of a transposed convolution, zeros if absent: it has the window's axes, or all axes. */
static bool sizes_of(situ_onnx_call *c, const char *name, int n, int64_t *out)
{
    int64_t list[2 + AXES_MOST];
    int count = situ_onnx_ints(c, name, list, 2 + AXES_MOST);
    if (count > 0 && count != n)
        return situ_onnx_refuse(c, SITU_BAD_FORMAT, "\"%s\" has %d numbers for %d axes", name, count, n), false;
    for (int i = 0; i < n; i++) {
        out[i] = count > 0 ? list[i] : 0;
        if (out[i] < 0 || out[i] > INT32_MAX)
            return situ_onnx_refuse(c, SITU_BAD_FORMAT, "\"%s\" has the number %lld", name, (long long)out[i]), false;
    }
    return !situ_error_code;
}

/* The transposed convolution without pads and bias. */
static situ_tensor *spread_out(situ_onnx_call *c, situ_tensor *x, situ_tensor *weight, const window *w, situ_site site)
{
    situ_tensor *(*f)(situ_tensor *, situ_tensor *, const situ_conv_transpose_options *, situ_site) = w->n == 1 ?
        (situ_conv_transpose1d) :
        w->n == 2 ? (situ_conv_transpose2d) :
                    (situ_conv_transpose3d);
    situ_shape zero = {.ndim = w->n}, stride = shape_of(w->n, w->stride), dilation = shape_of(w->n, w->dilation);
    const situ_conv_transpose_options o = {.unnamed = SITU_NAMED,
        .size = sizeof o,
        .stride = stride,
        .padding = zero,
        .dilation = dilation,
        .output_padding = zero,
        .groups = situ_onnx_int(c, "group", 1)};
    situ_shape s = situ_shape_of(x);
    bool none = false;
    for (int i = 0; i < w->n; i++) { /* an empty input gives zeros in the full output size */
        int64_t from = s.dim[2 + i], reach = (from - 1) * w->stride[i] + (w->size[i] - 1) * w->dilation[i] + 1;
        s.dim[2 + i] = reach > 0 ? reach : 0;
        none |= !from;
    }
    s.dim[1] = situ_dim(weight, 1) * o.groups;
    return none ? situ_zeros(s, .dtype = situ_dtype_of(x), .device = situ_device_of(x)) : f(x, weight, &o, site);
}

SITU_ONNX_BODY(conv_transpose)
{
    situ_tensor *x = IN(0), *weight = IN(1);
    window w = {.n = 0};
    int64_t more[AXES_MOST] = {0}, out[AXES_MOST], none[AXES_MOST] = {0};
    if (!weight_sizes(c, x, weight, &w)) return situ_poisoned();
    situ_shape s = situ_shape_of(x);
    if (!situ_onnx_window_of(c, &s, &w) || !sizes_of(c, "output_padding", w.n, more) || !sizes_of(c, "output_shape", w.n, out))
        return situ_poisoned();
    const char *mode = situ_onnx_one_of(c, "auto_pad", SITU_ONNX_AUTO_PADS);
    bool same = !strncmp(mode, "SAME", 4);
    situ_tensor *y = spread_out(c, x, weight, &w, site);
    if (situ_error_code) return y;
    situ_shape from = {.ndim = s.ndim}, to = situ_shape_of(y);
    for (int i = 0; i < w.n; i++) {
        int64_t full = to.dim[2 + i] + more[i], wanted = out[i] ? out[i] : s.dim[2 + i] * w.stride[i];
        if (out[i] || same) { /* for an odd difference the extra element is cut at the front, except for SAME_UPPER */
            if (wanted > full) more[i] += wanted - full, full = wanted;
            int64_t cut = full - wanted;
            w.before[i] = !strcmp(mode, "SAME_UPPER") ? cut / 2 : cut - cut / 2;
            w.after[i] = cut - w.before[i];
        }
        from.dim[2 + i] = w.before[i];
        to.dim[2 + i] = full - w.after[i];
    }
    y = padded(y, w.n, none, more, 0, site);
    return with_bias(c, situ_slice(y, .start = from, .stop = to), site);
}

/* ---- pooling: windows are gathered, which allows any pads, dilations and indices of maxima ----------------------------------- */

typedef struct pool {
    window w;
    int64_t out[AXES_MOST];
    bool plain; /* situ's own pooling can do it */
} pool;

static bool pool_of(situ_onnx_call *c, situ_tensor *x, pool *p)
{
    if (situ_error_code || situ_ndim(x) < 3 || situ_ndim(x) > 2 + AXES_MOST)
        return situ_onnx_refuse(c, SITU_UNSUPPORTED, "pools are over one to three axes"), false;
    situ_shape s = situ_shape_of(x);
    if (!each_of(c, "kernel_shape", (int)s.ndim - 2, 0, p->w.size) || !situ_onnx_window_of(c, &s, &p->w)) return false;
    bool up = situ_onnx_int(c, "ceil_mode", 0) != 0;
    p->plain = true;
    for (int i = 0; i < p->w.n; i++) {
        int64_t span = (p->w.size[i] - 1) * p->w.dilation[i] + 1, capacity = s.dim[2 + i] + p->w.before[i] + p->w.after[i] - span;
        p->out[i] = (up ? ceiling(capacity, p->w.stride[i]) : floored(capacity, p->w.stride[i])) + 1;
        if (up && (p->out[i] - 1) * p->w.stride[i] >= s.dim[2 + i] + p->w.before[i]) p->out[i]--;
        if (p->out[i] < 0) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "a window is larger than the input"), false;
        if (capacity < 0 || p->out[i] != capacity / p->w.stride[i] + 1 || p->w.dilation[i] != 1 ||
            p->w.before[i] != p->w.after[i] || p->w.before[i] > p->w.size[i] / 2)
            p->plain = false;
    }
    return true;
}

/* An empty result, if no window fits; NULL: there are windows. */
static situ_tensor *nothing(situ_tensor *x, const pool *p, situ_site site)
{
    situ_shape s = situ_shape_of(x);
    bool none = false;
    for (int i = 0; i < p->w.n; i++) none |= !(s.dim[2 + i] = p->out[i]);
    return none ? situ_zeros(s, .dtype = situ_dtype_of(x), .device = situ_device_of(x)) : NULL;
}

enum { MOST_AREA = 4096 };

/* Pads x [n, channels, ...] as far as the windows reach, and gathers [n, channels, out..., window]. */
static situ_tensor *windows(situ_tensor *x, const pool *p, double value, situ_site site)
{
    const window *w = &p->w;
    int64_t after[AXES_MOST], area = 1;
    for (int i = 0; i < w->n; i++) {
        int64_t reach = (p->out[i] - 1) * w->stride[i] + (w->size[i] - 1) * w->dilation[i] + 1;
        after[i] = reach - w->before[i] - situ_dim(x, 2 + i);
        area *= w->size[i];
        if (after[i] < 0) after[i] = 0;
    }
    x = padded(x, w->n, w->before, after, value, site);
    if (area > MOST_AREA)
        return situ_refused(
            SITU_UNSUPPORTED, site, "situ_module_call: a pool of the ONNX file over more than %d elements", MOST_AREA);
    situ_tensor **part = situ_malloc((size_t)area * sizeof *part);
    if (!part) return situ_refused(SITU_NO_MEMORY, site, "situ_module_call: out of host memory");
    situ_shape start = {.ndim = situ_ndim(x)}, stop = situ_shape_of(x), step = start;
    for (int i = 0; i < 2; i++) step.dim[i] = 1;
    for (int64_t k = 0; k < area; k++) {
        int64_t rest = k;
        for (int i = w->n - 1; i >= 0; i--) {
            start.dim[2 + i] = rest % w->size[i] * w->dilation[i];
            stop.dim[2 + i] = start.dim[2 + i] + (p->out[i] - 1) * w->stride[i] + 1;
            step.dim[2 + i] = w->stride[i];
            rest /= w->size[i];
        }
        part[k] = situ_slice(x, .start = start, .stop = stop, .step = step);
    }
    x = situ_stack(TENSORS_OF(part, (int)area), .axis = situ_ndim(x));
    situ_free(part);
    return x;
}

/* The maximum or the sum of each window; very large windows are reduced axis by axis. */
static situ_tensor *over_windows(situ_tensor *x, const pool *p, bool largest, double value, situ_site site)
{
    int64_t area = 1;
    for (int i = 0; i < p->w.n; i++) area *= p->w.size[i];
    int turns = area > MOST_AREA ? p->w.n : 1;
    for (int i = 0; i < turns && !situ_error_code; i++) {
        pool one = *p;
        for (int k = 0; k < p->w.n && turns > 1; k++) {
            if (k == i) continue;
            one.w.size[k] = one.w.stride[k] = one.w.dilation[k] = 1;
            one.w.before[k] = one.w.after[k] = 0;
            one.out[k] = situ_dim(x, 2 + k);
        }
        x = windows(x, &one, value, site);
        x = largest ? situ_max(x, .axes = AXES(-1)) : situ_sum(x, .axes = AXES(-1));
    }
    return x;
}

/* Indices of the elements within the whole tensor, in row-major order, or with the last axes in column-major order. */
static situ_tensor *places(situ_onnx_call *c, situ_tensor *x, situ_site site)
{
    situ_shape s = situ_shape_of(x), turned = s;
    situ_axes back = {.given = 1, .count = (int32_t)s.ndim};
    bool columns = situ_onnx_int(c, "storage_order", 0) != 0;
    int64_t count = 1;
    for (int i = 0; i < s.ndim; i++) {
        int from = columns && i > 1 ? (int)s.ndim + 1 - i : i;
        back.axis[i] = from;
        turned.dim[i] = s.dim[from];
        count *= s.dim[i];
    }
    return situ_permute(situ_reshape(situ_arange(0, count, 1, .device = situ_device_of(x)), turned), back);
}

/* The index in each window [..., window] of its first maximum, among elements of x, not of the padding. */
static situ_tensor *first_maximum(situ_tensor *y, situ_tensor *x, const pool *p, situ_site site)
{
    situ_shape s = situ_shape_of(x);
    bool floats = situ_dtype_is_float(situ_dtype_of(x));
    s.dim[0] = s.dim[1] = 1;
    situ_tensor *inside = windows(situ_ones(s, .dtype = SITU_U8, .device = situ_device_of(x)), p, 0, site);
    situ_tensor *hit = situ_equal(y, situ_max(y, .axes = AXES(-1), .keepdims = true));
    if (floats) hit = situ_logical_or(hit, situ_isnan(y));
    return situ_argmax(situ_mul(situ_cast(hit, SITU_U8), inside), .axis = -1, .keepdims = true);
}

SITU_ONNX_BODY(max_pool)
{
    pool p = {.plain = false};
    situ_tensor *x = IN(0);
    if (!pool_of(c, x, &p)) return situ_poisoned();
    situ_shape size = shape_of(p.w.n, p.w.size), stride = shape_of(p.w.n, p.w.stride), padding = shape_of(p.w.n, p.w.before);
    bool floats = situ_dtype_is_float(situ_dtype_of(x)), wanted = c->node->outs > 1;
    situ_tensor *none = nothing(x, &p, site);
    if (none && wanted) situ_onnx_give(c, 1, situ_cast(none, SITU_I64));
    if (none) return none;
    if (p.plain && floats && !wanted)
        return p.w.n == 1 ? situ_max_pool1d(x, size, .stride = stride, .padding = padding) :
            p.w.n == 2    ? situ_max_pool2d(x, size, .stride = stride, .padding = padding) :
                            situ_max_pool3d(x, size, .stride = stride, .padding = padding);
    situ_dtype d = situ_dtype_of(x);
    double lowest = floats ? -(double)INFINITY : situ_dtype_lowest(d);
    if (wanted) {
        situ_tensor *y = windows(x, &p, lowest, site);
        situ_tensor *at = first_maximum(y, x, &p, site);
        situ_tensor *all = windows(places(c, x, site), &p, 0, site);
        situ_onnx_give(c, 1, situ_squeeze(situ_gather(all, at), .axes = AXES(-1)));
    }
    return over_windows(x, &p, true, lowest, site);
}

SITU_ONNX_BODY(average_pool)
{
    pool p = {.plain = false};
    situ_tensor *x = IN(0);
    if (!pool_of(c, x, &p)) return situ_poisoned();
    bool whole = situ_onnx_int(c, "count_include_pad", 0) != 0;
    situ_tensor *none = nothing(x, &p, site);
    if (none) return none;
    situ_shape size = shape_of(p.w.n, p.w.size), stride = shape_of(p.w.n, p.w.stride), padding = shape_of(p.w.n, p.w.before);
    if (p.plain)
        return p.w.n == 1 ? situ_avg_pool1d(x, size, .stride = stride, .padding = padding, .count_padding = whole) :
            p.w.n == 2    ? situ_avg_pool2d(x, size, .stride = stride, .padding = padding, .count_padding = whole) :
                            situ_avg_pool3d(x, size, .stride = stride, .padding = padding, .count_padding = whole);
    situ_tensor *y = over_windows(x, &p, false, 0, site), *one = situ_ones_like(x);
    if (whole) { /* elements beyond the pads do not count */
        one = padded(one, p.w.n, p.w.before, p.w.after, 1, site);
        for (int i = 0; i < p.w.n; i++) p.w.before[i] = 0;
    }
    return situ_div(y, over_windows(one, &p, false, 0, site));
}

SITU_ONNX_BODY(lp_pool)
{
    pool p = {.plain = false};
    situ_tensor *x = IN(0);
    double power = situ_onnx_number(c, "p", 2);
    if (!pool_of(c, x, &p)) return situ_poisoned();
    situ_tensor *none = nothing(x, &p, site);
    if (none) return none;
    return situ_pow(over_windows(situ_pow(situ_abs(x), power), &p, false, 0, site), 1 / power);
}

/* The axes from `first` on; if x has none, an axis out of range, so that an error is raised. */
static situ_axes inner(situ_tensor *x, int64_t first)
{
    situ_axes axes = {.given = 1};
    if (first < 0 || first > SITU_MAX_DIMS) return AXES(SITU_MAX_DIMS);
    for (int i = (int)first; !situ_error_code && i < situ_ndim(x); i++) axes.axis[axes.count++] = i;
    return axes;
}
SITU_ONNX_BODY(global_max) { return situ_max(IN(0), .axes = inner(IN(0), 2), .keepdims = true); }
SITU_ONNX_BODY(global_average) { return situ_mean(IN(0), .axes = inner(IN(0), 2), .keepdims = true); }
SITU_ONNX_BODY(global_lp)
{
    double power = situ_onnx_number(c, "p", 2);
    return situ_norm(IN(0), .axes = inner(IN(0), 2), .keepdims = true, .ord = power);
}

/* ---- normalisation -------------------------------------------------------------------------------------------------------- */

/* (x - mean) / sqrt(variance + eps) over axes, computed at least in f32. */
static situ_tensor *standard(situ_onnx_call *c, situ_tensor *x, situ_axes axes, double eps, bool give, situ_site site)
{
    situ_dtype d = situ_dtype_of(x);
    if (d != SITU_F64) x = situ_cast(x, SITU_F32);
    situ_tensor *mean = situ_mean(x, .axes = axes, .keepdims = true), *off = situ_sub(x, mean);
    situ_tensor *by = situ_rsqrt(situ_add(situ_mean(situ_square(off), .axes = axes, .keepdims = true), eps));
    if (give) situ_onnx_give(c, 1, mean), situ_onnx_give(c, 2, by);
    return situ_cast(situ_mul(off, by), d);
}

static situ_tensor *per_channel(situ_tensor *v, situ_tensor *x, situ_site site)
{
    situ_shape s = {.ndim = situ_ndim(x) - 1};
    for (int i = 0; i < s.ndim; i++) s.dim[i] = i ? 1 : situ_dim(x, 1);
    return situ_reshape(v, s);
}

/* True if the node normalises by the batch's moments: before opset 14 if it returns them, or says is_test = 0. */
static bool norm_trains(const situ_onnx_call *c)
{
    if (c->opset >= 14) return situ_onnx_int(c, "training_mode", 0) != 0;
    bool test = c->opset >= 7 || situ_onnx_int(c, "is_test", 1);
    for (int i = 1; i < c->node->outs; i++) test = test && c->node->out[i] < 0;
    return !test;
}

SITU_ONNX_BODY(batch_norm)
{
    situ_tensor *x = IN(0), *scale = IN(1), *shift = IN(2), *mean = IN(3), *var = IN(4);
    double eps = situ_onnx_float(c, "epsilon", 1e-5), momentum = situ_onnx_float(c, "momentum", 0.9);
    if (situ_error_code || situ_ndim(x) < 2) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it takes [n, channels, ...]");
    bool each = c->opset < 9 && !situ_onnx_int(c, "spatial", 1); /* each element of a channel has its own moments */
    if (norm_trains(c)) {
        situ_axes axes = each ? AXES(0) : inner(x, 1);
        axes.axis[0] = 0;
        for (int i = 1; i < axes.count; i++) axes.axis[i] = i + 1;
        situ_tensor *m = situ_mean(x, .axes = axes), *v = situ_var(x, .axes = axes);
        situ_onnx_give(c, 1, situ_add(situ_mul(mean, momentum), situ_mul(m, 1 - momentum)));
        situ_onnx_give(c, 2, situ_add(situ_mul(var, momentum), situ_mul(v, 1 - momentum)));
        situ_onnx_give(c, 3, m);
        situ_onnx_give(c, 4, v);
        mean = m, var = v;
    }
    situ_tensor *by = situ_mul(situ_rsqrt(situ_add(var, eps)), scale);
    if (!each) by = per_channel(by, x, site), mean = per_channel(mean, x, site), shift = per_channel(shift, x, site);
    return situ_cast(situ_add(situ_mul(situ_sub(x, mean), by), shift), situ_dtype_of(x));
}

SITU_ONNX_BODY(instance_norm)
{
    situ_tensor *x = IN(0);
    situ_tensor *y = standard(c, x, inner(x, 2), situ_onnx_float(c, "epsilon", 1e-5), false, site);
    return situ_add(situ_mul(y, per_channel(IN(1), x, site)), per_channel(IN(2), x, site));
}

SITU_ONNX_BODY(layer_norm)
{
    situ_tensor *x = IN(0);
    int64_t axis = situ_onnx_int(c, "axis", -1), ndim = situ_ndim(x);
    situ_tensor *y = standard(c, x, inner(x, axis < 0 ? axis + ndim : axis), situ_onnx_float(c, "epsilon", 1e-5), true, site);
    y = situ_mul(y, IN(1));
    return HAS(2) ? situ_add(y, IN(2)) : y;
}

SITU_ONNX_BODY(rms_norm)
{
    situ_tensor *x = IN(0), *wide;
    int64_t axis = situ_onnx_int(c, "axis", -1), ndim = situ_ndim(x);
    if (situ_error_code) return situ_poisoned();
    wide = situ_dtype_of(x) == SITU_F64 ? x : situ_cast(x, SITU_F32);
    situ_tensor *square = situ_mean(situ_square(wide), .axes = inner(x, axis < 0 ? axis + ndim : axis), .keepdims = true);
    return situ_mul(
        situ_cast(situ_mul(wide, situ_rsqrt(situ_add(square, situ_onnx_float(c, "epsilon", 1e-5)))), situ_dtype_of(x)), IN(1));
}

SITU_ONNX_BODY(group_norm)
{
    situ_tensor *x = IN(0), *scale = IN(1), *shift = IN(2);
    int64_t groups = situ_onnx_int(c, "num_groups", 1);
    if (situ_error_code || situ_ndim(x) < 2 || groups < 1)
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it takes [n, channels, ...]");
    situ_shape s = situ_shape_of(x);
    if (!situ_count(x)) return x;
    situ_tensor *y = situ_reshape(x, SHAPE(s.dim[0], groups, -1));
    y = situ_reshape(standard(c, y, AXES(2), situ_onnx_float(c, "epsilon", 1e-5), false, site), s);
    int64_t each = situ_dim(scale, 0) ? s.dim[1] / situ_dim(scale, 0) : 1;
    if (each > 1) scale = situ_repeat(scale, each), shift = situ_repeat(shift, each);
    return situ_add(situ_mul(y, per_channel(scale, x, site)), per_channel(shift, x, site));
}

SITU_ONNX_BODY(local_response)
{
    situ_tensor *x = IN(0);
    int64_t size = situ_onnx_int(c, "size", 1), low = (size - 1) / 2, high = size - 1 - low,
            n = situ_error_code ? 0 : situ_dim(x, 1);
    double alpha = situ_onnx_float(c, "alpha", 1e-4), beta = situ_onnx_float(c, "beta", 0.75), k = situ_onnx_float(c, "bias", 1);
    situ_shape before = {.ndim = situ_ndim(x)}, after = before, start = before, stop = situ_shape_of(x);
    before.dim[1] = low;
    after.dim[1] = high;
    situ_tensor *square = situ_pad(situ_square(x), before, after), *sum = NULL;
    for (int64_t i = 0; i < size && !situ_error_code; i++) {
        start.dim[1] = i;
        stop.dim[1] = i + n;
        situ_tensor *part = situ_slice(square, .start = start, .stop = stop);
        sum = sum ? situ_add(sum, part) : part;
    }
    return situ_div(x, situ_pow(situ_add(situ_mul(sum, alpha / (double)size), k), beta));
}

SITU_ONNX_BODY(lp_norm)
{
    situ_tensor *x = IN(0);
    situ_tensor *by =
        situ_norm(x, .axes = AXES((int)situ_onnx_int(c, "axis", -1)), .keepdims = true, .ord = (double)situ_onnx_int(c, "p", 2));
    return situ_where(situ_equal(by, 0), situ_zeros_like(x), situ_div(x, by));
}

SITU_ONNX_BODY(mean_variance)
{
    situ_tensor *x = IN(0);
    situ_axes axes = situ_onnx_axes(c, -1, "axes");
    if (!axes.given) axes = AXES(0, 2, 3);
    situ_tensor *off = situ_sub(x, situ_mean(x, .axes = axes, .keepdims = true));
    return situ_div(off, situ_add(situ_sqrt(situ_mean(situ_square(off), .axes = axes, .keepdims = true)), 1e-9));
}

#define ROW(onnx, f, r) \
    { \
        .name = onnx, .body = (f), .read = (r) \
    }
const situ_onnx_op situ_onnx_network_ops[] = {ROW("Conv", conv, 0), ROW("ConvTranspose", conv_transpose, 0),
    ROW("MaxPool", max_pool, 0), ROW("AveragePool", average_pool, 0), ROW("LpPool", lp_pool, 0),
    ROW("GlobalMaxPool", global_max, 0), ROW("GlobalAveragePool", global_average, 0), ROW("GlobalLpPool", global_lp, 0),
    ROW("BatchNormalization", batch_norm, 0), ROW("InstanceNormalization", instance_norm, 0),
    ROW("LayerNormalization", layer_norm, 0), ROW("RMSNormalization", rms_norm, 0), ROW("GroupNormalization", group_norm, 0),
    ROW("LRN", local_response, 0), ROW("LpNormalization", lp_norm, 0), ROW("MeanVarianceNormalization", mean_variance, 0),
    ROW("ConvInteger", conv_integer, 0), ROW("QLinearConv", qlinear_conv, 0), {0}};
