#if defined(__x86_64__)
#include "backend/cpu/gemm/gemm.h"
#include "base/memory.h"

#include <immintrin.h>
#include <string.h>

#include "backend/cpu/gemm/gemm_turn.h"

/* The first n of these are set: the mask of a part of a vector. */
static const int32_t set32[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
static const int64_t set64[8] = {-1, -1, -1, -1};

static inline __m256i mask32(int n) { return _mm256_loadu_si256((const __m256i *)(const void *)(set32 + 8 - (n < 8 ? n : 8))); }
static inline __m256i mask64(int n) { return _mm256_loadu_si256((const __m256i *)(const void *)(set64 + 4 - (n < 4 ? n : 4))); }

/* Twelve registers of three vectors each, as with 6 rows of two. */
#define WIDE_ROWS 4
#define SLIDES
#define STEPS _Pragma("GCC unroll 4")

#define T float
#define TURN6(to, from, across) turn6_32(to, from, across)
#define TURN6_STEPS 8
#define TURN(to, row, from, across) turn32(to, row, from, across)
#define V __m256
#define LANES 8
#define NAME(x) f32_##x
#define ZERO _mm256_setzero_ps()
#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define LOAD_PART(p, n) _mm256_maskload_ps(p, mask32(n))
#define STORE_PART(p, v, n) _mm256_maskstore_ps(p, mask32(n), v)
#define HALF __m128
#define HALF_OF(v) _mm256_castps256_ps128(v)
#define HALF_FMA(a, b, c) _mm_fmadd_ps(a, b, c)
#define HALF_LOAD(p) _mm_loadu_ps(p)
#define HALF_STORE(p, v) _mm_storeu_ps(p, v)
#define HALF_LOAD_PART(p, n) _mm_maskload_ps(p, _mm256_castsi256_si128(mask32(n)))
#define HALF_STORE_PART(p, v, n) _mm_maskstore_ps(p, _mm256_castsi256_si128(mask32(n)), v)
#define PAIR(a, b) _mm256_blend_ps(a, b, 0xf0)
#define TWICE(v) _mm256_set_m128(v, v)
#define UPPER(v) _mm256_extractf128_ps(v, 1)
#define BROADCAST(x) _mm256_set1_ps(x)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define ONE_FMA(a, b, c) __builtin_fmaf(a, b, c)
#include "backend/cpu/gemm/gemm.inc"

#define T double
#define V __m256d
#define LANES 4
#define NAME(x) f64_##x
#define ZERO _mm256_setzero_pd()
#define LOAD(p) _mm256_loadu_pd(p)
#define STORE(p, v) _mm256_storeu_pd(p, v)
#define LOAD_PART(p, n) _mm256_maskload_pd(p, mask64(n))
#define STORE_PART(p, v, n) _mm256_maskstore_pd(p, mask64(n), v)
#define BROADCAST(x) _mm256_set1_pd(x)
#define FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define ONE_FMA(a, b, c) __builtin_fma(a, b, c)
#include "backend/cpu/gemm/gemm.inc"

const situ_gemm_kernels situ_gemm_avx2 = {
    "avx2",
    {f32_blocked, f64_blocked},
    {f32_direct, f64_direct},
    {f32_dots, f64_dots},
    {f32_rows, f64_rows},
    {f32_pack_columns, f64_pack_columns},
    {f32_pack_rows, f64_pack_rows},
    {f32_strips, f64_strips},
    {2 * 8, 2 * 4},
    {1024, 256},
};
#endif
