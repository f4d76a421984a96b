#include "base/pool.h"
#include "graph/op.h"

void situ_host_for(const situ_host *h, void (*task)(void *context, int64_t index), void *context, int64_t count)
{
    if (h->parallel && count > 1) situ_pool_run(task, context, count);
    else
        for (int64_t i = 0; i < count; i++) task(context, i);
}
