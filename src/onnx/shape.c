/* Operators that move elements, and operators on shapes. */
#include <string.h>

#include "base/error.h"
#include "onnx/call.h"
#include "onnx/host.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { MOST_PARTS = 1024 };

static int64_t clamp(int64_t i, int64_t low, int64_t high) { return i < low ? low : i > high ? high : i; }
static bool is_axis(int64_t axis, int ndim) { return axis >= -ndim && axis < ndim; }

/* ---- shapes --------------------------------------------------------------------------------------------------------------- */

static bool host_shape(situ_onnx_call *c)
{
    if (!HAS(0)) return false;
    situ_shape s = situ_onnx_shape(c, 0);
    int64_t start = situ_onnx_int(c, "start", 0), end = situ_onnx_int(c, "end", s.ndim);
    start = clamp(start < 0 ? start + s.ndim : start, 0, s.ndim);
    end = clamp(end < 0 ? end + s.ndim : end, start, s.ndim);
    int64_t count = end - start;
    uint8_t *to = situ_onnx_give_host(c, 0, SITU_I64, 1, &count);
    if (to) memcpy(to, s.dim + start, 8 * (size_t)count);
    return to != NULL;
}

static bool host_size(situ_onnx_call *c)
{
    situ_shape s = situ_onnx_shape(c, 0);
    int64_t count = 1;
    for (int i = 0; i < s.ndim; i++) count *= s.dim[i];
    uint8_t *to = HAS(0) ? situ_onnx_give_host(c, 0, SITU_I64, 0, NULL) : NULL;
    if (to) memcpy(to, &count, 8);
    return to != NULL;
}

SITU_ONNX_BODY(none)
{
    (void)site;
    return situ_onnx_refuse(c, SITU_BAD_FORMAT, "its input is missing");
}

/* The shape requested by Reshape; false with an error. */
static bool wanted_shape(situ_onnx_call *c, situ_shape from, situ_shape *to)
{
    int n = situ_onnx_numbers(c, 1, "shape", to->dim, SITU_MAX_DIMS);
    if (n < 0) situ_onnx_refuse(c, SITU_BAD_FORMAT, "it has no shape");
    to->ndim = n < 0 ? 0 : n;
    bool zero = situ_onnx_int(c, "allowzero", 0) != 0;
    for (int i = 0; i < n && !zero; i++)
        if (!to->dim[i] && i < from.ndim) to->dim[i] = from.dim[i];
    int64_t rest = 1, all = 1;
    int open = -1;
    for (int i = 0; i < from.ndim; i++) all *= from.dim[i];
    for (int i = 0; i < n; i++)
        if (to->dim[i] == -1) open = i;
        else if (__builtin_mul_overflow(rest, to->dim[i], &rest))
            return situ_onnx_refuse(c, SITU_BAD_SHAPE, "its shape is too large"), false;
    if (open >= 0 && rest > 0) to->dim[open] = all / rest;
    return !situ_error_code;
}

/* Gives input 0, if it is on the host, another shape; false otherwise. */
static bool host_as(situ_onnx_call *c, int ndim, const int64_t *dim)
{
    const situ_onnx_host *h = situ_onnx_there(c, 0);
    situ_onnx_host *other = h && situ_shape_count(ndim, dim) == h->count ? situ_arena_alloc(&c->run->arena, sizeof *other) : NULL;
    if (!other) return false;
    *other = *h;
    other->ndim = ndim;
    memcpy(other->dim, dim, 8 * (size_t)ndim);
    situ_onnx_give_value(c, 0, &(situ_onnx_value){.host = other});
    return true;
}

SITU_ONNX_BODY(reshape)
{
    situ_shape to = {.ndim = 0};
    return wanted_shape(c, situ_onnx_shape(c, 0), &to) ? situ_reshape(IN(0), to) : situ_poisoned();
}
static bool host_reshape(situ_onnx_call *c)
{
    situ_shape to = {.ndim = 0};
    return wanted_shape(c, situ_onnx_shape(c, 0), &to) && host_as(c, (int)to.ndim, to.dim);
}

SITU_ONNX_BODY(flatten)
{
    situ_tensor *x = IN(0);
    int64_t axis = situ_onnx_int(c, "axis", 1), rows = 1, columns = 1;
    int ndim = situ_ndim(x);
    if (axis < 0) axis += ndim;
    for (int i = 0; i < ndim; i++) *(i < axis ? &rows : &columns) *= situ_dim(x, i);
    return situ_reshape(x, SHAPE(rows, columns));
}

/* Marks the axes that Unsqueeze adds, or that Squeeze removes. */
static bool marked(situ_onnx_call *c, int ndim, bool *mark)
{
    int64_t axis[SITU_MAX_DIMS];
    int n = situ_onnx_numbers(c, 1, "axes", axis, SITU_MAX_DIMS);
    memset(mark, 0, SITU_MAX_DIMS);
    for (int i = 0; i < n; i++) {
        if (!is_axis(axis[i], ndim) || ndim > SITU_MAX_DIMS)
            return situ_onnx_refuse(c, SITU_BAD_SHAPE, "there is no axis %lld of %d", (long long)axis[i], ndim), false;
        mark[axis[i] < 0 ? axis[i] + ndim : axis[i]] = true;
    }
    return n >= 0 && !situ_error_code;
}

static int squeezed(situ_onnx_call *c, int64_t *dim)
{
    situ_shape s = situ_onnx_shape(c, 0);
    bool mark[SITU_MAX_DIMS], some = marked(c, (int)s.ndim, mark);
    int ndim = 0;
    for (int i = 0; i < s.ndim; i++)
        if (some ? !mark[i] : s.dim[i] != 1) dim[ndim++] = s.dim[i];
    return ndim;
}
static int unsqueezed(situ_onnx_call *c, int64_t *dim)
{
    situ_shape s = situ_onnx_shape(c, 0);
    int64_t axis[SITU_MAX_DIMS];
    bool mark[SITU_MAX_DIMS];
    int n = situ_onnx_numbers(c, 1, "axes", axis, SITU_MAX_DIMS), ndim = (int)s.ndim + (n < 0 ? 0 : n);
    if (!marked(c, ndim, mark)) return 0;
    for (int i = 0, k = 0; i < ndim; i++) dim[i] = mark[i] || k >= s.ndim ? 1 : s.dim[k++];
    return ndim;
}
SITU_ONNX_BODY(squeeze)
{
    situ_shape s = {.ndim = 0};
    s.ndim = squeezed(c, s.dim);
    return situ_error_code ? situ_poisoned() : situ_reshape(IN(0), s);
}
SITU_ONNX_BODY(unsqueeze)
{
    situ_shape s = {.ndim = 0};
    s.ndim = unsqueezed(c, s.dim);
    return situ_error_code ? situ_poisoned() : situ_reshape(IN(0), s);
}
static bool host_squeeze(situ_onnx_call *c)
{
    int64_t dim[SITU_MAX_DIMS];
    int ndim = squeezed(c, dim);
    return !situ_error_code && host_as(c, ndim, dim);
}
static bool host_unsqueeze(situ_onnx_call *c)
{
    int64_t dim[SITU_MAX_DIMS];
    int ndim = unsqueezed(c, dim);
    return !situ_error_code && host_as(c, ndim, dim);
}

/* ---- views ---------------------------------------------------------------------------------------------------------------- */

SITU_ONNX_BODY(transpose)
{
    situ_tensor *x = IN(0);
    situ_axes axes = situ_onnx_axes(c, -1, "perm");
    if (!axes.given)
        for (axes.given = 1; axes.count < situ_ndim(x); axes.count++) axes.axis[axes.count] = situ_ndim(x) - 1 - axes.count;
    return axes.count ? situ_permute(x, axes) : x;
}

SITU_ONNX_BODY(expand)
{
    situ_tensor *x = IN(0);
    situ_shape s = {.ndim = 0};
    int n = situ_onnx_numbers(c, 1, NULL, s.dim, SITU_MAX_DIMS), m = situ_ndim(x);
    situ_shape to = {.ndim = n > m ? n : m};
    for (int i = 0; i < to.ndim; i++) {
        int64_t a = i < n ? s.dim[n - 1 - i] : 1, b = i < m ? situ_dim(x, m - 1 - i) : 1;
        to.dim[to.ndim - 1 - i] = a == 1 ? b : a;
    }
    return situ_error_code ? situ_poisoned() : situ_broadcast_to(x, to);
}

/* Before opset 6: tiles along one axis; both numbers are inputs. */
static situ_tensor *tile_along(situ_onnx_call *c, situ_site site)
{
    int64_t times, axis;
    situ_tensor *x = IN(0);
    int n = situ_onnx_numbers(c, 1, NULL, &times, 1), m = situ_onnx_numbers(c, 2, NULL, &axis, 1), ndim = situ_ndim(x);
    if (n != 1 || m != 1 || situ_error_code || !is_axis(axis, ndim) || times < 0)
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "there is no such axis or number of tiles");
    situ_shape s = {.ndim = ndim};
    for (int i = 0; i < ndim; i++) s.dim[i] = i == (axis < 0 ? axis + ndim : axis) ? times : 1;
    return situ_tile(x, s);
}

SITU_ONNX_BODY(tile)
{
    situ_shape s = {.ndim = 0};
    if (c->opset < 6) return tile_along(c, site);
    s.ndim = situ_onnx_numbers(c, 1, NULL, s.dim, SITU_MAX_DIMS);
    return s.ndim <= 0 || situ_error_code ? IN(0) : situ_tile(IN(0), s);
}

SITU_ONNX_BODY(concat)
{
    situ_tensor *part[MOST_PARTS];
    int count = 0;
    for (int i = 0; i < c->node->ins && count < MOST_PARTS; i++)
        if (HAS(i)) part[count++] = IN(i);
    if (!count || c->node->ins > MOST_PARTS) return situ_onnx_refuse(c, SITU_UNSUPPORTED, "it has %d parts", c->node->ins);
    return situ_concat(TENSORS_OF(part, count), .axis = (int32_t)situ_onnx_int(c, "axis", 1));
}
static bool host_concat(situ_onnx_call *c)
{
    int64_t count = 0;
    const situ_onnx_host *h;
    situ_dtype dtype = SITU_BOOL;
    for (int i = 0; i < c->node->ins; i++) {
        if (!(h = situ_onnx_few(c, i)) || h->ndim != 1 || (i && h->dtype != dtype)) return false;
        dtype = h->dtype;
        count += h->count;
    }
    uint8_t *to = count && count <= SITU_ONNX_HOST_MOST ? situ_onnx_give_host(c, 0, dtype, 1, &count) : NULL;
    for (int i = 0; to && i < c->node->ins; i++) {
        h = situ_onnx_there(c, i);
        memcpy(to, h->data, (size_t)h->count * situ_dtype_size(dtype));
        to += (size_t)h->count * situ_dtype_size(dtype);
    }
    return to != NULL;
}

/* ---- slices --------------------------------------------------------------------------------------------------------------- */

typedef struct cut {
    int64_t start[SITU_MAX_DIMS], count[SITU_MAX_DIMS], step[SITU_MAX_DIMS];
} cut;

/* Reads the ranges that Slice takes. */
static bool take_cut(situ_onnx_call *c, situ_shape s, cut *k)
{
    int64_t start[SITU_MAX_DIMS], end[SITU_MAX_DIMS], axis[SITU_MAX_DIMS], step[SITU_MAX_DIMS];
    int n = situ_onnx_numbers(c, 1, "starts", start, SITU_MAX_DIMS), m = situ_onnx_numbers(c, 2, "ends", end, SITU_MAX_DIMS);
    int axes = situ_onnx_numbers(c, 3, "axes", axis, SITU_MAX_DIMS), steps = situ_onnx_numbers(c, 4, NULL, step, SITU_MAX_DIMS);
    if (situ_error_code) return false;
    if (n < 0 || m != n || (axes >= 0 && axes != n) || (steps >= 0 && steps != n))
        return situ_onnx_refuse(c, SITU_BAD_FORMAT, "starts, ends, axes and steps differ in number"), false;
    for (int i = 0; i < s.ndim; i++) k->start[i] = 0, k->count[i] = s.dim[i], k->step[i] = 1;
    for (int i = 0; i < n; i++) {
        int64_t a = axes < 0 ? i : axis[i], by = steps < 0 ? 1 : step[i];
        if (!is_axis(a, (int)s.ndim) || !by || by == INT64_MIN)
            return situ_onnx_refuse(c, SITU_BAD_SHAPE, "no such axis or step"), false;
        if (a < 0) a += s.ndim;
        int64_t size = s.dim[a], low = by < 0 ? -1 : 0, high = by < 0 ? size - 1 : size;
        int64_t from = clamp(start[i] < 0 ? start[i] + size : start[i], by < 0 ? low + 1 : low, high);
        int64_t to = clamp(end[i] < 0 ? (end[i] < -size - 1 ? -size - 1 : end[i]) + size : end[i], low, high + (by < 0));
        if (by < 0 && end[i] < -size) to = -1;
        if (by < 0 && size == 0) from = -1, to = -1;
        k->start[a] = from;
        k->step[a] = by;
        k->count[a] = by > 0 ? (to > from ? (to - from - 1) / by + 1 : 0) : (from > to ? (from - to - 1) / -by + 1 : 0);
    }
    return true;
}

SITU_ONNX_BODY(slice)
{
    cut k;
    situ_tensor *x = IN(0);
    situ_shape s = situ_shape_of(x), start = {.ndim = s.ndim}, stop = start, step = start;
    if (!take_cut(c, s, &k)) return situ_poisoned();
    for (int i = 0; i < s.ndim; i++) {
        int64_t by = k.step[i], behind = k.start[i] + (k.count[i] ? (k.count[i] - 1) * by + (by > 0 ? 1 : -1) : 0);
        start.dim[i] = k.count[i] ? k.start[i] : 0;
        stop.dim[i] = !k.count[i] ? 0 : behind < 0 ? SITU_FULL : behind;
        step.dim[i] = k.count[i] ? by : 1;
    }
    return s.ndim ? situ_slice(x, .start = start, .stop = stop, .step = step) : x;
}
static bool host_slice(situ_onnx_call *c)
{
    cut k;
    const situ_onnx_host *h = situ_onnx_few(c, 0);
    if (!h || h->ndim != 1 || !take_cut(c, situ_onnx_shape(c, 0), &k)) return false;
    size_t size = situ_dtype_size(h->dtype);
    uint8_t *to = situ_onnx_give_host(c, 0, h->dtype, 1, k.count);
    for (int64_t i = 0; to && i < k.count[0]; i++, to += size)
        memcpy(to, h->data + (size_t)(k.start[0] + i * k.step[0]) * size, size);
    return to != NULL;
}

/* Writes the sizes of Split's parts; returns how many, 0 with an error. */
static int part_sizes(situ_onnx_call *c, int64_t length, int64_t *size)
{
    int n = situ_onnx_numbers(c, 1, "split", size, MOST_PARTS), parts = (int)situ_onnx_int(c, "num_outputs", c->node->outs);
    if (n < 1) { /* the file gives no sizes */
        n = parts;
        if (n < 1 || n > MOST_PARTS) return situ_onnx_refuse(c, SITU_BAD_FORMAT, "it has %d parts", n), 0;
        int64_t each = (length + n - 1) / n;
        for (int i = 0; i < n; i++) size[i] = clamp(length - i * each, 0, each);
    }
    int64_t sum = 0;
    for (int i = 0; i < n; i++) sum += size[i] < 0 || size[i] > length ? length + 1 : size[i];
    if (sum == length && n >= c->node->outs) return n;
    return situ_onnx_refuse(c, SITU_BAD_SHAPE, "its parts do not make up an axis of %lld", (long long)length), 0;
}

SITU_ONNX_BODY(split)
{
    situ_tensor *x = IN(0);
    int64_t size[MOST_PARTS], axis = situ_onnx_int(c, "axis", 0);
    situ_shape s = situ_shape_of(x), start = {.ndim = s.ndim}, stop = {.ndim = s.ndim};
    if (!is_axis(axis, (int)s.ndim)) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "there is no axis %lld", (long long)axis);
    if (axis < 0) axis += s.ndim;
    int n = part_sizes(c, s.dim[axis], size);
    for (int i = 0; i < s.ndim; i++) stop.dim[i] = s.dim[i];
    stop.dim[axis] = 0;
    for (int i = 0; i < n && !situ_error_code; i++) {
        start.dim[axis] = stop.dim[axis];
        stop.dim[axis] += size[i];
        situ_onnx_give(c, i, situ_slice(x, .start = start, .stop = stop));
    }
    return situ_error_code ? situ_poisoned() : NULL;
}

/* ---- padding -------------------------------------------------------------------------------------------------------------- */

/* Crops by negative pads, and sets them to 0. */
static situ_tensor *cropped(situ_tensor *x, situ_shape *before, situ_shape *after, situ_site site)
{
    situ_shape s = situ_shape_of(x), start = {.ndim = s.ndim}, stop = s;
    bool some = false;
    for (int i = 0; i < s.ndim; i++) {
        if (before->dim[i] < 0) start.dim[i] = -before->dim[i], before->dim[i] = 0, some = true;
        if (after->dim[i] < 0) stop.dim[i] += after->dim[i], after->dim[i] = 0, some = true;
        if (stop.dim[i] < start.dim[i]) stop.dim[i] = start.dim[i];
    }
    return some ? situ_slice(x, .start = start, .stop = stop) : x;
}

SITU_ONNX_BODY(pad)
{
    situ_tensor *x = IN(0);
    int64_t width[2 * SITU_MAX_DIMS], axis[SITU_MAX_DIMS];
    int ndim = situ_ndim(x), n = situ_onnx_numbers(c, 1, c->opset < 2 ? "paddings" : "pads", width, 2 * SITU_MAX_DIMS);
    int axes = situ_onnx_numbers(c, 3, NULL, axis, SITU_MAX_DIMS);
    const char *mode = situ_onnx_one_of(c, "mode", "constant, reflect, edge, wrap");
    const situ_onnx_host *h = HAS(2) ? situ_onnx_read(c, 2) : NULL;
    double value = h && h->count ? situ_onnx_host_float(h, 0) : situ_onnx_float(c, "value", 0);
    situ_shape before = {.ndim = ndim}, after = {.ndim = ndim};
    if (n != 2 * (axes < 0 ? ndim : axes)) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it has %d widths", n);
    for (int i = 0; i < n / 2; i++) {
        int64_t a = axes < 0 ? i : axis[i];
        if (!is_axis(a, ndim)) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "there is no axis %lld", (long long)a);
        if (a < 0) a += ndim;
        before.dim[a] = width[i];
        after.dim[a] = width[n / 2 + i];
    }
    x = cropped(x, &before, &after, site);
    if (!ndim) return x;
    if (!strcmp(mode, "constant")) return situ_pad(x, before, after, .value = value);
    situ_pad_mode how = !strcmp(mode, "reflect") ? SITU_PAD_REFLECT : !strcmp(mode, "edge") ? SITU_PAD_EDGE : SITU_PAD_CIRCULAR;
    return situ_pad(x, before, after, .mode = how);
}

SITU_ONNX_BODY(center_crop_pad)
{
    situ_tensor *x = IN(0);
    int64_t size[SITU_MAX_DIMS], axis[SITU_MAX_DIMS];
    int ndim = situ_ndim(x), n = situ_onnx_numbers(c, 1, NULL, size, SITU_MAX_DIMS);
    int axes = situ_onnx_ints(c, "axes", axis, SITU_MAX_DIMS);
    situ_shape s = situ_shape_of(x), before = {.ndim = ndim}, after = before;
    if (situ_error_code || n != (axes < 0 ? ndim : axes)) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it has %d sizes", n);
    for (int i = 0; i < n; i++) {
        int64_t a = axes < 0 ? i : axis[i];
        if (!is_axis(a, ndim) || size[i] < 0) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "there is no such axis or size");
        if (a < 0) a += ndim;
        int64_t more = size[i] - s.dim[a];
        before.dim[a] = more / 2;
        after.dim[a] = more - more / 2;
    }
    x = cropped(x, &before, &after, site);
    return situ_pad(x, before, after);
}

/* ---- blocks, triangles, ranges -------------------------------------------------------------------------------------------- */

SITU_ONNX_BODY(depth_to_space)
{
    situ_tensor *x = IN(0);
    int64_t b = situ_onnx_int(c, "blocksize", 1);
    situ_shape s = situ_shape_of(x);
    if (s.ndim != 4 || b < 1) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it takes [n, channels, height, width]");
    int64_t n = s.dim[0], d = s.dim[1] / (b * b), h = s.dim[2], w = s.dim[3];
    if (situ_onnx_is(c, "mode", "CRD", "DCR, CRD"))
        x = situ_permute(situ_reshape(x, SHAPE(n, d, b, b, h, w)), AXES(0, 1, 4, 2, 5, 3));
    else x = situ_permute(situ_reshape(x, SHAPE(n, b, b, d, h, w)), AXES(0, 3, 4, 1, 5, 2));
    return situ_reshape(x, SHAPE(n, d, h * b, w * b));
}
SITU_ONNX_BODY(space_to_depth)
{
    situ_tensor *x = IN(0);
    int64_t b = situ_onnx_int(c, "blocksize", 1);
    situ_shape s = situ_shape_of(x);
    if (s.ndim != 4 || b < 1) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it takes [n, channels, height, width]");
    int64_t n = s.dim[0], d = s.dim[1], h = s.dim[2] / b, w = s.dim[3] / b;
    x = situ_reshape(x, SHAPE(n, d, h, b, w, b));
    x = situ_onnx_is(c, "mode", "CRD", "DCR, CRD") ? situ_permute(x, AXES(0, 1, 3, 5, 2, 4)) :
                                                     situ_permute(x, AXES(0, 3, 5, 1, 2, 4));
    return situ_reshape(x, SHAPE(n, d * b * b, h, w));
}

SITU_ONNX_BODY(trilu)
{
    const situ_onnx_host *h = HAS(1) ? situ_onnx_read(c, 1) : NULL;
    int64_t k = h && h->count ? situ_onnx_host_int(h, 0) : 0;
    situ_tensor *x = IN(0);
    return situ_onnx_int(c, "upper", 1) ? situ_triu(x, k) : situ_tril(x, k);
}

SITU_ONNX_BODY(eye_like)
{
    situ_tensor *x = IN(0);
    int64_t number = situ_onnx_int(c, "dtype", 0);
    return situ_eye(situ_dim(x, 0), .columns = situ_dim(x, 1), .diagonal = situ_onnx_int(c, "k", 0),
        .dtype = number ? situ_onnx_dtype(number) : situ_dtype_of(x), .device = situ_device_of(x));
}

static const situ_onnx_host *fill_of(const situ_onnx_call *c)
{
    const situ_onnx_attribute *a = situ_onnx_attr(c, "value");
    return a ? a->t : NULL;
}
SITU_ONNX_BODY(constant_of_shape)
{
    situ_shape s = {.ndim = 0};
    const situ_onnx_host *h = fill_of(c);
    int n = situ_onnx_numbers(c, 0, NULL, s.dim, SITU_MAX_DIMS);
    s.ndim = n < 0 ? 0 : n;
    if (situ_error_code) return situ_poisoned();
    if (!h) return situ_zeros(s, .device = situ_device_of(c->run->x));
    situ_onnx_host one = *h;
    one.ndim = 0;
    return situ_broadcast_to(situ_onnx_tensor_of(c, &one), s);
}
static bool host_constant_of_shape(situ_onnx_call *c)
{
    const situ_onnx_host *h = situ_onnx_few(c, 0), *v = fill_of(c);
    int64_t count = h && h->count == 1 ? situ_onnx_host_int(h, 0) : -1;
    if (!v || v->count != 1 || count < 0 || count > SITU_ONNX_HOST_MOST || situ_dtype_is_float(v->dtype)) return false;
    size_t size = situ_dtype_size(v->dtype);
    uint8_t *to = situ_onnx_give_host(c, 0, v->dtype, 1, &count);
    for (int64_t i = 0; to && i < count; i++) memcpy(to + (size_t)i * size, v->data, size);
    return to != NULL;
}

SITU_ONNX_BODY(range)
{
    const situ_onnx_host *a = situ_onnx_read(c, 0), *b = situ_onnx_read(c, 1), *s = situ_onnx_read(c, 2);
    if (!a || !b || !s || !a->count || !b->count || !s->count) return situ_onnx_refuse(c, SITU_BAD_FORMAT, "a number is missing");
    situ_device d = situ_device_of(c->run->x);
    if (situ_dtype_is_float(a->dtype))
        return situ_arange(
            situ_onnx_host_float(a, 0), situ_onnx_host_float(b, 0), situ_onnx_host_float(s, 0), .dtype = a->dtype, .device = d);
    return situ_arange(
        situ_onnx_host_int(a, 0), situ_onnx_host_int(b, 0), situ_onnx_host_int(s, 0), .dtype = a->dtype, .device = d);
}
static bool host_range(situ_onnx_call *c)
{
    const situ_onnx_host *a = situ_onnx_few(c, 0), *b = situ_onnx_few(c, 1), *s = situ_onnx_few(c, 2);
    if (!a || !b || !s || a->count != 1 || b->count != 1 || s->count != 1 || situ_dtype_is_float(a->dtype)) return false;
    int64_t from = situ_onnx_host_int(a, 0), to = situ_onnx_host_int(b, 0), by = situ_onnx_host_int(s, 0), count = 0;
    if (by <= 0 || from < INT32_MIN || to > INT32_MAX) return false;
    if (to > from) count = (to - from + by - 1) / by;
    uint8_t *out = count <= SITU_ONNX_HOST_MOST ? situ_onnx_give_host(c, 0, a->dtype, 1, &count) : NULL;
    for (int64_t i = 0; out && i < count; i++, out += situ_dtype_size(a->dtype)) situ_element_set_i64(a->dtype, out, from + i * by);
    return out != NULL;
}

SITU_ONNX_BODY(reverse_sequence)
{
    situ_tensor *x = IN(0), *lengths = IN(1);
    int time = (int)situ_onnx_int(c, "time_axis", 0), batch = (int)situ_onnx_int(c, "batch_axis", 1);
    if (situ_error_code || situ_ndim(x) < 2) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it takes at least two axes");
    if (!is_axis(time, situ_ndim(x)) || !is_axis(batch, situ_ndim(x)))
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "there is no axis %d or %d", time, batch);
    if (time < 0) time += situ_ndim(x);
    if (batch < 0) batch += situ_ndim(x);
    if (time == batch) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "its time_axis and batch_axis are one");
    int64_t n = situ_dim(x, time);
    situ_tensor *step = situ_reshape(situ_arange(0, n, 1, .device = situ_device_of(x)), SHAPE(n, 1));
    situ_tensor *many = situ_cast(situ_reshape(lengths, SHAPE(1, -1)), SITU_I64);
    situ_tensor *at = situ_where(situ_less(step, many), situ_sub(situ_sub(many, 1), step), step);
    if (batch < time) at = situ_transpose(at);
    situ_shape s = situ_shape_of(x), line = {.ndim = s.ndim};
    for (int i = 0; i < s.ndim; i++) line.dim[i] = i == time || i == batch ? s.dim[i] : 1;
    return situ_gather(x, situ_broadcast_to(situ_reshape(at, line), s), .axis = time);
}

#define ROW(onnx, f, h, r) \
    { \
        .name = onnx, .body = (f), .host = (h), .read = (r) \
    }
const situ_onnx_op situ_onnx_shape_ops[] = {ROW("Shape", none, host_shape, 0), ROW("Size", none, host_size, 0),
    ROW("Reshape", reshape, host_reshape, 2), ROW("Flatten", flatten, NULL, 0), ROW("Squeeze", squeeze, host_squeeze, 2),
    ROW("Unsqueeze", unsqueeze, host_unsqueeze, 2), ROW("Transpose", transpose, NULL, 0), ROW("Expand", expand, NULL, 2),
    ROW("Tile", tile, NULL, 6), ROW("Concat", concat, host_concat, 0), ROW("Slice", slice, host_slice, 30),
    ROW("Split", split, NULL, 2), ROW("Pad", pad, NULL, 14), ROW("CenterCropPad", center_crop_pad, NULL, 2),
    ROW("DepthToSpace", depth_to_space, NULL, 0), ROW("SpaceToDepth", space_to_depth, NULL, 0), ROW("Trilu", trilu, NULL, 2),
    ROW("EyeLike", eye_like, NULL, 0), ROW("ConstantOfShape", constant_of_shape, host_constant_of_shape, 1),
    ROW("Range", range, host_range, 7), ROW("ReverseSequence", reverse_sequence, NULL, 0), {0}};
