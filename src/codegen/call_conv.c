/* Convolutions as matrix products whose right operand is never materialised, for values and for gradients by the
 * image: rows are channels of the result, columns are its positions over all images, and the depth goes over (channel,
 * row, column) of the kernel. Gradients by the kernel are in conv_weight.c. All three sum in the order of the CPU's
 * kernels, with 0 for elements outside. */
#include "codegen/conv_weight.h"
#include "codegen/matmul_text.h"
#include "op/conv.h"

#include <string.h>

typedef long long number;

static number divisor(number a, number b) { return b ? divisor(b, a % b) : a; }
static number parts(number n, number size) { return (n + size - 1) / size; }

static bool is_input(const situ_call_desc *c) { return strstr(c->op->name, "_input") != NULL; }

static situ_matmul_text product_of(const situ_call_desc *c)
{
    situ_conv p = situ_conv_of(c);
    number area = (number)(p.image[0] * p.image[1]), places = (number)(p.out[0] * p.out[1]), most = area > places ? area : places;
    number depth = (number)((p.group_in > p.group_out ? p.group_in : p.group_out) * p.kernel[0] * p.kernel[1]);
    for (int i = 0; i < 2; i++) {
        number reach = (number)((p.out[i] + p.kernel[i]) * (p.stride[i] + p.dilation[i]) + p.before[i]);
        if (reach > most) most = reach;
    }
    situ_matmul_text t = {.left = 1, .wide = most > INT32_MAX / 4 || depth > INT32_MAX / 4};
    if (is_input(c)) {
        number down = (number)(p.stride[0] < p.image[0] ? p.stride[0] : p.image[0]),
               right = (number)(p.stride[1] < p.image[1] ? p.stride[1] : p.image[1]);
        t.rows = (number)p.group_in;
        t.columns = (number)p.n * parts((number)p.image[0], (number)p.stride[0]) * parts((number)p.image[1], (number)p.stride[1]);
        t.parts = (number)p.groups * down * right;
        t.plane = area;
        t.step = 1;
        t.across = (number)p.out[1];
    } else {
        t.rows = (number)p.group_out;
        t.columns = (number)p.n * places;
        t.parts = (number)p.groups;
        t.plane = places;
        t.step = (int)p.stride[1];
        t.across = (number)p.image[1];
    }
    return t;
}

static bool conv_passes(const situ_call_desc *c, const situ_dialect *d, situ_passes *passes)
{
    situ_matmul_text t = product_of(c);
    situ_matmul_pass(&t, d, (situ_dtype)c->out.dtype, &passes->pass[0]);
    return true;
}

static void write_sizes(situ_source *t, const situ_conv *p)
{
    situ_source_add(t,
        "enum { GROUP_IN = %lld, GROUP_OUT = %lld, IH = %lld, IW = %lld, KH = %lld, KW = %lld, OH = %lld, OW = %lld,\n",
        (number)p->group_in, (number)p->group_out, (number)p->image[0], (number)p->image[1], (number)p->kernel[0],
        (number)p->kernel[1], (number)p->out[0], (number)p->out[1]);
    situ_source_add(t, "       SH = %lld, SW = %lld, BH = %lld, BW = %lld, DH = %lld, DW = %lld };\n", (number)p->stride[0],
        (number)p->stride[1], (number)p->before[0], (number)p->before[1], (number)p->dilation[0], (number)p->dilation[1]);
}

static void value_functions(situ_source *t, const situ_conv *p)
{
    number area = (number)(p->image[0] * p->image[1]), places = (number)(p->out[0] * p->out[1]),
           taps = (number)(p->group_in * p->kernel[0] * p->kernel[1]);
    situ_source_add(t,
        "FN part_F part_of(u64_F n)\n{\n"
        "    part_F p;\n"
        "    p.a = (i64_F)n * GROUP_OUT * %lld, p.b = (i64_F)n * GROUP_IN * %lld, p.to = (i64_F)n * GROUP_OUT * %lld;\n"
        "    p.columns = %lld, p.depth = %lld;\n"
        "    return p;\n}\n",
        taps, area, places, (number)p->n * places, taps);
    situ_source_add(t,
        "FN spot_F spot_of(part_F p, i64_F j)\n{\n"
        "    spot_F s;\n"
        "    i64_F n = j / %lld;\n"
        "    at_F at = (at_F)(j %% %lld);\n"
        "    s.top = at / OW * SH - BH, s.left = at %% OW * SW - BW;\n"
        "    s.from = p.b + n * %lld, s.to = p.to + n * %lld + at;\n"
        "    return s;\n}\n",
        places, places, (number)p->channels * area, (number)p->out_channels * places);
    situ_source_add(t,
        "FN C a_at(GLOBAL const E *w, part_F p, i64_F i, at_F k) { return LOAD(w[p.a + i * %lld + k]); }\n"
        "FN C b_at(GLOBAL const E *x, part_F p, spot_F s, at_F k)\n{\n"
        "    at_F h = s.top + k / KW %% KH * DH, v = s.left + k %% KW * DW;\n"
        "    return h >= 0 && h < IH && v >= 0 && v < IW ? LOAD(x[s.from + (i64_F)(k / (KH * KW)) * %lld + (h * IW + v)]) : "
        "ZERO;\n}\n"
        "FN i64_F line_at(part_F p, spot_F s, at_F k, at_F *v)\n{\n"
        "    at_F h = s.top + k / KW %% KH * DH;\n"
        "    *v = s.left + k %% KW * DW;\n"
        "    return h >= 0 && h < IH ? s.from + (i64_F)(k / (KH * KW)) * %lld + h * IW : -1;\n}\n",
        taps, area, area);
}

/* Positions of x with equal remainders `y, x` modulo the strides use the same elements of the kernel: i0, i0 + step,
 * ... */
static void input_functions(situ_source *t, const situ_conv *p)
{
    number area = (number)(p->image[0] * p->image[1]), places = (number)(p->out[0] * p->out[1]),
           across = (number)(p->stride[1] < p->image[1] ? p->stride[1] : p->image[1]);
    number phases = across * (number)(p->stride[0] < p->image[0] ? p->stride[0] : p->image[0]), step[2], back[2];
    for (int i = 0; i < 2; i++) {
        step[i] = (number)p->stride[i] / divisor((number)p->stride[i], (number)p->dilation[i]);
        back[i] = (number)p->dilation[i] * step[i] / (number)p->stride[i];
    }
    situ_source_add(t,
        "FN part_F part_of(u64_F n)\n{\n"
        "    part_F p;\n"
        "    i64_F g = (i64_F)(n / %lldu);\n"
        "    p.y = (at_F)(n %% %lldu / %lldu), p.x = (at_F)(n %% %lldu);\n"
        "    for (p.i0 = 0; p.i0 < KH && (p.y + BH - p.i0 * DH) %% SH; p.i0++) {}\n"
        "    for (p.j0 = 0; p.j0 < KW && (p.x + BW - p.j0 * DW) %% SW; p.j0++) {}\n"
        "    p.ni = (KH - p.i0 + %lld) / %lld, p.nj = (KW - p.j0 + %lld) / %lld;\n"
        "    p.depth = GROUP_OUT * p.ni * p.nj;\n",
        phases, phases, across, across, step[0] - 1, step[0], step[1] - 1, step[1]);
    situ_source_add(t,
        "    p.columns = (i64_F)%lld * ((IH - p.y + SH - 1) / SH) * ((IW - p.x + SW - 1) / SW);\n"
        "    p.a = g * GROUP_OUT * GROUP_IN * KH * KW, p.b = g * GROUP_OUT * %lld, p.to = g * GROUP_IN * %lld;\n"
        "    return p;\n}\n"
        "FN spot_F spot_of(part_F p, i64_F j)\n{\n"
        "    spot_F s;\n"
        "    at_F wide = (IW - p.x + SW - 1) / SW, all = (IH - p.y + SH - 1) / SH * wide, at = (at_F)(j %% all);\n"
        "    at_F y = p.y + at / wide * SH, x = p.x + at %% wide * SW;\n"
        "    s.top = (y + BH - p.i0 * DH) / SH, s.left = (x + BW - p.j0 * DW) / SW;\n"
        "    s.from = p.b + j / all * %lld, s.to = p.to + j / all * %lld + y * IW + x;\n"
        "    return s;\n}\n",
        (number)p->n, places, area, (number)p->out_channels * places, (number)p->channels * area);
    /* without strides the loop bounds are constants for the compiler */
    situ_source_add(
        t, "#define TAPS_DOWN %s\n#define TAPS_ACROSS %s\n", p->stride[0] == 1 ? "KH" : "p.ni", p->stride[1] == 1 ? "KW" : "p.nj");
    situ_source_add(t,
        "FN C a_at(GLOBAL const E *w, part_F p, i64_F c, at_F k)\n{\n"
        "    at_F o = k / (TAPS_DOWN * TAPS_ACROSS), i = p.i0 + k / TAPS_ACROSS %% TAPS_DOWN * %lld, j = p.j0 + k %% TAPS_ACROSS * "
        "%lld;\n"
        "    return LOAD(w[p.a + ((i64_F)o * GROUP_IN + c) * (KH * KW) + (i * KW + j)]);\n}\n"
        "FN C b_at(GLOBAL const E *y, part_F p, spot_F s, at_F k)\n{\n"
        "    at_F o = k / (TAPS_DOWN * TAPS_ACROSS), h = s.top - k / TAPS_ACROSS %% TAPS_DOWN * %lld, v = s.left - k %% "
        "TAPS_ACROSS * %lld;\n"
        "    return h >= 0 && h < OH && v >= 0 && v < OW ? LOAD(y[s.from + (i64_F)o * %lld + (h * OW + v)]) : ZERO;\n}\n",
        step[0], step[1], back[0], back[1], places);
    situ_source_add(t,
        "FN i64_F line_at(part_F p, spot_F s, at_F k, at_F *v)\n{\n"
        "    at_F o = k / (TAPS_DOWN * TAPS_ACROSS), h = s.top - k / TAPS_ACROSS %% TAPS_DOWN * %lld;\n"
        "    *v = s.left - k %% TAPS_ACROSS * %lld;\n"
        "    return h >= 0 && h < OH ? s.from + (i64_F)o * %lld + h * OW : -1;\n}\n",
        back[0], back[1], places);
}

static void conv_functions(situ_source *t, const situ_call_desc *c, const situ_dialect *d)
{
    situ_conv p = situ_conv_of(c);
    situ_matmul_text product = product_of(c);
    situ_matmul_types(t, &product, d, (situ_dtype)c->out.dtype);
    write_sizes(t, &p);
    if (is_input(c)) input_functions(t, &p);
    else value_functions(t, &p);
}

static void conv_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)pass;
    situ_matmul_text product = product_of(c);
    situ_matmul_body(t, &product, d, (situ_dtype)c->out.dtype);
}

static void weight_functions(situ_source *t, const situ_call_desc *c, const situ_dialect *d)
{
    situ_conv p = situ_conv_of(c);
    situ_matmul_text product = product_of(c);
    situ_matmul_types(t, &product, d, (situ_dtype)c->out.dtype);
    write_sizes(t, &p);
    situ_conv_weight_functions(t, c, d);
}

const situ_call_family situ_call_conv[] = {
    {"conv2d", conv_passes, conv_body, conv_functions},
    {"conv2d_input", conv_passes, conv_body, conv_functions},
    {"conv2d_weight", situ_conv_weight_passes, situ_conv_weight_body, weight_functions},
    {"conv2d_half", conv_passes, conv_body, conv_functions},
    {"conv2d_half_input", conv_passes, conv_body, conv_functions},
    {"conv2d_half_weight", situ_conv_weight_passes, situ_conv_weight_body, weight_functions},
    {NULL, NULL, NULL, NULL},
};
