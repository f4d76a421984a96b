/* 16-byte vector operations of WebAssembly (SIMD128), which has no fma: that is computed in double. */
#include <wasm_simd128.h>

SITU_WORD v_F v_select(v_M m, v_F a, v_F b) { return (v_F)wasm_v128_bitselect((v128_t)a, (v128_t)b, (v128_t)m); }
SITU_WORD w_F w_select(w_M m, w_F a, w_F b) { return (w_F)wasm_v128_bitselect((v128_t)a, (v128_t)b, (v128_t)m); }
SITU_WORD v_F v_larger(v_F a, v_F b) { return (v_F)wasm_f32x4_pmax((v128_t)b, (v128_t)a); } /* b if neither is larger */
SITU_WORD w_F w_larger(w_F a, w_F b) { return (w_F)wasm_f64x2_pmax((v128_t)b, (v128_t)a); }
SITU_WORD v_F v_smaller(v_F a, v_F b) { return (v_F)wasm_f32x4_pmin((v128_t)b, (v128_t)a); }
SITU_WORD w_F w_smaller(w_F a, w_F b) { return (w_F)wasm_f64x2_pmin((v128_t)b, (v128_t)a); }
SITU_WORD v_F v_root(v_F a) { return (v_F)wasm_f32x4_sqrt((v128_t)a); }
SITU_WORD w_F w_root(w_F a) { return (w_F)wasm_f64x2_sqrt((v128_t)a); }
SITU_WORD int v_any(v_M m) { return wasm_v128_any_true((v128_t)m); }
SITU_WORD int w_any(w_M m) { return wasm_v128_any_true((v128_t)m); }
SITU_WORD w_F v_low(v_F a) { return (w_F)wasm_f64x2_promote_low_f32x4((v128_t)a); }
SITU_WORD w_F v_high(v_F a) { return v_low((v_F)wasm_i64x2_shuffle((v128_t)a, (v128_t)a, 1, 1)); }
SITU_WORD v_F v_join(w_F low, w_F high)
{
    v128_t a = wasm_f32x4_demote_f64x2_zero((v128_t)low), b = wasm_f32x4_demote_f64x2_zero((v128_t)high);
    return (v_F)wasm_i64x2_shuffle(a, b, 0, 2);
}

/* fma of floats: the product is exact in double, so that only the sum is rounded, to double and then to float. Twice is as good as
 * once unless the double lies halfway between two floats, or where floats are spaced more widely than their bits say. */
SITU_WORD w_M simd_doubtful(w_F s)
{
    w_M halfway = ((w_U)s & 0x1fffffffu) == 0x10000000u;
    w_F size = (w_F)wasm_f64x2_abs((v128_t)s);
    return halfway | ((size < 0x1p-126) & (size > 0.0));
}
static __attribute__((noinline, cold, unused)) v_F simd_careful_fma(v_F a, v_F b, v_F c)
{
    w_F low = w_sum_to_odd(v_low(a) * v_low(b), v_low(c));
    w_F high = w_sum_to_odd(v_high(a) * v_high(b), v_high(c));
    return v_join(low, high);
}
SITU_WORD v_F simd_inline_fma(v_F a, v_F b, v_F c)
{
    w_F low = v_low(a) * v_low(b) + v_low(c), high = v_high(a) * v_high(b) + v_high(c);
    if (__builtin_expect(w_any(simd_doubtful(low) | simd_doubtful(high)), 0)) return simd_careful_fma(a, b, c);
    return v_join(low, high);
}
static __attribute__((noinline, unused)) v_F v_fma(v_F a, v_F b, v_F c) { return simd_inline_fma(a, b, c); }

/* Of the 32 bytes of an f32_vector. */
SITU_WORD f32_vector simd_wide_fma(f32_vector a, f32_vector b, f32_vector c)
{
    v_F x[2], y[2], z[2];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    memcpy(z, &c, sizeof z);
    for (int i = 0; i < 2; i++) z[i] = simd_inline_fma(x[i], y[i], z[i]);
    memcpy(&c, z, sizeof z);
    return c;
}
#undef f32_fma
#define f32_fma(a, b, c) simd_wide_fma(a, b, c)
