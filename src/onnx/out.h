/* Writing an ONNX graph. The network is recorded several times with different batch sizes. A tensor of the graph is
 * the same node in each recording; a size that differs between the recordings grows with the batch. Errors are raised
 * where they are found; all later calls do nothing. */
#ifndef SITU_ONNX_OUT_H
#define SITU_ONNX_OUT_H

#include <situ/onnx.h>

#include "base/arena.h"
#include "graph/op.h"
#include "onnx/write.h"

/* Number of recordings: two batch sizes tell how a size grows with the batch, the third checks it. The other constants
 * are field numbers. */
enum { SITU_GRAPH_NODE = 1, SITU_GRAPH_NAME = 2, SITU_GRAPH_INITIALIZER = 5, SITU_GRAPH_INPUT = 11, SITU_GRAPH_OUTPUT = 12 };
enum { SITU_OUT_RECORDS = 3, SITU_OUT_OPSET = 18, SITU_OUT_BUCKETS = 1024 };

typedef struct situ_out_value {
    situ_tensor *t[SITU_OUT_RECORDS];
    const char *name;  /* name in the file; NULL: not written yet */
    uint32_t alias;    /* 1 + index of the value that it equals, 0: none */
    bool taken, input; /* taken: its operands are being written; input: it is an input */
    bool inside;       /* it depends on an input of a nested body */
} situ_out_value;

/* A size of each * batch + rest. */
typedef struct situ_out_size {
    int64_t each, rest;
} situ_out_size;

/* Values to be inserted at this position of the initializers' bytes. */
typedef struct situ_out_values {
    size_t at;
    situ_tensor *tensor;
    const char *name;
    uint64_t size;
} situ_out_values;

struct situ_out_row;
typedef struct situ_out {
    const struct situ_out_row *(*row_of)(const situ_op *op); /* finds the writer of an operation; NULL: there is none */
    situ_module *net;
    situ_site site;
    situ_arena arena;
    int records;
    int64_t batch[SITU_OUT_RECORDS];
    const char *batch_from; /* name of the input that has the batch, at this axis */
    int batch_axis;
    const char *external;        /* weights are stored in this file in the same folder ... */
    uint64_t outside;            /* ... of this size so far */
    situ_message graph, initial; /* fields of the graph so far; its initializers, which nested bodies see as well */
    situ_message *nodes;         /* where nodes are written: to the graph, or to a nested body */
    situ_message node, attribute, part;
    situ_out_values *values; /* sorted by position */
    uint32_t values_count, values_room;
    situ_out_value *value;
    uint32_t count, capacity, *bucket, buckets;
    uint32_t *stack, depth, stack_room;
    struct situ_out_word *word[SITU_OUT_BUCKETS]; /* hash table of names: of constants and sizes by their bytes, and all names in
                                                   * use */
    uint32_t numbered;
    bool depends; /* a value was read that depends on an input */
} situ_out;

/* Writes a node, whose operands have names, and returns its name; NULL with an error, or if it has to be made of other
 * operations. */
typedef const char *(*situ_out_writer)(situ_out *o, const situ_out_value *v);
typedef struct situ_out_row {
    const situ_op *op;
    situ_out_writer write;
    situ_tensor *(*expand)(const situ_tensor *y, situ_site site); /* the alternative: records the same with other operations */
    /* The operands to write, if they are not the node's own: returns how many, 0: its own. */
    int (*operands)(const situ_tensor *y, situ_tensor **in);
    bool (*instead)(const situ_tensor *y); /* True if it is made of other operations and does not need its operands. */
    bool sizes;                            /* it supports attributes and words that grow with the batch */
    bool first_only;                       /* only its first operand is needed */
} situ_out_row;
/* The default of row_of. */
const situ_out_row *situ_out_row_of(const situ_op *op);
#define SITU_OUT_MADE_OF(M) M(diagonal) M(update_slice) M(index_add) M(cumprod) M(linear_scan) M(searchsorted) M(slice)
#define SITU_OUT_MADE_OF_(id) situ_tensor *situ_out_##id(const situ_tensor *y, situ_site site);
SITU_OUT_MADE_OF(SITU_OUT_MADE_OF_)
const char *situ_out_elementwise(situ_out *o, const situ_out_value *v);
const char *situ_out_norm(situ_out *o, const situ_out_value *v);
int situ_out_norm_operands(const situ_tensor *y, situ_tensor **in);

/* ---- for writers -------------------------------------------------------------------------------------------------------- */

static inline const situ_tensor *situ_out_of(const situ_out_value *v, int i) { return situ_node_in(v->t[0])[i]; }
/* The dtype in which values of dtype d are computed in the file: runtimes lack many operators for bf16 and small
 * integers. */
situ_dtype situ_out_compute(situ_dtype d);
/* The name of a node of the first recording that has been written. */
const char *situ_out_name_of(situ_out *o, const situ_tensor *t);
/* The name of operand i; cast to a dtype; cast to the dtype of computation. */
const char *situ_out_in(situ_out *o, const situ_out_value *v, int i);
const char *situ_out_in_as(situ_out *o, const situ_out_value *v, int i, situ_dtype dtype);
const char *situ_out_wide(situ_out *o, const situ_out_value *v, int i);
/* x cast from one dtype to another. */
const char *situ_out_cast(situ_out *o, const char *x, situ_dtype from, situ_dtype to);
/* Adds an attribute to the next node. */
void situ_out_int(situ_out *o, const char *name, int64_t value);
void situ_out_float(situ_out *o, const char *name, double value);
void situ_out_text(situ_out *o, const char *name, const char *value);
void situ_out_graph(situ_out *o, const char *name, situ_message *value);
void situ_out_ints(situ_out *o, const char *name, const int64_t *value, int count);
/* Writes a node with these inputs ("": left out; NULL: an earlier error) and the attributes so far. It has `results`
 * results; returns the name of the last one, the others are unused. */
const char *situ_out_node(situ_out *o, const char *type, const char *const *in, int n, int results);
#define SITU_OUT_NAMES(...) \
    (const char *const[]){__VA_ARGS__}, (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
#define NODE(type, ...) situ_out_node(o, type, SITU_OUT_NAMES(__VA_ARGS__), 1)
/* A constant. */
const char *situ_out_constant(situ_out *o, situ_dtype dtype, int ndim, const int64_t *dim, const void *bytes);
const char *situ_out_list(situ_out *o, const int64_t *value, int count);
const char *situ_out_number(situ_out *o, situ_dtype dtype, double value);
const char *situ_out_whole(situ_out *o, situ_dtype dtype, int64_t value);
/* Converts one number for each recording to a size; false with an error unless it grows linearly with the batch. */
bool situ_out_size_of(situ_out *o, const int64_t *value, situ_out_size *size, const situ_tensor *t);
/* Size of axis i of operand `in` (-1: of the result). */
situ_out_size situ_out_axis(situ_out *o, const situ_out_value *v, int in, int i);
situ_out_size situ_out_plus(situ_out_size a, situ_out_size b);
/* Sizes as a tensor, i64[count]. */
const char *situ_out_sizes(situ_out *o, const situ_out_size *size, int count);
/* The shape of v's result as a tensor. */
const char *situ_out_shape(situ_out *o, const situ_out_value *v);
/* x reshaped to the shape of v's result. */
const char *situ_out_reshaped(situ_out *o, const situ_out_value *v, const char *x);
/* Raises an error: t has no counterpart in ONNX (`why` may be NULL), or depends on the batch. Returns NULL. */
const char *situ_out_refuse(situ_out *o, const situ_tensor *t, const char *why);
const char *situ_out_refuse_batch(situ_out *o, const situ_tensor *t, const char *what);

/* ---- the graph --------------------------------------------------------------------------------------------------------- */

/* A name that is not in use, derived from this one. */
const char *situ_out_new_name(situ_out *o, const char *like);
/* The name registered for these bytes, or NULL. The other registers one (no memory: NULL with an error). */
const char *situ_out_known(situ_out *o, const void *key, size_t size);
const char *situ_out_know(situ_out *o, const void *key, size_t size, const char *name);
/* A numbered name such as "Conv_3". */
const char *situ_out_number_name(situ_out *o, const char *type);
/* Writes an input or a result of the graph: name, dtype and shape. */
void situ_out_describe(situ_out *o, uint32_t field, const char *name, situ_tensor *const *t);
/* Writes an Identity node that gives x another name. */
void situ_out_identity(situ_out *o, const char *from, const char *to);
/* A weight, whose values are written when the file is. */
void situ_out_weight(situ_out *o, const char *name, situ_tensor *t);
/* Declares these nodes as an input with this name, of a body or of the graph; 0 or a negative code. */
int situ_out_input(situ_out *o, situ_tensor *const *t, const char *name);
/* Writes everything that they are computed from; returns their name, or NULL with an error. */
const char *situ_out_write(situ_out *o, situ_tensor *const *t);
void situ_out_free(situ_out *o);

#endif
