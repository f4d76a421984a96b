/* Calls of situ/onnx.h. Made by scripts/generate.py from include/situ/onnx.h: change that. */
#ifndef SITU_CALL_ONNX_H
#define SITU_CALL_ONNX_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_ONNX_LOAD_DEFAULTS (.trainable = true, .device = SITU_DEVICE_DEFAULT,)
#define SITU_ONNX_SAVE_DEFAULTS (.dynamic_batch = true, .batch_axes = SITU_AXES_UNSET,)

#ifndef __cplusplus
#define situ_onnx_load(...) situ_onnx_load_(__VA_ARGS__, )
#define situ_onnx_load_(path, ...) \
    SITU_OPTIONS_(situ_onnx_load_options, SITU_ONNX_LOAD_DEFAULTS, situ_onnx_load, ((path),), \
    "situ_onnx_load(path, .trainable = ..., .device = ...)", __VA_ARGS__)
#define situ_onnx_load_bytes(...) situ_onnx_load_bytes_(__VA_ARGS__, )
#define situ_onnx_load_bytes_(bytes, size, ...) \
    SITU_OPTIONS_(situ_onnx_load_options, SITU_ONNX_LOAD_DEFAULTS, situ_onnx_load_bytes, ((bytes), \
    SITU_INTEGER(size),), "situ_onnx_load_bytes(bytes, size, .trainable = ..., .device = ...)", __VA_ARGS__)
#define situ_onnx_save(...) situ_onnx_save_(__VA_ARGS__, )
#define situ_onnx_save_(net, path, inputs, ...) \
    SITU_OPTIONS_(situ_onnx_save_options, SITU_ONNX_SAVE_DEFAULTS, situ_onnx_save, (SITU_HANDLE(situ_module *, net), \
    (path), (inputs),), \
    "situ_onnx_save(net, path, TENSORS(a, b), .dynamic_batch = ..., .batch_axes = ..., .input_names = ..., ...)", \
    __VA_ARGS__)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_onnx_input(net, i) SITU_AT_(situ_onnx_input, SITU_HANDLE(const situ_module *, net), SITU_INTEGER(i))
#define situ_onnx_result(net, i) SITU_AT_(situ_onnx_result, SITU_HANDLE(const situ_module *, net), SITU_INTEGER(i))
#define situ_onnx_operators(net) SITU_AT_(situ_onnx_operators, SITU_HANDLE(const situ_module *, net))
#endif

#endif
