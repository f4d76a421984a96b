/* Elementwise kernels, made from elementwise.def and the math functions: f32 arithmetic with explicit vectors,
 * everything else as plain loops that the compiler vectorises. */
#include "simd/schedule.h"
/* Of the optimisations of -O3, only vectorisation is worth its size. Floating-point exception flags are never read;
 * preserving them would keep gcc from vectorising selections for AVX2. The baseline is compiled for size. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE_SIZE__)
#pragma GCC optimize("O2", "tree-vectorize", "vect-cost-model=dynamic", "no-trapping-math", "no-thread-jumps")
#endif
#pragma GCC diagnostic ignored "-Wtautological-compare"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#pragma clang diagnostic ignored "-Wunknown-warning-option" /* clang before 14 does not know the next one */
#pragma clang diagnostic ignored \
    "-Wbitwise-instead-of-logical" /* the math functions combine masks by & and |, both of vectors and of scalars */
#endif
#include <stdint.h>
#include <string.h>

#include "backend/cpu/tiles/tile.h"
#include "base/isa.h"
#include "math/f64.h"
#include "simd/root.h"
#include "simd/simd.h"
#undef f32_fma /* from here on these are functions of scalars */
#undef f64_fma

enum { LANES = VECTOR_BYTES / 4 };

/* Scalar operations of all dtypes, then the math functions: w_ and v_ for vectors, d_ and f64_ for scalars. */
#include "math/words_c.inc"
#include "math/words_scalar.inc"
#undef FN
#define FN static inline __attribute__((always_inline, unused))
#define WORD(x) WORD_(PREFIX, x)
#define WORD_(p, x) WORD__(p, x)
#define WORD__(p, x) p##x
#include "math/vocabulary.inc"
#define PREFIX w_
#include "math/math_wide.inc"
#undef PREFIX
#define PREFIX v_
#include "math/math_f32.inc"
#undef PREFIX
#ifdef SITU_ROUNDS /* the processor rounds; the math functions above keep their own version */
#define v_round(x) v_whole(x, ROUND_TO_NEAREST)
#define v_floor(x) v_whole(x, ROUND_DOWN)
#define v_ceil(x) v_whole(x, ROUND_UP)
#define v_trunc(x) v_whole(x, ROUND_TO_ZERO)
#endif
#define PREFIX d_
#include "math/math_wide.inc"
#undef PREFIX
#define PREFIX f64_
#define SITU_FAR_TURNS
#define f64_far_turns situ_f64_far_turns
#include "math/math_f64.inc"
#undef PREFIX

#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b
#define EL1(name, kind, value, ga, lo, hi, doc) KERNEL_##kind(1, tile_##name, value)
#define EL2(name, kind, value, ga, gb, lo, hi, doc) KERNEL_##kind(2, tile_##name, value)
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) KERNEL_##kind(3, tile_##name, value)

/* An operand may be exactly the result's memory, but may not overlap it otherwise. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

#include "backend/cpu/tiles/tile_vector.h"
#ifdef SITU_HALF_FLOATS
#include "backend/cpu/tiles/tile_chain.h"
#define CHAINS &chains
#else
#define CHAINS NULL /* with an emulated fma chains would gain nothing */
#endif

#define PREFIX f32_
#define TYPE float
#include "backend/cpu/tiles/tile_scalar.h"

#define PREFIX f64_
#define TYPE double
#define NUMBERS
#define FLOATS
#include "backend/cpu/tiles/tile_scalar.h"

/* Arguments far from 0 are rare; a block without any uses vectors. The functions take so long that the following memory
 * is prefetched meanwhile, because the hardware prefetcher stops at the end of a page. */
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
            for (; k + W <= m; k += W) largest = w_larger(w_abs(w_load(x + k)), largest); /* false for NaN */ \
            double rest[W] = {0}; \
            memcpy(rest, x + k, (size_t)(m - k) * sizeof *x); \
            if (w_any(w_larger(w_abs(w_load(rest)), largest) >= most)) { \
                f64_tile_##name(o, x, b, c, m); \
                continue; \
            } \
            for (int j = 0; j < m; j += W) { /* one loop for all cases, because the inlined function is long */ \
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
#define NEAR_LOOP(any, far_loop, near, is_far, ARGUMENTS, SECOND) \
    static void any(void *out, const void *a, const void *b, const void *c, int n) \
    { \
        const double *x = a, *y = b; \
        double *o = out; \
        const int whole = n & -LANES; \
        (void)y; \
        for (int i = 0, m; i < whole; i += m) { \
            long long far = 0; \
            m = (whole - i < 64 ? whole - i : 64) & -LANES; \
            for (int k = i; k < i + m; k++) far |= is_far ARGUMENTS; \
            if (far) far_loop(o + i, x + i, SECOND(i), c, m); \
            else INDEPENDENT for (int k = i; k < i + m; k++) o[k] = near ARGUMENTS; \
        } \
        if (whole < n) f64_rest(any, o + whole, x + whole, SECOND(whole), n - whole); \
    }
#define NO_SECOND(i) NULL
#define Y_FROM(i) (y + (i))
#define NEAR(name, is_far) NEAR_LOOP(f64_near_##name, f64_tile_##name, f64_##name##_near, f64_##is_far, (x[k]), NO_SECOND)
#define NEAR_2(name, is_far) NEAR_LOOP(f64_near_##name, f64_tile_##name, f64_##name##_near, f64_##is_far, (x[k], y[k]), Y_FROM)
#ifndef SITU_FMA_CALLS /* with an emulated fma vectors would gain nothing */
NEAR(exp, exp_is_far)
NEAR(erfinv, erfinv_is_far)
NEAR_2(fmod, multiples_are_many)
NEAR_2(remainder, multiples_are_many)
NEAR_2(floor_divide, multiples_are_many)
NEAR_2(atan2, atan2_is_far)
NEAR_2(pow, pow_is_far)
#define f64_tile_exp f64_near_exp
#define f64_tile_erfinv f64_near_erfinv
#define f64_tile_fmod f64_near_fmod
#define f64_tile_remainder f64_near_remainder
#define f64_tile_floor_divide f64_near_floor_divide
#define f64_tile_atan2 f64_near_atan2
#define f64_tile_pow f64_near_pow
#ifndef SITU_SLOW_QUOTIENTS
NEAR(log, log_is_far)
NEAR(log2, log_is_far)
NEAR(log10, log_is_far)
#define f64_tile_log f64_near_log
#define f64_tile_log2 f64_near_log2
#define f64_tile_log10 f64_near_log10
#endif
#endif
#ifdef SITU_QUICK_ROOTS
static void f64_near_sqrt(void *out, const void *a, const void *b, const void *c, int n)
{
    (void)b, (void)c, (void)f64_tile_sqrt;
    w_quick_roots(out, a, n);
}
/* pow_half by sqrt; arguments where the two differ are rare. */
static void f64_near_pow_half(void *out, const void *a, const void *b, const void *c, int n)
{
    for (int i = 0, m; i < n; i += m) {
        const double *x = (const double *)a + i;
        long long far = 0;
        m = n - i < 64 ? n - i : 64;
        for (int k = 0; k < m; k++) far |= (x[k] > 0) == 0;
        if (far) f64_tile_pow_half((double *)out + i, x, b, c, m);
        else w_quick_roots((double *)out + i, x, m);
    }
}
#define f64_tile_sqrt f64_near_sqrt
#define f64_tile_pow_half f64_near_pow_half
#endif
#define f64_tile_sin f64_near_sin
#define f64_tile_cos f64_near_cos
#define f64_tile_tan f64_near_tan

#define PREFIX i32_
#define TYPE int
#define NUMBERS
#define INTEGERS
#include "backend/cpu/tiles/tile_scalar.h"

#define PREFIX u32_
#define TYPE unsigned
#define NUMBERS
#define INTEGERS
#include "backend/cpu/tiles/tile_scalar.h"

#define PREFIX i64_
#define TYPE long long
#define NUMBERS
#define INTEGERS
#include "backend/cpu/tiles/tile_scalar.h"

#define PREFIX u64_
#define TYPE unsigned long long
#define NUMBERS
#define INTEGERS
#include "backend/cpu/tiles/tile_scalar.h"

#define PREFIX bool_
#define TYPE unsigned char
#define BOOLEANS
#include "backend/cpu/tiles/tile_scalar.h"

#ifdef SITU_NARROW
#include "backend/cpu/tiles/tile_narrow.h"
#define NARROW_TABLE narrow
#else
#define NARROW_TABLE NULL
#endif

/* Signed and unsigned integers share the kernels of what wraps; a > b is b < a. */
#define u32_tile_add i32_tile_add
#define u32_tile_sub i32_tile_sub
#define u32_tile_mul i32_tile_mul
#define u32_tile_fma i32_tile_fma
#define u32_tile_negative i32_tile_negative
#define u32_tile_positive i32_tile_positive
#define u32_tile_square i32_tile_square
#define u64_tile_add i64_tile_add
#define u64_tile_sub i64_tile_sub
#define u64_tile_mul i64_tile_mul
#define u64_tile_fma i64_tile_fma
#define u64_tile_negative i64_tile_negative
#define u64_tile_positive i64_tile_positive
#define u64_tile_square i64_tile_square
#define TURNED(P) \
    static void P##turned_greater(void *out, const void *a, const void *b, const void *c, int n) \
    { \
        P##tile_less(out, b, a, c, n); \
    } \
    static void P##turned_greater_equal(void *out, const void *a, const void *b, const void *c, int n) \
    { \
        P##tile_less_equal(out, b, a, c, n); \
    }
TURNED(bool_)
TURNED(i32_)
TURNED(u32_)
TURNED(i64_)
TURNED(u64_)
TURNED(f32_)
TURNED(f64_)
#define tile_greater turned_greater
#define tile_greater_equal turned_greater_equal

/* Reinterprets the bits as another dtype. */
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
        [SITU_BOOL] = bool_##t, [SITU_I32] = i32_##t, [SITU_U32] = i32_##t, [SITU_I64] = i64_##t, [SITU_U64] = i64_##t \
    }
#define ROW_LOGIC(t) \
    { \
        [SITU_BOOL] = bool_##t \
    }
#define ROW_COMPARE(t) \
    { \
        [SITU_BOOL] = JOIN(bool_, t), [SITU_I32] = JOIN(i32_, t), [SITU_U32] = JOIN(u32_, t), [SITU_I64] = JOIN(i64_, t), \
        [SITU_U64] = JOIN(u64_, t), [SITU_F32] = JOIN(f32_, t), [SITU_F64] = JOIN(f64_, t) \
    }
#define ROW_EQUAL(t) \
    { \
        [SITU_BOOL] = bool_##t, [SITU_I32] = i32_##t, [SITU_U32] = i32_##t, [SITU_I64] = i64_##t, [SITU_U64] = i64_##t, \
        [SITU_F32] = f32_##t, [SITU_F64] = f64_##t \
    }
#define ROW_SELECT(t) \
    { \
        [SITU_BOOL] = bool_##t, [SITU_I32] = i32_##t, [SITU_U32] = i32_##t, [SITU_I64] = i64_##t, [SITU_U64] = i64_##t, \
        [SITU_F32] = i32_##t, [SITU_F64] = i64_##t \
    }
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
    SITU_SET_NAME,
    {
#include "op/elementwise.def"
    },
    CHAINS,
    NARROW_TABLE,
};
