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

/* So many bytes and blocks more in the device's count, or fewer. Under its lock. */
static void count_in(struct situ_pages *p, int64_t bytes, int blocks)
{
    p->count.reserved += bytes;
    p->live += blocks;
    situ_pages_use(p, bytes);
}

/* Out of the count again. A device that was closed lives as long as a block. */
static void give_back(situ_dev *d, int64_t bytes, int blocks)
{
    struct situ_pages *p = d->pages;
    pthread_mutex_lock(&p->lock);
    count_in(p, -bytes, -blocks);
    bool last = blocks && !p->live && p->closing;
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
    if (fits) count_in(p, bytes, blocks);
    pthread_mutex_unlock(&p->lock);
    if (fits) return 0;
    return situ_fail(SITU_DEVICE_MEMORY, NULL,
        "%s: no memory to unpack it: %s more are asked for, the limit of the CPU's memory is %s, and %s are in use; "
        "raise " SITU_SAY("situ_memory_limit()", "device.memory_limit()") " or SITU_CPU_MEMORY, or free some tensors",
        name, situ_bytes_text(bytes, asked), situ_bytes_text(most, limit), situ_bytes_text(in_use, used));
}

void *situ_counted_resize(void *block, size_t bytes, bool counts, const char *name)
{
    head *old = block ? (head *)block - 1 : NULL;
    situ_dev *d = old ? old->dev : counts ? situ_dev_open(situ_cpu(), NULL) : NULL;
    size_t before = old ? old->counted : 0;
    if (counts && !d) return NULL;
    bool more = d && (!old || bytes > before); /* also a block of no bytes is one */
    if (more && take(d, (int64_t)(bytes - before), !old, name)) return NULL;
    head *h = bytes < PTRDIFF_MAX / 2 ? situ_realloc(old, sizeof *h + bytes) : NULL;
    if (!h) {
        if (more) give_back(d, (int64_t)(bytes - before), !old);
        situ_fail(SITU_NO_MEMORY, NULL, "reading %s: no memory for %zu bytes", name, bytes);
        return NULL;
    }
    if (d && bytes < before) give_back(d, (int64_t)(before - bytes), 0);
    *h = (head){d ? bytes : 0, d};
    return h + 1;
}

void situ_counted_free(void *block)
{
    if (!block) return;
    head *h = (head *)block - 1;
    if (h->dev) give_back(h->dev, (int64_t)h->counted, 1);
    situ_free(h);
}
