/* The CPU as a device: its memory and its properties. */
#ifndef SITU_BACKEND_CPU_CPU_H
#define SITU_BACKEND_CPU_CPU_H

#include "device/backend.h"

/* Slots of the backend: 64-byte aligned memory; from 2 MiB on aligned to 2 MiB, in huge pages if there are any. */
int situ_cpu_alloc(situ_dev *d, size_t bytes, void **address);
void situ_cpu_free(situ_dev *d, void *address, size_t bytes);
int situ_cpu_info(situ_dev *d, situ_device_info *out);

/* The system-specific part. Large blocks at multiples of 2 MiB, with sizes rounded up to whole pages; NULL: no memory. */
void *situ_huge_alloc(size_t bytes);
void situ_huge_free(void *address, size_t bytes);
/* Fills in name, memory_used and memory_total if they are known. */
void situ_cpu_read_machine(situ_device_info *out);
/* Busy and total ticks of all CPUs since the machine's start; false if unknown. */
bool situ_cpu_read_ticks(int64_t *busy, int64_t *all);

#endif
