/* Activations, softmax, norms of rows, attention: compared within the error of their steps. */
#include <math.h>
#include <string.h>

#include "function_kinds.h"
#include "interpret.h"

void put_near(call *c, int64_t i, long double x, double slack)
{
    value *out = c->out;
    situ_dtype wide = out->dtype == SITU_F64 ? SITU_F64 : SITU_F32;
    set_f(out, i, (double)x);
    out->slack[i] = slack + 8 * ulp_of(wide, (double)x) + (wide != out->dtype ? 4 * ulp_of(out->dtype, (double)x) : 0);
}

double unit_of(situ_dtype d) { return d == SITU_F64 ? 0x1p-52 : d == SITU_F16 ? 0x1p-10 : d == SITU_BF16 ? 0x1p-7 : 0x1p-23; }

long double activation_of(int kind, long double x, const statement *s)
{
    long double u, w = s->real[0];
    switch (kind) {
    case F_GELU:
        if (s->attr[0]) return x * (1 + erfl(x / sqrtl(2))) / 2;
        u = sqrtl(2 / 3.14159265358979323846264338L) * (x + 0.044715L * x * x * x);
        return x / (1 + expl(-2 * u));
    case F_SILU: return x / (1 + expl(-x));
    case F_MISH: return x * tanhl(x > 50 ? x : log1pl(expl(x)));
    case F_LEAKY: return x >= 0 ? x : w * x;
    default: return x > 0 ? x : w * expm1l(x);
    }
}

void interpret_activation(call *c)
{
    int kind = rows[c->s->row].variant;
    value x = c->in[0];
    if (rank_of(x.dtype) > 2) return refuse(c);
    situ_dtype d = rank_of(x.dtype) < 2 ? SITU_F32 : x.dtype;
    if (x.dtype == SITU_BOOL || (rank_of(x.dtype) < 2 && kind > F_MISH)) return leave_open(c);
    value v = cast_value(c, &x, d);
    shape_out(c, d, v.ndim, v.dim);
    with_slack(c);
    for (int64_t i = 0; i < v.count; i++) {
        double e = get_f(&v, i);
        long double y = activation_of(kind, e, c->s);
        /* where it dies away, steps of low precision are far off in ULP */
        double slack = 16 * unit_of(d) * fmax(fabs((double)y), kind < F_LEAKY && e < 0 ? fmin(1, fabs(e)) * 0.25 : 0);
        put_near(c, i, y, slack);
        if (!(fabs(e) < 1e4)) c->out->unknown = true;
    }
}

/* attr: [0] axis; variant 1: logarithms */
void interpret_softmax(call *c)
{
    value x = c->in[0];
    int axis = axis_of(c->s->attr[0], x.ndim);
    bool logs = rows[c->s->row].variant;
    if (axis < 0) return refuse(c);
    if (rank_of(x.dtype) != 2) return leave_open(c);
    shape_out(c, x.dtype, x.ndim, x.dim);
    with_slack(c);
    lines l = lines_of(&x, axis);
    for (int64_t line = 0; line < l.outer * l.inner; line++) {
        int64_t first = line / l.inner * l.n * l.inner + line % l.inner;
        long double m = -INFINITY, t = 0;
        for (int64_t k = 0; k < l.n; k++) {
            double e = get_f(&x, first + k * l.inner);
            if (!(fabs(e) < (x.dtype == SITU_F16 ? 3e4 : 1e30))) c->out->unknown = true;
            m = e > m ? e : m;
        }
        for (int64_t k = 0; k < l.n; k++) t += expl(get_f(&x, first + k * l.inner) - m);
        for (int64_t k = 0; k < l.n; k++) {
            double e = get_f(&x, first + k * l.inner);
            long double y = logs ? e - m - logl(t) : expl(e - m) / t;
            double size = logs ? fabs(e) + fabs((double)m) + fabs((double)y) + 1 : (double)y * (1 + fabs(e - (double)m));
            put_near(c, first + k * l.inner, y, (double)(l.n + 8) * unit_of(x.dtype) * size);
        }
    }
}

/* ---- norms: x, scale, shift; real[0]: eps; variant 1: of channels (axis 1) instead of rows ---- */

typedef struct group_of {
    int64_t n, outer, step, inner, scale; /* element k is at outer + k / inner step + k % inner */
} group_of;

static int64_t element_at(const group_of *g, int64_t k) { return g->outer + k / g->inner * g->step + k % g->inner; }

static void normalise(call *c, const group_of *g, bool rows)
{
    const value *x = &c->in[0];
    long double mean = 0, variance = 0, most = 0;
    for (int64_t k = 0; k < g->n; k++) {
        double e = get_f(x, element_at(g, k));
        mean += e;
        if (!(fabs(e) < (x->dtype == SITU_F64 ? 1e300 : x->dtype == SITU_F16 ? 6e4 : 1e33))) c->out->unknown = true;
        most = fmaxl(most, fabs(e));
    }
    mean /= (long double)g->n;
    for (int64_t k = 0; k < g->n; k++) variance += powl(get_f(x, element_at(g, k)) - mean, 2);
    long double root = sqrtl(variance / (long double)g->n + c->s->real[0]);
    for (int64_t k = 0; k < g->n; k++) {
        int64_t at = element_at(g, k), s = rows ? k : g->scale;
        long double z = (get_f(x, at) - mean) / root, w = get_f(&c->in[1], s), b = get_f(&c->in[2], s);
        double off = (double)(g->n + 16) * unit_of(x->dtype) * (double)(most / root + 1 + fabsl(z) * most * most / (root * root));
        put_near(c, at, z * w + b, off * fabs((double)w) + 4 * unit_of(x->dtype) * fabs((double)b));
    }
}

void interpret_norm_layer(call *c)
{
    value x = c->in[0], scale = c->in[1], shift = c->in[2];
    bool channels = rows[c->s->row].variant;
    if (rank_of(x.dtype) != 2 || scale.dtype != x.dtype || shift.dtype != x.dtype) return leave_open(c);
    if (x.ndim < 1 + channels) return refuse(c);
    int64_t n = x.dim[channels ? 1 : x.ndim - 1], inner = 1;
    if (scale.ndim != 1 || shift.ndim != 1 || scale.count != n || shift.count != n) return refuse(c);
    shape_out(c, x.dtype, x.ndim, x.dim);
    with_slack(c);
    if (!x.count) return;
    for (int i = 2; i < x.ndim; i++) inner *= x.dim[i];
    for (int64_t i = 0; channels && i < n; i++)
        normalise(c, &(group_of){x.count / n, i * inner, n * inner, inner, i}, false);
    for (int64_t i = 0; !channels && i < x.count / n; i++) normalise(c, &(group_of){n, i * n, n, n, 0}, true);
}

/* softmax(q k^T / sqrt(width)) v for operands [batch, queries, width], [batch, keys, width], [batch, keys, any]; attr:
 * [0] causal: query i sees keys 0 ... i. */
void interpret_attention(call *c)
{
    value q = c->in[0], k = c->in[1], v = c->in[2];
    bool fits = rank_of(q.dtype) == 2 && q.dtype == k.dtype && q.dtype == v.dtype && q.ndim == 3 && k.ndim == 3 && v.ndim == 3 &&
                q.dim[0] == k.dim[0] && q.dim[0] == v.dim[0] && q.dim[2] == k.dim[2] && k.dim[1] == v.dim[1];
    if (!fits) return leave_open(c);
    int64_t n = k.dim[1], width = q.dim[2], columns = v.dim[2], dim[3] = {q.dim[0], q.dim[1], columns};
    shape_out(c, q.dtype, 3, dim);
    with_slack(c);
    long double *score = take(c->m->memory, sizeof *score * (size_t)(n + 1));
    for (int64_t row = 0; row < q.dim[0] * q.dim[1]; row++) {
        int64_t batch = row / q.dim[1], seen = c->s->attr[0] && row % q.dim[1] + 1 < n ? row % q.dim[1] + 1 : n;
        long double most = -INFINITY, total = 0, size = 0;
        for (int64_t i = 0; i < seen; i++) {
            score[i] = 0;
            for (int64_t j = 0; j < width; j++) {
                long double x = (long double)get_f(&q, row * width + j) * get_f(&k, (batch * n + i) * width + j);
                score[i] += x, size += fabsl(x);
            }
            score[i] /= sqrtl((long double)width);
            most = score[i] > most ? score[i] : most;
        }
        for (int64_t i = 0; i < seen; i++) total += score[i] = expl(score[i] - most);
        for (int64_t j = 0; j < columns; j++) {
            long double y = 0, large = 0;
            for (int64_t i = 0; i < seen; i++) {
                double e = get_f(&v, (batch * n + i) * columns + j);
                y += score[i] / total * e, large = fmaxl(large, fabs(e));
            }
            put_near(c, row * columns + j, y, (double)((n + width + 16) * unit_of(q.dtype) * large * (1 + size)));
            if (!(size < 1e3 && large < 1e3)) c->out->unknown = true;
        }
    }
}
