/* Host memory of the library: semantics of malloc and free, through the host program's allocator if it set one. A size
 * of 0 gives a block that may be freed. NULL means that memory ran out; the caller raises SITU_NO_MEMORY. */
#ifndef SITU_BASE_MEMORY_H
#define SITU_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *situ_malloc(size_t size) __attribute__((malloc));
void *situ_calloc(size_t count, size_t size) __attribute__((malloc));
void *situ_realloc(void *block, size_t size);
void situ_free(void *block);

/* Alignment is a power of two. Free the block by situ_aligned_free only. */
void *situ_aligned_alloc(size_t alignment, size_t size) __attribute__((malloc));
void situ_aligned_free(void *block);

/* Like free, but the bytes stay unchanged until many other blocks were retired, so that a use through an old handle can
 * be detected. */
void situ_retire(void *block);
void situ_aligned_retire(void *block);
/* Frees all retired blocks now. */
void situ_retired_free(void);

/* Copies a string; NULL for NULL. */
char *situ_strdup(const char *text);

/* For tests: makes the k-th allocation from now on fail, once (k = 1: the next one). k <= 0: none. */
void situ_test_fail_alloc(int64_t k);
/* Whether the failure that was last asked for has happened. */
bool situ_test_fail_struck(void);
/* Number of blocks allocated and not yet freed. */
int64_t situ_test_live_blocks(void);

#endif
