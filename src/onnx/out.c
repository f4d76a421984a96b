/* Writing a graph: nodes, constants and names. */
#include "onnx/out.h"

#include <stdio.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/hash.h"
#include "base/memory.h"
#include "graph/operand.h"
#include "onnx/model.h"
#include "op/table.h"
#include "tensor/dtype.h"
#include "tensor/number.h"

/* Field numbers of messages: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto */
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3, NODE_TYPE = 4, NODE_ATTRIBUTE = 5 };
enum {
    VALUE_NAME = 1,
    VALUE_TYPE = 2,
    TYPE_TENSOR = 1,
    TENSOR_ELEMENT = 1,
    TENSOR_SHAPE = 2,
    SHAPE_DIM = 1,
    DIM_VALUE = 1,
    DIM_NAME = 2
};
enum { TENSOR_DIM = 1, TENSOR_DTYPE = 2, TENSOR_NAME = 8, TENSOR_RAW = 9, TENSOR_EXTERNAL = 13, TENSOR_LOCATION = 14 };
enum {
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_F = 2,
    ATTRIBUTE_I = 3,
    ATTRIBUTE_S = 4,
    ATTRIBUTE_G = 6,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_TYPE = 20
};
enum { TYPE_FLOAT = 1, TYPE_INT = 2, TYPE_STRING = 3, TYPE_GRAPH = 5, TYPE_INTS = 7 };
enum { EXTERNAL_ALIGN = 4096 };

static const char *no_memory(const situ_out *o)
{
    situ_fail(SITU_NO_MEMORY, o->site, "situ_onnx_save: out of host memory");
    return NULL;
}

/* ---- table of names ----------------------------------------------------------------------------------------------------- */

typedef struct situ_out_word {
    struct situ_out_word *next;
    size_t size;
    const char *name;
    char key[];
} word;

static word **bucket_of(situ_out *o, const void *key, size_t size)
{
    situ_hash h = situ_hash_start(size);
    situ_hash_bytes(&h, key, size);
    return &o->word[situ_hash_end(&h).a % SITU_OUT_BUCKETS];
}

const char *situ_out_known(situ_out *o, const void *key, size_t size)
{
    for (const word *w = *bucket_of(o, key, size); w; w = w->next)
        if (w->size == size && !memcmp(w->key, key, size)) return w->name;
    return NULL;
}

const char *situ_out_know(situ_out *o, const void *key, size_t size, const char *name)
{
    word *w = situ_arena_alloc(&o->arena, sizeof *w + size), **bucket = bucket_of(o, key, size);
    if (!w) return no_memory(o);
    memcpy(w->key, key, size);
    *w = (word){*bucket, size, name};
    return (*bucket = w)->name;
}

const char *situ_out_new_name(situ_out *o, const char *like)
{
    size_t size = strlen(like) + 16;
    char *name = situ_arena_alloc(&o->arena, size);
    if (!name) return no_memory(o);
    memcpy(name, like, size - 15);
    for (int i = 2; situ_out_known(o, name, strlen(name)); i++) snprintf(name, size, "%s_%d", like, i);
    return situ_out_know(o, name, strlen(name), name);
}

const char *situ_out_number_name(situ_out *o, const char *type)
{
    size_t size = strlen(type) + 12;
    char *name = situ_arena_alloc(&o->arena, size);
    if (!name) return no_memory(o);
    do snprintf(name, size, "%s_%u", type, o->numbered++);
    while (situ_out_known(o, name, strlen(name)));
    return situ_out_know(o, name, strlen(name), name);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------------- */

static void attribute(situ_out *o, const char *name, int type)
{
    situ_message_text(&o->part, ATTRIBUTE_NAME, name);
    situ_message_int(&o->part, ATTRIBUTE_TYPE, type);
    situ_message_put(&o->attribute, NODE_ATTRIBUTE, &o->part);
}

void situ_out_int(situ_out *o, const char *name, int64_t value)
{
    situ_message_int(&o->part, ATTRIBUTE_I, value);
    attribute(o, name, TYPE_INT);
}

void situ_out_float(situ_out *o, const char *name, double value)
{
    situ_message_float(&o->part, ATTRIBUTE_F, (float)value);
    attribute(o, name, TYPE_FLOAT);
}

void situ_out_text(situ_out *o, const char *name, const char *value)
{
    situ_message_text(&o->part, ATTRIBUTE_S, value);
    attribute(o, name, TYPE_STRING);
}

void situ_out_graph(situ_out *o, const char *name, situ_message *value)
{
    situ_message_put(&o->part, ATTRIBUTE_G, value);
    attribute(o, name, TYPE_GRAPH);
}

/* One field for each value: lists of proto2 are not packed. */
void situ_out_ints(situ_out *o, const char *name, const int64_t *value, int count)
{
    for (int i = 0; i < count; i++) situ_message_int(&o->part, ATTRIBUTE_INTS, value[i]);
    attribute(o, name, TYPE_INTS);
}

const char *situ_out_node(situ_out *o, const char *type, const char *const *in, int n, int results)
{
    for (int i = 0; i < n; i++)
        if (!in[i]) return o->attribute.size = 0, NULL;
    const char *name = situ_out_number_name(o, type);
    if (!name) return NULL;
    for (int i = 0; i < n; i++) situ_message_text(&o->node, NODE_INPUT, in[i]);
    for (int i = 1; i < results; i++) { /* optional results could be "", but required ones need a name */
        char unused[96];
        snprintf(unused, sizeof unused, "%.64s.%d", name, i);
        situ_message_text(&o->node, NODE_OUTPUT, unused);
    }
    situ_message_text(&o->node, NODE_OUTPUT, name);
    situ_message_text(&o->node, NODE_NAME, name);
    situ_message_text(&o->node, NODE_TYPE, type);
    situ_message_append(&o->node, &o->attribute);
    situ_message_put(o->nodes, SITU_GRAPH_NODE, &o->node);
    return o->nodes->failed ? no_memory(o) : name;
}

void situ_out_identity(situ_out *o, const char *from, const char *to)
{
    if (!from) return;
    situ_message_text(&o->node, NODE_INPUT, from);
    situ_message_text(&o->node, NODE_OUTPUT, to);
    situ_message_text(&o->node, NODE_NAME, to);
    situ_message_text(&o->node, NODE_TYPE, "Identity");
    situ_message_put(o->nodes, SITU_GRAPH_NODE, &o->node);
}

void situ_out_describe(situ_out *o, uint32_t field, const char *name, situ_tensor *const *t)
{
    situ_message dims = {.bytes = NULL}, type = {.bytes = NULL};
    for (int i = 0; i < t[0]->ndim; i++) {
        bool same = true;
        for (int k = 1; k < o->records; k++) same &= t[k]->dim[i] == t[0]->dim[i];
        bool batch = !same;
        for (int k = 0; k < o->records; k++) batch &= t[k]->dim[i] == o->batch[k];
        if (same) situ_message_int(&o->part, DIM_VALUE, t[0]->dim[i]);
        if (batch) situ_message_text(&o->part, DIM_NAME, "batch");
        situ_message_put(&dims, SHAPE_DIM, &o->part);
    }
    situ_message_int(&type, TENSOR_ELEMENT, situ_onnx_dtype_number((situ_dtype)t[0]->dtype));
    situ_message_put(&type, TENSOR_SHAPE, &dims);
    situ_message_put(&o->part, TYPE_TENSOR, &type);
    situ_message_text(&o->node, VALUE_NAME, name);
    situ_message_put(&o->node, VALUE_TYPE, &o->part);
    situ_message_put(o->nodes, field, &o->node);
    situ_message_free(&dims);
    situ_message_free(&type);
}

/* ---- constants --------------------------------------------------------------------------------------------------------- */

static void tensor_head(situ_out *o, situ_dtype dtype, int ndim, const int64_t *dim, const char *name)
{
    for (int i = 0; i < ndim; i++) situ_message_int(&o->part, TENSOR_DIM, dim[i]);
    situ_message_int(&o->part, TENSOR_DTYPE, situ_onnx_dtype_number(dtype));
    situ_message_text(&o->part, TENSOR_NAME, name);
}

const char *situ_out_constant(situ_out *o, situ_dtype dtype, int ndim, const int64_t *dim, const void *bytes)
{
    size_t size = situ_dtype_size(dtype), head = 3 + 8 * (size_t)ndim;
    for (int i = 0; i < ndim; i++) size *= (size_t)dim[i];
    char *key = situ_malloc(head + size);
    if (!key) return no_memory(o);
    key[0] = 0; /* a key that no name can begin with */
    key[1] = (char)dtype;
    key[2] = (char)ndim;
    if (ndim) memcpy(key + 3, dim, 8 * (size_t)ndim);
    situ_little_numbers(key + head, bytes, size, situ_dtype_number_size(dtype));
    const char *name = situ_out_known(o, key, head + size);
    if (!name && (name = situ_out_number_name(o, "constant")) && situ_out_know(o, key, head + size, name)) {
        tensor_head(o, dtype, ndim, dim, name);
        situ_message_bytes(&o->part, TENSOR_RAW, key + head, size);
        situ_message_put(&o->initial, SITU_GRAPH_INITIALIZER, &o->part);
    }
    situ_free(key);
    return situ_error_code ? NULL : name;
}

const char *situ_out_list(situ_out *o, const int64_t *value, int count)
{
    return situ_out_constant(o, SITU_I64, 1, (int64_t[]){count}, value);
}

const char *situ_out_number(situ_out *o, situ_dtype dtype, double value)
{
    char bytes[16] = {0};
    situ_element_set_f64(dtype, bytes, value);
    return situ_out_constant(o, dtype, 0, NULL, bytes);
}

const char *situ_out_whole(situ_out *o, situ_dtype dtype, int64_t value)
{
    char bytes[16] = {0};
    situ_element_set_i64(dtype, bytes, value);
    return situ_out_constant(o, dtype, 0, NULL, bytes);
}

void situ_out_weight(situ_out *o, const char *name, situ_tensor *t)
{
    if (o->values_count == o->values_room) {
        situ_out_values *grown = situ_realloc(o->values, (o->values_room = 2 * o->values_room + 16) * sizeof *grown);
        if (!grown) return (void)no_memory(o);
        o->values = grown;
    }
    situ_dtype dtype = (situ_dtype)t->dtype;
    situ_out_values w = {.tensor = t, .name = name, .size = situ_node_bytes(t)};
    tensor_head(o, dtype, t->ndim, t->dim, name);
    if (o->external) {
        char text[3][32];
        const char *const key[] = {"location", "offset", "length"}, *const value[] = {o->external, text[1], text[2]};
        snprintf(text[1], 32, "%llu", (unsigned long long)o->outside);
        snprintf(text[2], 32, "%llu", (unsigned long long)w.size);
        for (int i = 0; i < 3; i++) {
            situ_message_text(&o->node, 1, key[i]);
            situ_message_text(&o->node, 2, value[i]);
            situ_message_put(&o->part, TENSOR_EXTERNAL, &o->node);
        }
        situ_message_int(&o->part, TENSOR_LOCATION, 1);
        situ_message_put(&o->initial, SITU_GRAPH_INITIALIZER, &o->part);
        w.at = o->outside;
        o->outside = (o->outside + w.size + EXTERNAL_ALIGN - 1) / EXTERNAL_ALIGN * EXTERNAL_ALIGN;
    } else {
        situ_message_head(&o->part, TENSOR_RAW, w.size);
        situ_message_head(&o->initial, SITU_GRAPH_INITIALIZER, o->part.size + w.size);
        situ_message_append(&o->initial, &o->part);
        w.at = o->initial.size;
    }
    o->values[o->values_count++] = w;
}

/* ---- dtypes ------------------------------------------------------------------------------------------------------------ */

situ_dtype situ_out_compute(situ_dtype d)
{
    switch (d) {
    case SITU_BF16: return SITU_F32;
    case SITU_I8:
    case SITU_U8:
    case SITU_I16:
    case SITU_U16: return SITU_I32;
    case SITU_U32: return SITU_I64;
    default: return d;
    }
}

const char *situ_out_cast(situ_out *o, const char *x, situ_dtype from, situ_dtype to)
{
    if (!x || from == to) return x;
    situ_out_int(o, "to", situ_onnx_dtype_number(to));
    return NODE("Cast", x);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------------- */

bool situ_out_size_of(situ_out *o, const int64_t *value, situ_out_size *size, const situ_tensor *t)
{
    *size = (situ_out_size){0, value[0]};
    bool same = true;
    for (int k = 1; k < o->records; k++) same &= value[k] == value[0];
    if (same) return true;
    int64_t step = o->batch[1] - o->batch[0], more = value[1] - value[0];
    if (!step) return situ_out_refuse_batch(o, t, "a size that was read"), false;
    size->each = more / step;
    size->rest = value[0] - size->each * o->batch[0];
    bool line = more % step == 0;
    for (int k = 1; k < o->records; k++) line &= value[k] == size->each * o->batch[k] + size->rest;
    if (!line) situ_out_refuse_batch(o, t, "a size that is no multiple of it, and no number more or less");
    return line;
}

situ_out_size situ_out_axis(situ_out *o, const situ_out_value *v, int in, int i)
{
    int64_t value[SITU_OUT_RECORDS];
    situ_out_size size;
    for (int k = 0; k < o->records; k++) value[k] = (in < 0 ? v->t[k] : situ_node_in(v->t[k])[in])->dim[i];
    situ_out_size_of(o, value, &size, v->t[0]);
    return size;
}

situ_out_size situ_out_plus(situ_out_size a, situ_out_size b) { return (situ_out_size){a.each + b.each, a.rest + b.rest}; }

/* A size that grows with the batch: batch * each + rest. */
static const char *growing(situ_out *o, situ_out_size size)
{
    char key[2 + sizeof size] = {0, 0x7f};
    memcpy(key + 2, &size, sizeof size);
    const char *name = situ_out_known(o, key, sizeof key);
    if (name) return name;
    situ_message *inside = o->nodes;
    o->nodes = &o->graph; /* in the outer graph, where a body sees it as well */
    if (size.each == 1 && !size.rest) {
        situ_out_int(o, "start", o->batch_axis);
        situ_out_int(o, "end", o->batch_axis + 1);
        name = NODE("Shape", o->batch_from);
    } else if (size.rest) {
        name = NODE("Add", growing(o, (situ_out_size){size.each, 0}), situ_out_list(o, &size.rest, 1));
    } else {
        name = NODE("Mul", growing(o, (situ_out_size){1, 0}), situ_out_list(o, &size.each, 1));
    }
    o->nodes = inside;
    return name ? situ_out_know(o, key, sizeof key, name) : NULL;
}

const char *situ_out_sizes(situ_out *o, const situ_out_size *size, int count)
{
    const char *part[4 * SITU_MAX_DIMS];
    int64_t fixed[4 * SITU_MAX_DIMS];
    int parts = 0, run = 0;
    if (situ_error_code) return NULL;
    for (int i = 0; i <= count; i++) {
        if (i < count && !size[i].each) {
            fixed[run++] = size[i].rest;
            continue;
        }
        if (run || !count) part[parts++] = situ_out_list(o, fixed, run);
        run = 0;
        if (i < count) part[parts++] = growing(o, size[i]);
    }
    if (parts == 1) return part[0];
    situ_out_int(o, "axis", 0);
    return situ_out_node(o, "Concat", part, parts, 1);
}

const char *situ_out_shape(situ_out *o, const situ_out_value *v)
{
    situ_out_size size[SITU_MAX_DIMS];
    for (int i = 0; i < v->t[0]->ndim; i++) size[i] = situ_out_axis(o, v, -1, i);
    return situ_out_sizes(o, size, v->t[0]->ndim);
}

const char *situ_out_reshaped(situ_out *o, const situ_out_value *v, const char *x)
{
    situ_out_size size[SITU_MAX_DIMS];
    int64_t dim[SITU_MAX_DIMS];
    int open = 0, n = v->t[0]->ndim;
    bool empty = false;
    for (int i = 0; i < n; i++) {
        size[i] = situ_out_axis(o, v, -1, i);
        open += size[i].each != 0;
        empty |= !size[i].each && !size[i].rest;
        dim[i] = size[i].each ? -1 : size[i].rest;
    }
    if (situ_error_code) return NULL;
    const char *shape = open < 2 && !(open && empty) ? situ_out_list(o, dim, n) : situ_out_sizes(o, size, n);
    if (empty) situ_out_int(o, "allowzero", 1);
    return NODE("Reshape", x, shape);
}

/* ---- errors ------------------------------------------------------------------------------------------------------------ */

const char *situ_out_refuse(situ_out *o, const situ_tensor *t, const char *why)
{
    if (t->flags & SITU_NODE_POISON) situ_failure_raise(situ_node_aside(t)->failure);
    if (t->op == &situ_op_rounded_product) why = "save the network before it is quantised";
    situ_fail(SITU_UNSUPPORTED, o->site, "situ_onnx_save: %s (at %s) has no counterpart in ONNX%s%s", t->op->name,
        t->site ? t->site : "an unknown line", why ? ": " : "", why ? why : "");
    return NULL;
}

const char *situ_out_refuse_batch(situ_out *o, const situ_tensor *t, const char *what)
{
    const char *place = t->site ? t->site : "an unknown line";
    if (o->batch[1] == o->batch[0])
        situ_fail(SITU_UNSUPPORTED, o->site,
            "situ_onnx_save: values of the inputs are part of what %s (at %s) does: %s; a file holds no number that was read from "
            "them: compute with tensors, or give it what does not change",
            t->op->name, place, what);
    else
        situ_fail(SITU_UNSUPPORTED, o->site,
            "situ_onnx_save: the size of the batch, or a value that was read from an input, is part of what %s (at %s) does: %s; "
            "compute with tensors, so that any batch will do; if it is the size, " SITU_SAY(
                ".dynamic_batch = false", "dynamic_batch=False") " writes a file that takes this one alone",
            t->op->name, place, what);
    return NULL;
}

void situ_out_free(situ_out *o)
{
    situ_message *const all[] = {&o->graph, &o->initial, &o->node, &o->attribute, &o->part};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) situ_message_free(all[i]);
    situ_free(o->values);
    situ_free(o->value);
    situ_free(o->bucket);
    situ_free(o->stack);
    situ_arena_free(&o->arena);
}
