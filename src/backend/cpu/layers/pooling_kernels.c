/* Kernels of maxima of windows. */
#include "backend/cpu/layers/pooling.h"

#include "simd/simd.h"

#include <math.h>

enum { LANES = VECTOR_BYTES / 4, FIXED = 8 };

/* Copies the row with -inf before and after it, which changes no maximum, to `length` elements at least. False if it contains a
 * NaN. */
static bool padded(const situ_max_row *m, const float *row, float *to, int64_t length)
{
    v_nans found = {0};
    for (int64_t i = 0; i < m->before; i++) to[i] = -INFINITY;
    to += m->before;
    for (int64_t i = 0; i < m->width; i += LANES) {
        v_F x = m->width - i < LANES ? v_load_part(row + i, m->width - i) : v_load(row + i);
        found = v_note_nans(found, x, x);
        v_store(to + i, x);
    }
    for (int64_t i = m->width; i < length - m->before; i += LANES) v_store(to + i, v_constant(-INFINITY));
    return !v_noted(found);
}

static bool max_row(const situ_max_row *m, const float *row, float *scratch, float *to)
{
    int64_t length = (m->windows - 1) * m->stride + m->size; /* elements that the windows cover */
    float *even = scratch, *odd = scratch;
    if (!padded(m, row, scratch, length)) return false;
    if (m->stride == 2) {
        even = scratch + length + m->width + 2 * LANES;
        odd = even + length / 2 + 2 * FIXED;
        for (int64_t i = 0; 2 * i < length; i += FIXED) {
            f32_fixed a = f32_fixed_even(scratch + 2 * i), b = f32_fixed_even(scratch + 2 * i + 1);
            f32_fixed_store(even + i, a);
            f32_fixed_store(odd + i, b);
        }
    }
    for (int64_t j = 0; j < m->windows; j += LANES) {
        v_F most = v_load(even + j);
        for (int64_t k = 1; k < m->size; k++)
            most = v_larger(v_load(m->stride == 1 ? even + j + k : (k & 1 ? odd : even) + j + k / 2), most);
        v_store(to + j, most);
    }
    return true;
}

static void max_rows(const float *from, int64_t count, int64_t n, float *to)
{
    for (int64_t j = 0; j < n; j += LANES) {
        v_F most = v_load(from + j);
        for (int64_t k = 1; k < count; k++) most = v_larger(v_load(from + k * n + j), most);
        if (n - j < LANES) v_store_part(to + j, most, n - j);
        else v_store(to + j, most);
    }
}

const situ_pooling_kernels SITU_OF_SET(situ_pooling) = {max_row, max_rows};
