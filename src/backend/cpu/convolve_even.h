/* For the kernels of AVX2 and AVX-512. */
#ifndef SITU_CPU_CONVOLVE_EVEN_H
#define SITU_CPU_CONVOLVE_EVEN_H

#include <immintrin.h>

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
