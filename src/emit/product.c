/* Products and convolutions, in the order of the CPU's kernels. */
#include <string.h>

#include "backend/cpu/gemm/gemm.h"
#include "emit/emit.h"
#include "op/conv.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

typedef long long number;

/* Writes "((q) / 4 % 3) * 12 + ...": where matrix q of an operand begins. */
static void batch_start(situ_source *t, const situ_call_desc *c, const situ_layout *x)
{
    int dims = c->out.ndim - 2;
    int64_t stride[8] = {0}, inner = 1;
    situ_stride_broadcast(x->ndim - 2, x->dim, x->stride, dims, c->out.dim, stride);
    situ_source_append(t, "0");
    for (int i = dims - 1; i >= 0; inner *= c->out.dim[i], i--)
        if (stride[i]) situ_source_add(t, " + q / %lld %% %lld * %lld", (number)inner, (number)c->out.dim[i], (number)stride[i]);
}

/* One product, and its sum with s, as expressions. */
static const char *add_product(situ_dtype d)
{
    switch (d) {
    case SITU_F32: return "f32_fma(%s, %s, s)";
    case SITU_F64: return "f64_fma(%s, %s, s)";
    case SITU_BOOL: return "(bool_F)(s | (%s & %s))";
    case SITU_I32: return "(i32_F)((u32_F)s + (u32_F)%s * (u32_F)%s)";
    case SITU_I64: return "(i64_F)((u64_F)s + (u64_F)%s * (u64_F)%s)";
    case SITU_U32: return "s + %s * %s";
    case SITU_U64: return "s + %s * %s";
    default: return NULL;
    }
}

static void sum_of_chains(situ_source *t, const situ_gemm_order *o, number k, const char *type, const char *step)
{
    if (o->chain >= k) {
        situ_source_add(t, "        %s s = 0;\n        for (k = 0; k < %lld; k++) s = %s;\n        b0[at] = s;\n", type, k, step);
        return;
    }
    bool split = o->split < k;
    situ_source_add(
        t, "        %s s, sum = 0%s;\n        ptrdiff_t block, end%s;\n", type, split ? ", all = 0" : "", split ? ", part" : "");
    if (split) situ_source_add(t, "        for (part = 0; part < %lld; part += %lld) {\n", k, (number)o->split);
    const char *last = split ? "stop" : "";
    char limit[32];
    snprintf(limit, sizeof limit, "%lld", k);
    if (split)
        situ_source_add(
            t, "        ptrdiff_t stop = %lld - part < %lld ? %lld : part + %lld;\n", k, (number)o->split, k, (number)o->split);
    situ_source_add(t,
        "        for (block = %s; block < %s; block += %lld) {\n"
        "            end = %s - block < %lld ? %s : block + %lld;\n"
        "            s = 0;\n"
        "            for (k = block; k < end; k++) s = %s;\n"
        "            sum = block == %s ? s : sum + s;\n"
        "        }\n",
        split ? "part" : "0", split ? last : limit, (number)o->chain, split ? last : limit, (number)o->chain, split ? last : limit,
        (number)o->chain, step, split ? "part" : "0");
    if (split) situ_source_append(t, "        all = part ? all + sum : sum;\n        }\n        b0[at] = all;\n");
    else situ_source_append(t, "        b0[at] = sum;\n");
}

static void sum_of_lanes(situ_source *t, const situ_gemm_order *o, number k, const char *type, const char *a, const char *b)
{
    int lanes = (int)o->lanes;
    number whole = k / lanes * lanes;
    const char *word = !strcmp(type, "float") ? "f32" : "f64";
    situ_source_add(t,
        "        %s lane[%d];\n        int n;\n        for (n = 0; n < %d; n++) lane[n] = 0;\n"
        "        for (k = 0; k < %lld; k++) lane[k %% %d] = %s_fma(%s, %s, lane[k %% %d]);\n",
        type, lanes, lanes, whole, lanes, word, a, b, lanes);
    for (int half = lanes / 2; half; half /= 2)
        situ_source_add(t, "        for (n = 0; n < %d; n++) lane[n] = lane[n] + lane[n + %d];\n", half, half);
    if (whole < k) situ_source_add(t, "        for (; k < %lld; k++) lane[0] = lane[0] + %s * %s;\n", k, a, b);
    situ_source_append(t, "        b0[at] = lane[0];\n");
}

static void matmul(situ_emitted *e, const situ_call_desc *c)
{
    const situ_layout *x = &c->in[0], *y = &c->in[1];
    situ_dtype d = (situ_dtype)c->out.dtype;
    number m = (number)x->dim[x->ndim - 2], depth = (number)x->dim[x->ndim - 1], n = (number)y->dim[y->ndim - 1], batches = 1;
    if (!add_product(d) || x->dtype != d || y->dtype != d) {
        situ_emit_refuse(e, "products of %s", situ_dtype_name(d));
        return;
    }
    for (int i = 0; i < c->out.ndim - 2; i++) batches *= (number)c->out.dim[i];
    situ_gemm_order o = {0, depth, depth};
    if (situ_dtype_is_float(d)) o = situ_gemm_order_of(c);
    char a[96], b[96], step[256];
    snprintf(a, sizeof a, "x[i * %lld + k * %lld]", (number)x->stride[x->ndim - 2], (number)x->stride[x->ndim - 1]);
    snprintf(b, sizeof b, "y[k * %lld + j * %lld]", (number)y->stride[y->ndim - 2], (number)y->stride[y->ndim - 1]);
    situ_source *t = &e->steps;
    snprintf(step, sizeof step, add_product(d), a, b);
    situ_emit_open(e, c, false);
    situ_source_append(t, "    ptrdiff_t q, i, j, k, at = 0;\n");
    situ_source_add(t, "    for (q = 0; q < %lld; q++) {\n    const %s *x = b1 + (", batches, situ_emit_type(d));
    batch_start(t, c, x);
    situ_source_add(t, "), *y = b2 + (");
    batch_start(t, c, y);
    situ_source_add(t, ");\n    for (i = 0; i < %lld; i++)\n    for (j = 0; j < %lld; j++, at++) {\n", m, n);
    if (o.lanes) sum_of_lanes(t, &o, depth, situ_emit_type(d), a, b);
    else sum_of_chains(t, &o, depth, situ_emit_type(d), step);
    situ_source_append(t, "    }\n    }\n}\n\n");
}

/* ---- convolutions: a chain over (channel, row, column) of the kernel, with 0 for elements outside ---------------- */

static void write_sizes(situ_source *t, const situ_conv *p)
{
    situ_source_add(t,
        "    enum { N = %lld, GROUPS = %lld, IN = %lld, OUT = %lld, IH = %lld, IW = %lld, KH = %lld, KW = %lld, OH = %lld, OW = "
        "%lld,\n",
        (number)p->n, (number)p->groups, (number)p->group_in, (number)p->group_out, (number)p->image[0], (number)p->image[1],
        (number)p->kernel[0], (number)p->kernel[1], (number)p->out[0], (number)p->out[1]);
    situ_source_add(t, "           SH = %lld, SW = %lld, BH = %lld, BW = %lld, DH = %lld, DW = %lld };\n", (number)p->stride[0],
        (number)p->stride[1], (number)p->before[0], (number)p->before[1], (number)p->dilation[0], (number)p->dilation[1]);
}

static void value(situ_source *t, const char *type, const char *fma)
{
    situ_source_append(t,
        "    ptrdiff_t n, g, o, h, v, c, i, j, at = 0;\n"
        "    for (n = 0; n < N; n++)\n    for (g = 0; g < GROUPS; g++)\n    for (o = 0; o < OUT; o++)\n"
        "    for (h = 0; h < OH; h++)\n    for (v = 0; v < OW; v++, at++) {\n");
    situ_source_add(t,
        "        const %s *x = b1 + (n * GROUPS + g) * IN * IH * IW, *w = b2 + (g * OUT + o) * IN * KH * KW;\n"
        "        %s s = 0;\n"
        "        for (c = 0; c < IN; c++, x += IH * IW)\n"
        "            for (i = 0; i < KH; i++) {\n"
        "                ptrdiff_t row = h * SH - BH + i * DH, column = v * SW - BW;\n"
        "                int inside = row >= 0 && row < IH;\n"
        "                for (j = 0; j < KW; j++, column += DW, w++)\n"
        "                    s = %s(*w, inside && column >= 0 && column < IW ? x[row * IW + column] : 0, s);\n"
        "            }\n"
        "        b0[at] = s;\n    }\n",
        type, type, fma);
}

/* The gradient by the image, and the transposed convolution: only taps that meet the grid of y. */
static void input(situ_source *t, const char *type, const char *fma)
{
    situ_source_append(t,
        "    ptrdiff_t n, g, c, h, v, o, i, j, at = 0;\n"
        "    for (n = 0; n < N; n++)\n    for (g = 0; g < GROUPS; g++)\n    for (c = 0; c < IN; c++)\n"
        "    for (h = 0; h < IH; h++)\n    for (v = 0; v < IW; v++, at++) {\n");
    situ_source_add(t,
        "        const %s *y = b1 + (n * GROUPS + g) * OUT * OH * OW, *w = b2 + (g * OUT * IN + c) * KH * KW;\n"
        "        %s s = 0;\n"
        "        for (o = 0; o < OUT; o++, y += OH * OW, w += IN * KH * KW)\n"
        "            for (i = 0; i < KH; i++) {\n"
        "                ptrdiff_t down = h + BH - i * DH, row = down / SH;\n"
        "                if (down %% SH) continue;\n"
        "                for (j = 0; j < KW; j++) {\n"
        "                    ptrdiff_t right = v + BW - j * DW, column = right / SW;\n"
        "                    if (right %% SW) continue;\n"
        "                    s = %s(w[i * KW + j], row >= 0 && row < OH && column >= 0 && column < OW ? y[row * OW + column] : 0, "
        "s);\n"
        "                }\n"
        "            }\n"
        "        b0[at] = s;\n    }\n",
        type, type, fma);
}

/* The gradient by the kernel, in the order of situ_conv_order. */
static void weight(situ_source *t, const situ_conv *p, const char *type, const char *fma)
{
    situ_conv_order o = situ_conv_order_of(p, *type == 'd');
    situ_source_add(t,
        "    enum { LANES = %lld, PITCH = %lld, BATCH = %lld, CHUNK = %lld };\n"
        "    ptrdiff_t o, c, i, j, n, h, v, k, chunk, first, last, at = 0;\n"
        "    for (o = 0; o < GROUPS * OUT; o++)\n    for (c = 0; c < IN; c++)\n    for (i = 0; i < KH; i++)\n"
        "    for (j = 0; j < KW; j++, at++) {\n",
        (number)o.lanes, (number)o.pitch, (number)o.batch, (number)o.chunk);
    situ_source_add(t,
        "        %s all = 0, total = 0;\n"
        "        for (chunk = 0; chunk < N; chunk = last) {\n"
        "            last = N - chunk < CHUNK ? N : chunk + CHUNK;\n"
        "            for (first = chunk; first < last; first += BATCH) {\n"
        "                %s lane[LANES] = {0};\n"
        "                for (n = first; n < last && n < first + BATCH; n++) {\n"
        "                    const %s *x = b1 + ((n * GROUPS + o / OUT) * IN + c) * IH * IW, *y = b2 + (n * GROUPS * OUT + o) * OH "
        "* "
        "OW;\n",
        type, type, type);
    situ_source_add(t,
        "                    for (h = 0; h < OH; h++)\n"
        "                        for (v = 0; v < OW; v++) {\n"
        "                            ptrdiff_t row = h * SH - BH + i * DH, column = v * SW - BW + j * DW;\n"
        "                            int inside = row >= 0 && row < IH && column >= 0 && column < IW;\n"
        "                            k = (h * PITCH + v) %% LANES;\n"
        "                            lane[k] = %s(y[h * OW + v], inside ? x[row * IW + column] : 0, lane[k]);\n"
        "                        }\n"
        "                }\n"
        "                for (k = LANES / 2; k; k /= 2)\n"
        "                    for (v = 0; v < k; v++) lane[v] = lane[v] + lane[v + k];\n"
        "                total = first == chunk ? lane[0] : total + lane[0];\n"
        "            }\n"
        "            all = chunk ? all + total : total;\n"
        "        }\n"
        "        b0[at] = all;\n    }\n",
        fma);
}

static void convolution(situ_emitted *e, const situ_call_desc *c)
{
    situ_dtype d = (situ_dtype)c->out.dtype;
    if (d != SITU_F32 && d != SITU_F64) {
        situ_emit_refuse(e, "convolutions of %s", situ_dtype_name(d));
        return;
    }
    situ_conv p = situ_conv_of(c);
    situ_emit_open(e, c, false);
    write_sizes(&e->steps, &p);
    const char *type = situ_emit_type(d), *fma = d == SITU_F32 ? "f32_fma" : "f64_fma";
    if (!strcmp(c->op->name, "conv2d_weight")) weight(&e->steps, &p, type, fma);
    else (strcmp(c->op->name, "conv2d") ? input : value)(&e->steps, type, fma);
    situ_source_append(&e->steps, "}\n\n");
}

bool situ_emit_is_product(const situ_call_desc *c)
{
    static const char *const names[] = {"matmul", "conv2d", "conv2d_input", "conv2d_weight"};
    for (int i = 0; i < 4; i++)
        if (!strcmp(c->op->name, names[i])) return true;
    return false;
}

bool situ_emit_product(situ_emitted *e, const situ_call_desc *c)
{
    if (!situ_emit_is_product(c)) return false;
    (strcmp(c->op->name, "matmul") ? convolution : matmul)(e, c);
    return true;
}
