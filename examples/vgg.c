/* A network of VGG's blocks (Simonyan and Zisserman, 2014): convolutions of 3 x 3, then half the size and twice the channels. */
#include <situ.h>

/* [batch, height, width] gets the axis of channels. */
static situ_tensor *one_channel(situ_tensor *x, void *self)
{
    (void)self;
    return situ_expand_dims(x, 1);
}

static void add_block(situ_module *net, int convolutions, int64_t channels)
{
    for (int i = 0; i < convolutions; i++) {
        situ_sequential_add(net, situ_conv2d_layer(channels, SHAPE(3), .padding = SHAPE(1)));
        situ_sequential_add(net, situ_relu_layer());
    }
    situ_sequential_add(net, situ_max_pool2d_layer(SHAPE(2)));
}

int main(void)
{
    situ_dataset *digits = situ_digits(), *train = NULL, *held_out = NULL;
    situ_dataset_split(digits, 0, &train, &held_out, .stratified = true);

    situ_module *net = situ_sequential(situ_function_layer(one_channel, NULL));
    static const struct { int convolutions, channels; } block[] = {{1, 16}, {1, 32}, {2, 64}};
    for (int i = 0; i < 3; i++) add_block(net, block[i].convolutions, block[i].channels);
    situ_module *head[] = {situ_flatten_layer(), situ_linear_layer(64), situ_relu_layer(), situ_dropout_layer(0.3), situ_linear_layer(10)};
    for (int i = 0; i < 5; i++) situ_sequential_add(net, head[i]);
    situ_module_initialize(net, "weight", SITU_INIT_KAIMING_NORMAL, .gain = 1.41421356); /* as deep nets of relus begin well */

    situ_scope *scope = situ_scope_open();
    situ_module_summary(net, TENSORS(situ_zeros(SHAPE(1, 8, 8))));
    situ_scope_close(scope);

    situ_optimizer *adam = situ_adam(net, .lr = 2e-3);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 8, .batch = 64, .cosine = true, .progress = stdout);
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
