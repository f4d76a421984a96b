/* Weights of few bits: rows are unpacked to f32 into the nearest cache, and multiplied there by the kernels of f32 products, in
 * their order: the bits are those of the product with the unpacked weight. */
#ifndef SITU_CPU_BLOCKS_H
#define SITU_CPU_BLOCKS_H

#include "graph/op.h"
#include "op/blocks.h"

/* For impls.c. */
bool situ_rows_product_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_rows_product_run(const situ_call_desc *call, char *const *address, const situ_host *h);
bool situ_dequantise_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_dequantise_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* ---- inside --------------------------------------------------------------------------------------------------------- */

/* n numbers, a multiple of 32, of blocks one after the other. */
typedef struct situ_block_kernels {
    void (*unpack[SITU_BLOCK_TYPES])(const uint8_t *from, int64_t n, float *to);
} situ_block_kernels;
extern const situ_block_kernels situ_blocks_baseline;
#if defined(__x86_64__)
extern const situ_block_kernels situ_blocks_avx2, situ_blocks_avx512;
#endif

#endif
