#include "base/pool.h"
#include "graph/op.h"

void situ_host_for(const situ_host *h, void (*task)(void *context, int64_t index), void *context, int64_t count)
{
    if (h->parallel && count > 1) situ_pool_run(task, context, count);
    else
        for (int64_t i = 0; i < count; i++) task(context, i);
}

typedef struct cut {
    void (*piece)(void *context, int64_t first, int64_t end);
    void *context;
    int64_t n, pieces;
} cut;

static void run_piece(void *context, int64_t i)
{
    const cut *c = context;
    int64_t each = c->n / c->pieces, more = c->n % c->pieces, first = i * each + (i < more ? i : more);
    c->piece(c->context, first, first + each + (i < more));
}

void situ_host_pieces(
    const situ_host *h, void (*piece)(void *context, int64_t first, int64_t end), void *context, int64_t n, int64_t least)
{
    enum { MOST = 256 };
    cut c = {piece, context, n, n / (least > 1 ? least : 1)};
    if (c.pieces > MOST) c.pieces = MOST;
    if (c.pieces < 1 || !h->parallel || situ_pool_width() == 1) c.pieces = 1;
    if (n > 0) situ_host_for(h, run_piece, &c, c.pieces);
}
