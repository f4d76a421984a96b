/* Devices behind a PJRT plugin: plugins that are absent, old, new or broken, and what works with a real one. */
#include <dlfcn.h>
#include <situ.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

/* ---------------------------------------------------------------- being there */

static void remember(void *self, const char *backend, situ_device d, const situ_device_info *info, const char *reason)
{
    char *text = self;
    if (strcmp(backend, "pjrt")) return;
    if (info) snprintf(text, 512, "device %d %s, %s", d.index, info->name, info->driver);
    else snprintf(text, 512, "absent: %s", reason);
}

TEST(is_listed_or_says_why_not)
{
    char text[512] = "";
    situ_devices_visit(remember, text);
    CHECK(!strncmp(text, situ_num_pjrt() ? "device " : "absent: ", 7) && strlen(text) > 10);
    if (situ_num_pjrt()) return;
    CHECK_EQ(situ_eval(TENSORS(situ_zeros(SHAPE(1), .device = situ_pjrt(0)))), -SITU_NO_DEVICE);
    CHECK(strstr(situ_error_message(), "pjrt(0) does not exist: there is no pjrt device (pjrt: "));
    CHECK_CODE(SITU_NO_DEVICE);
}

/* In a process with this environment, the reason has this text. */
static void expect_reason(const char *environment, const char *reason)
{
    char command[1200];
    snprintf(command, sizeof command, "%s SITU_TEST_REASON='%s' /proc/%d/exe pjrt/other_plugins >/dev/null", environment, reason, (int)getpid());
    CHECK_EQ(system(command), 0);
}

TEST(other_plugins)
{
    const char *reason = getenv("SITU_TEST_REASON");
    char text[512] = "";
    if (reason) {
        CHECK_EQ(situ_num_pjrt(), 0);
        CHECK_EQ(situ_num_tpus(), 0);
        situ_devices_visit(remember, text);
        CHECK(strstr(text, reason));
        return;
    }
#define FAKE(kind) "SITU_PJRT_PLUGIN='" SITU_FAKEPJRT "' FAKEPJRT=" kind
    expect_reason("SITU_PJRT_PLUGIN=", "no plugin is named: set SITU_PJRT_PLUGIN=FILE");
    expect_reason("SITU_PJRT_PLUGIN=/nonexistent/a.so", "a.so: not found");
    expect_reason("SITU_PJRT_PLUGIN=a.so", "a.so: not found; SITU_PJRT_PLUGIN takes its whole path");
    expect_reason("SITU_PJRT_PLUGIN=/etc/passwd", "passwd: /etc/passwd: ");
    expect_reason("SITU_PJRT_PLUGIN=libm.so.6", "libm.so.6: it is no plugin of PJRT: it has no function GetPjrtApi");
    expect_reason(FAKE("null"), "fakepjrt.so: GetPjrtApi gives nothing");
    expect_reason(FAKE("major"), "it speaks PJRT 1.81, and situ speaks 0.54 and later ones of 0");
    expect_reason(FAKE("old"), "it speaks PJRT 0.53");
    expect_reason(FAKE("bare"), "its table has 16 bytes and no version");
    expect_reason(FAKE("short"), "its table has 80 bytes, where PJRT 0.81 has 624 at least");
    expect_reason(FAKE("missing"), "function 55 of its table is missing");
    expect_reason(FAKE("silent"), "it makes no client, and says no reason");
    expect_reason(FAKE("empty"), "fakepjrt.so: it has no device");
    expect_reason("SITU_PJRT_PLUGIN=/tmp/", "/tmp/: /tmp/; is no regular file");
    expect_reason("SITU_PJRT_PLUGIN=::", "no plugin is named: set SITU_PJRT_PLUGIN=FILE");
    expect_reason("SITU_PJRT_PLUGIN=/nonexistent/a.so:libm.so.6", "a.so: not found; libm.so.6: it is no plugin");
}

/* ---------------------------------------------------------------- a real plugin */

static void need_pjrt(int count)
{
    if (situ_num_pjrt() < count) SKIP("no PJRT plugin: set SITU_PJRT_PLUGIN, or let scripts/test install one");
}

TEST(computes)
{
    need_pjrt(1);
    situ_scope *scope = situ_scope_open();
    float a[6] = {1, 2, 3, 4, 5, 6}, b[3] = {10, 20, 30}, sum[6], want[6] = {11, 22, 33, 14, 25, 36};
    situ_tensor *x = situ_from_host(a, SHAPE(2, 3), .device = situ_pjrt(0)), *y = situ_from_host(b, SHAPE(3), .device = situ_pjrt(0));
    CHECK_EQ(situ_read(situ_add(x, y), sum, sizeof sum), 0);
    CHECK(!memcmp(sum, want, sizeof sum));
    situ_scope_close(scope);
}

TEST(random_numbers_are_everywhere_the_same)
{
    need_pjrt(1);
    situ_scope *scope = situ_scope_open();
    static float here[1001], there[1001];
    for (int layout = 0; layout < 2; layout++) {
        situ_tensor *x = situ_uniform(situ_key(7, .device = situ_pjrt(0)), SHAPE(1001), .layout = layout ? SITU_PARTITIONABLE : SITU_ORIGINAL);
        situ_tensor *y = situ_uniform(situ_key(7), SHAPE(1001), .layout = layout ? SITU_PARTITIONABLE : SITU_ORIGINAL);
        CHECK_EQ(situ_read(x, there, sizeof there), 0);
        CHECK_EQ(situ_read(y, here, sizeof here), 0);
        CHECK(!memcmp(here, there, sizeof here));
    }
    situ_scope_close(scope);
}

TEST(copies_between_devices)
{
    need_pjrt(2);
    situ_scope *scope = situ_scope_open();
    float a[4] = {1, 2, 3, 4}, back[4];
    situ_tensor *x = situ_mul(situ_from_host(a, SHAPE(4), .device = situ_pjrt(0)), 2);
    CHECK_EQ(situ_read(situ_add(situ_to(x, situ_pjrt(1)), 1), back, sizeof back), 0);
    for (int i = 0; i < 4; i++) CHECK_NEAR(back[i], 2 * a[i] + 1, 0);
    situ_tensor *both = situ_add(x, situ_to(x, situ_pjrt(1)));
    CHECK(situ_eval(TENSORS(both)) < 0);
    CHECK_CODE(SITU_BAD_DEVICE);
    situ_scope_close(scope);
}

TEST(an_index_out_of_range_is_named)
{
    need_pjrt(1);
    situ_scope *scope = situ_scope_open();
    float a[4] = {1, 2, 3, 4};
    int64_t at[2] = {1, 9};
    situ_tensor *x = situ_from_host(a, SHAPE(4), .device = situ_pjrt(0));
    situ_tensor *i = situ_from_host(at, SHAPE(2), .dtype = SITU_I64, .device = situ_pjrt(0));
    CHECK(situ_eval(TENSORS(situ_take(x, i))) || situ_read(situ_take(x, i), a, 8));
    CHECK(strstr(situ_error_message(), "9"));
    CHECK_CODE(SITU_BAD_INDEX);
    situ_scope_close(scope);
}

TEST(what_has_no_text_is_refused_by_name)
{
    need_pjrt(1);
    situ_scope *scope = situ_scope_open();
    CHECK(situ_eval(TENSORS(situ_svd(situ_eye(3, .device = situ_pjrt(0))))));
    CHECK(strstr(situ_error_message(), "svd has no text of StableHLO (eigenvalues and singular values take loops that end when they have "
                                       "converged); compute it on the CPU"));
    CHECK_CODE(SITU_UNSUPPORTED);
    situ_scope_close(scope);
}

TEST(a_memory_limit_is_hard)
{
    need_pjrt(1);
    situ_scope *scope = situ_scope_open();
    situ_memory before, after;
    CHECK_EQ(situ_memory_of(situ_pjrt(0), &before), 0);
    CHECK_EQ(situ_memory_limit(situ_pjrt(0), before.in_use + (1 << 20)), 0);
    CHECK(situ_eval(TENSORS(situ_ones(SHAPE(1 << 20), .device = situ_pjrt(0)))) < 0);
    CHECK_CODE(SITU_DEVICE_MEMORY);
    CHECK_EQ(situ_memory_limit(situ_pjrt(0), 0), 0);
    situ_tensor *x = situ_ones(SHAPE(1 << 20), .device = situ_pjrt(0));
    CHECK_EQ(situ_eval(TENSORS(x)), 0);
    CHECK_EQ(situ_memory_of(situ_pjrt(0), &after), 0);
    CHECK_EQ(after.in_use - before.in_use, 4 << 20);
    situ_scope_close(scope);
    for (int i = 0; i < 1000 && after.in_use != before.in_use; i++, usleep(1000)) situ_memory_of(situ_pjrt(0), &after); /* with its launch */
    CHECK_EQ(after.in_use, before.in_use);
}

/* ---------------------------------------------------------------- through the shim */

/* Runs a test of this file again with the real plugin behind the shim, and this environment. */
static int through_shim(const char *test, const char *environment)
{
    char command[1600];
    const char *plugin = getenv("SITU_PJRT_PLUGIN");
    need_pjrt(2);
    if (strchr(plugin, ':') || !strcmp(plugin, SITU_FAKEPJRT)) SKIP("not one real plugin");
    snprintf(command, sizeof command,
        "XDG_CACHE_HOME=/nonexistent %s FAKEPJRT_REAL='%s' SITU_PJRT_PLUGIN='" SITU_FAKEPJRT "' /proc/%d/exe pjrt/%s >/dev/null", environment,
        plugin, (int)getpid(), test);
    return system(command);
}

/* On two devices, with uploads, kernels, a copy and a read: 0 and the values, or an error. */
static int small_program(float *out)
{
    situ_scope *scope = situ_scope_open();
    float a[4] = {1, 2, 3, 4};
    situ_tensor *x = situ_mul(situ_from_host(a, SHAPE(4), .device = situ_pjrt(0)), 2.5);
    situ_tensor *y = situ_add(situ_to(x, situ_pjrt(1)), 1);
    int code = situ_read(y, out, 4 * sizeof *out);
    situ_scope_close(scope);
    return code;
}

/* In a process whose plugin fails once: an error that names a cause, or, of a call that is not needed, none; and then the values. */
TEST(one_call_fails)
{
    const char *which = getenv("FAKEPJRT_FAIL");
    float out[4] = {0};
    if (!which || !getenv("FAKEPJRT_REAL")) SKIP("a part of each_call_may_fail");
    int failures = 0;
    while (failures < 3 && small_program(out)) {
        int code = situ_error_take(NULL);
        CHECK(code == SITU_NO_DEVICE || code == SITU_DEVICE_LOST || code == SITU_UNSUPPORTED);
        failures++;
    }
    CHECK(failures < 3 || !situ_num_pjrt());
    for (int i = 0; i < 4 && failures < 3; i++) CHECK_NEAR(out[i], 2.5 * (i + 1) + 1, 0);
}

TEST(each_call_may_fail)
{
    static const int function[] = {3, 8, 10, 12, 14, 16, 20, 22, 23, 26, 29, 34, 40, 49, 51, 55, 69, 70, 72};
    for (size_t i = 0; i < sizeof function / sizeof *function; i++) {
        char environment[64];
        snprintf(environment, sizeof environment, "FAKEPJRT_FAIL=%d FAKEPJRT_AT=1", function[i]);
        int status = through_shim("one_call_fails", environment);
        if (status) printf("function %d: status %d\n", function[i], status);
        CHECK_EQ(status, 0);
    }
}

TEST(some_calls_work)
{
    float out[4] = {0};
    if (!getenv("FAKEPJRT_REAL")) SKIP("a part of other_versions");
    CHECK_EQ(small_program(out), 0);
    for (int i = 0; i < 4; i++) CHECK_NEAR(out[i], 2.5 * (i + 1) + 1, 0);
    CHECK_OK();
}

/* The oldest and a later version, and functions that only spare time or tell figures. */
TEST(other_versions)
{
    static const char *const environment[] = {"FAKEPJRT_MINOR=54", "FAKEPJRT_MINOR=999", "FAKEPJRT_WITHOUT=34", "FAKEPJRT_WITHOUT=40",
        "FAKEPJRT_WITHOUT=49", "FAKEPJRT_WITHOUT=51", "FAKEPJRT_WITHOUT=56"};
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++)
        if (!CHECK_EQ(through_shim("some_calls_work", environment[i]), 0)) printf("  with %s\n", environment[i]);
#define BROKEN(function) "FAKEPJRT_REAL=\"$SITU_PJRT_PLUGIN\" FAKEPJRT_FAIL=" function " FAKEPJRT_AT=1 SITU_PJRT_PLUGIN='" SITU_FAKEPJRT "'"
    expect_reason(BROKEN("3"), "it does not start: ");
    expect_reason(BROKEN("10"), "it makes no client: ");
    expect_reason(BROKEN("16"), "it lists no devices: ");
}

/* A training of two steps, parts of values, a copy, an index that is too large. */
static void use_much(void)
{
    float a[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, out[12];
    int64_t far = 70;
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_from_host(a, SHAPE(3, 4), .device = situ_pjrt(0)), *w = situ_variable(situ_ones(SHAPE(4, 1), .device = situ_pjrt(0))), *g;
    for (int i = 0; i < 2; i++) {
        situ_tensor *loss = situ_mean(situ_square(situ_sub(situ_matmul(x, w), 1)));
        situ_grad(loss, TENSORS(w), &g);
        situ_assign(w, situ_sub(w, situ_mul(g, 0.001)));
        CHECK(situ_item(loss) > 0);
    }
    CHECK_EQ(situ_read(situ_slice(situ_to(x, situ_pjrt(1)), .start = SHAPE(1)), out, 8 * sizeof *out), 0);
    CHECK_NEAR(out[0], 5, 0);
    CHECK(situ_read(situ_take(x, situ_from_host(&far, SHAPE(1), .dtype = SITU_I64, .device = situ_pjrt(0))), out, 4 * sizeof *out) < 0);
    CHECK_CODE(SITU_BAD_INDEX);
    situ_release(w);
    situ_scope_close(scope);
}

TEST(every_object_is_destroyed_once)
{
    enum { KINDS = 4 };
    static const char *const kinds[KINDS] = {"buffers", "events", "programs", "executables"};
    void (*counts)(long *);
    long n[2 * KINDS + 1] = {0};
    if (!getenv("FAKEPJRT_REAL")) {
        CHECK_EQ(through_shim("every_object_is_destroyed_once", ""), 0);
        return;
    }
    use_much();
    situ_shutdown();
    void *shim = dlopen(SITU_FAKEPJRT, RTLD_NOW | RTLD_NOLOAD), *symbol = shim ? dlsym(shim, "fakepjrt_counts") : NULL;
    if (!CHECK(symbol)) return;
    memcpy(&counts, &symbol, sizeof counts);
    counts(n);
    for (int i = 0; i < KINDS; i++)
        if (!CHECK(n[i] > 0) || !CHECK_EQ(n[KINDS + i], 0)) printf("  %ld of %ld %s are left\n", n[KINDS + i], n[i], kinds[i]);
    CHECK_EQ(n[2 * KINDS], 0); /* none was used or destroyed that was not there */
}
