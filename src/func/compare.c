/* Comparing whole tensors, exactly and approximately. */
#include <math.h>

#include "op/support.h"
#include <situ/reduce.h>
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Adds "both are NaN" to the comparison y, if equal_nan. */
static situ_tensor *or_both_nan(situ_tensor *y, situ_tensor *a, situ_tensor *b, bool equal_nan, situ_site site)
{
    if (!equal_nan) return y;
    return situ_logical_or(y, situ_logical_and(situ_not_equal(a, a), situ_not_equal(b, b)));
}

/* x in a dtype in which small differences are not rounded to 0. */
static situ_tensor *wide(situ_tensor *x, situ_site site)
{
    situ_dtype d = (situ_dtype)x->dtype;
    if (situ_is_number(x) || situ_dtype_is_complex(d) || d == SITU_F64) return x;
    return situ_cast(x, situ_dtype_is_float(d) ? SITU_F32 : SITU_F64);
}

/* |a - b| of 64-bit integers, converted to f64 after the subtraction; NULL for other dtypes. */
static situ_tensor *exact_distance(situ_tensor *a, situ_tensor *b, situ_site site)
{
    situ_dtype d = (situ_dtype)a->dtype;
    bool whole = !situ_is_number(a) && !situ_is_number(b) && d == (situ_dtype)b->dtype && (d == SITU_I64 || d == SITU_U64);
    if (!whole) return NULL;
    situ_tensor *most = situ_cast(situ_maximum(a, b), SITU_U64), *least = situ_cast(situ_minimum(a, b), SITU_U64);
    return situ_cast(situ_sub(most, least), SITU_F64);
}

static situ_tensor *close(situ_tensor *a, situ_tensor *b, const situ_close_options *options, const char *name, situ_site site)
{
    situ_close_options o = {SITU_DEFAULTS(SITU_CLOSE_DEFAULTS)};
    if (!situ_together((situ_tensor *[]){a, b}, 2, name, "a, b", site) || !SITU_TAKE_OPTIONS(o, options, name, site))
        return situ_poisoned();
    if (!(o.rtol >= 0 && o.atol >= 0) || isinf(o.rtol) || isinf(o.atol))
        return situ_refused(SITU_BAD_OPTION, site,
            "%s: " SITU_SAY(".rtol", "rtol") " = %g, " SITU_SAY(".atol", "atol") " = %g; both are at least 0 and finite", name,
            o.rtol, o.atol);
    if (situ_is_number(a) && situ_is_number(b)) a = situ_full(SHAPE(), a);
    situ_tensor *same = situ_equal(a, b), *apart = exact_distance(a, b, site);
    a = wide(a, site);
    b = wide(b, site);
    situ_tensor *size = situ_abs(b), *far = situ_add(situ_mul(size, o.rtol), o.atol);
    if (!apart) apart = situ_abs(situ_sub(a, b));
    /* integers that are equal as f64 may still differ */
    situ_tensor *near = situ_logical_and(situ_less_equal(apart, far), situ_greater(far, 0));
    near = situ_logical_or(situ_logical_and(near, situ_isfinite(size)), same);
    return or_both_nan(near, a, b, o.equal_nan, site);
}

situ_tensor *(situ_isclose)(situ_tensor *a, situ_tensor *b, const situ_close_options *options, situ_site site)
{
    SITU_SPEAK("isclose", site);
    return close(a, b, options, "isclose", site);
}

situ_tensor *(situ_allclose)(situ_tensor *a, situ_tensor *b, const situ_close_options *options, situ_site site)
{
    SITU_SPEAK("allclose", site);
    return situ_all(close(a, b, options, "allclose", site));
}

situ_tensor *(situ_array_equal)(situ_tensor *a, situ_tensor *b, const situ_equal_options *options, situ_site site)
{
    SITU_SPEAK("array_equal", site);
    situ_equal_options o = {SITU_DEFAULTS(SITU_EQUAL_DEFAULTS)};
    if (!situ_together((situ_tensor *[]){a, b}, 2, "array_equal", "a, b", site) ||
        !SITU_TAKE_OPTIONS(o, options, "array_equal", site))
        return situ_poisoned();
    if (!situ_shape_equal(a->ndim, a->dim, b->ndim, b->dim))
        return situ_full(SHAPE(), false, .dtype = SITU_BOOL, .device = situ_is_number(a) ? b->device : a->device);
    if (situ_is_number(a) && situ_is_number(b)) a = situ_full(SHAPE(), a);
    return situ_all(or_both_nan(situ_equal(a, b), a, b, o.equal_nan, site));
}
