/* Devices of a PJRT plugin: plugins that are missing, old, new or broken, and the operations of a real one. */
#include <math.h>
#include <situ.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/child.h"
#include "support/pjrt_shim.h"
#include "test.h"
#include "places.h"

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
    CHECK_FAILS(SITU_NO_DEVICE, situ_eval(TENSORS(situ_zeros(SHAPE(1), .device = situ_pjrt(0)))),
                "pjrt(0) does not exist: there is no pjrt device (pjrt: ");
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
    expect_reason("SITU_PJRT_PLUGIN=/nonexistent/a.so", "a.so: not found in /nonexistent");
    expect_reason("SITU_PJRT_PLUGIN=a.so", "a.so: not found; SITU_PJRT_PLUGIN takes its whole path");
    expect_reason("SITU_PJRT_PLUGIN=a.so,b.so", "not found; SITU_PJRT_PLUGIN takes its whole path; several files have a colon between them, and no blank");
    expect_reason("SITU_PJRT_PLUGIN='/nonexistent/a.so;/nonexistent/b.so'", "; several files have a colon between them, and no blank");
    expect_reason("SITU_PJRT_PLUGIN=/etc/passwd", "passwd: it cannot be opened: ");
    expect_reason("SITU_PJRT_PLUGIN=" SITU_FAKEPJRT_NEEDY, "needy.so: it needs what cannot be opened: libfakepjrt_absent.so: ");
    expect_reason("SITU_PJRT_PLUGIN=libm.so.6", "libm.so.6: it is no plugin of PJRT: it has no function GetPjrtApi");
    expect_reason(FAKE("null"), "fakepjrt.so: GetPjrtApi gives nothing");
    expect_reason(FAKE("major"), "it speaks PJRT 1.81, and situ speaks 0.54 and later ones of 0: take an earlier version of the plugin");
    expect_reason(FAKE("old"), "it speaks PJRT 0.53, and situ speaks 0.54 and later ones of 0: take a later version of the plugin");
    expect_reason(FAKE("bare"), "its table has 16 bytes and no version");
    expect_reason(FAKE("short"), "its table has 80 bytes, where PJRT 0.81 has 624 at least");
    expect_reason(FAKE("missing"), "its table has no PJRT_LoadedExecutable_Execute (function 55)");
    expect_reason(FAKE("silent"), "it makes no client, and says no reason");
    expect_reason(FAKE("empty"), "fakepjrt.so: it has no device");
    expect_reason("SITU_PJRT_PLUGIN=/tmp/", "/tmp/: it cannot be opened: is no regular file; name the plugin");
    expect_reason("SITU_PJRT_PLUGIN=::", "no plugin is named: set SITU_PJRT_PLUGIN=FILE");
    expect_reason("SITU_PJRT_PLUGIN=/nonexistent/a.so:libm.so.6", "a.so: not found in /nonexistent; libm.so.6: it is no plugin");
    expect_reason("SITU_PJRT_AS=gpu SITU_PJRT_PLUGIN=/nonexistent/a.so", "SITU_PJRT_AS: it can be tpu, and nothing else; a.so: not found");
}

/* ---------------------------------------------------------------- a real plugin */

TEST_IN_SCOPE(computes)
{
    need_pjrt(1);
    float a[6] = {1, 2, 3, 4, 5, 6}, b[3] = {10, 20, 30}, sum[6], want[6] = {11, 22, 33, 14, 25, 36};
    situ_tensor *x = situ_from_host(a, SHAPE(2, 3), .device = situ_pjrt(0)), *y = situ_from_host(b, SHAPE(3), .device = situ_pjrt(0));
    CHECK_EQ(situ_read(situ_add(x, y), sum, sizeof sum), 0);
    CHECK(!memcmp(sum, want, sizeof sum));
}

/* XLA for CPUs loses NaN in maxima unless an option forbids it. */
TEST(a_nan_is_the_largest_and_the_smallest)
{
    need_pjrt(1);
    static const situ_dtype dtypes[] = {SITU_F32, SITU_F64, SITU_F16, SITU_BF16};
    for (int k = 0; k < 4 * 3; k++) {
        situ_scope *scope = situ_scope_open();
        float a[3][40], back[3 + 3 + 40 + 40 + 2 + 3];
        for (int i = 0; i < 120; i++) (&a[0][0])[i] = (float)(i % 37) - 9;
        a[1][k % 3 * 19 + (k % 3 > 1)] = NAN;
        situ_tensor *x = situ_cast(situ_from_host(a, SHAPE(3, 40), .device = situ_pjrt(0)), dtypes[k / 3]);
        situ_tensor *part[] = {situ_max(x, .axes = AXES(1)), situ_min(x, .axes = AXES(1)), situ_max(x, .axes = AXES(0)), situ_min(x, .axes = AXES(0)),
            situ_reshape(situ_max(x), SHAPE(1)), situ_reshape(situ_min(x), SHAPE(1)),
            situ_reshape(situ_max_pool2d(situ_reshape(x, SHAPE(1, 1, 3, 40)), SHAPE(1, 40)), SHAPE(3))};
        CHECK_EQ(situ_read(situ_cast(situ_concat(TENSORS_OF(part, 7)), SITU_F32), back, sizeof back), 0);
        for (int row = 0; row < 3; row++)
            CHECK(isnan(back[row]) == (row == 1) && isnan(back[3 + row]) == (row == 1) && isnan(back[88 + row]) == (row == 1));
        for (int column = 0; column < 40; column++)
            CHECK(isnan(back[6 + column]) == isnan(a[1][column]) && isnan(back[46 + column]) == isnan(a[1][column]));
        CHECK(isnan(back[86]) && isnan(back[87]));
        situ_scope_close(scope);
    }
}

/* Its kernels for many rows, or for a long row, lose NaN whatever the option says. */
TEST(a_nan_of_many_rows_is_the_largest_and_the_smallest)
{
    need_pjrt(1);
    enum { N = 400 };
    static const situ_dtype dtypes[] = {SITU_F32, SITU_F64, SITU_F16, SITU_BF16};
    static float a[N][N];
    for (int k = 0; k < 4 * 3; k++) {
        situ_scope *scope = situ_scope_open();
        float nans[6];
        for (int i = 0; i < N * N; i++) (&a[0][0])[i] = (float)(i % 37) - 9;
        a[k % 3 * (N - 1) / 2][k % 3 * 199] = NAN;
        situ_tensor *x = situ_cast(situ_from_host(a, SHAPE(N, N), .device = situ_pjrt(0)), dtypes[k / 3]), *part[6];
        for (int i = 0; i < 6; i++) {
            situ_axes axes = i / 2 == 2 ? AXES(0, 1) : AXES(i / 2);
            part[i] = situ_reshape(situ_sum(situ_isnan(i % 2 ? situ_max(x, .axes = axes) : situ_min(x, .axes = axes))), SHAPE(1));
        }
        CHECK_EQ(situ_read(situ_cast(situ_concat(TENSORS_OF(part, 6)), SITU_F32), nans, sizeof nans), 0);
        for (int i = 0; i < 6; i++) CHECK_NEAR(nans[i], 1, 0);
        situ_scope_close(scope);
    }
}

/* XLA's f32 erf gives 1.0000001 for some arguments. */
TEST_IN_SCOPE(no_erf_is_above_1)
{
    need_pjrt(1);
    static float y[200000];
    CHECK_EQ(situ_read(situ_erf(situ_linspace(-6, 6, 200000, .device = situ_pjrt(0))), y, sizeof y), 0);
    for (int i = 0; i < 200000; i++)
        if (!CHECK(y[i] >= -1 && y[i] <= 1)) break;
    CHECK_EQ(situ_read(situ_erf(situ_from_host(((float[]){NAN, INFINITY, -INFINITY, -0.0f}), SHAPE(4), .device = situ_pjrt(0))), y, 16), 0);
    CHECK(isnan(y[0]) && y[1] > 0.999999f && y[2] < -0.999999f && y[3] == 0 && signbit(y[3]));
}

/* The maximum that softmax subtracts may lose a NaN: the whole row is NaN all the same. */
TEST_IN_SCOPE(a_nan_is_in_the_whole_row_of_softmax)
{
    need_pjrt(1);
    enum { N = 400 };
    static float a[N][N];
    float nans[2];
    for (int i = 0; i < N * N; i++) (&a[0][0])[i] = (float)(i % 37) - 9;
    a[7][300] = a[211][0] = NAN;
    for (int i = 0; i < N; i++) a[399][i] = NAN;
    situ_tensor *x = situ_from_host(a, SHAPE(N, N), .device = situ_pjrt(0));
    for (int i = 0; i < 2; i++) {
        situ_tensor *y = i ? situ_log_softmax(x) : situ_softmax(x);
        CHECK_EQ(situ_read(situ_cast(situ_sum(situ_isnan(y)), SITU_F32), nans + i, sizeof *nans), 0);
        CHECK_NEAR(nans[i], 3 * N, 0);
    }
}

TEST_IN_SCOPE(random_numbers_are_everywhere_the_same)
{
    need_pjrt(1);
    static float here[1001], there[1001];
    for (int layout = 0; layout < 2; layout++) {
        situ_tensor *x = situ_uniform(situ_key(7, .device = situ_pjrt(0)), SHAPE(1001), .layout = layout ? SITU_PARTITIONABLE : SITU_ORIGINAL);
        situ_tensor *y = situ_uniform(situ_key(7), SHAPE(1001), .layout = layout ? SITU_PARTITIONABLE : SITU_ORIGINAL);
        CHECK_EQ(situ_read(x, there, sizeof there), 0);
        CHECK_EQ(situ_read(y, here, sizeof here), 0);
        CHECK(!memcmp(here, there, sizeof here));
    }
}

TEST_IN_SCOPE(copies_between_devices)
{
    need_pjrt(2);
    float a[4] = {1, 2, 3, 4}, back[4];
    situ_tensor *x = situ_mul(situ_from_host(a, SHAPE(4), .device = situ_pjrt(0)), 2);
    CHECK_EQ(situ_read(situ_add(situ_to(x, situ_pjrt(1)), 1), back, sizeof back), 0);
    for (int i = 0; i < 4; i++) CHECK_NEAR(back[i], 2 * a[i] + 1, 0);
    situ_tensor *both = situ_add(x, situ_to(x, situ_pjrt(1)));
    CHECK_FAILS(SITU_BAD_DEVICE, situ_eval(TENSORS(both)));
}

TEST_IN_SCOPE(an_index_out_of_range_is_named)
{
    need_pjrt(1);
    float a[4] = {1, 2, 3, 4};
    int64_t at[2] = {1, 9};
    situ_tensor *x = situ_from_host(a, SHAPE(4), .device = situ_pjrt(0));
    situ_tensor *i = situ_from_host(at, SHAPE(2), .dtype = SITU_I64, .device = situ_pjrt(0));
    CHECK(situ_eval(TENSORS(situ_take(x, i))) || situ_read(situ_take(x, i), a, 8));
    CHECK(strstr(situ_error_message(), "9"));
    CHECK_CODE(SITU_BAD_INDEX);
}

TEST_IN_SCOPE(what_has_no_text_is_refused_by_name)
{
    need_pjrt(1);
    CHECK(situ_eval(TENSORS(situ_svd(situ_eye(3, .device = situ_pjrt(0))))));
    CHECK(strstr(situ_error_message(), "unit/test_pjrt.c:")); /* the line of situ_svd */
    CHECK(strstr(situ_error_message(), "svd has no text of StableHLO (eigenvalues and singular values take loops that end when they have "
                                       "converged); compute it on the CPU"));
    CHECK_CODE(SITU_UNSUPPORTED);
}

static situ_tensor *of_parent;
static int compute_in_child(void)
{
    if (situ_after_fork()) return 1;
    if (situ_item(situ_sum(situ_ones(SHAPE(50)))) != 50) return 2;
    situ_item(situ_sum(situ_mul(of_parent, 3)));
    if (situ_failed() != SITU_DEVICE_LOST || !strstr(situ_error_message(), "the process was forked after the plugin had started")) return 3;
    situ_error_take(NULL);
    situ_item(situ_sum(situ_ones(SHAPE(2), .device = situ_pjrt(situ_num_pjrt() - 1))));
    return situ_failed() ? 0 : 4;
}

/* The plugin's threads do not exist in the child: using it would end or hang the child. */
TEST_IN_SCOPE(a_child_of_a_fork_is_told_so)
{
    need_pjrt(1);
    of_parent = situ_mul(situ_ones(SHAPE(50), .device = situ_pjrt(0)), 2);
    CHECK_EQ((int)situ_item(situ_sum(of_parent)), 100);
    CHECK_EQ(status_of_child(compute_in_child), 0);
    CHECK_EQ((int)situ_item(situ_sum(situ_mul(of_parent, 3))), 300);
}

TEST(a_memory_limit_is_hard)
{
    need_pjrt(1);
    situ_scope *scope = situ_scope_open();
    situ_memory before, after;
    CHECK_EQ(situ_memory_of(situ_pjrt(0), &before), 0);
    CHECK_EQ(situ_memory_limit(situ_pjrt(0), before.in_use + (1 << 20)), 0);
    CHECK_FAILS(SITU_DEVICE_MEMORY, situ_eval(TENSORS(situ_ones(SHAPE(1 << 20), .device = situ_pjrt(0)))));
    CHECK_EQ(situ_memory_limit(situ_pjrt(0), 0), 0);
    situ_tensor *x = situ_ones(SHAPE(1 << 20), .device = situ_pjrt(0));
    CHECK_EQ(situ_eval(TENSORS(x)), 0);
    CHECK_EQ(situ_memory_of(situ_pjrt(0), &after), 0);
    CHECK_EQ(after.in_use - before.in_use, 4 << 20);
    situ_scope_close(scope);
    for (int i = 0; i < 1000 && after.in_use != before.in_use; i++, usleep(1000)) situ_memory_of(situ_pjrt(0), &after); /* with its launch */
    CHECK_EQ(after.in_use, before.in_use);
}
