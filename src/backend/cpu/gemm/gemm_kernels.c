/* Matrix products: compiles gemm.inc for f32 and f64 with the vector operations of one instruction set. */
#include "backend/cpu/gemm/gemm.h"
#include "base/isa.h"
#include "base/memory.h"
#include "simd/simd.h"
#include "simd/typed.h"

#ifdef SITU_FMA_CALLS
/* fma is a slow library call here, so specialised code for each number of rows would gain nothing. */
#define BY_LOOPS
#endif
#if SITU_REGISTERS == 32
#define WIDE_ROWS 6
#define TILES \
    { \
        1024, 512 \
    }
#elif defined(SITU_PAIRS)
/* Twelve accumulators as 4 rows of three vectors, as with 6 rows of two. */
#define WIDE_ROWS 4
#define SLIDES
#define STEPS _Pragma("GCC unroll 4")
#define TILES \
    { \
        1024, 256 \
    }
#else
#define TILES \
    { \
        256, 256 \
    }
#endif

#define T float
#define LANES F32_LANES
#define NAME(x) f32_##x
#define ONE_FMA(a, b, c) SITU_FMAF(a, b, c)
#ifdef SITU_HALVES
#define HALF f32_half
#define HALF_OF(v) f32_lower(v)
#define HALF_FMA(a, b, c) f32_half_fma(a, b, c)
#define HALF_LOAD(p) f32_half_load(p)
#define HALF_STORE(p, v) f32_half_store(p, v)
#define HALF_LOAD_PART(p, n) f32_half_load_part(p, n)
#define HALF_STORE_PART(p, v, n) f32_half_store_part(p, v, n)
#endif
#ifdef SITU_PAIRS
#define PAIR(a, b) f32_pair(a, b)
#define TWICE(v) f32_twice(v)
#define UPPER(v) f32_upper(v)
#endif
#ifdef SITU_TRANSPOSES
#define TRANSPOSE(to, row, from, across) transpose_8x8(to, row, from, across)
#define TRANSPOSE6_STEPS F32_LANES
#if SITU_REGISTERS == 32
#define TRANSPOSE6(to, from, across) transpose_16x6(to, from, across)
#else
#define TRANSPOSE6(to, from, across) transpose_8x6(to, from, across)
#endif
#endif
#ifdef SITU_TOTALS
#define TOTALS situ_totals_avx512
#endif
#include "backend/cpu/gemm/gemm.inc"
#undef TOTALS

#define T double
#define LANES F64_LANES
#define NAME(x) f64_##x
#define ONE_FMA(a, b, c) SITU_FMA(a, b, c)
#include "backend/cpu/gemm/gemm.inc"

#define TEXT_OF(set) #set
#define TEXT(set) TEXT_OF(set)
const situ_gemm_kernels SITU_OF_SET(situ_gemm) = {
    TEXT(SITU_SET),
    {f32_blocked, f64_blocked},
    {f32_direct, f64_direct},
    {f32_dots, f64_dots},
    {f32_rows, f64_rows},
    {f32_pack_columns, f64_pack_columns},
    {f32_pack_rows, f64_pack_rows},
    {f32_strips, f64_strips},
    {2 * F32_LANES, 2 * F64_LANES},
    TILES,
};
