/* All but the backends of foreign libraries: a trainer in a group of one process. */
#include <situ.h>
#include <stdio.h>

int main(void)
{
    situ_group *group = situ_group_open();
    situ_dataset *digits = situ_digits();
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(10));
    situ_optimizer *adam = situ_adam(net, .lr = 0.01);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 2, .group = group);
    if (situ_trainer_fit(trainer, net, adam, digits, digits)) return 2;
    printf("%d of %d: %d\n", situ_group_rank(group), situ_group_size(group), situ_trainer_accuracy(trainer) > 0.8);
    situ_trainer_free(trainer);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_dataset_free(digits);
    situ_group_free(group);
    return situ_failed() ? 3 : 0;
}
