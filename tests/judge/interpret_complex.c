/* Elementwise operations on complex numbers, with C's own functions. At branch cuts and infinities, only the ways of
 * running are compared with each other. Also real and imaginary parts. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "elements.h"
#include "interpret.h"

typedef double complex number_c;

static number_c at(const value *v, int64_t i)
{
    double z[2];
    get_c(v, i, z);
    return CMPLX(z[0], z[1]);
}

/* The value, and the magnitude of intermediate values relative to it; false: the value is only compared between the
 * ways of running. */
static bool compute(int el, const number_c x[3], number_c *y, double *size)
{
    number_c a = x[0], b = x[1];
    double m = cabs(a);
    switch (el) {
    case EL_add: *y = a + b, *size = m + cabs(b); return true;
    case EL_sub: *y = a - b, *size = m + cabs(b); return true;
    case EL_mul: *y = CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b)), *size = m * cabs(b); return true;
    case EL_div: *y = a / b, *size = m / cabs(b); return cabs(b) > 1e-100 && cabs(b) < 1e100 && m < 1e100;
    case EL_negative: *y = -a, *size = 0; return true;
    case EL_positive: *y = a, *size = 0; return true;
    case EL_abs: *y = m, *size = m; return true;
    case EL_square: *y = CMPLX(creal(a) * creal(a) - cimag(a) * cimag(a), 2 * creal(a) * cimag(a)), *size = m * m; return true;
    case EL_reciprocal: *y = 1 / a, *size = 1 / m; return m > 1e-100 && m < 1e100;
    case EL_sqrt: *y = csqrt(a), *size = cabs(*y); return creal(a) > 0 || fabs(cimag(a)) > 1e-3 * m;
    case EL_exp: *y = cexp(a), *size = cabs(*y) * (1 + m); return fabs(creal(a)) < 50 && fabs(cimag(a)) < 50;
    case EL_log: *y = clog(a), *size = 1 + cabs(*y); return (creal(a) > 0 || fabs(cimag(a)) > 1e-3 * m) && m > 1e-30;
    case EL_sin: *y = csin(a), *size = cosh(cimag(a)) * (1 + m); return m < 40;
    case EL_cos: *y = ccos(a), *size = cosh(cimag(a)) * (1 + m); return m < 40;
    case EL_sinh: *y = csinh(a), *size = cosh(creal(a)) * (1 + m); return m < 40;
    case EL_cosh: *y = ccosh(a), *size = cosh(creal(a)) * (1 + m); return m < 40;
    case EL_tanh: *y = ctanh(a), *size = 1 + m; return m < 1;
    case EL_where: *y = a != 0 ? b : x[2], *size = 0; return true;
    case EL_isnan: *y = isnan(creal(a)) || isnan(cimag(a)), *size = 0; return true;
    case EL_isfinite: *y = isfinite(creal(a)) && isfinite(cimag(a)), *size = 0; return true;
    case EL_isinf: *y = isinf(creal(a)) || isinf(cimag(a)), *size = 0; return true;
    default: return false;
    }
}

static void put(value *out, int64_t i, bool known, number_c y, double size)
{
    if (out->dtype == SITU_BOOL) {
        set_u(out, i, creal(y) != 0);
        return;
    }
    bool wide = part_of(out->dtype) == SITU_F64;
    if (!known) out->unknown = true;
    if (is_complex(out->dtype)) set_c(out, i, (double[2]){creal(y), cimag(y)});
    else set_f(out, i, creal(y));
    if (size > 0) out->slack[i] = size * (wide ? 0x1p-49 : 0x1p-23) + (wide ? 1e-320 : 3e-45);
}

/* d: the dtype to which the relevant operands promote. */
void interpret_complex(call *c, int el, int arity, situ_dtype d, int ndim, const int64_t *dim)
{
    bool truth = el == EL_isnan || el == EL_isinf || el == EL_isfinite;
    number_c some[3] = {0.5, 0.5, 0.5}, y; /* where all that are known have a value */
    double size;
    c->out->status = OPEN;
    if (!compute(el, some, &y, &size)) return;
    c->out->status = FINE;
    value in[MOST_IN];
    for (int k = 0; k < arity; k++) in[k] = cast_value(c, &c->in[k], el == EL_where && k == 0 ? SITU_BOOL : d);
    shape_out(c, truth ? SITU_BOOL : el == EL_abs ? part_of(d) : d, ndim, dim);
    if (!truth) with_slack(c);
    for (int64_t i = 0; i < c->out->count; i++) {
        number_c x[3] = {0};
        for (int k = 0; k < arity; k++) x[k] = at(&in[k], broadcast_at(&in[k], c->out, i));
        bool known = compute(el, x, &y, &size);
        if (!truth && !(cabs(y) < (part_of(d) == SITU_F64 ? 1e300 : 1e37) && size < 1e300) && el != EL_where && el != EL_negative && el != EL_positive)
            known = false;
        put(c->out, i, known, y, size);
    }
}

/* ---- parts ---- */

/* variant 0: real, 1: imaginary, 2: the conjugate */
void interpret_part(call *c)
{
    const value *x = &c->in[0];
    int part = rows[c->s->row].variant;
    if (!is_complex(x->dtype)) {
        shape_out(c, x->dtype, x->ndim, x->dim);
        c->out->status = OPEN;
        return;
    }
    shape_out(c, part == 2 ? x->dtype : part_of(x->dtype), x->ndim, x->dim);
    for (int64_t i = 0; i < x->count; i++) {
        double z[2];
        get_c(x, i, z);
        if (part == 2) set_c(c->out, i, (double[2]){z[0], -z[1]});
        else set_f(c->out, i, z[part]);
    }
}

void interpret_pair(call *c)
{
    const value *re = &c->in[0], *im = &c->in[1];
    if (re->dtype != im->dtype || re->ndim != im->ndim || memcmp(re->dim, im->dim, sizeof *re->dim * (size_t)re->ndim)) return refuse(c);
    shape_out(c, re->dtype == SITU_F64 ? SITU_C128 : SITU_C64, re->ndim, re->dim);
    for (int64_t i = 0; i < c->out->count; i++) set_c(c->out, i, (double[2]){get_f(re, i), get_f(im, i)});
}
