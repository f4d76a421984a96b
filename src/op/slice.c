/* Parts of a tensor as views: slices, reversed axes, diagonals; and stop_gradient, which is the whole tensor. */
#include "op/create.h"
#include "op/support.h"
#include "op/view.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* ---- slice ----------------------------------------------------------------------------------------------------------- */

static int infer_slice(situ_infer *c)
{
    const situ_slice_attr *a = c->attr;
    c->dtype = (situ_dtype)c->in[0]->dtype;
    c->ndim = 0;
    for (int i = 0; i < c->in[0]->ndim; i++)
        if (!(a->dropped >> i & 1)) c->dim[c->ndim++] = a->axis[i].size;
    return 0;
}

static bool view_slice(situ_view *v)
{
    const situ_slice_attr *a = situ_node_attr(v->node);
    for (int i = 0, k = 0; i < v->ndim; i++) {
        if (!(a->dropped >> i & 1)) v->out_stride[k++] = v->stride[i] * a->axis[i].step;
        v->coefficient[i] = v->stride[i];
    }
    return true;
}

static void vjp_slice(situ_vjp *c)
{
    const situ_slice_attr *a = situ_node_attr(c->y);
    situ_site site = c->site;
    situ_shape x = situ_shape_like(c->in[0]), part = x;
    int64_t step[SITU_MAX_DIMS];
    for (int i = 0; i < x.ndim; i++) {
        part.dim[i] = a->axis[i].size;
        step[i] = a->axis[i].step;
    }
    situ_tensor *g = a->dropped ? situ_reshape(c->g, part) : c->g;
    c->out[0] = situ_place_at(g, x, (const int64_t *)situ_node_word(c->y), step, situ_scalar_int(0), site);
}

const situ_op situ_op_slice = {
    .name = "slice", .family = SITU_VIEW, .operands = "x", .infer = infer_slice, .vjp = vjp_slice, .view = view_slice};

situ_tensor *situ_part_at(
    situ_tensor *x, const int64_t *start, const int64_t *size, const int64_t *step, uint64_t dropped, situ_site site)
{
    situ_slice_attr attr;
    attr.dropped = dropped;
    for (int i = 0; i < x->ndim; i++) {
        attr.axis[i].size = size[i];
        attr.axis[i].step = step ? step[i] : 1;
    }
    return situ_apply(&situ_op_slice, &x, 1, &attr, situ_slice_attr_size(x->ndim), (const uint64_t *)start, x->ndim, site);
}

static int64_t clamp(int64_t i, int64_t low, int64_t high) { return i < low ? low : i > high ? high : i; }

/* Applies Python's rules for slices to one axis of n elements; returns the number of elements. */
static int64_t resolve_slice(int64_t n, int64_t *start, int64_t stop, int64_t step)
{
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1, from = *start;
    from = from == SITU_FULL ? (step > 0 ? 0 : n - 1) : clamp(from < 0 ? from + n : from, low, high);
    stop = stop == SITU_FULL ? (step > 0 ? n : -1) : clamp(stop < 0 ? stop + n : stop, low, high);
    /* |step| in u64, because the smallest integer has no negation */
    uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    int64_t width = step > 0 ? stop - from : from - stop;
    *start = width > 0 ? from : 0;
    return width > 0 ? (int64_t)((uint64_t)(width - 1) / stride + 1) : 0;
}

/* Reads a position for each of the first axes. A single number is accepted only if x has one axis. */
static bool take_place(situ_shape *s, const char *option, const situ_tensor *x, situ_site site)
{
    bool number = s->ndim == -1;
    if ((!s->ndim && !x->ndim) || !situ_take_shape(s, option, "slice", site)) return !situ_error_code;
    if (!number || s->ndim < 0 || x->ndim == 1) return true;
    situ_fail(SITU_BAD_OPTION, site,
        "slice: %s = %lld is one number, but x has %d dimensions; write %s = " SITU_SAY("SHAPE(", "(") "%lld" SITU_SAY(
            ")", ",)") " for the first of them, or a number for each",
        option, (long long)s->dim[0], x->ndim, option, (long long)s->dim[0]);
    return false;
}

situ_tensor *(situ_slice)(situ_tensor *x, const situ_slice_options *options, situ_site site)
{
    situ_slice_options o = {SITU_DEFAULTS(SITU_SLICE_DEFAULTS)};
    if (!situ_usable(&x, 1, "slice", site) || !SITU_TAKE_OPTIONS(o, options, "slice", site) ||
        !take_place(&o.start, ".start", x, site) || !take_place(&o.stop, ".stop", x, site) ||
        !take_place(&o.step, ".step", x, site))
        return situ_poisoned();
    if (o.start.ndim > x->ndim || o.stop.ndim > x->ndim || o.step.ndim > x->ndim)
        return situ_refused(
            SITU_BAD_ARGUMENT, site, "slice: more positions than the %d dimension%s of x", x->ndim, x->ndim == 1 ? "" : "s");
    int64_t start[SITU_MAX_DIMS], size[SITU_MAX_DIMS], step[SITU_MAX_DIMS];
    for (int i = 0; i < x->ndim; i++) {
        step[i] = i < o.step.ndim && o.step.dim[i] != SITU_FULL ? o.step.dim[i] : 1;
        start[i] = i < o.start.ndim ? o.start.dim[i] : SITU_FULL;
        if (!step[i]) return situ_refused(SITU_BAD_ARGUMENT, site, "slice: a step of 0 along axis %d", i);
        size[i] = resolve_slice(x->dim[i], &start[i], i < o.stop.ndim ? o.stop.dim[i] : SITU_FULL, step[i]);
        if (size[i] < 2) step[i] = 1; /* so that all such slices share a plan */
    }
    return situ_slice_at(x, start, size, step, site);
}

situ_tensor *(situ_select)(situ_tensor *x, int axis, int64_t i, situ_site site)
{
    SITU_SPEAK("select", site);
    if (!situ_usable(&x, 1, "select", site) || (axis = situ_axis(axis, x->ndim, "select", site)) < 0) return situ_poisoned();
    if (i < -x->dim[axis] || i >= x->dim[axis])
        return situ_refused(SITU_BAD_ARGUMENT, site, "select: there is no element %lld along axis %d, which has %lld", (long long)i,
            axis, (long long)x->dim[axis]);
    int64_t start[SITU_MAX_DIMS] = {0}, size[SITU_MAX_DIMS];
    memcpy(size, x->dim, 8 * (size_t)x->ndim);
    start[axis] = i < 0 ? i + x->dim[axis] : i;
    size[axis] = 1;
    return situ_part_at(x, start, size, NULL, UINT64_C(1) << axis, site);
}

/* ---- flip ------------------------------------------------------------------------------------------------------------ */

static bool view_flip(situ_view *v)
{
    const uint8_t *mark = situ_node_attr(v->node);
    for (int i = 0; i < v->ndim; i++) {
        v->out_stride[i] = mark[i] ? -v->stride[i] : v->stride[i];
        if (mark[i]) v->base += (v->dim[i] - 1) * v->stride[i];
    }
    return true;
}

static situ_tensor *flip(situ_tensor *x, const uint8_t *mark, situ_site site);

static void vjp_flip(situ_vjp *c) { c->out[0] = flip(c->g, situ_node_attr(c->y), c->site); }

const situ_op situ_op_flip = {
    .name = "flip", .family = SITU_VIEW, .operands = "x", .infer = situ_infer_same, .vjp = vjp_flip, .view = view_flip};

static situ_tensor *flip(situ_tensor *x, const uint8_t *mark, situ_site site)
{
    return situ_apply1(&situ_op_flip, x, mark, 8, site);
}

situ_tensor *(situ_flip)(situ_tensor *x, const situ_axes_options *options, situ_site site)
{
    situ_axes_options o = {SITU_DEFAULTS(SITU_AXES_DEFAULTS)};
    bool mark[SITU_MAX_DIMS];
    uint8_t attr[8] = {0};
    if (!situ_usable(&x, 1, "flip", site) || !SITU_TAKE_OPTIONS(o, options, "flip", site) ||
        !situ_take_axes(&o.axes, "flip", site) || !situ_axes_mark(o.axes, x->ndim, mark, "flip", site))
        return situ_poisoned();
    for (int i = 0; i < x->ndim; i++) attr[i] = mark[i];
    return flip(x, attr, site);
}

/* ---- diagonal -------------------------------------------------------------------------------------------------------- */

static int infer_diagonal(situ_infer *c)
{
    const int64_t *offset = c->attr;
    const situ_tensor *x = c->in[0];
    int64_t rows = x->dim[x->ndim - 2], columns = x->dim[x->ndim - 1];
    int64_t n = *offset >= 0 ? (columns - *offset < rows ? columns - *offset : rows) :
                               (rows + *offset < columns ? rows + *offset : columns);
    c->dtype = (situ_dtype)x->dtype;
    situ_infer_dims(c, x->ndim - 1, x->dim);
    c->dim[c->ndim - 1] = n > 0 ? n : 0;
    return 0;
}

static bool view_diagonal(situ_view *v)
{
    int64_t offset = *(const int64_t *)situ_node_attr(v->node), row = v->stride[v->ndim - 2], column = v->stride[v->ndim - 1];
    memcpy(v->out_stride, v->stride, 8 * (size_t)(v->ndim - 1));
    v->out_stride[v->ndim - 2] = row + column;
    v->base = offset >= 0 ? offset * column : -offset * row;
    return true;
}

static void vjp_diagonal(situ_vjp *c)
{
    situ_site site = c->site;
    const situ_tensor *x = c->in[0];
    int64_t offset = *(const int64_t *)situ_node_attr(c->y), zero[SITU_MAX_DIMS] = {0};
    int64_t rows = x->dim[x->ndim - 2], columns = x->dim[x->ndim - 1];
    situ_tensor *where = situ_equal(situ_sub(situ_iota(SHAPE(rows, columns), 1, SITU_I64, x->device, site),
                                        situ_iota(SHAPE(rows, columns), 0, SITU_I64, x->device, site)),
        offset);
    /* element i is in row i if the diagonal is above the main one, else in column i */
    situ_shape padded = situ_shape_like(c->g);
    padded.dim[padded.ndim - 1] = offset >= 0 ? rows : columns;
    situ_tensor *g = situ_place_at(c->g, padded, zero, NULL, situ_scalar_int(0), site);
    c->out[0] = situ_where(where, situ_expand_dims(g, offset >= 0 ? -1 : -2), 0);
}

const situ_op situ_op_diagonal = {
    .name = "diagonal", .family = SITU_VIEW, .operands = "x", .infer = infer_diagonal, .vjp = vjp_diagonal, .view = view_diagonal};

situ_tensor *(situ_diagonal)(situ_tensor *x, int64_t offset, situ_site site)
{
    if (!situ_usable(&x, 1, "diagonal", site)) return situ_poisoned();
    if (x->ndim < 2) return situ_refused(SITU_BAD_SHAPE, site, "diagonal: a matrix has two dimensions, this tensor %d", x->ndim);
    return situ_apply1(&situ_op_diagonal, x, &offset, sizeof offset, site);
}

/* ---- stop_gradient --------------------------------------------------------------------------------------------------- */

const situ_op situ_op_stop_gradient = {.name = "stop_gradient",
    .family = SITU_VIEW,
    .operands = "x",
    .infer = situ_infer_same,
    .no_gradient = "it is there to stop gradients",
    .view = situ_view_same};

situ_tensor *(situ_stop_gradient)(situ_tensor *x, situ_site site)
{
    if (!situ_usable(&x, 1, "stop_gradient", site)) return situ_poisoned();
    if (situ_is_number(x)) return x;
    situ_tensor *y = situ_apply1(&situ_op_stop_gradient, x, NULL, 0, site);
    if (!(y->flags & SITU_NODE_POISON)) y->flags |= SITU_NODE_STOP;
    return y;
}
