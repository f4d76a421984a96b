/* Moves tensors out of a scope that closes. They and the nodes they depend on are copied to the outer scope, with
 * their state (pending, stored or dropped) and their history. */
#include <string.h>

#include "base/memory.h"
#include "base/parts.h"
#include "graph/op.h"
#include "graph/owned.h"
#include "graph/record.h"
#include "graph/walk.h"
#include "tensor/dtype.h"

/* Marks a node to be copied. The field `walk` of nodes in the closing scope, which no plan needs any more, holds this
 * mark or the address of the copy. */
static const uint64_t GOES = UINT64_MAX;

static situ_tensor *as_what(const situ_tensor *t) { return (situ_tensor *)(uintptr_t)t->walk; }

/* True if it is stored and no gradient passes through it: it is copied without history. */
static bool is_end(const situ_tensor *t)
{
    if (t->op->family == SITU_LEAF) return true;
    situ_dtype d = (situ_dtype)t->dtype;
    bool differentiable = situ_dtype_is_float(d) || situ_dtype_is_complex(d);
    return t->buffer && (!differentiable || t->flags & (SITU_NODE_STOP | SITU_NODE_NO_GRAD));
}

/* Marks nodes in the order of recording, in which operands come first. */
static uint32_t mark(const situ_scope *from, situ_tensor *const *t, int count)
{
    uint32_t marked = 0;
    for (uint32_t i = 0; i < from->count; i++) from->node[i]->walk = 0;
    for (int i = 0; i < count; i++)
        if (t[i] && t[i]->alive == SITU_NODE_ALIVE && t[i]->scope == from) t[i]->walk = GOES;
    for (uint32_t i = from->count; i-- > 0;) {
        situ_tensor *n = from->node[i], **in = situ_node_in(n);
        if (n->walk != GOES) continue;
        marked++;
        for (int k = 0; k < n->nin && !is_end(n); k++)
            if (in[k]->scope == from) in[k]->walk = GOES;
    }
    return marked;
}

static int no_memory(const situ_tensor *t)
{
    return situ_fail(SITU_NO_MEMORY, t->site, "situ_scope_close_with: out of host memory for the graph");
}

static situ_tensor *copy_node(const situ_tensor *t, situ_scope *to)
{
    size_t bytes = sizeof *t + 8 * (size_t)(t->ndim + t->nin + t->nword) + t->attr_size;
    situ_tensor *n = situ_arena_alloc(&to->arena, bytes);
    if (!n) return NULL;
    memcpy(n, t, bytes);
    n->scope = to;
    n->buffer = NULL;
    n->aside = NULL;
    n->readers = 0;
    n->walk = 0;
    if (is_end(t) && !(t->flags & (SITU_NODE_SCALAR | SITU_NODE_POISON))) { /* words and attributes follow the operands */
        n->nin = n->attr_size = 0;
        n->nword = 0;
        if (t->buffer) n->op = &situ_op_stored;
    }
    if (!t->aside) return n;
    situ_aside *aside = situ_node_make_aside(n);
    if (!aside) return NULL;
    *aside = *t->aside;
    aside->slot = NULL; /* set later, when it is added to the slot's list */
    return !aside->stride || (aside->stride = situ_node_strides(n, t->aside->stride)) ? n : NULL;
}

/* Copies one tensor; everything that can fail comes first. */
static int take_one(situ_tensor *t, situ_scope *to)
{
    situ_tensor *n = copy_node(t, to), **in = n ? situ_node_in(n) : NULL;
    if (!n) return no_memory(t);
    for (int k = 0; k < n->nin; k++) {
        if (in[k]->scope == t->scope) in[k] = as_what(in[k]);
        else if (!in[k]->scope && !(in[k]->flags & SITU_NODE_POISON) && situ_scope_hold(to, situ_heap_of(in[k])))
            return -situ_error_code;
    }
    situ_slot *slot = situ_node_aside(t)->slot;
    if (slot && (situ_scope_hold(to, slot->heap) || situ_slot_add_read(slot, n))) return -situ_error_code;
    if (t->buffer) n->buffer = situ_buffer_ref(t->buffer);
    for (int k = 0; k < n->nin; k++) {
        if (!(n->flags & SITU_NODE_RAN) && in[k]->scope) in[k]->readers++;
        if (to->reads_owned) situ_owned_use(in[k]);
    }
    to->node[to->count++] = n;
    t->walk = (uintptr_t)n;
    return 0;
}

/* Redirects kept handles to the copies. */
static void take_kept(situ_scope *from, situ_scope *to)
{
    for (situ_heap *h = from->kept, *next; h; h = next) {
        next = h->next;
        if (!h->target->walk) continue;
        *(h->previous ? &h->previous->next : &from->kept) = h->next;
        if (h->next) h->next->previous = h->previous;
        h->target = as_what(h->target);
        h->target_scope = to;
        h->previous = NULL;
        h->next = to->kept;
        if (h->next) h->next->previous = h;
        to->kept = h;
    }
}

static int make_room(situ_scope *to, uint32_t more)
{
    if (to->capacity - to->count >= more) return 0;
    uint32_t wanted = to->count + more + to->count / 2;
    situ_tensor **grown = situ_realloc(to->node, wanted * sizeof *grown);
    if (!grown) return situ_fail(SITU_NO_MEMORY, NULL, "situ_scope_close_with: out of host memory for the graph");
    to->node = grown;
    to->capacity = wanted;
    return 0;
}

void situ_scope_take(situ_scope *from, situ_scope *to, situ_tensor **t, int count)
{
    uint32_t marked = mark(from, t, count);
    if (!marked) return;
    situ_mutex_lock(&situ_planner);
    int rc = make_room(to, marked);
    for (uint32_t i = 0; i < from->count && !rc; i++)
        if (from->node[i]->walk == GOES) rc = take_one(from->node[i], to);
    if (!rc) take_kept(from, to);
    situ_mutex_unlock(&situ_planner);
    for (int i = 0; i < count; i++)
        if (t[i] && t[i]->alive == SITU_NODE_ALIVE && t[i]->scope == from) t[i] = rc ? situ_poisoned() : as_what(t[i]);
    if (!rc && to->count - to->enqueued >= SITU_MOST_PENDING) situ_linked.scope_flush(to, false);
}
