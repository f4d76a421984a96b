/* NCCL, on the fake one of tests/fakecuda: each rank is a process of its own with one fake card. */
#include "support/fake_library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backend/cuda/kernel.h"
#include "device/device.h"
#include "backend/cuda/nccl.h"
#include "os/wait.h"

static int rank, ranks;
static situ_dev *card;
static char why[1000];

/* True in each of `count` processes, which have rank, ranks and card; else starts them. */
static bool on_ranks(const char *name, int count, const char *more)
{
    char command[6000], path[200];
    pid_t child[8];
    if (getenv("SITU_TEST_AGAIN")) {
        rank = atoi(getenv("TEST_RANK"));
        ranks = count;
        card = situ_dev_open(situ_gpu(0), NULL); /* opens the driver, too */
        *(void **)&violations = fake_cuda_symbol("fakecuda_violations");
        *(void **)&living = fake_cuda_symbol("fakecuda_live");
        *(void **)&fail_call = fake_cuda_symbol("fakecuda_fail");
        *(void **)&calls_of = fake_cuda_symbol("fakecuda_calls");
        return CHECK(card);
    }
    const char *folder = fake_cuda_folder();
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s-%d-%d", test_path("ranks"), (int)getpid(), i);
        snprintf(command, sizeof command,
            "SITU_TEST_AGAIN=1 SITU_SIM_GPUS=0 SITU_LIBCUDA='%s/libcuda.so.1' SITU_NVRTC='%s/libnvrtc.so' SITU_NVML='%s/libnvidia-ml.so' "
            "SITU_CUBLASLT=none SITU_CUDNN=none SITU_NCCL='%s/libnccl.so' FAKECUDA_CACHE='%s' FAKECUDA_DEVICES=1 FAKECUDA_MEMORY=256 "
            "XDG_CACHE_HOME='%s' TEST_RANK=%d TEST_IDENTITY='%s' %s exec %s nccl/%s >'%s' 2>&1",
            folder, folder, folder, folder, fake_cuda_cache(), test_path("cache"), i, test_path("identity"), more, test_self(), name, path);
        child[i] = fork();
        if (!child[i]) execl("/bin/sh", "sh", "-c", command, (char *)NULL), _exit(127);
    }
    for (int i = 0; i < count; i++) {
        int status = -1;
        waitpid(child[i], &status, 0);
        if (CHECK_EQ(status, 0)) continue;
        snprintf(command, sizeof command, "sed 's/^/  %d| /' '%s-%d-%d'", i, test_path("ranks"), (int)getpid(), i);
        if (system(command)) printf("  of rank %d nothing\n", i);
    }
    unlink(test_path("identity"));
    return false;
}

/* The ranks exchange NCCL's identifier through a file. */
static situ_nccl *open_ranks(double deadline)
{
    char identity[SITU_NCCL_IDENTITY] = "", path[1000], part[1010];
    snprintf(path, sizeof path, "%s", getenv("TEST_IDENTITY"));
    snprintf(part, sizeof part, "%s.part", path);
    if (!rank) {
        if (!CHECK_EQ(situ_nccl_identify(identity, why, sizeof why), 0)) return printf("  %s\n", why), NULL;
        FILE *f = fopen(part, "w");
        fwrite(identity, 1, sizeof identity, f);
        fclose(f);
        rename(part, path);
    } else {
        FILE *f = NULL;
        for (int i = 0; i < 3000 && !(f = fopen(path, "r")); i++) nanosleep(&(struct timespec){0, 10000000}, NULL);
        if (!CHECK(f && fread(identity, 1, sizeof identity, f) == sizeof identity)) return NULL;
        fclose(f);
    }
    situ_nccl *n;
    if (!CHECK_EQ(situ_nccl_open(&n, card, identity, rank, ranks, deadline, (situ_nccl_watch){0}, why, sizeof why), 0)) printf("  %s\n", why);
    return n;
}

static char *device_bytes(const void *data, size_t bytes, situ_buffer **keep)
{
    *keep = situ_buffer_new(card, bytes, NULL, NULL);
    CHECK_EQ(card->backend->upload(card, (*keep)->address, data, bytes), 0);
    return (*keep)->address;
}

static void fill(char *data, size_t bytes, int from)
{
    for (size_t i = 0; i < bytes; i++) data[i] = (char)(i * 31 + i / 251 + (size_t)from * 17);
}

/* Each sends to the next, and to the one before, in one group; pieces of many sizes. */
static void rings(situ_nccl *n)
{
    static const size_t sizes[] = {1, 5, 4096, 65536, 65537, 300001};
    static char own[300001], got[300001], want[300001];
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t bytes = sizes[k];
        situ_buffer *b[3];
        fill(own, bytes, rank);
        memset(got, 0, bytes);
        char *out = device_bytes(own, bytes, &b[0]), *in = device_bytes(got, bytes, &b[1]), *back = device_bytes(got, bytes, &b[2]);
        const situ_device_move move[] = {{next, true, out, bytes}, {before, false, in, bytes}, {before, true, out, bytes}, {next, false, back, bytes},
            {next, true, out, 0}, {before, false, in, 0}};
        if (!CHECK_EQ(situ_nccl_move(n, move, 6, why, sizeof why), 0)) printf("  %s\n", why);
        CHECK_EQ(card->backend->download(card, got, in, bytes), 0);
        fill(want, bytes, before);
        CHECK(!memcmp(got, want, bytes));
        CHECK_EQ(card->backend->download(card, got, back, bytes), 0);
        fill(want, bytes, next);
        CHECK(!memcmp(got, want, bytes));
        for (int i = 0; i < 3; i++) situ_buffer_unref(b[i]);
    }
}

static int all_reduce(situ_nccl *n, const void *in, void *out, size_t count, situ_dtype dtype, situ_group_reduction reduction)
{
    return situ_nccl_collect(n, &(const situ_nccl_call){SITU_CALL_ALL_REDUCE, in, out, count, dtype, reduction, 0}, why, sizeof why);
}

static void sums(situ_nccl *n)
{
    enum { COUNT = 30000 };
    static float f[COUNT];
    static double d[COUNT];
    static int32_t w[COUNT];
    void *data[3] = {f, d, w};
    const situ_dtype dtype[3] = {SITU_F32, SITU_F64, SITU_I32};
    for (int t = 0; t < 3; t++)
        for (int how = 0; how < (t == 2 ? 3 : 1); how++) { /* the maximum of NCCL is not situ_maximum for floats */
            const situ_group_reduction reduction[3] = {SITU_GROUP_SUM, SITU_GROUP_MAX, SITU_GROUP_MIN};
            size_t bytes = COUNT * (t == 1 ? 8 : 4);
            situ_buffer *b[2];
            for (int i = 0; i < COUNT; i++) f[i] = (float)(i % 97 + rank), d[i] = i % 97 + rank, w[i] = i % 97 + rank;
            char *in = device_bytes(data[t], bytes, &b[0]), *out = device_bytes(data[t], bytes, &b[1]);
            if (!CHECK_EQ(all_reduce(n, in, out, COUNT, dtype[t], reduction[how]), 0)) printf("  %s\n", why);
            CHECK_EQ(card->backend->download(card, data[t], out, bytes), 0);
            for (int i = 0; i < COUNT; i++) {
                double x = i % 97, want = how == 0 ? ranks * x + ranks * (ranks - 1) / 2 : how == 1 ? x + ranks - 1 : x;
                double got = t == 0 ? (double)f[i] : t == 1 ? d[i] : w[i];
                if (!CHECK(got == want)) return;
            }
            for (int i = 0; i < 2; i++) situ_buffer_unref(b[i]);
        }
    CHECK_EQ(all_reduce(n, NULL, NULL, 1, SITU_F32, SITU_GROUP_MAX), -SITU_UNSUPPORTED);
    CHECK_EQ(all_reduce(n, NULL, NULL, 1, SITU_BOOL, SITU_GROUP_SUM), -SITU_UNSUPPORTED);
    CHECK(!strcmp(why, "NCCL has no such sums of bool"));
}

static void values(void)
{
    situ_nccl *n = open_ranks(20);
    if (!n) return;
    CHECK(situ_nccl_reaches(card) && !situ_nccl_reaches(situ_dev_open(situ_cpu(), NULL)));
    rings(n);
    sums(n);
    situ_nccl_close(n);
    check_fakes_are_tidy();
}

TEST(two_cards_exchange)
{
    if (on_ranks("two_cards_exchange", 2, "")) values();
}
TEST(three_cards_exchange)
{
    if (on_ranks("three_cards_exchange", 3, "")) values();
}

/* ---- a rank that does not come ------------------------------------------------------------------------------------------ */

static int one_move(situ_nccl *n, bool out)
{
    situ_buffer *b;
    static const char data[64];
    char *at = device_bytes(data, sizeof data, &b);
    int rc = situ_nccl_move(n, &(const situ_device_move){1 - rank, out, at, sizeof data}, 1, why, sizeof why);
    if (rc) card->backend->finish(card, &(situ_fault){0}, &(int64_t){0}); /* what was aborted has ended, but nobody has waited for it */
    situ_buffer_unref(b);
    return rc;
}

TEST(a_card_that_does_not_come_ends_the_wait)
{
    if (!on_ranks("a_card_that_does_not_come_ends_the_wait", 2, "")) return;
    situ_nccl *n = open_ranks(rank ? 20 : 0.5);
    if (!n) return;
    if (rank) { /* makes no call and aborts, as every survivor does */
        nanosleep(&(struct timespec){1, 0}, NULL);
        situ_nccl_abort(n, "rank 0 is lost");
        CHECK_EQ(one_move(n, true), -SITU_RANK_LOST);
        CHECK(!strcmp(why, "rank 0 is lost"));
    } else {
        int64_t begun = situ_now();
        CHECK_EQ(one_move(n, false), -SITU_RANK_LOST);
        CHECK(situ_now() - begun < (int64_t)2e9 && strstr(why, "has not ended within 0.5 s on rank 0 of 2; another rank is lost"));
        CHECK_EQ(calls_of("ncclCommAbort"), 1);
        why[0] = 0;
        CHECK_EQ(one_move(n, false), -SITU_RANK_LOST); /* immediately, with the same message */
        CHECK(strstr(why, "has not ended within 0.5 s"));
    }
    situ_nccl_close(n);
    check_fakes_are_tidy();
}

/* NCCL's own abort may hang. */
TEST(an_abort_that_hangs_hangs_nobody)
{
    if (!on_ranks("an_abort_that_hangs_hangs_nobody", 2, "FAKENCCL_HANG=1")) return;
    situ_nccl *n = open_ranks(20);
    if (!n) return;
    int64_t begun = situ_now();
    situ_nccl_abort(n, "rank 0 is lost");
    CHECK(situ_now() - begun < (int64_t)3e9);
    CHECK_EQ(one_move(n, true), -SITU_RANK_LOST);
    situ_nccl_close(n);
}

/* The communicator of a lost card is freed at some time. */
TEST(a_lost_card_lets_its_communicator_go)
{
    if (!on_ranks("a_lost_card_lets_its_communicator_go", 1, "")) return;
    char identity[SITU_NCCL_IDENTITY];
    CHECK_EQ(situ_nccl_identify(identity, why, sizeof why), 0);
    situ_nccl *n;
    CHECK_EQ(situ_nccl_open(&n, card, identity, 0, 1, 5, (situ_nccl_watch){0}, why, sizeof why), 0);
    unlink(identity);
    if (!CHECK(n)) return;
    ((situ_cuda *)card->state)->lost = "a test";
    CHECK(situ_nccl_move(n, NULL, 0, why, sizeof why) < 0 && strstr(why, "the device is lost"));
    situ_nccl_close(n);
    CHECK_EQ(calls_of("ncclCommAbort"), 1);
}

/* A rank that ends before all have joined the communicator. */
TEST(a_card_that_never_came)
{
    if (!on_ranks("a_card_that_never_came", 1, "")) return;
    char identity[SITU_NCCL_IDENTITY];
    CHECK_EQ(situ_nccl_identify(identity, why, sizeof why), 0);
    situ_nccl *n;
    CHECK_EQ(situ_nccl_open(&n, card, identity, 0, 2, 0.3, (situ_nccl_watch){0}, why, sizeof why), -SITU_RANK_LOST);
    CHECK(!n);
    CHECK(strstr(why, "ncclCommInitRankConfig has not ended within 0.3 s on rank 0 of 2"));
    CHECK_EQ(calls_of("ncclCommAbort"), 1);
    unlink(identity);
    check_fakes_are_tidy();
}

TEST(a_lost_rank_is_told)
{
    if (!on_ranks("a_lost_rank_is_told", 2, "FAKENCCL_ERROR=40:6")) return;
    situ_nccl *n = open_ranks(20);
    if (!n) return;
    int rc = 0;
    for (int i = 0; i < 200 && !rc; i++) rc = one_move(n, rank != i % 2);
    CHECK_EQ(rc, -SITU_RANK_LOST);
    CHECK(strstr(why, "nccl") && strstr(why, ": remote process exited or there was a network error"));
    situ_nccl_close(n);
    check_fakes_are_tidy();
}

/* ---- an error of each call, in turn; a communicator of one rank needs nobody else ------------------------------------------------------ */

static int all_calls(void)
{
    char identity[SITU_NCCL_IDENTITY] = "";
    static const float data[4] = {1, 2, 3, 4};
    float got[4];
    situ_buffer *b[2];
    int rc = situ_nccl_identify(identity, why, sizeof why);
    if (rc) return rc;
    situ_nccl *n;
    rc = situ_nccl_open(&n, card, identity, 0, 1, 5, (situ_nccl_watch){0}, why, sizeof why);
    unlink(identity);
    if (!n) return rc;
    rc = situ_nccl_move(n, NULL, 0, why, sizeof why); /* before anything else uses events */
    char *in = device_bytes(data, sizeof data, &b[0]), *out = device_bytes(data, sizeof data, &b[1]);
    if (!rc) rc = all_reduce(n, in, out, 4, SITU_F32, SITU_GROUP_SUM);
    if (!rc) CHECK(!card->backend->download(card, got, out, sizeof got) && !memcmp(got, data, sizeof got));
    situ_nccl_close(n);
    for (int i = 0; i < 2; i++) situ_buffer_unref(b[i]);
    return rc;
}

TEST(an_error_of_each_call_is_told)
{
    static const char *const function[] = {"ncclGetUniqueId", "ncclCommInitRankConfig", "ncclCommGetAsyncError", "ncclGroupStart",
        "ncclGroupEnd", "ncclAllReduce", "ncclCommFinalize", "ncclCommDestroy"};
    if (!on_ranks("an_error_of_each_call_is_told", 1, "")) return;
    CHECK_EQ(all_calls(), 0);
    for (size_t i = 0; i < sizeof function / sizeof *function; i++)
        for (int nth = 1; nth <= 3; nth++) {
            bool once = strcmp(function[i], "ncclCommGetAsyncError") != 0, at_end = strstr(function[i], "Finalize") || strstr(function[i], "Destroy");
            if (once && nth > 1) break;
            fail_call(function[i], nth, 3);
            why[0] = 0;
            int rc = all_calls();
            fail_call(function[i], nth, 0);
            if (!CHECK(at_end ? !rc : rc < 0) || (!at_end && !CHECK(strstr(why, function[i]) && strstr(why, "internal error"))))
                printf("  %s, call %d: %d %s\n", function[i], nth, rc, why);
            CHECK_EQ(all_calls(), 0);
        }
    static const char *const driver[] = {"cuEventCreate", "cuEventRecord", "cuEventQuery"};
    for (int i = 0; i < 3; i++) {
        fail_call(driver[i], 1, 999);
        why[0] = 0;
        int rc = all_calls();
        fail_call(driver[i], 1, 0);
        if (!CHECK(rc < 0 && strstr(why, driver[i]))) printf("  %s: %d %s\n", driver[i], rc, why);
    }
}

/* NCCL itself, on a real card that is here: a communicator of one rank. */
TEST(one_real_card)
{
    enum { N = 100003 };
    static float data[N], got[N];
    const char *because, *real = getenv("SITU_TEST_CUDA");
    char identity[SITU_NCCL_IDENTITY];
    situ_nccl *n;
    situ_buffer *b[2];
    if (!real || strcmp(real, "real")) SKIP("SITU_TEST_CUDA=real is not set");
    if (!situ_nccl_version(&because)) SKIP(because);
    printf("  %s\n", situ_nccl_name(&because));
    card = situ_dev_open(situ_gpu(0), NULL);
    if (!CHECK(card)) return;
    int rc = situ_nccl_identify(identity, why, sizeof why);
    if (!rc) rc = situ_nccl_open(&n, card, identity, 0, 1, 20, (situ_nccl_watch){0}, why, sizeof why);
    if (!CHECK_EQ(rc, 0)) {
        printf("  %s\n", why);
        return;
    }
    for (int i = 0; i < N; i++) data[i] = (float)i / 3;
    char *in = device_bytes(data, sizeof data, &b[0]), *out = device_bytes(got, sizeof got, &b[1]);
    static const situ_call_kind kinds[] = {SITU_CALL_ALL_REDUCE, SITU_CALL_REDUCE_SCATTER, SITU_CALL_ALL_GATHER, SITU_CALL_BROADCAST};
    for (int k = 0; k < 4; k++) {
        memset(got, 0, sizeof got);
        CHECK_EQ(card->backend->upload(card, out, got, sizeof got), 0);
        if (!CHECK_EQ(situ_nccl_collect(n, &(const situ_nccl_call){kinds[k], in, out, N, SITU_F32, SITU_GROUP_SUM, 0}, why, sizeof why), 0)) printf("  %s\n", why);
        CHECK_EQ(card->backend->download(card, got, out, sizeof got), 0);
        CHECK(!memcmp(got, data, sizeof got));
    }
    CHECK_EQ(situ_nccl_move(n, NULL, 0, why, sizeof why), 0);
    situ_nccl_close(n);
    for (int i = 0; i < 2; i++) situ_buffer_unref(b[i]);
}

/* ---- the library ------------------------------------------------------------------------------------------ */

static void missing(const char *text)
{
    const char *because;
    char identity[SITU_NCCL_IDENTITY];
    CHECK(!situ_nccl_name(&because));
    if (!CHECK(strstr(because, text))) printf("  %s\n", because);
    CHECK_EQ(situ_nccl_identify(identity, why, sizeof why), -SITU_NO_LIBRARY);
    CHECK(!strcmp(why, because));
    situ_nccl *n;
    CHECK_EQ(situ_nccl_open(&n, card, identity, 0, 1, 1, (situ_nccl_watch){0}, why, sizeof why), -SITU_NO_LIBRARY);
    CHECK(!n && !strcmp(why, because));
}

TEST(what_it_says_it_is)
{
    const char *because;
    if (!on_ranks("what_it_says_it_is", 1, "FAKENCCL_VERSION=23007")) return;
    CHECK(!strcmp(situ_nccl_name(&because), "NCCL 2.30.7"));
}
TEST(an_old_one_is_refused)
{
    if (on_ranks("an_old_one_is_refused", 1, "FAKENCCL_VERSION=21003"))
        missing("NCCL 2.10 is too old: situ needs 2.14 or newer; install it, or pip install nvidia-nccl-cu12 and set SITU_NCCL to its libnccl.so.2");
}
TEST(none_is_not_there)
{
    if (on_ranks("none_is_not_there", 1, "SITU_NCCL=/nowhere/libnccl.so.2")) missing("NCCL was not found (/nowhere/libnccl.so.2");
}
TEST(none_is_wanted)
{
    if (on_ranks("none_is_wanted", 1, "SITU_NCCL=none")) missing("SITU_NCCL=none");
}
TEST(a_library_without_its_functions)
{
    if (on_ranks("a_library_without_its_functions", 1, "SITU_NCCL=libm.so.6")) missing("NCCL is too old or damaged: it lacks nccl");
}
