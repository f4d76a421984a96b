#include "backend/cpu/kernel.h"

#include "backend/cpu/interpreter/group.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

typedef struct kernel {
    situ_program *program;        /* a group, or the post-op of a call ... */
    situ_row_kernel *row_program; /* ... or a row program ... */
    situ_call_desc call;          /* ... or a call, with its operands */
    situ_host_fn run;
    const char *chosen;
    char *refusals;
    int workspace; /* index of its address, -1: none */
    int words;     /* number of words of the call; those of the post-op follow */
    situ_layout in[];
} kernel;

static void remember_refusal(kernel *k, const char *name, const char *reason)
{
    size_t before = k->refusals ? strlen(k->refusals) : 0, more = strlen(name) + strlen(reason) + 8;
    char *text = situ_realloc(k->refusals, before + more);
    if (!text) return; /* only a remark would be lost */
    snprintf(text + before, more, "%s%s: %s", before ? "; " : "", name, reason);
    k->refusals = text;
}

static int choose(kernel *k, const char *name)
{
    const char *op = k->call.op->name;
    for (const situ_cpu_implementation *impl = situ_cpu_implementations; impl->op; impl++) {
        char reason[256] = "";
        if (strcmp(impl->op, op)) continue;
        if (impl->accepts(&k->call, reason, sizeof reason)) {
            k->run = impl->run;
            k->chosen = impl->name;
            return 0;
        }
        if (reason[0]) remember_refusal(k, impl->name, reason);
    }
    k->run = k->call.op->host;
    k->chosen = "reference";
    if (k->run) return 0;
    return situ_fail(SITU_UNSUPPORTED, NULL, "%s has no implementation on the CPU", name ? name : op);
}

bool situ_cpu_claims(const situ_call_desc *call)
{
    char reason[256] = "";
    for (const situ_cpu_implementation *impl = situ_cpu_implementations; impl->op; impl++)
        if (!strcmp(impl->op, call->op->name) && impl->accepts(call, reason, sizeof reason)) return true;
    return false;
}

static kernel *new_kernel(int nin)
{
    kernel *k = situ_calloc(1, sizeof *k + (size_t)nin * sizeof *k->in);
    if (!k) situ_fail(SITU_NO_MEMORY, NULL, "no memory for a kernel of the CPU");
    return k;
}

void *situ_cpu_kernel_new(const situ_kernel_desc *desc)
{
    const situ_call_desc *call = desc ? desc->call : NULL;
    if (!desc || (!call && !desc->group && !desc->row_program))
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "a kernel is made of a group or a call; got neither"), NULL;
    kernel *k = new_kernel(call ? call->nin : 0);
    if (!k) return NULL;
    int failed;
    if (call) {
        k->call = *call;
        if (call->nin) memcpy(k->in, call->in, (size_t)call->nin * sizeof *k->in);
        k->call.in = k->in;
        k->workspace = desc->workspace ? desc->naddress - 1 : -1;
        k->words = desc->nargument - (desc->group ? desc->group->nword : 0);
        failed = choose(k, desc->name);
        if (!failed && desc->group) failed = !(k->program = situ_fused_compile(desc->group, NULL));
    } else if (desc->row_program) {
        k->chosen = "rows";
        k->row_program = situ_row_program_compile(desc->row_program);
        failed = !k->row_program;
    } else {
        k->chosen = "tiles";
        k->program = situ_fused_compile(desc->group, NULL);
        failed = !k->program;
    }
    if (!failed) return k;
    situ_cpu_kernel_free(k);
    return NULL;
}

/* Runs the call with its post-op, part by part if the implementation supports that. */
static void run_with_post_op(const kernel *k, char *const *address, situ_host *host)
{
    situ_post_op f;
    situ_post_op_open(&f, k->program, address + 1 + k->call.nin, host->word + k->words, host->fault);
    host->post_op = &f;
    k->run(&k->call, address, host);
    situ_post_op_close(&f, host->parallel);
}

int situ_cpu_kernel_run(void *kernel_, char *const *address, const uint64_t *argument, situ_fault *fault, bool parallel)
{
    kernel *k = kernel_;
    if (k->program && !k->run) {
        situ_fused_run(k->program, address, argument, fault, parallel);
        return 0;
    }
    if (k->row_program) {
        situ_row_program_run(k->row_program, address, argument, fault, parallel);
        return 0;
    }
    situ_host host = {parallel, fault, argument, k->workspace < 0 ? NULL : address[k->workspace], NULL};
    if (k->program) run_with_post_op(k, address, &host);
    else k->run(&k->call, address, &host);
    return 0;
}

void situ_cpu_kernel_free(void *kernel_)
{
    kernel *k = kernel_;
    if (!k) return;
    situ_free(k->program);
    situ_row_program_free(k->row_program);
    situ_free(k->refusals);
    situ_free(k);
}

const char *situ_cpu_kernel_chosen(const void *kernel_) { return ((const kernel *)kernel_)->chosen; }

const char *situ_cpu_kernel_refusals(const void *kernel_)
{
    const kernel *k = kernel_;
    return k->refusals ? k->refusals : "";
}
