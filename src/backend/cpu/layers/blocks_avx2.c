#if defined(__x86_64__)
#include "backend/cpu/layers/blocks.h"

#include <immintrin.h>
#include <string.h>

/* The same values as situ_unpack_blocks: a scale of 11 bits times 8 is exact, so that one rounding is left. */

/* In all lanes. */
static inline __attribute__((always_inline)) __m256 half(const uint8_t *p)
{
    int16_t bits;
    memcpy(&bits, p, sizeof bits);
    return _mm256_cvtph_ps(_mm_set1_epi16(bits));
}

/* Eight bytes, or numbers i ... i + 7 of a block. */
static inline __attribute__((always_inline)) __m128i eight(const uint8_t *p)
{
    return _mm_loadl_epi64((const __m128i *)(const void *)p);
}
static inline __attribute__((always_inline)) __m256 of_q8_0(const uint8_t *block, int i)
{
    return _mm256_mul_ps(half(block), _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(eight(block + 2 + i))));
}
static inline __attribute__((always_inline)) __m256 fours(const uint8_t *q, int i, __m256 scale, __m256 least)
{
    __m128i both = eight(q + i % 16), four = _mm_and_si128(i < 16 ? both : _mm_srli_epi16(both, 4), _mm_set1_epi8(15));
    return _mm256_fmadd_ps(scale, _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(four)), least);
}
static inline __attribute__((always_inline)) __m256 of_q4_0(const uint8_t *block, int i)
{
    return fours(block + 2, i, half(block), _mm256_mul_ps(half(block), _mm256_set1_ps(-8)));
}
static inline __attribute__((always_inline)) __m256 of_q4_1(const uint8_t *block, int i)
{
    return fours(block + 4, i, half(block), half(block + 2));
}
static inline __attribute__((always_inline)) __m256 of_bf16(const uint8_t *p)
{
    __m128i bits = _mm_loadu_si128((const __m128i *)(const void *)p);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}
static inline __attribute__((always_inline)) __m256 of_f16(const uint8_t *p)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)p));
}

#define T float
#define V __m256
#define LANES 8
#define ZERO _mm256_setzero_ps()
#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#include "backend/cpu/layers/blocks.inc"

const situ_block_kernels situ_blocks_avx2 = SITU_BLOCK_KERNELS;
#endif
