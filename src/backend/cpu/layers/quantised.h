/* Products with quantised weights (blocks of few bits). Rows are unpacked to f32: in registers if x has one row and the format is
 * a simple one, else into the cache. They are multiplied in the order of f32 products, so the bits are those of a product with
 * the unpacked weight. */
#ifndef SITU_CPU_BLOCKS_H
#define SITU_CPU_BLOCKS_H

#include "backend/cpu/gemm/gemm.h"
#include "op/blocks.h"

/* Listed in implementations.c. */
bool situ_rows_product_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_rows_product_run(const situ_call_desc *call, char *const *address, const situ_host *h);
bool situ_dequantise_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_dequantise_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* ---- inside --------------------------------------------------------------------------------------------------------- */

/* Kinds of rows to unpack n numbers from: quantised blocks (n a multiple of a block's numbers), bf16, f16. */
enum { SITU_UNPACK_BF16 = SITU_BLOCK_TYPES, SITU_UNPACK_F16, SITU_UNPACKS };
typedef struct situ_block_kernels {
    void (*unpack[SITU_UNPACKS])(const uint8_t *from, int64_t n, float *to);
    void (*dots[SITU_UNPACKS])(const situ_gemm *g); /* dot products along k, of rows of A that are a_row bytes apart; or NULL */
} situ_block_kernels;
static inline float situ_one_bf16(const uint8_t *p)
{
    return situ_f32_of_bits((uint32_t) * (const uint16_t *)(const void *)p << 16);
}
static inline float situ_one_f16(const uint8_t *p) { return situ_half_to_f32(*(const uint16_t *)(const void *)p); }
static inline void situ_unpack_bf16(const uint8_t *from, int64_t n, float *to)
{
    for (int64_t i = 0; i < n; i++) to[i] = situ_one_bf16(from + 2 * i);
}
static inline void situ_unpack_f16(const uint8_t *from, int64_t n, float *to)
{
    for (int64_t i = 0; i < n; i++) to[i] = situ_one_f16(from + 2 * i);
}
#define SITU_BLOCKS_TABLE(name) extern const situ_block_kernels name;
SITU_EACH_SET(SITU_BLOCKS_TABLE, situ_blocks)

#endif
