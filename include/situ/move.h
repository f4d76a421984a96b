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

/* The elements in row-major order, with a new shape; one size may be -1: it is computed from the others. */
SITU_API situ_tensor *situ_reshape(situ_tensor *x, situ_shape shape, situ_site site);
/* Axis i of the result is axis axes[i] of x. */
SITU_API situ_tensor *situ_permute(situ_tensor *x, situ_axes axes, situ_site site);
/* Swaps the last two axes (transpose and matrix_transpose are the same); swaps any two; moves one to another position. */
SITU_API situ_tensor *situ_transpose(situ_tensor *x, situ_site site);
SITU_API situ_tensor *situ_matrix_transpose(situ_tensor *x, situ_site site);
SITU_API situ_tensor *situ_swapaxes(situ_tensor *x, int a, int b, situ_site site);
SITU_API situ_tensor *situ_moveaxis(situ_tensor *x, int from, int to, situ_site site);
/* Inserts an axis of size 1 at this position of the result. */
SITU_API situ_tensor *situ_expand_dims(situ_tensor *x, int axis, situ_site site);
/* Repeats axes of size 1 (and adds leading axes) without memory until x has this shape; -1 keeps a size. */
SITU_API situ_tensor *situ_broadcast_to(situ_tensor *x, situ_shape shape, situ_site site);
/* Element i of an axis, which is removed: x[..., i, ...]. */
SITU_API situ_tensor *situ_select(situ_tensor *x, int axis, int64_t i, situ_site site);
/* The square matrix with a vector on a diagonal and 0 elsewhere; for a matrix its diagonal, like situ_diagonal. */
SITU_API situ_tensor *situ_diag(situ_tensor *x, int64_t offset, situ_site site);
/* The diagonal of the last two axes: y[..., i] = x[..., i, i + offset]. */
SITU_API situ_tensor *situ_diagonal(situ_tensor *x, int64_t offset, situ_site site);

typedef struct SITU_BY_NAME situ_axes_options {
    SITU_OPTION_HEAD;
    situ_axes axes; /* = all: which axes */
} situ_axes_options;
/* Removes axes of size 1: all, or the named ones. */
SITU_API situ_tensor *situ_squeeze(situ_tensor *x, const situ_axes_options *options, situ_site site);
/* Reverses the order along all or the named axes. */
SITU_API situ_tensor *situ_flip(situ_tensor *x, const situ_axes_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_slice_options {
    SITU_OPTION_HEAD;
    situ_shape start; /* = default 0: start for each axis, from the first; missing ones are full; a single number only if x has one
                       * axis */
    situ_shape stop;  /* = default: end, as start; default: after the last element */
    situ_shape step;  /* = default 1: step, as start; not 0 */
} situ_slice_options;
/* x[start:stop:step] with Python's rules: negative positions count from the end, positions out of range are clamped, steps may be
 * negative. The start is a run-time argument of the plan: changing it makes no new plan. */
SITU_API situ_tensor *situ_slice(situ_tensor *x, const situ_slice_options *options, situ_site site);
/* x with slice(start, size of value) replaced by `value`. */
SITU_API situ_tensor *situ_update_slice(situ_tensor *x, situ_tensor *value, situ_shape start, situ_site site);

typedef struct SITU_BY_NAME situ_axis_options {
    SITU_OPTION_HEAD;
    int32_t axis; /* = 0: the axis */
} situ_axis_options;
/* Options with the last axis as default. */
typedef struct SITU_BY_NAME situ_last_axis_options {
    SITU_OPTION_HEAD;
    int32_t axis; /* = -1: the axis; -1 is the last */
} situ_last_axis_options;
/* Concatenates along an axis (default 0); stack makes a new axis. dtypes are promoted. */
SITU_API situ_tensor *situ_concat(situ_list tensors, const situ_axis_options *options, situ_site site);
SITU_API situ_tensor *situ_stack(situ_list tensors, const situ_axis_options *options, situ_site site);
/* Adds axes until there are at least one, two or three, as in NumPy: [n] becomes [1, n] and [1, n, 1], [m, n] becomes [m, n, 1]. */
SITU_API situ_tensor *situ_atleast_1d(situ_tensor *x, situ_site site);
SITU_API situ_tensor *situ_atleast_2d(situ_tensor *x, situ_site site);
SITU_API situ_tensor *situ_atleast_3d(situ_tensor *x, situ_site site);
/* Concatenates rows: along axis 0, with at least two axes. And columns: along axis 1, vectors along their only axis. */
SITU_API situ_tensor *situ_vstack(situ_list tensors, situ_site site);
SITU_API situ_tensor *situ_hstack(situ_list tensors, situ_site site);
/* Splits an axis (default 0) into `count` parts, out[0..count-1], as equal as possible, larger ones first. 0 or a code. */
SITU_API int situ_split(situ_tensor *x, int count, situ_tensor **out, const situ_axis_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_roll_options {
    SITU_OPTION_HEAD;
    int32_t axis; /* = all: the axis; all: of the flattened tensor */
} situ_roll_options;
/* y[i] = x[(i - shift) mod n]. */
SITU_API situ_tensor *situ_roll(situ_tensor *x, int64_t shift, const situ_roll_options *options, situ_site site);

typedef enum situ_pad_mode {
    SITU_PAD_CONSTANT = 0, /* .value                                    */
    SITU_PAD_REFLECT = 1,  /* c b | a b c | b a: mirrored at the ends */
    SITU_PAD_EDGE = 2,     /* a a | a b c | c c: the end elements, repeated */
    SITU_PAD_CIRCULAR = 3, /* b c | a b c | a b: as if x were repeated */
    SITU_PAD_ZEROS = 0,    /* PyTorch's name of constant */
    SITU_PAD_REPLICATE = 2 /* PyTorch's name of edge */
} situ_pad_mode;
typedef struct SITU_BY_NAME situ_pad_options {
    SITU_OPTION_HEAD;
    double value;       /* = 0: value of the new elements, in constant mode */
    situ_pad_mode mode; /* = SITU_PAD_CONSTANT: which values the new elements get */
} situ_pad_options;
/* Adds `before` and `after` elements along each axis; any number in all modes, as in NumPy. */
SITU_API situ_tensor *situ_pad(
    situ_tensor *x, situ_shape before, situ_shape after, const situ_pad_options *options, situ_site site);
/* x repeated as a whole, counts[i] times along axis i; and each element repeated (default: flattened). */
SITU_API situ_tensor *situ_tile(situ_tensor *x, situ_shape counts, situ_site site);
SITU_API situ_tensor *situ_repeat(situ_tensor *x, int64_t count, const situ_roll_options *options, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/move.h>

#endif
