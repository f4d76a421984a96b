/* Owner counts: nodes for a language whose objects own tensors (Python). They lie in one scope of the whole process that
 * never closes; each lives as long as somebody owns it or a node that lives reads it. A value that was computed forgets how
 * it was made as soon as nobody can ask for a gradient through it, so that a loop without scopes holds nothing but its last
 * value (graph/history.c).
 *
 *     situ_owned_frame f;
 *     if (situ_owned_enter(&f)) return ...;          // the language's one lock is held
 *     situ_tensor *y = situ_own((situ_add)(a, b, site));
 *     situ_owned_leave(&f);                          // what nobody owns and nothing reads is gone
 *     ...
 *     situ_disown(y);                                // between enter and leave, too
 *
 * All threads of the language share these nodes, their pending assignments and kept handles. Between enter and leave the
 * caller holds a lock of its own (Python's); waits need none: run/borrow.h.
 */
#ifndef SITU_GRAPH_OWNED_H
#define SITU_GRAPH_OWNED_H

#include "graph/record.h"

typedef struct situ_owned_hold {
    struct situ_owned_hold *next;
    situ_heap *heap;
} situ_owned_hold;

/* In front of each of these nodes. */
typedef struct situ_owned_head {
    struct situ_owned_head *older, *newer; /* all that live, by birth                                   */
    struct situ_owned_head *next;          /* in the list of young or of dead nodes                     */
    situ_owned_hold *holds;                /* variables and kept handles that live as long              */
    uint64_t birth;                        /* counts nodes                                              */
    uint64_t from;                         /* marks of what was cut from it, two bits of 64 each        */
    uint32_t owners, uses;                 /* uses: operands' places, pending assignments               */
    uint16_t size_class;
    bool young;   /* made since enter: its uses are not all counted yet        */
    bool asks;    /* somebody may ask for a gradient by what it came from      */
    bool kept;    /* computed, and keeps its history only for such a gradient  */
    bool pending; /* linked and has not run                                    */
    bool linked;  /* its operands' uses are counted                            */
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

/* 0 or a negative code with an error. From here on this thread records owned nodes. */
int situ_owned_enter(situ_owned_frame *f);
void situ_owned_leave(situ_owned_frame *f);
/* Is the thread between enter and leave? */
bool situ_owned_recording(const situ_thread *th);

/* One owner more: the next plan that computes t stores it. Kept handles and variables have their one owner already:
 * they are returned as they are and end in situ_disown. Poison is returned. */
situ_tensor *situ_own(situ_tensor *t);
void situ_disown(situ_tensor *t);

/* For graph/ and run/. A new node of `bytes` bytes, all zero; NULL without memory (no error raised). */
situ_tensor *situ_owned_alloc(size_t bytes);
void situ_owned_use(situ_tensor *t);
void situ_owned_unuse(situ_tensor *t);
/* The heap node lives as long as t. */
int situ_owned_keep_alive(situ_tensor *t, situ_heap *h);
/* t is complete: counts what it reads; what it reads is not counted again (after an error). */
void situ_owned_link(situ_tensor *t);
/* The same for what is stored, and has not been pending: t reads x. */
void situ_owned_stored(situ_tensor *t, situ_tensor *x);
void situ_owned_ran(situ_tensor *t);
void situ_owned_pend(situ_tensor *t);
/* Do gradients pass through t to something that they may be asked for: a watched value, a trainable variable? */
bool situ_owned_tracked(const situ_tensor *t);
/* t has its value and needs its operands no more: it is a leaf. */
void situ_owned_cut(situ_tensor *t);
/* The first of those that live. */
situ_owned_head *situ_owned_oldest(void);
/* May a gradient by t be asked for, as far as its dtype goes? */
static inline bool situ_owned_is_float(const situ_tensor *t)
{
    return ((t->dtype >= SITU_F16 && t->dtype <= SITU_F64) || t->dtype >= SITU_C64) && !(t->flags & SITU_NODE_SCALAR);
}

/* graph/history.c. t was computed (its value may have been dropped): it is cut if no gradient can be asked for through it. */
void situ_history_stored(situ_tensor *t);
/* t has lost its last owner, and something still reads it. */
void situ_history_idle(const situ_tensor *t);
/* t, which was watched, has lost its last owner. */
void situ_history_unwatched(situ_tensor *t);
/* t keeps no history any more. */
void situ_history_gone(situ_owned_head *h);
/* Cuts what nobody can ask for any more, and the oldest where histories hold too much. Nobody goes through the graph. */
void situ_history_sweep(void);
/* May t, which was cut to hold less, have come from x by a way that gradients go? Seldom true where it did not, never false where
 * it did. */
bool situ_history_reached(const situ_tensor *t, const situ_tensor *x);
/* Frees what died since; not while somebody goes through the graph. */
void situ_owned_bury(void);
/* Every pending node that has an owner, with situ_malloc; NULL with count 0 if there is none or no memory. */
situ_tensor **situ_owned_pending(uint32_t *count);
/* How many owned nodes live. */
int64_t situ_owned_live(void);

/* A tensor of x's value by which gradients are to be taken: what is computed from it keeps its history. */
situ_tensor *situ_watch(situ_tensor *x, situ_site site);

#endif
