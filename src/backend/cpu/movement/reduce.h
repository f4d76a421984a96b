/* Reductions in the documented order, which is the same on every device, instruction set and number of threads: blocks
 * of 1024 elements; in each block 64 lanes that start at the neutral element (element i goes to lane i mod 64, in
 * order); lanes are reduced by halves (i with i+32, i+16, ..., i+1); blocks are reduced in adjacent pairs, level by
 * level, where an odd last one moves up. Element types: i32, u32, i64, u64, f32, f64, and bool (a byte, 0 or 1). */
#ifndef SITU_CPU_REDUCE_H
#define SITU_CPU_REDUCE_H

#include <situ/dtype.h>

#include "op/reduce_kind.h"

#define SITU_REDUCE_BLOCK 1024 /* elements of a block along the last axis */
#define SITU_REDUCE_RUN 16     /* blocks that one call of a situ_reduce_fn reduces at most */
#define SITU_REDUCE_ROWS 64    /* rows of a block over other axes, accumulated in order from the neutral element */

/* Reduces n contiguous elements to one; at most SITU_REDUCE_RUN blocks (n = 0: the neutral element). */
typedef void (*situ_reduce_fn)(void *out, const void *in, int n);
/* NULL if the operation is not defined for the dtype (sum and prod of bool, any and all of others). Max of bool is any,
 * min is all. */
situ_reduce_fn situ_reduce_get(situ_reduce_kind op, situ_dtype dtype);

/* The sum of squares of f32 elements, computed in `dtype` (f32 or f64). Each step is rounded as if done separately.
 * NULL if there is none. */
situ_reduce_fn situ_squares_get(situ_dtype dtype);

/* out[r] = reduction of row r, for `rows` rows of n <= SITU_REDUCE_BLOCK contiguous elements, one after the other. */
typedef void (*situ_reduce_each_fn)(void *out, const void *in, int n, int rows);
situ_reduce_each_fn situ_reduce_each_get(situ_reduce_kind op, situ_dtype dtype);

/* acc[i] = acc[i] op in[i] for n elements. */
typedef void (*situ_combine_fn)(void *acc, const void *in, int64_t n);
situ_combine_fn situ_combine_get(situ_reduce_kind op, situ_dtype dtype);
/* The same for each of `rows` rows in order; row r starts at in + r*row elements. */
typedef void (*situ_rows_fn)(void *acc, const void *in, int64_t row, int rows, int64_t n);
situ_rows_fn situ_rows_get(situ_reduce_kind op, situ_dtype dtype);
/* out[i] = the neutral element, for n elements. */
void situ_reduce_neutral(situ_reduce_kind op, situ_dtype dtype, void *out, int64_t n);

/* Reduces `count` partial results of blocks to *out by the tree, overwriting them. count = 0: the neutral element. */
void situ_reduce_blocks(situ_reduce_kind op, situ_dtype dtype, void *partials, int64_t count, void *out);
/* The same for rows of n partials each (row r at partials + r*n elements); the result is row 0. */
void situ_reduce_rows(situ_reduce_kind op, situ_dtype dtype, void *partials, int64_t count, int64_t n);

/* Reduces any number of contiguous elements: blocks, then the tree, in one pass with constant memory. */
void situ_reduce_all(situ_reduce_kind op, situ_dtype dtype, void *out, const void *in, int64_t n);

#endif
