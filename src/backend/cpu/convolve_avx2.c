#if defined(__x86_64__)
#include "backend/cpu/convolve.h"

#include <immintrin.h>
#include <string.h>

/* By halves: i + (i + 4), then + 2, then + 1. */
static inline float folded32(__m256 v)
{
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1)), two = _mm_add_ps(four, _mm_movehl_ps(four, four));
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

#define T float
#define V __m256
#define LANES 8
#define NAME(x) f32_##x
#define ZERO _mm256_setzero_ps()
#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define BROADCAST(x) _mm256_set1_ps(x)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define FOLDED(v) folded32(v)
#define EVEN(p) even32(p)
#include "backend/cpu/convolve.inc"

#define T double
#define V __m256d
#define LANES 4
#define NAME(x) f64_##x
#define ZERO _mm256_setzero_pd()
#define LOAD(p) _mm256_loadu_pd(p)
#define STORE(p, v) _mm256_storeu_pd(p, v)
#define BROADCAST(x) _mm256_set1_pd(x)
#define FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define FOLDED(v) f64_folded(v)
#define EVEN(p) even64(p)
#include "backend/cpu/convolve.inc"

const situ_convolve_kernels situ_convolve_avx2 = {{f32_pack, f64_pack}, {f32_sum, f64_sum}, {f32_gradient, f64_gradient}};
#endif
