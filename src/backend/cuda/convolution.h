/* Convolutions and their gradients by cuDNN: f32 in full f32 (SITU_TF32=1 allows rounding factors), f64, f16 and bf16
 * with f32 sums; always by an engine that gives the same bits each time. What it does not support is left to generated
 * text. The order of its sums differs from the CPU's. */
#ifndef SITU_BACKEND_CUDA_CONVOLUTION_H
#define SITU_BACKEND_CUDA_CONVOLUTION_H

#include "backend/cuda/cuda.h"
#include "backend/cuda/cudnn.h"

typedef struct situ_cuda_convolution situ_cuda_convolution;

/* For conv2d, conv2d_input, conv2d_weight and their variants for halves; NULL: *refusal has the reason (it lives as
 * long as the process), "" for other operations. Called in the device's context, without its lock. Raises no error. */
situ_cuda_convolution *situ_cuda_convolution_new(situ_dev *d, const situ_call_desc *c, const char **refusal);
/* Slot `claims`: convolutions of halves that cuDNN supports; others are computed in f32 between two casts. */
bool situ_cuda_convolution_claims(const situ_call_desc *c);
/* To be called when no running work uses it any more. */
void situ_cuda_convolution_free(situ_cuda *s, situ_cuda_convolution *p);
/* Does it accept operands at these addresses? Engines read 16 bytes at a time, and a part of a tensor may be
 * unaligned. */
bool situ_cuda_convolution_takes(char *const *address);
/* Starts it on a stream, which may be in capture mode: result, first and second operand. Called under s->lock, in the
 * device's context. */
int situ_cuda_convolution_start(situ_cuda *s, situ_cuda_convolution *p, const uint64_t *address, cu_stream stream);
/* To be called before the device's context is destroyed, after its last convolution was freed. */
void situ_cuda_convolution_close(situ_cuda *s);

/* ---- describing calls to cuDNN --------------------------------------------------------------------------------------- */

/* A call as an operation of cuDNN's graph API. */
typedef struct situ_cudnn_operation {
    cudnn_descriptor tensor[3], convolution, it;
} situ_cudnn_operation;
/* 0, or the status of the first call that failed; to be released in both cases. */
int situ_cuda_convolution_describe(const situ_call_desc *c, situ_cudnn_operation *out);
void situ_cuda_convolution_forget(situ_cudnn_operation *o);
/* The notes of engines that are refused for a dtype: bit n for note n. */
unsigned situ_cuda_convolution_refused(situ_dtype d);

#endif
