/* Calls of situ/nn.h. Made by scripts/generate.py from include/situ/nn.h: change that. */
#ifndef SITU_CALL_NN_H
#define SITU_CALL_NN_H

#define SITU_LINEAR_LAYER_DEFAULTS (.bias = true,)
#define SITU_BILINEAR_LAYER_DEFAULTS (.bias = true,)
#define SITU_RMS_NORM_LAYER_DEFAULTS (.eps = 1e-6,)
#define SITU_GROUP_NORM_LAYER_DEFAULTS (.eps = 1e-5, .affine = true,)
#define SITU_BATCH_NORM_LAYER_DEFAULTS (.eps = 1e-5, .momentum = 0.1,)
#define SITU_LAYER_NORM_LAYER_DEFAULTS (.eps = 1e-5, .shape = SITU_SHAPE_UNSET,)
#define SITU_EMBEDDING_BAG_LAYER_DEFAULTS ()
#define SITU_PARALLEL_DEFAULTS (.axis = 1,)
#define SITU_MODULE_CALL_DEFAULTS (.step = -1,)
#define SITU_MODULE_SUMMARY_DEFAULTS ()
#define SITU_INITIAL_DEFAULTS (.gain = 1,)
#define SITU_MODULE_USE_DEFAULTS ()
#define SITU_INSTANCE_NORM_LAYER_DEFAULTS (.eps = 1e-5,)

#ifndef __cplusplus
#define situ_linear_layer(...) situ_linear_layer_(__VA_ARGS__, )
#define situ_linear_layer_(out, ...) \
    SITU_OPTIONS_(situ_linear_layer_options, SITU_LINEAR_LAYER_DEFAULTS, situ_linear_layer, (SITU_INTEGER(out),), \
    __VA_ARGS__)
#define situ_bilinear_layer(...) situ_bilinear_layer_(__VA_ARGS__, )
#define situ_bilinear_layer_(out, ...) \
    SITU_OPTIONS_(situ_bilinear_layer_options, SITU_BILINEAR_LAYER_DEFAULTS, situ_bilinear_layer, \
    (SITU_INTEGER(out),), __VA_ARGS__)
#define situ_rms_norm_layer(...) \
    SITU_OPTIONS_(situ_rms_norm_layer_options, SITU_RMS_NORM_LAYER_DEFAULTS, situ_rms_norm_layer, (), __VA_ARGS__)
#define situ_instance_norm_layer(...) \
    SITU_OPTIONS_(situ_group_norm_layer_options, SITU_INSTANCE_NORM_LAYER_DEFAULTS, situ_instance_norm_layer, (), \
    __VA_ARGS__)
#define situ_group_norm_layer(...) situ_group_norm_layer_(__VA_ARGS__, )
#define situ_group_norm_layer_(count, ...) \
    SITU_OPTIONS_(situ_group_norm_layer_options, SITU_GROUP_NORM_LAYER_DEFAULTS, situ_group_norm_layer, \
    (SITU_INTEGER(count),), __VA_ARGS__)
#define situ_batch_norm_layer(...) \
    SITU_OPTIONS_(situ_batch_norm_layer_options, SITU_BATCH_NORM_LAYER_DEFAULTS, situ_batch_norm_layer, (), \
    __VA_ARGS__)
#define situ_layer_norm_layer(...) \
    SITU_OPTIONS_(situ_layer_norm_layer_options, SITU_LAYER_NORM_LAYER_DEFAULTS, situ_layer_norm_layer, (), \
    __VA_ARGS__)
#define situ_embedding_bag_layer(...) situ_embedding_bag_layer_(__VA_ARGS__, )
#define situ_embedding_bag_layer_(count, width, ...) \
    SITU_OPTIONS_(situ_embedding_bag_layer_options, SITU_EMBEDDING_BAG_LAYER_DEFAULTS, situ_embedding_bag_layer, \
    (SITU_INTEGER(count), SITU_INTEGER(width),), __VA_ARGS__)
#define situ_parallel(...) situ_parallel_(__VA_ARGS__, )
#define situ_parallel_(parts, ...) \
    SITU_OPTIONS_(situ_parallel_options, SITU_PARALLEL_DEFAULTS, situ_parallel, ((parts),), __VA_ARGS__)
#define situ_module_call(...) situ_module_call_(__VA_ARGS__, )
#define situ_module_call_(net, x, ...) \
    SITU_OPTIONS_(situ_module_call_options, SITU_MODULE_CALL_DEFAULTS, situ_module_call, ((net), SITU_OPERAND(x),), \
    __VA_ARGS__)
#define situ_module_call_n(...) situ_module_call_n_(__VA_ARGS__, )
#define situ_module_call_n_(net, inputs, results, most, ...) \
    SITU_OPTIONS_(situ_module_call_options, SITU_MODULE_CALL_DEFAULTS, situ_module_call_n, ((net), (inputs), \
    (results), SITU_INTEGER(most),), __VA_ARGS__)
#define situ_module_summary(...) situ_module_summary_(__VA_ARGS__, )
#define situ_module_summary_(net, inputs, ...) \
    SITU_OPTIONS_(situ_module_summary_options, SITU_MODULE_SUMMARY_DEFAULTS, situ_module_summary, ((net), (inputs),), \
    __VA_ARGS__)
#define situ_initial(...) situ_initial_(__VA_ARGS__, )
#define situ_initial_(key, shape, how, ...) \
    SITU_OPTIONS_(situ_initial_options, SITU_INITIAL_DEFAULTS, situ_initial, (SITU_OPERAND(key), (shape), (how),), \
    __VA_ARGS__)
#define situ_module_initialize(...) situ_module_initialize_(__VA_ARGS__, )
#define situ_module_initialize_(net, name, how, ...) \
    SITU_OPTIONS_(situ_initial_options, SITU_INITIAL_DEFAULTS, situ_module_initialize, ((net), (name), (how),), \
    __VA_ARGS__)
#define situ_module_use(...) situ_module_use_(__VA_ARGS__, )
#define situ_module_use_(m, i, x, shape, ...) \
    SITU_OPTIONS_(situ_module_use_options, SITU_MODULE_USE_DEFAULTS, situ_module_use, ((m), SITU_INTEGER(i), \
    SITU_OPERAND(x), (shape),), __VA_ARGS__)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_flatten_layer() SITU_AT_(situ_flatten_layer, )
#define situ_function_layer(...) SITU_AT_(situ_function_layer, __VA_ARGS__)
#define situ_dropout_layer(...) SITU_AT_(situ_dropout_layer, __VA_ARGS__)
#define situ_channel_dropout_layer(...) SITU_AT_(situ_channel_dropout_layer, __VA_ARGS__)
#define situ_embedding_layer(...) SITU_AT_(situ_embedding_layer, __VA_ARGS__)
#define situ_sequential_add(...) SITU_AT_(situ_sequential_add, __VA_ARGS__)
#define situ_residual(...) SITU_AT_(situ_residual, __VA_ARGS__)
#define situ_module_list(...) SITU_AT_(situ_module_list, __VA_ARGS__)
#define situ_module_dict(...) SITU_AT_(situ_module_dict, __VA_ARGS__)
#define situ_module_free(...) SITU_AT_(situ_module_free, __VA_ARGS__)
#define situ_module_set_training(...) SITU_AT_(situ_module_set_training, __VA_ARGS__)
#define situ_module_set_precision(...) SITU_AT_(situ_module_set_precision, __VA_ARGS__)
#define situ_module_init(...) SITU_AT_(situ_module_init, __VA_ARGS__)
#define situ_module_parameter(...) SITU_AT_(situ_module_parameter, __VA_ARGS__)
#define situ_module_name(...) SITU_AT_(situ_module_name, __VA_ARGS__)
#define situ_module_trainable(...) SITU_AT_(situ_module_trainable, __VA_ARGS__)
#define situ_module_find(...) SITU_AT_(situ_module_find, __VA_ARGS__)
#define situ_module_copy(...) SITU_AT_(situ_module_copy, __VA_ARGS__)
#define situ_module_to(...) SITU_AT_(situ_module_to, __VA_ARGS__)
#define situ_module_mirror(...) SITU_AT_(situ_module_mirror, __VA_ARGS__)
#define situ_module_freeze(...) SITU_AT_(situ_module_freeze, __VA_ARGS__)
#define situ_module_share(...) SITU_AT_(situ_module_share, __VA_ARGS__)
#define situ_module_replace(...) SITU_AT_(situ_module_replace, __VA_ARGS__)
#define situ_module_part(...) SITU_AT_(situ_module_part, __VA_ARGS__)
#define situ_module_quantise(...) SITU_AT_(situ_module_quantise, __VA_ARGS__)
#define situ_module_clone(...) SITU_AT_(situ_module_clone, __VA_ARGS__)
#define situ_module_publish(...) SITU_AT_(situ_module_publish, __VA_ARGS__)
#define situ_module_custom(...) SITU_AT_(situ_module_custom, __VA_ARGS__)
#define situ_module_declare(...) SITU_AT_(situ_module_declare, __VA_ARGS__)
#define situ_module_adopt(...) SITU_AT_(situ_module_adopt, __VA_ARGS__)
#define situ_module_child(...) SITU_AT_(situ_module_child, __VA_ARGS__)
#define situ_module_key(...) SITU_AT_(situ_module_key, __VA_ARGS__)
#define situ_module_rows(...) SITU_AT_(situ_module_rows, __VA_ARGS__)
#endif

#endif
