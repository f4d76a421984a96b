/* situ/optim.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

MADE(sgd)
{
    TAKE("SGD", 9, 1, 9, {"net", "lr", "momentum", "dampening", "weight_decay", "clip_norm", "nesterov", "clip_value", "lazy_rows"}, {NULL});
    situ_module *net_ = arg_module(c, 0);
    situ_sgd_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.lr = arg_double(c, 1, 0.01);
    o.momentum = arg_double(c, 2, 0);
    o.dampening = arg_double(c, 3, 0);
    o.weight_decay = arg_double(c, 4, 0);
    o.clip_norm = arg_double(c, 5, 0);
    o.nesterov = arg_bool(c, 6, false);
    o.clip_value = arg_double(c, 7, 0);
    o.lazy_rows = arg_bool(c, 8, false);
    return end_handle(c, c->failed ? NULL : (situ_sgd)(net_, &o, c->site), OPTIMIZER, optimizer_end);
}

MADE(adam)
{
    TAKE("Adam", 9, 1, 9, {"net", "lr", "beta1", "beta2", "eps", "weight_decay", "clip_norm", "clip_value", "lazy_rows"}, {NULL});
    situ_module *net_ = arg_module(c, 0);
    situ_adam_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.lr = arg_double(c, 1, 1e-3);
    o.beta1 = arg_double(c, 2, 0.9);
    o.beta2 = arg_double(c, 3, 0.999);
    o.eps = arg_double(c, 4, 1e-8);
    o.weight_decay = arg_double(c, 5, 0);
    o.clip_norm = arg_double(c, 6, 0);
    o.clip_value = arg_double(c, 7, 0);
    o.lazy_rows = arg_bool(c, 8, false);
    return end_handle(c, c->failed ? NULL : (situ_adam)(net_, &o, c->site), OPTIMIZER, optimizer_end);
}

MADE(adamw)
{
    TAKE("AdamW", 9, 1, 9, {"net", "lr", "beta1", "beta2", "eps", "weight_decay", "clip_norm", "clip_value", "lazy_rows"}, {NULL});
    situ_module *net_ = arg_module(c, 0);
    situ_adam_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.lr = arg_double(c, 1, 1e-3);
    o.beta1 = arg_double(c, 2, 0.9);
    o.beta2 = arg_double(c, 3, 0.999);
    o.eps = arg_double(c, 4, 1e-8);
    o.weight_decay = arg_double(c, 5, 0.01);
    o.clip_norm = arg_double(c, 6, 0);
    o.clip_value = arg_double(c, 7, 0);
    o.lazy_rows = arg_bool(c, 8, false);
    return end_handle(c, c->failed ? NULL : (situ_adamw)(net_, &o, c->site), OPTIMIZER, optimizer_end);
}

MADE(adagrad)
{
    TAKE("Adagrad", 9, 1, 9, {"net", "lr", "lr_decay", "initial", "eps", "weight_decay", "clip_norm", "clip_value", "lazy_rows"}, {NULL});
    situ_module *net_ = arg_module(c, 0);
    situ_adagrad_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.lr = arg_double(c, 1, 0.01);
    o.lr_decay = arg_double(c, 2, 0);
    o.initial = arg_double(c, 3, 0);
    o.eps = arg_double(c, 4, 1e-10);
    o.weight_decay = arg_double(c, 5, 0);
    o.clip_norm = arg_double(c, 6, 0);
    o.clip_value = arg_double(c, 7, 0);
    o.lazy_rows = arg_bool(c, 8, false);
    return end_handle(c, c->failed ? NULL : (situ_adagrad)(net_, &o, c->site), OPTIMIZER, optimizer_end);
}

MADE(rmsprop)
{
    TAKE("RMSprop", 10, 1, 10, {"net", "lr", "alpha", "eps", "momentum", "centered", "weight_decay", "clip_norm", "clip_value", "lazy_rows"}, {NULL});
    situ_module *net_ = arg_module(c, 0);
    situ_rmsprop_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.lr = arg_double(c, 1, 0.01);
    o.alpha = arg_double(c, 2, 0.99);
    o.eps = arg_double(c, 3, 1e-8);
    o.momentum = arg_double(c, 4, 0);
    o.centered = arg_bool(c, 5, false);
    o.weight_decay = arg_double(c, 6, 0);
    o.clip_norm = arg_double(c, 7, 0);
    o.clip_value = arg_double(c, 8, 0);
    o.lazy_rows = arg_bool(c, 9, false);
    return end_handle(c, c->failed ? NULL : (situ_rmsprop)(net_, &o, c->site), OPTIMIZER, optimizer_end);
}

MADE(adadelta)
{
    TAKE("Adadelta", 7, 1, 7, {"net", "lr", "rho", "eps", "weight_decay", "clip_norm", "clip_value"}, {NULL});
    situ_module *net_ = arg_module(c, 0);
    situ_adadelta_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.lr = arg_double(c, 1, 1);
    o.rho = arg_double(c, 2, 0.9);
    o.eps = arg_double(c, 3, 1e-6);
    o.weight_decay = arg_double(c, 4, 0);
    o.clip_norm = arg_double(c, 5, 0);
    o.clip_value = arg_double(c, 6, 0);
    return end_handle(c, c->failed ? NULL : (situ_adadelta)(net_, &o, c->site), OPTIMIZER, optimizer_end);
}

MADE(adamax)
{
    TAKE("Adamax", 8, 1, 8, {"net", "lr", "beta1", "beta2", "eps", "weight_decay", "clip_norm", "clip_value"}, {NULL});
    situ_module *net_ = arg_module(c, 0);
    situ_adamax_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.lr = arg_double(c, 1, 2e-3);
    o.beta1 = arg_double(c, 2, 0.9);
    o.beta2 = arg_double(c, 3, 0.999);
    o.eps = arg_double(c, 4, 1e-8);
    o.weight_decay = arg_double(c, 5, 0);
    o.clip_norm = arg_double(c, 6, 0);
    o.clip_value = arg_double(c, 7, 0);
    return end_handle(c, c->failed ? NULL : (situ_adamax)(net_, &o, c->site), OPTIMIZER, optimizer_end);
}

MADE(nadam)
{
    TAKE("NAdam", 10, 1, 10, {"net", "lr", "beta1", "beta2", "eps", "momentum_decay", "decoupled", "weight_decay", "clip_norm", "clip_value"}, {NULL});
    situ_module *net_ = arg_module(c, 0);
    situ_nadam_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.lr = arg_double(c, 1, 2e-3);
    o.beta1 = arg_double(c, 2, 0.9);
    o.beta2 = arg_double(c, 3, 0.999);
    o.eps = arg_double(c, 4, 1e-8);
    o.momentum_decay = arg_double(c, 5, 4e-3);
    o.decoupled = arg_bool(c, 6, false);
    o.weight_decay = arg_double(c, 7, 0);
    o.clip_norm = arg_double(c, 8, 0);
    o.clip_value = arg_double(c, 9, 0);
    return end_handle(c, c->failed ? NULL : (situ_nadam)(net_, &o, c->site), OPTIMIZER, optimizer_end);
}

MADE(radam)
{
    TAKE("RAdam", 9, 1, 9, {"net", "lr", "beta1", "beta2", "eps", "decoupled", "weight_decay", "clip_norm", "clip_value"}, {NULL});
    situ_module *net_ = arg_module(c, 0);
    situ_radam_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.lr = arg_double(c, 1, 1e-3);
    o.beta1 = arg_double(c, 2, 0.9);
    o.beta2 = arg_double(c, 3, 0.999);
    o.eps = arg_double(c, 4, 1e-8);
    o.decoupled = arg_bool(c, 5, false);
    o.weight_decay = arg_double(c, 6, 0);
    o.clip_norm = arg_double(c, 7, 0);
    o.clip_value = arg_double(c, 8, 0);
    return end_handle(c, c->failed ? NULL : (situ_radam)(net_, &o, c->site), OPTIMIZER, optimizer_end);
}

MADE(lion)
{
    TAKE("Lion", 7, 1, 7, {"net", "lr", "beta1", "beta2", "weight_decay", "clip_norm", "clip_value"}, {NULL});
    situ_module *net_ = arg_module(c, 0);
    situ_lion_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.lr = arg_double(c, 1, 1e-4);
    o.beta1 = arg_double(c, 2, 0.9);
    o.beta2 = arg_double(c, 3, 0.99);
    o.weight_decay = arg_double(c, 4, 0);
    o.clip_norm = arg_double(c, 5, 0);
    o.clip_value = arg_double(c, 6, 0);
    return end_handle(c, c->failed ? NULL : (situ_lion)(net_, &o, c->site), OPTIMIZER, optimizer_end);
}

MADE(lamb)
{
    TAKE("Lamb", 8, 1, 8, {"net", "lr", "beta1", "beta2", "eps", "weight_decay", "clip_norm", "clip_value"}, {NULL});
    situ_module *net_ = arg_module(c, 0);
    situ_lamb_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.lr = arg_double(c, 1, 1e-3);
    o.beta1 = arg_double(c, 2, 0.9);
    o.beta2 = arg_double(c, 3, 0.999);
    o.eps = arg_double(c, 4, 1e-6);
    o.weight_decay = arg_double(c, 5, 0);
    o.clip_norm = arg_double(c, 6, 0);
    o.clip_value = arg_double(c, 7, 0);
    return end_handle(c, c->failed ? NULL : (situ_lamb)(net_, &o, c->site), OPTIMIZER, optimizer_end);
}

MADE(adafactor)
{
    TAKE("Adafactor", 9, 1, 9, {"net", "lr", "beta2_decay", "eps1", "eps2", "threshold", "weight_decay", "clip_norm", "clip_value"}, {NULL});
    situ_module *net_ = arg_module(c, 0);
    situ_adafactor_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.lr = arg_double(c, 1, 0.01);
    o.beta2_decay = arg_double(c, 2, -0.8);
    o.eps1 = arg_double(c, 3, 0);
    o.eps2 = arg_double(c, 4, 1e-3);
    o.threshold = arg_double(c, 5, 1);
    o.weight_decay = arg_double(c, 6, 0);
    o.clip_norm = arg_double(c, 7, 0);
    o.clip_value = arg_double(c, 8, 0);
    return end_handle(c, c->failed ? NULL : (situ_adafactor)(net_, &o, c->site), OPTIMIZER, optimizer_end);
}

MADE(muon)
{
    TAKE("Muon", 13, 1, 13, {"net", "lr", "momentum", "nesterov", "steps", "weight_decay", "orthogonal", "adam_lr", "beta1", "beta2", "eps", "clip_norm", "clip_value"}, {NULL});
    situ_module *net_ = arg_module(c, 0);
    situ_muon_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.lr = arg_double(c, 1, 1e-3);
    o.momentum = arg_double(c, 2, 0.95);
    o.nesterov = arg_bool(c, 3, true);
    o.steps = arg_int32(c, 4, 5);
    o.weight_decay = arg_double(c, 5, 0.1);
    o.orthogonal = arg_bool(c, 6, true);
    o.adam_lr = arg_double(c, 7, 3e-4);
    o.beta1 = arg_double(c, 8, 0.9);
    o.beta2 = arg_double(c, 9, 0.999);
    o.eps = arg_double(c, 10, 1e-8);
    o.clip_norm = arg_double(c, 11, 0);
    o.clip_value = arg_double(c, 12, 0);
    return end_handle(c, c->failed ? NULL : (situ_muon)(net_, &o, c->site), OPTIMIZER, optimizer_end);
}

MADE(lbfgs)
{
    TAKE("LBFGS", 5, 1, 5, {"net", "lr", "history", "clip_norm", "clip_value"}, {NULL});
    situ_module *net_ = arg_module(c, 0);
    situ_lbfgs_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.lr = arg_double(c, 1, 1);
    o.history = arg_int32(c, 2, 10);
    o.clip_norm = arg_double(c, 3, 0);
    o.clip_value = arg_double(c, 4, 0);
    return end_handle(c, c->failed ? NULL : (situ_lbfgs)(net_, &o, c->site), OPTIMIZER, optimizer_end);
}

PyMethodDef made_optim_methods[] = {
    MADE_ROW(sgd, sgd,
        "sgd(net, *, lr=0.01, momentum=0.0, dampening=0.0, weight_decay=0.0, clip_norm=0.0, nesterov=False, "
        "clip_value=0.0, lazy_rows=False)\n--\n\ng += weight_decay p;  m = momentum m + (1 - dampening) g;  p -= lr "
        "m, with nesterov p -= lr (g + momentum m).\nThe first m is g, as in PyTorch.\n\nlr: learning rate: length "
        "of a step\nmomentum: share of the previous direction in the next one\ndampening: by how much the gradient "
        "counts less in the direction\nweight_decay: adds this times the parameter to its gradient\nclip_norm: "
        "largest global norm of the gradients, 0: any\nnesterov: looks ahead along the direction (Nesterov)\n"
        "clip_value: largest magnitude of an element of the gradients, 0: any\nlazy_rows: does not change rows of a "
        "table (and their moments) that no lookup read"),
    MADE_ROW(adam, adam,
        "adam(net, *, lr=0.001, beta1=0.9, beta2=0.999, eps=1e-08, weight_decay=0.0, clip_norm=0.0, clip_value=0.0, "
        "lazy_rows=False)\n--\n\ng += weight_decay p;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) "
        "g^2;\np -= lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps).\n\nlr: learning rate: approximate "
        "length of a step\nbeta1: decay of the mean of gradients\nbeta2: decay of the mean of their squares\neps: "
        "keeps the divisor above 0\nweight_decay: decay of the parameters towards 0\nclip_norm: largest global norm "
        "of the gradients, 0: any\nclip_value: largest magnitude of an element of the gradients, 0: any\nlazy_rows: "
        "does not change rows of a table (and their moments) that no lookup read"),
    MADE_ROW(adamw, adamw,
        "adamw(net, *, lr=0.001, beta1=0.9, beta2=0.999, eps=1e-08, weight_decay=0.01, clip_norm=0.0, "
        "clip_value=0.0, lazy_rows=False)\n--\n\nThe same with p -= lr weight_decay p instead of decay in the "
        "gradient. Here weight_decay = 0.01.\n\nlr: learning rate: approximate length of a step\nbeta1: decay of "
        "the mean of gradients\nbeta2: decay of the mean of their squares\neps: keeps the divisor above 0\n"
        "weight_decay: decay of the parameters towards 0\nclip_norm: largest global norm of the gradients, 0: any\n"
        "clip_value: largest magnitude of an element of the gradients, 0: any\nlazy_rows: does not change rows of a "
        "table (and their moments) that no lookup read"),
    MADE_ROW(adagrad, adagrad,
        "adagrad(net, *, lr=0.01, lr_decay=0.0, initial=0.0, eps=1e-10, weight_decay=0.0, clip_norm=0.0, "
        "clip_value=0.0, lazy_rows=False)\n--\n\ng += weight_decay p;  s += g^2;  p -= lr / (1 + (t - 1) lr_decay) "
        "g / (sqrt(s) + eps).\n\nlr: learning rate: length of a step\nlr_decay: decay of the learning rate, which "
        "is divided by 1 + (t - 1) lr_decay\ninitial: initial sum of squares\neps: keeps the divisor above 0\n"
        "weight_decay: adds this times the parameter to its gradient\nclip_norm: largest global norm of the "
        "gradients, 0: any\nclip_value: largest magnitude of an element of the gradients, 0: any\nlazy_rows: does "
        "not change rows of a table (and their moments) that no lookup read"),
    MADE_ROW(rmsprop, rmsprop,
        "rmsprop(net, *, lr=0.01, alpha=0.99, eps=1e-08, momentum=0.0, centered=False, weight_decay=0.0, "
        "clip_norm=0.0, clip_value=0.0, lazy_rows=False)\n--\n\ng += weight_decay p;  v = alpha v + (1 - alpha) "
        "g^2;  d = g / (sqrt(v) + eps), centered: v less the square of g's mean;\nwith momentum m = momentum m + d "
        "and p -= lr m, else p -= lr d.\n\nlr: learning rate: length of a step\nalpha: decay of the mean of "
        "squares\neps: keeps the divisor above 0\nmomentum: share of the previous direction in the next one\n"
        "centered: subtracts the squared mean (centred)\nweight_decay: adds this times the parameter to its "
        "gradient\nclip_norm: largest global norm of the gradients, 0: any\nclip_value: largest magnitude of an "
        "element of the gradients, 0: any\nlazy_rows: does not change rows of a table (and their moments) that no "
        "lookup read"),
    MADE_ROW(adadelta, adadelta,
        "adadelta(net, *, lr=1.0, rho=0.9, eps=1e-06, weight_decay=0.0, clip_norm=0.0, clip_value=0.0)\n--\n\ng += "
        "weight_decay p;  v = rho v + (1 - rho) g^2;  d = sqrt(a + eps) / sqrt(v + eps) g;  a = rho a + (1 - rho) "
        "d^2;\np -= lr d.\n\nlr: learning rate: length of a step\nrho: decay of the means of squares\neps: keeps "
        "the divisor above 0\nweight_decay: adds this times the parameter to its gradient\nclip_norm: largest "
        "global norm of the gradients, 0: any\nclip_value: largest magnitude of an element of the gradients, 0: "
        "any"),
    MADE_ROW(adamax, adamax,
        "adamax(net, *, lr=0.002, beta1=0.9, beta2=0.999, eps=1e-08, weight_decay=0.0, clip_norm=0.0, "
        "clip_value=0.0)\n--\n\ng += weight_decay p;  m = beta1 m + (1 - beta1) g;  v = max(beta2 v, |g| + eps);  p "
        "-= lr / (1 - beta1^t) m / v.\n\nlr: learning rate: approximate length of a step\nbeta1: decay of the mean "
        "of gradients\nbeta2: decay of the largest magnitude\neps: keeps the divisor above 0\nweight_decay: adds "
        "this times the parameter to its gradient\nclip_norm: largest global norm of the gradients, 0: any\n"
        "clip_value: largest magnitude of an element of the gradients, 0: any"),
    MADE_ROW(nadam, nadam,
        "nadam(net, *, lr=0.002, beta1=0.9, beta2=0.999, eps=1e-08, momentum_decay=0.004, decoupled=False, "
        "weight_decay=0.0, clip_norm=0.0, clip_value=0.0)\n--\n\nAdam with Nesterov's momentum (Dozat 2016): with "
        "m, v as of adam and mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2),\np -= lr (mu_t+1 m / (1 - mu_1 ... "
        "mu_t+1) + (1 - mu_t) g / (1 - mu_1 ... mu_t)) / (sqrt(v) / sqrt(1 - beta2^t) + eps).\n\nlr: learning rate: "
        "approximate length of a step\nbeta1: decay of the mean of gradients\nbeta2: decay of the mean of their "
        "squares\neps: keeps the divisor above 0\nmomentum_decay: how fast the momentum approaches beta1\n"
        "decoupled: weight decay apart from the gradient, as in adamw\nweight_decay: decay of the parameters "
        "towards 0\nclip_norm: largest global norm of the gradients, 0: any\nclip_value: largest magnitude of an "
        "element of the gradients, 0: any"),
    MADE_ROW(radam, radam,
        "radam(net, *, lr=0.001, beta1=0.9, beta2=0.999, eps=1e-08, decoupled=False, weight_decay=0.0, "
        "clip_norm=0.0, clip_value=0.0)\n--\n\nRectified Adam (Liu et al. 2019): without the divisor, p -= lr m / "
        "(1 - beta1^t), while r = q - 2 t beta2^t / (1 - beta2^t), q\n= 2 / (1 - beta2) - 1, is 5 at most; then "
        "Adam's step times sqrt((r - 4) (r - 2) q / ((q - 4) (q - 2) r)), its divisor\n(sqrt(v) + eps) / sqrt(1 - "
        "beta2^t).\n\nlr: learning rate: approximate length of a step\nbeta1: decay of the mean of gradients\n"
        "beta2: decay of the mean of their squares\neps: keeps the divisor above 0\ndecoupled: weight decay apart "
        "from the gradient, as in adamw\nweight_decay: decay of the parameters towards 0\nclip_norm: largest global "
        "norm of the gradients, 0: any\nclip_value: largest magnitude of an element of the gradients, 0: any"),
    MADE_ROW(lion, lion,
        "lion(net, *, lr=0.0001, beta1=0.9, beta2=0.99, weight_decay=0.0, clip_norm=0.0, clip_value=0.0)\n--\n\np "
        "-= lr (sign(beta1 m + (1 - beta1) g) + weight_decay p);  m = beta2 m + (1 - beta2) g (Chen et al. 2023).\n"
        "\nlr: learning rate: by how much each element changes\nbeta1: share of the direction in a step\nbeta2: "
        "decay of the direction\nweight_decay: decay of the parameters towards 0\nclip_norm: largest global norm of "
        "the gradients, 0: any\nclip_value: largest magnitude of an element of the gradients, 0: any"),
    MADE_ROW(lamb, lamb,
        "lamb(net, *, lr=0.001, beta1=0.9, beta2=0.999, eps=1e-06, weight_decay=0.0, clip_norm=0.0, "
        "clip_value=0.0)\n--\n\nd = Adam's step for lr = 1, plus weight_decay p;  p -= lr |p| / |d| d, by norms of "
        "each parameter; where one is 0 the\nquotient is 1 (You et al. 2019).\n\nlr: learning rate: length of a "
        "step relative to the parameter's norm\nbeta1: decay of the mean of gradients\nbeta2: decay of the mean of "
        "their squares\neps: keeps the divisor above 0\nweight_decay: decay of the parameters towards 0\nclip_norm: "
        "largest global norm of the gradients, 0: any\nclip_value: largest magnitude of an element of the "
        "gradients, 0: any"),
    MADE_ROW(adafactor, adafactor,
        "adafactor(net, *, lr=0.01, beta2_decay=-0.8, eps1=0.0, eps2=0.001, threshold=1.0, weight_decay=0.0, "
        "clip_norm=0.0, clip_value=0.0)\n--\n\nAdam without momentum, whose mean squares are kept by rows and "
        "columns of the last two axes alone, so that a matrix needs\nlittle memory (Shazeer and Stern 2018; as in "
        "PyTorch): p -= max(eps2, rms(p)) min(lr, 1 / sqrt(t)) d / max(1, rms(d) /\nthreshold), d = g / sqrt(v).\n\n"
        "lr: largest learning rate: length of a step relative to the parameter's root mean square\nbeta2_decay: "
        "weight t^beta2_decay of a new gradient in the means of squares\neps1: keeps the divisor above 0; 0: the "
        "epsilon of the dtype\neps2: least root mean square of a parameter\nthreshold: largest root mean square of "
        "a step\nweight_decay: decay of the parameters towards 0\nclip_norm: largest global norm of the gradients, "
        "0: any\nclip_value: largest magnitude of an element of the gradients, 0: any"),
    MADE_ROW(muon, muon,
        "muon(net, *, lr=0.001, momentum=0.95, nesterov=True, steps=5, weight_decay=0.1, orthogonal=True, "
        "adam_lr=0.0003, beta1=0.9, beta2=0.999, eps=1e-08, clip_norm=0.0, clip_value=0.0)\n--\n\nm = momentum m + "
        "(1 - momentum) g;  p -= lr sqrt(max(1, rows / columns)) o, where o is nearly the orthogonal factor of m, "
        "with\nnesterov of (1 - momentum) g + momentum m (Jordan 2024). A convolution's weight is a matrix with a "
        "row for each output. Other\nparameters, and those for which optimizer_set says orthogonal = 0, are changed "
        "as by adamw: say so for embeddings\nand the last layer. A schedule counts for adam_lr, too.\n\nlr: "
        "learning rate of matrices\nmomentum: decay of the direction of matrices\nnesterov: looks ahead along the "
        "direction (Nesterov)\nsteps: number of iterations that make the direction orthogonal\nweight_decay: decay "
        "of the parameters towards 0\northogonal: updates matrices by their orthogonalised direction\nadam_lr: "
        "learning rate of other parameters\nbeta1: for other parameters, as in adamw\nbeta2: for other parameters, "
        "as in adamw\neps: for other parameters, as in adamw\nclip_norm: largest global norm of the gradients, 0: "
        "any\nclip_value: largest magnitude of an element of the gradients, 0: any"),
    MADE_ROW(lbfgs, lbfgs,
        "lbfgs(net, *, lr=1.0, history=10, clip_norm=0.0, clip_value=0.0)\n--\n\nThe direction of Newton's method "
        "by the curvature along the last steps (Nocedal 1980), of all parameters as one vector; the\nfirst step is "
        "the gradient's, by lr min(1, 1 / sum|g|). Without a search along the direction, one iteration a step, as\n"
        "PyTorch's for max_iter = 1: for a loss of the same data in every step. A parameter has 2 history + 2 "
        "slots. Groups have no\noptions of their own.\n\nlr: learning rate: share of the direction in a step\n"
        "history: number of past steps that determine the curvature\nclip_norm: largest global norm of the "
        "gradients, 0: any\nclip_value: largest magnitude of an element of the gradients, 0: any"),
    {NULL, NULL, 0, NULL}};
