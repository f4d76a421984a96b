/* Matrix products by cuBLASLt: f32 in full f32 (SITU_TF32=1 allows TF32, which keeps 10 bits of each factor), f64, f16
 * and bf16 with f32 sums, c64 and c128. The library is opened when the first product is made: SITU_CUBLASLT=path, else
 * under its usual names; SITU_CUBLASLT=none disables it. What it does not support (integers, strides that form no
 * matrix) is left to generated text. The order of its sums differs from the CPU's. */
#ifndef SITU_BACKEND_CUDA_MATMUL_H
#define SITU_BACKEND_CUDA_MATMUL_H

#include "backend/cuda/cuda.h"

typedef struct situ_cuda_matmul situ_cuda_matmul;

/* The slot `takes`. */
bool situ_cuda_takes(situ_dev *d, const situ_call_desc *c, const situ_fused *post_op);
/* For a matmul, with its post-op if there is one; NULL: *refusal has the reason (static). Called in the device's
 * context, without its lock. Raises no error. */
situ_cuda_matmul *situ_cuda_matmul_new(situ_dev *d, const situ_call_desc *c, const situ_fused *post_op, const char **refusal);
/* To be called when no running work uses it any more. */
void situ_cuda_matmul_free(situ_cuda *s, situ_cuda_matmul *p);
/* Starts it on a stream that is ordered with the other products (they share the workspace): result, a, b, bias if any.
 * Called under s->lock, in the device's context. */
int situ_cuda_matmul_run(situ_cuda *s, situ_cuda_matmul *p, const uint64_t *address, cu_stream stream);
/* "cuBLASLt 12.4.5" */
const char *situ_cuda_matmul_name(void);
/* To be called before the device's context is destroyed, after its last product was freed. */
void situ_cuda_matmul_close(situ_cuda *s);

/* ---- epilogue.c: post-ops that the library supports ------------------------------------------------------------------------ */

typedef struct situ_cuda_epilogue {
    bool bias, relu;
} situ_cuda_epilogue;
/* Recognises [x + row] [relu]; false if the post-op is something else. */
bool situ_cuda_epilogue_of(const situ_fused *post_op, situ_cuda_epilogue *out);
/* Is this epilogue enabled in the environment? */
bool situ_cuda_epilogue_wanted(situ_cuda_epilogue e);

/* ---- matmul_library.c ------------------------------------------------------------------------------------------------ */

typedef struct cublaslt_object *cublaslt;
typedef struct cublaslt_desc_object *cublaslt_desc;
typedef struct cublaslt_layout_object *cublaslt_layout;
typedef struct cublaslt_preference_object *cublaslt_preference;
typedef struct cublaslt_algorithm {
    uint64_t word[8];
} cublaslt_algorithm;

typedef struct cublaslt_choice {
    cublaslt_algorithm algorithm;
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
} cublaslt_choice;

enum {
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUDA_R_32F = 0,
    CUDA_R_64F = 1,
    CUDA_R_16F = 2,
    CUDA_C_32F = 4,
    CUDA_C_64F = 5,
    CUDA_R_16BF = 14,
    CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,
    CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6,
    CUBLASLT_MATMUL_DESC_TRANSA = 3,
    CUBLASLT_MATMUL_DESC_TRANSB = 4,
    CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
    CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8,
    CUBLASLT_EPILOGUE_DEFAULT = 1,
    CUBLASLT_EPILOGUE_RELU = 2,
    CUBLASLT_EPILOGUE_BIAS = 4,
    CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
    CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
    CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE = 2
};

typedef struct situ_cublaslt_api {
    size_t (*GetVersion)(void);
    int (*Create)(cublaslt *handle);
    int (*Destroy)(cublaslt handle);
    int (*MatmulDescCreate)(cublaslt_desc *desc, int compute, int scale);
    int (*MatmulDescDestroy)(cublaslt_desc desc);
    int (*MatmulDescSetAttribute)(cublaslt_desc desc, int attribute, const void *value, size_t bytes);
    int (*MatrixLayoutCreate)(cublaslt_layout *layout, int type, uint64_t rows, uint64_t columns, int64_t leading);
    int (*MatrixLayoutDestroy)(cublaslt_layout layout);
    int (*MatrixLayoutSetAttribute)(cublaslt_layout layout, int attribute, const void *value, size_t bytes);
    int (*MatmulPreferenceCreate)(cublaslt_preference *preference);
    int (*MatmulPreferenceDestroy)(cublaslt_preference preference);
    int (*MatmulPreferenceSetAttribute)(cublaslt_preference preference, int attribute, const void *value, size_t bytes);
    int (*MatmulAlgoGetHeuristic)(cublaslt handle, cublaslt_desc desc, cublaslt_layout a, cublaslt_layout b, cublaslt_layout c,
        cublaslt_layout d, cublaslt_preference preference, int most, cublaslt_choice *choices, int *count);
    int (*Matmul)(cublaslt handle, cublaslt_desc desc, const void *alpha, const void *a, cublaslt_layout a_layout, const void *b,
        cublaslt_layout b_layout, const void *beta, const void *c, cublaslt_layout c_layout, void *d, cublaslt_layout d_layout,
        const cublaslt_algorithm *algorithm, void *workspace, size_t bytes, cu_stream stream);
} situ_cublaslt_api;

/* NULL: *why (static) has the reason. */
const situ_cublaslt_api *situ_cublaslt(const char **why);
/* "CUBLAS_STATUS_NOT_SUPPORTED" */
const char *situ_cublas_status(int status);

#endif
