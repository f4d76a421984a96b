/* Windows over the last axes of [n, channels, ...]. */
#ifndef SITU_ONNX_WINDOW_H
#define SITU_ONNX_WINDOW_H

#include "onnx/call.h"

enum { SITU_ONNX_WINDOW_AXES = 3 };
#define SITU_ONNX_AUTO_PADS "NOTSET, SAME_UPPER, SAME_LOWER, VALID"

typedef struct situ_onnx_window {
    int n;
    int64_t size[SITU_ONNX_WINDOW_AXES], stride[SITU_ONNX_WINDOW_AXES], dilation[SITU_ONNX_WINDOW_AXES],
        before[SITU_ONNX_WINDOW_AXES], after[SITU_ONNX_WINDOW_AXES];
} situ_onnx_window;

/* Reads strides, dilations and pads over the last axes of an input of this shape. w->n, and w->size if there is no
 * attribute for it, are set by the caller; false with an error. */
bool situ_onnx_window_of(situ_onnx_call *c, const situ_shape *s, situ_onnx_window *w);
/* Samples x between its elements: at[i] [n, samples] has positions along spatial axis i. x [n, channels, ...] gives
 * [n, channels, samples]. mode: nearest, linear or cubic; outside: zeros, border or reflection, which mirrors at the
 * centres of the end elements (corners) or at their outer edges. largest: the largest weighted neighbour instead of
 * their sum. */
situ_tensor *situ_onnx_sampled(const situ_onnx_call *c, situ_tensor *x, situ_tensor *const *at, const char *mode,
    const char *outside, bool corners, bool largest);

#endif
