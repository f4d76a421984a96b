/* Operations on each element; shapes broadcast, dtypes promote, numbers may stand for tensors. Made by
 * scripts/generate.py from src/op/elementwise.def: change that.
 *
 *     situ_tensor *y = situ_mul(situ_exp(situ_add(x, 2)), x);
 *
 * Functions of real numbers give f32 for integers; the formulas are those of one element.
 */
#ifndef SITU_ELEMENTWISE_H
#define SITU_ELEMENTWISE_H

#include <situ/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

/* a + b. */
SITU_API situ_tensor *situ_add(situ_tensor *a, situ_tensor *b, situ_site site);
/* a - b. */
SITU_API situ_tensor *situ_sub(situ_tensor *a, situ_tensor *b, situ_site site);
/* a b. */
SITU_API situ_tensor *situ_mul(situ_tensor *a, situ_tensor *b, situ_site site);
/* a / b. */
SITU_API situ_tensor *situ_div(situ_tensor *a, situ_tensor *b, situ_site site);
/* a b + c, rounded once. */
SITU_API situ_tensor *situ_fma(situ_tensor *a, situ_tensor *b, situ_tensor *c, situ_site site);
/* floor(a / b); integers: 0 where b = 0. */
SITU_API situ_tensor *situ_floor_divide(situ_tensor *a, situ_tensor *b, situ_site site);
/* a - b floor(a / b), with the sign of b as in Python; integers: 0 where b = 0. */
SITU_API situ_tensor *situ_remainder(situ_tensor *a, situ_tensor *b, situ_site site);
/* a - b trunc(a / b), with the sign of a as in C; integers: 0 where b = 0. */
SITU_API situ_tensor *situ_fmod(situ_tensor *a, situ_tensor *b, situ_site site);
/* a^b with the special cases of C99; integers wrap. */
SITU_API situ_tensor *situ_pow(situ_tensor *a, situ_tensor *b, situ_site site);
/* sqrt(a^2 + b^2) without overflow. */
SITU_API situ_tensor *situ_hypot(situ_tensor *a, situ_tensor *b, situ_site site);
/* -a. */
SITU_API situ_tensor *situ_negative(situ_tensor *a, situ_site site);
/* a. */
SITU_API situ_tensor *situ_positive(situ_tensor *a, situ_site site);
/* |a|; the smallest integer does not change. */
SITU_API situ_tensor *situ_abs(situ_tensor *a, situ_site site);
/* -1, 0 or 1; NaN of NaN. */
SITU_API situ_tensor *situ_sign(situ_tensor *a, situ_site site);
/* a^2. */
SITU_API situ_tensor *situ_square(situ_tensor *a, situ_site site);
/* 1 / a. */
SITU_API situ_tensor *situ_reciprocal(situ_tensor *a, situ_site site);
/* square root. */
SITU_API situ_tensor *situ_sqrt(situ_tensor *a, situ_site site);
/* a^0.5 with the special cases of C99: 0 of -0, infinity of -infinity; the form of situ_pow(a, 0.5). */
SITU_API situ_tensor *situ_pow_half(situ_tensor *a, situ_site site);
/* 1 / sqrt(a). */
SITU_API situ_tensor *situ_rsqrt(situ_tensor *a, situ_site site);
/* cube root. */
SITU_API situ_tensor *situ_cbrt(situ_tensor *a, situ_site site);

/* ---- exponentials and logarithms --------------------------------------------------------------------------------- */

/* e^a. */
SITU_API situ_tensor *situ_exp(situ_tensor *a, situ_site site);
/* 2^a. */
SITU_API situ_tensor *situ_exp2(situ_tensor *a, situ_site site);
/* e^a - 1. */
SITU_API situ_tensor *situ_expm1(situ_tensor *a, situ_site site);
/* natural logarithm. */
SITU_API situ_tensor *situ_log(situ_tensor *a, situ_site site);
/* logarithm to base 2. */
SITU_API situ_tensor *situ_log2(situ_tensor *a, situ_site site);
/* logarithm to base 10. */
SITU_API situ_tensor *situ_log10(situ_tensor *a, situ_site site);
/* log(1 + a). */
SITU_API situ_tensor *situ_log1p(situ_tensor *a, situ_site site);
/* log(e^a + e^b). */
SITU_API situ_tensor *situ_logaddexp(situ_tensor *a, situ_tensor *b, situ_site site);

/* ---- circular and hyperbolic functions --------------------------------------------------------------------------- */

/* sine of radians. */
SITU_API situ_tensor *situ_sin(situ_tensor *a, situ_site site);
/* cosine of radians. */
SITU_API situ_tensor *situ_cos(situ_tensor *a, situ_site site);
/* tangent of radians. */
SITU_API situ_tensor *situ_tan(situ_tensor *a, situ_site site);
/* arc sine. */
SITU_API situ_tensor *situ_asin(situ_tensor *a, situ_site site);
/* arc cosine. */
SITU_API situ_tensor *situ_acos(situ_tensor *a, situ_site site);
/* arc tangent. */
SITU_API situ_tensor *situ_atan(situ_tensor *a, situ_site site);
/* the angle of the point (b, a). */
SITU_API situ_tensor *situ_atan2(situ_tensor *a, situ_tensor *b, situ_site site);
/* hyperbolic sine. */
SITU_API situ_tensor *situ_sinh(situ_tensor *a, situ_site site);
/* hyperbolic cosine. */
SITU_API situ_tensor *situ_cosh(situ_tensor *a, situ_site site);
/* hyperbolic tangent. */
SITU_API situ_tensor *situ_tanh(situ_tensor *a, situ_site site);
/* inverse hyperbolic sine. */
SITU_API situ_tensor *situ_asinh(situ_tensor *a, situ_site site);
/* inverse hyperbolic cosine. */
SITU_API situ_tensor *situ_acosh(situ_tensor *a, situ_site site);
/* inverse hyperbolic tangent. */
SITU_API situ_tensor *situ_atanh(situ_tensor *a, situ_site site);

/* ---- statistics and neural networks ------------------------------------------------------------------------------ */

/* error function. */
SITU_API situ_tensor *situ_erf(situ_tensor *a, situ_site site);
/* 1 - erf(a). */
SITU_API situ_tensor *situ_erfc(situ_tensor *a, situ_site site);
/* inverse of erf. */
SITU_API situ_tensor *situ_erfinv(situ_tensor *a, situ_site site);
/* 1 / (1 + e^-a). */
SITU_API situ_tensor *situ_sigmoid(situ_tensor *a, situ_site site);
/* max(a, 0). */
SITU_API situ_tensor *situ_relu(situ_tensor *a, situ_site site);
/* log(1 + e^a). */
SITU_API situ_tensor *situ_softplus(situ_tensor *a, situ_site site);

/* ---- maximum, minimum, parts of a number ------------------------------------------------------------------------- */

/* the larger; NaN if one is NaN. */
SITU_API situ_tensor *situ_maximum(situ_tensor *a, situ_tensor *b, situ_site site);
/* the smaller; NaN if one is NaN. */
SITU_API situ_tensor *situ_minimum(situ_tensor *a, situ_tensor *b, situ_site site);
/* min(max(a, b), c); NaN if one is NaN. */
SITU_API situ_tensor *situ_clip(situ_tensor *a, situ_tensor *b, situ_tensor *c, situ_site site);
/* the largest integer that is not above a. */
SITU_API situ_tensor *situ_floor(situ_tensor *a, situ_site site);
/* the smallest integer that is not below a. */
SITU_API situ_tensor *situ_ceil(situ_tensor *a, situ_site site);
/* the nearest integer, half to even. */
SITU_API situ_tensor *situ_round(situ_tensor *a, situ_site site);
/* a without its fraction. */
SITU_API situ_tensor *situ_trunc(situ_tensor *a, situ_site site);
/* |a| with the sign of b. */
SITU_API situ_tensor *situ_copysign(situ_tensor *a, situ_tensor *b, situ_site site);
/* the next number from a towards b. */
SITU_API situ_tensor *situ_nextafter(situ_tensor *a, situ_tensor *b, situ_site site);

/* ---- predicates and comparisons ---------------------------------------------------------------------------------- */

/* a is not a number. */
SITU_API situ_tensor *situ_isnan(situ_tensor *a, situ_site site);
/* a is infinite. */
SITU_API situ_tensor *situ_isinf(situ_tensor *a, situ_site site);
/* a is neither infinite nor NaN. */
SITU_API situ_tensor *situ_isfinite(situ_tensor *a, situ_site site);
/* a has a minus sign, also -0. */
SITU_API situ_tensor *situ_signbit(situ_tensor *a, situ_site site);
/* a = b. */
SITU_API situ_tensor *situ_equal(situ_tensor *a, situ_tensor *b, situ_site site);
/* a differs from b. */
SITU_API situ_tensor *situ_not_equal(situ_tensor *a, situ_tensor *b, situ_site site);
/* a < b. */
SITU_API situ_tensor *situ_less(situ_tensor *a, situ_tensor *b, situ_site site);
/* a <= b. */
SITU_API situ_tensor *situ_less_equal(situ_tensor *a, situ_tensor *b, situ_site site);
/* a > b. */
SITU_API situ_tensor *situ_greater(situ_tensor *a, situ_tensor *b, situ_site site);
/* a >= b. */
SITU_API situ_tensor *situ_greater_equal(situ_tensor *a, situ_tensor *b, situ_site site);

/* ---- logic and bits ---------------------------------------------------------------------------------------------- */

/* a and b. */
SITU_API situ_tensor *situ_logical_and(situ_tensor *a, situ_tensor *b, situ_site site);
/* a or b. */
SITU_API situ_tensor *situ_logical_or(situ_tensor *a, situ_tensor *b, situ_site site);
/* either a or b. */
SITU_API situ_tensor *situ_logical_xor(situ_tensor *a, situ_tensor *b, situ_site site);
/* not a. */
SITU_API situ_tensor *situ_logical_not(situ_tensor *a, situ_site site);
/* the bits set in both. */
SITU_API situ_tensor *situ_bitwise_and(situ_tensor *a, situ_tensor *b, situ_site site);
/* the bits set in at least one. */
SITU_API situ_tensor *situ_bitwise_or(situ_tensor *a, situ_tensor *b, situ_site site);
/* the bits set in exactly one. */
SITU_API situ_tensor *situ_bitwise_xor(situ_tensor *a, situ_tensor *b, situ_site site);
/* all bits changed; of a bool: not. */
SITU_API situ_tensor *situ_bitwise_invert(situ_tensor *a, situ_site site);
/* a 2^b, wrapping; 0 beyond the width. */
SITU_API situ_tensor *situ_bitwise_left_shift(situ_tensor *a, situ_tensor *b, situ_site site);
/* a / 2^b rounded down; 0 or the sign beyond the width. */
SITU_API situ_tensor *situ_bitwise_right_shift(situ_tensor *a, situ_tensor *b, situ_site site);

/* ---- selection, and reinterpreting bits as another dtype --------------------------------------------------------- */

/* b where a, else c. */
SITU_API situ_tensor *situ_where(situ_tensor *a, situ_tensor *b, situ_tensor *c, situ_site site);
/* the bits of a u32 as f32. */
SITU_API situ_tensor *situ_bitcast_f32(situ_tensor *a, situ_site site);
/* the bits of an f32 as u32. */
SITU_API situ_tensor *situ_bitcast_u32(situ_tensor *a, situ_site site);
/* the bits of a u64 as f64. */
SITU_API situ_tensor *situ_bitcast_f64(situ_tensor *a, situ_site site);
/* the bits of an f64 as u64. */
SITU_API situ_tensor *situ_bitcast_u64(situ_tensor *a, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/elementwise.h>

#endif
