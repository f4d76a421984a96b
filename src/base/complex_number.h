/* Absolute values and quotients of complex numbers, by the same operations on every processor. Those of the C library
 * and of the compiler's runtime give other bits on processors with fma. */
#ifndef SITU_BASE_COMPLEX_NUMBER_H
#define SITU_BASE_COMPLEX_NUMBER_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/complex.h"

/* hypot(x, y) for x >= y > 0 whose squares neither overflow nor underflow. One Newton step with the exact remainder (C.
 * Borges, An improved algorithm for hypot, ACM Transactions on Mathematical Software 47, 2020, the variant without
 * fma). */
static inline double situ_hypot_inside(double x, double y)
{
    double h = sqrt(x * x + y * y), over, rest;
    if (h <= 2 * y) {
        over = h - y;
        rest = x * (2 * over - x) + (over - 2 * (x - y)) * over;
    } else {
        over = h - x;
        rest = 2 * over * (x - 2 * y) + ((4 * over - y) * y + over * over);
    }
    return h - rest / (2 * h);
}

static inline double situ_hypot_f64(double x, double y)
{
    const double large = 0x1p511, small = 0x1p-459, scale = 0x1p600, least = 0x1p-54;
    if (!isfinite(x) || !isfinite(y)) return isinf(x) || isinf(y) ? INFINITY : NAN;
    double a = fabs(x), b = fabs(y), low = a < b ? a : b, high = a < b ? b : a;
    if (low <= high * least) return high + low;
    if (high > large) return situ_hypot_inside(high / scale, low / scale) * scale;
    if (low < small) return situ_hypot_inside(high * scale, low * scale) / scale;
    return situ_hypot_inside(high, low);
}

/* (a + i b) / (c + i d) for |c| >= |d|: uses the ratio d / c (R. Smith, 1962), multiplied in the order that keeps
 * digits when the ratio underflows (M. Baudin and R. Smith, A robust complex division in Scilab, 2012). */
static inline double _Complex situ_divide_by_real(double a, double b, double c, double d)
{
    double ratio = d / c, by = d * ratio + c;
    if (fabs(ratio) > DBL_MIN) return CMPLX((a + b * ratio) / by, (b - a * ratio) / by);
    return CMPLX((a + d * (b / c)) / by, (b - d * (a / c)) / by);
}

/* Whether the dividend must be scaled up: one of its parts is so small that its product with the ratio could underflow,
 * and nothing else would overflow. */
static inline bool situ_divide_grows(double small, double other, double by)
{
    const double capacity = DBL_MAX / 2 * DBL_EPSILON;
    return fabs(small) < DBL_MIN && fabs(other) < capacity && by < capacity;
}

/* Quotient x / y; infinite, NaN and zero parts as in C11's annex G. */
static inline double _Complex situ_divide(double _Complex x, double _Complex y)
{
    double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y), most = fabs(c) < fabs(d) ? fabs(d) : fabs(c);
    double scale = most >= DBL_MAX / 2 ? 0.5 : most < DBL_EPSILON ? 1 / DBL_EPSILON : 1;
    a *= scale, b *= scale, c *= scale, d *= scale;
    if (most >= DBL_EPSILON && (situ_divide_grows(a, b, most * scale) || situ_divide_grows(b, a, most * scale)))
        a /= DBL_EPSILON, b /= DBL_EPSILON, c /= DBL_EPSILON, d /= DBL_EPSILON;
    double _Complex q = fabs(c) < fabs(d) ? situ_divide_by_real(b, -a, d, -c) : situ_divide_by_real(a, b, c, d);
    if (!isnan(creal(q)) || !isnan(cimag(q))) return q;
    if (c == 0 && d == 0 && (!isnan(a) || !isnan(b))) return CMPLX(copysign(INFINITY, c) * a, copysign(INFINITY, c) * b);
    if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {
        a = copysign(isinf(a) ? 1 : 0, a), b = copysign(isinf(b) ? 1 : 0, b);
        return CMPLX(INFINITY * (a * c + b * d), INFINITY * (b * c - a * d));
    }
    if ((isinf(c) || isinf(d)) && isfinite(a) && isfinite(b)) {
        c = copysign(isinf(c) ? 1 : 0, c), d = copysign(isinf(d) ? 1 : 0, d);
        return CMPLX(0 * (a * c + b * d), 0 * (b * c - a * d));
    }
    return q;
}

#endif
