/* Concatenating, cutting, rolling, padding, repeating. */
#include <math.h>
#include <string.h>

#include "interpret.h"
#include "move_kinds.h"

/* attr: [0] axis */
void interpret_join(call *c)
{
    bool stack = rows[c->s->row].variant == M_STACK;
    int n = c->s->nin, ndim = c->in[0].ndim + stack;
    int axis = axis_of(c->s->attr[0], ndim);
    if (axis < 0 || ndim > SITU_MAX_DIMS) return refuse(c);
    situ_dtype d = c->in[0].dtype;
    int64_t dim[SITU_MAX_DIMS], along = 0;
    for (int i = 0; i < n; i++) {
        if (c->in[i].ndim != c->in[0].ndim) return refuse(c);
        for (int k = 0; k < c->in[0].ndim; k++)
            if ((stack || k != axis) && c->in[i].dim[k] != c->in[0].dim[k]) return refuse(c);
        d = promote(d, c->in[i].dtype);
        along += stack ? 1 : c->in[i].dim[axis];
    }
    for (int k = 0; k < ndim; k++) dim[k] = k == axis ? along : c->in[0].dim[stack && k > axis ? k - 1 : k];
    shape_out(c, d, ndim, dim);
    int64_t inner = 1, outer = 1, done = 0;
    for (int k = axis + 1; k < ndim; k++) inner *= dim[k];
    for (int k = 0; k < axis; k++) outer *= dim[k];
    for (int i = 0; i < n; i++) {
        value v = cast_value(c, &c->in[i], d);
        int64_t mine = (stack ? 1 : v.dim[axis]) * inner;
        for (int64_t o = 0; o < outer; o++)
            for (int64_t k = 0; k < mine; k++) copy_element(c->out, o * along * inner + done + k, &v, o * mine + k);
        done += mine;
    }
}

static void copy_lines(call *c, int axis, int64_t n, int64_t (*from)(const call *c, int64_t i, int64_t n), int64_t of)
{
    value v = c->in[0];
    int64_t dim[SITU_MAX_DIMS];
    memcpy(dim, v.dim, sizeof dim);
    lines l = lines_of(&v, axis);
    dim[axis] = n;
    shape_out(c, v.dtype, v.ndim, dim);
    for (int64_t i = 0; i < c->out->count; i++) {
        int64_t o = i / (n * l.inner), k = i / l.inner % n;
        copy_element(c->out, i, &v, (o * l.n + from(c, k, of)) * l.inner + i % l.inner);
    }
}

static int64_t cut_from(const call *c, int64_t i, int64_t first) { return (void)c, first + i; }
static int64_t roll_from(const call *c, int64_t i, int64_t n)
{
    int64_t at = (i - c->s->attr[1] % n) % n;
    return at < 0 ? at + n : at;
}
static int64_t repeat_from(const call *c, int64_t i, int64_t n) { return (void)n, i / c->s->attr[1]; }

/* attr: [0] axis, [1] parts, [2] which one is kept */
void interpret_split(call *c)
{
    const int64_t *a = c->s->attr;
    int axis = axis_of(a[0], c->in[0].ndim);
    if (axis < 0 || a[1] < 1) return refuse(c);
    int64_t n = c->in[0].dim[axis], small = n / a[1], larger = n % a[1], part = a[2];
    int64_t first = part * small + (part < larger ? part : larger);
    copy_lines(c, axis, small + (part < larger), cut_from, first);
}

/* attr: [0] axis or SITU_ALL_AXES, [1] shift or count */
static bool flattened(call *c, int *axis)
{
    if (c->s->attr[0] != SITU_ALL_AXES) {
        *axis = axis_of(c->s->attr[0], c->in[0].ndim);
        return *axis >= 0;
    }
    *axis = 0;
    c->in[0].dim[0] = c->in[0].count;
    c->in[0].ndim = 1;
    return true;
}

void interpret_roll(call *c)
{
    int axis;
    value whole = c->in[0];
    if (!flattened(c, &axis)) return refuse(c);
    copy_lines(c, axis, c->in[0].dim[axis], roll_from, c->in[0].dim[axis]);
    memcpy(c->out->dim, whole.dim, sizeof whole.dim);
    c->out->ndim = whole.ndim;
}

void interpret_repeat(call *c)
{
    int axis;
    if (!flattened(c, &axis) || c->s->attr[1] < 0) return refuse(c);
    copy_lines(c, axis, c->in[0].dim[axis] * c->s->attr[1], repeat_from, 0);
}

/* attr: [0] axes named, [1..] before, [9..] after; real[0]: the value */
void interpret_pad(call *c)
{
    const int64_t *a = c->s->attr;
    value v = c->in[0], fill = {.dtype = SITU_F64, .count = 1};
    int64_t dim[SITU_MAX_DIMS];
    if (a[0] != v.ndim) return refuse(c);
    for (int i = 0; i < v.ndim; i++) {
        if (a[1 + i] < 0 || a[9 + i] < 0) return refuse(c);
        dim[i] = v.dim[i] + a[1 + i] + a[9 + i];
    }
    fill.bits = take(c->m->memory, 16);
    set_f(&fill, 0, c->s->real[0]);
    shape_out(c, v.dtype, v.ndim, dim);
    for (int64_t i = 0; i < c->out->count; i++) {
        int64_t at = 0, step = 1, rest = i;
        bool inside = true;
        for (int k = v.ndim - 1; k >= 0; k--) {
            int64_t x = rest % dim[k] - a[1 + k];
            rest /= dim[k];
            inside = inside && x >= 0 && x < v.dim[k];
            at += x * step;
            step *= v.dim[k];
        }
        if (inside) copy_element(c->out, i, &v, at);
        else cast_element(c->out, i, &fill, 0);
    }
}

/* attr: [0] counts, [1..] */
void interpret_tile(call *c)
{
    const int64_t *a = c->s->attr;
    value v = c->in[0];
    int64_t dim[SITU_MAX_DIMS];
    int ndim = (int)(a[0] > v.ndim ? a[0] : v.ndim);
    for (int i = 0; i < ndim; i++) {
        int x = i - (ndim - v.ndim), t = i - (ndim - (int)a[0]);
        dim[i] = (x >= 0 ? v.dim[x] : 1) * (t >= 0 ? a[1 + t] : 1);
        if (t >= 0 && a[1 + t] < 0) return refuse(c);
    }
    shape_out(c, v.dtype, ndim, dim);
    for (int64_t i = 0; i < c->out->count; i++) {
        int64_t at = 0, step = 1, rest = i;
        for (int k = 1; k <= v.ndim; k++) {
            int64_t n = dim[ndim - k];
            at += rest % n % v.dim[v.ndim - k] * step;
            rest /= n;
            step *= v.dim[v.ndim - k];
        }
        copy_element(c->out, i, &v, at);
    }
}

/* attr: [0] the diagonal */
void interpret_triangle(call *c)
{
    value v = c->in[0];
    bool low = rows[c->s->row].variant == M_TRIL;
    if (v.ndim < 2) return refuse(c);
    shape_out(c, v.dtype, v.ndim, v.dim);
    int64_t rows_ = v.dim[v.ndim - 2], columns = v.dim[v.ndim - 1];
    for (int64_t i = 0; i < v.count; i++) {
        int64_t distance = i % columns - i / columns % rows_;
        if (low ? distance <= c->s->attr[0] : distance >= c->s->attr[0]) copy_element(c->out, i, &v, i);
    }
}
