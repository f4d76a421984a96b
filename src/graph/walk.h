/* A walk: the nodes that a plan computes, numbered in dependency order, with what becomes of each; and their hash, the
 * plan's key. */
#ifndef SITU_GRAPH_WALK_H
#define SITU_GRAPH_WALK_H

#include "base/hash.h"
#include "graph/record.h"

enum situ_walk_flag {
    SITU_WALK_LEAF = 1,     /* has its value already */
    SITU_WALK_STORE = 2,    /* gets its own memory */
    SITU_WALK_ASSIGNED = 4, /* becomes the value of at least one variable */
    SITU_WALK_ASKED = 8,    /* stored because it was asked for, not only as a variable's value */
    SITU_WALK_KEY = 15,     /* the flags above are part of a plan's key; those below come from the nodes, in the order of their
                             * flags: */
    SITU_WALK_FIRST = SITU_NODE_RAN << 3, /* the inverted RAN flag: this walk runs the node for the first time */
    SITU_WALK_WANTED = SITU_NODE_WANTED << 3,
    SITU_WALK_RESULT = SITU_NODE_RESULT << 3,
    SITU_WALK_REVIVED = SITU_NODE_REVIVED << 3
};

_Static_assert(
    SITU_WALK_FIRST > SITU_WALK_KEY && SITU_WALK_REVIVED < 256, "what nodes said lies beside what a walk decides, in one byte");

typedef struct situ_assignment {
    situ_slot *slot;
    uint32_t value; /* index of the node with the new value */
    int32_t old;    /* index of the leaf that stands for the present value, or -1 if the walk has none */
    bool donate;    /* its present memory may be overwritten */
} situ_assignment;

/* Two leaves of a walk that stand for the same value of a variable, such as reads in an outer and an inner scope. */
typedef struct situ_twin {
    uint32_t later, earlier;
} situ_twin;

typedef struct situ_walk {
    uint64_t id;
    bool through; /* for gradients: continues through stored values */
    bool runs;    /* nodes that it numbers count as having run, until situ_walk_undo */
    uint32_t count, capacity;
    situ_tensor **node;
    uint8_t *flags;
    int32_t *outside;    /* [node] operations outside of this walk that have not run and read it; nodes on the heap are not all
                          * counted, so it may be negative */
    situ_tensor **stack; /* during the walk a node's `index` is that of its next operand to visit */
    uint32_t stack_capacity;
    situ_assignment *assignment;
    uint32_t assignments, assignment_capacity;
    situ_twin *twin; /* for variables that are assigned */
    uint32_t twins, twin_capacity;
    bool recomputes;     /* a dropped value is computed again */
    bool owned;          /* it contains an owned node (owned.h) */
    bool tracks;         /* a gradient may pass through one of its nodes */
    situ_hash structure; /* hash over all nodes, in order */
} situ_walk;

/* Only one walk at a time may number nodes. */
extern situ_mutex situ_planner;
/* Walks from the roots, then from the pending values of the slots, the last assigned first. Parameters are assigned in
 * the order of their layers, so the gradient of the last layer is computed while its operands are still in the cache,
 * and frees them. To be called under the planner's lock. */
int situ_walk_collect(
    situ_walk *w, situ_tensor *const *root, uint32_t roots, situ_slot *const *slot, uint32_t slots, situ_site site);
/* Decides which values are stored; the `asked` roots are the first roots of the walk. */
int situ_walk_decide(situ_walk *w, situ_tensor *const *asked, uint32_t count);
/* Undoes the changes of a walk with `runs` if its nodes are not run after all. */
void situ_walk_undo(const situ_walk *w);
situ_hash situ_walk_key(const situ_walk *w, unsigned mode);
void situ_walk_free(situ_walk *w);

#endif
