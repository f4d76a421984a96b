/* order: moves steps that overwrite variables to the end, after every step that can fail and every reader of the old
 * values. */
#include <string.h>

#include "plan/build.h"

/* Does a step that is no update read a result of step w? */
static bool read_early(const situ_build *b, const situ_work *w)
{
    for (uint32_t k = 0; k < situ_work_values(w); k++)
        if (b->read[situ_work_value(w, k)]) return true;
    return false;
}

/* Does v read its operand k from memory: a result of another step, or a view? */
static bool reads_memory(const situ_build *b, const situ_val *v, uint32_t k)
{
    const situ_val *x = b->val[v->in[k]];
    return x->base != v->in[k] || x->step != v->step;
}

static void note_reads(const situ_build *b, const situ_val *v)
{
    for (uint32_t k = 0; k < v->nin; k++)
        if (reads_memory(b, v, k)) b->read[b->val[v->in[k]]->base] = 1;
}

/* Moves updates that only updates read; their order among themselves stays, since each step reads results of older
 * ones. */
static void find_final(const situ_build *b)
{
    for (uint32_t i = b->nwork; i-- > 0;) {
        situ_work *w = &b->work[i];
        w->final = w->update && !read_early(b, w);
        if (w->final) continue;
        for (uint32_t k = 0; k < situ_work_values(w); k++) note_reads(b, b->val[situ_work_value(w, k)]);
    }
}

int situ_build_order(situ_build *b)
{
    b->read = situ_build_alloc(b, b->count + 1u);
    b->order = situ_build_alloc(b, sizeof *b->order * (b->nwork + 1u));
    if (!b->read || !b->order) return situ_fail(SITU_NO_MEMORY, b->site, "out of host memory while planning");
    if (b->walk->assignments) find_final(b);
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->nwork; i++) {
        if (b->work[i].final) continue;
        b->work[i].position = (int32_t)n;
        b->order[n++] = i;
    }
    for (uint32_t i = 0; i < b->nwork; i++) {
        if (!b->work[i].final) continue;
        b->work[i].position = (int32_t)n;
        b->order[n++] = i;
    }
    /* why a value has memory: it is stored, or read by other steps until the last of them */
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
