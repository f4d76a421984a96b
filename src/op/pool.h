/* Pooling: what its operations share, for their references and for tuned implementations. */
#ifndef SITU_OP_POOL_H
#define SITU_OP_POOL_H

#include "graph/op.h"

/* Of the last two axes. `image` is the size before pooling, for the operations that go back to it. */
typedef struct situ_pool_attr {
    int64_t size[2], stride[2], before[2], image[2];
    int64_t whole; /* means are over whole windows, padding included */
} situ_pool_attr;

#endif
