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
    situ_shape stride;   /* one number, or one for height and width; default 1   */
    situ_shape padding;  /* zeros on either side of an axis; default 0           */
    situ_shape dilation; /* from one tap of the kernel to the next; default 1    */
    int64_t groups;      /* channels are cut into groups of their own; default 1 */
} situ_conv_options;
#define SITU_CONV_DEFAULTS (.stride = SITU_SHAPE_UNSET, .padding = SITU_SHAPE_UNSET, .dilation = SITU_SHAPE_UNSET, .groups = 1,)
/* y[n,o,h,v] = sum over c, i, j of x[n, c, h stride + i dilation - padding, v ...] w[o,c,i,j], zeros outside of x.
 * x [n, channels, height, width], w [out, channels / groups, kernel height, kernel width]. */
SITU_API situ_tensor *situ_conv2d(situ_tensor *x, situ_tensor *w, const situ_conv_options *options, situ_site site);
/* The same without height: x [n, channels, length], w [out, channels / groups, kernel length]. */
SITU_API situ_tensor *situ_conv1d(situ_tensor *x, situ_tensor *w, const situ_conv_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_pool_options {
    SITU_OPTION_HEAD;
    situ_shape stride;  /* default: the window, so that they do not overlap        */
    situ_shape padding; /* at most half a window; default 0                        */
    bool count_padding; /* default true: means are over whole windows, zeros added */
} situ_pool_options;
#define SITU_POOL_DEFAULTS (.stride = SITU_SHAPE_UNSET, .padding = SITU_SHAPE_UNSET, .count_padding = true,)
#ifndef __cplusplus
typedef struct SITU_BY_NAME situ_max_pool_options { /* as far as they mean something to a maximum */
    SITU_OPTION_HEAD;
    situ_shape stride, padding;
    bool not_an_option_1;
} situ_max_pool_options;
#define SITU_MAX_POOL_DEFAULTS (.stride = SITU_SHAPE_UNSET, .padding = SITU_SHAPE_UNSET, .not_an_option_1 = true,)
#endif
/* The largest element, the mean, of each window over the last two axes. Of equal elements the first takes the gradient;
 * NaN is the largest. An image without rows or columns, of which windows hold padding alone, is an error; its means
 * over whole windows are 0. */
SITU_API situ_tensor *situ_max_pool2d(situ_tensor *x, situ_shape size, const situ_pool_options *options, situ_site site);
SITU_API situ_tensor *situ_avg_pool2d(situ_tensor *x, situ_shape size, const situ_pool_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_layer_norm_options {
    SITU_OPTION_HEAD;
    double epsilon; /* default 1e-5                                                                       */
    int64_t in;     /* of situ_layer_norm_layer: elements of a row; default: as the first input's rows have */
} situ_layer_norm_options;
#define SITU_LAYER_NORM_DEFAULTS (.epsilon = 1e-5,)
/* (x - mean) / sqrt(variance + epsilon) scale + shift, with the moments of each row: of x along its last axis. scale and
 * shift are as long as that axis. */
SITU_API situ_tensor *situ_layer_norm(situ_tensor *x, situ_tensor *scale, situ_tensor *shift,
                                      const situ_layer_norm_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_batch_norm_options {
    SITU_OPTION_HEAD;
    double epsilon;        /* default 1e-5                                                                            */
    double momentum;       /* default 0.1: running = (1 - momentum) running + momentum value, the variance times      */
                           /* n / (n - 1)                                                                             */
    situ_tensor *mean;     /* variables that follow the moments; or NULL                                              */
    situ_tensor *variance;
    bool inference;        /* normalise with .mean and .variance, which may be any tensors then, and change nothing   */
} situ_batch_norm_options;
#define SITU_BATCH_NORM_DEFAULTS (.epsilon = 1e-5, .momentum = 0.1,)
/* The same with the moments of each channel: of x over all axes but axis 1. scale and shift are as long as axis 1. */
SITU_API situ_tensor *situ_batch_norm(situ_tensor *x, situ_tensor *scale, situ_tensor *shift,
                                      const situ_batch_norm_options *options, situ_site site);

/* Rows of a table [count, width]: table[index]. Rows that are asked for more than once add up their gradients in order. */
SITU_API situ_tensor *situ_embedding(situ_tensor *table, situ_tensor *index, situ_site site);

typedef struct SITU_BY_NAME situ_attention_options {
    SITU_OPTION_HEAD;
    bool causal;  /* query i sees keys 0 ... i only   */
    double scale; /* default (0): 1 / sqrt(width)     */
} situ_attention_options;
#define SITU_ATTENTION_DEFAULTS ()
/* softmax(q k^T scale) v; q [..., queries, width], k [..., keys, width], v [..., keys, any width]. */
SITU_API situ_tensor *situ_attention(situ_tensor *q, situ_tensor *k, situ_tensor *v,
                                     const situ_attention_options *options, situ_site site);
/* The same for x [..., positions, 3 heads width] that holds queries, keys and values of each head, one after the other;
 * the heads' results lie side by side: [..., positions, heads width]. */
SITU_API situ_tensor *situ_self_attention(situ_tensor *x, int64_t heads, const situ_attention_options *options,
                                          situ_site site);

#ifndef __cplusplus
#define situ_layer_norm(...) situ_layer_norm_(__VA_ARGS__, )
#define situ_layer_norm_(x, scale, shift, ...) \
    SITU_OPTIONS_(situ_layer_norm_options, SITU_LAYER_NORM_DEFAULTS, situ_layer_norm, \
                  (SITU_OPERAND(x), SITU_OPERAND(scale), SITU_OPERAND(shift)), __VA_ARGS__)
#define situ_batch_norm(...) situ_batch_norm_(__VA_ARGS__, )
#define situ_batch_norm_(x, scale, shift, ...) \
    SITU_OPTIONS_(situ_batch_norm_options, SITU_BATCH_NORM_DEFAULTS, situ_batch_norm, \
                  (SITU_OPERAND(x), SITU_OPERAND(scale), SITU_OPERAND(shift)), __VA_ARGS__)
#define situ_embedding(table, index) (situ_embedding)(SITU_OPERAND(table), SITU_OPERAND(index), SITU_HERE)
#define situ_attention(...) situ_attention_(__VA_ARGS__, )
#define situ_attention_(q, k, v, ...) \
    SITU_OPTIONS_(situ_attention_options, SITU_ATTENTION_DEFAULTS, situ_attention, (SITU_OPERAND(q), SITU_OPERAND(k), SITU_OPERAND(v)), __VA_ARGS__)
#define situ_self_attention(x, ...) situ_self_attention_(x, __VA_ARGS__, )
#define situ_self_attention_(x, heads, ...) \
    SITU_OPTIONS_(situ_attention_options, SITU_ATTENTION_DEFAULTS, situ_self_attention, (SITU_OPERAND(x), SITU_INTEGER(heads)), __VA_ARGS__)
#define situ_conv2d(...) situ_conv2d_(__VA_ARGS__, )
#define situ_conv2d_(x, w, ...) \
    SITU_OPTIONS_(situ_conv_options, SITU_CONV_DEFAULTS, situ_conv2d, (SITU_OPERAND(x), SITU_OPERAND(w)), __VA_ARGS__)
#define situ_conv1d(...) situ_conv1d_(__VA_ARGS__, )
#define situ_conv1d_(x, w, ...) \
    SITU_OPTIONS_(situ_conv_options, SITU_CONV_DEFAULTS, situ_conv1d, (SITU_OPERAND(x), SITU_OPERAND(w)), __VA_ARGS__)
#define situ_max_pool2d(x, ...) situ_max_pool2d_(x, __VA_ARGS__, )
#define situ_max_pool2d_(x, window, ...) \
    SITU_OPTIONS_AS_(situ_max_pool_options, situ_pool_options, SITU_MAX_POOL_DEFAULTS, situ_max_pool2d, (SITU_OPERAND(x), (window)), __VA_ARGS__)
#define situ_avg_pool2d(x, ...) situ_avg_pool2d_(x, __VA_ARGS__, )
#define situ_avg_pool2d_(x, window, ...) \
    SITU_OPTIONS_(situ_pool_options, SITU_POOL_DEFAULTS, situ_avg_pool2d, (SITU_OPERAND(x), (window)), __VA_ARGS__)
#endif

#ifdef __cplusplus
}
#endif
#endif
