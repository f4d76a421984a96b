/* The OpenCL vtable: opening devices, and their properties. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/opencl/kernel.h"
#include "base/error.h"
#include "base/memory.h"
#include "codegen/dialect.h"
#include "device/device.h"
#include "os/env.h"

/* ---- queries ----------------------------------------------------------------------------------------------------------- */

static uint64_t number(cl_device d, uint32_t what, size_t size)
{
    uint64_t value = 0; /* little endian: a shorter answer fills the low bytes */
    return situ_cl()->GetDeviceInfo(d, what, size, &value, NULL) ? 0 : value;
}

static void text(cl_device d, uint32_t what, char *out, size_t size)
{
    char full[512] = "";
    size_t needed = 0;
    if (situ_cl()->GetDeviceInfo(d, what, sizeof full - 1, full, &needed)) full[0] = 0;
    full[sizeof full - 1] = 0;
    snprintf(out, size, "%s", full);
}

static int refuse(int index, const char *what)
{
    return situ_fail(SITU_NO_DEVICE, NULL, "opencl(%d) cannot be used: %s", index, what);
}

/* ---- opening ----------------------------------------------------------------------------------------------------------- */

/* If it is 0, structured operations without an OpenCL text are refused on OpenCL CPUs, too, not only on GPUs. */
static bool wants_maps(void)
{
    const char *wish = situ_env("SITU_OPENCL_MAPPED");
    return !wish || strcmp(wish, "0") != 0;
}

static int read_properties(situ_opencl *s, int index)
{
    cl_device d = s->device;
    const uint64_t needed = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA;
    uint64_t f32 = number(d, CL_DEVICE_SINGLE_FP_CONFIG, 8), f64 = number(d, CL_DEVICE_DOUBLE_FP_CONFIG, 8);
    if (!number(d, CL_DEVICE_AVAILABLE, 4)) return refuse(index, "its driver says that it is not available");
    if (!number(d, CL_DEVICE_COMPILER_AVAILABLE, 4)) return refuse(index, "its driver has no compiler");
    if (!f64) return refuse(index, "it has no double precision (cl_khr_fp64), which functions of f32 need inside");
    s->maps = number(d, CL_DEVICE_TYPE, 8) & CL_DEVICE_TYPE_CPU && number(d, CL_DEVICE_HOST_UNIFIED_MEMORY, 4) && wants_maps();
    s->dialect = number(d, CL_DEVICE_TYPE, 8) & CL_DEVICE_TYPE_CPU ? &situ_dialect_opencl_cpu : &situ_dialect_opencl;
    s->rounds_division = f32 & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    s->exact = s->rounds_division && (f32 & needed) == needed && (f64 & needed) == needed;
    s->memory = (int64_t)number(d, CL_DEVICE_GLOBAL_MEM_SIZE, 8);
    s->most_block = (int64_t)number(d, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8);
    if (number(d, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t)) < 256)
        return refuse(index, "its work-groups hold fewer than 256 work-items");
    return 0;
}

static void identify(situ_opencl *s)
{
    static const uint32_t what[] = {CL_DEVICE_NAME, CL_DRIVER_VERSION, CL_DEVICE_VERSION};
    char words[512] = "";
    situ_hash h = situ_hash_start(1);
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        text(s->device, what[i], words, sizeof words);
        situ_hash_bytes(&h, words, strlen(words));
    }
    memset(words, 0, sizeof words);
    if (!situ_cl()->GetPlatformInfo(s->platform, CL_PLATFORM_VERSION, sizeof words - 1, words, NULL))
        situ_hash_bytes(&h, words, strlen(words));
    s->identity = situ_hash_end(&h);
}

static void close_device(situ_dev *d)
{
    situ_opencl *s = d->state;
    const situ_cl_api *cl = situ_cl();
    if (s->fault) cl->ReleaseMemObject(s->fault);
    if (s->transfer) cl->ReleaseCommandQueue(s->transfer);
    if (s->work) cl->ReleaseCommandQueue(s->work);
    if (s->context) cl->ReleaseContext(s->context);
    for (int i = 0; i < 2; i++) situ_lock_forget(&s->known[i]);
    situ_mutex_destroy(&s->lock);
    situ_mutex_destroy(&s->launching);
    situ_free(s->block);
    situ_free(s);
    d->state = NULL;
}

static int open_context(situ_opencl *s, int index)
{
    const situ_cl_api *cl = situ_cl();
    int32_t code = 0;
    s->context = cl->CreateContext(NULL, 1, &s->device, NULL, NULL, &code);
    if (s->context) s->work = cl->CreateCommandQueue(s->context, s->device, 0, &code);
    if (s->work) s->transfer = cl->CreateCommandQueue(s->context, s->device, 0, &code);
    if (s->transfer) s->fault = cl->CreateBuffer(s->context, CL_MEM_READ_WRITE, 64, NULL, &code);
    return s->fault ? 0 : refuse(index, situ_cl_error(code));
}

static int open_device(situ_dev *d)
{
    situ_opencl *s = situ_calloc(1, sizeof *s);
    if (!s) return situ_fail(SITU_NO_MEMORY, NULL, "no memory for an OpenCL device");
    situ_mutex_init(&s->lock);
    situ_mutex_init(&s->launching);
    situ_lock_known(&s->known[0], &s->lock);
    situ_lock_known(&s->known[1], &s->launching);
    s->next = SITU_FIRST_ADDRESS;
    d->state = s;
    d->parallel = false;
    s->device = situ_cl_device(d->index, &s->platform);
    int code = s->device ? read_properties(s, d->index) : refuse(d->index, "it is gone");
    if (!code) code = open_context(s, d->index);
    if (code) {
        close_device(d);
        return code;
    }
    identify(s);
    situ_pages_limit(d, s->memory);
    return 0;
}

/* ---- properties -------------------------------------------------------------------------------------------------------- */

static int info(situ_dev *d, situ_device_info *out)
{
    situ_opencl *s = d->state;
    char version[64], driver[48];
    text(s->device, CL_DEVICE_NAME, out->name, sizeof out->name);
    text(s->device, CL_DEVICE_VERSION, version, sizeof version);
    text(s->device, CL_DRIVER_VERSION, driver, sizeof driver);
    snprintf(out->driver, sizeof out->driver, "%s, driver %s", version, driver);
    situ_mutex_lock(&s->lock);
    out->memory_used = s->used;
    situ_mutex_unlock(&s->lock);
    out->memory_total = s->memory;
    out->bit_equal = s->exact;
    return 0;
}

const situ_backend situ_backend_opencl = {
    .name = "opencl",
    .kind = SITU_OPENCL,
    .host_queue = true,
    .bit_equal = true,
    .row_programs = true,
    .count = situ_cl_count,
    .open = open_device,
    .close = close_device,
    .alloc = situ_opencl_alloc,
    .free = situ_opencl_free,
    .upload = situ_opencl_upload,
    .download = situ_opencl_download,
    .copy = situ_opencl_copy,
    .compile = situ_opencl_compile,
    .drop = situ_opencl_drop,
    .launch = situ_opencl_launch,
    .info = info,
    .explain = situ_opencl_explain,
    .workspace = situ_opencl_workspace,
};
