/* Mixed precision: products, convolutions and attention of f32 whose operands are rounded to f16 or bf16 (situ_precision). */
#ifndef SITU_OP_PRECISION_H
#define SITU_OP_PRECISION_H

#include "graph/op.h"
#include "graph/record.h"

/* What this thread's operands of dtype f32 are rounded to; 0: they are not. */
static inline uint8_t situ_precision_of(const situ_tensor *x) { return x->dtype == SITU_F32 ? situ_thread_state.precision : 0; }
/* From now on 0, nothing, or f16 or bf16; gives what was before. Gradients, expansions and optimizers record without. */
static inline uint8_t situ_precision_swap(uint8_t dtype)
{
    uint8_t before = situ_thread_state.precision;
    situ_thread_state.precision = dtype;
    return before;
}

/* Is it f32, f16 or bf16? Else an error. */
bool situ_precision_check(situ_dtype dtype, const char *operation, situ_site site);

/* x, of f32, rounded to the nearest number of `dtype`; its gradient is not rounded. Turned matrices are rounded as they lie, so
 * that all products with one share what is rounded. */
extern const situ_op situ_op_rounded;
situ_tensor *situ_rounded(situ_tensor *x, uint8_t dtype, situ_site site);

#endif
