#ifndef SITU_TRAIN_TRAINER_H
#define SITU_TRAIN_TRAINER_H

#include "nn/module.h"

#include <situ/train.h>

#include "train/board.h"

/* Rows of a logical shard in deterministic mode: by position in the batch, whatever the devices. */
enum { SITU_SHARD_ROWS = 16 };

struct situ_trainer {
    situ_handle handle;
    situ_trainer_options o;
    char *plot, *title;
    situ_device device[SITU_MIRRORS];
    int devices, gpus; /* gpus: 0 where it trains on another device */
    int epochs;        /* done */
    double loss, validation_loss, accuracy, seconds;
    situ_board *board;
};

/* One part of a batch: its rows and the device that works on them. */
typedef struct situ_part {
    int64_t first, rows;
    int device;
} situ_part;
/* Cuts a batch into parts; returns how many (at most `most`, the number of parts for so many rows is never more than
 * rows / 16 + 1 + devices). */
int situ_trainer_cut(const situ_trainer *t, int64_t rows, situ_part *out, int most);

/* Set by a binding: asked before each batch; true ends the training or measuring. */
extern bool (*situ_train_interrupted)(void);

#endif
