/* situ/nn.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

static const choice words_bag[] = {{"mean", SITU_BAG_MEAN}, {"sum", SITU_BAG_SUM}, {"max", SITU_BAG_MAX}, {NULL, 0}};
static const choice words_init[] = {{"layer", SITU_INIT_LAYER}, {"constant", SITU_INIT_CONSTANT}, {"uniform", SITU_INIT_UNIFORM}, {"normal", SITU_INIT_NORMAL}, {"xavier_uniform", SITU_INIT_XAVIER_UNIFORM}, {"xavier_normal", SITU_INIT_XAVIER_NORMAL}, {"kaiming_uniform", SITU_INIT_KAIMING_UNIFORM}, {"kaiming_normal", SITU_INIT_KAIMING_NORMAL}, {"truncated", SITU_INIT_TRUNCATED}, {"orthogonal", SITU_INIT_ORTHOGONAL}, {"eye", SITU_INIT_EYE}, {NULL, 0}};

MADE(linear_layer)
{
    TAKE("Linear", 3, 1, 3, {"out", "bias", "inputs"}, {NULL});
    int64_t out_ = arg_int(c, 0, 0);
    situ_linear_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.bias = arg_bool(c, 1, true);
    o.in = arg_count(c, 2, "inputs");
    return end_handle(c, c->failed ? NULL : (situ_linear_layer)(out_, &o, c->site), MODULE, module_end);
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

MADE(channel_dropout_layer)
{
    TAKE("ChannelDropout", 1, 0, 1, {"rate"}, {NULL});
    double rate_ = arg_double(c, 0, 0.5);
    return end_handle(c, c->failed ? NULL : (situ_channel_dropout_layer)(rate_), MODULE, module_end);
}

MADE(bilinear_layer)
{
    TAKE("Bilinear", 2, 1, 2, {"out", "bias"}, {NULL});
    int64_t out_ = arg_int(c, 0, 0);
    situ_bilinear_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.bias = arg_bool(c, 1, true);
    return end_handle(c, c->failed ? NULL : (situ_bilinear_layer)(out_, &o, c->site), MODULE, module_end);
}

MADE(rms_norm_layer)
{
    TAKE("RMSNorm", 2, 0, 2, {"eps", "inputs"}, {NULL});
    situ_rms_norm_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.eps = arg_double(c, 0, 1e-6);
    o.in = arg_count(c, 1, "inputs");
    return end_handle(c, c->failed ? NULL : (situ_rms_norm_layer)(&o, c->site), MODULE, module_end);
}

MADE(instance_norm_layer)
{
    TAKE("InstanceNorm", 3, 0, 3, {"eps", "affine", "inputs"}, {NULL});
    situ_group_norm_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.eps = arg_double(c, 0, 1e-5);
    o.affine = arg_bool(c, 1, false);
    o.in = arg_count(c, 2, "inputs");
    return end_handle(c, c->failed ? NULL : (situ_instance_norm_layer)(&o, c->site), MODULE, module_end);
}

MADE(group_norm_layer)
{
    TAKE("GroupNorm", 4, 1, 4, {"count", "eps", "affine", "inputs"}, {NULL});
    int64_t count_ = arg_int(c, 0, 0);
    situ_group_norm_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.eps = arg_double(c, 1, 1e-5);
    o.affine = arg_bool(c, 2, true);
    o.in = arg_count(c, 3, "inputs");
    return end_handle(c, c->failed ? NULL : (situ_group_norm_layer)(count_, &o, c->site), MODULE, module_end);
}

MADE(batch_norm_layer)
{
    TAKE("BatchNorm", 4, 0, 4, {"eps", "momentum", "inputs", "group"}, {NULL});
    situ_batch_norm_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.eps = arg_double(c, 0, 1e-5);
    o.momentum = arg_double(c, 1, 0.1);
    o.in = arg_count(c, 2, "inputs");
    o.group = arg_group(c, 3);
    return end_handle(c, c->failed ? NULL : (situ_batch_norm_layer)(&o, c->site), MODULE, module_end);
}

MADE(layer_norm_layer)
{
    TAKE("LayerNorm", 3, 0, 3, {"shape", "eps", "inputs"}, {NULL});
    situ_layer_norm_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.shape = arg_shape(c, 0);
    o.eps = arg_double(c, 1, 1e-5);
    o.in = arg_count(c, 2, "inputs");
    return end_handle(c, c->failed ? NULL : (situ_layer_norm_layer)(&o, c->site), MODULE, module_end);
}

MADE(embedding_layer)
{
    TAKE("Embedding", 2, 2, 2, {"count", "width"}, {NULL});
    int64_t count_ = arg_int(c, 0, 0);
    int64_t width_ = arg_int(c, 1, 0);
    return end_handle(c, c->failed ? NULL : (situ_embedding_layer)(count_, width_), MODULE, module_end);
}

MADE(embedding_bag_layer)
{
    TAKE("EmbeddingBag", 3, 2, 3, {"count", "width", "mode"}, {NULL});
    int64_t count_ = arg_int(c, 0, 0);
    int64_t width_ = arg_int(c, 1, 0);
    situ_embedding_bag_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.mode = (situ_bag)arg_word(c, 2, words_bag, 0, "mode");
    return end_handle(c, c->failed ? NULL : (situ_embedding_bag_layer)(count_, width_, &o, c->site), MODULE, module_end);
}

MADE(initial)
{
    TAKE("initial", 5, 3, 3, {"key", "shape", "how", "gain", "value"}, {NULL});
    situ_tensor *key_ = arg_tensor(c, 0);
    situ_shape shape_ = arg_shape(c, 1);
    situ_init how_ = (situ_init)arg_word(c, 2, words_init, 0, "how");
    situ_initial_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.gain = arg_double(c, 3, 1);
    o.value = arg_double(c, 4, 0);
    return call_end(c, c->failed ? NULL : (situ_initial)(key_, shape_, how_, &o, c->site));
}

PyMethodDef made_nn_methods[] = {
    MADE_ROW(linear_layer, linear_layer,
        "linear_layer(out, *, bias=True, inputs=None)\n--\n\ny = x W^T + b over the last axis; weight [out, in] and "
        "bias [out] start uniform in +-1/sqrt(in).\n\nbias: adds b\ninputs: size of the input; None: that of the "
        "first one"),
    MADE_ROW(flatten_layer, flatten_layer,
        "flatten_layer()\n--\n\n[batch, ...] becomes [batch, all the rest]."),
    MADE_ROW(dropout_layer, dropout_layer,
        "dropout_layer(rate=0.5)\n--\n\nWhile training: elements become 0 with probability rate, the others are "
        "divided by 1 - rate. The mask depends on the\nnetwork's key, the layer, the step, and the positions in the "
        "whole batch (see module_call)."),
    MADE_ROW(channel_dropout_layer, channel_dropout_layer,
        "channel_dropout_layer(rate=0.5)\n--\n\nThe same for whole channels: of x [batch, channels, ...] all "
        "elements of a channel stay or become 0 together."),
    MADE_ROW(bilinear_layer, bilinear_layer,
        "bilinear_layer(out, *, bias=True)\n--\n\ny_k = a W_k b' + b_k over the last axes of two inputs a and b; "
        "weight [out, size of a, size of b] and bias [out] start uniform in\n+-1/sqrt(size of a).\n\n    y = "
        "bilinear(a, b)                  # [..., out]\n\nbias: adds b"),
    MADE_ROW(rms_norm_layer, rms_norm_layer,
        "rms_norm_layer(*, eps=1e-06, inputs=None)\n--\n\nx / sqrt(mean x^2 + eps) weight over the last axis; "
        "weight starts as ones.\n\neps: added to the mean square\ninputs: elements of a row; None: as the first "
        "input's rows have"),
    MADE_ROW(instance_norm_layer, instance_norm_layer,
        "instance_norm_layer(*, eps=1e-05, affine=False, inputs=None)\n--\n\n(x - mean) / sqrt(variance + eps) of x "
        "[batch, channels, ...] with the moments of each group of channels in each row. An\ninstance norm has a "
        "group for each channel. Here affine = false.\n\neps: added to the variance\naffine: multiplies by weight "
        "and adds bias, one for each channel\ninputs: channels of the input; None: as the first one has"),
    MADE_ROW(group_norm_layer, group_norm_layer,
        "group_norm_layer(count, *, eps=1e-05, affine=True, inputs=None)\n--\n\n(x - mean) / sqrt(variance + eps) "
        "of x [batch, channels, ...] with the moments of each of so many groups of channels in each\nrow; weight (1 "
        "at first) and bias (0) for each channel.\n\neps: added to the variance\naffine: multiplies by weight and "
        "adds bias, one for each channel\ninputs: channels of the input; None: as the first one has"),
    MADE_ROW(batch_norm_layer, batch_norm_layer,
        "batch_norm_layer(*, eps=1e-05, momentum=0.1, inputs=None, group=None)\n--\n\nBatchNorm, LayerNorm: "
        "batch_norm of [n, channels, ...]: weight (1 at first) and bias (0), and the moments that the training "
        "calls left,\nrunning_mean and running_var, with which it normalises otherwise. layer_norm: weight and "
        "bias. With a group every rank\ncalls the network once for each step: the moments, and so the running ones, "
        "are those of all of their rows, and gradients pass\nthrough them.\n\neps: added to the variance\nmomentum: "
        "share of a batch in the running moments, as in batch_norm\ninputs: channels of the input; None: as the "
        "first one has\ngroup: of the ranks whose rows together give the moments while training; none: each has its "
        "own"),
    MADE_ROW(layer_norm_layer, layer_norm_layer,
        "layer_norm_layer(shape=None, *, eps=1e-05, inputs=None)\n--\n\nBatchNorm, LayerNorm: batch_norm of [n, "
        "channels, ...]: weight (1 at first) and bias (0), and the moments that the training calls left,\n"
        "running_mean and running_var, with which it normalises otherwise. layer_norm: weight and bias. With a "
        "group every rank\ncalls the network once for each step: the moments, and so the running ones, are those of "
        "all of their rows, and gradients pass\nthrough them.\n\nshape: sizes of the last axes, which are a row "
        "together and weight's and bias's; default: the last axis alone\neps: added to the variance\ninputs: "
        "elements of a row; None: as the first input's rows have"),
    MADE_ROW(embedding_layer, embedding_layer,
        "embedding_layer(count, width)\n--\n\nRows of weight [count, width] by integers; they start uniform in "
        "+-sqrt(3), with variance 1."),
    MADE_ROW(embedding_bag_layer, embedding_bag_layer,
        "embedding_bag_layer(count, width, *, mode='mean')\n--\n\nOf index [batch, n] the mean, sum or largest of n "
        "rows of weight [count, width], which start as those of Embedding;\nan index of -1 is none. A second input, "
        "weights [batch, n], multiplies the rows of a sum.\n\n    y = bag(index)                      # index "
        "[rows, most] gives [rows, width]\n    y = bag(index, weights)\n\nmode: of the rows of a bag"),
    MADE_ROW(initial, initial,
        "initial(key, shape, how, *, gain=1.0, value=0.0)\n--\n\nA tensor of this shape, f32, on the key's device.\n"
        "\ngain: as the table says\nvalue: as the table says"),
    {NULL, NULL, 0, NULL}};
