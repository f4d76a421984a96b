/* For the library's own use. */
#ifndef SITU_OP_VIEW_H
#define SITU_OP_VIEW_H

#include "op/support.h"

extern const situ_op situ_op_permute;

/* slice: how many elements along each axis and how far apart; word i is the first one's position along axis i. */
typedef struct situ_slice_attr {
    int64_t size[8], step[8];
} situ_slice_attr;
situ_tensor *situ_slice_at(situ_tensor *x, const int64_t *start, const int64_t *size, const int64_t *step, situ_site site);

/* A tensor of this shape with x's elements at start + i step along each axis, and `number` everywhere else. */
situ_tensor *situ_place_at(
    situ_tensor *x, situ_shape shape, const int64_t *start, const int64_t *step, const situ_tensor *number, situ_site site);

#endif
