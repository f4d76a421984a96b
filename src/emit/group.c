/* Elementwise work, and reductions in the documented order (DESIGN.md, Numbers). */
#include "codegen/group_text.h"
#include "emit/emit.h"
#include "op/reduce_kind.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

enum { LANES = 64, BLOCK = 1024, ROWS = 64, STRIP = 8 };

static void at(situ_source *t, const char *name, const situ_fused *g, const char *position)
{
    situ_source_add(t, "%s_at(", name);
    for (int i = 0; i < g->nstore; i++) situ_source_add(t, "s%d, ", i);
    for (int i = 0; i < g->nload; i++) situ_source_add(t, "l%d, ", i);
    situ_source_add(t, "%s, (u64_F)(%s))", g->nword ? "argument" : "0", position);
}

/* The number of partial results that may wait for their neighbour. */
static int levels(int64_t count, int block)
{
    int n = 1;
    for (int64_t blocks = (count + block - 1) / block; blocks > 1; blocks = (blocks + 1) / 2) n++;
    return n;
}

/* Folds the lanes by halves. Lanes without an element hold the neutral value, and are left out. */
static void fold(situ_source *t, const char *name, const char *indent, int64_t lanes)
{
    for (int64_t half = LANES / 2; half; half /= 2)
        if (half < lanes)
            situ_source_add(t, "%sfor (i = 0; i < %lld; i++) lane[i] = %s_reduce(lane[i], lane[i + %lld]);\n", indent,
                (long long)(lanes - half < half ? lanes - half : half), name, (long long)half);
}

static void short_rows(situ_source *t, const char *name, const situ_fused *g)
{
    int64_t lanes = g->R < LANES ? g->R : LANES;
    char position[64];
    situ_source_add(t, "    for (a = 0; a < %lld; a++) {\n", (long long)g->A);
    if (!lanes) {
        situ_source_add(t, "        result[a] = %s_out(%s_neutral());\n    }\n", name, name);
        return;
    }
    situ_source_add(t, "        for (i = 0; i < %lld; i++) lane[i] = %s_neutral();\n", (long long)lanes, name);
    snprintf(position, sizeof position, "a * %lld + i", (long long)g->R);
    situ_source_add(t, "        for (i = 0; i < %lld; i++) {\n            lane[i%s] = %s_reduce(lane[i%s], ", (long long)g->R,
        g->R > LANES ? " % 64" : "", name, g->R > LANES ? " % 64" : "");
    at(t, name, g, position);
    situ_source_append(t, ");\n        }\n");
    fold(t, name, "        ", lanes);
    situ_source_add(t, "        result[a] = %s_out(lane[0]);\n    }\n", name);
}

static void long_rows(situ_source *t, const char *name, const situ_fused *g)
{
    long long n = (long long)g->R;
    char position[64];
    situ_source_add(t,
        "    for (a = 0; a < %lld; a++) {\n"
        "        blocks = depth = 0;\n"
        "        for (block = 0; block < %lld; block += %d) {\n"
        "            int32_t end = %lld - block < %d ? %lld - block : %d;\n"
        "            for (i = 0; i < %d; i++) lane[i] = %s_neutral();\n"
        "            for (i = 0; i < end; i++) {\n"
        "                lane[i %% %d] = %s_reduce(lane[i %% %d], ",
        (long long)g->A, n, BLOCK, n, BLOCK, n, BLOCK, LANES, name, LANES, name, LANES);
    snprintf(position, sizeof position, "a * %lld + block + i", n);
    at(t, name, g, position);
    situ_source_append(t, ");\n            }\n");
    fold(t, name, "            ", LANES);
    situ_source_add(t,
        "            for (k = blocks++; k & 1; k >>= 1) lane[0] = %s_reduce(tree[--depth], lane[0]);\n"
        "            tree[depth++] = lane[0];\n"
        "        }\n"
        "        lane[0] = tree[--depth];\n"
        "        while (depth) lane[0] = %s_reduce(tree[--depth], lane[0]);\n"
        "        result[a] = %s_out(lane[0]);\n"
        "    }\n",
        name, name, name);
}

/* Over other axes: a few columns at a time. */
static void columns(situ_source *t, const char *name, const situ_fused *g)
{
    long long n = (long long)g->R, c = (long long)g->C;
    char position[96];
    situ_source_add(t,
        "    for (a = 0; a < %lld; a++)\n"
        "    for (i = 0; i < %lld; i += %d) {\n"
        "        int32_t wide = %lld - i < %d ? %lld - i : %d, j;\n"
        "        blocks = depth = 0;\n"
        "        for (block = 0; block < %lld; block += %d) {\n"
        "            int32_t end = %lld - block < %d ? %lld : block + %d, r;\n"
        "            for (j = 0; j < wide; j++) tree[depth][j] = %s_neutral();\n"
        "            for (r = block; r < end; r++)\n"
        "                for (j = 0; j < wide; j++) {\n"
        "                    tree[depth][j] = %s_reduce(tree[depth][j], ",
        (long long)g->A, c, STRIP, c, STRIP, c, STRIP, n, ROWS, n, ROWS, n, ROWS, name, name);
    snprintf(position, sizeof position, "(a * %lld + r) * %lld + i + j", n, c);
    at(t, name, g, position);
    situ_source_add(t,
        ");\n                }\n"
        "            for (k = blocks++; k & 1; k >>= 1, depth--)\n"
        "                for (j = 0; j < wide; j++) tree[depth - 1][j] = %s_reduce(tree[depth - 1][j], tree[depth][j]);\n"
        "            depth++;\n"
        "        }\n"
        "        for (; depth > 1; depth--)\n"
        "            for (j = 0; j < wide; j++) tree[depth - 2][j] = %s_reduce(tree[depth - 2][j], tree[depth - 1][j]);\n"
        "        for (j = 0; j < wide; j++) result[a * %lld + i + j] = %s_out(depth ? tree[0][j] : %s_neutral());\n"
        "    }\n",
        name, name, c, name, name);
}

static void reduce(situ_source *t, const char *name, const situ_fused *g)
{
    const char *type = situ_dtype_name(situ_dtype_compute((situ_dtype)g->reduce_dtype));
    bool in_rows = g->C == 1, blocks = g->R > BLOCK;
    if (in_rows) situ_source_add(t, "    %s_F lane[%d]", type, g->R < LANES && g->R ? (int)g->R : LANES);
    else situ_source_add(t, "    %s_F tree[%d][%d]", type, levels(g->R, ROWS) + 1, STRIP);
    if (in_rows && blocks) situ_source_add(t, ", tree[%d]", levels(g->R, BLOCK) + 1);
    situ_source_append(t, in_rows && !blocks ? ";\n    int32_t a, i;\n" : ";\n    int32_t a, i, k, block, blocks, depth;\n");
    if (!in_rows) columns(t, name, g);
    else if (blocks) long_rows(t, name, g);
    else short_rows(t, name, g);
}

/* Not complex numbers, and not more than an int32_t counts. */
static bool can_write(situ_emitted *e, const situ_fused *g)
{
    for (int i = 0; i < g->ninstruction; i++) {
        const situ_instruction *in = &g->instruction[i];
        if (situ_dtype_is_complex((situ_dtype)in->dtype) || situ_dtype_is_complex((situ_dtype)in->from))
            return situ_emit_refuse(e, "complex numbers"), false;
    }
    if (situ_shape_count(g->ndim, g->dim) > INT32_MAX) return situ_emit_refuse(e, "2^31 elements or more"), false;
    return true;
}

void situ_emit_group_step(situ_emitted *e, const situ_emit_kernel *k)
{
    const situ_fused *g = &k->group;
    char name[128];
    snprintf(name, sizeof name, "%s_step_%u", e->name, e->first + e->number);
    if (!can_write(e, g) || situ_fused_parts(g, name, &situ_dialect_c99, &e->math, &e->helpers, &e->steps)) return;
    for (int i = 0; i < g->ninstruction; i++) e->random |= g->instruction[i].kind == SITU_DO_RANDOM;
    situ_source *t = &e->steps;
    situ_source_add(t, "static void %s(", name);
    const char *comma = "";
    for (int i = 0; i < g->nstore; i++, comma = ", ") situ_source_add(t, "%s%s *s%d", comma, situ_emit_type(g->store[i].dtype), i);
    if (g->reduction >= 0) situ_source_add(t, "%s%s *result", comma, situ_emit_type(g->reduce_out)), comma = ", ";
    for (int i = 0; i < g->nload; i++, comma = ", ")
        situ_source_add(t, "%sconst %s *l%d", comma, situ_emit_type(g->load[i].dtype), i);
    situ_source_append(t, situ_emit_varies(e) ? ", const u64_F *argument)\n{\n" : ")\n{\n");
    situ_emit_arguments(e, t, true);
    if (g->reduction >= 0) {
        reduce(t, name, g);
    } else {
        situ_source_add(t, "    int32_t p;\n    for (p = 0; p < %lld; p++) ", (long long)situ_shape_count(g->ndim, g->dim));
        at(t, name, g, "p");
        situ_source_append(t, ";\n");
    }
    situ_source_append(t, "}\n\n");
}
