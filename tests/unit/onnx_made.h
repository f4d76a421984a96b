/* Models in the file format ONNX, written by hand. */
#ifndef SITU_TEST_ONNX_MADE_H
#define SITU_TEST_ONNX_MADE_H

#include <situ/onnx.h>
#include <stdint.h>
#include <string.h>

/* A test file may need some of them alone. */
#define HELPER static __attribute__((unused))

/* ---- the wire format, written ---------------------------------------------------------------------------------------------- */

typedef struct bytes {
    uint8_t at[4096];
    size_t size;
} bytes;

HELPER void put(bytes *b, const void *from, size_t size)
{
    memcpy(b->at + b->size, from, size);
    b->size += size;
}
HELPER void varint(bytes *b, uint64_t value)
{
    for (; value > 127; value >>= 7) b->at[b->size++] = (uint8_t)(value | 128);
    b->at[b->size++] = (uint8_t)value;
}
HELPER void number(bytes *b, uint32_t field, uint64_t value) { varint(b, field << 3), varint(b, value); }
HELPER void message(bytes *b, uint32_t field, const void *from, size_t size)
{
    varint(b, field << 3 | 2);
    varint(b, size);
    put(b, from, size);
}
HELPER void part(bytes *b, uint32_t field, const bytes *from) { message(b, field, from->at, from->size); }
HELPER void word(bytes *b, uint32_t field, const char *text) { message(b, field, text, strlen(text)); }

HELPER void node(bytes *graph, const char *type, const char *a, const char *b, const char *y)
{
    bytes n = {.size = 0};
    word(&n, 1, a);
    if (b) word(&n, 1, b);
    word(&n, 2, y);
    word(&n, 4, type);
    part(graph, 1, &n);
}
HELPER void floats(bytes *graph, const char *name, int64_t rows, int64_t columns, const float *value)
{
    bytes t = {.size = 0};
    if (rows) number(&t, 1, (uint64_t)rows);
    number(&t, 1, (uint64_t)columns);
    number(&t, 2, 1);
    word(&t, 8, name);
    message(&t, 9, value, 4 * (size_t)((rows ? rows : 1) * columns));
    part(graph, 5, &t);
}
HELPER void place(bytes *graph, uint32_t field, const char *name)
{
    bytes v = {.size = 0};
    word(&v, 1, name);
    part(graph, field, &v);
}
HELPER void model_of(bytes *b, const bytes *graph, uint64_t version)
{
    bytes opset = {.size = 0};
    number(&opset, 2, version);
    number(b, 1, 8);
    part(b, 7, graph);
    part(b, 8, &opset);
}
HELPER void model(bytes *b, const bytes *graph) { model_of(b, graph, 17); }

/* ---- a graph that ends in a node ------------------------------------------------------------------------------------------ */

typedef struct made {
    bytes node, graph;
    uint64_t opset; /* 0: 17 */
} made;

HELPER void ends(made *m, const char *type, const char *const *in, const char *const *out)
{
    for (; *in; in++) word(&m->node, 1, *in);
    for (; *out; out++) word(&m->node, 2, *out);
    word(&m->node, 4, type);
}
HELPER void whole(made *m, const char *name, uint64_t value)
{
    bytes a = {.size = 0};
    word(&a, 1, name);
    number(&a, 3, value);
    number(&a, 20, 2);
    part(&m->node, 5, &a);
}
HELPER void spoken(made *m, const char *name, const char *text)
{
    bytes a = {.size = 0};
    word(&a, 1, name);
    word(&a, 4, text);
    number(&a, 20, 3);
    part(&m->node, 5, &a);
}
HELPER void whole_list(made *m, const char *name, int count, const int64_t *value)
{
    bytes a = {.size = 0};
    word(&a, 1, name);
    for (int i = 0; i < count; i++) number(&a, 8, (uint64_t)value[i]);
    number(&a, 20, 7);
    part(&m->node, 5, &a);
}
HELPER void real(made *m, const char *name, float value)
{
    bytes a = {.size = 0};
    word(&a, 1, name);
    varint(&a, 2 << 3 | 5);
    put(&a, &value, 4);
    number(&a, 20, 1);
    part(&m->node, 5, &a);
}
HELPER void inner(made *m, const char *name, const bytes *graph)
{
    bytes a = {.size = 0};
    word(&a, 1, name);
    part(&a, 6, graph);
    number(&a, 20, 5);
    part(&m->node, 5, &a);
}
HELPER void integers(bytes *graph, const char *name, int64_t rows, int64_t columns, const int64_t *value)
{
    bytes t = {.size = 0};
    if (rows) number(&t, 1, (uint64_t)rows);
    if (columns) number(&t, 1, (uint64_t)columns);
    number(&t, 2, 7);
    word(&t, 8, name);
    message(&t, 9, value, 8 * (size_t)((rows ? rows : 1) * (columns ? columns : 1)));
    part(graph, 5, &t);
}
/* The node is the graph; NULL with an error. */
HELPER situ_module *loaded(made *m, const char *const *inputs, const char *const *results)
{
    bytes b = {.size = 0};
    part(&m->graph, 1, &m->node);
    for (; *inputs; inputs++) place(&m->graph, 11, *inputs);
    for (; *results; results++) place(&m->graph, 12, *results);
    model_of(&b, &m->graph, m->opset ? m->opset : 17);
    return situ_onnx_load_bytes((const void *)b.at, b.size);
}
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
