/* The folds of one instruction set; rows of NULL where there is no rule. Bool is not in the tables. */
#ifndef SITU_CPU_FOLD_TABLE_H
#define SITU_CPU_FOLD_TABLE_H

#include "backend/cpu/walks/fold.h"

typedef struct situ_fold_entry {
    situ_fold_fn fold;
    situ_fold_each_fn each;
    situ_combine_fn combine;
    situ_rows_fn rows;
} situ_fold_entry;

extern const situ_fold_entry situ_fold_baseline[SITU_FOLDS][SITU_DTYPES];
extern const situ_fold_entry situ_fold_avx2[SITU_FOLDS][SITU_DTYPES];
extern const situ_fold_entry situ_fold_avx512[SITU_FOLDS][SITU_DTYPES];
/* The sums of squares of f32: in f32, in f64. */
extern const situ_fold_fn situ_squares_baseline[2], situ_squares_avx2[2], situ_squares_avx512[2];

#endif
