#include "codegen/parallel.h"

#include "codegen/group_text.h"
#include "op/reduce_kind.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

enum {
    THREADS = 256,
    LANES = 64,
    BLOCK = 1024,
    ROWS = 64,
    SHORT_ROW = 256,
    SHORTEST_ROW = 16,
    QUARTER = 16,
    PACK = 4,
    TILE = 32,
    LEVEL = 32,
    MANY = 16
};

static int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }

/* ---------------------------------------------------------------- passes of a group */

static int64_t tiles_of(const situ_fused *g, int axis)
{
    int64_t n = 1;
    for (int i = 0; i < g->ndim; i++) n *= i == axis || i == g->ndim - 1 ? parts(g->dim[i], TILE) : g->dim[i];
    return n;
}

static size_t partials(const situ_fused *g, int64_t blocks)
{
    return (size_t)(g->A * blocks * g->C) * situ_dtype_size(situ_dtype_compute((situ_dtype)g->reduce_dtype));
}

/* True: 16 work-items with 4 lanes each reduce a block of a row. */
static bool goes_by_quarters(const situ_fused *g, const situ_dialect *d) { return d->packs && g->R > SHORTEST_ROW; }

/* True if a column has many blocks: pairs are added by 32 work-items. On CPUs a single one is enough for a column. */
static bool goes_by_levels(const situ_dialect *d, int64_t blocks) { return d->packs && blocks > MANY; }

situ_passes situ_fused_passes(const situ_fused *g, const situ_dialect *d)
{
    int64_t results = g->A * g->C;
    int64_t each = situ_fused_packs(g, d) ? PACK : 1;
    int axis = situ_fused_tile(g, d);
    if (axis >= 0) return (situ_passes){1, {{THREADS, tiles_of(g, axis)}}, 0};
    if (g->reduction < 0) return (situ_passes){1, {{THREADS, parts(situ_shape_count(g->ndim, g->dim), THREADS * each)}}, 0};
    if (g->C == 1 && goes_by_quarters(g, d)) {
        int64_t blocks = parts(g->R, BLOCK), groups = parts(g->A * blocks, THREADS / QUARTER);
        if (blocks == 1) return (situ_passes){1, {{THREADS, groups}}, 0};
        return (situ_passes){2, {{THREADS, groups}, {THREADS, g->A}}, partials(g, blocks)};
    }
    if (g->C == 1) {
        if (g->R <= SHORT_ROW) return (situ_passes){1, {{LANES, parts(g->A, LANES)}}, 0};
        int64_t blocks = parts(g->R, BLOCK);
        if (blocks == 1) return (situ_passes){1, {{LANES, g->A}}, 0};
        return (situ_passes){2, {{LANES, g->A * blocks}, {THREADS, g->A}}, partials(g, blocks)};
    }
    int64_t blocks = parts(g->R, ROWS);
    if (blocks <= 1) return (situ_passes){1, {{LANES, parts(results, LANES)}}, 0};
    situ_pass last = {LANES, parts(results, LANES)};
    if (goes_by_levels(d, blocks)) last = (situ_pass){LEVEL * LEVEL, g->A * parts(g->C, LEVEL)};
    return (situ_passes){2, {{LANES, parts(results * blocks, LANES)}, last}, partials(g, blocks)};
}

/* ---------------------------------------------------------------- parameters */

bool situ_parallel_table(const situ_dialect *d, int naddress, int nword)
{
    if (d->offsets) return 16 * naddress + 8 * nword + 8 > SITU_PARALLEL_PARAMETERS;
    return 8 * (naddress + nword + 1) > SITU_PARALLEL_BYTES;
}

static void write_parameters(situ_source *t, const situ_dialect *d, int naddress, int nword, bool can_fail)
{
    bool table = situ_parallel_table(d, naddress, nword);
    int words = (d->offsets ? naddress : 0) + nword;
    const char *comma = "";
    for (int i = 0; i < naddress && (d->offsets || !table); i++, comma = ", ") situ_source_add(t, "%sGLOBAL char *b%d", comma, i);
    for (int i = 0; i < words && !table; i++, comma = ", ") situ_source_add(t, "%su64_F w%d", comma, i);
    if (table) situ_source_add(t, "%sGLOBAL const u64_F *words", comma), comma = ", ";
    if (can_fail) situ_source_add(t, "%sGLOBAL int *fault", comma);
}

void situ_parallel_open(
    situ_source *t, const situ_dialect *d, const char *name, int pass, int threads, int naddress, int nword, bool can_fail)
{
    bool table = situ_parallel_table(d, naddress, nword);
    int first = d->offsets || table ? naddress : 0;
    const char *address = !table ? (d->offsets ? "(b##i + w##i)" : "b##i") :
        d->offsets               ? "(b##i + words[i])" :
                                   "((GLOBAL char *)words[i])";
    situ_source_add(t, "#undef ADDRESS\n#define ADDRESS(i) %s\nKERNEL(%d) %s", address, threads, name);
    if (pass) situ_source_add(t, "_%d", pass);
    situ_source_append(t, "(");
    write_parameters(t, d, naddress, nword, can_fail);
    situ_source_add(t, ")\n{\n    u64_F argument[%d];\n", nword + !nword);
    for (int i = 0; i < nword; i++)
        situ_source_add(t, table ? "    argument[%d] = words[%d];\n" : "    argument[%d] = w%d;\n", i, first + i);
}

/* ---------------------------------------------------------------- groups */

static int results_of(const situ_fused *g) { return g->nstore + (g->reduction >= 0); }

static void open_pass(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name, int pass)
{
    situ_passes p = situ_fused_passes(g, d);
    situ_parallel_open(t, d, name, pass, p.pass[pass].threads, results_of(g) + g->nload + (p.workspace > 0), g->nword, g->guarded);
    if (g->guarded) situ_source_append(t, "    if (*fault) return;\n");
}

/* Writes NAME_at(...) or NAME_four(...) for a position given as text. */
static void call_function(
    situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name, const char *function, const char *position)
{
    situ_source_add(t, "%s_%s(", name, function);
    for (int i = 0; i < g->nstore; i++) situ_source_add(t, "(GLOBAL %s *)ADDRESS(%d), ", d->type[g->store[i].dtype], i);
    for (int i = 0; i < g->nload; i++)
        situ_source_add(t, "(GLOBAL const %s *)ADDRESS(%d), ", d->type[g->load[i].dtype], results_of(g) + i);
    situ_source_add(t, "argument, %s)", position);
}

static void call_at(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name, const char *position)
{
    call_function(t, d, g, name, "at", position);
}

/* Writes "    ((GLOBAL float *)ADDRESS(1))[": the result or, before the last pass, the partial results. */
static void result_at(situ_source *t, const situ_dialect *d, const situ_fused *g, bool partial)
{
    situ_dtype compute = situ_dtype_compute((situ_dtype)g->reduce_dtype);
    if (partial) situ_source_add(t, "((GLOBAL %s *)ADDRESS(%d))[", d->type[compute], results_of(g) + g->nload);
    else situ_source_add(t, "((GLOBAL %s *)ADDRESS(%d))[", d->type[g->reduce_out], g->nstore);
}

static const char *reducing(const situ_fused *g) { return situ_dtype_name(situ_dtype_compute((situ_dtype)g->reduce_dtype)); }

/* A work-item for each row. */
static void short_rows(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name)
{
    int64_t lanes = g->R < LANES ? g->R + !g->R : LANES;
    open_pass(t, d, g, name, 0);
    situ_source_add(t, "    %s_F lane[%lld];\n    u64_F a = BLOCK * %d + THREAD;\n    if (a >= %lldu) return;\n", reducing(g),
        (long long)lanes, LANES, (long long)g->A);
    situ_source_add(t, "    for (int i = 0; i < %lld; i++) lane[i] = %s_neutral();\n", (long long)lanes, name);
    situ_source_add(
        t, "    for (int i = 0; i < %lld; i++) lane[i %% %d] = %s_reduce(lane[i %% %d], ", (long long)g->R, LANES, name, LANES);
    char position[64];
    snprintf(position, sizeof position, "a * %lldu + i", (long long)g->R);
    call_at(t, d, g, name, position);
    situ_source_append(t, ");\n");
    /* lanes without an element hold the neutral value */
    for (int64_t step = LANES / 2; step; step /= 2)
        if (step < lanes)
            situ_source_add(t, "    for (int i = 0; i < %lld; i++) lane[i] = %s_reduce(lane[i], lane[i + %lld]);\n",
                (long long)(lanes - step < step ? lanes - step : step), name, (long long)step);
    situ_source_append(t, "    ");
    result_at(t, d, g, false);
    situ_source_add(t, "a] = %s_out(lane[0]);\n}\n", name);
}

/* Writes "0 | (u64_F)ADDRESS(0) | ...": all addresses that NAME_four accesses by packs, to test their alignment. */
static void all_packed(situ_source *t, const situ_fused *g)
{
    situ_source_append(t, "0");
    for (int i = 0; i < g->nstore; i++) situ_source_add(t, " | (u64_F)ADDRESS(%d)", i);
    for (int i = 0; i < g->nload; i++)
        if (situ_is_contiguous(g->ndim, g->dim, g->load[i].stride)) situ_source_add(t, " | (u64_F)ADDRESS(%d)", results_of(g) + i);
}

/* Each work-item's lanes: four neighbours, read at once where possible, or four that are 16 apart. */
static void quarter_lanes(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name)
{
    char position[96];
    bool quads = situ_fused_quads(g, d);
    if (quads) {
        situ_source_append(t, "    if ((");
        all_packed(t, g);
        situ_source_add(t, ") %% 16 == 0)\n%s        for (int i = 4 * part; i < end; i += %d) {\n            ", d->unroll, LANES);
        snprintf(position, sizeof position, "a * %lldu + start + i, y", (long long)g->R);
        call_function(t, d, g, name, "four", position);
        situ_source_add(t, ";\n            for (int k = 0; k < 4; k++) x[k] = %s_reduce(x[k], y[k]);\n        }\n    else\n", name);
    }
    situ_source_add(t,
        "%s    for (int i = %spart; i < end; i += %d)\n"
        "#pragma unroll\n"
        "        for (int k = 0; k < 4; k++)\n"
        "            if (i + %sk < end) x[k] = %s_reduce(x[k], ",
        d->unroll, quads ? "4 * " : "", LANES, quads ? "" : "16 * ", name);
    snprintf(position, sizeof position, "a * %lldu + start + i + %sk", (long long)g->R, quads ? "" : "16 * ");
    call_at(t, d, g, name, position);
    situ_source_append(t, ");\n");
}

/* 16 work-items of a warp reduce a block of a row, without local memory. */
static void row_quarters(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name)
{
    long long blocks = (long long)parts(g->R, BLOCK), units = (long long)g->A * blocks;
    bool quads = situ_fused_quads(g, d);
    const char *const inside = "    x[0] = %s_reduce(%s_reduce(x[0], x[2]), %s_reduce(x[1], x[3]));\n";
    open_pass(t, d, g, name, 0);
    situ_source_add(t,
        "    u64_F unit = BLOCK * %d + THREAD / %d, a = unit / %lldu, start = unit %% %lldu * %d;\n"
        "    int part = THREAD %% %d, end = unit >= %lldu ? 0 : (int)(%lldu - start < %d ? %lldu - start : %d);\n"
        "    %s_F x[4], y[4];\n"
        "    for (int k = 0; k < 4; k++) x[k] = %s_neutral();\n"
        "    (void)y;\n",
        THREADS / QUARTER, QUARTER, blocks, blocks, BLOCK, QUARTER, units, (long long)g->R, BLOCK, (long long)g->R, BLOCK,
        reducing(g), name);
    quarter_lanes(t, d, g, name);
    if (!quads) situ_source_add(t, inside, name, name, name);
    situ_source_add(t, "#pragma unroll\n    for (int step = %d; step; step /= 2)\n", QUARTER / 2);
    if (quads) situ_source_add(t, "        for (int k = 0; k < 4; k++) x[k] = %s_reduce(x[k], SHUFFLE_DOWN(x[k], step));\n", name);
    else situ_source_add(t, "        x[0] = %s_reduce(x[0], SHUFFLE_DOWN(x[0], step));\n", name);
    if (quads) situ_source_add(t, inside, name, name, name);
    situ_source_add(t, "    if (part == 0 && unit < %lldu) ", units);
    result_at(t, d, g, blocks > 1);
    situ_source_add(t, blocks > 1 ? "unit] = x[0];\n}\n" : "unit] = %s_out(x[0]);\n}\n", name);
}

/* A work-group for each block of a row, a work-item for each lane. */
static void row_blocks(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name)
{
    int64_t blocks = parts(g->R, BLOCK);
    open_pass(t, d, g, name, 0);
    situ_source_add(t,
        "    LOCAL %s_F lane[%d];\n"
        "    u64_F a = BLOCK / %lldu, start = BLOCK %% %lldu * %d;\n"
        "    int end = (int)(%lldu - start < %d ? %lldu - start : %d);\n"
        "    %s_F x = %s_neutral();\n"
        "%s    for (int i = THREAD; i < end; i += %d) x = %s_reduce(x, ",
        reducing(g), LANES, (long long)blocks, (long long)blocks, BLOCK, (long long)g->R, BLOCK, (long long)g->R, BLOCK,
        reducing(g), name, d->unroll, LANES, name);
    char position[64];
    snprintf(position, sizeof position, "a * %lldu + start + i", (long long)g->R);
    call_at(t, d, g, name, position);
    situ_source_add(t,
        ");\n"
        "    lane[THREAD] = x;\n"
        "    BARRIER();\n"
        "    for (int step = %d; step; step /= 2) {\n"
        "        if (THREAD < step) lane[THREAD] = %s_reduce(lane[THREAD], lane[THREAD + step]);\n"
        "        BARRIER();\n"
        "    }\n"
        "    if (THREAD == 0) ",
        LANES / 2, name);
    result_at(t, d, g, blocks > 1);
    situ_source_add(t, blocks > 1 ? "BLOCK] = lane[0];\n}\n" : "a] = %s_out(lane[0]);\n}\n", name);
}

/* Adds up `blocks` partial results, `stride` apart from "part" on: in pairs, level by level, by several work-items, of
 * which this one is `lane`. No work-item writes an element that another has yet to read. if_mine: "" or a condition
 * followed by &&. */
static void write_levels(situ_source *t, const situ_fused *g, const char *name, long long blocks, long long stride, int lanes,
    const char *lane, const char *if_mine)
{
    situ_source_add(t,
        "    for (u64_F n = %lldu; n > 1; n = (n + 1) / 2)\n"
        "        for (u64_F start = 0; start < (n + 1) / 2; start += %d) {\n"
        "            u64_F i = start + %s;\n"
        "            %s_F x = %s_neutral();\n"
        "            if (%s2 * i < n) x = part[2 * i * %lldu];\n"
        "            if (%s2 * i + 1 < n) x = %s_reduce(x, part[(2 * i + 1) * %lldu]);\n"
        "            BARRIER_GLOBAL();\n"
        "            if (%s2 * i < n) part[i * %lldu] = x;\n"
        "            BARRIER_GLOBAL();\n"
        "        }\n",
        blocks, lanes, lane, reducing(g), name, if_mine, stride, if_mine, name, stride, if_mine, stride);
}

/* A work-group for the blocks of a row. */
static void row_tree(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name)
{
    long long blocks = (long long)parts(g->R, BLOCK);
    open_pass(t, d, g, name, 1);
    situ_source_add(t, "    GLOBAL %s *part = &", d->type[situ_dtype_compute((situ_dtype)g->reduce_dtype)]);
    result_at(t, d, g, true);
    situ_source_add(t, "BLOCK * %lldu];\n    (void)argument;\n", blocks);
    write_levels(t, g, name, blocks, 1, THREADS, "THREAD", "");
    situ_source_append(t, "    if (THREAD == 0) ");
    result_at(t, d, g, false);
    situ_source_add(t, "BLOCK] = %s_out(part[0]);\n}\n", name);
}

/* A work-item for 64 rows of a column; the partial results of `blocks` blocks are rows of C elements. */
static void column_blocks(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name)
{
    int64_t blocks = parts(g->R, ROWS), results = g->A * g->C;
    long long R = (long long)g->R, C = (long long)g->C, strides = blocks > 1 ? (long long)blocks : 1;
    open_pass(t, d, g, name, 0);
    situ_source_add(t,
        "    u64_F at = BLOCK * %d + THREAD, c = at %% %lldu, block = at / %lldu %% %lldu, a = at / %lldu / %lldu;\n"
        "    if (at >= %lldu) return;\n"
        "    u64_F start = block * %d, end = %lldu - start < %d ? %lldu : start + %d;\n"
        "    %s_F x = %s_neutral();\n"
        "%s    for (u64_F r = start; r < end; r++) x = %s_reduce(x, ",
        LANES, C, C, strides, C, strides, (long long)results * strides, ROWS, R, ROWS, R, ROWS, reducing(g), name, d->unroll, name);
    char position[96];
    snprintf(position, sizeof position, "(a * %lldu + r) * %lldu + c", R, C);
    call_at(t, d, g, name, position);
    situ_source_append(t, ");\n    ");
    result_at(t, d, g, blocks > 1);
    situ_source_add(t, blocks > 1 ? "at] = x;\n}\n" : "at] = %s_out(x);\n}\n", name);
}

/* A work-item for the blocks of a column; partial results wait for their neighbour. */
static void column_tree(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name)
{
    int64_t blocks = parts(g->R, ROWS);
    int levels = 2;
    for (int64_t n = blocks; n > 1; n = (n + 1) / 2) levels++;
    open_pass(t, d, g, name, 1);
    situ_source_add(t,
        "    u64_F at = BLOCK * %d + THREAD, c = at %% %lldu, a = at / %lldu;\n"
        "    %s_F tree[%d];\n"
        "    int depth = 0;\n"
        "    (void)argument;\n"
        "    if (at >= %lldu) return;\n"
        "    for (u64_F block = 0; block < %lldu; block++) {\n"
        "        %s_F x = ",
        LANES, (long long)g->C, (long long)g->C, reducing(g), levels, (long long)(g->A * g->C), (long long)blocks, reducing(g));
    result_at(t, d, g, true);
    situ_source_add(t,
        "(a * %lldu + block) * %lldu + c];\n"
        "        for (u64_F k = block; k & 1; k >>= 1) x = %s_reduce(tree[--depth], x);\n"
        "        tree[depth++] = x;\n"
        "    }\n"
        "    %s_F sum = tree[--depth];\n"
        "    while (depth) sum = %s_reduce(tree[--depth], sum);\n"
        "    ",
        (long long)blocks, (long long)g->C, name, reducing(g), name);
    result_at(t, d, g, false);
    situ_source_add(t, "at] = %s_out(sum);\n}\n", name);
}

/* A work-group for the blocks of 32 columns, in the order of the tree. */
static void column_levels(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name)
{
    long long blocks = (long long)parts(g->R, ROWS), C = (long long)g->C, across = (long long)parts(g->C, LEVEL);
    char mine[40];
    snprintf(mine, sizeof mine, "c < %lldu && ", C);
    open_pass(t, d, g, name, 1);
    situ_source_add(t,
        "    u64_F a = BLOCK / %lldu, c = BLOCK %% %lldu * %d + THREAD %% %d, lane = THREAD / %d;\n"
        "    GLOBAL %s *part = &",
        across, across, LEVEL, LEVEL, LEVEL, d->type[situ_dtype_compute((situ_dtype)g->reduce_dtype)]);
    result_at(t, d, g, true);
    situ_source_add(t, "a * %lldu + c];\n    (void)argument;\n", blocks * C);
    write_levels(t, g, name, blocks, C, LEVEL, "lane", mine);
    situ_source_add(t, "    if (%slane == 0) ", mine);
    result_at(t, d, g, false);
    situ_source_add(t, "a * %lldu + c] = %s_out(part[0]);\n}\n", C, name);
}

/* A work-item for four neighbours: at once, or one by one at the end and if an operand is not aligned. */
static void every_four(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name)
{
    long long count = (long long)situ_shape_count(g->ndim, g->dim);
    situ_source_add(t, "    u64_F first = (BLOCK * %d + THREAD) * %d, together = ", THREADS, PACK);
    all_packed(t, g);
    situ_source_add(t, ";\n    if (first + %d <= %lldu && together %% 16 == 0) ", PACK, count);
    call_function(t, d, g, name, "four", "first");
    situ_source_add(
        t, ";\n    else\n#pragma unroll 1\n        for (u64_F at = first; at < first + %d && at < %lldu; at++) ", PACK, count);
    call_at(t, d, g, name, "at");
    situ_source_append(t, ";\n}\n");
}

/* Writes "    u64_F base = ..., ...": which tile this is: position of its first element, and along both axes. */
static void which_tile(situ_source *t, const situ_fused *g, int axis, const char *type)
{
    int last = g->ndim - 1;
    int64_t inner = 1, stride = 1;
    situ_source_add(t, "    %s rest = (%s)BLOCK, base = 0, left, top;\n", type, type);
    for (int i = last; i >= 0; stride *= g->dim[i], i--) {
        int64_t n = i == axis || i == last ? parts(g->dim[i], TILE) : g->dim[i];
        if (i == axis) inner = stride;
        if (i == axis || i == last)
            situ_source_add(t, "    %s = rest %% %lldu * %d;\n", i == last ? "left" : "top", (long long)n, TILE);
        else situ_source_add(t, "    base += rest %% %lldu * %lldu;\n", (long long)n, (long long)stride);
        situ_source_add(t, "    rest /= %lldu;\n", (long long)n);
    }
    situ_source_add(t, "    base += top * %lldu + left;\n", (long long)inner);
}

/* Tiles of 32 by 32: read along one axis, written along the other. */
static void every_tile(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name)
{
    int axis = situ_fused_tile(g, d), last = g->ndim - 1;
    int64_t stride = 1;
    for (int i = axis + 1; i <= last; i++) stride *= g->dim[i];
    for (int i = 0; i < g->nload; i++)
        if (situ_fused_is_tiled(g, axis, i))
            situ_source_add(t, "    LOCAL %s x%d[%d][%d];\n", d->type[g->load[i].dtype], i, TILE, TILE + 1);
    /* 64-bit arithmetic takes several instructions. */
    const char *type = situ_shape_count(g->ndim, g->dim) <= INT32_MAX ? "u32_F" : "u64_F";
    char edge[128] = "";
    if (g->dim[axis] % TILE || g->dim[last] % TILE)
        snprintf(edge, sizeof edge, "        if (top + row >= %lldu || left + column >= %lldu) continue;\n",
            (long long)g->dim[axis], (long long)g->dim[last]);
    which_tile(t, g, axis, type);
    const char *const inside = "    for (%s e = THREAD; e < %d; e += %d) {\n"
                               "        %s row = e %s %d, column = e %s %d, at = base + row * %lldu + column;\n%s";
    situ_source_append(t, d->unroll);
    situ_source_add(t, inside, type, TILE * TILE, THREADS, type, "%", TILE, "/", TILE, (long long)stride, edge);
    for (int i = 0; i < g->nload; i++)
        if (situ_fused_is_tiled(g, axis, i))
            situ_source_add(t, "        x%d[column][row] = %s_load%d((GLOBAL const %s *)ADDRESS(%d), at);\n", i, name, i,
                d->type[g->load[i].dtype], results_of(g) + i);
    situ_source_append(t, "    }\n    BARRIER();\n");
    situ_source_append(t, d->unroll);
    situ_source_add(t, inside, type, TILE * TILE, THREADS, type, "/", TILE, "%", TILE, (long long)stride, edge);
    char position[16 + 32 * SITU_FUSED_LOADS] = "at";
    size_t n = 2;
    for (int i = 0; i < g->nload; i++)
        if (situ_fused_is_tiled(g, axis, i)) n += (size_t)snprintf(position + n, sizeof position - n, ", x%d[column][row]", i);
    situ_source_append(t, "        ");
    call_function(t, d, g, name, "tiled", position);
    situ_source_append(t, ";\n    }\n}\n");
}

static void every_position(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name)
{
    open_pass(t, d, g, name, 0);
    if (situ_fused_tile(g, d) >= 0) {
        every_tile(t, d, g, name);
        return;
    }
    if (situ_fused_packs(g, d)) {
        every_four(t, d, g, name);
        return;
    }
    situ_source_add(
        t, "    u64_F at = BLOCK * %d + THREAD;\n    if (at < %lldu) ", THREADS, (long long)situ_shape_count(g->ndim, g->dim));
    call_at(t, d, g, name, "at");
    situ_source_append(t, ";\n}\n");
}

void situ_parallel_kernel(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name)
{
    int passes = situ_fused_passes(g, d).count;
    if (g->reduction < 0) {
        every_position(t, d, g, name);
    } else if (g->C == 1) {
        if (goes_by_quarters(g, d)) row_quarters(t, d, g, name);
        else if (g->R <= SHORT_ROW) short_rows(t, d, g, name);
        else row_blocks(t, d, g, name);
        if (passes > 1) row_tree(t, d, g, name);
    } else {
        column_blocks(t, d, g, name);
        if (passes > 1) (goes_by_levels(d, parts(g->R, ROWS)) ? column_levels : column_tree)(t, d, g, name);
    }
}
