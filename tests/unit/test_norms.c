/* Norms of values whose squares overflow or underflow the dtype. */
#include <situ.h>

#include <math.h>

#include "values.h"

#include "base/isa.h"

static double norm_of(double a, double b, situ_dtype dtype, double ord)
{
    double y = NAN;
    IN_SCOPE y = situ_item(situ_norm(situ_cast(F64(a, b), dtype), .ord = ord));
    return y;
}

TEST(norms_neither_overflow_nor_vanish)
{
    static const double ords[] = {1, 2, 3, 0.5, INFINITY, -INFINITY, -1, -2};
    static const double scales[] = {1, 1e20, 1e30, 1e-20, 1e-30, 1e150, 1e-150, 1e290};
    for (int d = 0; d < 2; d++)
        for (size_t s = 0; s < sizeof scales / sizeof *scales; s++)
            for (size_t o = 0; o < sizeof ords / sizeof *ords; o++) {
                double t = scales[s], p = ords[o], right = (isinf(p) ? (p > 0 ? 4 : 3) : pow(pow(3, p) + pow(4, p), 1 / p)) * t;
                if (!d && (t > 1e35 || t < 1e-35)) continue;
                CHECK_NEAR(norm_of(3 * t, -4 * t, d ? SITU_F64 : SITU_F32, p) / right, 1, 1e-5);
            }
    CHECK_NEAR(norm_of(300, 0, SITU_F16, 2), 300, 0);
    CHECK_NEAR(norm_of(100, 100, SITU_I8, 2), sqrt(20000), 1e-4);
    CHECK_NEAR(norm_of(-128, 0, SITU_I8, 2), 128, 0);
    CHECK_NEAR(norm_of(11 * 1.401298464324817e-45, 0, SITU_F32, 2), 11 * 1.401298464324817e-45, 0);
    CHECK(isinf(norm_of(INFINITY, 1, SITU_F32, 2)) && isinf(norm_of(INFINITY, 1, SITU_F64, 3)) && isnan(norm_of(NAN, 1, SITU_F64, 2)));
    CHECK(norm_of(0, 1, SITU_F32, -1) == 0 && norm_of(0, 0, SITU_F64, 2) == 0 && norm_of(0, 0, SITU_F32, 3) == 0);
}

/* In f32 the variance may overflow although the standard deviation does not. */
TEST_IN_SCOPE(deviations_do_not_overflow)
{
    IS(situ_std(F32(1e20f, -1e20f)), "1e+20 f32[]");
    IS(situ_std(F32(0, 3e38f)), "1.5e+38 f32[]");
    IS(situ_std(F32(1e-30f, -1e-30f)), "1e-30 f32[]");
    IS(situ_std(situ_cast(F32(300, -300), SITU_F16)), "300. f16[]");
    IS(situ_var(F32(1e20f, -1e20f)), "inf f32[]");
    situ_tensor *x = F32(1e20f, -1e20f, 0), *g;
    (situ_grad)(situ_std(x), TENSORS(x), &g, SITU_HERE);
    IS(g, "[0.408248, -0.408248, 0.] f32[3]");
}

static void rows_of_large_numbers(situ_device d)
{
    IN_SCOPE {
        situ_tensor *x = situ_to(situ_reshape(F32(1e20f, -1e20f, 3e38f, -3e38f, 1e-20f, -1e-20f), SHAPE(3, 2)), d);
        situ_tensor *one = situ_ones(SHAPE(2), .device = d), *zero = situ_zeros(SHAPE(2), .device = d), *g;
        float y[6];
        CHECK(!situ_read(situ_layer_norm(x, one, zero, .eps = 1e-30), y, sizeof y));
        for (int i = 0; i < 6; i++) CHECK_NEAR(y[i], i % 2 ? -1 : 1, i < 4 ? 1e-6 : 1);
        x = situ_to(F32(1e20f, -1e20f, 0), d);
        situ_tensor *shift = situ_zeros(SHAPE(3), .device = d), *loss = situ_select(situ_layer_norm(x, situ_ones(SHAPE(3), .device = d), shift), 0, 0);
        (situ_grad)(loss, TENSORS(x), &g, SITU_HERE);
        CHECK(!situ_read(g, y, 12));
        for (int i = 0; i < 3; i++) CHECK_NEAR(y[i] * 1e21, i < 2 ? 2.0412415 : -4.0824829, 1e-5);
        CHECK_OK();
    }
}

TEST(layer_norms_of_large_numbers)
{
    rows_of_large_numbers(situ_cpu());
    if (situ_num_gpus()) rows_of_large_numbers(situ_gpu(0));
}

/* Sums of squares in f64 after a chain, of whole operands and of rows, fused and not: the same bits. */
TEST(norms_and_deviations_have_the_bits_of_their_steps)
{
    enum { N = 3 * 1500 };
    static float x[N];
    for (int i = 0; i < N; i++) x[i] = ldexpf((float)(i * 7919 % 1013) - 500.3f, i * 31 % 120 - 70);
    const situ_isa limits[] = {SITU_ISA_BASELINE, SITU_ISA_AVX2, SITU_ISA_AVX512};
    float first[8][3];
    for (int way = 0; way < 6; way++) IN_SCOPE {
        situ_isa_limit(limits[way / 2]);
        bool before = situ_fusing(way % 2);
        situ_tensor *t = situ_from_host(x, SHAPE(3, 1500)), *twice = situ_mul(t, 2), *y[] = {
            situ_norm(t), situ_norm(twice), situ_norm(t, .axes = AXES(1)), situ_norm(situ_sub(twice, 1), .axes = AXES(1)),
            situ_std(t, .axes = AXES(1)), situ_std(twice), situ_norm(situ_square(t)), situ_norm(situ_cast(situ_cast(t, SITU_F16), SITU_F32))};
        for (int i = 0; i < 8; i++) {
            float got[3] = {0};
            CHECK(!situ_read(y[i], got, situ_count(y[i]) * sizeof *got));
            if (!way) memcpy(first[i], got, sizeof got);
            CHECK(!memcmp(first[i], got, sizeof got));
        }
        situ_fusing(before);
    }
    situ_isa_limit(SITU_ISA_AVX512);
}

/* max(number, element) where elements are NaN, zeros of both signs or infinities: the same bits as a link of a chain
 * and by itself. */
TEST(the_larger_of_a_number_and_elements_has_the_same_bits_in_a_chain)
{
    enum { N = 4096 };
    static float x[N], alone[N], chained[N];
    const float odd[] = {NAN, -NAN, 0.0f, -0.0f, INFINITY, -INFINITY, 1, -1, -1000, 1e-42f};
    const double number[] = {-1000, 0, -0.0, 3, INFINITY, -INFINITY, NAN};
    const situ_isa limits[] = {SITU_ISA_BASELINE, SITU_ISA_AVX2, SITU_ISA_AVX512};
    for (int i = 0; i < N; i++) x[i] = odd[i * 7 % 10];
    for (int isa = 0; isa < 3; isa++)
        for (int k = 0; k < 14; k++) IN_SCOPE {
            situ_isa_limit(limits[isa]);
            situ_tensor *t = situ_from_host(x, SHAPE(N)), *c = situ_cast(situ_scalar_float(number[k / 2]), SITU_F32);
            bool before = situ_fusing(false);
            CHECK(!situ_read(situ_mul(k % 2 ? situ_maximum(t, c) : situ_maximum(c, t), 1), alone, sizeof alone));
            situ_fusing(true);
            CHECK(!situ_read(situ_mul(k % 2 ? situ_maximum(t, c) : situ_maximum(c, t), 1), chained, sizeof chained));
            situ_fusing(before);
            CHECK(!memcmp(alone, chained, sizeof alone));
        }
    situ_isa_limit(SITU_ISA_AVX512);
}
