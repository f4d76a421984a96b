/* The CPU as a device: its memory and what it says about itself. */
#ifndef SITU_BACKEND_CPU_CPU_H
#define SITU_BACKEND_CPU_CPU_H

#include "device/backend.h"

/* Slots of the backend: 64-byte aligned memory; from 2 MiB up aligned to 2 MiB and in huge pages where there are any. */
int situ_cpu_alloc(situ_dev *d, size_t bytes, void **address);
void situ_cpu_free(situ_dev *d, void *address, size_t bytes);
int situ_cpu_info(situ_dev *d, situ_device_info *out);

/* The system's part. Large blocks at multiples of 2 MiB, their size rounded up to whole pages; NULL: no memory. */
void *situ_huge_alloc(size_t bytes);
void situ_huge_free(void *address, size_t bytes);
/* Fills name, memory_used and memory_total where they are known. */
void situ_cpu_read_machine(situ_device_info *out);
/* Ticks of all CPUs since the machine's start: working and in all; false where unknown. */
bool situ_cpu_read_ticks(int64_t *busy, int64_t *all);

#endif
