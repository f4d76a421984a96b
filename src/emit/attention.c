/* Attention, in the order of the CPU's kernel (backend/cpu/layers/attention.c): a row of scores at a time, in the workspace. */
#include <string.h>

#include "emit/emit.h"
#include "op/attention.h"
#include "tensor/dtype.h"

typedef long long number;

size_t situ_emit_attention_room(const situ_call_desc *c)
{
    const situ_layout *x = &c->in[0];
    return strcmp(c->op->name, "self_attention") ? 0 : (size_t)x->dim[x->ndim - 2] * situ_dtype_size((situ_dtype)x->dtype);
}

static void write_sizes(situ_source *t, const situ_call_desc *c, const situ_attention_attr *a)
{
    const situ_layout *x = &c->in[0];
    number units = (number)a->heads, width = (number)(x->dim[x->ndim - 1] / 3 / a->heads);
    for (int i = 0; i < x->ndim - 2; i++) units *= (number)x->dim[i];
    situ_source_add(t,
        "    enum { UNITS = %lld, HEADS = %lld, PLACES = %lld, WIDTH = %lld, ALL = HEADS * WIDTH, ROW = HEADS * (WIDTH + 1) };\n",
        units, (number)a->heads, (number)x->dim[x->ndim - 2], width);
}

/* The scores of a row become exponentials, and `sum` their sum. The CPU multiplies 24 causal rows together: what a row does not see
 * of them counts as 0. */
static void write_weights(situ_source *t, const situ_attention_attr *a, const char *type, const char *p)
{
    union {
        double number;
        uint64_t bits;
    } scale = {a->scale};
    const char *shrink = a->scale < 0 ? "1.0" : "scale";
    situ_source_add(t,
        "        const double scale = f64_from_bits(0x%llxu);\n"
        "        double most, sum;\n        %s top = -%s_infinity(), by;\n"
        "        ptrdiff_t sees = %s, shown = %s;\n        h = u %% HEADS;\n"
        "        for (j = 0; j < sees; j++) {\n"
        "            %s v = 0;\n"
        "            for (k = 0; k < WIDTH; k++) v = %s_fma(x[i * 3 * ALL + k], x[j * 3 * ALL + ALL + k], v);\n",
        (unsigned long long)scale.bits, type, p, a->causal ? "i + 1" : "PLACES",
        a->causal ? "i / 24 * 24 + 24 < PLACES ? i / 24 * 24 + 24 : PLACES" : "PLACES", type, p);
    if (a->scale < 0) situ_source_add(t, "            v = v * (%s)scale;\n", type);
    situ_source_add(t,
        "            s[j] = v;\n"
        "            if (v > top) top = v;\n"
        "        }\n"
        "        most = (double)(%s)((double)top * %s);\n"
        "        if (!(most > -f64_infinity())) most = 0;\n"
        "        by = (%s)most;\n"
        "        for (j = 0; j < sees; j++) s[j] = %s_exp(s[j] * (%s)%s - by);\n"
        "        for (; j < shown; j++) s[j] = 0;\n"
        "        sum = %s_norm_sum(s, sees);\n"
        "        y[i * ROW + ALL - h * WIDTH + h] = (%s)(most + f64_log(sum));\n",
        type, shrink, type, p, type, shrink, p, type);
}

bool situ_emit_attention(situ_emitted *e, const situ_call_desc *c)
{
    if (strcmp(c->op->name, "self_attention")) return false;
    const situ_attention_attr *a = c->attr;
    situ_source *t = &e->steps;
    situ_dtype d = (situ_dtype)c->out.dtype;
    const char *type = situ_emit_type(d), *p = situ_dtype_name(d);
    if (d != SITU_F32 && d != SITU_F64) return situ_emit_refuse(e, "attention of %s", p), true;
    e->norms = true;
    situ_math_need(&e->math, d, "exp(A)");
    situ_math_need(&e->math, SITU_F64, "log(A)");
    situ_emit_open(e, c, true);
    write_sizes(t, c, a);
    situ_source_add(t,
        "    %s *s = (%s *)(void *)b2;\n    ptrdiff_t u, h, i, j, k;\n"
        "    for (u = 0; u < UNITS; u++)\n    for (i = 0; i < PLACES; i++) {\n"
        "        const %s *x = b1 + u / HEADS * PLACES * 3 * ALL + u %% HEADS * WIDTH;\n"
        "        %s *y = b0 + u / HEADS * PLACES * ROW + u %% HEADS * WIDTH;\n",
        type, type, type, type);
    write_weights(t, a, type, p);
    situ_source_add(t,
        "        for (k = 0; k < WIDTH; k++) {\n"
        "            %s v = 0;\n"
        "            for (j = 0; j < shown; j++) v = %s_fma(s[j], x[j * 3 * ALL + 2 * ALL + k], v);\n"
        "            y[i * ROW + k] = v * (%s)(1 / sum);\n"
        "        }\n    }\n}\n\n",
        type, p, type);
    return true;
}
