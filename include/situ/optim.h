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
 */
#ifndef SITU_OPTIM_H
#define SITU_OPTIM_H

#include <stddef.h>

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
SITU_API int situ_optimizer_step(situ_optimizer *opt, situ_tensor *loss, situ_site site);
/* The same for a network on several devices: loss i is the mean over its part of the batch and counts weights[i] (its
 * share of the whole; NULL: all alike). Gradients are added by one binary tree in the order of the losses, so that
 * which device had which part changes no bit; every copy then gets the same update. */
SITU_API int situ_optimizer_step_n(situ_optimizer *opt, situ_list losses, const double *weights, situ_site site);
/* The loss of the whole batch: sum of weights[i] losses[i], by the same tree, on the first loss's device. */
SITU_API situ_tensor *situ_mean_loss(situ_list losses, const double *weights, situ_site site);

SITU_API double situ_optimizer_lr(const situ_optimizer *opt);
SITU_API SITU_TOLD int situ_optimizer_set_lr(situ_optimizer *opt, double lr);
/* Scales all gradients by min(1, norm / (their global norm + 1e-6)); 0: no clipping (the first norm makes a new plan). */
SITU_API double situ_optimizer_clip_norm(const situ_optimizer *opt);
SITU_API SITU_TOLD int situ_optimizer_set_clip_norm(situ_optimizer *opt, double norm);
/* Steps made so far; one that is found to fail only while it is computed counts, though it changes nothing. */
SITU_API int64_t situ_optimizer_steps(const situ_optimizer *opt);
/* "sgd", "adam", "adamw". */
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
    const void *options;                     /* the optimizer's own, with the present values */
    int64_t step;                            /* from 1 */
    situ_tensor *p, *g;                      /* the parameter and its gradient, summed over devices and clipped */
    situ_tensor *slot[SITU_OPTIMIZER_SLOTS]; /* what earlier steps left: moments */
    situ_tensor *next[SITU_OPTIMIZER_SLOTS]; /* to be filled in: what this step leaves; NULL: it stays as it is */
    situ_site site;                          /* the line of the step */
} situ_optimizer_update;
typedef struct situ_optimizer_rule {
    const char *name;                  /* for messages and situ_optimizer_name */
    const situ_hyper *hyper;           /* hyper-parameters; one must be a double .lr; .clip_norm is known to all, too */
    int hypers;                        /* how many */
    size_t size;                       /* of the options */
    int (*slots)(const void *options); /* of a parameter; NULL: 0 */
    situ_tensor *(*first)(situ_tensor *p, int slot, const void *options); /* what a slot begins with; NULL: zeros like p */
    situ_tensor *(*update)(situ_optimizer_update *u);                     /* the parameter's next value */
    const char *(*wrong)(const void *options);                            /* what ranges cannot tell, or NULL; may be NULL */
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
