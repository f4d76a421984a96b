/* Linear algebra: dtypes and shapes, and the properties that results must have. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "function_kinds.h"
#include "interpret.h"

enum { MOST = 8 };
typedef struct matrix {
    int m, n;
    double complex e[MOST][MOST];
} matrix;

/* ---- dtypes and shapes ---- */

void interpret_matrix(call *c)
{
    int kind = rows[c->s->row].variant, last = c->in[0].ndim - 1;
    const value *x = &c->in[kind == L_SOLVE];
    situ_dtype d = c->in[0].dtype, real = part_of(d);
    int64_t dim[SITU_MAX_DIMS], m = c->in[0].dim[last - 1], n = c->in[0].dim[last], k = m < n ? m : n;
    bool all = c->s->attr[0] != 0;
    memcpy(dim, x->dim, sizeof dim);
    int ndim = x->ndim;
    switch (kind) {
    case L_DET:
    case L_SIGN: ndim -= 2; break;
    case L_LOG: ndim -= 2, d = real; break;
    case L_RANK: ndim -= 2, d = SITU_I64; break;
    case L_Q:
    case L_U: dim[last] = all ? m : k; break;
    case L_R:
    case L_VH: dim[last - 1] = all ? (kind == L_R ? m : n) : k; break;
    case L_EIGH:
    case L_SVD: ndim--, dim[last - 1] = k, d = real; break;
    case L_PINV: dim[last - 1] = n, dim[last] = m; break;
    default: break;
    }
    if (kind == L_U) dim[last - 1] = m;
    shape_out(c, d, ndim, dim);
    c->out->status = OPEN;
}

/* ---- small matrices ---- */

static bool load(matrix *a, const value *v, int64_t batch)
{
    int64_t m = v->dim[v->ndim - 2], n = v->dim[v->ndim - 1];
    if (m > MOST || n > MOST) return false;
    a->m = (int)m, a->n = (int)n;
    for (int i = 0; i < a->m; i++)
        for (int j = 0; j < a->n; j++) {
            double z[2];
            get_c(v, batch * m * n + i * n + j, z);
            a->e[i][j] = CMPLX(z[0], z[1]);
            if (!isfinite(z[0]) || !isfinite(z[1]) || cabs(a->e[i][j]) > 1e18) return false;
        }
    return true;
}

static matrix times(const matrix *a, const matrix *b)
{
    matrix c = {.m = a->m, .n = b->n};
    for (int i = 0; i < a->m; i++)
        for (int j = 0; j < b->n; j++)
            for (int k = 0; k < a->n; k++) c.e[i][j] += a->e[i][k] * b->e[k][j];
    return c;
}

static matrix adjoint(const matrix *a)
{
    matrix c = {.m = a->n, .n = a->m};
    for (int i = 0; i < a->m; i++)
        for (int j = 0; j < a->n; j++) c.e[j][i] = conj(a->e[i][j]);
    return c;
}

static matrix identity(int n)
{
    matrix c = {.m = n, .n = n};
    for (int i = 0; i < n; i++) c.e[i][i] = 1;
    return c;
}

/* The lower triangle, made Hermitian. */
static matrix hermitian(const matrix *a)
{
    matrix c = *a;
    for (int i = 0; i < a->m; i++) {
        c.e[i][i] = creal(a->e[i][i]);
        for (int j = 0; j < i; j++) c.e[j][i] = conj(a->e[i][j]);
    }
    return c;
}

static double norm(const matrix *a)
{
    double s = 0;
    for (int i = 0; i < a->m; i++)
        for (int j = 0; j < a->n; j++) s += creal(a->e[i][j]) * creal(a->e[i][j]) + cimag(a->e[i][j]) * cimag(a->e[i][j]);
    return sqrt(s);
}

static double apart(const matrix *a, const matrix *b)
{
    matrix c = *a;
    for (int i = 0; i < a->m; i++)
        for (int j = 0; j < a->n; j++) c.e[i][j] -= b->e[i][j];
    return norm(&c);
}

/* The largest element that should be 0: off the diagonal, or only above (below) it. */
static double beside(const matrix *a, bool above, bool below)
{
    matrix c = *a;
    for (int i = 0; i < a->m; i++)
        for (int j = 0; j < a->n; j++)
            if (!(j > i ? above : j < i && below)) c.e[i][j] = 0;
    return norm(&c);
}

static double complex determinant(matrix a, double *bound)
{
    double complex d = 1;
    *bound = 1;
    for (int i = 0; i < a.m; i++) {
        double row = 0;
        for (int j = 0; j < a.n; j++) row += cabs(a.e[i][j]);
        *bound *= row;
    }
    for (int k = 0; k < a.n; k++) {
        int p = k;
        for (int i = k; i < a.n; i++)
            if (cabs(a.e[i][k]) > cabs(a.e[p][k])) p = i;
        for (int j = 0; j < a.n && p != k; j++) {
            double complex t = a.e[k][j];
            a.e[k][j] = a.e[p][j], a.e[p][j] = t;
        }
        d *= p == k ? a.e[k][k] : -a.e[k][k];
        for (int i = k + 1; i < a.n && a.e[k][k] != 0; i++)
            for (int j = a.n - 1; j >= k; j--) a.e[i][j] -= a.e[i][k] / a.e[k][k] * a.e[k][j];
    }
    return d;
}

/* ---- what results are like: how far they are from it, in units of what rounding may do ---- */

typedef struct question {
    int kind;
    bool all;
    matrix a, b; /* b: the right side */
    const value *got;
    int64_t batch;
    double unit, least; /* least: the distance of the numbers nearest to 0, for a result element and in sums of MOST terms */
} question;

static double complex number_at(const question *q)
{
    double z[2];
    get_c(q->got, q->batch, z);
    return CMPLX(z[0], z[1]);
}

static double of_numbers(const question *q)
{
    double bound, tolerance;
    double complex d = determinant(q->a, &bound), got = number_at(q);
    tolerance = q->unit * (bound + cabs(d)) + q->least;
    if (q->kind == L_DET) return cabs(got - d) / tolerance;
    if (cabs(d) < 1e4 * tolerance) return 0; /* it may be singular */
    if (q->kind == L_SIGN) return cabs(got - d / cabs(d)) / (tolerance / cabs(d) + q->unit);
    return fabs(creal(got) - log(cabs(d))) / (tolerance / cabs(d) + q->unit * (1 + fabs(log(cabs(d)))));
}

/* Eigenvalues of a Hermitian matrix, or singular values: checks their order, their sum, and the sum of their squares. */
static double of_spectra(const question *q)
{
    int k = q->a.m < q->a.n ? q->a.m : q->a.n;
    matrix a = q->kind == L_EIGH ? hermitian(&q->a) : q->a;
    double squares = 0, sum = 0, trace = 0, size = norm(&a), before = 0;
    for (int i = 0; i < k; i++) {
        double w = get_f(q->got, q->batch * k + i);
        if (i && (q->kind == L_EIGH ? w < before : w > before)) return 1e30;
        if (q->kind == L_SVD && w < 0) return 1e30;
        before = w;
        squares += w * w, sum += w, trace += creal(a.e[i][i]);
    }
    double off = fabs(squares - size * size) / (q->unit * size * size + 2 * size * q->least + 1e-300);
    return q->kind == L_EIGH ? fmax(off, fabs(sum - trace) / (q->unit * size + q->least)) : off;
}

static double of_columns(const question *q, const matrix *v)
{
    matrix h = adjoint(v), one = q->kind == L_VH ? times(v, &h) : times(&h, v), id = identity(one.n);
    double off = apart(&one, &id) / q->unit, size = norm(&q->a);
    matrix a = q->a, ah = adjoint(&a), rest;
    if (q->kind == L_Q) { /* it must span the columns of a */
        rest = times(&h, &a);
        rest = times(v, &rest);
        return fmax(off, apart(&rest, &a) / (q->unit * size + 1e-300));
    }
    if (q->kind == L_VECTORS) a = hermitian(&q->a), size = norm(&a);
    else a = q->kind == L_U ? times(&a, &ah) : times(&ah, &a), size *= size;
    rest = q->kind == L_VH ? times(v, &a) : times(&h, &a); /* they must make it diagonal */
    rest = q->kind == L_VH ? times(&rest, &h) : times(&rest, v);
    return fmax(off, beside(&rest, true, true) / (q->unit * size + 1e-300));
}

static double of_products(const question *q, const matrix *x)
{
    const matrix *a = &q->a;
    matrix h = adjoint(x), left, right;
    double size = norm(a), own = norm(x), worst;
    switch (q->kind) {
    case L_CHOLESKY:
        left = q->all ? times(&h, x) : times(x, &h);
        right = hermitian(a);
        return fmax(apart(&left, &right) / (q->unit * size + 1e-300), beside(x, !q->all, q->all) > 0 ? 1e30 : 0);
    case L_SOLVE: left = times(a, x); return apart(&left, &q->b) / (q->unit * (size * own + norm(&q->b)) + size * q->least + 1e-300);
    case L_INV:
        left = times(a, x), right = identity(a->n);
        return apart(&left, &right) / (q->unit * size * own + size * q->least + 1e-300);
    case L_R:
        left = times(&h, x), right = adjoint(a), right = times(&right, a);
        return fmax(apart(&left, &right) / (q->unit * size * size + 2 * size * q->least + 1e-300), beside(x, false, true) > 0 ? 1e30 : 0);
    case L_PINV:
        if (size * own > 1e3) return 0; /* it is unclear which singular values count as 0 */
        left = times(a, x), right = adjoint(&left);
        worst = apart(&left, &right) / (q->unit * size * own + 1e-300);
        left = times(&left, a);
        return fmax(worst, apart(&left, a) / (q->unit * size * size * own + 1e-300));
    default: return 0;
    }
}

static double of_powers(const question *q, const matrix *x, int64_t n)
{
    matrix want = identity(q->a.n);
    double size = 1;
    for (int64_t i = 0; i < n; i++) want = times(&want, &q->a), size *= norm(&q->a);
    return n < 0 ? 0 : apart(x, &want) / (q->unit * size * 4 + q->least * fmax(1, size) + 1e-300);
}

CHECK_ROW(matrix)
{
    const statement *s = &p->s[i];
    const value *a = &m->value[s->in[0]];
    question q = {.kind = rows[s->row].variant, .all = s->attr[0] != 0, .got = got};
    int64_t batches = 1;
    if (!a->bits || a->ndim < 2) return true;
    for (int k = 0; k < a->ndim - 2; k++) batches *= a->dim[k];
    bool wide = part_of(a->dtype) == SITU_F64;
    for (q.batch = 0; q.batch < batches; q.batch++) {
        matrix x = {.m = 0};
        bool numbers = q.kind == L_DET || q.kind == L_SIGN || q.kind == L_LOG, spectra = q.kind == L_EIGH || q.kind == L_SVD;
        if (!load(&q.a, a, q.batch) || q.kind == L_RANK || (q.kind == L_SOLVE && !load(&q.b, &m->value[s->in[1]], q.batch))) return true;
        if (!numbers && !spectra && !load(&x, got, q.batch)) return true;
        q.unit = (wide ? 0x1p-52 : 0x1p-23) * 64 * MOST;
        q.least = (wide ? 0x1p-1074 : 0x1p-149) * 2 * MOST;
        double off = numbers ? of_numbers(&q) : spectra ? of_spectra(&q) : q.kind == L_POWER ? of_powers(&q, &x, s->attr[0]) :
                     q.kind == L_Q || q.kind == L_VECTORS || q.kind == L_U || q.kind == L_VH ? of_columns(&q, &x) : of_products(&q, &x);
        if (off <= 1) continue;
        snprintf(what, size, "matrix %lld is %.3g times as far from what it has to be as rounding may bring it", (long long)q.batch, off);
        return false;
    }
    return true;
}
