/* Pooling: what its operations share, for reference and tuned implementations. */
#ifndef SITU_OP_POOL_H
#define SITU_OP_POOL_H

#include <situ/network.h>

#include "graph/op.h"
#include "op/window.h"

/* Attributes for the last two axes. `image` is the size before pooling, for the gradient operations. */
typedef struct situ_pool_attr {
    int64_t size[2], stride[2], before[2], image[2];
    int64_t whole; /* means divide by the whole window, padding included */
} situ_pool_attr;

/* The common options of both kinds of pooling. */
typedef struct situ_pool_options {
    situ_shape stride, padding, dilation;
    bool ceil, count_padding;
} situ_pool_options;
bool situ_take_pool_options(situ_pool_options *o, const void *options, bool mean, const char *operation, situ_site site);
/* Reads the windows over the last w->n axes of x; false with an error if they do not fit. */
bool situ_take_pool(
    situ_window *w, const situ_tensor *x, situ_shape size, const situ_pool_options *o, const char *operation, situ_site site);
static inline bool situ_pool_is_plain(const situ_window *w, const situ_pool_options *o)
{
    for (int i = 0; i < w->n; i++)
        if (w->dilation[i] != 1) return false;
    return !o->ceil;
}
/* Pools with windows that fit into x, in the dtype of computation; whole: means count padding. */
typedef situ_tensor *(*situ_plain_pool)(situ_tensor *x, const situ_window *w, bool mean, bool whole, situ_site site);
/* Composes uncommon pools of common ones. */
situ_tensor *situ_pool_uncommon(
    situ_tensor *x, const situ_window *w, const situ_pool_options *o, bool mean, situ_plain_pool plain, situ_site site);

#endif
