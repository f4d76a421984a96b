/* Making statements: transforms, linear algebra, recurrences. */
#include <string.h>

#include "function_kinds.h"
#include "generate.h"

/* Limit for the interpreter, which sums term by term. */
enum { MOST_TERMS = 1 << 26 };

/* Number of terms of a transform. */
static int64_t terms_of(const value *v, int kind, int64_t n, int64_t axis)
{
    int at = (int)(axis < 0 ? axis + v->ndim : axis);
    if (at < 0 || at >= v->ndim) return 0; /* it is refused */
    int64_t given = v->dim[at];
    if (!n) n = kind == T_IRFFT || kind == T_HFFT ? 2 * given : given;
    return given ? v->count / given * n * n : 0;
}

MAKE(fft)
{
    int kind = rows[s->row].variant;
    unsigned real = WIDE_FLOAT, set = kind == T_RFFT || kind == T_IHFFT ? real : real | ANY_COMPLEX;
    int x = pick(g, kind != T_RFFT && kind != T_IHFFT && rng_chance(&g->r, 60) ? ANY_COMPLEX : set, 1, -1);
    if (x < 0) x = pick(g, set, 1, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    s->attr[1] = random_axis(g, value_of(g, x));
    s->attr[0] = rng_chance(&g->r, 65) ? 0 : rng_between(&g->r, 1, 70);
    s->attr[2] = rng_chance(&g->r, 60) ? 0 : rng_between(&g->r, 1, 2);
    return terms_of(value_of(g, x), kind, s->attr[0], s->attr[1]) <= MOST_TERMS;
}

MAKE(linear_scan)
{
    int b = pick(g, ANY_FLOAT, 1, -1);
    if (b < 0) return false;
    const value *v = value_of(g, b);
    int a = rng_chance(&g->r, 30) ? b : add_leaf(g, v->dtype, v->ndim, v->dim, g->p->s[b].device, rng_below(&g->r, 2), 0, 0);
    if (a < 0) return false;
    operands(g, s, 2, a, b, 0);
    s->attr[0] = random_axis(g, value_of(g, b));
    s->attr[1] = rng_chance(&g->r, 30);
    return true;
}

/* x times its transpose plus a diagonal; -1: the program is full. */
static int positive(maker *g, int x, int64_t n)
{
    statement t = {.row = (int16_t)row_named("swapaxes"), .dtype = SITU_DTYPE_DEFAULT};
    operands(g, &t, 1, x, 0, 0);
    t.attr[0] = -1, t.attr[1] = -2;
    int turned = add(g, &t);
    if (turned < 0) return -1;
    int squared = add_row(g, "matmul", 2, x, turned);
    statement eye = {.row = (int16_t)row_named("eye"), .dtype = value_of(g, x)->dtype, .device = g->p->s[x].device};
    eye.attr[0] = eye.attr[1] = n;
    int one = squared < 0 ? -1 : add(g, &eye);
    return one < 0 ? -1 : add_row(g, "add", 2, squared, one);
}

static bool is_matrix(const value *v, bool square)
{
    if (v->ndim < 2) return false;
    int64_t m = v->dim[v->ndim - 2], n = v->dim[v->ndim - 1];
    return m >= 1 && n >= 1 && m <= 8 && n <= 8 && (!square || m == n);
}

MAKE(matrix)
{
    int kind = rows[s->row].variant, x = g->focus;
    bool square = kind < L_Q || kind == L_EIGH || kind == L_VECTORS || kind == L_POWER;
    bool ends = rng_chance(&g->r, 50), complex = kind != L_CHOLESKY && rng_chance(&g->r, 25);
    situ_dtype d = complex ? (rng_chance(&g->r, 50) ? SITU_C64 : SITU_C128) : rng_chance(&g->r, 50) ? SITU_F32 : SITU_F64;
    int64_t n = rng_between(&g->r, 1, 6), dim[3] = {rng_between(&g->r, 1, 3), square ? n : rng_between(&g->r, 1, 6), n};
    if (x < 0 || !(WIDE_FLOAT >> value_of(g, x)->dtype & 1) || !is_matrix(value_of(g, x), square))
        x = add_leaf(g, d, ends ? 2 : 3, dim + ends, 0, 0, 0, 0);
    if (x < 0) return false;
    const value *v = value_of(g, x);
    bool late = kind == L_CHOLESKY || kind == L_SOLVE || kind == L_INV || kind == L_LOG || (kind == L_POWER && rng_chance(&g->r, 30));
    if (!is_complex(v->dtype) && (kind == L_CHOLESKY || (late && rng_chance(&g->r, 60))) && (x = positive(g, x, v->dim[v->ndim - 1])) < 0) return false;
    int b = x;
    v = value_of(g, x);
    if (kind == L_SOLVE) {
        int64_t right[SITU_MAX_DIMS];
        memcpy(right, v->dim, sizeof right);
        right[v->ndim - 1] = rng_between(&g->r, 1, 4);
        if ((b = add_leaf(g, v->dtype, v->ndim, right, g->p->s[x].device, 0, 0, 0)) < 0) return false;
    }
    operands(g, s, 1 + (kind == L_SOLVE), x, b, 0);
    s->attr[0] = kind == L_POWER ? rng_between(&g->r, late ? -2 : 0, 4) : rng_chance(&g->r, 20); /* upper, complete, full */
    return true;
}

MAKE(part)
{
    int x = pick(g, rng_chance(&g->r, 85) ? ANY_COMPLEX : ANY_REAL, 0, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    return true;
}

MAKE(pair)
{
    int x = pick(g, WIDE_FLOAT, 0, -1);
    if (x < 0) return false;
    operands(g, s, 2, x, pick_beside(g, x, 1u << value_of(g, x)->dtype), 0);
    return s->in[1] >= 0;
}
