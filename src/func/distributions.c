/* Random numbers from random bits, by JAX's definitions, step by step, so that the numbers are JAX's. */
#include "op/random.h"

#include <float.h>
#include <math.h>

#include "op/create.h"
/* last */
#include "op/here.h"

/* x rounded to a dtype. */
static double rounded(double x, situ_dtype dtype)
{
    char element[16];
    situ_element_set_f64(dtype, element, x);
    return situ_element_get_f64(dtype, element);
}

/* The distance of 1 from the next number, as a power of 2; and how many random bits a number takes. */
static int mantissa(situ_dtype d) { return d == SITU_F16 ? 10 : d == SITU_BF16 ? 7 : d == SITU_F32 ? 23 : 52; }
static int width(situ_dtype d) { return (int)situ_dtype_size(d) * 8; }
static situ_dtype unsigned_of(situ_dtype d)
{
    static const situ_dtype by_size[] = {[1] = SITU_U8, [2] = SITU_U16, [4] = SITU_U32, [8] = SITU_U64};
    return by_size[situ_dtype_size(d)];
}

/* The highest bits as a multiple of 2^-mantissa in [0, 1), then scaled. */
static situ_tensor *uniform(situ_tensor *key, situ_shape shape, double low, double high, situ_dtype dtype,
                            situ_layout_kind layout, situ_site site)
{
    situ_tensor *bits = situ_bits(key, shape, unsigned_of(dtype), layout, site);
    situ_tensor *whole = situ_cast(situ_bitwise_right_shift(bits, width(dtype) - mantissa(dtype)), dtype);
    situ_tensor *u = situ_mul(whole, ldexp(1, -mantissa(dtype)));
    low = rounded(low, dtype);
    high = rounded(high, dtype);
    if (low == 0 && high == 1) return u;
    return situ_maximum(situ_add(situ_mul(u, rounded(high - low, dtype)), low), low);
}

/* Key, options and a float dtype. */
static bool take_float(situ_tensor **key, situ_random_options *o, const situ_random_options *options, const char *operation, situ_site site)
{
    if (!situ_take_key(key, o, options, operation, site)) return false;
    if (o->dtype == SITU_DTYPE_DEFAULT) o->dtype = SITU_F32;
    if (situ_dtype_is_float(o->dtype)) return true;
    situ_fail(SITU_BAD_DTYPE, site, "%s: it makes floats, not %s", operation, situ_dtype_name(o->dtype));
    return false;
}

situ_tensor *(situ_uniform)(situ_tensor *key, situ_shape shape, const situ_random_options *options, situ_site site)
{
    situ_random_options o;
    if (!take_float(&key, &o, options, "uniform", site)) return situ_poisoned();
    return uniform(key, shape, o.low, o.high, o.dtype, o.layout, site);
}

/* sqrt(2) erfinv(u), u uniform in (-1, 1). */
situ_tensor *(situ_normal)(situ_tensor *key, situ_shape shape, const situ_random_options *options, situ_site site)
{
    situ_random_options o;
    if (!take_float(&key, &o, options, "normal", site)) return situ_poisoned();
    double below_one = 1 - ldexp(1, -mantissa(o.dtype) - 1);
    situ_tensor *u = uniform(key, shape, -below_one, 1, o.dtype, o.layout, site);
    return situ_mul(situ_erfinv(u), sqrt(2));
}

static situ_tensor *gumbel(situ_tensor *key, situ_shape shape, situ_dtype dtype, situ_layout_kind layout, situ_site site)
{
    double tiny = dtype == SITU_F64 ? DBL_MIN : dtype == SITU_F16 ? ldexp(1, -14) : FLT_MIN;
    situ_tensor *u = uniform(key, shape, tiny, 1, dtype, layout, site);
    return situ_negative(situ_log(situ_negative(situ_log(u))));
}

situ_tensor *(situ_gumbel)(situ_tensor *key, situ_shape shape, const situ_random_options *options, situ_site site)
{
    situ_random_options o;
    if (!take_float(&key, &o, options, "gumbel", site)) return situ_poisoned();
    return gumbel(key, shape, o.dtype, o.layout, site);
}

situ_tensor *(situ_categorical)(situ_tensor *key, situ_tensor *logits, const situ_random_options *options, situ_site site)
{
    situ_random_options o;
    if (!situ_usable(&logits, 1, "categorical", site) || !situ_take_key(&key, &o, options, "categorical", site)) return situ_poisoned();
    if (!situ_dtype_is_float((situ_dtype)logits->dtype)) logits = situ_cast(logits, SITU_F32);
    int axis = situ_axis(o.axis, logits->ndim, "categorical", site);
    if (axis < 0) return situ_poisoned();
    situ_tensor *noise = gumbel(key, situ_shape_like(logits), (situ_dtype)logits->dtype, o.layout, site);
    return situ_argmax(situ_add(noise, logits), .axis = axis);
}

situ_tensor *(situ_bernoulli)(situ_tensor *key, situ_tensor *p, situ_shape shape, const situ_random_options *options, situ_site site)
{
    situ_random_options o;
    if (!situ_usable(&p, 1, "bernoulli", site) || !situ_take_key(&key, &o, options, "bernoulli", site)) return situ_poisoned();
    situ_dtype dtype = situ_dtype_is_float((situ_dtype)p->dtype) ? (situ_dtype)p->dtype : SITU_F32;
    return situ_less(uniform(key, shape, 0, 1, dtype, o.layout, site), p);
}

/* ---- integers --------------------------------------------------------------------------------------------------------- */

/* The width of [low, high) in the dtype's unsigned kind; 0 stands for all of it. */
static uint64_t span_of(int64_t low, int64_t high, situ_dtype dtype)
{
    int bits = width(dtype);
    uint64_t mask = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
    bool is_signed = situ_dtype_is_signed(dtype);
    int64_t least = is_signed ? -(int64_t)(mask >> 1) - 1 : 0;
    int64_t most = is_signed || bits == 64 ? (int64_t)(mask >> (is_signed || bits == 64)) : (int64_t)mask;
    bool beyond = high > most;
    low = low < least ? least : low > most ? most : low;
    high = high < least ? least : beyond ? most : high;
    if (high <= low) return 1;
    return ((uint64_t)high - (uint64_t)low + beyond) & mask;
}

/* Twice as many random bits as the dtype has, modulo the span: (high 2^bits + low) mod span. */
situ_tensor *(situ_randint)(situ_tensor *key, situ_shape shape, int64_t low, int64_t high, const situ_random_options *options, situ_site site)
{
    situ_random_options o;
    if (!situ_take_key(&key, &o, options, "randint", site)) return situ_poisoned();
    situ_dtype dtype = o.dtype == SITU_DTYPE_DEFAULT ? SITU_I32 : o.dtype;
    if (!situ_dtype_is_integer(dtype)) {
        situ_fail(SITU_BAD_DTYPE, site, "randint: it makes integers, not %s", situ_dtype_name(dtype));
        return situ_poisoned();
    }
    situ_tensor *half[2];
    if (situ_split_key(key, 2, half, .layout = o.layout)) return situ_poisoned();
    situ_dtype natural = unsigned_of(dtype);
    situ_tensor *upper = situ_bits(half[0], shape, natural, o.layout, site), *offset = situ_bits(half[1], shape, natural, o.layout, site);
    uint64_t span = span_of(low, high, dtype);
    if (span) {
        uint64_t multiplier = (1ull << (width(dtype) / 2)) % span;
        multiplier = multiplier * multiplier % span;
        offset = situ_add(situ_mul(situ_remainder(upper, (int64_t)span), (int64_t)multiplier), situ_remainder(offset, (int64_t)span));
        offset = situ_remainder(offset, (int64_t)span);
    }
    int64_t least = situ_dtype_is_signed(dtype) ? (int64_t)(~0ull << (width(dtype) - 1)) : 0;
    return situ_add(situ_cast(offset, dtype), low < least ? least : low);
}

/* Sorted by random numbers, often enough that equal ones do not matter. */
situ_tensor *(situ_permutation)(situ_tensor *key, int64_t n, const situ_random_options *options, situ_site site)
{
    situ_random_options o;
    if (!situ_take_key(&key, &o, options, "permutation", site)) return situ_poisoned();
    situ_dtype dtype = o.dtype == SITU_DTYPE_DEFAULT ? SITU_I64 : o.dtype;
    situ_tensor *order = situ_arange(0, n, 1, .dtype = dtype, .device = key->device);
    int rounds = (int)ceil(3 * log(n > 1 ? (double)n : 1) / log(4294967295.0));
    for (int i = 0; i < rounds; i++) {
        situ_tensor *pair[2];
        if (situ_split_key(key, 2, pair, .layout = o.layout)) return situ_poisoned();
        key = pair[0];
        order = situ_take(order, situ_argsort(situ_bits(pair[1], SHAPE(n), SITU_U32, o.layout, site)));
    }
    return order;
}
