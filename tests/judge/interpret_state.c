/* Leaves, creation, casts, variables, and what makes no value. */
#include <math.h>
#include <string.h>

#include "function_kinds.h"
#include "interpret.h"

/* ---- leaves: attr [0] axes, [1..] shape, [9] style ---- */

static double special(rng *r)
{
    static const double edges[] = {0, -0.0, 1, -1, 0.5, 2, 127, 128, -128, 255, 256, 32767, 65504, 65520, 1e-5, 6e-8, 1e-40,
                                   2147483648.0, 4294967296.0, 9223372036854775808.0, 1e20, 1e38, 1e300, 88, -104, NAN, INFINITY, -INFINITY};
    return edges[rng_below(r, sizeof edges / sizeof *edges)];
}

static uint64_t special_integer(rng *r, situ_dtype d)
{
    int bits = 8 * (int)size_of(d);
    uint64_t top = (uint64_t)1 << (bits - 1);
    switch (rng_below(r, 6)) {
    case 0: return top;
    case 1: return top - 1;
    case 2: return UINT64_MAX;
    case 3: return top + 1;
    case 4: return rng_next(r);
    default: return (uint64_t)1 << rng_below(r, bits);
    }
}

/* style 0: small numbers, 1: few different ones, 2: edges, 3: any size; 4: integers from attr [10] to [11] */
static void element(rng *r, value *v, int64_t i, int style, const int64_t *range)
{
    situ_dtype d = v->dtype;
    if (style == 4 && is_integer(d)) {
        set_u(v, i, (uint64_t)rng_between(r, range[0], range[1]));
        return;
    }
    if (d == SITU_BOOL) {
        set_u(v, i, style == 1 ? rng_below(r, 8) != 0 : rng_next(r) & 1);
    } else if (is_integer(d)) {
        int64_t small = rng_between(r, is_signed(d) ? -9 : 0, style == 1 ? 2 : 9);
        set_u(v, i, style >= 2 && rng_chance(r, 60) ? special_integer(r, d) : (uint64_t)small);
    } else {
        double z[2];
        for (int k = 0; k < 2; k++) {
            double x = style == 1 ? rng_between(r, -3, 3) * 0.5 : rng_unit(r) * 6 - 3;
            if (style == 3) x = ldexp(x, (int)rng_between(r, -40, 40));
            z[k] = style >= 2 && rng_chance(r, 30) ? special(r) : x;
        }
        if (is_complex(d)) set_c(v, i, z);
        else set_f(v, i, z[0]);
    }
}

void interpret_leaf(call *c)
{
    const statement *s = c->s;
    rng r = {s->seed};
    shape_out(c, s->dtype, (int)s->attr[0], s->attr + 1);
    for (int64_t i = 0; i < c->out->count; i++) element(&r, c->out, i, (int)s->attr[9], s->attr + 10);
}

/* ---- creation: attr [0] axes, [1..] shape; arange: numbers; eye, tri: [0] rows, [1] columns, [2] diagonal ---- */

static void fill(call *c, const value *from)
{
    for (int64_t i = 0; i < c->out->count; i++) cast_element(c->out, i, from, from->count == 1 ? 0 : broadcast_at(from, c->out, i));
}

static value whole(call *c, int64_t n)
{
    value v = {.dtype = SITU_I64, .count = 1, .bits = take(c->m->memory, 16)};
    set_u(&v, 0, (uint64_t)n);
    return v;
}

static void arange(call *c)
{
    const statement *s = c->s;
    int64_t start = s->attr[0], stop = s->attr[1], step = s->attr[2];
    if (!step) return refuse(c);
    int64_t n = step > 0 ? (stop - start + step - 1) / step : (start - stop - step - 1) / -step;
    n = n > 0 ? n : 0;
    shape_out(c, s->dtype == SITU_DTYPE_DEFAULT ? SITU_I64 : s->dtype, 1, &n);
    for (int64_t i = 0; i < n; i++) {
        value v = whole(c, start + i * step);
        cast_element(c->out, i, &v, 0);
    }
}

static void triangle(call *c, bool eye)
{
    const int64_t *a = c->s->attr;
    shape_out(c, c->s->dtype == SITU_DTYPE_DEFAULT ? SITU_F32 : c->s->dtype, 2, a);
    value one = whole(c, 1);
    for (int64_t i = 0; i < c->out->count; i++) {
        int64_t distance = i % a[1] - i / a[1];
        if (eye ? distance == a[2] : distance <= a[2]) cast_element(c->out, i, &one, 0);
    }
}

/* Does the dtype hold the number? A fraction is cut where the dtype was asked for. */
static bool holds(situ_dtype d, bool asked, const value *number)
{
    long double x = number->dtype == SITU_F64 ? get_f(number, 0) : (long double)(int64_t)get_u(number, 0);
    if (number->dtype == SITU_BOOL || d == SITU_BOOL) return true;
    if (is_float(d)) return number->dtype == SITU_F64 || d != SITU_F16 || (x > -65520 && x < 65520);
    int bits = 8 * (int)size_of(d) - is_signed(d);
    if (!asked && x != truncl(x)) return false;
    x = truncl(x);
    return x >= (is_signed(d) ? -ldexpl(1, bits) : 0) && x < ldexpl(1, bits);
}

void interpret_create(call *c)
{
    const statement *s = c->s;
    int kind = rows[s->row].variant;
    if (kind == C_ARANGE) return arange(c);
    if (kind == C_EYE || kind == C_TRI) return triangle(c, kind == C_EYE);
    bool like = kind >= C_ZEROS_LIKE && kind <= C_FULL_LIKE, full = kind == C_FULL || kind == C_FULL_LIKE;
    situ_dtype d = s->dtype;
    value from = full ? c->in[like] : whole(c, kind == C_ONES || kind == C_ONES_LIKE);
    if (d == SITU_DTYPE_DEFAULT) {
        d = like ? c->in[0].dtype : SITU_F32;
        if (kind == C_FULL) d = c->is_number[0] && from.dtype == SITU_F64 ? SITU_F32 : from.dtype;
    }
    if (full && !holds(d, s->dtype != SITU_DTYPE_DEFAULT, &from)) return refuse(c);
    if (like) shape_out(c, d, c->in[0].ndim, c->in[0].dim);
    else shape_out(c, d, (int)s->attr[0], s->attr + 1);
    fill(c, &from);
}

void interpret_cast(call *c)
{
    *c->out = cast_value(c, &c->in[0], c->s->dtype);
    c->out->slack = NULL;
}

void interpret_same(call *c)
{
    *c->out = c->in[0];
    c->out->slack = NULL;
    c->out->unknown = false;
}

/* ---- variables ---- */

void interpret_variable(call *c)
{
    interpret_same(c);
    shape_out(c, c->in[0].dtype, c->in[0].ndim, c->in[0].dim);
    memcpy(c->out->bits, c->in[0].bits, (size_t)c->out->count * size_of(c->out->dtype));
}

/* in[0]: the variable, in[1]: its next value, or a part that starts at attr [1..]; variant 1: a part */
void interpret_assign(call *c)
{
    value *v = &c->m->value[c->s->in[0]];
    if (rows[c->s->row].variant) {
        interpret_update_slice(c);
        if (c->out->status != FINE) return;
    } else {
        if (c->in[1].dtype != v->dtype || c->in[1].ndim != v->ndim || memcmp(c->in[1].dim, v->dim, sizeof *v->dim * (size_t)v->ndim))
            return refuse(c);
        *c->out = c->in[1];
    }
    v->bits = c->out->bits; /* what was made before keeps its own */
}

void interpret_effect(call *c) { c->out->ndim = 0; }

/* ---- what is not known here ---- */

/* The shape and dtype of operand 1 (what the gradient is by). */
void interpret_gradient(call *c)
{
    shape_out(c, c->in[1].dtype, c->in[1].ndim, c->in[1].dim);
    c->out->status = OPEN;
}

/* attr: [0] axes, [1..] shape of random numbers; the ways have to agree on them. */
void interpret_random(call *c)
{
    const statement *s = c->s;
    int kind = rows[s->row].variant;
    situ_dtype d = s->dtype;
    if (kind == N_PERMUTATION || kind == N_SPLIT_KEYS) {
        int64_t dim[2] = {s->attr[1], 2};
        shape_out(c, kind == N_PERMUTATION ? d : SITU_U32, kind == N_PERMUTATION ? 1 : 2, dim);
    } else {
        shape_out(c, kind == N_BERNOULLI ? SITU_BOOL : d, (int)s->attr[0], s->attr + 1);
    }
    c->out->status = OPEN;
}

/* A key: u32[2]. */
void interpret_key(call *c)
{
    int64_t two = 2;
    shape_out(c, SITU_U32, 1, &two);
    set_u(c->out, 0, (uint64_t)c->s->attr[0] >> 32);
    set_u(c->out, 1, (uint64_t)c->s->attr[0]);
}
