/* Functions made of operations: their values at places that can be seen, and wrong uses. */
#include <situ.h>

#include <math.h>

#include "values.h"

TEST(tensors_are_compared_nearly_and_as_wholes)
{
    IN_SCOPE {
        situ_tensor *a = F64(1, 1e10, NAN, INFINITY, -INFINITY, 0), *b = F64(1 + 1e-6, 1e10 + 1, NAN, INFINITY, INFINITY, 1e-9);
        CHECK(IS(situ_isclose(a, b), "[true, true, false, true, false, true] bool[6]"));
        CHECK(IS(situ_isclose(a, b, .equal_nan = true, .rtol = 0, .atol = 0), "[false, false, true, true, false, false] bool[6]"));
        CHECK(IS(situ_allclose(F32(1, 2), 1.5, .atol = 0.5), "true bool[]"));
        CHECK(IS(situ_allclose(I64(1, INT64_MAX), I64(1, INT64_MIN)), "false bool[]"));
        CHECK(IS(situ_array_equal(F32(1, NAN), F64(1, NAN)), "false bool[]"));
        CHECK(IS(situ_array_equal(F32(1, NAN), F64(1, NAN), .equal_nan = true), "true bool[]"));
        CHECK(IS(situ_array_equal(F32(1, 1), F32(1)), "false bool[]"));
        CHECK_OK();
        situ_isclose(a, b, .rtol = -1);
        CHECK_CODE(SITU_BAD_OPTION);
        situ_allclose(F32(1, 2), F32(1, 2, 3));
        CHECK_CODE(SITU_BAD_SHAPE);
    }
}

TEST(rows_columns_and_diagonals_are_arranged)
{
    IN_SCOPE {
        situ_tensor *x = I64(1, 2, 3), *y = I64(4, 5, 6);
        CHECK(IS(situ_vstack(TENSORS(x, y)), "[[1, 2, 3],\n [4, 5, 6]] i64[2,3]"));
        CHECK(IS(situ_hstack(TENSORS(x, y)), "[1, 2, 3, 4, 5, 6] i64[6]"));
        CHECK(IS(situ_hstack(TENSORS(situ_reshape(x, SHAPE(3, 1)), situ_reshape(y, SHAPE(3, 1)))), "[[1, 4],\n [2, 5],\n [3, 6]] i64[3,2]"));
        CHECK(IS(situ_atleast_3d(x), "[[[1],\n  [2],\n  [3]]] i64[1,3,1]"));
        CHECK(IS(situ_atleast_2d(7), "[[7]] i64[1,1]"));
        CHECK(IS(situ_diag(I64(1, 2), 1), "[[0, 1, 0],\n [0, 0, 2],\n [0, 0, 0]] i64[3,3]"));
        CHECK(IS(situ_diag(I64(1, 2), -1), "[[0, 0, 0],\n [1, 0, 0],\n [0, 2, 0]] i64[3,3]"));
        CHECK(IS(situ_diag(situ_diag(x, 0), 0), "[1, 2, 3] i64[3]"));
        CHECK_OK();
        situ_diag(situ_zeros(SHAPE(1, 2, 3)), 0);
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_diag(x, INT64_MIN);
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_vstack(TENSORS(x, situ_zeros(SHAPE(2))));
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_hstack(((situ_list){NULL, 0}));
        CHECK_CODE(SITU_BAD_ARGUMENT);
    }
}

TEST(padding_repeats_mirrors_and_goes_round)
{
    IN_SCOPE {
        situ_tensor *x = I64(1, 2, 3);
        CHECK(IS(situ_pad(x, SHAPE(5), SHAPE(2), .mode = SITU_PAD_REFLECT), "[2, 1, 2, 3, 2, 1, 2, 3, 2, 1] i64[10]"));
        CHECK(IS(situ_pad(x, SHAPE(2), SHAPE(1), .mode = SITU_PAD_EDGE), "[1, 1, 1, 2, 3, 3] i64[6]"));
        CHECK(IS(situ_pad(x, SHAPE(1), SHAPE(4), .mode = SITU_PAD_CIRCULAR), "[3, 1, 2, 3, 1, 2, 3, 1] i64[8]"));
        CHECK(IS(situ_pad(I64(7), SHAPE(1), SHAPE(1), .mode = SITU_PAD_REFLECT), "[7, 7, 7] i64[3]"));
        CHECK_OK();
        situ_pad(situ_zeros(SHAPE(0)), SHAPE(1), SHAPE(0), .mode = SITU_PAD_EDGE);
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_pad(x, SHAPE(1), SHAPE(0), .mode = (situ_pad_mode)9);
        CHECK_CODE(SITU_BAD_OPTION);
        situ_pad(x, SHAPE(1, 1), SHAPE(0, 0), .mode = SITU_PAD_EDGE);
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_pad(x, SHAPE(INT64_MAX), SHAPE(2), .mode = SITU_PAD_EDGE);
        CHECK_CODE(SITU_BAD_SHAPE);
    }
}

TEST(windows_of_one_and_three_axes_are_refused_where_they_do_not_fit)
{
    IN_SCOPE {
        situ_tensor *x = situ_ones(SHAPE(1, 2, 3, 4, 5)), *w = situ_ones(SHAPE(2, 2, 2, 2, 2));
        CHECK_EQ(situ_item(situ_max(situ_conv3d(x, w))), 16);
        CHECK_EQ(situ_item(situ_sum(situ_conv_transpose3d(x, w, .stride = 2))), 120 * 16);
        CHECK_EQ(situ_item(situ_sum(situ_fold(situ_unfold(situ_ones(SHAPE(1, 1, 4, 4)), SHAPE(2), .stride = 2), SHAPE(4), SHAPE(2), .stride = 2))), 16);
        CHECK(situ_shape_of(situ_max_pool3d(x, SHAPE(2))).dim[4] == 2);
        CHECK(IS(situ_adaptive_avg_pool1d(F32(1, 2, 3, 4, 5), SHAPE(2)), "[2., 4.] f32[2]"));
        CHECK(IS(situ_interpolate(F32(1, 3), SHAPE(4), .mode = SITU_LINEAR), "[1., 1.5, 2.5, 3.] f32[4]"));
        CHECK(IS(situ_interpolate(F32(1, INFINITY), SHAPE(4)), "[1., 1., inf, inf] f32[4]"));
        CHECK_OK();
        situ_conv3d(situ_ones(SHAPE(2, 3, 4, 5)), w);
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_conv3d(x, w, .groups = 2);
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_conv3d(x, w, .stride = SHAPE(1, 2));
        CHECK_CODE(SITU_BAD_OPTION);
        situ_conv3d(x, w, .dilation = 4);
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_conv3d(situ_cast(x, SITU_I32), situ_cast(w, SITU_I32));
        CHECK_CODE(SITU_BAD_DTYPE);
        situ_conv_transpose2d(situ_ones(SHAPE(1, 2, 1, 1)), situ_ones(SHAPE(2, 1, 1, 1)), .padding = 1);
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_conv_transpose1d(situ_ones(SHAPE(1, 2, 3)), situ_ones(SHAPE(2, 1, 2)), .output_padding = 1);
        CHECK_CODE(SITU_BAD_OPTION);
        situ_max_pool1d(situ_ones(SHAPE(2, 3)), SHAPE(9));
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_avg_pool3d(situ_ones(SHAPE(2, 3)), SHAPE(1));
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_max_pool3d(x, SHAPE(2), .padding = 2);
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_adaptive_max_pool2d(x, SHAPE(0));
        CHECK_CODE(SITU_BAD_OPTION);
        situ_adaptive_avg_pool2d(situ_ones(SHAPE(2, 0, 3)), SHAPE(1));
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_unfold(situ_ones(SHAPE(3, 3)), SHAPE(2));
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_fold(situ_ones(SHAPE(1, 4, 3)), SHAPE(4), SHAPE(2));
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_interpolate(situ_arange(0, 4, 1), SHAPE(8), .mode = SITU_LINEAR);
        CHECK_CODE(SITU_BAD_SHAPE);
        situ_interpolate(F32(1, 2), SHAPE(3), .align_corners = true);
        CHECK_CODE(SITU_BAD_OPTION);
        situ_grid_sample(situ_ones(SHAPE(1, 1, 2, 2)), situ_ones(SHAPE(1, 2, 2, 3)));
        CHECK_CODE(SITU_BAD_SHAPE);
    }
}
