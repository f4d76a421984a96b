/* Tests of PJRT in processes of their own, with a plugin whose behaviour environment variables change or break
 * (tests/fakepjrt). */
#ifndef SITU_TESTS_PJRT_SHIM_H
#define SITU_TESTS_PJRT_SHIM_H

#include <situ.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"
#include "places.h"

static inline void need_pjrt(int count)
{
    if (situ_num_pjrt() < count) SKIP("no PJRT plugin: set SITU_PJRT_PLUGIN, or let scripts/test install one");
}

/* Checks that in a process with this environment the reason for the missing device contains this text. */
static inline void expect_reason(const char *environment, const char *reason)
{
    char command[1200];
    snprintf(command, sizeof command, "%s SITU_TEST_REASON='%s' %s pjrt/other_plugins >/dev/null", environment, reason, test_self());
    CHECK_EQ(system(command), 0);
}

/* Runs a test of this file again with the real plugin behind the shim, this environment, and an empty program cache. */
static inline int through_shim(const char *test, const char *environment)
{
    char command[1600];
    const char *plugin = getenv("SITU_PJRT_PLUGIN");
    need_pjrt(2);
    if (strchr(plugin, ':') || !strcmp(plugin, SITU_FAKEPJRT)) SKIP("not one real plugin");
    snprintf(command, sizeof command,
        "cache=$(mktemp -d '%s'); XDG_CACHE_HOME=$cache FAKEPJRT_REAL='%s' SITU_PJRT_PLUGIN='" SITU_FAKEPJRT "' %s %s pjrt_shim/%s >/dev/null; "
        "code=$?; rm -rf \"$cache\"; exit $code", test_path("shimXXXXXX"), plugin, environment, test_self(), test);
    return system(command);
}

/* Uploads, kernels, a copy and a read on two devices. Returns 0 and the values, or an error. */
static inline int small_program(float *out)
{
    situ_scope *scope = situ_scope_open();
    float a[4] = {1, 2, 3, 4};
    situ_tensor *x = situ_mul(situ_from_host(a, SHAPE(4), .device = situ_pjrt(0)), 2.5);
    situ_tensor *y = situ_add(situ_to(x, situ_pjrt(1)), 1);
    int code = situ_read(y, out, 4 * sizeof *out);
    situ_scope_close(scope);
    return code;
}

#endif
