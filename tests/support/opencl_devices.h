/* OpenCL devices for tests. PoCL shows as many as POCL_DEVICES names, if that is set before OpenCL is first used. */
#ifndef SITU_TEST_OPENCL_DEVICES_H
#define SITU_TEST_OPENCL_DEVICES_H

#include <situ/device.h>
#include <stdlib.h>

#include "test.h"

__attribute__((constructor)) static inline void two_opencl_devices(void) { setenv("POCL_DEVICES", "pthread pthread", 0); }

/* Skips the test unless there are so many. */
static inline void need_opencl(int count)
{
    if (situ_num_opencl() >= count) return;
    situ_device_info info;
    static char reason[512];
    if (situ_num_opencl()) SKIP("there is only one OpenCL device");
    situ_device_describe(situ_opencl(), &info);
    snprintf(reason, sizeof reason, "%s", situ_error_message());
    situ_error_take(NULL);
    SKIP(reason);
}

#endif
