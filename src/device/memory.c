/* Buffers: reference counts, limits and statistics, on top of the blocks of pages.c. */
#include "device/pages.h"
#include "os/env.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "device/streams.h"
#include "device/shortage.h"

static _Atomic int64_t live_buffers, fail_countdown;

void situ_test_fail_device_alloc(int64_t k) { fail_countdown = k > 0 ? k : 0; }
bool situ_test_fail_device_struck(void) { return fail_countdown <= 0; }
int64_t situ_test_live_buffers(void) { return live_buffers; }

/* ---- pages of a device ------------------------------------------------------------------------------------------ */

int situ_pages_new(situ_dev *d)
{
    int64_t limit = 0;
    const char *text = d->device.kind == SITU_CPU ? situ_env("SITU_CPU_MEMORY") : NULL;
    if (text && *text && !situ_bytes_parse(text, &limit))
        return situ_fail(SITU_BAD_OPTION, NULL, "SITU_CPU_MEMORY=%.40s is no number of bytes; write 8G or 8589934592", text);
    struct situ_pages *p = situ_calloc(1, sizeof *p);
    if (!p) return situ_fail(SITU_NO_MEMORY, NULL, "no memory to open a device");
    situ_mutex_init(&p->lock);
    situ_lock_known(&p->known, &p->lock);
    p->dev = d;
    p->count.limit = limit;
    d->pages = p;
    return 0;
}

void situ_pages_free(situ_dev *d)
{
    if (!d->pages) return;
    situ_pages_trim(d->pages, 0);
    situ_lock_forget(&d->pages->known);
    situ_mutex_destroy(&d->pages->lock);
    situ_free(d->pages);
    d->pages = NULL;
}

bool situ_pages_close(situ_dev *d)
{
    struct situ_pages *p = d->pages;
    situ_mutex_lock(&p->lock);
    situ_pages_trim(p, 0);
    p->closing = true;
    bool empty = !p->live;
    situ_mutex_unlock(&p->lock);
    return empty;
}

void situ_pages_limit(situ_dev *d, int64_t bytes)
{
    struct situ_pages *p = d->pages;
    situ_mutex_lock(&p->lock);
    p->count.limit = bytes;
    if (bytes) situ_pages_trim(p, bytes);
    situ_mutex_unlock(&p->lock);
}

int64_t situ_pages_in_use(situ_dev *d)
{
    situ_mutex_lock(&d->pages->lock);
    int64_t bytes = d->pages->count.in_use;
    situ_mutex_unlock(&d->pages->lock);
    return bytes;
}

void situ_peak_watch(situ_dev *d, situ_peak *peak)
{
    situ_mutex_lock(&d->pages->lock);
    *peak = (situ_peak){d->pages->count.in_use, d->pages->peaks};
    d->pages->peaks = peak;
    situ_mutex_unlock(&d->pages->lock);
}

void situ_peak_leave(situ_dev *d, const situ_peak *peak)
{
    situ_mutex_lock(&d->pages->lock);
    situ_peak **at = &d->pages->peaks;
    while (*at && *at != peak) at = &(*at)->next;
    if (*at) *at = peak->next;
    situ_mutex_unlock(&d->pages->lock);
}

void situ_pages_use(struct situ_pages *p, int64_t bytes)
{
    p->count.in_use += bytes;
    if (p->count.in_use > p->count.peak) p->count.peak = p->count.in_use;
    for (situ_peak *one = p->peaks; one; one = one->next)
        if (p->count.in_use > one->bytes) one->bytes = p->count.in_use;
}

int64_t situ_peak_bytes(situ_dev *d, const situ_peak *peak)
{
    situ_mutex_lock(&d->pages->lock);
    int64_t bytes = peak->bytes;
    situ_mutex_unlock(&d->pages->lock);
    return bytes;
}

void situ_pages_target(situ_dev *d, int64_t bytes) { d->pages->target = bytes; }

void situ_pages_fail(situ_dev *d, int64_t k)
{
    situ_mutex_lock(&d->pages->lock);
    d->pages->fail_at = k > 0 ? k : 0;
    situ_mutex_unlock(&d->pages->lock);
}

__thread double situ_virtual;

/* ---- buffers ---------------------------------------------------------------------------------------------------- */

static bool injected(struct situ_pages *p)
{
    if (p->fail_at && !--p->fail_at) return true;
    if (atomic_load_explicit(&fail_countdown, memory_order_relaxed) <= 0) return false;
    return atomic_fetch_sub(&fail_countdown, 1) == 1;
}

/* Waits for work under way, which holds buffers, too. Whether a program fits into memory must not depend on how fast
 * its queue runs. */
static bool wait_for_work(struct situ_pages *p)
{
    situ_mutex_unlock(&p->lock);
    bool waited = situ_streams_wait(p->dev);
    situ_mutex_lock(&p->lock);
    return waited;
}

static situ_block *obtain(struct situ_pages *p, size_t bytes, int *code)
{
    size_t capacity;
    if (bytes > PTRDIFF_MAX / 4) return *code = -SITU_DEVICE_MEMORY, NULL;
    int class = situ_page_class(bytes, &capacity);
    if (injected(p)) return *code = -SITU_DEVICE_MEMORY, NULL;
    do {
        situ_block *b = situ_pages_take(p, class, capacity);
        if (b || (b = situ_pages_grow(p, bytes, capacity, code))) return b;
    } while (*code == -SITU_DEVICE_MEMORY && wait_for_work(p));
    return NULL;
}

situ_buffer *situ_buffer_new(situ_dev *d, size_t bytes, const situ_label *label, situ_site site)
{
    struct situ_pages *p = d->pages;
    int code = 0;
    bytes += !bytes;
    situ_mutex_lock(&p->lock);
    situ_block *block = obtain(p, bytes, &code);
    if (!block) {
        situ_fail_shortage(p, code, bytes, label, site);
        situ_mutex_unlock(&p->lock);
        return NULL;
    }
    situ_block_guard(d, block, bytes);
    situ_buffer *b = &block->buffer;
    b->next = p->live_first;
    b->previous = NULL;
    if (b->next) b->next->previous = b;
    p->live_first = b;
    p->live++;
    p->count.allocations++;
    situ_pages_use(p, (int64_t)bytes);
    /* Everything that others see is written under the lock: an out-of-memory message reads labels of live buffers. */
    atomic_store_explicit(&b->holds, 1, memory_order_relaxed);
    atomic_store_explicit(&b->ready, 0, memory_order_relaxed);
    atomic_store_explicit(&b->failed, NULL, memory_order_relaxed);
    atomic_store_explicit(&b->missed, NULL, memory_order_relaxed);
    atomic_store_explicit(&b->readers, 0, memory_order_relaxed);
    atomic_store_explicit(&b->launched, false, memory_order_relaxed);
    b->arena = -1;
    b->dev = d;
    b->bytes = bytes;
    if (label) b->label = *label;
    else b->label = (situ_label){.site = site};
    situ_mutex_unlock(&p->lock);
    atomic_fetch_add_explicit(&live_buffers, 1, memory_order_relaxed);
    return b;
}

/* False if its last owner is just releasing it; it is freed under the lock of the pages, which the caller holds. */
static bool still_owned(situ_buffer *b)
{
    uint64_t holds = atomic_load(&b->holds);
    while (holds)
        if (atomic_compare_exchange_weak(&b->holds, &holds, holds + 1)) return true;
    return false;
}

situ_buffer *situ_buffer_arena(situ_dev *d, int lane, size_t bytes, const situ_label *label, situ_site site)
{
    struct situ_pages *p = d->pages;
    situ_mutex_lock(&p->lock);
    situ_buffer *b = d->arena[lane];
    bool shared = b && b->bytes >= bytes && still_owned(b);
    situ_mutex_unlock(&p->lock);
    if (shared || !(b = situ_buffer_new(d, bytes, label, site))) return b;
    situ_mutex_lock(&p->lock);
    b->arena = (int8_t)lane;
    d->arena[lane] = b;
    situ_mutex_unlock(&p->lock);
    return b;
}

int64_t situ_buffer_arena_bytes(situ_dev *d, int lane)
{
    situ_mutex_lock(&d->pages->lock);
    int64_t bytes = d->arena[lane] ? (int64_t)d->arena[lane]->bytes : 0;
    situ_mutex_unlock(&d->pages->lock);
    return bytes;
}

situ_buffer *situ_buffer_borrow(situ_dev *d, void *address, size_t bytes, void (*release)(void *), void *self)
{
    situ_buffer *b = situ_calloc(1, sizeof *b);
    if (!b) return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a buffer's description"), NULL;
    b->holds = 1;
    b->borrowed = true;
    b->arena = -1;
    b->dev = d;
    b->address = address;
    b->bytes = bytes;
    b->release = release;
    b->self = self;
    atomic_fetch_add_explicit(&live_buffers, 1, memory_order_relaxed);
    return b;
}

static void bury(situ_block *block)
{
    situ_buffer *b = &block->buffer;
    struct situ_pages *p = b->dev->pages;
    situ_mutex_lock(&p->lock);
    *(b->previous ? &b->previous->next : &p->live_first) = b->next;
    if (b->next) b->next->previous = b->previous;
    p->count.in_use -= (int64_t)b->bytes;
    if (b->arena >= 0 && p->dev->arena[b->arena] == b) p->dev->arena[b->arena] = NULL;
    situ_block_guard(p->dev, block, 0);
    situ_pages_keep(p, block);
    bool last = !--p->live && p->closing;
    situ_mutex_unlock(&p->lock);
    if (last) situ_dev_destroy(p->dev);
}

static void let_go(situ_buffer *b, uint64_t hold)
{
    if (atomic_fetch_sub_explicit(&b->holds, hold, memory_order_acq_rel) != hold) return;
    atomic_fetch_sub_explicit(&live_buffers, 1, memory_order_relaxed);
    if (!b->borrowed) {
        bury((situ_block *)b);
        return;
    }
    if (b->release) b->release(b->self);
    situ_free(b);
}

void situ_buffer_unref(situ_buffer *b)
{
    if (b) let_go(b, 1);
}

void situ_buffer_unpin(situ_buffer *b) { let_go(b, SITU_BUFFER_PIN); }

/* ---- public functions ------------------------------------------------------------------------------------------- */

int situ_memory_of(situ_device d, situ_memory *out)
{
    SITU_SPEAK_AT("situ_memory_of");
    if (!out) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_memory_of: out is NULL");
    memset(out, 0, sizeof *out);
    situ_dev *dev = situ_dev_open(d, NULL);
    if (!dev) return -situ_error_code;
    situ_mutex_lock(&dev->pages->lock);
    *out = dev->pages->count;
    situ_mutex_unlock(&dev->pages->lock);
    return 0;
}

int situ_memory_limit(situ_device d, int64_t bytes)
{
    SITU_SPEAK_AT("situ_memory_limit");
    if (bytes < 0)
        return situ_fail(
            SITU_BAD_ARGUMENT, NULL, "situ_memory_limit: %lld bytes; give a limit of 1 or more, or 0 for none", (long long)bytes);
    situ_dev *dev = situ_dev_open(d, NULL);
    if (!dev) return -situ_error_code;
    situ_pages_limit(dev, bytes);
    return 0;
}

int situ_memory_reset_peak(situ_device d)
{
    SITU_SPEAK_AT("situ_memory_reset_peak");
    situ_dev *dev = situ_dev_open(d, NULL);
    if (!dev) return -situ_error_code;
    situ_mutex_lock(&dev->pages->lock);
    dev->pages->count.peak = dev->pages->count.in_use;
    situ_mutex_unlock(&dev->pages->lock);
    return 0;
}

int situ_memory_trim(situ_device d)
{
    SITU_SPEAK_AT("situ_memory_trim");
    situ_dev *dev = situ_dev_open(d, NULL);
    if (!dev) return -situ_error_code;
    situ_mutex_lock(&dev->pages->lock);
    situ_pages_trim(dev->pages, 0);
    situ_mutex_unlock(&dev->pages->lock);
    return 0;
}
