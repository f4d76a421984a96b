/* For the library's own use: reductions by marks. */
#ifndef SITU_OP_REDUCE_H
#define SITU_OP_REDUCE_H

#include <situ/reduce.h>

#include "op/support.h"

/* Which of the options mean something to a reduce function beside .axes and .keepdims. */
enum { SITU_HAS_DTYPE = 1, SITU_HAS_CORRECTION = 2, SITU_HAS_ORD = 4 };
/* A reduce function's operand, options and axes. False with an error: others of the options are set, too. */
bool situ_take_reduce(situ_tensor *x, situ_reduce_options *o, bool *mark, const situ_reduce_options *options, unsigned has,
                      const char *operation, situ_site site);
/* Folds the marked axes: groups of neighbours, the last group first. x already has the dtype to fold in. */
situ_tensor *situ_reduce_marked(const situ_op *op, situ_tensor *x, const bool *mark, bool keepdims, situ_site site);
/* x's elements along the marked axes: how many fall together. */
int64_t situ_reduce_count(const situ_tensor *x, const bool *mark);

extern const situ_op situ_op_sum, situ_op_prod, situ_op_max, situ_op_min, situ_op_any, situ_op_all;

#endif
