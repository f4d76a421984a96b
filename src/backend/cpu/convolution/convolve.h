/* Convolutions by kernels of our own: direct, over images with zeros around that lie packed in the cache.
 *
 * A value is one chain of fused multiply-adds over the taps (channel, row, column) of the kernel in order; a gradient by
 * the kernel has 8 lanes along the places of an image, which are reduced by halves, and adds up images in order; where there
 * are few places and many weights it is one chain over them, batch by batch. Both
 * follow from the shape alone, so every instruction set and number of threads gives the same bits. */
#ifndef SITU_CPU_CONVOLVE_H
#define SITU_CPU_CONVOLVE_H

#include "base/isa.h"
#include "op/conv.h"

/* For impls.c: calls of conv2d, conv2d_input, conv2d_weight. */
bool situ_convolve_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_convolve_value(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_convolve_input(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_convolve_weight(const situ_call_desc *call, char *const *address, const situ_host *h);

/* ---- inside ------------------------------------------------------------------------------------------------------ */

/* Planes of an image as they are packed: element [r, q] of phase [a, b] of a channel is the image's
 * [low0 + r step0 + a, low1 + q step1 + b], or 0 outside of it. */
typedef struct situ_packing {
    int64_t channels, image[2], step[2], low[2], rows, pitch;
    int64_t phases[2]; /* at most step: those that are wanted, the first ones */
} situ_packing;
/* Padding after the last plane, for vectors that read beyond it. */
enum { SITU_PACKING_SLACK = SITU_CONV_SLACK };
static inline int64_t situ_packing_size(const situ_packing *p)
{
    return p->channels * p->phases[0] * p->phases[1] * p->rows * p->pitch + SITU_PACKING_SLACK;
}

/* A sum over taps at places of a grid: value [m, r, q] = sum over taps of weight[m, tap] packed[offset[tap] + r pitch + q],
 * which goes to out + m plane + (r row + q column). */
typedef struct situ_tap_sum {
    int64_t taps, outputs, grid[2], pitch, plane, row, column;
    int rows;        /* of a strip: situ_sum_rows of all outputs, of which these may be some */
    bool by_outputs; /* strip by strip of the kernels, each at all places; else all kernels at some places after others */
    const int32_t *offset;
    const void *weights; /* strips of `rows` outputs, taps by taps */
} situ_tap_sum;
/* Outputs that a kernel makes together. */
static inline int situ_tap_rows(int64_t outputs) { return outputs % 4 && outputs % 6 < 1 + (outputs % 6 > 4) * 6 ? 6 : 4; }
/* ... in a sum: a group of one output, as in depthwise convolutions, has it alone. */
static inline int situ_sum_rows(int64_t outputs) { return outputs == 1 ? 1 : situ_tap_rows(outputs); }

/* Gradient by the kernel: by[m, tap] = sum over spots of y[m plane + spot.y] packed[offset[tap] + spot.x], a vector each. */
typedef struct situ_tap_gradient {
    int64_t taps, outputs, plane, spots;
    const struct situ_spot {
        int32_t x, y;
    } * spot;
    const int32_t *offset;
} situ_tap_gradient;

/* Sums of `width` results side by side: sums[row, i] = the sum over taps of x[place[row] + offset[tap]] weights[tap, i], or that
 * added to what they are. */
typedef struct situ_wide_sum {
    int64_t rows, taps; /* behind the rows less than SITU_WIDE_ROWS more have places and sums that nobody wants */
    const int32_t *place, *offset;
    const void *x, *weights;
    void *sums;
    bool add;
} situ_wide_sum;
enum { SITU_WIDE_ROWS = 8 };

typedef struct situ_convolve_kernels {
    void (*pack[2])(const situ_packing *p, const void *image, void *to);
    /* scratch: situ_tap_sum_scratch elements. */
    void (*sum[2])(const situ_tap_sum *s, const void *packed, void *out, void *scratch);
    /* Adds to (or starts with) by[m - first, tap] for outputs first <= m < end; scratch: situ_tap_gradient_scratch bytes. */
    void (*gradient[2])(const situ_tap_gradient *s, const void *packed, const void *y, void *by, void *scratch, int64_t first,
        int64_t end, bool start);
    void (*wide[2])(const situ_wide_sum *s);
    /* to[j to_row + i] = from[i across + j] for i < rows, j < columns. */
    void (*turn[2])(const void *from, int64_t across, int64_t rows, int64_t columns, void *to, int64_t to_row);
    int width[2], rows; /* of sums that are made together */
} situ_convolve_kernels;
#define SITU_CONVOLVE_TABLE(name) extern const situ_convolve_kernels name;
SITU_EACH_SET(SITU_CONVOLVE_TABLE, situ_convolve)

/* Scratch elements of a sum whose results are not laid out as its vectors. */
static inline int64_t situ_tap_sum_scratch(const situ_tap_sum *s)
{
    return s->outputs * (s->grid[0] * s->pitch + SITU_PACKING_SLACK);
}

enum { SITU_TAP_BLOCK = 1024 };
/* 16 vectors of 32 bytes for each 2 taps, and the planes of y for a block of spots. */
static inline int64_t situ_tap_gradient_scratch(const situ_tap_gradient *s)
{
    return (s->taps / 2 + 4) * 16 * 32 + 6 * SITU_TAP_BLOCK * 8;
}

#endif
