#include "numeric/threefry.h"

#include <string.h>

#include "base/isa.h"
#include "numeric/threefry_blocks.h"

enum { PIECE = 256 };

/* JAX numbers at most this many words by one key, and splits the key for more. */
static const uint64_t MOST_WORDS = UINT32_MAX;

void situ_threefry_blocks(situ_threefry_words take, uint32_t *out, uint32_t *out_second, const uint32_t key[2], uint32_t c0,
    uint32_t step, uint32_t c1, int64_t n)
{
    SITU_FOR_ISA(situ_threefry_blocks)(take, out, out_second, key, c0, step, c1, n);
}

/* ---------------------------------------------------------------- the original layout */

void situ_threefry_pairs32(uint32_t *low, uint32_t *high, const uint32_t key[2], uint64_t first, int64_t n, uint64_t total)
{
    uint64_t half = total / 2 + (total & 1);
    situ_threefry_blocks(SITU_THREEFRY_BOTH, low, high, key, (uint32_t)first, 1, (uint32_t)(first + half), n);
    if ((total & 1) && n > 0 && first + (uint64_t)n == half) { /* the last position has no partner, which counts as 0 */
        uint32_t counter[2] = {(uint32_t)(half - 1), 0}, out[2];
        situ_threefry_block(key, counter, out);
        low[n - 1] = out[0];
        high[n - 1] = out[1];
    }
}

/* Words first..first+n-1 of JAX's threefry_2x32(key, iota(total)), with counters mod 2^32. */
static void iota_words(uint32_t *out, const uint32_t key[2], uint64_t first, int64_t n, uint64_t total)
{
    uint64_t half = total / 2 + (total & 1), end = first + (uint64_t)n;
    uint64_t low_end = end < half ? end : half, high = first > half ? first : half;
    uint64_t a = first, b = high - half; /* first words of blocks a..low_end, and second words of blocks b..end-half, are needed */
    uint64_t high_end = end > half ? end - half : 0;
    uint64_t both = a > b ? a : b, both_end = low_end < high_end ? low_end : high_end;
    uint32_t c_half = (uint32_t)half;
    if (both >= both_end || n < 2 * PIECE) {
        if (a < low_end)
            situ_threefry_blocks(SITU_THREEFRY_FIRST, out, NULL, key, (uint32_t)a, 1, (uint32_t)a + c_half, (int64_t)(low_end - a));
        if (b < high_end)
            situ_threefry_blocks(SITU_THREEFRY_SECOND, out + (b + half - first), NULL, key, (uint32_t)b, 1, (uint32_t)b + c_half,
                (int64_t)(high_end - b));
    } else {
        /* At most one of the two ranges extends past the other at either end. */
        if (a < both) iota_words(out, key, a, (int64_t)(both - a), total);
        if (b < both) iota_words(out + (b + half - first), key, b + half, (int64_t)(both - b), total);
        situ_threefry_blocks(SITU_THREEFRY_BOTH, out + (both - first), out + (both + half - first), key, (uint32_t)both, 1,
            (uint32_t)both + c_half, (int64_t)(both_end - both));
        if (low_end > both_end) iota_words(out + (both_end - first), key, both_end, (int64_t)(low_end - both_end), total);
        if (high_end > both_end)
            iota_words(out + (both_end + half - first), key, both_end + half, (int64_t)(high_end - both_end), total);
    }
    if ((total & 1) && first < half && end >= half) { /* position half-1 has no partner, which counts as 0 */
        uint32_t counter[2] = {(uint32_t)(half - 1), 0}, word[2];
        situ_threefry_block(key, counter, word);
        out[half - 1 - first] = word[0];
    }
}

/* Words first..first+n-1 of `total` 32-bit words. */
static void original_words(uint32_t *out, const uint32_t key[2], uint64_t first, int64_t n, uint64_t total)
{
    if (total < MOST_WORDS) {
        iota_words(out, key, first, n, total);
        return;
    }
    uint64_t blocks = total / MOST_WORDS;
    while (n > 0) {
        uint64_t block = first / MOST_WORDS, at = first % MOST_WORDS;
        uint64_t size = block < blocks ? MOST_WORDS : total % MOST_WORDS;
        int64_t k = size - at < (uint64_t)n ? (int64_t)(size - at) : n;
        uint32_t part[2];
        situ_threefry_split(key, blocks + 1, block, 1, part, SITU_THREEFRY_ORIGINAL);
        iota_words(out, part, at, k, size);
        out += k;
        first += (uint64_t)k;
        n -= k;
    }
}

/* ---------------------------------------------------------------- the partitionable layout */

/* Blocks with the 64-bit counters first..first+n-1, high word first. */
static void counted(situ_threefry_words take, uint32_t *out, uint32_t *out_second, const uint32_t key[2], uint64_t first, int64_t n)
{
    while (n > 0) {
        uint64_t left = ((uint64_t)1 << 32) - (first & UINT32_MAX); /* number of blocks with the same high word */
        int64_t k = left < (uint64_t)n ? (int64_t)left : n;
        situ_threefry_blocks(take, out, out_second, key, (uint32_t)(first >> 32), 0, (uint32_t)first, k);
        out += k;
        if (out_second) out_second += k;
        first += (uint64_t)k;
        n -= k;
    }
}

/* ---------------------------------------------------------------- bits of each width */

void situ_threefry_bits32(uint32_t *out, const uint32_t key[2], uint64_t first, int64_t n, uint64_t total, int layout)
{
    if (n <= 0) return;
    if (layout == SITU_THREEFRY_PARTITIONABLE) counted(SITU_THREEFRY_XOR, out, NULL, key, first, n);
    else original_words(out, key, first, n, total);
}

void situ_threefry_bits64(uint64_t *out, const uint32_t key[2], uint64_t first, int64_t n, uint64_t total, int layout)
{
    uint32_t high[PIECE], low[PIECE];
    for (int64_t k; n > 0; n -= k, first += (uint64_t)k, out += k) {
        k = n < PIECE ? n : PIECE;
        if (layout == SITU_THREEFRY_PARTITIONABLE) {
            counted(SITU_THREEFRY_BOTH, high, low, key, first, k);
        } else if (2 * total < MOST_WORDS) {
            situ_threefry_pairs32(high, low, key, first, k, 2 * total);
        } else {
            original_words(high, key, first, k, 2 * total);
            original_words(low, key, total + first, k, 2 * total);
        }
        for (int64_t i = 0; i < k; i++) out[i] = (uint64_t)high[i] << 32 | low[i];
    }
}

void situ_threefry_bits16(uint16_t *out, const uint32_t key[2], uint64_t first, int64_t n, uint64_t total, int layout)
{
    uint32_t word[PIECE];
    if (layout == SITU_THREEFRY_PARTITIONABLE) {
        for (int64_t k; n > 0; n -= k, first += (uint64_t)k, out += k) {
            k = n < PIECE ? n : PIECE;
            counted(SITU_THREEFRY_XOR, word, NULL, key, first, k);
            for (int64_t i = 0; i < k; i++) out[i] = (uint16_t)word[i];
        }
        return;
    }
    for (int64_t k; n > 0; n -= k, first += (uint64_t)k, out += k) { /* two numbers in a word, the low half first */
        uint64_t skip = first & 1;
        k = n < PIECE ? n : PIECE;
        original_words(word, key, first / 2, (int64_t)(((uint64_t)k + skip + 1) / 2), total / 2 + (total & 1));
        for (int64_t i = 0; i < k; i++) {
            uint64_t at = (uint64_t)i + skip;
            out[i] = (uint16_t)(word[at / 2] >> 16 * (at & 1));
        }
    }
}

void situ_threefry_bits8(uint8_t *out, const uint32_t key[2], uint64_t first, int64_t n, uint64_t total, int layout)
{
    uint32_t word[PIECE];
    if (layout == SITU_THREEFRY_PARTITIONABLE) {
        for (int64_t k; n > 0; n -= k, first += (uint64_t)k, out += k) {
            k = n < PIECE ? n : PIECE;
            counted(SITU_THREEFRY_XOR, word, NULL, key, first, k);
            for (int64_t i = 0; i < k; i++) out[i] = (uint8_t)word[i];
        }
        return;
    }
    for (int64_t k; n > 0; n -= k, first += (uint64_t)k, out += k) { /* four numbers in a word */
        uint64_t skip = first & 3;
        k = n < PIECE ? n : PIECE;
        original_words(word, key, first / 4, (int64_t)(((uint64_t)k + skip + 3) / 4), total / 4 + ((total & 3) != 0));
        for (int64_t i = 0; i < k; i++) {
            uint64_t at = (uint64_t)i + skip;
            out[i] = (uint8_t)(word[at / 4] >> 8 * (at & 3));
        }
    }
}

void situ_threefry_split(const uint32_t key[2], uint64_t n, uint64_t first, int64_t count, uint32_t *keys, int layout)
{
    if (count <= 0) return;
    if (layout == SITU_THREEFRY_ORIGINAL) { /* key i consists of words 2i and 2i+1 */
        iota_words(keys, key, 2 * first, 2 * count, 2 * n);
        return;
    }
    uint32_t high[PIECE], low[PIECE];
    for (int64_t k; count > 0; count -= k, first += (uint64_t)k, keys += 2 * k) {
        k = count < PIECE ? count : PIECE;
        counted(SITU_THREEFRY_BOTH, high, low, key, first, k);
        for (int64_t i = 0; i < k; i++) {
            keys[2 * i] = high[i];
            keys[2 * i + 1] = low[i];
        }
    }
}
