/* Pooling in StableHLO: one element of the windows at a time, by strided slices of the image. */
#include <string.h>

#include "codegen/stable_kernel.h"
#include "op/pool.h"
#include "op/table.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

enum { MOST_TAPS = 400 };

typedef struct pool {
    situ_stable *t;
    const situ_pool_attr *a;
    int64_t out[2], image[2]; /* sizes along the last two axes */
    int ndim;
} pool;

/* Element (i, j) of each window; `around` fills positions outside of the image. */
static situ_wire tap(const pool *p, situ_wire x, situ_wire around, int64_t i, int64_t j)
{
    const int64_t at[2] = {i, j};
    int64_t low[SITU_WIRE_DIMS] = {0}, high[SITU_WIRE_DIMS] = {0}, start[SITU_WIRE_DIMS] = {0}, limit[SITU_WIRE_DIMS],
            step[SITU_WIRE_DIMS];
    for (int k = 0; k < p->ndim; k++) {
        limit[k] = x.dim[k];
        step[k] = 1;
    }
    for (int k = 0; k < 2; k++) {
        int axis = p->ndim - 2 + k;
        int64_t first = at[k] - p->a->before[k], last = first + (p->out[k] - 1) * p->a->stride[k];
        low[axis] = first < 0 ? -first : 0;
        high[axis] = last >= p->image[k] ? last + 1 - p->image[k] : 0;
        start[axis] = first + low[axis];
        limit[axis] = last + low[axis] + 1;
        step[axis] = p->a->stride[k];
    }
    return situ_stable_slice(p->t, situ_stable_pad(p->t, x, around, low, high, NULL), start, limit, step);
}

/* The inverse: puts a value for element (i, j) of each window into the image. */
static situ_wire untap(const pool *p, situ_wire y, int64_t i, int64_t j)
{
    const int64_t at[2] = {i, j};
    int64_t low[SITU_WIRE_DIMS] = {0}, high[SITU_WIRE_DIMS] = {0}, inside[SITU_WIRE_DIMS] = {0};
    for (int k = 0; k < 2; k++) {
        int axis = p->ndim - 2 + k;
        low[axis] = at[k] - p->a->before[k];
        high[axis] = p->image[k] - (low[axis] + (p->out[k] - 1) * p->a->stride[k] + 1);
        inside[axis] = p->a->stride[k] - 1;
    }
    return situ_stable_pad(p->t, y, situ_stable_number(p->t, y.type, 0, NULL), low, high, inside);
}

/* True if windows neither overlap nor reach outside of the image. */
static bool side_by_side(const pool *p)
{
    bool yes = p->ndim + 2 <= SITU_WIRE_DIMS;
    for (int k = 0; k < 2; k++)
        yes &= !p->a->before[k] && p->a->stride[k] == p->a->size[k] && p->out[k] * p->a->size[k] <= p->image[k];
    return yes;
}

/* In that case: repeats the windows' values for all their elements: [out rows, size rows, out columns, size columns]. */
static situ_wire apart(const pool *p, situ_wire y)
{
    int64_t dim[SITU_WIRE_DIMS] = {0}, axis[SITU_WIRE_DIMS] = {0};
    for (int k = 0; k < p->ndim; k++) {
        axis[k] = k + (k == p->ndim - 1);
        dim[axis[k]] = y.dim[k];
    }
    dim[p->ndim - 1] = p->a->size[0];
    dim[p->ndim + 1] = p->a->size[1];
    return situ_stable_broadcast(p->t, y, p->ndim + 2, dim, axis);
}

/* The number of each element within its window, as largest() counts. */
static situ_wire numbers(const pool *p, situ_wire like)
{
    situ_stable *t = p->t;
    situ_wire row = situ_stable_iota(t, SITU_I32, like.ndim, like.dim, p->ndim - 1);
    situ_wire column = situ_stable_iota(t, SITU_I32, like.ndim, like.dim, p->ndim + 1);
    return situ_stable_2(
        t, "add", situ_stable_2(t, "multiply", row, situ_stable_integer(t, SITU_I32, p->a->size[1], &row)), column);
}

/* Reshapes such values to an image; its last rows and columns may be in no window. */
static situ_wire joined(const pool *p, situ_wire y, const int64_t *leading)
{
    int64_t dim[SITU_WIRE_DIMS] = {0}, low[SITU_WIRE_DIMS] = {0}, high[SITU_WIRE_DIMS] = {0};
    for (int k = 0; k < p->ndim; k++) dim[k] = leading[k];
    for (int k = 0; k < 2; k++) {
        dim[p->ndim - 2 + k] = p->out[k] * p->a->size[k];
        high[p->ndim - 2 + k] = p->image[k] - p->out[k] * p->a->size[k];
    }
    y = situ_stable_reshape(p->t, y, p->ndim, dim);
    return high[p->ndim - 2] || high[p->ndim - 1] ?
        situ_stable_pad(p->t, y, situ_stable_number(p->t, y.type, 0, NULL), low, high, NULL) :
        y;
}

#define EACH_TAP(p) \
    for (int64_t i = 0; i < (p)->a->size[0]; i++) \
        for (int64_t j = 0; j < (p)->a->size[1]; j++)

/* 1 in the image, to find which elements of windows are inside. */
static situ_wire ones_like(const pool *p, situ_wire x) { return situ_stable_integer(p->t, SITU_BOOL, 1, &x); }

/* The number of the maximum within its window, and the element of v there. */
static situ_wire largest(const pool *p, situ_wire x, situ_wire v, situ_wire *number)
{
    situ_stable *t = p->t;
    situ_wire zero = situ_stable_number(t, x.type, 0, NULL), out = {0}, outside = situ_stable_integer(t, SITU_BOOL, 0, NULL);
    situ_wire inside = ones_like(p, x), best = {0}, have = {0};
    EACH_TAP(p)
    {
        situ_wire e = tap(p, x, zero, i, j), value = tap(p, v, zero, i, j), in = tap(p, inside, outside, i, j);
        situ_wire index = situ_stable_integer(t, SITU_I32, i * p->a->size[1] + j, &e);
        if (!i && !j) {
            best = e, out = value, have = in, *number = index;
            continue;
        }
        situ_wire nan = situ_stable_compare(t, "NE", e, e), known = situ_stable_compare(t, "EQ", best, best);
        situ_wire more = situ_stable_2(t, "or", situ_stable_compare(t, "GT", e, best), situ_stable_2(t, "and", nan, known));
        more = situ_stable_2(t, "and", in, situ_stable_2(t, "or", more, situ_stable_1(t, "not", have)));
        best = situ_stable_select(t, more, e, best);
        out = situ_stable_select(t, more, value, out);
        *number = situ_stable_select(t, more, index, *number);
        have = situ_stable_2(t, "or", have, in);
    }
    return out;
}

static void put(situ_stable_maker *m, const pool *p)
{
    situ_stable *t = p->t;
    situ_wire x = situ_stable_value(m, 0), g = situ_stable_value(m, 1), number, sum = {0};
    largest(p, x, x, &number);
    if (side_by_side(p)) {
        situ_wire all = apart(p, g), mine = apart(p, number), zero = situ_stable_number(t, g.type, 0, &all);
        situ_wire here = situ_stable_compare(t, "EQ", mine, numbers(p, mine));
        situ_stable_out(m, joined(p, situ_stable_select(t, here, all, zero), g.dim));
        return;
    }
    situ_wire zero = situ_stable_number(t, g.type, 0, &g);
    EACH_TAP(p)
    {
        situ_wire here = situ_stable_compare(t, "EQ", number, situ_stable_integer(t, SITU_I32, i * p->a->size[1] + j, &number));
        situ_wire part = untap(p, situ_stable_select(t, here, g, zero), i, j);
        sum = i || j ? situ_stable_2(t, "add", sum, part) : part;
    }
    situ_stable_out(m, sum);
}

/* The number of elements by which each window's sum is divided. */
static situ_wire counts(const pool *p, situ_wire image, situ_wire like)
{
    situ_stable *t = p->t;
    situ_wire sum = situ_stable_number(t, like.type, (double)(p->a->size[0] * p->a->size[1]), &like);
    if (p->a->whole) return sum;
    situ_wire ones = situ_stable_number(t, like.type, 1, &image), none = situ_stable_number(t, like.type, 0, NULL);
    EACH_TAP(p)
    {
        situ_wire part = tap(p, ones, none, i, j);
        sum = i || j ? situ_stable_2(t, "add", sum, part) : part;
    }
    return sum;
}

static void mean(situ_stable_maker *m, const pool *p)
{
    situ_stable *t = p->t;
    situ_wire x = situ_stable_value(m, 0), zero = situ_stable_number(t, x.type, 0, NULL), sum = {0};
    EACH_TAP(p)
    {
        situ_wire part = tap(p, x, zero, i, j);
        sum = i || j ? situ_stable_2(t, "add", sum, part) : part;
    }
    situ_stable_out(m, situ_stable_2(t, "divide", sum, counts(p, x, sum)));
}

static void spread(situ_stable_maker *m, const pool *p)
{
    situ_stable *t = p->t;
    situ_wire g = situ_stable_value(m, 0), sum = {0}, image = {.ndim = m->call->out.ndim};
    memcpy(image.dim, m->call->out.dim, sizeof m->call->out.dim);
    g = situ_stable_2(t, "divide", g, counts(p, image, g));
    if (side_by_side(p)) {
        situ_stable_out(m, joined(p, apart(p, g), g.dim));
        return;
    }
    EACH_TAP(p)
    {
        situ_wire part = untap(p, g, i, j);
        sum = i || j ? situ_stable_2(t, "add", sum, part) : part;
    }
    situ_stable_out(m, sum);
}

bool situ_stable_windows(situ_stable_maker *m)
{
    const situ_call_desc *c = m->call;
    bool takes = c->op == &situ_op_max_take, puts = c->op == &situ_op_max_put, means = c->op == &situ_op_avg_pool2d;
    if (!takes && !puts && !means && c->op != &situ_op_avg_spread) return false;
    const situ_layout *image = takes || means ? &c->in[0] : &c->out, *out = takes || means ? &c->out : &c->in[c->nin - 1];
    if (!situ_shape_count(c->out.ndim, c->out.dim)) return true;
    pool p = {.t = &m->t, .a = c->attr, .ndim = image->ndim};
    bool empty = false;
    for (int i = 0; i < image->ndim; i++) empty |= !image->dim[i] || !out->dim[i];
    for (int i = 0; i < 2; i++) {
        p.out[i] = out->dim[out->ndim - 2 + i];
        p.image[i] = image->dim[image->ndim - 2 + i];
    }
    if (p.a->size[0] * p.a->size[1] > MOST_TAPS) m->refused = "windows of more than 400 elements";
    else if (empty) m->refused = "windows over nothing";
    else if (takes) {
        situ_wire number;
        situ_wire x = situ_stable_value(m, 0);
        situ_stable_out(m, largest(&p, x, situ_stable_value(m, 1), &number));
    } else if (puts) put(m, &p);
    else if (means) mean(m, &p);
    else spread(m, &p);
    return true;
}
