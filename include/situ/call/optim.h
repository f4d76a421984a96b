/* Calls of situ/optim.h. Made by scripts/generate.py from include/situ/optim.h: change that. */
#ifndef SITU_CALL_OPTIM_H
#define SITU_CALL_OPTIM_H

#define SITU_SGD_DEFAULTS (.lr = 0.01,)
#define SITU_ADAM_DEFAULTS (.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8,)
#define SITU_ADAMW_DEFAULTS (.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .weight_decay = 0.01,)

#ifndef __cplusplus
#define situ_sgd(...) situ_sgd_(__VA_ARGS__, )
#define situ_sgd_(net, ...) SITU_OPTIONS_(situ_sgd_options, SITU_SGD_DEFAULTS, situ_sgd, ((net),), __VA_ARGS__)
#define situ_adam(...) situ_adam_(__VA_ARGS__, )
#define situ_adam_(net, ...) SITU_OPTIONS_(situ_adam_options, SITU_ADAM_DEFAULTS, situ_adam, ((net),), __VA_ARGS__)
#define situ_adamw(...) situ_adamw_(__VA_ARGS__, )
#define situ_adamw_(net, ...) SITU_OPTIONS_(situ_adam_options, SITU_ADAMW_DEFAULTS, situ_adamw, ((net),), __VA_ARGS__)
#define situ_step(opt, loss) (situ_step_at)((opt), SITU_TENSOR(loss), SITU_HERE)
#define situ_step_n(opt, losses, n, weights) (situ_step_n_at)((opt), (losses), SITU_INTEGER(n), (weights), SITU_HERE)
#define situ_mean_loss(losses, n, weights) (situ_mean_loss_at)((losses), SITU_INTEGER(n), (weights), SITU_HERE)
#ifndef SITU_BUILD /* the line where a handle ends is said to who uses it later */
#define situ_optimizer_free(opt) (situ_optimizer_free_at)((opt), SITU_HERE)
#endif
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_optimizer_set_lr(...) SITU_AT_(situ_optimizer_set_lr, __VA_ARGS__)
#define situ_optimizer_set_clip(...) SITU_AT_(situ_optimizer_set_clip, __VA_ARGS__)
#define situ_optimizer_hyper(...) SITU_AT_(situ_optimizer_hyper, __VA_ARGS__)
#endif

#endif
