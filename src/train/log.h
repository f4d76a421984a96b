/* The log of the steps: a variable on the device with one row of numbers for each batch, which the host reads now and
 * then. */
#ifndef SITU_TRAIN_LOG_H
#define SITU_TRAIN_LOG_H

#include <situ/tensor.h>

enum { SITU_LOGS = 16, SITU_LOG_NAME = 48 };

typedef struct situ_step_log {
    char name[SITU_LOGS][SITU_LOG_NAME]; /* the first is "loss" */
    int columns;
    int norm, scale;       /* columns of the gradients' norm and of the loss scale, which the board does not draw; 0: none */
    bool fixed;            /* the columns are fixed, by the first batch */
    situ_tensor *variable; /* f32 [room * columns], the log on the device; NULL before the first row */
    float *value;          /* host copy of the variable, from the last reading */
    int64_t *rows;         /* number of data rows in the batch of each log row */
    int64_t capacity, at;  /* capacity in batches, and number of batches now */
    double sum[SITU_LOGS]; /* sums of value times data rows, over what was read */
    int64_t weight;        /* sum of these data rows */
    float last;            /* the loss of the last batch that was read */
} situ_step_log;

/* A log with capacity for `room` batches between two readings. */
int situ_log_open(situ_step_log *log, int64_t capacity);
void situ_log_close(situ_step_log *log);
/* The column with this name; the first batch may add new ones. A negative code: unknown or too long a name, or too
 * many columns. */
int situ_log_column(situ_step_log *log, const char *name, situ_site site);
/* Adds a batch: its values by column, scalars on the same device. NULL, for a value that was not logged, is an error. */
int situ_log_add(situ_step_log *log, situ_tensor *const *value, int64_t rows, situ_site site);
/* Reads the rows since the last reading (one wait): value[i * columns + c] for i < at. The caller sets at to 0. */
int situ_log_read(situ_step_log *log, situ_site site);
/* Resets the sums for a new epoch. */
void situ_log_begin(situ_step_log *log);

#endif
