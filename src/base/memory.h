/* Host memory of the library: libc's semantics, through the host program's allocator if it gave one.
 * A size of 0 gives a block that may be freed. NULL means no memory; the caller raises SITU_NO_MEMORY. */
#ifndef SITU_BASE_MEMORY_H
#define SITU_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *situ_malloc(size_t size) __attribute__((malloc));
void *situ_calloc(size_t count, size_t size) __attribute__((malloc));
void *situ_realloc(void *block, size_t size);
void situ_free(void *block);

/* Alignment is a power of two; freed by situ_aligned_free only. */
void *situ_aligned_alloc(size_t alignment, size_t size) __attribute__((malloc));
void situ_aligned_free(void *block);

/* As free, but the bytes stay as they are until many other blocks were retired: whoever looks at one through an old handle
 * sees that it is gone. */
void situ_retire(void *block);
void situ_aligned_retire(void *block);
/* Frees them now. */
void situ_retired_free(void);

/* A copy of a text; NULL for NULL. */
char *situ_strdup(const char *text);

/* For tests: the k-th allocation from now (k = 1: the next one) fails, once; k <= 0: none. */
void situ_test_fail_alloc(int64_t k);
/* Whether the failure asked for last has struck. */
bool situ_test_fail_struck(void);
/* Blocks handed out and not yet freed. */
int64_t situ_test_live_blocks(void);

#endif
