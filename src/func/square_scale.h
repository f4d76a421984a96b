/* Scaling that keeps squares from overflowing and underflowing. */
#ifndef SITU_FUNC_SQUARE_SCALE_H
#define SITU_FUNC_SQUARE_SCALE_H

#include <situ/tensor.h>

/* The factor by which numbers with largest magnitude `most` (f32 or f64) are multiplied before they are squared:
 * usually 1, else a power of two that brings `most` to between 1 and 2, so no digit changes. Without `up` small
 * numbers are not scaled, which is right if something larger is added to the squares. It has no gradient; the result
 * is divided by it later. */
situ_tensor *situ_square_scale(situ_tensor *most, bool up, situ_site site);

#endif
