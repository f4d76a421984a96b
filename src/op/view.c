/* Views: the same memory with other strides. */
#include "op/generate.h"
#include "op/support.h"
#include "op/view.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

typedef struct shape_attr {
    int64_t ndim, dim[8];
} shape_attr;

static int infer_shape(situ_infer *c)
{
    const shape_attr *a = c->attr;
    c->dtype = (situ_dtype)c->in[0]->dtype;
    situ_infer_dims(c, (int)a->ndim, a->dim);
    return 0;
}

static situ_tensor *apply_shape(const situ_op *op, situ_tensor *x, const situ_shape *shape, situ_site site)
{
    shape_attr attr = {.ndim = shape->ndim};
    memcpy(attr.dim, shape->dim, 8 * (size_t)shape->ndim);
    return situ_apply1(op, x, &attr, sizeof attr, site);
}

/* ---- reshape --------------------------------------------------------------------------------------------------------- */

static bool view_reshape(situ_view *v)
{
    return situ_view_reshape(v->ndim, v->dim, v->stride, v->node->ndim, v->node->dim, v->out_stride) == 1;
}

static void vjp_reshape(situ_vjp *c)
{
    situ_site site = c->site;
    c->out[0] = situ_reshape(c->g, situ_shape_like(c->in[0]));
}

const situ_op situ_op_reshape = {
    .name = "reshape", .family = SITU_VIEW, .operands = "x", .infer = infer_shape, .vjp = vjp_reshape, .view = view_reshape};

/* Replaces the -1; false with an error if the numbers of elements differ. */
static bool resolve_reshape(const situ_tensor *x, situ_shape *shape, situ_site site)
{
    int open = -1;
    int64_t known = 1, count = situ_node_count(x);
    for (int i = 0; i < shape->ndim; i++) {
        if (shape->dim[i] == -1) open = i;
        else if (__builtin_mul_overflow(known, shape->dim[i], &known)) known = 0;
    }
    if (open >= 0 && known && count % known == 0) {
        shape->dim[open] = count / known;
        return true;
    }
    if (open < 0 && known == count) return true;
    char from[SITU_SHAPE_TEXT], to[SITU_SHAPE_TEXT];
    situ_fail(SITU_BAD_SHAPE, site, "reshape: %s has %lld elements, which do not fill %s",
        situ_shape_text(x->ndim, x->dim, from, sizeof from), (long long)count,
        situ_shape_text((int)shape->ndim, shape->dim, to, sizeof to));
    return false;
}

situ_tensor *(situ_reshape)(situ_tensor *x, situ_shape shape, situ_site site)
{
    if (!situ_usable(&x, 1, "reshape", site) || !situ_shape_check(&shape, true, "reshape", site) ||
        !resolve_reshape(x, &shape, site))
        return situ_poisoned();
    if (!situ_is_number(x) && situ_shape_equal(x->ndim, x->dim, (int)shape.ndim, shape.dim)) return situ_itself(x, site);
    return apply_shape(&situ_op_reshape, x, &shape, site);
}

situ_tensor *(situ_expand_dims)(situ_tensor *x, int axis, situ_site site)
{
    SITU_SPEAK("expand_dims", site);
    if (!situ_usable(&x, 1, "expand_dims", site)) return situ_poisoned();
    axis = situ_axis(axis, x->ndim + 1, "expand_dims", site);
    if (axis < 0) return situ_poisoned();
    if (x->ndim == SITU_MAX_DIMS)
        return situ_refused(
            SITU_BAD_SHAPE, site, "expand_dims: x has %d dimensions already, as many as a tensor may have", x->ndim);
    situ_shape shape = {.ndim = x->ndim + 1};
    for (int i = 0; i <= x->ndim; i++) shape.dim[i] = i == axis ? 1 : x->dim[i - (i > axis)];
    return situ_reshape(x, shape);
}

situ_tensor *(situ_squeeze)(situ_tensor *x, const situ_axes_options *options, situ_site site)
{
    SITU_SPEAK("squeeze", site);
    situ_axes_options o = {SITU_DEFAULTS(SITU_AXES_DEFAULTS)};
    bool mark[SITU_MAX_DIMS];
    if (!situ_usable(&x, 1, "squeeze", site) || !SITU_TAKE_OPTIONS(o, options, "squeeze", site) ||
        !situ_take_axes(&o.axes, "squeeze", site) || !situ_axes_mark(o.axes, x->ndim, mark, "squeeze", site))
        return situ_poisoned();
    situ_shape shape = {.ndim = 0};
    for (int i = 0; i < x->ndim; i++) {
        if (mark[i] && x->dim[i] != 1 && o.axes.given)
            return situ_refused(SITU_BAD_SHAPE, site, "squeeze: axis %d has %lld elements, not 1", i, (long long)x->dim[i]);
        if (!mark[i] || x->dim[i] != 1) shape.dim[shape.ndim++] = x->dim[i];
    }
    return situ_reshape(x, shape);
}

/* ---- broadcast_to ---------------------------------------------------------------------------------------------------- */

static bool view_broadcast(situ_view *v)
{
    return situ_stride_broadcast(v->ndim, v->dim, v->stride, v->node->ndim, v->node->dim, v->out_stride);
}

static void vjp_broadcast(situ_vjp *c) { c->out[0] = c->g; }

const situ_op situ_op_broadcast_to = {.name = "broadcast_to",
    .family = SITU_VIEW,
    .operands = "x",
    .infer = infer_shape,
    .vjp = vjp_broadcast,
    .view = view_broadcast};

situ_tensor *(situ_broadcast_to)(situ_tensor *x, situ_shape shape, situ_site site)
{
    SITU_SPEAK("broadcast_to", site);
    if (!situ_usable(&x, 1, "broadcast_to", site)) return situ_poisoned();
    if (situ_is_number(x)) return situ_full(shape, x);
    int64_t lead = shape.ndim - x->ndim;
    for (int64_t i = lead > 0 ? lead : 0; i < shape.ndim && i < SITU_MAX_DIMS; i++)
        if (shape.dim[i] == -1) shape.dim[i] = x->dim[i - lead];
    if (!situ_shape_check(&shape, false, "broadcast_to", site)) return situ_poisoned();
    bool fits = lead >= 0;
    for (int i = 0; i < x->ndim && fits; i++) fits = x->dim[i] == 1 || x->dim[i] == shape.dim[lead + i];
    if (!fits) {
        char from[SITU_SHAPE_TEXT], to[SITU_SHAPE_TEXT];
        situ_fail(SITU_BAD_SHAPE, site,
            "broadcast_to: %s does not broadcast to %s: aligned at the last axis, each dimension must be 1 or equal",
            situ_shape_text(x->ndim, x->dim, from, sizeof from), situ_shape_text((int)shape.ndim, shape.dim, to, sizeof to));
        return situ_poisoned();
    }
    if (situ_shape_equal(x->ndim, x->dim, (int)shape.ndim, shape.dim)) return situ_itself(x, site);
    return apply_shape(&situ_op_broadcast_to, x, &shape, site);
}

/* ---- permute --------------------------------------------------------------------------------------------------------- */

static int infer_permute(situ_infer *c)
{
    const situ_permute_attr *a = c->attr;
    situ_infer_same(c);
    for (int i = 0; i < c->ndim; i++) c->dim[i] = c->in[0]->dim[a->axis[i]];
    return 0;
}

static bool view_permute(situ_view *v)
{
    const situ_permute_attr *a = situ_node_attr(v->node);
    for (int i = 0; i < v->ndim; i++) v->out_stride[i] = v->stride[a->axis[i]];
    return true;
}

static void vjp_permute(situ_vjp *c)
{
    situ_site site = c->site;
    const situ_permute_attr *a = situ_node_attr(c->y);
    situ_axes back = {.given = 1, .count = c->y->ndim};
    for (int i = 0; i < c->y->ndim; i++) back.axis[a->axis[i]] = i;
    c->out[0] = situ_permute(c->g, back);
}

const situ_op situ_op_permute = {
    .name = "permute", .family = SITU_VIEW, .operands = "x", .infer = infer_permute, .vjp = vjp_permute, .view = view_permute};

situ_tensor *(situ_permute)(situ_tensor *x, situ_axes axes, situ_site site)
{
    bool mark[SITU_MAX_DIMS];
    axes.given = 1;
    if (!situ_usable(&x, 1, "permute", site) || !situ_axes_mark(axes, x->ndim, mark, "permute", site)) return situ_poisoned();
    if (axes.count != x->ndim)
        return situ_refused(
            SITU_BAD_ARGUMENT, site, "permute: %d axes for %d dimensions; name each axis once", axes.count, x->ndim);
    situ_permute_attr attr = {{0}};
    bool same = !situ_is_number(x);
    for (int i = 0; i < x->ndim; i++) {
        attr.axis[i] = axes.axis[i] < 0 ? axes.axis[i] + x->ndim : axes.axis[i];
        same &= attr.axis[i] == i;
    }
    return same ? situ_itself(x, site) : situ_apply1(&situ_op_permute, x, &attr, sizeof attr, site);
}

static situ_axes axes_in_order(int n)
{
    situ_axes axes = {.given = 1, .count = n};
    for (int i = 0; i < n; i++) axes.axis[i] = i;
    return axes;
}

situ_tensor *(situ_swapaxes)(situ_tensor *x, int a, int b, situ_site site)
{
    SITU_SPEAK("swapaxes", site);
    if (!situ_usable(&x, 1, "swapaxes", site)) return situ_poisoned();
    situ_axes axes = axes_in_order(x->ndim);
    if ((a = situ_axis(a, x->ndim, "swapaxes", site)) < 0 || (b = situ_axis(b, x->ndim, "swapaxes", site)) < 0)
        return situ_poisoned();
    axes.axis[a] = b;
    axes.axis[b] = a;
    return situ_permute(x, axes);
}

situ_tensor *(situ_moveaxis)(situ_tensor *x, int from, int to, situ_site site)
{
    SITU_SPEAK("moveaxis", site);
    if (!situ_usable(&x, 1, "moveaxis", site)) return situ_poisoned();
    if ((from = situ_axis(from, x->ndim, "moveaxis", site)) < 0 || (to = situ_axis(to, x->ndim, "moveaxis", site)) < 0)
        return situ_poisoned();
    situ_axes axes = axes_in_order(x->ndim);
    for (int i = from; i != to; i += to > from ? 1 : -1) axes.axis[i] = axes.axis[i + (to > from ? 1 : -1)];
    axes.axis[to] = from;
    return situ_permute(x, axes);
}

situ_tensor *(situ_transpose)(situ_tensor *x, situ_site site)
{
    SITU_SPEAK("transpose", site);
    if (!situ_usable(&x, 1, "transpose", site)) return situ_poisoned();
    if (x->ndim < 2)
        return situ_refused(SITU_BAD_SHAPE, site, "transpose: it swaps the last two axes, and this tensor has %d", x->ndim);
    return situ_swapaxes(x, -2, -1);
}

situ_tensor *(situ_matrix_transpose)(situ_tensor *x, situ_site site)
{
    SITU_SPEAK("matrix_transpose", site);
    return (situ_transpose)(x, site);
}
