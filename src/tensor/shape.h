/* Shapes and strides: plain arrays of at most SITU_MAX_DIMS numbers. Strides count elements unless said otherwise. */
#ifndef SITU_TENSOR_SHAPE_H
#define SITU_TENSOR_SHAPE_H

#include <situ/tensor.h>

/* The number of elements, 1 for 0-d, 0 with a dim of 0; -1 if a dim is negative or the product is beyond 2^63-1. */
int64_t situ_shape_count(int ndim, const int64_t *dim);
/* Can sizes and strides be counted in 64 bits? What is empty only because of an axis of 0 must fit as well. */
bool situ_shape_fits(int ndim, const int64_t *dim);
/* The row-major strides of a fresh tensor. */
void situ_shape_strides(int ndim, const int64_t *dim, int64_t *stride);
bool situ_shape_equal(int ndim_a, const int64_t *a, int ndim_b, const int64_t *b);
/* Whether the elements lie in row-major order without a gap (dims of 1 have any stride; an empty one is contiguous). */
bool situ_is_contiguous(int ndim, const int64_t *dim, const int64_t *stride);

/* NumPy's rule: aligned at the last axis, equal or 1. Writes out (SITU_MAX_DIMS numbers) and returns its ndim, or
 * -SITU_BAD_SHAPE with an error that names both shapes and the axis. */
int situ_shape_broadcast(
    situ_site site, const char *operation, int ndim_a, const int64_t *a, int ndim_b, const int64_t *b, int64_t *out);
/* The strides of a tensor seen as the larger shape: 0 along broadcast axes. False if it does not broadcast. */
bool situ_stride_broadcast(
    int ndim, const int64_t *dim, const int64_t *stride, int out_ndim, const int64_t *out_dim, int64_t *out_stride);

/* Strides under which the same memory has the new shape (of as many elements); 1 if there are some, 0 if a copy is
 * needed. */
int situ_view_reshape(
    int ndim, const int64_t *dim, const int64_t *stride, int new_ndim, const int64_t *new_dim, int64_t *new_stride);

/* Merges neighbouring axes that are one axis for every operand and drops axes of 1; strides are [nops][SITU_MAX_DIMS].
 * In place; returns the new ndim (0 for a single element). An empty shape becomes one axis of 0. */
int situ_collapse(int ndim, int64_t *dim, int nops, int64_t *stride);

/* "[2,3]" into text (n bytes), which is also returned. SITU_SHAPE_TEXT bytes hold any shape. */
#define SITU_SHAPE_TEXT 192
const char *situ_shape_text(int ndim, const int64_t *dim, char *text, size_t n);

#endif
