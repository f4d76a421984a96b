/* What messages say about operands. */
#ifndef SITU_GRAPH_OPERAND_H
#define SITU_GRAPH_OPERAND_H

#include "graph/op.h"
#include "graph/record.h"

/* Two operands live on different devices; operand i is a number where the operation takes none. */
int situ_fail_devices(const situ_op *op, situ_tensor *const *in, int first, int other, situ_site site);
int situ_fail_number(const situ_op *op, situ_tensor *const *in, int i, situ_site site);
/* situ_usable for operands of which one is not as usual: false with an error. */
bool situ_usable_after_all(situ_tensor *const *in, int n, const char *op, situ_site site);
/* situ_together for x and a tensor that an option has, or NULL; names: "x, option". */
bool situ_option_fits(situ_tensor *x, situ_tensor *option, const char *operation, const char *names, situ_site site);

#endif
