#include "device/counted.h"

#include "base/error.h"
#include "base/memory.h"
#include "device/pages.h"

#include <situ/dtype.h>

/* In front of what the caller has. */
typedef struct head {
    _Alignas(16) size_t counted;
    situ_dev *dev; /* NULL: it counts nowhere */
} head;

/* One block more (+1), one less (-1) or another size (0) in the device's count. A device that was closed lives as long as one. */
static void count(situ_dev *d, int64_t bytes, int blocks)
{
    struct situ_pages *p = d->pages;
    pthread_mutex_lock(&p->lock);
    p->count.reserved += bytes;
    p->count.in_use += bytes;
    if (p->count.in_use > p->count.peak) p->count.peak = p->count.in_use;
    p->live += blocks;
    bool last = blocks < 0 && !p->live && p->closing;
    pthread_mutex_unlock(&p->lock);
    if (last) situ_dev_destroy(d);
}

/* So many bytes more within the limit; kept blocks go for them. */
static int take(situ_dev *d, int64_t bytes, int blocks, const char *name)
{
    struct situ_pages *p = d->pages;
    char asked[24], limit[24], used[24];
    pthread_mutex_lock(&p->lock);
    int64_t most = p->count.limit;
    if (most) situ_pages_trim(p, most - bytes);
    bool fits = !most || (bytes <= most && p->count.reserved <= most - bytes);
    int64_t in_use = p->count.in_use;
    pthread_mutex_unlock(&p->lock);
    if (!fits)
        return situ_fail(SITU_DEVICE_MEMORY, NULL,
            "%s: no memory to unpack it: %s more are asked for, the limit of the CPU's memory is %s, and %s are in use; "
            "raise " SITU_SAY("situ_memory_limit()", "device.memory_limit()") " or SITU_CPU_MEMORY, or free some tensors",
            name, situ_bytes_text(bytes, asked), situ_bytes_text(most, limit), situ_bytes_text(in_use, used));
    count(d, bytes, blocks);
    return 0;
}

void *situ_counted_resize(void *block, size_t bytes, bool counts, const char *name)
{
    head *old = block ? (head *)block - 1 : NULL;
    situ_dev *d = old ? old->dev : counts ? situ_dev_open(situ_cpu(), NULL) : NULL;
    size_t before = old ? old->counted : 0;
    if (counts && !d) return NULL;
    if (d && bytes > before && take(d, (int64_t)(bytes - before), !old, name)) return NULL;
    head *h = bytes < PTRDIFF_MAX / 2 ? situ_realloc(old, sizeof *h + bytes) : NULL;
    if (!h) {
        if (d && bytes > before) count(d, -(int64_t)(bytes - before), old ? 0 : -1);
        situ_fail(SITU_NO_MEMORY, NULL, "reading %s: no memory for %zu bytes", name, bytes);
        return NULL;
    }
    if (d && bytes < before) count(d, -(int64_t)(before - bytes), 0);
    *h = (head){d ? bytes : 0, d};
    return h + 1;
}

void situ_counted_free(void *block)
{
    if (!block) return;
    head *h = (head *)block - 1;
    if (h->dev) count(h->dev, -(int64_t)h->counted, -1);
    situ_free(h);
}
