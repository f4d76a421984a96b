/* Memory from the system: large blocks, address ranges, mapped files, files in memory. */
#ifndef SITU_OS_MEMORY_H
#define SITU_OS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Allocates at a multiple of 2 MiB, rounded up to whole pages, in huge pages if there are any. NULL: memory ran out. */
void *situ_huge_alloc(size_t bytes);
void situ_huge_free(void *address, size_t bytes);

/* Two address ranges of equal size: the device's addresses, on which any access traps, and the memory behind them.
 * Neither uses memory before it is written. */
typedef struct situ_range {
    char *device, *hidden;
    size_t bytes;
} situ_range;
/* Returns 0, or -1 if there is no memory. */
int situ_range_new(size_t bytes, situ_range *out);
void situ_range_free(situ_range *r);
/* Returns the pages that lie wholly inside to the system, if it supports that. */
void situ_range_discard(situ_range *r, size_t offset, size_t bytes);

/* Maps a regular file privately: writes are not stored in the file. Returns 0; 1 if it exists but cannot be mapped (a
 * pipe, an empty file); -1 with errno if it cannot be opened. */
int situ_map_file(const char *path, void **bytes, size_t *size);
/* Maps a writable open file, extended to this size; NULL: memory ran out. */
void *situ_map_shared(int file, size_t size);
void situ_unmap(void *bytes, size_t size);

/* Descriptor of a file without a name, in memory if the system supports that; -1 on failure. */
int situ_nameless_file(void);

#endif
