/* Positions of maxima and minima on the CPU. */
#ifndef SITU_NUMERIC_EXTREME_H
#define SITU_NUMERIC_EXTREME_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/isa.h"
#include "tensor/dtype.h"

/* The position of the largest (or smallest) of n > 0 contiguous elements; the first of equal ones, and NaN before all.
 * -1 if the dtype is not supported. */
int64_t situ_extreme(situ_dtype dtype, const char *x, int64_t n, bool largest);
#define SITU_EXTREME(name) int64_t name(situ_dtype dtype, const char *x, int64_t n, bool largest);
SITU_EACH_SET(SITU_EXTREME, situ_extreme)

#endif
