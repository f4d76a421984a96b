#include "data/digits.h"
#include "test.h"

#include <string.h>

static uint8_t pixels[SITU_DIGITS_COUNT * SITU_DIGITS_PIXELS];
static uint8_t labels[SITU_DIGITS_COUNT];

/* The figures are those of the original text file. */
TEST(unpacked_values)
{
    CHECK_EQ(situ_digits_unpack(pixels, labels), 0);
    int per_class[SITU_DIGITS_CLASSES] = {0}, largest = 0;
    long total = 0, weighted = 0;
    for (int i = 0; i < SITU_DIGITS_COUNT; i++) {
        if (!CHECK(labels[i] < SITU_DIGITS_CLASSES)) return;
        per_class[labels[i]]++;
    }
    for (int i = 0; i < SITU_DIGITS_COUNT * SITU_DIGITS_PIXELS; i++) {
        total += pixels[i];
        weighted += (long)pixels[i] * (i % 1009);
        if (pixels[i] > largest) largest = pixels[i];
    }
    const int expected[] = {178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
    CHECK(!memcmp(per_class, expected, sizeof expected));
    CHECK_EQ(largest, SITU_DIGITS_WHITE);
    CHECK_EQ(total, 561718);
    CHECK_EQ(weighted, 283139404);
}

TEST(first_and_last_digit)
{
    const uint8_t first_rows[] = {0, 0, 5, 13, 9, 1, 0, 0, 0, 0, 13, 15, 10, 15, 5, 0};
    const uint8_t last_row[] = {0, 1, 8, 12, 14, 12, 1, 0};
    CHECK_EQ(situ_digits_unpack(pixels, labels), 0);
    CHECK(!memcmp(pixels, first_rows, sizeof first_rows));
    CHECK(!memcmp(pixels + sizeof pixels - sizeof last_row, last_row, sizeof last_row));
    CHECK_EQ(labels[0], 0);
    CHECK_EQ(labels[SITU_DIGITS_COUNT - 1], 8);
}

TEST(either_output_may_be_absent)
{
    memset(pixels, 99, sizeof pixels);
    CHECK_EQ(situ_digits_unpack(NULL, labels), 0);
    CHECK_EQ(pixels[0], 99);
    memset(labels, 99, sizeof labels);
    CHECK_EQ(situ_digits_unpack(pixels, NULL), 0);
    CHECK_EQ(labels[0], 99);
    CHECK_EQ(pixels[2], 5);
}
