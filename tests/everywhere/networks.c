/* Trains a network and writes its weights: networks digits|lenet|gpt FILE.
 *
 * scripts/everywhere compares the files of all platforms. The networks are those of `situ train`, examples/lenet.c and examples/gpt.c. */
#include <situ.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of which `situ train --epochs 3 --deterministic --hash` tells the SHA-256: parameters one after the other, little-endian. */
static int write_bytes(situ_module *net, const char *file)
{
    FILE *out = fopen(file, "wb");
    if (!out) return perror(file), 1;
    int bad = 0;
    for (int i = 0; i < situ_module_count(net); i++) {
        situ_tensor *p = situ_module_parameter(net, i);
        size_t count = (size_t)situ_count(p);
        float *value = malloc(count * sizeof *value);
        if (!value || situ_read(p, value, count * sizeof *value)) bad = 1;
        for (size_t at = 0; at < count && !bad; at++) {
            uint32_t bits;
            memcpy(&bits, value + at, sizeof bits);
            for (int k = 0; k < 32; k += 8) bad |= putc((int)(bits >> k & 255), out) == EOF;
        }
        free(value);
    }
    return fclose(out) || bad;
}

static void digits(const char *file)
{
    situ_dataset *all = situ_digits(), *train = NULL, *held_out = NULL;
    situ_dataset_split(all, 0, &train, &held_out, .share = 0.2, .stratified = true);
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(256), situ_relu_layer(), situ_dropout_layer(0.4),
        situ_linear_layer(10));
    situ_module_init(net, situ_fold_in(situ_key(0), -1));
    situ_optimizer *adam = situ_adam(net, .lr = 0.005);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 3, .batch = 32, .cosine = true, .deterministic = true);
    situ_trainer_fit(trainer, net, adam, train, held_out);
    printf("digits: accuracy %.4f\n", situ_trainer_accuracy(trainer));
    if (write_bytes(net, file)) fprintf(stderr, "%s could not be written\n", file);
    situ_trainer_free(trainer);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(all);
}

static situ_tensor *one_channel(situ_tensor *x, void *self)
{
    (void)self;
    return situ_expand_dims(x, 1);
}

static void lenet(const char *file)
{
    situ_dataset *digits = situ_digits(), *train = NULL, *held_out = NULL;
    situ_dataset_split(digits, 0, &train, &held_out, .stratified = true);
    situ_module *net = situ_sequential(situ_function_layer(one_channel, NULL), situ_conv2d_layer(6, SHAPE(5), .padding = SHAPE(2)),
        situ_relu_layer(), situ_max_pool2d_layer(SHAPE(2)), situ_conv2d_layer(16, SHAPE(5), .padding = SHAPE(2)), situ_relu_layer(),
        situ_max_pool2d_layer(SHAPE(2)), situ_flatten_layer(), situ_linear_layer(120), situ_relu_layer(), situ_linear_layer(84),
        situ_relu_layer(), situ_linear_layer(10));
    situ_module_init(net, situ_key(0));
    situ_optimizer *adam = situ_adam(net, .lr = 4e-3);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 1, .batch = 64, .cosine = true, .deterministic = true);
    situ_trainer_fit(trainer, net, adam, train, held_out);
    printf("lenet: accuracy %.4f\n", situ_trainer_accuracy(trainer));
    situ_module_save(net, file);
    situ_trainer_free(trainer);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(digits);
}

enum { WIDTH = 48, HEADS = 3, BLOCKS = 2, LETTERS = 128, LENGTH = 40, BATCH = 8, STEPS = 20 };

static const char verse[] =
    "This is the house that Jack built.\nThis is the malt that lay in the house that Jack built.\n"
    "This is the cat that killed the rat that ate the malt that lay in the house that Jack built.\n"
    "This is the dog that worried the cat that killed the rat that ate the malt that lay in the house that Jack built.\n";

static situ_module *make_gpt(void)
{
    situ_module *net = situ_sequential(situ_embedding_layer(LETTERS, WIDTH));
    for (int i = 0; i < BLOCKS; i++)
        situ_sequential_add(net, situ_transformer_encoder_layer(WIDTH, HEADS, .dropout = 0.1, .norm_first = true, .causal = true,
                                     .feed = SITU_FEED_GELU, .rotary = 10000));
    situ_sequential_add(net, situ_layer_norm_layer());
    situ_sequential_add(net, situ_linear_layer(LETTERS));
    situ_module_init(net, situ_key(0));
    return net;
}

static void gpt(const char *file)
{
    static int32_t letter[sizeof verse - 1];
    for (size_t i = 0; i < sizeof verse - 1; i++) letter[i] = verse[i];
    situ_scope *scope = situ_scope_open();
    situ_dataset *windows = situ_window_dataset(situ_from_host(letter, SHAPE(sizeof verse - 1), .dtype = SITU_I32), LENGTH, .stride = 1);
    situ_loader *loader = situ_loader_new(windows, .batch = BATCH, .shuffle = true, .drop_last = true);
    situ_module *net = make_gpt();
    situ_optimizer *adam = situ_adamw(net, .lr = 3e-3, .clip_norm = 1);
    situ_schedule_cosine(adam, STEPS);
    double last = 0;
    situ_loader_start(loader, 0);
    for (int step = 0; step < STEPS && situ_loader_next(loader) > 0; step++) {
        situ_scope *turn = situ_scope_open();
        situ_tensor *text, *next;
        situ_loader_batch(loader, &text, &next);
        situ_tensor *loss = situ_cross_entropy(situ_module_call(net, text), next);
        situ_optimizer_step(adam, loss);
        if (step + 1 == STEPS) last = situ_item(loss);
        situ_scope_close(turn);
    }
    printf("gpt: loss %.4f\n", last);
    situ_module_save(net, file);
    situ_scope_close(scope);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_loader_free(loader);
    situ_dataset_free(windows);
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "digits")) digits(argv[2]);
    else if (argc == 3 && !strcmp(argv[1], "lenet")) lenet(argv[2]);
    else if (argc == 3 && !strcmp(argv[1], "gpt")) gpt(argv[2]);
    else return fprintf(stderr, "networks digits|lenet|gpt FILE\n"), 2;
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed();
}
