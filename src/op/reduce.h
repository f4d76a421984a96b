/* For the library's own use: reductions by marks. */
#ifndef SITU_OP_REDUCE_H
#define SITU_OP_REDUCE_H

#include <situ/reduce.h>

#include "op/support.h"

/* What the options of reductions come to: each function takes a struct whose first fields are the first of these. The last is
 * the correction of var and std, the power of norm. */
typedef struct situ_reduce_taken {
    SITU_OPTION_HEAD;
    situ_axes axes;
    bool keepdims;
    situ_dtype dtype;
    double parameter;
} situ_reduce_taken;
/* A reduce function's operand, options and axes; the parameter is that of *o where it is not given. */
bool situ_take_reduce(situ_tensor *x, situ_reduce_taken *o, bool *mark, const void *options, const char *operation, situ_site site);
/* Reduces the marked axes: groups of neighbours, the last group first. x already has the dtype to reduce in. */
situ_tensor *situ_reduce_marked(const situ_op *op, situ_tensor *x, const bool *mark, bool keepdims, situ_site site);
/* x's elements along the marked axes: how many fall together. */
int64_t situ_reduce_count(const situ_tensor *x, const bool *mark);

extern const situ_op situ_op_sum, situ_op_prod, situ_op_max, situ_op_min, situ_op_any, situ_op_all;

#endif
