/* Calls of situ/optim.h. Made by scripts/generate.py from include/situ/optim.h: change that. */
#ifndef SITU_CALL_OPTIM_H
#define SITU_CALL_OPTIM_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_SGD_DEFAULTS (.lr = 0.01,)
#define SITU_ADAM_DEFAULTS (.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8,)
#define SITU_ADAGRAD_DEFAULTS (.lr = 0.01, .eps = 1e-10,)
#define SITU_RMSPROP_DEFAULTS (.lr = 0.01, .alpha = 0.99, .eps = 1e-8,)
#define SITU_ADADELTA_DEFAULTS (.lr = 1, .rho = 0.9, .eps = 1e-6,)
#define SITU_ADAMAX_DEFAULTS (.lr = 2e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8,)
#define SITU_NADAM_DEFAULTS (.lr = 2e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .momentum_decay = 4e-3,)
#define SITU_RADAM_DEFAULTS (.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8,)
#define SITU_LION_DEFAULTS (.lr = 1e-4, .beta1 = 0.9, .beta2 = 0.99,)
#define SITU_LAMB_DEFAULTS (.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-6,)
#define SITU_ADAFACTOR_DEFAULTS (.lr = 0.01, .beta2_decay = -0.8, .eps2 = 1e-3, .threshold = 1,)
#define SITU_MUON_DEFAULTS \
    (.lr = 1e-3, .momentum = 0.95, .nesterov = true, .steps = 5, .weight_decay = 0.1, .orthogonal = true, .adam_lr = \
    3e-4, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8,)
#define SITU_LBFGS_DEFAULTS (.lr = 1, .history = 10,)
#define SITU_COSINE_DEFAULTS (.growth = 1,)
#define SITU_ONE_CYCLE_DEFAULTS (.rise = 0.3, .start = 25, .end = 1e4,)
#define SITU_PLATEAU_DEFAULTS (.factor = 0.1, .patience = 10, .threshold = 1e-4,)
#define SITU_ADAMW_DEFAULTS (.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .weight_decay = 0.01,)
#define SITU_SGD_HYPER \
    SITU_HYPER(situ_sgd_options, lr, 0.01, 0, 3.4028234663852886e+38, "learning rate: length of a step"), \
    SITU_HYPER(situ_sgd_options, momentum, 0, 0, 1, "share of the previous direction in the next one", .open = true), \
    SITU_HYPER(situ_sgd_options, dampening, 0, 0, 1, "by how much the gradient counts less in the direction"), \
    SITU_HYPER(situ_sgd_options, weight_decay, 0, 0, 3.4028234663852886e+38, "adds this times the parameter to its gradient"), \
    SITU_HYPER(situ_sgd_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any"), \
    SITU_HYPER(situ_sgd_options, nesterov, 0, 0, 1, "looks ahead along the direction (Nesterov)"), \
    SITU_HYPER(situ_sgd_options, clip_value, 0, 0, 3.4028234663852886e+38, "largest magnitude of an element of the gradients, 0: any"), \
    SITU_HYPER(situ_sgd_options, lazy_rows, 0, 0, 1, "does not change rows of a table (and their moments) that no lookup read")
#define SITU_ADAM_HYPER \
    SITU_HYPER(situ_adam_options, lr, 1e-3, 0, 3.4028234663852886e+38, "learning rate: approximate length of a step"), \
    SITU_HYPER(situ_adam_options, beta1, 0.9, 0, 1, "decay of the mean of gradients", .open = true), \
    SITU_HYPER(situ_adam_options, beta2, 0.999, 0, 1, "decay of the mean of their squares", .open = true), \
    SITU_HYPER(situ_adam_options, eps, 1e-8, 0, 3.4028234663852886e+38, "keeps the divisor above 0"), \
    SITU_HYPER(situ_adam_options, weight_decay, 0, 0, 3.4028234663852886e+38, "decay of the parameters towards 0"), \
    SITU_HYPER(situ_adam_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any"), \
    SITU_HYPER(situ_adam_options, clip_value, 0, 0, 3.4028234663852886e+38, "largest magnitude of an element of the gradients, 0: any"), \
    SITU_HYPER(situ_adam_options, lazy_rows, 0, 0, 1, "does not change rows of a table (and their moments) that no lookup read")
#define SITU_ADAMW_HYPER \
    SITU_HYPER(situ_adam_options, lr, 1e-3, 0, 3.4028234663852886e+38, "learning rate: approximate length of a step"), \
    SITU_HYPER(situ_adam_options, beta1, 0.9, 0, 1, "decay of the mean of gradients", .open = true), \
    SITU_HYPER(situ_adam_options, beta2, 0.999, 0, 1, "decay of the mean of their squares", .open = true), \
    SITU_HYPER(situ_adam_options, eps, 1e-8, 0, 3.4028234663852886e+38, "keeps the divisor above 0"), \
    SITU_HYPER(situ_adam_options, weight_decay, 0.01, 0, 3.4028234663852886e+38, "decay of the parameters towards 0"), \
    SITU_HYPER(situ_adam_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any"), \
    SITU_HYPER(situ_adam_options, clip_value, 0, 0, 3.4028234663852886e+38, "largest magnitude of an element of the gradients, 0: any"), \
    SITU_HYPER(situ_adam_options, lazy_rows, 0, 0, 1, "does not change rows of a table (and their moments) that no lookup read")
#define SITU_ADAGRAD_HYPER \
    SITU_HYPER(situ_adagrad_options, lr, 0.01, 0, 3.4028234663852886e+38, "learning rate: length of a step"), \
    SITU_HYPER(situ_adagrad_options, lr_decay, 0, 0, 3.4028234663852886e+38, "decay of the learning rate, which is divided by 1 + (t - 1) lr_decay"), \
    SITU_HYPER(situ_adagrad_options, initial, 0, 0, 3.4028234663852886e+38, "initial sum of squares"), \
    SITU_HYPER(situ_adagrad_options, eps, 1e-10, 0, 3.4028234663852886e+38, "keeps the divisor above 0"), \
    SITU_HYPER(situ_adagrad_options, weight_decay, 0, 0, 3.4028234663852886e+38, "adds this times the parameter to its gradient"), \
    SITU_HYPER(situ_adagrad_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any"), \
    SITU_HYPER(situ_adagrad_options, clip_value, 0, 0, 3.4028234663852886e+38, "largest magnitude of an element of the gradients, 0: any"), \
    SITU_HYPER(situ_adagrad_options, lazy_rows, 0, 0, 1, "does not change rows of a table (and their moments) that no lookup read")
#define SITU_RMSPROP_HYPER \
    SITU_HYPER(situ_rmsprop_options, lr, 0.01, 0, 3.4028234663852886e+38, "learning rate: length of a step"), \
    SITU_HYPER(situ_rmsprop_options, alpha, 0.99, 0, 1, "decay of the mean of squares", .open = true), \
    SITU_HYPER(situ_rmsprop_options, eps, 1e-8, 0, 3.4028234663852886e+38, "keeps the divisor above 0"), \
    SITU_HYPER(situ_rmsprop_options, momentum, 0, 0, 1, "share of the previous direction in the next one", .open = true), \
    SITU_HYPER(situ_rmsprop_options, centered, 0, 0, 1, "subtracts the squared mean (centred)"), \
    SITU_HYPER(situ_rmsprop_options, weight_decay, 0, 0, 3.4028234663852886e+38, "adds this times the parameter to its gradient"), \
    SITU_HYPER(situ_rmsprop_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any"), \
    SITU_HYPER(situ_rmsprop_options, clip_value, 0, 0, 3.4028234663852886e+38, "largest magnitude of an element of the gradients, 0: any"), \
    SITU_HYPER(situ_rmsprop_options, lazy_rows, 0, 0, 1, "does not change rows of a table (and their moments) that no lookup read")
#define SITU_ADADELTA_HYPER \
    SITU_HYPER(situ_adadelta_options, lr, 1, 0, 3.4028234663852886e+38, "learning rate: length of a step"), \
    SITU_HYPER(situ_adadelta_options, rho, 0.9, 0, 1, "decay of the means of squares", .open = true), \
    SITU_HYPER(situ_adadelta_options, eps, 1e-6, 0, 3.4028234663852886e+38, "keeps the divisor above 0"), \
    SITU_HYPER(situ_adadelta_options, weight_decay, 0, 0, 3.4028234663852886e+38, "adds this times the parameter to its gradient"), \
    SITU_HYPER(situ_adadelta_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any"), \
    SITU_HYPER(situ_adadelta_options, clip_value, 0, 0, 3.4028234663852886e+38, "largest magnitude of an element of the gradients, 0: any")
#define SITU_ADAMAX_HYPER \
    SITU_HYPER(situ_adamax_options, lr, 2e-3, 0, 3.4028234663852886e+38, "learning rate: approximate length of a step"), \
    SITU_HYPER(situ_adamax_options, beta1, 0.9, 0, 1, "decay of the mean of gradients", .open = true), \
    SITU_HYPER(situ_adamax_options, beta2, 0.999, 0, 1, "decay of the largest magnitude", .open = true), \
    SITU_HYPER(situ_adamax_options, eps, 1e-8, 0, 3.4028234663852886e+38, "keeps the divisor above 0"), \
    SITU_HYPER(situ_adamax_options, weight_decay, 0, 0, 3.4028234663852886e+38, "adds this times the parameter to its gradient"), \
    SITU_HYPER(situ_adamax_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any"), \
    SITU_HYPER(situ_adamax_options, clip_value, 0, 0, 3.4028234663852886e+38, "largest magnitude of an element of the gradients, 0: any")
#define SITU_NADAM_HYPER \
    SITU_HYPER(situ_nadam_options, lr, 2e-3, 0, 3.4028234663852886e+38, "learning rate: approximate length of a step"), \
    SITU_HYPER(situ_nadam_options, beta1, 0.9, 0, 1, "decay of the mean of gradients", .open = true), \
    SITU_HYPER(situ_nadam_options, beta2, 0.999, 0, 1, "decay of the mean of their squares", .open = true), \
    SITU_HYPER(situ_nadam_options, eps, 1e-8, 0, 3.4028234663852886e+38, "keeps the divisor above 0"), \
    SITU_HYPER(situ_nadam_options, momentum_decay, 4e-3, 0, 3.4028234663852886e+38, "how fast the momentum approaches beta1"), \
    SITU_HYPER(situ_nadam_options, decoupled, 0, 0, 1, "weight decay apart from the gradient, as in situ_adamw"), \
    SITU_HYPER(situ_nadam_options, weight_decay, 0, 0, 3.4028234663852886e+38, "decay of the parameters towards 0"), \
    SITU_HYPER(situ_nadam_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any"), \
    SITU_HYPER(situ_nadam_options, clip_value, 0, 0, 3.4028234663852886e+38, "largest magnitude of an element of the gradients, 0: any")
#define SITU_RADAM_HYPER \
    SITU_HYPER(situ_radam_options, lr, 1e-3, 0, 3.4028234663852886e+38, "learning rate: approximate length of a step"), \
    SITU_HYPER(situ_radam_options, beta1, 0.9, 0, 1, "decay of the mean of gradients", .open = true), \
    SITU_HYPER(situ_radam_options, beta2, 0.999, 0, 1, "decay of the mean of their squares", .open = true), \
    SITU_HYPER(situ_radam_options, eps, 1e-8, 0, 3.4028234663852886e+38, "keeps the divisor above 0"), \
    SITU_HYPER(situ_radam_options, decoupled, 0, 0, 1, "weight decay apart from the gradient, as in situ_adamw"), \
    SITU_HYPER(situ_radam_options, weight_decay, 0, 0, 3.4028234663852886e+38, "decay of the parameters towards 0"), \
    SITU_HYPER(situ_radam_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any"), \
    SITU_HYPER(situ_radam_options, clip_value, 0, 0, 3.4028234663852886e+38, "largest magnitude of an element of the gradients, 0: any")
#define SITU_LION_HYPER \
    SITU_HYPER(situ_lion_options, lr, 1e-4, 0, 3.4028234663852886e+38, "learning rate: by how much each element changes"), \
    SITU_HYPER(situ_lion_options, beta1, 0.9, 0, 1, "share of the direction in a step", .open = true), \
    SITU_HYPER(situ_lion_options, beta2, 0.99, 0, 1, "decay of the direction", .open = true), \
    SITU_HYPER(situ_lion_options, weight_decay, 0, 0, 3.4028234663852886e+38, "decay of the parameters towards 0"), \
    SITU_HYPER(situ_lion_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any"), \
    SITU_HYPER(situ_lion_options, clip_value, 0, 0, 3.4028234663852886e+38, "largest magnitude of an element of the gradients, 0: any")
#define SITU_LAMB_HYPER \
    SITU_HYPER(situ_lamb_options, lr, 1e-3, 0, 3.4028234663852886e+38, "learning rate: length of a step relative to the parameter's norm"), \
    SITU_HYPER(situ_lamb_options, beta1, 0.9, 0, 1, "decay of the mean of gradients", .open = true), \
    SITU_HYPER(situ_lamb_options, beta2, 0.999, 0, 1, "decay of the mean of their squares", .open = true), \
    SITU_HYPER(situ_lamb_options, eps, 1e-6, 0, 3.4028234663852886e+38, "keeps the divisor above 0"), \
    SITU_HYPER(situ_lamb_options, weight_decay, 0, 0, 3.4028234663852886e+38, "decay of the parameters towards 0"), \
    SITU_HYPER(situ_lamb_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any"), \
    SITU_HYPER(situ_lamb_options, clip_value, 0, 0, 3.4028234663852886e+38, "largest magnitude of an element of the gradients, 0: any")
#define SITU_ADAFACTOR_HYPER \
    SITU_HYPER(situ_adafactor_options, lr, 0.01, 0, 3.4028234663852886e+38, "largest learning rate: length of a step relative to the parameter's root mean square"), \
    SITU_HYPER(situ_adafactor_options, beta2_decay, -0.8, -1, 0, "weight t^beta2_decay of a new gradient in the means of squares"), \
    SITU_HYPER(situ_adafactor_options, eps1, 0, 0, 3.4028234663852886e+38, "keeps the divisor above 0; 0: the epsilon of the dtype"), \
    SITU_HYPER(situ_adafactor_options, eps2, 1e-3, 0, 3.4028234663852886e+38, "least root mean square of a parameter"), \
    SITU_HYPER(situ_adafactor_options, threshold, 1, 0, 3.4028234663852886e+38, "largest root mean square of a step"), \
    SITU_HYPER(situ_adafactor_options, weight_decay, 0, 0, 3.4028234663852886e+38, "decay of the parameters towards 0"), \
    SITU_HYPER(situ_adafactor_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any"), \
    SITU_HYPER(situ_adafactor_options, clip_value, 0, 0, 3.4028234663852886e+38, "largest magnitude of an element of the gradients, 0: any")
#define SITU_MUON_HYPER \
    SITU_HYPER(situ_muon_options, lr, 1e-3, 0, 3.4028234663852886e+38, "learning rate of matrices"), \
    SITU_HYPER(situ_muon_options, momentum, 0.95, 0, 1, "decay of the direction of matrices", .open = true), \
    SITU_HYPER(situ_muon_options, nesterov, true, 0, 1, "looks ahead along the direction (Nesterov)"), \
    SITU_HYPER(situ_muon_options, steps, 5, 0, 99, "number of iterations that make the direction orthogonal"), \
    SITU_HYPER(situ_muon_options, weight_decay, 0.1, 0, 3.4028234663852886e+38, "decay of the parameters towards 0"), \
    SITU_HYPER(situ_muon_options, orthogonal, true, 0, 1, "updates matrices by their orthogonalised direction"), \
    SITU_HYPER(situ_muon_options, adam_lr, 3e-4, 0, 3.4028234663852886e+38, "learning rate of other parameters"), \
    SITU_HYPER(situ_muon_options, beta1, 0.9, 0, 1, "for other parameters, as in situ_adamw", .open = true), \
    SITU_HYPER(situ_muon_options, beta2, 0.999, 0, 1, "for other parameters, as in situ_adamw", .open = true), \
    SITU_HYPER(situ_muon_options, eps, 1e-8, 0, 3.4028234663852886e+38, "for other parameters, as in situ_adamw"), \
    SITU_HYPER(situ_muon_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any"), \
    SITU_HYPER(situ_muon_options, clip_value, 0, 0, 3.4028234663852886e+38, "largest magnitude of an element of the gradients, 0: any")
#define SITU_LBFGS_HYPER \
    SITU_HYPER(situ_lbfgs_options, lr, 1, 0, 3.4028234663852886e+38, "learning rate: share of the direction in a step"), \
    SITU_HYPER(situ_lbfgs_options, history, 10, 1, 100, "number of past steps that determine the curvature"), \
    SITU_HYPER(situ_lbfgs_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any"), \
    SITU_HYPER(situ_lbfgs_options, clip_value, 0, 0, 3.4028234663852886e+38, "largest magnitude of an element of the gradients, 0: any")

#ifndef __cplusplus
#define situ_sgd(...) situ_sgd_(__VA_ARGS__, )
#define situ_sgd_(net, ...) \
    SITU_OPTIONS_(situ_sgd_options, SITU_SGD_DEFAULTS, situ_sgd, (SITU_HANDLE(situ_module *, net),), \
    "situ_sgd(net, .lr = ..., .momentum = ..., .dampening = ..., ...)", __VA_ARGS__)
#define situ_adam(...) situ_adam_(__VA_ARGS__, )
#define situ_adam_(net, ...) \
    SITU_OPTIONS_(situ_adam_options, SITU_ADAM_DEFAULTS, situ_adam, (SITU_HANDLE(situ_module *, net),), \
    "situ_adam(net, .lr = ..., .beta1 = ..., .beta2 = ..., ...)", __VA_ARGS__)
#define situ_adamw(...) situ_adamw_(__VA_ARGS__, )
#define situ_adamw_(net, ...) \
    SITU_OPTIONS_(situ_adam_options, SITU_ADAMW_DEFAULTS, situ_adamw, (SITU_HANDLE(situ_module *, net),), \
    "situ_adamw(net, .lr = ..., .beta1 = ..., .beta2 = ..., ...)", __VA_ARGS__)
#define situ_adagrad(...) situ_adagrad_(__VA_ARGS__, )
#define situ_adagrad_(net, ...) \
    SITU_OPTIONS_(situ_adagrad_options, SITU_ADAGRAD_DEFAULTS, situ_adagrad, (SITU_HANDLE(situ_module *, net),), \
    "situ_adagrad(net, .lr = ..., .lr_decay = ..., .initial = ..., ...)", __VA_ARGS__)
#define situ_rmsprop(...) situ_rmsprop_(__VA_ARGS__, )
#define situ_rmsprop_(net, ...) \
    SITU_OPTIONS_(situ_rmsprop_options, SITU_RMSPROP_DEFAULTS, situ_rmsprop, (SITU_HANDLE(situ_module *, net),), \
    "situ_rmsprop(net, .lr = ..., .alpha = ..., .eps = ..., ...)", __VA_ARGS__)
#define situ_adadelta(...) situ_adadelta_(__VA_ARGS__, )
#define situ_adadelta_(net, ...) \
    SITU_OPTIONS_(situ_adadelta_options, SITU_ADADELTA_DEFAULTS, situ_adadelta, (SITU_HANDLE(situ_module *, net),), \
    "situ_adadelta(net, .lr = ..., .rho = ..., .eps = ..., ...)", __VA_ARGS__)
#define situ_adamax(...) situ_adamax_(__VA_ARGS__, )
#define situ_adamax_(net, ...) \
    SITU_OPTIONS_(situ_adamax_options, SITU_ADAMAX_DEFAULTS, situ_adamax, (SITU_HANDLE(situ_module *, net),), \
    "situ_adamax(net, .lr = ..., .beta1 = ..., .beta2 = ..., ...)", __VA_ARGS__)
#define situ_nadam(...) situ_nadam_(__VA_ARGS__, )
#define situ_nadam_(net, ...) \
    SITU_OPTIONS_(situ_nadam_options, SITU_NADAM_DEFAULTS, situ_nadam, (SITU_HANDLE(situ_module *, net),), \
    "situ_nadam(net, .lr = ..., .beta1 = ..., .beta2 = ..., ...)", __VA_ARGS__)
#define situ_radam(...) situ_radam_(__VA_ARGS__, )
#define situ_radam_(net, ...) \
    SITU_OPTIONS_(situ_radam_options, SITU_RADAM_DEFAULTS, situ_radam, (SITU_HANDLE(situ_module *, net),), \
    "situ_radam(net, .lr = ..., .beta1 = ..., .beta2 = ..., ...)", __VA_ARGS__)
#define situ_lion(...) situ_lion_(__VA_ARGS__, )
#define situ_lion_(net, ...) \
    SITU_OPTIONS_(situ_lion_options, SITU_LION_DEFAULTS, situ_lion, (SITU_HANDLE(situ_module *, net),), \
    "situ_lion(net, .lr = ..., .beta1 = ..., .beta2 = ..., ...)", __VA_ARGS__)
#define situ_lamb(...) situ_lamb_(__VA_ARGS__, )
#define situ_lamb_(net, ...) \
    SITU_OPTIONS_(situ_lamb_options, SITU_LAMB_DEFAULTS, situ_lamb, (SITU_HANDLE(situ_module *, net),), \
    "situ_lamb(net, .lr = ..., .beta1 = ..., .beta2 = ..., ...)", __VA_ARGS__)
#define situ_adafactor(...) situ_adafactor_(__VA_ARGS__, )
#define situ_adafactor_(net, ...) \
    SITU_OPTIONS_(situ_adafactor_options, SITU_ADAFACTOR_DEFAULTS, situ_adafactor, (SITU_HANDLE(situ_module *, net),), \
    "situ_adafactor(net, .lr = ..., .beta2_decay = ..., .eps1 = ..., ...)", __VA_ARGS__)
#define situ_muon(...) situ_muon_(__VA_ARGS__, )
#define situ_muon_(net, ...) \
    SITU_OPTIONS_(situ_muon_options, SITU_MUON_DEFAULTS, situ_muon, (SITU_HANDLE(situ_module *, net),), \
    "situ_muon(net, .lr = ..., .momentum = ..., .nesterov = ..., ...)", __VA_ARGS__)
#define situ_lbfgs(...) situ_lbfgs_(__VA_ARGS__, )
#define situ_lbfgs_(net, ...) \
    SITU_OPTIONS_(situ_lbfgs_options, SITU_LBFGS_DEFAULTS, situ_lbfgs, (SITU_HANDLE(situ_module *, net),), \
    "situ_lbfgs(net, .lr = ..., .history = ..., .clip_norm = ..., ...)", __VA_ARGS__)
#define situ_optimizer_step(opt, loss) \
    (situ_optimizer_step)(SITU_HANDLE(situ_optimizer *, opt), SITU_TENSOR(loss), SITU_HERE)
#define situ_optimizer_step_n(opt, losses, weights) \
    (situ_optimizer_step_n)(SITU_HANDLE(situ_optimizer *, opt), (losses), (weights), SITU_HERE)
#define situ_optimizer_step_group(opt, losses, weights, group, total) \
    (situ_optimizer_step_group)(SITU_HANDLE(situ_optimizer *, opt), (losses), (weights), SITU_HANDLE(situ_group *, \
    group), SITU_INTEGER(total), SITU_HERE)
#define situ_mean_loss(losses, weights) (situ_mean_loss)((losses), (weights), SITU_HERE)
#define situ_optimizer_loss_scale(opt) (situ_optimizer_loss_scale)(SITU_HANDLE(situ_optimizer *, opt), SITU_HERE)
#define situ_optimizer_left_out(opt) (situ_optimizer_left_out)(SITU_HANDLE(situ_optimizer *, opt), SITU_HERE)
#define situ_optimizer_swap_average(opt) (situ_optimizer_swap_average)(SITU_HANDLE(situ_optimizer *, opt), SITU_HERE)
#define situ_schedule_cosine(...) situ_schedule_cosine_(__VA_ARGS__, )
#define situ_schedule_cosine_(opt, steps, ...) \
    SITU_OPTIONS_(situ_cosine_options, SITU_COSINE_DEFAULTS, situ_schedule_cosine, (SITU_HANDLE(situ_optimizer *, \
    opt), SITU_INTEGER(steps),), "situ_schedule_cosine(opt, steps, .least = ..., .restarts = ..., .growth = ...)", \
    __VA_ARGS__)
#define situ_schedule_one_cycle(...) situ_schedule_one_cycle_(__VA_ARGS__, )
#define situ_schedule_one_cycle_(opt, steps, ...) \
    SITU_OPTIONS_(situ_one_cycle_options, SITU_ONE_CYCLE_DEFAULTS, situ_schedule_one_cycle, \
    (SITU_HANDLE(situ_optimizer *, opt), SITU_INTEGER(steps),), \
    "situ_schedule_one_cycle(opt, steps, .rise = ..., .start = ..., .end = ...)", __VA_ARGS__)
#define situ_schedule_plateau(...) situ_schedule_plateau_(__VA_ARGS__, )
#define situ_schedule_plateau_(opt, ...) \
    SITU_OPTIONS_(situ_plateau_options, SITU_PLATEAU_DEFAULTS, situ_schedule_plateau, (SITU_HANDLE(situ_optimizer *, \
    opt),), "situ_schedule_plateau(opt, .factor = ..., .patience = ..., .threshold = ..., ...)", __VA_ARGS__)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_optimizer_free(opt) SITU_AT_(situ_optimizer_free, SITU_HANDLE(situ_optimizer *, opt))
#define situ_optimizer_set_lr(opt, lr) SITU_AT_(situ_optimizer_set_lr, SITU_HANDLE(situ_optimizer *, opt), (lr))
#define situ_optimizer_set_clip_norm(opt, norm) \
    SITU_AT_(situ_optimizer_set_clip_norm, SITU_HANDLE(situ_optimizer *, opt), (norm))
#define situ_optimizer_set_loss_scale(opt, first) \
    SITU_AT_(situ_optimizer_set_loss_scale, SITU_HANDLE(situ_optimizer *, opt), (first))
#define situ_optimizer_hyper(...) SITU_AT_AS_IT_IS_(situ_optimizer_hyper, __VA_ARGS__)
#define situ_optimizer_set(opt, paths, hyper, value) \
    SITU_AT_(situ_optimizer_set, SITU_HANDLE(situ_optimizer *, opt), (paths), (hyper), (value))
#define situ_optimizer_set_clip_value(opt, value) \
    SITU_AT_(situ_optimizer_set_clip_value, SITU_HANDLE(situ_optimizer *, opt), (value))
#define situ_optimizer_set_accumulation(opt, n) \
    SITU_AT_(situ_optimizer_set_accumulation, SITU_HANDLE(situ_optimizer *, opt), SITU_INTEGER(n))
#define situ_optimizer_set_average(opt, decay) \
    SITU_AT_(situ_optimizer_set_average, SITU_HANDLE(situ_optimizer *, opt), (decay))
#define situ_schedule_warmup(opt, steps, start) \
    SITU_AT_(situ_schedule_warmup, SITU_HANDLE(situ_optimizer *, opt), SITU_INTEGER(steps), (start))
#define situ_schedule_constant(opt) SITU_AT_(situ_schedule_constant, SITU_HANDLE(situ_optimizer *, opt))
#define situ_schedule_step(opt, every, gamma) \
    SITU_AT_(situ_schedule_step, SITU_HANDLE(situ_optimizer *, opt), SITU_INTEGER(every), (gamma))
#define situ_schedule_multi_step(...) SITU_AT_AS_IT_IS_(situ_schedule_multi_step, __VA_ARGS__)
#define situ_schedule_exponential(opt, gamma) \
    SITU_AT_(situ_schedule_exponential, SITU_HANDLE(situ_optimizer *, opt), (gamma))
#define situ_schedule_polynomial(opt, steps, power, least) \
    SITU_AT_(situ_schedule_polynomial, SITU_HANDLE(situ_optimizer *, opt), SITU_INTEGER(steps), (power), (least))
#define situ_schedule_report(opt, value) SITU_AT_(situ_schedule_report, SITU_HANDLE(situ_optimizer *, opt), (value))
#define situ_schedule_custom(opt, function, user) \
    SITU_AT_(situ_schedule_custom, SITU_HANDLE(situ_optimizer *, opt), (function), (user))
#define situ_schedule_at(opt, t) SITU_AT_(situ_schedule_at, SITU_HANDLE(situ_optimizer *, opt), SITU_INTEGER(t))
#define situ_optimizer_custom(...) SITU_AT_AS_IT_IS_(situ_optimizer_custom, __VA_ARGS__)
#endif

#endif
