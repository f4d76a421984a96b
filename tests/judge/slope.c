/* Gradients beside differences: y is interpreted again where x is moved a little in one direction, both ways and by
 * half as much. Where these agree with one another (no kink, no jump, no rounding that hides the slope), the gradient
 * has to agree with them. */
#include <math.h>
#include <string.h>

#include "interpret.h"

typedef struct slope {
    const program *p;
    machine *m;          /* as the library has it */
    machine at;          /* where x was moved     */
    int x, y;
    bool depends[MOST_STATEMENTS];
    double unit;         /* of the rounding on the way from x to y */
} slope;

static bool has_name(const statement *s, const char *name) { return !strcmp(rows[s->row].name, name); }

/* Are two operands equal somewhere? The larger and the smaller of these have a convention for their slopes. */
static bool may_tie(const slope *a, const statement *s)
{
    if (has_name(s, "copysign")) { /* |a| has a convention at 0, which copysign(a, a), a straight line, does not show */
        const value *a0 = s->in[0] < 0 ? NULL : &a->m->value[s->in[0]];
        if (a0 && !a0->bits) return true;
        for (int64_t i = 0; a0 && i < a0->count; i++)
            if (get_f(a0, i) == 0) return true;
    }
    if (has_name(s, "median") || has_name(s, "quantile")) { /* equal ones share what goes to the first of them in order */
        const value *of = s->in[0] < 0 ? NULL : &a->m->value[s->in[0]];
        if (!of || !of->bits || of->count > 200) return true;
        for (int64_t i = 0; i < of->count; i++)
            for (int64_t k = 0; k < i; k++)
                if (get_f(of, i) == get_f(of, k)) return true;
    }
    if (has_name(s, "any") || has_name(s, "all") || has_name(s, "logical_not")) { /* jump where an element is 0, and nowhere else */
        const value *of = s->in[0] < 0 ? NULL : &a->m->value[s->in[0]];
        for (int64_t i = 0; of && of->bits && of->dtype != SITU_BOOL && i < of->count; i++)
            if (get_f(of, i) == 0) return true;
    }
    if (!has_name(s, "clip") && !has_name(s, "maximum") && !has_name(s, "minimum")) return false;
    for (int k = 0; k < s->nin; k++)
        for (int l = 0; l < k; l++) {
            if (s->in[k] < 0 || s->in[l] < 0) continue; /* a number: an element is moved off it, or the differences show a kink */
            const value *x = &a->m->value[s->in[k]], *y = &a->m->value[s->in[l]];
            if (x == y || !x->bits || !y->bits || x->count * y->count > 4096) return true;
            for (int64_t i = 0; i < x->count * y->count; i++)
                if (get_f(x, i / y->count) == get_f(y, i % y->count)) return true;
        }
    return false;
}

/* Does the remainder of a division begin anew within the distance that x is moved by? Differences see no slope there. */
static bool is_fine_saw(const slope *a, const statement *s)
{
    if (!has_name(s, "fmod") && !has_name(s, "remainder")) return false;
    double most = 0, least = INFINITY;
    for (int k = 0; k < 2; k++) {
        const value *v = s->in[k] < 0 ? NULL : &a->m->value[s->in[k]];
        const number *n = v ? NULL : &s->number[-1 - s->in[k]];
        for (int64_t i = 0; i < (v && v->bits ? v->count : 1); i++) {
            double f = fabs(n ? n->kind == 2 ? n->f : (double)n->i : v->bits ? get_f(v, i) : NAN);
            if (isnan(f)) return true;
            if (k == 0) most = fmax(most, f);
            else least = fmin(least, f);
        }
    }
    return !(most <= 64 * least);
}

bool may_be_its_operand(const program *p, const machine *m, int i)
{
    const value *x = &m->value[i];
    for (int k = 0; k < p->s[i].nin; k++) {
        const value *of = p->s[i].in[k] < 0 ? NULL : &m->value[p->s[i].in[k]];
        if (!of || of->dtype != x->dtype || of->count != x->count) continue;
        if (!of->bits || !x->bits || !memcmp(of->bits, x->bits, (size_t)x->count * size_of(x->dtype))) return true;
    }
    return false;
}

/* Is all of y that depends on x made by rows that the interpreter knows and gradients pass? */
static bool is_plain(slope *a)
{
    a->unit = 0x1p-52;
    memset(a->depends, 0, sizeof a->depends);
    if (may_be_its_operand(a->p, a->m, a->x)) return false;
    a->depends[a->x] = true;
    for (int i = 0; i <= a->y; i++) {
        const statement *s = &a->p->s[i];
        if (s->off) continue;
        if (!strncmp(rows[s->row].name, "assign", 6)) return false;
        for (int k = 0; k < s->nin && i > a->x; k++) a->depends[i] |= s->in[k] >= 0 && a->depends[s->in[k]];
        if (!a->depends[i]) continue;
        const value *v = &a->m->value[i];
        bool barrier = i > a->x && (rows[s->row].group == G_STATE || rows[s->row].group == G_GRADIENT || has_name(s, "stop_gradient") || has_name(s, "unique"));
        if (has_name(s, "keep")) barrier = false;
        if (rows[s->row].group == G_STATE && !v->bits) { /* a read, an evaluation: no value */
            a->depends[i] = false;
            continue;
        }
        bool cuts = is_integer(v->dtype) || (rows[s->row].group == G_ELEMENT && rows[s->row].kind == K_ROUND) || has_name(s, "floor_divide");
        for (int k = 1; k < s->nin && has_name(s, "layer"); k++) /* its parameters are copies of their values */
            if (s->in[k] >= 0 && a->depends[s->in[k]]) return false;
        if (may_tie(a, s) || is_fine_saw(a, s)) return false;
        if (cuts) return false; /* beside what was cut there may be a tie, with a convention */
        if (barrier || v->status != FINE || v->unknown || !v->bits) return false;
        if (is_complex(v->dtype) || v->dtype == SITU_F16 || v->dtype == SITU_BF16) return false;
        if (v->dtype == SITU_F32) a->unit = 0x1p-23;
        for (int64_t k = 0; rank_of(v->dtype) == 2 && k < v->count; k++)
            if (!(fabs(get_f(v, k)) <= 1e15) && (i != a->x || isfinite(get_f(v, k)))) return false;
    }
    return a->depends[a->y];
}

/* The sum of y, and how large its parts are; false: the interpreter has none. */
static bool sum_at(slope *a, const value *moved, long double *sum, double *size)
{
    a->at = *a->m;
    a->at.known = NULL;
    a->at.value[a->x] = *moved;
    for (int i = a->x + 1; i <= a->y; i++) {
        if (!a->depends[i] || a->p->s[i].off) continue;
        interpret(&a->at, a->p, i);
        if (a->at.value[i].status != FINE || a->at.value[i].unknown || a->at.gave_up) return false;
    }
    const value *y = &a->at.value[a->y];
    *sum = 0, *size = 0;
    for (int64_t i = 0; i < y->count; i++) *sum += get_f(y, i), *size += fabs(get_f(y, i));
    return isfinite((double)*sum);
}

/* x + t d; the differences that count are those of the rounded numbers. */
static value moved_by(slope *a, const double *d, double t)
{
    value v = a->m->value[a->x];
    size_t bytes = (size_t)v.count * size_of(v.dtype);
    v.bits = take(a->m->memory, bytes + 16);
    for (int64_t i = 0; i < v.count; i++) set_f(&v, i, get_f(&a->m->value[a->x], i) + t * d[i]);
    return v;
}

static double along(const value *g, const value *to, const value *from, double *size)
{
    long double sum = 0;
    for (int64_t i = 0; i < g->count; i++) {
        if (!isfinite(get_f(to, i))) continue; /* it moves nothing */
        double part = get_f(g, i) * (get_f(to, i) - get_f(from, i));
        sum += part;
        *size += fabs(part);
    }
    return (double)sum;
}

/* One direction: 0 agrees or says nothing, 1 differs. */
static bool differs(slope *a, const value *g, uint64_t seed, double step, double *has, double *should)
{
    rng r = {seed};
    const value *x = &a->m->value[a->x];
    double *d = take(a->m->memory, sizeof *d * (size_t)(x->count + 1)), size = 0, noise = 0, one;
    for (int64_t i = 0; i < x->count; i++) {
        double by = (rng_chance(&r, 50) ? 1 : -1) * (0.5 + rng_unit(&r)) * fmax(fabs(get_f(x, i)), 0.25);
        d[i] = isfinite(get_f(x, i)) ? by : 0;
    }
    value v[4] = {moved_by(a, d, -step), moved_by(a, d, -step / 2), moved_by(a, d, step / 2), moved_by(a, d, step)};
    long double f[4], middle;
    for (int i = 0; i < 4; i++) {
        if (!sum_at(a, &v[i], &f[i], &one)) return false;
        noise = fmax(noise, one);
    }
    if (!sum_at(a, x, &middle, &one)) return false;
    noise = 64 * a->unit * (noise + 1);
    double whole = (double)(f[3] - f[0]), half = (double)(f[2] - f[1]), up = (double)(f[3] - middle), down = (double)(middle - f[0]);
    double scale = fmax(fabs(whole), fabs(up) + fabs(down)) + noise;
    if (fabs(whole - 2 * half) > 0.02 * scale + noise || fabs(up - down) > 0.1 * scale + noise) return false;
    *has = along(g, &v[3], &v[0], &size);
    *should = whole;
    if (!isfinite(*has)) return false; /* a pole on the way, with a slope of 0 behind it */
    return fabs(*has - whole) > 0.15 * fmax(fabs(*has), fabs(whole)) + 1e-3 * size + 100 * noise;
}

/* Nothing that is made of x is infinite or NaN, so its infinities and NaN do not reach y. */
static bool unread_is_0(const slope *a, const value *g, char *what, size_t size)
{
    const value *x = &a->m->value[a->x];
    const statement *s = &a->p->s[a->y];
    if (rows[s->row].interpret == interpret_pair_loss) /* a sign or share that is infinite is none: 0 times it is NaN */
        for (int k = 1; k < s->nin; k++)
            for (int64_t i = 0; s->in[k] >= 0 && i < a->m->value[s->in[k]].count; i++)
                if (!isfinite(get_f(&a->m->value[s->in[k]], i))) return true;
    for (int64_t i = 0; i < g->count; i++) {
        if (isfinite(get_f(x, i)) || get_f(g, i) == 0) continue;
        snprintf(what, size, "element %lld is %g, of a %g that reaches nothing", (long long)i, get_f(g, i), get_f(x, i));
        return false;
    }
    return true;
}

bool check_gradient(const program *p, machine *m, int i, const value *g, char *what, size_t size)
{
    static _Thread_local slope a;
    double has = 0, should = 0;
    if (p->s[i].in[1] >= 0 && p->s[i].in[0] >= 0 && rank_of(g->dtype) == 2 && !edges_hold(p, m, i, g, what, size)) return false;
    a.p = p, a.m = m, a.y = p->s[i].in[0], a.x = p->s[i].in[1];
    if (a.x < 0 || a.y < a.x || rank_of(g->dtype) != 2 || !g->count || g->count > 2000 || !is_plain(&a)) return true;
    if (a.x != a.y && !unread_is_0(&a, g, what, size)) return false;
    double step = a.unit < 1e-10 ? 0x1p-16 : 0x1p-8;
    for (uint64_t k = 0; k < 3; k++) /* every time, and with smaller steps as well */
        if (!differs(&a, g, p->seed + 77 * k + (uint64_t)i, k == 2 ? step / 4 : step, &has, &should)) return true;
    snprintf(what, size, "changes the sum by %.9g along a direction, differences say %.9g", has, should);
    return false;
}
