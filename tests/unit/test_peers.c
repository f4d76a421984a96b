/* Bugs that users of other libraries reported, with known right answers. The numbers are those of the reports. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <situ.h>

#include "values.h"

static bool all_finite(situ_tensor *t) { return situ_item(situ_all(situ_isfinite(t))) != 0; }
static situ_tensor *by(situ_tensor *y, situ_tensor *x)
{
    situ_tensor *g = NULL;
    situ_grad(situ_sum(y), TENSORS(x), &g);
    return g;
}

/* pytorch 18215, 23298, 123193: no labels means blanks at every step; no steps and no labels have exactly one
 * alignment. */
TEST_IN_SCOPE(ctc_of_no_labels_and_of_no_steps)
{
    const int32_t labels[] = {1, 1, 2, 2, 1, 2}, none[] = {0, 2}, steps[] = {4, 0};
    situ_tensor *x = situ_log_softmax(situ_normal(situ_key(1), SHAPE(2, 4, 3)));
    situ_tensor *blanks = situ_negative(situ_sum(situ_slice(x, .stop = SHAPE(2, 4, 1)), .axes = AXES(1, 2)));
    situ_tensor *y = situ_from_host(labels, SHAPE(2, 3));
    situ_tensor *zero = situ_zeros(SHAPE(2), .dtype = SITU_I64);
    CHECK(situ_item(situ_allclose(situ_ctc_loss(x, y, .target_lengths = zero, .reduction = SITU_NONE), blanks)));
    CHECK(situ_item(situ_allclose(situ_ctc_loss(x, situ_zeros(SHAPE(2, 0), .dtype = SITU_I64), .reduction = SITU_NONE), blanks)));
    situ_tensor *few = situ_from_host(steps, SHAPE(2));
    IS(situ_slice(situ_ctc_loss(x, y, .input_lengths = few, .target_lengths = situ_from_host(none, SHAPE(2)), .reduction = SITU_NONE),
           .start = SHAPE(1)), "[inf] f32[1]");
    situ_tensor *loss = situ_ctc_loss(x, y, .input_lengths = few, .target_lengths = zero, .reduction = SITU_NONE);
    IS(situ_abs(situ_slice(loss, .start = SHAPE(1))), "[0.] f32[1]");
    situ_tensor *g = by(loss, x);
    CHECK(all_finite(g) && situ_item(situ_sum(situ_abs(situ_slice(g, .start = SHAPE(1))))) == 0);
}

/* pytorch 11551, 116349, 12670. */
TEST_IN_SCOPE(labels_that_are_ignored_have_no_gradient_whatever_the_scores)
{
    const float scores[] = {1, 2, -INFINITY, -INFINITY, NAN, 3, 0, 1};
    const int32_t labels[] = {0, -1, -1, 1}, wrong[] = {0, -1, -4, 1};
    situ_tensor *x = situ_from_host(scores, SHAPE(4, 2)), *y = situ_from_host(labels, SHAPE(4));
    situ_tensor *g = by(situ_cross_entropy(x, y, .ignored = situ_scalar_int(-1)), x);
    CHECK(all_finite(g));
    IS(situ_slice(g, .start = SHAPE(1), .stop = SHAPE(3)), "[[0., 0.],\n [0., 0.]] f32[2,2]");
    situ_tensor *none = situ_full(SHAPE(4), -1, .dtype = SITU_I32);
    IS(situ_cross_entropy(x, none, .ignored = situ_scalar_int(-1)), "nan f32[]");
    IS(situ_cross_entropy(x, none, .ignored = situ_scalar_int(-1), .reduction = SITU_SUM), "0. f32[]");
    situ_item(situ_cross_entropy(x, situ_from_host(wrong, SHAPE(4)), .ignored = situ_scalar_int(-1)));
    CHECK_CODE(SITU_BAD_INDEX);
}

/* pytorch 1381, Flux 1992: the variance of a single value is undefined. */
TEST_IN_SCOPE(batch_norm_of_one_value_keeps_its_variance)
{
    situ_module *norm = situ_batch_norm_layer();
    situ_tensor *x = situ_full(SHAPE(1, 2, 1, 1), 5.0);
    IS(situ_reshape(situ_module_call(norm, x), SHAPE(2)), "[0., 0.] f32[2]");
    IS(situ_module_find(norm, "running_var"), "[1., 1.] f32[2]");
    IS(situ_module_find(norm, "running_mean"), "[0.5, 0.5] f32[2]");
    situ_module_call(norm, situ_reshape(situ_arange(0, 8, 1, .dtype = SITU_F32), SHAPE(1, 2, 2, 2)));
    CHECK(all_finite(situ_module_find(norm, "running_var")) && situ_item(situ_max(situ_module_find(norm, "running_var"))) > 1);
    situ_module_free(norm);
}

/* pytorch 41508: a query to which all keys are masked must not affect other gradients. */
TEST_IN_SCOPE(a_query_without_keys_gives_zeros_and_gradients)
{
    situ_module *m = situ_multihead_attention_layer(4, 2);
    situ_tensor *x = situ_normal(situ_key(2), SHAPE(2, 3, 4)), *y;
    situ_tensor *mask = situ_tril(situ_ones(SHAPE(3, 3), .dtype = SITU_BOOL), -1);
    situ_module_call_n(m, TENSORS(x, x, x, mask), &y, 1);
    situ_tensor *first = situ_reshape(situ_slice(y, .stop = SHAPE(1, 1)), SHAPE(4));
    CHECK(situ_item(situ_array_equal(first, situ_module_find(m, "out_proj.bias")))); /* of zeros */
    for (int i = 0; i < situ_module_count(m); i++) CHECK(all_finite(by(situ_square(y), situ_module_parameter(m, i))));
    situ_module_free(m);
}

typedef situ_optimizer *(*maker)(situ_module *net);
static situ_optimizer *adam(situ_module *net) { return situ_adam(net); }
static situ_optimizer *adamw(situ_module *net) { return situ_adamw(net, .weight_decay = 0); }
static situ_optimizer *adagrad(situ_module *net) { return situ_adagrad(net); }
static situ_optimizer *rmsprop(situ_module *net) { return situ_rmsprop(net); }
static situ_optimizer *adamax(situ_module *net) { return situ_adamax(net); }
static situ_optimizer *nadam(situ_module *net) { return situ_nadam(net); }
static situ_optimizer *radam(situ_module *net) { return situ_radam(net); }
static situ_optimizer *adadelta(situ_module *net) { return situ_adadelta(net); }
static situ_optimizer *adafactor(situ_module *net) { return situ_adafactor(net); }
static situ_optimizer *muon(situ_module *net) { return situ_muon(net, .weight_decay = 0); }
static situ_optimizer *lbfgs(situ_module *net) { return situ_lbfgs(net); }

static situ_tensor *scaled(situ_module *m, situ_tensor *x, void *self)
{
    (void)self;
    return situ_mul(situ_module_use(m, 0, x, SHAPE(3), .value = 1), x);
}

/* optax 1754, 1789, chainer 6299: an eps of 1e-8 is 0 in f16, and 0 / 0 is NaN. */
TEST(parameters_of_half_precision_stay_numbers)
{
    static const situ_module_kind kind = {.name = "scaled", .forward = scaled};
    const maker makers[] = {adam, adamw, adagrad, rmsprop, adamax, nadam, radam, adadelta, adafactor, muon, lbfgs};
    for (int half = 0; half < 2; half++)
        for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
            IN_SCOPE {
                situ_dtype dtype = half ? SITU_BF16 : SITU_F16;
                situ_module *net = situ_module_custom(&kind, NULL);
                situ_module_declare(net, "w");
                situ_optimizer *opt = makers[i](net);
                for (int k = 0; k < 3; k++) situ_optimizer_step(opt, situ_sum(situ_module_call(net, situ_zeros(SHAPE(3), .dtype = dtype))));
                CHECK(situ_item(situ_array_equal(situ_cast(situ_module_find(net, "w"), SITU_F32), situ_ones(SHAPE(3)))));
                situ_optimizer_step(opt, situ_sum(situ_module_call(net, situ_ones(SHAPE(3), .dtype = dtype))));
                CHECK(all_finite(situ_module_find(net, "w")));
                situ_optimizer_free(opt);
                situ_module_free(net);
            }
}

/* pytorch 45357, 36977, 57178: no window starts outside of the input. */
TEST_IN_SCOPE(pools_that_round_up_have_no_window_outside)
{
    situ_tensor *x = situ_normal(situ_key(3), SHAPE(1, 1, 6, 7));
    situ_tensor *most = situ_max_pool2d(x, SHAPE(1), .stride = 2, .ceil = true), *mean = situ_avg_pool2d(x, SHAPE(1), .stride = 2, .ceil = true);
    CHECK(situ_dim(most, 2) == 3 && situ_dim(most, 3) == 4 && situ_item(situ_array_equal(most, mean)));
    CHECK(situ_dim(situ_max_pool2d(situ_ones(SHAPE(1, 1, 8, 10)), SHAPE(3), .stride = 4, .ceil = true), 2) == 2);
    CHECK(all_finite(most));
}

/* pytorch 40971, 174025: the rate stays at its minimum after the end of the cosine; 0 steps are allowed. */
TEST(a_cosine_stays_at_its_end)
{
    situ_module *net = situ_linear_layer(1);
    situ_optimizer *opt = situ_sgd(net);
    CHECK(!situ_schedule_cosine(opt, 5, .least = 0.1));
    for (int t = 5; t < 20; t++) CHECK_EQ(situ_schedule_at(opt, t), 0.1);
    CHECK(fabs(situ_schedule_at(opt, 2) - (0.1 + 0.9 * (1 + cos(M_PI * 0.4)) / 2)) < 1e-12);
    CHECK_FAILS(SITU_BAD_OPTION, situ_schedule_cosine(opt, 0));
    situ_optimizer_free(opt);
    situ_module_free(net);
}

/* tensorflow 22048, keras 14075: gradients of 0 stay 0, and the norm of large gradients does not overflow. */
TEST(clipping_survives_all_sizes)
{
    static const situ_module_kind kind = {.name = "scaled", .forward = scaled};
    const double sizes[] = {0, 1e-30, 1e20, 3e38};
    for (int i = 0; i < 4; i++)
        IN_SCOPE {
            situ_module *net = situ_module_custom(&kind, NULL);
            situ_module_declare(net, "w");
            situ_optimizer *opt = situ_sgd(net, .lr = 1, .clip_norm = 1);
            situ_optimizer_step(opt, situ_sum(situ_mul(situ_module_call(net, situ_ones(SHAPE(3))), sizes[i])));
            situ_tensor *want = situ_full(SHAPE(3), i < 2 ? 1 : 1 - 1 / sqrt(3));
            CHECK(situ_item(situ_allclose(situ_module_find(net, "w"), want)));
            situ_optimizer_free(opt);
            situ_module_free(net);
        }
}

/* keras 7878, 3086: padding after the end of a sequence has no effect, even if the sequence has no elements. */
TEST_IN_SCOPE(a_sequence_of_no_elements_gives_zeros_and_no_gradient)
{
    const int32_t lengths[] = {0, 4, 2};
    situ_module *net = situ_lstm_layer(3, .layers = 2, .bidirectional = true);
    situ_tensor *x = situ_normal(situ_key(5), SHAPE(3, 4, 2)), *out[3], *other[3], *n = situ_from_host(lengths, SHAPE(3));
    situ_module_call_n(net, TENSORS(x, NULL, NULL, n), out, 3);
    situ_tensor *padding = situ_greater_equal(situ_reshape(situ_arange(0, 4, 1), SHAPE(1, 4, 1)), situ_reshape(n, SHAPE(3, 1, 1)));
    situ_module_call_n(net, TENSORS(situ_where(padding, 1e9, x), NULL, NULL, n), other, 3);
    for (int i = 0; i < 3; i++) CHECK(situ_item(situ_array_equal(out[i], other[i])));
    CHECK(situ_item(situ_sum(situ_abs(situ_slice(out[0], .stop = SHAPE(1))))) == 0);
    situ_tensor *g = by(situ_square(out[0]), x);
    CHECK(all_finite(g) && situ_item(situ_sum(situ_abs(situ_where(padding, g, 0)))) == 0);
    situ_module_free(net);
}

/* Losses and activations at infinite and saturated scores. */
TEST_IN_SCOPE(saturated_scores_have_losses_and_gradients)
{
    const float scores[] = {-1e4f, 1e4f, -100, 100}, ends[] = {-INFINITY, INFINITY}, right[] = {0, 1, 0, 1};
    situ_tensor *x = situ_from_host(scores, SHAPE(4)), *y = situ_from_host(right, SHAPE(4)), *inf = situ_from_host(ends, SHAPE(2));
    CHECK(situ_item(situ_max(situ_binary_cross_entropy_with_logits(x, y, .reduction = SITU_NONE))) < 1e-40);
    IS(by(situ_binary_cross_entropy_with_logits(x, situ_sub(1, y), .reduction = SITU_SUM), x), "[-1., 1., -1., 1.] f32[4]");
    y = F32(0.25, 0.25, 0.25, 0.25); /* an infinite, partly wrong score: the loss is infinite, and its gradient sigmoid(x) - y */
    IS(situ_binary_cross_entropy_with_logits(F32(INFINITY, -INFINITY, 200, -200), y, .reduction = SITU_NONE), "[inf, inf, 150., 50.] f32[4]");
    x = F32(INFINITY, -INFINITY, 200, -200);
    IS(by(situ_binary_cross_entropy_with_logits(x, y, .reduction = SITU_SUM), x), "[0.75, -0.25, 0.75, -0.25] f32[4]");
    IS(by(situ_binary_cross_entropy_with_logits(x, y, .pos_weights = F32(2), .reduction = SITU_SUM), x), "[0.75, -0.5, 0.75, -0.5] f32[4]");
    situ_tensor *each[] = {situ_silu(inf), situ_gelu(inf), situ_gelu(inf, .exact = true), situ_mish(inf)};
    for (int i = 0; i < 4; i++) {
        IS(situ_abs(each[i]), "[0., inf] f32[2]");
        IS(situ_abs(by(each[i], inf)), "[0., 1.] f32[2]");
    }
}

/* Arguments that are not probabilities must not give a normal loss. */
TEST(binary_cross_entropy_of_no_probability_is_nan)
{
    const float given[] = {0.5f, NAN, -0.25f, 1.25f, INFINITY, -INFINITY};
    IN_SCOPE {
        for (int target = 0; target < 2; target++) {
            for (int i = 0; i < 6; i++) {
                situ_tensor *loss = situ_binary_cross_entropy(situ_full(SHAPE(1), given[i]), situ_full(SHAPE(1), target));
                CHECK_EQ(isnan(situ_item(loss)) != 0, i > 0);
            }
            situ_tensor *sure = situ_full(SHAPE(1), target);
            CHECK_NEAR(situ_item(situ_binary_cross_entropy(sure, sure)), 0, 0);
            CHECK_NEAR(situ_item(situ_binary_cross_entropy(sure, situ_sub(1, sure))), 100, 0);
        }
    }
}

/* Accuracy uses the class that argmax returns: a NaN comes before all other scores. */
TEST(accuracy_of_nan_scores_is_that_of_argmax)
{
    const float scores[] = {NAN, 1, 0, 3, NAN, 1, 1, 2, 3, NAN, NAN, NAN};
    const int32_t right[] = {1, 0, 2, 1};
    IN_SCOPE {
        situ_tensor *x = situ_from_host(scores, SHAPE(4, 3)), *y = situ_from_host(right, SHAPE(4));
        situ_metric *first = situ_accuracy_metric();
        CHECK_EQ(situ_metric_update(first, x, y), 0);
        CHECK_NEAR(situ_metric_value(first), 0.25, 0);
        CHECK_NEAR(situ_item(situ_accuracy(x, y)), 0.25, 0);
        situ_metric_free(first);
    }
}
