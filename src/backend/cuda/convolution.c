/* Convolutions by cuDNN: a call becomes an operation of its graph API, which becomes an execution plan; a launch runs
 * that plan with addresses. Tensors are [n, channels, height, width], row-major; cuDNN finds the number of groups from
 * the channels of the kernel. */
#include "backend/cuda/convolution.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "op/conv.h"
#include "os/fp.h"
#include "tensor/shape.h"

enum { TENSORS = 3, ALIGNMENT = 16 };
static const size_t most_workspace = 256 << 20;

/* cuDNN state of a device. All calls with the handle are made under s->lock, since it is not thread-safe. */
typedef struct situ_cuda_dnn {
    cudnn_handle handle;
    const char *why;  /* why there is no handle */
    cu_stream stream; /* stream that the handle uses now */
} situ_cuda_dnn;

struct situ_cuda_convolution {
    situ_cudnn_plan plan;
    situ_cuda_scratch *workspace;
    cudnn_descriptor pack; /* the addresses of the last launch, as a variant pack */
    uint64_t packed[TENSORS];
};

/* Result, first and second operand are tensors 1, 2 and 3 for cuDNN. */
typedef struct kind {
    const char *op, *half;
    int descriptor, alpha, beta, convolution, tensor[TENSORS];
} kind;
static const kind kinds[] = {
    {"conv2d", "conv2d_half", CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
        CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
        CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
        {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W}},
    {"conv2d_input", "conv2d_half_input", CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
        {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W}},
    {"conv2d_weight", "conv2d_half_weight", CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
        {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY}},
};

static const kind *kind_of(const situ_call_desc *c)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(c->op->name, kinds[i].op) || !strcmp(c->op->name, kinds[i].half)) return &kinds[i];
    return NULL;
}

/* ---- dtypes and engines -------------------------------------------------------------------------------------------------- */

/* cuDNN's number for a dtype, or -1. */
static int type_of(situ_dtype d)
{
    switch (d) {
    case SITU_F32: return CUDNN_DATA_FLOAT;
    case SITU_F64: return CUDNN_DATA_DOUBLE;
    case SITU_F16: return CUDNN_DATA_HALF;
    case SITU_BF16: return CUDNN_DATA_BFLOAT16;
    default: return -1;
    }
}

/* Notes of engines that are refused. Always: results that differ from run to run, and sums in less than the compute
 * type. Unless TF32 is enabled also: factors rounded to fewer bits; tensor cores for f32, which do just that (for
 * halves they multiply exactly, for f64 fully); Winograd and Fourier transforms, whose error grows with the largest
 * value of a tile instead of with the sum itself, and which cuDNN does not bound. Unknown notes are refused, too. */
unsigned situ_cuda_convolution_refused(situ_dtype d)
{
    unsigned refused = 1u << CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC | 1u << CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION |
        ~0u << (CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP + 1);
    if (d == SITU_F32 && situ_cuda_tf32()) return refused;
    refused |= 1u << CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS | 1u << CUDNN_NUMERICAL_NOTE_FFT |
        1u << CUDNN_NUMERICAL_NOTE_WINOGRAD | 1u << CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4 |
        1u << CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6 | 1u << CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13;
    return d == SITU_F32 ? refused | 1u << CUDNN_NUMERICAL_NOTE_TENSOR_CORE : refused;
}

/* ---- describing a call to cuDNN ------------------------------------------------------------------------------------------ */

static void finalize(const situ_cudnn_api *dnn, cudnn_descriptor d, int *status)
{
    if (!*status) *status = dnn->BackendFinalize(d);
}

static cudnn_descriptor make_tensor(const situ_cudnn_api *dnn, const situ_layout *l, int64_t number, int *status)
{
    const int type = type_of((situ_dtype)l->dtype);
    const int64_t alignment = ALIGNMENT;
    int64_t stride[SITU_MAX_DIMS];
    situ_shape_strides(l->ndim, l->dim, stride);
    cudnn_descriptor d = situ_cudnn_new(CUDNN_BACKEND_TENSOR_DESCRIPTOR, status);
    situ_cudnn_set(d, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type, status);
    situ_cudnn_set(d, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, l->ndim, l->dim, status);
    situ_cudnn_set(d, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, l->ndim, stride, status);
    situ_cudnn_set(d, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &number, status);
    situ_cudnn_set(d, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment, status);
    finalize(dnn, d, status);
    return d;
}

static cudnn_descriptor make_convolution(const situ_cudnn_api *dnn, const situ_conv_attr *a, int compute, int *status)
{
    const int mode = CUDNN_CROSS_CORRELATION;
    const int64_t axes = 2;
    cudnn_descriptor d = situ_cudnn_new(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, status);
    situ_cudnn_set(d, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &compute, status);
    situ_cudnn_set(d, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode, status);
    situ_cudnn_set(d, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &axes, status);
    situ_cudnn_set(d, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, axes, a->dilation, status);
    situ_cudnn_set(d, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, axes, a->stride, status);
    situ_cudnn_set(d, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, axes, a->before, status);
    situ_cudnn_set(d, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, axes, a->after, status);
    finalize(dnn, d, status);
    return d;
}

/* The result is 1 times the convolution plus 0 times the old value, in the compute type. */
static cudnn_descriptor make_operation(
    const situ_cudnn_api *dnn, const kind *k, cudnn_descriptor convolution, const cudnn_descriptor *tensor, bool wide, int *status)
{
    static const double wide_one = 1, wide_zero = 0;
    static const float one = 1, zero = 0;
    const int type = wide ? CUDNN_TYPE_DOUBLE : CUDNN_TYPE_FLOAT;
    cudnn_descriptor d = situ_cudnn_new(k->descriptor, status);
    situ_cudnn_set(d, k->convolution, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &convolution, status);
    for (int i = 0; i < TENSORS; i++) situ_cudnn_set(d, k->tensor[i], CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &tensor[i], status);
    situ_cudnn_set(d, k->alpha, type, 1, wide ? (const void *)&wide_one : &one, status);
    situ_cudnn_set(d, k->beta, type, 1, wide ? (const void *)&wide_zero : &zero, status);
    finalize(dnn, d, status);
    return d;
}

int situ_cuda_convolution_describe(const situ_call_desc *c, situ_cudnn_operation *out)
{
    const situ_layout *l[TENSORS] = {&c->out, &c->in[0], &c->in[1]};
    const char *why;
    const situ_cudnn_api *dnn = situ_cudnn(&why);
    bool wide = c->out.dtype == SITU_F64;
    int status = 0;
    for (int i = 0; i < TENSORS; i++) out->tensor[i] = make_tensor(dnn, l[i], i + 1, &status);
    out->convolution = make_convolution(dnn, c->attr, wide ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT, &status);
    out->it = make_operation(dnn, kind_of(c), out->convolution, out->tensor, wide, &status);
    return status;
}

void situ_cuda_convolution_forget(situ_cudnn_operation *o)
{
    situ_cudnn_drop(o->it);
    situ_cudnn_drop(o->convolution);
    for (int i = 0; i < TENSORS; i++) situ_cudnn_drop(o->tensor[i]);
}

static const char *with_status(const char *what, int status)
{
    char text[192];
    snprintf(text, sizeof text, "cuDNN %s: %.120s", what, situ_cudnn_status(status));
    const char *why = situ_site_intern(text);
    return why ? why : "cuDNN does not take it";
}

/* The best plan for a call with at most this much workspace. Called under s->lock. */
static const char *find_plan(situ_cuda *s, const situ_call_desc *c, size_t most, situ_cudnn_plan *plan)
{
    const char *why = NULL;
    situ_cudnn_operation o;
    int status = situ_cuda_convolution_describe(c, &o);
    if (status) why = with_status("does not describe it", status);
    else situ_cudnn_plan_find(s->dnn->handle, o.it, situ_cuda_convolution_refused((situ_dtype)c->out.dtype), most, plan, &why);
    situ_cuda_convolution_forget(&o);
    return why;
}

/* ---- state of a device ---------------------------------------------------------------------------------------------------- */

/* Called under s->lock. */
static const char *open_share(const situ_cudnn_api *dnn, situ_cuda *s)
{
    if (!s->dnn && !(s->dnn = situ_calloc(1, sizeof *s->dnn))) return "no memory";
    situ_cuda_dnn *n = s->dnn;
    if (n->handle || n->why) return n->why;
    int status = dnn->Create(&n->handle);
    if (status) n->handle = NULL;
    else status = dnn->SetStream(n->handle, n->stream = s->compute);
    if (!status) return NULL;
    n->why = with_status("does not start", status);
    if (n->handle) dnn->Destroy(n->handle);
    n->handle = NULL;
    return n->why;
}

void situ_cuda_convolution_close(situ_cuda *s)
{
    const char *why;
    if (s->dnn && s->dnn->handle) situ_cudnn(&why)->Destroy(s->dnn->handle);
    situ_free(s->dnn);
    s->dnn = NULL;
}

/* ---- creating ------------------------------------------------------------------------------------------------------------- */

static const char *check_call(const situ_call_desc *c)
{
    if (c->invariant) return "cuDNN: not where results are batch-invariant";
    if (type_of((situ_dtype)c->out.dtype) < 0) return "cuDNN: not for this dtype";
    if (!situ_shape_count(c->out.ndim, c->out.dim)) return "cuDNN: not for empty results";
    for (int i = 0; i < c->nin; i++)
        if (!situ_shape_count(c->in[i].ndim, c->in[i].dim)) return "cuDNN: not for empty operands";
    return NULL;
}

/* If there is no memory for the best plan's workspace, takes a plan without workspace. */
static const char *make(const situ_cudnn_api *dnn, situ_dev *d, const situ_call_desc *c, situ_cuda_convolution *p)
{
    situ_cuda *s = d->state;
    const size_t limits[] = {most_workspace, 0};
    const char *why = NULL;
    for (int i = 0; i < 2; i++) {
        situ_mutex_lock(&s->lock);
        if (p->plan.plan) situ_cudnn_plan_drop(&p->plan);
        why = open_share(dnn, s);
        if (!why) why = find_plan(s, c, limits[i], &p->plan);
        situ_mutex_unlock(&s->lock);
        if (why || !p->plan.workspace || (p->workspace = situ_cuda_scratch_take(d, p->plan.workspace))) return why;
    }
    return "cuDNN: there is no memory for its workspace";
}

/* cuDNN has no bf16 convolutions on cards without bf16 multiplication, but has them in f32. */
static bool multiplied(situ_dtype d)
{
    const situ_cuda_card *card;
    for (int i = 0; d == SITU_BF16 && (card = situ_cuda_card_at(i)); i++)
        if (card->major < 8) return false;
    return true;
}

bool situ_cuda_convolution_claims(const situ_call_desc *c)
{
    const kind *k = kind_of(c);
    const char *why;
    return k && !strcmp(c->op->name, k->half) && !check_call(c) && multiplied((situ_dtype)c->out.dtype) && situ_cudnn(&why);
}

situ_cuda_convolution *situ_cuda_convolution_new(situ_dev *d, const situ_call_desc *c, const char **refusal)
{
    const situ_cudnn_api *dnn;
    if (!kind_of(c)) return *refusal = "", NULL;
    if ((*refusal = check_call(c)) || !(dnn = situ_cudnn(refusal))) return NULL;
    situ_cuda_convolution *p = situ_calloc(1, sizeof *p);
    uint64_t word = situ_fp_save(); /* cuDNN may load more of its libraries, which may change the floating-point state */
    const char *why = p ? make(dnn, d, c, p) : "no memory";
    situ_fp_restore(word);
    *refusal = why ? why : "";
    if (!why) return p;
    if (p) situ_cuda_convolution_free(d->state, p);
    return NULL;
}

void situ_cuda_convolution_free(situ_cuda *s, situ_cuda_convolution *p)
{
    situ_mutex_lock(&s->lock);
    situ_cudnn_drop(p->pack);
    situ_cudnn_plan_drop(&p->plan);
    situ_mutex_unlock(&s->lock);
    situ_cuda_scratch_give(s, p->workspace);
    situ_free(p);
}

/* ---- running -------------------------------------------------------------------------------------------------------------- */

bool situ_cuda_convolution_takes(char *const *address)
{
    for (int i = 0; i < TENSORS; i++)
        if ((uintptr_t)address[i] % ALIGNMENT) return false;
    return true;
}

static int failed(situ_cuda *s, int status, const char *call)
{
    char text[96];
    if (!status) return 0;
    bool memory = status == CUDNN8_STATUS_ALLOC_FAILED || status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
        status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
    snprintf(text, sizeof text, "%s: %s", call, situ_cudnn_status(status));
    return situ_cuda_code(s, memory ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_UNKNOWN, text);
}

/* The addresses as the library wants them; those of the last launch if they are the same. */
static int pack(const situ_cudnn_api *dnn, situ_cuda_convolution *p, const uint64_t *address)
{
    static const int64_t number[TENSORS] = {1, 2, 3};
    char *workspace = situ_cuda_scratch_address(p->workspace);
    int status = 0;
    if (p->pack && !memcmp(p->packed, address, sizeof p->packed)) return 0;
    situ_cudnn_drop(p->pack);
    p->pack = situ_cudnn_new(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &status);
    situ_cudnn_set(p->pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, TENSORS, number, &status);
    situ_cudnn_set(p->pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, TENSORS, address, &status);
    situ_cudnn_set(p->pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace, &status);
    finalize(dnn, p->pack, &status);
    memcpy(p->packed, address, sizeof p->packed);
    if (!status) return 0;
    situ_cudnn_drop(p->pack);
    p->pack = NULL;
    return status;
}

int situ_cuda_convolution_start(situ_cuda *s, situ_cuda_convolution *p, const uint64_t *address, cu_stream stream)
{
    const char *why;
    const situ_cudnn_api *dnn = situ_cudnn(&why);
    uint64_t word = situ_fp_save();
    int code = failed(s, pack(dnn, p, address), "cudnnBackendFinalize");
    if (!code && s->dnn->stream != stream) {
        code = failed(s, dnn->SetStream(s->dnn->handle, stream), "cudnnSetStream");
        s->dnn->stream = code ? NULL : stream;
    }
    if (!code) code = failed(s, dnn->BackendExecute(s->dnn->handle, p->plan.plan, p->pack), "cudnnBackendExecute");
    situ_fp_restore(word);
    return code;
}
