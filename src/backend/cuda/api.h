/* The parts of CUDA's driver, NVRTC and NVML that are used, declared here: building needs no CUDA header, and the
 * libraries are opened when a program first asks for a GPU. Names and numbers are those of CUDA 12, which CUDA 13
 * keeps. */
#ifndef SITU_BACKEND_CUDA_API_H
#define SITU_BACKEND_CUDA_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <situ/device.h>

typedef int cu_device;
typedef uint64_t cu_address;
typedef struct cu_context_object *cu_context;
typedef struct cu_stream_object *cu_stream;
typedef struct cu_event_object *cu_event;
typedef struct cu_module_object *cu_module;
typedef struct cu_function_object *cu_function;
typedef struct cu_graph_object *cu_graph;
typedef struct cu_node_object *cu_node;
typedef struct cu_exec_object *cu_exec;
typedef struct cu_uuid {
    unsigned char bytes[16];
} cu_uuid;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4,
    CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_ECC_UNCORRECTABLE = 214,
    CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_UNKNOWN = 999
};

enum {
    CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76
};
enum {
    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_MEMHOSTALLOC_PORTABLE = 1,
    CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1
};

/* The struct CUDA_KERNEL_NODE_PARAMS_v2. */
typedef struct cu_kernel_node {
    cu_function function;
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    void **parameters, **extra;
    void *kernel;
    cu_context context;
} cu_kernel_node;

/* The functions by name; filled in by situ_cuda_driver(). Those with a suffix _v2 in the library are listed in
 * library.c. */
typedef struct situ_cuda_api {
    int (*Init)(unsigned flags);
    int (*DriverGetVersion)(int *version);
    int (*GetErrorName)(int code, const char **name);
    int (*GetErrorString)(int code, const char **text);
    int (*DeviceGetCount)(int *count);
    int (*DeviceGet)(cu_device *device, int ordinal);
    int (*DeviceGetName)(char *name, int size, cu_device device);
    int (*DeviceGetUuid)(cu_uuid *uuid, cu_device device);
    int (*DeviceGetAttribute)(int *value, int attribute, cu_device device);
    int (*DeviceTotalMem)(size_t *bytes, cu_device device);
    int (*DeviceCanAccessPeer)(int *can, cu_device device, cu_device peer);
    int (*DevicePrimaryCtxRetain)(cu_context *context, cu_device device);
    int (*DevicePrimaryCtxRelease)(cu_device device);
    int (*CtxSetCurrent)(cu_context context);
    int (*CtxGetCurrent)(cu_context *context);
    int (*CtxEnablePeerAccess)(cu_context peer, unsigned flags);
    int (*MemGetInfo)(size_t *available, size_t *total);
    int (*MemAlloc)(cu_address *address, size_t bytes);
    int (*MemFree)(cu_address address);
    int (*MemHostAlloc)(void **host, size_t bytes, unsigned flags);
    int (*MemFreeHost)(void *host);
    int (*MemcpyHtoDAsync)(cu_address to, const void *from, size_t bytes, cu_stream stream);
    int (*MemcpyDtoHAsync)(void *to, cu_address from, size_t bytes, cu_stream stream);
    int (*MemcpyDtoDAsync)(cu_address to, cu_address from, size_t bytes, cu_stream stream);
    int (*MemcpyPeerAsync)(
        cu_address to, cu_context to_context, cu_address from, cu_context from_context, size_t bytes, cu_stream stream);
    int (*MemsetD32Async)(cu_address to, unsigned value, size_t count, cu_stream stream);
    int (*StreamCreate)(cu_stream *stream, unsigned flags);
    int (*StreamDestroy)(cu_stream stream);
    int (*StreamSynchronize)(cu_stream stream);
    int (*StreamWaitEvent)(cu_stream stream, cu_event event, unsigned flags);
    int (*StreamBeginCapture)(cu_stream stream, int mode);
    int (*StreamEndCapture)(cu_stream stream, cu_graph *graph);
    int (*StreamIsCapturing)(cu_stream stream, int *status);
    int (*EventCreate)(cu_event *event, unsigned flags);
    int (*EventDestroy)(cu_event event);
    int (*EventRecord)(cu_event event, cu_stream stream);
    int (*EventSynchronize)(cu_event event);
    int (*EventQuery)(cu_event event);
    int (*ModuleLoadDataEx)(cu_module *module, const void *image, unsigned options, int *option, void **value);
    int (*ModuleUnload)(cu_module module);
    int (*ModuleGetFunction)(cu_function *function, cu_module module, const char *name);
    int (*LaunchKernel)(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
        unsigned block_z, unsigned shared_bytes, cu_stream stream, void **parameters, void **extra);
    int (*GraphCreate)(cu_graph *graph, unsigned flags);
    int (*GraphDestroy)(cu_graph graph);
    int (*GraphAddKernelNode)(cu_node *node, cu_graph graph, const cu_node *after, size_t nafter, const cu_kernel_node *what);
    int (*GraphAddChildGraphNode)(cu_node *node, cu_graph graph, const cu_node *after, size_t nafter, cu_graph child);
    int (*GraphInstantiateWithFlags)(cu_exec *exec, cu_graph graph, unsigned long long flags);
    int (*GraphExecDestroy)(cu_exec exec);
    int (*GraphExecKernelNodeSetParams)(cu_exec exec, cu_node node, const cu_kernel_node *what);
    int (*GraphExecChildGraphNodeSetParams)(cu_exec exec, cu_node node, cu_graph child);
    int (*GraphLaunch)(cu_exec exec, cu_stream stream);
} situ_cuda_api;

typedef struct nvrtc_program_object *nvrtc_program;
enum { NVRTC_SUCCESS = 0, NVRTC_ERROR_OUT_OF_MEMORY = 1, NVRTC_ERROR_INVALID_OPTION = 5 };

typedef struct situ_nvrtc_api {
    int (*Version)(int *major, int *minor);
    const char *(*GetErrorString)(int code);
    int (*CreateProgram)(nvrtc_program *program, const char *text, const char *name, int headers, const char *const *header,
        const char *const *include);
    int (*DestroyProgram)(nvrtc_program *program);
    int (*CompileProgram)(nvrtc_program program, int options, const char *const *option);
    int (*GetProgramLogSize)(nvrtc_program program, size_t *bytes);
    int (*GetProgramLog)(nvrtc_program program, char *log);
    int (*GetCUBINSize)(nvrtc_program program, size_t *bytes);
    int (*GetCUBIN)(nvrtc_program program, char *cubin);
    int (*GetPTXSize)(nvrtc_program program, size_t *bytes);
    int (*GetPTX)(nvrtc_program program, char *ptx);
} situ_nvrtc_api;

typedef struct nvml_device_object *nvml_device;
typedef struct nvml_memory {
    unsigned long long total, available, used;
} nvml_memory;
typedef struct nvml_utilization {
    unsigned gpu, memory;
} nvml_utilization;

typedef struct nvml_process {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
} nvml_process;

typedef struct situ_nvml_api {
    int (*Init)(void);
    int (*Shutdown)(void);
    const char *(*ErrorString)(int code);
    int (*SystemGetDriverVersion)(char *text, unsigned size);
    int (*DeviceGetHandleByUUID)(const char *uuid, nvml_device *device);
    int (*DeviceGetMemoryInfo)(nvml_device device, nvml_memory *memory);
    int (*DeviceGetUtilizationRates)(nvml_device device, nvml_utilization *rates);
    int (*DeviceGetComputeRunningProcesses)(nvml_device device, unsigned *count, nvml_process *processes); /* may be missing */
    int (*DeviceGetPowerUsage)(nvml_device device, unsigned *milliwatts);                                  /* these, too */
    int (*DeviceGetTemperature)(nvml_device device, int sensor, unsigned *celsius);
} situ_nvml_api;

/* ---- library.c ---------------------------------------------------------------------------------------------------- */

/* The functions, or NULL if there is no driver or device (reason: situ_cuda_count). The first call opens the
 * libraries. */
const situ_cuda_api *situ_cuda_driver(void);
/* Not NULL if situ_cuda_driver is not. */
const situ_nvrtc_api *situ_nvrtc(void);
/* Number of usable GPUs; the reason if it is 0 or some cannot be used, else "". */
int situ_cuda_count(char *reason, size_t size);

/* Usable GPU number `index`. */
typedef struct situ_cuda_card {
    cu_device device;
    int ordinal, major, minor;
    char name[96];
} situ_cuda_card;
const situ_cuda_card *situ_cuda_card_at(int index);
/* Versions in CUDA's format: 12040 is 12.4. */
int situ_cuda_driver_version(void);
int situ_nvrtc_version(void);

/* "CUDA_ERROR_ILLEGAL_ADDRESS" or "error 700 of CUDA"; lives as long as the process. */
const char *situ_cuda_error(int code);

/* ---- nvml.c: figures from the management library, all of which may be missing -------------------------------------------- */

typedef struct situ_nvml_figures {
    bool known;
    int64_t used;
    double utilization;
    char driver[48];
} situ_nvml_figures;
void situ_nvml_look(const cu_uuid *uuid, situ_nvml_figures *out);
/* Watts and degrees Celsius, where they are known. */
void situ_nvml_sense(const cu_uuid *uuid, double *watts, double *celsius);
/* The processes on the card: PID and bytes (-1: unknown). Writes up to `most` and returns how many there are; -1:
 * unknown. */
int situ_nvml_processes(const cu_uuid *uuid, situ_device_process *out, int most);

#endif
