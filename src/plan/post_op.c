/* post_op: work that is done by the kernel of the call whose result it reads, which saves a step. It has members and a
 * reduction, like a group. If a device says which post-ops it accepts (slot `takes`), fuse asks for each value, and
 * the call's own result is never written to memory. If kernels share the host's threads, the pass below makes whole
 * groups post-ops of small products: each thread applies the group to the part it has just computed, while that is in
 * its cache. This saves a barrier; values and memory are those of two steps. */
#include "op/table.h"
#include "plan/build.h"
#include "plan/cost.h"

enum { MOST_MEMBERS = 4 };

/* The newest call whose result is an operand of v, not through a view; -1: none. */
static int32_t call_before(const situ_build *b, const situ_val *v)
{
    int32_t newest = -1;
    for (uint32_t i = 0; i < v->nin; i++) {
        const situ_val *x = b->val[v->in[i]];
        if (x->scalar || x->base != v->in[i] || x->step < 0 || x->step <= newest) continue;
        if (b->work[x->step].kind == SITU_WORK_CALL && b->work[x->step].domain == v->in[i]) newest = x->step;
    }
    return newest;
}

/* Makes v part of the post-op of the call, if v is the only reader of its result and the device accepts it. */
bool situ_build_join_call(situ_build *b, uint32_t self)
{
    situ_val *v = b->val[self];
    bool may = v->family != SITU_GENERATE && !v->cone && v->dev >= 0 && b->plan->dev[v->dev]->backend->takes;
    int32_t call = may ? call_before(b, v) : -1;
    if (call < 0) return false;
    situ_work *w = &b->work[call];
    const situ_val *x = b->val[w->domain];
    uint32_t before = w->domain;
    if (x->consumers != 1 || x->stored || x->asked || x->assigned || w->dev != v->dev || !situ_same_shape(v, x) ||
        w->count == MOST_MEMBERS)
        return false;
    for (uint32_t i = 0; i < v->nin; i++)
        if (v->in[i] != before && (b->val[v->in[i]]->late || situ_birth_of(b, v->in[i]) >= call)) return false;
    if (!situ_build_member_room(b, w)) return false;
    w->member[w->count++] = w->domain = self;
    v->step = call;
    b->val[w->called]->local = true;
    if (situ_build_takes(b, call)) return true;
    b->val[w->called]->local = --w->count > 0;
    w->domain = before;
    v->step = SITU_NO_STEP;
    return false;
}

/* ---- groups after small products ----------------------------------------------------------------------------------- */

/* Does the group read x only at its own position? False if it does not read x. */
static bool reads_place_by_place(const situ_build *b, const situ_work *group, uint32_t x)
{
    int64_t count = situ_val_count(b->val[group->domain]);
    bool reads = false;
    for (uint32_t i = 0; i < group->externals; i++) {
        const situ_val *v = b->val[group->external[i]];
        if (v->base != x) continue;
        if (v->offset || v->dynamic >= 0 || situ_val_count(v) != count || !situ_is_contiguous(v->ndim, v->dim, v->stride))
            return false;
        reads = true;
    }
    return reads && count == situ_val_count(b->val[x]);
}

/* Can the group be computed in parts? It may reduce to one number, but must not draw random numbers in pairs, nor
 * write a variable. */
static bool has_parts(const situ_build *b, const situ_work *group)
{
    if (group->kind != SITU_WORK_GROUP || group->until || group->beside || group->update || group->final) return false;
    if (group->reduction >= 0 && (situ_val_count(b->val[group->reduction]) != 1 || b->val[group->reduction]->assigned))
        return false;
    for (uint32_t i = 0; i < group->count; i++)
        if (b->val[group->member[i]]->family == SITU_GENERATE || b->val[group->member[i]]->assigned) return false;
    return true;
}

static bool is_small_matmul(const situ_build *b, const situ_work *w)
{
    const situ_val *v = b->val[w->domain];
    if (w->kind != SITU_WORK_CALL || w->count || w->beside || v->op != &situ_op_matmul) return false;
    return situ_cost_barrier_shows(situ_matmul_flops(b, v));
}

/* Makes the group the post-op of the call. */
static void join_group(situ_build *b, int32_t call, situ_work *group)
{
    situ_work *w = &b->work[call];
    w->domain = group->domain;
    w->member = group->member;
    w->count = group->count;
    w->reduction = group->reduction;
    for (uint32_t k = 0; k < situ_work_values(group); k++) b->val[situ_work_value(group, k)]->step = call;
    group->kind = SITU_WORK_NONE;
}

int situ_build_post_op(situ_build *b)
{
    if (b->plan->ndev != 1 || !b->plan->dev[0]->backend->shares_threads || !b->fusing) return 0;
    for (uint32_t at = 0; at + 1 < b->nwork; at++) {
        const situ_work *w = &b->work[b->order[at]];
        situ_work *next = &b->work[b->order[at + 1]];
        if (w->beside) at += w->beside - 1; /* skips concurrent steps */
        else if (is_small_matmul(b, w) && has_parts(b, next) && reads_place_by_place(b, next, w->domain))
            join_group(b, (int32_t)b->order[at], next);
    }
    return 0;
}
