/* Random programs, one statement at a time. Each is interpreted as it is added, so that later ones know the values. */
#include "generate.h"

#include <string.h>

#include "function_kinds.h"

bool usable(const maker *g, int i) { return g->depth_of[i] >= 0; }

int pick(maker *g, unsigned dtypes, int least_rank, int device)
{
    int found[MOST_STATEMENTS], n = 0, focus = g->focus >= 0 && rng_chance(&g->r, 75) ? g->focus : -1;
    for (int i = 0; i < g->p->count; i++) {
        const value *v = value_of(g, i);
        if (!usable(g, i) || v->ndim < least_rank || (dtypes && !(dtypes >> v->dtype & 1))) continue;
        if (device >= 0 && g->p->s[i].device != device) continue;
        found[n++] = i;
        if (i == focus) return i;
    }
    if (!n) return -1;
    return rng_chance(&g->r, 50) ? found[n - 1 - rng_below(&g->r, n < 4 ? n : 4)] : found[rng_below(&g->r, n)];
}

static bool fits(const value *a, const value *b)
{
    for (int k = 1; k <= a->ndim && k <= b->ndim; k++) {
        int64_t x = a->dim[a->ndim - k], y = b->dim[b->ndim - k];
        if (x != y && x != 1 && y != 1) return false;
    }
    return true;
}

int pick_beside(maker *g, int beside, unsigned dtypes)
{
    for (int attempt = 0; attempt < 6; attempt++) {
        int i = pick(g, dtypes, 0, g->p->s[beside].device);
        if (i < 0) return -1;
        if (fits(value_of(g, i), value_of(g, beside))) return i;
    }
    return rng_chance(&g->r, 10) ? pick(g, dtypes, 0, g->p->s[beside].device) : -1;
}

situ_dtype random_of(maker *g, unsigned set)
{
    int d;
    do d = rng_below(&g->r, SITU_DTYPES);
    while (!(set >> d & 1));
    return (situ_dtype)d;
}

situ_dtype random_dtype(maker *g)
{
    int x = rng_below(&g->r, 100);
    if (x < 15) return SITU_BOOL;
    if (x < 48) return random_of(g, ANY_INTEGER);
    if (x < 75) return SITU_F32;
    if (x < 95) return random_of(g, ANY_FLOAT);
    return random_of(g, ANY_COMPLEX);
}

int64_t random_size(maker *g)
{
    static const int64_t edges[] = {0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257};
    int x = rng_below(&g->r, 100);
    if (x < 2) return 0;
    if (x < 12) return 1;
    if (x < 70) return rng_between(&g->r, 2, 7);
    if (x < 82) return rng_between(&g->r, 8, 40);
    if (x < 95) return edges[1 + rng_below(&g->r, 17)];
    return rng_between(&g->r, 1022, 1026);
}

int64_t random_axis(maker *g, const value *v)
{
    if (rng_chance(&g->r, 1)) return v->ndim + rng_below(&g->r, 2);
    int n = v->ndim ? v->ndim : 1;
    return rng_between(&g->r, -n, n - 1);
}

/* attr[0]: number of axes, or -1 for all; then the axes. */
void random_axes(maker *g, const value *v, int64_t *attr)
{
    attr[0] = -1;
    if (!v->ndim || rng_chance(&g->r, 30)) return;
    attr[0] = 0;
    for (int i = 0; i < v->ndim && attr[0] < 5; i++)
        if (rng_chance(&g->r, v->ndim > 1 ? 45 : 90)) attr[++attr[0]] = rng_chance(&g->r, 30) ? i - v->ndim : i;
}

/* Numbers near the ends of dtypes. */
static number edge_number(maker *g)
{
    static const int64_t whole[] = {-1, 127, 128, -128, -129, 255, 256, 257, 32767, 32768, -32769, 65519, 65520, 65535, 65536, 16777217,
                                    INT32_MAX, 2147483648, INT32_MIN, -2147483649, UINT32_MAX, 4294967296, 9007199254740993, INT64_MAX, INT64_MIN};
    static const double real[] = {-0.0, 0.1, -0.5, 127.5, 255.5, 256, 65519.5, 65520, 2147483647.5, 2147483648.0, 4294967296.5, 1e10, 1e-40, 3e38,
                                  9223372036854775808.0, -9223372036854775808.0, 18446744073709551616.0};
    if (rng_chance(&g->r, 70)) return (number){1, whole[rng_below(&g->r, sizeof whole / sizeof *whole)], 0};
    return (number){2, 0, real[rng_below(&g->r, sizeof real / sizeof *real)]};
}

number random_number(maker *g, situ_dtype beside)
{
    if (rng_chance(&g->r, 10)) return edge_number(g);
    number n = {.kind = 1};
    int x = rng_below(&g->r, 100);
    n.i = rng_between(&g->r, beside >= SITU_U8 && beside <= SITU_U64 && !rng_chance(&g->r, 5) ? 0 : -3, 9);
    if (x < 8) n.kind = 0, n.i &= 1;
    else if (x < 55) n.kind = 2, n.f = rng_chance(&g->r, 50) ? (double)n.i * 0.25 : rng_unit(&g->r) * 4 - 2;
    if (beside == SITU_BOOL && n.kind == 0) n.kind = 1;
    return n;
}

/* ---- adding ---- */

static int append(maker *g, const statement *s)
{
    program *p = g->p;
    int i = p->count;
    if (i >= MOST_STATEMENTS) return -1;
    p->s[i] = *s;
    p->count++;
    interpret(&g->m, p, i);
    value *v = &g->m.value[i];
    if (v->status == OPEN && v->bits) v->status = FINE, v->unknown = true;
    g->is_variable[i] = false;
    g->depth_of[i] = v->status == FINE && v->bits ? g->depth : -1;
    return i;
}

int add_leaf(maker *g, situ_dtype d, int ndim, const int64_t *dim, int device, int style, int64_t low, int64_t high)
{
    statement s = {.row = (int16_t)row_named("leaf"), .dtype = d, .device = device, .seed = rng_next(&g->r)};
    if (g->p->count + 3 >= MOST_STATEMENTS) return -1;
    s.attr[0] = ndim;
    memcpy(s.attr + 1, dim, sizeof *dim * (size_t)ndim);
    s.attr[9] = style, s.attr[10] = low, s.attr[11] = high;
    return append(g, &s);
}

int add_cast(maker *g, int value, situ_dtype d)
{
    if (value < 0 || value_of(g, value)->dtype == d) return value;
    statement s = {.row = (int16_t)row_named("cast"), .dtype = d};
    if (g->p->count + 3 >= MOST_STATEMENTS) return -1;
    operands(g, &s, 1, value, 0, 0);
    return append(g, &s);
}

/* Applies what a statement does besides its value. */
static void settle(maker *g, int i)
{
    const statement *s = &g->p->s[i];
    const row *r = &rows[s->row];
    if (r->group != G_STATE) return;
    if (!strcmp(r->name, "variable")) g->is_variable[i] = true;
    else if (!strncmp(r->name, "assign", 6)) g->depth_of[i] = -1;
    else if (!strcmp(r->name, "open")) g->depth++, g->depth_of[i] = -1;
    else if (!strcmp(r->name, "close")) {
        for (int k = 0; k < g->p->count; k++)
            if (g->depth_of[k] >= g->depth && g->depth) g->depth_of[k] = -1;
        g->depth--;
        g->depth_of[i] = -1;
    } else if (r->variant != S_KEEP) g->depth_of[i] = -1;
    if (!strcmp(r->name, "variable") || r->variant == S_KEEP) g->depth_of[i] = usable(g, i) ? 0 : -1;
}

static bool acceptable(maker *g, const value *v)
{
    switch (v->status) {
    case FINE: return v->count <= g->most;
    case OPEN: return v->count <= g->most;
    case REFUSED: return rng_chance(&g->r, 12);
    default: return g->late && rng_chance(&g->r, 40);
    }
}

int add(maker *g, const statement *s)
{
    if (g->p->count + 3 >= MOST_STATEMENTS || reads_sign_of_nan(s, &g->m)) return -1;
    int i = append(g, s);
    bool gave_up = g->m.gave_up;
    g->m.gave_up = false;
    if (gave_up || !acceptable(g, &g->m.value[i])) {
        g->depth_of[i] = -1;
        g->p->count--;
        return -1;
    }
    settle(g, i);
    return i;
}

int row_of_groups(maker *g, unsigned groups)
{
    int total = 0, k = 0;
    for (int i = 0; i < row_count; i++) total += groups >> rows[i].group & 1 ? rows[i].weight : 0;
    int x = rng_below(&g->r, total);
    for (; !(groups >> rows[k].group & 1) || x >= rows[k].weight; k++) x -= groups >> rows[k].group & 1 ? rows[k].weight : 0;
    return k;
}

int add_row(maker *g, const char *name, int nin, int a, int b)
{
    statement s = {.row = (int16_t)row_named(name), .dtype = SITU_DTYPE_DEFAULT};
    operands(g, &s, nin, a, b, 0);
    return add(g, &s);
}

static bool one_more(maker *g)
{
    statement s = {0};
    if (g->p->count && rng_chance(&g->r, 4)) return idiom(g);
    s.row = (int16_t)row_of_groups(g, ~0u);
    s.dtype = SITU_DTYPE_DEFAULT;
    if (!g->p->count || rng_chance(&g->r, 5)) s.row = (int16_t)row_named("leaf");
    int before = g->p->count;
    if (!rows[s.row].make(g, &s)) return g->p->count != before; /* statements that it added itself stay */
    return add(g, &s) >= 0;
}

/* Whether the scope of statement i closes before the program's end, so that its tensor is gone then. */
static bool closed_later(const program *p, int i)
{
    int depth = 0;
    for (int k = i + 1; k < p->count && depth >= 0; k++) {
        if (!strcmp(rows[p->s[k].row].name, "open")) depth++;
        if (!strcmp(rows[p->s[k].row].name, "close")) depth--;
    }
    return depth < 0;
}

static void choose_results(maker *g)
{
    program *p = g->p;
    for (int i = p->count - 1; i >= 0 && p->nresults < 6; i--) {
        bool open = g->m.value[i].status == OPEN && rows[p->s[i].row].group != G_STATE && !closed_later(p, i);
        if (!usable(g, i) && !open) continue;
        if (!p->nresults || rng_chance(&g->r, 30) || g->is_variable[i]) p->result[p->nresults++] = i;
    }
}

static maker *start(program *p, uint64_t seed, arena *memory)
{
    static _Thread_local maker g;
    memset(p, 0, sizeof *p);
    memset(&g.r, 0, sizeof g.r);
    g.r.state = seed * 0x2545f4914f6cdd1du + 1;
    g.p = p;
    g.depth = 0;
    g.focus = -1;
    p->seed = seed;
    interpret_start(&g.m, memory);
    return &g;
}

const machine *generate_sample(program *p, int sample, uint64_t seed, arena *memory)
{
    statement s = {.row = (int16_t)row_named("sample"), .attr = {sample}};
    maker *g = start(p, seed, memory);
    if (rows[s.row].make(g, &s)) p->result[p->nresults++] = append(g, &s);
    return &g->m;
}

const machine *generate(program *p, uint64_t seed, arena *memory)
{
    maker *g = start(p, seed, memory);
    int size = rng_below(&g->r, 1000);
    g->most = size < 6 ? 120000 : size < 80 ? 6000 : 1200;
    int wanted = size < 700 ? (int)rng_between(&g->r, 3, 12) : size < 960 ? (int)rng_between(&g->r, 8, 24) : (int)rng_between(&g->r, 20, MOST_STATEMENTS - 8);
    p->two_devices = rng_chance(&g->r, 10);
    g->late = rng_chance(&g->r, 6);
    for (int i = 0; i < SITU_MAX_DIMS; i++) g->domain[i] = random_size(g);
    g->domain_rank = rng_chance(&g->r, 5) ? 0 : (int)rng_between(&g->r, 1, 4);
    for (int i = 0; i < g->domain_rank; i++)
        while (count_of(g->domain_rank, g->domain) > g->most && g->domain[i] > 1) g->domain[i] = (g->domain[i] + 1) / 2;
    for (int attempt = 0; attempt < 6 * wanted && p->count < wanted; attempt++) one_more(g);
    choose_results(g);
    return &g->m;
}
