/* Byte-pair encoding (P. Gage, A new algorithm for data compression, 1994; R. Sennrich, B. Haddow and A. Birch, Neural machine
 * translation of rare words with subword units, 2016). Tokens 0 to 255 are the bytes, token 256 + k is what pair k joins. */
#ifndef SITU_DATA_PAIRS_H
#define SITU_DATA_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SITU_BYTES = 256, SITU_PAIR_TOKENS = 1 << 16 };

/* What a token of two is made of. */
typedef int32_t situ_pair[2];

/* Pairs are joined within stretches of the text: a word or marks, with one space in front of it, or white space; 64 bytes of it at
 * most. The bytes of the first stretch of n > 0. */
size_t situ_stretch(const char *text, size_t n);
/* Learns up to `most` pairs, the most frequent first, of those alike the one of the lowest tokens; none that occurs only once.
 * How many, or -1: no memory. */
int32_t situ_pairs_learn(const char *text, size_t n, int32_t most, situ_pair *pair);
/* A table to find pairs in: so many zeroed slots, which situ_pairs_index fills. */
size_t situ_pairs_slots(int32_t count);
void situ_pairs_index(const situ_pair *pair, int32_t count, int32_t *slot);
/* The tokens of a stretch, at most as many as it has bytes, into `out`; how many. */
size_t situ_pairs_encode(const situ_pair *pair, int32_t count, const int32_t *slot, const char *text, size_t n, int32_t *out);

#endif
