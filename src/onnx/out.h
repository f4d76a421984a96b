/* A graph of ONNX that is being written. What is written was recorded several times, with batches of other sizes: a tensor of it is
 * the same node of each recording, and a size that differs between them grows with the batch. Errors are raised where they are
 * found; what follows does nothing then. */
#ifndef SITU_ONNX_OUT_H
#define SITU_ONNX_OUT_H

#include <situ/onnx.h>

#include "base/arena.h"
#include "graph/op.h"
#include "onnx/write.h"

/* How often it is recorded: two sizes of the batch tell how sizes grow with it, the third whether that is true. */
enum { SITU_GRAPH_NODE = 1, SITU_GRAPH_NAME = 2, SITU_GRAPH_INITIALIZER = 5, SITU_GRAPH_INPUT = 11, SITU_GRAPH_OUTPUT = 12 };
enum { SITU_OUT_RECORDS = 3, SITU_OUT_OPSET = 18, SITU_OUT_BUCKETS = 1024 };

typedef struct situ_out_value {
    situ_tensor *t[SITU_OUT_RECORDS];
    const char *name;  /* in the file; NULL: not written yet */
    uint32_t alias;    /* 1 + the value that it is, 0: it is its own */
    bool taken, input; /* its operands are being written; it is an input */
    bool inside;       /* it depends on an input of a body */
} situ_out_value;

/* A size of each * batch + rest. */
typedef struct situ_out_size {
    int64_t each, rest;
} situ_out_size;

/* Values that follow at a place of the initializers' bytes. */
typedef struct situ_out_values {
    size_t at;
    situ_tensor *tensor;
    const char *name;
    uint64_t size;
} situ_out_values;

struct situ_out_row;
typedef struct situ_out {
    const struct situ_out_row *(*row_of)(const situ_op *op); /* NULL: there is none for this operation */
    situ_module *net;
    situ_site site;
    situ_arena arena;
    int records;
    int64_t batch[SITU_OUT_RECORDS];
    const char *batch_from; /* the input that has the batch, at this axis */
    int batch_axis;
    const char *external;        /* values of weights lie in this file in the same folder ... */
    uint64_t outside;            /* ... with so many bytes so far */
    situ_message graph, initial; /* its fields so far; initializers, which bodies in it see as well */
    situ_message *nodes;         /* where nodes go: the graph, or a body in it */
    situ_message node, attribute, part;
    situ_out_values *values; /* in the order of their places */
    uint32_t values_count, values_room;
    situ_out_value *value;
    uint32_t count, room, *bucket, buckets;
    uint32_t *stack, depth, stack_room;
    struct situ_out_word *word[SITU_OUT_BUCKETS]; /* what has a name: constants and sizes by their bytes, names by themselves */
    uint32_t numbered;
    bool depends; /* something was read from an input */
} situ_out;

/* Writes a node, whose operands have names: its name; NULL with an error, or where it is to be made of other operations. */
typedef const char *(*situ_out_writer)(situ_out *o, const situ_out_value *v);
typedef struct situ_out_row {
    const situ_op *op;
    situ_out_writer write;
    situ_tensor *(*expand)(const situ_tensor *y, situ_site site); /* else: the same by other operations */
    /* The operands that it is written with, where those are others: how many, 0: its own. */
    int (*operands)(const situ_tensor *y, situ_tensor **in);
    bool (*instead)(const situ_tensor *y); /* whether it is made of others, and does not need its operands */
    bool sizes;                            /* it knows that attributes and words may grow with the batch */
    bool first_only;                       /* it needs its first operand alone */
} situ_out_row;
/* What row_of is. */
const situ_out_row *situ_out_row_of(const situ_op *op);
#define SITU_OUT_MADE_OF(M) M(diagonal) M(update_slice) M(index_add) M(cumprod) M(linear_scan) M(searchsorted) M(slice)
#define SITU_OUT_MADE_OF_(id) situ_tensor *situ_out_##id(const situ_tensor *y, situ_site site);
SITU_OUT_MADE_OF(SITU_OUT_MADE_OF_)
const char *situ_out_elementwise(situ_out *o, const situ_out_value *v);
const char *situ_out_norm(situ_out *o, const situ_out_value *v);
int situ_out_norm_operands(const situ_tensor *y, situ_tensor **in);

/* ---- what writers ask -------------------------------------------------------------------------------------------------- */

static inline const situ_tensor *situ_out_of(const situ_out_value *v, int i) { return situ_node_in(v->t[0])[i]; }
/* The dtype that runtimes compute in where values have this one: half of bf16's operators and small integers' are nowhere. */
situ_dtype situ_out_compute(situ_dtype d);
/* The name of a node of the first recording that is written already. */
const char *situ_out_name_of(situ_out *o, const situ_tensor *t);
/* The name of operand i; in this dtype; as it is computed with. */
const char *situ_out_in(situ_out *o, const situ_out_value *v, int i);
const char *situ_out_in_as(situ_out *o, const situ_out_value *v, int i, situ_dtype dtype);
const char *situ_out_wide(situ_out *o, const situ_out_value *v, int i);
/* x of one dtype in another one. */
const char *situ_out_cast(situ_out *o, const char *x, situ_dtype from, situ_dtype to);
/* An attribute of the next node. */
void situ_out_int(situ_out *o, const char *name, int64_t value);
void situ_out_float(situ_out *o, const char *name, double value);
void situ_out_text(situ_out *o, const char *name, const char *value);
void situ_out_graph(situ_out *o, const char *name, situ_message *value);
void situ_out_ints(situ_out *o, const char *name, const int64_t *value, int count);
/* A node with these inputs ("": left out; NULL: an error before) and the attributes so far: the name of its last result, of so
 * many; the others are not wanted. */
const char *situ_out_node(situ_out *o, const char *type, const char *const *in, int n, int results);
#define SITU_OUT_NAMES(...) \
    (const char *const[]){__VA_ARGS__}, (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
#define NODE(type, ...) situ_out_node(o, type, SITU_OUT_NAMES(__VA_ARGS__), 1)
/* A constant. */
const char *situ_out_constant(situ_out *o, situ_dtype dtype, int ndim, const int64_t *dim, const void *bytes);
const char *situ_out_list(situ_out *o, const int64_t *value, int count);
const char *situ_out_number(situ_out *o, situ_dtype dtype, double value);
const char *situ_out_whole(situ_out *o, situ_dtype dtype, int64_t value);
/* Sizes from a number of each recording: false with an error where they do not grow with the batch in a line. */
bool situ_out_size_of(situ_out *o, const int64_t *value, situ_out_size *size, const situ_tensor *t);
/* Axis i of operand `in` (-1: of the result). */
situ_out_size situ_out_axis(situ_out *o, const situ_out_value *v, int in, int i);
situ_out_size situ_out_plus(situ_out_size a, situ_out_size b);
/* Sizes as a value, i64[count]. */
const char *situ_out_sizes(situ_out *o, const situ_out_size *size, int count);
/* The shape of v's result as a value. */
const char *situ_out_shape(situ_out *o, const situ_out_value *v);
/* x, with the elements of v's result, in its shape. */
const char *situ_out_reshaped(situ_out *o, const situ_out_value *v, const char *x);
/* Raises that t has no counterpart (`why` may be NULL), or that the batch is in it. NULL. */
const char *situ_out_refuse(situ_out *o, const situ_tensor *t, const char *why);
const char *situ_out_refuse_batch(situ_out *o, const situ_tensor *t, const char *what);

/* ---- the graph --------------------------------------------------------------------------------------------------------- */

/* Another name than all there are, like this one. */
const char *situ_out_new_name(situ_out *o, const char *like);
/* What was named by these bytes before, or NULL; names it (no memory: NULL with an error). */
const char *situ_out_known(situ_out *o, const void *key, size_t size);
const char *situ_out_know(situ_out *o, const void *key, size_t size, const char *name);
/* "Conv_3" */
const char *situ_out_number_name(situ_out *o, const char *type);
/* An input or a result of what is written: field, name, dtype and shape. */
void situ_out_describe(situ_out *o, uint32_t field, const char *name, situ_tensor *const *t);
/* A node that gives x another name. */
void situ_out_identity(situ_out *o, const char *from, const char *to);
/* A weight: its values are written with the file. */
void situ_out_weight(situ_out *o, const char *name, situ_tensor *t);
/* These nodes are an input of this name, of a body or of the whole; 0 or a negative code. */
int situ_out_input(situ_out *o, situ_tensor *const *t, const char *name);
/* Writes what they are computed from; their name, or NULL with an error. */
const char *situ_out_write(situ_out *o, situ_tensor *const *t);
void situ_out_free(situ_out *o);

#endif
