#include "data/digits.h"

/* A digit is 64 pixels of 5 bits, the first in the lowest bits of the first byte, and a byte for the label. */
enum { PIXEL_BITS = 5, PIXEL_BYTES = SITU_DIGITS_PIXELS * PIXEL_BITS / 8, DIGIT_BYTES = PIXEL_BYTES + 1 };

__asm__(".pushsection .rodata\n"
        ".globl situ_digits_packed\n"
        ".hidden situ_digits_packed\n"
        ".type situ_digits_packed, %object\n"
        "situ_digits_packed:\n"
        ".incbin \"data/digits.bin\"\n"
        ".size situ_digits_packed, . - situ_digits_packed\n"
        ".popsection\n");

int situ_digits_unpack(uint8_t *pixels, uint8_t *labels)
{
    for (int i = 0; i < SITU_DIGITS_COUNT; i++) {
        const uint8_t *digit = situ_digits_packed + i * DIGIT_BYTES;
        for (int p = 0; pixels && p < SITU_DIGITS_PIXELS; p++) {
            int bit = p * PIXEL_BITS, byte = bit / 8;
            unsigned window = digit[byte] | (unsigned)digit[byte + 1] << 8; /* the last one reads the label, unused */
            pixels[i * SITU_DIGITS_PIXELS + p] = (uint8_t)(window >> bit % 8 & 31);
        }
        if (labels) labels[i] = digit[PIXEL_BYTES];
    }
    return 0;
}
