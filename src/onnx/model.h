/* A model of the file format ONNX as it stands in memory: https://onnx.ai/onnx/repo-docs/IR.html. Names, strings and raw values
 * point into the file; lists lie in an arena. */
#ifndef SITU_ONNX_MODEL_H
#define SITU_ONNX_MODEL_H

#include <situ/tensor.h>

#include "base/arena.h"
#include "onnx/wire.h"

/* The newest opset whose operators are known. */
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
    int count; /* of one of these lists */
} situ_onnx_attribute;

typedef struct situ_onnx_node {
    const char *type, *name, *domain;
    const situ_onnx_op *op;
    const char **in_name, **out_name;
    int *in, *out; /* places of the values; -1: none */
    int ins, outs;
    situ_onnx_attribute *attribute;
    int attributes;
    int parameter; /* of a Constant: the module's own one, or -1 */
} situ_onnx_node;

enum { SITU_ONNX_PLACES = 4096 }; /* inputs of a network at most, and results */

/* What the file says of a value. */
typedef struct situ_onnx_type {
    int64_t dtype;              /* ONNX's number                   */
    int ndim;                   /* -1: it does not say             */
    int64_t dim[SITU_MAX_DIMS]; /* -1: not known before the call   */
} situ_onnx_type;

/* A named place: an initializer, an input or a result. */
typedef struct situ_onnx_name {
    const char *name;
    int value;            /* its place                                  */
    situ_onnx_host *host; /* of an initializer                          */
    int parameter;        /* ... that is one: its number, or -1          */
    situ_onnx_type *type; /* of a result, NULL: the file does not say it */
} situ_onnx_name;

struct situ_onnx_graph {
    situ_onnx_node *node;
    situ_onnx_name *constant, *input, *result;
    int nodes, constants, inputs, results;
};

typedef struct situ_onnx_beside situ_onnx_beside;
typedef struct situ_onnx_model {
    situ_arena arena;
    size_t bytes; /* of lists so far: the file's size bounds them */
    int64_t opset;
    situ_onnx_graph *graph;
    int values; /* places of values in all graphs */
    int functions;
    const char *path;         /* of the file, NULL: it was given as bytes */
    situ_onnx_beside *beside; /* files with values of it */
} situ_onnx_model;

/* Where values lie that are not in the file: texts, NULL where there is none. */
typedef struct situ_onnx_external {
    const char *location, *offset, *length;
} situ_onnx_external;

/* Reads the bytes, which must stay; 0 or a negative code. */
int situ_onnx_parse(situ_onnx_model *m, const uint8_t *bytes, size_t size, situ_site site);
/* Memory of the model, zeros; NULL with an error. */
void *situ_onnx_room(situ_onnx_model *m, size_t count, size_t size);
/* t->data of values in another file, which stays open; 0 or a negative code. */
int situ_onnx_read_external(situ_onnx_model *m, const situ_onnx_external *e, situ_onnx_host *t, const char *name, situ_site site);
void situ_onnx_close_external(situ_onnx_model *m);
/* Gives names their places; 0, or a negative code for a name that nothing makes. */
int situ_onnx_link(situ_onnx_model *m, situ_site site);
/* ONNX's number of a dtype; SITU_DTYPE_DEFAULT for one that situ has not. */
situ_dtype situ_onnx_dtype(int64_t number);
int situ_onnx_dtype_number(situ_dtype d);
const char *situ_onnx_dtype_text(int64_t number);

#endif
