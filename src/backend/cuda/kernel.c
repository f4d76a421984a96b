/* Creating kernels: generated text, compiled by NVRTC, or a library's plan. */
#include "backend/cuda/kernel.h"
#include "backend/cuda/convolution.h"
#include "backend/cuda/matmul.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/queue.h"
#include "codegen/call_text.h"
#include "codegen/group_text.h"
#include "device/device.h"

size_t situ_cuda_workspace(const struct situ_kernel_desc *desc)
{
    situ_passes passes;
    if (desc->call && desc->group) return 0; /* products by libraries do not use the plan's workspace */
    if (desc->group) return situ_fused_passes(desc->group, &situ_dialect_cuda).workspace;
    if (desc->row_program) return situ_row_program_passes(desc->row_program, &situ_dialect_cuda).workspace;
    return situ_call_passes(desc->call, &situ_dialect_cuda, &passes) ? passes.workspace : 0;
}

/* Empty results need no kernel. */
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
        k->passes = situ_fused_passes(desc->group, d);
        *text = does_nothing(k) ? NULL : situ_fused_text(desc->group, "k", d);
    } else if (desc->row_program) {
        k->passes = situ_row_program_passes(desc->row_program, &situ_dialect_cuda);
        *text = does_nothing(k) ? NULL : situ_row_program_text(desc->row_program, desc->naddress, desc->nargument, "k", d);
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

/* Asks cuBLASLt and cuDNN. A kernel that one of them supports needs no compiled text. */
static int ask_libraries(situ_dev *d, situ_cuda_kernel *k, const situ_kernel_desc *desc)
{
    situ_cuda *s = d->state;
    cu_context before;
    k->refusal = "";
    if (!desc->call) return 0;
    if (situ_cuda_enter(s, &before)) return situ_fail(SITU_DEVICE_LOST, NULL, "%s: the device is lost: %s", desc->name, s->lost);
    k->matmul = situ_cuda_matmul_new(d, desc->call, desc->group, &k->refusal);
    if (!k->matmul && !*k->refusal) k->convolution = situ_cuda_convolution_new(d, desc->call, &k->refusal);
    situ_cuda_leave(before);
    return 0;
}

/* A kernel for unaligned addresses from the same text, compiled when it is first needed. Takes ownership of the text. */
static int make_unaligned(situ_cuda_kernel *k, char *text, const char *name)
{
    situ_cuda_kernel *other = k->unaligned = situ_calloc(1, sizeof *other);
    if (!other) {
        situ_free(text);
        return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a kernel");
    }
    *other = (situ_cuda_kernel){
        .text = text, .name = name, .refusal = "", .passes = k->passes, .naddress = k->naddress, .nvalue = k->nvalue, .on = k->on};
    return 0;
}

/* Creates a kernel, with the library that supports it, if any. */
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
    if (!k || k->matmul) return k;
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

/* If the library does not support a call's post-op, two kernels are made: the second processes the first one's result
 * in place. */
static situ_cuda_kernel *make_pair(situ_dev *d, const situ_kernel_desc *desc, const char *refusal)
{
    situ_kernel_desc call = *desc, rest = *desc;
    rest.call = NULL;
    rest.naddress = 1 + desc->group->nload;
    rest.nargument = desc->group->nword;
    call.group = NULL;
    call.naddress -= rest.naddress;
    call.nargument -= rest.nargument;
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
    if (!k || !desc->call || !desc->group || k->matmul) return make_kernel(d, desc, k);
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
    situ_mutex_lock(&s->lock);
    situ_cuda_forget(s, k);
    situ_mutex_unlock(&s->lock);
    if (k->module) situ_cuda_driver()->ModuleUnload(k->module);
    if (k->table_host) situ_cuda_driver()->MemFreeHost(k->table_host);
    if (k->convolution) situ_cuda_convolution_free(s, k->convolution);
    situ_cuda_leave(before);
    if (k->matmul) situ_cuda_matmul_free(s, k->matmul);
    situ_buffer_unref(k->table);
    situ_cuda_drop(d, k->unaligned);
    situ_free(k->text);
    situ_free(k);
}

void situ_cuda_explain(const void *kernel, const char **chosen, const char **refusals)
{
    const situ_cuda_kernel *k = kernel;
    *chosen = k->matmul ? situ_cuda_matmul_name() : k->convolution ? situ_cudnn_name() : "CUDA text";
    const char *uncaptured = situ_cuda_by_library(k) ? k->on->uncaptured : NULL;
    *refusals = uncaptured ? uncaptured : k->refusal;
}
