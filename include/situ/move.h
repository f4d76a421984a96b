/* The same elements in another shape or order. Most are views: they take no memory where strides can say it.
 *
 *     situ_tensor *t = situ_transpose(situ_reshape(x, SHAPE(2, -1)));
 *     situ_tensor *s = situ_slice(x, .start = SHAPE(0, 1), .step = SHAPE(1, 2));      // x[0:, 1::2]
 *     situ_tensor *c = situ_concat(TENSORS(x, t), .axis = 1);
 *
 * Views are values: assigning to a variable changes no view taken before. Negative axes count from the end.
 */
#ifndef SITU_MOVE_H
#define SITU_MOVE_H

#include <situ/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Several tensors: TENSORS(a, b, c). */
typedef struct situ_list {
    situ_tensor *const *tensor;
    int count;
} situ_list;
#define TENSORS(...) \
    ((situ_list){(situ_tensor *[]){__VA_ARGS__}, (int)(sizeof((situ_tensor *[]){__VA_ARGS__}) / sizeof(situ_tensor *))})

/* In row-major order, with a new shape; one dim may be -1: what is left. */
SITU_API situ_tensor *situ_reshape(situ_tensor *x, situ_shape shape, situ_site site);
/* Axis i of the result is axis axes[i] of x. */
SITU_API situ_tensor *situ_permute(situ_tensor *x, situ_axes axes, situ_site site);
/* The last two axes swapped (transpose and matrix_transpose are one); any two swapped; one moved to another place. */
SITU_API situ_tensor *situ_transpose(situ_tensor *x, situ_site site);
SITU_API situ_tensor *situ_matrix_transpose(situ_tensor *x, situ_site site);
SITU_API situ_tensor *situ_swapaxes(situ_tensor *x, int a, int b, situ_site site);
SITU_API situ_tensor *situ_moveaxis(situ_tensor *x, int from, int to, situ_site site);
/* A new axis of 1 at this place of the result. */
SITU_API situ_tensor *situ_expand_dims(situ_tensor *x, int axis, situ_site site);
/* Repeats axes of 1 (and missing leading axes) without memory until x has this shape; -1 keeps a dim. */
SITU_API situ_tensor *situ_broadcast_to(situ_tensor *x, situ_shape shape, situ_site site);
/* Element i of an axis, which goes away: x[..., i, ...]. */
SITU_API situ_tensor *situ_select(situ_tensor *x, int axis, int64_t i, situ_site site);
/* The diagonal of the last two axes: y[..., i] = x[..., i, i + offset]. */
SITU_API situ_tensor *situ_diagonal(situ_tensor *x, int64_t offset, situ_site site);

typedef struct SITU_BY_NAME situ_axes_options {
    SITU_OPTION_HEAD;
    situ_axes axes;
} situ_axes_options;
#define SITU_AXES_DEFAULTS (.axes = SITU_AXES_UNSET,)
/* Without its axes of 1: all, or those named. */
SITU_API situ_tensor *situ_squeeze(situ_tensor *x, const situ_axes_options *options, situ_site site);
/* In reverse order along all or the named axes. */
SITU_API situ_tensor *situ_flip(situ_tensor *x, const situ_axes_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_slice_options {
    SITU_OPTION_HEAD;
    situ_shape start, stop, step; /* by axis, from the first; missing ones are full; not SHAPE(); one number: x has one axis */
} situ_slice_options;
#define SITU_SLICE_DEFAULTS (.start = SITU_SHAPE_UNSET, .stop = SITU_SHAPE_UNSET, .step = SITU_SHAPE_UNSET,)
/* x[start:stop:step] with Python's rules: negative positions count from the end, positions beyond are clamped, steps
 * may be negative. Where a slice starts is an argument of a plan: moving it makes no new plan. */
SITU_API situ_tensor *situ_slice(situ_tensor *x, const situ_slice_options *options, situ_site site);
/* x with `value` in the place of slice(start, size of value). */
SITU_API situ_tensor *situ_update_slice(situ_tensor *x, situ_tensor *value, situ_shape start, situ_site site);

typedef struct SITU_BY_NAME situ_axis_options {
    SITU_OPTION_HEAD;
    int32_t axis; /* default: the first */
} situ_axis_options;
#define SITU_AXIS_DEFAULTS ()
/* The same where the default is the last one. */
typedef struct SITU_BY_NAME situ_last_axis_options {
    SITU_OPTION_HEAD;
    int32_t axis; /* default: the last */
} situ_last_axis_options;
#define SITU_LAST_AXIS_DEFAULTS (.axis = -1,)
/* One after the other along an axis (default 0); stack makes a new axis. Their dtypes promote. */
SITU_API situ_tensor *situ_concat(situ_list tensors, const situ_axis_options *options, situ_site site);
SITU_API situ_tensor *situ_stack(situ_list tensors, const situ_axis_options *options, situ_site site);
/* Cuts an axis (default 0) into `count` parts, out[0..count-1], as equal as possible, larger ones first. 0 or a code. */
SITU_API int situ_split(situ_tensor *x, int count, situ_tensor **out, const situ_axis_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_roll_options {
    SITU_OPTION_HEAD;
    int32_t axis; /* default: along the flattened tensor */
} situ_roll_options;
#define SITU_ROLL_DEFAULTS (.axis = SITU_ALL_AXES,)
/* y[i] = x[(i - shift) mod n]. */
SITU_API situ_tensor *situ_roll(situ_tensor *x, int64_t shift, const situ_roll_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_pad_options {
    SITU_OPTION_HEAD;
    double value; /* default 0 */
} situ_pad_options;
#define SITU_PAD_DEFAULTS ()
/* `before` and `after` more elements along each axis. */
SITU_API situ_tensor *situ_pad(situ_tensor *x, situ_shape before, situ_shape after, const situ_pad_options *options, situ_site site);
/* x repeated as a whole, counts[i] times along axis i; each element repeated (default: flattened). */
SITU_API situ_tensor *situ_tile(situ_tensor *x, situ_shape counts, situ_site site);
SITU_API situ_tensor *situ_repeat(situ_tensor *x, int64_t count, const situ_roll_options *options, situ_site site);

#ifndef __cplusplus
#define situ_reshape(x, shape) (situ_reshape)(SITU_OPERAND(x), (shape), SITU_HERE)
#define situ_permute(x, axes) (situ_permute)(SITU_OPERAND(x), (axes), SITU_HERE)
#define situ_transpose(x) (situ_transpose)(SITU_OPERAND(x), SITU_HERE)
#define situ_matrix_transpose(x) (situ_matrix_transpose)(SITU_OPERAND(x), SITU_HERE)
#define situ_swapaxes(x, a, b) (situ_swapaxes)(SITU_OPERAND(x), SITU_INTEGER(a), SITU_INTEGER(b), SITU_HERE)
#define situ_moveaxis(x, from, to) (situ_moveaxis)(SITU_OPERAND(x), SITU_INTEGER(from), SITU_INTEGER(to), SITU_HERE)
#define situ_expand_dims(x, axis) (situ_expand_dims)(SITU_OPERAND(x), SITU_INTEGER(axis), SITU_HERE)
#define situ_broadcast_to(x, shape) (situ_broadcast_to)(SITU_OPERAND(x), (shape), SITU_HERE)
#define situ_select(x, axis, i) (situ_select)(SITU_OPERAND(x), SITU_INTEGER(axis), SITU_INTEGER(i), SITU_HERE)
#define situ_diagonal(x, offset) (situ_diagonal)(SITU_OPERAND(x), SITU_INTEGER(offset), SITU_HERE)
#define situ_squeeze(...) situ_squeeze_(__VA_ARGS__, )
#define situ_squeeze_(x, ...) SITU_OPTIONS_(situ_axes_options, SITU_AXES_DEFAULTS, situ_squeeze, (SITU_OPERAND(x)), __VA_ARGS__)
#define situ_flip(...) situ_flip_(__VA_ARGS__, )
#define situ_flip_(x, ...) SITU_OPTIONS_(situ_axes_options, SITU_AXES_DEFAULTS, situ_flip, (SITU_OPERAND(x)), __VA_ARGS__)
#define situ_slice(...) situ_slice_(__VA_ARGS__, )
#define situ_slice_(x, ...) SITU_OPTIONS_(situ_slice_options, SITU_SLICE_DEFAULTS, situ_slice, (SITU_OPERAND(x)), __VA_ARGS__)
#define situ_update_slice(x, value, start) \
    (situ_update_slice)(SITU_OPERAND(x), SITU_OPERAND(value), (start), SITU_HERE)
#define situ_concat(...) situ_concat_(__VA_ARGS__, )
#define situ_concat_(tensors, ...) SITU_OPTIONS_(situ_axis_options, SITU_AXIS_DEFAULTS, situ_concat, ((tensors)), __VA_ARGS__)
#define situ_stack(...) situ_stack_(__VA_ARGS__, )
#define situ_stack_(tensors, ...) SITU_OPTIONS_(situ_axis_options, SITU_AXIS_DEFAULTS, situ_stack, ((tensors)), __VA_ARGS__)
#define situ_split(x, count, ...) situ_split_(x, count, __VA_ARGS__, )
#define situ_split_(x, count, out, ...) \
    SITU_OPTIONS_(situ_axis_options, SITU_AXIS_DEFAULTS, situ_split, (SITU_OPERAND(x), SITU_INTEGER(count), (out)), __VA_ARGS__)
#define situ_roll(x, ...) situ_roll_(x, __VA_ARGS__, )
#define situ_roll_(x, shift, ...) \
    SITU_OPTIONS_(situ_roll_options, SITU_ROLL_DEFAULTS, situ_roll, (SITU_OPERAND(x), SITU_INTEGER(shift)), __VA_ARGS__)
#define situ_pad(x, before, ...) situ_pad_(x, before, __VA_ARGS__, )
#define situ_pad_(x, before, after, ...) \
    SITU_OPTIONS_(situ_pad_options, SITU_PAD_DEFAULTS, situ_pad, (SITU_OPERAND(x), (before), (after)), __VA_ARGS__)
#define situ_tile(x, counts) (situ_tile)(SITU_OPERAND(x), (counts), SITU_HERE)
#define situ_repeat(x, ...) situ_repeat_(x, __VA_ARGS__, )
#define situ_repeat_(x, count, ...) \
    SITU_OPTIONS_(situ_roll_options, SITU_ROLL_DEFAULTS, situ_repeat, (SITU_OPERAND(x), SITU_INTEGER(count)), __VA_ARGS__)
#endif

#ifdef __cplusplus
}
#endif
#endif
