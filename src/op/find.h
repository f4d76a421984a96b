/* For the library's own use: positions of a known number, and what lies there. */
#ifndef SITU_OP_FIND_H
#define SITU_OP_FIND_H

#include <situ/tensor.h>

/* Positions of the first `count` true elements, i64[count, ndim]; fill takes the places that are left. */
situ_tensor *situ_find(situ_tensor *mask, int64_t count, int64_t fill, situ_site site);
/* The first `count` slices of x along its first axis where the mask, of that length, is true; slice 0 takes the places that are
 * left. */
situ_tensor *situ_compress(situ_tensor *x, situ_tensor *mask, int64_t count, situ_site site);

/* How many of n bytes are not 0. */
int64_t situ_host_count(const char *mask, int64_t n);

#endif
