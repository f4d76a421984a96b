/* A graph that runs: every value is a tensor, or lies on the host (shapes and what is counted from them), or both. */
#ifndef SITU_ONNX_CALL_H
#define SITU_ONNX_CALL_H

#include <situ/nn.h>

#include "onnx/model.h"

typedef struct situ_onnx_value {
    situ_tensor *tensor;
    const situ_onnx_host *host;
    bool given; /* an integer of the caller's without axes: it is read where it decides on something */
} situ_onnx_value;

typedef struct situ_onnx_run {
    const situ_onnx_model *m;
    situ_module *module;
    situ_tensor *x; /* says where */
    situ_arena arena;
    situ_onnx_value *value;
    situ_site site;
} situ_onnx_run;

/* One node in its turn. */
typedef struct situ_onnx_call {
    situ_onnx_run *run;
    const situ_onnx_node *node;
    int64_t opset;
} situ_onnx_call;

/* What an operator does: gives its first result (further ones by situ_onnx_give), NULL or a poisoned tensor with an error. */
typedef situ_tensor *(*situ_onnx_body)(situ_onnx_call *c, situ_site site);
/* The same on the host, where all inputs lie there: false where it cannot. */
typedef bool (*situ_onnx_host_body)(situ_onnx_call *c);
struct situ_onnx_op {
    const char *name;
    situ_onnx_body body;
    situ_tensor *(*one)(situ_tensor *, situ_site);
    situ_tensor *(*two)(situ_tensor *, situ_tensor *, situ_site);
    situ_onnx_host_body host;
    uint32_t read; /* a bit for each input whose values it has to know: such constants are no parameters */
};
/* By its type, after its domain and a point where that is not ONNX's own; NULL: there is none. */
const situ_onnx_op *situ_onnx_op_find(const char *name);
/* The one behind it, NULL: the first; NULL behind the last. */
const situ_onnx_op *situ_onnx_op_next(const situ_onnx_op *op);

/* ---- what bodies ask ------------------------------------------------------------------------------------------------------ */

bool situ_onnx_has(const situ_onnx_call *c, int i);
/* Input i on the device; NULL where it is left out. */
situ_tensor *situ_onnx_in(situ_onnx_call *c, int i);
/* The second operand of two. Before opset 7 "axis" may say at which axis of the first one it begins. */
situ_tensor *situ_onnx_second(situ_onnx_call *c);
/* Input i on the host: read if it must be. NULL where it is left out, or with an error. */
const situ_onnx_host *situ_onnx_read(situ_onnx_call *c, int i);
/* The same where it lies there already; else NULL. */
const situ_onnx_host *situ_onnx_there(const situ_onnx_call *c, int i);
/* The shape of input i without making a tensor of it. */
situ_shape situ_onnx_shape(const situ_onnx_call *c, int i);
void situ_onnx_give(situ_onnx_call *c, int i, situ_tensor *t);
/* Result i is on the host: room for its values; NULL with an error. */
uint8_t *situ_onnx_give_host(situ_onnx_call *c, int i, situ_dtype dtype, int ndim, const int64_t *dim);
/* Value i as another place's: nothing is copied. */
void situ_onnx_give_value(situ_onnx_call *c, int i, const situ_onnx_value *v);
const situ_onnx_attribute *situ_onnx_attr(const situ_onnx_call *c, const char *name);
int64_t situ_onnx_int(const situ_onnx_call *c, const char *name, int64_t otherwise);
double situ_onnx_float(const situ_onnx_call *c, const char *name, double otherwise);
/* The same where older opsets have a float and newer ones an integer. */
double situ_onnx_number(const situ_onnx_call *c, const char *name, double otherwise);
const char *situ_onnx_text(const situ_onnx_call *c, const char *name, const char *otherwise);
/* The attribute, which is one of these names, "sum, mean"; there is none: the first. Another text is an error, and the first. */
const char *situ_onnx_one_of(const situ_onnx_call *c, const char *name, const char *names);
/* Whether that is `text`. */
bool situ_onnx_is(const situ_onnx_call *c, const char *name, const char *text, const char *names);
/* Integers of an attribute, at most `most`; how many, -1: there is no such attribute. */
int situ_onnx_ints(const situ_onnx_call *c, const char *name, int64_t *out, int most);
/* Integers of input i, or, in older opsets, of the attribute; how many, -1: neither is there. */
int situ_onnx_numbers(situ_onnx_call *c, int i, const char *name, int64_t *out, int most);
/* The same as axes of a tensor: from the end where negative. .given is 0 where there are none. */
situ_axes situ_onnx_axes(situ_onnx_call *c, int i, const char *name);
int64_t situ_onnx_host_int(const situ_onnx_host *h, int64_t i);
double situ_onnx_host_float(const situ_onnx_host *h, int64_t i);
situ_tensor *situ_onnx_tensor_of(const situ_onnx_call *c, const situ_onnx_host *h);
/* Places along an axis without elements, where the result has none either; NULL: it has some. */
situ_tensor *situ_onnx_no_places(situ_tensor *x, int axis, bool keep, situ_site site);
/* An error in the words of the node: gives the poisoned tensor. */
situ_tensor *situ_onnx_refuse(const situ_onnx_call *c, int code, const char *format, ...) SITU_PRINTF(3, 4);
/* Runs a graph inside; 0 or a negative code. */
int situ_onnx_run_graph(situ_onnx_run *r, const situ_onnx_graph *g);

#define SITU_ONNX_BODY(name) static situ_tensor *name(situ_onnx_call *c, situ_site site)
#define IN(i) situ_onnx_in(c, i)
#define HAS(i) situ_onnx_has(c, i)

/* Rows of the table, by file. */
#define SITU_ONNX_TABLES(T) \
    T(element) \
    T(shape) \
    T(index) T(reduce) T(network) T(recurrent) T(control) T(more) T(attention) T(signal) T(sample) T(update) T(random) T(fused)
#define SITU_ONNX_TABLE_(name) extern const situ_onnx_op situ_onnx_##name##_ops[];
SITU_ONNX_TABLES(SITU_ONNX_TABLE_)

#endif
