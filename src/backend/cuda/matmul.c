/* Products by cuBLASLt, which is column-major: a row-major matrix is its transpose there, so it computes (a b)' = b'
 * a', and transposed views cost nothing.  Batches with a constant distance are one call. If b is the same for all
 * batches and the rows of a continue from one batch to the next, they are one larger product. Other batches are
 * several calls. The library is asked for an algorithm once for each alignment of addresses. */
#include "backend/cuda/matmul.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

enum { FEW_CALLS = 4, MOST_CALLS = 64, CHOICES = 4, ALIGNMENT = 256 };
static const size_t workspace_bytes = 32 << 20;
/* Below this many multiplications a library call takes less time than starting it: of 128 products of 64 x 32 x 64,
 * four in a call, each call took 5 to 6 us on an H100, and only 0.2 us of that were for multiplying. */
static const double small_call = 8e6;

/* cuBLASLt state of a device. */
typedef struct situ_cuda_matmuls {
    cublaslt handle;
    int status; /* why there is no handle */
} situ_cuda_matmuls;

enum { RESULT, A, B, BIAS, ADDRESSES };
typedef struct choice {
    int alignment[ADDRESSES];
    cublaslt_choice it;
} choice;

struct situ_cuda_matmul {
    int type, compute, scale;
    size_t element;
    bool transposed[2]; /* of a, b */
    int64_t m, n, k, leading[2], batch, batch_stride[3];
    int calls; /* outer batches: number of calls, and where each begins, in bytes */
    int64_t (*start)[3];
    situ_cuda_epilogue epilogue;
    cublaslt_desc desc;
    cublaslt_layout layout[3]; /* of result, a, b */
    situ_cuda_scratch *memory;
    size_t workspace; /* upper limit */
    int choices;
    choice choice[CHOICES];
};

/* ---- describing a call to cuBLASLt ----------------------------------------------------------------------------------------- */

static bool find_types(situ_cuda_matmul *p, situ_dtype d)
{
    bool tf32 = situ_cuda_tf32();
    static const struct {
        uint8_t dtype, type, compute, scale;
    } rows[] = {{SITU_F32, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F}, {SITU_F64, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F},
        {SITU_F16, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F}, {SITU_BF16, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F},
        {SITU_C64, CUDA_C_32F, CUBLAS_COMPUTE_32F, CUDA_C_32F}, {SITU_C128, CUDA_C_64F, CUBLAS_COMPUTE_64F, CUDA_C_64F}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].dtype != d) continue;
        p->type = rows[i].type;
        p->compute = tf32 && d == SITU_F32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : rows[i].compute;
        p->scale = rows[i].scale;
        p->element = situ_dtype_size(d);
        return true;
    }
    return false;
}

/* Finds a matrix layout: rows at a constant distance, or columns. */
static bool find_matrix(situ_cuda_matmul *p, int which, int64_t rows, int64_t columns, int64_t row, int64_t column)
{
    bool as_is = (columns == 1 || column == 1) && (rows == 1 || row >= columns);
    bool transposed = (rows == 1 || row == 1) && (columns == 1 || column >= rows);
    p->transposed[which] = !as_is;
    p->leading[which] = as_is ? (rows == 1 ? columns : row) : columns == 1 ? rows : column;
    return as_is || transposed;
}

static int outer_batches(situ_cuda_matmul *p, int dims, const int64_t *dim, int64_t (*stride)[SITU_MAX_DIMS])
{
    int64_t count = 1;
    for (int i = 0; i < dims; i++) count *= dim[i];
    if (count > MOST_CALLS) return -1;
    p->calls = (int)count;
    p->start = situ_calloc((size_t)count, sizeof *p->start);
    for (int64_t i = 0; p->start && i < count; i++) {
        int64_t left = i;
        for (int d = dims - 1; d >= 0; left /= dim[d], d--)
            for (int o = 0; o < 3; o++) p->start[i][o] += left % dim[d] * stride[o][d] * (int64_t)p->element;
    }
    return p->start ? 0 : -1;
}

/* Puts the last batch axis into the call, or into its rows. */
static bool find_batches(situ_cuda_matmul *p, const situ_call_desc *c)
{
    const situ_layout *l[3] = {&c->out, &c->in[0], &c->in[1]};
    int64_t dim[SITU_MAX_DIMS] = {0}, stride[3][SITU_MAX_DIMS] = {{0}};
    int dims = c->out.ndim - 2;
    memcpy(dim, c->out.dim, sizeof dim);
    memcpy(stride[0], c->out.stride, sizeof stride[0]);
    for (int o = 1; o < 3; o++) situ_stride_broadcast(l[o]->ndim - 2, l[o]->dim, l[o]->stride, dims, dim, stride[o]);
    dims = situ_collapse(dims, dim, 3, &stride[0][0]);
    p->batch = 1;
    if (dims && !stride[2][dims - 1] && !p->transposed[0] && stride[1][dims - 1] == p->m * p->leading[0] &&
        (p->m > 1 || p->leading[0] == p->k)) {
        p->m *= dim[--dims];
    } else if (dims && dim[dims - 1] <= INT32_MAX) {
        p->batch = dim[--dims];
        for (int o = 0; o < 3; o++) p->batch_stride[o] = stride[o][dims];
    }
    return outer_batches(p, dims, dim, stride) == 0;
}

static const char *read_call(situ_cuda_matmul *p, const situ_call_desc *c)
{
    const situ_layout *a = &c->in[0], *b = &c->in[1];
    if (c->invariant) return "cuBLASLt: not where results are batch-invariant";
    if (!find_types(p, (situ_dtype)c->out.dtype)) return "cuBLASLt: not for this dtype";
    p->m = a->dim[a->ndim - 2];
    p->k = a->dim[a->ndim - 1];
    p->n = b->dim[b->ndim - 1];
    if (!situ_shape_count(c->out.ndim, c->out.dim) || !p->k) return "cuBLASLt: not for empty products";
    if (!find_matrix(p, 0, p->m, p->k, a->stride[a->ndim - 2], a->stride[a->ndim - 1]) ||
        !find_matrix(p, 1, p->k, p->n, b->stride[b->ndim - 2], b->stride[b->ndim - 1]))
        return "cuBLASLt: an operand is strided along rows and columns";
    if (!find_batches(p, c)) return "cuBLASLt: too many batches at different distances";
    if (p->calls > FEW_CALLS && (double)p->m * (double)p->n * (double)p->k * (double)p->batch < small_call)
        return "cuBLASLt: many small batches at different distances, which one kernel does sooner";
    return NULL;
}

/* ---- descriptions --------------------------------------------------------------------------------------------------------- */

static int make_layout(const situ_cublaslt_api *lt, const situ_cuda_matmul *p, int which, uint64_t rows, uint64_t columns,
    int64_t leading, cublaslt_layout *layout)
{
    int32_t batch = (int32_t)p->batch;
    int code = lt->MatrixLayoutCreate(layout, p->type, rows, columns, leading);
    if (code || batch == 1) return code;
    code = lt->MatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch);
    return code ? code :
                  lt->MatrixLayoutSetAttribute(
                      *layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &p->batch_stride[which], sizeof(int64_t));
}

static int set_bias(const situ_cublaslt_api *lt, const situ_cuda_matmul *p, uint64_t address)
{
    const void *at = (const void *)(uintptr_t)address;
    return lt->MatmulDescSetAttribute(p->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &at, sizeof at);
}

/* The library's result is the transpose, so its bias has one element for each of our columns. The pointer is set
 * before an algorithm is chosen, since the choice depends on its alignment. */
static int describe_epilogue(const situ_cublaslt_api *lt, const situ_cuda *s, const situ_cuda_matmul *p)
{
    const int32_t kind = (p->epilogue.bias ? CUBLASLT_EPILOGUE_BIAS : 0) | (p->epilogue.relu ? CUBLASLT_EPILOGUE_RELU : 0);
    int code = kind ? lt->MatmulDescSetAttribute(p->desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &kind, sizeof kind) : 0;
    return !code && p->epilogue.bias ? set_bias(lt, p, s->fault_at) : code;
}

/* Exchanges columns and rows: the library's first operand is b, its second a. */
static int describe(const situ_cublaslt_api *lt, situ_cuda_matmul *p)
{
    const int32_t first = p->transposed[1], second = p->transposed[0];
    const uint64_t m = (uint64_t)p->m, n = (uint64_t)p->n, k = (uint64_t)p->k;
    int code = lt->MatmulDescCreate(&p->desc, p->compute, p->scale);
    if (!code) code = lt->MatmulDescSetAttribute(p->desc, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first);
    if (!code) code = lt->MatmulDescSetAttribute(p->desc, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second);
    if (!code) code = make_layout(lt, p, 0, n, m, p->n, &p->layout[0]);
    if (!code) code = make_layout(lt, p, 1, second ? m : k, second ? k : m, p->leading[0], &p->layout[1]);
    return code ? code : make_layout(lt, p, 2, first ? k : n, first ? n : k, p->leading[1], &p->layout[2]);
}

/* Partial sums, if the library makes any, stay in the compute type. The bias's alignment is that of the address in the
 * description. */
static int prefer(const situ_cublaslt_api *lt, cublaslt_preference preference, size_t workspace, const int *alignment)
{
    const uint32_t parts = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    const uint64_t most = workspace;
    const uint32_t align[4] = {
        (uint32_t)alignment[B], (uint32_t)alignment[A], (uint32_t)alignment[RESULT], (uint32_t)alignment[RESULT]};
    int code = lt->MatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most);
    if (!code)
        code = lt->MatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &parts, sizeof parts);
    for (int i = 0; i < 4 && !code; i++)
        code = lt->MatmulPreferenceSetAttribute(
            preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES + i, &align[i], sizeof align[i]);
    return code;
}

static int ask(const situ_cublaslt_api *lt, situ_cuda *s, const situ_cuda_matmul *p, size_t workspace, const int *alignment,
    cublaslt_choice *it)
{
    cublaslt_preference preference = NULL;
    int count = 0, code = lt->MatmulPreferenceCreate(&preference);
    if (code) return code;
    code = prefer(lt, preference, workspace, alignment);
    if (!code)
        code = lt->MatmulAlgoGetHeuristic(
            s->matmuls->handle, p->desc, p->layout[2], p->layout[1], p->layout[0], p->layout[0], preference, 1, it, &count);
    if (!code && !count) code = CUBLAS_STATUS_NOT_SUPPORTED;
    if (!code) code = it->state;
    lt->MatmulPreferenceDestroy(preference);
    return code;
}

/* ---- state of a device ---------------------------------------------------------------------------------------------------- */

static const char *open_share(const situ_cublaslt_api *lt, situ_cuda *s)
{
    if (!s->matmuls && !(s->matmuls = situ_calloc(1, sizeof *s->matmuls))) return "no memory";
    if (!s->matmuls->handle && !s->matmuls->status) s->matmuls->status = lt->Create(&s->matmuls->handle);
    if (!s->matmuls->status) return NULL;
    char text[128];
    snprintf(text, sizeof text, "cuBLASLt does not start: %s", situ_cublas_status(s->matmuls->status));
    const char *why = situ_site_intern(text);
    return why ? why : "cuBLASLt does not start";
}

/* Without memory for a workspace, takes algorithms that need none. */
static void find_workspace(situ_dev *d, situ_cuda_matmul *p, const situ_cublaslt_api *lt)
{
    situ_cuda *s = d->state;
    const int best[ADDRESSES] = {ALIGNMENT, ALIGNMENT, ALIGNMENT, ALIGNMENT};
    cublaslt_choice it;
    if (ask(lt, s, p, workspace_bytes, best, &it) || !it.workspace) return;
    if ((p->memory = situ_cuda_scratch_take(d, workspace_bytes))) p->workspace = workspace_bytes;
}

/* Only dtypes with f32 sums: the epilogue is applied to the f32 sum. */
static bool has_epilogues(int dtype) { return dtype == SITU_F32 || dtype == SITU_F16 || dtype == SITU_BF16; }

bool situ_cuda_takes(situ_dev *d, const situ_call_desc *c, const situ_fused *post_op)
{
    situ_cuda_matmul p = {0};
    situ_cuda_epilogue e;
    const char *why;
    (void)d;
    if (strcmp(c->op->name, "matmul") != 0 || !has_epilogues(c->out.dtype) || !situ_cuda_epilogue_of(post_op, &e) ||
        !situ_cuda_epilogue_wanted(e))
        return false;
    bool takes = situ_cublaslt(&why) && !read_call(&p, c);
    situ_free(p.start);
    return takes;
}

situ_cuda_matmul *situ_cuda_matmul_new(situ_dev *d, const situ_call_desc *c, const situ_fused *post_op, const char **refusal)
{
    situ_cuda *s = d->state;
    const situ_cublaslt_api *lt;
    if (strcmp(c->op->name, "matmul")) return *refusal = "", NULL;
    situ_cuda_matmul *p = situ_calloc(1, sizeof *p);
    const char *why = p ? read_call(p, c) : "no memory";
    if (p && post_op && !situ_cuda_epilogue_of(post_op, &p->epilogue)) why = "cuBLASLt: no such epilogue";
    if (!why && (lt = situ_cublaslt(&why))) {
        situ_mutex_lock(&s->lock);
        why = open_share(lt, s);
        situ_mutex_unlock(&s->lock);
        if (!why && (describe(lt, p) || describe_epilogue(lt, s, p))) why = "cuBLASLt does not describe it";
        const int best[ADDRESSES] = {ALIGNMENT, ALIGNMENT, ALIGNMENT, ALIGNMENT};
        cublaslt_choice it;
        if (!why) find_workspace(d, p, lt);
        if (!why && ask(lt, s, p, p->workspace, best, &it))
            why = post_op ? "cuBLASLt has no algorithm for it with what follows" : "cuBLASLt has no algorithm for it";
        if (!why) return p;
        situ_cuda_matmul_free(s, p);
    } else if (p) {
        situ_free(p->start);
        situ_free(p);
    }
    *refusal = why;
    return NULL;
}

void situ_cuda_matmul_free(situ_cuda *s, situ_cuda_matmul *p)
{
    const char *why;
    const situ_cublaslt_api *lt = situ_cublaslt(&why);
    for (int i = 0; i < 3; i++)
        if (p->layout[i]) lt->MatrixLayoutDestroy(p->layout[i]);
    if (p->desc) lt->MatmulDescDestroy(p->desc);
    situ_cuda_scratch_give(s, p->memory);
    situ_free(p->start);
    situ_free(p);
}

void situ_cuda_matmul_close(situ_cuda *s)
{
    const char *why;
    if (s->matmuls && s->matmuls->handle) situ_cublaslt(&why)->Destroy(s->matmuls->handle);
    situ_free(s->matmuls);
    s->matmuls = NULL;
}

/* ---- running -------------------------------------------------------------------------------------------------------------- */

static int failed(situ_cuda *s, int status, const char *call)
{
    char text[96];
    if (!status) return 0;
    snprintf(text, sizeof text, "%s: %s", call, situ_cublas_status(status));
    return situ_cuda_code(s, status == CUBLAS_STATUS_ALLOC_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_UNKNOWN, text);
}

static int alignment_of(uint64_t address)
{
    int n = ALIGNMENT;
    while (address & (uint64_t)(n - 1)) n /= 2;
    return n;
}

static int choose(const situ_cublaslt_api *lt, situ_cuda *s, situ_cuda_matmul *p, const uint64_t *at, const cublaslt_choice **it)
{
    int alignment[ADDRESSES];
    for (int o = 0; o < ADDRESSES; o++) alignment[o] = alignment_of(at[o]);
    for (int i = 0; i < p->choices; i++) {
        *it = &p->choice[i].it;
        if (!memcmp(p->choice[i].alignment, alignment, sizeof alignment)) return 0;
    }
    choice *c = &p->choice[p->choices < CHOICES ? p->choices : CHOICES - 1];
    int code = ask(lt, s, p, p->workspace, alignment, &c->it);
    if (code) return code;
    memcpy(c->alignment, alignment, sizeof alignment);
    if (p->choices < CHOICES) p->choices++;
    *it = &c->it;
    return 0;
}

static int start_one(const situ_cublaslt_api *lt, situ_cuda *s, situ_cuda_matmul *p, const uint64_t *at, cu_stream stream)
{
    static const float one[2] = {1, 0}, zero[2];
    static const double wide_one[2] = {1, 0}, wide_zero[2];
    bool wide = p->scale == CUDA_R_64F || p->scale == CUDA_C_64F;
    const void *alpha = wide ? (const void *)wide_one : one, *beta = wide ? (const void *)wide_zero : zero;
    const cublaslt_choice *it = NULL;
    int code = failed(s, choose(lt, s, p, at, &it), "cublasLtMatmulAlgoGetHeuristic");
    if (code) return code;
    void *result = (void *)(uintptr_t)at[0], *workspace = it->workspace ? situ_cuda_scratch_address(p->memory) : NULL;
    const void *a = (const void *)(uintptr_t)at[1], *b = (const void *)(uintptr_t)at[2];
    code = lt->Matmul(s->matmuls->handle, p->desc, alpha, b, p->layout[2], a, p->layout[1], beta, result, p->layout[0], result,
        p->layout[0], &it->algorithm, workspace, it->workspace, stream);
    return failed(s, code, "cublasLtMatmul");
}

int situ_cuda_matmul_run(situ_cuda *s, situ_cuda_matmul *p, const uint64_t *address, cu_stream stream)
{
    const char *why;
    const situ_cublaslt_api *lt = situ_cublaslt(&why);
    uint64_t at[ADDRESSES] = {0}; /* no bias: treated as aligned */
    if (p->epilogue.bias)
        at[BIAS] = address[ADDRESSES + 1]; /* after the call's addresses: the store, the result as load 0, the row
                                                              */
    int code = failed(s, p->epilogue.bias ? set_bias(lt, p, at[BIAS]) : 0, "cublasLtMatmulDescSetAttribute");
    for (int i = 0; i < p->calls && !code; i++) {
        for (int o = 0; o < BIAS; o++) at[o] = address[o] + (uint64_t)p->start[i][o];
        code = start_one(lt, s, p, at, stream);
    }
    return code;
}
