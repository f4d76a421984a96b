/* Owner counts: nodes for a language whose objects own tensors (Python). They lie in one scope of the whole process
 * that never closes; each lives as long as somebody owns it or a node that lives reads it. A value that was computed
 * forgets how it was made as soon as nobody can ask for a gradient through it, so that a loop without scopes holds
 * nothing but its last value (graph/history.c).
 *
 *     situ_owned_frame f;
 *     if (situ_owned_enter(&f)) return ...;          // the language's one lock is held
 *     situ_tensor *y = situ_own((situ_add)(a, b, site));
 *     situ_owned_leave(&f);                          // what nobody owns and nothing reads is gone
 *     ...
 *     situ_disown(y);                                // between enter and leave, too
 *
 * All threads of the language share these nodes, their pending assignments and kept handles. Between enter and leave
 * the caller holds a lock of its own (Python's); waits need none: run/borrow.h. */
#ifndef SITU_GRAPH_OWNED_H
#define SITU_GRAPH_OWNED_H

#include "graph/record.h"

typedef struct situ_owned_hold {
    struct situ_owned_hold *next;
    situ_heap *heap;
} situ_owned_hold;

/* Precedes each of these nodes in memory. */
typedef struct situ_owned_head {
    struct situ_owned_head *older, *newer; /* list of all live nodes, by birth */
    struct situ_owned_head *next;          /* next in the list of new nodes, or of dead ones */
    situ_owned_hold *holds;                /* variables and kept handles that live as long as the node */
    uint64_t birth;                        /* serial number of the node */
    uint64_t from;                         /* marks of the cut values that it was computed from, two bits out of 64 for each */
    uint32_t owners, uses;                 /* owners: objects; uses: operand positions and pending assignments */
    uint16_t size_class;
    bool young;   /* made since enter, so its uses are not all counted yet */
    bool asks;    /* a gradient may be asked for by a tensor that it was computed from */
    bool kept;    /* computed, and keeps its history only for such a gradient */
    bool pending; /* linked, and has not run */
    bool linked;  /* the uses of its operands are counted */
    bool dead;
} situ_owned_head;

typedef struct situ_owned_frame {
    situ_thread *thread;
    situ_scope *scope;
    situ_arena arena;
    situ_owned_head *young;
    uint64_t id;
    struct situ_slot **dirty;
    uint32_t dirty_count, dirty_capacity;
} situ_owned_frame;

extern situ_scope situ_owned_scope;

static inline bool situ_is_owned(const situ_tensor *t) { return t->scope == &situ_owned_scope; }
static inline situ_owned_head *situ_owned_of(const situ_tensor *t) { return (situ_owned_head *)(void *)(uintptr_t)t - 1; }
static inline situ_tensor *situ_owned_node(situ_owned_head *h) { return (situ_tensor *)(void *)(h + 1); }

/* 0 or a negative code with an error. From now on this thread records owned nodes. */
int situ_owned_enter(situ_owned_frame *f);
void situ_owned_leave(situ_owned_frame *f);
/* Is the thread between enter and leave? */
bool situ_owned_recording(const situ_thread *th);

/* Adds an owner: the next plan that computes t stores it. Kept handles and variables have their single owner already;
 * they are returned unchanged, and released by situ_disown. The poisoned tensor is returned unchanged, too. */
situ_tensor *situ_own(situ_tensor *t);
void situ_disown(situ_tensor *t);

/* For graph/ and run/. A new zeroed node of `bytes` bytes; NULL if there is no memory (no error is raised). */
situ_tensor *situ_owned_alloc(size_t bytes);
void situ_owned_use(situ_tensor *t);
void situ_owned_unuse(situ_tensor *t);
/* Makes the heap node live as long as t. */
int situ_owned_keep_alive(situ_tensor *t, situ_heap *h);
/* Called when t is complete: counts its operands. Those are not counted again after an error. */
void situ_owned_link(situ_tensor *t);
/* The same for a stored node that was never pending: t reads x. */
void situ_owned_stored(situ_tensor *t, situ_tensor *x);
void situ_owned_ran(situ_tensor *t);
void situ_owned_pend(situ_tensor *t);
/* Do gradients pass through t to something they may be asked for: a watched value or a trainable variable? */
bool situ_owned_tracked(const situ_tensor *t);
/* t has its value and no longer needs its operands: it becomes a leaf. */
void situ_owned_cut(situ_tensor *t);
/* The oldest live node. */
situ_owned_head *situ_owned_oldest(void);
/* Does t's dtype allow gradients? */
static inline bool situ_owned_is_float(const situ_tensor *t)
{
    return ((t->dtype >= SITU_F16 && t->dtype <= SITU_F64) || t->dtype >= SITU_C64) && !(t->flags & SITU_NODE_SCALAR);
}

/* graph/history.c. Called when t has been computed (its value may have been dropped): cuts it if no gradient can be
 * asked for through it. */
void situ_history_stored(situ_tensor *t);
/* Called when t has lost its last owner and something still reads it. */
void situ_history_idle(const situ_tensor *t);
/* Called when t, a watched value, has lost its last owner. */
void situ_history_unwatched(situ_tensor *t);
/* Called when t keeps no history any more. */
void situ_history_gone(situ_owned_head *h);
/* Cuts histories that nobody can ask for, and the oldest ones if they hold too much. Not to be called during a
 * traversal. */
void situ_history_sweep(void);
/* May t, which was cut to save memory, have been computed from x by a path that gradients follow? A false positive is
 * rare, a false negative impossible. */
bool situ_history_reached(const situ_tensor *t, const situ_tensor *x);
/* Frees nodes that died since; not to be called during a traversal. */
void situ_owned_bury(void);
/* Every pending node that has an owner, in an array from situ_malloc; NULL with count 0 if there is none or no memory. */
situ_tensor **situ_owned_pending(uint32_t *count);
/* Number of live owned nodes. */
int64_t situ_owned_live(void);

/* A tensor with x's value for which gradients will be asked: what is computed from it keeps its history. */
situ_tensor *situ_watch(situ_tensor *x, situ_site site);

#endif
