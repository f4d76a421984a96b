#include "tensor/shape.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

int64_t situ_shape_count(int ndim, const int64_t *dim)
{
    int64_t count = 1;
    bool empty = false, too_many = false;
    for (int i = 0; i < ndim; i++) {
        if (dim[i] < 0) return -1;
        if (dim[i] == 0) empty = true;
        else if (__builtin_mul_overflow(count, dim[i], &count)) too_many = true, count = 1;
    }
    return empty ? 0 : too_many ? -1 : count;
}

bool situ_shape_fits(int ndim, const int64_t *dim)
{
    int64_t bytes = 16; /* size of the largest element */
    for (int i = 0; i < ndim; i++)
        if (dim[i] < 0 || (dim[i] && __builtin_mul_overflow(bytes, dim[i], &bytes))) return false;
    return true;
}

void situ_shape_strides(int ndim, const int64_t *dim, int64_t *stride)
{
    int64_t step = 1;
    for (int i = ndim; i-- > 0;) {
        stride[i] = step;
        /* Empty shapes may have dims whose product overflows; their strides are never used. */
        if (__builtin_mul_overflow(step, dim[i] > 1 ? dim[i] : 1, &step)) step = 1;
    }
}

bool situ_shape_equal(int ndim_a, const int64_t *a, int ndim_b, const int64_t *b)
{
    if (ndim_a != ndim_b) return false;
    for (int i = 0; i < ndim_a; i++)
        if (a[i] != b[i]) return false;
    return true;
}

bool situ_is_contiguous(int ndim, const int64_t *dim, const int64_t *stride)
{
    int64_t step = 1;
    bool fits = true;
    for (int i = ndim; i-- > 0;) {
        if (dim[i] == 0) return true;
        if (dim[i] != 1 && stride[i] != step) fits = false;
        if (fits) step *= dim[i];
    }
    return fits;
}

int situ_shape_broadcast(
    situ_site site, const char *operation, int ndim_a, const int64_t *a, int ndim_b, const int64_t *b, int64_t *out)
{
    int ndim = ndim_a > ndim_b ? ndim_a : ndim_b;
    int64_t made[SITU_MAX_DIMS]; /* out may be a or b */
    for (int i = 0; i < ndim; i++) {
        int at_a = i - (ndim - ndim_a), at_b = i - (ndim - ndim_b);
        int64_t da = at_a < 0 ? 1 : a[at_a], db = at_b < 0 ? 1 : b[at_b];
        if (da != db && da != 1 && db != 1) {
            char text_a[SITU_SHAPE_TEXT], text_b[SITU_SHAPE_TEXT];
            return situ_fail(SITU_BAD_SHAPE, site,
                "%s: shapes %s and %s do not broadcast: axis %d from the right is %lld and %lld; make them equal, or one of them 1",
                operation, situ_shape_text(ndim_a, a, text_a, sizeof text_a), situ_shape_text(ndim_b, b, text_b, sizeof text_b),
                ndim - i, (long long)da, (long long)db);
        }
        made[i] = da == 1 ? db : da;
    }
    memcpy(out, made, sizeof *out * (size_t)ndim);
    return ndim;
}

bool situ_stride_broadcast(
    int ndim, const int64_t *dim, const int64_t *stride, int out_ndim, const int64_t *out_dim, int64_t *out_stride)
{
    if (ndim > out_ndim) return false;
    int more = out_ndim - ndim;
    for (int i = 0; i < out_ndim; i++) {
        if (i < more) {
            out_stride[i] = 0;
        } else if (dim[i - more] == out_dim[i]) {
            out_stride[i] = stride[i - more];
        } else if (dim[i - more] == 1) {
            out_stride[i] = 0;
        } else {
            return false;
        }
    }
    return true;
}

/* Writes strides for the new axes [n0, n1), row-major within a run of old axes whose last one has stride `step`. */
static void split_run(const int64_t *new_dim, int64_t *new_stride, int n0, int n1, int64_t step)
{
    for (int i = n1; i-- > n0;) {
        new_stride[i] = step;
        step *= new_dim[i];
    }
}

int situ_view_reshape(
    int ndim, const int64_t *dim, const int64_t *stride, int new_ndim, const int64_t *new_dim, int64_t *new_stride)
{
    int64_t count = situ_shape_count(ndim, dim), old_dim[SITU_MAX_DIMS], old_stride[SITU_MAX_DIMS];
    int old_ndim = 0;
    if (count != situ_shape_count(new_ndim, new_dim)) return 0;
    situ_shape_strides(new_ndim, new_dim, new_stride);
    if (count <= 1) return count >= 0;
    for (int i = 0; i < ndim; i++) {
        if (dim[i] == 1) continue;
        old_dim[old_ndim] = dim[i];
        old_stride[old_ndim++] = stride[i];
    }
    /* Matches runs of old axes with runs of new axes of as many elements; a run of several old axes has to be
     * contiguous. */
    int o = 0, n = 0;
    while (o < old_ndim) {
        int o0 = o, n0 = n;
        int64_t old_size = old_dim[o++], new_size = 1;
        while (n < new_ndim && new_size < old_size) new_size *= new_dim[n++];
        while (new_size != old_size) {
            if (new_size < old_size) new_size *= new_dim[n++];
            else old_size *= old_dim[o++];
        }
        for (int i = o0; i + 1 < o; i++)
            if (old_stride[i] != old_stride[i + 1] * old_dim[i + 1]) return 0;
        split_run(new_dim, new_stride, n0, n, old_stride[o - 1]);
    }
    return 1;
}

/* True if axes i-1 and i can be merged into one for all operands. */
static bool mergeable(const int64_t *dim, int nops, const int64_t *stride, int at, int i)
{
    for (int k = 0; k < nops; k++) {
        const int64_t *s = stride + k * SITU_MAX_DIMS;
        int64_t whole;
        if (__builtin_mul_overflow(s[i], dim[i], &whole) || s[at] != whole) return false;
    }
    return true;
}

int situ_collapse(int ndim, int64_t *dim, int nops, int64_t *stride)
{
    int at = -1; /* index of the last axis kept */
    for (int i = 0; i < ndim; i++) {
        if (dim[i] == 0) {
            dim[0] = 0;
            for (int k = 0; k < nops; k++) stride[k * SITU_MAX_DIMS] = 0;
            return 1;
        }
        if (dim[i] == 1) continue;
        if (at >= 0 && mergeable(dim, nops, stride, at, i)) {
            dim[at] *= dim[i];
        } else {
            dim[++at] = dim[i];
        }
        for (int k = 0; k < nops; k++) stride[k * SITU_MAX_DIMS + at] = stride[k * SITU_MAX_DIMS + i];
    }
    return at + 1;
}

const char *situ_shape_text(int ndim, const int64_t *dim, char *text, size_t n)
{
    size_t used = 0;
    if (!n) return text;
    text[0] = 0;
    for (int i = 0; i <= ndim && used < n; i++) {
        int k = i < ndim ? snprintf(text + used, n - used, "%s%lld", i ? "," : "[", (long long)dim[i]) :
                           snprintf(text + used, n - used, "%s]", ndim ? "" : "[");
        if (k < 0) break;
        used += (size_t)k;
    }
    return text;
}
