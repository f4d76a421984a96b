/* Augmentation: random changes of one row before it becomes part of a batch. */
#ifndef SITU_DATA_AUGMENT_H
#define SITU_DATA_AUGMENT_H

#include "data/dataset.h"

/* The random numbers of one row and stage: threefry(key, epoch, row), with one counter for each draw. */
typedef struct situ_draws {
    uint32_t key[2], counter[2];
} situ_draws;
situ_draws situ_draws_of(int64_t key, int64_t epoch, int64_t row, int stage);
uint64_t situ_draw_bits(situ_draws *d);
/* Uniform in [0, 1). */
double situ_draw(situ_draws *d);

/* Applies a stage in place to a row of the first input: f32, contiguous, followed by scratch memory for another row.
 * Mixing two rows is done by the caller. */
void situ_augment(const situ_row_change *stage, const situ_shape *shape, float *row, int64_t count, situ_draws *d);
/* A draw from Beta(a, a). */
double situ_draw_beta(situ_draws *d, double a);

#endif
