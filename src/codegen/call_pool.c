/* Pooling over the last two axes. In gradients each element of the image reads the windows that contain it, in the order in which
 * the reference adds them. */
#include "codegen/call_text.h"
#include "op/pool.h"
#include "tensor/shape.h"

#include <string.h>

static void write_sizes(situ_source *t, const situ_call_desc *c, bool back)
{
    const situ_pool_attr *a = c->attr;
    const situ_layout *image = back ? &c->out : &c->in[0], *out = back ? &c->in[c->nin - 1] : &c->out;
    int last = image->ndim - 1;
    situ_source_add(t, "    const i64_F ih = %lld, iw = %lld, oh = %lld, ow = %lld;\n", (long long)image->dim[last - 1],
        (long long)image->dim[last], (long long)out->dim[last - 1], (long long)out->dim[last]);
    situ_source_add(t, "    const i64_F kh = %lld, kw = %lld, sh = %lld, sw = %lld, bh = %lld, bw = %lld;\n", (long long)a->size[0],
        (long long)a->size[1], (long long)a->stride[0], (long long)a->stride[1], (long long)a->before[0], (long long)a->before[1]);
}

/* The window at output position (r, v): rows top..bottom, columns left..right. */
static const char window[] = "top = r * sh - bh, bottom = top + kh, left = v * sw - bw, right = left + kw;\n"
                             "    if (top < 0) top = 0;\n    if (bottom > ih) bottom = ih;\n"
                             "    if (left < 0) left = 0;\n    if (right > iw) right = iw;\n";
static const char largest[] =
    "    i64_F best = top * iw + left;\n"
    "    for (i64_F i = top; i < bottom; i++)\n"
    "        for (i64_F j = left; j < right; j++) {\n"
    "            C x = LOAD(IN0[plane * ih * iw + i * iw + j]), most = LOAD(IN0[plane * ih * iw + best]);\n"
    "            if (x > most || (x != x && most == most)) best = i * iw + j;\n"
    "        }\n";

static const char sum_in_order[] = "    for (i64_F i = top; i < bottom; i++)\n"
                                   "        for (i64_F j = left; j < right; j++) sum += LOAD(IN0[plane * ih * iw + i * iw + j]);\n";
/* In the order of the reference in op/pool.c. */
static const char sum_by_blocks[] = "    C level[56];\n"
                                    "    i64_F blocks = 0, held = 0;\n"
                                    "    int k;\n"
                                    "    for (i64_F i = top; i < bottom; i++)\n"
                                    "        for (i64_F j = left; j < right; j++) {\n"
                                    "            sum += LOAD(IN0[plane * ih * iw + i * iw + j]);\n"
                                    "            if (++held < 1024 && (i < bottom - 1 || j < right - 1)) continue;\n"
                                    "            for (k = 0; blocks >> k & 1; k++) sum = level[k] + sum;\n"
                                    "            level[k] = sum;\n"
                                    "            blocks++;\n"
                                    "            sum = ZERO;\n"
                                    "            held = 0;\n"
                                    "        }\n"
                                    "    int first = 1;\n"
                                    "    for (k = 0; blocks >> k; k++)\n"
                                    "        if (blocks >> k & 1) {\n"
                                    "            sum = first ? level[k] : level[k] + sum;\n"
                                    "            first = 0;\n"
                                    "        }\n";
_Static_assert(SITU_POOL_BLOCK == 1024 && SITU_POOL_LEVELS == 56, "the text above has these numbers");

static void forward_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    (void)pass;
    const situ_pool_attr *a = c->attr;
    bool mean = !strcmp(c->op->name, "avg_pool2d");
    situ_call_each(t, situ_shape_count(c->out.ndim, c->out.dim));
    write_sizes(t, c, false);
    situ_source_add(t, "    (void)oh;\n    i64_F v = p %% ow, r = p / ow %% oh, plane = p / (ow * oh), %s", window);
    if (!mean) {
        situ_source_add(t, "%s    OUT[p] = IN1[plane * ih * iw + best];\n", largest);
        return;
    }
    situ_source_add(t,
        "    C sum = ZERO;\n%s"
        "    OUT[p] = STORE(sum / (C)(%s));\n",
        a->size[0] * a->size[1] > SITU_POOL_BLOCK ? sum_by_blocks : sum_in_order,
        a->whole ? "kh * kw" : "(bottom - top) * (right - left)");
}

static void back_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    (void)pass;
    const situ_pool_attr *a = c->attr;
    bool mean = !strcmp(c->op->name, "avg_spread");
    situ_call_each(t, situ_shape_count(c->out.ndim, c->out.dim));
    write_sizes(t, c, true);
    situ_source_append(t,
        "    i64_F x0 = p % iw, y0 = p / iw % ih, plane = p / (iw * ih);\n"
        "    i64_F r0 = y0 + bh - kh + 1, v0 = x0 + bw - kw + 1;\n"
        "    C sum = ZERO;\n"
        "    for (i64_F r = r0 <= 0 ? 0 : (r0 + sh - 1) / sh; r < oh && r * sh - bh <= y0; r++)\n"
        "    for (i64_F v = v0 <= 0 ? 0 : (v0 + sw - 1) / sw; v < ow && v * sw - bw <= x0; v++) {\n");
    situ_source_add(t, "    i64_F %s", window);
    if (mean)
        situ_source_add(t, "    sum += LOAD(IN0[(plane * oh + r) * ow + v]) / (C)(%s);\n    }\n",
            a->whole ? "kh * kw" : "(bottom - top) * (right - left)");
    else situ_source_add(t, "%s    if (best == y0 * iw + x0) sum += LOAD(IN1[(plane * oh + r) * ow + v]);\n    }\n", largest);
    situ_source_append(t, "    OUT[p] = STORE(sum);\n");
}

const situ_call_family situ_call_pool[] = {
    {"max_take", NULL, forward_body, NULL},
    {"max_put", NULL, back_body, NULL},
    {"avg_pool2d", NULL, forward_body, NULL},
    {"avg_spread", NULL, back_body, NULL},
    {NULL, NULL, NULL, NULL},
};
