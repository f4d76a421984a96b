/* The driver's types, codes and flags, as far as the fake has them: values are those of cuda.h 12. */
#ifndef FAKECUDA_CUDA_API_H
#define FAKECUDA_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef void (*CUhostFn)(void *user);
typedef struct CUuuid { char bytes[16]; } CUuuid;

typedef struct CUDA_KERNEL_NODE_PARAMS {
    CUfunction func;
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void **kernelParams;
    void **extra;
    void *kern;
    CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_ILLEGAL_STATE = 401,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
    CUDA_ERROR_PEER_ACCESS_NOT_ENABLED = 705,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_MISALIGNED_ADDRESS = 716,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_NOT_PERMITTED = 800,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
    CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
    CUDA_ERROR_STREAM_CAPTURE_MERGE = 902,
    CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
    CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
    CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
    CUDA_ERROR_CAPTURED_EVENT = 907,
    CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
    CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910,
    CUDA_ERROR_UNKNOWN = 999,

    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_BLOCKING_SYNC = 1,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
    CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
    CU_STREAM_CAPTURE_MODE_RELAXED = 2,
    CU_JIT_ERROR_LOG_BUFFER = 5,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
};

#define FAKE_API __attribute__((visibility("default")))

FAKE_API CUresult cuInit(unsigned flags);
FAKE_API CUresult cuDriverGetVersion(int *version);
FAKE_API CUresult cuDeviceGetCount(int *count);
FAKE_API CUresult cuDeviceGet(CUdevice *device, int ordinal);
FAKE_API CUresult cuDeviceGetName(char *name, int size, CUdevice d);
FAKE_API CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice d);
FAKE_API CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice d);
FAKE_API CUresult cuDeviceGetAttribute(int *value, int which, CUdevice d);
FAKE_API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice d);
FAKE_API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice d);
FAKE_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice d);
FAKE_API CUresult cuCtxSetCurrent(CUcontext c);
FAKE_API CUresult cuCtxGetCurrent(CUcontext *c);
FAKE_API CUresult cuCtxGetDevice(CUdevice *d);
FAKE_API CUresult cuCtxSynchronize(void);
FAKE_API CUresult cuDeviceCanAccessPeer(int *can, CUdevice d, CUdevice peer);
FAKE_API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags);
FAKE_API CUresult cuGetErrorName(CUresult error, const char **text);
FAKE_API CUresult cuGetErrorString(CUresult error, const char **text);
FAKE_API CUresult cuMemGetInfo_v2(size_t *left, size_t *total);
FAKE_API CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes);
FAKE_API CUresult cuMemFree_v2(CUdeviceptr p);
FAKE_API CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned flags);
FAKE_API CUresult cuMemFreeHost(void *p);
FAKE_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *p, unsigned flags);
FAKE_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream s);
FAKE_API CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream s);
FAKE_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s);
FAKE_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes, CUstream s);
FAKE_API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream s);
FAKE_API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream s);
FAKE_API CUresult cuStreamCreate(CUstream *stream, unsigned flags);
FAKE_API CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority);
FAKE_API CUresult cuStreamDestroy_v2(CUstream s);
FAKE_API CUresult cuStreamSynchronize(CUstream s);
FAKE_API CUresult cuStreamQuery(CUstream s);
FAKE_API CUresult cuEventCreate(CUevent *event, unsigned flags);
FAKE_API CUresult cuEventRecord(CUevent e, CUstream s);
FAKE_API CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags);
FAKE_API CUresult cuEventSynchronize(CUevent e);
FAKE_API CUresult cuEventQuery(CUevent e);
FAKE_API CUresult cuEventElapsedTime(float *milliseconds, CUevent a, CUevent b);
FAKE_API CUresult cuEventDestroy_v2(CUevent e);
FAKE_API CUresult cuLaunchHostFunc(CUstream s, CUhostFn function, void *user);
FAKE_API CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned options, int *option, void **value);
FAKE_API CUresult cuModuleUnload(CUmodule m);
FAKE_API CUresult cuModuleGetFunction(CUfunction *function, CUmodule m, const char *name);
FAKE_API CUresult cuFuncGetAttribute(int *value, int which, CUfunction f);
FAKE_API CUresult cuFuncSetAttribute(CUfunction f, int which, int value);
FAKE_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t shared);
FAKE_API CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, CUstream s, void **parameters, void **extra);
FAKE_API CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS *p);
FAKE_API CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec e, CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p);
FAKE_API CUresult cuStreamIsCapturing(CUstream s, int *status);
FAKE_API CUresult cuStreamBeginCapture_v2(CUstream s, int mode);
FAKE_API CUresult cuStreamEndCapture(CUstream s, CUgraph *graph);
FAKE_API CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *nodes, size_t *count);
FAKE_API CUresult cuGraphNodeGetType(CUgraphNode n, int *type);
FAKE_API CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph g, unsigned long long flags);
FAKE_API CUresult cuGraphLaunch(CUgraphExec e, CUstream s);
FAKE_API CUresult cuGraphDestroy(CUgraph g);
FAKE_API CUresult cuGraphExecDestroy(CUgraphExec e);
FAKE_API CUresult cuGraphCreate(CUgraph *graph, unsigned flags);
FAKE_API CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph g, const CUgraphNode *before, size_t count, const CUDA_KERNEL_NODE_PARAMS *p);
FAKE_API CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph g, const CUgraphNode *before, size_t count, CUgraph child);
FAKE_API CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec e, CUgraphNode n, CUgraph child);

#endif
