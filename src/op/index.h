/* Labels: indices that are never negative. A wrong one is named as a label. */
#ifndef SITU_OP_INDEX_H
#define SITU_OP_INDEX_H

#include "graph/op.h"
#include "op/attr.h"

/* Made by the planner: operand 0, twice, after a look at it. */
extern const situ_op situ_op_checked;
typedef struct situ_checked_attr {
    int64_t n, labels; /* how many elements there are; are negative indices wrong? */
} situ_checked_attr;

/* Slices of x become those of value: x[index] = value along the axis. Optimizers record it. */
situ_tensor *situ_index_copy(situ_tensor *x, situ_tensor *index, situ_tensor *value, situ_site site);

/* Each row's score of its label: scores have one more axis, the last. */
situ_tensor *situ_gather_labels(situ_tensor *scores, situ_tensor *labels, situ_site site);
/* Are the call's indices such labels, with one more axis of 1? */
bool situ_takes_labels(const situ_call_desc *c);

#endif
