/* Cumulative sums in four passes: a work-item sums a strip; then the strips of a block are added up; then the sums
 * before each block; then everything is added (op/scan_sum.h). Products and recurrences: a work-item goes along a line
 * in order, with a wider carried type. Adjacent lines are read side by side. Other lines go through local memory on a
 * GPU, in tiles of 64 lines or strips by 32 positions, so that memory is read and written contiguously. */
#include "codegen/call_text.h"
#include "op/attr.h"
#include "op/scan_sum.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

#include <string.h>

enum { LINES = 64, PLACES = 32, STRIP = SITU_SCAN_STRIP, BLOCK = SITU_SCAN_BLOCK };

/* r.n is the length along which a work-item goes; `cut` of them form a line. */
typedef struct scan {
    situ_lines r;
    long long n, cut, blocks;
    bool sum, product, linear, reverse, tiled;
} scan;

static scan scan_of(const situ_call_desc *c, const situ_dialect *d)
{
    const situ_axis_attr *a = c->attr;
    scan s = {.r = situ_call_lines(&c->out, a->axis),
        .sum = !strcmp(c->op->name, "cumsum"),
        .product = !strcmp(c->op->name, "cumprod"),
        .linear = c->nin > 1,
        .reverse = a->flag};
    s.n = s.r.n;
    s.cut = s.sum && s.n ? (s.n + STRIP - 1) / STRIP : 1;
    s.blocks = (s.n + BLOCK - 1) / BLOCK;
    if (s.sum && s.n > STRIP) s.r.n = STRIP;
    s.tiled = !d->vector && s.r.inner == 1 && s.r.n > 1 && s.r.outer * s.cut >= PLACES;
    return s;
}

static bool scan_passes(const situ_call_desc *c, const situ_dialect *d, situ_passes *p)
{
    scan s = scan_of(c, d);
    long long lines = s.r.outer * s.r.inner, work = lines * s.cut;
    p->pass[0] = situ_pass_for(work);
    if (s.tiled) p->pass[0].blocks = (work + LINES - 1) / LINES;
    if (s.cut == 1) return true;
    p->count = 4;
    p->pass[1] = situ_pass_for(lines * s.blocks);
    p->pass[2] = (situ_pass){SITU_CALL_THREADS, lines};
    p->pass[3] = situ_pass_for(lines * s.n);
    p->workspace = (size_t)(lines * (s.cut + 3 * s.blocks)) * situ_dtype_size((situ_dtype)c->out.dtype);
    return true;
}

/* The type of the carried value: f64 for floats. */
static void scan_functions(situ_source *t, const situ_call_desc *c, const situ_dialect *d)
{
    (void)d;
    bool sum = !strcmp(c->op->name, "cumsum");
    if (!sum && situ_dtype_is_complex((situ_dtype)c->out.dtype)) {
        situ_source_append(t,
            "FN c128_F own_wide(C x) { c128_F w; w.re = x.re; w.im = x.im; return w; }\n"
            "FN C own_narrow(c128_F w) { C x; x.re = w.re; x.im = w.im; return x; }\n"
            "#define WIDE c128_F\n#define WIDEN(x) own_wide(x)\n#define NARROW(w) own_narrow(w)\n"
            "FN c128_F own_wide_add(c128_F a, c128_F b) { a.re += b.re; a.im += b.im; return a; }\n"
            "FN c128_F own_wide_mul(c128_F a, c128_F b)\n"
            "{\n"
            "    c128_F s;\n"
            "    s.re = a.re * b.re - a.im * b.im;\n"
            "    s.im = a.re * b.im + a.im * b.re;\n"
            "    return s;\n"
            "}\n"
            "#define WIDE_ADD(a, b) own_wide_add(a, b)\n#define WIDE_MULTIPLY(a, b) own_wide_mul(a, b)\n");
    } else if (!sum && situ_dtype_is_float((situ_dtype)c->out.dtype)) {
        situ_source_append(t,
            "#define WIDE f64_F\n#define WIDEN(x) ((f64_F)(x))\n#define NARROW(w) ((C)(w))\n"
            "#define WIDE_ADD(a, b) ((a) + (b))\n#define WIDE_MULTIPLY(a, b) ((a) * (b))\n");
    } else {
        situ_source_append(t,
            "#define WIDE C\n#define WIDEN(x) (x)\n#define NARROW(w) (w)\n"
            "#define WIDE_ADD(a, b) ADD(a, b)\n#define WIDE_MULTIPLY(a, b) MULTIPLY(a, b)\n");
    }
}

static const char *step_of(const scan *s)
{
    return s->linear ? "before = WIDE_ADD(WIDE_MULTIPLY(before, WIDEN(x)), WIDEN(%s));\n" :
        s->product   ? "before = WIDE_MULTIPLY(before, WIDEN(x));\n" :
                       "before = WIDE_ADD(before, WIDEN(x));\n";
}

/* Work-item i < 64 goes along strip i of a tile; all of them copy. */
static void tiled_body(situ_source *t, const scan *s)
{
    const char *const each =
        "        for (int e = THREAD; e < %d; e += %d) {\n"
        "            u64_F strip = first + e / %d, line = strip / %lldu, s = strip %% %lldu * %lldu + start + e %% %d;\n"
        "            if (strip < %lldu && s < N) ";
    const char *place = s->reverse ? "line * N + (N - 1 - s)" : "line * N + s";
    long long strips = s->r.outer * s->cut;
    int places = s->linear ? PLACES / 2 : PLACES; /* two tiles of c128 do not fit into a work-group's local memory */
    situ_source_add(t,
        "    LOCAL C tile[%d][%d]%s;\n"
        "    u64_F first = BLOCK * %d;\n"
        "    WIDE before = WIDEN(%s);\n"
        "    for (u64_F start = 0; start < %lldu; start += %d) {\n",
        LINES, places + 1, s->linear ? ", more[64][17]" : "", LINES, s->product ? "ONE" : "ZERO", s->r.n, places);
    situ_source_add(t, each, LINES * places, SITU_CALL_THREADS, places, s->cut, s->cut, s->r.n, places, strips);
    situ_source_add(t, "tile[e / %d][e %% %d] = LOAD(IN0[%s])", places, places, place);
    if (s->linear) situ_source_add(t, ", more[e / %d][e %% %d] = LOAD(IN1[%s])", places, places, place);
    situ_source_add(t,
        ";\n        }\n"
        "        BARRIER();\n"
        "        if (THREAD < %d && first + THREAD < %lldu)\n"
        "            for (int e = 0; e < %d && (first + THREAD) %% %lldu * %lldu + start + e < N; e++) {\n"
        "                C x = tile[THREAD][e];\n                ",
        LINES, strips, places, s->cut, s->r.n);
    situ_source_add(t, step_of(s), "more[THREAD][e]");
    situ_source_append(t, "                tile[THREAD][e] = NARROW(before);\n            }\n        BARRIER();\n");
    situ_source_add(t, each, LINES * places, SITU_CALL_THREADS, places, s->cut, s->cut, s->r.n, places, strips);
    situ_source_add(t, "OUT[%s] = STORE(tile[e / %d][e %% %d]);\n        }\n        BARRIER();\n    }\n", place, places, places);
    if (s->cut > 1)
        situ_source_add(
            t, "    if (THREAD < %d && first + THREAD < %lldu) STRIPS[first + THREAD] = NARROW(before);\n", LINES, strips);
}

/* Adjacent lines belong to adjacent work-items. */
static void strip_body(situ_source *t, const scan *s)
{
    long long inner = s->r.inner + !s->r.inner;
    situ_call_each(t, s->r.outer * s->r.inner * s->cut);
    situ_source_add(t,
        "    u64_F strip = p / %lldu %% %lldu, line = p / %lldu * %lldu + p %% %lldu, first = p / %lldu * %lldu + p %% %lldu;\n"
        "    WIDE before = WIDEN(%s);\n"
        "    for (u64_F s = strip * %lldu; s < strip * %lldu + %lldu && s < N; s++) {\n"
        "        u64_F i = first + %s * %lldu;\n"
        "        C x = LOAD(IN0[i]);\n        ",
        inner, s->cut, inner * s->cut, inner, inner, inner * s->cut, s->n * inner, inner, s->product ? "ONE" : "ZERO", s->r.n,
        s->r.n, s->r.n, s->reverse ? "(N - 1 - s)" : "s", inner);
    situ_source_add(t, step_of(s), "LOAD(IN1[i])");
    situ_source_append(t, "        OUT[i] = STORE(NARROW(before));\n    }\n");
    if (s->cut > 1) situ_source_add(t, "    STRIPS[line * %lldu + strip] = NARROW(before);\n", s->cut);
    else situ_source_append(t, "    (void)line;\n");
}

/* Replaces the sums of a block's strips by the sum before each strip in its block. */
static void block_body(situ_source *t, const scan *s)
{
    situ_call_each(t, s->r.outer * s->r.inner * s->blocks);
    situ_source_add(t,
        "    u64_F line = p / %lldu, block = p %% %lldu;\n"
        "    C before = ZERO;\n"
        "    for (u64_F k = block * %d; k < (block + 1) * %d && k < %lldu; k++) {\n"
        "        C sum = STRIPS[line * %lldu + k];\n"
        "        STRIPS[line * %lldu + k] = before;\n"
        "        before = ADD(before, sum);\n"
        "    }\n"
        "    TREE[line * %lldu + block] = before;\n",
        s->blocks, s->blocks, BLOCK / STRIP, BLOCK / STRIP, s->cut, s->cut, s->cut, 2 * s->blocks);
}

/* A work-group for each line: builds its tree level by level, then adds for each block the subtrees before it, the
 * largest first. */
static void tree_body(situ_source *t, const scan *s)
{
    situ_source_add(t,
        "    GLOBAL C *tree = TREE + BLOCK * %lldu, *level = tree;\n"
        "    u64_F count = %lldu;\n"
        "    for (; count > 1; count /= 2) {\n"
        "        for (u64_F i = THREAD; i < count / 2; i += %d) level[count + i] = ADD(level[2 * i], level[2 * i + 1]);\n"
        "        level += count;\n"
        "        BARRIER_GLOBAL();\n"
        "    }\n",
        2 * s->blocks, s->blocks, SITU_CALL_THREADS);
    situ_source_add(t,
        "    for (u64_F b = THREAD; b < %lldu; b += %d) {\n"
        "        C before = ZERO;\n"
        "        int top = 0;\n"
        "        while (b >> top > 1) top++;\n"
        "        for (; top >= 0; top--) {\n"
        "            if (!(b >> top & 1)) continue;\n"
        "            GLOBAL C *at = tree;\n"
        "            u64_F wide = %lldu;\n"
        "            for (int k = 0; k < top; k++) at += wide, wide /= 2;\n"
        "            before = ADD(before, at[(b >> top) - 1]);\n"
        "        }\n"
        "        BEFORE[BLOCK * %lldu + b] = before;\n"
        "    }\n",
        s->blocks, SITU_CALL_THREADS, s->blocks, s->blocks);
}

static void raise_body(situ_source *t, const scan *s)
{
    long long inner = s->r.inner;
    situ_call_each(t, s->r.outer * inner * s->n);
    situ_source_add(t,
        "    u64_F line = p / %lldu * %lldu + p %% %lldu, s = p / %lldu %% N;\n"
        "%s"
        "    if (s < %d) return;\n"
        "    OUT[p] = STORE(ADD(ADD(BEFORE[line * %lldu + s / %d], STRIPS[line * %lldu + s / %d]), LOAD(OUT[p])));\n",
        s->n * inner, inner, inner, inner, s->reverse ? "    s = N - 1 - s;\n" : "", STRIP, s->blocks, BLOCK, s->cut, STRIP);
}

static void scan_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    scan s = scan_of(c, d);
    long long lines = s.r.outer * s.r.inner;
    if (!pass) {
        situ_source_add(t, "#define N %lldu\n", s.n);
        situ_source_add(t, "#define STRIPS ((GLOBAL C *)WORKSPACE)\n#define TREE (STRIPS + %lldu)\n#define BEFORE (TREE + %lldu)\n",
            lines * s.cut, 2 * lines * s.blocks);
        if (s.tiled) tiled_body(t, &s);
        else strip_body(t, &s);
    } else if (pass == 1) block_body(t, &s);
    else if (pass == 2) tree_body(t, &s);
    else raise_body(t, &s);
}

const situ_call_family situ_call_scan[] = {
    {"cumsum", scan_passes, scan_body, scan_functions},
    {"cumprod", scan_passes, scan_body, scan_functions},
    {"linear_scan", scan_passes, scan_body, scan_functions},
    {NULL, NULL, NULL, NULL},
};
