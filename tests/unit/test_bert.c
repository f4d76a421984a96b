/* BERT encoders from files: the values of PyTorch's encoder (tests/release/minilm.py --tiny), training, files that are
 * wrong. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "test.h"

enum { MOST = 64 };
static char names[MOST][80];
static situ_tensor *values[MOST];
static int count;

/* Value i of tensor t is 0.5 sin(0.7 i + t). */
static void add(situ_shape shape, const char *name)
{
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++) n *= shape.dim[i];
    float *v = malloc((size_t)n * sizeof *v);
    for (int64_t i = 0; i < n; i++) v[i] = (float)(0.5 * sin(0.7 * (double)i + count));
    values[count] = situ_from_host((const float *)v, shape);
    snprintf(names[count], sizeof names[count], "%s", name);
    situ_name(values[count], names[count]);
    count++;
    free(v);
}

static void add_both(int layer, const char *part, int out, int in)
{
    char name[120];
    for (int bias = 0; bias < 2; bias++) {
        snprintf(name, sizeof name, "encoder.layer.%d.%s.%s", layer, part, bias ? "bias" : "weight");
        add(bias || !in ? SHAPE(out) : SHAPE(out, in), name);
    }
}

/* Two layers of width 8, 2 heads; the names that follow may be cut. */
static const char *written(int without)
{
    const char *path = test_path("bert.safetensors");
    count = 0;
    add(SHAPE(12, 8), "embeddings.word_embeddings.weight");
    add(SHAPE(6, 8), "embeddings.position_embeddings.weight");
    add(SHAPE(2, 8), "embeddings.token_type_embeddings.weight");
    add(SHAPE(8), "embeddings.LayerNorm.weight");
    add(SHAPE(8), "embeddings.LayerNorm.bias");
    for (int i = 0; i < 2; i++) {
        add_both(i, "attention.self.query", 8, 8);
        add_both(i, "attention.self.key", 8, 8);
        add_both(i, "attention.self.value", 8, 8);
        add_both(i, "attention.output.dense", 8, 8);
        add_both(i, "attention.output.LayerNorm", 8, 0);
        add_both(i, "intermediate.dense", 16, 8);
        add_both(i, "output.dense", 8, 16);
        add_both(i, "output.LayerNorm", 8, 0);
    }
    situ_save(path, TENSORS_OF(values, count - without));
    return path;
}

static const int32_t tokens[] = {2, 5, 7, 3, 2, 9, 3, 0};

TEST_IN_SCOPE(values_are_those_of_pytorch)
{
    static const double expected[] = {-0.2886811, -0.4872146, 0.0072466, 0.3641936, 0.2191369, 0.4850058, 0.4838751, -0.1709066,
        -0.2888907, -0.4869606, 0.0072389, 0.3641484, 0.2191927, 0.4855128, 0.4832086, -0.1717451};
    const char *path = written(0);
    situ_module *net = situ_bert_open(path, .heads = 2), *all = situ_bert_open(path, .heads = 2, .pool = false);
    situ_tensor *x = situ_from_host(tokens, SHAPE(2, 4)), *y = situ_module_call(net, x);
    float got[16];
    CHECK(situ_ndim(y) == 2 && situ_dim(y, 1) == 8);
    CHECK_EQ(situ_read(y, got, sizeof got), 0);
    for (int i = 0; i < 16; i++) CHECK_NEAR(got[i], expected[i], 2e-6);
    CHECK_EQ(situ_ndim(situ_module_call(all, x)), 3);
    /* padding has no effect */
    situ_tensor *shorter = situ_module_call(net, situ_from_host(((int32_t[]){2, 9, 3}), SHAPE(1, 3)));
    float alone[8];
    CHECK_EQ(situ_read(shorter, alone, sizeof alone), 0);
    for (int i = 0; i < 8; i++) CHECK_NEAR(alone[i], got[8 + i], 1e-6);
    if (situ_num_gpus() > 0) {
        situ_module *there = situ_bert_open(path, .heads = 2, .device = situ_gpu(0));
        situ_tensor *z = situ_module_call(there, situ_to(x, situ_gpu(0)));
        CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(situ_to(z, situ_cpu()), y)))), 0, 2e-6);
        situ_module_free(there);
    }
    situ_module_free(net);
    situ_module_free(all);
}

TEST_IN_SCOPE(trains_on)
{
    situ_module *net = situ_bert_open(written(0), .heads = 2);
    situ_optimizer *adam = situ_adam(net, .lr = 0.01);
    situ_tensor *x = situ_from_host(tokens, SHAPE(2, 4));
    double first = 0, last = 0;
    for (int i = 0; i < 10; i++) {
        situ_tensor *y = situ_module_call(net, x);
        situ_tensor *loss = situ_sum(situ_mul(situ_slice(y, .start = SHAPE(0), .stop = SHAPE(1)), situ_slice(y, .start = SHAPE(1), .stop = SHAPE(2))));
        last = situ_item(loss);
        if (!i) first = last;
        situ_optimizer_step(adam, loss);
    }
    CHECK(first > 0.99 && last < first - 0.01); /* training separates the two sentences */
    situ_optimizer_free(adam);
    situ_module_free(net);
}

TEST_IN_SCOPE(wrong_files_and_uses_say_what_is_wrong)
{
#define WRONG(call, words) (CHECK(!(call) && strstr(situ_error_message(), words)), situ_error_take(NULL))
    const char *path = written(0);
    WRONG(situ_bert_open(path, .heads = 3), "3 heads do not divide the width 8");
    WRONG(situ_bert_open(path, .heads = 0), "heads, epsilon or padding is below its least");
    WRONG(situ_bert_open(NULL), "no file is named");
    WRONG(situ_bert_open(written(1), .heads = 2), "36 of the model's 37 parameters are there");
    situ_save(path, TENSORS(values[0]));
    WRONG(situ_bert_open(path, .heads = 2), "it lacks names of BERT");
    situ_module *net = situ_bert_open(written(0), .heads = 2);
    CHECK_FAILS(SITU_BAD_SHAPE, situ_module_call(net, situ_ones(SHAPE(2, 3))), "integers of [batch, count]");
    CHECK_FAILS(SITU_BAD_SHAPE, situ_module_call(net, situ_zeros(SHAPE(1, 7), .dtype = SITU_I32)),
                "no more than the model has positions");
    situ_module_free(net);
}
