/* The interface of an operation. docs/extending says how to add one: a line in op/elementwise.def, or a file in op/
 * that ends in a `const situ_op`, its row in ops.def and its declaration. */
#ifndef SITU_GRAPH_OP_H
#define SITU_GRAPH_OP_H

#include "base/error.h"
#include "graph/node.h"

/* How the planner treats an operation. */
typedef enum situ_family {
    SITU_LEAF,        /* has its value from elsewhere: host data, a scalar, a variable                       */
    SITU_ELEMENTWISE, /* a row of elementwise.def; code is its situ_el                                       */
    SITU_CAST,        /* another dtype, elementwise                                                          */
    SITU_GENERATE,    /* made from positions alone: iota; and random bits from a key                         */
    SITU_VIEW,        /* the same memory with other strides, where possible                                  */
    SITU_REDUCE,      /* [A,R,C] -> [A,C] in the written order; fuses with elementwise work before it        */
    SITU_CALL,        /* a function of its own: matmul, sort, gather, ...                                    */
    SITU_COMPOSITE,   /* made of others; expanded by the planner unless a device claims it                   */
    SITU_COPY         /* the same values in new memory, on this or another device                            */
} situ_family;

/* One operand or result as a kernel sees it; strides in elements. */
typedef struct situ_layout {
    uint8_t dtype, ndim;
    int64_t dim[8], stride[8];
} situ_layout;

/* A structured operation with all that is known when a plan is made. */
typedef struct situ_call_desc {
    const situ_op *op;
    const void *attr;
    int nin;
    situ_layout out;
    situ_layout *in;
    bool over;    /* `part`: the result lies where operand 0 does, so the rest is there already */
    bool guarded; /* as of a group (plan/kernel.h) */
} situ_call_desc;

/* What a host implementation is run with: the call's run-time words, its workspace, the error word. */
typedef struct situ_host {
    bool parallel; /* may use the pool: see situ_host_for                   */
    situ_fault *fault;
    const uint64_t *word;
    char *workspace;
    struct situ_post_op *post_op; /* NULL, or what may be done with each part of the result: backend/cpu/interpreter/group.h */
} situ_host;
/* address[0] is the result (contiguous, row-major), then the operands (strided only if op->strided). */
typedef void (*situ_host_fn)(const situ_call_desc *c, char *const *address, const situ_host *h);

/* Runs task(context, 0..count-1), on the pool where h allows it. */
void situ_host_for(const situ_host *h, void (*task)(void *context, int64_t index), void *context, int64_t count);
/* Cuts 0..n-1 into pieces of at least `least` (all in one if there are fewer) and runs piece(context, first, end) on each; none
 * if n is 0. */
void situ_host_pieces(
    const situ_host *h, void (*piece)(void *context, int64_t first, int64_t end), void *context, int64_t n, int64_t least);

/* infer reads operands and attributes and fills dtype and shape; it raises what is wrong and returns a negative code. */
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

/* vjp: for each operand i with need[i], out[i] = (gradient of the result g) times (the Jacobian by operand i), recorded
 * as graph; shapes may still be broadcast (the engine sums them back); NULL means zero. `before`: what operand 0's gradient has
 * from elsewhere, or NULL; a rule that adds to that itself gives the sum, in operand 0's shape and dtype, and sets it to NULL. */
typedef struct situ_vjp {
    situ_tensor *y; /* the node                 */
    situ_tensor *g; /* gradient by its result   */
    int nin;
    situ_tensor *const *in;
    const bool *need;
    situ_tensor **out, **before;
    situ_site site;
} situ_vjp;

/* view: strides of the result from those of the operand, all in elements. offset = base + sum of word[k] * coefficient[k];
 * nothing asks for the offset of a view without elements. Returns false if these strides cannot express it (the planner
 * then copies the operand first). */
typedef struct situ_view {
    const situ_tensor *node;     /* shape and attributes of the view   */
    int ndim;                    /* of the operand                     */
    const int64_t *dim, *stride; /* of the operand                     */
    int64_t out_stride[8], base, coefficient[8];
} situ_view;

enum { SITU_READS_NOTHING = 0, SITU_READS_A = 1, SITU_READS_B = 2, SITU_READS_C = 4, SITU_READS_RESULT = 128 };

struct situ_op {
    const char *name;
    situ_family family;
    uint16_t code;        /* elementwise: situ_el; reduce: situ_reduce_kind                             */
    bool strided;         /* calls: operands may have any strides                                */
    bool scalars;         /* operands may be scalars                                             */
    bool plain;           /* elementwise: floats of one dtype and shape give that dtype and shape */
    bool can_fail;        /* may set the error word                                              */
    bool any_device;      /* operands may be on several devices (copies)                         */
    bool part;            /* calls: operand 0 with elements changed, which may be done where it lies      */
    const char *operands; /* their names for messages, "x, index"                                */
    int (*infer)(situ_infer *c);
    void (*vjp)(situ_vjp *c);
    const char *no_gradient; /* where vjp is NULL: why                                              */
    uint8_t reads[3];        /* what the gradient by operand i reads, SITU_READS_...                */
    bool (*view)(situ_view *v);
    situ_host_fn host;                /* calls: the reference in plain C                                     */
    const struct situ_kernel *kernel; /* calls: NULL, or one body for all devices: op/kernel.h               */
    size_t (*workspace)(const situ_call_desc *c);
    double (*flops)(const situ_call_desc *c);
    const situ_op *sure; /* calls that fail for nothing but their operand 1, indices: the same for those that were looked at */
    /* composites: records the value from placeholders with the operands' shapes, dtypes and device, and from nothing else: it is
     * expanded while a plan is made, and a walk over it must number no node of that plan's anew */
    situ_tensor *(*expand)(situ_tensor *const *in, int nin, const void *attr, situ_site site);
};

/* alias.c. infer: the result has dtype and shape of operand 0. */
int situ_infer_same(situ_infer *c);
/* view: the result is operand 0, element by element. */
bool situ_view_same(situ_view *v);
/* x's value as another tensor, for gradients. */
extern const situ_op situ_op_alias;
/* What a variable holds: where that is still pending, and as a tensor of its own. */
extern const situ_op situ_op_value;

/* Records op(in...): checks the operands (NULL, poison, device, scalars), infers, and returns the node; on an error the
 * poisoned tensor. attr is copied and hashed into plan keys: zero its padding. */
situ_tensor *situ_apply(const situ_op *op, situ_tensor *const *in, int nin, const void *attr, size_t attr_size,
    const uint64_t *word, int nword, situ_site site);
/* The same for a `plain` op without attributes where that is easy: tensors of this thread of one float dtype, shape and
 * device, and numbers. Where it is not, what `otherwise` gives: called from here, so that the usual call has nothing to save. */
typedef situ_tensor *situ_record_fn(const situ_op *op, situ_tensor *const *in, int nin, situ_site site);
situ_tensor *situ_plain_1(const situ_op *op, situ_tensor *a, situ_site site, situ_record_fn *otherwise);
situ_tensor *situ_plain_2(const situ_op *op, situ_tensor *a, situ_tensor *b, situ_site site, situ_record_fn *otherwise);
situ_tensor *situ_plain_3(
    const situ_op *op, situ_tensor *a, situ_tensor *b, situ_tensor *c, situ_site site, situ_record_fn *otherwise);
/* For one that gives a bool. */
situ_tensor *situ_plain_test(const situ_op *op, situ_tensor *a, situ_tensor *b, situ_site site, situ_record_fn *otherwise);
/* Names an operand for a message: "x (f32[2,3] @gpu(0), made at main.c:12)". Returns buffer. */
const char *situ_operand_text(const situ_tensor *t, char *buffer, size_t size);

#endif
