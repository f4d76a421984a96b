/* situ/window.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

static const choice words_interpolation[] = {{"nearest", SITU_NEAREST}, {"nearest_exact", SITU_NEAREST_EXACT}, {"linear", SITU_LINEAR}, {"bilinear", SITU_BILINEAR}, {"trilinear", SITU_TRILINEAR}, {"cubic", SITU_CUBIC}, {"bicubic", SITU_BICUBIC}, {NULL, 0}};
static const choice words_pad_mode[] = {{"constant", SITU_PAD_CONSTANT}, {"reflect", SITU_PAD_REFLECT}, {"edge", SITU_PAD_EDGE}, {"circular", SITU_PAD_CIRCULAR}, {"zeros", SITU_PAD_ZEROS}, {"replicate", SITU_PAD_REPLICATE}, {NULL, 0}};

MADE(conv1d_layer)
{
    TAKE("Conv1d", 9, 2, 9, {"out", "size", "bias", "stride", "padding", "dilation", "groups", "inputs", "padding_mode"}, {NULL});
    int64_t out_ = arg_int(c, 0, 0);
    situ_shape size_ = arg_shape(c, 1);
    situ_conv_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.bias = arg_bool(c, 2, true);
    o.stride = arg_shape(c, 3);
    o.padding = arg_padding(c, 4);
    o.dilation = arg_shape(c, 5);
    o.groups = arg_int(c, 6, 1);
    o.in = arg_count(c, 7, "inputs");
    o.padding_mode = (situ_pad_mode)arg_word(c, 8, words_pad_mode, 0, "padding_mode");
    return end_handle(c, c->failed ? NULL : (situ_conv1d_layer)(out_, size_, &o, c->site), MODULE, module_end);
}

MADE(conv2d_layer)
{
    TAKE("Conv2d", 9, 2, 9, {"out", "size", "bias", "stride", "padding", "dilation", "groups", "inputs", "padding_mode"}, {NULL});
    int64_t out_ = arg_int(c, 0, 0);
    situ_shape size_ = arg_shape(c, 1);
    situ_conv_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.bias = arg_bool(c, 2, true);
    o.stride = arg_shape(c, 3);
    o.padding = arg_padding(c, 4);
    o.dilation = arg_shape(c, 5);
    o.groups = arg_int(c, 6, 1);
    o.in = arg_count(c, 7, "inputs");
    o.padding_mode = (situ_pad_mode)arg_word(c, 8, words_pad_mode, 0, "padding_mode");
    return end_handle(c, c->failed ? NULL : (situ_conv2d_layer)(out_, size_, &o, c->site), MODULE, module_end);
}

MADE(conv3d_layer)
{
    TAKE("Conv3d", 9, 2, 9, {"out", "size", "bias", "stride", "padding", "dilation", "groups", "inputs", "padding_mode"}, {NULL});
    int64_t out_ = arg_int(c, 0, 0);
    situ_shape size_ = arg_shape(c, 1);
    situ_conv_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.bias = arg_bool(c, 2, true);
    o.stride = arg_shape(c, 3);
    o.padding = arg_padding(c, 4);
    o.dilation = arg_shape(c, 5);
    o.groups = arg_int(c, 6, 1);
    o.in = arg_count(c, 7, "inputs");
    o.padding_mode = (situ_pad_mode)arg_word(c, 8, words_pad_mode, 0, "padding_mode");
    return end_handle(c, c->failed ? NULL : (situ_conv3d_layer)(out_, size_, &o, c->site), MODULE, module_end);
}

MADE(conv_transpose1d_layer)
{
    TAKE("ConvTranspose1d", 9, 2, 9, {"out", "size", "bias", "stride", "padding", "dilation", "groups", "inputs", "output_padding"}, {NULL});
    int64_t out_ = arg_int(c, 0, 0);
    situ_shape size_ = arg_shape(c, 1);
    situ_conv_transpose_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.bias = arg_bool(c, 2, true);
    o.stride = arg_shape(c, 3);
    o.padding = arg_shape(c, 4);
    o.dilation = arg_shape(c, 5);
    o.groups = arg_int(c, 6, 1);
    o.in = arg_count(c, 7, "inputs");
    o.output_padding = arg_shape(c, 8);
    return end_handle(c, c->failed ? NULL : (situ_conv_transpose1d_layer)(out_, size_, &o, c->site), MODULE, module_end);
}

MADE(conv_transpose2d_layer)
{
    TAKE("ConvTranspose2d", 9, 2, 9, {"out", "size", "bias", "stride", "padding", "dilation", "groups", "inputs", "output_padding"}, {NULL});
    int64_t out_ = arg_int(c, 0, 0);
    situ_shape size_ = arg_shape(c, 1);
    situ_conv_transpose_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.bias = arg_bool(c, 2, true);
    o.stride = arg_shape(c, 3);
    o.padding = arg_shape(c, 4);
    o.dilation = arg_shape(c, 5);
    o.groups = arg_int(c, 6, 1);
    o.in = arg_count(c, 7, "inputs");
    o.output_padding = arg_shape(c, 8);
    return end_handle(c, c->failed ? NULL : (situ_conv_transpose2d_layer)(out_, size_, &o, c->site), MODULE, module_end);
}

MADE(conv_transpose3d_layer)
{
    TAKE("ConvTranspose3d", 9, 2, 9, {"out", "size", "bias", "stride", "padding", "dilation", "groups", "inputs", "output_padding"}, {NULL});
    int64_t out_ = arg_int(c, 0, 0);
    situ_shape size_ = arg_shape(c, 1);
    situ_conv_transpose_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.bias = arg_bool(c, 2, true);
    o.stride = arg_shape(c, 3);
    o.padding = arg_shape(c, 4);
    o.dilation = arg_shape(c, 5);
    o.groups = arg_int(c, 6, 1);
    o.in = arg_count(c, 7, "inputs");
    o.output_padding = arg_shape(c, 8);
    return end_handle(c, c->failed ? NULL : (situ_conv_transpose3d_layer)(out_, size_, &o, c->site), MODULE, module_end);
}

MADE(max_pool1d_layer)
{
    TAKE("MaxPool1d", 5, 1, 5, {"size", "stride", "padding", "dilation", "ceil"}, {NULL});
    situ_shape size_ = arg_shape(c, 0);
    situ_max_pool_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 1);
    o.padding = arg_shape(c, 2);
    o.dilation = arg_shape(c, 3);
    o.ceil = arg_bool(c, 4, false);
    return end_handle(c, c->failed ? NULL : (situ_max_pool1d_layer)(size_, &o, c->site), MODULE, module_end);
}

MADE(max_pool2d_layer)
{
    TAKE("MaxPool2d", 5, 1, 5, {"size", "stride", "padding", "dilation", "ceil"}, {NULL});
    situ_shape size_ = arg_shape(c, 0);
    situ_max_pool_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 1);
    o.padding = arg_shape(c, 2);
    o.dilation = arg_shape(c, 3);
    o.ceil = arg_bool(c, 4, false);
    return end_handle(c, c->failed ? NULL : (situ_max_pool2d_layer)(size_, &o, c->site), MODULE, module_end);
}

MADE(max_pool3d_layer)
{
    TAKE("MaxPool3d", 5, 1, 5, {"size", "stride", "padding", "dilation", "ceil"}, {NULL});
    situ_shape size_ = arg_shape(c, 0);
    situ_max_pool_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 1);
    o.padding = arg_shape(c, 2);
    o.dilation = arg_shape(c, 3);
    o.ceil = arg_bool(c, 4, false);
    return end_handle(c, c->failed ? NULL : (situ_max_pool3d_layer)(size_, &o, c->site), MODULE, module_end);
}

MADE(avg_pool1d_layer)
{
    TAKE("AvgPool1d", 5, 1, 5, {"size", "stride", "padding", "count_padding", "ceil"}, {NULL});
    situ_shape size_ = arg_shape(c, 0);
    situ_avg_pool_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 1);
    o.padding = arg_shape(c, 2);
    o.count_padding = arg_bool(c, 3, true);
    o.ceil = arg_bool(c, 4, false);
    return end_handle(c, c->failed ? NULL : (situ_avg_pool1d_layer)(size_, &o, c->site), MODULE, module_end);
}

MADE(avg_pool2d_layer)
{
    TAKE("AvgPool2d", 5, 1, 5, {"size", "stride", "padding", "count_padding", "ceil"}, {NULL});
    situ_shape size_ = arg_shape(c, 0);
    situ_avg_pool_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 1);
    o.padding = arg_shape(c, 2);
    o.count_padding = arg_bool(c, 3, true);
    o.ceil = arg_bool(c, 4, false);
    return end_handle(c, c->failed ? NULL : (situ_avg_pool2d_layer)(size_, &o, c->site), MODULE, module_end);
}

MADE(avg_pool3d_layer)
{
    TAKE("AvgPool3d", 5, 1, 5, {"size", "stride", "padding", "count_padding", "ceil"}, {NULL});
    situ_shape size_ = arg_shape(c, 0);
    situ_avg_pool_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 1);
    o.padding = arg_shape(c, 2);
    o.count_padding = arg_bool(c, 3, true);
    o.ceil = arg_bool(c, 4, false);
    return end_handle(c, c->failed ? NULL : (situ_avg_pool3d_layer)(size_, &o, c->site), MODULE, module_end);
}

MADE(adaptive_max_pool1d_layer)
{
    TAKE("AdaptiveMaxPool1d", 1, 1, 1, {"size"}, {NULL});
    situ_shape size_ = arg_shape(c, 0);
    return end_handle(c, c->failed ? NULL : (situ_adaptive_max_pool1d_layer)(size_), MODULE, module_end);
}

MADE(adaptive_max_pool2d_layer)
{
    TAKE("AdaptiveMaxPool2d", 1, 1, 1, {"size"}, {NULL});
    situ_shape size_ = arg_shape(c, 0);
    return end_handle(c, c->failed ? NULL : (situ_adaptive_max_pool2d_layer)(size_), MODULE, module_end);
}

MADE(adaptive_max_pool3d_layer)
{
    TAKE("AdaptiveMaxPool3d", 1, 1, 1, {"size"}, {NULL});
    situ_shape size_ = arg_shape(c, 0);
    return end_handle(c, c->failed ? NULL : (situ_adaptive_max_pool3d_layer)(size_), MODULE, module_end);
}

MADE(adaptive_avg_pool1d_layer)
{
    TAKE("AdaptiveAvgPool1d", 1, 1, 1, {"size"}, {NULL});
    situ_shape size_ = arg_shape(c, 0);
    return end_handle(c, c->failed ? NULL : (situ_adaptive_avg_pool1d_layer)(size_), MODULE, module_end);
}

MADE(adaptive_avg_pool2d_layer)
{
    TAKE("AdaptiveAvgPool2d", 1, 1, 1, {"size"}, {NULL});
    situ_shape size_ = arg_shape(c, 0);
    return end_handle(c, c->failed ? NULL : (situ_adaptive_avg_pool2d_layer)(size_), MODULE, module_end);
}

MADE(adaptive_avg_pool3d_layer)
{
    TAKE("AdaptiveAvgPool3d", 1, 1, 1, {"size"}, {NULL});
    situ_shape size_ = arg_shape(c, 0);
    return end_handle(c, c->failed ? NULL : (situ_adaptive_avg_pool3d_layer)(size_), MODULE, module_end);
}

MADE(upsample_layer)
{
    TAKE("Upsample", 3, 1, 3, {"scale_factor", "mode", "align_corners"}, {NULL});
    situ_shape scale_factor_ = arg_shape(c, 0);
    situ_interpolate_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.mode = (situ_interpolation)arg_word(c, 1, words_interpolation, 0, "mode");
    o.align_corners = arg_bool(c, 2, false);
    return end_handle(c, c->failed ? NULL : (situ_upsample_layer)(scale_factor_, &o, c->site), MODULE, module_end);
}

MADE(unfold_layer)
{
    TAKE("Unfold", 4, 1, 4, {"window", "stride", "padding", "dilation"}, {NULL});
    situ_shape window_ = arg_shape(c, 0);
    situ_window_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 1);
    o.padding = arg_shape(c, 2);
    o.dilation = arg_shape(c, 3);
    return end_handle(c, c->failed ? NULL : (situ_unfold_layer)(window_, &o, c->site), MODULE, module_end);
}

MADE(fold_layer)
{
    TAKE("Fold", 5, 2, 5, {"image_size", "window", "stride", "padding", "dilation"}, {NULL});
    situ_shape image_size_ = arg_shape(c, 0);
    situ_shape window_ = arg_shape(c, 1);
    situ_window_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_shape(c, 3);
    o.dilation = arg_shape(c, 4);
    return end_handle(c, c->failed ? NULL : (situ_fold_layer)(image_size_, window_, &o, c->site), MODULE, module_end);
}

PyMethodDef made_window_methods[] = {
    MADE_ROW(conv1d_layer, conv1d_layer,
        "conv1d_layer(out, size, *, bias=True, stride=1, padding=0, dilation=1, groups=1, inputs=None, "
        "padding_mode='constant')\n--\n\nConv1d, Conv2d, Conv3d: conv1d, conv2d, conv3d with a kernel of this size "
        "(one number, or one for each axis), plus a bias for each output;\nweight [out, channels / groups, ...size] "
        "and bias [out] are initially uniform in +-1/sqrt(products in a sum).\n\nbias: adds a bias for each output\n"
        "stride: as in conv2d\npadding: as in conv2d, also same\ndilation: as in conv2d\ngroups: as in conv2d\n"
        "inputs: channels of the input, a multiple of groups; None: those of the first input\npadding_mode: how to "
        "pad: zeros, or another mode of pad"),
    MADE_ROW(conv2d_layer, conv2d_layer,
        "conv2d_layer(out, size, *, bias=True, stride=1, padding=0, dilation=1, groups=1, inputs=None, "
        "padding_mode='constant')\n--\n\nConv1d, Conv2d, Conv3d: conv1d, conv2d, conv3d with a kernel of this size "
        "(one number, or one for each axis), plus a bias for each output;\nweight [out, channels / groups, ...size] "
        "and bias [out] are initially uniform in +-1/sqrt(products in a sum).\n\nbias: adds a bias for each output\n"
        "stride: as in conv2d\npadding: as in conv2d, also same\ndilation: as in conv2d\ngroups: as in conv2d\n"
        "inputs: channels of the input, a multiple of groups; None: those of the first input\npadding_mode: how to "
        "pad: zeros, or another mode of pad"),
    MADE_ROW(conv3d_layer, conv3d_layer,
        "conv3d_layer(out, size, *, bias=True, stride=1, padding=0, dilation=1, groups=1, inputs=None, "
        "padding_mode='constant')\n--\n\nConv1d, Conv2d, Conv3d: conv1d, conv2d, conv3d with a kernel of this size "
        "(one number, or one for each axis), plus a bias for each output;\nweight [out, channels / groups, ...size] "
        "and bias [out] are initially uniform in +-1/sqrt(products in a sum).\n\nbias: adds a bias for each output\n"
        "stride: as in conv2d\npadding: as in conv2d, also same\ndilation: as in conv2d\ngroups: as in conv2d\n"
        "inputs: channels of the input, a multiple of groups; None: those of the first input\npadding_mode: how to "
        "pad: zeros, or another mode of pad"),
    MADE_ROW(conv_transpose1d_layer, conv_transpose1d_layer,
        "conv_transpose1d_layer(out, size, *, bias=True, stride=1, padding=0, dilation=1, groups=1, inputs=None, "
        "output_padding=0)\n--\n\nConvTranspose1d, ConvTranspose2d, ConvTranspose3d: conv_transpose1d, 2d, 3d, plus "
        "a bias for each output; weight [channels, out / groups, ...size] and bias [out] are initially\nuniform in "
        "+-1/sqrt(elements of the weight for one channel).\n\nbias: adds a bias for each output\nstride: as in "
        "conv_transpose2d\npadding: as in conv_transpose2d\ndilation: as in conv_transpose2d\ngroups: as in "
        "conv_transpose2d\ninputs: channels of the input, a multiple of groups; None: those of the first input\n"
        "output_padding: as in conv_transpose2d"),
    MADE_ROW(conv_transpose2d_layer, conv_transpose2d_layer,
        "conv_transpose2d_layer(out, size, *, bias=True, stride=1, padding=0, dilation=1, groups=1, inputs=None, "
        "output_padding=0)\n--\n\nConvTranspose1d, ConvTranspose2d, ConvTranspose3d: conv_transpose1d, 2d, 3d, plus "
        "a bias for each output; weight [channels, out / groups, ...size] and bias [out] are initially\nuniform in "
        "+-1/sqrt(elements of the weight for one channel).\n\nbias: adds a bias for each output\nstride: as in "
        "conv_transpose2d\npadding: as in conv_transpose2d\ndilation: as in conv_transpose2d\ngroups: as in "
        "conv_transpose2d\ninputs: channels of the input, a multiple of groups; None: those of the first input\n"
        "output_padding: as in conv_transpose2d"),
    MADE_ROW(conv_transpose3d_layer, conv_transpose3d_layer,
        "conv_transpose3d_layer(out, size, *, bias=True, stride=1, padding=0, dilation=1, groups=1, inputs=None, "
        "output_padding=0)\n--\n\nConvTranspose1d, ConvTranspose2d, ConvTranspose3d: conv_transpose1d, 2d, 3d, plus "
        "a bias for each output; weight [channels, out / groups, ...size] and bias [out] are initially\nuniform in "
        "+-1/sqrt(elements of the weight for one channel).\n\nbias: adds a bias for each output\nstride: as in "
        "conv_transpose2d\npadding: as in conv_transpose2d\ndilation: as in conv_transpose2d\ngroups: as in "
        "conv_transpose2d\ninputs: channels of the input, a multiple of groups; None: those of the first input\n"
        "output_padding: as in conv_transpose2d"),
    MADE_ROW(max_pool1d_layer, max_pool1d_layer,
        "max_pool1d_layer(size, *, stride=None, padding=0, dilation=1, ceil=False)\n--\n\nMaxPool1d, MaxPool2d, "
        "MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The maximum, and the mean, of windows of this size (one "
        "number, or one for each axis) over the last one, two or three axes, as in\nmax_pool2d and avg_pool2d.\n\n"
        "stride: distance between windows; default: the window, so that they do not overlap\npadding: at most half "
        "a window\ndilation: distance between elements of a window\nceil: also uses a last window that reaches past "
        "the end, if it begins within x or the padding before it"),
    MADE_ROW(max_pool2d_layer, max_pool2d_layer,
        "max_pool2d_layer(size, *, stride=None, padding=0, dilation=1, ceil=False)\n--\n\nMaxPool1d, MaxPool2d, "
        "MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The maximum, and the mean, of windows of this size (one "
        "number, or one for each axis) over the last one, two or three axes, as in\nmax_pool2d and avg_pool2d.\n\n"
        "stride: distance between windows; default: the window, so that they do not overlap\npadding: at most half "
        "a window\ndilation: distance between elements of a window\nceil: also uses a last window that reaches past "
        "the end, if it begins within x or the padding before it"),
    MADE_ROW(max_pool3d_layer, max_pool3d_layer,
        "max_pool3d_layer(size, *, stride=None, padding=0, dilation=1, ceil=False)\n--\n\nMaxPool1d, MaxPool2d, "
        "MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The maximum, and the mean, of windows of this size (one "
        "number, or one for each axis) over the last one, two or three axes, as in\nmax_pool2d and avg_pool2d.\n\n"
        "stride: distance between windows; default: the window, so that they do not overlap\npadding: at most half "
        "a window\ndilation: distance between elements of a window\nceil: also uses a last window that reaches past "
        "the end, if it begins within x or the padding before it"),
    MADE_ROW(avg_pool1d_layer, avg_pool1d_layer,
        "avg_pool1d_layer(size, *, stride=None, padding=0, count_padding=True, ceil=False)\n--\n\nMaxPool1d, "
        "MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The maximum, and the mean, of windows of this size "
        "(one number, or one for each axis) over the last one, two or three axes, as in\nmax_pool2d and "
        "avg_pool2d.\n\nstride: distance between windows; default: the window, so that they do not overlap\n"
        "padding: at most half a window\ncount_padding: means divide by the whole window, counting padding as "
        "zeros\nceil: also uses a last window that reaches past the end; what is after the padding does not count "
        "for its mean"),
    MADE_ROW(avg_pool2d_layer, avg_pool2d_layer,
        "avg_pool2d_layer(size, *, stride=None, padding=0, count_padding=True, ceil=False)\n--\n\nMaxPool1d, "
        "MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The maximum, and the mean, of windows of this size "
        "(one number, or one for each axis) over the last one, two or three axes, as in\nmax_pool2d and "
        "avg_pool2d.\n\nstride: distance between windows; default: the window, so that they do not overlap\n"
        "padding: at most half a window\ncount_padding: means divide by the whole window, counting padding as "
        "zeros\nceil: also uses a last window that reaches past the end; what is after the padding does not count "
        "for its mean"),
    MADE_ROW(avg_pool3d_layer, avg_pool3d_layer,
        "avg_pool3d_layer(size, *, stride=None, padding=0, count_padding=True, ceil=False)\n--\n\nMaxPool1d, "
        "MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The maximum, and the mean, of windows of this size "
        "(one number, or one for each axis) over the last one, two or three axes, as in\nmax_pool2d and "
        "avg_pool2d.\n\nstride: distance between windows; default: the window, so that they do not overlap\n"
        "padding: at most half a window\ncount_padding: means divide by the whole window, counting padding as "
        "zeros\nceil: also uses a last window that reaches past the end; what is after the padding does not count "
        "for its mean"),
    MADE_ROW(adaptive_max_pool1d_layer, adaptive_max_pool1d_layer,
        "adaptive_max_pool1d_layer(size)\n--\n\nAdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, "
        "AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Pools to this size (one number, or one for each "
        "of the last axes) for any size of the input: adaptive_avg_pool2d, ..."),
    MADE_ROW(adaptive_max_pool2d_layer, adaptive_max_pool2d_layer,
        "adaptive_max_pool2d_layer(size)\n--\n\nAdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, "
        "AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Pools to this size (one number, or one for each "
        "of the last axes) for any size of the input: adaptive_avg_pool2d, ..."),
    MADE_ROW(adaptive_max_pool3d_layer, adaptive_max_pool3d_layer,
        "adaptive_max_pool3d_layer(size)\n--\n\nAdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, "
        "AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Pools to this size (one number, or one for each "
        "of the last axes) for any size of the input: adaptive_avg_pool2d, ..."),
    MADE_ROW(adaptive_avg_pool1d_layer, adaptive_avg_pool1d_layer,
        "adaptive_avg_pool1d_layer(size)\n--\n\nAdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, "
        "AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Pools to this size (one number, or one for each "
        "of the last axes) for any size of the input: adaptive_avg_pool2d, ..."),
    MADE_ROW(adaptive_avg_pool2d_layer, adaptive_avg_pool2d_layer,
        "adaptive_avg_pool2d_layer(size)\n--\n\nAdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, "
        "AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Pools to this size (one number, or one for each "
        "of the last axes) for any size of the input: adaptive_avg_pool2d, ..."),
    MADE_ROW(adaptive_avg_pool3d_layer, adaptive_avg_pool3d_layer,
        "adaptive_avg_pool3d_layer(size)\n--\n\nAdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, "
        "AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Pools to this size (one number, or one for each "
        "of the last axes) for any size of the input: adaptive_avg_pool2d, ..."),
    MADE_ROW(upsample_layer, upsample_layer,
        "upsample_layer(scale_factor, *, mode='nearest', align_corners=False)\n--\n\ninterpolate of [batch, "
        "channels, ...] by a factor for all axes, or one for each.\n\nmode: the method\nalign_corners: aligns the "
        "centres of the first and last elements with those of x, instead of the outer edges; only for linear and "
        "cubic"),
    MADE_ROW(unfold_layer, unfold_layer,
        "unfold_layer(window, *, stride=1, padding=0, dilation=1)\n--\n\nUnfold, Fold: unfold: windows as columns; "
        "fold: adds columns up at their positions in images.\n\nstride: distance between windows: one number, or "
        "one for each axis\npadding: zeros added at both ends of an axis\ndilation: distance between elements of a "
        "window"),
    MADE_ROW(fold_layer, fold_layer,
        "fold_layer(image_size, window, *, stride=1, padding=0, dilation=1)\n--\n\nUnfold, Fold: unfold: windows as "
        "columns; fold: adds columns up at their positions in images.\n\nstride: distance between windows: one "
        "number, or one for each axis\npadding: zeros added at both ends of an axis\ndilation: distance between "
        "elements of a window"),
    {NULL, NULL, 0, NULL}};
