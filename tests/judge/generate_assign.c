/* Making statements: several assignments that read each other. */
#include <string.h>

#include "generate.h"
#include "leaf_styles.h"

enum { MOST_TOGETHER = 3 };

/* A variable of the same shape and dtype. */
static int variable_like(maker *g, int v)
{
    const value *of = value_of(g, v);
    int x = add_leaf(g, of->dtype, of->ndim, of->dim, g->p->s[v].device, rng_below(&g->r, 2), 0, 0);
    return x < 0 ? -1 : add_row(g, "variable", 1, x, 0);
}

static int first_variable(maker *g)
{
    int64_t n = rng_between(&g->r, 1, 6), dim[2] = {n, rng_chance(&g->r, 60) ? n : rng_between(&g->r, 1, 40)};
    int found = -1;
    for (int i = 0; i < g->p->count && found < 0; i++)
        if (usable(g, i) && g->is_variable[i] && rng_chance(&g->r, 30) && value_of(g, i)->count <= g->most) found = i;
    if (found >= 0) return found;
    situ_dtype d = random_of(g, ANY_REAL); /* drawn first, because the order in which a call's operands are evaluated
                                            * differs by compiler */
    int ndim = (int)rng_between(&g->r, 1, 2), style = rng_below(&g->r, 2), x = add_leaf(g, d, ndim, dim, 0, style, 0, 0);
    return x < 0 ? -1 : add_row(g, "variable", 1, x, 0);
}

/* w rearranged, in the same shape. */
static int turned(maker *g, int w)
{
    const value *v = value_of(g, w);
    bool square = v->ndim == 2 && v->dim[0] == v->dim[1];
    if (square && rng_chance(&g->r, 50)) return add_row(g, "transpose", 1, w, 0);
    statement view = {.row = (int16_t)row_named(rng_chance(&g->r, 60) ? "flip" : "roll"), .dtype = SITU_DTYPE_DEFAULT};
    operands(g, &view, 1, w, 0, 0);
    if (rows[view.row].make == make_view) random_axes(g, v, view.attr);
    else view.attr[1] = rng_between(&g->r, 1, 9);
    return add(g, &view);
}

/* A next value for v, computed from w (and from v). */
static int next_value(maker *g, int v, int w)
{
    situ_dtype d = value_of(g, v)->dtype;
    int how = rng_below(&g->r, 100);
    if (how < 45) return w;
    if (how < 70) return turned(g, w);
    return add_row(g, d == SITU_BOOL ? "bitwise_xor" : rng_chance(&g->r, 50) ? "sub" : "maximum", 2, v, w);
}

static bool is_like(const value *a, const value *b)
{
    return a->dtype == b->dtype && a->ndim == b->ndim && !memcmp(a->dim, b->dim, sizeof *a->dim * (size_t)a->ndim);
}

MAKE(assign_all)
{
    int v[MOST_TOGETHER], next[MOST_TOGETHER], n = rng_chance(&g->r, 75) ? 2 : MOST_TOGETHER;
    if (g->late || g->p->count + 14 >= MOST_STATEMENTS) return false;
    v[0] = first_variable(g);
    for (int k = 1; k < n && v[k - 1] >= 0; k++) v[k] = variable_like(g, v[0]);
    for (int k = 0; k < n; k++)
        if (v[k] < 0) return false;
    for (int k = 0; k < n; k++) {
        next[k] = next_value(g, v[k], v[(k + 1) % n]);
        if (next[k] < 0 || !is_like(value_of(g, next[k]), value_of(g, v[k]))) return false;
    }
    if (rng_chance(&g->r, 20)) { /* one after the other, from values that were made before the first assignment */
        statement one = {.row = (int16_t)row_named("assign"), .dtype = SITU_DTYPE_DEFAULT};
        for (int k = 0; k + 1 < n; k++) {
            operands(g, &one, 2, v[k], next[k], 0);
            if (add(g, &one) < 0) return false;
        }
        *s = one;
        operands(g, s, 2, v[n - 1], next[n - 1], 0);
        return true;
    }
    s->nin = (int16_t)(2 * n);
    for (int k = 0; k < n; k++) s->in[k] = (int16_t)v[k], s->in[n + k] = (int16_t)next[k];
    s->device = g->p->s[v[0]].device;
    return true;
}
