/* Pooling over the last two axes. The maximum of a window is its first NaN, or the first of its largest elements.
 * max_pool2d(x) = max_take(x, x): max_take returns the elements of the second operand at the positions of the first
 * one's maxima. max_put is the inverse of max_take, avg_spread that of avg_pool2d; so gradients of any order are among
 * these operations. */
#include "op/pool.h"

#include "op/kernel.h"
#include "op/support.h"
#include "op/table.h"
#include "op/window.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static int64_t places(const situ_pool_attr *a, int axis, int64_t image)
{
    int64_t capacity = image + 2 * a->before[axis] - a->size[axis];
    return capacity < 0 ? 0 : capacity / a->stride[axis] + 1;
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

/* ---- kernels ------------------------------------------------------------------------------------------------------------- */

#include "op/pool.inc"

#define POOL_SHAPE(id, back) \
    static void id##_shape(const situ_call_desc *c, struct id *k) \
    { \
        const situ_pool_attr *a = c->attr; \
        const situ_layout *image = (back) ? &c->out : &c->in[0], *out = (back) ? &c->in[c->nin - 1] : &c->out; \
        int last = image->ndim - 1; \
        k->ih = image->dim[last - 1], k->iw = image->dim[last], k->oh = out->dim[last - 1], k->ow = out->dim[last]; \
        k->kh = a->size[0], k->kw = a->size[1], k->sh = a->stride[0], k->sw = a->stride[1]; \
        k->bh = a->before[0], k->bw = a->before[1], k->whole = a->whole; \
        for (int i = 0; i < last - 1; i++) k->outer *= image->dim[i]; \
        k->work = k->kh * k->kw; \
        if (back) k->n = k->ih * k->iw, k->work *= k->oh * k->ow, k->ordered = SITU_FROM_ZERO; \
        else k->rows = k->oh, k->inner = k->ow; \
    }
POOL_SHAPE(max_take, false)
POOL_SHAPE(max_put, true)
POOL_SHAPE(avg_pool2d, false)
POOL_SHAPE(avg_spread, true)

/* ---- gradients --------------------------------------------------------------------------------------------------------------- */

static situ_tensor *two(const situ_op *op, situ_tensor *a, situ_tensor *b, const situ_pool_attr *attr, situ_site site)
{
    return situ_apply(op, (situ_tensor *[]){a, b}, 2, attr, sizeof *attr, NULL, 0, site);
}

/* The positions of maxima are locally constant, so operand 0 gets no gradient. max_pool2d passes x as both operands
 * and gets its gradient through operand 1. */
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
        SITU_ONE_KERNEL(id)};
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
