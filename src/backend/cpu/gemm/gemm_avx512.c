#if defined(__x86_64__)
#include "backend/cpu/gemm/gemm.h"
#include "base/memory.h"

#include <immintrin.h>
#include <string.h>

#include "backend/cpu/gemm/dots_avx512.h"
#include "backend/cpu/gemm/gemm_turn.h"

/* The first n of 16 or 8. */
static inline __mmask16 first16(int n) { return (__mmask16)(n < 16 ? (1u << n) - 1 : 0xffff); }
static inline __mmask8 first8(int n) { return (__mmask8)(n < 8 ? (1u << n) - 1 : 0xff); }

#define WIDE_ROWS 6

#define T float
#define TURN6(to, from, across) turn6_32_wide(to, from, across)
#define TURN6_STEPS 16
#define TURN(to, row, from, across) turn32(to, row, from, across)
#define V __m512
#define LANES 16
#define NAME(x) f32_##x
#define ZERO _mm512_setzero_ps()
#define LOAD(p) _mm512_loadu_ps(p)
#define STORE(p, v) _mm512_storeu_ps(p, v)
#define LOAD_PART(p, n) _mm512_maskz_loadu_ps(first16(n), p)
#define STORE_PART(p, v, n) _mm512_mask_storeu_ps(p, first16(n), v)
#define HALF __m256
#define HALF_OF(v) _mm512_castps512_ps256(v)
#define HALF_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define HALF_LOAD(p) _mm256_loadu_ps(p)
#define HALF_STORE(p, v) _mm256_storeu_ps(p, v)
#define HALF_LOAD_PART(p, n) _mm256_maskz_loadu_ps(first8(n), p)
#define HALF_STORE_PART(p, v, n) _mm256_mask_storeu_ps(p, first8(n), v)
#define BROADCAST(x) _mm512_set1_ps(x)
#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define ONE_FMA(a, b, c) __builtin_fmaf(a, b, c)
#define TOTALS situ_totals_avx512
#include "backend/cpu/gemm/gemm.inc"
#undef TOTALS

#define T double
#define V __m512d
#define LANES 8
#define NAME(x) f64_##x
#define ZERO _mm512_setzero_pd()
#define LOAD(p) _mm512_loadu_pd(p)
#define STORE(p, v) _mm512_storeu_pd(p, v)
#define LOAD_PART(p, n) _mm512_maskz_loadu_pd(first8(n), p)
#define STORE_PART(p, v, n) _mm512_mask_storeu_pd(p, first8(n), v)
#define BROADCAST(x) _mm512_set1_pd(x)
#define FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define ONE_FMA(a, b, c) __builtin_fma(a, b, c)
#include "backend/cpu/gemm/gemm.inc"

const situ_gemm_kernels situ_gemm_avx512 = {
    "avx512",
    {f32_blocked, f64_blocked},
    {f32_direct, f64_direct},
    {f32_dots, f64_dots},
    {f32_rows, f64_rows},
    {f32_pack_columns, f64_pack_columns},
    {f32_pack_rows, f64_pack_rows},
    {f32_strips, f64_strips},
    {2 * 16, 2 * 8},
    {1024, 512},
};
#endif
