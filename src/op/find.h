/* For the library's own use: positions of a known number. */
#ifndef SITU_OP_FIND_H
#define SITU_OP_FIND_H

#include <situ/tensor.h>

/* Positions of the first `count` true elements, i64[count, ndim]; fill takes the places that are left. */
situ_tensor *situ_find(situ_tensor *mask, int64_t count, int64_t fill, situ_site site);

#endif
