/* The parts of cuDNN that are used, declared here: its graph API, in which everything is a descriptor with numbered
 * attributes. Numbers are those of cuDNN 9's cudnn_graph.h; version 8 has the same. The library is opened when the
 * first convolution is made: SITU_CUDNN=path, else under its usual names; SITU_CUDNN=none disables it. */
#ifndef SITU_BACKEND_CUDA_CUDNN_H
#define SITU_BACKEND_CUDA_CUDNN_H

#include "backend/cuda/api.h"

typedef struct cudnn_object *cudnn_handle;
typedef struct cudnn_descriptor_object *cudnn_descriptor;

/* Kinds of descriptors. */
enum {
    CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR = 1,
    CUDNN_BACKEND_ENGINE_DESCRIPTOR = 2,
    CUDNN_BACKEND_ENGINECFG_DESCRIPTOR = 3,
    CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR = 4,
    CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR = 5,
    CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR = 10,
    CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR = 11,
    CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR = 12,
    CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR = 15,
    CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR = 16,
    CUDNN_BACKEND_TENSOR_DESCRIPTOR = 17
};

/* Types of attribute values. */
enum {
    CUDNN_TYPE_HANDLE = 0,
    CUDNN_TYPE_DATA_TYPE = 1,
    CUDNN_TYPE_INT64 = 3,
    CUDNN_TYPE_FLOAT = 4,
    CUDNN_TYPE_DOUBLE = 5,
    CUDNN_TYPE_VOID_PTR = 6,
    CUDNN_TYPE_CONVOLUTION_MODE = 7,
    CUDNN_TYPE_HEUR_MODE = 8,
    CUDNN_TYPE_NUMERICAL_NOTE = 11,
    CUDNN_TYPE_BACKEND_DESCRIPTOR = 15
};

/* Attributes. */
enum {
    CUDNN_ATTR_CONVOLUTION_COMP_TYPE = 100,
    CUDNN_ATTR_CONVOLUTION_CONV_MODE = 101,
    CUDNN_ATTR_CONVOLUTION_DILATIONS = 102,
    CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES = 103,
    CUDNN_ATTR_CONVOLUTION_POST_PADDINGS = 104,
    CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS = 105,
    CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS = 106,
    CUDNN_ATTR_ENGINEHEUR_MODE = 200,
    CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH = 201,
    CUDNN_ATTR_ENGINEHEUR_RESULTS = 202,
    CUDNN_ATTR_ENGINECFG_ENGINE = 300,
    CUDNN_ATTR_EXECUTION_PLAN_HANDLE = 400,
    CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG = 401,
    CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE = 402,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA = 700,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA = 701,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC = 702,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W = 703,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X = 704,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y = 705,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA = 706,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA = 707,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC = 708,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W = 709,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX = 710,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY = 711,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA = 712,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA = 713,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC = 714,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW = 715,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X = 716,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY = 717,
    CUDNN_ATTR_OPERATIONGRAPH_HANDLE = 800,
    CUDNN_ATTR_OPERATIONGRAPH_OPS = 801,
    CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT = 900,
    CUDNN_ATTR_TENSOR_DATA_TYPE = 901,
    CUDNN_ATTR_TENSOR_DIMENSIONS = 902,
    CUDNN_ATTR_TENSOR_STRIDES = 903,
    CUDNN_ATTR_TENSOR_UNIQUE_ID = 906,
    CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS = 1000,
    CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS = 1001,
    CUDNN_ATTR_VARIANT_PACK_WORKSPACE = 1003,
    CUDNN_ATTR_ENGINE_NUMERICAL_NOTE = 1303
};

/* Values. */
enum {
    CUDNN_DATA_FLOAT = 0,
    CUDNN_DATA_DOUBLE = 1,
    CUDNN_DATA_HALF = 2,
    CUDNN_DATA_BFLOAT16 = 9,
    CUDNN_CROSS_CORRELATION = 1,
    CUDNN_HEUR_MODE_FALLBACK = 2,
    CUDNN_HEUR_MODE_A = 3
};

/* Numerical notes of an engine. */
enum {
    CUDNN_NUMERICAL_NOTE_TENSOR_CORE = 0,
    CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS = 1,
    CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION = 2,
    CUDNN_NUMERICAL_NOTE_FFT = 3,
    CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC = 4,
    CUDNN_NUMERICAL_NOTE_WINOGRAD = 5,
    CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4 = 6,
    CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6 = 7,
    CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13 = 8,
    CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP = 9
};

/* Results of calls that are distinguished, in versions 8 and 9. */
enum {
    CUDNN8_STATUS_ALLOC_FAILED = 2,
    CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED = 4003,
    CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED = 4004
};

typedef struct situ_cudnn_api {
    size_t (*GetVersion)(void);
    const char *(*GetErrorString)(int status);
    size_t (*GetCudartVersion)(void); /* version of its CUDA, such as 12080; may be NULL */
    int (*Create)(cudnn_handle *handle);
    int (*Destroy)(cudnn_handle handle);
    int (*SetStream)(cudnn_handle handle, cu_stream stream);
    int (*BackendCreateDescriptor)(int kind, cudnn_descriptor *descriptor);
    int (*BackendDestroyDescriptor)(cudnn_descriptor descriptor);
    int (*BackendSetAttribute)(cudnn_descriptor descriptor, int attribute, int type, int64_t count, const void *values);
    int (*BackendGetAttribute)(
        cudnn_descriptor descriptor, int attribute, int type, int64_t capacity, int64_t *count, void *values);
    int (*BackendFinalize)(cudnn_descriptor descriptor);
    int (*BackendExecute)(cudnn_handle handle, cudnn_descriptor plan, cudnn_descriptor pack);
} situ_cudnn_api;

/* ---- cudnn_library.c -------------------------------------------------------------------------------------------------- */

/* NULL: *why (static) has the reason. */
const situ_cudnn_api *situ_cudnn(const char **why);
/* "cuDNN 9.1.0" */
const char *situ_cudnn_name(void);
/* "CUDNN_STATUS_NOT_SUPPORTED" */
const char *situ_cudnn_status(int status);

/* ---- cudnn_plan.c: execution plans ---------------------------------------------------------------------------------------- */

/* An execution plan for one operation, with the engine configuration it was made from. */
typedef struct situ_cudnn_plan {
    cudnn_descriptor plan, config;
    size_t workspace;
} situ_cudnn_plan;

/* Sets an attribute, unless *status is an error already. */
void situ_cudnn_set(cudnn_descriptor d, int attribute, int type, int64_t count, const void *values, int *status);
/* A new descriptor; NULL with *status. */
cudnn_descriptor situ_cudnn_new(int kind, int *status);
void situ_cudnn_drop(cudnn_descriptor d);

/* The first plan for a finalized operation among those that cuDNN proposes, best first, whose engine has none of the
 * notes in `refused` (bit n for note n) and needs at most `most` bytes of workspace. False: *why tells how many were
 * proposed and why they were not taken (static or interned). */
bool situ_cudnn_plan_find(
    cudnn_handle handle, cudnn_descriptor operation, unsigned refused, size_t most, situ_cudnn_plan *out, const char **why);
void situ_cudnn_plan_drop(situ_cudnn_plan *p);

#endif
