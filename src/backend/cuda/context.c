/* Makes a device's context current in a thread, and interprets CUDA errors. */
#include <stdio.h>
#include <string.h>

#include "backend/cuda/cuda.h"
#include "base/error.h"
#include "os/env.h"

/* Describes the last call that failed in this thread. */
static __thread const char *said;

/* After these errors the driver refuses every call for the device. */
static bool is_final(int result)
{
    switch (result) {
    case CUDA_ERROR_NOT_INITIALIZED: /* the process was forked */
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT: return true;
    default: return result >= CUDA_ERROR_HARDWARE_STACK_ERROR && result <= CUDA_ERROR_LAUNCH_FAILED;
    }
}

int situ_cuda_code(situ_cuda *s, int result, const char *call)
{
    char text[128];
    const char *none = NULL;
    if (!result) return 0;
    snprintf(text, sizeof text, "%s: %s", call, situ_cuda_error(result));
    said = situ_site_intern(text);
    if (is_final(result)) atomic_compare_exchange_strong(&s->lost, &none, said ? said : situ_cuda_error(result));
    return result == CUDA_ERROR_OUT_OF_MEMORY ? -SITU_DEVICE_MEMORY : -SITU_DEVICE_LOST;
}

const char *situ_cuda_said(void) { return said ? said : ""; }

void situ_cuda_forget_said(void) { said = NULL; }

bool situ_cuda_tf32(void)
{
    const char *text = situ_env("SITU_TF32");
    return text && !strcmp(text, "1");
}

int situ_cuda_enter(situ_cuda *s, cu_context *before)
{
    const situ_cuda_api *cu = situ_cuda_driver();
    *before = NULL;
    said = NULL;
    if (s->lost) return -SITU_DEVICE_LOST;
    if (cu->CtxGetCurrent(before)) *before = NULL;
    if (*before == s->context || !cu->CtxSetCurrent(s->context)) return 0;
    int code = cu->CtxSetCurrent(s->context), failed = situ_cuda_code(s, code, "cuCtxSetCurrent");
    const char *none = NULL;
    if (failed) atomic_compare_exchange_strong(&s->lost, &none, situ_cuda_error(code)); /* the device is lost */
    return failed;
}

void situ_cuda_enter_to_free(situ_cuda *s, cu_context *before)
{
    const situ_cuda_api *cu = situ_cuda_driver();
    if (cu->CtxGetCurrent(before)) *before = NULL;
    if (*before != s->context) cu->CtxSetCurrent(s->context);
}

void situ_cuda_leave(cu_context before) { situ_cuda_driver()->CtxSetCurrent(before); }
