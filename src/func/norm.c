/* Normalisation. Each composite can be computed by a device in few passes over memory; otherwise it expands to sums
 * and elementwise operations. */
#include "func/square_scale.h"
#include "graph/operand.h"
#include "op/attr.h"
#include "op/support.h"

#include "op/table.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static situ_tensor *apply(const situ_op *op, situ_tensor *const *in, int nin, double eps, situ_site site)
{
    situ_epsilon_attr attr = {eps};
    return situ_apply(op, in, nin, &attr, sizeof attr, NULL, 0, site);
}

static double epsilon_of(const void *attr) { return ((const situ_epsilon_attr *)attr)->eps; }

/* The result has x's shape, dtype and device; for composites whose operands were checked by the functions below. */
static int infer_first(situ_infer *c) { return situ_infer_same(c); }
static int infer_second(situ_infer *c)
{
    c->dtype = (situ_dtype)c->in[1]->dtype;
    situ_infer_dims(c, c->in[1]->ndim, c->in[1]->dim);
    return 0;
}
static int infer_two(situ_infer *c, int axis)
{
    const situ_tensor *x = c->in[c->nin > 1];
    c->dtype = (situ_dtype)x->dtype;
    c->ndim = 2;
    c->dim[0] = 2;
    c->dim[1] = x->dim[axis < 0 ? x->ndim - 1 : axis];
    return 0;
}
static int infer_row_sums(situ_infer *c) { return infer_two(c, -1); }
static int infer_channel_sums(situ_infer *c) { return infer_two(c, 1); }
static int infer_moments(situ_infer *c)
{
    infer_two(c, 1);
    c->dim[0] = 3;
    return 0;
}

/* ---- layer norm: over the last axis ----------------------------------------------------------------------------------------- */

static situ_tensor *row_mean(situ_tensor *x, situ_site site) { return situ_mean(x, .axes = AXES(-1), .keepdims = true); }

/* (x - mean) / sqrt(variance + eps); also returns the factor. */
static situ_tensor *row_normal(situ_tensor *x, double eps, situ_tensor **factor, situ_site site)
{
    situ_tensor *centered = situ_sub(x, row_mean(x, site)),
                *wide = situ_cast(centered, SITU_F64); /* squares of f32 do not overflow in f64 */
    if (x->dtype == SITU_F64 && x->dim[x->ndim - 1]) {
        situ_tensor *room = situ_square_scale(situ_max(situ_abs(x), .axes = AXES(-1), .keepdims = true), eps == 0, site);
        situ_tensor *mean = row_mean(situ_square(situ_mul(wide, room)), site);
        *factor = situ_mul(situ_rsqrt(eps > 0 ? situ_add(mean, situ_mul(situ_square(room), eps)) : mean), room);
    } else {
        *factor = situ_cast(situ_rsqrt(situ_add(row_mean(situ_square(wide), site), eps)), (situ_dtype)x->dtype);
    }
    return situ_mul(centered, *factor);
}

static situ_tensor *expand_layer_norm(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    situ_tensor *factor, *normal = row_normal(in[0], epsilon_of(attr), &factor, site);
    return situ_add(situ_mul(normal, in[1]), in[2]);
}

/* Gradient by x. Operands: g, x, scale. */
static situ_tensor *expand_layer_norm_input(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    situ_tensor *factor, *normal = row_normal(in[1], epsilon_of(attr), &factor, site), *g = situ_mul(in[0], in[2]);
    situ_tensor *along = situ_add(row_mean(g, site), situ_mul(normal, row_mean(situ_mul(g, normal), site)));
    return situ_mul(factor, situ_sub(g, along));
}

static situ_tensor *as_rows(situ_tensor *x, situ_site site)
{
    int64_t width = x->dim[x->ndim - 1], rows = 1;
    for (int i = 0; i < x->ndim - 1; i++) rows *= x->dim[i];
    return situ_reshape(x, SHAPE(rows, width));
}

/* Gradients by scale and shift: sums over all rows of g * normalised x, and of g. Operands: g, x. */
static situ_tensor *expand_layer_norm_sums(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    situ_tensor *factor, *g = as_rows(in[0], site), *normal = row_normal(as_rows(in[1], site), epsilon_of(attr), &factor, site);
    return situ_stack(TENSORS(situ_sum(situ_mul(g, normal), .axes = AXES(0)), situ_sum(g, .axes = AXES(0))));
}

static void vjp_layer_norm(situ_vjp *c)
{
    situ_site site = c->site;
    double eps = epsilon_of(situ_node_attr(c->y));
    if (c->need[0]) c->out[0] = apply(&situ_op_layer_norm_input, (situ_tensor *[]){c->g, c->in[0], c->in[1]}, 3, eps, site);
    if (!c->need[1] && !c->need[2]) return;
    situ_tensor *sums = apply(&situ_op_layer_norm_sums, (situ_tensor *[]){c->g, c->in[0]}, 2, eps, site);
    if (c->need[1]) c->out[1] = situ_select(sums, 0, 0);
    if (c->need[2]) c->out[2] = situ_select(sums, 0, 1);
}

/* ---- batch norm: over all axes except axis 1 ----------------------------------------------------------------------------------
 */

static situ_axes all_but_channels(const situ_tensor *x)
{
    situ_axes axes = {.given = 1};
    for (int i = 0; i < x->ndim; i++)
        if (i != 1) axes.axis[axes.count++] = i;
    return axes;
}

static int64_t channel_size(const situ_tensor *x)
{
    int64_t n = x->dim[0];
    for (int i = 2; i < x->ndim; i++) n *= x->dim[i];
    return n;
}

/* A vector [channels], reshaped to broadcast to x. */
static situ_tensor *per_channel(situ_tensor *t, const situ_tensor *x, situ_site site)
{
    situ_shape shape = {.ndim = x->ndim - 1};
    shape.dim[0] = x->dim[1];
    for (int i = 1; i < x->ndim - 1; i++) shape.dim[i] = 1;
    return situ_reshape(t, shape);
}

/* Mean, variance and power of each channel, [3, channels]. The variance is that of x * power; the power of two is 1
 * unless the variance of x over- or underflows. */
static situ_tensor *expand_channel_moments(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    (void)attr;
    situ_axes axes = all_but_channels(in[0]);
    situ_tensor *mean = situ_mean(in[0], .axes = axes), *v = situ_var(in[0], .axes = axes);
    double least = in[0]->dtype == SITU_F64 ? 0x1p-600 : 0x1p-100;
    situ_tensor *fits = situ_logical_or(situ_isfinite(v), situ_logical_not(situ_isfinite(mean)));
    situ_tensor *scaled = situ_var(situ_mul(in[0], least), .axes = axes);
    return situ_stack(TENSORS(mean, situ_where(fits, v, scaled), situ_cast(situ_where(fits, 1, least), situ_dtype_of(v))));
}

/* power / sqrt(variance + eps power^2), [channels]. */
static situ_tensor *channel_factor(situ_tensor *moments, double eps, situ_site site)
{
    situ_tensor *power = situ_select(moments, 0, 2), *more = situ_mul(situ_square(power), eps);
    return situ_mul(situ_rsqrt(situ_add(situ_select(moments, 0, 1), more)), power);
}

static situ_tensor *channel_normal(situ_tensor *x, situ_tensor *moments, double eps, situ_tensor **factor, situ_site site)
{
    *factor = per_channel(channel_factor(moments, eps, site), x, site);
    return situ_mul(*factor, situ_sub(x, per_channel(situ_select(moments, 0, 0), x, site)));
}

/* Operands: x, scale, moments, shift. */
static situ_tensor *expand_batch_norm(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    situ_tensor *x = in[0], *factor = situ_mul(channel_factor(in[2], epsilon_of(attr), site), in[1]);
    /* the factor is computed first, so that all the work on x is one group */
    situ_tensor *y = situ_mul(per_channel(factor, x, site), situ_sub(x, per_channel(situ_select(in[2], 0, 0), x, site)));
    return situ_add(y, per_channel(in[3], x, site));
}

/* Sums over each channel of g * normalised x, and of g, [2, channels]. Operands: g, x, moments. */
static situ_tensor *expand_batch_norm_sums(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    situ_axes axes = all_but_channels(in[1]);
    situ_tensor *factor, *normal = channel_normal(in[1], in[2], epsilon_of(attr), &factor, site);
    return situ_stack(TENSORS(situ_sum(situ_mul(in[0], normal), .axes = axes), situ_sum(in[0], .axes = axes)));
}

/* The moments are computed from x, and the gradient by x includes their part, so they get none of their own. */
static void vjp_batch_norm(situ_vjp *c)
{
    situ_site site = c->site;
    double eps = epsilon_of(situ_node_attr(c->y));
    situ_tensor *x = c->in[0], *sums = apply(&situ_op_batch_norm_sums, (situ_tensor *[]){c->g, x, c->in[2]}, 3, eps, site);
    if (c->need[1]) c->out[1] = situ_select(sums, 0, 0);
    if (c->need[3]) c->out[3] = situ_select(sums, 0, 1);
    if (!c->need[0]) return;
    c->out[0] = apply(&situ_op_batch_norm_input, (situ_tensor *[]){c->g, x, c->in[1], c->in[2], sums}, 5, eps, site);
}

/* Gradient by x. Operands: g, x, scale, moments, and the sums above. */
static situ_tensor *expand_batch_norm_input(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    situ_tensor *x = in[1], *factor, *normal = channel_normal(x, in[3], epsilon_of(attr), &factor, site);
    situ_tensor *means = situ_div(in[4], (double)channel_size(x));
    situ_tensor *along =
        situ_add(situ_mul(normal, per_channel(situ_select(means, 0, 0), x, site)), per_channel(situ_select(means, 0, 1), x, site));
    return situ_mul(situ_sub(in[0], along), situ_mul(factor, per_channel(in[2], x, site)));
}

#define NORM(id, names, shape, ...) \
    const situ_op situ_op_##id = { \
        .name = #id, .family = SITU_COMPOSITE, .operands = names, .infer = infer_##shape, .expand = expand_##id, __VA_ARGS__};
NORM(layer_norm, "x, scale, shift", first, .vjp = vjp_layer_norm, .reads = {SITU_READS_A | SITU_READS_B, SITU_READS_A})
NORM(layer_norm_input, "gradient, x, scale", second)
NORM(layer_norm_sums, "gradient, x", row_sums)
NORM(channel_moments, "x", moments)
NORM(batch_norm, "x, scale, moments, shift", first, .vjp = vjp_batch_norm,
    .reads = {SITU_READS_A | SITU_READS_B | SITU_READS_C, SITU_READS_A | SITU_READS_C})
NORM(batch_norm_input, "gradient, x, scale, moments, sums", second)
NORM(batch_norm_sums, "gradient, x, moments", channel_sums)

/* ---- public functions ----------------------------------------------------------------------------------------------------------
 */

/* Checks that x has at least `least` axes, and that the vectors have the length of the given axis. */
static bool check(situ_tensor *const *in, int n, int least, int axis, const char *operation, const char *names, situ_site site)
{
    char text[SITU_BRIEF_TEXT], other[SITU_BRIEF_TEXT];
    if (!situ_together(in, n, operation, names, site)) return false;
    const situ_tensor *x = in[0];
    if (situ_is_number(x) || x->ndim < least || !situ_dtype_is_float((situ_dtype)x->dtype)) {
        situ_fail(SITU_BAD_SHAPE, site, "%s: x is %s; it must be floats of at least %d dimension%s", operation, situ_brief(x, text),
            least, least > 1 ? "s" : "");
        return false;
    }
    int64_t size = x->dim[axis < 0 ? x->ndim - 1 : axis];
    for (int i = 1; i < n; i++) {
        if (!situ_is_number(in[i]) && in[i]->ndim == 1 && in[i]->dim[0] == size && situ_dtype_is_float((situ_dtype)in[i]->dtype))
            continue;
        situ_fail(SITU_BAD_SHAPE, site,
            "%s: %s are x and vectors of floats as long as its axis %d; x is %s, operand %d %s; write " SITU_SAY(
                "situ_ones(SHAPE(", "situ.ones((") "%lld" SITU_SAY("))", ",))") " for a scale that changes nothing",
            operation, names, axis, situ_brief(x, text), i, situ_brief(in[i], other), (long long)size);
        return false;
    }
    return true;
}

/* Converts everything to f32 or f64. */
static void widen(situ_tensor **in, int n, situ_site site)
{
    situ_dtype compute = in[0]->dtype == SITU_F64 ? SITU_F64 : SITU_F32;
    for (int i = 0; i < n; i++) in[i] = situ_cast(in[i], compute);
}

situ_tensor *(
    situ_layer_norm)(situ_tensor *x, situ_tensor *scale, situ_tensor *shift, const situ_layer_norm_options *options, situ_site site)
{
    SITU_SPEAK("layer_norm", site);
    situ_layer_norm_options o = {SITU_DEFAULTS(SITU_LAYER_NORM_DEFAULTS)};
    situ_tensor *in[] = {x, scale, shift};
    if (!check(in, 3, 1, -1, "layer_norm", "x, scale, shift", site) || !SITU_TAKE_OPTIONS(o, options, "layer_norm", site) ||
        !situ_check_epsilon(o.eps, "layer_norm", site))
        return situ_poisoned();
    situ_dtype dtype = (situ_dtype)x->dtype;
    widen(in, 3, site);
    return situ_cast(apply(&situ_op_layer_norm, in, 3, o.eps, site), dtype);
}

/* running = (1 - momentum) * running + momentum * value. */
static void update_running(situ_tensor *running, situ_tensor *value, double momentum, situ_site site)
{
    if (!running || situ_error_code) return;
    value = situ_cast(situ_stop_gradient(value), situ_dtype_of(running));
    (situ_assign)(running, situ_add(situ_mul(running, 1 - momentum), situ_mul(value, momentum)), site);
}

static bool check_running(situ_tensor *running, situ_tensor *x, const char *names, const char *name, situ_site site)
{
    char text[SITU_BRIEF_TEXT];
    if (!situ_option_fits(x, running, "batch_norm", names, site)) return false;
    if (!running || (situ_is_variable(running) && running->ndim == 1 && running->dim[0] == x->dim[1])) return true;
    situ_fail(SITU_BAD_ARGUMENT, site, "batch_norm: %s is %s; it must be a variable as long as axis 1 of x, %lld", name,
        situ_brief(running, text), (long long)x->dim[1]);
    return false;
}

static situ_tensor *normalise(situ_tensor **in, const situ_batch_norm_options *o, situ_site site)
{
    situ_tensor *x = in[0];
    if (o->inference) {
        situ_dtype compute = (situ_dtype)x->dtype;
        situ_tensor *factor = situ_mul(situ_rsqrt(situ_add(situ_cast(o->variance, compute), o->eps)), in[1]);
        situ_tensor *centered = situ_sub(x, per_channel(situ_cast(o->mean, compute), x, site));
        return situ_add(situ_mul(centered, per_channel(factor, x, site)), per_channel(in[2], x, site));
    }
    double n = (double)channel_size(x);
    if (n < 1) /* without elements there are no moments */
        return apply(&situ_op_batch_norm,
            (situ_tensor *[]){x, in[1], situ_ones(SHAPE(3, x->dim[1]), .dtype = (situ_dtype)x->dtype, .device = x->device), in[2]},
            4, o->eps, site);
    situ_tensor *moments = situ_apply1(&situ_op_channel_moments, x, NULL, 0, site);
    if (!situ_usable(&moments, 1, "batch_norm", site)) return situ_poisoned();
    update_running(o->mean, situ_select(moments, 0, 0), o->momentum, site);
    situ_tensor *variance = situ_div(situ_select(moments, 0, 1), situ_square(situ_select(moments, 0, 2)));
    if (n > 1) update_running(o->variance, situ_mul(variance, n / (n - 1)), o->momentum, site);
    return apply(&situ_op_batch_norm, (situ_tensor *[]){x, in[1], moments, in[2]}, 4, o->eps, site);
}

situ_tensor *(
    situ_batch_norm)(situ_tensor *x, situ_tensor *scale, situ_tensor *shift, const situ_batch_norm_options *options, situ_site site)
{
    SITU_SPEAK("batch_norm", site);
    situ_batch_norm_options o = {SITU_DEFAULTS(SITU_BATCH_NORM_DEFAULTS)};
    situ_tensor *in[] = {x, scale, shift};
    if (!check(in, 3, 2, 1, "batch_norm", "x, scale, shift", site) || !SITU_TAKE_OPTIONS(o, options, "batch_norm", site) ||
        !situ_check_epsilon(o.eps, "batch_norm", site))
        return situ_poisoned();
    if (!(o.momentum >= 0 && o.momentum <= 1))
        return situ_refused(SITU_BAD_OPTION, site,
            "batch_norm: " SITU_SAY(".momentum", "momentum") " = %g; it is the share of a batch in the running moments, 0 to 1",
            o.momentum);
    if (o.inference && (!o.mean || !o.variance))
        return situ_refused(SITU_BAD_OPTION, site,
            "batch_norm: " SITU_SAY(
                ".inference needs .mean and .variance", "inference=True needs mean and variance") " to normalise with");
    if (!o.inference &&
        (!check_running(o.mean, x, "x, mean", SITU_SAY(".mean", "mean"), site) ||
            !check_running(o.variance, x, "x, variance", SITU_SAY(".variance", "variance"), site)))
        return situ_poisoned();
    if (o.inference && !check((situ_tensor *[]){x, o.mean, o.variance}, 3, 2, 1, "batch_norm", "x, mean, variance", site))
        return situ_poisoned();
    situ_dtype dtype = (situ_dtype)x->dtype;
    widen(in, 3, site);
    return situ_cast(normalise(in, &o, site), dtype);
}
