/* Making tensors from nothing but a shape and a few numbers.
 *
 *     situ_tensor *x = situ_zeros(SHAPE(2, 3), .device = situ_gpu(0), .dtype = SITU_F16);
 *     situ_tensor *t = situ_linspace(0, 1, 5);                        // 0, 0.25, 0.5, 0.75, 1
 *     situ_tensor *i = situ_arange(0, 10, 2);                         // 0, 2, 4, 6, 8 as i64
 *
 * All are pending: nothing is in memory before somebody reads it, and inside an expression often nothing ever is.
 * The default dtype is f32 and the default device the thread's, except where the line says otherwise.
 */
#ifndef SITU_CREATE_H
#define SITU_CREATE_H

#include <situ/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef __cplusplus
/* situ_make_options, as far as they mean something to these functions. */
typedef struct SITU_BY_NAME situ_made_options {
    SITU_OPTION_HEAD;
    situ_dtype dtype;
    situ_device device;
    bool not_an_option_1;
    void (*not_an_option_2)(void *self);
    void *not_an_option_3;
    int32_t not_an_option_4;
    size_t not_an_option_5;
} situ_made_options;
#define SITU_MADE_DEFAULTS SITU_MAKE_DEFAULTS
#define SITU_MADE_(name, first, ...) SITU_OPTIONS_AS_(situ_made_options, situ_make_options, SITU_MADE_DEFAULTS, name, first, __VA_ARGS__)
#endif

/* 0 everywhere; 1 everywhere. */
SITU_API situ_tensor *situ_zeros(situ_shape shape, const situ_make_options *options, situ_site site);
SITU_API situ_tensor *situ_ones(situ_shape shape, const situ_make_options *options, situ_site site);
/* `value` everywhere: a number (then the dtype is bool, i64 or f32 by its kind), or a tensor that broadcasts. */
SITU_API situ_tensor *situ_full(situ_shape shape, situ_tensor *value, const situ_make_options *options, situ_site site);
/* The same with x's shape, dtype and device. */
SITU_API situ_tensor *situ_zeros_like(situ_tensor *x, const situ_make_options *options, situ_site site);
SITU_API situ_tensor *situ_ones_like(situ_tensor *x, const situ_make_options *options, situ_site site);
SITU_API situ_tensor *situ_full_like(situ_tensor *x, situ_tensor *value, const situ_make_options *options, situ_site site);

/* start, start + step, ... before stop: ceil((stop - start) / step) numbers; i64 if all three are integers, else f32. */
SITU_API situ_tensor *situ_arange(situ_tensor *start, situ_tensor *stop, situ_tensor *step,
                                  const situ_make_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_linspace_options {
    SITU_OPTION_HEAD;
    situ_dtype dtype;
    situ_device device;
    bool endpoint; /* default true: the last number is stop, exactly */
} situ_linspace_options;
#define SITU_LINSPACE_DEFAULTS (.dtype = SITU_DTYPE_DEFAULT, .device = SITU_DEVICE_DEFAULT, .endpoint = true,)
/* n numbers in equal steps: start + i (stop - start) / (n - 1), or / n without the endpoint. */
SITU_API situ_tensor *situ_linspace(double start, double stop, int64_t n, const situ_linspace_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_eye_options {
    SITU_OPTION_HEAD;
    situ_dtype dtype;
    situ_device device;
    int64_t columns;  /* default: as many as rows                                  */
    int64_t diagonal; /* 0: the main one; positive above it, negative below        */
} situ_eye_options;
#define SITU_EYE_DEFAULTS (.dtype = SITU_DTYPE_DEFAULT, .device = SITU_DEVICE_DEFAULT, .columns = -1,)
/* 1 where column - row == diagonal, else 0. */
SITU_API situ_tensor *situ_eye(int64_t rows, const situ_eye_options *options, situ_site site);
/* 1 where column - row <= diagonal, else 0. */
SITU_API situ_tensor *situ_tri(int64_t rows, const situ_eye_options *options, situ_site site);
/* x where column - row <= diagonal (tril) or >= diagonal (triu), else 0; over the last two axes. */
SITU_API situ_tensor *situ_tril(situ_tensor *x, int64_t diagonal, situ_site site);
SITU_API situ_tensor *situ_triu(situ_tensor *x, int64_t diagonal, situ_site site);

/* Another dtype: floats to integers truncate and saturate (NaN gives 0), integers wrap, anything to bool is != 0,
 * complex to real takes the real part. The same tensor if it has that dtype. */
SITU_API situ_tensor *situ_cast(situ_tensor *x, situ_dtype dtype, situ_site site);
/* re + i im from two real tensors of one float dtype; the parts of one; re - i im. Real tensors are their own. */
SITU_API situ_tensor *situ_complex(situ_tensor *re, situ_tensor *im, situ_site site);
SITU_API situ_tensor *situ_real(situ_tensor *x, situ_site site);
SITU_API situ_tensor *situ_imag(situ_tensor *x, situ_site site);
SITU_API situ_tensor *situ_conj(situ_tensor *x, situ_site site);

/* On that device: x itself (the same pointer) if it is there, else a copy. */
SITU_API situ_tensor *situ_to(situ_tensor *x, situ_device device, situ_site site);
/* Always a copy in new memory, also on the same device. */
SITU_API situ_tensor *situ_copy_to(situ_tensor *x, situ_device device, situ_site site);

/* x, as a constant: gradients do not pass. */
SITU_API situ_tensor *situ_stop_gradient(situ_tensor *x, situ_site site);

#ifndef __cplusplus
#define situ_zeros(...) situ_zeros_(__VA_ARGS__, )
#define situ_zeros_(shape, ...) SITU_MADE_(situ_zeros, ((shape)), __VA_ARGS__)
#define situ_ones(...) situ_ones_(__VA_ARGS__, )
#define situ_ones_(shape, ...) SITU_MADE_(situ_ones, ((shape)), __VA_ARGS__)
#define situ_full(shape, ...) situ_full_(shape, __VA_ARGS__, )
#define situ_full_(shape, value, ...) \
    SITU_MADE_(situ_full, ((shape), SITU_OPERAND(value)), __VA_ARGS__)
#define situ_zeros_like(...) situ_zeros_like_(__VA_ARGS__, )
#define situ_zeros_like_(x, ...) \
    SITU_MADE_(situ_zeros_like, (SITU_OPERAND(x)), __VA_ARGS__)
#define situ_ones_like(...) situ_ones_like_(__VA_ARGS__, )
#define situ_ones_like_(x, ...) \
    SITU_MADE_(situ_ones_like, (SITU_OPERAND(x)), __VA_ARGS__)
#define situ_full_like(x, ...) situ_full_like_(x, __VA_ARGS__, )
#define situ_full_like_(x, value, ...) \
    SITU_MADE_(situ_full_like, (SITU_OPERAND(x), SITU_OPERAND(value)), __VA_ARGS__)
#define situ_arange(start, stop, ...) situ_arange_(start, stop, __VA_ARGS__, )
#define situ_arange_(start, stop, step, ...) \
    SITU_MADE_(situ_arange, \
                  (SITU_OPERAND(start), SITU_OPERAND(stop), SITU_OPERAND(step)), __VA_ARGS__)
#define situ_linspace(start, stop, ...) situ_linspace_(start, stop, __VA_ARGS__, )
#define situ_linspace_(start, stop, n, ...) \
    SITU_OPTIONS_(situ_linspace_options, SITU_LINSPACE_DEFAULTS, situ_linspace, ((start), (stop), SITU_INTEGER(n)), __VA_ARGS__)
#define situ_eye(...) situ_eye_(__VA_ARGS__, )
#define situ_eye_(rows, ...) SITU_OPTIONS_(situ_eye_options, SITU_EYE_DEFAULTS, situ_eye, (SITU_INTEGER(rows)), __VA_ARGS__)
#define situ_tri(...) situ_tri_(__VA_ARGS__, )
#define situ_tri_(rows, ...) SITU_OPTIONS_(situ_eye_options, SITU_EYE_DEFAULTS, situ_tri, (SITU_INTEGER(rows)), __VA_ARGS__)
#define situ_tril(x, diagonal) (situ_tril)(SITU_OPERAND(x), SITU_INTEGER(diagonal), SITU_HERE)
#define situ_triu(x, diagonal) (situ_triu)(SITU_OPERAND(x), SITU_INTEGER(diagonal), SITU_HERE)
#define situ_cast(x, dtype) (situ_cast)(SITU_OPERAND(x), (situ_dtype)SITU_INTEGER(dtype), SITU_HERE)
#define situ_complex(re, im) (situ_complex)(SITU_OPERAND(re), SITU_OPERAND(im), SITU_HERE)
#define situ_real(x) (situ_real)(SITU_OPERAND(x), SITU_HERE)
#define situ_imag(x) (situ_imag)(SITU_OPERAND(x), SITU_HERE)
#define situ_conj(x) (situ_conj)(SITU_OPERAND(x), SITU_HERE)
#define situ_to(x, device) (situ_to)(SITU_OPERAND(x), (device), SITU_HERE)
#define situ_copy_to(x, device) (situ_copy_to)(SITU_OPERAND(x), (device), SITU_HERE)
#define situ_stop_gradient(x) (situ_stop_gradient)(SITU_OPERAND(x), SITU_HERE)
#endif

#ifdef __cplusplus
}
#endif
#endif
