/* Before updates it must be known whether a kernel has failed. Instead of the host waiting for that, a kernel combines
 * all error words in use into one, which the kernels of updates check first. */
#include "backend/cuda/kernel.h"
#include "base/error.h"
#include "base/memory.h"
#include "device/device.h"

/* Error words are 8 ints apart: situ_cuda_fault. */
const char situ_cuda_guard_text[] =
    "extern \"C\" __global__ void __launch_bounds__(1) k(const int *words, int *guard, unsigned long long count)\n"
    "{\n"
    "    int any = 0;\n"
    "    for (unsigned long long i = 0; i < count; i++) any |= words[8 * i];\n"
    "    *guard = any;\n"
    "}\n";

static cu_address word_at(const situ_cuda *s, int i) { return s->fault_at + (uint64_t)i * sizeof(situ_cuda_fault); }

cu_address situ_cuda_guard_word(const situ_cuda *s) { return word_at(s, s->guarding ? SITU_CUDA_GUARD : SITU_CUDA_CLEAR); }

int situ_cuda_guard_ready(situ_dev *d)
{
    situ_cuda *s = d->state;
    if (s->guard) return 0; /* plans are made one at a time */
    situ_cuda_kernel *k = situ_calloc(1, sizeof *k);
    if (!k) return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a kernel");
    *k = (situ_cuda_kernel){.refusal = "", .on = s, .naddress = 2, .nvalue = 3, .passes = {.count = 1, .pass = {{1, 1}}}};
    if (situ_cuda_make_passes(s, k, situ_cuda_guard_text, "guard")) {
        situ_free(k);
        return -situ_error_code;
    }
    situ_mutex_lock(&s->lock);
    s->guard = k;
    situ_mutex_unlock(&s->lock);
    return 0;
}

bool situ_cuda_guard(situ_dev *d)
{
    situ_cuda *s = d->state;
    cu_context before;
    if (situ_cuda_enter(s, &before)) return false;
    situ_mutex_lock(&s->lock);
    bool can = s->guard && !s->waits && !s->faulty && !s->failed;
    const uint64_t value[] = {s->fault_at, word_at(s, SITU_CUDA_GUARD), (uint64_t)s->faults};
    int code = can && s->faults ? situ_cuda_run(s, s->guard, value) : 0;
    if (code) s->failed = code; /* finish reports it */
    s->guarding = can && !code && s->faults;
    situ_mutex_unlock(&s->lock);
    situ_cuda_leave(before);
    return can && !code;
}

void situ_cuda_guard_close(situ_cuda *s)
{
    if (!s->guard) return;
    if (s->guard->module) situ_cuda_driver()->ModuleUnload(s->guard->module);
    situ_free(s->guard);
    s->guard = NULL;
}
