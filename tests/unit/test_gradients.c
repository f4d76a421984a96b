/* Every gradient against differences, and every second gradient against differences of the first: in f64, of a weighted
 * sum, so that no two elements can stand for each other. */
#include <math.h>
#include <situ/grad.h>

#include "op/elementwise.h"
#include "support/sim_devices.h"
#include "values.h"

typedef situ_tensor *(*function)(situ_tensor *x);

static situ_tensor *weights_like(situ_tensor *y)
{
    situ_tensor *i = situ_arange(0, (double)situ_count(y), 1, .dtype = SITU_F64);
    return situ_reshape(situ_cos(situ_add(situ_mul(i, 0.7), 0.3)), situ_shape_of(y));
}

static situ_tensor *weighted(situ_tensor *y) { return situ_sum(situ_mul(y, weights_like(y))); }

static situ_tensor *gradient(function f, situ_tensor *x)
{
    situ_tensor *g = NULL;
    situ_grad(weighted(f(x)), TENSORS(x), &g);
    return g;
}

/* Compares one directional derivative of each element with central differences. */
static void compare(const char *name, function f, bool second, double *x, situ_shape shape, int n, double tolerance)
{
    situ_scope *scope = situ_scope_open();
    double exact[64];
    situ_tensor *t = situ_from_host(x, shape, .dtype = SITU_F64), *g = gradient(f, t);
    if (second) {
        situ_tensor *y = weighted(g);
        situ_grad(y, TENSORS(t), &g);
    }
    int code = situ_read(g, exact, 8 * (size_t)n);
    if (code) test_check_string(situ_error_message(), "", __FILE__, __LINE__, name);
    situ_error_take(NULL);
    for (int i = 0; i < n && !code; i++) {
        double at = x[i], step = 1e-5, side[2];
        for (int k = 0; k < 2; k++) {
            x[i] = at + (k ? step : -step);
            situ_tensor *moved = situ_from_host(x, shape, .dtype = SITU_F64);
            side[k] = situ_item(weighted(second ? gradient(f, moved) : f(moved)));
        }
        x[i] = at;
        double estimate = (side[1] - side[0]) / (2 * step);
        char text[128];
        snprintf(text, sizeof text, "%s, %s gradient, element %d", name, second ? "second" : "first", i);
        test_check_near(exact[i], estimate, tolerance * (1 + fabs(estimate)), __FILE__, __LINE__, text);
    }
    situ_scope_close(scope);
}

static void check(const char *name, function f, double low, double high)
{
    double x[12];
    /* different, in no order, and not at the ends */
    for (int i = 0; i < 12; i++) x[i] = low + (high - low) * (0.04 + 0.92 * ((i * 5 + 3) % 12 + 0.3) / 12);
    compare(name, f, false, x, SHAPE(3, 4), 12, 1e-6);
    compare(name, f, true, x, SHAPE(3, 4), 12, 1e-5);
}
#define GRADIENT(name, low, high, expression) \
    static situ_tensor *of_##name(situ_tensor *x) { return expression; } \
    TEST(gradient_of_##name) { check(#name, of_##name, low, high); }

#define OTHER situ_add(situ_mul(situ_flip(x), 0.9), 0.05)

#define EL1(name, kind, value, ga, lo, hi, doc) static situ_tensor *el_##name(situ_tensor *x) { return situ_##name(x); }
#define EL2(name, kind, value, ga, gb, lo, hi, doc) \
    static situ_tensor *el_##name(situ_tensor *x) { return situ_##name(x, OTHER); }
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) \
    static situ_tensor *el_##name(situ_tensor *x) { return situ_##name(x, OTHER, situ_add(situ_flip(x, .axes = AXES(1)), 0.2)); }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "op/elementwise.def"
#pragma GCC diagnostic pop
#undef EL1
#undef EL2
#undef EL3

TEST(gradients_of_elementwise_operations)
{
    static const struct { const char *name; function f; int row; } all[] = {
#define EL1(name, kind, value, ga, lo, hi, doc) {#name, el_##name, SITU_EL_##name},
#define EL2(name, kind, value, ga, gb, lo, hi, doc) {#name, el_##name, SITU_EL_##name},
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) {#name, el_##name, SITU_EL_##name},
#include "op/elementwise.def"
    };
    const char *only = getenv("SITU_TEST_OPERATION"); /* tests/checks/extending.py has added one */
    int checked = 0;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        const situ_el_row *row = &situ_el_rows[all[i].row];
        if (row->kind != SITU_EL_FLOAT && row->kind != SITU_EL_NUMBER) continue;
        if (!strcmp(row->name, "nextafter")) continue; /* differences are smaller than its steps */
        if (only && strcmp(only, row->name)) continue;
        check(row->name, all[i].f, row->lo, row->hi);
        checked++;
    }
    CHECK(only ? checked == 1 : checked > 40);
}

GRADIENT(where, -1, 1, situ_where(situ_greater(x, 0.1), situ_square(x), situ_flip(x)))
GRADIENT(broadcasting, 0.5, 2, situ_mul(situ_slice(x, .stop = SHAPE(1)), situ_slice(x, .stop = SHAPE(SITU_FULL, 1))))
GRADIENT(powers, 0.5, 2, situ_add(situ_add(situ_pow(x, 3), situ_pow(x, -0.5)), situ_pow(x, situ_flip(x))))
GRADIENT(reshape, -1, 1, situ_square(situ_reshape(situ_transpose(x), SHAPE(2, 6))))
GRADIENT(permute, -1, 1, situ_square(situ_permute(situ_reshape(x, SHAPE(3, 2, 2)), AXES(2, 0, 1))))
GRADIENT(broadcast_to, -1, 1, situ_square(situ_broadcast_to(situ_expand_dims(x, 1), SHAPE(3, 2, 4))))
GRADIENT(slice, -1, 1, situ_square(situ_slice(x, .start = SHAPE(2, 0), .step = SHAPE(-1, 2))))
GRADIENT(select, -1, 1, situ_square(situ_select(x, 1, 2)))
GRADIENT(flip, -1, 1, situ_square(situ_flip(x, .axes = AXES(1))))
GRADIENT(diagonal, -1, 1, situ_add(situ_square(situ_diagonal(x, 1)), situ_pad(situ_square(situ_diagonal(x, -1)), SHAPE(0), SHAPE(1))))
GRADIENT(update_slice, -1, 1, situ_square(situ_update_slice(x, situ_slice(situ_square(x), .stop = SHAPE(2, 2)), SHAPE(1, 1))))
GRADIENT(pad, -1, 1, situ_square(situ_pad(x, SHAPE(1, 0), SHAPE(0, 2), .value = 3)))
GRADIENT(concat, -1, 1, situ_square(situ_concat(TENSORS(x, situ_square(x)), .axis = 1)))
GRADIENT(stack, -1, 1, situ_square(situ_stack(TENSORS(x, situ_square(x)), .axis = 1)))
GRADIENT(roll, -1, 1, situ_square(situ_roll(x, 3)))
GRADIENT(tile, -1, 1, situ_square(situ_tile(x, SHAPE(2, 1))))
GRADIENT(repeat, -1, 1, situ_square(situ_repeat(x, 2, .axis = 1)))
GRADIENT(tril, -1, 1, situ_square(situ_tril(x, 0)))
GRADIENT(sum, -1, 1, situ_square(situ_sum(x, .axes = AXES(0))))
GRADIENT(sum_of_two_groups, -1, 1, situ_square(situ_sum(situ_reshape(x, SHAPE(3, 2, 2)), .axes = AXES(0, 2), .keepdims = true)))
GRADIENT(prod, 0.5, 2, situ_prod(x, .axes = AXES(1)))
GRADIENT(max, -1, 1, situ_square(situ_max(x, .axes = AXES(1))))
GRADIENT(min, -1, 1, situ_square(situ_min(x, .axes = AXES(0), .keepdims = true)))
GRADIENT(mean, -1, 1, situ_square(situ_mean(x, .axes = AXES(1))))
GRADIENT(var, -1, 1, situ_var(x, .axes = AXES(0), .correction = 1))
GRADIENT(std, -1, 1, situ_std(x, .axes = AXES(1)))
GRADIENT(logsumexp, -1, 1, situ_logsumexp(x, .axes = AXES(0)))
GRADIENT(norm, 0.2, 1, situ_add(situ_norm(x), situ_norm(x, .ord = 3)))
GRADIENT(cumsum, -1, 1, situ_square(situ_cumsum(x, .axis = 0)))
GRADIENT(cumprod, 0.5, 2, situ_cumprod(x))
GRADIENT(cumprod_reversed, 0.5, 2, situ_cumprod(x, .axis = 0, .reverse = true))
GRADIENT(linear_scan, -1, 1, situ_linear_scan(x, situ_square(x), .reverse = true))
GRADIENT(matmul, -1, 1, situ_matmul(x, situ_transpose(situ_square(x))))
GRADIENT(matmul_of_batches, -1, 1, situ_matmul(situ_reshape(x, SHAPE(3, 2, 2)), situ_slice(x, .stop = SHAPE(2, 2))))
GRADIENT(matmul_of_vectors, -1, 1, situ_matmul(x, situ_select(x, 0, 1)))
GRADIENT(take, -1, 1, situ_square(situ_take(x, I64(2, 0, 2))))
GRADIENT(gather, -1, 1, situ_square(situ_gather(x, situ_reshape(I64(1, 1, 0), SHAPE(3, 1)))))
GRADIENT(scatter, -1, 1, situ_square(situ_scatter(x, situ_reshape(I64(1, 1, 2, 2, 0, 1), SHAPE(3, 2)), situ_slice(situ_square(x), .stop = SHAPE(3, 2)))))
GRADIENT(scatter_add, -1, 1, situ_square(situ_scatter_add(x, situ_reshape(I64(1, 1, 2, 2, 0, 1), SHAPE(3, 2)), situ_slice(situ_square(x), .stop = SHAPE(3, 2)))))
GRADIENT(index_add, -1, 1, situ_square(situ_index_add(x, I64(1, 1), situ_slice(situ_square(x), .stop = SHAPE(2)))))
GRADIENT(sort, -1, 1, situ_square(situ_sort(x, .axis = 1)))
GRADIENT(topk, -1, 1, situ_square(situ_topk(x, 2)))
GRADIENT(gelu, -2, 2, situ_gelu(x))
GRADIENT(gelu_exact, -2, 2, situ_gelu(x, .exact = true))
GRADIENT(silu, -2, 2, situ_silu(x))
GRADIENT(mish, -2, 2, situ_mish(x))
GRADIENT(leaky_relu, -2, 2, situ_leaky_relu(x, 0.1))
GRADIENT(elu, -2, 2, situ_elu(x, 1.5))
GRADIENT(softmax, -1, 1, situ_softmax(x))
GRADIENT(softmax_of_columns, -1, 1, situ_softmax(x, .axis = 0))
GRADIENT(log_softmax, -1, 1, situ_log_softmax(x))
GRADIENT(cross_entropy, -1, 1, situ_cross_entropy(x, I64(0, 3, 1)))
GRADIENT(mse, -1, 1, situ_mse(x, situ_flip(x), .reduction = SITU_SUM))
GRADIENT(dropout, -1, 1, situ_square(situ_dropout(x, situ_key(1), 0.5)))
GRADIENT(copy, -1, 1, situ_square(situ_copy_to(x, situ_cpu())))
GRADIENT(casts, -1, 1, situ_square(situ_cast(situ_cast(x, SITU_C128), SITU_F64)))
GRADIENT(real_part, -1, 1, situ_real(situ_conj(situ_complex(situ_square(x), x))))
GRADIENT(imaginary_part, -1, 1, situ_imag(situ_conj(situ_complex(x, situ_square(x)))))

TEST(products_through_zeros_have_gradients)
{
    IN_SCOPE {
        situ_tensor *x = F64(2, 0, 3), *g;
        CHECK_EQ(situ_grad(situ_prod(x), TENSORS(x), &g), 0);
        IS(g, "[0., 6., 0.] f64[3]");
        CHECK_EQ(situ_grad(situ_sum(situ_cumprod(x)), TENSORS(x), &g), 0);
        IS(g, "[1., 8., 0.] f64[3]");
    }
}

TEST(ties_share)
{
    IN_SCOPE {
        situ_tensor *x = F64(1, 3, 3), *g;
        CHECK_EQ(situ_grad(situ_max(x), TENSORS(x), &g), 0);
        IS(g, "[0., 0.5, 0.5] f64[3]");
        CHECK_EQ(situ_grad(situ_sum(situ_relu(situ_sub(x, 3))), TENSORS(x), &g), 0);
        IS(g, "[0., 0., 0.] f64[3]");
        CHECK_EQ(situ_grad(situ_sum(situ_abs(situ_sub(x, 3))), TENSORS(x), &g), 0);
        IS(g, "[-1., 0., 0.] f64[3]");
    }
}

/* Folds over axes that are no neighbours are several; their ties are one lot all the same. */
TEST(ties_over_axes_apart_share)
{
    IN_SCOPE {
        situ_tensor *x = situ_reshape(F64(1, 1, 1, 0), SHAPE(2, 1, 2)), *g;
        CHECK_EQ(situ_grad(situ_sum(situ_mul(situ_max(x, .axes = AXES(0, 2)), 3)), TENSORS(x), &g), 0);
        IS(situ_reshape(g, SHAPE(4)), "[1., 1., 1., 0.] f64[4]");
        CHECK_EQ(situ_grad(situ_sum(situ_mul(situ_min(situ_negative(x), .axes = AXES(0, 2), .keepdims = true), 3)), TENSORS(x), &g), 0);
        IS(situ_reshape(g, SHAPE(4)), "[-1., -1., -1., -0.] f64[4]");
        CHECK_EQ(situ_grad(situ_sum(situ_mul(situ_norm(x, .axes = AXES(0, 2), .ord = INFINITY), 3)), TENSORS(x), &g), 0);
        IS(situ_reshape(g, SHAPE(4)), "[1., 1., 1., 0.] f64[4]");
        /* a second gradient goes through the shares; a value of its own differs from the others' */
        x = situ_reshape(F64(5, 2, 4, 5, 7, 1, 7, 3), SHAPE(2, 2, 2));
        situ_tensor *y = situ_max(x, .axes = AXES(0, 2));
        IS(y, "[7., 7.] f64[2]");
        CHECK_EQ(situ_grad(situ_sum(situ_square(y)), TENSORS(x), &g), 0);
        IS(situ_reshape(g, SHAPE(8)), "[0., 0., 0., 0., 14., 0., 14., 0.] f64[8]");
        CHECK_EQ(situ_grad(situ_sum(situ_square(g)), TENSORS(x), &g), 0);
        IS(situ_reshape(g, SHAPE(8)), "[0., 0., 0., 0., 56., 0., 56., 0.] f64[8]");
    }
}

TEST(more_ties_than_a_half_can_count)
{
    IN_SCOPE {
        situ_tensor *x = situ_ones(SHAPE(100000), .dtype = SITU_F16), *g;
        CHECK_EQ(situ_grad(situ_mul(situ_max(x), 4), TENSORS(x), &g), 0);
        IS(situ_sum(situ_not_equal(g, situ_cast(F64(4e-5), SITU_F16))), "0 i64[]");
    }
}

TEST(products_of_nothing_have_gradients)
{
    IN_SCOPE {
        situ_tensor *x = situ_zeros(SHAPE(3, 0, 2)), *g;
        CHECK_EQ(situ_grad(situ_sum(situ_prod(x, .axes = AXES(1))), TENSORS(x), &g), 0);
        IS(g, "[] f32[3,0,2]");
    }
}

/* Each channel by a kernel of its own: over 4 x 4 ones with zeros around, 100 of the taps of 3 x 3 lie inside. */
TEST(depthwise_convolutions)
{
    IN_SCOPE {
        situ_tensor *x = situ_ones(SHAPE(2, 3, 4, 4)), *c = F32(1, 10, 100), *g[2], *in[2] = {x, NULL};
        situ_tensor *w = in[1] = situ_mul(situ_ones(SHAPE(3, 1, 3, 3)), situ_reshape(c, SHAPE(3, 1, 1, 1)));
        situ_tensor *y = situ_conv2d(x, w, .padding = SHAPE(1), .groups = 3);
        IS(situ_sum(y, .axes = AXES(0, 2, 3)), "[200., 2000., 20000.] f32[3]");
        CHECK_EQ(situ_grad(situ_sum(y), TENSORS_OF(in, 2), g), 0);
        IS(situ_sum(g[0], .axes = AXES(0, 2, 3)), "[200., 2000., 20000.] f32[3]");
        IS(situ_sum(g[1], .axes = AXES(1, 2, 3)), "[200., 200., 200.] f32[3]");
        CHECK_EQ(situ_grad(situ_sum(situ_conv2d(x, w, .padding = SHAPE(1), .stride = SHAPE(2), .groups = 3)), TENSORS_OF(in, 2), g), 0);
        IS(situ_sum(g[0], .axes = AXES(0, 2, 3)), "[50., 500., 5000.] f32[3]");
    }
    CHECK_OK();
}

TEST(convolutions_without_outputs_and_norms_of_no_images_have_gradients)
{
    IN_SCOPE {
        situ_tensor *x = situ_ones(SHAPE(2, 3, 5, 5)), *w = situ_zeros(SHAPE(0, 3, 3, 3)), *g[3];
        CHECK_EQ(situ_grad(situ_sum(situ_conv2d(x, w, .padding = SHAPE(1))), TENSORS(w), g), 0);
        IS(g[0], "[] f32[0,3,3,3]");
        situ_tensor *in[] = {situ_zeros(SHAPE(0, 3)), situ_ones(SHAPE(3)), situ_zeros(SHAPE(3))};
        situ_tensor *mean = situ_variable(situ_zeros(SHAPE(3))), *variance = situ_variable(situ_ones(SHAPE(3)));
        CHECK_EQ(situ_grad(situ_sum(situ_batch_norm(in[0], in[1], in[2], .mean = mean, .variance = variance)), TENSORS_OF(in, 3), g), 0);
        IS(g[1], "[0., 0., 0.] f32[3]");
        IS(g[2], "[0., 0., 0.] f32[3]");
        IS(mean, "[0., 0., 0.] f32[3]");
        IS(variance, "[1., 1., 1.] f32[3]");
        situ_release(mean);
        situ_release(variance);
    }
}

/* Rules of operations between numbers and tensors make nothing on the default device. */
TEST(numbers_beside_a_tensor_of_another_device)
{
    IN_SCOPE {
        situ_tensor *x = situ_ones(SHAPE(2), .device = sim_device(0)), *g;
        CHECK_EQ(situ_grad(situ_sum(situ_logaddexp(1, x)), TENSORS(x), &g), 0);
        IS(situ_to(g, situ_cpu()), "[0.5, 0.5] f32[2]");
        CHECK_EQ(situ_grad(situ_sum(situ_copysign(x, -3.0)), TENSORS(x), &g), 0);
        IS(situ_to(g, situ_cpu()), "[-1., -1.] f32[2]");
    }
}

/* Where x^2 overflows: 1 and 0, in each dtype. */
TEST(gelu_of_large_numbers_has_gradients)
{
    IN_SCOPE {
        struct { situ_dtype dtype; double x; } large[] = {{SITU_F16, 300}, {SITU_BF16, 2e19}, {SITU_F32, 2e19}, {SITU_F64, 2e154}};
        for (int i = 0; i < 4; i++) {
            situ_tensor *x = situ_cast(F64(large[i].x, -large[i].x), large[i].dtype), *g;
            CHECK_EQ(situ_grad(situ_sum(situ_gelu(x)), TENSORS(x), &g), 0);
            IS(situ_cast(situ_abs(g), SITU_F64), "[1., 0.] f64[2]");
        }
    }
}

TEST(stopped_gradients)
{
    IN_SCOPE {
        situ_tensor *x = F64(2, 3), *g;
        CHECK_EQ(situ_grad(situ_sum(situ_mul(x, situ_stop_gradient(x))), TENSORS(x), &g), 0);
        IS(g, "[2., 3.] f64[2]");
        CHECK_EQ(situ_grad(situ_sum(situ_cast(situ_argsort(x), SITU_F64)), TENSORS(x), &g), 0);
        IS(g, "[0., 0.] f64[2]");
        CHECK_OK();
    }
}
