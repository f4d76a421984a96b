#include "data/digits.h"

#include "os/embed.h"

/* The packed file: lengths of the Huffman codes of pixel values; the labels; the pixels in canonical codes, where the first bit is
 * the lowest bit of the first byte (scripts/make_digits.py). */
enum { VALUES = SITU_DIGITS_WHITE + 1, MOST_BITS = 16 };

SITU_EMBED(situ_digits_packed, "data/digits.bin")

/* Decodes the next value: canonical codes of one length are consecutive numbers. */
static uint8_t decode(const uint8_t *bits, int64_t *at, const int *count, const uint8_t *value)
{
    int code = 0, first = 0;
    for (int length = 1; length <= MOST_BITS; length++) {
        code = code << 1 | (bits[*at / 8] >> *at % 8 & 1);
        ++*at;
        first <<= 1;
        if (code - first < count[length]) return value[code - first];
        value += count[length];
        first += count[length];
    }
    return 0;
}

int situ_digits_unpack(uint8_t *pixels, uint8_t *labels)
{
    const uint8_t *length = situ_digits_packed, *label = length + VALUES, *bits = label + SITU_DIGITS_COUNT;
    int count[MOST_BITS + 1] = {0}, known = 0;
    uint8_t value[VALUES];
    int64_t at = 0;
    for (int bit = 1; bit <= MOST_BITS; bit++)
        for (int v = 0; v < VALUES; v++) {
            if (length[v] != bit) continue;
            value[known++] = (uint8_t)v;
            count[bit]++;
        }
    for (int i = 0; pixels && i < SITU_DIGITS_COUNT * SITU_DIGITS_PIXELS; i++) pixels[i] = decode(bits, &at, count, value);
    for (int i = 0; labels && i < SITU_DIGITS_COUNT; i++) labels[i] = label[i];
    return 0;
}
