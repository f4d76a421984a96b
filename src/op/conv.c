/* Convolution over the last two axes, [n, channels, height, width]. Its result is linear in both operands, so three
 * operations are closed under gradients: conv2d(x, w), conv2d_input(g, w) and conv2d_weight(x, g). Those of f16 and
 * bf16 are composites of them, which a device that multiplies halves may claim. */
#include "op/conv.h"

#include "op/host.h"
#include "op/precision.h"
#include "op/support.h"
#include "op/table.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static situ_tensor *apply(
    const situ_op *op, situ_tensor *a, situ_tensor *b, const situ_conv_attr *attr, const int64_t *size, situ_site site)
{
    situ_conv_attr own = *attr;
    own.size[0] = size ? size[0] : 0;
    own.size[1] = size ? size[1] : 0;
    return situ_apply(op, (situ_tensor *[]){a, b}, 2, &own, sizeof own, NULL, 0, site);
}

/* Number of positions of the kernel along an axis; 0: it does not fit. */
static int64_t places(const situ_conv_attr *a, int axis, int64_t image, int64_t kernel)
{
    int64_t capacity = image + a->before[axis] + a->after[axis] - (kernel - 1) * a->dilation[axis] - 1;
    return capacity < 0 ? 0 : capacity / a->stride[axis] + 1;
}

static int infer_conv(situ_infer *c)
{
    const situ_conv_attr *a = c->attr;
    const situ_tensor *x = c->in[0], *w = c->in[1];
    c->dtype = (situ_dtype)x->dtype;
    c->ndim = 4;
    c->dim[0] = x->dim[0];
    c->dim[1] = w->dim[0];
    for (int i = 0; i < 2; i++) c->dim[2 + i] = places(a, i, x->dim[2 + i], w->dim[2 + i]);
    return 0;
}

static int infer_input(situ_infer *c)
{
    const situ_conv_attr *a = c->attr;
    c->dtype = (situ_dtype)c->in[0]->dtype;
    c->ndim = 4;
    c->dim[0] = c->in[0]->dim[0];
    c->dim[1] = c->in[1]->dim[1] * a->groups;
    c->dim[2] = a->size[0];
    c->dim[3] = a->size[1];
    return 0;
}

static int infer_weight(situ_infer *c)
{
    const situ_conv_attr *a = c->attr;
    c->dtype = (situ_dtype)c->in[0]->dtype;
    c->ndim = 4;
    c->dim[0] = c->in[1]->dim[1];
    c->dim[1] = c->in[0]->dim[1] / a->groups;
    c->dim[2] = a->size[0];
    c->dim[3] = a->size[1];
    return 0;
}

situ_conv situ_conv_of(const situ_call_desc *c)
{
    const situ_conv_attr *a = c->attr;
    const situ_layout *x = &c->in[0], *w = &c->in[1], *y = &c->out;
    if (c->op == &situ_op_conv2d_input || c->op == &situ_op_conv2d_half_input) x = &c->out, y = &c->in[0];
    if (c->op == &situ_op_conv2d_weight || c->op == &situ_op_conv2d_half_weight) w = &c->out, y = &c->in[1];
    situ_conv p = {.n = x->dim[0], .channels = x->dim[1], .out_channels = y->dim[1], .groups = a->groups};
    for (int i = 0; i < 2; i++) {
        p.image[i] = x->dim[2 + i];
        p.kernel[i] = w->dim[2 + i];
        p.out[i] = y->dim[2 + i];
        p.stride[i] = a->stride[i];
        p.before[i] = a->before[i];
        p.dilation[i] = a->dilation[i];
    }
    p.group_in = p.channels / p.groups;
    p.group_out = p.out_channels / p.groups;
    return p;
}

situ_tensor *situ_conv_apply(
    const situ_op *op, situ_tensor *a, situ_tensor *b, const situ_conv_attr *attr, const int64_t *size, situ_site site)
{
    situ_conv_attr own = *attr;
    uint8_t low = situ_precision_of(a);
    if (low) {
        own.precision = low;
        a = situ_rounded(a, low, site);
        b = situ_rounded(b, low, site);
    }
    return apply(op, a, b, &own, size, site);
}

static int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }

enum { MOST_PLACES = 512 };

/* True for few output positions and many weights: then it is a product of y with the input windows, whose sums have a
 * single lane. */
static bool is_product(const situ_conv *p)
{
    enum { FEW = 256, MANY = 1 << 17 };
    return p->groups == 1 && p->out[0] * p->out[1] <= FEW && p->out_channels * p->group_in * p->kernel[0] * p->kernel[1] >= MANY;
}

situ_conv_order situ_conv_order_of(const situ_conv *p, bool doubles)
{
    if (is_product(p) && p->n) {
        int64_t places = p->out[0] * p->out[1], batch = parts(MOST_PLACES, places ? places : 1);
        batch = parts(p->n, parts(p->n, batch));
        return (situ_conv_order){.lanes = 1, .pitch = p->out[1], .vectors = places, .batch = batch, .chunk = p->n, .chunks = 1};
    }
    enum { MOST_CHUNKS = 16, LEAST_CHUNKS = 4, CHUNK_VECTORS = 256, MOST_PARTIALS = 1 << 22, BATCH_BYTES = 640 << 10 };
    situ_conv_order o = {.lanes = doubles ? 4 : 8, .batch = 1, .chunk = 1, .chunks = 1};
    int64_t phases = 1, rows = p->out[0] + (p->kernel[0] - 1) * p->dilation[0] / p->stride[0];
    int64_t pitch = p->out[1] + (p->kernel[1] - 1) * p->dilation[1] / p->stride[1];
    bool in_place = p->out[1] % o.lanes == 0; /* whole rows are whole vectors, so y is read in place */
    for (int i = 0; i < 2; i++) {
        int64_t reach = (p->kernel[i] - 1) * p->dilation[i] + 1;
        phases *= reach < p->stride[i] ? reach : p->stride[i];
    }
    o.pitch = in_place ? p->out[1] : pitch;
    o.vectors = parts(p->out[0] * o.pitch, o.lanes);
    int64_t image = p->group_in * phases * rows * pitch + SITU_CONV_SLACK;
    int64_t y = in_place ? 0 : p->group_out * (p->out[0] + o.lanes / pitch + 1) * pitch + SITU_CONV_SLACK;
    int64_t result = p->out_channels * p->group_in * p->kernel[0] * p->kernel[1];
    int64_t vectors = o.vectors * p->n, most = MOST_PARTIALS / (result + 1), chunks = vectors / CHUNK_VECTORS;
    if (chunks < LEAST_CHUNKS) chunks = LEAST_CHUNKS;
    if (chunks > MOST_CHUNKS) chunks = MOST_CHUNKS;
    if (chunks > most) chunks = most;
    if (chunks > p->n) chunks = p->n;
    if (chunks < 1) chunks = 1;
    if (!p->n) return o;
    o.chunk = parts(p->n, chunks);
    o.chunks = parts(p->n, o.chunk);
    int64_t bytes = (image + y) * (doubles ? 8 : 4);
    o.batch = bytes > BATCH_BYTES ? 1 : BATCH_BYTES / bytes;
    if (o.batch > o.chunk) o.batch = o.chunk;
    o.batch = parts(o.chunk, parts(o.chunk, o.batch)); /* chunks as equal as possible */
    return o;
}

/* ---- reference implementations: one kernel element at a time ----------------------------------------------------------------- */

typedef struct work {
    situ_conv p;
    char *out;
    const char *a, *b;
} work;

/* Runs BODY for each element (tap) of the kernel between input channel c and output channel o of image n, with `image`
 * (x's plane), `plane` (y's), `tap` (w's element), and the range of output positions. */
#define EACH_TAP(X, Y, W, BODY) \
    for (int64_t i = 0; i < p->kernel[0]; i++) \
        for (int64_t j = 0; j < p->kernel[1]; j++) { \
            int64_t top, bottom, left, right; \
            situ_conv_range(p, 0, i, &top, &bottom); \
            situ_conv_range(p, 1, j, &left, &right); \
            int64_t area = p->image[0] * p->image[1], places = p->out[0] * p->out[1]; \
            X + (n * p->channels + c) * area + (i * p->dilation[0] - p->before[0]) * p->image[1] + j * p->dilation[1] - \
                p->before[1]; \
            Y + (n * p->out_channels + o) * places; \
            W + ((o * p->group_in + c % p->group_in) * p->kernel[0] + i) * p->kernel[1] + j; \
            for (int64_t h = top; h < bottom; h++) \
                for (int64_t v = left; v < right; v++) BODY; \
        }
#define X_AT image[h * p->stride[0] * p->image[1] + v * p->stride[1]]
#define Y_AT plane[h * p->out[1] + v]

#define REFERENCES(type) \
    static void value_##type(void *context, int64_t n) \
    { \
        const work *k = context; \
        const situ_conv *p = &k->p; \
        int64_t size = p->out_channels * p->out[0] * p->out[1]; \
        memset(k->out + (size_t)(n * size) * sizeof(type), 0, (size_t)size * sizeof(type)); \
        for (int64_t o = 0; o < p->out_channels; o++) \
            for (int64_t c = o / p->group_out * p->group_in, end = c + p->group_in; c < end; c++) { \
                const type *x = (const void *)k->a, *w = (const void *)k->b; \
                type *y = (void *)k->out; \
                EACH_TAP(const type *image = x, type *plane = y, const type *tap = w, Y_AT += X_AT * *tap) \
            } \
    } \
    static void input_##type(void *context, int64_t n) \
    { \
        const work *k = context; \
        const situ_conv *p = &k->p; \
        int64_t size = p->channels * p->image[0] * p->image[1]; \
        memset(k->out + (size_t)(n * size) * sizeof(type), 0, (size_t)size * sizeof(type)); \
        for (int64_t o = 0; o < p->out_channels; o++) \
            for (int64_t c = o / p->group_out * p->group_in, end = c + p->group_in; c < end; c++) { \
                const type *y = (const void *)k->a, *w = (const void *)k->b; \
                type *x = (void *)k->out; \
                EACH_TAP(type *image = x, const type *plane = y, const type *tap = w, X_AT += Y_AT * *tap) \
            } \
    } \
    static void weight_##type(void *context, int64_t o) \
    { \
        const work *k = context; \
        const situ_conv *p = &k->p; \
        int64_t size = p->group_in * p->kernel[0] * p->kernel[1]; \
        memset(k->out + (size_t)(o * size) * sizeof(type), 0, (size_t)size * sizeof(type)); \
        for (int64_t n = 0; n < p->n; n++) \
            for (int64_t c = o / p->group_out * p->group_in, end = c + p->group_in; c < end; c++) { \
                const type *x = (const void *)k->a, *y = (const void *)k->b; \
                type *w = (void *)k->out; \
                EACH_TAP(const type *image = x, const type *plane = y, type *tap = w, *tap += X_AT * Y_AT) \
            } \
    }
REFERENCES(float)
REFERENCES(double)

static void host_conv(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    work k = {situ_conv_of(c), address[0], address[1], address[2]};
    situ_host_for(h, c->out.dtype == SITU_F32 ? value_float : value_double, &k, k.p.n);
}

static void host_input(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    work k = {situ_conv_of(c), address[0], address[1], address[2]};
    situ_host_for(h, c->out.dtype == SITU_F32 ? input_float : input_double, &k, k.p.n);
}

static void host_weight(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    work k = {situ_conv_of(c), address[0], address[1], address[2]};
    situ_host_for(h, c->out.dtype == SITU_F32 ? weight_float : weight_double, &k, k.p.out_channels);
}

static double flops_conv(const situ_call_desc *c)
{
    situ_conv p = situ_conv_of(c);
    return 2.0 * (double)(p.n * p.out_channels * p.out[0] * p.out[1]) * (double)(p.group_in * p.kernel[0] * p.kernel[1]);
}

/* ---- gradients: each is linear in both operands --------------------------------------------------------------------------- */

typedef struct trio {
    const situ_op *value, *input, *weight;
} trio;

static trio trio_of(const situ_op *op)
{
    if (op->family == SITU_COMPOSITE) return (trio){&situ_op_conv2d_half, &situ_op_conv2d_half_input, &situ_op_conv2d_half_weight};
    return (trio){&situ_op_conv2d, &situ_op_conv2d_input, &situ_op_conv2d_weight};
}

static void vjp_conv(situ_vjp *c)
{
    const situ_conv_attr *a = situ_node_attr(c->y);
    const trio op = trio_of(c->y->op);
    situ_tensor *g = a->precision ? situ_rounded(c->g, (uint8_t)a->precision, c->site) : c->g;
    if (c->need[0]) c->out[0] = apply(op.input, g, c->in[1], a, c->in[0]->dim + 2, c->site);
    if (c->need[1]) c->out[1] = apply(op.weight, c->in[0], g, a, c->in[1]->dim + 2, c->site);
}

static void vjp_input(situ_vjp *c)
{
    const situ_conv_attr *a = situ_node_attr(c->y);
    const trio op = trio_of(c->y->op);
    situ_tensor *g = a->precision ? situ_rounded(c->g, (uint8_t)a->precision, c->site) : c->g;
    if (c->need[0]) c->out[0] = apply(op.value, g, c->in[1], a, NULL, c->site);
    if (c->need[1]) c->out[1] = apply(op.weight, g, c->in[0], a, c->in[1]->dim + 2, c->site);
}

static void vjp_weight(situ_vjp *c)
{
    const situ_conv_attr *a = situ_node_attr(c->y);
    const trio op = trio_of(c->y->op);
    situ_tensor *g = a->precision ? situ_rounded(c->g, (uint8_t)a->precision, c->site) : c->g;
    if (c->need[0]) c->out[0] = apply(op.input, c->in[1], g, a, c->in[0]->dim + 2, c->site);
    if (c->need[1]) c->out[1] = apply(op.value, c->in[0], g, a, NULL, c->site);
}

/* Halves are summed in f32 and rounded once. */
static situ_tensor *expand(const situ_op *op, situ_tensor *const *in, const situ_conv_attr *a, situ_site site)
{
    situ_tensor *y = apply(op, situ_cast(in[0], SITU_F32), situ_cast(in[1], SITU_F32), a, a->size, site);
    return situ_cast(y, (situ_dtype)in[0]->dtype);
}

#define CONV(id, names, what) \
    const situ_op situ_op_##id = {.name = #id, \
        .family = SITU_CALL, \
        .operands = names, \
        .infer = infer_##what, \
        .vjp = vjp_##what, \
        .reads = {SITU_READS_B, SITU_READS_A}, \
        .host = host_##what, \
        .flops = flops_conv};
CONV(conv2d, "x, w", conv)
CONV(conv2d_input, "gradient, w", input)
CONV(conv2d_weight, "x, gradient", weight)

#define HALF_CONV(id, names, what, of) \
    static situ_tensor *expand_##what(situ_tensor *const *in, int nin, const void *attr, situ_site site) \
    { \
        (void)nin; \
        return expand(&situ_op_##of, in, attr, site); \
    } \
    const situ_op situ_op_##id = {.name = #id, \
        .family = SITU_COMPOSITE, \
        .operands = names, \
        .infer = infer_##what, \
        .vjp = vjp_##what, \
        .reads = {SITU_READS_B, SITU_READS_A}, \
        .expand = expand_##what, \
        .flops = flops_conv};
HALF_CONV(conv2d_half, "x, w", conv, conv2d)
HALF_CONV(conv2d_half_input, "gradient, w", input, conv2d_input)
HALF_CONV(conv2d_half_weight, "x, gradient", weight, conv2d_weight)

/* ---- public functions ------------------------------------------------------------------------------------------------------ */

bool situ_conv_fits(
    const situ_tensor *x, const situ_tensor *w, int axes, int64_t groups, bool transposed, const char *operation, situ_site site)
{
    static const char *const sizes[SITU_WINDOW_AXES] = {"length", "height, width", "depth, height, width"};
    char left[SITU_BRIEF_TEXT], right[SITU_BRIEF_TEXT];
    situ_brief(x, left);
    situ_brief(w, right);
    if (groups < 1) {
        situ_fail(SITU_BAD_OPTION, site, "%s: " SITU_SAY(".groups", "groups") " = %lld; there is at least 1", operation,
            (long long)groups);
        return false;
    }
    if (situ_is_number(x) || situ_is_number(w) || x->ndim != axes + 2 || w->ndim != axes + 2) {
        situ_fail(SITU_BAD_SHAPE, site,
            "%s: x %s and w %s must be [n, channels, %s] and [%s, %s]; " SITU_SAY(
                "situ_expand_dims", "situ.expand_dims") " adds an axis of 1",
            operation, left, right, sizes[axes - 1], transposed ? "channels, out / groups" : "out, channels / groups",
            sizes[axes - 1]);
        return false;
    }
    int64_t taken = transposed ? w->dim[0] : w->dim[1] * groups;
    if (x->dim[1] != taken || w->dim[0] % groups)
        situ_fail(SITU_BAD_SHAPE, site,
            "%s: x %s has %lld channels; w %s with " SITU_SAY(
                ".groups", "groups") " = %lld takes %lld, and its first axis must be a multiple of the groups",
            operation, left, (long long)x->dim[1], right, (long long)groups, (long long)taken);
    else if (situ_dtype_is_complex(situ_dtype_promote((situ_dtype)x->dtype, (situ_dtype)w->dtype)))
        situ_fail(SITU_BAD_DTYPE, site,
            "%s: x %s and w %s are complex; take " SITU_SAY(
                "situ_real and situ_imag", "situ.real and situ.imag") " of each, and add up four convolutions",
            operation, left, right);
    else if (!situ_dtype_is_float(situ_dtype_promote((situ_dtype)x->dtype, (situ_dtype)w->dtype)))
        situ_fail(SITU_BAD_DTYPE, site,
            "%s: x %s and w %s are no floats; write " SITU_SAY("situ_cast(x, SITU_F32)", "x.astype(\"float32\")"), operation, left,
            right);
    else return true;
    return false;
}

/* Checks that the kernel is not empty and fits into the image. same: bit mask of axes whose padding follows from the
 * kernel. */
static bool kernel_fits(
    const situ_tensor *x, const situ_tensor *w, situ_window *k, unsigned same, const char *operation, situ_site site)
{
    char left[SITU_BRIEF_TEXT], right[SITU_BRIEF_TEXT];
    for (int i = 0; i < k->n; i++) {
        k->size[i] = w->dim[2 + i];
        if (!k->size[i]) {
            situ_fail(SITU_BAD_SHAPE, site, "%s: the kernel of w %s has no elements", operation, situ_brief(w, right));
            return false;
        }
        if (same >> i & 1) situ_same_padding(k, i);
        if (situ_window_positions(k, i, x->dim[2 + i])) continue;
        situ_fail(SITU_BAD_SHAPE, site,
            "%s: the kernel of w %s does not fit into x %s; more " SITU_SAY(".padding", "padding") " makes room", operation,
            situ_brief(w, right), situ_brief(x, left));
        return false;
    }
    return true;
}

bool situ_take_conv(situ_tensor *x, situ_tensor *w, const situ_conv_options *options, situ_window *k, int64_t *groups,
    const char *operation, situ_site site)
{
    situ_conv_options o = {SITU_DEFAULTS(SITU_CONV_DEFAULTS)};
    if (!situ_together((situ_tensor *[]){x, w}, 2, operation, "x, w", site) || !SITU_TAKE_OPTIONS(o, options, operation, site))
        return false;
    unsigned same = situ_same_axes(&o.padding, k->n);
    if (!situ_take_window(k, o.stride, o.padding, o.dilation, operation, site) ||
        !situ_conv_fits(x, w, k->n, *groups = o.groups, false, operation, site))
        return false;
    for (int i = 0; i < k->n; i++)
        if (same >> i & 1 && k->stride[i] != 1) return situ_refuse_same(operation, site);
    return kernel_fits(x, w, k, same, operation, site);
}

situ_conv_attr situ_conv_attr_of(const situ_window *k, int64_t groups)
{
    situ_conv_attr a = {.groups = groups, .stride = {1, 1}, .dilation = {1, 1}, .size = {1, 1}};
    for (int to = 1, from = k->n - 1; to >= 0 && from >= 0; to--, from--) {
        a.stride[to] = k->stride[from];
        a.before[to] = k->padding[from];
        a.after[to] = k->padding[from] + k->more[from];
        a.dilation[to] = k->dilation[from];
    }
    return a;
}

static situ_tensor *convolve(situ_tensor *x, situ_tensor *w, const situ_window *k, int64_t groups, situ_site site)
{
    situ_conv_attr a = situ_conv_attr_of(k, groups);
    situ_dtype dtype = situ_dtype_promote((situ_dtype)x->dtype, (situ_dtype)w->dtype);
    return situ_conv_apply(situ_dtype_compute(dtype) == dtype ? &situ_op_conv2d : &situ_op_conv2d_half, situ_cast(x, dtype),
        situ_cast(w, dtype), &a, NULL, site);
}

situ_tensor *(situ_conv2d)(situ_tensor *x, situ_tensor *w, const situ_conv_options *options, situ_site site)
{
    SITU_SPEAK("conv2d", site);
    situ_window k = {.n = 2};
    int64_t groups;
    return situ_take_conv(x, w, options, &k, &groups, "conv2d", site) ? convolve(x, w, &k, groups, site) : situ_poisoned();
}

situ_tensor *(situ_conv1d)(situ_tensor *x, situ_tensor *w, const situ_conv_options *options, situ_site site)
{
    SITU_SPEAK("conv1d", site);
    situ_window k = {.n = 1};
    int64_t groups;
    if (!situ_take_conv(x, w, options, &k, &groups, "conv1d", site)) return situ_poisoned();
    return situ_squeeze(convolve(situ_expand_dims(x, 2), situ_expand_dims(w, 2), &k, groups, site), .axes = AXES(2));
}
