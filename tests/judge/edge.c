/* Gradients where finite differences are useless: at corners, poles, limits and NaN. The rule of docs/gradients.md:
 * where the value is NaN so is the gradient; where the function is flat it is 0; it is never NaN where the value is a
 * number. Applied to a single statement y of x: functions of one number, losses of pairs, and reductions. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "elements.h"
#include "function_kinds.h"
#include "interpret.h"
#include "reduce_kinds.h"

typedef struct edge {
    const program *p;
    const machine *m;
    const statement *s; /* the statement that makes y from x */
    int x, y;
    const value *g;
    char *what;
    size_t size;
} edge;

static bool is_among(const statement *s, const char *names)
{
    char word[64];
    snprintf(word, sizeof word, " %s ", rows[s->row].name);
    return strstr(names, word) != NULL;
}

static bool says(const edge *e, int64_t i, double y, const char *why)
{
    snprintf(e->what, e->size, "element %lld is %g where x is %g and y %g: %s", (long long)i, get_f(e->g, i),
        get_f(&e->m->value[e->x], i), y, why);
    return false;
}

/* ---- functions of one number ---- */

static bool is_pointwise(const edge *e)
{
    const statement *s = e->s;
    const row *r = &rows[s->row];
    int times = 0;
    for (int k = 0; k < s->nin; k++) {
        times += s->in[k] == e->x;
        if (s->in[k] > e->x && rows[e->p->s[s->in[k]].row].group != G_LEAF) return false; /* another operand may depend
                                                                                           * on x as well */
    }
    if (times != 1 || is_among(s, " remainder fmod ")) return false; /* these functions jump */
    if (r->interpret == interpret_activation) return true;
    if (r->interpret == interpret_pair_loss) return s->attr[0] == 2 && s->in[0] == e->x;
    return r->group == G_ELEMENT && r->arity < 3 && (r->kind == K_FLOAT || r->kind == K_NUMBER) && !is_among(s, " nextafter ");
}

/* The slope by an exponent is a logarithm of the base. */
static bool is_exponent(const edge *e, int64_t i)
{
    if (!is_among(e->s, " pow ") || e->s->in[1] != e->x) return false;
    const value *base = e->s->in[0] < 0 ? NULL : &e->m->value[e->s->in[0]];
    return base && base->bits && base->count == e->g->count && !(get_f(base, i) >= 0);
}

/* The value y for an x slightly below or above; false: the interpreter has none. */
static bool beside(const edge *e, double share, value *x, value *y)
{
    static _Thread_local machine at;
    at = *e->m;
    at.known = NULL;
    *x = e->m->value[e->x];
    x->bits = take(at.memory, (size_t)x->count * size_of(x->dtype) + 16);
    for (int64_t i = 0; i < x->count; i++) {
        double f = get_f(&e->m->value[e->x], i);
        set_f(x, i, isfinite(f) ? f + share * fmax(1e-3, fabs(f)) : f);
    }
    at.value[e->x] = *x;
    interpret(&at, e->p, e->y);
    *y = at.value[e->y];
    return y->status == FINE && y->bits && y->count == x->count;
}

/* Of two numbers, neither is so large that the other is lost beside it. */
static bool is_moderate(const edge *e, int64_t i)
{
    for (int k = 0; k < e->s->nin && rows[e->s->row].arity == 2; k++) {
        const value *v = e->s->in[k] < 0 ? NULL : &e->m->value[e->s->in[k]];
        if (v && (!v->bits || v->count != e->g->count || !(fabs(get_f(v, i)) < 1e6))) return false;
    }
    return true;
}

/* Checks the gradient where the function is flat or smooth, so that it is known. */
static bool slopes_hold(const edge *e)
{
    value x[3], y[3];
    for (int k = 0; k < 3; k++)
        if (!beside(e, (k - 1) * 1e-6, &x[k], &y[k])) return true;
    for (int64_t i = 0; i < e->g->count; i++) {
        double at = get_f(&x[1], i), g = get_f(e->g, i), f[3] = {get_f(&y[0], i), get_f(&y[1], i), get_f(&y[2], i)};
        if (!is_moderate(e, i) || !isfinite(at) || !isfinite(f[0]) || !isfinite(f[1]) || !isfinite(f[2])) continue;
        double left = (f[1] - f[0]) / (at - get_f(&x[0], i)), right = (f[2] - f[1]) / (get_f(&x[2], i) - at);
        bool sized = (fabs(at) >= 1e-3 && fabs(at) < 1e6) || at == 0;
        double hidden = 4 * DBL_EPSILON * fabs(f[1]) / (at - get_f(&x[0], i)); /* rounding error of a slope computed
                                                                                * from the values */
        if (left == 0 && right == 0 && !(fabs(g) <= 1e-9 + hidden)) return says(e, i, f[1], "it is flat there");
        bool smooth = sized && fabs(left) < 1e3 && fabs(right) < 1e3 && fabs(left - right) < 1e-4 * (1 + fabs(left));
        if (smooth && !(fabs(g - left) <= 1e-3 * (1 + fabs(left)) + hidden))
            return says(e, i, f[1], "it is smooth there, with another slope");
    }
    return true;
}

/* The exact value of the function of one number; false: only the rounded value is known. */
static bool exact_at(const edge *e, double x, long double *y)
{
    const row *r = &rows[e->s->row];
    const double in[3] = {x};
    if (r->group == G_ELEMENT && r->arity == 1 && r->ulp > 0 && !is_among(e->s, " tanh sigmoid "))
        return *y = exact_element(r->variant, in), true;
    if (r->interpret == interpret_activation && r->variant == F_ELU) return *y = activation_of(F_ELU, x, e->s), true;
    return false;
}

/* Slopes must keep their digits even if the value is near a limit. (Those of tanh and sigmoid are computed from the
 * value.) */
static bool digits_hold(const edge *e)
{
    long double slope[2], y[2];
    for (int64_t i = 0; i < e->g->count; i++) {
        double at = get_f(&e->m->value[e->x], i), far = e->g->dtype == SITU_F64 ? 1e100 : 1e30;
        for (int k = 0; k < 2; k++) {
            double step = ldexp(fabs(at), -20 - k), up = at + step, down = at - step;
            if (!exact_at(e, up, &y[1]) || !exact_at(e, down, &y[0])) return true;
            slope[k] = (y[1] - y[0]) / ((long double)up - down);
        }
        /* both steps are short, and visible in the digits of the values */
        bool seen = fabsl(y[1] - y[0]) > 1e6L * LDBL_EPSILON * fabsl(y[1]);
        bool known = seen && at != 0 && fabs(at) < 1e4 && fabsl(slope[0] - slope[1]) <= 1e-4L * fabsl(slope[1]);
        if (!known || !(fabsl(slope[1]) < far && fabsl(slope[1]) > 1 / far)) continue;
        if (!(fabsl(get_f(e->g, i) - slope[1]) <= 0.01L * fabsl(slope[1])))
            return says(e, i, get_f(&e->m->value[e->y], i), "its digits are lost");
    }
    return true;
}

static bool points_hold(const edge *e)
{
    const value *x = &e->m->value[e->x], *y = &e->m->value[e->y];
    bool moves = is_among(e->s, " positive negative leaky_relu elu sign kl_div ") || rows[e->s->row].arity == 2,
         formula = is_among(e->s, " log log2 log10 log1p atanh ");
    if (y->count != x->count || y->dtype != x->dtype) return true;
    for (int64_t i = 0; i < x->count; i++) {
        double at = get_f(x, i), f = get_f(y, i), g = get_f(e->g, i);
        bool exempt = (moves && (isnan(at) || rows[e->s->row].arity == 2)) || (formula && !isnan(at));
        if (isnan(f) && !isnan(g) && !exempt) return says(e, i, f, "the value is NaN");
        if (!isnan(f) && isnan(g) && !is_exponent(e, i) && is_moderate(e, i)) return says(e, i, f, "the value is a number");
    }
    return digits_hold(e) && (x->dtype != SITU_F64 || slopes_hold(e));
}

/* ---- of many numbers one ---- */

/* The reduction whose groups have one result each; false: there is none. */
static bool groups_of(const edge *e, reduction *r)
{
    const value *x = &e->m->value[e->x];
    statement all = *e->s;
    if (e->s->in[0] != e->x) return false;
    if (is_among(e->s, " global_norm ")) return e->s->nin == 1 && (all.attr[0] = -1, all.attr[8] = 0, plan_axes(&all, x, r));
    return is_among(e->s, " max min norm std var logsumexp median quantile ") && plan_axes(e->s, x, r);
}

static bool groups_hold(const edge *e, const reduction *r)
{
    const value *x = &e->m->value[e->x], *y = &e->m->value[e->y];
    for (int64_t k = 0; k < y->count; k++) {
        bool nan = false, finite = isfinite(get_f(y, k));
        for (int64_t i = 0; i < x->count; i++)
            if (target(r, x, i) == k) nan = nan || isnan(get_f(x, i)), finite = finite && isfinite(get_f(x, i));
        for (int64_t i = 0; i < x->count && (nan || finite); i++) {
            if (target(r, x, i) != k) continue;
            if (nan && r->n > 1 && isnan(get_f(y, k)) && !isnan(get_f(e->g, i))) return says(e, i, get_f(y, k), "the value is NaN");
            if (finite && isnan(get_f(e->g, i))) return says(e, i, get_f(y, k), "the value is a number");
        }
    }
    return true;
}

bool edges_hold(const program *p, const machine *m, int i, const value *g, char *what, size_t size)
{
    edge e = {
        .p = p, .m = m, .s = &p->s[p->s[i].in[0]], .y = p->s[i].in[0], .x = p->s[i].in[1], .g = g, .what = what, .size = size};
    reduction r;
    if (e.y <= e.x || e.s->off || !e.s->nin || (e.s->nin > 1 && may_be_its_operand(p, m, e.x))) return true;
    const value *x = &m->value[e.x], *y = &m->value[e.y];
    bool there = x->status == FINE && y->status == FINE && x->bits && y->bits && x->count == g->count && x->count <= 4000;
    if (!there || rank_of(x->dtype) != 2 || rank_of(y->dtype) != 2) return true;
    if (is_pointwise(&e)) return points_hold(&e);
    return y->count > 64 || !groups_of(&e, &r) || groups_hold(&e, &r);
}
