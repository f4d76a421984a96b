/* A library used together with the fake CUDA driver (fake_cuda.h), and checks of what the fakes observed. */
#ifndef SITU_TEST_FAKE_LIBRARY_H
#define SITU_TEST_FAKE_LIBRARY_H

#include <situ.h>

#include "support/fake_cuda.h"

static long (*calls_of)(const char *function);
static int (*violations)(char *text, size_t size);
static int (*living)(char *text, size_t size);
static void (*fail_call)(const char *function, int nth, int code);

/* True in the process with fake GPUs and the fake library `file`, which the environment variable `variable` names; else
 * starts that process for the test. */
static inline bool on_fake_library(const char *test, const char *name, const char *variable, const char *file, const char *more)
{
    char filter[128], environment[1600];
    const char *folder = fake_cuda_folder();
    snprintf(filter, sizeof filter, "%s/%s", test, name);
    snprintf(environment, sizeof environment, "%s='%s/%s' %s", variable, folder, file, more);
    if (!on_fake_cuda(filter, environment)) return false;
    CHECK_EQ(situ_num_gpus(), 2);
    *(void **)&calls_of = fake_cuda_symbol("fakecuda_calls");
    *(void **)&violations = fake_cuda_symbol("fakecuda_violations");
    *(void **)&living = fake_cuda_symbol("fakecuda_live");
    *(void **)&fail_call = fake_cuda_symbol("fakecuda_fail");
    return true;
}

/* Checks that nothing forbidden by CUDA was done, and that nothing is left after the library's end. */
static inline void check_fakes_are_tidy(void)
{
    static char text[4096];
    situ_shutdown();
    if (!CHECK_EQ(violations(text, sizeof text), 0)) printf("%s", text);
    if (!CHECK_EQ(living(text, sizeof text), 0)) printf("%s", text);
}

#endif
