/* Labels are indices that are never negative; errors call them labels. */
#ifndef SITU_OP_INDEX_H
#define SITU_OP_INDEX_H

#include "graph/op.h"
#include "op/attr.h"

/* Inserted by the planner: returns operand 0 after checking its range. */
extern const situ_op situ_op_checked;
typedef struct situ_checked_attr {
    int64_t n, labels; /* number of elements; labels: negative indices are errors */
} situ_checked_attr;

/* x with slices replaced: x[index] = value along the axis. Recorded by optimizers. */
situ_tensor *situ_index_copy(situ_tensor *x, situ_tensor *index, situ_tensor *value, situ_site site);

/* The score of each row's label: scores have one more axis than labels, the last. */
situ_tensor *situ_gather_labels(situ_tensor *scores, situ_tensor *labels, situ_site site);
/* True if the call's indices are such labels, with an additional axis of 1. */
bool situ_takes_labels(const situ_call_desc *c);

#endif
