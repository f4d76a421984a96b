/* Run by tests/checks/group_training.py under mpirun and without it: training NET MODE [GPUS [ODD]] trains a network
 * for some steps and tells the hash of all that it has learnt. MODE: "deterministic"; "fast"; "global": fast, with the
 * moments of all ranks' rows. ODD: the rank that does something wrong, as its number and a word: 1:batch, 1:rows,
 * 1:data, 1:lr, 1:key, 1:callback, 1:called. EPOCHS in the environment: not 2 but so many. */
#include <situ.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static situ_group *group;
static const char *mode, *odd = "";

static bool is_odd(const char *what) { return !strcmp(odd, what); }

static situ_module *lenet(void)
{
    return situ_sequential(situ_conv2d_layer(6, SHAPE(5), .padding = SHAPE(2)), situ_sigmoid_layer(), situ_avg_pool2d_layer(SHAPE(2)),
        situ_conv2d_layer(16, SHAPE(5)), situ_sigmoid_layer(), situ_avg_pool2d_layer(SHAPE(2)), situ_flatten_layer(),
        situ_linear_layer(120), situ_sigmoid_layer(), situ_linear_layer(84), situ_sigmoid_layer(), situ_linear_layer(10));
}

static situ_module *norm(void)
{
    situ_group *all = strcmp(mode, "global") ? NULL : group;
    return situ_sequential(situ_conv2d_layer(8, SHAPE(3), .padding = SHAPE(1)), situ_batch_norm_layer(.group = all), situ_relu_layer(),
        situ_avg_pool2d_layer(SHAPE(2)), situ_conv2d_layer(8, SHAPE(3)), situ_batch_norm_layer(.group = all), situ_relu_layer(),
        situ_flatten_layer(), situ_dropout_layer(0.5), situ_linear_layer(10));
}

enum { LETTERS = 65, WIDTH = 32, PLACES = 24 };
static situ_module *gpt(void)
{
    situ_module *net = situ_sequential(situ_embedding_layer(LETTERS, WIDTH));
    for (int i = 0; i < 2; i++)
        situ_sequential_add(net,
            situ_transformer_encoder_layer(
                WIDTH, 4, .dropout = 0.1, .norm_first = true, .causal = true, .feed = SITU_FEED_GELU, .rotary = 10000));
    situ_sequential_add(net, situ_layer_norm_layer());
    situ_sequential_add(net, situ_linear_layer(LETTERS));
    return net;
}

static situ_tensor *letters_loss(situ_tensor *scores, situ_tensor *target)
{
    return situ_cross_entropy(situ_reshape(scores, SHAPE(-1, LETTERS)), situ_reshape(target, SHAPE(-1)));
}

/* Labels that say something of the rows: the mean of an image is around a tenth of its label. */
static situ_dataset *data_of(const char *net, int key, int64_t rows)
{
    bool text = !strcmp(net, "gpt");
    int64_t side = strcmp(net, "lenet") ? 8 : 28;
    situ_tensor *labels, *x;
    if (text) {
        x = situ_randint(situ_key(key), SHAPE(rows, PLACES), 0, LETTERS);
        labels = situ_randint(situ_key(key + 1), SHAPE(rows, PLACES), 0, LETTERS);
    } else {
        labels = situ_randint(situ_key(key), SHAPE(rows), 0, 10);
        x = situ_add(situ_normal(situ_key(key + 1), SHAPE(rows, 1, side, side)),
            situ_reshape(situ_mul(situ_cast(labels, SITU_F32), 0.1), SHAPE(-1, 1, 1, 1)));
    }
    return situ_tensor_dataset(TENSORS(x, labels), .classes = text ? 0 : 10);
}

/* On one rank it fails in the second step. */
static int after_step(situ_trainer *trainer, void *self)
{
    (void)self;
    return is_odd("callback") && situ_trainer_steps(trainer) == 2 ? -77 : 0;
}

static uint64_t hash_of(situ_module *net, situ_device d)
{
    uint64_t h = 14695981039346656037u;
    for (int i = 0; i < situ_module_count(net); i++) {
        situ_tensor *p = situ_module_copy(net, i, d);
        size_t bytes = (size_t)situ_count(p) * situ_dtype_size(situ_dtype_of(p));
        unsigned char *data = malloc(bytes + 1);
        if (situ_read(p, (float *)(void *)data, bytes)) return 0;
        for (size_t k = 0; k < bytes; k++) h = (h ^ data[k]) * 1099511628211u;
        free(data);
    }
    return h;
}

/* The hash of each device's copy is the same, or 0. */
static uint64_t hash_of_all(situ_module *net, situ_trainer *trainer)
{
    situ_device device[32];
    int n = situ_trainer_devices(trainer, device, 32);
    uint64_t h = hash_of(net, device[0]);
    for (int i = 1; i < n; i++)
        if (hash_of(net, device[i]) != h) return 0;
    return h;
}

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    int gpus = argc > 3 ? atoi(argv[3]) : 0;
    mode = argv[2];
    group = situ_group_open();
    int rank = situ_group_rank(group);
    if (argc > 4 && atoi(argv[4]) == rank && strchr(argv[4], ':')) odd = strchr(argv[4], ':') + 1;
    situ_scope *scope = situ_scope_open();
    situ_dataset *train = data_of(argv[1], is_odd("data") ? 5 : 1, is_odd("rows") ? 202 : 203), *held_out = data_of(argv[1], 3, 50);
    situ_module *net = !strcmp(argv[1], "lenet") ? lenet() : !strcmp(argv[1], "gpt") ? gpt() : norm();
    situ_module_init(net, situ_key(is_odd("key") ? 8 : 7));
    if (is_odd("called")) situ_module_call(net, situ_zeros(SHAPE(1, 1, 8, 8)));
    situ_optimizer *adam = situ_adam(net, .lr = is_odd("lr") ? 0.004 : 0.003);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = getenv("EPOCHS") ? atoi(getenv("EPOCHS")) : 2, .batch = is_odd("batch") ? 64 : 70, .group = group, .num_gpus = gpus,
        .deterministic = !strcmp(mode, "deterministic"), .loss = strcmp(argv[1], "gpt") ? NULL : letters_loss, .clip_norm = 1, .on_step = after_step,
        .checkpoint = argc > 5 ? argv[5] : NULL, .resume = argc > 5);
    situ_trainer_fit(trainer, net, adam, train, held_out);
    uint64_t hash = situ_failed() ? 0 : hash_of_all(net, trainer);
    if (situ_failed()) printf("%d: %s: %s\n", rank, situ_code_name(situ_failed()), situ_error_message());
    else
        printf("%d: hash %016" PRIx64 " loss %.9g held out %.9g accuracy %.9g\n", rank, hash, situ_trainer_loss(trainer),
            situ_trainer_validation_loss(trainer), situ_trainer_accuracy(trainer));
    situ_trainer_free(trainer);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_scope_close(scope);
    situ_group_free(group);
    return situ_failed() ? 1 : 0;
}
