/* Running sums and products: a line to a work-item, in order. */
#include "codegen/call_text.h"
#include "op/attr.h"
#include "tensor/shape.h"

#include <string.h>

static bool scan_passes(const situ_call_desc *c, const situ_dialect *d, situ_passes *p)
{
    (void)d;
    situ_lines r = situ_call_lines(&c->out, ((const situ_axis_attr *)c->attr)->axis);
    p->pass[0] = situ_pass_for(r.outer * r.inner);
    return true;
}

static void scan_body(situ_text *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    (void)pass;
    const situ_axis_attr *a = c->attr;
    situ_lines r = situ_call_lines(&c->out, a->axis);
    bool product = !strcmp(c->op->name, "cumprod"), linear = c->nin > 1;
    situ_text_add(t, "#define N %lldu\n", r.n);
    situ_call_each(t, r.outer * r.inner);
    situ_text_add(t,
                  "    u64_F first = p / %lldu * %lldu + p %% %lldu;\n"
                  "    C before = %s;\n"
                  "    for (u64_F s = 0; s < %lldu; s++) {\n"
                  "        u64_F i = first + %s * %lldu;\n"
                  "        C x = LOAD(IN0[i]);\n",
                  r.inner + !r.inner, r.n * r.inner, r.inner + !r.inner, product ? "ONE" : "ZERO", r.n,
                  a->flag ? "(N - 1 - s)" : "s", r.inner);
    if (linear) situ_text_append(t, "        before = ADD(MULTIPLY(before, x), LOAD(IN1[i]));\n");
    else situ_text_append(t, product ? "        before = MULTIPLY(before, x);\n" : "        before = ADD(before, x);\n");
    situ_text_append(t, "        OUT[i] = STORE(before);\n    }\n");
}

const situ_call_family situ_call_scan[] = {
    {"cumsum", scan_passes, scan_body, NULL}, {"cumprod", scan_passes, scan_body, NULL}, {"linear_scan", scan_passes, scan_body, NULL}, {NULL, NULL, NULL, NULL}};
