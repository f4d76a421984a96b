/* Nodes whose operation has been handed to a device. */
#include "graph/owned.h"
#include "run/enqueue.h"

void situ_settle_ran(situ_tensor *t)
{
    if (t->flags & SITU_NODE_RAN) return;
    t->flags = (uint16_t)((t->flags & ~SITU_NODE_REVIVED) | SITU_NODE_RAN);
    situ_tensor **in = situ_node_in(t);
    for (int k = 0; k < t->nin; k++)
        if (in[k]->scope) in[k]->readers--;
    if (situ_is_owned(t)) situ_owned_ran(t);
}

void situ_settle_stored(situ_tensor *t)
{
    if (situ_is_owned(t)) situ_history_settle(t);
}
