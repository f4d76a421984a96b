/* Functions made of operations: activations and losses.
 *
 *     situ_tensor *loss = situ_cross_entropy(logits, labels);
 *
 * Each is recorded as one or a few nodes and differentiates like any operation.
 */
#ifndef SITU_FUNCTION_H
#define SITU_FUNCTION_H

#include <situ/reduce.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SITU_BY_NAME situ_gelu_options {
    SITU_OPTION_HEAD;
    bool exact; /* = false: x (1 + erf(x / sqrt 2)) / 2 instead of the usual approximation */
} situ_gelu_options;
/* x / (1 + exp(-2u)), u = sqrt(2 / pi) (x + 0.044715 x^3): the tanh form of gelu. */
SITU_API situ_tensor *situ_gelu(situ_tensor *x, const situ_gelu_options *options, situ_site site);
/* x / (1 + exp(-x)); x tanh(log(1 + exp(x))). */
SITU_API situ_tensor *situ_silu(situ_tensor *x, situ_site site);
SITU_API situ_tensor *situ_mish(situ_tensor *x, situ_site site);
/* x where x >= 0, else slope x; x where x > 0, else alpha (exp(x) - 1). */
SITU_API situ_tensor *situ_leaky_relu(situ_tensor *x, situ_tensor *slope, situ_site site);
SITU_API situ_tensor *situ_elu(situ_tensor *x, situ_tensor *alpha, situ_site site);

typedef struct SITU_BY_NAME situ_softmax_options {
    SITU_OPTION_HEAD;
    int32_t axis; /* = -1: along which; -1 is the last */
} situ_softmax_options;
/* exp(x) / sum(exp(x)); x - log(sum(exp(x))). */
SITU_API situ_tensor *situ_softmax(situ_tensor *x, const situ_softmax_options *options, situ_site site);
SITU_API situ_tensor *situ_log_softmax(situ_tensor *x, const situ_softmax_options *options, situ_site site);

typedef enum situ_reduction { SITU_MEAN = 0, SITU_SUM = 1, SITU_NONE = 2 } situ_reduction;
typedef struct SITU_BY_NAME situ_loss_options {
    SITU_OPTION_HEAD;
    situ_reduction reduction; /* = SITU_MEAN: of the losses of all elements */
} situ_loss_options;
/* -log_softmax(logits)[..., label]; labels: integers, in the shape of logits without its last axis.
 * A label that is not from 0 to the number of scores - 1 is SITU_BAD_INDEX where the loss is computed. */
SITU_API situ_tensor *situ_cross_entropy(
    situ_tensor *logits, situ_tensor *labels, const situ_loss_options *options, situ_site site);
/* (prediction - target)^2; both of one shape, or one of them a single number. */
SITU_API situ_tensor *situ_mse(situ_tensor *prediction, situ_tensor *target, const situ_loss_options *options, situ_site site);
/* The share of rows whose largest score is at the label; a 0-d f32. Labels as in cross_entropy. */
SITU_API situ_tensor *situ_accuracy(situ_tensor *logits, situ_tensor *labels, situ_site site);

/* Elements become 0 with probability rate, the others are divided by 1 - rate. */
SITU_API situ_tensor *situ_dropout(situ_tensor *x, situ_tensor *key, situ_tensor *rate, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/function.h>

#endif
