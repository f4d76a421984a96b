/* Tables of the reductions of one instruction set; NULL where an operation is not defined for a dtype. Bool is not in
 * the tables. */
#ifndef SITU_CPU_REDUCE_TABLE_H
#define SITU_CPU_REDUCE_TABLE_H

#include "backend/cpu/movement/reduce.h"
#include "base/isa.h"

typedef struct situ_reduce_entry {
    situ_reduce_fn reduction;
    situ_reduce_each_fn each;
    situ_combine_fn combine;
    situ_rows_fn rows;
} situ_reduce_entry;

#define SITU_REDUCE_TABLE(name) extern const situ_reduce_entry name[SITU_REDUCE_KINDS][SITU_DTYPES];
SITU_EACH_SET(SITU_REDUCE_TABLE, situ_reduce)
/* Sums of squares of f32: computed in f32, in f64. */
#define SITU_SQUARES_TABLE(name) extern const situ_reduce_fn name[2];
SITU_EACH_SET(SITU_SQUARES_TABLE, situ_squares)

#endif
