/* Kernels of the CPU: a compiled group, or the chosen implementation of a structured operation. */
#ifndef SITU_CPU_KERNEL_H
#define SITU_CPU_KERNEL_H

#include "plan/kernel.h"

/* NULL with an error. The kernel copies what it needs; only a call's op and attr must outlive it. */
void *situ_cpu_kernel_new(const situ_kernel_desc *desc);
/* Runs it in the calling thread, with the thread pool if parallel. Any number of threads may run one kernel. 0, or a
 * negative code without an error raised; errors in values go to *fault. */
int situ_cpu_kernel_run(void *kernel, char *const *address, const uint64_t *argument, situ_fault *fault, bool parallel);
void situ_cpu_kernel_free(void *kernel);

/* Does a tuned implementation take this composite as a whole? */
bool situ_cpu_claims(const situ_call_desc *call);

/* The implementation in use: "tiles", "reference", "gemm", ...; and which ones refused and why ("" if none). */
const char *situ_cpu_kernel_chosen(const void *kernel);
const char *situ_cpu_kernel_refusals(const void *kernel);

/* A tuned implementation of a structured operation. A call uses the first row of situ_cpu_implementations
 * (implementations.c) with its op whose `accepts` agrees; the last resort is the op's own host function, the
 * reference. */
typedef struct situ_cpu_implementation {
    const char *op, *name;
    /* False if it cannot or should not take the call, with the reason in `reason` (size bytes; may stay empty). */
    bool (*accepts)(const situ_call_desc *call, char *reason, size_t size);
    situ_host_fn run;
} situ_cpu_implementation;
extern const situ_cpu_implementation situ_cpu_implementations[]; /* ends with op NULL */

#endif
