/* Launches, and waiting for their end. */
#include "backend/cuda/convolution.h"
#include "backend/cuda/kernel.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Waits for `compute`. A failed wait may report an earlier kernel's error; only a second one tells whether the device
 * is lost. */
static int wait_compute(situ_cuda *s)
{
    const situ_cuda_api *cu = situ_cuda_driver();
    const char *none = NULL;
    int code = cu->StreamSynchronize(s->compute);
    int failed = situ_cuda_code(s, code, "cuStreamSynchronize");
    if (code && cu->StreamSynchronize(s->compute)) atomic_compare_exchange_strong(&s->lost, &none, situ_cuda_error(code));
    return s->lost ? -SITU_DEVICE_LOST : failed;
}

/* Waits, and finds the first launch that set its error word. */
static int finish(situ_cuda *s)
{
    int code = situ_cuda_flush(s), faults = s->faults;
    s->faults = 0;
    if (faults && !s->lost) {
        int copied =
            SITU_CUDA_TRY(s, MemcpyDtoHAsync, s->fault_host, s->fault_at, (size_t)faults * sizeof *s->fault_host, s->compute);
        if (!code) code = copied;
    }
    int waited = wait_compute(s);
    if (!code) code = waited;
    for (int i = 0; i < faults && !code && !s->faulty; i++) {
        if (!s->fault_host[i].set) continue;
        s->faulty = true;
        s->found = s->fault_host[i];
        s->found_launch = s->fault_launch[i];
    }
    return code;
}

int situ_cuda_finish(situ_dev *d, situ_fault *fault, int64_t *which)
{
    situ_cuda *s = d->state;
    cu_context before;
    if (which) *which = -1;
    if (situ_cuda_enter(s, &before)) situ_cuda_enter_to_free(s, &before); /* started work must end even if the device is lost */
    situ_mutex_lock(&s->lock);
    int code = finish(s);
    if (!code) code = s->failed;
    if (s->faulty && !code && fault) {
        situ_fault_set_at(fault, s->found.code ? s->found.code : SITU_BAD_INDEX, s->found.value, s->found.bound, s->found.place);
        if (which) *which = s->found_launch;
    }
    if (code && !s->updating && !s->lost && fault) situ_fault_set(fault, -code, 0, 0);
    s->faulty = s->guarding = s->updating = false;
    s->failed = 0;
    s->launched = 0;
    s->finishes++;
    situ_mutex_unlock(&s->lock);
    situ_cuda_leave(before);
    return code;
}

/* Prepares one more error word. */
static int ready_faults(situ_cuda *s)
{
    int code = s->faults == SITU_CUDA_FAULTS ? finish(s) : 0;
    if (code || s->faults) return code;
    return SITU_CUDA_TRY(s, MemsetD32Async, s->fault_at, 0, SITU_CUDA_FAULTS * sizeof *s->fault_host / 4, s->compute);
}

/* Collects addresses, words, and the address of the error word. */
static void collect(situ_cuda *s, const situ_cuda_kernel *k, char *const *address, const uint64_t *argument, uint64_t *value)
{
    int nword = k->nvalue - k->naddress - (k->can_fail || k->guarded);
    for (int i = 0; i < k->naddress; i++) value[i] = (uint64_t)(uintptr_t)address[i];
    if (nword) memcpy(value + k->naddress, argument, (size_t)nword * 8);
    if (k->guarded) value[k->nvalue - 1] = situ_cuda_guard_word(s);
    if (!k->can_fail) return;
    s->fault_launch[s->faults] = s->launched - 1;
    value[k->nvalue - 1] = s->fault_at + (uint64_t)s->faults++ * sizeof(situ_cuda_fault);
}

/* Values that do not fit into the parameters are uploaded as a table; the parameters are then its address and the
 * error word. */
static int to_table(situ_cuda *s, situ_cuda_kernel *k, uint64_t *value)
{
    size_t n = (size_t)(k->nvalue - (k->can_fail || k->guarded));
    int code = 0;
    if (k->table_used == s->finishes + 1) { /* an earlier launch, started or recorded, still reads the table */
        code = situ_cuda_flush(s);
        if (!code) code = wait_compute(s);
    }
    if (code) return code;
    memcpy(k->table_host, value, 8 * n);
    k->table_used = s->finishes + 1;
    value[0] = (uint64_t)(uintptr_t)k->table->address;
    value[1] = value[k->nvalue - 1];
    return SITU_CUDA_TRY(s, MemcpyHtoDAsync, value[0], k->table_host, 8 * n, s->compute);
}

static int ready_text(situ_cuda *s, situ_cuda_kernel *k)
{
    bool other = situ_error_code != 0;
    int code = situ_cuda_make_passes(s, k, k->text, k->name);
    if (code && !other) situ_error_take(NULL); /* the launch reports it */
    if (code) return code;
    situ_free(k->text);
    k->text = NULL;
    return 0;
}

/* Called under the lock. */
static int launch(situ_cuda *s, situ_cuda_kernel *k, char *const *address, const uint64_t *argument, uint64_t *value)
{
    int code = k->can_fail ? ready_faults(s) : 0;
    if (!code) code = situ_cuda_after_uploads(s, s);
    if (!code && k->text) code = ready_text(s, k);
    if (code) return code;
    collect(s, k, address, argument, value);
    if (k->table && (code = to_table(s, k, value))) return code;
    code = situ_cuda_run(s, k, value);
    return !code && s->waits ? finish(s) : code;
}

/* Starts nothing for an empty result. Called under the lock, in the device's context. */
static int launch_one(situ_cuda *s, situ_cuda_kernel *k, char *const *address, const uint64_t *argument)
{
    uint64_t few[128], *value = few;
    if (!k->module && !k->text && !situ_cuda_by_library(k)) return 0;
    if (k->nvalue > 128 && !(value = situ_malloc((size_t)k->nvalue * 8))) return -SITU_NO_MEMORY;
    int code = launch(s, k, address, argument, value);
    if (value != few) situ_free(value);
    return code;
}

int situ_cuda_launch(situ_dev *d, void *it, char *const *address, const uint64_t *argument, situ_fault *fault)
{
    situ_cuda *s = d->state;
    situ_cuda_kernel *k = it;
    cu_context before;
    (void)fault; /* finish reports it */
    if (situ_cuda_enter(s, &before)) return -SITU_DEVICE_LOST;
    if (k->unaligned && !situ_cuda_convolution_takes(address)) k = k->unaligned;
    situ_mutex_lock(&s->lock);
    s->launched++;
    int code = launch_one(s, k, address, argument);
    if (!code && k->then) code = launch_one(s, k->then, address + k->naddress, argument + (k->nvalue - k->naddress - k->can_fail));
    situ_mutex_unlock(&s->lock);
    situ_cuda_leave(before);
    return code;
}
