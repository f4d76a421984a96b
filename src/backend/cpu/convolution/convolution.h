/* One call of a convolution on its way: what convolve.c and wide.c share. */
#ifndef SITU_CPU_CONVOLUTION_H
#define SITU_CPU_CONVOLUTION_H

#include "backend/cpu/convolution/convolve.h"

#include "backend/cpu/scratch.h"
#include "backend/cpu/walks/reduce.h"

typedef struct situ_convolution {
    situ_conv c;
    const situ_convolve_kernels *kernels;
    int type; /* 0: f32, 1: f64 */
    int64_t size, lanes;
    situ_packing packing;
    situ_tap_sum *phase; /* sums, and where their results begin */
    int64_t *start;
    int phases;
    bool gaps;       /* some places are no phase's: they are 0 */
    int64_t weights; /* elements of a group's packed kernel, all phases */
    int64_t packed_bytes, task_bytes, per_task, units;
    int64_t pieces, piece; /* of a unit's outputs; 1 piece: its task packs the image */
    int64_t together;      /* images of a task that has several; 0: each by itself */
    bool wide;             /* wide.c has them ... */
    bool in_place;         /* ... and reads images where they lie */
    const int32_t *places; /* of all phases */
    char *images;          /* of units that are cut, packed before */
    const char *in;
    char *out;
    int64_t in_channels, out_channels, out_area; /* of a group */
    /* gradients by the kernel */
    situ_tap_gradient gradient;
    situ_packing y_packing;
    const char *y;
    char *partials;
    situ_combine_fn add;
    int64_t image_size, y_size, y_bytes, batch, chunks, chunk, parts, part;
    situ_fault *fault;
} situ_convolution;

static inline int64_t situ_parts(int64_t n, int64_t size) { return (n + size - 1) / size; }

static inline char *situ_convolution_scratch(const situ_convolution *v, int64_t bytes)
{
    char *scratch = situ_scratch((size_t)bytes);
    if (!scratch) situ_fault_set(v->fault, SITU_NO_MEMORY, bytes, 0);
    return scratch;
}

/* ---- wide.c: results of neighbouring outputs side by side in vectors ------------------------------------------------ */

/* Values or gradients by the image: takes over v's cut if that is faster; `largest` has the most places and taps. */
void situ_wide_cut(situ_convolution *v, const situ_tap_sum *largest);
/* Bytes for all tasks besides the kernels, whose size is v->weights. */
int64_t situ_wide_bytes(const situ_convolution *v, int64_t phases);
/* The kernels at `from` as v's phases want them. `source`: for gradients each phase's taps, one phase after the other, for the
 * first output of y; NULL: values. */
void situ_wide_pack(const situ_convolution *v, const char *from, const int64_t *source, const situ_host *h);
/* `places`: situ_wide_bytes of memory. */
void situ_wide_run(situ_convolution *v, void *places, const situ_host *h);

/* A gradient by the kernel whose sums have one lane; `scratch`: so many bytes for all tasks. */
int64_t situ_wide_cut_gradient(situ_convolution *v, situ_conv_order order);
void situ_wide_gradient(situ_convolution *v, char *scratch, const situ_host *h);
/* Where the taps of a kernel over x are in the packed x. */
void situ_convolution_offsets(const situ_convolution *v, int32_t *offset);

#endif
