/* Kernels of CUDA devices, and runs of launches that are started as one. */
#ifndef SITU_BACKEND_CUDA_KERNEL_H
#define SITU_BACKEND_CUDA_KERNEL_H

#include "backend/cuda/cuda.h"
#include "codegen/parallel.h"

typedef struct situ_cuda_kernel {
    cu_module module;                /* NULL: there is nothing to do, or ...      */
    struct situ_cuda_matmul *matmul; /* ... a library does it: this, or this     */
    struct situ_cuda_convolution *convolution;
    struct situ_cuda_kernel *unaligned; /* does the same at addresses that the library does not take */
    char *text;                         /* what the module is to be made of, at the first launch; else NULL */
    const char *name;
    const char *refusal;           /* why no library does it                    */
    struct situ_cuda_kernel *then; /* a call whose post-op the library refused: the post-op, over the result in place */
    situ_passes passes;
    cu_function pass[SITU_PASSES];
    int naddress, nvalue;          /* parameters: addresses, words, fault word  */
    bool can_fail, guarded;        /* by the last parameter; not both                           */
    situ_buffer *table;            /* where the values lie, if they are too many for parameters ... */
    uint64_t *table_host;          /* ... and the pinned memory that they come from             */
    uint64_t table_used;           /* s->finishes + 1 when they last did                        */
    struct situ_cuda_graph *graph; /* the run that begins with this kernel      */
    situ_hash begun;               /* the last run that did                     */
    int graphs;                    /* that it is in                             */
    int broken;                    /* graphs of that run that served a few times only */
    const situ_cuda *on;           /* its device                                */
    bool uncaptured;               /* the library's work does not go into graphs: it was refused */
} situ_cuda_kernel;

/* Does a library do it? Then there is no text; graphs take what it starts on a stream. */
static inline bool situ_cuda_by_library(const situ_cuda_kernel *k) { return k->matmul || k->convolution; }

/* How many parameters its passes take, or the library's addresses and words. */
static inline int situ_cuda_parameters(const situ_cuda_kernel *k) { return k->table ? 1 + (k->can_fail || k->guarded) : k->nvalue; }

/* ---- kernel.c, launch.c: slots of the vtable
 * ----------------------------------------------------------------------------------- */

void *situ_cuda_compile(situ_dev *d, const struct situ_kernel_desc *desc);
void situ_cuda_drop(situ_dev *d, void *kernel);
int situ_cuda_launch(situ_dev *d, void *kernel, char *const *address, const uint64_t *argument, situ_fault *fault);
int situ_cuda_finish(situ_dev *d, situ_fault *fault, int64_t *which);
size_t situ_cuda_workspace(const struct situ_kernel_desc *desc);
void situ_cuda_explain(const void *kernel, const char **chosen, const char **refusals);

/* ---- guard.c: updates that look at the error words themselves ----------------------------------------------------------- */

extern const char situ_cuda_guard_text[];
/* So that guarded kernels can be launched. 0, or an error is raised. */
int situ_cuda_guard_ready(situ_dev *d);
/* The slot `guard`. */
bool situ_cuda_guard(situ_dev *d);
/* The word that a guarded kernel looks at. Under s->lock. */
cu_address situ_cuda_guard_word(const situ_cuda *s);
void situ_cuda_guard_close(situ_cuda *s);
/* program.c. Of one pass or more, from text. 0, or an error is raised. */
int situ_cuda_make_passes(situ_cuda *s, situ_cuda_kernel *k, const char *text, const char *name);

/* ---- graph.c: a run of launches that comes again becomes a graph of CUDA, which starts as one ------------------------ */

/* All under s->lock, in the device's context. A run is what is launched between two calls of flush. */
struct situ_cuda_batch *situ_cuda_batch_new(void);
void situ_cuda_batch_free(situ_cuda *s);
/* Starts the kernel now, or notes it: where the run so far is the beginning of a known one, that begins as one at flush. */
int situ_cuda_run(situ_cuda *s, situ_cuda_kernel *k, const uint64_t *value);
/* Starts what was noted. */
int situ_cuda_flush(situ_cuda *s);
/* Forgets the graphs that a kernel is in. */
void situ_cuda_forget(situ_cuda *s, situ_cuda_kernel *k);

/* Both in start.c. Starts all passes of one kernel. */
int situ_cuda_start(situ_cuda *s, const situ_cuda_kernel *k, const uint64_t *value);
/* Starts what a library does, on this stream; value: the kernel's addresses. The stream may be a captured one: nothing is
 * allocated or waited for. */
int situ_cuda_library_start(situ_cuda *s, const situ_cuda_kernel *k, const uint64_t *value, cu_stream stream);

#endif
