/* Byte-pair encoding (P. Gage, A new algorithm for data compression, 1994; R. Sennrich, B. Haddow and A. Birch, Neural
 * machine translation of rare words with subword units, 2016). Tokens 0 to 255 are the bytes; token 256 + k is the
 * merge of pair k. */
#ifndef SITU_DATA_PAIRS_H
#define SITU_DATA_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SITU_BYTES = 256, SITU_PAIR_TOKENS = 1 << 16 };

/* The two tokens that a token merges. */
typedef int32_t situ_pair[2];

/* Pairs are merged only within sections of the text: a word or punctuation with at most one space before it, or white
 * space, of at most 64 bytes. Returns the length of the first section; n > 0. */
size_t situ_stretch(const char *text, size_t n);
/* Learns up to `most` pairs by frequency; among equally frequent ones the one with the lowest tokens comes first.
 * Pairs that occur once are not learned. Returns the number of pairs, or -1: out of memory. */
int32_t situ_pairs_learn(const char *text, size_t n, int32_t most, situ_pair *pair);
/* The number of zeroed slots of a hash table of pairs; situ_pairs_index fills it. */
size_t situ_pairs_slots(int32_t count);
void situ_pairs_index(const situ_pair *pair, int32_t count, int32_t *slot);
/* Encodes a section into `out` (at most as many tokens as bytes); returns the number of tokens. */
size_t situ_pairs_encode(const situ_pair *pair, int32_t count, const int32_t *slot, const char *text, size_t n, int32_t *out);

#endif
