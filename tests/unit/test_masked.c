/* Masked, padded or ignored elements affect no value and no gradient, whatever they are: NaN, infinities, large
 * numbers. */
#include <math.h>
#include <situ/grad.h>
#include <situ/network.h>
#include <situ/nn.h>
#include <situ/sequence.h>

#include "nn/module.h"
#include "support/sim_devices.h"
#include "values.h"

enum { BATCH = 3, TIME = 5, WIDTH = 4, MOST = 64 };
static const double wild[] = {0, 7, NAN, INFINITY, -INFINITY, 1e15};
enum { WILDS = sizeof wild / sizeof *wild };

/* x [batch, time, width], with `filler` in the padding. */
static situ_tensor *padded(situ_tensor *lengths, double filler, situ_device device)
{
    situ_tensor *x = situ_normal(situ_key(3, .device = device), SHAPE(BATCH, TIME, WIDTH));
    situ_tensor *there = situ_less(situ_expand_dims(situ_arange(0, TIME, 1, .device = device), 0), situ_expand_dims(lengths, 1));
    return situ_where(situ_expand_dims(there, 2), x, filler);
}

/* All that must not depend on the padding: the values, then the gradients by the parameters and by x within its
 * lengths. */
typedef int (*tried)(situ_module *m, double filler, situ_device device, situ_tensor **out);

static bool same_bits(situ_tensor *a, situ_tensor *b)
{
    size_t bytes = (size_t)situ_count(a) * 4;
    float *x = malloc(bytes + 1), *y = malloc(bytes + 1);
    bool same = !situ_read(a, x, bytes) && !situ_read(b, y, bytes);
    for (int64_t i = 0; same && i < situ_count(a); i++) same = x[i] == y[i] && isfinite(x[i]);
    free(x), free(y);
    return same;
}

static void try(situ_module *m, tried with, const char *name)
{
    for (int on_gpu = 0; on_gpu < 2; on_gpu++) {
        situ_device device = on_gpu ? sim_device(0) : situ_cpu();
        if (on_gpu && m) situ_module_to(m, device);
        IN_SCOPE {
            situ_tensor *plain[MOST], *out[MOST];
            int n = with(m, wild[0], device, plain);
            for (int k = 1; k < WILDS; k++) {
                CHECK_EQ(with(m, wild[k], device, out), n);
                for (int i = 0; i < n; i++)
                    if (!same_bits(plain[i], out[i])) {
                        char text[160];
                        snprintf(text, sizeof text, "%s on %s: result %d depends on %g behind the mask", name, on_gpu ? "gpu" : "cpu", i, wild[k]);
                        CHECK_STR(situ_failed() ? situ_error_message() : text, "independent");
                        situ_error_take(NULL);
                    }
            }
        }
    }
    situ_module_free(m);
    CHECK_OK();
}

/* The loss of y's rows within the lengths, which is itself a choice. */
static int gradients(situ_module *m, situ_tensor *y, situ_tensor *x, situ_tensor *lengths, situ_tensor **out)
{
    situ_device device = situ_device_of(x);
    situ_tensor *there = situ_less(situ_expand_dims(situ_arange(0, situ_dim(y, 1), 1, .device = device), 0), situ_expand_dims(lengths, 1));
    situ_tensor *wrt[MOST];
    int n = 0, count = (int)situ_module_count(m);
    out[n++] = situ_where(situ_expand_dims(there, 2), y, 0);
    for (int i = 0; i < count; i++) wrt[i] = situ_module_parameter(m, i);
    wrt[count] = x;
    CHECK_EQ(situ_grad(situ_sum(situ_square(out[0])), TENSORS_OF(wrt, count + 1), out + n), 0);
    return n + count + 1;
}

static situ_tensor *lengths_on(situ_device device) { return situ_to(situ_from_host(((int32_t[]){2, 5, 3}), SHAPE(3), .dtype = SITU_I32), device); }

static const char *kind_of(const situ_module *m)
{
    return m->kind->name;
}

static int by_lengths(situ_module *m, double filler, situ_device device, situ_tensor **out)
{
    situ_tensor *lengths = lengths_on(device), *x = padded(lengths, filler, device), *y[4] = {NULL};
    bool lstm = !strcmp(kind_of(m), "lstm"), rnn = lstm || strlen(kind_of(m)) == 3;
    situ_tensor *recurrent[] = {x, NULL, NULL, lengths}, *attention[] = {x, NULL, NULL, NULL, lengths}, *block[] = {x, NULL, lengths};
    situ_tensor **in = rnn ? recurrent : !strcmp(kind_of(m), "multihead_attention") ? attention : block;
    int count = rnn ? 3 + lstm : in == attention ? 5 : 3;
    if (rnn) in[2 + lstm] = lengths;
    if (rnn && !lstm) in[1] = NULL;
    CHECK(situ_module_call_n(m, TENSORS_OF(in, count), y, 4) >= 1);
    return gradients(m, y[0], x, lengths, out);
}

TEST(lengths_end_rows)
{
    try(situ_rnn_layer(3), by_lengths, "rnn");
    try(situ_rnn_layer(3, .relu = true, .bidirectional = true, .layers = 2), by_lengths, "rnn of relu");
    try(situ_gru_layer(3), by_lengths, "gru");
    try(situ_gru_layer(3, .bidirectional = true, .layers = 2), by_lengths, "gru of two layers");
    try(situ_lstm_layer(3), by_lengths, "lstm");
    try(situ_lstm_layer(3, .bidirectional = true, .layers = 2), by_lengths, "lstm of two layers");
    try(situ_multihead_attention_layer(4, 2), by_lengths, "attention");
    try(situ_multihead_attention_layer(4, 2, .causal = true, .kv_heads = 1, .rotary = 100), by_lengths, "causal attention");
    try(situ_transformer_encoder_layer(4, 2, .hidden = 5, .dropout = 0), by_lengths, "encoder");
    try(situ_transformer_encoder_layer(4, 2, .hidden = 5, .dropout = 0, .norm_first = true, .rms = true, .feed = SITU_FEED_SWIGLU), by_lengths,
        "encoder with a norm first");
}

/* Keys are the padded ones, queries are others. */
static int by_mask(situ_module *m, double filler, situ_device device, situ_tensor **out)
{
    static int kind;
    situ_tensor *lengths = lengths_on(device), *x = padded(lengths, filler, device), *y[1], *q = situ_normal(situ_key(4, .device = device), SHAPE(BATCH, 2, WIDTH));
    situ_tensor *there = situ_less(situ_expand_dims(situ_arange(0, TIME, 1, .device = device), 0), situ_expand_dims(lengths, 1));
    situ_tensor *mask = situ_expand_dims(there, 1); /* [batch, 1 query, keys] */
    int n = 0;
    for (kind = 0; kind < 3; kind++) {
        situ_tensor *which = kind == 2 ? situ_where(mask, 0.5, -INFINITY) : mask;
        CHECK_EQ(situ_module_call_n(m, TENSORS(q, x, x, kind ? which : NULL, kind ? NULL : lengths), y, 1), 1);
        n += gradients(m, y[0], x, lengths, out + n);
    }
    return n;
}

/* Queries see keys up to their own place, of which there are more. */
static int by_place(situ_module *m, double filler, situ_device device, situ_tensor **out)
{
    situ_tensor *queries = situ_full(SHAPE(BATCH), 2, .dtype = SITU_I32, .device = device), *x = padded(queries, filler, device), *y[2];
    situ_tensor *q = situ_normal(situ_key(4, .device = device), SHAPE(BATCH, 2, WIDTH));
    CHECK_EQ(situ_module_call_n(m, TENSORS(q, x, x), y, 1), 1);
    int n = gradients(m, y[0], x, queries, out);
    out[n] = situ_attention(q, x, x, .causal = true);
    CHECK_EQ(situ_grad(situ_sum(situ_square(out[n])), TENSORS(q, x), out + n + 1), 0);
    return n + 3;
}

static int by_decoder(situ_module *m, double filler, situ_device device, situ_tensor **out)
{
    situ_tensor *lengths = lengths_on(device), *memory = padded(lengths, filler, device), *y[1], *x = situ_normal(situ_key(4, .device = device), SHAPE(BATCH, 2, WIDTH));
    CHECK_EQ(situ_module_call_n(m, TENSORS(x, memory, NULL, NULL, lengths), y, 1), 1);
    return gradients(m, y[0], memory, lengths, out);
}

TEST(keys_that_no_query_sees)
{
    try(situ_multihead_attention_layer(4, 2, .kv_heads = 1), by_mask, "attention with a mask");
    try(situ_multihead_attention_layer(4, 2, .causal = true), by_place, "causal attention with more keys than queries");
    try(situ_transformer_decoder_layer(4, 2, .hidden = 5, .dropout = 0), by_decoder, "decoder");
}

static int by_label(situ_module *m, double filler, situ_device device, situ_tensor **out)
{
    (void)m;
    int n = 0;
    situ_tensor *labels = situ_to(situ_from_host(((int64_t[]){1, -100, 3}), SHAPE(3), .dtype = SITU_I64), device);
    situ_tensor *x = situ_normal(situ_key(5, .device = device), SHAPE(3, 4)), *w = situ_uniform(situ_key(6, .device = device), SHAPE(4));
    x = situ_where(situ_expand_dims(situ_equal(labels, -100), 1), filler, x);
    for (int kind = 0; kind < 12; kind++) {
        situ_reduction r = (situ_reduction)(kind % 3);
        situ_tensor *weights = kind % 2 ? w : NULL, *ignored = situ_scalar_int(-100);
        out[n] = kind < 6 ? situ_cross_entropy(x, labels, .ignored = ignored, .weights = weights, .reduction = r, .smoothing = kind % 4 ? 0 : 0.1) :
                            situ_nll_loss(x, labels, .ignored = ignored, .weights = weights, .reduction = r);
        CHECK_EQ(situ_grad(situ_sum(out[n]), TENSORS(x, w), out + n + 1), 0);
        n += 2 + (weights != NULL);
        if (n > MOST - 8) break;
    }
    return n;
}

static int by_bag(situ_module *m, double filler, situ_device device, situ_tensor **out)
{
    int n = 0;
    situ_tensor *index = situ_to(situ_from_host(((int64_t[]){1, -1, 3, 2, 2, -1}), SHAPE(2, 3), .dtype = SITU_I64), device);
    situ_tensor *weights = situ_where(situ_equal(index, -1), filler, situ_uniform(situ_key(6, .device = device), SHAPE(2, 3))), *y[1];
    situ_assign_slice(situ_module_parameter(m, 0), situ_full(SHAPE(1, 2), filler, .device = device), SHAPE(0, 0)); /* row 0 is not asked for */
    CHECK_EQ(situ_module_call_n(m, TENSORS(index, weights), y, 1), 1);
    out[n++] = y[0];
    CHECK_EQ(situ_grad(situ_sum(situ_square(y[0])), TENSORS(situ_module_parameter(m, 0), weights), out + n), 0);
    return n + 2;
}

static int by_ctc(situ_module *m, double filler, situ_device device, situ_tensor **out)
{
    (void)m;
    situ_tensor *steps = lengths_on(device), *x = padded(steps, filler, device);
    situ_tensor *labels = situ_to(situ_from_host(((int64_t[]){1, 99, 1, 2, 3, -7}), SHAPE(3, 2), .dtype = SITU_I64), device);
    situ_tensor *count = situ_to(situ_from_host(((int64_t[]){1, 2, 1}), SHAPE(3), .dtype = SITU_I64), device);
    situ_tensor *there = situ_less(situ_expand_dims(situ_arange(0, TIME, 1, .device = device), 0), situ_expand_dims(steps, 1));
    situ_tensor *log_probs = situ_where(situ_expand_dims(there, 2), situ_log_softmax(situ_where(situ_expand_dims(there, 2), x, 0)), filler);
    out[0] = situ_ctc_loss(log_probs, labels, .input_lengths = steps, .target_lengths = count);
    CHECK_EQ(situ_grad(out[0], TENSORS(log_probs), out + 1), 0);
    return 2;
}

TEST(labels_indices_and_steps_that_do_not_count)
{
    try(NULL, by_label, "ignored labels");
    try(situ_embedding_bag_layer(4, 2, .mode = SITU_BAG_SUM), by_bag, "embedding bag");
    try(NULL, by_ctc, "ctc_loss");
}

/* Lengths that are none of a row are told, not read as others. */
TEST(lengths_that_there_are_none_of)
{
    situ_tensor *log_probs = situ_log_softmax(situ_normal(situ_key(1), SHAPE(2, 7, 6)));
    situ_tensor *labels = situ_from_host(((int64_t[]){1, 2, 2, 3, 4, 5}), SHAPE(2, 3));
    float read[1];
    static const int64_t wrong[][2] = {{-1, 3}, {4, 3}}, late[][2] = {{8, 7}, {-1, 7}};
    for (int i = 0; i < 2; i++) {
        CHECK_FAILS(SITU_BAD_INDEX, situ_read(situ_ctc_loss(log_probs, labels, .target_lengths = situ_from_host(wrong[i], SHAPE(2))), read, sizeof read));
        CHECK_FAILS(SITU_BAD_INDEX, situ_read(situ_ctc_loss(log_probs, labels, .input_lengths = situ_from_host(late[i], SHAPE(2))), read, sizeof read));
    }
    CHECK_FAILS(SITU_BAD_INDEX, situ_bincount(situ_values(-1, 2)), "-1");
    CHECK_OK();
}

/* At the last element that places are brought to nothing changes any more; far outside nothing does. */
TEST(slopes_at_the_border_of_an_image)
{
    IN_SCOPE {
        situ_tensor *x = situ_reshape(situ_arange(0, 25, 1, .dtype = SITU_F32), SHAPE(1, 1, 5, 5)), *g;
        situ_tensor *grid = situ_reshape(F32(1, 0, 0.5, 0, 3, 0, 1e38f, 0, INFINITY, 0), SHAPE(1, 1, 5, 2));
        for (int border = 0; border < 2; border++) {
            situ_outside outside = border ? SITU_OUTSIDE_BORDER : SITU_OUTSIDE_ZEROS;
            CHECK_EQ(situ_grad(situ_sum(situ_grid_sample(x, grid, .padding = outside, .align_corners = true)), TENSORS(grid), &g), 0);
            situ_tensor *across = situ_reshape(situ_slice(g, .stop = SHAPE(1, 1, 5, 1)), SHAPE(5));
            IS(across, border ? "[0., 2., 0., 0., 0.] f32[5]" : "[-28., 2., 0., 0., 0.] f32[5]");
        }
    }
    CHECK_OK();
}

/* The first element is what is gathered outside, and then not taken. */
TEST(places_outside_of_an_image)
{
    IN_SCOPE {
        situ_tensor *x = situ_reshape(F32(NAN, 1, 2, 3), SHAPE(1, 1, 2, 2)), *grid = situ_reshape(F32(5, 5, 1, 1, INFINITY, 0), SHAPE(1, 1, 3, 2)), *g[2];
        situ_tensor *y = situ_grid_sample(x, grid);
        IS(situ_reshape(y, SHAPE(3)), "[0., 0.75, 0.] f32[3]");
        CHECK_EQ(situ_grad(situ_sum(y), TENSORS(x, grid), g), 0);
        IS(situ_reshape(g[0], SHAPE(4)), "[0., 0., 0., 0.25] f32[4]");
        IS(situ_reshape(situ_slice(g[1], .stop = SHAPE(SITU_FULL, SITU_FULL, 2)), SHAPE(4)), "[0., 0., -1.5, -1.5] f32[4]");
    }
    CHECK_OK();
}
