/* Packed files that are made to fill the memory: each reader that unpacks has a bound, and what is unpacked counts in
 * the limit. */
#include "test.h"

#include <situ.h>

#include "device/counted.h"
#include "device/pages.h"
#include "file/gzip.h"
#include "support/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MIB = 1 << 20 };

static uint32_t crc_of(const unsigned char *bytes, size_t zeros_behind, size_t size)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < size + zeros_behind; i++) {
        crc ^= i < size ? bytes[i] : 0;
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

typedef struct bits {
    unsigned char *to;
    size_t count;
} bits;

static void put(bits *b, unsigned code, int length)
{
    for (int i = length - 1; i >= 0; i--, b->count++)
        if (code >> i & 1) b->to[b->count / 8] |= (unsigned char)(1 << b->count % 8);
}

/* Deflate data (RFC 1951, 3.2.6) of so many zeros, at least 1: one literal, then runs of 258 and single ones. */
static size_t deflate_zeros(unsigned char *to, size_t zeros)
{
    bits b = {to, 0};
    put(&b, 1, 1);          /* the last block */
    put(&b, 2, 2);          /* the type of a block with fixed codes: the bits 01, the lowest one first */
    put(&b, 0x30, 8);       /* the literal 0 */
    for (zeros--; zeros >= 258; zeros -= 258) put(&b, 0xc5, 8), put(&b, 0, 5);
    for (; zeros; zeros--) put(&b, 0x30, 8);
    put(&b, 0, 7);          /* the end */
    return (b.count + 7) / 8;
}

static void put_little(unsigned char *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) to[i] = (unsigned char)(value >> 8 * i);
}

/* A gzip file of so many zeros, 158 times as many as it has bytes. */
static const char *bomb(const char *name, size_t zeros)
{
    static const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
    const char *path = test_path(name);
    unsigned char *bytes = calloc(1, zeros / 150 + 1024);
    if (!bytes) return path;
    memcpy(bytes, head, sizeof head);
    size_t n = 10 + deflate_zeros(bytes + 10, zeros);
    put_little(bytes + n, crc_of(NULL, zeros, 0), 4);
    put_little(bytes + n + 4, zeros, 4);
    write_file(path, bytes, n + 8);
    free(bytes);
    return path;
}

static int64_t in_use(void)
{
    situ_memory m = {0};
    situ_memory_of(situ_cpu(), &m);
    return m.in_use;
}

static bool no_zlib(void)
{
    void *data;
    size_t size;
    int rc = situ_read_file(bomb("probe.gz", 1), &data, &size);
    situ_counted_free(data);
    if (rc) situ_error_take(NULL);
    return rc == -SITU_NO_LIBRARY;
}

TEST(what_is_unpacked_counts_in_the_limit_while_it_is_there)
{
    void *data;
    size_t size;
    if (no_zlib()) SKIP("no zlib in this machine");
    int64_t before = in_use();
    const char *path = bomb("counted.gz", 3 * MIB);
    CHECK_EQ(situ_read_file(path, &data, &size), 0);
    CHECK(size == 3 * MIB && in_use() - before >= 3 * MIB && in_use() - before <= 3 * MIB + 64);
    situ_counted_free(data);
    CHECK_EQ(in_use(), before);
    situ_memory_limit(situ_cpu(), before + 2 * MIB);
    CHECK_EQ(situ_read_file(path, &data, &size), -SITU_DEVICE_MEMORY);
    CHECK(strstr(situ_error_message(), "counted.gz") && strstr(situ_error_message(), "SITU_CPU_MEMORY"));
    CHECK_CODE(SITU_DEVICE_MEMORY);
    CHECK_EQ(in_use(), before);
    situ_memory_limit(situ_cpu(), 0);
}

TEST(a_packed_file_may_become_a_hundred_times_as_large_or_256_mib)
{
    size_t most = 0;
    CHECK(!situ_unpacked_most(0, &most) && most == 256 * MIB);
    CHECK(!situ_unpacked_most(2500000, &most) && most == 256 * MIB);
    CHECK(!situ_unpacked_most(10000000, &most) && most == 1000000000);
    setenv("SITU_UNPACKED", "8G", 1);
    CHECK(!situ_unpacked_most(1, &most) && most == (size_t)8 << 30);
    setenv("SITU_UNPACKED", "0", 1);
    CHECK(!situ_unpacked_most(1, &most) && most >= SIZE_MAX / 2);
    setenv("SITU_UNPACKED", "a lot", 1);
    CHECK_EQ(situ_unpacked_most(1, &most), -SITU_BAD_OPTION);
    CHECK_CODE(SITU_BAD_OPTION);
    unsetenv("SITU_UNPACKED");
}

TEST(the_bound_is_exact)
{
    void *data;
    size_t size;
    if (no_zlib()) SKIP("no zlib in this machine");
    setenv("SITU_UNPACKED", "1M", 1);
    CHECK_EQ(situ_read_file(bomb("most.gz", MIB), &data, &size), 0);
    CHECK_EQ(size, MIB);
    situ_counted_free(data);
    CHECK_EQ(situ_read_file(bomb("more.gz", MIB + 1), &data, &size), -SITU_BAD_FORMAT);
    CHECK(data == NULL && strstr(situ_error_message(), "more.gz") && strstr(situ_error_message(), "SITU_UNPACKED=8G"));
    CHECK_CODE(SITU_BAD_FORMAT);
    unsetenv("SITU_UNPACKED");
}

/* ---- every reader --------------------------------------------------------------------------------------------------------------- */

static const char *folder_with(const char *folder, const char *file, size_t zeros)
{
    static char path[512];
    char inside[600];
    snprintf(path, sizeof path, "%s", test_path(folder));
    mkdir(path, 0700);
    snprintf(inside, sizeof inside, "%s/%s", folder, file);
    bomb(inside, zeros);
    return path;
}

static void read_csv(size_t zeros) { situ_dataset_free(situ_csv(bomb("zeros.csv.gz", zeros))); }
static void read_text(size_t zeros) { situ_dataset_free(situ_text_dataset(bomb("zeros.txt.gz", zeros), 8)); }
static void read_idx(size_t zeros)
{
    folder_with("idx", "train-labels-idx1-ubyte.gz", zeros);
    situ_dataset_free(situ_idx_folder(folder_with("idx", "train-images-idx3-ubyte.gz", zeros), NULL));
}
static void read_cifar(size_t zeros) { situ_dataset_free(situ_cifar(folder_with("cifar", "data_batch_1.bin", zeros))); }
static void read_images(size_t zeros)
{
    mkdir(test_path("images"), 0700);
    folder_with("images/zero", "1.png", zeros);
    situ_dataset_free(situ_image_folder(test_path("images")));
}
static void read_vocabulary(size_t zeros)
{
    char plain[512];
    snprintf(plain, sizeof plain, "%s", test_path("plain.txt"));
    write_file(plain, "some words", 10);
    situ_dataset_free(situ_text_dataset(plain, 1, .vocabulary = bomb("zeros.vocabulary", zeros)));
}
static void read_archive(size_t zeros) { situ_archive_close(situ_archive_open(bomb("zeros.safetensors", zeros))); }
static void read_onnx(size_t zeros) { situ_module_free(situ_onnx_load(bomb("zeros.onnx", zeros))); }
static void read_tokenizer(size_t zeros) { situ_tokenizer_close(situ_tokenizer_open(bomb("zeros.json", zeros))); }
static void read_report(size_t zeros)
{
    char out[512];
    snprintf(out, sizeof out, "%s", test_path("joined.html"));
    const char *report = bomb("zeros.html", zeros);
    situ_report_join(out, &report, 1);
}

/* An archive of one deflated array of bytes, as numpy.savez_compressed writes it. */
static void read_npz(size_t zeros)
{
    unsigned char *bytes = calloc(1, zeros / 150 + 4096), *p = bytes;
    char front[128] = "\x93NUMPY\1\0\x76\0{'descr': '|u1', 'fortran_order': False, 'shape': (";
    if (!bytes) return;
    front[9] = 0;
    snprintf(front + 10, 118, "{'descr': '|u1', 'fortran_order': False, 'shape': (%zu,), }", zeros);
    for (size_t i = 10 + strlen(front + 10); i < 128; i++) front[i] = ' ';
    front[127] = '\n';
    /* the header as a stored block, then the zeros */
    unsigned char *packed = p + 30 + 5;
    *packed++ = 0;
    put_little(packed, 128, 2);
    put_little(packed + 2, 0xffff - 128, 2);
    memcpy(packed + 4, front, 128);
    size_t n = 5 + 128 + deflate_zeros(packed + 132, zeros);
    uint32_t crc = crc_of((unsigned char *)front, zeros, 128);
    for (int part = 0; part < 2; part++) { /* in front of the data, and in the directory */
        unsigned char *h = part ? p + 35 + n : p;
        int more = part ? 2 : 0;
        put_little(h, part ? 0x02014b50 : 0x04034b50, 4);
        put_little(h + 4 + more, 20, 2);
        put_little(h + 8 + more, 8, 2);
        put_little(h + 14 + more, crc, 4);
        put_little(h + 18 + more, n, 4);
        put_little(h + 22 + more, zeros + 128, 4);
        put_little(h + 26 + more, 5, 2);
        memcpy(h + (part ? 46 : 30), "x.npy", 5);
    }
    unsigned char *end = p + 35 + n + 51;
    put_little(end, 0x06054b50, 4);
    put_little(end + 8, 1, 2);
    put_little(end + 10, 1, 2);
    put_little(end + 12, 51, 4);
    put_little(end + 16, 35 + n, 4);
    const char *path = test_path("zeros.npz");
    write_file(path, bytes, (size_t)(end + 22 - bytes));
    free(bytes);
    situ_archive *a = situ_archive_open(path);
    situ_scope *scope = situ_scope_open();
    if (a) situ_eval(TENSORS(situ_archive_get(a, "x")));
    situ_scope_close(scope);
    situ_archive_close(a);
}

TEST(every_reader_that_unpacks_has_a_bound)
{
    static const struct {
        const char *name;
        void (*read)(size_t zeros);
    } reader[] = {{"csv", read_csv}, {"text", read_text}, {"idx", read_idx}, {"cifar", read_cifar}, {"images", read_images},
        {"vocabulary", read_vocabulary}, {"archive", read_archive}, {"onnx", read_onnx}, {"tokenizer", read_tokenizer},
        {"report", read_report}, {"npz", read_npz}};
    if (no_zlib()) SKIP("no zlib in this machine");
    for (size_t i = 0; i < sizeof reader / sizeof *reader; i++) {
        int64_t before = in_use();
        setenv("SITU_UNPACKED", "1M", 1);
        reader[i].read(MIB + 65536);
        if (!CHECK(strstr(situ_error_message(), "made to fill the memory"))) printf("  %s: %s\n", reader[i].name, situ_error_message());
        CHECK_CODE(SITU_BAD_FORMAT);
        unsetenv("SITU_UNPACKED");
        situ_memory_limit(situ_cpu(), before + 2 * MIB);
        reader[i].read(3 * MIB);
        if (!CHECK_CODE(SITU_DEVICE_MEMORY)) printf("  %s\n", reader[i].name);
        situ_memory_limit(situ_cpu(), 0);
        CHECK_EQ(in_use(), before);
    }
}

TEST(a_small_image_of_many_pixels_is_refused)
{
    /* The header of 16,384 by 16,384 pixels, and nothing else. */
    static unsigned char png[] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10, 0, 0, 0, 13, 'I', 'H', 'D', 'R', 0, 0, 0x40, 0, 0, 0, 0x40, 0, 8, 2, 0, 0, 0, 0, 0, 0, 0,
                                  0, 0, 0, 0, 'I', 'D', 'A', 'T', 0x35, 0xaf, 0x06, 0x1e};
    uint32_t crc = crc_of(png + 12, 0, 17);
    for (int i = 0; i < 4; i++) png[29 + i] = (unsigned char)(crc >> (24 - 8 * i));
    char path[512];
    mkdir(test_path("large"), 0700);
    mkdir(test_path("large/one"), 0700);
    snprintf(path, sizeof path, "%s", test_path("large/one/1.png"));
    write_file(path, png, sizeof png);
    CHECK(!situ_image_folder(test_path("large")));
    situ_error e;
    situ_error_take(&e);
    if (e.code == SITU_NO_LIBRARY) SKIP("no libpng in this machine");
    CHECK(e.code == SITU_BAD_FORMAT && strstr(e.message, "made to fill the memory"));
}

/* Blocks of every size are counted as they come and go, and those who watch the peak see them. */
TEST(unpacked_blocks_count_as_tensors_do)
{
    situ_dev *d = situ_dev_open(situ_cpu(), NULL);
    int64_t live = d->pages->live, in_use = situ_pages_in_use(d);
    situ_peak peak;
    situ_peak_watch(d, &peak);
    void *none = situ_counted_resize(NULL, 0, true, "none"), *some = situ_counted_resize(NULL, MIB, true, "some");
    CHECK_EQ(d->pages->live, live + 2);
    some = situ_counted_resize(some, 3 * MIB, true, "some");
    CHECK_EQ(situ_pages_in_use(d), in_use + 3 * MIB);
    some = situ_counted_resize(some, 0, true, "some");
    CHECK_EQ(situ_pages_in_use(d), in_use);
    situ_counted_free(some);
    situ_counted_free(none);
    CHECK_EQ(situ_peak_bytes(d, &peak), in_use + 3 * MIB);
    CHECK_EQ(d->pages->live, live);
    situ_peak_leave(d, &peak);
}
