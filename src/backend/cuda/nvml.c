/* NVML: utilization, power and temperature of a card, and its memory use by process. It is optional. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/api.h"
#include "os/env.h"
#include "os/fp.h"
#include "os/library.h"
#include "os/thread.h"

#define SYMBOL(text, name) \
    { \
        "nvml" text, offsetof(situ_nvml_api, name), false \
    }
static const situ_symbol symbols[] = {SYMBOL("Init_v2", Init), SYMBOL("Shutdown", Shutdown), SYMBOL("ErrorString", ErrorString),
    SYMBOL("SystemGetDriverVersion", SystemGetDriverVersion), SYMBOL("DeviceGetHandleByUUID", DeviceGetHandleByUUID),
    SYMBOL("DeviceGetMemoryInfo", DeviceGetMemoryInfo), SYMBOL("DeviceGetUtilizationRates", DeviceGetUtilizationRates),
    {"nvmlDeviceGetComputeRunningProcesses_v3", offsetof(situ_nvml_api, DeviceGetComputeRunningProcesses), true},
    {"nvmlDeviceGetPowerUsage", offsetof(situ_nvml_api, DeviceGetPowerUsage), true},
    {"nvmlDeviceGetTemperature", offsetof(situ_nvml_api, DeviceGetTemperature), true}, {NULL, 0, false}};

static situ_once once = SITU_ONCE_INIT;
static situ_nvml_api nvml;
static bool usable;

static void open_once(void)
{
    static const char *const usual[] = {"libnvidia-ml.so.1", NULL};
    const char *path = situ_env("SITU_NVML"), *given[] = {path, NULL};
    char reason[200];
    uint64_t word = situ_fp_save();
    void *library = situ_library_open(path && *path ? given : usual, reason, sizeof reason);
    usable = library && !situ_library_symbols(library, symbols, &nvml, reason, sizeof reason) && !nvml.Init();
    if (!usable) situ_library_close(library);
    situ_fp_restore(word);
}

static bool find_card(const cu_uuid *uuid, nvml_device *device)
{
    char text[48];
    int used = snprintf(text, sizeof text, "GPU-");
    for (int i = 0; i < 16; i++)
        used += snprintf(
            text + used, sizeof text - (size_t)used, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid->bytes[i]);
    return !nvml.DeviceGetHandleByUUID(text, device);
}

void situ_nvml_look(const cu_uuid *uuid, situ_nvml_figures *out)
{
    nvml_device device;
    nvml_memory memory;
    nvml_utilization rates;
    *out = (situ_nvml_figures){.utilization = -1, .used = -1};
    situ_call_once(&once, open_once);
    if (!usable) return;
    if (nvml.SystemGetDriverVersion(out->driver, sizeof out->driver)) out->driver[0] = 0;
    if (!find_card(uuid, &device)) return;
    out->known = true;
    if (!nvml.DeviceGetMemoryInfo(device, &memory)) out->used = (int64_t)memory.used;
    if (!nvml.DeviceGetUtilizationRates(device, &rates)) out->utilization = rates.gpu / 100.0;
}

void situ_nvml_sense(const cu_uuid *uuid, double *watts, double *celsius)
{
    enum { OF_THE_CHIP = 0 };
    nvml_device device;
    unsigned milliwatts, degrees;
    situ_call_once(&once, open_once);
    if (!usable || !find_card(uuid, &device)) return;
    if (nvml.DeviceGetPowerUsage && !nvml.DeviceGetPowerUsage(device, &milliwatts)) *watts = 1e-3 * milliwatts;
    if (nvml.DeviceGetTemperature && !nvml.DeviceGetTemperature(device, OF_THE_CHIP, &degrees)) *celsius = degrees;
}

int situ_nvml_processes(const cu_uuid *uuid, situ_device_process *out, int most)
{
    enum { MOST = 128 };
    nvml_device device;
    nvml_process process[MOST];
    unsigned count = MOST;
    situ_call_once(&once, open_once);
    if (!usable || !nvml.DeviceGetComputeRunningProcesses || !find_card(uuid, &device)) return -1;
    if (nvml.DeviceGetComputeRunningProcesses(device, &count, process) || count > MOST) return -1;
    for (int i = 0; i < (int)count && i < most; i++)
        out[i] =
            (situ_device_process){.pid = process[i].pid, .memory = process[i].memory > INT64_MAX ? -1 : (int64_t)process[i].memory};
    return (int)count;
}
