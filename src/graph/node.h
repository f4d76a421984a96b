/* A node: one recorded value, what computes it, and where it is stored if it is.
 *
 * A node is pending (recorded), stored (has a buffer) or dropped (was computed where nothing needed to store it; it is
 * computed again when somebody reads it). Temporaries lie in the arena of their scope and die with it; kept handles and
 * variables lie on the heap and are counted.
 */
#ifndef SITU_GRAPH_NODE_H
#define SITU_GRAPH_NODE_H

#include <situ/dtype.h>
#include <situ/tensor.h>

#include "device/backend.h"

typedef struct situ_op situ_op;
typedef struct situ_scope situ_scope;

enum situ_node_flag {            /* RAN to REVIVED: in the order of a walk's, see walk.h */
    SITU_NODE_SCALAR = 1,        /* a number in the source: has no device and a weak dtype                        */
    SITU_NODE_RAN = 2,           /* ran once: its operands' reader counts are given back; storeless it is dropped */
    SITU_NODE_WANTED = 4,        /* a kept handle stands for it: the next plan that computes it stores it         */
    SITU_NODE_RESULT = 8,        /* a module's result: stored by a plan that overwrites a variable it depends on  */
    SITU_NODE_REVIVED = 16,      /* was dropped, and something recorded since reads it: pending again             */
    SITU_NODE_VARIABLE = 32,     /* a handle on a variable: never an operand itself, see variable.h               */
    SITU_NODE_READ = 64,         /* the value of a variable: its buffer may be given to the next value            */
    SITU_NODE_OVERWRITTEN = 128, /* that happened                                                                 */
    SITU_NODE_KEPT = 256,        /* a kept handle, on the heap                                                    */
    SITU_NODE_STOP = 512,        /* gradients do not pass                                                         */
    SITU_NODE_NO_GRAD = 1024,    /* recorded under situ_no_grad                                                   */
    SITU_NODE_TRAINABLE = 2048,  /* a read of a trainable variable                                                */
    SITU_NODE_ASKED = 4096,      /* stored because somebody asked for it, not only as a variable's value          */
    SITU_NODE_POISON = 8192,     /* an error happened                                                             */
    SITU_NODE_TRACKED = 16384,   /* owned: a gradient may pass, so it keeps its history                           */
    SITU_NODE_CUT = 32768        /* owned: it forgot its history, and what is asked for may have been in it       */
};

/* A node's `alive`. Memory of nodes is used again at other places than before (base/arena.h), so an old handle points to a
 * closed node or into the middle of another one. It shares 16 bytes, the step of these places, with the line of the closing:
 * where one is still there, the other one is. */
enum { SITU_NODE_ALIVE = 0x51a7, SITU_NODE_CLOSED = 0xc1d5, SITU_NODE_RELEASED = 0xea5d };

/* What few temporaries have, so that the others are small: 100,000 of them go through the caches when they are planned. */
typedef struct situ_aside {
    int64_t offset;                     /* bytes of the first element in the buffer                                      */
    const int64_t *stride;              /* stored views: in elements; NULL: contiguous, row-major                        */
    struct situ_slot *slot;             /* the variable whose value this is, or NULL                                     */
    uint64_t version;                   /* of a read of that variable: which of its values this is; 0: it is no read      */
    uint32_t pin;                       /* not 0: the call of a network that reads the variable by this node              */
    const void *same_as;                /* of a handle on another node's value: that node, to compare, never to look at   */
    const char *name;                   /* given by the user, or NULL                                                    */
    const struct situ_failure *failure; /* of a poisoned node, or NULL                                            */
    const char *speaker;                /* whom its message speaks for (base/error.h), or NULL: its operation            */
} situ_aside;

/* First what every walk over a graph looks at. */
struct situ_tensor {
    const situ_op *op;
    situ_scope *scope;   /* NULL: on the heap                                                             */
    situ_buffer *buffer; /* stored: the memory, counted                                                   */
    situ_aside *aside;   /* NULL: it has nothing of that                                                  */
    uint64_t walk;       /* the last walk that came here (under the planner's lock); closed: the line     */
    uint32_t index;      /* ... and its number there                                                      */
    union {
        struct {
            uint16_t alive; /* SITU_NODE_ALIVE while it may be used: looked at where a handle comes in       */
            uint16_t flags;
        };
        uint32_t state; /* both: one load where operands are looked at, so one store where they are made  */
    };
    uint32_t readers; /* recorded operations that read it and have not run                             */
    uint16_t nin, attr_size;
    uint8_t dtype, ndim, nword; /* nword: run-time arguments, no part of a key                                   */
    uint8_t kind;               /* for scalars: 0 bool, 1 integer, 2 float                                       */
    situ_device device;
    situ_site site;
    int64_t dim[]; /* then the operands, the argument words, and the attributes: structure, part of a plan's key */
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
/* To read; situ_node_make_aside is to write. */
static inline const situ_aside *situ_node_aside(const situ_tensor *t)
{
    const situ_aside *aside = __atomic_load_n(&t->aside, __ATOMIC_ACQUIRE); /* of another thread's node, too */
    return aside ? aside : &situ_no_aside;
}
/* What two handles on the same tensor have in common. */
static inline const void *situ_node_origin(const situ_tensor *t)
{
    const void *same_as = situ_node_aside(t)->same_as;
    return same_as ? same_as : t;
}
/* Does it stand for a variable's value (see read_slot in heap.c)? No tensor of the user's is such a node. */
static inline bool situ_node_is_read(const situ_tensor *t) { return situ_node_aside(t)->version != 0; }
static inline int64_t situ_node_count(const situ_tensor *t)
{
    int64_t n = 1;
    for (int i = 0; i < t->ndim; i++) n *= t->dim[i];
    return n;
}
/* Asks for a node that is looked at soon: for walks over more of them than a cache holds. */
static inline void situ_node_fetch(const situ_tensor *t) { __builtin_prefetch(t, 1); }
static inline void situ_node_fetch_all(const situ_tensor *t)
{
    __builtin_prefetch(t, 1);
    __builtin_prefetch((const char *)t + 64);
}
/* The first element of a stored node. */
static inline char *situ_node_address(const situ_tensor *t) { return t->buffer->address + situ_node_aside(t)->offset; }
static inline bool situ_node_stored(const situ_tensor *t) { return t->buffer != NULL; }
static inline size_t situ_node_bytes(const situ_tensor *t)
{
    return (size_t)situ_node_count(t) * situ_dtype_size((situ_dtype)t->dtype);
}

#endif
