/* Losses of pairs and rows of any real dtype, order statistics, norms; numbers at special points, of any scale, and so
 * many that an inaccurate sum is noticed. */
#include <string.h>

#include "elements.h"
#include "function_kinds.h"
#include "generate.h"
#include "leaf_styles.h"
#include "loss_kinds.h"
#include "reduce_kinds.h"

static int like(maker *g, int x, situ_dtype d, int style)
{
    const value *v = value_of(g, x);
    return add_leaf(g, d, v->ndim, v->dim, g->p->s[x].device, style, 0, 0);
}

/* Mostly integers of few bits, which show overflow. */
static situ_dtype dtype_of_loss(maker *g)
{
    static const situ_dtype small[] = {SITU_U8, SITU_I8, SITU_U16, SITU_I16};
    int x = rng_below(&g->r, 100);
    return x < 35 ? small[rng_below(&g->r, 4)] :
        x < 50    ? random_of(g, ANY_INTEGER) :
        x < 75    ? random_of(g, WIDE_FLOAT) :
                    random_of(g, ANY_FLOAT);
}

static int operand_of_loss(maker *g, int style)
{
    situ_dtype d = dtype_of_loss(g);
    int x = style == LEAF_SMALL && rng_chance(&g->r, 50) ? pick(g, 1u << d, 0, -1) : -1;
    int64_t dim[2] = {rng_between(&g->r, 1, 5), rng_between(&g->r, 1, 9)};
    if (x >= 0) return x;
    if (style == LEAF_SMALL && is_integer(d)) style = LEAF_ANY;
    return add_leaf(g, d, rng_below(&g->r, 3), dim, 0, style, 0, 0);
}

MAKE(pair_loss)
{
    int kind = rows[s->row].variant, style = LEAF_SMALL, third = 0;
    if (g->p->count + 6 >= MOST_STATEMENTS) return false;
    int x = operand_of_loss(g, kind == P_SHARE ? LEAF_SHARES : rng_chance(&g->r, 12) ? LEAF_CORNERS : LEAF_SMALL);
    if (x < 0 || !usable(g, x)) return false;
    situ_dtype d = value_of(g, x)->dtype;
    if (kind >= P_HINGE && kind < P_RANKING) style = LEAF_SIGNS;
    if (kind >= P_SHARE) style = LEAF_SHARES;
    if (kind < P_HINGE && is_integer(d)) style = LEAF_ANY;
    bool mixed = rng_chance(&g->r, 15);
    int y = like(g, x, mixed ? (is_integer(d) ? random_of(g, ANY_INTEGER) : random_of(g, ANY_INTEGER | ANY_BOOL)) : d, style);
    if (kind == P_RANKING) third = like(g, x, d, LEAF_SIGNS);
    if (y < 0 || third < 0) return false;
    operands(g, s, 2 + (kind == P_RANKING), x, y, third);
    s->attr[0] = rng_below(&g->r, 3);
    s->real[0] = kind == P_SMOOTH && rng_chance(&g->r, 20) ? 0 :
        rng_chance(&g->r, 50)                              ? 1 :
                                                             0.25 * (double)rng_between(&g->r, 1, 8);
    return true;
}

MAKE(row_loss)
{
    bool triplet = rows[s->row].variant == P_TRIPLET;
    situ_dtype d = dtype_of_loss(g);
    int64_t dim[2] = {rng_between(&g->r, 1, 4), rng_between(&g->r, 1, 6)};
    int style = is_integer(d) ? LEAF_ANY : rng_chance(&g->r, 40) && !triplet ? LEAF_SCALED : LEAF_SMALL;
    if (g->p->count + 6 >= MOST_STATEMENTS) return false;
    int x = add_leaf(g, d, 2, dim, 0, style, 0, 0), y = add_leaf(g, d, 2, dim, 0, style, 0, 0);
    int z = triplet ? add_leaf(g, d, 2, dim, 0, style, 0, 0) : add_leaf(g, is_float(d) ? d : SITU_I32, 1, dim, 0, LEAF_SIGNS, 0, 0);
    if (x < 0 || y < 0 || z < 0) return false;
    operands(g, s, 3, x, y, z);
    s->attr[0] = rng_below(&g->r, 3);
    s->real[0] = triplet ? 1 : 0.25 * (double)rng_between(&g->r, -2, 2);
    return true;
}

MAKE(quantile)
{
    int x = pick(g, rng_chance(&g->r, 70) ? ANY_FLOAT : ANY_NUMBER, 0, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    random_axes(g, value_of(g, x), s->attr);
    s->attr[8] = rng_chance(&g->r, 40);
    s->attr[9] = rng_below(&g->r, 5);
    s->real[0] = rng_chance(&g->r, 30) ? 0.25 * (double)rng_between(&g->r, 0, 4) : rng_unit(&g->r);
    return true;
}

MAKE(global_norm)
{
    int x = pick(g, ANY_REAL, 0, -1), n = 1;
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    for (int more = rng_below(&g->r, 3); more > 0; more--) {
        int y = pick(g, ANY_REAL, 0, g->p->s[x].device);
        if (y >= 0) s->in[n++] = (int16_t)y;
    }
    s->nin = (int16_t)n;
    return true;
}

/* ---- lines that belong together ---- */

static bool differentiate(maker *g, int y, int x)
{
    statement grad = {.row = (int16_t)row_named("grad"), .dtype = SITU_DTYPE_DEFAULT};
    operands(g, &grad, 2, y, x, 0);
    grad.device = g->p->s[x].device;
    g->p->grads = true;
    return add(g, &grad) >= 0;
}

/* A function of one number, or a loss, at special points, and its gradient there. */
static int at_corners(maker *g, int x)
{
    static const char *const functions[] = {"gelu", "silu", "mish", "leaky_relu", "elu", "expm1"};
    static const char *const losses[] = {
        "mse", "l1_loss", "smooth_l1_loss", "huber_loss", "hinge_loss", "binary_cross_entropy_with_logits", "kl_div"};
    statement s = {.dtype = SITU_DTYPE_DEFAULT};
    int which = rng_below(&g->r, 100);
    operands(g, &s, 1, x, 0, 0);
    if (which < 25) {
        int y = like(g, x, value_of(g, x)->dtype, LEAF_CORNERS);
        bool second = rng_chance(&g->r, 50);
        if (y < 0) return -1;
        operands(g, &s, 2, second ? y : x, second ? x : y, 0);
        do s.row = (int16_t)rng_below(&g->r, row_count);
        while (rows[s.row].group != G_ELEMENT || rows[s.row].arity != 2 ||
            !(1u << rows[s.row].kind & (1u << K_FLOAT | 1u << K_NUMBER)));
    } else if (which < 60) {
        do s.row = (int16_t)rng_below(&g->r, row_count);
        while (rows[s.row].group != G_ELEMENT || rows[s.row].arity != 1 ||
            !(1u << rows[s.row].kind & (1u << K_FLOAT | 1u << K_NUMBER)));
    } else if (which < 75) {
        s.row = (int16_t)row_named(functions[rng_below(&g->r, 6)]);
        s.attr[0] = rng_chance(&g->r, 50), s.real[0] = 0.25;
    } else {
        int kind = rng_below(&g->r, 7),
            y = like(g, x, value_of(g, x)->dtype,
                kind == 4    ? LEAF_SIGNS :
                    kind > 4 ? LEAF_SHARES :
                               LEAF_FEW);
        if (y < 0) return -1;
        operands(g, &s, 2, x, y, 0);
        s.row = (int16_t)row_named(losses[kind]);
        s.attr[0] = 2, s.real[0] = 1;
    }
    return add(g, &s);
}

/* A reduction of many numbers, next to a NaN or where there is no slope. */
static int folded(maker *g, int x)
{
    static const char *const names[] = {"median", "quantile", "norm", "std", "var", "max", "min", "logsumexp", "global_norm"};
    statement s = {.row = (int16_t)row_named(names[rng_below(&g->r, 9)]), .dtype = SITU_DTYPE_DEFAULT};
    operands(g, &s, 1, x, 0, 0);
    if (rows[s.row].make != make_global_norm) random_axes(g, value_of(g, x), s.attr);
    s.attr[9] = rows[s.row].make == make_quantile ? rng_below(&g->r, 5) : 0;
    s.real[0] = rows[s.row].make == make_quantile ? 0.25 * (double)rng_between(&g->r, 0, 4) : 0;
    return add(g, &s);
}

bool corner_idiom(maker *g)
{
    bool fold = rng_chance(&g->r, 35);
    int64_t dim[2] = {rng_between(&g->r, fold ? 1 : 8, fold ? 4 : 30), rng_between(&g->r, 2, 5)};
    int style = !fold || rng_chance(&g->r, 45) ? LEAF_CORNERS : rng_chance(&g->r, 60) ? LEAF_SMALL : LEAF_FEW;
    situ_dtype d = rng_chance(&g->r, 70) ? SITU_F64 : SITU_F32;
    if (g->p->count + 8 >= MOST_STATEMENTS) return false;
    int x = add_leaf(g, d, 1 + fold, dim, 0, style, 0, 0), zero = -1;
    if (x >= 0 && fold && rng_chance(&g->r, 20)) zero = add_row(g, "zeros_like", 1, x, 0);
    if (zero >= 0) x = zero;
    int y = x < 0 ? -1 : fold ? folded(g, x) : at_corners(g, x);
    return y >= 0 && usable(g, y) && differentiate(g, y, x);
}

/* Norms and standard deviations of numbers whose squares overflow or underflow. */
bool scaled_idiom(maker *g)
{
    static const char *const names[] = {"norm", "std", "global_norm", "mean", "layer_norm", "batch_norm", "cosine_embedding_loss"};
    int which = rng_below(&g->r, 7);
    situ_dtype d = random_of(g, WIDE_FLOAT);
    int64_t dim[2] = {rng_between(&g->r, 2, 5), rng_between(&g->r, 2, 8)};
    if (g->p->count + 8 >= MOST_STATEMENTS) return false;
    statement s = {.row = (int16_t)row_named(names[which]), .dtype = SITU_DTYPE_DEFAULT};
    int x = add_leaf(g, d, 2, dim, 0, LEAF_SCALED, 0, 0);
    if (x < 0) return false;
    operands(g, &s, 1, x, 0, 0);
    if (which < 4) {
        if (which != 2) random_axes(g, value_of(g, x), s.attr);
    } else if (which < 6) {
        int a = add_leaf(g, d, 1, &dim[1], 0, LEAF_WEIGHTS, 0, 0), b = add_leaf(g, d, 1, &dim[1], 0, LEAF_WEIGHTS, 0, 0);
        if (a < 0 || b < 0) return false;
        operands(g, &s, 3, x, a, b);
        s.real[0] = 1e-5;
    } else {
        int y = add_leaf(g, d, 2, dim, 0, LEAF_SCALED, 0, 0), z = add_leaf(g, d, 1, dim, 0, LEAF_SIGNS, 0, 0);
        if (y < 0 || z < 0) return false;
        operands(g, &s, 3, x, y, z);
    }
    return add(g, &s) >= 0;
}

/* The mean of one window of very many elements. */
bool large_window_idiom(maker *g)
{
    static const situ_dtype dtypes[] = {SITU_F32, SITU_F32, SITU_F16, SITU_BF16, SITU_F64};
    int64_t most = g->most, side = rng_between(&g->r, 200, 300), dim[3] = {1, side, rng_between(&g->r, 240, 300)};
    statement s = {.row = (int16_t)row_named("avg_pool2d"), .dtype = SITU_DTYPE_DEFAULT};
    if (g->p->count + 4 >= MOST_STATEMENTS) return false;
    int x = add_leaf(g, dtypes[rng_below(&g->r, 5)], 3, dim, 0, LEAF_ALIKE, 0, 0);
    if (x < 0) return false;
    g->depth_of[x] = -1; /* too large for other statements */
    operands(g, &s, 1, x, 0, 0);
    s.attr[0] = s.attr[2] = dim[1], s.attr[1] = s.attr[3] = dim[2];
    s.attr[8] = s.attr[9] = 1, s.attr[6] = 1;
    bool done = add(g, &s) >= 0;
    g->most = most;
    return done;
}
