/* For internal use: views. */
#ifndef SITU_OP_VIEW_H
#define SITU_OP_VIEW_H

#include <stddef.h>

#include "op/support.h"

extern const situ_op situ_op_permute, situ_op_slice;

typedef struct situ_permute_attr {
    int32_t axis[SITU_MAX_DIMS];
} situ_permute_attr;

/* slice: for each axis of x the number of elements and the step; word i is the first position along axis i. */
typedef struct situ_slice_attr {
    uint64_t dropped; /* bit mask: axes of x, of one element, that the result lacks */
    struct {
        int64_t size, step;
    } axis[SITU_MAX_DIMS];
} situ_slice_attr;
static inline size_t situ_slice_attr_size(int ndim) { return offsetof(situ_slice_attr, axis) + 16 * (size_t)ndim; }
/* step: NULL: 1 everywhere. */
situ_tensor *situ_part_at(
    situ_tensor *x, const int64_t *start, const int64_t *size, const int64_t *step, uint64_t dropped, situ_site site);
static inline situ_tensor *situ_slice_at(
    situ_tensor *x, const int64_t *start, const int64_t *size, const int64_t *step, situ_site site)
{
    return situ_part_at(x, start, size, step, 0, site);
}

/* A tensor of this shape with x's elements at start + i * step along each axis, and `number` everywhere else. */
situ_tensor *situ_place_at(
    situ_tensor *x, situ_shape shape, const int64_t *start, const int64_t *step, const situ_tensor *number, situ_site site);
/* x with `value` (of as many axes and x's dtype) written to the positions that situ_part_at selects with these words:
 * start, the value's shape, step. */
situ_tensor *situ_write_at(situ_tensor *x, situ_tensor *value, const int64_t *start, const int64_t *step, situ_site site);

#endif
