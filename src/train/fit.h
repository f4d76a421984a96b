/* The state of a training in progress. */
#ifndef SITU_TRAIN_FIT_H
#define SITU_TRAIN_FIT_H

#include <situ/ledger.h>

#include "data/loader.h"
#include "device/device.h"
#include "train/status.h"
#include "train/trainer.h"

/* FIT_EPOCH: an epoch has ended, and a binding calls its .on_epoch function before it calls situ_trainer_next again. */
typedef enum situ_phase { FIT_TRAIN, FIT_MEASURE, FIT_EPOCH, FIT_DONE } situ_phase;

typedef struct situ_copies situ_copies;
typedef struct situ_proof situ_proof;

struct situ_fit {
    situ_trainer *t;
    situ_fit *outer; /* the training that this measurement interrupts */
    situ_module *net;
    situ_optimizer *opt;
    const situ_dataset *train, *held_out; /* train NULL: only a measurement */
    situ_loader *loader, *held_loader;
    situ_site site;
    situ_phase phase;
    situ_step_log log[2]; /* logs of training and of measuring */
    situ_scope *scope;
    int64_t batches;     /* batches of an epoch */
    int64_t batch, rows; /* batches so far in this epoch; rows of the current batch */
    int64_t read_at;     /* time at which the log was last read */
    int64_t began;       /* time at which the epoch began */
    int64_t points;      /* batches that the next point of the curves averages */
    double point[SITU_LOGS];
    int most, parts, handed, given; /* parts of a batch: the capacity, the number in this one, those returned to the caller, those
                                     * that have a loss */
    int64_t total;                  /* rows of this batch over all ranks */
    bool idle;                      /* this rank has no rows of the batch; its one part does not count */
    situ_part *part;
    double *weight;
    situ_tensor **value;   /* [parts][SITU_LOGS] logged values */
    situ_tensor **moments; /* [parts] running moments after each part; see moments.c */
    situ_tensor **start;   /* [starts] by parameter: running moments before the batch, or NULL */
    uint64_t *versions;    /* [starts] the version of the parameter that start[k] is; 0: the parts assign to it */
    int starts;
    double lr;                             /* learning rate of the optimizer, without the schedule */
    int64_t step, planned;                 /* steps done and planned, for the schedule */
    int first, last;                       /* epochs done before this training, and at its end */
    bool measuring, was_training, no_grad; /* states to restore after a measurement */
    bool meet;                             /* ranks exchange in the middle of a call: see situ_module_over_ranks */
    uint8_t precision;                     /* the thread's precision, to be restored */
    int nans;                              /* NaN losses in a row, if steps with NaN may be skipped */
    int64_t seen, left_out, stuck;         /* at the last reading: number of steps, of skipped steps, of skipped steps in a row */
    bool stepped;                          /* a step was made since the last situ_trainer_next */
    bool pauses;                           /* stops in FIT_EPOCH, for a binding */
    situ_weights best;
    situ_keeper *keeper; /* writes checkpoints, or NULL */
    situ_copies *copies; /* copies for survivors of a lost rank, or NULL */
    situ_proof *proof;   /* a log of hashes, or NULL */
    situ_guard nan;
    situ_peak peak[SITU_MIRRORS]; /* peak memory of this training, by device */
    situ_loader_times times;      /* the loader's times when last asked */
};

int situ_trainer_begin_measuring(
    situ_trainer *t, situ_module *net, const situ_dataset *data, const char *operation, situ_site site);
/* Begins the training, or continues where a checkpoint was made; `at` is the result of situ_keep_begin. */
int situ_fit_go_on(situ_fit *f, int at);
/* Drops the parts of a batch in progress. */
void situ_fit_leave_batch(situ_fit *f);
/* Begins an epoch or a measurement. */
int situ_fit_epoch(situ_fit *f);
int situ_fit_measure(situ_fit *f);
void situ_fit_leave_measuring(situ_fit *f);
/* Called when all rows of an epoch have been trained on, or measured. */
int situ_fit_trained(situ_fit *f);
int situ_fit_measured(situ_fit *f);
/* Called after .on_epoch: writes a checkpoint and begins the next epoch. */
int situ_fit_close_epoch(situ_fit *f);
/* Does the training stop here? With several ranks each one knows it only when all do (ranks.c). */
static inline bool situ_fit_stops(const situ_fit *f) { return f->t->stop || (f->t->asked && situ_group_size(f->t->o.group) == 1); }
/* Running moments of a batch that is computed in parts (moments.c): called before and after each part, and when all
 * parts are done. */
int situ_moments_before(situ_fit *f, int place);
int situ_moments_after(situ_fit *f);
int situ_moments_mean(situ_fit *f);
/* The peak of the tensors' bytes on device i in this training. */
int64_t situ_fit_peak(const situ_fit *f, int i);
/* Should the log be read now? */
bool situ_fit_due(const situ_fit *f);
/* Reads the log so far, and draws it. */
int situ_fit_read(situ_fit *f);
/* Reads the rest of the log after an error or a stop ended the training. The error stays. */
void situ_fit_read_rest(situ_fit *f);
int situ_fit_read_measured(situ_fit *f);
/* The trainer's checkpoints (keep.c). Opens the folder and, with .resume, loads the last checkpoint. 1: it was made in
 * the middle of an epoch; 2: a later training of this trainer has a checkpoint, so this one was complete. Else 0 or a
 * negative code. */
int situ_keep_begin(situ_fit *f);
/* Is a checkpoint due after this step? */
bool situ_keep_due(situ_fit *f);
/* Writes a checkpoint after the log was read: within an epoch, and at its end if one is due. 0 or a negative code. */
int situ_keep_step(situ_fit *f);
int situ_keep_epoch(situ_fit *f);
/* Waits for the last checkpoint; an error if it could not be written. */
void situ_keep_end(situ_fit *f);
void situ_keep_free(situ_fit *f);
/* The rank that wrote checkpoints is lost, and this one is rank 0 now. */
int situ_keep_take_over(situ_fit *f);
/* Writes a line to .progress. */
int situ_keep_note(situ_fit *f, const char *text);
/* Collects the state of the training, but for its curves. `before`: the state before the last batch of the loader. */
void situ_keep_gather(situ_status *s, situ_fit *f, bool whole, bool before);
/* Loads that state from a file. 1: it is in the middle of an epoch; 0: at the end of one; or a negative code. */
int situ_keep_give(situ_archive *a, situ_fit *f);
/* If the training survives the loss of a rank (survive.c), each rank keeps a recent copy of its state. These functions
 * make one: before the first step, after a step if the last copy is old, at the end of an epoch. 0 or a negative code. */
int situ_survive_first(situ_fit *f);
int situ_survive_copy(situ_fit *f, bool whole);
/* The first exchange of the ranks (ranks.c), repeated by the survivors if a rank is lost meanwhile. */
int situ_survive_begin(situ_fit *f);
/* Have all ranks that are left reached the end? */
bool situ_survive_settled(situ_fit *f);
/* True if the training continues in spite of an error: the survivors have loaded the newest copy, and
 * situ_trainer_next returns the batches after it. */
bool situ_survive(situ_fit *f);
void situ_survive_free(situ_fit *f);
/* The trainer's proof (prove.c). Begins it: a new log, or the one of the run that a checkpoint continues. Verifying, it loads the
 * state from which to begin. `at` is the result of situ_keep_begin, and so is its own. */
int situ_prove_begin(situ_fit *f, int at);
/* After a step: an entry, if one is due. 0 or a negative code. */
int situ_prove_step(situ_fit *f);
/* Verifying: goes on to the next range of steps, if the present one is done, or ends the training. */
int situ_prove_jump(situ_fit *f);
void situ_prove_end(situ_fit *f);
void situ_prove_free(situ_fit *f);
/* The name of the value that decides which epoch is the best. */
const char *situ_fit_monitor(const situ_fit *f);
/* Calls a callback of the user; NULL is fine. */
int situ_fit_call(situ_fit *f, situ_trainer_fn function);

#endif
