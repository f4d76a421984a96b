/* Any machine: as many lanes as AVX2, and fma (simd/fma.h), so that the bits are the same. Slow where the processor has
 * no instruction for it. */
#ifndef SITU_FMA_INSTRUCTION
#define SITU_FMA_CALLS
#endif
#define SITU_REGISTERS 16
#ifndef VECTOR_BYTES
#define VECTOR_BYTES 16 /* compilers split vectors longer than the machine's into single elements */
#endif
#include "simd/types.h"

/* Bytes of f32_vector and f64_vector: 32 or 64. */
#ifndef SIMD_BYTES
#define SIMD_BYTES 32
#endif
enum { F32_LANES = SIMD_BYTES / 4, F64_LANES = SIMD_BYTES / 8 };

#define SIMD_FUNCTION static inline __attribute__((unused))
#ifdef SITU_FMA_CALLS
#define SIMD_FMA static __attribute__((noinline, unused)) /* a call for each lane: too long to stand wherever it is needed */
#else
#define SIMD_FMA SIMD_FUNCTION
#endif
#define SIMD_WORDS(name, T, LANES, ONE_FMA) \
    typedef T name##_vector __attribute__((vector_size(SIMD_BYTES))); \
    typedef T name##_fixed __attribute__((vector_size(32))); \
    SIMD_FUNCTION name##_vector name##_load_part(const T *p, int n) \
    { \
        name##_vector v = {0}; \
        memcpy(&v, p, (size_t)(n < LANES ? n : LANES) * sizeof *p); \
        return v; \
    } \
    SIMD_FUNCTION void name##_store_part(T *p, name##_vector v, int n) \
    { \
        memcpy(p, &v, (size_t)(n < LANES ? n : LANES) * sizeof *p); \
    } \
    SIMD_FMA name##_vector simd_##name##_fma(name##_vector a, name##_vector b, name##_vector c) \
    { \
        for (int i = 0; i < LANES; i++) c[i] = ONE_FMA(a[i], b[i], c[i]); \
        return c; \
    } \
    SIMD_FUNCTION name##_fixed name##_fixed_load(const T *p) \
    { \
        name##_fixed v; \
        memcpy(&v, p, sizeof v); \
        return v; \
    } \
    SIMD_FUNCTION void name##_fixed_store(T *p, name##_fixed v) { memcpy(p, &v, sizeof v); } \
    SIMD_FUNCTION name##_fixed name##_fixed_even(const T *p) \
    { \
        name##_fixed v; \
        for (unsigned i = 0; i < sizeof v / sizeof *p; i++) v[i] = p[2 * i]; \
        return v; \
    }
SIMD_WORDS(f32, float, F32_LANES, SITU_FMAF)
SIMD_WORDS(f64, double, F64_LANES, SITU_FMA)
#ifndef f32_fma
#define f32_fma(a, b, c) simd_f32_fma(a, b, c)
#endif
#define f64_fma(a, b, c) simd_f64_fma(a, b, c)
#define f32_zero() ((f32_vector){0})
#define f64_zero() ((f64_vector){0})
#define f32_all(x) ((f32_vector){0} + (x))
#define f64_all(x) ((f64_vector){0} + (x))
#define f32_add(a, b) ((a) + (b))
#define f64_add(a, b) ((a) + (b))
#define f32_load(p) f32_load_part(p, F32_LANES)
#define f64_load(p) f64_load_part(p, F64_LANES)
#define f32_store(p, v) f32_store_part(p, v, F32_LANES)
#define f64_store(p, v) f64_store_part(p, v, F64_LANES)
#if SIMD_BYTES == 32
#define f32_repeat(p) f32_load(p)
#define f64_repeat(p) f64_load(p)
#else
#define SITU_TWO_FIXED
#define SIMD_TWO_FIXED(name, T) \
    SIMD_FUNCTION name##_vector name##_two_fixed(const T *p, const T *q) \
    { \
        name##_fixed both[2] = {name##_fixed_load(p), name##_fixed_load(q)}; \
        name##_vector v; \
        memcpy(&v, both, sizeof v); \
        return v; \
    }
SIMD_TWO_FIXED(f32, float)
SIMD_TWO_FIXED(f64, double)
#define f32_repeat(p) f32_two_fixed(p, p)
#define f64_repeat(p) f64_two_fixed(p, p)
#endif

typedef int16_t i16_fixed __attribute__((vector_size(32)));
typedef int32_t i32_fixed __attribute__((vector_size(32)));
SIMD_FUNCTION i16_fixed i16_fixed_load(const void *p)
{
    i16_fixed v;
    memcpy(&v, p, sizeof v);
    return v;
}
SIMD_FUNCTION i16_fixed i16_fixed_of_i8(const void *p)
{
    int8_t __attribute__((vector_size(16))) x;
    memcpy(&x, p, sizeof x);
    return __builtin_convertvector(x, i16_fixed);
}
SIMD_FUNCTION i16_fixed i16_fixed_pair(const void *p)
{
    int32_t pair;
    memcpy(&pair, p, sizeof pair);
    return (i16_fixed)((i32_fixed){0} + pair);
}
SIMD_FUNCTION i32_fixed i32_fixed_pairs(i16_fixed a, i16_fixed b, i32_fixed sum)
{
    i32_fixed x = (i32_fixed)a, y = (i32_fixed)b;
    return sum + (x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16);
}
SIMD_FUNCTION void i16_fixed_store(void *p, i16_fixed v) { memcpy(p, &v, sizeof v); }
#define i32_fixed_zero() ((i32_fixed){0})
#define i32_fixed_store(p, v) memcpy(p, &(v), sizeof(v))

/* p + c rounded to odd, where p, a product of floats, is exact in double: the sum is rounded towards zero, and its last
 * bit is set if it is inexact. Rounding this to f32 then gives the correctly rounded exact sum. */
SITU_WORD w_F w_sum_to_odd(w_F p, w_F c)
{
    w_F s = p + c;
    w_F back = s - p;
    w_F error = (p - (s - back)) + (c - back);
    w_U inexact = (w_U)((error < 0.0) | (error > 0.0)) & 1u; /* false for NaN */
    w_U past = ((w_U)error ^ (w_U)s) >> 63;                  /* s is beyond the exact sum, seen from zero */
    return (w_F)(((w_U)s - (inexact & past)) | inexact);
}

#if defined(__SSE2__) && VECTOR_BYTES == 16
#include "simd/sse2.h"
#elif defined(__wasm_simd128__) && VECTOR_BYTES == 16
#define SITU_OWN_LANES
#include "simd/wasm.h"

#include "simd/lanes.h"
#else
#include "simd/lanes.h"
#endif
SITU_WORD w_F w_less_product(w_F c, w_F a, w_F b) { return c - a * b; }
SITU_WORD w_F w_product_less(w_F a, w_F b, w_F c) { return a * b - c; }
SITU_WORD w_F w_plus_product(w_F c, w_F a, w_F b) { return c + a * b; }
SITU_WORD w_F w_load_f32(const float *p)
{
    w_F v = {0};
    for (int i = 0; i < VECTOR_BYTES / 8; i++) v[i] = p[i];
    return v;
}
SIMD_FMA w_F w_fma(w_F a, w_F b, w_F c) /* only w_ (f64) uses it: lane by lane */
{
    for (int i = 0; i < VECTOR_BYTES / 8; i++) a[i] = SITU_FMA(a[i], b[i], c[i]);
    return a;
}
