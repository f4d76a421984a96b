/* The operations of elementwise.def as the graph records them. */
#ifndef SITU_OP_ELEMENTWISE_OPS_H
#define SITU_OP_ELEMENTWISE_OPS_H

#include "op/elementwise.h"
#include "graph/op.h"

/* Indexed by situ_el. */
extern const situ_op *const situ_el_ops;

#endif
