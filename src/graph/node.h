/* A node is one recorded value: the operation that computes it, and its memory if it is stored.  A node is pending
 * (recorded), stored (it has a buffer) or dropped (it was computed without being stored, and is computed again when it
 * is read). Temporaries are in the arena of their scope and die with it; kept handles and variables are on the heap
 * and are reference-counted. */
#ifndef SITU_GRAPH_NODE_H
#define SITU_GRAPH_NODE_H

#include <situ/dtype.h>
#include <situ/tensor.h>

#include "device/backend.h"

typedef struct situ_op situ_op;
typedef struct situ_scope situ_scope;

enum situ_node_flag {            /* RAN to REVIVED: in the order of the flags of walk.h */
    SITU_NODE_SCALAR = 1,        /* a C number: has no device, and its dtype adapts to the other operand */
    SITU_NODE_RAN = 2,           /* ran once: it no longer counts as a reader of its operands. Without memory it is dropped */
    SITU_NODE_WANTED = 4,        /* a kept handle stands for it: the next plan that computes it stores it */
    SITU_NODE_RESULT = 8,        /* the result of a module: stored by a plan that overwrites a variable it depends on */
    SITU_NODE_REVIVED = 16,      /* was dropped, and is read by something recorded since: pending again */
    SITU_NODE_VARIABLE = 32,     /* a handle on a variable; never an operand itself, see variable.h */
    SITU_NODE_READ = 64,         /* the value of a variable: its buffer may be reused for the next value */
    SITU_NODE_OVERWRITTEN = 128, /* its buffer was reused */
    SITU_NODE_KEPT = 256,        /* a kept handle, on the heap                                                    */
    SITU_NODE_STOP = 512,        /* gradients do not pass through it */
    SITU_NODE_NO_GRAD = 1024,    /* recorded under situ_no_grad                                                   */
    SITU_NODE_TRAINABLE = 2048,  /* a read of a trainable variable                                                */
    SITU_NODE_ASKED = 4096,      /* stored because it was asked for, not only as a variable's value */
    SITU_NODE_POISON = 8192,     /* the result of a failed call */
    SITU_NODE_TRACKED = 16384,   /* owned: gradients may pass through it, so it keeps its history */
    SITU_NODE_CUT = 32768        /* owned: its history was cut, and may have contained a tensor that a gradient is asked for */
};

/* Values of a node's `alive`. Node memory is reused at other addresses than before (base/arena.h), so an old handle
 * points to a closed node or into the middle of another one. `alive` and the line of the closing share 16 bytes, the
 * granularity of these addresses: if one is intact, so is the other. */
enum { SITU_NODE_ALIVE = 0x51a7, SITU_NODE_CLOSED = 0xc1d5, SITU_NODE_RELEASED = 0xea5d };

/* Fields that few temporaries need. Kept separate so that nodes are small: planning may walk over 100,000 of them. */
typedef struct situ_aside {
    int64_t offset;                     /* position of the first element in the buffer, in bytes */
    const int64_t *stride;              /* strides of stored views, in elements; NULL: contiguous, row-major */
    struct situ_slot *slot;             /* the variable whose value this is, or NULL                                     */
    uint64_t version;                   /* for a read node: the version of the variable that it reads; 0: no read node */
    uint32_t pin;                       /* not 0: the network call that reads the variable by this node */
    const void *same_as;                /* for a handle on another node's value: that node, only to compare addresses */
    const char *name;                   /* name given by the user, or NULL */
    const struct situ_failure *failure; /* reason of a poisoned node, or NULL */
    const char *speaker;                /* the function named in its error messages (base/error.h); NULL: its operation */
} situ_aside;

/* Begins with the fields that every traversal reads. */
struct situ_tensor {
    const situ_op *op;
    situ_scope *scope;   /* NULL: on the heap */
    situ_buffer *buffer; /* stored: its memory, reference-counted */
    situ_aside *aside;   /* NULL: no rare fields */
    uint64_t walk;       /* the last walk that visited it (protected by the planner's lock); closed: the line of the closing */
    uint32_t index;      /* ... and its index in that walk */
    union {
        struct {
            uint16_t alive; /* SITU_NODE_ALIVE while it is valid; checked where a handle enters the library */
            uint16_t flags;
        };
        uint32_t state; /* both fields at once, so that checking an operand is one load */
    };
    uint32_t readers; /* number of recorded operations that read it and have not run */
    uint16_t nin, attr_size;
    uint8_t dtype, ndim, nword; /* nword: number of run-time arguments, which are not part of a plan's key */
    uint8_t kind : 2;           /* for scalars: 0 bool, 1 integer, 2 float */
    uint8_t invariant : 1;      /* recorded under situ_batch_invariant; part of a plan's key */
    situ_device device;
    situ_site site;
    int64_t dim[]; /* followed by the operands, the argument words, and the attributes, which are part of a plan's key */
};

static inline uint32_t situ_node_state(uint16_t alive, uint16_t flags)
{
    return (union {
        struct {
            uint16_t alive, flags;
        } part;
        uint32_t both;
    }){{alive, flags}}
        .both;
}
static inline situ_tensor **situ_node_in(const situ_tensor *t) { return (situ_tensor **)(void *)&((situ_tensor *)t)->dim[t->ndim]; }
static inline uint64_t *situ_node_word(const situ_tensor *t) { return (uint64_t *)(void *)(situ_node_in(t) + t->nin); }
static inline const void *situ_node_attr(const situ_tensor *t) { return t->attr_size ? situ_node_word(t) + t->nword : NULL; }
extern const situ_aside situ_no_aside;
/* For reading; situ_node_make_aside is for writing. */
static inline const situ_aside *situ_node_aside(const situ_tensor *t)
{
    const situ_aside *aside = __atomic_load_n(&t->aside, __ATOMIC_ACQUIRE); /* it may be a node of another thread */
    return aside ? aside : &situ_no_aside;
}
/* An address that two handles on the same tensor have in common. */
static inline const void *situ_node_origin(const situ_tensor *t)
{
    const void *same_as = situ_node_aside(t)->same_as;
    return same_as ? same_as : t;
}
/* True for a read node of a variable (see read_slot in heap.c). The user never gets such a node. */
static inline bool situ_node_is_read(const situ_tensor *t) { return situ_node_aside(t)->version != 0; }
static inline int64_t situ_node_count(const situ_tensor *t)
{
    int64_t n = 1;
    for (int i = 0; i < t->ndim; i++) n *= t->dim[i];
    return n;
}
/* Prefetches a node, for walks over more nodes than fit into the caches. */
static inline void situ_node_fetch(const situ_tensor *t) { __builtin_prefetch(t, 1); }
static inline void situ_node_fetch_all(const situ_tensor *t)
{
    __builtin_prefetch(t, 1);
    __builtin_prefetch((const char *)t + 64);
}
/* The address of a stored node's first element. */
static inline char *situ_node_address(const situ_tensor *t) { return t->buffer->address + situ_node_aside(t)->offset; }
static inline bool situ_node_stored(const situ_tensor *t) { return t->buffer != NULL; }
static inline size_t situ_node_bytes(const situ_tensor *t)
{
    return (size_t)situ_node_count(t) * situ_dtype_size((situ_dtype)t->dtype);
}

#endif
