/* Losses: of labels, of pairs of numbers of any real dtype, of rows. attr: [0] reduction: 0 mean, 1 sum, 2 none;
 * real[0]: the margin or bound. */
#include <math.h>
#include <string.h>

#include "interpret.h"
#include "loss_kinds.h"

static void reduced(call *c, situ_dtype d, int ndim, const int64_t *dim, const long double *loss, const double *slack)
{
    int64_t n = count_of(ndim, dim), how = c->s->attr[0];
    shape_out(c, d, how == 2 ? ndim : 0, dim);
    with_slack(c);
    long double total = 0;
    double off = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        if (how == 2) put_near(c, i, loss[i], slack[i]);
        total += loss[i], off += slack[i], size += fabs((double)loss[i]);
    }
    if (how == 2) return;
    off += (double)(n + 8) * unit_of(d) * size;
    put_near(c, 0, how ? total : total / (long double)n, how ? off : off / (double)n);
    if (!n) c->out->unknown = true;
    if (!(size < (d == SITU_F16 ? 6e4 : d == SITU_F64 ? 1e300 : 1e38))) c->out->unknown = true;
}

static void cross_entropy(call *c)
{
    value x = c->in[0], y = c->in[1];
    if (x.ndim < 1 || y.ndim != x.ndim - 1 || !is_integer(y.dtype)) return refuse(c);
    for (int i = 0; i < y.ndim; i++)
        if (y.dim[i] != x.dim[i]) return refuse(c);
    int64_t n = x.dim[x.ndim - 1];
    long double *loss = take(c->m->memory, sizeof *loss * (size_t)(y.count + 1));
    double *slack = take(c->m->memory, sizeof *slack * (size_t)(y.count + 1));
    bool late = false, wild = false;
    for (int64_t i = 0; i < y.count; i++) {
        long double m = -INFINITY, t = 0;
        for (int64_t k = 0; k < n; k++) {
            double e = get_f(&x, i * n + k);
            wild = wild || !(fabs(e) < (x.dtype == SITU_F16 ? 3e4 : 1e30));
            m = e > m ? e : m;
        }
        for (int64_t k = 0; k < n; k++) t += expl(get_f(&x, i * n + k) - m);
        uint64_t label = get_u(&y, i);
        late = late || label >= (uint64_t)n;
        double e = label < (uint64_t)n ? get_f(&x, i * n + (int64_t)label) : 0;
        loss[i] = m + logl(t) - e;
        slack[i] = (double)(n + 16) * unit_of(x.dtype) * (fabs(e) + fabs((double)m) + fabs((double)loss[i]) + 1);
    }
    reduced(c, x.dtype, y.ndim, y.dim, loss, slack);
    c->out->unknown = c->out->unknown || wild;
    if (late) c->out->status = LATE;
}

void interpret_loss(call *c)
{
    if (rank_of(c->in[0].dtype) != 2) return leave_open(c);
    cross_entropy(c);
}

/* ---- of numbers beside each other ---- */

/* The dtype in which integers are computed, where differences do not overflow; for floats their own. */
static situ_dtype dtype_of_loss(const call *c, int n, bool *whole)
{
    situ_dtype d = SITU_F32;
    *whole = true;
    for (int i = 0; i < n; i++) {
        if (is_float(c->in[i].dtype)) *whole = false;
        if (rank_of(c->in[i].dtype) == 1 && size_of(c->in[i].dtype) >= 4) d = SITU_F64;
    }
    return *whole ? d : c->in[0].dtype;
}

/* The loss of a and b (and c), and the magnitude of intermediate values, each times the slope there. */
static long double of_pair(int kind, double a, double b, double c, double bound, long double *size)
{
    long double d = (long double)a - b, far = fabsl(a) + fabsl(b), yes, no;
    switch (kind) {
    case P_MSE: return *size = 4 * fabsl(d) * far + d * d, d * d;
    case P_SMOOTH:
        yes = of_pair(bound > 0 ? P_HUBER : P_L1, a, b, c, bound, size);
        *size /= bound > 0 ? bound : 1;
        return yes / (bound > 0 ? bound : 1);
    case P_HUBER:
        *size = fminl(fabsl(d), bound) * far + bound * bound;
        return fabsl(d) < bound ? d * d / 2 : bound * (fabsl(d) - bound / 2);
    case P_HINGE: return *size = 1 + fabsl((long double)a * b), fmaxl(0, 1 - (long double)a * b);
    case P_HINGE_EMBEDDING: return *size = fabsl(a) + fabs(bound), b == 1 ? a : b == -1 ? fmaxl(0, bound - (long double)a) : 0;
    case P_RANKING: return *size = fabs(c) * far + fabs(bound), fmaxl(0, bound - c * d);
    case P_SHARE:
        yes = fmaxl(-100, logl(a)), no = fmaxl(-100, log1pl(-a));
        *size = fabs(b) * (1 - yes) + fabsl(1 - (long double)b) * (1 - no + (a < 1 ? 1 / (1 - (long double)a) : 0));
        return a < 0 || a > 1 ? NAN : -(b * yes + (1 - (long double)b) * no);
    case P_LOGIT:
        yes = a > 0 ? log1pl(expl(-a)) : log1pl(expl(a)) - a;
        *size = fabsl((1 - (long double)b) * a) + yes + 1;
        return (1 - (long double)b) * a + yes;
    case P_DIVERGENCE: return *size = b == 0 ? 0 : fabs(b) * (fabsl(logl(b)) + fabs(a) + 1), b == 0 ? 0 : b * (logl(b) - a);
    default: return *size = far, fabsl(d);
    }
}

void interpret_pair_loss(call *c)
{
    int kind = rows[c->s->row].variant, n = c->s->nin;
    value a = c->in[0], b = c->in[1], third = c->in[n - 1];
    bool whole, wild = false, bools = true;
    situ_dtype d = dtype_of_loss(c, n, &whole);
    for (int i = 0; i < n; i++) {
        bools = bools && c->in[i].dtype == SITU_BOOL;
        if (is_complex(c->in[i].dtype) || c->in[i].ndim != a.ndim || memcmp(a.dim, c->in[i].dim, sizeof *a.dim * (size_t)a.ndim))
            return leave_open(c);
        if (!whole && c->in[i].dtype != d && rank_of(c->in[i].dtype) > 1) return leave_open(c); /* floats of another dtype */
    }
    if (bools || (!whole && !is_float(a.dtype))) return leave_open(c);
    long double *loss = take(c->m->memory, sizeof *loss * (size_t)(a.count + 1));
    double *slack = take(c->m->memory, sizeof *slack * (size_t)(a.count + 1));
    for (int64_t i = 0; i < a.count; i++) {
        long double size;
        double x = get_f(&a, i), y = get_f(&b, i), z = get_f(&third, i);
        loss[i] = of_pair(kind, x, y, z, c->s->real[0], &size);
        slack[i] = 8 * unit_of(d) * (double)size;
        bool unread = kind == P_DIVERGENCE && y == 0, fits = size < (d == SITU_F64 ? 1e300 : d == SITU_F16 ? 3e4 : 1e37);
        fits = fits && (d != SITU_F16 || fabs(y) < 6e4); /* an integer that f16 does not hold */
        wild = wild || !fits || !isfinite(y) || !isfinite(z) || (!isfinite(x) && !unread);
    }
    reduced(c, whole ? SITU_F32 : d, a.ndim, a.dim, loss, slack);
    c->out->unknown = c->out->unknown || wild;
}

/* ---- of rows ---- */

static long double cosine(const value *a, const value *b, int64_t first, int64_t n)
{
    long double dot = 0, x = 1e-12L, y = 1e-12L;
    for (int64_t k = first; k < first + n; k++) {
        dot += (long double)get_f(a, k) * get_f(b, k);
        x += powl(get_f(a, k), 2), y += powl(get_f(b, k), 2);
    }
    return dot / sqrtl(x * y);
}

static long double distance(const value *a, const value *b, int64_t first, int64_t n, long double *size)
{
    long double sum = 0;
    for (int64_t k = first; k < first + n; k++) {
        sum += powl((long double)get_f(a, k) - get_f(b, k) + 1e-6L, 2);
        *size += fabs(get_f(a, k)) + fabs(get_f(b, k));
    }
    return sqrtl(sum);
}

void interpret_row_loss(call *c)
{
    bool whole, triplet = rows[c->s->row].variant == P_TRIPLET, wild = false;
    value a = c->in[0], b = c->in[1], third = c->in[2];
    situ_dtype d = dtype_of_loss(c, triplet ? 3 : 2, &whole);
    if (a.ndim < 1 || is_complex(d) || a.dtype != b.dtype || a.dtype == SITU_BOOL || (triplet && third.dtype != a.dtype))
        return leave_open(c);
    int64_t n = a.dim[a.ndim - 1], count = n ? a.count / n : 0;
    if (!n) return leave_open(c);
    long double *loss = take(c->m->memory, sizeof *loss * (size_t)(count + 1));
    double *slack = take(c->m->memory, sizeof *slack * (size_t)(count + 1)), bound = c->s->real[0];
    for (int64_t i = 0; i < count; i++) {
        long double size = 1, most = 0;
        for (int64_t k = i * n; k < (i + 1) * n; k++) {
            most = fmaxl(most, fmaxl(fabs(get_f(&a, k)), fabs(get_f(&b, k))));
            wild = wild || !isfinite(get_f(&a, k)) || !isfinite(get_f(&b, k)) || (triplet && !isfinite(get_f(&third, k)));
        }
        if (triplet) {
            loss[i] = fmaxl(0, bound + distance(&a, &b, i * n, n, &size) - distance(&a, &third, i * n, n, &size));
        } else {
            long double y = cosine(&a, &b, i * n, n), sign = get_f(&third, i);
            loss[i] = sign == 1 ? 1 - y : sign == -1 ? fmaxl(0, y - bound) : 0;
        }
        double added = most > 1e50 ? 1.5e-12 : 0; /* rows are scaled by a norm plus 1e-12 */
        slack[i] = (double)(n + 16) * unit_of(d) * (double)(triplet ? size : 2) + added;
        wild = wild || !(size < (d == SITU_F16 ? 3e4 : 1e30)) || most > (d == SITU_F64 ? 1e300 : 1e33);
    }
    reduced(c, whole ? SITU_F32 : d, a.ndim - 1, a.dim, loss, slack);
    c->out->unknown = c->out->unknown || wild;
}

/* The share of rows whose largest score is that of their label; NaN counts as largest. */
void interpret_accuracy(call *c)
{
    value x = c->in[0], y = c->in[1];
    if (x.ndim < 1 || y.ndim != x.ndim - 1 || !is_integer(y.dtype)) return refuse(c);
    for (int i = 0; i < y.ndim; i++)
        if (y.dim[i] != x.dim[i]) return refuse(c);
    int64_t n = x.dim[x.ndim - 1], right = 0;
    if (is_complex(x.dtype) || !n || !y.count) return leave_open(c);
    shape_out(c, SITU_F32, 0, NULL);
    with_slack(c);
    for (int64_t i = 0; i < y.count; i++) {
        int64_t best = 0;
        for (int64_t k = 1; k < n && !is_nan_at(&x, i * n + best); k++)
            if (is_nan_at(&x, i * n + k) || compare_elements(&x, i * n + k, i * n + best) > 0) best = k;
        if (get_u(&y, i) >= (uint64_t)n) c->out->status = LATE;
        right += get_u(&y, i) == (uint64_t)best;
    }
    put_near(c, 0, (long double)right / (long double)y.count, 0);
}
