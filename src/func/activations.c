/* Activations. Those that are recorded as one node keep only x for the gradient; their rules are written for that. Where a
 * factor beside x has come to 0, x is taken from a bound that is far beyond: -inf 0 has no value, the function has. */
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

/* An activation of halves is computed in f32 and rounded once. */
static situ_tensor *widen(situ_tensor *x, situ_site site)
{
    return x->dtype == SITU_F16 || x->dtype == SITU_BF16 ? situ_cast(x, SITU_F32) : x;
}
static situ_tensor *narrow(situ_tensor *y, const situ_tensor *x, situ_site site) { return situ_cast(y, (situ_dtype)x->dtype); }

/* 2 sqrt(2 / pi) (x + 0.044715 x^3), so that gelu is x sigmoid of it: exp is cheaper than tanh, and as exact. */
static situ_tensor *gelu_inner(situ_tensor *x, situ_site site)
{
    return situ_mul(situ_mul(situ_add(situ_mul(situ_square(x), 0.044715), 1), x), 1.5957691216057308);
}

/* x, but not less than a number whose exponential is 0 in every dtype. */
static situ_tensor *floored(situ_tensor *x, situ_site site) { return situ_maximum(-1000, x); }
static situ_tensor *bounded(situ_tensor *x, int bound, situ_site site) { return situ_clip(x, -bound, bound); }

/* The sigmoid of u, with the exponential that the value is made of: where both are wanted it is computed once. */
static situ_tensor *share(situ_tensor *u, situ_site site) { return situ_div(1, situ_add(situ_exp(situ_negative(u)), 1)); }

static situ_tensor *expand_gelu(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    (void)attr;
    situ_tensor *x = floored(widen(in[0], site), site);
    return narrow(situ_div(x, situ_add(situ_exp(situ_negative(gelu_inner(x, site))), 1)), in[0], site);
}

/* The sigmoid in gelu, as a composite: its numbers are then those of gelu's own expansion, and so is its exponential. */
static situ_tensor *expand_gelu_share(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    (void)attr;
    return narrow(share(gelu_inner(floored(widen(in[0], site), site), site), site), in[0], site);
}

/* Beyond this s is 0 or 1 and its slope 0; x^2 would overflow. */
enum { GELU_FLAT = 30 };

/* Of s by x, which is bounded. */
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

/* The share of a normal distribution that lies below x, as a composite for gelu_share's reason. */
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

/* The sigmoid in silu, as a composite: the gradient through its quotient would be 0 / inf times inf where x is far below 0. */
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

/* tanh(softplus(x)) = n / (n + 2) with n = e (e + 2), e = exp x: one exponential. Where x is cut off it is 1, n has
 * not overflown and (n + 2)^2 has. Halves are widened. */
static situ_tensor *mish_exp(situ_tensor *x, situ_site site) { return situ_exp(situ_minimum(x, x->dtype == SITU_F64 ? 300 : 40)); }
static situ_tensor *mish_n(situ_tensor *e, situ_site site) { return situ_mul(e, situ_add(e, 2)); }

static situ_tensor *expand_mish(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    (void)attr;
    situ_tensor *x = floored(widen(in[0], site), site), *n = mish_n(mish_exp(x, site), site);
    return narrow(situ_mul(x, situ_div(n, situ_add(n, 2))), in[0], site);
}

/* t + x 4 e (e + 1) / (n + 2)^2, t = n / (n + 2) */
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
    /* by a slope that is a tensor, where x is inf: 0 x has no value */
    situ_tensor *below = situ_is_number(slope) ? x : situ_where(situ_greater_equal(x, 0), 0, x);
    return situ_where(situ_greater_equal(x, 0), x, situ_mul(below, slope));
}

situ_tensor *(situ_elu)(situ_tensor *x, situ_tensor *alpha, situ_site site)
{
    SITU_SPEAK("elu", site);
    if (!situ_together((situ_tensor *[]){x, alpha}, 2, "elu", "x, alpha", site)) return situ_poisoned();
    /* the branch that is not taken must be finite: its gradient is multiplied by 0 */
    return situ_where(situ_greater(x, 0), x, situ_mul(situ_expm1(situ_where(situ_greater(x, 0), 0, x)), alpha));
}
