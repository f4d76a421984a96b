/* Calls of situ/tensor.h. Made by scripts/generate.py from include/situ/tensor.h: change that. */
#ifndef SITU_CALL_TENSOR_H
#define SITU_CALL_TENSOR_H

#define SITU_FROM_HOST_DEFAULTS (.dtype = SITU_DTYPE_DEFAULT, .device = SITU_DEVICE_DEFAULT,)
#define SITU_VARIABLE_DEFAULTS (.trainable = true,)

#ifndef __cplusplus
#define situ_scope_close_with(scope, t) (situ_scope_close_with)((scope), SITU_OPERAND(t), SITU_HERE)
#define situ_scope_close_with_all(scope, tensors, out) (situ_scope_close_with_all)((scope), (tensors), (out), SITU_HERE)
#define situ_item(t) (situ_item)(SITU_TENSOR(t), SITU_HERE)
#define situ_item_int(t) (situ_item_int)(SITU_TENSOR(t), SITU_HERE)
#define situ_print(t) (situ_print)(SITU_TENSOR(t), SITU_HERE)
#define situ_fprint(file, t) (situ_fprint)((file), SITU_TENSOR(t), SITU_HERE)
#define situ_text(t) (situ_text)(SITU_TENSOR(t), SITU_HERE)
#define situ_eval(tensors) (situ_eval)((tensors), SITU_HERE)
#define situ_wait(t) (situ_wait)(SITU_TENSOR(t), SITU_HERE)
#define situ_variable(...) situ_variable_(__VA_ARGS__, )
#define situ_variable_(t, ...) \
    SITU_OPTIONS_(situ_variable_options, SITU_VARIABLE_DEFAULTS, situ_variable, (SITU_OPERAND(t),), __VA_ARGS__)
#define situ_assign_all(variables, values) (situ_assign_all)((variables), (values), SITU_HERE)
#define situ_snapshot(tensors, out) (situ_snapshot)((tensors), (out), SITU_HERE)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_scope_close(...) SITU_AT_(situ_scope_close, __VA_ARGS__)
#define situ_release(...) SITU_AT_(situ_release, __VA_ARGS__)
#define situ_name(...) SITU_AT_(situ_name, __VA_ARGS__)
#define situ_name_of(...) SITU_AT_(situ_name_of, __VA_ARGS__)
#define situ_ndim(...) SITU_AT_(situ_ndim, __VA_ARGS__)
#define situ_dim(...) SITU_AT_(situ_dim, __VA_ARGS__)
#define situ_shape_of(...) SITU_AT_(situ_shape_of, __VA_ARGS__)
#define situ_count(...) SITU_AT_(situ_count, __VA_ARGS__)
#define situ_dtype_of(...) SITU_AT_(situ_dtype_of, __VA_ARGS__)
#define situ_device_of(...) SITU_AT_(situ_device_of, __VA_ARGS__)
#define situ_is_variable(...) SITU_AT_(situ_is_variable, __VA_ARGS__)
#define situ_set_print_digits(...) SITU_AT_(situ_set_print_digits, __VA_ARGS__)
#define situ_state(...) SITU_AT_(situ_state, __VA_ARGS__)
#define situ_explain(...) SITU_AT_(situ_explain, __VA_ARGS__)
#endif

#endif
