/* H1: a trainer that moves model and batches to its devices, clips gradients, and draws the loss while it runs. */
#include "chapter.h"

int row_H1(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_dataset *digits = situ_digits(), *train = NULL, *held_out = NULL;
    situ_dataset_split(digits, 0, &train, &held_out, .stratified = true);
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(64), situ_relu_layer(), situ_linear_layer(10));
    situ_optimizer *sgd = situ_sgd(net, .lr = 0.1, .momentum = 0.9);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 3, .num_gpus = 1, .clip_norm = 1, .board = stdout);
    situ_trainer_save_hyperparameters(trainer, sgd, stdout);

    HOLDS(situ_trainer_fit(trainer, net, sgd, train, held_out) == 0);
    printf("accuracy on held-out data: %.2f %%\n", 100 * situ_trainer_accuracy(trainer));
    HOLDS(situ_trainer_accuracy(trainer) > 0.85);
    situ_device gpu[4];
    char name[32];
    HOLDS(situ_trainer_gpus(trainer, gpu, 4) == 1); /* min(num_gpus, all) */
    printf("gpus: %s\n", situ_device_name(gpu[0], name));
    HOLDS(situ_device_equal(situ_module_device(net), situ_gpu(0)));

    situ_curve curve[4]; /* what the board draws: training by minibatch, validation by epoch */
    int curves = situ_trainer_curves(trainer, curve, 4);
    for (int i = 0; i < curves; i++)
        printf("%-20s %3lld points, the last one at (%g, %.6g)\n", curve[i].name, (long long)curve[i].count, curve[i].x[curve[i].count - 1],
               curve[i].y[curve[i].count - 1]);
    HOLDS(curves == 3 && curve[0].count == 3 * 23 && curve[1].count == 3);
    HOLDS(situ_optimizer_clip_norm(sgd) == 1);

    /* The same by hand: what fit does for each batch. */
    situ_trainer_prepare_model(trainer, net);
    situ_tensor *batch[] = {situ_zeros(SHAPE(16, 8, 8)), situ_zeros(SHAPE(16), .dtype = SITU_I32)}; /* a batch is several arrays */
    HOLDS(situ_trainer_prepare_arrays(trainer, TENSORS_OF(batch, 2), batch) == 0);
    situ_tensor *loss = situ_cross_entropy(situ_module_call(net, batch[0]), batch[1]);
    situ_print(loss);
    HOLDS(situ_device_equal(situ_device_of(loss), situ_gpu(0)));

    situ_trainer_free(trainer);
    situ_optimizer_free(sgd);
    situ_module_free(net);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(digits);
    situ_scope_close(scope);
    return row_end();
}
