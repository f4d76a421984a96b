/* Making statements: leaves, elementwise operations, reductions, state. */
#include <string.h>

#include "elements.h"
#include "function_kinds.h"
#include "generate.h"
#include "move_kinds.h"
#include "reduce_kinds.h"

static int any_device(maker *g) { return g->p->two_devices && rng_chance(&g->r, 40); }

/* A shape that broadcasts to the program's domain. */
static int random_shape(maker *g, int64_t *dim)
{
    int ndim = g->domain_rank, skip = 0;
    if (ndim && rng_chance(&g->r, 25)) skip = rng_below(&g->r, ndim + 1);
    for (int i = skip; i < ndim; i++) dim[i - skip] = rng_chance(&g->r, 20) ? 1 : g->domain[i];
    return ndim - skip;
}

MAKE(leaf)
{
    static const unsigned char styles[] = {0, 0, 0, 1, 1, 2, 2, 3};
    s->dtype = random_dtype(g);
    s->seed = rng_next(&g->r);
    s->attr[0] = random_shape(g, s->attr + 1);
    s->attr[9] = styles[rng_below(&g->r, 8)];
    s->device = any_device(g);
    return true;
}

MAKE(create)
{
    int kind = rows[s->row].variant;
    s->device = any_device(g);
    s->dtype = rng_chance(&g->r, 50) ? SITU_DTYPE_DEFAULT : random_of(g, ANY_REAL);
    s->attr[0] = random_shape(g, s->attr + 1);
    if (kind == C_LINSPACE) {
        static const double ends[] = {-3e38, 3e38, -1.5e308, 1.5e308, 0, 1, -1, 0.1, 6e4, -6e4};
        bool far = rng_chance(&g->r, 40);
        for (int k = 0; k < 2; k++) s->real[k] = far ? ends[rng_below(&g->r, 10)] : rng_unit(&g->r) * 8 - 4;
        s->dtype = rng_chance(&g->r, 40) ? SITU_DTYPE_DEFAULT : random_of(g, ANY_FLOAT);
        s->attr[0] = rng_between(&g->r, 0, 40), s->attr[1] = rng_chance(&g->r, 25);
    } else if (kind == C_ARANGE) {
        s->attr[0] = rng_between(&g->r, -9, 9), s->attr[1] = s->attr[0] + rng_between(&g->r, -3, 80);
        s->attr[2] = rng_between(&g->r, -2, 3);
        if (s->dtype != SITU_DTYPE_DEFAULT && s->dtype != SITU_F32 && s->dtype != SITU_F64) s->dtype = SITU_I64;
    } else if (kind == C_EYE || kind == C_TRI) {
        s->attr[0] = rng_between(&g->r, 1, 12), s->attr[1] = rng_between(&g->r, 1, 12), s->attr[2] = rng_between(&g->r, -4, 4);
    } else if (kind == C_FULL) {
        s->nin = 1, s->in[0] = -1;
        s->number[0] = random_number(g, SITU_F32);
        if (s->number[0].kind == 2 && s->dtype == SITU_BOOL) return false;
    } else if (kind >= C_ZEROS_LIKE && kind <= C_FULL_LIKE) {
        int x = pick(g, ANY_REAL, 0, -1);
        if (x < 0) return false;
        operands(g, s, 1, x, 0, 0);
        if (kind == C_FULL_LIKE) {
            s->nin = 2, s->in[1] = -1;
            s->number[0] = rng_chance(&g->r, 30) ? random_number(g, value_of(g, x)->dtype) : (number){1, rng_between(&g->r, 0, 1), 0};
            if (s->number[0].kind == 2 && (s->dtype == SITU_BOOL || value_of(g, x)->dtype == SITU_BOOL)) return false;
        }
    }
    return true;
}

/* The dtypes that an operand of this kind may have; rarely any dtype, which must be refused. */
static unsigned suitable(maker *g, int kind, int operand)
{
    if (rng_chance(&g->r, 1)) return ANY_REAL | ANY_COMPLEX;
    if ((kind == K_NUMBER || kind == K_FLOAT || kind == K_EQUAL) && rng_chance(&g->r, 6)) return ANY_COMPLEX;
    switch (kind) {
    case K_NUMBER:
    case K_ROUND:
    case K_PREDICATE: return ANY_NUMBER;
    case K_INTEGER: return ANY_INTEGER;
    case K_BITS: return ANY_INTEGER | ANY_BOOL;
    case K_LOGIC: return rng_chance(&g->r, 60) ? ANY_BOOL : ANY_REAL;
    case K_SELECT: return operand ? ANY_REAL : ANY_BOOL;
    case K_FLOAT: return rng_chance(&g->r, 80) ? ANY_FLOAT : ANY_REAL;
    default: return ANY_REAL;
    }
}

MAKE(element)
{
    const row *r = &rows[s->row];
    int in[3] = {-1, -1, -1}, numbers = 0;
    if (r->kind == K_BITCAST) {
        static const situ_dtype from[] = {SITU_U32, SITU_F32, SITU_U64, SITU_F64};
        in[0] = add_cast(g, pick(g, ANY_REAL, 0, -1), from[r->variant - EL_bitcast_f32]);
        if (in[0] < 0 || !usable(g, in[0])) return false;
        operands(g, s, 1, in[0], 0, 0);
        return true;
    }
    for (int i = 0; i < r->arity; i++) {
        int first = i ? in[0] : -1;
        bool number = i && (r->kind != K_SELECT || i == 2) && r->kind != K_LOGIC && rng_chance(&g->r, 22) && numbers < 2;
        if (!number) in[i] = i ? pick_beside(g, first, suitable(g, r->kind, i)) : pick(g, suitable(g, r->kind, i), 0, -1);
        if (i && r->arity > 1 && in[i] < 0 && !number) in[i] = r->kind == K_SELECT ? pick_beside(g, first, ANY_REAL) : first;
        if (!number && in[i] < 0) return false;
        if (number) {
            s->number[numbers] = random_number(g, value_of(g, in[0])->dtype);
            if (r->kind == K_INTEGER || r->kind == K_BITS) s->number[numbers].kind = 1;
            in[i] = -1 - numbers++;
        }
    }
    if ((r->kind == K_INTEGER || r->kind == K_BITS) && r->arity == 2 && in[1] >= 0 && rng_chance(&g->r, 90))
        in[1] = add_cast(g, in[1], value_of(g, in[0])->dtype);
    if (in[1] == -1 && !numbers && r->arity > 1) return false;
    operands(g, s, r->arity, in[0], in[1], in[2]);
    return true;
}

MAKE(cast)
{
    int x = pick(g, 0, 0, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    s->dtype = is_complex(value_of(g, x)->dtype) ? random_of(g, ANY_REAL | ANY_COMPLEX) : random_dtype(g);
    return true;
}

MAKE(reduce)
{
    int kind = rows[s->row].variant;
    unsigned set = kind == R_ANY || kind == R_ALL || kind == R_COUNT ? ANY_REAL : kind >= R_MEAN ? ANY_FLOAT : ANY_REAL;
    if (kind >= R_MEAN && rng_chance(&g->r, 15)) set = ANY_NUMBER;
    if (kind != R_MAX && kind != R_MIN && rng_chance(&g->r, 8)) set = ANY_COMPLEX;
    int x = pick(g, set, 0, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    random_axes(g, value_of(g, x), s->attr);
    s->attr[8] = rng_chance(&g->r, 40);
    if ((kind == R_SUM || kind == R_PROD) && rng_chance(&g->r, 10)) s->dtype = random_of(g, ANY_NUMBER & ~(1u << SITU_BF16));
    if (kind == R_VAR || kind == R_STD) s->real[0] = rng_chance(&g->r, 20);
    return true;
}

MAKE(arg)
{
    int x = pick(g, ANY_NUMBER, 0, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    s->attr[0] = rng_chance(&g->r, 25) ? SITU_ALL_AXES : random_axis(g, value_of(g, x));
    s->attr[1] = rng_chance(&g->r, 40);
    return true;
}

MAKE(scan)
{
    int x = pick(g, rng_chance(&g->r, 8) ? ANY_COMPLEX : ANY_REAL, 1, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    s->attr[0] = random_axis(g, value_of(g, x));
    s->attr[1] = rng_chance(&g->r, 30);
    s->attr[2] = rng_chance(&g->r, 15);
    return true;
}

MAKE(diff)
{
    int x = pick(g, ANY_REAL, 1, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    s->attr[0] = random_axis(g, value_of(g, x));
    s->attr[1] = rng_chance(&g->r, 80) ? 1 : rng_between(&g->r, 0, 3);
    return true;
}

/* ---- state ---- */

MAKE(variable)
{
    int x = pick(g, ANY_REAL, 0, -1);
    if (x < 0 || g->late) return false;
    operands(g, s, 1, x, 0, 0);
    return true;
}

MAKE(assign)
{
    int found[MOST_STATEMENTS], n = 0;
    for (int i = 0; i < g->p->count; i++)
        if (usable(g, i) && g->is_variable[i]) found[n++] = i;
    if (!n) return false;
    int v = found[rng_below(&g->r, n)];
    const value *old = value_of(g, v);
    int x = -1;
    if (old->count > g->most) return false; /* it would be undone when the variable gets its new value */
    if (rows[s->row].variant) {
        int64_t dim[SITU_MAX_DIMS];
        for (int i = 0; i < old->ndim; i++) {
            dim[i] = rng_between(&g->r, old->dim[i] ? 1 : 0, old->dim[i]);
            s->attr[1 + i] = rng_between(&g->r, 0, old->dim[i] - dim[i]);
        }
        s->attr[0] = old->ndim;
        x = add_leaf(g, old->dtype, old->ndim, dim, g->p->s[v].device, 0, 0, 0);
    } else {
        for (int attempt = 0; attempt < 8 && x < 0; attempt++) {
            int i = pick(g, 1u << old->dtype, 0, g->p->s[v].device);
            if (i < 0) break;
            const value *w = value_of(g, i);
            if (w->ndim == old->ndim && !memcmp(w->dim, old->dim, sizeof *w->dim * (size_t)w->ndim)) x = i;
        }
    }
    if (x < 0) return false;
    operands(g, s, 2, v, x, 0);
    return true;
}

MAKE(copy)
{
    int x = pick(g, 0, 0, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    if (g->p->two_devices && rows[s->row].variant != S_STOP && rng_chance(&g->r, 60)) s->device = !s->device;
    return true;
}

MAKE(effect)
{
    int kind = rows[s->row].variant;
    if (kind == S_OPEN) return g->depth < 3;
    if (kind == S_CLOSE) return g->depth > 0;
    if (kind == S_WAIT) return true;
    int x = pick(g, 0, 0, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    return true;
}

MAKE(gradient)
{
    int y = pick(g, WIDE_FLOAT, 0, -1);
    if (y < 0) return false;
    int x = pick(g, WIDE_FLOAT, 0, g->p->s[y].device);
    if (x < 0 || x > y) return false;
    operands(g, s, 2, y, x, 0);
    g->p->grads = true;
    return true;
}

MAKE(one_operand)
{
    int x = pick(g, 0, 0, -1);
    if (x < 0) return false;
    operands(g, s, 1, x, 0, 0);
    return true;
}
