/* The functions of complex.def in C: those of the C library, and some that it lacks. */
#ifndef SITU_MATH_COMPLEX_MATH_H
#define SITU_MATH_COMPLEX_MATH_H

#include <math.h>
#include <stdbool.h>

#include "base/complex.h"
#include "base/complex_number.h"

typedef double _Complex complex_number;

static inline complex_number complex_mul(complex_number a, complex_number b)
{
    return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}

static inline complex_number complex_scale(complex_number a, double s) { return CMPLX(creal(a) * s, cimag(a) * s); }

#define complex_of(re, im) CMPLX(re, im)
#define complex_add(a, b) ((a) + (b))
#define complex_sub(a, b) ((a) - (b))
#define complex_div(a, b) situ_divide(a, b)
#define complex_abs(a) situ_hypot_f64(creal(a), cimag(a))
#define complex_sqrt(a) csqrt(a)
#define complex_exp(a) cexp(a)
#define complex_log(a) clog(a)
#define complex_sin(a) csin(a)
#define complex_cos(a) ccos(a)
#define complex_tan(a) ctan(a)
#define complex_asin(a) casin(a)
#define complex_acos(a) cacos(a)
#define complex_atan(a) catan(a)
#define complex_sinh(a) csinh(a)
#define complex_cosh(a) ccosh(a)
#define complex_asinh(a) casinh(a)
#define complex_acosh(a) cacosh(a)
#define complex_atanh(a) catanh(a)
#define complex_equal(a, b) ((a) == (b))
#define complex_not_equal(a, b) ((a) != (b))
#define complex_truth(a) ((a) != 0)
#define complex_select(a, b, c) (creal(a) != 0 ? (b) : (c))

static inline complex_number complex_round(complex_number a) { return CMPLX(rint(creal(a)), rint(cimag(a))); }
static inline bool complex_isnan(complex_number a) { return isnan(creal(a)) || isnan(cimag(a)); }
static inline bool complex_isinf(complex_number a) { return isinf(creal(a)) || isinf(cimag(a)); }

static inline bool complex_isfinite(complex_number a) { return isfinite(creal(a)) && isfinite(cimag(a)); }

/* a / |a|, 0 for 0; an infinite part outweighs a finite one. */
static inline complex_number complex_sign(complex_number a)
{
    double x = creal(a), y = cimag(a);
    if (x == 0 && y == 0) return a;
    if (isnan(x) || isnan(y)) return CMPLX(NAN, NAN);
    if (isinf(x) || isinf(y)) {
        x = copysign(isinf(x) ? 1 : 0, x);
        y = copysign(isinf(y) ? 1 : 0, y);
    } else {
        int e; /* scales so that |a| neither overflows nor loses digits */
        (void)frexp(fmax(fabs(x), fabs(y)), &e);
        x = ldexp(x, -e);
        y = ldexp(y, -e);
    }
    double m = situ_hypot_f64(x, y);
    return CMPLX(x / m, y / m);
}

/* e^(x + iy) - 1 = (e^x - 1) cos y - 2 sin^2(y/2) + i e^x sin y: without cancellation near 0. */
static inline complex_number complex_expm1(complex_number a)
{
    complex_number e = cexp(a);
    double x = creal(a), y = cimag(a), half = sin(y / 2);
    if (!complex_isfinite(a) || x > 700) return CMPLX(creal(e) - 1, cimag(e));
    if (x == 0 && y == 0) return CMPLX(0, y); /* the array API standard's value, also for -0 */
    return CMPLX(expm1(x) * cos(y) - 2 * half * half, cimag(e));
}

/* For infinite arguments the imaginary part has the sign of a's, as in the array API standard (in C that of sin 2y). */
static inline complex_number complex_tanh(complex_number a)
{
    double x = creal(a), y = cimag(a);
    return isinf(x) && isfinite(y) ? CMPLX(copysign(1, x), copysign(0, y)) : ctanh(a);
}

/* log|1 + a| = log1p(x (2 + x) + y^2) / 2 near 0; the sum is computed in double-double precision, since it may cancel. */
static inline complex_number complex_log1p(complex_number a)
{
    double x = creal(a), y = cimag(a);
    if (!(fabs(x) < 0.5 && fabs(y) < 0.5)) return clog(CMPLX(1 + x, y));
    double p = x * x, q = y * y, p_low = fma(x, x, -p), q_low = fma(y, y, -q);
    double s = 2 * x + p, rest = p - (s - 2 * x), t = s + q;
    double carry = t - s, lost = (s - (t - carry)) + (q - carry);
    if (fabs(2 * x) < p) rest = 2 * x - (s - p);
    return CMPLX(0.5 * log1p(t + (rest + lost + p_low + q_low)), atan2(y, 1 + x));
}

/* Small integer powers by squaring, others by exp(b log a); 0^0 is 1. */
static inline complex_number complex_pow(complex_number a, complex_number b)
{
    double re = creal(b), im = cimag(b);
    if (re == 0 && im == 0) return CMPLX(1, 0);
    if (creal(a) == 0 && cimag(a) == 0) return re > 0 ? CMPLX(0, 0) : CMPLX(NAN, NAN);
    if (im != 0 || re != rint(re) || fabs(re) > 100) return cpow(a, b);
    complex_number y = CMPLX(1, 0);
    bool first = true;
    for (int n = (int)fabs(re); n; n >>= 1) {
        if (n & 1) y = first ? a : complex_mul(y, a);
        if (n & 1) first = false;
        if (n > 1) a = complex_mul(a, a);
    }
    return re < 0 ? situ_divide(1, y) : y;
}

#endif
