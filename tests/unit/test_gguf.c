/* Files of GGUF: what is in them, values in blocks, broken and hostile files. tests/release/gguf_values.py compares
 * with the package gguf. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "base/memory.h"
#include "file/gguf.h"
#include "support/each_allocation.h"
#include "test.h"

/* ---- a small writer ------------------------------------------------------------------------------------------------------------- */

typedef struct bytes {
    uint8_t at[8192];
    size_t size;
} bytes;

static void put(bytes *b, const void *data, size_t size)
{
    memcpy(b->at + b->size, data, size);
    b->size += size;
}
static void put_32(bytes *b, uint32_t v) { put(b, &v, 4); }
static void put_64(bytes *b, uint64_t v) { put(b, &v, 8); }
static void put_text(bytes *b, const char *text) { put_64(b, strlen(text)), put(b, text, strlen(text)); }
static void put_key(bytes *b, const char *key, uint32_t type) { put_text(b, key), put_32(b, type); }
static void begin(bytes *b, uint64_t tensors, uint64_t keys)
{
    b->size = 0;
    put(b, "GGUF", 4), put_32(b, 3), put_64(b, tensors), put_64(b, keys);
}
static void put_tensor(bytes *b, const char *name, int ndim, const uint64_t *dim, uint32_t type, uint64_t offset)
{
    put_text(b, name), put_32(b, (uint32_t)ndim);
    for (int i = 0; i < ndim; i++) put_64(b, dim[i]);
    put_32(b, type), put_64(b, offset);
}
static void align(bytes *b, size_t unit)
{
    while (b->size % unit) b->at[b->size++] = 0;
}

static situ_archive *opened(const bytes *b)
{
    const char *path = test_path("x.gguf");
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(b->at, 1, b->size, f) == b->size);
    if (f) fclose(f);
    return situ_archive_open(path);
}

/* The message; "" if it opens. */
static const char *message(const bytes *b)
{
    static situ_error error;
    error = (situ_error){.code = 0};
    situ_archive *a = opened(b);
    situ_error_take(&error);
    CHECK((a == NULL) == (error.code != 0));
    situ_archive_close(a);
    return error.code ? error.message : "";
}

/* Two tensors and metadata of several kinds. */
static void make_small(bytes *b)
{
    begin(b, 2, 6);
    put_key(b, "general.alignment", SITU_GGUF_U32), put_32(b, 16);
    put_key(b, "name", SITU_GGUF_TEXT), put_text(b, "a \"b\"");
    put_key(b, "texts", SITU_GGUF_LIST), put_32(b, SITU_GGUF_TEXT), put_64(b, 3);
    put_text(b, "x,y"), put_64(b, 3), put(b, "a\0b", 3), put_text(b, "");
    put_key(b, "whole", SITU_GGUF_I8), put(b, "\xfe", 1);
    put_key(b, "half", SITU_GGUF_F32), put(b, &(float){0.5f}, 4);
    put_key(b, "deep", SITU_GGUF_LIST), put_32(b, SITU_GGUF_LIST), put_64(b, 2);
    put_32(b, SITU_GGUF_BOOL), put_64(b, 3), put(b, "\1\0\1", 3), put_32(b, SITU_GGUF_U16), put_64(b, 0);
    put_tensor(b, "w", 2, (uint64_t[]){3, 2}, 0, 0);
    put_tensor(b, "q", 2, (uint64_t[]){32, 1}, 8, 32);
    align(b, 16);
    put(b, ((float[]){1, 2, 3, 4, 5, 6}), 24);
    align(b, 16);
    put(b, "\x00\x38", 2); /* a scale of 0.5 */
    for (int i = 0; i < 32; i++) b->at[b->size++] = (uint8_t)(i - 16);
}

TEST_IN_SCOPE(reads_names_shapes_values_and_metadata)
{
    bytes b;
    make_small(&b);
    situ_archive *a = opened(&b);
    if (!CHECK(a)) return;
    CHECK_EQ(situ_archive_count(a), 2);
    CHECK_STR(situ_archive_type(a, 1), "Q8_0");
    CHECK_EQ(situ_archive_bytes(a, 1), 34);
    situ_shape s = situ_archive_shape(a, 0);
    CHECK(s.ndim == 2 && s.dim[0] == 2 && s.dim[1] == 3);
    float value[32];
    CHECK_EQ(situ_read(situ_archive_get(a, "w"), value, 24), 0);
    CHECK_NEAR(value[3], 4, 0);
    CHECK_EQ(situ_read(situ_archive_get(a, "q"), value, sizeof value), 0);
    CHECK_NEAR(value[3], -6.5, 0);
    CHECK_EQ(situ_dtype_of(situ_archive_get(a, "q", .dtype = SITU_F16)), SITU_F16);
    CHECK_STR(situ_archive_metadata(a, "name"), "a \"b\"");
    CHECK_STR(situ_archive_metadata(a, "texts"), "[string x 3]");
    CHECK_STR(situ_archive_metadata(a, "whole"), "-2");
    CHECK_STR(situ_archive_metadata(a, "half"), "0.5");
    CHECK_STR(situ_archive_metadata(a, "deep"), "[list x 2]");
    situ_gguf_items v;
    const char *text;
    size_t size;
    int64_t whole;
    double number;
    CHECK(situ_gguf_find(a, "texts", &v) && v.list && v.count == 3 && !situ_gguf_number(&v, &number) && !situ_gguf_integer(&v, &whole));
    CHECK(situ_gguf_text(&v, &text, &size) && size == 3 && !memcmp(text, "x,y", 3));
    CHECK(situ_gguf_text(&v, &text, &size) && size == 3 && !memcmp(text, "a\0b", 3));
    CHECK(situ_gguf_text(&v, &text, &size) && size == 0);
    CHECK(!situ_gguf_text(&v, &text, &size));
    CHECK(situ_gguf_find(a, "whole", &v) && !v.list && situ_gguf_integer(&v, &whole) && whole == -2 && !situ_gguf_integer(&v, &whole));
    CHECK(situ_gguf_find(a, "half", &v) && !situ_gguf_integer(&v, &whole) && situ_gguf_number(&v, &number) && number == 0.5);
    CHECK(!situ_gguf_find(a, "none", &v));
    CHECK_NEAR(situ_gguf_value(a, "half", 7), 0.5, 0);
    CHECK_NEAR(situ_gguf_value(a, "name", 7), 7, 0);
    CHECK_NEAR(situ_gguf_value(a, "none", 7), 7, 0);
    situ_archive_close(a);
}

TEST(blocks_of_every_type_come_out)
{
    /* what gguf.quants.dequantize of the package gguf 0.19 gives for blocks of the bytes 37 i + 11 with scales of 0.75
     * and 0.0625 (Q8_1, Q8_K: their description's formula): values 0, 1, 17, 31, the last one, and the sum of i *
     * value */
    static const struct {
        const char *name;
        int scale, least;
        double value[5], sum;
    } known[] = {
        {"Q4_0", 0, -1, {-2.25, 1.5, -0.75, 0.0, 0.0}, -372.75},
        {"Q4_1", 0, 2, {11.3125, 3.0625, 9.0625, 9.0625, 9.0625}, 2834.5},
        {"Q5_0", 0, -1, {6.75, -1.5, 0.0, 0.75, 0.75}, 72.75},
        {"Q5_1", 0, 2, {14.3125, 18.0625, 3.8125, 3.8125, 3.8125}, 5578.0},
        {"Q8_0", 0, -1, {63.75, 91.5, -40.5, -36.0, -36.0}, -5928.0},
        {"Q2_K", 80, 82, {24.75, 0.0, -0.1875, -0.1875, 4.3125}, 252580.75},
        {"Q3_K", 108, -1, {60.75, -81.0, 96.0, 48.0, 31.5}, 132140.25},
        {"Q4_K", 0, 2, {252.5625, -3.1875, -3.1875, 136.3125, 47.3125}, 5933480.0},
        {"Q5_K", 0, 2, {624.5625, -3.1875, -3.1875, 136.3125, 92.3125}, 12228104.0},
        {"Q6_K", 208, -1, {-1073.25, 1272.0, 384.0, -72.0, -45.0}, 584856.0},
        {"Q8_1", 0, 2, {-72.75, -45.0, 15.0, 19.5, 19.5}, -5088.0},
        {"Q8_K", 0, -1, {-72.75, -45.0, 15.0, 19.5, 91.5}, 34176.0},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        int at = 0;
        while (strcmp(situ_blocks[at].name, known[k].name)) at++;
        const situ_block *block = &situ_blocks[at];
        bytes b;
        begin(&b, 1, 0);
        put_tensor(&b, "x", 1, (uint64_t[]){2 * (uint64_t)block->values}, (uint32_t)block->number, 0);
        align(&b, 32);
        for (int copy = 0; copy < 2; copy++) {
            uint8_t *p = b.at + b.size;
            for (int i = 0; i < block->bytes; i++) p[i] = (uint8_t)(37 * i + 11);
            memcpy(p + known[k].scale, "\x00\x3a", 2);
            if (known[k].least >= 0) memcpy(p + known[k].least, "\x00\x2c", 2);
            if (!strcmp(block->name, "Q8_K")) memcpy(p, &(float){0.75f}, 4);
            b.size += (size_t)block->bytes;
        }
        situ_archive *a = opened(&b);
        if (!CHECK(a)) return;
        situ_scope *scope = situ_scope_open();
        float value[512];
        CHECK_EQ(situ_read(situ_archive_get(a, "x"), value, (size_t)block->values * 2 * sizeof *value), 0);
        const int n = block->values, places[] = {0, 1, 17, 31, n - 1};
        double sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i * (double)value[i];
            CHECK(value[i] == value[n + i]);
        }
        for (int i = 0; i < 5; i++) CHECK_NEAR(value[places[i]], known[k].value[i], 0);
        CHECK_NEAR(sum, known[k].sum, 0);
        situ_scope_close(scope);
        situ_archive_close(a);
    }
}

/* Whatever opens can be read. */
static void read_all(situ_archive *a)
{
    situ_scope *scope = situ_scope_open();
    for (int64_t i = 0; i < situ_archive_count(a); i++) {
        situ_tensor *t = situ_archive_get(a, situ_archive_name(a, i));
        if (!situ_failed()) situ_wait(t);
        situ_error_take(NULL);
    }
    situ_scope_close(scope);
    situ_archive_close(a);
}

TEST(a_cut_or_changed_file_is_refused_or_whole)
{
    bytes whole, b;
    make_small(&whole);
    for (b = whole; b.size-- > 0;) {
        CHECK(!opened(&b) && situ_failed() == SITU_BAD_FORMAT);
        situ_error_take(NULL);
    }
    for (size_t i = 0; i < whole.size - 34; i++)
        for (int flip = 1; flip < 256; flip += i < 24 ? 5 : 61) {
            b = whole;
            b.at[i] = (uint8_t)(b.at[i] ^ flip);
            situ_archive *a = opened(&b);
            CHECK(a || situ_failed() == SITU_BAD_FORMAT);
            situ_error_take(NULL);
            if (a) read_all(a);
        }
}

#define REFUSED(words) CHECK(strstr(message(&b), words))

TEST(hostile_counts_and_keys_are_refused)
{
    bytes b;
    begin(&b, 0, 0);
    CHECK_STR(message(&b), "");
    b.at[4] = 2;
    CHECK_STR(message(&b), "");
    b.at[4] = 1;
    REFUSED("version 1 is not read; 2 and 3 are");
    memcpy(b.at + 4, "\0\0\0\3", 4);
    REFUSED("version 3 in big-endian order is not read");
    begin(&b, UINT64_MAX, 1);
    REFUSED("18446744073709551615 tensors and 1 keys are promised, for which it is too short");
    begin(&b, 0, UINT64_MAX / 4);
    REFUSED("keys are promised");
    begin(&b, 0, 1), put_key(&b, "", SITU_GGUF_U8), put_32(&b, 0);
    REFUSED("a name is empty");
    begin(&b, 0, 1), put_64(&b, UINT64_MAX - 7), put_64(&b, 0);
    REFUSED("it ends too early");
    begin(&b, 0, 1), put_64(&b, 3), put(&b, "a\0b", 3), put_32(&b, SITU_GGUF_U8), put(&b, "\1", 1);
    REFUSED("a zero in it");
    begin(&b, 0, 1), put_key(&b, "k", 13), put_64(&b, 0);
    REFUSED("a value is of an unknown type, at the value of \"k\"");
    begin(&b, 0, 1), put_key(&b, "k", SITU_GGUF_BOOL), put(&b, "\2", 1);
    REFUSED("a bool is neither 0 nor 1");
    begin(&b, 0, 1), put_key(&b, "k", SITU_GGUF_TEXT), put_64(&b, 1u << 30);
    REFUSED("it ends too early, at the value of \"k\"");
    begin(&b, 0, 1), put_key(&b, "k", SITU_GGUF_LIST), put_32(&b, SITU_GGUF_F64), put_64(&b, UINT64_MAX / 8 + 2);
    REFUSED("a list goes beyond its end");
    begin(&b, 0, 1), put_key(&b, "k", SITU_GGUF_LIST), put_32(&b, SITU_GGUF_TEXT), put_64(&b, UINT64_MAX);
    REFUSED("a list goes beyond its end");
    begin(&b, 0, 1), put_key(&b, "k", SITU_GGUF_LIST);
    for (int i = 0; i < 20; i++) put_32(&b, SITU_GGUF_LIST), put_64(&b, 1);
    REFUSED("more than 8 deep");
    begin(&b, 0, 2), put_key(&b, "k", SITU_GGUF_U8), put(&b, "\1", 1), put_key(&b, "k", SITU_GGUF_U16), put(&b, "\1", 2);
    REFUSED("the key \"k\" is there twice");
    begin(&b, 0, 1), put_key(&b, "general.alignment", SITU_GGUF_U32), put_32(&b, 12);
    REFUSED("general.alignment is no u32 that is a multiple of 8");
    begin(&b, 0, 1), put_key(&b, "general.alignment", SITU_GGUF_U64), put_64(&b, 32);
    REFUSED("general.alignment is no u32");
    b.size = 0, put(&b, "GGML", 4);
    REFUSED("is no file of tensors that is known");
}

TEST(hostile_tensors_are_refused)
{
    bytes b;
#define ONE(ndim, type, offset, room, ...) \
    begin(&b, 1, 0), put_tensor(&b, "x", ndim, (uint64_t[]){__VA_ARGS__}, type, offset), align(&b, 32), b.size += room
    memset(b.at, 0, sizeof b.at);
    ONE(0, 0, 0, 4, 0);
    CHECK_STR(message(&b), "");
    ONE(2, 0, 0, 0, 5, 0);
    CHECK_STR(message(&b), "");
    ONE(1, 23, 0, 136, 256); /* no values, but it can be listed */
    situ_archive *a = opened(&b);
    CHECK(!a || (situ_archive_get(a, "x"), strstr(situ_error_message(), "holds IQ4_XS, for which there is no dtype")));
    situ_error_take(NULL);
    situ_archive_close(a);
    ONE(9, 0, 0, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    REFUSED("\"x\" has more than 8 dimensions");
    ONE(1, 0, 0, 4, UINT64_MAX);
    REFUSED("\"x\" has a dimension beyond 2^63");
    ONE(2, 0, 0, 4, 1ull << 33, 1ull << 33);
    REFUSED("\"x\" is too large");
    ONE(1, 2, 0, 18, 1ull << 62);
    REFUSED("\"x\" is too large");
    ONE(1, 4, 0, 4, 1);
    REFUSED("\"x\" is of an unknown type");
    ONE(1, 2, 0, 18, 33);
    REFUSED("\"x\" has rows that are no whole number of blocks");
    ONE(0, 2, 0, 18, 0);
    REFUSED("no whole number of blocks");
    ONE(1, 0, 8, 40, 1);
    REFUSED("the values of \"x\" are not at a multiple of the alignment");
    ONE(1, 0, 32, 32, 1);
    REFUSED("the values of \"x\" go beyond the end of the file");
    ONE(1, 0, UINT64_MAX - 31, 32, 1);
    REFUSED("go beyond the end of the file");
    for (int twin = 0; twin < 2; twin++) {
        begin(&b, 2, 0);
        put_tensor(&b, "x", 1, (uint64_t[]){9}, 0, 0);
        put_tensor(&b, twin ? "x" : "y", 1, (uint64_t[]){9}, 0, twin ? 64 : 32);
        align(&b, 32);
        b.size += 100;
        REFUSED(twin ? "\"x\" is there twice" : "the values of \"y\" overlap another's");
    }
}

TEST(no_memory_is_a_clean_error)
{
    bytes b;
    make_small(&b);
    for (failing f = {0}; fails_next(&f);) {
        situ_archive *a = opened(&b);
        fails_end(&f, a != NULL);
        situ_archive_close(a);
    }
}
