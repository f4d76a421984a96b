/* Frees the objects of a training. */
#ifndef SITU_TEST_TRAINING_H
#define SITU_TEST_TRAINING_H

#include <situ.h>

/* Frees the trainer first, because it refers to the others; then one or several data sets. */
#define free_training(trainer_, optimizer_, net_, ...)                                                     \
    do {                                                                                                   \
        situ_dataset *data_[] = {__VA_ARGS__};                                                             \
        free_training_of((trainer_), (optimizer_), (net_), data_, (int)(sizeof data_ / sizeof *data_));    \
    } while (0)
static inline void free_training_of(situ_trainer *trainer, situ_optimizer *optimizer, situ_module *net, situ_dataset **data, int count)
{
    situ_trainer_free(trainer);
    situ_optimizer_free(optimizer);
    situ_module_free(net);
    for (int i = 0; i < count; i++) situ_dataset_free(data[i]);
}

#endif
