/* Fourier transforms, term by term. attr: [0] length or 0, [1] axis, [2] norm. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "function_kinds.h"
#include "interpret.h"

typedef struct transform {
    int kind;
    bool inverse, half_in;   /* half_in: x is half of a spectrum with Hermitian symmetry */
    int64_t n, taken, given; /* length of the transform, of x, of the result */
    int norm;
} transform;

static double scale_of(const transform *t)
{
    double n = (double)t->n;
    return t->norm == SITU_NORM_ORTHO ? 1 / sqrt(n) : (t->norm == SITU_NORM_FORWARD) != t->inverse ? 1 / n : 1;
}

/* Element j of the sequence of n elements to be transformed. */
static double complex term(const transform *t, const value *x, int64_t from, int64_t step, int64_t j)
{
    double z[2];
    bool mirrored = t->half_in && j > t->n / 2;
    int64_t k = mirrored ? t->n - j : j;
    if (k >= t->taken) return 0;
    get_c(x, from + k * step, z);
    bool real = t->half_in && (k == 0 || 2 * k == t->n);
    double im = real ? 0 : z[1];
    if (t->kind == T_HFFT) im = -im; /* the spectrum of the conjugate, the other way */
    return CMPLX(z[0], mirrored ? -im : im);
}

/* terms: space for the sequence */
static void line(const transform *t, const value *x, int64_t from, int64_t step, value *out, int64_t to, double unit, const double complex *root,
                 double complex *terms)
{
    double size = 0;
    for (int64_t j = 0; j < t->n; j++) terms[j] = term(t, x, from, step, j), size += cabs(terms[j]);
    double slack = scale_of(t) * size * unit * 32; /* lengths with large prime factors use a convolution of twice the length */
    /* below the normal numbers each of the roundings that a result depends on, about one a term, is half the smallest
     * number */
    double least = part_of(out->dtype) == SITU_F32 ? 0x1p-149 : 0x1p-1074, floor = least * (2 + scale_of(t) * (double)t->n);
    for (int64_t k = 0; k < t->given; k++) {
        double complex sum = 0;
        for (int64_t j = 0; j < t->n; j++) sum += terms[j] * root[j * k % t->n];
        sum *= scale_of(t);
        if (t->kind == T_IHFFT) sum = conj(sum);
        int64_t at = to + k * step;
        if (is_complex(out->dtype)) set_c(out, at, (double[2]){creal(sum), cimag(sum)});
        else set_f(out, at, creal(sum));
        out->slack[at] = slack + floor;
        if (!(size < (part_of(out->dtype) == SITU_F32 ? 1e37 : 1e300))) out->unknown = true;
    }
}

static double complex *roots(call *c, const transform *t)
{
    double complex *root = take(c->m->memory, sizeof *root * (size_t)(t->n + 1));
    /* ihfft is the conjugate of a transform forward, hfft of the conjugate's one back */
    double sign = t->kind == T_IFFT || t->kind == T_IRFFT || t->kind == T_HFFT ? 1 : -1;
    for (int64_t j = 0; j < t->n; j++) root[j] = cexp(sign * 2 * M_PI * I * (double)j / (double)t->n);
    return root;
}

void interpret_fft(call *c)
{
    const value *x = &c->in[0];
    int axis = axis_of(c->s->attr[1], x->ndim);
    transform t = {.kind = rows[c->s->row].variant, .n = c->s->attr[0], .norm = (int)c->s->attr[2]};
    bool real_in = t.kind == T_RFFT || t.kind == T_IHFFT, real_out = t.kind == T_IRFFT || t.kind == T_HFFT;
    if (axis < 0 || (real_in && is_complex(x->dtype))) return refuse(c);
    lines l = lines_of(x, axis);
    t.inverse = t.kind == T_IFFT || t.kind == T_IRFFT || t.kind == T_IHFFT;
    t.half_in = real_out;
    if (!t.n) t.n = real_out ? 2 * (l.n - 1) : l.n;
    if (t.n < 1) return refuse(c);
    t.taken = l.n < t.n ? l.n : t.n;
    t.given = real_in ? t.n / 2 + 1 : t.n;
    bool wide = part_of(x->dtype) == SITU_F64;
    int64_t dim[SITU_MAX_DIMS];
    memcpy(dim, x->dim, sizeof dim);
    dim[axis] = t.given;
    shape_out(c, real_out ? (wide ? SITU_F64 : SITU_F32) : wide ? SITU_C128 : SITU_C64, x->ndim, dim);
    with_slack(c);
    const double complex *root = roots(c, &t);
    double complex *terms = take(c->m->memory, sizeof *terms * (size_t)t.n);
    for (int64_t i = 0; i < l.outer * l.inner; i++) {
        int64_t o = i / l.inner, in = i % l.inner;
        line(&t, x, o * l.n * l.inner + in, l.inner, c->out, o * t.given * l.inner + in, wide ? 0x1p-52 * 8 : 0x1p-23, root, terms);
    }
}
