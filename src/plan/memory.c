/* memory: assigns memory to every value that needs it. Intermediates share one arena per device, by their lifetimes. A
 * stored value gets a buffer of its own (an output buffer, called a room). A variable's next value overwrites the old
 * one if no reader can see the difference. */
#include <string.h>

#include "base/memory.h"
#include "op/table.h"
#include "plan/build.h"
#include "tensor/shape.h"

enum { ALIGN = 256 };

typedef struct hole {
    int64_t offset, size;
} hole;
typedef struct heap {
    hole *free;
    uint32_t count, capacity;
    int64_t end;
} heap;

static int64_t take(heap *h, int64_t size)
{
    int best = -1;
    for (uint32_t i = 0; i < h->count; i++)
        if (h->free[i].size >= size && (best < 0 || h->free[i].size < h->free[best].size)) best = (int)i;
    if (best < 0) {
        /* the hole at the end of the arena grows */
        hole *tail = h->count ? &h->free[h->count - 1] : NULL;
        int64_t at = tail && tail->offset + tail->size == h->end ? tail->offset : h->end;
        if (at != h->end) h->count--;
        h->end = at + size;
        return at;
    }
    hole *f = &h->free[best];
    int64_t at = f->offset;
    f->offset += size;
    f->size -= size;
    if (!f->size) {
        memmove(f, f + 1, (h->count - (uint32_t)best - 1) * sizeof *f);
        h->count--;
    }
    return at;
}

static bool give(heap *h, int64_t offset, int64_t size)
{
    if (h->count == h->capacity) {
        uint32_t more = h->capacity ? h->capacity * 2 : 16;
        hole *grown = situ_realloc(h->free, more * sizeof *grown);
        if (!grown) return false;
        h->free = grown;
        h->capacity = more;
    }
    uint32_t i = 0;
    while (i < h->count && h->free[i].offset < offset) i++;
    memmove(h->free + i + 1, h->free + i, (h->count - i) * sizeof *h->free);
    h->free[i] = (hole){offset, size};
    h->count++;
    if (i + 1 < h->count && h->free[i].offset + h->free[i].size == h->free[i + 1].offset) {
        h->free[i].size += h->free[i + 1].size;
        memmove(h->free + i + 1, h->free + i + 2, (h->count - i - 2) * sizeof *h->free);
        h->count--;
    }
    if (i && h->free[i - 1].offset + h->free[i - 1].size == h->free[i].offset) {
        h->free[i - 1].size += h->free[i].size;
        memmove(h->free + i, h->free + i + 1, (h->count - i - 1) * sizeof *h->free);
        h->count--;
    }
    return true;
}

static int64_t rounded(int64_t bytes) { return (bytes + ALIGN - 1 + !bytes) / ALIGN * ALIGN; }

static int32_t place_new(situ_build *b, int kind, uint32_t of, int dev, int64_t offset)
{
    situ_place *p = situ_plan_push(b, (void **)&b->plan->place, &b->plan->nplace, sizeof *p);
    if (!p) return -1;
    *p = (situ_place){kind, of, (uint8_t)(dev < 0 ? 0 : dev), offset};
    return (int32_t)b->plan->nplace - 1;
}

/* If several parts are written to a variable one after the other: the value before v, in the same memory. NULL: v is
 * the first, or no part. */
static situ_val *part_before(const situ_build *b, const situ_val *v)
{
    if (v->op != &situ_op_update_slice) return NULL;
    situ_val *x = b->val[v->in[0]];
    bool part = x->op == v->op && x->cone && !x->assigned && x->place < 0;
    return part && b->work[x->step].final ? x : NULL;
}

/* What place_updates needs to know of each old value, computed once: a plan may have 100,000 variables. */
typedef struct final_read {
    uint32_t work, operand;
} final_read;
typedef struct old_values {
    uint32_t *times; /* [value] number of its assignments */
    uint32_t *first; /* final steps read value v's memory in read[first[v]] .. read[first[v + 1] - 1] */
    final_read *read;
    bool *stored; /* [value] it or a view of it is stored */
} old_values;

/* Counts the reads of final steps, or fills the list; filling turns the ends of the ranges into their starts. */
static void each_final_read(const situ_build *b, old_values *o)
{
    for (uint32_t i = b->nwork; i-- > 0;) {
        uint32_t operands;
        const uint32_t *operand = situ_work_reads(b, &b->work[i], &operands);
        for (uint32_t k = operands; b->work[i].final && k-- > 0;) {
            uint32_t base = b->val[operand[k]]->base;
            if (o->read) o->read[--o->first[base]] = (final_read){i, k};
            else o->first[base]++;
        }
    }
}

static bool list_old_values(situ_build *b, old_values *o)
{
    const situ_walk *w = b->walk;
    size_t values = (size_t)b->count + 1;
    o->times = situ_build_alloc(b, sizeof *o->times * values);
    o->first = situ_build_alloc(b, sizeof *o->first * values);
    o->stored = situ_build_alloc(b, sizeof *o->stored * values);
    if (!o->times || !o->first || !o->stored) return false;
    for (uint32_t i = 0; i < w->assignments; i++) o->times[b->value_of[w->assignment[i].value]]++;
    for (uint32_t i = 0; i < w->count; i++)
        if (w->flags[i] & SITU_WALK_STORE) o->stored[b->val[b->value_of[i]]->base] = true;
    each_final_read(b, o);
    for (uint32_t v = 1; v < values; v++) o->first[v] += o->first[v - 1];
    o->read = situ_build_alloc(b, sizeof *o->read * ((size_t)o->first[values - 1] + 1));
    if (o->read) each_final_read(b, o);
    return o->read;
}

/* Does a final step read the old value at another element than the one it overwrites? */
static bool read_last(const situ_build *b, const old_values *o, uint32_t old, const situ_val *v)
{
    for (const final_read *r = o->read + o->first[old]; r < o->read + o->first[old + 1]; r++) {
        const situ_work *w = &b->work[r->work];
        bool call = w->kind == SITU_WORK_CALL;
        uint32_t operands;
        const situ_val *x = b->val[situ_work_reads(b, w, &operands)[r->operand]];
        bool same = (int32_t)r->work == v->step && !(call && r->operand) && !x->offset && x->dynamic < 0 &&
            situ_shape_equal(x->ndim, x->dim, v->ndim, v->dim) && situ_is_contiguous(x->ndim, x->dim, x->stride);
        if (!same) return true;
    }
    return false;
}

/* Can assignment a be done in place? See build.h: `final` steps run after all others. */
static bool in_place(const situ_build *b, const situ_assignment *a, const old_values *o)
{
    uint32_t id = b->value_of[a->value];
    const situ_val *v = b->val[id], *first = v;
    if (!a->donate || v->asked || v->base != id || o->times[id] > 1 || v->step < 0) return false;
    const situ_work *own = &b->work[v->step];
    if (!own->final || own->reduction == (int32_t)id) return false;
    for (const situ_val *x = v; x; x = part_before(b, x)) first = x;
    if (a->old < 0) return true;
    uint32_t old = b->value_of[a->old];
    return !b->val[old]->foreign && !read_last(b, o, old, first) && !o->stored[old];
}

static int32_t room_new(situ_build *b, const situ_val *v, uint32_t node)
{
    situ_persistent *r = situ_plan_push(b, (void **)&b->plan->persistent, &b->plan->npersistent, sizeof *r);
    if (!r) return -1;
    *r = (situ_persistent){node, (uint8_t)v->dev, situ_val_bytes(v)};
    return place_new(b, SITU_PLACE_OUTPUT, b->plan->npersistent - 1, v->dev, 0);
}

static int place_updates(situ_build *b)
{
    if (!b->walk->assignments) return 0;
    old_values o = {0};
    if (!list_old_values(b, &o)) return -1;
    for (uint32_t i = 0; i < b->walk->assignments && !b->failed; i++) {
        const situ_assignment *a = &b->walk->assignment[i];
        situ_val *v = b->val[b->value_of[a->value]];
        situ_update *u = situ_plan_push(b, (void **)&b->plan->update, &b->plan->nupdate, sizeof *u);
        if (!u) return -1;
        *u = (situ_update){.assignment = i, .persistent = -1, .bytes = situ_val_bytes(v)};
        if (in_place(b, a, &o)) {
            int32_t place = place_new(b, SITU_PLACE_SLOT, i, v->dev, 0);
            for (situ_val *x = v, *before; x; x = before) {
                before = part_before(b, x);
                x->place = place;
            }
            continue;
        }
        if (v->family == SITU_LEAF)
            return situ_fail(
                SITU_BAD_ARGUMENT, b->site, "a variable's next value was stored by another plan meanwhile; assign it again");
        if (v->place < 0) v->place = room_new(b, v, a->value);
        if (v->place >= 0) u->persistent = (int32_t)b->plan->place[v->place].of;
    }
    /* after a fault only steps that overwrite old values are skipped */
    for (uint32_t i = 0; i < b->nwork; i++) {
        situ_work *w = &b->work[i];
        w->update = false;
        for (uint32_t k = 0; k < situ_work_values(w); k++) {
            int32_t place = b->val[situ_work_value(w, k)]->place;
            w->update |= place >= 0 && b->plan->place[place].kind == SITU_PLACE_SLOT;
        }
    }
    return 0;
}

static int place_leaves(situ_build *b)
{
    for (uint32_t i = 0; i < b->walk->count && !b->failed; i++) {
        if (!(b->walk->flags[i] & SITU_WALK_LEAF)) continue;
        situ_val *v = b->val[b->value_of[i]];
        if (!v->scalar && v->place < 0) v->place = place_new(b, SITU_PLACE_LEAF, i, v->dev, 0);
    }
    return 0;
}

static int place_stored(situ_build *b)
{
    for (uint32_t i = 0; i < b->walk->count && !b->failed; i++) {
        if (!(b->walk->flags[i] & SITU_WALK_STORE)) continue;
        situ_val *v = b->val[b->val[b->value_of[i]]->base];
        if (v->family != SITU_LEAF && v->place < 0) v->place = room_new(b, v, i);
    }
    return 0;
}

/* A value that is computed directly in its part of a concatenation's result, and how long that memory is in use. */
typedef struct joined {
    uint32_t whole; /* 1 + index of the result; 0: none */
    int64_t offset; /* in bytes */
    int32_t last;   /* for a result: the last step that reads it, or a value joined into it */
    bool changed;   /* the step that makes the result changes elements of it */
    bool over;      /* for a result: an operand of its group has the same memory */
} joined;

/* May the memory of x become part of v's memory? */
static bool may_join(const situ_build *b, const situ_val *x, const situ_val *v, const joined *all, int64_t offset)
{
    const situ_val *base = b->val[x->base];
    return base->family != SITU_LEAF && !base->scalar && !x->scalar && base->place < 0 && !base->local && base->step >= 0 &&
        base->dev == v->dev && !base->foreign && !all[x->base].whole &&
        situ_dtype_size((situ_dtype)x->dtype) == situ_dtype_size((situ_dtype)v->dtype) && !x->offset && x->dynamic < 0 &&
        situ_val_bytes(x) == situ_val_bytes(base) && situ_is_contiguous(x->ndim, x->dim, x->stride) && offset % ALIGN == 0;
}

/* True if v is operand 0 with some elements changed, and nothing reads that operand afterwards. */
static bool overwrites(const situ_build *b, const situ_val *v, uint32_t at)
{
    bool changes = v->op->part && !v->op->strided;
    for (uint32_t k = 1; k < v->nin && changes; k++) changes = b->val[v->in[k]]->base != b->val[v->in[0]]->base;
    return changes && b->val[b->val[v->in[0]]->base]->last == (int32_t)at;
}

/* A value of steps from..end-1 (a group, or the rest of its row program) that may share memory with an operand of step
 * `from`: each element is read for the last time when the same element of the value is computed. 1 + its index, or 0. */
static uint32_t successor(const situ_build *b, uint32_t operand, int32_t from, int32_t end)
{
    const situ_val *x = b->val[operand];
    int32_t last = from;
    for (int32_t at = from; at < end; at++) {
        const situ_work *w = &b->work[b->order[at]];
        for (uint32_t i = 0; i < w->externals; i++) {
            const situ_val *y = b->val[w->external[i]];
            if (y->base != x->base) continue;
            if (w->external[i] != operand || !situ_same_shape(x, b->val[w->domain])) return 0;
            last = at;
        }
    }
    for (int32_t at = last; at < end; at++) {
        const situ_work *w = &b->work[b->order[at]];
        for (uint32_t i = 0; i < w->count; i++) {
            const situ_val *v = b->val[w->member[i]];
            bool needed = b->read[w->member[i]] || v->stored || v->asked || v->assigned;
            if (needed && v->base == w->member[i] && !v->local &&
                situ_dtype_size((situ_dtype)v->dtype) == situ_dtype_size((situ_dtype)x->dtype) && situ_same_shape(v, x))
                return w->member[i] + 1;
        }
    }
    return 0;
}

/* Marks steps within a row program, and those that run beside others, which may read the same operands later. */
static uint8_t *inside_others(situ_build *b)
{
    uint8_t *inside = situ_build_alloc(b, b->nwork + 1u);
    for (uint32_t at = 0; inside && at < b->nwork; at++) {
        const situ_work *w = &b->work[b->order[at]];
        for (int32_t k = (int32_t)at + 1; k < w->until; k++) inside[k] = 1;
        for (uint32_t k = 0; k < w->beside; k++) inside[at + k] = 1;
    }
    return inside;
}

/* An operand of a group that nothing reads afterwards shares its memory with one of the group's results. */
static void join_successor(const situ_build *b, uint32_t at, joined *all)
{
    const situ_work *w = &b->work[b->order[at]];
    if (!b->fusing || w->kind != SITU_WORK_GROUP || w->update || !b->plan->dev[w->dev]->backend->row_programs) return;
    int32_t end = w->until ? w->until : (int32_t)at + 1;
    if (!w->until && w->reduction >= 0) return;
    for (int32_t from = (int32_t)at; from < end; from++) {
        const situ_work *reader = &b->work[b->order[from]];
        for (uint32_t i = 0; i < reader->externals; i++) {
            const situ_val *x = b->val[reader->external[i]], *base = b->val[x->base];
            if (base->last != end - 1 || (base->step >= 0 && b->work[base->step].position >= (int32_t)at)) continue;
            uint32_t to = successor(b, reader->external[i], from, end);
            const situ_val *v = to ? b->val[to - 1] : NULL;
            if (!v || (v->place >= 0 && b->plan->place[v->place].kind != SITU_PLACE_OUTPUT) || all[to - 1].over) continue;
            if (!may_join(b, x, v, all, 0)) continue;
            all[x->base] = (joined){.whole = to, .last = all[x->base].last, .changed = true, .over = all[x->base].over};
            all[to - 1].over = true;
        }
    }
}

/* Values that are concatenated along the first axis with more than one element are computed in place; the operand of a
 * scatter shares its result's memory. The step that would copy finds the data in place. Goes from the last step to the
 * first, since a joined value may have parts itself. */
static joined *find_joined(situ_build *b)
{
    joined *all = situ_build_alloc(b, ((size_t)b->count + 1) * sizeof *all);
    uint8_t *inside = inside_others(b);
    if (!inside) return NULL;
    for (uint32_t at = b->nwork; all && at-- > 0;) {
        const situ_work *w = &b->work[b->order[at]];
        const situ_val *v = w->kind == SITU_WORK_CALL ? b->val[w->called] : NULL;
        bool over = v && overwrites(b, v, at);
        if (!inside[at]) join_successor(b, at, all);
        if (!v || (v->op != &situ_op_concat && !over)) continue;
        int32_t axis = over ? 0 : *(const int32_t *)situ_node_attr(v->node);
        bool outer = !v->local && (over || !all[w->called].changed) && b->plan->dev[v->dev]->device.kind == SITU_CPU &&
            (v->place < 0 || b->plan->place[v->place].kind == SITU_PLACE_OUTPUT);
        for (int i = 0; i < axis; i++) outer = outer && v->dim[i] == 1;
        int64_t offset = 0;
        for (uint32_t k = 0; k < (over ? 1 : v->nin) && outer; k++) {
            const situ_val *x = b->val[v->in[k]];
            if (may_join(b, x, v, all, offset))
                all[x->base] = (joined){w->called + 1, offset, all[x->base].last, over, all[x->base].over};
            offset += situ_val_bytes(x);
        }
    }
    for (uint32_t id = 0; all && id < b->count; id++) {
        uint32_t root = id;
        while (all[root].whole) root = all[root].whole - 1;
        int32_t end = b->val[id]->foreign || b->val[id]->last < 0 ? (int32_t)b->nwork : b->val[id]->last;
        if (root != id && end > all[root].last) all[root].last = end;
    }
    return all;
}

/* Assigns memory to a value: its own, or its part of the value that it is joined into, which thereby gets its own. 1:
 * arena memory is allocated for `root`. */
static int place_value(situ_build *b, uint32_t id, const joined *all, heap *heaps, uint32_t *root)
{
    situ_val *v = b->val[id];
    int64_t offset = 0;
    *root = id;
    for (; all[*root].whole; *root = all[*root].whole - 1) offset += all[*root].offset;
    situ_val *whole = b->val[*root];
    bool taken = whole->place < 0;
    if (taken)
        whole->place = place_new(b, SITU_PLACE_ARENA, 0, whole->dev, take(&heaps[whole->dev], rounded(situ_val_bytes(whole))));
    if (whole->place >= 0 && whole != v) {
        situ_place p = b->plan->place[whole->place];
        v->place = place_new(b, p.kind, p.of, v->dev, p.offset + offset);
    }
    return v->place < 0 ? -1 : taken;
}

static int place_arena(situ_build *b, heap *heaps)
{
    uint32_t *next = situ_build_alloc(b, 4 * ((size_t)b->count + 1)), *dies = situ_build_alloc(b, 4 * ((size_t)b->nwork + 1)), root;
    const joined *all = find_joined(b);
    if (!next || !dies || !all) return -1;
    for (uint32_t at = 0; at < b->nwork; at++) {
        const situ_work *w = &b->work[b->order[at]];
        for (uint32_t k = 0; k < situ_work_values(w); k++) {
            uint32_t id = situ_work_value(w, k);
            situ_val *v = b->val[id];
            if (!b->read[id] && situ_is_pointwise(v)) continue; /* it is only read in registers */
            if (v->place >= 0 || v->local) continue;
            int taken = place_value(b, id, all, heaps, &root);
            if (taken < 0) return -1;
            if (!taken) continue;
            const situ_val *whole = b->val[root];
            uint32_t end = whole->foreign || whole->last < 0 ? b->nwork : (uint32_t)whole->last;
            if ((int32_t)end < all[root].last) end = (uint32_t)all[root].last;
            next[root] = dies[end];
            dies[end] = root + 1;
        }
        for (uint32_t id = dies[at]; id; id = next[id - 1]) {
            const situ_val *v = b->val[id - 1];
            if (!give(&heaps[v->dev], b->plan->place[v->place].offset, rounded(situ_val_bytes(v)))) return -1;
        }
    }
    return 0;
}

static int list_outputs(situ_build *b)
{
    for (uint32_t i = 0; i < b->walk->count; i++) {
        if (!(b->walk->flags[i] & SITU_WALK_ASKED)) continue;
        const situ_val *v = b->val[b->value_of[i]], *base = b->val[v->base];
        situ_output *o = situ_plan_push(b, (void **)&b->plan->output, &b->plan->noutput, sizeof *o);
        if (!o) return -1;
        o->node = i;
        o->place = base->family == SITU_LEAF ? -1 : base->place;
        o->leaf = base->family == SITU_LEAF ? (uint32_t)base->walk : 0;
        o->offset = v->offset * (int64_t)situ_dtype_size((situ_dtype)v->dtype);
        o->dynamic = v->dynamic;
        o->strided = !situ_is_contiguous(v->ndim, v->dim, v->stride);
        memcpy(o->stride, v->stride, 8 * (size_t)v->ndim);
    }
    return 0;
}

int situ_build_memory(situ_build *b)
{
    heap heaps[SITU_PLAN_DEVICES];
    memset(heaps, 0, sizeof heaps);
    int rc = place_leaves(b) || place_updates(b) || place_stored(b) || place_arena(b, heaps) || list_outputs(b);
    for (int i = 0; i < SITU_PLAN_DEVICES; i++) {
        b->plan->arena_bytes[i] = heaps[i].end;
        situ_free(heaps[i].free);
    }
    return rc || b->failed ? situ_fail(SITU_NO_MEMORY, b->site, "out of host memory while planning") : 0;
}
