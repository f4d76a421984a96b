#include "backend/cpu/cpu.h"

#include <stdio.h>

#include "base/isa.h"
#include "base/memory.h"

enum { HUGE_FROM = 2 << 20 };

int situ_cpu_alloc(situ_dev *d, size_t bytes, void **address)
{
    (void)d;
    *address = bytes < HUGE_FROM ? situ_aligned_alloc(64, bytes) : situ_huge_alloc(bytes);
    return *address ? 0 : -SITU_DEVICE_MEMORY;
}

void situ_cpu_free(situ_dev *d, void *address, size_t bytes)
{
    (void)d;
    if (bytes < HUGE_FROM) situ_aligned_free(address);
    else situ_huge_free(address, bytes);
}

/* The share of time in which the machine's CPUs worked since the last call (the first: since its start). */
static double utilization(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int64_t last_busy, last_all;
    static double last = -1;
    int64_t busy, all;
    if (!situ_cpu_read_ticks(&busy, &all)) return -1;
    pthread_mutex_lock(&lock);
    if (all > last_all) {
        last = (double)(busy - last_busy) / (double)(all - last_all);
        last_busy = busy;
        last_all = all;
    }
    double value = last < 0 ? 0 : last > 1 ? 1 : last;
    pthread_mutex_unlock(&lock);
    return value;
}

int situ_cpu_info(situ_dev *d, situ_device_info *out)
{
    (void)d;
    snprintf(out->name, sizeof out->name, "CPU");
    situ_cpu_read_machine(out);
    snprintf(out->driver, sizeof out->driver, "%s", situ_isa_name(situ_isa_get()));
    out->utilization = utilization();
    return 0;
}
