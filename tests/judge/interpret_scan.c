/* Running sums and products, differences, recurrences. attr: [0] axis, [1] reverse or how often, [2] initial. */
#include <math.h>
#include <string.h>

#include "interpret.h"
#include "reduce_kinds.h"

typedef struct running {
    uint64_t u;
    long double f, size;
} running;

static void step(running *r, bool product, const value *v, int64_t at)
{
    if (rank_of(v->dtype) < 2) {
        r->u = product ? r->u * get_u(v, at) : r->u + get_u(v, at);
        return;
    }
    double x = get_f(v, at);
    r->f = product ? r->f * x : r->f + x;
    r->size = product ? fabsl(r->f) : r->size + fabs(x);
}

static void put(value *out, int64_t at, const running *r, int64_t k)
{
    if (rank_of(out->dtype) < 2) {
        set_u(out, at, r->u);
        return;
    }
    situ_dtype wide = out->dtype == SITU_F64 ? SITU_F64 : SITU_F32;
    set_f(out, at, (double)r->f);
    out->slack[at] = (double)(k + 2) * (ulp_of(wide, (double)r->size) + (wide != out->dtype ? ulp_of(out->dtype, (double)r->size) : 0));
    double limit = out->dtype == SITU_F64 ? 1e300 : out->dtype == SITU_F16 ? 6e4 : 1e38;
    if (!(fabsl(r->size) < limit) || (r->f != 0 && fabsl(r->f) < 1e-30L)) out->unknown = true;
}

void interpret_scan(call *c)
{
    const statement *s = c->s;
    bool product = rows[s->row].variant == R_PROD;
    int axis = axis_of(s->attr[0], c->in[0].ndim);
    if (axis < 0) return refuse(c);
    if (is_complex(c->in[0].dtype)) return leave_open(c); /* only compared between the ways */
    situ_dtype d = s->dtype;
    if (d == SITU_DTYPE_DEFAULT) {
        situ_dtype x = c->in[0].dtype;
        d = rank_of(x) > 1 ? x : x == SITU_BOOL || is_signed(x) ? SITU_I64 : SITU_U64;
    }
    int64_t dim[SITU_MAX_DIMS], more = s->attr[2] != 0;
    memcpy(dim, c->in[0].dim, sizeof dim);
    lines l = lines_of(&c->in[0], axis);
    dim[axis] += more;
    shape_out(c, d, c->in[0].ndim, dim);
    if (rank_of(d) == 2) with_slack(c);
    value v = cast_value(c, &c->in[0], d);
    for (int64_t line = 0; line < l.outer * l.inner; line++) {
        int64_t from = line / l.inner * l.n * l.inner + line % l.inner;
        int64_t to = line / l.inner * (l.n + more) * l.inner + line % l.inner;
        running r = {product, product, product};
        if (!product) r.size = 0;
        for (int64_t k = 0; k < l.n + more; k++) {
            if (k || !more) step(&r, product, &v, from + (s->attr[1] ? l.n - 1 - (k - more) : k - more) * l.inner);
            put(c->out, to + (s->attr[1] ? l.n + more - 1 - k : k) * l.inner, &r, k);
        }
    }
}

static void differ(value *out, int64_t at, const value *v, int64_t b, int64_t a)
{
    if (v->dtype == SITU_BOOL) set_u(out, at, get_u(v, b) != get_u(v, a));
    else if (is_integer(v->dtype)) set_u(out, at, get_u(v, b) - get_u(v, a));
    else if (v->dtype == SITU_F64) set_f(out, at, get_f(v, b) - get_f(v, a));
    else set_f(out, at, (float)((float)get_f(v, b) - (float)get_f(v, a)));
}

void interpret_diff(call *c)
{
    value v = c->in[0];
    int axis = axis_of(c->s->attr[0], v.ndim);
    if (axis < 0 || c->s->attr[1] < 0) return refuse(c);
    for (int64_t k = 0; k < c->s->attr[1]; k++) {
        lines l = lines_of(&v, axis);
        int64_t dim[SITU_MAX_DIMS], n = l.n ? l.n - 1 : 0;
        memcpy(dim, v.dim, sizeof dim);
        dim[axis] = n;
        shape_out(c, v.dtype, v.ndim, dim);
        for (int64_t i = 0; i < c->out->count; i++) {
            int64_t o = i / (n * l.inner), j = i / l.inner % n, in = i % l.inner, at = (o * l.n + j) * l.inner + in;
            differ(c->out, i, &v, at + l.inner, at);
        }
        v = *c->out;
    }
    if (!c->s->attr[1]) *c->out = v;
}

/* ---- s[i] = a[i] s[i - 1] + b[i]; attr: [0] axis, [1] reverse ---- */

void interpret_linear_scan(call *c)
{
    const value *a = &c->in[0], *b = &c->in[1];
    int axis = axis_of(c->s->attr[0], b->ndim);
    if (axis < 0) return refuse(c);
    shape_out(c, b->dtype, b->ndim, b->dim);
    if (a->dtype != b->dtype || a->count != b->count || !is_float(b->dtype)) return leave_open(c);
    with_slack(c);
    lines l = lines_of(b, axis);
    situ_dtype d = b->dtype, wide = d == SITU_F64 ? d : SITU_F32;
    double limit = d == SITU_F64 ? 1e300 : d == SITU_F16 ? 6e4 : 1e38;
    for (int64_t line = 0; line < l.outer * l.inner; line++) {
        double s = 0, off = 0;
        for (int64_t k = 0; k < l.n; k++) {
            int64_t at = (line / l.inner * l.n + (c->s->attr[1] ? l.n - 1 - k : k)) * l.inner + line % l.inner;
            double x = get_f(a, at), y = get_f(b, at);
            off = off * fabs(x) + 4 * (fabs(x * s) + fabs(y)) * 0x1p-52;
            s = x * s + y;
            set_f(c->out, at, s);
            c->out->slack[at] = off + ulp_of(d, s) + (wide != d ? ulp_of(wide, s) : 0) + 1e-300;
            if (!(fabs(s) < limit)) c->out->unknown = true;
        }
    }
}
