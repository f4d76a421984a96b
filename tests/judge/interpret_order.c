/* Sorting, searching, and results whose shape depends on the data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interpret.h"

/* Whether element b comes before element a. */
static bool before(const value *v, int64_t b, int64_t a, bool descending)
{
    int order = compare_elements(v, b, a);
    if (descending && !is_nan_at(v, a) && !is_nan_at(v, b)) order = -order;
    return order < 0;
}

/* Sorts the positions along a line, keeping the order of equal elements; NaN comes last in both directions. Merges runs
 * of 1, 2, 4, ... */
static void order_line(call *c, const value *v, int64_t first, int64_t step, int64_t n, bool descending, int64_t *order)
{
    int64_t *from = order, *to = take(c->m->memory, sizeof *to * (size_t)(n + 1)), *other = to;
    for (int64_t i = 0; i < n; i++) order[i] = i;
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t start = 0; start < n; start += 2 * run) {
            int64_t i = start, middle = start + run < n ? start + run : n, k = middle, end = middle + run < n ? middle + run : n;
            for (int64_t at = start; at < end; at++) {
                bool second = k < end && (i == middle || before(v, first + from[k] * step, first + from[i] * step, descending));
                to[at] = second ? from[k++] : from[i++];
            }
        }
        other = from, from = to, to = other;
    }
    if (from != order) memcpy(order, from, sizeof *order * (size_t)n);
}

/* attr: [0] axis, [1] descending; variant 1: positions */
void interpret_sort(call *c)
{
    value v = c->in[0];
    int axis = axis_of(c->s->attr[0], v.ndim);
    bool positions = rows[c->s->row].variant;
    if (axis < 0) return refuse(c);
    shape_out(c, positions ? SITU_I64 : v.dtype, v.ndim, v.dim);
    lines l = lines_of(&v, axis);
    int64_t *order = take(c->m->memory, sizeof *order * (size_t)(l.n + 1));
    for (int64_t line = 0; line < l.outer * l.inner; line++) {
        int64_t first = line / l.inner * l.n * l.inner + line % l.inner;
        order_line(c, &v, first, l.inner, l.n, c->s->attr[1], order);
        for (int64_t k = 0; k < l.n; k++) {
            if (positions) set_u(c->out, first + k * l.inner, (uint64_t)order[k]);
            else copy_element(c->out, first + k * l.inner, &v, first + order[k] * l.inner);
        }
    }
}

/* attr: [0] axis, [1] smallest, [2] k, [3] whether the positions are kept */
void interpret_topk(call *c)
{
    value v = c->in[0];
    const int64_t *a = c->s->attr;
    int axis = axis_of(a[0], v.ndim);
    if (axis < 0 || a[2] < 0 || a[2] > v.dim[axis]) return refuse(c);
    int64_t dim[SITU_MAX_DIMS];
    memcpy(dim, v.dim, sizeof dim);
    dim[axis] = a[2];
    lines l = lines_of(&v, axis);
    shape_out(c, a[3] ? SITU_I64 : v.dtype, v.ndim, dim);
    int64_t *order = take(c->m->memory, sizeof *order * (size_t)(l.n + 1));
    for (int64_t line = 0; line < l.outer * l.inner; line++) {
        int64_t first = line / l.inner * l.n * l.inner + line % l.inner, to = line / l.inner * a[2] * l.inner + line % l.inner;
        order_line(c, &v, first, l.inner, l.n, !a[1], order);
        for (int64_t k = 0; k < a[2]; k++) {
            if (is_nan_at(&v, first + order[k] * l.inner)) c->out->unknown = true; /* the position of a NaN is unspecified */
            if (a[3]) set_u(c->out, to + k * l.inner, (uint64_t)order[k]);
            else copy_element(c->out, to + k * l.inner, &v, first + order[k] * l.inner);
        }
    }
    for (int64_t i = 0; i < v.count; i++) c->out->unknown = c->out->unknown || is_nan_at(&v, i);
}

/* attr: [0] right */
void interpret_search(call *c)
{
    value sorted = c->in[0], v = c->in[1];
    if (sorted.ndim != 1) return refuse(c);
    situ_dtype d = promote(sorted.dtype, v.dtype);
    value a = cast_value(c, &sorted, d), b = cast_value(c, &v, d);
    shape_out(c, SITU_I64, v.ndim, v.dim);
    for (int64_t i = 0; i < v.count; i++) {
        int64_t n = 0;
        for (int64_t k = 0; k < a.count; k++) {
            bool less, equal;
            if (rank_of(d) < 2) {
                uint64_t x = get_u(&a, k), y = get_u(&b, i);
                less = is_signed(d) ? (int64_t)x < (int64_t)y : x < y;
                equal = x == y;
            } else {
                double x = get_f(&a, k), y = get_f(&b, i);
                less = x < y, equal = x == y;
                if (isnan(x) || isnan(y)) c->out->unknown = true;
            }
            n += less || (equal && c->s->attr[0]);
        }
        for (int64_t k = 1; k < a.count; k++) c->out->unknown = c->out->unknown || compare_elements(&a, k - 1, k) > 0;
        set_u(c->out, i, (uint64_t)n);
    }
}

/* ---- shapes that depend on the data: attr [0] a fixed count or -1, [1] which: 0 nonzero, 1 masked, 2 unique ---- */

static bool truth(const value *v, int64_t i) { return rank_of(v->dtype) < 2 ? get_u(v, i) != 0 : get_f(v, i) != 0; }

static void nonzero(call *c)
{
    value v = c->in[0];
    int64_t n = 0, dim[2] = {0, v.ndim};
    for (int64_t i = 0; i < v.count; i++) n += truth(&v, i);
    dim[0] = n;
    shape_out(c, SITU_I64, 2, dim);
    n = 0;
    for (int64_t i = 0; i < v.count; i++) {
        if (!truth(&v, i)) continue;
        int64_t rest = i;
        for (int k = v.ndim - 1; k >= 0; k--) set_u(c->out, n * v.ndim + k, (uint64_t)(rest % v.dim[k])), rest /= v.dim[k];
        n++;
    }
}

static void masked(call *c)
{
    value v = c->in[0], mask = c->in[1];
    if (mask.dtype != SITU_BOOL || mask.ndim > v.ndim || v.ndim - mask.ndim >= SITU_MAX_DIMS) return refuse(c);
    for (int i = 0; i < mask.ndim; i++)
        if (mask.dim[i] != v.dim[i]) return refuse(c);
    int64_t dim[SITU_MAX_DIMS] = {0}, inner = 1, n = 0;
    for (int i = mask.ndim; i < v.ndim; i++) inner *= v.dim[i], dim[i - mask.ndim + 1] = v.dim[i];
    for (int64_t i = 0; i < mask.count; i++) dim[0] += get_u(&mask, i) != 0;
    shape_out(c, v.dtype, v.ndim - mask.ndim + 1, dim);
    for (int64_t i = 0; i < mask.count; i++)
        for (int64_t k = 0; k < inner && get_u(&mask, i); k++) copy_element(c->out, n++, &v, i * inner + k);
}

static void unique(call *c)
{
    value v = c->in[0];
    int64_t *order = take(c->m->memory, sizeof *order * (size_t)(v.count + 1)), n = 0;
    order_line(c, &v, 0, 1, v.count, false, order);
    for (int64_t i = 0; i < v.count; i++)
        if (!i || is_nan_at(&v, order[i]) || compare_elements(&v, order[i - 1], order[i])) order[n++] = order[i];
    shape_out(c, v.dtype, 1, &n);
    for (int64_t i = 0; i < n; i++) copy_element(c->out, i, &v, order[i]);
}

void interpret_find(call *c)
{
    int kind = rows[c->s->row].variant;
    if (kind == 0) nonzero(c);
    else if (kind == 1) masked(c);
    else unique(c);
}
