/* fuse: assigns values to steps. Steps are numbered in the order of creation, and a step reads only results of earlier
 * steps. So this order is a valid order of execution, and the operands alone decide whether a value may join a group,
 * or a call as its post-op. */
#include <string.h>

#include "base/memory.h"
#include "plan/build.h"
#include "tensor/dtype.h"

enum {
    MOST_PARAMETERS = 110 /* parameters of a kernel: devices have 1,024 bytes for them */,
    RECENT = 8,
    MOST_LATE = 6 /* deferred values in a group; leaves room for three such operands */,
    SOON = 6,    /* steps */
    SMALL = 4096 /* elements */
};

static situ_work *work_new(situ_build *b, int kind, uint32_t domain)
{
    if (b->nwork == b->work_capacity) {
        uint32_t more = b->work_capacity ? b->work_capacity * 2 : 64;
        situ_work *grown = situ_realloc(b->work, more * sizeof *grown);
        if (!grown) {
            b->failed = true;
            return NULL;
        }
        b->work = grown;
        b->work_capacity = more;
    }
    situ_work *w = &b->work[b->nwork++];
    memset(w, 0, sizeof *w);
    w->kind = kind;
    w->domain = w->called = domain;
    w->dev = b->val[domain]->dev;
    w->reduction = -1;
    return w;
}

static bool in_group(const situ_build *b, uint32_t x, int32_t group)
{
    const situ_val *v = b->val[x];
    return situ_is_pointwise(v) && v->step == group && v->base == x && b->work[group].kind == SITU_WORK_GROUP;
}

/* Called when v has its step: extends the lifetime of its operands in memory to this step. */
static void note_uses(situ_build *b, const situ_val *v)
{
    for (uint32_t i = 0; i < v->nin; i++) {
        situ_val *x = b->val[b->val[v->in[i]]->base];
        if (x->step != v->step) x->used = b->nwork;
    }
}

/* Number of instructions to load and convert an operand to d (emit_group.c); `known`: it is in a register. */
static uint32_t operand_cost(const situ_val *x, situ_dtype d, bool known) { return x->scalar ? 1 : !known + (x->dtype != d); }

/* Number of instructions of the value itself. */
static uint32_t own_cost(const situ_val *v)
{
    return 1 + (v->family == SITU_ELEMENTWISE && situ_dtype_compute((situ_dtype)v->dtype) != (situ_dtype)v->dtype);
}

/* The dtype in which v needs operand i. */
static situ_dtype wanted_dtype(const situ_build *b, const situ_val *v, uint32_t i)
{
    if (v->family != SITU_ELEMENTWISE) return (situ_dtype)b->val[v->in[i]]->dtype;
    situ_el_kind kind = situ_el_rows[v->op->code].kind;
    if (kind == SITU_EL_SELECT && !i) return SITU_BOOL;
    return kind >= SITU_EL_TO_F32 ? (situ_dtype)b->val[v->in[0]]->dtype : situ_val_compute(b, v);
}

/* Adds the value to the group if there is room and the group runs after all of its operands. */
static bool join(situ_build *b, uint32_t self, int32_t group)
{
    situ_val *v = b->val[self];
    situ_work *w = &b->work[group];
    if (w->kind != SITU_WORK_GROUP || w->dev != v->dev || w->update != v->cone || !situ_same_shape(v, b->val[w->domain]))
        return false;
    uint32_t external[8], externals = 0, words = 0, budget = own_cost(v);
    for (uint32_t i = 0; i < v->nin; i++) {
        uint32_t x = v->in[i];
        if (b->val[x]->scalar) words++;
        /* a random key is read as a whole, so it must be in memory already */
        bool known = b->val[x]->scalar || (in_group(b, x, group) && v->family != SITU_GENERATE);
        if (!known && situ_birth_of(b, x) >= group)
            return false; /* the operand is a view of the group's own results, its reduction, or made by a later step */
        bool here = known;
        for (uint32_t k = 0; k < w->externals; k++) known |= w->external[k] == x;
        for (uint32_t k = 0; k < externals; k++) known |= external[k] == x;
        budget += operand_cost(b->val[x], wanted_dtype(b, v, i), known) + (!here && v->family == SITU_GENERATE);
        if (!known) external[externals++] = x;
    }
    words += v->node->nword;
    if (w->externals + externals > SITU_FUSED_LOADS / 2 + 4 || w->words + words > SITU_FUSED_WORDS) return false;
    if (w->words + words + w->externals + externals + w->count > MOST_PARAMETERS) return false;
    if (w->budget + budget > SITU_FUSED_INSTRUCTIONS || w->count >= SITU_FUSED_STORES - 1) return false;
    if (!situ_build_member_room(b, w)) return false;
    memcpy(w->external + w->externals, external, externals * sizeof *external);
    w->externals += externals;
    w->words += words;
    w->budget += budget;
    w->member[w->count++] = self;
    v->step = group;
    note_uses(b, v);
    return true;
}

/* Number of values: v, its operands, and the operands of those that are deferred. */
static uint32_t with_waiting(const situ_build *b, const situ_val *v)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < v->nin; i++) n += b->val[v->in[i]]->late ? b->val[v->in[i]]->late : 1;
    return n;
}

/* May the value be deferred to its only reader? The reader must be pointwise, too. */
static bool may_wait(const situ_build *b, uint32_t self)
{
    const situ_val *v = b->val[self], *reader = b->val[v->reader];
    if (v->consumers != 1 || v->stored || v->asked || v->assigned || v->family == SITU_GENERATE) return false;
    if (with_waiting(b, v) > MOST_LATE) return false;
    return situ_is_pointwise(reader) && reader->family != SITU_GENERATE && reader->dev == v->dev && reader->cone == v->cone &&
        situ_same_shape(v, reader);
}

/* True for a value that only updates of variables use and whose inputs are in memory: its reader runs after a
 * gradient, and a value computed earlier would need a buffer until then. */
static bool waits_for_gradient(const situ_build *b, uint32_t self, int32_t newest)
{
    return newest < 0 && b->val[self]->cone && may_wait(b, self);
}

/* True for a value whose operands, made by an earlier group, are in memory anyway. */
static bool may_wait_behind(const situ_build *b, uint32_t self, int32_t newest)
{
    const situ_val *v = b->val[self];
    if (newest < 0 || b->work[newest].kind != SITU_WORK_GROUP || v->cone || !may_wait(b, self)) return false;
    if (v->dev < 0 || b->plan->dev[v->dev]->backend->takes) return false; /* such devices may compute it as a post-op */
    int64_t longer = 0;
    for (uint32_t i = 0; i < v->nin; i++) {
        const situ_val *x = b->val[v->in[i]], *base = b->val[x->base];
        if (x->scalar || x->late || base->family == SITU_LEAF || base->stored) continue;
        bool small = situ_val_bytes(base) <= situ_val_bytes(v) / 16;
        if (!base->used && !small) return false;
        if (base->used + SOON < b->nwork) longer += situ_val_bytes(base);
    }
    return longer <= situ_val_bytes(v);
}

/* The same, if a call came since. So the factors of a gradient that depend on a layer's result are computed in the
 * backward pass, and need not be stored in the forward pass. */
static bool waits_behind_call(const situ_build *b, uint32_t self, int32_t newest)
{
    return newest < b->newest_call && may_wait_behind(b, self, newest);
}

/* True for a value that would be a step of its own, because a call took its operand as a post-op, or because no open
 * group has its shape. */
static bool waits_alone(const situ_build *b, uint32_t self, int32_t newest)
{
    if (newest >= 0 && b->work[newest].kind == SITU_WORK_CALL && b->work[newest].count) return may_wait(b, self);
    return newest + 1 < (int32_t)b->nwork && may_wait_behind(b, self, newest);
}

/* Joins the value together with the values that were deferred to it. */
static bool join_late(situ_build *b, uint32_t self, int32_t group)
{
    const situ_val *v = b->val[self];
    for (uint32_t i = 0; i < v->nin; i++) {
        situ_val *x = b->val[v->in[i]];
        if (x->late && !join_late(b, v->in[i], group)) return false;
        x->late = 0;
    }
    return join(b, self, group);
}

/* The newest step that computes one of its operands, or an operand of the values deferred to it. */
static int32_t newest_of(const situ_build *b, const situ_val *v)
{
    int32_t newest = -1;
    for (uint32_t i = 0; i < v->nin; i++) {
        const situ_val *x = b->val[v->in[i]];
        int32_t birth = x->late ? newest_of(b, x) : situ_birth_of(b, v->in[i]);
        if (birth > newest) newest = birth;
    }
    return newest;
}

static void place_pointwise(situ_build *b, uint32_t self, int32_t *recent)
{
    situ_val *v = b->val[self];
    if (b->fusing && situ_build_join_call(b, self)) return;
    int32_t newest = newest_of(b, v);
    if (b->fusing) {
        if (waits_for_gradient(b, self, newest) || waits_behind_call(b, self, newest)) {
            v->late = (uint8_t)with_waiting(b, v);
            return;
        }
        if (newest >= 0 && join_late(b, self, newest)) return;
        for (int i = 0; i < RECENT; i++)
            if (recent[i] > newest && join_late(b, self, recent[i])) return;
        if (waits_alone(b, self, newest)) {
            v->late = (uint8_t)with_waiting(b, v);
            return;
        }
    }
    situ_work *w = work_new(b, SITU_WORK_GROUP, self);
    if (!w) return;
    w->update = v->cone;
    int32_t group = (int32_t)b->nwork - 1;
    if (!join_late(b, self, group)) {
        b->failed = true;
        return;
    }
    memmove(recent + 1, recent, (RECENT - 1) * sizeof *recent);
    recent[0] = group;
}

static void place_reduce(situ_build *b, uint32_t self, int32_t *recent)
{
    situ_val *v = b->val[self];
    uint32_t x = v->in[0];
    int32_t group = b->val[x]->step;
    bool joins = b->fusing && group >= 0 && in_group(b, x, group) && b->work[group].reduction < 0 && !b->work[group].update;
    if (!joins) {
        situ_work *w = work_new(b, SITU_WORK_GROUP, x);
        if (!w) return;
        w->dev = v->dev;
        group = (int32_t)b->nwork - 1;
        w->external[w->externals++] = x;
        w->budget = 4;
        memmove(recent + 1, recent, (RECENT - 1) * sizeof *recent);
        recent[0] = group;
    }
    b->work[group].budget += 2;
    b->work[group].reduction = (int32_t)self;
    v->step = group;
    note_uses(b, v);
}

/* True if a part of a variable is written: this is done in place, so that the rest is not copied. */
static bool writes_part(const situ_build *b, const situ_val *v)
{
    if (!v->op->part || v->op->can_fail) return false;
    if (v->assigned) return true;
    const situ_val *next = b->val[v->reader];
    return !v->stored && v->consumers == 1 && next->cone && next->op == v->op && b->val[next->in[0]] == v;
}

/* Marks values on which only updates of variables depend: they may run after everything else. */
static void find_cones(situ_build *b)
{
    uint8_t *outside = situ_build_alloc(b, b->count + 1u);
    if (!outside) return;
    for (uint32_t i = b->count; i-- > 0;) {
        situ_val *v = b->val[i];
        bool pointwise = situ_is_pointwise(v) && !v->op->can_fail;
        v->cone = (pointwise || writes_part(b, v)) && !outside[i] && !v->asked && (v->assigned || v->consumers);
        for (uint32_t k = 0; k < v->nin; k++) {
            const situ_val *x = b->val[v->in[k]];
            b->val[v->in[k]]->consumers++;
            b->val[v->in[k]]->reader = i;
            if (!v->cone || v->family == SITU_GENERATE || !situ_same_shape(x, v)) outside[v->in[k]] = outside[x->base] = 1;
        }
    }
}

/* Is the value in memory before the plan starts, or computed by place_small? */
static bool is_early(const situ_build *b, uint32_t x)
{
    const situ_val *base = b->val[b->val[x]->base];
    return b->val[x]->scalar || base->family == SITU_LEAF || base->step != SITU_NO_STEP;
}

/* Computes small values that depend on no other step first: scales of norms, bounds of clips. A large group that reads them,
 * begun by an earlier value, would otherwise end before them. */
static void place_small(situ_build *b, int32_t *recent)
{
    uint8_t *spread = situ_build_alloc(b, b->count + 1u); /* [value] small, and its reader, or the reader of that, is larger */
    for (uint32_t i = b->count; spread && i-- > 0;) {
        const situ_val *v = b->val[i];
        if (!v->consumers || situ_val_count(v) > SMALL || !(situ_is_pointwise(v) || v->family == SITU_VIEW)) continue;
        spread[i] = spread[v->reader] || situ_val_count(v) < situ_val_count(b->val[v->reader]);
    }
    for (uint32_t i = 0; i < b->count && !b->failed; i++) {
        const situ_val *v = b->val[i];
        bool early = situ_is_pointwise(v) && spread[i] && !v->cone && !v->op->can_fail;
        for (uint32_t k = 0; k < v->nin; k++) early = early && is_early(b, v->in[k]);
        if (early) place_pointwise(b, i, recent);
    }
}

int situ_build_fuse(situ_build *b)
{
    int32_t recent[RECENT];
    for (int i = 0; i < RECENT; i++) recent[i] = -1;
    find_cones(b);
    b->newest_call = -1;
    if (b->fusing) place_small(b, recent);
    for (uint32_t i = 0; i < b->count && !b->failed; i++) {
        situ_val *v = b->val[i];
        if (v->family == SITU_LEAF || v->family == SITU_VIEW || v->step != SITU_NO_STEP || v->late) continue;
        if (situ_is_pointwise(v)) {
            place_pointwise(b, i, recent);
        } else if (v->family == SITU_REDUCE) {
            place_reduce(b, i, recent);
        } else {
            bool copy = v->family == SITU_COPY;
            if (!work_new(b, copy ? SITU_WORK_COPY : SITU_WORK_CALL, i)) break;
            b->work[b->nwork - 1].update = v->cone;
            v->step = b->newest_call = (int32_t)b->nwork - 1;
            note_uses(b, v);
            if (copy) b->val[b->val[v->in[0]]->base]->foreign = true;
        }
    }
    return b->failed ? situ_fail(SITU_NO_MEMORY, b->site, "out of host memory while planning") : 0;
}
