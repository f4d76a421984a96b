/* Executing a graph: each value is a tensor, or numbers on the host (shapes and what is computed from them), or both. */
#ifndef SITU_ONNX_CALL_H
#define SITU_ONNX_CALL_H

#include <situ/nn.h>

#include "onnx/model.h"

typedef struct situ_onnx_value {
    situ_tensor *tensor;
    const situ_onnx_host *host;
    bool given; /* a scalar integer from the caller, which is read only if the graph depends on its value */
} situ_onnx_value;

typedef struct situ_onnx_run {
    const situ_onnx_model *m;
    situ_module *module;
    situ_tensor *x; /* tells the device */
    situ_arena arena;
    situ_onnx_value *value;
    situ_site site;
} situ_onnx_run;

/* The node that is being executed. */
typedef struct situ_onnx_call {
    situ_onnx_run *run;
    const situ_onnx_node *node;
    int64_t opset;
} situ_onnx_call;

/* Implementation of an operator: returns its first result (others go to situ_onnx_give); NULL or a poisoned tensor on
 * an error. */
typedef situ_tensor *(*situ_onnx_body)(situ_onnx_call *c, situ_site site);
/* The same on the host, when all inputs are there; false if it cannot. */
typedef bool (*situ_onnx_host_body)(situ_onnx_call *c);
struct situ_onnx_op {
    const char *name;
    situ_onnx_body body;
    situ_tensor *(*one)(situ_tensor *, situ_site);
    situ_tensor *(*two)(situ_tensor *, situ_tensor *, situ_site);
    situ_onnx_host_body host;
    uint32_t read; /* bit mask of the inputs whose values it needs on the host: such constants do not become parameters */
};
/* Finds an operator by its type, with "domain." in front unless the domain is ONNX's own; NULL: unknown. */
const situ_onnx_op *situ_onnx_op_find(const char *name);
/* The next operator of the table, NULL: the first; returns NULL after the last. */
const situ_onnx_op *situ_onnx_op_next(const situ_onnx_op *op);

/* ---- for implementations of operators ------------------------------------------------------------------------------------ */

bool situ_onnx_has(const situ_onnx_call *c, int i);
/* Input i on the device; NULL if it is left out. */
situ_tensor *situ_onnx_in(situ_onnx_call *c, int i);
/* The second operand of a binary operator. Before opset 7 "axis" may give the axis of the first operand where it
 * begins. */
situ_tensor *situ_onnx_second(situ_onnx_call *c);
/* Input i on the host, read from the device if necessary. NULL if it is left out, or with an error. */
const situ_onnx_host *situ_onnx_read(situ_onnx_call *c, int i);
/* The same if it is on the host already; else NULL. */
const situ_onnx_host *situ_onnx_there(const situ_onnx_call *c, int i);
/* The shape of input i, without creating a tensor. */
situ_shape situ_onnx_shape(const situ_onnx_call *c, int i);
void situ_onnx_give(situ_onnx_call *c, int i, situ_tensor *t);
/* Creates result i on the host and returns the memory for its values; NULL with an error. */
uint8_t *situ_onnx_give_host(situ_onnx_call *c, int i, situ_dtype dtype, int ndim, const int64_t *dim);
/* Makes result i an existing value, without a copy. */
void situ_onnx_give_value(situ_onnx_call *c, int i, const situ_onnx_value *v);
const situ_onnx_attribute *situ_onnx_attr(const situ_onnx_call *c, const char *name);
int64_t situ_onnx_int(const situ_onnx_call *c, const char *name, int64_t otherwise);
double situ_onnx_float(const situ_onnx_call *c, const char *name, double otherwise);
/* A number: a float in older opsets, an integer in newer ones. */
double situ_onnx_number(const situ_onnx_call *c, const char *name, double otherwise);
const char *situ_onnx_text(const situ_onnx_call *c, const char *name, const char *otherwise);
/* A string attribute with one of these values, "sum, mean"; the first if it is absent. Another value is an error, and
 * returns the first. */
const char *situ_onnx_one_of(const situ_onnx_call *c, const char *name, const char *names);
/* True if that attribute is `text`. */
bool situ_onnx_is(const situ_onnx_call *c, const char *name, const char *text, const char *names);
/* Integers of an attribute, at most `most`; returns how many, -1: it is absent. */
int situ_onnx_ints(const situ_onnx_call *c, const char *name, int64_t *out, int most);
/* Integers of input i, or in older opsets of the attribute; returns how many, -1: both are absent. */
int situ_onnx_numbers(situ_onnx_call *c, int i, const char *name, int64_t *out, int most);
/* The same as axes of a tensor; negative ones count from the end. .given is 0 if both are absent. */
situ_axes situ_onnx_axes(situ_onnx_call *c, int i, const char *name);
int64_t situ_onnx_host_int(const situ_onnx_host *h, int64_t i);
double situ_onnx_host_float(const situ_onnx_host *h, int64_t i);
situ_tensor *situ_onnx_tensor_of(const situ_onnx_call *c, const situ_onnx_host *h);
/* For an axis without elements: the result's indices, which are empty, too; NULL: the axis has elements. */
situ_tensor *situ_onnx_no_places(situ_tensor *x, int axis, bool keep, situ_site site);
/* Raises an error that names the node; returns the poisoned tensor. */
situ_tensor *situ_onnx_refuse(const situ_onnx_call *c, int code, const char *format, ...) SITU_PRINTF(3, 4);
/* Runs a nested graph; 0 or a negative code. */
int situ_onnx_run_graph(situ_onnx_run *r, const situ_onnx_graph *g);

#define SITU_ONNX_BODY(name) static situ_tensor *name(situ_onnx_call *c, situ_site site)
#define IN(i) situ_onnx_in(c, i)
#define HAS(i) situ_onnx_has(c, i)

/* The tables of operators, one for each file. */
#define SITU_ONNX_TABLES(T) \
    T(element) \
    T(shape) \
    T(index) \
    T(reduce) \
    T(network) T(recurrent) T(control) T(quantised) T(loss) T(resize) T(attention) T(signal) T(sample) T(update) T(random) \
        T(contrib)
#define SITU_ONNX_TABLE_(name) extern const situ_onnx_op situ_onnx_##name##_ops[];
SITU_ONNX_TABLES(SITU_ONNX_TABLE_)

#endif
