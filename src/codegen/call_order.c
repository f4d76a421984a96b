/* argmax, argmin, argsort, searchsorted, on the keys of elements. */
#include "codegen/call_text.h"
#include "op/attr.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

static situ_lines lines_of(const situ_call_desc *c) { return situ_call_lines(&c->in[0], ((const situ_axis_attr *)c->attr)->axis); }

/* The first NaN, or the first of the largest or smallest elements. */
static void arg_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    (void)pass;
    situ_lines r = lines_of(c);
    situ_call_each(t, r.outer * r.inner);
    situ_source_add(t,
        "    u64_F first = p / %lldu * %lldu + p %% %lldu, best = 0;\n"
        "    i64_F at = -1;\n"
        "    for (i64_F i = 0; i < %lld; i++) {\n"
        "        u64_F key = KEY(IN0[first + i * %lldu]);\n",
        r.inner + !r.inner, r.n * r.inner, r.inner + !r.inner, r.n, r.inner);
    if (situ_dtype_is_float((situ_dtype)c->in[0].dtype))
        situ_source_append(t, "        if (key == 0xffffffffffffffffu) { at = i; break; }\n");
    if (!c->op->code) situ_source_append(t, "        key ^= 0xffffffffffffffffu;\n");
    situ_source_append(t, "        if (at < 0 || key > best) at = i, best = key;\n    }\n    OUT[p] = at;\n");
}

/* ---------------------------------------------------------------- sorting */

/* A work-group sorts a line by merging: positions go from one half of the workspace to the other. Each finds its new index by
 * counting the elements of the other run that come before it. Equal keys keep their order. */
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

/* ---------------------------------------------------------------- searching */

static void search_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass)
{
    (void)d;
    (void)pass;
    bool right = *(const int32_t *)c->attr;
    situ_call_each(t, situ_shape_count(c->out.ndim, c->out.dim));
    situ_source_add(t,
        "    u64_F value = KEY(IN1[p]);\n"
        "    i64_F low = 0;\n"
        "    for (i64_F left = %lld, step; left > 0; left -= step) {\n"
        "        step = left > 1 ? left / 2 : 1;\n"
        "        if (KEY(IN0[low + step - 1]) %s value) low += step;\n"
        "    }\n"
        "    OUT[p] = low;\n",
        (long long)c->in[0].dim[0], right ? "<=" : "<");
}

const situ_call_family situ_call_order[] = {
    {"argmax", NULL, arg_body, NULL},
    {"argmin", NULL, arg_body, NULL},
    {"argsort", sort_passes, sort_body, NULL},
    {"searchsorted", NULL, search_body, NULL},
    {NULL, NULL, NULL, NULL},
};
