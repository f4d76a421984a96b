/* What the files of operations share: options, axes, numbers given as operands, messages. */
#ifndef SITU_OP_SUPPORT_H
#define SITU_OP_SUPPORT_H

#include <string.h>

#include "base/options.h"
#include "graph/record.h"
#include "graph/op.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

/* Options that may be written as one number, a shape, or not at all; false with an error for anything else, such as a list in
 * braces. A number becomes a shape of itself, what is not set has no dims: ndim -1. */
bool situ_take_shape(situ_shape *s, const char *option, const char *operation, situ_site site);
/* A number becomes a list of itself; what is not set is not given. */
bool situ_take_axes(situ_axes *axes, const char *operation, situ_site site);
/* What is not set is { 0, 0 }; a number is no device. */
bool situ_take_device(situ_device *d, const char *operation, situ_site site);

/* 0 <= axis < ndim from an axis that may count from the end; negative with an error if there is no such axis. */
#define SITU_NO_AXIS "there is no axis" /* python/src/call.c knows the error by these words */
#define SITU_AXIS_OF_0_D "of a 0-d tensor, which has none"
int situ_axis(int axis, int ndim, const char *operation, situ_site site);
/* The named axes (all if none are given) as marks; false with an error if one does not exist or is named twice. */
bool situ_axes_mark(situ_axes axes, int ndim, bool *mark, const char *operation, situ_site site);
/* Checks a shape from the outside: its ndim and dims; `minus` allows one -1. */
bool situ_shape_check(const situ_shape *s, bool minus, const char *operation, situ_site site);

static inline bool situ_is_number(const situ_tensor *t) { return (t->flags & SITU_NODE_SCALAR) != 0; }
/* The value of an operand that is a number in the source. */
double situ_number_f64(const situ_tensor *t);
int64_t situ_number_i64(const situ_tensor *t);
/* A number as a 0-d tensor of this dtype, which must hold it, on x's device; a tensor as it is. */
situ_tensor *situ_as_tensor(situ_tensor *number, situ_dtype dtype, const situ_tensor *x, const char *operation, situ_site site);

/* The value that x has now, where an operation has nothing to do: a variable may change later, its value does not. */
static inline situ_tensor *situ_itself(situ_tensor *x, situ_site site)
{
    situ_tensor *t = situ_value_of(x, site);
    return t ? t : situ_poisoned();
}
/* Of results that are no integers: the operand's dtype, f32 for bool and integers. */
static inline situ_dtype situ_as_float(situ_dtype d) { return situ_dtype_kind(d) < SITU_KIND_FLOAT ? SITU_F32 : d; }
/* Several operands may be scalars: gives their common dtype by the promotion rules. */
situ_dtype situ_infer_promote(const situ_infer *c, int first, int count);
/* infer: refuses complex operands, naming what to do. */
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

/* "f32[2,3]" of an operand, in `text`. */
#define SITU_BRIEF_TEXT 224
const char *situ_brief(const situ_tensor *t, char *text);
/* True: what is added to a variance is at least 0 and finite. Else an error is raised. */
bool situ_check_epsilon(double eps, const char *operation, situ_site site);

#endif
