/* Sparse gradients: those of a table that is only looked up. */
#ifndef SITU_OPTIM_ROWS_H
#define SITU_OPTIM_ROWS_H

#include <situ/optim.h>

/* The rows of a table that a step changes: their indices [n], which may repeat, and their gradients [n, ...]; and the
 * call site of a lookup, for messages about the indices. */
typedef struct situ_looked_up {
    situ_tensor *index, *g;
    situ_site site;
} situ_looked_up;

/* Can the step change rows alone? grad[0], grad[stride], ... are the n gradients of one table, whose sum may have been
 * clipped or scaled since; kind: what the rule does to the other rows. */
bool situ_rows_find(
    situ_tensor *const *grad, int n, int stride, situ_tensor *sum, situ_rows kind, situ_looked_up *out, situ_site site);

#endif
