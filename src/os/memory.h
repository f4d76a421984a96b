/* Memory of the system: large blocks, ranges of addresses, files as memory and memory as files. */
#ifndef SITU_OS_MEMORY_H
#define SITU_OS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Blocks at multiples of 2 MiB, their size rounded up to whole pages, in huge pages where there are any; NULL: no memory. */
void *situ_huge_alloc(size_t bytes);
void situ_huge_free(void *address, size_t bytes);

/* Two ranges of one size: a device's addresses, which trap, and the memory that they stand for. Neither takes memory before it is
 * written. */
typedef struct situ_range {
    char *device, *hidden;
    size_t bytes;
} situ_range;
/* 0; -1: there is no memory. */
int situ_range_new(size_t bytes, situ_range *out);
void situ_range_free(situ_range *r);
/* Gives the pages that lie wholly inside back to the system, if it takes them. */
void situ_range_discard(situ_range *r, size_t offset, size_t bytes);

/* Maps a regular file; what is written there stays in this process. 0; 1: it is there, but cannot be mapped (a pipe, an empty
 * file); -1: it cannot be opened, with errno. */
int situ_map_file(const char *path, void **bytes, size_t *size);
/* Maps an open file that may be written, which is made as long as that; NULL: no memory. */
void *situ_map_shared(int file, size_t size);
void situ_unmap(void *bytes, size_t size);

/* A file without a name, in memory where the system has such files: its descriptor, or -1. */
int situ_nameless_file(void);

#endif
