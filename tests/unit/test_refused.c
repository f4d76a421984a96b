/* Calls that would silently give a wrong result are refused. */
#include <math.h>

#include <situ/data.h>
#include <situ/grad.h>
#include <situ/nn.h>
#include <situ/optim.h>
#include <situ/random.h>

#include "values.h"

static void labels_are_refused(situ_device device)
{
    static const struct { situ_dtype dtype; int64_t label; } wrong[] = {{SITU_I8, -1}, {SITU_I32, -1}, {SITU_I64, -3}, {SITU_I64, 3}, {SITU_U8, 200}, {SITU_U64, 3}, {SITU_I64, INT32_MIN}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) IN_SCOPE {
        situ_tensor *scores = situ_variable(situ_full(SHAPE(2, 3), 0.5, .device = device));
        situ_tensor *labels = situ_full(SHAPE(2), wrong[i].label, .dtype = wrong[i].dtype, .device = device);
        situ_tensor *loss = situ_cross_entropy(scores, labels), *g;
        CHECK(isnan(situ_item(loss)));
        char text[32];
        snprintf(text, sizeof text, "label %lld", (long long)wrong[i].label);
        if (!CHECK(strstr(situ_error_message(), text))) printf("  %s\n", situ_error_message());
        CHECK_CODE(SITU_BAD_INDEX);
        (situ_grad)(situ_cross_entropy(scores, labels), TENSORS(scores), &g, SITU_HERE);
        situ_item(situ_sum(g));
        CHECK_CODE(SITU_BAD_INDEX);
        situ_release(scores);
    }
}

TEST(a_label_that_is_none_is_named)
{
    labels_are_refused(situ_cpu());
    if (situ_num_gpus()) labels_are_refused(situ_gpu(0));
}

/* The message of what is read says `text`. */
static void says(situ_tensor *t, const char *text)
{
    situ_item(situ_sum(t));
    if (!CHECK(strstr(situ_error_message(), text))) printf("  %s\n  instead of %s\n", situ_error_message(), text);
    CHECK_CODE(SITU_BAD_INDEX);
}

static void places_are_named(situ_device device)
{
    static const situ_dtype dtypes[] = {SITU_I8, SITU_U8, SITU_I32, SITU_I64, SITU_U64};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) IN_SCOPE {
        situ_tensor *index = situ_to(situ_cast(I64(1, 0, 2, 10, 1, 2), dtypes[i]), device), *two = situ_reshape(index, SHAPE(2, 3));
        situ_tensor *scores = situ_full(SHAPE(6, 10), 0.5, .device = device), *x = situ_full(SHAPE(6), 2, .device = device);
        says(situ_cross_entropy(scores, index), "cross_entropy: label 10 in row 3, the network gives 10 scores");
        says(situ_mul(situ_cross_entropy(situ_mul(scores, 2), situ_add(index, 0), .reduction = SITU_NONE), 3), "label 10 in row 3, ");
        says(situ_cross_entropy(situ_reshape(scores, SHAPE(2, 3, 10)), two), "label 10 at [1, 0], the network gives 10 scores");
        says(situ_accuracy(scores, index), "accuracy: label 10 in row 3, the network gives 10 scores");
        says(situ_accuracy(situ_reshape(scores, SHAPE(2, 3, 10)), two), "accuracy: label 10 at [1, 0], ");
        if (i) continue;
        says(situ_take(x, index), "take: index 10 is out of range for an axis of size 6, at [3] of the indices");
        says(situ_take(x, two), "size 6, at [1, 0] of the indices");
        says(situ_gather(scores, situ_reshape(index, SHAPE(6, 1))), "gather: index 10 is out of range for an axis of size 10, at [3, 0] of the indices");
        says(situ_scatter(x, index, x), "scatter: index 10 is out of range for an axis of size 6, at [3] of the indices");
        says(situ_scatter_add(x, index, x), "size 6, at [3] of the indices");
        says(situ_index_add(x, index, x), "size 6, at [3] of the indices");
    }
}

TEST(where_a_bad_index_stands_is_named)
{
    places_are_named(situ_cpu());
    if (situ_num_gpus()) places_are_named(situ_gpu(0));
}

TEST_IN_SCOPE(a_loss_does_not_broadcast)
{
    CHECK_FAILS(SITU_BAD_SHAPE, situ_mse(situ_ones(SHAPE(3, 1)), situ_ones(SHAPE(3))));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_mse(situ_ones(SHAPE(3)), situ_ones(SHAPE(1)), .reduction = SITU_NONE));
    IS(situ_mse(situ_ones(SHAPE(3, 1)), situ_zeros(SHAPE(3, 1))), "1. f32[]");
    IS(situ_mse(situ_ones(SHAPE(3, 1)), 3), "4. f32[]");
}

TEST(a_step_on_a_loss_that_reaches_no_parameter_is_refused)
{
    situ_module *net = situ_linear_layer(2), *other = situ_linear_layer(2);
    situ_optimizer *opt = situ_sgd(net, .lr = 0.1);
    IN_SCOPE {
        situ_tensor *x = situ_ones(SHAPE(4, 3));
        CHECK_EQ(situ_optimizer_step(opt, situ_mean(situ_square(situ_module_call(net, x)))), 0);
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_optimizer_step(opt, situ_full(SHAPE(), 1.0)));
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_optimizer_step(opt, situ_mean(situ_module_call(other, x))));
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_optimizer_step(opt, situ_mean(situ_stop_gradient(situ_module_call(net, x)))));
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_optimizer_step(opt, situ_mean(situ_floor(situ_module_call(net, x)))));
        situ_no_grad(true);
        situ_tensor *unseen = situ_mean(situ_module_call(net, x));
        situ_no_grad(false);
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_optimizer_step(opt, unseen));
        CHECK_EQ(situ_optimizer_steps(opt), 1);
    }
    situ_optimizer_free(opt);
    situ_module_free(net);
    situ_module_free(other);
}

TEST_IN_SCOPE(integers_of_the_widest_ranges_are_made)
{
    int64_t y[64], least = INT64_MAX, most = INT64_MIN;
    CHECK_EQ(situ_read(situ_randint(situ_key(0), SHAPE(64), INT64_MIN, INT64_MAX, .dtype = SITU_I64), y, sizeof y), 0);
    for (int i = 0; i < 64; i++) least = y[i] < least ? y[i] : least, most = y[i] > most ? y[i] : most;
    CHECK(least < INT64_MIN / 2 && most > INT64_MAX / 2);
}

TEST_IN_SCOPE(counts_of_repeat_are_not_negative)
{
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_repeat_each(situ_arange(0, 2, 1), I64(2, -1)));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_repeat_each(situ_arange(0, 2, 1), I64(INT64_MAX, 2)));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_repeat_each(situ_arange(0, 2, 1), I64(2, 1, 1)));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_repeat(situ_arange(0, 2, 1), -1));
    IS(situ_repeat_each(situ_arange(0, 2, 1), I64(2, 0)), "[0, 0] i64[2]");
}

TEST(shares_and_counts_are_within_their_range)
{
    static const double wrong[] = {-0.1, 1.5, NAN, INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) IN_SCOPE {
        situ_tensor *x = situ_ones(SHAPE(2, 3)), *scale = situ_ones(SHAPE(3)), *shift = situ_zeros(SHAPE(3));
        CHECK_FAILS(SITU_BAD_OPTION, situ_batch_norm(x, scale, shift, .momentum = wrong[i]));
        CHECK_FAILS(SITU_BAD_OPTION, situ_batch_norm_layer(.momentum = wrong[i]));
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_bernoulli(situ_key(0), wrong[i], SHAPE(2)));
        if (i == 0 || i == 1) continue;
        CHECK_FAILS(SITU_BAD_OPTION, situ_var(x, .correction = wrong[i]));
        CHECK_FAILS(SITU_BAD_OPTION, situ_layer_norm_layer(.eps = wrong[i]));
    }
    IN_SCOPE {
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_permutation(situ_key(0), -1));
        IS(situ_permutation(situ_key(0), 0), "[] i64[0]");
        IS(situ_bernoulli(situ_key(0), 1, SHAPE(2)), "[true, true] bool[2]");
    }
}

/* For a tensor, whose elements are not known yet, the dtype decides: a fraction would be truncated, an integer would
 * wrap. */
TEST_IN_SCOPE(what_is_scattered_is_held_by_the_dtype_of_what_it_changes)
{
    situ_tensor *first = situ_zeros(SHAPE(1), .dtype = SITU_I32), *bytes = situ_ones(SHAPE(2), .dtype = SITU_I8);
    situ_tensor *wrong[] = {F32(0.5), I64(300), situ_complex(F32(1), F32(2))};
    for (int i = 0; i < 3; i++) {
        CHECK_FAILS(SITU_BAD_DTYPE, situ_scatter(bytes, first, wrong[i]));
        CHECK_FAILS(SITU_BAD_DTYPE, situ_scatter_add(bytes, first, wrong[i]));
        CHECK_FAILS(SITU_BAD_DTYPE, situ_index_add(bytes, first, wrong[i]));
    }
    CHECK_FAILS(SITU_BAD_DTYPE, situ_scatter(F32(1, 2), first, wrong[2]));
    IS(situ_scatter(F32(1, 2), first, wrong[1]), "[300., 2.] f32[2]");
    IS(situ_scatter(I64(1, 2), first, situ_full(SHAPE(1), 7, .dtype = SITU_U8)), "[7, 2] i64[2]");
    IS(situ_scatter_add(situ_cast(F32(1, 2), SITU_F16), first, F32(0.5)), "[1.5, 2.] f16[2]");
}

TEST(integers_are_not_raised_to_a_negative_number)
{
    static const situ_dtype dtypes[] = {SITU_I8, SITU_U8, SITU_I32, SITU_I64, SITU_U64};
    for (int i = 0; i < 5; i++) IN_SCOPE {
        CHECK_FAILS(SITU_BAD_NUMBER, situ_pow(situ_full(SHAPE(2), 2, .dtype = dtypes[i]), -1));
        CHECK_FAILS(SITU_BAD_NUMBER, situ_pow(situ_full(SHAPE(2), 2, .dtype = dtypes[i]), -3));
    }
    IN_SCOPE {
        IS(situ_pow(I64(2, 4), -1.0), "[0.5, 0.25] f32[2]");
        IS(situ_pow(F32(2, 4), -1), "[0.5, 0.25] f32[2]");
    }
}

TEST(what_was_recorded_without_gradients_has_none)
{
    for (int computed = 0; computed < 2; computed++) IN_SCOPE {
        situ_tensor *x = F32(1, 2), *v = situ_variable(x), *g;
        bool before = situ_no_grad(true);
        situ_tensor *y = situ_sum(situ_mul(x, v));
        situ_no_grad(before);
        if (computed) situ_eval(TENSORS(y));
        CHECK_FAILS(SITU_NO_GRADIENT, situ_grad(y, TENSORS(x), &g));
        CHECK_FAILS(SITU_NO_GRADIENT, situ_pullback(y, situ_full(SHAPE(), 2.0), TENSORS(v), &g));
        CHECK(!situ_grad(situ_add(y, situ_sum(x)), TENSORS(x), &g)); /* a constant in what has one */
        IS(g, "[1., 1.] f32[2]");
        situ_release(v);
        CHECK_OK();
    }
}

TEST_IN_SCOPE(squares_of_complex_numbers_are_no_loss)
{
    situ_tensor *z = situ_complex(F32(1), F32(2));
    CHECK_FAILS(SITU_BAD_DTYPE, situ_mse(z, z));
    CHECK_FAILS(SITU_BAD_DTYPE, situ_mse(F32(1), z));
}

TEST_IN_SCOPE(a_mask_without_dimensions_gives_eight_at_most)
{
    situ_tensor *x = situ_ones(SHAPE(1, 1, 1, 1, 1, 1, 2)), *all = situ_full(SHAPE(), 1, .dtype = SITU_BOOL);
    CHECK_EQ(situ_shape_of(situ_masked(x, all)).ndim, 8);
    CHECK_OK();
    CHECK_FAILS(SITU_BAD_SHAPE, situ_masked(situ_expand_dims(x, 0), all), "one more than x has, 9; at most 8");
}
