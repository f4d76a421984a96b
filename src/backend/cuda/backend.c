/* The CUDA vtable: opening devices, and their properties. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/convolution.h"
#include "os/env.h"
#include "backend/cuda/kernel.h"
#include "backend/cuda/matmul.h"
#include "base/error.h"
#include "base/memory.h"
#include "device/thread.h"
#include "device/device.h"

static const char *why(situ_dev *d)
{
    situ_device_thread *t = situ_thread_self();
    const situ_cuda *s = d->state;
    if (!t) return "";
    if (s->lost)
        snprintf(t->said, sizeof t->said,
            "%.120s; this device is lost, others are not; CUDA promises it again to a new process only%s", s->lost,
            s->waits ? "" : " (SITU_CUDA_SYNC=1 waits after each kernel, to tell which one it was)");
    else snprintf(t->said, sizeof t->said, "%.120s", situ_cuda_said());
    return t->said;
}

/* ---- opening ----------------------------------------------------------------------------------------------------------- */

static void close_stage(situ_cuda_stage *stage)
{
    const situ_cuda_api *cu = situ_cuda_driver();
    if (stage->done) cu->EventDestroy(stage->done);
    if (stage->host) cu->MemFreeHost(stage->host);
}

static void close_context(situ_cuda *s)
{
    const situ_cuda_api *cu = situ_cuda_driver();
    cu_context before = NULL;
    if (!s->context) return;
    situ_cuda_enter_to_free(s, &before);
    if (s->compute) cu->StreamSynchronize(s->compute);
    if (s->up) cu->StreamSynchronize(s->up);
    if (s->down) cu->StreamSynchronize(s->down);
    situ_cuda_batch_free(s);
    situ_cuda_guard_close(s);
    situ_cuda_matmul_close(s);
    situ_cuda_convolution_close(s);
    for (int i = 0; i < SITU_CUDA_STAGES; i++) close_stage(&s->up_stage[i]);
    for (int i = 0; i < 2; i++) close_stage(&s->down_stage[i]);
    if (s->fault_host) cu->MemFreeHost(s->fault_host);
    if (s->fault_at) cu->MemFree(s->fault_at);
    if (s->up_last) cu->EventDestroy(s->up_last);
    if (s->point) cu->EventDestroy(s->point);
    situ_cuda_close_marks(s);
    if (s->compute) cu->StreamDestroy(s->compute);
    if (s->up) cu->StreamDestroy(s->up);
    if (s->down) cu->StreamDestroy(s->down);
    cu->CtxSetCurrent(before == s->context ? NULL : before);
    cu->DevicePrimaryCtxRelease(s->device);
}

static void close_device(situ_dev *d)
{
    situ_cuda *s = d->state;
    close_context(s);
    for (int i = 0; i < 3; i++) situ_lock_forget(&s->known[i]);
    situ_mutex_destroy(&s->lock);
    situ_mutex_destroy(&s->up_lock);
    situ_mutex_destroy(&s->down_lock);
    situ_free(s->batch);
    situ_free(s);
    d->state = NULL;
}

/* Called in the device's context. */
static int make_objects(situ_cuda *s)
{
    size_t bytes = SITU_CUDA_WORDS * sizeof *s->fault_host;
    int code = SITU_CUDA_TRY(s, StreamCreate, &s->compute, CU_STREAM_NON_BLOCKING);
    if (!code) code = SITU_CUDA_TRY(s, StreamCreate, &s->up, CU_STREAM_NON_BLOCKING);
    if (!code) code = SITU_CUDA_TRY(s, StreamCreate, &s->down, CU_STREAM_NON_BLOCKING);
    if (!code) code = SITU_CUDA_TRY(s, EventCreate, &s->point, CU_EVENT_DISABLE_TIMING);
    if (!code) code = SITU_CUDA_TRY(s, EventCreate, &s->up_last, CU_EVENT_DISABLE_TIMING);
    if (!code) code = SITU_CUDA_TRY(s, MemHostAlloc, (void **)&s->fault_host, bytes, CU_MEMHOSTALLOC_PORTABLE);
    if (!code) code = SITU_CUDA_TRY(s, MemAlloc, &s->fault_at, bytes);
    return code ? code : SITU_CUDA_TRY(s, MemsetD32Async, s->fault_at, 0, bytes / 4, s->compute);
}

static int open_context(situ_dev *d, const situ_cuda_card *card)
{
    situ_cuda *s = d->state;
    size_t total = 0;
    cu_context before = NULL;
    s->device = card->device;
    s->major = card->major;
    s->minor = card->minor;
    int code = SITU_CUDA_TRY(s, DeviceTotalMem, &total, s->device);
    s->memory = (int64_t)total;
    if (!code && situ_cuda_driver()->DeviceGetUuid(&s->uuid, s->device)) memset(&s->uuid, 0, sizeof s->uuid);
    if (!code && (code = SITU_CUDA_TRY(s, DevicePrimaryCtxRetain, &s->context, s->device))) s->context = NULL;
    if (!code) code = situ_cuda_enter(s, &before);
    if (!code) {
        code = make_objects(s);
        situ_cuda_leave(before);
    }
    return code;
}

static void identify(situ_cuda *s, const situ_cuda_card *card)
{
    situ_hash h = situ_hash_start(5);
    situ_hash_bytes(&h, card->name, strlen(card->name));
    situ_hash_word(&h, (uint64_t)(10 * s->major + s->minor));
    situ_hash_word(&h, (uint64_t)situ_cuda_driver_version());
    situ_hash_word(&h, (uint64_t)situ_nvrtc_version());
    s->identity = situ_hash_end(&h);
}

static int open_device(situ_dev *d)
{
    const situ_cuda_card *card = situ_cuda_card_at(d->index);
    const char *sync = situ_env("SITU_CUDA_SYNC");
    situ_cuda *s = situ_calloc(1, sizeof *s);
    if (!s || !(s->batch = situ_cuda_batch_new())) {
        situ_free(s);
        return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a CUDA device");
    }
    situ_mutex_init(&s->lock);
    situ_mutex_init(&s->up_lock);
    situ_mutex_init(&s->down_lock);
    situ_lock_known(&s->known[0], &s->lock);
    situ_lock_known(&s->known[1], &s->up_lock);
    situ_lock_known(&s->known[2], &s->down_lock);
    d->state = s;
    d->parallel = false;
    s->waits = sync && *sync && strcmp(sync, "0") != 0;
    situ_cuda_forget_said();
    int code = card ? open_context(d, card) : -SITU_NO_DEVICE;
    if (code) {
        code = situ_fail(
            SITU_NO_DEVICE, NULL, "gpu(%d) cannot be used: %s", d->index, *situ_cuda_said() ? situ_cuda_said() : "it is gone");
        close_device(d);
        return code;
    }
    identify(s, card);
    situ_pages_limit(d, s->memory);
    return 0;
}

/* ---- properties -------------------------------------------------------------------------------------------------------- */

static int info(situ_dev *d, situ_device_info *out)
{
    situ_cuda *s = d->state;
    const situ_cuda_card *card = situ_cuda_card_at(d->index);
    situ_nvml_figures more;
    cu_context before;
    size_t available = 0, total = 0;
    int driver = situ_cuda_driver_version(), rtc = situ_nvrtc_version();
    if (situ_cuda_enter(s, &before)) return -SITU_DEVICE_LOST;
    int code = SITU_CUDA_TRY(s, MemGetInfo, &available, &total);
    situ_cuda_leave(before);
    if (code) return code;
    situ_nvml_look(&s->uuid, &more);
    snprintf(out->name, sizeof out->name, "%s", card->name);
    snprintf(out->driver, sizeof out->driver, "CUDA %d.%d%s%s, NVRTC %d.%d, compute capability %d.%d", driver / 1000,
        driver % 1000 / 10, more.driver[0] ? ", driver " : "", more.driver, rtc / 1000, rtc % 1000 / 10, s->major, s->minor);
    out->memory_total = s->memory;
    out->memory_used = more.used >= 0 ? more.used : (int64_t)(total - available);
    out->utilization = more.utilization;
    return 0;
}

void situ_cuda_sense(situ_dev *d, double *watts, double *celsius)
{
    if (d->backend == &situ_backend_cuda) situ_nvml_sense(&((situ_cuda *)d->state)->uuid, watts, celsius);
}

static int processes(situ_dev *d, situ_device_process *out, int most)
{
    return situ_nvml_processes(&((situ_cuda *)d->state)->uuid, out, most);
}

static void lacks(char *text, size_t size)
{
    const char *products, *convolutions;
    int used = 0;
    *text = 0;
    if (!situ_cublaslt(&products)) used = snprintf(text, size, "%s; products run as generated text", products);
    if (!situ_cudnn(&convolutions) && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "%s%s; convolutions run as generated text", used ? "; " : "", convolutions);
}

const situ_backend situ_backend_cuda = {
    .name = "cuda",
    .kind = SITU_GPU,
    .host_queue = true,
    .bit_equal = true,
    .row_programs = true,
    .count = situ_cuda_count,
    .open = open_device,
    .close = close_device,
    .alloc = situ_cuda_alloc,
    .free = situ_cuda_free,
    .upload = situ_cuda_upload,
    .download = situ_cuda_download,
    .copy = situ_cuda_copy,
    .compile = situ_cuda_compile,
    .drop = situ_cuda_drop,
    .launch = situ_cuda_launch,
    .finish = situ_cuda_finish,
    .guard = situ_cuda_guard,
    .mark = situ_cuda_mark,
    .follow = situ_cuda_follow,
    .unmark = situ_cuda_unmark,
    .info = info,
    .processes = processes,
    .lacks = lacks,
    .explain = situ_cuda_explain,
    .claims = situ_cuda_convolution_claims,
    .takes = situ_cuda_takes,
    .workspace = situ_cuda_workspace,
    .why = why,
};
