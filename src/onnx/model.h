/* An ONNX model in memory: https://onnx.ai/onnx/repo-docs/IR.html. Names, strings and raw values point into the file;
 * lists are in an arena. */
#ifndef SITU_ONNX_MODEL_H
#define SITU_ONNX_MODEL_H

#include <situ/tensor.h>

#include "base/arena.h"
#include "onnx/wire.h"

/* The newest opset that is supported. */
enum { SITU_ONNX_OPSET = 28 };

typedef struct situ_onnx_op situ_onnx_op;

/* Values on the host, row-major. */
typedef struct situ_onnx_host {
    situ_dtype dtype;
    int ndim;
    int64_t dim[SITU_MAX_DIMS], count;
    const uint8_t *data;
} situ_onnx_host;

typedef struct situ_onnx_graph situ_onnx_graph;
typedef struct situ_onnx_attribute {
    const char *name;
    int type; /* 1 float, 2 int, 3 string, 4 tensor, 5 graph, 6 floats, 7 ints, 8 strings */
    double f;
    int64_t i;
    const char *s;
    situ_onnx_host *t;
    situ_onnx_graph *g;
    int64_t *ints;
    double *floats;
    const char **strings;
    int count; /* length of the list in use */
} situ_onnx_attribute;

typedef struct situ_onnx_node {
    const char *type, *name, *domain;
    const situ_onnx_op *op;
    const char **in_name, **out_name;
    int *in, *out; /* indices of values; -1: none */
    int ins, outs;
    situ_onnx_attribute *attribute;
    int attributes;
    int parameter; /* for a Constant: index of the module's parameter, or -1 */
} situ_onnx_node;

enum { SITU_ONNX_PLACES = 4096 }; /* most inputs, and most results, of a network */

/* The declared type of a value. */
typedef struct situ_onnx_type {
    int64_t dtype;              /* ONNX's number of the dtype */
    int ndim;                   /* -1: not declared */
    int64_t dim[SITU_MAX_DIMS]; /* -1: known only in a call */
} situ_onnx_type;

/* A named value: an initializer, an input or a result. */
typedef struct situ_onnx_name {
    const char *name;
    int value;            /* its index */
    situ_onnx_host *host; /* for an initializer: its values */
    int parameter;        /* ... and the index of its parameter, or -1 */
    situ_onnx_type *type; /* for an input or a result: its type; NULL: not declared */
} situ_onnx_name;

struct situ_onnx_graph {
    situ_onnx_node *node;
    situ_onnx_name *constant, *input, *result;
    int nodes, constants, inputs, results;
};

typedef struct situ_onnx_beside situ_onnx_beside;
typedef struct situ_onnx_model {
    situ_arena arena;
    size_t bytes; /* size of all lists so far, which is limited by the file's size */
    int64_t opset;
    situ_onnx_graph *graph;
    int values; /* number of values in all graphs */
    int functions;
    const char *path;         /* path of the file; NULL: the model was given as bytes */
    situ_onnx_beside *beside; /* open files with external data */
} situ_onnx_model;

/* Location of external data, as strings; NULL if absent. */
typedef struct situ_onnx_external {
    const char *location, *offset, *length;
} situ_onnx_external;

/* Parses the bytes, which have to stay in memory; 0 or a negative code. */
int situ_onnx_parse(situ_onnx_model *m, const uint8_t *bytes, size_t size, situ_site site);
/* Allocates zeroed memory that lives as long as the model; NULL with an error. */
void *situ_onnx_room(situ_onnx_model *m, size_t count, size_t size);
/* Makes `bytes`, little-endian, the values of t: where they are, or in a copy in this machine's order. */
int situ_onnx_take_little(situ_onnx_model *m, situ_onnx_host *t, const uint8_t *bytes);
/* Sets t->data to values in another file, which stays open; 0 or a negative code. */
int situ_onnx_read_external(situ_onnx_model *m, const situ_onnx_external *e, situ_onnx_host *t, const char *name, situ_site site);
void situ_onnx_close_external(situ_onnx_model *m);
/* Resolves names to value indices; 0, or a negative code if a name is not defined. */
int situ_onnx_link(situ_onnx_model *m, situ_site site);
/* Checks that inputs have the dtypes that the standard asks of each operator, as far as they are known before a call.
 * Names are resolved before. 0 or a negative code. */
int situ_onnx_check_types(const situ_onnx_model *m, situ_site site);
/* Converts ONNX's number of a dtype; SITU_DTYPE_DEFAULT if situ does not have it. */
situ_dtype situ_onnx_dtype(int64_t number);
int situ_onnx_dtype_number(situ_dtype d);
const char *situ_onnx_dtype_text(int64_t number);

#endif
