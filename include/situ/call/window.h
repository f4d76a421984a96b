/* Calls of situ/window.h. Made by scripts/generate.py from include/situ/window.h: change that. */
#ifndef SITU_CALL_WINDOW_H
#define SITU_CALL_WINDOW_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_CONV_LAYER_DEFAULTS \
    (.bias = true, .stride = SITU_SHAPE_UNSET, .padding = SITU_SHAPE_UNSET, .dilation = SITU_SHAPE_UNSET, .groups = \
    1,)
#define SITU_CONV_TRANSPOSE_LAYER_DEFAULTS \
    (.bias = true, .stride = SITU_SHAPE_UNSET, .padding = SITU_SHAPE_UNSET, .dilation = SITU_SHAPE_UNSET, .groups = 1, \
    .output_padding = SITU_SHAPE_UNSET,)

#ifndef __cplusplus
#define situ_conv1d_layer(...) situ_conv1d_layer_(__VA_ARGS__, )
#define situ_conv1d_layer_(out, size, ...) \
    SITU_OPTIONS_(situ_conv_layer_options, SITU_CONV_LAYER_DEFAULTS, situ_conv1d_layer, (SITU_INTEGER(out), \
    SITU_OF(situ_shape, SITU_SHAPE_IS_, size),), \
    "situ_conv1d_layer(out, SHAPE(2, 3), .bias = ..., .stride = ..., .padding = ..., ...)", __VA_ARGS__)
#define situ_conv2d_layer(...) situ_conv2d_layer_(__VA_ARGS__, )
#define situ_conv2d_layer_(out, size, ...) \
    SITU_OPTIONS_(situ_conv_layer_options, SITU_CONV_LAYER_DEFAULTS, situ_conv2d_layer, (SITU_INTEGER(out), \
    SITU_OF(situ_shape, SITU_SHAPE_IS_, size),), \
    "situ_conv2d_layer(out, SHAPE(2, 3), .bias = ..., .stride = ..., .padding = ..., ...)", __VA_ARGS__)
#define situ_conv3d_layer(...) situ_conv3d_layer_(__VA_ARGS__, )
#define situ_conv3d_layer_(out, size, ...) \
    SITU_OPTIONS_(situ_conv_layer_options, SITU_CONV_LAYER_DEFAULTS, situ_conv3d_layer, (SITU_INTEGER(out), \
    SITU_OF(situ_shape, SITU_SHAPE_IS_, size),), \
    "situ_conv3d_layer(out, SHAPE(2, 3), .bias = ..., .stride = ..., .padding = ..., ...)", __VA_ARGS__)
#define situ_conv_transpose1d_layer(...) situ_conv_transpose1d_layer_(__VA_ARGS__, )
#define situ_conv_transpose1d_layer_(out, size, ...) \
    SITU_OPTIONS_(situ_conv_transpose_layer_options, SITU_CONV_TRANSPOSE_LAYER_DEFAULTS, situ_conv_transpose1d_layer, \
    (SITU_INTEGER(out), SITU_OF(situ_shape, SITU_SHAPE_IS_, size),), \
    "situ_conv_transpose1d_layer(out, SHAPE(2, 3), .bias = ..., .stride = ..., .padding = ..., ...)", __VA_ARGS__)
#define situ_conv_transpose2d_layer(...) situ_conv_transpose2d_layer_(__VA_ARGS__, )
#define situ_conv_transpose2d_layer_(out, size, ...) \
    SITU_OPTIONS_(situ_conv_transpose_layer_options, SITU_CONV_TRANSPOSE_LAYER_DEFAULTS, situ_conv_transpose2d_layer, \
    (SITU_INTEGER(out), SITU_OF(situ_shape, SITU_SHAPE_IS_, size),), \
    "situ_conv_transpose2d_layer(out, SHAPE(2, 3), .bias = ..., .stride = ..., .padding = ..., ...)", __VA_ARGS__)
#define situ_conv_transpose3d_layer(...) situ_conv_transpose3d_layer_(__VA_ARGS__, )
#define situ_conv_transpose3d_layer_(out, size, ...) \
    SITU_OPTIONS_(situ_conv_transpose_layer_options, SITU_CONV_TRANSPOSE_LAYER_DEFAULTS, situ_conv_transpose3d_layer, \
    (SITU_INTEGER(out), SITU_OF(situ_shape, SITU_SHAPE_IS_, size),), \
    "situ_conv_transpose3d_layer(out, SHAPE(2, 3), .bias = ..., .stride = ..., .padding = ..., ...)", __VA_ARGS__)
#define situ_max_pool1d_layer(...) situ_max_pool1d_layer_(__VA_ARGS__, )
#define situ_max_pool1d_layer_(size, ...) \
    SITU_OPTIONS_(situ_max_pool_options, SITU_MAX_POOL_DEFAULTS, situ_max_pool1d_layer, (SITU_OF(situ_shape, \
    SITU_SHAPE_IS_, size),), \
    "situ_max_pool1d_layer(SHAPE(2, 3), .stride = ..., .padding = ..., .dilation = ..., ...)", __VA_ARGS__)
#define situ_max_pool2d_layer(...) situ_max_pool2d_layer_(__VA_ARGS__, )
#define situ_max_pool2d_layer_(size, ...) \
    SITU_OPTIONS_(situ_max_pool_options, SITU_MAX_POOL_DEFAULTS, situ_max_pool2d_layer, (SITU_OF(situ_shape, \
    SITU_SHAPE_IS_, size),), \
    "situ_max_pool2d_layer(SHAPE(2, 3), .stride = ..., .padding = ..., .dilation = ..., ...)", __VA_ARGS__)
#define situ_max_pool3d_layer(...) situ_max_pool3d_layer_(__VA_ARGS__, )
#define situ_max_pool3d_layer_(size, ...) \
    SITU_OPTIONS_(situ_max_pool_options, SITU_MAX_POOL_DEFAULTS, situ_max_pool3d_layer, (SITU_OF(situ_shape, \
    SITU_SHAPE_IS_, size),), \
    "situ_max_pool3d_layer(SHAPE(2, 3), .stride = ..., .padding = ..., .dilation = ..., ...)", __VA_ARGS__)
#define situ_avg_pool1d_layer(...) situ_avg_pool1d_layer_(__VA_ARGS__, )
#define situ_avg_pool1d_layer_(size, ...) \
    SITU_OPTIONS_(situ_avg_pool_options, SITU_AVG_POOL_DEFAULTS, situ_avg_pool1d_layer, (SITU_OF(situ_shape, \
    SITU_SHAPE_IS_, size),), \
    "situ_avg_pool1d_layer(SHAPE(2, 3), .stride = ..., .padding = ..., .count_padding = ..., ...)", __VA_ARGS__)
#define situ_avg_pool2d_layer(...) situ_avg_pool2d_layer_(__VA_ARGS__, )
#define situ_avg_pool2d_layer_(size, ...) \
    SITU_OPTIONS_(situ_avg_pool_options, SITU_AVG_POOL_DEFAULTS, situ_avg_pool2d_layer, (SITU_OF(situ_shape, \
    SITU_SHAPE_IS_, size),), \
    "situ_avg_pool2d_layer(SHAPE(2, 3), .stride = ..., .padding = ..., .count_padding = ..., ...)", __VA_ARGS__)
#define situ_avg_pool3d_layer(...) situ_avg_pool3d_layer_(__VA_ARGS__, )
#define situ_avg_pool3d_layer_(size, ...) \
    SITU_OPTIONS_(situ_avg_pool_options, SITU_AVG_POOL_DEFAULTS, situ_avg_pool3d_layer, (SITU_OF(situ_shape, \
    SITU_SHAPE_IS_, size),), \
    "situ_avg_pool3d_layer(SHAPE(2, 3), .stride = ..., .padding = ..., .count_padding = ..., ...)", __VA_ARGS__)
#define situ_upsample_layer(...) situ_upsample_layer_(__VA_ARGS__, )
#define situ_upsample_layer_(scale_factor, ...) \
    SITU_OPTIONS_(situ_interpolate_options, SITU_INTERPOLATE_DEFAULTS, situ_upsample_layer, (SITU_OF(situ_shape, \
    SITU_SHAPE_IS_, scale_factor),), "situ_upsample_layer(SHAPE(2, 3), .mode = ..., .align_corners = ...)", \
    __VA_ARGS__)
#define situ_unfold_layer(...) situ_unfold_layer_(__VA_ARGS__, )
#define situ_unfold_layer_(window, ...) \
    SITU_OPTIONS_(situ_window_options, SITU_WINDOW_DEFAULTS, situ_unfold_layer, (SITU_OF(situ_shape, SITU_SHAPE_IS_, \
    window),), "situ_unfold_layer(SHAPE(2, 3), .stride = ..., .padding = ..., .dilation = ...)", __VA_ARGS__)
#define situ_fold_layer(...) situ_fold_layer_(__VA_ARGS__, )
#define situ_fold_layer_(image_size, window, ...) \
    SITU_OPTIONS_(situ_window_options, SITU_WINDOW_DEFAULTS, situ_fold_layer, (SITU_OF(situ_shape, SITU_SHAPE_IS_, \
    image_size), SITU_OF(situ_shape, SITU_SHAPE_IS_, window),), \
    "situ_fold_layer(SHAPE(2, 3), SHAPE(2, 3), .stride = ..., .padding = ..., .dilation = ...)", __VA_ARGS__)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_adaptive_max_pool1d_layer(...) SITU_AT_AS_IT_IS_(situ_adaptive_max_pool1d_layer, __VA_ARGS__)
#define situ_adaptive_max_pool2d_layer(...) SITU_AT_AS_IT_IS_(situ_adaptive_max_pool2d_layer, __VA_ARGS__)
#define situ_adaptive_max_pool3d_layer(...) SITU_AT_AS_IT_IS_(situ_adaptive_max_pool3d_layer, __VA_ARGS__)
#define situ_adaptive_avg_pool1d_layer(...) SITU_AT_AS_IT_IS_(situ_adaptive_avg_pool1d_layer, __VA_ARGS__)
#define situ_adaptive_avg_pool2d_layer(...) SITU_AT_AS_IT_IS_(situ_adaptive_avg_pool2d_layer, __VA_ARGS__)
#define situ_adaptive_avg_pool3d_layer(...) SITU_AT_AS_IT_IS_(situ_adaptive_avg_pool3d_layer, __VA_ARGS__)
#endif

#endif
