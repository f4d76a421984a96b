/* For internal use: a given number of true positions, and the elements there. */
#ifndef SITU_OP_FIND_H
#define SITU_OP_FIND_H

#include <situ/tensor.h>

/* Positions of the first `count` true elements, i64[count, ndim]; unused rows are `fill`. */
situ_tensor *situ_find(situ_tensor *mask, int64_t count, int64_t fill, situ_site site);
/* The first `count` slices of x along its first axis where the mask, of that length, is true; unused ones repeat slice
 * 0. */
situ_tensor *situ_compress(situ_tensor *x, situ_tensor *mask, int64_t count, situ_site site);

/* Number of nonzero bytes among n. */
int64_t situ_host_count(const char *mask, int64_t n);

#endif
