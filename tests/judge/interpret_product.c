/* Matrix products, convolutions, pooling: sums in an unspecified order are compared within their rounding error. */
#include <math.h>
#include <string.h>

#include "interpret.h"

typedef struct sum {
    uint64_t u;
    double f, size;
    int64_t n;
} sum;

static void multiply(sum *t, const value *a, int64_t i, const value *b, int64_t k)
{
    t->n++;
    if (rank_of(a->dtype) < 2) {
        t->u += get_u(a, i) * get_u(b, k);
        return;
    }
    double x = get_f(a, i) * get_f(b, k);
    t->f += x;
    t->size += fabs(x);
}

static void put(call *c, int64_t at, const sum *t)
{
    value *out = c->out;
    if (rank_of(out->dtype) < 2) {
        set_u(out, at, t->u);
        return;
    }
    situ_dtype wide = out->dtype == SITU_F64 ? SITU_F64 : SITU_F32;
    set_f(out, at, t->f);
    out->slack[at] = (double)(t->n + 3) * ulp_of(wide, t->size) + (wide != out->dtype ? ulp_of(out->dtype, t->f) : 0);
    if (!(t->size < (out->dtype == SITU_F64 ? 1e300 : out->dtype == SITU_F16 ? 3e4 : 1e37))) out->unknown = true;
}

static bool batch_shape(const value *a, const value *b, int *ndim, int64_t *dim)
{
    value x = *a, y = *b;
    x.ndim = x.ndim > 2 ? x.ndim - 2 : 0;
    y.ndim = y.ndim > 2 ? y.ndim - 2 : 0;
    *ndim = 0;
    return broadcast(ndim, dim, &x) && broadcast(ndim, dim, &y);
}

static int64_t batch_at(const value *v, int ndim, const int64_t *dim, int64_t i)
{
    value x = *v, out = {.ndim = ndim};
    memcpy(out.dim, dim, sizeof *dim * (size_t)ndim);
    x.ndim = x.ndim > 2 ? x.ndim - 2 : 0;
    return broadcast_at(&x, &out, i);
}

static void matmul(call *c, value a, value b)
{
    if (!a.ndim || !b.ndim) return refuse(c);
    bool row = a.ndim == 1, column = b.ndim == 1;
    if (row) a.dim[1] = a.dim[0], a.dim[0] = 1, a.ndim = 2;
    if (column) b.dim[1] = 1, b.ndim = 2;
    int64_t m = a.dim[a.ndim - 2], k = a.dim[a.ndim - 1], n = b.dim[b.ndim - 1], dim[SITU_MAX_DIMS], full[SITU_MAX_DIMS];
    int ndim, all;
    if (b.dim[b.ndim - 2] != k || !batch_shape(&a, &b, &ndim, dim)) return refuse(c);
    memcpy(full, dim, sizeof full);
    all = ndim;
    if (!row) full[all++] = m;
    if (!column) full[all++] = n;
    shape_out(c, a.dtype, all, full);
    if (rank_of(a.dtype) == 2) with_slack(c);
    int64_t batches = count_of(ndim, dim);
    for (int64_t t = 0; t < batches; t++) {
        int64_t from_a = batch_at(&a, ndim, dim, t) * m * k, from_b = batch_at(&b, ndim, dim, t) * k * n;
        for (int64_t i = 0; i < m * n; i++) {
            sum s = {0};
            for (int64_t j = 0; j < k; j++) multiply(&s, &a, from_a + i / n * k + j, &b, from_b + j * n + i % n);
            put(c, t * m * n + i, &s);
        }
    }
}

/* variant: 0 matmul, 1 dot, 2 outer */
void interpret_product(call *c)
{
    int kind = rows[c->s->row].variant;
    situ_dtype d = promote(c->in[0].dtype, c->in[1].dtype);
    if (d == SITU_BOOL || is_complex(d) || kind == 1) return leave_open(c);
    value a = cast_value(c, &c->in[0], d), b = cast_value(c, &c->in[1], d);
    if (kind == 0) return matmul(c, a, b);
    if (a.ndim != 1 || b.ndim != 1) return leave_open(c);
    int64_t dim[2] = {a.count, b.count};
    shape_out(c, d, 2, dim);
    if (rank_of(d) == 2) with_slack(c);
    for (int64_t i = 0; i < c->out->count; i++) {
        value x = a, y = b;
        x.bits += (size_t)(i / dim[1]) * size_of(d), y.bits += (size_t)(i % dim[1]) * size_of(d);
        x.count = y.count = 1;
        sum t = {0};
        multiply(&t, &x, 0, &y, 0);
        put(c, i, &t);
    }
}

/* ---- convolution: attr [0..1] stride, [2..3] padding, [4..5] dilation, [6] groups ---- */

void interpret_conv(call *c)
{
    const int64_t *a = c->s->attr;
    value x = c->in[0], w = c->in[1];
    situ_dtype d = promote(x.dtype, w.dtype);
    bool one = rows[c->s->row].variant == 1;
    int want = one ? 3 : 4;
    if (rank_of(d) != 2 || d != x.dtype || d != w.dtype) return leave_open(c);
    if (x.ndim != want || w.ndim != want) return refuse(c);
    int64_t X[4] = {x.dim[0], x.dim[1], one ? 1 : x.dim[2], x.dim[want - 1]};
    int64_t W[4] = {w.dim[0], w.dim[1], one ? 1 : w.dim[2], w.dim[want - 1]}, groups = a[6];
    int64_t st[2] = {one ? 1 : a[0], a[1]}, pad[2] = {one ? 0 : a[2], a[3]}, di[2] = {one ? 1 : a[4], a[5]}, O[2];
    if (groups < 1 || X[1] % groups || W[0] % groups || W[1] * groups != X[1]) return refuse(c);
    for (int i = 0; i < 2; i++) {
        int64_t room = X[2 + i] + 2 * pad[i] - di[i] * (W[2 + i] - 1) - 1;
        if (!W[2 + i] || room < 0) return refuse(c);
        O[i] = room / st[i] + 1;
    }
    int64_t dim[4] = {X[0], W[0], one ? O[1] : O[0], O[1]};
    shape_out(c, d, want, dim);
    with_slack(c);
    for (int64_t i = 0; i < c->out->count; i++) {
        int64_t v = i % O[1], h = i / O[1] % O[0], o = i / (O[1] * O[0]) % W[0], n = i / (O[1] * O[0] * W[0]);
        sum t = {0};
        for (int64_t ch = 0; ch < W[1]; ch++)
            for (int64_t k = 0; k < W[2] * W[3]; k++) {
                int64_t y = h * st[0] + k / W[3] * di[0] - pad[0], z = v * st[1] + k % W[3] * di[1] - pad[1];
                if (y < 0 || y >= X[2] || z < 0 || z >= X[3]) continue;
                int64_t channel = o / (W[0] / groups) * W[1] + ch;
                multiply(&t, &x, ((n * X[1] + channel) * X[2] + y) * X[3] + z, &w, (o * W[1] + ch) * W[2] * W[3] + k);
            }
        put(c, i, &t);
    }
}

/* ---- pooling: attr [0..1] window, [2..3] stride, [4..5] padding, [6] count_padding, [7] ceil, [8..9] dilation; variant 1: means ---- */

/* Number of elements of a window, from `from` on, that are in x or its padding. */
static int64_t padded(const int64_t *a, int64_t n, int i, int64_t from)
{
    int64_t end = from + a[i] < n + a[4 + i] ? from + a[i] : n + a[4 + i];
    return end - from;
}

static void window(call *c, int64_t at, const value *x, int64_t plane, const int64_t *from, bool mean)
{
    const int64_t *a = c->s->attr;
    int64_t H = x->dim[x->ndim - 2], V = x->dim[x->ndim - 1], count = 0;
    double best = -INFINITY, size = 0;
    long double total = 0;
    bool nan = false;
    for (int64_t k = 0; k < a[0] * a[1]; k++) {
        int64_t y = from[0] + k / a[1] * a[8], z = from[1] + k % a[1] * a[9];
        if (y < 0 || y >= H || z < 0 || z >= V) continue;
        double e = get_f(x, (plane * H + y) * V + z);
        nan = nan || isnan(e);
        best = e > best ? e : best;
        total += e, size += fabs(e), count++;
    }
    if (!mean) {
        if (!count || best == 0) c->out->slack[at] = 0;
        set_f(c->out, at, nan ? (double)NAN : best);
        return;
    }
    int64_t n = a[6] ? padded(a, H, 0, from[0]) * padded(a, V, 1, from[1]) : count;
    situ_dtype wide = x->dtype == SITU_F64 ? SITU_F64 : SITU_F32;
    set_f(c->out, at, (double)(total / (long double)n));
    int64_t steps = count < 1024 ? count : 1024 + 64; /* blocks of so many are added up as a tree */
    double digit = wide != x->dtype ? 2 * ulp_of(x->dtype, get_f(c->out, at)) : 0;
    c->out->slack[at] = (double)(steps + 3 + 4 * a[7]) * ulp_of(wide, size / (double)n) + digit;
    if (!(size < (x->dtype == SITU_F64 ? 1e300 : x->dtype == SITU_F16 ? 3e4 : 1e37))) c->out->unknown = true;
}

void interpret_pool(call *c)
{
    const int64_t *a = c->s->attr;
    value x = c->in[0];
    bool mean = rows[c->s->row].variant;
    if (rank_of(x.dtype) != 2) return leave_open(c);
    if (x.ndim < 2) return refuse(c);
    int64_t dim[SITU_MAX_DIMS], O[2];
    memcpy(dim, x.dim, sizeof dim);
    for (int i = 0; i < 2; i++) {
        int64_t n = x.dim[x.ndim - 2 + i], room = n + 2 * a[4 + i] - (a[i] - 1) * a[8 + i] - 1, s = a[2 + i];
        if (2 * a[4 + i] > a[i] || room < 0) return refuse(c);
        if (!n) {
            c->out->status = OPEN; /* windows without an element */
            return;
        }
        O[i] = room / s + 1;
        O[i] += a[7] && room % s && O[i] * s < n + a[4 + i];
        dim[x.ndim - 2 + i] = O[i];
    }
    shape_out(c, x.dtype, x.ndim, dim);
    with_slack(c);
    for (int64_t i = 0; i < c->out->count; i++) {
        int64_t v = i % O[1], h = i / O[1] % O[0], from[2] = {h * a[2] - a[4], v * a[3] - a[5]};
        window(c, i, &x, i / (O[0] * O[1]), from, mean);
    }
}
