/* The trainer: brings model and batches to its devices, trains, measures on held-out data, and draws while it does.
 *
 *     situ_trainer *trainer = situ_trainer_new(.max_epochs = 10, .num_gpus = 1, .clip_norm = 1, .board = stdout);
 *     situ_trainer_fit(trainer, net, situ_adam(net), train, held_out);
 *     printf("%.2f %%\n", 100 * situ_trainer_accuracy(trainer));
 *     situ_trainer_free(trainer);
 *
 * With several GPUs every batch is cut into as many parts; gradients are weighed and added up, and the copies of the
 * network stay equal. In deterministic mode a batch is cut into shards of 16 rows, whatever the devices: the final
 * weights are the same bits on any number of them. The moments that batch norm keeps for inference are no weights: each
 * copy follows those of its own rows, so they differ between copies and with the number of devices, and so does the
 * accuracy of such a network; the first device's are measured with.
 */
#ifndef SITU_TRAIN_H
#define SITU_TRAIN_H

#include <stdio.h>

#include <situ/data.h>
#include <situ/optim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct situ_trainer situ_trainer;

typedef struct SITU_BY_NAME situ_trainer_options {
    SITU_OPTION_HEAD;
    int32_t max_epochs; /* = 10 in [0, 1e9]: passes over the training data */
    int32_t num_gpus;   /* = 0 in [0, 32]: GPUs to train on */
    double clip_norm;   /* = 0 in [0, inf): largest global norm of the gradients, 0: any */
    bool deterministic; /* = false: the same bits on any number of devices */
    int64_t batch;      /* = 64 in [1, 1073741824]: rows of a batch over all devices */
    int64_t key;        /* = 0 in [-9e18, 9e18]: of the order of rows */
    bool cosine;        /* = false: the learning rate falls to 0 along half a cosine */
    int32_t resident;   /* = -1 in [-1, 1]: 1: data on the device, 0: prefetched, -1: by its size */
    situ_device device; /* = default: where it trains; default: the thread's default device */
    FILE *board;        /* = none: draws curves here while training: a terminal or a file */
    const char *plot;   /* = none: writes them here at the end, as SVG */
    const char *title;  /* = none: of the drawings; none: the name of the data */
    double xlim;        /* = -1 in [-1, 1e9]: end of the board's horizontal axis in epochs, 0: it grows, -1:
                               * max_epochs */
} situ_trainer_options;
/* NULL on an error: a device that is not there, an option out of its range. */
SITU_API situ_trainer *situ_trainer_new(const situ_trainer_options *options, situ_site site);
SITU_API void situ_trainer_free(situ_trainer *trainer);
SITU_API void situ_trainer_free_at(situ_trainer *trainer, situ_site site);

/* Trains for max_epochs by cross entropy; the network ends in one score for each class. held_out may be NULL. Returns 0
 * or a negative code. A second call goes on with the next epochs. */
SITU_API int situ_trainer_fit(situ_trainer *trainer, situ_module *net, situ_optimizer *opt, const situ_dataset *train,
    const situ_dataset *held_out, situ_site site);
/* The share of rows whose largest score is at their label, NaN on an error; the network is not in training meanwhile. */
SITU_API double situ_trainer_evaluate(situ_trainer *trainer, situ_module *net, const situ_dataset *data, situ_site site);

/* Of the last epoch: mean training loss; mean loss and accuracy on held-out data (NaN without any); seconds of training
 * so far. */
SITU_API double situ_trainer_loss(const situ_trainer *trainer);
SITU_API double situ_trainer_validation_loss(const situ_trainer *trainer);
SITU_API double situ_trainer_accuracy(const situ_trainer *trainer);
SITU_API double situ_trainer_seconds(const situ_trainer *trainer);
SITU_API int situ_trainer_epochs(const situ_trainer *trainer);
/* Its devices: writes up to `most`, returns how many. */
SITU_API int situ_trainer_devices(const situ_trainer *trainer, situ_device *out, int most);
/* The GPUs among them: the first num_gpus that there are, 0 of them where it trains on another device. */
SITU_API int situ_trainer_gpus(const situ_trainer *trainer, situ_device *out, int most);

/* What the board draws, whether it is drawn or not: "train loss" by minibatch (a point is the mean of so many neighbours
 * that an epoch has 200 at most), "validation loss" and "validation accuracy" by epoch; x in epochs. Writes up to `most`
 * curves, returns how many there are; the points are the trainer's and stay until it trains on. */
typedef struct situ_curve {
    const char *name;
    const double *x, *y;
    int64_t count;
} situ_curve;
SITU_API int situ_trainer_curves(const situ_trainer *trainer, situ_curve *out, int most);

/* The steps that situ_trainer_fit makes, for loops of your own: a network on the trainer's devices (mirrored on several), a
 * tensor on the first. */
SITU_API SITU_TOLD int situ_trainer_prepare_model(situ_trainer *trainer, situ_module *net);
SITU_API situ_tensor *situ_trainer_prepare_batch(situ_trainer *trainer, situ_tensor *batch, situ_site site);
/* The same for a batch of several tensors, into out[i], which may be their array; 0 or a negative code. */
SITU_API int situ_trainer_prepare_arrays(situ_trainer *trainer, situ_list batch, situ_tensor **out, situ_site site);
/* The trainer's hyper-parameters, as situ_optimizer_hyper; and both as lines "name = value" to a file. */
SITU_API SITU_TOLD int situ_trainer_hyper(const situ_trainer *trainer, situ_hyper *out, int most);
SITU_API SITU_TOLD int situ_trainer_save_hyperparameters(const situ_trainer *trainer, const situ_optimizer *opt, FILE *file);

#ifdef __cplusplus
}
#endif

#include <situ/call/train.h>

#endif
