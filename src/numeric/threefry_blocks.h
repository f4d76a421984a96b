/* Consecutive Threefry blocks on the CPU. */
#ifndef SITU_NUMERIC_THREEFRY_BLOCKS_H
#define SITU_NUMERIC_THREEFRY_BLOCKS_H

#include "base/isa.h"
#include "numeric/threefry.h"

/* Which words of a block are written: both (to two arrays), one of them, or their exclusive or. */
typedef enum situ_threefry_words {
    SITU_THREEFRY_BOTH,
    SITU_THREEFRY_FIRST,
    SITU_THREEFRY_SECOND,
    SITU_THREEFRY_XOR
} situ_threefry_words;

/* Blocks 0..n-1 with the counters {c0 + step * i, c1 + i} (mod 2^32). */
void situ_threefry_blocks(situ_threefry_words take, uint32_t *out, uint32_t *out_second, const uint32_t key[2], uint32_t c0,
    uint32_t step, uint32_t c1, int64_t n);
#define SITU_THREEFRY_BLOCKS(name) \
    void name(situ_threefry_words take, uint32_t *out, uint32_t *out_second, const uint32_t key[2], uint32_t c0, uint32_t step, \
        uint32_t c1, int64_t n);
SITU_EACH_SET(SITU_THREEFRY_BLOCKS, situ_threefry_blocks)

/* The original layout in pairs, for callers that traverse an array from its start and its middle at once: positions
 * first..first+n-1 of bits32(key, total) go to low, half+first..half+first+n-1 to high, where half = ceil(total/2).
 * Not for total >= 2^32-1. If total is odd, position half-1 has no partner and an unused number is written. */
void situ_threefry_pairs32(uint32_t *low, uint32_t *high, const uint32_t key[2], uint64_t first, int64_t n, uint64_t total);

#endif
