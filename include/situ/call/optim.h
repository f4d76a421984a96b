/* Calls of situ/optim.h. Made by scripts/generate.py from include/situ/optim.h: change that. */
#ifndef SITU_CALL_OPTIM_H
#define SITU_CALL_OPTIM_H

#define SITU_SGD_DEFAULTS (.lr = 0.01,)
#define SITU_ADAM_DEFAULTS (.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8,)
#define SITU_ADAMW_DEFAULTS (.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .weight_decay = 0.01,)
#define SITU_SGD_HYPER \
    SITU_HYPER(situ_sgd_options, lr, 0.01, 0, 3.4028234663852886e+38, "learning rate: how far a step goes"), \
    SITU_HYPER(situ_sgd_options, momentum, 0, 0, 1, "how much of the last direction stays", .open = true), \
    SITU_HYPER(situ_sgd_options, dampening, 0, 0, 1, "how much less the gradient counts in it"), \
    SITU_HYPER(situ_sgd_options, weight_decay, 0, 0, 3.4028234663852886e+38, "adds this times the parameter to its gradient"), \
    SITU_HYPER(situ_sgd_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any"), \
    SITU_HYPER(situ_sgd_options, nesterov, 0, 0, 1, "looks ahead along the direction")
#define SITU_ADAM_HYPER \
    SITU_HYPER(situ_adam_options, lr, 1e-3, 0, 3.4028234663852886e+38, "learning rate: about how far a step goes"), \
    SITU_HYPER(situ_adam_options, beta1, 0.9, 0, 1, "how slowly the mean of the gradient moves", .open = true), \
    SITU_HYPER(situ_adam_options, beta2, 0.999, 0, 1, "how slowly the mean of its square moves", .open = true), \
    SITU_HYPER(situ_adam_options, eps, 1e-8, 0, 3.4028234663852886e+38, "keeps the divisor from 0"), \
    SITU_HYPER(situ_adam_options, weight_decay, 0, 0, 3.4028234663852886e+38, "how strongly parameters are drawn to 0"), \
    SITU_HYPER(situ_adam_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any")
#define SITU_ADAMW_HYPER \
    SITU_HYPER(situ_adam_options, lr, 1e-3, 0, 3.4028234663852886e+38, "learning rate: about how far a step goes"), \
    SITU_HYPER(situ_adam_options, beta1, 0.9, 0, 1, "how slowly the mean of the gradient moves", .open = true), \
    SITU_HYPER(situ_adam_options, beta2, 0.999, 0, 1, "how slowly the mean of its square moves", .open = true), \
    SITU_HYPER(situ_adam_options, eps, 1e-8, 0, 3.4028234663852886e+38, "keeps the divisor from 0"), \
    SITU_HYPER(situ_adam_options, weight_decay, 0.01, 0, 3.4028234663852886e+38, "how strongly parameters are drawn to 0"), \
    SITU_HYPER(situ_adam_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any")

#ifndef __cplusplus
#define situ_sgd(...) situ_sgd_(__VA_ARGS__, )
#define situ_sgd_(net, ...) SITU_OPTIONS_(situ_sgd_options, SITU_SGD_DEFAULTS, situ_sgd, ((net),), __VA_ARGS__)
#define situ_adam(...) situ_adam_(__VA_ARGS__, )
#define situ_adam_(net, ...) SITU_OPTIONS_(situ_adam_options, SITU_ADAM_DEFAULTS, situ_adam, ((net),), __VA_ARGS__)
#define situ_adamw(...) situ_adamw_(__VA_ARGS__, )
#define situ_adamw_(net, ...) SITU_OPTIONS_(situ_adam_options, SITU_ADAMW_DEFAULTS, situ_adamw, ((net),), __VA_ARGS__)
#define situ_optimizer_step(opt, loss) (situ_optimizer_step)((opt), SITU_TENSOR(loss), SITU_HERE)
#define situ_optimizer_step_n(opt, losses, weights) (situ_optimizer_step_n)((opt), (losses), (weights), SITU_HERE)
#define situ_mean_loss(losses, weights) (situ_mean_loss)((losses), (weights), SITU_HERE)
#ifndef SITU_BUILD /* the line where a handle ends is said to who uses it later */
#define situ_optimizer_free(opt) (situ_optimizer_free_at)((opt), SITU_HERE)
#endif
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_optimizer_set_lr(...) SITU_AT_(situ_optimizer_set_lr, __VA_ARGS__)
#define situ_optimizer_set_clip_norm(...) SITU_AT_(situ_optimizer_set_clip_norm, __VA_ARGS__)
#define situ_optimizer_hyper(...) SITU_AT_(situ_optimizer_hyper, __VA_ARGS__)
#define situ_optimizer_custom(...) SITU_AT_(situ_optimizer_custom, __VA_ARGS__)
#endif

#endif
