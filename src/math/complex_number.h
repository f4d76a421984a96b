/* Complex numbers of doubles for the host. Functions of the C library and of the compiler's runtime give other bits on
 * processors with fma. */
#ifndef SITU_MATH_COMPLEX_NUMBER_H
#define SITU_MATH_COMPLEX_NUMBER_H

#include "base/complex.h"
#include "simd/fma.h"
/* after fma.h */
#include "math/words_c.inc"

typedef double f64_F;
typedef struct c128_F {
    double re, im;
} c128_F;

#include "math/complex_words.inc"

static inline double situ_hypot_f64(double x, double y) { return complex_abs(complex_of(x, y)); }

/* Quotient x / y; infinite, NaN and zero parts as in C11's annex G. */
static inline double _Complex situ_divide(double _Complex x, double _Complex y)
{
    c128_F q = complex_div(complex_of(creal(x), cimag(x)), complex_of(creal(y), cimag(y)));
    return CMPLX(q.re, q.im);
}

#endif
