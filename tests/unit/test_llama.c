/* Llama models: token by token, files, adapters, quantised weights. tests/python/test_models.py has the formula. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <situ.h>

#include "base/memory.h"
#include "graph/record.h"

#include "test.h"

enum { LAYERS = 2, WIDTH = 32, HEADS = 4, GROUPS = 2, HEAD = WIDTH / HEADS, HIDDEN = 48, TOKENS = 40, PLACES = 21 };

static situ_module *small(bool tied)
{
    situ_module *m = situ_llama(.layers = LAYERS, .width = WIDTH, .heads = HEADS, .kv_heads = GROUPS, .hidden = HIDDEN,
        .vocabulary = TOKENS, .rope_base = 100, .epsilon = 1e-3, .tied = tied);
    situ_scope *scope = situ_scope_open();
    situ_module_initialize(m, "weight", SITU_INIT_NORMAL, .gain = 0.3); /* norms as well: each weight matters */
    situ_module_init(m, situ_key(5));
    situ_scope_close(scope);
    return m;
}

static int32_t token(int i) { return (i * 17 + i * i) % TOKENS; }

static situ_tensor *some_tokens(int first, int count)
{
    int32_t t[PLACES];
    for (int i = 0; i < count; i++) t[i] = token(first + i);
    return situ_from_host(t, SHAPE(1, count), .dtype = SITU_I32);
}

/* ---- step by step ----------------------------------------------------------------------------------------------------------- */

/* Steps of these sizes give the same logits for each step's last position as the whole sequence does. */
static void steps_agree(situ_device device, const int *size, int steps)
{
    static float whole[PLACES][TOKENS], y[TOKENS];
    situ_scope *scope = situ_scope_open();
    situ_module *m = small(true);
    situ_module_to(m, device);
    situ_read(situ_module_call(m, situ_to(some_tokens(0, PLACES), device)), whole, sizeof whole);
    CHECK_EQ(situ_llama_begin(m, .context = PLACES), 0);
    for (int i = 0, at = 0; i < steps; at += size[i++]) {
        CHECK_EQ(situ_llama_position(m), at);
        situ_read(situ_llama_step(m, situ_to(some_tokens(at, size[i]), device)), y, sizeof y);
        for (int k = 0; k < TOKENS; k++) CHECK_NEAR(y[k], whole[at + size[i] - 1][k], 1e-4);
    }
    situ_llama_step(m, situ_to(some_tokens(0, 1), device));
    situ_error error;
    CHECK_EQ(situ_error_take(&error), SITU_BAD_ARGUMENT);
    CHECK(strstr(error.message, "more than the context of 21"));
    CHECK_EQ(situ_llama_begin(m, .context = PLACES), 0);
    situ_read(situ_llama_step(m, situ_to(some_tokens(0, 3), device)), y, sizeof y);
    for (int k = 0; k < TOKENS; k++) CHECK_NEAR(y[k], whole[2][k], 1e-4);
    situ_scope_close(scope);
    situ_module_free(m);
    CHECK_OK();
}

TEST(steps_give_what_the_whole_gives)
{
    steps_agree(situ_cpu(), (const int[]){1, 1, 1, 2, 16}, 5);
    steps_agree(situ_cpu(), (const int[]){17, 1, 1, 1, 1}, 5);
    steps_agree(situ_cpu(), (const int[]){PLACES}, 1);
    steps_agree(situ_gpu(0), (const int[]){5, 1, 15}, 3);
}

TEST(a_failed_step_is_not_gone_on_from)
{
    const int32_t wrong[1] = {TOKENS};
    float y[TOKENS];
    situ_module *m = small(true);
    for (int gpu = 0; gpu < 2; gpu++) {
        situ_scope *scope = situ_scope_open();
        situ_device device = gpu ? situ_gpu(0) : situ_cpu();
        situ_module_to(m, device);
        CHECK_EQ(situ_llama_begin(m, .context = 9), 0);
        situ_read(situ_llama_step(m, situ_to(some_tokens(0, 3), device)), y, sizeof y);
        situ_read(situ_llama_step(m, situ_from_host(wrong, SHAPE(1, 1), .device = device)), y, sizeof y);
        CHECK_CODE(SITU_BAD_INDEX);
        CHECK_FAILS(SITU_BAD_ARGUMENT, situ_llama_step(m, situ_to(some_tokens(3, 1), device)), "a step before this one failed");
        CHECK_EQ(situ_llama_begin(m, .context = 9), 0);
        situ_read(situ_llama_step(m, situ_to(some_tokens(0, 3), device)), y, sizeof y);
        situ_read(situ_llama_step(m, situ_to(some_tokens(3, 1), device)), y, sizeof y);
        situ_scope_close(scope);
        CHECK_OK();
    }
    situ_module_free(m);
}

/* A key/value cache of several parts, and steps that are not read before the next one. */
TEST_IN_SCOPE(a_long_memory_is_put_together_from_parts)
{
    enum { LONG = 600 };
    static float whole[LONG][TOKENS], y[TOKENS];
    static int32_t t[LONG];
    for (int i = 0; i < LONG; i++) t[i] = (int32_t)((unsigned)i * 2654435761u >> 20) % TOKENS;
    situ_module *m = small(true);
    situ_read(situ_module_call(m, situ_from_host(t, SHAPE(1, LONG), .dtype = SITU_I32)), whole, sizeof whole);
    CHECK_EQ(situ_llama_begin(m, .context = LONG + 7), 0);
    situ_tensor *logits = situ_llama_step(m, situ_from_host(t, SHAPE(1, LONG - 4), .dtype = SITU_I32));
    for (int i = LONG - 4; i < LONG; i++) logits = situ_llama_step(m, situ_from_host(t + i, SHAPE(1, 1), .dtype = SITU_I32));
    situ_read(logits, y, sizeof y);
    for (int k = 0; k < TOKENS; k++) CHECK_NEAR(y[k], whole[LONG - 1][k], 1e-4);
    situ_module_free(m);
}

TEST_IN_SCOPE(texts_side_by_side_do_not_see_each_other)
{
    float y[2][TOKENS], alone[TOKENS];
    const int32_t both[2][3] = {{1, 2, 3}, {7, 8, 9}};
    situ_module *m = small(false);
    CHECK_EQ(situ_llama_begin(m, .context = 8, .batch = 2), 0);
    situ_read(situ_llama_step(m, situ_from_host(both, SHAPE(2, 3), .dtype = SITU_I32)), y, sizeof y);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(situ_llama_begin(m, .context = 8), 0);
        situ_read(situ_llama_step(m, situ_from_host(both[i], SHAPE(1, 3), .dtype = SITU_I32)), alone, sizeof alone);
        for (int k = 0; k < TOKENS; k++) CHECK_NEAR(y[i][k], alone[k], 1e-5);
    }
    situ_module_free(m);
}

/* ---- training and adapters ------------------------------------------------------------------------------------------------- */

static double loss_of(situ_module *m, situ_optimizer *optimizer)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = some_tokens(0, PLACES - 1), *target = some_tokens(1, PLACES - 1);
    situ_tensor *loss = situ_cross_entropy(
        situ_reshape(situ_module_call(m, x), SHAPE(PLACES - 1, TOKENS)), situ_reshape(target, SHAPE(PLACES - 1)));
    double value = situ_item(loss);
    situ_optimizer_step(optimizer, loss);
    situ_scope_close(scope);
    return value;
}

TEST_IN_SCOPE(an_adapter_changes_nothing_at_first_and_learns_alone)
{
    static float before[PLACES][TOKENS], y[PLACES][TOKENS], table[2][TOKENS * WIDTH];
    situ_module *m = small(true);
    situ_read(situ_module_call(m, some_tokens(0, PLACES)), before, sizeof before);
    situ_read(situ_module_find(m, "model.embed_tokens.weight"), table[0], sizeof table[0]);
    CHECK_EQ(situ_llama_adapt(m, 4, .alpha = 8), 2 * LAYERS);
    situ_read(situ_module_call(m, some_tokens(0, PLACES)), y, sizeof y);
    CHECK(!memcmp(before, y, sizeof y));
    situ_optimizer *adam = situ_adam(m, .lr = 0.05);
    double first = loss_of(m, adam), last = 0;
    for (int i = 0; i < 100; i++) last = loss_of(m, adam);
    if (!CHECK(last < 0.7 * first)) printf("%g %g\n", first, last);
    situ_read(situ_module_find(m, "model.embed_tokens.weight"), table[1], sizeof table[1]);
    CHECK(!memcmp(table[0], table[1], sizeof table[0]));
    situ_read(situ_module_call(m, some_tokens(0, PLACES)), y, sizeof y);
    const char *path = test_path("adapted.safetensors");
    CHECK_EQ(situ_llama_save(m, path), 0);
    situ_module *again = situ_llama_open(path);
    situ_read(situ_module_call(again, some_tokens(0, PLACES)), before, sizeof before);
    for (int t = 0; t < PLACES; t++)
        for (int i = 0; i < TOKENS; i++) CHECK_NEAR(before[t][i], y[t][i], 1e-4);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_llama_adapt(m, 4));
    situ_optimizer_free(adam);
    situ_module_free(m);
    situ_module_free(again);
}

TEST(a_file_gives_the_same_model_back)
{
    static float y[2][PLACES][TOKENS];
    for (int tied = 0; tied < 2; tied++) {
        situ_scope *scope = situ_scope_open();
        situ_module *m = small(tied);
        const char *path = test_path(tied ? "tied.safetensors" : "llama.safetensors");
        CHECK_EQ(situ_llama_save(m, path, .shard_bytes = tied ? 5000 : 0), 0);
        CHECK_EQ(access(path, F_OK) != 0, tied); /* shards with an index instead */
        situ_module *again = situ_llama_open(path);
        for (int i = 0; i < situ_module_count(again); i++) { /* a vector holds no pages of the file, and is changed in place */
            situ_tensor *t = situ_module_parameter(again, i);
            CHECK_EQ(situ_slot_of(t)->buffer->borrowed, situ_ndim(t) > 1);
        }
        situ_read(situ_module_call(m, some_tokens(0, PLACES)), y[0], sizeof *y);
        situ_read(situ_module_call(again, some_tokens(0, PLACES)), y[1], sizeof *y);
        CHECK(!memcmp(y[0], y[1], sizeof *y));
        situ_scope_close(scope);
        situ_module_free(m);
        situ_module_free(again);
    }
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------------------- */

TEST(wrong_use_of_a_model_is_told)
{
    CHECK_FAILS(SITU_BAD_OPTION, situ_llama(.width = 30, .heads = 4), "heads divide the width");
    CHECK_FAILS(SITU_BAD_OPTION, situ_llama(.heads = 4, .kv_heads = 3), "4 heads, 3 of keys and values");
    situ_module *m = small(true), *other = situ_linear_layer(3);
    situ_scope *scope = situ_scope_open();
    CHECK_FAILS(SITU_BAD_SHAPE, situ_module_call(m, situ_zeros(SHAPE(1, 3))), "takes integers of [batch, count]");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_llama_step(other, some_tokens(0, 1)), "the network is no model of the Llama family");
    CHECK_FAILS(SITU_BAD_SHAPE, situ_llama_step(m, situ_zeros(SHAPE(2, 3), .dtype = SITU_I32)),
                "must be integers of [1, at least 1]");
    CHECK_FAILS(SITU_BAD_OPTION, situ_llama_begin(m, .context = 0), "texts of 0 tokens");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_llama_adapt(m, 0), "rank 0");
    const char *part = test_path("part.safetensors");
    CHECK_EQ(situ_save(part, TENSORS(situ_ones(SHAPE(4, 4))), .names = "model.embed_tokens.weight",
        .metadata = "general.architecture=llama\nsplit.count=3"), 0);
    CHECK_FAILS(SITU_UNSUPPORTED, situ_llama_open(part),
                "it is one of the files of a model that was split; join them; there are 3");
    CHECK_EQ(situ_save(part, TENSORS(situ_ones(SHAPE(4, 4))), .names = "a.lora_A.weight", .metadata = "rank=4\nalpha=8"), 0);
    CHECK_FAILS(SITU_BAD_FORMAT, situ_llama_open(part), "has no table of tokens; it is an adapter, not a model");
    CHECK_FAILS(SITU_BAD_OPTION, situ_llama_save(m, "x.safetensors", .shard_bytes = -1), "situ_llama_save: .shard_bytes");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_llama_save(m, NULL), "no file is named");
    CHECK_FAILS(SITU_IO, situ_llama_open(test_path("nowhere.gguf")));
    const char *path = test_path("plain.safetensors");
    CHECK(!situ_module_save(other, path) || CHECK_CODE(SITU_BAD_SHAPE));
    CHECK_EQ(situ_save(path, TENSORS(situ_ones(SHAPE(2))), .names = "x", .metadata = "general.architecture=gemma"), 0);
    CHECK_FAILS(SITU_UNSUPPORTED, situ_llama_open(path), "a model of another family: gemma");
    CHECK_EQ(situ_save(path, TENSORS(situ_ones(SHAPE(2))), .names = "x", .metadata = "general.architecture=llama"), 0);
    CHECK_FAILS(SITU_BAD_FORMAT, situ_llama_open(path), "has no table of tokens");
    situ_scope_close(scope);
    situ_module_free(m);
    situ_module_free(other);
}

/* ---- Hugging Face's files -------------------------------------------------------------------------------------------------- */

static situ_module *with_config(situ_module *m, const char *more)
{
    char path[512], config[1024];
    snprintf(path, sizeof path, "%s", test_path("config.json"));
    snprintf(config, sizeof config, "{\"model_type\": \"llama\", \"num_hidden_layers\": %d, \"hidden_size\": %d, "
        "\"num_attention_heads\": %d, \"num_key_value_heads\": %d, \"intermediate_size\": %d, \"rms_norm_eps\": 1e-3, "
        "\"vocab_size\": %d%s%s}", LAYERS, WIDTH, HEADS, GROUPS, HIDDEN, TOKENS,
        strstr(more, "hidden_act") ? "" : ", \"hidden_act\": \"silu\"", more);
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(config, f) >= 0 && !fclose(f));
    snprintf(path, sizeof path, "%s", test_path("hugging.safetensors"));
    CHECK(situ_module_save(m, path) >= 0);
    return situ_llama_open(path);
}

TEST_IN_SCOPE(a_config_is_read_or_refused_by_name)
{
    static float y[2][PLACES][TOKENS];
    static const char *const fine[] = {", \"rope_theta\": 100, \"rope_scaling\": null, \"sliding_window\": null",
        ", \"rope_parameters\": {\"rope_type\": \"default\", \"rope_theta\": 100.0}, \"partial_rotary_factor\": 1.0",
        ", \"rope_theta\": 100, \"sliding_window\": 8, \"use_sliding_window\": false"};
    static const char *const wrong[][2] = {
        {", \"rope_parameters\": {\"rope_type\": \"yarn\", \"rope_theta\": 100}", "a rope_type that is not known here (default, linear and llama3 are): yarn"},
        {", \"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8, \"original_max_position_embeddings\": 16}", "above 0 for low_freq_factor"},
        {", \"rope_scaling\": {\"type\": \"linear\"}", "above 0 for factor"},
        {", \"rope_scaling\": {\"factor\": 2}", "by a factor and does not say how"},
        {", \"rope_parameters\": {\"partial_rotary_factor\": 0.5}", ": partial_rotary_factor"},
        {", \"hidden_act\": \"gelu\"", ": hidden_act"}, {", \"sliding_window\": 8", ": sliding_window"}};
    situ_module *m = small(true);
    situ_read(situ_module_call(m, some_tokens(0, PLACES)), y[0], sizeof *y);
    for (int i = 0; i < 3; i++) {
        situ_module *again = with_config(m, fine[i]);
        if (!CHECK(again)) break;
        situ_read(situ_module_call(again, some_tokens(0, PLACES)), y[1], sizeof *y);
        CHECK(!memcmp(y[0], y[1], sizeof *y));
        situ_module_free(again);
    }
    for (int i = 0; i < 7; i++) {
        CHECK_FAILS(SITU_UNSUPPORTED, with_config(m, wrong[i][0]), wrong[i][1]);
    }
    situ_module_free(m);
}

/* The rule of Llama 3.1: wavelengths 6.3, 19.9, 62.8 and 199 of 64 positions; the reference is transformers'
 * _compute_llama3_parameters. */
TEST_IN_SCOPE(rotary_frequencies_are_scaled)
{
    static const struct scaled {
        const char *config;
        double factor[HEAD / 2];
    } ways[] = {{", \"rope_theta\": 100, \"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8, \"low_freq_factor\": 1, "
                 "\"high_freq_factor\": 4, \"original_max_position_embeddings\": 64}", {1, 1.293975834596038, 7.667385126009767, 8}},
        {", \"rope_theta\": 100, \"rope_scaling\": {\"type\": \"linear\", \"factor\": 4}", {4, 4, 4, 4}}};
    static float y[3][PLACES][TOKENS], factor[HEAD / 2];
    situ_module *m = small(true);
    situ_read(situ_module_call(m, some_tokens(0, PLACES)), y[0], sizeof *y);
    for (int i = 0; i < 2; i++) {
        situ_module *scaled = with_config(m, ways[i].config);
        if (!CHECK(scaled)) break;
        situ_read(situ_module_find(scaled, "model.rotary.factors"), factor, sizeof factor);
        for (int k = 0; k < HEAD / 2; k++) CHECK_NEAR(factor[k], ways[i].factor[k], 1e-6 * factor[k]);
        situ_read(situ_module_call(scaled, some_tokens(0, PLACES)), y[1], sizeof *y);
        CHECK(memcmp(y[0], y[1], sizeof *y));
        CHECK(!memcmp(y[0][0], y[1][0], sizeof y[0][0])); /* position 0 is not rotated */
        const char *path = test_path("scaled.safetensors");
        CHECK_EQ(situ_llama_save(scaled, path), 0);
        situ_module *again = situ_llama_open(path);
        situ_read(situ_module_call(again, some_tokens(0, PLACES)), y[2], sizeof *y);
        CHECK(!memcmp(y[1], y[2], sizeof *y));
        situ_module_free(again);
        situ_module_free(scaled);
    }
    situ_module_free(m);
}

/* Queries, keys and values with a bias, as in Qwen 2, step by step on a device, and from a file. */
TEST_IN_SCOPE(a_model_with_biases_steps_and_is_read_back)
{
    static float y[2][PLACES][TOKENS], last[TOKENS];
    situ_module *m = situ_llama(.layers = LAYERS, .width = WIDTH, .heads = HEADS, .kv_heads = GROUPS, .vocabulary = TOKENS,
        .bias = true, .rope_factors = true);
    situ_module_init(m, situ_key(7));
    situ_module_initialize(m, "bias", SITU_INIT_NORMAL, .gain = 1);
    situ_module_init(m, situ_key(7));
    situ_read(situ_module_call(m, some_tokens(0, PLACES)), y[0], sizeof *y);
    CHECK_EQ(situ_llama_save(m, test_path("bias.safetensors")), 0);
    situ_module *again = situ_llama_open(test_path("bias.safetensors"));
    if (!CHECK(again)) return;
    CHECK_EQ(situ_module_count(again), situ_module_count(m));
    situ_read(situ_module_call(again, some_tokens(0, PLACES)), y[1], sizeof *y);
    CHECK(!memcmp(y[0], y[1], sizeof *y));
    situ_module_to(again, situ_gpu(0));
    CHECK_EQ(situ_llama_begin(again, .context = PLACES), 0);
    situ_llama_step(again, situ_to(some_tokens(0, PLACES - 1), situ_gpu(0)));
    situ_read(situ_llama_step(again, situ_to(some_tokens(PLACES - 1, 1), situ_gpu(0))), last, sizeof last);
    for (int k = 0; k < TOKENS; k++) CHECK_NEAR(last[k], y[0][PLACES - 1][k], 1e-4);
    situ_module_free(again);
    situ_module_free(m);
}

/* It is an index that counts from the end elsewhere, and no token. */
TEST_IN_SCOPE(a_negative_token_is_an_error)
{
    situ_module *m = small(true);
    situ_tensor *y = situ_module_call(m, situ_full(SHAPE(1, 2), -1, .dtype = SITU_I32));
    static float into[2 * TOKENS];
    CHECK(situ_read(y, into, sizeof into) < 0 && CHECK_CODE(SITU_BAD_INDEX));
    situ_module_free(m);
}

TEST(an_adapted_model_is_saved_before_its_first_call)
{
    situ_module *m = situ_llama(.layers = 1, .width = 8, .heads = 2, .vocabulary = 5);
    CHECK_EQ(situ_llama_adapt(m, 2), 2);
    const char *path = test_path("at_once.safetensors");
    CHECK_EQ(situ_llama_save(m, path), 0);
    situ_module *again = situ_llama_open(path);
    CHECK(again);
    situ_module_free(m);
    situ_module_free(again);
}

TEST(a_model_is_adapted_whole_or_not_at_all)
{
    situ_module *m = situ_llama(.layers = 2, .width = 8, .heads = 2, .vocabulary = 5);
    int parameters = situ_module_count(m), adapters = 0;
    for (int n = 1; !adapters; n++) {
        situ_test_fail_alloc(n);
        int rc = situ_llama_adapt(m, 2);
        bool struck = situ_test_fail_struck();
        situ_test_fail_alloc(-1);
        CHECK(rc == 4 || rc == -SITU_NO_MEMORY);
        if (rc > 0) adapters = rc;
        if (rc < 0) situ_error_take(NULL);
        if (!CHECK(struck || adapters)) break;
        CHECK_EQ(situ_module_count(m), parameters + 2 * adapters);
        int trained = 0;
        for (int i = 0; i < situ_module_count(m); i++) trained += situ_module_trainable(m, i);
        CHECK_EQ(trained, adapters ? 2 * adapters : parameters);
    }
    situ_module_free(m);
}

/* ---- drawing ------------------------------------------------------------------------------------------------------------------ */

TEST(tokens_are_drawn_by_their_probabilities)
{
    enum { DRAWS = 4000 };
    const float logits[4] = {0, logf(2), logf(4), logf(1)};
    const double cold[] = {5e-324, 1e-40, 1e-3};
    static int64_t got[DRAWS];
    const struct {
        double temperature, top_p, share[4];
        int64_t top_k;
    } cases[] = {{1, 1, {0.125, 0.25, 0.5, 0.125}, 0}, {0, 1, {0, 0, 1, 0}, 0}, {1, 1, {0, 1 / 3.0, 2 / 3.0, 0}, 2},
        {1, 0.7, {0, 1 / 3.0, 2 / 3.0, 0}, 0}, {1, 0.5, {0, 0, 1, 0}, 0}, {0.5, 1, {1 / 22.0, 4 / 22.0, 16 / 22.0, 1 / 22.0}, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *rows = situ_broadcast_to(situ_from_host(logits, SHAPE(4)), SHAPE(DRAWS, 4));
        situ_tensor *drawn = situ_sample(
            rows, situ_key(3), .temperature = cases[c].temperature, .top_p = cases[c].top_p, .top_k = cases[c].top_k);
        situ_read(drawn, got, sizeof got);
        double count[4] = {0};
        for (int i = 0; i < DRAWS; i++) count[got[i]]++;
        for (int k = 0; k < 4; k++) CHECK_NEAR(count[k] / DRAWS, cases[c].share[k], cases[c].share[k] > 0 && cases[c].share[k] < 1 ? 0.04 : 0);
        situ_scope_close(scope);
    }
    situ_scope *scope = situ_scope_open();
    for (int i = 0; i < 3; i++) /* nearly 0: the largest one, of halves as well */
        for (int half = 0; half < 2; half++) {
            situ_tensor *rows = situ_cast(situ_from_host(logits, SHAPE(4)), half ? SITU_F16 : SITU_F32);
            CHECK_EQ(situ_item_int(situ_sample(situ_mul(rows, 1000), situ_key(i), .temperature = cold[i], .top_p = 0.9)), 2);
            CHECK_EQ(situ_item_int(situ_sample(situ_mul(rows, 1000), situ_key(i), .temperature = cold[i])), 2);
        }
    CHECK_FAILS(SITU_BAD_OPTION, situ_sample(situ_zeros(SHAPE(3)), situ_key(0), .top_p = 0), "top_p 0");
    CHECK_FAILS(SITU_BAD_SHAPE, situ_sample(situ_zeros(SHAPE(3), .dtype = SITU_I32), situ_key(0)),
                "must be floats of [..., vocabulary]");
    situ_scope_close(scope);
}

/* ---- weights in few bits --------------------------------------------------------------------------------------------------------- */

/* Blocks of random bits with moderate scales; and their values by the description of the format. */
static double block_number(situ_block_type type, const uint8_t *block, int i)
{
    uint16_t bits = (uint16_t)(block[0] | block[1] << 8), least_bits = (uint16_t)(block[2] | block[3] << 8);
    double scale = ldexp(1024 + (bits & 1023), (bits >> 10 & 31) - 25) * (bits >> 15 ? -1 : 1);
    double least = ldexp(1024 + (least_bits & 1023), (least_bits >> 10 & 31) - 25) * (least_bits >> 15 ? -1 : 1);
    if (type == SITU_Q8_0) return scale * (int8_t)block[2 + i];
    const uint8_t *q = block + (type == SITU_Q4_1 ? 4 : 2);
    int four = i < 16 ? q[i] & 15 : q[i - 16] >> 4;
    return type == SITU_Q4_0 ? scale * (four - 8) : (double)(float)(scale * four + least);
}

TEST(products_with_blocks_are_those_with_their_numbers)
{
    enum { ROWS = 37, IN = 96, MOST = 11 };
    const int bytes[] = {34, 18, 20};
    for (int type = 0; type < 3; type++)
        for (int rows = 1; rows <= MOST; rows += 5) {
            static uint8_t blocks[ROWS][IN / 32 * 34];
            static float x[MOST][IN], y[MOST][ROWS], w[ROWS][IN], dx[MOST][IN];
            int row = IN / 32 * bytes[type];
            uint8_t *all = &blocks[0][0];
            for (int i = 0; i < ROWS * row; i++) all[i] = (uint8_t)((unsigned)(i + type) * 2654435761u >> 13);
            for (int b = 0; b < ROWS * IN / 32; b++) /* exponents from 2^-6 to 2^1 */
                for (int k = 1; k < (type == SITU_Q4_1 ? 4 : 2); k += 2) all[b * bytes[type] + k] = (all[b * bytes[type] + k] & 0x9f) | 0x24;
            for (int i = 0; i < MOST * IN; i++) (&x[0][0])[i] = (float)(i % 13 - 6) / 4;
            situ_scope *scope = situ_scope_open();
            situ_tensor *w_ = situ_from_host(all, SHAPE(ROWS, row), .dtype = SITU_U8), *x_ = situ_from_host(x, SHAPE(rows, IN)), *g;
            situ_read(situ_dequantise(w_, (situ_block_type)type), w, sizeof w);
            for (int j = 0; j < ROWS; j++)
                for (int k = 0; k < IN; k++)
                    CHECK_NEAR(w[j][k], block_number((situ_block_type)type, all + j * row + k / 32 * bytes[type], k % 32), 0);
            situ_tensor *y_ = situ_quantised_linear(x_, w_, (situ_block_type)type);
            situ_grad(situ_sum(y_), TENSORS(x_), &g);
            situ_read(y_, y, (size_t)rows * sizeof *y);
            situ_read(g, dx, (size_t)rows * sizeof *dx);
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < ROWS; j++) {
                    double sum = 0;
                    for (int k = 0; k < IN; k++) sum += (double)x[i][k] * (double)w[j][k];
                    CHECK_NEAR(y[i][j], sum, 2e-3);
                }
            for (int k = 0; k < IN; k++) {
                double sum = 0;
                for (int j = 0; j < ROWS; j++) sum += (double)w[j][k];
                CHECK_NEAR(dx[rows - 1][k], sum, 2e-3);
            }
            situ_scope_close(scope);
        }
}

TEST(few_rows_by_halves_give_the_bits_of_the_widened_weight)
{
    enum { ROWS = 70, IN = 130 };
    static float x[9][IN], w[ROWS][IN], y[2][9][ROWS], g[2][ROWS][IN];
    for (int i = 0; i < 9 * IN; i++) (&x[0][0])[i] = (float)(i % 29 - 14) / 8;
    for (int i = 0; i < ROWS * IN; i++) (&w[0][0])[i] = (float)((i * 31) % 97 - 48) / 16;
    for (int dtype = SITU_F16; dtype <= SITU_BF16; dtype++)
        for (int rows = 1; rows <= 9; rows += 4) {
            situ_scope *scope = situ_scope_open();
            situ_tensor *x_ = situ_from_host(x, SHAPE(rows, IN)), *half = situ_cast(situ_from_host(w, SHAPE(ROWS, IN)), (situ_dtype)dtype);
            situ_eval(TENSORS(half));
            for (int i = 0; i < 2; i++) {
                situ_tensor *y_ = situ_matmul(x_, situ_transpose(i ? situ_cast(half, SITU_F32) : half)), *g_;
                CHECK_EQ(situ_dtype_of(y_), SITU_F32);
                situ_grad(situ_sum(situ_mul(y_, y_)), TENSORS(half), &g_);
                situ_read(y_, y[i], (size_t)rows * sizeof **y);
                situ_read(situ_cast(g_, SITU_F32), g[i], sizeof *g);
            }
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < ROWS; j++) CHECK_NEAR(y[0][i][j], y[1][i][j], 1e-4 * fabs((double)y[1][i][j]) + 1e-4);
            for (int i = 0; i < ROWS * IN; i++) CHECK_NEAR((&g[0][0][0])[i], (&g[1][0][0])[i], 0.02 * fabs((double)(&g[1][0][0])[i]) + 0.02);
            situ_scope_close(scope);
        }
}

TEST_IN_SCOPE(wrong_blocks_are_told)
{
    CHECK_FAILS(SITU_BAD_SHAPE, situ_dequantise(situ_zeros(SHAPE(2, 33), .dtype = SITU_U8), SITU_Q8_0), "a multiple of 34");
    situ_tensor *bytes = situ_zeros(SHAPE(2, 18), .dtype = SITU_U8);
    CHECK_FAILS(SITU_BAD_SHAPE, situ_quantised_linear(situ_zeros(SHAPE(1, 64)), bytes, SITU_Q4_0), "[rows, in / 32 x 18] bytes");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_dequantise(situ_zeros(SHAPE(2, 34), .dtype = SITU_U8), (situ_block_type)99), "no type 99");
    CHECK_FAILS(SITU_UNSUPPORTED, situ_dequantise(situ_zeros(SHAPE(2, 34), .dtype = SITU_U8, .device = situ_gpu(0)), SITU_Q8_0),
                "on the CPU, not on gpu(0)");
    CHECK_FAILS(SITU_BAD_SHAPE, situ_rotary(situ_zeros(SHAPE(3, 5)), situ_arange(0, 3, 1, .dtype = SITU_I32)), "an even width");
}

TEST_IN_SCOPE(rotary_turns_pairs_and_its_gradient_turns_back)
{
    enum { B = 2, N = 3, H = 2, D = 6 };
    static float x[B * N * H][D], y[B * N * H][D], g[B * N * H][D];
    const int32_t at[N] = {4, 0, 11};
    for (int i = 0; i < B * N * H * D; i++) (&x[0][0])[i] = (float)(i % 7 - 3);
    situ_tensor *x_ = situ_from_host(x, SHAPE(B, N, H, D)), *g_;
    situ_tensor *y_ = situ_rotary(x_, situ_from_host(at, SHAPE(N), .dtype = SITU_I32), .base = 50, .axis = -3);
    situ_grad(situ_sum(situ_mul(y_, situ_stop_gradient(y_))), TENSORS(x_), &g_); /* turned back: x again */
    situ_read(y_, y, sizeof y);
    situ_read(g_, g, sizeof g);
    for (int i = 0; i < B * N * H; i++)
        for (int k = 0; k < D / 2; k++) {
            const float *from = x[i];
            double angle = at[i / H % N] / pow(50, 2.0 * k / D), a = from[k], b = from[k + D / 2];
            CHECK_NEAR(y[i][k], a * cos(angle) - b * sin(angle), 1e-5);
            CHECK_NEAR(y[i][k + D / 2], b * cos(angle) + a * sin(angle), 1e-5);
            CHECK_NEAR(g[i][k], a, 1e-5);
            CHECK_NEAR(g[i][k + D / 2], b, 1e-5);
        }
}
