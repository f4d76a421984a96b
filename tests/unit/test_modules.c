/* Containers, modules of several inputs and results, networks that change, first values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "values.h"

static bool has_word(const char *word)
{
    situ_error e;
    situ_error_take(&e);
    if (!strstr(e.message, word)) printf("    the message is \"%s\"\n", e.message);
    return strstr(e.message, word) != NULL;
}

/* (x + y, x - y or x); counts how often it is copied and freed. */
static int live;
static int sum_and_difference(situ_module *m, situ_list in, situ_tensor **out, void *self)
{
    (void)self;
    situ_tensor *y = in.count > 1 && in.tensor[1] ? in.tensor[1] : situ_module_use(m, 0, in.tensor[0], SHAPE(), .value = 1);
    out[0] = situ_add(in.tensor[0], y);
    out[1] = situ_sub(in.tensor[0], y);
    return 2;
}
static void *copied(const void *self)
{
    live++;
    return (void *)(uintptr_t)self;
}
static void released(void *self)
{
    (void)self;
    live--;
}
static const situ_module_kind both_kind = {.name = "both", .forward_n = sum_and_difference, .inputs = "x, y?", .copy = copied, .release = released};
static situ_module *both(void)
{
    live++;
    situ_module *m = situ_module_custom(&both_kind, &live);
    situ_module_declare(m, "one");
    return m;
}

TEST_IN_SCOPE(a_module_takes_and_gives_several_tensors)
{
    situ_module *net = situ_sequential(both(), both());
    situ_tensor *out[3];
    CHECK_EQ(situ_module_call_n(net, TENSORS(situ_full(SHAPE(2), 5), situ_full(SHAPE(2), 3)), out, 3), 2);
    CHECK_NEAR(situ_item(situ_select(out[0], 0, 0)), 10, 0); /* (5 + 3) + (5 - 3) */
    CHECK_NEAR(situ_item(situ_select(out[1], 0, 0)), 6, 0);
    CHECK_NEAR(situ_item(situ_module_call(situ_module_child(net, 0), situ_full(SHAPE(), 5))), 6, 0);
    CHECK_EQ(situ_module_call_n(net, TENSORS(situ_full(SHAPE(2), 5), NULL), out, 1), 2);
    situ_module_call_n(net, TENSORS(situ_ones(SHAPE()), situ_ones(SHAPE()), situ_ones(SHAPE())), out, 2);
    CHECK(has_word("takes the inputs x, y?, not 3 inputs"));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_call_n(net, TENSORS(NULL, situ_ones(SHAPE())), out, 2), "the first input is NULL");
    situ_module_free(net);
    CHECK_EQ(live, 0);
}

TEST_IN_SCOPE(containers_add_join_and_list)
{
    situ_tensor *x = situ_normal(situ_key(0), SHAPE(4, 6)), *out[2];
    situ_module *net = situ_residual(situ_linear_layer(6));
    situ_tensor *y = situ_module_call(net, x), *z = situ_add(x, situ_module_call(situ_module_child(net, 0), x));
    CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(y, z)))), 0, 0);
    situ_module_free(net);
    net = situ_residual(situ_linear_layer(5));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_module_call(net, x), "adds f32[4,5]");
    situ_module_free(net);
    net = situ_parallel(SITU_PARTS(situ_linear_layer(2), situ_linear_layer(3)), .join = SITU_JOIN_CONCAT);
    CHECK_EQ(situ_dim(situ_module_call(net, x), 1), 5);
    situ_module_free(net);
    net = situ_parallel(SITU_PARTS(situ_linear_layer(2), situ_linear_layer(3)));
    CHECK_EQ(situ_module_call_n(net, TENSORS(x), out, 2), 2);
    CHECK_EQ(situ_dim(out[1], 1), 3);
    situ_module_free(net);
    net = situ_module_dict((const char *[]){"a", "b"}, SITU_PARTS(situ_linear_layer(2), situ_module_list(SITU_PARTS(situ_relu_layer()))));
    CHECK_STR(situ_module_name(net, 0), "a.weight");
    CHECK(situ_module_part(net, "b.0") == situ_module_child(situ_module_child(net, 1), 0));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_part(net, "b.1"), "no part \"b.1\"");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_call(net, x), "is a list of modules");
    situ_module_free(net);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_parallel(SITU_PARTS(situ_linear_layer(2), NULL)));
}

TEST_IN_SCOPE(frozen_parameters_stay)
{
    situ_module *net = situ_sequential(situ_linear_layer(4), situ_relu_layer(), situ_linear_layer(1));
    situ_tensor *x = situ_normal(situ_key(0), SHAPE(8, 3));
    situ_optimizer *opt = situ_sgd(net, .lr = 0.1);
    situ_module_call(net, x);
    float before[12], after[12], last[4], moved[4];
    situ_read(situ_module_find(net, "0.weight"), before, sizeof before);
    situ_read(situ_module_find(net, "2.weight"), last, sizeof last);
    CHECK(!situ_module_freeze(situ_module_child(net, 0), true));
    CHECK(!situ_module_trainable(net, 0) && situ_module_trainable(net, 2));
    situ_optimizer_step(opt, situ_mean(situ_square(situ_module_call(net, x))));
    situ_read(situ_module_find(net, "0.weight"), after, sizeof after);
    situ_read(situ_module_find(net, "2.weight"), moved, sizeof moved);
    CHECK(!memcmp(before, after, sizeof before) && memcmp(last, moved, sizeof last));
    CHECK(!situ_module_freeze(net, false));
    situ_optimizer_step(opt, situ_mean(situ_square(situ_module_call(net, x))));
    situ_read(situ_module_find(net, "0.weight"), after, sizeof after);
    CHECK(memcmp(before, after, sizeof before));
    CHECK(!situ_module_freeze(net, true));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_optimizer_step(opt, situ_mean(situ_square(situ_module_call(net, x)))),
                "no trainable parameters");
    situ_optimizer_free(opt);
    situ_module_free(net);
}

TEST_IN_SCOPE(a_decoder_shares_the_embedding)
{
    situ_module *net = situ_sequential(situ_embedding_layer(7, 4), situ_linear_layer(7));
    situ_tensor *index = situ_from_host(((int32_t[]){1, 6, 6}), SHAPE(3));
    CHECK_EQ(situ_module_share(situ_module_child(net, 1), situ_module_child(net, 0)), 1);
    CHECK_EQ(situ_module_count(net), 2);
    CHECK_STR(situ_module_name(net, 0), "0.weight");
    CHECK_STR(situ_module_name(net, 1), "1.bias");
    situ_tensor *y = situ_module_call(net, index), *w = situ_module_parameter(net, 0);
    situ_tensor *z = situ_add(situ_matmul(situ_take(w, index), situ_transpose(w)), situ_module_parameter(net, 1)), *d;
    CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(y, z)))), 0, 0);
    situ_grad(situ_sum(situ_square(y)), TENSORS(w), &d);
    situ_tensor *e;
    situ_grad(situ_sum(situ_square(z)), TENSORS(w), &e);
    CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(d, e)))), 0, 1e-5);
    situ_module *copy = situ_module_clone(net), *old = situ_module_replace(net, "0", situ_embedding_layer(7, 4));
    CHECK_EQ(situ_module_count(copy), 2);
    CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(situ_module_call(copy, index), z)))), 0, 0);
    CHECK_EQ(situ_module_count(net), 3); /* the decoder keeps the old table */
    CHECK_EQ(situ_module_count(old), 1);
    situ_module_free(old);
    CHECK_EQ(situ_dim(situ_module_call(net, index), 1), 7);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_share(situ_module_child(net, 1), situ_module_child(copy, 0)), "two networks");
    situ_module_free(copy);
    situ_module_free(net);
}

TEST(a_part_that_is_replaced_shares_no_more)
{
    for (int called = 0; called < 2; called++) {
        situ_scope *scope = situ_scope_open();
        situ_module *net = situ_sequential(situ_linear_layer(6), situ_embedding_layer(7, 4), situ_linear_layer(7));
        situ_module *part = situ_sequential(situ_module_list(SITU_PARTS(situ_embedding_layer(7, 4))), situ_embedding_layer(7, 4));
        situ_tensor *index = situ_from_host(((int32_t[]){1, 6, 6}), SHAPE(3)), *x = situ_ones(SHAPE(2, 4));
        situ_module_free(situ_module_replace(net, "0", part));
        situ_module_share(situ_module_part(net, "0.1"), situ_module_part(net, "0.0.0"));
        CHECK_EQ(situ_module_share(situ_module_part(net, "2"), situ_module_part(net, "0.1")), 1);
        if (called) situ_module_call(situ_module_part(net, "2"), x);
        situ_module *old = situ_module_replace(net, "0", situ_linear_layer(6));
        CHECK(old == part);
        CHECK_EQ(situ_module_count(net), 5);
        CHECK_EQ(situ_module_count(old), 1); /* inside the old network they are still shared */
        situ_tensor *y = situ_module_call(situ_module_part(net, "2"), x);
        CHECK(situ_item(situ_max(situ_abs(y))) > 0);
        situ_tensor *z = situ_module_call(situ_module_part(old, "1"), index), *w = situ_module_parameter(old, 0);
        situ_assign(w, situ_zeros(SHAPE(7, 4)));
        CHECK_NEAR(situ_item(situ_max(situ_abs(situ_module_call(situ_module_part(old, "0.0"), index)))), 0, 0);
        CHECK(situ_item(situ_max(situ_abs(z))) > 0 && situ_item(situ_max(situ_abs(situ_module_call(situ_module_part(net, "2"), x)))) > 0);
        situ_module *copy = situ_module_clone(old);
        CHECK_EQ(situ_module_count(copy), 1);
        situ_module_free(old);
        CHECK_FAILS(SITU_BAD_SHAPE, situ_module_call(situ_module_part(net, "2"), situ_ones(SHAPE(2, 5))), "layer 2 (linear) has weight [7,4]");
        situ_module_free(copy);
        situ_module_free(net);
        situ_scope_close(scope);
        CHECK_OK();
    }
}

TEST_IN_SCOPE(a_clone_has_the_values_and_goes_its_own_way)
{
    situ_module *net = situ_sequential(situ_linear_layer(4), situ_batch_norm_layer(), situ_residual(situ_linear_layer(4)), both());
    situ_tensor *x = situ_normal(situ_key(0), SHAPE(8, 3));
    situ_module_call(net, x);
    situ_module_set_training(net, false);
    situ_module *copy = situ_module_clone(net), *part = situ_module_clone(situ_module_child(net, 2));
    CHECK_EQ(live, 2);
    CHECK(copy && part && !situ_module_training(copy));
    CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(situ_module_call(copy, x), situ_module_call(net, x))))), 0, 0);
    situ_assign(situ_module_find(copy, "0.bias"), situ_ones(SHAPE(4)));
    CHECK(situ_item(situ_max(situ_abs(situ_sub(situ_module_call(copy, x), situ_module_call(net, x))))) > 0);
    CHECK_STR(situ_module_name(part, 0), "0.weight");
    situ_module_free(part);
    situ_module_free(copy);
    situ_module_free(net);
    CHECK_EQ(live, 0);
}

TEST_IN_SCOPE(a_summary_has_a_line_for_each_part)
{
    situ_module *net = situ_sequential(situ_linear_layer(4), situ_residual(situ_linear_layer(4)));
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    CHECK(!situ_module_summary(net, TENSORS(situ_ones(SHAPE(2, 3))), .file = file));
    fclose(file);
    CHECK(strstr(text, "  1 residual                         [2,4]                                  20"));
    CHECK(strstr(text, "parameters 36, trained 36, 144 B on cpu(0)"));
    free(text);
    situ_module_free(net);
}

TEST_IN_SCOPE(a_summary_leaves_each_part_in_its_mode)
{
    situ_module *net = situ_sequential(situ_linear_layer(4), situ_batch_norm_layer(), situ_dropout_layer(0.5));
    situ_tensor *x = situ_normal(situ_key(0), SHAPE(8, 3));
    FILE *file = fopen("/dev/null", "w");
    situ_module_set_training(situ_module_child(net, 1), false);
    CHECK(!situ_module_summary(net, TENSORS(x), .file = file));
    CHECK(situ_module_training(net) && situ_module_training(situ_module_child(net, 2)));
    CHECK(!situ_module_training(situ_module_child(net, 1)));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_module_summary(net, TENSORS(situ_ones(SHAPE(2, 5))), .file = file));
    CHECK(situ_module_training(net) && !situ_module_training(situ_module_child(net, 1)));
    fclose(file);
    situ_module_free(net);
}

TEST_IN_SCOPE(initializers_have_their_moments)
{
    enum { N = 200 };
    const struct {
        situ_init how;
        double mean, deviation, most;
    } row[] = {{SITU_INIT_CONSTANT, 3, 0, 3}, {SITU_INIT_UNIFORM, 3, 2 / sqrt(3), 5}, {SITU_INIT_NORMAL, 3, 2, 30}, {SITU_INIT_XAVIER_UNIFORM, 0, 2 * sqrt(2. / (N + N / 2)), 1},
        {SITU_INIT_XAVIER_NORMAL, 0, 2 * sqrt(2. / (N + N / 2)), 2}, {SITU_INIT_KAIMING_UNIFORM, 0, 2 / sqrt(N / 2), 1}, {SITU_INIT_KAIMING_NORMAL, 0, 2 / sqrt(N / 2), 2},
        {SITU_INIT_TRUNCATED, 3, 2 * 0.8796256610342398, 7}, {SITU_INIT_ORTHOGONAL, 0, 2 / sqrt(N), 2}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        situ_tensor *t = situ_initial(situ_key(1), SHAPE(N, N / 2), row[i].how, .gain = 2, .value = 3);
        CHECK_NEAR(situ_item(situ_mean(t)), row[i].mean, 0.06);
        CHECK_NEAR(situ_item(situ_std(t)), row[i].deviation, 0.03 * row[i].deviation);
        CHECK(situ_item(situ_max(situ_abs(t))) <= row[i].most);
    }
    situ_tensor *q = situ_initial(situ_key(1), SHAPE(6, 2, 9), SITU_INIT_ORTHOGONAL), *rows = situ_reshape(q, SHAPE(6, 18));
    CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(situ_matmul(rows, situ_transpose(rows)), situ_eye(6))))), 0, 1e-6);
    situ_module *net = situ_sequential(situ_linear_layer(4), situ_linear_layer(2));
    CHECK_EQ(situ_module_initialize(net, "weight", SITU_INIT_CONSTANT, .value = 0.5), 2);
    CHECK_EQ(situ_module_initialize(net, "0.bias", SITU_INIT_CONSTANT, .value = 0.25), 1);
    situ_module_call(net, situ_ones(SHAPE(1, 3)));
    CHECK_NEAR(situ_item(situ_mean(situ_module_find(net, "1.weight"))), 0.5, 0);
    CHECK_NEAR(situ_item(situ_mean(situ_module_find(net, "0.bias"))), 0.25, 0);
    CHECK_EQ(situ_module_initialize(net, "1.weight", SITU_INIT_LAYER), 1);
    CHECK(situ_item(situ_std(situ_module_find(net, "1.weight"))) > 0);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_initialize(net, "gamma", SITU_INIT_EYE), "no parameter is called \"gamma\"");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_initialize(net, "bias", SITU_INIT_EYE), "of matrices");
    situ_module_free(net);
}
