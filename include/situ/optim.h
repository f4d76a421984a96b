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
    double lr;           /* = 0.01 in [0, inf): learning rate: length of a step */
    double momentum;     /* = 0 in [0, 1): share of the previous direction in the next one */
    double dampening;    /* = 0 in [0, 1]: by how much the gradient counts less in the direction */
    double weight_decay; /* = 0 in [0, inf): adds this times the parameter to its gradient */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    bool nesterov;       /* = false: looks ahead along the direction (Nesterov) */
    double clip_value;   /* = 0 in [0, inf): largest magnitude of an element of the gradients, 0: any */
    bool lazy_rows;      /* = false: does not change rows of a table (and their moments) that no lookup read */
} situ_sgd_options;
/* g += weight_decay p;  m = momentum m + (1 - dampening) g;  p -= lr m, with nesterov p -= lr (g + momentum m).
 * The first m is g, as in PyTorch. */
SITU_API situ_optimizer *situ_sgd(situ_module *net, const situ_sgd_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_adam_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 1e-3 in [0, inf): learning rate: approximate length of a step */
    double beta1;        /* = 0.9 in [0, 1): decay of the mean of gradients */
    double beta2;        /* = 0.999 in [0, 1): decay of the mean of their squares */
    double eps;          /* = 1e-8 in [0, inf): keeps the divisor above 0 */
    double weight_decay; /* = 0 in [0, inf): decay of the parameters towards 0 */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest magnitude of an element of the gradients, 0: any */
    bool lazy_rows;      /* = false: does not change rows of a table (and their moments) that no lookup read */
} situ_adam_options;
/* g += weight_decay p;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
 * p -= lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps). */
SITU_API situ_optimizer *situ_adam(situ_module *net, const situ_adam_options *options, situ_site site);
/* The same with p -= lr weight_decay p instead of decay in the gradient. Here .weight_decay = 0.01. */
SITU_API situ_optimizer *situ_adamw(situ_module *net, const situ_adam_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_adagrad_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 0.01 in [0, inf): learning rate: length of a step */
    double lr_decay;     /* = 0 in [0, inf): decay of the learning rate, which is divided by 1 + (t - 1) lr_decay */
    double initial;      /* = 0 in [0, inf): initial sum of squares */
    double eps;          /* = 1e-10 in [0, inf): keeps the divisor above 0 */
    double weight_decay; /* = 0 in [0, inf): adds this times the parameter to its gradient */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest magnitude of an element of the gradients, 0: any */
    bool lazy_rows;      /* = false: does not change rows of a table (and their moments) that no lookup read */
} situ_adagrad_options;
/* g += weight_decay p;  s += g^2;  p -= lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps). */
SITU_API situ_optimizer *situ_adagrad(situ_module *net, const situ_adagrad_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_rmsprop_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 0.01 in [0, inf): learning rate: length of a step */
    double alpha;        /* = 0.99 in [0, 1): decay of the mean of squares */
    double eps;          /* = 1e-8 in [0, inf): keeps the divisor above 0 */
    double momentum;     /* = 0 in [0, 1): share of the previous direction in the next one */
    bool centered;       /* = false: subtracts the squared mean (centred) */
    double weight_decay; /* = 0 in [0, inf): adds this times the parameter to its gradient */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest magnitude of an element of the gradients, 0: any */
    bool lazy_rows;      /* = false: does not change rows of a table (and their moments) that no lookup read */
} situ_rmsprop_options;
/* g += weight_decay p;  v = alpha v + (1 - alpha) g^2;  d = g / (sqrt(v) + eps), centered: v less the square of g's mean;
 * with momentum m = momentum m + d and p -= lr m, else p -= lr d. */
SITU_API situ_optimizer *situ_rmsprop(situ_module *net, const situ_rmsprop_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_adadelta_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 1 in [0, inf): learning rate: length of a step */
    double rho;          /* = 0.9 in [0, 1): decay of the means of squares */
    double eps;          /* = 1e-6 in [0, inf): keeps the divisor above 0 */
    double weight_decay; /* = 0 in [0, inf): adds this times the parameter to its gradient */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest magnitude of an element of the gradients, 0: any */
} situ_adadelta_options;
/* g += weight_decay p;  v = rho v + (1 - rho) g^2;  d = sqrt(a + eps) / sqrt(v + eps) g;  a = rho a + (1 - rho) d^2;
 * p -= lr d. */
SITU_API situ_optimizer *situ_adadelta(situ_module *net, const situ_adadelta_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_adamax_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 2e-3 in [0, inf): learning rate: approximate length of a step */
    double beta1;        /* = 0.9 in [0, 1): decay of the mean of gradients */
    double beta2;        /* = 0.999 in [0, 1): decay of the largest magnitude */
    double eps;          /* = 1e-8 in [0, inf): keeps the divisor above 0 */
    double weight_decay; /* = 0 in [0, inf): adds this times the parameter to its gradient */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest magnitude of an element of the gradients, 0: any */
} situ_adamax_options;
/* g += weight_decay p;  m = beta1 m + (1 - beta1) g;  v = max(beta2 v, |g| + eps);  p -= lr / (1 - beta1^t) m / v. */
SITU_API situ_optimizer *situ_adamax(situ_module *net, const situ_adamax_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_nadam_options {
    SITU_OPTION_HEAD;
    double lr;             /* = 2e-3 in [0, inf): learning rate: approximate length of a step */
    double beta1;          /* = 0.9 in [0, 1): decay of the mean of gradients */
    double beta2;          /* = 0.999 in [0, 1): decay of the mean of their squares */
    double eps;            /* = 1e-8 in [0, inf): keeps the divisor above 0 */
    double momentum_decay; /* = 4e-3 in [0, inf): how fast the momentum approaches beta1 */
    bool decoupled;        /* = false: weight decay apart from the gradient, as in situ_adamw */
    double weight_decay;   /* = 0 in [0, inf): decay of the parameters towards 0 */
    double clip_norm;      /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;     /* = 0 in [0, inf): largest magnitude of an element of the gradients, 0: any */
} situ_nadam_options;
/* Adam with Nesterov's momentum (Dozat 2016): with m, v as of situ_adam and mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2),
 * p -= lr (mu_t+1 m / (1 - mu_1 ... mu_t+1) + (1 - mu_t) g / (1 - mu_1 ... mu_t)) / (sqrt(v) / sqrt(1 - beta2^t) + eps). */
SITU_API situ_optimizer *situ_nadam(situ_module *net, const situ_nadam_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_radam_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 1e-3 in [0, inf): learning rate: approximate length of a step */
    double beta1;        /* = 0.9 in [0, 1): decay of the mean of gradients */
    double beta2;        /* = 0.999 in [0, 1): decay of the mean of their squares */
    double eps;          /* = 1e-8 in [0, inf): keeps the divisor above 0 */
    bool decoupled;      /* = false: weight decay apart from the gradient, as in situ_adamw */
    double weight_decay; /* = 0 in [0, inf): decay of the parameters towards 0 */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest magnitude of an element of the gradients, 0: any */
} situ_radam_options;
/* Rectified Adam (Liu et al. 2019): without the divisor, p -= lr m / (1 - beta1^t), while r = q - 2 t beta2^t / (1 - beta2^t), q
 * = 2 / (1 - beta2) - 1, is 5 at most; then Adam's step times sqrt((r - 4) (r - 2) q / ((q - 4) (q - 2) r)), its divisor
 * (sqrt(v) + eps) / sqrt(1 - beta2^t). */
SITU_API situ_optimizer *situ_radam(situ_module *net, const situ_radam_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_lion_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 1e-4 in [0, inf): learning rate: by how much each element changes */
    double beta1;        /* = 0.9 in [0, 1): share of the direction in a step */
    double beta2;        /* = 0.99 in [0, 1): decay of the direction */
    double weight_decay; /* = 0 in [0, inf): decay of the parameters towards 0 */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest magnitude of an element of the gradients, 0: any */
} situ_lion_options;
/* p -= lr (sign(beta1 m + (1 - beta1) g) + weight_decay p);  m = beta2 m + (1 - beta2) g (Chen et al. 2023). */
SITU_API situ_optimizer *situ_lion(situ_module *net, const situ_lion_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_lamb_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 1e-3 in [0, inf): learning rate: length of a step relative to the parameter's norm */
    double beta1;        /* = 0.9 in [0, 1): decay of the mean of gradients */
    double beta2;        /* = 0.999 in [0, 1): decay of the mean of their squares */
    double eps;          /* = 1e-6 in [0, inf): keeps the divisor above 0 */
    double weight_decay; /* = 0 in [0, inf): decay of the parameters towards 0 */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest magnitude of an element of the gradients, 0: any */
} situ_lamb_options;
/* d = Adam's step for lr = 1, plus weight_decay p;  p -= lr |p| / |d| d, by norms of each parameter; where one is 0 the
 * quotient is 1 (You et al. 2019). */
SITU_API situ_optimizer *situ_lamb(situ_module *net, const situ_lamb_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_adafactor_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 0.01 in [0, inf): largest learning rate: length of a step relative to the parameter's root mean square
                          */
    double beta2_decay;  /* = -0.8 in [-1, 0]: weight t^beta2_decay of a new gradient in the means of squares */
    double eps1;         /* = 0 in [0, inf): keeps the divisor above 0; 0: the epsilon of the dtype */
    double eps2;         /* = 1e-3 in [0, inf): least root mean square of a parameter */
    double threshold;    /* = 1 in (0, inf): largest root mean square of a step */
    double weight_decay; /* = 0 in [0, inf): decay of the parameters towards 0 */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest magnitude of an element of the gradients, 0: any */
} situ_adafactor_options;
/* Adam without momentum, whose mean squares are kept by rows and columns of the last two axes alone, so that a matrix needs
 * little memory (Shazeer and Stern 2018; as in PyTorch): p -= max(eps2, rms(p)) min(lr, 1 / sqrt(t)) d / max(1, rms(d) /
 * threshold), d = g / sqrt(v). */
SITU_API situ_optimizer *situ_adafactor(situ_module *net, const situ_adafactor_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_muon_options {
    SITU_OPTION_HEAD;
    double lr;           /* = 1e-3 in [0, inf): learning rate of matrices */
    double momentum;     /* = 0.95 in [0, 1): decay of the direction of matrices */
    bool nesterov;       /* = true: looks ahead along the direction (Nesterov) */
    int32_t steps;       /* = 5 in [0, 99]: number of iterations that make the direction orthogonal */
    double weight_decay; /* = 0.1 in [0, inf): decay of the parameters towards 0 */
    bool orthogonal;     /* = true: updates matrices by their orthogonalised direction */
    double adam_lr;      /* = 3e-4 in [0, inf): learning rate of other parameters */
    double beta1;        /* = 0.9 in [0, 1): for other parameters, as in situ_adamw */
    double beta2;        /* = 0.999 in [0, 1): for other parameters, as in situ_adamw */
    double eps;          /* = 1e-8 in [0, inf): for other parameters, as in situ_adamw */
    double clip_norm;    /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value;   /* = 0 in [0, inf): largest magnitude of an element of the gradients, 0: any */
} situ_muon_options;
/* m = momentum m + (1 - momentum) g;  p -= lr sqrt(max(1, rows / columns)) o, where o is nearly the orthogonal factor of m, with
 * nesterov of (1 - momentum) g + momentum m (Jordan 2024). A convolution's weight is a matrix with a row for each output. Other
 * parameters, and those for which situ_optimizer_set says .orthogonal = 0, are changed as by situ_adamw: say so for embeddings
 * and the last layer. A schedule counts for .adam_lr, too. */
SITU_API situ_optimizer *situ_muon(situ_module *net, const situ_muon_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_lbfgs_options {
    SITU_OPTION_HEAD;
    double lr;         /* = 1 in [0, inf): learning rate: share of the direction in a step */
    int32_t history;   /* = 10 in [1, 100]: number of past steps that determine the curvature */
    double clip_norm;  /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    double clip_value; /* = 0 in [0, inf): largest magnitude of an element of the gradients, 0: any */
} situ_lbfgs_options;
/* The direction of Newton's method by the curvature along the last steps (Nocedal 1980), of all parameters as one vector; the
 * first step is the gradient's, by lr min(1, 1 / sum|g|). Without a search along the direction, one iteration a step, as
 * PyTorch's for max_iter = 1: for a loss of the same data in every step. A parameter has 2 history + 2 slots. Groups have no
 * options of their own. */
SITU_API situ_optimizer *situ_lbfgs(situ_module *net, const situ_lbfgs_options *options, situ_site site);

/* NULL is fine. The network is not freed; it must live as long as steps are made. */
SITU_API SITU_TOLD void situ_optimizer_free(situ_optimizer *opt);

/* Makes a step down the gradient of a scalar loss by the network's trainable parameters; 0 or a negative code. */
SITU_API int situ_optimizer_step(situ_optimizer *opt, situ_tensor *loss, situ_site site);
/* The same for a network on several devices: loss i is the mean over its part of the batch, with weight weights[i] (its share of
 * the whole; NULL: all equal). Gradients are added by one binary tree in the order of the losses, so the bits do not depend on
 * which device had which part. Every copy then gets the same update. */
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
/* The loss of the whole batch: the sum of weights[i] losses[i], by the same tree, on the first loss's device. */
SITU_API situ_tensor *situ_mean_loss(situ_list losses, const double *weights, situ_site site);

/* The learning rate of the next step, with the schedule; and the base rate that a schedule multiplies. */
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
/* The scale of the next step (waits for the steps made), 0: there is none; and the number of skipped steps so far. */
SITU_API double situ_optimizer_loss_scale(situ_optimizer *opt, situ_site site);
SITU_API int64_t situ_optimizer_left_out(situ_optimizer *opt, situ_site site);
/* Number of steps so far. A step that fails while it is computed counts, though it changes nothing. */
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
    double value, least, most; /* default value in a rule, else the present value; its range, including both ends ... */
    situ_hyper_type type;      /* type of the field */
    size_t offset;             /* position in the options' struct */
    bool open;                 /* ... except `most`, if this is set */
} situ_hyper;
/* Writes up to `most` hyper-parameters of the optimizer with their present values; returns how many there are. */
SITU_API SITU_TOLD int situ_optimizer_hyper(const situ_optimizer *opt, situ_hyper *out, int most);

/* ---- groups, accumulation, averages ------------------------------------------------------------------------------- */

/* Sets a hyper-parameter, by its name, of the parameters whose path matches: "*.bias", "head.*"; * stands for any text. Where
 * several such words match, the last one counts; .lr of a group goes with the schedule as that of all. NULL as paths: of all
 * parameters that no such word matches. 0, or a negative code: no such parameter or hyper-parameter, out of its range. */
SITU_API SITU_TOLD int situ_optimizer_set(situ_optimizer *opt, const char *paths, const char *hyper, double value);
/* Clips elements of the gradients to this magnitude, before the norm is computed; 0: no clipping. */
SITU_API SITU_TOLD int situ_optimizer_set_clip_value(situ_optimizer *opt, double value);
/* From now on only every n-th call of situ_optimizer_step makes a step, with the mean gradient of n calls; n = 1: every call. */
SITU_API SITU_TOLD int situ_optimizer_set_accumulation(situ_optimizer *opt, int n);
/* From the next step on keeps a moving average of the parameters: average = decay average + (1 - decay) p; the first is p. 0:
 * stops. */
SITU_API SITU_TOLD int situ_optimizer_set_average(situ_optimizer *opt, double decay);
/* Exchanges the parameters with their averages, to measure or save these; the next call exchanges them back. A step in between is
 * an error. */
SITU_API int situ_optimizer_swap_average(situ_optimizer *opt, situ_site site);

/* ---- schedules: how the learning rate goes -------------------------------------------------------------------------
 *
 *     situ_schedule_warmup(opt, 100, 0);
 *     situ_schedule_cosine(opt, 2000, .least = 0.01);
 *
 * A schedule is a factor of the learning rate by the number of steps made, t = 0 at the first. A new one takes the place of the
 * one before. Each gives 0 or a negative code. */

/* Warm-up: the factor rises from `start` to 1 in this many steps, and t counts from their end. 0 steps: none. */
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
    double least;  /* = 0 in [0, 1]: factor at the end */
    bool restarts; /* = false: starts again at the end */
    double growth; /* = 1 in [1, inf): ratio of the lengths of consecutive periods */
} situ_cosine_options;
/* least + (1 - least) (1 + cos(pi t / steps)) / 2; from t = steps on `least`, or again from 1. */
SITU_API int situ_schedule_cosine(situ_optimizer *opt, int64_t steps, const situ_cosine_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_one_cycle_options {
    SITU_OPTION_HEAD;
    double rise;  /* = 0.3 in [0, 1]: share of the steps in which the factor rises to 1 */
    double start; /* = 25 in [1, inf): the first factor is 1 / start */
    double end;   /* = 1e4 in [1, inf): the last factor is the first one / end */
} situ_one_cycle_options;
/* Rises along half a cosine, then falls along another, in this many steps; .lr is the peak (Smith 2018). */
SITU_API int situ_schedule_one_cycle(situ_optimizer *opt, int64_t steps, const situ_one_cycle_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_plateau_options {
    SITU_OPTION_HEAD;
    double factor;    /* = 0.1 in [0, 1): factor of a reduction */
    int64_t patience; /* = 10 in [0, inf): number of reports without a better value before a reduction */
    double threshold; /* = 1e-4 in [0, 1): relative improvement that counts as better */
    int64_t cooldown; /* = 0 in [0, inf): number of reports that are ignored after a reduction */
    double least;     /* = 0 in [0, 1]: least factor */
    bool largest;     /* = false: larger values are better */
} situ_plateau_options;
/* Multiplies the factor by `factor` when the values of situ_schedule_report have stopped improving. */
SITU_API int situ_schedule_plateau(situ_optimizer *opt, const situ_plateau_options *options, situ_site site);
/* Reports a value such as the validation loss. An error with another schedule. */
SITU_API SITU_TOLD int situ_schedule_report(situ_optimizer *opt, double value);
/* A schedule of yours: the factor at step t; at least 0 and finite. */
typedef double (*situ_schedule_function)(int64_t t, void *user);
SITU_API SITU_TOLD int situ_schedule_custom(situ_optimizer *opt, situ_schedule_function function, void *user);
/* The factor at step t (plateau: the present one), for drawing; NaN on an error. */
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
/* One parameter's step: the inputs of a rule, all on the parameter's device, and its results. */
typedef struct situ_optimizer_update {
    const void *options; /* the optimizer's own, with the present values */
    int64_t step;        /* from 1 */
    situ_tensor *p, *g;  /* the parameter and its gradient, summed over devices and clipped; f32 for f16 and bf16 */
    situ_tensor *slot[SITU_OPTIMIZER_SLOTS]; /* moments left by earlier steps */
    situ_tensor *next[SITU_OPTIMIZER_SLOTS]; /* to be filled in: their new values; NULL: unchanged */
    situ_site site;                          /* call site of the step */
} situ_optimizer_update;
/* What a rule does to elements with gradient 0: it changes them; it leaves them and their slots unchanged, bit by bit; or it would
 * change them, but is asked not to. Except for the first kind, p, g and the slots of a table that was only looked up may be just
 * the looked-up rows, so such an `update` has to work element by element. */
typedef enum situ_rows { SITU_ROWS_CHANGE = 0, SITU_ROWS_STAY = 1, SITU_ROWS_LAZY = 2 } situ_rows;
typedef struct situ_optimizer_rule {
    const char *name;        /* for messages and situ_optimizer_name */
    const situ_hyper *hyper; /* hyper-parameters; one must be a double .lr; .clip_norm and .clip_value are handled for all rules */
    int hypers;              /* number of them */
    size_t size;             /* size of the options */
    int (*slots)(const void *options); /* number of slots of a parameter; NULL: 0 */
    situ_tensor *(*first)(
        situ_tensor *p, int slot, const void *options); /* initial value of a slot (NULL: p has no such slot); NULL: zeros like p */
    situ_tensor *(*update)(situ_optimizer_update *u);   /* returns the parameter's next value */
    const char *(*wrong)(const void *options);          /* checks that ranges cannot express: a message, or NULL; may be NULL */
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
/* An optimizer with this rule, which must outlive it. Its options are copied; NULL: the defaults. NULL on an error. */
SITU_API SITU_TOLD situ_optimizer *situ_optimizer_custom(situ_module *net, const situ_optimizer_rule *rule, const void *values);

#ifdef __cplusplus
}
#endif

#include <situ/call/optim.h>

#endif
