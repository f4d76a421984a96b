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
    int32_t axis; /* = -1: the axis; -1 is the last */
} situ_softmax_options;
/* exp(x) / sum(exp(x)); x - log(sum(exp(x))). */
SITU_API situ_tensor *situ_softmax(situ_tensor *x, const situ_softmax_options *options, situ_site site);
SITU_API situ_tensor *situ_log_softmax(situ_tensor *x, const situ_softmax_options *options, situ_site site);

typedef enum situ_reduction { SITU_MEAN = 0, SITU_SUM = 1, SITU_NONE = 2 } situ_reduction;
typedef struct SITU_BY_NAME situ_loss_options {
    SITU_OPTION_HEAD;
    situ_reduction reduction; /* = SITU_MEAN: how the losses of all elements are reduced */
} situ_loss_options;
typedef struct SITU_BY_NAME situ_cross_entropy_options {
    SITU_OPTION_HEAD;
    situ_reduction reduction; /* = SITU_MEAN: how the losses of all elements are reduced; the mean divides by the sum of their
                               * weights */
    int32_t axis;             /* = -1: the axis of the classes; -1 is the last */
    double smoothing;         /* = 0 in [0, 1]: this share of the target is spread evenly over all classes */
    situ_tensor *weights;     /* = none: a vector with the classes' weights */
    situ_tensor *ignored;     /* = none: the label, an integer, of elements that are ignored; none: every element counts */
} situ_cross_entropy_options;
/* -log_softmax(logits)[..., label]; labels: integers, in the shape of logits without its last axis, or probabilities (floats)
 * in the shape of logits: -sum(labels log_softmax(logits)). The classes lie along the last axis; of logits [n, classes, ...] as
 * PyTorch has them write .axis = 1, also where the shapes would fit without. A label that is not from 0 to the number of
 * scores - 1 is SITU_BAD_INDEX where the loss is computed. The mean of no elements is NaN. */
SITU_API situ_tensor *situ_cross_entropy(
    situ_tensor *logits, situ_tensor *labels, const situ_cross_entropy_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_nll_loss_options {
    SITU_OPTION_HEAD;
    situ_reduction reduction; /* = SITU_MEAN: how the losses of all elements are reduced; the mean divides by the sum of their
                               * weights */
    int32_t axis;             /* = -1: the axis of the classes; -1 is the last */
    situ_tensor *weights;     /* = none: a vector with the classes' weights */
    situ_tensor *ignored;     /* = none: the label, an integer, of elements that are ignored; none: every element counts */
} situ_nll_loss_options;
/* -log_probs[..., label]: cross entropy for the result of log_softmax. */
SITU_API situ_tensor *situ_nll_loss(
    situ_tensor *log_probs, situ_tensor *labels, const situ_nll_loss_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_binary_options {
    SITU_OPTION_HEAD;
    situ_reduction reduction; /* = SITU_MEAN: how the losses of all elements are reduced */
    situ_tensor *weights;     /* = none: weights of the elements; broadcasts */
} situ_binary_options;
/* -(target log(p) + (1 - target) log(1 - p)) for probabilities p; both of one shape. log(0) counts as -100, without a gradient;
 * situ_binary_cross_entropy_with_logits has one. NaN for p outside of 0 to 1. */
SITU_API situ_tensor *situ_binary_cross_entropy(
    situ_tensor *p, situ_tensor *target, const situ_binary_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_binary_logits_options {
    SITU_OPTION_HEAD;
    situ_reduction reduction; /* = SITU_MEAN: how the losses of all elements are reduced */
    situ_tensor *weights;     /* = none: weights of the elements; broadcasts */
    situ_tensor *pos_weights; /* = none: weights of the term with target; broadcasts */
} situ_binary_logits_options;
/* The same for p = sigmoid(logits), without overflow: (1 - target) logits + pos log(1 + exp(-logits)),
 * pos = 1 + (pos_weights - 1) target. */
SITU_API situ_tensor *situ_binary_cross_entropy_with_logits(
    situ_tensor *logits, situ_tensor *target, const situ_binary_logits_options *options, situ_site site);

/* (prediction - target)^2; both of one shape, or one of them a single number. */
SITU_API situ_tensor *situ_mse(situ_tensor *prediction, situ_tensor *target, const situ_loss_options *options, situ_site site);
/* |prediction - target|; shapes as for situ_mse. */
SITU_API situ_tensor *situ_l1_loss(situ_tensor *prediction, situ_tensor *target, const situ_loss_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_smooth_l1_options {
    SITU_OPTION_HEAD;
    situ_reduction reduction; /* = SITU_MEAN: how the losses of all elements are reduced */
    double beta;              /* = 1 in [0, inf): up to this difference the loss is quadratic */
} situ_smooth_l1_options;
/* d^2 / (2 beta) where d = |prediction - target| < beta, else d - beta / 2; shapes as for situ_mse. */
SITU_API situ_tensor *situ_smooth_l1_loss(
    situ_tensor *prediction, situ_tensor *target, const situ_smooth_l1_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_huber_options {
    SITU_OPTION_HEAD;
    situ_reduction reduction; /* = SITU_MEAN: how the losses of all elements are reduced */
    double delta;             /* = 1 in (0, inf): up to this difference the loss is quadratic */
} situ_huber_options;
/* d^2 / 2 where d = |prediction - target| <= delta, else delta (d - delta / 2); shapes as for situ_mse. */
SITU_API situ_tensor *situ_huber_loss(
    situ_tensor *prediction, situ_tensor *target, const situ_huber_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_kl_div_options {
    SITU_OPTION_HEAD;
    situ_reduction reduction; /* = SITU_MEAN: how the losses of all elements are reduced; for the divergence of rows use SITU_SUM
                               * and divide by the number of rows */
    bool log_target;          /* = false: target contains logarithms of probabilities */
} situ_kl_div_options;
/* target (log(target) - log_probs), 0 where target is; both of one shape. */
SITU_API situ_tensor *situ_kl_div(situ_tensor *log_probs, situ_tensor *target, const situ_kl_div_options *options, situ_site site);

/* max(0, 1 - score * sign), where sign is -1 or 1; both of one shape. */
SITU_API situ_tensor *situ_hinge_loss(situ_tensor *score, situ_tensor *sign, const situ_loss_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_hinge_embedding_options {
    SITU_OPTION_HEAD;
    situ_reduction reduction; /* = SITU_MEAN: how the losses of all elements are reduced */
    double margin;            /* = 1 in (-inf, inf): distances beyond this cost nothing */
} situ_hinge_embedding_options;
/* distance where sign is 1, max(0, margin - distance) where it is -1; both of one shape. */
SITU_API situ_tensor *situ_hinge_embedding_loss(
    situ_tensor *distance, situ_tensor *sign, const situ_hinge_embedding_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_cosine_embedding_options {
    SITU_OPTION_HEAD;
    situ_reduction reduction; /* = SITU_MEAN: how the losses of all rows are reduced */
    double margin;            /* = 0 in [-1, 1]: cosines up to this cost nothing */
} situ_cosine_embedding_options;
/* With the cosine of a and b along the last axis: 1 - cosine where sign is 1, max(0, cosine - margin) where it is -1; sign in
 * the shape of a without its last axis. */
SITU_API situ_tensor *situ_cosine_embedding_loss(
    situ_tensor *a, situ_tensor *b, situ_tensor *sign, const situ_cosine_embedding_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_margin_ranking_options {
    SITU_OPTION_HEAD;
    situ_reduction reduction; /* = SITU_MEAN: how the losses of all elements are reduced */
    double margin;            /* = 0 in (-inf, inf): required difference */
} situ_margin_ranking_options;
/* max(0, margin - sign (a - b)): a should be above b where sign is 1, below where it is -1; all of one shape. */
SITU_API situ_tensor *situ_margin_ranking_loss(
    situ_tensor *a, situ_tensor *b, situ_tensor *sign, const situ_margin_ranking_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_triplet_margin_options {
    SITU_OPTION_HEAD;
    situ_reduction reduction; /* = SITU_MEAN: how the losses of all rows are reduced */
    double margin;            /* = 1 in (0, inf): how much farther the negative should be */
    double ord;               /* = 2 in (0, inf]: the power of the distance */
    double eps;               /* = 1e-6 in [0, inf): added to differences */
    bool swap;                /* = false: uses the smaller of the negative's distances to the anchor and to the positive */
} situ_triplet_margin_options;
/* max(0, margin + distance(anchor, positive) - distance(anchor, negative)) with norms along the last axis; all of one shape. */
SITU_API situ_tensor *situ_triplet_margin_loss(
    situ_tensor *anchor, situ_tensor *positive, situ_tensor *negative, const situ_triplet_margin_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_ctc_loss_options {
    SITU_OPTION_HEAD;
    situ_reduction reduction;    /* = SITU_MEAN: how the losses of all rows are reduced; the mean first divides each by its number
                                  * of labels */
    situ_tensor *input_lengths;  /* = none: integers[N], number of valid steps in each row, may be 0; none: all */
    situ_tensor *target_lengths; /* = none: integers[N], number of valid labels in each row; none: all */
    int64_t blank;               /* = 0 in [0, inf): the blank class */
    bool zero_infinity;          /* = false: rows with too few steps for their labels cost 0 instead of infinity */
} situ_ctc_loss_options;
/* -log of the probability that the steps give the labels, after merging repeated classes and removing blanks (Graves et al. 2006).
 * log_probs: f32[N, steps, classes], log_softmax along the last axis; labels: integers[N, most labels], none of them blank. */
SITU_API situ_tensor *situ_ctc_loss(
    situ_tensor *log_probs, situ_tensor *labels, const situ_ctc_loss_options *options, situ_site site);

/* The share of rows whose largest score is at the label; a 0-d f32. Labels as in cross_entropy. */
SITU_API situ_tensor *situ_accuracy(situ_tensor *logits, situ_tensor *labels, situ_site site);

/* The square root of the sum of all squares of several tensors on one device, in f64: 0-d. Squares of f32 neither overflow nor
 * underflow. */
SITU_API situ_tensor *situ_global_norm(situ_list tensors, situ_site site);

/* Elements become 0 with probability rate, the others are divided by 1 - rate. */
SITU_API situ_tensor *situ_dropout(situ_tensor *x, situ_tensor *key, situ_tensor *rate, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/function.h>

#endif
