/* A fake NVML: the fake driver's devices by their UUID. */
#include "fakecuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FAKE_API __attribute__((visibility("default")))
enum { SUCCESS = 0, UNINITIALIZED = 1, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7 };

typedef struct memory { unsigned long long total, free, used; } memory;
typedef struct utilization { unsigned gpu, memory; } utilization;

static int initialised, handles[64];

static int enter(const char *name)
{
    int code = fakecuda_enter(name);
    if (code || initialised) return code;
    fakecuda_violation("nvml: %s before nvmlInit", name);
    return UNINITIALIZED;
}

FAKE_API int nvmlInit_v2(void);
FAKE_API int nvmlInit_v2(void)
{
    int code = fakecuda_enter("nvmlInit_v2");
    if (!code) __atomic_fetch_add(&initialised, 1, __ATOMIC_RELAXED);
    return code;
}

FAKE_API int nvmlShutdown(void);
FAKE_API int nvmlShutdown(void)
{
    int code = enter("nvmlShutdown");
    if (!code) __atomic_fetch_sub(&initialised, 1, __ATOMIC_RELAXED);
    return code;
}

FAKE_API int nvmlDeviceGetHandleByUUID(const char *uuid, void **handle);
FAKE_API int nvmlDeviceGetHandleByUUID(const char *uuid, void **handle)
{
    int code = enter("nvmlDeviceGetHandleByUUID");
    if (code) return code;
    int d = fakecuda_find_uuid(uuid);
    if (d < 0) return NOT_FOUND;
    *handle = &handles[d];
    return SUCCESS;
}

static int device_of(const void *handle) { return (int)((const int *)handle - handles); }

/* The driver keeps some for itself. */
FAKE_API int nvmlDeviceGetMemoryInfo(void *handle, memory *m);
FAKE_API int nvmlDeviceGetMemoryInfo(void *handle, memory *m)
{
    int code = enter("nvmlDeviceGetMemoryInfo");
    if (code) return code;
    if (device_of(handle) < 0 || device_of(handle) >= 64) return INVALID_ARGUMENT;
    fakecuda_memory(device_of(handle), &m->total, &m->used);
    m->used += 8 << 20;
    m->total += 8 << 20;
    m->free = m->total - m->used;
    return SUCCESS;
}

FAKE_API int nvmlDeviceGetUtilizationRates(void *handle, utilization *u);
FAKE_API int nvmlDeviceGetUtilizationRates(void *handle, utilization *u)
{
    int code = enter("nvmlDeviceGetUtilizationRates");
    if (code) return code;
    *u = (utilization){(unsigned)device_of(handle) + 40, 20};
    return SUCCESS;
}

typedef struct process { unsigned pid; unsigned long long memory; unsigned gpu_instance, compute_instance; } process;

/* This process, and one that does not tell its memory. */
FAKE_API int nvmlDeviceGetComputeRunningProcesses_v3(void *handle, unsigned *count, process *processes);
FAKE_API int nvmlDeviceGetComputeRunningProcesses_v3(void *handle, unsigned *count, process *processes)
{
    int code = enter("nvmlDeviceGetComputeRunningProcesses_v3");
    unsigned room = *count;
    if (code) return code;
    *count = 2;
    if (room < 2) return INSUFFICIENT_SIZE;
    unsigned long long total, used;
    fakecuda_memory(device_of(handle), &total, &used);
    processes[0] = (process){(unsigned)getpid(), used, ~0u, ~0u};
    processes[1] = (process){1, ~0ull, ~0u, ~0u};
    return SUCCESS;
}

FAKE_API int nvmlDeviceGetPowerUsage(void *handle, unsigned *milliwatts);
FAKE_API int nvmlDeviceGetPowerUsage(void *handle, unsigned *milliwatts)
{
    int code = enter("nvmlDeviceGetPowerUsage");
    if (!code) *milliwatts = 123400 + (unsigned)device_of(handle);
    return code;
}

/* The second card has no sensor. */
FAKE_API int nvmlDeviceGetTemperature(void *handle, int sensor, unsigned *celsius);
FAKE_API int nvmlDeviceGetTemperature(void *handle, int sensor, unsigned *celsius)
{
    int code = enter("nvmlDeviceGetTemperature");
    if (code) return code;
    if (sensor || device_of(handle) == 1) return NOT_SUPPORTED;
    *celsius = 61;
    return SUCCESS;
}

FAKE_API int nvmlSystemGetDriverVersion(char *version, unsigned size);
FAKE_API int nvmlSystemGetDriverVersion(char *version, unsigned size)
{
    int code = enter("nvmlSystemGetDriverVersion");
    if (code) return code;
    return snprintf(version, size, "550.00.fake") < (int)size ? SUCCESS : INSUFFICIENT_SIZE;
}

FAKE_API const char *nvmlErrorString(int code);
FAKE_API const char *nvmlErrorString(int code)
{
    fakecuda_enter("nvmlErrorString");
    switch (code) {
    case SUCCESS: return "The operation was successful";
    case UNINITIALIZED: return "NVML was not first initialized with nvmlInit()";
    case INVALID_ARGUMENT: return "A supplied argument is invalid";
    case NOT_FOUND: return "A query to find an object was unsuccessful";
    case 9: return "NVIDIA driver is not loaded";
    default: return "An unknown error";
    }
}
