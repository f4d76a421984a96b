/* Elementwise operations: dtypes, broadcasting, and the operation on each element. */
#include <math.h>
#include <string.h>

#include "elements.h"

/* A number takes the tensors' dtype unless it is of a higher kind. */
static situ_dtype common_dtype(const call *c, int first)
{
    static const situ_dtype alone[] = {SITU_BOOL, SITU_I64, SITU_F32};
    int number = -1, seen = 0;
    situ_dtype d = SITU_BOOL;
    for (int i = first; i < c->s->nin; i++) {
        if (c->is_number[i]) {
            int kind = rank_of(c->in[i].dtype);
            if (kind > number) number = kind;
        } else {
            d = seen++ ? promote(d, c->in[i].dtype) : c->in[i].dtype;
        }
    }
    return !seen || number > rank_of(d) ? alone[number < 0 ? 0 : number] : d;
}

/* Whether the operands' dtype suits this kind; the dtypes to compute in and of the result. */
static bool dtypes(int el, int kind, situ_dtype *in, situ_dtype *out)
{
    int r = rank_of(*in);
    switch (kind) {
    case K_FLOAT:
        if (r < 2) *in = SITU_F32;
        *out = *in;
        return r < 3 && !(el == EL_nextafter && (*in == SITU_F16 || *in == SITU_BF16));
    case K_NUMBER:
    case K_ROUND: *out = *in; return r == 1 || r == 2;
    case K_INTEGER: *out = *in; return r == 1;
    case K_BITS: *out = *in; return r < 2;
    case K_PREDICATE: *out = SITU_BOOL; return r == 1 || r == 2;
    case K_LOGIC: *in = *out = SITU_BOOL; return r < 3;
    case K_COMPARE: *out = SITU_BOOL; return r < 3;
    case K_EQUAL: *out = SITU_BOOL; return true;
    case K_SELECT: *out = *in; return r < 3;
    default: break;
    }
    static const situ_dtype from[] = {SITU_U32, SITU_F32, SITU_U64, SITU_F64}, to[] = {SITU_F32, SITU_U32, SITU_F64, SITU_U64};
    int k = el - EL_bitcast_f32;
    *out = to[k];
    return *in == from[k];
}

bool broadcast(int *ndim, int64_t *dim, const value *v)
{
    int n = *ndim > v->ndim ? *ndim : v->ndim;
    int64_t joined[SITU_MAX_DIMS];
    for (int i = 0; i < n; i++) {
        int64_t a = i < *ndim ? dim[*ndim - 1 - i] : 1, b = i < v->ndim ? v->dim[v->ndim - 1 - i] : 1;
        if (a != b && a != 1 && b != 1) return false;
        joined[n - 1 - i] = a == 1 ? b : a;
    }
    memcpy(dim, joined, sizeof joined);
    *ndim = n;
    return true;
}

/* Position in v of element i of a shape that it broadcasts to. */
int64_t broadcast_at(const value *v, const value *out, int64_t i)
{
    int64_t at = 0, step = 1;
    for (int k = 1; k <= out->ndim; k++) {
        int64_t n = out->dim[out->ndim - k], x = i % n;
        i /= n;
        if (k > v->ndim) continue;
        int64_t m = v->dim[v->ndim - k];
        if (m != 1) at += x * step;
        step *= m;
    }
    return at;
}

static long double exact(const value *v, int64_t i)
{
    if (rank_of(v->dtype) >= 2) return get_f(v, i); /* of a complex number, the real part */
    return is_signed(v->dtype) ? (long double)(int64_t)get_u(v, i) : (long double)get_u(v, i);
}

/* A long double has 64 bits, enough for every integer. */
static bool compared(int el, const value *in, const int64_t *at)
{
    long double a = exact(&in[0], at[0]), b = exact(&in[1], at[1]);
    double x[2], y[2];
    get_c(&in[0], at[0], x), get_c(&in[1], at[1], y);
    if (isnan(a) || isnan(b)) return el == EL_not_equal;
    switch (el) {
    case EL_equal: return a == b && x[1] == y[1];
    case EL_not_equal: return a != b || x[1] != y[1];
    case EL_less: return a < b;
    case EL_less_equal: return a <= b;
    case EL_greater: return a > b;
    default: return a >= b;
    }
}

/* Integers are compared exactly (no dtype holds all of u64 and of i64), and so is a number with a tensor, unless both
 * are floats. */
static bool compares_exactly(const call *c)
{
    int a = rank_of(c->in[0].dtype), b = rank_of(c->in[1].dtype);
    return (a < 2 && b < 2) || ((c->is_number[0] || c->is_number[1]) && (a < 2 || b < 2));
}

/* Whether the dtype holds the number. Bounds beyond its range count as its ends. */
static bool fits(int el, int k, situ_dtype d, value *v)
{
    if (v->dtype != SITU_I64) return true;
    int64_t x = (int64_t)get_u(v, 0);
    if (is_float(d)) return d != SITU_F16 || (x > -65520 && x < 65520);
    if (!is_integer(d) || d == SITU_I64) return true;
    int bits = 8 * (int)size_of(d);
    int64_t least = is_signed(d) ? -((int64_t)1 << (bits - 1)) : 0;
    int64_t most = is_signed(d) ? ((int64_t)1 << (bits - 1)) - 1 : bits == 64 ? INT64_MAX : ((int64_t)1 << bits) - 1;
    if ((el == EL_maximum || (el == EL_clip && k == 1)) && x < least) set_u(v, 0, (uint64_t)least);
    else if ((el == EL_minimum || (el == EL_clip && k == 2)) && x > most) set_u(v, 0, (uint64_t)most);
    else return x >= least && x <= most;
    return true;
}

static bool predicate(int el, situ_dtype d, const value *v, int64_t at)
{
    if (rank_of(d) < 2) return el == EL_isfinite || (el == EL_signbit && is_signed(d) && (int64_t)get_u(v, at) < 0);
    double x = get_f(v, at);
    switch (el) {
    case EL_isnan: return isnan(x);
    case EL_isinf: return isinf(x);
    case EL_isfinite: return isfinite(x);
    default: return signbit(x);
    }
}

static bool logic(int el, bool a, bool b)
{
    switch (el) {
    case EL_logical_and: return a && b;
    case EL_logical_or: return a || b;
    case EL_logical_xor: return a != b;
    default: return !a;
    }
}

/* A float, and its allowed error: a few ULP for f64 functions. */
static void float_one(const row *r, int el, situ_dtype d, const double x[3], value *out, int64_t i)
{
    situ_dtype wide = d == SITU_F64 ? SITU_F64 : SITU_F32;
    if (r->ulp == 0) {
        double y = float_element(el, d, x);
        set_f(out, i, y);
        if (out->slack) out->slack[i] = y == 0 ? 1e-300 : 0; /* which of two zeros is unspecified */
        return;
    }
    bool whole = el == EL_floor_divide || el == EL_remainder;
    long double exact = whole ? float_element(el, d, x) : exact_element(el, x);
    double rounded = d == SITU_F64 ? (double)exact : (double)(float)exact;
    set_f(out, i, rounded);
    double slack = (r->ulp + (d == SITU_F64 ? 3 : 0.5)) * ulp_of(wide, rounded);
    if (el == EL_logaddexp || el == EL_remainder)
        slack = 4 * fmax(fmax(ulp_of(wide, x[0]), ulp_of(wide, x[1])), ulp_of(wide, rounded));
    if (el == EL_remainder && isfinite(x[1]) && isfinite(x[0])) slack = ulp_of(wide, rounded);
    out->slack[i] = slack + (wide != d ? ulp_of(d, rounded) : 0);
}

static void one(const call *c, const row *r, situ_dtype d, const value *in, const int64_t *at, int64_t i)
{
    int el = r->variant;
    value *out = c->out;
    if (r->kind == K_SELECT) {
        copy_element(out, i, &in[get_u(&in[0], at[0]) ? 1 : 2], at[get_u(&in[0], at[0]) ? 1 : 2]);
    } else if (r->kind == K_BITCAST) {
        memcpy(out->bits + (size_t)i * size_of(d), in[0].bits + (size_t)at[0] * size_of(d), size_of(d));
    } else if (r->kind == K_COMPARE || r->kind == K_EQUAL) {
        set_u(out, i, compared(el, in, at));
    } else if (r->kind == K_PREDICATE) {
        set_u(out, i, predicate(el, d, &in[0], at[0]));
    } else if (r->kind == K_LOGIC) {
        set_u(out, i, logic(el, get_u(&in[0], at[0]) != 0, r->arity > 1 && get_u(&in[1], at[1]) != 0));
    } else if (rank_of(d) < 2) {
        uint64_t x[3] = {0};
        for (int k = 0; k < r->arity; k++) x[k] = get_u(&in[k], at[k]);
        set_u(out, i, integer_element(el, d, x));
    } else {
        double x[3] = {0};
        for (int k = 0; k < r->arity; k++) x[k] = get_f(&in[k], at[k]);
        float_one(r, el, d, x, out, i);
    }
}

void interpret_element(call *c)
{
    const row *r = &rows[c->s->row];
    int first = r->kind == K_SELECT, ndim = 0;
    int64_t dim[SITU_MAX_DIMS];
    situ_dtype out, d = common_dtype(c, first);
    for (int i = 0; i < r->arity; i++)
        if (!broadcast(&ndim, dim, &c->in[i])) return refuse(c);
    if (is_complex(d) && r->kind != K_EQUAL) return interpret_complex(c, r->variant, r->arity, d, ndim, dim);
    for (int i = 0; i < first; i++)
        if (is_complex(c->in[i].dtype)) c->out->status = OPEN; /* a condition */
    if (c->out->status == OPEN) return;
    if (!dtypes(r->variant, r->kind, &d, &out)) return refuse(c);
    shape_out(c, out, ndim, dim);
    value in[MOST_IN];
    bool as_is = (r->kind == K_COMPARE || r->kind == K_EQUAL) && compares_exactly(c);
    for (int i = 0; i < r->arity; i++) {
        bool meets = c->is_number[i] && i >= first && r->kind != K_COMPARE && r->kind != K_EQUAL && r->kind != K_LOGIC;
        if (meets && !fits(r->variant, i, d, &c->in[i])) return refuse(c);
        if (meets && i && c->in[i].bits && r->variant == EL_pow && is_integer(c->in[0].dtype) && rank_of(d) < 2 && get_f(&c->in[i], 0) < 0)
            return refuse(c); /* integers to a negative power are fractions */
        in[i] = as_is ? c->in[i] : cast_value(c, &c->in[i], i < first ? SITU_BOOL : d);
    }
    bool extreme = r->variant == EL_maximum || r->variant == EL_minimum || r->variant == EL_clip || r->variant == EL_relu;
    if (rank_of(out) == 2 && (r->ulp != 0 || extreme)) with_slack(c);
    for (int64_t i = 0; i < c->out->count; i++) {
        int64_t at[MOST_IN];
        for (int k = 0; k < r->arity; k++) at[k] = in[k].count == 1 ? 0 : in[k].count == c->out->count ? i : broadcast_at(&in[k], c->out, i);
        one(c, r, d, in, at, i);
    }
}

bool reads_signs(const statement *s)
{
    const row *r = &rows[s->row];
    return r->group == G_ELEMENT && (r->kind == K_BITCAST || r->variant == EL_signbit || r->variant == EL_copysign);
}

bool reads_sign_of_nan(const statement *s, const machine *m)
{
    for (int k = 0; k < s->nin && reads_signs(s) && !s->off; k++) {
        const value *v = s->in[k] < 0 ? NULL : &m->value[s->in[k]];
        if (!v || !v->bits || rank_of(v->dtype) < 2 || v->dtype >= SITU_DTYPES) continue;
        for (int64_t i = 0; i < v->count; i++)
            if (is_nan_at(v, i)) return true;
    }
    return false;
}
