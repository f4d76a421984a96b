/* Quantised weights with the vector operations of an instruction set; without instructions for f16, as
 * op/blocks.inc unpacks them. */
#include "backend/cpu/layers/quantised.h"
#include "base/isa.h"
#include "simd/simd.h"
#ifdef SITU_HALF_FLOATS
#define BLOCK_HALF(p) (v_all_f16(p)[0])
#endif
#include "op/blocks.inc"

#define BY_BLOCKS(NAME, name, numbers, bytes, group) \
    static __attribute__((unused)) void name##_by_blocks(const uint8_t *from, int64_t n, float *to) \
    { \
        int8_t q[numbers]; \
        float scale[numbers / group], least[numbers / group]; \
        for (; n > 0; n -= numbers, from += bytes, to += numbers) { \
            name(from, q, scale, least); \
            for (int i = 0; i < numbers; i += group) scaled(q + i, scale[i / group], least[i / group], group, to + i); \
        } \
    }

#ifdef SITU_HALF_FLOATS
/* The values of op/blocks.inc. Products of a scale (11 bits) and a number are exact, so a fused multiply-add rounds as often. */
SITU_WORD v_F of_q8_0(const uint8_t *block, int i)
{
    v_F x = v_from_i8(block + 2 + i);
    return v_all_f16(block) * x;
}
SITU_WORD v_F of_q4_0(const uint8_t *block, int i) { return v_all_f16(block) * (v_from_u4(block + 2 + i % 16, i >= 16) - 8.0f); }
SITU_WORD v_F of_q4_1(const uint8_t *block, int i)
{
    return v_fma(v_all_f16(block), v_from_u4(block + 4 + i % 16, i >= 16), v_all_f16(block + 2));
}
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

static inline __attribute__((always_inline)) void scaled(const int8_t *q, float scale, float least, int n, float *to)
{
    v_F by = v_constant(scale), less = v_constant(-least);
    UNROLL(4) for (int i = 0; i < n; i += LANES) v_store(to + i, v_fma(by, v_from_i8((const uint8_t *)q + i), less));
}
SITU_BLOCK_FORMATS(BY_BLOCKS)
#define q8_0_by_blocks q8_0_unpack
#define q4_0_by_blocks q4_0_unpack
#define q4_1_by_blocks q4_1_unpack
#define QUICK_DOTS \
    [SITU_Q8_0] = q8_0_dots, [SITU_Q4_0] = q4_0_dots, [SITU_Q4_1] = q4_1_dots, [SITU_UNPACK_BF16] = bf16_dots, \
    [SITU_UNPACK_F16] = f16_dots
#else
static inline void scaled(const int8_t *q, float scale, float least, int n, float *to)
{
    for (int i = 0; i < n; i++) to[i] = scale * (float)q[i] - least;
}
SITU_BLOCK_FORMATS(BY_BLOCKS)
#define bf16_unpack situ_unpack_bf16
#define f16_unpack situ_unpack_f16
#define QUICK_DOTS NULL
#endif

#define UNPACK_ROW(NAME, name, numbers, bytes, group) [SITU_##NAME] = name##_by_blocks,
const situ_block_kernels SITU_OF_SET(situ_blocks) = {
    .unpack = {SITU_BLOCK_FORMATS(UNPACK_ROW)[SITU_UNPACK_BF16] = bf16_unpack, [SITU_UNPACK_F16] = f16_unpack},
    .dots = {QUICK_DOTS}};
