/* softmax and related functions: one node each, with a gradient that reads the result. */
#include "func/losses.h"
#include "op/attr.h"
#include "op/generate.h"
#include "op/index.h"
#include "op/reduce.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static int infer_softmax(situ_infer *c)
{
    int failed = situ_refuse_complex(c);
    situ_infer_same(c);
    return failed;
}

/* x - max(x) in f32 or f64: nothing overflows, and the largest exponential is exactly 1. */
static situ_tensor *shifted(situ_tensor *x, int axis, situ_site site)
{
    situ_tensor *w = situ_cast(x, x->dtype == SITU_F64 ? SITU_F64 : SITU_F32);
    if (!x->dim[axis]) return w;
    /* x - m is NaN where x is NaN, for any m, and so is the sum */
    situ_reduce_attr attr = {.first = axis, .count = 1, .keepdims = true, .dtype = w->dtype, .may_lose_nan = true};
    return situ_sub(w, situ_stop_gradient(situ_apply1(&situ_op_max, w, &attr, sizeof attr, site)));
}

static situ_tensor *expand_softmax(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    int axis = ((const situ_axis_attr *)attr)->axis;
    situ_tensor *e = situ_exp(shifted(in[0], axis, site));
    return situ_cast(situ_div(e, situ_sum(e, .axes = AXES(axis), .keepdims = true)), (situ_dtype)in[0]->dtype);
}

static situ_tensor *expand_log_softmax(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    int axis = ((const situ_axis_attr *)attr)->axis;
    situ_tensor *s = shifted(in[0], axis, site);
    situ_tensor *sum = situ_log(situ_sum(situ_exp(s), .axes = AXES(axis), .keepdims = true));
    return situ_cast(situ_sub(s, sum), (situ_dtype)in[0]->dtype);
}

static void vjp_softmax(situ_vjp *c)
{
    situ_site site = c->site;
    int axis = ((const situ_axis_attr *)situ_node_attr(c->y))->axis;
    situ_tensor *weighted = situ_mul(c->g, c->y);
    c->out[0] = situ_sub(weighted, situ_mul(c->y, situ_sum(weighted, .axes = AXES(axis), .keepdims = true)));
}

static void vjp_log_softmax(situ_vjp *c)
{
    situ_site site = c->site;
    int axis = ((const situ_axis_attr *)situ_node_attr(c->y))->axis;
    c->out[0] = situ_sub(c->g, situ_mul(situ_exp(c->y), situ_sum(c->g, .axes = AXES(axis), .keepdims = true)));
}

const situ_op situ_op_softmax = {.name = "softmax",
    .family = SITU_COMPOSITE,
    .operands = "x",
    .infer = infer_softmax,
    .vjp = vjp_softmax,
    .reads = {SITU_READS_RESULT},
    .expand = expand_softmax};
const situ_op situ_op_log_softmax = {.name = "log_softmax",
    .family = SITU_COMPOSITE,
    .operands = "x",
    .infer = infer_softmax,
    .vjp = vjp_log_softmax,
    .reads = {SITU_READS_RESULT},
    .expand = expand_log_softmax};

/* ---- log-softmax at one label per row -----------------------------------------------------------------------------------------
 */

static int infer_log_sum(situ_infer *c)
{
    situ_infer_same(c);
    c->dim[c->ndim - 1] = 1;
    return 0;
}

/* Operands: x, and its maximum along the last axis, kept as an axis of 1. */
static situ_tensor *expand_log_sum(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin, (void)attr;
    return situ_log(situ_sum(situ_exp(situ_sub(in[0], in[1])), .axes = AXES(-1), .keepdims = true));
}

/* Computes the exponentials again: keeping them from the forward pass would take as much memory as x. That includes x
 * - most, which is therefore written differently here. */
static void vjp_log_sum(situ_vjp *c)
{
    situ_site site = c->site;
    c->out[0] = situ_mul(situ_exp(situ_sub(situ_add(c->in[0], situ_negative(c->in[1])), c->y)), c->g);
    if (c->need[1]) c->out[1] = situ_negative(c->g);
}

const situ_op situ_op_log_sum = {.name = "log_sum",
    .family = SITU_COMPOSITE,
    .operands = "x, most",
    .infer = infer_log_sum,
    .vjp = vjp_log_sum,
    .reads = {SITU_READS_A | SITU_READS_B | SITU_READS_RESULT},
    .expand = expand_log_sum};

situ_tensor *situ_label_log_probs(situ_tensor *scores, situ_tensor *labels, situ_tensor *counts, situ_site site)
{
    situ_dtype dtype = (situ_dtype)scores->dtype, wide = dtype == SITU_F64 ? SITU_F64 : SITU_F32;
    situ_tensor *of_label = situ_gather_labels(scores, labels, site);
    if (counts) scores = situ_where(situ_expand_dims(counts, -1), scores, 0);
    situ_tensor *w = situ_cast(scores, wide), *most = situ_stop_gradient(situ_max(w, .axes = AXES(-1), .keepdims = true));
    situ_tensor *sum = situ_apply(&situ_op_log_sum, (situ_tensor *[]){w, most}, 2, NULL, 0, NULL, 0, site);
    return situ_cast(situ_sub(situ_sub(situ_cast(of_label, wide), most), sum), dtype);
}

static situ_tensor *normalise(const situ_op *op, situ_tensor *x, const situ_softmax_options *options, situ_site site)
{
    situ_softmax_options o = {.axis = -1};
    if (!situ_usable(&x, 1, op->name, site) || !SITU_TAKE_OPTIONS(o, options, op->name, site)) return situ_poisoned();
    situ_axis_attr attr = {.axis = situ_axis(o.axis, x->ndim, op->name, site)};
    if (attr.axis < 0) return situ_poisoned();
    x = situ_cast(x, situ_as_float((situ_dtype)x->dtype));
    return situ_apply1(op, x, &attr, sizeof attr, site);
}

situ_tensor *(situ_softmax)(situ_tensor *x, const situ_softmax_options *options, situ_site site)
{
    SITU_SPEAK("softmax", site);
    return normalise(&situ_op_softmax, x, options, site);
}

situ_tensor *(situ_log_softmax)(situ_tensor *x, const situ_softmax_options *options, situ_site site)
{
    SITU_SPEAK("log_softmax", site);
    return normalise(&situ_op_log_softmax, x, options, site);
}
