/* 16-byte vector operations by SSE2, which every x86-64 processor has. */
#include "simd/x86.h"

SITU_WORD v_F v_select(v_M m, v_F a, v_F b) { return (v_F)(((v_I)a & m) | ((v_I)b & (v_I)~m)); }
SITU_WORD w_F w_select(w_M m, w_F a, w_F b) { return (w_F)(((w_I)a & m) | ((w_I)b & (w_I)~m)); }
SITU_WORD v_F v_larger(v_F a, v_F b) { return _mm_max_ps(a, b); }
SITU_WORD w_F w_larger(w_F a, w_F b) { return _mm_max_pd(a, b); }
SITU_WORD v_F v_smaller(v_F a, v_F b) { return _mm_min_ps(a, b); }
SITU_WORD w_F w_smaller(w_F a, w_F b) { return _mm_min_pd(a, b); }
SITU_WORD v_F v_root(v_F a) { return _mm_sqrt_ps(a); }
SITU_WORD w_F w_root(w_F a) { return _mm_sqrt_pd(a); }
SITU_WORD void v_stream(float *p, v_F x) { _mm_stream_ps(p, x); }
SITU_WORD int v_any(v_M m) { return _mm_movemask_ps((__m128)m) != 0; }
SITU_WORD int w_any(w_M m) { return _mm_movemask_pd((__m128d)m) != 0; }
SITU_WORD unsigned v_unordered(v_F a, v_F b) { return (unsigned)_mm_movemask_ps(_mm_cmpunord_ps(a, b)); }
SITU_WORD unsigned w_unordered(w_F a, w_F b) { return (unsigned)_mm_movemask_pd(_mm_cmpunord_pd(a, b)); }
SITU_WORD unsigned v_equal(v_F a, v_F b) { return (unsigned)_mm_movemask_ps(_mm_cmpeq_ps(a, b)); }
SITU_WORD unsigned w_equal(w_F a, w_F b) { return (unsigned)_mm_movemask_pd(_mm_cmpeq_pd(a, b)); }
typedef __m128 v_nans;
#define v_note_nans(found, x, y) _mm_or_ps(found, _mm_cmpunord_ps((__m128)(x), (__m128)(y)))
#define v_noted(found) _mm_movemask_ps(found)
SITU_WORD w_F v_low(v_F a) { return _mm_cvtps_pd(a); }
SITU_WORD w_F v_high(v_F a) { return _mm_cvtps_pd(_mm_movehl_ps(a, a)); }
SITU_WORD v_F v_join(w_F low, w_F high) { return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high)); }

static __attribute__((noinline, unused)) v_F v_fma(v_F a, v_F b, v_F c)
{
    w_F low = w_sum_to_odd(v_low(a) * v_low(b), v_low(c));
    w_F high = w_sum_to_odd(v_high(a) * v_high(b), v_high(c));
    return v_join(low, high);
}

SITU_WORD v_F v_load_part(const float *p, int n)
{
    v_F x = (v_F)_mm_load_ss(p);
    if (n > 1) x = (v_F)_mm_unpacklo_ps(x, _mm_load_ss(p + 1));
    if (n > 2) x = (v_F)_mm_movelh_ps(x, _mm_load_ss(p + 2));
    return x;
}
SITU_WORD void v_store_part(float *p, v_F x, int n)
{
    for (int i = 0; i < n; i++) p[i] = x[i];
}
