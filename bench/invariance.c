/* The price of batch-invariant results: inference with and without the policy in turn, for batches of several sizes. */
#include <stdio.h>
#include <stdlib.h>

#include <situ.h>

#include "bench.h"

enum { ROUNDS = 15, SIZES = 4 };
static const int64_t sizes[SIZES] = {1, 8, 32, 128};

typedef struct network {
    const char *name;
    situ_module *net;
    situ_shape row; /* the shape of one row of its input */
} network;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of a call, the mean of some; negative: an error. */
static double seconds_of(const network *n, int64_t rows, int calls)
{
    situ_shape shape = SHAPE(rows);
    for (int i = 0; i < n->row.ndim; i++) shape.dim[shape.ndim++] = n->row.dim[i];
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_uniform(situ_key(1), shape);
    situ_eval(TENSORS(x));
    situ_wait(x);
    double start = bench_clock();
    for (int i = 0; i < calls && !situ_failed(); i++) {
        situ_scope *inner = situ_scope_open();
        situ_wait(situ_module_call(n->net, x));
        situ_scope_close(inner);
    }
    double seconds = (bench_clock() - start) / calls;
    situ_scope_close(scope);
    return situ_failed() ? -1 : seconds;
}

static int row_of(const network *n)
{
    for (int s = 0; s < SIZES; s++) {
        double time[2][ROUNDS], ratio[ROUNDS], once = 0;
        for (int policy = 0; policy < 2; policy++) { /* plans are made now */
            situ_batch_invariant(policy);
            once = seconds_of(n, sizes[s], 2);
        }
        int calls = once > 0 && once < 0.01 ? (int)(0.01 / once) + 1 : 1;
        for (int i = 0; i < ROUNDS; i++) {
            for (int k = 0; k < 2; k++) {
                int policy = (i + k) % 2;
                situ_batch_invariant(policy);
                time[policy][i] = seconds_of(n, sizes[s], calls);
            }
            ratio[i] = time[1][i] / time[0][i];
        }
        situ_batch_invariant(false);
        if (situ_failed()) return fprintf(stderr, "bench: %s\n", situ_error_message()), 1;
        for (int k = 0; k < 2; k++) qsort(time[k], ROUNDS, sizeof(double), by_size);
        qsort(ratio, ROUNDS, sizeof(double), by_size);
        printf("%-28s %5lld %12.1f %12.1f %8.2f\n", n->name, (long long)sizes[s], 1e6 * time[0][ROUNDS / 2], 1e6 * time[1][ROUNDS / 2],
               ratio[ROUNDS / 2]);
    }
    return 0;
}

int bench_invariance(void)
{
    network all[] = {
        {"linear 1024 to 1024", situ_linear_layer(1024), SHAPE(1024)},
        {"linear 4096 to 4096", situ_linear_layer(4096), SHAPE(4096)},
        {"mlp 32, 128, 10", situ_sequential(situ_linear_layer(128), situ_relu_layer(), situ_linear_layer(10)), SHAPE(32)},
        {"mlp 784, 512, 10", situ_sequential(situ_linear_layer(512), situ_relu_layer(), situ_linear_layer(10)), SHAPE(784)},
        {"gru of 128, 16 steps", situ_gru_layer(128), SHAPE(16, 64)},
        {"encoder of 256, 32 places", situ_transformer_encoder_layer(256, 4, .hidden = 1024), SHAPE(32, 256)},
        {"images 3 x 32 x 32",
         situ_sequential(situ_conv2d_layer(32, SHAPE(3)), situ_relu_layer(), situ_conv2d_layer(64, SHAPE(3)), situ_relu_layer(),
                         situ_max_pool2d_layer(SHAPE(2)), situ_flatten_layer(), situ_linear_layer(10)),
         SHAPE(3, 32, 32)},
    };
    int rc = 0;
    puts("network                       rows     usual us invariant us    ratio");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        situ_module_set_training(all[i].net, false);
        if (!rc) rc = row_of(&all[i]);
        situ_module_free(all[i].net);
    }
    return rc;
}
