#include "device/counted.h"

#include "base/error.h"
#include "base/memory.h"
#include "device/pages.h"

#include <situ/dtype.h>

/* Precedes the caller's memory. */
typedef struct head {
    _Alignas(16) size_t counted;
    situ_dev *dev; /* NULL: not counted */
} head;

/* Adds bytes and blocks to the device's counts, or subtracts them. Called under its lock. */
static void count_in(struct situ_pages *p, int64_t bytes, int blocks)
{
    p->count.reserved += bytes;
    p->live += blocks;
    situ_pages_use(p, bytes);
}

/* Subtracts a block. A closed device lives as long as one of its blocks. */
static void give_back(situ_dev *d, int64_t bytes, int blocks)
{
    struct situ_pages *p = d->pages;
    situ_mutex_lock(&p->lock);
    count_in(p, -bytes, -blocks);
    bool last = blocks && !p->live && p->closing;
    situ_mutex_unlock(&p->lock);
    if (last) situ_dev_destroy(d);
}

/* Reserves bytes within the limit, freeing cached blocks if necessary. */
static int take(situ_dev *d, int64_t bytes, int blocks, const char *name)
{
    struct situ_pages *p = d->pages;
    char asked[24], limit[24], used[24];
    situ_mutex_lock(&p->lock);
    int64_t most = p->count.limit;
    if (most) situ_pages_trim(p, most - bytes);
    bool fits = !most || (bytes <= most && p->count.reserved <= most - bytes);
    int64_t in_use = p->count.in_use;
    if (fits) count_in(p, bytes, blocks);
    situ_mutex_unlock(&p->lock);
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
    bool more = d && (!old || bytes > before); /* an empty block counts as a block, too */
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
