/* situ/activation.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

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

MADE(silu_layer)
{
    TAKE("SiLU", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_silu_layer)(), MODULE, module_end);
}

MADE(mish_layer)
{
    TAKE("Mish", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_mish_layer)(), MODULE, module_end);
}

MADE(softplus_layer)
{
    TAKE("Softplus", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_softplus_layer)(), MODULE, module_end);
}

MADE(relu6_layer)
{
    TAKE("ReLU6", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_relu6_layer)(), MODULE, module_end);
}

MADE(softsign_layer)
{
    TAKE("Softsign", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_softsign_layer)(), MODULE, module_end);
}

MADE(hardswish_layer)
{
    TAKE("Hardswish", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_hardswish_layer)(), MODULE, module_end);
}

MADE(hardsigmoid_layer)
{
    TAKE("Hardsigmoid", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_hardsigmoid_layer)(), MODULE, module_end);
}

MADE(selu_layer)
{
    TAKE("SELU", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_selu_layer)(), MODULE, module_end);
}

MADE(log_sigmoid_layer)
{
    TAKE("LogSigmoid", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_log_sigmoid_layer)(), MODULE, module_end);
}

MADE(tanhshrink_layer)
{
    TAKE("Tanhshrink", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_tanhshrink_layer)(), MODULE, module_end);
}

MADE(identity_layer)
{
    TAKE("Identity", 0, 0, 0, {NULL}, {NULL});
    return end_handle(c, c->failed ? NULL : (situ_identity_layer)(), MODULE, module_end);
}

MADE(celu_layer)
{
    TAKE("CELU", 1, 0, 1, {"alpha"}, {NULL});
    double alpha_ = arg_double(c, 0, 1.0);
    return end_handle(c, c->failed ? NULL : (situ_celu_layer)(alpha_), MODULE, module_end);
}

MADE(hardshrink_layer)
{
    TAKE("Hardshrink", 1, 0, 1, {"lambd"}, {NULL});
    double bound_ = arg_double(c, 0, 0.5);
    return end_handle(c, c->failed ? NULL : (situ_hardshrink_layer)(bound_), MODULE, module_end);
}

MADE(softshrink_layer)
{
    TAKE("Softshrink", 1, 0, 1, {"lambd"}, {NULL});
    double bound_ = arg_double(c, 0, 0.5);
    return end_handle(c, c->failed ? NULL : (situ_softshrink_layer)(bound_), MODULE, module_end);
}

MADE(hardtanh_layer)
{
    TAKE("Hardtanh", 2, 0, 2, {"min_val", "max_val"}, {NULL});
    double low_ = arg_double(c, 0, -1.0);
    double high_ = arg_double(c, 1, 1.0);
    return end_handle(c, c->failed ? NULL : (situ_hardtanh_layer)(low_, high_), MODULE, module_end);
}

MADE(threshold_layer)
{
    TAKE("Threshold", 2, 2, 2, {"threshold", "value"}, {NULL});
    double threshold_ = arg_double(c, 0, 0);
    double value_ = arg_double(c, 1, 0);
    return end_handle(c, c->failed ? NULL : (situ_threshold_layer)(threshold_, value_), MODULE, module_end);
}

MADE(glu_layer)
{
    TAKE("GLU", 1, 0, 1, {"axis"}, {NULL});
    int axis_ = arg_int32(c, 0, -1);
    return end_handle(c, c->failed ? NULL : (situ_glu_layer)(axis_), MODULE, module_end);
}

MADE(leaky_relu_layer)
{
    TAKE("LeakyReLU", 1, 0, 1, {"slope"}, {NULL});
    double slope_ = arg_double(c, 0, 0.01);
    return end_handle(c, c->failed ? NULL : (situ_leaky_relu_layer)(slope_), MODULE, module_end);
}

MADE(elu_layer)
{
    TAKE("ELU", 1, 0, 1, {"alpha"}, {NULL});
    double alpha_ = arg_double(c, 0, 1.0);
    return end_handle(c, c->failed ? NULL : (situ_elu_layer)(alpha_), MODULE, module_end);
}

MADE(softmax_layer)
{
    TAKE("Softmax", 1, 0, 1, {"axis"}, {NULL});
    int axis_ = arg_int32(c, 0, -1);
    return end_handle(c, c->failed ? NULL : (situ_softmax_layer)(axis_), MODULE, module_end);
}

MADE(log_softmax_layer)
{
    TAKE("LogSoftmax", 1, 0, 1, {"axis"}, {NULL});
    int axis_ = arg_int32(c, 0, -1);
    return end_handle(c, c->failed ? NULL : (situ_log_softmax_layer)(axis_), MODULE, module_end);
}

MADE(prelu_layer)
{
    TAKE("PReLU", 1, 0, 1, {"count"}, {NULL});
    int64_t count_ = arg_int(c, 0, 1);
    return end_handle(c, c->failed ? NULL : (situ_prelu_layer)(count_), MODULE, module_end);
}

PyMethodDef made_activation_methods[] = {
    MADE_ROW(relu_layer, relu_layer,
        "relu_layer()\n--\n\nmax(x, 0)."),
    MADE_ROW(sigmoid_layer, sigmoid_layer,
        "sigmoid_layer()\n--\n\n1 / (1 + e^-x)."),
    MADE_ROW(tanh_layer, tanh_layer,
        "tanh_layer()\n--\n\nTanh x."),
    MADE_ROW(gelu_layer, gelu_layer,
        "gelu_layer()\n--\n\nGelu x (tanh form)."),
    MADE_ROW(silu_layer, silu_layer,
        "silu_layer()\n--\n\nx / (1 + e^-x)."),
    MADE_ROW(mish_layer, mish_layer,
        "mish_layer()\n--\n\nx tanh(log(1 + e^x))."),
    MADE_ROW(softplus_layer, softplus_layer,
        "softplus_layer()\n--\n\nlog(1 + e^x)."),
    MADE_ROW(relu6_layer, relu6_layer,
        "relu6_layer()\n--\n\nmin(max(x, 0), 6)."),
    MADE_ROW(softsign_layer, softsign_layer,
        "softsign_layer()\n--\n\nx / (1 + |x|)."),
    MADE_ROW(hardswish_layer, hardswish_layer,
        "hardswish_layer()\n--\n\nx clip(x + 3, 0, 6) / 6."),
    MADE_ROW(hardsigmoid_layer, hardsigmoid_layer,
        "hardsigmoid_layer()\n--\n\nclip(x + 3, 0, 6) / 6."),
    MADE_ROW(selu_layer, selu_layer,
        "selu_layer()\n--\n\n1.0507 elu x with alpha 1.6733."),
    MADE_ROW(log_sigmoid_layer, log_sigmoid_layer,
        "log_sigmoid_layer()\n--\n\nlog(1 / (1 + e^-x))."),
    MADE_ROW(tanhshrink_layer, tanhshrink_layer,
        "tanhshrink_layer()\n--\n\nx - tanh x."),
    MADE_ROW(identity_layer, identity_layer,
        "identity_layer()\n--\n\nx."),
    MADE_ROW(celu_layer, celu_layer,
        "celu_layer(alpha=1.0)\n--\n\nx where x > 0, else alpha (e^(x / alpha) - 1)."),
    MADE_ROW(hardshrink_layer, hardshrink_layer,
        "hardshrink_layer(lambd=0.5)\n--\n\nx where |x| > bound, else 0."),
    MADE_ROW(softshrink_layer, softshrink_layer,
        "softshrink_layer(lambd=0.5)\n--\n\nx moved by bound towards 0, at most to it."),
    MADE_ROW(hardtanh_layer, hardtanh_layer,
        "hardtanh_layer(min_val=-1.0, max_val=1.0)\n--\n\nx, but low and high at the ends."),
    MADE_ROW(threshold_layer, threshold_layer,
        "threshold_layer(threshold, value)\n--\n\nx where x > threshold, else value."),
    MADE_ROW(glu_layer, glu_layer,
        "glu_layer(axis=-1)\n--\n\na / (1 + e^-b) of the halves a and b of an axis."),
    MADE_ROW(leaky_relu_layer, leaky_relu_layer,
        "leaky_relu_layer(slope=0.01)\n--\n\nLeakyReLU, ELU, Softmax, LogSoftmax: x where x >= 0, else slope x; x "
        "where x > 0, else alpha (e^x - 1); exp(x) / sum(exp(x)) along an axis, and its logarithm."),
    MADE_ROW(elu_layer, elu_layer,
        "elu_layer(alpha=1.0)\n--\n\nLeakyReLU, ELU, Softmax, LogSoftmax: x where x >= 0, else slope x; x where x > "
        "0, else alpha (e^x - 1); exp(x) / sum(exp(x)) along an axis, and its logarithm."),
    MADE_ROW(softmax_layer, softmax_layer,
        "softmax_layer(axis=-1)\n--\n\nLeakyReLU, ELU, Softmax, LogSoftmax: x where x >= 0, else slope x; x where x "
        "> 0, else alpha (e^x - 1); exp(x) / sum(exp(x)) along an axis, and its logarithm."),
    MADE_ROW(log_softmax_layer, log_softmax_layer,
        "log_softmax_layer(axis=-1)\n--\n\nLeakyReLU, ELU, Softmax, LogSoftmax: x where x >= 0, else slope x; x "
        "where x > 0, else alpha (e^x - 1); exp(x) / sum(exp(x)) along an axis, and its logarithm."),
    MADE_ROW(prelu_layer, prelu_layer,
        "prelu_layer(count=1)\n--\n\nx where x >= 0, else weight x: a parameter [count], 0.25 at first: one for "
        "all, or one for each channel (axis 1)."),
    {NULL, NULL, 0, NULL}};
