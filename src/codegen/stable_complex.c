/* The operations of complex.def in StableHLO: as on the CPU both parts are doubles, rounded once at the end. */
#include <math.h>
#include <string.h>

#include "codegen/stable_kernel.h"
#include "op/complex.h"
#include "tensor/dtype.h"

static situ_wire two(situ_stable *t, const char *operation, situ_wire a, situ_wire b) { return situ_stable_2(t, operation, a, b); }
static situ_wire number(situ_stable *t, double value, situ_wire like) { return situ_stable_number(t, like.type, value, &like); }
static situ_wire scaled(situ_stable *t, situ_wire z, double by) { return two(t, "multiply", z, number(t, by, z)); }
static situ_wire real(situ_stable *t, situ_wire z) { return situ_stable_1(t, "real", z); }
static situ_wire imag(situ_stable *t, situ_wire z) { return situ_stable_1(t, "imag", z); }
static situ_wire negated(situ_stable *t, situ_wire a) { return situ_stable_1(t, "negate", a); }

/* Operand i in the result's shape, as bool or c128. */
static situ_wire operand(situ_stable_maker *m, int i)
{
    const situ_layout *out = &m->call->out;
    situ_wire w = situ_stable_value(m, i);
    int64_t axis[8];
    if (w.type != SITU_BOOL || m->call->nin < 3) w = situ_stable_cast(&m->t, w, SITU_C128);
    for (int k = 0; k < w.ndim; k++) axis[k] = out->ndim - w.ndim + k;
    bool same = w.ndim == out->ndim && (!w.ndim || !memcmp(w.dim, out->dim, 8 * (size_t)w.ndim));
    return same ? w : situ_stable_broadcast(&m->t, w, out->ndim, out->dim, axis);
}

/* True where a test holds for either part, or for both. */
static situ_wire parts(situ_stable *t, situ_wire z, situ_wire (*test)(situ_stable *t, situ_wire x), const char *join)
{
    return two(t, join, test(t, real(t, z)), test(t, imag(t, z)));
}
static situ_wire is_nan(situ_stable *t, situ_wire x) { return situ_stable_compare(t, "NE", x, x); }
static situ_wire is_finite(situ_stable *t, situ_wire x) { return situ_stable_1(t, "is_finite", x); }
static situ_wire is_some(situ_stable *t, situ_wire x) { return situ_stable_compare(t, "NE", x, number(t, 0, x)); }
static situ_wire is_infinite(situ_stable *t, situ_wire x)
{
    x = situ_stable_1(t, "abs", x);
    return situ_stable_compare(t, "EQ", x, number(t, INFINITY, x));
}
static situ_wire truth(situ_stable *t, situ_wire z) { return z.type == SITU_BOOL ? z : parts(t, z, is_some, "or"); }

static situ_wire rounded(situ_stable *t, situ_wire z)
{
    return two(
        t, "complex", situ_stable_1(t, "round_nearest_even", real(t, z)), situ_stable_1(t, "round_nearest_even", imag(t, z)));
}

/* i z; and -i z. */
static situ_wire turned(situ_stable *t, situ_wire z) { return two(t, "complex", negated(t, imag(t, z)), real(t, z)); }
static situ_wire turned_back(situ_stable *t, situ_wire z) { return two(t, "complex", imag(t, z), negated(t, real(t, z))); }

/* The name of an operation that StableHLO or CHLO has; NULL: none. */
static const char *name_of(int el, bool *chlo)
{
    static const struct {
        int el;
        const char *name;
        bool chlo;
    } names[] = {{SITU_EL_negative, "negate", false}, {SITU_EL_abs, "abs", false}, {SITU_EL_sign, "sign", false},
        {SITU_EL_sqrt, "sqrt", false}, {SITU_EL_exp, "exponential", false}, {SITU_EL_expm1, "exponential_minus_one", false},
        {SITU_EL_log, "log", false}, {SITU_EL_log1p, "log_plus_one", false}, {SITU_EL_sin, "sine", false},
        {SITU_EL_cos, "cosine", false}, {SITU_EL_tanh, "tanh", false}, {SITU_EL_asin, "asin", true}, {SITU_EL_acos, "acos", true},
        {SITU_EL_asinh, "asinh", true}, {SITU_EL_acosh, "acosh", true}, {SITU_EL_atan, "atan", true},
        {SITU_EL_atanh, "atanh", true}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].el != el) continue;
        *chlo = names[i].chlo;
        return names[i].name;
    }
    return NULL;
}

static situ_wire of_one(situ_stable *t, int el, situ_wire a)
{
    bool chlo;
    const char *name = name_of(el, &chlo);
    if (name) return chlo ? situ_stable_chlo(t, name, a) : situ_stable_1(t, name, a);
    if (el == SITU_EL_square) return two(t, "multiply", a, a);
    if (el == SITU_EL_reciprocal) return two(t, "divide", number(t, 1, a), a);
    if (el == SITU_EL_rsqrt) return two(t, "divide", number(t, 1, a), situ_stable_1(t, "sqrt", a));
    if (el == SITU_EL_exp2) return situ_stable_1(t, "exponential", scaled(t, a, 0.69314718055994531));
    if (el == SITU_EL_log2) return scaled(t, situ_stable_1(t, "log", a), 1.4426950408889634);
    if (el == SITU_EL_log10) return scaled(t, situ_stable_1(t, "log", a), 0.43429448190325183);
    if (el == SITU_EL_tan) return turned_back(t, situ_stable_1(t, "tanh", turned(t, a)));
    if (el == SITU_EL_sinh) return turned_back(t, situ_stable_1(t, "sine", turned(t, a)));
    if (el == SITU_EL_cosh) return situ_stable_1(t, "cosine", turned(t, a));
    if (el == SITU_EL_round) return rounded(t, a);
    if (el == SITU_EL_isnan) return parts(t, a, is_nan, "or");
    if (el == SITU_EL_isinf) return parts(t, a, is_infinite, "or");
    if (el == SITU_EL_isfinite) return parts(t, a, is_finite, "and");
    if (el == SITU_EL_logical_not) return situ_stable_1(t, "not", truth(t, a));
    return a;
}

static situ_wire of_two(situ_stable *t, int el, situ_wire a, situ_wire b)
{
    if (el == SITU_EL_add) return two(t, "add", a, b);
    if (el == SITU_EL_sub) return two(t, "subtract", a, b);
    if (el == SITU_EL_mul) return two(t, "multiply", a, b);
    if (el == SITU_EL_div) return two(t, "divide", a, b);
    if (el == SITU_EL_pow) return two(t, "power", a, b);
    if (el == SITU_EL_equal) return situ_stable_compare(t, "EQ", a, b);
    if (el == SITU_EL_not_equal) return situ_stable_compare(t, "NE", a, b);
    return two(t, el == SITU_EL_logical_and ? "and" : el == SITU_EL_logical_or ? "or" : "xor", truth(t, a), truth(t, b));
}

bool situ_stable_complex(situ_stable_maker *m)
{
    situ_stable *t = &m->t;
    int el = 0;
    while (el < SITU_EL_COUNT && situ_complex_op((situ_el)el) != m->call->op) el++;
    if (el == SITU_EL_COUNT) return false;
    situ_wire in[3] = {operand(m, 0)};
    for (int i = 1; i < m->call->nin; i++) in[i] = operand(m, i);
    if (m->call->nin == 1) situ_stable_out(m, of_one(t, el, in[0]));
    else if (m->call->nin == 2) situ_stable_out(m, of_two(t, el, in[0], in[1]));
    else situ_stable_out(m, situ_stable_select(t, truth(t, in[0]), in[1], in[2]));
    return true;
}
