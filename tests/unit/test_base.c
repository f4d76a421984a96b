/* Memory, arenas, the hash, run-time libraries, instruction sets, CPU limits, waking and fork. */
#include "test.h"

#include "base/arena.h"
#include "os/machine.h"
#include "device/device.h"
#include "os/fp.h"
#include "base/hash.h"
#include "base/isa.h"
#include "os/library.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "support/child.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST(memory_counts_live_blocks)
{
    int64_t before = situ_test_live_blocks();
    char *a = situ_malloc(10), *b = situ_calloc(3, 5), *c = situ_aligned_alloc(4096, 1), *d = situ_malloc(0);
    CHECK(a && b && c && d);
    CHECK_EQ(situ_test_live_blocks() - before, 4);
    CHECK_EQ((uintptr_t)c % 4096, 0);
    for (int i = 0; i < 15; i++) CHECK_EQ(b[i], 0);
    strcpy(a, "nine char");
    a = situ_realloc(a, 100000);
    CHECK_STR(a, "nine char");
    d = situ_realloc(d, 0);
    CHECK_EQ(situ_test_live_blocks() - before, 4);
    situ_free(a);
    situ_free(b);
    situ_aligned_free(c);
    situ_free(d);
    situ_free(NULL);
    situ_aligned_free(NULL);
    CHECK_EQ(situ_test_live_blocks(), before);
}

TEST(memory_refuses_sizes_that_overflow)
{
    CHECK(!situ_calloc(SIZE_MAX / 2, 3));
    CHECK(!situ_aligned_alloc(24, 1)); /* not a power of two */
    CHECK(!situ_strdup(NULL));
}

TEST(memory_fails_when_asked)
{
    situ_test_fail_alloc(2);
    void *a = situ_malloc(1);
    CHECK(a != NULL);
    CHECK(!situ_test_fail_struck());
    CHECK(!situ_realloc(a, 2));
    CHECK(situ_test_fail_struck());
    void *b = situ_calloc(1, 1);
    CHECK(b != NULL);
    situ_free(a);
    situ_free(b);
    situ_test_fail_alloc(-1);
    CHECK(situ_test_fail_struck()); /* of the failure that was last asked for */
    situ_test_fail_alloc(1);
    CHECK(!situ_test_fail_struck());
    situ_test_fail_alloc(-1);
}

typedef struct host {
    int calls, alive;
} host;

static void *host_allocate(void *self, size_t size)
{
    ((host *)self)->calls++;
    ((host *)self)->alive++;
    return malloc(size);
}

static void *host_resize(void *self, void *block, size_t size)
{
    ((host *)self)->calls++;
    return realloc(block, size);
}

static void host_release(void *self, void *block)
{
    ((host *)self)->alive--;
    free(block);
}

/* Runs in a child, because other tests may have left allocated memory. */
static int with_host_allocator(void)
{
    host h = {0, 0};
    situ_allocator given = {&h, host_allocate, host_resize, host_release};
    if (situ_set_allocator(&given)) return 1;
    char *a = situ_calloc(100, 3), *b = situ_aligned_alloc(1 << 16, 100), *c = situ_strdup("text");
    for (int i = 0; i < 300; i++)
        if (a[i]) return 2;
    if ((uintptr_t)b % (1 << 16) || strcmp(c, "text")) return 3;
    memset(b, 1, 100);
    c = situ_realloc(c, 1000);
    if (strcmp(c, "text") || h.alive != 3 || h.calls != 4) return 4;
    if (!situ_set_allocator(NULL) || situ_error_take(NULL) != SITU_BAD_ARGUMENT) return 5; /* refused while memory is allocated */
    situ_free(a);
    situ_aligned_free(b);
    situ_free(c);
    if (h.alive) return 6;
    situ_allocator bad = {NULL, host_allocate, NULL, host_release};
    if (!situ_set_allocator(&bad) || situ_error_take(NULL) != SITU_BAD_ARGUMENT) return 7;
    return situ_set_allocator(NULL) ? 8 : 0;
}

TEST(memory_comes_from_the_host)
{
    if (situ_test_live_blocks()) SKIP("the library holds memory from earlier tests");
    CHECK_EQ(with_host_allocator(), 0);
}

TEST(arena_gives_aligned_memory_and_takes_it_back)
{
    int64_t before = situ_test_live_blocks();
    situ_chunk_cache cache = {0};
    situ_arena arena;
    situ_arena_init(&arena, &cache);
    CHECK(situ_arena_alloc(&arena, 0) != NULL);
    for (int turn = 0; turn < 3; turn++) {
        char *last = NULL;
        for (int i = 1; i < 3000; i++) {
            char *p = situ_arena_alloc(&arena, (size_t)i);
            if (!CHECK(p && p != last && (uintptr_t)p % 16 == 0)) return;
            memset(p, i, (size_t)i);
            last = p;
        }
        char *large = situ_arena_alloc(&arena, 5 << 20);
        CHECK(large != NULL);
        if (large) memset(large, 1, 5 << 20);
        situ_arena_reset(&arena);
        CHECK_EQ(arena.bytes, (64 << 10) - sizeof(situ_chunk));
        CHECK(cache.bytes <= SITU_CHUNK_CACHE);
    }
    CHECK(!situ_arena_alloc(&arena, SIZE_MAX));
    CHECK(!situ_arena_alloc(&arena, SIZE_MAX / 2 + 1));
    situ_arena_free(&arena);
    situ_chunk_cache_free(&cache);
    CHECK_EQ(situ_test_live_blocks(), before);
}

TEST(arena_survives_a_failed_allocation)
{
    situ_arena arena;
    situ_arena_init(&arena, NULL);
    situ_test_fail_alloc(1);
    CHECK(!situ_arena_alloc(&arena, 8));
    CHECK(situ_arena_alloc(&arena, 8) != NULL);
    situ_arena_free(&arena);
}

static situ_hash hash_of(const uint64_t *words, int n)
{
    situ_hash h = situ_hash_start(0);
    for (int i = 0; i < n; i++) situ_hash_word(&h, words[i]);
    return situ_hash_end(&h);
}

/* Each flipped input bit flips each output bit in about half of all cases. */
TEST(hash_has_avalanche)
{
    enum { TRIES = 200, BITS = 192 };
    static int flips[BITS][128];
    memset(flips, 0, sizeof flips);
    uint64_t random = 88172645463325252u;
    for (int t = 0; t < TRIES; t++) {
        uint64_t words[3];
        for (int i = 0; i < 3; i++) words[i] = t < 50 ? (uint64_t)(t + i) : (random = situ_mix64(random + 1));
        situ_hash a = hash_of(words, 3);
        for (int bit = 0; bit < BITS; bit++) {
            words[bit / 64] ^= (uint64_t)1 << bit % 64;
            situ_hash b = hash_of(words, 3);
            words[bit / 64] ^= (uint64_t)1 << bit % 64;
            for (int o = 0; o < 64; o++) {
                flips[bit][o] += (int)((a.a ^ b.a) >> o & 1);
                flips[bit][64 + o] += (int)((a.b ^ b.b) >> o & 1);
            }
        }
    }
    for (int bit = 0; bit < BITS; bit++) /* 200 tries: standard deviation 7.1; six of these are 42 */
        for (int o = 0; o < 128; o++)
            if (!CHECK(abs(flips[bit][o] - TRIES / 2) < 45)) return;
}

static int by_value(const void *a, const void *b) { return memcmp(a, b, sizeof(situ_hash)); }

/* Small structured inputs, like graphs: no two of 2^17 inputs agree even in one 64-bit lane. */
TEST(hash_keeps_small_inputs_apart)
{
    enum { N = 1 << 17 };
    situ_hash *list = malloc(N * sizeof *list);
    if (!CHECK(list != NULL)) return;
    int n = 0;
    for (uint64_t a = 0; a < 32; a++)
        for (uint64_t b = 0; b < 64; b++)
            for (uint64_t c = 0; c < 64; c++) list[n++] = hash_of((uint64_t[]){a, b << 32, c << 58 | c}, 3);
    qsort(list, N, sizeof *list, by_value);
    for (int i = 1; i < N; i++) CHECK(list[i].a != list[i - 1].a && list[i].b != list[i - 1].b);
    free(list);
}

TEST(hash_depends_on_length_order_and_seed)
{
    situ_hash h[6];
    h[0] = hash_of((uint64_t[]){0}, 1);
    h[1] = hash_of((uint64_t[]){0, 0}, 2);
    h[2] = hash_of((uint64_t[]){1, 2}, 2);
    h[3] = hash_of((uint64_t[]){2, 1}, 2);
    h[4] = situ_hash_start(0);
    h[4] = situ_hash_end(&h[4]);
    h[5] = situ_hash_start(1);
    h[5] = situ_hash_end(&h[5]);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < i; k++) CHECK(!situ_hash_equal(h[i], h[k]));
    situ_hash bytes[20];
    for (int n = 0; n < 20; n++) { /* zeros of each length differ */
        bytes[n] = situ_hash_start(0);
        situ_hash_bytes(&bytes[n], "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", (size_t)n);
        situ_hash_end(&bytes[n]);
        for (int k = 0; k < n; k++) CHECK(!situ_hash_equal(bytes[n], bytes[k]));
    }
}

TEST(library_says_why_it_did_not_open)
{
    char reason[256];
    const char *const none[] = {"libsitu-no-such-library.so.7", "libsitu-nor-this.so", NULL};
    CHECK(!situ_library_open(none, reason, sizeof reason));
    CHECK(strstr(reason, "libsitu-no-such-library.so.7") != NULL);
    CHECK(strstr(reason, "libsitu-nor-this.so") != NULL);
    char tiny[10];
    CHECK(!situ_library_open(none, tiny, sizeof tiny));
    CHECK(strlen(tiny) < sizeof tiny);
    CHECK(!situ_library_open(none, NULL, 0));
    char folder[1024];
    /* sanitizers define strlen themselves, in the program */
    CHECK(situ_library_path((const void *)&getpid, folder, sizeof folder) && folder[0] == '/' && strstr(folder, ".so"));
    CHECK(!situ_library_path((const void *)&getpid, folder, 2));
}

TEST(library_fills_a_table)
{
    struct {
        double (*cosine)(double);
        void (*none)(void);
    } table;
    const situ_symbol list[] = {{"cos", 0, false}, {"situ_no_such_function", sizeof(void *), true}, {NULL, 0, false}};
    const situ_symbol strict[] = {
        {"cos", 0, false}, {"situ_no_such_function", sizeof(void *), false}, {NULL, 0, false}};
    char reason[256];
    void *math = situ_library_open((const char *const[]){"libsitu-none.so", "libm.so.6", "libm.so", NULL}, reason,
                                   sizeof reason);
    if (!math) SKIP("no libm of that name");
    CHECK_EQ(situ_library_symbols(math, list, &table, reason, sizeof reason), 0);
    CHECK(table.cosine && !table.none);
    CHECK_NEAR(table.cosine(0), 1, 0);
    CHECK_EQ(situ_library_symbols(math, strict, &table, reason, sizeof reason), -1);
    CHECK_STR(reason, "situ_no_such_function");
    situ_library_close(math);
}

TEST(isa_can_be_limited)
{
    situ_isa best = situ_isa_get();
    situ_isa_limit(SITU_ISA_BASELINE);
    CHECK_EQ(situ_isa_get(), SITU_ISA_BASELINE);
    situ_isa_limit(SITU_ISA_AVX512);
    CHECK_EQ(situ_isa_get(), best);
    CHECK_STR(situ_isa_name(SITU_ISA_BASELINE), "baseline");
    CHECK_EQ(situ_isa_of(situ_isa_name(best)), best);
    CHECK_EQ(situ_isa_of("amx"), SITU_ISA_AMX);
    CHECK_EQ(situ_isa_of("avx1"), -1);
    CHECK_STR(situ_isa_name((situ_isa)9), "?");
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!CHECK(file != NULL)) return;
    fputs(text, file);
    fclose(file);
}

/* Makes a fake /sys/fs/cgroup; `root` gets its path. files: paths and contents. */
static void make_groups(char root[512], const char *at, const char *const *folders, int nfolders, const char *const (*files)[2], size_t nfiles)
{
    char path[600];
    snprintf(root, 512, "%s", at);
    mkdir(root, 0700);
    for (int i = 0; i < nfolders; i++) {
        snprintf(path, sizeof path, "%s/%s", root, folders[i]);
        mkdir(path, 0700);
    }
    for (size_t i = 0; i < nfiles; i++) {
        snprintf(path, sizeof path, "%s/%s", root, files[i][0]);
        write_text(path, files[i][1]);
    }
}

TEST(cpus_follow_control_groups)
{
#if !defined(__linux__) || defined(SITU_PORTABLE)
    SKIP("control groups are Linux's");
#endif
    const char *folders[] = {"a", "a/b", "cpu", "cpu/x"};
    const char *const files[][2] = {{"a/cpu.max", "350000 100000\n"},       {"a/b/cpu.max", "max 100000\n"},
                                    {"cpu/x/cpu.cfs_quota_us", "150000\n"}, {"cpu/x/cpu.cfs_period_us", "100000\n"},
                                    {"cpu/cpu.cfs_quota_us", "-1\n"},       {"cpu/cpu.cfs_period_us", "100000\n"}};
    char root[512];
    make_groups(root, test_path("cgroup"), folders, 4, files, sizeof files / sizeof *files);
    const char *const cases[][2] = {{"0::/a/b\n", "4"},
                                    {"0::/a\n", "4"},
                                    {"0::/\n", "0"},
                                    {"0::/elsewhere/c\n", "0"},
                                    {"4:cpu,cpuacct:/x\n", "2"},
                                    {"3:cpuset:/x\n", "0"},
                                    {"4:cpuacct,cpu:/x\n0::/a/b\n", "2"},
                                    {"nonsense\n:\n", "0"}};
    for (int i = 0; i < 8; i++) {
        const char *self = test_path("self");
        write_text(self, cases[i][0]);
        CHECK_EQ(situ_cgroup_cpus(self, root), atoi(cases[i][1]));
    }
    CHECK_EQ(situ_cgroup_cpus(test_path("absent"), root), 0);
    CHECK(situ_cpus() >= 1);
}

/* Memory that other processes of the group, or of groups above, use is not available. Pages of files do not count,
 * because they are reclaimed on demand. */
TEST(what_others_in_a_control_group_have_is_not_allowed)
{
#if !defined(__linux__) || defined(SITU_PORTABLE)
    SKIP("control groups are Linux's");
#endif
    const char *folders[] = {"a", "a/b", "full", "memory", "memory/x"};
    const char *const files[][2] = {{"a/memory.max", "1000000\n"},       {"a/memory.current", "700000\n"},
                                    {"a/memory.stat", "anon 1\ninactive_file 50000\nactive_file 50000\n"},
                                    {"a/b/memory.max", "900000\n"},      {"a/b/memory.current", "100000\n"},
                                    {"full/memory.max", "max\n"},        {"full/memory.high", "160000\n"},
                                    {"full/memory.current", "500000\n"}, {"memory/x/memory.limit_in_bytes", "1000000\n"},
                                    {"memory/x/memory.usage_in_bytes", "400000\n"},
                                    {"memory/x/memory.stat", "inactive_file 399999\ntotal_inactive_file 100000\ntotal_active_file 0\n"}};
    char root[512];
    make_groups(root, test_path("shared"), folders, 5, files, sizeof files / sizeof *files);
    const struct { const char *self; int64_t resident, left; } cases[] = {
        {"0::/a/b\n", -1, 900000}, {"0::/a/b\n", 100000, 500000}, {"0::/a\n", 600000, 1000000}, {"0::/a\n", 0, 400000},
        {"0::/full\n", 100000, 10000}, {"5:memory:/x\n", 50000, 750000}, {"5:memory:/x\n", -1, 1000000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(test_path("self"), cases[i].self);
        CHECK_EQ(situ_cgroup_memory(test_path("self"), root, cases[i].resident), cases[i].left);
    }
}

TEST(memory_follows_control_groups)
{
#if !defined(__linux__) || defined(SITU_PORTABLE)
    SKIP("control groups are Linux's");
#endif
    const char *folders[] = {"a", "a/b", "memory", "memory/x"};
    const char *const files[][2] = {{"a/memory.max", "1073741824\n"},
                                    {"a/b/memory.max", "max\n"},
                                    {"memory/x/memory.limit_in_bytes", "536870912\n"},
                                    {"memory/memory.limit_in_bytes", "9223372036854771712\n"}};
    char root[512];
    make_groups(root, test_path("groups"), folders, 4, files, sizeof files / sizeof *files);
    const struct { const char *self; int64_t bytes; } cases[] = {
        {"0::/a/b\n", 1 << 30}, {"0::/\n", 0}, {"0::/elsewhere\n", 0}, {"9:memory:/x\n", 1 << 29}, {"9:memory:/\n", 0}, {"4:cpu:/x\n", 0},
        {"9:memory:/x\n0::/a\n", 1 << 29}};
    for (int i = 0; i < 7; i++) {
        const char *self = test_path("self");
        write_text(self, cases[i].self);
        CHECK_EQ(situ_cgroup_memory(self, root, -1), cases[i].bytes);
    }
    CHECK_EQ(situ_cgroup_memory(test_path("absent"), root, -1), 0);
    /* many long names before the one that matters */
    char *many = malloc(20000);
    size_t used = 0;
    for (int i = 0; i < 60; i++) used += (size_t)snprintf(many + used, 20000 - used, "%d:name=controller%d:/%0200d\n", 100 + i, i, i);
    snprintf(many + used, 20000 - used, "0::/a/b\n");
    write_text(test_path("many"), many);
    CHECK_EQ(situ_cgroup_memory(test_path("many"), root, -1), 1 << 30);
    free(many);
    CHECK(situ_memory_resident() > 0 && situ_memory_allowed() >= 0);
    CHECK_EQ(situ_default_limit(0, 1 << 20), 0);
    CHECK_EQ(situ_default_limit(1 << 30, 100 << 20), (1 << 30) - (1 << 26) - (100 << 20));
    CHECK_EQ(situ_default_limit(1 << 30, 1 << 30), 1 << 28); /* tensors are the main use of memory */
}

static int child_of_fork(void)
{
    int bad = !situ_forked;
    bad |= situ_set_threads(2) != -SITU_FORKED || situ_error_take(NULL) != SITU_FORKED;
    bad |= situ_after_fork() != 0 || situ_forked;
    return bad | (situ_set_threads(0) != 0);
}

TEST(fork_is_noticed)
{
    situ_runtime_use();
    CHECK_EQ(situ_forked, 0);
    CHECK_EQ(status_of_child(child_of_fork), 0);
}

static char ended[8];
static bool ends_noted; /* what is registered stays so: later tests end these too */
static void note_end(const char *letter)
{
    if (ends_noted) strcat(ended, letter);
}
static void end_pool(void) { note_end("p"); }
static void end_late(void) { note_end("l"); }
static void end_work(void)
{
    note_end("w");
    situ_at_shutdown(SITU_END_WORK, end_late); /* as a kept tensor does that is computed only now */
}

TEST(a_shutdown_follows_what_uses_what_not_what_came_first)
{
    CHECK_EQ(situ_at_shutdown(SITU_END_WORK, end_work), 0);
    CHECK_EQ(situ_at_shutdown(SITU_END_POOL, end_pool), 0);
    ends_noted = true;
    for (int i = 0; i < 2; i++) {
        ended[0] = 0;
        situ_shutdown();
        CHECK_STR(ended, i ? "lwp" : "wlp");
    }
    ends_noted = false;
}
