/* Recording: the state of a thread, scopes, and the creation of nodes. */
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
    situ_tensor **node; /* all nodes, in the order of recording */
    uint32_t count, capacity;
    uint32_t enqueued; /* nodes before this index were enqueued by the spill rule ... */
    uint32_t started;  /* ... and before this one started by their calls, in eager mode (run/eager.c) */
    situ_heap **held;  /* kept handles and variables that nodes of this scope read */
    uint32_t held_count, held_capacity;
    uint64_t id;                   /* unique in the process */
    situ_heap *kept;               /* kept handles whose target is in this scope */
    situ_site closed_at;           /* for a closed scope: where it was closed */
    bool reads_owned;              /* opened while owned nodes are recorded: counts its uses of them */
    struct situ_owned_head *young; /* graph/owned.h: its count is that of pending nodes there, enqueued the limit */
};
enum { SITU_MOST_PENDING = 65536 };
/* The program's handle of a scope is its id, so an old handle never matches another scope. */
static inline situ_scope *situ_scope_handle(const situ_scope *s) { return (situ_scope *)(uintptr_t)s->id; }

typedef struct situ_thread {
    situ_scope *scope; /* the innermost scope */
    situ_scope root;
    situ_scope *spare; /* closed scopes, for reuse */
    situ_chunk_cache chunks;
    int no_grad;        /* nesting depth of situ_no_grad */
    int placeholders;   /* not 0 inside of an expansion, where spilling would be wrong */
    int rules;          /* nesting depth of gradient rules, which may read released handles */
    uint32_t pin, pins; /* id of the network call in progress, 0: none; number of such calls so far */
    bool no_fusing;
    uint8_t precision;        /* operands of products are rounded to this dtype; 0: they are not (op/precision.h) */
    bool invariant;           /* rows of results do not depend on how many there are (situ_batch_invariant) */
    bool eager;               /* each call's work starts with it (run/eager.c) */
    struct situ_slot **dirty; /* variables with a pending value, in the order of assignment */
    uint32_t dirty_count, dirty_capacity;
    struct situ_outbox *outbox; /* run/: what this thread has launched, and the results */
    uint64_t id;
    int lane; /* 1 + its CPU queue (device/streams.h), 0: none yet */
    bool ready;
    bool in_launch; /* it is running a job of a launch: run/job.c */
    bool inference; /* networks behave as at inference, because what they compute is being exported (nn/forward.c) */
} situ_thread;

extern __thread situ_thread situ_thread_state;
/* Number of threads that use the library. */
extern _Atomic int situ_threads_live;
/* The calling thread's state; NULL with an error after a fork or without memory. */
situ_thread *situ_thread_get(void);

/* Kept handles and variables: a reference-counted head, followed by the node that the user holds. */
struct situ_heap {
    _Atomic int refs;         /* references: the user's handle, a place in a list, and each scope that reads it */
    _Atomic uint64_t held_by; /* the last scope that counted it */
    uint64_t owner;           /* kept: the thread that may use `target` and the list */
    situ_tensor *target;      /* kept: the node that it stands for while the node's scope is open */
    situ_scope *target_scope;
    situ_heap *next, *previous; /* neighbours in target_scope's list */
    struct situ_slot *slot;     /* variables */
    bool released;
    bool left;      /* its owner is gone: it is released with the last of `shares` */
    int32_t shares; /* number of a binding's objects that stand for it besides its owner (a network or another object) */
    situ_site released_at;
    situ_tensor *node; /* follows this head */
};
/* The storage of a variable. Its value is in `buffer`, or will be; the thread that assigned it last sees `pending` if
 * that is set. The buffer changes under the locks of the planner and of the slot list. */
typedef struct situ_slot {
    situ_heap *heap;
    situ_buffer *buffer;
    _Atomic uint64_t owner; /* the thread with a pending value, 0: none */
    situ_tensor *pending;   /* assigned but not yet enqueued */
    situ_tensor *assigned;  /* scratch of the planner: the node that a plan stores in it */
    situ_tensor **read;     /* live nodes that stand for its value, and the node that was assigned */
    uint32_t read_count, read_capacity;
    uint64_t version;        /* number of the version assigned last (under the list's lock) ... */
    uint64_t stored_version; /* ... and of the version that `buffer` holds or will hold */
    uint32_t dirty;          /* its position, from 1, in the owner's list of variables with a pending value; 0: not in it */
    bool trainable;
    situ_site overwritten_at; /* call site of the newest assignment */
} situ_slot;

/* Creates a node in the innermost scope with space for sizes, operands and words; NULL with an error. Counts it as a
 * reader of the operands. */
situ_tensor *situ_node_new(const situ_op *op, int ndim, int nin, int nword, size_t attr_size, situ_site site);
/* Counts the node as a reader of its operands and keeps heap operands alive; to be called once, when all operands are
 * set. */
int situ_node_link(situ_tensor *t);
/* Called when a node that ran becomes pending again, or a pending one has run: updates its operands' reader counts. */
void situ_node_set_pending(situ_tensor *t, bool pending);
/* Makes a dropped node that is read again pending, with everything that it needs; variables that it was computed from
 * keep their old values for it. If one of them was overwritten already, nothing changes, and that read node is
 * returned. */
const situ_tensor *situ_node_revive(situ_tensor *t);
/* Raises the error of using a value that cannot be computed again. */
int situ_fail_overwritten(const situ_tensor *lost, situ_site site);
/* Adds the rare fields to a node; NULL with an error. */
situ_aside *situ_node_make_aside(situ_tensor *t);
/* Copies strides into the memory of the scope (or of the heap node). */
const int64_t *situ_node_strides(situ_tensor *t, const int64_t *stride);

/* A scalar for an integer beyond 64 bits: the nearest double towards 0, whether that is less in magnitude than the
 * integer, and the nearest double. */
situ_tensor *situ_scalar_wide(double toward_zero, bool more, double nearest);

situ_tensor *situ_poisoned(void);
/* The result of a refused call: raises the error and returns the poisoned tensor. */
#define situ_refused(...) (situ_fail(__VA_ARGS__), situ_poisoned())
/* A node poisoned by this failure. */
situ_tensor *situ_poisoned_by(const situ_failure *f);
/* Checks operands: false if an error is pending or an operand is NULL or poisoned (then raised). The caller returns
 * situ_poisoned(). */
bool situ_usable(situ_tensor *const *in, int n, const char *op, situ_site site);
/* Raises the error for a handle of a closed scope or a released one. place: index of the operand, from 1; 0: the only
 * one. */
int situ_fail_gone(const situ_tensor *t, const char *function, int place, situ_site site);
/* The same for functions that accept the poisoned tensor: true with an error. NULL is fine. */
bool situ_handle_is_gone(const situ_tensor *t, const char *function, situ_site site);
/* The same, and all on one device; for functions that consist of several operations, so that messages name this
 * function. operands: their names, "x, index". */
bool situ_together(situ_tensor *const *in, int n, const char *operation, const char *operands, situ_site site);
/* The node that t stands for in this thread: for a variable its current read node; for a value stored by another
 * thread, a node of this thread on the same memory; else t. NULL with an error. Not to be called under the planner's
 * lock. */
situ_tensor *situ_resolve(situ_tensor *t, situ_site site);
/* The same for a tensor that is handed out: a variable becomes a tensor of its own, which may be kept, evaluated, and
 * differentiated by. */
situ_tensor *situ_value_of(situ_tensor *t, situ_site site);
/* Bytes before the node of a kept handle or variable. */
enum { SITU_HEAP_HEAD = (sizeof(situ_heap) + 15) & ~15 };
static inline situ_heap *situ_heap_of(const situ_tensor *t) { return (situ_heap *)(void *)((char *)(uintptr_t)t - SITU_HEAP_HEAD); }
/* True if it is alive and has none of these flags; a single branch. */
static inline bool situ_alive_without(const situ_tensor *t, uint16_t flags)
{
    return !((t->state ^ situ_node_state(SITU_NODE_ALIVE, 0)) & situ_node_state(UINT16_MAX, flags));
}
/* The fast path of situ_resolve, for a temporary or kept handle of this thread. NULL: another case, or no valid
 * operand. */
static inline situ_tensor *situ_operand_here(const situ_thread *th, situ_tensor *t)
{
    if (!t || !situ_alive_without(t, SITU_NODE_VARIABLE | SITU_NODE_POISON)) return NULL;
    if (!(t->flags & SITU_NODE_KEPT)) return t->scope && t->scope->thread == th ? t : NULL;
    const situ_heap *h = situ_heap_of(t);
    if (h->owner != th->id) return NULL;
    if (h->target && h->target->flags & SITU_NODE_POISON) return NULL;
    return h->target ? h->target : t;
}
/* situ_usable and situ_resolve combined, for a function's only operand; NULL with an error. th: situ_thread_get(). */
static inline situ_tensor *situ_take_operand(const situ_thread *th, situ_tensor *t, const char *function, situ_site site)
{
    situ_tensor *here = th && !situ_error_code ? situ_operand_here(th, t) : NULL;
    return here || !th || !situ_usable(&t, 1, function, site) ? here : situ_resolve(t, site);
}
/* The fast path of situ_value_of. */
static inline situ_tensor *situ_value_here(situ_tensor *t)
{
    situ_tensor *x = situ_error_code ? NULL : situ_operand_here(&situ_thread_state, t);
    return x && !(x->aside && situ_node_is_read(x)) ? x : NULL;
}
void situ_heap_unref(situ_heap *h);
/* The node that a kept handle stands for in this thread; NULL: it stands for itself. */
situ_tensor *situ_heap_target(const situ_heap *h);
/* Called when the target's scope closes: the handle takes over its memory, or is poisoned. */
void situ_heap_detach(situ_heap *h);
/* Keeps h alive until the scope closes; or as long as t lives. */
int situ_scope_hold(situ_scope *scope, situ_heap *h);
int situ_node_hold(situ_tensor *t, situ_heap *h);
/* A new variable's handle without a value, with the shape, dtype and device of `like`. */
situ_tensor *situ_variable_new(const situ_tensor *like, bool trainable, const char *name, situ_site site);

situ_slot *situ_slot_of(const situ_tensor *variable);
/* Reserves memory for a read node in the slot's list; adds one (which cannot fail after reserving); removes one. */
int situ_slot_reserve_read(situ_slot *s);
int situ_slot_add_read(situ_slot *s, situ_tensor *t);
void situ_slot_remove_read(situ_slot *s, const situ_tensor *t);
/* The version that a read in this thread would have now. */
uint64_t situ_slot_version(const situ_slot *s);
/* True if the variable has another value than in this version. Releasing its handle does not count. */
bool situ_slot_has_other(const situ_slot *s, uint64_t version);
/* The read nodes of these variables in this thread, all of one version: other threads cannot publish between them.
 * NULL for a tensor that is no variable. While a network call is open (th->pin), its reads stay the same. */
int situ_variables_read(situ_tensor *const *variable, situ_tensor **node, int count, situ_site site);
/* Called when this thread assigns to it: an open call no longer uses its pinned read. */
void situ_slot_unpin(situ_slot *s);
void situ_slot_lock(void);
void situ_slot_unlock(void);
/* Sets its pending value; NULL: none. */
void situ_slot_pend(situ_slot *s, situ_tensor *value);
/* Adds the slot to the thread's list of pending values, which keeps it alive; the other removes it and drops its
 * pending value. */
int situ_thread_dirty(situ_thread *th, situ_slot *s);
void situ_thread_clean(situ_thread *th, situ_slot *s);

/* Operations that the core itself records. */
extern const situ_op situ_op_scalar, situ_op_stored, situ_op_placeholder, situ_op_variable, situ_op_poison;

/* take.c: moves tensors of `from`, which is about to close, to `to`; poisoned ones with an error. */
void situ_scope_take(situ_scope *from, situ_scope *to, situ_tensor **t, int count);
/* Closes all scopes of the calling thread; its next call starts anew. */
void situ_thread_finish(void);
/* Called in a forked child: reinitialises locks that another thread may have held. */
void situ_graph_after_fork(void);

#endif
