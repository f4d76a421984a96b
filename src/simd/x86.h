/* What the x86-64 instruction sets share. */
#ifndef SITU_SIMD_X86_H
#define SITU_SIMD_X86_H

#include <immintrin.h>

#define SITU_LANE_BITS
#define SITU_IN_REGISTER "+x"
enum {
    ROUND_TO_NEAREST = _MM_FROUND_TO_NEAREST_INT,
    ROUND_DOWN = _MM_FROUND_TO_NEG_INF,
    ROUND_UP = _MM_FROUND_TO_POS_INF,
    ROUND_TO_ZERO = _MM_FROUND_TO_ZERO
};

SITU_WORD void v_drain(void) { _mm_sfence(); }
SITU_WORD float one_larger(float a, float b) { return _mm_cvtss_f32(_mm_max_ss(_mm_set_ss(a), _mm_set_ss(b))); }
SITU_WORD float one_smaller(float a, float b) { return _mm_cvtss_f32(_mm_min_ss(_mm_set_ss(a), _mm_set_ss(b))); }

/* AVX2 and later: simd_integers(f, x, y) is the integer instruction f. */
#define u8_larger(x, y) simd_integers(max_epu8, x, y)
#define u8_smaller(x, y) simd_integers(min_epu8, x, y)
#define i8_larger(x, y) simd_integers(max_epi8, x, y)
#define i8_smaller(x, y) simd_integers(min_epi8, x, y)
#define u16_larger(x, y) simd_integers(max_epu16, x, y)
#define u16_smaller(x, y) simd_integers(min_epu16, x, y)
#define i16_larger(x, y) simd_integers(max_epi16, x, y)
#define i16_smaller(x, y) simd_integers(min_epi16, x, y)

#endif
