/* Runs a row program as a pipeline: each stage is a few rows behind the previous stage. While exponentials of a row
 * are computed, the next row is read and the previous one written. The chains of all stages become one chain, so that
 * arithmetic overlaps with memory access. Reductions keep their 64 lanes in memory between links. Every element is
 * computed, and every lane summed, as when the stages run one after the other. */
#include "backend/cpu/interpreter/pipeline.h"

#include "base/memory.h"

#include <string.h>

enum {
    LEAST_ROW = 512,       /* least elements of a row, because all locations are set again for each row */
    MOST_ROW = 8192,       /* most elements, so that a few rows of each stage fit into the second-level cache */
    LEAST_BYTES = 2 << 20, /* of all rows: for data in a cache the setup does not pay */
    MOST_LINKS = 96,
    MOST_MOVES = 48,
    MOST_SPREADS = 16
};

/* A location that moves from row to row, or the source of a value that is constant along a row. */
typedef struct move {
    uint16_t place, source; /* indices among those of all stages */
    uint8_t stage, size;
    int8_t load; /* its rows are laid out like this load's; -1: contiguous */
    bool even;   /* all rows are `step` bytes apart */
    int64_t step;
} move;

typedef struct reducing {
    int stage, place;
    uint16_t source; /* index of the result's source */
    float neutral;
} reducing;

struct situ_pipeline {
    int nstage, nlink, nmove, nspread, nreduction, deepest;
    int64_t length; /* elements of a row */
    const situ_chains *chains;
    const situ_program *program[SITU_ROW_STAGES];
    int delay[SITU_ROW_STAGES];  /* [stage] rows that it is behind the first stage */
    int first[SITU_ROW_STAGES];  /* [stage] its first source */
    int place[SITU_ROW_STAGES];  /* [stage] its first location */
    bool apart[SITU_ROW_STAGES]; /* [stage] run by the caller, since it computes one value for a row */
    reducing reduction[SITU_PIPELINE_REDUCTIONS];
    move move[MOST_MOVES], spread[MOST_SPREADS];
    situ_link link[MOST_LINKS];
};

/* ---------------------------------------------------------------- compiling */

/* Does the stage consist only of chains and of values that are constant along a row? */
static bool chains_only(const situ_program *p)
{
    for (int k = 0; k < p->nbody; k++) {
        const situ_tile_step *s = &p->body[k];
        if (s->kind == SITU_TILE_STEP_CHAIN) k += (int)s->q;
        else if (s->kind != SITU_TILE_STEP_SPREAD || s->dtype != SITU_F32 || s->from != SITU_F32) return false;
    }
    return true;
}

static bool fits(const situ_pipeline *l, const situ_program *p, int64_t rows)
{
    bool reductions = p->reduction >= 0, plain = !p->nbody && !p->nprologue; /* a reduction of an unchanged operand */
    if (p->count != rows * l->length || p->half || p->copy || (p->row && p->row != l->length) || !chains_only(p)) return false;
    if (reductions && (p->C != 1 || p->R != l->length || p->reduce_dtype != SITU_F32 || !l->chains->reduction[p->reduction]))
        return false;
    if (reductions && p->reduce_tile != situ_reduce_get((situ_reduce_kind)p->reduction, SITU_F32))
        return false; /* sums of squares are refused: the lanes would be squared again */
    return p->nbody || (plain && reductions && p->place[p->reduce_place].address >= 0 && !p->place[p->reduce_place].store);
}

static move move_of(const situ_pipeline *l, const situ_program *p, int i, int place, int address, uint8_t size, int load)
{
    int64_t step = l->length * size;
    bool even = load < 0 || situ_rows_are_even(p, load, &step);
    return (move){(uint16_t)(l->place[i] + place), (uint16_t)(l->first[i] + address), (uint8_t)i, size, (int8_t)load, even, step};
}

/* The delay of stage i: it must stay behind every stage whose results it reads. */
static int delay_of(const situ_pipeline *l, const situ_stage *stage, int i)
{
    int delay = i ? l->delay[i - 1] : 0;
    for (int j = 0; j < i; j++)
        for (int k = 0; k < l->program[j]->nstore + (l->program[j]->reduction >= 0); k++)
            for (int m = 0; m < stage[i].naddress; m++)
                if (stage[i].memory[m] == stage[j].memory[k] && delay <= l->delay[j]) delay = l->delay[j] + 1;
    return delay;
}

/* Appends the links of a chain without its end. Returns the last one, or NULL if there are too many. */
static const situ_link *add_chain(situ_pipeline *l, const situ_link *from, int base)
{
    for (; from->run != l->chains->end; from++) {
        if (l->nlink + 4 > MOST_LINKS) return NULL;
        situ_link *to = &l->link[l->nlink++];
        *to = *from;
        to->a = (uint16_t)(to->a + base);
        bool far = to->run == l->chains->load_far;
        if (!far) to->b = (uint16_t)(to->b + base);
        else if (base) to->run = l->chains->load; /* the first stage has prefetched it */
    }
    return from - 1;
}

static bool add_body(situ_pipeline *l, const situ_program *p, int i, const situ_link **last)
{
    for (int k = 0; k < p->nbody; k++) {
        const situ_tile_step *s = &p->body[k];
        if (s->kind == SITU_TILE_STEP_CHAIN) {
            if (!(*last = add_chain(l, p->link + s->p, l->place[i]))) return false;
            k += (int)s->q;
            continue;
        }
        if (l->nspread == MOST_SPREADS) return false;
        l->spread[l->nspread++] = move_of(l, p, i, s->out, s->a, 4, s->b);
    }
    return true;
}

static bool add_reduce(situ_pipeline *l, const situ_program *p, int i, const situ_link *last)
{
    if (l->nreduction == SITU_PIPELINE_REDUCTIONS || l->nlink + 3 > MOST_LINKS) return false;
    reducing *f = &l->reduction[l->nreduction];
    *f = (reducing){.stage = i, .place = SITU_PIPELINE_PLACES - 1 - l->nreduction++, .source = (uint16_t)(l->first[i] + p->nstore)};
    situ_reduce_neutral((situ_reduce_kind)p->reduction, SITU_F32, &f->neutral, 1);
    if (!last || last->run != l->chains->save || last->a != p->reduce_place)
        l->link[l->nlink++] = (situ_link){.run = l->chains->load_far,
            .b = SITU_PAGE_LINES,
            .a = (uint16_t)(l->place[i] + p->reduce_place),
            .stride_a = p->place[p->reduce_place].fixed ? 0 : SITU_STRIDED};
    l->link[l->nlink++] = (situ_link){.run = l->chains->reduction[p->reduction], .a = (uint16_t)f->place};
    return true;
}

static bool add_moves(situ_pipeline *l, const situ_program *p, int i)
{
    if (l->nmove + p->nmoving > MOST_MOVES) return false;
    for (int k = 0; k < p->nmoving; k++) {
        const situ_tile_place *m = &p->place[p->moving[k]];
        l->move[l->nmove++] = move_of(l, p, i, p->moving[k], m->address, m->size, m->load - 1);
    }
    return true;
}

static bool add_stage(situ_pipeline *l, const situ_row_program *w, const situ_program *p, int i)
{
    const situ_link *last = NULL;
    l->program[i] = p;
    l->delay[i] = l->deepest = delay_of(l, w->stage, i);
    l->first[i] = i ? l->first[i - 1] + w->stage[i - 1].naddress : 0;
    l->place[i] = i ? l->place[i - 1] + l->program[i - 1]->nplace : 0;
    if (l->first[i] + w->stage[i].naddress > SITU_PIPELINE_SOURCES ||
        l->place[i] + p->nplace + SITU_PIPELINE_REDUCTIONS > SITU_PIPELINE_PLACES)
        return false;
    if ((l->apart[i] = w->stage[i].length == 1 && p->reduction < 0)) return true;
    return w->stage[i].length == l->length && fits(l, p, w->rows) && add_body(l, p, i, &last) &&
        (p->reduction < 0 || add_reduce(l, p, i, last)) && add_moves(l, p, i);
}

/* Softmax: replaces these six links by one fused link, unless the next link uses the quotient. */
static void join_links(situ_pipeline *l)
{
    const situ_chains *c = l->chains;
    const situ_link_fn six[] = {c->op[SITU_EL_exp][SITU_LINK_A], c->save, c->reduction[SITU_REDUCE_SUM], c->load,
        c->op[SITU_EL_div][SITU_LINK_A], c->stream};
    enum { SIX = sizeof six / sizeof *six };
    for (int k = 0, same; k + SIX < l->nlink; k++) {
        for (same = 0; same < SIX && l->link[k + same].run == six[same]; same++) {}
        situ_link_fn next = l->link[k + SIX].run;
        if (same == SIX && (next == c->end || next == c->load || next == c->load_far)) l->link[k].run = c->exp_beside_quotient;
    }
}

situ_pipeline *situ_pipeline_compile(const situ_row_program *w, situ_program *const *program)
{
    situ_pipeline l = {.chains = situ_tiles_best()->chains, .length = w->stage[0].length, .nstage = w->nstage};
    if (!l.chains || w->rows * l.length * 4 < LEAST_BYTES || l.length < LEAST_ROW || l.length > MOST_ROW ||
        l.length % l.chains->block)
        return NULL;
    for (int i = 0; i < w->nstage; i++)
        if (!add_stage(&l, w, program[i], i)) return NULL;
    l.link[l.nlink++] = (situ_link){.run = l.chains->end};
    join_links(&l);
    situ_pipeline *out = situ_malloc(sizeof l); /* without memory the stages run one after the other */
    if (out) *out = l;
    return out;
}

int situ_pipeline_delay(const situ_pipeline *l, int stage) { return stage < 0 ? l->deepest : l->delay[stage]; }
bool situ_pipeline_apart(const situ_pipeline *l, int stage) { return l->apart[stage]; }

/* ---------------------------------------------------------------- running */

void situ_pipeline_open(const situ_pipeline *l, situ_pipeline_task *t, const situ_tile_frame *const *frame)
{
    for (int i = 0; i < l->nstage; i++)
        memcpy(t->place + l->place[i], frame[i]->place, (size_t)l->program[i]->nplace * sizeof *t->place);
    for (int k = 0; k < l->nreduction; k++) t->place[l->reduction[k].place] = (char *)t->lanes[k];
}

/* A row of a stage, and its index in ring buffers. */
typedef struct at_row {
    int64_t row, slot;
} at_row;

static char *row_of(const situ_pipeline *l, const situ_pipeline_task *t, const move *m, const at_row *at)
{
    const situ_source *s = &t->source[m->source];
    if (s->ring) return s->start + at->slot * s->step;
    return s->start + (m->even ? at->row * m->step : situ_row_offset(l->program[m->stage], m->load, at->row * l->length));
}

static void finish(const situ_pipeline *l, situ_pipeline_task *t, int k, int64_t blocks, const at_row *at)
{
    const reducing *f = &l->reduction[k];
    const situ_program *p = l->program[f->stage];
    const situ_source *s = &t->source[f->source];
    float *partial = t->partial[k];
    char *to = s->start + (s->ring ? at->slot * s->step : at->row * p->out_size);
    if (blocks > 1) situ_reduce_blocks((situ_reduce_kind)p->reduction, SITU_F32, partial, blocks, partial);
    if (p->reduce_convert) p->reduce_convert(to, partial, 1);
    else memcpy(to, partial, sizeof *partial);
}

void situ_pipeline_row(const situ_pipeline *l, situ_pipeline_task *t, int64_t row)
{
    char *start[MOST_MOVES];
    at_row at[SITU_ROW_STAGES];
    int64_t first = row % (l->deepest + 1);
    for (int i = 0; i < l->nstage; i++)
        at[i] = (at_row){row - l->delay[i], first - l->delay[i] + (first < l->delay[i] ? l->deepest + 1 : 0)};
    for (int k = 0; k < l->nmove; k++) start[k] = row_of(l, t, &l->move[k], &at[l->move[k].stage]);
    for (int k = 0; k < l->nspread; k++) {
        const move *m = &l->spread[k];
        float value;
        memcpy(&value, row_of(l, t, m, &at[m->stage]), sizeof value);
        l->chains->fill((float *)(void *)t->place[m->place], value, l->chains->block);
    }
    int64_t blocks = 0;
    for (int64_t done = 0; done < l->length; done += SITU_TILE, blocks++) {
        int n = (int)(l->length - done < SITU_TILE ? l->length - done : SITU_TILE);
        for (int k = 0; k < l->nmove; k++) t->place[l->move[k].place] = start[k] + done * l->move[k].size;
        for (int k = 0; k < l->nreduction; k++) l->chains->fill(t->lanes[k], l->reduction[k].neutral, SITU_PIPELINE_LANES);
        l->chains->run(l->link, t->place, 0, n);
        for (int k = 0; k < l->nreduction; k++)
            l->program[l->reduction[k].stage]->reduce_tile(&t->partial[k][blocks], t->lanes[k], SITU_PIPELINE_LANES);
    }
    for (int k = 0; k < l->nreduction; k++) finish(l, t, k, blocks, &at[l->reduction[k].stage]);
}
