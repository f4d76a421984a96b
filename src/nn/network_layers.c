/* Layers of situ/network.h: normalisation, embedding. */
#include <math.h>

#include "base/memory.h"
#include "func/square_scale.h"
#include "nn/collectives.h"
#include "nn/module.h"
#include "op/support.h"
#include "tensor/shape.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* An error unless x has a channel axis (axis 1). */
static bool enough(const situ_module *m, const situ_tensor *x, const char *what)
{
    if (x->ndim >= 2 && x->dim[1]) return true;
    situ_refuse_input(m, x, what);
    return false;
}

/* Declares own parameter i as a vector of `count` elements, all initialised to `value`. */
static int expect_row(situ_module *m, int i, int64_t count, double value, bool fixed)
{
    return situ_module_expect(m, i, SHAPE(count), &(const situ_module_use_options){.value = value, .fixed = fixed});
}

/* ---- normalisation ----------------------------------------------------------------------------------------------------------- */

/* Reshapes a vector with one element for each channel so that it broadcasts to x. */
static situ_tensor *beside(situ_tensor *v, const situ_tensor *x, situ_site site)
{
    situ_shape shape = {.ndim = x->ndim};
    for (int i = 0; i < x->ndim; i++) shape.dim[i] = i == 1 ? x->dim[1] : 1;
    return situ_reshape(situ_cast(v, (situ_dtype)x->dtype), shape);
}

static void follow(situ_tensor *running, situ_tensor *value, double momentum, situ_site site)
{
    value = situ_cast(situ_stop_gradient(value), situ_dtype_of(running));
    situ_assign(running, situ_add(situ_mul(running, 1 - momentum), situ_mul(value, momentum)));
}

/* Batch norm with the moments of all ranks' rows. `p`: scale, shift, and the running moments. */
static situ_tensor *normal_over_ranks(situ_tensor *x, situ_tensor *const *p, const situ_batch_norm_layer_options *o, situ_site site)
{
    situ_dtype given = (situ_dtype)x->dtype, dtype = given == SITU_F64 ? SITU_F64 : SITU_F32;
    char text[512];
    if (!situ_dtype_is_float(given)) /* the same rule as situ_batch_norm */
        return situ_refused(SITU_BAD_SHAPE, site, "batch_norm: x is %s; it must be floats of at least 2 dimensions",
            situ_operand_text(x, text, sizeof text));
    int64_t channels = x->dim[1], count = situ_node_count(x) / channels;
    situ_axes axes = {.given = 1};
    for (int i = 0; i < x->ndim; i++)
        if (i != 1) axes.axis[axes.count++] = i;
    x = situ_cast(x, dtype);
    situ_tensor *own = situ_full(SHAPE(1), (double)count, .dtype = dtype, .device = x->device);
    situ_tensor *all = situ_collectives_here()->sum(o->group, situ_concat(TENSORS(situ_sum(x, .axes = axes), own)), site);
    situ_tensor *n = situ_slice(all, .start = SHAPE(channels), .stop = SHAPE(channels + 1));
    situ_tensor *mean = situ_div(situ_slice(all, .start = SHAPE(0), .stop = SHAPE(channels)), n);
    situ_tensor *centered = situ_sub(x, beside(mean, x, site));
    situ_tensor *squares = situ_collectives_here()->sum(o->group, situ_sum(situ_square(centered), .axes = axes), site);
    situ_tensor *variance = situ_div(squares, n), *factor = situ_mul(situ_rsqrt(situ_add(variance, o->eps)), p[0]);
    follow(p[2], mean, o->momentum, site);
    follow(p[3], situ_div(squares, situ_maximum(situ_sub(n, 1), 1)), o->momentum, site);
    return situ_cast(situ_add(situ_mul(centered, beside(factor, x, site)), beside(p[1], x, site)), given);
}

static situ_tensor *forward_batch_norm(situ_module *m, situ_tensor *x, void *self)
{
    const situ_batch_norm_layer_options *o = self;
    situ_site site = situ_frame_now->site;
    if (!(x = situ_value_of(x, site)) || !enough(m, x, "[n, channels, ...]")) return situ_poisoned();
    situ_shape shape = SHAPE(x->dim[1]);
    situ_tensor *scale = situ_module_use(m, 0, x, shape, .value = 1), *shift = situ_module_use(m, 1, x, shape);
    situ_tensor *mean = situ_module_use(m, 2, x, shape, .fixed = true),
                *variance = situ_module_use(m, 3, x, shape, .value = 1, .fixed = true);
    if (situ_error_code) return situ_poisoned();
    if (m->training && situ_ranks_of(o->group) > 1)
        return normal_over_ranks(x, (situ_tensor *[]){scale, shift, mean, variance}, o, site);
    return situ_batch_norm(
        x, scale, shift, .eps = o->eps, .momentum = o->momentum, .mean = mean, .variance = variance, .inference = !m->training);
}

static const situ_module_kind batch_norm_kind = {.name = "batch_norm", .forward = forward_batch_norm, .release = situ_free};

bool situ_module_over_ranks(const situ_module *m)
{
    const situ_batch_norm_layer_options *o = m->kind == &batch_norm_kind ? m->self : NULL;
    if (o && situ_ranks_of(o->group) > 1) return true;
    for (int i = 0; i < m->children; i++)
        if (situ_module_over_ranks(m->child[i])) return true;
    return false;
}

static bool check_norm(double eps, double momentum, int64_t in, const char *name, situ_site site)
{
    if (in < 0)
        return !situ_fail(SITU_BAD_OPTION, site,
            "%s: %lld inputs; there is at least 1 (" SITU_SAY(".in = 0", "inputs=None") ": as the first input has)", name,
            (long long)in);
    if (!situ_check_epsilon(eps, name, site)) return false;
    if (momentum >= 0 && momentum <= 1) return true;
    return !situ_fail(SITU_BAD_OPTION, site,
        "%s: " SITU_SAY(".momentum", "momentum") " = %g; it is the share of a batch in the running moments, 0 to 1", name,
        momentum);
}

situ_module *(situ_batch_norm_layer)(const situ_batch_norm_layer_options *options, situ_site site)
{
    SITU_SPEAK("situ_batch_norm_layer", site);
    situ_batch_norm_layer_options o = {SITU_DEFAULTS(SITU_BATCH_NORM_LAYER_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_batch_norm_layer", site) ||
        !check_norm(o.eps, o.momentum, o.in, "situ_batch_norm_layer", site) ||
        situ_ended(o.group, "situ_batch_norm_layer", "group", site))
        return NULL;
    situ_module *m = situ_with_parameters(
        situ_layer(&batch_norm_kind, &o, sizeof o, site), (const char *[]){"weight", "bias", "running_mean", "running_var", NULL});
    if (!m || !o.in) return m;
    return situ_expected(m,
        expect_row(m, 0, o.in, 1, false) || expect_row(m, 1, o.in, 0, false) || expect_row(m, 2, o.in, 0, true) ||
            expect_row(m, 3, o.in, 1, true));
}

static situ_tensor *forward_layer_norm(situ_module *m, situ_tensor *x, void *self)
{
    situ_site site = situ_frame_now->site;
    char text[128], input[512];
    if (!(x = situ_value_of(x, site))) return situ_poisoned();
    const situ_layer_norm_layer_options *o = self;
    if (!x->ndim || !x->dim[x->ndim - 1]) {
        situ_fail(SITU_BAD_SHAPE, site, "situ_module_call: %s normalises rows of at least 1 element, not %s",
            situ_module_text(m, text, sizeof text), situ_operand_text(x, input, sizeof input));
        return situ_poisoned();
    }
    situ_shape shape = o->shape.ndim > 0 ? o->shape : SHAPE(x->dim[x->ndim - 1]), rows = situ_shape_like(x);
    int first = x->ndim - (int)shape.ndim;
    for (int i = 0; i < shape.ndim; i++)
        if (first < 0 || x->dim[first + i] != shape.dim[i])
            return situ_refuse_input(m, x, "inputs whose last axes have the sizes that it normalises");
    situ_tensor *w = situ_module_use(m, 0, x, shape, .value = 1), *b = situ_module_use(m, 1, x, shape);
    if (shape.ndim == 1) return situ_layer_norm(x, w, b, .eps = o->eps);
    rows.ndim = first + 1;
    rows.dim[first] = situ_shape_count((int)shape.ndim, shape.dim);
    situ_shape row = SHAPE(rows.dim[first]);
    return situ_reshape(
        situ_layer_norm(situ_reshape(x, rows), situ_reshape(w, row), situ_reshape(b, row), .eps = o->eps), situ_shape_like(x));
}

static const situ_module_kind layer_norm_kind = {.name = "layer_norm", .forward = forward_layer_norm, .release = situ_free};

situ_module *(situ_layer_norm_layer)(const situ_layer_norm_layer_options *options, situ_site site)
{
    SITU_SPEAK("situ_layer_norm_layer", site);
    situ_layer_norm_layer_options o = {SITU_DEFAULTS(SITU_LAYER_NORM_LAYER_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_layer_norm_layer", site) ||
        !check_norm(o.eps, 0, o.in, "situ_layer_norm_layer", site) ||
        !situ_take_shape(&o.shape, SITU_SAY(".shape", "shape"), "situ_layer_norm_layer", site))
        return NULL;
    int64_t count = 1;
    for (int i = 0; i < o.shape.ndim; i++)
        if (o.shape.dim[i] < 1 || __builtin_mul_overflow(count, o.shape.dim[i], &count) ||
            (o.in && i == o.shape.ndim - 1 && o.in != count)) {
            situ_fail(SITU_BAD_OPTION, site,
                "situ_layer_norm_layer: " SITU_SAY(".shape", "shape") "'s sizes are at least 1, and multiply to " SITU_SAY(
                    ".in", "inputs") " where that is given, too");
            return NULL;
        }
    situ_module *m =
        situ_with_parameters(situ_layer(&layer_norm_kind, &o, sizeof o, site), (const char *[]){"weight", "bias", NULL});
    if (m && o.shape.ndim > 0)
        return situ_expected(m,
            situ_module_expect(m, 0, o.shape, &(const situ_module_use_options){.value = 1}) ||
                situ_module_expect(m, 1, o.shape, &(const situ_module_use_options){.value = 0}));
    return m && o.in ? situ_expected(m, expect_row(m, 0, o.in, 1, false) || expect_row(m, 1, o.in, 0, false)) : m;
}

typedef struct group_norm {
    int64_t groups; /* 0: one group for each channel */
    situ_group_norm_layer_options o;
} group_norm;

/* Group norm as a layer norm over the rows of the groups. */
static situ_tensor *forward_group_norm(situ_module *m, situ_tensor *x, void *self)
{
    const group_norm *l = self;
    situ_site site = situ_frame_now->site;
    if (!(x = situ_value_of(x, site)) || !enough(m, x, "[batch, channels, ...]")) return situ_poisoned();
    int64_t channels = x->dim[1], groups = l->groups ? l->groups : channels, size = channels / groups;
    situ_shape each = {.ndim = 1, .dim = {channels}};
    for (int i = 2; i < x->ndim; i++) {
        size *= x->dim[i];
        each.dim[each.ndim++] = 1;
    }
    if (channels % groups || !size) return situ_refuse_input(m, x, "channels in equal groups, with at least one element");
    situ_dtype dtype = (situ_dtype)x->dtype;
    situ_tensor *one = situ_ones(SHAPE(size), .dtype = dtype, .device = x->device),
                *zero = situ_zeros(SHAPE(size), .dtype = dtype, .device = x->device);
    situ_tensor *y = situ_reshape(
        situ_layer_norm(situ_reshape(x, SHAPE(x->dim[0], groups, size)), one, zero, .eps = l->o.eps), situ_shape_like(x));
    if (!l->o.affine) return y;
    situ_tensor *w = situ_module_use(m, 0, x, SHAPE(channels), .value = 1), *b = situ_module_use(m, 1, x, SHAPE(channels));
    return situ_error_code ? situ_poisoned() : situ_add(situ_mul(y, situ_reshape(w, each)), situ_reshape(b, each));
}

static const situ_module_kind group_norm_kind = {.name = "group_norm", .forward = forward_group_norm, .release = situ_free};
static const situ_module_kind instance_norm_kind = {.name = "instance_norm", .forward = forward_group_norm, .release = situ_free};

static situ_module *group_norm_of(const situ_module_kind *kind, group_norm l, const void *options, const char *name, situ_site site)
{
    if (situ_error_code || !SITU_TAKE_OPTIONS(l.o, options, name, site) || !check_norm(l.o.eps, 0, l.o.in, name, site)) return NULL;
    if (l.groups < 0 || (l.groups && l.o.in % l.groups)) {
        situ_fail(SITU_BAD_ARGUMENT, site, "%s: %lld groups of %lld channels; there is at least one, and all are equal", name,
            (long long)l.groups, (long long)l.o.in);
        return NULL;
    }
    situ_module *m = situ_with_parameters(
        situ_layer(kind, &l, sizeof l, site), l.o.affine ? (const char *[]){"weight", "bias", NULL} : (const char *[]){NULL});
    return m && l.o.in && l.o.affine ? situ_expected(m, expect_row(m, 0, l.o.in, 1, false) || expect_row(m, 1, l.o.in, 0, false)) :
                                       m;
}

situ_module *(situ_group_norm_layer)(int64_t count, const situ_group_norm_layer_options *options, situ_site site)
{
    SITU_SPEAK("situ_group_norm_layer", site);
    group_norm l = {.groups = count > 0 ? count : -1, .o = {SITU_DEFAULTS(SITU_GROUP_NORM_LAYER_DEFAULTS)}};
    return group_norm_of(&group_norm_kind, l, options, "situ_group_norm_layer", site);
}

situ_module *(situ_instance_norm_layer)(const situ_group_norm_layer_options *options, situ_site site)
{
    SITU_SPEAK("situ_instance_norm_layer", site);
    group_norm l = {.o = {SITU_DEFAULTS(SITU_INSTANCE_NORM_LAYER_DEFAULTS)}};
    return group_norm_of(&instance_norm_kind, l, options, "situ_instance_norm_layer", site);
}

static situ_tensor *forward_rms_norm(situ_module *m, situ_tensor *x, void *self)
{
    situ_site site = situ_frame_now->site;
    if (!(x = situ_value_of(x, site))) return situ_poisoned();
    if (!x->ndim || !x->dim[x->ndim - 1] || !situ_dtype_is_float((situ_dtype)x->dtype))
        return situ_refuse_input(m, x, "rows of at least 1 float");
    situ_tensor *w = situ_module_use(m, 0, x, SHAPE(x->dim[x->ndim - 1]), .value = 1);
    situ_tensor *wide = x->dtype == SITU_F64 ? x : situ_cast(x, SITU_F32); /* squares of halves do not overflow in f32 */
    double eps = ((const situ_rms_norm_layer_options *)self)->eps;
    situ_tensor *factor = situ_square_scale(situ_max(situ_abs(wide), .axes = AXES(-1), .keepdims = true), eps == 0, site);
    wide = situ_mul(wide, factor);
    situ_tensor *mean = situ_mean(situ_square(wide), .axes = AXES(-1), .keepdims = true);
    situ_tensor *y = situ_mul(wide, situ_rsqrt(eps > 0 ? situ_add(mean, situ_mul(situ_square(factor), eps)) : mean));
    return situ_error_code ? situ_poisoned() : situ_mul(situ_cast(y, (situ_dtype)x->dtype), w);
}

static const situ_module_kind rms_norm_kind = {.name = "rms_norm", .forward = forward_rms_norm, .release = situ_free};

situ_module *(situ_rms_norm_layer)(const situ_rms_norm_layer_options *options, situ_site site)
{
    SITU_SPEAK("situ_rms_norm_layer", site);
    situ_rms_norm_layer_options o = {SITU_DEFAULTS(SITU_RMS_NORM_LAYER_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_rms_norm_layer", site) ||
        !check_norm(o.eps, 0, o.in, "situ_rms_norm_layer", site))
        return NULL;
    situ_module *m = situ_with_parameters(situ_layer(&rms_norm_kind, &o, sizeof o, site), (const char *[]){"weight", NULL});
    return m && o.in ? situ_expected(m, expect_row(m, 0, o.in, 1, false)) : m;
}

/* ---- embedding --------------------------------------------------------------------------------------------------------------- */

typedef struct embedding {
    int64_t count, width;
} embedding;

static situ_tensor *forward_embedding(situ_module *m, situ_tensor *x, void *self)
{
    const embedding *l = self;
    situ_site site = situ_frame_now->site;
    if (!(x = situ_value_of(x, site))) return situ_poisoned();
    return situ_embedding(situ_module_use(m, 0, x, SHAPE(l->count, l->width), .bound = sqrt(3)), x);
}

static const situ_module_kind embedding_kind = {.name = "embedding", .forward = forward_embedding, .release = situ_free};

situ_module *situ_embedding_layer(int64_t count, int64_t width)
{
    SITU_SPEAK_AT("situ_embedding_layer");
    if (situ_error_code) return NULL;
    if (count > 0 && width > 0) {
        situ_module *m = situ_with_parameters(
            situ_layer(&embedding_kind, &(embedding){count, width}, sizeof(embedding), NULL), (const char *[]){"weight", NULL});
        return m ?
            situ_expected(m, situ_module_expect(m, 0, SHAPE(count, width), &(const situ_module_use_options){.bound = sqrt(3)})) :
            NULL;
    }
    situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_embedding_layer: %lld rows of %lld; there is at least 1 of each", (long long)count,
        (long long)width);
    return NULL;
}

typedef struct bag {
    int64_t count, width;
    situ_bag mode;
} bag;

static int forward_bag(situ_module *m, situ_list in, situ_tensor **out, void *self)
{
    const bag *l = self;
    situ_site site = situ_frame_now->site;
    situ_tensor *x = situ_value_of(in.tensor[0], site), *weights = in.count > 1 ? in.tensor[1] : NULL;
    char text[128], one[SITU_BRIEF_TEXT];
    if (!x) return -situ_error_code;
    if (x->ndim != 2 || !x->dim[1] || !situ_dtype_is_integer((situ_dtype)x->dtype)) {
        situ_refuse_input(m, x, "integers of [batch, n]");
        return -situ_error_code;
    }
    if (weights && (l->mode != SITU_BAG_SUM || !situ_shape_equal(weights->ndim, weights->dim, x->ndim, x->dim)))
        return situ_fail(SITU_BAD_SHAPE, site, "situ_module_call: %s takes weights like its indices, for sums; not %s",
            situ_module_text(m, text, sizeof text), situ_brief(weights, one));
    situ_tensor *some = situ_not_equal(x, -1), *there = situ_expand_dims(some, 2);
    situ_tensor *rows =
        situ_embedding(situ_module_use(m, 0, x, SHAPE(l->count, l->width), .bound = sqrt(3)), situ_where(some, x, 0));
    if (weights) rows = situ_mul(situ_where(there, rows, 0), situ_where(there, situ_expand_dims(weights, 2), 0));
    situ_tensor *many = situ_sum(situ_cast(there, SITU_F32), .axes = AXES(1));
    if (l->mode == SITU_BAG_MAX) {
        situ_tensor *most = situ_max(situ_where(there, rows, -INFINITY), .axes = AXES(1));
        out[0] = situ_where(situ_greater(many, 0), most, 0);
        return 1;
    }
    out[0] = situ_sum(situ_where(there, rows, 0), .axes = AXES(1));
    if (l->mode == SITU_BAG_MEAN) out[0] = situ_div(out[0], situ_maximum(many, 1));
    return 1;
}

static const situ_module_kind bag_kind = {
    .name = "embedding_bag", .forward_n = forward_bag, .release = situ_free, .inputs = "index, weights?"};

situ_module *(
    situ_embedding_bag_layer)(int64_t count, int64_t width, const situ_embedding_bag_layer_options *options, situ_site site)
{
    SITU_SPEAK("situ_embedding_bag_layer", site);
    situ_embedding_bag_layer_options o = {SITU_DEFAULTS(SITU_EMBEDDING_BAG_LAYER_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_embedding_bag_layer", site)) return NULL;
    if (count < 1 || width < 1 || (unsigned)o.mode > SITU_BAG_MAX) {
        situ_fail(SITU_BAD_ARGUMENT, site, "situ_embedding_bag_layer: %lld rows of %lld; there is at least 1 of each",
            (long long)count, (long long)width);
        return NULL;
    }
    situ_module *m = situ_with_parameters(
        situ_layer(&bag_kind, &(bag){count, width, o.mode}, sizeof(bag), site), (const char *[]){"weight", NULL});
    return m ? situ_expected(m, situ_module_expect(m, 0, SHAPE(count, width), &(const situ_module_use_options){.bound = sqrt(3)})) :
               NULL;
}
