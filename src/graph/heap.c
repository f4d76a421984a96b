/* What outlives a scope: kept handles and variables. */
#include <string.h>

#include "base/memory.h"
#include "graph/record.h"
#include "graph/op.h"

enum { HEAD = (sizeof(situ_heap) + 15) & ~15 };

situ_heap *situ_heap_of(const situ_tensor *t) { return (situ_heap *)(void *)((char *)(uintptr_t)t - HEAD); }

situ_slot *situ_slot_of(const situ_tensor *variable) { return situ_heap_of(variable)->slot; }

/* A counted node with the shape of t. */
static situ_heap *heap_new(const situ_tensor *t, const situ_op *op, situ_site site)
{
    situ_heap *h = situ_calloc(1, HEAD + sizeof(situ_tensor) + 8 * ((size_t)t->ndim + 1));
    if (!h) {
        situ_fail(SITU_NO_MEMORY, site, "out of host memory for a handle");
        return NULL;
    }
    situ_tensor *n = (situ_tensor *)(void *)((char *)h + HEAD);
    h->refs = 1;
    h->node = n;
    n->op = op;
    n->site = t->site ? t->site : site;
    n->name = t->name;
    n->dtype = t->dtype;
    n->ndim = t->ndim;
    n->device = t->device;
    n->flags = t->flags & (SITU_NODE_NO_GRAD | SITU_NODE_STOP);
    memcpy(n->dim, t->dim, 8 * (size_t)t->ndim);
    return h;
}

void situ_heap_unref(situ_heap *h)
{
    if (atomic_fetch_sub(&h->refs, 1) != 1) return;
    situ_tensor *n = h->node;
    if (n->buffer) situ_buffer_unref(n->buffer);
    if (n->stride) situ_free((void *)(uintptr_t)n->stride);
    if (h->slot) {
        if (h->slot->buffer) situ_buffer_unref(h->slot->buffer);
        situ_free(h->slot->read);
        situ_free(h->slot);
    }
    situ_free(h);
}

/* ---- kept handles ------------------------------------------------------------------------------------------------- */

/* Takes the target's memory once it has some. */
static void adopt(situ_heap *h)
{
    situ_tensor *n = h->node, *t = h->target;
    if (n->buffer || !t || !t->buffer) return;
    if (t->stride) {
        n->stride = situ_node_strides(n, t->stride);
        if (!n->stride) return;
    }
    n->offset = t->offset;
    n->buffer = situ_buffer_ref(t->buffer);
}

void situ_heap_settle(situ_heap *h)
{
    adopt(h);
    h->target = NULL;
    h->target_scope = NULL;
    h->next = h->previous = NULL;
    if (h->node->buffer) return;
    h->node->flags |= SITU_NODE_POISON;
    h->node->attr = situ_failure_make(situ_error_code ? situ_error_code : SITU_NO_MEMORY,
                                      situ_error_code ? situ_error_message() : "the scope of a kept tensor closed before it could be computed");
}

situ_tensor *situ_keep_at(situ_tensor *t, situ_site site)
{
    if (situ_error_code && (!t || t->flags & SITU_NODE_POISON)) return situ_poisoned();
    if (!situ_usable(&t, 1, "situ_keep", site)) return situ_poisoned();
    if (t->flags & SITU_NODE_VARIABLE) t = situ_resolve(t, site);
    if (t && t->flags & SITU_NODE_SCALAR) {
        situ_fail(SITU_BAD_ARGUMENT, site, "situ_keep: a number has no memory to keep; make a tensor of it with situ_full");
        t = NULL;
    }
    situ_heap *h = t ? heap_new(t, &situ_op_stored, site) : NULL;
    if (!h) return situ_poisoned();
    h->node->flags |= SITU_NODE_KEPT;
    if (t->flags & SITU_NODE_KEPT && situ_heap_of(t)->target) t = situ_heap_of(t)->target;
    h->target = t;
    if (t->scope) {
        situ_scope *scope = t->scope;
        t->flags |= SITU_NODE_WANTED;
        h->target_scope = scope;
        h->next = scope->kept;
        if (h->next) h->next->previous = h;
        scope->kept = h;
    } else {
        adopt(h);
        h->target = NULL;
    }
    return h->node;
}

void situ_release(situ_tensor *t)
{
    if (!t || !(t->flags & (SITU_NODE_KEPT | SITU_NODE_VARIABLE))) return;
    situ_heap *h = situ_heap_of(t);
    if (h->released) return;
    h->released = true;
    if (h->target_scope && atomic_load(&h->refs) == 1) {
        /* nobody reads it any more: it need not be computed for its own sake */
        if (h->previous) h->previous->next = h->next;
        else h->target_scope->kept = h->next;
        if (h->next) h->next->previous = h->previous;
        if (h->target) h->target->flags &= (uint16_t)~SITU_NODE_WANTED;
        for (situ_heap *other = h->target_scope->kept; other && h->target; other = other->next)
            if (other->target == h->target) h->target->flags |= SITU_NODE_WANTED;
    }
    if (h->slot && h->slot->pending) {
        situ_thread *th = situ_thread_get();
        for (uint32_t i = 0; th && i < th->dirty_count; i++)
            if (th->dirty[i] == h->slot) th->dirty[i] = th->dirty[--th->dirty_count];
        h->slot->pending = NULL;
    }
    situ_heap_unref(h);
}

/* ---- variables ------------------------------------------------------------------------------------------------------ */

static pthread_mutex_t slot_lock = PTHREAD_MUTEX_INITIALIZER;

int situ_slot_add_read(situ_slot *s, situ_tensor *t)
{
    pthread_mutex_lock(&slot_lock);
    if (s->read_count == s->read_capacity) {
        uint32_t more = s->read_capacity ? s->read_capacity * 2 : 4;
        situ_tensor **grown = situ_realloc(s->read, more * sizeof *grown);
        if (!grown) {
            pthread_mutex_unlock(&slot_lock);
            return situ_fail(SITU_NO_MEMORY, t->site, "out of host memory for a variable");
        }
        s->read = grown;
        s->read_capacity = more;
    }
    s->read[s->read_count++] = t;
    pthread_mutex_unlock(&slot_lock);
    t->slot = s;
    return 0;
}

void situ_slot_remove_read(situ_slot *s, const situ_tensor *t)
{
    pthread_mutex_lock(&slot_lock);
    for (uint32_t i = 0; i < s->read_count; i++)
        if (s->read[i] == t) s->read[i--] = s->read[--s->read_count];
    pthread_mutex_unlock(&slot_lock);
}

static situ_tensor *read_here(situ_slot *s, const situ_scope *scope)
{
    situ_tensor *found = NULL;
    pthread_mutex_lock(&slot_lock);
    for (uint32_t i = 0; i < s->read_count && !found; i++)
        if (s->read[i]->scope == scope && s->read[i]->buffer) found = s->read[i];
    pthread_mutex_unlock(&slot_lock);
    return found;
}

/* One node per scope stands for the stored value. */
static situ_tensor *read_slot(situ_tensor *handle, situ_site site)
{
    situ_heap *h = situ_heap_of(handle);
    situ_slot *s = h->slot;
    situ_thread *th = situ_thread_get();
    if (!th) return NULL;
    if (s->pending) return s->pending;
    situ_tensor *t = read_here(s, th->scope);
    if (t) return t;
    if (!s->buffer) {
        situ_fail(SITU_BAD_ARGUMENT, site, "%s has no value: the call that made it failed", handle->name ? handle->name : "the variable");
        return NULL;
    }
    t = situ_node_new(&situ_op_stored, handle->ndim, 0, 0, 0, handle->site);
    if (!t) return NULL;
    t->dtype = handle->dtype;
    t->device = handle->device;
    t->name = handle->name;
    t->flags |= SITU_NODE_READ | (s->trainable ? SITU_NODE_TRAINABLE : 0);
    memcpy(t->dim, handle->dim, 8 * (size_t)handle->ndim);
    if (situ_scope_hold(th->scope, h)) return NULL; /* the slot outlives its reads */
    if (situ_slot_add_read(s, t)) return NULL;
    t->buffer = situ_buffer_ref(s->buffer);
    return t;
}

situ_tensor *situ_resolve(situ_tensor *t, situ_site site)
{
    if (t->flags & SITU_NODE_VARIABLE) return read_slot(t, site);
    if (t->flags & SITU_NODE_KEPT) {
        situ_heap *h = situ_heap_of(t);
        if (!h->target) return t;
        if (h->target_scope->thread == &situ_thread_state) return h->target; /* with its history, while that lives */
        pthread_mutex_lock(&slot_lock);
        adopt(h);
        pthread_mutex_unlock(&slot_lock);
        if (t->buffer) return t;
        situ_fail(SITU_BAD_ARGUMENT, site, "this tensor is not computed yet and belongs to another thread; call situ_eval on it there before handing it over");
        return NULL;
    }
    return t;
}

int situ_thread_dirty(situ_thread *th, situ_slot *s)
{
    for (uint32_t i = 0; i < th->dirty_count; i++)
        if (th->dirty[i] == s) return 0;
    if (th->dirty_count == th->dirty_capacity) {
        uint32_t more = th->dirty_capacity ? th->dirty_capacity * 2 : 16;
        situ_slot **grown = situ_realloc(th->dirty, more * sizeof(*grown));
        if (!grown) return situ_fail(SITU_NO_MEMORY, NULL, "out of host memory for a variable");
        th->dirty = grown;
        th->dirty_capacity = more;
    }
    th->dirty[th->dirty_count++] = s;
    return 0;
}

situ_tensor *situ_variable_new(const situ_tensor *like, bool trainable, const char *name, situ_site site)
{
    situ_heap *h = heap_new(like, &situ_op_variable, site);
    situ_slot *s = h ? situ_calloc(1, sizeof *s) : NULL;
    if (!s) {
        situ_free(h);
        situ_fail(SITU_NO_MEMORY, site, "out of host memory for a variable");
        return situ_poisoned();
    }
    h->slot = s;
    s->heap = h;
    s->trainable = trainable;
    h->node->flags |= SITU_NODE_VARIABLE | (trainable ? SITU_NODE_TRAINABLE : 0);
    h->node->site = site;
    h->node->name = name ? situ_site_intern(name) : like->name;
    return h->node;
}
