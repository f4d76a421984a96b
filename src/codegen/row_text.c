#include <stdio.h>

#include "base/memory.h"
#include "codegen/group_text.h"
#include "codegen/parallel.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

enum { LANES = 64, BLOCK = 1024, LEVELS = 56, PACK = 4, MOST_LOCAL = 20 << 10 };

static size_t round_up(size_t n) { return (n + 255) / 256 * 256; }

/* Start of local value k in the workspace; k == nlocal: the size. */
static size_t place_of(const situ_row_program *s, int k)
{
    size_t at = 0;
    for (int i = 0; i < k; i++) at += round_up((size_t)(s->rows * s->local[i]));
    return at;
}

/* Start of the local values of one row in the work-group's memory; k == nlocal: their size. */
static size_t place_in_row(const situ_row_program *s, int k)
{
    size_t at = 0;
    for (int i = 0; i < k; i++) at += ((size_t)s->local[i] + 15) / 16 * 16;
    return at;
}

/* CUDA has only one kind of pointer, so local values that fit are in the work-group's memory, which saves memory of
 * the device. */
static bool stays_inside(const situ_row_program *s, const situ_dialect *d)
{
    return d->packs && s->nlocal && place_in_row(s, s->nlocal) <= MOST_LOCAL;
}

situ_passes situ_row_program_passes(const situ_row_program *s, const situ_dialect *d)
{
    return (situ_passes){1, {{LANES, s->rows}}, stays_inside(s, d) ? 0 : place_of(s, s->nlocal)};
}

/* ---------------------------------------------------------------- stages */

typedef struct writer {
    situ_source *t;
    const situ_row_program *s;
    const situ_dialect *d;
    const char *name;
    int workspace; /* index of its address */
    bool inside;   /* local values are in the array "room" */
} writer;

/* Writes an address of a stage as a pointer to `type`. */
static void write_address(writer *w, const situ_stage *g, int k, const char *type)
{
    int at = g->address[k];
    if (at >= 0) situ_source_add(w->t, "(GLOBAL %s *)ADDRESS(%d)", type, at);
    else if (w->inside) /* by integers: the address that row 0 would have is outside of the array */
        situ_source_add(w->t, "(GLOBAL %s *)((u64_F)room + %zu - BLOCK * %lldu)", type, place_in_row(w->s, -1 - at),
            (long long)w->s->local[-1 - at]);
    else situ_source_add(w->t, "(GLOBAL %s *)(ADDRESS(%d) + %zu)", type, w->workspace, place_of(w->s, -1 - at));
}

/* Writes NAME_STAGE_at(...) or NAME_STAGE_four(...) for a position given as text. */
static void call_function(writer *w, int stage, const char *function, const char *position)
{
    const situ_stage *s = &w->s->stage[stage];
    const situ_fused *g = s->group;
    int k = 0;
    situ_source_add(w->t, "%s_%d_%s(", w->name, stage, function);
    for (int i = 0; i < g->nstore; i++, situ_source_append(w->t, ", ")) write_address(w, s, k++, w->d->type[g->store[i].dtype]);
    k += g->reduction >= 0;
    for (int i = 0; i < g->nload; i++, situ_source_append(w->t, ", ")) write_address(w, s, k++, w->d->type[g->load[i].dtype]);
    situ_source_add(w->t, "argument + %d, %s)", s->word, position);
}

static void call_at(writer *w, int stage, const char *position) { call_function(w, stage, "at", position); }

/* Reduces lanes by halves; in CUDA the first of two warps does it without local memory. */
static void reduce_lanes(writer *w, int stage)
{
    const char *type = situ_dtype_name(situ_dtype_compute((situ_dtype)w->s->stage[stage].group->reduce_dtype));
    if (w->d->packs)
        situ_source_add(w->t,
            "        if (THREAD < %d) {\n"
            "            %s_F y = %s_%d_reduce(lane%d[THREAD], lane%d[THREAD + %d]);\n"
            "#pragma unroll\n"
            "            for (int step = %d; step; step /= 2) y = %s_%d_reduce(y, SHUFFLE_DOWN(y, step));\n"
            "            if (THREAD == 0) lane%d[0] = y;\n"
            "        }\n",
            LANES / 2, type, w->name, stage, stage, stage, LANES / 2, LANES / 4, w->name, stage, stage);
    else
        situ_source_add(w->t,
            "        for (int step = %d; step; step /= 2) {\n"
            "            if (THREAD < step) lane%d[THREAD] = %s_%d_reduce(lane%d[THREAD], lane%d[THREAD + step]);\n"
            "            BARRIER();\n"
            "        }\n",
            LANES / 2, stage, w->name, stage, stage, stage);
}

/* Blocks of 1024 in 64 lanes, a work-item for each lane. The first work-item holds partial results of 1, 2, 4, ...
 * blocks that wait for their neighbour; which ones exist follows from the block's number. */
static void reduce_stage(writer *w, int stage)
{
    const situ_stage *s = &w->s->stage[stage];
    const situ_fused *g = s->group;
    const char *type = situ_dtype_name(situ_dtype_compute((situ_dtype)g->reduce_dtype));
    char position[96];
    snprintf(position, sizeof position, "BLOCK * %lldu + block + i", (long long)s->length);
    situ_source_add(w->t,
        "    TO_LOCAL %s_F *lane%d = (TO_LOCAL %s_F *)lanes, *tree%d = (TO_LOCAL %s_F *)trees;\n"
        "    for (u64_F block = 0; block < %lldu; block += %d) {\n"
        "        u64_F end = %lldu - block < %d ? %lldu - block : %d;\n"
        "        %s_F x = %s_%d_neutral();\n"
        "%s        for (u64_F i = THREAD; i < end; i += %d) x = %s_%d_reduce(x, ",
        type, stage, type, stage, type, (long long)s->length, BLOCK, (long long)s->length, BLOCK, (long long)s->length, BLOCK, type,
        w->name, stage, w->d->unroll, LANES, w->name, stage);
    call_at(w, stage, position);
    situ_source_add(w->t,
        ");\n"
        "        lane%d[THREAD] = x;\n"
        "        BARRIER();\n",
        stage);
    reduce_lanes(w, stage);
    situ_source_add(w->t,
        "        if (THREAD == 0) {\n"
        "            %s_F y = lane%d[0];\n"
        "            int level = 0;\n"
        "            for (u64_F k = block / %d; k & 1; k >>= 1) y = %s_%d_reduce(tree%d[level++], y);\n"
        "            tree%d[level] = y;\n"
        "        }\n"
        "        BARRIER();\n"
        "    }\n",
        type, stage, BLOCK, w->name, stage, stage, stage);
    /* the lowest level first, which has the last blocks */
    int64_t blocks = (s->length + BLOCK - 1) / BLOCK;
    int level = 0;
    while (!(blocks >> level & 1)) level++;
    situ_source_add(w->t, "    if (THREAD == 0) {\n        %s_F y = tree%d[%d];\n", type, stage, level);
    for (level++; blocks >> level; level++)
        if (blocks >> level & 1) situ_source_add(w->t, "        y = %s_%d_reduce(tree%d[%d], y);\n", w->name, stage, stage, level);
    situ_source_append(w->t, "        (");
    write_address(w, s, g->nstore, w->d->type[g->reduce_out]);
    situ_source_add(w->t, ")[BLOCK] = %s_%d_out(y);\n    }\n", w->name, stage);
}

/* Writes "0 | (u64_F)... | ...": all addresses that NAME_STAGE_four accesses by packs. */
static void all_packed(writer *w, const situ_stage *s)
{
    const situ_fused *g = s->group;
    situ_source_append(w->t, "0");
    for (int i = 0; i < g->nstore + g->nload; i++) {
        const situ_load *load = i < g->nstore ? NULL : &g->load[i - g->nstore];
        if (load && !situ_is_contiguous(g->ndim, g->dim, load->stride)) continue;
        situ_source_append(w->t, " | (u64_F)(");
        write_address(w, s, i, "char");
        situ_source_append(w->t, ")");
    }
}

/* Four neighbours for each work-item, if they may be read and written at once. */
static void map_stage(writer *w, int stage)
{
    char position[96];
    long long length = (long long)w->s->stage[stage].length;
    if (length % PACK == 0 && length > LANES && situ_fused_packs(w->s->stage[stage].group, w->d)) {
        situ_source_append(w->t, "    if ((");
        all_packed(w, &w->s->stage[stage]);
        situ_source_add(w->t, ") %% 16 == 0)\n%s        for (u64_F i = THREAD * %d; i < %lldu; i += %d) ", w->d->unroll, PACK,
            length, LANES * PACK);
        snprintf(position, sizeof position, "BLOCK * %lldu + i", length);
        call_function(w, stage, "four", position);
        situ_source_append(w->t, ";\n    else\n");
    }
    snprintf(position, sizeof position, "BLOCK * %lldu + %s", length, length > LANES ? "i" : "THREAD");
    if (length > LANES) situ_source_add(w->t, "%s    for (u64_F i = THREAD; i < %lldu; i += %d) ", w->d->unroll, length, LANES);
    else situ_source_add(w->t, "    if (THREAD < %lldu) ", length);
    call_at(w, stage, position);
    situ_source_append(w->t, ";\n");
}

/* ---------------------------------------------------------------- the whole text */

char *situ_row_program_text(const situ_row_program *s, int naddress, int nargument, const char *name, const situ_dialect *d)
{
    situ_source all = {0};
    situ_dialect functions = *d;
    functions.kernel = NULL;
    char stage[64];
    for (int i = 0; i < s->nstage; i++) {
        snprintf(stage, sizeof stage, "%.40s_%d", name, i);
        char *text = situ_fused_text(s->stage[i].group, stage, &functions);
        if (!text) {
            situ_source_drop(&all);
            return NULL;
        }
        situ_source_append(&all, text);
        situ_free(text);
    }
    writer w = {&all, s, d, name, naddress - 1, stays_inside(s, d)};
    situ_parallel_open(&all, d, name, 0, LANES, naddress, nargument, false);
    situ_source_add(&all, "    LOCAL u64_F lanes[%d], trees[%d];\n", LANES, LEVELS);
    if (w.inside) situ_source_add(&all, "    alignas(16) LOCAL char room[%zu];\n", place_in_row(s, s->nlocal));
    for (int i = 0; i < s->nstage; i++) {
        if (s->stage[i].group->reduction >= 0) reduce_stage(&w, i);
        else map_stage(&w, i);
        if (i + 1 < s->nstage) situ_source_append(&all, "    BARRIER_GLOBAL();\n");
    }
    situ_source_append(&all, "}\n");
    return situ_source_take(&all);
}
