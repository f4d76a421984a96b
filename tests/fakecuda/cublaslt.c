/* A fake cuBLASLt: checks its arguments and computes plainly, in stream order, from the last product to the first, so
 * that tests do not rely on an order of sums. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fakecuda.h"
#include "numbers.h"

#define FAKE_API __attribute__((visibility("default")))
enum { SUCCESS = 0, ALLOC_FAILED = 3, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };
enum { COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_TF32 = 77 };
enum { EPILOGUE_DEFAULT = 1, EPILOGUE_RELU = 2, EPILOGUE_BIAS = 4 };
enum { DESCRIPTIONS = 4, MAGIC = 0x1b1a5 };

typedef struct handle { int magic; } handle;
typedef struct desc { int magic, compute, scale; int32_t transposed[2], epilogue; uint64_t bias; } desc;
typedef struct layout { int magic, type; uint64_t rows, columns; int64_t leading; int32_t batch; int64_t stride; } layout;
typedef struct preference { int magic; uint64_t workspace; uint32_t parts, alignment[4]; } preference;
/* What the heuristic promised, for which problem. */
typedef struct algorithm { uint64_t promise, workspace, alignment, bias, unused[4]; } algorithm;
typedef struct choice { algorithm it; size_t workspace; int state; float waves; int reserved[4]; } choice;

static int living; /* descriptors created and not yet destroyed */

#define ENTER(name)                           \
    do {                                      \
        int injected = fakecuda_enter(#name); \
        if (injected) return injected;        \
    } while (0)

static int refuse(int status, const char *what)
{
    fakecuda_violation("cublaslt: %s", what);
    return status;
}

/* ---------------------------------------------------------------- descriptions */

FAKE_API size_t cublasLtGetVersion(void);
FAKE_API size_t cublasLtGetVersion(void)
{
    const char *text = getenv("FAKECUDA_CUBLASLT");
    fakecuda_enter("cublasLtGetVersion");
    return text && *text ? (size_t)atol(text) : 120405;
}

FAKE_API int cublasLtCreate(handle **h);
FAKE_API int cublasLtCreate(handle **h)
{
    ENTER(cublasLtCreate);
    if (!fakecuda_current()) return refuse(1, "cublasLtCreate without a current context");
    *h = calloc(1, sizeof **h);
    if (!*h) return ALLOC_FAILED;
    (*h)->magic = MAGIC;
    return SUCCESS;
}

FAKE_API int cublasLtDestroy(handle *h);
FAKE_API int cublasLtDestroy(handle *h)
{
    ENTER(cublasLtDestroy);
    if (!h || h->magic != MAGIC) return refuse(INVALID_VALUE, "cublasLtDestroy of no handle");
    if (living) fakecuda_violation("leak: cublasLtDestroy with %d descriptions left", living);
    h->magic = 0;
    free(h);
    return SUCCESS;
}

#define MAKE(p)                                    \
    *(p) = calloc(1, sizeof **(p));                \
    if (!*(p)) return ALLOC_FAILED;                \
    (*(p))->magic = MAGIC;                         \
    __atomic_fetch_add(&living, 1, __ATOMIC_SEQ_CST)

#define DESTROY(name, type)                                                              \
    FAKE_API int name(type *p);                                                          \
    FAKE_API int name(type *p)                                                           \
    {                                                                                    \
        ENTER(name);                                                                     \
        if (!p || p->magic != MAGIC) return refuse(INVALID_VALUE, #name " of nothing");  \
        __atomic_fetch_sub(&living, 1, __ATOMIC_SEQ_CST);                                \
        p->magic = 0;                                                                    \
        free(p);                                                                         \
        return SUCCESS;                                                                  \
    }
DESTROY(cublasLtMatmulDescDestroy, desc)
DESTROY(cublasLtMatrixLayoutDestroy, layout)
DESTROY(cublasLtMatmulPreferenceDestroy, preference)

FAKE_API int cublasLtMatmulDescCreate(desc **p, int compute, int scale);
FAKE_API int cublasLtMatmulDescCreate(desc **p, int compute, int scale)
{
    ENTER(cublasLtMatmulDescCreate);
    MAKE(p);
    (*p)->compute = compute;
    (*p)->scale = scale;
    (*p)->epilogue = EPILOGUE_DEFAULT;
    return SUCCESS;
}

FAKE_API int cublasLtMatrixLayoutCreate(layout **p, int type, uint64_t rows, uint64_t columns, int64_t leading);
FAKE_API int cublasLtMatrixLayoutCreate(layout **p, int type, uint64_t rows, uint64_t columns, int64_t leading)
{
    ENTER(cublasLtMatrixLayoutCreate);
    MAKE(p);
    (*p)->type = type;
    (*p)->rows = rows;
    (*p)->columns = columns;
    (*p)->leading = leading;
    (*p)->batch = 1;
    return SUCCESS;
}

FAKE_API int cublasLtMatmulPreferenceCreate(preference **p);
FAKE_API int cublasLtMatmulPreferenceCreate(preference **p)
{
    ENTER(cublasLtMatmulPreferenceCreate);
    MAKE(p);
    for (int i = 0; i < 4; i++) (*p)->alignment[i] = 256;
    (*p)->parts = 0xffffffffu;
    return SUCCESS;
}

typedef struct slot { int attribute; void *to; size_t size; } slot;

/* The size must be the attribute's. */
static int set(const slot *slots, int count, int attribute, const void *value, size_t size)
{
    for (int i = 0; i < count; i++) {
        if (slots[i].attribute != attribute) continue;
        if (!value || size != slots[i].size) return refuse(INVALID_VALUE, "an attribute is set with the wrong size");
        memcpy(slots[i].to, value, size);
        return SUCCESS;
    }
    return refuse(INVALID_VALUE, "an attribute that the fake does not know");
}

FAKE_API int cublasLtMatmulDescSetAttribute(desc *p, int attribute, const void *value, size_t size);
FAKE_API int cublasLtMatmulDescSetAttribute(desc *p, int attribute, const void *value, size_t size)
{
    ENTER(cublasLtMatmulDescSetAttribute);
    const slot slots[] = {{3, &p->transposed[0], 4}, {4, &p->transposed[1], 4}, {7, &p->epilogue, 4}, {8, &p->bias, 8}};
    return set(slots, 4, attribute, value, size);
}

FAKE_API int cublasLtMatrixLayoutSetAttribute(layout *p, int attribute, const void *value, size_t size);
FAKE_API int cublasLtMatrixLayoutSetAttribute(layout *p, int attribute, const void *value, size_t size)
{
    ENTER(cublasLtMatrixLayoutSetAttribute);
    const slot slots[] = {{5, &p->batch, 4}, {6, &p->stride, 8}};
    return set(slots, 2, attribute, value, size);
}

FAKE_API int cublasLtMatmulPreferenceSetAttribute(preference *p, int attribute, const void *value, size_t size);
FAKE_API int cublasLtMatmulPreferenceSetAttribute(preference *p, int attribute, const void *value, size_t size)
{
    ENTER(cublasLtMatmulPreferenceSetAttribute);
    const slot slots[] = {{1, &p->workspace, 8}, {3, &p->parts, 4}, {5, &p->alignment[0], 4}, {6, &p->alignment[1], 4}, {7, &p->alignment[2], 4}, {8, &p->alignment[3], 4}};
    return set(slots, 6, attribute, value, size);
}

/* ---------------------------------------------------------------- checks */

static size_t size_of(int type)
{
    switch (type) {
    case R_16F: case R_16BF: return 2;
    case R_32F: return 4;
    case R_64F: case C_32F: return 8;
    case C_64F: return 16;
    default: return 0;
    }
}

static bool types_fit(const desc *o, const layout *const *l)
{
    static const int rows[][3] = {{COMPUTE_32F, R_32F, R_32F}, {COMPUTE_32F, R_32F, R_16F}, {COMPUTE_32F, R_32F, R_16BF}, {COMPUTE_32F, C_32F, C_32F},
                                  {COMPUTE_TF32, R_32F, R_32F}, {COMPUTE_TF32, C_32F, C_32F}, {COMPUTE_64F, R_64F, R_64F}, {COMPUTE_64F, C_64F, C_64F}};
    for (int i = 1; i < 4; i++)
        if (l[i]->type != l[0]->type) return false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i][0] == o->compute && rows[i][1] == o->scale && rows[i][2] == l[0]->type) return true;
    return false;
}

/* Epilogues need sums in f32. The bias has d's type and as many elements as d has rows. */
static int check_epilogue(const desc *o, const layout *const *l)
{
    if (o->epilogue == EPILOGUE_DEFAULT) return SUCCESS;
    if (o->epilogue & ~(EPILOGUE_RELU | EPILOGUE_BIAS) || !o->epilogue) return refuse(NOT_SUPPORTED, "an epilogue that the fake does not know");
    if (l[3]->type != R_32F && l[3]->type != R_16F && l[3]->type != R_16BF) return refuse(NOT_SUPPORTED, "an epilogue of a type that has none");
    if (o->epilogue & EPILOGUE_BIAS && !o->bias) return refuse(INVALID_VALUE, "an epilogue with a bias that is nowhere");
    return o->bias % size_of(l[3]->type) ? refuse(INVALID_VALUE, "a bias that is not aligned to its type") : SUCCESS;
}

/* a, b, c, d */
static int check(const desc *o, const layout *const *l)
{
    if (!o || o->magic != MAGIC) return refuse(INVALID_VALUE, "a product without a description");
    for (int i = 0; i < 4; i++) {
        if (!l[i] || l[i]->magic != MAGIC) return refuse(INVALID_VALUE, "a product with a layout that is none");
        if (l[i]->leading < (int64_t)l[i]->rows) return refuse(INVALID_VALUE, "a leading dimension that is less than the rows");
        if (!l[i]->rows || !l[i]->columns || l[i]->batch < 1) return refuse(INVALID_VALUE, "an empty matrix");
        if (l[i]->batch != l[3]->batch) return refuse(INVALID_VALUE, "batches of different numbers");
    }
    uint64_t m = o->transposed[0] ? l[0]->columns : l[0]->rows, k = o->transposed[0] ? l[0]->rows : l[0]->columns;
    uint64_t n = o->transposed[1] ? l[1]->rows : l[1]->columns, k2 = o->transposed[1] ? l[1]->columns : l[1]->rows;
    if (k != k2 || l[2]->rows != m || l[2]->columns != n || l[3]->rows != m || l[3]->columns != n)
        return refuse(INVALID_VALUE, "matrices whose shapes do not fit");
    if (l[3]->batch > 1 && l[3]->stride < (int64_t)((n - 1) * (uint64_t)l[3]->leading + m)) return refuse(INVALID_VALUE, "results of a batch that overlap");
    if (o->transposed[0] > 1 || o->transposed[1] > 1) return refuse(NOT_SUPPORTED, "an operation that the fake does not know");
    return types_fit(o, l) ? check_epilogue(o, l) : refuse(NOT_SUPPORTED, "types that do not go together");
}

static uint64_t mix(uint64_t h, uint64_t x) { return (h ^ x) * 0x9e3779b97f4a7c15u ^ h >> 31; }

static uint64_t fingerprint(const desc *o, const layout *const *l)
{
    uint64_t h = mix(mix((uint64_t)o->compute, (uint64_t)o->scale), (uint64_t)(4 * o->epilogue + 2 * o->transposed[0] + o->transposed[1]));
    for (int i = 0; i < 4; i++)
        h = mix(mix(mix(mix(mix(h, l[i]->rows), l[i]->columns), (uint64_t)l[i]->leading), (uint64_t)l[i]->batch), (uint64_t)l[i]->stride);
    return h;
}

/* Workspace of an algorithm for long sums: a copy of the results. */
static uint64_t wanted(const desc *o, const layout *const *l)
{
    uint64_t k = o->transposed[0] ? l[0]->rows : l[0]->columns, results = l[3]->rows * l[3]->columns * (uint64_t)l[3]->batch;
    return k >= 64 && results <= 65536 ? results * 16 : 0;
}

static uint64_t alignment_of(uint64_t address)
{
    uint64_t lowest = address & -address;
    return lowest && lowest < 256 ? lowest : 256;
}

static uint64_t pack(const uint32_t *alignment)
{
    uint64_t all = 0;
    for (int i = 0; i < 4; i++) all |= (uint64_t)alignment[i] << 16 * i;
    return all;
}

FAKE_API int cublasLtMatmulAlgoGetHeuristic(handle *h, desc *o, layout *a, layout *b, layout *c, layout *d, preference *p, int most, choice *choices, int *count);
FAKE_API int cublasLtMatmulAlgoGetHeuristic(handle *h, desc *o, layout *a, layout *b, layout *c, layout *d, preference *p, int most, choice *choices, int *count)
{
    ENTER(cublasLtMatmulAlgoGetHeuristic);
    const layout *l[4] = {a, b, c, d};
    *count = 0;
    if (!h || h->magic != MAGIC || !p || p->magic != MAGIC || most < 1) return refuse(INVALID_VALUE, "cublasLtMatmulAlgoGetHeuristic with a handle or a preference that is none");
    int status = check(o, l);
    if (status) return status;
    memset(choices, 0, sizeof *choices);
    uint64_t need = wanted(o, l);
    choices->workspace = need <= p->workspace ? (size_t)need : 0;
    choices->it = (algorithm){.promise = fingerprint(o, l), .workspace = choices->workspace, .alignment = pack(p->alignment), .bias = alignment_of(o->bias)};
    choices->waves = 1;
    *count = 1;
    return SUCCESS;
}

/* ---------------------------------------------------------------- computing */

typedef struct product { desc o; layout l[4]; const char *a, *b; char *d, *workspace; uint64_t bytes; double alpha[2], beta[2]; const char *c; } product;

/* TF32 keeps 10 bits of a factor. */
static void shorten(double *x)
{
    for (int i = 0; i < 2; i++) {
        float f = (float)x[i];
        uint32_t bits;
        memcpy(&bits, &f, 4);
        bits = (bits + 0x1000) & ~0x1fffu;
        memcpy(&f, &bits, 4);
        x[i] = (double)f;
    }
}

/* In f32. max(x, 0) of NaN is unspecified: here it is 0. */
static void finish(const product *p, int64_t row, double *x)
{
    double bias[2] = {0, 0};
    if (p->o.epilogue & EPILOGUE_BIAS) {
        load(bias, (const char *)(uintptr_t)p->o.bias, p->l[3].type, row);
        x[0] = (double)((float)x[0] + (float)bias[0]);
    }
    if (p->o.epilogue & EPILOGUE_RELU) x[0] = x[0] > 0 ? x[0] : 0;
}

static void one_result(const product *p, int64_t batch, int64_t i, int64_t j)
{
    const layout *a = &p->l[0], *b = &p->l[1], *d = &p->l[3];
    int64_t k = (int64_t)(p->o.transposed[0] ? a->rows : a->columns);
    bool single = p->o.compute != COMPUTE_64F;
    double sum[2] = {0, 0}, x[2], y[2];
    for (int64_t q = k - 1; q >= 0; q--) {
        load(x, p->a, a->type, batch * a->stride + (p->o.transposed[0] ? q + i * a->leading : i + q * a->leading));
        load(y, p->b, b->type, batch * b->stride + (p->o.transposed[1] ? j + q * b->leading : q + j * b->leading));
        if (p->o.compute == COMPUTE_TF32) shorten(x), shorten(y);
        double re = sum[0] + (x[0] * y[0] - x[1] * y[1]), im = sum[1] + (x[0] * y[1] + x[1] * y[0]);
        sum[0] = single ? (double)(float)re : re;
        sum[1] = single ? (double)(float)im : im;
    }
    double scaled[2] = {p->alpha[0] * sum[0] - p->alpha[1] * sum[1], p->alpha[0] * sum[1] + p->alpha[1] * sum[0]};
    if (p->beta[0] != 0 || p->beta[1] != 0) {
        load(x, p->c, p->l[2].type, batch * p->l[2].stride + i + j * p->l[2].leading);
        scaled[0] += p->beta[0] * x[0] - p->beta[1] * x[1];
        scaled[1] += p->beta[0] * x[1] + p->beta[1] * x[0];
    }
    if (p->o.epilogue != EPILOGUE_DEFAULT) finish(p, i, scaled);
    store(p->d, d->type, batch * d->stride + i + j * d->leading, scaled);
}

static void compute(void *user)
{
    const product *p = user;
    if (p->bytes) memset(p->workspace, 0xa5, p->bytes);
    for (int64_t batch = 0; batch < p->l[3].batch; batch++)
        for (int64_t j = 0; j < (int64_t)p->l[3].columns; j++)
            for (int64_t i = 0; i < (int64_t)p->l[3].rows; i++) one_result(p, batch, i, j);
}

/* Starts a second, empty kernel. */
static void prepare(void *user) { (void)user; }

static void read_factor(double *x, const void *p, int type)
{
    x[0] = type == R_64F || type == C_64F ? ((const double *)p)[0] : (double)((const float *)p)[0];
    x[1] = type == C_64F ? ((const double *)p)[1] : type == C_32F ? (double)((const float *)p)[1] : 0;
}

static uint64_t span_of(const layout *l)
{
    return ((uint64_t)(l->batch - 1) * (uint64_t)l->stride + (l->columns - 1) * (uint64_t)l->leading + l->rows) * size_of(l->type);
}

/* Whether the call keeps what was announced to the heuristic. */
static int check_promise(const desc *o, const layout *const *l, const void *const *at, const algorithm *it, const void *workspace, size_t bytes)
{
    if (!it) return SUCCESS;
    if (it->promise != fingerprint(o, l)) return refuse(INVALID_VALUE, "an algorithm that was chosen for another product");
    if (bytes < it->workspace || (it->workspace && !workspace)) return refuse(INVALID_VALUE, "less workspace than the algorithm needs");
    if ((uintptr_t)workspace % 256) return refuse(INVALID_VALUE, "a workspace that is not aligned to 256 bytes");
    for (int i = 0; i < 4; i++)
        if ((uintptr_t)at[i] % (it->alignment >> 16 * i & 0xffff)) return refuse(INVALID_VALUE, "a matrix that is less aligned than the heuristic was told");
    if (o->epilogue != EPILOGUE_DEFAULT && o->bias % it->bias) return refuse(INVALID_VALUE, "a bias that is less aligned than the one that the heuristic saw");
    return SUCCESS;
}

FAKE_API int cublasLtMatmul(handle *h, desc *o, const void *alpha, const void *a, layout *la, const void *b, layout *lb, const void *beta, const void *c,
                            layout *lc, void *d, layout *ld, const algorithm *it, void *workspace, size_t bytes, void *stream);
FAKE_API int cublasLtMatmul(handle *h, desc *o, const void *alpha, const void *a, layout *la, const void *b, layout *lb, const void *beta, const void *c,
                            layout *lc, void *d, layout *ld, const algorithm *it, void *workspace, size_t bytes, void *stream)
{
    ENTER(cublasLtMatmul);
    const layout *l[4] = {la, lb, lc, ld};
    const void *at[4] = {a, b, c, d};
    if (!h || h->magic != MAGIC) return refuse(INVALID_VALUE, "cublasLtMatmul without a handle");
    int status = check(o, l);
    if (!status) status = check_promise(o, l, at, it, workspace, bytes);
    if (status) return status;
    product *p = calloc(1, sizeof *p);
    if (!p) return ALLOC_FAILED;
    *p = (product){.o = *o, .l = {*la, *lb, *lc, *ld}, .a = a, .b = b, .c = c, .d = d, .workspace = workspace, .bytes = it ? it->workspace : 0};
    read_factor(p->alpha, alpha, o->scale);
    read_factor(p->beta, beta, o->scale);
    const fakecuda_range ranges[] = {{(uintptr_t)d, span_of(ld), 1}, {(uintptr_t)a, span_of(la), 0}, {(uintptr_t)b, span_of(lb), 0},
                                     {(uintptr_t)c, p->beta[0] != 0 ? span_of(lc) : 0, 0}, {(uintptr_t)workspace, p->bytes, 1},
                                     {(uintptr_t)o->bias, o->epilogue != EPILOGUE_DEFAULT && o->epilogue & EPILOGUE_BIAS ? ld->rows * size_of(ld->type) : 0, 0}};
    /* an algorithm for badly aligned matrices starts two kernels */
    bool two = it && ((it->alignment | it->alignment >> 16 | it->alignment >> 32 | it->alignment >> 48) & 15) != 0;
    int code = two ? fakecuda_call(stream, "cublasLtMatmul", prepare, NULL, ranges, 0) : 0;
    if (!code) code = fakecuda_call(stream, "cublasLtMatmul", compute, p, ranges, 6);
    if (!code) return SUCCESS;
    free(p);
    return code == 2 ? ALLOC_FAILED : 13;
}
