/* The driver's functions: devices and contexts. */
#include "fake.h"

#include <string.h>

static struct CUctx_st *contexts[FAKE_DEVICES];
static __thread CUcontext current;

CUcontext fake_current(void) { return current; }
CUcontext fake_context(int device) { return device >= 0 && device < FAKE_DEVICES ? contexts[device] : NULL; }

void fake_raise_sticky(int device, int code)
{
    CUcontext c = fake_context(device);
    if (!c || c->sticky) return;
    c->sticky = code;
    fake_forget_work(device);
}

static int device_check(CUdevice d) { return d >= 0 && d < fake_set.devices ? 0 : CUDA_ERROR_INVALID_DEVICE; }

static int do_cuInit(unsigned flags)
{
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    if (!fake_set.devices) return CUDA_ERROR_NO_DEVICE;
    if (!fake_space_reserve()) return CUDA_ERROR_OUT_OF_MEMORY;
    fake_fibers_open();
    fake_initialised = true;
    return 0;
}
FAKE_ENTRY_POINT(cuInit, (unsigned flags), (flags))

static int do_cuDriverGetVersion(int *version)
{
    *version = fake_set.driver;
    return 0;
}
FAKE_ENTRY_POINT(cuDriverGetVersion, (int *version), (version))

static int do_cuDeviceGetCount(int *count)
{
    *count = fake_set.devices;
    return 0;
}
FAKE_ENTRY_POINT(cuDeviceGetCount, (int *count), (count))

static int do_cuDeviceGet(CUdevice *device, int ordinal)
{
    *device = ordinal;
    return device_check(ordinal);
}
FAKE_ENTRY_POINT(cuDeviceGet, (CUdevice *device, int ordinal), (device, ordinal))

static int do_cuDeviceGetName(char *name, int size, CUdevice d)
{
    if (device_check(d)) return CUDA_ERROR_INVALID_DEVICE;
    snprintf(name, (size_t)size, "Fake card %d", d);
    return 0;
}
FAKE_ENTRY_POINT(cuDeviceGetName, (char *name, int size, CUdevice d), (name, size, d))

static void uuid_of(int d, CUuuid *uuid)
{
    for (int i = 0; i < 16; i++) uuid->bytes[i] = (char)(i * 17 + 3);
    uuid->bytes[15] = (char)d;
}

static int do_cuDeviceGetUuid(CUuuid *uuid, CUdevice d)
{
    if (device_check(d)) return CUDA_ERROR_INVALID_DEVICE;
    uuid_of(d, uuid);
    return 0;
}
#define do_cuDeviceGetUuid_v2 do_cuDeviceGetUuid
FAKE_ENTRY_POINT(cuDeviceGetUuid, (CUuuid * uuid, CUdevice d), (uuid, d))
FAKE_ENTRY_POINT(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice d), (uuid, d))

/* "GPU-03142536-4758-697a-8b9c-adbecfe0f100", as NVML writes it; -1: none has it. */
FAKE_API int fakecuda_find_uuid(const char *text)
{
    for (int d = 0; d < fake_set.devices; d++) {
        CUuuid uuid;
        char name[64] = "GPU-";
        uuid_of(d, &uuid);
        for (int i = 0, n = 4; i < 16; i++)
            n += snprintf(name + n, sizeof name - (size_t)n, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", (unsigned char)uuid.bytes[i]);
        if (!strcmp(name, text)) return d;
    }
    return -1;
}

static int attribute(int which, int d)
{
    switch (which) {
    case 1: return 1024;        /* MAX_THREADS_PER_BLOCK */
    case 2: case 3: return 1024; /* MAX_BLOCK_DIM_X, _Y   */
    case 4: return 64;          /* MAX_BLOCK_DIM_Z       */
    case 5: return 0x7fffffff;  /* MAX_GRID_DIM_X        */
    case 6: case 7: return 65535;
    case 8: return 49152;       /* MAX_SHARED_MEMORY_PER_BLOCK */
    case 10: return 32;         /* WARP_SIZE             */
    case 12: return 65536;      /* MAX_REGISTERS_PER_BLOCK */
    case 13: return 1410000;    /* CLOCK_RATE, kHz       */
    case 16: return 4;          /* MULTIPROCESSOR_COUNT  */
    case 36: return 1593000;    /* MEMORY_CLOCK_RATE, kHz */
    case 37: return 5120;       /* GLOBAL_MEMORY_BUS_WIDTH */
    case 38: return 4 << 20;    /* L2_CACHE_SIZE         */
    case 39: return 2048;       /* MAX_THREADS_PER_MULTIPROCESSOR */
    case 40: return 2;          /* ASYNC_ENGINE_COUNT    */
    case 31: case 41: return 1; /* CONCURRENT_KERNELS, UNIFIED_ADDRESSING */
    case 50: case 34: return 0; /* PCI_DOMAIN_ID, PCI_DEVICE_ID */
    case 33: return d + 1;      /* PCI_BUS_ID            */
    case 75: return fake_set.capability[d] / 10;
    case 76: return fake_set.capability[d] % 10;
    case 81: return 100 << 10;  /* MAX_SHARED_MEMORY_PER_MULTIPROCESSOR */
    case 97: return 99 << 10;   /* MAX_SHARED_MEMORY_PER_BLOCK_OPTIN */
    default: return 0;
    }
}

static int do_cuDeviceGetAttribute(int *value, int which, CUdevice d)
{
    if (device_check(d)) return CUDA_ERROR_INVALID_DEVICE;
    *value = attribute(which, d);
    return 0;
}
FAKE_ENTRY_POINT(cuDeviceGetAttribute, (int *value, int which, CUdevice d), (value, which, d))

static int do_cuDeviceTotalMem_v2(size_t *bytes, CUdevice d)
{
    *bytes = fake_set.memory;
    return device_check(d);
}
FAKE_ENTRY_POINT(cuDeviceTotalMem_v2, (size_t *bytes, CUdevice d), (bytes, d))

/* ---------------------------------------------------------------- contexts */

static int do_cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice d)
{
    if (device_check(d)) return CUDA_ERROR_INVALID_DEVICE;
    if (!contexts[d]) contexts[d] = fake_new(FAKE_CONTEXT, sizeof **contexts, d);
    if (!contexts[d]) return CUDA_ERROR_OUT_OF_MEMORY;
    contexts[d]->retains++;
    *context = contexts[d];
    return 0;
}
FAKE_ENTRY_POINT(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice d), (context, d))

/* Frees what is left in a context when it ends. */
static int drop_left(int d)
{
    int left = fake_space_live(d, NULL, 0);
    for (fake_object *o = fake_objects; o; o = o->next) {
        if (!o->alive || o->device != d || o->kind == FAKE_CONTEXT) continue;
        if (o->kind != FAKE_FUNCTION && o->kind != FAKE_NODE) left++;
        o->alive = false;
    }
    fake_space_drop(d);
    return left;
}

static int do_cuDevicePrimaryCtxRelease_v2(CUdevice d)
{
    CUcontext c = device_check(d) ? NULL : contexts[d];
    if (!c || !c->retains) return fake_refuse(CUDA_ERROR_INVALID_CONTEXT, "context: device %d's context is released more often than retained", d);
    if (--c->retains) return 0;
    if (fake_pending(d) && !c->sticky) fakecuda_violation("context: device %d's context is released while work is queued", d);
    fake_drain(d);
    fake_forget_work(d);
    int left = drop_left(d);
    if (left && !c->sticky) fakecuda_violation("leak: device %d's context is released with %d things in it", d, left);
    c->sticky = 0;
    memset(c->peer, 0, sizeof c->peer);
    return 0;
}
FAKE_ENTRY_POINT(cuDevicePrimaryCtxRelease_v2, (CUdevice d), (d))

static int do_cuCtxSetCurrent(CUcontext c)
{
    int code = c ? fake_check(c, FAKE_CONTEXT, -1, "cuCtxSetCurrent") : 0;
    if (!code && c && !c->retains) code = fake_refuse(CUDA_ERROR_INVALID_CONTEXT, "context: device %d's context is made current when it is released", c->object.device);
    if (!code) current = c;
    return code;
}
FAKE_ENTRY_POINT(cuCtxSetCurrent, (CUcontext c), (c))

static int do_cuCtxGetCurrent(CUcontext *c)
{
    *c = current;
    return 0;
}
FAKE_ENTRY_POINT(cuCtxGetCurrent, (CUcontext * c), (c))

static int do_cuCtxGetDevice(CUdevice *d)
{
    *d = current->object.device;
    return 0;
}
FAKE_ENTRY_POINT(cuCtxGetDevice, (CUdevice * d), (d))

static int do_cuCtxSynchronize(void)
{
    fake_drain(current->object.device);
    return current->sticky;
}
FAKE_ENTRY_POINT(cuCtxSynchronize, (void), ())

static int do_cuDeviceCanAccessPeer(int *can, CUdevice d, CUdevice peer)
{
    *can = fake_set.peers && d != peer;
    return device_check(d) || device_check(peer) ? CUDA_ERROR_INVALID_DEVICE : 0;
}
FAKE_ENTRY_POINT(cuDeviceCanAccessPeer, (int *can, CUdevice d, CUdevice peer), (can, d, peer))

static int do_cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    int code = fake_check(peer, FAKE_CONTEXT, -1, "cuCtxEnablePeerAccess");
    if (code) return code;
    if (flags || peer == current) return CUDA_ERROR_INVALID_DEVICE;
    if (!fake_set.peers) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    if (current->peer[peer->object.device]) return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    current->peer[peer->object.device] = true;
    return 0;
}
FAKE_ENTRY_POINT(cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags), (peer, flags))

/* ---------------------------------------------------------------- errors */

static const struct { int code; const char *name, *text; } errors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported between these two devices"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM", "OS call failed or operation not supported on this OS"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled"},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "system has unsupported display driver / cuda driver combination"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
    {902, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "operation would result in a merge of separate capture sequences"},
    {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not ended in the same stream as it began"},
    {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work"},
    {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "dependency created on uncaptured work in another stream"},
    {907, "CUDA_ERROR_CAPTURED_EVENT", "operation not permitted on an event last recorded in a capturing stream"},
    {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "attempt to terminate a thread-local capture sequence from another thread"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static int find_error(int code, const char **name, const char **text)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (errors[i].code != code) continue;
        if (name) *name = errors[i].name;
        if (text) *text = errors[i].text;
        return 0;
    }
    if (name) *name = NULL;
    if (text) *text = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

#define do_cuGetErrorName(error, text) find_error(error, text, NULL)
#define do_cuGetErrorString(error, text) find_error(error, NULL, text)
FAKE_ENTRY_POINT(cuGetErrorName, (CUresult error, const char **text), (error, text))
FAKE_ENTRY_POINT(cuGetErrorString, (CUresult error, const char **text), (error, text))
