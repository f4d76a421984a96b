/* Running a program: each statement as a call, in a way that says when something is computed and where. */
#include <stdlib.h>
#include <string.h>

#include "function_kinds.h"
#include "record.h"

const char *const way_names[W_COUNT] = {"eager", "lazy", "unfused", "some", "gpu", "gpu-eager", "two", "opencl", "fail", "tight", "twice"};

typedef struct runner {
    const program *p;
    const machine *m;
    way way;
    outcome *o;
    arena *memory;
    rng r;
    situ_tensor *tensor[MOST_STATEMENTS];
    bool owned[MOST_STATEMENTS];
    situ_scope *scope[16];
    int depth;
} runner;

/* What the library says a tensor is: read in whole, or the code of the error. */
static int fetch(situ_tensor *t, value *v, arena *memory, situ_site site)
{
    memset(v, 0, sizeof *v);
    v->dtype = situ_dtype_of(t);
    v->ndim = situ_ndim(t);
    v->count = situ_count(t);
    for (int i = 0; i < v->ndim; i++) v->dim[i] = situ_dim(t, i);
    int failed = situ_failed();
    size_t bytes = failed || v->dtype >= SITU_DTYPES ? 0 : (size_t)v->count * size_of(v->dtype);
    v->bits = take(memory, bytes + 16);
    if (!failed && (situ_read)(t, v->bits, bytes, site)) failed = situ_failed();
    if (failed) situ_error_take(NULL);
    v->status = failed ? LATE : FINE;
    return failed;
}

/* Takes the error, if there is one; its code. */
static int note_error(outcome *o)
{
    int code = situ_failed() ? situ_error_take(NULL) : 0;
    o->errors += code != 0;
    o->lost |= code == SITU_OVERWRITTEN;
    return code;
}

static const char *site_of(int i)
{
    static char text[MOST_STATEMENTS][24];
    static bool done;
    for (int k = 0; !done && k < MOST_STATEMENTS; k++) snprintf(text[k], sizeof text[k], "statement:%d", k);
    done = true;
    return text[i];
}

static situ_tensor *record_statement(const statement *s, const value *v, situ_tensor **tensor, situ_site site)
{
    situ_tensor *in[MOST_IN] = {NULL};
    leaf_value = v;
    for (int k = 0; k < s->nin; k++) {
        const number *n = s->in[k] < 0 ? &s->number[-1 - s->in[k]] : NULL;
        in[k] = !n ? tensor[s->in[k]] : n->kind == 0 ? situ_scalar_bool(n->i != 0) : n->kind == 1 ? situ_scalar_int(n->i) : situ_scalar_float(n->f);
    }
    return rows[s->row].record(s, in, site);
}

static void see(runner *x, int i, bool final)
{
    observed *o = &x->o->seen[x->o->count++];
    o->statement = i;
    o->final = final;
    o->code = fetch(x->tensor[i], &o->v, x->memory, site_of(i));
    x->o->errors += o->code != 0;
    x->o->lost |= o->code == SITU_OVERWRITTEN;
}

static void effect(runner *x, int i)
{
    const statement *s = &x->p->s[i];
    int of = s->nin ? s->in[0] : -1;
    char *text;
    switch (rows[s->row].variant) {
    case S_KEEP:
        x->tensor[i] = (situ_keep)(x->tensor[of], site_of(i));
        x->owned[i] = x->tensor[i] != NULL;
        break;
    case S_READ: see(x, of, false); break;
    case S_EVAL: (situ_eval)(TENSORS(x->tensor[of]), site_of(i)); break;
    case S_TEXT:
        text = (situ_text)(x->tensor[of], site_of(i));
        free(text);
        break;
    case S_WAIT: (situ_wait)(NULL, site_of(i)); break;
    case S_OPEN:
        if (x->depth < 15) x->scope[++x->depth] = situ_scope_open();
        break;
    default:
        if (x->depth) situ_scope_close(x->scope[x->depth--]);
    }
}

static bool is_effect(const row *r) { return r->group == G_STATE && r->record != rows[row_named("variable")].record && strncmp(r->name, "assign", 6); }

/* Does the statement read only what is there? */
static bool ready(const runner *x, const statement *s)
{
    for (int k = 0; k < s->nin; k++)
        if (s->in[k] >= 0 && !x->tensor[s->in[k]]) return false;
    return !s->off;
}

static void step(runner *x, int i)
{
    const statement *s = &x->p->s[i];
    const row *r = &rows[s->row];
    if (!ready(x, s)) {
        x->o->call_code[i] = -1;
        return;
    }
    if (is_effect(r)) {
        effect(x, i);
    } else {
        x->tensor[i] = record_statement(s, &x->m->value[i], x->tensor, site_of(i));
        x->owned[i] = !strcmp(r->name, "variable") && x->tensor[i] && !situ_failed();
    }
    x->o->call_code[i] = note_error(x->o);
    if (x->o->call_code[i] && (!is_effect(r) || r->variant == S_KEEP)) {
        x->tensor[i] = NULL;
        x->owned[i] = false;
    }
}

static void maybe_eval(runner *x, int i)
{
    bool eager = x->way == W_EAGER || x->way == W_GPU_EAGER || (x->way == W_SOME && rng_chance(&x->r, 35));
    if (!eager || !x->tensor[i]) return;
    (situ_eval)(TENSORS(x->tensor[i]), site_of(i));
    note_error(x->o);
    if (x->way == W_SOME && rng_chance(&x->r, 30)) (situ_wait)(x->tensor[i], site_of(i));
    note_error(x->o);
}

static void finish(runner *x)
{
    for (int i = 0; i < x->p->nresults; i++)
        if (x->tensor[x->p->result[i]]) see(x, x->p->result[i], true);
    while (x->depth) situ_scope_close(x->scope[x->depth--]);
    note_error(x->o);
    for (int i = 0; i < x->p->count; i++)
        if (x->owned[i]) situ_release(x->tensor[i]);
    situ_scope_close(x->scope[0]);
    (situ_wait)(NULL, SITU_HERE); /* a late error nobody read is this program's */
    note_error(x->o);
}

static void place(way w)
{
    situ_device cpu = situ_cpu(), g0 = situ_gpu(0), g1 = situ_num_gpus() > 1 ? situ_gpu(1) : g0; /* a card may be the only one */
    bool gpu = w == W_GPU || w == W_GPU_EAGER || w == W_TWO || w == W_FAIL || w == W_TIGHT;
    slot_device[0] = w == W_OPENCL ? situ_opencl(0) : gpu ? g0 : cpu;
    slot_device[1] = w == W_OPENCL ? situ_opencl(0) : w == W_TWO ? g1 : gpu ? cpu : cpu;
    if (w == W_TWO) slot_device[0] = g0;
}

static void injure(runner *x)
{
    if (x->way == W_FAIL) {
        int64_t k = rng_between(&x->r, 1, 6);
        bool lost = rng_chance(&x->r, 30);
        situ_sim_configure(situ_gpu(0), SITU_SIM(.fail_allocation = lost ? -1 : k, .lose_at = lost ? k : -1));
    }
    if (x->way == W_TIGHT) {
        situ_memory m;
        situ_memory_of(situ_gpu(0), &m);
        situ_memory_limit(situ_gpu(0), m.in_use + rng_between(&x->r, 256, 200000));
    }
}

static void heal(runner *x)
{
    if (x->o->hurt && (situ_wait)(NULL, SITU_HERE)) x->o->errors++, situ_error_take(NULL);
    if (x->way == W_FAIL) situ_sim_configure(situ_gpu(0), SITU_SIM(.fail_allocation = -1, .lose_at = -1));
    if (x->way == W_TIGHT) situ_memory_limit(situ_gpu(0), 0);
    if (situ_failed()) situ_error_take(NULL);
}

void run(const program *p, const machine *m, way w, outcome *o, arena *memory)
{
    static _Thread_local runner x;
    memset(&x, 0, sizeof x);
    x.p = p, x.m = m, x.way = w, x.o = o, x.memory = memory;
    x.r.state = p->seed * 31 + w;
    o->way = w, o->count = 0, o->errors = 0, o->lost = false;
    o->hurt = w == W_FAIL || w == W_TIGHT;
    memset(o->call_code, 0, sizeof o->call_code);
    place(w);
    bool fusing = w == W_UNFUSED ? situ_fusing(false) : true;
    injure(&x);
    x.scope[0] = situ_scope_open();
    for (int i = 0; i < p->count; i++) {
        step(&x, i);
        maybe_eval(&x, i);
    }
    finish(&x);
    heal(&x);
    if (w == W_UNFUSED) situ_fusing(fusing);
}

/* ---- beside the interpreter ---- */

static bool is_as_known(const machine *m, int i, const value *v)
{
    const value *known = m->known ? &m->known->value[i] : NULL;
    if (!known || known->status != FINE || known->unknown || known->dtype != v->dtype || known->ndim != v->ndim) return false;
    return !memcmp(known->dim, v->dim, sizeof *v->dim * (size_t)v->ndim) && !memcmp(known->bits, v->bits, (size_t)v->count * size_of(v->dtype));
}

static bool agree(runner *x, machine *m, int i, char *what, size_t size)
{
    const statement *s = &x->p->s[i];
    value *want = &m->value[i], got;
    int code = x->o->call_code[i];
    if (code > 0) {
        if (want->status == FINE && !(rows[s->row].group == G_GRADIENT)) {
            snprintf(what, size, "is refused (%s), the interpreter has a value", situ_code_name(code));
            return false;
        }
        want->status = REFUSED;
        return true;
    }
    if (want->status == REFUSED) {
        snprintf(what, size, "is taken, the interpreter refuses it");
        return false;
    }
    if (is_effect(&rows[s->row]) && rows[s->row].variant != S_KEEP) return true;
    int assigned = assigned_by(s);
    for (int k = 0; k < assigned; k++) { /* the variables have it */
        code = fetch(x->tensor[s->in[k]], &got, x->memory, site_of(i));
        if (!code && !within(&m->value[s->in[k]], &got, what, size)) return false;
        m->same[s->in[k]] = m->same[s->in[k]] && m->same[s->in[assigned + k]];
    }
    if (assigned) return true;
    code = fetch(x->tensor[i], &got, x->memory, site_of(i));
    if (want->status == OPEN) {
        bool fits = code || !rows[s->row].check || rows[s->row].check(x->p, m, i, &got, what, size);
        *want = got;
        if (code) m->has_late = true;
        return fits;
    }
    if (code || want->status == LATE) {
        if (code && want->status == LATE) return true;
        snprintf(what, size, code ? "cannot be read (%s), the interpreter has a value" : "can be read, the interpreter has an error", situ_code_name(code));
        return false;
    }
    if (!within(want, &got, what, size)) return false;
    bool variable = !strcmp(rows[s->row].name, "variable"); /* what is known is its last value */
    m->same[i] = variable ? m->same[s->in[0]] : is_as_known(m, i, &got);
    *want = got;
    return true;
}

bool run_checked(const program *p, machine *m, arena *memory, char *what, size_t size, int *where)
{
    static _Thread_local runner x;
    static _Thread_local outcome o;
    bool right = true;
    memset(&x, 0, sizeof x);
    memset(&o, 0, sizeof o);
    x.p = p, x.m = m, x.way = W_EAGER, x.o = &o, x.memory = memory;
    place(W_EAGER);
    x.scope[0] = situ_scope_open();
    for (int i = 0; i < p->count && right; i++) {
        interpret(m, p, i);
        if (m->gave_up) break;
        step(&x, i);
        for (int k = 0; o.call_code[i] && k < assigned_by(&p->s[i]); k++)
            m->same[p->s[i].in[k]] = false; /* the generator's interpreter did it */
        if (o.call_code[i] == -1) {
            if (m->value[i].status == FINE) m->value[i].status = REFUSED;
            continue;
        }
        m->gave_up = x.tensor[i] && situ_count(x.tensor[i]) > MOST_ELEMENTS; /* a shape that the interpreter does not know */
        if (m->gave_up) {
            x.tensor[i] = NULL;
            break;
        }
        right = agree(&x, m, i, what, size);
        if (m->value[i].status != FINE && x.tensor[i] && m->value[i].status != LATE) x.tensor[i] = NULL;
        *where = i;
    }
    o.count = 0;
    finish(&x);
    return right;
}
