/* Transposes of small blocks by shuffles, used for packing by the AVX2 and AVX-512 kernels. */
#ifndef SITU_SIMD_TURN_H
#define SITU_SIMD_TURN_H

#include <immintrin.h>
#include <stdint.h>

/* 8 x 8 transpose without its last step: afterwards rows i and i + 4 are the low halves, then the high halves, of r[i]
 * and r[i + 4]. */
static inline __attribute__((always_inline)) void transpose_quarters(__m256 *r)
{
    __m256 s[8];
    _Pragma("GCC unroll 4") for (int i = 0; i < 8; i += 2)
    {
        s[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        s[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    _Pragma("GCC unroll 2") for (int i = 0; i < 8; i += 4)
    {
        r[i] = _mm256_shuffle_ps(s[i], s[i + 2], 0x44);
        r[i + 1] = _mm256_shuffle_ps(s[i], s[i + 2], 0xee);
        r[i + 2] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0x44);
        r[i + 3] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0xee);
    }
}

/* Transposes 8 rows of 8 floats, `across` elements apart; output rows are `row` apart. */
static inline __attribute__((always_inline)) void transpose_8x8(float *to, int64_t row, const float *from, int64_t across)
{
    __m256 r[8];
    _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++) r[i] = _mm256_loadu_ps(from + i * across);
    transpose_quarters(r);
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++)
    {
        _mm256_storeu_ps(to + i * row, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
        _mm256_storeu_ps(to + (i + 4) * row, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
    }
}

/* Transposes 6 rows of 8 columns, `across` apart, to 8 contiguous groups of 6. */
static inline __attribute__((always_inline)) void transpose_8x6(float *to, const float *from, int64_t across)
{
    __m256 r[8];
    _Pragma("GCC unroll 8") for (int i = 0; i < 6; i++) r[i] = _mm256_loadu_ps(from + i * across);
    r[6] = r[7] = _mm256_setzero_ps();
    transpose_quarters(r);
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++)
    {
        _mm_storeu_ps(to + i * 6, _mm256_castps256_ps128(r[i]));
        _mm_storel_pi((__m64 *)(void *)(to + i * 6 + 4), _mm256_castps256_ps128(r[i + 4]));
        _mm_storeu_ps(to + (i + 4) * 6, _mm256_extractf128_ps(r[i], 1));
        _mm_storel_pi((__m64 *)(void *)(to + (i + 4) * 6 + 4), _mm256_extractf128_ps(r[i + 4], 1));
    }
}

#if defined(__AVX512F__)
/* The same for 16 columns: interleaves pairs of rows first, then three pairs at a time. */
static inline __attribute__((always_inline)) void transpose_16x6(float *to, const float *from, int64_t across)
{
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    /* lanes of the pairs x and y, without z's; then z's */
    const __m512i xy[3] = {_mm512_setr_epi64(0, 8, 0, 1, 9, 0, 2, 10), _mm512_setr_epi64(0, 3, 11, 0, 4, 12, 0, 5),
        _mm512_setr_epi64(13, 0, 6, 14, 0, 7, 15, 0)};
    const __m512i z[3] = {_mm512_setr_epi64(0, 0, 0, 0, 0, 1, 0, 0), _mm512_setr_epi64(2, 0, 0, 3, 0, 0, 4, 0),
        _mm512_setr_epi64(0, 5, 0, 0, 6, 0, 0, 7)};
    static const __mmask8 has_z[3] = {0x24, 0x49, 0x92};
    __m512 row[6];
    _Pragma("GCC unroll 6") for (int i = 0; i < 6; i++) row[i] = _mm512_loadu_ps(from + i * across);
    _Pragma("GCC unroll 2") for (int half = 0; half < 2; half++)
    {
        __m512d pair[3];
        _Pragma("GCC unroll 3") for (int i = 0; i < 3; i++) pair[i] =
            _mm512_castps_pd(_mm512_permutex2var_ps(row[2 * i], half ? high : low, row[2 * i + 1]));
        _Pragma("GCC unroll 3") for (int i = 0; i < 3; i++)
        {
            __m512d some = _mm512_permutex2var_pd(pair[0], xy[i], pair[1]);
            _mm512_storeu_pd(
                (double *)(void *)(to + half * 48 + i * 16), _mm512_mask_permutexvar_pd(some, has_z[i], z[i], pair[2]));
        }
    }
}
#endif

#endif
