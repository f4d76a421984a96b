/* The reductions of one instruction set; rows of NULL where there is no rule. Bool is not in the tables. */
#ifndef SITU_CPU_REDUCE_TABLE_H
#define SITU_CPU_REDUCE_TABLE_H

#include "backend/cpu/walks/reduce.h"

typedef struct situ_reduce_entry {
    situ_reduce_fn reduction;
    situ_reduce_each_fn each;
    situ_combine_fn combine;
    situ_rows_fn rows;
} situ_reduce_entry;

extern const situ_reduce_entry situ_reduce_baseline[SITU_REDUCE_KINDS][SITU_DTYPES];
extern const situ_reduce_entry situ_reduce_avx2[SITU_REDUCE_KINDS][SITU_DTYPES];
extern const situ_reduce_entry situ_reduce_avx512[SITU_REDUCE_KINDS][SITU_DTYPES];
/* The sums of squares of f32: in f32, in f64. */
extern const situ_reduce_fn situ_squares_baseline[2], situ_squares_avx2[2], situ_squares_avx512[2];

#endif
