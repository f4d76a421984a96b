/* Steps of factorizations of small blocks: compiles small.inc for f32 and f64. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Waggressive-loop-optimizations" /* about an n larger than any memory */
#endif
#include "backend/cpu/linalg/linalg.h"

#include <math.h>

#include "base/isa.h"
#include "base/memory.h"
#include "simd/simd.h"

#define T float
#define WORD int32_t
#define UWORD uint32_t
#define INFINITE 0x7f800000
#define ROOT(x) sqrtf(x)
#define SIZE(x) fabsf(x)
#ifdef SITU_TRANSPOSES
#define TRANSPOSE(to, row, from, across) transpose_8x8(to, row, from, across)
#endif
#define NAME(x) small32_##x
#include "backend/cpu/linalg/small.inc"

#define T double
#define WORD int64_t
#define UWORD uint64_t
#define INFINITE 0x7ff0000000000000
#define ROOT(x) sqrt(x)
#define SIZE(x) fabs(x)
#define NAME(x) small64_##x
#include "backend/cpu/linalg/small.inc"

const situ_small_kernels SITU_OF_SET(situ_small) = {
    .cholesky = {small32_cholesky, small64_cholesky},
    .tile = {small32_tile, small64_tile},
    .transpose = {small32_transpose, small64_transpose},
    .lay = {small32_lay, small64_lay},
    .give = {small32_give, small64_give},
    .right = {small32_right, small64_right},
    .panel = {small32_panel, small64_panel},
    .reflect = {small32_reflect, small64_reflect},
    .join = {small32_join, small64_join},
    .reflection = {small32_reflection_of, small64_reflection_of},
    .less = {small32_less_of, small64_less_of},
    .largest = {small32_largest_of, small64_largest_of},
    .dot = {small32_dot_of, small64_dot_of},
    .rotate = {small32_rotate, small64_rotate},
    .negate = {small32_negate, small64_negate},
    .swap = {small32_swap, small64_swap},
};
