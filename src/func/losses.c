/* Losses, and values that are reported beside them. */
#include <math.h>
#include <string.h>

#include "base/hint.h"
#include "func/losses.h"
#include "func/square_scale.h"
#include "graph/operand.h"
#include "op/index.h"
#include "op/table.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

situ_tensor *situ_reduced(situ_tensor *loss, situ_reduction reduction, situ_site site)
{
    if (reduction == SITU_NONE) return loss;
    return reduction == SITU_SUM ? situ_sum(loss) : situ_mean(loss);
}

/* Merges the caller's options into the defaults `o`, which begin with the reduction, and checks the operands. */
bool situ_take_loss(
    situ_tensor **in, int n, void *o, size_t size, const void *given, const char *operation, const char *operands, situ_site site)
{
    if (!situ_together(in, n, operation, operands, site) || !situ_take_options(o, size, given, operation, site)) return false;
    situ_reduction reduction = ((const situ_loss_options *)o)->reduction;
    if (reduction == SITU_MEAN || reduction == SITU_SUM || reduction == SITU_NONE) return true;
    situ_fail(SITU_BAD_OPTION, site,
        "%s: reduction %d; write " SITU_SAY("SITU_MEAN, SITU_SUM or SITU_NONE", "\"mean\", \"sum\" or \"none\""), operation,
        (int)reduction);
    return false;
}

static bool take_loss(situ_tensor *a, situ_tensor *b, situ_loss_options *o, const situ_loss_options *options, const char *operation,
    const char *operands, situ_site site)
{
    *o = (situ_loss_options){SITU_DEFAULTS(SITU_LOSS_DEFAULTS)};
    return situ_take_loss((situ_tensor *[]){a, b}, 2, o, sizeof *o, options, operation, operands, site);
}

static bool refuse_option(double value, bool right, const char *name, const char *range, const char *operation, situ_site site)
{
    if (right) return true;
    situ_fail(SITU_BAD_OPTION, site, "%s: .%s = %g; it is %s", operation, name, value, range);
    return false;
}

/* The dtype in which a loss of integers is computed; a difference of 32-bit integers does not fit into f32. */
static situ_dtype loss_dtype(situ_dtype d)
{
    return situ_dtype_is_float(d) ? d : d == SITU_BOOL || situ_dtype_size(d) < 4 ? SITU_F32 : SITU_F64;
}

/* If all tensors are integers, converts them to floats, so that differences and squares do not wrap; the loss is then
 * f32. Bools alone are refused later. */
static bool as_floats(situ_tensor **const *in, int n, situ_site site)
{
    situ_dtype dtype = SITU_F32;
    bool truths = true;
    for (int i = 0; i < n; i++) {
        if (situ_is_number(*in[i])) continue;
        if (situ_dtype_is_float((situ_dtype)(*in[i])->dtype)) return false;
        truths &= (*in[i])->dtype == SITU_BOOL;
        dtype = situ_dtype_promote(dtype, loss_dtype((situ_dtype)(*in[i])->dtype));
    }
    if (truths) return false;
    for (int i = 0; i < n; i++)
        if (!situ_is_number(*in[i])) *in[i] = situ_cast(*in[i], dtype);
    return true;
}
#define AS_FLOATS(...) \
    as_floats((situ_tensor **const[]){__VA_ARGS__}, sizeof((situ_tensor **const[]){__VA_ARGS__}) / sizeof(situ_tensor **), site)

static situ_tensor *finished(situ_tensor *loss, situ_reduction reduction, bool whole, situ_site site)
{
    loss = situ_reduced(loss, reduction, site);
    return whole ? situ_cast(loss, SITU_F32) : loss;
}

/* Checks that both have one shape, or that one is a single number; an integer second operand is converted to the
 * first's float dtype. */
bool situ_alike(situ_tensor *a, situ_tensor **b, const char *operation, const char *a_name, const char *b_name, situ_site site)
{
    char a_text[SITU_BRIEF_TEXT], b_text[SITU_BRIEF_TEXT];
    situ_tensor *other = *b;
    situ_dtype d = (situ_dtype)a->dtype, e = (situ_dtype)other->dtype;
    if (situ_dtype_is_complex(situ_dtype_promote(d, e))) {
        situ_fail(SITU_BAD_DTYPE, site,
            "%s: the square of a complex number is no distance; write " SITU_SAY(
                "situ_mean(situ_square(situ_abs(situ_sub(a, b))))", "situ.mean(situ.abs(a - b)**2)"),
            operation);
        return false;
    }
    bool single = !a->ndim || !other->ndim; /* one number for all elements */
    if (!single && !situ_shape_equal(a->ndim, a->dim, other->ndim, other->dim)) {
        situ_brief(a, a_text), situ_brief(other, b_text);
        bool first = situ_node_count(a) < situ_node_count(other); /* the one with fewer elements */
        if (situ_node_count(a) != situ_node_count(other))
            situ_fail(SITU_BAD_SHAPE, site,
                "%s: %s (%s) and %s (%s) have different shapes; write " SITU_SAY(
                    "situ_broadcast_to(%s, situ_shape_of(%s))", "situ.broadcast_to(%s, %s.shape)") " if that is meant",
                operation, a_name, a_text, b_name, b_text, first ? a_name : b_name, first ? b_name : a_name,
                first ? a_name : b_name, first ? b_name : a_name);
        else
            situ_fail(SITU_BAD_SHAPE, site,
                "%s: %s (%s) and %s (%s) have different shapes of as many elements; write " SITU_SAY(
                    "situ_reshape(%s, situ_shape_of(%s))", "situ.reshape(%s, %s.shape)") " if they have one order",
                operation, a_name, a_text, b_name, b_text, b_name, a_name, b_name, a_name);
        return false;
    }
    if (situ_dtype_is_float(d) && !situ_dtype_is_float(e) && !situ_is_number(other)) *b = situ_cast(other, d);
    return true;
}

/* If x was made (apart from shape and dtype) by an operation that turns scores into probabilities, its name, else
 * NULL. Operands of computed nodes may be gone. */
static const char *squashed_by(const situ_tensor *x)
{
    while (x->nin == 1 && !(x->flags & SITU_NODE_RAN) && (x->op->family == SITU_VIEW || x->op->family == SITU_CAST))
        x = situ_node_in(x)[0];
    return !strcmp(x->op->name, "softmax") || !strcmp(x->op->name, "sigmoid") ? x->op->name : NULL;
}

/* SITU_DEBUG=hints: warns if an operand that should be scores was made by a softmax or the like. */
static void hint_scores(const situ_tensor *x, const char *operation, const char *instead, situ_site site)
{
    const char *by = situ_hints() ? squashed_by(x) : NULL;
    if (by)
        situ_hint(site,
            "%s: its logits are the result of %s, but it takes scores and has a %s of its own; leave the first one out%s%s",
            operation, by, strcmp(operation, "cross_entropy") ? "sigmoid" : "softmax", *instead ? ", or write " : "", instead);
}

void situ_hint_logs(const situ_tensor *x, const char *operation, situ_site site)
{
    const char *by = situ_hints() ? squashed_by(x) : NULL;
    if (by)
        situ_hint(site,
            "%s: its log_probs are the result of %s, but it takes logarithms of probabilities; write " SITU_SAY(
                "situ_log_softmax", "situ.nn.log_softmax") " in its place",
            operation, by);
}

/* ---- classes ---------------------------------------------------------------------------------------------------------------- */

/* Checks that the labels' shape is that of the scores without the last axis. */
bool situ_check_labels(const situ_tensor *scores, const situ_tensor *labels, const char *operation, situ_site site)
{
    char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT];
    if (situ_dtype_is_float((situ_dtype)labels->dtype) && scores->ndim > 1 && labels->ndim == scores->ndim) {
        situ_fail(SITU_BAD_DTYPE, site,
            "%s: labels are integers in the shape of logits %s without the last axis, not %s; of rows of probabilities "
            "write " SITU_SAY("situ_argmax(labels, .axis = -1)", "situ.argmax(labels, axis=-1)"),
            operation, situ_brief(scores, a), situ_brief(labels, b));
        return false;
    }
    if (!situ_dtype_is_integer((situ_dtype)labels->dtype) || situ_is_number(labels)) {
        situ_fail(SITU_BAD_DTYPE, site, "%s: labels are a tensor of integers, not %s%s", operation, situ_brief(labels, b),
            situ_is_number(labels) || situ_dtype_is_complex((situ_dtype)labels->dtype) ?
                "" :
                "; write " SITU_SAY("situ_cast(labels, SITU_I64)", "labels.astype(\"int64\")"));
        return false;
    }
    if (scores->ndim && situ_shape_equal(scores->ndim - 1, scores->dim, labels->ndim, labels->dim)) return true;
    bool second = scores->ndim > 2 && labels->ndim == scores->ndim - 1 && labels->dim[0] == scores->dim[0] &&
        situ_shape_equal(labels->ndim - 1, labels->dim + 1, scores->ndim - 2, scores->dim + 2);
    situ_fail(SITU_BAD_SHAPE, site, "%s: labels %s are not in the shape of logits %s without the last axis%s", operation,
        situ_brief(labels, b), situ_brief(scores, a),
        second ? SITU_SAY("; write .axis = 1 if the classes lie along axis 1", "; write axis=1 if the classes lie along axis 1") :
                 "");
    return false;
}

/* Checks that the weights are real numbers and that their shape broadcasts to x. `names` is for messages: "x, weights". */
static bool weights_fit(situ_tensor *x, situ_tensor *weights, const char *operation, const char *names, situ_site site)
{
    if (!situ_option_fits(x, weights, operation, names, site)) return false;
    if (!weights || !situ_dtype_is_complex((situ_dtype)weights->dtype)) return true;
    situ_fail(SITU_BAD_DTYPE, site,
        "%s: " SITU_SAY(".", "") "%s is %s; a loss is real: write " SITU_SAY(
            "situ_real or situ_abs", "situ.real or situ.abs") " of it",
        operation, strrchr(names, ' ') + 1, situ_dtype_name((situ_dtype)weights->dtype));
    return false;
}

/* Moves the class axis to the end, and checks weights and the ignored label. */
static situ_tensor *classes_last(
    situ_tensor *scores, const situ_cross_entropy_options *o, const char *operation, const char *weights, situ_site site)
{
    char text[SITU_BRIEF_TEXT];
    if (!weights_fit(scores, o->weights, operation, weights, site) ||
        !situ_option_fits(scores, o->ignored, operation, "labels, ignored", site))
        return NULL;
    if (scores->ndim && o->axis != -1) {
        int axis = situ_axis(o->axis, scores->ndim, operation, site);
        if (axis < 0) return NULL;
        scores = situ_moveaxis(scores, axis, -1);
    }
    const situ_tensor *w = o->weights, *ignored = o->ignored;
    if (w && (w->ndim != 1 || !scores->ndim || w->dim[0] != scores->dim[scores->ndim - 1])) {
        situ_fail(SITU_BAD_SHAPE, site, "%s: weights (%s) are not one for each of the %lld classes", operation, situ_brief(w, text),
            scores->ndim ? (long long)scores->dim[scores->ndim - 1] : 1);
        return NULL;
    }
    if (ignored && (ignored->ndim || !situ_dtype_is_integer((situ_dtype)ignored->dtype))) {
        situ_fail(SITU_BAD_DTYPE, site, "%s: the ignored label is one integer, not %s", operation, situ_brief(ignored, text));
        return NULL;
    }
    return situ_error_code ? NULL : scores;
}

/* -sum(target * log_probs) over classes; the mean divides by the number of rows. A class with target 0 counts 0, even
 * if its probability is 0. */
static situ_tensor *soft_labels(situ_tensor *log_probs, situ_tensor *target, const situ_cross_entropy_options *o, situ_site site)
{
    if (o->smoothing > 0) {
        double share = o->smoothing / (double)log_probs->dim[log_probs->ndim - 1];
        target = situ_add(situ_mul(target, 1 - o->smoothing), share);
    }
    situ_tensor *each = situ_where(situ_equal(target, 0), 0, situ_mul(target, log_probs));
    if (o->weights) each = situ_mul(each, o->weights);
    return situ_reduced(situ_negative(situ_sum(each, .axes = AXES(-1))), o->reduction, site);
}

/* log_probs may be NULL: then only those of the labels are computed, from the scores. */
static situ_tensor *hard_labels(
    situ_tensor *scores, situ_tensor *log_probs, situ_tensor *labels, const situ_cross_entropy_options *o, situ_site site)
{
    situ_tensor *counts = o->ignored ? situ_not_equal(labels, o->ignored) : NULL, *weight = NULL;
    if (counts) labels = situ_where(counts, labels, 0);
    situ_tensor *of_label =
        log_probs ? situ_gather_labels(log_probs, labels, site) : situ_label_log_probs(scores, labels, counts, site);
    situ_tensor *loss = situ_negative(situ_squeeze(of_label, .axes = AXES(-1)));
    if (counts && o->weights)
        loss = situ_where(counts, loss, 0); /* ignored rows must not reach the gradient of the weights either
                                                                   */
    if (o->weights) {
        situ_tensor *table = situ_broadcast_to(o->weights, situ_shape_like(scores));
        weight = situ_squeeze(situ_gather_labels(table, labels, site), .axes = AXES(-1));
        loss = situ_mul(loss, weight);
    }
    if (o->smoothing > 0) {
        situ_tensor *all = o->weights ? situ_mul(log_probs, o->weights) : log_probs;
        double share = o->smoothing / (double)log_probs->dim[log_probs->ndim - 1];
        loss = situ_sub(situ_mul(loss, 1 - o->smoothing), situ_mul(situ_sum(all, .axes = AXES(-1)), share));
    }
    if (counts) {
        loss = situ_where(counts, loss, 0);
        weight = weight ? situ_where(counts, weight, 0) : situ_cast(counts, (situ_dtype)loss->dtype);
    }
    if (o->reduction == SITU_MEAN && weight) return situ_div(situ_sum(loss), situ_sum(weight));
    return situ_reduced(loss, o->reduction, site);
}

situ_tensor *(
    situ_cross_entropy)(situ_tensor *logits, situ_tensor *labels, const situ_cross_entropy_options *options, situ_site site)
{
    SITU_SPEAK("cross_entropy", site);
    situ_cross_entropy_options o = {SITU_DEFAULTS(SITU_CROSS_ENTROPY_DEFAULTS)};
    if (!situ_take_loss((situ_tensor *[]){logits, labels}, 2, &o, sizeof o, options, "cross_entropy", "logits, labels", site))
        return situ_poisoned();
    hint_scores(logits, "cross_entropy", "", site);
    bool soft = logits->ndim && situ_dtype_is_float((situ_dtype)labels->dtype) && labels->ndim == logits->ndim;
    bool same = soft && situ_shape_equal(logits->ndim, logits->dim, labels->ndim, labels->dim);
    if (soft && !same && logits->ndim > 1) {
        char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT];
        return situ_refused(SITU_BAD_SHAPE, site, "cross_entropy: probabilities %s are not in the shape of logits %s",
            situ_brief(labels, b), situ_brief(logits, a));
    }
    if (!refuse_option(o.smoothing, o.smoothing >= 0 && o.smoothing <= 1, "smoothing", "from 0 to 1", "cross_entropy", site) ||
        !(logits = classes_last(logits, &o, "cross_entropy", "logits, weights", site)))
        return situ_poisoned();
    if (same) {
        if (o.ignored) {
            situ_fail(SITU_BAD_OPTION, site,
                "cross_entropy: labels that are probabilities have none that is .ignored; weigh the rows' losses instead");
            return situ_poisoned();
        }
        return soft_labels(situ_log_softmax(logits), o.axis == -1 ? labels : situ_moveaxis(labels, o.axis, -1), &o, site);
    }
    if (!situ_check_labels(logits, labels, "cross_entropy", site)) return situ_poisoned();
    bool all = o.smoothing > 0 || !logits->dim[logits->ndim - 1] || !situ_dtype_is_float((situ_dtype)logits->dtype);
    if (all && o.ignored) /* scores of ignored rows get no gradient, even if they are NaN */
        logits = situ_where(situ_expand_dims(situ_not_equal(labels, o.ignored), -1), logits, 0);
    return hard_labels(logits, all ? situ_log_softmax(logits) : NULL, labels, &o, site);
}

situ_tensor *(situ_nll_loss)(situ_tensor *log_probs, situ_tensor *labels, const situ_nll_loss_options *options, situ_site site)
{
    SITU_SPEAK("nll_loss", site);
    situ_nll_loss_options o = {SITU_DEFAULTS(SITU_NLL_LOSS_DEFAULTS)};
    if (!situ_take_loss((situ_tensor *[]){log_probs, labels}, 2, &o, sizeof o, options, "nll_loss", "log_probs, labels", site))
        return situ_poisoned();
    situ_hint_logs(log_probs, "nll_loss", site);
    situ_cross_entropy_options all = {.reduction = o.reduction, .axis = o.axis, .weights = o.weights, .ignored = o.ignored};
    if (!(log_probs = classes_last(log_probs, &all, "nll_loss", "log_probs, weights", site)) ||
        !situ_check_labels(log_probs, labels, "nll_loss", site))
        return situ_poisoned();
    bool whole = AS_FLOATS(&log_probs);
    situ_tensor *loss = hard_labels(log_probs, log_probs, labels, &all, site);
    return whole ? situ_cast(loss, SITU_F32) : loss;
}

/* log(p), with -100 for p = 0, and NaN for p outside of [0, 1], which clipping the logarithm alone would hide. */
static situ_tensor *bounded_log(situ_tensor *p, situ_site site)
{
    situ_tensor *none = situ_equal(p, 0);
    return situ_where(none, -100, situ_maximum(situ_log(situ_where(none, 1, p)), -100));
}

situ_tensor *(situ_binary_cross_entropy)(situ_tensor *p, situ_tensor *target, const situ_binary_options *options, situ_site site)
{
    SITU_SPEAK("binary_cross_entropy", site);
    situ_binary_options o = {SITU_DEFAULTS(SITU_BINARY_DEFAULTS)};
    if (!situ_take_loss((situ_tensor *[]){p, target}, 2, &o, sizeof o, options, "binary_cross_entropy", "p, target", site) ||
        !situ_alike(p, &target, "binary_cross_entropy", "p", "target", site) ||
        !weights_fit(p, o.weights, "binary_cross_entropy", "p, weights", site))
        return situ_poisoned();
    bool whole = AS_FLOATS(&p, &target);
    situ_tensor *yes = situ_mul(target, bounded_log(p, site));
    situ_tensor *loss = situ_negative(situ_add(yes, situ_mul(situ_sub(1, target), bounded_log(situ_sub(1, p), site))));
    return finished(o.weights ? situ_mul(loss, o.weights) : loss, o.reduction, whole, site);
}

situ_tensor *(situ_binary_cross_entropy_with_logits)(situ_tensor *logits, situ_tensor *target,
    const situ_binary_logits_options *options, situ_site site)
{
    static const char name[] = "binary_cross_entropy_with_logits";
    SITU_SPEAK(name, site);
    situ_binary_logits_options o = {SITU_DEFAULTS(SITU_BINARY_LOGITS_DEFAULTS)};
    if (!situ_take_loss((situ_tensor *[]){logits, target}, 2, &o, sizeof o, options, name, "logits, target", site) ||
        !situ_alike(logits, &target, name, "logits", "target", site) ||
        !weights_fit(logits, o.weights, name, "logits, weights", site) ||
        !weights_fit(logits, o.pos_weights, name, "logits, pos_weights", site))
        return situ_poisoned();
    hint_scores(logits, name, SITU_SAY("situ_binary_cross_entropy", "situ.nn.binary_cross_entropy"), site);
    bool whole = AS_FLOATS(&logits, &target);
    if (o.pos_weights && !situ_is_number(o.pos_weights) && !situ_dtype_is_float((situ_dtype)o.pos_weights->dtype))
        o.pos_weights = situ_cast(o.pos_weights, (situ_dtype)logits->dtype);
    situ_tensor *no = situ_sub(1, target), *other = situ_where(situ_greater(logits, 0), no, target);
    /* Infinite and right: the loss is 0. */
    situ_tensor *far = situ_isinf(logits), *sure = situ_logical_and(far, situ_equal(other, 0));
    logits = situ_where(sure, 0, logits);
    situ_tensor *never = situ_equal(logits, -INFINITY); /* avoids NaN from infinities that cancel; the loss is then -target *
                                                         * logits, with its gradient */
    situ_tensor *near =
        situ_where(situ_logical_or(never, situ_logical_and(far, situ_equal(no, 0))), 0, logits); /* avoids 0 * infinity */
    situ_tensor *yes = situ_softplus(situ_negative(situ_where(never, 0, logits))), *missed = target;
    if (o.pos_weights) {
        yes = situ_mul(yes, situ_add(1, situ_mul(situ_sub(o.pos_weights, 1), target)));
        missed = situ_mul(target, o.pos_weights);
    }
    situ_tensor *all =
        situ_where(never, situ_mul(missed, situ_negative(situ_where(never, logits, -1))), situ_add(situ_mul(no, near), yes));
    situ_tensor *loss = situ_where(sure, 0, all);
    return finished(o.weights ? situ_mul(loss, o.weights) : loss, o.reduction, whole, site);
}

/* ---- distances -------------------------------------------------------------------------------------------------------------- */

situ_tensor *(situ_mse)(situ_tensor *prediction, situ_tensor *target, const situ_loss_options *options, situ_site site)
{
    SITU_SPEAK("mse", site);
    situ_loss_options o;
    if (!take_loss(prediction, target, &o, options, "mse", "prediction, target", site) ||
        !situ_alike(prediction, &target, "mse", "prediction", "target", site))
        return situ_poisoned();
    bool whole = AS_FLOATS(&prediction, &target);
    return finished(situ_square(situ_sub(prediction, target)), o.reduction, whole, site);
}

situ_tensor *(situ_l1_loss)(situ_tensor *prediction, situ_tensor *target, const situ_loss_options *options, situ_site site)
{
    SITU_SPEAK("l1_loss", site);
    situ_loss_options o;
    if (!take_loss(prediction, target, &o, options, "l1_loss", "prediction, target", site) ||
        !situ_alike(prediction, &target, "l1_loss", "prediction", "target", site))
        return situ_poisoned();
    bool whole = AS_FLOATS(&prediction, &target);
    return finished(situ_abs(situ_sub(prediction, target)), o.reduction, whole, site);
}

/* d^2 / 2 if |d| < delta, else delta (|d| - delta / 2); value and gradient are finite for every finite d. */
static situ_tensor *huber(situ_tensor *d, double delta, situ_site site)
{
    situ_tensor *size = situ_abs(d), *near = situ_less(size, delta);
    d = situ_where(near, d, 0); /* the gradient of infinity squared, times 0, would be NaN */
    return situ_where(near, situ_mul(situ_square(d), 0.5), situ_mul(situ_sub(size, delta / 2), delta));
}

situ_tensor *(
    situ_smooth_l1_loss)(situ_tensor *prediction, situ_tensor *target, const situ_smooth_l1_options *options, situ_site site)
{
    SITU_SPEAK("smooth_l1_loss", site);
    situ_smooth_l1_options o = {SITU_DEFAULTS(SITU_SMOOTH_L1_DEFAULTS)};
    if (!situ_take_loss(
            (situ_tensor *[]){prediction, target}, 2, &o, sizeof o, options, "smooth_l1_loss", "prediction, target", site) ||
        !refuse_option(o.beta, o.beta >= 0 && o.beta < INFINITY, "beta", "at least 0 and finite", "smooth_l1_loss", site) ||
        !situ_alike(prediction, &target, "smooth_l1_loss", "prediction", "target", site))
        return situ_poisoned();
    bool whole = AS_FLOATS(&prediction, &target);
    situ_tensor *d = situ_sub(prediction, target);
    return finished(o.beta > 0 ? situ_div(huber(d, o.beta, site), o.beta) : situ_abs(d), o.reduction, whole, site);
}

situ_tensor *(situ_huber_loss)(situ_tensor *prediction, situ_tensor *target, const situ_huber_options *options, situ_site site)
{
    SITU_SPEAK("huber_loss", site);
    situ_huber_options o = {SITU_DEFAULTS(SITU_HUBER_DEFAULTS)};
    if (!situ_take_loss(
            (situ_tensor *[]){prediction, target}, 2, &o, sizeof o, options, "huber_loss", "prediction, target", site) ||
        !refuse_option(o.delta, o.delta > 0 && o.delta < INFINITY, "delta", "above 0 and finite", "huber_loss", site) ||
        !situ_alike(prediction, &target, "huber_loss", "prediction", "target", site))
        return situ_poisoned();
    bool whole = AS_FLOATS(&prediction, &target);
    return finished(huber(situ_sub(prediction, target), o.delta, site), o.reduction, whole, site);
}

situ_tensor *(situ_kl_div)(situ_tensor *log_probs, situ_tensor *target, const situ_kl_div_options *options, situ_site site)
{
    SITU_SPEAK("kl_div", site);
    situ_kl_div_options o = {SITU_DEFAULTS(SITU_KL_DIV_DEFAULTS)};
    if (!situ_take_loss((situ_tensor *[]){log_probs, target}, 2, &o, sizeof o, options, "kl_div", "log_probs, target", site) ||
        !situ_alike(log_probs, &target, "kl_div", "log_probs", "target", site))
        return situ_poisoned();
    situ_hint_logs(log_probs, "kl_div", site);
    bool whole = AS_FLOATS(&log_probs, &target);
    situ_tensor *loss;
    if (o.log_target) {
        loss = situ_mul(situ_exp(target), situ_sub(target, log_probs));
    } else { /* 0 * log(0) counts as 0 */
        situ_tensor *there = situ_not_equal(target, 0);
        log_probs = situ_where(there, log_probs, 0);
        loss = situ_where(there, situ_mul(target, situ_sub(situ_log(situ_where(there, target, 1)), log_probs)), 0);
    }
    return finished(loss, o.reduction, whole, site);
}

/* ---- margins ---------------------------------------------------------------------------------------------------------------- */

situ_tensor *(situ_hinge_loss)(situ_tensor *score, situ_tensor *sign, const situ_loss_options *options, situ_site site)
{
    SITU_SPEAK("hinge_loss", site);
    situ_loss_options o;
    if (!take_loss(score, sign, &o, options, "hinge_loss", "score, sign", site) ||
        !situ_alike(score, &sign, "hinge_loss", "score", "sign", site))
        return situ_poisoned();
    bool whole = AS_FLOATS(&score, &sign);
    return finished(situ_relu(situ_sub(1, situ_mul(score, sign))), o.reduction, whole, site);
}

/* yes where sign is 1, no where it is -1, else 0. */
static situ_tensor *by_sign(situ_tensor *sign, situ_tensor *yes, situ_tensor *no, situ_site site)
{
    return situ_where(situ_equal(sign, 1), yes, situ_where(situ_equal(sign, -1), no, 0));
}

situ_tensor *(situ_hinge_embedding_loss)(situ_tensor *distance, situ_tensor *sign, const situ_hinge_embedding_options *options,
    situ_site site)
{
    SITU_SPEAK("hinge_embedding_loss", site);
    situ_hinge_embedding_options o = {SITU_DEFAULTS(SITU_HINGE_EMBEDDING_DEFAULTS)};
    situ_tensor *in[] = {distance, sign};
    if (!situ_take_loss(in, 2, &o, sizeof o, options, "hinge_embedding_loss", "distance, sign", site) ||
        !situ_alike(distance, &sign, "hinge_embedding_loss", "distance", "sign", site))
        return situ_poisoned();
    bool whole = AS_FLOATS(&distance, &sign);
    return finished(by_sign(sign, distance, situ_relu(situ_sub(o.margin, distance)), site), o.reduction, whole, site);
}

/* Scales rows so that their squares do not overflow; the cosine does not change. */
static situ_tensor *near_one(situ_tensor *x, situ_site site)
{
    if (situ_error_code || situ_is_number(x)) return x;
    x = situ_cast(
        x, situ_dtype_compute(situ_as_float((situ_dtype)x->dtype))); /* products of two squares of halves do not overflow in f32 */
    if (!x->ndim || !x->dim[x->ndim - 1]) return x;
    return situ_mul(x, situ_square_scale(situ_max(situ_abs(x), .axes = AXES(-1), .keepdims = true), false, site));
}

situ_tensor *(situ_cosine_embedding_loss)(situ_tensor *a, situ_tensor *b, situ_tensor *sign,
    const situ_cosine_embedding_options *options, situ_site site)
{
    SITU_SPEAK("cosine_embedding_loss", site);
    situ_cosine_embedding_options o = {SITU_DEFAULTS(SITU_COSINE_EMBEDDING_DEFAULTS)};
    situ_tensor *in[] = {a, b, sign};
    if (!situ_take_loss(in, 3, &o, sizeof o, options, "cosine_embedding_loss", "a, b, sign", site) ||
        !refuse_option(o.margin, o.margin >= -1 && o.margin <= 1, "margin", "from -1 to 1", "cosine_embedding_loss", site) ||
        !situ_alike(a, &b, "cosine_embedding_loss", "a", "b", site))
        return situ_poisoned();
    bool whole = AS_FLOATS(&a, &b);
    situ_dtype dtype = situ_is_number(b) ? (situ_dtype)a->dtype :
        situ_is_number(a)                ? (situ_dtype)b->dtype :
                                           situ_dtype_promote((situ_dtype)a->dtype, (situ_dtype)b->dtype);
    a = near_one(a, site), b = near_one(b, site);
    situ_tensor *dot = situ_sum(situ_mul(a, b), .axes = AXES(-1));
    situ_tensor *squares = situ_mul(situ_add(situ_sum(situ_square(a), .axes = AXES(-1)), 1e-12),
        situ_add(situ_sum(situ_square(b), .axes = AXES(-1)), 1e-12)); /* keeps the gradient finite if one vector is 0; the constant
                                                                       * is PyTorch's */
    situ_tensor *cosine = situ_cast(situ_div(dot, situ_sqrt(squares)), situ_as_float(dtype));
    if (situ_error_code || !situ_alike(cosine, &sign, "cosine_embedding_loss", "the cosine", "sign", site)) return situ_poisoned();
    return finished(by_sign(sign, situ_sub(1, cosine), situ_relu(situ_sub(cosine, o.margin)), site), o.reduction, whole, site);
}

situ_tensor *(situ_margin_ranking_loss)(situ_tensor *a, situ_tensor *b, situ_tensor *sign,
    const situ_margin_ranking_options *options, situ_site site)
{
    SITU_SPEAK("margin_ranking_loss", site);
    situ_margin_ranking_options o = {SITU_DEFAULTS(SITU_MARGIN_RANKING_DEFAULTS)};
    situ_tensor *in[] = {a, b, sign};
    if (!situ_take_loss(in, 3, &o, sizeof o, options, "margin_ranking_loss", "a, b, sign", site) ||
        !situ_alike(a, &b, "margin_ranking_loss", "a", "b", site) ||
        !situ_alike(a, &sign, "margin_ranking_loss", "a", "sign", site))
        return situ_poisoned();
    bool whole = AS_FLOATS(&a, &b, &sign);
    return finished(situ_relu(situ_sub(o.margin, situ_mul(sign, situ_sub(a, b)))), o.reduction, whole, site);
}

static situ_tensor *distance(situ_tensor *a, situ_tensor *b, const situ_triplet_margin_options *o, situ_site site)
{
    return situ_norm(situ_add(situ_sub(a, b), o->eps), .axes = AXES(-1), .ord = o->ord);
}

situ_tensor *(situ_triplet_margin_loss)(situ_tensor *anchor, situ_tensor *positive, situ_tensor *negative,
    const situ_triplet_margin_options *options, situ_site site)
{
    static const char name[] = "triplet_margin_loss";
    SITU_SPEAK(name, site);
    situ_triplet_margin_options o = {SITU_DEFAULTS(SITU_TRIPLET_MARGIN_DEFAULTS)};
    situ_tensor *in[] = {anchor, positive, negative};
    if (!situ_take_loss(in, 3, &o, sizeof o, options, name, "anchor, positive, negative", site) ||
        !refuse_option(o.margin, o.margin > 0 && o.margin < INFINITY, "margin", "above 0 and finite", name, site) ||
        !refuse_option(o.ord, o.ord > 0, "ord", "above 0", name, site) || !situ_check_epsilon(o.eps, name, site) ||
        !situ_alike(anchor, &positive, name, "anchor", "positive", site) ||
        !situ_alike(anchor, &negative, name, "anchor", "negative", site))
        return situ_poisoned();
    bool whole = AS_FLOATS(&anchor, &positive, &negative);
    situ_tensor *near = distance(anchor, positive, &o, site), *far = distance(anchor, negative, &o, site);
    if (o.swap) far = situ_minimum(far, distance(positive, negative, &o, site));
    return finished(situ_relu(situ_add(situ_sub(near, far), o.margin)), o.reduction, whole, site);
}

/* ---- reported values ------------------------------------------------------------------------------------------------------ */

situ_tensor *(situ_accuracy)(situ_tensor *logits, situ_tensor *labels, situ_site site)
{
    SITU_SPEAK("accuracy", site);
    if (!situ_together((situ_tensor *[]){logits, labels}, 2, "accuracy", "logits, labels", site) ||
        !situ_check_labels(logits, labels, "accuracy", site))
        return situ_poisoned();
    /* uses a gather, which raises the error of a label without a class, as cross_entropy does */
    situ_tensor *best = situ_one_hot(situ_argmax(logits, .axis = -1), logits->dim[logits->ndim - 1], .dtype = SITU_BOOL);
    return situ_mean(situ_cast(situ_gather_labels(best, labels, site), SITU_F32));
}

situ_tensor *(situ_global_norm)(situ_list tensors, situ_site site)
{
    SITU_SPEAK("global_norm", site);
    if (tensors.count < 1 || !tensors.tensor) {
        situ_fail(SITU_BAD_ARGUMENT, site, "global_norm: there are no tensors");
        return situ_poisoned();
    }
    if (!situ_together(tensors.tensor, tensors.count, "global_norm", "", site)) return situ_poisoned();
    situ_tensor *squares = NULL, *most = NULL, *space = NULL;
    bool doubles = false; /* squares of f32 do not overflow in f64 */
    for (int i = 0; i < tensors.count; i++)
        doubles |= (situ_dtype)tensors.tensor[i]->dtype == SITU_F64 && !situ_is_number(tensors.tensor[i]);
    for (int i = 0; i < tensors.count && doubles; i++) {
        if (!situ_node_count(tensors.tensor[i])) continue;
        situ_tensor *largest = situ_max(situ_abs(situ_cast(tensors.tensor[i], SITU_F64)));
        most = most ? situ_maximum(most, largest) : largest;
    }
    if (most) space = situ_square_scale(most, true, site);
    for (int i = 0; i < tensors.count; i++) {
        situ_tensor *wide = situ_cast(tensors.tensor[i], SITU_F64);
        situ_tensor *one = situ_sum(situ_square(space ? situ_mul(wide, space) : wide));
        squares = squares ? situ_add(squares, one) : one;
    }
    situ_tensor *root = situ_apply1(&situ_op_std_root, squares, NULL, 0, site); /* without a gradient at 0 */
    return space ? situ_div(root, space) : root;
}

situ_tensor *(situ_dropout)(situ_tensor *x, situ_tensor *key, situ_tensor *rate, situ_site site)
{
    SITU_SPEAK("dropout", site);
    if (!situ_together((situ_tensor *[]){x, key, rate}, 3, "dropout", "x, key, rate", site)) return situ_poisoned();
    if (situ_is_number(rate) && !(situ_number_f64(rate) >= 0 && situ_number_f64(rate) < 1)) {
        situ_fail(SITU_BAD_ARGUMENT, site, "dropout: a rate of %g; it is at least 0 and less than 1", situ_number_f64(rate));
        return situ_poisoned();
    }
    /* for a C number the difference is a C number, too, which has no device */
    situ_tensor *kept_share = situ_is_number(rate) ? situ_scalar_float(1 - situ_number_f64(rate)) : situ_sub(1, rate);
    situ_tensor *kept = situ_bernoulli(key, kept_share, situ_shape_like(x));
    /* in a tensor the rate may be 1; then zeros are divided by 1 */
    situ_tensor *divisor = situ_is_number(rate) ? kept_share : situ_where(situ_equal(kept_share, 0), 1, kept_share);
    return situ_where(kept, situ_div(x, divisor), 0);
}
