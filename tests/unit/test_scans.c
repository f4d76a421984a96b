/* Running sums, products and recurrences: the documented order of sums, the accuracy for long lines, and intermediate
 * overflow. */
#include <math.h>

#include <situ/grad.h>
#include <situ/runtime.h>

#include "support/random_element.h"
#include "values.h"

enum { STRIP = 64, BLOCK = 1024, MOST = 5300 };

/* The order of include/situ/reduce.h, over a line of doubles that hold numbers of f32, or of f64. */
static double rounded(double x, bool narrow) { return narrow ? (double)(float)x : x; }

/* A complete subtree of 2^level blocks. */
static double subtree(const double *block, int level, bool narrow)
{
    if (!level) return *block;
    return rounded(subtree(block, level - 1, narrow) + subtree(block + (1 << (level - 1)), level - 1, narrow), narrow);
}

static void expected_sums(const double *x, double *y, int n, bool narrow)
{
    double blocks[MOST / BLOCK + 1];
    for (int b = 0; b * BLOCK < n; b++) {
        double before_block = 0, before = 0;
        for (int level = 20, at = 0; level >= 0; level--)
            if (b >> level & 1) before_block = rounded(before_block + subtree(blocks + at, level, narrow), narrow), at += 1 << level;
        for (int start = b * BLOCK; start < n && start < (b + 1) * BLOCK; start += STRIP) {
            double sum = 0, base = rounded(before_block + before, narrow);
            for (int i = start; i < n && i < start + STRIP; i++) y[i] = rounded(base + (sum = rounded(sum + x[i], narrow)), narrow);
            before = rounded(before + sum, narrow);
        }
        blocks[b] = before;
    }
}

/* Lines along axis 1 of [2, n, inner]. */
static bool has_the_order(int n, int inner, situ_dtype dtype, bool reverse, situ_device d)
{
    int64_t count = 2 * (int64_t)n * inner, size = (int64_t)situ_dtype_size(dtype);
    bool narrow = situ_dtype_real(dtype) == SITU_F32, complex = situ_dtype_is_complex(dtype), good = true;
    char *data = calloc((size_t)count + 1, 16), *got = calloc((size_t)count + 1, 16);
    static double x[MOST], y[MOST];
    random_state s = {(uint64_t)(n * 31 + inner)};
    for (int64_t i = 0; i < count * (complex ? 2 : 1); i++)
        situ_element_set_f64(situ_dtype_real(dtype), data + i * size / (complex ? 2 : 1), (double)random_between(&s, -1000000, 1000000) / 7919);
    situ_tensor *t = situ_from_host(data, SHAPE(2, n, inner), .dtype = dtype, .device = d);
    CHECK(!situ_read(situ_to(situ_cumsum(t, .axis = 1, .reverse = reverse), situ_cpu()), got, (size_t)(count * size)));
    for (int64_t line = 0; line < 2 * inner && good; line++)
        for (int part = 0; part < (complex ? 2 : 1); part++) {
#define AT(i) ((line / inner * n + (reverse ? n - 1 - (i) : (i))) * inner + line % inner)
            for (int64_t i = 0; i < n; i++) x[i] = part ? situ_element_get_c128(dtype, data + AT(i) * size).im : situ_element_get_c128(dtype, data + AT(i) * size).re;
            expected_sums(x, y, n, narrow);
            for (int64_t i = 0; i < n && good; i++) {
                situ_c128 v = situ_element_get_c128(dtype, got + AT(i) * size);
                good = CHECK((part ? v.im : v.re) == y[i]);
            }
        }
    if (!good) printf("  n %d, inner %d, %s, %s\n", n, inner, situ_dtype_name(dtype), reverse ? "reverse" : "forward");
    free(data);
    free(got);
    return good;
}

static const int lengths[] = {1, 63, 64, 65, 200, 1023, 1024, 1025, 3000, MOST};
static const int inners[] = {1, 3, 70};

TEST(sums_have_the_written_order)
{
    static const situ_dtype dtypes[] = {SITU_F32, SITU_F64, SITU_C64, SITU_C128};
    for (int threads = 1; threads <= 3; threads += 2) {
        situ_set_threads(threads);
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
            for (size_t i = 0; i < sizeof inners / sizeof *inners; i++) IN_SCOPE {
                situ_dtype dtype = dtypes[(k + i) % 4];
                has_the_order(lengths[k], inners[i], dtype, (k + i) % 3 == 1, situ_cpu());
                has_the_order(lengths[k], inners[i], SITU_F32, (k + i) % 2, situ_cpu());
            }
    }
    situ_set_threads(0);
}

TEST(one_long_line_is_cut_by_threads_without_another_bit)
{
    enum { LONG = 300001 };
    static float one[LONG], more[LONG];
    for (int reverse = 0; reverse <= 1; reverse++)
        for (int threads = 1; threads <= 4; threads++) IN_SCOPE {
            situ_set_threads(threads);
            situ_tensor *x = situ_uniform(situ_key(3), SHAPE(LONG), .low = -1);
            CHECK(!situ_read(situ_cumsum(x, .reverse = reverse), threads == 1 ? one : more, sizeof one));
            if (threads > 1) CHECK(!memcmp(one, more, sizeof one));
        }
    situ_set_threads(0);
}

TEST(simulated_gpus_have_the_same_order)
{
    if (situ_num_gpus() < 1) SKIP("SITU_SIM_GPUS=2 asks for it");
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) IN_SCOPE has_the_order(lengths[k], inners[k % 3], SITU_F32, k % 2, situ_gpu(0));
}

static double last_of(situ_tensor *t)
{
    double value = NAN;
    t = situ_cast(situ_slice(t, .start = SHAPE(-1)), SITU_F64);
    situ_read(t, &value, sizeof value);
    return value;
}

TEST_IN_SCOPE(long_running_sums_are_accurate)
{
    const int n = 2000000;
    double each = (double)0.0005f;
    CHECK_NEAR(last_of(situ_cumsum(situ_full(SHAPE(n), 0.0005))), n * each, n * each * 1e-6);
    CHECK_NEAR(last_of(situ_cumsum(situ_full(SHAPE(n), 0.0005, .dtype = SITU_F64))), n * 0.0005, n * 0.0005 * 2e-15);
    CHECK_NEAR(last_of(situ_cumsum(situ_full(SHAPE(n), 0x1p-9, .dtype = SITU_F16))), n * 0x1p-9, 4);
    CHECK_NEAR(last_of(situ_cumsum(situ_full(SHAPE(n), 0x1p-9, .dtype = SITU_BF16))), n * 0x1p-9, 32);
    CHECK_NEAR(last_of(situ_real(situ_cumsum(situ_cast(situ_full(SHAPE(n), 0.0005), SITU_C64)))), n * each, n * each * 1e-6);
    CHECK_NEAR(last_of(situ_linear_scan(situ_ones(SHAPE(n)), situ_full(SHAPE(n), 0.0005))), n * each, n * each * 1e-7);
    CHECK_NEAR(last_of(situ_cumprod(situ_full(SHAPE(n), 1 + 0x1p-20))), exp(n * log1p(0x1p-20)), 1e-7 * exp(n * 0x1p-20));
    situ_tensor *x = situ_ones(SHAPE(n)), *g; /* its gradient is a sum from the end */
    situ_grad(situ_sum(situ_mul(situ_cumsum(x), situ_full(SHAPE(n), 0.0005))), TENSORS(x), &g);
    CHECK_NEAR(last_of(situ_flip(g)), n * each, n * each * 1e-6);
}

/* The product of a part may overflow although no result does. */
TEST_IN_SCOPE(running_products_do_not_overflow_on_the_way)
{
    enum { N = 4000 };
    static float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = i ? 1e30f : 0;
    situ_tensor *t = situ_from_host(x, SHAPE(N));
    CHECK(!situ_read(situ_cumprod(t), y, sizeof y));
    for (int i = 0; i < N; i++) CHECK(y[i] == 0);
    CHECK(!situ_read(situ_linear_scan(t, situ_zeros(SHAPE(N))), y, sizeof y));
    for (int i = 0; i < N; i++) CHECK(y[i] == 0);
    IS(situ_cumprod(F32(1e-30f, 1e-30f, 1e30f, 1e30f)), "[1e-30, 0., 1e-30, 1.] f32[4]");
    IS(situ_cumprod(F32(2, INFINITY, 0, 1)), "[2., inf, nan, nan] f32[4]");
    IS(situ_cumsum(F32(1, INFINITY, 2, -INFINITY, 1)), "[1., inf, inf, nan, nan] f32[5]");
}

/* Sums at indices are added in order; long ones are accumulated in f64. */
TEST_IN_SCOPE(long_sums_at_one_index_are_accurate)
{
    const int n = 2000000;
    double each = (double)0.0005f;
    situ_tensor *zeros = situ_zeros(SHAPE(n), .dtype = SITU_I32), *values = situ_full(SHAPE(n), 0.0005), *g;
    CHECK_NEAR(last_of(situ_index_add(situ_zeros(SHAPE(1)), zeros, values)), n * each, n * each * 1e-7);
    CHECK_NEAR(last_of(situ_scatter_add(situ_zeros(SHAPE(1)), zeros, values)), n * each, n * each * 1e-7);
    situ_tensor *table = situ_ones(SHAPE(1));
    situ_grad(situ_sum(situ_mul(situ_take(table, zeros), values)), TENSORS(table), &g);
    CHECK_NEAR(last_of(g), n * each, n * each * 1e-7);
}

TEST_IN_SCOPE(differences_begin_and_end_with_what_is_given)
{
    situ_tensor *x = situ_reshape(I64(1, 4, 9, 2, 3, 5), SHAPE(2, 3)), *column = situ_reshape(I64(7, 8), SHAPE(2, 1));
    IS(situ_diff(x, .prepend = situ_scalar_int(0), .append = column), "[[1, 3, 5, -2],\n [2, 1, 2, 3]] i64[2,4]");
    IS(situ_diff(x, .axis = 0, .prepend = situ_slice(x, .stop = SHAPE(1))), "[[0, 0, 0],\n [1, -1, -4]] i64[2,3]");
    IS(situ_diff(x, .append = column, .n = 2), "[[2, -7],\n [1, 1]] i64[2,2]");
    situ_diff(x, .axis = 0, .prepend = I64(1, 2));
    CHECK(situ_failed());
    situ_error_take(NULL);
}
