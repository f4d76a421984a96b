/* Whole files, plain and packed. */
#include "test.h"

#include "base/error.h"
#include "device/counted.h"
#include "file/gzip.h"
#include "support/each_allocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* gzip of "hello hello hello hello\n", made by Python's gzip with mtime 0. */
static const unsigned char hello_gz[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
                                         0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40, 0x27, 0xb9,
                                         0x00, 0x00, 0x88, 0x59, 0x0b, 0x18, 0x00, 0x00, 0x00};
static const char hello[] = "hello hello hello hello\n";

static const char *file_of(const char *name, const void *data, size_t n)
{
    const char *path = test_path(name);
    FILE *file = fopen(path, "wb");
    if (CHECK(file != NULL)) {
        CHECK_EQ(fwrite(data, 1, n, file), n);
        fclose(file);
    }
    return path;
}

static bool no_zlib(void)
{
    void *data;
    size_t size;
    int status = situ_unpack("probe", hello_gz, sizeof hello_gz, &data, &size);
    situ_counted_free(data);
    if (status) situ_error_take(NULL);
    return status == -SITU_NO_LIBRARY;
}

TEST(plain_files_are_read_whole)
{
    void *data;
    size_t size;
    size_t lengths[] = {0, 1, 2, 4095, 4096, 100000};
    char *text = malloc(100000);
    if (!CHECK(text != NULL)) return;
    for (int i = 0; i < 100000; i++) text[i] = (char)(i * 7 + i / 251);
    for (int i = 0; i < 6; i++) {
        CHECK_EQ(situ_read_file(file_of("plain", text, lengths[i]), &data, &size), 0);
        CHECK_EQ(size, lengths[i]);
        CHECK(data && !memcmp(data, text, size) && ((char *)data)[size] == 0);
        situ_counted_free(data);
    }
    free(text);
}

TEST(files_without_a_size_are_read)
{
    void *data;
    size_t size;
    if (access("/proc/self/maps", R_OK)) SKIP("no /proc");
    CHECK_EQ(situ_read_file("/proc/self/maps", &data, &size), 0);
    CHECK(size > 100);
    situ_counted_free(data);
}

TEST(packed_files_are_unpacked)
{
    void *data;
    size_t size;
    if (no_zlib()) SKIP("no zlib in this machine");
    CHECK_EQ(situ_read_file(file_of("hello.gz", hello_gz, sizeof hello_gz), &data, &size), 0);
    CHECK_EQ(size, strlen(hello));
    CHECK_STR(data, hello);
    situ_counted_free(data);
}

TEST(packed_members_are_joined)
{
    void *data;
    size_t size;
    unsigned char two[2 * sizeof hello_gz + 3] = {0};
    if (no_zlib()) SKIP("no zlib in this machine");
    memcpy(two, hello_gz, sizeof hello_gz);
    memcpy(two + sizeof hello_gz, hello_gz, sizeof hello_gz);
    CHECK_EQ(situ_unpack("two", two, sizeof two, &data, &size), 0);
    CHECK_EQ(size, 2 * strlen(hello));
    situ_counted_free(data);
    two[sizeof two - 1] = 'x';
    CHECK_FAILS(SITU_BAD_FORMAT, situ_unpack("two", two, sizeof two, &data, &size), "follows");
}

/* Cut anywhere, or with any byte changed: an error or the right text, never a crash. */
TEST(damaged_files_are_errors)
{
    void *data;
    size_t size;
    if (no_zlib()) SKIP("no zlib in this machine");
    for (size_t n = 2; n < sizeof hello_gz; n++) {
        CHECK_EQ(situ_unpack("cut.gz", hello_gz, n, &data, &size), -SITU_BAD_FORMAT);
        CHECK(strstr(situ_error_message(), "cut.gz") != NULL);
        CHECK(data == NULL);
        CHECK_CODE(SITU_BAD_FORMAT);
    }
    for (size_t i = 2; i < sizeof hello_gz; i++) {
        unsigned char bad[sizeof hello_gz];
        memcpy(bad, hello_gz, sizeof bad);
        bad[i] ^= 0x55;
        if (situ_unpack("bad.gz", bad, sizeof bad, &data, &size)) CHECK_CODE(SITU_BAD_FORMAT);
        else CHECK_STR(data, hello);
        situ_counted_free(data);
    }
}

TEST(missing_files_are_errors)
{
    void *data;
    size_t size;
    const char *path = test_path("absent");
    CHECK_FAILS(SITU_IO, situ_read_file(path, &data, &size), "No such file", path);
    CHECK_FAILS(SITU_IO, situ_read_file("/dev/zero", &data, &size), "is a device"); /* it has no end */
    CHECK_FAILS(SITU_IO, situ_read_file("/", &data, &size));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_read_file(NULL, &data, &size));
}

TEST(missing_zlib_is_an_error)
{
    void *data;
    size_t size;
    situ_test_zlib_names = (const char *const[]){"libsitu-no-zlib.so", NULL};
    CHECK_FAILS(SITU_NO_LIBRARY, situ_unpack("x.gz", hello_gz, sizeof hello_gz, &data, &size), "zlib1g", "x.gz");
    situ_test_zlib_names = NULL;
}

TEST(missing_memory_is_an_error)
{
    void *data;
    size_t size;
    if (no_zlib()) SKIP("no zlib in this machine");
    const char *path = file_of("hello.gz", hello_gz, sizeof hello_gz);
    failing f = {0};
    while (fails_next(&f)) {
        int status = situ_read_file(path, &data, &size);
        fails_end(&f, !status);
        situ_counted_free(data);
    }
    CHECK(f.n > 3);
}
