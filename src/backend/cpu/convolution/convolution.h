/* State of one convolution call, shared by convolve.c and wide.c. "Outputs" are output channels, "places" are positions
 * (row, column) of the result, "kernels" are the filter weights. A unit is one image of one group. */
#ifndef SITU_CPU_CONVOLUTION_H
#define SITU_CPU_CONVOLUTION_H

#include "backend/cpu/convolution/convolve.h"

#include "backend/cpu/scratch.h"
#include "backend/cpu/movement/reduce.h"

typedef struct situ_convolution {
    situ_conv c;
    const situ_convolve_kernels *kernels;
    int type; /* 0: f32, 1: f64 */
    int64_t size, lanes;
    situ_packing packing;
    situ_tap_sum *phase; /* sums over taps; one for each phase of the stride, each with its own start in the result */
    int64_t *start;
    int phases;
    bool gaps;       /* some places belong to no phase: they are set to 0 */
    int64_t weights; /* elements of a group's packed kernels, of all phases */
    int64_t packed_bytes, task_bytes, per_task, units;
    int64_t pieces, piece;    /* a unit's outputs are divided into so many pieces; if 1, the task also packs the image */
    int64_t together;         /* images of a task that does several at once; 0: one image at a time */
    bool wide;                /* wide.c computes the results */
    bool in_place;            /* images are read without packing them */
    const int32_t *positions; /* offsets of all places, of all phases */
    char *images;             /* packed images of units that are divided into pieces */
    const char *in;
    char *out;
    int64_t in_channels, out_channels, out_area; /* of one group */
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

/* Whether images are in memory as they would be packed, without padding. */
static inline bool situ_lies_packed(const situ_packing *p)
{
    return !p->low[0] && !p->low[1] && p->step[0] * p->step[1] == 1 && p->phases[0] * p->phases[1] == 1 && p->rows == p->image[0] &&
        p->pitch == p->image[1];
}

static inline char *situ_convolution_scratch(const situ_convolution *v, int64_t bytes)
{
    char *scratch = situ_scratch((size_t)bytes);
    if (!scratch) situ_fault_set(v->fault, SITU_NO_MEMORY, bytes, 0);
    return scratch;
}

/* ---- wide.c: results of neighbouring outputs side by side in vectors ------------------------------------------------ */

/* For values and gradients by the image: replaces v's division into tasks if wide.c is faster. `largest`: upper bound
 * of places and taps. */
void situ_wide_cut(situ_convolution *v, const situ_tap_sum *largest);
/* Bytes of tables for all tasks, without the kernels, whose size is v->weights. */
int64_t situ_wide_bytes(const situ_convolution *v, int64_t phases);
/* Packs the kernels at `from` as v's phases need them. `source`: for gradients, the position in the kernel of each
 * phase's taps for the first output of y, phase after phase; NULL for values. */
void situ_wide_pack(const situ_convolution *v, const char *from, const int64_t *source, const situ_host *h);
/* `positions`: situ_wide_bytes bytes of memory. */
void situ_wide_run(situ_convolution *v, void *positions, const situ_host *h);

/* For a gradient by the kernel with one accumulator for each sum. Returns the bytes of `scratch`, which all tasks
 * share. */
int64_t situ_wide_cut_gradient(situ_convolution *v, situ_conv_order order);
void situ_wide_gradient(situ_convolution *v, char *scratch, const situ_host *h);
/* Writes the offset of each tap of a kernel in the packed x. */
void situ_convolution_offsets(const situ_convolution *v, int32_t *offset);

#endif
