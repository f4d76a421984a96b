/* order: moves steps that overwrite variables to the end, after every step that can fail and every reader of the old
 * values. A product that only such a step reads is moved to just before it, if it cannot fail: then the gradient of a
 * large parameter is still in the cache, and all such gradients reuse the same memory. */
#include <string.h>

#include "op/table.h"
#include "plan/build.h"

enum { EARLY = 1, BY_UPDATE = 2 /* kinds of readers of a value */, LEAST_BYTES = 1 << 20 /* larger than the caches of a core */ };

/* Does a step other than an update read a result of step w? */
static bool read_early(const situ_build *b, const situ_work *w)
{
    for (uint32_t k = 0; k < situ_work_values(w); k++)
        if (b->read[situ_work_value(w, k)] & EARLY) return true;
    return false;
}

/* True if x is the present value of a variable that the plan assigns to. */
static bool is_old(const situ_build *b, uint32_t x)
{
    for (uint32_t i = 0; i < b->walk->assignments; i++)
        if (b->walk->assignment[i].old >= 0 && b->value_of[b->walk->assignment[i].old] == x) return true;
    return false;
}

/* May the product be delayed until the update? Not if its operands, which then live longer, are larger than its
 * result. */
static bool may_wait(const situ_build *b, const situ_work *w)
{
    const situ_val *v = w->kind == SITU_WORK_CALL ? b->val[w->called] : NULL;
    if (!v || v->op != &situ_op_matmul || w->count || w->reduction >= 0 || b->read[w->called] != BY_UPDATE) return false;
    const situ_backend *backend = b->plan->dev[v->dev]->backend;
    if (!b->fusing || b->plan->ndev != 1 || !backend->sure || v->asked || v->stored || v->assigned) return false;
    int64_t bytes = situ_val_bytes(v), waiting = 0;
    situ_layout in[3];
    for (uint32_t k = 0; k < v->nin; k++) {
        const situ_val *x = b->val[v->in[k]], *base = b->val[x->base];
        if (k > 1 || x->scalar || is_old(b, x->base)) return false;
        if (base->family != SITU_LEAF) waiting += situ_val_bytes(base);
        in[k] = situ_val_layout(x);
    }
    situ_call_desc call = {.op = v->op, .nin = (int)v->nin, .out = situ_val_layout(v), .in = in, .invariant = v->node->invariant};
    return bytes >= LEAST_BYTES && waiting <= bytes && backend->sure(&call);
}

/* Does v read its operand k from memory, that is, from another step or as a view? */
static bool reads_memory(const situ_build *b, const situ_val *v, uint32_t k)
{
    const situ_val *x = b->val[v->in[k]];
    return x->base != v->in[k] || x->step != v->step;
}

static void note_reads(const situ_build *b, const situ_val *v, uint8_t who)
{
    for (uint32_t k = 0; k < v->nin; k++)
        if (reads_memory(b, v, k)) b->read[b->val[v->in[k]]->base] |= who;
}

/* Moves updates that only updates read. Their order does not change, since each step reads results of older ones. What
 * delayed products read is computed before them. */
static void find_final(const situ_build *b)
{
    for (uint32_t i = b->nwork; i-- > 0;) {
        situ_work *w = &b->work[i];
        bool update = w->update && !read_early(b, w);
        w->final = update || may_wait(b, w);
        for (uint32_t k = 0; k < situ_work_values(w); k++) note_reads(b, b->val[situ_work_value(w, k)], update ? BY_UPDATE : EARLY);
    }
}

static void append(situ_build *b, uint32_t work, uint32_t *n)
{
    b->work[work].position = (int32_t)*n;
    b->order[(*n)++] = work;
}

/* Appends the products that wait for the step, then the step. */
static void append_update(situ_build *b, uint32_t work, uint32_t *n)
{
    const situ_work *w = &b->work[work];
    for (uint32_t k = 0; k < w->externals && w->kind == SITU_WORK_GROUP; k++) {
        int32_t from = b->val[b->val[w->external[k]]->base]->step;
        if (from >= 0 && b->work[from].final && !b->work[from].update && b->work[from].position < 0) append(b, (uint32_t)from, n);
    }
    append(b, work, n);
}

int situ_build_order(situ_build *b)
{
    b->read = situ_build_alloc(b, b->count + 1u);
    b->order = situ_build_alloc(b, sizeof *b->order * (b->nwork + 1u));
    if (!b->read || !b->order) return situ_fail(SITU_NO_MEMORY, b->site, "out of host memory while planning");
    if (b->walk->assignments) find_final(b);
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->nwork; i++) {
        b->work[i].position = -1;
        if (!b->work[i].final) append(b, i, &n);
    }
    for (uint32_t i = 0; i < b->nwork; i++)
        if (b->work[i].final && b->work[i].update) append_update(b, i, &n);
    /* why a value has memory: it is stored, or read by other steps up to the last of them */
    for (uint32_t i = 0; i < b->count; i++) {
        situ_val *v = b->val[i];
        if (v->family == SITU_VIEW || v->family == SITU_LEAF) continue;
        int32_t here = b->work[v->step].position;
        for (uint32_t k = 0; k < v->nin; k++) {
            if (!reads_memory(b, v, k)) continue;
            uint32_t base = b->val[v->in[k]]->base;
            if (b->val[base]->last < here) b->val[base]->last = here;
            b->read[base] = 1;
        }
    }
    return 0;
}
