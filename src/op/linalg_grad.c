/* Gradients of the factorizations with several results. Formulas: M. B. Giles, Collected matrix derivative results for
 * forward and reverse mode (2008); for complex matrices, Z.-Q. Wan and S.-X. Zhang, Automatic differentiation for
 * complex valued SVD (2019). All are checked against differences (tests/unit/test_every_gradient.c,
 * tests/python/test_linalg.py).
 *
 * As everywhere nothing is conjugated in the gradients that come and go (JAX's convention); in between, G is conj(g),
 * the gradient with dL = Re tr(G^H dX). */
#include <situ/linalg.h>

#include "op/linalg.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static situ_tensor *skew(situ_tensor *x, situ_site site) { return situ_sub(x, situ_linalg_adjoint(x, site)); }

static situ_tensor *row(situ_tensor *x, situ_site site) { return situ_expand_dims(x, -2); }
static situ_tensor *column(situ_tensor *x, situ_site site) { return situ_expand_dims(x, -1); }

static situ_tensor *eye_like(situ_tensor *x, situ_site site)
{
    return situ_eye(x->dim[x->ndim - 1], .dtype = situ_dtype_real((situ_dtype)x->dtype), .device = x->device);
}

/* diag(values) as a batch of matrices. */
static situ_tensor *spread(situ_tensor *values, situ_site site) { return situ_mul(column(values, site), eye_like(values, site)); }

/* x[i,j] / (value[j] - value[i]) off the diagonal, 0 on it; 0 if x is 0 for equal values. */
static situ_tensor *by_gaps(situ_tensor *x, situ_tensor *value, situ_site site)
{
    situ_tensor *eye = eye_like(x, site);
    situ_tensor *gap = situ_add(situ_sub(row(value, site), column(value, site)), eye);
    situ_tensor *off = situ_mul(x, situ_sub(1, eye)), *nothing = situ_equal(off, 0);
    return situ_where(nothing, 0, situ_div(off, situ_where(nothing, 1, gap)));
}

/* The gradient for a real operand, from a gradient of complex results. */
static situ_tensor *as_operand(const situ_vjp *c, situ_tensor *gradient)
{
    situ_site site = c->site;
    if (!situ_dtype_is_complex((situ_dtype)c->in[0]->dtype)) return situ_real(gradient);
    return situ_conj(gradient);
}

/* Factors including vectors, even if y has only the values; and the gradients by them. */
typedef struct parts {
    situ_tensor *values, *vectors, *by_values, *by_vectors;
} parts;

static parts take_eigen(const situ_vjp *c)
{
    situ_site site = c->site;
    situ_tensor *g = situ_conj(c->g);
    int64_t n = c->in[0]->dim[c->in[0]->ndim - 1], first = 0, of_gradient = 0;
    if (c->y->ndim == c->in[0]->ndim)
        return (parts){situ_select(c->y, -1, n), situ_linalg_unpack(c->y, &first, n, -1, site), situ_select(g, -1, n),
            situ_linalg_unpack(g, &of_gradient, n, -1, site)};
    situ_tensor *whole = situ_linalg_factor(c->y->op, c->in[0], SITU_FACTOR_REDUCED, site);
    return (parts){c->y, situ_linalg_unpack(whole, &first, n, -1, site), g, NULL};
}

/* A = V diag(w) V^H: the Hermitian part of V (diag(Gw) + (V^H Gv) / (w_j - w_i)) V^H. */
void situ_vjp_eigh(situ_vjp *c)
{
    situ_site site = c->site;
    parts p = take_eigen(c);
    situ_tensor *up = situ_linalg_adjoint(p.vectors, site), *middle = spread(situ_real(p.by_values), site);
    if (p.by_vectors) middle = situ_add(middle, by_gaps(situ_matmul(up, p.by_vectors), situ_real(p.values), site));
    situ_tensor *whole = situ_matmul(situ_matmul(p.vectors, situ_cast(middle, (situ_dtype)up->dtype)), up);
    c->out[0] = as_operand(c, situ_mul(situ_add(whole, situ_linalg_adjoint(whole, site)), 0.5));
}

/* A V = V diag(w) with columns of length 1: V^-H (diag(Gw) + (V^H Gv - V^H V Re diag(V^H Gv)) / conj(w_j - w_i)) V^H. */
void situ_vjp_eig(situ_vjp *c)
{
    situ_site site = c->site;
    parts p = take_eigen(c);
    situ_tensor *up = situ_linalg_adjoint(p.vectors, site), *middle = spread(p.by_values, site);
    if (p.by_vectors) {
        situ_tensor *turned = situ_matmul(up, p.by_vectors), *lengths = situ_real(situ_diagonal(turned, 0));
        situ_tensor *free = situ_sub(turned, situ_matmul(up, situ_mul(p.vectors, row(lengths, site))));
        middle = situ_add(middle, by_gaps(free, situ_conj(p.values), site));
    }
    c->out[0] = as_operand(c, situ_solve(up, situ_matmul(middle, up)));
}

/* The part of Gu outside of the span of u's columns, divided by s: (1 - u u^H) Gu / s. */
static situ_tensor *outside(situ_tensor *u, situ_tensor *by_u, situ_tensor *inverse, situ_site site)
{
    situ_tensor *rest = situ_sub(by_u, situ_matmul(u, situ_matmul(situ_linalg_adjoint(u, site), by_u)));
    return situ_mul(rest, row(inverse, site));
}

/* A = u diag(s) v^H with gradients by all three factors, or by s alone (by_u NULL). */
typedef struct factors {
    situ_tensor *u, *s, *v, *by_u, *by_s, *by_v;
} factors;

static factors take_svd(const situ_vjp *c, int64_t m, int64_t n, int64_t k)
{
    situ_site site = c->site;
    situ_tensor *y = c->y, *g = situ_conj(c->g);
    int64_t at = 0, of_gradient = 0;
    factors f = {.by_s = g};
    bool full = situ_linalg_what(y) == SITU_FACTOR_FULL, alone = situ_linalg_what(y) == SITU_FACTOR_VALUES;
    int64_t left = full ? m : k, right = full ? n : k;
    if (alone) y = situ_linalg_factor(y->op, c->in[0], SITU_FACTOR_REDUCED, site);
    f.u = situ_linalg_columns(situ_linalg_unpack(y, &at, m, left, site), 0, k, site);
    f.s = situ_real(situ_linalg_unpack(y, &at, k, -1, site));
    f.v = situ_linalg_columns(situ_linalg_adjoint(situ_linalg_unpack(y, &at, right, n, site), site), 0, k, site);
    if (alone) return f;
    f.by_u = situ_linalg_columns(situ_linalg_unpack(g, &of_gradient, m, left, site), 0, k, site);
    f.by_s = situ_real(situ_linalg_unpack(g, &of_gradient, k, -1, site));
    f.by_v = situ_linalg_columns(situ_linalg_adjoint(situ_linalg_unpack(g, &of_gradient, right, n, site), site), 0, k, site);
    return f;
}

/* x[i,j] s[j] / (s[j]^2 - s[i]^2) off the diagonal, without computing squares: in f32 they are 0 below 2^-75 and inf
 * above 2^64. */
static situ_tensor *by_squares(situ_tensor *x, situ_tensor *s, situ_site site)
{
    situ_tensor *sum = situ_add(row(s, site), column(s, site)),
                *share = situ_div(row(s, site), situ_where(situ_equal(sum, 0), 1, sum));
    return situ_mul(by_gaps(x, s, site), share);
}

/* u (diag(Gs) + (skew(u^H Gu) s_j + s_i skew(v^H Gv)) / (s_j^2 - s_i^2)) v^H, and the parts outside of both spans. */
void situ_vjp_svd(situ_vjp *c)
{
    situ_site site = c->site;
    situ_tensor *x = c->in[0], *extra = NULL;
    int64_t m = x->dim[x->ndim - 2], n = x->dim[x->ndim - 1], k = m < n ? m : n;
    factors f = take_svd(c, m, n, k);
    situ_tensor *up = situ_linalg_adjoint(f.v, site), *middle = spread(f.by_s, site);
    if (f.by_u) {
        situ_tensor *turn_u = situ_matmul(situ_linalg_adjoint(f.u, site), f.by_u), *turn_v = situ_matmul(up, f.by_v);
        situ_tensor *zero = situ_equal(f.s, 0), *inverse = situ_where(zero, 0, situ_div(1, situ_where(zero, 1, f.s)));
        /* skew(V) s_i / (s_j^2 - s_i^2) is the adjoint of the same with s_j */
        middle = situ_add(middle, by_squares(skew(turn_u, site), f.s, site));
        middle = situ_add(middle, situ_linalg_adjoint(by_squares(skew(turn_v, site), f.s, site), site));
        if (situ_dtype_is_complex((situ_dtype)x->dtype)) { /* columns of u and v may be multiplied by a common phase only */
            situ_tensor *turn = situ_mul(situ_imag(situ_diagonal(turn_u, 0)), inverse);
            middle = situ_add(middle, spread(situ_complex(situ_mul(turn, 0), turn), site));
        }
        if (m > k) extra = situ_matmul(outside(f.u, f.by_u, inverse, site), up);
        if (n > k) extra = situ_matmul(f.u, situ_linalg_adjoint(outside(f.v, f.by_v, inverse, site), site));
    }
    situ_tensor *whole = situ_matmul(situ_matmul(f.u, situ_cast(middle, (situ_dtype)f.u->dtype)), up);
    c->out[0] = as_operand(c, extra ? situ_add(whole, extra) : whole);
}

/* A = Q R with square R: (Gq + Q H) R^-H, H = X + X^H, where X is the upper triangle of Gr R^H - Q^H Gq with half its
 * diagonal. */
static situ_tensor *qr_square(situ_tensor *q, situ_tensor *r, situ_tensor *by_q, situ_tensor *by_r, situ_site site)
{
    situ_tensor *x =
        situ_triu(situ_sub(situ_matmul(by_r, situ_linalg_adjoint(r, site)), situ_matmul(situ_linalg_adjoint(q, site), by_q)), 0);
    situ_tensor *half = situ_mul(situ_mul(situ_add(x, situ_linalg_adjoint(x, site)), eye_like(x, site)), 0.5);
    situ_tensor *middle = situ_sub(situ_add(x, situ_linalg_adjoint(x, site)), half);
    situ_tensor *left = situ_add(by_q, situ_matmul(q, middle));
    return situ_linalg_adjoint(situ_solve(r, situ_linalg_adjoint(left, site)), site);
}

void situ_vjp_qr(situ_vjp *c)
{
    situ_site site = c->site;
    situ_tensor *x = c->in[0], *g = situ_conj(c->g);
    int64_t m = x->dim[x->ndim - 2], n = x->dim[x->ndim - 1], at = 0, of_gradient = 0;
    bool full = situ_linalg_what(c->y) == SITU_FACTOR_FULL;
    int64_t k = full || m < n ? m : n;
    if (full && m > n) {
        situ_fail(SITU_NO_GRADIENT, site,
            "qr: with " SITU_SAY(
                ".complete", "mode=\"complete\"") ", a matrix of more rows than columns (%lld x %lld) has no gradient: the columns "
                                                  "of Q past %lld may be any; leave " SITU_SAY(".complete", "it") " out",
            (long long)m, (long long)n, (long long)n);
        return;
    }
    situ_tensor *q = situ_linalg_unpack(c->y, &at, m, k, site), *r = situ_linalg_unpack(c->y, &at, k, n, site);
    situ_tensor *by_q = situ_linalg_unpack(g, &of_gradient, m, k, site), *by_r = situ_linalg_unpack(g, &of_gradient, k, n, site),
                *whole;
    if (n > k) { /* the other columns of A: R has Q^H times them */
        situ_tensor *by_rest = situ_linalg_columns(by_r, k, n, site), *rest = situ_linalg_columns(x, k, n, site);
        by_q = situ_add(by_q, situ_matmul(rest, situ_linalg_adjoint(by_rest, site)));
        whole = qr_square(q, situ_linalg_columns(r, 0, k, site), by_q, situ_linalg_columns(by_r, 0, k, site), site);
        whole = situ_concat(TENSORS(whole, situ_matmul(q, by_rest)), .axis = -1);
    } else {
        whole = qr_square(q, r, by_q, by_r, site);
    }
    c->out[0] = as_operand(c, whole);
}

/* If the determinant is not 0 (also not by underflow): det x^-T. Else from x = u diag(s) v^H, whose cofactors are
 * det(u) det(v^H) conj(u) diag(products of the other s) v^T. Each branch is given the identity where the other one is
 * taken. */
situ_tensor *situ_linalg_cofactors(situ_tensor *x, situ_tensor *det, situ_site site)
{
    int64_t n = x->dim[x->ndim - 1];
    if (!n) return x;
    situ_tensor *eye = situ_eye(n, .dtype = (situ_dtype)x->dtype, .device = x->device), *singular = situ_equal(det, 0), *u, *vh;
    situ_tensor *regular = situ_mul(det, situ_transpose(situ_inv(situ_where(singular, eye, x))));
    situ_tensor *s = situ_svd(situ_where(singular, x, eye), .u = &u, .vh = &vh);
    if (situ_error_code) return situ_poisoned();
    situ_tensor *others = situ_prod(situ_where(situ_cast(eye_like(s, site), SITU_BOOL), 1, row(s, site)), .axes = AXES(-1));
    situ_tensor *sign = situ_reshape(situ_mul(situ_det(u), situ_det(vh)), situ_shape_like(det));
    situ_tensor *product = situ_matmul(situ_mul(situ_conj(u), row(others, site)), situ_conj(vh));
    return situ_where(singular, situ_mul(sign, product), regular);
}
