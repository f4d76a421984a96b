/* Operators on few numbers, computed on the host: shapes and what is computed from them. */
#ifndef SITU_ONNX_HOST_H
#define SITU_ONNX_HOST_H

#include "onnx/call.h"

/* Values with more elements are not taken for shapes. */
enum { SITU_ONNX_HOST_MOST = 256 };

bool situ_onnx_host_add(situ_onnx_call *c);
bool situ_onnx_host_sub(situ_onnx_call *c);
bool situ_onnx_host_mul(situ_onnx_call *c);
bool situ_onnx_host_div(situ_onnx_call *c);
bool situ_onnx_host_mod(situ_onnx_call *c);
bool situ_onnx_host_and(situ_onnx_call *c);
bool situ_onnx_host_or(situ_onnx_call *c);
bool situ_onnx_host_equal(situ_onnx_call *c);
bool situ_onnx_host_less(situ_onnx_call *c);
bool situ_onnx_host_greater(situ_onnx_call *c);
bool situ_onnx_host_less_equal(situ_onnx_call *c);
bool situ_onnx_host_greater_equal(situ_onnx_call *c);
bool situ_onnx_host_max(situ_onnx_call *c);
bool situ_onnx_host_min(situ_onnx_call *c);
bool situ_onnx_host_not(situ_onnx_call *c);
bool situ_onnx_host_abs(situ_onnx_call *c);
bool situ_onnx_host_neg(situ_onnx_call *c);
bool situ_onnx_host_sqrt(situ_onnx_call *c);
bool situ_onnx_host_floor(situ_onnx_call *c);
bool situ_onnx_host_ceil(situ_onnx_call *c);
bool situ_onnx_host_where(situ_onnx_call *c);

/* Input i, if it is on the host and small enough to be a shape; else NULL. */
const situ_onnx_host *situ_onnx_few(const situ_onnx_call *c, int i);

#endif
