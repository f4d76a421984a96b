/* Runs of Threefry blocks in vectors. Four
 * vectors at a time hide the latency of the rounds, each of which waits for the one before. */
#include "base/isa.h"
#include "op/threefry_blocks.h"

#include <string.h>

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

typedef uint32_t vector __attribute__((vector_size(VECTOR_BYTES)));

enum { LANES = VECTOR_BYTES / 4, GROUP = 4 * LANES };

#define ROTATE_XOR(x, y, r) \
    y = y << r | y >> (32 - r); \
    y ^= x;
#define ROUND(r) \
    a0 += b0; \
    a1 += b1; \
    a2 += b2; \
    a3 += b3; \
    ROTATE_XOR(a0, b0, r) ROTATE_XOR(a1, b1, r) ROTATE_XOR(a2, b2, r) ROTATE_XOR(a3, b3, r)
#define INJECT(ka, kb) \
    a0 += ka; \
    a1 += ka; \
    a2 += ka; \
    a3 += ka; \
    b0 += kb; \
    b1 += kb; \
    b2 += kb; \
    b3 += kb;

/* Blocks i of a group have the counters {c0 + step * i, c1 + i}; writes the first and the second words. */
static inline __attribute__((always_inline)) void group(
    uint32_t *first, uint32_t *second, const uint32_t key[2], uint32_t c0, uint32_t step, uint32_t c1)
{
    const vector lane = {
        0,
        1,
        2,
        3,
#if VECTOR_BYTES >= 32
        4,
        5,
        6,
        7,
#endif
#if VECTOR_BYTES == 64
        8,
        9,
        10,
        11,
        12,
        13,
        14,
        15
#endif
    };
    uint32_t k0 = key[0], k1 = key[1], k2 = k0 ^ k1 ^ 0x1BD11BDAu;
    vector a0 = lane * step + (c0 + k0), a1 = a0 + LANES * step, a2 = a1 + LANES * step, a3 = a2 + LANES * step;
    vector b0 = lane + (c1 + k1), b1 = b0 + LANES, b2 = b1 + LANES, b3 = b2 + LANES;
    ROUND(13)
    ROUND(15) ROUND(26) ROUND(6) INJECT(k1, (k2 + 1)) ROUND(17) ROUND(29) ROUND(16) ROUND(24) INJECT(k2, (k0 + 2)) ROUND(13)
        ROUND(15) ROUND(26) ROUND(6) INJECT(k0, (k1 + 3)) ROUND(17) ROUND(29) ROUND(16) ROUND(24) INJECT(k1, (k2 + 4)) ROUND(13)
            ROUND(15) ROUND(26) ROUND(6) INJECT(k2, (k0 + 5)) memcpy(first, &a0, VECTOR_BYTES);
    memcpy(first + LANES, &a1, VECTOR_BYTES);
    memcpy(first + 2 * LANES, &a2, VECTOR_BYTES);
    memcpy(first + 3 * LANES, &a3, VECTOR_BYTES);
    memcpy(second, &b0, VECTOR_BYTES);
    memcpy(second + LANES, &b1, VECTOR_BYTES);
    memcpy(second + 2 * LANES, &b2, VECTOR_BYTES);
    memcpy(second + 3 * LANES, &b3, VECTOR_BYTES);
}

void SITU_OF_SET(situ_threefry_blocks)(situ_threefry_words take, uint32_t *out, uint32_t *out_second, const uint32_t key[2],
    uint32_t c0, uint32_t step, uint32_t c1, int64_t n)
{
    uint32_t first[GROUP], second[GROUP];
    for (int64_t i = 0; i < n; i += GROUP, c0 += GROUP * step, c1 += GROUP) {
        size_t k = n - i < GROUP ? (size_t)(n - i) : GROUP;
        if (take == SITU_THREEFRY_BOTH && k == GROUP) {
            group(out + i, out_second + i, key, c0, step, c1);
            continue;
        }
        group(first, second, key, c0, step, c1);
        if (take == SITU_THREEFRY_XOR)
            for (int j = 0; j < GROUP; j++) first[j] ^= second[j];
        memcpy(out + i, take == SITU_THREEFRY_SECOND ? second : first, 4 * k);
        if (take == SITU_THREEFRY_BOTH) memcpy(out_second + i, second, 4 * k);
    }
}
