/* The elements of each dtype, and the conversion of numbers to them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

static const unsigned char sizes[SITU_DTYPES] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};

size_t size_of(situ_dtype d) { return sizes[d]; }
bool is_integer(situ_dtype d) { return d >= SITU_U8 && d <= SITU_I64; }
bool is_signed(situ_dtype d) { return d >= SITU_I8 && d <= SITU_I64; }
bool is_float(situ_dtype d) { return d >= SITU_F16 && d <= SITU_F64; }
bool is_complex(situ_dtype d) { return d == SITU_C64 || d == SITU_C128; }
situ_dtype part_of(situ_dtype d) { return d == SITU_C64 ? SITU_F32 : d == SITU_C128 ? SITU_F64 : d; }
int rank_of(situ_dtype d) { return d == SITU_BOOL ? 0 : is_integer(d) ? 1 : is_float(d) ? 2 : 3; }

situ_dtype promote(situ_dtype a, situ_dtype b)
{
    if (a == b) return a;
    int ra = rank_of(a), rb = rank_of(b);
    if (ra != rb) {
        situ_dtype low = ra < rb ? a : b, high = ra < rb ? b : a;
        return high == SITU_C64 && low == SITU_F64 ? SITU_C128 : high;
    }
    if (ra == 3) return SITU_C128;
    if (ra == 2) return (a == SITU_F16 && b == SITU_BF16) || (a == SITU_BF16 && b == SITU_F16) ? SITU_F32 : a > b ? a : b;
    if (is_signed(a) == is_signed(b)) return a > b ? a : b;
    situ_dtype s = is_signed(a) ? a : b, u = is_signed(a) ? b : a;
    if (size_of(s) > size_of(u)) return s;
    return u == SITU_U64 ? SITU_F64 : (situ_dtype)(u + 5); /* the signed dtype of twice the size */
}

/* ---- the 16-bit floats ---- */

static uint16_t half_bits(double x)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    double a = fabs(x);
    if (isnan(x)) return sign | 0x7e00;
    if (isinf(x)) return sign | 0x7c00;
    if (a < 0x1p-14) return sign | (uint16_t)rint(a * 0x1p24);
    int e;
    frexp(a, &e); /* a = m 2^e, 0.5 <= m < 1 */
    double units = rint(ldexp(a, 11 - e)); /* 1024 .. 2048 */
    if (units == 2048) units = 1024, e++;
    if (e > 16) return sign | 0x7c00;
    return sign | (uint16_t)((e + 14) << 10 | ((int)units - 1024));
}

static double half_value(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    double a = e == 31 ? (m ? (double)NAN : (double)INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return h & 0x8000 ? -a : a;
}

static uint16_t brain_bits(double x)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    double a = fabs(x);
    if (isnan(x)) return sign | 0x7fc0;
    if (isinf(x)) return sign | 0x7f80;
    if (a < 0x1p-126) return sign | (uint16_t)rint(ldexp(a, 133));
    int e;
    frexp(a, &e);
    double units = rint(ldexp(a, 8 - e)); /* 128 .. 256 */
    if (units == 256) units = 128, e++;
    if (e > 128) return sign | 0x7f80;
    return sign | (uint16_t)((e + 126) << 7 | ((int)units - 128));
}

static double brain_value(uint16_t b)
{
    uint32_t bits = (uint32_t)b << 16;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

/* ---- elements ---- */

static double part_f(situ_dtype d, const void *at)
{
    float f;
    double x;
    if (d == SITU_F32) return memcpy(&f, at, 4), f;
    return memcpy(&x, at, 8), x;
}

static void set_part(situ_dtype d, void *at, double x)
{
    float f = (float)x;
    if (d == SITU_F32) memcpy(at, &f, 4);
    else memcpy(at, &x, 8);
}

uint64_t get_u(const value *v, int64_t i)
{
    const unsigned char *at = v->bits + (size_t)i * size_of(v->dtype);
    uint64_t x = 0;
    memcpy(&x, at, size_of(v->dtype) > 8 ? 8 : size_of(v->dtype));
    switch (v->dtype) {
    case SITU_I8: return (uint64_t)(int64_t)(int8_t)x;
    case SITU_I16: return (uint64_t)(int64_t)(int16_t)x;
    case SITU_I32: return (uint64_t)(int64_t)(int32_t)x;
    case SITU_BOOL: return x != 0;
    default: return x;
    }
}

double get_f(const value *v, int64_t i)
{
    const unsigned char *at = v->bits + (size_t)i * size_of(v->dtype);
    uint16_t h;
    switch (v->dtype) {
    case SITU_F16: return memcpy(&h, at, 2), half_value(h);
    case SITU_BF16: return memcpy(&h, at, 2), brain_value(h);
    case SITU_F32:
    case SITU_F64: return part_f(v->dtype, at);
    case SITU_C64: return part_f(SITU_F32, at);
    case SITU_C128: return part_f(SITU_F64, at);
    default: return is_signed(v->dtype) ? (double)(int64_t)get_u(v, i) : (double)get_u(v, i);
    }
}

void get_c(const value *v, int64_t i, double z[2])
{
    z[0] = get_f(v, i);
    z[1] = 0;
    if (is_complex(v->dtype))
        z[1] = part_f(part_of(v->dtype), v->bits + (size_t)i * size_of(v->dtype) + size_of(v->dtype) / 2);
}

void set_u(value *v, int64_t i, uint64_t x)
{
    size_t n = size_of(v->dtype);
    if (v->dtype == SITU_BOOL) x = x != 0;
    memcpy(v->bits + (size_t)i * n, &x, n > 8 ? 8 : n);
}

void set_f(value *v, int64_t i, double x)
{
    unsigned char *at = v->bits + (size_t)i * size_of(v->dtype);
    uint16_t h;
    if (v->dtype == SITU_F16) h = half_bits(x), memcpy(at, &h, 2);
    else if (v->dtype == SITU_BF16) h = brain_bits(x), memcpy(at, &h, 2);
    else set_part(v->dtype, at, x);
}

void set_c(value *v, int64_t i, const double z[2])
{
    unsigned char *at = v->bits + (size_t)i * size_of(v->dtype);
    set_part(part_of(v->dtype), at, z[0]);
    set_part(part_of(v->dtype), at + size_of(v->dtype) / 2, z[1]);
}

void copy_element(value *to, int64_t i, const value *from, int64_t k)
{
    size_t n = size_of(to->dtype);
    memcpy(to->bits + (size_t)i * n, from->bits + (size_t)k * n, n);
}

bool is_nan_at(const value *v, int64_t i)
{
    double z[2];
    if (rank_of(v->dtype) < 2) return false;
    get_c(v, i, z);
    return isnan(z[0]) || isnan(z[1]);
}

/* ---- casts ---- */

static uint64_t saturated(situ_dtype d, double x)
{
    if (isnan(x)) return 0;
    x = trunc(x);
    int bits = 8 * (int)size_of(d);
    if (is_signed(d)) {
        double limit = ldexp(1, bits - 1);
        if (x >= limit) return (uint64_t)INT64_MAX >> (64 - bits);
        if (x < -limit) return (uint64_t)INT64_MIN >> (64 - bits) | (bits < 64 ? UINT64_MAX << (bits - 1) : 0);
        return (uint64_t)(int64_t)x;
    }
    if (x >= ldexp(1, bits)) return UINT64_MAX >> (64 - bits);
    return x > 0 ? (uint64_t)x : 0;
}

/* Rounds once: 16-bit floats are made from a truncated double whose last bit tells whether anything was cut off. */
static void from_integer(value *out, int64_t i, bool negative, uint64_t x)
{
    float f = negative ? (float)(int64_t)x : (float)x;
    double d = negative ? (double)(int64_t)x : (double)x;
    if (out->dtype == SITU_F16 || out->dtype == SITU_BF16) {
        bool minus = negative && (int64_t)x < 0;
        uint64_t size = minus ? 0 - x : x, bits;
        int low = size >> 53 ? 11 : 0;
        d = (double)(size >> low << low);
        memcpy(&bits, &d, sizeof bits);
        bits |= size >> low << low != size;
        memcpy(&d, &bits, sizeof bits);
        d = minus ? -d : d;
    }
    set_f(out, i, out->dtype == SITU_F32 || out->dtype == SITU_C64 ? (double)f : d);
}

void cast_element(value *out, int64_t i, const value *v, int64_t from)
{
    double z[2];
    situ_dtype d = out->dtype;
    if (d == v->dtype) {
        copy_element(out, i, v, from);
    } else if (d == SITU_BOOL) {
        get_c(v, from, z);
        set_u(out, i, rank_of(v->dtype) < 2 ? get_u(v, from) != 0 : z[0] != 0 || z[1] != 0);
    } else if (is_integer(d)) {
        set_u(out, i, rank_of(v->dtype) < 2 ? get_u(v, from) : saturated(d, get_f(v, from)));
    } else if (is_float(d)) {
        if (rank_of(v->dtype) < 2) from_integer(out, i, is_signed(v->dtype), get_u(v, from));
        else set_f(out, i, get_f(v, from));
    } else if (rank_of(v->dtype) < 2) {
        value part = *out;
        unsigned char bits[8] = {0};
        part.dtype = part_of(d);
        part.bits = bits;
        from_integer(&part, 0, is_signed(v->dtype), get_u(v, from));
        z[0] = get_f(&part, 0), z[1] = 0;
        set_c(out, i, z);
    } else {
        get_c(v, from, z);
        set_c(out, i, z);
    }
}

/* Distance of neighbouring numbers at x. */
double ulp_of(situ_dtype d, double x)
{
    static const int digits[] = {[SITU_F16] = 11, [SITU_BF16] = 8, [SITU_F32] = 24, [SITU_F64] = 53};
    static const int least[] = {[SITU_F16] = -24, [SITU_BF16] = -133, [SITU_F32] = -149, [SITU_F64] = -1074};
    d = part_of(d);
    if (!is_float(d)) return 0;
    int e;
    if (!isfinite(x) || x == 0) return ldexp(1, least[d]);
    frexp(x, &e);
    return ldexp(1, e - digits[d] > least[d] ? e - digits[d] : least[d]);
}

int compare_elements(const value *v, int64_t a, int64_t b)
{
    if (rank_of(v->dtype) < 2) {
        uint64_t x = get_u(v, a), y = get_u(v, b);
        if (is_signed(v->dtype)) return (int64_t)x < (int64_t)y ? -1 : (int64_t)x > (int64_t)y;
        return x < y ? -1 : x > y;
    }
    double x = get_f(v, a), y = get_f(v, b);
    if (isnan(x) || isnan(y)) return isnan(x) ? !isnan(y) : -1;
    return x < y ? -1 : x > y;
}
