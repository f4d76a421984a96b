/* Labels: indices that are never negative. A wrong one is named as a label. */
#ifndef SITU_OP_INDEX_H
#define SITU_OP_INDEX_H

#include "graph/op.h"

/* Each row's score of its label: scores have one more axis, the last. */
situ_tensor *situ_gather_labels(situ_tensor *scores, situ_tensor *labels, situ_site site);
/* Are the call's indices such labels, with one more axis of 1? */
bool situ_takes_labels(const situ_call_desc *c);

#endif
