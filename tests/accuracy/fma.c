/* The fused multiply-add in whole numbers (simd/fma.inc) against MPFR: fma COUNT SEED, operands of each format. */
#include <mpfr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FN static inline
#include "simd/fma.inc"
#undef FN
#include "support/fma_operands.h"

static mpfr_t A, B, C, R[2];

/* a * b + c, rounded once to the format, its subnormals included. */
static double exact(double a, double b, double c, int is_double)
{
    mpfr_ptr r = R[is_double];
    mpfr_set_emin(is_double ? -1073 : -148);
    mpfr_set_emax(is_double ? 1024 : 128);
    mpfr_set_d(A, a, MPFR_RNDN);
    mpfr_set_d(B, b, MPFR_RNDN);
    mpfr_set_d(C, c, MPFR_RNDN);
    int inexact = mpfr_fma(r, A, B, C, MPFR_RNDN);
    mpfr_subnormalize(r, inexact, MPFR_RNDN);
    return mpfr_get_d(r, MPFR_RNDN);
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000, wrong = 0, subnormal = 0, twice[2] = {0};
    fma_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    mpfr_inits2(53, A, B, C, R[1], (mpfr_ptr)0);
    mpfr_init2(R[0], 24);
    for (uint64_t i = 0; i < count; i++) {
        double v[3], right, own;
        float w[3], right_f32, own_f32;
        fma_doubles(v);
        right = exact(v[0], v[1], v[2], 1);
        own = whole_fma(v[0], v[1], v[2]);
        if (memcmp(&own, &right, sizeof own) && wrong++ < 10) printf("fma(%a, %a, %a) = %a, right: %a\n", v[0], v[1], v[2], own, right);
        twice[1] += v[0] * v[1] + v[2] != right;
        subnormal += right != 0 && fabs(right) < 0x1p-1022;
        fma_floats(w);
        right_f32 = (float)exact((double)w[0], (double)w[1], (double)w[2], 0);
        own_f32 = whole_fmaf(w[0], w[1], w[2]);
        if (memcmp(&own_f32, &right_f32, sizeof own_f32) && wrong++ < 10)
            printf("fmaf(%a, %a, %a) = %a, right: %a\n", (double)w[0], (double)w[1], (double)w[2], (double)own_f32, (double)right_f32);
        twice[0] += (float)((double)w[0] * (double)w[1] + (double)w[2]) != right_f32;
        subnormal += right_f32 != 0 && fabsf(right_f32) < 0x1p-126f;
    }
    printf("%llu of %llu wrong; with two roundings %llu doubles and %llu floats would be, %llu are subnormal\n",
        (unsigned long long)wrong, (unsigned long long)(2 * count), (unsigned long long)twice[1], (unsigned long long)twice[0],
        (unsigned long long)subnormal);
    return wrong != 0 || twice[0] < count / 5000 || twice[1] < count / 1000 || subnormal < count / 100;
}
