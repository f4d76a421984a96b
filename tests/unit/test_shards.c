/* Tensors in several files: what is written, what is left of what was there, and what cannot be written. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <situ.h>

#include "base/memory.h"
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

/* The sum of all values there. */
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

TEST(shards_have_an_index_and_are_read_as_one)
{
    const char *folder = folder_of("shards"), *path = path_in(folder, "net.safetensors");
    situ_scope *scope = situ_scope_open();
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
    situ_scope_close(scope);
    CHECK_OK();
}

TEST(a_network_is_written_in_shards)
{
    const char *folder = folder_of("network"), *path = path_in(folder, "net.safetensors");
    situ_scope *scope = situ_scope_open();
    situ_module *net = situ_sequential(situ_linear_layer(5, .in = 3), situ_linear_layer(2, .in = 5)),
                *other = situ_sequential(situ_linear_layer(5), situ_linear_layer(2));
    CHECK_EQ(situ_module_save(net, path, .shard_bytes = 1), 0);
    CHECK(strstr(listed(folder), "net-00004-of-00004.safetensors net.safetensors.index.json"));
    CHECK_EQ(situ_module_load(other, path), 4);
    situ_tensor *x = situ_ones(SHAPE(1, 3));
    CHECK_NEAR(situ_item(situ_max(situ_abs(situ_sub(situ_module_call(net, x), situ_module_call(other, x))))), 0, 0);
    situ_module_free(net);
    situ_module_free(other);
    situ_scope_close(scope);
    CHECK_OK();
}

TEST(shards_take_the_place_of_what_was_there)
{
    const char *folder = folder_of("replaced"), *path = path_in(folder, "net.safetensors");
    situ_scope *scope = situ_scope_open();
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
    situ_scope_close(scope);
    CHECK_OK();
}

TEST(what_fails_leaves_the_shards_that_were_there)
{
    const char *folder = folder_of("failed"), *path = path_in(folder, "net.safetensors");
    char before[600];
    situ_scope *scope = situ_scope_open();
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
        CHECK(rc ? struck && code == SITU_NO_MEMORY && rc == -code : !code); /* plans are made without some of it */
        CHECK_STR(listed(folder), before);
        if (!struck) break;
    }
    CHECK_NEAR(sum(path), 11, 0);
    situ_scope_close(scope);
    CHECK_OK();
}

TEST(shards_that_cannot_be_are_refused)
{
    situ_scope *scope = situ_scope_open();
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
    CHECK(situ_save("/nowhere/x.safetensors", TENSORS(x, x), .names = "a,b", .shard_bytes = 4) < 0);
    CHECK_CODE(SITU_IO);
    CHECK(situ_save(test_path("refused.safetensors"), TENSORS(x, situ_cast(x, SITU_C128)), .names = "a,b", .shard_bytes = 4) < 0);
    CHECK_CODE(SITU_BAD_DTYPE);
    CHECK(!strstr(listed(test_path("")), "refused-0"));
    situ_scope_close(scope);
    CHECK_OK();
}
