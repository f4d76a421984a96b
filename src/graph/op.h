/* The interface of an operation. docs/extending tells how to add one: a line in op/elementwise.def, or a file in op/
 * that ends in a `const situ_op`, its row in ops.def and its declaration. */
#ifndef SITU_GRAPH_OP_H
#define SITU_GRAPH_OP_H

#include "base/error.h"
#include "graph/node.h"

/* How the planner treats an operation. */
typedef enum situ_family {
    SITU_LEAF,        /* its value comes from elsewhere: host data, a scalar, a variable */
    SITU_ELEMENTWISE, /* a row of elementwise.def; code is its situ_el */
    SITU_CAST,        /* conversion to another dtype, elementwise */
    SITU_GENERATE,    /* computed from positions only: iota, and random bits from a key */
    SITU_VIEW,        /* the same memory with other strides, if possible */
    SITU_REDUCE,      /* [A,R,C] -> [A,C] in the documented order; fuses with elementwise work before it */
    SITU_CALL,        /* has a kernel of its own: matmul, sort, gather, ... */
    SITU_COMPOSITE,   /* composed of other operations; expanded by the planner unless a device claims it */
    SITU_COPY         /* the same values in new memory, on this or another device */
} situ_family;

/* The layout of one operand or result of a kernel; strides in elements. */
typedef struct situ_layout {
    uint8_t dtype, ndim;
    int64_t dim[8], stride[8];
} situ_layout;

/* A structured operation with everything that is known when a plan is made. */
typedef struct situ_call_desc {
    const situ_op *op;
    const void *attr;
    int nin;
    situ_layout out;
    situ_layout *in;
    bool over;      /* for `part` operations: the result is in operand 0's memory, so its other elements are there already */
    bool guarded;   /* see plan/kernel.h */
    bool invariant; /* situ_batch_invariant: the order of sums must not depend on the number of rows */
} situ_call_desc;

/* Arguments of a host implementation: the call's run-time words, its workspace, the error word. */
typedef struct situ_host {
    bool parallel; /* may use the thread pool: see situ_host_for */
    situ_fault *fault;
    const uint64_t *word;
    char *workspace;
    struct situ_post_op *post_op; /* NULL, or work to be applied to each piece of the result: backend/cpu/interpreter/group.h */
} situ_host;
/* address[0] is the result (contiguous, row-major), the others are the operands (strided only if op->strided). */
typedef void (*situ_host_fn)(const situ_call_desc *c, char *const *address, const situ_host *h);

/* Runs task(context, i) for i = 0 .. count-1, in the thread pool if h allows it. */
void situ_host_for(const situ_host *h, void (*task)(void *context, int64_t index), void *context, int64_t count);
/* Cuts 0..n-1 into pieces of at least `least` (one piece if n is smaller) and runs piece(context, first, end) on each;
 * none if n is 0. */
void situ_host_pieces(
    const situ_host *h, void (*piece)(void *context, int64_t first, int64_t end), void *context, int64_t n, int64_t least);

/* Shape inference: reads operands and attributes, sets dtype and shape; raises an error and returns a negative code if
 * they do not fit. */
typedef struct situ_infer {
    const situ_op *op;
    situ_site site;
    int nin;
    situ_tensor *const *in;
    const void *attr;
    const uint64_t *word;
    situ_dtype dtype;
    int ndim;
    int64_t dim[8];
} situ_infer;

/* Gradient rule: for each operand i with need[i], out[i] = (gradient g of the result) times (Jacobian by operand i),
 * recorded as graph. Its shape may still be broadcast (the engine sums it); NULL means zero. `before`: the gradient of
 * operand 0 from elsewhere, or NULL; a rule that adds to it itself returns the sum, in operand 0's shape and dtype,
 * and sets *before to NULL. */
typedef struct situ_vjp {
    situ_tensor *y; /* the node that is differentiated */
    situ_tensor *g; /* gradient of its result */
    int nin;
    situ_tensor *const *in;
    const bool *need;
    situ_tensor **out, **before;
    situ_site site;
} situ_vjp;

/* View rule: computes the strides of the result from those of the operand, all in elements. offset = base + sum of
 * word[k] * coefficient[k]; the offset of an empty view is not used. Returns false if strides cannot express it (the
 * planner then copies the operand first). */
typedef struct situ_view {
    const situ_tensor *node;     /* has the shape and attributes of the view */
    int ndim;                    /* of the operand */
    const int64_t *dim, *stride; /* of the operand */
    int64_t out_stride[8], base, coefficient[8];
} situ_view;

enum { SITU_READS_NOTHING = 0, SITU_READS_A = 1, SITU_READS_B = 2, SITU_READS_C = 4, SITU_READS_RESULT = 128 };

struct situ_op {
    const char *name;
    situ_family family;
    uint16_t code;        /* elementwise: situ_el; reduce: situ_reduce_kind */
    bool strided;         /* calls: operands may have any strides */
    bool scalars;         /* operands may be scalars */
    bool plain;           /* elementwise: operands of one float dtype and shape give that dtype and shape */
    bool can_fail;        /* may set the error word */
    bool any_device;      /* operands may be on several devices (copies) */
    bool part;            /* calls: operand 0 with some elements changed, which may be done in place */
    const char *operands; /* names of the operands for messages, "x, index" */
    int (*infer)(situ_infer *c);
    void (*vjp)(situ_vjp *c);
    const char *no_gradient; /* if vjp is NULL: the reason, for messages */
    uint8_t reads[3];        /* [operand] what the gradient by it reads, SITU_READS_... */
    bool (*view)(situ_view *v);
    situ_host_fn host;                /* calls: the reference implementation in C */
    const struct situ_kernel *kernel; /* calls: NULL, or one body for all devices: op/kernel.h */
    size_t (*workspace)(const situ_call_desc *c);
    double (*flops)(const situ_call_desc *c);
    const situ_op *sure; /* calls that only fail because of their operand 1, indices: the same operation for checked indices */
    /* composites: records the value from placeholders with the operands' shapes, dtypes and device, and from nothing
     * else. It runs while a plan is being made, so it must not renumber nodes of that plan */
    situ_tensor *(*expand)(situ_tensor *const *in, int nin, const void *attr, situ_site site);
};

/* alias.c. infer: the result has operand 0's dtype and shape. */
int situ_infer_same(situ_infer *c);
/* view: the result is operand 0, unchanged. */
bool situ_view_same(situ_view *v);
/* x's value as another node, for gradients. */
extern const situ_op situ_op_alias;
/* A variable's value while it is pending; and as a tensor of its own. */
extern const situ_op situ_op_value;

/* Records op(in...): checks the operands (NULL, poisoned, device, scalars), infers, and returns the node; the poisoned
 * tensor on an error. attr is copied and hashed into plan keys, so its padding must be zero. */
situ_tensor *situ_apply(const situ_op *op, situ_tensor *const *in, int nin, const void *attr, size_t attr_size,
    const uint64_t *word, int nword, situ_site site);
/* The fast path for a `plain` op without attributes: operands are tensors of this thread with one float dtype, shape
 * and device, or numbers. Other cases go to `otherwise`, which is called from here, so that the fast path need not
 * save registers. */
typedef situ_tensor *situ_record_fn(const situ_op *op, situ_tensor *const *in, int nin, situ_site site);
situ_tensor *situ_plain_1(const situ_op *op, situ_tensor *a, situ_site site, situ_record_fn *otherwise);
situ_tensor *situ_plain_2(const situ_op *op, situ_tensor *a, situ_tensor *b, situ_site site, situ_record_fn *otherwise);
situ_tensor *situ_plain_3(
    const situ_op *op, situ_tensor *a, situ_tensor *b, situ_tensor *c, situ_site site, situ_record_fn *otherwise);
/* The same for an operation with a bool result. */
situ_tensor *situ_plain_test(const situ_op *op, situ_tensor *a, situ_tensor *b, situ_site site, situ_record_fn *otherwise);
/* Describes an operand for a message: "x (f32[2,3] @gpu(0), made at main.c:12)". Returns buffer. */
const char *situ_operand_text(const situ_tensor *t, char *buffer, size_t size);

#endif
