/* Launches a group: as tasks of several tiles if there is enough work, or as a reduction. */
#include "backend/cpu/interpreter/group.h"
#include "base/pool.h"

enum {
    PARALLEL_COST = 65536, /* with less work, about 4 us, the thread pool does not pay */
    TASKS_PER_THREAD = 32,
    TILES_PER_TASK = 4,
    TASK_COST = 32768, /* least work of a task, 2 us, if there are two or more; compared with it the start of a task is small */
    COPY_TASK = 32768, /* least elements of a strided copy's task ... */
    COPY_UNITS = 128,  /* ... and least number of units, if there are enough tasks */
    COPIES_PER_THREAD = 2
};

static void run_tiles(void *launch, int64_t index)
{
    const situ_fused_launch *l = launch;
    const situ_program *p = l->program;
    int64_t first = index * l->per_task * SITU_TILE, end = first + l->per_task * SITU_TILE;
    if (end > p->count) end = p->count;
    situ_tile_frame f;
    if (!situ_tile_frame_open(&f, l)) return;
    situ_tile_frame_span(&f, first, end);
    situ_drain(&f);
}

/* Runs tiles of the first half, each together with its partner in the second half, which may be one position shorter. */
static void run_pairs(void *launch, int64_t index)
{
    const situ_fused_launch *l = launch;
    const situ_program *p = l->program;
    int64_t first = index * l->per_task * SITU_TILE, end = first + l->per_task * SITU_TILE;
    if (end > p->half) end = p->half;
    situ_tile_frame f;
    if (!situ_tile_frame_open(&f, l)) return;
    for (; first < end; first += SITU_TILE) {
        int64_t n = end - first < SITU_TILE ? end - first : SITU_TILE, partners = p->count - p->half - first;
        f.pair = SITU_LOW;
        situ_tile_frame_run(&f, first, (int)n);
        f.pair = SITU_HIGH;
        if (partners > 0) situ_tile_frame_run(&f, p->half + first, (int)(partners < n ? partners : n));
    }
    situ_drain(&f);
}

static void run_copy(void *launch, int64_t index)
{
    const situ_fused_launch *l = launch;
    const situ_program *p = l->program;
    const situ_tile_step *s = p->body;
    int64_t first = index * l->per_task, n = p->count - first < l->per_task ? p->count - first : l->per_task;
    const situ_gathered *g = &p->gathered[s->b];
    bool stream = p->count * s->p >= SITU_STREAM_BYTES;
    (stream ? situ_strided_stream : situ_strided_read)(
        l->address[0] + first * s->p, l->address[s->a], s->p, g->ndim, g->dim, g->stride, first, n);
}

static void run_elementwise(situ_fused_launch *l, bool parallel)
{
    const situ_program *p = l->program;
    if (p->copy) {
        int64_t width = (int64_t)situ_pool_width(), lines = SITU_LINE / p->body->p;
        while (lines > 1 && p->count < lines * p->copy_row * width) lines /= 2;
        int64_t unit = p->copy_row * lines, least = (COPY_TASK + unit - 1) / unit,
                wide = p->count / unit / (COPIES_PER_THREAD * width);
        if (wide > COPY_UNITS) wide = COPY_UNITS;
        l->per_task = (wide > least ? wide : least) * unit;
        situ_fused_tasks(l, run_copy, (p->count + l->per_task - 1) / l->per_task, parallel);
        return;
    }
    void (*task)(void *, int64_t) = p->half ? run_pairs : run_tiles;
    int64_t tiles = ((p->half ? p->half : p->count) + SITU_TILE - 1) / SITU_TILE;
    if (!parallel || tiles < 2) {
        l->per_task = tiles;
        task(l, 0);
        return;
    }
    int64_t each = TASK_COST / SITU_TILE / (p->cost + 1), tasks = tiles / (each > TILES_PER_TASK ? each : TILES_PER_TASK),
            most = (int64_t)situ_pool_width() * TASKS_PER_THREAD;
    if (tasks > most) tasks = most;
    if (tasks < 2) tasks = 2;
    l->per_task = (tiles + tasks - 1) / tasks;
    situ_fused_tasks(l, task, (tiles + l->per_task - 1) / l->per_task, parallel);
}

/* An empty reduction gives the neutral element everywhere. */
static void fill_neutral(const situ_fused_launch *l)
{
    const situ_program *p = l->program;
    char neutral[SITU_TILE * 8];
    situ_reduce_neutral((situ_reduce_kind)p->reduction, p->reduce_dtype, neutral, SITU_TILE);
    for (int64_t i = 0, count = p->A * p->C; i < count; i += SITU_TILE)
        situ_fused_result(l, i, neutral, count - i < SITU_TILE ? count - i : SITU_TILE);
}

bool situ_fused_is_large(double cost) { return cost >= PARALLEL_COST && situ_pool_width() > 1; }

void situ_fused_run(const situ_program *p, char *const *address, const uint64_t *argument, situ_fault *fault, bool parallel)
{
    situ_fused_launch l = {.program = p,
        .address = address,
        .argument = argument,
        .fault = fault,
        .per_task = 1,
        .indirect = situ_find_indirect(p, address)};
    if (p->count <= 0) {
        if (p->reduction >= 0) fill_neutral(&l);
        return;
    }
    if (parallel) parallel = situ_fused_is_large((double)p->count * (double)p->cost);
    if (p->reduction < 0) run_elementwise(&l, parallel);
    else if (p->C == 1) situ_fused_reduce_rows(&l, parallel);
    else situ_fused_reduce_columns(&l, parallel);
}
