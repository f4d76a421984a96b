/* Attention, in the order of the CPU's kernel (backend/cpu/layers/attention.c): a row of scores at a time, in the workspace. */
#include <string.h>

#include "emit/emit.h"
#include "op/attention.h"
#include "tensor/dtype.h"

typedef long long number;

enum { ROWS = 48, CAUSAL_ROWS = 24 }; /* rows of scores that the CPU's kernel computes together */

static bool is_back(const situ_call_desc *c) { return !strcmp(c->op->name, "self_attention_back"); }

size_t situ_emit_attention_room(const situ_call_desc *c)
{
    bool back = is_back(c);
    if (!back && strcmp(c->op->name, "self_attention")) return 0;
    const situ_layout *x = &c->in[back];
    const situ_attention_attr *a = c->attr;
    size_t row = (size_t)x->dim[x->ndim - 2] * situ_dtype_size((situ_dtype)x->dtype);
    return back ? 2 * row * (a->causal ? CAUSAL_ROWS : ROWS) : row;
}

static void write_sizes(situ_source *t, const situ_call_desc *c, const situ_attention_attr *a)
{
    const situ_layout *x = &c->in[is_back(c)];
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
    const char *shrink = a->scale < 0 ? "1.0" : "scale";
    situ_source_add(t,
        "        double most, sum;\n        %s top = -%s_infinity(), by;\n"
        "        ptrdiff_t sees = %s, shown = %s;\n        h = u %% HEADS;\n"
        "        for (j = 0; j < sees; j++) {\n"
        "            %s v = 0;\n"
        "            for (k = 0; k < WIDTH; k++) v = %s_fma(x[i * 3 * ALL + k], x[j * 3 * ALL + ALL + k], v);\n",
        type, p, a->causal ? "i + 1" : "PLACES", a->causal ? "i / 24 * 24 + 24 < PLACES ? i / 24 * 24 + 24 : PLACES" : "PLACES",
        type, p);
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

static void write_scale(situ_source *t, const situ_attention_attr *a)
{
    union {
        double number;
        uint64_t bits;
    } scale = {a->scale};
    situ_source_add(t, "    const double scale = f64_from_bits(0x%llxu);\n", (unsigned long long)scale.bits);
}

static void value(situ_source *t, const situ_attention_attr *a, const char *type, const char *p)
{
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
}

/* The weights p of a block of rows are computed again; s becomes the gradient of the scores. */
static void back_weights(situ_source *t, const situ_attention_attr *a, const char *type, const char *f)
{
    situ_source_add(t,
        "        for (i = first; i < end; i++) {\n"
        "            double both[2] = {0, 0};\n"
        "            %s by, *pi = p + (i - first) * PLACES, *si = s + (i - first) * PLACES;\n"
        "            sees = %s;\n"
        "            for (j = 0; j < shown; j++) {\n"
        "                %s v = 0, w = 0;\n"
        "                for (k = 0; k < WIDTH; k++) {\n"
        "                    v = %s_fma(x[i * 3 * ALL + k], x[j * 3 * ALL + ALL + k], v);\n"
        "                    w = %s_fma(g[i * ROW + k], x[j * 3 * ALL + 2 * ALL + k], w);\n"
        "                }\n"
        "                pi[j] = j < sees ? %s_exp(v * (%s)scale - y[i * ROW + ALL - h * WIDTH + h]) : 0;\n"
        "                si[j] = w;\n"
        "            }\n"
        "            %s_norm_products(g + i * ROW, y + i * ROW, 0, 0, WIDTH, both);\n"
        "            by = (%s)((double)g[i * ROW + ALL - h * WIDTH + h] - both[1]);\n"
        "            for (j = 0; j < shown; j++) si[j] = pi[j] * (si[j] + by) * (%s)scale;\n"
        "        }\n",
        type, a->causal ? "i + 1" : "PLACES", type, f, f, f, type, f, type, type);
}

static void back(situ_source *t, const situ_attention_attr *a, const char *type, const char *f)
{
    situ_source_add(t,
        "    enum { BLOCK_ROWS = %d };\n"
        "    %s *p = (%s *)(void *)b4, *s = p + BLOCK_ROWS * PLACES;\n    ptrdiff_t u, h, i, j, k, first, end, sees, shown;\n"
        "    for (u = 0; u < UNITS; u++) {\n"
        "        const %s *g = b1 + u / HEADS * PLACES * ROW + u %% HEADS * WIDTH, *x = b2 + u / HEADS * PLACES * 3 * ALL + u %% "
        "HEADS * WIDTH;\n"
        "        const %s *y = b3 + u / HEADS * PLACES * ROW + u %% HEADS * WIDTH;\n"
        "        %s *out = b0 + u / HEADS * PLACES * 3 * ALL + u %% HEADS * WIDTH;\n"
        "        h = u %% HEADS;\n"
        "        for (j = 0; j < PLACES; j++)\n"
        "            for (k = 0; k < WIDTH; k++) out[j * 3 * ALL + ALL + k] = out[j * 3 * ALL + 2 * ALL + k] = 0;\n"
        "        for (first = 0; first < PLACES; first = end) {\n"
        "        end = PLACES - first < BLOCK_ROWS ? PLACES : first + BLOCK_ROWS;\n"
        "        shown = %s;\n",
        a->causal ? CAUSAL_ROWS : ROWS, type, type, type, type, type, a->causal ? "end" : "PLACES");
    back_weights(t, a, type, f);
    situ_source_add(t,
        "        for (i = first; i < end; i++)\n"
        "            for (k = 0; k < WIDTH; k++) {\n"
        "                %s v = 0;\n"
        "                for (j = 0; j < shown; j++) v = %s_fma(s[(i - first) * PLACES + j], x[j * 3 * ALL + ALL + k], v);\n"
        "                out[i * 3 * ALL + k] = v;\n"
        "            }\n"
        "        for (j = 0; j < shown; j++)\n"
        "            for (k = 0; k < WIDTH; k++) {\n"
        "                %s v = 0, w = 0;\n"
        "                for (i = first; i < end; i++) {\n"
        "                    v = %s_fma(s[(i - first) * PLACES + j], x[i * 3 * ALL + k], v);\n"
        "                    w = %s_fma(p[(i - first) * PLACES + j], g[i * ROW + k], w);\n"
        "                }\n"
        "                out[j * 3 * ALL + ALL + k] = out[j * 3 * ALL + ALL + k] + v;\n"
        "                out[j * 3 * ALL + 2 * ALL + k] = out[j * 3 * ALL + 2 * ALL + k] + w;\n"
        "            }\n"
        "        }\n    }\n}\n\n",
        type, f, type, f, f);
}

bool situ_emit_attention(situ_emitted *e, const situ_call_desc *c)
{
    if (!is_back(c) && strcmp(c->op->name, "self_attention")) return false;
    const situ_attention_attr *a = c->attr;
    situ_dtype d = (situ_dtype)c->out.dtype;
    const char *type = situ_emit_type(d), *p = situ_dtype_name(d);
    if (d != SITU_F32 && d != SITU_F64) return situ_emit_refuse(e, "attention of %s", p), true;
    e->norms = true;
    situ_math_need(&e->math, d, "exp(A)");
    situ_math_need(&e->math, SITU_F64, "log(A)");
    situ_emit_open(e, c, true);
    write_sizes(&e->steps, c, a);
    write_scale(&e->steps, a);
    (is_back(c) ? back : value)(&e->steps, a, type, p);
    return true;
}
