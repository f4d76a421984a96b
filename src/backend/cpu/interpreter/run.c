/* Runs a program tile by tile, with the state of a task. */
#include "backend/cpu/interpreter/group.h"

#include "backend/cpu/scratch.h"
#include "numeric/threefry_blocks.h"
#include "base/pool.h"

#include <string.h>

enum { TASKS_PER_THREAD = 32 };

/* ---------------------------------------------------------------- steps */

static void run_random(const situ_tile_frame *f, const situ_tile_step *s, void *out, int64_t first, int n)
{
    uint32_t words[2], *high = (uint32_t *)(void *)f->extra + s->b * SITU_TILE;
    memcpy(words, f->address[s->a], sizeof words);
    if (f->pair == SITU_LOW) situ_threefry_pairs32(out, high, words, (uint64_t)first, n, (uint64_t)s->q);
    else if (f->pair == SITU_HIGH) memcpy(out, high, (size_t)n * sizeof *high);
    else if (s->dtype == SITU_U64) situ_threefry_bits64(out, words, (uint64_t)first, n, (uint64_t)s->q, (int)s->p);
    else situ_threefry_bits32(out, words, (uint64_t)first, n, (uint64_t)s->q, (int)s->p);
}

static void run_gather(const situ_tile_frame *f, const situ_tile_step *s, char *out, int64_t first, int64_t n)
{
    const situ_program *p = f->program;
    const situ_gathered *g = &p->gathered[s->b];
    const char *in = f->address[s->a];
    if (!s->q || f->pair != SITU_ALONE) {
        situ_strided_read(out, in, s->p, g->ndim, g->dim, g->stride, first, n);
        return;
    }
    situ_panel *panel = (situ_panel *)(void *)f->place[s->c];
    char *elements = f->place[s->c] + SITU_LINE;
    for (int64_t size = s->q * g->dim[g->ndim - 1], k; n > 0; n -= k, first += k, out += k * s->p) {
        if (first < panel->begin || first >= panel->end) {
            panel->begin = first / size * size;
            panel->end = p->count - panel->begin < size ? p->count : panel->begin + size;
            situ_strided_read(elements, in, s->p, g->ndim, g->dim, g->stride, panel->begin, panel->end - panel->begin);
        }
        k = panel->end - first < n ? panel->end - first : n;
        memcpy(out, elements + (first - panel->begin) * s->p, (size_t)(k * s->p));
    }
}

static void open_panels(situ_tile_frame *f)
{
    const situ_program *p = f->program;
    for (int i = 0; i < p->nbody && p->panels; i++)
        if (p->body[i].kind == SITU_TILE_STEP_GATHER && p->body[i].q)
            *(situ_panel *)(void *)f->place[p->body[i].c] = (situ_panel){0, 0};
}

static inline float argument_f32(uint64_t word)
{
    double real;
    memcpy(&real, &word, sizeof real);
    return (float)real;
}

bool situ_rows_are_even(const situ_program *p, int load, int64_t *step)
{
    const situ_gathered *g = &p->gathered[load];
    *step = g->stride[0];
    return g->ndim == 2 && g->dim[1] == p->row;
}

int64_t situ_row_offset(const situ_program *p, int load, int64_t first)
{
    const situ_gathered *g = &p->gathered[load];
    int last = g->ndim - 1;
    int64_t row = first / p->row, step;
    if (situ_rows_are_even(p, load, &step)) return row * step;
    int64_t position = row * p->row, offset = position % g->dim[last] * g->stride[last];
    for (int i = last; i-- > 0;) {
        position /= g->dim[i + 1];
        offset += position % g->dim[i] * g->stride[i];
    }
    return offset;
}

static void run_spread(const situ_tile_frame *f, const situ_tile_step *s, char *out, int64_t first, int n)
{
    const situ_program *p = f->program;
    const char *element = f->address[s->a] + situ_row_offset(p, s->b, first);
    if (p->chains && (!s->q || n < p->chains->block)) n = p->chains->block;
    if (!p->chains || s->dtype != SITU_F32 || s->from != SITU_F32) {
        situ_tile_step_fill(s, out, element, n);
        return;
    }
    float value;
    memcpy(&value, element, sizeof value);
    p->chains->fill((float *)(void *)out, value, n);
}

static void run_iota(const situ_tile_frame *f, const situ_tile_step *s, char *out, int64_t first, int n)
{
    const situ_program *p = f->program;
    bool floats = p->chains && s->dtype == SITU_F32 && s->p == 1 && s->q >= p->count && first < INT32_MAX - SITU_TILE;
    int counted = floats && s->b ? n - n % p->chains->block : 0;
    if (!floats) situ_tile_step_iota(s, out, first, n);
    else p->chains->iota((float *)(void *)out + counted, (int)first + counted, n - counted);
    if (counted) *(float *)(void *)f->place[s->b] = (float)first;
}

#define ONE(op) *(float *)(void *)out = *(float *)(void *)place[s->a] op * (float *)(void *)place[s->b];

static void run_steps(situ_tile_frame *f, const situ_tile_step *s, int count, int64_t first, int n);

/* Runs the steps of a chain for the positions of a tile from `done` on. */
static void run_rest(situ_tile_frame *f, const situ_tile_step *s, int count, int done, int64_t first, int n)
{
    const situ_program *p = f->program;
    for (int i = 0; i < p->nplace; i++) f->place[i] += p->place[i].fixed ? 0 : done * p->place[i].size;
    run_steps(f, s, count, first + done, n - done);
    for (int i = 0; i < p->nplace; i++) f->place[i] -= p->place[i].fixed ? 0 : done * p->place[i].size;
}

/* Number of elements between the start of the cache line and this address. */
static int behind_line(const char *at) { return (int)((uintptr_t)at % SITU_LINE / 4); }

/* Runs whole blocks, aligned to cache lines of the result, and partial blocks at both ends; elements at the end are
 * computed twice. */
static void stream_chain(const situ_tile_frame *f, const situ_tile_step *s, int n)
{
    const situ_chains *c = f->program->chains;
    const situ_link *chain = f->program->link + s->p;
    int before = -behind_line(f->place[f->program->stream]) & (SITU_LINE / 4 - 1), rest = (n - before) % c->block;
    if (before) c->part(chain, f->place, 0, 0, before);
    c->run(chain, f->place, before, n - rest);
    if (rest) c->part(chain, f->place, n - c->block, c->block - rest, c->block);
}

/* Runs a chain. Returns the number of steps that it replaces. */
static int64_t run_chain(situ_tile_frame *f, const situ_tile_step *s, int64_t first, int n)
{
    const situ_program *p = f->program;
    int whole = n - n % p->chains->block;
    if (!whole) return 0;
    if (s->b) {
        stream_chain(f, s, n);
        return s->q;
    }
    p->chains->run(p->link + s->p, f->place, 0, whole);
    if (whole < n) run_rest(f, s + 1, (int)s->q, whole, first, n);
    return s->q;
}

/* Number of elements to fill; chains read at most a block of a constant value. */
static inline int filled(const situ_tile_frame *f, bool block, int n)
{
    return block && n > f->program->chains->block ? f->program->chains->block : n;
}

static void run_steps(situ_tile_frame *f, const situ_tile_step *s, int count, int64_t first, int n)
{
    char **place = f->place;
    for (const situ_tile_step *end = s + count; s < end; s++) {
        char *out = place[s->out];
        switch ((situ_tile_step_kind)s->kind) {
        case SITU_TILE_STEP_ELEMENT: s->run.element(out, place[s->a], place[s->b], place[s->c], n); break;
        case SITU_TILE_STEP_CHAIN: s += run_chain(f, s, first, n); break;
        case SITU_TILE_STEP_CONVERT: s->run.convert(out, place[s->a], n); break;
        case SITU_TILE_STEP_COPY:
            if (s->store && !situ_is_indirect(f->indirect, s->store)) break;
            if (out != place[s->a]) memcpy(out, place[s->a], (size_t)n * (size_t)s->p);
            break;
        case SITU_TILE_STEP_GATHER: run_gather(f, s, out, first, n); break;
        case SITU_TILE_STEP_SPREAD:
            if (!f->same_row || s->q) run_spread(f, s, out, first, n);
            break;
        case SITU_TILE_STEP_FILL: situ_tile_step_fill(s, out, f->address[s->a], filled(f, s->p, n)); break;
        case SITU_TILE_STEP_ARGUMENT:
            if (n == 1 && s->dtype == SITU_F32 && s->b) *(float *)(void *)out = argument_f32(f->argument[s->a]);
            else situ_tile_step_argument(s, out, f->argument[s->a], filled(f, s->p, n));
            break;
        case SITU_TILE_STEP_IOTA: run_iota(f, s, out, first, n); break;
        case SITU_TILE_STEP_RANDOM: run_random(f, s, out, first, n); break;
        case SITU_TILE_STEP_ADD: ONE(+) break;
        case SITU_TILE_STEP_SUB: ONE(-) break;
        case SITU_TILE_STEP_MUL: ONE(*) break;
        case SITU_TILE_STEP_DIV: ONE(/) break;
        }
    }
}

void situ_tile_frame_open_at(situ_tile_frame *f, const situ_fused_launch *l, char *base)
{
    const situ_program *p = l->program;
    f->program = p;
    f->address = l->address;
    f->argument = l->argument;
    f->indirect = l->indirect;
    f->pair = SITU_ALONE;
    f->row = -1;
    f->extra = base + ((p->slots + 63) & ~(size_t)63);
    for (int i = 0; i < p->nplace; i++) f->place[i] = base + p->place[i].offset;
    if (p->nstream) memset(f->place[p->edges], 0, (size_t)p->nstream * sizeof(situ_edge));
    open_panels(f);
    run_steps(f, p->prologue, p->nprologue, 0, p->width);
}

bool situ_tile_frame_open(situ_tile_frame *f, const situ_fused_launch *l)
{
    size_t bytes = l->program->bytes;
    char *base = situ_scratch(bytes);
    if (base) situ_tile_frame_open_at(f, l, base);
    else situ_fault_set(l->fault, SITU_NO_MEMORY, (int64_t)bytes, 0);
    return base != NULL;
}

void situ_tile_frame_run(situ_tile_frame *f, int64_t first, int n)
{
    const situ_program *p = f->program;
    int64_t row = p->row ? first / p->row : 0;
    f->same_row = row == f->row;
    f->row = row;
    for (int i = 0; i < p->nmoving; i++) {
        int at = p->moving[i];
        const situ_tile_place *m = &p->place[at];
        if (m->load) f->place[at] = f->address[m->address] + situ_row_offset(p, m->load - 1, first) + first % p->row * m->size;
        else if (!situ_is_indirect(f->indirect, m->store)) f->place[at] = f->address[m->address] + first * m->size;
    }
    run_steps(f, p->body, p->nbody, first, n);
}

/* ---------------------------------------------------------------- elementwise */

void situ_tile_frame_span(situ_tile_frame *f, int64_t first, int64_t end)
{
    const situ_program *p = f->program;
    for (int n; first < end; first += n) {
        n = situ_tile_length(p, first, end);
        if (n == SITU_TILE && p->nstream) n -= behind_line(f->address[p->place[p->stream].address] + first * 4);
        situ_tile_frame_run(f, first, n);
    }
}

void situ_fused_tasks(situ_fused_launch *l, void (*task)(void *launch, int64_t index), int64_t count, bool parallel)
{
    if (parallel && count > 1) situ_pool_run(task, l, count);
    else
        for (int64_t i = 0; i < count; i++) task(l, i);
}

/* ---------------------------------------------------------------- reductions */

void situ_fused_result(const situ_fused_launch *l, int64_t at, const void *from, int64_t n)
{
    const situ_program *p = l->program;
    char *to = l->address[p->nstore] + at * p->out_size;
    if (p->reduce_convert) p->reduce_convert(to, from, n);
    else memcpy(to, from, (size_t)n * p->out_size);
}

void situ_fused_launch_cut(situ_fused_launch *l, int64_t units, bool parallel)
{
    int64_t tasks = parallel ? (int64_t)situ_pool_width() * TASKS_PER_THREAD : 1;
    l->units = units;
    if (tasks > units) tasks = units;
    l->per_task = (units + tasks - 1) / tasks;
}

bool situ_fused_launch_partials(situ_fused_launch *l)
{
    const situ_program *p = l->program;
    char *base = situ_scratch(p->bytes + p->partials);
    if (!base) situ_fault_set(l->fault, SITU_NO_MEMORY, (int64_t)(p->bytes + p->partials), 0);
    else l->partials = base + p->bytes;
    return base != NULL;
}

void situ_tree_push(situ_tree *t, char **partial)
{
    char *carry = *partial;
    int i = 0;
    for (; t->count >> i & 1; i++) {
        char *earlier = t->level[i];
        t->combine(earlier, carry, t->n);
        t->level[i] = carry;
        carry = earlier;
    }
    *partial = t->level[i];
    t->level[i] = carry;
    t->count++;
}

char *situ_tree_finish(situ_tree *t)
{
    int i = __builtin_ctzll(t->count);
    char *whole = t->level[i];
    for (uint64_t rest = t->count >> i >> 1; rest; rest >>= 1) {
        i++;
        if (!(rest & 1)) continue;
        t->combine(t->level[i], whole, t->n);
        whole = t->level[i];
    }
    return whole;
}

/* ---------------------------------------------------------------- launches */

uint64_t situ_find_indirect(const situ_program *p, char *const *address)
{
    uint64_t indirect = 0;
    for (int i = 0; i < p->nhazard; i++)
        if (address[p->hazard[i].store] == address[p->hazard[i].load]) indirect |= (uint64_t)1 << p->hazard[i].store;
    return indirect;
}
