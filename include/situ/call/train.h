/* Calls of situ/train.h. Made by scripts/generate.py from include/situ/train.h: change that. */
#ifndef SITU_CALL_TRAIN_H
#define SITU_CALL_TRAIN_H

#define SITU_TRAINER_DEFAULTS \
    (.max_epochs = 10, .batch = 64, .resident = -1, .device = SITU_DEVICE_DEFAULT, .xlim = -1,)

#ifndef __cplusplus
#define situ_trainer_new(...) \
    SITU_OPTIONS_(situ_trainer_options, SITU_TRAINER_DEFAULTS, situ_trainer_new, (), __VA_ARGS__)
#define situ_fit(trainer, net, opt, train, held_out) \
    (situ_fit_at)((trainer), (net), (opt), (train), (held_out), SITU_HERE)
#define situ_evaluate(trainer, net, data) (situ_evaluate_at)((trainer), (net), (data), SITU_HERE)
#define situ_prepare_batch(trainer, batch) (situ_prepare_batch_at)((trainer), SITU_OPERAND(batch), SITU_HERE)
#define situ_prepare_arrays(trainer, batch, count) \
    (situ_prepare_arrays_at)((trainer), (batch), SITU_INTEGER(count), SITU_HERE)
#ifndef SITU_BUILD /* the line where a handle ends is said to who uses it later */
#define situ_trainer_free(trainer) (situ_trainer_free_at)((trainer), SITU_HERE)
#endif
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_prepare_model(...) SITU_AT_(situ_prepare_model, __VA_ARGS__)
#define situ_trainer_hyper(...) SITU_AT_(situ_trainer_hyper, __VA_ARGS__)
#define situ_save_hyperparameters(...) SITU_AT_(situ_save_hyperparameters, __VA_ARGS__)
#endif

#endif
