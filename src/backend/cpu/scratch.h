/* A block of scratch memory for each thread, which a kernel uses while it runs: no allocation for each launch. */
#ifndef SITU_CPU_SCRATCH_H
#define SITU_CPU_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

extern __thread char *situ_scratch_block;
extern __thread size_t situ_scratch_size;

/* The slow path of situ_scratch. */
void *situ_scratch_grow(size_t bytes);
/* Scratch memory that a session owns; zero: none yet. */
typedef struct situ_scratch_space {
    char *block;
    size_t size;
} situ_scratch_space;
/* Exchanges it with the calling thread's. */
static inline void situ_scratch_swap(situ_scratch_space *s)
{
    situ_scratch_space before = {situ_scratch_block, situ_scratch_size};
    situ_scratch_block = s->block;
    situ_scratch_size = s->size;
    *s = before;
}
void situ_scratch_free(situ_scratch_space *s);
/* For tests: number of threads that have a block. Which threads run kernels, and so get one, depends on timing. */
int64_t situ_test_scratch_blocks(void);

/* The calling thread's scratch block: at least `bytes`, 64-byte aligned, not cleared; NULL: memory ran out. There is
 * one block for each thread: a later call returns the same address, unless it asks for more; then the old contents are
 * lost. */
static inline void *situ_scratch(size_t bytes)
{
    return situ_scratch_block && bytes <= situ_scratch_size ? situ_scratch_block : situ_scratch_grow(bytes);
}

/* Rounds up to cache lines, at which parts of a block begin. */
static inline int64_t situ_round_to_lines(int64_t bytes) { return (bytes + 63) / 64 * 64; }

#endif
