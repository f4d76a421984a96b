#include "backend/cpu/cpu.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "base/isa.h"
#include "base/memory.h"
#include "os/lock.h"
#include "os/machine.h"
#include "os/memory.h"

/* Large blocks begin at different page offsets: arrays that are traversed together would otherwise compete for the
 * same sets of the second-level cache, and data prefetched for one would evict another's. */
enum { HUGE_FROM = 2 << 20, APART_FROM = 512 << 10, APART = 4096, PLACES = 16, ALIGNMENT = 128 << 10 };
_Static_assert(APART *PLACES < ALIGNMENT, "the block's start is found from the place in it");

int situ_cpu_alloc(situ_dev *d, size_t bytes, void **address)
{
    static _Atomic unsigned turn;
    (void)d;
    size_t apart = bytes < APART_FROM ? 0 : APART * (atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed) % PLACES);
    if (bytes < APART_FROM) *address = situ_aligned_alloc(64, bytes);
    else if (bytes > SIZE_MAX - APART * PLACES) *address = NULL;
    else
        *address =
            bytes < HUGE_FROM ? situ_aligned_alloc(ALIGNMENT, bytes + APART * PLACES) : situ_huge_alloc(bytes + APART * PLACES);
    if (*address) *address = (char *)*address + apart;
    return *address ? 0 : -SITU_DEVICE_MEMORY;
}

void situ_cpu_free(situ_dev *d, void *address, size_t bytes)
{
    (void)d;
    void *start = bytes < APART_FROM ? address : (void *)((uintptr_t)address & ~(uintptr_t)(ALIGNMENT - 1));
    if (bytes < HUGE_FROM) situ_aligned_free(start);
    else situ_huge_free(start, bytes + APART * PLACES);
}

SITU_LOCK(lock);

/* The share of time in which the machine's CPUs were busy since the last call (the first call: since the machine's
 * start). */
static double utilization(void)
{
    static int64_t last_busy, last_all;
    static double last = -1;
    int64_t busy, all;
    if (!situ_cpu_ticks(&busy, &all)) return -1;
    situ_mutex_lock(&lock);
    if (all > last_all) {
        last = (double)(busy - last_busy) / (double)(all - last_all);
        last_busy = busy;
        last_all = all;
    }
    double value = last < 0 ? 0 : last > 1 ? 1 : last;
    situ_mutex_unlock(&lock);
    return value;
}

int situ_cpu_info(situ_dev *d, situ_device_info *out)
{
    (void)d;
    situ_cpu_name(out->name, sizeof out->name);
    if (!*out->name) snprintf(out->name, sizeof out->name, "CPU");
    situ_memory_machine(&out->memory_total, &out->memory_used);
    snprintf(out->driver, sizeof out->driver, "%s", situ_isa_name(situ_isa_get()));
    out->utilization = utilization();
    return 0;
}
