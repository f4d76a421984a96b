/* Values made from positions alone: a constant, and the coordinate along an axis. */
#include "op/generate.h"

#include <float.h>
#include <math.h>

#include "op/create.h"
#include "op/number.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static const char constant[] = "it does not depend on anything that could have a gradient";

static int infer_fill(situ_infer *c)
{
    const situ_fill_attr *a = c->attr;
    c->dtype = (situ_dtype)a->dtype;
    situ_infer_dims(c, a->ndim, a->dim);
    return 0;
}

static int infer_iota(situ_infer *c)
{
    const situ_iota_attr *a = c->attr;
    c->dtype = (situ_dtype)a->dtype;
    situ_infer_dims(c, a->ndim, a->dim);
    return 0;
}

const situ_op situ_op_fill = {.name = "fill", .family = SITU_GENERATE, .infer = infer_fill, .no_gradient = constant};
const situ_op situ_op_iota = {.name = "iota", .family = SITU_GENERATE, .infer = infer_iota, .no_gradient = constant};

/* Checks dtype and shape; complex values are made as floats and cast. */
static bool check_made(situ_shape *shape, situ_dtype dtype, const char *operation, situ_site site)
{
    if (!situ_dtype_valid(dtype)) {
        situ_fail(
            SITU_BAD_DTYPE, site, "%s: %d is no dtype; write " SITU_SAY("SITU_F32", "\"float32\"") ", ...", operation, (int)dtype);
        return false;
    }
    return situ_shape_check(shape, false, operation, site);
}

static bool take_made(situ_made_options *o, const situ_made_options *options, const char *operation, situ_site site)
{
    return SITU_TAKE_OPTIONS(*o, options, operation, site) && situ_take_device(&o->device, operation, site);
}

static situ_tensor *fill(
    situ_shape shape, situ_tensor *number, situ_dtype dtype, situ_device device, bool cut, const char *operation, situ_site site)
{
    if (!check_made(&shape, dtype, operation, site)) return situ_poisoned();
    if (!(number = situ_number_fit(number, dtype, cut, operation, site))) return situ_poisoned();
    situ_dtype real = situ_dtype_real(dtype);
    situ_fill_attr attr = {.device = device, .floating = number->kind == 2, .dtype = (int32_t)real, .ndim = (int32_t)shape.ndim};
    memcpy(attr.dim, shape.dim, 8 * (size_t)shape.ndim);
    situ_tensor *t = situ_apply(&situ_op_fill, NULL, 0, &attr, sizeof attr, situ_node_word(number), 1, site);
    return real == dtype ? t : situ_cast(t, dtype);
}

situ_tensor *(situ_full)(situ_shape shape, situ_tensor *value, const situ_made_options *options, situ_site site)
{
    SITU_SPEAK("full", site);
    situ_made_options o = {SITU_DEFAULTS(SITU_MADE_DEFAULTS)};
    if (!situ_usable(&value, 1, "full", site) || !take_made(&o, options, "full", site)) return situ_poisoned();
    if (!situ_is_number(value)) {
        if (o.dtype != SITU_DTYPE_DEFAULT) value = situ_cast(value, o.dtype);
        if (o.device.kind) value = situ_to(value, o.device);
        return situ_broadcast_to(value, shape);
    }
    situ_dtype natural = value->kind == 1 && value->dtype == SITU_F64 ? SITU_I64 : (situ_dtype)value->dtype;
    return fill(shape, value, o.dtype == SITU_DTYPE_DEFAULT ? natural : o.dtype, o.device, true, "full", site);
}

static situ_tensor *same_everywhere(
    situ_shape shape, int64_t number, const situ_made_options *options, const char *operation, situ_site site)
{
    situ_made_options o = {SITU_DEFAULTS(SITU_MADE_DEFAULTS)};
    if (!take_made(&o, options, operation, site)) return situ_poisoned();
    situ_tensor *value = situ_scalar_int(number);
    if (!situ_usable(&value, 1, operation, site)) return situ_poisoned();
    return fill(shape, value, o.dtype == SITU_DTYPE_DEFAULT ? SITU_F32 : o.dtype, o.device, true, operation, site);
}

situ_tensor *(situ_zeros)(situ_shape shape, const situ_made_options *options, situ_site site)
{
    return same_everywhere(shape, 0, options, "zeros", site);
}

situ_tensor *(situ_ones)(situ_shape shape, const situ_made_options *options, situ_site site)
{
    return same_everywhere(shape, 1, options, "ones", site);
}

situ_tensor *(situ_full_like)(situ_tensor *x, situ_tensor *value, const situ_made_options *options, situ_site site)
{
    SITU_SPEAK("full_like", site);
    situ_made_options o = {SITU_DEFAULTS(SITU_MADE_DEFAULTS)};
    if (!situ_usable((situ_tensor *[]){x, value}, 2, "full_like", site) || !take_made(&o, options, "full_like", site))
        return situ_poisoned();
    o.size = sizeof o;
    o.unnamed = SITU_NAMED;
    bool cut = o.dtype != SITU_DTYPE_DEFAULT;
    if (!cut) o.dtype = (situ_dtype)x->dtype;
    if (situ_is_number(value) && situ_dtype_valid(o.dtype) && !(value = situ_number_fit(value, o.dtype, cut, "full_like", site)))
        return situ_poisoned();
    if (!o.device.kind) o.device = x->device;
    return (situ_full)(situ_shape_like(x), value, &o, site);
}

/* 0 or 1, which every dtype holds. */
static situ_tensor *like_everywhere(
    situ_tensor *x, int64_t number, const situ_made_options *options, const char *operation, situ_site site)
{
    situ_made_options o = {SITU_DEFAULTS(SITU_MADE_DEFAULTS)};
    if (!situ_usable(&x, 1, operation, site) || !take_made(&o, options, operation, site)) return situ_poisoned();
    situ_tensor *value = situ_scalar_int(number);
    if (!situ_usable(&value, 1, operation, site)) return situ_poisoned();
    return fill(situ_shape_like(x), value, o.dtype == SITU_DTYPE_DEFAULT ? (situ_dtype)x->dtype : o.dtype,
        o.device.kind ? o.device : x->device, true, operation, site);
}

situ_tensor *(situ_zeros_like)(situ_tensor *x, const situ_made_options *options, situ_site site)
{
    return like_everywhere(x, 0, options, "zeros_like", site);
}

situ_tensor *(situ_ones_like)(situ_tensor *x, const situ_made_options *options, situ_site site)
{
    return like_everywhere(x, 1, options, "ones_like", site);
}

situ_tensor *situ_iota(situ_shape shape, int axis, situ_dtype dtype, situ_device device, situ_site site)
{
    if (situ_error_code || !check_made(&shape, dtype, "iota", site)) return situ_poisoned();
    situ_iota_attr attr = {.device = device, .axis = axis, .dtype = (int32_t)dtype, .ndim = (int32_t)shape.ndim};
    memcpy(attr.dim, shape.dim, 8 * (size_t)shape.ndim);
    return situ_apply(&situ_op_iota, NULL, 0, &attr, sizeof attr, NULL, 0, site);
}

/* ---- sequences ----------------------------------------------------------------------------------------------------- */

/* The dtype in which positions are computed: f16 and small integers are cast at the end. */
static situ_dtype sequence_dtype(situ_dtype d)
{
    situ_dtype compute = situ_dtype_compute(situ_dtype_real(d));
    return compute == SITU_BOOL ? SITU_I64 : compute;
}

/* start + t * step, computed in halves if the whole distance, `reach`, overflows the dtype. */
static situ_tensor *on_line(situ_tensor *t, situ_tensor *start, situ_tensor *step, double reach, situ_site site)
{
    if (fabs(reach) <= ((situ_dtype)t->dtype == SITU_F64 ? DBL_MAX : FLT_MAX)) return situ_add(situ_mul(t, step), start);
    return situ_mul(situ_add(situ_mul(t, situ_number_f64(step) / 2), situ_number_f64(start) / 2), 2);
}

static bool no_number(situ_tensor *const *number, const char *operation, situ_site site)
{
    static const char *const name[] = {"start", "stop", "step"};
    for (int i = 0; i < 3; i++) {
        if (situ_is_number(number[i])) continue;
        situ_fail(SITU_BAD_ARGUMENT, site,
            "%s: %s must be a number, not a tensor: the shape depends on it; write " SITU_SAY("situ_item(", "") "%s" SITU_SAY(
                ")", ".item()"),
            operation, name[i], name[i]);
        return true;
    }
    return false;
}

/* ceil((stop - start) / step) without overflow; -1 if that is no valid size. */
static int64_t sequence_count(situ_tensor *const *number, bool whole)
{
    if (whole) {
        int64_t start = situ_number_i64(number[0]), stop = situ_number_i64(number[1]), step = situ_number_i64(number[2]);
        if (!step) return -1;
        if (step > 0 ? stop <= start : stop >= start) return 0;
        uint64_t width = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
        uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
        return (int64_t)((width - 1) / stride + 1);
    }
    if (!isfinite(situ_number_f64(number[2]))) return -1;
    double n = ceil((situ_number_f64(number[1]) - situ_number_f64(number[0])) / situ_number_f64(number[2]));
    if (!(n < 9e18)) return -1;
    return n > 0 ? (int64_t)n : 0;
}

/* n integers, the first and last of which the dtype must hold. Negative steps subtract, because unsigned dtypes have
 * no -1. */
static situ_tensor *whole_sequence(situ_tensor *const *number, int64_t n, situ_dtype dtype, situ_device device, situ_site site)
{
    int64_t start = situ_number_i64(number[0]), step = n > 1 ? situ_number_i64(number[2]) : 1;
    int64_t last = (int64_t)((uint64_t)start + (uint64_t)step * (uint64_t)(n > 1 ? n - 1 : 0));
    situ_tensor *first = number[0];
    if (n &&
        (!(first = situ_number_fit(first, dtype, false, "arange", site)) ||
            !situ_number_fit(situ_scalar_int(last), dtype, false, "arange", site)))
        return situ_poisoned();
    if (!n) return situ_iota(SHAPE(0), 0, dtype, device, site);
    situ_dtype compute = sequence_dtype(dtype);
    if (compute == SITU_I32 && (step > INT32_MAX || step < -INT32_MAX)) compute = SITU_I64;
    situ_tensor *t = situ_iota(SHAPE(n), 0, compute, device, site);
    bool down = step < 0 && step > INT64_MIN;
    t = down ? situ_sub(first, situ_mul(t, -step)) : situ_add(situ_mul(t, step), first);
    return situ_cast(t, dtype);
}

situ_tensor *(
    situ_arange)(situ_tensor *start, situ_tensor *stop, situ_tensor *step, const situ_made_options *options, situ_site site)
{
    SITU_SPEAK("arange", site);
    situ_made_options o = {SITU_DEFAULTS(SITU_MADE_DEFAULTS)};
    situ_tensor *number[] = {start, stop, step};
    if (!situ_usable(number, 3, "arange", site) || !take_made(&o, options, "arange", site) || no_number(number, "arange", site))
        return situ_poisoned();
    bool whole = start->kind < 2 && stop->kind < 2 && step->kind < 2;
    for (int i = 0; i < 3 && whole; i++)
        if (!(number[i] = situ_number_fit(number[i], SITU_I64, false, "arange", site))) return situ_poisoned();
    int64_t n = sequence_count(number, whole);
    if (n < 0)
        return situ_refused(SITU_BAD_ARGUMENT, site, "arange: no sequence goes from %g to %g in steps of %g",
            situ_number_f64(start), situ_number_f64(stop), situ_number_f64(step));
    situ_dtype dtype = o.dtype != SITU_DTYPE_DEFAULT ? o.dtype : whole ? SITU_I64 : SITU_F32;
    if (!check_made(&(situ_shape){.ndim = 1, .dim = {n}}, dtype, "arange", site)) return situ_poisoned();
    situ_dtype compute = whole || situ_dtype_kind(dtype) > SITU_KIND_SIGNED ? sequence_dtype(dtype) : SITU_F64;
    if (whole && situ_dtype_is_integer(dtype)) return whole_sequence(number, n, dtype, o.device, site);
    if (n && situ_dtype_is_integer(dtype)) { /* fractions are truncated; both ends must be in range */
        situ_tensor *last = situ_scalar_float(situ_number_f64(start) + (double)(n - 1) * situ_number_f64(step));
        if (!situ_number_fit(start, dtype, true, "arange", site) || !situ_number_fit(last, dtype, true, "arange", site))
            return situ_poisoned();
    }
    situ_tensor *t = situ_iota(SHAPE(n), 0, compute, o.device, site);
    double reach = (double)(n - 1) * situ_number_f64(step);
    return situ_cast(on_line(t, start, step, reach, site), dtype);
}

situ_tensor *(situ_linspace)(double start, double stop, int64_t n, const situ_linspace_options *options, situ_site site)
{
    SITU_SPEAK("linspace", site);
    situ_linspace_options o = {SITU_DEFAULTS(SITU_LINSPACE_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "linspace", site) || !situ_take_device(&o.device, "linspace", site))
        return situ_poisoned();
    if (!isfinite(start) || !isfinite(stop))
        return situ_refused(SITU_BAD_ARGUMENT, site, "linspace: no numbers lie at equal steps from %g to %g", start, stop);
    situ_dtype dtype = o.dtype == SITU_DTYPE_DEFAULT ? SITU_F32 : o.dtype;
    if (!check_made(&(situ_shape){.ndim = 1, .dim = {n}}, dtype, "linspace", site)) return situ_poisoned();
    for (int i = 0; i < 2 && situ_dtype_is_integer(dtype) && n > i; i++)
        if (!situ_number_fit(situ_scalar_float(i ? stop : start), dtype, true, "linspace", site)) return situ_poisoned();
    /* integers are rounded down from exact numbers, as in NumPy */
    situ_dtype compute = situ_dtype_kind(dtype) > SITU_KIND_SIGNED ? sequence_dtype(dtype) : SITU_F64;
    int64_t steps = o.endpoint && n > 1 ? n - 1 : n > 0 ? n : 1;
    situ_tensor *t = situ_iota(SHAPE(n), 0, compute, o.device, site);
    double reach = stop - start, step = isfinite(reach) ? reach / (double)steps : stop / (double)steps - start / (double)steps;
    if (!isfinite(step)) step = 0; /* with two arguments the second one is stop */
    t = on_line(t, situ_scalar_float(start), situ_scalar_float(step), reach, site);
    if (o.endpoint && n > 1) {
        /* beyond 2^24 an f32 cannot represent the last position */
        situ_tensor *at = situ_iota(SHAPE(n), 0, n <= 1 << 24 ? compute : SITU_I64, o.device, site);
        t = situ_where(situ_equal(at, n - 1), stop, t);
    }
    if (situ_dtype_kind(dtype) <= SITU_KIND_SIGNED) t = situ_floor(t);
    return situ_cast(t, dtype);
}

/* ---- diagonals ------------------------------------------------------------------------------------------------------ */

/* column - row over the last two axes */
static situ_tensor *diagonals(int64_t rows, int64_t columns, situ_device device, situ_site site)
{
    return situ_sub(
        situ_iota(SHAPE(rows, columns), 1, SITU_I64, device, site), situ_iota(SHAPE(rows, columns), 0, SITU_I64, device, site));
}

static bool take_eye(situ_eye_options *o, int64_t rows, const situ_eye_options *options, const char *operation, situ_site site)
{
    if (situ_error_code || !SITU_TAKE_OPTIONS(*o, options, operation, site) || !situ_take_device(&o->device, operation, site))
        return false;
    if (o->dtype == SITU_DTYPE_DEFAULT) o->dtype = SITU_F32;
    if (o->columns == -1) o->columns = rows;
    return check_made(&SHAPE(rows, o->columns), o->dtype, operation, site);
}

situ_tensor *(situ_eye)(int64_t rows, const situ_eye_options *options, situ_site site)
{
    SITU_SPEAK("eye", site);
    situ_eye_options o = {SITU_DEFAULTS(SITU_EYE_DEFAULTS)};
    if (!take_eye(&o, rows, options, "eye", site)) return situ_poisoned();
    return situ_cast(situ_equal(diagonals(rows, o.columns, o.device, site), o.diagonal), o.dtype);
}

situ_tensor *(situ_tri)(int64_t rows, const situ_eye_options *options, situ_site site)
{
    SITU_SPEAK("tri", site);
    situ_eye_options o = {SITU_DEFAULTS(SITU_EYE_DEFAULTS)};
    if (!take_eye(&o, rows, options, "tri", site)) return situ_poisoned();
    return situ_cast(situ_less_equal(diagonals(rows, o.columns, o.device, site), o.diagonal), o.dtype);
}

static situ_tensor *triangle(situ_tensor *x, int64_t diagonal, bool lower, const char *operation, situ_site site)
{
    if (!situ_usable(&x, 1, operation, site)) return situ_poisoned();
    if (x->ndim < 2)
        return situ_refused(SITU_BAD_SHAPE, site, "%s: a matrix has two dimensions, this tensor %d", operation, x->ndim);
    situ_tensor *d = diagonals(x->dim[x->ndim - 2], x->dim[x->ndim - 1], x->device, site);
    /* False converts to any dtype. */
    return situ_where(lower ? situ_less_equal(d, diagonal) : situ_greater_equal(d, diagonal), x, (bool)0);
}

situ_tensor *(situ_tril)(situ_tensor *x, int64_t diagonal, situ_site site) { return triangle(x, diagonal, true, "tril", site); }
situ_tensor *(situ_triu)(situ_tensor *x, int64_t diagonal, situ_site site) { return triangle(x, diagonal, false, "triu", site); }

situ_tensor *situ_as_tensor(situ_tensor *number, situ_dtype dtype, const situ_tensor *x, const char *operation, situ_site site)
{
    if (!situ_is_number(number)) return number;
    if (!(number = situ_number_fit(number, dtype, false, operation, site))) return situ_poisoned();
    return situ_full(SHAPE(), number, .dtype = dtype, .device = x->device);
}
