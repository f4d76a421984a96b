#include "op/number.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "os/plain.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

typedef __int128 wide;

/* A C number without a dtype: an integer (`whole`; beyond 64 bits only its sign and magnitude count) or a float. */
typedef struct number {
    bool integer;
    wide whole;
    double real; /* integers: rounded towards 0 */
    bool more;   /* an integer whose magnitude exceeds `real` */
} number;

static const wide far = (wide)1 << 100;

static number integer_of(wide whole)
{
    uint64_t size = whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole, top = size;
    int bits = size ? 64 - __builtin_clzll(size) : 0;
    if (bits > DBL_MANT_DIG) top = size >> (bits - DBL_MANT_DIG) << (bits - DBL_MANT_DIG);
    return (number){true, whole, whole < 0 ? -(double)top : (double)top, top != size};
}

static number number_of(const situ_tensor *t)
{
    const uint64_t *word = situ_node_word(t);
    if (t->kind == 1 && t->dtype == SITU_U64) return integer_of((wide)word[0]);
    if (t->kind < 2 && t->dtype != SITU_F64) return integer_of((int64_t)word[0]);
    number v = {.integer = t->kind < 2};
    memcpy(&v.real, word, sizeof v.real);
    v.whole = v.real < 0 ? -far : far;
    if (v.integer) v.more = word[1] != 0;
    else if (fabs(v.real) < 0x1p100) v.whole = (wide)v.real; /* larger integers fit no dtype */
    return v;
}

static situ_tensor *scalar_of(wide whole)
{
    return whole > INT64_MAX ? situ_scalar_unsigned((uint64_t)whole) : situ_scalar_int((int64_t)whole);
}

wide situ_integer_lowest(situ_dtype d)
{
    return situ_dtype_kind(d) == SITU_KIND_SIGNED ? -((wide)1 << (8 * situ_dtype_size(d) - 1)) : 0;
}

wide situ_integer_highest(situ_dtype d)
{
    if (d == SITU_BOOL) return 1;
    return ((wide)1 << (8 * situ_dtype_size(d) - (situ_dtype_kind(d) == SITU_KIND_SIGNED))) - 1;
}

const char *situ_number_text(const situ_tensor *t, char *text)
{
    number v = number_of(t);
    if (isnan(v.real)) snprintf(text, SITU_NUMBER_TEXT, "NaN");
    else if (!v.integer) situ_plain_format(text, SITU_NUMBER_TEXT, "%.17g", v.real);
    else if (v.whole > UINT64_MAX || v.whole < INT64_MIN)
        situ_plain_format(text, SITU_NUMBER_TEXT, fabs(v.real) < DBL_MAX ? "%.6g" : v.real < 0 ? "below %g" : "above %g", v.real);
    else if (v.whole < 0) snprintf(text, SITU_NUMBER_TEXT, "%lld", (long long)v.whole);
    else snprintf(text, SITU_NUMBER_TEXT, "%llu", (unsigned long long)v.whole);
    char brief[SITU_NUMBER_TEXT]; /* 0.1, not 0.10000000000000001 */
    situ_plain_format(brief, sizeof brief, "%g", v.real);
    if (!v.integer && situ_plain_number(brief, NULL) == v.real) memcpy(text, brief, sizeof brief);
    return text;
}

/* ---- rounding to a dtype -------------------------------------------------------------------------------------------- */

/* The largest value of a float dtype that is not above an integer, and the smallest that is not below it. */
static bool float_neighbours(number v, situ_dtype d, double *low, double *high)
{
    int digits = d == SITU_F16 ? 11 : d == SITU_BF16 ? 8 : d == SITU_F32 ? 24 : DBL_MANT_DIG, power;
    double size = fabs(v.real), step = 0, inner = size;
    (void)frexp(size, &power);
    if (size > 0 && power > digits) {
        step = ldexp(1, power - digits);
        inner = floor(size / step) * step; /* step is a power of two, so both operations are exact */
    }
    if (inner == size && !v.more && size <= situ_dtype_highest(d)) return false;
    double outer = inner + step;
    if (inner > situ_dtype_highest(d)) inner = situ_dtype_highest(d);
    if (outer > situ_dtype_highest(d)) outer = INFINITY;
    *low = v.real < 0 ? -outer : inner;
    *high = v.real < 0 ? -inner : outer;
    return true;
}

static wide integer_floor(number v)
{
    return v.integer || v.real >= (double)v.whole || fabs(v.real) >= 0x1p100 ? v.whole : v.whole - 1;
}
static wide integer_ceil(number v)
{
    return v.integer || v.real <= (double)v.whole || fabs(v.real) >= 0x1p100 ? v.whole : v.whole + 1;
}

/* ---- comparisons ----------------------------------------------------------------------------------------------------- */

static situ_el mirrored(situ_el el)
{
    switch (el) {
    case SITU_EL_less: return SITU_EL_greater;
    case SITU_EL_less_equal: return SITU_EL_greater_equal;
    case SITU_EL_greater: return SITU_EL_less;
    case SITU_EL_greater_equal: return SITU_EL_less_equal;
    default: return el;
    }
}

/* Replaces the comparison x el v, for integers x from `least` to `most`, by an equivalent one with an integer that the
 * dtype holds. */
static situ_el compare_integer(situ_el el, number v, wide least, wide most, wide *with)
{
    wide low = integer_floor(v), high = integer_ceil(v);
    bool nan = isnan(v.real), always = false;
    switch (el) {
    case SITU_EL_less:
        *with = high;
        always = high > most;
        break;
    case SITU_EL_less_equal:
        *with = low;
        always = low >= most;
        break;
    case SITU_EL_greater:
        *with = low;
        always = low < least;
        break;
    case SITU_EL_greater_equal:
        *with = high;
        always = high <= least;
        break;
    case SITU_EL_equal:
        *with = low;
        nan |= low != high;
        break;
    default:
        *with = low;
        nan |= low != high;
        break;
    }
    if (!nan && *with >= least && *with <= most) return el;
    if (el == SITU_EL_not_equal) always = true;
    else if (el == SITU_EL_equal || nan) always = false;
    *with = least;
    return always ? SITU_EL_greater_equal : SITU_EL_less;
}

/* Compares two C numbers at once. */
static bool compare_numbers(situ_el el, number a, number b)
{
    if (isnan(a.real) || isnan(b.real)) return el == SITU_EL_not_equal;
    int order; /* an integer lies between neighbouring doubles, or on one */
    if (a.integer && b.integer && a.whole != b.whole) order = a.whole < b.whole ? -1 : 1;
    else if (a.real != b.real) order = a.real < b.real ? -1 : 1;
    else order = (a.more ? (a.real < 0 ? -1 : 1) : 0) - (b.more ? (b.real < 0 ? -1 : 1) : 0);
    switch (el) {
    case SITU_EL_less: return order < 0;
    case SITU_EL_less_equal: return order <= 0;
    case SITU_EL_greater: return order > 0;
    case SITU_EL_greater_equal: return order >= 0;
    case SITU_EL_equal: return !order;
    default: return order != 0;
    }
}

static bool meet_comparison(situ_el *el, situ_tensor **in)
{
    bool left = situ_is_number(in[0]), right = situ_is_number(in[1]);
    if (left && right) {
        in[0] = situ_scalar_bool(compare_numbers(*el, number_of(in[0]), number_of(in[1])));
        in[1] = situ_scalar_bool(true);
        *el = SITU_EL_equal;
        return true;
    }
    const situ_tensor *x = in[left];
    situ_tensor **at = &in[!left];
    situ_dtype d = situ_dtype_real((situ_dtype)x->dtype);
    uint64_t word = situ_node_word(*at)[0];
    /* the common case: a float, or an integer that every float dtype holds */
    if (situ_dtype_is_float(d) && ((*at)->kind == 2 || ((*at)->dtype == SITU_I64 && word + 256 <= 512))) return true;
    number v = number_of(*at);
    situ_el op = left ? mirrored(*el) : *el;
    if (situ_dtype_is_float(d)) {
        double low, high;
        if (!v.integer || !float_neighbours(v, d, &low, &high)) { /* an exact integer, or a float: rounded as usual */
            if ((*at)->kind == 1 && (*at)->dtype != SITU_I64) *at = situ_scalar_float(v.real);
            return true;
        }
        bool below = op == SITU_EL_less || op == SITU_EL_greater_equal;
        *at = situ_scalar_float(op == SITU_EL_equal || op == SITU_EL_not_equal ? NAN : below ? high : low);
        return true;
    }
    if ((*at)->kind == 0) return true;
    wide with;
    bool truth = d == SITU_BOOL; /* compared as 0 and 1 in i64 */
    op = compare_integer(op, v, situ_integer_lowest(truth ? SITU_I64 : d), situ_integer_highest(truth ? SITU_I64 : d), &with);
    *at = scalar_of(with);
    *el = left ? mirrored(op) : op;
    return true;
}

bool situ_no_common_integer(const situ_tensor *a, const situ_tensor *b)
{
    if (situ_is_number(a) || situ_is_number(b) || (a->dtype != SITU_U64 && b->dtype != SITU_U64)) return false;
    return situ_dtype_kind((situ_dtype)(a->dtype == SITU_U64 ? b : a)->dtype) == SITU_KIND_SIGNED;
}

situ_tensor *situ_compare_integers(situ_el el, situ_tensor *a, situ_tensor *b, situ_site site)
{
    if (!situ_no_common_integer(a, b)) return NULL;
    bool left = b->dtype == SITU_U64;
    situ_tensor *x = left ? a : b, *u = left ? b : a; /* x el u, with operands exchanged if necessary */
    situ_tensor *minus = situ_less(x, 0), *same = situ_cast(x, SITU_U64);
    switch (left ? el : mirrored(el)) {
    case SITU_EL_less: return situ_logical_or(minus, situ_less(same, u));
    case SITU_EL_less_equal: return situ_logical_or(minus, situ_less_equal(same, u));
    case SITU_EL_greater: return situ_logical_and(situ_logical_not(minus), situ_greater(same, u));
    case SITU_EL_greater_equal: return situ_logical_and(situ_logical_not(minus), situ_greater_equal(same, u));
    case SITU_EL_equal: return situ_logical_and(situ_logical_not(minus), situ_equal(same, u));
    default: return situ_logical_or(minus, situ_not_equal(same, u));
    }
}

/* ---- other operations ------------------------------------------------------------------------------------------------- */

/* Suggests how to convert x to a dtype that holds the number. */
static const char *dtype_that_holds(number v)
{
    bool whole = v.integer || v.real == (double)v.whole;
    if (whole && v.whole >= INT64_MIN && v.whole <= INT64_MAX) return SITU_SAY("situ_cast(x, SITU_I64)", "x.astype(\"int64\")");
    if (whole && v.whole > 0 && v.whole <= UINT64_MAX) return SITU_SAY("situ_cast(x, SITU_U64)", "x.astype(\"uint64\")");
    if (isnan(v.real) || fabs(v.real) <= FLT_MAX) return SITU_SAY("situ_cast(x, SITU_F32)", "x.astype(\"float32\")");
    return SITU_SAY("situ_cast(x, SITU_F64)", "x.astype(\"float64\")");
}

static situ_tensor *refuse(const situ_tensor *t, situ_dtype d, const char *operation, situ_site site)
{
    char text[SITU_NUMBER_TEXT], range[96];
    if (situ_dtype_is_float(d)) situ_plain_format(range, sizeof range, "at most %g", situ_dtype_highest(d));
    else
        snprintf(range, sizeof range, "integers from %lld to %llu", (long long)situ_integer_lowest(d),
            (unsigned long long)situ_integer_highest(d));
    situ_fail(SITU_BAD_NUMBER, site, "%s: %s does not hold the number %s, only %s; take a dtype that does, as in %s", operation,
        situ_dtype_name(d), situ_number_text(t, text), range, dtype_that_holds(number_of(t)));
    return NULL;
}

/* An integer as a double that rounds to the dtype like the integer itself. */
static double nearest(const situ_tensor *t, situ_dtype d)
{
    number v = number_of(t);
    if (d == SITU_F64) return situ_number_f64(t);
    uint64_t bits;
    memcpy(&bits, &v.real, 8);
    bits |= v.more; /* rounds to odd, so that a second rounding gives the right result */
    memcpy(&v.real, &bits, 8);
    return v.real;
}

situ_tensor *situ_number_fit(situ_tensor *t, situ_dtype dtype, bool cut, const char *operation, situ_site site)
{
    if (t->kind == 1 && t->dtype == SITU_I64 && *situ_node_word(t) <= INT8_MAX) return t; /* every dtype holds it */
    if (t->kind == 2 && dtype >= SITU_F16 && dtype <= SITU_F64) return t;
    situ_dtype d = situ_dtype_real(dtype);
    bool large = t->kind == 1 && t->dtype != SITU_I64;
    if (d == SITU_BOOL) return large ? situ_scalar_bool(true) : t; /* to bool: is it 0? */
    if (t->kind == 0 || (t->kind == 1 && !large && d >= SITU_BF16)) return t;
    if (situ_dtype_is_float(d)) {
        if (t->kind == 2) return t;
        double near = nearest(t, d);
        bool fits = d == SITU_F64 ? isfinite(near) : d == SITU_F16 ? fabs(near) < 65520 : isfinite((float)near);
        return !fits ? refuse(t, d, operation, site) : large ? situ_scalar_float(near) : t;
    }
    number v = number_of(t);
    if (!v.integer && (isnan(v.real) || (!cut && v.real != (double)v.whole))) return refuse(t, d, operation, site);
    if (v.whole < situ_integer_lowest(d) || v.whole > situ_integer_highest(d)) return refuse(t, d, operation, site);
    return v.integer ? t : scalar_of(v.whole);
}

/* min and max with an integer beyond the dtype's range return x, if the result is x for every x. */
static void meet_bounds(situ_el el, situ_tensor **in, int n, situ_dtype d)
{
    for (int i = 0; i < n; i++) {
        if (!situ_is_number(in[i]) || in[i]->kind != 1) continue;
        wide whole = number_of(in[i]).whole;
        bool lower = el == SITU_EL_maximum || (el == SITU_EL_clip && i == 1),
             upper = el == SITU_EL_minimum || (el == SITU_EL_clip && i == 2);
        if (lower && whole < situ_integer_lowest(d)) in[i] = scalar_of(situ_integer_lowest(d));
        if (upper && whole > situ_integer_highest(d)) in[i] = scalar_of(situ_integer_highest(d));
    }
}

bool situ_numbers_meet(situ_el *el, situ_tensor **in, int n, situ_site site)
{
    situ_el_kind kind = situ_el_rows[*el].kind;
    if (kind == SITU_EL_COMPARE || kind == SITU_EL_EQUAL) return meet_comparison(el, in);
    for (int i = 0; i < n && kind == SITU_EL_LOGIC; i++)
        if (situ_is_number(in[i])) in[i] = situ_scalar_bool(number_of(in[i]).real != 0);
    if (kind == SITU_EL_LOGIC) return true;
    int first = kind == SITU_EL_SELECT;
    situ_infer all = {.nin = n, .in = in};
    situ_dtype d = situ_infer_promote(&all, first, n - first);
    if (kind == SITU_EL_FLOAT && situ_dtype_kind(d) < SITU_KIND_FLOAT) d = SITU_F32;
    if (situ_dtype_is_integer(d)) meet_bounds(*el, in, n, d);
    for (int i = first; i < n; i++)
        if (situ_is_number(in[i]) && !(in[i] = situ_number_fit(in[i], d, true, situ_el_rows[*el].name, site))) return false;
    return true;
}

situ_tensor *situ_number_between(situ_tensor *t, situ_dtype d, bool *right)
{
    number v = number_of(t);
    if (situ_dtype_is_float(d)) {
        double low, high;
        if (!v.integer || !float_neighbours(v, d, &low, &high)) return v.integer ? situ_scalar_float(v.real) : t;
        *right = true; /* "not above the number" is the same as "not above the value below it" */
        return situ_scalar_float(low);
    }
    wide least = situ_integer_lowest(d), most = situ_integer_highest(d), low = integer_floor(v), high = integer_ceil(v);
    if (isnan(v.real) || low > most) {
        *right = true;
        return scalar_of(most);
    }
    if (high < least) {
        *right = false;
        return scalar_of(least);
    }
    if (*right ? low >= least : high <= most) return scalar_of(*right ? low : high);
    *right = !*right; /* the number is beyond the end of the dtype's range */
    return scalar_of(*right ? most : least);
}

bool situ_number_is_in(const situ_tensor *t, situ_dtype d)
{
    number v = number_of(t);
    double low, high;
    if (situ_dtype_is_complex(d)) d = situ_dtype_real(d);
    if (situ_dtype_is_float(d)) return !v.integer || !float_neighbours(v, d, &low, &high);
    return !isnan(v.real) && integer_floor(v) == integer_ceil(v) && v.whole >= situ_integer_lowest(d) &&
        v.whole <= situ_integer_highest(d);
}
