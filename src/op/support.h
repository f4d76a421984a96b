/* Helpers of operations: options, axes, C numbers as operands, messages. */
#ifndef SITU_OP_SUPPORT_H
#define SITU_OP_SUPPORT_H

#include <string.h>

#include "base/options.h"
#include "graph/record.h"
#include "graph/op.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

/* Reads an option that may be a number, a shape, or unset; false with an error for anything else, such as a list in
 * braces. A number becomes a shape of one size; unset has ndim -1. */
bool situ_take_shape(situ_shape *s, const char *option, const char *operation, situ_site site);
/* The same for axes: a number becomes a list of one. */
bool situ_take_axes(situ_axes *axes, const char *operation, situ_site site);
/* Reads an option that is a device; unset is { 0, 0 }, and a number is an error. */
bool situ_take_device(situ_device *d, const char *operation, situ_site site);

/* Normalises an axis that may count from the end; negative with an error if there is no such axis. */
#define SITU_NO_AXIS "there is no axis" /* python/src/call.c recognises the error by these words */
#define SITU_AXIS_OF_0_D "of a 0-d tensor, which has none"
int situ_axis(int axis, int ndim, const char *operation, situ_site site);
/* Marks the named axes (all if none are given); false with an error if one does not exist or is named twice. */
bool situ_axes_mark(situ_axes axes, int ndim, bool *mark, const char *operation, situ_site site);
/* Checks a shape given by the user: its ndim and sizes; `minus` allows one -1. */
bool situ_shape_check(const situ_shape *s, bool minus, const char *operation, situ_site site);

static inline bool situ_is_number(const situ_tensor *t) { return (t->flags & SITU_NODE_SCALAR) != 0; }
/* The value of an operand that is a C number. */
double situ_number_f64(const situ_tensor *t);
int64_t situ_number_i64(const situ_tensor *t);
/* A C number as a 0-d tensor of this dtype, which must hold it, on x's device; a tensor is returned unchanged. */
situ_tensor *situ_as_tensor(situ_tensor *number, situ_dtype dtype, const situ_tensor *x, const char *operation, situ_site site);

/* The present value of x, for an operation that has nothing to do: a variable may change later, its value does not. */
static inline situ_tensor *situ_itself(situ_tensor *x, situ_site site)
{
    situ_tensor *t = situ_value_of(x, site);
    return t ? t : situ_poisoned();
}
/* The dtype of a result that is no integer: the operand's, or f32 for bool and integers. */
static inline situ_dtype situ_as_float(situ_dtype d) { return situ_dtype_kind(d) < SITU_KIND_FLOAT ? SITU_F32 : d; }
/* The common dtype of operands, some of which may be scalars, by the promotion rules. */
situ_dtype situ_infer_promote(const situ_infer *c, int first, int count);
/* For infer: refuses complex operands with a hint. */
int situ_refuse_complex(const situ_infer *c);
static inline void situ_infer_dims(situ_infer *c, int ndim, const int64_t *dim)
{
    c->ndim = ndim;
    memcpy(c->dim, dim, 8 * (size_t)ndim);
}
static inline situ_shape situ_shape_like(const situ_tensor *t)
{
    situ_shape s = {.ndim = t->ndim};
    memcpy(s.dim, t->dim, 8 * (size_t)t->ndim);
    return s;
}
static inline situ_tensor *situ_apply1(const situ_op *op, situ_tensor *x, const void *attr, size_t size, situ_site site)
{
    return situ_apply(op, &x, 1, attr, size, NULL, 0, site);
}

/* Writes "f32[2,3]" for an operand to `text`. */
#define SITU_BRIEF_TEXT 224
const char *situ_brief(const situ_tensor *t, char *text);
/* An error unless epsilon is finite and at least 0. */
bool situ_check_epsilon(double eps, const char *operation, situ_site site);

#endif
