/* Direct convolutions by kernels of our own, over images that are packed with zero padding in the cache.
 *
 * Each value is one chain of fused multiply-adds over the kernel's taps (channel, row, column) in order. A gradient by
 * the kernel has 8 accumulators along the places of an image, reduced by halves, and adds up images in order; with few
 * places and many weights it is one chain, batch by batch. Which one follows from the shape alone, so every instruction
 * set and number of threads gives the same bits. */
#ifndef SITU_CPU_CONVOLVE_H
#define SITU_CPU_CONVOLVE_H

#include "base/isa.h"
#include "op/conv.h"

/* Listed in implementations.c: calls of conv2d, conv2d_input, conv2d_weight. */
bool situ_convolve_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_convolve_value(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_convolve_input(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_convolve_weight(const situ_call_desc *call, char *const *address, const situ_host *h);

/* ---- inside ------------------------------------------------------------------------------------------------------ */

/* Layout of packed image planes. Element [r, q] of phase [a, b] of a channel is the image's element [low0 + r step0 +
 * a, low1 + q step1 + b], or 0 outside of the image. */
typedef struct situ_packing {
    int64_t channels, image[2], step[2], low[2], rows, pitch;
    int64_t phases[2]; /* number of phases that are needed (the first ones); at most step */
} situ_packing;
/* Elements of padding after the last plane, because vectors read beyond it. */
enum { SITU_PACKING_SLACK = SITU_CONV_SLACK };
static inline int64_t situ_packing_size(const situ_packing *p)
{
    return p->channels * p->phases[0] * p->phases[1] * p->rows * p->pitch + SITU_PACKING_SLACK;
}

/* A sum over taps at all places of a grid: value [m, r, q] = sum over taps of weight[m, tap] packed[offset[tap] + r
 * pitch + q]. It is stored at out + m plane + r row + q column. */
typedef struct situ_tap_sum {
    int64_t taps, outputs, grid[2], pitch, plane, row, column;
    int rows;        /* of a strip: situ_sum_rows of all outputs; the last strip may have fewer */
    int64_t apart;   /* elements between neighbouring outputs of `weights` */
    bool exact;      /* `packed` is the image itself: one row of places, beyond whose end nothing is read */
    bool by_outputs; /* outer loop over strips of the kernels, inner over places; else the other way round */
    const int32_t *offset;
    /* apart == 1: packed, strips of `rows` outputs, tap by tap. apart == taps: as they are, in whole strips. */
    const void *weights;
} situ_tap_sum;
/* Number of outputs that a tile computes together. */
static inline int situ_tap_rows(int64_t outputs) { return outputs % 4 && outputs % 6 < 1 + (outputs % 6 > 4) * 6 ? 6 : 4; }
/* The same for sums: a group with one output, as in depthwise convolutions, computes it alone. */
static inline int situ_sum_rows(int64_t outputs) { return outputs == 1 ? 1 : situ_tap_rows(outputs); }

/* Gradient by the kernel: by[m, tap] = sum over spots of y[m plane + spot.y] packed[offset[tap] + spot.x], one vector
 * of places for each spot. */
typedef struct situ_tap_gradient {
    int64_t taps, outputs, plane, spots;
    const struct situ_spot {
        int32_t x, y;
    } * spot;
    const int32_t *offset;
} situ_tap_gradient;

/* Sums of `width` outputs side by side in vectors: sums[row, i] = sum over taps of x[place[row] + offset[tap]]
 * weights[tap, i]; with `add`, added to what is in sums. */
typedef struct situ_wide_sum {
    int64_t rows, taps; /* up to SITU_WIDE_ROWS - 1 rows more are computed; their places must be valid, their sums are unused */
    const int32_t *position, *offset;
    const void *x, *weights;
    void *sums;
    bool add;
} situ_wide_sum;
enum { SITU_WIDE_ROWS = 8 };

typedef struct situ_convolve_kernels {
    void (*pack[2])(const situ_packing *p, const void *image, void *to);
    /* scratch: situ_tap_sum_scratch elements */
    void (*sum[2])(const situ_tap_sum *s, const void *packed, void *out, void *scratch);
    /* Adds to by[m - first, tap] (or starts it) for outputs first <= m < end; scratch: situ_tap_gradient_scratch
     * bytes. */
    void (*gradient[2])(const situ_tap_gradient *s, const void *packed, const void *y, void *by, void *scratch, int64_t first,
        int64_t end, bool start);
    void (*wide[2])(const situ_wide_sum *s);
    /* Transposes: to[j to_row + i] = from[i across + j] for i < rows, j < columns. */
    void (*transpose[2])(const void *from, int64_t across, int64_t rows, int64_t columns, void *to, int64_t to_row);
    int width[2], rows; /* of sums that are computed together */
} situ_convolve_kernels;
#define SITU_CONVOLVE_TABLE(name) extern const situ_convolve_kernels name;
SITU_EACH_SET(SITU_CONVOLVE_TABLE, situ_convolve)

/* Scratch elements of a sum whose results are not stored in the order of its vectors. */
static inline int64_t situ_tap_sum_scratch(const situ_tap_sum *s)
{
    return s->outputs * (s->grid[0] * s->pitch + SITU_PACKING_SLACK);
}

enum { SITU_TAP_BLOCK = 1024 };
/* 16 vectors of 32 bytes for every 2 taps, and the planes of y for a block of spots. */
static inline int64_t situ_tap_gradient_scratch(const situ_tap_gradient *s)
{
    return (s->taps / 2 + 4) * 16 * 32 + 6 * SITU_TAP_BLOCK * 8;
}

#endif
