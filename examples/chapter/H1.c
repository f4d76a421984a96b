/* H1: a trainer that moves model and batches to its devices, clips gradients, and draws the loss while it runs. */
#include "chapter.h"

int row_H1(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_dataset *digits = situ_digits(), *train = NULL, *held_out = NULL;
    situ_dataset_split(digits, 0, &train, &held_out, .stratified = true);
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear(64), situ_relu_layer(), situ_linear(10));
    situ_optimizer *sgd = situ_sgd(net, .lr = 0.1, .momentum = 0.9);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 3, .num_gpus = 1, .gradient_clip_val = 1, .board = stdout);
    situ_save_hyperparameters(trainer, sgd, stdout);

    HOLDS(situ_fit(trainer, net, sgd, train, held_out) == 0);
    printf("accuracy on held-out data: %.2f %%\n", 100 * situ_trainer_accuracy(trainer));
    HOLDS(situ_trainer_accuracy(trainer) > 0.85);
    HOLDS(situ_device_equal(situ_module_device(net), situ_gpu(0)));
    HOLDS(situ_optimizer_clip(sgd) == 1);

    /* The same by hand: what fit does for each batch. */
    situ_prepare_model(trainer, net);
    situ_tensor *batch = situ_prepare_batch(trainer, situ_zeros(SHAPE(16, 8, 8)));
    HOLDS(situ_device_equal(situ_device_of(situ_call(net, batch)), situ_gpu(0)));

    situ_trainer_free(trainer);
    situ_optimizer_free(sgd);
    situ_module_free(net);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(digits);
    situ_scope_close(scope);
    return row_end();
}
