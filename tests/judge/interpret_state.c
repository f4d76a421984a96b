/* Leaves, creation, casts, variables, and statements without a value. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "function_kinds.h"
#include "interpret.h"
#include "leaf_styles.h"

/* ---- leaves: attr [0] axes, [1..] shape, [9] style, [10] and [11] its numbers ---- */

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

static double corner(rng *r)
{
    static const double at[] = {0, -0.0, 0.5, -0.5, 1, -1, 1.5, -1.5, 3, -3, 6, -16, 20, -20, -36, 700, -700, 1e300, -1e300, 1e-300, 0.25, 2,
                                NAN, INFINITY, -INFINITY};
    return at[rng_below(r, sizeof at / sizeof *at)];
}

static double real_element(rng *r, int style, double scale)
{
    double x = style == LEAF_FEW ? rng_between(r, -3, 3) * 0.5 : rng_unit(r) * 6 - 3;
    switch (style) {
    case LEAF_ANY: x = ldexp(x, (int)rng_between(r, -40, 40)); break;
    case LEAF_CORNERS: return rng_chance(r, 80) ? corner(r) : x;
    case LEAF_SHARES: return rng_chance(r, 25) ? rng_below(r, 2) : rng_unit(r);
    case LEAF_SIGNS: return rng_below(r, 2) * 2 - 1;
    case LEAF_SCALED: return x * scale;
    case LEAF_ALIKE: return rng_below(r, 16) ? scale : 0;
    case LEAF_WEIGHTS: return x / 3;
    default: break;
    }
    return (style == LEAF_EDGES || style == LEAF_ANY) && rng_chance(r, 30) ? special(r) : x;
}

static int64_t whole_element(rng *r, situ_dtype d, int style, const int64_t *range)
{
    if (style == LEAF_RANGE) return rng_between(r, range[0], range[1]);
    if (style == LEAF_LABELS) return rng_chance(r, 30) ? range[0] : rng_between(r, 0, range[1]);
    if (style == LEAF_SHARES) return rng_below(r, 2);
    if (style == LEAF_SIGNS) return rng_below(r, 2) * 2 - 1;
    int64_t small = rng_between(r, is_signed(d) ? -9 : 0, style == LEAF_FEW ? 2 : 9);
    return style >= LEAF_EDGES && rng_chance(r, 60) ? (int64_t)special_integer(r, d) : small;
}

static void element(rng *r, value *v, int64_t i, int style, const int64_t *range, double scale)
{
    situ_dtype d = v->dtype;
    if (d == SITU_BOOL) {
        set_u(v, i, style == LEAF_FEW ? rng_below(r, 8) != 0 : rng_next(r) & 1);
    } else if (is_integer(d)) {
        set_u(v, i, (uint64_t)whole_element(r, d, style, range));
    } else {
        double z[2];
        for (int k = 0; k < 2; k++) z[k] = real_element(r, style, scale);
        if (is_complex(d)) set_c(v, i, z);
        else set_f(v, i, z[0]);
    }
}

/* A factor for all elements of a leaf. */
static double scale_of(rng *r, situ_dtype d, int style)
{
    static const double alike[] = {0.1, 0.3, 0.7, 1.1};
    if (style == LEAF_ALIKE) return alike[rng_below(r, 4)];
    if (style != LEAF_SCALED || d == SITU_F16) return 1;
    bool wide = part_of(d) == SITU_F64;
    return rng_chance(r, 70) ? (wide ? 0x1p660 : 0x1p100) : wide ? 0x1p-600 : 0x1p-90;
}

void interpret_leaf(call *c)
{
    const statement *s = c->s;
    rng r = {s->seed};
    int style = (int)s->attr[9];
    double scale = scale_of(&r, s->dtype, style);
    shape_out(c, s->dtype, (int)s->attr[0], s->attr + 1);
    for (int64_t i = 0; i < c->out->count; i++) element(&r, c->out, i, style, s->attr + 10, scale);
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

/* Whether the dtype holds the number. A fraction is truncated if the dtype was asked for. */
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

/* attr: [0] number of elements, [1] without the end; real: start and end. */
static void linspace(call *c)
{
    const statement *s = c->s;
    int64_t n = s->attr[0];
    long double steps = s->attr[1] || n < 2 ? (long double)n : (long double)(n - 1), from = s->real[0];
    long double step = ((long double)s->real[1] - from) / steps;
    situ_dtype d = s->dtype == SITU_DTYPE_DEFAULT ? SITU_F32 : s->dtype;
    double far = fmax(fabs(s->real[0]), fabs(s->real[1]));
    if (!is_float(d) || (d != SITU_F64 && far > FLT_MAX)) return leave_open(c);
    shape_out(c, d, 1, &n);
    with_slack(c);
    for (int64_t i = 0; i < n; i++) put_near(c, i, from + (long double)i * step, 8 * unit_of(d == SITU_F64 ? SITU_F64 : SITU_F32) * far);
    if (n > 1 && !s->attr[1]) set_f(c->out, n - 1, s->real[1]), c->out->slack[n - 1] = 0;
}

void interpret_create(call *c)
{
    const statement *s = c->s;
    int kind = rows[s->row].variant;
    if (kind == C_LINSPACE) return linspace(c);
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
    v->bits = c->out->bits; /* tensors made before keep their own values */
}

/* in: the variables, then their next values; all are read before one is changed. */
void interpret_assign_all(call *c)
{
    int n = c->s->nin / 2;
    for (int k = 0; k < n; k++) {
        const value *v = &c->in[k], *next = &c->in[n + k];
        bool fits = next->dtype == v->dtype && next->ndim == v->ndim && !memcmp(next->dim, v->dim, sizeof *v->dim * (size_t)v->ndim);
        if (!fits) return refuse(c);
    }
    for (int k = 0; k < n; k++) c->m->value[c->s->in[k]].bits = c->in[n + k].bits;
    *c->out = c->in[n];
}

void interpret_effect(call *c) { c->out->ndim = 0; }

/* ---- what is not known here ---- */

/* The result has the shape and dtype of operand 1, by which the gradient is taken. */
void interpret_gradient(call *c)
{
    shape_out(c, c->in[1].dtype, c->in[1].ndim, c->in[1].dim);
    c->out->status = OPEN;
}

/* attr: [0] axes, [1..] shape of random numbers; the ways of running must agree on them. */
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
