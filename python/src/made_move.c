/* situ/move.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

static const choice words_pad_mode[] = {{"constant", SITU_PAD_CONSTANT}, {"reflect", SITU_PAD_REFLECT}, {"edge", SITU_PAD_EDGE}, {"circular", SITU_PAD_CIRCULAR}, {"zeros", SITU_PAD_ZEROS}, {"replicate", SITU_PAD_REPLICATE}, {NULL, 0}};

MADE(transpose)
{
    TAKE("transpose", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    return call_end(c, c->failed ? NULL : (situ_transpose)(x_, c->site));
}

MADE(matrix_transpose)
{
    TAKE("matrix_transpose", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    return call_end(c, c->failed ? NULL : (situ_matrix_transpose)(x_, c->site));
}

MADE(swapaxes)
{
    TAKE("swapaxes", 3, 3, 3, {"x", "a", "b"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    int a_ = arg_int32(c, 1, 0);
    int b_ = arg_int32(c, 2, 0);
    return call_end(c, c->failed ? NULL : (situ_swapaxes)(x_, a_, b_, c->site));
}

MADE(moveaxis)
{
    TAKE("moveaxis", 3, 3, 3, {"x", "from", "to"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    int from_ = arg_int32(c, 1, 0);
    int to_ = arg_int32(c, 2, 0);
    return call_end(c, c->failed ? NULL : (situ_moveaxis)(x_, from_, to_, c->site));
}

MADE(expand_dims)
{
    TAKE("expand_dims", 2, 2, 2, {"x", "axis"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    int axis_ = arg_int32(c, 1, 0);
    return call_end(c, c->failed ? NULL : (situ_expand_dims)(x_, axis_, c->site));
}

MADE(broadcast_to)
{
    TAKE("broadcast_to", 2, 2, 2, {"x", "shape"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape shape_ = arg_shape(c, 1);
    return call_end(c, c->failed ? NULL : (situ_broadcast_to)(x_, shape_, c->site));
}

MADE(select)
{
    TAKE("select", 3, 3, 3, {"x", "axis", "i"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    int axis_ = arg_int32(c, 1, 0);
    int64_t i_ = arg_int(c, 2, 0);
    return call_end(c, c->failed ? NULL : (situ_select)(x_, axis_, i_, c->site));
}

MADE(diag)
{
    TAKE("diag", 2, 2, 2, {"x", "offset"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    int64_t offset_ = arg_int(c, 1, 0);
    return call_end(c, c->failed ? NULL : (situ_diag)(x_, offset_, c->site));
}

MADE(diagonal)
{
    TAKE("diagonal", 2, 1, 1, {"x", "offset"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    int64_t offset_ = arg_int(c, 1, 0);
    return call_end(c, c->failed ? NULL : (situ_diagonal)(x_, offset_, c->site));
}

MADE(squeeze)
{
    TAKE("squeeze", 2, 2, 2, {"x", "axis"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_axes_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 1);
    return call_end(c, c->failed ? NULL : (situ_squeeze)(x_, &o, c->site));
}

MADE(flip)
{
    TAKE("flip", 2, 1, 1, {"x", "axis"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_axes_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 1);
    return call_end(c, c->failed ? NULL : (situ_flip)(x_, &o, c->site));
}

MADE(slice)
{
    TAKE("slice", 4, 1, 4, {"x", "start", "stop", "step"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_slice_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.start = arg_shape(c, 1);
    o.stop = arg_shape(c, 2);
    o.step = arg_shape(c, 3);
    return call_end(c, c->failed ? NULL : (situ_slice)(x_, &o, c->site));
}

MADE(update_slice)
{
    TAKE("update_slice", 3, 3, 3, {"x", "value", "start"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *value_ = arg_tensor(c, 1);
    situ_shape start_ = arg_shape(c, 2);
    return call_end(c, c->failed ? NULL : (situ_update_slice)(x_, value_, start_, c->site));
}

MADE(concat)
{
    TAKE("concat", 2, 1, 2, {"tensors", "axis"}, {NULL});
    situ_list tensors_ = arg_list(c, 0);
    situ_axis_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 1, 0);
    return call_end(c, c->failed ? NULL : (situ_concat)(tensors_, &o, c->site));
}

MADE(stack)
{
    TAKE("stack", 2, 1, 1, {"arrays", "axis"}, {NULL});
    situ_list tensors_ = arg_list(c, 0);
    situ_axis_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 1, 0);
    return call_end(c, c->failed ? NULL : (situ_stack)(tensors_, &o, c->site));
}

MADE(atleast_1d)
{
    TAKE("atleast_1d", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    return call_end(c, c->failed ? NULL : (situ_atleast_1d)(x_, c->site));
}

MADE(atleast_2d)
{
    TAKE("atleast_2d", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    return call_end(c, c->failed ? NULL : (situ_atleast_2d)(x_, c->site));
}

MADE(atleast_3d)
{
    TAKE("atleast_3d", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    return call_end(c, c->failed ? NULL : (situ_atleast_3d)(x_, c->site));
}

MADE(vstack)
{
    TAKE("vstack", 1, 1, 1, {"tensors"}, {NULL});
    situ_list tensors_ = arg_list(c, 0);
    return call_end(c, c->failed ? NULL : (situ_vstack)(tensors_, c->site));
}

MADE(hstack)
{
    TAKE("hstack", 1, 1, 1, {"tensors"}, {NULL});
    situ_list tensors_ = arg_list(c, 0);
    return call_end(c, c->failed ? NULL : (situ_hstack)(tensors_, c->site));
}

MADE(roll)
{
    TAKE("roll", 3, 2, 3, {"x", "shift", "axis"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    int64_t shift_ = arg_int(c, 1, 0);
    situ_roll_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 2, SITU_ALL_AXES);
    return call_end(c, c->failed ? NULL : (situ_roll)(x_, shift_, &o, c->site));
}

MADE(pad)
{
    TAKE("pad", 5, 3, 3, {"x", "before", "after", "value", "mode"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape before_ = arg_shape(c, 1);
    situ_shape after_ = arg_shape(c, 2);
    situ_pad_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.value = arg_double(c, 3, 0);
    o.mode = (situ_pad_mode)arg_word(c, 4, words_pad_mode, 0, "mode");
    return call_end(c, c->failed ? NULL : (situ_pad)(x_, before_, after_, &o, c->site));
}

MADE(tile)
{
    TAKE("tile", 2, 2, 2, {"x", "counts"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape counts_ = arg_shape(c, 1);
    return call_end(c, c->failed ? NULL : (situ_tile)(x_, counts_, c->site));
}

MADE(repeat)
{
    TAKE("repeat", 3, 2, 3, {"x", "count", "axis"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    int64_t count_ = arg_int(c, 1, 0);
    situ_roll_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 2, SITU_ALL_AXES);
    return call_end(c, c->failed ? NULL : (situ_repeat)(x_, count_, &o, c->site));
}

PyMethodDef made_move_methods[] = {
    MADE_ROW(transpose, transpose,
        "transpose(x)\n--\n\ntranspose, matrix_transpose, swapaxes, moveaxis: Swaps the last two axes (transpose "
        "and matrix_transpose are the same); swaps any two; moves one to another position."),
    MADE_ROW(matrix_transpose, matrix_transpose,
        "matrix_transpose(x)\n--\n\ntranspose, matrix_transpose, swapaxes, moveaxis: Swaps the last two axes "
        "(transpose and matrix_transpose are the same); swaps any two; moves one to another position."),
    MADE_ROW(swapaxes, swapaxes,
        "swapaxes(x, a, b)\n--\n\ntranspose, matrix_transpose, swapaxes, moveaxis: Swaps the last two axes "
        "(transpose and matrix_transpose are the same); swaps any two; moves one to another position."),
    MADE_ROW(moveaxis, moveaxis,
        "moveaxis(x, from, to)\n--\n\ntranspose, matrix_transpose, swapaxes, moveaxis: Swaps the last two axes "
        "(transpose and matrix_transpose are the same); swaps any two; moves one to another position."),
    MADE_ROW(expand_dims, expand_dims,
        "expand_dims(x, axis)\n--\n\nInserts an axis of size 1 at this position of the result."),
    MADE_ROW(broadcast_to, broadcast_to,
        "broadcast_to(x, shape)\n--\n\nRepeats axes of size 1 (and adds leading axes) without memory until x has "
        "this shape; -1 keeps a size."),
    MADE_ROW(select, select,
        "select(x, axis, i)\n--\n\nElement i of an axis, which is removed: x[..., i, ...]."),
    MADE_ROW(diag, diag,
        "diag(x, offset)\n--\n\nThe square matrix with a vector on a diagonal and 0 elsewhere; for a matrix its "
        "diagonal, like diagonal."),
    MADE_ROW(diagonal, diagonal,
        "diagonal(x, *, offset=0)\n--\n\nThe diagonal of the last two axes: y[..., i] = x[..., i, i + offset]."),
    MADE_ROW(squeeze, squeeze,
        "squeeze(x, axis)\n--\n\nRemoves axes of size 1: all, or the named ones.\n\naxis: which axes"),
    MADE_ROW(flip, flip,
        "flip(x, *, axis=None)\n--\n\nReverses the order along all or the named axes.\n\naxis: which axes"),
    MADE_ROW(slice, slice,
        "slice(x, start=0, stop=None, step=1)\n--\n\nx[start:stop:step] with Python's rules: negative positions "
        "count from the end, positions out of range are clamped, steps may be\nnegative. The start is a run-time "
        "argument of the plan: changing it makes no new plan.\n\nstart: start for each axis, from the first; "
        "missing ones are full; a single number only if x has one axis\nstop: end, as start; default: after the "
        "last element\nstep: step, as start; not 0"),
    MADE_ROW(update_slice, update_slice,
        "update_slice(x, value, start)\n--\n\nx with slice(start, size of value) replaced by `value`."),
    MADE_ROW(concat, concat,
        "concat(tensors, axis=0)\n--\n\nconcat, stack: Concatenates along an axis (default 0); stack makes a new "
        "axis. dtypes are promoted.\n\naxis: the axis"),
    MADE_ROW(stack, stack,
        "stack(arrays, *, axis=0)\n--\n\nconcat, stack: Concatenates along an axis (default 0); stack makes a new "
        "axis. dtypes are promoted.\n\naxis: the axis"),
    MADE_ROW(atleast_1d, atleast_1d,
        "atleast_1d(x)\n--\n\natleast_1d, atleast_2d, atleast_3d: Adds axes until there are at least one, two or "
        "three, as in NumPy: [n] becomes [1, n] and [1, n, 1], [m, n] becomes [m, n, 1]."),
    MADE_ROW(atleast_2d, atleast_2d,
        "atleast_2d(x)\n--\n\natleast_1d, atleast_2d, atleast_3d: Adds axes until there are at least one, two or "
        "three, as in NumPy: [n] becomes [1, n] and [1, n, 1], [m, n] becomes [m, n, 1]."),
    MADE_ROW(atleast_3d, atleast_3d,
        "atleast_3d(x)\n--\n\natleast_1d, atleast_2d, atleast_3d: Adds axes until there are at least one, two or "
        "three, as in NumPy: [n] becomes [1, n] and [1, n, 1], [m, n] becomes [m, n, 1]."),
    MADE_ROW(vstack, vstack,
        "vstack(tensors)\n--\n\nvstack, hstack: Concatenates rows: along axis 0, with at least two axes. And "
        "columns: along axis 1, vectors along their only axis."),
    MADE_ROW(hstack, hstack,
        "hstack(tensors)\n--\n\nvstack, hstack: Concatenates rows: along axis 0, with at least two axes. And "
        "columns: along axis 1, vectors along their only axis."),
    MADE_ROW(roll, roll,
        "roll(x, shift, axis=None)\n--\n\ny[i] = x[(i - shift) mod n].\n\naxis: the axis; all: of the flattened "
        "tensor"),
    MADE_ROW(pad, pad,
        "pad(x, before, after, *, value=0.0, mode='constant')\n--\n\nAdds `before` and `after` elements along each "
        "axis; any number in all modes, as in NumPy.\n\nvalue: value of the new elements, in constant mode\nmode: "
        "which values the new elements get"),
    MADE_ROW(tile, tile,
        "tile(x, counts)\n--\n\ntile, repeat: x repeated as a whole, counts[i] times along axis i; and each element "
        "repeated (default: flattened)."),
    MADE_ROW(repeat, repeat,
        "repeat(x, count, axis=None)\n--\n\ntile, repeat: x repeated as a whole, counts[i] times along axis i; and "
        "each element repeated (default: flattened).\n\naxis: the axis; all: of the flattened tensor"),
    {NULL, NULL, 0, NULL}};
