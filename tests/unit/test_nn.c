/* Modules: shapes found at the first call, names, first values, devices, modules of the user's own. */
#include <math.h>
#include <string.h>

#include <situ.h>

#include "values.h"

static situ_module *small(void)
{
    return situ_sequential(situ_linear_layer(4), situ_relu_layer(), situ_linear_layer(2, .bias = false));
}

/* Values near 1000, and planes and rows so long that a sum in f32 would lose precision. */
TEST_IN_SCOPE(norms_of_long_runs_are_exact)
{
    situ_tensor *x = situ_add(situ_uniform(situ_key(0), SHAPE(1, 1, 1024, 1024)), 1000), *row = situ_reshape(x, SHAPE(1, 1 << 20)), *w = situ_ones(SHAPE(1 << 20));
    situ_tensor *wide = situ_cast(row, SITU_F64), *centred = situ_sub(wide, situ_mean(wide));
    situ_tensor *exact = situ_div(centred, situ_sqrt(situ_add(situ_mean(situ_square(centred)), 1e-5)));
    situ_tensor *batch = situ_reshape(situ_batch_norm(x, situ_ones(SHAPE(1)), situ_zeros(SHAPE(1))), SHAPE(1, 1 << 20));
    situ_tensor *layer = situ_layer_norm(row, w, situ_zeros(SHAPE(1 << 20))), *made[2] = {batch, layer};
    /* at 1000 a mean in f32 is off by up to 2^-15, which is .0001 of the standard deviation */
    for (int i = 0; i < 2; i++) CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(situ_cast(made[i], SITU_F64), exact)))), 0, 2e-4);
}

TEST_IN_SCOPE(sizes_come_from_the_first_call)
{
    situ_module *net = small();
    CHECK_EQ(situ_module_count(net), 3);
    CHECK_STR(situ_module_name(net, 0), "0.weight");
    CHECK_STR(situ_module_name(net, 1), "0.bias");
    CHECK_STR(situ_module_name(net, 2), "2.weight");
    CHECK_STR(situ_module_name(situ_module_child(net, 2), 0), "weight");
    CHECK_FAILS(SITU_BAD_SHAPE, situ_module_parameter(net, 0));
    situ_tensor *y = situ_module_call(net, situ_ones(SHAPE(5, 7)));
    CHECK_EQ(situ_dim(y, 0), 5);
    CHECK_EQ(situ_dim(y, 1), 2);
    CHECK_EQ(situ_dim(situ_module_find(net, "0.weight"), 1), 7);
    CHECK_EQ(situ_dim(situ_module_find(net, "2.weight"), 1), 4);
    CHECK(situ_is_variable(situ_module_parameter(net, 1)));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_module_call(net, situ_ones(SHAPE(5, 8))), "layer 0 (linear)");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_find(net, "1.weight"), "0.weight, 0.bias, 2.weight");
    situ_module_free(net);
}

TEST_IN_SCOPE(first_values_are_uniform_and_come_from_the_key)
{
    enum { N = 64 * 100 };
    static float a[N], b[N], c[N];
    situ_tensor *x = situ_ones(SHAPE(1, 100));
    for (int turn = 0; turn < 3; turn++) {
        situ_module *net = situ_sequential(situ_linear_layer(64));
        if (turn) situ_module_init(net, situ_key(turn - 1));
        situ_module_call(net, x);
        situ_read(situ_module_parameter(net, 0), turn == 0 ? a : turn == 1 ? b : c, sizeof a);
        situ_module_free(net);
    }
    CHECK(!memcmp(a, b, sizeof a)); /* no key is key 0 */
    CHECK(memcmp(a, c, sizeof a));
    double mean = 0, square = 0, most = 0;
    for (int i = 0; i < N; i++) {
        mean += a[i] / N;
        square += a[i] * a[i] / N;
        if (fabs(a[i]) > most) most = fabs(a[i]);
    }
    CHECK(most <= 0.1 && most > 0.099); /* 1 / sqrt(100) */
    CHECK_NEAR(mean, 0, 0.003);
    CHECK_NEAR(square, 0.01 / 3, 2e-4);
    situ_tensor *key = situ_fold_in(situ_key(0), 0);
    situ_read(situ_uniform(key, SHAPE(64, 100), .low = -0.1, .high = 0.1), b, sizeof b);
    CHECK(!memcmp(a, b, sizeof a));
}

TEST_IN_SCOPE(init_makes_parameters_anew)
{
    float before[6], after[6], again[6];
    situ_module *net = situ_linear_layer(2);
    situ_module_call(net, situ_ones(SHAPE(1, 3)));
    situ_read(situ_module_parameter(net, 0), before, sizeof before);
    situ_module_init(net, situ_key(5));
    situ_read(situ_module_parameter(net, 0), after, sizeof after);
    situ_module_init(net, situ_key(0));
    situ_read(situ_module_parameter(net, 0), again, sizeof again);
    CHECK(memcmp(before, after, sizeof before));
    CHECK(!memcmp(before, again, sizeof before));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_init(net, situ_ones(SHAPE(2))));
    situ_module_free(net);
}

TEST(a_network_owns_its_parts)
{
    situ_module *part = situ_relu_layer(), *net = situ_sequential(part);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_sequential_add(net, part));
    CHECK_EQ(situ_sequential_add(net, situ_linear_layer(3)), 0);
    CHECK_EQ(situ_module_children(net), 2);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_sequential_add(net, NULL));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_sequential(situ_relu_layer(), NULL, situ_relu_layer()));
    situ_module_free(part);
    CHECK_CODE(SITU_BAD_ARGUMENT);
    situ_module_free(net);
    situ_module_free(NULL);
}

TEST(bad_layers_are_refused)
{
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_linear_layer(0));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_dropout_layer(1));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_call(NULL, situ_ones(SHAPE(2))));
    situ_module *net = situ_linear_layer(3, .in = 4);
    CHECK_FAILS(SITU_BAD_SHAPE, situ_module_call(net, situ_ones(SHAPE(2, 5))));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_module_call(net, situ_ones(SHAPE())));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_call(net, 2.0));
    situ_module_free(net);
}

TEST_IN_SCOPE(rows_are_flattened)
{
    situ_module *flat = situ_flatten_layer();
    CHECK_EQ(situ_dim(situ_module_call(flat, situ_ones(SHAPE(3, 4, 5))), 1), 20);
    CHECK_EQ(situ_dim(situ_module_call(flat, situ_ones(SHAPE(0, 4, 5))), 1), 20);
    situ_module_free(flat);
}

TEST_IN_SCOPE(dropout_follows_step_and_place_in_the_batch)
{
    enum { ROWS = 40, WIDE = 9, N = ROWS * WIDE };
    float whole[N], parts[N], next[N], still[N];
    situ_module *net = situ_sequential(situ_dropout_layer(0.25));
    situ_tensor *x = situ_ones(SHAPE(ROWS, WIDE));
    situ_read(situ_module_call(net, x, .step = 3), whole, sizeof whole);
    for (int first = 0; first < ROWS; first += 16) {
        int rows = ROWS - first < 16 ? ROWS - first : 16;
        situ_tensor *part = situ_module_call(net, situ_ones(SHAPE(rows, WIDE)), .first = first, .of = ROWS, .step = 3);
        situ_read(part, parts + first * WIDE, (size_t)(rows * WIDE) * sizeof(float));
    }
    CHECK(!memcmp(whole, parts, sizeof whole));
    situ_read(situ_module_call(net, x, .step = 4), next, sizeof next);
    CHECK(memcmp(whole, next, sizeof whole));
    int kept = 0;
    for (int i = 0; i < N; i++) {
        kept += whole[i] != 0;
        if (whole[i] != 0) CHECK_NEAR(whole[i], 4.0 / 3, 1e-6);
    }
    CHECK(kept > N * 0.65 && kept < N * 0.85);
    situ_module_set_training(net, false);
    situ_read(situ_module_call(net, x), still, sizeof still);
    for (int i = 0; i < N; i++) CHECK(still[i] == 1);
    CHECK_FAILS(SITU_BAD_OPTION, situ_module_call(net, x, .first = 8, .of = 30));
    situ_module_free(net);
}

/* ---- modules of one's own: y = x factor + inner(x) ---- */

static int released;
static void release(void *self) { *(int *)self += 1; }
static situ_tensor *forward_own(situ_module *m, situ_tensor *x, void *self)
{
    (void)self;
    situ_tensor *scaled = situ_mul(x, situ_module_use(m, 0, x, SHAPE(situ_dim(x, -1)), .value = 2));
    return situ_add(scaled, situ_module_call(situ_module_child(m, 0), x));
}
static const situ_module_kind own_kind = {.name = "own", .forward = forward_own, .release = release};

TEST_IN_SCOPE(modules_of_ones_own)
{
    situ_module *own = situ_module_custom(&own_kind, &released);
    CHECK_EQ(situ_module_declare(own, "factor"), 0);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_declare(own, "factor"));
    CHECK_EQ(situ_module_adopt(own, "inner", situ_linear_layer(3, .bias = false)), 0);
    situ_module *net = situ_sequential(situ_relu_layer(), own);
    CHECK_STR(situ_module_name(net, 0), "1.factor");
    CHECK_STR(situ_module_name(net, 1), "1.inner.weight");
    float y[3], w[9];
    situ_read(situ_module_call(net, situ_ones(SHAPE(1, 3))), y, sizeof y);
    situ_read(situ_module_find(net, "1.inner.weight"), w, sizeof w);
    for (int i = 0; i < 3; i++) CHECK_NEAR(y[i], 2 + w[3 * i] + w[3 * i + 1] + w[3 * i + 2], 1e-6);
    situ_module_free(net);
    CHECK_EQ(released, 1);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_use(NULL, 0, situ_ones(SHAPE(1)), SHAPE(1)));
}

TEST_IN_SCOPE(parameters_live_where_they_are_put)
{
    if (situ_num_gpus() < 2) SKIP("set SITU_SIM_GPUS=2");
    float on[3][15];
    situ_module *net = situ_linear_layer(5, .bias = false);
    situ_module_to(net, situ_gpu(1));
    CHECK_FAILS(SITU_BAD_DEVICE, situ_module_call(net, situ_ones(SHAPE(2, 3))));
    situ_tensor *y = situ_module_call(net, situ_ones(SHAPE(2, 3), .device = situ_gpu(1)));
    CHECK(situ_device_equal(situ_device_of(y), situ_gpu(1)));
    CHECK(situ_device_equal(situ_device_of(situ_module_parameter(net, 0)), situ_gpu(1)));
    situ_read(situ_module_parameter(net, 0), on[0], sizeof *on);
    situ_device both[] = {situ_gpu(0), situ_gpu(1)};
    situ_module_mirror(net, both, 2);
    for (int i = 0; i < 2; i++) {
        situ_tensor *copy = situ_module_copy(net, 0, both[i]);
        CHECK(situ_device_equal(situ_device_of(copy), both[i]));
        situ_read(copy, on[i + 1], sizeof *on);
        CHECK(!memcmp(on[0], on[i + 1], sizeof *on));
        y = situ_module_call(net, situ_ones(SHAPE(2, 3), .device = both[i]));
        CHECK(situ_device_equal(situ_device_of(y), both[i]));
    }
    CHECK_FAILS(SITU_BAD_DEVICE, situ_module_copy(net, 0, situ_cpu()));
    both[1] = both[0];
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_mirror(net, both, 2));
    situ_module_free(net);
    net = situ_linear_layer(5, .bias = false); /* the same first values on any device */
    situ_module_call(net, situ_ones(SHAPE(2, 3)));
    situ_read(situ_module_parameter(net, 0), on[1], sizeof *on);
    CHECK(!memcmp(on[0], on[1], sizeof *on));
    situ_module_free(net);
}

TEST(parameters_whose_sizes_are_given_exist_before_the_first_call)
{
    IN_SCOPE {
        situ_module *net = situ_sequential(situ_conv2d_layer(4, SHAPE(3), .in = 2), situ_batch_norm_layer(.in = 4), situ_flatten_layer(),
                                           situ_linear_layer(3, .in = 36), situ_layer_norm_layer(.in = 3));
        CHECK_EQ(situ_module_count(net), 10);
        CHECK_EQ(situ_dim(situ_module_find(net, "0.weight"), 1), 2);
        CHECK(!situ_module_trainable(net, 4) && situ_module_trainable(net, 3));
        CHECK_EQ(situ_item(situ_sum(situ_module_find(net, "1.weight"))), 4);
        CHECK_EQ(situ_item(situ_sum(situ_module_find(net, "1.running_mean"))), 0);
        situ_tensor *before = situ_copy_to(situ_module_find(net, "3.weight"), situ_cpu());
        situ_module_call(net, situ_ones(SHAPE(1, 2, 5, 5)));
        CHECK(situ_item(situ_all(situ_equal(before, situ_module_find(net, "3.weight")))));
        CHECK_FAILS(SITU_BAD_SHAPE, situ_module_call(net, situ_ones(SHAPE(1, 3, 5, 5))));
        situ_module_free(net);

        situ_module *one = situ_sequential(situ_linear_layer(3, .in = 36)), *same = situ_sequential(situ_linear_layer(3, .in = 36));
        situ_module_call(same, situ_ones(SHAPE(1, 36))); /* the same values, whether parameters are asked for first or
                                                          * the network is called first */
        CHECK(situ_item(situ_all(situ_equal(situ_module_find(one, "0.weight"), situ_module_find(same, "0.weight")))));
        situ_module_free(one);
        situ_module_free(same);
    }
    IN_SCOPE { /* a network whose parameters were not asked for still goes to its first input's device */
        situ_module *net = situ_sequential(situ_linear_layer(3, .in = 4));
        situ_module_call(net, situ_ones(SHAPE(1, 4), .device = situ_null()));
        CHECK_EQ(situ_module_device(net).kind, SITU_NULL);
        situ_module_free(net);
    }
}

/* ---- large trees: neither making, asking nor freeing grows by the square --------------------------------------------- */

static situ_module *nested(int depth)
{
    situ_module *net = situ_linear_layer(2);
    for (int i = 0; i < depth && net; i++) net = (situ_sequential)(&net, 1, SITU_HERE);
    return net;
}

TEST(modules_may_lie_deep_in_each_other)
{
    situ_module *net = nested(2000);
    IN_SCOPE {
        IS(situ_sum(situ_mul(situ_module_call(net, situ_ones(SHAPE(1, 3))), 0)), "0. f32[]");
        CHECK_EQ(situ_module_count(net), 2);
        CHECK_EQ(strlen(situ_module_name(net, 0)), 2 * 2000 + strlen("weight"));
        CHECK_EQ(situ_module_set_training(net, false), 0);
    }
    situ_module_free(net);
    CHECK_OK();
    CHECK(!nested(100000));
    CHECK(strstr(situ_error_message(), "8000 deep"));
    CHECK_CODE(SITU_BAD_ARGUMENT);
}

TEST(a_module_may_have_many_parts)
{
    situ_module *net = (situ_sequential)(NULL, 0, SITU_HERE);
    for (int i = 0; i < 20000; i++) CHECK_EQ(situ_sequential_add(net, situ_linear_layer(2)), 0);
    CHECK_EQ(situ_module_count(net), 40000);
    CHECK_STR(situ_module_name(net, 39999), "19999.bias");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_adopt(net, "7", situ_relu_layer()));
    CHECK(situ_module_adopt(net, "20001", situ_relu_layer()) == 20000);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_sequential_add(net, situ_relu_layer())); /* its number is in use as a name */
    situ_module_free(net);
}
