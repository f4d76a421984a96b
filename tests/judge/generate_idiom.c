/* Groups of statements that single random statements hardly ever form: reductions of comparisons, variables assigned
 * from rearranged versions of themselves. */
#include <string.h>

#include "elements.h"
#include "generate.h"
#include "move_kinds.h"
#include "reduce_kinds.h"

static int row_of_elements(maker *g, unsigned kinds, int arity)
{
    int row;
    do row = rng_below(&g->r, row_count);
    while (rows[row].group != G_ELEMENT || !(kinds >> rows[row].kind & 1) || rows[row].arity != arity);
    return row;
}

/* x, made into another value by an elementwise row. */
static int elementwise(maker *g, int row, int x)
{
    statement s = {.row = (int16_t)row, .dtype = SITU_DTYPE_DEFAULT};
    int y = -1;
    if (rows[row].arity == 2 && rng_chance(&g->r, 40)) y = pick_beside(g, x, 1u << value_of(g, x)->dtype);
    operands(g, &s, rows[row].arity, x, y, 0);
    if (rows[row].arity == 2 && y < 0) s.number[0] = random_number(g, value_of(g, x)->dtype);
    return add(g, &s);
}

static int fold(maker *g, int x)
{
    static const char *const names[] = {"any", "all", "any", "all", "count_nonzero", "max", "min", "sum", "argmax", "argmin"};
    statement s = {.row = (int16_t)row_named(names[rng_below(&g->r, value_of(g, x)->dtype == SITU_BOOL ? 8 : 10)]), .dtype = SITU_DTYPE_DEFAULT};
    operands(g, &s, 1, x, 0, 0);
    if (rows[s.row].make == make_arg) s.attr[0] = rng_chance(&g->r, 50) ? SITU_ALL_AXES : random_axis(g, value_of(g, x));
    else random_axes(g, value_of(g, x), s.attr);
    return add(g, &s);
}

/* A leaf with many elements, some elementwise operations, usually a comparison, and a reduction of it. */
static bool folded_chain(maker *g)
{
    static const situ_dtype dtypes[] = {SITU_F32, SITU_F32, SITU_F32, SITU_F64, SITU_F16, SITU_BF16, SITU_I32, SITU_U8, SITU_I64, SITU_BOOL};
    situ_dtype d = dtypes[rng_below(&g->r, 10)];
    int ndim = (int)rng_between(&g->r, 1, 2), floats = 1 << K_NUMBER | 1 << K_FLOAT | 1 << K_ROUND, kinds = is_float(d) ? floats : 1 << K_NUMBER;
    int64_t dim[2] = {rng_between(&g->r, 1, ndim == 1 ? 600 : 40), rng_between(&g->r, 1, 70)};
    if (rng_chance(&g->r, 4)) dim[0] = 64 * rng_between(&g->r, 60, 200), dim[1] = 1;
    int x = add_leaf(g, d, ndim, dim, 0, rng_below(&g->r, 3), 0, 0);
    for (int n = rng_below(&g->r, 4); n > 0 && x >= 0 && d != SITU_BOOL; n--) x = elementwise(g, row_of_elements(g, (unsigned)kinds, 1 + rng_chance(&g->r, 40)), x);
    if (x >= 0 && usable(g, x) && rng_chance(&g->r, 75)) x = elementwise(g, row_of_elements(g, 1 << K_COMPARE | 1 << K_EQUAL, 2), x);
    if (x >= 0 && usable(g, x) && rng_chance(&g->r, 25)) x = elementwise(g, row_named("logical_not"), x);
    return x >= 0 && usable(g, x) && fold(g, x) >= 0;
}

/* Sums and the like over more elements than a block has (1,024 along the last axis, 64 rows along others), of similar
 * numbers, so that a missing block is noticed. */
static bool long_fold(maker *g)
{
    static const situ_dtype dtypes[] = {SITU_F32, SITU_F32, SITU_F64, SITU_F16, SITU_BF16, SITU_I32, SITU_U8, SITU_I64, SITU_BOOL};
    static const char *const names[] = {"sum", "sum", "sum", "mean", "max", "min", "any", "all", "count_nonzero", "norm", "logsumexp", "cumsum", "prod"};
    situ_dtype d = dtypes[rng_below(&g->r, 9)];
    bool rows_first = rng_chance(&g->r, 50);
    int64_t most = g->most, n = rows_first ? rng_between(&g->r, 60, 400) : rng_between(&g->r, 1000, rng_chance(&g->r, 25) ? 40000 : 7000);
    int64_t dim[3] = {rows_first ? n : n > 9000 ? 1 : rng_between(&g->r, 1, 2), rows_first ? rng_between(&g->r, 1, 20) : n, 1};
    statement s = {.row = (int16_t)row_named(names[rng_below(&g->r, is_float(d) ? 13 : 9)]), .dtype = SITU_DTYPE_DEFAULT};
    int x = add_leaf(g, d, 2, dim, 0, rng_chance(&g->r, 70) ? 0 : 1, 0, 0);
    g->most = 90000;
    if (x >= 0 && rng_chance(&g->r, 40)) x = elementwise(g, row_of_elements(g, is_float(d) ? 1 << K_NUMBER | 1 << K_ROUND : 1 << K_COMPARE, 2), x);
    bool done = x >= 0 && usable(g, x);
    if (done) {
        operands(g, &s, 1, x, 0, 0);
        if (rows[s.row].make == make_scan) s.attr[0] = rows_first ? 0 : 1;
        else if (rng_chance(&g->r, 70)) s.attr[0] = 1, s.attr[1] = rows_first ? 0 : 1;
        else s.attr[0] = -1;
        done = add(g, &s) >= 0;
    }
    g->most = most;
    return done;
}

/* A variable with more elements than a group keeps in registers; -1: the program is full. */
static int large_variable(maker *g)
{
    static const situ_dtype dtypes[] = {SITU_F32, SITU_F32, SITU_F64, SITU_F16, SITU_I32, SITU_U8, SITU_I64, SITU_BOOL};
    int ndim = (int)rng_between(&g->r, 1, 2);
    int64_t dim[2] = {ndim == 1 ? rng_between(&g->r, 500, 6000) : rng_between(&g->r, 20, 90), rng_between(&g->r, 20, 90)};
    int x = add_leaf(g, dtypes[rng_below(&g->r, 8)], ndim, dim, 0, 0, 0, 0);
    return x < 0 || g->late ? -1 : add_row(g, "variable", 1, x, 0);
}

/* assign(v, f(v, another view of v)) */
static bool update_from_view_of(maker *g, int v)
{
    situ_dtype d = value_of(g, v)->dtype;
    statement view = {.row = (int16_t)row_named(rng_chance(&g->r, 70) ? "flip" : "roll"), .dtype = SITU_DTYPE_DEFAULT};
    operands(g, &view, 1, v, 0, 0);
    if (rows[view.row].make == make_view) random_axes(g, value_of(g, v), view.attr);
    else view.attr[1] = rng_between(&g->r, 1, 9);
    statement join = {.row = (int16_t)row_named(d == SITU_BOOL ? "bitwise_xor" : rng_chance(&g->r, 50) ? "sub" : "maximum"), .dtype = SITU_DTYPE_DEFAULT};
    int w = add(g, &view);
    if (w < 0) return false;
    operands(g, &join, 2, v, w, 0);
    int next = add(g, &join);
    if (next < 0 || value_of(g, next)->dtype != d) return false;
    statement assign = {.row = (int16_t)row_named("assign"), .dtype = SITU_DTYPE_DEFAULT};
    operands(g, &assign, 2, v, next, 0);
    return add(g, &assign) >= 0;
}

static bool update_from_view(maker *g)
{
    int64_t most = g->most;
    g->most = 10000;
    int v = rng_chance(&g->r, 60) ? large_variable(g) : pick(g, 0, 1, -1);
    bool done = v >= 0 && !g->late && !is_complex(value_of(g, v)->dtype);
    if (done && !g->is_variable[v]) done = (v = add_row(g, "variable", 1, v, 0)) >= 0;
    done = done && update_from_view_of(g, v);
    g->most = most;
    return done;
}

/* A leaf of f64 or f32, some operations in sequence, and the gradient by the leaf or an intermediate value. */
static bool differentiated_chain(maker *g)
{
    enum { GROUPS = 1 << G_ELEMENT | 1 << G_REDUCE | 1 << G_MOVE | 1 << G_INDEX | 1 << G_PRODUCT | 1 << G_NETWORK | 1 << G_FUNCTION | 1 << G_LINALG };
    situ_dtype d = rng_chance(&g->r, 70) ? SITU_F64 : SITU_F32;
    int ndim = (int)rng_between(&g->r, 1, 3), first, y, before = g->p->count;
    int64_t dim[3];
    for (int i = 0; i < ndim; i++) dim[i] = rng_between(&g->r, 1, 6);
    first = y = add_leaf(g, d, ndim, dim, 0, 0, 0, 0);
    if (first >= 0 && rng_chance(&g->r, 25)) first = y = add_row(g, "variable", 1, first, 0);
    for (int n = (int)rng_between(&g->r, 1, 5), tries = 12; n > 0 && tries > 0 && y >= 0; tries--) {
        statement s = {.row = (int16_t)row_of_groups(g, GROUPS), .dtype = SITU_DTYPE_DEFAULT};
        g->focus = y;
        int added = rows[s.row].make(g, &s) ? add(g, &s) : -1;
        g->focus = -1;
        if (added < 0 || !usable(g, added) || !is_float(value_of(g, added)->dtype) || s.in[0] != y) continue;
        if (value_of(g, added)->count) y = added, n--;
    }
    if (y < 0 || y == first) return g->p->count != before;
    statement grad = {.row = (int16_t)row_named("grad"), .dtype = SITU_DTYPE_DEFAULT};
    operands(g, &grad, 2, y, first, 0);
    grad.device = g->p->s[first].device; /* a gradient is on the device of what it is taken by */
    g->p->grads = true;
    return add(g, &grad) >= 0;
}

bool idiom(maker *g)
{
    int which = rng_below(&g->r, 1000);
    if (which < 320) return folded_chain(g);
    if (which < 450) return update_from_view(g);
    if (which < 560) return long_fold(g);
    if (which < 780) return differentiated_chain(g);
    if (which < 910) return corner_idiom(g);
    return which < 995 ? scaled_idiom(g) : large_window_idiom(g);
}
