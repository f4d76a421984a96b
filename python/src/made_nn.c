/* situ/nn.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

MADE(linear_layer)
{
    TAKE("Linear", 3, 1, 3, {"out", "bias", "inputs"}, {NULL});
    int64_t out_ = arg_int(c, 0, 0);
    situ_linear_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.bias = arg_bool(c, 1, true);
    o.in = arg_count(c, 2, "inputs");
    return end_handle(c, c->failed ? NULL : (situ_linear_layer)(out_, &o, c->site), MODULE, module_end);
}

MADE(relu_layer)
{
    TAKE("ReLU", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_relu_layer)(), MODULE, module_end);
}

MADE(sigmoid_layer)
{
    TAKE("Sigmoid", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_sigmoid_layer)(), MODULE, module_end);
}

MADE(tanh_layer)
{
    TAKE("Tanh", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_tanh_layer)(), MODULE, module_end);
}

MADE(gelu_layer)
{
    TAKE("GELU", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_gelu_layer)(), MODULE, module_end);
}

MADE(flatten_layer)
{
    TAKE("Flatten", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_flatten_layer)(), MODULE, module_end);
}

MADE(dropout_layer)
{
    TAKE("Dropout", 1, 0, 1, {"rate"}, {NULL});
    double rate_ = arg_double(c, 0, 0.5);
    return end_handle(c, c->failed ? NULL : (situ_dropout_layer)(rate_), MODULE, module_end);
}

MADE(conv2d_layer)
{
    TAKE("Conv2d", 8, 2, 8, {"out", "size", "bias", "stride", "padding", "dilation", "groups", "inputs"}, {NULL});
    int64_t out_ = arg_int(c, 0, 0);
    situ_shape size_ = arg_shape(c, 1);
    situ_conv2d_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.bias = arg_bool(c, 2, true);
    o.stride = arg_shape(c, 3);
    o.padding = arg_shape(c, 4);
    o.dilation = arg_shape(c, 5);
    o.groups = arg_int(c, 6, 1);
    o.in = arg_count(c, 7, "inputs");
    return end_handle(c, c->failed ? NULL : (situ_conv2d_layer)(out_, size_, &o, c->site), MODULE, module_end);
}

MADE(max_pool2d_layer)
{
    TAKE("MaxPool2d", 3, 1, 3, {"size", "stride", "padding"}, {NULL});
    situ_shape size_ = arg_shape(c, 0);
    situ_max_pool_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 1);
    o.padding = arg_shape(c, 2);
    return end_handle(c, c->failed ? NULL : (situ_max_pool2d_layer)(size_, &o, c->site), MODULE, module_end);
}

MADE(avg_pool2d_layer)
{
    TAKE("AvgPool2d", 4, 1, 4, {"size", "stride", "padding", "count_padding"}, {NULL});
    situ_shape size_ = arg_shape(c, 0);
    situ_avg_pool_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 1);
    o.padding = arg_shape(c, 2);
    o.count_padding = arg_bool(c, 3, true);
    return end_handle(c, c->failed ? NULL : (situ_avg_pool2d_layer)(size_, &o, c->site), MODULE, module_end);
}

MADE(batch_norm_layer)
{
    TAKE("BatchNorm", 3, 0, 3, {"eps", "momentum", "inputs"}, {NULL});
    situ_batch_norm_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.eps = arg_double(c, 0, 1e-5);
    o.momentum = arg_double(c, 1, 0.1);
    o.in = arg_count(c, 2, "inputs");
    return end_handle(c, c->failed ? NULL : (situ_batch_norm_layer)(&o, c->site), MODULE, module_end);
}

MADE(layer_norm_layer)
{
    TAKE("LayerNorm", 2, 0, 2, {"eps", "inputs"}, {NULL});
    situ_layer_norm_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.eps = arg_double(c, 0, 1e-5);
    o.in = arg_count(c, 1, "inputs");
    return end_handle(c, c->failed ? NULL : (situ_layer_norm_layer)(&o, c->site), MODULE, module_end);
}

MADE(embedding_layer)
{
    TAKE("Embedding", 2, 2, 2, {"count", "width"}, {NULL});
    int64_t count_ = arg_int(c, 0, 0);
    int64_t width_ = arg_int(c, 1, 0);
    return end_handle(c, c->failed ? NULL : (situ_embedding_layer)(count_, width_), MODULE, module_end);
}

PyMethodDef made_nn_methods[] = {
    MADE_ROW(linear_layer, linear_layer,
        "linear_layer(out, *, bias=True, inputs=None)\n--\n\ny = x W^T + b over the last axis; weight [out, in] and "
        "bias [out] start uniform in +-1/sqrt(in).\n\nbias: adds b\ninputs: size of the input; None: that of the "
        "first one"),
    MADE_ROW(relu_layer, relu_layer,
        "relu_layer()\n--\n\nmax(x, 0)."),
    MADE_ROW(sigmoid_layer, sigmoid_layer,
        "sigmoid_layer()\n--\n\n1 / (1 + e^-x)."),
    MADE_ROW(tanh_layer, tanh_layer,
        "tanh_layer()\n--\n\nTanh x."),
    MADE_ROW(gelu_layer, gelu_layer,
        "gelu_layer()\n--\n\nGelu x (tanh form)."),
    MADE_ROW(flatten_layer, flatten_layer,
        "flatten_layer()\n--\n\n[batch, ...] becomes [batch, all the rest]."),
    MADE_ROW(dropout_layer, dropout_layer,
        "dropout_layer(rate=0.5)\n--\n\nWhile training: elements become 0 with probability rate, the others are "
        "divided by 1 - rate. The mask depends on the\nnetwork's key, the layer, the step, and the positions in the "
        "whole batch (see module_call)."),
    MADE_ROW(conv2d_layer, conv2d_layer,
        "conv2d_layer(out, size, *, bias=True, stride=1, padding=0, dilation=1, groups=1, inputs=None)\n--\n\n"
        "conv2d with a kernel of this size (one number: a square), plus a bias for each output; weight [out, "
        "channels /\ngroups, height, width] and bias [out] start uniform in +-1/sqrt(products in a sum).\n\nbias: "
        "adds one number for each output\nstride: as in conv2d\npadding: as in conv2d\ndilation: as in conv2d\n"
        "groups: as in conv2d\ninputs: channels of the input, a multiple of groups; None: as the first one has"),
    MADE_ROW(max_pool2d_layer, max_pool2d_layer,
        "max_pool2d_layer(size, *, stride=None, padding=0)\n--\n\nMaxPool2d, AvgPool2d: max_pool2d and avg_pool2d.\n"
        "\nstride: from one window to the next; default: the window, so that they do not overlap\npadding: at most "
        "half a window"),
    MADE_ROW(avg_pool2d_layer, avg_pool2d_layer,
        "avg_pool2d_layer(size, *, stride=None, padding=0, count_padding=True)\n--\n\nMaxPool2d, AvgPool2d: "
        "max_pool2d and avg_pool2d.\n\nstride: from one window to the next; default: the window, so that they do "
        "not overlap\npadding: at most half a window\ncount_padding: means are over whole windows, zeros added"),
    MADE_ROW(batch_norm_layer, batch_norm_layer,
        "batch_norm_layer(*, eps=1e-05, momentum=0.1, inputs=None)\n--\n\nBatchNorm, LayerNorm: batch_norm: weight "
        "(1 at first) and bias (0), and the moments that the training calls left, mean and variance,\nwith which it "
        "normalises otherwise. layer_norm: weight and bias.\n\neps: added to the variance\nmomentum: share of a "
        "batch in the running moments, as in batch_norm\ninputs: channels of the input; None: as the first one "
        "has"),
    MADE_ROW(layer_norm_layer, layer_norm_layer,
        "layer_norm_layer(*, eps=1e-05, inputs=None)\n--\n\nBatchNorm, LayerNorm: batch_norm: weight (1 at first) "
        "and bias (0), and the moments that the training calls left, mean and variance,\nwith which it normalises "
        "otherwise. layer_norm: weight and bias.\n\neps: added to the variance\ninputs: elements of a row; None: as "
        "the first input's rows have"),
    MADE_ROW(embedding_layer, embedding_layer,
        "embedding_layer(count, width)\n--\n\nRows of weight [count, width] by integers; they start uniform in "
        "+-sqrt(3), with variance 1."),
    {NULL, NULL, 0, NULL}};
