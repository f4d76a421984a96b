/* Tuning files: what they say is done, the same bits in every run; those that are damaged or another machine's are not
 * used. */
#include "test.h"

#include <situ.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/cpu/gemm/gemm.h"
#include "backend/cpu/gemm/tuning.h"

/* A file with this machine's head and then `rest`. */
static const char *file_with(const char *rest)
{
    const char *path = test_path("tuning");
    char machine[256];
    situ_tuning_machine(machine, sizeof machine);
    FILE *f = fopen(path, "w");
    if (CHECK(f)) {
        fprintf(f, "situ tuning 1\nmachine %s\n%s", machine, rest);
        fclose(f);
    }
    return path;
}

TEST(the_nearest_size_within_a_factor_of_2)
{
    situ_tuning_use(file_with("f32 100 100 100 blis # own 50 blis 60\n# a remark\n\nf32 256 784 256 own\nf64 64 64 64 openblas\nend 3\n"));
    CHECK(strstr(situ_tuning(), ": 3 sizes"));
    CHECK_EQ(situ_tuning_find(SITU_GEMM_F32, 100, 100, 100), SITU_BLAS_BLIS);
    CHECK_EQ(situ_tuning_find(SITU_GEMM_F32, 200, 60, 100), SITU_BLAS_BLIS);
    CHECK_EQ(situ_tuning_find(SITU_GEMM_F32, 201, 100, 100), -1);
    CHECK_EQ(situ_tuning_find(SITU_GEMM_F32, 100, 49, 100), -1);
    CHECK_EQ(situ_tuning_find(SITU_GEMM_F32, 256, 500, 256), SITU_BLAS_OWN);
    CHECK_EQ(situ_tuning_find(SITU_GEMM_F64, 100, 100, 100), SITU_BLAS_OPENBLAS);
    CHECK_EQ(situ_tuning_find(SITU_GEMM_F64, 1000, 100, 100), -1);
    situ_tuning_use(NULL);
}

TEST(files_that_are_not_used_and_why)
{
    static const struct { const char *rest, *why; } bad[] = {
        {"f32 100 100 100 blis\n", "line 3: the end is missing"},
        {"f32 100 100 100 blis\nend 2\n", "line 4: lines are missing"},
        {"f32 100 100 100 blis\nend 1\nmore\n", "line 5: there is more behind the end"},
        {"f16 100 100 100 blis\nend 1\n", "line 3: the dtype must be f32 or f64"},
        {"f32 100 0 100 blis\nend 1\n", "line 3: sizes are from 1"},
        {"f32 100 99999999999999999999 100 blis\nend 1\n", "line 3: sizes are from 1"},
        {"f32 100 100 100 cublas\nend 1\n", "line 3: the name must be own, onednn"},
        {"f32 100 100 blis\nend 1\n", "line 3: a line is a dtype"},
        {"f32 100 100 100 blis mkl\nend 1\n", "line 3: a line is a dtype"},
        {"f32 100 100 100 blis\nend", "line 4: the line is cut off"},
        {"", "line 2: the end is missing"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        situ_tuning_use(file_with(bad[i].rest));
        if (!CHECK(strstr(situ_tuning(), bad[i].why))) fprintf(stderr, "%s\n", situ_tuning());
        CHECK(strstr(situ_tuning(), "is not used"));
        CHECK_EQ(situ_tuning_find(SITU_GEMM_F32, 100, 100, 100), -1);
    }
    const char *path = test_path("foreign");
    FILE *f = fopen(path, "w");
    if (!CHECK(f)) return;
    fputs("situ tuning 1\nmachine avx2 A Processor of Somebody Else\nf32 100 100 100 blis\nend 1\n", f);
    fclose(f);
    situ_tuning_use(path);
    CHECK(strstr(situ_tuning(), "line 2: it was written on another machine"));
    CHECK_EQ(situ_tuning_find(SITU_GEMM_F32, 100, 100, 100), -1);
    situ_tuning_use(test_path("none"));
    CHECK(strstr(situ_tuning(), "no tuning file: "));
    situ_tuning_use("/");
    CHECK(strstr(situ_tuning(), "is not used"));
    CHECK_OK();
    situ_tuning_use(NULL);
}

/* Bits of products of several shapes. */
static void products(float *out)
{
    static const int64_t sides[] = {24, 60, 150, 200};
    situ_scope *scope = situ_scope_open();
    for (int i = 0; i < 4; i++) {
        int64_t n = sides[i];
        situ_tensor *x = situ_add(situ_fmod(situ_reshape(situ_arange(0, (double)(n * n), 1, .dtype = SITU_F32), SHAPE(n, n)), 7.3), -3);
        situ_read(situ_matmul(x, situ_sin(x)), out, (size_t)(n * n) * sizeof *out);
        out += n * n;
    }
    situ_scope_close(scope);
}

TEST(the_same_bits_in_every_run_with_and_without_a_file)
{
    enum { COUNT = 24 * 24 + 60 * 60 + 150 * 150 + 200 * 200 };
    static const char *const rests[] = {NULL, "f32 24 24 24 openblas\nf32 150 150 150 blis\nend 2\n", "f32 150 150 150 own\nend 1\n",
                                        "f32 24 24 24 onednn\nf32 60 60 60 blis\nf32 200 200 200 openblas\nend 3\n"};
    float *first = malloc(COUNT * sizeof *first), *again = malloc(COUNT * sizeof *again), *plain = malloc(COUNT * sizeof *plain);
    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
        situ_tuning_use(rests[i] ? file_with(rests[i]) : test_path("none"));
        products(first);
        if (!i) memcpy(plain, first, COUNT * sizeof *plain);
        for (int threads = 1; threads <= 2; threads++) {
            situ_set_threads(threads);
            products(again);
            CHECK(!memcmp(first, again, COUNT * sizeof *first));
        }
        situ_set_threads(0);
        for (int k = 0; k < COUNT; k++)
            if (!CHECK_NEAR(first[k], plain[k], 1e-2)) break;
        if (i == 2 && situ_blas_default() == SITU_BLAS_OWN) CHECK(!memcmp(first, plain, COUNT * sizeof *first));
    }
    free(first);
    free(again);
    free(plain);
    CHECK_OK();
    situ_tuning_use(NULL);
}

/* Devices and pipes are neither read, which might wait, nor replaced; links are followed. */
TEST(only_regular_files)
{
    const situ_tune_size small = {8, 8, 8, SITU_F32};
    char pipe_path[512], link_path[512], target[512];
    snprintf(pipe_path, sizeof pipe_path, "%s", test_path("pipe"));
    snprintf(link_path, sizeof link_path, "%s", test_path("link"));
    snprintf(target, sizeof target, "%s", file_with("end 0\n"));
    remove(pipe_path), remove(link_path);
    struct stat found;
    if (!CHECK(!mkfifo(pipe_path, 0600) && !symlink(target, link_path))) return;
    const char *const no_files[] = {pipe_path, "/dev/null"};
    for (int i = 0; i < 2; i++) {
        situ_tuning_use(no_files[i]);
        CHECK(strstr(situ_tuning(), "is not used: it is no regular file"));
        CHECK_FAILS(SITU_IO, situ_tune(no_files[i], .sizes = &small, .count = 1, .seconds = 0), "is no regular file");
        CHECK(!lstat(no_files[i], &found) && !S_ISREG(found.st_mode));
    }
    CHECK_EQ(situ_tune(link_path, .sizes = &small, .count = 1, .seconds = 0), 0);
    CHECK(!lstat(link_path, &found) && S_ISLNK(found.st_mode));
    situ_tuning_use(target);
    CHECK(strstr(situ_tuning(), ": 1 sizes"));
    remove(pipe_path), remove(link_path);
    CHECK_OK();
    situ_tuning_use(NULL);
}

static void count(void *self, const situ_tune_result *r)
{
    int *seen = self;
    ++*seen;
    CHECK_EQ(r->at, *seen);
    CHECK_EQ(r->of, 2);
    CHECK(r->count >= 1 && r->chosen >= 0 && r->chosen < r->count);
    CHECK_STR(r->name[0], "own");
    for (int i = 0; i < r->count; i++) CHECK(r->rate[i] > 0);
}

TEST(what_is_written_is_read)
{
    const situ_tune_size sizes[] = {{16, 17, 18, SITU_F32}, {40, 30, 20, SITU_F64}};
    const char *path = test_path("written");
    int seen = 0;
    CHECK_EQ(situ_tune(path, .sizes = sizes, .count = 2, .seconds = 0, .progress = count, .self = &seen), 0);
    CHECK_EQ(seen, 2);
    situ_tuning_use(path);
    if (!CHECK(strstr(situ_tuning(), ": 2 sizes"))) fprintf(stderr, "%s\n", situ_tuning());
    CHECK(situ_tuning_find(SITU_GEMM_F32, 16, 17, 18) >= 0);
    CHECK(situ_tuning_find(SITU_GEMM_F64, 40, 30, 20) >= 0);
    CHECK_OK();
    situ_tuning_use(NULL);
}

TEST(tuning_that_is_refused)
{
    const situ_tune_size wrong = {1, 10, 10, SITU_F32}, half = {10, 10, 10, SITU_F16};
    CHECK_FAILS(SITU_BAD_OPTION, situ_tune(test_path("x"), .sizes = &wrong, .count = 1), "m and n are from 2");
    CHECK(situ_tune(test_path("x"), .sizes = &half, .count = 1) < 0);
    situ_error_take(NULL);
    CHECK_FAILS(SITU_BAD_OPTION, situ_tune(test_path("x"), .seconds = -1), "seconds");
    const situ_tune_size small = {8, 8, 8, SITU_F32};
    CHECK_FAILS(SITU_IO, situ_tune("/dev/null/tuning", .sizes = &small, .count = 1, .seconds = 0), "/dev/null/tuning: ");
}
