/* What the ranks of a training have to agree on; of one process nothing. Each gives 0 or a negative code. */
#ifndef SITU_TRAIN_RANKS_H
#define SITU_TRAIN_RANKS_H

#include "train/fit.h"

/* Is it trained by several? */
bool situ_ranks_several(const situ_fit *f);
/* All ranks train the same thing, and begin with what rank 0 has. */
int situ_ranks_begin(situ_fit *f);
/* Rank 0's numbers, on every rank. */
int situ_ranks_first(situ_fit *f, int64_t *number, int64_t count);
/* Waits for all; a stop that one of them was asked for is one of all. */
int situ_ranks_agree(situ_fit *f);
/* There is an error here: the others hear of it, instead of waiting. */
void situ_ranks_fail(situ_fit *f);

#endif
