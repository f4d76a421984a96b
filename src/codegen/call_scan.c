/* Running sums and products: a line to a work-item, in order, since each step rounds and so none may go before another.
 * Lines that lie side by side are read side by side. Lines that lie one behind the other go through local memory on a GPU,
 * 64 lines by 32 places at a time, so that they are read and written along memory. */
#include "codegen/call_text.h"
#include "op/attr.h"
#include "tensor/shape.h"

#include <string.h>

enum { LINES = 64, PLACES = 32 };

typedef struct scan { situ_lines r; bool product, linear, reverse, tiled; } scan;

static scan scan_of(const situ_call_desc *c, const situ_dialect *d)
{
    const situ_axis_attr *a = c->attr;
    scan s = {.r = situ_call_lines(&c->out, a->axis), .product = !strcmp(c->op->name, "cumprod"), .linear = c->nin > 1, .reverse = a->flag};
    s.tiled = !d->vector && s.r.inner == 1 && s.r.n > 1 && s.r.outer >= PLACES;
    return s;
}

static bool scan_passes(const situ_call_desc *c, const situ_dialect *d, situ_passes *p)
{
    scan s = scan_of(c, d);
    p->pass[0] = situ_pass_for(s.r.outer * s.r.inner);
    if (s.tiled) p->pass[0].blocks = (s.r.outer + LINES - 1) / LINES;
    return true;
}

static const char *step_of(const scan *s)
{
    return s->linear ? "before = ADD(MULTIPLY(before, x), %s);\n" : s->product ? "before = MULTIPLY(before, x);\n" : "before = ADD(before, x);\n";
}

/* Work-item i < 64 goes along line i of a tile; all of them copy. */
static void tiled_body(situ_text *t, const scan *s)
{
    const char *const each = "        for (int e = THREAD; e < %d; e += %d) {\n"
                             "            u64_F line = first + e / %d, s = start + e %% %d;\n"
                             "            if (line < %lldu && s < N) ";
    const char *place = s->reverse ? "line * N + (N - 1 - s)" : "line * N + s";
    situ_text_add(t,
                  "    LOCAL C tile[%d][%d]%s;\n"
                  "    u64_F first = BLOCK * %d;\n"
                  "    C before = %s;\n"
                  "    for (u64_F start = 0; start < N; start += %d) {\n",
                  LINES, PLACES + 1, s->linear ? ", more[64][33]" : "", LINES, s->product ? "ONE" : "ZERO", PLACES);
    situ_text_add(t, each, LINES * PLACES, SITU_CALL_THREADS, PLACES, PLACES, s->r.outer);
    situ_text_add(t, "tile[e / %d][e %% %d] = LOAD(IN0[%s])", PLACES, PLACES, place);
    if (s->linear) situ_text_add(t, ", more[e / %d][e %% %d] = LOAD(IN1[%s])", PLACES, PLACES, place);
    situ_text_add(t,
                  ";\n        }\n"
                  "        BARRIER();\n"
                  "        if (THREAD < %d && first + THREAD < %lldu)\n"
                  "            for (int e = 0; e < %d && start + e < N; e++) {\n"
                  "                C x = tile[THREAD][e];\n                ",
                  LINES, s->r.outer, PLACES);
    situ_text_add(t, step_of(s), "more[THREAD][e]");
    situ_text_append(t, "                tile[THREAD][e] = before;\n            }\n        BARRIER();\n");
    situ_text_add(t, each, LINES * PLACES, SITU_CALL_THREADS, PLACES, PLACES, s->r.outer);
    situ_text_add(t, "OUT[%s] = STORE(tile[e / %d][e %% %d]);\n        }\n        BARRIER();\n    }\n", place, PLACES, PLACES);
}

static void scan_body(situ_text *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)pass;
    scan s = scan_of(c, d);
    long long inner = s.r.inner + !s.r.inner;
    situ_text_add(t, "#define N %lldu\n", s.r.n);
    if (s.tiled) {
        tiled_body(t, &s);
        return;
    }
    situ_call_each(t, s.r.outer * s.r.inner);
    situ_text_add(t,
                  "    u64_F first = p / %lldu * %lldu + p %% %lldu;\n"
                  "    C before = %s;\n"
                  "    for (u64_F s = 0; s < %lldu; s++) {\n"
                  "        u64_F i = first + %s * %lldu;\n"
                  "        C x = LOAD(IN0[i]);\n        ",
                  inner, s.r.n * s.r.inner, inner, s.product ? "ONE" : "ZERO", s.r.n, s.reverse ? "(N - 1 - s)" : "s", s.r.inner);
    situ_text_add(t, step_of(&s), "LOAD(IN1[i])");
    situ_text_append(t, "        OUT[i] = STORE(before);\n    }\n");
}

const situ_call_family situ_call_scan[] = {
    {"cumsum", scan_passes, scan_body, NULL}, {"cumprod", scan_passes, scan_body, NULL}, {"linear_scan", scan_passes, scan_body, NULL}, {NULL, NULL, NULL, NULL}};
