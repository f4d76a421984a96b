/* Decides which computed values of a language's objects (owned.h) keep their history, that is, their operands.
 * Whether a gradient exists must not depend on what was read before. A gradient may be asked for by any tensor that
 * has an owner, and by any variable, so a value keeps its operands if they lead to one of these. They are cut when the
 * last of these is gone, so a loop from value to value holds only one. Large values that only a history needs are
 * dropped and computed again for a gradient. If histories hold more than some thousand values, or much memory that
 * cannot be computed again, the oldest are cut; a gradient that would need them is an error (grad/grad.c). */
#include "graph/owned.h"

enum { MOST_KEPT = 1024, MOST_IDLE = 16 << 20, FEW = 1024, LITTLE = 1 << 20, LARGE = 1 << 14 };

/* Protected by the language's lock. idle: memory of values without an owner that only histories need. */
static struct {
    int64_t idle_bytes, allowed_bytes;
    uint32_t idle, allowed, kept, allowed_kept;
    bool unwatched; /* a watched value lost its last owner */
} history = {.allowed_bytes = LITTLE, .allowed = FEW, .allowed_kept = MOST_KEPT};

static uint64_t marks(uint64_t number)
{
    uint64_t hash = number * 0x9e3779b97f4a7c15u;
    return (uint64_t)1 << (hash >> 58) | (uint64_t)1 << (hash >> 52 & 63);
}

static uint64_t marks_of(const situ_tensor *t)
{
    if (situ_node_is_read(t)) return marks((uint64_t)(uintptr_t)situ_node_aside(t)->slot >> 4);
    return situ_is_owned(t) ? marks(situ_owned_of(t)->birth) : marks((uint64_t)(uintptr_t)situ_node_origin(t) >> 4);
}

bool situ_history_reached(const situ_tensor *t, const situ_tensor *x)
{
    if (!situ_is_owned(t) || t == x || (situ_is_owned(x) && situ_owned_of(t)->birth <= situ_owned_of(x)->birth)) return false;
    uint64_t asked = x->flags & SITU_NODE_VARIABLE ? marks((uint64_t)(uintptr_t)situ_slot_of(x) >> 4) :
                                                     marks_of(x->flags & SITU_NODE_KEPT ? situ_heap_target(situ_heap_of(x)) : x);
    return !(asked & ~situ_owned_of(t)->from);
}

/* Do gradients pass from t to its operands? They end at assignments. */
static bool is_way(const situ_tensor *t)
{
    return situ_owned_is_float(t) && !(t->flags & (SITU_NODE_STOP | SITU_NODE_NO_GRAD)) && !situ_node_is_read(t);
}

/* Variables and kept handles may be held by others than Python. */
static bool may_be_asked(const situ_tensor *x)
{
    return situ_owned_is_float(x) &&
        (!situ_is_owned(x) || situ_node_is_read(x) || situ_owned_of(x)->owners || situ_owned_of(x)->asks);
}

static bool asks(const situ_tensor *t)
{
    situ_tensor **in = situ_node_in(t);
    bool any = false;
    for (int k = 0; k < t->nin && !any; k++) any = may_be_asked(in[k]);
    return any && is_way(t);
}

static void count_idle(const situ_tensor *t)
{
    history.idle++;
    history.idle_bytes += (int64_t)situ_node_bytes(t);
}

void situ_history_idle(const situ_tensor *t)
{
    if (t->buffer && !(t->flags & SITU_NODE_TRACKED)) count_idle(t);
}

void situ_history_gone(situ_owned_head *h)
{
    history.kept -= h->kept;
    h->kept = h->asks = false;
}

/* Cuts t's history: it becomes a leaf. */
static void cut(situ_tensor *t)
{
    situ_owned_of(t)->from = 0;
    situ_owned_cut(t);
}

void situ_history_stored(situ_tensor *t)
{
    situ_owned_head *h = situ_owned_of(t);
    situ_tensor **in = situ_node_in(t);
    if (!h->linked) return;
    h->asks = asks(t);
    if (!t->buffer || t->flags & SITU_NODE_TRACKED) return;
    if (!h->asks) {
        cut(t);
        return;
    }
    history.kept += !h->kept;
    h->kept = true;
    for (int k = 0; k < t->nin; k++)
        if (situ_is_owned(in[k]) && !situ_owned_of(in[k])->owners) situ_history_idle(in[k]);
}

/* Frees its memory, since it can be computed again. The memory of a view belongs to another node. */
static void drop(situ_owned_head *h)
{
    situ_tensor *t = situ_owned_node(h);
    const situ_aside *aside = situ_node_aside(t);
    bool shared = t->flags & SITU_NODE_READ || aside->stride || aside->offset || aside->slot;
    if (!h->kept || !t->buffer || shared || t->readers || situ_node_bytes(t) < LARGE) return;
    situ_buffer_unref(t->buffer);
    t->buffer = NULL;
}

void situ_history_unwatched(situ_tensor *t)
{
    if (!(t->flags & SITU_NODE_TRACKED)) return;
    history.unwatched = true;
    count_idle(t);
}

/* Values made of a watched tensor are tracked only as long as it is watched; then they have the history of any other
 * value. */
static void untrack(void)
{
    history.unwatched = false;
    for (situ_owned_head *h = situ_owned_oldest(); h; h = h->newer) {
        situ_tensor *t = situ_owned_node(h);
        if (!(t->flags & SITU_NODE_TRACKED) || !h->linked || situ_owned_tracked(t)) continue;
        t->flags &= (uint16_t)~SITU_NODE_TRACKED;
        if (t->buffer) situ_history_stored(t);
    }
}

/* Cuts what nobody can ask for, and sums up the memory of the rest. */
static void look_again(void)
{
    if (history.unwatched) untrack();
    history.idle = 0;
    history.idle_bytes = 0;
    for (situ_owned_head *h = situ_owned_oldest(); h; h = h->newer) {
        situ_tensor *t = situ_owned_node(h);
        if (h->linked) h->asks = asks(t);
        if (h->kept && !h->asks && t->buffer) cut(t);
    }
    situ_owned_bury();
    for (situ_owned_head *h = situ_owned_oldest(); h; h = h->newer) {
        if (h->owners) continue;
        drop(h);
        situ_history_idle(situ_owned_node(h));
    }
}

/* Marks for each value what it was computed from, as far as that is still known. */
static void mark_all(void)
{
    for (situ_owned_head *h = situ_owned_oldest(); h; h = h->newer) {
        situ_tensor *t = situ_owned_node(h), **in = situ_node_in(t);
        if (!h->linked || !is_way(t)) continue;
        for (int k = 0; k < t->nin; k++)
            if (situ_owned_is_float(in[k]))
                h->from |= marks_of(in[k]) | (situ_is_owned(in[k]) && !situ_node_is_read(in[k]) ? situ_owned_of(in[k])->from : 0);
    }
}

/* Cuts the oldest histories, which only an error would reveal; false: there is none. */
static bool forget(uint32_t count)
{
    uint32_t before = count;
    mark_all();
    for (situ_owned_head *h = situ_owned_oldest(); h && count; h = h->newer) {
        situ_tensor *t = situ_owned_node(h);
        if (!h->kept || !t->buffer) continue; /* dropped values are freed with their readers */
        t->flags |= SITU_NODE_CUT;
        situ_owned_cut(t);
        count--;
    }
    return count < before;
}

void situ_history_sweep(void)
{
    if (history.idle < history.allowed && history.idle_bytes < history.allowed_bytes && history.kept < history.allowed_kept) return;
    look_again();
    uint32_t most = history.kept > MOST_KEPT ? MOST_KEPT / 2 : MOST_KEPT;
    while ((history.kept > most || history.idle_bytes > MOST_IDLE) &&
        forget(history.kept > most ? history.kept - most : history.kept / 4 + 1))
        look_again();
    history.allowed = history.idle + FEW + (uint32_t)situ_owned_live();
    history.allowed_bytes = history.idle_bytes + LITTLE;
    history.allowed_kept = history.kept + MOST_KEPT / 2;
}
