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
    TAKE("leaky_relu", 2, 1, 2, {"x", "slope"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *slope_ = given(c, 1) ? arg_tensor(c, 1) : situ_scalar_float(0.01);
    return call_end(c, c->failed ? NULL : (situ_leaky_relu)(x_, slope_, c->site));
}

MADE(elu)
{
    TAKE("elu", 2, 1, 2, {"x", "alpha"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *alpha_ = given(c, 1) ? arg_tensor(c, 1) : situ_scalar_float(1.0);
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
    TAKE("cross_entropy", 7, 2, 3, {"logits", "labels", "reduction", "axis", "smoothing", "weights", "ignored"}, {NULL});
    situ_tensor *logits_ = arg_tensor(c, 0);
    situ_tensor *labels_ = arg_tensor(c, 1);
    situ_cross_entropy_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.reduction = (situ_reduction)arg_word(c, 2, words_reduction, 0, "reduction");
    o.axis = arg_int32(c, 3, -1);
    o.smoothing = arg_double(c, 4, 0);
    o.weights = arg_optional(c, 5);
    o.ignored = arg_optional(c, 6);
    return call_end(c, c->failed ? NULL : (situ_cross_entropy)(logits_, labels_, &o, c->site));
}

MADE(nll_loss)
{
    TAKE("nll_loss", 6, 2, 2, {"log_probs", "labels", "reduction", "axis", "weights", "ignored"}, {NULL});
    situ_tensor *log_probs_ = arg_tensor(c, 0);
    situ_tensor *labels_ = arg_tensor(c, 1);
    situ_nll_loss_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.reduction = (situ_reduction)arg_word(c, 2, words_reduction, 0, "reduction");
    o.axis = arg_int32(c, 3, -1);
    o.weights = arg_optional(c, 4);
    o.ignored = arg_optional(c, 5);
    return call_end(c, c->failed ? NULL : (situ_nll_loss)(log_probs_, labels_, &o, c->site));
}

MADE(binary_cross_entropy)
{
    TAKE("binary_cross_entropy", 4, 2, 2, {"p", "target", "reduction", "weights"}, {NULL});
    situ_tensor *p_ = arg_tensor(c, 0);
    situ_tensor *target_ = arg_tensor(c, 1);
    situ_binary_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.reduction = (situ_reduction)arg_word(c, 2, words_reduction, 0, "reduction");
    o.weights = arg_optional(c, 3);
    return call_end(c, c->failed ? NULL : (situ_binary_cross_entropy)(p_, target_, &o, c->site));
}

MADE(binary_cross_entropy_with_logits)
{
    TAKE("binary_cross_entropy_with_logits", 5, 2, 2, {"logits", "target", "reduction", "weights", "pos_weights"}, {NULL});
    situ_tensor *logits_ = arg_tensor(c, 0);
    situ_tensor *target_ = arg_tensor(c, 1);
    situ_binary_logits_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.reduction = (situ_reduction)arg_word(c, 2, words_reduction, 0, "reduction");
    o.weights = arg_optional(c, 3);
    o.pos_weights = arg_optional(c, 4);
    return call_end(c, c->failed ? NULL : (situ_binary_cross_entropy_with_logits)(logits_, target_, &o, c->site));
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

MADE(l1_loss)
{
    TAKE("l1_loss", 3, 2, 3, {"prediction", "target", "reduction"}, {NULL});
    situ_tensor *prediction_ = arg_tensor(c, 0);
    situ_tensor *target_ = arg_tensor(c, 1);
    situ_loss_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.reduction = (situ_reduction)arg_word(c, 2, words_reduction, 0, "reduction");
    return call_end(c, c->failed ? NULL : (situ_l1_loss)(prediction_, target_, &o, c->site));
}

MADE(smooth_l1_loss)
{
    TAKE("smooth_l1_loss", 4, 2, 2, {"prediction", "target", "reduction", "beta"}, {NULL});
    situ_tensor *prediction_ = arg_tensor(c, 0);
    situ_tensor *target_ = arg_tensor(c, 1);
    situ_smooth_l1_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.reduction = (situ_reduction)arg_word(c, 2, words_reduction, 0, "reduction");
    o.beta = arg_double(c, 3, 1);
    return call_end(c, c->failed ? NULL : (situ_smooth_l1_loss)(prediction_, target_, &o, c->site));
}

MADE(huber_loss)
{
    TAKE("huber_loss", 4, 2, 2, {"prediction", "target", "reduction", "delta"}, {NULL});
    situ_tensor *prediction_ = arg_tensor(c, 0);
    situ_tensor *target_ = arg_tensor(c, 1);
    situ_huber_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.reduction = (situ_reduction)arg_word(c, 2, words_reduction, 0, "reduction");
    o.delta = arg_double(c, 3, 1);
    return call_end(c, c->failed ? NULL : (situ_huber_loss)(prediction_, target_, &o, c->site));
}

MADE(kl_div)
{
    TAKE("kl_div", 4, 2, 2, {"log_probs", "target", "reduction", "log_target"}, {NULL});
    situ_tensor *log_probs_ = arg_tensor(c, 0);
    situ_tensor *target_ = arg_tensor(c, 1);
    situ_kl_div_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.reduction = (situ_reduction)arg_word(c, 2, words_reduction, 0, "reduction");
    o.log_target = arg_bool(c, 3, false);
    return call_end(c, c->failed ? NULL : (situ_kl_div)(log_probs_, target_, &o, c->site));
}

MADE(hinge_loss)
{
    TAKE("hinge_loss", 3, 2, 2, {"score", "sign", "reduction"}, {NULL});
    situ_tensor *score_ = arg_tensor(c, 0);
    situ_tensor *sign_ = arg_tensor(c, 1);
    situ_loss_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.reduction = (situ_reduction)arg_word(c, 2, words_reduction, 0, "reduction");
    return call_end(c, c->failed ? NULL : (situ_hinge_loss)(score_, sign_, &o, c->site));
}

MADE(hinge_embedding_loss)
{
    TAKE("hinge_embedding_loss", 4, 2, 2, {"distance", "sign", "reduction", "margin"}, {NULL});
    situ_tensor *distance_ = arg_tensor(c, 0);
    situ_tensor *sign_ = arg_tensor(c, 1);
    situ_hinge_embedding_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.reduction = (situ_reduction)arg_word(c, 2, words_reduction, 0, "reduction");
    o.margin = arg_double(c, 3, 1);
    return call_end(c, c->failed ? NULL : (situ_hinge_embedding_loss)(distance_, sign_, &o, c->site));
}

MADE(cosine_embedding_loss)
{
    TAKE("cosine_embedding_loss", 5, 3, 3, {"a", "b", "sign", "reduction", "margin"}, {NULL});
    situ_tensor *a_ = arg_tensor(c, 0);
    situ_tensor *b_ = arg_tensor(c, 1);
    situ_tensor *sign_ = arg_tensor(c, 2);
    situ_cosine_embedding_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.reduction = (situ_reduction)arg_word(c, 3, words_reduction, 0, "reduction");
    o.margin = arg_double(c, 4, 0);
    return call_end(c, c->failed ? NULL : (situ_cosine_embedding_loss)(a_, b_, sign_, &o, c->site));
}

MADE(margin_ranking_loss)
{
    TAKE("margin_ranking_loss", 5, 3, 3, {"a", "b", "sign", "reduction", "margin"}, {NULL});
    situ_tensor *a_ = arg_tensor(c, 0);
    situ_tensor *b_ = arg_tensor(c, 1);
    situ_tensor *sign_ = arg_tensor(c, 2);
    situ_margin_ranking_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.reduction = (situ_reduction)arg_word(c, 3, words_reduction, 0, "reduction");
    o.margin = arg_double(c, 4, 0);
    return call_end(c, c->failed ? NULL : (situ_margin_ranking_loss)(a_, b_, sign_, &o, c->site));
}

MADE(triplet_margin_loss)
{
    TAKE("triplet_margin_loss", 8, 3, 3, {"anchor", "positive", "negative", "reduction", "margin", "ord", "eps", "swap"}, {NULL});
    situ_tensor *anchor_ = arg_tensor(c, 0);
    situ_tensor *positive_ = arg_tensor(c, 1);
    situ_tensor *negative_ = arg_tensor(c, 2);
    situ_triplet_margin_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.reduction = (situ_reduction)arg_word(c, 3, words_reduction, 0, "reduction");
    o.margin = arg_double(c, 4, 1);
    o.ord = arg_double(c, 5, 2);
    o.eps = arg_double(c, 6, 1e-6);
    o.swap = arg_bool(c, 7, false);
    return call_end(c, c->failed ? NULL : (situ_triplet_margin_loss)(anchor_, positive_, negative_, &o, c->site));
}

MADE(ctc_loss)
{
    TAKE("ctc_loss", 7, 2, 2, {"log_probs", "labels", "reduction", "input_lengths", "target_lengths", "blank", "zero_infinity"}, {NULL});
    situ_tensor *log_probs_ = arg_tensor(c, 0);
    situ_tensor *labels_ = arg_tensor(c, 1);
    situ_ctc_loss_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.reduction = (situ_reduction)arg_word(c, 2, words_reduction, 0, "reduction");
    o.input_lengths = arg_optional(c, 3);
    o.target_lengths = arg_optional(c, 4);
    o.blank = arg_int(c, 5, 0);
    o.zero_infinity = arg_bool(c, 6, false);
    return call_end(c, c->failed ? NULL : (situ_ctc_loss)(log_probs_, labels_, &o, c->site));
}

MADE(accuracy)
{
    TAKE("accuracy", 2, 2, 2, {"logits", "labels"}, {NULL});
    situ_tensor *logits_ = arg_tensor(c, 0);
    situ_tensor *labels_ = arg_tensor(c, 1);
    return call_end(c, c->failed ? NULL : (situ_accuracy)(logits_, labels_, c->site));
}

MADE(global_norm)
{
    TAKE("global_norm", 1, 1, 1, {"tensors"}, {NULL});
    situ_list tensors_ = arg_list(c, 0);
    return call_end(c, c->failed ? NULL : (situ_global_norm)(tensors_, c->site));
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
        "mish(x)\n--\n\nx tanh(log(1 + exp(x)))."),
    MADE_ROW(leaky_relu, leaky_relu,
        "leaky_relu(x, slope=0.01)\n--\n\nx where x >= 0, else slope x."),
    MADE_ROW(elu, elu,
        "elu(x, alpha=1.0)\n--\n\nx where x > 0, else alpha (exp(x) - 1)."),
    MADE_ROW(softmax, softmax,
        "softmax(x, axis=-1)\n--\n\nexp(x) / sum(exp(x)).\n\naxis: the axis; -1 is the last"),
    MADE_ROW(log_softmax, log_softmax,
        "log_softmax(x, axis=-1)\n--\n\nx - log(sum(exp(x))).\n\naxis: the axis; -1 is the last"),
    MADE_ROW(cross_entropy, cross_entropy,
        "cross_entropy(logits, labels, reduction='mean', *, axis=-1, smoothing=0.0, weights=None, ignored=None)\n"
        "--\n\n-log_softmax(logits)[..., label]; labels: integers, in the shape of logits without its last axis, or "
        "probabilities (floats)\nin the shape of logits: -sum(labels log_softmax(logits)). The classes lie along "
        "the last axis; of logits [n, classes, ...] as\nPyTorch has them write axis = 1, also where the shapes "
        "would fit without. A label that is not from 0 to the number of\nscores - 1 is bad_index where the loss is "
        "computed. The mean of no elements is NaN.\n\nreduction: how the losses of all elements are reduced; the "
        "mean divides by the sum of their weights\naxis: the axis of the classes; -1 is the last\nsmoothing: this "
        "share of the target is spread evenly over all classes\nweights: a vector with the classes' weights\n"
        "ignored: the label, an integer, of elements that are ignored; none: every element counts"),
    MADE_ROW(nll_loss, nll_loss,
        "nll_loss(log_probs, labels, *, reduction='mean', axis=-1, weights=None, ignored=None)\n--\n\n"
        "-log_probs[..., label]: cross entropy for the result of log_softmax.\n\nreduction: how the losses of all "
        "elements are reduced; the mean divides by the sum of their weights\naxis: the axis of the classes; -1 is "
        "the last\nweights: a vector with the classes' weights\nignored: the label, an integer, of elements that "
        "are ignored; none: every element counts"),
    MADE_ROW(binary_cross_entropy, binary_cross_entropy,
        "binary_cross_entropy(p, target, *, reduction='mean', weights=None)\n--\n\n-(target log(p) + (1 - target) "
        "log(1 - p)) for probabilities p; both of one shape. log(0) counts as -100, without a gradient;\n"
        "binary_cross_entropy_with_logits has one. NaN for p outside of 0 to 1.\n\nreduction: how the losses of all "
        "elements are reduced\nweights: weights of the elements; broadcasts"),
    MADE_ROW(binary_cross_entropy_with_logits, binary_cross_entropy_with_logits,
        "binary_cross_entropy_with_logits(logits, target, *, reduction='mean', weights=None, pos_weights=None)\n--\n"
        "\nThe same for p = sigmoid(logits), without overflow: (1 - target) logits + pos log(1 + exp(-logits)),\n"
        "pos = 1 + (pos_weights - 1) target.\n\nreduction: how the losses of all elements are reduced\nweights: "
        "weights of the elements; broadcasts\npos_weights: weights of the term with target; broadcasts"),
    MADE_ROW(mse, mse,
        "mse(prediction, target, reduction='mean')\n--\n\n(prediction - target)^2; both of one shape, or one of "
        "them a single number.\n\nreduction: how the losses of all elements are reduced"),
    MADE_ROW(l1_loss, l1_loss,
        "l1_loss(prediction, target, reduction='mean')\n--\n\n|prediction - target|; shapes as for mse.\n\n"
        "reduction: how the losses of all elements are reduced"),
    MADE_ROW(smooth_l1_loss, smooth_l1_loss,
        "smooth_l1_loss(prediction, target, *, reduction='mean', beta=1.0)\n--\n\nd^2 / (2 beta) where d = "
        "|prediction - target| < beta, else d - beta / 2; shapes as for mse.\n\nreduction: how the losses of all "
        "elements are reduced\nbeta: up to this difference the loss is quadratic"),
    MADE_ROW(huber_loss, huber_loss,
        "huber_loss(prediction, target, *, reduction='mean', delta=1.0)\n--\n\nd^2 / 2 where d = |prediction - "
        "target| <= delta, else delta (d - delta / 2); shapes as for mse.\n\nreduction: how the losses of all "
        "elements are reduced\ndelta: up to this difference the loss is quadratic"),
    MADE_ROW(kl_div, kl_div,
        "kl_div(log_probs, target, *, reduction='mean', log_target=False)\n--\n\ntarget (log(target) - log_probs), "
        "0 where target is; both of one shape.\n\nreduction: how the losses of all elements are reduced; for the "
        "divergence of rows use sum and divide by the number of rows\nlog_target: target contains logarithms of "
        "probabilities"),
    MADE_ROW(hinge_loss, hinge_loss,
        "hinge_loss(score, sign, *, reduction='mean')\n--\n\nmax(0, 1 - score * sign), where sign is -1 or 1; both "
        "of one shape.\n\nreduction: how the losses of all elements are reduced"),
    MADE_ROW(hinge_embedding_loss, hinge_embedding_loss,
        "hinge_embedding_loss(distance, sign, *, reduction='mean', margin=1.0)\n--\n\ndistance where sign is 1, "
        "max(0, margin - distance) where it is -1; both of one shape.\n\nreduction: how the losses of all elements "
        "are reduced\nmargin: distances beyond this cost nothing"),
    MADE_ROW(cosine_embedding_loss, cosine_embedding_loss,
        "cosine_embedding_loss(a, b, sign, *, reduction='mean', margin=0.0)\n--\n\nWith the cosine of a and b along "
        "the last axis: 1 - cosine where sign is 1, max(0, cosine - margin) where it is -1; sign in\nthe shape of a "
        "without its last axis.\n\nreduction: how the losses of all rows are reduced\nmargin: cosines up to this "
        "cost nothing"),
    MADE_ROW(margin_ranking_loss, margin_ranking_loss,
        "margin_ranking_loss(a, b, sign, *, reduction='mean', margin=0.0)\n--\n\nmax(0, margin - sign (a - b)): a "
        "should be above b where sign is 1, below where it is -1; all of one shape.\n\nreduction: how the losses of "
        "all elements are reduced\nmargin: required difference"),
    MADE_ROW(triplet_margin_loss, triplet_margin_loss,
        "triplet_margin_loss(anchor, positive, negative, *, reduction='mean', margin=1.0, ord=2.0, eps=1e-06, "
        "swap=False)\n--\n\nmax(0, margin + distance(anchor, positive) - distance(anchor, negative)) with norms "
        "along the last axis; all of one shape.\n\nreduction: how the losses of all rows are reduced\nmargin: how "
        "much farther the negative should be\nord: the power of the distance\neps: added to differences\nswap: uses "
        "the smaller of the negative's distances to the anchor and to the positive"),
    MADE_ROW(ctc_loss, ctc_loss,
        "ctc_loss(log_probs, labels, *, reduction='mean', input_lengths=None, target_lengths=None, blank=0, "
        "zero_infinity=False)\n--\n\n-log of the probability that the steps give the labels, after merging repeated "
        "classes and removing blanks (Graves et al. 2006).\nlog_probs: f32[N, steps, classes], log_softmax along "
        "the last axis; labels: integers[N, most labels], none of them blank.\n\nreduction: how the losses of all "
        "rows are reduced; the mean first divides each by its number of labels\ninput_lengths: integers[N], number "
        "of valid steps in each row, may be 0; none: all\ntarget_lengths: integers[N], number of valid labels in "
        "each row; none: all\nblank: the blank class\nzero_infinity: rows with too few steps for their labels cost "
        "0 instead of infinity"),
    MADE_ROW(accuracy, accuracy,
        "accuracy(logits, labels)\n--\n\nThe share of rows whose largest score is at the label; a 0-d f32. Labels "
        "as in cross_entropy."),
    MADE_ROW(global_norm, global_norm,
        "global_norm(tensors)\n--\n\nThe square root of the sum of all squares of several tensors on one device, in "
        "f64: 0-d. Squares of f32 neither overflow nor\nunderflow."),
    MADE_ROW(dropout, dropout,
        "dropout(x, key, rate)\n--\n\nElements become 0 with probability rate, the others are divided by 1 - "
        "rate."),
    {NULL, NULL, 0, NULL}};
