/* Quantised weights with the vector operations of an instruction set; without instructions for f16, as op/blocks.h
 * unpacks them. */
#include "backend/cpu/layers/quantised.h"
#include "base/isa.h"
#include "simd/simd.h"

#ifdef SITU_HALF_FLOATS
/* Same values as situ_unpack_blocks: a scale (11 bits) times 8 is exact, so there is one rounding. */
SITU_WORD v_F of_q8_0(const uint8_t *block, int i)
{
    v_F x = v_from_i8(block + 2 + i);
    return v_all_f16(block) * x;
}
SITU_WORD v_F of_fours(const uint8_t *q, int i, v_F scale, v_F least)
{
    return v_fma(scale, v_from_u4(q + i % 16, i >= 16), least);
}
SITU_WORD v_F of_q4_0(const uint8_t *block, int i) { return of_fours(block + 2, i, v_all_f16(block), v_all_f16(block) * -8.0f); }
SITU_WORD v_F of_q4_1(const uint8_t *block, int i) { return of_fours(block + 4, i, v_all_f16(block), v_all_f16(block + 2)); }
SITU_WORD v_F of_bf16(const uint8_t *p) { return v_from_bf16(v_16(p)); }
SITU_WORD v_F of_f16(const uint8_t *p) { return v_from_f16(v_16(p)); }

#define T float
#define V v_F
#define LANES (VECTOR_BYTES / 4)
#define ZERO v_constant(0)
#define LOAD(p) v_load(p)
#define STORE(p, v) v_store(p, v)
#define FMA(a, b, c) v_fma(a, b, c)
#ifdef SITU_TOTALS
#define TOTALS situ_totals_avx512
#endif
#include "backend/cpu/layers/quantised.inc"

const situ_block_kernels SITU_OF_SET(situ_blocks) = SITU_BLOCK_KERNELS;
#else
static void q8_0_unpack(const uint8_t *from, int64_t n, float *to) { situ_unpack_blocks(SITU_Q8_0, from, n, to); }
static void q4_0_unpack(const uint8_t *from, int64_t n, float *to) { situ_unpack_blocks(SITU_Q4_0, from, n, to); }
static void q4_1_unpack(const uint8_t *from, int64_t n, float *to) { situ_unpack_blocks(SITU_Q4_1, from, n, to); }

const situ_block_kernels SITU_OF_SET(situ_blocks) = {
    {q8_0_unpack, q4_0_unpack, q4_1_unpack, situ_unpack_bf16, situ_unpack_f16}, {NULL}};
#endif
