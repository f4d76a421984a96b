/* What is counted from shapes: operators on a few numbers, on the host. */
#ifndef SITU_ONNX_HOST_H
#define SITU_ONNX_HOST_H

#include "onnx/call.h"

/* Values of more elements are no shapes. */
enum { SITU_ONNX_HOST_MOST = 256 };

#define SITU_ONNX_HOST_BODIES(B) \
    B(add) B(sub) B(mul) B(div) B(mod) B(and) B(or) B(equal) B(less) B(greater) B(less_equal) B(greater_equal) B(max) B(min) B(not) \
        B(abs) B(neg) B(sqrt) B(floor) B(ceil) B(where)
#define SITU_ONNX_HOST_BODY_(name) bool situ_onnx_host_##name(situ_onnx_call *c);
SITU_ONNX_HOST_BODIES(SITU_ONNX_HOST_BODY_)

/* Input i, if it is there and no larger than a shape; else NULL. */
const situ_onnx_host *situ_onnx_few(const situ_onnx_call *c, int i);

#endif
