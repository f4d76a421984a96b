/* argsort, on the keys of elements. */
#include "codegen/call_text.h"
#include "op/attr.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

static situ_lines lines_of(const situ_call_desc *c) { return situ_call_lines(&c->in[0], ((const situ_axis_attr *)c->attr)->axis); }

/* A work-group sorts a line by merging: positions go from one half of the workspace to the other. Each finds its new
 * index by counting the elements of the other run that come before it. Equal keys keep their order. */
static bool sort_passes(const situ_call_desc *c, const situ_dialect *d, situ_passes *p)
{
    (void)d;
    situ_lines r = lines_of(c);
    p->pass[0] = (situ_pass){SITU_CALL_THREADS, r.outer * r.inner};
    p->workspace = (size_t)(r.outer * r.n * r.inner) * 16;
    return true;
}

static void sort_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    (void)pass;
    situ_lines r = lines_of(c);
    bool descending = ((const situ_axis_attr *)c->attr)->flag, nan = situ_dtype_is_float((situ_dtype)c->in[0].dtype);
    /* descending: keys are inverted, except NaN, which stays last */
    const char *key = !descending ? "(key)" :
        nan                       ? "((key) == 0xffffffffffffffffu ? (key) : (key) ^ 0xffffffffffffffffu)" :
                                    "((key) ^ 0xffffffffffffffffu)";
    situ_source_add(t,
        "#define N %lldu\n"
        "#define TURNED(key) %s\n"
        "#define SORT_KEY(i) TURNED(KEY(IN0[first + (i) * %lldu]))\n"
        "    u64_F first = BLOCK / %lldu * %lldu + BLOCK %% %lldu;\n"
        "    GLOBAL i64_F *from = (GLOBAL i64_F *)WORKSPACE + BLOCK * 2 * N, *to = from + N;\n"
        "    for (u64_F i = THREAD; i < N; i += %d) from[i] = (i64_F)i;\n"
        "    BARRIER_GLOBAL();\n",
        r.n, key, r.inner, r.inner, r.n * r.inner, r.inner, SITU_CALL_THREADS);
    situ_source_add(t,
        "    for (u64_F width = 1; width < N; width *= 2) {\n"
        "        for (u64_F i = THREAD; i < N; i += %d) {\n"
        "            u64_F run = i / width, other = (run ^ 1) * width, low = other < N ? other : N, high = other + width < N ? "
        "other + width : N;\n"
        "            u64_F key = SORT_KEY(from[i]), start = low;\n"
        "            while (low < high) {\n"
        "                u64_F middle = (low + high) / 2, there = SORT_KEY(from[middle]);\n"
        "                if (there < key || (there == key && (run & 1))) low = middle + 1;\n"
        "                else high = middle;\n"
        "            }\n"
        "            to[i / (2 * width) * (2 * width) + i %% width + (low - start)] = from[i];\n"
        "        }\n"
        "        BARRIER_GLOBAL();\n"
        "        GLOBAL i64_F *swap = from;\n"
        "        from = to;\n"
        "        to = swap;\n"
        "    }\n"
        "    BARRIER_GLOBAL();\n"
        "    for (u64_F i = THREAD; i < N; i += %d) OUT[first + i * %lldu] = from[i];\n",
        SITU_CALL_THREADS, SITU_CALL_THREADS, r.inner);
}

const situ_call_family situ_call_order[] = {{"argsort", sort_passes, sort_body, NULL}, {NULL, NULL, NULL, NULL}};
