/* Recording: the thread's state, scopes, and how nodes are made. */
#ifndef SITU_GRAPH_RECORD_H
#define SITU_GRAPH_RECORD_H

#include "base/arena.h"
#include "base/error.h"
#include "graph/failure.h"
#include "graph/node.h"

typedef struct situ_heap situ_heap;

struct situ_scope {
    situ_scope *parent;
    struct situ_thread *thread;
    situ_arena arena;
    situ_tensor **node; /* every node, in the order of recording */
    uint32_t count, capacity;
    uint32_t enqueued; /* nodes before this one are past the spill rule */
    situ_heap **held;  /* kept handles and variables that nodes here read */
    uint32_t held_count, held_capacity;
    uint64_t id;                   /* never reused */
    situ_heap *kept;               /* kept handles whose target lies here */
    situ_site closed_at;           /* of a spare one: who closed it */
    bool reads_owned;              /* opened where owned nodes are recorded: counts its uses of them */
    struct situ_owned_head *young; /* graph/owned.h: count is that of pending nodes there, enqueued the limit */
};
enum { SITU_MOST_PENDING = 65536 };
/* What a program holds of a scope: its number, so that an old one is never taken for another. */
static inline situ_scope *situ_scope_handle(const situ_scope *s) { return (situ_scope *)(uintptr_t)s->id; }

typedef struct situ_thread {
    situ_scope *scope; /* innermost */
    situ_scope root;
    situ_scope *spare; /* closed scopes for reuse */
    situ_chunk_cache chunks;
    int no_grad;        /* depth of situ_no_grad */
    int placeholders;   /* inside an expansion: spilling would be wrong */
    int rules;          /* depth of gradient rules: what they read may be a released handle's */
    uint32_t pin, pins; /* the call of a network that is open, 0: none; how many there were */
    bool no_fusing;
    uint8_t precision;        /* operands of products are rounded to it, 0: they are not (op/precision.h) */
    struct situ_slot **dirty; /* variables with a pending value, in the order of assignment */
    uint32_t dirty_count, dirty_capacity;
    struct situ_outbox *outbox; /* run/: what this thread started and how it ended */
    uint64_t id;
    int lane; /* its lane of the CPU (device/lanes.h) + 1, 0: none yet */
    bool ready;
    bool in_launch; /* it runs one now: run/job.c */
    bool inference; /* networks act as at inference: what they compute is being written (nn/forward.c) */
} situ_thread;

extern __thread situ_thread situ_thread_state;
/* How many threads use the library. */
extern _Atomic int situ_threads_live;
/* The calling thread's state; NULL with an error after a fork or without memory. */
situ_thread *situ_thread_get(void);

/* Kept handles and variables: a counted head, then the node that the user holds. */
struct situ_heap {
    _Atomic int refs;         /* the user's handle, a place in a list, and one of each scope that reads it */
    _Atomic uint64_t held_by; /* the last scope that counted it */
    uint64_t owner;           /* kept: the thread that may use `target` and the list */
    situ_tensor *target;      /* kept: the node it stands for while that one's scope is open */
    situ_scope *target_scope;
    situ_heap *next, *previous; /* in target_scope's list */
    struct situ_slot *slot;     /* variables */
    bool released;
    bool left;      /* its owner is gone: the last of `shares` ends it */
    int32_t shares; /* objects of a binding that stand for it beside its owner, a network or another object */
    situ_site released_at;
    situ_tensor *node; /* behind this head */
};
/* A variable's place. Its value is what `buffer` holds or will hold; for the thread that assigned it, `pending` if that
 * is set. The buffer changes under the planner's lock and the list's. */
typedef struct situ_slot {
    situ_heap *heap;
    situ_buffer *buffer;
    _Atomic uint64_t owner; /* the thread with a pending value, 0: none */
    situ_tensor *pending;   /* assigned, not yet enqueued */
    situ_tensor *assigned;  /* scratch of the planner: the node that a plan gives to it */
    situ_tensor **read;     /* live nodes that stand for its value, and the node that was assigned */
    uint32_t read_count, read_capacity;
    uint64_t version;        /* counts assignments: of the value assigned last (under the list's lock) ... */
    uint64_t stored_version; /* ... and of the one that `buffer` holds or will hold */
    uint32_t dirty;          /* its place in the owner's list of variables with a pending value, from 1; 0: in none */
    bool trainable;
    situ_site overwritten_at; /* the line of the newest assignment */
} situ_slot;

/* A node in the innermost scope with room for dims, operands and words; NULL with an error. Reader counts of the
 * operands go up. */
situ_tensor *situ_node_new(const situ_op *op, int ndim, int nin, int nword, size_t attr_size, situ_site site);
/* Counts node as a reader of its operands and keeps heap operands alive; call once all operands are in place. */
int situ_node_link(situ_tensor *t);
/* A node that ran is pending again, or a pending one has run: its operands have a reader more, or less. */
void situ_node_set_pending(situ_tensor *t, bool pending);
/* A dropped node that something reads again is pending again, and so is what it needs: the variables that it was made
 * from keep their old values for it. Where one was overwritten before, nothing changes: returns what stood for that value. */
const situ_tensor *situ_node_revive(situ_tensor *t);
/* The error of using what cannot be computed again. */
int situ_fail_overwritten(const situ_tensor *lost, situ_site site);
/* Room for what few nodes have; NULL with an error. */
situ_aside *situ_node_make_aside(situ_tensor *t);
/* Puts strides into the scope's (or the heap node's) memory. */
const int64_t *situ_node_strides(situ_tensor *t, const int64_t *stride);

/* An integer beyond 64 bits: the double next to it towards 0, whether that is less than all, and the nearest double. */
situ_tensor *situ_scalar_wide(double toward_zero, bool more, double nearest);

situ_tensor *situ_poisoned(void);
/* A call that is refused: its error is raised, and this is its result. */
#define situ_refused(...) (situ_fail(__VA_ARGS__), situ_poisoned())
/* A node poisoned by this failure. */
situ_tensor *situ_poisoned_by(const situ_failure *f);
/* False if an error sticks or an operand is NULL or poisoned (raised then): return situ_poisoned(). */
bool situ_usable(situ_tensor *const *in, int n, const char *op, situ_site site);
/* A handle of a closed scope, or one that was released: raises that. place: which operand, 0: the only one. */
int situ_fail_gone(const situ_tensor *t, const char *function, int place, situ_site site);
/* The same for functions that take poison: true with an error. NULL is not gone. */
bool situ_handle_is_gone(const situ_tensor *t, const char *function, situ_site site);
/* The same, and on one device: for functions that are several operations, so that the message has their own words.
 * operands: their names, "x, index". */
bool situ_together(situ_tensor *const *in, int n, const char *operation, const char *operands, situ_site site);
/* The node that t stands for in this thread: a variable's current value; for what another thread has stored, a node of
 * our own on the same memory; else t. NULL with an error. Not under the planner's lock. */
situ_tensor *situ_resolve(situ_tensor *t, situ_site site);
/* The same as a tensor to hand out: of a variable a value of its own, which may be kept, evaluated and differentiated by. */
situ_tensor *situ_value_of(situ_tensor *t, situ_site site);
/* The heap head of a kept handle or variable. */
enum { SITU_HEAP_HEAD = (sizeof(situ_heap) + 15) & ~15 };
static inline situ_heap *situ_heap_of(const situ_tensor *t) { return (situ_heap *)(void *)((char *)(uintptr_t)t - SITU_HEAP_HEAD); }
/* Alive, and none of these flags: one branch. */
static inline bool situ_alive_without(const situ_tensor *t, uint16_t flags)
{
    return !((t->state ^ situ_node_state(SITU_NODE_ALIVE, 0)) & situ_node_state(UINT16_MAX, flags));
}
/* What situ_resolve gives where there is nothing to do: for a temporary of this thread, or for a kept handle of it. NULL: for
 * something else, or for what is no operand. */
static inline situ_tensor *situ_operand_here(const situ_thread *th, situ_tensor *t)
{
    if (!t || !situ_alive_without(t, SITU_NODE_VARIABLE | SITU_NODE_POISON)) return NULL;
    if (!(t->flags & SITU_NODE_KEPT)) return t->scope && t->scope->thread == th ? t : NULL;
    const situ_heap *h = situ_heap_of(t);
    if (h->owner != th->id) return NULL;
    if (h->target && h->target->flags & SITU_NODE_POISON) return NULL;
    return h->target ? h->target : t;
}
/* situ_usable and situ_resolve in one, for a function's one operand; NULL with an error. th: situ_thread_get(). */
static inline situ_tensor *situ_take_operand(const situ_thread *th, situ_tensor *t, const char *function, situ_site site)
{
    situ_tensor *here = th && !situ_error_code ? situ_operand_here(th, t) : NULL;
    return here || !th || !situ_usable(&t, 1, function, site) ? here : situ_resolve(t, site);
}
/* The same of situ_value_of. */
static inline situ_tensor *situ_value_here(situ_tensor *t)
{
    situ_tensor *x = situ_error_code ? NULL : situ_operand_here(&situ_thread_state, t);
    return x && !(x->aside && situ_node_is_read(x)) ? x : NULL;
}
void situ_heap_unref(situ_heap *h);
/* The node that a kept handle stands for in this thread, or NULL: it stands for itself. */
situ_tensor *situ_heap_target(const situ_heap *h);
/* The target's scope closes: takes its memory, or is poisoned. */
void situ_heap_detach(situ_heap *h);
/* Keeps h until the scope closes; as long as t lives. */
int situ_scope_hold(situ_scope *scope, situ_heap *h);
int situ_node_hold(situ_tensor *t, situ_heap *h);
/* A variable's handle, without a value yet, with the shape, dtype and device of `like`. */
situ_tensor *situ_variable_new(const situ_tensor *like, bool trainable, const char *name, situ_site site);

situ_slot *situ_slot_of(const situ_tensor *variable);
/* Lists t as a node that stands for the slot's stored value (it never fails where room was made before); forgets it. */
int situ_slot_reserve_read(situ_slot *s);
int situ_slot_add_read(situ_slot *s, situ_tensor *t);
void situ_slot_remove_read(situ_slot *s, const situ_tensor *t);
/* The version that a read in this thread has now. */
uint64_t situ_slot_version(const situ_slot *s);
/* Has the variable another value now than that of this version? Not by the release of its handle. */
bool situ_slot_has_other(const situ_slot *s, uint64_t version);
/* The nodes that these variables stand for in this thread, all of one version: nothing that another thread publishes comes
 * between two of them. NULL for what is no variable. While a call of a network is open (th->pin), its reads stay these. */
int situ_variables_read(situ_tensor *const *variable, situ_tensor **node, int count, situ_site site);
/* This thread assigns to it: an open call no longer reads what it pinned. */
void situ_slot_unpin(situ_slot *s);
void situ_slot_lock(void);
void situ_slot_unlock(void);
/* Its next value from now on; NULL: none. */
void situ_slot_pend(situ_slot *s, situ_tensor *value);
/* The list of the slots with a pending value holds them alive; clean takes one out, its pending value forgotten. */
int situ_thread_dirty(situ_thread *th, situ_slot *s);
void situ_thread_clean(situ_thread *th, situ_slot *s);

/* Ops that the core itself records. */
extern const situ_op situ_op_scalar, situ_op_stored, situ_op_placeholder, situ_op_variable, situ_op_poison;

/* Set by run/: enqueues what is pending in `scope` (kept, assigned); or its older half. */
extern int (*situ_scope_flush)(situ_scope *scope, bool closing);
/* Set by run/: called when a thread ends. */
extern void (*situ_thread_ends)(situ_thread *th);
/* take.c: those of the tensors that lie in `from`, which closes, become tensors of `to`; poison with an error. */
void situ_scope_take(situ_scope *from, situ_scope *to, situ_tensor **t, int count);
/* Closes all scopes of the calling thread; its next call starts anew. */
void situ_thread_finish(void);
/* In a child after fork: locks that another thread may have held are free. */
void situ_graph_after_fork(void);

#endif
