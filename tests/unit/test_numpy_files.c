/* NumPy's files as archives: names with commas, files that are cut or changed. tests/python/test_files.py compares
 * with NumPy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <situ.h>

#include "support/files.h"
#include "test.h"

static bool same_values(situ_tensor *a, situ_tensor *b)
{
    return situ_dtype_of(a) == situ_dtype_of(b) && situ_ndim(a) == situ_ndim(b) && situ_item_int(situ_array_equal(a, b));
}

TEST_IN_SCOPE(arrays_go_to_npz_and_back_by_any_name)
{
    const char *path = test_path("all.npz");
    situ_tensor *t[] = {situ_ones(SHAPE(2, 3)), situ_zeros(SHAPE(4), .dtype = SITU_I16)};
    situ_tensor *turned = situ_transpose(situ_reshape(situ_arange(0, 6, 1), SHAPE(2, 3)));
    CHECK_EQ(situ_save(path, TENSORS(t[0], t[1]), .names = "x\\,y,back\\\\slash"), 0);
    situ_archive *a = situ_archive_open(path);
    CHECK(same_values(t[0], situ_archive_get(a, "x,y")) && same_values(t[1], situ_archive_get(a, "back\\slash")));
    situ_archive_close(a);
    CHECK_EQ(situ_save(test_path("one.npy"), TENSORS(turned)), 0);
    a = situ_archive_open(test_path("one.npy"));
    CHECK(same_values(turned, situ_archive_get(a, NULL)));
    situ_archive_close(a);
    CHECK_FAILS(SITU_BAD_DTYPE, situ_save(path, TENSORS(situ_cast(turned, SITU_BF16)), .names = "b"));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_save(test_path("one.npy"), TENSORS(t[0], t[1])));
    CHECK_FAILS(SITU_BAD_OPTION, situ_save(path, TENSORS(t[0]), .names = "b", .metadata = "a=b"));
}

TEST_IN_SCOPE(a_file_npz_may_have_more_arrays_than_16_bits_count)
{
    enum { MANY = 70000 };
    situ_tensor **t = malloc(MANY * sizeof *t), *one = situ_ones(SHAPE(2), .dtype = SITU_U8);
    char *names = malloc(MANY * 8), *at = names;
    for (int i = 0; i < MANY; i++) t[i] = one, at += sprintf(at, i ? ",%d" : "%d", i);
    const char *path = test_path("many.npz");
    CHECK_EQ(situ_save(path, TENSORS_OF(t, MANY), .names = names), 0);
    situ_archive *a = situ_archive_open(path);
    CHECK_EQ(situ_archive_count(a), MANY);
    CHECK(same_values(one, situ_archive_get(a, "69999")));
    situ_archive_close(a);
    free(t);
    free(names);
}

/* Opens and reads everything; returns how many arrays were right, -1 if the file was refused. */
static int try_file(const char *path, situ_tensor *const *t, int n)
{
    int right = 0;
    situ_archive *a = situ_archive_open(path);
    if (!a) return situ_error_take(NULL), -1;
    for (int i = 0; i < n; i++) {
        situ_tensor *got = situ_archive_get(a, situ_name_of(t[i]));
        right += !situ_failed() && situ_ndim(got) == situ_ndim(t[i]) && situ_dtype_of(got) == situ_dtype_of(t[i]) && situ_item_int(situ_array_equal(got, t[i]));
        situ_error_take(NULL);
    }
    situ_archive_close(a);
    return right;
}

TEST_IN_SCOPE(a_file_npz_that_is_cut_or_changed_is_refused_or_whole)
{
    situ_tensor *t[2] = {situ_name(situ_arange(0, 5, 1), "first"), situ_name(situ_ones(SHAPE(2, 2), .dtype = SITU_U8), "b")};
    char path[200], other[200];
    unsigned char bytes[4096];
    snprintf(path, sizeof path, "%s", test_path("whole.npz"));
    snprintf(other, sizeof other, "%s", test_path("other.npz"));
    CHECK_EQ(situ_save(path, TENSORS_OF(t, 2)), 0);
    FILE *f = fopen(path, "r");
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    int refused = 0;
    for (size_t i = 0; i < 2 * size; i++) { /* truncated files, then files with one byte changed */
        size_t n = i < size ? i : size;
        if (i >= size) bytes[i - size] ^= 0x55;
        f = fopen(other, "w");
        fwrite(bytes, 1, n, f);
        fclose(f);
        int right = try_file(other, t, 2);
        CHECK(i < size ? right < 0 : right <= 2);
        refused += right < 0;
        if (i >= size) bytes[i - size] ^= 0x55;
    }
    if (!CHECK(refused > (int)size + 150)) fprintf(stderr, "%d of %zu\n", refused, size); /* in the others only padding
                                                                                           * or values are changed */
}

/* The file is damaged after half of its values. */
TEST_IN_SCOPE(a_network_is_loaded_as_a_whole_or_not_at_all)
{
    char path[200];
    snprintf(path, sizeof path, "%s", test_path("network.npz"));
    situ_module *net = situ_sequential(situ_linear_layer(2, .in = 3)), *other = situ_sequential(situ_linear_layer(2, .in = 3));
    situ_tensor *x = situ_ones(SHAPE(1, 3)), *before = situ_item(situ_sum(situ_module_call(net, x))) != 0 ? situ_module_call(net, x) : NULL;
    situ_module_init(other, situ_key(9));
    situ_module_call(other, x);
    CHECK_EQ(situ_module_save(other, path), 0);
    FILE *f = fopen(path, "r+");
    fseek(f, 200, SEEK_SET); /* in the values, or in what stands in front of them */
    int byte = fgetc(f);
    fseek(f, 200, SEEK_SET);
    fputc(byte ^ 1, f);
    fclose(f);
    CHECK_FAILS(SITU_BAD_FORMAT, situ_module_load(net, path));
    CHECK(before && situ_item_int(situ_array_equal(before, situ_module_call(net, x))));
    situ_module_free(net);
    situ_module_free(other);
}

TEST(archives_without_arrays_and_names_that_are_none_are_refused)
{
    static const char empty[] = "PK\3\4\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0a"
                                "PK\1\2\n\0\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0a"
                                "PK\5\6\0\0\0\0\1\0\1\0\57\0\0\0\37\0\0\0\0";
    const char *path = test_path("none.npz");
    FILE *f = fopen(path, "w");
    fwrite(empty, 1, sizeof empty, f);
    fclose(f);
    CHECK_FAILS(SITU_BAD_FORMAT, situ_archive_open(path), "a zip archive without arrays of NumPy's");
    situ_scope *scope = situ_scope_open();
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_save(path, TENSORS(situ_ones(SHAPE(1))), .names = "x/../a"));
    CHECK_EQ(situ_save(path, TENSORS(situ_ones(SHAPE(1)), situ_zeros(SHAPE(2))), .names = "z,a"), 0);
    situ_archive *a = situ_archive_open(path); /* in the order in which they were given */
    CHECK_STR(situ_archive_name(a, 0), "z");
    situ_archive_close(a);
    situ_scope_close(scope);
}

/* ---- what is there twice, contradicts, or is left over ------------------------------------------------------------------------ */

/* A .npy of version 1 with this header and so many bytes of values. */
static const char *array_file(const char *header, size_t values)
{
    unsigned char bytes[512] = "\x93NUMPY\1\0";
    size_t n = strlen(header);
    bytes[8] = (unsigned char)n;
    memcpy(bytes + 10, header, n);
    return file_of("header.npy", bytes, 10 + n + values);
}

TEST(a_header_of_an_array_says_each_thing_once_and_nothing_else)
{
    static const char *const right[] = {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }\n",
        "{\"shape\" : ( 2 ,1L) ,\"descr\":'<f4','fortran_order':True}  \n", " {'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"};
    static const char *const wrong[][2] = {
        {"{'descr': '<f4', 'fortran_order': (True), 'shape': (2, 1), }", "neither True nor False"},
        {"{'descr': '<f4', 'fortran_order': 1, 'shape': (2, 1), }", "neither True nor False"},
        {"{'descr': '<f4', 'fortran_order': Trueish, 'shape': (2, 1), }", "after a value"},
        {"{'descr': '<f4', 'fortran_order': False or True, 'shape': (2, 1), }", "after a value"},
        {"{'descr': '<f4', 'fortran_order': False, 'fortran_order': True, 'shape': (2, 1), }", "twice"},
        {"{'descr': '<f4', 'descr': '<i4', 'fortran_order': False, 'shape': (2, 1), }", "twice"},
        {"{'shape': (1, 2), 'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }", "twice"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), 'more': 1}", "other than"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), } + {}", "after its end"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1) + (), }", "after a value"},
        {"{'descr': '<f4' 'x', 'fortran_order': False, 'shape': (2, 1), }", "after a value"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2), }", "without dtype or shape"},
        {"{'descr': '<f4', 'shape': (2, 1), }", "without dtype or shape"}, {"('descr', '<f4')", "no dict"}};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        situ_archive *a = situ_archive_open(array_file(right[i], 8));
        CHECK(a && situ_archive_count(a) == 1);
        situ_archive_close(a);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(!situ_archive_open(array_file(wrong[i][0], 8)));
        if (!CHECK(strstr(situ_error_message(), wrong[i][1]))) printf("  %s: %s\n", wrong[i][0], situ_error_message());
        CHECK_CODE(SITU_BAD_FORMAT);
    }
}

static size_t bytes_of(const char *path, unsigned char *bytes, size_t most)
{
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(bytes, 1, most, f) : 0;
    if (f) fclose(f);
    return n;
}

static void refuse_zip(const void *bytes, size_t size, const char *words)
{
    CHECK(!situ_archive_open(file_of("left.npz", bytes, size)));
    if (!CHECK(strstr(situ_error_message(), words))) printf("  %s\n", situ_error_message());
    CHECK_CODE(SITU_BAD_FORMAT);
}

/* The directory of a ZIP archive must list everything in it, and agree with the members' own headers. */
TEST_IN_SCOPE(a_directory_that_leaves_something_out_is_refused)
{
    unsigned char b[4096], c[8192];
    const char *path = test_path("two.npz");
    CHECK_EQ(situ_save(path, TENSORS(situ_name(situ_ones(SHAPE(3)), "a"), situ_name(situ_zeros(SHAPE(3)), "b"))), 0);
    size_t n = bytes_of(path, b, sizeof b), end = n - 22, at = b[end + 16] + 256u * b[end + 17], size = b[end + 12] + 256u * b[end + 13];
    CHECK(n > 200 && b[end] == 'P' && b[end + 10] == 2 && at + size == end);
    situ_archive *a = situ_archive_open(path);
    CHECK(a && situ_archive_count(a) == 2);
    situ_archive_close(a);
    /* the directory claims 0 members: with their entries, and without */
    memcpy(c, b, n);
    c[end + 8] = c[end + 10] = 0;
    refuse_zip(c, n, "its directory does not name");
    memcpy(c + at, c + end, 22);
    memset(c + at + 12, 0, 4);
    refuse_zip(c, at + 22, "its directory does not name");
    /* the two counts differ; a member's size or checksum differs */
    memcpy(c, b, n);
    c[end + 8] = 1;
    refuse_zip(c, n, "it has no directory");
    static const int places[] = {14, 18, 22};
    for (int i = 0; i < 3; i++) {
        memcpy(c, b, n);
        c[places[i]] ^= 1;
        refuse_zip(c, n, "than the directory says");
    }
    /* the directory omits the second member, or the first */
    for (int left = 0; left < 2; left++) {
        size_t one = size / 2, from = at + (left ? one : 0);
        memcpy(c, b, at);
        memcpy(c + at, b + from, one);
        memcpy(c + at + one, b + end, 22);
        unsigned char *last = c + at + one;
        last[8] = last[10] = 1;
        last[12] = (unsigned char)one, last[13] = 0;
        refuse_zip(c, at + one + 22, "its directory does not name");
    }
}
