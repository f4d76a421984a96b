/* M2: data-parallel training by several processes, on one machine or on many: mpirun -n 4 situ chapter M2. Each has a part of every
 * batch; in deterministic mode the weights are those of one process, bit for bit. Without mpirun it is a group of one. */
#include "chapter.h"

/* Trains with the group's other ranks, or alone without one, and copies the first weight to `out`. */
static double train_with(situ_group *group, const situ_dataset *train, const situ_dataset *held_out, float *out, size_t bytes)
{
    situ_scope *scope = situ_scope_open();
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(32), situ_relu_layer(), situ_linear_layer(10));
    situ_optimizer *adam = situ_adam(net, .lr = 0.01);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = (int)row_size(3, 1), .device = situ_cpu(), .deterministic = true, .group = group);
    double start = row_clock(), clock = situ_sim_clock();
    situ_trainer_fit(trainer, net, adam, train, held_out);
    row_timed(group ? "a training with the group" : "a training alone", situ_sim_clock() - clock, row_clock() - start);
    situ_read(situ_module_parameter(net, 0), out, bytes);
    double accuracy = situ_trainer_accuracy(trainer);
    situ_trainer_free(trainer);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_scope_close(scope);
    return accuracy;
}

int row_M2(void)
{
    situ_group *group = situ_group_open();
    int rank = situ_group_rank(group), ranks = situ_group_size(group);
    situ_dataset *digits = situ_digits(), *train = NULL, *held_out = NULL;
    situ_dataset_split(digits, 0, &train, &held_out, .stratified = true);
    static float alone[32 * 64], together[32 * 64];
    train_with(NULL, train, held_out, alone, sizeof alone);
    int64_t before = situ_ledger_sum().peer_bytes;
    double accuracy = train_with(group, train, held_out, together, sizeof together);
    int64_t sent = situ_ledger_sum().peer_bytes - before;
    printf("rank %d of %d by %s: accuracy %.2f %%, %.1f MB sent to the others\n", rank, ranks, situ_group_engine(group), 100 * accuracy, 1e-6 * (double)sent);
    HOLDS(!memcmp(alone, together, sizeof alone));
    int equal = (int)situ_item_int(situ_group_all_reduce(group, !memcmp(alone, together, sizeof alone)));
    HOLDS(equal == ranks);
    HOLDS((sent > 0) == (ranks > 1));
    HOLDS(accuracy > 0.8);
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    situ_dataset_free(digits);
    situ_group_free(group);
    return row_end();
}
