/* A streaming 128-bit hash for structures: two 64-bit lanes. Each word is mixed by its own pair of multiplications
 * before it enters the chain, so that the dependency from word to word is only a rotation, an addition and a lea.
 *
 *     situ_hash h = situ_hash_start(0);
 *     situ_hash_word(&h, op);
 *     situ_hash_bytes(&h, dims, sizeof dims);
 *     situ_hash key = situ_hash_end(&h); */
#ifndef SITU_BASE_HASH_H
#define SITU_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct situ_hash {
    uint64_t a, b;
} situ_hash;

static inline uint64_t situ_rotate64(uint64_t x, int k) { return x << k | x >> (64 - k); }

/* A bijection in which flipping one input bit flips about half of the output bits. */
static inline uint64_t situ_mix64(uint64_t x)
{
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 29) * 0xa24baed4963ee407u;
    return x ^ x >> 32;
}

static inline situ_hash situ_hash_start(uint64_t seed)
{
    return (situ_hash){seed ^ 0x9e3779b97f4a7c15u, situ_rotate64(seed, 32) ^ 0xc2b2ae3d27d4eb4fu};
}

static inline void situ_hash_word(situ_hash *h, uint64_t word)
{
    uint64_t k = situ_rotate64(word * 0x9fb21c651e98df25u, 31) * 0xe7037ed1a0b428dbu;
    uint64_t j = situ_rotate64(word * 0x8ebc6af09c88c6e3u, 37) * 0xa0761d6478bd642fu;
    h->a = (situ_rotate64(h->a, 27) + k) * 5 + 0x52dce729;
    h->b = (situ_rotate64(h->b, 41) ^ j) * 9 + 0x38495ab5;
}

static inline void situ_hash_bytes(situ_hash *h, const void *data, size_t n)
{
    const char *p = data;
    size_t left = n;
    for (; left >= 8; left -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        situ_hash_word(h, word);
    }
    uint64_t word = 0;
    if (left) memcpy(&word, p, left);
    situ_hash_word(h, word ^ (uint64_t)n << 56); /* at most 7 bytes: the top byte holds the length */
    situ_hash_word(h, n);
}

/* Final mixing, so that every bit affects both lanes. Stores the key in h and returns it. */
static inline situ_hash situ_hash_end(situ_hash *h)
{
    uint64_t a = situ_mix64(h->a + situ_rotate64(h->b, 32));
    uint64_t b = situ_mix64(h->b ^ a);
    a += situ_mix64(b);
    *h = (situ_hash){a, b};
    return *h;
}

static inline bool situ_hash_equal(situ_hash x, situ_hash y) { return x.a == y.a && x.b == y.b; }

#endif
