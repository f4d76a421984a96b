/* Losses, and what is reported beside them. */
#include "op/index.h"
#include "op/support.h"
/* last */
#include "op/here.h"

static situ_tensor *reduced(situ_tensor *loss, situ_reduction reduction, situ_site site)
{
    if (reduction == SITU_NONE) return loss;
    return reduction == SITU_SUM ? situ_sum(loss) : situ_mean(loss);
}

static bool take_loss(situ_tensor *a, situ_tensor *b, situ_loss_options *o, const situ_loss_options *options, const char *operation,
    const char *operands, situ_site site)
{
    *o = (situ_loss_options){SITU_DEFAULTS(SITU_LOSS_DEFAULTS)};
    if (!situ_together((situ_tensor *[]){a, b}, 2, operation, operands, site) || !SITU_TAKE_OPTIONS(*o, options, operation, site))
        return false;
    if (o->reduction == SITU_MEAN || o->reduction == SITU_SUM || o->reduction == SITU_NONE) return true;
    situ_fail(SITU_BAD_OPTION, site,
        "%s: reduction %d; write " SITU_SAY("SITU_MEAN, SITU_SUM or SITU_NONE", "\"mean\", \"sum\" or \"none\""), operation,
        (int)o->reduction);
    return false;
}

/* Labels fit if they are scores without their last axis. */
static bool check_labels(const situ_tensor *scores, const situ_tensor *labels, const char *operation, situ_site site)
{
    char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT];
    if (!situ_dtype_is_integer((situ_dtype)labels->dtype) || situ_is_number(labels)) {
        situ_fail(SITU_BAD_DTYPE, site,
            "%s: labels are a tensor of integers, not %s; write " SITU_SAY(
                "situ_cast(labels, SITU_I64)", "labels.astype(\"int64\")"),
            operation, situ_brief(labels, b));
        return false;
    }
    if (scores->ndim && situ_shape_equal(scores->ndim - 1, scores->dim, labels->ndim, labels->dim)) return true;
    situ_fail(SITU_BAD_SHAPE, site, "%s: labels %s are not in the shape of logits %s without the last axis", operation,
        situ_brief(labels, b), situ_brief(scores, a));
    return false;
}

situ_tensor *(situ_cross_entropy)(situ_tensor *logits, situ_tensor *labels, const situ_loss_options *options, situ_site site)
{
    SITU_SPEAK("cross_entropy", site);
    situ_loss_options o;
    if (!take_loss(logits, labels, &o, options, "cross_entropy", "logits, labels", site) ||
        !check_labels(logits, labels, "cross_entropy", site))
        return situ_poisoned();
    situ_tensor *picked = situ_gather_labels(situ_log_softmax(logits), labels, site);
    return reduced(situ_negative(situ_squeeze(picked, .axes = AXES(-1))), o.reduction, site);
}

situ_tensor *(situ_mse)(situ_tensor *prediction, situ_tensor *target, const situ_loss_options *options, situ_site site)
{
    SITU_SPEAK("mse", site);
    situ_loss_options o;
    if (!take_loss(prediction, target, &o, options, "mse", "prediction, target", site)) return situ_poisoned();
    if (situ_dtype_is_complex(situ_dtype_promote((situ_dtype)prediction->dtype, (situ_dtype)target->dtype))) {
        situ_fail(SITU_BAD_DTYPE, site,
            "mse: the square of a complex number is no distance; write " SITU_SAY(
                "situ_mean(situ_square(situ_abs(situ_sub(a, b))))", "situ.mean(situ.abs(a - b)**2)"));
        return situ_poisoned();
    }
    bool single = !prediction->ndim || !target->ndim; /* one number for all */
    if (!single && !situ_shape_equal(prediction->ndim, prediction->dim, target->ndim, target->dim)) {
        char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT];
        situ_fail(SITU_BAD_SHAPE, site,
            "mse: prediction (%s) and target (%s) have different shapes, and each would meet all of the other; write " SITU_SAY(
                "situ_reshape(target, situ_shape_of(prediction))", "situ.reshape(target, prediction.shape)") " if that is meant",
            situ_brief(prediction, a), situ_brief(target, b));
        return situ_poisoned();
    }
    return reduced(situ_square(situ_sub(prediction, target)), o.reduction, site);
}

situ_tensor *(situ_accuracy)(situ_tensor *logits, situ_tensor *labels, situ_site site)
{
    SITU_SPEAK("accuracy", site);
    if (!situ_together((situ_tensor *[]){logits, labels}, 2, "accuracy", "logits, labels", site) ||
        !check_labels(logits, labels, "accuracy", site))
        return situ_poisoned();
    /* by a gather, which finds labels that the network has no score for, as cross_entropy does */
    situ_tensor *best = situ_one_hot(situ_argmax(logits, .axis = -1), logits->dim[logits->ndim - 1], .dtype = SITU_BOOL);
    return situ_mean(situ_cast(situ_gather_labels(best, labels, site), SITU_F32));
}

situ_tensor *(situ_dropout)(situ_tensor *x, situ_tensor *key, situ_tensor *rate, situ_site site)
{
    SITU_SPEAK("dropout", site);
    if (!situ_together((situ_tensor *[]){x, key, rate}, 3, "dropout", "x, key, rate", site)) return situ_poisoned();
    if (situ_is_number(rate) && !(situ_number_f64(rate) >= 0 && situ_number_f64(rate) < 1)) {
        situ_fail(SITU_BAD_ARGUMENT, site, "dropout: a rate of %g; it is at least 0 and less than 1", situ_number_f64(rate));
        return situ_poisoned();
    }
    /* numbers have no device: their difference is one more number */
    situ_tensor *kept_share = situ_is_number(rate) ? situ_scalar_float(1 - situ_number_f64(rate)) : situ_sub(1, rate);
    situ_tensor *kept = situ_bernoulli(key, kept_share, situ_shape_like(x));
    /* a rate of 1 is possible in a tensor; the gradient divides zeros by the share too */
    situ_tensor *divisor = situ_is_number(rate) ? kept_share : situ_where(situ_equal(kept_share, 0), 1, kept_share);
    return situ_where(kept, situ_div(x, divisor), 0);
}
