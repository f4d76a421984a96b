/* What a GPU's own libraries reach: copies inside its memory by the driver, matrix products by cuBLASLt. And our
 * workloads that are large enough for a GPU. `bench/gpu` compares them. */
#include <stdio.h>
#include <stdlib.h>

#include <situ.h>

#include "backend/cuda/cuda.h"
#include "backend/cuda/matmul.h"
#include "bench.h"

/* ---- situ's work, on the default device ------------------------------------------------------------------------------ */

enum { MILLION = 1000000 };

/* SITU_BENCH_SMALL=1: a hundredth of the rows, only to test that the benchmark runs. */
static int64_t rows(int64_t n) { return getenv("SITU_BENCH_SMALL") ? n / 100 + 1 : n; }

static situ_tensor *x, *y;

static int finish(situ_scope *scope, situ_tensor *t)
{
    situ_wait(t);
    situ_scope_close(scope);
    return -situ_failed();
}

/* Two operands, used alternately, so that no run finds its operand in the cache. */
static int keep_two(situ_shape shape)
{
    situ_scope *scope = situ_scope_open();
    x = situ_keep(situ_normal(situ_key(0), shape));
    y = situ_keep(situ_normal(situ_key(1), shape));
    situ_wait(x);
    return finish(scope, y);
}

static int prepare_rows(int64_t n) { return (void)n, keep_two(SHAPE(rows(65536), 1024)); }

#define CARD_WORK(name, expression) \
    static int name(int64_t r) \
    { \
        situ_scope *scope = situ_scope_open(); \
        situ_tensor *t = r % 2 ? x : y; \
        return finish(scope, expression); \
    }
CARD_WORK(copy, situ_copy_to(t, situ_device_of(t)))
CARD_WORK(gelu, situ_gelu(t))
CARD_WORK(softmax, situ_softmax(t))
CARD_WORK(layer_norm, situ_layer_norm(t, situ_ones(SHAPE(1024)), situ_zeros(SHAPE(1024))))
CARD_WORK(sums, situ_sum(t, .axes = AXES(-1)))
CARD_WORK(columns, situ_sum(t, .axes = AXES(0)))
CARD_WORK(transpose, situ_copy_to(situ_transpose(t), situ_device_of(t)))

/* A layer's forward pass with the operations after the product: 4096 x 1024 to 4096 x 4096. */
static situ_tensor *weight, *bias;

static int prepare_layer(int64_t n)
{
    (void)n;
    situ_scope *scope = situ_scope_open();
    weight = situ_keep(situ_normal(situ_key(2), SHAPE(rows(4096), 1024)));
    bias = situ_keep(situ_normal(situ_key(3), SHAPE(rows(4096))));
    situ_wait(weight);
    finish(scope, bias);
    return keep_two(SHAPE(rows(4096), 1024));
}
CARD_WORK(layer, situ_relu(situ_add(situ_matmul(t, situ_transpose(weight)), bias)))

static int prepare_small(int64_t n) { return (void)n, keep_two(SHAPE(1024)); }

/* A hundred kernels of a few microseconds: matrix products, which cannot be fused with each other. */
static int hundred(int64_t r)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *t = situ_reshape(r % 2 ? x : y, SHAPE(32, 32));
    for (int i = 0; i < 50; i++) t = situ_tanh(situ_matmul(t, t));
    return finish(scope, t);
}

const bench_work bench_card[] = {
    {"card-copy", "65536 x 1024 to new memory", prepare_rows, copy, 0},
    {"card-gelu", "over 65536 x 1024", prepare_rows, gelu, 0},
    {"card-softmax", "65536 rows of 1024", prepare_rows, softmax, 0},
    {"card-norm", "layer norm of 65536 rows of 1024", prepare_rows, layer_norm, 0},
    {"card-sums", "of 65536 rows of 1024", prepare_rows, sums, 0},
    {"card-columns", "sums of 1024 columns of 65536", prepare_rows, columns, 0},
    {"card-transpose", "65536 x 1024 to new memory", prepare_rows, transpose, 0},
    {"card-layer", "relu(x w + b), 4096 x 1024 to 4096 x 4096", prepare_layer, layer, 0},
    {"card-hundred", "a hundred small kernels", prepare_small, hundred, 0},
    {0},
};

/* ---- the card's own libraries ----------------------------------------------------------------------------------------- */

typedef struct card {
    const situ_cuda_api *cu;
    cu_device device;
    cu_context context;
    cu_stream stream;
} card;

static int told(const char *what, int code) { return fprintf(stderr, "run: %s failed (%d)\n", what, code), 1; }

static int open_card(card *c)
{
    char why[400] = "";
    if (!situ_cuda_count(why, sizeof why) || !(c->cu = situ_cuda_driver())) return fprintf(stderr, "run: there is no card: %s\n", why), 1;
    int code = c->cu->DeviceGet(&c->device, 0);
    if (!code) code = c->cu->DevicePrimaryCtxRetain(&c->context, c->device);
    if (!code) code = c->cu->CtxSetCurrent(c->context);
    if (!code) code = c->cu->StreamCreate(&c->stream, CU_STREAM_NON_BLOCKING);
    return code ? told("opening the card", code) : 0;
}

static void close_card(card *c)
{
    if (c->stream) c->cu->StreamDestroy(c->stream);
    if (c->context) c->cu->DevicePrimaryCtxRelease(c->device);
}

/* The shortest of some runs in seconds, with a wait after each, as in situ's benchmarks. */
static int best_of(const card *c, int (*start)(const card *c, void *self), void *self, double *seconds)
{
    int rounds = getenv("SITU_BENCH_SMALL") ? 2 : 60;
    *seconds = 1e9;
    for (int r = 0; r < rounds; r++) {
        double from = bench_clock();
        int code = start(c, self);
        if (!code) code = c->cu->StreamSynchronize(c->stream);
        if (code) return code;
        double took = bench_clock() - from;
        if (took < *seconds) *seconds = took;
    }
    return 0;
}

typedef struct copies { cu_address from, to; size_t bytes; } copies;

static int start_copy(const card *c, void *self)
{
    const copies *w = self;
    return c->cu->MemcpyDtoDAsync(w->to, w->from, w->bytes, c->stream);
}

static int measure_copy(const card *c)
{
    copies w = {.bytes = (size_t)rows(65536) * 1024 * 4};
    double seconds = 0;
    int code = c->cu->MemAlloc(&w.from, w.bytes);
    if (!code) code = c->cu->MemAlloc(&w.to, w.bytes);
    if (!code) code = c->cu->MemsetD32Async(w.from, 1, w.bytes / 4, c->stream);
    if (!code) code = best_of(c, start_copy, &w, &seconds);
    if (!code) printf("copy bytes %zu seconds %.6g\n", 2 * w.bytes, seconds);
    if (w.to) c->cu->MemFree(w.to);
    if (w.from) c->cu->MemFree(w.from);
    return code ? told("copying", code) : 0;
}

typedef struct product {
    const situ_cublaslt_api *lt;
    cublaslt handle;
    cublaslt_desc desc;
    cublaslt_layout layout;
    cublaslt_preference preference;
    cublaslt_choice choice;
    cu_address a, b, d, workspace;
    size_t room;
} product;

static int start_product(const card *c, void *self)
{
    const product *p = self;
    float one = 1, zero = 0;
#define AT(address) ((void *)(uintptr_t)(address))
    return p->lt->Matmul(p->handle, p->desc, &one, AT(p->a), p->layout, AT(p->b), p->layout, &zero, AT(p->d), p->layout, AT(p->d), p->layout, &p->choice.algorithm,
                         AT(p->workspace), p->room, c->stream);
}

static int prepare_product(const card *c, product *p, int64_t n)
{
    int fast = getenv("SITU_TF32") ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, count = 0;
    size_t bytes = (size_t)n * (size_t)n * 4;
    p->room = 32 << 20;
    int code = p->lt->Create(&p->handle);
    if (!code) code = p->lt->MatmulDescCreate(&p->desc, fast, CUDA_R_32F);
    if (!code) code = p->lt->MatrixLayoutCreate(&p->layout, CUDA_R_32F, (uint64_t)n, (uint64_t)n, n);
    if (!code) code = p->lt->MatmulPreferenceCreate(&p->preference);
    if (!code) code = p->lt->MatmulPreferenceSetAttribute(p->preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &p->room, sizeof p->room);
    cu_address *const memory[] = {&p->a, &p->b, &p->d, &p->workspace};
    for (int i = 0; i < 4 && !code; i++) code = c->cu->MemAlloc(memory[i], i < 3 ? bytes : p->room);
    if (!code) code = c->cu->MemsetD32Async(p->a, 0x3f800000, bytes / 4, c->stream);
    if (!code) code = c->cu->MemsetD32Async(p->b, 0x3f000000, bytes / 4, c->stream);
    if (!code) code = p->lt->MatmulAlgoGetHeuristic(p->handle, p->desc, p->layout, p->layout, p->layout, p->layout, p->preference, 1, &p->choice, &count);
    return !code && !count ? CUBLAS_STATUS_NOT_SUPPORTED : code;
}

static int measure_product(const card *c, int64_t n)
{
    const char *why = "";
    product p = {.lt = situ_cublaslt(&why)};
    if (!p.lt) return fprintf(stderr, "run: %s\n", why), 1;
    double seconds = 0;
    int code = prepare_product(c, &p, n);
    if (!code) code = best_of(c, start_product, &p, &seconds);
    if (!code) printf("product %lld flop %.6g seconds %.6g\n", (long long)n, 2.0 * (double)n * (double)n * (double)n, seconds);
    const cu_address memory[] = {p.a, p.b, p.d, p.workspace};
    for (int i = 0; i < 4; i++)
        if (memory[i]) c->cu->MemFree(memory[i]);
    if (p.preference) p.lt->MatmulPreferenceDestroy(p.preference);
    if (p.layout) p.lt->MatrixLayoutDestroy(p.layout);
    if (p.desc) p.lt->MatmulDescDestroy(p.desc);
    if (p.handle) p.lt->Destroy(p.handle);
    return code ? told("a product of cuBLASLt", code) : 0;
}

int bench_lab_card(const char *size)
{
    card c = {0};
    int64_t n = size ? atoll(size) : 0;
    int code = open_card(&c);
    if (!code) code = n > 0 ? measure_product(&c, n) : measure_copy(&c);
    close_card(&c);
    return code;
}
