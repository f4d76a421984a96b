/* A function of the user's over slices. */
#include <situ.h>

#include "values.h"

static int dots(void *self, situ_list x, situ_tensor **y)
{
    (void)self;
    y[0] = situ_dot(x.tensor[0], x.tensor[1]);
    y[1] = situ_mul(x.tensor[0], 2);
    return 0;
}
static int other_shapes(void *self, situ_list x, situ_tensor **y)
{
    int *n = self;
    y[0] = situ_slice(x.tensor[0], .stop = SHAPE(++*n));
    return 0;
}
static int says_no(void *self, situ_list x, situ_tensor **y)
{
    (void)self, (void)x, (void)y;
    return 3;
}

TEST_IN_SCOPE(a_function_is_mapped_over_slices_along_any_axes)
{
    situ_tensor *x = situ_reshape(F64(1, 2, 3, 4, 5, 6), SHAPE(3, 2)), *w = F64(1, 10), *y[2], *g[2];
    CHECK_EQ(situ_vmap(dots, NULL, TENSORS(x, w), y, 2, .in_axes = SHAPE(0, SITU_FULL)), 0);
    CHECK(IS(y[0], "[21., 43., 65.] f64[3]"));
    CHECK(IS(situ_reshape(y[1], SHAPE(6)), "[2., 4., 6., 8., 10., 12.] f64[6]"));
    CHECK_EQ(situ_grad(situ_sum(y[0]), TENSORS(x, w), g), 0);
    CHECK(IS(g[1], "[9., 12.] f64[2]"));
    CHECK(IS(situ_select(g[0], 0, 2), "[1., 10.] f64[2]"));
    CHECK_EQ(situ_vmap(dots, NULL, TENSORS(x, situ_transpose(x)), y, 2, .in_axes = SHAPE(0, -1), .out_axis = -1), 0);
    CHECK(IS(y[0], "[5., 25., 61.] f64[3]"));
    CHECK(IS(situ_select(y[1], 1, 2), "[10., 12.] f64[2]"));
    CHECK_EQ(situ_vmap(dots, NULL, TENSORS(situ_transpose(x), situ_transpose(x)), y, 2, .in_axes = 1), 0);
    CHECK(IS(y[0], "[5., 25., 61.] f64[3]"));
    CHECK_OK();
    CHECK_FAILS(SITU_BAD_SHAPE, situ_vmap(dots, NULL, TENSORS(x, w), y, 2)); /* the inputs have 3 and 2 slices */
    CHECK_FAILS(SITU_BAD_SHAPE, situ_vmap(dots, NULL, TENSORS(x, w), y, 2, .in_axes = SHAPE(2, SITU_FULL)));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_vmap(dots, NULL, TENSORS(x, w), y, 2, .in_axes = SHAPE(0, 0, 0)));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_vmap(dots, NULL, TENSORS(x, w), y, 2, .in_axes = SHAPE(SITU_FULL, SITU_FULL)));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_vmap(says_no, NULL, TENSORS(x), y, 1));
    int n = 0;
    CHECK_FAILS(SITU_BAD_SHAPE, situ_vmap(other_shapes, &n, TENSORS(x), y, 1)); /* slices of 1 and of 2 do not stack */
    CHECK(situ_vmap(dots, NULL, TENSORS(situ_zeros(SHAPE(0, 2)), w), y, 2, .in_axes = SHAPE(0, SITU_FULL)) < 0);
    CHECK_CODE(SITU_BAD_ARGUMENT);
}
