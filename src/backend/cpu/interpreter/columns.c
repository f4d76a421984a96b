/* Reductions over an axis that is not the last: in strips of up to 1,024 columns. Rows are added to an accumulator in
 * order, in blocks of 64 rows; then the blocks are added by the tree. */
#include "backend/cpu/interpreter/group.h"

#include <string.h>

enum { MOST_PARTIALS = 32, WIDE = SITU_TILE / 2 };

typedef struct strip {
    situ_tree tree;
    char *block; /* accumulator of the current block */
    int rows;    /* number of rows in it */
} strip;

static void open_strip(strip *s, const situ_tile_frame *f)
{
    const situ_program *p = f->program;
    size_t bytes = situ_strip_bytes(p);
    *s = (strip){.tree = {.combine = p->combine}, .block = f->extra};
    for (int i = 0; i < p->levels; i++) s->tree.level[i] = f->extra + bytes * (size_t)(i + 1);
}

static void start(strip *s, const situ_program *p, int64_t columns)
{
    s->tree.count = 0;
    s->tree.n = columns;
    s->rows = 0;
    situ_reduce_neutral((situ_reduce_kind)p->reduction, p->reduce_dtype, s->block, columns);
}

/* Adds rows that start `stride` elements apart, in order. */
static void feed(strip *s, const situ_program *p, const char *row, int64_t stride, int64_t rows)
{
    while (rows > 0) {
        if (s->rows == SITU_REDUCE_ROWS) {
            situ_tree_push(&s->tree, &s->block);
            situ_reduce_neutral((situ_reduce_kind)p->reduction, p->reduce_dtype, s->block, s->tree.n);
            s->rows = 0;
        }
        int n = rows < SITU_REDUCE_ROWS - s->rows ? (int)rows : SITU_REDUCE_ROWS - s->rows;
        p->add_rows(s->block, row, stride, n, s->tree.n);
        s->rows += n;
        row += (size_t)(n * stride) * p->reduce_size;
        rows -= n;
    }
}

/* Finishes the reduction; returns the address of the result. */
static char *finish(strip *s)
{
    situ_tree_push(&s->tree, &s->block);
    return situ_tree_finish(&s->tree);
}

/* The range of rows of chunk number `chunk`. */
static void chunk_rows(const situ_fused_launch *l, int64_t chunk, int64_t *first, int64_t *end)
{
    int64_t rows = l->chunk * SITU_REDUCE_ROWS;
    *first = chunk * rows;
    *end = l->program->R - *first < rows ? l->program->R : *first + rows;
}

static void put(const situ_fused_launch *l, int64_t strips, int64_t chunk, int64_t at, const char *result, int64_t columns)
{
    const situ_program *p = l->program;
    if (l->chunks == 1) situ_fused_result(l, at, result, columns);
    else
        memcpy(l->partials + (size_t)(strips * l->chunks * p->columns + chunk * columns) * p->reduce_size, result,
            (size_t)columns * p->reduce_size);
}

/* Task: a chunk of rows of a strip of up to 1,024 columns of one matrix. */
static void run_wide(void *launch, int64_t index)
{
    const situ_fused_launch *l = launch;
    const situ_program *p = l->program;
    int64_t strips = (p->C + SITU_TILE - 1) / SITU_TILE, end = (index + 1) * l->per_task;
    const situ_tile_place *at_rest = &p->place[p->reduce_place]; /* nothing to compute: rows are read directly from memory */
    bool in_memory = !p->nbody && at_rest->address >= 0 && !at_rest->load;
    situ_tile_frame f;
    strip s;
    if (!situ_tile_frame_open(&f, l)) return;
    open_strip(&s, &f);
    for (int64_t unit = index * l->per_task; unit < end && unit < l->units; unit++) {
        int64_t at = unit / l->chunks, matrix = at / strips, column = at % strips * SITU_TILE, row, last;
        int64_t columns = p->C - column < SITU_TILE ? p->C - column : SITU_TILE;
        chunk_rows(l, unit % l->chunks, &row, &last);
        start(&s, p, columns);
        for (int64_t rows; row < last; row += rows) {
            rows = !in_memory ? 1 : last - row < SITU_REDUCE_ROWS ? last - row : SITU_REDUCE_ROWS;
            situ_tile_frame_run(&f, (matrix * p->R + row) * p->C + column, (int)columns);
            feed(&s, p, f.place[p->reduce_place], p->C, rows);
        }
        put(l, at, unit % l->chunks, matrix * p->C + column, finish(&s), columns);
    }
}

/* Task: a chunk of rows of one narrow matrix; several rows make a tile. */
static void run_narrow(void *launch, int64_t index)
{
    const situ_fused_launch *l = launch;
    const situ_program *p = l->program;
    int64_t most = SITU_TILE / p->C, end = (index + 1) * l->per_task;
    situ_tile_frame f;
    strip s;
    if (!situ_tile_frame_open(&f, l)) return;
    open_strip(&s, &f);
    for (int64_t unit = index * l->per_task; unit < end && unit < l->units; unit++) {
        int64_t matrix = unit / l->chunks, row, last;
        chunk_rows(l, unit % l->chunks, &row, &last);
        start(&s, p, p->C);
        for (; row < last; row += most) {
            int64_t rows = last - row < most ? last - row : most;
            situ_tile_frame_run(&f, (matrix * p->R + row) * p->C, (int)(rows * p->C));
            feed(&s, p, f.place[p->reduce_place], p->C, rows);
        }
        put(l, matrix, unit % l->chunks, matrix * p->C, finish(&s), p->C);
    }
}

/* Task: a tile of several small matrices. */
static void run_small(void *launch, int64_t index)
{
    const situ_fused_launch *l = launch;
    const situ_program *p = l->program;
    int64_t elements = p->R * p->C, most = SITU_TILE / elements, end = (index + 1) * l->per_task * most;
    situ_tile_frame f;
    strip s;
    if (!situ_tile_frame_open(&f, l)) return;
    open_strip(&s, &f);
    if (end > p->A) end = p->A;
    for (int64_t matrix = index * l->per_task * most; matrix < end; matrix += most) {
        int64_t n = end - matrix < most ? end - matrix : most;
        situ_tile_frame_run(&f, matrix * elements, (int)(n * elements));
        for (int64_t i = 0; i < n; i++) {
            start(&s, p, p->C);
            feed(&s, p, f.place[p->reduce_place] + (size_t)(i * elements) * p->reduce_size, p->C, p->R);
            situ_fused_result(l, (matrix + i) * p->C, finish(&s), p->C);
        }
    }
}

/* With fewer strips than threads, strips are cut into chunks of 2^k blocks of rows. Chunks are subtrees, so the bits
 * stay the same. */
static void choose_chunks(situ_fused_launch *l, int64_t strips, bool parallel)
{
    int64_t blocks = (l->program->R + SITU_REDUCE_ROWS - 1) / SITU_REDUCE_ROWS, chunk = 1;
    l->chunk = blocks;
    l->chunks = 1;
    if (!parallel || strips > MOST_PARTIALS / 2) return;
    while (strips * ((blocks + chunk - 1) / chunk) > MOST_PARTIALS) chunk *= 2;
    l->chunk = chunk;
    l->chunks = (blocks + chunk - 1) / chunk;
}

static void join_chunks(const situ_fused_launch *l, int64_t strips_per_matrix)
{
    const situ_program *p = l->program;
    for (int64_t i = 0; i < p->A * strips_per_matrix; i++) {
        int64_t matrix = i / strips_per_matrix, column = i % strips_per_matrix * SITU_TILE;
        int64_t columns = p->C - column < SITU_TILE ? p->C - column : SITU_TILE;
        char *partials = l->partials + (size_t)(i * l->chunks * p->columns) * p->reduce_size;
        situ_reduce_rows((situ_reduce_kind)p->reduction, p->reduce_dtype, partials, l->chunks, columns);
        situ_fused_result(l, matrix * p->C + column, partials, columns);
    }
}

void situ_fused_reduce_columns(situ_fused_launch *l, bool parallel)
{
    const situ_program *p = l->program;
    int64_t strips = p->C > WIDE ? (p->C + SITU_TILE - 1) / SITU_TILE : 1;
    bool small = p->R * p->C <= WIDE;
    void (*task)(void *, int64_t) = small ? run_small : p->C > WIDE ? run_wide : run_narrow;
    l->chunks = 1;
    if (!small) choose_chunks(l, p->A * strips, parallel);
    if (l->chunks > 1 && !situ_fused_launch_partials(l)) return;
    int64_t most = small ? SITU_TILE / (p->R * p->C) : 1;
    situ_fused_launch_cut(l, small ? (p->A + most - 1) / most : p->A * strips * l->chunks, parallel);
    situ_fused_tasks(l, task, (l->units + l->per_task - 1) / l->per_task, parallel);
    if (l->chunks > 1) join_chunks(l, strips);
}
