/* Opening CUDA's driver and compiler and finding the GPUs, once. */
#include "backend/cuda/api.h"
#include "os/env.h"
#include "os/plain.h"
#include "os/thread.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ/error.h>

#include "device/device.h"
#include "os/fp.h"
#include "os/library.h"

#define REQUIRED(name) \
    { \
        "cu" #name, offsetof(situ_cuda_api, name), false \
    }
#define SECOND(name) \
    { \
        "cu" #name "_v2", offsetof(situ_cuda_api, name), false \
    }
static const situ_symbol driver_symbols[] = {REQUIRED(Init), REQUIRED(DriverGetVersion), REQUIRED(GetErrorName),
    REQUIRED(GetErrorString), REQUIRED(DeviceGetCount), REQUIRED(DeviceGet), REQUIRED(DeviceGetName), REQUIRED(DeviceGetUuid),
    REQUIRED(DeviceGetAttribute), SECOND(DeviceTotalMem), REQUIRED(DeviceCanAccessPeer), REQUIRED(DevicePrimaryCtxRetain),
    SECOND(DevicePrimaryCtxRelease), REQUIRED(CtxSetCurrent), REQUIRED(CtxGetCurrent), REQUIRED(CtxEnablePeerAccess),
    SECOND(MemGetInfo), SECOND(MemAlloc), SECOND(MemFree), REQUIRED(MemHostAlloc), REQUIRED(MemFreeHost), SECOND(MemcpyHtoDAsync),
    SECOND(MemcpyDtoHAsync), SECOND(MemcpyDtoDAsync), REQUIRED(MemcpyPeerAsync), REQUIRED(MemsetD32Async), REQUIRED(StreamCreate),
    SECOND(StreamDestroy), REQUIRED(StreamSynchronize), REQUIRED(StreamWaitEvent), SECOND(StreamBeginCapture),
    REQUIRED(StreamEndCapture), REQUIRED(StreamIsCapturing), REQUIRED(EventCreate), SECOND(EventDestroy), REQUIRED(EventRecord),
    REQUIRED(EventSynchronize), REQUIRED(EventQuery), REQUIRED(ModuleLoadDataEx), REQUIRED(ModuleUnload),
    REQUIRED(ModuleGetFunction), REQUIRED(LaunchKernel), REQUIRED(GraphCreate), REQUIRED(GraphDestroy), SECOND(GraphAddKernelNode),
    REQUIRED(GraphAddChildGraphNode), REQUIRED(GraphInstantiateWithFlags), REQUIRED(GraphExecDestroy),
    SECOND(GraphExecKernelNodeSetParams), REQUIRED(GraphExecChildGraphNodeSetParams), REQUIRED(GraphLaunch), {NULL, 0, false}};
#undef REQUIRED
#define REQUIRED(name) \
    { \
        "nvrtc" #name, offsetof(situ_nvrtc_api, name), false \
    }
static const situ_symbol compiler_symbols[] = {REQUIRED(Version), REQUIRED(GetErrorString), REQUIRED(CreateProgram),
    REQUIRED(DestroyProgram), REQUIRED(CompileProgram), REQUIRED(GetProgramLogSize), REQUIRED(GetProgramLog),
    REQUIRED(GetCUBINSize), REQUIRED(GetCUBIN), REQUIRED(GetPTXSize), REQUIRED(GetPTX), {NULL, 0, false}};

enum { OLDEST_DRIVER = 12000, OLDEST_CAPABILITY = 75 };

/* Written by the first call. */
static situ_once once = SITU_ONCE_INIT;
static situ_cuda_api driver;
static situ_nvrtc_api compiler;
static int driver_version, compiler_version, cards;
static situ_cuda_card card[SITU_DEVICES_EACH];
static char why[512];

/* Appends a reason; if there is no space, the first ones are kept. */
static void because(const char *format, ...) SITU_PRINTF(1, 2);
static void because(const char *format, ...)
{
    size_t used = strlen(why);
    va_list values;
    if (used) used += (size_t)snprintf(why + used, sizeof why - used, "; ");
    if (used >= sizeof why) return;
    va_start(values, format);
    situ_plain_list(why + used, sizeof why - used, format, values);
    va_end(values);
}

const char *situ_cuda_error(int code)
{
    const char *name = NULL;
    if (driver.GetErrorName && !driver.GetErrorName(code, &name) && name) return name;
    char text[32];
    snprintf(text, sizeof text, "error %d of CUDA", code);
    name = situ_site_intern(text);
    return name ? name : "an error of CUDA";
}

/* ---- the driver --------------------------------------------------------------------------------------------------- */

/* Opens a library at a path from the environment, or under its usual names. */
static void *open_library(const char *variable, const char *const *usual, const char **name, char *reason, size_t size)
{
    const char *path = situ_env(variable);
    const char *given[] = {path, NULL};
    *name = path && *path ? path : usual[0];
    return situ_library_open(path && *path ? given : usual, reason, size);
}

static bool open_driver(void)
{
    static const char *const names[] = {SITU_LIBRARY("cuda", "1"), NULL};
    const char *name;
    char reason[400];
    void *library = open_library("SITU_LIBCUDA", names, &name, reason, sizeof reason);
    if (!library) {
        if (situ_library_absent(reason)) because("%.200s: not found: no NVIDIA driver is installed", name);
        else because("%.200s cannot be loaded: %s", name, reason);
        return false;
    }
    if (situ_library_symbols(library, driver_symbols, &driver, reason, sizeof reason)) {
        reason[160] = 0; /* drops further reasons */
        because("%.200s is too old: it lacks %s; update the NVIDIA driver to one for CUDA 12 or newer", name, reason);
        memset(&driver, 0, sizeof driver);
        situ_library_close(library);
        return false;
    }
    return true;
}

static bool start_driver(void)
{
    int code = driver.Init(0);
    const char *text = NULL;
    if (code == CUDA_ERROR_NO_DEVICE) {
        because("the NVIDIA driver finds no GPU (cuInit: CUDA_ERROR_NO_DEVICE)%s",
            situ_env("CUDA_VISIBLE_DEVICES") ? "; CUDA_VISIBLE_DEVICES is set, does it name one that is there?" : "");
        return false;
    }
    if (code) {
        if (driver.GetErrorString(code, &text) || !text) text = "unknown error";
        because("the NVIDIA driver does not start: cuInit: %s, %s; does nvidia-smi work?", situ_cuda_error(code), text);
        return false;
    }
    if ((code = driver.DriverGetVersion(&driver_version))) {
        because("the NVIDIA driver does not tell its version: %s", situ_cuda_error(code));
        return false;
    }
    if (driver_version < OLDEST_DRIVER) {
        because("the NVIDIA driver is too old: it is for CUDA %d.%d, and situ needs %d.%d or newer; update the driver",
            driver_version / 1000, driver_version % 1000 / 10, OLDEST_DRIVER / 1000, OLDEST_DRIVER % 1000 / 10);
        return false;
    }
    return true;
}

/* ---- cards -------------------------------------------------------------------------------------------------------- */

static void add_card(int ordinal)
{
    situ_cuda_card c = {.ordinal = ordinal};
    int unified = 0, code = driver.DeviceGet(&c.device, ordinal);
    if (!code) code = driver.DeviceGetName(c.name, sizeof c.name, c.device);
    if (!code) code = driver.DeviceGetAttribute(&c.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, c.device);
    if (!code) code = driver.DeviceGetAttribute(&c.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, c.device);
    if (!code) code = driver.DeviceGetAttribute(&unified, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, c.device);
    c.name[sizeof c.name - 1] = 0;
    if (code) because("GPU %d of CUDA does not answer: %s", ordinal, situ_cuda_error(code));
    else if (10 * c.major + c.minor < OLDEST_CAPABILITY)
        because("GPU %d of CUDA (%s) is too old: its compute capability is %d.%d, and situ needs 7.5 or more", ordinal, c.name,
            c.major, c.minor);
    else if (!unified) because("GPU %d of CUDA (%s) has no unified addresses, which situ needs", ordinal, c.name);
    else card[cards++] = c;
}

static void find_cards(void)
{
    int count = 0, code = driver.DeviceGetCount(&count);
    if (code) because("the NVIDIA driver does not count its GPUs: %s", situ_cuda_error(code));
    else if (!count)
        because("the NVIDIA driver finds no GPU%s",
            situ_env("CUDA_VISIBLE_DEVICES") ? "; CUDA_VISIBLE_DEVICES is set, does it name one that is there?" : "");
    for (int i = 0; i < count && i < SITU_DEVICES_EACH && !code; i++) add_card(i);
}

/* ---- the compiler --------------------------------------------------------------------------------------------------- */

static bool check_compiler(const char *name, void *library)
{
    int major = 0, minor = 0, code;
    char reason[400];
    if (situ_library_symbols(library, compiler_symbols, &compiler, reason, sizeof reason)) {
        reason[160] = 0;
        because("%.200s is too old: it lacks %s; install NVRTC of CUDA %d", name, reason, driver_version / 1000);
        return false;
    }
    if ((code = compiler.Version(&major, &minor))) {
        because("%.200s does not tell its version: %s", name, compiler.GetErrorString(code));
        return false;
    }
    compiler_version = 1000 * major + 10 * minor;
    if (major < 12 || major > driver_version / 1000) {
        because("%.200s is of CUDA %d.%d, and the driver is for CUDA %d.%d: install NVRTC of CUDA %d", name, major, minor,
            driver_version / 1000, driver_version % 1000 / 10, driver_version / 1000);
        return false;
    }
    return true;
}

static void open_compiler(void)
{
    static const char *const of13[] = {SITU_LIBRARY("nvrtc", "13"), SITU_LIBRARY("nvrtc", "12"), SITU_LIBRARY_ANY("nvrtc"),
        "/usr/local/cuda/lib64/" SITU_LIBRARY_ANY("nvrtc"), NULL};
    const char *name;
    char reason[600];
    int found = cards;
    if (!cards) return;
    cards = 0;
    void *library = open_library("SITU_NVRTC", driver_version >= 13000 ? of13 : of13 + 1, &name, reason, sizeof reason);
    if (library && check_compiler(name, library)) {
        cards = found;
        return;
    }
    if (!library && situ_library_absent(reason))
        because("there %s %d GPU%s, but not NVRTC, which compiles kernels (%.200s: not found): install the CUDA toolkit, or pip "
                "install nvidia-cuda-nvrtc-cu%d and set SITU_NVRTC to its %s",
            found == 1 ? "is" : "are", found, found == 1 ? "" : "s", name, driver_version / 1000,
            name == of13[0] ? of13[0] : of13[1]);
    else if (!library) because("%.200s cannot be loaded: %s", name, reason);
    situ_library_close(library);
}

static void look(void)
{
    if (UINTPTR_MAX < UINT64_MAX) {
        because("CUDA devices are for 64-bit programs");
        return;
    }
    uint64_t word = situ_fp_save();
    if (open_driver() && start_driver()) {
        find_cards();
        open_compiler();
    }
    situ_fp_restore(word);
}

static void look_once(void) { situ_call_once(&once, look); }

const situ_cuda_api *situ_cuda_driver(void)
{
    look_once();
    return cards ? &driver : NULL;
}

const situ_nvrtc_api *situ_nvrtc(void)
{
    look_once();
    return cards ? &compiler : NULL;
}

int situ_cuda_count(char *reason, size_t size)
{
    look_once();
    snprintf(reason, size, "%s", why);
    return cards;
}

const situ_cuda_card *situ_cuda_card_at(int index)
{
    look_once();
    return index >= 0 && index < cards ? &card[index] : NULL;
}

int situ_cuda_driver_version(void) { return driver_version; }
int situ_nvrtc_version(void) { return compiler_version; }
