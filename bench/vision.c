/* Workloads on image networks, and a step of deep Q learning; as in bench/networks.c, each run is recorded again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "../examples/cartpole.h"
#include "bench.h"

static situ_tensor *images, *labels;
static situ_module *net;
static situ_optimizer *optimizer;

/* 32 random images of 3 x 32 x 32 with random class labels. */
static int prepare_images(void)
{
    situ_scope *scope = situ_scope_open();
    images = situ_keep(situ_normal(situ_key(1), SHAPE(32, 3, 32, 32)));
    labels = situ_keep(situ_randint(situ_key(2), SHAPE(32), 0, 10));
    situ_eval(TENSORS(images, labels));
    situ_scope_close(scope);
    situ_wait(NULL);
    return -situ_failed();
}

static int train(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    situ_tensor *loss = situ_cross_entropy(situ_module_call(net, images), labels);
    situ_optimizer_step(optimizer, loss);
    situ_item(loss);
    situ_scope_close(scope);
    return -situ_failed();
}

/* ---- ResNet-18 for images of 32 x 32 ------------------------------------------------------------------------------------------ */

static situ_module *convolution(int64_t out, int64_t size, int64_t stride)
{
    return situ_conv2d_layer(out, SHAPE(size), .stride = SHAPE(stride), .padding = SHAPE(size / 2), .bias = false);
}

static situ_module *block(int64_t in, int64_t out, int64_t stride)
{
    situ_module *two = situ_sequential(convolution(out, 3, stride), situ_batch_norm_layer(), situ_relu_layer(), convolution(out, 3, 1),
                                       situ_batch_norm_layer());
    if (stride == 1 && in == out) return situ_sequential(situ_residual(two), situ_relu_layer());
    situ_module *one = situ_sequential(convolution(out, 1, stride), situ_batch_norm_layer());
    return situ_sequential(situ_parallel(SITU_PARTS(two, one), .join = SITU_JOIN_SUM), situ_relu_layer());
}

static int prepare_resnet18(int64_t n)
{
    (void)n;
    net = situ_sequential(convolution(64, 3, 1), situ_batch_norm_layer(), situ_relu_layer());
    int64_t in = 64;
    for (int64_t out = 64; out <= 512; out *= 2)
        for (int k = 0; k < 2; k++, in = out) situ_sequential_add(net, block(in, out, k == 0 && out > 64 ? 2 : 1));
    situ_sequential_add(net, situ_avg_pool2d_layer(SHAPE(4)));
    situ_sequential_add(net, situ_flatten_layer());
    situ_sequential_add(net, situ_linear_layer(10));
    optimizer = situ_sgd(net, .lr = 0.1, .momentum = 0.9, .weight_decay = 5e-4);
    return prepare_images();
}

/* ---- ViT-tiny: 64 patches of 4 x 4, width 192, 6 blocks of 3 heads ------------------------------------------------------------- */

enum { VIT_WIDTH = 192, VIT_HEADS = 3, VIT_BLOCKS = 6, VIT_PLACES = 64 };

/* [n, width, 8, 8] becomes [n, 64, width]; adds a learned vector for each position. */
static situ_tensor *forward_places(situ_module *m, situ_tensor *x, void *self)
{
    (void)self;
    x = situ_permute(situ_reshape(x, SHAPE(situ_dim(x, 0), VIT_WIDTH, VIT_PLACES)), AXES(0, 2, 1));
    return situ_add(x, situ_module_use(m, 0, x, SHAPE(VIT_PLACES, VIT_WIDTH), .deviation = 0.02));
}

static situ_tensor *mean_of_places(situ_tensor *x, void *self) { return (void)self, situ_mean(x, .axes = 1); }

static int prepare_vit(int64_t n)
{
    static const situ_module_kind places = {.name = "places", .forward = forward_places};
    (void)n;
    situ_module *p = situ_module_custom(&places, NULL);
    situ_module_declare(p, "weight");
    net = situ_sequential(situ_conv2d_layer(VIT_WIDTH, SHAPE(4), .stride = SHAPE(4)), p);
    for (int i = 0; i < VIT_BLOCKS; i++)
        situ_sequential_add(net, situ_transformer_encoder_layer(VIT_WIDTH, VIT_HEADS, .norm_first = true, .feed = SITU_FEED_GELU, .dropout = 0));
    situ_sequential_add(net, situ_layer_norm_layer());
    situ_sequential_add(net, situ_function_layer(mean_of_places, NULL));
    situ_sequential_add(net, situ_linear_layer(10));
    optimizer = situ_adamw(net, .lr = 1e-3);
    return prepare_images();
}

/* ---- a step of deep Q learning: examples/cartpole_dqn.c with a full memory --------------------------------------------------------- */

enum { MEMORY = 10000, BATCH = 128, PARAMETERS = 6 };
static struct { float before[4], after[4], earned, on; int32_t action; } memory[MEMORY];
static situ_module *slow;
static cart one;

static situ_module *q_network(void)
{
    return situ_sequential(situ_linear_layer(64, .in = 4), situ_relu_layer(), situ_linear_layer(64, .in = 64), situ_relu_layer(),
                           situ_linear_layer(2, .in = 64));
}

static void remember(int at, int action)
{
    memcpy(memory[at].before, one.state, sizeof one.state);
    bool over = push(&one, action);
    memcpy(memory[at].after, one.state, sizeof one.state);
    memory[at].action = action, memory[at].earned = 0.1f, memory[at].on = fallen(&one) ? 0 : 1;
    if (over) reset(&one);
}

static int prepare_dqn(int64_t n)
{
    (void)n;
    net = q_network(), slow = q_network();
    optimizer = situ_adam(net, .lr = 5e-4);
    reset(&one);
    for (int i = 0; i < MEMORY; i++) remember(i, uniform() < 0.5);
    return -situ_failed();
}

static situ_tensor *loss_of(void)
{
    float before[BATCH][4], after[BATCH][4], earned[BATCH][1], on[BATCH][1];
    int32_t action[BATCH][1];
    for (int i = 0; i < BATCH; i++) {
        int k = (int)(uniform() * MEMORY);
        memcpy(before[i], memory[k].before, sizeof before[i]);
        memcpy(after[i], memory[k].after, sizeof after[i]);
        action[i][0] = memory[k].action, earned[i][0] = memory[k].earned, on[i][0] = memory[k].on;
    }
    situ_tensor *next = situ_max(situ_module_call(slow, situ_from_host(&after[0][0], SHAPE(BATCH, 4))), .axes = 1, .keepdims = true);
    next = situ_mul(situ_mul(next, situ_from_host(&on[0][0], SHAPE(BATCH, 1))), 0.99);
    situ_tensor *aim = situ_add(situ_from_host(&earned[0][0], SHAPE(BATCH, 1)), next);
    situ_tensor *values = situ_module_call(net, situ_from_host(&before[0][0], SHAPE(BATCH, 4)));
    situ_tensor *chosen = situ_gather(values, situ_from_host(&action[0][0], SHAPE(BATCH, 1)));
    return situ_smooth_l1_loss(chosen, situ_stop_gradient(aim));
}

/* Pushes the cart once, as the network decides from its state; then trains the network on 128 remembered steps. */
static int step_dqn(int64_t r)
{
    situ_scope *scope = situ_scope_open();
    float values[2];
    situ_read(situ_module_call(net, situ_from_host(one.state, SHAPE(1, 4))), values, sizeof values);
    remember((int)(r % MEMORY), uniform() < 0.1 ? uniform() < 0.5 : values[1] > values[0]);
    situ_optimizer_step(optimizer, loss_of());
    for (int i = 0; i < PARAMETERS; i++) {
        situ_tensor *p = situ_module_parameter(net, i), *q = situ_module_parameter(slow, i);
        situ_assign(q, situ_add(q, situ_mul(situ_sub(p, q), 0.01)));
    }
    situ_scope_close(scope);
    return -situ_failed();
}

const bench_work bench_vision[] = {
    {"resnet18", "a training step of ResNet-18, 32 images of 3 x 32 x 32, SGD with momentum", prepare_resnet18, train, 0},
    {"vit", "the same of ViT-tiny: patches of 4 x 4, width 192, 6 blocks, AdamW", prepare_vit, train, 0},
    {"dqn", "a step of CartPole by deep Q learning: one row asked, 128 learnt from, a slow copy", prepare_dqn, step_dqn, 0},
    {0},
};
