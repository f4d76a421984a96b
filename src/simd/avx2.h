/* AVX2 with FMA. Words are macros: inlined functions make other code of the same instructions, which is not always as fast. */
#include <immintrin.h>

#define SITU_HALVES
#define SITU_PAIRS
#define SITU_TURNS
#define SITU_REGISTERS 16

enum { F32_LANES = 8, F64_LANES = 4 };
typedef __m256 f32_vector;
typedef __m256d f64_vector;
typedef __m128 f32_half;

/* The first n of these are set: the mask of a part of a vector. */
static const int32_t simd_first32[16] __attribute__((unused)) = {-1, -1, -1, -1, -1, -1, -1, -1};
static const int64_t simd_first64[8] __attribute__((unused)) = {-1, -1, -1, -1};
SITU_WORD __m256i simd_mask32(int n)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)(simd_first32 + 8 - (n < 8 ? n : 8)));
}
SITU_WORD __m256i simd_mask64(int n)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)(simd_first64 + 4 - (n < 4 ? n : 4)));
}

#define f32_zero() _mm256_setzero_ps()
#define f64_zero() _mm256_setzero_pd()
#define f32_all(x) _mm256_set1_ps(x)
#define f64_all(x) _mm256_set1_pd(x)
#define f32_load(p) _mm256_loadu_ps(p)
#define f64_load(p) _mm256_loadu_pd(p)
#define f32_store(p, v) _mm256_storeu_ps(p, v)
#define f64_store(p, v) _mm256_storeu_pd(p, v)
#define f32_load_part(p, n) _mm256_maskload_ps(p, simd_mask32(n))
#define f64_load_part(p, n) _mm256_maskload_pd(p, simd_mask64(n))
#define f32_store_part(p, v, n) _mm256_maskstore_ps(p, simd_mask32(n), v)
#define f64_store_part(p, v, n) _mm256_maskstore_pd(p, simd_mask64(n), v)
#define f32_fma(a, b, c) _mm256_fmadd_ps(a, b, c)
#define f64_fma(a, b, c) _mm256_fmadd_pd(a, b, c)

#define f32_half_load(p) _mm_loadu_ps(p)
#define f32_half_store(p, v) _mm_storeu_ps(p, v)
#define f32_half_load_part(p, n) _mm_maskload_ps(p, _mm256_castsi256_si128(simd_mask32(n)))
#define f32_half_store_part(p, v, n) _mm_maskstore_ps(p, _mm256_castsi256_si128(simd_mask32(n)), v)
#define f32_half_fma(a, b, c) _mm_fmadd_ps(a, b, c)
#define f32_lower(v) _mm256_castps256_ps128(v)
#define f32_upper(v) _mm256_extractf128_ps(v, 1)
#define f32_twice(v) _mm256_set_m128(v, v)
#define f32_pair(a, b) _mm256_blend_ps(a, b, 0xf0)
