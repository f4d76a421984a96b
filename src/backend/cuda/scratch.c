/* Workspaces of libraries. All library calls on a device run in the order of `compute`, so they may share one piece of
 * memory. A piece keeps its address as long as it has users, since graphs contain that address. */
#include "backend/cuda/cuda.h"

#include "base/error.h"
#include "base/memory.h"

enum { SMALLEST = 32 << 20 };

struct situ_cuda_scratch {
    struct situ_cuda_scratch *next; /* of the device */
    situ_buffer *buffer;
    size_t bytes;
    int users;
};

/* Finds the smallest sufficient piece, and adds a user. */
static situ_cuda_scratch *find(situ_cuda *s, size_t bytes)
{
    situ_cuda_scratch *best = NULL;
    situ_mutex_lock(&s->lock);
    for (situ_cuda_scratch *w = s->workspaces; w; w = w->next)
        if (w->bytes >= bytes && (!best || w->bytes < best->bytes)) best = w;
    if (best) best->users++;
    situ_mutex_unlock(&s->lock);
    return best;
}

situ_cuda_scratch *situ_cuda_scratch_take(situ_dev *d, size_t bytes)
{
    situ_cuda *s = d->state;
    situ_cuda_scratch *w = find(s, bytes);
    if (w || situ_error_code || !(w = situ_calloc(1, sizeof *w))) return w;
    w->users = 1;
    for (w->bytes = SMALLEST; w->bytes < bytes; w->bytes *= 2) {}
    const situ_label label = {.name = "workspace of libraries", .dtype = SITU_U8, .ndim = 1, .dim = {(int64_t)w->bytes}};
    if (!(w->buffer = situ_buffer_new(d, w->bytes, &label, NULL))) {
        situ_error_take(NULL);
        situ_free(w);
        return NULL;
    }
    situ_mutex_lock(&s->lock);
    w->next = s->workspaces;
    s->workspaces = w;
    situ_mutex_unlock(&s->lock);
    return w;
}

void situ_cuda_scratch_give(situ_cuda *s, situ_cuda_scratch *w)
{
    if (!w) return;
    situ_mutex_lock(&s->lock);
    bool last = !--w->users;
    situ_cuda_scratch **at = &s->workspaces;
    while (*at != w) at = &(*at)->next;
    if (last) *at = w->next;
    situ_mutex_unlock(&s->lock);
    if (!last) return;
    situ_buffer_unref(w->buffer);
    situ_free(w);
}

char *situ_cuda_scratch_address(const situ_cuda_scratch *w) { return w ? w->buffer->address : NULL; }
