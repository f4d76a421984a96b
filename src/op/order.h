/* Sorting values alone: a composite that the CPU does as a whole. */
#ifndef SITU_OP_ORDER_H
#define SITU_OP_ORDER_H

#include "graph/op.h"

extern const situ_op situ_op_sort;

/* Elements of a line that all threads sort: its keys and counts need memory of the plan. */
enum { SITU_SORT_LONG = 1 << 16, SITU_SORT_PARTS = 16, SITU_SORT_BUCKETS = 256 };

#endif
