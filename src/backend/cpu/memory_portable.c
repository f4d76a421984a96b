#if !defined(__linux__) || defined(SITU_PORTABLE)

#include "backend/cpu/cpu.h"

#include "base/memory.h"

void *situ_huge_alloc(size_t bytes) { return situ_aligned_alloc(2 << 20, bytes); }

void situ_huge_free(void *address, size_t bytes)
{
    (void)bytes;
    situ_aligned_free(address);
}

void situ_cpu_read_machine(situ_device_info *out) { (void)out; }

bool situ_cpu_read_ticks(int64_t *busy, int64_t *all)
{
    *busy = *all = 0;
    return false;
}

#endif
