/* Packing by shuffles, for the kernels of AVX2 and AVX-512. */
#ifndef SITU_CPU_GEMM_TURN_H
#define SITU_CPU_GEMM_TURN_H

#include <immintrin.h>
#include <stdint.h>

/* Columns of 8 floats of 8 rows, `across` apart, as rows that are `row` apart. */
static inline __attribute__((always_inline)) void turn32(float *to, int64_t row, const float *from, int64_t across)
{
    __m256 r[8], s[8];
    _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++) r[i] = _mm256_loadu_ps(from + i * across);
    _Pragma("GCC unroll 4") for (int i = 0; i < 8; i += 2) {
        s[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        s[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    _Pragma("GCC unroll 2") for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_shuffle_ps(s[i], s[i + 2], 0x44);
        r[i + 1] = _mm256_shuffle_ps(s[i], s[i + 2], 0xee);
        r[i + 2] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0x44);
        r[i + 3] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0xee);
    }
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) {
        _mm256_storeu_ps(to + i * row, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
        _mm256_storeu_ps(to + (i + 4) * row, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
    }
}

/* 8 columns of 6 rows, `across` apart, as 8 rows of 6 neighbours. */
static inline __attribute__((always_inline)) void turn6_32(float *to, const float *from, int64_t across)
{
    __m256 r[8], s[8];
    _Pragma("GCC unroll 8") for (int i = 0; i < 6; i++) r[i] = _mm256_loadu_ps(from + i * across);
    r[6] = r[7] = _mm256_setzero_ps();
    _Pragma("GCC unroll 4") for (int i = 0; i < 8; i += 2) {
        s[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        s[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    _Pragma("GCC unroll 2") for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_shuffle_ps(s[i], s[i + 2], 0x44);
        r[i + 1] = _mm256_shuffle_ps(s[i], s[i + 2], 0xee);
        r[i + 2] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0x44);
        r[i + 3] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0xee);
    }
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) {
        _mm_storeu_ps(to + i * 6, _mm256_castps256_ps128(r[i]));
        _mm_storel_pi((__m64 *)(void *)(to + i * 6 + 4), _mm256_castps256_ps128(r[i + 4]));
        _mm_storeu_ps(to + (i + 4) * 6, _mm256_extractf128_ps(r[i], 1));
        _mm_storel_pi((__m64 *)(void *)(to + (i + 4) * 6 + 4), _mm256_extractf128_ps(r[i + 4], 1));
    }
}

#endif
