/* The order of a number's bytes in files and in memory. What a file has is written here byte by byte. */
#include "test.h"

#include <string.h>

#include "base/byte_order.h"

static const uint8_t stored[8] = {1, 2, 3, 4, 5, 6, 7, 0x88};

TEST(numbers_of_files_are_little_endian)
{
    uint16_t two[4];
    uint32_t four[2];
    uint64_t eight;
    situ_little_numbers(two, stored, 8, 2);
    situ_little_numbers(four, stored, 8, 4);
    situ_little_numbers(&eight, stored, 8, 8);
    CHECK(two[0] == 0x0201 && two[3] == 0x8807);
    CHECK(four[0] == 0x04030201 && four[1] == 0x88070605);
    CHECK(eight == UINT64_C(0x8807060504030201));
    for (int bytes = 1; bytes <= 8; bytes++) CHECK(situ_little(stored, bytes) == (bytes < 8 ? eight & ((UINT64_C(1) << 8 * bytes) - 1) : eight));
}

TEST(reversing_reverses_each_number)
{
    static const uint8_t expected[4][8] = {
        {1, 2, 3, 4, 5, 6, 7, 0x88}, {2, 1, 4, 3, 6, 5, 0x88, 7}, {4, 3, 2, 1, 0x88, 7, 6, 5}, {0x88, 7, 6, 5, 4, 3, 2, 1}};
    for (int i = 0; i < 4; i++) {
        uint8_t to[8], back[8];
        situ_reverse_numbers(to, stored, 8, (size_t)1 << i);
        CHECK(!memcmp(to, expected[i], 8));
        situ_reverse_numbers(back, to, 8, (size_t)1 << i);
        CHECK(!memcmp(back, stored, 8));
    }
}

TEST(bits_of_each_width)
{
    const uint64_t value = UINT64_C(0x8877665544332211);
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    situ_put_bits(&one, value, 1);
    situ_put_bits(&two, value, 2);
    situ_put_bits(&four, value, 4);
    situ_put_bits(&eight, value, 8);
    CHECK(one == 0x11 && two == 0x2211 && four == 0x44332211 && eight == value);
    CHECK(situ_take_bits(&one, 1) == one && situ_take_bits(&two, 2) == two);
    CHECK(situ_take_bits(&four, 4) == four && situ_take_bits(&eight, 8) == eight);
}
