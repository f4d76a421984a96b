/* Gradients that are rows: of a table that is only looked up. */
#ifndef SITU_OPTIM_ROWS_H
#define SITU_OPTIM_ROWS_H

#include <situ/optim.h>

/* The rows of a table that a step changes: their numbers [n], of which several may be equal, and their gradients [n, ...]; the line
 * of a lookup, which messages about the numbers speak of. */
typedef struct situ_looked_up {
    situ_tensor *index, *g;
    situ_site site;
} situ_looked_up;

/* Does the step change rows alone? grad[0], grad[stride], ... are the n gradients of one table, whose sum may have gone on to be
 * clipped or scaled; kind: what the rule does to the others. */
bool situ_rows_find(
    situ_tensor *const *grad, int n, int stride, situ_tensor *sum, situ_rows kind, situ_looked_up *out, situ_site site);

#endif
