/* Kernels of CUDA devices, and runs of launches that are started together. */
#ifndef SITU_BACKEND_CUDA_KERNEL_H
#define SITU_BACKEND_CUDA_KERNEL_H

#include "backend/cuda/cuda.h"
#include "codegen/parallel.h"

typedef struct situ_cuda_kernel {
    cu_module module;                /* NULL: there is nothing to do, or ... */
    struct situ_cuda_matmul *matmul; /* ... a library does it: one of these */
    struct situ_cuda_convolution *convolution;
    struct situ_cuda_kernel *unaligned; /* the alternative for addresses that the library does not accept */
    char *text;                         /* source of the module, compiled at the first launch; else NULL */
    const char *name;
    const char *refusal;           /* why no library does it */
    struct situ_cuda_kernel *then; /* if the library refused a call's post-op: the post-op, applied to the result in place */
    situ_passes passes;
    cu_function pass[SITU_PASSES];
    int naddress, nvalue;          /* parameters: addresses, words, fault word */
    bool can_fail, guarded;        /* both use the last parameter, so at most one is set */
    situ_buffer *table;            /* memory of the values, if there are too many for parameters ... */
    uint64_t *table_host;          /* ... and the pinned memory that they are copied from */
    uint64_t table_used;           /* 1 + s->finishes at its last use */
    struct situ_cuda_graph *graph; /* the graph of a run that begins with this kernel */
    situ_hash begun;               /* hash of the last such run */
    int graphs;                    /* number of graphs that contain it */
    int broken;                    /* number of graphs of such a run that were used only a few times */
    const situ_cuda *on;           /* its device */
    bool uncaptured;               /* capturing the library's work was refused */
} situ_cuda_kernel;

/* Does a library do it? Then there is no text; graphs capture what it starts on a stream. */
static inline bool situ_cuda_by_library(const situ_cuda_kernel *k) { return k->matmul || k->convolution; }

/* Number of parameters of its passes, or of the library's addresses and words. */
static inline int situ_cuda_parameters(const situ_cuda_kernel *k) { return k->table ? 1 + (k->can_fail || k->guarded) : k->nvalue; }

/* ---- kernel.c, launch.c: slots of the vtable
 * ----------------------------------------------------------------------------------- */

void *situ_cuda_compile(situ_dev *d, const struct situ_kernel_desc *desc);
void situ_cuda_drop(situ_dev *d, void *kernel);
int situ_cuda_launch(situ_dev *d, void *kernel, char *const *address, const uint64_t *argument, situ_fault *fault);
int situ_cuda_finish(situ_dev *d, situ_fault *fault, int64_t *which);
size_t situ_cuda_workspace(const struct situ_kernel_desc *desc);
void situ_cuda_explain(const void *kernel, const char **chosen, const char **refusals);

/* ---- guard.c: updates that check the error words on the device ---------------------------------------------------------- */

extern const char situ_cuda_guard_text[];
/* Prepares launches of guarded kernels. 0, or an error. */
int situ_cuda_guard_ready(situ_dev *d);
/* The slot `guard`. */
bool situ_cuda_guard(situ_dev *d);
/* The word that a guarded kernel checks. Called under s->lock. */
cu_address situ_cuda_guard_word(const situ_cuda *s);
void situ_cuda_guard_close(situ_cuda *s);
/* program.c. Makes the passes from text. 0, or an error. */
int situ_cuda_make_passes(situ_cuda *s, situ_cuda_kernel *k, const char *text, const char *name);

/* ---- graph.c: a run of launches that occurs again becomes a CUDA graph, which is started as one ----------------------- */

/* All are called under s->lock, in the device's context. A run consists of the launches between two calls of flush. */
struct situ_cuda_batch *situ_cuda_batch_new(void);
void situ_cuda_batch_free(situ_cuda *s);
/* Starts the kernel now, or records it: if the run so far is the beginning of a known run, both start together at
 * flush. */
int situ_cuda_run(situ_cuda *s, situ_cuda_kernel *k, const uint64_t *value);
/* Starts what was recorded. */
int situ_cuda_flush(situ_cuda *s);
/* Frees the graphs that contain a kernel. */
void situ_cuda_forget(situ_cuda *s, situ_cuda_kernel *k);

/* Both in start.c. Starts all passes of one kernel. */
int situ_cuda_start(situ_cuda *s, const situ_cuda_kernel *k, const uint64_t *value);
/* Starts a library's work on this stream; value: the kernel's addresses. The stream may be in capture mode, so nothing
 * is allocated or waited for. */
int situ_cuda_library_start(situ_cuda *s, const situ_cuda_kernel *k, const uint64_t *value, cu_stream stream);

#endif
