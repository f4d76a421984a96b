/* Calls of situ/onnx.h. Made by scripts/generate.py from include/situ/onnx.h: change that. */
#ifndef SITU_CALL_ONNX_H
#define SITU_CALL_ONNX_H

#define SITU_ONNX_LOAD_DEFAULTS (.trainable = true, .device = SITU_DEVICE_DEFAULT,)
#define SITU_ONNX_SAVE_DEFAULTS (.dynamic_batch = true, .batch_axes = SITU_AXES_UNSET,)

#ifndef __cplusplus
#define situ_onnx_load(...) situ_onnx_load_(__VA_ARGS__, )
#define situ_onnx_load_(path, ...) \
    SITU_OPTIONS_(situ_onnx_load_options, SITU_ONNX_LOAD_DEFAULTS, situ_onnx_load, ((path),), __VA_ARGS__)
#define situ_onnx_load_bytes(...) situ_onnx_load_bytes_(__VA_ARGS__, )
#define situ_onnx_load_bytes_(bytes, size, ...) \
    SITU_OPTIONS_(situ_onnx_load_options, SITU_ONNX_LOAD_DEFAULTS, situ_onnx_load_bytes, ((bytes), \
    SITU_INTEGER(size),), __VA_ARGS__)
#define situ_onnx_save(...) situ_onnx_save_(__VA_ARGS__, )
#define situ_onnx_save_(net, path, inputs, ...) \
    SITU_OPTIONS_(situ_onnx_save_options, SITU_ONNX_SAVE_DEFAULTS, situ_onnx_save, ((net), (path), (inputs),), \
    __VA_ARGS__)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_onnx_input(...) SITU_AT_(situ_onnx_input, __VA_ARGS__)
#define situ_onnx_result(...) SITU_AT_(situ_onnx_result, __VA_ARGS__)
#define situ_onnx_operators(...) SITU_AT_(situ_onnx_operators, __VA_ARGS__)
#endif

#endif
