/* Kernels as C for gcc and clang, which tests compile and compare. A kernel goes through the whole domain in one loop,
 * or in the loops of the documented order of sums. */
#ifndef SITU_TESTS_DIALECT_C_H
#define SITU_TESTS_DIALECT_C_H

#include "codegen/dialect.h"

#include <stdio.h>

#include "codegen/el_text.h"
#include "codegen/group_text.h"
#include "op/reduce_kind.h"
#include "tensor/dtype.h"

/* math/words_c.inc and everything else with which a kernel in C starts. */
__asm__(".pushsection .rodata\ntext_words_c:\n"
        ".ascii \"#define SITU_FMA __builtin_fma\\n#define SITU_FMAF __builtin_fmaf\\n\"\n.incbin \"math/words_c.inc\"\n.byte 0\n.popsection\n");
extern const char text_words_c[];
static const char *const text_c[] __attribute__((unused)) = {
    text_words_c,
    situ_text_words_scalar,
    "#define WORD(x) WORD_(PREFIX, x)\n"
    "#define WORD_(p, x) WORD__(p, x)\n"
    "#define WORD__(p, x) p##x\n",
    situ_text_vocabulary,
    "#define PREFIX d_\n",
    situ_text_math_wide,
    "#undef PREFIX\n"
    "#define PREFIX f32_\n",
    situ_text_math_f32,
    "#undef PREFIX\n"
    "#define PREFIX f64_\n",
    situ_text_math_f64,
    "#undef PREFIX\n",
    NULL,
};

enum { C_LANES = 64, C_BLOCK = 1024, C_ROWS = 64, C_STRIP = 64 };

static int first_load(const situ_fused *g) { return g->nstore + (g->reduction >= 0); }

/* Writes a call NAME_at(...) for a position that is given as source text. */
static void call_at(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name, const char *position)
{
    situ_source_add(t, "%s_at(", name);
    for (int i = 0; i < g->nstore; i++) situ_source_add(t, "(%s *)address[%d], ", d->type[g->store[i].dtype], i);
    for (int i = 0; i < g->nload; i++)
        situ_source_add(t, "(const %s *)address[%d], ", d->type[g->load[i].dtype], first_load(g) + i);
    situ_source_add(t, "argument, %s)", position);
}

/* Levels of the tree over blocks: the number of partial results that may wait for their neighbour. */
static int levels(int64_t count, int block)
{
    int n = 1;
    for (int64_t blocks = (count + block - 1) / block; blocks > 1; blocks = (blocks + 1) / 2) n++;
    return n;
}

/* Reduction along the last axis: blocks of 1024 in 64 lanes, lanes by halves, blocks in pairs. */
static void rows(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name)
{
    const char *type = situ_dtype_name(situ_dtype_compute((situ_dtype)g->reduce_dtype));
    situ_source_add(t,
        "    for (i64_F a = 0; a < %lld; a++) {\n"
        "        %s_F tree[%d], lane[%d];\n"
        "        i64_F blocks = 0, depth = 0;\n"
        "        for (i64_F block = 0; block < %lld; block += %d) {\n"
        "            i64_F end = %lld - block < %d ? %lld - block : %d;\n"
        "            for (int i = 0; i < %d; i++) lane[i] = %s_neutral();\n"
        "            for (i64_F i = 0; i < end; i++)\n"
        "                lane[i %% %d] = %s_reduce(lane[i %% %d], ",
        (long long)g->A, type, levels(g->R, C_BLOCK) + 1, C_LANES, (long long)g->R, C_BLOCK, (long long)g->R, C_BLOCK, (long long)g->R,
        C_BLOCK, C_LANES, name, C_LANES, name, C_LANES);
    char position[64];
    snprintf(position, sizeof position, "a * %lld + block + i", (long long)g->R);
    call_at(t, d, g, name, position);
    situ_source_add(t,
        ");\n"
        "            for (int half = %d; half; half /= 2)\n"
        "                for (int i = 0; i < half; i++) lane[i] = %s_reduce(lane[i], lane[i + half]);\n"
        "            for (i64_F k = blocks++; k & 1; k >>= 1) lane[0] = %s_reduce(tree[--depth], lane[0]);\n"
        "            tree[depth++] = lane[0];\n"
        "        }\n"
        "        %s_F sum = depth ? tree[--depth] : %s_neutral();\n"
        "        while (depth) sum = %s_reduce(tree[--depth], sum);\n"
        "        ((%s *)address[%d])[a] = %s_out(sum);\n"
        "    }\n",
        C_LANES / 2, name, name, type, name, name, d->type[g->reduce_out], g->nstore, name);
}

/* Reduction over other axes: blocks of 64 rows in order, a strip of columns at a time, so that rows are read in memory
 * order. */
static void columns(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name)
{
    const char *type = situ_dtype_name(situ_dtype_compute((situ_dtype)g->reduce_dtype));
    long long R = (long long)g->R, C = (long long)g->C;
    situ_source_add(t,
        "    for (i64_F a = 0; a < %lld; a++)\n"
        "    for (i64_F strip = 0; strip < %lld; strip += %d) {\n"
        "        %s_F tree[%d][%d];\n"
        "        i64_F wide = %lld - strip < %d ? %lld - strip : %d, blocks = 0, depth = 0;\n"
        "        for (i64_F block = 0; block < %lld; block += %d) {\n"
        "            i64_F end = %lld - block < %d ? %lld : block + %d;\n"
        "            for (i64_F c = 0; c < wide; c++) tree[depth][c] = %s_neutral();\n"
        "            for (i64_F r = block; r < end; r++)\n"
        "                for (i64_F c = 0; c < wide; c++)\n"
        "                    tree[depth][c] = %s_reduce(tree[depth][c], ",
        (long long)g->A, C, C_STRIP, type, levels(R, C_ROWS) + 1, C_STRIP, C, C_STRIP, C, C_STRIP, R, C_ROWS, R, C_ROWS, R, C_ROWS, name, name);
    char position[96];
    snprintf(position, sizeof position, "(a * %lld + r) * %lld + strip + c", R, C);
    call_at(t, d, g, name, position);
    situ_source_add(t,
        ");\n"
        "            for (i64_F k = blocks++; k & 1; k >>= 1, depth--)\n"
        "                for (i64_F c = 0; c < wide; c++)\n"
        "                    tree[depth - 1][c] = %s_reduce(tree[depth - 1][c], tree[depth][c]);\n"
        "            depth++;\n"
        "        }\n"
        "        for (; depth > 1; depth--)\n"
        "            for (i64_F c = 0; c < wide; c++)\n"
        "                tree[depth - 2][c] = %s_reduce(tree[depth - 2][c], tree[depth - 1][c]);\n"
        "        for (i64_F c = 0; c < wide; c++)\n"
        "            ((%s *)address[%d])[a * %lld + strip + c] = %s_out(depth ? tree[0][c] : %s_neutral());\n"
        "    }\n",
        name, name, d->type[g->reduce_out], g->nstore, C, name, name);
}

static void kernel(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name)
{
    situ_source_add(t, "void %s(char *const *address, const %s *argument)\n{\n", name, d->type[SITU_U64]);
    if (g->reduction >= 0 && g->C == 1) {
        rows(t, d, g, name);
    } else if (g->reduction >= 0) {
        columns(t, d, g, name);
    } else {
        long long count = 1;
        for (int i = 0; i < g->ndim; i++) count *= (long long)g->dim[i];
        situ_source_add(t, "    for (i64_F at = 0; at < %lld; at++) ", count);
        call_at(t, d, g, name, "at");
        situ_source_append(t, ";\n");
    }
    situ_source_append(t, "}\n");
}

/* -frounding-math keeps gcc from evaluating library functions of known arguments, such as erf(1) after following a NaN
 * through a conversion: it would round them differently than the C library. */
static const situ_dialect dialect_c __attribute__((unused)) = {
    .name = "C",
    .options = "-std=gnu11 -ffp-contract=off -frounding-math -fwrapv -fno-math-errno -fno-strict-aliasing",
    .words = text_words_c,
    .global = "",
    .type = {[SITU_BOOL] = "unsigned char",
        [SITU_U8] = "unsigned char",
        [SITU_U16] = "unsigned short",
        [SITU_U32] = "unsigned int",
        [SITU_U64] = "unsigned long long",
        [SITU_I8] = "signed char",
        [SITU_I16] = "short",
        [SITU_I32] = "int",
        [SITU_I64] = "long long",
        [SITU_F16] = "unsigned short",
        [SITU_BF16] = "unsigned short",
        [SITU_F32] = "float",
        [SITU_F64] = "double",
        [SITU_C64] = "c64_F",
        [SITU_C128] = "c128_F"},
    .kernel = kernel,
};

#endif
