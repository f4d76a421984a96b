/* How parameters change: one rule and one table of hyper-parameters for each optimizer. */
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "optim/optimizer.h"
/* last */
#include "op/here.h"

#define ROW(T, name_, initial_, least_, most_, open_, help_) \
    { \
        .name = #name_, .help = help_, .type = SITU_HYPER_DOUBLE, .offset = offsetof(T, name_), .initial = initial_, \
        .least = least_, .most = most_, .open = open_ \
    }

/* ---- SGD ------------------------------------------------------------------------------------------------------------------ */

static const situ_hyper_row sgd_rows[] = {
    ROW(situ_sgd_options, lr, 0.01, 0, FLT_MAX, false, "learning rate: how far a step goes"),
    ROW(situ_sgd_options, momentum, 0, 0, 1, true, "how much of the last direction stays"),
    ROW(situ_sgd_options, dampening, 0, 0, 1, false, "how much less the gradient counts in it"),
    ROW(situ_sgd_options, weight_decay, 0, 0, FLT_MAX, false, "adds this times the parameter to its gradient"),
    ROW(situ_sgd_options, clip_norm, 0, 0, FLT_MAX, false, "largest global norm of the gradients, 0: any"),
    {.name = "nesterov",
        .help = "looks ahead along the direction",
        .type = SITU_HYPER_BOOL,
        .offset = offsetof(situ_sgd_options, nesterov),
        .most = 1},
};

static int sgd_slots(const situ_optimizer_options *o) { return o->sgd.momentum > 0; }

/* PyTorch's first direction is the gradient itself; a zero direction with no dampening in the first step gives that. */
static situ_tensor *sgd_update(situ_update_of *u)
{
    const situ_sgd_options *o = &u->options->sgd;
    situ_site site = u->site;
    situ_tensor *g = u->g;
    if (o->weight_decay > 0) g = situ_add(g, situ_mul(u->p, o->weight_decay));
    if (o->momentum > 0) {
        double share = u->step == 1 ? 1 : 1 - o->dampening;
        situ_tensor *m = situ_add(situ_mul(u->slot[0], o->momentum), o->dampening > 0 ? situ_mul(g, share) : g);
        u->next[0] = m;
        g = o->nesterov ? situ_add(g, situ_mul(m, o->momentum)) : m;
    }
    return situ_sub(u->p, situ_mul(g, u->lr));
}

static const situ_rule sgd_rule = {"sgd", sgd_rows, sizeof sgd_rows / sizeof *sgd_rows, sgd_slots, sgd_update};

situ_optimizer *(situ_sgd)(situ_module *net, const situ_sgd_options *options, situ_site site)
{
    SITU_SPEAK("situ_sgd", site);
    situ_optimizer_options o = {.sgd = {SITU_DEFAULTS(SITU_SGD_DEFAULTS)}};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o.sgd, options, "situ_sgd", site)) return NULL;
    if (o.sgd.nesterov && (o.sgd.momentum <= 0 || o.sgd.dampening > 0)) {
        situ_fail(SITU_BAD_OPTION, site,
            "situ_sgd: " SITU_SAY(".nesterov looks ahead along the direction, so it needs a .momentum above 0 and no .dampening",
                "nesterov looks ahead along the direction, so it needs a momentum above 0 and no dampening"));
        return NULL;
    }
    return situ_optimizer_new(&sgd_rule, net, &o, o.sgd.lr, o.sgd.clip_norm, site);
}

/* ---- Adam ----------------------------------------------------------------------------------------------------------------- */

#define ADAM_ROWS(decay) \
    ROW(situ_adam_options, lr, 1e-3, 0, FLT_MAX, false, "learning rate: about how far a step goes"), \
        ROW(situ_adam_options, beta1, 0.9, 0, 1, true, "how slowly the mean of the gradient moves"), \
        ROW(situ_adam_options, beta2, 0.999, 0, 1, true, "how slowly the mean of its square moves"), \
        ROW(situ_adam_options, eps, 1e-8, 0, FLT_MAX, false, "keeps the divisor from 0"), \
        ROW(situ_adam_options, weight_decay, decay, 0, FLT_MAX, false, "how strongly parameters are drawn to 0"), \
        ROW(situ_adam_options, clip_norm, 0, 0, FLT_MAX, false, "largest global norm of the gradients, 0: any")

static const situ_hyper_row adam_rows[] = {ADAM_ROWS(0)}, adamw_rows[] = {ADAM_ROWS(0.01)};

static int adam_slots(const situ_optimizer_options *o)
{
    (void)o;
    return 2;
}

/* The corrections are numbers of the host: arguments of the plan, in double precision. */
static situ_tensor *adam_step(situ_update_of *u, situ_tensor *p, situ_tensor *g)
{
    const situ_adam_options *o = &u->options->adam;
    situ_site site = u->site;
    double rate = u->lr / (1 - pow(o->beta1, (double)u->step)), root = sqrt(1 - pow(o->beta2, (double)u->step));
    situ_tensor *m = situ_add(situ_mul(u->slot[0], o->beta1), situ_mul(g, 1 - o->beta1));
    situ_tensor *v = situ_add(situ_mul(u->slot[1], o->beta2), situ_mul(situ_square(g), 1 - o->beta2));
    u->next[0] = m;
    u->next[1] = v;
    return situ_sub(p, situ_div(situ_mul(m, rate), situ_add(situ_div(situ_sqrt(v), root), o->eps)));
}

static situ_tensor *adam_update(situ_update_of *u)
{
    situ_site site = u->site;
    double decay = u->options->adam.weight_decay;
    return adam_step(u, u->p, decay > 0 ? situ_add(u->g, situ_mul(u->p, decay)) : u->g);
}

static situ_tensor *adamw_update(situ_update_of *u)
{
    situ_site site = u->site;
    double decay = u->options->adam.weight_decay;
    return adam_step(u, decay > 0 ? situ_mul(u->p, 1 - u->lr * decay) : u->p, u->g);
}

static const situ_rule adam_rule = {"adam", adam_rows, sizeof adam_rows / sizeof *adam_rows, adam_slots, adam_update};
static const situ_rule adamw_rule = {"adamw", adamw_rows, sizeof adamw_rows / sizeof *adamw_rows, adam_slots, adamw_update};

situ_optimizer *(situ_adam)(situ_module *net, const situ_adam_options *options, situ_site site)
{
    SITU_SPEAK("situ_adam", site);
    situ_optimizer_options o = {.adam = {SITU_DEFAULTS(SITU_ADAM_DEFAULTS)}};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o.adam, options, "situ_adam", site)) return NULL;
    return situ_optimizer_new(&adam_rule, net, &o, o.adam.lr, o.adam.clip_norm, site);
}

situ_optimizer *(situ_adamw)(situ_module *net, const situ_adam_options *options, situ_site site)
{
    SITU_SPEAK("situ_adamw", site);
    situ_optimizer_options o = {.adam = {SITU_DEFAULTS(SITU_ADAMW_DEFAULTS)}};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o.adam, options, "situ_adamw", site)) return NULL;
    return situ_optimizer_new(&adamw_rule, net, &o, o.adam.lr, o.adam.clip_norm, site);
}
