/* One program in several ways: does each see the same? */
#include <stdlib.h>
#include <string.h>

#include "judge.h"

static arena memory;

static bool assigns(const program *p)
{
    for (int i = 0; i < p->count; i++)
        if (assigned_by(&p->s[i])) return true;
    return false;
}

static bool changes(const statement *s, int variable)
{
    for (int k = 0; k < assigned_by(s); k++)
        if (s->in[k] == variable) return true;
    return false;
}

/* Was statement i made from what a variable was before an assignment that comes before statement `until`? Such a value
 * may be gone: to use it is an error if nobody had it stored. What was kept or assigned in time is there. */
static bool needs_old(const program *p, int i, int until)
{
    bool needs[MOST_STATEMENTS] = {false};
    for (int k = 0; k <= i; k++) {
        const statement *s = &p->s[k];
        const char *name = rows[s->row].name;
        if (s->off) continue;
        if (!strcmp(name, "keep") || !strcmp(name, "variable")) {
            needs[k] = needs_old(p, s->in[0], k); /* it is too late, or never will be */
            continue;
        }
        for (int j = 0; j < s->nin; j++) {
            if (s->in[j] < 0) continue;
            needs[k] |= needs[s->in[j]];
            for (int later = k + 1; later < until; later++)
                needs[k] |= changes(&p->s[later], s->in[j]);
        }
    }
    return needs[i];
}

/* Was an assignment refused for that? The program goes on with another value then. */
static bool missed_update(const program *p, const outcome *o)
{
    for (int k = 0; k < p->count; k++)
        for (int j = 0, n = assigned_by(&p->s[k]); j < n; j++)
            if (o->call_code[k] && needs_old(p, p->s[k].in[n + j], k)) return true; /* it, or what it was given */
    return false;
}

static bool observe(const program *p, const machine *m, const outcome *o, verdict *v)
{
    for (int k = 0; k < o->count; k++) {
        const observed *seen = &o->seen[k];
        int i = seen->statement;
        const value *want = &m->value[i];
        int64_t at;
        v->where = i;
        if (seen->code) {
            bool dropped = seen->code == SITU_OVERWRITTEN && needs_old(p, i, seen->final ? p->count : i); /* not kept before the variable changed */
            if (want->status != FINE || m->has_late || o->hurt || dropped) continue;
            snprintf(v->what, sizeof v->what, "cannot be read (%s), at once it can", situ_code_name(seen->code));
            return true;
        }
        if (want->status != FINE) {
            if (want->status == REFUSED && o->hurt) continue;
            snprintf(v->what, sizeof v->what, "can be read, at once it cannot");
            return true;
        }
        if ((on_a_card ? near_bits : same_bits)(want, &seen->v, &at)) continue;
        if ((o->hurt || m->has_late) && o->errors && assigns(p)) continue; /* an update that failed leaves the old value */
        char a[80] = "another shape", b[80] = "";
        if (at >= 0) describe(&seen->v, at, a, sizeof a), describe(want, at, b, sizeof b);
        snprintf(v->what, sizeof v->what, "element %lld is %s, at once %s", (long long)at, a, b);
        return true;
    }
    return false;
}

/* The calls that are refused are the same ones. */
static bool calls_differ(const program *p, const machine *m, const outcome *o, verdict *v)
{
    if (o->hurt || m->has_late) return false;
    for (int i = 0; i < p->count; i++) {
        int code = o->call_code[i];
        if (code < 0 || p->s[i].off) continue;
        if ((code > 0) == (m->value[i].status == REFUSED)) continue;
        if (code == SITU_OVERWRITTEN && needs_old(p, i, i) && rows[p->s[i].row].group != G_GRADIENT) continue;
        v->where = i;
        snprintf(v->what, sizeof v->what, code ? "is refused (%s), at once it is taken" : "is taken, at once it is refused", situ_code_name(code));
        return true;
    }
    return false;
}

static uint64_t digest_outcome(uint64_t h, const outcome *o)
{
    for (int k = 0; k < o->count; k++) {
        h = (h ^ (uint64_t)o->seen[k].statement) * 0x9fb21c651e98df25u;
        h = o->seen[k].code ? h * 3 + 1 : digest_value(h, &o->seen[k].v);
    }
    return h;
}

static void other_data(const program *p, program *q)
{
    *q = *p;
    for (int i = 0; i < q->count; i++) q->s[i].seed ^= 0x5555;
}

/* Is the tensor of statement i there when statement k is recorded? */
static bool is_there(const program *p, int i, int k)
{
    int depth = 0;
    for (int at = i + 1; at < k; at++) {
        const char *name = rows[p->s[at].row].name;
        depth += !strcmp(name, "open") - !strcmp(name, "close");
        if (depth < 0) return false;
    }
    return true;
}

/* The same program but for one operand, which is another value of the same shape and dtype. */
static void twin(const program *p, const machine *m, program *q)
{
    rng r = {p->seed};
    *q = *p;
    for (int attempt = 0; attempt < 40; attempt++) {
        int k = rng_below(&r, p->count), i = rng_below(&r, k), j = rng_below(&r, p->s[k].nin);
        const statement *s = &p->s[k];
        bool fixed = rows[s->row].group == G_STATE || !strcmp(rows[s->row].name, "layer"); /* labels are not lengths */
        if (fixed || !s->nin || s->in[j] < 0 || s->in[j] == i || s->off) continue;
        const value *is = &m->value[s->in[j]], *other = &m->value[i];
        bool same = is->status == FINE && other->status == FINE && other->bits && is->dtype == other->dtype && is->ndim == other->ndim &&
                    !memcmp(is->dim, other->dim, sizeof *is->dim * (size_t)is->ndim) && p->s[i].device == p->s[s->in[j]].device;
        if (!same || rows[p->s[i].row].group == G_STATE || !is_there(p, i, k)) continue;
        q->s[k].in[j] = (int16_t)i;
        return;
    }
}

/* Reads in the middle: what the operand was then. */
static void snapshots(const program *p, machine *m, outcome *o)
{
    int k = 0;
    for (int i = 0; i < p->count && k < o->count; i++) {
        if (p->s[i].off || strcmp(rows[p->s[i].row].name, "read")) continue;
        if (k < o->count && !o->seen[k].final && o->seen[k].statement == p->s[i].in[0]) o->seen[k++].statement = i;
    }
    (void)m;
}

static bool try_way(const program *p, machine *m, way w, verdict *v)
{
    static outcome o;
    v->way = w;
    run(p, m, w, &o, &memory);
    snapshots(p, m, &o);
    if (o.lost && missed_update(p, &o)) return false;
    return calls_differ(p, m, &o, v) || observe(p, m, &o, v);
}

static bool checked(const program *p, const machine *known, machine *m, verdict *v)
{
    v->way = W_EAGER;
    v->where = 0;
    interpret_start(m, &memory);
    m->known = known;
    return !run_checked(p, m, &memory, v->what, sizeof v->what, &v->where);
}

/* Which NaN it is, is no promise: programs that look are passed over. */
static bool looks_into_nan(const program *p, const machine *m)
{
    for (int i = 0; i < p->count; i++)
        if (reads_sign_of_nan(&p->s[i], m)) return true;
    return false;
}

verdict judge_program(const program *p, const machine *known, unsigned ways)
{
    static machine m;
    static program other;
    verdict v = {0};
    arena_reset(&memory);
    memset(&m, 0, sizeof m);
    v.differs = checked(p, known, &m, &v);
    if (m.gave_up || looks_into_nan(p, &m)) return (verdict){0};
    for (int w = W_LAZY; w < W_TWICE && !v.differs; w++)
        if (ways >> w & 1) v.differs = try_way(p, &m, (way)w, &v);
    if (v.differs || !(ways >> W_TWICE & 1)) return v;
    if (p->seed % 3) twin(p, &m, &other);
    else other_data(p, &other);
    v.differs = checked(&other, NULL, &m, &v);
    if (m.gave_up || looks_into_nan(&other, &m)) return (verdict){0};
    v.differs = v.differs || try_way(&other, &m, W_LAZY, &v);
    v.way = W_TWICE;
    return v;
}

/* Whether the signs that a program reads can be those of NaN, is only known once it has run. */
static bool may_look_into_nan(const program *p, const machine *known)
{
    static machine m;
    verdict v;
    bool looks = false;
    for (int i = 0; i < p->count && !looks; i++) looks = reads_signs(&p->s[i]);
    if (!looks) return false;
    memset(&m, 0, sizeof m);
    checked(p, known, &m, &v);
    return m.gave_up || looks_into_nan(p, &m);
}

uint64_t digest_program(const program *p, const machine *known)
{
    static outcome o;
    arena_reset(&memory);
    if (may_look_into_nan(p, known)) return 0;
    arena_reset(&memory);
    run(p, known, W_LAZY, &o, &memory);
    return digest_outcome(p->seed, &o);
}

/* ---- making it smaller ---- */

static int partner(const program *p, int i)
{
    int open[MOST_STATEMENTS], depth = 0;
    for (int k = 0; k < p->count; k++) {
        const char *name = rows[p->s[k].row].name;
        if (p->s[k].off) continue;
        if (!strcmp(name, "open")) open[depth++] = k;
        if (strcmp(name, "close") || !depth) continue;
        depth--;
        if (open[depth] == i) return k;
        if (k == i) return open[depth];
    }
    return -1;
}

void shrink(program *p, verdict *v)
{
    unsigned ways = v->way == W_EAGER ? 0 : 1u << v->way;
    bool smaller = true;
    verdict now = judge_program(p, NULL, ways);
    if (!now.differs) {
        snprintf(v->what + strlen(v->what), sizeof v->what - strlen(v->what), " (not when it was run again)");
        return;
    }
    *v = now;
    while (smaller) {
        smaller = false;
        for (int n = p->nresults; n > 1; n--) {
            program try = *p;
            try.nresults = 1;
            try.result[0] = p->result[n - 1];
            now = judge_program(&try, NULL, ways);
            if (now.differs) *p = try, *v = now, smaller = true;
            if (now.differs) break;
        }
        for (int i = p->count - 1; i >= 0; i--) {
            if (p->s[i].off) continue;
            program try = *p;
            int other = partner(p, i);
            try.s[i].off = true;
            if (other >= 0) try.s[other].off = true;
            now = judge_program(&try, NULL, ways);
            if (now.differs) *p = try, *v = now, smaller = true;
        }
    }
    if (v->way == W_EAGER) *v = judge_program(p, NULL, 0);
}

/* ---- showing it ---- */

static void show_value(FILE *file, const value *v)
{
    char text[80];
    if (!v->bits) return;
    fprintf(file, "  // %s[", v->dtype < SITU_DTYPES ? situ_dtype_name(v->dtype) : "?");
    for (int i = 0; i < v->ndim; i++) fprintf(file, "%s%lld", i ? "," : "", (long long)v->dim[i]);
    fprintf(file, "]");
    for (int64_t i = 0; i < v->count && i < 6 && v->dtype < SITU_DTYPES; i++) {
        describe(v, i, text, sizeof text);
        fprintf(file, " %s", text);
    }
    fprintf(file, "%s\n", v->count > 6 ? " ..." : "");
}

static void show_statement(FILE *file, const program *p, int i)
{
    const statement *s = &p->s[i];
    bool any = false;
    fprintf(file, "  t%d = %s(", i, rows[s->row].name);
    for (int k = 0; k < s->nin; k++) {
        const number *n = s->in[k] < 0 ? &s->number[-1 - s->in[k]] : NULL;
        if (!n) fprintf(file, "%st%d", k ? ", " : "", s->in[k]);
        else if (n->kind == 2) fprintf(file, "%s%.17g", k ? ", " : "", n->f);
        else fprintf(file, "%s%s%lld", k ? ", " : "", n->kind ? "" : "(bool)", (long long)n->i);
    }
    for (int k = 0; k < 24; k++) any = any || s->attr[k];
    for (int k = 0; k < 20 && any; k++) {
        if (s->attr[k] == SITU_FULL) fprintf(file, "%s:", k ? " " : "; ");
        else fprintf(file, "%s%lld", k ? " " : "; ", (long long)s->attr[k]);
    }
    if (s->dtype < SITU_DTYPES && s->dtype) fprintf(file, "; %s", situ_dtype_name(s->dtype));
    if (s->real[0] != 0 || s->real[1] != 0) fprintf(file, "; %g %g", s->real[0], s->real[1]);
    if (s->device) fprintf(file, "; device %d", s->device);
    fprintf(file, ")");
}

void show(FILE *file, const program *p, const verdict *v)
{
    static machine m;
    interpret_start(&m, &memory);
    fprintf(file, "seed %llu, way %s: t%d %s\n", (unsigned long long)p->seed, way_names[v->way], v->where, v->what);
    for (int i = 0; i < p->count; i++) {
        if (p->s[i].off) continue;
        interpret(&m, p, i);
        show_statement(file, p, i);
        show_value(file, &m.value[i]);
        if (!m.value[i].bits) fprintf(file, "%s\n", m.value[i].status == REFUSED ? "  // refused" : "");
    }
    fprintf(file, "  read:");
    for (int i = 0; i < p->nresults; i++) fprintf(file, " t%d", p->result[i]);
    fprintf(file, "\n");
}

void show_library(FILE *file, const program *p)
{
    static machine m;
    char what[200];
    int where;
    arena_reset(&memory);
    interpret_start(&m, &memory);
    run_checked(p, &m, &memory, what, sizeof what, &where);
    for (int i = 0; i < p->count; i++) {
        show_statement(file, p, i);
        if (m.value[i].bits) fprintf(file, "  %016llx", (unsigned long long)digest_value(0, &m.value[i]));
        show_value(file, &m.value[i]);
        if (!m.value[i].bits) fprintf(file, "\n");
    }
}
