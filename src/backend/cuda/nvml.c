/* NVML: how busy a card is, and what everybody uses of its memory. Where it is not there, nobody misses it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/api.h"
#include "base/fp.h"
#include "base/library.h"

#define SYMBOL(text, name) {"nvml" text, offsetof(situ_nvml_api, name), false}
static const situ_symbol symbols[] = {
    SYMBOL("Init_v2", Init), SYMBOL("Shutdown", Shutdown), SYMBOL("ErrorString", ErrorString),
    SYMBOL("SystemGetDriverVersion", SystemGetDriverVersion), SYMBOL("DeviceGetHandleByUUID", DeviceGetHandleByUUID),
    SYMBOL("DeviceGetMemoryInfo", DeviceGetMemoryInfo), SYMBOL("DeviceGetUtilizationRates", DeviceGetUtilizationRates), {NULL, 0, false}};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static situ_nvml_api nvml;
static bool usable;

static void open_once(void)
{
    static const char *const usual[] = {"libnvidia-ml.so.1", NULL};
    const char *path = getenv("SITU_NVML"), *given[] = {path, NULL};
    char reason[200];
    uint64_t word = situ_fp_save();
    void *library = situ_library_open(path && *path ? given : usual, reason, sizeof reason);
    usable = library && !situ_library_symbols(library, symbols, &nvml, reason, sizeof reason) && !nvml.Init();
    if (!usable) situ_library_close(library);
    situ_fp_restore(word);
}

void situ_nvml_look(const cu_uuid *uuid, situ_nvml_figures *out)
{
    char text[48];
    int used = snprintf(text, sizeof text, "GPU-");
    nvml_device device;
    nvml_memory memory;
    nvml_utilization rates;
    *out = (situ_nvml_figures){.utilization = -1, .used = -1};
    pthread_once(&once, open_once);
    if (!usable) return;
    for (int i = 0; i < 16; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid->bytes[i]);
    if (nvml.SystemGetDriverVersion(out->driver, sizeof out->driver)) out->driver[0] = 0;
    if (nvml.DeviceGetHandleByUUID(text, &device)) return;
    out->known = true;
    if (!nvml.DeviceGetMemoryInfo(device, &memory)) out->used = (int64_t)memory.used;
    if (!nvml.DeviceGetUtilizationRates(device, &rates)) out->utilization = rates.gpu / 100.0;
}
