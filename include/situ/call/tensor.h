/* Calls of situ/tensor.h. Made by scripts/generate.py from include/situ/tensor.h: change that. */
#ifndef SITU_CALL_TENSOR_H
#define SITU_CALL_TENSOR_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_FROM_HOST_DEFAULTS (.dtype = SITU_DTYPE_DEFAULT, .device = SITU_DEVICE_DEFAULT,)
#define SITU_VARIABLE_DEFAULTS (.trainable = true,)

#ifndef __cplusplus
#define situ_scope_close_with(scope, t) \
    (situ_scope_close_with)(SITU_HANDLE(situ_scope *, scope), SITU_OPERAND(t), SITU_HERE)
#define situ_scope_close_with_all(scope, tensors, out) \
    (situ_scope_close_with_all)(SITU_HANDLE(situ_scope *, scope), (tensors), (out), SITU_HERE)
#define situ_item(t) (situ_item)(SITU_TENSOR(t), SITU_HERE)
#define situ_item_int(t) (situ_item_int)(SITU_TENSOR(t), SITU_HERE)
#define situ_print(t) (situ_print)(SITU_TENSOR(t), SITU_HERE)
#define situ_fprint(file, t) (situ_fprint)((file), SITU_TENSOR(t), SITU_HERE)
#define situ_text(t) (situ_text)(SITU_TENSOR(t), SITU_HERE)
#define situ_eval(...) (situ_eval)((__VA_ARGS__), SITU_HERE)
#define situ_wait(t) (situ_wait)(SITU_TENSOR(t), SITU_HERE)
#define situ_is_ready(t) (situ_is_ready)(SITU_TENSOR(t), SITU_HERE)
#define situ_variable(...) situ_variable_(__VA_ARGS__, )
#define situ_variable_(t, ...) \
    SITU_OPTIONS_(situ_variable_options, SITU_VARIABLE_DEFAULTS, situ_variable, (SITU_OPERAND(t),), \
    "situ_variable(t, .trainable = ..., .name = ...)", __VA_ARGS__)
#define situ_assign_all(variables, ...) (situ_assign_all)((variables), (__VA_ARGS__), SITU_HERE)
#define situ_snapshot(tensors, out) (situ_snapshot)((tensors), (out), SITU_HERE)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_scope_close(scope) SITU_AT_(situ_scope_close, SITU_HANDLE(situ_scope *, scope))
#define situ_release(t) SITU_AT_(situ_release, SITU_HANDLE(situ_tensor *, t))
#define situ_name(t, name) SITU_AT_(situ_name, SITU_HANDLE(situ_tensor *, t), (name))
#define situ_name_of(t) SITU_AT_(situ_name_of, SITU_HANDLE(const situ_tensor *, t))
#define situ_ndim(t) SITU_AT_(situ_ndim, SITU_HANDLE(const situ_tensor *, t))
#define situ_dim(t, axis) SITU_AT_(situ_dim, SITU_HANDLE(const situ_tensor *, t), SITU_INTEGER(axis))
#define situ_shape_of(t) SITU_AT_(situ_shape_of, SITU_HANDLE(const situ_tensor *, t))
#define situ_count(t) SITU_AT_(situ_count, SITU_HANDLE(const situ_tensor *, t))
#define situ_dtype_of(t) SITU_AT_(situ_dtype_of, SITU_HANDLE(const situ_tensor *, t))
#define situ_device_of(t) SITU_AT_(situ_device_of, SITU_HANDLE(const situ_tensor *, t))
#define situ_is_variable(t) SITU_AT_(situ_is_variable, SITU_HANDLE(const situ_tensor *, t))
#define situ_set_print_digits(digits) SITU_AT_(situ_set_print_digits, SITU_INTEGER(digits))
#define situ_state(t) SITU_AT_(situ_state, SITU_HANDLE(const situ_tensor *, t))
#define situ_explain(t) SITU_AT_(situ_explain, SITU_HANDLE(situ_tensor *, t))
#endif

#endif
