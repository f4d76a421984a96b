/* The part of OpenCL 1.2 that is used, declared here: building needs no OpenCL header, and the library is opened when
 * a program first asks for a device. Names and numbers are those of the standard. */
#ifndef SITU_BACKEND_OPENCL_API_H
#define SITU_BACKEND_OPENCL_API_H

#include <stddef.h>
#include <stdint.h>

typedef struct cl_platform_object *cl_platform;
typedef struct cl_device_object *cl_device;
typedef struct cl_context_object *cl_context;
typedef struct cl_queue_object *cl_queue;
typedef struct cl_mem_object *cl_mem;
typedef struct cl_program_object *cl_program;
typedef struct cl_kernel_object *cl_kernel;
typedef struct cl_event_object *cl_event;

enum {
    CL_SUCCESS = 0,
    CL_DEVICE_NOT_FOUND = -1,
    CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
    CL_OUT_OF_RESOURCES = -5,
    CL_OUT_OF_HOST_MEMORY = -6,
    CL_BUILD_PROGRAM_FAILURE = -11,
    CL_INVALID_BUFFER_SIZE = -61,
    CL_PLATFORM_NOT_FOUND_KHR = -1001
};

enum {
    CL_PLATFORM_VERSION = 0x0901,
    CL_PLATFORM_NAME = 0x0902,
    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
    CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
    CL_DEVICE_SINGLE_FP_CONFIG = 0x101B,
    CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
    CL_DEVICE_AVAILABLE = 0x1027,
    CL_DEVICE_COMPILER_AVAILABLE = 0x1028,
    CL_DEVICE_NAME = 0x102B,
    CL_DRIVER_VERSION = 0x102D,
    CL_DEVICE_VERSION = 0x102F,
    CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
    CL_DEVICE_HOST_UNIFIED_MEMORY = 0x1035,
    CL_PROGRAM_BINARY_SIZES = 0x1165,
    CL_PROGRAM_BINARIES = 0x1166,
    CL_PROGRAM_BUILD_LOG = 0x1183
};

#define CL_DEVICE_TYPE_CPU ((uint64_t)1 << 1)
#define CL_DEVICE_TYPE_ALL ((uint64_t)0xFFFFFFFF)
#define CL_FP_DENORM ((uint64_t)1 << 0)
#define CL_FP_INF_NAN ((uint64_t)1 << 1)
#define CL_FP_ROUND_TO_NEAREST ((uint64_t)1 << 2)
#define CL_FP_FMA ((uint64_t)1 << 5)
#define CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ((uint64_t)1 << 7)
#define CL_MEM_READ_WRITE ((uint64_t)1 << 0)
#define CL_MAP_READ ((uint64_t)1 << 0)
#define CL_MAP_WRITE ((uint64_t)1 << 1)

/* The functions by name; filled in by situ_cl(). */
typedef struct situ_cl_api {
    int32_t (*GetPlatformIDs)(uint32_t capacity, cl_platform *out, uint32_t *count);
    int32_t (*GetPlatformInfo)(cl_platform p, uint32_t what, size_t size, void *out, size_t *needed);
    int32_t (*GetDeviceIDs)(cl_platform p, uint64_t type, uint32_t capacity, cl_device *out, uint32_t *count);
    int32_t (*GetDeviceInfo)(cl_device d, uint32_t what, size_t size, void *out, size_t *needed);
    cl_context (*CreateContext)(const intptr_t *properties, uint32_t count, const cl_device *d,
        void (*notify)(const char *, const void *, size_t, void *), void *self, int32_t *code);
    int32_t (*ReleaseContext)(cl_context c);
    cl_queue (*CreateCommandQueue)(cl_context c, cl_device d, uint64_t properties, int32_t *code);
    int32_t (*ReleaseCommandQueue)(cl_queue q);
    int32_t (*Finish)(cl_queue q);
    cl_mem (*CreateBuffer)(cl_context c, uint64_t flags, size_t bytes, void *host, int32_t *code);
    int32_t (*ReleaseMemObject)(cl_mem m);
    int32_t (*EnqueueReadBuffer)(cl_queue q, cl_mem m, uint32_t blocking, size_t offset, size_t bytes, void *to, uint32_t waits,
        const cl_event *wait, cl_event *event);
    int32_t (*EnqueueWriteBuffer)(cl_queue q, cl_mem m, uint32_t blocking, size_t offset, size_t bytes, const void *from,
        uint32_t waits, const cl_event *wait, cl_event *event);
    int32_t (*EnqueueCopyBuffer)(cl_queue q, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t bytes,
        uint32_t waits, const cl_event *wait, cl_event *event);
    void *(*EnqueueMapBuffer)(cl_queue q, cl_mem m, uint32_t blocking, uint64_t flags, size_t offset, size_t bytes, uint32_t waits,
        const cl_event *wait, cl_event *event, int32_t *code);
    int32_t (*EnqueueUnmapMemObject)(cl_queue q, cl_mem m, void *mapped, uint32_t waits, const cl_event *wait, cl_event *event);
    cl_program (*CreateProgramWithSource)(cl_context c, uint32_t count, const char **text, const size_t *length, int32_t *code);
    cl_program (*CreateProgramWithBinary)(cl_context c, uint32_t count, const cl_device *d, const size_t *length,
        const unsigned char **binary, int32_t *status, int32_t *code);
    int32_t (*BuildProgram)(
        cl_program p, uint32_t count, const cl_device *d, const char *options, void (*notify)(cl_program, void *), void *self);
    int32_t (*GetProgramInfo)(cl_program p, uint32_t what, size_t size, void *out, size_t *needed);
    int32_t (*GetProgramBuildInfo)(cl_program p, cl_device d, uint32_t what, size_t size, void *out, size_t *needed);
    int32_t (*ReleaseProgram)(cl_program p);
    cl_kernel (*CreateKernel)(cl_program p, const char *name, int32_t *code);
    int32_t (*ReleaseKernel)(cl_kernel k);
    int32_t (*SetKernelArg)(cl_kernel k, uint32_t index, size_t size, const void *value);
    int32_t (*EnqueueNDRangeKernel)(cl_queue q, cl_kernel k, uint32_t dims, const size_t *offset, const size_t *global,
        const size_t *local, uint32_t waits, const cl_event *wait, cl_event *event);
} situ_cl_api;

/* The functions, or NULL if there is no OpenCL library (reason: situ_cl_count). The first call opens the library. */
const situ_cl_api *situ_cl(void);
/* Number of devices of all platforms together; if 0, the reason. */
int situ_cl_count(char *reason, size_t size);
/* Device number `index`, and its platform. */
cl_device situ_cl_device(int index, cl_platform *platform);
/* "CL_OUT_OF_RESOURCES (-5)" or "error -5 of OpenCL", in a buffer of the calling thread. */
const char *situ_cl_error(int32_t code);
/* The negative situ_code for an error code of OpenCL. */
int situ_cl_code(int32_t code);

#endif
