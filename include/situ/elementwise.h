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

/* ---- arithmetic ---- */

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
/* |a|; the least integer stays. */
SITU_API situ_tensor *situ_abs(situ_tensor *a, situ_site site);
/* -1, 0 or 1; NaN stays. */
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

/* ---- exponentials and logarithms ---- */

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

/* ---- circular and hyperbolic functions ---- */

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

/* ---- of statistics and networks ---- */

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

/* ---- the larger, the smaller, parts of a number ---- */

/* the larger; NaN passes. */
SITU_API situ_tensor *situ_maximum(situ_tensor *a, situ_tensor *b, situ_site site);
/* the smaller; NaN passes. */
SITU_API situ_tensor *situ_minimum(situ_tensor *a, situ_tensor *b, situ_site site);
/* min(max(a, b), c); NaN passes. */
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

/* ---- predicates and comparisons ---- */

/* a is not a number. */
SITU_API situ_tensor *situ_isnan(situ_tensor *a, situ_site site);
/* a is infinite. */
SITU_API situ_tensor *situ_isinf(situ_tensor *a, situ_site site);
/* a is neither infinite nor NaN. */
SITU_API situ_tensor *situ_isfinite(situ_tensor *a, situ_site site);
/* a has a minus sign, -0 too. */
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

/* ---- logic and bits ---- */

/* a and b. */
SITU_API situ_tensor *situ_logical_and(situ_tensor *a, situ_tensor *b, situ_site site);
/* a or b. */
SITU_API situ_tensor *situ_logical_or(situ_tensor *a, situ_tensor *b, situ_site site);
/* either a or b. */
SITU_API situ_tensor *situ_logical_xor(situ_tensor *a, situ_tensor *b, situ_site site);
/* not a. */
SITU_API situ_tensor *situ_logical_not(situ_tensor *a, situ_site site);
/* the bits of both. */
SITU_API situ_tensor *situ_bitwise_and(situ_tensor *a, situ_tensor *b, situ_site site);
/* the bits of either. */
SITU_API situ_tensor *situ_bitwise_or(situ_tensor *a, situ_tensor *b, situ_site site);
/* the bits that differ. */
SITU_API situ_tensor *situ_bitwise_xor(situ_tensor *a, situ_tensor *b, situ_site site);
/* all bits changed; of a bool: not. */
SITU_API situ_tensor *situ_bitwise_invert(situ_tensor *a, situ_site site);
/* a 2^b, wrapping; 0 beyond the width. */
SITU_API situ_tensor *situ_bitwise_left_shift(situ_tensor *a, situ_tensor *b, situ_site site);
/* a / 2^b rounded down; 0 or the sign beyond the width. */
SITU_API situ_tensor *situ_bitwise_right_shift(situ_tensor *a, situ_tensor *b, situ_site site);

/* ---- choice, and the same bits under another dtype ---- */

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

#ifndef __cplusplus
#define situ_add(a, b) (situ_add)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_sub(a, b) (situ_sub)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_mul(a, b) (situ_mul)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_div(a, b) (situ_div)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_fma(a, b, c) (situ_fma)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_OPERAND(c), SITU_HERE)
#define situ_floor_divide(a, b) (situ_floor_divide)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_remainder(a, b) (situ_remainder)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_fmod(a, b) (situ_fmod)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_pow(a, b) (situ_pow)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_hypot(a, b) (situ_hypot)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_negative(a) (situ_negative)(SITU_OPERAND(a), SITU_HERE)
#define situ_positive(a) (situ_positive)(SITU_OPERAND(a), SITU_HERE)
#define situ_abs(a) (situ_abs)(SITU_OPERAND(a), SITU_HERE)
#define situ_sign(a) (situ_sign)(SITU_OPERAND(a), SITU_HERE)
#define situ_square(a) (situ_square)(SITU_OPERAND(a), SITU_HERE)
#define situ_reciprocal(a) (situ_reciprocal)(SITU_OPERAND(a), SITU_HERE)
#define situ_sqrt(a) (situ_sqrt)(SITU_OPERAND(a), SITU_HERE)
#define situ_pow_half(a) (situ_pow_half)(SITU_OPERAND(a), SITU_HERE)
#define situ_rsqrt(a) (situ_rsqrt)(SITU_OPERAND(a), SITU_HERE)
#define situ_cbrt(a) (situ_cbrt)(SITU_OPERAND(a), SITU_HERE)
#define situ_exp(a) (situ_exp)(SITU_OPERAND(a), SITU_HERE)
#define situ_exp2(a) (situ_exp2)(SITU_OPERAND(a), SITU_HERE)
#define situ_expm1(a) (situ_expm1)(SITU_OPERAND(a), SITU_HERE)
#define situ_log(a) (situ_log)(SITU_OPERAND(a), SITU_HERE)
#define situ_log2(a) (situ_log2)(SITU_OPERAND(a), SITU_HERE)
#define situ_log10(a) (situ_log10)(SITU_OPERAND(a), SITU_HERE)
#define situ_log1p(a) (situ_log1p)(SITU_OPERAND(a), SITU_HERE)
#define situ_logaddexp(a, b) (situ_logaddexp)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_sin(a) (situ_sin)(SITU_OPERAND(a), SITU_HERE)
#define situ_cos(a) (situ_cos)(SITU_OPERAND(a), SITU_HERE)
#define situ_tan(a) (situ_tan)(SITU_OPERAND(a), SITU_HERE)
#define situ_asin(a) (situ_asin)(SITU_OPERAND(a), SITU_HERE)
#define situ_acos(a) (situ_acos)(SITU_OPERAND(a), SITU_HERE)
#define situ_atan(a) (situ_atan)(SITU_OPERAND(a), SITU_HERE)
#define situ_atan2(a, b) (situ_atan2)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_sinh(a) (situ_sinh)(SITU_OPERAND(a), SITU_HERE)
#define situ_cosh(a) (situ_cosh)(SITU_OPERAND(a), SITU_HERE)
#define situ_tanh(a) (situ_tanh)(SITU_OPERAND(a), SITU_HERE)
#define situ_asinh(a) (situ_asinh)(SITU_OPERAND(a), SITU_HERE)
#define situ_acosh(a) (situ_acosh)(SITU_OPERAND(a), SITU_HERE)
#define situ_atanh(a) (situ_atanh)(SITU_OPERAND(a), SITU_HERE)
#define situ_erf(a) (situ_erf)(SITU_OPERAND(a), SITU_HERE)
#define situ_erfc(a) (situ_erfc)(SITU_OPERAND(a), SITU_HERE)
#define situ_erfinv(a) (situ_erfinv)(SITU_OPERAND(a), SITU_HERE)
#define situ_sigmoid(a) (situ_sigmoid)(SITU_OPERAND(a), SITU_HERE)
#define situ_relu(a) (situ_relu)(SITU_OPERAND(a), SITU_HERE)
#define situ_softplus(a) (situ_softplus)(SITU_OPERAND(a), SITU_HERE)
#define situ_maximum(a, b) (situ_maximum)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_minimum(a, b) (situ_minimum)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_clip(a, b, c) (situ_clip)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_OPERAND(c), SITU_HERE)
#define situ_floor(a) (situ_floor)(SITU_OPERAND(a), SITU_HERE)
#define situ_ceil(a) (situ_ceil)(SITU_OPERAND(a), SITU_HERE)
#define situ_round(a) (situ_round)(SITU_OPERAND(a), SITU_HERE)
#define situ_trunc(a) (situ_trunc)(SITU_OPERAND(a), SITU_HERE)
#define situ_copysign(a, b) (situ_copysign)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_nextafter(a, b) (situ_nextafter)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_isnan(a) (situ_isnan)(SITU_OPERAND(a), SITU_HERE)
#define situ_isinf(a) (situ_isinf)(SITU_OPERAND(a), SITU_HERE)
#define situ_isfinite(a) (situ_isfinite)(SITU_OPERAND(a), SITU_HERE)
#define situ_signbit(a) (situ_signbit)(SITU_OPERAND(a), SITU_HERE)
#define situ_equal(a, b) (situ_equal)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_not_equal(a, b) (situ_not_equal)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_less(a, b) (situ_less)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_less_equal(a, b) (situ_less_equal)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_greater(a, b) (situ_greater)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_greater_equal(a, b) (situ_greater_equal)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_logical_and(a, b) (situ_logical_and)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_logical_or(a, b) (situ_logical_or)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_logical_xor(a, b) (situ_logical_xor)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_logical_not(a) (situ_logical_not)(SITU_OPERAND(a), SITU_HERE)
#define situ_bitwise_and(a, b) (situ_bitwise_and)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_bitwise_or(a, b) (situ_bitwise_or)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_bitwise_xor(a, b) (situ_bitwise_xor)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_bitwise_invert(a) (situ_bitwise_invert)(SITU_OPERAND(a), SITU_HERE)
#define situ_bitwise_left_shift(a, b) (situ_bitwise_left_shift)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_bitwise_right_shift(a, b) (situ_bitwise_right_shift)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_where(a, b, c) (situ_where)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_OPERAND(c), SITU_HERE)
#define situ_bitcast_f32(a) (situ_bitcast_f32)(SITU_OPERAND(a), SITU_HERE)
#define situ_bitcast_u32(a) (situ_bitcast_u32)(SITU_OPERAND(a), SITU_HERE)
#define situ_bitcast_f64(a) (situ_bitcast_f64)(SITU_OPERAND(a), SITU_HERE)
#define situ_bitcast_u64(a) (situ_bitcast_u64)(SITU_OPERAND(a), SITU_HERE)
#else /* by the number of operands, for situ.hpp */
#define SITU_ELEMENTWISE_1(OP) \
    OP(negative) OP(positive) OP(abs) OP(sign) OP(square) OP(reciprocal) OP(sqrt) OP(pow_half) OP(rsqrt) OP(cbrt) OP(exp) OP(exp2) OP(expm1) OP(log) OP(log2) OP(log10) OP(log1p) OP(sin) OP(cos) OP(tan) OP(asin) OP(acos) OP(atan) OP(sinh) OP(cosh) OP(tanh) OP(asinh) OP(acosh) OP(atanh) OP(erf) OP(erfc) OP(erfinv) OP(sigmoid) OP(relu) OP(softplus) OP(floor) OP(ceil) OP(round) OP(trunc) OP(isnan) OP(isinf) OP(isfinite) OP(signbit) OP(logical_not) OP(bitwise_invert) OP(bitcast_f32) OP(bitcast_u32) OP(bitcast_f64) OP(bitcast_u64)
#define SITU_ELEMENTWISE_2(OP) \
    OP(add) OP(sub) OP(mul) OP(div) OP(floor_divide) OP(remainder) OP(fmod) OP(pow) OP(hypot) OP(logaddexp) OP(atan2) OP(maximum) OP(minimum) OP(copysign) OP(nextafter) OP(equal) OP(not_equal) OP(less) OP(less_equal) OP(greater) OP(greater_equal) OP(logical_and) OP(logical_or) OP(logical_xor) OP(bitwise_and) OP(bitwise_or) OP(bitwise_xor) OP(bitwise_left_shift) OP(bitwise_right_shift)
#define SITU_ELEMENTWISE_3(OP) \
    OP(fma) OP(clip) OP(where)
#endif

#ifdef __cplusplus
}
#endif
#endif
