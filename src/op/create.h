/* For internal use: coordinates, and memory to be filled. */
#ifndef SITU_OP_CREATE_H
#define SITU_OP_CREATE_H

#include <situ/tensor.h>

/* The coordinate along `axis` at each position; dtype is an integer, f32 or f64. */
situ_tensor *situ_iota(situ_shape shape, int axis, situ_dtype dtype, situ_device device, situ_site site);

#endif
