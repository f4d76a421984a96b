/* What steps log: a row of numbers for each batch in a variable of the device, which is read now and then. */
#ifndef SITU_TRAIN_LOG_H
#define SITU_TRAIN_LOG_H

#include <situ/tensor.h>

enum { SITU_LOGS = 16, SITU_LOG_NAME = 48 };

typedef struct situ_step_log {
    char name[SITU_LOGS][SITU_LOG_NAME]; /* the first is "loss" */
    int columns;
    int norm, scale;       /* the columns of the gradients' norm, of the loss's scale, which the board does not draw; 0: none */
    bool fixed;            /* the first batch has said which columns there are */
    situ_tensor *variable; /* f32 [room * columns]; NULL before the first row  */
    float *value;          /* of it, as last read                              */
    int64_t *rows;         /* rows of each batch in it                         */
    int64_t room, at;      /* batches in it at most, and now                   */
    double sum[SITU_LOGS]; /* of values times rows, of what was read           */
    int64_t weight;        /* rows of these                                    */
} situ_step_log;

/* For `room` batches between two readings. */
int situ_log_open(situ_step_log *log, int64_t room);
void situ_log_close(situ_step_log *log);
/* The column of a name; in the first batch a new one. A negative code: the name is unknown or too long, or there are too many. */
int situ_log_column(situ_step_log *log, const char *name, situ_site site);
/* A batch: its values by column, scalars on the same device, NULL where none was logged, which is an error. */
int situ_log_add(situ_step_log *log, situ_tensor *const *value, int64_t rows, situ_site site);
/* Reads what was added since (one wait): value[i * columns + c] for i < at. The caller sets at to 0. */
int situ_log_read(situ_step_log *log, situ_site site);
/* A new epoch. */
void situ_log_begin(situ_step_log *log);

#endif
