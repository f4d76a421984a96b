/* Host memory that counts towards the CPU's memory limit, as tensors do: the contents of unpacked files. */
#ifndef SITU_DEVICE_COUNTED_H
#define SITU_DEVICE_COUNTED_H

#include <stdbool.h>
#include <stddef.h>

/* A block of `bytes` bytes with the contents of `block` (NULL: none) as far as they fit; `block` is then freed.
 * `counts`: it counts towards the limit, memory in use and its peak (situ_memory_of). NULL, with an error that names
 * `name`: the limit is reached, or no memory; `block` stays valid then. */
void *situ_counted_resize(void *block, size_t bytes, bool counts, const char *name);
/* NULL is fine. */
void situ_counted_free(void *block);

#endif
