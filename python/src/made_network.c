/* situ/network.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

static const choice words_block_type[] = {{"q8_0", SITU_Q8_0}, {"q4_0", SITU_Q4_0}, {"q4_1", SITU_Q4_1}, {"q8_rows", SITU_Q8_ROWS}, {"q5_0", SITU_Q5_0}, {"q5_1", SITU_Q5_1}, {"q2_k", SITU_Q2_K}, {"q3_k", SITU_Q3_K}, {"q4_k", SITU_Q4_K}, {"q5_k", SITU_Q5_K}, {"q6_k", SITU_Q6_K}, {"iq4_nl", SITU_IQ4_NL}, {NULL, 0}};
static const choice words_interpolation[] = {{"nearest", SITU_NEAREST}, {"nearest_exact", SITU_NEAREST_EXACT}, {"linear", SITU_LINEAR}, {"bilinear", SITU_BILINEAR}, {"trilinear", SITU_TRILINEAR}, {"cubic", SITU_CUBIC}, {"bicubic", SITU_BICUBIC}, {NULL, 0}};
static const choice words_outside[] = {{"zeros", SITU_OUTSIDE_ZEROS}, {"border", SITU_OUTSIDE_BORDER}, {"reflection", SITU_OUTSIDE_REFLECTION}, {NULL, 0}};

MADE(conv2d)
{
    TAKE("conv2d", 6, 2, 2, {"x", "w", "stride", "padding", "dilation", "groups"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *w_ = arg_tensor(c, 1);
    situ_conv_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_padding(c, 3);
    o.dilation = arg_shape(c, 4);
    o.groups = arg_int(c, 5, 1);
    return call_end(c, c->failed ? NULL : (situ_conv2d)(x_, w_, &o, c->site));
}

MADE(conv1d)
{
    TAKE("conv1d", 6, 2, 2, {"x", "w", "stride", "padding", "dilation", "groups"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *w_ = arg_tensor(c, 1);
    situ_conv_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_padding(c, 3);
    o.dilation = arg_shape(c, 4);
    o.groups = arg_int(c, 5, 1);
    return call_end(c, c->failed ? NULL : (situ_conv1d)(x_, w_, &o, c->site));
}

MADE(conv3d)
{
    TAKE("conv3d", 6, 2, 2, {"x", "w", "stride", "padding", "dilation", "groups"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *w_ = arg_tensor(c, 1);
    situ_conv_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_padding(c, 3);
    o.dilation = arg_shape(c, 4);
    o.groups = arg_int(c, 5, 1);
    return call_end(c, c->failed ? NULL : (situ_conv3d)(x_, w_, &o, c->site));
}

MADE(conv_transpose1d)
{
    TAKE("conv_transpose1d", 7, 2, 2, {"x", "w", "stride", "padding", "dilation", "output_padding", "groups"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *w_ = arg_tensor(c, 1);
    situ_conv_transpose_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_shape(c, 3);
    o.dilation = arg_shape(c, 4);
    o.output_padding = arg_shape(c, 5);
    o.groups = arg_int(c, 6, 1);
    return call_end(c, c->failed ? NULL : (situ_conv_transpose1d)(x_, w_, &o, c->site));
}

MADE(conv_transpose2d)
{
    TAKE("conv_transpose2d", 7, 2, 2, {"x", "w", "stride", "padding", "dilation", "output_padding", "groups"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *w_ = arg_tensor(c, 1);
    situ_conv_transpose_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_shape(c, 3);
    o.dilation = arg_shape(c, 4);
    o.output_padding = arg_shape(c, 5);
    o.groups = arg_int(c, 6, 1);
    return call_end(c, c->failed ? NULL : (situ_conv_transpose2d)(x_, w_, &o, c->site));
}

MADE(conv_transpose3d)
{
    TAKE("conv_transpose3d", 7, 2, 2, {"x", "w", "stride", "padding", "dilation", "output_padding", "groups"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *w_ = arg_tensor(c, 1);
    situ_conv_transpose_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_shape(c, 3);
    o.dilation = arg_shape(c, 4);
    o.output_padding = arg_shape(c, 5);
    o.groups = arg_int(c, 6, 1);
    return call_end(c, c->failed ? NULL : (situ_conv_transpose3d)(x_, w_, &o, c->site));
}

MADE(unfold)
{
    TAKE("unfold", 5, 2, 2, {"x", "window", "stride", "padding", "dilation"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape window_ = arg_shape(c, 1);
    situ_window_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_shape(c, 3);
    o.dilation = arg_shape(c, 4);
    return call_end(c, c->failed ? NULL : (situ_unfold)(x_, window_, &o, c->site));
}

MADE(fold)
{
    TAKE("fold", 6, 3, 3, {"x", "image", "window", "stride", "padding", "dilation"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape image_ = arg_shape(c, 1);
    situ_shape window_ = arg_shape(c, 2);
    situ_window_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 3);
    o.padding = arg_shape(c, 4);
    o.dilation = arg_shape(c, 5);
    return call_end(c, c->failed ? NULL : (situ_fold)(x_, image_, window_, &o, c->site));
}

MADE(max_pool2d)
{
    TAKE("max_pool2d", 6, 2, 2, {"x", "size", "stride", "padding", "dilation", "ceil"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape size_ = arg_shape(c, 1);
    situ_max_pool_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_shape(c, 3);
    o.dilation = arg_shape(c, 4);
    o.ceil = arg_bool(c, 5, false);
    return call_end(c, c->failed ? NULL : (situ_max_pool2d)(x_, size_, &o, c->site));
}

MADE(avg_pool2d)
{
    TAKE("avg_pool2d", 6, 2, 2, {"x", "size", "stride", "padding", "count_padding", "ceil"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape size_ = arg_shape(c, 1);
    situ_avg_pool_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_shape(c, 3);
    o.count_padding = arg_bool(c, 4, true);
    o.ceil = arg_bool(c, 5, false);
    return call_end(c, c->failed ? NULL : (situ_avg_pool2d)(x_, size_, &o, c->site));
}

MADE(max_pool1d)
{
    TAKE("max_pool1d", 6, 2, 2, {"x", "size", "stride", "padding", "dilation", "ceil"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape size_ = arg_shape(c, 1);
    situ_max_pool_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_shape(c, 3);
    o.dilation = arg_shape(c, 4);
    o.ceil = arg_bool(c, 5, false);
    return call_end(c, c->failed ? NULL : (situ_max_pool1d)(x_, size_, &o, c->site));
}

MADE(avg_pool1d)
{
    TAKE("avg_pool1d", 6, 2, 2, {"x", "size", "stride", "padding", "count_padding", "ceil"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape size_ = arg_shape(c, 1);
    situ_avg_pool_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_shape(c, 3);
    o.count_padding = arg_bool(c, 4, true);
    o.ceil = arg_bool(c, 5, false);
    return call_end(c, c->failed ? NULL : (situ_avg_pool1d)(x_, size_, &o, c->site));
}

MADE(max_pool3d)
{
    TAKE("max_pool3d", 6, 2, 2, {"x", "size", "stride", "padding", "dilation", "ceil"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape size_ = arg_shape(c, 1);
    situ_max_pool_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_shape(c, 3);
    o.dilation = arg_shape(c, 4);
    o.ceil = arg_bool(c, 5, false);
    return call_end(c, c->failed ? NULL : (situ_max_pool3d)(x_, size_, &o, c->site));
}

MADE(avg_pool3d)
{
    TAKE("avg_pool3d", 6, 2, 2, {"x", "size", "stride", "padding", "count_padding", "ceil"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape size_ = arg_shape(c, 1);
    situ_avg_pool_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_shape(c, 3);
    o.count_padding = arg_bool(c, 4, true);
    o.ceil = arg_bool(c, 5, false);
    return call_end(c, c->failed ? NULL : (situ_avg_pool3d)(x_, size_, &o, c->site));
}

MADE(adaptive_max_pool1d)
{
    TAKE("adaptive_max_pool1d", 2, 2, 2, {"x", "size"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape size_ = arg_shape(c, 1);
    return call_end(c, c->failed ? NULL : (situ_adaptive_max_pool1d)(x_, size_, c->site));
}

MADE(adaptive_max_pool2d)
{
    TAKE("adaptive_max_pool2d", 2, 2, 2, {"x", "size"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape size_ = arg_shape(c, 1);
    return call_end(c, c->failed ? NULL : (situ_adaptive_max_pool2d)(x_, size_, c->site));
}

MADE(adaptive_max_pool3d)
{
    TAKE("adaptive_max_pool3d", 2, 2, 2, {"x", "size"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape size_ = arg_shape(c, 1);
    return call_end(c, c->failed ? NULL : (situ_adaptive_max_pool3d)(x_, size_, c->site));
}

MADE(adaptive_avg_pool1d)
{
    TAKE("adaptive_avg_pool1d", 2, 2, 2, {"x", "size"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape size_ = arg_shape(c, 1);
    return call_end(c, c->failed ? NULL : (situ_adaptive_avg_pool1d)(x_, size_, c->site));
}

MADE(adaptive_avg_pool2d)
{
    TAKE("adaptive_avg_pool2d", 2, 2, 2, {"x", "size"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape size_ = arg_shape(c, 1);
    return call_end(c, c->failed ? NULL : (situ_adaptive_avg_pool2d)(x_, size_, c->site));
}

MADE(adaptive_avg_pool3d)
{
    TAKE("adaptive_avg_pool3d", 2, 2, 2, {"x", "size"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape size_ = arg_shape(c, 1);
    return call_end(c, c->failed ? NULL : (situ_adaptive_avg_pool3d)(x_, size_, c->site));
}

MADE(interpolate)
{
    TAKE("interpolate", 4, 2, 2, {"x", "size", "mode", "align_corners"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape size_ = arg_shape(c, 1);
    situ_interpolate_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.mode = (situ_interpolation)arg_word(c, 2, words_interpolation, 0, "mode");
    o.align_corners = arg_bool(c, 3, false);
    return call_end(c, c->failed ? NULL : (situ_interpolate)(x_, size_, &o, c->site));
}

MADE(grid_sample)
{
    TAKE("grid_sample", 5, 2, 2, {"x", "grid", "mode", "padding", "align_corners"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *grid_ = arg_tensor(c, 1);
    situ_grid_sample_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.mode = (situ_interpolation)arg_word(c, 2, words_interpolation, SITU_BILINEAR, "mode");
    o.padding = (situ_outside)arg_word(c, 3, words_outside, 0, "padding");
    o.align_corners = arg_bool(c, 4, false);
    return call_end(c, c->failed ? NULL : (situ_grid_sample)(x_, grid_, &o, c->site));
}

MADE(layer_norm)
{
    TAKE("layer_norm", 4, 3, 3, {"x", "scale", "shift", "eps"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *scale_ = arg_tensor(c, 1);
    situ_tensor *shift_ = arg_tensor(c, 2);
    situ_layer_norm_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.eps = arg_double(c, 3, 1e-5);
    return call_end(c, c->failed ? NULL : (situ_layer_norm)(x_, scale_, shift_, &o, c->site));
}

MADE(batch_norm)
{
    TAKE("batch_norm", 8, 3, 3, {"x", "scale", "shift", "eps", "momentum", "mean", "variance", "inference"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *scale_ = arg_tensor(c, 1);
    situ_tensor *shift_ = arg_tensor(c, 2);
    situ_batch_norm_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.eps = arg_double(c, 3, 1e-5);
    o.momentum = arg_double(c, 4, 0.1);
    o.mean = arg_optional(c, 5);
    o.variance = arg_optional(c, 6);
    o.inference = arg_bool(c, 7, false);
    return call_end(c, c->failed ? NULL : (situ_batch_norm)(x_, scale_, shift_, &o, c->site));
}

MADE(embedding)
{
    TAKE("embedding", 2, 2, 2, {"table", "index"}, {NULL});
    situ_tensor *table_ = arg_tensor(c, 0);
    situ_tensor *index_ = arg_tensor(c, 1);
    return call_end(c, c->failed ? NULL : (situ_embedding)(table_, index_, c->site));
}

MADE(attention)
{
    TAKE("attention", 5, 3, 3, {"q", "k", "v", "causal", "scale"}, {NULL});
    situ_tensor *q_ = arg_tensor(c, 0);
    situ_tensor *k_ = arg_tensor(c, 1);
    situ_tensor *v_ = arg_tensor(c, 2);
    situ_attention_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.causal = arg_bool(c, 3, false);
    o.scale = arg_double(c, 4, 0);
    return call_end(c, c->failed ? NULL : (situ_attention)(q_, k_, v_, &o, c->site));
}

MADE(self_attention)
{
    TAKE("self_attention", 4, 2, 2, {"x", "heads", "causal", "scale"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    int64_t heads_ = arg_int(c, 1, 0);
    situ_attention_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.causal = arg_bool(c, 2, false);
    o.scale = arg_double(c, 3, 0);
    return call_end(c, c->failed ? NULL : (situ_self_attention)(x_, heads_, &o, c->site));
}

MADE(rotary)
{
    TAKE("rotary", 4, 2, 2, {"x", "position", "base", "axis"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *position_ = arg_tensor(c, 1);
    situ_rotary_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.base = arg_double(c, 2, 10000);
    o.axis = arg_int32(c, 3, -2);
    return call_end(c, c->failed ? NULL : (situ_rotary)(x_, position_, &o, c->site));
}

MADE(quantise)
{
    TAKE("quantise", 2, 2, 2, {"w", "type"}, {NULL});
    situ_tensor *w_ = arg_tensor(c, 0);
    situ_block_type type_ = (situ_block_type)arg_word(c, 1, words_block_type, 0, "type");
    return call_end(c, c->failed ? NULL : (situ_quantise)(w_, type_, c->site));
}

MADE(dequantise)
{
    TAKE("dequantise", 2, 2, 2, {"blocks", "type"}, {NULL});
    situ_tensor *blocks_ = arg_tensor(c, 0);
    situ_block_type type_ = (situ_block_type)arg_word(c, 1, words_block_type, 0, "type");
    return call_end(c, c->failed ? NULL : (situ_dequantise)(blocks_, type_, c->site));
}

MADE(quantised_linear)
{
    TAKE("quantised_linear", 3, 3, 3, {"x", "blocks", "type"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *blocks_ = arg_tensor(c, 1);
    situ_block_type type_ = (situ_block_type)arg_word(c, 2, words_block_type, 0, "type");
    return call_end(c, c->failed ? NULL : (situ_quantised_linear)(x_, blocks_, type_, c->site));
}

PyMethodDef made_network_methods[] = {
    MADE_ROW(conv2d, conv2d,
        "conv2d(x, w, *, stride=1, padding=0, dilation=1, groups=1)\n--\n\ny[n,o,h,v] = sum over c, i, j of x[n, c, "
        "h stride + i dilation - padding, v ...] w[o,c,i,j], zeros outside of x.\nx [n, channels, height, width], w "
        "[out, channels / groups, kernel height, kernel width].\n\nstride: distance between windows: one number, or "
        "one for height and one for width\npadding: zeros added at both ends of an axis; same keeps its size, if "
        "the stride is 1\ndilation: distance between elements of the kernel\ngroups: number of groups of channels, "
        "which are convolved separately"),
    MADE_ROW(conv1d, conv1d,
        "conv1d(x, w, *, stride=1, padding=0, dilation=1, groups=1)\n--\n\nThe same with one axis: x [n, channels, "
        "length], w [out, channels / groups, kernel length].\n\nstride: distance between windows: one number, or "
        "one for height and one for width\npadding: zeros added at both ends of an axis; same keeps its size, if "
        "the stride is 1\ndilation: distance between elements of the kernel\ngroups: number of groups of channels, "
        "which are convolved separately"),
    MADE_ROW(conv3d, conv3d,
        "conv3d(x, w, *, stride=1, padding=0, dilation=1, groups=1)\n--\n\nWith three axes: x [n, channels, depth, "
        "height, width], w [out, channels / groups, kernel depth, height, width]; options are one\nnumber, or one "
        "for each of the three axes.\n\nstride: distance between windows: one number, or one for height and one for "
        "width\npadding: zeros added at both ends of an axis; same keeps its size, if the stride is 1\ndilation: "
        "distance between elements of the kernel\ngroups: number of groups of channels, which are convolved "
        "separately"),
    MADE_ROW(conv_transpose1d, conv_transpose1d,
        "conv_transpose1d(x, w, *, stride=1, padding=0, dilation=1, output_padding=0, groups=1)\n--\n\n"
        "conv_transpose1d, conv_transpose2d, conv_transpose3d: Transposed convolutions: the gradient of a "
        "convolution by its input. x [n, channels, ...], w [channels, out / groups, kernel\n...]; an axis of n "
        "elements becomes one of (n - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.\n\n"
        "stride: stride of the convolution: one number, or one for each axis\npadding: padding of the convolution: "
        "removed at both ends\ndilation: distance between elements of the kernel\noutput_padding: additional "
        "elements at the end, fewer than the stride: selects one of the sizes that the convolution maps to the same "
        "size\ngroups: number of groups of channels, which are convolved separately"),
    MADE_ROW(conv_transpose2d, conv_transpose2d,
        "conv_transpose2d(x, w, *, stride=1, padding=0, dilation=1, output_padding=0, groups=1)\n--\n\n"
        "conv_transpose1d, conv_transpose2d, conv_transpose3d: Transposed convolutions: the gradient of a "
        "convolution by its input. x [n, channels, ...], w [channels, out / groups, kernel\n...]; an axis of n "
        "elements becomes one of (n - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.\n\n"
        "stride: stride of the convolution: one number, or one for each axis\npadding: padding of the convolution: "
        "removed at both ends\ndilation: distance between elements of the kernel\noutput_padding: additional "
        "elements at the end, fewer than the stride: selects one of the sizes that the convolution maps to the same "
        "size\ngroups: number of groups of channels, which are convolved separately"),
    MADE_ROW(conv_transpose3d, conv_transpose3d,
        "conv_transpose3d(x, w, *, stride=1, padding=0, dilation=1, output_padding=0, groups=1)\n--\n\n"
        "conv_transpose1d, conv_transpose2d, conv_transpose3d: Transposed convolutions: the gradient of a "
        "convolution by its input. x [n, channels, ...], w [channels, out / groups, kernel\n...]; an axis of n "
        "elements becomes one of (n - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.\n\n"
        "stride: stride of the convolution: one number, or one for each axis\npadding: padding of the convolution: "
        "removed at both ends\ndilation: distance between elements of the kernel\noutput_padding: additional "
        "elements at the end, fewer than the stride: selects one of the sizes that the convolution maps to the same "
        "size\ngroups: number of groups of channels, which are convolved separately"),
    MADE_ROW(unfold, unfold,
        "unfold(x, window, *, stride=1, padding=0, dilation=1)\n--\n\nunfold, fold: The windows over the last two "
        "axes as columns: x [n, channels, height, width] gives [n, channels * window, windows]. fold is the\n"
        "inverse: columns are added up at their positions in images of size `image` (height and width).\n\nstride: "
        "distance between windows: one number, or one for each axis\npadding: zeros added at both ends of an axis\n"
        "dilation: distance between elements of a window"),
    MADE_ROW(fold, fold,
        "fold(x, image, window, *, stride=1, padding=0, dilation=1)\n--\n\nunfold, fold: The windows over the last "
        "two axes as columns: x [n, channels, height, width] gives [n, channels * window, windows]. fold is the\n"
        "inverse: columns are added up at their positions in images of size `image` (height and width).\n\nstride: "
        "distance between windows: one number, or one for each axis\npadding: zeros added at both ends of an axis\n"
        "dilation: distance between elements of a window"),
    MADE_ROW(max_pool2d, max_pool2d,
        "max_pool2d(x, size, *, stride=None, padding=0, dilation=1, ceil=False)\n--\n\nmax_pool2d, avg_pool2d: The "
        "maximum, and the mean, of each window over the last two axes. Of equal elements the first gets the "
        "gradient; NaN counts as\nthe largest. An image without rows or columns, whose windows contain only "
        "padding, is an error; its means over whole windows are\n0.\n\nstride: distance between windows; default: "
        "the window, so that they do not overlap\npadding: at most half a window\ndilation: distance between "
        "elements of a window\nceil: also uses a last window that reaches past the end, if it begins within x or "
        "the padding before it"),
    MADE_ROW(avg_pool2d, avg_pool2d,
        "avg_pool2d(x, size, *, stride=None, padding=0, count_padding=True, ceil=False)\n--\n\nmax_pool2d, "
        "avg_pool2d: The maximum, and the mean, of each window over the last two axes. Of equal elements the first "
        "gets the gradient; NaN counts as\nthe largest. An image without rows or columns, whose windows contain "
        "only padding, is an error; its means over whole windows are\n0.\n\nstride: distance between windows; "
        "default: the window, so that they do not overlap\npadding: at most half a window\ncount_padding: means "
        "divide by the whole window, counting padding as zeros\nceil: also uses a last window that reaches past the "
        "end; what is after the padding does not count for its mean"),
    MADE_ROW(max_pool1d, max_pool1d,
        "max_pool1d(x, size, *, stride=None, padding=0, dilation=1, ceil=False)\n--\n\nmax_pool1d, avg_pool1d, "
        "max_pool3d, avg_pool3d: The same over the last axis, and over the last three; sizes are one number, or one "
        "for each axis.\n\nstride: distance between windows; default: the window, so that they do not overlap\n"
        "padding: at most half a window\ndilation: distance between elements of a window\nceil: also uses a last "
        "window that reaches past the end, if it begins within x or the padding before it"),
    MADE_ROW(avg_pool1d, avg_pool1d,
        "avg_pool1d(x, size, *, stride=None, padding=0, count_padding=True, ceil=False)\n--\n\nmax_pool1d, "
        "avg_pool1d, max_pool3d, avg_pool3d: The same over the last axis, and over the last three; sizes are one "
        "number, or one for each axis.\n\nstride: distance between windows; default: the window, so that they do "
        "not overlap\npadding: at most half a window\ncount_padding: means divide by the whole window, counting "
        "padding as zeros\nceil: also uses a last window that reaches past the end; what is after the padding does "
        "not count for its mean"),
    MADE_ROW(max_pool3d, max_pool3d,
        "max_pool3d(x, size, *, stride=None, padding=0, dilation=1, ceil=False)\n--\n\nmax_pool1d, avg_pool1d, "
        "max_pool3d, avg_pool3d: The same over the last axis, and over the last three; sizes are one number, or one "
        "for each axis.\n\nstride: distance between windows; default: the window, so that they do not overlap\n"
        "padding: at most half a window\ndilation: distance between elements of a window\nceil: also uses a last "
        "window that reaches past the end, if it begins within x or the padding before it"),
    MADE_ROW(avg_pool3d, avg_pool3d,
        "avg_pool3d(x, size, *, stride=None, padding=0, count_padding=True, ceil=False)\n--\n\nmax_pool1d, "
        "avg_pool1d, max_pool3d, avg_pool3d: The same over the last axis, and over the last three; sizes are one "
        "number, or one for each axis.\n\nstride: distance between windows; default: the window, so that they do "
        "not overlap\npadding: at most half a window\ncount_padding: means divide by the whole window, counting "
        "padding as zeros\nceil: also uses a last window that reaches past the end; what is after the padding does "
        "not count for its mean"),
    MADE_ROW(adaptive_max_pool1d, adaptive_max_pool1d,
        "adaptive_max_pool1d(x, size)\n--\n\nadaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, "
        "adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Pools to `size` elements along each of the "
        "last axes (one number for all, or one for each): element i of m is the maximum, or the\nmean, of elements "
        "floor(i n / m) to ceil((i + 1) n / m) - 1."),
    MADE_ROW(adaptive_max_pool2d, adaptive_max_pool2d,
        "adaptive_max_pool2d(x, size)\n--\n\nadaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, "
        "adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Pools to `size` elements along each of the "
        "last axes (one number for all, or one for each): element i of m is the maximum, or the\nmean, of elements "
        "floor(i n / m) to ceil((i + 1) n / m) - 1."),
    MADE_ROW(adaptive_max_pool3d, adaptive_max_pool3d,
        "adaptive_max_pool3d(x, size)\n--\n\nadaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, "
        "adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Pools to `size` elements along each of the "
        "last axes (one number for all, or one for each): element i of m is the maximum, or the\nmean, of elements "
        "floor(i n / m) to ceil((i + 1) n / m) - 1."),
    MADE_ROW(adaptive_avg_pool1d, adaptive_avg_pool1d,
        "adaptive_avg_pool1d(x, size)\n--\n\nadaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, "
        "adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Pools to `size` elements along each of the "
        "last axes (one number for all, or one for each): element i of m is the maximum, or the\nmean, of elements "
        "floor(i n / m) to ceil((i + 1) n / m) - 1."),
    MADE_ROW(adaptive_avg_pool2d, adaptive_avg_pool2d,
        "adaptive_avg_pool2d(x, size)\n--\n\nadaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, "
        "adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Pools to `size` elements along each of the "
        "last axes (one number for all, or one for each): element i of m is the maximum, or the\nmean, of elements "
        "floor(i n / m) to ceil((i + 1) n / m) - 1."),
    MADE_ROW(adaptive_avg_pool3d, adaptive_avg_pool3d,
        "adaptive_avg_pool3d(x, size)\n--\n\nadaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, "
        "adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Pools to `size` elements along each of the "
        "last axes (one number for all, or one for each): element i of m is the maximum, or the\nmean, of elements "
        "floor(i n / m) to ceil((i + 1) n / m) - 1."),
    MADE_ROW(interpolate, interpolate,
        "interpolate(x, size, *, mode='nearest', align_corners=False)\n--\n\nResizes the last axes, one number for "
        "each: x [n, channels, height, width] with SHAPE(h, w). Without antialiasing.\n\nmode: the method\n"
        "align_corners: aligns the centres of the first and last elements with those of x, instead of the outer "
        "edges; only for linear and cubic"),
    MADE_ROW(grid_sample, grid_sample,
        "grid_sample(x, grid, *, mode='bilinear', padding='zeros', align_corners=False)\n--\n\nSamples x [n, "
        "channels, height, width] at positions grid [n, rows, columns, 2], (horizontal, vertical) from -1 to 1: "
        "[n,\nchannels, rows, columns]. As torch.nn.functional.grid_sample.\n\nmode: the method: linear, or nearest "
        "(ties to even)\npadding: the values outside of x\nalign_corners: -1 and 1 are the centres of the first and "
        "last elements instead of their outer edges"),
    MADE_ROW(layer_norm, layer_norm,
        "layer_norm(x, scale, shift, *, eps=1e-05)\n--\n\n(x - mean) / sqrt(variance + eps) scale + shift, with the "
        "moments of each row of x along its last axis. scale and shift have the\nlength of that axis.\n\neps: added "
        "to the variance"),
    MADE_ROW(batch_norm, batch_norm,
        "batch_norm(x, scale, shift, *, eps=1e-05, momentum=0.1, mean=None, variance=None, inference=False)\n--\n\n"
        "The same with the moments of each channel of x, over all axes except axis 1. scale and shift have the "
        "length of axis 1.\n\neps: added to the variance\nmomentum: running = (1 - momentum) running + momentum "
        "value, with the variance times n / (n - 1); a single value changes nothing\nmean: a variable for the "
        "running means\nvariance: a variable for the running variances\ninference: normalises with mean and "
        "variance, which may then be any tensors, and changes nothing"),
    MADE_ROW(embedding, embedding,
        "embedding(table, index)\n--\n\nRows of a table [count, width]: table[index]. For repeated indices the "
        "gradients are added in order."),
    MADE_ROW(attention, attention,
        "attention(q, k, v, *, causal=False, scale=0.0)\n--\n\nsoftmax(q k^T scale) v; q [..., queries, width], k "
        "[..., keys, width], v [..., keys, any width].\n\ncausal: query i attends only to keys 0 ... i\nscale: "
        "factor of the scores; 0: 1 / sqrt(width)"),
    MADE_ROW(self_attention, self_attention,
        "self_attention(x, heads, *, causal=False, scale=0.0)\n--\n\nThe same for x [..., positions, 3 heads width] "
        "with queries, keys and values of all heads, one after the other; the heads'\nresults are concatenated: "
        "[..., positions, heads width].\n\ncausal: query i attends only to keys 0 ... i\nscale: factor of the "
        "scores; 0: 1 / sqrt(width)"),
    MADE_ROW(rotary, rotary,
        "rotary(x, position, *, base=10000.0, axis=-2)\n--\n\nRotary embedding (Su et al. 2021): rotates elements i "
        "and i + width / 2 of each row of x [..., positions, ..., width] as a pair\nby the angle position / base^(2 "
        "i / width). position: integers, one for each position along axis.\n\nbase: base of the angles\naxis: the "
        "axis of the positions"),
    MADE_ROW(quantise, quantise,
        "quantise(w, type)\n--\n\nQuantises rows w f32 [rows, in] to bytes u8 [rows, bytes] of the first four "
        "types; except for SITU_Q8_ROWS, in has to be a\nmultiple of 32. Each number becomes the nearest one that "
        "its block or row can represent; no gradient. On the CPU."),
    MADE_ROW(dequantise, dequantise,
        "dequantise(blocks, type)\n--\n\nThe numbers of quantised rows [rows, bytes], f32 [rows, in]. On the CPU."),
    MADE_ROW(quantised_linear, quantised_linear,
        "quantised_linear(x, blocks, type)\n--\n\nx W^T with W = dequantise(blocks), which is never stored as a "
        "whole if x [..., in] has few rows. f32, with a gradient by x. On\nthe CPU. SITU_Q8_ROWS: each row of x is "
        "rounded to i8 with 1/127 of its largest magnitude as unit (dynamic quantisation); sums\nare exact in i32, "
        "so in is at most 131,072; the gradient is that of the product without rounding. A row that is not finite "
        "gives\nNaN."),
    {NULL, NULL, 0, NULL}};
