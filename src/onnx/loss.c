/* Losses. */
#include <string.h>

#include "base/error.h"
#include "onnx/call.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* The weighted negative log-probability of the labels; classes are on axis 1. */
static situ_tensor *label_loss(situ_onnx_call *c, situ_tensor *log_p, situ_site site)
{
    const char *how = situ_onnx_one_of(c, "reduction", "mean, sum, none");
    const situ_onnx_attribute *ignored = situ_onnx_attr(c, "ignore_index");
    situ_tensor *labels = situ_cast(IN(1), SITU_I64), *keep = ignored ? situ_not_equal(labels, ignored->i) : NULL;
    situ_tensor *safe = keep ? situ_where(keep, labels, situ_zeros_like(labels)) : labels;
    situ_tensor *loss = situ_negative(situ_squeeze(situ_gather(log_p, situ_expand_dims(safe, 1), .axis = 1), .axes = AXES(1)));
    situ_tensor *weight = HAS(2) ? situ_take(IN(2), safe) : situ_ones_like(loss);
    if (keep) weight = situ_where(keep, weight, situ_zeros_like(weight));
    loss = situ_mul(loss, weight);
    if (!strcmp(how, "none")) return loss;
    return !strcmp(how, "sum") ? situ_sum(loss) : situ_div(situ_sum(loss), situ_sum(weight));
}
SITU_ONNX_BODY(nll_loss) { return label_loss(c, IN(0), site); }
SITU_ONNX_BODY(softmax_loss)
{
    situ_tensor *log_p = situ_log_softmax(IN(0), .axis = 1);
    situ_onnx_give(c, 1, log_p);
    return label_loss(c, log_p, site);
}

#define ROW(onnx, f, r) \
    { \
        .name = onnx, .body = (f), .read = (r) \
    }
const situ_onnx_op situ_onnx_loss_ops[] = {
    ROW("NegativeLogLikelihoodLoss", nll_loss, 0), ROW("SoftmaxCrossEntropyLoss", softmax_loss, 0), {0}};
