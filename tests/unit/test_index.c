/* Positions and order: take, gather, scatter, sort, search, and results of unknown size. */
#include <math.h>

#include "values.h"

static situ_tensor *grid(void) { return situ_reshape(situ_arange(0, 6, 1), SHAPE(2, 3)); } /* [[0,1,2],[3,4,5]] */

TEST(reading_by_index)
{
    IN_SCOPE {
        situ_tensor *x = grid();
        IS(situ_take(x, I64(1, 0, -1)), "[[3, 4, 5],\n [0, 1, 2],\n [3, 4, 5]] i64[3,3]");
        IS(situ_take(x, I64(2), .axis = 1), "[[2],\n [5]] i64[2,1]");
        IS(situ_take(x, 1), "[3, 4, 5] i64[3]");
        IS(situ_gather(x, situ_reshape(I64(2, 0), SHAPE(2, 1))), "[[2],\n [3]] i64[2,1]");
        IS(situ_gather(x, situ_reshape(I64(1, 0), SHAPE(2, 1)), .axis = 0), "[[3, 4, 5],\n [0, 1, 2]] i64[2,3]");
        IS(situ_one_hot(I64(2, 0), 3), "[[0., 0., 1.],\n [1., 0., 0.]] f32[2,3]");
        CHECK_OK();
        situ_take(x, F32(1));
        CHECK_CODE(SITU_BAD_DTYPE);
    }
}

TEST(writing_by_index)
{
    IN_SCOPE {
        situ_tensor *zero = situ_zeros(SHAPE(4));
        IS(situ_scatter(zero, I64(1, 3, 1), F32(5, 6, 7)), "[0., 7., 0., 6.] f32[4]");
        IS(situ_scatter_add(zero, I64(1, 3, 1), F32(5, 6, 7)), "[0., 12., 0., 6.] f32[4]");
        IS(situ_index_add(situ_zeros(SHAPE(2, 2)), I64(1, 1), situ_ones(SHAPE(2, 2))), "[[0., 0.],\n [2., 2.]] f32[2,2]");
        IS(situ_scatter_add(situ_zeros(SHAPE(2), .dtype = SITU_F16), I64(0, 0), F32(1, 2)), "[3., 0.] f16[2]");
        CHECK_OK();
    }
}

TEST(an_index_out_of_range_is_a_late_error)
{
    IN_SCOPE {
        situ_tensor *y = situ_take(grid(), I64(0, 2));
        CHECK(!situ_failed());
        int64_t values[6];
        int code = situ_read(y, values, sizeof values);
        if (!code) code = situ_wait(NULL);
        CHECK_EQ(code, -SITU_BAD_INDEX);
        CHECK(strstr(situ_error_message(), "take"));
        CHECK_CODE(SITU_BAD_INDEX);
    }
}

TEST(order)
{
    IN_SCOPE {
        situ_tensor *x = F32(3, -1, NAN, 2, -0.0f, 0, -INFINITY);
        IS(situ_sort(x), "[-inf, -1., -0., 0., 2., 3., nan] f32[7]");
        IS(situ_argsort(x), "[6, 1, 4, 5, 3, 0, 2] i64[7]");
        IS(situ_argsort(x, .descending = true), "[0, 3, 4, 5, 1, 6, 2] i64[7]");
        IS(situ_sort(situ_flip(grid()), .axis = 0), "[[2, 1, 0],\n [5, 4, 3]] i64[2,3]");
        IS(situ_sort(situ_cast(I64(200, 3, 100), SITU_U8)), "[3, 100, 200] u8[3]");
        situ_tensor *where;
        IS(situ_topk(F32(1, 5, 3, 4), 2, .indices = &where), "[5., 4.] f32[2]");
        IS(where, "[1, 3] i64[2]");
        IS(situ_topk(F32(1, 5, 3, 4), 2, .smallest = true), "[1., 3.] f32[2]");
        IS(situ_searchsorted(I64(1, 3, 3, 5), I64(0, 3, 6)), "[0, 1, 4] i64[3]");
        IS(situ_searchsorted(I64(1, 3, 3, 5), 3, .right = true), "3 i64[]");
        CHECK_OK();
        int64_t at[1000], n = 1000;
        situ_tensor *many = situ_remainder(situ_mul(situ_arange(0, n, 1), 37), 101);
        CHECK_EQ(situ_read(situ_argsort(many), at, sizeof at), 0);
        for (int i = 1; i < n; i++) {
            int64_t a = at[i - 1] * 37 % 101, b = at[i] * 37 % 101;
            CHECK(a < b || (a == b && at[i - 1] < at[i]));
        }
    }
}

TEST(results_of_unknown_size)
{
    IN_SCOPE {
        situ_tensor *x = grid(), *inverse, *counts, *index;
        situ_tensor *odd = situ_cast(situ_bitwise_and(x, 1), SITU_BOOL);
        IS(situ_nonzero(odd), "[[0, 1],\n [1, 0],\n [1, 2]] i64[3,2]");
        IS(situ_nonzero(odd, .count = 4, .fill = -1), "[[0, 1],\n [1, 0],\n [1, 2],\n [-1, -1]] i64[4,2]");
        IS(situ_masked(x, odd), "[1, 3, 5] i64[3]");
        IS(situ_masked(x, situ_cast(I64(0, 1), SITU_BOOL)), "[[3, 4, 5]] i64[1,3]");
        IS(situ_masked(x, odd, .count = 4, .fill = 7), "[1, 3, 5, 7] i64[4]");
        IS(situ_unique(I64(3, 1, 3, 2, 1, 3), .inverse = &inverse, .counts = &counts, .index = &index), "[1, 2, 3] i64[3]");
        IS(inverse, "[2, 0, 2, 1, 0, 2] i64[6]");
        IS(counts, "[2, 1, 3] i64[3]");
        IS(index, "[1, 3, 0] i64[3]");
        IS(situ_unique(I64(3, 1, 3), .count = 3), "[1, 3, 1] i64[3]");
        IS(situ_unique(situ_zeros(SHAPE(0))), "[] f32[0]");
        CHECK_OK();
    }
}
