/* Steps of factorizations of small blocks: small.inc for both types. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Waggressive-loop-optimizations" /* of an n that no memory holds */
#endif
#include "backend/cpu/linalg/linalg.h"

#include <math.h>
#include <string.h>

#include "base/isa.h"
#include "base/memory.h"

#if defined(__AVX2__)
#include "simd/turn.h"
#endif

#if defined(__AVX512F__)
#define SMALL_BYTES 64
#elif defined(__AVX2__)
#define SMALL_BYTES 32
#else
#define SMALL_BYTES 16
#endif

#define T float
#define WORD int32_t
#define UWORD uint32_t
#define INFINITE 0x7f800000
#define ROOT(x) sqrtf(x)
#define SIZE(x) fabsf(x)
#if defined(__AVX2__)
#define TURN(to, row, from, across) turn32(to, row, from, across)
#endif
#define NAME(x) f32_##x
#include "backend/cpu/linalg/small.inc"

#define T double
#define WORD int64_t
#define UWORD uint64_t
#define INFINITE 0x7ff0000000000000
#define ROOT(x) sqrt(x)
#define SIZE(x) fabs(x)
#define NAME(x) f64_##x
#include "backend/cpu/linalg/small.inc"

const situ_small_kernels SITU_OF_SET(situ_small) = {
    .cholesky = {f32_cholesky, f64_cholesky},
    .tile = {f32_tile, f64_tile},
    .turn = {f32_turn, f64_turn},
    .lay = {f32_lay, f64_lay},
    .give = {f32_give, f64_give},
    .right = {f32_right, f64_right},
    .panel = {f32_panel, f64_panel},
    .reflect = {f32_reflect, f64_reflect},
    .join = {f32_join, f64_join},
    .reflection = {f32_reflection_of, f64_reflection_of},
    .less = {f32_less_of, f64_less_of},
    .largest = {f32_largest_of, f64_largest_of},
    .dot = {f32_dot_of, f64_dot_of},
    .rotate = {f32_rotate, f64_rotate},
    .negate = {f32_negate, f64_negate},
    .swap = {f32_swap, f64_swap},
};
