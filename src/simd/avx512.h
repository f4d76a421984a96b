/* AVX-512: F, DQ, VL and BW. Words are macros, as in avx2.h. */
#include <immintrin.h>

#define SITU_HALVES
#define SITU_TURNS
#define SITU_TOTALS
#define SITU_REGISTERS 32

enum { F32_LANES = 16, F64_LANES = 8 };
typedef __m512 f32_vector;
typedef __m512d f64_vector;
typedef __m256 f32_half;

/* The first n of 16, or of 8. */
SITU_WORD __mmask16 simd_first16(int n) { return (__mmask16)(n < 16 ? (1u << n) - 1 : 0xffff); }
SITU_WORD __mmask8 simd_first8(int n) { return (__mmask8)(n < 8 ? (1u << n) - 1 : 0xff); }

#define f32_zero() _mm512_setzero_ps()
#define f64_zero() _mm512_setzero_pd()
#define f32_all(x) _mm512_set1_ps(x)
#define f64_all(x) _mm512_set1_pd(x)
#define f32_load(p) _mm512_loadu_ps(p)
#define f64_load(p) _mm512_loadu_pd(p)
#define f32_store(p, v) _mm512_storeu_ps(p, v)
#define f64_store(p, v) _mm512_storeu_pd(p, v)
#define f32_load_part(p, n) _mm512_maskz_loadu_ps(simd_first16(n), p)
#define f64_load_part(p, n) _mm512_maskz_loadu_pd(simd_first8(n), p)
#define f32_store_part(p, v, n) _mm512_mask_storeu_ps(p, simd_first16(n), v)
#define f64_store_part(p, v, n) _mm512_mask_storeu_pd(p, simd_first8(n), v)
#define f32_fma(a, b, c) _mm512_fmadd_ps(a, b, c)
#define f64_fma(a, b, c) _mm512_fmadd_pd(a, b, c)

#define f32_half_load(p) _mm256_loadu_ps(p)
#define f32_half_store(p, v) _mm256_storeu_ps(p, v)
#define f32_half_load_part(p, n) _mm256_maskz_loadu_ps(simd_first8(n), p)
#define f32_half_store_part(p, v, n) _mm256_mask_storeu_ps(p, simd_first8(n), v)
#define f32_half_fma(a, b, c) _mm256_fmadd_ps(a, b, c)
#define f32_lower(v) _mm512_castps512_ps256(v)
