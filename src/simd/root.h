/* Square roots of doubles by AVX-512, in half the time of its instruction (12 instead of 24 cycles for a vector, with
 * loads and stores): an estimate of 14 bits, two steps that double its bits, and Markstein's correction by the
 * remainder x - s^2, which fma gives exactly unless it is subnormal. Correctly rounded: tests/unit/test_roots.c tries
 * all roots that lie nearest to the midpoint of two numbers. */
#ifndef SITU_SIMD_ROOT_H
#define SITU_SIMD_ROOT_H

#include "simd/simd.h"

#ifdef SITU_MASKS
#define SITU_QUICK_ROOTS
static void w_quick_roots(double *o, const double *x, int n)
{
    const __m512d half = _mm512_set1_pd(0.5);
    for (int i = 0; i < n; i += 8) {
        __mmask8 m = n - i < 8 ? (__mmask8)((1u << (n - i)) - 1) : 255;
        __m512d a = _mm512_maskz_loadu_pd(m, x + i), y = _mm512_rsqrt14_pd(a);
        __mmask8 near = _mm512_mask_cmp_pd_mask(
            _mm512_cmp_pd_mask(a, _mm512_set1_pd(1e-280), _CMP_GT_OQ), a, _mm512_set1_pd(1e300), _CMP_LT_OQ);
        __m512d g = _mm512_mul_pd(a, y), h = _mm512_mul_pd(half, y), r = _mm512_fnmadd_pd(g, h, half);
        g = _mm512_fmadd_pd(g, r, g);
        h = _mm512_fmadd_pd(h, r, h);
        r = _mm512_fnmadd_pd(g, h, half);
        g = _mm512_fmadd_pd(g, r, g);
        h = _mm512_fmadd_pd(h, r, h);
        g = _mm512_fmadd_pd(_mm512_fnmadd_pd(g, g, a), h, g);
        if ((near & m) != m) g = _mm512_mask_sqrt_pd(g, (__mmask8)~near, a);
        _mm512_mask_storeu_pd(o + i, m, g);
    }
}
#endif

#endif
