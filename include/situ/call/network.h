/* Calls of situ/network.h. Made by scripts/generate.py from include/situ/network.h: change that. */
#ifndef SITU_CALL_NETWORK_H
#define SITU_CALL_NETWORK_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_CONV_DEFAULTS \
    (.stride = SITU_SHAPE_UNSET, .padding = SITU_SHAPE_UNSET, .dilation = SITU_SHAPE_UNSET, .groups = 1,)
#define SITU_CONV_TRANSPOSE_DEFAULTS \
    (.stride = SITU_SHAPE_UNSET, .padding = SITU_SHAPE_UNSET, .dilation = SITU_SHAPE_UNSET, .output_padding = \
    SITU_SHAPE_UNSET, .groups = 1,)
#define SITU_WINDOW_DEFAULTS (.stride = SITU_SHAPE_UNSET, .padding = SITU_SHAPE_UNSET, .dilation = SITU_SHAPE_UNSET,)
#define SITU_MAX_POOL_DEFAULTS (.stride = SITU_SHAPE_UNSET, .padding = SITU_SHAPE_UNSET, .dilation = SITU_SHAPE_UNSET,)
#define SITU_AVG_POOL_DEFAULTS (.stride = SITU_SHAPE_UNSET, .padding = SITU_SHAPE_UNSET, .count_padding = true,)
#define SITU_INTERPOLATE_DEFAULTS ()
#define SITU_GRID_SAMPLE_DEFAULTS (.mode = SITU_BILINEAR,)
#define SITU_LAYER_NORM_DEFAULTS (.eps = 1e-5,)
#define SITU_BATCH_NORM_DEFAULTS (.eps = 1e-5, .momentum = 0.1,)
#define SITU_ATTENTION_DEFAULTS ()
#define SITU_ROTARY_DEFAULTS (.base = 10000, .axis = -2,)

#ifndef __cplusplus
#define situ_conv2d(...) situ_conv2d_(__VA_ARGS__, )
#define situ_conv2d_(x, w, ...) \
    SITU_OPTIONS_(situ_conv_options, SITU_CONV_DEFAULTS, situ_conv2d, (SITU_OPERAND(x), SITU_OPERAND(w),), \
    "situ_conv2d(x, w, .stride = ..., .padding = ..., .dilation = ..., ...)", __VA_ARGS__)
#define situ_conv1d(...) situ_conv1d_(__VA_ARGS__, )
#define situ_conv1d_(x, w, ...) \
    SITU_OPTIONS_(situ_conv_options, SITU_CONV_DEFAULTS, situ_conv1d, (SITU_OPERAND(x), SITU_OPERAND(w),), \
    "situ_conv1d(x, w, .stride = ..., .padding = ..., .dilation = ..., ...)", __VA_ARGS__)
#define situ_conv3d(...) situ_conv3d_(__VA_ARGS__, )
#define situ_conv3d_(x, w, ...) \
    SITU_OPTIONS_(situ_conv_options, SITU_CONV_DEFAULTS, situ_conv3d, (SITU_OPERAND(x), SITU_OPERAND(w),), \
    "situ_conv3d(x, w, .stride = ..., .padding = ..., .dilation = ..., ...)", __VA_ARGS__)
#define situ_conv_transpose1d(...) situ_conv_transpose1d_(__VA_ARGS__, )
#define situ_conv_transpose1d_(x, w, ...) \
    SITU_OPTIONS_(situ_conv_transpose_options, SITU_CONV_TRANSPOSE_DEFAULTS, situ_conv_transpose1d, (SITU_OPERAND(x), \
    SITU_OPERAND(w),), "situ_conv_transpose1d(x, w, .stride = ..., .padding = ..., .dilation = ..., ...)", \
    __VA_ARGS__)
#define situ_conv_transpose2d(...) situ_conv_transpose2d_(__VA_ARGS__, )
#define situ_conv_transpose2d_(x, w, ...) \
    SITU_OPTIONS_(situ_conv_transpose_options, SITU_CONV_TRANSPOSE_DEFAULTS, situ_conv_transpose2d, (SITU_OPERAND(x), \
    SITU_OPERAND(w),), "situ_conv_transpose2d(x, w, .stride = ..., .padding = ..., .dilation = ..., ...)", \
    __VA_ARGS__)
#define situ_conv_transpose3d(...) situ_conv_transpose3d_(__VA_ARGS__, )
#define situ_conv_transpose3d_(x, w, ...) \
    SITU_OPTIONS_(situ_conv_transpose_options, SITU_CONV_TRANSPOSE_DEFAULTS, situ_conv_transpose3d, (SITU_OPERAND(x), \
    SITU_OPERAND(w),), "situ_conv_transpose3d(x, w, .stride = ..., .padding = ..., .dilation = ..., ...)", \
    __VA_ARGS__)
#define situ_unfold(...) situ_unfold_(__VA_ARGS__, )
#define situ_unfold_(x, window, ...) \
    SITU_OPTIONS_(situ_window_options, SITU_WINDOW_DEFAULTS, situ_unfold, (SITU_OPERAND(x), SITU_OF(situ_shape, \
    SITU_SHAPE_IS_, window),), "situ_unfold(x, SHAPE(2, 3), .stride = ..., .padding = ..., .dilation = ...)", \
    __VA_ARGS__)
#define situ_fold(...) situ_fold_(__VA_ARGS__, )
#define situ_fold_(x, image, window, ...) \
    SITU_OPTIONS_(situ_window_options, SITU_WINDOW_DEFAULTS, situ_fold, (SITU_OPERAND(x), SITU_OF(situ_shape, \
    SITU_SHAPE_IS_, image), SITU_OF(situ_shape, SITU_SHAPE_IS_, window),), \
    "situ_fold(x, SHAPE(2, 3), SHAPE(2, 3), .stride = ..., .padding = ..., .dilation = ...)", __VA_ARGS__)
#define situ_max_pool2d(...) situ_max_pool2d_(__VA_ARGS__, )
#define situ_max_pool2d_(x, size, ...) \
    SITU_OPTIONS_(situ_max_pool_options, SITU_MAX_POOL_DEFAULTS, situ_max_pool2d, (SITU_OPERAND(x), \
    SITU_OF(situ_shape, SITU_SHAPE_IS_, size),), \
    "situ_max_pool2d(x, SHAPE(2, 3), .stride = ..., .padding = ..., .dilation = ..., ...)", __VA_ARGS__)
#define situ_avg_pool2d(...) situ_avg_pool2d_(__VA_ARGS__, )
#define situ_avg_pool2d_(x, size, ...) \
    SITU_OPTIONS_(situ_avg_pool_options, SITU_AVG_POOL_DEFAULTS, situ_avg_pool2d, (SITU_OPERAND(x), \
    SITU_OF(situ_shape, SITU_SHAPE_IS_, size),), \
    "situ_avg_pool2d(x, SHAPE(2, 3), .stride = ..., .padding = ..., .count_padding = ..., ...)", __VA_ARGS__)
#define situ_max_pool1d(...) situ_max_pool1d_(__VA_ARGS__, )
#define situ_max_pool1d_(x, size, ...) \
    SITU_OPTIONS_(situ_max_pool_options, SITU_MAX_POOL_DEFAULTS, situ_max_pool1d, (SITU_OPERAND(x), \
    SITU_OF(situ_shape, SITU_SHAPE_IS_, size),), \
    "situ_max_pool1d(x, SHAPE(2, 3), .stride = ..., .padding = ..., .dilation = ..., ...)", __VA_ARGS__)
#define situ_avg_pool1d(...) situ_avg_pool1d_(__VA_ARGS__, )
#define situ_avg_pool1d_(x, size, ...) \
    SITU_OPTIONS_(situ_avg_pool_options, SITU_AVG_POOL_DEFAULTS, situ_avg_pool1d, (SITU_OPERAND(x), \
    SITU_OF(situ_shape, SITU_SHAPE_IS_, size),), \
    "situ_avg_pool1d(x, SHAPE(2, 3), .stride = ..., .padding = ..., .count_padding = ..., ...)", __VA_ARGS__)
#define situ_max_pool3d(...) situ_max_pool3d_(__VA_ARGS__, )
#define situ_max_pool3d_(x, size, ...) \
    SITU_OPTIONS_(situ_max_pool_options, SITU_MAX_POOL_DEFAULTS, situ_max_pool3d, (SITU_OPERAND(x), \
    SITU_OF(situ_shape, SITU_SHAPE_IS_, size),), \
    "situ_max_pool3d(x, SHAPE(2, 3), .stride = ..., .padding = ..., .dilation = ..., ...)", __VA_ARGS__)
#define situ_avg_pool3d(...) situ_avg_pool3d_(__VA_ARGS__, )
#define situ_avg_pool3d_(x, size, ...) \
    SITU_OPTIONS_(situ_avg_pool_options, SITU_AVG_POOL_DEFAULTS, situ_avg_pool3d, (SITU_OPERAND(x), \
    SITU_OF(situ_shape, SITU_SHAPE_IS_, size),), \
    "situ_avg_pool3d(x, SHAPE(2, 3), .stride = ..., .padding = ..., .count_padding = ..., ...)", __VA_ARGS__)
#define situ_adaptive_max_pool1d(x, ...) \
    (situ_adaptive_max_pool1d)(SITU_OPERAND(x), SITU_OF(situ_shape, SITU_SHAPE_IS_, __VA_ARGS__), SITU_HERE)
#define situ_adaptive_max_pool2d(x, ...) \
    (situ_adaptive_max_pool2d)(SITU_OPERAND(x), SITU_OF(situ_shape, SITU_SHAPE_IS_, __VA_ARGS__), SITU_HERE)
#define situ_adaptive_max_pool3d(x, ...) \
    (situ_adaptive_max_pool3d)(SITU_OPERAND(x), SITU_OF(situ_shape, SITU_SHAPE_IS_, __VA_ARGS__), SITU_HERE)
#define situ_adaptive_avg_pool1d(x, ...) \
    (situ_adaptive_avg_pool1d)(SITU_OPERAND(x), SITU_OF(situ_shape, SITU_SHAPE_IS_, __VA_ARGS__), SITU_HERE)
#define situ_adaptive_avg_pool2d(x, ...) \
    (situ_adaptive_avg_pool2d)(SITU_OPERAND(x), SITU_OF(situ_shape, SITU_SHAPE_IS_, __VA_ARGS__), SITU_HERE)
#define situ_adaptive_avg_pool3d(x, ...) \
    (situ_adaptive_avg_pool3d)(SITU_OPERAND(x), SITU_OF(situ_shape, SITU_SHAPE_IS_, __VA_ARGS__), SITU_HERE)
#define situ_interpolate(...) situ_interpolate_(__VA_ARGS__, )
#define situ_interpolate_(x, size, ...) \
    SITU_OPTIONS_(situ_interpolate_options, SITU_INTERPOLATE_DEFAULTS, situ_interpolate, (SITU_OPERAND(x), \
    SITU_OF(situ_shape, SITU_SHAPE_IS_, size),), \
    "situ_interpolate(x, SHAPE(2, 3), .mode = ..., .align_corners = ...)", __VA_ARGS__)
#define situ_grid_sample(...) situ_grid_sample_(__VA_ARGS__, )
#define situ_grid_sample_(x, grid, ...) \
    SITU_OPTIONS_(situ_grid_sample_options, SITU_GRID_SAMPLE_DEFAULTS, situ_grid_sample, (SITU_OPERAND(x), \
    SITU_OPERAND(grid),), "situ_grid_sample(x, grid, .mode = ..., .padding = ..., .align_corners = ...)", __VA_ARGS__)
#define situ_layer_norm(...) situ_layer_norm_(__VA_ARGS__, )
#define situ_layer_norm_(x, scale, shift, ...) \
    SITU_OPTIONS_(situ_layer_norm_options, SITU_LAYER_NORM_DEFAULTS, situ_layer_norm, (SITU_OPERAND(x), \
    SITU_OPERAND(scale), SITU_OPERAND(shift),), "situ_layer_norm(x, scale, shift, .eps = ...)", __VA_ARGS__)
#define situ_batch_norm(...) situ_batch_norm_(__VA_ARGS__, )
#define situ_batch_norm_(x, scale, shift, ...) \
    SITU_OPTIONS_(situ_batch_norm_options, SITU_BATCH_NORM_DEFAULTS, situ_batch_norm, (SITU_OPERAND(x), \
    SITU_OPERAND(scale), SITU_OPERAND(shift),), \
    "situ_batch_norm(x, scale, shift, .eps = ..., .momentum = ..., .mean = ..., ...)", __VA_ARGS__)
#define situ_embedding(table, index) (situ_embedding)(SITU_OPERAND(table), SITU_OPERAND(index), SITU_HERE)
#define situ_attention(...) situ_attention_(__VA_ARGS__, )
#define situ_attention_(q, k, v, ...) \
    SITU_OPTIONS_(situ_attention_options, SITU_ATTENTION_DEFAULTS, situ_attention, (SITU_OPERAND(q), SITU_OPERAND(k), \
    SITU_OPERAND(v),), "situ_attention(q, k, v, .causal = ..., .scale = ...)", __VA_ARGS__)
#define situ_self_attention(...) situ_self_attention_(__VA_ARGS__, )
#define situ_self_attention_(x, heads, ...) \
    SITU_OPTIONS_(situ_attention_options, SITU_ATTENTION_DEFAULTS, situ_self_attention, (SITU_OPERAND(x), \
    SITU_INTEGER(heads),), "situ_self_attention(x, heads, .causal = ..., .scale = ...)", __VA_ARGS__)
#define situ_rotary(...) situ_rotary_(__VA_ARGS__, )
#define situ_rotary_(x, position, ...) \
    SITU_OPTIONS_(situ_rotary_options, SITU_ROTARY_DEFAULTS, situ_rotary, (SITU_OPERAND(x), SITU_OPERAND(position),), \
    "situ_rotary(x, position, .base = ..., .axis = ...)", __VA_ARGS__)
#define situ_quantise(w, type) (situ_quantise)(SITU_OPERAND(w), (type), SITU_HERE)
#define situ_dequantise(blocks, type) (situ_dequantise)(SITU_OPERAND(blocks), (type), SITU_HERE)
#define situ_quantised_linear(x, blocks, type) \
    (situ_quantised_linear)(SITU_OPERAND(x), SITU_OPERAND(blocks), (type), SITU_HERE)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_precision(dtype) SITU_AT_(situ_precision, (situ_dtype)SITU_INTEGER(dtype))
#define situ_batch_invariant(on) SITU_AT_(situ_batch_invariant, (on))
#endif

#endif
