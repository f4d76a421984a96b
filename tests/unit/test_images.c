/* Folders of images and byte-pair encoding: what is read, what is missing, and what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <situ.h>

#include "device/counted.h"
#include "data/image.h"
#include "support/each_allocation.h"
#include "support/files.h"
#include "test.h"

/* Red, green; blue, (10, 20, 30). */
static const uint8_t png[] = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x08, 0x02, 0x00, 0x00, 0x00, 0xfd, 0xd4, 0x9a, 0x73, 0x00, 0x00, 0x00, 0x13, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0, 0xc0, 0x00, 0xc2, 0x0c, 0xff, 0xb9, 0x44, 0xe4, 0x00, 0x1a, 0x58, 0x03, 0x3a, 0x56, 0x63, 0xa2, 0x3c, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
/* 4 by 4 pixels of 200. */
static const uint8_t jpeg[] = {0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0x00, 0x01, 0x01, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x00, 0xff, 0xdb, 0x00, 0x43, 0x00, 0x03, 0x02, 0x02, 0x03, 0x02, 0x02, 0x03, 0x03, 0x03, 0x03, 0x04, 0x03, 0x03, 0x04, 0x05, 0x08, 0x05, 0x05, 0x04, 0x04, 0x05, 0x0a, 0x07, 0x07, 0x06, 0x08, 0x0c, 0x0a, 0x0c, 0x0c, 0x0b, 0x0a, 0x0b, 0x0b, 0x0d, 0x0e, 0x12, 0x10, 0x0d, 0x0e, 0x11, 0x0e, 0x0b, 0x0b, 0x10, 0x16, 0x10, 0x11, 0x13, 0x14, 0x15, 0x15, 0x15, 0x0c, 0x0f, 0x17, 0x18, 0x16, 0x14, 0x18, 0x12, 0x14, 0x15, 0x14, 0xff, 0xc0, 0x00, 0x0b, 0x08, 0x00, 0x04, 0x00, 0x04, 0x01, 0x01, 0x11, 0x00, 0xff, 0xc4, 0x00, 0x1f, 0x00, 0x00, 0x01, 0x05, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0xff, 0xc4, 0x00, 0xb5, 0x10, 0x00, 0x02, 0x01, 0x03, 0x03, 0x02, 0x04, 0x03, 0x05, 0x05, 0x04, 0x04, 0x00, 0x00, 0x01, 0x7d, 0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72, 0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xff, 0xda, 0x00, 0x08, 0x01, 0x01, 0x00, 0x00, 0x3f, 0x00, 0xfb, 0x02, 0xbf, 0xff, 0xd9};

/* A folder of the classes "cat" and "dog" with an image each, in `name`; the path of the dog's, which is of so many
 * bytes of PNG. */
static const char *animals(const char *name, char path[2][512], size_t bytes)
{
    char part[600];
    snprintf(path[0], 512, "%s", test_path(name));
    mkdir(path[0], 0700);
    for (int i = 0; i < 2; i++) {
        snprintf(part, sizeof part, "%s/%s", path[0], i ? "dog" : "cat");
        mkdir(part, 0700);
        snprintf(path[1], 512, "%.480s/1.png", part);
        write_file(path[1], png, i ? bytes : sizeof png);
    }
    return path[1];
}

static bool no_codec(const void *bytes, size_t size)
{
    situ_image image;
    bool missing = situ_image_read("image", bytes, size, &image) == -SITU_NO_LIBRARY;
    situ_counted_free(image.rgb);
    if (missing) situ_error_take(NULL);
    return missing;
}

TEST(a_folder_of_images_has_a_class_for_each_folder)
{
    char path[2][512];
    if (no_codec(png, sizeof png)) SKIP("no libpng in this machine");
    animals("animals", path, sizeof png);
    situ_dataset *data = situ_image_folder(path[0]), *train, *held_out;
    CHECK(situ_dataset_count(data) == 2 && situ_dataset_classes(data) == 2);
    CHECK(!strcmp(situ_dataset_token(data, 0), "cat") && !strcmp(situ_dataset_token(data, 1), "dog") && !situ_dataset_token(data, 2));
    CHECK(situ_dataset_labels(data)[0] == 0 && situ_dataset_labels(data)[1] == 1);
    situ_field field[2];
    CHECK_EQ(situ_dataset_fields(data, field, 2), 2);
    static const uint8_t want[12] = {255, 0, 0, 10, 0, 255, 0, 20, 0, 0, 255, 30};
    CHECK(field[0].dtype == SITU_U8 && field[0].shape.dim[1] == 3 && field[0].shape.dim[3] == 2);
    CHECK(!memcmp((const uint8_t *)field[0].data + 12, want, 12));
    CHECK_EQ(situ_dataset_split(data, 0, &train, &held_out, .count = 1), 0);
    CHECK(!strcmp(situ_dataset_token(train, 1), "dog") && !strcmp(situ_dataset_token(held_out, 0), "cat"));
    situ_dataset_free(train);
    situ_dataset_free(held_out);
    int32_t id;
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_dataset_encode(data, "cat", &id, 1), "no vocabulary");
    situ_dataset_free(data);
    data = situ_image_folder(path[0], .height = 1, .width = 1, .grey = true);
    situ_dataset_fields(data, field, 2);
    CHECK(field[0].shape.dim[1] == 1 && field[0].shape.dim[2] == 1);
    CHECK_EQ(((const uint8_t *)field[0].data)[0], 68); /* of the means 66, 69 and 71 */
    situ_dataset_free(data);
}

TEST(what_is_no_whole_image_is_named)
{
    char path[2][512];
    if (no_codec(png, sizeof png) || no_codec(jpeg, sizeof jpeg)) SKIP("no libpng or no libturbojpeg in this machine");
    const char *dog = animals("damaged", path, sizeof png - 30);
    CHECK_FAILS(SITU_BAD_FORMAT, situ_image_folder(path[0]), "dog/1.png is damaged");
    write_file(dog, jpeg, sizeof jpeg); /* the bytes count, not the name */
    CHECK_FAILS(SITU_BAD_SHAPE, situ_image_folder(path[0]),
                "cat/1.png has 2 by 2 pixels, but", "dog/1.png has 4 by 4; .height = and");
    situ_dataset *data = situ_image_folder(path[0], .height = 2, .width = 2);
    CHECK(situ_dataset_count(data) == 2);
    situ_dataset_free(data);
    write_file(dog, jpeg, sizeof jpeg - 20);
    CHECK_FAILS(SITU_BAD_FORMAT, situ_image_folder(path[0]), "dog/1.png is damaged");
    write_file(dog, "GIF89a", 6);
    CHECK_FAILS(SITU_BAD_FORMAT, situ_image_folder(path[0]), "neither a PNG nor a JPEG");
    unlink(dog);
    CHECK_FAILS(SITU_IO, situ_image_folder(path[0]), "dog has no PNG or JPEG image");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_image_folder(NULL), "no folder is named");
    CHECK_FAILS(SITU_BAD_OPTION, situ_image_folder(path[0], .height = 3), "both from 1");
}

TEST(a_missing_library_for_images_is_named_with_its_package)
{
    char path[2][512];
    const char *dog = animals("unread", path, sizeof png);
    situ_test_png_names = situ_test_jpeg_names = (const char *const[]){"libsitu-no-codec.so", NULL};
    CHECK_FAILS(SITU_NO_LIBRARY, situ_image_folder(path[0]), "cat/1.png", "install the package libpng16-16");
    write_file(strcat(strcpy(path[1], path[0]), "/cat/1.png"), jpeg, sizeof jpeg);
    CHECK(!situ_image_folder(path[0]) && dog);
    CHECK(strstr(situ_error_message(), "install the package libturbojpeg0"));
    CHECK_CODE(SITU_NO_LIBRARY);
    situ_test_png_names = situ_test_jpeg_names = NULL;
}

TEST(a_folder_of_images_gives_back_its_memory_at_each_failure)
{
    char path[2][512];
    if (no_codec(png, sizeof png)) SKIP("no libpng in this machine");
    animals("short", path, sizeof png);
    for (failing f = {0}; fails_next(&f);) {
        situ_dataset *data = situ_image_folder(path[0], .height = 3, .width = 1, .crop = true);
        fails_end(&f, data != NULL);
        situ_dataset_free(data);
    }
}

TEST(pairs_of_bytes_give_back_every_byte)
{
    static const char text[] = "low lower lowest\0 \xff\xfe low low";
    const char *path = test_path("pairs.txt");
    write_file(path, text, sizeof text - 1);
    situ_dataset *data = situ_text_dataset(path, 2, .pairs = true, .most = 259, .stride = 1);
    CHECK_EQ(situ_dataset_classes(data), 259);
    CHECK(!strcmp(situ_dataset_token(data, 256), "lo") && !strcmp(situ_dataset_token(data, 257), "low") && !strcmp(situ_dataset_token(data, 258), " low"));
    int32_t id[64];
    char out[64];
    CHECK_EQ(situ_dataset_encode(data, "low slow low", id, 64), 5);
    CHECK(id[0] == 257 && id[1] == ' ' && id[2] == 's' && id[3] == 257 && id[4] == 258);
    situ_error_take(NULL);
    int64_t n = situ_dataset_encode(data, "\xff any bytes\n", id, 64);
    CHECK_EQ(situ_dataset_decode(data, id, n, out, 64), 12);
    CHECK(!memcmp(out, "\xff any bytes\n", 12));
    CHECK_EQ(situ_dataset_decode(data, (int32_t[]){0, 258, 300}, 2, out, 3), 5); /* what fits is written */
    CHECK(!memcmp(out, "\0 l", 3));
    CHECK_FAILS(SITU_BAD_INDEX, situ_dataset_decode(data, (int32_t[]){0, 300}, 2, out, 64), "token 1 is 300");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_dataset_decode(data, NULL, 2, out, 64));
    situ_dataset_free(data);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_text_dataset(path, 2, .pairs = true, .most = 256), "257 to 65536");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_text_dataset(path, 2, .pairs = true, .words = true), "not both");
    for (failing f = {0}; fails_next(&f);) {
        data = situ_text_dataset(path, 2, .pairs = true, .most = 259);
        fails_end(&f, data != NULL);
        situ_dataset_free(data);
    }
}
