/* Copies of every layer are complete: clones, files, mirrors, quantised ones and those of another precision, before and
 * after the first call. The table has a row for each layer of the headers; a test checks that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "support/sim_devices.h"
#include "values.h"
#include "places.h"

static situ_tensor *twice(situ_tensor *x, void *self)
{
    (void)self;
    return situ_mul(x, 2);
}

/* name, inputs (f: floats; i: integers below 7), how it is made */
#define LAYERS(ROW) \
    ROW(linear, "f4,8", situ_linear_layer(5)) \
    ROW(flatten, "f4,2,3", situ_flatten_layer()) \
    ROW(function, "f4,8", situ_function_layer(twice, NULL)) \
    ROW(dropout, "f4,8", situ_dropout_layer(0.5)) \
    ROW(channel_dropout, "f4,6,3", situ_channel_dropout_layer(0.5)) \
    ROW(bilinear, "f4,3 f4,2", situ_bilinear_layer(5)) \
    ROW(rms_norm, "f4,8", situ_rms_norm_layer()) \
    ROW(instance_norm, "f4,3,5", situ_instance_norm_layer()) \
    ROW(group_norm, "f4,4,5", situ_group_norm_layer(2)) \
    ROW(batch_norm, "f4,3", situ_batch_norm_layer()) \
    ROW(layer_norm, "f4,8", situ_layer_norm_layer()) \
    ROW(embedding, "i5", situ_embedding_layer(7, 4)) \
    ROW(embedding_bag, "i5,2", situ_embedding_bag_layer(7, 4)) \
    ROW(relu, "f4,8", situ_relu_layer()) \
    ROW(sigmoid, "f4,8", situ_sigmoid_layer()) \
    ROW(tanh, "f4,8", situ_tanh_layer()) \
    ROW(gelu, "f4,8", situ_gelu_layer()) \
    ROW(silu, "f4,8", situ_silu_layer()) \
    ROW(mish, "f4,8", situ_mish_layer()) \
    ROW(softplus, "f4,8", situ_softplus_layer()) \
    ROW(relu6, "f4,8", situ_relu6_layer()) \
    ROW(softsign, "f4,8", situ_softsign_layer()) \
    ROW(hardswish, "f4,8", situ_hardswish_layer()) \
    ROW(hardsigmoid, "f4,8", situ_hardsigmoid_layer()) \
    ROW(selu, "f4,8", situ_selu_layer()) \
    ROW(log_sigmoid, "f4,8", situ_log_sigmoid_layer()) \
    ROW(tanhshrink, "f4,8", situ_tanhshrink_layer()) \
    ROW(identity, "f4,8", situ_identity_layer()) \
    ROW(celu, "f4,8", situ_celu_layer(0.5)) \
    ROW(hardshrink, "f4,8", situ_hardshrink_layer(0.5)) \
    ROW(softshrink, "f4,8", situ_softshrink_layer(0.5)) \
    ROW(hardtanh, "f4,8", situ_hardtanh_layer(-0.5, 1)) \
    ROW(threshold, "f4,8", situ_threshold_layer(0.1, 20)) \
    ROW(glu, "f4,8", situ_glu_layer(-1)) \
    ROW(leaky_relu, "f4,8", situ_leaky_relu_layer(0.1)) \
    ROW(elu, "f4,8", situ_elu_layer(0.5)) \
    ROW(softmax, "f4,8", situ_softmax_layer(-1)) \
    ROW(log_softmax, "f4,8", situ_log_softmax_layer(-1)) \
    ROW(prelu, "f4,3", situ_prelu_layer(3)) \
    ROW(rnn, "f3,4,6", situ_rnn_layer(5, .relu = true, .layers = 2)) \
    ROW(gru, "f3,4,6", situ_gru_layer(5, .layers = 2, .dropout = 0.5)) \
    ROW(lstm, "f3,4,6", situ_lstm_layer(5, .bidirectional = true)) \
    ROW(multihead_attention, "f2,3,8 f2,5,8 f2,5,8", situ_multihead_attention_layer(8, 2, .dropout = 0.5)) \
    ROW(swiglu, "f4,8", situ_swiglu_layer(12)) \
    ROW(transformer_encoder, "f2,3,8", situ_transformer_encoder_layer(8, 2, .feed = SITU_FEED_SWIGLU, .rms = true)) \
    ROW(transformer_decoder, "f2,3,8 f2,4,8", situ_transformer_decoder_layer(8, 2, .hidden = 12)) \
    ROW(conv1d, "f2,4,9", situ_conv1d_layer(6, SHAPE(3), .groups = 2)) \
    ROW(conv2d, "f2,3,9,8", situ_conv2d_layer(4, SHAPE(3), .bias = false)) \
    ROW(conv3d, "f2,2,5,4,6", situ_conv3d_layer(4, SHAPE(3))) \
    ROW(conv_transpose1d, "f2,3,9", situ_conv_transpose1d_layer(4, SHAPE(3))) \
    ROW(conv_transpose2d, "f2,3,5,4", situ_conv_transpose2d_layer(4, SHAPE(3))) \
    ROW(conv_transpose3d, "f2,2,3,4,3", situ_conv_transpose3d_layer(4, SHAPE(2))) \
    ROW(max_pool1d, "f2,3,9", situ_max_pool1d_layer(SHAPE(2))) \
    ROW(max_pool2d, "f2,3,6,6", situ_max_pool2d_layer(SHAPE(2))) \
    ROW(max_pool3d, "f1,2,4,4,4", situ_max_pool3d_layer(SHAPE(2))) \
    ROW(avg_pool1d, "f2,3,9", situ_avg_pool1d_layer(SHAPE(2))) \
    ROW(avg_pool2d, "f2,3,6,6", situ_avg_pool2d_layer(SHAPE(2))) \
    ROW(avg_pool3d, "f1,2,4,4,4", situ_avg_pool3d_layer(SHAPE(2))) \
    ROW(adaptive_max_pool1d, "f2,3,9", situ_adaptive_max_pool1d_layer(SHAPE(2))) \
    ROW(adaptive_max_pool2d, "f2,3,6,6", situ_adaptive_max_pool2d_layer(SHAPE(2))) \
    ROW(adaptive_max_pool3d, "f1,2,4,4,4", situ_adaptive_max_pool3d_layer(SHAPE(2))) \
    ROW(adaptive_avg_pool1d, "f2,3,9", situ_adaptive_avg_pool1d_layer(SHAPE(2))) \
    ROW(adaptive_avg_pool2d, "f2,3,6,6", situ_adaptive_avg_pool2d_layer(SHAPE(2))) \
    ROW(adaptive_avg_pool3d, "f1,2,4,4,4", situ_adaptive_avg_pool3d_layer(SHAPE(2))) \
    ROW(upsample, "f2,3,4", situ_upsample_layer(SHAPE(2))) \
    ROW(unfold, "f2,3,6,6", situ_unfold_layer(SHAPE(2))) \
    ROW(fold, "f2,12,25", situ_fold_layer(SHAPE(6), SHAPE(2)))

#define MAKE(id, inputs, make) \
    static situ_module *make_##id(void) { return make; }
LAYERS(MAKE)

typedef struct layer {
    const char *name, *inputs;
    situ_module *(*make)(void);
} layer;
#define AS_ROW(id, inputs, make) {#id, inputs, make_##id},
static const layer layers[] = {LAYERS(AS_ROW)};
enum { COUNT = sizeof layers / sizeof *layers, MOST_INPUTS = 3 };

TEST(the_table_has_every_layer_of_the_headers)
{
    static const char *const headers[] = {"nn", "activation", "sequence", "window"};
    int found = 0;
    for (int h = 0; h < 4; h++) {
        char path[1024], line[512];
        snprintf(path, sizeof path, "%s/include/situ/%s.h", SITU_SOURCE_DIR, headers[h]);
        FILE *file = fopen(path, "r");
        if (!CHECK(file)) return;
        while (fgets(line, sizeof line, file)) {
            char *name = strstr(line, "situ_module *situ_"), *end = name ? strstr(name, "_layer(") : NULL;
            if (strncmp(line, "SITU_API", 8) || !end) continue;
            *end = 0;
            int i = 0;
            while (i < COUNT && strcmp(layers[i].name, name + strlen("situ_module *situ_")) != 0) i++;
            if (i == COUNT) printf("    there is no row for %s\n", name);
            CHECK(i < COUNT);
            found++;
        }
        fclose(file);
    }
    CHECK_EQ(found, COUNT);
}

/* "f4,8 i3": two inputs on this device. */
static int inputs_of(const char *text, situ_device device, situ_tensor **in)
{
    int n = 0;
    for (char *at = (char *)(uintptr_t)text; *at; n++) {
        char kind = *at++;
        situ_shape shape = {.ndim = 0};
        for (;; at++) {
            shape.dim[shape.ndim++] = strtol(at, &at, 10);
            if (*at != ',') break;
        }
        situ_tensor *x = situ_normal(situ_key(n + 1, .device = device), shape);
        in[n] = kind == 'f' ? x : situ_cast(situ_floor(situ_mul(situ_sigmoid(x), 7)), SITU_I32);
        at += *at == ' ';
    }
    return n;
}

static int called(situ_module *net, const char *inputs, situ_device device, situ_tensor **out)
{
    situ_tensor *in[MOST_INPUTS];
    int n = inputs_of(inputs, device, in);
    return situ_module_call_n(net, TENSORS_OF(in, n), out, SITU_MODULE_MOST);
}

/* Whether two networks are in the same state: parameters, their names and marks, and the next results. */
static bool same_state(situ_module *a, situ_module *b)
{
    if (!CHECK(a && b) || !CHECK_EQ(situ_module_count(a), situ_module_count(b))) return false;
    bool same = CHECK_EQ(situ_module_training(a), situ_module_training(b));
    for (int i = 0; i < situ_module_count(a) && same; i++) {
        situ_tensor *v = situ_module_parameter(a, i), *w = situ_module_parameter(b, i);
        same = CHECK_STR(situ_module_name(a, i), situ_module_name(b, i)) &&
            CHECK_EQ(situ_module_trainable(a, i), situ_module_trainable(b, i)) && CHECK_EQ(situ_dtype_of(v), situ_dtype_of(w)) &&
            CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(situ_cast(v, SITU_F64), situ_cast(w, SITU_F64))))), 0, 0);
    }
    return same;
}

static bool same_results(situ_module *a, situ_module *b, const char *inputs, situ_device device, double tolerance)
{
    situ_tensor *x[SITU_MODULE_MOST], *y[SITU_MODULE_MOST];
    int n = called(a, inputs, situ_cpu(), x);
    if (!CHECK(n > 0) || !CHECK_EQ(called(b, inputs, device, y), n)) return false;
    bool same = true;
    for (int i = 0; i < n && same; i++)
        same = CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(x[i], situ_to(y[i], situ_cpu()))))), 0, tolerance);
    return same;
}

/* Everything that can be set before the first call: key, mode, initial values, precision, frozen parts. */
static situ_module *set_up(const layer *l)
{
    situ_module *net = situ_sequential(l->make());
    situ_module_init(net, situ_key(5));
    situ_module_set_precision(situ_module_child(net, 0), SITU_BF16);
    situ_module_freeze(situ_module_child(net, 0), true);
    situ_module_initialize(net, "weight", SITU_INIT_NORMAL, .gain = 0.5); /* an error if there is no such parameter */
    if (situ_failed()) situ_error_take(NULL);
    return net;
}

static void clone_one(const layer *l, bool before)
{
    situ_tensor *out[SITU_MODULE_MOST];
    situ_module *net = set_up(l);
    if (!before) called(net, l->inputs, situ_cpu(), out);
    situ_module *copy = situ_module_clone(net), *second = situ_module_clone(copy), *third = situ_module_clone(copy);
    bool same = same_results(net, copy, l->inputs, situ_cpu(), 0) && same_results(net, copy, l->inputs, situ_cpu(), 0) &&
        same_state(net, copy);
    same = same && same_results(second, third, l->inputs, situ_cpu(), 0) && same_state(second, third); /* unchanged */
    situ_module_set_training(net, false);
    situ_module *still = situ_module_clone(net);
    same = same && same_results(net, still, l->inputs, situ_cpu(), 0) && same_state(net, still);
    if (!CHECK(same)) printf("    a clone of %s, %s the first call\n", l->name, before ? "before" : "after");
    situ_module_free(still);
    situ_module_free(third);
    situ_module_free(second);
    situ_module_free(copy);
    situ_module_free(net);
}

TEST(clones_are_whole)
{
    for (int i = 0; i < 2 * COUNT; i++) {
        situ_scope *scope = situ_scope_open();
        clone_one(&layers[i / 2], i % 2);
        situ_scope_close(scope);
    }
}

static bool has_parameters(const layer *l)
{
    situ_module *net = l->make();
    int count = situ_module_count(net);
    situ_module_free(net);
    return count > 0;
}

/* A file into a network that was called, and into one that was not; from that one into another file. */
static void file_one(const layer *l)
{
    situ_tensor *out[SITU_MODULE_MOST];
    char first[512], second[512];
    snprintf(first, sizeof first, "%s", test_path("first.safetensors"));
    snprintf(second, sizeof second, "%s", test_path("second.safetensors"));
    situ_module *net = set_up(l), *made = set_up(l), *fresh = set_up(l), *last = set_up(l);
    called(net, l->inputs, situ_cpu(), out);
    situ_module_set_training(net, false);
    called(made, l->inputs, situ_cpu(), out);
    situ_module *loaded[] = {made, fresh, last};
    bool same = !situ_module_save(net, first);
    for (int i = 0; i < 3 && same; i++) {
        situ_module_set_training(loaded[i], false);
        situ_module_init(loaded[i], situ_key(6));
        same = situ_module_load(loaded[i], i < 2 ? first : second) == situ_module_count(net);
        if (i == 1) same = same && !situ_module_save(fresh, second);
    }
    for (int i = 0; i < 3 && same; i++) same = same_results(net, loaded[i], l->inputs, situ_cpu(), 0) && same_state(net, loaded[i]);
    situ_module *copy = situ_module_clone(net); /* of a network of a file, too */
    same = same && same_results(net, copy, l->inputs, situ_cpu(), 0);
    if (!CHECK(same)) printf("    a file of %s\n", l->name);
    for (int i = 0; i < 3; i++) situ_module_free(loaded[i]);
    situ_module_free(copy);
    situ_module_free(net);
}

TEST(files_are_whole)
{
    for (int i = 0; i < COUNT; i++) {
        situ_scope *scope = situ_scope_open();
        if (has_parameters(&layers[i])) file_one(&layers[i]);
        situ_scope_close(scope);
    }
}

static void clone_of_file(const layer *l)
{
    situ_tensor *out[SITU_MODULE_MOST];
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("loaded.safetensors"));
    situ_module *net = set_up(l), *fresh = set_up(l);
    called(net, l->inputs, situ_cpu(), out);
    bool same = !situ_module_save(net, path) && situ_module_load(fresh, path) >= 0;
    situ_module *copy = same ? situ_module_clone(fresh) : NULL;
    situ_module_set_training(net, false);
    for (int i = 0; copy && i < 2; i++) situ_module_set_training(i ? copy : fresh, false);
    same = same && same_results(net, copy, l->inputs, situ_cpu(), 0) && same_results(net, fresh, l->inputs, situ_cpu(), 0) &&
        same_state(fresh, copy);
    if (!CHECK(same)) printf("    a clone of %s, loaded and not called\n", l->name);
    situ_module_free(copy);
    situ_module_free(fresh);
    situ_module_free(net);
}

TEST(clones_of_what_a_file_gave_are_whole)
{
    for (int i = 0; i < COUNT; i++) {
        situ_scope *scope = situ_scope_open();
        if (has_parameters(&layers[i])) clone_of_file(&layers[i]);
        situ_scope_close(scope);
    }
}

/* Mirrored before or after the first call; a clone of that. */
static void mirror_one(const layer *l, bool before)
{
    situ_tensor *out[SITU_MODULE_MOST];
    situ_device both[] = {situ_cpu(), sim_device(0)};
    situ_module *net = situ_sequential(l->make());
    situ_module_init(net, situ_key(5));
    if (before) situ_module_mirror(net, both, 2);
    called(net, l->inputs, situ_cpu(), out);
    if (!before) situ_module_mirror(net, both, 2);
    situ_module_freeze(net, true);
    situ_module_set_training(net, false);
    situ_module *copy = situ_module_clone(net);
    bool same = CHECK_EQ(situ_module_devices(copy, NULL, 0), 2) && same_state(net, copy);
    if (strcmp(l->name, "batch_norm")) same = same && same_results(net, copy, l->inputs, both[1], 1e-4);
    for (int i = 0; i < situ_module_count(net) && same; i++)
        same = CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(situ_module_copy(net, i, both[1]), situ_module_copy(copy, i, both[1]))))), 0, 0);
    if (!CHECK(same)) printf("    a mirror of %s, %s the first call\n", l->name, before ? "before" : "after");
    situ_module_free(copy);
    situ_module_free(net);
}

TEST(mirrors_are_whole)
{
    for (int i = 0; i < 2 * COUNT; i++) {
        situ_scope *scope = situ_scope_open();
        mirror_one(&layers[i / 2], i % 2);
        situ_scope_close(scope);
    }
}

static void quantise_one(const layer *l)
{
    situ_tensor *out[SITU_MODULE_MOST];
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("bytes.safetensors"));
    situ_module *net = set_up(l), *fresh = set_up(l);
    called(net, l->inputs, situ_cpu(), out);
    situ_module_set_training(net, false);
    situ_module_set_training(fresh, false);
    if (situ_module_quantise(net) < 0) {
        situ_error_take(NULL);
    } else {
        situ_module *copy = situ_module_clone(net);
        bool same = same_results(net, copy, l->inputs, situ_cpu(), 0) && same_state(net, copy) && !situ_module_save(copy, path) &&
            situ_module_load(fresh, path) >= 0 && same_results(net, fresh, l->inputs, situ_cpu(), 0) && same_state(net, fresh);
        if (!CHECK(same)) printf("    %s, quantised\n", l->name);
        situ_module_free(copy);
    }
    situ_module_free(fresh);
    situ_module_free(net);
}

TEST(quantised_copies_are_whole)
{
    for (int i = 0; i < COUNT; i++) {
        situ_scope *scope = situ_scope_open();
        quantise_one(&layers[i]);
        situ_scope_close(scope);
    }
}
