/* Elementwise kernels, made from elementwise.def and the math texts: f32 arithmetic as vectors by name, all else as plain loops
 * for the compiler to vectorise. */
#if defined(__AVX512F__)
#define TILES_NAME "avx512"
#elif defined(__AVX2__)
#define TILES_NAME "avx2"
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("schedule-insns", "sched-pressure")
#define PAIRS
#endif
#else
#define TILES_NAME "base"
#endif
/* Of what O3 does, vectors alone are worth their size. Nobody reads exception flags; minding them, AVX2 would make no vectors
 * of choices. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O2", "tree-vectorize", "vect-cost-model=dynamic", "no-trapping-math", "no-thread-jumps")
#endif
#pragma GCC diagnostic ignored "-Wtautological-compare"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#pragma clang diagnostic ignored "-Wunknown-warning-option" /* clangs before 14 do not know the next one */
#pragma clang diagnostic ignored \
    "-Wbitwise-instead-of-logical" /* the math texts join masks by & and |, be they vectors or scalars */
#endif
#include <stdint.h>
#include <string.h>

#include "backend/cpu/lanes/tile.h"
#include "backend/cpu/lanes/words_vector.h"
#include "base/isa.h"
#undef FN

/* Scalar words of all dtypes, then the math texts: w_ and v_ as vectors, d_ and f64_ as scalars. */
#include "op/words_c.inc"
#include "op/words_scalar.inc"
#undef FN
#define FN static inline __attribute__((always_inline, unused))
#define WORD(x) WORD_(PREFIX, x)
#define WORD_(p, x) WORD__(p, x)
#define WORD__(p, x) p##x
#include "op/vocabulary.inc"
#define PREFIX w_
#include "op/math_wide.inc"
#undef PREFIX
#define PREFIX v_
#include "op/math_f32.inc"
#undef PREFIX
#if defined(__AVX2__) /* the operations themselves have instructions; what the texts above use of them stays */
#define v_round(x) v_whole(x, _MM_FROUND_TO_NEAREST_INT)
#define v_floor(x) v_whole(x, _MM_FROUND_TO_NEG_INF)
#define v_ceil(x) v_whole(x, _MM_FROUND_TO_POS_INF)
#define v_trunc(x) v_whole(x, _MM_FROUND_TO_ZERO)
#endif
#define PREFIX d_
#include "op/math_wide.inc"
#undef PREFIX
#define PREFIX f64_
#include "op/math_f64.inc"
#undef PREFIX

#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b
#define EL1(name, kind, value, ga, lo, hi, doc) KERNEL_##kind(1, tile_##name, value)
#define EL2(name, kind, value, ga, gb, lo, hi, doc) KERNEL_##kind(2, tile_##name, value)
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) KERNEL_##kind(3, tile_##name, value)

/* The operands may be the result's memory, but no other part of it. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

#include "backend/cpu/lanes/tile_vector.h"
#if defined(__AVX2__)
#include "backend/cpu/lanes/tile_chain.h"
#define CHAINS &chains
#else
#define CHAINS NULL /* an emulated fma leaves nothing to win */
#endif

#define PREFIX f32_
#define TYPE float
#include "backend/cpu/lanes/tile_scalar.h"

#define PREFIX f64_
#define TYPE double
#define NUMBERS
#define FLOATS
#include "backend/cpu/lanes/tile_scalar.h"

/* Arguments that are far from 0 are rare; a block without one goes by vectors. They take so long that what comes next is asked for
 * meanwhile: of memory, as the processor reads ahead to the end of a page only. */
enum { NEAR_BLOCK = 256, NEAR_AHEAD = 1024 };
#define NEAR_WIDE(name, most) \
    static void f64_near_##name(void *out, const void *a, const void *b, const void *c, int n) \
    { \
        enum { W = LANES / 2 }; \
        for (int i = 0, m; i < n; i += m) { \
            const double *x = (const double *)a + i; \
            double *o = (double *)out + i; \
            int k = 0; \
            w_F largest = {0}; \
            m = n - i < NEAR_BLOCK ? n - i : NEAR_BLOCK; \
            for (; k + W <= m; k += W) largest = w_larger(w_abs(w_load(x + k)), largest); /* NaN is not */ \
            double rest[W] = {0}; \
            memcpy(rest, x + k, (size_t)(m - k) * sizeof *x); \
            if (w_any(w_larger(w_abs(w_load(rest)), largest) >= most)) { \
                f64_tile_##name(o, x, b, c, m); \
                continue; \
            } \
            for (int j = 0; j < m; j += W) { /* one loop for all of them: the text is long */ \
                const double *from = j < k ? x + j : rest; \
                if (j % 8 == 0) __builtin_prefetch(x + j + NEAR_AHEAD), __builtin_prefetch(o + j + NEAR_AHEAD); \
                w_store(j < k ? o + j : rest, w_##name##_near(w_load(from))); \
            } \
            memcpy(o + k, rest, (size_t)(m - k) * sizeof *x); \
        } \
    }
NEAR_WIDE(sin, 2e5)
NEAR_WIDE(cos, 2e5)
NEAR_WIDE(tan, 2e5)
#define NEAR(name, is_far) \
    static void f64_near_##name(void *out, const void *a, const void *b, const void *c, int n) \
    { \
        for (int i = 0, m; i < n; i += m) { \
            const double *x = (const double *)a + i; \
            double *o = (double *)out + i; \
            long long far = 0; \
            m = n - i < 64 ? n - i : 64; \
            for (int k = 0; k < m; k++) far |= f64_##is_far(x[k]); \
            if (far) f64_tile_##name(o, x, b, c, m); \
            else INDEPENDENT for (int k = 0; k < m; k++) o[k] = f64_##name##_near(x[k]); \
        } \
    }
#if defined(__FMA__) || defined(__aarch64__) /* an emulated fma leaves nothing to win */
#define FUSED
#endif
#if defined(FUSED)
NEAR(exp, exp_is_far)
#define f64_tile_exp f64_near_exp
#endif
#if defined(FUSED) && !defined(__AVX512F__) /* whose division takes longer than all else in a logarithm */
NEAR(log, log_is_far)
NEAR(log2, log_is_far)
NEAR(log10, log_is_far)
#define f64_tile_log f64_near_log
#define f64_tile_log2 f64_near_log2
#define f64_tile_log10 f64_near_log10
#endif
NEAR(erfinv, erfinv_is_far)
/* The same of two operands. */
#define NEAR_2(name, is_far) \
    static void f64_near_##name(void *out, const void *a, const void *b, const void *c, int n) \
    { \
        for (int i = 0, m; i < n; i += m) { \
            const double *x = (const double *)a + i, *y = (const double *)b + i; \
            double *o = (double *)out + i; \
            long long far = 0; \
            m = n - i < 64 ? n - i : 64; \
            for (int k = 0; k < m; k++) far |= f64_##is_far(x[k], y[k]); \
            if (far) f64_tile_##name(o, x, y, c, m); \
            else INDEPENDENT for (int k = 0; k < m; k++) o[k] = f64_##name##_near(x[k], y[k]); \
        } \
    }
NEAR_2(fmod, multiples_are_many)
NEAR_2(remainder, multiples_are_many)
NEAR_2(floor_divide, multiples_are_many)
NEAR_2(atan2, atan2_is_far)
#define f64_tile_atan2 f64_near_atan2
#if defined(FUSED)
NEAR_2(pow, pow_is_far)
#define f64_tile_pow f64_near_pow
#endif
#if defined(__AVX512F__)
/* The processor's root takes 24 cycles for a vector; this takes 12 with its loads and stores: a start of 14 bits, two steps that
 * double them, and Markstein's correction by what the square lacks, which fma gives exactly where that is no subnormal number.
 * Rounded correctly: tests/unit/test_roots.c tries all roots that lie nearest to a middle of two numbers. */
static void f64_quick_root(double *o, const double *x, int n)
{
    const __m512d half = _mm512_set1_pd(0.5);
    for (int i = 0; i < n; i += 8) {
        __mmask8 m = n - i < 8 ? (__mmask8)((1u << (n - i)) - 1) : 255;
        __m512d a = _mm512_maskz_loadu_pd(m, x + i), y = _mm512_rsqrt14_pd(a);
        __mmask8 near = _mm512_mask_cmp_pd_mask(
            _mm512_cmp_pd_mask(a, _mm512_set1_pd(1e-280), _CMP_GT_OQ), a, _mm512_set1_pd(1e300), _CMP_LT_OQ);
        __m512d g = _mm512_mul_pd(a, y), h = _mm512_mul_pd(half, y), r = _mm512_fnmadd_pd(g, h, half);
        g = _mm512_fmadd_pd(g, r, g);
        h = _mm512_fmadd_pd(h, r, h);
        r = _mm512_fnmadd_pd(g, h, half);
        g = _mm512_fmadd_pd(g, r, g);
        h = _mm512_fmadd_pd(h, r, h);
        g = _mm512_fmadd_pd(_mm512_fnmadd_pd(g, g, a), h, g);
        if ((near & m) != m) g = _mm512_mask_sqrt_pd(g, (__mmask8)~near, a);
        _mm512_mask_storeu_pd(o + i, m, g);
    }
}
static void f64_near_sqrt(void *out, const void *a, const void *b, const void *c, int n)
{
    (void)b, (void)c, (void)f64_tile_sqrt;
    f64_quick_root(out, a, n);
}
/* What differs from the root is rare. */
static void f64_near_pow_half(void *out, const void *a, const void *b, const void *c, int n)
{
    for (int i = 0, m; i < n; i += m) {
        const double *x = (const double *)a + i;
        long long far = 0;
        m = n - i < 64 ? n - i : 64;
        for (int k = 0; k < m; k++) far |= (x[k] > 0) == 0;
        if (far) f64_tile_pow_half((double *)out + i, x, b, c, m);
        else f64_quick_root((double *)out + i, x, m);
    }
}
#define f64_tile_sqrt f64_near_sqrt
#define f64_tile_pow_half f64_near_pow_half
#endif
#define f64_tile_fmod f64_near_fmod
#define f64_tile_remainder f64_near_remainder
#define f64_tile_floor_divide f64_near_floor_divide
#define f64_tile_erfinv f64_near_erfinv
#define f64_tile_sin f64_near_sin
#define f64_tile_cos f64_near_cos
#define f64_tile_tan f64_near_tan

#define PREFIX i32_
#define TYPE int
#define NUMBERS
#define INTEGERS
#include "backend/cpu/lanes/tile_scalar.h"

#define PREFIX u32_
#define TYPE unsigned
#define NUMBERS
#define INTEGERS
#include "backend/cpu/lanes/tile_scalar.h"

#define PREFIX i64_
#define TYPE long long
#define NUMBERS
#define INTEGERS
#include "backend/cpu/lanes/tile_scalar.h"

#define PREFIX u64_
#define TYPE unsigned long long
#define NUMBERS
#define INTEGERS
#include "backend/cpu/lanes/tile_scalar.h"

#define PREFIX bool_
#define TYPE unsigned char
#define BOOLEANS
#include "backend/cpu/lanes/tile_scalar.h"

#if defined(__AVX2__)
#include "backend/cpu/lanes/tile_narrow.h"
#define NARROW_TABLE narrow
#else
#define NARROW_TABLE NULL
#endif

/* The bits of one dtype under another's name. */
LOOP_1(bits_32, unsigned, unsigned, A)
LOOP_1(bits_64, unsigned long long, unsigned long long, A)

#undef EL1
#undef EL2
#undef EL3
#define EL1(name, kind, value, ga, lo, hi, doc) [SITU_EL_##name] = ROW_##kind(tile_##name),
#define EL2(name, kind, value, ga, gb, lo, hi, doc) [SITU_EL_##name] = ROW_##kind(tile_##name),
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) [SITU_EL_##name] = ROW_##kind(tile_##name),
#define ROW_FLOAT(t) \
    { \
        [SITU_F32] = f32_##t, [SITU_F64] = f64_##t \
    }
#define ROW_NUMBER(t) \
    { \
        [SITU_I32] = i32_##t, [SITU_U32] = u32_##t, [SITU_I64] = i64_##t, [SITU_U64] = u64_##t, [SITU_F32] = f32_##t, \
        [SITU_F64] = f64_##t \
    }
#define ROW_ROUND(t) ROW_NUMBER(t)
#define ROW_PREDICATE(t) ROW_NUMBER(t)
#define ROW_INTEGER(t) \
    { \
        [SITU_I32] = i32_##t, [SITU_U32] = u32_##t, [SITU_I64] = i64_##t, [SITU_U64] = u64_##t \
    }
#define ROW_BITS(t) \
    { \
        [SITU_BOOL] = bool_##t, [SITU_I32] = i32_##t, [SITU_U32] = u32_##t, [SITU_I64] = i64_##t, [SITU_U64] = u64_##t \
    }
#define ROW_LOGIC(t) \
    { \
        [SITU_BOOL] = bool_##t \
    }
#define ROW_COMPARE(t) \
    { \
        [SITU_BOOL] = bool_##t, [SITU_I32] = i32_##t, [SITU_U32] = u32_##t, [SITU_I64] = i64_##t, [SITU_U64] = u64_##t, \
        [SITU_F32] = f32_##t, [SITU_F64] = f64_##t \
    }
#define ROW_EQUAL(t) ROW_COMPARE(t)
#define ROW_SELECT(t) ROW_COMPARE(t)
#define ROW_TO_F32(t) \
    { \
        [SITU_U32] = bits_32 \
    }
#define ROW_TO_U32(t) \
    { \
        [SITU_F32] = bits_32 \
    }
#define ROW_TO_F64(t) \
    { \
        [SITU_U64] = bits_64 \
    }
#define ROW_TO_U64(t) \
    { \
        [SITU_F64] = bits_64 \
    }

const situ_tiles SITU_OF_SET(situ_tiles) = {
    TILES_NAME,
    {
#include "op/elementwise.def"
    },
    CHAINS,
    NARROW_TABLE,
};
