/* For internal use: rotary embedding with angles that are computed once for several tensors. */
#ifndef SITU_OP_ROTARY_H
#define SITU_OP_ROTARY_H

#include <situ/network.h>

/* Cosines and sines [positions, half] of position / base^(i / half), which is divided by factors[i] (NULL: by 1). */
void situ_rotary_angles(situ_tensor *position, int64_t half, double base, situ_tensor *factors, situ_dtype dtype,
    situ_tensor **cosine, situ_tensor **sine, situ_site site);
/* situ_rotary for f32 or f64 with these cosines and sines, which have x's dtype. */
situ_tensor *situ_rotary_by(situ_tensor *x, situ_tensor *cosine, situ_tensor *sine, int axis, situ_site site);

#endif
