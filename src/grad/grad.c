/* Reverse-mode differentiation: walks the graph from y back to the tensors asked for, and applies each operation's
 * gradient rule on the way. */
#include <situ/grad.h>
#include <stdlib.h>
#include <string.h>

#include <situ/ops.h>

#include "base/hint.h"
#include "base/memory.h"
#include "graph/owned.h"
#include "graph/walk.h"
#include "op/elementwise.h"
#include "op/precision.h"
#include "op/support.h"

typedef struct pull {
    situ_walk walk;
    uint32_t *first, *in; /* node i's operands are in[first[i] .. first[i] + nin)            */
    uint8_t *needs;       /* [node] does it depend, through floats, on a tensor asked for? */
    situ_tensor **grad;   /* [node] gradient so far; NULL: zero */
    uint32_t *of, *node;  /* node[of[k] .. of[k + 1]) stand for the k-th tensor asked for */
    bool partial;         /* the tensors asked for count as independent, even of one another */
    situ_site site;
} pull;

static bool is_float(const situ_tensor *t)
{
    return situ_dtype_is_float((situ_dtype)t->dtype) || situ_dtype_is_complex((situ_dtype)t->dtype);
}

/* True for another handle on the same tensor: a kept one whose scope has closed, or another thread's. Comparing memory
 * is not enough: a stored view may share its operand's memory. */
static bool same_tensor(const situ_tensor *t, const situ_tensor *asked)
{
    return t->op == &situ_op_stored && t->buffer && t->buffer == asked->buffer && situ_node_origin(t) == situ_node_origin(asked);
}

/* Does node t stand for the asked tensor (a read of a variable's present value, or the node itself)? */
static inline bool stands_for(const situ_tensor *t, const situ_tensor *asked)
{
    if (!(asked->flags & SITU_NODE_VARIABLE))
        return t == asked || (asked->flags & SITU_NODE_KEPT && situ_heap_target(situ_heap_of(asked)) == t) || same_tensor(t, asked);
    return situ_node_is_read(t) && situ_node_aside(t)->slot == situ_slot_of(asked) &&
        situ_node_aside(t)->version == situ_slot_version(situ_slot_of(asked));
}

/* ---- which nodes stand for the tensors asked for; a table, since there may be 100,000 of both ------------------------------- */

/* What identifies a node as the k-th tensor asked for: the node itself, its memory, or its variable. */
typedef struct mark {
    const void *key;
    uint32_t k;
} mark;

static int compare_marks(const void *a, const void *b)
{
    const mark *x = a, *y = b;
    if (x->key != y->key) return (uintptr_t)x->key < (uintptr_t)y->key ? -1 : 1;
    return x->k < y->k ? -1 : x->k > y->k;
}

static const void *target_of(const situ_tensor *asked)
{
    return asked->flags & SITU_NODE_KEPT ? situ_heap_target(situ_heap_of(asked)) : NULL;
}

/* Fills and sorts the table; `mark` has capacity for three entries for each tensor. */
static size_t list_marks(mark *m, situ_tensor *const *wrt, int count)
{
    size_t n = 0;
    for (uint32_t k = 0; k < (uint32_t)count; k++) {
        if (wrt[k]->flags & SITU_NODE_VARIABLE) {
            m[n++] = (mark){situ_slot_of(wrt[k]), k};
            continue;
        }
        const void *target = target_of(wrt[k]);
        m[n++] = (mark){wrt[k], k};
        if (target) m[n++] = (mark){target, k};
        if (wrt[k]->buffer) m[n++] = (mark){wrt[k]->buffer, k};
    }
    qsort(m, n, sizeof *m, compare_marks);
    return n;
}

static const mark *first_mark(const mark *m, size_t n, const void *key)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)m[middle].key < (uintptr_t)key) low = middle + 1;
        else high = middle;
    }
    return m + low;
}

/* Adds node i to the lists of all tensors that it stands for; before the lists exist it only counts. */
static void match_node(pull *p, uint32_t i, const mark *m, size_t n, situ_tensor *const *wrt)
{
    const situ_tensor *t = p->walk.node[i];
    const void *slot = situ_node_is_read(t) ? situ_node_aside(t)->slot : NULL;
    const void *key[] = {t, slot, t->op == &situ_op_stored ? t->buffer : NULL};
    for (int j = 0; j < 3; j++)
        for (const mark *e = key[j] ? first_mark(m, n, key[j]) : m + n; e < m + n && e->key == key[j]; e++) {
            bool known = j == 2 && (t == wrt[e->k] || target_of(wrt[e->k]) == t); /* already counted as the node itself */
            if (known || !stands_for(t, wrt[e->k])) continue;
            if (p->node) p->node[p->of[e->k]] = i;
            p->of[e->k]++;
        }
}

static int match(pull *p, situ_tensor *const *wrt, int count)
{
    uint32_t nodes = p->walk.count, all = 0;
    mark *m = situ_malloc((3 * (size_t)count + 1) * sizeof *m);
    p->of = situ_calloc((size_t)count + 2, sizeof *p->of);
    size_t n = m && p->of ? list_marks(m, wrt, count) : 0;
    for (uint32_t i = 0; i < nodes && p->of; i++) match_node(p, i, m, n, wrt);
    for (int k = 0; k < count && p->of; k++) { /* turns counts into start indices */
        uint32_t here = p->of[k];
        p->of[k] = all;
        all += here;
    }
    if (m && p->of) p->node = situ_malloc(((size_t)all + 1) * sizeof *p->node);
    for (uint32_t i = 0; i < nodes && p->node; i++) match_node(p, i, m, n, wrt);
    if (p->node) { /* filling moved the start of each list to its end; moves it back */
        memmove(p->of + 1, p->of, (size_t)count * sizeof *p->of);
        p->of[0] = 0;
    }
    situ_free(m);
    return p->node ? 0 : situ_fail(SITU_NO_MEMORY, p->site, "situ_grad: out of host memory");
}

/* ---- which nodes depend on them -------------------------------------------------------------------------------------------- */

/* The variable that t reads, if it has been assigned to since; else NULL. */
static inline const situ_tensor *overwritten_since(const situ_tensor *t)
{
    const situ_slot *s = situ_node_is_read(t) ? situ_node_aside(t)->slot : NULL;
    return s && situ_slot_has_other(s, situ_node_aside(t)->version) ? s->heap->node : NULL;
}

/* Lists operands by node number, because rules may trigger planning, which renumbers the nodes. */
static int list_operands(pull *p)
{
    const situ_walk *w = &p->walk;
    size_t all = 0;
    for (uint32_t i = 0; i < w->count; i++) all += w->flags[i] & SITU_WALK_LEAF ? 0 : w->node[i]->nin;
    p->first = situ_malloc((w->count + all + 1) * sizeof *p->first);
    if (!p->first) return situ_fail(SITU_NO_MEMORY, p->site, "situ_grad: out of host memory");
    p->in = p->first + w->count;
    uint32_t at = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        const situ_tensor *t = w->node[i];
        p->first[i] = at;
        for (int k = 0; k < t->nin && !(w->flags[i] & SITU_WALK_LEAF); k++) p->in[at++] = situ_node_in(t)[k]->index;
    }
    return 0;
}

static int fail_older(const situ_tensor *variable, situ_site site)
{
    char text[512];
    return situ_fail(SITU_OVERWRITTEN, site,
        "situ_grad: y was computed from a value that %s had before it was assigned to; ask for the gradient before the assignment, "
        "or compute y anew",
        situ_operand_text(variable, text, sizeof text));
}

static int mark_needs(pull *p, situ_tensor *const *wrt, int count)
{
    situ_walk *w = &p->walk;
    int rc = match(p, wrt, count);
    if (rc) return rc;
    for (uint32_t at = 0; at < p->of[count]; at++) p->needs[p->node[at]] = 1;
    for (uint32_t i = 0; i < w->count; i++) {
        const situ_tensor *t = w->node[i], *variable = p->partial ? NULL : overwritten_since(t);
        /* An error even if the gradient asked for does not need this value: otherwise it would depend on what was
         * computed before. */
        if (variable) return fail_older(variable, p->site);
        if (!is_float(t)) continue;
        if (p->partial && p->needs[i]) continue;
        for (int k = 0; k < t->nin && !(w->flags[i] & SITU_WALK_LEAF); k++)
            p->needs[i] |= p->needs[p->in[p->first[i] + (uint32_t)k]] ? 2 : 0;
    }
    return 0;
}

/* Sums over axes that were broadcast, and converts to the operand's dtype. */
static situ_tensor *like(situ_tensor *g, const situ_tensor *x, situ_site site)
{
    if (g->flags & SITU_NODE_POISON) return g;
    /* The gradient of a scalar node is placed on x's device. */
    if (g->flags & SITU_NODE_SCALAR) g = situ_as_tensor(g, (situ_dtype)x->dtype, x, "grad", site);
    if (g->ndim < x->ndim) g = (situ_broadcast_to)(g, situ_shape_like(x), site);
    if (g->flags & SITU_NODE_POISON) return g;
    int extra = g->ndim - x->ndim;
    situ_sum_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .dtype = SITU_DTYPE_DEFAULT, .keepdims = true};
    o.axes.given = 1;
    bool grow = false;
    for (int i = 0; i < g->ndim; i++) {
        if (i < extra || (x->dim[i - extra] == 1 && g->dim[i] != 1)) o.axes.axis[o.axes.count++] = i;
        else grow |= g->dim[i] != x->dim[i - extra];
    }
    if (o.axes.count) g = (situ_sum)(g, &o, site);
    if (extra > 0) g = (situ_reshape)(g, situ_shape_like(x), site);
    if (grow) g = (situ_broadcast_to)(g, situ_shape_like(x), site);
    return g->dtype == x->dtype ? g : (situ_cast)(g, (situ_dtype)x->dtype, site);
}

static int pull_through(
    situ_tensor *y, situ_tensor *g, situ_tensor *const *wrt, int count, bool partial, situ_tensor **out, situ_site site);

/* Operations whose rules combine two operands that may both be scalars: scalars become tensors with the result's dtype
 * and device. */
static bool lone_numbers(const situ_op *op)
{
    return op->family == SITU_ELEMENTWISE && (op->code == SITU_EL_pow || op->code == SITU_EL_clip);
}

/* Gradients by a composite's operands, treated as independent; for an operand given twice the first entry has the
 * whole gradient. */
static int through_expansion(situ_tensor *t, situ_tensor *g, const bool *need, situ_tensor **out, situ_site site)
{
    situ_tensor **in = situ_node_in(t), *asked[16], *back[16];
    int from[16], n = 0;
    for (int k = 0; k < t->nin && k < 16; k++) {
        bool fresh = need[k];
        for (int i = 0; i < n; i++) fresh &= asked[i] != in[k];
        if (!fresh) continue;
        from[n] = k;
        asked[n++] = in[k];
    }
    situ_tensor *y = t->op->expand(in, t->nin, situ_node_attr(t), site);
    if (pull_through(y, g, asked, n, true, back, site)) return -situ_error_code;
    for (int i = 0; i < n; i++) out[from[i]] = back[i];
    return 0;
}

/* out[k] = the gradient by operand k of node t, if needed; *before: see situ_vjp. */
static int apply_rule(pull *p, situ_tensor *t, situ_tensor *g, const bool *need, situ_tensor **out, situ_tensor **before)
{
    const situ_op *op = t->op;
    situ_site site = t->site ? t->site : p->site;
    if (op->vjp) {
        SITU_SPEAK_INSTEAD(situ_node_aside(t)->speaker ? situ_node_aside(t)->speaker : op->name, site);
        situ_tensor *few[3], **in = situ_node_in(t);
        if (lone_numbers(op)) {
            for (int i = 0; i < t->nin; i++) few[i] = situ_as_tensor(in[i], (situ_dtype)t->dtype, t, op->name, site);
            in = few;
        }
        situ_vjp c = {.y = t, .g = g, .nin = t->nin, .in = in, .need = need, .out = out, .before = before, .site = site};
        situ_thread_state.rules++;
        op->vjp(&c);
        situ_thread_state.rules--;
        return situ_error_code ? -situ_error_code : 0;
    }
    if (op->family == SITU_COMPOSITE) return through_expansion(t, g, need, out, site);
    return situ_fail(SITU_NO_GRADIENT, site,
        "%s has no gradient: %s; wrap its operand in " SITU_SAY("situ_stop_gradient", "situ.stop_gradient") " if none should pass",
        op->name, op->no_gradient ? op->no_gradient : "it is not differentiable");
}

static int pull_node(pull *p, uint32_t i)
{
    situ_walk *w = &p->walk;
    situ_tensor *t = w->node[i];
    bool few_need[8], *need = few_need;
    situ_tensor *few_out[8], **out = few_out;
    void *block = NULL;
    if (t->nin > 8) {
        if (!(block = situ_malloc(t->nin * (sizeof *need + sizeof *out))))
            return situ_fail(SITU_NO_MEMORY, p->site, "situ_grad: out of host memory");
        out = block;
        need = (bool *)(out + t->nin);
    }
    for (int k = 0; k < t->nin; k++) {
        need[k] = p->needs[p->in[p->first[i] + (uint32_t)k]] != 0;
        out[k] = NULL;
    }
    situ_tensor **first = t->nin ? &p->grad[p->in[p->first[i]]] : NULL;
    bool invariant = situ_thread_state.invariant;
    situ_thread_state.invariant = t->invariant;
    int rc = apply_rule(p, t, p->grad[i], need, out, first);
    situ_thread_state.invariant = invariant;
    for (int k = 0; k < t->nin && !rc; k++) {
        if (!need[k] || !out[k]) continue;
        uint32_t x = p->in[p->first[i] + (uint32_t)k];
        situ_tensor *g = like(out[k], w->node[x], t->site ? t->site : p->site);
        p->grad[x] = p->grad[x] ? (situ_add)(p->grad[x], g, t->site) : g;
        if (p->grad[x]->flags & SITU_NODE_POISON) rc = -situ_error_code;
    }
    situ_free(block);
    return rc;
}

/* In Python nothing tells how long a history is needed, so computed values keep the histories of some thousand
 * operations (graph/history.c). */
static int fail_forgotten(const situ_tensor *t, const situ_tensor *x, situ_site site)
{
    char a[512], b[512];
    return situ_fail(SITU_NO_GRADIENT, site,
        "situ_grad: %s was computed many operations ago, and has forgotten how it came from %s; differentiate by a variable, or a "
        "function, which keep longer histories: " SITU_SAY("situ_variable(x)", "situ.variable(x), situ.grad(f)(x)"),
        situ_operand_text(t, a, sizeof a), situ_operand_text(x, b, sizeof b));
}

static int check_histories(const pull *p, situ_tensor *const *wrt, int count)
{
    const situ_walk *w = &p->walk;
    for (uint32_t i = 0; i < w->count; i++)
        for (int k = 0; k < count && w->node[i]->flags & SITU_NODE_CUT; k++)
            if (situ_history_reached(w->node[i], wrt[k])) return fail_forgotten(w->node[i], wrt[k], p->site);
    return 0;
}

/* SITU_DEBUG=hints: warns if the program asks for a gradient by a tensor that the value does not depend on. */
static void hint_apart(const pull *p, const situ_tensor *x, int k)
{
    static const char *const asked_by[] = {"situ_grad", "situ_pullback", "grad", "pullback"}; /* the last two are Python's */
    const char *name = situ_speaking.name;
    char text[512];
    bool asked = false;
    for (size_t i = 0; name && i < sizeof asked_by / sizeof *asked_by; i++) asked |= !strcmp(name, asked_by[i]);
    if (p->partial || !situ_hints() || !asked) return;
    situ_hint(p->site,
        "%s: the value does not depend on number %d of what it is differentiated by, %s: that gradient is 0. (What was read to the "
        "host, cast to integers or assigned to a variable on the way has lost its history.)",
        SITU_SAY("situ_grad", "grad"), k, situ_operand_text(x, text, sizeof text));
}

static int pull_all(pull *p, situ_tensor *g, situ_tensor *const *wrt, int count, situ_tensor **out)
{
    situ_walk *w = &p->walk;
    int forgotten = w->count ? check_histories(p, wrt, count) : 0;
    if (!w->count || forgotten) return forgotten;
    p->grad[w->count - 1] = g;
    for (uint32_t i = w->count; i-- > 0;) {
        if (!p->grad[i] || !(p->needs[i] & 2) || w->flags[i] & SITU_WALK_LEAF) continue;
        int rc = pull_node(p, i);
        if (rc) return rc;
    }
    for (int k = 0; k < count; k++) {
        out[k] = NULL;
        for (uint32_t i = p->of[k]; i < p->of[k + 1]; i++) {
            situ_tensor *here = p->grad[p->node[i]];
            if (here) out[k] = out[k] ? (situ_add)(out[k], here, p->site) : here;
        }
        if (out[k]) continue;
        hint_apart(p, wrt[k], k);
        out[k] = (situ_zeros_like)(wrt[k], NULL, p->site);
    }
    return situ_error_code ? -situ_error_code : 0;
}

static int pull_through(
    situ_tensor *y, situ_tensor *g, situ_tensor *const *wrt, int count, bool partial, situ_tensor **out, situ_site site)
{
    pull p = {.partial = partial, .site = site};
    p.walk.through = true;
    situ_mutex_lock(&situ_planner);
    int rc = situ_walk_collect(&p.walk, &y, 1, NULL, 0, site);
    if (!rc) rc = list_operands(&p);
    situ_mutex_unlock(&situ_planner);
    if (!rc) {
        p.needs = situ_calloc(p.walk.count + 1u, 1);
        p.grad = situ_calloc(p.walk.count + 1u, sizeof *p.grad);
        rc = p.needs && p.grad ? mark_needs(&p, wrt, count) : situ_fail(SITU_NO_MEMORY, site, "situ_grad: out of host memory");
    }
    if (!rc) rc = pull_all(&p, g, wrt, count, out);
    situ_walk_free(&p.walk);
    situ_free(p.first);
    situ_free(p.needs);
    situ_free(p.grad);
    situ_free(p.of);
    situ_free(p.node);
    return rc;
}

static int fail_device(const situ_tensor *y, const situ_tensor *g, situ_site site)
{
    char a[512], b[512];
    return situ_fail(SITU_BAD_DEVICE, site, "situ_pullback: y (%s) and its gradient g (%s) live on different devices",
        situ_operand_text(y, a, sizeof a), situ_operand_text(g, b, sizeof b));
}

/* Checks that g has y's shape or is one number: anything else would be broadcast or summed silently. */
static bool is_shaped_like(const situ_tensor *g, const situ_tensor *y)
{
    return !g->ndim || situ_shape_equal(g->ndim, g->dim, y->ndim, y->dim);
}

static int fail_shape(const situ_tensor *y, const situ_tensor *g, situ_site site)
{
    char a[512], b[512];
    return situ_fail(SITU_BAD_SHAPE, site, "situ_pullback: the gradient g (%s) does not have the shape of y (%s)",
        situ_operand_text(g, a, sizeof a), situ_operand_text(y, b, sizeof b));
}

static int checked(situ_tensor *y, situ_tensor *g, situ_list by, situ_tensor **out, situ_site site)
{
    situ_tensor *const *wrt = by.tensor;
    int count = by.count;
    char text[512];
    if (situ_error_code || !situ_thread_get()) return -situ_error_code;
    if (count < 0 || (count && (!wrt || !out)))
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_grad: no tensors to differentiate by, or no array for the gradients");
    if (!situ_usable(&y, 1, "situ_grad", site) || !situ_usable(wrt, count, "situ_grad", site)) return -situ_error_code;
    if (!(y = situ_resolve(y, site))) return -situ_error_code;
    if (!is_float(y))
        return situ_fail(SITU_NO_GRADIENT, site, "situ_grad: %s is no float", situ_operand_text(y, text, sizeof text));
    if (y->flags & SITU_NODE_NO_GRAD)
        return situ_fail(SITU_NO_GRADIENT, site,
            "situ_grad: %s was recorded under " SITU_SAY("situ_no_grad",
                "situ.no_grad()") ", where nothing has a gradient; record it outside, or what should be a constant alone inside",
            situ_operand_text(y, text, sizeof text));
    if (!g && situ_dtype_is_complex((situ_dtype)y->dtype))
        return situ_fail(SITU_NO_GRADIENT, site,
            "situ_grad: %s is complex; take " SITU_SAY("situ_real or situ_abs of it, or use situ_pullback",
                "situ.real or situ.abs of it, or use situ.gradients(y, wrt, g)"),
            situ_operand_text(y, text, sizeof text));
    if (!g && y->ndim)
        return situ_fail(SITU_BAD_SHAPE, site,
            "situ_grad: the value that is differentiated (%s) is no single number; reduce it with " SITU_SAY(
                "situ_sum or situ_mean, or use situ_pullback",
                "situ.sum or situ.mean, or use situ.vjp or situ.gradients(y, wrt, g)"),
            situ_operand_text(y, text, sizeof text));
    for (int k = 0; k < count; k++)
        if (!is_float(wrt[k]) || wrt[k]->flags & SITU_NODE_SCALAR)
            return situ_fail(SITU_NO_GRADIENT, site, "situ_grad: cannot differentiate by %s: only float tensors and variables",
                situ_operand_text(wrt[k], text, sizeof text));
    if (!g) g = (situ_ones_like)(y, NULL, site);
    else if (!situ_usable(&g, 1, "situ_pullback", site) || !(g = situ_resolve(g, site))) return -situ_error_code;
    else if (!(g->flags & SITU_NODE_SCALAR) && !situ_device_equal(g->device, y->device)) return fail_device(y, g, site);
    else if (!is_shaped_like(g, y)) return fail_shape(y, g, site);
    else g = like(g, y, site);
    return g->flags & SITU_NODE_POISON ? -situ_error_code : pull_through(y, g, wrt, count, false, out, site);
}

int(situ_pullback)(situ_tensor *y, situ_tensor *g, situ_list wrt, situ_tensor **out, situ_site site)
{
    SITU_SPEAK("situ_pullback", site);
    uint8_t precision = situ_precision_swap(0); /* each product's gradient has the precision of the product */
    int rc = checked(y, g, wrt, out, site);
    situ_precision_swap(precision);
    for (int k = 0; k < wrt.count && rc && out; k++) out[k] = situ_poisoned();
    return rc;
}

int(situ_grad)(situ_tensor *y, situ_list wrt, situ_tensor **out, situ_site site)
{
    SITU_SPEAK("situ_grad", site);
    return (situ_pullback)(y, NULL, wrt, out, site);
}

bool situ_no_grad(bool on)
{
    situ_thread *th = situ_thread_get();
    bool before = th && th->no_grad;
    if (th) th->no_grad = on;
    return before;
}
