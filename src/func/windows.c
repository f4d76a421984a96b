/* Convolutions over three axes, transposed convolutions, and windows as columns, composed of convolutions over two
 * axes and slices. */
#include <situ/network.h>

#include "base/memory.h"
#include "op/conv.h"
#include "op/support.h"
#include "op/table.h"
#include "op/view.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* ---- windows along one axis ---------------------------------------------------------------------------------------------- */

/* Replaces the axis by two: position in the window, window. */
static situ_tensor *spread(situ_tensor *x, int axis, const situ_window *w, int i, situ_site site)
{
    int64_t n = situ_window_positions(w, i, x->dim[axis]), start[SITU_MAX_DIMS] = {0}, size[SITU_MAX_DIMS], step[SITU_MAX_DIMS];
    if (w->padding[i] || w->more[i]) {
        situ_shape before = {.ndim = x->ndim}, after = before;
        before.dim[axis] = w->padding[i];
        after.dim[axis] = w->padding[i] + w->more[i];
        x = situ_pad(x, before, after);
    }
    if (situ_error_code) return situ_poisoned();
    for (int k = 0; k < x->ndim; k++) size[k] = x->dim[k], step[k] = 1;
    size[axis] = n;
    step[axis] = w->stride[i];
    situ_tensor **part = situ_calloc((size_t)w->size[i], sizeof *part), *y;
    if (!part) return situ_refused(SITU_NO_MEMORY, site, "no host memory for a window");
    for (int64_t t = 0; t < w->size[i]; t++) {
        start[axis] = t * w->dilation[i];
        part[t] = situ_slice_at(x, start, size, step, site);
    }
    y = situ_stack(TENSORS_OF(part, (int)w->size[i]), .axis = axis);
    situ_free(part);
    return y;
}

/* The inverse: adds windows up at their positions in an axis of `image` elements, without the padding. */
static situ_tensor *gather_windows(situ_tensor *x, int axis, int64_t image, const situ_window *w, int i, situ_site site)
{
    int64_t start[SITU_MAX_DIMS] = {0}, step[SITU_MAX_DIMS];
    situ_shape shape = {.ndim = x->ndim - 1};
    for (int k = 0; k < shape.ndim; k++) shape.dim[k] = x->dim[k + (k >= axis)], step[k] = 1;
    shape.dim[axis] = image + 2 * w->padding[i];
    step[axis] = w->stride[i];
    situ_tensor *y = NULL;
    for (int64_t t = 0; t < w->size[i] && !situ_error_code; t++) {
        start[axis] = t * w->dilation[i];
        situ_tensor *part = situ_place_at(situ_select(x, axis, t), shape, start, step, situ_scalar_int(0), site);
        y = y ? situ_add(y, part) : part;
    }
    if (!w->padding[i] || situ_error_code) return y ? y : situ_poisoned();
    start[axis] = w->padding[i];
    shape.dim[axis] = image;
    return situ_slice_at(y, start, shape.dim, NULL, site);
}

/* ---- convolutions -------------------------------------------------------------------------------------------------------- */

/* x [n, channels, depth, ...]: moves the depth into the batch. */
static situ_tensor *depth_to_batch(situ_tensor *x, situ_site site)
{
    x = situ_moveaxis(x, 2, 1);
    return situ_reshape(x, SHAPE(x->dim[0] * x->dim[1], x->dim[2], x->dim[3], x->dim[4]));
}

/* One convolution over two axes, with the taps along the depth as additional channels. */
situ_tensor *(situ_conv3d)(situ_tensor *x, situ_tensor *w, const situ_conv_options *options, situ_site site)
{
    SITU_SPEAK("conv3d", site);
    situ_window k = {.n = 3};
    int64_t groups;
    if (!situ_take_conv(x, w, options, &k, &groups, "conv3d", site)) return situ_poisoned();
    int64_t n = x->dim[0], channels = x->dim[1], out = w->dim[0];
    situ_tensor *taps = spread(x, 2, &k, 0, site); /* [n, channels, taps, depth, height, width] */
    if (situ_error_code) return situ_poisoned();
    int64_t depth = taps->dim[3];
    taps = situ_reshape(situ_moveaxis(taps, 3, 1), SHAPE(n * depth, channels * k.size[0], x->dim[3], x->dim[4]));
    situ_tensor *kernel = situ_reshape(w, SHAPE(out, w->dim[1] * k.size[0], k.size[1], k.size[2]));
    situ_shape padding = SHAPE(k.more[1] ? SITU_SAME : k.padding[1], k.more[2] ? SITU_SAME : k.padding[2]);
    situ_tensor *y = situ_conv2d(taps, kernel, .stride = SHAPE(k.stride[1], k.stride[2]), .padding = padding,
        .dilation = SHAPE(k.dilation[1], k.dilation[2]), .groups = groups);
    if (situ_error_code) return situ_poisoned();
    return situ_moveaxis(situ_reshape(y, SHAPE(n, depth, out, y->dim[2], y->dim[3])), 1, 2);
}

/* The gradient of a convolution over the last two axes (or the only one) by its image. */
static situ_tensor *transposed2d(
    situ_tensor *x, situ_tensor *w, const situ_window *k, int64_t groups, const int64_t *size, situ_site site)
{
    situ_dtype dtype = situ_dtype_promote((situ_dtype)x->dtype, (situ_dtype)w->dtype);
    situ_conv_attr a = situ_conv_attr_of(k, groups);
    int64_t size_of[2] = {a.size[0], a.size[1]};
    for (int to = 1, from = k->n - 1; to >= 0 && from >= 0; to--, from--) size_of[to] = size[from];
    const situ_op *op = situ_dtype_compute(dtype) == dtype ? &situ_op_conv2d_input : &situ_op_conv2d_half_input;
    return situ_conv_apply(op, situ_cast(x, dtype), situ_cast(w, dtype), &a, size_of, site);
}

static situ_tensor *transposed3d(
    situ_tensor *x, situ_tensor *w, const situ_window *k, int64_t groups, const int64_t *size, situ_site site)
{
    int64_t n = x->dim[0], depth = x->dim[2], out = w->dim[1] * groups;
    situ_tensor *kernel = situ_reshape(w, SHAPE(w->dim[0], w->dim[1] * k->size[0], k->size[1], k->size[2]));
    situ_tensor *y = transposed2d(depth_to_batch(x, site), kernel, k, groups, size, site);
    y = situ_permute(situ_reshape(y, SHAPE(n, depth, out, k->size[0], size[1], size[2])), AXES(0, 2, 3, 1, 4, 5));
    return situ_error_code ? situ_poisoned() : gather_windows(y, 2, size[0], k, 0, site);
}

static situ_tensor *transposed(
    situ_tensor *x, situ_tensor *w, int n, const situ_conv_transpose_options *options, const char *name, situ_site site)
{
    char a[SITU_BRIEF_TEXT];
    situ_conv_transpose_options o = {SITU_DEFAULTS(SITU_CONV_TRANSPOSE_DEFAULTS)};
    situ_window k = {.n = n};
    int64_t size[SITU_WINDOW_AXES], extra[SITU_WINDOW_AXES];
    if (!situ_together((situ_tensor *[]){x, w}, 2, name, "x, w", site) || !SITU_TAKE_OPTIONS(o, options, name, site) ||
        !situ_take_window(&k, o.stride, o.padding, o.dilation, name, site) ||
        !situ_take_each(o.output_padding, n, 0, NULL, extra, SITU_SAY(".output_padding", "output_padding"), name, site) ||
        !situ_conv_fits(x, w, n, o.groups, true, name, site))
        return situ_poisoned();
    for (int i = 0; i < n; i++) {
        if (extra[i] >= k.stride[i])
            return situ_refused(SITU_BAD_OPTION, site,
                "%s: " SITU_SAY(".output_padding", "output_padding") " = %lld is not less than the stride, %lld", name,
                (long long)extra[i], (long long)k.stride[i]);
        k.size[i] = w->dim[2 + i];
        size[i] = (x->dim[2 + i] - 1) * k.stride[i] - 2 * k.padding[i] + k.dilation[i] * (k.size[i] - 1) + extra[i] + 1;
        if (!x->dim[2 + i] || !k.size[i] || size[i] <= 0)
            return situ_refused(SITU_BAD_SHAPE, site,
                "%s: axis %d of x %s with a kernel of %lld would have %lld elements; less " SITU_SAY(
                    ".padding", "padding") " leaves some",
                name, 2 + i, situ_brief(x, a), (long long)k.size[i], (long long)size[i]);
    }
    if (n == 3) return transposed3d(x, w, &k, o.groups, size, site);
    if (n == 2) return transposed2d(x, w, &k, o.groups, size, site);
    return situ_squeeze(transposed2d(situ_expand_dims(x, 2), situ_expand_dims(w, 2), &k, o.groups, size, site), .axes = AXES(2));
}

#define TRANSPOSED(n) \
    situ_tensor *(situ_conv_transpose##n##d)( \
        situ_tensor * x, situ_tensor * w, const situ_conv_transpose_options *options, situ_site site) \
    { \
        SITU_SPEAK("conv_transpose" #n "d", site); \
        return transposed(x, w, n, options, "conv_transpose" #n "d", site); \
    }
TRANSPOSED(1)
TRANSPOSED(2)
TRANSPOSED(3)

/* ---- windows as columns -------------------------------------------------------------------------------------------------- */

static bool take_columns(
    situ_tensor *x, situ_shape size, const situ_window_options *options, situ_window *w, const char *operation, situ_site site)
{
    situ_window_options o = {SITU_DEFAULTS(SITU_WINDOW_DEFAULTS)};
    return situ_usable(&x, 1, operation, site) && SITU_TAKE_OPTIONS(o, options, operation, site) &&
        situ_take_each(size, 2, 1, NULL, w->size, "the size of windows", operation, site) &&
        situ_take_window(w, o.stride, o.padding, o.dilation, operation, site);
}

situ_tensor *(situ_unfold)(situ_tensor *x, situ_shape size, const situ_window_options *options, situ_site site)
{
    SITU_SPEAK("unfold", site);
    char a[SITU_BRIEF_TEXT];
    situ_window w = {.n = 2};
    if (!take_columns(x, size, options, &w, "unfold", site)) return situ_poisoned();
    if (situ_is_number(x) || x->ndim != 4)
        return situ_refused(SITU_BAD_SHAPE, site, "unfold: x must be [n, channels, height, width], not %s", situ_brief(x, a));
    if (!situ_window_positions(&w, 0, x->dim[2]) || !situ_window_positions(&w, 1, x->dim[3]))
        return situ_refused(SITU_BAD_SHAPE, site,
            "unfold: a window of %lld x %lld, dilated by %lld x %lld, does not fit into x %s; more " SITU_SAY(
                ".padding", "padding") " makes room",
            (long long)w.size[0], (long long)w.size[1], (long long)w.dilation[0], (long long)w.dilation[1], situ_brief(x, a));
    situ_tensor *y = spread(spread(x, 3, &w, 1, site), 2, &w, 0, site); /* [n, channels, i, row, j, column] */
    if (situ_error_code) return situ_poisoned();
    int64_t count = y->dim[3] * y->dim[5];
    return situ_reshape(situ_permute(y, AXES(0, 1, 2, 4, 3, 5)), SHAPE(x->dim[0], x->dim[1] * w.size[0] * w.size[1], count));
}

situ_tensor *(situ_fold)(situ_tensor *x, situ_shape image, situ_shape size, const situ_window_options *options, situ_site site)
{
    SITU_SPEAK("fold", site);
    char a[SITU_BRIEF_TEXT];
    situ_window w = {.n = 2};
    int64_t out[2];
    if (!take_columns(x, size, options, &w, "fold", site) || !situ_take_each(image, 2, 1, NULL, out, "the image", "fold", site))
        return situ_poisoned();
    int64_t rows = situ_window_positions(&w, 0, out[0]), columns = situ_window_positions(&w, 1, out[1]),
            area = w.size[0] * w.size[1];
    if (situ_is_number(x) || x->ndim != 3 || x->dim[1] % area || x->dim[2] != rows * columns || !x->dim[2])
        return situ_refused(SITU_BAD_SHAPE, site,
            "fold: x is %s; it must be [n, channels * %lld, %lld]: %lld x %lld windows of %lld x %lld in %lld x %lld",
            situ_brief(x, a), (long long)area, (long long)(rows * columns), (long long)rows, (long long)columns,
            (long long)w.size[0], (long long)w.size[1], (long long)out[0], (long long)out[1]);
    situ_tensor *y = situ_reshape(x, SHAPE(x->dim[0], x->dim[1] / area, w.size[0], w.size[1], rows, columns));
    y = gather_windows(situ_permute(y, AXES(0, 1, 2, 4, 3, 5)), 4, out[1], &w, 1, site);
    return situ_error_code ? situ_poisoned() : gather_windows(y, 2, out[0], &w, 0, site);
}
