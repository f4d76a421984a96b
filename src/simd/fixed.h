/* Vectors of 32 bytes, for AVX2 and AVX-512. */
#ifndef SITU_SIMD_FIXED_H
#define SITU_SIMD_FIXED_H

typedef __m256 f32_fixed;
typedef __m256d f64_fixed;
typedef __m256i i16_fixed;
typedef __m256i i32_fixed;

#define f32_fixed_load(p) _mm256_loadu_ps(p)
#define f64_fixed_load(p) _mm256_loadu_pd(p)
#define f32_fixed_store(p, v) _mm256_storeu_ps(p, v)
#define f64_fixed_store(p, v) _mm256_storeu_pd(p, v)
static inline __attribute__((unused)) __m256 f32_fixed_even(const float *p)
{
    __m256 pairs = _mm256_shuffle_ps(_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8), 0x88);
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(pairs), 0xd8));
}
static inline __attribute__((unused)) __m256d f64_fixed_even(const double *p)
{
    return _mm256_permute4x64_pd(_mm256_unpacklo_pd(_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)), 0xd8);
}
#define f32_fixed_total f32_fixed_total
static inline __attribute__((unused)) float f32_fixed_total(const float *p)
{
    __m256 v = _mm256_loadu_ps(p);
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1)),
           two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

#define simd_eight(p) _mm_loadl_epi64((const __m128i *)(const void *)(p))
#define simd_sixteen(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define i16_fixed_load(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define i16_fixed_store(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define i16_fixed_of_i8(p) _mm256_cvtepi8_epi16(simd_sixteen(p))
SITU_WORD __m256i i16_fixed_pair(const void *p)
{
    int32_t pair;
    memcpy(&pair, p, sizeof pair);
    return _mm256_set1_epi32(pair);
}
#define i32_fixed_pairs(a, b, sum) _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))
#define i32_fixed_zero() _mm256_setzero_si256()
#define i32_fixed_store(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)

#endif
