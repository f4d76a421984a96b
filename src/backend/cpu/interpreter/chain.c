/* Chains: consecutive f32 steps of a body become links, which pass their values in registers. The original steps are
 * kept for the remainder of a tile after the last whole block. */
#include "backend/cpu/interpreter/builder.h"

#include "base/memory.h"

#include "tensor/dtype.h"

#include <string.h>

enum {
    LEAST = 2,
    MOST_STREAMS = 16,     /* so that their edge elements fit into a slot */
    LEAST_COUNT = 512,     /* so that a slot holds a block of any instruction set, even of bools */
    LEAST_FAR = 256 << 10, /* bytes of an operand that is larger than the near caches */
    MOST_AHEAD = 4096,     /* in cache lines: a second-level cache holds them besides what is being processed */
    MOST_COUNTED = 1 << 24 /* f32 represents positions up to this one exactly */
};

/* where(position == number, value, x); positions count from the number at location `from` on. All fields are
 * locations; from 0: another kind of step. */
typedef struct choice_pin {
    uint16_t from, number;
} choice_pin;

typedef struct chainer {
    situ_builder *b;
    situ_program *p;
    bool fits[SITU_FUSED_STEPS];         /* [step] can be done by links */
    int segment[SITU_FUSED_STEPS];       /* [step] the first step of its segment, or -1 */
    int end[SITU_FUSED_STEPS];           /* [first step] end of the segment */
    bool uniform[SITU_FUSED_PLACES];     /* [location] filled before the body runs */
    bool spread[SITU_FUSED_PLACES];      /* [location] one value for each row */
    bool overwritten[SITU_FUSED_PLACES]; /* [location] written by a step whose values differ within a row */
    uint16_t counted[SITU_FUSED_PLACES]; /* [location] positions that links count in registers, from the number at this location on;
                                          * 0: none */
    choice_pin pin[SITU_FUSED_STEPS];    /* [step] for a choice by position */
    bool tests[SITU_FUSED_STEPS];        /* [step] only a choice by position needs this comparison, so no link computes it */
    int seen[SITU_FUSED_PLACES];         /* [location] the only segment that touches it, or NONE, MANY */
    situ_tile_step body[SITU_FUSED_STEPS];
    situ_link link[SITU_FUSED_LINKS];
    int nlink;
    int held; /* the location whose value is in registers, or -1 */
} chainer;

enum { NONE = -1, MANY = -2 };

static int arity(const situ_tile_step *s)
{
    if (s->kind == SITU_TILE_STEP_ELEMENT) return situ_el_rows[s->p].arity;
    return s->kind == SITU_TILE_STEP_CONVERT || s->kind == SITU_TILE_STEP_COPY;
}

static uint16_t operand(const situ_tile_step *s, int k) { return k == 0 ? s->a : k == 1 ? s->b : s->c; }

static int times_read(const situ_tile_step *s, uint16_t place)
{
    int n = 0;
    for (int k = 0; k < arity(s); k++) n += operand(s, k) == place;
    return n;
}

static bool gives_mask(const situ_tile_step *s)
{
    situ_el_kind kind = situ_el_rows[s->p].kind;
    return s->kind == SITU_TILE_STEP_ELEMENT && (kind == SITU_EL_COMPARE || kind == SITU_EL_EQUAL);
}

static bool takes_mask(const situ_tile_step *s)
{
    return s->kind == SITU_TILE_STEP_ELEMENT && situ_el_rows[s->p].kind == SITU_EL_SELECT;
}

static bool is_half(uint8_t dtype) { return dtype == SITU_F16 || dtype == SITU_BF16; }

/* A conversion from halves to f32, from f32 to halves, or a rounding of f32 to the precision of halves. */
enum { WIDENS, NARROWS, ROUNDS, NO_HALF };
static int half_step(const chainer *c, const situ_tile_step *s)
{
    if (s->kind != SITU_TILE_STEP_CONVERT) return NO_HALF;
    if (s->dtype == SITU_F32) return is_half(s->from) ? WIDENS : NO_HALF;
    if (s->from != SITU_F32 || !is_half(s->dtype)) return NO_HALF;
    return c->p->place[s->out].size == 4 ? ROUNDS : NARROWS;
}

static bool could_fit(const chainer *c, const situ_tile_step *s)
{
    const situ_chains *chains = c->b->tiles->chains;
    if (s->kind == SITU_TILE_STEP_COPY) return !s->store && s->p == 4;
    if (half_step(c, s) != NO_HALF) return true;
    return s->kind == SITU_TILE_STEP_ELEMENT && s->dtype == SITU_F32 && chains->op[s->p][0];
}

/* Does the reduction read this location after the body? */
static bool is_reduced(const chainer *c, uint16_t place) { return c->p->reduction >= 0 && c->p->reduce_place == place; }

/* True if a mask stays in registers: its comparison and all readers, including a reduction, are in one chain. */
static bool mask_stays(const chainer *c, int i)
{
    const situ_tile_step *body = c->p->body;
    uint16_t mask = body[i].out;
    if (c->p->place[mask].address >= 0 || c->uniform[mask]) return false;
    for (int k = i + 1; k < c->p->nbody; k++) {
        int reads = times_read(&body[k], mask);
        if (reads && (c->segment[k] != c->segment[i] || !takes_mask(&body[k]) || reads > 1 || body[k].a != mask)) return false;
        if (body[k].out == mask) return true;
    }
    return !is_reduced(c, mask);
}

/* Is the mask of this choice computed in the same segment? */
static bool mask_is_there(const chainer *c, int i)
{
    const situ_tile_step *body = c->p->body;
    for (int k = i; k-- > 0 && c->segment[k] == c->segment[i];)
        if (body[k].out == body[i].a) return gives_mask(&body[k]);
    return false;
}

static void find_segments(chainer *c)
{
    for (int i = 0, first = -1; i < c->p->nbody; i++) {
        if (!c->fits[i]) first = -1;
        else if (first < 0) first = i;
        c->segment[i] = first;
        if (first >= 0) c->end[first] = i + 1;
    }
}

/* True if a result is written by streaming stores, because it is too large for the cache: then its cache lines are not
 * read first. */
static bool streams(const chainer *c, uint16_t place)
{
    const situ_program *p = c->p;
    const situ_tile_place *at = &p->place[place];
    const situ_neighbours *neighbours = c->b->neighbours;
    if (p->reduction >= 0 || at->address < 0 || at->address >= p->nstore) return false;
    /* Halves are always stored after everything is read. */
    if (at->size != 2 && (!at->store || c->b->spoils[at->store - 1])) return false;
    if (neighbours && neighbours->near >> at->address & 1) return false;
    for (int i = 0; i < p->nbody; i++)
        if (times_read(&p->body[i], place)) return false;
    return p->count * at->size >= SITU_STREAM_BYTES;
}

static void find_steps(chainer *c)
{
    for (int i = 0; i < c->p->nbody; i++) c->fits[i] = could_fit(c, &c->p->body[i]);
    for (bool changed = true; changed;) {
        find_segments(c);
        changed = false;
        for (int i = 0; i < c->p->nbody && !changed; i++) {
            const situ_tile_step *s = &c->p->body[i];
            if (!c->fits[i] || (gives_mask(s) ? mask_stays(c, i) : !takes_mask(s) || mask_is_there(c, i))) continue;
            c->fits[i] = false;
            changed = true;
        }
    }
    for (int i = 0; i < c->p->nbody; i++) { /* drops chains too short to pay for the call */
        int first = c->segment[i], elements = 0, widened = 0;
        if (first != i) continue;
        for (int k = first; k < c->end[first]; k++) {
            const situ_tile_step *s = &c->p->body[k];
            elements += s->kind == SITU_TILE_STEP_ELEMENT || half_step(c, s) == NARROWS || half_step(c, s) == ROUNDS;
            widened += half_step(c, s) == WIDENS;
            elements += streams(c, s->out);
            /* The elements of a tile that need not be filled. */
            for (int j = 0; j < arity(s); j++) elements += c->spread[operand(s, j)];
        }
        for (int k = first; k < c->end[first] && (!elements || elements + widened < LEAST); k++) c->segment[k] = -1;
    }
}

static void touch(chainer *c, uint16_t place, int segment)
{
    int *seen = &c->seen[place];
    if (*seen == NONE && segment >= 0) *seen = segment;
    else if (segment < 0 || *seen != segment) *seen = MANY;
}

static bool only_chains_read(const chainer *c, uint16_t place)
{
    const situ_program *p = c->p;
    if (is_reduced(c, place)) return false;
    for (int k = 0; k < p->nprologue; k++)
        if (times_read(&p->prologue[k], place)) return false;
    for (int k = 0; k < p->nbody; k++)
        if (times_read(&p->body[k], place) && c->segment[k] < 0) return false;
    return true;
}

static bool needs_a_block(const chainer *c, uint16_t place) { return c->p->place[place].fixed && only_chains_read(c, place); }

/* Values used within one chain need memory only for a block, not for a tile. */
static void find_blocks(chainer *c)
{
    situ_program *p = c->p;
    for (int i = 0; i < p->nbody; i++) c->uniform[p->body[i].out] |= p->body[i].kind == SITU_TILE_STEP_SPREAD;
    for (int i = 0; i < p->nplace; i++) c->seen[i] = NONE;
    for (int i = 0; i < p->nbody; i++) {
        const situ_tile_step *s = &p->body[i];
        for (int k = 0; k < arity(s); k++) touch(c, operand(s, k), c->segment[i]);
        touch(c, s->out, c->segment[i]);
    }
    for (int i = 0; i < p->nplace; i++) {
        situ_tile_place *at = &p->place[i];
        bool alike = c->uniform[i] && !c->overwritten[i]; /* true if the body does not replace temporary values of the prologue */
        at->fixed = at->address < 0 && !at->store && (alike || (c->seen[i] >= 0 && !is_reduced(c, (uint16_t)i)));
    }
    for (int i = 0; i < p->nprologue; i++) {
        situ_tile_step *s = &p->prologue[i];
        if (s->kind == SITU_TILE_STEP_FILL || s->kind == SITU_TILE_STEP_ARGUMENT) s->p = needs_a_block(c, s->out);
    }
    for (int i = 0; i < p->nbody; i++)
        if (p->body[i].kind == SITU_TILE_STEP_SPREAD) p->body[i].q = !needs_a_block(c, p->body[i].out);
}

/* True for a constant of the whole tile, which is stored once. */
static bool is_alike(const chainer *c, uint16_t place)
{
    return c->uniform[place] && !c->overwritten[place] && c->p->place[place].fixed;
}

static bool goes_aside(const chainer *c, int i);

/* The location held in registers before step i of a segment, or -1. */
static int held_before(const chainer *c, int i)
{
    while (i && c->segment[i - 1] >= 0 && c->segment[i - 1] == c->segment[i] && c->tests[i - 1]) i--;
    if (!i || c->segment[i - 1] < 0 || c->segment[i - 1] != c->segment[i]) return -1;
    const situ_tile_step *s = &c->p->body[i - 1];
    return s->kind == SITU_TILE_STEP_COPY || half_step(c, s) == NARROWS || goes_aside(c, i - 1) ? s->a : s->out;
}

/* True for a square root whose operand is in registers and is read, instead of the root, by the next step. */
static bool goes_aside(const chainer *c, int i)
{
    const situ_tile_step *s = &c->p->body[i], *next = s + 1;
    if (s->kind != SITU_TILE_STEP_ELEMENT || (s->p != SITU_EL_sqrt && s->p != SITU_EL_pow_half)) return false;
    if (i + 1 >= c->p->nbody || c->segment[i + 1] != c->segment[i]) return false;
    return s->out != s->a && times_read(next, s->a) && !times_read(next, s->out) && held_before(c, i) == s->a &&
        !streams(c, s->out);
}

/* Do all readers of step i's result take it from the registers, which hold no other operand of them? */
static bool is_held_by_all(const chainer *c, int i)
{
    const situ_program *p = c->p;
    uint16_t place = p->body[i].out;
    for (int k = i + 1; k < p->nbody; k++) {
        const situ_tile_step *s = &p->body[k];
        int reads = times_read(s, place), held = held_before(c, k);
        if (reads && (c->segment[k] < 0 || (reads > 1 && arity(s) > 2))) return false;
        if (reads && held >= 0 && held != place && times_read(s, (uint16_t)held)) return false;
        if (s->out == place) return true; /* the location gets another value here */
    }
    return !is_reduced(c, place);
}

/* If chains count positions from the first of a tile, that number gets a location of its own, because a chain may
 * overwrite the step's location. */
static void find_counted(chainer *c)
{
    const situ_program *p = c->p;
    for (int i = 0; i < p->nbody && p->count <= MOST_COUNTED; i++) {
        situ_tile_step *s = &c->p->body[i];
        const situ_tile_place *at = &p->place[s->out];
        if (s->kind != SITU_TILE_STEP_IOTA || s->dtype != SITU_F32 || s->p != 1 || s->q < p->count || at->address >= 0 || at->store)
            continue;
        if (is_held_by_all(c, i)) s->b = situ_fused_place(c->b, (situ_tile_place){.address = -1, .size = 4, .fixed = true});
    }
}

/* If what step i reads at `location` is a position that links count, returns the location of the first number; 0: it
 * is not. */
static uint16_t position_at(const chainer *c, int i, uint16_t place)
{
    const situ_tile_step *body = c->p->body;
    while (i-- > 0)
        if (body[i].out == place) return body[i].kind == SITU_TILE_STEP_IOTA ? body[i].b : 0;
    return 0;
}

/* The only step that reads the mask of step i, or NONE. */
static int only_choice(const chainer *c, int i)
{
    const situ_tile_step *body = c->p->body;
    int choice = NONE;
    for (int k = i + 1; k < c->p->nbody; k++) {
        if (times_read(&body[k], body[i].out)) {
            if (choice != NONE) return NONE;
            choice = k;
        }
        if (body[k].out == body[i].out) break;
    }
    return choice;
}

/* Finds where(position == number, value, x), which changes a single element of x, so that most blocks need not test
 * it. */
static void find_tests(chainer *c)
{
    const situ_tile_step *body = c->p->body;
    for (int i = 0; i < c->p->nbody; i++) {
        if (c->segment[i] < 0 || body[i].kind != SITU_TILE_STEP_ELEMENT || body[i].p != SITU_EL_equal) continue;
        bool swapped = is_alike(c, body[i].a);
        uint16_t number = swapped ? body[i].a : body[i].b, from = position_at(c, i, swapped ? body[i].b : body[i].a);
        int choice = only_choice(c, i);
        if (!from || !is_alike(c, number) || choice == NONE || !is_alike(c, body[choice].b) || body[choice].c == body[i].out)
            continue;
        c->pin[choice] = (choice_pin){from, number};
        c->tests[i] = true;
    }
}

/* Is the result of step i read from memory? */
static bool must_be_saved(const chainer *c, int i)
{
    const situ_program *p = c->p;
    uint16_t out = p->body[i].out;
    if (p->place[out].address >= 0 || is_reduced(c, out)) return true;
    for (int k = i + 1; k < p->nbody; k++) {
        int reads = times_read(&p->body[k], out);
        if (reads && (c->segment[k] != c->segment[i] || held_before(c, k) != out || (reads > 1 && arity(&p->body[k]) > 2)))
            return true;
        if (p->body[k].out == out) return false;
    }
    return false;
}

/* Block size of a location. A mask has lanes of four bytes in registers and elements of one byte in its slot, so at
 * most one block of it exists. */
static int64_t walk_of(const chainer *c, int place)
{
    const situ_tile_place *at = &c->p->place[place];
    return at->fixed || at->size == 1 ? 0 : SITU_STRIDED;
}

static void add_link(chainer *c, situ_link_fn run, int a, int b)
{
    situ_link *l = &c->link[c->nlink++];
    *l = (situ_link){.run = run};
    if (a >= 0) l->a = (uint16_t)a, l->stride_a = walk_of(c, a);
    if (b >= 0) l->b = (uint16_t)b, l->stride_b = walk_of(c, b);
}

static void add_save(chainer *c, situ_tile_step *chain, uint16_t place)
{
    const situ_chains *chains = c->b->tiles->chains;
    situ_program *p = c->p;
    bool past = streams(c, place) && p->nstream < MOST_STREAMS;
    add_link(c, past ? chains->stream : chains->save, place, -1);
    if (!past) return;
    if (!p->nstream) {
        p->edges = situ_fused_place(c->b, (situ_tile_place){.address = -1, .size = 4});
        p->stream = place;
    }
    chain->b = 1;
    c->link[c->nlink - 1].b = p->edges;
    c->link[c->nlink - 1].stride_b = p->nstream++ * (int64_t)sizeof(situ_edge);
}

/* Prefetch distance of an operand in cache lines; 0: it is in a near cache. A row program prefetches its next rows
 * during the last use of the present ones. */
static int64_t lines_ahead(const chainer *c, uint16_t place)
{
    const situ_tile_place *at = &c->p->place[place];
    const situ_neighbours *neighbours = c->b->neighbours;
    if (at->address < 0 || at->store || c->p->count * at->size < LEAST_FAR) return 0;
    if (!neighbours) return SITU_PAGE_LINES;
    int load = at->address - c->b->g->nstore - (c->b->g->reduction >= 0);
    int64_t step = neighbours->length * at->size;
    if (!(neighbours->ahead >> load & 1) || (at->load && !situ_rows_are_even(c->p, load, &step)) || !step) return 0;
    int64_t lines = (neighbours->rows * step + SITU_LINE - 1) / SITU_LINE;
    return lines <= MOST_AHEAD ? lines : SITU_PAGE_LINES;
}

static void hold(chainer *c, uint16_t place)
{
    const situ_chains *chains = c->b->tiles->chains;
    if (c->held != place) {
        int64_t ahead = lines_ahead(c, place);
        if (c->counted[place]) add_link(c, chains->count, c->counted[place], -1);
        else add_link(c, ahead ? chains->load_far : chains->load, place, -1);
        c->link[c->nlink - 1].b = (uint16_t)ahead;
    }
    c->held = place;
}

/* The variant of a binary operation: operand `held` is in registers, the other one at a location. */
static int form_of(const chainer *c, const situ_link_fn *op, int held, uint16_t place)
{
    int alike = held ? SITU_LINK_B_ALIKE : SITU_LINK_A_ALIKE;
    return is_alike(c, place) && op[alike] ? alike : held;
}

static void link_element(chainer *c, const situ_tile_step *s)
{
    const situ_link_fn *op = c->b->tiles->chains->op[s->p];
    int n = arity(s), at = 0;
    while (at < n && operand(s, at) != c->held) at++;
    if (at == n) {
        for (at = n - 1; at > 0 && !c->counted[operand(s, at)]; at--) {}
        hold(c, operand(s, at));
    }
    if (n == 1) add_link(c, op[0], -1, -1);
    else if (n == 2 && s->a == s->b) add_link(c, op[SITU_LINK_AB], -1, -1);
    else if (n == 2) add_link(c, op[form_of(c, op, at, operand(s, 1 - at))], operand(s, 1 - at), -1);
    else add_link(c, op[at], at == 0 ? s->b : s->a, at == 2 ? s->b : s->c);
    c->held = s->out;
}

static void link_half(chainer *c, const situ_tile_step *s, int way)
{
    const situ_chains *chains = c->b->tiles->chains;
    bool brain = (way == WIDENS ? s->from : s->dtype) == SITU_BF16;
    if (way == WIDENS) {
        add_link(c, chains->widen[brain], s->a, -1);
        c->link[c->nlink - 1].stride_b = lines_ahead(c, s->a);
        c->held = s->out;
        return;
    }
    hold(c, s->a);
    if (way == NARROWS) {
        bool past = streams(c, s->out);
        add_link(c, chains->narrow[brain], s->out, -1);
        c->link[c->nlink - 1].stride_b = past;
        c->p->past |= past;
    } else add_link(c, chains->round[brain], -1, -1), c->held = s->out;
}

/* Adds the link of a choice by position, which changes one element of its other operand. */
static void link_choice(chainer *c, const situ_tile_step *s, choice_pin pin)
{
    hold(c, s->c);
    add_link(c, c->b->tiles->chains->pin, pin.from, pin.number);
    c->link[c->nlink - 1].stride_b = s->b;
    c->held = s->out;
}

static bool applies(const chainer *c, int i, int end, situ_el el, uint16_t place)
{
    const situ_tile_step *s = &c->p->body[i];
    return i < end && s->kind == SITU_TILE_STEP_ELEMENT && s->p == el && s->a == place;
}

/* Adds step i, a root computed aside, and a following logarithm that forms one link with it, if any. Returns the last
 * step covered. */
static int link_aside(chainer *c, int i)
{
    const situ_chains *chains = c->b->tiles->chains;
    const situ_tile_step *s = &c->p->body[i];
    int end = c->end[c->segment[i]], log = i + 1;
    bool absolute = applies(c, log, end, SITU_EL_abs, s->a) && !must_be_saved(c, log);
    log += absolute;
    bool both = applies(c, log, end, SITU_EL_log, absolute ? c->p->body[log - 1].out : s->a);
    add_link(c, (both ? chains->log_and_root : chains->root)[s->p == SITU_EL_pow_half], s->out, -1);
    c->counted[s->out] = 0;
    if (!both) return i;
    c->link[c->nlink - 1].stride_b = absolute ? 0x7fffffff : 0xffffffff;
    c->held = c->p->body[log].out;
    return log;
}

static void link_segment(chainer *c, situ_tile_step *chain, int first)
{
    const situ_chains *chains = c->b->tiles->chains;
    c->held = -1;
    for (int i = first; i < c->end[first]; i++) {
        const situ_tile_step *s = &c->p->body[i];
        int half = half_step(c, s);
        if (c->tests[i]) continue;
        if (goes_aside(c, i)) {
            int last = link_aside(c, i);
            if (last == i) continue;
            s = &c->p->body[i = last];
        } else if (half != NO_HALF) link_half(c, s, half);
        else if (s->kind == SITU_TILE_STEP_COPY) hold(c, s->a);
        else if (c->pin[i].from) link_choice(c, s, c->pin[i]);
        else link_element(c, s);
        c->counted[s->out] = 0;
        if (half == NARROWS) continue;
        if (s->kind == SITU_TILE_STEP_COPY || must_be_saved(c, i)) add_save(c, chain, s->out);
    }
    add_link(c, chains->end, -1, -1);
}

/* Inserts a step CHAIN before each segment. */
static void rewrite(chainer *c)
{
    situ_program *p = c->p;
    situ_tile_step *body = c->body;
    int n = 0;
    for (int i = 0; i < p->nbody; i++) {
        if (c->segment[i] == i) {
            body[n++] = (situ_tile_step){.kind = SITU_TILE_STEP_CHAIN, .p = c->nlink, .q = c->end[i] - i};
            link_segment(c, &body[n - 1], i);
        }
        if (c->segment[i] < 0) c->counted[p->body[i].out] = p->body[i].kind == SITU_TILE_STEP_IOTA ? p->body[i].b : 0;
        body[n++] = p->body[i];
    }
    memcpy(p->body, body, (size_t)n * sizeof *body);
    p->nbody = n;
}

void situ_fused_chain(situ_builder *b)
{
    situ_program *p = b->p;
    if (!b->tiles->chains || p->count < LEAST_COUNT || p->nbody > SITU_FUSED_STEPS / 2) return;
    chainer *c = situ_calloc(1, sizeof *c); /* allocated, because it is too large for the stack of a caller's thread */
    if (!c) {
        b->failed = situ_fail(SITU_NO_MEMORY, NULL, "out of host memory while a kernel was made");
        return;
    }
    c->b = b;
    c->p = p;
    for (int i = 0; i < p->nprologue; i++) c->uniform[p->prologue[i].out] = true;
    for (int i = 0; i < p->nbody; i++) {
        c->spread[p->body[i].out] |= p->body[i].kind == SITU_TILE_STEP_SPREAD;
        c->overwritten[p->body[i].out] |= p->body[i].kind != SITU_TILE_STEP_SPREAD;
    }
    find_steps(c);
    find_blocks(c);
    find_counted(c);
    find_tests(c);
    rewrite(c);
    memcpy(b->link, c->link, (size_t)c->nlink * sizeof *c->link);
    p->nlink = c->nlink;
    p->chains = b->tiles->chains;
    situ_free(c);
}
