/* Absolute values and quotients that the library computes itself, compared with a wider type, and with C11's annex G at
 * special values. */
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "math/complex_number.h"

static uint64_t state;
static uint64_t next(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

/* A number of either sign whose exponent differs from `middle` by at most `spread`. */
static double number(int middle, int spread)
{
    double m = (double)(next() >> 11) * 0x1p-53 + 1;
    int exponent = middle + (int)(next() % (uint64_t)(2 * spread + 1)) - spread;
    return ldexp(next() & 1 ? -m : m, exponent);
}

TEST(a_length_is_off_by_a_unit_at_most)
{
    state = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 300000; i++) {
        int middle = (int)(next() % 1800) - 900;
        double x = number(middle, i % 40), y = number(middle, i % 40), got = situ_hypot_f64(x, y);
        long double want = hypotl(x, y);
        if (!CHECK(fabsl(got - want) <= 0x1p-52L * want)) printf("  %a %a: %a\n", x, y, got);
        CHECK(got == situ_hypot_f64(-y, x));
    }
    CHECK(situ_hypot_f64(3, 4) == 5 && situ_hypot_f64(3e300, 4e300) == 5e300 && situ_hypot_f64(0, -0.0) == 0);
    CHECK(situ_hypot_f64(3 * 0x1p-1074, 4 * 0x1p-1074) == 5 * 0x1p-1074);
    CHECK(situ_hypot_f64(DBL_MAX, DBL_MAX) == INFINITY && situ_hypot_f64(NAN, -INFINITY) == INFINITY && isnan(situ_hypot_f64(NAN, 1)));
}

/* Error relative to the result's magnitude, because each part alone may cancel. */
TEST(a_quotient_has_its_digits)
{
    state = 0x2545f4914f6cdd1du;
    for (int i = 0; i < 300000; i++) {
        int middle = (int)(next() % 900) - 450, other = (int)(next() % 900) - 450, spread = i % 100;
        double a = number(middle, spread), b = number(middle, spread), c = number(other, spread), d = number(other, spread);
        double _Complex got = situ_divide(CMPLX(a, b), CMPLX(c, d));
        long double scale = fmaxl(fabsl((long double)c), fabsl((long double)d)), p = c / scale, q = d / scale, size = p * p + q * q;
        long double re = (a * p + b * q) / size / scale, im = (b * p - a * q) / size / scale, length = hypotl(re, im);
        if (!(length > 0x1p-900L) || !(length < 0x1p900L)) continue;
        if (!CHECK(fabsl(creal(got) - re) <= 0x1p-50L * length && fabsl(cimag(got) - im) <= 0x1p-50L * length))
            printf("  (%a, %a) / (%a, %a): (%a, %a)\n", a, b, c, d, creal(got), cimag(got));
    }
}

TEST(a_quotient_at_the_ends_is_annex_g)
{
    double _Complex q = situ_divide(CMPLX(1, 2), CMPLX(0, 0));
    CHECK(creal(q) == INFINITY && cimag(q) == INFINITY);
    q = situ_divide(CMPLX(INFINITY, NAN), CMPLX(2, 1));
    CHECK(isinf(creal(q)));
    q = situ_divide(CMPLX(3, -4), CMPLX(-INFINITY, NAN));
    CHECK(creal(q) == 0 && cimag(q) == 0);
    q = situ_divide(CMPLX(DBL_MAX, DBL_MAX), CMPLX(DBL_MAX, DBL_MAX));
    CHECK(creal(q) == 1 && cimag(q) == 0);
    q = situ_divide(CMPLX(0x1p-1074, 0x1p-1074), CMPLX(0x1p-1074, 0x1p-1074));
    CHECK(creal(q) == 1 && cimag(q) == 0);
    q = situ_divide(CMPLX(NAN, 1), CMPLX(1, 1));
    CHECK(isnan(creal(q)) && isnan(cimag(q)));
}
