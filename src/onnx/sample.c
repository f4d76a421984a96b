/* Sampling images between their elements (GridSample, RoiAlign), bounding boxes, and the inverses of windows. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "onnx/host.h"
#include "onnx/window.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { AXES_MOST = SITU_ONNX_WINDOW_AXES };

/* ---- interpolation -------------------------------------------------------------------------------------------------------- */

/* Interpolation along one axis: the indices of the neighbours and their weights; no weights: nearest neighbour only. */
typedef struct taps {
    situ_tensor *at[4], *weight[4];
    int count;
} taps;

/* Weights of cubic convolution (R. Keys, a = -0.75) at distances up to 1, and from 1 to 2. */
static situ_tensor *near_weight(situ_tensor *x, situ_site site)
{
    return situ_add(situ_mul(situ_mul(situ_sub(situ_mul(x, 1.25), 2.25), x), x), 1.0);
}
static situ_tensor *far_weight(situ_tensor *x, situ_site site)
{
    return situ_mul(situ_add(situ_mul(situ_sub(situ_mul(situ_sub(x, 5.0), x), -8.0), x), -4.0), -0.75);
}

static taps taps_of(situ_tensor *at, const char *mode, situ_site site)
{
    taps t = {.count = 1};
    if (!strcmp(mode, "nearest")) {
        t.at[0] = situ_round(at);
        return t;
    }
    situ_tensor *low = situ_floor(at), *past = situ_sub(at, low), *left = situ_sub(1.0, past);
    if (strcmp(mode, "cubic")) return (taps){.count = 2, .at = {low, situ_add(low, 1.0)}, .weight = {left, past}};
    return (taps){.count = 4,
        .at = {situ_sub(low, 1.0), low, situ_add(low, 1.0), situ_add(low, 2.0)},
        .weight = {far_weight(situ_add(past, 1.0), site), near_weight(past, site), near_weight(left, site),
            far_weight(situ_add(left, 1.0), site)}};
}

/* Handles neighbours outside of the n elements: weight 0, or another element (border, reflection). */
static void keep_inside(taps *t, int64_t n, const char *outside, bool corners, situ_site site)
{
    double low = corners ? 0 : -0.5, high = corners ? (double)n - 1 : (double)n - 0.5, span = high - low;
    for (int i = 0; i < t->count; i++) {
        situ_tensor *at = t->at[i];
        if (!strcmp(outside, "zeros")) {
            situ_tensor *in = situ_logical_and(situ_greater_equal(at, 0.0), situ_less_equal(at, (double)n - 1)), *none;
            none = situ_zeros_like(at);
            t->weight[i] = situ_where(in, t->weight[i] ? t->weight[i] : situ_ones_like(at), none);
        } else if (!strcmp(outside, "reflection") && span > 0) {
            situ_tensor *way = situ_remainder(situ_sub(at, low), 2 * span);
            at = situ_add(situ_minimum(way, situ_sub(2 * span, way)), low);
        }
        t->at[i] = situ_clip(at, 0.0, (double)n - 1);
    }
}

situ_tensor *situ_onnx_sampled(const situ_onnx_call *c, situ_tensor *x, situ_tensor *const *at, const char *mode,
    const char *outside, bool corners, bool largest)
{
    situ_site site = c->run->site;
    situ_shape s = situ_shape_of(x);
    int n = (int)s.ndim - 2, combinations = 1;
    taps t[AXES_MOST];
    if (situ_error_code || n < 1 || n > AXES_MOST) return situ_onnx_refuse(c, SITU_UNSUPPORTED, "images of 1 to 3 axes are known");
    for (int i = 0; i < n; i++) {
        if (!s.dim[2 + i]) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "the image has no elements");
        t[i] = taps_of(situ_dtype_of(at[i]) == SITU_F64 ? at[i] : situ_cast(at[i], SITU_F32), mode, site);
        keep_inside(&t[i], s.dim[2 + i], outside, corners, site);
        combinations *= t[i].count;
    }
    if (situ_error_code) return situ_poisoned();
    situ_dtype d = situ_dtype_of(x);
    int64_t area = 1;
    for (int i = 0; i < n; i++) area *= s.dim[2 + i];
    situ_tensor *flat = situ_reshape(d == SITU_F64 ? x : situ_cast(x, SITU_F32), SHAPE(s.dim[0], s.dim[1], area)), *y = NULL;
    situ_shape all = {.ndim = 3, .dim = {s.dim[0], s.dim[1], situ_dim(at[0], 1)}};
    for (int k = 0; k < combinations && !situ_error_code; k++) {
        situ_tensor *place = NULL, *weight = NULL;
        for (int i = 0, rest = k; i < n; rest /= t[i++].count) {
            situ_tensor *one = situ_cast(t[i].at[rest % t[i].count], SITU_I64), *share = t[i].weight[rest % t[i].count];
            place = place ? situ_add(situ_mul(place, s.dim[2 + i]), one) : one;
            if (share) weight = weight ? situ_mul(weight, share) : share;
        }
        situ_tensor *value = situ_gather(flat, situ_broadcast_to(situ_expand_dims(place, 1), all));
        if (weight) value = situ_mul(value, situ_expand_dims(weight, 1));
        y = !y ? value : largest ? situ_maximum(y, value) : situ_add(y, value);
    }
    return y ? situ_cast(y, d) : situ_poisoned();
}

SITU_ONNX_BODY(grid_sample)
{
    situ_tensor *x = IN(0), *grid = IN(1), *at[AXES_MOST];
    const char *mode = situ_onnx_one_of(c, "mode", "linear, nearest, cubic, bilinear, bicubic"),
               *outside = situ_onnx_one_of(c, "padding_mode", "zeros, border, reflection");
    bool corners = situ_onnx_int(c, "align_corners", 0) != 0, cubic = strstr(mode, "cubic") != NULL;
    int n = x && grid && !situ_error_code ? situ_ndim(x) - 2 : 0;
    if (n < 1 || n > AXES_MOST || situ_ndim(grid) != n + 2 || situ_dim(grid, n + 1) != n || situ_dim(grid, 0) != situ_dim(x, 0))
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it takes images of 1 to 3 axes and places with as many numbers");
    if (n == 2 && !cubic)
        return situ_grid_sample(x, grid, .mode = strcmp(mode, "nearest") ? SITU_BILINEAR : SITU_NEAREST,
            .padding = !strcmp(outside, "zeros") ? SITU_OUTSIDE_ZEROS :
                !strcmp(outside, "border")       ? SITU_OUTSIDE_BORDER :
                                                   SITU_OUTSIDE_REFLECTION,
            .align_corners = corners);
    situ_shape s = situ_shape_of(x), out = situ_shape_of(grid);
    int64_t places = 1;
    for (int i = 0; i < n; i++) places *= out.dim[1 + i];
    for (int i = 0; i < n; i++) { /* the last coordinate belongs to the first axis */
        double size = (double)s.dim[2 + i];
        situ_tensor *u = situ_add(situ_reshape(situ_select(grid, n + 1, n - 1 - i), SHAPE(s.dim[0], places)), 1.0);
        at[i] = corners ? situ_mul(u, (size - 1) / 2) : situ_sub(situ_mul(u, size / 2), 0.5);
    }
    situ_tensor *y = situ_onnx_sampled(c, x, at, cubic ? "cubic" : mode, outside, corners, false);
    for (int i = n + 1; i > 1; i--) out.dim[i] = out.dim[i - 1];
    out.dim[1] = s.dim[1];
    return situ_reshape(y, out);
}

SITU_ONNX_BODY(affine_grid)
{
    int64_t size[2 + AXES_MOST];
    bool corners = situ_onnx_int(c, "align_corners", 0) != 0;
    situ_tensor *theta = IN(0), *part[AXES_MOST + 1];
    int n = situ_onnx_numbers(c, 1, NULL, size, 2 + AXES_MOST) - 2;
    if (n < 1 || !theta || situ_error_code || situ_ndim(theta) != 3 || situ_dim(theta, 1) != n || situ_dim(theta, 2) != n + 1)
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it takes [n, 2, 3] and 4 sizes, or [n, 3, 4] and 5");
    situ_shape whole = {.ndim = n}, out = {.ndim = n + 2, .dim = {situ_dim(theta, 0)}};
    for (int i = 0; i < n; i++) whole.dim[i] = out.dim[1 + i] = size[2 + i];
    out.dim[n + 1] = n;
    situ_dtype d = situ_dtype_of(theta) == SITU_F64 ? SITU_F64 : SITU_F32;
    for (int i = 0; i < n; i++) { /* weights are multiplied starting from the last axis */
        situ_shape line = {.ndim = n};
        for (int k = 0; k < n; k++) line.dim[k] = i == k ? size[2 + i] : 1;
        situ_tensor *u = situ_arange(0, size[2 + i], 1, .dtype = d, .device = situ_device_of(theta));
        double count = (double)size[2 + i];
        u = corners ? situ_mul(u, count > 1 ? 2 / (count - 1) : 0) : situ_mul(situ_add(u, 0.5), 2 / count);
        part[n - 1 - i] = situ_broadcast_to(situ_reshape(situ_sub(u, 1.0), line), whole);
    }
    part[n] = situ_ones(whole, .dtype = d, .device = situ_device_of(theta));
    situ_tensor *all = situ_reshape(situ_stack(TENSORS_OF(part, n + 1), .axis = n), SHAPE(-1, n + 1));
    situ_tensor *y = situ_matmul(all, situ_matrix_transpose(situ_cast(theta, d)));
    return situ_reshape(situ_cast(y, situ_dtype_of(theta)), out);
}

/* ---- boxes ---------------------------------------------------------------------------------------------------------------- */

/* Pools one box of an image: a grid of equal bins, each the mean or the maximum of samples in it. */
static situ_tensor *pooled(situ_onnx_call *c, situ_tensor *image, const double *box, situ_site site)
{
    int64_t out[2] = {situ_onnx_int(c, "output_height", 1), situ_onnx_int(c, "output_width", 1)}, each[2];
    int64_t ratio = situ_onnx_int(c, "sampling_ratio", 0);
    bool largest = situ_onnx_is(c, "mode", "max", "avg, max"),
         half = situ_onnx_is(c, "coordinate_transformation_mode", "half_pixel", "half_pixel, output_half_pixel") && c->opset >= 16;
    double scale = situ_onnx_float(c, "spatial_scale", 1), off = half ? 0.5 : 0;
    situ_tensor *at[2], *in[2];
    if (!situ_dim(image, 1) && out[0] > 0 && out[1] > 0)
        return situ_zeros(SHAPE(0, out[0], out[1]), .dtype = situ_dtype_of(image), .device = situ_device_of(image));
    for (int i = 0; i < 2; i++) { /* in f32, to take as many samples as onnxruntime */
        float start = (float)box[1 - i] * (float)scale - (float)off, length = (float)box[3 - i] * (float)scale - (float)off - start;
        double n = (double)situ_dim(image, 2 + i);
        if (!half && !(length > 1)) length = 1;
        if (out[i] < 1 || !(length < 1e9f && length > -1e9f))
            return situ_onnx_refuse(c, SITU_BAD_SHAPE, "a box is too large, or its number of bins is below 1");
        each[i] = ratio > 0 ? ratio : (int64_t)ceilf(length / (float)out[i]);
        if (each[i] < 1)
            return situ_zeros(
                SHAPE(situ_dim(image, 1), out[0], out[1]), .dtype = situ_dtype_of(image), .device = situ_device_of(image));
        double step = (double)length / (double)(out[i] * each[i]);
        situ_tensor *u = situ_arange(0, out[i] * each[i], 1, .dtype = SITU_F32, .device = situ_device_of(image));
        u = situ_add(situ_mul(situ_add(u, 0.5), step), (double)start);
        in[i] = situ_logical_and(situ_greater_equal(u, -1.0), situ_less_equal(u, n));
        at[i] = situ_clip(u, 0.0, n - 1);
    }
    int64_t rows = out[0] * each[0], columns = out[1] * each[1];
    situ_tensor *inside = situ_logical_and(situ_reshape(in[0], SHAPE(rows, 1)), in[1]);
    at[0] = situ_reshape(situ_broadcast_to(situ_reshape(at[0], SHAPE(rows, 1)), SHAPE(rows, columns)), SHAPE(1, -1));
    at[1] = situ_reshape(situ_broadcast_to(at[1], SHAPE(rows, columns)), SHAPE(1, -1));
    situ_tensor *y = situ_onnx_sampled(c, image, at, "linear", "border", true, largest);
    if (situ_error_code) return y;
    y = situ_where(situ_reshape(inside, SHAPE(-1)), y, situ_zeros_like(y));
    y = situ_reshape(y, SHAPE(situ_dim(image, 1), out[0], each[0], out[1], each[1]));
    return largest ? situ_max(y, .axes = AXES(2, 4)) : situ_mean(y, .axes = AXES(2, 4));
}

SITU_ONNX_BODY(roi_align)
{
    situ_tensor *x = IN(0);
    const situ_onnx_host *box = situ_onnx_read(c, 1), *which = situ_onnx_read(c, 2);
    if (!x || !box || !which || situ_error_code || situ_ndim(x) != 4 || box->ndim != 2 || box->dim[1] != 4 ||
        which->count != box->dim[0])
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it takes [n, channels, height, width], [boxes, 4] and [boxes]");
    int64_t rows = situ_onnx_int(c, "output_height", 1), columns = situ_onnx_int(c, "output_width", 1);
    if (!which->count && rows > 0 && columns > 0)
        return situ_zeros(SHAPE(0, situ_dim(x, 1), rows, columns), .dtype = situ_dtype_of(x), .device = situ_device_of(x));
    situ_tensor **part = situ_arena_alloc(&c->run->arena, sizeof *part * (size_t)(which->count + 1));
    if (!part || which->count > INT32_MAX) return situ_refused(SITU_NO_MEMORY, site, "situ_module_call: out of host memory");
    for (int64_t i = 0; i < which->count && !situ_error_code; i++) {
        double corner[4];
        for (int k = 0; k < 4; k++) corner[k] = situ_onnx_host_float(box, 4 * i + k);
        part[i] = pooled(c, situ_expand_dims(situ_select(x, 0, situ_onnx_host_int(which, i)), 0), corner, site);
    }
    return situ_error_code ? situ_poisoned() : situ_stack(TENSORS_OF(part, (int)which->count));
}

typedef struct box {
    double low[2], high[2];
} box;

static box box_of(const situ_onnx_host *h, int64_t i, bool by_middle)
{
    box b;
    for (int k = 0; k < 2; k++) {
        double a = situ_onnx_host_float(h, 4 * i + k), z = situ_onnx_host_float(h, 4 * i + 2 + k);
        if (by_middle) a -= z / 2, z += a;
        b.low[k] = fmin(a, z);
        b.high[k] = fmax(a, z);
    }
    return b;
}

/* Intersection over union of two boxes; in f32, because thresholds are compared exactly. */
static float overlap(const box *a, const box *b)
{
    float shared = 1, of_a = 1, of_b = 1;
    for (int k = 0; k < 2; k++) {
        float side = (float)(fmin(a->high[k], b->high[k]) - fmax(a->low[k], b->low[k]));
        shared *= side > 0 ? side : 0;
        of_a *= (float)(a->high[k] - a->low[k]);
        of_b *= (float)(b->high[k] - b->low[k]);
    }
    return shared > 0 ? shared / (of_a + of_b - shared) : 0;
}

/* Non-maximum suppression for one class: keeps the best boxes that do not overlap a better kept one too much. Returns
 * how many. */
static int64_t kept_boxes(const situ_onnx_host *boxes, const situ_onnx_host *scores, int64_t first_box, int64_t first_score,
    const double *limit, bool by_middle, int64_t *kept, bool *gone)
{
    int64_t n = boxes->dim[1], count = 0;
    memset(gone, 0, (size_t)n);
    while ((double)count < limit[0]) {
        int64_t best = -1;
        for (int64_t i = 0; i < n; i++) {
            double score = situ_onnx_host_float(scores, first_score + i);
            if (!gone[i] && score > limit[2] && (best < 0 || score > situ_onnx_host_float(scores, first_score + best))) best = i;
        }
        if (best < 0) break;
        box taken = box_of(boxes, first_box + best, by_middle);
        for (int64_t i = 0; i < n; i++) {
            box other = box_of(boxes, first_box + i, by_middle);
            if (overlap(&taken, &other) > (float)limit[1]) gone[i] = true;
        }
        gone[best] = true;
        kept[count++] = best;
    }
    return count;
}

SITU_ONNX_BODY(non_max_suppression)
{
    const situ_onnx_host *boxes = situ_onnx_read(c, 0), *scores = situ_onnx_read(c, 1);
    double limit[3] = {0, 0, -(double)INFINITY}; /* maximum number of boxes, overlap threshold, score threshold */
    for (int i = 0; i < 3; i++) {
        const situ_onnx_host *h = HAS(2 + i) ? situ_onnx_read(c, 2 + i) : NULL;
        if (h && h->count) limit[i] = situ_onnx_host_float(h, 0);
    }
    if (!boxes || !scores || situ_error_code || boxes->ndim != 3 || scores->ndim != 3 || boxes->dim[2] != 4 ||
        boxes->dim[0] != scores->dim[0] || boxes->dim[1] != scores->dim[2])
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it takes [n, boxes, 4] and [n, classes, boxes]");
    int64_t n = boxes->dim[1], rows = scores->dim[0] * scores->dim[1], count = 0;
    int64_t *kept = situ_arena_alloc(&c->run->arena, 8 * (size_t)(n + 1)),
            *out = situ_arena_alloc(&c->run->arena, 24 * (size_t)(rows * n + 1));
    bool *gone = situ_arena_alloc(&c->run->arena, (size_t)n + 1);
    if (!kept || !gone || !out) return situ_refused(SITU_NO_MEMORY, site, "situ_module_call: out of host memory");
    for (int64_t row = 0; row < rows; row++) {
        int64_t image = row / scores->dim[1],
                many =
                    kept_boxes(boxes, scores, image * n, row * n, limit, situ_onnx_int(c, "center_point_box", 0) != 0, kept, gone);
        for (int64_t i = 0; i < many; i++, count++)
            out[3 * count] = image, out[3 * count + 1] = row % scores->dim[1], out[3 * count + 2] = kept[i];
    }
    return situ_from_host((const void *)out, SHAPE(count, 3), .dtype = SITU_I64, .device = situ_device_of(c->run->x));
}

/* ---- windows to images ---------------------------------------------------------------------------------------------------- */

/* Adds columns [n, channels * window, windows] up at their positions in the images. */
SITU_ONNX_BODY(col2im)
{
    situ_tensor *x = IN(0);
    int64_t image[AXES_MOST], block[AXES_MOST];
    situ_onnx_window w = {.n = situ_onnx_numbers(c, 1, NULL, image, AXES_MOST)};
    situ_shape s = {.ndim = w.n + 2};
    if (!x || situ_onnx_numbers(c, 2, NULL, block, AXES_MOST) != w.n || w.n < 1 || situ_error_code || situ_ndim(x) != 3)
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it takes [n, channels * window, windows]");
    if (!situ_onnx_window_of(c, &s, &w)) return situ_poisoned();
    situ_shape from = {.ndim = w.n + 2}, to = {.ndim = w.n + 2}, whole = to;
    situ_tensor *place = situ_zeros(SHAPE(), .dtype = SITU_I64, .device = situ_device_of(x));
    int64_t area = 1, windows = 1, step = 1;
    for (int i = w.n - 1; i >= 0; i--) {
        int64_t padded = image[i] + w.before[i] + w.after[i], capacity = padded - w.dilation[i] * (block[i] - 1) - 1;
        if (block[i] < 1 || image[i] < 1 || capacity < 0 || padded > INT32_MAX)
            return situ_onnx_refuse(c, SITU_BAD_SHAPE, "a window is larger than the image");
        int64_t count = capacity / w.stride[i] + 1;
        situ_shape tap = {.ndim = 2 * w.n}, window = tap;
        for (int k = 0; k < 2 * w.n; k++) tap.dim[k] = window.dim[k] = 1;
        tap.dim[i] = block[i];
        window.dim[w.n + i] = count;
        situ_tensor *tap_at = situ_mul(situ_arange(0, block[i], 1, .device = situ_device_of(x)), w.dilation[i] * step),
                    *window_at = situ_mul(situ_arange(0, count, 1, .device = situ_device_of(x)), w.stride[i] * step);
        place = situ_add(situ_add(place, situ_reshape(tap_at, tap)), situ_reshape(window_at, window));
        from.dim[2 + i] = w.before[i];
        to.dim[2 + i] = w.before[i] + image[i];
        whole.dim[2 + i] = padded;
        area *= block[i];
        windows *= count;
        step *= padded;
        if (step > INT32_MAX || area > INT32_MAX) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "the image is too large");
    }
    int64_t n = situ_dim(x, 0), channels = situ_dim(x, 1) / area;
    if (channels * area != situ_dim(x, 1) || windows != situ_dim(x, 2))
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "its columns are not those of %lld windows", (long long)windows);
    situ_tensor *empty = situ_zeros(SHAPE(n * channels, step), .dtype = situ_dtype_of(x), .device = situ_device_of(x));
    situ_tensor *y =
        situ_index_add(empty, situ_reshape(place, SHAPE(-1)), situ_reshape(x, SHAPE(n * channels, area * windows)), .axis = 1);
    whole.dim[0] = to.dim[0] = n;
    whole.dim[1] = to.dim[1] = channels;
    return situ_slice(situ_reshape(y, whole), .start = from, .stop = to);
}

/* Puts maxima back to their positions: `at` has the flat index of each in the image. */
SITU_ONNX_BODY(max_unpool)
{
    situ_tensor *x = IN(0), *at = IN(1);
    int64_t size[SITU_MAX_DIMS], given[SITU_MAX_DIMS];
    situ_onnx_window w = {.n = situ_onnx_ints(c, "kernel_shape", size, SITU_MAX_DIMS)};
    if (!x || !at || situ_error_code || w.n < 1 || w.n > AXES_MOST || situ_ndim(x) != w.n + 2)
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it takes [n, channels, ...] and a window over one to three axes");
    situ_shape s = situ_shape_of(x), more = {.ndim = w.n + 2}, none = more;
    if (!situ_onnx_window_of(c, &s, &w)) return situ_poisoned();
    int wanted = situ_onnx_numbers(c, 2, NULL, given, SITU_MAX_DIMS);
    for (int i = 0; i < w.n; i++) {
        s.dim[2 + i] = (s.dim[2 + i] - 1) * w.stride[i] - w.before[i] - w.after[i] + size[i];
        if (wanted == w.n + 2) more.dim[2 + i] = given[2 + i] - s.dim[2 + i];
        if (s.dim[2 + i] < 0 || more.dim[2 + i] < 0) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "its sizes do not fit");
    }
    situ_tensor *empty = situ_zeros(s, .dtype = situ_dtype_of(x), .device = situ_device_of(x));
    situ_tensor *y =
        situ_scatter(situ_reshape(empty, SHAPE(-1)), situ_reshape(situ_cast(at, SITU_I64), SHAPE(-1)), situ_reshape(x, SHAPE(-1)));
    return situ_pad(situ_reshape(y, s), none, more);
}

/* A deformable convolution: each tap has its own offset. */
SITU_ONNX_BODY(deform_conv)
{
    situ_tensor *x = IN(0), *weight = IN(1), *offset = IN(2), *at[AXES_MOST];
    int64_t groups = situ_onnx_int(c, "group", 1), own = situ_onnx_int(c, "offset_group", 1), area = 1, places = 1;
    situ_onnx_window w = {.n = x ? situ_ndim(x) - 2 : 0};
    if (!x || !weight || !offset || situ_error_code || w.n < 1 || w.n > AXES_MOST || situ_ndim(weight) != w.n + 2 ||
        situ_ndim(offset) != w.n + 2 || groups < 1 || own < 1 || situ_dim(x, 1) % groups || situ_dim(x, 1) % own ||
        situ_dim(weight, 0) % groups)
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "its shapes do not fit");
    situ_shape s = situ_shape_of(x), grid = {.ndim = 2 * w.n}, out = situ_shape_of(offset), image = s;
    for (int i = 0; i < w.n; i++) {
        area *= grid.dim[i] = w.size[i] = situ_dim(weight, 2 + i);
        places *= grid.dim[w.n + i] = out.dim[2 + i];
    }
    if (!situ_onnx_window_of(c, &s, &w)) return situ_poisoned();
    situ_tensor *off = situ_reshape(offset, SHAPE(s.dim[0] * own, area, w.n, places));
    for (int i = 0; i < w.n; i++) {
        situ_shape tap = {.ndim = 2 * w.n}, place = tap;
        for (int k = 0; k < 2 * w.n; k++) tap.dim[k] = place.dim[k] = 1;
        tap.dim[i] = grid.dim[i];
        place.dim[w.n + i] = grid.dim[w.n + i];
        situ_device where = situ_device_of(x);
        situ_tensor *tap_at = situ_mul(situ_arange(0, grid.dim[i], 1, .dtype = SITU_F32, .device = where), (double)w.dilation[i]),
                    *place_at =
                        situ_mul(situ_arange(0, grid.dim[w.n + i], 1, .dtype = SITU_F32, .device = where), (double)w.stride[i]);
        situ_tensor *even = situ_add(situ_reshape(tap_at, tap), situ_sub(situ_reshape(place_at, place), (double)w.before[i]));
        at[i] = situ_add(situ_select(off, 2, i), situ_reshape(situ_broadcast_to(even, grid), SHAPE(area, places)));
        at[i] = situ_reshape(at[i], SHAPE(s.dim[0] * own, area * places));
    }
    image.dim[0] = s.dim[0] * own;
    image.dim[1] = s.dim[1] / own;
    situ_tensor *y = situ_onnx_sampled(c, situ_reshape(x, image), at, "linear", "zeros", true, false);
    if (HAS(4)) y = situ_mul(y, situ_reshape(IN(4), SHAPE(s.dim[0] * own, 1, area * places)));
    y = situ_reshape(y, SHAPE(s.dim[0], groups, s.dim[1] / groups * area, places));
    y = situ_matmul(situ_reshape(weight, SHAPE(groups, situ_dim(weight, 0) / groups, s.dim[1] / groups * area)), y);
    out.dim[1] = situ_dim(weight, 0);
    y = situ_reshape(y, out);
    for (int i = 0; i < w.n; i++) grid.dim[1 + i] = 1;
    grid.ndim = w.n + 1;
    grid.dim[0] = -1;
    return HAS(3) ? situ_add(y, situ_reshape(IN(3), grid)) : y;
}

#define ROW(onnx, f, r) \
    { \
        .name = onnx, .body = (f), .read = (r) \
    }
const situ_onnx_op situ_onnx_sample_ops[] = {ROW("GridSample", grid_sample, 0), ROW("AffineGrid", affine_grid, 2),
    ROW("RoiAlign", roi_align, 0), ROW("NonMaxSuppression", non_max_suppression, 28), ROW("Col2Im", col2im, 6),
    ROW("MaxUnpool", max_unpool, 4), ROW("DeformConv", deform_conv, 0), {0}};
