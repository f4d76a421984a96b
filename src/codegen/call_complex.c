/* Complex numbers: casts, and the elementwise operations of op/complex.def, whose value texts are quoted. */
#include <string.h>

#include "codegen/call_text.h"
#include "codegen/cast_text.h"
#include "codegen/el_text.h"
#include "codegen/math_text.h"
#include "op/complex.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

/* ---------------------------------------------------------------- casts */

static void cast_functions(situ_source *t, const situ_call_desc *c, const situ_dialect *d)
{
    situ_text_cast(t, d, situ_dtype_compute((situ_dtype)c->in[0].dtype), (situ_dtype)c->out.dtype);
}

static void cast_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    (void)pass;
    situ_dtype from = (situ_dtype)c->in[0].dtype, to = (situ_dtype)c->out.dtype;
    situ_call_each(t, situ_shape_count(c->out.ndim, c->out.dim));
    situ_source_add(t, "    OUT[p] = STORE(cast_%s_%s(", situ_dtype_name(situ_dtype_compute(from)), situ_dtype_name(to));
    if (from == SITU_F16 || from == SITU_BF16) situ_source_add(t, "%s_value(IN0[p])));\n", situ_dtype_name(from));
    else situ_source_append(t, from == SITU_BOOL ? "IN0[p] != 0));\n" : "IN0[p]));\n");
}

/* ---------------------------------------------------------------- elementwise */

static void value_functions(situ_source *t, const situ_call_desc *c, const situ_dialect *d)
{
    (void)d;
    situ_source_append(t, situ_text_complex_words);
    situ_math_append(t, SITU_C128, situ_complex_value(c->op));
}

/* "    c128_F A = ...;": operand k at position p of the result. */
static void write_operand(situ_source *t, const situ_call_desc *c, int k)
{
    const situ_layout *x = &c->in[k];
    situ_layout l = {.ndim = c->out.ndim};
    char at[16];
    memcpy(l.dim, c->out.dim, sizeof l.dim);
    situ_stride_broadcast(x->ndim, x->dim, x->stride, c->out.ndim, c->out.dim, l.stride);
    snprintf(at, sizeof at, "AT%d", k);
    situ_call_strided(t, at, &l);
    if (situ_dtype_is_complex((situ_dtype)x->dtype))
        situ_source_add(t, "    c128_F %c = complex_of(IN%d[AT%d(p)].re, IN%d[AT%d(p)].im);\n", 'A' + k, k, k, k, k);
    else situ_source_add(t, "    c128_F %c = complex_of((f64_F)IN%d[AT%d(p)], 0);\n", 'A' + k, k, k);
}

static void value_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    (void)pass;
    situ_dtype to = (situ_dtype)c->out.dtype;
    const char *value = situ_complex_value(c->op);
    situ_call_each(t, situ_shape_count(c->out.ndim, c->out.dim));
    situ_source_append(t, "#undef C\n");
    for (int k = 0; k < c->nin; k++) write_operand(t, c, k);
    if (!situ_dtype_is_complex(to)) {
        situ_source_add(t, to == SITU_BOOL ? "    OUT[p] = (%s) != 0;\n" : "    OUT[p] = (E)(%s);\n", value);
        return;
    }
    const char *part = situ_dtype_name(situ_dtype_real(to));
    situ_source_add(
        t, "    c128_F y = %s;\n    E z;\n    z.re = (%s_F)y.re;\n    z.im = (%s_F)y.im;\n    OUT[p] = z;\n", value, part, part);
}

const situ_call_family situ_call_complex_value = {NULL, NULL, value_body, value_functions};
const situ_call_family situ_call_complex[] = {{"cast_complex", NULL, cast_body, cast_functions}, {NULL, NULL, NULL, NULL}};
