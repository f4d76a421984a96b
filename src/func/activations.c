/* Activation functions. Those that are recorded as one node keep only x for the gradient, and their rules are written
 * for that. If a factor of x has become 0, x is clipped far outside of the interesting range: -inf * 0 would be NaN,
 * although the function has a value there. */
#include "op/support.h"
#include "op/table.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static int infer_float(situ_infer *c)
{
    int failed = situ_refuse_complex(c);
    situ_infer_same(c);
    return failed;
}

/* Halves are computed in f32 and rounded once. */
static situ_tensor *widen(situ_tensor *x, situ_site site)
{
    return x->dtype == SITU_F16 || x->dtype == SITU_BF16 ? situ_cast(x, SITU_F32) : x;
}
static situ_tensor *narrow(situ_tensor *y, const situ_tensor *x, situ_site site) { return situ_cast(y, (situ_dtype)x->dtype); }

/* 2 sqrt(2 / pi) (x + 0.044715 x^3): gelu is x * sigmoid of it. exp is cheaper than tanh, and as exact. */
static situ_tensor *gelu_inner(situ_tensor *x, situ_site site)
{
    return situ_mul(situ_mul(situ_add(situ_mul(situ_square(x), 0.044715), 1), x), 1.5957691216057308);
}

/* max(x, -1000), whose exponential is 0 in every dtype. */
static situ_tensor *floored(situ_tensor *x, situ_site site) { return situ_maximum(-1000, x); }
static situ_tensor *bounded(situ_tensor *x, int bound, situ_site site) { return situ_clip(x, -bound, bound); }

/* The sigmoid of u, written with the same exponential as the function itself, so that both share it. */
static situ_tensor *share(situ_tensor *u, situ_site site) { return situ_div(1, situ_add(situ_exp(situ_negative(u)), 1)); }

static situ_tensor *expand_gelu(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    (void)attr;
    situ_tensor *x = floored(widen(in[0], site), site);
    return narrow(situ_div(x, situ_add(situ_exp(situ_negative(gelu_inner(x, site))), 1)), in[0], site);
}

/* The sigmoid in gelu, as a composite: it expands to the same numbers, with the same exponential, as gelu itself. */
static situ_tensor *expand_gelu_share(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    (void)attr;
    return narrow(share(gelu_inner(floored(widen(in[0], site), site), site), site), in[0], site);
}

/* for |x| beyond this, s is 0 or 1 and its slope 0, but x^2 may overflow */
enum { GELU_FLAT = 30 };

/* The derivative of s by x, for clipped x. */
static situ_tensor *gelu_slope(situ_tensor *x, situ_tensor *s, situ_site site)
{
    situ_tensor *inner = situ_mul(situ_add(situ_mul(situ_square(x), 3 * 0.044715), 1), 1.5957691216057308);
    return situ_mul(situ_mul(s, situ_sub(1, s)), inner);
}

static void vjp_gelu_share(situ_vjp *c)
{
    situ_site site = c->site;
    situ_tensor *x = c->in[0], *s = situ_apply1(&situ_op_gelu_share, x, NULL, 0, site);
    c->out[0] = situ_mul(c->g, gelu_slope(bounded(x, GELU_FLAT, site), s, site));
}

static void vjp_gelu(situ_vjp *c)
{
    situ_site site = c->site;
    situ_tensor *x = c->in[0], *s = situ_apply1(&situ_op_gelu_share, x, NULL, 0, site), *near = bounded(x, GELU_FLAT, site);
    c->out[0] = situ_mul(c->g, situ_add(s, situ_mul(near, gelu_slope(near, s, site))));
}

/* The normal distribution function at x, as a composite for the same reason as gelu_share. */
static situ_tensor *exact_share(situ_tensor *x, situ_site site)
{
    return situ_mul(situ_add(situ_erf(situ_mul(x, 0.70710678118654752)), 1), 0.5);
}

static situ_tensor *expand_gelu_exact_share(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    (void)attr;
    return narrow(exact_share(floored(widen(in[0], site), site), site), in[0], site);
}

static situ_tensor *expand_gelu_exact(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    (void)attr;
    situ_tensor *x = floored(widen(in[0], site), site);
    return narrow(situ_mul(x, exact_share(x, site)), in[0], site);
}

static situ_tensor *normal_density(situ_tensor *x, situ_site site)
{
    return situ_mul(situ_exp(situ_mul(situ_square(x), -0.5)), 0.3989422804014327);
}

static void vjp_gelu_exact_share(situ_vjp *c)
{
    situ_site site = c->site;
    c->out[0] = situ_mul(c->g, normal_density(bounded(c->in[0], 100, site), site));
}

static void vjp_gelu_exact(situ_vjp *c)
{
    situ_site site = c->site;
    situ_tensor *x = c->in[0], *s = situ_apply1(&situ_op_gelu_exact_share, x, NULL, 0, site), *near = bounded(x, 100, site);
    c->out[0] = situ_mul(c->g, situ_add(s, situ_mul(near, normal_density(near, site))));
}

static situ_tensor *expand_silu(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    (void)attr;
    situ_tensor *x = floored(widen(in[0], site), site);
    return narrow(situ_div(x, situ_add(situ_exp(situ_negative(x)), 1)), in[0], site);
}

/* The sigmoid in silu, as a composite: for x far below 0 the gradient through its quotient would be 0 / inf * inf,
 * NaN. */
static situ_tensor *expand_silu_share(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    (void)attr;
    return narrow(share(floored(widen(in[0], site), site), site), in[0], site);
}

static void vjp_silu_share(situ_vjp *c)
{
    situ_site site = c->site;
    situ_tensor *s = situ_apply1(&situ_op_silu_share, c->in[0], NULL, 0, site);
    c->out[0] = situ_mul(c->g, situ_mul(s, situ_sub(1, s)));
}

static void vjp_silu(situ_vjp *c)
{
    situ_site site = c->site;
    situ_tensor *x = c->in[0], *s = situ_apply1(&situ_op_silu_share, x, NULL, 0, site);
    c->out[0] = situ_mul(c->g, situ_mul(s, situ_add(situ_mul(bounded(x, 1000, site), situ_sub(1, s)), 1)));
}

/* tanh(softplus(x)) = n / (n + 2) with n = e (e + 2), e = exp x, which takes one exponential. x is clipped where the
 * value is 1 and n is still finite, though (n + 2)^2 is not. Halves are widened. */
static situ_tensor *mish_exp(situ_tensor *x, situ_site site) { return situ_exp(situ_minimum(x, x->dtype == SITU_F64 ? 300 : 40)); }
static situ_tensor *mish_n(situ_tensor *e, situ_site site) { return situ_mul(e, situ_add(e, 2)); }

static situ_tensor *expand_mish(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    (void)attr;
    situ_tensor *x = floored(widen(in[0], site), site), *n = mish_n(mish_exp(x, site), site);
    return narrow(situ_mul(x, situ_div(n, situ_add(n, 2))), in[0], site);
}

/* The derivative is t + x 4 e (e + 1) / (n + 2)^2 with t = n / (n + 2). */
static void vjp_mish(situ_vjp *c)
{
    situ_site site = c->site;
    situ_tensor *x = widen(c->in[0], site), *e = mish_exp(x, site), *n = mish_n(e, site), *under = situ_add(n, 2);
    situ_tensor *curve = situ_div(situ_mul(situ_mul(e, 4), situ_add(e, 1)), situ_square(under));
    situ_tensor *slope =
        situ_cast(situ_add(situ_div(n, under), situ_mul(bounded(x, 1000, site), curve)), (situ_dtype)c->in[0]->dtype);
    c->out[0] = situ_mul(c->g, slope);
}

#define ACTIVATION(id) \
    const situ_op situ_op_##id = {.name = #id, \
        .family = SITU_COMPOSITE, \
        .operands = "x", \
        .infer = infer_float, \
        .vjp = vjp_##id, \
        .reads = {SITU_READS_A}, \
        .expand = expand_##id};
ACTIVATION(gelu)
ACTIVATION(gelu_share)
ACTIVATION(gelu_exact)
ACTIVATION(gelu_exact_share)
ACTIVATION(silu)
ACTIVATION(silu_share)
ACTIVATION(mish)

static situ_tensor *activate(const situ_op *op, situ_tensor *x, situ_site site)
{
    if (!situ_usable(&x, 1, op->name, site)) return situ_poisoned();
    x = situ_cast(x, situ_is_number(x) ? SITU_F32 : situ_as_float((situ_dtype)x->dtype));
    return situ_apply1(op, x, NULL, 0, site);
}

situ_tensor *(situ_gelu)(situ_tensor *x, const situ_gelu_options *options, situ_site site)
{
    SITU_SPEAK("gelu", site);
    situ_gelu_options o = {SITU_DEFAULTS(SITU_GELU_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, "gelu", site)) return situ_poisoned();
    return activate(o.exact ? &situ_op_gelu_exact : &situ_op_gelu, x, site);
}

situ_tensor *(situ_silu)(situ_tensor *x, situ_site site) { return activate(&situ_op_silu, x, site); }
situ_tensor *(situ_mish)(situ_tensor *x, situ_site site) { return activate(&situ_op_mish, x, site); }

situ_tensor *(situ_leaky_relu)(situ_tensor *x, situ_tensor *slope, situ_site site)
{
    SITU_SPEAK("leaky_relu", site);
    if (!situ_together((situ_tensor *[]){x, slope}, 2, "leaky_relu", "x, slope", site)) return situ_poisoned();
    /* avoids 0 * inf, if the slope is a tensor with a 0 */
    situ_tensor *below = situ_is_number(slope) ? x : situ_where(situ_greater_equal(x, 0), 0, x);
    return situ_where(situ_greater_equal(x, 0), x, situ_mul(below, slope));
}

situ_tensor *(situ_elu)(situ_tensor *x, situ_tensor *alpha, situ_site site)
{
    SITU_SPEAK("elu", site);
    if (!situ_together((situ_tensor *[]){x, alpha}, 2, "elu", "x, alpha", site)) return situ_poisoned();
    /* the branch that is not taken has to be finite, since its gradient is multiplied by 0 */
    return situ_where(situ_greater(x, 0), x, situ_mul(situ_expm1(situ_where(situ_greater(x, 0), 0, x)), alpha));
}
