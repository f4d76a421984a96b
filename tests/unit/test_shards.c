/* Tensors in several files: what is written, what happens to existing files, and failures. */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <situ.h>

#include "base/memory.h"
#include "support/files.h"
#include "test.h"

static const char *path_in(const char *folder, const char *name)
{
    static char path[4][4200];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

/* The names in a folder, in order, with blanks behind each. */
static const char *listed(const char *folder)
{
    static char text[2000];
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, alphasort);
    text[0] = 0;
    for (int i = 0; i < n; i++) {
        size_t used = strlen(text);
        if (entry[i]->d_name[0] != '.') snprintf(text + used, sizeof text - used, "%s ", entry[i]->d_name);
        free(entry[i]);
    }
    if (n >= 0) free(entry);
    return text;
}

static const char *folder_of(const char *name)
{
    const char *folder = test_path(name);
    CHECK(!mkdir(folder, 0755));
    return folder;
}

/* Five tensors of 8, 4, 24, 4 and 2 bytes, all of this value. */
static int save(const char *path, double value, int64_t shard_bytes)
{
    situ_tensor *t[] = {situ_full(SHAPE(2), value, .dtype = SITU_F32), situ_full(SHAPE(), value, .dtype = SITU_F32),
        situ_full(SHAPE(3, 1), value, .dtype = SITU_F64), situ_full(SHAPE(4), value, .dtype = SITU_U8), situ_full(SHAPE(1), value, .dtype = SITU_F16)};
    return situ_save(path, TENSORS_OF(t, 5), .names = "e,d,c,b,a", .metadata = "format=pt\nmade by=a test", .shard_bytes = shard_bytes);
}

/* The sum of all values in the file. */
static double sum(const char *path)
{
    double all = 0;
    situ_scope *scope = situ_scope_open();
    situ_archive *a = situ_archive_open(path);
    for (int64_t i = 0; a && i < situ_archive_count(a); i++)
        all += situ_item(situ_sum(situ_archive_get(a, situ_archive_name(a, i), .dtype = SITU_F64)));
    situ_archive_close(a);
    situ_scope_close(scope);
    return all;
}

TEST_IN_SCOPE(shards_have_an_index_and_are_read_as_one)
{
    const char *folder = folder_of("shards"), *path = path_in(folder, "net.safetensors");
    CHECK_EQ(save(path, 3, 12), 0); /* the third one is larger than that */
    CHECK_STR(listed(folder), "net-00001-of-00003.safetensors net-00002-of-00003.safetensors net-00003-of-00003.safetensors "
                              "net.safetensors.index.json ");
    char text[1000] = "";
    FILE *f = fopen(path_in(folder, "net.safetensors.index.json"), "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = 0;
    CHECK_STR(text, "{\n  \"metadata\": {\"total_size\": 42},\n  \"weight_map\": {"
                    "\n    \"e\": \"net-00001-of-00003.safetensors\",\n    \"d\": \"net-00001-of-00003.safetensors\","
                    "\n    \"c\": \"net-00002-of-00003.safetensors\",\n    \"b\": \"net-00003-of-00003.safetensors\","
                    "\n    \"a\": \"net-00003-of-00003.safetensors\"\n  }\n}\n");
    situ_archive *a = situ_archive_open(path);
    CHECK_EQ(situ_archive_count(a), 5);
    CHECK_EQ(situ_archive_metadata_count(a), 2);
    CHECK_STR(situ_archive_metadata(a, "made by"), "a test");
    CHECK_EQ(situ_dtype_of(situ_archive_get(a, "a")), SITU_F16);
    situ_archive_close(a);
    CHECK_NEAR(sum(path), 3 * 11, 0);
    CHECK_NEAR(sum(path_in(folder, "net.safetensors.index.json")), 3 * 11, 0);
    CHECK_NEAR(sum(path_in(folder, "net-00002-of-00003.safetensors")), 3 * 3, 0);
}

TEST_IN_SCOPE(a_network_is_written_in_shards)
{
    const char *folder = folder_of("network"), *path = path_in(folder, "net.safetensors");
    situ_module *net = situ_sequential(situ_linear_layer(5, .in = 3), situ_linear_layer(2, .in = 5)),
                *other = situ_sequential(situ_linear_layer(5), situ_linear_layer(2));
    CHECK_EQ(situ_module_save(net, path, .shard_bytes = 1), 0);
    CHECK(strstr(listed(folder), "net-00004-of-00004.safetensors net.safetensors.index.json"));
    CHECK_EQ(situ_module_load(other, path), 4);
    situ_tensor *x = situ_ones(SHAPE(1, 3));
    CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(situ_module_call(net, x), situ_module_call(other, x))))), 0, 0);
    situ_module_free(net);
    situ_module_free(other);
}

TEST_IN_SCOPE(shards_take_the_place_of_what_was_there)
{
    const char *folder = folder_of("replaced"), *path = path_in(folder, "net.safetensors");
    CHECK_EQ(save(path, 1, 0), 0);
    CHECK_EQ(save(path_in(folder, "net-2.safetensors"), 5, 12), 0); /* others, whose names look alike */
    FILE *f = fopen(path_in(folder, "net-00001-of-00009.txt"), "w");
    if (CHECK(f != NULL)) fclose(f);
    const char *others = "net-00001-of-00009.txt net-2-00001-of-00003.safetensors net-2-00002-of-00003.safetensors "
                         "net-2-00003-of-00003.safetensors net-2.safetensors.index.json ";
    char want[600];
    CHECK_EQ(save(path, 2, 1), 0);
    CHECK_NEAR(sum(path), 2 * 11, 0);
    CHECK(access(path, F_OK));
    CHECK_EQ(save(path, 3, 32), 0); /* 2 instead of 5 */
    CHECK_NEAR(sum(path), 3 * 11, 0);
    CHECK(strstr(listed(folder), "net-00001-of-00002.safetensors net-00001-of-00009.txt net-00002-of-00002.safetensors net-2-00001"));
    CHECK(!strstr(listed(folder), "-of-00005"));
    CHECK_EQ(save(path, 4, 42), 0); /* all of it fits into one file */
    CHECK_NEAR(sum(path), 4 * 11, 0);
    snprintf(want, sizeof want, "%snet.safetensors ", others);
    CHECK_STR(listed(folder), want);
    CHECK_NEAR(sum(path_in(folder, "net-2.safetensors")), 5 * 11, 0);
}

TEST_IN_SCOPE(what_fails_leaves_the_shards_that_were_there)
{
    const char *folder = folder_of("failed"), *path = path_in(folder, "net.safetensors");
    char before[600];
    CHECK_EQ(save(path, 1, 12), 0);
    CHECK(!mkdir(path_in(folder, "net-00002-of-00005.safetensors"), 0755));
    snprintf(before, sizeof before, "%s", listed(folder));
    CHECK(save(path, 2, 1) < 0 && strstr(situ_error_message(), "net-00002-of-00005.safetensors: Is a directory"));
    CHECK_CODE(SITU_IO);
    CHECK_STR(listed(folder), before);
    CHECK_NEAR(sum(path), 11, 0);
    struct rlimit old, small;
    CHECK(!getrlimit(RLIMIT_FSIZE, &old));
    small = old;
    small.rlim_cur = 250; /* a shard fits, the index does not */
    CHECK(!setrlimit(RLIMIT_FSIZE, &small));
    int rc = save(path, 2, 12);
    setrlimit(RLIMIT_FSIZE, &old);
    CHECK(rc < 0 && strstr(situ_error_message(), "File too large"));
    CHECK_CODE(SITU_IO);
    CHECK_STR(listed(folder), before);
    CHECK_NEAR(sum(path), 11, 0);
    for (int k = 1; k < 500; k++) {
        situ_test_fail_alloc(k);
        rc = save(path, 1, 12);
        bool struck = situ_test_fail_struck();
        situ_test_fail_alloc(-1);
        int code = situ_error_take(NULL);
        CHECK(rc ? struck && (code == SITU_NO_MEMORY || code == SITU_DEVICE_MEMORY) && rc == -code : !code); /* plans are made without some of it */
        CHECK_STR(listed(folder), before);
        if (!struck) break;
    }
    CHECK_NEAR(sum(path), 11, 0);
}

static _Atomic int writing, writers;

static void *write_often(void *path)
{
    int first = 100 * ++writers;
    for (int i = 0; i < 50; i++) {
        situ_scope *scope = situ_scope_open();
        CHECK_EQ(save(path, first + i, 12), 0);
        situ_scope_close(scope);
    }
    writing--;
    CHECK_OK();
    return NULL;
}

/* 11 times the value that all tensors have; -1: the files are missing or being replaced. */
static double one_value(const char *path)
{
    double v = -1;
    situ_scope *scope = situ_scope_open();
    situ_archive *a = situ_archive_open(path, .map = false);
    for (int64_t i = 0; a && i < situ_archive_count(a); i++) {
        situ_tensor *t = situ_archive_get(a, situ_archive_name(a, i), .dtype = SITU_F64);
        CHECK(v == -1 || v == situ_item(situ_max(t)));
        v = situ_item(situ_max(t));
    }
    situ_archive_close(a);
    CHECK(a ? !situ_failed() : situ_error_take(NULL) == SITU_IO);
    situ_scope_close(scope);
    return v;
}

TEST(shards_of_two_writers_are_never_mixed)
{
    static char path[4200];
    snprintf(path, sizeof path, "%s", path_in(folder_of("two"), "net.safetensors"));
    pthread_t writer[2];
    int seen = 0;
    writing = 2;
    for (int i = 0; i < 2; i++) CHECK(!pthread_create(&writer[i], NULL, write_often, path));
    while (writing) seen += one_value(path) > 0;
    for (int i = 0; i < 2; i++) pthread_join(writer[i], NULL);
    CHECK(seen > 0 && one_value(path) > 0);
    CHECK_STR(listed(test_path("two")), "net-00001-of-00003.safetensors net-00002-of-00003.safetensors net-00003-of-00003.safetensors "
                                        "net.safetensors.index.json ");
}

TEST_IN_SCOPE(errors_of_a_shard_name_it)
{
    const char *folder = folder_of("wrong_shard"), *path = path_in(folder, "net.safetensors");
    char shard[4200];
    snprintf(shard, sizeof shard, "%s", path_in(folder, "net-00002-of-00003.safetensors"));
    static const char cut[] = "\x02\0\0\0\0\0\0\0{}+", zip[] = "PK\3\4 and so on", lfs[] = "version https://git-lfs.github.com/spec/v1\n";
    const struct {
        const char *bytes, *words, *alone; /* alone: of a file that is no shard */
        size_t size;
    } cases[] = {{"", "is no file of safetensors; it is empty", "that is known; it is empty", 0},
        {cut, "1 bytes follow the last", "1 bytes follow the last", sizeof cut - 1},
        {cut, "the file is cut, or was not downloaded whole", "the file is cut, or was not downloaded whole", 9},
        {zip, "as PyTorch writes: save the state_dict", "as a zip archive has", sizeof zip - 1},
        {lfs, "`git lfs pull` brings the file", "`git lfs pull` brings the file", sizeof lfs - 1},
        {"\x89HDF\r\n", "as Keras writes", "as Keras writes", 6}, {"<!DOCTYPE html>", "a page of the web", "a page of the web", 15}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_EQ(save(path, 3, 12), 0);
        write_file(shard, cases[i].bytes, cases[i].size);
        CHECK(!situ_archive_open(path));
        if (!CHECK(strstr(situ_error_message(), "net-00002-of-00003.safetensors") && strstr(situ_error_message(), cases[i].words)))
            printf("%s\n", situ_error_message());
        CHECK_CODE(SITU_BAD_FORMAT);
        write_file(path, cases[i].bytes, cases[i].size);
        CHECK(!situ_archive_open(path));
        if (!CHECK(strstr(situ_error_message(), cases[i].alone))) printf("%s\n", situ_error_message());
        situ_error_take(NULL);
        unlink(path);
    }
    CHECK_EQ(save(path, 3, 12), 0);
    CHECK(!unlink(shard) && !mkfifo(shard, 0644)); /* nobody waits for what a pipe may have */
    CHECK_FAILS(SITU_IO, situ_archive_open(path), "net.safetensors.index.json needs: it is no regular file");
    CHECK(!unlink(shard));
    CHECK_FAILS(SITU_IO, situ_archive_open(path), "net.safetensors.index.json needs: No such file");
}

TEST_IN_SCOPE(shards_that_cannot_be_are_refused)
{
    const struct {
        const char *path, *words;
        int64_t bytes;
    } cases[] = {{"refused.npz", "for files that end in \".safetensors\"", 8}, {"refused", "for files that end in \".safetensors\"", 8},
        {".safetensors", "for files that end in \".safetensors\"", 8}, {"refused.safetensors", "at least 0", -1},
        {"refused.gguf", "refused.gguf: files that end in \".safetensors\" (or have no such end), \".npz\" and \".npy\" are written", 0},
        {"refused.safetensors.index.json", "are written", 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = test_path(cases[i].path);
        CHECK(save(path, 1, cases[i].bytes) < 0);
        if (!CHECK(strstr(situ_error_message(), cases[i].words))) printf("%s\n", situ_error_message());
        situ_error_take(NULL);
        CHECK(access(path, F_OK));
    }
    situ_tensor *x = situ_ones(SHAPE(1));
    CHECK(situ_save(test_path("refused.safetensors"), TENSORS(x, x), .names = "a,a", .shard_bytes = 4) < 0 &&
        strstr(situ_error_message(), "two tensors are named \"a\""));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    CHECK_FAILS(SITU_IO, situ_save("/nowhere/x.safetensors", TENSORS(x, x), .names = "a,b", .shard_bytes = 4),
                "make its folder first");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_save(test_path("\xff.safetensors"), TENSORS(x, x), .names = "a,b", .shard_bytes = 4),
                "this name is not UTF-8");
    CHECK(situ_save(test_path("refused.safetensors"), TENSORS(x, situ_cast(x, SITU_C128)), .names = "a,b", .shard_bytes = 4) < 0);
    CHECK_CODE(SITU_BAD_DTYPE);
    CHECK(!strstr(listed(test_path("")), "refused-0"));
}
