/* Functions of doubles that the host computes itself: compared with a wider type where it has one, and by a digest that every
 * instruction set and processor must have. */
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "math/complex_number.h"
#include "math/f64.h"

#define number(f) situ_f64_##f
#include "math/complex_functions.inc"

static uint64_t state;
static uint64_t next(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

/* A number of either sign, whose exponent is between the two. */
static double draw(int least, int most)
{
    double m = (double)(next() >> 11) * 0x1p-53 + 1;
    int exponent = least + (int)(next() % (uint64_t)(most - least + 1));
    return ldexp(next() & 1 ? -m : m, exponent);
}

typedef struct function {
    const char *name;
    double (*own)(double x);
    long double (*wide)(long double x);
    int least, most; /* exponents of arguments */
    double ulps;
} function;

static const function functions[] = {
    {"sin", situ_f64_sin, sinl, -40, 1023, 0.75},
    {"cos", situ_f64_cos, cosl, -40, 1023, 0.75},
    {"tan", situ_f64_tan, tanl, -40, 1023, 0.75},
    {"exp", situ_f64_exp, expl, -40, 9, 1},
    {"expm1", situ_f64_expm1, expm1l, -40, 9, 1},
    {"log", situ_f64_log, logl, -1022, 1023, 1},
    {"log1p", situ_f64_log1p, log1pl, -60, 1000, 1},
    {"log2", situ_f64_log2, log2l, -1022, 1023, 1},
    {"log10", situ_f64_log10, log10l, -1022, 1023, 1},
    {"sinh", situ_f64_sinh, sinhl, -40, 9, 1},
    {"cosh", situ_f64_cosh, coshl, -40, 9, 1},
    {"tanh", situ_f64_tanh, tanhl, -40, 9, 1},
    {"asinh", situ_f64_asinh, asinhl, -40, 1000, 1},
};

TEST(functions_are_within_a_unit_of_a_wider_type)
{
    if (LDBL_MANT_DIG < 64) return SKIP("long double is no wider than double here");
    state = 0x9e3779b97f4a7c15u;
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        const function *f = &functions[k];
        double most = 0, at = 0;
        for (int i = 0; i < 100000; i++) {
            double x = draw(f->least, f->most), y = f->own(x);
            long double want = f->wide(x);
            if (isnan(want) || fabsl(want) > DBL_MAX || fabsl(want) < DBL_MIN) continue;
            int e;
            (void)frexpl(want, &e);
            double wrong = (double)(fabsl(y - want) / ldexpl(1, e - 53));
            if (!(wrong <= most)) most = wrong, at = x;
        }
        if (!CHECK(most <= f->ulps)) printf("  %s(%a): %.3f ULP\n", f->name, at, most);
    }
}

/* The double that comes nearest to a multiple of pi/2: J.-M. Muller, Elementary Functions, section on range reduction. */
TEST(the_hardest_argument_is_reduced)
{
    double x = 6381956970095103 * 0x1p797;
    CHECK(situ_f64_cos(x) == -4.68716592425462761112e-19 && situ_f64_sin(x) == 1);
    CHECK(isnan(situ_f64_sin(INFINITY)) && isnan(situ_f64_cos(-INFINITY)) && isnan(situ_f64_tan(NAN)));
    CHECK(situ_f64_sin(-1e300) == -situ_f64_sin(1e300) && situ_f64_cos(-1e300) == situ_f64_cos(1e300));
}

#define LIST(X) \
    X(sqrt) X(exp) X(expm1) X(log) X(log1p) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh)
#define ENTRY(f) {#f, complex_##f},
static const struct {
    const char *name;
    c128_F (*own)(c128_F z);
} complex[] = {LIST(ENTRY)};

typedef long double _Complex wide;
static wide expm1_of(wide z)
{
    long double x = creall(z), y = cimagl(z), half = sinl(y / 2);
    return expm1l(x) * cosl(y) - 2 * half * half + expl(x) * sinl(y) * (wide)_Complex_I;
}
static wide log1p_of(wide z)
{
    long double x = creall(z), y = cimagl(z);
    return 0.5L * log1pl(x * (2 + x) + y * y) + atan2l(y, 1 + x) * (wide)_Complex_I;
}
static wide (*const wider[])(wide z) = {csqrtl, cexpl, expm1_of, clogl, log1p_of, csinl, ccosl, ctanl, casinl, cacosl, catanl,
    csinhl, ccoshl, ctanhl, casinhl, cacoshl, catanhl};

/* Relative to the magnitude, since each part alone may cancel. */
TEST(complex_functions_are_within_four_units)
{
    if (LDBL_MANT_DIG < 64) return SKIP("long double is no wider than double here");
    state = 0x2545f4914f6cdd1du;
    for (size_t k = 0; k < sizeof complex / sizeof *complex; k++) {
        double most = 0, re = 0, im = 0;
        for (int i = 0; i < 100000; i++) {
            double x = draw(i % 2 ? -3 : -30, i % 2 ? 3 : 6), y = draw(i % 2 ? -3 : -30, i % 2 ? 3 : 6);
            c128_F got = complex[k].own(complex_of(x, y));
            wide want = wider[k](x + y * (wide)_Complex_I);
            long double size = cabsl(want);
            if (!(size < DBL_MAX)) continue;
            double wrong = (double)(hypotl(got.re - creall(want), got.im - cimagl(want)) / size * 0x1p52L);
            if (!(wrong <= most)) most = wrong, re = x, im = y;
        }
        if (!CHECK(most <= 4)) printf("  %s(%a, %a): %.3f ULP\n", complex[k].name, re, im, most);
    }
}

/* Arguments at which other libraries were reported wrong, with values of 2,000 bits. */
TEST(reported_arguments_have_their_values)
{
    static const struct {
        c128_F (*own)(c128_F z);
        double x, y, re, im;
    } rows[] = {
        {complex_tanh, 372.0, 1.0, 1.0, 1.5e-323}, /* numpy#2321 */
        {complex_tanh, 616.4729222753588, 53.81455895817904, 1.0, 0.0}, /* numpy#5687 */
        {complex_tanh, 1000.0, 1000.0, 1.0, 0.0}, /* mathjs#2967 */
        {complex_tanh, 100.0, 100.0, 1.0, -2.417106192846055e-87}, /* Complex.js#44 */
        {complex_tanh, 7.270392412e-15, 1.507304668, 1.8059601282956814e-12, 15.72893081467053}, /* cccl#9036 */
        {complex_log1p, -1e-18, 1.4142135623730951e-09, 1.0683917643215912e-35, 1.4142135623730951e-09}, /* pytorch#89214 */
        {complex_sqrt, 0.0, 942477.7960769379, 686.4684246478267, 686.4684246478267}, /* mathjs#2967 */
        {complex_exp, 709.9, 1.0, 1.092168192007999e+308, 1.7009511788556363e+308},
        {complex_sin, 100000000.0, 1.0, 1.4375941413711322, -0.427050590763167}, /* ccmath#129 */
        {complex_sin, 1.329227995784916e+36, 0.001, 0.3778202982708224, -0.000925879177168016}, /* go#6794 */
        {complex_acosh, 1.000000001, 1e-12, 4.472136698656742e-05, 2.236067604925914e-08},
        {complex_atanh, 1.0, 1e-10, 11.8594990552502, 0.7853981634224483},
        {complex_expm1, 1e-08, 1e-08, 1e-08, 1.00000001e-08}, /* ggml#1515 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        c128_F y = rows[i].own(complex_of(rows[i].x, rows[i].y));
        if (!CHECK(fabs(y.re - rows[i].re) <= 8 * DBL_EPSILON * fabs(rows[i].re) + 0x1p-1072 && fabs(y.im - rows[i].im) <= 8 * DBL_EPSILON * fabs(rows[i].im) + 0x1p-1072))
            printf("  %a %a: %.17g %.17g\n", rows[i].x, rows[i].y, y.re, y.im);
    }
}

static uint64_t digest;
static void add(double x)
{
    uint64_t bits = 0;
    if (x == x) memcpy(&bits, &x, sizeof bits); /* the sign of a NaN differs between processors */
    digest = (digest ^ bits) * 0x100000001b3u;
    digest ^= digest >> 29;
}

TEST(every_processor_has_these_bits)
{
    digest = 0;
    state = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 20000; i++) {
        for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
            add(functions[k].own(draw(functions[k].least, functions[k].most)));
        double a = draw(-3, 8);
        add(situ_f64_pow(fabs(draw(-20, 20)), a));
        add(situ_f64_atan2(a, draw(-8, 8)));
        double re = draw(-30, 10), im = draw(-30, 10);
        for (size_t k = 0; k < sizeof complex / sizeof *complex; k++) {
            c128_F y = complex[k].own(complex_of(re, im));
            add(y.re);
            add(y.im);
        }
    }
    if (!CHECK(digest == 0xf7ebd57f0b088f80u)) printf("  0x%llx\n", (unsigned long long)digest);
}
