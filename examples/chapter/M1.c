/* M1: data-parallel training over all devices of one machine; in deterministic mode any number of them gives the same
 * bits. M2 does it with several processes. */
#include "chapter.h"

/* Trains on so many GPUs and copies the first weight to `out`; returns the accuracy. */
static double train_on(int gpus, const situ_dataset *train, const situ_dataset *held_out, float *out, size_t bytes)
{
    situ_scope *scope = situ_scope_open();
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(32), situ_relu_layer(), situ_linear_layer(10));
    situ_optimizer *adam = situ_adam(net, .lr = 0.01);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = (int)row_size(3, 1), .num_gpus = gpus, .deterministic = true);
    double start = row_clock(), clock = situ_sim_clock();
    situ_trainer_fit(trainer, net, adam, train, held_out);
    double simulated = situ_sim_clock() - clock, wall = row_clock() - start;
    situ_device last = gpus ? situ_gpu(gpus - 1) : situ_cpu();
    situ_read(situ_module_copy(net, 0, last), out, bytes); /* the copy on the last device */
    double accuracy = situ_trainer_accuracy(trainer);
    char name[32];
    printf("%d GPU%s, weights read from %s: accuracy %.2f %%, loss %.9g\n", gpus, gpus == 1 ? " " : "s", situ_device_name(last, name),
           100 * accuracy, situ_trainer_loss(trainer));
    snprintf(name, sizeof name, "a training on %d GPU%s", gpus, gpus == 1 ? "" : "s");
    row_timed(name, simulated, wall);
    situ_trainer_free(trainer);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_scope_close(scope);
    return accuracy;
}

int row_M1(void)
{
    if (situ_num_gpus() < 4) situ_sim_gpus(4);
    situ_dataset *digits = situ_digits(), *train = NULL, *held_out = NULL;
    situ_dataset_split(digits, 0, &train, &held_out, .stratified = true);
    static float weight[5][32 * 64];
    double accuracy = 0;
    for (int gpus = 0; gpus <= 4; gpus++) {
        accuracy = train_on(gpus, train, held_out, weight[gpus], sizeof weight[gpus]);
        if (gpus > 1) HOLDS(!memcmp(weight[gpus], weight[1], sizeof weight[1]));
        if (gpus == 1 && row_bit_equal(situ_gpu(0))) HOLDS(!memcmp(weight[1], weight[0], sizeof weight[0]));
    }
    HOLDS(accuracy > 0.8);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(digits);
    return row_end();
}
