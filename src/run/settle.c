/* Nodes whose operation has been handed to a device. */
#include "graph/owned.h"
#include "run/enqueue.h"

void situ_settle_ran(situ_tensor *t)
{
    if (!(t->flags & SITU_NODE_RAN)) situ_node_set_pending(t, false);
}

void situ_settle_stored(situ_tensor *t)
{
    if (situ_is_owned(t)) situ_history_settle(t);
}

void situ_settle_with(situ_tensor *t, situ_buffer *b)
{
    t->flags |= SITU_NODE_ASKED;
    t->buffer = b;
    situ_settle_ran(t);
    situ_settle_stored(t);
}
