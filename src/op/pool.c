/* Pooling over the last two axes. The largest element of a window is its first NaN or the first of the largest.
 *
 * max_pool2d(x) = max_take(x, x): the elements of the second operand at the places of the first one's largest. max_put is
 * the reverse of max_take, avg_spread that of avg_pool2d: so gradients of any order are among these. */
#include "op/pool.h"

#include "op/host.h"
#include "op/support.h"
#include "op/table.h"
#include "op/window.h"
/* last */
#include "op/here.h"

static int64_t places(const situ_pool_attr *a, int axis, int64_t image)
{
    int64_t room = image + 2 * a->before[axis] - a->size[axis];
    return room < 0 ? 0 : room / a->stride[axis] + 1;
}

static int infer_pooled(situ_infer *c)
{
    const situ_pool_attr *a = c->attr;
    const situ_tensor *x = c->in[0];
    situ_infer_same(c);
    for (int i = 0; i < 2; i++) c->dim[x->ndim - 2 + i] = places(a, i, x->dim[x->ndim - 2 + i]);
    return 0;
}

static int infer_image(situ_infer *c)
{
    const situ_pool_attr *a = c->attr;
    const situ_tensor *x = c->in[c->nin - 1];
    c->dtype = (situ_dtype)x->dtype;
    situ_infer_dims(c, x->ndim, x->dim);
    for (int i = 0; i < 2; i++) c->dim[x->ndim - 2 + i] = a->image[i];
    return 0;
}

/* ---- references, a plane at a time ------------------------------------------------------------------------------------------ */

typedef struct work {
    const situ_pool_attr *a;
    int64_t image[2], out[2];
    char *const *address;
} work;

/* Where the window of place `at` begins and ends in the image. */
static void window(const work *k, int axis, int64_t at, int64_t *first, int64_t *end)
{
    *first = at * k->a->stride[axis] - k->a->before[axis];
    *end = *first + k->a->size[axis];
    if (*first < 0) *first = 0;
    if (*end > k->image[axis]) *end = k->image[axis];
}

#define EACH_WINDOW \
    for (int64_t r = 0; r < k->out[0]; r++) \
        for (int64_t c = 0; c < k->out[1]; c++) { \
            int64_t top, bottom, left, right, at = r * k->out[1] + c; \
            window(k, 0, r, &top, &bottom); \
            window(k, 1, c, &left, &right);

#define REFERENCES(type) \
    static int64_t largest_##type(const type *x, int64_t width, int64_t top, int64_t bottom, int64_t left, int64_t right) \
    { \
        int64_t best = top * width + left; \
        for (int64_t i = top; i < bottom; i++) \
            for (int64_t j = left; j < right; j++) { \
                type v = x[i * width + j], most = x[best]; \
                if (v > most || (v != v && most == most)) best = i * width + j; \
            } \
        return best; \
    } \
    static void take_##type(void *context, int64_t plane) \
    { \
        const work *k = context; \
        int64_t image = plane * k->image[0] * k->image[1]; \
        const type *x = (const type *)(void *)k->address[1] + image, *v = (const type *)(void *)k->address[2] + image; \
        type *y = (type *)(void *)k->address[0] + plane * k->out[0] * k->out[1]; \
        EACH_WINDOW y[at] = v[largest_##type(x, k->image[1], top, bottom, left, right)]; \
    } \
    } \
    static void put_##type(void *context, int64_t plane) \
    { \
        const work *k = context; \
        int64_t area = k->image[0] * k->image[1]; \
        const type *x = (const type *)(void *)k->address[1] + plane * area; \
        const type *g = (const type *)(void *)k->address[2] + plane * k->out[0] * k->out[1]; \
        type *y = (type *)(void *)k->address[0] + plane * area; \
        for (int64_t i = 0; i < area; i++) y[i] = 0; \
        EACH_WINDOW y[largest_##type(x, k->image[1], top, bottom, left, right)] += g[at]; \
    } \
    } \
    static void mean_##type(void *context, int64_t plane) \
    { \
        const work *k = context; \
        const type *x = (const type *)(void *)k->address[1] + plane * k->image[0] * k->image[1]; \
        type *y = (type *)(void *)k->address[0] + plane * k->out[0] * k->out[1]; \
        EACH_WINDOW \
        int64_t count = k->a->whole ? k->a->size[0] * k->a->size[1] : (bottom - top) * (right - left); \
        type sum = 0; \
        for (int64_t i = top; i < bottom; i++) \
            for (int64_t j = left; j < right; j++) sum += x[i * k->image[1] + j]; \
        y[at] = sum / (type)count; \
    } \
    } \
    static void spread_##type(void *context, int64_t plane) \
    { \
        const work *k = context; \
        int64_t area = k->image[0] * k->image[1]; \
        const type *g = (const type *)(void *)k->address[1] + plane * k->out[0] * k->out[1]; \
        type *y = (type *)(void *)k->address[0] + plane * area; \
        for (int64_t i = 0; i < area; i++) y[i] = 0; \
        EACH_WINDOW \
        int64_t count = k->a->whole ? k->a->size[0] * k->a->size[1] : (bottom - top) * (right - left); \
        type share = g[at] / (type)count; \
        for (int64_t i = top; i < bottom; i++) \
            for (int64_t j = left; j < right; j++) y[i * k->image[1] + j] += share; \
    } \
    }
REFERENCES(float)
REFERENCES(double)

static void run(const situ_call_desc *c, char *const *address, const situ_host *h, bool back, void (*f32)(void *, int64_t),
    void (*f64)(void *, int64_t))
{
    const situ_layout *image = back ? &c->out : &c->in[0], *out = back ? &c->in[c->nin - 1] : &c->out;
    int last = image->ndim - 1;
    work k = {c->attr, {image->dim[last - 1], image->dim[last]}, {out->dim[last - 1], out->dim[last]}, address};
    int64_t planes = 1;
    for (int i = 0; i < last - 1; i++) planes *= image->dim[i];
    situ_host_for(h, c->out.dtype == SITU_F32 ? f32 : f64, &k, planes);
}

static void host_take(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    run(c, address, h, false, take_float, take_double);
}
static void host_put(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    run(c, address, h, true, put_float, put_double);
}
static void host_mean(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    run(c, address, h, false, mean_float, mean_double);
}
static void host_spread(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    run(c, address, h, true, spread_float, spread_double);
}

/* ---- gradients --------------------------------------------------------------------------------------------------------------- */

static situ_tensor *two(const situ_op *op, situ_tensor *a, situ_tensor *b, const situ_pool_attr *attr, situ_site site)
{
    return situ_apply(op, (situ_tensor *[]){a, b}, 2, attr, sizeof *attr, NULL, 0, site);
}

/* The argmax is locally constant, so operand 0 gets no gradient. max_pool2d passes x as both operands and gets it
 * through operand 1. */
static void vjp_take(situ_vjp *c)
{
    if (c->need[1]) c->out[1] = two(&situ_op_max_put, c->in[0], c->g, situ_node_attr(c->y), c->site);
}
static void vjp_put(situ_vjp *c)
{
    if (c->need[1]) c->out[1] = two(&situ_op_max_take, c->in[0], c->g, situ_node_attr(c->y), c->site);
}
static void vjp_mean(situ_vjp *c)
{
    c->out[0] = situ_apply1(&situ_op_avg_spread, c->g, situ_node_attr(c->y), sizeof(situ_pool_attr), c->site);
}
static void vjp_spread(situ_vjp *c)
{
    c->out[0] = situ_apply1(&situ_op_avg_pool2d, c->g, situ_node_attr(c->y), sizeof(situ_pool_attr), c->site);
}

#define POOL(id, names, shape, what, ...) \
    const situ_op situ_op_##id = {.name = #id, \
        .family = SITU_CALL, \
        .operands = names, \
        .infer = infer_##shape, \
        .vjp = vjp_##what, \
        .reads = {__VA_ARGS__}, \
        .host = host_##what};
POOL(max_take, "x, value", pooled, take, SITU_READS_NOTHING, SITU_READS_A)
POOL(max_put, "x, gradient", image, put, SITU_READS_NOTHING, SITU_READS_A)
POOL(avg_pool2d, "x", pooled, mean, SITU_READS_NOTHING)
POOL(avg_spread, "gradient", image, spread, SITU_READS_NOTHING)

/* ---- the functions --------------------------------------------------------------------------------------------------------- */

static bool check_pool(const situ_tensor *x, const situ_pool_attr *a, const char *operation, situ_site site)
{
    char text[SITU_BRIEF_TEXT];
    situ_brief(x, text);
    for (int i = 0; i < 2; i++) {
        if (a->before[i] > a->size[i] / 2) {
            situ_fail(SITU_BAD_OPTION, site,
                "%s: " SITU_SAY(".padding", "padding") " = %lld; at most half the window, %lld, so that no window is empty",
                operation, (long long)a->before[i], (long long)(a->size[i] / 2));
            return false;
        }
    }
    if (situ_is_number(x) || x->ndim < 2 || !situ_dtype_is_float((situ_dtype)x->dtype)) {
        situ_fail(SITU_BAD_SHAPE, site, "%s: x is %s; it pools floats over the last two of at least two axes", operation, text);
        return false;
    }
    if (places(a, 0, x->dim[x->ndim - 2]) && places(a, 1, x->dim[x->ndim - 1])) return true;
    situ_fail(SITU_BAD_SHAPE, site, "%s: a window of %lld x %lld does not fit into x %s", operation, (long long)a->size[0],
        (long long)a->size[1], text);
    return false;
}

/* Windows over padding alone: nothing is the largest element, or the mean, of nothing. */
static bool has_elements(const situ_tensor *x, const char *operation, situ_site site)
{
    char text[SITU_BRIEF_TEXT];
    if (x->dim[x->ndim - 2] && x->dim[x->ndim - 1]) return true;
    situ_fail(SITU_BAD_SHAPE, site, "%s: x %s has no element in any window, only padding", operation, situ_brief(x, text));
    return false;
}

_Static_assert(sizeof(situ_max_pool_options) <= offsetof(situ_avg_pool_options, count_padding), "a maximum counts no padding");
static bool take_pool(
    const situ_tensor *x, situ_shape size, const void *options, const char *operation, situ_pool_attr *a, situ_site site)
{
    situ_avg_pool_options o = {SITU_DEFAULTS(SITU_AVG_POOL_DEFAULTS)}; /* a maximum has the first of them */
    if (!SITU_TAKE_OPTIONS(o, options, operation, site)) return false;
    if (!situ_take_each(size, 2, 1, NULL, a->size, "the size of windows", operation, site) ||
        !situ_take_each(o.stride, 2, 1, a->size, a->stride, SITU_SAY(".stride", "stride"), operation, site) ||
        !situ_take_each(o.padding, 2, 0, NULL, a->before, SITU_SAY(".padding", "padding"), operation, site))
        return false;
    a->whole = o.count_padding;
    if (!check_pool(x, a, operation, site)) return false;
    a->image[0] = x->dim[x->ndim - 2];
    a->image[1] = x->dim[x->ndim - 1];
    return true;
}

situ_tensor *(situ_max_pool2d)(situ_tensor *x, situ_shape size, const situ_max_pool_options *options, situ_site site)
{
    SITU_SPEAK("max_pool2d", site);
    situ_pool_attr a = {.whole = 0};
    if (!situ_usable(&x, 1, "max_pool2d", site) || !take_pool(x, size, options, "max_pool2d", &a, site)) return situ_poisoned();
    if (!has_elements(x, "max_pool2d", site)) return situ_poisoned();
    a.whole = 0;
    situ_dtype dtype = (situ_dtype)x->dtype;
    x = situ_cast(x, situ_dtype_compute(dtype));
    return situ_cast(two(&situ_op_max_take, x, x, &a, site), dtype);
}

situ_tensor *(situ_avg_pool2d)(situ_tensor *x, situ_shape size, const situ_avg_pool_options *options, situ_site site)
{
    SITU_SPEAK("avg_pool2d", site);
    situ_pool_attr a = {.whole = 0};
    if (!situ_usable(&x, 1, "avg_pool2d", site) || !take_pool(x, size, options, "avg_pool2d", &a, site)) return situ_poisoned();
    if (!a.whole && !has_elements(x, "avg_pool2d", site)) return situ_poisoned();
    situ_dtype dtype = (situ_dtype)x->dtype;
    x = situ_cast(x, situ_dtype_compute(dtype));
    return situ_cast(situ_apply1(&situ_op_avg_pool2d, x, &a, sizeof a, site), dtype);
}
