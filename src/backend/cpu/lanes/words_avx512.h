/* The words that need instructions by name: AVX-512 F, DQ, VL and BW. */
#include <immintrin.h>

/* One instruction, or a blend by the mask of the comparison before it: a blend by name would take the mask from a vector again. */
FN v_F v_select(v_M m, v_F a, v_F b) { return (v_F)(((v_I)a & m) | ((v_I)b & ~m)); }
FN w_F w_select(w_M m, w_F a, w_F b) { return (w_F)(((w_I)a & m) | ((w_I)b & ~m)); }
FN v_F v_larger(v_F a, v_F b) { return _mm512_max_ps(a, b); }
FN w_F w_larger(w_F a, w_F b) { return _mm512_max_pd(a, b); }
FN v_F v_smaller(v_F a, v_F b) { return _mm512_min_ps(a, b); }
FN w_F w_smaller(w_F a, w_F b) { return _mm512_min_pd(a, b); }
FN v_F v_fma(v_F a, v_F b, v_F c) { return _mm512_fmadd_ps(a, b, c); }
FN v_F v_root(v_F a) { return _mm512_sqrt_ps(a); }
typedef __mmask8 w_choice;
FN w_choice w_is_odd(w_U a) { return _mm512_test_epi64_mask((__m512i)a, _mm512_set1_epi64(1)); }
FN w_F w_pick(w_choice b, w_F x, w_F y) { return _mm512_mask_blend_pd(b, y, x); }
FN w_F w_less_product(w_F c, w_F a, w_F b) { return _mm512_fnmadd_pd(a, b, c); }
FN w_F w_product_less(w_F a, w_F b, w_F c) { return _mm512_fmsub_pd(a, b, c); }
FN w_F w_fma(w_F a, w_F b, w_F c) { return _mm512_fmadd_pd(a, b, c); }
FN w_F w_root(w_F a) { return _mm512_sqrt_pd(a); }
FN void v_stream(float *p, v_F x) { _mm512_stream_ps(p, x); }
FN v_I v_larger_bits(v_I a, v_I b) { return (v_I)_mm512_max_epi32((__m512i)a, (__m512i)b); }
FN void v_drain(void) { _mm_sfence(); }
FN int v_any(v_M m) { return _mm512_movepi32_mask((__m512i)m) != 0; }
FN int w_any(w_M m) { return _mm512_movepi64_mask((__m512i)m) != 0; }
FN w_F v_low(v_F a) { return _mm512_cvtps_pd(_mm512_castps512_ps256(a)); }
FN w_F v_high(v_F a) { return _mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1)); }
FN v_F v_join(w_F low, w_F high)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high), 1);
}

/* To integers in direction `way`; a NaN stays as it is, a signalling one too. */
#define v_whole(x, way) (v_F) _mm512_mask_roundscale_ps(x, _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x, (way) | _MM_FROUND_NO_EXC)

/* Halves. A NaN is made quiet; bf16 is the upper half of f32. */
FN __m256i v_16(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }
FN void v_put_16(void *p, __m256i x) { _mm256_storeu_si256((__m256i *)p, x); }
FN void v_stream_16(void *p, __m256i x) { _mm256_stream_si256((__m256i *)p, x); }
FN __m256i v_to_f16(v_F x) { return _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT); }
FN v_F v_from_f16(__m256i x) { return _mm512_cvtph_ps(x); }
FN v_F v_from_bf16(__m256i x) { return (v_F)_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16); }
FN v_I v_rounded_bf16(v_F x)
{
    __m512i u = (__m512i)x, odd = _mm512_and_epi32(_mm512_srli_epi32(u, 16), _mm512_set1_epi32(1));
    __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(u, _mm512_set1_epi32(0x7fff)), odd);
    return (v_I)_mm512_mask_or_epi32(rounded, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), u, _mm512_set1_epi32(0x400000));
}
FN __m256i v_to_bf16(v_F x) { return _mm512_cvtepi32_epi16(_mm512_srli_epi32((__m512i)v_rounded_bf16(x), 16)); }

FN v_F v_load_part(const float *p, int n) { return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p); }
FN void v_store_part(float *p, v_F x, int n) { _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), x); }
