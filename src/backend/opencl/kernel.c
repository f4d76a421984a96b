/* Which way a kernel runs: as generated text, or as a kernel of the CPU on the mapped memory of an OpenCL CPU. */
#include "backend/opencl/kernel.h"

#include <stdio.h>
#include <string.h>

#include "backend/cpu/kernel.h"
#include "base/error.h"
#include "base/memory.h"

typedef struct kernel {
    void *cpu; /* a kernel of the CPU ... */
    int naddress;
} kernel;

void *situ_opencl_compile(situ_dev *d, const struct situ_kernel_desc *desc)
{
    situ_opencl *s = d->state;
    if (!s->maps) {
        situ_fail(SITU_UNSUPPORTED, NULL, "%s has no kernel for this OpenCL device; move its operands to the CPU with situ_to(x, situ_cpu())", desc->name);
        return NULL;
    }
    kernel *k = situ_calloc(1, sizeof *k);
    if (!k) return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a kernel"), NULL;
    k->naddress = desc->naddress;
    k->cpu = situ_cpu_kernel_new(desc);
    if (k->cpu) return k;
    situ_free(k);
    return NULL;
}

void situ_opencl_drop(situ_dev *d, void *it)
{
    (void)d;
    kernel *k = it;
    if (!k) return;
    situ_cpu_kernel_free(k->cpu);
    situ_free(k);
}

int situ_opencl_launch(situ_dev *d, void *it, char *const *address, const uint64_t *argument, situ_fault *fault)
{
    kernel *k = it;
    return situ_opencl_mapped(d->state, k->cpu, k->naddress, address, argument, fault);
}

void situ_opencl_explain(const void *it, const char **chosen, const char **refusals)
{
    const kernel *k = it;
    *chosen = situ_cpu_kernel_chosen(k->cpu);
    *refusals = situ_cpu_kernel_refusals(k->cpu);
}
