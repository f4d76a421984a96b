/* Tests with the fake CUDA driver of tests/fakecuda. A process opens one driver in its life, so a test runs itself
 * again in a process of its own:
 *
 *     TEST(adds)
 *     {
 *         if (!on_fake_cuda("cuda/adds", "FAKECUDA_DEVICES=1")) return;
 *         ...                       // here gpu(0) is a fake one
 *     } */
#ifndef SITU_TEST_FAKE_CUDA_H
#define SITU_TEST_FAKE_CUDA_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

/* The folder of the fake libraries, beside this program. Skips the test if they are not built. */
static inline const char *fake_cuda_folder(void)
{
    static char path[1024], probe[1100];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 16);
    if (n < 0) SKIP("no /proc/self/exe");
    path[n] = 0;
    *strrchr(path, '/') = 0;
    strcat(path, "/fakecuda");
    snprintf(probe, sizeof probe, "%s/libcuda.so.1", path);
    if (access(probe, R_OK)) SKIP("the fake CUDA driver is not built");
    return path;
}

/* The folder where its compiled kernels are cached; scripts/test uses one for all builds. */
static inline const char *fake_cuda_cache(void)
{
    static char path[1100];
    const char *shared = getenv("FAKECUDA_CACHE");
    if (shared && *shared) return shared;
    snprintf(path, sizeof path, "%s/cache", fake_cuda_folder());
    return path;
}

/* Runs tests of this program again with additional environment variables; prints their output if one failed. */
static inline bool run_again(const char *filter, const char *environment)
{
    static int runs;
    char command[4096], log[512], line[400], name[32];
    snprintf(name, sizeof name, "again%d.log", runs++);
    snprintf(log, sizeof log, "%s", test_path(name));
    snprintf(command, sizeof command, "SITU_TEST_AGAIN=1 %s %s %s >'%s' 2>&1", environment, test_self(), filter, log);
    bool good = CHECK_EQ(system(command), 0);
    FILE *f = good ? NULL : fopen(log, "r");
    if (!good) printf("  of: %s %s\n", environment, filter);
    while (f && fgets(line, sizeof line, f)) printf("  | %s", line);
    if (f) fclose(f);
    return good;
}

/* True in the process with fake GPUs; else starts that process and returns false. */
static inline bool on_fake_cuda(const char *filter, const char *more)
{
    char environment[3000];
    if (getenv("SITU_TEST_AGAIN")) return true;
    const char *folder = fake_cuda_folder();
    snprintf(environment, sizeof environment, "SITU_SIM_GPUS=0 SITU_LIBCUDA='%s/libcuda.so.1' SITU_NVRTC='%s/libnvrtc.so' "
             "SITU_NVML='%s/libnvidia-ml.so' SITU_CUBLASLT=none SITU_CUDNN=none FAKECUDA_CACHE='%s' FAKECUDA_DEVICES=2 FAKECUDA_MEMORY=256 XDG_CACHE_HOME='%s' %s",
             folder, folder, folder, fake_cuda_cache(), test_path("cache"), more);
    run_again(filter, environment);
    return false;
}

/* A function of the fake driver opened by this process. */
static inline void *fake_cuda_symbol(const char *name)
{
    void *library = dlopen(getenv("SITU_LIBCUDA"), RTLD_NOW | RTLD_NOLOAD);
    void *symbol = library ? dlsym(library, name) : NULL;
    if (library) dlclose(library);
    CHECK(symbol != NULL);
    return symbol;
}

#endif
