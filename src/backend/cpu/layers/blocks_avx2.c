#if defined(__x86_64__)
#include "backend/cpu/layers/blocks.h"

#include <immintrin.h>

/* The same values as situ_unpack_blocks: a scale of 11 bits times 8 is exact, so that one rounding is left. */

/* AVX2 stands for it as well: base/isa.h. */
#define F16C __attribute__((target("f16c")))

F16C static inline float half(const uint8_t *p)
{
    uint16_t bits;
    memcpy(&bits, p, sizeof bits);
    return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(bits)));
}

F16C static inline __m128i eight(const uint8_t *p) { return _mm_loadl_epi64((const __m128i *)(const void *)p); }

F16C static void q8_0(const uint8_t *from, int64_t n, float *to)
{
    for (; n > 0; n -= 32, from += 34, to += 32) {
        __builtin_prefetch(from + SITU_UNPACK_AHEAD);
        __m256 scale = _mm256_set1_ps(half(from));
        _Pragma("GCC unroll 4") for (int i = 0; i < 32; i += 8)
            _mm256_storeu_ps(to + i, _mm256_mul_ps(scale, _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(eight(from + 2 + i)))));
    }
}

F16C static inline __attribute__((always_inline)) void fours(const uint8_t *q, float scale_, float least_, float *to)
{
    __m256 scale = _mm256_set1_ps(scale_), least = _mm256_set1_ps(least_);
    const __m128i low = _mm_set1_epi8(15);
    __builtin_prefetch(q + SITU_UNPACK_AHEAD);
    __m128i both = _mm_loadu_si128((const __m128i *)(const void *)q);
    __m128i part[2] = {_mm_and_si128(both, low), _mm_and_si128(_mm_srli_epi16(both, 4), low)};
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++)
    {
        __m128i bytes = i % 2 ? _mm_unpackhi_epi64(part[i / 2], part[i / 2]) : part[i / 2];
        _mm256_storeu_ps(to + 8 * i, _mm256_fmadd_ps(scale, _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes)), least));
    }
}

F16C static void q4_0(const uint8_t *from, int64_t n, float *to)
{
    for (; n > 0; n -= 32, from += 18, to += 32) fours(from + 2, half(from), -8 * half(from), to);
}
F16C static void q4_1(const uint8_t *from, int64_t n, float *to)
{
    for (; n > 0; n -= 32, from += 20, to += 32) fours(from + 4, half(from), half(from + 2), to);
}

static void bf16(const uint8_t *from, int64_t n, float *to)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __builtin_prefetch(from + 2 * i + SITU_UNPACK_AHEAD);
        __m128i bits = _mm_loadu_si128((const __m128i *)(const void *)(from + 2 * i));
        _mm256_storeu_ps(to + i, _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16)));
    }
    situ_unpack_bf16(from + 2 * i, n - i, to + i);
}

F16C static void f16(const uint8_t *from, int64_t n, float *to)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(from + 2 * i))));
    situ_unpack_f16(from + 2 * i, n - i, to + i);
}

const situ_block_kernels situ_blocks_avx2 = {{q8_0, q4_0, q4_1, bf16, f16}};
#endif
