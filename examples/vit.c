/* A vision transformer (Dosovitskiy et al., 2020): an image is a sequence of patches, each with a place. */
#include <situ.h>

enum { WIDTH = 32, HEADS = 4, BLOCKS = 2, PATCH = 2 };

/* [batch, height, width] gets the axis of channels; the mean over the places. */
static situ_tensor *one_channel(situ_tensor *x, void *self)
{
    (void)self;
    return situ_expand_dims(x, 1);
}
static situ_tensor *means(situ_tensor *x, void *self)
{
    (void)self;
    return situ_mean(x, .axes = 1);
}

/* [batch, width, rows, columns] becomes [batch, rows * columns, width]; each place has a row that is learnt. */
static situ_tensor *places(situ_module *m, situ_tensor *x, void *self)
{
    (void)self;
    int64_t count = situ_dim(x, 2) * situ_dim(x, 3);
    x = situ_permute(situ_reshape(x, SHAPE(situ_dim(x, 0), WIDTH, count)), AXES(0, 2, 1));
    return situ_add(x, situ_module_use(m, 0, x, SHAPE(count, WIDTH), .deviation = 0.02));
}

int main(void)
{
    static const situ_module_kind places_kind = {.name = "places", .forward = places};
    situ_dataset *digits = situ_digits(), *train = NULL, *held_out = NULL;
    situ_dataset_split(digits, 0, &train, &held_out, .stratified = true);

    situ_module *sequence = situ_module_custom(&places_kind, NULL);
    situ_module_declare(sequence, "weight");
    situ_module *net = situ_sequential(
        situ_function_layer(one_channel, NULL), situ_conv2d_layer(WIDTH, SHAPE(PATCH), .stride = SHAPE(PATCH)), sequence);
    for (int i = 0; i < BLOCKS; i++)
        situ_sequential_add(net,
            situ_transformer_encoder_layer(WIDTH, HEADS, .hidden = 2 * WIDTH, .norm_first = true, .feed = SITU_FEED_GELU, .dropout = 0));
    situ_module *head[] = {situ_layer_norm_layer(), situ_function_layer(means, NULL), situ_linear_layer(10)};
    for (int i = 0; i < 3; i++) situ_sequential_add(net, head[i]);

    situ_optimizer *adam = situ_adamw(net, .lr = 3e-3, .weight_decay = 0.05);
    situ_schedule_warmup(adam, 40, 0);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 25, .batch = 64, .cosine = true, .progress = stdout);
    situ_trainer_fit(trainer, net, adam, train, held_out);
    double accuracy = situ_trainer_accuracy(trainer);
    printf("held-out accuracy %.2f %%\n", 100 * accuracy);

    situ_trainer_free(trainer);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(digits);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed() || !(accuracy > 0.93);
}
