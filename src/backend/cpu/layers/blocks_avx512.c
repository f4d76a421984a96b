#if defined(__x86_64__)
#include "backend/cpu/layers/blocks.h"

#include <immintrin.h>

/* As blocks_avx2.c. */

static inline float half(const uint8_t *p)
{
    uint16_t bits;
    memcpy(&bits, p, sizeof bits);
    return _mm_cvtss_f32(_mm_maskz_cvtph_ps(1, _mm_cvtsi32_si128(bits)));
}

static inline __m128i sixteen(const uint8_t *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }

static void q8_0(const uint8_t *from, int64_t n, float *to)
{
    for (; n > 0; n -= 32, from += 34, to += 32) {
        __builtin_prefetch(from + SITU_UNPACK_AHEAD);
        __m512 scale = _mm512_set1_ps(half(from));
        for (int i = 0; i < 32; i += 16)
            _mm512_storeu_ps(to + i, _mm512_mul_ps(scale, _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(sixteen(from + 2 + i)))));
    }
}

static inline __attribute__((always_inline)) void fours(const uint8_t *q, float scale_, float least_, float *to)
{
    __m512 scale = _mm512_set1_ps(scale_), least = _mm512_set1_ps(least_);
    const __m128i low = _mm_set1_epi8(15);
    __builtin_prefetch(q + SITU_UNPACK_AHEAD);
    __m128i both = sixteen(q), part[2] = {_mm_and_si128(both, low), _mm_and_si128(_mm_srli_epi16(both, 4), low)};
    for (int i = 0; i < 2; i++)
        _mm512_storeu_ps(to + 16 * i, _mm512_fmadd_ps(scale, _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(part[i])), least));
}

static void q4_0(const uint8_t *from, int64_t n, float *to)
{
    for (; n > 0; n -= 32, from += 18, to += 32) fours(from + 2, half(from), -8 * half(from), to);
}
static void q4_1(const uint8_t *from, int64_t n, float *to)
{
    for (; n > 0; n -= 32, from += 20, to += 32) fours(from + 4, half(from), half(from + 2), to);
}

static void bf16(const uint8_t *from, int64_t n, float *to)
{
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __builtin_prefetch(from + 2 * i + SITU_UNPACK_AHEAD);
        __m256i bits = _mm256_loadu_si256((const __m256i *)(const void *)(from + 2 * i));
        _mm512_storeu_ps(to + i, _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16)));
    }
    situ_unpack_bf16(from + 2 * i, n - i, to + i);
}

static void f16(const uint8_t *from, int64_t n, float *to)
{
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(from + 2 * i))));
    situ_unpack_f16(from + 2 * i, n - i, to + i);
}

const situ_block_kernels situ_blocks_avx512 = {{q8_0, q4_0, q4_1, bf16, f16}};
#endif
