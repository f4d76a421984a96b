/* OpenCL devices for tests. PoCL shows as many as POCL_DEVICES names, if that is set before OpenCL is first used. With
 * SITU_TEST_BACKEND=cuda the tests of values run on gpu(0) and gpu(1) instead (used by test_cuda.c), with pjrt on
 * pjrt(0) and pjrt(1) (used by tests/checks/pjrt.sh). */
#ifndef SITU_TEST_OPENCL_DEVICES_H
#define SITU_TEST_OPENCL_DEVICES_H

#include <situ/device.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

__attribute__((constructor)) static inline void two_opencl_devices(void) { setenv("POCL_DEVICES", "pthread pthread", 0); }

static inline bool testing(const char *name)
{
    const char *backend = getenv("SITU_TEST_BACKEND");
    return backend && !strcmp(backend, name);
}
static inline bool testing_cuda(void) { return testing("cuda"); }
static inline bool testing_pjrt(void) { return testing("pjrt"); }

/* The i-th device that is tested. */
static inline situ_device tested_device(int i) { return testing_cuda() ? situ_gpu(i) : testing_pjrt() ? situ_pjrt(i) : situ_opencl(i); }

/* Skips the test unless there are so many of these devices. */
static inline void need_tested(int count)
{
    int found = testing_cuda() ? situ_num_gpus() : testing_pjrt() ? situ_num_pjrt() : situ_num_opencl();
    if (found >= count) return;
    situ_device_info info;
    static char reason[512];
    if (found) SKIP("there is only one such device");
    situ_device_describe(tested_device(0), &info);
    snprintf(reason, sizeof reason, "%s", situ_error_message());
    situ_error_take(NULL);
    SKIP(reason);
}

/* Skips the test unless there are so many OpenCL devices. */
static inline void need_opencl(int count)
{
    if (testing_cuda() || testing_pjrt()) SKIP("a test of OpenCL");
    need_tested(count);
}

#endif
