/* NumPy's files as archives: what is written comes back, names with commas, files that are cut or changed. tests/binding/files.py
 * compares with NumPy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <situ.h>

#include "test.h"

static bool same_values(situ_tensor *a, situ_tensor *b)
{
    return situ_dtype_of(a) == situ_dtype_of(b) && situ_ndim(a) == situ_ndim(b) && situ_item_int(situ_array_equal(a, b));
}

TEST(arrays_of_every_dtype_go_to_npz_and_back)
{
    situ_scope *scope = situ_scope_open();
    const char *path = test_path("all.npz");
    situ_tensor *t[SITU_DTYPES];
    char name[16];
    int n = 0;
    for (int d = 1; d < SITU_DTYPES; d++) {
        if (d == SITU_BF16) continue;
        snprintf(name, sizeof name, "a,%d", d);
        t[n++] = situ_name(situ_cast(situ_reshape(situ_arange(0, 6, 1), SHAPE(2, 3)), (situ_dtype)d), name);
    }
    CHECK_EQ(situ_save(path, TENSORS_OF(t, n)), 0);
    for (int map = 0; map < 2; map++) {
        situ_archive *a = situ_archive_open(path, .map = map);
        CHECK_EQ(situ_archive_count(a), n);
        for (int i = 0; i < n; i++) CHECK(same_values(t[i], situ_archive_get(a, situ_name_of(t[i]))));
        situ_archive_close(a);
    }
    CHECK_EQ(situ_save(path, TENSORS(t[0], t[1]), .names = "x\\,y,back\\\\slash"), 0);
    situ_archive *a = situ_archive_open(path);
    CHECK(same_values(t[0], situ_archive_get(a, "x,y")) && same_values(t[1], situ_archive_get(a, "back\\slash")));
    situ_archive_close(a);
    CHECK_EQ(situ_save(test_path("one.npy"), TENSORS(situ_transpose(t[5]))), 0);
    a = situ_archive_open(test_path("one.npy"));
    CHECK(same_values(situ_transpose(t[5]), situ_archive_get(a, NULL)));
    situ_archive_close(a);
    CHECK(situ_save(path, TENSORS(situ_cast(t[5], SITU_BF16)), .names = "b") < 0);
    CHECK_CODE(SITU_BAD_DTYPE);
    CHECK(situ_save(test_path("one.npy"), TENSORS(t[0], t[1])) < 0);
    CHECK_CODE(SITU_BAD_ARGUMENT);
    CHECK(situ_save(path, TENSORS(t[0]), .names = "b", .metadata = "a=b") < 0);
    CHECK_CODE(SITU_BAD_OPTION);
    situ_scope_close(scope);
    CHECK_OK();
}

TEST(a_file_npz_may_have_more_arrays_than_16_bits_count)
{
    enum { MANY = 70000 };
    situ_scope *scope = situ_scope_open();
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
    situ_scope_close(scope);
    CHECK_OK();
}

/* Opens and reads all of it; how many arrays were right, -1: it was refused. */
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

TEST(a_file_npz_that_is_cut_or_changed_is_refused_or_whole)
{
    situ_scope *scope = situ_scope_open();
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
    for (size_t i = 0; i < 2 * size; i++) { /* shorter ones, then a byte that is another one */
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
    if (!CHECK(refused > (int)size + 150)) fprintf(stderr, "%d of %zu\n", refused, size); /* of the others padding or values are changed */
    situ_scope_close(scope);
    CHECK_OK();
}
