/* Workloads on networks: whole training steps, recorded again in each run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <situ.h>

#include "bench.h"

struct situ_group *bench_group;
static situ_tensor *images, *labels;
static situ_module *net;
static situ_optimizer *optimizer;
static double last_loss;

double bench_last_loss(void) { return last_loss; }

/* This rank's rows of the batch. */
static situ_tensor *own_rows(situ_tensor *x)
{
    int64_t n = situ_dim(x, 0) / situ_group_size(bench_group), first = n * situ_group_rank(bench_group);
    return situ_group_size(bench_group) > 1 ? situ_copy_to(situ_slice(x, .start = SHAPE(first), .stop = SHAPE(first + n)), situ_device_of(x)) : x;
}

/* Random images with random class labels; `shape` is that of the batch. */
static int prepare_images(situ_shape shape, situ_device device)
{
    situ_scope *scope = situ_scope_open();
    images = situ_keep(own_rows(situ_normal(situ_key(1, .device = device), shape)));
    labels = situ_keep(own_rows(situ_randint(situ_key(2, .device = device), SHAPE(shape.dim[0]), 0, 10)));
    optimizer = situ_sgd(net, .lr = 0.1);
    situ_module_call(net, images); /* creates the parameters without computing anything */
    situ_eval(TENSORS(images, labels));
    situ_scope_close(scope);
    situ_wait(NULL);
    return -situ_failed();
}

static int prepare_mlp_on(situ_device device)
{
    net = situ_sequential(situ_linear_layer(256), situ_relu_layer(), situ_linear_layer(10));
    return prepare_images(SHAPE(256, 784), device);
}

static int prepare_mlp(int64_t n)
{
    (void)n;
    return prepare_mlp_on(situ_default_device());
}

static int prepare_lenet(int64_t n)
{
    (void)n;
    net = situ_sequential(situ_conv2d_layer(6, SHAPE(5), .padding = SHAPE(2)), situ_sigmoid_layer(), situ_avg_pool2d_layer(SHAPE(2)),
                          situ_conv2d_layer(16, SHAPE(5)), situ_sigmoid_layer(), situ_avg_pool2d_layer(SHAPE(2)), situ_flatten_layer(),
                          situ_linear_layer(120), situ_sigmoid_layer(), situ_linear_layer(84), situ_sigmoid_layer(), situ_linear_layer(10));
    return prepare_images(SHAPE(256, 1, 28, 28), situ_default_device());
}

/* ---- ResNet-20 for images of 32 x 32 ---------------------------------------------------------------------------------------- */

static situ_tensor *forward_block(situ_module *m, situ_tensor *x, void *self)
{
    (void)self;
    situ_tensor *y = situ_relu(situ_module_call(situ_module_child(m, 1), situ_module_call(situ_module_child(m, 0), x)));
    y = situ_module_call(situ_module_child(m, 3), situ_module_call(situ_module_child(m, 2), y));
    return situ_relu(situ_add(y, situ_module_children(m) > 4 ? situ_module_call(situ_module_child(m, 4), x) : x));
}

static situ_module *block(int64_t in, int64_t out, int64_t stride)
{
    static const situ_module_kind kind = {.name = "block", .forward = forward_block};
    situ_module *m = situ_module_custom(&kind, NULL);
    situ_module_adopt(m, "c1", situ_conv2d_layer(out, SHAPE(3), .stride = SHAPE(stride), .padding = SHAPE(1), .bias = false));
    situ_module_adopt(m, "b1", situ_batch_norm_layer());
    situ_module_adopt(m, "c2", situ_conv2d_layer(out, SHAPE(3), .padding = SHAPE(1), .bias = false));
    situ_module_adopt(m, "b2", situ_batch_norm_layer());
    if (stride != 1 || in != out)
        situ_module_adopt(m, "shortcut", situ_sequential(situ_conv2d_layer(out, SHAPE(1), .stride = SHAPE(stride), .bias = false), situ_batch_norm_layer()));
    return m;
}

static int prepare_resnet(int64_t n)
{
    (void)n;
    net = situ_sequential(situ_conv2d_layer(16, SHAPE(3), .padding = SHAPE(1), .bias = false), situ_batch_norm_layer(), situ_relu_layer());
    int64_t in = 16;
    for (int64_t out = 16; out <= 64; out *= 2)
        for (int k = 0; k < 3; k++, in = out) situ_sequential_add(net, block(in, out, k == 0 && out > 16 ? 2 : 1));
    situ_sequential_add(net, situ_avg_pool2d_layer(SHAPE(8)));
    situ_sequential_add(net, situ_flatten_layer());
    situ_sequential_add(net, situ_linear_layer(10));
    return prepare_images(SHAPE(64, 3, 32, 32), situ_default_device());
}

/* ---- a small GPT: 4 blocks of width 128, 4 heads, 32 x 64 of 65 letters -------------------------------------------------------- */

enum { WIDTH = 128, HEADS = 4, LETTERS = 65, PLACES = 64, SEQUENCES = 32, BLOCKS = 4 };

static situ_tensor *forward_transformer(situ_module *m, situ_tensor *x, void *self)
{
    (void)self;
    situ_tensor *qkv = situ_module_call(situ_module_child(m, 1), situ_module_call(situ_module_child(m, 0), x));
    x = situ_add(x, situ_module_call(situ_module_child(m, 2), situ_self_attention(qkv, HEADS, .causal = true)));
    situ_tensor *wide = situ_gelu(situ_module_call(situ_module_child(m, 4), situ_module_call(situ_module_child(m, 3), x)));
    return situ_add(x, situ_module_call(situ_module_child(m, 5), wide));
}

static situ_module *transformer(void)
{
    static const situ_module_kind kind = {.name = "transformer", .forward = forward_transformer};
    situ_module *m = situ_module_custom(&kind, NULL);
    situ_module_adopt(m, "l1", situ_layer_norm_layer());
    situ_module_adopt(m, "qkv", situ_linear_layer(3 * WIDTH));
    situ_module_adopt(m, "o", situ_linear_layer(WIDTH));
    situ_module_adopt(m, "l2", situ_layer_norm_layer());
    situ_module_adopt(m, "f1", situ_linear_layer(4 * WIDTH));
    situ_module_adopt(m, "f2", situ_linear_layer(WIDTH));
    return m;
}

/* Adds a learned vector for each position. */
static situ_tensor *forward_places(situ_module *m, situ_tensor *x, void *self)
{
    (void)self;
    return situ_add(x, situ_module_use(m, 0, x, SHAPE(PLACES, WIDTH), .bound = sqrt(3)));
}

static situ_tensor *forward_flat(situ_module *m, situ_tensor *x, void *self)
{
    (void)m, (void)self;
    return situ_reshape(x, SHAPE(-1, LETTERS));
}

static int prepare_gpt(int64_t n)
{
    static const situ_module_kind places = {.name = "places", .forward = forward_places}, flat = {.name = "flat", .forward = forward_flat};
    (void)n;
    situ_module *p = situ_module_custom(&places, NULL);
    situ_module_declare(p, "weight");
    net = situ_sequential(situ_embedding_layer(LETTERS, WIDTH), p);
    for (int i = 0; i < BLOCKS; i++) situ_sequential_add(net, transformer());
    situ_sequential_add(net, situ_layer_norm_layer());
    situ_sequential_add(net, situ_linear_layer(LETTERS));
    situ_sequential_add(net, situ_module_custom(&flat, NULL));
    optimizer = situ_adamw(net, .lr = 1e-3);
    situ_scope *scope = situ_scope_open();
    images = situ_keep(own_rows(situ_randint(situ_key(1), SHAPE(SEQUENCES, PLACES), 0, LETTERS)));
    labels = situ_keep(own_rows(situ_randint(situ_key(2), SHAPE(SEQUENCES * PLACES), 0, LETTERS)));
    situ_module_call(net, images);
    situ_eval(TENSORS(images, labels));
    situ_scope_close(scope);
    situ_wait(NULL);
    return -situ_failed();
}

/* ---- recurrent networks: two layers of 256, 32 x 64 letters of 64; or one letter of one row ----------------------------------- */

static situ_tensor *as_rows(situ_tensor *x, void *self) { return (void)self, situ_reshape(x, SHAPE(-1, 64)); }

static int prepare_recurrent(situ_module *layer, int64_t batch, int64_t time)
{
    net = situ_sequential(situ_embedding_layer(64, 64), layer, situ_linear_layer(64), situ_function_layer(as_rows, NULL));
    optimizer = situ_adam(net, .lr = 1e-3);
    situ_scope *scope = situ_scope_open();
    images = situ_keep(situ_randint(situ_key(1), SHAPE(batch, time), 0, 64));
    labels = situ_keep(situ_randint(situ_key(2), SHAPE(batch * time), 0, 64));
    situ_eval(TENSORS(images, labels));
    situ_scope_close(scope);
    situ_wait(NULL);
    return -situ_failed();
}

static int prepare_lstm(int64_t n) { return (void)n, prepare_recurrent(situ_lstm_layer(256, .layers = 2), 32, 64); }
static int prepare_gru(int64_t n) { return (void)n, prepare_recurrent(situ_gru_layer(256, .layers = 2), 32, 64); }
static int prepare_lstm_letter(int64_t n) { return (void)n, prepare_recurrent(situ_lstm_layer(256, .layers = 2), 1, 1); }
static int prepare_gru_letter(int64_t n) { return (void)n, prepare_recurrent(situ_gru_layer(256, .layers = 2), 1, 1); }

/* ---- a table: 4,096 of 10^6 rows of 32 ------------------------------------------------------------------------------------------ */

static int prepare_table(situ_optimizer *(*make)(void))
{
    net = situ_sequential(situ_embedding_layer(1000000, 32));
    optimizer = make();
    situ_scope *scope = situ_scope_open();
    images = situ_keep(situ_randint(situ_key(1), SHAPE(4096), 0, 1000000));
    situ_module_call(net, images);
    situ_eval(TENSORS(images));
    situ_scope_close(scope);
    situ_wait(NULL);
    return -situ_failed();
}

static situ_optimizer *table_sgd(void) { return situ_sgd(net, .lr = 0.1); }
static situ_optimizer *table_adam(void) { return situ_adam(net, .lazy_rows = true); }
static int prepare_table_sgd(int64_t n) { return (void)n, prepare_table(table_sgd); }
static int prepare_table_adam(int64_t n) { return (void)n, prepare_table(table_adam); }

static int look_up(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    situ_tensor *loss = situ_mean(situ_square(situ_module_call(net, images)));
    situ_optimizer_step(optimizer, loss);
    last_loss = situ_item(loss);
    situ_scope_close(scope);
    return -situ_failed();
}

/* ---- steps ------------------------------------------------------------------------------------------------------------------------ */

static situ_tensor *record_step(void)
{
    situ_tensor *loss = situ_cross_entropy(situ_module_call(net, images), labels);
    int ranks = situ_group_size(bench_group);
    if (ranks == 1) situ_optimizer_step(optimizer, loss);
    else situ_optimizer_step_group(optimizer, TENSORS(loss), NULL, bench_group, ranks);
    return loss;
}

static int train(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    last_loss = situ_item(record_step());
    situ_scope_close(scope);
    return -situ_failed();
}

static int infer(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    last_loss = situ_item(situ_argmax(situ_module_call(net, images)));
    situ_scope_close(scope);
    return -situ_failed();
}

/* ---- small networks: the ordinary call and a session's run, from an input in memory to a result in memory ------------------------ */

static situ_session *session;
static float small_input[32], small_result[64];
static int small_width;

static void prepare_small(situ_module *made, int width, situ_list inputs, const char *state)
{
    net = made;
    small_width = width;
    for (int i = 0; i < width; i++) small_input[i] = (float)i / 32;
    session = situ_session_open(net, inputs, .state = state);
}

static int prepare_small_mlp(int64_t n)
{
    (void)n;
    situ_scope *scope = situ_scope_open();
    prepare_small(situ_sequential(situ_linear_layer(32), situ_relu_layer(), situ_linear_layer(32), situ_relu_layer(), situ_linear_layer(4)), 32,
        TENSORS(situ_ones(SHAPE(1, 32))), NULL);
    situ_scope_close(scope);
    return -situ_failed();
}

static int prepare_gru_step(int64_t n)
{
    (void)n;
    situ_scope *scope = situ_scope_open();
    images = situ_keep(situ_add(situ_zeros(SHAPE(1, 1, 64)), 0));
    prepare_small(situ_gru_layer(64), 32, TENSORS(situ_ones(SHAPE(1, 1, 32)), images), "1=1");
    situ_scope_close(scope);
    return -situ_failed();
}

static int call_small(int64_t r)
{
    small_input[0] = (float)r;
    situ_scope *scope = situ_scope_open();
    situ_read(situ_module_call(net, situ_from_host(small_input, SHAPE(1, 32))), small_result, 4 * sizeof *small_result);
    situ_scope_close(scope);
    return -situ_failed();
}

static int call_gru(int64_t r)
{
    situ_tensor *out[2];
    small_input[0] = (float)r;
    situ_scope *scope = situ_scope_open();
    situ_module_call_n(net, TENSORS(situ_from_host(small_input, SHAPE(1, 1, 32)), images), out, 2);
    situ_tensor *state = situ_keep(out[1]);
    situ_read(out[0], small_result, 64 * sizeof *small_result);
    situ_scope_close(scope);
    situ_release(images);
    images = state;
    return -situ_failed();
}

static int run_session(int64_t r)
{
    small_input[0] = (float)r;
    memcpy(situ_session_input(session, 0), small_input, (size_t)small_width * sizeof *small_input);
    return situ_session_run(session);
}

/* An mlp step on the null device, which checks and binds everything but computes nothing: time to record it, to plan it
 * (from the cache, up to the launch), and to close its scope. */
int bench_planning(void)
{
    double record = 1e9, plan = 1e9, end = 1e9;
    for (int i = prepare_mlp_on(situ_null()) ? 0 : 20000; i > 0 && !situ_failed(); i--) {
        situ_scope *scope = situ_scope_open();
        double start = bench_clock();
        situ_tensor *loss = record_step();
        double recorded = bench_clock();
        situ_eval(TENSORS(loss));
        double planned = bench_clock();
        situ_scope_close(scope);
        end = fmin(end, bench_clock() - planned);
        record = fmin(record, recorded - start);
        plan = fmin(plan, planned - recorded);
    }
    if (situ_failed()) return 1;
    printf("mlp step: recording %.4g planning %.4g closing %.4g\n", record, plan, end);
    return 0;
}

const bench_work bench_networks[] = {
    {"mlp", "a step of 784-256-10, batch 256, SGD, ending in reading the loss", prepare_mlp, train, 0},
    {"lenet", "the same of LeNet, 256 images of 28 x 28", prepare_lenet, train, 0},
    {"resnet", "the same of ResNet-20, 64 images of 3 x 32 x 32", prepare_resnet, train, 0},
    {"gpt", "the same of a GPT of 4 blocks, width 128, 32 x 64 letters, AdamW", prepare_gpt, train, 0},
    {"lstm", "the same of two LSTM layers of 256, 32 x 64 letters, Adam", prepare_lstm, train, 0},
    {"gru", "the same of two GRU layers of 256", prepare_gru, train, 0},
    {"table", "the same of 4,096 of 10^6 rows of 32, Adam for these rows", prepare_table_adam, look_up, 0},
    {"tablesgd", "the same by SGD", prepare_table_sgd, look_up, 0},
    {"lstmletter", "the LSTM network's answer to one letter of one row, read", prepare_lstm_letter, infer, 0},
    {"gruletter", "the GRU network's", prepare_gru_letter, infer, 0},
    {"smallmlp", "a call of an MLP of 32 inputs, 32-32-4, from memory to memory", prepare_small_mlp, call_small, 0},
    {"smallmlp-session", "the same by a session", prepare_small_mlp, run_session, 0},
    {"grustep", "a step of a GRU of 64, its state kept, from memory to memory", prepare_gru_step, call_gru, 0},
    {"grustep-session", "the same by a session", prepare_gru_step, run_session, 0},
    {0},
};
