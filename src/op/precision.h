/* Mixed precision: products, convolutions and attention of f32 with operands rounded to f16 or bf16 (situ_precision). */
#ifndef SITU_OP_PRECISION_H
#define SITU_OP_PRECISION_H

#include "graph/op.h"
#include "graph/record.h"

/* The dtype to which this thread's f32 operands are rounded; 0: none. */
static inline uint8_t situ_precision_of(const situ_tensor *x) { return x->dtype == SITU_F32 ? situ_thread_state.precision : 0; }
/* Sets the policy: 0 (none), f16 or bf16; returns the previous one. Gradients, expansions and optimizers record
 * without a policy. */
static inline uint8_t situ_precision_swap(uint8_t dtype)
{
    uint8_t before = situ_thread_state.precision;
    situ_thread_state.precision = dtype;
    return before;
}

/* An error unless it is f32, f16 or bf16. */
bool situ_precision_check(situ_dtype dtype, const char *operation, situ_site site);

/* x, of f32, rounded to the nearest value of `dtype`; its gradient is not rounded. A transposed matrix is rounded in
 * its memory order, so that all products with it share the rounded copy. */
extern const situ_op situ_op_rounded;
situ_tensor *situ_rounded(situ_tensor *x, uint8_t dtype, situ_site site);

#endif
