/* Layers over windows of the last one to three axes: convolution and its transpose, pooling, upsampling, windows as
 * columns. */
#include <math.h>
#include <situ/window.h>

#include "base/memory.h"
#include "nn/module.h"
#include "op/pool.h"
#include "op/window.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Description of the input of a layer over n axes, for messages. */
static const char *const image[SITU_WINDOW_AXES] = {
    "[batch, channels, length]", "[batch, channels, height, width]", "[batch, channels, depth, height, width]"};

/* Takes one number, or one for each of n axes, and checks it as the function will, so that mistakes are found when the
 * layer is made. */
static bool take(
    situ_shape *given, int n, int64_t least, const situ_shape *otherwise, const char *option, const char *name, situ_site site)
{
    int64_t each[SITU_WINDOW_AXES];
    if (!situ_take_each(*given, n, least, otherwise ? otherwise->dim : NULL, each, option, name, site)) return false;
    *given = (situ_shape){.ndim = n};
    for (int i = 0; i < n; i++) given->dim[i] = each[i];
    return true;
}

#define TAKE(option, least, otherwise) take(&l.o.option, l.n, least, otherwise, SITU_SAY("." #option, #option), name, site)

/* ---- convolution ------------------------------------------------------------------------------------------------------------ */

typedef struct conv {
    int64_t out;
    int n;
    bool transposed;
    situ_shape size;
    situ_conv_transpose_layer_options o; /* convolutions use all fields but .output_padding */
    situ_pad_mode mode;
    unsigned same; /* bit mask of axes with padding "same" */
} conv;

/* Shape of the weight for a number of channels, a multiple of the groups; *bound: the range of the initial values. */
static situ_shape weight_shape(const conv *l, int64_t channels, double *bound)
{
    int64_t each = (l->transposed ? l->out : channels) / l->o.groups;
    double products = (double)each; /* in double, because invalid sizes may overflow */
    situ_shape shape = {.ndim = l->n + 2, .dim = {l->transposed ? channels : l->out, each}};
    for (int i = 0; i < l->n; i++) products *= (double)(shape.dim[i + 2] = l->size.dim[i]);
    *bound = 1 / sqrt(products);
    return shape;
}

/* Pads x, if the padding is not zeros, which the convolution itself adds. */
static situ_tensor *padded(const conv *l, situ_tensor *x, situ_site site)
{
    situ_shape before = {.ndim = l->n + 2}, after = before;
    situ_window w = {.n = l->n};
    for (int i = 0; i < l->n; i++) {
        w.size[i] = l->size.dim[i];
        w.dilation[i] = l->o.dilation.dim[i];
        w.padding[i] = l->o.padding.dim[i];
        if (l->same >> i & 1) situ_same_padding(&w, i);
        before.dim[i + 2] = w.padding[i];
        after.dim[i + 2] = w.padding[i] + w.more[i];
    }
    return situ_pad(x, before, after, .mode = l->mode);
}

static situ_tensor *convolved(const conv *l, situ_tensor *x, situ_tensor *w, situ_site site)
{
    static situ_tensor *(*const forward[])(situ_tensor *, situ_tensor *, const situ_conv_options *, situ_site) = {
        (situ_conv1d), (situ_conv2d), (situ_conv3d)};
    static situ_tensor *(*const transposed[])(situ_tensor *, situ_tensor *, const situ_conv_transpose_options *, situ_site) = {
        (situ_conv_transpose1d), (situ_conv_transpose2d), (situ_conv_transpose3d)};
    situ_shape padding = l->o.padding;
    for (int i = 0; i < l->n; i++)
        if (l->mode) padding.dim[i] = 0;
        else if (l->same >> i & 1) padding.dim[i] = SITU_SAME;
    if (l->mode) x = padded(l, x, site);
    if (!l->transposed)
        return forward[l->n - 1](x, w,
            &(const situ_conv_options){.unnamed = SITU_NAMED,
                .size = sizeof(situ_conv_options),
                .stride = l->o.stride,
                .padding = padding,
                .dilation = l->o.dilation,
                .groups = l->o.groups},
            site);
    return transposed[l->n - 1](x, w,
        &(const situ_conv_transpose_options){.unnamed = SITU_NAMED,
            .size = sizeof(situ_conv_transpose_options),
            .stride = l->o.stride,
            .padding = l->o.padding,
            .dilation = l->o.dilation,
            .output_padding = l->o.output_padding,
            .groups = l->o.groups},
        site);
}

static situ_tensor *forward_conv(situ_module *m, situ_tensor *x, void *self)
{
    const conv *l = self;
    situ_site site = situ_frame_now->site;
    double bound;
    if (!(x = situ_value_of(x, site))) return situ_poisoned();
    if (x->ndim != l->n + 2 || !x->dim[1]) return situ_refuse_input(m, x, image[l->n - 1]);
    if (x->dim[1] % l->o.groups) return situ_refuse_input(m, x, "channels in equal groups");
    situ_shape shape = weight_shape(l, x->dim[1], &bound), each = {.ndim = l->n + 1, .dim = {l->out, 1, 1, 1}};
    situ_tensor *y = convolved(l, x, situ_module_use(m, 0, x, shape, .bound = bound), site);
    return l->o.bias ? situ_add(y, situ_reshape(situ_module_use(m, 1, x, SHAPE(l->out), .bound = bound), each)) : y;
}

static bool take_conv_options(conv *l, const void *options, const char *name, situ_site site)
{
    if (l->transposed) return SITU_TAKE_OPTIONS(l->o, options, name, site);
    situ_conv_layer_options o = {SITU_DEFAULTS(SITU_CONV_LAYER_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, name, site)) return false;
    l->o.bias = o.bias, l->o.stride = o.stride, l->o.padding = o.padding, l->o.dilation = o.dilation;
    l->o.groups = o.groups, l->o.in = o.in, l->mode = o.padding_mode;
    l->same = situ_same_axes(&l->o.padding, l->n);
    if ((unsigned)l->mode <= SITU_PAD_CIRCULAR) return true;
    situ_fail(SITU_BAD_OPTION, site,
        "%s: " SITU_SAY(".padding_mode", "padding_mode") " = %d; it is constant, reflect, edge or circular: 0 to 3", name,
        (int)l->mode);
    return false;
}

static situ_module *conv_layer(const situ_module_kind *kind, conv l, const void *options, const char *name, situ_site site)
{
    if (situ_error_code || !take_conv_options(&l, options, name, site) ||
        !take(&l.size, l.n, 1, NULL, "the size of the kernel", name, site) || !TAKE(stride, 1, NULL) || !TAKE(padding, 0, NULL) ||
        !TAKE(dilation, 1, NULL) || !TAKE(output_padding, 0, NULL))
        return NULL;
    for (int i = 0; i < l.n; i++)
        if (l.same >> i & 1 && l.o.stride.dim[i] != 1) return situ_refuse_same(name, site), NULL;
    int64_t groups = l.o.groups;
    if (l.out < 1 || groups < 1 || l.o.in < 0 || l.o.in % groups || l.out % groups) {
        situ_fail(SITU_BAD_ARGUMENT, site,
            "%s: %lld outputs, %lld inputs (0: as the first one has), " SITU_SAY(
                ".groups", "groups") " = %lld; there is at least "
                                     "one output and one group, and both are in equal groups",
            name, (long long)l.out, (long long)l.o.in, (long long)groups);
        return NULL;
    }
    situ_module *m =
        situ_with_parameters(situ_layer(kind, &l, sizeof l, site), (const char *[]){"weight", l.o.bias ? "bias" : NULL, NULL});
    situ_module_use_options u = {.bound = 0};
    situ_shape shape = weight_shape(&l, l.o.in, &u.bound);
    if (!m || !l.o.in) {
        situ_module_sizes(m, 0, shape);
        situ_module_sizes(m, 1, SHAPE(l.out));
        return m;
    }
    return situ_expected(m, situ_module_expect(m, 0, shape, &u) || (l.o.bias && situ_module_expect(m, 1, SHAPE(l.out), &u)));
}

#define CONV(id, axes, is_transposed, type) \
    situ_module *(situ_##id##_layer)(int64_t out, situ_shape size, const type *options, situ_site site) \
    { \
        SITU_SPEAK("situ_" #id "_layer", site); \
        static const situ_module_kind kind = {.name = #id, .forward = forward_conv, .release = situ_free}; \
        conv l = {.out = out, \
            .n = axes, \
            .transposed = is_transposed, \
            .size = size, \
            .o = {SITU_DEFAULTS(SITU_CONV_TRANSPOSE_LAYER_DEFAULTS)}}; \
        return conv_layer(&kind, l, options, "situ_" #id "_layer", site); \
    }
CONV(conv1d, 1, false, situ_conv_layer_options)
CONV(conv2d, 2, false, situ_conv_layer_options)
CONV(conv3d, 3, false, situ_conv_layer_options)
CONV(conv_transpose1d, 1, true, situ_conv_transpose_layer_options)
CONV(conv_transpose2d, 2, true, situ_conv_transpose_layer_options)
CONV(conv_transpose3d, 3, true, situ_conv_transpose_layer_options)

/* ---- pools ------------------------------------------------------------------------------------------------------------------ */

typedef struct pool {
    int n;
    bool mean;
    situ_shape size;
    situ_pool_options o;
} pool;

static situ_module *pool_layer(const situ_module_kind *kind, pool l, const void *options, const char *name, situ_site site)
{
    if (situ_error_code || !situ_take_pool_options(&l.o, options, l.mean, name, site) ||
        !take(&l.size, l.n, 1, NULL, "the size of windows", name, site) || !TAKE(stride, 1, &l.size) || !TAKE(padding, 0, NULL) ||
        !TAKE(dilation, 1, NULL))
        return NULL;
    return situ_layer(kind, &l, sizeof l, site);
}

#define POOL(id, axes, is_mean, type, ...) \
    static situ_tensor *forward_##id(situ_module *m, situ_tensor *x, void *self) \
    { \
        const pool *l = self; \
        situ_site site = situ_frame_now->site; \
        (void)m; \
        return situ_##id(x, l->size, .stride = l->o.stride, .padding = l->o.padding, .ceil = l->o.ceil, __VA_ARGS__); \
    } \
    situ_module *(situ_##id##_layer)(situ_shape size, const type *options, situ_site site) \
    { \
        SITU_SPEAK("situ_" #id "_layer", site); \
        static const situ_module_kind kind = {.name = #id, .forward = forward_##id, .release = situ_free}; \
        pool l = {.n = axes, .mean = is_mean, .size = size}; \
        return pool_layer(&kind, l, options, "situ_" #id "_layer", site); \
    }
POOL(max_pool1d, 1, false, situ_max_pool_options, .dilation = l->o.dilation)
POOL(max_pool2d, 2, false, situ_max_pool_options, .dilation = l->o.dilation)
POOL(max_pool3d, 3, false, situ_max_pool_options, .dilation = l->o.dilation)
POOL(avg_pool1d, 1, true, situ_avg_pool_options, .count_padding = l->o.count_padding)
POOL(avg_pool2d, 2, true, situ_avg_pool_options, .count_padding = l->o.count_padding)
POOL(avg_pool3d, 3, true, situ_avg_pool_options, .count_padding = l->o.count_padding)

#define ADAPTIVE(id, axes) \
    static situ_tensor *forward_adaptive_##id(situ_module *m, situ_tensor *x, void *self) \
    { \
        (void)m; \
        return (situ_adaptive_##id)(x, *(const situ_shape *)self, situ_frame_now->site); \
    } \
    situ_module *situ_adaptive_##id##_layer(situ_shape size) \
    { \
        SITU_SPEAK_AT("situ_adaptive_" #id "_layer"); \
        static const situ_module_kind kind = {.name = "adaptive_" #id, .forward = forward_adaptive_##id, .release = situ_free}; \
        if (situ_error_code || !take(&size, axes, 1, NULL, "the size of results", "situ_adaptive_" #id "_layer", NULL)) \
            return NULL; \
        return situ_layer(&kind, &size, sizeof size, NULL); \
    }
ADAPTIVE(max_pool1d, 1)
ADAPTIVE(max_pool2d, 2)
ADAPTIVE(max_pool3d, 3)
ADAPTIVE(avg_pool1d, 1)
ADAPTIVE(avg_pool2d, 2)
ADAPTIVE(avg_pool3d, 3)

/* ---- upsampling ------------------------------------------------------------------------------------------------------------- */

typedef struct upsample {
    situ_shape factor;
    situ_interpolate_options o;
} upsample;

static situ_tensor *forward_upsample(situ_module *m, situ_tensor *x, void *self)
{
    const upsample *l = self;
    situ_site site = situ_frame_now->site;
    if (!(x = situ_value_of(x, site))) return situ_poisoned();
    situ_shape size = {.ndim = x->ndim - 2};
    if (size.ndim < 1 || (l->factor.ndim > 1 && l->factor.ndim != size.ndim))
        return situ_refuse_input(m, x, "[batch, channels, ...] with as many axes more as it has factors");
    for (int i = 0; i < size.ndim; i++)
        if (__builtin_mul_overflow(x->dim[i + 2], l->factor.dim[l->factor.ndim > 1 ? i : 0], &size.dim[i]))
            return situ_refuse_input(m, x, "axes that are small enough for its factors");
    return situ_interpolate(x, size, .mode = l->o.mode, .align_corners = l->o.align_corners);
}

static const situ_module_kind upsample_kind = {.name = "upsample", .forward = forward_upsample, .release = situ_free};

situ_module *(situ_upsample_layer)(situ_shape scale_factor, const situ_interpolate_options *options, situ_site site)
{
    static const char name[] = "situ_upsample_layer";
    SITU_SPEAK(name, site);
    upsample l = {.factor = scale_factor, .o = {SITU_DEFAULTS(SITU_INTERPOLATE_DEFAULTS)}};
    int n = scale_factor.ndim > 1 && scale_factor.ndim <= SITU_WINDOW_AXES ? (int)scale_factor.ndim : 1;
    if (situ_error_code || !SITU_TAKE_OPTIONS(l.o, options, name, site) ||
        !take(&l.factor, n, 1, NULL, SITU_SAY("the factor", "scale_factor"), name, site))
        return NULL;
    bool between = l.o.mode == SITU_LINEAR || l.o.mode == SITU_CUBIC;
    if ((unsigned)l.o.mode <= SITU_CUBIC && (between || !l.o.align_corners)) return situ_layer(&upsample_kind, &l, sizeof l, site);
    situ_fail(SITU_BAD_OPTION, site,
        "situ_upsample_layer: " SITU_SAY(".mode", "mode") " = %d with " SITU_SAY(
            ".align_corners", "align_corners") " = %d; corners are aligned by linear and cubic interpolation, 2 and 3",
        (int)l.o.mode, (int)l.o.align_corners);
    return NULL;
}

/* ---- windows as columns ----------------------------------------------------------------------------------------------------- */

typedef struct columns {
    int n;
    situ_shape image, window;
    situ_window_options o;
} columns;

static situ_tensor *forward_unfold(situ_module *m, situ_tensor *x, void *self)
{
    const columns *l = self;
    situ_site site = situ_frame_now->site;
    (void)m;
    return situ_unfold(x, l->window, .stride = l->o.stride, .padding = l->o.padding, .dilation = l->o.dilation);
}

static situ_tensor *forward_fold(situ_module *m, situ_tensor *x, void *self)
{
    const columns *l = self;
    situ_site site = situ_frame_now->site;
    (void)m;
    return situ_fold(x, l->image, l->window, .stride = l->o.stride, .padding = l->o.padding, .dilation = l->o.dilation);
}

static const situ_module_kind unfold_kind = {.name = "unfold", .forward = forward_unfold, .release = situ_free};
static const situ_module_kind fold_kind = {.name = "fold", .forward = forward_fold, .release = situ_free};

static situ_module *columns_layer(const situ_module_kind *kind, columns l, const void *options, const char *name, situ_site site)
{
    if (situ_error_code || !SITU_TAKE_OPTIONS(l.o, options, name, site) ||
        !take(&l.window, 2, 1, NULL, "the size of windows", name, site) || !TAKE(stride, 1, NULL) || !TAKE(padding, 0, NULL) ||
        !TAKE(dilation, 1, NULL) || !take(&l.image, 2, 1, NULL, "the size of images", name, site))
        return NULL;
    return situ_layer(kind, &l, sizeof l, site);
}

situ_module *(situ_unfold_layer)(situ_shape window, const situ_window_options *options, situ_site site)
{
    SITU_SPEAK("situ_unfold_layer", site);
    columns l = {.n = 2, .image = SHAPE(1), .window = window, .o = {SITU_DEFAULTS(SITU_WINDOW_DEFAULTS)}};
    return columns_layer(&unfold_kind, l, options, "situ_unfold_layer", site);
}

situ_module *(situ_fold_layer)(situ_shape image_size, situ_shape window, const situ_window_options *options, situ_site site)
{
    SITU_SPEAK("situ_fold_layer", site);
    columns l = {.n = 2, .image = image_size, .window = window, .o = {SITU_DEFAULTS(SITU_WINDOW_DEFAULTS)}};
    return columns_layer(&fold_kind, l, options, "situ_fold_layer", site);
}
