/* A multilayer perceptron on handwritten digits: a network of layers, an optimizer, and a loop of one's own over batches.
 *
 * `mlp FOLDER` trains on the IDX files of a folder, such as those of MNIST, instead of the digits that come with the library. */
#include <situ.h>

enum { EPOCHS = 10, BATCH = 64 };

int main(int argc, char **argv)
{
    situ_dataset *all = argc > 1 ? situ_idx_folder(argv[1], NULL) : situ_digits(), *train = NULL, *held_out = NULL;
    situ_dataset_split(all, 0, &train, &held_out, .stratified = true);
    situ_loader *loader = situ_loader_new(train, .batch = BATCH, .shuffle = true);
    situ_loader *test = situ_loader_new(held_out, .batch = 1000);

    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(128), situ_relu_layer(), situ_dropout_layer(0.2),
        situ_linear_layer(64), situ_relu_layer(), situ_linear_layer(10));
    situ_optimizer *adam = situ_adam(net, .lr = 2e-3);
    situ_metric *accuracy = situ_accuracy_metric();
    situ_tensor *images, *labels;
    double share = 0;

    for (int epoch = 0; epoch < EPOCHS && !situ_failed(); epoch++) {
        situ_module_set_training(net, true);
        situ_loader_start(loader, epoch);
        while (situ_loader_next(loader) > 0) {
            situ_scope *step = situ_scope_open();
            situ_loader_batch(loader, &images, &labels);
            situ_optimizer_step(adam, situ_cross_entropy(situ_module_call(net, images), labels));
            situ_scope_close(step); /* starts the step's work and goes on: nothing is waited for */
        }
        situ_module_set_training(net, false); /* no dropout */
        situ_metric_reset(accuracy);
        situ_loader_start(test, 0);
        while (situ_loader_next(test) > 0) {
            situ_scope *part = situ_scope_open();
            situ_loader_batch(test, &images, &labels);
            situ_metric_update(accuracy, situ_module_call(net, images), labels);
            situ_scope_close(part);
        }
        printf("epoch %2d: held-out accuracy %.2f %%\n", epoch + 1, 100 * (share = situ_metric_value(accuracy)));
    }

    situ_metric_free(accuracy);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_loader_free(loader);
    situ_loader_free(test);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(all);
    if (situ_failed()) fprintf(stderr, "%s\n", situ_error_message());
    return situ_failed() || !(share > 0.9);
}
