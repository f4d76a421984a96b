/* The error of the elementwise functions, over some 20,000 points each: f32 against the C library in double, in ULP of
 * the whole format; f64 against long double in an operation's range. tests/accuracy measures more points, against
 * MPFR. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend/cpu/tiles/tile.h"
#include "tensor/cast.h"
#include "support/elementwise_operands.h"
#include "support/elementwise_reference.h"

enum { POINTS = 20480, TILE = 1024 };

/* Draws operands: for one operand, from strata of the 2^32 bit patterns and special values; for several, as
 * draw_operand does. */
static void draw_f32(situ_el op, int i, uint64_t *state, float *x)
{
    for (int k = 0; k < situ_el_rows[op].arity; k++) {
        draw_operand(op, SITU_F32, state, &x[k]);
        if (situ_el_rows[op].arity > 1) continue;
        uint32_t u = (uint32_t)i * 209715u + (uint32_t)(draw(state) % 209715u);
        memcpy(&x[k], &u, 4);
        if (i % 512 == 0) x[k] = (float)corner((uint64_t)i / 512);
    }
}

static void check_f32(situ_el op)
{
    static float x[3][TILE], y[TILE];
    uint64_t state = 11 + (unsigned)op;
    double worst = 0, at[3] = {0}, slack = 1e-6; /* slack: error of the reference itself */
    for (int i = 0; i < POINTS; i += TILE) {
        float v[3] = {0, 0, 0};
        for (int k = 0; k < TILE; k++) {
            draw_f32(op, i + k, &state, v);
            for (int j = 0; j < 3; j++) x[j][k] = v[j];
        }
        situ_tiles_best()->op[op][SITU_F32](y, x[0], x[1], x[2], TILE);
        for (int k = 0; k < TILE; k++) {
            bool known;
            double a = (double)x[0][k], b = (double)x[1][k], c = (double)x[2][k];
            double ulp = ulp_distance(y[k], reference_value(op, a, b, c, &known));
            if (!known || ulp <= worst) continue;
            worst = ulp, at[0] = a, at[1] = b, at[2] = c;
        }
    }
    if (CHECK(worst <= ulp_bound(op) + slack)) return;
    printf("  %s: %g ULP at %.9g, %.9g, %.9g\n", situ_el_rows[op].name, worst, at[0], at[1], at[2]);
}

TEST(f32_functions_keep_their_bounds)
{
    for (int op = 0; op < SITU_EL_COUNT; op++)
        if (situ_tiles_best()->op[op][SITU_F32] && situ_el_result((situ_el)op, SITU_F32) == SITU_F32 &&
            situ_el_rows[op].kind != SITU_EL_SELECT)
            check_f32((situ_el)op);
}

/* ---------------------------------------------------------------- f64 */

static long double erfinv_long(long double x)
{
    long double y = reference_erfinv((double)x), a = fabsl(x);
    if (!(a < 1)) return y;
    for (int i = 0; i < 2; i++) {
        long double e = a < 0.5L ? erfl(y) - x : ((1 - a) - erfcl(fabsl(y))) * copysignl(1, x);
        y -= e / (1.12837916709551257390L * expl(-y * y));
    }
    return y;
}

static long double value_long(situ_el op, long double a, long double b)
{
    switch (op) {
    case SITU_EL_sigmoid: return 1 / (1 + expl(-a));
    case SITU_EL_softplus: return log1pl(expl(a));
    case SITU_EL_logaddexp: return logl(expl(a) + expl(b));
    case SITU_EL_erfinv: return erfinv_long(a);
    case SITU_EL_rsqrt: return 1 / sqrtl(a);
    case SITU_EL_pow_half: return powl(a, 0.5L);
    case SITU_EL_floor_divide: return floorl(a / b);
    case SITU_EL_remainder: return a - b * floorl(a / b);
    case SITU_EL_exp: return expl(a);
    case SITU_EL_log: return logl(a);
    case SITU_EL_tanh: return tanhl(a);
    case SITU_EL_erf: return erfl(a);
    case SITU_EL_erfc: return erfcl(a);
    case SITU_EL_pow: return powl(a, b);
    default: return NAN;
    }
}

TEST(f64_functions_are_near_long_double)
{
    for (int op = 0; op < SITU_EL_COUNT; op++) {
        const situ_el_row *row = &situ_el_rows[op];
        if (isnan(value_long((situ_el)op, row->lo, row->hi))) continue;
        uint64_t state = 5 + (unsigned)op;
        double a[TILE], b[TILE], y[TILE], worst = 0;
        for (int i = 0; i < TILE; i++) {
            a[i] = row->lo + (row->hi - row->lo) * draw_unit(&state);
            b[i] = row->lo + (row->hi - row->lo) * draw_unit(&state);
        }
        situ_tiles_best()->op[op][SITU_F64](y, a, b, NULL, TILE);
        for (int i = 0; i < TILE; i++) {
            long double exact = value_long((situ_el)op, a[i], b[i]);
            double error = (double)fabsl((y[i] - exact) / (fabsl(exact) < 0.1L ? 0.1L : exact));
            if (!(error <= worst)) worst = error;
        }
        if (!CHECK(worst < 1e-15)) printf("  %s: %g\n", row->name, worst);
    }
}

/* Error in ULP of f64 functions of our own, over the whole format and where results are small. */
static double ulps(double y, long double exact)
{
    int exponent;
    if (isnan(y) || isinf(y) || isnan((double)exact) || isinf((double)exact)) return isnan(y) ? isnan((double)exact) ? 0 : INFINITY : (double)exact == y ? 0 : INFINITY;
    frexpl(exact, &exponent);
    return (double)(fabsl(y - exact) / ldexpl(1, (exponent < -1021 ? -1021 : exponent) - 53));
}

static long double own_long(situ_el op, long double x)
{
    switch (op) {
    case SITU_EL_expm1: return expm1l(x);
    case SITU_EL_log1p: return log1pl(x);
    case SITU_EL_exp2: return exp2l(x);
    case SITU_EL_log2: return log2l(x);
    case SITU_EL_log10: return log10l(x);
    case SITU_EL_asin: return asinl(x);
    case SITU_EL_acos: return acosl(x);
    case SITU_EL_atan: return atanl(x);
    case SITU_EL_sinh: return sinhl(x);
    case SITU_EL_cosh: return coshl(x);
    case SITU_EL_asinh: return asinhl(x);
    case SITU_EL_acosh: return acoshl(x);
    case SITU_EL_atanh: return atanhl(x);
    case SITU_EL_erfc: return x > 8 ? (long double)erfc((double)x) : erfcl(x); /* there the long double function is less
                                                                                * precise */
    case SITU_EL_sin: return sinl(x);
    case SITU_EL_cos: return cosl(x);
    case SITU_EL_tan: return tanl(x);
    default: return value_long(op, x, 0);
    }
}

TEST(f64_exponentials_and_logarithms_hold_everywhere)
{
    static const struct { situ_el op; double bound; } own[] = {{SITU_EL_exp, 1}, {SITU_EL_expm1, 1}, {SITU_EL_log, 1}, {SITU_EL_log1p, 1}, {SITU_EL_tanh, 1.02}, {SITU_EL_sigmoid, 2.5},
        {SITU_EL_exp2, 1}, {SITU_EL_log2, 1}, {SITU_EL_log10, 1}, {SITU_EL_sin, 1}, {SITU_EL_cos, 1}, {SITU_EL_tan, 0.8},
        {SITU_EL_asin, 1.2}, {SITU_EL_acos, 1.2}, {SITU_EL_atan, 0.9}, {SITU_EL_sinh, 1}, {SITU_EL_cosh, 1}, {SITU_EL_asinh, 1.4}, {SITU_EL_acosh, 1}, {SITU_EL_atanh, 1.7}, {SITU_EL_erf, 1.4}, {SITU_EL_erfc, 2.5}, {SITU_EL_erfinv, 1}};
    static const double edges[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 5e-324, -5e-324, 2.3e-308, 2.2e-308, 1.7e308, 709.782712893384, 709.7827128933841,
                                   -745.1332191019411, -745.1332191019412, -708.4, 1e-17, -0x1p-53, 0x1p-52, 22, -37.5, 710, 710.47586007394386, -710.4758600739439, 710.47586007394398, 27.2, 28, 0.75, 0.8125, 0.46875, 2, 0.5, 0.99999999999999989, -0.99999999999999989, -1.0000000000000002, 3.1415926535897931, 1.5707963267948966, 999999.99999999988, 1000000, 1e22, 0x16ac5b262ca1ffp797};
    enum { EDGES = sizeof edges / sizeof *edges, ROUNDS = 200 };
    for (int k = 0; k < (int)(sizeof own / sizeof *own); k++) {
        uint64_t state = 77;
        double worst = 0, at = 0, x[TILE], y[TILE];
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < TILE; i++) {
                double u = draw_unit(&state) * 2 - 1;
                x[i] = round % 4 == 0 ? u * 746 : round % 4 == 1 ? u * 3 : round % 4 == 2 ? ldexp(u, -(int)(draw_unit(&state) * 60)) : 1 + ldexp(u, -(int)(draw_unit(&state) * 50));
                if (round % 5 == 0) x[i] = ldexp(u, (int)(draw_unit(&state) * 2090) - 1070);
                if (round % 10 == 3) x[i] = u * 1e6; /* near the end of the range and near zeros of the sine */
                if (round % 10 == 6) x[i] = rint(u * 636619) * 1.5707963267948966;
                if (!round && i < EDGES) x[i] = edges[i];
            }
            situ_tiles_best()->op[own[k].op][SITU_F64](y, x, NULL, NULL, TILE - round % 9);
            for (int i = 0; i < TILE - round % 9; i++) {
                double error = ulps(y[i], own_long(own[k].op, x[i]));
                if (!(error <= worst)) worst = error, at = x[i];
            }
        }
        if (!CHECK(worst <= own[k].bound)) printf("  %s(%.17g): %g ULP\n", situ_el_rows[own[k].op].name, at, worst);
        double zero[2] = {0.0, -0.0};
        situ_tiles_best()->op[own[k].op][SITU_F64](y, zero, NULL, NULL, 2);
        if (!y[0]) CHECK(!signbit(y[0]) && signbit(y[1]));
    }
}

TEST(f64_angles_of_points_hold_everywhere)
{
    static const double edges[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 5e-324, -5e-324, 1.7e308, -1.7e308, 2.3e-308, 1e-300, 1e95, 1e-205};
    enum { EDGES = sizeof edges / sizeof *edges, ROUNDS = 200 };
    uint64_t state = 6;
    double worst = 0, at[2] = {0}, x[TILE], y[TILE], out[TILE];
    for (int i = 0; i < EDGES * EDGES; i++) {
        double a = edges[i / EDGES], b = edges[i % EDGES], got, want = atan2(a, b);
        situ_tiles_best()->op[SITU_EL_atan2][SITU_F64](&got, &a, &b, NULL, 1);
        bool good = isnan(want) ? isnan(got) : got == want || ulps(got, atan2l(a, b)) <= 1;
        if (!CHECK(good && (isnan(want) || signbit(got) == signbit(want)))) printf("  atan2(%g, %g) = %g, not %g\n", a, b, got, want);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < TILE; i++) {
            x[i] = ldexp(draw_unit(&state) * 2 - 1, round % 2 ? (int)(draw_unit(&state) * 2000) - 1000 : 0);
            y[i] = round % 3 ? ldexp(draw_unit(&state) * 2 - 1, round % 2 ? (int)(draw_unit(&state) * 2000) - 1000 : 0) : x[i] * (0.41421356237309503 + ldexp(draw_unit(&state), -(int)(draw_unit(&state) * 50)));
        }
        situ_tiles_best()->op[SITU_EL_atan2][SITU_F64](out, x, y, NULL, TILE - round % 7);
        for (int i = 0; i < TILE - round % 7; i++) {
            double error = ulps(out[i], atan2l(x[i], y[i]));
            if (!(error <= worst)) worst = error, at[0] = x[i], at[1] = y[i];
        }
    }
    if (!CHECK(worst <= 1)) printf("  atan2(%.17g, %.17g): %g ULP\n", at[0], at[1], worst);
}

TEST(the_cosine_of_pi_is_minus_one)
{
    double x[] = {3.1415926535897931, -3.1415926535897931, 0}, y[3];
    situ_tiles_best()->op[SITU_EL_cos][SITU_F64](y, x, NULL, NULL, 3);
    CHECK(y[0] == -1 && y[1] == -1 && y[2] == 1);
}

TEST(f64_powers_hold_everywhere)
{
    static const double edges[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 5e-324, -5e-324, 2, -2, 0.5, 3, -3, 1.7e308, 0x1.fffffffffffffp-1, 1.0000000000000002, 1e300, -1e300, 9007199254740993.0, 0.333};
    enum { EDGES = sizeof edges / sizeof *edges, ROUNDS = 300 };
    uint64_t state = 5;
    double worst = 0, at[2] = {0}, x[TILE], y[TILE], out[TILE];
    for (int i = 0; i < EDGES * EDGES; i++) {
        double a = edges[i / EDGES], b = edges[i % EDGES], got, want = pow(a, b);
        situ_tiles_best()->op[SITU_EL_pow][SITU_F64](&got, &a, &b, NULL, 1);
        bool good = isnan(want) ? isnan(got) : got == want || ulps(got, powl(a, b)) <= 1;
        if (!CHECK(good && (isnan(want) || signbit(got) == signbit(want)))) printf("  pow(%g, %g) = %g, not %g\n", a, b, got, want);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < TILE; i++) {
            double u = draw_unit(&state), v = draw_unit(&state) * 2 - 1;
            x[i] = round % 3 == 0 ? ldexp(u, (int)(draw_unit(&state) * 2000) - 1000) : round % 3 == 1 ? u * 4 : 1 + ldexp(v, -(int)(draw_unit(&state) * 52));
            y[i] = round % 2 ? v * 700 / (fabs(log(x[i])) + 1e-300) : v * 20;
            if (round % 5 == 0) y[i] = rint(y[i]), x[i] = -x[i];
        }
        situ_tiles_best()->op[SITU_EL_pow][SITU_F64](out, x, y, NULL, TILE - round % 7);
        for (int i = 0; i < TILE - round % 7; i++) {
            double error = ulps(out[i], powl(x[i], y[i]));
            if (!(error <= worst)) worst = error, at[0] = x[i], at[1] = y[i];
        }
    }
    if (!CHECK(worst <= 1)) printf("  pow(%.17g, %.17g): %g ULP\n", at[0], at[1], worst);
}

/* ---------------------------------------------------------------- cases that are agreed by name */

static float f32_value(situ_el op, float a, float b)
{
    float y = 0;
    situ_tiles_best()->op[op][SITU_F32](&y, &a, &b, &b, 1);
    return y;
}
static double f64_value(situ_el op, double a, double b)
{
    double y = 0;
    situ_tiles_best()->op[op][SITU_F64](&y, &a, &b, &b, 1);
    return y;
}

/* Checks the value in both float dtypes. */
static void same(situ_el op, double a, double b, double want)
{
    double x = (double)f32_value(op, (float)a, (float)b), y = f64_value(op, a, b);
    bool good = isnan(want) ? isnan(x) && isnan(y)
                            : x == (double)(float)want && y == want && !signbit(x) == !signbit(want) && !signbit(y) == !signbit(want);
    if (!CHECK(good)) printf("  %s(%g, %g): f32 %g, f64 %g, not %g\n", situ_el_rows[op].name, a, b, x, y, want);
}

TEST(special_cases_of_floats)
{
    same(SITU_EL_pow, 0, 0, 1);
    same(SITU_EL_pow, NAN, 0, 1);
    same(SITU_EL_pow, 1, NAN, 1);
    same(SITU_EL_pow, -1, INFINITY, 1);
    same(SITU_EL_pow, -0.0, -3, -INFINITY);
    same(SITU_EL_pow, -0.0, -2, INFINITY);
    same(SITU_EL_pow, -0.0, 3, -0.0);
    same(SITU_EL_pow, -8, 1.5, NAN);
    same(SITU_EL_pow, -2, 3, -8);
    same(SITU_EL_pow, -INFINITY, 0.5, INFINITY);
    same(SITU_EL_pow, 0.5, -INFINITY, INFINITY);
    same(SITU_EL_maximum, NAN, 1, NAN);
    same(SITU_EL_maximum, 1, NAN, NAN);
    same(SITU_EL_minimum, NAN, 1, NAN);
    same(SITU_EL_minimum, 1, NAN, NAN);
    same(SITU_EL_relu, NAN, 0, NAN);
    same(SITU_EL_round, 2.5, 0, 2);
    same(SITU_EL_round, -3.5, 0, -4);
    same(SITU_EL_round, -0.3, 0, -0.0);
    same(SITU_EL_ceil, -0.3, 0, -0.0);
    same(SITU_EL_trunc, -0.3, 0, -0.0);
    same(SITU_EL_sign, NAN, 0, NAN);
    same(SITU_EL_remainder, 5, -3, -1);
    same(SITU_EL_remainder, -5, 3, 1);
    same(SITU_EL_remainder, -6, 3, 0);
    same(SITU_EL_remainder, 6, -3, -0.0);
    same(SITU_EL_remainder, -1, INFINITY, INFINITY);
    same(SITU_EL_remainder, 1, 0, NAN);
    same(SITU_EL_fmod, -5, 3, -2);
    same(SITU_EL_floor_divide, -5, 3, -2);
    same(SITU_EL_floor_divide, 5, 0, INFINITY);
    same(SITU_EL_floor_divide, -1, INFINITY, -1);
    same(SITU_EL_hypot, INFINITY, NAN, INFINITY);
    same(SITU_EL_atan2, 0, -0.0, 3.14159265358979312);
    same(SITU_EL_atan2, -0.0, 0, -0.0);
    same(SITU_EL_atan2, INFINITY, -INFINITY, 2.35619449019234484);
    same(SITU_EL_logaddexp, -INFINITY, -INFINITY, -INFINITY);
    same(SITU_EL_logaddexp, INFINITY, INFINITY, INFINITY);
    same(SITU_EL_erfinv, 1, 0, INFINITY);
    same(SITU_EL_erfinv, 1.5, 0, NAN);
    same(SITU_EL_log1p, -0.0, 0, -0.0);
    same(SITU_EL_expm1, -0.0, 0, -0.0);
    same(SITU_EL_expm1, -INFINITY, 0, -1);
    same(SITU_EL_expm1, INFINITY, 0, INFINITY);
    same(SITU_EL_exp2, NAN, 0, NAN);
    same(SITU_EL_log2, 0, 0, -INFINITY);
    same(SITU_EL_log10, -1, 0, NAN);
    same(SITU_EL_log10, INFINITY, 0, INFINITY);
    same(SITU_EL_asin, -0.0, 0, -0.0);
    same(SITU_EL_asin, 2, 0, NAN);
    same(SITU_EL_acos, 1, 0, 0);
    same(SITU_EL_acos, -1, 0, 3.14159265358979312);
    same(SITU_EL_atan, -INFINITY, 0, -1.57079632679489656);
    same(SITU_EL_tan, -0.0, 0, -0.0);
    same(SITU_EL_rsqrt, 0, 0, INFINITY);
    same(SITU_EL_copysign, NAN, -1, NAN);
}

TEST(whole_powers_have_whole_logarithms)
{
    for (int k = -149; k <= 127; k++) {
        CHECK(f32_value(SITU_EL_exp2, (float)k, 0) == ldexpf(1, k));
        CHECK(f32_value(SITU_EL_log2, ldexpf(1, k), 0) == (float)k);
    }
    CHECK(f32_value(SITU_EL_exp2, -151, 0) == 0 && isinf(f32_value(SITU_EL_exp2, 128, 0)));
    for (int k = 0; k <= 10; k++) CHECK(f32_value(SITU_EL_log10, (float)pow(10, k), 0) == (float)k);
}

#define WHOLE(T, dtype, el, a, b, want)                                                                      \
    do {                                                                                                      \
        T x_ = (T)(a), z_ = (T)(b), y_ = 0;                                                                    \
        situ_tiles_best()->op[SITU_EL_##el][dtype](&y_, &x_, &z_, &z_, 1);                                     \
        CHECK_EQ(y_, (T)(want));                                                                              \
    } while (0)

TEST(special_cases_of_integers)
{
    WHOLE(int32_t, SITU_I32, add, INT32_MAX, 1, INT32_MIN);
    WHOLE(int32_t, SITU_I32, mul, INT32_MIN, -1, INT32_MIN);
    WHOLE(int32_t, SITU_I32, abs, INT32_MIN, 0, INT32_MIN);
    WHOLE(int32_t, SITU_I32, floor_divide, -7, 2, -4);
    WHOLE(int32_t, SITU_I32, floor_divide, 7, 0, 0);
    WHOLE(int32_t, SITU_I32, floor_divide, INT32_MIN, -1, INT32_MIN);
    WHOLE(int32_t, SITU_I32, remainder, -7, 2, 1);
    WHOLE(int32_t, SITU_I32, remainder, 7, -2, -1);
    WHOLE(int32_t, SITU_I32, remainder, 7, 0, 0);
    WHOLE(int32_t, SITU_I32, remainder, INT32_MIN, -1, 0);
    WHOLE(int32_t, SITU_I32, fmod, -7, 2, -1);
    WHOLE(int32_t, SITU_I32, pow, 3, 4, 81);
    WHOLE(int32_t, SITU_I32, pow, 2, 33, 0);
    WHOLE(int32_t, SITU_I32, pow, 2, -1, 0);
    WHOLE(int32_t, SITU_I32, pow, -1, -3, -1);
    WHOLE(int32_t, SITU_I32, bitwise_left_shift, 1, 31, INT32_MIN);
    WHOLE(int32_t, SITU_I32, bitwise_left_shift, 1, 32, 0);
    WHOLE(int32_t, SITU_I32, bitwise_left_shift, 1, -1, 0);
    WHOLE(int32_t, SITU_I32, bitwise_right_shift, -8, 1, -4);
    WHOLE(int32_t, SITU_I32, bitwise_right_shift, -8, 40, -1);
    WHOLE(int64_t, SITU_I64, floor_divide, INT64_MIN, -1, INT64_MIN);
    WHOLE(int64_t, SITU_I64, bitwise_left_shift, 1, 63, INT64_MIN);
    WHOLE(uint32_t, SITU_U32, sub, 0, 1, UINT32_MAX);
    WHOLE(uint32_t, SITU_U32, bitwise_right_shift, UINT32_MAX, 32, 0);
    WHOLE(uint32_t, SITU_U32, negative, 1, 0, UINT32_MAX);
    WHOLE(uint64_t, SITU_U64, floor_divide, UINT64_MAX, 0, 0);
    WHOLE(uint8_t, SITU_BOOL, bitwise_invert, 1, 0, 0);
    WHOLE(uint8_t, SITU_BOOL, logical_xor, 1, 1, 0);
    WHOLE(uint8_t, SITU_BOOL, less, 0, 1, 1);
}

/* Vectors divide integers in double. */
TEST(quotients_of_integers_are_those_of_c)
{
    static int32_t x[TILE], y[TILE], out[3][TILE];
    uint64_t state = 9;
    int wrong = 0;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < TILE; i++) {
            uint64_t u = draw(&state);
            y[i] = (int32_t)draw(&state) >> (u & 31);
            x[i] = u >> 5 & 1 ? (int32_t)((uint32_t)y[i] * (uint32_t)(u >> 6 & 0xffff)) - (int32_t)(u >> 22 & 1) : (int32_t)(u >> 32) >> (u >> 23 & 31);
            if (!(u >> 24 & 127)) x[i] = INT32_MIN;
            if (!(u >> 25 & 127)) y[i] = (int32_t)(u >> 60 & 3) - 1;
        }
        situ_tiles_best()->op[SITU_EL_fmod][SITU_I32](out[0], x, y, NULL, TILE);
        situ_tiles_best()->op[SITU_EL_remainder][SITU_I32](out[1], x, y, NULL, TILE);
        situ_tiles_best()->op[SITU_EL_floor_divide][SITU_I32](out[2], x, y, NULL, TILE);
        for (int i = 0; i < TILE; i++) {
            int64_t a = x[i], b = y[i], r = b ? a % b : 0, turned = r && (r < 0) != (b < 0) ? r + b : r;
            int64_t q = b ? (a - turned) / b : 0;
            wrong += out[0][i] != r || out[1][i] != turned || out[2][i] != (int32_t)(uint32_t)q;
        }
    }
    CHECK_EQ(wrong, 0);
}

/* All 65,536 bit patterns, next to elements with other signs. */
TEST(signs_of_halves_have_the_bits_of_conversions)
{
    static uint16_t h[65536], sign[65536], out[65536];
    static float x[65536], z[65536], y[65536];
    static const situ_el els[] = {SITU_EL_negative, SITU_EL_abs, SITU_EL_copysign, SITU_EL_relu, SITU_EL_sign};
    uint64_t state = 10;
    if (!situ_tiles_best()->narrow) SKIP("this instruction set converts them");
    for (int brain = 0; brain < 2; brain++)
        for (size_t k = 0; k < sizeof els / sizeof *els; k++) {
            int wrong = 0;
            for (int i = 0; i < 65536; i++) {
                h[i] = (uint16_t)i, sign[i] = (uint16_t)draw(&state);
                x[i] = brain ? situ_brain_to_f32(h[i]) : situ_half_to_f32(h[i]);
                z[i] = brain ? situ_brain_to_f32(sign[i]) : situ_half_to_f32(sign[i]);
            }
            situ_tile_narrow(situ_tiles_best(), els[k], brain ? SITU_BF16 : SITU_F16)(out, h, sign, NULL, 65535);
            situ_tiles_best()->op[els[k]][SITU_F32](y, x, z, NULL, 65535);
            for (int i = 0; i < 65535; i++) wrong += out[i] != (brain ? situ_brain_from_f32(y[i]) : situ_half_from_f32(y[i]));
            if (!CHECK_EQ(wrong, 0)) printf("  %s: %d\n", situ_el_rows[els[k]].name, wrong);
        }
}

/* ---------------------------------------------------------------- the table */

TEST(the_table_is_whole)
{
    for (int op = 0; op < SITU_EL_COUNT; op++) {
        const situ_el_row *row = &situ_el_rows[op];
        bool none = false;
        CHECK(row->arity >= 1 && row->arity <= 3 && row->lo < row->hi && row->doc[0]);
        for (int i = 0; i < 3; i++) CHECK((row->grad[i] != NULL) == (i < row->arity));
        for (int i = 0; i < row->arity; i++) none |= !strcmp(row->grad[i], "NONE");
        CHECK_EQ(none, row->kind == SITU_EL_SELECT || situ_el_rules[row->kind].no_gradient != NULL);
        for (int other = 0; other < op; other++) CHECK(strcmp(row->name, situ_el_rows[other].name) != 0);
    }
    CHECK_EQ(situ_el_grad_reads(SITU_EL_mul, 0), 2);
    CHECK_EQ(situ_el_grad_reads(SITU_EL_tanh, 0), 128);
    CHECK_EQ(situ_el_grad_reads(SITU_EL_add, 1), 0);
    CHECK_EQ(situ_el_grad_reads(SITU_EL_pow, 1), 128 | 1);
}
