/* Changes of one row on its way into a batch. */
#ifndef SITU_DATA_AUGMENT_H
#define SITU_DATA_AUGMENT_H

#include "data/dataset.h"

/* Random numbers of a row and a stage: threefry(key, epoch, row), one counter a draw. */
typedef struct situ_draws {
    uint32_t key[2], counter[2];
} situ_draws;
situ_draws situ_draws_of(int64_t key, int64_t epoch, int64_t row, int stage);
uint64_t situ_draw_bits(situ_draws *d);
/* Uniform in [0, 1). */
double situ_draw(situ_draws *d);

/* A row of the first input, f32 and contiguous, with room for another one behind it: the stage's change, in place. Mixing rows is
 * the caller's. */
void situ_augment(const situ_row_change *stage, const situ_shape *shape, float *row, int64_t count, situ_draws *d);
/* From Beta(a, a). */
double situ_draw_beta(situ_draws *d, double a);

#endif
