/* Optimizers: gradient, clipping and update, recorded with the loss and run as one plan when something is read.
 *
 *     situ_optimizer *opt = situ_adam(net, .lr = 1e-3);
 *     situ_tensor *loss = situ_cross_entropy(situ_call(net, images), labels);
 *     situ_step(opt, loss);                                         // nothing is computed yet
 *     printf("%g\n", situ_item(loss));                              // forward, backward and update: one plan
 *     situ_optimizer_free(opt);
 *
 * Learning rate, clipping norm and step count are arguments of a plan: changing them makes no new one.
 * g is the gradient by a parameter p, t the number of the step from 1.
 */
#ifndef SITU_OPTIM_H
#define SITU_OPTIM_H

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
} situ_adam_options;
/* g += weight_decay p;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
 * p -= lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps). */
SITU_API situ_optimizer *situ_adam(situ_module *net, const situ_adam_options *options, situ_site site);
/* The same with p -= lr weight_decay p instead of decay in the gradient. Here .weight_decay = 0.01. */
SITU_API situ_optimizer *situ_adamw(situ_module *net, const situ_adam_options *options, situ_site site);
/* NULL is fine. The network is not freed; it must live as long as steps are made. */
SITU_API void situ_optimizer_free(situ_optimizer *opt);
SITU_API void situ_optimizer_free_at(situ_optimizer *opt, situ_site site);

/* One step down the gradient of a scalar loss by the network's trainable parameters; 0 or a negative code. */
SITU_API int situ_step_at(situ_optimizer *opt, situ_tensor *loss, situ_site site);
/* The same for a network on several devices: loss i is the mean over its part of the batch and counts weights[i] (its
 * share of the whole; NULL: all alike). Gradients are added by one binary tree in the order of the losses, so that
 * which device had which part changes no bit; every copy then gets the same update. */
SITU_API int situ_step_n_at(situ_optimizer *opt, situ_tensor *const *losses, int n, const double *weights, situ_site site);
/* The loss of the whole batch: sum of weights[i] losses[i], by the same tree, on the first loss's device. */
SITU_API situ_tensor *situ_mean_loss_at(situ_tensor *const *losses, int n, const double *weights, situ_site site);

SITU_API double situ_optimizer_lr(const situ_optimizer *opt);
SITU_API SITU_TOLD int situ_optimizer_set_lr(situ_optimizer *opt, double lr);
/* Scales all gradients by min(1, norm / (their global norm + 1e-6)); 0: no clipping (the first norm makes a new plan). */
SITU_API double situ_optimizer_clip(const situ_optimizer *opt);
SITU_API SITU_TOLD int situ_optimizer_set_clip(situ_optimizer *opt, double norm);
/* Steps made so far; one that is found to fail only while it is computed counts, though it changes nothing. */
SITU_API int64_t situ_optimizer_steps(const situ_optimizer *opt);
/* "sgd", "adam", "adamw". */
SITU_API const char *situ_optimizer_name(const situ_optimizer *opt);

/* A hyper-parameter: a row of a table from which defaults, ranges, help and reports are made. */
typedef struct situ_hyper {
    const char *name, *help;
    double value, least, most;
} situ_hyper;
/* Writes up to `most` of the optimizer's hyper-parameters with their present values; returns how many there are. */
SITU_API SITU_TOLD int situ_optimizer_hyper(const situ_optimizer *opt, situ_hyper *out, int most);

#ifdef __cplusplus
}
#endif

#include <situ/call/optim.h>

#endif
