/* Random distributions, computed from random bits step by step as in JAX, so that the numbers are the same. */
#include "op/random.h"

#include <float.h>
#include <math.h>

#include "math/f64.h"
#include "op/attr.h"
#include "op/create.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* x rounded to a dtype. */
static double rounded(double x, situ_dtype dtype)
{
    char element[16];
    situ_element_set_f64(dtype, element, x);
    return situ_element_get_f64(dtype, element);
}

/* mantissa: the number of explicit bits of the mantissa; the other: random bits needed for a number. */
static int mantissa(situ_dtype d) { return d == SITU_F16 ? 10 : d == SITU_BF16 ? 7 : d == SITU_F32 ? 23 : 52; }
static int width(situ_dtype d) { return (int)situ_dtype_size(d) * 8; }
/* The unsigned dtype of the same size. */
static situ_dtype unsigned_of(situ_dtype d)
{
    static const situ_dtype by_size[] = {[1] = SITU_U8, [2] = SITU_U16, [4] = SITU_U32, [8] = SITU_U64};
    return by_size[situ_dtype_size(d)];
}

/* The highest bits as a multiple of 2^-mantissa in [0, 1), then scaled to the range. */
static situ_tensor *uniform(
    situ_tensor *key, situ_shape shape, double low, double high, situ_dtype dtype, situ_layout_kind layout, situ_site site)
{
    situ_dtype source = dtype == SITU_BF16 ? SITU_U8 : unsigned_of(dtype);
    situ_tensor *bits = situ_bits(key, shape, source, layout, site);
    situ_tensor *whole = situ_cast(situ_bitwise_right_shift(bits, width(source) - mantissa(dtype)), dtype);
    situ_tensor *u = situ_mul(whole, ldexp(1, -mantissa(dtype)));
    low = rounded(low, dtype);
    high = rounded(high, dtype);
    if (low == 0 && high == 1) return u;
    return situ_maximum(situ_fma(u, rounded(high - low, dtype), low), low);
}

/* Checks that the dtype is a float; the default is f32. */
static bool take_float(situ_dtype *dtype, const char *operation, situ_site site)
{
    if (*dtype == SITU_DTYPE_DEFAULT) *dtype = SITU_F32;
    if (situ_dtype_is_float(*dtype)) return true;
    situ_fail(SITU_BAD_DTYPE, site, "%s: it makes floats, not %s", operation, situ_dtype_name(*dtype));
    return false;
}

situ_tensor *(situ_uniform)(situ_tensor *key, situ_shape shape, const situ_uniform_options *options, situ_site site)
{
    SITU_SPEAK("uniform", site);
    situ_uniform_options o = {SITU_DEFAULTS(SITU_UNIFORM_DEFAULTS)};
    if (!SITU_TAKE_KEY(key, o, options, "uniform", site) || !take_float(&o.dtype, "uniform", site)) return situ_poisoned();
    if (!(o.low <= o.high) || !isfinite(o.low) || !isfinite(o.high))
        return situ_refused(SITU_BAD_OPTION, site, "uniform: no range goes from .low = %g to .high = %g", o.low, o.high);
    if (!isfinite(rounded(o.low, o.dtype)) || !isfinite(rounded(o.high - o.low, o.dtype)) || !isfinite(rounded(o.high, o.dtype)))
        return situ_refused(SITU_BAD_OPTION, site,
            "uniform: numbers of %s do not reach from " SITU_SAY(".low", "low") " = %g to " SITU_SAY(
                ".high", "high") " = %g, which lie %g apart",
            situ_dtype_name(o.dtype), o.low, o.high, o.high - o.low);
    return uniform(key, shape, o.low, o.high, o.dtype, o.layout, site);
}

/* ---- normal ------------------------------------------------------------------------------------------------------------
 * erfinv by M. Giles' polynomials ("Approximating the erfinv function", 2010) as XLA evaluates them: less exact in the
 * tails than situ_erfinv, but only so does normal give JAX's numbers. */

static situ_tensor *polynomial(const double *c, int n, situ_tensor *x, situ_site site)
{
    situ_tensor *p = situ_fma(x, c[0], c[1]);
    for (int i = 2; i < n; i++) p = situ_fma(p, x, c[i]);
    return p;
}
#define POLYNOMIAL(x, ...) \
    polynomial((const double[]){__VA_ARGS__}, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), x, site)

static situ_tensor *erfinv_f32(situ_tensor *x, situ_site site)
{
    situ_tensor *w = situ_negative(situ_log1p(situ_negative(situ_square(x))));
    situ_tensor *center = POLYNOMIAL(situ_sub(w, 2.5), 2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06,
        0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941);
    situ_tensor *tail = POLYNOMIAL(situ_sub(situ_sqrt(w), 3), -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844,
        0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682);
    return situ_mul(situ_where(situ_less(w, 5), center, tail), x);
}

/* situ_f64_log(1 + x) as XLA computes it for f64: a rational function up to sqrt(2) - 1, the plain logarithm beyond. */
static situ_tensor *log1p_f64(situ_tensor *x, situ_site site)
{
    situ_tensor *p = POLYNOMIAL(x, 4.5270000862445199635215e-5, 4.9854102823193375972212e-1, 6.5787325942061044846969,
        2.9911919328553073277375e1, 6.0949667980987787057556e1, 5.7112963590585538103336e1, 2.0039553499201281259648e1);
    situ_tensor *q = POLYNOMIAL(x, 1, 1.5062909083469192043167e1, 8.3047565967967209469434e1, 2.2176239823732856465394e2,
        3.0909872225312059774938e2, 2.1642788614495947685003e2, 6.0118660497603843919306e1);
    situ_tensor *square = situ_square(x);
    situ_tensor *small = situ_add(x, situ_add(situ_mul(square, -0.5), situ_mul(x, situ_mul(square, situ_div(p, q)))));
    return situ_where(situ_less(situ_abs(x), 0.41421356237309504880), small, situ_log(situ_add(x, 1)));
}

static situ_tensor *erfinv_f64(situ_tensor *x, situ_site site)
{
    situ_tensor *w = situ_negative(log1p_f64(situ_negative(situ_square(x)), site)), *root = situ_sqrt(w);
    situ_tensor *center =
        POLYNOMIAL(situ_sub(w, 3.125), -3.6444120640178196996e-21, -1.685059138182016589e-19, 1.2858480715256400167e-18,
            1.115787767802518096e-17, -1.333171662854620906e-16, 2.0972767875968561637e-17, 6.6376381343583238325e-15,
            -4.0545662729752068639e-14, -8.1519341976054721522e-14, 2.6335093153082322977e-12, -1.2975133253453532498e-11,
            -5.4154120542946279317e-11, 1.051212273321532285e-09, -4.1126339803469836976e-09, -2.9070369957882005086e-08,
            4.2347877827932403518e-07, -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352,
            -0.00074070253416626697512, -0.0060336708714301490533, 0.24015818242558961693, 1.6536545626831027356);
    situ_tensor *middle = POLYNOMIAL(situ_sub(root, 3.25), 2.2137376921775787049e-09, 9.0756561938885390979e-08,
        -2.7517406297064545428e-07, 1.8239629214389227755e-08, 1.5027403968909827627e-06, -4.013867526981545969e-06,
        2.9234449089955446044e-06, 1.2475304481671778723e-05, -4.7318229009055733981e-05, 6.8284851459573175448e-05,
        2.4031110387097893999e-05, -0.0003550375203628474796, 0.00095328937973738049703, -0.0016882755560235047313,
        0.0024914420961078508066, -0.0037512085075692412107, 0.005370914553590063617, 1.0052589676941592334, 3.0838856104922207635);
    situ_tensor *tail = POLYNOMIAL(situ_sub(root, 5), -2.7109920616438573243e-11, -2.5556418169965252055e-10,
        1.5076572693500548083e-09, -3.7894654401267369937e-09, 7.6157012080783393804e-09, -1.4960026627149240478e-08,
        2.9147953450901080826e-08, -6.7711997758452339498e-08, 2.2900482228026654717e-07, -9.9298272942317002539e-07,
        4.5260625972231537039e-06, -1.9681778105531670567e-05, 7.5995277030017761139e-05, -0.00021503011930044477347,
        -0.00013871931833623122026, 1.0103004648645343977, 4.8499064014085844221);
    return situ_mul(situ_where(situ_less(w, 6.25), center, situ_where(situ_less(w, 16), middle, tail)), x);
}

static situ_tensor *expand_normal(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    (void)attr;
    situ_dtype dtype = (situ_dtype)in[0]->dtype;
    if (dtype == SITU_F64) return situ_mul(erfinv_f64(in[0], site), sqrt(2));
    return situ_mul(situ_cast(erfinv_f32(situ_cast(in[0], SITU_F32), site), dtype), sqrt(2));
}

const situ_op situ_op_normal = {.name = "normal",
    .family = SITU_COMPOSITE,
    .operands = "u",
    .infer = situ_infer_same,
    .no_gradient = "its results are random",
    .expand = expand_normal};

/* sqrt(2) erfinv(u), where u is uniform in (-1, 1). */
situ_tensor *(situ_normal)(situ_tensor *key, situ_shape shape, const situ_draw_options *options, situ_site site)
{
    SITU_SPEAK("normal", site);
    situ_draw_options o = {SITU_DEFAULTS(SITU_DRAW_DEFAULTS)};
    if (!SITU_TAKE_KEY(key, o, options, "normal", site) || !take_float(&o.dtype, "normal", site)) return situ_poisoned();
    double below_one = 1 - ldexp(1, -mantissa(o.dtype) - 1);
    situ_tensor *u = uniform(key, shape, -below_one, 1, o.dtype, o.layout, site);
    return situ_apply1(&situ_op_normal, u, NULL, 0, site);
}

static situ_tensor *gumbel(situ_tensor *key, situ_shape shape, situ_dtype dtype, situ_layout_kind layout, situ_site site)
{
    double tiny = dtype == SITU_F64 ? DBL_MIN : dtype == SITU_F16 ? ldexp(1, -14) : FLT_MIN;
    situ_tensor *u = uniform(key, shape, tiny, 1, dtype, layout, site);
    return situ_negative(situ_log(situ_negative(situ_log(u))));
}

situ_tensor *(situ_gumbel)(situ_tensor *key, situ_shape shape, const situ_draw_options *options, situ_site site)
{
    SITU_SPEAK("gumbel", site);
    situ_draw_options o = {SITU_DEFAULTS(SITU_DRAW_DEFAULTS)};
    if (!SITU_TAKE_KEY(key, o, options, "gumbel", site) || !take_float(&o.dtype, "gumbel", site)) return situ_poisoned();
    return gumbel(key, shape, o.dtype, o.layout, site);
}

situ_tensor *(situ_categorical)(situ_tensor *key, situ_tensor *logits, const situ_categorical_options *options, situ_site site)
{
    SITU_SPEAK("categorical", site);
    situ_categorical_options o = {SITU_DEFAULTS(SITU_CATEGORICAL_DEFAULTS)};
    if (!SITU_TAKE_KEY(key, o, options, "categorical", site) ||
        !situ_together((situ_tensor *[]){key, logits}, 2, "categorical", "key, logits", site))
        return situ_poisoned();
    if (!situ_dtype_is_float((situ_dtype)logits->dtype)) logits = situ_cast(logits, SITU_F32);
    int axis = situ_axis(o.axis, logits->ndim, "categorical", site);
    if (axis < 0) return situ_poisoned();
    situ_tensor *noise = gumbel(key, situ_shape_like(logits), (situ_dtype)logits->dtype, o.layout, site);
    return situ_argmax(situ_add(noise, logits), .axis = axis);
}

situ_tensor *(
    situ_bernoulli)(situ_tensor *key, situ_tensor *p, situ_shape shape, const situ_key_split_options *options, situ_site site)
{
    SITU_SPEAK("bernoulli", site);
    situ_key_split_options o = {SITU_DEFAULTS(SITU_KEY_SPLIT_DEFAULTS)};
    if (!SITU_TAKE_KEY(key, o, options, "bernoulli", site) ||
        !situ_together((situ_tensor *[]){key, p}, 2, "bernoulli", "key, p", site))
        return situ_poisoned();
    if (situ_is_number(p) && !(situ_number_f64(p) >= 0 && situ_number_f64(p) <= 1))
        return situ_refused(SITU_BAD_ARGUMENT, site, "bernoulli: p = %g is no probability; it is 0 to 1", situ_number_f64(p));
    situ_dtype dtype = situ_dtype_is_float((situ_dtype)p->dtype) ? (situ_dtype)p->dtype : SITU_F32;
    return situ_less(uniform(key, shape, 0, 1, dtype, o.layout, site), p);
}

/* ---- integers --------------------------------------------------------------------------------------------------------- */

static int64_t least_of(situ_dtype d) { return situ_dtype_is_signed(d) ? (int64_t)(~0ull << (width(d) - 1)) : 0; }
/* The largest value of the dtype; for u64 the largest i64. */
static int64_t most_of(situ_dtype d) { return (int64_t)(~0ull >> (64 - width(d) + (situ_dtype_is_signed(d) || width(d) == 64))); }
static int64_t clamp(int64_t i, int64_t low, int64_t high) { return i < low ? low : i > high ? high : i; }

/* JAX's integers: twice as many random bits as the dtype has, modulo the width of [low, high): (upper * 2^bits +
 * lower) mod span. A span of 0 stands for all values. */
static situ_tensor *integers(
    situ_tensor *key, situ_shape shape, int64_t low, int64_t high, situ_dtype dtype, situ_layout_kind layout, situ_site site)
{
    situ_tensor *half[2];
    if (situ_key_split_into(key, 2, half, .layout = layout)) return situ_poisoned();
    int bits = width(dtype);
    uint64_t mask = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
    bool beyond = high > most_of(dtype);
    high = clamp(high, least_of(dtype), most_of(dtype));
    uint64_t span = high <= low ? 1 : ((uint64_t)high - (uint64_t)low + beyond) & mask;
    situ_tensor *upper = situ_bits(half[0], shape, unsigned_of(dtype), layout, site);
    situ_tensor *offset = situ_bits(half[1], shape, unsigned_of(dtype), layout, site);
    if (span) {
        uint64_t multiplier = (1ull << (bits / 2)) % span;
        multiplier = (multiplier * multiplier & mask) % span; /* wraps around, as in JAX */
        situ_tensor *shifted = situ_mul(situ_remainder(upper, span), multiplier);
        offset = situ_remainder(situ_add(shifted, situ_remainder(offset, span)), span);
    }
    return situ_add(situ_cast(offset, dtype), low);
}

/* The upper half of the product a * b; b < 2^32 if `narrow`. */
static situ_tensor *upper_half(situ_tensor *a, uint64_t b, bool narrow, situ_site site)
{
    const int64_t low = 0xffffffff;
    situ_tensor *a0 = situ_bitwise_and(a, low), *a1 = situ_bitwise_right_shift(a, 32);
    int64_t b0 = (int64_t)(b & low), b1 = (int64_t)(b >> 32);
    situ_tensor *middle = situ_add(
        situ_bitwise_right_shift(situ_mul(a0, b0), 32), narrow ? situ_mul(a1, b0) : situ_bitwise_and(situ_mul(a1, b0), low));
    if (narrow) return situ_bitwise_right_shift(middle, 32);
    situ_tensor *other = situ_mul(a0, b1), *high = situ_add(situ_mul(a1, b1), situ_bitwise_right_shift(situ_mul(a1, b0), 32));
    middle = situ_add(middle, situ_bitwise_and(other, low));
    return situ_add(high, situ_add(situ_bitwise_right_shift(other, 32), situ_bitwise_right_shift(middle, 32)));
}

/* floor(u * span / 2^64) for a random u of 64 bits; for 64-bit dtypes floor(u * span / 2^128) for u of 128 bits. */
static situ_tensor *even_integers(
    situ_tensor *key, situ_shape shape, int64_t low, int64_t high, situ_dtype dtype, situ_layout_kind layout, situ_site site)
{
    bool wide = width(dtype) == 64, beyond = high > most_of(dtype);
    situ_tensor *half[2];
    high = clamp(high, least_of(dtype), most_of(dtype));
    uint64_t span = high <= low ? 1 : (uint64_t)high - (uint64_t)low + beyond;
    if (!wide)
        return situ_cast(
            situ_add(
                situ_cast(upper_half(situ_bits(key, shape, SITU_U64, layout, site), span, span >> 32 == 0, site), SITU_I64), low),
            dtype);
    if (situ_key_split_into(key, 2, half, .layout = layout)) return situ_poisoned();
    situ_tensor *upper = situ_bits(half[0], shape, SITU_U64, layout, site),
                *lower = situ_bits(half[1], shape, SITU_U64, layout, site);
    situ_tensor *product = situ_mul(upper, span), *sum = situ_add(product, upper_half(lower, span, false, site));
    situ_tensor *offset = situ_add(upper_half(upper, span, false, site), situ_cast(situ_less(sum, product), SITU_U64));
    return situ_add(situ_cast(offset, dtype), low);
}

/* Checks that both bounds fit into the dtype; `high` may be one larger than its maximum. */
static bool holds_bounds(int64_t low, int64_t high, situ_dtype d, situ_site site)
{
    bool beyond = width(d) < 64 && high > most_of(d) + 1;
    if (low >= least_of(d) && low <= most_of(d) && !beyond) return true;
    situ_fail(SITU_BAD_NUMBER, site,
        "randint: %s does not hold the numbers from %lld to below %lld; take a dtype that does, as in " SITU_SAY(
            ".dtype = SITU_I64", "dtype=\"int64\""),
        situ_dtype_name(d), (long long)low, (long long)high);
    return false;
}

situ_tensor *(situ_randint)(situ_tensor *key, situ_shape shape, int64_t low, int64_t high, const situ_randint_options *options,
    situ_site site)
{
    SITU_SPEAK("randint", site);
    situ_randint_options o = {SITU_DEFAULTS(SITU_RANDINT_DEFAULTS)};
    if (!SITU_TAKE_KEY(key, o, options, "randint", site)) return situ_poisoned();
    situ_dtype dtype = o.dtype == SITU_DTYPE_DEFAULT ? SITU_I32 : o.dtype;
    if (!situ_dtype_is_integer(dtype))
        return situ_refused(SITU_BAD_DTYPE, site, "randint: it makes integers, not %s", situ_dtype_name(dtype));
    if (!holds_bounds(low, high, dtype, site)) return situ_poisoned();
    if (o.unbiased) return even_integers(key, shape, low, high, dtype, o.layout, site);
    if (width(dtype) >= 32) return integers(key, shape, low, high, dtype, o.layout, site);
    high = clamp(high, least_of(dtype), most_of(dtype) + 1);
    return situ_cast(integers(key, shape, low, high, SITU_I32, o.layout, site), dtype);
}

/* Sorts by random keys, in enough rounds that equal keys do not matter. */
static situ_tensor *expand_permutation(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    const situ_permutation_attr *a = attr;
    situ_layout_kind layout = a->partitionable ? SITU_PARTITIONABLE : SITU_ORIGINAL;
    (void)nin;
    situ_tensor *key = in[0], *order = situ_arange(0, a->n, 1, .dtype = (situ_dtype)a->dtype, .device = key->device);
    for (int i = 0; i < a->rounds; i++) {
        situ_tensor *pair[2];
        if (situ_key_split_into(key, 2, pair, .layout = layout)) return situ_poisoned();
        key = pair[0];
        order = situ_take(order, situ_argsort(situ_bits(pair[1], SHAPE(a->n), SITU_U32, layout, site)));
    }
    return order;
}

static int infer_permutation(situ_infer *c)
{
    const situ_permutation_attr *a = c->attr;
    c->dtype = (situ_dtype)a->dtype;
    situ_infer_dims(c, 1, &a->n);
    return 0;
}

/* Holds the order after the previous round (backend/cpu/movement/shuffle.c). */
static size_t workspace_permutation(const situ_call_desc *c)
{
    const situ_permutation_attr *a = c->attr;
    return a->rounds > 1 ? 4 * (size_t)a->n : 0;
}

const situ_op situ_op_permutation = {.name = "permutation",
    .family = SITU_COMPOSITE,
    .operands = "key",
    .infer = infer_permutation,
    .no_gradient = "its results are random",
    .expand = expand_permutation,
    .workspace = workspace_permutation};

situ_tensor *(situ_permutation)(situ_tensor *key, int64_t n, const situ_draw_options *options, situ_site site)
{
    SITU_SPEAK("permutation", site);
    situ_draw_options o = {SITU_DEFAULTS(SITU_DRAW_DEFAULTS)};
    if (!SITU_TAKE_KEY(key, o, options, "permutation", site)) return situ_poisoned();
    situ_shape shape = SHAPE(n);
    if (n < 0) return situ_refused(SITU_BAD_ARGUMENT, site, "permutation: of %lld; it is at least 0", (long long)n);
    situ_dtype dtype = o.dtype == SITU_DTYPE_DEFAULT ? SITU_I64 : o.dtype;
    if (!situ_shape_check(&shape, false, "permutation", site)) return situ_poisoned();
    situ_permutation_attr a = {.n = n,
        .dtype = (int32_t)dtype,
        .rounds = (int32_t)ceil(3 * situ_f64_log(n > 1 ? (double)n : 1) / situ_f64_log(4294967295.0)),
        .partitionable = o.layout == SITU_PARTITIONABLE};
    return situ_apply1(&situ_op_permutation, key, &a, sizeof a, site);
}
