/* The words that need instructions by name: AVX2 and FMA. */
#include <immintrin.h>

FN v_F v_select(v_M m, v_F a, v_F b) { return _mm256_blendv_ps(b, a, (__m256)m); }
FN w_F w_select(w_M m, w_F a, w_F b) { return _mm256_blendv_pd(b, a, (__m256d)m); }
FN v_F v_larger(v_F a, v_F b) { return _mm256_max_ps(a, b); }
FN w_F w_larger(w_F a, w_F b) { return _mm256_max_pd(a, b); }
FN v_F v_smaller(v_F a, v_F b) { return _mm256_min_ps(a, b); }
FN w_F w_smaller(w_F a, w_F b) { return _mm256_min_pd(a, b); }
FN v_F v_fma(v_F a, v_F b, v_F c) { return _mm256_fmadd_ps(a, b, c); }
FN v_F v_root(v_F a) { return _mm256_sqrt_ps(a); }
FN w_F w_less_product(w_F c, w_F a, w_F b) { return _mm256_fnmadd_pd(a, b, c); }
FN w_F w_product_less(w_F a, w_F b, w_F c) { return _mm256_fmsub_pd(a, b, c); }
FN w_F w_fma(w_F a, w_F b, w_F c) { return _mm256_fmadd_pd(a, b, c); }
FN w_F w_root(w_F a) { return _mm256_sqrt_pd(a); }
FN void v_stream(float *p, v_F x) { _mm256_stream_ps(p, x); }
FN v_I v_larger_bits(v_I a, v_I b) { return (v_I)_mm256_max_epi32((__m256i)a, (__m256i)b); }
FN void v_drain(void) { _mm_sfence(); }
FN int v_any(v_M m) { return _mm256_movemask_ps((__m256)m) != 0; }
FN int w_any(w_M m) { return _mm256_movemask_pd((__m256d)m) != 0; }
FN w_F v_low(v_F a) { return _mm256_cvtps_pd(_mm256_castps256_ps128(a)); }
FN w_F v_high(v_F a) { return _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)); }
FN v_F v_join(w_F low, w_F high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(low)), _mm256_cvtpd_ps(high), 1);
}

/* To integers in direction `way`; a NaN stays as it is, a signalling one too. */
#define v_whole(x, way) (v_F) _mm256_blendv_ps(_mm256_round_ps(x, (way) | _MM_FROUND_NO_EXC), x, _mm256_cmp_ps(x, x, _CMP_UNORD_Q))

/* Halves. A NaN is made quiet; bf16 is the upper half of f32. */
FN __m128i v_16(const void *p) { return _mm_loadu_si128((const __m128i *)p); }
FN void v_put_16(void *p, __m128i x) { _mm_storeu_si128((__m128i *)p, x); }
FN void v_stream_16(void *p, __m128i x) { _mm_stream_si128((__m128i *)p, x); }
FN __m128i v_to_f16(v_F x) { return _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT); }
FN v_F v_from_f16(__m128i x) { return _mm256_cvtph_ps(x); }
FN v_F v_from_bf16(__m128i x) { return (v_F)_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16); }
FN v_I v_rounded_bf16(v_F x)
{
    v_I u = (v_I)x, rounded = u + 0x7fff + (u >> 16 & 1);
    return (v_I)_mm256_blendv_ps((v_F)rounded, (v_F)(u | 0x400000), _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}
FN __m128i v_to_bf16(v_F x)
{
    __m256i upper = _mm256_srli_epi32((__m256i)v_rounded_bf16(x), 16);
    return _mm256_castsi256_si128(_mm256_permute4x64_epi64(_mm256_packus_epi32(upper, upper), 0x08));
}

FN __m256i v_first(int n) { return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)); }
/* One element is what most small tensors have; the masked instructions are slow for it. */
FN v_F v_load_part(const float *p, int n)
{
    if (n == 1) return _mm256_set_ps(0, 0, 0, 0, 0, 0, 0, *p);
    return _mm256_maskload_ps(p, v_first(n));
}
FN void v_store_part(float *p, v_F x, int n)
{
    if (n == 1) *p = x[0];
    else _mm256_maskstore_ps(p, v_first(n), x);
}
