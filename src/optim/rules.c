/* The update rules of the main optimizers. Hyper-parameters are those of their options in situ/optim.h. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "optim/optimizer.h"
#include "optim/rates.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

__thread situ_rates *situ_rates_heard;

double situ_rate_by(const char *function, double (*of)(const double *a, double t), const double *a, int arguments, double t)
{
    situ_rates *all = situ_rates_heard;
    double value = of(a, t);
    if (!all) return value;
    if (all->count == all->capacity) {
        int more = all->capacity ? 2 * all->capacity : 64;
        situ_rate *grown = situ_realloc(all->rate, (size_t)more * sizeof *grown);
        if (!grown) return all->failed = true, value;
        all->rate = grown;
        all->capacity = more;
    }
    situ_rate *r = &all->rate[all->count++];
    *r = (situ_rate){.function = function, .arguments = arguments, .value = value};
    memcpy(r->argument, a, (size_t)arguments * sizeof *a);
    return value;
}

/* ---- SGD ------------------------------------------------------------------------------------------------------------------ */

static int sgd_slots(const void *options) { return ((const situ_sgd_options *)options)->momentum > 0; }

/* Without momentum a row without gradient does not change: p - lr * 0 is p. */
static situ_rows sgd_rows(const void *options)
{
    const situ_sgd_options *o = options;
    return o->lazy_rows ? SITU_ROWS_LAZY : o->momentum > 0 || o->weight_decay > 0 ? SITU_ROWS_CHANGE : SITU_ROWS_STAY;
}

/* PyTorch's first direction is the gradient itself; a zero direction with no dampening in the first step gives the
 * same. */
static situ_tensor *sgd_update(situ_optimizer_update *u)
{
    const situ_sgd_options *o = u->options;
    situ_site site = u->site;
    situ_tensor *g = u->g;
    if (o->weight_decay > 0) g = situ_add(g, situ_mul(u->p, o->weight_decay));
    if (o->momentum > 0) {
        double share = SITU_RATE(rate_of_direction, u->step, o->dampening);
        situ_tensor *m = situ_add(situ_mul(u->slot[0], o->momentum), o->dampening > 0 ? situ_mul(g, share) : g);
        u->next[0] = m;
        g = o->nesterov ? situ_add(g, situ_mul(m, o->momentum)) : m;
    }
    return situ_sub(u->p, situ_mul(g, o->lr));
}

static const char *sgd_wrong(const void *options)
{
    const situ_sgd_options *o = options;
    if (!o->nesterov || (o->momentum > 0 && !(o->dampening > 0))) return NULL;
    return SITU_SAY(".nesterov looks ahead along the direction, so it needs a .momentum above 0 and no .dampening",
        "nesterov looks ahead along the direction, so it needs a momentum above 0 and no dampening");
}

static const situ_optimizer_rule sgd_rule = {.name = "sgd",
    .slots = sgd_slots,
    .update = sgd_update,
    .wrong = sgd_wrong,
    .rows = sgd_rows,
    SITU_HYPERS(situ_sgd_options, SITU_SGD_HYPER)};

SITU_OPTIMIZER(sgd, SGD, situ_sgd_options)

/* ---- Adam ----------------------------------------------------------------------------------------------------------------- */

static int adam_slots(const void *options)
{
    (void)options;
    return 2;
}

/* Bias corrections are numbers of the host: run-time arguments of the plan, in double precision. */
static situ_tensor *adam_step(situ_optimizer_update *u, situ_tensor *p, situ_tensor *g)
{
    const situ_adam_options *o = u->options;
    situ_site site = u->site;
    double rate = SITU_RATE(rate_corrected, u->step, o->lr, o->beta1), root = SITU_RATE(rate_root, u->step, o->beta2);
    situ_tensor *m = situ_add(situ_mul(u->slot[0], o->beta1), situ_mul(g, 1 - o->beta1));
    situ_tensor *v = situ_add(situ_mul(u->slot[1], o->beta2), situ_mul(situ_square(g), 1 - o->beta2));
    u->next[0] = m;
    u->next[1] = v;
    return situ_sub(p, situ_div(situ_mul(m, rate), situ_add(situ_div(situ_sqrt(v), root), o->eps)));
}

static situ_tensor *adam_update(situ_optimizer_update *u)
{
    situ_site site = u->site;
    double decay = ((const situ_adam_options *)u->options)->weight_decay;
    return adam_step(u, u->p, decay > 0 ? situ_add(u->g, situ_mul(u->p, decay)) : u->g);
}

situ_tensor *situ_adamw_update(situ_optimizer_update *u)
{
    const situ_adam_options *o = u->options;
    situ_site site = u->site;
    return adam_step(u, o->weight_decay > 0 ? situ_mul(u->p, SITU_RATE(rate_left, u->step, o->lr, o->weight_decay)) : u->p, u->g);
}

static situ_rows adam_rows(const void *options)
{
    return ((const situ_adam_options *)options)->lazy_rows ? SITU_ROWS_LAZY : SITU_ROWS_CHANGE;
}

static const situ_optimizer_rule adam_rule = {
    .name = "adam", .slots = adam_slots, .update = adam_update, .rows = adam_rows, SITU_HYPERS(situ_adam_options, SITU_ADAM_HYPER)};
static const situ_optimizer_rule adamw_rule = {.name = "adamw",
    .slots = adam_slots,
    .update = situ_adamw_update,
    .rows = adam_rows,
    SITU_HYPERS(situ_adam_options, SITU_ADAMW_HYPER)};

SITU_OPTIMIZER(adam, ADAM, situ_adam_options)
SITU_OPTIMIZER(adamw, ADAMW, situ_adam_options)
