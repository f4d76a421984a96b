/* Mean pooling with windows of 2 x 2 that do not overlap, the most common case; maxima of all windows. */
#ifndef SITU_CPU_POOLING_H
#define SITU_CPU_POOLING_H

#include "graph/op.h"

/* Listed in implementations.c: calls of avg_pool2d and avg_spread. */
bool situ_pooling_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_pooling_mean(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_pooling_spread(const situ_call_desc *call, char *const *address, const situ_host *h);
/* The same of max_take. */
bool situ_max_pooling_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_max_pooling_run(const situ_call_desc *call, char *const *address, const situ_host *h);

#endif
