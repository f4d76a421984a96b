/* LeNet (LeCun et al., 1998), with relu and the largest of each window, on handwritten digits.
 *
 * `lenet FOLDER [KEY]` trains on the IDX files of a folder, such as those of MNIST, of which 1,000 images are held out; without a
 * folder on the digits of 8 x 8 that come with the library. */
#include <situ.h>
#include <stdlib.h>

/* [batch, height, width] gets the axis of channels. */
static situ_tensor *one_channel(situ_tensor *x, void *self)
{
    (void)self;
    return situ_expand_dims(x, 1);
}

int main(int argc, char **argv)
{
    situ_dataset *all = argc > 1 ? situ_idx_folder(argv[1], NULL) : situ_digits(), *train = NULL, *held_out = NULL;
    int64_t key = argc > 2 ? atoi(argv[2]) : 0, pad = argc > 1 ? 0 : 2; /* of the second convolution: 8 x 8 is too small without */
    if (argc > 1) situ_dataset_split(all, key, &train, &held_out, .count = 1000, .stratified = true);
    else situ_dataset_split(all, key, &train, &held_out, .stratified = true);

    situ_module *net = situ_sequential(situ_function_layer(one_channel, NULL), situ_conv2d_layer(6, SHAPE(5), .padding = SHAPE(2)),
        situ_relu_layer(), situ_max_pool2d_layer(SHAPE(2)), situ_conv2d_layer(16, SHAPE(5), .padding = SHAPE(pad)), situ_relu_layer(),
        situ_max_pool2d_layer(SHAPE(2)), situ_flatten_layer(), situ_linear_layer(120), situ_relu_layer(), situ_linear_layer(84),
        situ_relu_layer(), situ_linear_layer(10));
    situ_module_init(net, situ_key(key));
    situ_optimizer *adam = situ_adam(net, .lr = 4e-3);
    situ_trainer *trainer =
        situ_trainer_new(.max_epochs = argc > 1 ? 8 : 20, .batch = 64, .key = key, .cosine = true, .progress = stdout);
    situ_trainer_fit(trainer, net, adam, train, held_out);
    double accuracy = situ_trainer_accuracy(trainer);
    printf("held-out accuracy %.2f %% after %.1f s\n", 100 * accuracy, situ_trainer_seconds(trainer));

    situ_trainer_free(trainer);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(all);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed() || !(accuracy > 0.95);
}
