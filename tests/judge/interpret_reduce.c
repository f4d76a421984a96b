/* Reductions. attr: [0] number of axes (-1: all are reduced), [1..] the axes, [8] keepdims. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "interpret.h"
#include "reduce_kinds.h"

lines lines_of(const value *v, int axis)
{
    lines l = {1, v->dim[axis], 1};
    for (int i = 0; i < axis; i++) l.outer *= v->dim[i];
    for (int i = axis + 1; i < v->ndim; i++) l.inner *= v->dim[i];
    return l;
}

/* ---- the axes ---- */


bool plan_axes(const statement *s, const value *v, reduction *p)
{
    memset(p, 0, sizeof *p);
    p->n = p->outer = p->inner = 1;
    for (int i = 0; i < v->ndim; i++) p->gone[i] = s->attr[0] < 0;
    for (int k = 0; k < s->attr[0]; k++) {
        int a = axis_of(s->attr[1 + k], v->ndim);
        if (a < 0 || p->gone[a]) return false;
        p->gone[a] = true;
    }
    int first = -1, end = -1, count = 0;
    for (int i = 0; i < v->ndim; i++) {
        if (p->gone[i]) p->n *= v->dim[i], first = first < 0 ? i : first, end = i, count++;
        if (!p->gone[i] || s->attr[8]) p->dim[p->ndim++] = p->gone[i] ? 1 : v->dim[i];
    }
    p->none = !count;
    p->between = !count || end - first + 1 == count;
    for (int i = 0; i < v->ndim && count; i++) {
        if (i < first) p->outer *= v->dim[i];
        if (i > end) p->inner *= v->dim[i];
    }
    if (!count) p->outer = v->count;
    p->last = p->between && p->inner == 1;
    return true;
}

/* The result element to which element i of v belongs. */
int64_t target(const reduction *p, const value *v, int64_t i)
{
    int64_t at = 0, step = 1;
    for (int k = v->ndim - 1; k >= 0; k--) {
        int64_t x = i % v->dim[k];
        i /= v->dim[k];
        if (p->gone[k]) continue;
        at += x * step;
        step *= v->dim[k];
    }
    return at;
}

/* ---- sums of floats, in their written order ---- */

static double rounded(bool wide, double x) { return wide ? x : (double)(float)x; }

/* Adds adjacent pairs, level by level; an odd last one moves up. */
static double fold_blocks(double *block, int64_t n, bool wide)
{
    if (!n) return 0;
    for (; n > 1; n = (n + 1) / 2)
        for (int64_t i = 0; 2 * i < n; i++)
            block[i] = 2 * i + 1 < n ? rounded(wide, block[2 * i] + block[2 * i + 1]) : block[2 * i];
    return block[0];
}

static double sum_last(arena *memory, const value *v, int64_t first, int64_t n, bool wide)
{
    double *block = take(memory, sizeof(double) * (size_t)(n / 1024 + 1));
    int64_t blocks = 0;
    for (int64_t at = 0; at < n; at += 1024, blocks++) {
        double lane[64] = {0};
        for (int64_t i = at; i < n && i < at + 1024; i++)
            lane[(i - at) % 64] = rounded(wide, lane[(i - at) % 64] + get_f(v, first + i));
        for (int half = 32; half; half /= 2)
            for (int i = 0; i < half; i++) lane[i] = rounded(wide, lane[i] + lane[i + half]);
        block[blocks] = lane[0];
    }
    return fold_blocks(block, blocks, wide);
}

static double sum_between(arena *memory, const value *v, int64_t first, int64_t n, int64_t step, bool wide)
{
    double *block = take(memory, sizeof(double) * (size_t)(n / 64 + 1));
    int64_t blocks = 0;
    for (int64_t at = 0; at < n; at += 64, blocks++) {
        block[blocks] = 0;
        for (int64_t i = at; i < n && i < at + 64; i++)
            block[blocks] = rounded(wide, block[blocks] + get_f(v, first + i * step));
    }
    return fold_blocks(block, blocks, wide);
}

static void ordered_sum(call *c, const reduction *p, const value *v, bool wide)
{
    value *out = c->out;
    for (int64_t i = 0; i < out->count; i++) {
        int64_t o = i / p->inner, k = i % p->inner;
        double x = p->last ? sum_last(c->m->memory, v, o * p->n, p->n, wide)
                           : sum_between(c->m->memory, v, o * p->n * p->inner + k, p->n, p->inner, wide);
        set_f(out, i, x);
    }
}

/* ---- everything else: one accumulator for each result ---- */

typedef struct accumulator {
    uint64_t u;
    long double f, size; /* size: the sum of absolute values */
    bool nan;
    int64_t count;
    double up, down; /* of a product: powers of two by which intermediate values may rise and fall */
} accumulator;

static void feed(accumulator *a, int kind, const value *v, int64_t i)
{
    bool real = rank_of(v->dtype) == 2, is_new = !a->count++;
    double x = real ? get_f(v, i) : 0;
    uint64_t u = real ? 0 : get_u(v, i);
    if (real && isnan(x)) a->nan = true;
    if (kind == R_SUM) a->u += u, a->f += x, a->size += fabs(x);
    else if (kind == R_PROD) {
        double power = x != 0 && isfinite(x) ? log2(fabs(x)) : 0;
        a->u = is_new ? u : a->u * u, a->f = is_new ? x : a->f * x;
        a->up += power > 0 ? power : 0, a->down += power < 0 ? power : 0;
    } else if (kind == R_ANY || kind == R_ALL || kind == R_COUNT) a->u += real ? x != 0 : u != 0;
    else if (real) {
        bool better = kind == R_MAX ? x > a->f || (x == a->f && signbit((double)a->f) && !signbit(x))
                                    : x < a->f || (x == a->f && !signbit((double)a->f) && signbit(x));
        if (is_new || better) a->f = x;
    } else {
        bool less = is_signed(v->dtype) ? (int64_t)u < (int64_t)a->u : u < a->u;
        bool better = kind == R_MAX ? !less && u != a->u : less;
        if (is_new || better) a->u = u;
    }
}

static void finish(call *c, int kind, const accumulator *a, int64_t i, int64_t n, situ_dtype in)
{
    value *out = c->out;
    if (kind == R_ANY) set_u(out, i, a->u != 0);
    else if (kind == R_ALL) set_u(out, i, a->u == (uint64_t)n);
    else if (kind == R_COUNT || rank_of(in) < 2) set_u(out, i, kind == R_PROD && !n ? 1 : a->u);
    else {
        long double x = a->nan && kind != R_SUM && kind != R_PROD ? NAN : kind == R_PROD && !n ? 1 : a->f;
        set_f(out, i, (double)x);
        if (!out->slack) return;
        if (kind == R_MAX || kind == R_MIN) {
            out->slack[i] = x == 0 ? 1e-300 : 0;
            return;
        }
        double size = kind == R_SUM ? (double)a->size : fabs((double)x);
        situ_dtype wide = out->dtype == SITU_F64 ? SITU_F64 : SITU_F32;
        out->slack[i] = (double)(n + 2) * ulp_of(wide, size) + (wide != out->dtype ? ulp_of(out->dtype, size) : 0);
        if (kind == R_PROD) out->unknown = out->unknown || a->up > 120 || a->down < -120;
        /* finite numbers of both signs whose partial sums overflow: the result is an infinity, NaN or finite, depending
         * on the order */
        if (kind == R_SUM) out->unknown = out->unknown || (isfinite(size) && size > (wide == SITU_F64 ? DBL_MAX / 2 : FLT_MAX));
    }
}

static situ_dtype result_dtype(const statement *s, int kind, situ_dtype d)
{
    if (kind == R_ANY || kind == R_ALL) return SITU_BOOL;
    if (kind == R_COUNT) return SITU_I64;
    if (kind == R_MAX || kind == R_MIN) return d;
    if (s->dtype != SITU_DTYPE_DEFAULT) return s->dtype;
    return rank_of(d) > 1 ? d : d == SITU_BOOL || is_signed(d) ? SITU_I64 : SITU_U64;
}

void interpret_reduce(call *c)
{
    int kind = rows[c->s->row].variant;
    reduction p;
    value v = c->in[0];
    if (!plan_axes(c->s, &v, &p)) return refuse(c);
    if (is_complex(v.dtype)) return leave_open(c); /* only compared between the ways of running */
    if ((kind == R_MAX || kind == R_MIN) && (!p.n || v.dtype == SITU_BOOL)) {
        if (!p.n) return refuse(c); /* (bools are compared as such) */
    }
    situ_dtype d = result_dtype(c->s, kind, v.dtype);
    bool folds = kind == R_SUM || kind == R_PROD;
    if (folds && rank_of(v.dtype) > rank_of(d)) {
        c->out->status = OPEN;
        shape_out(c, d, p.ndim, p.dim);
        c->out->status = OPEN;
        return;
    }
    shape_out(c, d, p.ndim, p.dim);
    if (folds) v = cast_value(c, &v, d);
    if (folds && p.none) { /* no axis: nothing is added */
        c->out->bits = v.bits;
        return;
    }
    bool real = rank_of(d) == 2;
    if (kind == R_SUM && real && p.between && v.dtype == d) {
        ordered_sum(c, &p, &v, d == SITU_F64);
        return;
    }
    if ((folds || kind == R_MAX || kind == R_MIN) && real) with_slack(c);
    accumulator *a = take(c->m->memory, sizeof *a * (size_t)(c->out->count + 1));
    memset(a, 0, sizeof *a * (size_t)(c->out->count + 1));
    for (int64_t i = 0; i < v.count; i++) feed(&a[target(&p, &v, i)], kind, &v, i);
    for (int64_t i = 0; i < c->out->count; i++) finish(c, kind, &a[i], i, p.n, v.dtype);
}

/* ---- moments ---- */

static long double moment(int kind, const long double *x, int64_t n, const statement *s, double *slack, situ_dtype d)
{
    long double sum = 0, size = 0, squares = 0, most = 0, digit = ulp_of(d, 1);
    for (int64_t i = 0; i < n; i++) sum += x[i], size += fabsl(x[i]), most = fabsl(x[i]) > most || isnan(x[i]) ? fabsl(x[i]) : most;
    long double mean = sum / (long double)n;
    if (kind == R_MEAN) return *slack = (double)(n + 4) * ulp_of(d, (double)(size / (long double)n)), mean;
    if (kind == R_LSE) {
        long double m = -INFINITY, t = 0;
        for (int64_t i = 0; i < n; i++) m = x[i] > m || isnan(x[i]) ? x[i] : m;
        if (!isfinite(m)) return m;
        for (int64_t i = 0; i < n; i++) t += expl(x[i] - m);
        *slack = (double)(n + 8) * (ulp_of(d, 1) + ulp_of(d, (double)m) + ulp_of(d, (double)(m + logl(t))));
        return m + logl(t);
    }
    if (kind == R_NORM) {
        for (int64_t i = 0; i < n; i++) squares += x[i] * x[i];
        return *slack = (double)(n + 8) * ulp_of(d, (double)sqrtl(squares)), sqrtl(squares);
    }
    for (int64_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    long double variance = squares / ((long double)n - s->real[0]), root = sqrtl(fabsl(variance));
    long double error = (long double)(n + 8) * (digit * most + ulp_of(d, 0));
    long double off = (long double)(n + 8) * digit * variance + error * root * 4 + error * error;
    *slack = (double)(kind == R_VAR ? off : root > 0 ? off / root + digit * root : sqrtl(off));
    return kind == R_VAR ? variance : sqrtl(variance);
}

/* Bound below which no intermediate value overflows and the result keeps its digits. */
static double limit_of(int kind, situ_dtype d)
{
    if (d == SITU_F16) return kind == R_VAR ? 200 : 6e4;
    bool scaled = kind == R_NORM || kind == R_STD || kind == R_MEAN;
    if (d == SITU_F64) return scaled ? 1e300 : 1e140;
    return scaled ? 1e33 : 1e15;
}

void interpret_moments(call *c)
{
    int kind = rows[c->s->row].variant;
    reduction p;
    const value *v = &c->in[0];
    if (!plan_axes(c->s, v, &p)) return refuse(c);
    if (is_complex(v->dtype)) return leave_open(c);
    situ_dtype d = rank_of(v->dtype) < 2 ? SITU_F32 : v->dtype;
    shape_out(c, d, p.ndim, p.dim);
    with_slack(c);
    value *out = c->out;
    if (!p.n || v->dtype == SITU_BOOL) out->status = OPEN;
    if (out->status == OPEN) return;
    long double *x = take(c->m->memory, sizeof *x * (size_t)(v->count + 1));
    int64_t *filled = take(c->m->memory, sizeof *filled * (size_t)(out->count + 1));
    memset(filled, 0, sizeof *filled * (size_t)(out->count + 1));
    bool wild = false;
    for (int64_t i = 0; i < v->count; i++) {
        int64_t t = target(&p, v, i);
        double y = get_f(v, i);
        x[t * p.n + filled[t]++] = y;
        wild = wild || !isfinite(y) || (is_float(v->dtype) && fabs(y) > limit_of(kind, d));
        wild = wild || (kind == R_VAR && y != 0 && fabs(y) < (d == SITU_F64 ? 1e-140 : 1e-15));
    }
    out->unknown = wild; /* whether intermediate values overflow depends on the order */
    bool digits = is_integer(v->dtype) && size_of(v->dtype) >= 4; /* f32 does not hold all integers */
    situ_dtype wide = d == SITU_F64 || digits ? SITU_F64 : SITU_F32;
    for (int64_t i = 0; i < out->count; i++) {
        long double y = moment(kind, x + i * p.n, p.n, c->s, &out->slack[i], wide);
        set_f(out, i, (double)y);
        if (wide != d) out->slack[i] += 2 * ulp_of(d, (double)y);
    }
}

/* ---- positions of extremes: [0] axis or SITU_ALL_AXES, [1] keepdims ---- */

void interpret_arg(call *c)
{
    const statement *s = c->s;
    value v = c->in[0];
    int64_t dim[SITU_MAX_DIMS], flat = v.count;
    bool all = s->attr[0] == SITU_ALL_AXES, largest = rows[s->row].variant == R_MAX;
    int axis = all ? 0 : axis_of(s->attr[0], v.ndim), ndim = 0;
    if (axis < 0) return refuse(c);
    lines l = all ? (lines){1, flat, 1} : lines_of(&v, axis);
    if (!l.n) return refuse(c);
    for (int i = 0; i < v.ndim; i++) {
        bool gone = all || i == axis;
        if (!gone || s->attr[1]) dim[ndim++] = gone ? 1 : v.dim[i];
    }
    shape_out(c, SITU_I64, ndim, dim);
    for (int64_t i = 0; i < c->out->count; i++) {
        int64_t first = i / l.inner * l.n * l.inner + i % l.inner, best = 0;
        for (int64_t k = 1; k < l.n; k++) {
            int64_t a = first + k * l.inner, b = first + best * l.inner;
            if (is_nan_at(&v, b)) break;
            int order = compare_elements(&v, a, b);
            if (is_nan_at(&v, a) || (largest ? order > 0 : order < 0)) best = k;
        }
        set_u(c->out, i, (uint64_t)best);
    }
}
