/* Calls of situ/nn.h. Made by scripts/generate.py from include/situ/nn.h: change that. */
#ifndef SITU_CALL_NN_H
#define SITU_CALL_NN_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

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
    "situ_linear_layer(out, .bias = ..., .in = ...)", __VA_ARGS__)
#define situ_bilinear_layer(...) situ_bilinear_layer_(__VA_ARGS__, )
#define situ_bilinear_layer_(out, ...) \
    SITU_OPTIONS_(situ_bilinear_layer_options, SITU_BILINEAR_LAYER_DEFAULTS, situ_bilinear_layer, \
    (SITU_INTEGER(out),), "situ_bilinear_layer(out, .bias = ...)", __VA_ARGS__)
#define situ_rms_norm_layer(...) \
    SITU_OPTIONS_(situ_rms_norm_layer_options, SITU_RMS_NORM_LAYER_DEFAULTS, situ_rms_norm_layer, (), \
    "situ_rms_norm_layer(.eps = ..., .in = ...)", __VA_ARGS__)
#define situ_instance_norm_layer(...) \
    SITU_OPTIONS_(situ_group_norm_layer_options, SITU_INSTANCE_NORM_LAYER_DEFAULTS, situ_instance_norm_layer, (), \
    "situ_instance_norm_layer(.eps = ..., .affine = ..., .in = ...)", __VA_ARGS__)
#define situ_group_norm_layer(...) situ_group_norm_layer_(__VA_ARGS__, )
#define situ_group_norm_layer_(count, ...) \
    SITU_OPTIONS_(situ_group_norm_layer_options, SITU_GROUP_NORM_LAYER_DEFAULTS, situ_group_norm_layer, \
    (SITU_INTEGER(count),), "situ_group_norm_layer(count, .eps = ..., .affine = ..., .in = ...)", __VA_ARGS__)
#define situ_batch_norm_layer(...) \
    SITU_OPTIONS_(situ_batch_norm_layer_options, SITU_BATCH_NORM_LAYER_DEFAULTS, situ_batch_norm_layer, (), \
    "situ_batch_norm_layer(.eps = ..., .momentum = ..., .in = ..., ...)", __VA_ARGS__)
#define situ_layer_norm_layer(...) \
    SITU_OPTIONS_(situ_layer_norm_layer_options, SITU_LAYER_NORM_LAYER_DEFAULTS, situ_layer_norm_layer, (), \
    "situ_layer_norm_layer(.eps = ..., .in = ..., .shape = ...)", __VA_ARGS__)
#define situ_embedding_bag_layer(...) situ_embedding_bag_layer_(__VA_ARGS__, )
#define situ_embedding_bag_layer_(count, width, ...) \
    SITU_OPTIONS_(situ_embedding_bag_layer_options, SITU_EMBEDDING_BAG_LAYER_DEFAULTS, situ_embedding_bag_layer, \
    (SITU_INTEGER(count), SITU_INTEGER(width),), "situ_embedding_bag_layer(count, width, .mode = ...)", __VA_ARGS__)
#define situ_parallel(...) situ_parallel_(__VA_ARGS__, )
#define situ_parallel_(parts, ...) \
    SITU_OPTIONS_(situ_parallel_options, SITU_PARALLEL_DEFAULTS, situ_parallel, ((parts),), \
    "situ_parallel(SITU_PARTS(a, b), .join = ..., .axis = ...)", __VA_ARGS__)
#define situ_module_call(...) situ_module_call_(__VA_ARGS__, )
#define situ_module_call_(net, x, ...) \
    SITU_OPTIONS_(situ_module_call_options, SITU_MODULE_CALL_DEFAULTS, situ_module_call, (SITU_HANDLE(situ_module *, \
    net), SITU_OPERAND(x),), "situ_module_call(net, x, .first = ..., .of = ..., .step = ...)", __VA_ARGS__)
#define situ_module_call_n(...) situ_module_call_n_(__VA_ARGS__, )
#define situ_module_call_n_(net, inputs, results, most, ...) \
    SITU_OPTIONS_(situ_module_call_options, SITU_MODULE_CALL_DEFAULTS, situ_module_call_n, (SITU_HANDLE(situ_module *, \
    net), (inputs), (results), SITU_INTEGER(most),), \
    "situ_module_call_n(net, TENSORS(a, b), results, most, .first = ..., .of = ..., .step = ...)", __VA_ARGS__)
#define situ_module_summary(...) situ_module_summary_(__VA_ARGS__, )
#define situ_module_summary_(net, inputs, ...) \
    SITU_OPTIONS_(situ_module_summary_options, SITU_MODULE_SUMMARY_DEFAULTS, situ_module_summary, \
    (SITU_HANDLE(situ_module *, net), (inputs),), "situ_module_summary(net, TENSORS(a, b), .file = ...)", __VA_ARGS__)
#define situ_initial(...) situ_initial_(__VA_ARGS__, )
#define situ_initial_(key, shape, how, ...) \
    SITU_OPTIONS_(situ_initial_options, SITU_INITIAL_DEFAULTS, situ_initial, (SITU_OPERAND(key), SITU_OF(situ_shape, \
    SITU_SHAPE_IS_, shape), (how),), "situ_initial(key, SHAPE(2, 3), how, .gain = ..., .value = ...)", __VA_ARGS__)
#define situ_module_initialize(...) situ_module_initialize_(__VA_ARGS__, )
#define situ_module_initialize_(net, name, how, ...) \
    SITU_OPTIONS_(situ_initial_options, SITU_INITIAL_DEFAULTS, situ_module_initialize, (SITU_HANDLE(situ_module *, \
    net), (name), (how),), "situ_module_initialize(net, name, how, .gain = ..., .value = ...)", __VA_ARGS__)
#define situ_module_use(...) situ_module_use_(__VA_ARGS__, )
#define situ_module_use_(m, i, x, shape, ...) \
    SITU_OPTIONS_(situ_module_use_options, SITU_MODULE_USE_DEFAULTS, situ_module_use, (SITU_HANDLE(situ_module *, m), \
    SITU_INTEGER(i), SITU_OPERAND(x), SITU_OF(situ_shape, SITU_SHAPE_IS_, shape),), \
    "situ_module_use(m, i, x, SHAPE(2, 3), .bound = ..., .value = ..., .fixed = ..., ...)", __VA_ARGS__)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_flatten_layer() SITU_AT_(situ_flatten_layer, )
#define situ_function_layer(f, self) SITU_AT_(situ_function_layer, (f), (self))
#define situ_dropout_layer(rate) SITU_AT_(situ_dropout_layer, (rate))
#define situ_channel_dropout_layer(rate) SITU_AT_(situ_channel_dropout_layer, (rate))
#define situ_embedding_layer(count, width) SITU_AT_(situ_embedding_layer, SITU_INTEGER(count), SITU_INTEGER(width))
#define situ_sequential_add(net, part) \
    SITU_AT_(situ_sequential_add, SITU_HANDLE(situ_module *, net), SITU_HANDLE(situ_module *, part))
#define situ_residual(part) SITU_AT_(situ_residual, SITU_HANDLE(situ_module *, part))
#define situ_module_list(...) SITU_AT_AS_IT_IS_(situ_module_list, __VA_ARGS__)
#define situ_module_dict(...) SITU_AT_AS_IT_IS_(situ_module_dict, __VA_ARGS__)
#define situ_module_free(net) SITU_AT_(situ_module_free, SITU_HANDLE(situ_module *, net))
#define situ_module_set_training(net, on) SITU_AT_(situ_module_set_training, SITU_HANDLE(situ_module *, net), (on))
#define situ_module_set_precision(net, dtype) \
    SITU_AT_(situ_module_set_precision, SITU_HANDLE(situ_module *, net), (situ_dtype)SITU_INTEGER(dtype))
#define situ_module_set_batch_invariant(net, on) \
    SITU_AT_(situ_module_set_batch_invariant, SITU_HANDLE(situ_module *, net), (on))
#define situ_module_init(net, key) \
    SITU_AT_(situ_module_init, SITU_HANDLE(situ_module *, net), SITU_HANDLE(situ_tensor *, key))
#define situ_module_parameter(net, i) SITU_AT_(situ_module_parameter, SITU_HANDLE(situ_module *, net), SITU_INTEGER(i))
#define situ_module_name(net, i) SITU_AT_(situ_module_name, SITU_HANDLE(const situ_module *, net), SITU_INTEGER(i))
#define situ_module_trainable(net, i) \
    SITU_AT_(situ_module_trainable, SITU_HANDLE(const situ_module *, net), SITU_INTEGER(i))
#define situ_module_find(net, name) SITU_AT_(situ_module_find, SITU_HANDLE(situ_module *, net), (name))
#define situ_module_copy(...) SITU_AT_AS_IT_IS_(situ_module_copy, __VA_ARGS__)
#define situ_module_to(...) SITU_AT_AS_IT_IS_(situ_module_to, __VA_ARGS__)
#define situ_module_mirror(...) SITU_AT_AS_IT_IS_(situ_module_mirror, __VA_ARGS__)
#define situ_module_freeze(net, on) SITU_AT_(situ_module_freeze, SITU_HANDLE(situ_module *, net), (on))
#define situ_module_share(m, with) \
    SITU_AT_(situ_module_share, SITU_HANDLE(situ_module *, m), SITU_HANDLE(situ_module *, with))
#define situ_module_replace(net, name, part) \
    SITU_AT_(situ_module_replace, SITU_HANDLE(situ_module *, net), (name), SITU_HANDLE(situ_module *, part))
#define situ_module_part(net, name) SITU_AT_(situ_module_part, SITU_HANDLE(situ_module *, net), (name))
#define situ_module_quantise(net) SITU_AT_(situ_module_quantise, SITU_HANDLE(situ_module *, net))
#define situ_module_clone(net) SITU_AT_(situ_module_clone, SITU_HANDLE(situ_module *, net))
#define situ_module_publish(net, from) \
    SITU_AT_(situ_module_publish, SITU_HANDLE(situ_module *, net), SITU_HANDLE(situ_module *, from))
#define situ_module_custom(...) SITU_AT_AS_IT_IS_(situ_module_custom, __VA_ARGS__)
#define situ_module_declare(m, name) SITU_AT_(situ_module_declare, SITU_HANDLE(situ_module *, m), (name))
#define situ_module_adopt(m, name, part) \
    SITU_AT_(situ_module_adopt, SITU_HANDLE(situ_module *, m), (name), SITU_HANDLE(situ_module *, part))
#define situ_module_child(m, i) SITU_AT_(situ_module_child, SITU_HANDLE(const situ_module *, m), SITU_INTEGER(i))
#define situ_module_key(m, x) SITU_AT_(situ_module_key, SITU_HANDLE(situ_module *, m), SITU_HANDLE(situ_tensor *, x))
#define situ_module_rows(...) SITU_AT_AS_IT_IS_(situ_module_rows, __VA_ARGS__)
#endif

#endif
