/* Row programs: a few rows go through all groups before the next rows, or the groups run as a pipeline
 * (interpreter/pipeline.h). A local value has memory for these rows only, in the thread's scratch memory. Its base
 * address is shifted back by the preceding rows, so that groups use ordinary row numbers. */
#include "backend/cpu/interpreter/pipeline.h"

#include "backend/cpu/scratch.h"
#include "base/memory.h"
#include "base/pool.h"
#include "os/wait.h"
#include "tensor/dtype.h"

#include <string.h>

enum {
    CHUNK_BYTES = 16 * 1024, /* of the largest operand for a few rows: half of the first-level cache */
    TASKS_PER_THREAD = 16,
    TRIALS = 4 /* runs of each variant before one is chosen */
};

typedef struct stage {
    situ_program *program;
    int naddress, word;
    int16_t *address;
    int64_t length;
} stage;

/* Pipeline or one stage after the other: which is faster depends on the processor, and on one model even on the process
 * (bench/NOTES.md). The first runs alternate between both and are timed; the bits are the same. */
typedef struct trial {
    _Atomic int64_t runs, shortest[2]; /* [variant: 1 is the pipeline] number of runs, shortest time in ns */
} trial;

struct situ_row_kernel {
    int nstage, nlocal, naddress; /* naddress: over all stages */
    int64_t rows, chunk;          /* number of rows, and rows of a chunk */
    int64_t local[SITU_ROW_LOCALS];
    size_t offset[SITU_ROW_LOCALS], frames, bytes; /* in the scratch memory: of local values, of frames */
    double cost;
    situ_pipeline *pipeline; /* NULL: one stage after the other */
    trial trial;             /* only with a pipeline */
    stage stage[SITU_ROW_STAGES];
};

typedef struct launch {
    const situ_row_kernel *program;
    char *const *address;
    const uint64_t *argument;
    situ_fault *fault;
    int64_t per_task; /* in rows */
    bool side_by_side;
} launch;

/* ---------------------------------------------------------------- compiling */

/* Number of a stage's results, whose addresses come first. */
static int results(const situ_stage *s) { return s->group->nstore + (s->group->reduction >= 0); }

static int64_t row_bytes(const situ_fused *g, int64_t length)
{
    size_t most = 4;
    for (int i = 0; i < g->nload; i++)
        if (situ_dtype_size(g->load[i].dtype) > most) most = situ_dtype_size(g->load[i].dtype);
    return length * (int64_t)most;
}

/* Number of addresses of stages first..end-1 with this memory. */
static int uses(const situ_row_program *w, int first, int end, int16_t memory)
{
    int n = 0;
    for (int i = first; i < end; i++)
        for (int j = 0; j < w->stage[i].naddress; j++) n += w->stage[i].memory[j] == memory;
    return n;
}

static bool is_made_here(const situ_row_program *w, int16_t memory)
{
    for (int i = 0; i < w->nstage; i++)
        for (int j = 0, n = results(&w->stage[i]); j < n; j++)
            if (w->stage[i].memory[j] == memory) return true;
    return false;
}

/* Finds local values and values that another stage reads, which stay in the cache with the current rows. */
static situ_neighbours neighbours_of(const situ_row_kernel *p, const situ_row_program *w, int i)
{
    const situ_stage *s = &w->stage[i];
    situ_neighbours n = {.rows = p->chunk, .length = s->length};
    for (int k = 0; k < s->group->nstore; k++)
        if (s->address[k] < 0 || uses(w, 0, w->nstage, s->memory[k]) > 1) n.near |= (uint64_t)1 << k;
    for (int k = results(s); k < s->naddress; k++)
        if (s->address[k] >= 0 && !uses(w, i + 1, w->nstage, s->memory[k]) && !is_made_here(w, s->memory[k]))
            n.ahead |= (uint64_t)1 << (k - results(s));
    return n;
}

static int add_stage(situ_row_kernel *p, const situ_row_program *w, int i)
{
    const situ_stage *from = &w->stage[i];
    stage *s = &p->stage[p->nstage++];
    *s = (stage){.naddress = from->naddress, .word = from->word, .length = from->length};
    s->address = situ_malloc((size_t)from->naddress * sizeof *s->address + 1);
    situ_neighbours others = neighbours_of(p, w, i);
    s->program = s->address ? situ_fused_compile(from->group, &others) : NULL;
    if (!s->program) return -1;
    memcpy(s->address, from->address, (size_t)from->naddress * sizeof *s->address);
    p->naddress += from->naddress;
    p->cost += (double)s->program->cost * (double)s->program->count;
    return 0;
}

static size_t lines(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

/* Distance between rows of a local value: padded, so that rows do not map to the same cache sets. */
static size_t local_step(const situ_row_kernel *p, int local)
{
    return p->pipeline ? lines((size_t)p->local[local]) + 192 : (size_t)p->local[local];
}

/* Lays out a task's scratch memory: slots of the programs, local values, frames with their addresses. */
static void measure(situ_row_kernel *p)
{
    int64_t kept = p->pipeline ? situ_pipeline_delay(p->pipeline, -1) + 1 : 0;
    p->bytes = 0;
    for (int i = 0; i < p->nstage; i++) p->bytes += lines(p->stage[i].program->bytes) + 192;
    for (int i = 0; i < p->nlocal; i++) {
        p->offset[i] = p->bytes;
        size_t side_by_side = local_step(p, i) * (size_t)kept, in_turn = (size_t)(p->local[i] * p->chunk);
        /* Regions 4 KiB apart would map to the same cache sets. */
        p->bytes += lines(side_by_side > in_turn ? side_by_side : in_turn) + 192;
    }
    p->frames = p->bytes;
    p->bytes += (size_t)p->nstage * (lines(sizeof(situ_tile_frame)) + lines(sizeof(situ_fused_launch))) +
        (size_t)p->naddress * sizeof(char *);
}

situ_row_kernel *situ_row_program_compile(const situ_row_program *from)
{
    situ_row_kernel *p = situ_calloc(1, sizeof *p);
    int64_t longest = 1;
    bool failed = !p;
    for (int i = 0; i < from->nstage; i++) {
        int64_t bytes = row_bytes(from->stage[i].group, from->stage[i].length);
        if (bytes > longest) longest = bytes;
    }
    if (p) p->chunk = longest >= CHUNK_BYTES ? 1 : CHUNK_BYTES / longest;
    for (int i = 0; i < from->nstage && !failed; i++) failed = add_stage(p, from, i);
    if (failed) {
        if (!situ_error_code) situ_fail(SITU_NO_MEMORY, NULL, "no memory for a row program of %d groups", from->nstage);
        situ_row_program_free(p);
        return NULL;
    }
    p->rows = from->rows;
    p->nlocal = from->nlocal;
    memcpy(p->local, from->local, sizeof p->local);
    situ_program *program[SITU_ROW_STAGES];
    for (int i = 0; i < p->nstage; i++) program[i] = p->stage[i].program;
    p->pipeline = situ_pipeline_compile(from, program);
    measure(p);
    return p;
}

void situ_row_program_free(situ_row_kernel *p)
{
    for (int i = 0; p && i < p->nstage; i++) {
        situ_free(p->stage[i].program);
        situ_free(p->stage[i].address);
    }
    if (p) situ_free(p->pipeline);
    situ_free(p);
}

/* ---------------------------------------------------------------- running */

typedef struct lane { /* a stage in a task */
    situ_tile_frame *frame;
    situ_fused_launch *launch;
    char **address;
} lane;

/* Sets the addresses of stage i's local values as if all previous rows were stored, too: row `row` is the k-th in
 * memory. */
static void bind(const launch *w, lane *at, int i, char *base, int64_t row, int64_t k)
{
    const situ_row_kernel *p = w->program;
    const stage *s = &p->stage[i];
    for (int j = 0; j < s->naddress; j++) {
        int local = -1 - s->address[j];
        if (local < 0) at[i].address[j] = w->address[s->address[j]];
        else
            at[i].address[j] = (char *)((uintptr_t)base + p->offset[local] + (uintptr_t)k * local_step(p, local) -
                (uintptr_t)(row * p->local[local]));
    }
}

static void open_lanes(const launch *w, lane *at, char *base, int64_t row)
{
    const situ_row_kernel *p = w->program;
    char *slots = base, *frames = base + p->frames, *launches = frames + (size_t)p->nstage * lines(sizeof(situ_tile_frame));
    char **address = (char **)(void *)(launches + (size_t)p->nstage * lines(sizeof(situ_fused_launch)));
    for (int i = 0; i < p->nstage; i++) {
        at[i].frame = (situ_tile_frame *)(void *)(frames + (size_t)i * lines(sizeof(situ_tile_frame)));
        at[i].launch = (situ_fused_launch *)(void *)(launches + (size_t)i * lines(sizeof(situ_fused_launch)));
        at[i].address = address;
        address += p->stage[i].naddress;
    }
    for (int i = 0; i < p->nstage; i++) {
        const stage *s = &p->stage[i];
        bind(w, at, i, base, row, 0);
        *at[i].launch = (situ_fused_launch){.program = s->program,
            .address = at[i].address,
            .argument = w->argument + s->word,
            .fault = w->fault,
            .indirect = situ_find_indirect(s->program, at[i].address),
            .per_task = 1,
            .chunks = 1};
        situ_tile_frame_open_at(at[i].frame, at[i].launch, slots);
        slots += lines(s->program->bytes) + 192;
    }
}

static void run_stage(const launch *w, lane *at, int i, int64_t row, int64_t end)
{
    const stage *s = &w->program->stage[i];
    if (s->program->reduction < 0) situ_tile_frame_span(at[i].frame, row * s->length, end * s->length);
    else situ_tile_frame_rows(at[i].frame, at[i].launch, row, end);
}

/* Takes a few rows through all stages, one stage after the other. */
static void run_chunks(const launch *w, lane *at, char *base, int64_t row, int64_t end)
{
    const situ_row_kernel *p = w->program;
    for (int64_t next; row < end; row = next) {
        next = end - row < p->chunk ? end : row + p->chunk;
        for (int i = 0; i < p->nstage; i++) {
            bind(w, at, i, base, row, 0);
            run_stage(w, at, i, row, next);
        }
    }
}

static void open_pipeline(const launch *w, const lane *at, char *base, situ_pipeline_task *t)
{
    const situ_row_kernel *p = w->program;
    const situ_tile_frame *frame[SITU_ROW_STAGES];
    int n = 0;
    for (int i = 0; i < p->nstage; i++) {
        frame[i] = at[i].frame;
        for (int j = 0; j < p->stage[i].naddress; j++) {
            int local = -1 - p->stage[i].address[j];
            if (local < 0) t->source[n++] = (situ_source){w->address[p->stage[i].address[j]], 0, false};
            else t->source[n++] = (situ_source){base + p->offset[local], (int64_t)local_step(p, local), true};
        }
    }
    situ_pipeline_open(p->pipeline, t, frame);
}

/* Runs the pipeline. While it fills and drains, some stages are idle. */
static bool run_pipeline(const launch *w, lane *at, char *base, int64_t row, int64_t end)
{
    const situ_row_kernel *p = w->program;
    situ_pipeline_task t;
    for (int i = 0; i < p->nstage; i++)
        if (at[i].launch->indirect) return false;
    if (!w->side_by_side) return false;
    open_pipeline(w, at, base, &t);
    int deepest = situ_pipeline_delay(p->pipeline, -1);
    for (int64_t first = row; row < end + deepest; row++) {
        bool all = row >= first + deepest && row < end;
        for (int i = 0; i < p->nstage; i++) {
            int64_t mine = row - situ_pipeline_delay(p->pipeline, i);
            if (mine < first || mine >= end || (all && !situ_pipeline_apart(p->pipeline, i))) continue;
            bind(w, at, i, base, mine, mine % (deepest + 1));
            run_stage(w, at, i, mine, mine + 1);
        }
        if (all) situ_pipeline_row(p->pipeline, &t, row);
    }
    return true;
}

static void run_task(void *context, int64_t index)
{
    const launch *w = context;
    const situ_row_kernel *p = w->program;
    int64_t row = index * w->per_task, end = row + w->per_task;
    lane at[SITU_ROW_STAGES];
    char *base = situ_scratch(p->bytes);
    if (!base) {
        situ_fault_set(w->fault, SITU_NO_MEMORY, (int64_t)p->bytes, 0);
        return;
    }
    if (end > p->rows) end = p->rows;
    open_lanes(w, at, base, row);
    if (!run_pipeline(w, at, base, row, end)) run_chunks(w, at, base, row, end);
    for (int i = 0; i < p->nstage; i++) situ_drain(at[i].frame);
}

static bool is_side_by_side(const situ_row_kernel *p)
{
    if (!p->pipeline) return false;
    int64_t run = p->trial.runs;
    return run < 2 * TRIALS ? run % 2 == 0 : p->trial.shortest[1] <= p->trial.shortest[0];
}

static void note(situ_row_kernel *p, bool side_by_side, int64_t ns)
{
    _Atomic int64_t *shortest = &p->trial.shortest[side_by_side];
    if (!*shortest || ns < *shortest) *shortest = ns;
    p->trial.runs++;
}

void situ_row_program_run(situ_row_kernel *p, char *const *address, const uint64_t *argument, situ_fault *fault, bool parallel)
{
    launch w = {.program = p, .address = address, .argument = argument, .fault = fault};
    int64_t chunks = (p->rows + p->chunk - 1) / p->chunk, tasks = 1;
    if (parallel && situ_fused_is_large(p->cost)) tasks = (int64_t)situ_pool_width() * TASKS_PER_THREAD;
    if (tasks > chunks) tasks = chunks;
    w.per_task = (chunks + tasks - 1) / tasks * p->chunk;
    tasks = (p->rows + w.per_task - 1) / w.per_task;
    bool is_trial = p->pipeline && p->trial.runs < 2 * TRIALS;
    int64_t start = is_trial ? situ_now() : 0;
    w.side_by_side = is_side_by_side(p);
    if (tasks > 1) situ_pool_run(run_task, &w, tasks);
    else run_task(&w, 0);
    if (is_trial) note(p, w.side_by_side, situ_now() - start);
}
