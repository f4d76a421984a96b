#include "graph/owned.h"

#include <string.h>

#include "base/memory.h"
#include "graph/op.h"

enum { CLASS_BYTES = 64, CLASSES = 12, MOST_SPARE = 4096 };

situ_scope situ_owned_scope;

/* Protected by the language's lock. */
static struct {
    situ_owned_head *newest, *oldest, *dead;
    situ_owned_head *spare[CLASSES];
    uint32_t spares[CLASSES];
    int64_t live;
    uint64_t births;
    struct situ_slot **dirty;
    uint32_t dirty_count, dirty_capacity;
} owned;
#define OWNED_ID UINT64_MAX /* id that no thread has */

bool situ_owned_recording(const situ_thread *th) { return th->id == OWNED_ID; }

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static situ_owned_head *head_new(size_t bytes)
{
    size_t size_class = (bytes + sizeof(situ_owned_head) + CLASS_BYTES - 1) / CLASS_BYTES;
    bool small = size_class < CLASSES;
    situ_owned_head *h = small ? owned.spare[size_class] : NULL;
    if (h) {
        owned.spare[size_class] = h->next;
        owned.spares[size_class]--;
    } else if (!(h = situ_malloc(size_class * CLASS_BYTES))) {
        return NULL;
    }
    memset(h, 0, small ? size_class * CLASS_BYTES : bytes + sizeof *h);
    h->size_class = (uint16_t)(small ? size_class : 0);
    return h;
}

static void head_free(situ_owned_head *h)
{
    uint16_t c = h->size_class;
    if (!c || owned.spares[c] >= MOST_SPARE) {
        situ_free(h);
        return;
    }
    h->next = owned.spare[c];
    owned.spare[c] = h;
    owned.spares[c]++;
}

situ_tensor *situ_owned_alloc(size_t bytes)
{
    situ_owned_head *h = head_new(bytes);
    if (!h) return NULL;
    h->older = owned.newest;
    if (h->older) h->older->newer = h;
    else owned.oldest = h;
    owned.newest = h;
    h->young = true;
    h->birth = ++owned.births;
    h->next = situ_owned_scope.young;
    situ_owned_scope.young = h;
    owned.live++;
    return situ_owned_node(h);
}

int64_t situ_owned_live(void) { return owned.live; }
situ_owned_head *situ_owned_oldest(void) { return owned.oldest; }

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static inline void look(situ_owned_head *h)
{
    if (h->owners || h->uses || h->young || h->dead) return;
    h->dead = true;
    h->next = owned.dead;
    owned.dead = h;
}

void situ_owned_use(situ_tensor *t)
{
    if (situ_is_owned(t)) situ_owned_of(t)->uses++;
}

void situ_owned_unuse(situ_tensor *t)
{
    if (!situ_is_owned(t)) return;
    situ_owned_head *h = situ_owned_of(t);
    h->uses--;
    look(h);
}

situ_tensor *situ_own(situ_tensor *t)
{
    if (!t || !situ_is_owned(t) || t->flags & SITU_NODE_POISON) return t;
    situ_owned_of(t)->owners++;
    t->flags |= SITU_NODE_WANTED;
    if (t->flags & SITU_NODE_RAN) situ_node_revive(t); /* only this node was dropped */
    return t;
}

void situ_disown(situ_tensor *t)
{
    if (!t) return;
    if (!situ_is_owned(t)) {
        situ_release(t);
        return;
    }
    situ_owned_head *h = situ_owned_of(t);
    if (--h->owners) return;
    t->flags &= (uint16_t)~SITU_NODE_WANTED;
    if (t->op == &situ_op_alias) situ_history_unwatched(t);
    if (h->uses) situ_history_idle(t);
    look(h);
}

int situ_owned_keep_alive(situ_tensor *t, situ_heap *heap)
{
    situ_owned_head *h = situ_owned_of(t);
    situ_owned_hold *hold = situ_malloc(sizeof *hold);
    if (!hold) return situ_fail(SITU_NO_MEMORY, NULL, "out of host memory for the graph");
    *hold = (situ_owned_hold){.next = h->holds, .heap = heap};
    h->holds = hold;
    atomic_fetch_add(&heap->refs, 1);
    return 0;
}

bool situ_owned_tracked(const situ_tensor *t)
{
    if (t->op == &situ_op_alias && situ_owned_of(t)->owners) return true; /* a watched value */
    if (!situ_owned_is_float(t) || t->flags & SITU_NODE_NO_GRAD) return false;
    situ_tensor **in = situ_node_in(t);
    for (int k = 0; k < t->nin; k++) {
        if (in[k]->flags & (SITU_NODE_STOP | SITU_NODE_NO_GRAD)) continue;
        if (in[k]->flags & (SITU_NODE_TRACKED | SITU_NODE_TRAINABLE)) return true;
    }
    return false;
}

void situ_owned_link(situ_tensor *t)
{
    situ_owned_head *h = situ_owned_of(t);
    situ_tensor **in = situ_node_in(t);
    for (int k = 0; k < t->nin; k++) situ_owned_use(in[k]);
    if (situ_owned_tracked(t)) t->flags |= SITU_NODE_TRACKED;
    h->linked = true;
    situ_owned_pend(t);
}

void situ_owned_stored(situ_tensor *t, situ_tensor *x)
{
    *situ_node_in(t) = x;
    situ_owned_use(x);
    situ_owned_of(t)->linked = true;
    if (situ_owned_tracked(t)) t->flags |= SITU_NODE_TRACKED;
    situ_history_stored(t);
}

void situ_owned_pend(situ_tensor *t)
{
    situ_owned_head *h = situ_owned_of(t);
    situ_owned_scope.count += !h->pending;
    h->pending = true;
}

void situ_owned_ran(situ_tensor *t)
{
    situ_owned_head *h = situ_owned_of(t);
    situ_owned_scope.count -= h->pending;
    h->pending = false;
}

/* ---- freeing ----------------------------------------------------------------------------------------------------- */

static void drop_operands(situ_tensor *t)
{
    situ_owned_head *h = situ_owned_of(t);
    situ_tensor **in = situ_node_in(t);
    bool reads = h->linked && !(t->flags & SITU_NODE_RAN);
    for (int k = 0; k < t->nin && h->linked; k++) {
        if (reads && in[k]->scope) in[k]->readers--;
        situ_owned_unuse(in[k]);
    }
    h->linked = false;
    situ_owned_ran(t);
}

void situ_owned_cut(situ_tensor *t)
{
    drop_operands(t);
    situ_history_gone(situ_owned_of(t));
    t->op = &situ_op_stored;
    t->nin = t->attr_size = 0;
    t->nword = 0;
}

static void bury(situ_owned_head *h)
{
    situ_tensor *t = situ_owned_node(h);
    drop_operands(t);
    const situ_aside *aside = situ_node_aside(t);
    if (aside->slot) situ_slot_remove_read(aside->slot, t);
    if (t->buffer) situ_buffer_unref(t->buffer);
    if (aside->stride) situ_free((void *)(uintptr_t)aside->stride);
    for (situ_owned_hold *hold = h->holds, *next; hold; hold = next) {
        next = hold->next;
        situ_heap_unref(hold->heap);
        situ_free(hold);
    }
    situ_history_gone(h);
    if (h->older) h->older->newer = h->newer;
    else owned.oldest = h->newer;
    if (h->newer) h->newer->older = h->older;
    else owned.newest = h->older;
    owned.live--;
    t->alive = SITU_NODE_CLOSED;
    t->walk = 0;
    head_free(h);
}

void situ_owned_bury(void)
{
    while (owned.dead) {
        situ_owned_head *h = owned.dead;
        owned.dead = h->next;
        h->dead = false;
        if (!h->owners && !h->uses) bury(h);
    }
}

situ_tensor **situ_owned_pending(uint32_t *count)
{
    *count = 0;
    for (situ_owned_head *h = owned.newest; h; h = h->older) *count += h->pending && h->owners;
    situ_tensor **out = *count ? situ_malloc(*count * sizeof(*out)) : NULL;
    uint32_t n = out ? *count : 0;
    *count = n;
    for (situ_owned_head *h = owned.newest; h && n; h = h->older)
        if (h->pending && h->owners) out[--n] = situ_owned_node(h);
    return out;
}

/* ---- threads of the language --------------------------------------------------------------------------------------- */

int situ_owned_enter(situ_owned_frame *f)
{
    situ_thread *th = situ_thread_get();
    if (!th) return -situ_error_code;
    situ_scope *s = &situ_owned_scope;
    if (!s->id) {
        s->id = UINT64_MAX;
        s->enqueued = SITU_MOST_PENDING;
    }
    *f = (situ_owned_frame){.thread = th,
        .scope = th->scope,
        .arena = s->arena,
        .young = s->young,
        .id = th->id,
        .dirty = th->dirty,
        .dirty_count = th->dirty_count,
        .dirty_capacity = th->dirty_capacity};
    situ_arena_init(&s->arena, &th->chunks);
    s->young = NULL;
    s->thread = th;
    th->scope = s;
    if (th->id == OWNED_ID) return 0; /* nested in another call */
    th->id = OWNED_ID;
    th->dirty = owned.dirty;
    th->dirty_count = owned.dirty_count;
    th->dirty_capacity = owned.dirty_capacity;
    return 0;
}

void situ_owned_leave(situ_owned_frame *f)
{
    situ_thread *th = f->thread;
    situ_scope *s = &situ_owned_scope;
    for (situ_owned_head *h = s->young, *next; h; h = next) {
        next = h->next;
        h->young = false;
        look(h);
    }
    if (f->id != OWNED_ID) situ_history_sweep();
    if (owned.dead) situ_owned_bury();
    situ_arena_free(&s->arena);
    s->arena = f->arena;
    s->young = f->young;
    th->scope = f->scope;
    if (f->id == OWNED_ID) return;
    s->thread = NULL; /* the nodes belong to no thread, also for threads without the lock */
    owned.dirty = th->dirty;
    owned.dirty_count = th->dirty_count;
    owned.dirty_capacity = th->dirty_capacity;
    th->id = f->id;
    th->dirty = f->dirty;
    th->dirty_count = f->dirty_count;
    th->dirty_capacity = f->dirty_capacity;
}
