/* The layers. Each is built like a module of a user. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <situ/activation.h>

#include "base/memory.h"
#include "nn/module.h"
#include "op/blocks.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

situ_module *situ_layer(const situ_module_kind *kind, const void *self, size_t size, situ_site site)
{
    if (situ_error_code) return NULL;
    void *copy = size ? situ_malloc(size) : NULL;
    if (size && !copy) {
        situ_fail(SITU_NO_MEMORY, site, "situ_%s: out of host memory", kind->name);
        return NULL;
    }
    if (size) memcpy(copy, self, size);
    situ_module *m = situ_module_custom(kind, copy);
    if (m) {
        m->foreign = false;
        m->self_size = size;
    }
    return m;
}

situ_module *situ_with_parameters(situ_module *m, const char *const *names)
{
    for (; m && *names; names++)
        if (situ_module_declare(m, *names) < 0) {
            situ_module_free(m);
            return NULL;
        }
    return m;
}

situ_module *situ_expected(situ_module *m, int rc)
{
    if (!rc) return m;
    situ_module_free(m);
    return NULL;
}

situ_tensor *situ_refuse_input(const situ_module *m, const situ_tensor *x, const char *what)
{
    char text[128], input[512];
    situ_fail(SITU_BAD_SHAPE, situ_frame_now->site, "situ_module_call: %s takes %s, not %s", situ_module_text(m, text, sizeof text),
        what, situ_operand_text(x, input, sizeof input));
    return situ_poisoned();
}

/* ---- linear ------------------------------------------------------------------------------------------------------------ */

typedef struct linear {
    int64_t out, in; /* out of 0: the containing module tells it at its first call */
    bool bias;
} linear;

static situ_tensor *forward_linear(situ_module *m, situ_tensor *x, void *self)
{
    const linear *l = self;
    situ_site site = situ_frame_now->site;
    if (!(x = situ_value_of(x, site))) return situ_poisoned();
    char text[128], input[512];
    if (!x->ndim || (l->in && x->dim[x->ndim - 1] != l->in) || !x->dim[x->ndim - 1]) {
        situ_fail(SITU_BAD_SHAPE, site, "situ_module_call: %s takes inputs whose last axis has %s%lld elements, not %s",
            situ_module_text(m, text, sizeof text), l->in ? "" : "at least ", l->in ? (long long)l->in : 1ll,
            situ_operand_text(x, input, sizeof input));
        return situ_poisoned();
    }
    int64_t in = x->dim[x->ndim - 1];
    double bound = 1 / sqrt((double)in);
    bool rounded = situ_parameter_rounded(m->own[0]);
    situ_tensor *w = situ_module_use(m, 0, x, SHAPE(l->out, in + (rounded ? SITU_ROW_SCALE : 0)), .bound = bound, .fixed = rounded);
    situ_tensor *y = rounded ? situ_linear_rounded(m, x, w, site) : situ_matmul(x, situ_transpose(w));
    return l->bias ? situ_add(y, situ_module_use(m, 1, x, SHAPE(l->out), .bound = bound)) : y;
}

const situ_module_kind situ_linear_kind = {.name = "linear", .forward = forward_linear, .release = situ_free};

situ_module *(situ_linear_layer)(int64_t out, const situ_linear_layer_options *options, situ_site site)
{
    SITU_SPEAK("situ_linear_layer", site);
    situ_linear_layer_options o = {SITU_DEFAULTS(SITU_LINEAR_LAYER_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_linear_layer", site)) return NULL;
    if (out < 1 || o.in < 0) {
        situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_linear_layer: %lld outputs and %lld inputs; there is at least 1 of each (" SITU_SAY(
                ".in = 0", "inputs=None") ": as the first input has)",
            (long long)out, (long long)o.in);
        return NULL;
    }
    situ_module *m = situ_layer(&situ_linear_kind, &(linear){out, o.in, o.bias}, sizeof(linear), site);
    const situ_module_use_options u = {.bound = o.in ? 1 / sqrt((double)o.in) : 0};
    bool made = m && situ_module_declare(m, "weight") >= 0 && (!o.bias || situ_module_declare(m, "bias") >= 0);
    if (made && !o.in) {
        situ_module_sizes(m, 0, SHAPE(out, 0));
        situ_module_sizes(m, 1, SHAPE(out));
    } else if (made)
        made = !situ_module_expect(m, 0, SHAPE(out, o.in), &u) && (!o.bias || !situ_module_expect(m, 1, SHAPE(out), &u));
    if (made) return m;
    situ_module_free(m);
    return NULL;
}

situ_module *situ_linear_later(void)
{
    situ_module *m = situ_layer(&situ_linear_kind, &(linear){.bias = false}, sizeof(linear), NULL);
    m = situ_with_parameters(m, (const char *[]){"weight", NULL});
    situ_module_sizes(m, 0, SHAPE(0, 0));
    return m;
}

void situ_linear_outputs(situ_module *m, int64_t out)
{
    linear *l = m->self;
    if (!l->out) l->out = out;
}

/* ---- layers without parameters ------------------------------------------------------------------------------------------- */

/* The flat shape in numbers, not with -1, which fails for 0 rows. */
static situ_shape flat_shape(const situ_tensor *x)
{
    int64_t rest = 1;
    for (int i = 1; i < situ_ndim(x); i++) rest *= situ_dim(x, i);
    return situ_ndim(x) ? SHAPE(situ_dim(x, 0), rest) : SHAPE(1);
}

/* Converts integers to floats, since a sum with a constant stays integer. */
static situ_tensor *real(situ_tensor *x, situ_site site)
{
    if (situ_error_code || situ_dtype_is_complex((situ_dtype)x->dtype)) return x;
    return situ_cast(x, situ_as_float((situ_dtype)x->dtype));
}

/* clip(x, low, high) with a gradient of 0 at the bounds; clip itself gives half at a tie. NaN stays NaN. */
static situ_tensor *bounded(situ_tensor *x, double low, double high, situ_site site)
{
    situ_tensor *y = situ_clip(x, low, high), *inside = situ_logical_and(situ_greater(x, low), situ_less(x, high));
    return situ_where(situ_logical_or(inside, situ_not_equal(x, x)), y, situ_stop_gradient(y));
}

/* x * clip(x + 3, 0, 6) / 6; its gradient is 1 at 3 and 0 at -3. */
static situ_tensor *hard_swish(situ_tensor *x, situ_site site)
{
    /* Avoids -inf * 0, which is NaN. */
    situ_tensor *y = situ_mul(situ_maximum(x, -3), situ_div(situ_clip(situ_add(x, 3), 0, 6), 6));
    return situ_where(situ_equal(x, -3), situ_stop_gradient(y), situ_where(situ_equal(x, 3), x, y));
}

/* x moved by `bound` towards 0, at most to 0. At the bounds the gradient is 0, as between them. */
static situ_tensor *soft_shrink(situ_tensor *x, double bound, situ_site site)
{
    situ_tensor *y = situ_sub(x, situ_clip(x, -bound, bound));
    return situ_where(situ_equal(situ_abs(x), bound), situ_stop_gradient(y), y);
}

#define ACTIVATION(id, expression) \
    static situ_tensor *forward_##id(situ_module *m, situ_tensor *x, void *self) \
    { \
        situ_site site = situ_frame_now->site; \
        (void)m; \
        (void)self; \
        return expression; \
    } \
    static const situ_module_kind id##_kind = {.name = #id, .forward = forward_##id}; \
    situ_module *situ_##id##_layer(void) \
    { \
        SITU_SPEAK_AT("situ_" #id "_layer"); \
        return situ_layer(&id##_kind, NULL, 0, NULL); \
    }
ACTIVATION(relu, situ_relu(x))
ACTIVATION(sigmoid, situ_sigmoid(x))
ACTIVATION(tanh, situ_tanh(x))
ACTIVATION(gelu, situ_gelu(x))
ACTIVATION(silu, situ_silu(x))
ACTIVATION(mish, situ_mish(x))
ACTIVATION(softplus, situ_softplus(x))
ACTIVATION(relu6, bounded(x, 0, 6, site))
ACTIVATION(softsign, situ_div(x, situ_add(situ_abs(real(x, site)), 1)))
ACTIVATION(hardswish, hard_swish(real(x, site), site))
ACTIVATION(hardsigmoid, situ_div(bounded(situ_add(real(x, site), 3), 0, 6, site), 6))
ACTIVATION(selu, situ_mul(situ_elu(x, 1.6732632423543772848), 1.0507009873554804934))
ACTIVATION(log_sigmoid, situ_negative(situ_softplus(situ_negative(real(x, site)))))
ACTIVATION(tanhshrink, situ_sub(x, situ_tanh(x)))
ACTIVATION(identity, situ_itself(x, site))
ACTIVATION(flatten, situ_reshape(x, flat_shape(x)))

/* The same for a layer with numbers, for which the condition must hold. */
static situ_module *with_numbers(const situ_module_kind *kind, const void *numbers, size_t size, bool right, const char *rule)
{
    if (right) return situ_layer(kind, numbers, size, NULL);
    situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_%s_layer: %s", kind->name, rule);
    return NULL;
}

#define ACTIVATION_OF(id, type, number, right, rule, expression) \
    static situ_tensor *forward_##id(situ_module *m, situ_tensor *x, void *self) \
    { \
        situ_site site = situ_frame_now->site; \
        type number = *(const type *)self; \
        (void)m; \
        return expression; \
    } \
    static const situ_module_kind id##_kind = {.name = #id, .forward = forward_##id, .release = situ_free}; \
    situ_module *situ_##id##_layer(type number) \
    { \
        SITU_SPEAK_AT("situ_" #id "_layer"); \
        return with_numbers(&id##_kind, &number, sizeof number, right, #number rule); \
    }
ACTIVATION_OF(leaky_relu, double, slope, isfinite(slope), " is a finite number", situ_leaky_relu(x, slope))
ACTIVATION_OF(elu, double, alpha, isfinite(alpha), " is a finite number", situ_elu(x, alpha))
ACTIVATION_OF(softmax, int, axis, true, "", situ_softmax(x, .axis = axis))
ACTIVATION_OF(log_softmax, int, axis, true, "", situ_log_softmax(x, .axis = axis))
ACTIVATION_OF(celu, double, alpha, isfinite(alpha) && alpha, " is a finite number other than 0",
    situ_where(situ_greater(x, 0), x, situ_mul(situ_expm1(situ_div(situ_where(situ_greater(x, 0), 0, x), alpha)), alpha)))
ACTIVATION_OF(hardshrink, double, bound, bound >= 0, " is at least 0", situ_where(situ_less_equal(situ_abs(x), bound), 0, x))
ACTIVATION_OF(softshrink, double, bound, bound >= 0, " is at least 0", soft_shrink(real(x, site), bound, site))

#define ACTIVATION_OF_TWO(id, first, second, right, rule, expression) \
    static situ_tensor *forward_##id(situ_module *m, situ_tensor *x, void *self) \
    { \
        situ_site site = situ_frame_now->site; \
        double first = ((const double *)self)[0], second = ((const double *)self)[1]; \
        (void)m; \
        return expression; \
    } \
    static const situ_module_kind id##_kind = {.name = #id, .forward = forward_##id, .release = situ_free}; \
    situ_module *situ_##id##_layer(double first, double second) \
    { \
        SITU_SPEAK_AT("situ_" #id "_layer"); \
        return with_numbers(&id##_kind, (const double[]){first, second}, 2 * sizeof(double), right, rule); \
    }
ACTIVATION_OF_TWO(hardtanh, low, high, low < high, "the first number is less than the second", bounded(x, low, high, site))
ACTIVATION_OF_TWO(threshold, threshold, value, threshold == threshold && value == value, "its numbers are no NaN",
    situ_where(situ_less_equal(x, threshold), value, x))

static situ_tensor *gated(situ_module *m, situ_tensor *x, int axis, situ_site site)
{
    situ_tensor *half[2];
    if (!(x = situ_value_of(x, site))) return situ_poisoned();
    int at = axis < 0 ? axis + x->ndim : axis;
    if (at < 0 || at >= x->ndim || x->dim[at] % 2) return situ_refuse_input(m, x, "inputs whose axis has two equal halves");
    return situ_split(x, 2, half, .axis = at) ? situ_poisoned() : situ_mul(half[0], situ_sigmoid(half[1]));
}
ACTIVATION_OF(glu, int, axis, true, "", gated(m, x, axis, site))

static situ_tensor *forward_prelu(situ_module *m, situ_tensor *x, void *self)
{
    int64_t count = *(const int64_t *)self;
    situ_site site = situ_frame_now->site;
    if (!(x = situ_value_of(x, site))) return situ_poisoned();
    if (count > 1 && (x->ndim < 2 || x->dim[1] != count))
        return situ_refuse_input(m, x, "[batch, channels, ...] of as many channels as it has slopes");
    situ_shape shape = x->ndim ? SHAPE(count) : SHAPE();
    for (int i = 2; count > 1 && i < x->ndim; i++) shape.dim[shape.ndim++] = 1;
    situ_tensor *slope = situ_module_use(m, 0, x, SHAPE(count), .value = 0.25);
    return situ_error_code ? situ_poisoned() : situ_where(situ_greater_equal(x, 0), x, situ_mul(x, situ_reshape(slope, shape)));
}

static const situ_module_kind prelu_kind = {.name = "prelu", .forward = forward_prelu, .release = situ_free};

situ_module *situ_prelu_layer(int64_t count)
{
    SITU_SPEAK_AT("situ_prelu_layer");
    if (count < 1) {
        situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_prelu_layer: %lld slopes; there is at least 1", (long long)count);
        return NULL;
    }
    situ_module *m = situ_with_parameters(situ_layer(&prelu_kind, &count, sizeof count, NULL), (const char *[]){"weight", NULL});
    return m ? situ_expected(m, situ_module_expect(m, 0, SHAPE(count), &(const situ_module_use_options){.value = 0.25})) : NULL;
}

typedef struct function {
    situ_layer_fn f;
    void *self;
} function;

static situ_tensor *forward_function(situ_module *m, situ_tensor *x, void *self)
{
    const function *l = self;
    (void)m;
    return l->f(x, l->self);
}

static const situ_module_kind function_kind = {.name = "function", .forward = forward_function, .release = situ_free};

situ_module *situ_function_layer(situ_layer_fn f, void *self)
{
    SITU_SPEAK_AT("situ_function_layer");
    if (!f) {
        situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_function_layer: the function is NULL");
        return NULL;
    }
    situ_module *m = situ_layer(&function_kind, &(function){f, self}, sizeof(function), NULL);
    if (m) m->foreign = true;
    return m;
}

/* ---- bilinear -------------------------------------------------------------------------------------------------------------- */

typedef struct bilinear {
    int64_t out;
    bool bias;
} bilinear;

static int forward_bilinear(situ_module *m, situ_list in, situ_tensor **out, void *self)
{
    const bilinear *l = self;
    situ_site site = situ_frame_now->site;
    situ_tensor *a = situ_value_of(in.tensor[0], site), *b = situ_value_of(in.tensor[1], site);
    if (!a || !b) return -situ_error_code;
    char text[128], one[SITU_BRIEF_TEXT], two[SITU_BRIEF_TEXT];
    bool fits = a->ndim && a->ndim == b->ndim && a->dim[a->ndim - 1] && b->dim[b->ndim - 1];
    for (int i = 0; fits && i < a->ndim - 1; i++) fits = a->dim[i] == b->dim[i];
    if (!fits)
        return situ_fail(SITU_BAD_SHAPE, site,
            "situ_module_call: %s takes [..., size] twice, alike but for the sizes; not %s and %s",
            situ_module_text(m, text, sizeof text), situ_brief(a, one), situ_brief(b, two));
    int64_t p = a->dim[a->ndim - 1], q = b->dim[b->ndim - 1], rows = 1;
    for (int i = 0; i < a->ndim - 1; i++) rows *= a->dim[i];
    double bound = 1 / sqrt((double)p);
    situ_tensor *w = situ_module_use(m, 0, a, SHAPE(l->out, p, q), .bound = bound);
    /* x W as [rows, p] [p, out * q]; then the sum over q of the products with b */
    situ_tensor *wide = situ_reshape(situ_permute(w, AXES(1, 0, 2)), SHAPE(p, l->out * q));
    situ_tensor *half = situ_reshape(situ_matmul(situ_reshape(a, SHAPE(rows, p)), wide), SHAPE(rows, l->out, q));
    situ_tensor *y = situ_matmul(half, situ_reshape(b, SHAPE(rows, q, 1)));
    situ_shape shape = situ_shape_like(a);
    shape.dim[shape.ndim - 1] = l->out;
    out[0] = situ_reshape(y, shape);
    if (l->bias) out[0] = situ_add(out[0], situ_module_use(m, 1, a, SHAPE(l->out), .bound = bound));
    return 1;
}

static const situ_module_kind bilinear_kind = {
    .name = "bilinear", .forward_n = forward_bilinear, .release = situ_free, .inputs = "a, b"};

situ_module *(situ_bilinear_layer)(int64_t out, const situ_bilinear_layer_options *options, situ_site site)
{
    SITU_SPEAK("situ_bilinear_layer", site);
    situ_bilinear_layer_options o = {SITU_DEFAULTS(SITU_BILINEAR_LAYER_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_bilinear_layer", site)) return NULL;
    if (out < 1) {
        situ_fail(SITU_BAD_ARGUMENT, site, "situ_bilinear_layer: %lld outputs; there is at least 1", (long long)out);
        return NULL;
    }
    return situ_with_parameters(situ_layer(&bilinear_kind, &(bilinear){out, o.bias}, sizeof(bilinear), site),
        (const char *[]){"weight", o.bias ? "bias" : NULL, NULL});
}

/* ---- dropout --------------------------------------------------------------------------------------------------------------- */

situ_tensor *situ_dropped(situ_module *m, situ_tensor *x, double rate, bool channels, int number)
{
    situ_site site = situ_frame_now->site;
    if (!(x = situ_value_of(x, site))) return situ_poisoned();
    if (channels && x->ndim < 2) return situ_refuse_input(m, x, "[batch, channels, ...]");
    if (!m->training || rate == 0 || !x->ndim) return x;
    situ_shape whole = situ_shape_like(x), start = {.ndim = 1}, stop = {.ndim = 1};
    situ_module_rows(m, x, &start.dim[0], &whole.dim[0]);
    stop.dim[0] = start.dim[0] + x->dim[0];
    for (int i = 2; channels && i < whole.ndim; i++) whole.dim[i] = 1;
    situ_tensor *key = situ_module_key(m, x);
    if (number) key = situ_fold_in(key, number);
    situ_tensor *kept = situ_bernoulli(key, 1 - rate, whole, .layout = SITU_ORIGINAL);
    if (whole.dim[0] != x->dim[0]) kept = situ_slice(kept, .start = start, .stop = stop);
    return situ_where(kept, situ_div(x, 1 - rate), 0);
}

#define DROPOUT(id, channels) \
    static situ_tensor *forward_##id(situ_module *m, situ_tensor *x, void *self) \
    { \
        return situ_dropped(m, x, *(const double *)self, channels, 0); \
    } \
    static const situ_module_kind id##_kind = {.name = #id, .forward = forward_##id, .release = situ_free}; \
    situ_module *situ_##id##_layer(double rate) \
    { \
        SITU_SPEAK_AT("situ_" #id "_layer"); \
        if (rate >= 0 && rate < 1) return situ_layer(&id##_kind, &rate, sizeof rate, NULL); \
        situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_" #id "_layer: a rate of %g; it is at least 0 and less than 1", rate); \
        return NULL; \
    }
DROPOUT(dropout, false)
DROPOUT(channel_dropout, true)
