/* Networks whose linear layers are rounded to 8 bits: what they compute, files, what trains beside them, what is
 * refused. */
#include <situ.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "support/training.h"
#include "values.h"

static situ_module *hidden_and_head(int64_t in)
{
    situ_module *net = situ_sequential(situ_linear_layer(48, .in = in), situ_tanh_layer(), situ_linear_layer(10, .bias = false, .in = in ? 48 : 0));
    situ_module_init(net, situ_key(5));
    return net;
}

static bool same(situ_tensor *a, situ_tensor *b) { return situ_item(situ_all(situ_equal(a, b))) == 1; }

TEST_IN_SCOPE(linear_layers_become_rows_of_bytes)
{
    situ_module *net = hidden_and_head(0);
    situ_tensor *x = situ_normal(situ_key(1), SHAPE(33, 70)), *before = situ_module_call(net, x), *w[2], *g;
    for (int i = 0; i < 2; i++) w[i] = situ_quantise(situ_copy_to(situ_module_parameter(net, i ? 2 : 0), situ_cpu()), SITU_Q8_ROWS);
    situ_tensor *b = situ_copy_to(situ_module_find(net, "0.bias"), situ_cpu());
    CHECK_EQ(situ_module_quantise(net), 2);
    situ_tensor *after = situ_module_call(net, x);
    situ_tensor *hidden = situ_tanh(situ_add(situ_quantised_linear(x, w[0], SITU_Q8_ROWS), b));
    CHECK(same(after, situ_quantised_linear(hidden, w[1], SITU_Q8_ROWS)));
    CHECK(situ_item(situ_norm(situ_sub(after, before))) < 0.02 * situ_item(situ_norm(before))); /* `before` reads what it was */
    CHECK_EQ(situ_module_count(net), 3);
    CHECK_STR(situ_module_name(net, 2), "2.weight");
    CHECK_EQ(situ_dtype_of(situ_module_parameter(net, 0)), SITU_U8);
    CHECK_EQ(situ_dim(situ_module_parameter(net, 0), 1), 74);
    CHECK(!situ_module_trainable(net, 0) && situ_module_trainable(net, 1));
    CHECK(!situ_grad(situ_sum(after), TENSORS(x), &g) && situ_item(situ_norm(g)) > 0);
    situ_module *copy = situ_module_clone(net);
    CHECK(same(after, situ_module_call(copy, x)));
    situ_module_free(copy);
    situ_module_free(net);
}

TEST_IN_SCOPE(quantised_networks_are_saved_and_loaded)
{
    const char *path = test_path("rows.safetensors"), *exact = test_path("exact.safetensors");
    situ_module *net = hidden_and_head(0), *other[] = {hidden_and_head(0), hidden_and_head(70), hidden_and_head(70)};
    situ_tensor *x = situ_normal(situ_key(1), SHAPE(5, 70));
    situ_module_call(net, x);
    CHECK_EQ(situ_module_save(net, exact), 0);
    CHECK_EQ(situ_module_quantise(net), 2);
    CHECK_EQ(situ_module_save(net, path), 0);
    situ_module_call(other[2], x);
    situ_module_init(other[2], situ_key(6));
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(situ_module_load(other[i], path), 3);
        CHECK(same(situ_module_call(net, x), situ_module_call(other[i], x)));
        CHECK_EQ(situ_module_load(other[i], path), 3); /* rows into rows */
    }
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_load(net, exact), "0.weight is [48,70] there and [48,74] here");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_load(net, exact),
                "the network is quantised, these values are not: load them before");
    situ_module *wide = hidden_and_head(71);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_load(wide, path), "0.weight is [48,74] there and [48,71] here");
    situ_module_free(wide);
    for (int i = 0; i < 3; i++) situ_module_free(other[i]);
    situ_module_free(net);
}

TEST_IN_SCOPE(a_table_that_is_shared_with_a_quantised_layer_stays_f32)
{
    situ_module *table = situ_embedding_layer(30, 16), *scores = situ_linear_layer(30, .bias = false), *net = situ_sequential(table, scores);
    situ_tensor *x = situ_from_host(((int32_t[]){3, 29}), SHAPE(1, 2)), *before = situ_module_call(net, x), *rows = situ_module_call(table, x);
    CHECK_EQ(situ_module_share(scores, table), 1);
    before = situ_module_call(net, x);
    CHECK_EQ(situ_module_quantise(net), 1);
    CHECK_EQ(situ_module_count(net), 2);
    CHECK(same(rows, situ_module_call(table, x)));
    CHECK(situ_item(situ_norm(situ_sub(situ_module_call(net, x), before))) < 0.02 * situ_item(situ_norm(before)));
    situ_module_free(net);
}

TEST_IN_SCOPE(only_frozen_quantised_layers_are_beside_layers_that_train)
{
    situ_module *net = hidden_and_head(0);
    situ_tensor *x = situ_normal(situ_key(1), SHAPE(5, 70));
    situ_module_call(net, x);
    situ_optimizer *adam = situ_adam(net, .lr = 0.1);
    CHECK_EQ(situ_optimizer_step(adam, situ_mean(situ_square(situ_module_call(net, x)))), 0);
    CHECK_EQ(situ_module_quantise(situ_module_part(net, "0")), 1);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_optimizer_step(adam, situ_mean(situ_square(situ_module_call(net, x)))),
                "0.weight is quantised, which cannot be trained");
    situ_module_freeze(situ_module_part(net, "0"), true);
    situ_tensor *kept = situ_copy_to(situ_module_parameter(net, 0), situ_cpu()), *head = situ_copy_to(situ_module_parameter(net, 2), situ_cpu());
    CHECK_EQ(situ_optimizer_step(adam, situ_mean(situ_square(situ_module_call(net, x)))), 0);
    CHECK(same(kept, situ_module_parameter(net, 0)) && !same(head, situ_module_parameter(net, 2)));
    CHECK_EQ(situ_module_quantise(net), 1);
    situ_optimizer_free(adam);
    situ_module_free(net);
}

TEST_IN_SCOPE(networks_that_cannot_be_quantised_say_so)
{
    situ_module *net = hidden_and_head(0), *none = situ_sequential(situ_relu_layer());
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_quantise(NULL), "situ_module_quantise: the network is NULL");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_quantise(none), "it has no linear layers, and nothing else is quantised");
    CHECK_FAILS(SITU_BAD_SHAPE, situ_module_quantise(net),
                "situ_module_quantise: 0.weight has no shape yet; the first situ_module_call of the network tells it");
    if (situ_num_gpus() < 1) CHECK_EQ(situ_sim_gpus(1), 0);
    situ_module_call(net, situ_zeros(SHAPE(2, 70), .device = situ_gpu(0)));
    CHECK_FAILS(SITU_UNSUPPORTED, situ_module_quantise(net),
                "the network is on gpu(0); numbers of 8 bits are multiplied on the CPU");
    situ_module_to(net, situ_cpu());
    CHECK_EQ(situ_module_quantise(net), 2);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_quantise(net), "its linear layers are quantised already");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_init(net, situ_key(1)),
                "situ_module_init: 0.weight is quantised, which has no first values");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_initialize(net, "weight", SITU_INIT_ORTHOGONAL),
                "situ_module_initialize: 0.weight is quantised");
    CHECK_FAILS(SITU_BAD_SHAPE, situ_module_call(net, situ_zeros(SHAPE(2, 71))), "0 (linear) has weight [48,74]");
    CHECK_FAILS(SITU_BAD_DTYPE, situ_module_call(net, situ_zeros(SHAPE(2, 70), .dtype = SITU_C64)),
                "0 (linear) is quantised and takes real inputs, not c64");
    situ_module_to(net, situ_gpu(0));
    CHECK_FAILS(SITU_UNSUPPORTED, situ_module_call(net, situ_zeros(SHAPE(2, 70), .device = situ_gpu(0))),
                "0 (linear) is quantised, and numbers of 8 bits are multiplied on the CPU, not on gpu(0)");
    CHECK_FAILS(SITU_UNSUPPORTED, situ_module_call(net, situ_zeros(SHAPE(2, 70), .device = situ_gpu(0))),
                "situ_module_to(net, situ_cpu()) moves the network back");
    situ_module_to(net, situ_cpu());
    CHECK(situ_item(situ_all(situ_isfinite(situ_module_call(net, situ_zeros(SHAPE(2, 70)))))) == 1);
    situ_module_free(net);
    situ_module_free(none);
}

/* Each allocation may fail: then no layer is changed. */
TEST_IN_SCOPE(networks_are_quantised_whole_or_not_at_all)
{
    situ_tensor *x = situ_normal(situ_key(1), SHAPE(2, 20));
    int rounded = 0;
    for (int64_t n = 1; !rounded && n < 2000; n++) {
        situ_module *net = hidden_and_head(20);
        situ_tensor *before = situ_module_call(net, x), *after;
        situ_eval(TENSORS(before));
        situ_test_fail_alloc(n);
        rounded = situ_module_quantise(net) > 0;
        situ_test_fail_alloc(0);
        if (!rounded) CHECK_CODE(SITU_NO_MEMORY);
        for (int i = 0; i < 2; i++)
            if (!CHECK_EQ(situ_dtype_of(situ_module_parameter(net, i ? 2 : 0)), rounded ? SITU_U8 : SITU_F32)) printf("  allocation %lld\n", (long long)n);
        after = situ_module_call(net, x);
        CHECK(same(before, after) != rounded);
        situ_module_free(net);
    }
    CHECK(rounded);
}

/* As with f32 weights: halves and integers give f32, f64 gives f64. */
TEST(quantised_layers_give_the_dtype_that_they_gave)
{
    static const situ_dtype dtypes[] = {SITU_F16, SITU_BF16, SITU_F32, SITU_F64, SITU_I32};
    IN_SCOPE {
        situ_module *net = situ_linear_layer(3, .in = 20, .bias = false), *exact = situ_module_clone(net);
        CHECK_EQ(situ_module_quantise(net), 1);
        for (int i = 0; i < 5; i++) {
            situ_tensor *x = situ_cast(situ_full(SHAPE(2, 20), 3), dtypes[i]), *y = situ_module_call(net, x);
            CHECK_EQ(situ_dtype_of(y), situ_dtype_of(situ_module_call(exact, x)));
            CHECK(situ_item(situ_max(situ_abs(situ_sub(y, situ_module_call(exact, x))))) < 0.03);
        }
        situ_module_free(net);
        situ_module_free(exact);
    }
}

TEST(a_quantised_network_knows_the_digits_as_well)
{
    situ_dataset *digits = situ_digits(), *train, *held_out;
    CHECK_EQ(situ_dataset_split(digits, 0, &train, &held_out, .stratified = true), 0);
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(128), situ_relu_layer(), situ_linear_layer(10));
    situ_optimizer *adam = situ_adam(net, .lr = 0.01);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 8);
    CHECK_EQ(situ_trainer_fit(trainer, net, adam, train, held_out), 0);
    double exact = situ_trainer_accuracy(trainer);
    CHECK_EQ(situ_module_quantise(net), 2);
    double rounded = situ_trainer_evaluate(trainer, net, held_out);
    printf("accuracy: f32 %.4f, 8 bits %.4f\n", exact, rounded);
    CHECK(exact > 0.94 && rounded > exact - 0.006); /* two of 360 rows */
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_trainer_fit(trainer, net, adam, train, held_out),
                "1.weight is quantised, which cannot be trained");
    free_training(trainer, adam, net, train, held_out, digits);
}
