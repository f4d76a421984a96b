/* Host memory that counts in the limit of the CPU's memory as a tensor does: what packed files become. */
#ifndef SITU_DEVICE_COUNTED_H
#define SITU_DEVICE_COUNTED_H

#include <stdbool.h>
#include <stddef.h>

/* A block of `bytes`, with the contents of `block` (NULL: none) as far as they fit, which is freed then. `counts`: the block counts
 * in the limit, in memory in use and its peak (situ_memory_of). NULL with an error that names `name`: the limit, or no memory;
 * `block` is still there then. */
void *situ_counted_resize(void *block, size_t bytes, bool counts, const char *name);
/* NULL is fine. */
void situ_counted_free(void *block);

#endif
