/* The embedded data set: 1,797 handwritten digits of 8 by 8 pixels.
 *
 * "Optical Recognition of Handwritten Digits", E. Alpaydin and C. Kaynak (1998), UCI Machine Learning Repository,
 * https://doi.org/10.24432/C50P49, CC BY 4.0. Made from the repository's test part by scripts/make_digits.py. */
#ifndef SITU_DATA_DIGITS_H
#define SITU_DATA_DIGITS_H

#include <stdint.h>

enum {
    SITU_DIGITS_COUNT = 1797,
    SITU_DIGITS_SIDE = 8,
    SITU_DIGITS_PIXELS = 64,
    SITU_DIGITS_WHITE = 16, /* maximum value of a pixel */
    SITU_DIGITS_CLASSES = 10
};

/* The contents of digits.bin, included by the assembler. */
extern const uint8_t situ_digits_packed[] __attribute__((visibility("hidden")));
/* Fills pixels[1797 * 64] with 0..16, row by row, and labels[1797] with 0..9; either may be NULL. Returns 0. */
int situ_digits_unpack(uint8_t *pixels, uint8_t *labels);

#endif
