/* Making statements: products, networks, losses, random numbers. */
#include <string.h>

#include "function_kinds.h"
#include "generate.h"
#include "leaf_styles.h"

MAKE(product)
{
    int kind = rows[s->row].variant;
    int x = pick(g, rng_chance(&g->r, 8) ? ANY_COMPLEX : ANY_NUMBER, 1, -1);
    if (x < 0) return false;
    const value *v = value_of(g, x);
    int device = g->p->s[x].device, y;
    int64_t dim[SITU_MAX_DIMS] = {1};
    if (kind == 2) {
        y = pick(g, 1u << v->dtype, 1, device);
    } else {
        int ndim = kind == 1 ? v->ndim : (int)rng_between(&g->r, 1, v->ndim > 2 && rng_chance(&g->r, 50) ? v->ndim : 2);
        int64_t k = v->dim[v->ndim - 1], n = rng_chance(&g->r, 80) ? rng_between(&g->r, 1, 9) : rng_between(&g->r, 1, 80);
        for (int i = 0; i < ndim; i++) dim[i] = kind == 1 ? v->dim[i] : i == ndim - 1 ? n : i == ndim - 2 ? k : rng_chance(&g->r, 50) ? 1 : v->dim[v->ndim - ndim + i];
        if (kind == 0 && ndim == 1) dim[0] = k;
        if (v->count / (k ? k : 1) * n > 20000) return false;
        y = add_leaf(g, v->dtype, ndim, dim, device, rng_below(&g->r, 2), 0, 0);
    }
    if (y < 0) return false;
    operands(g, s, 2, x, y, 0);
    return true;
}

MAKE(conv)
{
    bool one = rows[s->row].variant;
    situ_dtype d = random_of(g, ANY_FLOAT);
    int64_t *a = s->attr, groups = rng_chance(&g->r, 75) ? 1 : 2, in = rng_between(&g->r, 1, 3), out = rng_between(&g->r, 1, 3) * groups;
    int64_t x_dim[4] = {rng_between(&g->r, 0, 3), in * groups, rng_between(&g->r, 1, 9), rng_between(&g->r, 1, 12)};
    int64_t w_dim[4] = {out, in, rng_between(&g->r, 1, 3), rng_between(&g->r, 1, 4)};
    for (int i = 0; i < 2; i++) {
        a[i] = rng_between(&g->r, 1, 2), a[2 + i] = rng_between(&g->r, 0, 2), a[4 + i] = rng_chance(&g->r, 75) ? 1 : 2;
        if (one) x_dim[2] = x_dim[3] + 4, w_dim[2] = w_dim[3];
    }
    if (x_dim[0] == 0 && rng_chance(&g->r, 70)) x_dim[0] = 1;
    a[6] = groups;
    int x = add_leaf(g, d, one ? 3 : 4, x_dim, 0, rng_below(&g->r, 2), 0, 0);
    int w = x < 0 ? -1 : add_leaf(g, d, one ? 3 : 4, w_dim, 0, rng_below(&g->r, 2), 0, 0);
    if (w < 0) return false;
    operands(g, s, 2, x, w, 0);
    return true;
}

MAKE(pool)
{
    int x = pick(g, ANY_FLOAT, 2, -1);
    if (x < 0) return false;
    int64_t *a = s->attr;
    operands(g, s, 1, x, 0, 0);
    for (int i = 0; i < 2; i++) {
        a[i] = rng_between(&g->r, 1, 3), a[2 + i] = rng_between(&g->r, 1, 3);
        a[4 + i] = rng_chance(&g->r, 50) ? 0 : a[i] / 2;
        a[8 + i] = rng_chance(&g->r, 75) || rows[s->row].variant ? 1 : rng_between(&g->r, 1, 3);
    }
    a[6] = rng_chance(&g->r, 60);
    a[7] = rng_chance(&g->r, 40);
    return true;
}

MAKE(softmax)
{
    int x = pick(g, ANY_FLOAT, 1, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    s->attr[0] = rng_chance(&g->r, 60) ? -1 : random_axis(g, value_of(g, x));
    return true;
}

MAKE(activation)
{
    int x = pick(g, ANY_FLOAT, 0, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    s->attr[0] = rng_chance(&g->r, 40);
    s->real[0] = 0.25;
    return true;
}

MAKE(loss)
{
    int x = pick(g, rows[s->row].variant ? ANY_REAL : ANY_FLOAT, 1, -1);
    if (x < 0) return false;
    const value *v = value_of(g, x);
    int64_t classes = v->dim[v->ndim - 1];
    if (!classes || !v->count) return false;
    situ_dtype d = rng_chance(&g->r, 50) ? SITU_I32 : random_of(g, ANY_INTEGER & ~(1u << SITU_I8 | 1u << SITU_U8));
    /* dtypes that are no labels, to be refused */
    if (rng_chance(&g->r, 4)) d = rng_chance(&g->r, 50) ? SITU_BOOL : random_of(g, ANY_FLOAT);
    int y = add_leaf(g, d, v->ndim - 1, v->dim, g->p->s[x].device, 4, 0, classes - 1 + (g->late && rng_chance(&g->r, 30)));
    if (y < 0) return false;
    operands(g, s, 2, x, y, 0);
    s->attr[0] = rng_below(&g->r, 3);
    return true;
}

MAKE(layer_norm)
{
    bool channels = rows[s->row].variant;
    int x = pick(g, ANY_FLOAT, 1 + channels, -1);
    if (x < 0) return false;
    const value *v = value_of(g, x);
    int64_t n = v->dim[channels ? 1 : v->ndim - 1];
    int scale = add_leaf(g, v->dtype, 1, &n, g->p->s[x].device, 0, 0, 0);
    int shift = scale < 0 ? -1 : add_leaf(g, v->dtype, 1, &n, g->p->s[x].device, 0, 0, 0);
    if (shift < 0 || !n) return false;
    operands(g, s, 3, x, scale, shift);
    s->real[0] = 1e-3;
    return true;
}

/* Keys or values; those from `seen` on may be anything. */
static int keys_of(maker *g, situ_dtype d, const int64_t *dim, int64_t seen)
{
    int64_t first[3] = {dim[0], seen, dim[2]}, rest[3] = {dim[0], dim[1] - seen, dim[2]};
    int x = add_leaf(g, d, 3, first, 0, LEAF_SMALL, 0, 0);
    if (x < 0 || !rest[1]) return x;
    statement join = {.row = (int16_t)row_named("concat"), .dtype = SITU_DTYPE_DEFAULT};
    int y = add_leaf(g, d, 3, rest, 0, LEAF_CORNERS, 0, 0);
    operands(g, &join, 2, x, y, 0);
    join.attr[0] = 1;
    return y < 0 ? -1 : add(g, &join);
}

MAKE(attention)
{
    situ_dtype d = random_of(g, WIDE_FLOAT);
    int64_t batch = rng_between(&g->r, 1, 2), q = rng_between(&g->r, 1, 9), k = rng_between(&g->r, 1, 9), w = rng_between(&g->r, 1, 9);
    int64_t a[3] = {batch, q, w}, b[3] = {batch, k, w}, c[3] = {batch, k, rng_between(&g->r, 1, 9)};
    s->attr[0] = rng_chance(&g->r, 40) && q <= k;
    int64_t seen = s->attr[0] && rng_chance(&g->r, 50) ? q : k; /* no query sees keys beyond */
    int x = add_leaf(g, d, 3, a, 0, 0, 0, 0), y = keys_of(g, d, b, seen), z = keys_of(g, d, c, seen);
    if (x < 0 || y < 0 || z < 0) return false;
    operands(g, s, 3, x, y, z);
    return true;
}

MAKE(key)
{
    s->attr[0] = rng_below(&g->r, 100000);
    s->device = g->p->two_devices && rng_chance(&g->r, 30);
    return true;
}

MAKE(random)
{
    int kind = rows[s->row].variant, key = -1;
    for (int i = 0; i < g->p->count; i++)
        if (usable(g, i) && rows[g->p->s[i].row].group == G_RANDOM && !strcmp(rows[g->p->s[i].row].name, "key")) key = i;
    if (key < 0) return false;
    int64_t *a = s->attr;
    operands(g, s, 1, key, 0, 0);
    a[0] = g->domain_rank;
    memcpy(a + 1, g->domain, sizeof *a * (size_t)g->domain_rank);
    a[9] = rng_chance(&g->r, 30);
    a[10] = rng_between(&g->r, -5, 5), a[11] = a[10] + rng_between(&g->r, 1, 100);
    s->dtype = kind == N_BITS ? random_of(g, ANY_UNSIGNED) : kind == N_RANDINT ? SITU_I32 : rng_chance(&g->r, 70) ? SITU_F32 : random_of(g, ANY_FLOAT);
    s->real[0] = kind == N_BERNOULLI ? 0.4 : -1, s->real[1] = 2;
    if (kind == N_PERMUTATION || kind == N_SPLIT_KEYS) a[0] = 1, a[1] = rng_between(&g->r, 1, 70);
    return true;
}
