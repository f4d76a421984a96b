/* A block of memory per thread for what a kernel needs while it runs: no allocation per launch. */
#ifndef SITU_CPU_SCRATCH_H
#define SITU_CPU_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

extern __thread char *situ_scratch_block;
extern __thread size_t situ_scratch_size;

/* The slow path of situ_scratch. */
void *situ_scratch_grow(size_t bytes);
/* How many threads have one: which of them runs a kernel first, and so gets one then, depends on the moment. */
int64_t situ_test_scratch_blocks(void);

/* At least `bytes`, 64-byte aligned, not cleared; NULL: no memory. The block is the thread's only one: a later call
 * gives the same address unless it asks for more, and then the old contents are gone. */
static inline void *situ_scratch(size_t bytes)
{
    return situ_scratch_block && bytes <= situ_scratch_size ? situ_scratch_block : situ_scratch_grow(bytes);
}

/* Parts of a block begin at lines of the cache. */
static inline int64_t situ_room_up(int64_t bytes) { return (bytes + 63) / 64 * 64; }

#endif
