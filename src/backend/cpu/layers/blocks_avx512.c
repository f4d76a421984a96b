#if defined(__x86_64__)
#include "backend/cpu/layers/blocks.h"

#include <immintrin.h>
#include <string.h>

#include "simd/totals.h"

/* As blocks_avx2.c. */

/* In all lanes. */
static inline __m512 half(const uint8_t *p)
{
    int16_t bits;
    memcpy(&bits, p, sizeof bits);
    return _mm512_cvtph_ps(_mm256_set1_epi16(bits));
}

static inline __m128i sixteen(const uint8_t *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }

/* Numbers i ... i + 15 of a block. */
static inline __attribute__((always_inline)) __m512 of_q8_0(const uint8_t *block, int i)
{
    return _mm512_mul_ps(half(block), _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(sixteen(block + 2 + i))));
}
static inline __attribute__((always_inline)) __m512 fours(const uint8_t *q, int i, __m512 scale, __m512 least)
{
    __m128i both = sixteen(q), four = _mm_and_si128(i ? _mm_srli_epi16(both, 4) : both, _mm_set1_epi8(15));
    return _mm512_fmadd_ps(scale, _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(four)), least);
}
static inline __attribute__((always_inline)) __m512 of_q4_0(const uint8_t *block, int i)
{
    return fours(block + 2, i, half(block), _mm512_mul_ps(half(block), _mm512_set1_ps(-8)));
}
static inline __attribute__((always_inline)) __m512 of_q4_1(const uint8_t *block, int i)
{
    return fours(block + 4, i, half(block), half(block + 2));
}
static inline __m512 of_bf16(const uint8_t *p)
{
    __m256i bits = _mm256_loadu_si256((const __m256i *)(const void *)p);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}
static inline __m512 of_f16(const uint8_t *p) { return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)p)); }

#define T float
#define V __m512
#define LANES 16
#define ZERO _mm512_setzero_ps()
#define LOAD(p) _mm512_loadu_ps(p)
#define STORE(p, v) _mm512_storeu_ps(p, v)
#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define TOTALS situ_totals_avx512
#include "backend/cpu/layers/blocks.inc"

const situ_block_kernels situ_blocks_avx512 = SITU_BLOCK_KERNELS;
#endif
