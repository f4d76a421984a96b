/* The fused multiply-add in whole numbers (simd/fma.inc) beside the compiler's, which is one instruction of most processors, else
 * the C library's. tests/release/fma.sh compares it with MPFR. SITU_JOB_SEED gives the seed. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FN static inline
#include "simd/fma.inc"
#undef FN
#include "support/fma_operands.h"

enum { COUNT = 300000 };

static bool same_f64(double x, double y) { return isnan(x) ? isnan(y) : !memcmp(&x, &y, sizeof x); }
static bool same_f32(float x, float y) { return isnan(x) ? isnan(y) : !memcmp(&x, &y, sizeof x); }

static void begin(void)
{
    const char *wished = getenv("SITU_JOB_SEED");
    fma_state = wished ? strtoull(wished, NULL, 0) : 1;
    printf("    seed %llu\n", (unsigned long long)fma_state);
}

TEST(of_floats_is_rounded_once)
{
    int64_t wrong = 0, twice = 0;
    float v[3];
    begin();
    for (int64_t i = 0; i < COUNT; i++) {
        fma_floats(v);
        float expected = __builtin_fmaf(v[0], v[1], v[2]);
        if (!same_f32(whole_fmaf(v[0], v[1], v[2]), expected) && wrong++ < 5) printf("    fmaf(%a, %a, %a)\n", v[0], v[1], v[2]);
        twice += !same_f32((float)((double)v[0] * (double)v[1] + (double)v[2]), expected);
    }
    CHECK_EQ(wrong, 0);
    CHECK(twice > 100); /* the operands tell one rounding from two */
}

TEST(of_doubles_is_rounded_once)
{
    int64_t wrong = 0, twice = 0;
    double v[3];
    begin();
    for (int64_t i = 0; i < COUNT; i++) {
        fma_doubles(v);
        double expected = __builtin_fma(v[0], v[1], v[2]);
        if (!same_f64(whole_fma(v[0], v[1], v[2]), expected) && wrong++ < 5) printf("    fma(%a, %a, %a)\n", v[0], v[1], v[2]);
        twice += !same_f64(v[0] * v[1] + v[2], expected);
    }
    CHECK_EQ(wrong, 0);
    CHECK(twice > 500);
}

TEST(of_special_values)
{
    const double value[] = {0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023,
        -0x1.fffffffffffffp1023, 0x1p-537, 0x1p512, 0x1.8p0};
    const float single[] = {0, -0.0f, 1, -1, INFINITY, -INFINITY, NAN, 0x1p-149f, -0x1p-149f, 0x1p-126f, 0x1.fffffep127f,
        -0x1.fffffep127f, 0x1p-75f, 0x1p64f, 0x1.8p0f};
    enum { N = sizeof value / sizeof *value };
    for (int i = 0; i < N * N * N; i++) {
        int j = i / N % N, k = i / N / N;
        volatile double a = value[i % N], b = value[j], c = value[k];
        volatile float x = single[i % N], y = single[j], z = single[k];
        if (!CHECK(same_f64(whole_fma(a, b, c), __builtin_fma(a, b, c)))) printf("    fma(%a, %a, %a)\n", a, b, c);
        if (!CHECK(same_f32(whole_fmaf(x, y, z), __builtin_fmaf(x, y, z)))) printf("    fmaf(%a, %a, %a)\n", x, y, z);
    }
}
