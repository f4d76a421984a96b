/* Pooling over the last two axes. The maximum of a window is its first NaN, or the first of its largest elements.  max_pool2d(x) =
 * max_take(x, x): max_take returns the elements of the second operand at the positions of the first one's maxima. max_put is the
 * inverse of max_take, avg_spread that of avg_pool2d; so gradients of any order are among these operations. */
#include "op/pool.h"

#include "op/host.h"
#include "op/support.h"
#include "op/table.h"
#include "op/window.h"
/* included last: it redefines SITU_HERE */
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

/* ---- reference implementations, plane by plane ----------------------------------------------------------------------------- */

typedef struct work {
    const situ_pool_attr *a;
    int64_t image[2], out[2];
    char *const *address;
} work;

/* First and end of the window at output position `at`, within the image. */
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
    static type sum_##type(const type *x, int64_t width, int64_t top, int64_t bottom, int64_t left, int64_t right) \
    { \
        type level[SITU_POOL_LEVELS], sum = 0; /* the sum of 2^k blocks, if the number of blocks has bit k */ \
        int64_t blocks = 0, held = 0; \
        bool many = (bottom - top) * (right - left) > SITU_POOL_BLOCK; \
        for (int64_t i = top; i < bottom; i++) { \
            if (!many) { \
                for (int64_t j = left; j < right; j++) sum += x[i * width + j]; \
                continue; \
            } \
            for (int64_t j = left; j < right; j++) { \
                sum += x[i * width + j]; \
                if (++held < SITU_POOL_BLOCK && (i < bottom - 1 || j < right - 1)) continue; \
                int k = 0; \
                for (; blocks >> k & 1; k++) sum = level[k] + sum; \
                level[k] = sum; \
                blocks++; \
                sum = 0, held = 0; \
            } \
        } \
        for (int k = 0, first = 1; blocks >> k; k++) { \
            if (!(blocks >> k & 1)) continue; \
            sum = first ? level[k] : level[k] + sum; \
            first = 0; \
        } \
        return sum; \
    } \
    static void mean_##type(void *context, int64_t plane) \
    { \
        const work *k = context; \
        const type *x = (const type *)(void *)k->address[1] + plane * k->image[0] * k->image[1]; \
        type *y = (type *)(void *)k->address[0] + plane * k->out[0] * k->out[1]; \
        EACH_WINDOW \
        int64_t count = k->a->whole ? k->a->size[0] * k->a->size[1] : (bottom - top) * (right - left); \
        y[at] = sum_##type(x, k->image[1], top, bottom, left, right) / (type)count; \
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

/* The positions of maxima are locally constant, so operand 0 gets no gradient. max_pool2d passes x as both operands and gets its
 * gradient through operand 1. */
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

/* ---- public functions ----------------------------------------------------------------------------------------------------- */

/* An error for windows that contain only padding: the maximum or mean of no elements is undefined. */
static bool has_elements(const situ_tensor *x, const char *operation, situ_site site)
{
    char text[SITU_BRIEF_TEXT];
    if (x->dim[x->ndim - 2] && x->dim[x->ndim - 1]) return true;
    situ_fail(SITU_BAD_SHAPE, site, "%s: x %s has no element in any window, only padding", operation, situ_brief(x, text));
    return false;
}

static situ_tensor *plain(situ_tensor *x, const situ_window *w, bool mean, bool whole, situ_site site)
{
    situ_pool_attr a = {.image = {x->dim[x->ndim - 2], x->dim[x->ndim - 1]}, .whole = whole && mean};
    for (int i = 0; i < 2; i++) a.size[i] = w->size[i], a.stride[i] = w->stride[i], a.before[i] = w->padding[i];
    return mean ? situ_apply1(&situ_op_avg_pool2d, x, &a, sizeof a, site) : two(&situ_op_max_take, x, x, &a, site);
}

static situ_tensor *pooled(situ_tensor *x, situ_shape size, const void *options, bool mean, const char *operation, situ_site site)
{
    situ_window w = {.n = 2};
    situ_pool_options o;
    if (!situ_usable(&x, 1, operation, site) || !situ_take_pool_options(&o, options, mean, operation, site) ||
        !situ_take_pool(&w, x, size, &o, operation, site) || (!o.count_padding && !has_elements(x, operation, site)))
        return situ_poisoned();
    if (!situ_pool_is_plain(&w, &o)) return situ_pool_uncommon(x, &w, &o, mean, plain, site);
    situ_dtype dtype = (situ_dtype)x->dtype;
    return situ_cast(plain(situ_cast(x, situ_dtype_compute(dtype)), &w, mean, o.count_padding, site), dtype);
}

situ_tensor *(situ_max_pool2d)(situ_tensor *x, situ_shape size, const situ_max_pool_options *options, situ_site site)
{
    SITU_SPEAK("max_pool2d", site);
    return pooled(x, size, options, false, "max_pool2d", site);
}

situ_tensor *(situ_avg_pool2d)(situ_tensor *x, situ_shape size, const situ_avg_pool_options *options, situ_site site)
{
    SITU_SPEAK("avg_pool2d", site);
    return pooled(x, size, options, true, "avg_pool2d", site);
}
