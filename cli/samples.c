/* The table of samples and its operands. */
#include "samples.h"

#include <math.h>
#include <stdlib.h>

/* ---- calls ---- */

#define IN(name, ...) situ_tensor *name = *in++;
#define ROW(id, header, name, call, ...) \
    static situ_tensor *id(situ_tensor **in, situ_device here) \
    { \
        (void)in, (void)here; \
        __VA_ARGS__ return call; \
    }
#include "samples.def"
#undef IN
#undef ROW

/* ---- rows ---- */

#define IN(name, kind, ...) {#name, kind, SHAPE(__VA_ARGS__)},
#define ROW(id, header, name, call, ...) {header, name, id, {__VA_ARGS__}},

/* The judge knows the public headers alone. */
#if __has_include("op/elementwise.h")
#include "op/elementwise.h"
#define CALL(id, ...) \
    static situ_tensor *id(situ_tensor **in, situ_device here) { return (void)here, __VA_ARGS__; }
#define EL1(name, ...) CALL(el_##name, situ_##name(in[0]))
#define EL2(name, ...) CALL(el_##name, situ_##name(in[0], in[1]))
#define EL3(name, ...) CALL(el_##name, situ_##name(in[0], in[1], in[2]))
#include "op/elementwise.def"
#undef EL1
#undef EL2
#undef EL3

#define ELEMENTS
#endif

const sample samples[] = {
#ifdef ELEMENTS
#define EL1(name, kind, value, ga, lo, hi, doc) ROW(el_##name, "elementwise", #name, , ELEMENT("a", kind, lo, hi, 20, 200))
#define EL2(name, kind, value, ga, gb, lo, hi, doc) \
    ROW(el_##name, "elementwise", #name, , ELEMENT("a", kind, lo, hi, 20, 200) ELEMENT("b", kind, lo, hi, 200))
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) \
    ROW(el_##name, "elementwise", #name, , \
        IN(a, CONDITION_OR(kind, lo, hi), 20, 1) ELEMENT("b", kind, lo, hi, 200) ELEMENT("c", kind, lo, hi, 20, 200))
#include "op/elementwise.def"
#define CX1(name, ...) ROW(el_##name, "complex", #name, , IN(a, COMPLEX, 4000))
#define CX2(name, ...) ROW(el_##name, "complex", #name, , IN(a, COMPLEX, 20, 200) IN(b, COMPLEX, 200))
#define CX3(name, ...) ROW(el_##name, "complex", #name, , IN(a, MASK, 20, 1) IN(b, COMPLEX, 20, 200) IN(c, COMPLEX, 200))
#include "op/complex.def"
#endif
#include "samples.def"
};
#undef IN
#undef ROW
const int sample_count = (int)(sizeof samples / sizeof *samples);

/* ---- operands ---- */

int sample_operands(const sample *s)
{
    int n = 0;
    while (n < SAMPLE_OPERANDS && s->operand[n].name) n++;
    return n;
}

int64_t sample_size(const sample_operand *o)
{
    int64_t n = 1;
    for (int i = 0; i < o->shape.ndim; i++) n *= o->shape.dim[i];
    return n;
}

void sample_values(const sample *s, int k, double *out)
{
    const sample_operand *o = &s->operand[k];
    double lo = o->kind.lo, hi = o->kind.hi;
    int64_t n = sample_size(o), columns = o->shape.ndim ? o->shape.dim[o->shape.ndim - 1] : 1;
    int64_t rows = o->shape.ndim > 1 ? o->shape.dim[o->shape.ndim - 2] : 1;
    uint64_t state = 0x9e3779b97f4a7c15u * (uint64_t)(n + 1 + k);
    for (int64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double unit = (double)(state >> 11) * 0x1p-53, x = lo + (hi - lo) * unit;
        int64_t column = i % columns, row = i / columns % rows;
        switch (o->kind.type) {
        case REAL_SIGN: x = unit < 0.5 ? -1 : 1; break;
        case REAL_DISTINCT: x = (double)(i * 7919 % n - n / 2) * 0.37 + 0.1; break;
        case REAL_ZEROS: x = i % 12 == 6 || i % 12 == 8 || i % 12 == 11 ? 0 : x; break;
        case REAL_MATRIX: x += row != column ? 0 : lo == hi ? 1 : 2 + 2.5 * (double)row / (double)columns; break;
        case REAL_SYMMETRIC: x = (row == column ? 2 + 2 * (double)row : 0) + 1 / (1 + fabs((double)(row - column))); break;
        case REAL_INCREASING:
        case INTEGER_INCREASING: x = (double)column; break;
        case TRUTH_MASK: x = unit > lo; break;
        default: x = o->kind.type >= INTEGER_ANY && o->kind.type != REAL_F32 && o->kind.type != REAL_F64 ? floor(x + 0.5) : x;
        }
        out[i] = x;
    }
}

situ_dtype sample_dtype(const sample_operand *o, situ_dtype real)
{
    switch (o->kind.type) {
    case INTEGER_ANY: return real == SITU_F64 ? SITU_I64 : SITU_I32;
    case INTEGER_INDEX:
    case INTEGER_INCREASING: return SITU_I64;
    case INTEGER_U8: return SITU_U8;
    case INTEGER_U32: return SITU_U32;
    case INTEGER_U64: return SITU_U64;
    case REAL_F32: return SITU_F32;
    case REAL_F64: return SITU_F64;
    case TRUTH:
    case TRUTH_MASK: return SITU_BOOL;
    default: return real;
    }
}

situ_tensor *sample_tensor(const sample *s, int k, const double *values, situ_dtype real, situ_device device)
{
    const sample_operand *o = &s->operand[k];
    if (o->kind.type == RANDOM_KEY) return situ_key(5, .device = device);
    situ_tensor *wide = situ_from_host(values, o->shape, .dtype = SITU_F64, .device = situ_cpu());
    situ_tensor *x = situ_copy_to(situ_cast(wide, sample_dtype(o, real)), situ_cpu());
    situ_wait(x);
    return situ_to(x, device);
}

situ_tensor *sample_given(const sample *s, int k, situ_tensor *x)
{
    return s->operand[k].kind.type == REAL_COMPLEX ? situ_complex(x, situ_flip(x)) : x;
}

void sample_tensors(const sample *s, situ_dtype real, situ_device device, situ_tensor **in)
{
    for (int k = 0; k < sample_operands(s); k++) {
        double *values = malloc(sizeof *values * (size_t)sample_size(&s->operand[k]));
        if (values) sample_values(s, k, values);
        in[k] = sample_given(s, k, sample_tensor(s, k, values, real, device));
        free(values);
    }
}
