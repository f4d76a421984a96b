/* Convolution: what its three operations share, for reference and tuned implementations. */
#ifndef SITU_OP_CONV_H
#define SITU_OP_CONV_H

#include <situ/network.h>

#include "graph/op.h"
#include "op/window.h"

/* Attributes for axes 2 and 3. `size` is what the operands do not tell: the image of conv2d_input, the kernel of
 * conv2d_weight. */
typedef struct situ_conv_attr {
    int64_t stride[2], before[2], after[2], dilation[2], groups, size[2];
    int64_t precision; /* dtype to which the operands were rounded, 0: none (op/precision.h) */
} situ_conv_attr;
/* Records conv2d, conv2d_input or conv2d_weight with operands rounded by the thread's precision policy. */
situ_tensor *situ_conv_apply(
    const situ_op *op, situ_tensor *a, situ_tensor *b, const situ_conv_attr *attr, const int64_t *size, situ_site site);

/* The attributes of a convolution whose windows lie over the last two axes of x, or in 1d over the last one. */
situ_conv_attr situ_conv_attr_of(const situ_window *k, int64_t groups);
/* Checks that the operands of a convolution over n axes, or of a transposed one, fit each other; an error if not. */
bool situ_conv_fits(
    const situ_tensor *x, const situ_tensor *w, int axes, int64_t groups, bool transposed, const char *operation, situ_site site);
/* Checks operands and options of a convolution over k->n axes, and fills in k and the groups; false with an error. */
bool situ_take_conv(situ_tensor *x, situ_tensor *w, const situ_conv_options *options, situ_window *k, int64_t *groups,
    const char *operation, situ_site site);

/* A convolution y[n,o,:] = sum over c, i, j of x[n,c,:] w[o,c,i,j]. The three operations compute y, x's gradient and
 * w's gradient. */
typedef struct situ_conv {
    int64_t n, channels, out_channels, groups;
    int64_t image[2], kernel[2], out[2], stride[2], before[2], dilation[2];
    int64_t group_in, group_out; /* channels of x and of y in each group */
} situ_conv;

/* Describes a call of conv2d, conv2d_input or conv2d_weight. */
situ_conv situ_conv_of(const situ_call_desc *c);

/* Rows of y for which kernel element t lies within the image: first <= row < end. */
static inline void situ_conv_range(const situ_conv *p, int axis, int64_t t, int64_t *first, int64_t *end)
{
    int64_t shift = t * p->dilation[axis] - p->before[axis], s = p->stride[axis];
    *first = shift >= 0 ? 0 : (-shift + s - 1) / s;
    *end = p->image[axis] - 1 - shift < 0 ? 0 : (p->image[axis] - 1 - shift) / s + 1;
    if (*end > p->out[axis]) *end = p->out[axis];
}

/* The order of summation of a weight gradient, on every device. Positions of y are counted along rows of length
 * `pitch` (padding after a row's end is 0); position u is added to lane u mod `lanes`, image after image. After
 * `batch` images the lanes are reduced by halves; batches are added in order to their chunk of images, chunks in
 * order. With few positions and many weights there is a single lane, as in a product. The sizes suit the CPU's caches,
 * and follow from the shape alone. */
typedef struct situ_conv_order {
    int64_t lanes, pitch, vectors; /* of an image: number of vectors of lanes */
    int64_t batch, chunk, chunks;  /* images in a batch, images in a chunk, number of chunks */
} situ_conv_order;
situ_conv_order situ_conv_order_of(const situ_conv *p, bool doubles);
/* elements after the last plane of a packed image, which vectors may read */
enum { SITU_CONV_SLACK = 16 };

#endif
