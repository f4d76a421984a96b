/* Layers: attention, norms, dropout of parts of a batch, lengths, windows. tests/python/test_layers.py has PyTorch's
 * values. */
#include <math.h>
#include <stdio.h>
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

TEST_IN_SCOPE(a_query_that_sees_nothing_gets_zeros_and_no_nan)
{
    situ_module *m = situ_multihead_attention_layer(4, 2, .bias = false);
    situ_tensor *x = situ_normal(situ_key(1), SHAPE(2, 3, 4)), *y, *d, *w;
    situ_tensor *lengths = situ_from_host(((int32_t[]){0, 2}), SHAPE(2));
    CHECK_EQ(situ_module_call_n(m, TENSORS(x, NULL, NULL, NULL, lengths), &y, 1), 1);
    CHECK_NEAR(situ_item(situ_max(situ_abs(situ_select(y, 0, 0)))), 0, 0);
    CHECK(situ_item(situ_max(situ_abs(situ_select(y, 0, 1)))) > 0);
    w = situ_module_find(m, "in_proj_weight");
    situ_grad(situ_sum(situ_square(y)), TENSORS(w), &d);
    CHECK(isfinite(situ_item(situ_sum(d))));
    situ_module_free(m);
}

TEST_IN_SCOPE(a_cache_gives_what_all_positions_give)
{
    enum { N = 6, MOST = 8 };
    situ_module *m = situ_multihead_attention_layer(8, 4, .kv_heads = 2, .causal = true, .rotary = 10000);
    situ_tensor *x = situ_normal(situ_key(1), SHAPE(1, N, 8)), *all = situ_module_call(m, x), *out[3];
    situ_tensor *k = situ_zeros(SHAPE(1, 2, MOST, 2)), *v = k;
    for (int i = 0; i < N; i++) {
        situ_tensor *at = situ_full(SHAPE(), i, .dtype = SITU_I32);
        situ_tensor *one = situ_slice(x, .start = SHAPE(SITU_FULL, i), .stop = SHAPE(SITU_FULL, i + 1));
        CHECK_EQ(situ_module_call_n(m, TENSORS(one, NULL, NULL, NULL, NULL, k, v, at), out, 3), 3);
        CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(situ_select(out[0], 1, 0), situ_select(all, 1, i))))), 0, 1e-6);
        k = out[1];
        v = out[2];
    }
    situ_module_free(m);
}

TEST_IN_SCOPE(norms_of_groups_have_mean_0_and_variance_1)
{
    situ_tensor *x = situ_add(situ_mul(situ_normal(situ_key(1), SHAPE(2, 6, 5)), 3), 7);
    situ_module *net[] = {situ_group_norm_layer(2), situ_instance_norm_layer()};
    for (int i = 0; i < 2; i++) {
        situ_tensor *y = situ_reshape(situ_module_call(net[i], x), i ? SHAPE(12, 5) : SHAPE(4, 15));
        CHECK_NEAR(situ_item(situ_max(situ_abs(situ_mean(y, .axes = AXES(1))))), 0, 1e-6);
        CHECK_NEAR(situ_item(situ_max(situ_var(y, .axes = AXES(1)))), 1, 1e-4);
        CHECK_EQ(situ_module_count(net[i]), i ? 0 : 2);
        situ_module_free(net[i]);
    }
    situ_module *rms = situ_rms_norm_layer();
    CHECK_NEAR(situ_item(situ_mean(situ_square(situ_module_call(rms, x)))), 1, 1e-5);
    situ_module_free(rms);
}

TEST_IN_SCOPE(whole_channels_are_dropped)
{
    situ_module *m = situ_channel_dropout_layer(0.5);
    situ_tensor *y = situ_module_call(m, situ_ones(SHAPE(4, 32, 3, 3))), *sums = situ_sum(y, .axes = AXES(2, 3));
    CHECK_NEAR(situ_item(situ_sum(situ_logical_or(situ_equal(sums, 0), situ_equal(sums, 18)))), 128, 0);
    double share = situ_item(situ_mean(situ_cast(situ_equal(sums, 0), SITU_F32)));
    CHECK(share > 0.3 && share < 0.7);
    situ_module_set_training(m, false);
    CHECK_NEAR(situ_item(situ_mean(situ_module_call(m, situ_ones(SHAPE(4, 32, 3))))), 1, 0);
    situ_module_free(m);
}

TEST_IN_SCOPE(layers_of_sequences_refuse_what_does_not_fit)
{
    situ_module *m = situ_lstm_layer(4);
    situ_tensor *x = situ_ones(SHAPE(2, 3, 4)), *out[3];
    CHECK_FAILS(SITU_BAD_SHAPE, situ_module_call(m, situ_ones(SHAPE(2, 4))), "takes floats of [batch, time, width], not f32[2,4]");
    CHECK_FAILS(SITU_BAD_SHAPE, situ_module_call_n(m, TENSORS(x, situ_ones(SHAPE(1, 3, 4))), out, 3),
                "must be [1,2,4]: layers, batch, width");
    CHECK_FAILS(SITU_BAD_SHAPE, situ_module_call_n(m, TENSORS(x, NULL, NULL, situ_ones(SHAPE(2))), out, 3),
                "integers of [2], one for each row");
    situ_module_free(m);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_gru_layer(4, .dropout = 1));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_multihead_attention_layer(5, 2), "heads divide the width");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_transformer_encoder_layer(4, 3));
    m = situ_transformer_decoder_layer(4, 2);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_call(m, x), "takes the inputs x, memory, mask?");
    situ_module_free(m);
}

/* The results for rows 0 ... 3 of a batch, and for rows 0, 1 and 2, 3 of it. */
static void check_cut(situ_module *m, situ_tensor *x)
{
    situ_tensor *whole = situ_module_call(m, x, .step = 1), *part[2];
    for (int i = 0; i < 2; i++) {
        situ_tensor *rows = situ_slice(x, .start = SHAPE(2 * i), .stop = SHAPE(2 * i + 2));
        part[i] = situ_module_call(m, rows, .first = 2 * i, .of = 4, .step = 1);
    }
    CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(situ_concat(TENSORS_OF(part, 2), .axis = 0), whole)))), 0, 1e-6);
    situ_module_set_training(m, false);
    CHECK(situ_item(situ_max(situ_abs(situ_sub(situ_module_call(m, x), whole)))) > 0.01);
    situ_module_free(m);
}

TEST_IN_SCOPE(any_cut_of_a_batch_drops_the_same)
{
    situ_tensor *x = situ_normal(situ_key(1), SHAPE(4, 3, 6));
    check_cut(situ_channel_dropout_layer(0.5), x);
    check_cut(situ_multihead_attention_layer(6, 2, .dropout = 0.5), x);
    check_cut(situ_lstm_layer(6, .layers = 3, .dropout = 0.5), x);
    check_cut(situ_transformer_encoder_layer(6, 2, .dropout = 0.5), x);
}

/* Positions of all rows, one below the other, through a dropout: child 0. */
static situ_tensor *forward_words(situ_module *m, situ_tensor *x, void *self)
{
    (void)self;
    int64_t rows = situ_dim(x, 0), words = situ_dim(x, 1), width = situ_dim(x, 2);
    situ_tensor *y = situ_module_call(situ_module_child(m, 0), situ_reshape(x, SHAPE(rows * words, width)));
    return situ_reshape(y, SHAPE(rows, words, width));
}

TEST_IN_SCOPE(dropout_takes_words_as_rows)
{
    static const situ_module_kind words = {.name = "words", .forward = forward_words};
    situ_module *m = situ_module_custom(&words, NULL);
    situ_module_adopt(m, "dropout", situ_dropout_layer(0.5));
    check_cut(m, situ_normal(situ_key(1), SHAPE(4, 3, 6)));
}

TEST_IN_SCOPE(states_and_lengths_have_any_dtype)
{
    enum { LONG = 300 }; /* more than a u8 counts */
    situ_module *m = situ_lstm_layer(3);
    situ_tensor *x = situ_normal(situ_key(1), SHAPE(2, LONG, 4)), *out[3], *other[3];
    situ_tensor *h = situ_normal(situ_key(2), SHAPE(1, 2, 3)), *c = situ_normal(situ_key(3), SHAPE(1, 2, 3));
    static const int64_t lengths[] = {LONG, 200};
    situ_tensor *many = situ_from_host(lengths, SHAPE(2), .dtype = SITU_I64);
    CHECK_EQ(situ_module_call_n(m, TENSORS(x, h, c, many), out, 3), 3);
    CHECK_EQ(situ_module_call_n(m, TENSORS(x, situ_cast(h, SITU_F64), c, many), other, 3), 3);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(situ_dtype_of(other[i]), SITU_F32);
        CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(out[i], other[i])))), 0, 0);
    }
    situ_tensor *few = situ_from_host(((uint8_t[]){200, 100}), SHAPE(2), .dtype = SITU_U8);
    CHECK_EQ(situ_module_call_n(m, TENSORS(x, NULL, NULL, few), out, 3), 3);
    CHECK_EQ(situ_module_call_n(m, TENSORS(x, NULL, NULL, situ_cast(few, SITU_I64)), other, 3), 3);
    CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(out[0], other[0])))), 0, 0);
    situ_module_free(m);
}

static situ_tensor *scaled(situ_tensor *x, void *self) { return situ_mul(x, *(const double *)self); }
static situ_tensor *nothing(situ_tensor *x, void *self)
{
    (void)x, (void)self;
    return NULL;
}

TEST(a_function_is_a_layer)
{
    double three = 3;
    situ_scope *s = situ_scope_open();
    situ_module *net = situ_sequential(situ_function_layer(scaled, &three), situ_relu_layer());
    situ_module *copy = situ_module_clone(net);
    situ_tensor *x = situ_from_host(((float[]){-1, 2}), SHAPE(2)), *y = situ_module_call(net, x), *g;
    CHECK(!situ_grad(situ_sum(y), TENSORS(x), &g));
    CHECK(situ_item(situ_sum(y)) == 6 && situ_item(situ_sum(g)) == 3 && situ_item(situ_sum(situ_module_call(copy, x))) == 6);
    situ_module_free(net);
    situ_module_free(copy);

    CHECK(!situ_function_layer(NULL, NULL) && has_word("the function is NULL"));
    net = situ_function_layer(nothing, NULL);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_module_call(net, x), "gave NULL");
    situ_module_free(net);
    situ_scope_close(s);
}

static bool has_shape(const situ_tensor *t, situ_shape shape)
{
    bool same = situ_ndim(t) == shape.ndim;
    for (int i = 0; same && i < shape.ndim; i++) same = situ_dim(t, i) == shape.dim[i];
    return same;
}
#define CHECK_SHAPE(t, ...) CHECK(has_shape(t, SHAPE(__VA_ARGS__)))

TEST_IN_SCOPE(layers_over_windows_find_their_sizes)
{
    situ_module *net = situ_sequential(situ_conv1d_layer(6, SHAPE(3), .padding = 1, .groups = 3), situ_max_pool1d_layer(SHAPE(2)),
        situ_conv_transpose1d_layer(4, SHAPE(5), .stride = 2, .output_padding = 1, .groups = 2), situ_upsample_layer(SHAPE(3), .mode = SITU_LINEAR),
        situ_adaptive_avg_pool1d_layer(SHAPE(7)), situ_avg_pool1d_layer(SHAPE(3), .stride = 2, .padding = 1, .count_padding = false));
    situ_tensor *y = situ_module_call(net, situ_normal(situ_key(1), SHAPE(2, 3, 8)));
    CHECK_SHAPE(y, 2, 4, 4);
    CHECK_SHAPE(situ_module_find(net, "0.weight"), 6, 1, 3);
    CHECK_SHAPE(situ_module_find(net, "2.weight"), 6, 2, 5);
    CHECK_SHAPE(situ_module_find(net, "2.bias"), 4);
    CHECK(situ_item(situ_max(situ_abs(situ_module_find(net, "0.weight")))) <= 1 / sqrt(3));
    CHECK(situ_item(situ_max(situ_abs(situ_module_find(net, "2.weight")))) <= 1 / sqrt(10));
    situ_module_free(net);
    net = situ_sequential(situ_conv3d_layer(4, SHAPE(1, 2, 3)), situ_max_pool3d_layer(SHAPE(1, 2, 1)), situ_conv_transpose3d_layer(2, SHAPE(2)),
        situ_avg_pool3d_layer(SHAPE(2)), situ_adaptive_max_pool3d_layer(SHAPE(3, 1, 2)));
    CHECK_SHAPE(situ_module_call(net, situ_normal(situ_key(1), SHAPE(2, 3, 4, 5, 6))), 2, 2, 3, 1, 2);
    CHECK_SHAPE(situ_module_find(net, "2.weight"), 4, 2, 2, 2, 2);
    situ_module_free(net);
    net = situ_sequential(situ_unfold_layer(SHAPE(2, 3), .stride = 2), situ_fold_layer(SHAPE(6, 7), SHAPE(2, 3), .stride = 2));
    CHECK_SHAPE(situ_module_call(net, situ_ones(SHAPE(2, 3, 6, 7))), 2, 3, 6, 7);
    situ_module_free(net);
    net = situ_conv_transpose2d_layer(3, SHAPE(2), .in = 4);
    CHECK_SHAPE(situ_module_parameter(net, 0), 4, 3, 2, 2); /* before a call */
    situ_module_free(net);
}

TEST_IN_SCOPE(layers_over_windows_refuse_what_makes_no_sense)
{
    CHECK(!situ_conv1d_layer(0, SHAPE(3)) && has_word("situ_conv1d_layer: 0 outputs"));
    CHECK(!situ_conv2d_layer(4, SHAPE(3), .groups = 3) && has_word(".groups = 3"));
    CHECK(!situ_conv_transpose2d_layer(4, SHAPE(3), .groups = 2, .in = 3) && has_word("equal groups"));
    CHECK(!situ_conv3d_layer(4, SHAPE(1, 2)) && has_word("the size of the kernel is one number or one for each of depth"));
    CHECK(!situ_conv3d_layer(4, SHAPE(INT32_MAX), .in = 4) && has_word("a shape of more than 2^63 bytes"));
    CHECK(!situ_conv2d_layer(4, SHAPE(3), .padding = -1) && has_word(".padding is"));
    CHECK(!situ_conv2d_layer(4, SHAPE(3), .stride = 0) && has_word(".stride is"));
    CHECK(!situ_conv2d_layer(4, SHAPE(3), .padding = SITU_SAME, .stride = SHAPE(1, 2)) && has_word("so its stride is 1"));
    CHECK(!situ_conv2d_layer(4, SHAPE(3), .padding_mode = (situ_pad_mode)7) && has_word(".padding_mode = 7"));
    CHECK(!situ_conv_transpose2d_layer(4, SHAPE(3), .padding = SITU_SAME) && has_word(".padding is"));
    CHECK(situ_conv2d(situ_ones(SHAPE(1, 1, 4, 4)), situ_ones(SHAPE(1, 1, 3, 3)), .padding = SITU_SAME, .stride = 2) && has_word("SITU_SAME"));
    CHECK(!situ_max_pool2d_layer(SHAPE(2), .dilation = 0) && has_word(".dilation is"));
    CHECK(situ_max_pool2d(situ_ones(SHAPE(4, 4)), SHAPE(3), .dilation = 2, .ceil = true) && has_word("does not fit into"));
    CHECK(!situ_max_pool3d_layer(SHAPE(0)) && has_word("situ_max_pool3d_layer: the size of windows"));
    CHECK(!situ_adaptive_avg_pool2d_layer(SHAPE(2, 0)) && has_word("the size of results"));
    CHECK(!situ_upsample_layer(SHAPE(0)) && has_word("the factor is"));
    CHECK(!situ_upsample_layer(SHAPE(2), .align_corners = true) && has_word(".align_corners = 1"));
    CHECK(!situ_unfold_layer(SHAPE(2), .dilation = 0) && has_word(".dilation is"));
    CHECK(!situ_fold_layer(SHAPE(0, 2), SHAPE(2)) && has_word("the size of images"));
    CHECK(!situ_layer_norm_layer(.shape = SHAPE(2, 0)) && has_word(".shape"));
    CHECK(!situ_layer_norm_layer(.shape = SHAPE(2, 3), .in = 5) && has_word("multiply to .in"));
    CHECK(!situ_celu_layer(0) && has_word("situ_celu_layer: alpha is a finite number other than 0"));
    CHECK(!situ_hardtanh_layer(1, 1) && has_word("less than the second"));
    CHECK(!situ_softshrink_layer(-1) && has_word("bound is at least 0"));
    situ_module *net = situ_glu_layer(-1);
    CHECK(situ_module_call(net, situ_ones(SHAPE(2, 3))) && has_word("two equal halves"));
    situ_module_free(net);
    net = situ_layer_norm_layer(.shape = SHAPE(2, 3));
    CHECK(situ_module_call(net, situ_ones(SHAPE(3))) && has_word("the sizes that it normalises"));
    CHECK_SHAPE(situ_module_call(net, situ_ones(SHAPE(4, 2, 3))), 4, 2, 3);
    situ_module_free(net);
    net = situ_conv1d_layer(4, SHAPE(3), .groups = 2);
    CHECK(situ_module_call(net, situ_ones(SHAPE(3, 8))) && has_word("(conv1d) takes [batch, channels, length], not"));
    CHECK(situ_module_call(net, situ_ones(SHAPE(2, 3, 8))) && has_word("takes channels in equal groups, not"));
    CHECK_SHAPE(situ_module_call(net, situ_ones(SHAPE(2, 4, 8))), 2, 4, 6); /* what was refused has made no weight */
    situ_module_free(net);
    net = situ_upsample_layer(SHAPE(2, 2));
    CHECK(situ_module_call(net, situ_ones(SHAPE(2, 3, 8))) && has_word("as many axes more as it has factors"));
    situ_module_free(net);
}
