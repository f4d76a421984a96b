/* The words for vectors: v_ a vector of f32, w_ a vector of doubles of the same bytes (half as many lanes). Most of it is
 * the compiler's own vector arithmetic; words_sse2.h, words_avx2.h, words_avx512.h and words_plain.h add the few words that
 * it cannot say. */
#ifndef SITU_BACKEND_CPU_WORDS_VECTOR_H
#define SITU_BACKEND_CPU_WORDS_VECTOR_H

#include <stdint.h>

#if defined(__AVX512F__)
enum { VECTOR_BYTES = 64 };
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32 };
#else
enum { VECTOR_BYTES = 16 };
#endif
enum { LANES = VECTOR_BYTES / 4 };

typedef float v_F __attribute__((vector_size(VECTOR_BYTES)));
typedef int v_I __attribute__((vector_size(VECTOR_BYTES)));
typedef unsigned v_U __attribute__((vector_size(VECTOR_BYTES)));
typedef int v_M __attribute__((vector_size(VECTOR_BYTES))); /* lanes 0 or -1 */
typedef double w_F __attribute__((vector_size(VECTOR_BYTES)));
typedef long w_I __attribute__((vector_size(VECTOR_BYTES)));
typedef unsigned long w_U __attribute__((vector_size(VECTOR_BYTES)));
typedef long w_M __attribute__((vector_size(VECTOR_BYTES)));
typedef float v_loose __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
typedef double w_loose __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));

#define FN static inline __attribute__((always_inline, unused))

FN v_F v_constant(float x) { return x - (v_F){0}; } /* keeps -0 */
FN w_F w_constant(double x) { return x - (w_F){0}; }
FN v_F v_infinity(void) { return v_constant(__builtin_inff()); }
FN w_F w_infinity(void) { return w_constant(__builtin_inf()); }
FN v_F v_not_a_number(void) { return v_constant(__builtin_nanf("")); }
FN w_F w_not_a_number(void) { return w_constant(__builtin_nan("")); }
FN v_U v_bits(v_F x) { return (v_U)x; }
FN w_U w_bits(w_F x) { return (w_U)x; }
FN v_F v_from_bits(v_U x) { return (v_F)x; }
FN w_F w_from_bits(w_U x) { return (w_F)x; }
FN w_F w_load(const double *p) { return *(const w_loose *)p; }
FN void w_store(double *p, w_F x) { *(w_loose *)p = x; }
FN v_F v_load(const float *p) { return *(const v_loose *)p; }
FN void v_store(float *p, v_F x) { *(v_loose *)p = x; }

#if defined(__AVX512F__)
#include "backend/cpu/lanes/words_avx512.h"
#elif defined(__AVX2__)
#include "backend/cpu/lanes/words_avx2.h"
#elif defined(__SSE2__) && !defined(SITU_PLAIN_WORDS)
#include "backend/cpu/lanes/words_sse2.h"
#else
#include "backend/cpu/lanes/words_plain.h"
#endif

#if !defined(__AVX2__)
FN w_F w_less_product(w_F c, w_F a, w_F b) { return c - a * b; }
FN w_F w_product_less(w_F a, w_F b, w_F c) { return a * b - c; }
FN w_F w_fma(w_F a, w_F b, w_F c) /* of f64 alone: the C library's, lane by lane */
{
    for (int i = 0; i < LANES / 2; i++) a[i] = __builtin_fma(a[i], b[i], c[i]);
    return a;
}
#endif

#if !defined(__AVX512F__)
typedef w_M w_choice;
FN w_choice w_is_odd(w_U a) { return -(w_M)(a & 1u); }
FN w_F w_pick(w_choice b, w_F x, w_F y) { return w_select(b, x, y); }
#endif
#if defined(__AVX2__) && !defined(__AVX512F__) /* one instruction, where a blend is three */
FN w_F w_pick_constant(w_choice b, double x, double y) { return _mm256_permutevar_pd(_mm256_setr_pd(y, x, y, x), (__m256i)b); }
#else
FN w_F w_pick_constant(w_choice b, double x, double y) { return w_pick(b, w_constant(x), w_constant(y)); }
#endif

#define v_in_double_1(f, x) v_join(w_##f(v_low(x)), w_##f(v_high(x)))
#define v_in_double_2(f, x, y) v_join(w_##f(v_low(x), v_low(y)), w_##f(v_high(x), v_high(y)))

#endif
