/* AVX2 with FMA. The operations are macros: with inlined functions compilers generate other code from the same
 * instructions, which is sometimes slower. */
#define VECTOR_BYTES 32
#include "simd/types.h"
#include "simd/x86.h"

#define SITU_HALVES
#define SITU_PAIRS
#define SITU_TRANSPOSES
#define SITU_REGISTERS 16
#define SITU_HALF_FLOATS
#define SITU_ROUNDS
#define SITU_NARROW

enum { F32_LANES = 8, F64_LANES = 4 };
typedef __m256 f32_vector;
typedef __m256d f64_vector;
typedef __m128 f32_half;

/* simd_first32 + 8 - n: mask of the first n of 8 lanes, for partial loads and stores. */
static const int32_t simd_first32[16] __attribute__((unused)) = {-1, -1, -1, -1, -1, -1, -1, -1};
static const int64_t simd_first64[8] __attribute__((unused)) = {-1, -1, -1, -1};
SITU_WORD __m256i simd_mask32(int n)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)(simd_first32 + 8 - (n < 8 ? n : 8)));
}
SITU_WORD __m256i simd_mask64(int n)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)(simd_first64 + 4 - (n < 4 ? n : 4)));
}

#define f32_zero() _mm256_setzero_ps()
#define f64_zero() _mm256_setzero_pd()
#define f32_all(x) _mm256_set1_ps(x)
#define f64_all(x) _mm256_set1_pd(x)
#define f32_load(p) _mm256_loadu_ps(p)
#define f64_load(p) _mm256_loadu_pd(p)
#define f32_store(p, v) _mm256_storeu_ps(p, v)
#define f64_store(p, v) _mm256_storeu_pd(p, v)
#define f32_load_part(p, n) _mm256_maskload_ps(p, simd_mask32(n))
#define f64_load_part(p, n) _mm256_maskload_pd(p, simd_mask64(n))
#define f32_store_part(p, v, n) _mm256_maskstore_ps(p, simd_mask32(n), v)
#define f64_store_part(p, v, n) _mm256_maskstore_pd(p, simd_mask64(n), v)
#define f32_add(a, b) _mm256_add_ps(a, b)
#define f64_add(a, b) _mm256_add_pd(a, b)
#define f32_fma(a, b, c) _mm256_fmadd_ps(a, b, c)
#define f64_fma(a, b, c) _mm256_fmadd_pd(a, b, c)
#define f32_join(p, q) _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(q), 1)

#include "simd/fixed.h"
#include "simd/small_transpose.h"
#define f32_repeat(p) f32_load(p)
#define f64_repeat(p) f64_load(p)

#define f32_half_load(p) _mm_loadu_ps(p)
#define f32_half_store(p, v) _mm_storeu_ps(p, v)
#define f32_half_load_part(p, n) _mm_maskload_ps(p, _mm256_castsi256_si128(simd_mask32(n)))
#define f32_half_store_part(p, v, n) _mm_maskstore_ps(p, _mm256_castsi256_si128(simd_mask32(n)), v)
#define f32_half_fma(a, b, c) _mm_fmadd_ps(a, b, c)
#define f32_lower(v) _mm256_castps256_ps128(v)
#define f32_upper(v) _mm256_extractf128_ps(v, 1)
#define f32_twice(v) _mm256_set_m128(v, v)
#define f32_pair(a, b) _mm256_blend_ps(a, b, 0xf0)

/* Operations on native vectors (simd.h). */
SITU_WORD v_F v_select(v_M m, v_F a, v_F b) { return _mm256_blendv_ps(b, a, (__m256)m); }
SITU_WORD w_F w_select(w_M m, w_F a, w_F b) { return _mm256_blendv_pd(b, a, (__m256d)m); }
SITU_WORD v_F v_larger(v_F a, v_F b) { return _mm256_max_ps(a, b); }
SITU_WORD w_F w_larger(w_F a, w_F b) { return _mm256_max_pd(a, b); }
SITU_WORD v_F v_smaller(v_F a, v_F b) { return _mm256_min_ps(a, b); }
SITU_WORD w_F w_smaller(w_F a, w_F b) { return _mm256_min_pd(a, b); }
SITU_WORD v_F v_fma(v_F a, v_F b, v_F c) { return _mm256_fmadd_ps(a, b, c); }
SITU_WORD v_F v_root(v_F a) { return _mm256_sqrt_ps(a); }
SITU_WORD w_F w_less_product(w_F c, w_F a, w_F b) { return _mm256_fnmadd_pd(a, b, c); }
SITU_WORD w_F w_product_less(w_F a, w_F b, w_F c) { return _mm256_fmsub_pd(a, b, c); }
SITU_WORD w_F w_fma(w_F a, w_F b, w_F c) { return _mm256_fmadd_pd(a, b, c); }
SITU_WORD w_F w_root(w_F a) { return _mm256_sqrt_pd(a); }
SITU_WORD w_F w_plus_product(w_F c, w_F a, w_F b) { return _mm256_fmadd_pd(a, b, c); }
SITU_WORD w_F w_load_f32(const float *p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
/* One instruction, where a blend takes three. */
#define w_pick_constant(b, x, y) ((w_F)_mm256_permutevar_pd(_mm256_setr_pd(y, x, y, x), (__m256i)(b)))
SITU_WORD void v_stream(float *p, v_F x) { _mm256_stream_ps(p, x); }
SITU_WORD v_I v_larger_bits(v_I a, v_I b) { return (v_I)_mm256_max_epi32((__m256i)a, (__m256i)b); }
SITU_WORD int v_any(v_M m) { return _mm256_movemask_ps((__m256)m) != 0; }
SITU_WORD int w_any(w_M m) { return _mm256_movemask_pd((__m256d)m) != 0; }
SITU_WORD unsigned v_unordered(v_F a, v_F b) { return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_UNORD_Q)); }
SITU_WORD unsigned w_unordered(w_F a, w_F b) { return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_UNORD_Q)); }
SITU_WORD unsigned v_equal(v_F a, v_F b) { return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ)); }
SITU_WORD unsigned w_equal(w_F a, w_F b) { return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ)); }
typedef __m256 v_nans;
#define v_note_nans(found, x, y) _mm256_or_ps(found, _mm256_cmp_ps((__m256)(x), (__m256)(y), _CMP_UNORD_Q))
#define v_noted(found) _mm256_movemask_ps(found)
SITU_WORD w_F v_low(v_F a) { return _mm256_cvtps_pd(_mm256_castps256_ps128(a)); }
SITU_WORD w_F v_high(v_F a) { return _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)); }
SITU_WORD v_F v_join(w_F low, w_F high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(low)), _mm256_cvtpd_ps(high), 1);
}

/* Rounds to integers; `way` is the rounding direction. A NaN is unchanged, even a signalling one. */
#define v_whole(x, way) (v_F) _mm256_blendv_ps(_mm256_round_ps(x, (way) | _MM_FROUND_NO_EXC), x, _mm256_cmp_ps(x, x, _CMP_UNORD_Q))

/* f16 and bf16. A NaN becomes quiet; bf16 is the upper half of f32. */
SITU_WORD __m128i v_16(const void *p) { return _mm_loadu_si128((const __m128i *)p); }
SITU_WORD void v_put_16(void *p, __m128i x) { _mm_storeu_si128((__m128i *)p, x); }
SITU_WORD void v_stream_16(void *p, __m128i x) { _mm_stream_si128((__m128i *)p, x); }
SITU_WORD __m128i v_to_f16(v_F x) { return _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT); }
SITU_WORD v_F v_from_f16(__m128i x) { return _mm256_cvtph_ps(x); }
SITU_WORD v_F v_from_bf16(__m128i x) { return (v_F)_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16); }
SITU_WORD v_F v_all_f16(const void *p)
{
    int16_t bits;
    memcpy(&bits, p, sizeof bits);
    return _mm256_cvtph_ps(_mm_set1_epi16(bits));
}
SITU_WORD v_F v_from_i8(const void *p) { return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(simd_eight(p))); }
SITU_WORD v_F v_from_u4(const void *p, bool high)
{
    __m128i both = simd_eight(p), four = _mm_and_si128(high ? _mm_srli_epi16(both, 4) : both, _mm_set1_epi8(15));
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(four));
}
SITU_WORD v_I v_rounded_bf16(v_F x)
{
    v_I u = (v_I)x, rounded = u + 0x7fff + (u >> 16 & 1);
    return (v_I)_mm256_blendv_ps((v_F)rounded, (v_F)(u | 0x400000), _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}
SITU_WORD __m128i v_to_bf16(v_F x)
{
    __m256i upper = _mm256_srli_epi32((__m256i)v_rounded_bf16(x), 16);
    return _mm256_castsi256_si128(_mm256_permute4x64_epi64(_mm256_packus_epi32(upper, upper), 0x08));
}

SITU_WORD __m256i v_first(int n) { return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)); }
/* Special case: most small tensors have one element, and the masked instructions are slow. */
SITU_WORD v_F v_load_part(const float *p, int n)
{
    if (n == 1) return _mm256_set_ps(0, 0, 0, 0, 0, 0, 0, *p);
    return _mm256_maskload_ps(p, v_first(n));
}
SITU_WORD void v_store_part(float *p, v_F x, int n)
{
    if (n == 1) *p = x[0];
    else _mm256_maskstore_ps(p, v_first(n), x);
}

/* v with its first n elements (of 4 or 8 bytes) replaced by those at p. */
static inline __attribute__((unused)) __m256i simd_taken(__m256i v, const void *p, int64_t n)
{
    __m256i mask = _mm256_loadu_si256((const __m256i *)(const void *)(simd_first32 + 8 - n));
    return _mm256_blendv_epi8(v, _mm256_maskload_epi32(p, mask), mask);
}
#define vector_take(V, v, p, n) v = (V)simd_taken((__m256i)v, (const void *)(p), (n) * (int64_t)(sizeof *(p) / 4))

#define simd_integers(f, x, y) _mm256_##f((__m256i)(x), (__m256i)(y))
/* AVX2 shifts only lanes of 32 bits: 16-bit lanes are shifted in two steps, even and odd ones. */
#define SHIFT_OF_32(way, x, y) ((v_U)_mm256_##way##_epi32((__m256i)(x), (__m256i)(y)))
#define SHIFT_OF_16(name, even, odd) \
    static inline __attribute__((unused)) v_U name(v_U x, v_U y) \
    { \
        const v_U low = y & 0xffff, high = y >> 16; \
        return (even) | (odd); \
    }
SHIFT_OF_16(simd_left, SHIFT_OF_32(sllv, x, low) & 0xffff, SHIFT_OF_32(sllv, x & 0xffff0000, high))
SHIFT_OF_16(simd_right, SHIFT_OF_32(srlv, x & 0xffff, low), SHIFT_OF_32(srlv, x, high) & 0xffff0000)
SHIFT_OF_16(simd_signed_right, SHIFT_OF_32(srav, x << 16, low) >> 16, SHIFT_OF_32(srav, x, high) & 0xffff0000)
#define u16_shift_left(x, y) simd_left((v_U)(x), (v_U)(y))
#define u16_shift_right(x, y) simd_right((v_U)(x), (v_U)(y))
#define i16_shift_right(x, y) simd_signed_right((v_U)(x), (v_U)(y))
