/* What the ranks of a training agree on. In a single process these functions do nothing. Each returns 0 or a negative
 * code. */
#ifndef SITU_TRAIN_RANKS_H
#define SITU_TRAIN_RANKS_H

#include "train/fit.h"

/* Is the training shared by several ranks? */
bool situ_ranks_several(const situ_fit *f);
/* Checks that all ranks train the same thing, and gives all of them rank 0's initial state. */
int situ_ranks_begin(situ_fit *f);
/* Copies rank 0's numbers to every rank. */
int situ_ranks_first(situ_fit *f, int64_t *number, int64_t count);
/* Waits for all ranks. A stop that was asked for on one rank then holds on all. */
int situ_ranks_agree(situ_fit *f);
/* Tells the other ranks of an error here, so that they do not wait. */
void situ_ranks_fail(situ_fit *f);

#endif
