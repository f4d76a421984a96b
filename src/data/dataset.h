#ifndef SITU_DATA_DATASET_H
#define SITU_DATA_DATASET_H

#include <situ/data.h>

#include "base/handle.h"

struct situ_dataset {
    situ_handle handle;
    char *name;
    situ_shape shape; /* [count, ...] */
    int64_t row;      /* features of one row */
    int classes;
    float *x;
    int32_t *y;
};

/* An empty frame for values to be filled in; NULL with an error. */
situ_dataset *situ_dataset_make(situ_shape shape, int classes, const char *name);
/* A loader needs it no more. */
void situ_dataset_let_go(const situ_dataset *data);
/* order[0..n-1] = permutation(key(key)), or of fold_in(key(key), epoch) for epoch >= 0; 0 or a negative code. */
int situ_dataset_order(int64_t key, int64_t epoch, int64_t n, int64_t *order);

#endif
