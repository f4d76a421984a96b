/* One element of each elementwise operation, in plain C. */
#include <math.h>

#include "elements.h"

static uint64_t wrap(situ_dtype d, uint64_t x)
{
    switch (d) {
    case SITU_U8: return (uint8_t)x;
    case SITU_U16: return (uint16_t)x;
    case SITU_U32: return (uint32_t)x;
    case SITU_I8: return (uint64_t)(int64_t)(int8_t)x;
    case SITU_I16: return (uint64_t)(int64_t)(int16_t)x;
    case SITU_I32: return (uint64_t)(int64_t)(int32_t)x;
    default: return x;
    }
}

static bool below(situ_dtype d, uint64_t a, uint64_t b) { return is_signed(d) ? (int64_t)a < (int64_t)b : a < b; }

static uint64_t divide(int el, situ_dtype d, uint64_t a, uint64_t b)
{
    if (!b) return 0;
    if (!is_signed(d)) return el == EL_floor_divide ? a / b : a % b;
    int64_t x = (int64_t)a, y = (int64_t)b;
    if (y == -1) return el == EL_floor_divide ? 0 - a : 0;
    int64_t q = x / y, r = x % y;
    bool down = r && (r < 0) != (y < 0);
    if (el == EL_fmod) return (uint64_t)r;
    if (el == EL_remainder) return (uint64_t)(down ? r + y : r);
    return (uint64_t)(down ? q - 1 : q);
}

static uint64_t power(situ_dtype d, uint64_t a, uint64_t b)
{
    if (is_signed(d) && (int64_t)b < 0) /* 1 / a^-b, cut */
        return a == 1 ? 1 : a == UINT64_MAX ? (b & 1 ? UINT64_MAX : 1) : 0;
    uint64_t y = 1;
    for (; b; b >>= 1, a *= a)
        if (b & 1) y *= a;
    return y;
}

static uint64_t shifted(int el, situ_dtype d, uint64_t a, uint64_t b)
{
    uint64_t width = 8 * size_of(d), most = width - 1;
    bool beyond = b >= width; /* negative ones too */
    if (el == EL_bitwise_left_shift) return beyond ? 0 : a << b;
    if (is_signed(d)) return (uint64_t)((int64_t)a >> (beyond ? most : b));
    return beyond ? 0 : a >> b;
}

static uint64_t integer_word(int el, situ_dtype d, const uint64_t x[3])
{
    uint64_t a = x[0], b = x[1], c = x[2];
    bool minus = is_signed(d) && (int64_t)a < 0;
    switch (el) {
    case EL_add: return a + b;
    case EL_sub: return a - b;
    case EL_mul: return a * b;
    case EL_fma: return a * b + c;
    case EL_floor_divide:
    case EL_remainder:
    case EL_fmod: return divide(el, d, a, b);
    case EL_pow: return power(d, a, b);
    case EL_negative: return 0 - a;
    case EL_abs: return minus ? 0 - a : a;
    case EL_sign: return minus ? UINT64_MAX : a != 0;
    case EL_square: return a * a;
    case EL_relu: return minus ? 0 : a;
    case EL_maximum: return below(d, a, b) ? b : a;
    case EL_minimum: return below(d, b, a) ? b : a;
    case EL_clip: a = below(d, a, b) ? b : a; return below(d, c, a) ? c : a;
    case EL_bitwise_and: return a & b;
    case EL_bitwise_or: return a | b;
    case EL_bitwise_xor: return a ^ b;
    case EL_bitwise_invert: return d == SITU_BOOL ? !a : ~a;
    case EL_bitwise_left_shift:
    case EL_bitwise_right_shift: return shifted(el, d, a, b);
    default: return a; /* positive, floor, ceil, round, trunc */
    }
}

uint64_t integer_element(int el, situ_dtype d, const uint64_t x[3]) { return wrap(d, integer_word(el, d, x)); }

/* ---- floats: exact ones ---- */

static double larger(double a, double b) { return isnan(a) || isnan(b) ? (double)NAN : a > b ? a : b > a ? b : signbit(a) ? b : a; }
static double smaller(double a, double b) { return isnan(a) || isnan(b) ? (double)NAN : a < b ? a : b < a ? b : signbit(a) ? a : b; }

static double modulo(double a, double b)
{
    double r = fmod(a, b);
    if (r != 0) return (r < 0) != (b < 0) ? r + b : r;
    return isnan(r) ? r : copysign(0, b);
}

static double floor_quotient(double a, double b)
{
    if (isinf(b) && isfinite(a) && a != 0) return (a < 0) != (b < 0) ? -1 : 0;
    if (isinf(a) && b != 0) return NAN; /* as NumPy has it */
    if (!isfinite(a) || !isfinite(b) || b == 0) return floor(a / b);
    long double r = fmodl(a, b), q = ((long double)a - r) / b;
    if (r != 0 && (r < 0) != (b < 0)) q -= 1;
    return q == 0 ? copysign(0, a / b) : (double)roundl(q);
}

static double arithmetic_f32(int el, const double x[3])
{
    float a = (float)x[0], b = (float)x[1], c = (float)x[2];
    switch (el) {
    case EL_add: return a + b;
    case EL_sub: return a - b;
    case EL_mul: return a * b;
    case EL_div: return a / b;
    case EL_fma: return fmaf(a, b, c);
    case EL_square: return a * a;
    case EL_reciprocal: return 1 / a;
    case EL_sqrt: return sqrtf(a);
    default: return nextafterf(a, b);
    }
}

static double arithmetic_f64(int el, const double x[3])
{
    double a = x[0], b = x[1], c = x[2];
    switch (el) {
    case EL_add: return a + b;
    case EL_sub: return a - b;
    case EL_mul: return a * b;
    case EL_div: return a / b;
    case EL_fma: return fma(a, b, c);
    case EL_square: return a * a;
    case EL_reciprocal: return 1 / a;
    case EL_sqrt: return sqrt(a);
    default: return nextafter(a, b);
    }
}

double float_element(int el, situ_dtype d, const double x[3])
{
    double a = x[0], b = x[1], c = x[2];
    switch (el) {
    case EL_add: case EL_sub: case EL_mul: case EL_div: case EL_fma: case EL_square: case EL_reciprocal: case EL_sqrt:
    case EL_nextafter: return d == SITU_F64 ? arithmetic_f64(el, x) : arithmetic_f32(el, x);
    case EL_fmod: return fmod(a, b);
    case EL_negative: return -a;
    case EL_abs: return fabs(a);
    case EL_sign: return isnan(a) || a == 0 ? a : a > 0 ? 1 : -1;
    case EL_relu: return larger(a, 0);
    case EL_maximum: return larger(a, b);
    case EL_minimum: return smaller(a, b);
    case EL_clip: return smaller(larger(a, b), c);
    case EL_floor: return floor(a);
    case EL_ceil: return ceil(a);
    case EL_round: return rint(a);
    case EL_trunc: return trunc(a);
    case EL_copysign: return copysign(a, b);
    case EL_floor_divide: return floor_quotient(a, b);
    case EL_remainder: return modulo(a, b);
    case EL_positive: return a;
    default: return (double)exact_element(el, x);
    }
}

/* ---- floats: functions ---- */

/* Newton's steps on erf from W. J. Giles' first guess. */
static long double inverse_erf(long double y)
{
    if (!(fabsl(y) < 1)) return fabsl(y) == 1 ? y * INFINITY : NAN;
    if (y == 0) return y;
    long double l = log1pl(-y * y), t = 2 / (M_PI * 0.147L) + l / 2;
    long double x = copysignl(sqrtl(sqrtl(t * t - l / 0.147L) - t), y);
    if (fabsl(y) < 1e-5L) x = y * 0.886226925452758013649L;
    for (int i = 0; i < 4; i++) {
        long double error = fabsl(y) > 0.5L ? copysignl(1, y) * (1 - fabsl(y)) - copysignl(erfcl(fabsl(x)), y) : y - erfl(x);
        if (fabsl(y) > 0.5L) error = -error;
        x += error * 0.886226925452758013649L * expl(x * x);
    }
    return x;
}

static long double log_sum(long double a, long double b)
{
    if (isnan(a) || isnan(b)) return NAN;
    long double m = a > b ? a : b, n = a > b ? b : a;
    return isinf(m) ? m : m + log1pl(expl(n - m));
}

long double exact_element(int el, const double x[3])
{
    long double a = x[0], b = x[1];
    switch (el) {
    case EL_pow: return powl(a, b == -0x1p63L ? b + 2 : b); /* glibc for x86 takes that one with the wrong sign */
    case EL_hypot: return hypotl(a, b);
    case EL_rsqrt: return 1 / sqrtl(a);
    case EL_pow_half: return powl(a, 0.5L);
    case EL_cbrt: return cbrtl(a);
    case EL_exp: return expl(a);
    case EL_exp2: return exp2l(a);
    case EL_expm1: return expm1l(a);
    case EL_log: return logl(a);
    case EL_log2: return log2l(a);
    case EL_log10: return log10l(a);
    case EL_log1p: return log1pl(a);
    case EL_logaddexp: return log_sum(a, b);
    case EL_sin: return sinl(a);
    case EL_cos: return cosl(a);
    case EL_tan: return tanl(a);
    case EL_asin: return asinl(a);
    case EL_acos: return acosl(a);
    case EL_atan: return atanl(a);
    case EL_atan2: return atan2l(a, b);
    case EL_sinh: return sinhl(a);
    case EL_cosh: return coshl(a);
    case EL_tanh: return tanhl(a);
    case EL_asinh: return asinhl(a);
    case EL_acosh: return acoshl(a);
    case EL_atanh: return atanhl(a);
    case EL_erf: return erfl(a);
    case EL_erfc: return erfcl(a);
    case EL_erfinv: return inverse_erf(a);
    case EL_sigmoid: return a >= 0 ? 1 / (1 + expl(-a)) : expl(a) / (1 + expl(a));
    case EL_softplus: return log_sum(a, 0);
    default: return NAN;
    }
}
