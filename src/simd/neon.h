/* 64-bit ARM. A vector is two registers, which together have as many lanes as AVX2. */
#define VECTOR_BYTES 16
#include <arm_neon.h>

#include "simd/types.h"

#define SITU_HALF_FLOATS
#define SITU_REGISTERS 16
#define SITU_IN_REGISTER "+w"

enum { F32_LANES = 8, F64_LANES = 4 };
typedef struct f32_vector {
    float32x4_t low, high;
} f32_vector;
typedef struct f64_vector {
    float64x2_t low, high;
} f64_vector;
typedef struct i16_fixed {
    int16x8_t low, high;
} i16_fixed;
typedef struct i32_fixed {
    int32x4_t low, high;
} i32_fixed;

/* Loads the first n elements of a register, 0 behind them. */
SITU_WORD float32x4_t simd_part32(const float *p, int n)
{
    float lane[4] = {0};
    for (int i = 0; i < n && i < 4; i++) lane[i] = p[i];
    return vld1q_f32(lane);
}
SITU_WORD float64x2_t simd_part64(const double *p, int n)
{
    return n > 1 ? vld1q_f64(p) : n == 1 ? vsetq_lane_f64(*p, vdupq_n_f64(0), 0) : vdupq_n_f64(0);
}

/* Defines the operations of one type: s is the suffix of the instructions, HALF the elements of a register. */
#define SIMD_WORDS(name, T, s, HALF, part) \
    SITU_WORD name##_vector name##_all(T x) { return (name##_vector){vdupq_n_##s(x), vdupq_n_##s(x)}; } \
    SITU_WORD name##_vector name##_load(const T *p) { return (name##_vector){vld1q_##s(p), vld1q_##s(p + HALF)}; } \
    SITU_WORD void name##_store(T *p, name##_vector v) \
    { \
        vst1q_##s(p, v.low); \
        vst1q_##s(p + HALF, v.high); \
    } \
    SITU_WORD name##_vector name##_load_part(const T *p, int n) \
    { \
        if (n >= 2 * HALF) return name##_load(p); \
        if (n < HALF) return (name##_vector){part(p, n), vdupq_n_##s(0)}; \
        return (name##_vector){vld1q_##s(p), part(p + HALF, n - HALF)}; \
    } \
    SITU_WORD void name##_store_part(T *p, name##_vector v, int n) \
    { \
        T lane[2 * HALF]; \
        name##_store(lane, v); \
        for (int i = 0; i < n && i < 2 * HALF; i++) p[i] = lane[i]; \
    } \
    SITU_WORD name##_vector name##_add(name##_vector a, name##_vector b) \
    { \
        return (name##_vector){vaddq_##s(a.low, b.low), vaddq_##s(a.high, b.high)}; \
    } \
    SITU_WORD name##_vector simd_##name##_fma(name##_vector a, name##_vector b, name##_vector c) \
    { \
        return (name##_vector){vfmaq_##s(c.low, a.low, b.low), vfmaq_##s(c.high, a.high, b.high)}; \
    } \
    SITU_WORD name##_vector name##_fixed_even(const T *p) \
    { \
        name##_vector a = name##_load(p), b = name##_load(p + 2 * HALF); \
        return (name##_vector){vuzp1q_##s(a.low, a.high), vuzp1q_##s(b.low, b.high)}; \
    }
SIMD_WORDS(f32, float, f32, 4, simd_part32)
SIMD_WORDS(f64, double, f64, 2, simd_part64)
#define f32_zero() f32_all(0)
#define f32_fma(a, b, c) \
    simd_f32_fma(a, b, c) /* macros, because they must be undefined where the same names are scalar
                                                * functions */
#define f64_fma(a, b, c) simd_f64_fma(a, b, c)
#define f64_zero() f64_all(0)

#define f32_fixed f32_vector
#define f64_fixed f64_vector
#define f32_fixed_load(p) f32_load(p)
#define f64_fixed_load(p) f64_load(p)
#define f32_fixed_store(p, v) f32_store(p, v)
#define f64_fixed_store(p, v) f64_store(p, v)
#define f32_repeat(p) f32_load(p)
#define f64_repeat(p) f64_load(p)

SITU_WORD i16_fixed i16_fixed_load(const void *p)
{
    return (i16_fixed){vld1q_s16((const int16_t *)p), vld1q_s16((const int16_t *)p + 8)};
}
SITU_WORD void i16_fixed_store(int16_t *p, i16_fixed v)
{
    vst1q_s16(p, v.low);
    vst1q_s16(p + 8, v.high);
}
SITU_WORD i16_fixed i16_fixed_of_i8(const void *p)
{
    int8x16_t x = vld1q_s8((const int8_t *)p);
    return (i16_fixed){vmovl_s8(vget_low_s8(x)), vmovl_high_s8(x)};
}
SITU_WORD i16_fixed i16_fixed_pair(const void *p)
{
    int32_t pair;
    memcpy(&pair, p, sizeof pair);
    int16x8_t x = vreinterpretq_s16_s32(vdupq_n_s32(pair));
    return (i16_fixed){x, x};
}
SITU_WORD int32x4_t simd_pairs(int16x8_t a, int16x8_t b, int32x4_t sum)
{
    return vaddq_s32(sum, vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_high_s16(a, b)));
}
SITU_WORD i32_fixed i32_fixed_pairs(i16_fixed a, i16_fixed b, i32_fixed sum)
{
    return (i32_fixed){simd_pairs(a.low, b.low, sum.low), simd_pairs(a.high, b.high, sum.high)};
}
#define i32_fixed_zero() ((i32_fixed){vdupq_n_s32(0), vdupq_n_s32(0)})
#define i32_fixed_store(p, v) memcpy(p, &(v), sizeof(v))

/* Operations on native vectors (simd.h), except those that lanes.h does as well. */
#define SITU_OWN_LANES
SITU_WORD v_F v_select(v_M m, v_F a, v_F b) { return (v_F)vbslq_f32((uint32x4_t)m, (float32x4_t)a, (float32x4_t)b); }
SITU_WORD w_F w_select(w_M m, w_F a, w_F b) { return (w_F)vbslq_f64((uint64x2_t)m, (float64x2_t)a, (float64x2_t)b); }
SITU_WORD v_F v_larger(v_F a, v_F b) { return v_select(a > b, a, b); }
SITU_WORD w_F w_larger(w_F a, w_F b) { return w_select(a > b, a, b); }
SITU_WORD v_F v_smaller(v_F a, v_F b) { return v_select(a < b, a, b); }
SITU_WORD w_F w_smaller(w_F a, w_F b) { return w_select(a < b, a, b); }
SITU_WORD v_F v_fma(v_F a, v_F b, v_F c) { return (v_F)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b); }
SITU_WORD w_F w_fma(w_F a, w_F b, w_F c) { return (w_F)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b); }
SITU_WORD w_F w_plus_product(w_F c, w_F a, w_F b) { return w_fma(a, b, c); }
SITU_WORD w_F w_less_product(w_F c, w_F a, w_F b) { return w_fma(-a, b, c); }
SITU_WORD w_F w_product_less(w_F a, w_F b, w_F c) { return w_fma(a, b, -c); }
SITU_WORD v_F v_root(v_F a) { return (v_F)vsqrtq_f32((float32x4_t)a); }
SITU_WORD w_F w_root(w_F a) { return (w_F)vsqrtq_f64((float64x2_t)a); }
SITU_WORD int v_any(v_M m) { return vmaxvq_u32((uint32x4_t)m) != 0; }
SITU_WORD int w_any(w_M m) { return vmaxvq_u32((uint32x4_t)m) != 0; }
SITU_WORD w_F v_low(v_F a) { return (w_F)vcvt_f64_f32(vget_low_f32((float32x4_t)a)); }
SITU_WORD w_F v_high(v_F a) { return (w_F)vcvt_high_f64_f32((float32x4_t)a); }
SITU_WORD v_F v_join(w_F low, w_F high) { return (v_F)vcvt_high_f32_f64(vcvt_f32_f64((float64x2_t)low), (float64x2_t)high); }
SITU_WORD w_F w_load_f32(const float *p) { return (w_F)vcvt_f64_f32(vld1_f32(p)); }
#include "simd/lanes.h"

/* f16 and bf16. A NaN becomes quiet; bf16 is the upper half of f32. */
SITU_WORD uint16x4_t v_16(const void *p) { return vld1_u16((const uint16_t *)p); }
SITU_WORD void v_put_16(void *p, uint16x4_t x) { vst1_u16((uint16_t *)p, x); }
SITU_WORD void v_stream_16(void *p, uint16x4_t x) { v_put_16(p, x); }
SITU_WORD uint16x4_t v_to_f16(v_F x) { return vreinterpret_u16_f16(vcvt_f16_f32((float32x4_t)x)); }
SITU_WORD v_F v_from_f16(uint16x4_t x) { return (v_F)vcvt_f32_f16(vreinterpret_f16_u16(x)); }
SITU_WORD v_F v_from_bf16(uint16x4_t x) { return (v_F)vshll_n_u16(x, 16); }
SITU_WORD v_I v_rounded_bf16(v_F x)
{
    v_I u = (v_I)x, rounded = u + 0x7fff + ((v_I)((v_U)u >> 16) & 1);
    return (v_I)v_select(x != x, (v_F)(u | 0x400000), (v_F)rounded);
}
SITU_WORD uint16x4_t v_to_bf16(v_F x) { return vshrn_n_u32((uint32x4_t)v_rounded_bf16(x), 16); }
SITU_WORD v_I v_larger_bits(v_I a, v_I b) { return (v_I)vmaxq_s32((int32x4_t)a, (int32x4_t)b); }

/* Elements of quantised rows: four bytes at p. */
SITU_WORD v_F v_all_f16(const void *p)
{
    uint16_t bits;
    memcpy(&bits, p, sizeof bits);
    return v_from_f16(vdup_n_u16(bits));
}
SITU_WORD uint8x8_t simd_four(const void *p)
{
    uint32_t four;
    memcpy(&four, p, sizeof four);
    return vreinterpret_u8_u32(vdup_n_u32(four));
}
SITU_WORD v_F v_from_i8(const void *p)
{
    return (v_F)vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u8(simd_four(p))))));
}
SITU_WORD v_F v_from_u4(const void *p, bool high)
{
    uint8x8_t both = simd_four(p), four = high ? vshr_n_u8(both, 4) : vand_u8(both, vdup_n_u8(15));
    return (v_F)vcvtq_f32_u32(vmovl_u16(vget_low_u16(vmovl_u8(four))));
}
