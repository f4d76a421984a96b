/* Kernels: generated text, compiled by NVRTC; and when they are over. */
#include "backend/cuda/kernel.h"
#include "backend/cuda/convolution.h"
#include "backend/cuda/product.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/queue.h"
#include "codegen/call_text.h"
#include "codegen/group_text.h"
#include "device/device.h"

/* ---------------------------------------------------------------- making */

size_t situ_cuda_workspace(const struct situ_kernel_desc *desc)
{
    situ_passes passes;
    if (desc->group) return situ_group_passes(desc->group, &situ_dialect_cuda).workspace;
    if (desc->sweep) return situ_sweep_passes(desc->sweep).workspace;
    return situ_call_passes(desc->call, &situ_dialect_cuda, &passes) ? passes.workspace : 0;
}

/* Empty results take no kernel. */
static bool does_nothing(const situ_cuda_kernel *k)
{
    int64_t blocks = 0;
    for (int i = 0; i < k->passes.count; i++) blocks += k->passes.pass[i].blocks;
    return blocks == 0;
}

static int make_text(situ_cuda_kernel *k, const situ_kernel_desc *desc, char **text)
{
    const situ_dialect *d = &situ_dialect_cuda;
    if (desc->group) {
        k->passes = situ_group_passes(desc->group, d);
        *text = does_nothing(k) ? NULL : situ_group_text(desc->group, "k", d);
    } else if (desc->sweep) {
        k->passes = situ_sweep_passes(desc->sweep);
        *text = does_nothing(k) ? NULL : situ_sweep_text(desc->sweep, desc->naddress, desc->nargument, "k", d);
    } else {
        if (!situ_call_passes(desc->call, d, &k->passes))
            return situ_fail(SITU_UNSUPPORTED, NULL,
                             "%s has no kernel of CUDA; compute it on the CPU: move its operands with " SITU_SAY(
                                 "situ_to(x, situ_cpu())", "x.to_device(situ.cpu())"),
                             desc->name);
        k->can_fail = desc->call->op->can_fail;
        *text = does_nothing(k) ? NULL : situ_call_text(desc->call, desc->nargument, "k", d);
    }
    return *text || does_nothing(k) ? 0 : -situ_error_code;
}

int situ_cuda_make_passes(situ_cuda *s, situ_cuda_kernel *k, const char *text, const char *name)
{
    const situ_cuda_api *cu = situ_cuda_driver();
    int code = 0;
    cu_context before;
    if (situ_cuda_enter(s, &before)) return situ_fail(SITU_DEVICE_LOST, NULL, "%s: the device is lost: %s", name, s->lost);
    if (!(k->module = situ_cuda_program(s, text, name))) {
        situ_cuda_leave(before);
        return -situ_error_code;
    }
    for (int i = 0; i < k->passes.count && !code; i++) {
        char pass[16] = "k";
        if (i) snprintf(pass, sizeof pass, "k_%d", i);
        code = cu->ModuleGetFunction(&k->pass[i], k->module, pass);
    }
    int failed = situ_cuda_code(s, code, "cuModuleGetFunction");
    situ_cuda_leave(before);
    return failed ? situ_fail(-failed, NULL, "CUDA made no kernel of %s: %s", name, situ_cuda_error(code)) : 0;
}

static int make_table(situ_dev *d, situ_cuda_kernel *k, const situ_kernel_desc *desc)
{
    situ_cuda *s = d->state;
    const situ_label label = {.name = desc->name, .dtype = SITU_U64, .ndim = 1, .dim = {k->nvalue}};
    cu_context before;
    if (!(k->table = situ_buffer_new(d, (size_t)k->nvalue * 8, &label, NULL))) return -situ_error_code;
    int code = situ_cuda_enter(s, &before);
    if (!code) {
        code = SITU_CUDA_TRY(s, MemHostAlloc, (void **)&k->table_host, (size_t)k->nvalue * 8, CU_MEMHOSTALLOC_PORTABLE);
        situ_cuda_leave(before);
    }
    return code ? situ_fail(-code, NULL, "no pinned memory for the parameters of %s%s", desc->name, situ_dev_why(d)) : 0;
}

/* What a library does takes no text, or no compiled one. */
static int ask_libraries(situ_dev *d, situ_cuda_kernel *k, const situ_kernel_desc *desc)
{
    situ_cuda *s = d->state;
    cu_context before;
    k->refusal = "";
    if (!desc->call) return 0;
    if (situ_cuda_enter(s, &before)) return situ_fail(SITU_DEVICE_LOST, NULL, "%s: the device is lost: %s", desc->name, s->lost);
    k->product = situ_cuda_product_new(d, desc->call, desc->tail, &k->refusal);
    if (!k->product && !*k->refusal) k->convolution = situ_cuda_convolution_new(d, desc->call, &k->refusal);
    situ_cuda_leave(before);
    return 0;
}

/* A kernel of the same text, which is compiled when it is needed. Takes the text. */
static int make_unaligned(situ_cuda_kernel *k, char *text, const char *name)
{
    situ_cuda_kernel *other = k->unaligned = situ_calloc(1, sizeof *other);
    if (!other) {
        situ_free(text);
        return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a kernel");
    }
    *other = (situ_cuda_kernel){.text = text, .name = name, .refusal = "", .passes = k->passes, .naddress = k->naddress, .nvalue = k->nvalue, .on = k->on};
    return 0;
}

/* With what libraries do of it. */
static situ_cuda_kernel *new_kernel(situ_dev *d, const situ_kernel_desc *desc)
{
    situ_cuda_kernel *k = situ_calloc(1, sizeof *k);
    if (!k) return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a kernel"), NULL;
    k->on = d->state;
    k->naddress = desc->naddress;
    k->nvalue = desc->naddress + desc->nargument;
    if (!ask_libraries(d, k, desc)) return k;
    situ_cuda_drop(d, k);
    return NULL;
}

static situ_cuda_kernel *make_kernel(situ_dev *d, const situ_kernel_desc *desc, situ_cuda_kernel *k)
{
    if (!k || k->product) return k;
    char *text = NULL;
    int code = make_text(k, desc, &text);
    k->guarded = desc->group ? desc->group->guarded : desc->call && desc->call->guarded;
    k->nvalue += k->can_fail || k->guarded;
    if (!code && k->convolution) {
        code = make_unaligned(k, text, desc->call->op->name);
        text = NULL;
    }
    if (!code && text) code = situ_cuda_make_passes(d->state, k, text, desc->name);
    if (!code && k->guarded) code = situ_cuda_guard_ready(d);
    if (!code && text && situ_parallel_table(&situ_dialect_cuda, k->naddress, desc->nargument)) code = make_table(d, k, desc);
    situ_free(text);
    if (!code) return k;
    situ_cuda_drop(d, k);
    return NULL;
}

/* A call whose tail the library does not do is two kernels: the second goes over the result of the first in place. */
static situ_cuda_kernel *make_pair(situ_dev *d, const situ_kernel_desc *desc, const char *refusal)
{
    const situ_group *tail = desc->tail;
    situ_kernel_desc call = *desc, rest = {.name = desc->name, .group = tail, .naddress = 1 + tail->nload, .nargument = tail->nword};
    call.tail = NULL;
    call.naddress -= tail->nload - 1;
    call.nargument -= tail->nword;
    situ_cuda_kernel *k = make_kernel(d, &call, new_kernel(d, &call));
    if (!k || (k->then = make_kernel(d, &rest, new_kernel(d, &rest)))) {
        if (k) k->refusal = refusal;
        return k;
    }
    situ_cuda_drop(d, k);
    return NULL;
}

void *situ_cuda_compile(situ_dev *d, const struct situ_kernel_desc *desc)
{
    situ_cuda_kernel *k = new_kernel(d, desc);
    if (!k || !desc->tail || k->product) return make_kernel(d, desc, k);
    const char *refusal = k->refusal;
    situ_cuda_drop(d, k);
    return make_pair(d, desc, refusal);
}

void situ_cuda_drop(situ_dev *d, void *it)
{
    situ_cuda *s = d->state;
    situ_cuda_kernel *k = it;
    cu_context before;
    if (!k) return;
    situ_cuda_drop(d, k->then);
    situ_cuda_enter_to_free(s, &before);
    pthread_mutex_lock(&s->lock);
    situ_cuda_forget(s, k);
    pthread_mutex_unlock(&s->lock);
    if (k->module) situ_cuda_driver()->ModuleUnload(k->module);
    if (k->table_host) situ_cuda_driver()->MemFreeHost(k->table_host);
    if (k->convolution) situ_cuda_convolution_free(s, k->convolution);
    situ_cuda_leave(before);
    if (k->product) situ_cuda_product_free(s, k->product);
    situ_buffer_unref(k->table);
    situ_cuda_drop(d, k->unaligned);
    situ_free(k->text);
    situ_free(k);
}

void situ_cuda_explain(const void *kernel, const char **chosen, const char **refusals)
{
    const situ_cuda_kernel *k = kernel;
    *chosen = k->product ? situ_cuda_product_name() : k->convolution ? situ_cudnn_name() : "CUDA text";
    const char *uncaptured = situ_cuda_by_library(k) ? k->on->uncaptured : NULL;
    *refusals = uncaptured ? uncaptured : k->refusal;
}

/* ---------------------------------------------------------------- running */

int situ_cuda_library_start(situ_cuda *s, const situ_cuda_kernel *k, const uint64_t *value, cu_stream stream)
{
    return k->product ? situ_cuda_product_run(s, k->product, value, stream) : situ_cuda_convolution_start(s, k->convolution, value, stream);
}

int situ_cuda_start(situ_cuda *s, const situ_cuda_kernel *k, const uint64_t *value)
{
    if (situ_cuda_by_library(k)) return situ_cuda_library_start(s, k, value, s->compute);
    s->updating |= k->guarded;
    const situ_cuda_api *cu = situ_cuda_driver();
    void *few[128], **parameter = few;
    int code = 0, n = situ_cuda_parameters(k);
    if (n > 128 && !(parameter = situ_malloc((size_t)n * sizeof *parameter))) return -SITU_NO_MEMORY;
    for (int i = 0; i < n; i++) parameter[i] = (void *)(uintptr_t)&value[i];
    for (int i = 0; i < k->passes.count && !code; i++) {
        const situ_pass *p = &k->passes.pass[i];
        if (p->blocks) code = cu->LaunchKernel(k->pass[i], (unsigned)p->blocks, 1, 1, (unsigned)p->threads, 1, 1, 0, s->compute, parameter, NULL);
    }
    if (parameter != few) situ_free(parameter);
    return situ_cuda_code(s, code, "cuLaunchKernel");
}

/* Waits for `compute`. A wait that fails says nothing of what runs: only a second one tells whether the device is there. */
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
static int settle(situ_cuda *s)
{
    int code = situ_cuda_flush(s), faults = s->faults;
    s->faults = 0;
    if (faults && !s->lost) {
        int copied = SITU_CUDA_TRY(s, MemcpyDtoHAsync, s->fault_host, s->fault_at, (size_t)faults * sizeof *s->fault_host, s->compute);
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
    if (situ_cuda_enter(s, &before)) situ_cuda_enter_to_free(s, &before); /* what was started must be over all the same */
    pthread_mutex_lock(&s->lock);
    int code = settle(s);
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
    pthread_mutex_unlock(&s->lock);
    situ_cuda_leave(before);
    return code;
}

/* Room for one more error word. */
static int ready_faults(situ_cuda *s)
{
    int code = s->faults == SITU_CUDA_FAULTS ? settle(s) : 0;
    if (code || s->faults) return code;
    return SITU_CUDA_TRY(s, MemsetD32Async, s->fault_at, 0, SITU_CUDA_FAULTS * sizeof *s->fault_host / 4, s->compute);
}

/* Addresses, words, and the place of the error word. */
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

/* What does not fit among parameters goes up; the parameters are where it lies, and the error word. */
static int to_table(situ_cuda *s, situ_cuda_kernel *k, uint64_t *value)
{
    size_t n = (size_t)(k->nvalue - (k->can_fail || k->guarded));
    int code = 0;
    if (k->table_used == s->finishes + 1) { /* what was launched then reads it, or is only noted */
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
    if (code && !other) situ_error_take(NULL); /* the launch tells it */
    if (code) return code;
    situ_free(k->text);
    k->text = NULL;
    return 0;
}

/* Under the lock. */
static int launch(situ_cuda *s, situ_cuda_kernel *k, char *const *address, const uint64_t *argument, uint64_t *value)
{
    int code = k->can_fail ? ready_faults(s) : 0;
    if (!code) code = situ_cuda_after_uploads(s, s);
    if (!code && k->text) code = ready_text(s, k);
    if (code) return code;
    collect(s, k, address, argument, value);
    if (k->table && (code = to_table(s, k, value))) return code;
    code = situ_cuda_run(s, k, value);
    return !code && s->waits ? settle(s) : code;
}

/* What nothing has to be done for starts nothing. Under the lock, in the device's context. */
static int launch_one(situ_cuda *s, situ_cuda_kernel *k, char *const *address, const uint64_t *argument)
{
    uint64_t few[128], *value = few;
    if (!k->module && !k->text && !situ_cuda_by_library(k)) return 0;
    if (k->nvalue > 128 && !(value = situ_malloc((size_t)k->nvalue * 8))) return -SITU_NO_MEMORY;
    int code = launch(s, k, address, argument, value);
    if (value != few) situ_free(value);
    return code;
}

/* The tail of a call. */
static int launch_rest(situ_cuda *s, const situ_cuda_kernel *k, char *const *address, const uint64_t *argument)
{
    char *part[1 + SITU_GROUP_LOADS] = {address[0], address[0]};
    for (int i = 2; i < k->then->naddress; i++) part[i] = address[k->naddress + i - 2];
    return launch_one(s, k->then, part, argument + (k->nvalue - k->naddress - k->can_fail));
}

int situ_cuda_launch(situ_dev *d, void *it, char *const *address, const uint64_t *argument, situ_fault *fault)
{
    situ_cuda *s = d->state;
    situ_cuda_kernel *k = it;
    cu_context before;
    (void)fault; /* finish tells */
    if (situ_cuda_enter(s, &before)) return -SITU_DEVICE_LOST;
    if (k->unaligned && !situ_cuda_convolution_takes(address)) k = k->unaligned;
    pthread_mutex_lock(&s->lock);
    s->launched++;
    int code = launch_one(s, k, address, argument);
    if (!code && k->then) code = launch_rest(s, k, address, argument);
    pthread_mutex_unlock(&s->lock);
    situ_cuda_leave(before);
    return code;
}
