/* For internal use: reductions over marked axes. */
#ifndef SITU_OP_REDUCE_H
#define SITU_OP_REDUCE_H

#include <situ/reduce.h>

#include "op/support.h"

/* The options of a reduction in one form; each function's options begin with the first of these fields. The last one
 * is the correction of var and std, or the power of norm. */
typedef struct situ_reduce_taken {
    SITU_OPTION_HEAD;
    situ_axes axes;
    bool keepdims;
    situ_dtype dtype;
    double parameter;
} situ_reduce_taken;
/* Reads the operand, options and axes of a reduction; without an option the parameter in *o is the default. */
bool situ_take_reduce(situ_tensor *x, situ_reduce_taken *o, bool *mark, const void *options, const char *operation, situ_site site);
/* Reduces the marked axes: groups of neighbours, the last group first. x already has the dtype to reduce in. */
situ_tensor *situ_reduce_marked(const situ_op *op, situ_tensor *x, const bool *mark, bool keepdims, situ_site site);
/* Number of x's elements along the marked axes that form one result. */
int64_t situ_reduce_count(const situ_tensor *x, const bool *mark);

extern const situ_op situ_op_sum, situ_op_prod, situ_op_max, situ_op_min, situ_op_any, situ_op_all;

#endif
