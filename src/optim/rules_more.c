/* Update rules besides SGD and Adam. A correction that depends only on the step number is a number of the host. */
#include <float.h>
#include <math.h>

#include "optim/optimizer.h"
#include "optim/rates.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static int one_slot(const void *options)
{
    (void)options;
    return 1;
}

static int two_slots(const void *options)
{
    (void)options;
    return 2;
}

static situ_tensor *mixed(situ_tensor *old, double keep, situ_tensor *new_value, double share, situ_site site)
{
    return situ_add(situ_mul(old, keep), situ_mul(new_value, share));
}
/* keep * old + (1 - keep) * new. */
static situ_tensor *toward(situ_tensor *old, situ_tensor *new_value, double keep, situ_site site)
{
    return mixed(old, keep, new_value, 1 - keep, site);
}

static situ_tensor *with_decay(const situ_optimizer_update *u, double decay)
{
    situ_site site = u->site;
    return decay > 0 ? situ_add(u->g, situ_mul(u->p, decay)) : u->g;
}

/* p * (1 - lr * decay): weight decay that is not part of the gradient. */
static situ_tensor *decayed(const situ_optimizer_update *u, double lr, double decay)
{
    situ_site site = u->site;
    return lr * decay > 0 ? situ_mul(u->p, SITU_RATE(rate_left, u->step, lr, decay)) : u->p;
}

/* ---- sums of squares --------------------------------------------------------------------------------------------------------- */

static situ_tensor *adagrad_first(situ_tensor *p, int slot, const void *options)
{
    (void)slot;
    const char *site = NULL;
    return situ_full_like(p, ((const situ_adagrad_options *)options)->initial);
}

/* A row without gradient does not change: s + 0^2 is s, and p - 0 / (sqrt(s) + eps) is p. */
static situ_rows adagrad_rows(const void *options)
{
    const situ_adagrad_options *o = options;
    return o->lazy_rows ? SITU_ROWS_LAZY : o->weight_decay > 0 || !(o->eps > 0) ? SITU_ROWS_CHANGE : SITU_ROWS_STAY;
}

static situ_tensor *adagrad_update(situ_optimizer_update *u)
{
    const situ_adagrad_options *o = u->options;
    situ_site site = u->site;
    situ_tensor *g = with_decay(u, o->weight_decay);
    u->next[0] = situ_add(u->slot[0], situ_square(g));
    double rate = SITU_RATE(rate_of_adagrad, u->step, o->lr, o->lr_decay);
    return situ_sub(u->p, situ_div(situ_mul(g, rate), situ_add(situ_sqrt(u->next[0]), o->eps)));
}

/* Slots: the mean square, then the direction if there is momentum, then the mean if centred. */
static int rmsprop_slots(const void *options)
{
    const situ_rmsprop_options *o = options;
    return 1 + (o->momentum > 0) + o->centered;
}

static situ_rows rmsprop_rows(const void *options)
{
    return ((const situ_rmsprop_options *)options)->lazy_rows ? SITU_ROWS_LAZY : SITU_ROWS_CHANGE;
}

static situ_tensor *rmsprop_update(situ_optimizer_update *u)
{
    const situ_rmsprop_options *o = u->options;
    situ_site site = u->site;
    situ_tensor *g = with_decay(u, o->weight_decay), *spread = toward(u->slot[0], situ_square(g), o->alpha, site);
    int mean = o->momentum > 0 ? 2 : 1;
    u->next[0] = spread;
    if (o->centered) {
        u->next[mean] = toward(u->slot[mean], g, o->alpha, site);
        spread = situ_relu(situ_sub(spread, situ_square(u->next[mean]))); /* rounding may make the variance negative */
    }
    situ_tensor *step = situ_div(g, situ_add(situ_sqrt(spread), o->eps));
    if (o->momentum > 0) step = u->next[1] = situ_add(situ_mul(u->slot[1], o->momentum), step);
    return situ_sub(u->p, situ_mul(step, o->lr));
}

static situ_tensor *adadelta_update(situ_optimizer_update *u)
{
    const situ_adadelta_options *o = u->options;
    situ_site site = u->site;
    situ_tensor *g = with_decay(u, o->weight_decay);
    u->next[0] = toward(u->slot[0], situ_square(g), o->rho, site);
    situ_tensor *step = situ_mul(situ_div(situ_sqrt(situ_add(u->slot[1], o->eps)), situ_sqrt(situ_add(u->next[0], o->eps))), g);
    u->next[1] = toward(u->slot[1], situ_square(step), o->rho, site);
    return situ_sub(u->p, situ_mul(step, o->lr));
}

/* ---- Adam's relatives ------------------------------------------------------------------------------------------------------- */

static situ_tensor *adamax_update(situ_optimizer_update *u)
{
    const situ_adamax_options *o = u->options;
    situ_site site = u->site;
    situ_tensor *g = with_decay(u, o->weight_decay);
    u->next[0] = toward(u->slot[0], g, o->beta1, site);
    u->next[1] = situ_maximum(situ_mul(u->slot[1], o->beta2), situ_add(situ_abs(g), o->eps));
    return situ_sub(u->p, situ_div(situ_mul(u->next[0], SITU_RATE(rate_corrected, u->step, o->lr, o->beta1)), u->next[1]));
}

static situ_tensor *nadam_update(situ_optimizer_update *u)
{
    const situ_nadam_options *o = u->options;
    situ_site site = u->site;
    double of_gradient = SITU_RATE(rate_of_gradient, u->step, o->lr, o->beta1, o->momentum_decay);
    double of_mean = SITU_RATE(rate_of_mean, u->step, o->lr, o->beta1, o->momentum_decay);
    situ_tensor *p = o->decoupled ? decayed(u, o->lr, o->weight_decay) : u->p;
    situ_tensor *g = o->decoupled ? u->g : with_decay(u, o->weight_decay);
    u->next[0] = toward(u->slot[0], g, o->beta1, site);
    u->next[1] = toward(u->slot[1], situ_square(g), o->beta2, site);
    situ_tensor *divisor = situ_add(situ_div(situ_sqrt(u->next[1]), SITU_RATE(rate_root, u->step, o->beta2)), o->eps);
    situ_tensor *step = situ_add(situ_mul(g, of_gradient), situ_mul(u->next[0], of_mean));
    return situ_sub(p, situ_div(step, divisor));
}

static situ_tensor *radam_update(situ_optimizer_update *u)
{
    const situ_radam_options *o = u->options;
    situ_site site = u->site;
    const double arguments[] = {o->lr, o->beta1, o->beta2};
    situ_tensor *p = o->decoupled ? decayed(u, o->lr, o->weight_decay) : u->p;
    situ_tensor *g = o->decoupled ? u->g : with_decay(u, o->weight_decay);
    u->next[0] = toward(u->slot[0], g, o->beta1, site);
    u->next[1] = toward(u->slot[1], situ_square(g), o->beta2, site);
    if (!(rate_length(arguments, (double)u->step) > 5)) /* too few steps to know the variance */
        return situ_sub(p, situ_mul(u->next[0], SITU_RATE(rate_corrected, u->step, o->lr, o->beta1)));
    double rate = SITU_RATE(rate_rectified, u->step, o->lr, o->beta1, o->beta2);
    return situ_sub(p, situ_div(situ_mul(u->next[0], rate), situ_add(situ_sqrt(u->next[1]), o->eps)));
}

static situ_tensor *lion_update(situ_optimizer_update *u)
{
    const situ_lion_options *o = u->options;
    situ_site site = u->site;
    situ_tensor *direction = situ_sign(toward(u->slot[0], u->g, o->beta1, site));
    u->next[0] = toward(u->slot[0], u->g, o->beta2, site);
    return situ_sub(decayed(u, o->lr, o->weight_decay), situ_mul(direction, o->lr));
}

/* The 2-norm in f64, in which squares of f32 do not overflow. */
static situ_tensor *norm_of(situ_tensor *x, situ_site site) { return situ_sqrt(situ_sum(situ_square(situ_cast(x, SITU_F64)))); }

static situ_tensor *lamb_update(situ_optimizer_update *u)
{
    const situ_lamb_options *o = u->options;
    situ_site site = u->site;
    u->next[0] = toward(u->slot[0], u->g, o->beta1, site);
    u->next[1] = toward(u->slot[1], situ_square(u->g), o->beta2, site);
    situ_tensor *divisor = situ_add(situ_div(situ_sqrt(u->next[1]), SITU_RATE(rate_root, u->step, o->beta2)), o->eps);
    situ_tensor *step = situ_div(situ_div(u->next[0], SITU_RATE(rate_correction, u->step, o->beta1)), divisor);
    if (o->weight_decay > 0) step = situ_add(step, situ_mul(u->p, o->weight_decay));
    situ_tensor *size = norm_of(u->p, site), *length = norm_of(step, site);
    situ_tensor *known = situ_logical_and(situ_greater(size, 0), situ_greater(length, 0));
    situ_tensor *trust = situ_where(known, situ_div(size, situ_where(known, length, 1)), 1);
    return situ_sub(u->p, situ_mul(step, situ_cast(situ_mul(trust, o->lr), situ_dtype_of(u->p))));
}

/* ---- matrices ---------------------------------------------------------------------------------------------------------------- */

/* Slots of a matrix: the mean squares of its rows and of its columns. Of other parameters: the mean square of each
 * element, and an unused number. */
static situ_tensor *adafactor_first(situ_tensor *p, int slot, const void *options)
{
    (void)options;
    const char *site = NULL;
    int ndim = situ_ndim(p);
    situ_shape shape = situ_shape_of(p);
    if (ndim > 1) shape.dim[slot ? ndim - 2 : ndim - 1] = 1;
    else if (slot) return NULL;
    return situ_zeros(shape, .dtype = situ_dtype_of(p), .device = situ_device_of(p));
}

static situ_tensor *adafactor_update(situ_optimizer_update *u)
{
    const situ_adafactor_options *o = u->options;
    situ_site site = u->site;
    situ_dtype dtype = situ_dtype_of(u->p);
    double keep = SITU_RATE(rate_kept, u->step, o->beta2_decay), share = SITU_RATE(rate_moved, u->step, o->beta2_decay);
    double root = sqrt((double)situ_count(u->p)), falling = SITU_RATE(rate_falling, u->step, o->lr);
    double least = o->eps1 > 0 ? o->eps1 : dtype == SITU_F64 ? DBL_EPSILON : FLT_EPSILON;
    situ_tensor *size = situ_maximum(situ_div(norm_of(u->p, site), root), o->eps2), *spread;
    if (situ_ndim(u->p) > 1) {
        situ_tensor *square = situ_square(u->g);
        u->next[0] = mixed(u->slot[0], keep, situ_mean(square, .axes = AXES(-1), .keepdims = true), share, site);
        u->next[1] = mixed(u->slot[1], keep, situ_mean(square, .axes = AXES(-2), .keepdims = true), share, site);
        situ_tensor *mean = situ_maximum(situ_mean(u->next[0], .axes = AXES(-2), .keepdims = true), least);
        spread = situ_mul(situ_div(u->next[0], mean), u->next[1]);
    } else {
        spread = u->next[0] = mixed(u->slot[0], keep, situ_square(u->g), share, site);
    }
    situ_tensor *step = situ_mul(situ_rsqrt(situ_maximum(spread, least * least)), u->g);
    situ_tensor *divisor = situ_maximum(situ_div(norm_of(step, site), root * o->threshold), 1);
    situ_tensor *rate = situ_mul(situ_div(size, divisor), falling);
    return situ_sub(decayed(u, o->lr, o->weight_decay), situ_mul(step, situ_cast(rate, dtype)));
}

/* Approximates the orthogonal factor of a matrix by Newton-Schulz steps of fifth degree; singular values end near 1. */
static situ_tensor *orthogonal(situ_tensor *x, int steps, situ_site site)
{
    situ_shape shape = situ_shape_of(x);
    bool tall = shape.dim[0] > shape.dim[1];
    if (tall) x = situ_transpose(x);
    x = situ_div(x, situ_cast(situ_maximum(norm_of(x, site), 1e-7), situ_dtype_of(x)));
    for (int i = 0; i < steps; i++) {
        situ_tensor *gram = situ_matmul(x, situ_transpose(x));
        situ_tensor *more = situ_add(situ_mul(gram, -4.775), situ_mul(situ_matmul(gram, gram), 2.0315));
        x = situ_add(situ_mul(x, 3.4445), situ_matmul(more, x));
    }
    return tall ? situ_transpose(x) : x;
}

static bool by_matrix(const situ_tensor *p, const situ_muon_options *o)
{
    return o->orthogonal && situ_ndim(p) >= 2 && situ_count(p) > 0;
}

/* Slots of a matrix: the direction. Other parameters have Adam's moments. */
static situ_tensor *muon_first(situ_tensor *p, int slot, const void *options)
{
    const char *site = NULL;
    return slot && by_matrix(p, options) ? NULL : situ_zeros_like(p);
}

static situ_tensor *muon_update(situ_optimizer_update *u)
{
    const situ_muon_options *o = u->options;
    situ_site site = u->site;
    if (!by_matrix(u->p, o)) {
        situ_adam_options adam = {
            .lr = o->adam_lr, .beta1 = o->beta1, .beta2 = o->beta2, .eps = o->eps, .weight_decay = o->weight_decay};
        u->options = &adam;
        situ_tensor *next = situ_adamw_update(u);
        u->options = o;
        return next;
    }
    u->next[0] = toward(u->slot[0], u->g, o->momentum, site);
    situ_tensor *step = o->nesterov ? toward(u->next[0], u->g, o->momentum, site) : u->next[0];
    situ_shape shape = situ_shape_of(u->p);
    double rows = (double)shape.dim[0], columns = (double)situ_count(u->p) / rows;
    step = situ_reshape(orthogonal(situ_reshape(step, SHAPE(shape.dim[0], -1)), o->steps, site), shape);
    return situ_sub(
        decayed(u, o->lr, o->weight_decay), situ_mul(step, SITU_RATE(rate_product, u->step, o->lr, sqrt(fmax(1, rows / columns)))));
}

/* ---- all parameters as one vector -------------------------------------------------------------------------------------------- */

static int lbfgs_slots(const void *options)
{
    (void)options;
    return 4;
}

/* Slots: steps and changes of the gradient, oldest first; the last gradient and the last step; 1 / (y s) of each pair,
 * 0 for unused ones, then y s / (y y) of the newest pair. */
static situ_tensor *lbfgs_first(situ_tensor *p, int slot, const void *options)
{
    situ_site site = NULL;
    int64_t history = ((const situ_lbfgs_options *)options)->history, n = situ_count(p);
    situ_shape shape = slot < 2 ? SHAPE(history, n) : slot == 2 ? SHAPE(2, n) : SHAPE(history + 1);
    situ_tensor *zeros = situ_zeros(shape, .dtype = situ_dtype_of(p), .device = situ_device_of(p));
    return slot == 3 ? situ_pad(situ_slice(zeros, .stop = SHAPE(history)), SHAPE(0), SHAPE(1), .value = 1) : zeros;
}

static situ_tensor *dot(situ_tensor *a, situ_tensor *b, situ_site site) { return situ_sum(situ_mul(a, b)); }

/* Drops the first row of x and appends one. */
static situ_tensor *pushed(situ_tensor *x, situ_tensor *row, situ_site site)
{
    return situ_concat(TENSORS(situ_slice(x, .start = SHAPE(1)), situ_expand_dims(row, 0)));
}

/* The L-BFGS direction: a loop over the pairs from newest to oldest, and one back. */
static situ_tensor *lbfgs_direction(situ_tensor *const *slot, situ_tensor *g, int n, situ_site site)
{
    situ_tensor *q = situ_negative(g), *share[100];
    for (int i = n - 1; i >= 0; i--) {
        share[i] = situ_mul(situ_select(slot[3], 0, i), dot(situ_select(slot[0], 0, i), q, site));
        q = situ_sub(q, situ_mul(situ_select(slot[1], 0, i), share[i]));
    }
    q = situ_mul(q, situ_select(slot[3], 0, n));
    for (int i = 0; i < n; i++) {
        situ_tensor *back = situ_mul(situ_select(slot[3], 0, i), dot(situ_select(slot[1], 0, i), q, site));
        q = situ_add(q, situ_mul(situ_select(slot[0], 0, i), situ_sub(share[i], back)));
    }
    return q;
}

static situ_tensor *lbfgs_update(situ_optimizer_update *u)
{
    const situ_lbfgs_options *o = u->options;
    situ_site site = u->site;
    situ_tensor *g = u->g, *step;
    int n = o->history;
    if (u->step == 1) {
        step = situ_mul(g, situ_mul(situ_minimum(situ_div(1, situ_sum(situ_abs(g))), 1), -o->lr));
    } else {
        situ_tensor *s = situ_select(u->slot[2], 0, 1), *y = situ_sub(g, situ_select(u->slot[2], 0, 0)), *ys = dot(y, s, site);
        /* The pair is skipped if the curvature along s is not positive. */
        situ_tensor *curved = situ_greater(ys, 1e-10), *safe = situ_where(curved, ys, 1);
        situ_tensor *rho = situ_slice(u->slot[3], .start = SHAPE(1), .stop = SHAPE(n)), *last = situ_div(safe, dot(y, y, site));
        situ_tensor *one = situ_expand_dims(situ_reciprocal(safe), 0);
        situ_tensor *with = situ_concat(TENSORS(rho, one, situ_expand_dims(last, 0)));
        u->next[0] = situ_where(curved, pushed(u->slot[0], s, site), u->slot[0]);
        u->next[1] = situ_where(curved, pushed(u->slot[1], y, site), u->slot[1]);
        u->next[3] = situ_where(curved, with, u->slot[3]);
        step = situ_mul(lbfgs_direction(u->next, g, n, site), o->lr);
    }
    u->next[2] = situ_stack(TENSORS(g, step));
    return situ_add(u->p, step);
}

/* ---- table of rules ---------------------------------------------------------------------------------------------------------- */

#define RULE(word, WORD, slots_, ...) \
    static const situ_optimizer_rule word##_rule = {.name = #word, \
        .slots = slots_, \
        .update = word##_update, \
        SITU_HYPERS(situ_##word##_options, SITU_##WORD##_HYPER), \
        __VA_ARGS__}; \
    SITU_OPTIMIZER(word, WORD, situ_##word##_options)

RULE(adagrad, ADAGRAD, one_slot, .first = adagrad_first, .rows = adagrad_rows)
RULE(rmsprop, RMSPROP, rmsprop_slots, .rows = rmsprop_rows)
RULE(adadelta, ADADELTA, two_slots)
RULE(adamax, ADAMAX, two_slots)
RULE(nadam, NADAM, two_slots)
RULE(radam, RADAM, two_slots)
RULE(lion, LION, one_slot)
RULE(lamb, LAMB, two_slots)
RULE(adafactor, ADAFACTOR, two_slots, .first = adafactor_first)
RULE(muon, MUON, two_slots, .first = muon_first)
RULE(lbfgs, LBFGS, lbfgs_slots, .first = lbfgs_first, .whole = true)
