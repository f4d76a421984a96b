/* order: steps that overwrite variables go last, after everything that can fail and every reader of the old values. */
#include <string.h>

#include "plan/build.h"

/* Is anything that step w makes read by another step? */
static bool read_elsewhere(const situ_build *b, const situ_work *w)
{
    if (w->kind == SITU_WORK_CALL && b->read[w->domain]) return true;
    for (uint32_t i = 0; i < w->count; i++)
        if (b->read[w->member[i]]) return true;
    return w->fold >= 0 && b->val[w->fold]->consumers > 0;
}

/* Does v read its operand k from memory: as what another step made, or as a view? */
static bool reads_memory(const situ_build *b, const situ_val *v, uint32_t k)
{
    const situ_val *x = b->val[v->in[k]];
    return x->base != v->in[k] || x->step != v->step;
}

/* Values whose memory a step other than their own reads. */
static void find_reads(const situ_build *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        const situ_val *v = b->val[i];
        if (v->family == SITU_VIEW || v->family == SITU_LEAF) continue;
        for (uint32_t k = 0; k < v->nin; k++)
            if (reads_memory(b, v, k)) b->read[b->val[v->in[k]]->base] = 1;
    }
}

int situ_build_order(situ_build *b)
{
    b->read = situ_build_alloc(b, b->count + 1u);
    b->order = situ_build_alloc(b, sizeof *b->order * (b->nwork + 1u));
    if (!b->read || !b->order) return situ_fail(SITU_NO_MEMORY, b->site, "out of host memory while planning");
    if (b->walk->assignments) find_reads(b);
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->nwork; i++) {
        b->work[i].final = b->work[i].update && !read_elsewhere(b, &b->work[i]);
        if (b->work[i].final) continue;
        b->work[i].position = (int32_t)n;
        b->order[n++] = i;
    }
    for (uint32_t i = 0; i < b->nwork; i++) {
        if (!b->work[i].final) continue;
        b->work[i].position = (int32_t)n;
        b->order[n++] = i;
    }
    /* what a value's memory is for: stored itself, or read by other steps until the last of them */
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
