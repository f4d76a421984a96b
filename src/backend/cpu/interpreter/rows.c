/* Reductions along the last axis: blocks of 1,024 elements, which are tiles, then the tree over the blocks of a row. */
#include "backend/cpu/interpreter/group.h"

#include <string.h>

enum { FEW_ROWS = 64, BLOCKS_PER_CHUNK = SITU_REDUCE_RUN };

/* Number of rows in a tile. */
static int64_t short_rows(const situ_program *p) { return p->row ? 1 : SITU_TILE / p->R; }

/* Short rows: several rows that fit into a tile are computed at once. */
static void reduce_short_rows(situ_tile_frame *f, const situ_fused_launch *l, int64_t row, int64_t end)
{
    const situ_program *p = l->program;
    int64_t rows = short_rows(p);
    for (; row < end; row += rows) {
        int n = end - row < rows ? (int)(end - row) : (int)rows;
        situ_tile_frame_run(f, row * p->R, n * (int)p->R);
        uint64_t results[SITU_TILE];
        p->reduce_each(results, f->place[p->reduce_place], (int)p->R, n);
        situ_fused_result(l, row, (char *)results, n);
    }
}

/* Task: a tile of whole rows. */
static void run_short_rows(void *launch, int64_t index)
{
    const situ_fused_launch *l = launch;
    int64_t rows = short_rows(l->program), row = index * l->per_task * rows, end = row + l->per_task * rows;
    situ_tile_frame f;
    if (situ_tile_frame_open(&f, l)) reduce_short_rows(&f, l, row, end < l->program->A ? end : l->program->A);
}

/* The operand, if it can be reduced directly from memory without computing anything; else NULL. */
static const char *plain_operand(const situ_tile_frame *f)
{
    const situ_program *p = f->program;
    const situ_tile_place *from = &p->place[p->reduce_place];
    return p->nbody || p->nprologue || from->address < 0 || from->load || from->store ? NULL : f->address[from->address];
}

/* Folds with overlapping parts, which does not change a minimum or maximum. */
static void fold(const situ_program *p, char *to, const char *from, int n)
{
    enum { FEW = 64 };
    size_t size = p->place[p->reduce_place].size;
    _Alignas(64) char part[2][SITU_TILE * 2];
    int32_t wide[FEW];
    int left = n < SITU_TILE ? n : SITU_TILE;
    const char *some = from;
    for (int done = left, at; done < n; done += left, some = part[0]) {
        at = done < n - left ? done : n - left;
        p->fold(part[0], some, from + (size_t)at * size, NULL, left);
    }
    for (int half, k = 1; left > FEW; left = half, some = part[k], k = !k) {
        half = (left + 1) / 2;
        p->fold(part[k], some, some + (size_t)(left - half) * size, NULL, half);
    }
    p->widen(wide, some, left);
    p->reduce_tile(to, wide, left);
}

/* Reduces the elements of a row from `at` on to one value. */
static inline void reduce_stretch(situ_tile_frame *f, const char *plain, int64_t row, int64_t at, int64_t end, char *to)
{
    const situ_program *p = f->program;
    int n = (int)((end < p->R ? end : p->R) - at);
    if (!plain) situ_tile_frame_run(f, row * p->R + at, n);
    const char *from = plain ? plain + (row * p->R + at) * p->place[p->reduce_place].size : f->place[p->reduce_place];
    if (p->fold) fold(p, to, from, n);
    else p->reduce_tile(to, from, n);
}

/* If nothing is computed, reduces runs of SITU_REDUCE_RUN blocks at a time; these are subtrees of the row's tree, or
 * of the chunk's. */
void situ_tile_frame_blocks(situ_tile_frame *f, int64_t row, int64_t block, int64_t end, char *to)
{
    const situ_program *p = f->program;
    const char *plain = plain_operand(f);
    if (end - block == 1) {
        reduce_stretch(f, plain, row, block * SITU_REDUCE_BLOCK, end * SITU_REDUCE_BLOCK, to);
        return;
    }
    situ_tree t = {.combine = p->combine, .n = 1};
    char *partial = f->extra;
    int64_t step = plain ? SITU_REDUCE_RUN : 1;
    for (int i = 0; i < p->levels; i++) t.level[i] = f->extra + 16 * (i + 1);
    for (; block < end; block += step) {
        reduce_stretch(
            f, plain, row, block * SITU_REDUCE_BLOCK, (end - block < step ? end : block + step) * SITU_REDUCE_BLOCK, partial);
        situ_tree_push(&t, &partial);
    }
    memcpy(to, situ_tree_finish(&t), p->reduce_size);
}

void situ_tile_frame_rows(situ_tile_frame *f, const situ_fused_launch *l, int64_t first, int64_t end)
{
    const situ_program *p = l->program;
    if (p->R <= SITU_TILE / 2) {
        reduce_short_rows(f, l, first, end);
        return;
    }
    for (int64_t blocks = (p->R + SITU_REDUCE_BLOCK - 1) / SITU_REDUCE_BLOCK; first < end; first++) {
        uint64_t whole[2];
        situ_tile_frame_blocks(f, first, 0, blocks, (char *)whole);
        situ_fused_result(l, first, whole, 1);
    }
}

/* Task: a chunk of a row, which is a subtree of the row's tree. */
static void run_long_rows(void *launch, int64_t index)
{
    const situ_fused_launch *l = launch;
    const situ_program *p = l->program;
    int64_t unit = index * l->per_task, end = unit + l->per_task, blocks = (p->R + SITU_REDUCE_BLOCK - 1) / SITU_REDUCE_BLOCK;
    if (end > l->units) end = l->units;
    situ_tile_frame f;
    if (!situ_tile_frame_open(&f, l)) return;
    for (; unit < end; unit++) {
        int64_t row = unit / l->chunks, first = unit % l->chunks * l->chunk, last = first + l->chunk;
        uint64_t whole[2];
        char *to = l->chunks > 1 ? l->partials + unit * p->reduce_size : (char *)whole;
        situ_tile_frame_blocks(&f, row, first, last < blocks ? last : blocks, to);
        if (l->chunks == 1) situ_fused_result(l, row, whole, 1);
    }
}

/* Few long rows are cut into chunks of 2^k blocks. Chunks are subtrees, so the bits stay the same. */
static void choose_chunks(situ_fused_launch *l, bool parallel)
{
    const situ_program *p = l->program;
    int64_t blocks = (p->R + SITU_REDUCE_BLOCK - 1) / SITU_REDUCE_BLOCK;
    l->chunk = blocks;
    l->chunks = 1;
    if (!parallel || p->A >= FEW_ROWS || blocks <= BLOCKS_PER_CHUNK) return;
    int64_t chunk = BLOCKS_PER_CHUNK;
    while (p->A * ((blocks + chunk - 1) / chunk) > SITU_FUSED_PARTIALS) chunk *= 2;
    l->chunk = chunk;
    l->chunks = (blocks + chunk - 1) / chunk;
}

void situ_fused_reduce_rows(situ_fused_launch *l, bool parallel)
{
    const situ_program *p = l->program;
    if (p->R <= SITU_TILE / 2) {
        int64_t rows = short_rows(p);
        situ_fused_launch_cut(l, (p->A + rows - 1) / rows, parallel);
        situ_fused_tasks(l, run_short_rows, (l->units + l->per_task - 1) / l->per_task, parallel);
        return;
    }
    choose_chunks(l, parallel);
    if (l->chunks > 1 && !situ_fused_launch_partials(l)) return;
    situ_fused_launch_cut(l, p->A * l->chunks, parallel);
    situ_fused_tasks(l, run_long_rows, (l->units + l->per_task - 1) / l->per_task, parallel);
    if (l->chunks == 1) return;
    for (int64_t row = 0; row < p->A; row++) {
        uint64_t whole[2];
        situ_reduce_blocks(
            (situ_reduce_kind)p->reduction, p->reduce_dtype, l->partials + row * l->chunks * p->reduce_size, l->chunks, whole);
        situ_fused_result(l, row, whole, 1);
    }
}
