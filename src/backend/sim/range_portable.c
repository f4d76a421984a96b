#if !defined(__linux__) || defined(SITU_PORTABLE)

#include "backend/sim/sim.h"

#include <sys/mman.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

int situ_range_new(size_t bytes, situ_range *r)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (bytes > SIZE_MAX / 4) return -SITU_DEVICE_MEMORY;
    char *device = mmap(NULL, bytes, PROT_NONE, flags, -1, 0);
    char *hidden = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (device == MAP_FAILED || hidden == MAP_FAILED) {
        if (device != MAP_FAILED) munmap(device, bytes);
        if (hidden != MAP_FAILED) munmap(hidden, bytes);
        return -SITU_DEVICE_MEMORY;
    }
    *r = (situ_range){device, hidden, bytes};
    return 0;
}

void situ_range_free(situ_range *r)
{
    munmap(r->device, r->bytes);
    munmap(r->hidden, r->bytes);
}

/* There is no portable way to release pages and keep the range; the next block there reuses them. */
void situ_range_discard(situ_range *r, size_t offset, size_t bytes)
{
    (void)r;
    (void)offset;
    (void)bytes;
}

#endif
