/* Values made from positions: attributes of operations of family SITU_GENERATE that the planner knows. Attributes of
 * operations without operands begin with the device (situ_apply reads it there). */
#ifndef SITU_OP_GENERATE_H
#define SITU_OP_GENERATE_H

#include "graph/op.h"

/* The coordinate along an axis, as an integer dtype, f32 or f64. */
typedef struct situ_iota_attr {
    situ_device device;
    int32_t axis, dtype, ndim;
    int64_t dim[8];
} situ_iota_attr;
/* A constant: word 0 is an i64 (floating 0) or the bits of an f64 (floating 1). */
typedef struct situ_fill_attr {
    situ_device device;
    int32_t floating, dtype, ndim;
    int64_t dim[8];
} situ_fill_attr;
/* Random bits of dtype u32 or u64; the operand is the key, u32[2]. */
typedef struct situ_random_attr {
    situ_device device;
    int32_t partitionable, dtype, ndim;
    int64_t dim[8];
} situ_random_attr;

extern const situ_op situ_op_iota, situ_op_fill, situ_op_random_bits;
/* For copies: the attributes begin with the destination. */
typedef struct situ_copy_attr {
    situ_device device;
    int32_t unused;
} situ_copy_attr;
extern const situ_op situ_op_copy;
/* For reductions over axes first .. first+count-1 of the operand; code is the situ_reduce_kind. may_lose_nan: the
 * result need not propagate NaN, because its reader detects it otherwise. */
typedef struct situ_reduce_attr {
    int32_t first, count, keepdims, dtype, may_lose_nan;
} situ_reduce_attr;

#endif
