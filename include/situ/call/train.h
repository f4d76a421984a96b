/* Calls of situ/train.h. Made by scripts/generate.py from include/situ/train.h: change that. */
#ifndef SITU_CALL_TRAIN_H
#define SITU_CALL_TRAIN_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_TRAINER_DEFAULTS \
    (.max_epochs = 10, .batch = 64, .resident = -1, .device = SITU_DEVICE_DEFAULT, .xlim = -1, .accumulate = 1, \
    .workers = 1, .keep = 3, .precision = SITU_DTYPE_DEFAULT,)
#define SITU_TRAINER_HYPER \
    SITU_HYPER(situ_trainer_options, max_epochs, 10, 0, 1000000000, "passes over the training data"), \
    SITU_HYPER(situ_trainer_options, num_gpus, 0, 0, 32, "GPUs to train on"), \
    SITU_HYPER(situ_trainer_options, clip_norm, 0, 0, 3.4028234663852886e+38, "largest global norm of the gradients, 0: any"), \
    SITU_HYPER(situ_trainer_options, deterministic, 0, 0, 1, "the same bits on any number of devices"), \
    SITU_HYPER(situ_trainer_options, batch, 64, 1, 1073741824, "rows of a batch over all devices"), \
    SITU_HYPER(situ_trainer_options, key, 0, -9e+18, 9e+18, "key for the order of rows"), \
    SITU_HYPER(situ_trainer_options, cosine, 0, 0, 1, "the learning rate falls to 0 along half a cosine"), \
    SITU_HYPER(situ_trainer_options, resident, -1, -1, 1, "1: data on the device, 0: prefetched, -1: depends on its size"), \
    SITU_HYPER(situ_trainer_options, xlim, -1, -1, 1000000000, "end of the board's horizontal axis in epochs, 0: it grows, -1: max_epochs"), \
    SITU_HYPER(situ_trainer_options, patience, 0, 0, 1000000000, "ends after this many epochs without a better monitored value; 0: never"), \
    SITU_HYPER(situ_trainer_options, min_delta, 0, 0, 3.4028234663852886e+38, "least improvement that counts as better"), \
    SITU_HYPER(situ_trainer_options, keep_best, 0, 0, 1, "restores the weights of the best epoch at the end"), \
    SITU_HYPER(situ_trainer_options, maximize, 0, 0, 1, "larger values are better, as for an accuracy"), \
    SITU_HYPER(situ_trainer_options, log_every, 0, 0, 1000000000, "steps between two readings of the logged values; 0: an epoch, or with a board a second"), \
    SITU_HYPER(situ_trainer_options, epoch_batches, 0, 0, 1000000000000000, "batches of an epoch; 0: all rows (a stream needs it)"), \
    SITU_HYPER(situ_trainer_options, accumulate, 1, 1, 1000000, "number of pieces in which a batch is computed, one after the other, for one step"), \
    SITU_HYPER(situ_trainer_options, workers, 1, 1, 64, "threads that gather batches of data that is not on the device"), \
    SITU_HYPER(situ_trainer_options, nan, 0, 0, 1, "stops at the first NaN and names the operation that made it (slow); false: a NaN loss stops the training when it is read"), \
    SITU_HYPER(situ_trainer_options, checkpoint_every, 0, 0, 1000000000000000, "steps between checkpoints; 0: one at the end of each epoch"), \
    SITU_HYPER(situ_trainer_options, keep, 3, 1, 1000000000, "number of last checkpoints that are kept, besides that of the best epoch"), \
    SITU_HYPER(situ_trainer_options, resume, 0, 0, 1, "continues from the last checkpoint in the folder, if there is one, with its hyper-parameters"), \
    SITU_HYPER(situ_trainer_options, proof_every, 0, 0, 1000000000000000, "steps between states from which verifying can start; 0: it starts at the first step")

#ifndef __cplusplus
#define situ_trainer_new(...) \
    SITU_OPTIONS_(situ_trainer_options, SITU_TRAINER_DEFAULTS, situ_trainer_new, (), \
    "situ_trainer_new(.max_epochs = ..., .num_gpus = ..., .clip_norm = ..., ...)", __VA_ARGS__)
#define situ_trainer_fit(trainer, net, opt, train, held_out) \
    (situ_trainer_fit)(SITU_HANDLE(situ_trainer *, trainer), SITU_HANDLE(situ_module *, net), \
    SITU_HANDLE(situ_optimizer *, opt), SITU_HANDLE(const situ_dataset *, train), SITU_HANDLE(const situ_dataset *, \
    held_out), SITU_HERE)
#define situ_trainer_evaluate(trainer, net, data) \
    (situ_trainer_evaluate)(SITU_HANDLE(situ_trainer *, trainer), SITU_HANDLE(situ_module *, net), SITU_HANDLE(const \
    situ_dataset *, data), SITU_HERE)
#define situ_trainer_measure(trainer, net, data) \
    (situ_trainer_measure)(SITU_HANDLE(situ_trainer *, trainer), SITU_HANDLE(situ_module *, net), SITU_HANDLE(const \
    situ_dataset *, data), SITU_HERE)
#define situ_trainer_log(trainer, name, value) \
    (situ_trainer_log)(SITU_HANDLE(situ_trainer *, trainer), (name), SITU_TENSOR(value), SITU_HERE)
#define situ_trainer_confusion(trainer, prediction, target) \
    (situ_trainer_confusion)(SITU_HANDLE(situ_trainer *, trainer), SITU_TENSOR(prediction), SITU_TENSOR(target), \
    SITU_HERE)
#define situ_trainer_begin(trainer, net, opt, train, held_out) \
    (situ_trainer_begin)(SITU_HANDLE(situ_trainer *, trainer), SITU_HANDLE(situ_module *, net), \
    SITU_HANDLE(situ_optimizer *, opt), SITU_HANDLE(const situ_dataset *, train), SITU_HANDLE(const situ_dataset *, \
    held_out), SITU_HERE)
#define situ_trainer_give(trainer, loss) \
    (situ_trainer_give)(SITU_HANDLE(situ_trainer *, trainer), SITU_TENSOR(loss), SITU_HERE)
#define situ_trainer_prepare_batch(trainer, batch) \
    (situ_trainer_prepare_batch)(SITU_HANDLE(situ_trainer *, trainer), SITU_OPERAND(batch), SITU_HERE)
#define situ_trainer_prepare_arrays(trainer, batch, out) \
    (situ_trainer_prepare_arrays)(SITU_HANDLE(situ_trainer *, trainer), (batch), (out), SITU_HERE)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_trainer_free(trainer) SITU_AT_(situ_trainer_free, SITU_HANDLE(situ_trainer *, trainer))
#define situ_trainer_next(...) SITU_AT_AS_IT_IS_(situ_trainer_next, __VA_ARGS__)
#define situ_trainer_end(trainer) SITU_AT_(situ_trainer_end, SITU_HANDLE(situ_trainer *, trainer))
#define situ_trainer_note(trainer, note) SITU_AT_(situ_trainer_note, SITU_HANDLE(situ_trainer *, trainer), (note))
#define situ_report_join(...) SITU_AT_AS_IT_IS_(situ_report_join, __VA_ARGS__)
#define situ_trainer_prepare_model(trainer, net) \
    SITU_AT_(situ_trainer_prepare_model, SITU_HANDLE(situ_trainer *, trainer), SITU_HANDLE(situ_module *, net))
#define situ_trainer_hyper(...) SITU_AT_AS_IT_IS_(situ_trainer_hyper, __VA_ARGS__)
#define situ_trainer_save_hyperparameters(trainer, opt, file) \
    SITU_AT_(situ_trainer_save_hyperparameters, SITU_HANDLE(const situ_trainer *, trainer), SITU_HANDLE(const \
    situ_optimizer *, opt), (file))
#endif

#endif
