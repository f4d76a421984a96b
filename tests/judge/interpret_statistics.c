/* Order statistics and the norm of several tensors. */
#include <math.h>
#include <stdlib.h>

#include "interpret.h"

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Interpolates between two neighbours in the sorted order; at one of them it is exactly that one. */
static double quantile(const double *sorted, int64_t n, double q, int64_t method, double *size)
{
    double at = q * (double)(n - 1), low = floor(at), high = ceil(at), share = at - low;
    if (method == SITU_QUANTILE_NEAREST) low = high = rint(at);
    if (method == SITU_QUANTILE_LOWER) high = low;
    if (method == SITU_QUANTILE_HIGHER) low = high;
    if (method == SITU_QUANTILE_MIDPOINT) share = 0.5;
    double a = sorted[(int64_t)low], b = sorted[(int64_t)high];
    *size = fmax(fabs(a), fabs(b));
    if (low == high) return a;
    return isfinite(b - a) ? a + (b - a) * share : a * (1 - share) + b * share;
}

/* attr: [0..] the axes, [8] keepdims, [9] method; real[0]: q. variant 1: the median */
void interpret_quantile(call *c)
{
    const statement *s = c->s;
    value v = c->in[0];
    reduction p;
    if (!plan_axes(s, &v, &p) || is_complex(v.dtype) || !p.n) return refuse(c);
    situ_dtype d = rank_of(v.dtype) < 2 ? SITU_F32 : v.dtype;
    bool median = rows[s->row].variant, wide = d == SITU_F64;
    shape_out(c, d, p.ndim, p.dim);
    with_slack(c);
    double *x = take(c->m->memory, sizeof *x * (size_t)(v.count + 1));
    int64_t *filled = take(c->m->memory, sizeof *filled * (size_t)(c->out->count + 1));
    for (int64_t i = 0; i < c->out->count; i++) filled[i] = 0;
    for (int64_t i = 0; i < v.count; i++) {
        int64_t t = target(&p, &v, i);
        x[t * p.n + filled[t]++] = wide ? get_f(&v, i) : (double)(float)get_f(&v, i);
    }
    for (int64_t i = 0; i < c->out->count; i++) {
        double *group = x + i * p.n, size = 0;
        bool nan = false;
        for (int64_t k = 0; k < p.n; k++) nan = nan || isnan(group[k]);
        if (!nan) qsort(group, (size_t)p.n, sizeof *group, by_size);
        double y = nan ? NAN : quantile(group, p.n, median ? 0.5 : s->real[0], median ? SITU_QUANTILE_MIDPOINT : s->attr[9], &size);
        put_near(c, i, y, 4 * unit_of(wide ? SITU_F64 : SITU_F32) * (isfinite(size) ? size : 0));
    }
}

void interpret_global_norm(call *c)
{
    long double squares = 0;
    int64_t n = 0;
    for (int k = 0; k < c->s->nin; k++) {
        const value *v = &c->in[k];
        if (is_complex(v->dtype)) return leave_open(c);
        for (int64_t i = 0; i < v->count; i++) squares += powl(get_f(v, i), 2);
        n += v->count;
    }
    shape_out(c, SITU_F64, 0, NULL);
    with_slack(c);
    put_near(c, 0, sqrtl(squares), (double)(n + 8) * ulp_of(SITU_F64, (double)sqrtl(squares)));
}
