/* Values, gradients and second gradients at the edges: 0, ties, equal elements, infinities, NaN, the least and the
 * largest numbers. docs/gradients.md has the decisions; tests/python/test_reference.py compares with PyTorch and JAX
 * at many points. */
#include <float.h>
#include <math.h>
#include <situ/grad.h>
#include <situ/linalg.h>
#include <situ/random.h>

#include "support/opencl_devices.h"
#include "support/sim_devices.h"
#include "values.h"

#define INF INFINITY
enum { MOST = 8 };
typedef situ_tensor *(*function)(situ_tensor *x);
typedef struct edge {
    const char *name;
    function f;
    int n;
    double x[MOST];
    const double *value, *gradient, *second; /* NULL: not looked at */
} edge;

static void compare(const edge *e, const char *what, situ_tensor *t, const double *want, situ_dtype dtype)
{
    char text[160];
    double got[MOST] = {0};
    int64_t n = situ_count(t);
    if (!want) return;
    situ_read(situ_cast(situ_to(t, situ_cpu()), SITU_F64), got, 8 * (size_t)(n < MOST ? n : MOST));
    if (situ_failed()) CHECK_STR(situ_error_message(), e->name);
    situ_error_take(NULL);
    for (int64_t i = 0; i < n; i++) {
        double unit = dtype == SITU_F64 ? 1e-12 : dtype == SITU_F32 ? 1e-5 : dtype == SITU_F16 ? 2e-3 : 1e-2;
        bool same = isnan(want[i]) ? isnan(got[i]) : got[i] == want[i] || fabs(got[i] - want[i]) <= unit * fabs(want[i]);
        snprintf(text, sizeof text, "%s of %s, %s: element %d is %g, not %g", what, e->name, situ_dtype_name(dtype), (int)i, got[i], want[i]);
        if (!same) CHECK_STR(text, "as it should be");
    }
}

static void check(const edge *e, situ_dtype dtype, situ_device device)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_to(situ_cast(situ_from_host(e->x, SHAPE(e->n), .dtype = SITU_F64), dtype), device), *y = e->f(x), *g = NULL, *h = NULL;
    compare(e, "value", y, e->value, dtype);
    situ_grad(situ_sum(y), TENSORS(x), &g);
    compare(e, "gradient", g, e->gradient, dtype);
    if (e->second) situ_grad(situ_sum(g), TENSORS(x), &h);
    if (e->second) compare(e, "second gradient", h, e->second, dtype);
    situ_scope_close(scope);
    CHECK_OK();
}

static void check_all(const edge *e, int n)
{
    const situ_dtype dtypes[] = {SITU_F64, SITU_F32, SITU_F16, SITU_BF16};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k++) {
            check(&e[i], dtypes[k], situ_cpu());
            if (k < 2) check(&e[i], dtypes[k], sim_device(0));
        }
}

#define V(...) (const double[]){__VA_ARGS__}
#define F(name, expression) static situ_tensor *name(situ_tensor *x) { return expression; }
#define COUNTED(table) table, (int)(sizeof(table) / sizeof *(table))

F(gelu, situ_gelu(x))
F(gelu_exact, situ_gelu(x, .exact = true))
F(silu, situ_silu(x))
F(mish, situ_mish(x))
F(elu, situ_elu(x, 1))
F(leaky, situ_leaky_relu(x, 0.125))
F(softplus, situ_softplus(x))
F(sigmoid, situ_sigmoid(x))
F(tanh_of, situ_tanh(x))
F(erf_of, situ_erf(x))

/* Where the formula is -inf times 0 but the function has a limit. */
TEST(activations_have_their_limits)
{
    const edge all[] = {
        {"gelu", gelu, 2, {INF, -INF}, V(INF, 0), V(1, 0), V(0, 0)},
        {"exact gelu", gelu_exact, 2, {INF, -INF}, V(INF, 0), V(1, 0), V(0, 0)},
        {"silu", silu, 4, {INF, -INF, -750, -6e4}, V(INF, 0, 0, 0), V(1, 0, 0, 0), V(0, 0, 0, 0)},
        {"mish", mish, 4, {INF, -INF, -750, -6e4}, V(INF, 0, 0, 0), V(1, 0, 0, 0), V(0, 0, 0, 0)},
        {"elu", elu, 2, {INF, -INF}, V(INF, -1), V(1, 0), V(0, 0)},
        {"leaky_relu", leaky, 2, {INF, -INF}, V(INF, -INF), V(1, 0.125), V(0, 0)},
        {"softplus", softplus, 2, {INF, -INF}, V(INF, 0), V(1, 0), V(0, 0)},
        {"sigmoid", sigmoid, 2, {INF, -INF}, V(1, 0), V(0, 0), V(0, 0)},
        {"tanh", tanh_of, 2, {INF, -INF}, V(1, -1), V(0, 0), V(0, 0)},
        {"erf", erf_of, 2, {INF, -INF}, V(1, -1), V(0, 0), NULL},
    };
    check_all(COUNTED(all));
}

F(relu, situ_relu(x))
F(larger, situ_maximum(x, 1))
F(smaller, situ_minimum(1, x))
F(clipped, situ_clip(x, -1, 1))
F(largest, situ_max(x))
F(least, situ_min(x))
F(largest_of_columns, situ_max(situ_reshape(x, SHAPE(2, 2)), .axes = AXES(0)))
F(apart, situ_max(situ_reshape(x, SHAPE(2, 1, 2)), .axes = AXES(0, 2)))
F(size, situ_abs(x))
F(norm_inf, situ_norm(x, .ord = INFINITY))
F(pooled, situ_max_pool2d(situ_reshape(x, SHAPE(1, 2, 2)), SHAPE(2)))
F(first_sorted, situ_slice(situ_sort(x, .descending = false), .start = SHAPE(3)))
F(summed_softmax, situ_softmax(x))

/* If a NaN is the result of a maximum or the like, its gradient is NaN, so that nothing before it is trained; if it is
 * only moved, so is its gradient. */
TEST(a_gradient_where_nan_won_is_nan)
{
    const edge all[] = {
        {"relu", relu, 3, {NAN, 2, -2}, V(NAN, 2, 0), V(NAN, 1, 0), V(NAN, 0, 0)},
        {"maximum", larger, 4, {NAN, 2, 1, 0}, V(NAN, 2, 1, 1), V(NAN, 1, 0.5, 0), V(0, 0, 0, 0)},
        {"minimum", smaller, 4, {NAN, 2, 1, 0}, V(NAN, 1, 1, 0), V(NAN, 0, 0.5, 1), V(0, 0, 0, 0)},
        {"clip", clipped, 6, {NAN, -2, -1, 0, 1, 2}, V(NAN, -1, -1, 0, 1, 1), V(NAN, 0, 0.5, 1, 0.5, 0), NULL},
        {"abs", size, 3, {NAN, 0, -2}, V(NAN, 0, 2), V(NAN, 0, -1), NULL},
        {"max", largest, 3, {1, NAN, 2}, V(NAN), V(NAN, NAN, NAN), NULL},
        {"max without NaN", largest, 4, {1, INF, 2, INF}, V(INF), V(0, 0.5, 0, 0.5), V(0, 0, 0, 0)},
        {"min", least, 3, {NAN, 1, 2}, V(NAN), V(NAN, NAN, NAN), NULL},
        {"max of columns", largest_of_columns, 4, {1, NAN, 2, 3}, V(2, NAN), V(0, NAN, 1, NAN), NULL},
        {"max of axes apart", apart, 4, {1, NAN, 2, 3}, V(NAN), V(NAN, NAN, NAN, NAN), NULL},
        {"norm of order inf", norm_inf, 3, {1, NAN, 2}, V(NAN), V(NAN, NAN, NAN), NULL},
        {"softmax", summed_softmax, 2, {1, NAN}, V(NAN, NAN), V(NAN, NAN), NULL},
        {"max_pool2d", pooled, 4, {1, NAN, 3, 2}, V(NAN), V(0, 1, 0, 0), NULL},
        {"sort", first_sorted, 4, {1, NAN, 3, 2}, V(NAN), V(0, 1, 0, 0), NULL},
    };
    check_all(COUNTED(all));
}

/* If a parameter makes the loss NaN, no gradient is a number. */
TEST_IN_SCOPE(a_nan_loss_does_not_train_on)
{
    situ_tensor *w = F32(1, NAN, 3), *g, *losses[] = {situ_max(w), situ_sum(situ_maximum(w, 0)), situ_sum(situ_relu(w)), situ_sum(situ_clip(w, 0, 5)),
                                                         situ_norm(w), situ_std(w), situ_sum(situ_minimum(situ_square(w), 4)), situ_mean(situ_abs(w))};
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        float got[3];
        CHECK_EQ(situ_grad(losses[i], TENSORS(w), &g), 0);
        CHECK_EQ(situ_read(g, got, sizeof got), 0);
        CHECK(isnan(got[1]));
    }
}

F(norm1, situ_norm(x, .ord = 1))
F(norm2, situ_norm(x))
F(norm3, situ_norm(x, .ord = 3))
F(norm_half, situ_norm(x, .ord = 0.5))
F(norm_15, situ_norm(x, .ord = 1.5))
F(norm_minus, situ_norm(x, .ord = -1))
F(frobenius, situ_matrix_norm(situ_reshape(x, SHAPE(2, 2)), .order = SITU_FROBENIUS))
F(normalised, situ_div(x, situ_maximum(situ_norm(x, .keepdims = true), 0.5)))
F(cosine, situ_div(situ_sum(situ_mul(x, 2)), situ_maximum(situ_mul(situ_norm(x), 4), 0.25)))
F(norm_of_columns, situ_norm(situ_reshape(x, SHAPE(2, 2)), .axes = AXES(0)))

TEST(a_norm_at_zero_has_gradient_zero)
{
    const edge all[] = {
        {"norm 1", norm1, 3, {0, -0.0, 2}, V(2), V(0, 0, 1), V(0, 0, 0)},
        {"norm 2", norm2, 3, {0, -0.0, 0}, V(0), V(0, 0, 0), V(0, 0, 0)},
        {"norm 2 of numbers", norm2, 3, {3, 0, 4}, V(5), V(0.6, 0, 0.8), NULL},
        {"norm 3", norm3, 3, {0, -0.0, 0}, V(0), V(0, 0, 0), V(0, 0, 0)},
        {"norm 1.5", norm_15, 3, {0, 0, 0}, V(0), V(0, 0, 0), V(0, 0, 0)},
        {"norm 1.5 with zeros", norm_15, 3, {0, 2, 0}, V(2), V(0, 1, 0), NULL},
        {"norm 0.5", norm_half, 3, {0, 0, 0}, V(0), V(0, 0, 0), V(0, 0, 0)},
        {"norm 0.5 with zeros", norm_half, 3, {0, 4, 0}, V(4), V(0, 1, 0), NULL},
        {"norm -1", norm_minus, 2, {0, 4}, V(0), V(0, 0), V(0, 0)},
        {"norm inf", norm_inf, 3, {0, 0, 0}, V(0), V(0, 0, 0), V(0, 0, 0)},
        {"Frobenius norm", frobenius, 4, {0, 0, 0, 0}, V(0), V(0, 0, 0, 0), V(0, 0, 0, 0)},
        {"norm of columns", norm_of_columns, 4, {0, 3, 0, 4}, V(0, 5), V(0, 0.6, 0, 0.8), NULL},
        {"x / |x|", normalised, 2, {0, 0}, V(0, 0), V(2, 2), V(0, 0)},
        {"cosine", cosine, 2, {0, 0}, V(0), V(8, 8), V(0, 0)},
        {"norm of NaN", norm2, 2, {NAN, 0}, V(NAN), V(NAN, NAN), NULL},
        {"norm 0.5 of NaN", norm_half, 2, {NAN, 0}, V(NAN), V(NAN, NAN), NULL},
    };
    check_all(COUNTED(all));
}

F(std_of, situ_std(x))
F(std_unbiased, situ_std(x, .correction = 1))
F(var_of, situ_var(x))
F(std_of_columns, situ_std(situ_reshape(x, SHAPE(2, 2)), .axes = AXES(0)))
F(layer_normal, situ_layer_norm(x, situ_ones(SHAPE(3), .device = situ_device_of(x)), situ_zeros(SHAPE(3), .device = situ_device_of(x))))

TEST(equal_elements_have_a_deviation_with_gradient_zero)
{
    const edge all[] = {
        {"std", std_of, 3, {2, 2, 2}, V(0), V(0, 0, 0), V(0, 0, 0)},
        {"std of one", std_of, 1, {5}, V(0), V(0), V(0)},
        {"unbiased std", std_unbiased, 3, {2, 2, 2}, V(0), V(0, 0, 0), V(0, 0, 0)},
        {"unbiased std of one", std_unbiased, 1, {5}, V(NAN), V(NAN), NULL},
        {"std of columns", std_of_columns, 4, {2, 1, 2, 5}, V(0, 2), V(0, -0.5, 0, 0.5), NULL},
        {"std of numbers", std_of, 2, {1, 3}, V(1), V(-0.5, 0.5), NULL},
        {"var", var_of, 3, {2, 2, 2}, V(0), V(0, 0, 0), NULL},
        {"layer_norm", layer_normal, 3, {2, 2, 2}, V(0, 0, 0), V(0, 0, 0), NULL},
    };
    check_all(COUNTED(all));
}

F(angle_of, situ_atan2(x, situ_stop_gradient(x)))
F(angle_by, situ_atan2(situ_stop_gradient(x), x))
F(hypotenuse, situ_hypot(x, 0))
F(power_0, situ_pow(x, 0))
F(power_0_tensor, situ_pow(x, situ_mul(situ_stop_gradient(situ_ones_like(x)), 0)))
F(zero_to, situ_pow(0, x))
F(cube, situ_pow(x, 3))
F(root, situ_sqrt(x))
F(arc_sine, situ_asin(x))
F(arc_cosine, situ_acos(x))
F(area_tangent, situ_atanh(x))
F(both_logs, situ_logaddexp(x, x))

TEST(powers_angles_and_arcs)
{
    const edge all[] = {
        {"atan2(x, x) by the first", angle_of, 2, {0, INF}, NULL, V(0, 0), NULL},
        {"atan2(x, x) by the second", angle_by, 2, {0, INF}, NULL, V(0, 0), NULL},
        {"hypot", hypotenuse, 2, {0, 3}, V(0, 3), V(0.5, 1), V(0, 0)},
        {"x^0", power_0, 5, {0, 6e-8, INF, -3, NAN}, V(1, 1, 1, 1, 1), V(0, 0, 0, 0, 0), V(0, 0, 0, 0, 0)},
        {"x^0, 0 in a tensor", power_0_tensor, 4, {0, 4e-45, INF, -3}, V(1, 1, 1, 1), V(0, 0, 0, 0), NULL},
        {"0^x", zero_to, 3, {0, 2, -1}, V(1, 0, INF), V(0, 0, -INF), NULL},
        {"x^3", cube, 2, {0, -2}, V(0, -8), V(0, 12), V(0, -12)},
        {"sqrt", root, 2, {0, INF}, V(0, INF), V(INF, 0), NULL},
        {"asin", arc_sine, 3, {1, -1, 0}, NULL, V(INF, INF, 1), V(INF, -INF, 0)},
        {"acos", arc_cosine, 3, {1, -1, 0}, NULL, V(-INF, -INF, -1), V(-INF, INF, 0)},
        {"atanh", area_tangent, 3, {1, -1, 0}, V(INF, -INF, 0), V(INF, INF, 1), V(INF, -INF, 0)},
        {"logaddexp", both_logs, 2, {INF, -INF}, V(INF, -INF), V(1, 1), NULL},
    };
    check_all(COUNTED(all));
}

/* The second derivative of asin is x near 0; by (1 - x)(1 + x) all its digits would cancel. */
TEST(asin_of_a_small_number_has_a_second_gradient)
{
    const edge e = {"asin", arc_sine, 1, {1e-20}, V(1e-20), V(1), V(1e-20)};
    check(&e, SITU_F64, situ_cpu());
    check(&e, SITU_F32, situ_cpu());
}

/* Cofactors: [[d, -c], [-b, a]]; of all ranks. */
TEST_IN_SCOPE(the_determinant_of_a_singular_matrix_has_a_gradient)
{
    situ_tensor *x = situ_reshape(F64(1, 2, 2, 4, /**/ 0, 0, 0, 0, /**/ 2, 0, 0, 0, /**/ 1, 2, 3, 4), SHAPE(4, 2, 2)), *g;
    CHECK_EQ(situ_grad(situ_sum(situ_det(x)), TENSORS(x), &g), 0);
    double got[16], want[16] = {4, -2, -2, 1, 0, 0, 0, 0, 0, 0, 0, 2, 4, -3, -2, 1};
    CHECK_EQ(situ_read(g, got, sizeof got), 0);
    for (int i = 0; i < 16; i++) CHECK_NEAR(got[i], want[i], 1e-12);
    x = situ_reshape(F64(1, 0, 0, 0, 2, 0, 0, 0, 0), SHAPE(3, 3));
    CHECK_EQ(situ_grad(situ_det(x), TENSORS(x), &g), 0);
    CHECK_NEAR(situ_item(situ_select(situ_select(g, 0, 2), 0, 2)), 2, 1e-12);
    CHECK_NEAR(situ_item(situ_sum(situ_abs(g))), 2, 1e-12);
    /* the second gradient of a matrix whose singular values are equal: d(det)/dx = cofactors, linear in 2 by 2 */
    x = situ_reshape(F64(1, 0, 0, 1), SHAPE(2, 2));
    CHECK_EQ(situ_grad(situ_det(x), TENSORS(x), &g), 0);
    CHECK_EQ(situ_grad(situ_sum(situ_mul(g, situ_reshape(F64(1, 2, 3, 4), SHAPE(2, 2)))), TENSORS(x), &g), 0);
    IS(situ_reshape(g, SHAPE(4)), "[4., -3., -2., 1.] f64[4]");
    situ_tensor *z = situ_reshape(situ_complex(F64(1, 0, 0, 0), F64(1, 0, 0, 0)), SHAPE(2, 2));
    CHECK_EQ(situ_grad(situ_real(situ_det(z)), TENSORS(z), &g), 0);
    CHECK_NEAR(situ_item(situ_real(situ_select(situ_select(g, 0, 1), 0, 1))), 1, 1e-12);
    CHECK_NEAR(situ_item(situ_imag(situ_select(situ_select(g, 0, 1), 0, 1))), 1, 1e-12);
}

TEST_IN_SCOPE(complex_numbers_at_zero)
{
    situ_tensor *z = situ_complex(F64(0, 3), F64(0, 4)), *g;
    CHECK_EQ(situ_grad(situ_sum(situ_abs(z)), TENSORS(z), &g), 0);
    IS(situ_real(g), "[0., 0.6] f64[2]");
    IS(situ_imag(g), "[0., -0.8] f64[2]");
    CHECK_EQ(situ_grad(situ_sum(situ_atan2(situ_imag(z), situ_real(z))), TENSORS(z), &g), 0);
    IS(situ_abs(g), "[0., 0.2] f64[2]");
    z = situ_complex(F64(0, 0), F64(0, 0));
    CHECK_EQ(situ_grad(situ_norm(z), TENSORS(z), &g), 0);
    IS(situ_abs(g), "[0., 0.] f64[2]");
    CHECK_EQ(situ_grad(situ_sum(situ_real(situ_pow(z, 0))), TENSORS(z), &g), 0);
    IS(situ_abs(g), "[0., 0.] f64[2]");
}

/* b - 1 is no number of an unsigned dtype where b is 0, and wraps at the least one of others. */
TEST(a_power_of_an_integer_has_the_slope_of_that_of_a_float)
{
    static const situ_dtype integers[] = {SITU_U8, SITU_I8, SITU_U32, SITU_I32, SITU_U64, SITU_I64};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        situ_tensor *x = situ_variable(situ_from_host(((float[]){88, 0, 1.5f, 1}), SHAPE(4))), *g[2];
        situ_tensor *b = situ_cast(i % 2 ? situ_values(0, 2, 3, -128) : situ_values(0, 2, 3, 0), integers[i]);
        float left[4], right[4];
        CHECK_EQ(situ_grad(situ_sum(situ_pow(x, b)), TENSORS(x), &g[0]), 0);
        CHECK_EQ(situ_grad(situ_sum(situ_pow(x, situ_cast(b, SITU_F32))), TENSORS(x), &g[1]), 0);
        situ_read(g[0], left, sizeof left);
        situ_read(g[1], right, sizeof right);
        if (!CHECK(!memcmp(left, right, sizeof left))) printf("  %s: %g %g %g %g\n", situ_dtype_name(integers[i]), left[0], left[1], left[2], left[3]);
        CHECK(!left[0] && left[2] == 6.75f);
        situ_release(x);
    }
    CHECK_OK();
}

/* Everything is dropped: the kept share, by which results are divided, is 0. */
TEST_IN_SCOPE(a_dropout_of_everything_has_gradient_zero)
{
    situ_tensor *x = F32(1, INFINITY, 3), *g, *rate = situ_full(SHAPE(), 1.0);
    situ_tensor *y = situ_dropout(x, situ_key(1), rate);
    IS(y, "[0., 0., 0.] f32[3]");
    CHECK_EQ(situ_grad(situ_sum(y), TENSORS(x), &g), 0);
    IS(g, "[0., 0., 0.] f32[3]");
    y = situ_dropout(x, situ_key(1), 0);
    CHECK_EQ(situ_grad(situ_sum(y), TENSORS(x), &g), 0);
    IS(g, "[1., 1., 1.] f32[3]");
}

/* In the gradient by the slope, an infinite x on the branch not taken must not give 0 * inf. */
TEST_IN_SCOPE(a_slope_that_is_trained_has_a_gradient_at_infinity)
{
    situ_tensor *slope = F32(0.25f), *g;
    CHECK_EQ(situ_grad(situ_sum(situ_leaky_relu(F32(INFINITY, -2, 3), slope)), TENSORS(slope), &g), 0);
    IS(g, "[-2.] f32[1]");
    CHECK_EQ(situ_grad(situ_sum(situ_elu(F32(INFINITY, -INFINITY), slope)), TENSORS(slope), &g), 0);
    IS(g, "[-1.] f32[1]");
}

/* Generated kernels decide as the CPU does. */
TEST(edges_on_opencl)
{
    need_opencl(1);
    const edge all[] = {
        {"gelu", gelu, 2, {INF, -INF}, V(INF, 0), V(1, 0), NULL},
        {"silu", silu, 2, {INF, -INF}, V(INF, 0), V(1, 0), NULL},
        {"relu", relu, 3, {NAN, 2, -2}, V(NAN, 2, 0), V(NAN, 1, 0), NULL},
        {"clip", clipped, 6, {NAN, -2, -1, 0, 1, 2}, V(NAN, -1, -1, 0, 1, 1), V(NAN, 0, 0.5, 1, 0.5, 0), NULL},
        {"max", largest, 3, {1, NAN, 2}, V(NAN), V(NAN, NAN, NAN), NULL},
        {"norm 2", norm2, 3, {0, -0.0, 0}, V(0), V(0, 0, 0), NULL},
        {"std", std_of, 3, {2, 2, 2}, V(0), V(0, 0, 0), NULL},
        {"atan2", angle_of, 2, {0, INF}, NULL, V(0, 0), NULL},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) check(&all[i], SITU_F32, tested_device(0));
}

TEST(a_power_of_zero_is_level_of_any_base)
{
    situ_device devices[] = {situ_cpu(), sim_device(0)};
    for (int i = 0; i < 2; i++) IN_SCOPE {
        float bases[] = {0, -0.0f, 1, -2, INF, -INF, NAN, 1e-45f, FLT_MAX};
        situ_tensor *a = situ_from_host(bases, SHAPE(9), .device = devices[i]);
        situ_tensor *b = situ_zeros(SHAPE(9), .device = devices[i]), *g;
        situ_grad(situ_sum(situ_pow(a, b)), TENSORS(a), &g);
        IS(situ_to(situ_equal(g, 0), situ_cpu()), "[true, true, true, true, true, true, true, true, true] bool[9]");
        CHECK_OK();
    }
}

TEST_IN_SCOPE(the_norm_of_an_infinity_is_level_at_zeros)
{
    situ_tensor *x = F32(-INF, 0, 1), *g;
    for (double ord = 0.5; ord < 2; ord += 0.5) {
        situ_grad(situ_norm(x, .ord = ord), TENSORS(x), &g);
        IS(situ_slice(situ_equal(g, 0), .start = 1, .stop = 2), "[true] bool[1]");
    }
    x = F32(NAN, 0, 1);
    situ_grad(situ_norm(x, .ord = 1.5), TENSORS(x), &g);
    IS(situ_all(situ_isnan(g)), "true bool[]");
}
