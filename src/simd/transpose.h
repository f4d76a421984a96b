/* Transposes a square of 32-bit elements in registers: as many vectors as a vector has lanes. */
#ifndef SITU_SIMD_TRANSPOSE_H
#define SITU_SIMD_TRANSPOSE_H

#include "simd/simd.h"

#if VECTOR_BYTES == 64 && defined(__AVX512F__)
SITU_WORD void v_transpose(v_F *r)
{
    __m512 x[16], y[16];
    for (int i = 0; i < 16; i += 2) {
        y[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
        y[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) { /* x[i + k]: element k of each group of four, of rows i to i + 3 */
        x[i] = _mm512_shuffle_ps(y[i], y[i + 2], 0x44);
        x[i + 1] = _mm512_shuffle_ps(y[i], y[i + 2], 0xee);
        x[i + 2] = _mm512_shuffle_ps(y[i + 1], y[i + 3], 0x44);
        x[i + 3] = _mm512_shuffle_ps(y[i + 1], y[i + 3], 0xee);
    }
    for (int i = 0; i < 16; i += 8)
        for (int k = 0; k < 4; k++) { /* groups 0 and 2, then 1 and 3 */
            y[i + k] = _mm512_shuffle_f32x4(x[i + k], x[i + 4 + k], 0x88);
            y[i + 4 + k] = _mm512_shuffle_f32x4(x[i + k], x[i + 4 + k], 0xdd);
        }
    for (int k = 0; k < 8; k++) {
        r[k] = _mm512_shuffle_f32x4(y[k], y[8 + k], 0x88);
        r[8 + k] = _mm512_shuffle_f32x4(y[k], y[8 + k], 0xdd);
    }
}
#elif VECTOR_BYTES == 32 && defined(__AVX2__)
#include "simd/small_transpose.h"
SITU_WORD void v_transpose(v_F *r)
{
    transpose_quarters(r);
    for (int k = 0; k < 4; k++) {
        __m256 low = r[k], high = r[4 + k];
        r[k] = _mm256_permute2f128_ps(low, high, 0x20);
        r[4 + k] = _mm256_permute2f128_ps(low, high, 0x31);
    }
}
#elif VECTOR_BYTES == 16 && defined(__SSE2__)
SITU_WORD void v_transpose(v_F *r) { _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]); }
#else
SITU_WORD void v_transpose(v_F *r)
{
    for (int i = 0; i < VECTOR_BYTES / 4; i++)
        for (int k = 0; k < i; k++) {
            float below = r[i][k];
            r[i][k] = r[k][i];
            r[k][i] = below;
        }
}
#endif

#endif
