/* Elements by position. attr: [0] axis. An index out of range is an error when the result is computed. */
#include <math.h>
#include <string.h>

#include "interpret.h"
#include "move_kinds.h"

/* The position that element i of index names, or -1. */
static int64_t position(const value *index, int64_t i, int64_t n)
{
    uint64_t u = get_u(index, i);
    if (is_signed(index->dtype)) {
        int64_t at = (int64_t)u;
        return at < -n || at >= n ? -1 : at < 0 ? at + n : at;
    }
    return u < (uint64_t)n ? (int64_t)u : -1;
}

static void gather(call *c, int axis)
{
    value v = c->in[0], index = c->in[1];
    if (index.ndim != v.ndim) return refuse(c);
    for (int i = 0; i < v.ndim; i++)
        if (i != axis && index.dim[i] != v.dim[i]) {
            c->out->status = OPEN; /* whether they broadcast */
            return;
        }
    shape_out(c, v.dtype, index.ndim, index.dim);
    lines l = lines_of(&index, axis);
    for (int64_t i = 0; i < index.count; i++) {
        int64_t at = position(&index, i, v.dim[axis]), o = i / (l.n * l.inner);
        if (at < 0) c->out->status = LATE;
        else copy_element(c->out, i, &v, (o * v.dim[axis] + at) * l.inner + i % l.inner);
    }
}

void interpret_take(call *c)
{
    value v = c->in[0], index = c->in[1];
    int axis = axis_of(c->s->attr[0], v.ndim);
    if (axis < 0 || !is_integer(index.dtype)) return refuse(c);
    if (rows[c->s->row].variant == M_GATHER) return gather(c, axis);
    int64_t dim[SITU_MAX_DIMS * 2];
    int ndim = 0;
    for (int i = 0; i < axis; i++) dim[ndim++] = v.dim[i];
    for (int i = 0; i < index.ndim; i++) dim[ndim++] = index.dim[i];
    for (int i = axis + 1; i < v.ndim; i++) dim[ndim++] = v.dim[i];
    if (ndim > SITU_MAX_DIMS) return refuse(c);
    shape_out(c, v.dtype, ndim, dim);
    lines l = lines_of(&v, axis);
    for (int64_t i = 0; i < index.count && !c->out->count; i++)
        if (position(&index, i, l.n) < 0) c->out->status = OPEN; /* nothing is read */
    for (int64_t i = 0; i < c->out->count; i++) {
        int64_t o = i / (index.count * l.inner), at = position(&index, i / l.inner % index.count, l.n);
        if (at < 0) c->out->status = LATE;
        else copy_element(c->out, i, &v, (o * l.n + at) * l.inner + i % l.inner);
    }
}

/* to[at] = or += v[i], as the library's dtype does it: f16 and bf16 add in f32, in unspecified steps. */
static void put(call *c, bool add, int64_t at, const value *v, int64_t i)
{
    value *out = c->out;
    if (!add) {
        copy_element(out, at, v, i);
    } else if (rank_of(out->dtype) < 2) {
        set_u(out, at, get_u(out, at) + get_u(v, i));
    } else {
        double a = get_f(out, at), b = get_f(v, i);
        set_f(out, at, a + b);
        if (isfinite(a) && isfinite(b) && !isfinite(get_f(out, at))) out->unknown = true; /* in f32 the sum may become
                                                                                           * finite again */
        out->slack[at] += 2 * (ulp_of(out->dtype, a) + ulp_of(out->dtype, b) + ulp_of(out->dtype, a + b));
    }
}

void interpret_scatter(call *c)
{
    int kind = rows[c->s->row].variant, axis = axis_of(c->s->attr[0], c->in[0].ndim);
    value x = c->in[0], index = c->in[1], v = c->in[2];
    if (axis < 0 || !is_integer(index.dtype)) return refuse(c);
    if (v.dtype != x.dtype || x.dtype == SITU_BOOL || is_complex(x.dtype)) return leave_open(c);
    bool slices = kind == M_INDEX_ADD;
    if (slices && (index.ndim != 1 || v.ndim != x.ndim || v.dim[axis] != index.count)) return refuse(c);
    if (!slices && (index.ndim != x.ndim || v.ndim != x.ndim)) return refuse(c);
    for (int i = 0; i < x.ndim; i++) {
        if ((i == axis || v.dim[i] == x.dim[i]) && (slices || index.dim[i] == v.dim[i])) continue;
        if (slices) return refuse(c);
        c->out->status = OPEN; /* whether they broadcast */
        return;
    }
    shape_out(c, x.dtype, x.ndim, x.dim);
    memcpy(c->out->bits, x.bits, (size_t)x.count * size_of(x.dtype));
    if (rank_of(x.dtype) == 2 && kind != M_SCATTER) with_slack(c);
    lines l = lines_of(&v, axis);
    for (int64_t i = 0; i < index.count && !v.count; i++)
        if (position(&index, i, x.dim[axis]) < 0) c->out->status = OPEN; /* nothing is written */
    for (int64_t i = 0; i < v.count; i++) {
        int64_t o = i / (l.n * l.inner), k = i / l.inner % l.n;
        int64_t at = position(&index, slices ? k : i, x.dim[axis]);
        if (at < 0) c->out->status = LATE;
        else put(c, kind != M_SCATTER, (o * x.dim[axis] + at) * l.inner + i % l.inner, &v, i);
    }
}

/* attr: [0] how many */
void interpret_one_hot(call *c)
{
    value index = c->in[0];
    int64_t n = c->s->attr[0], dim[SITU_MAX_DIMS];
    if (!is_integer(index.dtype) || n < 0 || index.ndim >= SITU_MAX_DIMS) return refuse(c);
    memcpy(dim, index.dim, sizeof dim);
    dim[index.ndim] = n;
    shape_out(c, c->s->dtype == SITU_DTYPE_DEFAULT ? SITU_F32 : c->s->dtype, index.ndim + 1, dim);
    const number one = {1, 1, 1};
    value v = {.dtype = SITU_I64, .count = 1, .bits = take(c->m->memory, 16)};
    set_u(&v, 0, (uint64_t)one.i);
    for (int64_t i = 0; i < c->out->count; i++) {
        uint64_t u = get_u(&index, i / n);
        if (u == (uint64_t)(i % n)) cast_element(c->out, i, &v, 0);
        else if (is_signed(index.dtype) && (int64_t)u < 0) c->out->unknown = true; /* counted from the end or nowhere */
    }
}

void interpret_isin(call *c)
{
    value x = c->in[0], v = c->in[1];
    situ_dtype d = promote(x.dtype, v.dtype);
    value a = cast_value(c, &x, d), b = cast_value(c, &v, d);
    shape_out(c, SITU_BOOL, x.ndim, x.dim);
    for (int64_t i = 0; i < x.count; i++) {
        bool found = false;
        for (int64_t k = 0; k < b.count && !found; k++)
            found = rank_of(d) < 2 ? get_u(&a, i) == get_u(&b, k) : get_f(&a, i) == get_f(&b, k);
        set_u(c->out, i, found != (c->s->attr[0] != 0));
    }
}
