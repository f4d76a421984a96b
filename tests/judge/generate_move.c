/* Making statements: views, slices, joins, indices, order. */
#include <string.h>

#include "generate.h"
#include "move_kinds.h"

/* Factors of n over a few axes. */
static int factors(maker *g, int64_t n, int64_t *dim)
{
    int ndim = (int)rng_between(&g->r, 1, 3);
    for (int i = 0; i < ndim; i++) {
        int64_t f = i + 1 == ndim ? n : rng_between(&g->r, 1, 8);
        if (i + 1 < ndim && (!n || n % f)) f = 1;
        dim[i] = f;
        if (f) n /= f;
    }
    if (rng_chance(&g->r, 25) && n) dim[rng_below(&g->r, ndim)] = -1;
    return ndim;
}

static void broadcast_shape(maker *g, const value *v, int64_t *attr)
{
    int more = v->ndim < 4 && rng_chance(&g->r, 40);
    attr[0] = v->ndim + more;
    if (more) attr[1] = rng_between(&g->r, 0, 5);
    for (int i = 0; i < v->ndim; i++) {
        int64_t n = v->dim[i] == 1 && rng_chance(&g->r, 60) ? random_size(g) : v->dim[i];
        attr[1 + more + i] = rng_chance(&g->r, 10) ? -1 : n;
    }
}

MAKE(view)
{
    int kind = rows[s->row].variant, least = kind == M_TRANSPOSE || kind == M_DIAGONAL ? 2 : kind == M_RESHAPE || kind == M_EXPAND || kind == M_BROADCAST ? 0 : 1;
    int x = pick(g, 0, rng_chance(&g->r, 98) ? least : 0, -1);
    if (x < 0) return false;
    const value *v = value_of(g, x);
    int64_t *a = s->attr;
    operands(g, s, 1, x, 0, 0);
    switch (kind) {
    case M_RESHAPE: a[0] = factors(g, v->count, a + 1); break;
    case M_PERMUTE:
        a[0] = v->ndim;
        for (int i = 0; i < v->ndim; i++) a[1 + i] = i;
        for (int i = v->ndim - 1; i > 0; i--) {
            int k = rng_below(&g->r, i + 1);
            int64_t swap = a[1 + i];
            a[1 + i] = a[1 + k], a[1 + k] = swap;
        }
        break;
    case M_SWAPAXES:
    case M_MOVEAXIS: a[0] = random_axis(g, v), a[1] = random_axis(g, v); break;
    case M_EXPAND: a[0] = rng_between(&g->r, -v->ndim - 1, v->ndim); break;
    case M_BROADCAST: broadcast_shape(g, v, a); break;
    case M_SELECT: {
        a[0] = random_axis(g, v);
        int axis = axis_of(a[0], v->ndim);
        int64_t n = axis < 0 ? 1 : v->dim[axis];
        a[1] = rng_between(&g->r, -n, n - 1);
        break;
    }
    case M_DIAGONAL: a[0] = rng_between(&g->r, -2, 2); break;
    case M_SQUEEZE:
        a[0] = -1;
        if (rng_chance(&g->r, 50)) break;
        for (int i = 0; i < v->ndim; i++)
            if (v->dim[i] == 1) a[0] = 1, a[1] = i;
        break;
    default: random_axes(g, v, a);
    }
    return true;
}

MAKE(slice)
{
    int x = pick(g, 0, 1, -1);
    if (x < 0) return false;
    const value *v = value_of(g, x);
    int64_t *a = s->attr;
    operands(g, s, 1, x, 0, 0);
    a[0] = rng_between(&g->r, 1, v->ndim);
    for (int i = 0; i < a[0]; i++) {
        int64_t n = v->dim[i];
        bool back = rng_chance(&g->r, 25);
        a[13 + i] = rng_chance(&g->r, 60) ? 1 : rng_between(&g->r, 1, 4);
        if (back) a[13 + i] = -a[13 + i];
        a[1 + i] = rng_chance(&g->r, 40) ? SITU_FULL : rng_between(&g->r, -n - 1, n + 1);
        a[7 + i] = rng_chance(&g->r, 50) ? SITU_FULL : rng_between(&g->r, -n - 1, n + 1);
    }
    return true;
}

MAKE(update_slice)
{
    int x = pick(g, 0, 1, -1);
    if (x < 0) return false;
    const value *v = value_of(g, x);
    int64_t dim[SITU_MAX_DIMS];
    s->attr[0] = v->ndim;
    for (int i = 0; i < v->ndim; i++) {
        dim[i] = rng_between(&g->r, 0, v->dim[i]);
        s->attr[1 + i] = rng_between(&g->r, 0, v->dim[i] - dim[i]);
    }
    int y = add_leaf(g, v->dtype, v->ndim, dim, g->p->s[x].device, 1, 0, 0);
    if (y < 0) return false;
    operands(g, s, 2, x, y, 0);
    return true;
}

MAKE(join)
{
    bool stack = rows[s->row].variant == M_STACK;
    int x = pick(g, ANY_REAL, stack ? 0 : 1, -1), n = 1;
    if (x < 0) return false;
    const value *v = value_of(g, x);
    s->attr[0] = stack ? rng_between(&g->r, -v->ndim - 1, v->ndim) : random_axis(g, v);
    int axis = stack ? -1 : axis_of(s->attr[0], v->ndim);
    s->in[0] = (int16_t)x;
    int wanted = (int)rng_between(&g->r, 1, 4);
    for (int attempt = 0; attempt < 12 && n < wanted; attempt++) {
        int i = pick(g, ANY_REAL, v->ndim, g->p->s[x].device);
        if (i < 0 || value_of(g, i)->ndim != v->ndim) continue;
        bool same = true;
        for (int k = 0; k < v->ndim; k++) same = same && (k == axis || value_of(g, i)->dim[k] == v->dim[k]);
        if (same) s->in[n++] = (int16_t)i;
    }
    s->nin = (int16_t)n;
    s->device = g->p->s[x].device;
    return true;
}

MAKE(split)
{
    int x = pick(g, 0, 1, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    s->attr[0] = random_axis(g, value_of(g, x));
    s->attr[1] = rng_between(&g->r, 1, 4);
    s->attr[2] = rng_between(&g->r, 0, s->attr[1] - 1);
    return true;
}

MAKE(roll)
{
    int x = pick(g, 0, 1, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    s->attr[0] = rng_chance(&g->r, 25) ? SITU_ALL_AXES : random_axis(g, value_of(g, x));
    s->attr[1] = rows[s->row].variant ? rng_between(&g->r, 0, 3) : rng_between(&g->r, -70, 70);
    return true;
}

MAKE(pad)
{
    int x = pick(g, ANY_REAL, 1, -1);
    if (x < 0) return false;
    const value *v = value_of(g, x);
    operands(g, s, 1, x, 0, 0);
    s->attr[0] = v->ndim;
    for (int i = 0; i < v->ndim; i++) s->attr[1 + i] = rng_between(&g->r, 0, 2), s->attr[9 + i] = rng_between(&g->r, 0, 2);
    s->real[0] = rng_chance(&g->r, 60) ? 0 : v->dtype == SITU_BOOL ? 1 : rng_between(&g->r, 0, 9);
    return true;
}

MAKE(tile)
{
    int x = pick(g, 0, 0, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    s->attr[0] = rng_between(&g->r, 0, value_of(g, x)->ndim + (value_of(g, x)->ndim < 4));
    for (int i = 0; i < s->attr[0]; i++) s->attr[1 + i] = rng_between(&g->r, rng_chance(&g->r, 5) ? 0 : 1, 3);
    return true;
}

MAKE(triangle)
{
    int x = pick(g, ANY_REAL, 2, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    s->attr[0] = rng_between(&g->r, -3, 3);
    return true;
}

/* ---- indices ---- */

static int add_index(maker *g, int ndim, const int64_t *dim, int64_t n, int device)
{
    if (rng_chance(&g->r, 4)) { /* a mask and numbers with fractions are no positions */
        situ_dtype other = rng_chance(&g->r, 60) ? SITU_BOOL : random_of(g, ANY_FLOAT);
        return add_leaf(g, other, ndim, dim, device, rng_below(&g->r, 2), 0, 0);
    }
    situ_dtype d = rng_chance(&g->r, 60) ? (rng_chance(&g->r, 50) ? SITU_I64 : SITU_I32) : random_of(g, ANY_INTEGER);
    bool wild = g->late && rng_chance(&g->r, 40), minus = is_signed(d) && rng_chance(&g->r, 40);
    int64_t most = n - 1 + wild, least = minus ? -n - wild : 0, limit = size_of(d) == 1 ? 127 : 32767;
    if (size_of(d) < 4 && most > limit) most = limit;
    if (size_of(d) < 4 && least < -limit) least = -limit;
    if (n < 1 && !wild) return -1;
    return add_leaf(g, d, ndim, dim, device, 4, least, most);
}

MAKE(take)
{
    bool gather = rows[s->row].variant == M_GATHER;
    int x = pick(g, 0, 1, -1);
    if (x < 0) return false;
    const value *v = value_of(g, x);
    s->attr[0] = random_axis(g, v);
    int axis = axis_of(s->attr[0], v->ndim), ndim = gather ? v->ndim : rng_below(&g->r, 3);
    if (axis < 0) return false;
    int64_t dim[SITU_MAX_DIMS];
    for (int i = 0; i < ndim; i++) dim[i] = gather && i != axis ? v->dim[i] : rng_between(&g->r, 1, 9);
    int index = rng_chance(&g->r, 20) ? pick(g, ANY_INTEGER, gather ? v->ndim : 0, g->p->s[x].device) : -1;
    if (index < 0) index = add_index(g, ndim, dim, v->dim[axis], g->p->s[x].device);
    if (index < 0) return false;
    operands(g, s, 2, x, index, 0);
    return true;
}

/* Rows of a table, along its first axis. */
MAKE(embedding)
{
    int x = pick(g, ANY_FLOAT, 2, -1);
    if (x < 0 || value_of(g, x)->ndim != 2) return false;
    const int64_t dim[2] = {rng_between(&g->r, 1, 5), rng_between(&g->r, 1, 3)};
    int index = add_index(g, rng_below(&g->r, 3), dim, value_of(g, x)->dim[0], g->p->s[x].device);
    if (index < 0) return false;
    operands(g, s, 2, x, index, 0);
    return true;
}

MAKE(scatter)
{
    bool slices = rows[s->row].variant == M_INDEX_ADD;
    int x = pick(g, ANY_NUMBER, 1, -1);
    if (x < 0) return false;
    const value *v = value_of(g, x);
    s->attr[0] = random_axis(g, v);
    int axis = axis_of(s->attr[0], v->ndim), device = g->p->s[x].device;
    if (axis < 0) return false;
    int64_t dim[SITU_MAX_DIMS];
    memcpy(dim, v->dim, sizeof dim);
    dim[axis] = rng_between(&g->r, 1, 9);
    int index = slices ? add_index(g, 1, &dim[axis], v->dim[axis], device) : add_index(g, v->ndim, dim, v->dim[axis], device);
    int y = index < 0 ? -1 : add_leaf(g, v->dtype, v->ndim, dim, device, 0, 0, 0);
    if (y < 0) return false;
    operands(g, s, 3, x, index, y);
    return true;
}

MAKE(one_hot)
{
    int x = pick(g, rng_chance(&g->r, 4) ? ANY_REAL : ANY_INTEGER, 0, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    s->attr[0] = rng_between(&g->r, 1, 9);
    s->dtype = rng_chance(&g->r, 50) ? SITU_DTYPE_DEFAULT : random_of(g, ANY_REAL);
    return true;
}

MAKE(sort)
{
    int x = pick(g, ANY_REAL, 1, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    s->attr[0] = random_axis(g, value_of(g, x));
    s->attr[1] = rng_chance(&g->r, 40);
    return true;
}

MAKE(topk)
{
    int x = pick(g, ANY_NUMBER, 1, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    s->attr[0] = random_axis(g, value_of(g, x));
    int axis = axis_of(s->attr[0], value_of(g, x)->ndim);
    s->attr[1] = rng_chance(&g->r, 40);
    s->attr[2] = rng_between(&g->r, 0, axis < 0 ? 1 : value_of(g, x)->dim[axis]);
    s->attr[3] = rng_chance(&g->r, 50);
    return true;
}

MAKE(search)
{
    int x = pick(g, ANY_NUMBER, 1, -1);
    if (x < 0 || value_of(g, x)->ndim != 1) return false;
    statement sort = {.row = (int16_t)row_named("sort")};
    (void)sort;
    int y = pick(g, 1u << value_of(g, x)->dtype, 0, g->p->s[x].device);
    if (y < 0) return false;
    operands(g, s, 2, x, y, 0);
    s->attr[0] = rng_chance(&g->r, 50);
    return true;
}

MAKE(isin)
{
    int x = pick(g, ANY_REAL, 0, -1);
    if (x < 0) return false;
    int y = pick(g, 1u << value_of(g, x)->dtype, 0, g->p->s[x].device);
    if (y < 0) return false;
    operands(g, s, 2, x, y, 0);
    s->attr[0] = rng_chance(&g->r, 30);
    return value_of(g, x)->count * value_of(g, y)->count < 100000;
}

MAKE(find)
{
    int kind = rows[s->row].variant, x = pick(g, kind == 2 ? ANY_NUMBER : ANY_REAL, kind == 0 ? 1 : 0, -1), y = 0;
    if (x < 0) return false;
    if (kind == 1) {
        const value *v = value_of(g, x);
        if (!v->ndim) return false;
        situ_dtype d = rng_chance(&g->r, 4) ? random_of(g, ANY_REAL) : SITU_BOOL;
        int ndim = (int)rng_between(&g->r, 1, v->ndim), style = rng_below(&g->r, 2);
        y = add_leaf(g, d, ndim, v->dim, g->p->s[x].device, style, 0, 0);
        if (y < 0) return false;
    }
    operands(g, s, kind == 1 ? 2 : 1, x, y, 0);
    return true;
}
