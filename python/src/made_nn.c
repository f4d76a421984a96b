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
        "bias [out] start uniform in +-1/sqrt(in).\n\nbias: adds a bias b\ninputs: width of the input; None: that "
        "of the first input"),
    MADE_ROW(flatten_layer, flatten_layer,
        "flatten_layer()\n--\n\nReshapes [batch, ...] to [batch, all the rest]."),
    MADE_ROW(dropout_layer, dropout_layer,
        "dropout_layer(rate=0.5)\n--\n\nDropout: while training, elements become 0 with probability rate, and the "
        "others are divided by 1 - rate. The mask depends on the\nnetwork's key, the layer, the step, and the "
        "positions in the whole batch (see module_call)."),
    MADE_ROW(channel_dropout_layer, channel_dropout_layer,
        "channel_dropout_layer(rate=0.5)\n--\n\nThe same for whole channels of x [batch, channels, ...]: all "
        "elements of a channel are kept or become 0."),
    MADE_ROW(bilinear_layer, bilinear_layer,
        "bilinear_layer(out, *, bias=True)\n--\n\ny_k = a W_k b' + b_k over the last axes of two inputs a and b; "
        "weight [out, size of a, size of b] and bias [out] start uniform in\n+-1/sqrt(size of a).\n\n    y = "
        "bilinear(a, b)                  # [..., out]\n\nbias: adds a bias b"),
    MADE_ROW(rms_norm_layer, rms_norm_layer,
        "rms_norm_layer(*, eps=1e-06, inputs=None)\n--\n\nx / sqrt(mean x^2 + eps) weight over the last axis; "
        "weight is initially 1.\n\neps: added to the mean square\ninputs: length of a row; None: that of the first "
        "input's rows"),
    MADE_ROW(instance_norm_layer, instance_norm_layer,
        "instance_norm_layer(*, eps=1e-05, affine=False, inputs=None)\n--\n\n(x - mean) / sqrt(variance + eps) for "
        "x [batch, channels, ...], with moments for each group of channels in each row. An instance\nnorm has a "
        "group for each channel. Here affine = false.\n\neps: added to the variance\naffine: multiplies by a weight "
        "and adds a bias for each channel\ninputs: channels of the input; None: those of the first input"),
    MADE_ROW(group_norm_layer, group_norm_layer,
        "group_norm_layer(count, *, eps=1e-05, affine=True, inputs=None)\n--\n\n(x - mean) / sqrt(variance + eps) "
        "for x [batch, channels, ...], with moments for each of `count` groups of channels in each row;\na weight "
        "(initially 1) and a bias (0) for each channel.\n\neps: added to the variance\naffine: multiplies by a "
        "weight and adds a bias for each channel\ninputs: channels of the input; None: those of the first input"),
    MADE_ROW(batch_norm_layer, batch_norm_layer,
        "batch_norm_layer(*, eps=1e-05, momentum=0.1, inputs=None, group=None)\n--\n\nBatchNorm, LayerNorm: "
        "batch_norm for [n, channels, ...], with weight (initially 1), bias (0), and the running moments of "
        "training calls,\nrunning_mean and running_var, which it uses when not training. And layer_norm with weight "
        "and bias. With a group every rank\ncalls the network once in each step: the moments, and so the running "
        "ones, are those of all ranks' rows, and gradients pass\nthrough them.\n\neps: added to the variance\n"
        "momentum: weight of a batch in the running moments, as in batch_norm\ninputs: channels of the input; None: "
        "those of the first input\ngroup: ranks over whose rows together the moments are computed while training; "
        "none: each rank has its own"),
    MADE_ROW(layer_norm_layer, layer_norm_layer,
        "layer_norm_layer(shape=None, *, eps=1e-05, inputs=None)\n--\n\nBatchNorm, LayerNorm: batch_norm for [n, "
        "channels, ...], with weight (initially 1), bias (0), and the running moments of training calls,\n"
        "running_mean and running_var, which it uses when not training. And layer_norm with weight and bias. With a "
        "group every rank\ncalls the network once in each step: the moments, and so the running ones, are those of "
        "all ranks' rows, and gradients pass\nthrough them.\n\nshape: sizes of the last axes, over which it "
        "normalises, and of weight and bias; default: only the last axis\neps: added to the variance\ninputs: "
        "length of a row; None: that of the first input's rows"),
    MADE_ROW(embedding_layer, embedding_layer,
        "embedding_layer(count, width)\n--\n\nLooks up rows of weight [count, width] by integers; the weight is "
        "initially uniform in +-sqrt(3), with variance 1."),
    MADE_ROW(embedding_bag_layer, embedding_bag_layer,
        "embedding_bag_layer(count, width, *, mode='mean')\n--\n\nFor index [batch, n] the mean, sum or maximum of "
        "n rows of weight [count, width], initialised as in Embedding; index\n-1 is skipped. A second input, "
        "weights [batch, n], multiplies the rows of a sum.\n\n    y = bag(index)                      # index "
        "[rows, most] gives [rows, width]\n    y = bag(index, weights)\n\nmode: how the rows of a bag are "
        "combined"),
    MADE_ROW(initial, initial,
        "initial(key, shape, how, *, gain=1.0, value=0.0)\n--\n\nAn f32 tensor with this shape, on the key's "
        "device.\n\ngain: see the table\nvalue: see the table"),
    {NULL, NULL, 0, NULL}};
