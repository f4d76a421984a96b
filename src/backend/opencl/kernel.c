/* How a kernel runs: as generated text, or as a kernel of the CPU on the mapped memory of an OpenCL CPU. */
#include "backend/opencl/kernel.h"

#include <stdio.h>
#include <string.h>

#include "backend/cpu/kernel.h"
#include "base/error.h"
#include "base/memory.h"
#include "codegen/call_text.h"
#include "codegen/group_text.h"
#include "codegen/parallel.h"

typedef struct kernel {
    void *cpu;          /* a kernel of the CPU, or ... */
    cl_program program; /* ... generated text with its passes */
    situ_passes passes;
    cl_kernel pass[SITU_PASSES];
    int naddress, nword;
    bool table, can_fail;
} kernel;

/* ---------------------------------------------------------------- compiling */

/* The same for all OpenCL dialects. */
size_t situ_opencl_workspace(const struct situ_kernel_desc *desc)
{
    situ_passes passes;
    if (desc->group) return situ_fused_passes(desc->group, &situ_dialect_opencl).workspace;
    if (desc->row_program) return situ_row_program_passes(desc->row_program, &situ_dialect_opencl).workspace;
    if (situ_call_passes(desc->call, &situ_dialect_opencl, &passes)) return passes.workspace;
    return desc->call->op->workspace ? desc->call->op->workspace(desc->call) : 0;
}

static int make_passes(situ_opencl *s, kernel *k, const char *text, const char *name)
{
    const situ_cl_api *cl = situ_cl();
    int32_t code = 0;
    if (!(k->program = situ_opencl_program(s, text, name))) return -situ_error_code;
    for (int i = 0; i < k->passes.count && !code; i++) {
        char pass[16] = "k";
        if (i) snprintf(pass, sizeof pass, "k_%d", i);
        k->pass[i] = cl->CreateKernel(k->program, pass, &code);
    }
    return code ? situ_fail(SITU_UNSUPPORTED, NULL, "OpenCL made no kernel of %s: %s", name, situ_cl_error(code)) : 0;
}

/* Empty results need no kernel. */
static bool does_nothing(const kernel *k)
{
    int64_t blocks = 0;
    for (int i = 0; i < k->passes.count; i++) blocks += k->passes.pass[i].blocks;
    return blocks == 0;
}

static int make_group(situ_opencl *s, kernel *k, const situ_kernel_desc *desc)
{
    k->passes = situ_fused_passes(desc->group, s->dialect);
    if (does_nothing(k)) return 0;
    char *text = situ_fused_text(desc->group, "k", s->dialect);
    if (!text) return -situ_error_code;
    int code = make_passes(s, k, text, desc->name);
    situ_free(text);
    return code;
}

static int make_row_program(situ_opencl *s, kernel *k, const situ_kernel_desc *desc)
{
    k->passes = situ_row_program_passes(desc->row_program, &situ_dialect_opencl);
    char *text = situ_row_program_text(desc->row_program, desc->naddress, desc->nargument, "k", s->dialect);
    int code = text ? make_passes(s, k, text, desc->name) : -situ_error_code;
    situ_free(text);
    return code;
}

static int make_call(situ_opencl *s, kernel *k, const situ_kernel_desc *desc)
{
    if (situ_call_passes(desc->call, s->dialect, &k->passes)) {
        if (does_nothing(k)) return 0;
        char *text = situ_call_text(desc->call, desc->nargument, "k", s->dialect);
        int code = text ? make_passes(s, k, text, desc->name) : -situ_error_code;
        k->can_fail = desc->call->op->can_fail;
        situ_free(text);
        return code;
    }
    if (!s->maps)
        return situ_fail(SITU_UNSUPPORTED, NULL,
            "%s has no kernel of OpenCL yet; compute it on the CPU: move its operands with " SITU_SAY(
                "situ_to(x, situ_cpu())", "x.to_device(situ.cpu())"),
            desc->name);
    k->cpu = situ_cpu_kernel_new(desc);
    return k->cpu ? 0 : -situ_error_code;
}

void *situ_opencl_compile(situ_dev *d, const struct situ_kernel_desc *desc)
{
    situ_opencl *s = d->state;
    kernel *k = situ_calloc(1, sizeof *k);
    if (!k) return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a kernel"), NULL;
    k->naddress = desc->naddress;
    k->nword = desc->nargument;
    k->table = situ_parallel_table(s->dialect, k->naddress, k->nword);
    int code = desc->group ? make_group(s, k, desc) : desc->row_program ? make_row_program(s, k, desc) : make_call(s, k, desc);
    if (!code) return k;
    situ_opencl_drop(d, k);
    return NULL;
}

void situ_opencl_drop(situ_dev *d, void *it)
{
    (void)d;
    kernel *k = it;
    if (!k) return;
    const situ_cl_api *cl = situ_cl();
    for (int i = 0; i < SITU_PASSES; i++)
        if (k->pass[i]) cl->ReleaseKernel(k->pass[i]);
    if (k->program) cl->ReleaseProgram(k->program);
    situ_cpu_kernel_free(k->cpu);
    situ_free(k);
}

/* ---------------------------------------------------------------- running */

/* Arguments of the passes of a launch: memory objects, then words (offsets first), or a table of the words. */
typedef struct parameters {
    int objects, words;
    cl_mem *object;
    uint64_t *word;
    cl_mem table, fault;
    cl_mem few_objects[SITU_FUSED_STORES + SITU_FUSED_LOADS + 2];
    uint64_t few_words[SITU_FUSED_STORES + SITU_FUSED_LOADS + 2 + SITU_FUSED_WORDS];
    void *memory; /* used if the fixed array is too small */
} parameters;

static int collect(situ_opencl *s, const kernel *k, char *const *address, const uint64_t *argument, parameters *p)
{
    p->objects = k->naddress;
    p->words = k->naddress + k->nword;
    p->table = p->fault = NULL;
    p->memory = NULL;
    p->object = p->few_objects;
    p->word = p->few_words;
    if (p->objects > SITU_FUSED_STORES + SITU_FUSED_LOADS + 2 || k->nword > SITU_FUSED_WORDS) {
        p->memory = situ_malloc((size_t)p->objects * sizeof *p->object + (size_t)p->words * 8);
        if (!p->memory) return -SITU_NO_MEMORY;
        p->word = p->memory;
        p->object = (cl_mem *)(void *)(p->word + p->words);
    }
    for (int i = 0; i < k->naddress; i++) {
        size_t offset;
        if (!situ_opencl_find(s, address[i], 0, &p->object[i], &offset)) return -SITU_DEVICE_LOST;
        p->word[i] = offset;
    }
    if (k->nword) memcpy(p->word + k->naddress, argument, (size_t)k->nword * 8);
    return 0;
}

static int32_t make_table(situ_opencl *s, parameters *p)
{
    const situ_cl_api *cl = situ_cl();
    int32_t code = 0;
    size_t bytes = 8 * (size_t)p->words;
    p->table = cl->CreateBuffer(s->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    return code ? code : cl->EnqueueWriteBuffer(s->work, p->table, 1, 0, bytes, p->word, 0, NULL, NULL);
}

/* The error word: see codegen/call_text.h. */
typedef struct fault_word {
    int32_t set, code;
    int64_t value, bound, place;
} fault_word;

static int32_t clear_fault(situ_opencl *s, parameters *p)
{
    const fault_word none = {0};
    p->fault = s->fault;
    return situ_cl()->EnqueueWriteBuffer(s->work, s->fault, 1, 0, sizeof none, &none, 0, NULL, NULL);
}

static int32_t read_fault(situ_opencl *s, situ_fault *fault)
{
    fault_word f = {0};
    int32_t code = situ_cl()->EnqueueReadBuffer(s->work, s->fault, 1, 0, sizeof f, &f, 0, NULL, NULL);
    if (!code && f.set) situ_fault_set_at(fault, f.code ? f.code : SITU_BAD_INDEX, f.value, f.bound, f.place);
    return code;
}

static int32_t run_pass(situ_opencl *s, cl_kernel pass, situ_pass shape, const parameters *p)
{
    const situ_cl_api *cl = situ_cl();
    size_t local = (size_t)shape.threads, global = local * (size_t)shape.blocks;
    int32_t code = 0;
    uint32_t at = 0;
    if (!global) return 0;
    for (int i = 0; i < p->objects && !code; i++) code = cl->SetKernelArg(pass, at++, sizeof(cl_mem), &p->object[i]);
    for (int i = 0; i < p->words && !code && !p->table; i++) code = cl->SetKernelArg(pass, at++, 8, &p->word[i]);
    if (p->table && !code) code = cl->SetKernelArg(pass, at++, sizeof(cl_mem), &p->table);
    if (p->fault && !code) code = cl->SetKernelArg(pass, at++, sizeof(cl_mem), &p->fault);
    return code ? code : cl->EnqueueNDRangeKernel(s->work, pass, 1, NULL, &global, &local, 0, NULL, NULL);
}

int situ_opencl_launch(situ_dev *d, void *it, char *const *address, const uint64_t *argument, situ_fault *fault)
{
    situ_opencl *s = d->state;
    const kernel *k = it;
    parameters p;
    if (k->cpu) return situ_opencl_mapped(s, k->cpu, k->naddress, address, argument, fault);
    if (!k->program) return 0;
    int failed = collect(s, k, address, argument, &p);
    if (failed) {
        situ_free(p.memory);
        return failed;
    }
    situ_mutex_lock(&s->launching);
    int32_t code = k->table ? make_table(s, &p) : 0;
    if (k->can_fail && !code) code = clear_fault(s, &p);
    for (int i = 0; i < k->passes.count && !code; i++) code = run_pass(s, k->pass[i], k->passes.pass[i], &p);
    int32_t finished = situ_cl()->Finish(s->work);
    if (k->can_fail && !code && !finished) code = read_fault(s, fault);
    if (p.table) situ_cl()->ReleaseMemObject(p.table);
    situ_mutex_unlock(&s->launching);
    situ_free(p.memory);
    return situ_cl_code(code ? code : finished);
}

void situ_opencl_explain(const void *it, const char **chosen, const char **refusals)
{
    const kernel *k = it;
    *chosen = k->cpu ? situ_cpu_kernel_chosen(k->cpu) : "OpenCL text";
    *refusals = k->cpu ? "OpenCL text: there is none yet, the CPU's kernel runs on the device's mapped memory" : "";
}
