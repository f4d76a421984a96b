/* Operations as written in C: omitted options, numbers beside tensors, what is refused, what is rounded once. The
 * values of all operations are tested by tests/python/test_values.py, test_moves.py, test_structured.py, and
 * tests/judge. */
#include <math.h>

#include "values.h"

static situ_tensor *grid(void) { return situ_reshape(situ_arange(0, 6, 1), SHAPE(2, 3)); } /* [[0,1,2],[3,4,5]] */

TEST_IN_SCOPE(creation)
{
    IS(situ_ones(SHAPE(), .dtype = SITU_I32), "1 i32[]");
    IS(situ_full(SHAPE(2, 2), situ_arange(0, 2, 1)), "[[0, 1],\n [0, 1]] i64[2,2]");
    IS(situ_full_like(grid(), 2.5, .dtype = SITU_F64), "[[2.5, 2.5, 2.5],\n [2.5, 2.5, 2.5]] f64[2,3]");
    IS(situ_linspace(0, 5, 3, .dtype = SITU_I32), "[0, 2, 5] i32[3]");
    IS(situ_eye(2, .columns = 3, .diagonal = 1), "[[0., 1., 0.],\n [0., 0., 1.]] f32[2,3]");
}

TEST_IN_SCOPE(linspace_ends_exactly)
{
    float x[1001];
    CHECK_EQ(situ_read(situ_linspace(-0.1, 0.7, 1001), x, sizeof x), 0);
    CHECK(x[0] == -0.1f);
    CHECK(x[1000] == 0.7f);
    for (int i = 0; i < 1000; i++) CHECK(x[i] < x[i + 1]);
}

TEST_IN_SCOPE(numbers_beside_tensors)
{
    situ_tensor *b = situ_ones(SHAPE(1), .dtype = SITU_BOOL);
    CHECK_EQ(situ_dtype_of(situ_add(situ_ones(SHAPE(1), .dtype = SITU_I8), 100)), SITU_I8);
    CHECK_EQ(situ_dtype_of(situ_add(b, 1)), SITU_I64);
    IS(situ_add(1, 2), "3 i64[]");
    IS(situ_add(1, 0.5), "1.5 f32[]");
    IS(situ_pow(F32(1, 2, 4), 0.5), "[1., 1.41421, 2.] f32[3]");
    IS(situ_pow(F32(-INFINITY, -0.0f, INFINITY), 0.5), "[inf, 0., inf] f32[3]"); /* as C99's, unlike its sqrt */
    IS(situ_pow(F32(-INFINITY, -0.0f, INFINITY), -0.5), "[0., inf, 0.] f32[3]");
    IS(situ_pow(I64(1, 2, 3), 3), "[1, 8, 27] i64[3]");
    IS(situ_pow(F32(1, 2, 4), -1), "[1., 0.5, 0.25] f32[3]");
    IS(situ_where(grid(), 1.5, 0), "[[0., 1.5, 1.5],\n [1.5, 1.5, 1.5]] f32[2,3]");
}

TEST_IN_SCOPE(what_is_there_already_is_not_copied)
{
    situ_tensor *x = F32(1, 2);
    CHECK(situ_to(x, situ_cpu()) == x);
    CHECK(situ_copy_to(x, situ_cpu()) != x);
    IS(situ_copy_to(x, situ_cpu()), "[1., 2.] f32[2]");
}

TEST_IN_SCOPE(what_is_left_out_has_its_default)
{
    situ_tensor *x = grid(), *many[40];
    CHECK_EQ(situ_ndim(situ_squeeze(situ_zeros(SHAPE(1, 3, 1)))), 1);
    IS(situ_slice(x, .start = SHAPE(SITU_FULL, 1)), "[[1, 2],\n [4, 5]] i64[2,2]");
    IS(situ_slice(x, .step = SHAPE(-1, -2)), "[[5, 3],\n [2, 0]] i64[2,2]");
    IS(situ_sum(x), "15 i64[]");
    IS(situ_sum(x, .axes = AXES()), "[[0, 1, 2],\n [3, 4, 5]] i64[2,3]");
    IS(situ_argmax(x), "5 i64[]");
    IS(situ_cumsum(x), "[[0, 1, 3],\n [3, 7, 12]] i64[2,3]");
    IS(situ_roll(x, -1), "[[1, 2, 3],\n [4, 5, 0]] i64[2,3]");
    for (int i = 0; i < 40; i++) many[i] = I64(i);
    CHECK_EQ(situ_item_int(situ_sum(situ_concat(TENSORS_OF(many, 40)))), 780);
}

TEST_IN_SCOPE(operands_that_do_not_fit_are_refused)
{
    situ_tensor *x = situ_cast(grid(), SITU_F32), *b = situ_ones(SHAPE(1), .dtype = SITU_BOOL);
    CHECK_FAILS(SITU_BAD_DTYPE, situ_add(b, b));
    CHECK_FAILS(SITU_BAD_DTYPE, situ_floor(situ_complex(1, 2)));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_add(situ_zeros(SHAPE(2, 3)), situ_zeros(SHAPE(2))));
    CHECK_FAILS(SITU_BAD_ARGUMENT, (situ_add)(NULL, situ_zeros(SHAPE(2)), "here"));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_reshape(x, SHAPE(4)));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_broadcast_to(x, SHAPE(3, 2)));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_concat(TENSORS(x, I64(1, 2))));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_max(situ_zeros(SHAPE(0))));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_sum(x, .axes = AXES(2)));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_matmul(x, x));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_matmul(x, 2));
    const situ_sum_options nameless = {SITU_DEFAULTS(SITU_SUM_DEFAULTS) .size = sizeof nameless, .unnamed = 1};
    CHECK_FAILS(SITU_BAD_OPTION, (situ_sum)(x, &nameless, "here"));
}

TEST_IN_SCOPE(half_precision_sums_in_f32)
{
    situ_tensor *x = situ_full(SHAPE(4096), 1, .dtype = SITU_F16);
    IS(situ_sum(x), "4096. f16[]");
    IS(situ_mean(situ_mul(x, 60000)), "60000. f16[]");
    IS(situ_cumsum(situ_full(SHAPE(4), 2049, .dtype = SITU_F16)), "[2048., 4096., 6144., 8192.] f16[4]");
}

/* 2^64 - 2^39 - 1 lies nearer to 2^64 - 2^40, what f64 makes of it in the middle. */
TEST(integers_are_rounded_once_to_complex_numbers)
{
    const uint64_t large[] = {
        18446743523953737727u, 18446743523953737729u, 16777217, ((uint64_t)1 << 60) + ((uint64_t)1 << 36) + 1, 180436507748u, 5000000001u};
    for (int d = 0; d < 1 + (situ_num_gpus() > 0); d++)
        for (int is_signed = 0; is_signed < 2; is_signed++) IN_SCOPE {
            situ_tensor *x = situ_from_host(large, SHAPE(6), .dtype = SITU_U64, .device = d ? situ_gpu(0) : situ_cpu());
            if (is_signed) x = situ_negative(situ_cast(situ_slice(x, .start = 2), SITU_I64));
            CHECK(situ_item(situ_all(situ_equal(situ_real(situ_cast(x, SITU_C64)), situ_cast(x, SITU_F32)))) == 1);
        }
}
