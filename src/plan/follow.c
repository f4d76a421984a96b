/* follow: a group that reads a product element by element becomes one step with it. Each thread applies the group to
 * the part of the product that it has just computed, while that is in its cache; one barrier is saved. Values and
 * memory are those of two steps, but the product's operands keep their memory until the group is done. */
#include "op/table.h"
#include "plan/build.h"
#include "tensor/shape.h"

static const double least_flops = 1.2e6,
                    most_flops =
                        4.2e6; /* Only for products big enough for two threads but small enough that one extra barrier shows. */

/* Does the group read x at its own position only? False if it does not read x. */
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

/* Can the group be computed in parts? It may reduce to one number, draws no random numbers in pairs, and writes no
 * variable. */
static bool comes_in_parts(const situ_build *b, const situ_work *group)
{
    if (group->kind != SITU_WORK_GROUP || group->until || group->beside || group->update || group->final) return false;
    if (group->fold >= 0 && (situ_val_count(b->val[group->fold]) != 1 || b->val[group->fold]->assigned)) return false;
    for (uint32_t i = 0; i < group->count; i++)
        if (b->val[group->member[i]]->family == SITU_GENERATE || b->val[group->member[i]]->assigned) return false;
    return true;
}

static bool is_small_product(const situ_build *b, const situ_work *w)
{
    const situ_val *v = b->val[w->domain];
    if (w->kind != SITU_WORK_CALL || w->count || w->beside || v->op != &situ_op_matmul) return false;
    const situ_val *a = b->val[v->in[0]];
    double flops = 2.0 * (double)situ_val_count(v) * (double)a->dim[a->ndim - 1];
    return flops >= least_flops && flops <= most_flops;
}

int situ_build_follow(situ_build *b)
{
    if (b->plan->ndev != 1 || b->plan->dev[0]->device.kind != SITU_CPU || !b->fusing) return 0;
    for (uint32_t at = 0; at + 1 < b->nwork; at++) {
        situ_work *w = &b->work[b->order[at]], *next = &b->work[b->order[at + 1]];
        if (w->beside) at += w->beside - 1; /* side by side with others */
        if (w->beside || !is_small_product(b, w) || !comes_in_parts(b, next) || !reads_place_by_place(b, next, w->domain)) continue;
        w->followed = true;
        const situ_val *v = b->val[w->domain];
        for (uint32_t i = 0; i < v->nin; i++) {
            situ_val *x = b->val[b->val[v->in[i]]->base];
            if (x->last >= 0 && x->last <= (int32_t)at) x->last = (int32_t)at + 1;
        }
    }
    return 0;
}
