// situ/elementwise.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/elementwise.h: change that.
#ifndef SITU_CALL_ELEMENTWISE_HPP
#define SITU_CALL_ELEMENTWISE_HPP

namespace situ {

inline tensor add(operand a, operand b) { return situ_add(a.t, b.t, a.at); }
inline tensor sub(operand a, operand b) { return situ_sub(a.t, b.t, a.at); }
inline tensor mul(operand a, operand b) { return situ_mul(a.t, b.t, a.at); }
inline tensor div(operand a, operand b) { return situ_div(a.t, b.t, a.at); }
inline tensor fma(operand a, operand b, operand c) { return situ_fma(a.t, b.t, c.t, a.at); }
inline tensor floor_divide(operand a, operand b) { return situ_floor_divide(a.t, b.t, a.at); }
inline tensor remainder(operand a, operand b) { return situ_remainder(a.t, b.t, a.at); }
inline tensor fmod(operand a, operand b) { return situ_fmod(a.t, b.t, a.at); }
inline tensor pow(operand a, operand b) { return situ_pow(a.t, b.t, a.at); }
inline tensor hypot(operand a, operand b) { return situ_hypot(a.t, b.t, a.at); }
inline tensor negative(operand a) { return situ_negative(a.t, a.at); }
inline tensor positive(operand a) { return situ_positive(a.t, a.at); }
inline tensor abs(operand a) { return situ_abs(a.t, a.at); }
inline tensor sign(operand a) { return situ_sign(a.t, a.at); }
inline tensor square(operand a) { return situ_square(a.t, a.at); }
inline tensor reciprocal(operand a) { return situ_reciprocal(a.t, a.at); }
inline tensor sqrt(operand a) { return situ_sqrt(a.t, a.at); }
inline tensor pow_half(operand a) { return situ_pow_half(a.t, a.at); }
inline tensor rsqrt(operand a) { return situ_rsqrt(a.t, a.at); }
inline tensor cbrt(operand a) { return situ_cbrt(a.t, a.at); }
inline tensor exp(operand a) { return situ_exp(a.t, a.at); }
inline tensor exp2(operand a) { return situ_exp2(a.t, a.at); }
inline tensor expm1(operand a) { return situ_expm1(a.t, a.at); }
inline tensor log(operand a) { return situ_log(a.t, a.at); }
inline tensor log2(operand a) { return situ_log2(a.t, a.at); }
inline tensor log10(operand a) { return situ_log10(a.t, a.at); }
inline tensor log1p(operand a) { return situ_log1p(a.t, a.at); }
inline tensor logaddexp(operand a, operand b) { return situ_logaddexp(a.t, b.t, a.at); }
inline tensor sin(operand a) { return situ_sin(a.t, a.at); }
inline tensor cos(operand a) { return situ_cos(a.t, a.at); }
inline tensor tan(operand a) { return situ_tan(a.t, a.at); }
inline tensor asin(operand a) { return situ_asin(a.t, a.at); }
inline tensor acos(operand a) { return situ_acos(a.t, a.at); }
inline tensor atan(operand a) { return situ_atan(a.t, a.at); }
inline tensor atan2(operand a, operand b) { return situ_atan2(a.t, b.t, a.at); }
inline tensor sinh(operand a) { return situ_sinh(a.t, a.at); }
inline tensor cosh(operand a) { return situ_cosh(a.t, a.at); }
inline tensor tanh(operand a) { return situ_tanh(a.t, a.at); }
inline tensor asinh(operand a) { return situ_asinh(a.t, a.at); }
inline tensor acosh(operand a) { return situ_acosh(a.t, a.at); }
inline tensor atanh(operand a) { return situ_atanh(a.t, a.at); }
inline tensor erf(operand a) { return situ_erf(a.t, a.at); }
inline tensor erfc(operand a) { return situ_erfc(a.t, a.at); }
inline tensor erfinv(operand a) { return situ_erfinv(a.t, a.at); }
inline tensor sigmoid(operand a) { return situ_sigmoid(a.t, a.at); }
inline tensor relu(operand a) { return situ_relu(a.t, a.at); }
inline tensor softplus(operand a) { return situ_softplus(a.t, a.at); }
inline tensor maximum(operand a, operand b) { return situ_maximum(a.t, b.t, a.at); }
inline tensor minimum(operand a, operand b) { return situ_minimum(a.t, b.t, a.at); }
inline tensor clip(operand a, operand b, operand c) { return situ_clip(a.t, b.t, c.t, a.at); }
inline tensor floor(operand a) { return situ_floor(a.t, a.at); }
inline tensor ceil(operand a) { return situ_ceil(a.t, a.at); }
inline tensor round(operand a) { return situ_round(a.t, a.at); }
inline tensor trunc(operand a) { return situ_trunc(a.t, a.at); }
inline tensor copysign(operand a, operand b) { return situ_copysign(a.t, b.t, a.at); }
inline tensor nextafter(operand a, operand b) { return situ_nextafter(a.t, b.t, a.at); }
inline tensor isnan(operand a) { return situ_isnan(a.t, a.at); }
inline tensor isinf(operand a) { return situ_isinf(a.t, a.at); }
inline tensor isfinite(operand a) { return situ_isfinite(a.t, a.at); }
inline tensor signbit(operand a) { return situ_signbit(a.t, a.at); }
inline tensor equal(operand a, operand b) { return situ_equal(a.t, b.t, a.at); }
inline tensor not_equal(operand a, operand b) { return situ_not_equal(a.t, b.t, a.at); }
inline tensor less(operand a, operand b) { return situ_less(a.t, b.t, a.at); }
inline tensor less_equal(operand a, operand b) { return situ_less_equal(a.t, b.t, a.at); }
inline tensor greater(operand a, operand b) { return situ_greater(a.t, b.t, a.at); }
inline tensor greater_equal(operand a, operand b) { return situ_greater_equal(a.t, b.t, a.at); }
inline tensor logical_and(operand a, operand b) { return situ_logical_and(a.t, b.t, a.at); }
inline tensor logical_or(operand a, operand b) { return situ_logical_or(a.t, b.t, a.at); }
inline tensor logical_xor(operand a, operand b) { return situ_logical_xor(a.t, b.t, a.at); }
inline tensor logical_not(operand a) { return situ_logical_not(a.t, a.at); }
inline tensor bitwise_and(operand a, operand b) { return situ_bitwise_and(a.t, b.t, a.at); }
inline tensor bitwise_or(operand a, operand b) { return situ_bitwise_or(a.t, b.t, a.at); }
inline tensor bitwise_xor(operand a, operand b) { return situ_bitwise_xor(a.t, b.t, a.at); }
inline tensor bitwise_invert(operand a) { return situ_bitwise_invert(a.t, a.at); }
inline tensor bitwise_left_shift(operand a, operand b) { return situ_bitwise_left_shift(a.t, b.t, a.at); }
inline tensor bitwise_right_shift(operand a, operand b) { return situ_bitwise_right_shift(a.t, b.t, a.at); }
inline tensor where(operand a, operand b, operand c) { return situ_where(a.t, b.t, c.t, a.at); }
inline tensor bitcast_f32(operand a) { return situ_bitcast_f32(a.t, a.at); }
inline tensor bitcast_u32(operand a) { return situ_bitcast_u32(a.t, a.at); }
inline tensor bitcast_f64(operand a) { return situ_bitcast_f64(a.t, a.at); }
inline tensor bitcast_u64(operand a) { return situ_bitcast_u64(a.t, a.at); }

} // namespace situ
#endif
