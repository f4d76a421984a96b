/* Updates nodes whose operation has been submitted to a device. */
#include "graph/owned.h"
#include "run/enqueue.h"

void situ_note_ran(situ_tensor *t)
{
    if (!(t->flags & SITU_NODE_RAN)) situ_node_set_pending(t, false);
}

void situ_note_stored(situ_tensor *t)
{
    if (situ_is_owned(t)) situ_history_stored(t);
}

void situ_store_in(situ_tensor *t, situ_buffer *b)
{
    t->flags |= SITU_NODE_ASKED;
    t->buffer = b;
    situ_note_ran(t);
    situ_note_stored(t);
}
