/* The same elements in another shape or order: strides into the operand. */
#include <string.h>

#include "interpret.h"
#include "move_kinds.h"

typedef struct view {
    int ndim;
    int64_t dim[SITU_MAX_DIMS], stride[SITU_MAX_DIMS], offset;
} view;

static void gather_view(call *c, const view *w)
{
    shape_out(c, c->in[0].dtype, w->ndim, w->dim);
    for (int64_t i = 0; i < c->out->count; i++) {
        int64_t at = w->offset, rest = i;
        for (int k = w->ndim - 1; k >= 0; k--) {
            at += rest % w->dim[k] * w->stride[k];
            rest /= w->dim[k];
        }
        copy_element(c->out, i, &c->in[0], at);
    }
}

static void remove_axis(view *w, int axis)
{
    for (int i = axis; i + 1 < w->ndim; i++) w->dim[i] = w->dim[i + 1], w->stride[i] = w->stride[i + 1];
    w->ndim--;
}

static void insert_axis(view *w, int axis, int64_t dim, int64_t stride)
{
    for (int i = w->ndim; i > axis; i--) w->dim[i] = w->dim[i - 1], w->stride[i] = w->stride[i - 1];
    w->dim[axis] = dim, w->stride[axis] = stride;
    w->ndim++;
}

static void swap_axes(view *w, int a, int b)
{
    int64_t dim = w->dim[a], stride = w->stride[a];
    w->dim[a] = w->dim[b], w->stride[a] = w->stride[b];
    w->dim[b] = dim, w->stride[b] = stride;
}

static bool permute(view *w, const int64_t *axes, int count)
{
    view from = *w;
    bool seen[SITU_MAX_DIMS] = {false};
    if (count != w->ndim) return false;
    for (int i = 0; i < count; i++) {
        int a = axis_of(axes[i], count);
        if (a < 0 || seen[a]) return false;
        seen[a] = true;
        w->dim[i] = from.dim[a], w->stride[i] = from.stride[a];
    }
    return true;
}

static bool broadcast_view(view *w, int64_t ndim, const int64_t *dim)
{
    if (ndim < w->ndim || ndim > SITU_MAX_DIMS) return false;
    while (w->ndim < ndim) insert_axis(w, 0, 1, 0);
    for (int i = 0; i < ndim; i++) {
        if (dim[i] == -1 || dim[i] == w->dim[i]) continue;
        if (w->dim[i] != 1 || dim[i] < 0) return false;
        w->dim[i] = dim[i], w->stride[i] = 0;
    }
    return true;
}

/* attr: [0] how many axes are named (-1: all), [1..] which */
static bool named_axes(const statement *s, int ndim, bool *named)
{
    for (int i = 0; i < ndim; i++) named[i] = s->attr[0] < 0;
    for (int k = 0; k < s->attr[0]; k++) {
        int a = axis_of(s->attr[1 + k], ndim);
        if (a < 0 || named[a]) return false;
        named[a] = true;
    }
    return true;
}

static bool squeeze(view *w, const statement *s)
{
    bool named[SITU_MAX_DIMS];
    if (!named_axes(s, w->ndim, named)) return false;
    for (int i = w->ndim - 1; i >= 0; i--) {
        if (!named[i]) continue;
        if (w->dim[i] == 1) remove_axis(w, i);
        else if (s->attr[0] >= 0) return false;
    }
    return true;
}

static bool flip(view *w, const statement *s)
{
    bool named[SITU_MAX_DIMS];
    if (!named_axes(s, w->ndim, named)) return false;
    for (int i = 0; i < w->ndim; i++) {
        if (!named[i]) continue;
        if (w->dim[i]) w->offset += (w->dim[i] - 1) * w->stride[i];
        w->stride[i] = -w->stride[i];
    }
    return true;
}

static bool diagonal(view *w, int64_t offset)
{
    if (w->ndim < 2) return false;
    int r = w->ndim - 2, k = w->ndim - 1;
    int64_t rows = w->dim[r] - (offset < 0 ? -offset : 0), columns = w->dim[k] - (offset > 0 ? offset : 0);
    int64_t n = rows < columns ? rows : columns;
    if (n > 0) w->offset += offset > 0 ? offset * w->stride[k] : -offset * w->stride[r];
    w->stride[r] += w->stride[k];
    w->dim[r] = n > 0 ? n : 0;
    w->ndim--;
    return true;
}

static bool look(view *w, int kind, const statement *s)
{
    const int64_t *a = s->attr;
    int x, y;
    switch (kind) {
    case M_PERMUTE: return permute(w, a + 1, (int)a[0]);
    case M_TRANSPOSE:
        if (w->ndim < 2) return false;
        return swap_axes(w, w->ndim - 1, w->ndim - 2), true;
    case M_SWAPAXES:
        x = axis_of(a[0], w->ndim), y = axis_of(a[1], w->ndim);
        if (x < 0 || y < 0) return false;
        return swap_axes(w, x, y), true;
    case M_MOVEAXIS: {
        x = axis_of(a[0], w->ndim), y = axis_of(a[1], w->ndim);
        if (x < 0 || y < 0) return false;
        int64_t dim = w->dim[x], stride = w->stride[x];
        remove_axis(w, x);
        insert_axis(w, y, dim, stride);
        return true;
    }
    case M_EXPAND:
        x = axis_of(a[0], w->ndim + 1);
        if (x < 0 || w->ndim == SITU_MAX_DIMS) return false;
        return insert_axis(w, x, 1, 0), true;
    case M_BROADCAST: return broadcast_view(w, a[0], a + 1);
    case M_SELECT:
        x = axis_of(a[0], w->ndim);
        if (x < 0 || a[1] < -w->dim[x] || a[1] >= w->dim[x]) return false;
        w->offset += (a[1] < 0 ? a[1] + w->dim[x] : a[1]) * w->stride[x];
        return remove_axis(w, x), true;
    case M_DIAGONAL: return diagonal(w, a[0]);
    case M_SQUEEZE: return squeeze(w, s);
    default: return flip(w, s);
    }
}

static void reshape(call *c)
{
    const statement *s = c->s;
    int64_t dim[SITU_MAX_DIMS], n = 1;
    int ndim = (int)s->attr[0], left = -1;
    for (int i = 0; i < ndim; i++) {
        dim[i] = s->attr[1 + i];
        if (dim[i] == -1 && left < 0) left = i;
        else if (dim[i] < 0) return refuse(c);
        else n *= dim[i];
    }
    if (left >= 0) {
        if (!n || c->in[0].count % n) return refuse(c);
        dim[left] = c->in[0].count / n;
        n *= dim[left];
    }
    if (n != c->in[0].count) return refuse(c);
    shape_out(c, c->in[0].dtype, ndim, dim);
    memcpy(c->out->bits, c->in[0].bits, (size_t)n * size_of(c->in[0].dtype));
}

static void shift(call *c, bool back)
{
    bool named[SITU_MAX_DIMS];
    value v = c->in[0];
    if (!named_axes(c->s, v.ndim, named)) return refuse(c);
    shape_out(c, v.dtype, v.ndim, v.dim);
    for (int64_t i = 0; i < v.count; i++) {
        int64_t at = 0, step = 1, rest = i;
        for (int k = v.ndim - 1; k >= 0; k--) {
            int64_t n = v.dim[k], x = rest % n;
            rest /= n;
            if (named[k]) x = (x + (back ? n / 2 : n - n / 2)) % n;
            at += x * step;
            step *= n;
        }
        copy_element(c->out, i, &v, at);
    }
}

void interpret_view(call *c)
{
    int kind = rows[c->s->row].variant;
    if (kind == M_RESHAPE) return reshape(c);
    if (kind == M_FFTSHIFT || kind == M_IFFTSHIFT) return shift(c, kind == M_IFFTSHIFT);
    view w = {.ndim = c->in[0].ndim};
    memcpy(w.dim, c->in[0].dim, sizeof w.dim);
    strides_of(&c->in[0], w.stride);
    if (!look(&w, kind, c->s)) return refuse(c);
    gather_view(c, &w);
}

/* ---- slices: attr [0] axes that are named, then start, stop, step from 1, 7, 13 ---- */

static void slice_axis(view *w, int axis, int64_t start, int64_t stop, int64_t step)
{
    int64_t n = w->dim[axis], low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
    if (start == SITU_FULL) start = step < 0 ? high : low;
    else start = start < 0 ? start + n : start;
    if (stop == SITU_FULL) stop = step < 0 ? low : high;
    else stop = stop < 0 ? (stop + n < low ? low : stop + n) : stop;
    start = start < low ? low : start > high ? high : start;
    stop = stop < low ? low : stop > high ? high : stop;
    int64_t count = step > 0 ? (stop - start + step - 1) / step : (start - stop - step - 1) / -step;
    w->dim[axis] = count > 0 ? count : 0;
    if (count > 0) w->offset += start * w->stride[axis];
    w->stride[axis] *= step;
}

void interpret_slice(call *c)
{
    const int64_t *a = c->s->attr;
    view w = {.ndim = c->in[0].ndim};
    memcpy(w.dim, c->in[0].dim, sizeof w.dim);
    strides_of(&c->in[0], w.stride);
    if (a[0] > w.ndim) return refuse(c);
    for (int i = 0; i < a[0]; i++) {
        if (!a[13 + i]) return refuse(c);
        slice_axis(&w, i, a[1 + i], a[7 + i], a[13 + i] == SITU_FULL ? 1 : a[13 + i]);
    }
    gather_view(c, &w);
}

/* attr: [0] axes of the start, [1..] the start */
void interpret_update_slice(call *c)
{
    const int64_t *a = c->s->attr;
    value x = c->in[0], v = c->in[1];
    if (v.dtype != x.dtype) return leave_open(c);
    if (v.ndim != x.ndim || a[0] != x.ndim) return refuse(c);
    for (int i = 0; i < x.ndim; i++)
        if (a[1 + i] < 0 || a[1 + i] + v.dim[i] > x.dim[i]) return refuse(c);
    shape_out(c, x.dtype, x.ndim, x.dim);
    memcpy(c->out->bits, x.bits, (size_t)x.count * size_of(x.dtype));
    int64_t stride[SITU_MAX_DIMS];
    strides_of(&x, stride);
    for (int64_t i = 0; i < v.count; i++) {
        int64_t at = 0, rest = i;
        for (int k = v.ndim - 1; k >= 0; k--) at += (rest % v.dim[k] + a[1 + k]) * stride[k], rest /= v.dim[k];
        copy_element(c->out, at, &v, i);
    }
}
