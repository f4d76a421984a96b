/* Values made from positions: what the planner knows of the operations of family SITU_GENERATE.
 * Those without operands start their attributes with the device (situ_apply reads it there). */
#ifndef SITU_OP_GENERATE_H
#define SITU_OP_GENERATE_H

#include "graph/op.h"

/* The coordinate along an axis, as an integer dtype, f32 or f64. */
typedef struct situ_iota_attr {
    situ_device device;
    int32_t axis, dtype, ndim;
    int64_t dim[8];
} situ_iota_attr;
/* One number everywhere: word 0, an i64 (floating 0) or the bits of an f64 (floating 1). */
typedef struct situ_fill_attr {
    situ_device device;
    int32_t floating, dtype, ndim;
    int64_t dim[8];
} situ_fill_attr;
/* Random bits of dtype u32 or u64; its operand is the key, u32[2]. */
typedef struct situ_random_attr {
    situ_device device;
    int32_t partitionable, dtype, ndim;
    int64_t dim[8];
} situ_random_attr;

extern const situ_op situ_op_iota, situ_op_fill, situ_op_random_bits;
/* Copies: the destination comes first in the attributes. */
typedef struct situ_copy_attr {
    situ_device device;
    int32_t unused;
} situ_copy_attr;
extern const situ_op situ_op_copy;
/* Reductions: axes first .. first+count-1 of the operand; code is the situ_reduce_kind. may_lose_nan: of a NaN in the operand the
 * reader knows without the result. */
typedef struct situ_reduce_attr {
    int32_t first, count, keepdims, dtype, may_lose_nan;
} situ_reduce_attr;

#endif
