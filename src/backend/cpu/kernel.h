/* Kernels of the CPU: a compiled group, or the chosen implementation of a structured operation. */
#ifndef SITU_CPU_KERNEL_H
#define SITU_CPU_KERNEL_H

#include "plan/kernel.h"

/* NULL with an error raised. The kernel keeps copies of what it needs; only a call's op and attr must outlive it. */
void *situ_cpu_kernel_new(const situ_kernel_desc *desc);
/* Runs it in the calling thread, with the pool's help if parallel. Any number of threads may run one kernel. 0, or a
 * negative code with nothing raised; what goes wrong with values is in *fault. */
int situ_cpu_kernel_run(void *kernel, char *const *address, const uint64_t *argument, situ_fault *fault, bool parallel);
void situ_cpu_kernel_free(void *kernel);

/* Is there a tuned implementation that takes this call as a whole, a composite's? */
bool situ_cpu_claims(const situ_call_desc *call);

/* What serves it: "tiles", "reference", "gemm", ...; and which implementations refused and why ("" if none). */
const char *situ_cpu_kernel_chosen(const void *kernel);
const char *situ_cpu_kernel_refusals(const void *kernel);

/* A tuned implementation of a structured operation. The first row of situ_cpu_impls (impls.c) whose op and accepts fit
 * serves a call; the op's own host function, the reference, comes last. */
typedef struct situ_cpu_impl {
    const char *op, *name;
    /* False, with why in `reason` (size bytes, may stay empty: not worth a word), where it cannot or should not. */
    bool (*accepts)(const situ_call_desc *call, char *reason, size_t size);
    situ_host_fn run;
} situ_cpu_impl;
extern const situ_cpu_impl situ_cpu_impls[]; /* ends with op NULL */

#endif
