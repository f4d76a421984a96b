/* situ/function.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

static const choice words_reduction[] = {{"mean", SITU_MEAN}, {"sum", SITU_SUM}, {"none", SITU_NONE}, {NULL, 0}};

MADE(gelu)
{
    TAKE("gelu", 2, 1, 2, {"x", "exact"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_gelu_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.exact = arg_bool(c, 1, false);
    return call_end(c, c->failed ? NULL : (situ_gelu)(x_, &o, c->site));
}

MADE(silu)
{
    TAKE("silu", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    return call_end(c, c->failed ? NULL : (situ_silu)(x_, c->site));
}

MADE(mish)
{
    TAKE("mish", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    return call_end(c, c->failed ? NULL : (situ_mish)(x_, c->site));
}

MADE(leaky_relu)
{
    TAKE("leaky_relu", 2, 2, 2, {"x", "slope"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *slope_ = arg_tensor(c, 1);
    return call_end(c, c->failed ? NULL : (situ_leaky_relu)(x_, slope_, c->site));
}

MADE(elu)
{
    TAKE("elu", 2, 2, 2, {"x", "alpha"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *alpha_ = arg_tensor(c, 1);
    return call_end(c, c->failed ? NULL : (situ_elu)(x_, alpha_, c->site));
}

MADE(softmax)
{
    TAKE("softmax", 2, 1, 2, {"x", "axis"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_softmax_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 1, -1);
    return call_end(c, c->failed ? NULL : (situ_softmax)(x_, &o, c->site));
}

MADE(log_softmax)
{
    TAKE("log_softmax", 2, 1, 2, {"x", "axis"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_softmax_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 1, -1);
    return call_end(c, c->failed ? NULL : (situ_log_softmax)(x_, &o, c->site));
}

MADE(cross_entropy)
{
    TAKE("cross_entropy", 3, 2, 3, {"logits", "labels", "reduction"}, {NULL});
    situ_tensor *logits_ = arg_tensor(c, 0);
    situ_tensor *labels_ = arg_tensor(c, 1);
    situ_loss_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.reduction = (situ_reduction)arg_word(c, 2, words_reduction, 0, "reduction");
    return call_end(c, c->failed ? NULL : (situ_cross_entropy)(logits_, labels_, &o, c->site));
}

MADE(mse)
{
    TAKE("mse", 3, 2, 3, {"prediction", "target", "reduction"}, {NULL});
    situ_tensor *prediction_ = arg_tensor(c, 0);
    situ_tensor *target_ = arg_tensor(c, 1);
    situ_loss_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.reduction = (situ_reduction)arg_word(c, 2, words_reduction, 0, "reduction");
    return call_end(c, c->failed ? NULL : (situ_mse)(prediction_, target_, &o, c->site));
}

MADE(accuracy)
{
    TAKE("accuracy", 2, 2, 2, {"logits", "labels"}, {NULL});
    situ_tensor *logits_ = arg_tensor(c, 0);
    situ_tensor *labels_ = arg_tensor(c, 1);
    return call_end(c, c->failed ? NULL : (situ_accuracy)(logits_, labels_, c->site));
}

MADE(dropout)
{
    TAKE("dropout", 3, 3, 3, {"x", "key", "rate"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *key_ = arg_tensor(c, 1);
    situ_tensor *rate_ = arg_tensor(c, 2);
    return call_end(c, c->failed ? NULL : (situ_dropout)(x_, key_, rate_, c->site));
}

PyMethodDef made_function_methods[] = {
    MADE_ROW(gelu, gelu,
        "gelu(x, exact=False)\n--\n\nx / (1 + exp(-2u)), u = sqrt(2 / pi) (x + 0.044715 x^3): the tanh form of "
        "gelu.\n\nexact: x (1 + erf(x / sqrt 2)) / 2 instead of the usual approximation"),
    MADE_ROW(silu, silu,
        "silu(x)\n--\n\nx / (1 + exp(-x))."),
    MADE_ROW(mish, mish,
        "mish(x)\n--\n\nX tanh(log(1 + exp(x)))."),
    MADE_ROW(leaky_relu, leaky_relu,
        "leaky_relu(x, slope)\n--\n\nX where x >= 0, else slope x."),
    MADE_ROW(elu, elu,
        "elu(x, alpha)\n--\n\nX where x > 0, else alpha (exp(x) - 1)."),
    MADE_ROW(softmax, softmax,
        "softmax(x, axis=-1)\n--\n\nexp(x) / sum(exp(x)).\n\naxis: along which; -1 is the last"),
    MADE_ROW(log_softmax, log_softmax,
        "log_softmax(x, axis=-1)\n--\n\nx - log(sum(exp(x))).\n\naxis: along which; -1 is the last"),
    MADE_ROW(cross_entropy, cross_entropy,
        "cross_entropy(logits, labels, reduction='mean')\n--\n\n-log_softmax(logits)[..., label]; labels: integers, "
        "in the shape of logits without its last axis.\nA label that is not from 0 to the number of scores - 1 is "
        "bad_index where the loss is computed.\n\nreduction: of the losses of all elements"),
    MADE_ROW(mse, mse,
        "mse(prediction, target, reduction='mean')\n--\n\n(prediction - target)^2; both of one shape, or one of "
        "them a single number.\n\nreduction: of the losses of all elements"),
    MADE_ROW(accuracy, accuracy,
        "accuracy(logits, labels)\n--\n\nThe share of rows whose largest score is at the label; a 0-d f32. Labels "
        "as in cross_entropy."),
    MADE_ROW(dropout, dropout,
        "dropout(x, key, rate)\n--\n\nElements become 0 with probability rate, the others are divided by 1 - "
        "rate."),
    {NULL, NULL, 0, NULL}};
