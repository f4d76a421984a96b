/* For the kernels of AVX2 and AVX-512. */
#ifndef SITU_CPU_CONVOLVE_WORDS_H
#define SITU_CPU_CONVOLVE_WORDS_H

#include <immintrin.h>

/* By halves: i + (i + 4), then + 2, then + 1. */
static inline float reduced32(__m256 v)
{
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1)),
           two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

/* p[0], p[2], p[4], ... */
static inline __m256 even32(const float *p)
{
    __m256 pairs = _mm256_shuffle_ps(_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8), 0x88);
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(pairs), 0xd8));
}
static inline __m256d even64(const double *p)
{
    return _mm256_permute4x64_pd(_mm256_unpacklo_pd(_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)), 0xd8);
}

#endif
