/* Each operation on values that one can check by hand. */
#include <math.h>

#include "values.h"

static situ_tensor *grid(void) { return situ_reshape(situ_arange(0, 6, 1), SHAPE(2, 3)); } /* [[0,1,2],[3,4,5]] */

TEST(creation)
{
    IN_SCOPE {
        IS(situ_zeros(SHAPE(2)), "[0., 0.] f32[2]");
        IS(situ_ones(SHAPE(), .dtype = SITU_I32), "1 i32[]");
        IS(situ_full(SHAPE(2), 7), "[7, 7] i64[2]");
        IS(situ_full(SHAPE(2), 0.5), "[0.5, 0.5] f32[2]");
        IS(situ_full(SHAPE(2), -3, .dtype = SITU_I8), "[-3, -3] i8[2]");
        IS(situ_full(SHAPE(2, 2), situ_arange(0, 2, 1)), "[[0, 1],\n [0, 1]] i64[2,2]");
        IS(situ_zeros_like(grid()), "[[0, 0, 0],\n [0, 0, 0]] i64[2,3]");
        IS(situ_full_like(grid(), 2.5, .dtype = SITU_F64), "[[2.5, 2.5, 2.5],\n [2.5, 2.5, 2.5]] f64[2,3]");
        IS(situ_arange(5, 0, -2), "[5, 3, 1] i64[3]");
        IS(situ_arange(0, 1, 0.25), "[0., 0.25, 0.5, 0.75] f32[4]");
        IS(situ_arange(3, 3, 1), "[] i64[0]");
        IS(situ_linspace(0, 1, 3), "[0., 0.5, 1.] f32[3]");
        IS(situ_linspace(0, 1, 4, .endpoint = false), "[0., 0.25, 0.5, 0.75] f32[4]");
        IS(situ_linspace(0, 5, 3, .dtype = SITU_I32), "[0, 2, 5] i32[3]");
        IS(situ_eye(2, .columns = 3, .diagonal = 1), "[[0., 1., 0.],\n [0., 0., 1.]] f32[2,3]");
        IS(situ_tri(2, .dtype = SITU_I32), "[[1, 0],\n [1, 1]] i32[2,2]");
        IS(situ_tril(grid(), 0), "[[0, 0, 0],\n [3, 4, 0]] i64[2,3]");
        IS(situ_triu(grid(), 1), "[[0, 1, 2],\n [0, 0, 5]] i64[2,3]");
        CHECK_OK();
    }
}

TEST(linspace_ends_exactly)
{
    IN_SCOPE {
        float x[1001];
        CHECK_EQ(situ_read(situ_linspace(-0.1, 0.7, 1001), x, sizeof x), 0);
        CHECK(x[0] == -0.1f);
        CHECK(x[1000] == 0.7f);
        for (int i = 0; i < 1000; i++) CHECK(x[i] < x[i + 1]);
    }
}

TEST(promotion)
{
    IN_SCOPE {
        situ_tensor *i8 = situ_ones(SHAPE(1), .dtype = SITU_I8), *u8 = situ_ones(SHAPE(1), .dtype = SITU_U8);
        situ_tensor *f16 = situ_ones(SHAPE(1), .dtype = SITU_F16), *b = situ_ones(SHAPE(1), .dtype = SITU_BOOL);
        CHECK_EQ(situ_dtype_of(situ_add(i8, u8)), SITU_I16);
        CHECK_EQ(situ_dtype_of(situ_add(i8, 100)), SITU_I8);
        CHECK_EQ(situ_dtype_of(situ_add(i8, 0.5)), SITU_F32);
        CHECK_EQ(situ_dtype_of(situ_add(f16, 0.5)), SITU_F16);
        CHECK_EQ(situ_dtype_of(situ_add(b, 1)), SITU_I64);
        CHECK_EQ(situ_dtype_of(situ_exp(i8)), SITU_F32);
        CHECK_EQ(situ_dtype_of(situ_div(i8, i8)), SITU_F32);
        CHECK_EQ(situ_dtype_of(situ_less(i8, u8)), SITU_BOOL);
        CHECK_EQ(situ_dtype_of(situ_sum(i8)), SITU_I64);
        CHECK_EQ(situ_dtype_of(situ_sum(u8)), SITU_U64);
        CHECK_EQ(situ_dtype_of(situ_mean(i8)), SITU_F32);
        IS(situ_add(1, 2), "3 i64[]");
        IS(situ_add(1, 0.5), "1.5 f32[]");
        IS(situ_logical_and(grid(), 1), "[[false, true, true],\n [true, true, true]] bool[2,3]");
        CHECK_OK();
        situ_add(b, b);
        CHECK_CODE(SITU_BAD_DTYPE);
        situ_floor(situ_complex(1, 2));
        CHECK_CODE(SITU_BAD_DTYPE);
    }
}

TEST(elementwise)
{
    IN_SCOPE {
        IS(situ_add(grid(), situ_arange(0, 3, 1)), "[[0, 2, 4],\n [3, 5, 7]] i64[2,3]");
        IS(situ_pow(F32(1, 2, 4), 0.5), "[1., 1.41421, 2.] f32[3]");
        IS(situ_pow(F32(-INFINITY, -0.0f, INFINITY), 0.5), "[inf, 0., inf] f32[3]"); /* as C99's, unlike its sqrt */
        IS(situ_pow(F32(-INFINITY, -0.0f, INFINITY), -0.5), "[0., inf, 0.] f32[3]");
        IS(situ_pow(I64(1, 2, 3), 3), "[1, 8, 27] i64[3]");
        IS(situ_pow(F32(1, 2, 4), -1), "[1., 0.5, 0.25] f32[3]");
        IS(situ_where(situ_greater(grid(), 2), grid(), -1), "[[-1, -1, -1],\n [3, 4, 5]] i64[2,3]");
        IS(situ_where(grid(), 1.5, 0), "[[0., 1.5, 1.5],\n [1.5, 1.5, 1.5]] f32[2,3]");
        IS(situ_clip(F32(-1, 0.25, 3), 0, 1), "[0., 0.25, 1.] f32[3]");
        IS(situ_relu(F32(-1, 2)), "[0., 2.] f32[2]");
        IS(situ_remainder(I64(-7, 7), 3), "[2, 1] i64[2]");
        IS(situ_bitwise_left_shift(I64(1, 3), 2), "[4, 12] i64[2]");
        IS(situ_maximum(F32(1, NAN), 2), "[2., nan] f32[2]");
        IS(situ_bitcast_u32(F32(1)), "[1065353216] u32[1]");
        IS(situ_floor_divide(I64(7, -7), 0), "[0, 0] i64[2]");
        CHECK_OK();
        situ_add(situ_zeros(SHAPE(2, 3)), situ_zeros(SHAPE(2)));
        CHECK_CODE(SITU_BAD_SHAPE);
        (situ_add)(NULL, situ_zeros(SHAPE(2)), "here");
        CHECK_CODE(SITU_BAD_ARGUMENT);
    }
}

TEST(casts_and_complex)
{
    IN_SCOPE {
        IS(situ_cast(F32(1.9, -1.9, 300, NAN), SITU_U8), "[1, 0, 255, 0] u8[4]");
        IS(situ_cast(I64(0, 2, 256), SITU_BOOL), "[false, true, true] bool[3]");
        IS(situ_cast(I64(255, 256, -1), SITU_U8), "[255, 0, 255] u8[3]");
        situ_tensor *z = situ_complex(F32(1, 2), F32(3, -4));
        IS(situ_real(z), "[1., 2.] f32[2]");
        IS(situ_imag(situ_conj(z)), "[-3., 4.] f32[2]");
        IS(situ_cast(z, SITU_F64), "[1., 2.] f64[2]");
        IS(situ_imag(situ_cast(F32(1, 2), SITU_C64)), "[0., 0.] f32[2]");
        IS(situ_real(situ_transpose(situ_reshape(z, SHAPE(1, 2)))), "[[1.],\n [2.]] f32[2,1]");
        IS(situ_real(situ_ones(SHAPE(2), .dtype = SITU_C128)), "[1., 1.] f64[2]");
        CHECK_OK();
        situ_tensor *x = F32(1, 2);
        CHECK(situ_to(x, situ_cpu()) == x);
        CHECK(situ_copy_to(x, situ_cpu()) != x);
        IS(situ_copy_to(x, situ_cpu()), "[1., 2.] f32[2]");
    }
}

TEST(views)
{
    IN_SCOPE {
        situ_tensor *x = grid();
        IS(situ_reshape(x, SHAPE(3, -1)), "[[0, 1],\n [2, 3],\n [4, 5]] i64[3,2]");
        IS(situ_transpose(x), "[[0, 3],\n [1, 4],\n [2, 5]] i64[3,2]");
        IS(situ_reshape(situ_transpose(x), SHAPE(6)), "[0, 3, 1, 4, 2, 5] i64[6]");
        CHECK_EQ(situ_dim(situ_permute(situ_zeros(SHAPE(2, 3, 4)), AXES(2, 0, -2)), 2), 3);
        CHECK_EQ(situ_dim(situ_moveaxis(situ_zeros(SHAPE(2, 3, 4)), 0, -1), 0), 3);
        CHECK_EQ(situ_dim(situ_swapaxes(situ_zeros(SHAPE(2, 3, 4)), 0, -1), 0), 4);
        CHECK_EQ(situ_ndim(situ_squeeze(situ_zeros(SHAPE(1, 3, 1)))), 1);
        CHECK_EQ(situ_ndim(situ_squeeze(situ_zeros(SHAPE(1, 3, 1)), .axes = AXES(-1))), 2);
        CHECK_EQ(situ_dim(situ_expand_dims(x, -1), 2), 1);
        IS(situ_broadcast_to(situ_arange(0, 2, 1), SHAPE(2, 2)), "[[0, 1],\n [0, 1]] i64[2,2]");
        IS(situ_slice(x, .start = SHAPE(SITU_FULL, 1)), "[[1, 2],\n [4, 5]] i64[2,2]");
        IS(situ_slice(x, .start = SHAPE(-1), .stop = SHAPE(100)), "[[3, 4, 5]] i64[1,3]");
        IS(situ_slice(x, .step = SHAPE(-1, -2)), "[[5, 3],\n [2, 0]] i64[2,2]");
        IS(situ_slice(x, .start = SHAPE(2)), "[] i64[0,3]");
        IS(situ_select(x, 1, -1), "[2, 5] i64[2]");
        IS(situ_flip(x, .axes = AXES(1)), "[[2, 1, 0],\n [5, 4, 3]] i64[2,3]");
        IS(situ_flip(x), "[[5, 4, 3],\n [2, 1, 0]] i64[2,3]");
        IS(situ_diagonal(x, 1), "[1, 5] i64[2]");
        IS(situ_diagonal(x, -1), "[3] i64[1]");
        IS(situ_stop_gradient(situ_select(x, 0, 0)), "[0, 1, 2] i64[3]");
        CHECK_OK();
        situ_reshape(x, SHAPE(4));
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_broadcast_to(x, SHAPE(3, 2));
        CHECK_CODE(SITU_BAD_SHAPE);
    }
}

TEST(joining_and_repeating)
{
    IN_SCOPE {
        situ_tensor *x = grid(), *part[2];
        IS(situ_concat(TENSORS(x, situ_ones(SHAPE(2, 1))), .axis = 1), "[[0., 1., 2., 1.],\n [3., 4., 5., 1.]] f32[2,4]");
        IS(situ_stack(TENSORS(I64(1, 2), I64(3, 4)), .axis = 1), "[[1, 3],\n [2, 4]] i64[2,2]");
        CHECK_EQ(situ_split(x, 2, part, .axis = 1), 0);
        IS(part[0], "[[0, 1],\n [3, 4]] i64[2,2]");
        IS(part[1], "[[2],\n [5]] i64[2,1]");
        IS(situ_roll(x, 1, .axis = 1), "[[2, 0, 1],\n [5, 3, 4]] i64[2,3]");
        IS(situ_roll(x, -1), "[[1, 2, 3],\n [4, 5, 0]] i64[2,3]");
        IS(situ_pad(I64(1, 2), SHAPE(1), SHAPE(2), .value = 9), "[9, 1, 2, 9, 9] i64[5]");
        IS(situ_tile(I64(1, 2), SHAPE(2, 2)), "[[1, 2, 1, 2],\n [1, 2, 1, 2]] i64[2,4]");
        IS(situ_repeat(x, 2, .axis = 0), "[[0, 1, 2],\n [0, 1, 2],\n [3, 4, 5],\n [3, 4, 5]] i64[4,3]");
        IS(situ_repeat(I64(1, 2), 2), "[1, 1, 2, 2] i64[4]");
        IS(situ_update_slice(x, I64(8, 9), SHAPE(1, 1)), "[[0, 1, 2],\n [3, 8, 9]] i64[2,3]");
        situ_tensor *many[40];
        for (int i = 0; i < 40; i++) many[i] = I64(i);
        CHECK_EQ(situ_item_int(situ_sum(situ_concat(TENSORS_OF(many, 40)))), 780);
        CHECK_OK();
        situ_concat(TENSORS(x, I64(1, 2)));
        CHECK_CODE(SITU_BAD_SHAPE);
    }
}

TEST(reductions)
{
    IN_SCOPE {
        situ_tensor *x = grid();
        IS(situ_sum(x), "15 i64[]");
        IS(situ_sum(x, .axes = AXES(0)), "[3, 5, 7] i64[3]");
        IS(situ_sum(x, .axes = AXES(-1), .keepdims = true), "[[3],\n [12]] i64[2,1]");
        IS(situ_sum(situ_ones(SHAPE(2, 3, 4)), .axes = AXES(0, 2)), "[8., 8., 8.] f32[3]");
        IS(situ_sum(x, .dtype = SITU_F32), "15. f32[]");
        IS(situ_sum(x, .axes = AXES()), "[[0, 1, 2],\n [3, 4, 5]] i64[2,3]");
        IS(situ_prod(I64(2, 3, 4)), "24 i64[]");
        IS(situ_max(x, .axes = AXES(0)), "[3, 4, 5] i64[3]");
        IS(situ_min(F32(3, NAN)), "nan f32[]");
        IS(situ_any(x, .axes = AXES(0)), "[true, true, true] bool[3]");
        IS(situ_all(x, .axes = AXES(1)), "[false, true] bool[2]");
        IS(situ_sum(situ_zeros(SHAPE(0, 2)), .axes = AXES(0)), "[0., 0.] f32[2]");
        IS(situ_count_nonzero(x), "5 i64[]");
        IS(situ_mean(x, .axes = AXES(1)), "[1., 4.] f32[2]");
        IS(situ_var(F32(1, 2, 3, 4)), "1.25 f32[]");
        IS(situ_var(F32(1, 2, 3, 4), .correction = 1), "1.66667 f32[]");
        IS(situ_std(F32(1, 3)), "1. f32[]");
        IS(situ_logsumexp(F32(1000, 1000)), "1000.69 f32[]");
        IS(situ_logsumexp(F32(-INFINITY, -INFINITY)), "-inf f32[]");
        IS(situ_norm(F32(3, 4)), "5. f32[]");
        IS(situ_norm(F32(3, -4), .ord = 1), "7. f32[]");
        IS(situ_norm(F32(3, -4), .ord = INFINITY), "4. f32[]");
        IS(situ_norm(F32(1, 2), .ord = 3), "2.08008 f32[]");
        IS(situ_argmax(x), "5 i64[]");
        IS(situ_argmax(F32(1, 3, 3, 2)), "1 i64[]");
        IS(situ_argmax(F32(1, NAN, 3)), "1 i64[]");
        IS(situ_argmin(F32(1, NAN, 3)), "1 i64[]");
        IS(situ_argmin(x, .axis = 1, .keepdims = true), "[[0],\n [0]] i64[2,1]");
        IS(situ_cumsum(x), "[[0, 1, 3],\n [3, 7, 12]] i64[2,3]");
        IS(situ_cumsum(x, .axis = 0, .reverse = true), "[[3, 5, 7],\n [3, 4, 5]] i64[2,3]");
        IS(situ_cumprod(F32(1, 2, 3)), "[1., 2., 6.] f32[3]");
        IS(situ_linear_scan(F32(0.5, 0.5, 0.5), F32(1, 1, 1)), "[1., 1.5, 1.75] f32[3]");
        CHECK_OK();
        situ_max(situ_zeros(SHAPE(0)));
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_sum(x, .axes = AXES(2));
        CHECK_CODE(SITU_BAD_ARGUMENT);
        const situ_sum_options nameless = {SITU_DEFAULTS(SITU_SUM_DEFAULTS) .size = sizeof nameless, .unnamed = 1};
        (situ_sum)(x, &nameless, "here");
        CHECK_CODE(SITU_BAD_OPTION);
    }
}

TEST(half_precision_sums_in_f32)
{
    IN_SCOPE {
        situ_tensor *x = situ_full(SHAPE(4096), 1, .dtype = SITU_F16);
        IS(situ_sum(x), "4096. f16[]");
        IS(situ_mean(situ_mul(x, 60000)), "60000. f16[]");
        IS(situ_cumsum(situ_full(SHAPE(4), 2049, .dtype = SITU_F16)), "[2048., 4096., 6144., 8192.] f16[4]");
    }
}

TEST(products)
{
    IN_SCOPE {
        situ_tensor *x = situ_cast(grid(), SITU_F32);
        IS(situ_matmul(x, situ_transpose(x)), "[[5., 14.],\n [14., 50.]] f32[2,2]");
        IS(situ_matmul(x, F32(1, 1, 1)), "[3., 12.] f32[2]");
        IS(situ_matmul(F32(1, 1), x), "[3., 5., 7.] f32[3]");
        IS(situ_matmul(F32(1, 2), F32(3, 4)), "11. f32[]");
        IS(situ_matmul(grid(), situ_transpose(grid())), "[[5, 14],\n [14, 50]] i64[2,2]");
        situ_tensor *batch = situ_matmul(situ_ones(SHAPE(4, 1, 2, 3)), situ_ones(SHAPE(5, 3, 2)));
        CHECK_EQ(situ_ndim(batch), 4);
        CHECK_EQ(situ_dim(batch, 1), 5);
        CHECK_NEAR(situ_item(situ_mean(batch)), 3, 0);
        IS(situ_matmul(situ_zeros(SHAPE(2, 0)), situ_zeros(SHAPE(0, 1))), "[[0.],\n [0.]] f32[2,1]");
        IS(situ_dot(I64(1, 2), I64(3, 4)), "11 i64[]");
        IS(situ_outer(I64(1, 2), I64(3, 4)), "[[3, 4],\n [6, 8]] i64[2,2]");
        IS(situ_trace(situ_eye(3)), "3. f32[]");
        CHECK_OK();
        situ_matmul(x, x);
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_matmul(x, 2);
        CHECK_CODE(SITU_BAD_SHAPE);
    }
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
            CHECK_OK();
        }
}
