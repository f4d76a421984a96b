/* A training in progress. */
#ifndef SITU_TRAIN_FIT_H
#define SITU_TRAIN_FIT_H

#include <situ/ledger.h>

#include "data/loader.h"
#include "device/device.h"
#include "train/status.h"
#include "train/trainer.h"

/* FIT_EPOCH: an epoch ended, and the .on_epoch of a binding is called, which calls situ_trainer_next then. */
typedef enum situ_phase { FIT_TRAIN, FIT_MEASURE, FIT_EPOCH, FIT_DONE } situ_phase;

typedef struct situ_copies situ_copies;

struct situ_fit {
    situ_trainer *t;
    situ_fit *outer; /* measuring inside of training */
    situ_module *net;
    situ_optimizer *opt;
    const situ_dataset *train, *held_out; /* train NULL: it only measures */
    situ_loader *loader, *held_loader;
    situ_site site;
    situ_phase phase;
    situ_step_log log[2]; /* of training, of measuring */
    situ_scope *scope;
    int64_t batches;     /* of an epoch */
    int64_t batch, rows; /* of this epoch: batches so far; rows of this batch */
    int64_t read_at;     /* when the log was last read */
    int64_t began;       /* the epoch */
    int64_t points;      /* batches of the point of the curve that is next */
    double point[SITU_LOGS];
    int most, parts, handed, given; /* parts of a batch: at most, of this one, handed out, with a loss */
    int64_t total;                  /* of this one, over all ranks                                     */
    bool idle;                      /* this rank has none of them: its one part does not count         */
    situ_part *part;
    double *weight;
    situ_tensor **value;   /* [parts][SITU_LOGS] */
    situ_tensor **moments; /* [parts]: what running moments are after each; see moments.c */
    situ_tensor **start;   /* [starts]: by parameter, what they were before, or NULL      */
    int starts;
    double lr;                             /* of the optimizer, before the schedule */
    int64_t step, planned;                 /* done and in all, for the schedule */
    int first, last;                       /* epochs done before; and at the end */
    bool measuring, was_training, no_grad; /* before measuring */
    bool meet;                             /* the ranks do in the middle of a call: see situ_module_over_ranks */
    uint8_t precision;                     /* of the thread, before */
    int nans;                              /* losses that were NaN, the last ones in a row, where steps may be left out */
    int64_t seen, left_out, stuck;         /* steps at the last reading, those left out, those of them in a row */
    bool stepped;                          /* since the last situ_trainer_next */
    bool pauses;                           /* in FIT_EPOCH */
    situ_weights best;
    situ_keeper *keeper; /* of checkpoints, or NULL */
    situ_copies *copies; /* for survivors, or NULL  */
    situ_guard nan;
    situ_peak peak[SITU_MIRRORS]; /* of this training, by device                  */
    situ_loader_times times;      /* of the loader, as last asked */
};

int situ_trainer_begin_measuring(
    situ_trainer *t, situ_module *net, const situ_dataset *data, const char *operation, situ_site site);
/* Begins the training, or takes it up where a checkpoint was made, which says `at` as situ_keep_begin does. */
int situ_fit_go_on(situ_fit *f, int at);
/* What is under way of a batch goes. */
void situ_fit_leave_batch(situ_fit *f);
/* Begins an epoch, measuring. */
int situ_fit_epoch(situ_fit *f);
int situ_fit_measure(situ_fit *f);
void situ_fit_leave_measuring(situ_fit *f);
/* All rows of an epoch were trained, or measured. */
int situ_fit_trained(situ_fit *f);
int situ_fit_measured(situ_fit *f);
/* After .on_epoch: writes a checkpoint, and begins the next one. */
int situ_fit_close_epoch(situ_fit *f);
/* Does it end here? Of several ranks each knows when all do (ranks.c). */
static inline bool situ_fit_stops(const situ_fit *f) { return f->t->stop || (f->t->asked && situ_group_size(f->t->o.group) == 1); }
/* Running moments of a batch that is computed in parts (moments.c): around each part, and when all are there. */
int situ_moments_before(situ_fit *f, int place);
int situ_moments_after(situ_fit *f);
int situ_moments_mean(situ_fit *f);
/* The most bytes that tensors had on device i in this training. */
int64_t situ_fit_peak(const situ_fit *f, int i);
/* Is it time to? */
bool situ_fit_due(const situ_fit *f);
/* Reads what was logged so far, and draws it. */
int situ_fit_read(situ_fit *f);
/* What an error, or the program, that ends the training left unread. The error stays. */
void situ_fit_read_rest(situ_fit *f);
int situ_fit_read_measured(situ_fit *f);
/* The trainer's folder of checkpoints (keep.c). Opens it and takes up the training where it is to be resumed: 1: in the middle of
 * an epoch; 2: a later training of this trainer has a checkpoint, so this one was done. 0 or a negative code else. */
int situ_keep_begin(situ_fit *f);
/* Is one due after this step? */
bool situ_keep_due(situ_fit *f);
/* A checkpoint of now, when the log was read: in an epoch; at its end, if one is due. 0 or a negative code. */
int situ_keep_step(situ_fit *f);
int situ_keep_epoch(situ_fit *f);
/* Waits for the last one: an error if it could not be written. */
void situ_keep_end(situ_fit *f);
void situ_keep_free(situ_fit *f);
/* The rank that wrote them is lost, and this one is rank 0 now. */
int situ_keep_take_over(situ_fit *f);
/* A line for whoever watches. */
int situ_keep_note(situ_fit *f, const char *text);
/* All that the training goes on with but its curves; `before`: before the batch that the loader gave last. */
void situ_keep_gather(situ_status *s, situ_fit *f, bool whole, bool before);
/* The same from a file. 1: in the middle of an epoch; 0: at the end of one; or a negative code. */
int situ_keep_give(situ_archive *a, situ_fit *f);
/* Where a rank may be lost and the others go on (survive.c) each has a copy of the training of a moment ago. These take one: before
 * the first step is made; after one, if it is time; at the end of an epoch. 0 or a negative code. */
int situ_survive_first(situ_fit *f);
int situ_survive_copy(situ_fit *f, bool whole);
/* What all ranks do first (ranks.c), by those that are left then. */
int situ_survive_begin(situ_fit *f);
/* Have all ranks that are left come to the end? */
bool situ_survive_settled(situ_fit *f);
/* Whether the training goes on in spite of an error: the ranks that are left have the newest copy then, and situ_trainer_next gives
 * what comes behind it. */
bool situ_survive(situ_fit *f);
void situ_survive_free(situ_fit *f);
/* The name of the value that says which epoch is the best. */
const char *situ_fit_monitor(const situ_fit *f);
/* A callback of the user's; NULL is fine. */
int situ_fit_call(situ_fit *f, situ_trainer_fn function);

#endif
