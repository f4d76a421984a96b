/* Threefry-2x32 with 20 rounds, and the ways in which JAX makes keys and random bits of it. A number depends on the
 * key, its position and the array's size alone.
 *
 * Layouts: ORIGINAL (jax_threefry_partitionable false) pairs position i with i + ceil(n/2) and gives two numbers a
 * block; PARTITIONABLE gives each position a block of its own. */
#ifndef SITU_NUMERIC_THREEFRY_H
#define SITU_NUMERIC_THREEFRY_H

#include <stddef.h>
#include <stdint.h>

enum { SITU_THREEFRY_ORIGINAL = 0, SITU_THREEFRY_PARTITIONABLE = 1 };

/* The 20 rounds as text, for any language whose U is a 32-bit unsigned (scalar or vector): X0, X1 are replaced, K0, K1
 * are the key. ROTATE(x, r) is written with shifts. */
#define SITU_THREEFRY_ROUND(X0, X1, r) \
    X0 += X1; \
    X1 = X1 << r | X1 >> (32 - r); \
    X1 ^= X0;
#define SITU_THREEFRY_GROUP(X0, X1, a, b, c, d, ka, kb, i) \
    SITU_THREEFRY_ROUND(X0, X1, a) \
    SITU_THREEFRY_ROUND(X0, X1, b) \
    SITU_THREEFRY_ROUND(X0, X1, c) \
    SITU_THREEFRY_ROUND(X0, X1, d) \
    X0 += ka; \
    X1 += kb + i;
#define SITU_THREEFRY(X0, X1, K0, K1, K2) \
    X0 += K0; \
    X1 += K1; \
    SITU_THREEFRY_GROUP(X0, X1, 13, 15, 26, 6, K1, K2, 1u) \
    SITU_THREEFRY_GROUP(X0, X1, 17, 29, 16, 24, K2, K0, 2u) \
    SITU_THREEFRY_GROUP(X0, X1, 13, 15, 26, 6, K0, K1, 3u) \
    SITU_THREEFRY_GROUP(X0, X1, 17, 29, 16, 24, K1, K2, 4u) \
    SITU_THREEFRY_GROUP(X0, X1, 13, 15, 26, 6, K2, K0, 5u)

/* Computes one block: out = threefry(key, counter). */
static inline void situ_threefry_block(const uint32_t key[2], const uint32_t counter[2], uint32_t out[2])
{
    uint32_t k0 = key[0], k1 = key[1], k2 = k0 ^ k1 ^ 0x1BD11BDAu, x0 = counter[0], x1 = counter[1];
    SITU_THREEFRY(x0, x1, k0, k1, k2)
    out[0] = x0;
    out[1] = x1;
}

/* jax.random.key(seed): the low and the high word of the seed. JAX without 64-bit mode has only 32-bit seeds. */
static inline void situ_threefry_key(uint64_t seed, uint32_t key[2])
{
    key[0] = (uint32_t)(seed >> 32);
    key[1] = (uint32_t)seed;
}

/* jax.random.fold_in(key, data). */
static inline void situ_threefry_fold_in(const uint32_t key[2], uint32_t data, uint32_t out[2])
{
    uint32_t counter[2];
    situ_threefry_key(data, counter);
    situ_threefry_block(key, counter, out);
}

/* jax.random.bits(key, (total,), uintN)[first : first+n], N = 8, 16, 32, 64. */
void situ_threefry_bits8(uint8_t *out, const uint32_t key[2], uint64_t first, int64_t n, uint64_t total, int layout);
void situ_threefry_bits16(uint16_t *out, const uint32_t key[2], uint64_t first, int64_t n, uint64_t total, int layout);
void situ_threefry_bits32(uint32_t *out, const uint32_t key[2], uint64_t first, int64_t n, uint64_t total, int layout);
void situ_threefry_bits64(uint64_t *out, const uint32_t key[2], uint64_t first, int64_t n, uint64_t total, int layout);

/* jax.random.split(key, n): keys first..first+count-1 of n, two words each. */
void situ_threefry_split(const uint32_t key[2], uint64_t n, uint64_t first, int64_t count, uint32_t *keys, int layout);

#endif
