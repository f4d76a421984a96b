/* A fake cuDNN with the graph API for convolutions: checks each descriptor and attribute, proposes engines of all kinds
 * (the tempting ones first), and computes in stream order. FAKECUDA_CUDNN is the version that it reports,
 * FAKECUDA_CUDNN_CUDA the version of CUDA that it was made for (none), FAKECUDA_CUDNN_ENGINES the numbers of the
 * engines that it proposes (all). */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "convolution.h"
#include "fakecuda.h"

#define FAKE_API __attribute__((visibility("default")))
#define ENTRY(name, ...)                     \
    FAKE_API int name(__VA_ARGS__);          \
    FAKE_API int name(__VA_ARGS__)
#define ENTER(name)                           \
    do {                                      \
        int injected = fakecuda_enter(#name); \
        if (injected) return injected;        \
    } while (0)

enum { SUCCESS = 0, BAD_PARAM = 2000, NULL_POINTER = 2002, MISALIGNED = 2003, NOT_FINALIZED = 2004, OUT_OF_BOUND = 2005, SHAPE_MISMATCH = 2008, ATTRIBUTE_TYPE = 2010,
       NOT_SUPPORTED = 3000, NO_HOST_MEMORY = 4003, NO_DEVICE_MEMORY = 4004, EXECUTION_FAILED = 5000 };
enum { CONVOLUTION = 1, ENGINE, CONFIG, HEURISTICS, PLAN, OP_FORWARD = 10, OP_FILTER, OP_DATA, GRAPH = 15, PACK, TENSOR, KINDS };
enum { T_HANDLE = 0, T_DATA = 1, T_INT = 3, T_FLOAT = 4, T_DOUBLE = 5, T_POINTER = 6, T_MODE = 7, T_HEURISTIC = 8, T_NOTE = 11, T_DESCRIPTOR = 15 };
enum { MAGIC = 0xd9d9, MOST_VALUES = 8, MOST_ATTRIBUTES = 8 };

typedef struct handle { int magic, busy; void *stream; bool streamed; } handle;
typedef struct value { int attribute, type; int64_t count, word[MOST_VALUES]; } value;
/* A descriptor. A destroyed one stays in memory while others refer to it. */
typedef struct descriptor {
    int magic, kind, uses, values, engine;
    bool final, destroyed;
    value value[MOST_ATTRIBUTES];
    struct descriptor *graph; /* for heuristics, configurations, engines and plans */
} descriptor;

static int living, handles;
enum { MOST_HANDLES = 64 };
static handle *kept[MOST_HANDLES]; /* handles; one whose cudnnDestroy was made to fail does not count as leaked */

static int refuse(int status, const char *what)
{
    fakecuda_violation("cudnn: %s", what);
    return status;
}

/* ---------------------------------------------------------------- attributes */

/* All attributes that may be set; `must`: required before finalizing. `of`: the kind of descriptor that the value must
 * be. */
typedef struct rule { int kind, attribute, type, least, most, of; bool must; } rule;
static const rule rules[] = {
    {TENSOR, 900, T_INT, 1, 1, 0, true}, {TENSOR, 901, T_DATA, 1, 1, 0, true}, {TENSOR, 902, T_INT, 3, 8, 0, true},
    {TENSOR, 903, T_INT, 3, 8, 0, true}, {TENSOR, 906, T_INT, 1, 1, 0, true},
    {CONVOLUTION, 100, T_DATA, 1, 1, 0, true}, {CONVOLUTION, 101, T_MODE, 1, 1, 0, true}, {CONVOLUTION, 102, T_INT, 1, 3, 0, true},
    {CONVOLUTION, 103, T_INT, 1, 3, 0, true}, {CONVOLUTION, 104, T_INT, 1, 3, 0, true}, {CONVOLUTION, 105, T_INT, 1, 3, 0, true},
    {CONVOLUTION, 106, T_INT, 1, 1, 0, true},
    {OP_FORWARD, 702, T_DESCRIPTOR, 1, 1, CONVOLUTION, true}, {OP_FORWARD, 703, T_DESCRIPTOR, 1, 1, TENSOR, true},
    {OP_FORWARD, 704, T_DESCRIPTOR, 1, 1, TENSOR, true}, {OP_FORWARD, 705, T_DESCRIPTOR, 1, 1, TENSOR, true},
    {OP_FORWARD, 700, -1, 1, 1, 0, true}, {OP_FORWARD, 701, -1, 1, 1, 0, true},
    {OP_DATA, 708, T_DESCRIPTOR, 1, 1, CONVOLUTION, true}, {OP_DATA, 709, T_DESCRIPTOR, 1, 1, TENSOR, true},
    {OP_DATA, 710, T_DESCRIPTOR, 1, 1, TENSOR, true}, {OP_DATA, 711, T_DESCRIPTOR, 1, 1, TENSOR, true},
    {OP_DATA, 706, -1, 1, 1, 0, true}, {OP_DATA, 707, -1, 1, 1, 0, true},
    {OP_FILTER, 714, T_DESCRIPTOR, 1, 1, CONVOLUTION, true}, {OP_FILTER, 715, T_DESCRIPTOR, 1, 1, TENSOR, true},
    {OP_FILTER, 716, T_DESCRIPTOR, 1, 1, TENSOR, true}, {OP_FILTER, 717, T_DESCRIPTOR, 1, 1, TENSOR, true},
    {OP_FILTER, 712, -1, 1, 1, 0, true}, {OP_FILTER, 713, -1, 1, 1, 0, true},
    {GRAPH, 800, T_HANDLE, 1, 1, 0, true}, {GRAPH, 801, T_DESCRIPTOR, 1, 1, -1, true},
    {HEURISTICS, 200, T_HEURISTIC, 1, 1, 0, true}, {HEURISTICS, 201, T_DESCRIPTOR, 1, 1, GRAPH, true},
    {PLAN, 400, T_HANDLE, 1, 1, 0, true}, {PLAN, 401, T_DESCRIPTOR, 1, 1, CONFIG, true},
    {PACK, 1000, T_INT, 1, MOST_VALUES, 0, true}, {PACK, 1001, T_POINTER, 1, MOST_VALUES, 0, true}, {PACK, 1003, T_POINTER, 1, 1, 0, true},
};

static bool is_operation(int kind) { return kind >= OP_FORWARD && kind <= OP_DATA; }
static bool good(const descriptor *d) { return d && d->magic == MAGIC && !d->destroyed; }

static const value *find(const descriptor *d, int attribute)
{
    for (int i = 0; i < d->values; i++)
        if (d->value[i].attribute == attribute) return &d->value[i];
    return NULL;
}

static int64_t word(const descriptor *d, int attribute, int i) { return find(d, attribute)->word[i]; }
static descriptor *part(const descriptor *d, int attribute) { return (descriptor *)(intptr_t)word(d, attribute, 0); }

static void release(descriptor *d)
{
    if (!d || __atomic_sub_fetch(&d->uses, 1, __ATOMIC_SEQ_CST)) return;
    for (int i = 0; i < d->values; i++)
        if (d->value[i].type == T_DESCRIPTOR) release((descriptor *)(intptr_t)d->value[i].word[0]);
    release(d->graph);
    d->magic = 0;
    free(d);
}

static descriptor *hold(descriptor *d)
{
    __atomic_fetch_add(&d->uses, 1, __ATOMIC_SEQ_CST);
    return d;
}

static size_t size_of(int type) { return type == T_DATA || type == T_MODE || type == T_HEURISTIC || type == T_FLOAT || type == T_NOTE ? 4 : 8; }

/* Whether the value is allowed for the attribute. */
static int check_value(const rule *r, int type, int64_t item)
{
    const descriptor *d = (const descriptor *)(intptr_t)item;
    if (type == T_HANDLE && (!item || ((const handle *)(intptr_t)item)->magic != MAGIC)) return refuse(BAD_PARAM, "an attribute is set to a handle that is none");
    if (type != T_DESCRIPTOR) return SUCCESS;
    if (!good(d)) return refuse(BAD_PARAM, "an attribute is set to a descriptor that is none");
    if (!d->final) return refuse(NOT_FINALIZED, "an attribute is set to a descriptor that is not finalized");
    return d->kind == r->of || (r->of < 0 && is_operation(d->kind)) ? SUCCESS : refuse(BAD_PARAM, "an attribute is set to a descriptor of another kind");
}

ENTRY(cudnnBackendSetAttribute, descriptor *d, int attribute, int type, int64_t count, const void *values)
{
    ENTER(cudnnBackendSetAttribute);
    const rule *r = NULL;
    if (!good(d)) return refuse(BAD_PARAM, "cudnnBackendSetAttribute of no descriptor");
    if (d->final) return refuse(NOT_SUPPORTED, "an attribute of a finalized descriptor is set");
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].kind == d->kind && rules[i].attribute == attribute) r = &rules[i];
    if (!r) return refuse(NOT_SUPPORTED, "an attribute that the fake does not know, or that this descriptor has not");
    if (r->type < 0 ? type != T_FLOAT && type != T_DOUBLE : type != r->type) return refuse(ATTRIBUTE_TYPE, "an attribute is set as another type");
    if (count < r->least || count > r->most || !values) return refuse(BAD_PARAM, "an attribute is set to too few or too many values");
    if (find(d, attribute)) return refuse(BAD_PARAM, "an attribute is set twice");
    value *v = &d->value[d->values];
    *v = (value){.attribute = attribute, .type = type, .count = count};
    for (int64_t i = 0; i < count; i++) {
        int32_t small;
        const char *at = (const char *)values + (size_t)i * size_of(type);
        if (size_of(type) == 4) memcpy(&small, at, 4), v->word[i] = small;
        else memcpy(&v->word[i], at, 8);
        int status = check_value(r, type, v->word[i]);
        if (status) return status;
    }
    if (type == T_DESCRIPTOR) hold((descriptor *)(intptr_t)v->word[0]);
    d->values++;
    return SUCCESS;
}

/* ---------------------------------------------------------------- what fits together */

static int type_of(const descriptor *tensor)
{
    int64_t type = word(tensor, 901, 0);
    return type == 0 ? R_32F : type == 1 ? R_64F : type == 2 ? R_16F : type == 9 ? R_16BF : -1;
}

static size_t element_size(int type) { return type == R_64F ? 8 : type == R_32F ? 4 : 2; }

static int finalize_tensor(const descriptor *d)
{
    const value *dim = find(d, 902), *stride = find(d, 903);
    int64_t alignment = word(d, 900, 0);
    if (dim->count != stride->count) return refuse(BAD_PARAM, "a tensor with more dimensions than strides, or fewer");
    if (dim->count != 4) return refuse(NOT_SUPPORTED, "the fake knows tensors of 4 dimensions only");
    if (type_of(d) < 0) return refuse(NOT_SUPPORTED, "a data type that the fake does not know");
    for (int i = 0; i < 4; i++)
        if (dim->word[i] < 1 || stride->word[i] < 1) return refuse(BAD_PARAM, "a tensor with an empty dimension or a stride below 1");
    if (alignment < (int64_t)element_size(type_of(d)) || alignment & (alignment - 1)) return refuse(BAD_PARAM, "an alignment that is none of the type");
    return SUCCESS;
}

static int finalize_convolution(const descriptor *d)
{
    if (word(d, 106, 0) != 2) return refuse(NOT_SUPPORTED, "the fake convolves over 2 axes only");
    for (int a = 102; a <= 105; a++) {
        if (find(d, a)->count != 2) return refuse(BAD_PARAM, "an attribute of a convolution is not as long as there are axes");
        for (int i = 0; i < 2; i++)
            if (word(d, a, i) < (a <= 103)) return refuse(BAD_PARAM, "a stride or dilation below 1, or a padding below 0");
    }
    if (word(d, 101, 0) != 1) return refuse(NOT_SUPPORTED, "the fake does not turn kernels around");
    return word(d, 100, 0) == 0 || word(d, 100, 0) == 1 ? SUCCESS : refuse(NOT_SUPPORTED, "the fake computes in f32 and f64");
}

/* The parts of an operation. */
typedef struct parts { descriptor *convolution, *x, *w, *y; const value *alpha, *beta; } parts;
static parts parts_of(const descriptor *d)
{
    if (d->kind == OP_FORWARD) return (parts){part(d, 702), part(d, 704), part(d, 703), part(d, 705), find(d, 700), find(d, 701)};
    if (d->kind == OP_DATA) return (parts){part(d, 708), part(d, 710), part(d, 709), part(d, 711), find(d, 706), find(d, 707)};
    return (parts){part(d, 714), part(d, 716), part(d, 715), part(d, 717), find(d, 712), find(d, 713)};
}

static double factor(const value *v)
{
    double wide;
    float narrow;
    memcpy(&wide, &v->word[0], 8);
    memcpy(&narrow, &v->word[0], 4);
    return v->type == T_DOUBLE ? wide : (double)narrow;
}

static int finalize_operation(const descriptor *d)
{
    parts p = parts_of(d);
    const int64_t *x = find(p.x, 902)->word, *w = find(p.w, 902)->word, *y = find(p.y, 902)->word;
    bool wide = word(p.convolution, 100, 0) == 1;
    if (type_of(p.x) != type_of(p.w) || type_of(p.x) != type_of(p.y)) return refuse(NOT_SUPPORTED, "tensors of different types");
    if (wide != (type_of(p.x) == R_64F)) return refuse(NOT_SUPPORTED, "a type of computation that does not go with the tensors");
    if (p.alpha->type != (wide ? T_DOUBLE : T_FLOAT) || p.beta->type != p.alpha->type) return refuse(ATTRIBUTE_TYPE, "factors that are not of the type of the computation");
    if (factor(p.beta) != 0) return refuse(NOT_SUPPORTED, "the fake does not add to results");
    if (x[0] != y[0] || w[0] != y[1] || x[1] % w[1] || w[0] % (x[1] / w[1])) return refuse(SHAPE_MISMATCH, "batches, channels or groups that do not fit");
    for (int i = 0; i < 2; i++) {
        int64_t room = x[2 + i] + word(p.convolution, 105, i) + word(p.convolution, 104, i) - (w[2 + i] - 1) * word(p.convolution, 102, i) - 1;
        if (room < 0 || y[2 + i] != room / word(p.convolution, 103, i) + 1) return refuse(SHAPE_MISMATCH, "results of another height or width than the convolution's");
    }
    if (word(p.x, 906, 0) == word(p.w, 906, 0) || word(p.x, 906, 0) == word(p.y, 906, 0) || word(p.w, 906, 0) == word(p.y, 906, 0))
        return refuse(BAD_PARAM, "two tensors with one number");
    return SUCCESS;
}

/* ---------------------------------------------------------------- engines */

/* Notes: 0 tensor core, 1 rounds inputs, 2 rounds sums, 3 FFT, 4 unsteady, 5 to 8 Winograd. */
typedef struct engine { int treatment, notes; int note[3]; bool fallback; uint64_t workspace; bool fails; } engine;
enum { OF_RESULT = 1 }; /* OF_RESULT: workspace of the result's size, 4 bytes an element */
static const engine engines[] = {
    {SHORT_FACTORS, 2, {0, 1}, false, 0, false}, {UNSTEADY, 1, {4}, false, 0, false}, {BLURRED, 2, {5, 6}, false, 0, false},
    {BLURRED, 1, {3}, false, 0, false}, {SHORT_SUMS, 2, {0, 2}, false, 0, false}, {EXACT, 0, {0}, false, (uint64_t)1 << 40, false},
    {EXACT, 0, {0}, false, 0, true}, {EXACT, 0, {0}, false, OF_RESULT, false}, {EXACT, 0, {0}, true, 0, false}};
enum { ENGINES = sizeof engines / sizeof *engines };

static bool offered(int i)
{
    const char *list = getenv("FAKECUDA_CUDNN_ENGINES");
    return !list || strchr(list, '0' + i);
}

static bool serves(const descriptor *heuristics, int i) { return offered(i) && engines[i].fallback == (word(heuristics, 200, 0) == 2); }
static descriptor *operation_of(const descriptor *d) { return part(d->graph, 801); }
static parts tensors_of(const descriptor *d) { return parts_of(operation_of(d)); }

static descriptor *result_of(const descriptor *d)
{
    parts p = tensors_of(d);
    int kind = operation_of(d)->kind;
    return kind == OP_FORWARD ? p.y : kind == OP_DATA ? p.x : p.w;
}

/* Tensor cores round f32 only. */
static int treatment_of(const descriptor *d)
{
    const engine *e = &engines[d->engine];
    return e->treatment == SHORT_FACTORS && type_of(result_of(d)) != R_32F ? EXACT : e->treatment;
}

static int64_t workspace_of(const descriptor *d)
{
    const int64_t *dim = find(result_of(d), 902)->word;
    uint64_t bytes = engines[d->engine].workspace;
    return bytes == OF_RESULT ? 4 * dim[0] * dim[1] * dim[2] * dim[3] : (int64_t)bytes;
}

/* Fills a descriptor that the caller created with the library's answer. */
static int fill(descriptor *d, int kind, descriptor *graph, int which)
{
    if (!good(d) || d->kind != kind) return refuse(BAD_PARAM, "an answer into a descriptor that is none or of another kind");
    if (d->final) return refuse(BAD_PARAM, "an answer into a descriptor that has one");
    d->graph = hold(graph);
    d->engine = which;
    d->final = true;
    return SUCCESS;
}

static int give_results(const descriptor *d, int64_t room, int64_t *count, descriptor **out)
{
    int64_t n = 0;
    for (int i = 0; i < ENGINES; i++) {
        if (!serves(d, i)) continue;
        if (room && n == room) break;
        int status = room ? fill(out[n], CONFIG, d->graph, i) : SUCCESS;
        if (status) return status;
        n++;
    }
    *count = n;
    return SUCCESS;
}

static int give_notes(const descriptor *d, int64_t room, int64_t *count, int *out)
{
    const engine *e = &engines[d->engine];
    bool narrow = type_of(result_of(d)) == R_32F;
    *count = 0;
    for (int i = 0; i < e->notes; i++) {
        if (e->treatment == SHORT_FACTORS && !narrow && e->note[i] == 1) continue;
        if (*count < room) out[*count] = e->note[i];
        ++*count;
    }
    return SUCCESS;
}

ENTRY(cudnnBackendGetAttribute, descriptor *d, int attribute, int type, int64_t room, int64_t *count, void *out)
{
    ENTER(cudnnBackendGetAttribute);
    if (!good(d)) return refuse(BAD_PARAM, "cudnnBackendGetAttribute of no descriptor");
    if (!d->final) return refuse(NOT_FINALIZED, "an attribute of a descriptor that is not finalized is read");
    if (!count || (room && !out)) return refuse(NULL_POINTER, "an attribute is read to nowhere");
    if (d->kind == HEURISTICS && attribute == 202 && type == T_DESCRIPTOR) return give_results(d, room, count, out);
    if (d->kind == ENGINE && attribute == 1303 && type == T_NOTE) return give_notes(d, room, count, out);
    if (d->kind == CONFIG && attribute == 300 && type == T_DESCRIPTOR && room == 1) return *count = 1, fill(*(descriptor **)out, ENGINE, d->graph, d->engine);
    if (d->kind == PLAN && attribute == 402 && type == T_INT && room == 1) return *count = 1, *(int64_t *)out = workspace_of(d), SUCCESS;
    return refuse(ATTRIBUTE_TYPE, "an attribute is read that the fake does not know, or as another type");
}

/* ---------------------------------------------------------------- descriptors */

ENTRY(cudnnBackendCreateDescriptor, int kind, descriptor **out)
{
    ENTER(cudnnBackendCreateDescriptor);
    bool known = (kind >= CONVOLUTION && kind <= PLAN) || is_operation(kind) || (kind >= GRAPH && kind < KINDS);
    if (!known) return refuse(NOT_SUPPORTED, "a descriptor that the fake does not know");
    if (!(*out = calloc(1, sizeof **out))) return NO_HOST_MEMORY;
    **out = (descriptor){.magic = MAGIC, .kind = kind, .uses = 1};
    __atomic_fetch_add(&living, 1, __ATOMIC_SEQ_CST);
    return SUCCESS;
}

ENTRY(cudnnBackendDestroyDescriptor, descriptor *d)
{
    ENTER(cudnnBackendDestroyDescriptor);
    if (!good(d)) return refuse(BAD_PARAM, "cudnnBackendDestroyDescriptor of none");
    d->destroyed = true;
    __atomic_fetch_sub(&living, 1, __ATOMIC_SEQ_CST);
    release(d);
    return SUCCESS;
}

static int enter_handle(handle *h)
{
    if (!h || h->magic != MAGIC) return refuse(BAD_PARAM, "a handle that is none");
    return __atomic_exchange_n(&h->busy, 1, __ATOMIC_SEQ_CST) ? refuse(BAD_PARAM, "a handle is used by two threads at once") : SUCCESS;
}

static void leave_handle(handle *h) { __atomic_store_n(&h->busy, 0, __ATOMIC_SEQ_CST); }

static int finalize_kind(descriptor *d)
{
    switch (d->kind) {
    case TENSOR: return finalize_tensor(d);
    case CONVOLUTION: return finalize_convolution(d);
    case OP_FORWARD: case OP_FILTER: case OP_DATA: return finalize_operation(d);
    case HEURISTICS: d->graph = hold(part(d, 201)); return SUCCESS;
    case PLAN:
        d->engine = part(d, 401)->engine;
        d->graph = hold(part(d, 401)->graph);
        if (word(d->graph, 800, 0) != word(d, 400, 0)) return refuse(BAD_PARAM, "a plan for another handle than its graph's");
        return engines[d->engine].fails ? NOT_SUPPORTED : SUCCESS;
    case PACK: return find(d, 1000)->count == find(d, 1001)->count ? SUCCESS : refuse(BAD_PARAM, "a pack with more numbers than addresses, or fewer");
    default: return SUCCESS;
    }
}

ENTRY(cudnnBackendFinalize, descriptor *d)
{
    ENTER(cudnnBackendFinalize);
    handle *h = NULL;
    if (!good(d)) return refuse(BAD_PARAM, "cudnnBackendFinalize of no descriptor");
    if (d->final) return refuse(BAD_PARAM, "a descriptor is finalized twice");
    if (d->kind == ENGINE || d->kind == CONFIG) return refuse(NOT_SUPPORTED, "the fake makes engines and configurations only itself");
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].kind == d->kind && rules[i].must && !find(d, rules[i].attribute)) return refuse(BAD_PARAM, "a descriptor is finalized without all of its attributes");
    if (d->kind == PLAN) h = (handle *)(intptr_t)word(d, 400, 0);
    if (h && enter_handle(h)) return BAD_PARAM;
    int status = finalize_kind(d);
    if (h) leave_handle(h);
    d->final = !status;
    return status;
}

/* ---------------------------------------------------------------- the library and its handles */

FAKE_API size_t cudnnGetVersion(void);
FAKE_API size_t cudnnGetVersion(void)
{
    const char *text = getenv("FAKECUDA_CUDNN");
    fakecuda_enter("cudnnGetVersion");
    return text && *text ? (size_t)atol(text) : 90100;
}

FAKE_API const char *cudnnGetErrorString(int status);
FAKE_API const char *cudnnGetErrorString(int status)
{
    static const struct { int status; const char *name; } names[] = {
        {SUCCESS, "CUDNN_STATUS_SUCCESS"}, {1001, "CUDNN_STATUS_NOT_INITIALIZED"}, {BAD_PARAM, "CUDNN_STATUS_BAD_PARAM"}, {NOT_SUPPORTED, "CUDNN_STATUS_NOT_SUPPORTED"},
        {4000, "CUDNN_STATUS_INTERNAL_ERROR"}, {NO_HOST_MEMORY, "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED"},
        {NO_DEVICE_MEMORY, "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"}, {EXECUTION_FAILED, "CUDNN_STATUS_EXECUTION_FAILED"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].status == status) return names[i].name;
    return "CUDNN_STATUS of another kind";
}

FAKE_API size_t cudnnGetCudartVersion(void);
FAKE_API size_t cudnnGetCudartVersion(void)
{
    const char *text = getenv("FAKECUDA_CUDNN_CUDA");
    return text && *text ? (size_t)atol(text) : 0;
}

static void exchange_kept(handle *from, handle *to)
{
    for (int i = 0; i < MOST_HANDLES; i++) {
        handle *there = from;
        if (__atomic_compare_exchange_n(&kept[i], &there, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return;
    }
}

ENTRY(cudnnCreate, handle **h)
{
    ENTER(cudnnCreate);
    if (!fakecuda_current()) return refuse(1001, "cudnnCreate without a current context");
    if (!(*h = calloc(1, sizeof **h))) return NO_HOST_MEMORY;
    (*h)->magic = MAGIC;
    exchange_kept(NULL, *h);
    __atomic_fetch_add(&handles, 1, __ATOMIC_SEQ_CST);
    return SUCCESS;
}

ENTRY(cudnnDestroy, handle *h)
{
    ENTER(cudnnDestroy);
    if (enter_handle(h)) return BAD_PARAM;
    if (!__atomic_sub_fetch(&handles, 1, __ATOMIC_SEQ_CST) && living) fakecuda_violation("leak: the last cudnnDestroy with %d descriptors left", living);
    h->magic = 0;
    exchange_kept(h, NULL);
    free(h);
    return SUCCESS;
}

ENTRY(cudnnSetStream, handle *h, void *stream)
{
    ENTER(cudnnSetStream);
    if (enter_handle(h)) return BAD_PARAM;
    h->stream = stream;
    h->streamed = true;
    leave_handle(h);
    return SUCCESS;
}

/* ---------------------------------------------------------------- executing */

static planes planes_of(const descriptor *tensor, char *at)
{
    planes p = {.type = type_of(tensor), .at = at};
    memcpy(p.dim, find(tensor, 902)->word, sizeof p.dim);
    memcpy(p.stride, find(tensor, 903)->word, sizeof p.stride);
    return p;
}

static uint64_t span_of(const planes *p)
{
    int64_t last = 0;
    for (int i = 0; i < 4; i++) last += (p->dim[i] - 1) * p->stride[i];
    return (uint64_t)(last + 1) * element_size(p->type);
}

/* The address of a tensor in a variant pack; must have the declared alignment. */
static int address_of(const descriptor *pack, const descriptor *tensor, char **at)
{
    const value *number = find(pack, 1000), *address = find(pack, 1001);
    int found = 0;
    for (int64_t i = 0; i < number->count; i++)
        if (number->word[i] == word(tensor, 906, 0)) *at = (char *)(intptr_t)address->word[i], found++;
    if (found != 1 || !*at) return refuse(BAD_PARAM, "a pack in which a tensor is missing or comes twice");
    return (uintptr_t)*at % (uintptr_t)word(tensor, 900, 0) ? refuse(MISALIGNED, "an address that is less aligned than its tensor was said to be") : SUCCESS;
}

static int describe(const descriptor *plan, const descriptor *pack, convolution *c)
{
    const descriptor *op = operation_of(plan);
    parts p = parts_of(op);
    char *at[3];
    int status = address_of(pack, p.x, &at[0]);
    if (!status) status = address_of(pack, p.w, &at[1]);
    if (!status) status = address_of(pack, p.y, &at[2]);
    if (status) return status;
    if (find(pack, 1000)->count != 3) return refuse(BAD_PARAM, "a pack with tensors that the plan does not know");
    *c = (convolution){.kind = op->kind - OP_FORWARD, .treatment = treatment_of(plan), .wide = word(p.convolution, 100, 0) == 1, .x = planes_of(p.x, at[0]),
                       .w = planes_of(p.w, at[1]), .y = planes_of(p.y, at[2]), .alpha = factor(p.alpha), .bytes = (uint64_t)workspace_of(plan),
                       .workspace = (char *)(intptr_t)word(pack, 1003, 0)};
    for (int i = 0; i < 2; i++) {
        c->step[i] = word(p.convolution, 103, i);
        c->before[i] = word(p.convolution, 105, i);
        c->dilation[i] = word(p.convolution, 102, i);
    }
    if (c->bytes && !c->workspace) return refuse(BAD_PARAM, "a plan that wants a workspace gets none");
    return (uintptr_t)c->workspace % 256 ? refuse(MISALIGNED, "a workspace that is not aligned to 256 bytes") : SUCCESS;
}

static int execute(handle *h, const descriptor *plan, const descriptor *pack)
{
    if (!good(plan) || !good(pack) || plan->kind != PLAN || pack->kind != PACK) return refuse(BAD_PARAM, "cudnnBackendExecute of something else than a plan and a pack");
    if (!plan->final || !pack->final) return refuse(NOT_FINALIZED, "cudnnBackendExecute of what is not finalized");
    if (word(plan, 400, 0) != (int64_t)(intptr_t)h) return refuse(BAD_PARAM, "a plan is executed with another handle than its own");
    if (!h->streamed) return refuse(BAD_PARAM, "cudnnBackendExecute with a handle that was told of no stream");
    convolution *c = calloc(1, sizeof *c);
    if (!c) return NO_HOST_MEMORY;
    int status = describe(plan, pack, c);
    const planes *all[3] = {&c->x, &c->w, &c->y}, *out = c->kind == FORWARD ? &c->y : c->kind == BACKWARD_DATA ? &c->x : &c->w;
    fakecuda_range ranges[4];
    for (int i = 0; i < 3 && !status; i++) ranges[i] = (fakecuda_range){(uintptr_t)all[i]->at, span_of(all[i]), all[i] == out};
    ranges[3] = (fakecuda_range){(uintptr_t)c->workspace, c->bytes, 1};
    int code = status ? 0 : fakecuda_call(h->stream, "cudnnBackendExecute", convolve, c, ranges, 4);
    if (status || code) free(c);
    return status ? status : code ? (code == 2 ? NO_DEVICE_MEMORY : EXECUTION_FAILED) : SUCCESS;
}

ENTRY(cudnnBackendExecute, handle *h, descriptor *plan, descriptor *pack)
{
    ENTER(cudnnBackendExecute);
    if (enter_handle(h)) return BAD_PARAM;
    int status = execute(h, plan, pack);
    leave_handle(h);
    return status;
}
