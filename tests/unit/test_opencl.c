/* OpenCL devices: memory, copies, values and errors, on PoCL or whatever is there. */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <situ.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/memory.h"
#include "device/device.h"
#include "plan/kernel.h"
#include "support/opencl_devices.h"
#include "support/settled.h"

static bool message_has(const char *text) { return strstr(situ_error_message(), text) != NULL; }

/* ---------------------------------------------------------------- being there */

static void remember(void *self, const char *backend, situ_device d, const situ_device_info *info, const char *reason)
{
    char *text = self;
    if (strcmp(backend, "opencl")) return;
    if (info) snprintf(text, 512, "device %d %s", d.index, info->name);
    else snprintf(text, 512, "absent: %s", reason);
}

TEST(is_listed_or_says_why_not)
{
    char text[512] = "";
    situ_devices_visit(remember, text);
    CHECK(!strncmp(text, situ_num_opencl() ? "device " : "absent: ", 7) && strlen(text) > 10);
    CHECK_FAILS(SITU_NO_DEVICE, situ_dev_open(situ_opencl(63), "main.c:7"), "main.c:7: opencl(63) does not exist: there ");
}

/* Runs itself in a process whose OpenCL loader finds no driver. */
TEST(without_a_driver)
{
    if (!getenv("SITU_TEST_NO_OPENCL")) {
        char command[600];
        need_opencl(1);
        snprintf(command, sizeof command, "SITU_TEST_NO_OPENCL=1 OCL_ICD_VENDORS=/nonexistent/ %s opencl/without_a_driver >/dev/null", test_self());
        CHECK_EQ(system(command), 0);
        return;
    }
    CHECK_EQ(situ_num_opencl(), 0);
    CHECK_FAILS(SITU_NO_DEVICE, situ_dev_open(situ_opencl(), NULL),
                "opencl(0) does not exist: there is no opencl device (opencl: libOpenCL.so.1 is installed, but no platform");
}

static void expect_reason(const char *folder, const char *reason)
{
    char command[900];
    snprintf(command, sizeof command, "LD_LIBRARY_PATH='%s' SITU_TEST_REASON='%s' %s opencl/other_libraries >/dev/null", folder, reason, test_self());
    CHECK_EQ(system(command), 0);
}

/* Runs itself where another library has the loader's file name. */
TEST(other_libraries_are_refused_with_the_reason)
{
    const char *reason = getenv("SITU_TEST_REASON");
    if (reason) {
        CHECK_EQ(situ_num_opencl(), 0);
        CHECK(!situ_dev_open(situ_opencl(), NULL));
        CHECK(message_has(reason));
        CHECK_CODE(SITU_NO_DEVICE);
        return;
    }
    if (system("${SITU_TEST_CC:-cc} --version >/dev/null 2>&1")) SKIP("no C compiler named cc");
    char folder[512], command[1400];
    snprintf(folder, sizeof folder, "%s", test_path("loader"));
    snprintf(command, sizeof command, "mkdir -p '%s' && echo 'int clFinish; int clGetPlatformIDs;' | ${SITU_TEST_CC:-cc} -shared -fPIC -x c -o '%s/libOpenCL.so.1' -", folder, folder);
    CHECK_EQ(system(command), 0);
    expect_reason(folder, "libOpenCL.so.1 is too old: it lacks clGetPlatformInfo; clGetDeviceIDs; clGetDeviceInfo");
    snprintf(command, sizeof command, "echo 'no library' >'%s/libOpenCL.so.1'", folder);
    CHECK_EQ(system(command), 0);
    expect_reason(folder, "libOpenCL.so.1 cannot be loaded: ");
}

TEST(tells_what_it_is)
{
    situ_device_info info;
    need_opencl(1);
    CHECK_EQ(situ_device_describe(situ_opencl(), &info), 0);
    CHECK_STR(info.backend, "opencl");
    CHECK(info.name[0] && strstr(info.driver, "OpenCL ") && info.memory_total > 0 && !info.simulated);
    situ_memory m;
    CHECK_EQ(situ_memory_of(situ_opencl(), &m), 0);
    CHECK_EQ(m.limit, info.memory_total);
}

/* ---------------------------------------------------------------- memory and copies */

TEST(values_survive_the_round_trip)
{
    need_tested(1);
    situ_dev *d = situ_dev_open(tested_device(0), NULL);
    if (!CHECK(d)) return;
    situ_buffer *b = situ_buffer_new(d, 300000, NULL, NULL), *c = situ_buffer_new(d, 1, NULL, NULL);
    if (!CHECK(b && c)) return;
    char *out = calloc(1, 300000), *in = malloc(300000);
    for (int i = 0; i < 300000; i++) in[i] = (char)(i * 7);
    CHECK_EQ((uintptr_t)b->address % 256, 0);
    CHECK_EQ(d->backend->upload(d, b->address, in, 300000), 0);
    CHECK_EQ(d->backend->download(d, out, b->address + 1000, 299000), 0);
    CHECK(!memcmp(out, in + 1000, 299000));
    CHECK_EQ(d->backend->copy(d, b->address + 200000, d, b->address, 1000), 0);
    if (d->backend->finish) CHECK_EQ(d->backend->finish(d, NULL, NULL), 0);
    CHECK_EQ(d->backend->download(d, out, b->address + 200000, 1000), 0);
    CHECK(!memcmp(out, in, 1000));
    if (!testing_cuda()) {
        CHECK_EQ(d->backend->upload(d, b->address, in, ((size_t)1 << 20) + 1), -SITU_DEVICE_LOST); /* beyond the block */
        CHECK_EQ(d->backend->upload(d, in, in, 1), -SITU_DEVICE_LOST);
    }
    CHECK_EQ(situ_failed(), 0); /* the slots raise nothing */
    free(in);
    free(out);
    situ_buffer_unref(b);
    situ_buffer_unref(c);
}

TEST(host_access_traps)
{
    need_tested(1);
    situ_dev *d = situ_dev_open(tested_device(0), NULL);
    situ_buffer *b = d ? situ_buffer_new(d, 4096, NULL, NULL) : NULL;
    if (!CHECK(b)) return;
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        *(volatile char *)b->address = 1;
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(child > 0 && WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS));
    situ_buffer_unref(b);
}

TEST(limit_is_hard)
{
    need_tested(1);
    situ_device d = tested_device(0);
    situ_memory m;
    CHECK_EQ(situ_memory_trim(d), 0);
    CHECK_EQ(situ_memory_of(d, &m), 0);
    int64_t limit = m.limit, before = m.in_use;
    situ_dev *dev = situ_dev_open(d, NULL);
    situ_buffer *b = situ_buffer_new(dev, 1 << 20, NULL, NULL);
    CHECK(b && !situ_buffer_new(dev, (size_t)limit, NULL, NULL));
    CHECK_CODE(SITU_DEVICE_MEMORY);
    CHECK_EQ(situ_memory_of(d, &m), 0);
    CHECK_EQ(m.in_use, before + (1 << 20));
    CHECK_EQ(situ_memory_limit(d, m.reserved + (1 << 16)), 0);
    situ_tensor *t = situ_zeros(SHAPE(1 << 20), .device = d);
    CHECK(situ_eval(TENSORS(t)) == -SITU_DEVICE_MEMORY && message_has(situ_device_name(tested_device(0), (char[32]){0})));
    CHECK_CODE(SITU_DEVICE_MEMORY);
    CHECK_EQ(situ_memory_limit(d, limit), 0);
    situ_buffer_unref(b);
}

/* ---------------------------------------------------------------- tensors and the ledger */

TEST_IN_SCOPE(tensors_are_made_moved_and_read)
{
    need_tested(2);
    situ_device a = tested_device(0), b = tested_device(1);
    float in[6] = {1, 2, 3, 4, 5, 6}, out[6] = {0}, zero[6];
    situ_ledger_reset();
    situ_tensor *x = situ_from_host(in, SHAPE(2, 3), .device = a), *y = situ_to(x, b), *z = situ_copy_to(y, b);
    CHECK(situ_to(x, a) == x);
    CHECK_EQ(situ_read(z, out, sizeof out), 0);
    CHECK(!memcmp(in, out, sizeof in));
    situ_ledger_totals t = situ_ledger_sum();
    CHECK(t.upload_count == 1 && t.upload_bytes == 24 && t.download_count == 1 && t.download_bytes == 24);
    CHECK(t.peer_count == 1 && t.peer_bytes == 24); /* a copy within a device is not counted as a transfer */
    CHECK_EQ(situ_read(situ_zeros(SHAPE(2, 3), .device = b), zero, sizeof zero), 0);
    for (int i = 0; i < 6; i++) CHECK(zero[i] == 0);
    CHECK_EQ(situ_read(situ_permute(x, AXES(1, 0)), out, sizeof out), 0);
    CHECK(out[0] == 1 && out[1] == 4 && out[4] == 3 && out[5] == 6);
}

TEST_IN_SCOPE(copies_to_and_from_every_backend)
{
    need_tested(1);
    if (!situ_num_gpus()) situ_sim_gpus(1);
    float in[3] = {1, 2, 3}, out[3] = {0};
    situ_tensor *x = situ_from_host(in, SHAPE(3), .device = situ_gpu(situ_num_gpus() - 1));
    situ_tensor *y = situ_to(situ_to(x, tested_device(0)), situ_gpu(situ_num_gpus() - 1));
    CHECK_EQ(situ_read(situ_to(situ_to(y, situ_cpu()), tested_device(0)), out, sizeof out), 0);
    CHECK(!memcmp(in, out, sizeof in));
}

TEST_IN_SCOPE(operands_stay_where_they_are)
{
    need_tested(1);
    situ_tensor *x = situ_ones(SHAPE(3), .device = tested_device(0)), *y = situ_ones(SHAPE(3));
    situ_add(x, y);
    CHECK(message_has(situ_device_name(tested_device(0), (char[32]){0})) && message_has("cpu(0)"));
    CHECK_CODE(SITU_BAD_DEVICE);
}

/* Computes and copies between two devices, back and forth; counts wrong values. */
static void *back_and_forth(void *wrong)
{
    for (int turn = 0; turn < 25; turn++) {
        situ_scope *scope = situ_scope_open();
        float in[300], out[300] = {0};
        for (int i = 0; i < 300; i++) in[i] = (float)(i * turn);
        situ_tensor *x = situ_from_host(in, SHAPE(300), .device = tested_device(turn % 2));
        situ_tensor *y = situ_add(situ_to(situ_mul(x, 2), tested_device((turn + 1) % 2)), 1);
        if (situ_read(y, out, sizeof out)) ++*(int *)wrong;
        for (int i = 0; i < 300; i++) *(int *)wrong += out[i] != 2 * in[i] + 1;
        situ_scope_close(scope);
    }
    *(int *)wrong += situ_failed() != 0;
    return NULL;
}

TEST(threads_share_devices)
{
    need_tested(2);
    pthread_t thread[3];
    int wrong[4] = {0};
    for (int i = 0; i < 3; i++) pthread_create(&thread[i], NULL, back_and_forth, &wrong[i]);
    back_and_forth(&wrong[3]);
    for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < 4; i++) CHECK_EQ(wrong[i], 0);
}

/* ---------------------------------------------------------------- compiled programs on disk */

/* A value that only this test computes. */
static float compute(situ_device d)
{
    situ_scope *scope = situ_scope_open();
    float in[5] = {1, 2, 3, 4, 5}, out = 0;
    situ_tensor *x = situ_from_host(in, SHAPE(5), .device = d);
    CHECK_EQ(situ_read(situ_sum(situ_mul(situ_add(x, 1), situ_tanh(x))), &out, sizeof out), 0);
    situ_scope_close(scope);
    return out;
}

static int each_file(const char *folder, void (*visit)(const char *path))
{
    struct dirent *entry;
    DIR *d = opendir(folder);
    int count = 0;
    while (d && (entry = readdir(d))) {
        char path[1024];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        visit(path);
        count++;
    }
    if (d) closedir(d);
    return count;
}

static void leave(const char *path) { (void)path; }

/* An intact cache file that is not a program for this driver. */
static void replace(const char *path)
{
    char head[24] = "";
    situ_hash key;
    FILE *f = fopen(path, "rb");
    CHECK(f && fread(head, sizeof head, 1, f) == 1);
    if (f) fclose(f);
    memcpy(&key, head + 8, sizeof key);
    situ_cache_write("opencl", key, (const unsigned char *)"no program at all", 17);
}

/* Kinds of damage: a changed byte, a truncated file, an empty file, other contents, another program. */
static int damage;
static void spoil(const char *path)
{
    struct stat s;
    if (!CHECK(!stat(path, &s))) return;
    if (damage == 4) replace(path);
    if (damage == 1) CHECK(!truncate(path, s.st_size - 7));
    if (damage == 2) CHECK(!truncate(path, 0));
    FILE *f = damage == 0 || damage == 3 ? fopen(path, "r+b") : NULL;
    if (!f) return;
    fseek(f, damage == 0 ? (long)s.st_size / 2 : 0, SEEK_SET);
    fputs(damage == 0 ? "\1\2\3" : "not one of ours at all", f);
    fclose(f);
}

/* Runs itself again in processes with a cache of their own. */
TEST(damaged_programs_in_the_cache_are_made_anew)
{
    if (getenv("SITU_TEST_CACHE")) {
        CHECK_NEAR(compute(situ_opencl()), compute(situ_cpu()), 0);
        return;
    }
    need_opencl(1);
    char cache[512], folder[600], command[1400], before[512] = "";
    if (getenv("XDG_CACHE_HOME")) snprintf(before, sizeof before, "%s", getenv("XDG_CACHE_HOME"));
    snprintf(cache, sizeof cache, "%s", test_path("cache"));
    snprintf(folder, sizeof folder, "%s/situ/opencl", cache);
    snprintf(command, sizeof command, "mkdir -p '%s' && SITU_TEST_CACHE=1 XDG_CACHE_HOME='%s' %s opencl/damaged_programs >/dev/null", cache, cache, test_self());
    CHECK_EQ(system(command), 0);
    int files = each_file(folder, leave);
    CHECK(files > 0);
    setenv("XDG_CACHE_HOME", cache, 1);
    for (damage = 0; damage < 5; damage++) {
        each_file(folder, spoil);
        CHECK_EQ(system(command), 0);
        CHECK_EQ(each_file(folder, leave), files);
    }
    situ_hash key = {1, 2};
    size_t bytes = 0;
    situ_cache_write("opencl", key, (const unsigned char *)"program", 7);
    unsigned char *data = situ_cache_read("opencl", key, &bytes);
    CHECK(data && bytes == 7 && !memcmp(data, "program", 7));
    situ_free(data);
    damage = 0;
    each_file(folder, spoil);
    CHECK(!situ_cache_read("opencl", key, &bytes));
    CHECK_EQ(each_file(folder, leave), files); /* damaged files were replaced */
    setenv("XDG_CACHE_HOME", "/proc/no such place", 1);
    situ_cache_write("opencl", key, (const unsigned char *)"program", 7); /* it is no error if the program cannot be cached */
    CHECK(!situ_cache_read("opencl", key, &bytes));
    if (before[0]) setenv("XDG_CACHE_HOME", before, 1);
    else unsetenv("XDG_CACHE_HOME");
}

TEST(compiling_survives_each_failing_allocation)
{
    need_tested(1);
    situ_dev *d = situ_dev_open(tested_device(0), NULL);
    static situ_fused g = {.ndim = 1, .dim = {1000}, .ninstruction = 2, .nload = 1, .nstore = 1, .reduction = -1};
    g.load[0] = (situ_load){.dtype = SITU_F32, .stride = {1}};
    g.instruction[0] = (situ_instruction){.kind = SITU_DO_LOAD, .dtype = SITU_F32};
    g.instruction[1] = (situ_instruction){.kind = SITU_DO_ELEMENT, .dtype = SITU_F32, .from = SITU_F32, .el = SITU_EL_negative};
    g.store[0].from_register = 1;
    g.store[0].dtype = SITU_F32;
    situ_kernel_desc desc = {.name = "negative", .group = &g, .naddress = 2};
    int64_t before = settled_blocks();
    bool struck = true;
    for (int k = 1; struck && k < 60; k++) {
        situ_test_fail_alloc(k);
        void *kernel = d->backend->compile(d, &desc);
        struck = situ_test_fail_struck();
        situ_test_fail_alloc(0);
        if (kernel) d->backend->drop(d, kernel);
        else CHECK_CODE(SITU_NO_MEMORY);
        CHECK(kernel || struck);
        if (!CHECK_EQ(situ_test_live_blocks(), before)) break;
    }
    CHECK(!struck);
}
