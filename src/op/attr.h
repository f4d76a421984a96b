/* Attributes of structured operations that texts of kernels read as well. */
#ifndef SITU_OP_ATTR_H
#define SITU_OP_ATTR_H

#include <stdint.h>

/* Of take, gather, scatter, index_add, argmax, argmin; argsort (flag: descending); scans (flag: reverse). */
typedef struct situ_axis_attr { int32_t axis, flag; } situ_axis_attr;

/* Word 0 is the number around, an i64 or f64; then the position of x's first element along each axis. */
typedef struct situ_place_attr { int64_t dim[8], step[8]; int32_t floating, unused; } situ_place_attr;

#endif
