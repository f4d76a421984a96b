/* The CPU as a device: its memory and its properties. */
#ifndef SITU_BACKEND_CPU_CPU_H
#define SITU_BACKEND_CPU_CPU_H

#include "device/backend.h"

/* Slots of the backend: 64-byte aligned memory; from 2 MiB on aligned to 2 MiB, in huge pages if there are any. */
int situ_cpu_alloc(situ_dev *d, size_t bytes, void **address);
void situ_cpu_free(situ_dev *d, void *address, size_t bytes);
int situ_cpu_info(situ_dev *d, situ_device_info *out);

#endif
