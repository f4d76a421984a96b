#if defined(__linux__) && !defined(SITU_PORTABLE)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "backend/sim/sim.h"

#include <sys/mman.h>

static const size_t huge = 2 << 20, page = 4096;

/* The device's address range has no memory at all: an address is translated by its distance from the start, and accessing it traps.
 * Neither range uses memory before it is written. */
int situ_range_new(size_t bytes, situ_range *r)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (bytes > SIZE_MAX / 4) return -SITU_DEVICE_MEMORY;
    bytes = (bytes + huge - 1) & ~(huge - 1);
    char *device = mmap(NULL, bytes, PROT_NONE, flags, -1, 0);
    char *hidden = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (device == MAP_FAILED || hidden == MAP_FAILED) {
        if (device != MAP_FAILED) munmap(device, bytes);
        if (hidden != MAP_FAILED) munmap(hidden, bytes);
        return -SITU_DEVICE_MEMORY;
    }
    (void)madvise(hidden, bytes, MADV_HUGEPAGE);
    (void)madvise(device, bytes, MADV_DONTDUMP);
    *r = (situ_range){device, hidden, bytes};
    return 0;
}

void situ_range_free(situ_range *r)
{
    munmap(r->device, r->bytes);
    munmap(r->hidden, r->bytes);
}

void situ_range_discard(situ_range *r, size_t offset, size_t bytes)
{
    size_t from = (offset + page - 1) & ~(page - 1), to = (offset + bytes) & ~(page - 1);
    if (from < to) (void)madvise(r->hidden + from, to - from, MADV_DONTNEED);
}

#endif
