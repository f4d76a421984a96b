/* Helpers of host implementations. */
#ifndef SITU_OP_HOST_H
#define SITU_OP_HOST_H

#include <string.h>

#include "graph/op.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

/* Copies an array element by element between any strides (in elements of `size` bytes). */
void situ_host_copy(
    char *to, const int64_t *to_stride, const char *from, const int64_t *from_stride, int ndim, const int64_t *dim, size_t size);
/* Copies one element; the common sizes without a call. */
static inline void situ_host_move(char *to, const char *from, size_t size)
{
    if (size == 4) memcpy(to, from, 4);
    else if (size == 8) memcpy(to, from, 8);
    else memcpy(to, from, size);
}
/* Fills n elements of `size` bytes. */
void situ_host_fill(char *to, int64_t n, const void *element, size_t size);

/* An array viewed as [outer, n, inner] around one axis. */
typedef struct situ_around {
    int64_t outer, n, inner;
} situ_around;
static inline situ_around situ_host_around(const situ_layout *l, int axis)
{
    situ_around a = {1, l->dim[axis], 1};
    for (int i = 0; i < axis; i++) a.outer *= l->dim[i];
    for (int i = axis + 1; i < l->ndim; i++) a.inner *= l->dim[i];
    return a;
}
/* Pieces (situ_host_pieces) of all lines along that axis; at least `together` lines where lines are adjacent in
 * memory. */
enum { SITU_HOST_LEAST = 8192 }; /* elements of a piece */
static inline void situ_host_lines(
    const situ_host *h, void (*piece)(void *context, int64_t first, int64_t end), void *context, situ_around r, int64_t together)
{
    int64_t least = SITU_HOST_LEAST / (r.n + 1);
    situ_host_pieces(h, piece, context, r.outer * r.inner, r.inner > 1 && least < together ? together : least);
}
static inline int64_t situ_layout_count(const situ_layout *l)
{
    int64_t n = 1;
    for (int i = 0; i < l->ndim; i++) n *= l->dim[i];
    return n;
}

/* Bytes of its distinct elements in f32 (an axis of stride 0 repeats them), in whole cache lines. */
static inline int64_t situ_layout_wide_bytes(const situ_layout *l)
{
    int64_t n = 1;
    for (int i = 0; i < l->ndim; i++) n *= l->stride[i] || !l->dim[i] ? l->dim[i] : 1;
    return (n + 15) / 16 * 64;
}

/* Element i of an array of indices; negative ones count from the end of n, unless they are labels. Out of range: -1,
 * and the fault is set. */
int64_t situ_host_index_any(const situ_host *h, situ_dtype dtype, const char *indices, int64_t i, int64_t n, bool labels);
static inline int64_t situ_host_index(const situ_host *h, situ_dtype dtype, const char *indices, int64_t i, int64_t n, bool labels)
{
    int64_t at = -1;
    int32_t narrow;
    if (dtype == SITU_I64) memcpy(&at, indices + i * 8, 8);
    else if (dtype == SITU_I32) memcpy(&narrow, indices + i * 4, 4), at = narrow;
    return at >= 0 && at < n ? at : situ_host_index_any(h, dtype, indices, i, n, labels);
}
/* Writes the value of a missing element: NaN, or 0 for dtypes without NaN. */
void situ_host_missing(situ_dtype dtype, void *element);

/* Order-preserving keys: a < b exactly if key(a) < key(b); -0 and 0 have the same key, NaN the largest. */
void situ_host_keys(uint64_t *key, situ_dtype dtype, const char *x, int64_t stride, int64_t n);

#endif
