/* A dense block (Huang et al., 2016): each layer reads what all layers before it gave, one behind the other along the channels. */
#include <situ.h>

enum { GROWTH = 12, LAYERS = 4 };

/* [batch, height, width] gets the axis of channels; the mean of each channel. */
static situ_tensor *one_channel(situ_tensor *x, void *self)
{
    (void)self;
    return situ_expand_dims(x, 1);
}
static situ_tensor *means(situ_tensor *x, void *self)
{
    (void)self;
    return situ_mean(x, .axes = AXES(2, 3));
}

/* Norm, relu, convolution: in this order its inputs, which many layers read, stay as they are. */
static situ_module *convolution(int64_t out, int64_t size)
{
    return situ_sequential(situ_batch_norm_layer(), situ_relu_layer(),
        situ_conv2d_layer(out, SHAPE(size), .padding = SHAPE(size / 2), .bias = false));
}

/* x, and behind it GROWTH channels more; an empty sequence is x itself. */
static situ_module *grown(void)
{
    return situ_parallel(SITU_PARTS(situ_sequential(), convolution(GROWTH, 3)), .join = SITU_JOIN_CONCAT);
}

int main(void)
{
    situ_dataset *digits = situ_digits(), *train = NULL, *held_out = NULL;
    situ_dataset_split(digits, 0, &train, &held_out, .stratified = true);

    situ_module *net =
        situ_sequential(situ_function_layer(one_channel, NULL), situ_conv2d_layer(16, SHAPE(3), .padding = SHAPE(1), .bias = false));
    int64_t channels = 16;
    for (int block = 0; block < 2; block++) {
        for (int i = 0; i < LAYERS; i++, channels += GROWTH) situ_sequential_add(net, grown());
        if (block) break;
        situ_sequential_add(net, convolution(channels /= 2, 1)); /* a transition: half the channels and half the size */
        situ_sequential_add(net, situ_avg_pool2d_layer(SHAPE(2)));
    }
    situ_module *head[] = {situ_batch_norm_layer(), situ_relu_layer(), situ_function_layer(means, NULL), situ_linear_layer(10)};
    for (int i = 0; i < 4; i++) situ_sequential_add(net, head[i]);

    situ_optimizer *adam = situ_adam(net, .lr = 5e-3);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 4, .batch = 64, .cosine = true, .progress = stdout);
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
    return situ_failed() || !(accuracy > 0.95);
}
