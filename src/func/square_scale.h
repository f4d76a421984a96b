/* Squares that neither overflow nor vanish. */
#ifndef SITU_FUNC_SQUARE_SCALE_H
#define SITU_FUNC_SQUARE_SCALE_H

#include <situ/tensor.h>

/* What numbers whose largest magnitude is `most` (f32 or f64) are multiplied by before they are squared: 1 in most cases, else a
 * power of two that brings `most` to between 1 and 2, so that no digit changes. Without `up` small ones stay as they are, which is
 * right where something larger is added to the squares. It has no gradient: what is multiplied is divided later on. */
situ_tensor *situ_square_scale(situ_tensor *most, bool up, situ_site site);

#endif
