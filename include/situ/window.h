/* Layers over windows of the last axes: convolutions and their transposes, pools, other sizes, columns.
 *
 *     situ_module *net = situ_sequential(situ_conv2d_layer(16, SHAPE(3), .padding = 1), situ_relu_layer(),
 *         situ_max_pool2d_layer(SHAPE(2)), situ_adaptive_avg_pool2d_layer(SHAPE(1)), situ_flatten_layer(), situ_linear_layer(10));
 *     situ_tensor *logits = situ_module_call(net, images);     // [batch, channels, height, width] of any size
 *
 * Sizes and options are one number for all axes or one for each. Weights have PyTorch's names and shapes, so that they carry over.
 */
#ifndef SITU_WINDOW_H
#define SITU_WINDOW_H

#include <situ/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- layers: NULL on an error ------------------------------------------------------------------------------------ */

typedef struct SITU_BY_NAME situ_conv_layer_options {
    SITU_OPTION_HEAD;
    bool bias;                  /* = true: adds a bias for each output */
    situ_shape stride;          /* = default 1 in [1, inf): as in situ_conv2d */
    situ_shape padding;         /* = default 0 in [0, inf): as in situ_conv2d, also SITU_SAME */
    situ_shape dilation;        /* = default 1 in [1, inf): as in situ_conv2d */
    int64_t groups;             /* = 1 in [1, inf): as in situ_conv2d */
    int64_t in;                 /* = 0 in [0, inf): channels of the input, a multiple of groups; 0: those of the first input */
    situ_pad_mode padding_mode; /* = SITU_PAD_CONSTANT: how to pad: zeros, or another mode of situ_pad */
} situ_conv_layer_options;
/* situ_conv1d, situ_conv2d, situ_conv3d with a kernel of this size (one number, or one for each axis), plus a bias for each output;
 * weight [out, channels / groups, ...size] and bias [out] are initially uniform in +-1/sqrt(products in a sum). */
SITU_API situ_module *situ_conv1d_layer(int64_t out, situ_shape size, const situ_conv_layer_options *options, situ_site site);
SITU_API situ_module *situ_conv2d_layer(int64_t out, situ_shape size, const situ_conv_layer_options *options, situ_site site);
SITU_API situ_module *situ_conv3d_layer(int64_t out, situ_shape size, const situ_conv_layer_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_conv_transpose_layer_options {
    SITU_OPTION_HEAD;
    bool bias;                 /* = true: adds a bias for each output */
    situ_shape stride;         /* = default 1 in [1, inf): as in situ_conv_transpose2d */
    situ_shape padding;        /* = default 0 in [0, inf): as in situ_conv_transpose2d */
    situ_shape dilation;       /* = default 1 in [1, inf): as in situ_conv_transpose2d */
    int64_t groups;            /* = 1 in [1, inf): as in situ_conv_transpose2d */
    int64_t in;                /* = 0 in [0, inf): channels of the input, a multiple of groups; 0: those of the first input */
    situ_shape output_padding; /* = default 0 in [0, inf): as in situ_conv_transpose2d */
} situ_conv_transpose_layer_options;
/* situ_conv_transpose1d, 2d, 3d, plus a bias for each output; weight [channels, out / groups, ...size] and bias [out] are initially
 * uniform in +-1/sqrt(elements of the weight for one channel). */
SITU_API situ_module *situ_conv_transpose1d_layer(
    int64_t out, situ_shape size, const situ_conv_transpose_layer_options *options, situ_site site);
SITU_API situ_module *situ_conv_transpose2d_layer(
    int64_t out, situ_shape size, const situ_conv_transpose_layer_options *options, situ_site site);
SITU_API situ_module *situ_conv_transpose3d_layer(
    int64_t out, situ_shape size, const situ_conv_transpose_layer_options *options, situ_site site);

/* The maximum, and the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes, as in
 * situ_max_pool2d and situ_avg_pool2d. */
SITU_API situ_module *situ_max_pool1d_layer(situ_shape size, const situ_max_pool_options *options, situ_site site);
SITU_API situ_module *situ_max_pool2d_layer(situ_shape size, const situ_max_pool_options *options, situ_site site);
SITU_API situ_module *situ_max_pool3d_layer(situ_shape size, const situ_max_pool_options *options, situ_site site);
SITU_API situ_module *situ_avg_pool1d_layer(situ_shape size, const situ_avg_pool_options *options, situ_site site);
SITU_API situ_module *situ_avg_pool2d_layer(situ_shape size, const situ_avg_pool_options *options, situ_site site);
SITU_API situ_module *situ_avg_pool3d_layer(situ_shape size, const situ_avg_pool_options *options, situ_site site);
/* Pools to this size (one number, or one for each of the last axes) for any size of the input: situ_adaptive_avg_pool2d, ... */
SITU_API SITU_TOLD situ_module *situ_adaptive_max_pool1d_layer(situ_shape size);
SITU_API SITU_TOLD situ_module *situ_adaptive_max_pool2d_layer(situ_shape size);
SITU_API SITU_TOLD situ_module *situ_adaptive_max_pool3d_layer(situ_shape size);
SITU_API SITU_TOLD situ_module *situ_adaptive_avg_pool1d_layer(situ_shape size);
SITU_API SITU_TOLD situ_module *situ_adaptive_avg_pool2d_layer(situ_shape size);
SITU_API SITU_TOLD situ_module *situ_adaptive_avg_pool3d_layer(situ_shape size);
/* situ_interpolate of [batch, channels, ...] by a factor for all axes, or one for each. */
SITU_API situ_module *situ_upsample_layer(situ_shape scale_factor, const situ_interpolate_options *options, situ_site site);
/* situ_unfold: windows as columns; situ_fold: adds columns up at their positions in images. */
SITU_API situ_module *situ_unfold_layer(situ_shape window, const situ_window_options *options, situ_site site);
SITU_API situ_module *situ_fold_layer(situ_shape image_size, situ_shape window, const situ_window_options *options, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/window.h>

#endif
