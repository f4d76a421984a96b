/* Calls of situ/move.h. Made by scripts/generate.py from include/situ/move.h: change that. */
#ifndef SITU_CALL_MOVE_H
#define SITU_CALL_MOVE_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_AXES_DEFAULTS (.axes = SITU_AXES_UNSET,)
#define SITU_SLICE_DEFAULTS (.start = SITU_SHAPE_UNSET, .stop = SITU_SHAPE_UNSET, .step = SITU_SHAPE_UNSET,)
#define SITU_AXIS_DEFAULTS ()
#define SITU_LAST_AXIS_DEFAULTS (.axis = -1,)
#define SITU_ROLL_DEFAULTS (.axis = SITU_ALL_AXES,)
#define SITU_PAD_DEFAULTS ()

#ifndef __cplusplus
#define situ_reshape(x, ...) \
    (situ_reshape)(SITU_OPERAND(x), SITU_OF(situ_shape, SITU_SHAPE_IS_, __VA_ARGS__), SITU_HERE)
#define situ_permute(x, ...) (situ_permute)(SITU_OPERAND(x), SITU_OF(situ_axes, SITU_AXES_IS_, __VA_ARGS__), SITU_HERE)
#define situ_transpose(x) (situ_transpose)(SITU_OPERAND(x), SITU_HERE)
#define situ_matrix_transpose(x) (situ_matrix_transpose)(SITU_OPERAND(x), SITU_HERE)
#define situ_swapaxes(x, a, b) (situ_swapaxes)(SITU_OPERAND(x), SITU_INTEGER(a), SITU_INTEGER(b), SITU_HERE)
#define situ_moveaxis(x, from, to) (situ_moveaxis)(SITU_OPERAND(x), SITU_INTEGER(from), SITU_INTEGER(to), SITU_HERE)
#define situ_expand_dims(x, axis) (situ_expand_dims)(SITU_OPERAND(x), SITU_INTEGER(axis), SITU_HERE)
#define situ_broadcast_to(x, ...) \
    (situ_broadcast_to)(SITU_OPERAND(x), SITU_OF(situ_shape, SITU_SHAPE_IS_, __VA_ARGS__), SITU_HERE)
#define situ_select(x, axis, i) (situ_select)(SITU_OPERAND(x), SITU_INTEGER(axis), SITU_INTEGER(i), SITU_HERE)
#define situ_diag(x, offset) (situ_diag)(SITU_OPERAND(x), SITU_INTEGER(offset), SITU_HERE)
#define situ_diagonal(x, offset) (situ_diagonal)(SITU_OPERAND(x), SITU_INTEGER(offset), SITU_HERE)
#define situ_squeeze(...) situ_squeeze_(__VA_ARGS__, )
#define situ_squeeze_(x, ...) \
    SITU_OPTIONS_(situ_axes_options, SITU_AXES_DEFAULTS, situ_squeeze, (SITU_OPERAND(x),), \
    "situ_squeeze(x, .axes = ...)", __VA_ARGS__)
#define situ_flip(...) situ_flip_(__VA_ARGS__, )
#define situ_flip_(x, ...) \
    SITU_OPTIONS_(situ_axes_options, SITU_AXES_DEFAULTS, situ_flip, (SITU_OPERAND(x),), "situ_flip(x, .axes = ...)", \
    __VA_ARGS__)
#define situ_slice(...) situ_slice_(__VA_ARGS__, )
#define situ_slice_(x, ...) \
    SITU_OPTIONS_(situ_slice_options, SITU_SLICE_DEFAULTS, situ_slice, (SITU_OPERAND(x),), \
    "situ_slice(x, .start = ..., .stop = ..., .step = ...)", __VA_ARGS__)
#define situ_update_slice(x, value, ...) \
    (situ_update_slice)(SITU_OPERAND(x), SITU_OPERAND(value), SITU_OF(situ_shape, SITU_SHAPE_IS_, __VA_ARGS__), \
    SITU_HERE)
#define situ_concat(...) situ_concat_(__VA_ARGS__, )
#define situ_concat_(tensors, ...) \
    SITU_OPTIONS_(situ_axis_options, SITU_AXIS_DEFAULTS, situ_concat, ((tensors),), \
    "situ_concat(TENSORS(a, b), .axis = ...)", __VA_ARGS__)
#define situ_stack(...) situ_stack_(__VA_ARGS__, )
#define situ_stack_(tensors, ...) \
    SITU_OPTIONS_(situ_axis_options, SITU_AXIS_DEFAULTS, situ_stack, ((tensors),), \
    "situ_stack(TENSORS(a, b), .axis = ...)", __VA_ARGS__)
#define situ_atleast_1d(x) (situ_atleast_1d)(SITU_OPERAND(x), SITU_HERE)
#define situ_atleast_2d(x) (situ_atleast_2d)(SITU_OPERAND(x), SITU_HERE)
#define situ_atleast_3d(x) (situ_atleast_3d)(SITU_OPERAND(x), SITU_HERE)
#define situ_vstack(...) (situ_vstack)((__VA_ARGS__), SITU_HERE)
#define situ_hstack(...) (situ_hstack)((__VA_ARGS__), SITU_HERE)
#define situ_split(...) situ_split_(__VA_ARGS__, )
#define situ_split_(x, count, out, ...) \
    SITU_OPTIONS_(situ_axis_options, SITU_AXIS_DEFAULTS, situ_split, (SITU_TENSOR(x), SITU_INTEGER(count), (out),), \
    "situ_split(x, count, out, .axis = ...)", __VA_ARGS__)
#define situ_roll(...) situ_roll_(__VA_ARGS__, )
#define situ_roll_(x, shift, ...) \
    SITU_OPTIONS_(situ_roll_options, SITU_ROLL_DEFAULTS, situ_roll, (SITU_OPERAND(x), SITU_INTEGER(shift),), \
    "situ_roll(x, shift, .axis = ...)", __VA_ARGS__)
#define situ_pad(...) situ_pad_(__VA_ARGS__, )
#define situ_pad_(x, before, after, ...) \
    SITU_OPTIONS_(situ_pad_options, SITU_PAD_DEFAULTS, situ_pad, (SITU_OPERAND(x), SITU_OF(situ_shape, SITU_SHAPE_IS_, \
    before), SITU_OF(situ_shape, SITU_SHAPE_IS_, after),), \
    "situ_pad(x, SHAPE(2, 3), SHAPE(2, 3), .value = ..., .mode = ...)", __VA_ARGS__)
#define situ_tile(x, ...) (situ_tile)(SITU_OPERAND(x), SITU_OF(situ_shape, SITU_SHAPE_IS_, __VA_ARGS__), SITU_HERE)
#define situ_repeat(...) situ_repeat_(__VA_ARGS__, )
#define situ_repeat_(x, count, ...) \
    SITU_OPTIONS_(situ_roll_options, SITU_ROLL_DEFAULTS, situ_repeat, (SITU_OPERAND(x), SITU_INTEGER(count),), \
    "situ_repeat(x, count, .axis = ...)", __VA_ARGS__)
#endif

#endif
