/* Sorting without positions: a composite that the CPU computes as a whole. */
#ifndef SITU_OP_ORDER_H
#define SITU_OP_ORDER_H

#include "graph/op.h"

extern const situ_op situ_op_sort;

/* lines of so many elements are sorted by all threads together; keys and counts then need memory of the plan */
enum { SITU_SORT_LONG = 1 << 16, SITU_SORT_PARTS = 16, SITU_SORT_BUCKETS = 256 };

#endif
