#ifndef SITU_TRAIN_TRAINER_H
#define SITU_TRAIN_TRAINER_H

#include "nn/module.h"

#include <situ/train.h>

#include "train/board.h"
#include "train/log.h"

/* SITU_SHARD_ROWS: rows of a shard in deterministic mode, cut by position in the batch, whatever the devices. */
enum { SITU_SHARD_ROWS = 16, SITU_VALUES = 2 * SITU_LOGS };

typedef struct situ_fit situ_fit;
typedef struct situ_keeper situ_keeper;

/* The last mean of a logged value. */
typedef struct situ_value {
    char name[SITU_LOG_NAME + 16];
    double mean;
} situ_value;

/* The trainer's hyper-parameters. */
enum { SITU_TRAINER_ROWS = sizeof(situ_hyper[]){SITU_TRAINER_HYPER} / sizeof(situ_hyper) };
extern const situ_hyper situ_trainer_rows[SITU_TRAINER_ROWS];

struct situ_trainer {
    situ_handle handle;
    situ_trainer_options o;
    char *plot, *title, *monitor, *report_path, *checkpoint, *proof, *note;
    char commitment[65];
    situ_trainer_proof proved;
    situ_device device[SITU_MIRRORS];
    int devices, gpus; /* gpus: 0 if it trains on another device */
    int epochs;        /* epochs done */
    int fits, skipped; /* trainings begun; those of them that a checkpoint showed to be complete */
    double loss, validation_loss, accuracy, seconds;
    int64_t steps, rows, waited, copied; /* so far; the last two are nanoseconds */
    situ_value value[SITU_VALUES];
    int values;
    double best;
    int best_epoch; /* 0: none */
    const char *ended;
    bool live;          /* a board is drawn, so the log is read every second */
    volatile int asked; /* set to stop the training; also by signal handlers */
    bool stop;
    situ_board *board;
    struct situ_report *report;
    situ_fit *fit; /* set between begin and end */
};

/* A part of a batch: its rows, and the device that computes it. */
typedef struct situ_part {
    int64_t first, rows;
    int device;
} situ_part;
/* Cuts a batch into parts. Returns how many this rank has, and in *total how many there are. `most` is the capacity of
 * `out`; there are never more than rows / 16 + 1 + devices * accumulate parts. */
int situ_trainer_cut(const situ_trainer *t, int64_t rows, situ_part *out, int most, int64_t *total);

/* Sets the mean of the value named "<before><name>". */
void situ_trainer_set_value(situ_trainer *t, const char *before, const char *name, double mean);
/* Frees what begin has opened. */
void situ_fit_close(situ_trainer *t);

/* Set by a binding and called before each batch; true ends the training or measuring. */
extern bool (*situ_train_interrupted)(void);

/* The weights of a network, kept in memory (best.c). */
typedef struct situ_weights {
    int count;
    situ_tensor **value; /* kept values */
} situ_weights;
/* Replaces the values in w by the network's present ones; NULL for a parameter that does not exist yet. 0 or a
 * negative code. */
int situ_weights_take(situ_weights *w, situ_module *net, situ_site site);
int situ_weights_give(const situ_weights *w, situ_module *net, situ_site site);
void situ_weights_free(situ_weights *w);

#endif
