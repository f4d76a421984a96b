/* Calls of situ/create.h. Made by scripts/generate.py from include/situ/create.h: change that. */
#ifndef SITU_CALL_CREATE_H
#define SITU_CALL_CREATE_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_MADE_DEFAULTS (.dtype = SITU_DTYPE_DEFAULT, .device = SITU_DEVICE_DEFAULT,)
#define SITU_LINSPACE_DEFAULTS (.dtype = SITU_DTYPE_DEFAULT, .device = SITU_DEVICE_DEFAULT, .endpoint = true,)
#define SITU_EYE_DEFAULTS (.dtype = SITU_DTYPE_DEFAULT, .device = SITU_DEVICE_DEFAULT, .columns = -1,)

#ifndef __cplusplus
#define situ_zeros(...) situ_zeros_(__VA_ARGS__, )
#define situ_zeros_(shape, ...) \
    SITU_OPTIONS_(situ_made_options, SITU_MADE_DEFAULTS, situ_zeros, (SITU_OF(situ_shape, SITU_SHAPE_IS_, shape),), \
    "situ_zeros(SHAPE(2, 3), .dtype = ..., .device = ...)", __VA_ARGS__)
#define situ_ones(...) situ_ones_(__VA_ARGS__, )
#define situ_ones_(shape, ...) \
    SITU_OPTIONS_(situ_made_options, SITU_MADE_DEFAULTS, situ_ones, (SITU_OF(situ_shape, SITU_SHAPE_IS_, shape),), \
    "situ_ones(SHAPE(2, 3), .dtype = ..., .device = ...)", __VA_ARGS__)
#define situ_full(...) situ_full_(__VA_ARGS__, )
#define situ_full_(shape, value, ...) \
    SITU_OPTIONS_(situ_made_options, SITU_MADE_DEFAULTS, situ_full, (SITU_OF(situ_shape, SITU_SHAPE_IS_, shape), \
    SITU_OPERAND(value),), "situ_full(SHAPE(2, 3), value, .dtype = ..., .device = ...)", __VA_ARGS__)
#define situ_zeros_like(...) situ_zeros_like_(__VA_ARGS__, )
#define situ_zeros_like_(x, ...) \
    SITU_OPTIONS_(situ_made_options, SITU_MADE_DEFAULTS, situ_zeros_like, (SITU_OPERAND(x),), \
    "situ_zeros_like(x, .dtype = ..., .device = ...)", __VA_ARGS__)
#define situ_ones_like(...) situ_ones_like_(__VA_ARGS__, )
#define situ_ones_like_(x, ...) \
    SITU_OPTIONS_(situ_made_options, SITU_MADE_DEFAULTS, situ_ones_like, (SITU_OPERAND(x),), \
    "situ_ones_like(x, .dtype = ..., .device = ...)", __VA_ARGS__)
#define situ_full_like(...) situ_full_like_(__VA_ARGS__, )
#define situ_full_like_(x, value, ...) \
    SITU_OPTIONS_(situ_made_options, SITU_MADE_DEFAULTS, situ_full_like, (SITU_OPERAND(x), SITU_OPERAND(value),), \
    "situ_full_like(x, value, .dtype = ..., .device = ...)", __VA_ARGS__)
#define situ_arange(...) situ_arange_(__VA_ARGS__, )
#define situ_arange_(start, stop, step, ...) \
    SITU_OPTIONS_(situ_made_options, SITU_MADE_DEFAULTS, situ_arange, (SITU_OPERAND(start), SITU_OPERAND(stop), \
    SITU_OPERAND(step),), "situ_arange(start, stop, step, .dtype = ..., .device = ...)", __VA_ARGS__)
#define situ_linspace(...) situ_linspace_(__VA_ARGS__, )
#define situ_linspace_(start, stop, n, ...) \
    SITU_OPTIONS_(situ_linspace_options, SITU_LINSPACE_DEFAULTS, situ_linspace, ((start), (stop), SITU_INTEGER(n),), \
    "situ_linspace(start, stop, n, .dtype = ..., .device = ..., .endpoint = ...)", __VA_ARGS__)
#define situ_eye(...) situ_eye_(__VA_ARGS__, )
#define situ_eye_(rows, ...) \
    SITU_OPTIONS_(situ_eye_options, SITU_EYE_DEFAULTS, situ_eye, (SITU_INTEGER(rows),), \
    "situ_eye(rows, .dtype = ..., .device = ..., .columns = ..., ...)", __VA_ARGS__)
#define situ_tri(...) situ_tri_(__VA_ARGS__, )
#define situ_tri_(rows, ...) \
    SITU_OPTIONS_(situ_eye_options, SITU_EYE_DEFAULTS, situ_tri, (SITU_INTEGER(rows),), \
    "situ_tri(rows, .dtype = ..., .device = ..., .columns = ..., ...)", __VA_ARGS__)
#define situ_tril(x, diagonal) (situ_tril)(SITU_OPERAND(x), SITU_INTEGER(diagonal), SITU_HERE)
#define situ_triu(x, diagonal) (situ_triu)(SITU_OPERAND(x), SITU_INTEGER(diagonal), SITU_HERE)
#define situ_cast(x, dtype) (situ_cast)(SITU_OPERAND(x), (situ_dtype)SITU_INTEGER(dtype), SITU_HERE)
#define situ_complex(re, im) (situ_complex)(SITU_OPERAND(re), SITU_OPERAND(im), SITU_HERE)
#define situ_real(x) (situ_real)(SITU_OPERAND(x), SITU_HERE)
#define situ_imag(x) (situ_imag)(SITU_OPERAND(x), SITU_HERE)
#define situ_conj(x) (situ_conj)(SITU_OPERAND(x), SITU_HERE)
#define situ_to(x, ...) (situ_to)(SITU_OPERAND(x), SITU_OF(situ_device, SITU_DEVICE_IS_, __VA_ARGS__), SITU_HERE)
#define situ_copy_to(x, ...) \
    (situ_copy_to)(SITU_OPERAND(x), SITU_OF(situ_device, SITU_DEVICE_IS_, __VA_ARGS__), SITU_HERE)
#define situ_stop_gradient(x) (situ_stop_gradient)(SITU_OPERAND(x), SITU_HERE)
#endif

#endif
