/* Kept handles and variables, which outlive scopes. */
#include <string.h>

#include "os/lock.h"
#include "base/memory.h"
#include "graph/record.h"
#include "graph/op.h"
#include "graph/owned.h"
#include "graph/walk.h"

situ_slot *situ_slot_of(const situ_tensor *variable) { return situ_heap_of(variable)->slot; }

/* A reference-counted node with the shape of t. */
static situ_heap *heap_new(const situ_tensor *t, const situ_op *op, situ_site site)
{
    size_t bytes = SITU_HEAP_HEAD + sizeof(situ_tensor) + 8 * ((size_t)t->ndim + 1);
    situ_heap *h = situ_calloc(1, bytes + sizeof(situ_aside));
    if (!h) return situ_fail(SITU_NO_MEMORY, site, "out of host memory for a handle"), NULL;
    situ_tensor *n = (situ_tensor *)(void *)((char *)h + SITU_HEAP_HEAD);
    h->refs = 1;
    h->node = n;
    n->op = op;
    n->alive = SITU_NODE_ALIVE;
    n->site = t->site ? t->site : site;
    n->aside = (situ_aside *)(void *)((char *)h + bytes);
    n->aside->name = situ_node_aside(t)->name;
    n->aside->same_as = situ_node_origin(t);
    n->dtype = t->dtype;
    n->ndim = t->ndim;
    n->device = t->device;
    n->flags = t->flags & (SITU_NODE_NO_GRAD | SITU_NODE_STOP);
    memcpy(n->dim, t->dim, 8 * (size_t)t->ndim);
    return h;
}

situ_tensor *situ_heap_target(const situ_heap *h) { return h->owner == situ_thread_state.id ? h->target : NULL; }

void situ_heap_unref(situ_heap *h)
{
    if (atomic_fetch_sub(&h->refs, 1) != 1) return;
    situ_tensor *n = h->node;
    if (n->buffer) situ_buffer_unref(n->buffer);
    if (n->aside->stride) situ_free((void *)(uintptr_t)n->aside->stride);
    n->alive = SITU_NODE_RELEASED;
    if (h->slot) {
        if (h->slot->buffer) situ_buffer_unref(h->slot->buffer);
        situ_free(h->slot->read);
        situ_free(h->slot);
    }
    situ_retire(h);
}

/* ---- kept handles ------------------------------------------------------------------------------------------------- */

/* Takes over the target's memory once it is stored. The buffer is set last, because other threads read it without a
 * lock. */
static void adopt(situ_heap *h)
{
    situ_tensor *n = h->node, *t = h->target;
    if (n->buffer || !t || !t->buffer) return;
    const situ_aside *aside = situ_node_aside(t);
    if (aside->stride) {
        n->aside->stride = situ_node_strides(n, aside->stride);
        if (!n->aside->stride) return;
    }
    n->aside->offset = aside->offset;
    __atomic_store_n(&n->buffer, situ_buffer_ref(t->buffer), __ATOMIC_RELEASE);
}

void situ_heap_detach(situ_heap *h)
{
    situ_mutex_lock(&situ_planner); /* another thread may be doing the same */
    adopt(h);
    h->target = NULL;
    h->target_scope = NULL;
    h->next = h->previous = NULL;
    if (!h->node->buffer) {
        h->node->aside->failure = situ_failure_make(situ_error_code ? situ_error_code : SITU_NO_MEMORY,
            situ_error_code ? situ_error_peek() : "the scope of a kept tensor closed before it could be computed");
        h->node->flags |= SITU_NODE_POISON;
    }
    situ_mutex_unlock(&situ_planner);
    situ_heap_unref(h);
}

static void list_kept(situ_heap *h, situ_tensor *t)
{
    situ_scope *scope = t->scope;
    t->flags |= SITU_NODE_WANTED;
    situ_own(t);
    h->target_scope = scope;
    h->next = scope->kept;
    if (h->next) h->next->previous = h;
    scope->kept = h;
    atomic_fetch_add(&h->refs, 1);
}

/* This handle no longer requires its target to be stored. */
static void unlist_kept(situ_heap *h)
{
    situ_scope *scope = h->target_scope;
    situ_tensor *t = h->target;
    *(h->previous ? &h->previous->next : &scope->kept) = h->next;
    if (h->next) h->next->previous = h->previous;
    situ_mutex_lock(&situ_planner);
    adopt(h); /* other nodes that read the handle keep its value */
    h->target = NULL;
    h->target_scope = NULL;
    h->next = h->previous = NULL;
    if (!situ_is_owned(t)) t->flags &= (uint16_t)~SITU_NODE_WANTED;
    situ_mutex_unlock(&situ_planner);
    for (const situ_heap *other = scope->kept; other; other = other->next)
        if (other->target == t) t->flags |= SITU_NODE_WANTED;
    if (situ_is_owned(t)) situ_disown(t);
    situ_heap_unref(h);
}

situ_tensor *(situ_keep)(situ_tensor *t, situ_site site)
{
    /* Works while an error is pending, so that earlier results can be kept. */
    if (situ_error_code ? !t || t->flags & SITU_NODE_POISON : !situ_usable(&t, 1, "situ_keep", site)) return situ_poisoned();
    situ_thread *th = situ_thread_get();
    t = th ? situ_value_of(t, site) : NULL;
    if (t && t->flags & SITU_NODE_SCALAR) {
        situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_keep: a number has no memory to keep; make a tensor of it with " SITU_SAY("situ_full", "situ.full"));
        t = NULL;
    }
    const situ_tensor *lost = t ? situ_node_revive(t) : NULL;
    if (lost) situ_fail_overwritten(lost, site);
    situ_heap *h = t && !lost ? heap_new(t, &situ_op_stored, site) : NULL;
    if (!h) return situ_poisoned();
    h->node->flags |= SITU_NODE_KEPT;
    h->owner = th->id;
    h->target = t;
    if (t->scope) {
        list_kept(h, t);
        return h->node;
    }
    adopt(h);
    h->target = NULL;
    if (h->node->buffer) return h->node;
    situ_heap_unref(h); /* out of memory for its strides */
    return situ_poisoned();
}

void situ_release(situ_tensor *t)
{
    situ_site site = situ_passed_site();
    if (!t || (t->alive != SITU_NODE_ALIVE && t->alive != SITU_NODE_RELEASED)) return; /* a temporary of a closed scope */
    if (!(t->flags & (SITU_NODE_KEPT | SITU_NODE_VARIABLE))) return;
    situ_heap *h = situ_heap_of(t);
    if (h->released) {
        situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_release: this handle (made at %s) was released before%s%s; release each handle once",
            t->site ? t->site : "an unknown line", h->released_at ? ", at " : "", h->released_at ? h->released_at : "");
        return;
    }
    h->released = true;
    h->released_at = site;
    t->alive = SITU_NODE_RELEASED;
    situ_thread *th = &situ_thread_state;
    if (h->target_scope && h->owner == th->id) unlist_kept(h);
    if (h->slot && atomic_load(&h->slot->owner) == th->id && h->slot->pending) situ_thread_clean(th, h->slot);
    situ_heap_unref(h);
}

/* ---- variables ------------------------------------------------------------------------------------------------------ */

SITU_LOCK(slot_lock);

void situ_slot_lock(void) { situ_mutex_lock(&slot_lock); }
void situ_slot_unlock(void) { situ_mutex_unlock(&slot_lock); }

void situ_graph_after_fork(void) { atomic_store(&situ_threads_live, situ_thread_state.ready); }

static int reserve_read(situ_slot *s)
{
    if (s->read_count < s->read_capacity) return 0;
    uint32_t more = s->read_capacity ? s->read_capacity * 2 : 4;
    situ_tensor **grown = situ_realloc(s->read, more * sizeof *grown);
    if (!grown) return situ_fail(SITU_NO_MEMORY, s->heap->node->site, "out of host memory for a variable");
    s->read = grown;
    s->read_capacity = more;
    return 0;
}

int situ_slot_reserve_read(situ_slot *s)
{
    situ_mutex_lock(&slot_lock);
    int rc = reserve_read(s);
    situ_mutex_unlock(&slot_lock);
    return rc;
}

int situ_slot_add_read(situ_slot *s, situ_tensor *t)
{
    situ_aside *aside = situ_node_make_aside(t);
    if (!aside) return -situ_error_code;
    situ_mutex_lock(&slot_lock);
    int rc = reserve_read(s);
    if (!rc) s->read[s->read_count++] = t;
    situ_mutex_unlock(&slot_lock);
    if (!rc) aside->slot = s;
    return rc;
}

void situ_slot_remove_read(situ_slot *s, const situ_tensor *t)
{
    situ_mutex_lock(&slot_lock);
    for (uint32_t i = 0; i < s->read_count; i++)
        if (s->read[i] == t) s->read[i--] = s->read[--s->read_count];
    situ_mutex_unlock(&slot_lock);
}

/* Only the owner thread may read `pending`: another thread may be assigning it. */
static inline bool pending_here(const situ_slot *s) { return atomic_load(&s->owner) == situ_thread_state.id && s->pending; }

uint64_t situ_slot_version(const situ_slot *s)
{
    situ_mutex_lock(&slot_lock);
    uint64_t version = pending_here(s) ? s->version : s->stored_version;
    situ_mutex_unlock(&slot_lock);
    return version;
}

bool situ_slot_has_other(const situ_slot *s, uint64_t version)
{
    situ_mutex_lock(&slot_lock);
    bool present = version == (pending_here(s) ? s->version : s->stored_version);
    /* The handle may be released while the value is pending: nobody will assign it again, and its reads have that
     * value. */
    bool other = !present && !(s->heap->released && version == s->version);
    situ_mutex_unlock(&slot_lock);
    return other;
}

/* The read node for this version: the pinned one, or the one of this scope for the present version. */
static situ_tensor *read_here(situ_slot *s, const situ_thread *th)
{
    situ_tensor *found = NULL, *pinned = NULL;
    situ_mutex_lock(&slot_lock);
    bool pending = pending_here(s), may_be_pinned = th->pin && !pending;
    uint64_t version = pending ? s->version : s->stored_version;
    for (uint32_t i = 0; i < s->read_count && !pinned && (!found || may_be_pinned); i++) {
        situ_tensor *t = s->read[i];
        if (t->scope->thread != th) continue; /* a node of another thread must not be accessed */
        const situ_aside *aside = situ_node_aside(t);
        if (may_be_pinned && aside->pin == th->pin) pinned = t;
        if (t->scope == th->scope && aside->version == version) found = t;
    }
    situ_mutex_unlock(&slot_lock);
    return pinned ? pinned : found;
}

/* Called under the planner's lock: no plan may decide to overwrite the value while a reader is added. */
static int take_value(situ_slot *s, situ_tensor *t)
{
    situ_mutex_lock(&situ_planner);
    int rc = s->buffer ? situ_slot_add_read(s, t) : 1;
    if (!rc) {
        t->aside->version = s->stored_version;
        t->buffer = situ_buffer_ref(s->buffer);
    }
    situ_mutex_unlock(&situ_planner);
    return rc;
}

/* For a value that is still pending: a view of it, until a plan stores it in the variable. */
static int view_pending(situ_slot *s, situ_tensor *t)
{
    situ_node_in(t)[0] = s->pending;
    if (situ_node_link(t)) return -situ_error_code;
    int rc = situ_slot_add_read(s, t);
    if (!rc) t->aside->version = s->version;
    return rc;
}

/* The read node of a variable: one node per scope and version stands for the value, pending or stored. Gradients end
 * there, so they do not depend on whether the value was pending, and are not those of the tensor that was assigned. */
static situ_tensor *read_slot(situ_tensor *handle, situ_site site)
{
    situ_heap *h = situ_heap_of(handle);
    situ_slot *s = h->slot;
    situ_thread *th = situ_thread_get();
    if (!th) return NULL;
    situ_tensor *t = read_here(s, th);
    if (t) return t;
    bool pending = pending_here(s);
    t = situ_node_new(pending ? &situ_op_value : &situ_op_stored, handle->ndim, pending, 0, 0, handle->site);
    situ_aside *aside = t ? situ_node_make_aside(t) : NULL;
    if (!aside) return NULL;
    t->dtype = handle->dtype;
    t->device = handle->device;
    aside->name = situ_node_aside(handle)->name;
    /* shared by operations recorded with and without situ_no_grad */
    t->flags = (uint16_t)((t->flags & ~SITU_NODE_NO_GRAD) | SITU_NODE_READ | (s->trainable ? SITU_NODE_TRAINABLE : 0));
    memcpy(t->dim, handle->dim, 8 * (size_t)handle->ndim);
    if (situ_node_hold(t, h)) return NULL; /* the slot has to outlive its reads */
    int rc = pending ? view_pending(s, t) : take_value(s, t);
    if (!rc) return t;
    if (rc > 0)
        situ_fail(SITU_BAD_ARGUMENT, site, "%s (made at %s) has no value%s", aside->name ? aside->name : "the variable",
            handle->site ? handle->site : "an unknown line",
            atomic_load(&s->owner) ? " yet: it is pending in another thread; call " SITU_SAY(
                                         "situ_eval", "situ.eval") " on it there before handing it over" :
                                     ": the plan that should have given it its first one failed");
    return NULL;
}

/* Called under the locks of the planner and of the slot list: are these nodes still the present values of their
 * variables? */
static bool all_present(situ_tensor *const *variable, situ_tensor *const *node, int count)
{
    for (int i = 0; i < count; i++) {
        /* No buffer: a pending value of this thread. */
        const situ_aside *aside = node[i] && node[i]->buffer ? node[i]->aside : NULL;
        bool pinned = aside && aside->pin && aside->pin == situ_thread_state.pin;
        if (aside && !pinned && aside->version != situ_slot_of(variable[i])->stored_version) return false;
    }
    return true;
}

/* Reads all variables in one version: no version may be published between the first and the last. If one was published
 * meanwhile, the variables that it changed are read again; by then the publishing thread has done the work of a plan. */
int situ_variables_read(situ_tensor *const *variable, situ_tensor **node, int count, situ_site site)
{
    uint32_t pin = situ_thread_state.pin;
    for (bool present = false; !present;) {
        for (int i = 0; i < count; i++) {
            if (!(variable[i]->flags & SITU_NODE_VARIABLE)) node[i] = NULL;
            else if (!(node[i] = read_slot(variable[i], site))) return -situ_error_code;
        }
        situ_mutex_lock(&situ_planner);
        situ_mutex_lock(&slot_lock);
        present = all_present(variable, node, count);
        for (int i = 0; present && i < count; i++)
            if (node[i] && node[i]->buffer) node[i]->aside->pin = pin;
        situ_mutex_unlock(&slot_lock);
        situ_mutex_unlock(&situ_planner);
    }
    return 0;
}

/* A thread always reads what it assigned itself. */
void situ_slot_unpin(situ_slot *s)
{
    situ_mutex_lock(&slot_lock);
    for (uint32_t i = 0; i < s->read_count; i++)
        if (s->read[i]->scope->thread == &situ_thread_state) s->read[i]->aside->pin = 0;
    situ_mutex_unlock(&slot_lock);
}

/* ---- resolving handles ----------------------------------------------------------------------------------------------- */

static situ_tensor *fail_foreign(situ_site site)
{
    situ_fail(SITU_BAD_ARGUMENT, site,
        "this tensor is not computed yet and belongs to another thread; call " SITU_SAY(
            "situ_eval", "situ.eval") " on it there before handing it over");
    return NULL;
}

/* A leaf of this thread for a value that another thread has stored. */
static situ_tensor *borrow_foreign(const situ_tensor *t, situ_site site)
{
    bool scalar = t->flags & SITU_NODE_SCALAR;
    situ_tensor *n = situ_node_new(scalar ? &situ_op_scalar : &situ_op_stored, t->ndim, 0, scalar, 0, t->site);
    if (!n) return NULL;
    n->dtype = t->dtype;
    n->kind = t->kind;
    n->device = t->device;
    n->flags |= t->flags & (SITU_NODE_SCALAR | SITU_NODE_STOP);
    memcpy(n->dim, t->dim, 8 * (size_t)t->ndim);
    if (scalar) {
        *situ_node_word(n) = *situ_node_word(t);
        return n;
    }
    situ_aside *aside = situ_node_make_aside(n);
    if (!aside) return NULL;
    situ_mutex_lock(&situ_planner);
    aside->name = situ_node_aside(t)->name;
    aside->same_as = situ_node_origin(t);
    situ_buffer *b = t->buffer ? situ_buffer_ref(t->buffer) : NULL;
    const int64_t *stride = situ_node_aside(t)->stride;
    aside->offset = situ_node_aside(t)->offset;
    situ_mutex_unlock(&situ_planner);
    n->buffer = b; /* released with the scope */
    if (!b) return fail_foreign(site);
    return stride && !(aside->stride = situ_node_strides(n, stride)) ? NULL : n;
}

situ_tensor *situ_resolve(situ_tensor *t, situ_site site)
{
    if (t->flags & SITU_NODE_VARIABLE) return read_slot(t, site);
    if (t->scope) return t->scope->thread == &situ_thread_state ? t : borrow_foreign(t, site);
    if (!(t->flags & SITU_NODE_KEPT)) return t;
    situ_heap *h = situ_heap_of(t);
    situ_tensor *target = situ_heap_target(h);
    /* Its own thread gets the node with its history, as long as that exists. */
    if (target || h->owner == situ_thread_state.id) return target ? target : t;
    if (__atomic_load_n(&t->buffer, __ATOMIC_ACQUIRE)) return t;
    situ_mutex_lock(&situ_planner);
    adopt(h);
    situ_mutex_unlock(&situ_planner);
    return t->buffer ? t : fail_foreign(site);
}

situ_tensor *situ_value_of(situ_tensor *t, situ_site site)
{
    situ_tensor *x = situ_value_here(t);
    if (x) return x;
    x = situ_resolve(t, site);
    if (!x || !situ_node_is_read(x)) return x;
    situ_tensor *y = situ_node_new(&situ_op_value, x->ndim, 1, 0, 0, site);
    if (!y) return NULL;
    y->dtype = x->dtype;
    y->device = x->device;
    memcpy(y->dim, x->dim, 8 * (size_t)x->ndim);
    situ_node_in(y)[0] = x;
    return situ_node_link(y) ? NULL : y;
}

int situ_thread_dirty(situ_thread *th, situ_slot *s)
{
    if (s->dirty) return 0;
    if (th->dirty_count == th->dirty_capacity) {
        uint32_t more = th->dirty_capacity ? th->dirty_capacity * 2 : 16;
        situ_slot **grown = situ_realloc(th->dirty, more * sizeof(*grown));
        if (!grown) return situ_fail(SITU_NO_MEMORY, NULL, "out of host memory for a variable");
        th->dirty = grown;
        th->dirty_capacity = more;
    }
    th->dirty[th->dirty_count++] = s;
    s->dirty = th->dirty_count;
    atomic_fetch_add(&s->heap->refs, 1);
    return 0;
}

void situ_slot_pend(situ_slot *s, situ_tensor *value)
{
    situ_tensor *before = s->pending;
    if (value) situ_owned_use(value);
    s->pending = value;
    if (before) situ_owned_unuse(before);
}

/* Searches from the end of the list, where the slot usually is. */
void situ_thread_clean(situ_thread *th, situ_slot *s)
{
    uint32_t at = s->dirty;
    if (!at || at > th->dirty_count || th->dirty[at - 1] != s) return;
    for (uint32_t i = at; i < th->dirty_count; i++) {
        th->dirty[i - 1] = th->dirty[i];
        th->dirty[i - 1]->dirty = i;
    }
    th->dirty_count--;
    s->dirty = 0;
    situ_slot_pend(s, NULL);
    atomic_store(&s->owner, 0);
    situ_heap_unref(s->heap);
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
    h->node->aside->name = name ? situ_site_intern(name) : situ_node_aside(like)->name;
    return h->node;
}
