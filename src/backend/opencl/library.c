/* Opening the OpenCL library and finding its devices, once. */
#include "backend/opencl/api.h"
#include "os/thread.h"

#include <stdio.h>
#include <string.h>

#include "device/device.h"
#include "os/fp.h"
#include "os/library.h"

#define REQUIRED(name) \
    { \
        "cl" #name, offsetof(situ_cl_api, name), false \
    }
static const situ_symbol symbols[] = {REQUIRED(GetPlatformIDs), REQUIRED(GetPlatformInfo), REQUIRED(GetDeviceIDs),
    REQUIRED(GetDeviceInfo), REQUIRED(CreateContext), REQUIRED(ReleaseContext), REQUIRED(CreateCommandQueue),
    REQUIRED(ReleaseCommandQueue), REQUIRED(Finish), REQUIRED(CreateBuffer), REQUIRED(ReleaseMemObject),
    REQUIRED(EnqueueReadBuffer), REQUIRED(EnqueueWriteBuffer), REQUIRED(EnqueueCopyBuffer), REQUIRED(EnqueueMapBuffer),
    REQUIRED(EnqueueUnmapMemObject), REQUIRED(CreateProgramWithSource), REQUIRED(CreateProgramWithBinary), REQUIRED(BuildProgram),
    REQUIRED(GetProgramInfo), REQUIRED(GetProgramBuildInfo), REQUIRED(ReleaseProgram), REQUIRED(CreateKernel),
    REQUIRED(ReleaseKernel), REQUIRED(SetKernelArg), REQUIRED(EnqueueNDRangeKernel), {NULL, 0, false}};

enum { MOST_PLATFORMS = 16 };

/* Written by the first call. */
static situ_once once = SITU_ONCE_INIT;
static situ_cl_api api;
static bool usable;
static int devices;
static cl_device device[SITU_DEVICES_EACH];
static cl_platform platform_of[SITU_DEVICES_EACH];
static char why[400];

static void add_platform(cl_platform p)
{
    cl_device found[SITU_DEVICES_EACH];
    uint32_t count = 0;
    if (api.GetDeviceIDs(p, CL_DEVICE_TYPE_ALL, SITU_DEVICES_EACH, found, &count)) return;
    for (uint32_t i = 0; i < count && i < SITU_DEVICES_EACH && devices < SITU_DEVICES_EACH; i++) {
        device[devices] = found[i];
        platform_of[devices++] = p;
    }
}

static void find_devices(void)
{
    cl_platform platform[MOST_PLATFORMS];
    uint32_t count = 0;
    int32_t code = api.GetPlatformIDs(MOST_PLATFORMS, platform, &count);
    if (code || !count) {
        snprintf(why, sizeof why,
            SITU_LIBRARY(
                "OpenCL", "1") " is installed, but no platform: no driver is listed in /etc/OpenCL/vendors; for the CPU, install "
                               "pocl-opencl-icd");
        return;
    }
    for (uint32_t i = 0; i < count && i < MOST_PLATFORMS; i++) add_platform(platform[i]);
    if (!devices) snprintf(why, sizeof why, "OpenCL has %u platform%s, but none has a device", count, count == 1 ? "" : "s");
}

static void look(void)
{
    static const char *const names[] = {SITU_LIBRARY("OpenCL", "1"), NULL};
    char reason[256];
    if (UINTPTR_MAX < UINT64_MAX) {
        snprintf(why, sizeof why, "OpenCL devices are for 64-bit programs");
        return;
    }
    void *library = situ_library_open(names, reason, sizeof reason);
    if (!library) {
        if (situ_library_absent(reason))
            snprintf(
                why, sizeof why, SITU_LIBRARY("OpenCL", "1") ": not found: no OpenCL loader is installed (ocl-icd-libopencl1)");
        else snprintf(why, sizeof why, SITU_LIBRARY("OpenCL", "1") " cannot be loaded: %s", reason);
        return;
    }
    if (situ_library_symbols(library, symbols, &api, reason, sizeof reason)) {
        snprintf(why, sizeof why, SITU_LIBRARY("OpenCL", "1") " is too old: it lacks %s", reason);
        situ_library_close(library);
        return;
    }
    usable = true;
    uint64_t word = situ_fp_save(); /* the first call loads drivers, which may change the floating-point state */
    find_devices();
    situ_fp_restore(word);
}

static void look_once(void) { situ_call_once(&once, look); }

const situ_cl_api *situ_cl(void)
{
    look_once();
    return usable ? &api : NULL;
}

int situ_cl_count(char *reason, size_t size)
{
    look_once();
    if (!devices) snprintf(reason, size, "%s", why);
    return devices;
}

cl_device situ_cl_device(int index, cl_platform *platform)
{
    look_once();
    if (index < 0 || index >= devices) return NULL;
    *platform = platform_of[index];
    return device[index];
}

const char *situ_cl_error(int32_t code)
{
    static const struct {
        int32_t code;
        const char *name;
    } names[] = {{-1, "CL_DEVICE_NOT_FOUND (-1)"}, {-2, "CL_DEVICE_NOT_AVAILABLE (-2)"},
        {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)"}, {-5, "CL_OUT_OF_RESOURCES (-5)"}, {-6, "CL_OUT_OF_HOST_MEMORY (-6)"},
        {-11, "CL_BUILD_PROGRAM_FAILURE (-11)"}, {-30, "CL_INVALID_VALUE (-30)"}, {-33, "CL_INVALID_DEVICE (-33)"},
        {-42, "CL_INVALID_BINARY (-42)"}, {-43, "CL_INVALID_BUILD_OPTIONS (-43)"}, {-45, "CL_INVALID_PROGRAM_EXECUTABLE (-45)"},
        {-46, "CL_INVALID_KERNEL_NAME (-46)"}, {-51, "CL_INVALID_ARG_SIZE (-51)"}, {-52, "CL_INVALID_KERNEL_ARGS (-52)"},
        {-54, "CL_INVALID_WORK_GROUP_SIZE (-54)"}, {-59, "CL_INVALID_OPERATION (-59)"}, {-61, "CL_INVALID_BUFFER_SIZE (-61)"}};
    static __thread char text[28]; /* for an unknown code; small, because thread-local memory is limited
                                    * (tests/checks/thread_memory.sh) */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code) return names[i].name;
    snprintf(text, sizeof text, "error %d of OpenCL", code);
    return text;
}

int situ_cl_code(int32_t code)
{
    switch (code) {
    case CL_SUCCESS: return 0;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_INVALID_BUFFER_SIZE: return -SITU_DEVICE_MEMORY;
    case CL_OUT_OF_HOST_MEMORY: return -SITU_NO_MEMORY;
    default: return -SITU_DEVICE_LOST;
    }
}
