/* The defaults that the headers state are those that functions use: a call without options, one with NULL for them (as
 * other languages call) and one with every stated default give the same. */
#include <situ.h>

#include <string.h>

#include "test.h"

#if !__has_include("stated_defaults.inc") /* made when the tests are built (tests/support/stated_defaults.py) */
TEST(stated_defaults_are_used) { SKIP("there was no python3, which reads the headers, when the tests were built"); }
#else
#include "stated_defaults.inc"

static situ_tensor *some(situ_shape shape) { return situ_uniform(situ_key(7), shape, .low = -1); }

static bool same(situ_tensor *a, situ_tensor *b) { return situ_item(situ_array_equal(a, b, .equal_nan = true)) == 1; }

#define FUNCTION(name, ...) \
    { \
        situ_tensor *null = (situ_##name)(__VA_ARGS__, NULL, "defaults.c:1"); \
        test_check(same(null, situ_##name(__VA_ARGS__)), __FILE__, __LINE__, "situ_" #name " without options"); \
        test_check(same(null, situ_##name(__VA_ARGS__, STATED_situ_##name)), __FILE__, __LINE__, "situ_" #name ": its stated defaults are others"); \
    }

/* A layer's results in training, with parameters and masks made by a fixed key, plus the number of its parameters. */
static situ_tensor *result_of(situ_module *layer, situ_tensor *x)
{
    situ_module_init(layer, situ_key(3));
    situ_tensor *y = situ_module_call(layer, x);
    y = situ_add(y, situ_module_count(layer));
    situ_eval(TENSORS(y));
    situ_module_free(layer);
    return y;
}

#define LAYER(name, x, ...) \
    { \
        situ_tensor *null = result_of((situ_##name)(__VA_ARGS__ __VA_OPT__(, ) NULL, "defaults.c:1"), x); \
        test_check(same(null, result_of(situ_##name(__VA_ARGS__), x)), __FILE__, __LINE__, "situ_" #name " without options"); \
        test_check(same(null, result_of(situ_##name(__VA_ARGS__ __VA_OPT__(, ) STATED_situ_##name), x)), __FILE__, __LINE__, \
            "situ_" #name ": its stated defaults are others"); \
    }

static bool same_hypers(situ_optimizer *a, situ_optimizer *b)
{
    situ_hyper x[32], y[32];
    int n = situ_optimizer_hyper(a, x, 32), m = situ_optimizer_hyper(b, y, 32);
    bool equal = n == m && n > 0 && n <= 32;
    for (int i = 0; equal && i < n; i++) equal = !strcmp(x[i].name, y[i].name) && x[i].value == y[i].value;
    situ_optimizer_free(b);
    return equal;
}

#define OPTIMIZER(name) \
    { \
        situ_optimizer *null = (situ_##name)(net, NULL, "defaults.c:1"); \
        test_check(same_hypers(null, situ_##name(net)), __FILE__, __LINE__, "situ_" #name " without options"); \
        test_check(same_hypers(null, situ_##name(net, STATED_situ_##name)), __FILE__, __LINE__, "situ_" #name ": its stated defaults are others"); \
        situ_optimizer_free(null); \
    }

TEST_IN_SCOPE(stated_defaults_of_optimizers_are_used)
{
    situ_module *net = situ_linear_layer(3, .in = 2);
    OPTIMIZER(sgd)
    OPTIMIZER(adam)
    OPTIMIZER(adamw)
    OPTIMIZER(adagrad)
    OPTIMIZER(rmsprop)
    OPTIMIZER(adadelta)
    OPTIMIZER(adamax)
    OPTIMIZER(nadam)
    OPTIMIZER(radam)
    OPTIMIZER(lion)
    OPTIMIZER(lamb)
    OPTIMIZER(adafactor)
    OPTIMIZER(muon)
    situ_module_free(net);
}

TEST_IN_SCOPE(stated_defaults_of_layers_are_used)
{
    situ_tensor *rows = some(SHAPE(4, 6)), *sequence = some(SHAPE(2, 5, 6)), *line = some(SHAPE(2, 4, 9)), *image = some(SHAPE(2, 4, 9, 8)),
                *volume = some(SHAPE(2, 4, 5, 6, 7));
    LAYER(linear_layer, rows, 3)
    LAYER(rms_norm_layer, rows)
    LAYER(instance_norm_layer, image)
    LAYER(group_norm_layer, image, 2)
    LAYER(batch_norm_layer, image)
    LAYER(layer_norm_layer, rows)
    LAYER(rnn_layer, sequence, 4)
    LAYER(gru_layer, sequence, 4)
    LAYER(lstm_layer, sequence, 4)
    LAYER(multihead_attention_layer, sequence, 6, 2)
    LAYER(transformer_encoder_layer, sequence, 6, 2)
#define EACH_AXIS(n) SHAPE(n)
    LAYER(conv1d_layer, line, 3, SHAPE(3))
    LAYER(conv_transpose1d_layer, line, 3, SHAPE(3))
    LAYER(max_pool1d_layer, line, SHAPE(2))
    LAYER(avg_pool1d_layer, line, SHAPE(2))
#undef EACH_AXIS
#define EACH_AXIS(n) SHAPE(n, n)
    LAYER(conv2d_layer, image, 3, SHAPE(3, 2))
    LAYER(conv_transpose2d_layer, image, 3, SHAPE(3, 2))
    LAYER(max_pool2d_layer, image, SHAPE(2, 3))
    LAYER(avg_pool2d_layer, image, SHAPE(2, 3))
    LAYER(upsample_layer, image, SHAPE(2, 2))
    LAYER(unfold_layer, image, SHAPE(2, 2))
#undef EACH_AXIS
#define EACH_AXIS(n) SHAPE(n, n, n)
    LAYER(conv3d_layer, volume, 3, SHAPE(3, 2, 2))
    LAYER(conv_transpose3d_layer, volume, 3, SHAPE(3, 2, 2))
    LAYER(max_pool3d_layer, volume, SHAPE(2, 2, 2))
    LAYER(avg_pool3d_layer, volume, SHAPE(2, 2, 2))
#undef EACH_AXIS
}

TEST_IN_SCOPE(stated_defaults_of_functions_are_used)
{
    situ_tensor *x = some(SHAPE(4, 6)), *y = some(SHAPE(6)), *z = situ_mul(x, 3), *image = some(SHAPE(2, 4, 9, 8)), *ones = situ_ones(SHAPE(6)),
                *labels = situ_cast(situ_values(1, 0, 3, 2), SITU_I32);
    FUNCTION(gelu, x)
    FUNCTION(softmax, x)
    FUNCTION(log_softmax, x)
    FUNCTION(cross_entropy, x, labels)
    FUNCTION(nll_loss, situ_log_softmax(x), labels)
    FUNCTION(mse, x, z)
    FUNCTION(smooth_l1_loss, x, z)
    FUNCTION(huber_loss, x, z)
    FUNCTION(kl_div, situ_log_softmax(x), situ_softmax(situ_negative(x)))
    FUNCTION(triplet_margin_loss, x, situ_negative(x), situ_square(x))
    FUNCTION(layer_norm, x, ones, y)
    FUNCTION(self_attention, situ_reshape(some(SHAPE(36)), SHAPE(2, 3, 6)), 1)
    FUNCTION(var, x)
    FUNCTION(std, x)
    FUNCTION(norm, x)
    FUNCTION(quantile, x, situ_full(SHAPE(1), 0.3))
    FUNCTION(isclose, x, situ_add(x, 1e-6))
    FUNCTION(cumsum, x)
    FUNCTION(diff, x)
    FUNCTION(sort, x)
    FUNCTION(argsort, x)
    FUNCTION(concat, TENSORS(x, x))
    FUNCTION(stack, TENSORS(x, x))
    FUNCTION(take, x, labels)
    FUNCTION(one_hot, labels, 6)
    FUNCTION(pad, x, SHAPE(1, 0), SHAPE(0, 2))
    FUNCTION(matrix_rank, x)
    FUNCTION(pinv, x)
    FUNCTION(zeros, SHAPE(2))
    FUNCTION(linspace, 0, 1, 5)
    FUNCTION(uniform, situ_key(1), SHAPE(5))
    FUNCTION(randint, situ_key(1), SHAPE(5), 0, 9)
    FUNCTION(fftfreq, 6)
#define EACH_AXIS(n) SHAPE(n, n)
    FUNCTION(conv2d, image, some(SHAPE(3, 4, 3, 2)))
    FUNCTION(conv_transpose2d, image, some(SHAPE(4, 3, 3, 2)))
    FUNCTION(max_pool2d, image, SHAPE(2, 3))
    FUNCTION(avg_pool2d, image, SHAPE(2, 3))
    FUNCTION(unfold, image, SHAPE(2, 2))
    FUNCTION(slice, x)
#undef EACH_AXIS
}
#endif
