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

typedef struct SITU_BY_NAME situ_made_options {
    SITU_OPTION_HEAD;
    situ_dtype dtype;   /* = default f32: dtype of the result; see each function */
    situ_device device; /* = default: where it is made; default: the thread's default device */
} situ_made_options;

/* Zeros everywhere; ones everywhere. */
SITU_API situ_tensor *situ_zeros(situ_shape shape, const situ_made_options *options, situ_site site);
SITU_API situ_tensor *situ_ones(situ_shape shape, const situ_made_options *options, situ_site site);
/* `value` everywhere: a number (then the dtype is bool, i64 or f32 by its kind), or a tensor that broadcasts. */
SITU_API situ_tensor *situ_full(situ_shape shape, situ_tensor *value, const situ_made_options *options, situ_site site);
/* The same with x's shape, dtype and device. */
SITU_API situ_tensor *situ_zeros_like(situ_tensor *x, const situ_made_options *options, situ_site site);
SITU_API situ_tensor *situ_ones_like(situ_tensor *x, const situ_made_options *options, situ_site site);
SITU_API situ_tensor *situ_full_like(situ_tensor *x, situ_tensor *value, const situ_made_options *options, situ_site site);

/* start, start + step, ... before stop: ceil((stop - start) / step) numbers; i64 if all three are integers, else f32. */
SITU_API situ_tensor *situ_arange(
    situ_tensor *start, situ_tensor *stop, situ_tensor *step, const situ_made_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_linspace_options {
    SITU_OPTION_HEAD;
    situ_dtype dtype;   /* = default f32: dtype of the result */
    situ_device device; /* = default: where it is made; default: the thread's default device */
    bool endpoint;      /* = true: the last number is exactly stop */
} situ_linspace_options;
/* n numbers in equal steps: start + i (stop - start) / (n - 1), or / n without the endpoint. */
SITU_API situ_tensor *situ_linspace(double start, double stop, int64_t n, const situ_linspace_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_eye_options {
    SITU_OPTION_HEAD;
    situ_dtype dtype;   /* = default f32: dtype of the result */
    situ_device device; /* = default: where it is made; default: the thread's default device */
    int64_t columns;    /* = -1 in [-1, inf): number of columns; -1: as many as rows */
    int64_t diagonal;   /* = 0: which diagonal; 0: the main one; positive: above it, negative: below */
} situ_eye_options;
/* 1 where column - row == diagonal, else 0. */
SITU_API situ_tensor *situ_eye(int64_t rows, const situ_eye_options *options, situ_site site);
/* 1 where column - row <= diagonal, else 0. */
SITU_API situ_tensor *situ_tri(int64_t rows, const situ_eye_options *options, situ_site site);
/* x where column - row <= diagonal (tril) or >= diagonal (triu), else 0, over the last two axes. */
SITU_API situ_tensor *situ_tril(situ_tensor *x, int64_t diagonal, situ_site site);
SITU_API situ_tensor *situ_triu(situ_tensor *x, int64_t diagonal, situ_site site);

/* Conversion to another dtype: floats to integers truncate and saturate (NaN gives 0), integers wrap, anything to bool is != 0,
 * complex to real takes the real part. The same tensor if it has that dtype. */
SITU_API situ_tensor *situ_cast(situ_tensor *x, situ_dtype dtype, situ_site site);
/* re + i im from two real tensors of one float dtype; the real and imaginary part of a complex tensor; its conjugate. A real tensor
 * is its own real part and conjugate. */
SITU_API situ_tensor *situ_complex(situ_tensor *re, situ_tensor *im, situ_site site);
SITU_API situ_tensor *situ_real(situ_tensor *x, situ_site site);
SITU_API situ_tensor *situ_imag(situ_tensor *x, situ_site site);
SITU_API situ_tensor *situ_conj(situ_tensor *x, situ_site site);

/* x on that device: x itself (the same pointer) if it is there, else a copy. */
SITU_API situ_tensor *situ_to(situ_tensor *x, situ_device device, situ_site site);
/* Always a copy in new memory, even on the same device. */
SITU_API situ_tensor *situ_copy_to(situ_tensor *x, situ_device device, situ_site site);

/* x as a constant: gradients do not pass through it. */
SITU_API situ_tensor *situ_stop_gradient(situ_tensor *x, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/create.h>

#endif
