/* A real PJRT plugin behind a shim that fails, claims another version, or checks the requests. */
#include <dlfcn.h>
#include <situ.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/pjrt_shim.h"
#include "test.h"
#include "places.h"

/* In a process whose plugin fails once: an error with a cause, or none if the call is optional; afterwards the right
 * values. */
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

/* For each of these plugin functions, with the shim configured so: the program computes or reports an error; no crash
 * and no hang. */
static void for_each(const char *test, const char *format, const int *function, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char environment[96];
        snprintf(environment, sizeof environment, format, function[i]);
        int status = through_shim(test, environment);
        if (status) printf("function %d: status %d\n", function[i], status);
        CHECK_EQ(status, 0);
    }
}

TEST(each_call_may_fail)
{
    static const int function[] = {3, 8, 10, 12, 14, 16, 20, 22, 23, 26, 29, 34, 40, 49, 51, 55, 69, 70, 72};
    for_each("one_call_fails", "FAKEPJRT_AT=1 FAKEPJRT_FAIL=%d", function, sizeof function / sizeof *function);
}

TEST(a_call_gives_nothing)
{
    if (!getenv("FAKEPJRT_SILENT")) SKIP("a part of each_call_may_give_nothing");
    for (int run = 0; run < 2; run++) {
        float out[4] = {0};
        bool failed = small_program(out) < 0;
        for (int i = 0; i < 4 && !failed; i++) CHECK_NEAR(out[i], 2.5 * (i + 1) + 1, 0);
        bool of_other_device = !strcmp(getenv("FAKEPJRT_SILENT"), "23"); /* all are number 0 */
        if (failed && !CHECK(strstr(situ_error_message(), of_other_device ? "is on device" : "nothing") || !situ_num_pjrt())) puts(situ_error_message());
        if (failed) situ_error_take(NULL);
    }
}

/* Plugin functions that do nothing and report success: what they should have returned is not used. Exception: the wait;
 * if a plugin lies about it, nobody can know when a value is ready. */
TEST(each_call_may_give_nothing)
{
    static const int function[] = {3, 5, 9, 10, 12, 14, 16, 20, 22, 23, 26, 29, 34, 40, 49, 50, 51, 55, 56, 58, 69, 70, 72};
    for_each("a_call_gives_nothing", "timeout 60 env FAKEPJRT_SILENT=%d", function, sizeof function / sizeof *function);
}

TEST(some_calls_work)
{
    float out[4] = {0};
    if (!getenv("FAKEPJRT_REAL")) SKIP("a part of other_versions");
    CHECK_EQ(small_program(out), 0);
    for (int i = 0; i < 4; i++) CHECK_NEAR(out[i], 2.5 * (i + 1) + 1, 0);
}

/* A later version, and functions or options that only spare time or tell figures. */
TEST(other_versions)
{
    static const char *const environment[] = {"FAKEPJRT_MINOR=999", "FAKEPJRT_WITHOUT=34", "FAKEPJRT_WITHOUT=40",
        "FAKEPJRT_WITHOUT=49", "FAKEPJRT_WITHOUT=51", "FAKEPJRT_WITHOUT=56", "FAKEPJRT_OPTION=xla_cpu_experimental_ynn_fusion_type",
        "FAKEPJRT_OPTION=xla_cpu_enable_fast_min_max"};
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++)
        if (!CHECK_EQ(through_shim("some_calls_work", environment[i]), 0)) printf("  with %s\n", environment[i]);
#define BROKEN(function) "FAKEPJRT_REAL=\"$SITU_PJRT_PLUGIN\" FAKEPJRT_FAIL=" function " FAKEPJRT_AT=1 SITU_PJRT_PLUGIN='" SITU_FAKEPJRT "'"
    expect_reason(BROKEN("3"), "it does not start: ");
    expect_reason(BROKEN("10"), "it makes no client: ");
    expect_reason(BROKEN("16"), "it lists no devices: ");
}

/* Two training steps, parts of values, a copy, an index out of range. */
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

/* Structs are exactly as large as the version knows them: of all versions in which one of them has grown, and when a
 * program is read from the disk, too. */
TEST(plugins_that_want_exact_sizes)
{
    static const int minor[] = {54, 60, 61, 64, 71, 76, 78, 81, 97, 105};
    char environment[300];
    for (size_t i = 0; i < sizeof minor / sizeof *minor; i++)
        for (int again = 0; again < 2; again++) {
            snprintf(environment, sizeof environment, "XDG_CACHE_HOME=%s FAKEPJRT_STRICT=1 FAKEPJRT_MINOR=%d %s", test_path("cache"), minor[i],
                again ? "FAKEPJRT_FAIL=20 FAKEPJRT_AT=1 FAKEPJRT_ALWAYS=1" : "");
            if (!CHECK_EQ(through_shim("some_calls_work", environment), 0)) printf("  with %s\n", environment);
        }
}

/* The device is lost: from then on each operation gives an error with its name, its line and the plugin's reason; the
 * CPU still works. */
TEST(all_calls_fail_from_now_on)
{
    if (!getenv("FAKEPJRT_ALWAYS")) SKIP("a part of a_lost_device");
    float out[8];
    CHECK_EQ(small_program(out), 0);
    situ_scope *scope = situ_scope_open();
    for (int i = 0; i < 3; i++) {
        situ_tensor *x = situ_exp(situ_ones(SHAPE(4 + i), .device = situ_pjrt(0)));
        char where[48];
        snprintf(where, sizeof where, "test_pjrt_shim.c:%d: fill+exp: ", __LINE__ - 2);
        CHECK(situ_read(x, out, (size_t)(4 + i) * sizeof *out) < 0);
        if (!CHECK(strstr(situ_error_message(), where)) || !CHECK(strstr(situ_error_message(), "Unexpected"))) puts(situ_error_message());
        CHECK_CODE(SITU_DEVICE_LOST);
    }
    CHECK_NEAR(situ_item(situ_sum(situ_ones(SHAPE(3), .device = situ_cpu()))), 3, 0);
    situ_scope_close(scope);
    situ_shutdown();
}

TEST(a_lost_device) { CHECK_EQ(through_shim("all_calls_fail_from_now_on", "timeout 60 env FAKEPJRT_FAIL=55 FAKEPJRT_AT=3 FAKEPJRT_ALWAYS=1"), 0); }

TEST_IN_SCOPE(some_texts_are_refused)
{
    float out[4];
    if (!getenv("FAKEPJRT_DIALECT")) SKIP("a part of plugins_without_a_dialect");
    CHECK_EQ(small_program(out), 0);
    CHECK(situ_read(situ_erf(situ_ones(SHAPE(4), .device = situ_pjrt(0))), out, sizeof out) < 0);
    if (!CHECK(strstr(situ_error_message(), "erf"))) puts(situ_error_message());
    CHECK_CODE(SITU_UNSUPPORTED);
    CHECK_EQ(small_program(out), 0);
}

TEST(plugins_without_a_dialect) { CHECK_EQ(through_shim("some_texts_are_refused", "FAKEPJRT_DIALECT=chlo"), 0); }

static void find_reason(void *self, const char *backend, situ_device d, const situ_device_info *info, const char *reason)
{
    (void)d;
    if (!strcmp(backend, "pjrt") && !info) snprintf(self, 512, "%s", reason);
}

/* Two at once; one that is not there, and one that is named twice. */
TEST(several_work)
{
    float out[4] = {1, 2, 3, 4};
    if (!getenv("FAKEPJRT_REAL")) SKIP("a part of several_plugins");
    char reason[512] = "";
    situ_devices_visit(find_reason, reason);
    CHECK(strstr(reason, "a.so: not found in /nonexistent; ") && strstr(reason, ".so: it is named twice"));
    int each = situ_num_pjrt() / 2;
    CHECK(each >= 2 && situ_num_pjrt() == 2 * each);
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_mul(situ_from_host(out, SHAPE(4), .device = situ_pjrt(0)), 3), *y = situ_to(x, situ_pjrt(each));
    CHECK_EQ(situ_read(situ_add(y, 1), out, sizeof out), 0);
    for (int i = 0; i < 4; i++) CHECK_NEAR(out[i], 3 * (i + 1) + 1, 0);
    CHECK_FAILS(SITU_BAD_DEVICE, situ_eval(TENSORS(situ_add(x, y))));
    CHECK_FAILS(SITU_NO_DEVICE, situ_eval(TENSORS(situ_ones(SHAPE(1), .device = situ_pjrt(2 * each)))),
                "does not exist: there are");
    situ_scope_close(scope);
}

TEST(several_plugins)
{
    char environment[1200];
    const char *plugin = getenv("SITU_PJRT_PLUGIN");
    need_pjrt(2);
    snprintf(environment, sizeof environment, "SITU_PJRT_PLUGIN='%s:/nonexistent/a.so:" SITU_FAKEPJRT ":%s'", plugin, plugin);
    CHECK_EQ(through_shim("several_work", environment), 0);
}

TEST(ends_at_once)
{
    if (!getenv("FAKEPJRT_SLOW")) SKIP("a part of a_program_may_end_while_a_device_compiles");
    float out[4];
    CHECK_EQ(small_program(out), 0);
    CHECK_EQ(situ_eval(TENSORS(situ_exp(situ_ones(SHAPE(7), .device = situ_pjrt(0))))), 0);
    usleep(100000);
    exit(0); /* the test program turns this status into 1 */
}

/* Without a wait and without situ_shutdown: running work ends before the plugin's objects are freed. */
TEST(a_program_may_end_while_a_device_compiles)
{
    int status = through_shim("ends_at_once", "timeout 60 env FAKEPJRT_SLOW=1");
    CHECK_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 1);
}
