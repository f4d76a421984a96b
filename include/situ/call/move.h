/* Calls of situ/move.h. Made by scripts/generate.py from include/situ/move.h: change that. */
#ifndef SITU_CALL_MOVE_H
#define SITU_CALL_MOVE_H

#define SITU_AXES_DEFAULTS (.axes = SITU_AXES_UNSET,)
#define SITU_SLICE_DEFAULTS (.start = SITU_SHAPE_UNSET, .stop = SITU_SHAPE_UNSET, .step = SITU_SHAPE_UNSET,)
#define SITU_AXIS_DEFAULTS ()
#define SITU_LAST_AXIS_DEFAULTS (.axis = -1,)
#define SITU_ROLL_DEFAULTS (.axis = SITU_ALL_AXES,)
#define SITU_PAD_DEFAULTS ()

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
#define situ_diag(x, offset) (situ_diag)(SITU_OPERAND(x), SITU_INTEGER(offset), SITU_HERE)
#define situ_diagonal(x, offset) (situ_diagonal)(SITU_OPERAND(x), SITU_INTEGER(offset), SITU_HERE)
#define situ_squeeze(...) situ_squeeze_(__VA_ARGS__, )
#define situ_squeeze_(x, ...) \
    SITU_OPTIONS_(situ_axes_options, SITU_AXES_DEFAULTS, situ_squeeze, (SITU_OPERAND(x),), __VA_ARGS__)
#define situ_flip(...) situ_flip_(__VA_ARGS__, )
#define situ_flip_(x, ...) \
    SITU_OPTIONS_(situ_axes_options, SITU_AXES_DEFAULTS, situ_flip, (SITU_OPERAND(x),), __VA_ARGS__)
#define situ_slice(...) situ_slice_(__VA_ARGS__, )
#define situ_slice_(x, ...) \
    SITU_OPTIONS_(situ_slice_options, SITU_SLICE_DEFAULTS, situ_slice, (SITU_OPERAND(x),), __VA_ARGS__)
#define situ_update_slice(x, value, start) (situ_update_slice)(SITU_OPERAND(x), SITU_OPERAND(value), (start), SITU_HERE)
#define situ_concat(...) situ_concat_(__VA_ARGS__, )
#define situ_concat_(tensors, ...) \
    SITU_OPTIONS_(situ_axis_options, SITU_AXIS_DEFAULTS, situ_concat, ((tensors),), __VA_ARGS__)
#define situ_stack(...) situ_stack_(__VA_ARGS__, )
#define situ_stack_(tensors, ...) \
    SITU_OPTIONS_(situ_axis_options, SITU_AXIS_DEFAULTS, situ_stack, ((tensors),), __VA_ARGS__)
#define situ_atleast_1d(x) (situ_atleast_1d)(SITU_OPERAND(x), SITU_HERE)
#define situ_atleast_2d(x) (situ_atleast_2d)(SITU_OPERAND(x), SITU_HERE)
#define situ_atleast_3d(x) (situ_atleast_3d)(SITU_OPERAND(x), SITU_HERE)
#define situ_vstack(tensors) (situ_vstack)((tensors), SITU_HERE)
#define situ_hstack(tensors) (situ_hstack)((tensors), SITU_HERE)
#define situ_split(...) situ_split_(__VA_ARGS__, )
#define situ_split_(x, count, out, ...) \
    SITU_OPTIONS_(situ_axis_options, SITU_AXIS_DEFAULTS, situ_split, (SITU_TENSOR(x), SITU_INTEGER(count), (out),), \
    __VA_ARGS__)
#define situ_roll(...) situ_roll_(__VA_ARGS__, )
#define situ_roll_(x, shift, ...) \
    SITU_OPTIONS_(situ_roll_options, SITU_ROLL_DEFAULTS, situ_roll, (SITU_OPERAND(x), SITU_INTEGER(shift),), \
    __VA_ARGS__)
#define situ_pad(...) situ_pad_(__VA_ARGS__, )
#define situ_pad_(x, before, after, ...) \
    SITU_OPTIONS_(situ_pad_options, SITU_PAD_DEFAULTS, situ_pad, (SITU_OPERAND(x), (before), (after),), __VA_ARGS__)
#define situ_tile(x, counts) (situ_tile)(SITU_OPERAND(x), (counts), SITU_HERE)
#define situ_repeat(...) situ_repeat_(__VA_ARGS__, )
#define situ_repeat_(x, count, ...) \
    SITU_OPTIONS_(situ_roll_options, SITU_ROLL_DEFAULTS, situ_repeat, (SITU_OPERAND(x), SITU_INTEGER(count),), \
    __VA_ARGS__)
#endif

#endif
