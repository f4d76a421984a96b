/* Size classes and cached blocks. Fresh pages cost several times as much as the work done in them, so freed blocks are
 * reused, last freed first, while they are still in the processor's caches. */
#include "device/pages.h"

#include "base/memory.h"

#if defined(__has_include)
#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

enum { BIG_SHIFT = 24, BIG_STEP = 2 << 20 };

/* Size classes: steps of 64 bytes up to 512, then eight per power of two, then multiples of 2 MiB. */
int situ_page_class(size_t bytes, size_t *capacity)
{
    if (bytes <= 512) {
        size_t steps = bytes ? (bytes + 63) / 64 : 1;
        *capacity = steps * 64;
        return (int)steps - 1;
    }
    if (bytes > (size_t)1 << BIG_SHIFT) {
        *capacity = (bytes + BIG_STEP - 1) / BIG_STEP * BIG_STEP;
        return SITU_CLASS_BIG;
    }
    int shift = 63 - __builtin_clzll((unsigned long long)bytes - 1);
    size_t step = (size_t)1 << (shift - 3);
    size_t steps = (bytes + step - 1) / step; /* from 9 to 16 */
    *capacity = steps * step;
    return 8 + (shift - 9) * 8 + (int)steps - 9;
}

static situ_buffer *link_of(situ_block *b) { return (situ_buffer *)b; } /* NULL stays NULL */

static void forget(struct situ_pages *p, situ_block *b, int class)
{
    situ_block *next = (situ_block *)b->buffer.next, *previous = (situ_block *)b->buffer.previous;
    if (previous) previous->buffer.next = link_of(next);
    else p->free_first[class] = next;
    if (next) next->buffer.previous = link_of(previous);
    *(b->older ? &b->older->newer : &p->oldest) = b->newer;
    *(b->newer ? &b->newer->older : &p->newest) = b->older;
    p->kept -= (int64_t)b->capacity;
}

void situ_block_guard(const situ_dev *d, const situ_block *b, size_t bytes)
{
    if (d->device.kind != SITU_CPU) return;
    ASAN_UNPOISON_MEMORY_REGION(b->buffer.address, b->capacity);
    ASAN_POISON_MEMORY_REGION(b->buffer.address + bytes, b->capacity - bytes);
}

static void give_back(struct situ_pages *p, situ_block *b)
{
    situ_block_guard(p->dev, b, b->capacity); /* its address may be reused soon */
    p->count.reserved -= (int64_t)b->capacity;
    p->dev->backend->free(p->dev, b->buffer.address, b->capacity);
    situ_free(b);
}

situ_block *situ_pages_take(struct situ_pages *p, int class, size_t capacity)
{
    situ_block *found = p->free_first[class];
    if (class == SITU_CLASS_BIG)
        for (situ_block *b = found, *best = found = NULL; b; b = (situ_block *)b->buffer.next)
            if (b->capacity >= capacity && b->capacity <= capacity + capacity / 8 && (!best || b->capacity < best->capacity)) {
                found = best = b;
                if (b->capacity == capacity) break;
            }
    if (found) forget(p, found, class);
    return found;
}

void situ_pages_keep(struct situ_pages *p, situ_block *b)
{
    size_t capacity;
    int class = situ_page_class(b->capacity, &capacity);
    /* A block that was allocated without rounding, near the limit, fits no class. */
    if (p->closing || capacity != b->capacity || p->dev->backend->keeps_values) {
        give_back(p, b);
        return;
    }
    situ_block *first = p->free_first[class];
    b->buffer.next = link_of(first);
    b->buffer.previous = NULL;
    if (first) first->buffer.previous = link_of(b);
    p->free_first[class] = b;
    b->newer = NULL;
    b->older = p->newest;
    *(p->newest ? &p->newest->newer : &p->oldest) = b;
    p->newest = b;
    p->kept += (int64_t)b->capacity;
}

void situ_pages_trim(struct situ_pages *p, int64_t reserved)
{
    while (p->oldest && p->count.reserved > reserved) {
        situ_block *b = p->oldest;
        size_t capacity;
        forget(p, b, situ_page_class(b->capacity, &capacity));
        give_back(p, b);
    }
}

static int take_from_backend(struct situ_pages *p, situ_block *b, size_t capacity)
{
    void *address = NULL;
    int code = p->dev->backend->alloc(p->dev, capacity, &address);
    if (code) return code;
    b->buffer.address = address;
    b->capacity = capacity;
    p->count.reserved += (int64_t)capacity;
    return 0;
}

situ_block *situ_pages_grow(struct situ_pages *p, size_t bytes, size_t capacity, int *code)
{
    int64_t bound = p->count.limit ? p->count.limit : p->target;
    if (bound && p->count.reserved + (int64_t)capacity > bound) situ_pages_trim(p, bound - (int64_t)capacity);
    *code = -SITU_DEVICE_MEMORY;
    if (p->count.limit && p->count.reserved + (int64_t)capacity > p->count.limit) {
        capacity = bytes; /* allocates without rounding up, if only the rounding exceeds the limit */
        if (p->count.reserved + (int64_t)capacity > p->count.limit) return NULL;
    }
    situ_block *b = situ_calloc(1, sizeof *b);
    if (!b) return *code = -SITU_NO_MEMORY, NULL;
    *code = take_from_backend(p, b, capacity);
    if (*code == -SITU_DEVICE_MEMORY && p->oldest) {
        situ_pages_trim(p, 0);
        *code = take_from_backend(p, b, capacity);
    }
    if (!*code) return b;
    situ_free(b);
    return NULL;
}
