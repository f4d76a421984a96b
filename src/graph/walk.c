#include "graph/walk.h"

#include <string.h>

#include "base/memory.h"
#include "graph/op.h"
#include "graph/owned.h"
#include "os/lock.h"

situ_mutex situ_planner = SITU_MUTEX_INIT;
SITU_LOCK_OF_ALL_THREADS(situ_planner)

static int grow(void **array, uint32_t *capacity, size_t size)
{
    uint32_t more = *capacity ? *capacity * 2 : 64;
    void *p = situ_realloc(*array, more * size);
    if (!p) return situ_fail(SITU_NO_MEMORY, NULL, "out of host memory while planning");
    *array = p;
    *capacity = more;
    return 0;
}

static int grow_nodes(situ_walk *w)
{
    uint32_t more = w->capacity;
    if (grow((void **)&w->node, &more, sizeof *w->node)) return -SITU_NO_MEMORY;
    void *flags = situ_realloc(w->flags, more), *outside = situ_realloc(w->outside, more * sizeof *w->outside);
    if (flags) w->flags = flags;
    if (outside) w->outside = outside;
    if (!flags || !outside) return situ_fail(SITU_NO_MEMORY, NULL, "out of host memory while planning");
    w->capacity = more;
    return 0;
}

int situ_fail_overwritten(const situ_tensor *lost, situ_site site)
{
    const situ_slot *s = situ_node_aside(lost)->slot;
    const situ_tensor *v = s ? s->heap->node : lost;
    const char *name = situ_node_aside(v)->name;
    return situ_fail(SITU_OVERWRITTEN, site,
        "this tensor was not stored and computing it again needs the value that %s (made at %s) had before it was overwritten at "
        "%s; write " SITU_SAY("t = situ_keep(t) or situ_eval(TENSORS(t))", "situ.eval(t)") " before that line",
        name ? name : "the variable", v->site ? v->site : "an unknown line",
        s && s->overwritten_at ? s->overwritten_at : "an unknown line");
}

static int fail_leaf(const situ_tensor *t, situ_site site)
{
    if (t->flags & SITU_NODE_POISON) return situ_failure_raise(situ_node_aside(t)->failure);
    if (t->flags & SITU_NODE_OVERWRITTEN) return situ_fail_overwritten(t, site);
    char text[512];
    return situ_fail(SITU_BAD_ARGUMENT, site,
        "the value of %s is gone, and how to compute it again is not recorded; keep what is needed longer by " SITU_SAY(
            "situ_keep", "a name of its own"),
        situ_operand_text(t, text, sizeof text));
}

/* Hashes a leaf's shape, strides and device. For other nodes it hashes what they add to their operands; elementwise
 * results follow from the operands. */
static situ_hash hash_layout(situ_hash h, const situ_tensor *t, bool leaf)
{
    uint64_t device = (uint64_t)(uint16_t)t->device.kind << 8 | (uint64_t)(uint16_t)t->device.index;
    const int64_t *stride = situ_node_aside(t)->stride;
    situ_hash_word(&h,
        (uint64_t)t->dtype | (uint64_t)t->ndim << 8 | (uint64_t)(stride != NULL) << 16 | (uint64_t)t->kind << 24 |
            (uint64_t)(!leaf && t->invariant) << 28 | device << 32);
    for (int k = 0; k < t->ndim; k++) situ_hash_word(&h, (uint64_t)t->dim[k]);
    for (int k = 0; leaf && stride && k < t->ndim; k++) situ_hash_word(&h, (uint64_t)stride[k] ^ 0x5354u);
    if (!leaf && t->attr_size) situ_hash_bytes(&h, situ_node_attr(t), t->attr_size);
    return h;
}

enum { NEAR = 1 << 24 };

static inline __attribute__((always_inline)) situ_hash hash_node(situ_hash h, const situ_tensor *t, uint32_t i, bool leaf)
{
    situ_tensor **in = situ_node_in(t);
    if (!leaf &&
        t->op->family ==
            SITU_ELEMENTWISE) { /* operation and nearby operands fit into one word, because addresses of operations do not use the
                                 * upper 16 bits */
        uint64_t a = i - in[0]->index, b = t->nin > 1 ? i - in[1]->index : 0;
        bool near = (a | b) < NEAR;
        situ_hash_word(&h, near ? ((uint64_t)t->op->code + 1) << 48 | b << 24 | a : (uint64_t)(uintptr_t)t->op);
        if (!near) situ_hash_word(&h, a | b << 32);
        if (t->nin > 2) situ_hash_word(&h, i - in[2]->index);
        if (in[0]->flags & SITU_NODE_SCALAR)
            situ_hash_word(&h, (uint64_t)(uint16_t)t->device.kind << 16 | (uint16_t)t->device.index);
        return h;
    }
    situ_hash_word(&h, (uint64_t)(uintptr_t)(leaf && t->buffer ? &situ_op_stored : t->op));
    for (int k = 0; k < t->nin && !leaf; k++) situ_hash_word(&h, i - in[k]->index);
    return hash_layout(h, t, leaf);
}

/* Counters of the walk, kept in registers: in memory each node would wait for the previous node's store. */
typedef struct cursor {
    uint32_t count, depth; /* depth of the stack */
    uint32_t flags;        /* flags of any node that runs */
    bool owned, tracks;
    situ_hash structure;
} cursor;

/* Numbers a node whose operands are numbered, marks it as run, and copies what a plan needs to the walk's arrays. All
 * in one visit, since each pass over 100,000 nodes loads 9.6 MB. */
static inline __attribute__((always_inline)) int number(situ_walk *w, cursor *c, situ_tensor *t, bool leaf, bool through, bool runs)
{
    if (c->count == w->capacity && grow_nodes(w)) return -SITU_NO_MEMORY;
    uint32_t i = c->count++;
    uint16_t flags = t->flags;
    w->node[i] = t;
    w->outside[i] = (int32_t)t->readers;
    t->index = i;
    t->walk = w->id;
    if (!through) c->structure = hash_node(c->structure, t, i, leaf);
    c->owned |= situ_is_owned(t);
    if (leaf) {
        c->tracks |= (flags & (SITU_NODE_TRAINABLE | SITU_NODE_TRACKED)) != 0;
        w->flags[i] = SITU_WALK_LEAF;
        return 0;
    }
    c->tracks |= t->op == &situ_op_alias || flags & SITU_NODE_TRAINABLE;
    situ_tensor **in = situ_node_in(t);
    uint32_t one = !(flags & SITU_NODE_RAN);
    w->flags[i] =
        (uint8_t)(((flags & (SITU_NODE_RAN | SITU_NODE_WANTED | SITU_NODE_RESULT | SITU_NODE_REVIVED)) << 3) ^ SITU_WALK_FIRST);
    if (flags & ~c->flags && t->op->family != SITU_VIEW) c->flags |= flags; /* views do no work */
    for (int k = 0; k < t->nin; k++) {
        w->outside[in[k]->index] -= (int32_t)one;
        if (runs && in[k]->scope) in[k]->readers -= one;
    }
    if (runs) t->flags = (uint16_t)((flags & ~SITU_NODE_REVIVED) | SITU_NODE_RAN);
    return 0;
}

enum { AHEAD = 12 }; /* how many nodes ahead to prefetch */

/* The walk stops at nodes that have a value, or have none to compute. */
static inline bool is_leaf(const situ_tensor *t, bool through)
{
    if (through) return t->op->family == SITU_LEAF || t->flags & (SITU_NODE_STOP | SITU_NODE_NO_GRAD) || situ_node_is_read(t);
    return t->buffer || t->flags & SITU_NODE_SCALAR || t->op == &situ_op_placeholder;
}

static inline __attribute__((always_inline)) int visit_from(
    situ_walk *w, cursor *c, situ_tensor *t, bool through, bool runs, situ_site site)
{
    for (;;) {
        situ_tensor *top = NULL; /* top of the stack, and its next operand to visit; NULL: to be read from the stack */
        uint32_t next = 0;
        if (t->walk != w->id) {
            if (t->flags & SITU_NODE_POISON) return fail_leaf(t, site);
            bool leaf = is_leaf(t, through);
            if (!leaf && t->op->family == SITU_LEAF) return fail_leaf(t, site);
            if (!leaf && t->nin) {
                if (c->depth == w->stack_capacity && grow((void **)&w->stack, &w->stack_capacity, sizeof *w->stack))
                    return -SITU_NO_MEMORY;
                situ_node_fetch_all(
                    /* Prefetches what is often an operand's operand. */
                    (const situ_tensor *)(const void *)((const char *)t - AHEAD * 96));
                w->stack[c->depth++] = top = t;
            } else if (number(w, c, t, leaf, through, runs)) {
                return -SITU_NO_MEMORY;
            }
        }
        for (;;) {
            if (!top) {
                if (!c->depth) return 0;
                top = w->stack[c->depth - 1];
                next = top->index;
            }
            situ_tensor **in = situ_node_in(top);
            while (next < top->nin && in[next]->walk == w->id) next++;
            if (next < top->nin) {
                top->index = next + 1;
                t = in[next];
                break;
            }
            c->depth--;
            if (c->depth > AHEAD) situ_node_fetch_all(w->stack[c->depth - AHEAD]);
            if (top->walk != w->id && number(w, c, top, false, through, runs)) return -SITU_NO_MEMORY;
            top = NULL;
        }
    }
}

static int visit(situ_walk *w, situ_tensor *root, situ_site site)
{
    cursor c = {.count = w->count, .owned = w->owned, .tracks = w->tracks, .structure = w->structure};
    bool plans = w->runs && !w->through; /* a constant within the loop, so that the common case is compiled separately */
    int rc = plans ? visit_from(w, &c, root, false, true, site) : visit_from(w, &c, root, w->through, w->runs, site);
    w->count = c.count;
    w->owned = c.owned;
    w->tracks = c.tracks;
    w->recomputes |= (c.flags & (SITU_NODE_RAN | SITU_NODE_REVIVED)) != 0;
    w->structure = c.structure;
    return rc;
}

int situ_walk_collect(
    situ_walk *w, situ_tensor *const *root, uint32_t roots, situ_slot *const *slot, uint32_t slots, situ_site site)
{
    static uint64_t walks;
    w->id = ++walks;
    w->count = w->assignments = w->twins = 0;
    w->recomputes = w->owned = w->tracks = false;
    w->structure = situ_hash_start(0);
    for (uint32_t i = 0; i < roots; i++)
        if (visit(w, root[i], site)) return -situ_error_code;
    for (uint32_t i = slots; i-- > 0;) { /* gradients of the last layers come first: see walk.h */
        if (!slot[i]->pending) continue;
        if (visit(w, slot[i]->pending, site)) return -situ_error_code;
        if (w->assignments == w->assignment_capacity &&
            grow((void **)&w->assignment, &w->assignment_capacity, sizeof *w->assignment))
            return -SITU_NO_MEMORY;
        w->assignment[w->assignments++] = (situ_assignment){.slot = slot[i], .value = slot[i]->pending->index, .old = -1};
    }
    return 0;
}

void situ_walk_undo(const situ_walk *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        situ_tensor *t = w->node[i], **in = situ_node_in(t);
        if (!(w->flags[i] & SITU_WALK_FIRST)) continue;
        t->flags = (uint16_t)((t->flags & ~SITU_NODE_RAN) | (w->flags[i] & SITU_WALK_REVIVED ? SITU_NODE_REVIVED : 0));
        for (int k = 0; k < t->nin; k++) in[k]->readers += in[k]->scope != NULL;
    }
}

/* Records that this leaf stands for the present value, too; false: out of memory. */
static bool note_leaf(situ_walk *w, situ_assignment *a, uint32_t leaf)
{
    if (a->old >= 0) {
        uint32_t old = (uint32_t)a->old;
        if (w->twins == w->twin_capacity && grow((void **)&w->twin, &w->twin_capacity, sizeof *w->twin)) {
            situ_error_take(NULL);
            return false;
        }
        w->twin[w->twins++] = (situ_twin){.later = leaf > old ? leaf : old, .earlier = leaf > old ? old : leaf};
        if (old < leaf) return true;
    }
    a->old = (int32_t)leaf;
    return true;
}

/* May the plan overwrite the slot's memory? Only if it has no other owner, and no reader outside of this walk. */
static void decide_donation(situ_walk *w, situ_assignment *a)
{
    situ_slot *s = a->slot;
    situ_buffer *b = s->buffer;
    if (!b || b->borrowed || atomic_load(&b->failed)) return;
    uint32_t known = 1;
    bool read = false;
    situ_slot_lock();
    for (uint32_t i = 0; i < s->read_count && !read; i++) {
        situ_tensor *t = s->read[i];
        read = t->scope->thread != &situ_thread_state; /* a node of another thread must not be accessed */
        if (read || t->buffer != b) continue;
        bool in_walk = t->walk == w->id;
        read = t->flags & (SITU_NODE_ASKED | SITU_NODE_WANTED) || (in_walk ? w->outside[t->index] > 0 : t->readers > 0);
        known++;
        if (in_walk && !note_leaf(w, a, t->index)) read = true;
    }
    situ_slot_unlock();
    a->donate = !read && situ_buffer_owners(b) == known;
}

/* Pending reads of the variable will get this value from the variable, so they do not require it to be stored
 * separately. */
static void pass_to_reads(situ_walk *w, const situ_assignment *a)
{
    const situ_slot *s = a->slot;
    situ_slot_lock();
    for (uint32_t i = 0; i < s->read_count; i++) {
        const situ_tensor *t = s->read[i];
        if (t->scope->thread != &situ_thread_state || t->walk == w->id || t->flags & SITU_NODE_RAN) continue;
        bool waits = t->nin == 1 && situ_node_aside(t)->version == s->version && situ_node_in(t)[0] == w->node[a->value];
        w->outside[a->value] -= waits;
    }
    situ_slot_unlock();
}

/* True for a view of stored memory: storing it would hold that memory and prevent updates in place. */
static bool is_seen_leaf(const situ_walk *w, uint32_t i)
{
    const situ_tensor *t = w->node[i];
    while (!(w->flags[t->index] & SITU_WALK_LEAF) && t->op->family == SITU_VIEW) t = situ_node_in(t)[0];
    return w->flags[t->index] & SITU_WALK_LEAF;
}

/* Stores values that gradient rules will read: the gradient may be asked for after the loss was read, and the forward
 * pass should not run twice. */
static int keep_residuals(situ_walk *w, situ_tensor *const *asked, uint32_t count)
{
    bool wanted = false;
    for (uint32_t i = 0; i < count; i++)
        wanted |=
            !asked[i]->ndim && asked[i]->dtype >= SITU_F16 && asked[i]->dtype <= SITU_F64 && !(asked[i]->flags & SITU_NODE_NO_GRAD);
    for (uint32_t i = 0; i < w->assignments; i++) wanted &= !w->assignment[i].slot->trainable;
    if (!wanted || !w->tracks) return 0;
    uint8_t *needs = situ_calloc(w->count + 1u, 1);
    if (!needs) return situ_fail(SITU_NO_MEMORY, NULL, "out of host memory while planning");
    for (uint32_t i = 0; i < w->count; i++) {
        const situ_tensor *t = w->node[i];
        if (w->flags[i] & SITU_WALK_LEAF) {
            needs[i] = (t->flags & (SITU_NODE_TRAINABLE | SITU_NODE_TRACKED)) != 0;
            continue;
        }
        needs[i] = t->op == &situ_op_alias || t->flags & SITU_NODE_TRAINABLE;
        if (t->flags & (SITU_NODE_STOP | SITU_NODE_NO_GRAD)) continue;
        uint8_t reads = 0;
        situ_tensor **in = situ_node_in(t);
        for (int k = 0; k < t->nin; k++) {
            if (!needs[in[k]->index]) continue;
            needs[i] = 1;
            reads |= t->op->reads[k < 2 ? k : 2];
        }
        for (int k = 0; k < t->nin && k < 3; k++) {
            uint32_t x = in[k]->index;
            if (reads & 1 << k && !is_seen_leaf(w, x)) w->flags[x] |= SITU_WALK_STORE | SITU_WALK_ASKED;
        }
        if (reads & SITU_READS_RESULT && !is_seen_leaf(w, i)) w->flags[i] |= SITU_WALK_STORE | SITU_WALK_ASKED;
    }
    situ_free(needs);
    return 0;
}

int situ_walk_decide(situ_walk *w, situ_tensor *const *asked, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (asked[i]->walk == w->id && !(w->flags[asked[i]->index] & SITU_WALK_LEAF))
            w->flags[asked[i]->index] |= SITU_WALK_STORE | SITU_WALK_ASKED;
    bool updates = w->assignments > 0;
    for (uint32_t i = 0; i < w->assignments; i++) pass_to_reads(w, &w->assignment[i]);
    for (uint32_t i = 0; i < w->count; i++) {
        uint8_t flags = w->flags[i];
        if (flags & SITU_WALK_LEAF) continue;
        if (flags & SITU_WALK_WANTED || w->outside[i] > 0 || (updates && flags & SITU_WALK_RESULT))
            w->flags[i] = flags | SITU_WALK_STORE | SITU_WALK_ASKED;
    }
    for (uint32_t i = 0; i < w->assignments; i++) {
        situ_assignment *a = &w->assignment[i];
        w->flags[a->value] |= SITU_WALK_STORE | SITU_WALK_ASSIGNED;
        decide_donation(w, a);
    }
    return keep_residuals(w, asked, count);
}

situ_hash situ_walk_key(const situ_walk *w, unsigned mode)
{
    situ_hash h = w->structure;
    situ_hash_word(&h, mode);
    for (uint32_t i = 0; i < w->count; i += 8) {
        uint64_t flags = 0;
        if (i + 8 <= w->count) memcpy(&flags, w->flags + i, 8);
        else memcpy(&flags, w->flags + i, w->count - i);
        situ_hash_word(&h, flags & SITU_WALK_KEY * 0x0101010101010101u);
    }
    situ_hash_word(&h, w->count);
    for (uint32_t i = 0; i < w->assignments; i++) {
        const situ_assignment *a = &w->assignment[i];
        situ_hash_word(&h, (uint64_t)a->value | (uint64_t)a->donate << 32);
        situ_hash_word(&h, (uint64_t)(int64_t)a->old);
    }
    for (uint32_t i = 0; i < w->twins; i++) situ_hash_word(&h, (uint64_t)w->twin[i].later << 32 | w->twin[i].earlier);
    return situ_hash_end(&h);
}

void situ_walk_free(situ_walk *w)
{
    situ_free(w->node);
    situ_free(w->flags);
    situ_free(w->outside);
    situ_free(w->stack);
    situ_free(w->assignment);
    situ_free(w->twin);
    memset(w, 0, sizeof *w);
}
