/* Functions made of operations: their values at places that can be seen, and wrong uses. */
#include <situ.h>

#include <math.h>
#include <string.h>

#include "values.h"

TEST_IN_SCOPE(tensors_are_compared_nearly_and_as_wholes)
{
    situ_tensor *a = F64(1, 1e10, NAN, INFINITY, -INFINITY, 0), *b = F64(1 + 1e-6, 1e10 + 1, NAN, INFINITY, INFINITY, 1e-9);
    CHECK(IS(situ_isclose(a, b), "[true, true, false, true, false, true] bool[6]"));
    CHECK(IS(situ_isclose(a, b, .equal_nan = true, .rtol = 0, .atol = 0), "[false, false, true, true, false, false] bool[6]"));
    CHECK(IS(situ_allclose(F32(1, 2), 1.5, .atol = 0.5), "true bool[]"));
    CHECK(IS(situ_allclose(I64(1, INT64_MAX), I64(1, INT64_MIN)), "false bool[]"));
    CHECK(IS(situ_array_equal(F32(1, NAN), F64(1, NAN)), "false bool[]"));
    CHECK(IS(situ_array_equal(F32(1, NAN), F64(1, NAN), .equal_nan = true), "true bool[]"));
    CHECK(IS(situ_array_equal(F32(1, 1), F32(1)), "false bool[]"));
    CHECK_OK();
    CHECK_FAILS(SITU_BAD_OPTION, situ_isclose(a, b, .rtol = -1));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_allclose(F32(1, 2), F32(1, 2, 3)));
}

TEST_IN_SCOPE(rows_columns_and_diagonals_are_arranged)
{
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
    CHECK_FAILS(SITU_BAD_SHAPE, situ_diag(situ_zeros(SHAPE(1, 2, 3)), 0));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_diag(x, INT64_MIN));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_vstack(TENSORS(x, situ_zeros(SHAPE(2)))));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_hstack(TENSORS_OF(NULL, 0)));
}

TEST_IN_SCOPE(padding_repeats_mirrors_and_goes_round)
{
    situ_tensor *x = I64(1, 2, 3);
    CHECK(IS(situ_pad(x, SHAPE(5), SHAPE(2), .mode = SITU_PAD_REFLECT), "[2, 1, 2, 3, 2, 1, 2, 3, 2, 1] i64[10]"));
    CHECK(IS(situ_pad(x, SHAPE(2), SHAPE(1), .mode = SITU_PAD_EDGE), "[1, 1, 1, 2, 3, 3] i64[6]"));
    CHECK(IS(situ_pad(x, SHAPE(1), SHAPE(4), .mode = SITU_PAD_CIRCULAR), "[3, 1, 2, 3, 1, 2, 3, 1] i64[8]"));
    CHECK(IS(situ_pad(I64(7), SHAPE(1), SHAPE(1), .mode = SITU_PAD_REFLECT), "[7, 7, 7] i64[3]"));
    CHECK_OK();
    CHECK_FAILS(SITU_BAD_SHAPE, situ_pad(situ_zeros(SHAPE(0)), SHAPE(1), SHAPE(0), .mode = SITU_PAD_EDGE));
    CHECK_FAILS(SITU_BAD_OPTION, situ_pad(x, SHAPE(1), SHAPE(0), .mode = (situ_pad_mode)9));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_pad(x, SHAPE(1, 1), SHAPE(0, 0), .mode = SITU_PAD_EDGE));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_pad(x, SHAPE(INT64_MAX), SHAPE(2), .mode = SITU_PAD_EDGE));
}

/* Rows with several vectors, and with a remainder. */
TEST_IN_SCOPE(windows_of_two_by_two_have_their_means_and_largest)
{
    situ_tensor *x = situ_reshape(situ_arange(0, 20, 1, .dtype = SITU_F32), SHAPE(1, 1, 2, 10));
    CHECK(IS(situ_avg_pool2d(x, SHAPE(2)), "[[[[5.5, 7.5, 9.5, 11.5, 13.5]]]] f32[1,1,1,5]"));
    CHECK(IS(situ_max_pool2d(x, SHAPE(2)), "[[[[11., 13., 15., 17., 19.]]]] f32[1,1,1,5]"));
}

TEST_IN_SCOPE(windows_of_one_and_three_axes_are_refused_where_they_do_not_fit)
{
    situ_tensor *x = situ_ones(SHAPE(1, 2, 3, 4, 5)), *w = situ_ones(SHAPE(2, 2, 2, 2, 2));
    CHECK_EQ(situ_item(situ_max(situ_conv3d(x, w))), 16);
    CHECK_EQ(situ_item(situ_sum(situ_conv_transpose3d(x, w, .stride = 2))), 120 * 16);
    CHECK_EQ(situ_item(situ_sum(situ_fold(situ_unfold(situ_ones(SHAPE(1, 1, 4, 4)), SHAPE(2), .stride = 2), SHAPE(4), SHAPE(2), .stride = 2))), 16);
    CHECK(situ_shape_of(situ_max_pool3d(x, SHAPE(2))).dim[4] == 2);
    CHECK(IS(situ_adaptive_avg_pool1d(F32(1, 2, 3, 4, 5), SHAPE(2)), "[2., 4.] f32[2]"));
    CHECK(IS(situ_interpolate(F32(1, 3), SHAPE(4), .mode = SITU_LINEAR), "[1., 1.5, 2.5, 3.] f32[4]"));
    CHECK(IS(situ_interpolate(F32(1, INFINITY), SHAPE(4)), "[1., 1., inf, inf] f32[4]"));
    CHECK_OK();
    CHECK_FAILS(SITU_BAD_SHAPE, situ_conv3d(situ_ones(SHAPE(2, 3, 4, 5)), w));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_conv3d(x, w, .groups = 2));
    CHECK_FAILS(SITU_BAD_OPTION, situ_conv3d(x, w, .stride = SHAPE(1, 2)));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_conv3d(x, w, .dilation = 4));
    CHECK_FAILS(SITU_BAD_DTYPE, situ_conv3d(situ_cast(x, SITU_I32), situ_cast(w, SITU_I32)));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_conv_transpose2d(situ_ones(SHAPE(1, 2, 1, 1)), situ_ones(SHAPE(2, 1, 1, 1)), .padding = 1));
    CHECK_FAILS(SITU_BAD_OPTION, situ_conv_transpose1d(situ_ones(SHAPE(1, 2, 3)), situ_ones(SHAPE(2, 1, 2)), .output_padding = 1));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_max_pool1d(situ_ones(SHAPE(2, 3)), SHAPE(9)));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_avg_pool3d(situ_ones(SHAPE(2, 3)), SHAPE(1)));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_max_pool3d(x, SHAPE(2), .padding = 2));
    CHECK_FAILS(SITU_BAD_OPTION, situ_adaptive_max_pool2d(x, SHAPE(0)));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_adaptive_avg_pool2d(situ_ones(SHAPE(2, 0, 3)), SHAPE(1)));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_unfold(situ_ones(SHAPE(3, 3)), SHAPE(2)));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_fold(situ_ones(SHAPE(1, 4, 3)), SHAPE(4), SHAPE(2)));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_interpolate(situ_arange(0, 4, 1), SHAPE(8), .mode = SITU_LINEAR));
    CHECK_FAILS(SITU_BAD_OPTION, situ_interpolate(F32(1, 2), SHAPE(3), .align_corners = true));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_grid_sample(situ_ones(SHAPE(1, 1, 2, 2)), situ_ones(SHAPE(1, 2, 2, 3))));
}

TEST_IN_SCOPE(quantiles_lie_between_neighbours_and_beside_infinities)
{
    situ_tensor *x = F64(4, 1, 3, 2);
    CHECK(IS(situ_median(x), "2.5 f64[]"));
    CHECK(IS(situ_median(I64(3, 1, 2)), "2. f32[]"));
    CHECK(IS(situ_quantile(x, F64(0, 0.5, 1)), "[1., 2.5, 4.] f64[3]"));
    CHECK(IS(situ_quantile(x, 0.4, .method = SITU_QUANTILE_LOWER, .keepdims = true), "[2.] f64[1]"));
    CHECK(IS(situ_quantile(F64(0, INFINITY), F64(0, 0.4, 0.6, 1)), "[0., inf, inf, inf] f64[4]"));
    CHECK(IS(situ_quantile(F64(-INFINITY, -INFINITY, 3, 4), F64(0, 0.2, 0.5, 1)), "[-inf, -inf, -inf, 4.] f64[4]"));
    CHECK(isnan(situ_item(situ_quantile(F64(1, NAN, 2), 0))));
    CHECK(IS(situ_weighted_average(F64(1, 2, 3), F64(1, 1, 2)), "2.25 f64[]"));
    CHECK_OK();
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_quantile(x, 1.5));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_median(situ_zeros(SHAPE(0))));
    CHECK_FAILS(SITU_BAD_DTYPE, situ_median(situ_cast(x, SITU_C128)));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_weighted_average(x, F64(1, 2)));
}

TEST_IN_SCOPE(integers_and_bins_are_counted)
{
    situ_tensor *edges;
    CHECK(IS(situ_bincount(I64(0, 3, 3)), "[1, 0, 0, 2] i64[4]"));
    CHECK(IS(situ_bincount(I64(1), .least = 3, .weights = F64(0.5)), "[0., 0.5, 0.] f64[3]"));
    CHECK(IS(situ_bincount(situ_zeros(SHAPE(0), .dtype = SITU_I32)), "[] i64[0]"));
    CHECK(IS(situ_histogram(F64(0, 0.5, 1, 2, 9), 2, .high = 2, .edges = &edges), "[2, 2] i64[2]"));
    CHECK(IS(edges, "[0., 1., 2.] f64[3]"));
    CHECK(IS(situ_histogram(F64(3, 3), 2), "[0, 2] i64[2]"));
    CHECK_OK();
    situ_item(situ_sum(situ_bincount(I64(1, -1))));
    CHECK_CODE(SITU_BAD_INDEX);
    CHECK_FAILS(SITU_BAD_DTYPE, situ_bincount(F64(1)));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_histogram(F64(1), 0));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_histogram(F64(1), 2, .low = 3, .high = 1));
    situ_tensor *rows = situ_reshape(I64(1, 2, 0, 5, 1, 2), SHAPE(3, 2)), *inverse;
    CHECK(IS(situ_unique(rows, .axis = 0, .inverse = &inverse), "[[0, 5],\n [1, 2]] i64[2,2]"));
    CHECK(IS(inverse, "[1, 0, 1] i64[3]"));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_unique(rows, .axis = 2));
}

TEST_IN_SCOPE(letters_name_the_axes_of_a_sum_of_products)
{
    situ_tensor *a = situ_reshape(situ_arange(0, 6, 1), SHAPE(2, 3)), *b = I64(1, 0, 2);
    CHECK(IS(situ_einsum("ij,j->i", TENSORS(a, b)), "[4, 13] i64[2]"));
    CHECK(IS(situ_einsum("ji", TENSORS(a)), "[[0, 3],\n [1, 4],\n [2, 5]] i64[3,2]"));
    CHECK(IS(situ_einsum("ii", TENSORS(situ_eye(3))), "3. f32[]"));
    CHECK(IS(situ_einsum("i...->i", TENSORS(a)), "[3, 12] i64[2]"));
    CHECK(IS(situ_einsum("i, i ->", TENSORS(b, I64(2))), "6 i64[]"));
    CHECK_OK();
    static const char *const wrong[] = {"ij,jk->ik", "i->i", "ij->ijj", "ij->ik", "i!->i", "ij->i->j", "ij-", "i....->i", "ijk"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_einsum(wrong[i], TENSORS(a)));
    }
    CHECK_FAILS(SITU_BAD_SHAPE, situ_einsum("ij,j->i", TENSORS(a, I64(1, 2))));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_einsum(NULL, TENSORS(a)));
}

TEST_IN_SCOPE(equations_are_solved_by_triangles_and_least_squares)
{
    situ_tensor *a = situ_reshape(F64(2, 9, 1, 4), SHAPE(2, 2)), *b = F64(2, 9), *lower, *upper;
    CHECK(IS(situ_solve_triangular(a, b), "[1., 2.] f64[2]"));
    CHECK(IS(situ_solve_triangular(a, b, .unit_diagonal = true), "[2., 7.] f64[2]"));
    CHECK(IS(situ_solve_triangular(a, F64(4, 26), .upper = true, .transposed = true), "[2., 2.] f64[2]"));
    situ_tensor *p = situ_lu(a, .lower = &lower, .upper = &upper);
    CHECK(situ_item(situ_allclose(situ_matmul(p, situ_matmul(lower, upper)), a)) == 1);
    p = situ_lu(situ_zeros(SHAPE(2, 3)), .lower = &lower, .upper = &upper);
    CHECK(IS(lower, "[[1., 0.],\n [0., 1.]] f32[2,2]"));
    CHECK_NEAR(situ_item(situ_cond(situ_diag(F64(2, 8), 0))), 4, 1e-12);
    CHECK(isinf(situ_item(situ_cond(situ_zeros(SHAPE(2, 2))))) && isinf(situ_item(situ_cond(situ_zeros(SHAPE(2, 2)), .ord = -2))));
    CHECK(isnan(situ_item(situ_cond(situ_full(SHAPE(2, 2), NAN)))));
    situ_tensor *y = situ_lstsq(situ_reshape(F64(1, 0, 1, 1, 1, 2), SHAPE(3, 2)), F64(1, 3, 5));
    CHECK(situ_item(situ_allclose(y, F64(1, 2))) == 1);
    CHECK_OK();
    CHECK_FAILS(SITU_BAD_SHAPE, situ_solve_triangular(situ_ones(SHAPE(2, 3)), b));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_lstsq(a, F64(1, 2, 3)));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_cond(situ_zeros(SHAPE(0, 0))));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_lu(b));
}

static int decay(void *self, situ_tensor **state, situ_list x, situ_tensor **y)
{
    (void)self;
    state[0] = situ_add(situ_mul(state[0], 0.5), x.tensor[0]);
    y[0] = situ_square(state[0]);
    return 0;
}
static int doubled(void *self, situ_tensor **state, situ_list x, situ_tensor **y)
{
    (void)self, (void)x, (void)y;
    state[0] = situ_mul(state[0], 2);
    return 0;
}
static int wider(void *self, situ_tensor **state, situ_list x, situ_tensor **y)
{
    (void)self, (void)x, (void)y;
    state[0] = situ_concat(TENSORS(state[0], state[0]));
    return 0;
}
static situ_tensor *below_100(void *self, situ_tensor *const *state)
{
    (void)self;
    return situ_less(situ_sum(state[0]), 100);
}

TEST_IN_SCOPE(bodies_run_over_sequences_while_a_test_holds_and_by_choice)
{
    situ_tensor *start = F64(1), *state, *squares, *g, *x = situ_reshape(F64(1, 2, 3), SHAPE(3, 1));
    CHECK_EQ(situ_scan(decay, NULL, TENSORS(start), TENSORS(x), &state, &squares, 1), 0);
    CHECK(IS(state, "[4.375] f64[1]"));
    CHECK(IS(situ_reshape(squares, SHAPE(3)), "[2.25, 7.5625, 19.140625] f64[3]"));
    CHECK_EQ(situ_grad(situ_sum(state), TENSORS(start), &g), 0);
    CHECK(IS(g, "[0.125] f64[1]"));
    CHECK_EQ(situ_while_loop(below_100, doubled, NULL, TENSORS(start), &state), 0);
    CHECK(IS(state, "[128.] f64[1]"));
    CHECK_EQ(situ_branch(situ_sum(start), doubled, NULL, NULL, TENSORS(start), &state), 0);
    CHECK(IS(state, "[2.] f64[1]"));
    CHECK_EQ(situ_branch(situ_sum(situ_less(start, 0)), doubled, NULL, NULL, TENSORS(start), &state), 0);
    CHECK(IS(state, "[1.] f64[1]"));
    situ_tensor *cube = situ_sum(situ_pow(start, 3)), *h;
    CHECK(IS(situ_jvp(cube, TENSORS(start), TENSORS(F64(2))), "6. f64[]"));
    CHECK_EQ(situ_hvp(cube, TENSORS(start), TENSORS(F64(2)), &h), 0);
    CHECK(IS(h, "[12.] f64[1]"));
    CHECK_OK();
    CHECK_FAILS(SITU_BAD_SHAPE, situ_while_loop(below_100, wider, NULL, TENSORS(start), &state));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_scan(doubled, NULL, TENSORS(start), TENSORS_OF(NULL, 0), &state, NULL, 0));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_scan(doubled, NULL, TENSORS(start), TENSORS(x, F64(1, 2)), &state, NULL, 0));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_jvp(cube, TENSORS(start), TENSORS(F64(1, 2))));
}

static int misfit(void *self, situ_tensor **state, situ_list x, situ_tensor **y)
{
    (void)self, (void)x, (void)y;
    state[0] = situ_add(state[0], situ_ones(SHAPE(2)));
    return 0;
}
static situ_tensor *misfit_test(void *self, situ_tensor *const *state)
{
    (void)self;
    return situ_add(state[0], situ_ones(SHAPE(2)));
}

/* An error inside a loop body names the operation and its line, not the loop. */
TEST(what_a_body_records_speaks_for_itself)
{
    static const char words[] = "add: shapes [3] and [2] do not broadcast";
    situ_error e;
    IN_SCOPE {
        situ_tensor *start = F64(1, 2, 3), *state, *rows = situ_ones(SHAPE(2, 1));
        for (int i = 0; i < 4; i++) {
            int rc = i == 0 ? situ_scan(misfit, NULL, TENSORS(start), TENSORS(rows), &state, NULL, 0) :
                i == 1      ? situ_while_loop(misfit_test, misfit, NULL, TENSORS(start), &state) :
                i == 2      ? situ_while_loop(below_100, misfit, NULL, TENSORS(start), &state) :
                              situ_branch(situ_ones(SHAPE()), misfit, NULL, NULL, TENSORS(start), &state);
            CHECK_EQ(rc, -SITU_BAD_SHAPE);
            CHECK_EQ(situ_error_take(&e), SITU_BAD_SHAPE);
            if (!CHECK(strstr(e.message, words))) printf("  %s\n", e.message);
        }
    }
}

/* After any error, the results of a loop are safe to pass on. */
TEST_IN_SCOPE(a_loop_that_fails_gives_poisoned_tensors)
{
    situ_tensor *start = F64(1), *rows = situ_ones(SHAPE(2, 1)), *state, *y, *garbage = (situ_tensor *)(void *)8;
    for (int i = 0; i < 8; i++) {
        state = y = garbage;
        int rc = i == 0 ? situ_scan(NULL, NULL, TENSORS(start), TENSORS(rows), &state, &y, 1) :
            i == 1      ? situ_scan(decay, NULL, TENSORS(start), TENSORS(situ_ones(SHAPE())), &state, &y, 1) :
            i == 2      ? situ_scan(decay, NULL, TENSORS(start), TENSORS(rows), &state, &y, 1, .length = 3) :
            i == 3      ? situ_scan(decay, NULL, TENSORS(NULL), TENSORS(rows), &state, &y, 1) :
            i == 4      ? situ_while_loop(NULL, doubled, NULL, TENSORS(start), &state) :
            i == 5      ? situ_while_loop(misfit_test, doubled, NULL, TENSORS(rows), &state) :
            i == 6      ? situ_branch(NULL, doubled, NULL, NULL, TENSORS(start), &state) :
                          situ_branch(rows, doubled, NULL, NULL, TENSORS(start), &state);
        CHECK(rc < 0 && state != garbage && (i > 3 || y != garbage));
        CHECK(situ_error_take(NULL) == -rc);
        situ_tensor *more = situ_add(state, i > 3 ? state : y);
        CHECK(more && situ_error_take(NULL));
    }
}

TEST_IN_SCOPE(a_place_that_is_nowhere_has_no_value_and_one_far_away_is_outside)
{
    situ_tensor *x = situ_ones(SHAPE(1, 1, 2, 2)), *grid = situ_reshape(F64(INFINITY, 0, NAN, 0, 0, 0), SHAPE(1, 1, 3, 2));
    CHECK(IS(situ_reshape(situ_grid_sample(situ_cast(x, SITU_F64), grid), SHAPE(3)), "[0., nan, 1.] f64[3]"));
    CHECK(IS(situ_reshape(situ_grid_sample(situ_cast(x, SITU_F64), grid, .padding = SITU_OUTSIDE_BORDER, .mode = SITU_NEAREST), SHAPE(3)), "[1., nan, 1.] f64[3]"));
}

TEST_IN_SCOPE(of_equal_elements_of_adaptive_pools_the_first_takes_the_gradient)
{
    for (int n = 5; n <= 6; n++) { /* parts of different lengths, and of one length */
        situ_tensor *x = situ_ones(SHAPE(1, n)), *g;
        situ_grad(situ_sum(situ_adaptive_max_pool1d(x, SHAPE(3))), TENSORS(x), &g);
        const float want[2][6] = {{1, 1, 0, 1, 0}, {1, 0, 1, 0, 1, 0}};
        for (int i = 0; i < n; i++) CHECK_NEAR(situ_item(situ_slice(g, .start = SHAPE(0, i), .stop = SHAPE(1, i + 1))), want[n - 5][i], 0);
    }
}
