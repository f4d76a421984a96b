/* Random numbers: what ranges and bounds promise. tests/python/test_reference.py has JAX's, bit for bit. */
#include <math.h>

#include <situ/runtime.h>

#include "values.h"

TEST_IN_SCOPE(ranges_and_shapes)
{
    situ_tensor *key = situ_key(7);
    CHECK(situ_item(situ_min(situ_uniform(key, SHAPE(1000), .low = -2, .high = 3))) >= -2);
    CHECK(situ_item(situ_max(situ_uniform(key, SHAPE(1000), .low = -2, .high = 3))) < 3);
    CHECK_NEAR(situ_item(situ_mean(situ_normal(key, SHAPE(10000)))), 0, 0.05);
    CHECK_NEAR(situ_item(situ_std(situ_normal(key, SHAPE(10000)))), 1, 0.05);
    situ_tensor *dice = situ_randint(key, SHAPE(1000), 1, 7);
    CHECK_EQ(situ_item_int(situ_min(dice)), 1);
    CHECK_EQ(situ_item_int(situ_max(dice)), 6);
    CHECK_NEAR(situ_item(situ_mean(situ_bernoulli(key, 0.25, SHAPE(10000)))), 0.25, 0.03);
    IS(situ_sort(situ_permutation(key, 5)), "[0, 1, 2, 3, 4] i64[5]");
    situ_tensor *likely = situ_full(SHAPE(50, 3), F32(0, 100, 0));
    CHECK_EQ(situ_item_int(situ_sum(situ_categorical(key, likely))), 50);
    CHECK_EQ(situ_item_int(situ_sum(situ_random_bits(key, SHAPE(0)))), 0);
    CHECK_OK();
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_uniform(situ_zeros(SHAPE(2)), SHAPE(2)));
}

TEST_IN_SCOPE(keys)
{
    situ_tensor *pair[2];
    CHECK_EQ(situ_key_split_into(situ_key(0), 2, pair), 0);
    IS(pair[0], "[4146024105, 967050713] u32[2]");
    IS(pair[1], "[2718843009, 1272950319] u32[2]");
    IS(situ_key(1ll << 32 | 5), "[1, 5] u32[2]");
}

/* What is made without saying so has the layout of the setting. */
TEST_IN_SCOPE(a_layout_is_a_setting)
{
    static const char *const bytes[] = {"[143, 4, 62] u8[3]", "[162, 217, 249] u8[3]"};
    for (int i = 0; i < 2; i++) {
        situ_layout_kind old = situ_random_layout(i ? SITU_PARTITIONABLE : SITU_ORIGINAL);
        IS(situ_random_bits(situ_key(42), SHAPE(3), .dtype = SITU_U8), bytes[i]);
        situ_random_layout(old);
    }
}

/* chi-square of `bins` parts of the range that the numbers have to hit equally often. */
static double chi_square(situ_tensor *y, double low, double span, int64_t n, int bins)
{
    int64_t *value = calloc((size_t)n, 8), count[64] = {0};
    double sum = 0;
    CHECK(!situ_read(situ_to(situ_cast(y, SITU_I64), situ_cpu()), value, (size_t)n * 8));
    for (int64_t i = 0; i < n; i++) {
        int bin = (int)(((double)value[i] - low) / span * bins);
        if (CHECK(bin >= 0 && bin < bins)) count[bin]++;
    }
    for (int i = 0; i < bins; i++) sum += pow((double)count[i] - (double)n / bins, 2) / ((double)n / bins);
    free(value);
    return sum;
}

TEST(unbiased_integers_are_even_in_wide_ranges)
{
    static const struct { situ_dtype dtype; int64_t low, high; } range[] = {
        {SITU_U32, 0, 3ll << 30}, {SITU_I32, -3 * (1ll << 29), 3ll << 29}, {SITU_I64, -(3ll << 61), 3ll << 61}, {SITU_U64, 1, INT64_MAX},
        {SITU_I64, 0, 3}, {SITU_U8, 10, 210}, {SITU_I16, INT16_MIN, INT16_MAX + 1}, {SITU_I32, INT32_MIN, 1ll << 31}, {SITU_I64, INT64_MIN, INT64_MAX}};
    enum { N = 20000, BINS = 3 };
    for (size_t i = 0; i < sizeof range / sizeof *range; i++) IN_SCOPE {
        double low = (double)range[i].low, span = (double)range[i].high - low;
        bool bytes = range[i].dtype == SITU_U8; /* 200 numbers in 2 parts */
        situ_tensor *y = situ_randint(situ_key(5), SHAPE(N), range[i].low, range[i].high, .dtype = range[i].dtype, .unbiased = true);
        double even = chi_square(y, low, span, N, bytes ? 2 : BINS);
        if (!CHECK(even < 14)) printf("  range %d: %g\n", (int)i, even); /* 1 in 1,000 with 2 degrees of freedom */
        if (situ_num_gpus()) {
            static int64_t here[N], there[N];
            situ_read(situ_cast(y, SITU_I64), here, sizeof here);
            situ_read(situ_cast(situ_randint(situ_key(5, .device = situ_gpu(0)), SHAPE(N), range[i].low, range[i].high, .dtype = range[i].dtype, .unbiased = true), SITU_I64), there, sizeof there);
            CHECK(!memcmp(here, there, sizeof here));
        }
        CHECK_OK();
    }
    IN_SCOPE { /* JAX's numbers are not */
        CHECK(chi_square(situ_randint(situ_key(5), SHAPE(N), 0, 3ll << 30, .dtype = SITU_U32), 0, 0x3p30, N, BINS) > 100);
        IS(situ_randint(situ_key(5), SHAPE(3), 7, 7, .unbiased = true), "[7, 7, 7] i32[3]");
    }
}

TEST(bounds_of_integers_are_numbers_of_their_dtype)
{
    static const struct { situ_dtype dtype; int64_t low, high; bool holds; } range[] = {
        {SITU_U8, 0, 256, true},          {SITU_U8, 0, 257, false},           {SITU_U8, -1, 10, false},         {SITU_U8, 255, 256, true},
        {SITU_U8, 256, 300, false},       {SITU_I8, -128, 128, true},         {SITU_I8, -129, 128, false},      {SITU_I16, 0, 32769, false},
        {SITU_I32, 0, 1ll << 31, true},   {SITU_I32, 0, 1ll << 40, false},    {SITU_I32, -1ll << 40, 0, false}, {SITU_U32, 0, 1ll << 32, true},
        {SITU_U32, 0, (1ll << 32) + 1, false}, {SITU_U32, -1, 5, false},      {SITU_U64, -1, 5, false},         {SITU_U64, 0, INT64_MAX, true},
        {SITU_I64, INT64_MIN, INT64_MAX, true}, {SITU_U8, 7, -7, true}};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        for (int even = 0; even < 2; even++) IN_SCOPE {
            situ_tensor *y = situ_randint(situ_key(5), SHAPE(8), range[i].low, range[i].high, .dtype = range[i].dtype, .unbiased = even);
            situ_eval(TENSORS(y));
            if (!CHECK_EQ(situ_failed(), range[i].holds ? 0 : SITU_BAD_NUMBER)) printf("  range %d: %s\n", (int)i, situ_error_message());
            situ_error_take(NULL);
        }
    IN_SCOPE {
        CHECK_FAILS(SITU_BAD_NUMBER, situ_randint(situ_key(5), SHAPE(8), 0, 1ll << 40), ".dtype = SITU_I64");
    }
}

TEST(uniform_numbers_have_a_finite_range)
{
    static const struct { situ_dtype dtype; double low, high; bool holds; } range[] = {
        {SITU_F32, -1e38, 1e38, true},   {SITU_F32, -3e38, 3e38, false},   {SITU_F32, 0, 1e39, false},      {SITU_F16, -30000, 30000, true},
        {SITU_F16, -40000, 40000, false}, {SITU_F16, 1e6, 2e6, false},     {SITU_F64, -1e308, 1e308, false}, {SITU_F64, -3e38, 3e38, true},
        {SITU_F32, -INFINITY, 0, false}, {SITU_F32, 0, INFINITY, false},   {SITU_BF16, -3e38, 3e38, false}};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++) IN_SCOPE {
        situ_tensor *x = situ_uniform(situ_key(1), SHAPE(100), .low = range[i].low, .high = range[i].high, .dtype = range[i].dtype);
        bool finite = situ_item(situ_all(situ_isfinite(x)));
        if (!CHECK_EQ(situ_failed(), range[i].holds ? 0 : SITU_BAD_OPTION) || !CHECK(finite || !range[i].holds)) printf("  range %d\n", (int)i);
        situ_error_take(NULL);
    }
}

/* The CPU sorts numbers of 64 bits where the result lies; those of 32 bits are made of argsort and take. */
TEST(permutations_of_both_widths_are_one)
{
    static const int64_t count[] = {0, 1, 2, 3, 47, 49, 1000, 1625, 1626, 70000, 1 << 20};
    for (situ_layout_kind layout = SITU_ORIGINAL; layout <= SITU_PARTITIONABLE; layout++)
        for (size_t i = 0; i < sizeof count / sizeof *count; i++)
            IN_SCOPE {
                situ_tensor *key = situ_key(7 + (int64_t)i);
                situ_tensor *wide = situ_permutation(key, count[i], .layout = layout), *narrow = situ_permutation(key, count[i], .layout = layout, .dtype = SITU_I32);
                CHECK(situ_item(situ_array_equal(wide, narrow)) == 1);
                CHECK(situ_item(situ_array_equal(situ_sort(wide), situ_arange(0, count[i], 1))) == 1);
            }
    CHECK_OK();
}
