/* Error messages about operands. */
#ifndef SITU_GRAPH_OPERAND_H
#define SITU_GRAPH_OPERAND_H

#include "graph/op.h"
#include "graph/record.h"

/* Errors: two operands are on different devices; operand i is a number where the operation needs a tensor. */
int situ_fail_devices(const situ_op *op, situ_tensor *const *in, int first, int other, situ_site site);
int situ_fail_number(const situ_op *op, situ_tensor *const *in, int i, situ_site site);
/* The slow path of situ_usable, for operands that fail its quick check: false with an error. */
bool situ_usable_after_all(situ_tensor *const *in, int n, const char *op, situ_site site);
/* Checks that x and a tensor from an option (or NULL) are on one device; names: "x, option". */
bool situ_option_fits(situ_tensor *x, situ_tensor *option, const char *operation, const char *names, situ_site site);

#endif
