/* Resizing images, and sampling them at arbitrary positions. */
#include <math.h>

#include <situ/network.h>

#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Checks that x is float (any dtype if elements are only moved) and has n axes after the first ones. */
static bool fits(const situ_tensor *x, int n, bool computed, const char *operation, situ_site site)
{
    char text[SITU_BRIEF_TEXT];
    bool right = !situ_is_number(x) && x->ndim >= n && (!computed || situ_dtype_is_float((situ_dtype)x->dtype));
    for (int i = 0; i < n && right; i++) right = x->dim[x->ndim - 1 - i] > 0;
    if (right) return true;
    situ_fail(SITU_BAD_SHAPE, site, "%s: x is %s; it must have %d axes at least%s, and elements along the last %d", operation,
        situ_brief(x, text), n, computed ? " of floats" : "", n);
    return false;
}

static situ_tensor *numbered(int64_t n, const situ_tensor *x, situ_dtype dtype, situ_site site)
{
    return situ_arange(0, n, 1, .dtype = dtype, .device = x->device);
}

/* Reshapes a vector so that it lies along the axis. */
static situ_tensor *along(situ_tensor *t, const situ_tensor *x, int axis, situ_site site)
{
    situ_shape shape = {.ndim = x->ndim - axis, .dim = {t->dim[0], 1, 1, 1, 1, 1, 1, 1}};
    return situ_reshape(situ_cast(t, (situ_dtype)x->dtype), shape);
}

/* Positions are computed in f64, which is exact even for large images. */
static situ_tensor *linear(situ_tensor *x, int axis, int64_t m, bool corners, situ_site site)
{
    int64_t n = x->dim[axis];
    situ_tensor *at = numbered(m, x, SITU_F64, site);
    if (corners) at = situ_mul(at, m > 1 ? (double)(n - 1) / (double)(m - 1) : 0.0);
    else at = situ_maximum(situ_sub(situ_mul(situ_add(at, 0.5), (double)n / (double)m), 0.5), 0);
    situ_tensor *low = situ_minimum(situ_floor(at), (double)(n - 1)), *share = along(situ_sub(at, low), x, axis, site);
    low = situ_cast(low, SITU_I64);
    situ_tensor *a = situ_take(x, low, .axis = axis), *b = situ_take(x, situ_minimum(situ_add(low, 1), n - 1), .axis = axis);
    return situ_add(situ_mul(a, situ_sub(1, share)), situ_mul(b, share));
}

/* Cubic convolution (R. Keys, Cubic convolution interpolation for digital image processing, 1981) with a = -0.75:
 * weight at distances up to 1 (near), or from 1 to 2. */
static situ_tensor *keys(situ_tensor *d, bool near, situ_site site)
{
    const double a = -0.75, c[] = {near ? a + 2 : a, near ? -(a + 3) : -5 * a, near ? 0 : 8 * a, near ? 1 : -4 * a};
    situ_tensor *y = situ_scalar_float(c[0]);
    for (int i = 1; i < 4; i++) y = situ_add(situ_mul(d, y), c[i]);
    return y;
}

static situ_tensor *cubic(situ_tensor *x, int axis, int64_t m, bool corners, situ_site site)
{
    int64_t n = x->dim[axis];
    situ_tensor *at = numbered(m, x, SITU_F64, site), *y = NULL;
    if (corners) at = situ_mul(at, m > 1 ? (double)(n - 1) / (double)(m - 1) : 0.0);
    else at = situ_sub(situ_mul(situ_add(at, 0.5), (double)n / (double)m), 0.5);
    situ_tensor *low = situ_floor(at), *part = situ_sub(at, low);
    low = situ_cast(low, SITU_I64);
    for (int k = -1; k <= 2 && !situ_error_code; k++) {
        situ_tensor *weight = keys(situ_abs(situ_sub(part, k)), k == 0 || k == 1, site);
        situ_tensor *from = situ_take(x, situ_clip(situ_add(low, k), 0, n - 1), .axis = axis);
        situ_tensor *term = situ_mul(from, along(weight, x, axis, site));
        y = y ? situ_add(y, term) : term;
    }
    return y;
}

static situ_tensor *nearest(situ_tensor *x, int axis, int64_t m, bool exact, situ_site site)
{
    int64_t n = x->dim[axis];
    situ_tensor *at = numbered(m, x, SITU_I64, site);
    if (exact) at = situ_floor_divide(situ_add(situ_mul(at, 2 * n), n), 2 * m);
    else at = situ_floor_divide(situ_mul(at, n), m);
    return situ_take(x, at, .axis = axis);
}

static bool check_mode(situ_interpolation mode, bool resize, const char *operation, situ_site site)
{
    if (mode == SITU_NEAREST || mode == SITU_LINEAR || (resize && (unsigned)mode <= SITU_CUBIC)) return true;
    situ_fail(SITU_BAD_OPTION, site,
        "%s: " SITU_SAY(".mode", "mode") " = %d; it is " SITU_SAY("SITU_NEAREST or SITU_LINEAR", "\"nearest\" or \"linear\""),
        operation, (int)mode);
    return false;
}

situ_tensor *(situ_interpolate)(situ_tensor *x, situ_shape size, const situ_interpolate_options *options, situ_site site)
{
    SITU_SPEAK("interpolate", site);
    situ_interpolate_options o = {SITU_DEFAULTS(SITU_INTERPOLATE_DEFAULTS)};
    bool between;
    if (!situ_usable(&x, 1, "interpolate", site) || !SITU_TAKE_OPTIONS(o, options, "interpolate", site) ||
        !situ_shape_check(&size, false, "interpolate", site) || !check_mode(o.mode, true, "interpolate", site) ||
        !fits(x, (int)size.ndim, between = o.mode == SITU_LINEAR || o.mode == SITU_CUBIC, "interpolate", site))
        return situ_poisoned();
    if (o.align_corners && !between)
        return situ_refused(SITU_BAD_OPTION, site,
            "interpolate: " SITU_SAY(".align_corners", "align_corners") " belongs to linear and cubic interpolation");
    situ_dtype dtype = (situ_dtype)x->dtype;
    situ_tensor *y = between ? situ_cast(x, situ_dtype_compute(dtype)) : situ_itself(x, site);
    for (int i = 0; i < size.ndim && !situ_error_code; i++) {
        int axis = x->ndim - (int)size.ndim + i;
        if (!size.dim[i]) return situ_refused(SITU_BAD_ARGUMENT, site, "interpolate: a size of 0");
        if (size.dim[i] == x->dim[axis]) continue;
        situ_shape shape = situ_shape_like(y);
        shape.dim[axis] = size.dim[i];
        y = !situ_count(x) ? situ_reshape(y, shape) : /* with no images there are no positions to compute */
            o.mode == SITU_LINEAR ? linear(y, axis, size.dim[i], o.align_corners, site) :
            between               ? cubic(y, axis, size.dim[i], o.align_corners, site) :
                                    nearest(y, axis, size.dim[i], o.mode == SITU_NEAREST_EXACT, site);
    }
    return situ_cast(y, dtype);
}

/* ---- arbitrary positions -------------------------------------------------------------------------------------------------- */

/* Converts coordinates from -1 to 1 to positions among n elements, treating those outside as the option says. */
static situ_tensor *positions(situ_tensor *at, int64_t n, const situ_grid_sample_options *o, situ_site site)
{
    double low = o->align_corners ? 0 : -0.5, span = (double)n - 1 - 2 * low;
    at = o->align_corners ? situ_mul(situ_add(at, 1), ((double)n - 1) / 2) :
                            situ_div(situ_sub(situ_mul(situ_add(at, 1), (double)n), 1), 2);
    if (o->padding == SITU_OUTSIDE_REFLECTION) {
        if (span <= 0) return situ_mul(at, 0);
        situ_tensor *in = situ_remainder(situ_sub(at, low), 2 * span);
        at = situ_add(situ_minimum(in, situ_sub(2 * span, in)), low);
    }
    if (o->padding != SITU_OUTSIDE_ZEROS) at = situ_minimum(situ_maximum(at, 0), (double)(n - 1));
    return at;
}

/* One neighbour of each position: elements of x times their weight, 0 outside. row, column: [n, positions], whole
 * floats. */
static situ_tensor *neighbour(situ_tensor *x, situ_tensor *row, situ_tensor *column, situ_tensor *share, situ_site site)
{
    int64_t n = x->dim[0], channels = x->dim[1], height = x->dim[2], width = x->dim[3], count = row->dim[1];
    situ_tensor *in = situ_logical_and(situ_logical_and(situ_greater_equal(row, 0), situ_less(row, (double)height)),
        situ_logical_and(situ_greater_equal(column, 0), situ_less(column, (double)width)));
    situ_tensor *at =
        situ_add(situ_mul(situ_cast(situ_where(in, row, 0), SITU_I64), width), situ_cast(situ_where(in, column, 0), SITU_I64));
    at = situ_broadcast_to(situ_expand_dims(at, 1), SHAPE(n, channels, count));
    situ_tensor *y = situ_gather(situ_reshape(x, SHAPE(n, channels, height * width)), at);
    y = situ_where(situ_expand_dims(in, 1), y, 0); /* selects before multiplying, since 0 * NaN is NaN */
    return share ? situ_mul(y, situ_expand_dims(situ_where(in, share, 0), 1)) : y;
}

/* The weight of the neighbour after `before`. It is constant (no gradient) if there is no such neighbour: at the last
 * element that positions are clamped to, and far outside, where the difference is NaN. */
static situ_tensor *share_of(situ_tensor *at, situ_tensor *before, int64_t n, const situ_grid_sample_options *o, situ_site site)
{
    double last = (double)(o->padding == SITU_OUTSIDE_ZEROS ? n - 1 : n - 2);
    situ_tensor *none = situ_logical_or(situ_less(before, -1), situ_greater(before, last));
    return situ_where(none, 0, situ_sub(at, before));
}

static situ_tensor *sampled(situ_tensor *x, situ_tensor *grid, const situ_grid_sample_options *o, situ_site site)
{
    int64_t n = x->dim[0], count = grid->dim[1] * grid->dim[2];
    situ_tensor *flat = situ_reshape(grid, SHAPE(n, count, 2));
    situ_tensor *across = positions(situ_select(flat, 2, 0), x->dim[3], o, site);
    situ_tensor *down = positions(situ_select(flat, 2, 1), x->dim[2], o, site);
    situ_tensor *nowhere = situ_expand_dims(situ_logical_or(situ_isnan(across), situ_isnan(down)), 1);
    if (o->mode == SITU_NEAREST) return situ_where(nowhere, NAN, neighbour(x, situ_round(down), situ_round(across), NULL, site));
    situ_tensor *left = situ_floor(across), *top = situ_floor(down), *y = NULL;
    situ_tensor *u = share_of(across, left, x->dim[3], o, site), *v = share_of(down, top, x->dim[2], o, site);
    for (int k = 0; k < 4; k++) {
        situ_tensor *share = situ_mul(k & 2 ? v : situ_sub(1, v), k & 1 ? u : situ_sub(1, u));
        situ_tensor *part = neighbour(x, situ_add(top, k >> 1), situ_add(left, k & 1), share, site);
        y = y ? situ_add(y, part) : part;
    }
    return situ_where(nowhere, NAN, y);
}

situ_tensor *(situ_grid_sample)(situ_tensor *x, situ_tensor *grid, const situ_grid_sample_options *options, situ_site site)
{
    SITU_SPEAK("grid_sample", site);
    char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT];
    situ_grid_sample_options o = {SITU_DEFAULTS(SITU_GRID_SAMPLE_DEFAULTS)};
    if (!situ_together((situ_tensor *[]){x, grid}, 2, "grid_sample", "x, grid", site) ||
        !SITU_TAKE_OPTIONS(o, options, "grid_sample", site) || !check_mode(o.mode, false, "grid_sample", site) ||
        !fits(x, 2, true, "grid_sample", site))
        return situ_poisoned();
    if (o.padding != SITU_OUTSIDE_ZEROS && o.padding != SITU_OUTSIDE_BORDER && o.padding != SITU_OUTSIDE_REFLECTION)
        return situ_refused(SITU_BAD_OPTION, site,
            "grid_sample: " SITU_SAY(".padding", "padding") " = %d; it is " SITU_SAY(
                "SITU_OUTSIDE_ZEROS, _BORDER or _REFLECTION", "\"zeros\", \"border\" or \"reflection\""),
            (int)o.padding);
    if (x->ndim != 4 || situ_is_number(grid) || grid->ndim != 4 || grid->dim[0] != x->dim[0] || grid->dim[3] != 2 ||
        !situ_dtype_is_float((situ_dtype)grid->dtype))
        return situ_refused(SITU_BAD_SHAPE, site,
            "grid_sample: x %s and grid %s must be [n, channels, height, width] and floats [n, rows, columns, 2]", situ_brief(x, a),
            situ_brief(grid, b));
    situ_dtype dtype = (situ_dtype)x->dtype, compute = dtype == SITU_F64 || grid->dtype == SITU_F64 ? SITU_F64 : SITU_F32;
    situ_tensor *y = sampled(situ_cast(x, compute), situ_cast(grid, compute), &o, site);
    return situ_cast(situ_reshape(y, SHAPE(x->dim[0], x->dim[1], grid->dim[1], grid->dim[2])), dtype);
}
