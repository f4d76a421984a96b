/* AVX-512 (F, DQ, VL, BW). The operations are macros, as in avx2.h. */
#define VECTOR_BYTES 64
#include "simd/types.h"
#include "simd/x86.h"

#define SITU_HALVES
#define SITU_TRANSPOSES
#define SITU_TOTALS
#define SITU_TWO_FIXED
#define SITU_REGISTERS 32
#define SITU_HALF_FLOATS
#define SITU_ROUNDS
#define SITU_NARROW
#ifndef SITU_ONLY_AVX512
#define SITU_OTHER_CASTS
#endif
#define SITU_MASKS
#define SITU_SLOW_QUOTIENTS

enum { F32_LANES = 16, F64_LANES = 8 };
typedef __m512 f32_vector;
typedef __m512d f64_vector;
typedef __m256 f32_half;

/* Mask of the first n of 16 (or 8) lanes. */
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
#define f32_add(a, b) _mm512_add_ps(a, b)
#define f64_add(a, b) _mm512_add_pd(a, b)
#define f32_fma(a, b, c) _mm512_fmadd_ps(a, b, c)
#define f64_fma(a, b, c) _mm512_fmadd_pd(a, b, c)

#include "simd/fixed.h"
#include "simd/totals.h"
#include "simd/small_transpose.h"
#define f32_repeat(p) _mm512_broadcast_f32x8(_mm256_loadu_ps(p))
#define f64_repeat(p) _mm512_broadcast_f64x4(_mm256_loadu_pd(p))
#define f32_two_fixed(p, q) _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(p)), _mm256_loadu_ps(q), 1)
#define f64_two_fixed(p, q) _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(p)), _mm256_loadu_pd(q), 1)

#define f32_half_load(p) _mm256_loadu_ps(p)
#define f32_half_store(p, v) _mm256_storeu_ps(p, v)
#define f32_half_load_part(p, n) _mm256_maskz_loadu_ps(simd_first8(n), p)
#define f32_half_store_part(p, v, n) _mm256_mask_storeu_ps(p, simd_first8(n), v)
#define f32_half_fma(a, b, c) _mm256_fmadd_ps(a, b, c)
#define f32_lower(v) _mm512_castps512_ps256(v)

/* Operations on native vectors (simd.h). */
/* Compiles to one instruction, or to a blend that uses the comparison's mask register; an explicit blend would convert
 * the vector back to a mask. */
SITU_WORD v_F v_select(v_M m, v_F a, v_F b) { return (v_F)(((v_I)a & m) | ((v_I)b & ~m)); }
SITU_WORD w_F w_select(w_M m, w_F a, w_F b) { return (w_F)(((w_I)a & m) | ((w_I)b & ~m)); }
SITU_WORD v_F v_larger(v_F a, v_F b) { return _mm512_max_ps(a, b); }
SITU_WORD w_F w_larger(w_F a, w_F b) { return _mm512_max_pd(a, b); }
SITU_WORD v_F v_smaller(v_F a, v_F b) { return _mm512_min_ps(a, b); }
SITU_WORD w_F w_smaller(w_F a, w_F b) { return _mm512_min_pd(a, b); }
SITU_WORD v_F v_fma(v_F a, v_F b, v_F c) { return _mm512_fmadd_ps(a, b, c); }
SITU_WORD v_F v_root(v_F a) { return _mm512_sqrt_ps(a); }
typedef __mmask8 w_choice;
SITU_WORD w_choice w_is_odd(w_U a) { return _mm512_test_epi64_mask((__m512i)a, _mm512_set1_epi64(1)); }
SITU_WORD w_F w_pick(w_choice b, w_F x, w_F y) { return _mm512_mask_blend_pd(b, y, x); }
SITU_WORD w_F w_less_product(w_F c, w_F a, w_F b) { return _mm512_fnmadd_pd(a, b, c); }
SITU_WORD w_F w_product_less(w_F a, w_F b, w_F c) { return _mm512_fmsub_pd(a, b, c); }
SITU_WORD w_F w_fma(w_F a, w_F b, w_F c) { return _mm512_fmadd_pd(a, b, c); }
SITU_WORD w_F w_root(w_F a) { return _mm512_sqrt_pd(a); }
SITU_WORD w_F w_plus_product(w_F c, w_F a, w_F b) { return _mm512_fmadd_pd(a, b, c); }
SITU_WORD w_F w_load_f32(const float *p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
SITU_WORD void v_stream(float *p, v_F x) { _mm512_stream_ps(p, x); }
SITU_WORD v_I v_larger_bits(v_I a, v_I b) { return (v_I)_mm512_max_epi32((__m512i)a, (__m512i)b); }
SITU_WORD int v_any(v_M m) { return _mm512_movepi32_mask((__m512i)m) != 0; }
SITU_WORD int w_any(w_M m) { return _mm512_movepi64_mask((__m512i)m) != 0; }
SITU_WORD unsigned v_unordered(v_F a, v_F b) { return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q); }
SITU_WORD unsigned w_unordered(w_F a, w_F b) { return _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q); }
SITU_WORD unsigned v_equal(v_F a, v_F b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
SITU_WORD unsigned w_equal(w_F a, w_F b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
typedef __mmask16 v_nans;
#define v_note_nans(found, x, y) ((v_nans)((found) | _mm512_cmp_ps_mask((__m512)(x), (__m512)(y), _CMP_UNORD_Q)))
#define v_noted(found) (found)
SITU_WORD w_F v_low(v_F a) { return _mm512_cvtps_pd(_mm512_castps512_ps256(a)); }
SITU_WORD w_F v_high(v_F a) { return _mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1)); }
SITU_WORD v_F v_join(w_F low, w_F high)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high), 1);
}

/* Rounds to integers; `way` is the rounding direction. A NaN is unchanged, even a signalling one. */
#define v_whole(x, way) (v_F) _mm512_mask_roundscale_ps(x, _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x, (way) | _MM_FROUND_NO_EXC)

/* f16 and bf16. A NaN becomes quiet; bf16 is the upper half of f32. */
SITU_WORD __m256i v_16(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }
SITU_WORD void v_put_16(void *p, __m256i x) { _mm256_storeu_si256((__m256i *)p, x); }
SITU_WORD void v_stream_16(void *p, __m256i x) { _mm256_stream_si256((__m256i *)p, x); }
SITU_WORD __m256i v_to_f16(v_F x) { return _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT); }
SITU_WORD v_F v_from_f16(__m256i x) { return _mm512_cvtph_ps(x); }
SITU_WORD v_F v_from_bf16(__m256i x) { return (v_F)_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16); }
SITU_WORD v_F v_all_f16(const void *p)
{
    int16_t bits;
    memcpy(&bits, p, sizeof bits);
    return _mm512_cvtph_ps(_mm256_set1_epi16(bits));
}
SITU_WORD v_F v_from_i8(const void *p) { return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(simd_sixteen(p))); }
SITU_WORD v_F v_from_u4(const void *p, bool high)
{
    __m128i both = simd_sixteen(p), four = _mm_and_si128(high ? _mm_srli_epi16(both, 4) : both, _mm_set1_epi8(15));
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(four));
}
SITU_WORD v_I v_rounded_bf16(v_F x)
{
    __m512i u = (__m512i)x, odd = _mm512_and_epi32(_mm512_srli_epi32(u, 16), _mm512_set1_epi32(1));
    __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(u, _mm512_set1_epi32(0x7fff)), odd);
    return (v_I)_mm512_mask_or_epi32(rounded, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), u, _mm512_set1_epi32(0x400000));
}
SITU_WORD __m256i v_to_bf16(v_F x) { return _mm512_cvtepi32_epi16(_mm512_srli_epi32((__m512i)v_rounded_bf16(x), 16)); }

SITU_WORD v_F v_load_part(const float *p, int n) { return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p); }
SITU_WORD void v_store_part(float *p, v_F x, int n) { _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), x); }

/* Replaces the first n lanes of v by elements (of 4 or 8 bytes) at p. */
#define vector_take(V, v, p, n) \
    v = sizeof *(p) == 4 ? (V)_mm512_mask_loadu_epi32((__m512i)v, (__mmask16)((1u << (n)) - 1), (const void *)(p)) : \
                           (V)_mm512_mask_loadu_epi64((__m512i)v, (__mmask8)((1u << (n)) - 1), (const void *)(p))

#define simd_integers(f, x, y) _mm512_##f((__m512i)(x), (__m512i)(y))
#define u16_shift_left(x, y) simd_integers(sllv_epi16, x, y)
#define u16_shift_right(x, y) simd_integers(srlv_epi16, x, y)
#define i16_shift_right(x, y) simd_integers(srav_epi16, x, y)
