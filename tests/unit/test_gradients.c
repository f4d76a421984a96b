/* Gradients of what has ties, zeros or nothing; tests/unit/test_every_gradient.c has all operations. */
#include <math.h>
#include <situ/grad.h>

#include "support/sim_devices.h"
#include "values.h"

/* Folds over axes that are no neighbours are several; their ties are one lot all the same. */
TEST_IN_SCOPE(ties_over_axes_apart_share)
{
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

TEST_IN_SCOPE(more_ties_than_a_half_can_count)
{
    situ_tensor *x = situ_ones(SHAPE(100000), .dtype = SITU_F16), *g;
    CHECK_EQ(situ_grad(situ_mul(situ_max(x), 4), TENSORS(x), &g), 0);
    IS(situ_sum(situ_not_equal(g, situ_cast(F64(4e-5), SITU_F16))), "0 i64[]");
}

TEST_IN_SCOPE(products_of_nothing_have_gradients)
{
    situ_tensor *x = situ_zeros(SHAPE(3, 0, 2)), *g;
    CHECK_EQ(situ_grad(situ_sum(situ_prod(x, .axes = AXES(1))), TENSORS(x), &g), 0);
    IS(g, "[] f32[3,0,2]");
}

/* Each channel by a kernel of its own: over 4 x 4 ones with zeros around, 100 of the taps of 3 x 3 lie inside. */
TEST_IN_SCOPE(depthwise_convolutions)
{
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

TEST_IN_SCOPE(convolutions_without_outputs_and_norms_of_no_images_have_gradients)
{
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

/* Rules of operations between numbers and tensors make nothing on the default device. */
TEST_IN_SCOPE(numbers_beside_a_tensor_of_another_device)
{
    situ_tensor *x = situ_ones(SHAPE(2), .device = sim_device(0)), *g;
    CHECK_EQ(situ_grad(situ_sum(situ_logaddexp(1, x)), TENSORS(x), &g), 0);
    IS(situ_to(g, situ_cpu()), "[0.5, 0.5] f32[2]");
    CHECK_EQ(situ_grad(situ_sum(situ_copysign(x, -3.0)), TENSORS(x), &g), 0);
    IS(situ_to(g, situ_cpu()), "[-1., -1.] f32[2]");
}

/* Where x^2 overflows: 1 and 0, in each dtype. */
TEST_IN_SCOPE(gelu_of_large_numbers_has_gradients)
{
    struct { situ_dtype dtype; double x; } large[] = {{SITU_F16, 300}, {SITU_BF16, 2e19}, {SITU_F32, 2e19}, {SITU_F64, 2e154}};
    for (int i = 0; i < 4; i++) {
        situ_tensor *x = situ_cast(F64(large[i].x, -large[i].x), large[i].dtype), *g;
        CHECK_EQ(situ_grad(situ_sum(situ_gelu(x)), TENSORS(x), &g), 0);
        IS(situ_cast(situ_abs(g), SITU_F64), "[1., 0.] f64[2]");
    }
}

TEST_IN_SCOPE(stopped_gradients)
{
    situ_tensor *x = F64(2, 3), *g;
    CHECK_EQ(situ_grad(situ_sum(situ_mul(x, situ_stop_gradient(x))), TENSORS(x), &g), 0);
    IS(g, "[2., 3.] f64[2]");
    CHECK_EQ(situ_grad(situ_sum(situ_cast(situ_argsort(x), SITU_F64)), TENSORS(x), &g), 0);
    IS(g, "[0., 0.] f64[2]");
}
