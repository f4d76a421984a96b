/* Convolution: what its three operations share, for their references and for tuned implementations. */
#ifndef SITU_OP_CONV_H
#define SITU_OP_CONV_H

#include <situ/network.h>

#include "graph/op.h"
#include "op/window.h"

/* Of axes 2 and 3. `size` is what the operands do not tell: the image of conv2d_input, the kernel of conv2d_weight. */
typedef struct situ_conv_attr {
    int64_t stride[2], before[2], after[2], dilation[2], groups, size[2];
    int64_t precision; /* what the operands were rounded to, 0: they were not (op/precision.h) */
} situ_conv_attr;
/* conv2d, conv2d_input or conv2d_weight of operands that are as the thread's policy wants them. */
situ_tensor *situ_conv_apply(
    const situ_op *op, situ_tensor *a, situ_tensor *b, const situ_conv_attr *attr, const int64_t *size, situ_site site);

/* Of the last two axes of windows, or of the only one. */
situ_conv_attr situ_conv_attr_of(const situ_window *k, int64_t groups);
/* Do the operands of a convolution over so many axes, or of a transposed one, fit each other? Else an error. */
bool situ_conv_fits(
    const situ_tensor *x, const situ_tensor *w, int axes, int64_t groups, bool transposed, const char *operation, situ_site site);
/* The operands and the options of a convolution over k->n axes: k and the groups from them; false with an error if something does
 * not fit. */
bool situ_take_conv(situ_tensor *x, situ_tensor *w, const situ_conv_options *options, situ_window *k, int64_t *groups,
    const char *operation, situ_site site);

/* One convolution y[n,o,:] = sum over c, i, j of x[n,c,:] w[o,c,i,j]: the operations give y, x's gradient, w's gradient. */
typedef struct situ_conv {
    int64_t n, channels, out_channels, groups;
    int64_t image[2], kernel[2], out[2], stride[2], before[2], dilation[2];
    int64_t group_in, group_out; /* channels of x and of y in each group */
} situ_conv;

/* From a call of conv2d, conv2d_input or conv2d_weight. */
situ_conv situ_conv_of(const situ_call_desc *c);

/* Rows of y at which tap t of the kernel meets the image: first <= row < end. */
static inline void situ_conv_range(const situ_conv *p, int axis, int64_t t, int64_t *first, int64_t *end)
{
    int64_t shift = t * p->dilation[axis] - p->before[axis], s = p->stride[axis];
    *first = shift >= 0 ? 0 : (-shift + s - 1) / s;
    *end = p->image[axis] - 1 - shift < 0 ? 0 : (p->image[axis] - 1 - shift) / s + 1;
    if (*end > p->out[axis]) *end = p->out[axis];
}

/* The order in which a gradient by the kernel is added up, on every device. Places of y are counted along rows that are
 * `pitch` long (what lies behind a row's end is 0); place u is added to lane u mod `lanes`, image after image. After `batch`
 * images the lanes are reduced by halves; batches are added in order to their chunk of images, chunks in order. Where there
 * are few places and many weights there is one lane, as in a product. The sizes are what the CPU's caches like, and follow from
 * the shape alone. */
typedef struct situ_conv_order {
    int64_t lanes, pitch, vectors; /* of an image: so many vectors of lanes */
    int64_t batch, chunk, chunks;  /* images, images, their number          */
} situ_conv_order;
situ_conv_order situ_conv_order_of(const situ_conv *p, bool doubles);
/* Behind the last plane of a packed image: what vectors may read beyond it. */
enum { SITU_CONV_SLACK = 16 };

#endif
