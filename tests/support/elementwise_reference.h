/* Reference values of the float operations on f32 operands, by the C library in double, precise to far below an f32
 * ULP; and the distance of a result from them in ULP. */
#ifndef SITU_TEST_ELEMENTWISE_REFERENCE_H
#define SITU_TEST_ELEMENTWISE_REFERENCE_H

#include <math.h>

#include "op/elementwise.h"

/* erfinv by Newton steps on erf (on erfc near 1), from a guess within 2e-3 (Winitzki). */
static inline double reference_erfinv(double x)
{
    double a = fabs(x);
    if (!(a < 1)) return a == 1 ? copysign(INFINITY, x) : (double)NAN;
    if (a < 1e-8) return x * 0.88622692545275801;
    double l = log1p(-a * a), h = 4.3307467507998729 + 0.5 * l;
    double y = sqrt(sqrt(h * h - l * 6.8027210884353739) - h);
    for (int i = 0; i < 5; i++) y -= (a < 0.5 ? erf(y) - a : (1 - a) - erfc(y)) / (1.1283791670955126 * exp(-y * y));
    return copysign(y, x);
}

static inline double reference_remainder(double a, double b)
{
    double r = fmod(a, b);
    if (r == 0) return copysign(r, b);
    return (r < 0) != (b < 0) ? r + b : r;
}

static inline double reference_floor_divide(double a, double b)
{
    if (b == 0) return a / b;
    double r = fmod(a, b), q = rint((a - r) / b);
    if (r != 0 && (r < 0) != (b < 0)) q -= 1;
    return q == 0 ? copysign(q, a / b) : q;
}

static inline double reference_logaddexp(double a, double b)
{
    if (a != a || b != b) return a + b;
    long double gap = a == b ? 0.0L : -fabsl((long double)a - b);
    return (double)((a > b ? a : b) + log1pl(expl(gap)));
}

/* NaN for an operation without a reference here; *known says whether there is one. */
static inline double reference_value(situ_el op, double a, double b, double c, bool *known)
{
    *known = true;
    switch (op) {
    case SITU_EL_add: return a + b; case SITU_EL_sub: return a - b;
    case SITU_EL_mul: return a * b;
    case SITU_EL_div: return a / b;
    case SITU_EL_fma: return fmaf((float)a, (float)b, (float)c);
    case SITU_EL_floor_divide: return reference_floor_divide(a, b);
    case SITU_EL_remainder: return reference_remainder(a, b);
    case SITU_EL_fmod: return fmod(a, b);
    case SITU_EL_pow: return pow(a, b); case SITU_EL_pow_half: return pow(a, 0.5);
    case SITU_EL_hypot: return hypot(a, b);
    case SITU_EL_negative: return -a;
    case SITU_EL_positive: return a;
    case SITU_EL_abs: return fabs(a);
    case SITU_EL_sign: return a > 0 ? 1 : a < 0 ? -1 : a;
    case SITU_EL_square: return a * a;
    case SITU_EL_reciprocal: return 1 / a;
    case SITU_EL_sqrt: return sqrt(a);
    case SITU_EL_rsqrt: return 1 / sqrt(a);
    case SITU_EL_cbrt: return cbrt(a);
    case SITU_EL_exp: return exp(a);
    case SITU_EL_exp2: return exp2(a);
    case SITU_EL_expm1: return expm1(a);
    case SITU_EL_log: return log(a);
    case SITU_EL_log2: return log2(a);
    case SITU_EL_log10: return log10(a);
    case SITU_EL_log1p: return log1p(a);
    case SITU_EL_logaddexp: return reference_logaddexp(a, b);
    case SITU_EL_sin: return sin(a);
    case SITU_EL_cos: return cos(a);
    case SITU_EL_tan: return tan(a);
    case SITU_EL_asin: return asin(a);
    case SITU_EL_acos: return acos(a);
    case SITU_EL_atan: return atan(a);
    case SITU_EL_atan2: return atan2(a, b);
    case SITU_EL_sinh: return sinh(a);
    case SITU_EL_cosh: return cosh(a);
    case SITU_EL_tanh: return tanh(a);
    case SITU_EL_asinh: return asinh(a);
    case SITU_EL_acosh: return acosh(a);
    case SITU_EL_atanh: return atanh(a);
    case SITU_EL_erf: return erf(a);
    case SITU_EL_erfc: return erfc(a);
    case SITU_EL_erfinv: return reference_erfinv(a);
    case SITU_EL_sigmoid: return a < 0 ? exp(a) / (1 + exp(a)) : 1 / (1 + exp(-a));
    case SITU_EL_relu: return a > 0 || a != a ? a : 0;
    case SITU_EL_softplus: return a > 0 ? a + log1p(exp(-a)) : log1p(exp(a));
    case SITU_EL_maximum: return a != a ? a : a > b ? a : b;
    case SITU_EL_minimum: return a != a ? a : a < b ? a : b;
    case SITU_EL_clip: a = a != a ? a : a > b ? a : b; return a != a ? a : a < c ? a : c;
    case SITU_EL_floor: return floor(a);
    case SITU_EL_ceil: return ceil(a);
    case SITU_EL_round: return rint(a);
    case SITU_EL_trunc: return trunc(a);
    case SITU_EL_copysign: return copysign(a, b);
    case SITU_EL_nextafter: return nextafterf((float)a, (float)b);
    default: *known = false; return NAN;
    }
}

/* Distance of an f32 result from the exact value, in ULP of that value. Infinity if only one of them is NaN, zero or
 * infinite, or the signs differ. A result may overflow if the value rounds to 2^128. */
static inline double ulp_distance(float got, double exact)
{
    if (got != got || exact != exact) return got != got && exact != exact ? 0 : INFINITY;
    if (!signbit(got) != !signbit(exact)) return INFINITY;
    if (isinf(exact)) return isinf(got) ? 0 : INFINITY;
    if (exact == 0) return got == 0 ? 0 : INFINITY;
    int e;
    frexp(exact, &e);
    if (e > 128) return isinf(got) ? 0 : INFINITY;
    return fabs((isinf(got) ? copysign(0x1p128, exact) : (double)got) - exact) / ldexp(1, (e < -125 ? -125 : e) - 24);
}

/* Allowed distance of an f32 result from the exact value: 0.5 (correctly rounded), 1 or 2 ULP. */
static inline double ulp_bound(situ_el op)
{
    switch (op) {
    case SITU_EL_exp:
    case SITU_EL_log:
    case SITU_EL_sin:
    case SITU_EL_cos:
    case SITU_EL_tanh:
    case SITU_EL_erf: return 1;
    case SITU_EL_add:
    case SITU_EL_sub:
    case SITU_EL_mul:
    case SITU_EL_div:
    case SITU_EL_fma:
    case SITU_EL_square:
    case SITU_EL_reciprocal:
    case SITU_EL_sqrt: return 0.5;
    default: return situ_el_rows[op].kind == SITU_EL_FLOAT || op == SITU_EL_pow ? 2 : 0.5;
    }
}

#endif
