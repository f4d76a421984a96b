/* A walk: the nodes that a plan computes, in dependency order, numbered, with what becomes of each; and their key. */
#ifndef SITU_GRAPH_WALK_H
#define SITU_GRAPH_WALK_H

#include "base/hash.h"
#include "graph/record.h"

enum situ_walk_flag {
    SITU_WALK_LEAF = 1,     /* has its value already                                            */
    SITU_WALK_STORE = 2,    /* gets memory of its own                                           */
    SITU_WALK_ASSIGNED = 4, /* becomes the value of at least one variable                       */
    SITU_WALK_ASKED = 8,    /* stored for its own sake, not only as a variable's value          */
    SITU_WALK_KEY = 15,     /* those are part of a plan's key; the rest is what the nodes said, in the order of their flags: */
    SITU_WALK_FIRST = SITU_NODE_RAN << 3, /* RAN flag, inverted: this walk runs the node for the first time. */
    SITU_WALK_WANTED = SITU_NODE_WANTED << 3,
    SITU_WALK_RESULT = SITU_NODE_RESULT << 3,
    SITU_WALK_REVIVED = SITU_NODE_REVIVED << 3
};

_Static_assert(
    SITU_WALK_FIRST > SITU_WALK_KEY && SITU_WALK_REVIVED < 256, "what nodes said lies beside what a walk decides, in one byte");

typedef struct situ_assignment {
    situ_slot *slot;
    uint32_t value; /* the node that it gets                                                   */
    int32_t old;    /* the leaf that stands for its present value, or -1 if none is in the walk */
    bool donate;    /* its present memory may be overwritten                                   */
} situ_assignment;

/* Two leaves of a walk that stand for one value of a variable, as reads of an outer and an inner scope do. */
typedef struct situ_twin {
    uint32_t later, earlier;
} situ_twin;

typedef struct situ_walk {
    uint64_t id;
    bool through; /* for gradients: on through values that are stored     */
    bool runs;    /* what it numbers counts as having run, until situ_walk_undo */
    uint32_t count, capacity;
    situ_tensor **node;
    uint8_t *flags;
    int32_t *outside;    /* operations that have not run, read node i and are not in this walk; of nodes on
                                            the heap not all are counted: may be below 0             */
    situ_tensor **stack; /* their `index` is the number of the next operand to look at */
    uint32_t stack_capacity;
    situ_assignment *assignment;
    uint32_t assignments, assignment_capacity;
    situ_twin *twin; /* of variables that are assigned */
    uint32_t twins, twin_capacity;
    bool recomputes;     /* a dropped value is computed again */
    bool owned;          /* a node is an owned one (owned.h)  */
    bool tracks;         /* a gradient may pass through it    */
    situ_hash structure; /* of all nodes, in order            */
} situ_walk;

/* One walk at a time numbers nodes. */
extern pthread_mutex_t situ_planner;
/* Walks from the roots, then from the pending values of the slots, the last assigned first. Parameters are assigned
 * in the order of their layers, so the gradient of the last layer is computed while its operands are in the cache,
 * and frees them. Under the planner's lock. */
int situ_walk_collect(
    situ_walk *w, situ_tensor *const *root, uint32_t roots, situ_slot *const *slot, uint32_t slots, situ_site site);
/* Decides what is stored; `asked` roots come first in the walk's roots. */
int situ_walk_decide(situ_walk *w, situ_tensor *const *asked, uint32_t count);
/* Undoes what a walk that `runs` did to the nodes, when they are not run after all. */
void situ_walk_undo(const situ_walk *w);
situ_hash situ_walk_key(const situ_walk *w, unsigned mode);
void situ_walk_free(situ_walk *w);

#endif
