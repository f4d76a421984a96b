#include "base/error.h"
#include "data/idx.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

TEST(images_of_bytes)
{
    const uint8_t file[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 10, 11, 12, 20, 21, 255};
    situ_idx idx;
    CHECK_EQ(situ_idx_parse(file, sizeof file, &idx), 0);
    CHECK_EQ(idx.dtype, SITU_U8);
    CHECK_EQ(idx.ndim, 3);
    CHECK(idx.shape[0] == 2 && idx.shape[1] == 1 && idx.shape[2] == 3);
    CHECK_EQ(idx.count, 6);
    CHECK(idx.data == file + 16);
    uint8_t second[3];
    CHECK_EQ(situ_idx_read(&idx, 3, 3, second), 0);
    CHECK(second[0] == 20 && second[1] == 21 && second[2] == 255);
}

TEST(wide_values_are_big_endian)
{
    const uint8_t shorts[] = {0, 0, 0x0b, 1, 0, 0, 0, 2, 0x01, 0x02, 0xff, 0xfe};
    const uint8_t ints[] = {0, 0, 0x0c, 1, 0, 0, 0, 1, 0x80, 0, 0, 1};
    const uint8_t floats[] = {0, 0, 0x0d, 1, 0, 0, 0, 1, 0x3f, 0x80, 0, 0};
    const uint8_t doubles[] = {0, 0, 0x0e, 1, 0, 0, 0, 1, 0xc0, 0, 0, 0, 0, 0, 0, 0};
    situ_idx idx;
    int16_t s[2];
    int32_t i;
    float f;
    double d;
    CHECK_EQ(situ_idx_parse(shorts, sizeof shorts, &idx) | situ_idx_read(&idx, 0, 2, s), 0);
    CHECK(idx.dtype == SITU_I16 && s[0] == 0x0102 && s[1] == -2);
    CHECK_EQ(situ_idx_parse(ints, sizeof ints, &idx) | situ_idx_read(&idx, 0, 1, &i), 0);
    CHECK(idx.dtype == SITU_I32 && i == INT32_MIN + 1);
    CHECK_EQ(situ_idx_parse(floats, sizeof floats, &idx) | situ_idx_read(&idx, 0, 1, &f), 0);
    CHECK(idx.dtype == SITU_F32 && f == 1.0f);
    CHECK_EQ(situ_idx_parse(doubles, sizeof doubles, &idx) | situ_idx_read(&idx, 0, 1, &d), 0);
    CHECK(idx.dtype == SITU_F64 && d == -2.0);
}

TEST(empty_data_is_fine)
{
    const uint8_t file[] = {0, 0, 9, 2, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0};
    situ_idx idx;
    CHECK_EQ(situ_idx_parse(file, sizeof file, &idx), 0);
    CHECK_EQ(idx.count, 0);
    CHECK_EQ(situ_idx_read(&idx, 0, 0, NULL), 0);
}

TEST(each_truncation_is_refused)
{
    const uint8_t file[] = {0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4, 5};
    situ_idx idx;
    for (size_t size = 0; size <= sizeof file; size++) {
        if (size == 16) continue; /* the right one */
        uint8_t *cut = malloc(size + !size); /* in a block of its own: sanitizers see what is read behind it */
        if (!CHECK(cut)) return;
        memcpy(cut, file, size);
        CHECK_FAILS(SITU_BAD_FORMAT, situ_idx_parse(cut, size, &idx));
        free(cut);
    }
    CHECK_EQ(situ_idx_parse(file, 16, &idx), 0);
}

static void refused(const uint8_t *file, size_t size, const char *part)
{
    situ_idx idx;
    situ_error error;
    CHECK_EQ(situ_idx_parse(file, size, &idx), -SITU_BAD_FORMAT);
    situ_error_take(&error);
    if (!CHECK(strstr(error.message, part))) CHECK_STR(error.message, part);
}

TEST(messages_say_what_was_expected)
{
    const uint8_t gzip[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0};
    const uint8_t type[] = {0, 0, 0x0a, 1, 0, 0, 0, 0};
    const uint8_t scalar[] = {0, 0, 8, 0, 7};
    const uint8_t many[] = {0, 0, 8, 9, 0, 0, 0, 0};
    const uint8_t too_few[] = {0, 0, 0x0d, 1, 0, 0, 0, 2, 1, 2, 3, 4};
    refused(gzip, sizeof gzip, "starts with bytes 1f 8b 08 00, expected 00 00, a type (08 u8");
    refused(type, sizeof type, "not an IDX file");
    refused(scalar, sizeof scalar, "0 dimensions, expected 1 to 8");
    refused(many, sizeof many, "9 dimensions, expected 1 to 8");
    refused(too_few, sizeof too_few, "ask for 8 bytes of values, it has 4");
}

TEST(overflowing_dimensions_are_refused)
{
    uint8_t file[4 + 8 * 4 + 16];
    memset(file, 0xff, sizeof file);
    for (int ndim = 2; ndim <= 8; ndim++) {
        memcpy(file, (uint8_t[]){0, 0, 0x0e, (uint8_t)ndim}, 4);
        refused(file, sizeof file, "bytes of values");
    }
    /* 2^32 * 2^32 wraps to 0 in 64 bits */
    const uint8_t wraps[] = {0, 0, 8, 4, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0};
    refused(wraps, sizeof wraps, "more than 2^63 bytes");
}

TEST(reading_out_of_range)
{
    const uint8_t file[] = {0, 0, 8, 1, 0, 0, 0, 2, 1, 2};
    uint8_t out[2];
    situ_idx idx;
    CHECK_EQ(situ_idx_parse(file, sizeof file, &idx), 0);
    CHECK_FAILS(SITU_BAD_INDEX, situ_idx_read(&idx, 1, 2, out));
    CHECK_FAILS(SITU_BAD_INDEX, situ_idx_read(&idx, INT64_MAX, INT64_MAX, out));
    CHECK_FAILS(SITU_BAD_INDEX, situ_idx_read(&idx, -1, 1, out));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_idx_parse(NULL, 0, &idx));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_idx_parse(file, sizeof file, NULL));
}
