/* situ/optim.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

MADE(sgd)
{
    TAKE("SGD", 7, 1, 7, {"net", "lr", "momentum", "dampening", "weight_decay", "clip_norm", "nesterov"}, {NULL});
    situ_module *net_ = arg_module(c, 0);
    situ_sgd_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.lr = arg_double(c, 1, 0.01);
    o.momentum = arg_double(c, 2, 0);
    o.dampening = arg_double(c, 3, 0);
    o.weight_decay = arg_double(c, 4, 0);
    o.clip_norm = arg_double(c, 5, 0);
    o.nesterov = arg_bool(c, 6, false);
    return end_handle(c, c->failed ? NULL : (situ_sgd)(net_, &o, c->site), OPTIMIZER, optimizer_end);
}

MADE(adam)
{
    TAKE("Adam", 7, 1, 7, {"net", "lr", "beta1", "beta2", "eps", "weight_decay", "clip_norm"}, {NULL});
    situ_module *net_ = arg_module(c, 0);
    situ_adam_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.lr = arg_double(c, 1, 1e-3);
    o.beta1 = arg_double(c, 2, 0.9);
    o.beta2 = arg_double(c, 3, 0.999);
    o.eps = arg_double(c, 4, 1e-8);
    o.weight_decay = arg_double(c, 5, 0);
    o.clip_norm = arg_double(c, 6, 0);
    return end_handle(c, c->failed ? NULL : (situ_adam)(net_, &o, c->site), OPTIMIZER, optimizer_end);
}

MADE(adamw)
{
    TAKE("AdamW", 7, 1, 7, {"net", "lr", "beta1", "beta2", "eps", "weight_decay", "clip_norm"}, {NULL});
    situ_module *net_ = arg_module(c, 0);
    situ_adam_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.lr = arg_double(c, 1, 1e-3);
    o.beta1 = arg_double(c, 2, 0.9);
    o.beta2 = arg_double(c, 3, 0.999);
    o.eps = arg_double(c, 4, 1e-8);
    o.weight_decay = arg_double(c, 5, 0.01);
    o.clip_norm = arg_double(c, 6, 0);
    return end_handle(c, c->failed ? NULL : (situ_adamw)(net_, &o, c->site), OPTIMIZER, optimizer_end);
}

PyMethodDef made_optim_methods[] = {
    MADE_ROW(sgd, sgd,
        "sgd(net, *, lr=0.01, momentum=0.0, dampening=0.0, weight_decay=0.0, clip_norm=0.0, nesterov=False)\n--\n\n"
        "g += weight_decay p;  m = momentum m + (1 - dampening) g;  p -= lr m, with nesterov p -= lr (g + momentum "
        "m).\nThe first m is g, as in PyTorch.\n\nlr: learning rate: how far a step goes\nmomentum: how much of the "
        "last direction stays\ndampening: how much less the gradient counts in it\nweight_decay: adds this times "
        "the parameter to its gradient\nclip_norm: largest global norm of the gradients, 0: any\nnesterov: looks "
        "ahead along the direction"),
    MADE_ROW(adam, adam,
        "adam(net, *, lr=0.001, beta1=0.9, beta2=0.999, eps=1e-08, weight_decay=0.0, clip_norm=0.0)\n--\n\ng += "
        "weight_decay p;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;\np -= lr / (1 - beta1^t) m / "
        "(sqrt(v) / sqrt(1 - beta2^t) + eps).\n\nlr: learning rate: about how far a step goes\nbeta1: how slowly "
        "the mean of the gradient moves\nbeta2: how slowly the mean of its square moves\neps: keeps the divisor "
        "from 0\nweight_decay: how strongly parameters are drawn to 0\nclip_norm: largest global norm of the "
        "gradients, 0: any"),
    MADE_ROW(adamw, adamw,
        "adamw(net, *, lr=0.001, beta1=0.9, beta2=0.999, eps=1e-08, weight_decay=0.01, clip_norm=0.0)\n--\n\nThe "
        "same with p -= lr weight_decay p instead of decay in the gradient. Here weight_decay = 0.01.\n\nlr: "
        "learning rate: about how far a step goes\nbeta1: how slowly the mean of the gradient moves\nbeta2: how "
        "slowly the mean of its square moves\neps: keeps the divisor from 0\nweight_decay: how strongly parameters "
        "are drawn to 0\nclip_norm: largest global norm of the gradients, 0: any"),
    {NULL, NULL, 0, NULL}};
