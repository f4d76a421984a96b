/* Optimizers: gradient, clipping and update, recorded with the loss and run as one plan when something is read.
 *
 *     situ_optimizer *opt = situ_adam(net, .lr = 1e-3);
 *     situ_tensor *loss = situ_cross_entropy(situ_module_call(net, images), labels);
 *     situ_optimizer_step(opt, loss);                                         // nothing is computed yet
 *     printf("%g\n", situ_item(loss));                              // forward, backward and update: one plan
 *     situ_optimizer_free(opt);
 *
 * Learning rate, clipping norm and step count are arguments of a plan: changing them makes no new one.
 * g is the gradient by a parameter p, t the number of the step from 1.
 *
 * The gradient of a table that is only looked up (situ_embedding_layer, situ_take) is rows: where the rule leaves what has a
 * gradient of 0 (situ_sgd without momentum, situ_adagrad; both without decay) a step costs these rows, with the bits of the
 * whole table's, unless gradients are clipped, which reads all of them. With .lazy_rows it does so by other rules, too, which
 * then is another one: rows that are not looked up have no step, their moments stay, t counts all steps (as PyTorch's
 * SparseAdam). An index that stands for none, as -1 in a bag, counts as row 0. A table that is also read otherwise (multiplied
 * by, sliced, gathered from) changes as a whole; accumulated gradients and groups of several processes are errors with it.
 */
#ifndef SITU_OPTIM_H
#define SITU_OPTIM_H

#include <stddef.h>

#include <situ/group.h>
#include <situ/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct situ_optimizer situ_optimizer;

typedef struct SITU_BY_NAME situ_sgd_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 0.01 in [0, inf): learning rate: how far a step goes */
    double momentum;     /* = 0 in [0, 1): how much of the last direction stays */
    double dampening;    /* = 0 in [0, 1]: how much less the gradient counts in it */
    double weight_decay; /* = 0 in [0, inf): adds this times the parameter to its gradient */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    bool nesterov;       /* = false: looks ahead along the direction */
    double clip_value;   /* = 0 in [0, inf): largest size of an element of the gradients, 0: any */
    bool lazy_rows;      /* = false: rows of a table that no lookup read stay as they are, moments and all */
} situ_sgd_options;
/* g += weight_decay p;  m = momentum m + (1 - dampening) g;  p -= lr m, with nesterov p -= lr (g + momentum m).
 * The first m is g, as in PyTorch. */
SITU_API situ_optimizer *situ_sgd(situ_module *net, const situ_sgd_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_adam_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 1e-3 in [0, inf): learning rate: about how far a step goes */
    double beta1;        /* = 0.9 in [0, 1): how slowly the mean of the gradient moves */
    double beta2;        /* = 0.999 in [0, 1): how slowly the mean of its square moves */
    double eps;          /* = 1e-8 in [0, inf): keeps the divisor from 0 */
    double weight_decay; /* = 0 in [0, inf): how strongly parameters are drawn to 0 */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest size of an element of the gradients, 0: any */
    bool lazy_rows;      /* = false: rows of a table that no lookup read stay as they are, moments and all */
} situ_adam_options;
/* g += weight_decay p;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
 * p -= lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps). */
SITU_API situ_optimizer *situ_adam(situ_module *net, const situ_adam_options *options, situ_site site);
/* The same with p -= lr weight_decay p instead of decay in the gradient. Here .weight_decay = 0.01. */
SITU_API situ_optimizer *situ_adamw(situ_module *net, const situ_adam_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_adagrad_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 0.01 in [0, inf): learning rate: how far a step goes */
    double lr_decay;     /* = 0 in [0, inf): how fast it falls: it is divided by 1 + (t - 1) lr_decay */
    double initial;      /* = 0 in [0, inf): what the sum of squares begins with */
    double eps;          /* = 1e-10 in [0, inf): keeps the divisor from 0 */
    double weight_decay; /* = 0 in [0, inf): adds this times the parameter to its gradient */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest size of an element of the gradients, 0: any */
    bool lazy_rows;      /* = false: rows of a table that no lookup read stay as they are, moments and all */
} situ_adagrad_options;
/* g += weight_decay p;  s += g^2;  p -= lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps). */
SITU_API situ_optimizer *situ_adagrad(situ_module *net, const situ_adagrad_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_rmsprop_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 0.01 in [0, inf): learning rate: how far a step goes */
    double alpha;        /* = 0.99 in [0, 1): how slowly the mean square moves */
    double eps;          /* = 1e-8 in [0, inf): keeps the divisor from 0 */
    double momentum;     /* = 0 in [0, 1): how much of the last direction stays */
    bool centered;       /* = false: the mean is taken from the square */
    double weight_decay; /* = 0 in [0, inf): adds this times the parameter to its gradient */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest size of an element of the gradients, 0: any */
    bool lazy_rows;      /* = false: rows of a table that no lookup read stay as they are, moments and all */
} situ_rmsprop_options;
/* g += weight_decay p;  v = alpha v + (1 - alpha) g^2;  d = g / (sqrt(v) + eps), centered: v less the square of g's mean;
 * with momentum m = momentum m + d and p -= lr m, else p -= lr d. */
SITU_API situ_optimizer *situ_rmsprop(situ_module *net, const situ_rmsprop_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_adadelta_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 1 in [0, inf): learning rate: how far a step goes */
    double rho;          /* = 0.9 in [0, 1): how slowly the mean squares move */
    double eps;          /* = 1e-6 in [0, inf): keeps the divisor from 0 */
    double weight_decay; /* = 0 in [0, inf): adds this times the parameter to its gradient */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest size of an element of the gradients, 0: any */
} situ_adadelta_options;
/* g += weight_decay p;  v = rho v + (1 - rho) g^2;  d = sqrt(a + eps) / sqrt(v + eps) g;  a = rho a + (1 - rho) d^2;
 * p -= lr d. */
SITU_API situ_optimizer *situ_adadelta(situ_module *net, const situ_adadelta_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_adamax_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 2e-3 in [0, inf): learning rate: about how far a step goes */
    double beta1;        /* = 0.9 in [0, 1): how slowly the mean of the gradient moves */
    double beta2;        /* = 0.999 in [0, 1): how slowly its largest size falls */
    double eps;          /* = 1e-8 in [0, inf): keeps the divisor from 0 */
    double weight_decay; /* = 0 in [0, inf): adds this times the parameter to its gradient */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest size of an element of the gradients, 0: any */
} situ_adamax_options;
/* g += weight_decay p;  m = beta1 m + (1 - beta1) g;  v = max(beta2 v, |g| + eps);  p -= lr / (1 - beta1^t) m / v. */
SITU_API situ_optimizer *situ_adamax(situ_module *net, const situ_adamax_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_nadam_options {
    SITU_OPTION_HEAD;
    double lr;             /* = 2e-3 in [0, inf): learning rate: about how far a step goes */
    double beta1;          /* = 0.9 in [0, 1): how slowly the mean of the gradient moves */
    double beta2;          /* = 0.999 in [0, 1): how slowly the mean of its square moves */
    double eps;            /* = 1e-8 in [0, inf): keeps the divisor from 0 */
    double momentum_decay; /* = 4e-3 in [0, inf): how fast the momentum comes to beta1 */
    bool decoupled;        /* = false: decay beside the gradient, as of situ_adamw */
    double weight_decay;   /* = 0 in [0, inf): how strongly parameters are drawn to 0 */
    double clip_norm;      /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;     /* = 0 in [0, inf): largest size of an element of the gradients, 0: any */
} situ_nadam_options;
/* Adam with Nesterov's momentum (Dozat 2016): with m, v as of situ_adam and mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2),
 * p -= lr (mu_t+1 m / (1 - mu_1 ... mu_t+1) + (1 - mu_t) g / (1 - mu_1 ... mu_t)) / (sqrt(v) / sqrt(1 - beta2^t) + eps). */
SITU_API situ_optimizer *situ_nadam(situ_module *net, const situ_nadam_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_radam_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 1e-3 in [0, inf): learning rate: about how far a step goes */
    double beta1;        /* = 0.9 in [0, 1): how slowly the mean of the gradient moves */
    double beta2;        /* = 0.999 in [0, 1): how slowly the mean of its square moves */
    double eps;          /* = 1e-8 in [0, inf): keeps the divisor from 0 */
    bool decoupled;      /* = false: decay beside the gradient, as of situ_adamw */
    double weight_decay; /* = 0 in [0, inf): how strongly parameters are drawn to 0 */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest size of an element of the gradients, 0: any */
} situ_radam_options;
/* Rectified Adam (Liu et al. 2019): without the divisor, p -= lr m / (1 - beta1^t), while r = q - 2 t beta2^t / (1 - beta2^t), q
 * = 2 / (1 - beta2) - 1, is 5 at most; then Adam's step times sqrt((r - 4) (r - 2) q / ((q - 4) (q - 2) r)), its divisor
 * (sqrt(v) + eps) / sqrt(1 - beta2^t). */
SITU_API situ_optimizer *situ_radam(situ_module *net, const situ_radam_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_lion_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 1e-4 in [0, inf): learning rate: how far each element goes */
    double beta1;        /* = 0.9 in [0, 1): how much of the direction is in a step */
    double beta2;        /* = 0.99 in [0, 1): how slowly the direction moves */
    double weight_decay; /* = 0 in [0, inf): how strongly parameters are drawn to 0 */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest size of an element of the gradients, 0: any */
} situ_lion_options;
/* p -= lr (sign(beta1 m + (1 - beta1) g) + weight_decay p);  m = beta2 m + (1 - beta2) g (Chen et al. 2023). */
SITU_API situ_optimizer *situ_lion(situ_module *net, const situ_lion_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_lamb_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 1e-3 in [0, inf): learning rate: a step's share of the parameter's norm */
    double beta1;        /* = 0.9 in [0, 1): how slowly the mean of the gradient moves */
    double beta2;        /* = 0.999 in [0, 1): how slowly the mean of its square moves */
    double eps;          /* = 1e-6 in [0, inf): keeps the divisor from 0 */
    double weight_decay; /* = 0 in [0, inf): how strongly parameters are drawn to 0 */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest size of an element of the gradients, 0: any */
} situ_lamb_options;
/* d = Adam's step for lr = 1, plus weight_decay p;  p -= lr |p| / |d| d, by norms of each parameter; where one is 0 the
 * quotient is 1 (You et al. 2019). */
SITU_API situ_optimizer *situ_lamb(situ_module *net, const situ_lamb_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_adafactor_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 0.01 in [0, inf): largest learning rate: a step's share of the parameter's root mean square */
    double beta2_decay;  /* = -0.8 in [-1, 0]: the mean squares move by t^beta2_decay */
    double eps1;         /* = 0 in [0, inf): keeps the divisor from 0; 0: what 1 has as its last place */
    double eps2;         /* = 1e-3 in [0, inf): least root mean square of a parameter */
    double threshold;    /* = 1 in (0, inf): largest root mean square of a step */
    double weight_decay; /* = 0 in [0, inf): how strongly parameters are drawn to 0 */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest size of an element of the gradients, 0: any */
} situ_adafactor_options;
/* Adam without momentum, whose mean squares are kept by rows and columns of the last two axes alone, so that a matrix needs
 * little memory (Shazeer and Stern 2018; as in PyTorch): p -= max(eps2, rms(p)) min(lr, 1 / sqrt(t)) d / max(1, rms(d) /
 * threshold), d = g / sqrt(v). */
SITU_API situ_optimizer *situ_adafactor(situ_module *net, const situ_adafactor_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_muon_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 1e-3 in [0, inf): learning rate of matrices */
    double momentum;     /* = 0.95 in [0, 1): how slowly the direction of matrices moves */
    bool nesterov;       /* = true: looks ahead along the direction */
    int32_t steps;       /* = 5 in [0, 99]: of the iteration that makes the direction orthogonal */
    double weight_decay; /* = 0.1 in [0, inf): how strongly parameters are drawn to 0 */
    bool orthogonal;     /* = true: matrices have steps of their own */
    double adam_lr;      /* = 3e-4 in [0, inf): learning rate of what is no matrix */
    double beta1;        /* = 0.9 in [0, 1): of what is no matrix, as of situ_adamw */
    double beta2;        /* = 0.999 in [0, 1): of what is no matrix, as of situ_adamw */
    double eps;          /* = 1e-8 in [0, inf): of what is no matrix, as of situ_adamw */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest size of an element of the gradients, 0: any */
} situ_muon_options;
/* m = momentum m + (1 - momentum) g;  p -= lr sqrt(max(1, rows / columns)) o, where o is nearly the orthogonal factor of m, with
 * nesterov of (1 - momentum) g + momentum m (Jordan 2024). A convolution's weight is a matrix with a row for each output. Other
 * parameters, and those for which situ_optimizer_set says .orthogonal = 0, are changed as by situ_adamw: say so for embeddings
 * and the last layer. A schedule counts for .adam_lr, too. */
SITU_API situ_optimizer *situ_muon(situ_module *net, const situ_muon_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_lbfgs_options {
    SITU_OPTION_HEAD;
    double lr;         /* = 1 in [0, inf): learning rate: the share of the direction that a step goes */
    int32_t history;   /* = 10 in [1, 100]: how many steps the curvature is known by */
    double clip_norm;  /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value; /* = 0 in [0, inf): largest size of an element of the gradients, 0: any */
} situ_lbfgs_options;
/* The direction of Newton's method by the curvature along the last steps (Nocedal 1980), of all parameters as one vector; the
 * first step is the gradient's, by lr min(1, 1 / sum|g|). Without a search along the direction, one iteration a step, as
 * PyTorch's for max_iter = 1: for a loss of the same data in every step. A parameter has 2 history + 2 slots. Groups have no
 * options of their own. */
SITU_API situ_optimizer *situ_lbfgs(situ_module *net, const situ_lbfgs_options *options, situ_site site);

/* NULL is fine. The network is not freed; it must live as long as steps are made. */
SITU_API SITU_TOLD void situ_optimizer_free(situ_optimizer *opt);

/* One step down the gradient of a scalar loss by the network's trainable parameters; 0 or a negative code. */
SITU_API int situ_optimizer_step(situ_optimizer *opt, situ_tensor *loss, situ_site site);
/* The same for a network on several devices: loss i is the mean over its part of the batch and counts weights[i] (its
 * share of the whole; NULL: all alike). Gradients are added by one binary tree in the order of the losses, so that
 * which device had which part changes no bit; every copy then gets the same update. */
SITU_API int situ_optimizer_step_n(situ_optimizer *opt, situ_list losses, const double *weights, situ_site site);
/* The same step on all ranks of a group, by `total` losses, of which each rank gives those of situ_group_cut, in order, perhaps
 * none. weights: each loss's share of the whole batch (NULL: 1 / total). The gradients are added in one tree, whoever has them:
 * losses of the same rows give the same bits by any number of ranks. The networks begin alike, by the same key or by
 * situ_group_broadcast of each parameter. group NULL: this process alone.
 *
 *     situ_optimizer_step_group(opt, TENSORS(loss), NULL, group, situ_group_size(group));     // one loss of each rank
 */
SITU_API int situ_optimizer_step_group(
    situ_optimizer *opt, situ_list losses, const double *weights, situ_group *group, int64_t total, situ_site site);
/* The loss of the whole batch: sum of weights[i] losses[i], by the same tree, on the first loss's device. */
SITU_API situ_tensor *situ_mean_loss(situ_list losses, const double *weights, situ_site site);

/* What the next step will have, by the schedule; and what a schedule multiplies. */
SITU_API double situ_optimizer_lr(const situ_optimizer *opt);
SITU_API SITU_TOLD int situ_optimizer_set_lr(situ_optimizer *opt, double lr);
/* Scales all gradients by min(1, norm / (their global norm + 1e-6)); 0: no clipping (the first norm makes a new plan). */
SITU_API double situ_optimizer_clip_norm(const situ_optimizer *opt);
SITU_API SITU_TOLD int situ_optimizer_set_clip_norm(situ_optimizer *opt, double norm);
/* For gradients of f16 (situ_precision): from the next step on losses are multiplied by a scale that begins with `first`, a power
 * of 2, and gradients divided by it before anything else is done with them. A step that has an infinite gradient, or NaN, is left
 * out: parameters and moments stay, the scale is halved; 2,000 good steps in a row double it. All of that happens on the device
 * and nothing waits for it, so that such a step counts, for schedules too. 65536 is a good first one; 0: no scale. The trainer
 * sets it for .precision = SITU_F16; checkpoints have it. */
SITU_API SITU_TOLD int situ_optimizer_set_loss_scale(situ_optimizer *opt, double first);
/* The scale of the next step (waits for the steps made), 0: there is none; how many steps were left out so far. */
SITU_API double situ_optimizer_loss_scale(situ_optimizer *opt, situ_site site);
SITU_API int64_t situ_optimizer_left_out(situ_optimizer *opt, situ_site site);
/* Steps made so far; one that is found to fail only while it is computed counts, though it changes nothing. */
SITU_API int64_t situ_optimizer_steps(const situ_optimizer *opt);
/* "sgd", "adam", "adamw", ... */
SITU_API const char *situ_optimizer_name(const situ_optimizer *opt);

/* A hyper-parameter: a number among the options. */
typedef enum situ_hyper_type {
    SITU_HYPER_DOUBLE = 0,
    SITU_HYPER_INT = 1,
    SITU_HYPER_INT64 = 2,
    SITU_HYPER_BOOL = 3
} situ_hyper_type;
typedef struct situ_hyper {
    const char *name, *help;
    double value, least, most; /* its default in a rule, else its present value; its range, both ends in ... */
    situ_hyper_type type;      /* of the field */
    size_t offset;             /* in the options' struct */
    bool open;                 /* ... but `most`, if this is set */
} situ_hyper;
/* Writes up to `most` of the optimizer's hyper-parameters with their present values; returns how many there are. */
SITU_API SITU_TOLD int situ_optimizer_hyper(const situ_optimizer *opt, situ_hyper *out, int most);

/* ---- groups, accumulation, averages ------------------------------------------------------------------------------- */

/* Sets a hyper-parameter, by its name, of the parameters whose path matches: "*.bias", "head.*"; * stands for any text. Where
 * several such words match, the last one counts; .lr of a group goes with the schedule as that of all. NULL as paths: of all
 * parameters that no such word matches. 0, or a negative code: no such parameter or hyper-parameter, out of its range. */
SITU_API SITU_TOLD int situ_optimizer_set(situ_optimizer *opt, const char *paths, const char *hyper, double value);
/* Largest size of an element of the gradients: what is above becomes that, before the norm is taken; 0: any. */
SITU_API SITU_TOLD int situ_optimizer_set_clip_value(situ_optimizer *opt, double value);
/* From now on every n-th call of situ_optimizer_step is a step, by the mean of the gradients of n calls; n = 1: every call. */
SITU_API SITU_TOLD int situ_optimizer_set_accumulation(situ_optimizer *opt, int n);
/* From the next step on keeps a moving average of the parameters: average = decay average + (1 - decay) p; the first is p. 0:
 * no longer. */
SITU_API SITU_TOLD int situ_optimizer_set_average(situ_optimizer *opt, double decay);
/* Exchanges the parameters with their averages, to measure or save these; the next call brings them back. A step in between is
 * an error. */
SITU_API int situ_optimizer_swap_average(situ_optimizer *opt, situ_site site);

/* ---- schedules: how the learning rate goes -------------------------------------------------------------------------
 *
 *     situ_schedule_warmup(opt, 100, 0);
 *     situ_schedule_cosine(opt, 2000, .least = 0.01);
 *
 * A schedule is a factor of the learning rate by the number of steps made, t = 0 at the first. A new one takes the place of the
 * one before. Each gives 0 or a negative code. */

/* t counts from the end of the warm-up; before it the factor rises from `start` to 1 in so many steps. 0 steps: none. */
SITU_API SITU_TOLD int situ_schedule_warmup(situ_optimizer *opt, int64_t steps, double start);
/* 1; gamma^(t / every), rounded down; gamma^(how many of the n ascending numbers `at` are t or less); gamma^t. */
SITU_API SITU_TOLD int situ_schedule_constant(situ_optimizer *opt);
SITU_API SITU_TOLD int situ_schedule_step(situ_optimizer *opt, int64_t every, double gamma);
SITU_API SITU_TOLD int situ_schedule_multi_step(situ_optimizer *opt, const int64_t *at, int n, double gamma);
SITU_API SITU_TOLD int situ_schedule_exponential(situ_optimizer *opt, double gamma);
/* least + (1 - least) (1 - t / steps)^power; `least` from t = steps on. */
SITU_API SITU_TOLD int situ_schedule_polynomial(situ_optimizer *opt, int64_t steps, double power, double least);
typedef struct SITU_BY_NAME situ_cosine_options {
    SITU_OPTION_HEAD;
    double least;  /* = 0 in [0, 1]: the factor at the end */
    bool restarts; /* = false: begins anew at the end */
    double growth; /* = 1 in [1, inf): how much longer each time is than the one before */
} situ_cosine_options;
/* least + (1 - least) (1 + cos(pi t / steps)) / 2; `least` from t = steps on, or anew from 1. */
SITU_API int situ_schedule_cosine(situ_optimizer *opt, int64_t steps, const situ_cosine_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_one_cycle_options {
    SITU_OPTION_HEAD;
    double rise;  /* = 0.3 in [0, 1]: the share of the steps until the factor is 1 */
    double start; /* = 25 in [1, inf): it begins with 1 by this */
    double end;   /* = 1e4 in [1, inf): and ends with the first by this */
} situ_one_cycle_options;
/* Up along half a cosine, then down along another, in so many steps: .lr is the peak (Smith 2018). */
SITU_API int situ_schedule_one_cycle(situ_optimizer *opt, int64_t steps, const situ_one_cycle_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_plateau_options {
    SITU_OPTION_HEAD;
    double factor;    /* = 0.1 in [0, 1): what the rate is multiplied with */
    int64_t patience; /* = 10 in [0, inf): how many reports without a better value are borne */
    double threshold; /* = 1e-4 in [0, 1): a value is better by this share */
    int64_t cooldown; /* = 0 in [0, inf): how many reports are not counted after a fall */
    double least;     /* = 0 in [0, 1]: least factor */
    bool largest;     /* = false: larger values are better */
} situ_plateau_options;
/* Multiplies by `factor` where what situ_schedule_report says has not become better. */
SITU_API int situ_schedule_plateau(situ_optimizer *opt, const situ_plateau_options *options, situ_site site);
/* A value of what is watched, a validation loss. An error if the schedule is another one. */
SITU_API SITU_TOLD int situ_schedule_report(situ_optimizer *opt, double value);
/* Of your own: the factor at step t; at least 0 and finite. */
typedef double (*situ_schedule_function)(int64_t t, void *user);
SITU_API SITU_TOLD int situ_schedule_custom(situ_optimizer *opt, situ_schedule_function function, void *user);
/* The factor at step t (plateau: that of now), to draw it; NaN on an error. */
SITU_API SITU_TOLD double situ_schedule_at(situ_optimizer *opt, int64_t t);

/* ---- optimizers of your own ---------------------------------------------------------------------------------------
 *
 *     typedef struct lion_options { double lr, beta, clip_norm; } lion_options;
 *
 *     static int one(const void *options) { return 1; }
 *     static situ_tensor *lion(situ_optimizer_update *u)
 *     {
 *         const lion_options *o = u->options;
 *         u->next[0] = situ_add(situ_mul(u->slot[0], o->beta), situ_mul(u->g, 1 - o->beta));
 *         return situ_sub(u->p, situ_mul(situ_sign(u->next[0]), o->lr));
 *     }
 *     static const situ_optimizer_rule rule = {.name = "lion", .slots = one, .update = lion,
 *         SITU_HYPERS(lion_options, SITU_HYPER(lion_options, lr, 1e-4, 0, 1, "how far a step goes"),
 *                     SITU_HYPER(lion_options, beta, 0.9, 0, 1, "how slowly the direction moves", .open = true),
 *                     SITU_HYPER(lion_options, clip_norm, 0, 0, 1e9, "largest global norm of the gradients, 0: any"))};
 *
 *     situ_optimizer *opt = situ_optimizer_custom(net, &rule, &(lion_options){.lr = 1e-3, .beta = 0.99});
 *
 * The optimizers above are such rules (src/optim/rules.c). Gradients, their sum over devices, clipping, the memory of the
 * slots and the count of steps are common to all.
 */
enum { SITU_OPTIMIZER_SLOTS = 4 };
/* One parameter's step: what a rule computes from, all on the parameter's device, and what it gives. */
typedef struct situ_optimizer_update {
    const void *options; /* the optimizer's own, with the present values */
    int64_t step;        /* from 1 */
    situ_tensor *p, *g;  /* the parameter and its gradient, summed over devices and clipped; f32 for f16 and bf16 */
    situ_tensor *slot[SITU_OPTIMIZER_SLOTS]; /* what earlier steps left: moments */
    situ_tensor *next[SITU_OPTIMIZER_SLOTS]; /* to be filled in: what this step leaves; NULL: it stays as it is */
    situ_site site;                          /* the line of the step */
} situ_optimizer_update;
/* What a rule does to elements whose gradient is 0: it changes them; leaves them and their slots bit by bit as they are; or would
 * change them, but is asked not to. But for the first, p, g and the slots of a table that was only looked up are the rows that were
 * looked up, if that saves work: such an `update` works element by element. */
typedef enum situ_rows { SITU_ROWS_CHANGE = 0, SITU_ROWS_STAY = 1, SITU_ROWS_LAZY = 2 } situ_rows;
typedef struct situ_optimizer_rule {
    const char *name;        /* for messages and situ_optimizer_name */
    const situ_hyper *hyper; /* hyper-parameters; one must be a double .lr; .clip_norm and .clip_value are known to all, too */
    int hypers;              /* how many */
    size_t size;             /* of the options */
    int (*slots)(const void *options); /* of a parameter; NULL: 0 */
    situ_tensor *(*first)(
        situ_tensor *p, int slot, const void *options); /* what a slot begins with (NULL: p has no such slot); NULL: zeros like p */
    situ_tensor *(*update)(situ_optimizer_update *u);   /* the parameter's next value */
    const char *(*wrong)(const void *options);          /* what ranges cannot tell, or NULL; may be NULL */
    bool whole;                             /* p, g and the next value are one vector of all parameters, which have one dtype */
    situ_rows (*rows)(const void *options); /* NULL: SITU_ROWS_CHANGE */
} situ_optimizer_rule;
/* One row of a rule; more fields may follow the help text: .open = true. And all of them, as fields of a rule. */
#define SITU_HYPER(T, field, initial, least_, most_, ...) \
    { \
        .name = #field, .value = (initial), .least = (least_), .most = (most_), .offset = offsetof(T, field), \
        .type = _Generic(((T *)0)->field, double \
                         : SITU_HYPER_DOUBLE, int32_t \
                         : SITU_HYPER_INT, int64_t \
                         : SITU_HYPER_INT64, bool \
                         : SITU_HYPER_BOOL), \
        .help = __VA_ARGS__ \
    }
#define SITU_HYPERS(T, ...) \
    .size = sizeof(T), .hyper = (const situ_hyper[]){__VA_ARGS__}, \
    .hypers = (int)(sizeof((const situ_hyper[]){__VA_ARGS__}) / sizeof(situ_hyper))
/* An optimizer by this rule, which must outlive it; the values of its options are copied, NULL: the defaults. NULL on an error. */
SITU_API SITU_TOLD situ_optimizer *situ_optimizer_custom(situ_module *net, const situ_optimizer_rule *rule, const void *values);

#ifdef __cplusplus
}
#endif

#include <situ/call/optim.h>

#endif
