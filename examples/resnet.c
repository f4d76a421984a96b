/* A residual network (He et al., 2015) on handwritten digits that are shifted and turned on their way into a batch.
 *
 * `resnet FOLDER [KEY]` trains on the IDX files of a folder, such as those of MNIST, of which 1,000 images are held out; without a
 * folder a smaller one trains on the digits of 8 x 8 that come with the library. */
#include <situ.h>
#include <stdlib.h>

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

static situ_module *convolution(int64_t out, int64_t size, int64_t stride)
{
    return situ_sequential(situ_conv2d_layer(out, SHAPE(size), .stride = SHAPE(stride), .padding = SHAPE(size / 2), .bias = false),
        situ_batch_norm_layer());
}

/* relu(x + f(x)), or with a stride of 2 relu(g(x) + f(x)), where g has as many channels as f. */
static situ_module *block(int64_t out, int64_t stride)
{
    situ_module *f = situ_sequential(convolution(out, 3, stride), situ_relu_layer(), convolution(out, 3, 1));
    situ_module *sum =
        stride == 1 ? situ_residual(f) : situ_parallel(SITU_PARTS(f, convolution(out, 1, stride)), .join = SITU_JOIN_SUM);
    return situ_sequential(sum, situ_relu_layer());
}

int main(int argc, char **argv)
{
    situ_dataset *all = argc > 1 ? situ_idx_folder(argv[1], NULL) : situ_digits(), *train = NULL, *held_out = NULL;
    int64_t key = argc > 2 ? atoi(argv[2]) : 0, width = argc > 1 ? 16 : 8;
    if (argc > 1) situ_dataset_split(all, key, &train, &held_out, .count = 1000, .stratified = true);
    else situ_dataset_split(all, key, &train, &held_out, .stratified = true);
    situ_dataset_augment(train, .crop = argc > 1 ? 2 : 0, .rotate = 10);

    situ_module *net = situ_sequential(situ_function_layer(one_channel, NULL), convolution(width, 3, 1), situ_relu_layer(),
        block(width, 1), block(2 * width, 2), block(4 * width, 2), situ_function_layer(means, NULL), situ_linear_layer(10));
    situ_module_init(net, situ_key(key));
    situ_optimizer *sgd = situ_sgd(net, .lr = 0.1, .momentum = 0.9, .weight_decay = 5e-4);
    situ_schedule_warmup(sgd, 50, 0);
    situ_trainer *trainer =
        situ_trainer_new(.max_epochs = argc > 1 ? 12 : 6, .batch = 64, .key = key, .cosine = true, .progress = stdout);
    situ_trainer_fit(trainer, net, sgd, train, held_out);
    double accuracy = situ_trainer_accuracy(trainer);
    printf("held-out accuracy %.2f %% after %.1f s\n", 100 * accuracy, situ_trainer_seconds(trainer));

    situ_trainer_free(trainer);
    situ_optimizer_free(sgd);
    situ_module_free(net);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(all);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed() || !(accuracy > 0.95);
}
