/* The trainer: moves a network and its batches to their devices, trains, measures on held-out data, and draws curves meanwhile.
 *
 *     situ_trainer *trainer = situ_trainer_new(.max_epochs = 10, .num_gpus = 1, .clip_norm = 1, .board = stdout);
 *     situ_trainer_fit(trainer, net, situ_adam(net), train, held_out);
 *     printf("%.2f %%\n", 100 * situ_trainer_accuracy(trainer));
 *     situ_trainer_free(trainer);
 *
 * It trains by cross entropy. Set .loss for another loss of the network's result and the target, or .step for a function of yours
 * that computes the loss of a batch. docs/training.md has an example of a step, and tells how several GPUs, checkpoints and several
 * processes work.
 */
#ifndef SITU_TRAIN_H
#define SITU_TRAIN_H

#include <stdio.h>

#include <situ/data.h>
#include <situ/group.h>
#include <situ/optim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct situ_trainer situ_trainer;

/* A scalar loss of a network's result. */
typedef situ_tensor *(*situ_loss_fn)(situ_tensor *prediction, situ_tensor *target);
/* The loss of a batch, or of one device's part of it: a scalar, the mean over its rows. If the trainer has no optimizer (NULL),
 * this function steps its own optimizers if batch->training. */
typedef situ_tensor *(*situ_step_fn)(situ_trainer *trainer, situ_module *net, const situ_batch *batch, void *self);
/* Returns 0: continue; above 0: end the training here; a negative code: it failed. */
typedef int (*situ_trainer_fn)(situ_trainer *trainer, void *self);

typedef struct SITU_BY_NAME situ_trainer_options {
    SITU_OPTION_HEAD;
    int32_t max_epochs;       /* = 10 in [0, 1e9]: passes over the training data */
    int32_t num_gpus;         /* = 0 in [0, 32]: GPUs to train on */
    double clip_norm;         /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    bool deterministic;       /* = false: the same bits on any number of devices */
    int64_t batch;            /* = 64 in [1, 1073741824]: rows of a batch over all devices */
    int64_t key;              /* = 0 in [-9e18, 9e18]: key for the order of rows */
    bool cosine;              /* = false: the learning rate falls to 0 along half a cosine */
    int32_t resident;         /* = -1 in [-1, 1]: 1: data on the device, 0: prefetched, -1: depends on its size */
    situ_device device;       /* = default: where it trains; default: the thread's default device */
    FILE *board;              /* = none: draws curves here while training: a terminal or a file */
    const char *plot;         /* = none: writes the curves to this SVG file at the end */
    const char *title;        /* = none: title of the drawings; none: the name of the data */
    double xlim;              /* = -1 in [-1, 1e9]: end of the board's horizontal axis in epochs, 0: it grows, -1:
                               * max_epochs */
    situ_loss_fn loss;        /* = none: loss of the network's result for the first input, and the first target; none: cross entropy
                               */
    situ_step_fn step;        /* = none: computes the loss of a batch; none: uses .loss */
    void *self;               /* = none: argument of .step, .on_step and .on_epoch */
    situ_trainer_fn on_step;  /* = none: called after each step, which may not have run yet */
    situ_trainer_fn on_epoch; /* = none: called after each epoch, when its values are known */
    int32_t patience;         /* = 0 in [0, 1e9]: ends after this many epochs without a better monitored value; 0: never */
    double min_delta;         /* = 0 in [0, inf): least improvement that counts as better */
    bool keep_best;           /* = false: restores the weights of the best epoch at the end */
    const char *monitor;      /* = none: "validation loss" or another value's name; none: that, or the loss if there is no held-out
                               * data */
    bool maximize;            /* = false: larger values are better, as for an accuracy */
    int64_t log_every;        /* = 0 in [0, 1e9]: steps between two readings of the logged values; 0: an epoch, or with a board a
                             * second */
    int64_t epoch_batches;    /* = 0 in [0, 1e15]: batches of an epoch; 0: all rows (a stream needs it) */
    int32_t accumulate;     /* = 1 in [1, 1e6]: number of pieces in which a batch is computed, one after the other, for one step */
    int32_t workers;        /* = 1 in [1, 64]: threads that gather batches of data that is not on the device */
    bool nan;               /* = false: stops at the first NaN and names the operation that made it (slow); false: a NaN loss stops
                             * the training when it is read */
    FILE *progress;         /* = none: writes lines of progress there: position, rows per second, and where the time went */
    const char *report;     /* = none: path of a report, one HTML file that needs no other file and is complete at each moment */
    const char *checkpoint; /* = none: a folder for checkpoints (situ/checkpoint.h), which is created if necessary */
    int64_t checkpoint_every; /* = 0 in [0, 1e15]: steps between checkpoints; 0: one at the end of each epoch */
    int32_t keep;             /* = 3 in [1, 1e9]: number of last checkpoints that are kept, besides that of the best epoch */
    bool resume;          /* = false: continues from the last checkpoint in the folder, if there is one, with its hyper-parameters
                           */
    situ_group *group;    /* = none: processes that train together, each with its part of every batch */
    situ_dtype precision; /* = default f32: precision of products, convolutions and attention (situ_precision): bf16, or f16, which
                           * includes a loss scale (situ_optimizer_set_loss_scale) */
    const char
        *proof; /* = none: a folder for a proof, a log of hashes by which `situ verify` checks the training (docs/proof.md) */
    int64_t proof_every; /* = 0 in [0, 1e15]: steps between states from which verifying can start; 0: it starts at the first step */
} situ_trainer_options;
/* NULL on an error: a missing device, an option out of its range. */
SITU_API situ_trainer *situ_trainer_new(const situ_trainer_options *options, situ_site site);
SITU_API SITU_TOLD void situ_trainer_free(situ_trainer *trainer);

/* Trains for max_epochs. With cross entropy the network has to return one score for each class. held_out may be NULL, and so may
 * opt if .step has its own optimizers. Returns 0 or a negative code. A second call continues with the next epochs. */
SITU_API int situ_trainer_fit(situ_trainer *trainer, situ_module *net, situ_optimizer *opt, const situ_dataset *train,
    const situ_dataset *held_out, situ_site site);
/* The share of rows whose largest score is at their label, NaN on an error. The network is not in training mode meanwhile. */
SITU_API double situ_trainer_evaluate(situ_trainer *trainer, situ_module *net, const situ_dataset *data, situ_site site);

/* The mean loss over all rows, NaN on an error. Other logged values are then available as situ_trainer_value "validation NAME". */
SITU_API double situ_trainer_measure(situ_trainer *trainer, situ_module *net, const situ_dataset *data, situ_site site);

/* In a step: logs a scalar of this batch, weighted by its rows; each step has to log the same names. 0 or a negative code. */
SITU_API int situ_trainer_log(situ_trainer *trainer, const char *name, situ_tensor *value, situ_site site);

/* In a step: gives the scores of a batch's rows, [rows ..., classes], and their labels, to the report's confusion matrix, which
 * counts held-out rows; without a report it does nothing. Not needed without .step and .loss. 0 or a negative code. */
SITU_API int situ_trainer_confusion(situ_trainer *trainer, situ_tensor *prediction, situ_tensor *target, situ_site site);

/* The loop that situ_trainer_fit runs, for steps that no function can be called for:
 *
 *     situ_trainer_begin(trainer, net, opt, train, held_out);
 *     for (situ_batch batch; situ_trainer_next(trainer, &batch) > 0;) situ_trainer_give(trainer, step(trainer, net, &batch, self));
 *     situ_trainer_end(trainer);
 *
 * next gives the rows of the next batch, or part of a batch, and 0 at the end; a negative code is an error. Each batch has a scope
 * of its own, which next and end close. end is called in any case. */
SITU_API int situ_trainer_begin(situ_trainer *trainer, situ_module *net, situ_optimizer *opt, const situ_dataset *train,
    const situ_dataset *held_out, situ_site site);
SITU_API SITU_TOLD int64_t situ_trainer_next(situ_trainer *trainer, situ_batch *out);
SITU_API int situ_trainer_give(situ_trainer *trainer, situ_tensor *loss, situ_site site);
SITU_API SITU_TOLD int situ_trainer_end(situ_trainer *trainer);
/* Ends the training after this step. For steps, callbacks, and a signal handler of the program: Ctrl-C then ends the training and
 * not the program (examples/softmax_regression.c). */
SITU_API void situ_trainer_stop(situ_trainer *trainer);
/* The reason why it ended: "epochs", "patience", "stopped", "error"; "" before. */
SITU_API const char *situ_trainer_ended(const situ_trainer *trainer);

/* Of the last epoch: mean training loss; mean loss and accuracy on held-out data (NaN without any); seconds of training so far. */
SITU_API double situ_trainer_loss(const situ_trainer *trainer);
SITU_API double situ_trainer_validation_loss(const situ_trainer *trainer);
SITU_API double situ_trainer_accuracy(const situ_trainer *trainer);
SITU_API double situ_trainer_seconds(const situ_trainer *trainer);
SITU_API int situ_trainer_epochs(const situ_trainer *trainer);
/* Steps so far; and the best epoch, from 1 (0: none was measured). */
SITU_API int64_t situ_trainer_steps(const situ_trainer *trainer);
SITU_API int situ_trainer_best(const situ_trainer *trainer);
/* The last mean of a value by its name: "loss", "NAME" and "validation NAME" of a logged value; NaN: there is none. */
SITU_API double situ_trainer_value(const situ_trainer *trainer, const char *name);
/* Before a training with .proof: options of the program itself, in one line, which the proof then holds. 0 or a negative code. */
SITU_API SITU_TOLD int situ_trainer_note(situ_trainer *trainer, const char *note);
/* The last hash of .proof, 64 hexadecimal digits, to publish as the commitment to this training; "" without a proof. It belongs to
 * the trainer. */
SITU_API const char *situ_trainer_commitment(const situ_trainer *trainer);
/* How the proof went: its entries, the steps from one entry to the next (0: none were chosen), the share of the training's time
 * that it took, and the bytes of the states that it kept. */
typedef struct situ_trainer_proof {
    int64_t entries, steps, bytes;
    double share;
} situ_trainer_proof;
SITU_API situ_trainer_proof situ_trainer_proof_of(const situ_trainer *trainer);
/* Where the time of training went, as shares of `seconds`: waiting for rows, copying them to devices, and the rest, which is
 * recording and computing. `rows` and `steps` are per second. */
typedef struct situ_trainer_rates {
    double seconds, waited, copied, computed, rows, steps;
} situ_trainer_rates;
SITU_API situ_trainer_rates situ_trainer_rates_of(const situ_trainer *trainer);
/* Its devices: writes up to `most`, returns how many. */
SITU_API int situ_trainer_devices(const situ_trainer *trainer, situ_device *out, int most);
/* The GPUs among them: the first num_gpus that exist; none if it trains on another device. */
SITU_API int situ_trainer_gpus(const situ_trainer *trainer, situ_device *out, int most);

/* The curves of the board, also if it is not drawn: "train loss" by minibatch (a point is the mean of several neighbours, at most
 * 200 points in an epoch), "validation loss" and "validation accuracy" by epoch; x in epochs. Writes up to `most` curves, returns
 * how many there are; the points belong to the trainer and are valid until it continues. */
typedef struct situ_curve {
    const char *name;
    const double *x, *y;
    int64_t count;
} situ_curve;
SITU_API int situ_trainer_curves(const situ_trainer *trainer, situ_curve *out, int most);

/* Joins `count` reports (.report, or joined ones) into one file, which compares them. Traces (situ/profile.h) may be among them:
 * their timelines come one above the other. 0 or a negative code: SITU_IO, or SITU_BAD_FORMAT for a file that is neither. */
SITU_API SITU_TOLD int situ_report_join(const char *path, const char *const *reports, int count);

/* Steps of situ_trainer_fit for your own loops. They put a network on the trainer's devices (mirrored on several), a tensor on the
 * first. */
SITU_API SITU_TOLD int situ_trainer_prepare_model(situ_trainer *trainer, situ_module *net);
SITU_API situ_tensor *situ_trainer_prepare_batch(situ_trainer *trainer, situ_tensor *batch, situ_site site);
/* The same for a batch of several tensors, into out[i], which may be their array; 0 or a negative code. */
SITU_API int situ_trainer_prepare_arrays(situ_trainer *trainer, situ_list batch, situ_tensor **out, situ_site site);
/* The trainer's hyper-parameters, like situ_optimizer_hyper; and both as lines "name = value" in a file. */
SITU_API SITU_TOLD int situ_trainer_hyper(const situ_trainer *trainer, situ_hyper *out, int most);
SITU_API SITU_TOLD int situ_trainer_save_hyperparameters(const situ_trainer *trainer, const situ_optimizer *opt, FILE *file);

#ifdef __cplusplus
}
#endif

#include <situ/call/train.h>

#endif
