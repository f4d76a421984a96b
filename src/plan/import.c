/* import: turns the nodes of the walk into values. */
#include <string.h>

#include "base/memory.h"
#include "op/attr.h"
#include "op/generate.h"
#include "op/index.h"
#include "op/support.h"
#include "op/table.h"
#include "plan/build.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

/* Inserted by the planner: a contiguous copy of the operand. */
const situ_op situ_op_contiguous = {.name = "contiguous", .family = SITU_CAST};
/* Inserted by the planner: a product's second operand, packed as the backend's kernel reads it. */
const situ_op situ_op_packed = {.name = "packed", .family = SITU_CALL, .strided = true};

static bool push_val(situ_build *b, situ_val *v)
{
    if (b->count == b->capacity) {
        uint32_t more = b->capacity ? b->capacity * 2 : 256;
        situ_val **grown = situ_realloc(b->val, more * sizeof(*grown));
        if (!grown) {
            b->failed = true;
            return false;
        }
        b->val = grown;
        b->capacity = more;
    }
    v->base = b->count;
    b->val[b->count++] = v;
    return true;
}

static situ_val *val_new(situ_build *b, const situ_tensor *t, int32_t walk)
{
    situ_val *v = situ_build_alloc(b, sizeof *v + 8 * (size_t)t->ndim);
    if (!v || !push_val(b, v)) return NULL;
    v->op = t->op;
    v->node = t;
    v->family = t->op->family;
    v->dtype = t->dtype;
    v->ndim = t->ndim;
    v->kind = t->kind;
    v->scalar = (t->flags & SITU_NODE_SCALAR) != 0;
    v->walk = walk;
    v->reported_as = walk >= 0 ? walk : b->within;
    v->dynamic = -1;
    v->step = v->last = SITU_NO_STEP;
    v->place = v->member = -1;
    v->dim = t->dim;
    situ_shape_strides(v->ndim, v->dim, v->stride);
    return v;
}

static int device_index(situ_build *b, situ_device d)
{
    situ_plan *p = b->plan;
    if (!d.kind) return -1;
    if (b->only) {
        p->dev[0] = b->only;
        p->ndev = 1;
        return 0;
    }
    for (int i = 0; i < p->ndev; i++)
        if (situ_device_equal(p->dev[i]->device, d)) return i;
    if (p->ndev == SITU_PLAN_DEVICES) {
        situ_fail(SITU_UNSUPPORTED, b->site, "one plan can use at most %d devices; evaluate parts of it first", SITU_PLAN_DEVICES);
        return -1;
    }
    situ_dev *dev = situ_dev_open(d, b->site);
    if (!dev) return -1;
    p->dev[p->ndev] = dev;
    return p->ndev++;
}

/* True for a number in a composite's expansion: part of the plan, not a run-time argument. */
static bool is_literal(const situ_val *v) { return v->scalar && v->walk < 0 && v->node->nword == 1; }

/* Number of operands that identify the operation: a product with and without a packed copy is the same. */
static uint32_t key_operands(const situ_val *v) { return v->op == &situ_op_matmul ? 2 : v->nin; }

/* The bucket follows from the newest operand, so that values made in sequence use neighbouring cache lines. The rest
 * of the hash separates values with the same operand. */
static uint64_t hash_val(const situ_val *v, const situ_tensor *t, uint32_t *newest)
{
    uint32_t last = 0, nin = key_operands(v);
    for (uint32_t i = 0; i < nin; i++) last = v->in[i] > last ? v->in[i] : last;
    situ_hash h = situ_hash_start(v->dtype);
    situ_hash_word(&h, (uint64_t)(uintptr_t)v->op);
    situ_hash_word(&h, (uint64_t)(uint32_t)v->dev << 32 | (uint64_t)t->invariant << 31 | nin);
    for (uint32_t i = 0; i < nin; i++) situ_hash_word(&h, v->in[i] == last ? UINT64_MAX : v->in[i]);
    for (int i = 0; i < v->ndim && v->family != SITU_ELEMENTWISE; i++) situ_hash_word(&h, (uint64_t)v->dim[i]);
    if (v->op != &situ_op_contiguous && t->attr_size) situ_hash_bytes(&h, situ_node_attr(t), t->attr_size);
    if (is_literal(v)) situ_hash_word(&h, situ_node_word(t)[0]);
    *newest = last;
    return situ_hash_end(&h).a;
}

static uint32_t with_packed(situ_build *b, situ_val *v);

/* Common subexpressions: the same operation on the same values without run-time words, and equal literals, become one
 * value. */
static uint32_t find_equal(situ_build *b, situ_val *v, uint32_t self)
{
    const situ_tensor *t = v->node;
    bool literal = is_literal(v);
    bool fails = t->op->can_fail && t->op != &situ_op_checked;
    if (!literal && (v->family == SITU_LEAF || v->family == SITU_COPY || t->nword || fails)) return self;
    uint32_t newest;
    v->hash = hash_val(v, t, &newest);
    uint32_t *bucket = &b->bucket[(2 * (uint64_t)newest + v->hash) & (b->buckets - 1)];
    for (uint32_t at = *bucket; at; at = b->val[at - 1]->equal) {
        const situ_val *e = b->val[at - 1];
        if (e->hash != v->hash || e->op != v->op || key_operands(e) != key_operands(v) || e->dtype != v->dtype ||
            e->dev != v->dev || e->node->invariant != t->invariant)
            continue;
        if (!situ_shape_equal(e->ndim, e->dim, v->ndim, v->dim) || (v->nin && memcmp(e->in, v->in, 4 * (size_t)key_operands(v))))
            continue;
        if (v->op != &situ_op_contiguous &&
            (e->node->attr_size != t->attr_size ||
                (t->attr_size && memcmp(situ_node_attr(e->node), situ_node_attr(t), t->attr_size))))
            continue;
        if (literal && (!is_literal(e) || situ_node_word(e->node)[0] != situ_node_word(t)[0])) continue;
        b->count--; /* removes v, which was the newest */
        return at - 1;
    }
    if (v->op == &situ_op_matmul) self = with_packed(b, v); /* a new value; what it reads comes before it */
    v->equal = *bucket;
    *bucket = self + 1;
    return self;
}

/* v is the newest value, a product. If its second operand was a second operand before, inserts a packed copy of it
 * before v. Returns v's index. */
static uint32_t with_packed(situ_build *b, situ_val *v)
{
    situ_val *second = b->val[v->in[1]];
    int64_t (*packs)(const situ_call_desc *) = v->dev < 0 ? NULL : b->plan->dev[v->dev]->backend->packs;
    if (!packs || !b->fusing || second->ndim != 2) return v->base;
    if (second->multiplied < SITU_REPEATS) {
        second->multiplied++;
        return v->base;
    }
    situ_layout in[2] = {situ_val_layout(b->val[v->in[0]]), situ_val_layout(second)};
    int64_t elements =
        packs(&(situ_call_desc){.op = v->op, .nin = 2, .out = situ_val_layout(v), .in = in, .invariant = v->node->invariant});
    situ_tensor *t = elements ? situ_build_alloc(b, sizeof *t + 8) : NULL;
    uint32_t *operands = t ? situ_build_alloc(b, 4 * sizeof *operands) : NULL;
    if (!operands) return v->base;
    t->op = &situ_op_packed;
    t->dtype = v->dtype;
    t->ndim = 1;
    t->device = v->node->device;
    t->dim[0] = elements;
    b->count--;
    situ_val *copy = val_new(b, t, -1);
    if (!copy) return 0;
    memcpy(operands, v->in, 2 * sizeof *operands);
    copy->dev = v->dev;
    copy->nin = 1;
    copy->in = operands + 3;
    copy->in[0] = v->in[1];
    operands[2] = find_equal(b, copy, copy->base);
    v->in = operands;
    v->nin = 3;
    return push_val(b, v) ? v->base : 0;
}

/* A contiguous copy of value x. */
static uint32_t contiguous(situ_build *b, uint32_t x)
{
    uint32_t self = b->count;
    const situ_val *from = b->val[x];
    situ_val *v = val_new(b, from->node, -1);
    if (!v || !(v->in = situ_build_alloc(b, 4))) return 0;
    v->op = &situ_op_contiguous;
    v->family = SITU_CAST;
    v->scalar = false;
    v->dev = from->dev;
    v->nin = 1;
    v->in[0] = x;
    return find_equal(b, v, self);
}

/* The indices of t after they were checked, for `sure` operations. */
static uint32_t checked(situ_build *b, const situ_tensor *t, uint32_t index)
{
    const situ_val *from = b->val[index];
    const situ_axis_attr *a = situ_node_attr(t);
    situ_tensor *node = situ_build_alloc(b, sizeof *node + 8 * (size_t)from->ndim + sizeof(situ_checked_attr));
    uint32_t *operands = node ? situ_build_alloc(b, 2 * sizeof *operands) : NULL;
    if (!operands) return 0;
    node->op = &situ_op_checked;
    node->dtype = from->dtype;
    node->ndim = from->ndim;
    node->device = t->device;
    node->attr_size = sizeof(situ_checked_attr);
    memcpy(node->dim, from->dim, 8 * (size_t)from->ndim);
    *(situ_checked_attr *)(void *)(node->dim + from->ndim) = (situ_checked_attr){t->dim[a->axis], a->flag};
    situ_val *v = val_new(b, node, -1);
    if (!v) return 0;
    v->dev = from->dev;
    v->nin = 2;
    v->in = operands;
    operands[0] = operands[1] = index;
    return find_equal(b, v, v->base);
}

static bool is_contiguous(const situ_val *v) { return situ_is_contiguous(v->ndim, v->dim, v->stride); }

static int import_view(situ_build *b, uint32_t self)
{
    situ_val *v = b->val[self];
    const situ_val *from = b->val[v->in[0]];
    situ_view view = {.node = v->node, .ndim = from->ndim, .dim = from->dim, .stride = from->stride};
    if (from->scalar || !v->op->view(&view))
        return situ_fail(SITU_UNSUPPORTED, b->site, "%s: no strides for this view", v->op->name);
    memcpy(v->stride, view.out_stride, 8 * (size_t)v->ndim);
    v->base = from->base;
    v->offset = from->offset;
    v->dynamic = from->dynamic;
    if (!situ_shape_count(v->ndim, v->dim)) return 0; /* an empty view has no first element, and its offset may be past the end */
    v->offset += view.base;
    bool words = false;
    for (int k = 0; k < v->node->nword && k < 8; k++) {
        /* inside of an expansion words follow from the composite's attributes, so they are constants of the plan */
        if (v->walk < 0) v->offset += (int64_t)situ_node_word(v->node)[k] * view.coefficient[k];
        else words |= view.coefficient[k] != 0;
    }
    if (!words) return 0;
    situ_dynamic *d = situ_plan_push(b, (void **)&b->plan->dynamic, &b->plan->ndynamic, sizeof *d);
    if (!d) return -SITU_NO_MEMORY;
    int64_t size = (int64_t)situ_dtype_size((situ_dtype)v->dtype);
    d->base = from->dynamic;
    d->node = (uint32_t)v->walk;
    d->count = v->node->nword < 8 ? v->node->nword : 8;
    for (int k = 0; k < d->count; k++) d->coefficient[k] = view.coefficient[k] * size;
    v->dynamic = (int32_t)b->plan->ndynamic - 1;
    return 0;
}

static uint32_t import_node(situ_build *b, const situ_tensor *t, int32_t walk, const uint32_t *in, bool leaf);

/* Expands a composite: records it from placeholders, and turns its nodes into values. */
static uint32_t expand(situ_build *b, const situ_tensor *t, int32_t walk, const uint32_t *in)
{
    situ_thread *th = situ_thread_get();
    situ_scope *scope = th ? situ_scope_open() : NULL;
    if (!scope) {
        b->failed = true;
        return 0;
    }
    th->placeholders++;
    situ_tensor *few[8], **hold = t->nin > 8 ? situ_build_alloc(b, sizeof *hold * t->nin) : few;
    uint32_t result = 0;
    for (int i = 0; i < t->nin && hold; i++) {
        const situ_tensor *x = situ_node_in(t)[i];
        situ_tensor *p = situ_node_new(&situ_op_placeholder, x->ndim, 0, x->flags & SITU_NODE_SCALAR ? 1 : 0, 0, x->site);
        if (!(hold[i] = p)) break;
        p->dtype = x->dtype;
        p->kind = x->kind;
        p->device = x->device;
        p->flags |= x->flags & SITU_NODE_SCALAR;
        memcpy(p->dim, x->dim, 8 * (size_t)x->ndim);
    }
    uint8_t precision = th->precision; /* the program's policies for products */
    bool invariant = th->invariant;
    th->precision = 0;
    th->invariant = t->invariant;
    situ_tensor *y = situ_error_code ? situ_poisoned() : t->op->expand(hold, t->nin, situ_node_attr(t), t->site);
    th->precision = precision;
    th->invariant = invariant;
    situ_walk inner = {0};
    int32_t within = b->within;
    if (walk >= 0) b->within = walk;
    if (situ_error_code || y->flags & SITU_NODE_POISON || situ_walk_collect(&inner, &y, 1, NULL, 0, t->site)) {
        b->failed = true;
    } else {
        uint32_t *map = situ_build_alloc(b, 4 * (size_t)inner.count);
        for (uint32_t i = 0; i < inner.count && map && !b->failed; i++) {
            const situ_tensor *n = inner.node[i];
            for (int k = 0; k < t->nin; k++)
                if (n == hold[k]) map[i] = in[k];
            if (n->op == &situ_op_placeholder) continue;
            bool is_leaf = inner.flags[i] & SITU_WALK_LEAF;
            uint32_t *args = situ_build_alloc(b, 4 * (size_t)n->nin);
            for (int k = 0; k < n->nin && args && !is_leaf; k++) args[k] = map[situ_node_in(n)[k]->index];
            /* the node is freed with the scope, so its description is copied to the build's memory */
            size_t bytes = sizeof *n + 8 * (size_t)(n->ndim + n->nin + n->nword);
            situ_tensor *copy = situ_build_alloc(b, bytes + n->attr_size);
            if (!copy || !args) break;
            memcpy(copy, n, bytes + n->attr_size);
            copy->aside = NULL;
            map[i] = import_node(b, copy, -1, args, is_leaf);
        }
        if (map && inner.count) result = map[inner.count - 1];
    }
    situ_walk_free(&inner);
    b->within = within;
    th->placeholders--;
    situ_scope_close(scope);
    return result;
}

/* Does the device have its own kernel for this composite? */
static bool claims(const situ_build *b, const situ_tensor *t, int dev)
{
    situ_layout in[8];
    if (dev < 0 || b->plan->apart || !b->plan->dev[dev]->backend->claims || t->nin > 8) return false;
    situ_call_desc call = {.op = t->op, .attr = situ_node_attr(t), .nin = t->nin, .in = in, .invariant = t->invariant};
    for (int i = -1; i < t->nin; i++) {
        const situ_tensor *x = i < 0 ? t : situ_node_in(t)[i];
        situ_layout *l = i < 0 ? &call.out : &in[i];
        if (x->flags & SITU_NODE_SCALAR) return false;
        l->dtype = x->dtype;
        l->ndim = x->ndim;
        memcpy(l->dim, x->dim, 8 * (size_t)x->ndim);
        situ_shape_strides(x->ndim, l->dim, l->stride);
    }
    return b->plan->dev[dev]->backend->claims(&call);
}

static uint32_t import_node(situ_build *b, const situ_tensor *t, int32_t walk, const uint32_t *in, bool leaf)
{
    if (b->failed) return 0;
    if (!leaf && t->op == &situ_op_value) return in[0];
    int dev = device_index(b, t->device);
    if (situ_error_code) {
        b->failed = true;
        return 0;
    }
    bool claimed = !leaf && t->op->family == SITU_COMPOSITE && claims(b, t, dev);
    if (!leaf && t->op->family == SITU_COMPOSITE && !claimed) return expand(b, t, walk, in);
    situ_family family = claimed ? SITU_CALL : t->op->family;
    uint32_t *operands = leaf ? NULL : situ_build_alloc(b, 4 * ((size_t)t->nin + 1));
    if (b->failed) return 0;
    /* copies between devices come first, so that values stay in topological order */
    for (int k = 0; k < t->nin && !leaf; k++) {
        const situ_val *x = b->val[in[k]];
        bool needs = (family == SITU_CALL && !t->op->strided && (x->scalar || !is_contiguous(x))) ||
            (t->op->family == SITU_GENERATE && !is_contiguous(x)) ||
            (t->op->family == SITU_COPY && x->dev != dev && !is_contiguous(x));
        operands[k] = needs ? contiguous(b, in[k]) : in[k];
        if (b->failed) return 0;
    }
    if (!leaf && t->op->family == SITU_VIEW) {
        situ_view probe = {.node = t, .ndim = b->val[in[0]]->ndim, .dim = b->val[in[0]]->dim, .stride = b->val[in[0]]->stride};
        if (!t->op->view(&probe)) operands[0] = contiguous(b, in[0]);
        if (b->failed) return 0;
    }
    const situ_op *op = t->op;
    if (!leaf && op->sure && walk >= 0 && b->assigned[walk] && !b->plan->apart && b->plan->dev[dev]->backend->host_calls) {
        int32_t within = b->within;
        b->within = walk;
        operands[1] = checked(b, t, operands[1]);
        b->within = within;
        op = op->sure; /* then it can be done in the variable's memory, after everything that can fail */
        if (b->failed) return 0;
    }
    uint32_t self = b->count;
    situ_val *v = val_new(b, t, walk);
    if (!v) return 0;
    v->op = op;
    v->dev = dev;
    v->in = operands;
    if (leaf) {
        v->family = SITU_LEAF;
        const int64_t *stride = situ_node_aside(t)->stride;
        if (stride) memcpy(v->stride, stride, 8 * (size_t)t->ndim);
        return is_literal(v) ? find_equal(b, v, self) : self;
    }
    v->nin = t->nin;
    v->family = family;
    if (v->family == SITU_COPY && b->val[operands[0]]->dev == dev) v->family = SITU_CAST;
    if (v->family == SITU_VIEW && import_view(b, self)) b->failed = true;
    return find_equal(b, v, self);
}

/* Node i is value v, which is as old as `before` values: if it is work that an equal operation does already, notes that. */
static void note_merged(situ_build *b, uint32_t i, uint32_t v, uint32_t before, const uint32_t *in)
{
    const situ_tensor *t = b->walk->node[i];
    if (v >= before || t->op->family == SITU_VIEW || t->op == &situ_op_value) return;
    for (int k = 0; k < t->nin; k++)
        if (in[k] == v) return; /* the operation has nothing to do */
    uint32_t *node = situ_plan_push(b, (void **)&b->plan->merged, &b->plan->nmerged, sizeof *node);
    if (!node) return;
    *node = i;
    b->val[b->val[v]->base]->merged++;
}

int situ_build_import(situ_build *b)
{
    const situ_walk *w = b->walk;
    for (b->buckets = 64; b->buckets < w->count * 2; b->buckets *= 2) {}
    b->bucket = situ_build_alloc(b, b->buckets * sizeof *b->bucket);
    b->value_of = situ_build_alloc(b, 4 * ((size_t)w->count + 1));
    uint32_t few[16], *in = few, capacity = 16, *twin = w->twins ? situ_build_alloc(b, 4 * (size_t)w->count) : NULL;
    b->assigned = situ_build_alloc(b, (size_t)w->count + 1);
    for (uint32_t i = 0; b->assigned && i < w->assignments; i++) b->assigned[w->assignment[i].value] = true;
    for (uint32_t i = 0; twin && i < w->twins; i++) twin[w->twin[i].later] = w->twin[i].earlier + 1;
    for (uint32_t i = 0; i < w->count && !b->failed; i++) {
        const situ_tensor *t = w->node[i];
        bool leaf = w->flags[i] & SITU_WALK_LEAF;
        if (twin && twin[i]) {
            b->value_of[i] = b->value_of[twin[i] - 1];
            continue;
        }
        if (t->nin > capacity && !(in = situ_build_alloc(b, 4 * (size_t)(capacity = t->nin)))) break;
        for (int k = 0; k < t->nin && !leaf; k++) in[k] = b->value_of[situ_node_in(t)[k]->index];
        uint32_t before = b->count, v = b->value_of[i] = import_node(b, t, (int32_t)i, in, leaf);
        if (b->failed) break;
        if (!leaf) note_merged(b, i, v, before, in);
        if (!(w->flags[i] & SITU_WALK_STORE)) continue;
        situ_val *base = b->val[b->val[v]->base];
        base->stored |= base->family != SITU_LEAF;
        b->val[v]->asked |= (w->flags[i] & SITU_WALK_ASKED) != 0;
        base->asked |= (w->flags[i] & SITU_WALK_ASKED) != 0;
    }
    for (uint32_t i = 0; i < w->assignments && !b->failed; i++) {
        uint32_t *v = &b->value_of[w->assignment[i].value];
        bool leaf = w->flags[w->assignment[i].value] & SITU_WALK_LEAF;
        /* a composite may end in a view or in its operand, but the value of a variable needs its own memory */
        if (!leaf && (b->val[*v]->base != *v || b->val[*v]->family == SITU_LEAF)) *v = contiguous(b, *v);
        b->val[*v]->assigned = true;
    }
    if (!b->failed) return 0;
    return situ_fail(SITU_NO_MEMORY, b->site, "out of host memory while planning");
}

situ_dtype situ_val_compute(const situ_build *b, const situ_val *v)
{
    if (v->family != SITU_ELEMENTWISE) return (situ_dtype)v->dtype;
    situ_el_kind kind = situ_el_rows[v->op->code].kind;
    if (kind != SITU_EL_COMPARE && kind != SITU_EL_EQUAL && kind != SITU_EL_PREDICATE) return (situ_dtype)v->dtype;
    /* the result of such an operation is bool, so the dtypes of the operands tell */
    situ_tensor x = {0}, y = {0}, z = {0}, *few[3] = {&x, &y, &z};
    for (uint32_t i = 0; i < v->nin && i < 3; i++) {
        const situ_val *in = b->val[v->in[i]];
        few[i]->dtype = in->dtype;
        few[i]->kind = in->kind;
        few[i]->flags = in->scalar ? SITU_NODE_SCALAR : 0;
    }
    situ_infer c = {.op = v->op, .nin = (int)v->nin, .in = few};
    return situ_infer_promote(&c, 0, (int)v->nin);
}
