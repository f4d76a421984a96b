/* Convolutions and their gradients through cuDNN: f32 in true f32 (SITU_TF32=1 allows what rounds factors), f64, f16 and bf16
 * with f32 sums; always by an engine that gives the same bits each time. What it does not take is left to generated text. Its
 * sums are in another order than the CPU's.
 */
#ifndef SITU_BACKEND_CUDA_CONVOLUTION_H
#define SITU_BACKEND_CUDA_CONVOLUTION_H

#include "backend/cuda/cuda.h"
#include "backend/cuda/cudnn.h"

typedef struct situ_cuda_convolution situ_cuda_convolution;

/* For conv2d, conv2d_input, conv2d_weight and those of halves; NULL: *refusal says why (lives as long as the process), "" for
 * other operations.
 * In the device's context, without its lock. Raises nothing. */
situ_cuda_convolution *situ_cuda_convolution_new(situ_dev *d, const situ_call_desc *c, const char **refusal);
/* Slot `claims`: convolutions of halves, where cuDNN is there and has them; else they are computed in f32 between two casts. */
bool situ_cuda_convolution_claims(const situ_call_desc *c);
/* When nothing that runs uses it any more. */
void situ_cuda_convolution_free(situ_cuda *s, situ_cuda_convolution *p);
/* Does it take operands at these addresses? Engines read 16 bytes at a time; a part of a tensor may begin in between. */
bool situ_cuda_convolution_takes(char *const *address);
/* Starts it on a stream, which may be a captured one: result, first and second operand. Under s->lock, in the device's context. */
int situ_cuda_convolution_start(situ_cuda *s, situ_cuda_convolution *p, const uint64_t *address, cu_stream stream);
/* Before the device's context goes: after its last convolution went. */
void situ_cuda_convolution_close(situ_cuda *s);

/* ---- what it is to the library ---------------------------------------------------------------------------------------- */

/* A call in the words of cuDNN's graph API. */
typedef struct situ_cudnn_operation {
    cudnn_descriptor tensor[3], convolution, it;
} situ_cudnn_operation;
/* 0, or the status of the first call that failed; either way to be given back. */
int situ_cuda_convolution_describe(const situ_call_desc *c, situ_cudnn_operation *out);
void situ_cuda_convolution_forget(situ_cudnn_operation *o);
/* The notes of engines that are not taken for a dtype: bit n for note n. */
unsigned situ_cuda_convolution_refused(situ_dtype d);

#endif
