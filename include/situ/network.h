/* Operations of networks: convolution, pooling, normalisation, embedding, attention.
 *
 *     situ_tensor *y = situ_conv2d(images, kernels, .padding = 1);              // [n, channels, height, width]
 *     y = situ_max_pool2d(situ_relu(y), SHAPE(2));
 *
 * Floats of any dtype; f16 and bf16 compute in f32 and round once. Each differentiates any number of times. Where two
 * sizes are asked for, height and width, one number stands for both. Layers with parameters are in situ/nn.h.
 */
#ifndef SITU_NETWORK_H
#define SITU_NETWORK_H

#include <situ/function.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SITU_BY_NAME situ_conv_options {
    SITU_OPTION_HEAD;
    situ_shape stride;   /* = default 1 in [1, inf): from one window to the next: one number, or one for height and
                          * width */
    situ_shape padding;  /* = default 0 in [0, inf): zeros on either side of an axis */
    situ_shape dilation; /* = default 1 in [1, inf): from one tap of the kernel to the next */
    int64_t groups;      /* = 1 in [1, inf): channels are cut into groups of their own */
} situ_conv_options;
/* y[n,o,h,v] = sum over c, i, j of x[n, c, h stride + i dilation - padding, v ...] w[o,c,i,j], zeros outside of x.
 * x [n, channels, height, width], w [out, channels / groups, kernel height, kernel width]. */
SITU_API situ_tensor *situ_conv2d(situ_tensor *x, situ_tensor *w, const situ_conv_options *options, situ_site site);
/* The same without height: x [n, channels, length], w [out, channels / groups, kernel length]. */
SITU_API situ_tensor *situ_conv1d(situ_tensor *x, situ_tensor *w, const situ_conv_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_max_pool_options {
    SITU_OPTION_HEAD;
    situ_shape stride;  /* = default in [1, inf): from one window to the next; default: the window, so that they do
                         * not overlap */
    situ_shape padding; /* = default 0 in [0, inf): at most half a window */
} situ_max_pool_options;
typedef struct SITU_BY_NAME situ_avg_pool_options {
    SITU_OPTION_HEAD;
    situ_shape stride;  /* = default in [1, inf): from one window to the next; default: the window, so that they do
                         * not overlap */
    situ_shape padding; /* = default 0 in [0, inf): at most half a window */
    bool count_padding; /* = true: means are over whole windows, zeros added */
} situ_avg_pool_options;
/* The largest element, the mean, of each window over the last two axes. Of equal elements the first takes the gradient;
 * NaN is the largest. An image without rows or columns, of which windows hold padding alone, is an error; its means
 * over whole windows are 0. */
SITU_API situ_tensor *situ_max_pool2d(situ_tensor *x, situ_shape size, const situ_max_pool_options *options, situ_site site);
SITU_API situ_tensor *situ_avg_pool2d(situ_tensor *x, situ_shape size, const situ_avg_pool_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_layer_norm_options {
    SITU_OPTION_HEAD;
    double eps; /* = 1e-5 in [0, inf): added to the variance */
} situ_layer_norm_options;
/* (x - mean) / sqrt(variance + eps) scale + shift, with the moments of each row: of x along its last axis. scale and
 * shift are as long as that axis. */
SITU_API situ_tensor *situ_layer_norm(
    situ_tensor *x, situ_tensor *scale, situ_tensor *shift, const situ_layer_norm_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_batch_norm_options {
    SITU_OPTION_HEAD;
    double eps;            /* = 1e-5 in [0, inf): added to the variance */
    double momentum;       /* = 0.1 in [0, 1]: running = (1 - momentum) running + momentum value, the variance times
                            * n / (n - 1) */
    situ_tensor *mean;     /* = none: a variable that follows the means */
    situ_tensor *variance; /* = none: a variable that follows the variances */
    bool inference;        /* = false: normalise with .mean and .variance, which may be any tensors then, and change
                            * nothing */
} situ_batch_norm_options;
/* The same with the moments of each channel: of x over all axes but axis 1. scale and shift are as long as axis 1. */
SITU_API situ_tensor *situ_batch_norm(
    situ_tensor *x, situ_tensor *scale, situ_tensor *shift, const situ_batch_norm_options *options, situ_site site);

/* Rows of a table [count, width]: table[index]. Rows that are asked for more than once add up their gradients in order. */
SITU_API situ_tensor *situ_embedding(situ_tensor *table, situ_tensor *index, situ_site site);

typedef struct SITU_BY_NAME situ_attention_options {
    SITU_OPTION_HEAD;
    bool causal;  /* = false: query i sees keys 0 ... i only */
    double scale; /* = 0: of the scores; 0: 1 / sqrt(width) */
} situ_attention_options;
/* softmax(q k^T scale) v; q [..., queries, width], k [..., keys, width], v [..., keys, any width]. */
SITU_API situ_tensor *situ_attention(
    situ_tensor *q, situ_tensor *k, situ_tensor *v, const situ_attention_options *options, situ_site site);
/* The same for x [..., positions, 3 heads width] that holds queries, keys and values of each head, one after the other;
 * the heads' results lie side by side: [..., positions, heads width]. */
SITU_API situ_tensor *situ_self_attention(situ_tensor *x, int64_t heads, const situ_attention_options *options, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/network.h>

#endif
