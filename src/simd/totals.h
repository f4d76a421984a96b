/* Four sums of dots.inc at once: adds halves in the same order, with a third of the shuffles. */
#ifndef SITU_SIMD_TOTALS_H
#define SITU_SIMD_TOTALS_H

#include <immintrin.h>

static inline __attribute__((always_inline)) void situ_totals_avx512(const __m512 *s, float *total)
{
    __m512 a = _mm512_add_ps(_mm512_shuffle_f32x4(s[0], s[1], 0x44), _mm512_shuffle_f32x4(s[0], s[1], 0xee));
    __m512 b = _mm512_add_ps(_mm512_shuffle_f32x4(s[2], s[3], 0x44), _mm512_shuffle_f32x4(s[2], s[3], 0xee));
    __m512 q = _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd)); /* four lanes for each sum */
    q = _mm512_add_ps(q, _mm512_permute_ps(q, 0x4e));
    q = _mm512_add_ps(q, _mm512_permute_ps(q, 0xb1));
    _mm_storeu_ps(total, _mm512_castps512_ps128(_mm512_maskz_compress_ps(0x1111, q)));
}

#endif
