/* The fake CUDA driver (tests/fakecuda/fakecuda.h) for tests: its functions by name, and what tests ask of it.
 *
 *     need_fake(2);                             // two devices; forgets what happened before
 *     CU(cuMemAlloc_v2)(&p, 400);               // a function of the driver, with its code as a result
 *     CHECK_EQ(fake.violations(NULL, 0), 0);
 */
#ifndef SITU_TEST_FAKE_DRIVER_H
#define SITU_TEST_FAKE_DRIVER_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "places.h"

static struct {
    void *driver, *nvrtc, *nvml;
    int (*violations)(char *text, size_t size);
    int (*live)(char *text, size_t size);
    void (*fail)(const char *function, int nth, int code);
    long (*calls)(const char *function);
    long long (*bytes)(const char *direction);
    void (*reset)(void);
    void (*order)(int order, unsigned seed);
} fake;

static inline void *fake_symbol(void *library, const char *name)
{
    void *symbol = library ? dlsym(library, name) : NULL;
    if (!symbol) printf("  the fake has no %s\n", name);
    CHECK(symbol != NULL);
    return symbol;
}

#define FAKE_FIND(field, name)                                \
    do {                                                      \
        void *symbol_ = fake_symbol(fake.driver, name);       \
        memcpy(&fake.field, &symbol_, sizeof symbol_);        \
    } while (0)

static inline void fake_open(void)
{
    if (fake.driver) return;
    fake.driver = dlopen(SITU_FAKECUDA_DIR "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    fake.nvrtc = dlopen(SITU_FAKECUDA_DIR "/libnvrtc.so", RTLD_NOW | RTLD_LOCAL);
    fake.nvml = dlopen(SITU_FAKECUDA_DIR "/libnvidia-ml.so", RTLD_NOW | RTLD_LOCAL);
    if (!fake.driver || !fake.nvrtc || !fake.nvml) printf("  %s\n", dlerror());
    FAKE_FIND(violations, "fakecuda_violations");
    FAKE_FIND(live, "fakecuda_live");
    FAKE_FIND(fail, "fakecuda_fail");
    FAKE_FIND(calls, "fakecuda_calls");
    FAKE_FIND(bytes, "fakecuda_bytes");
    FAKE_FIND(reset, "fakecuda_reset");
    FAKE_FIND(order, "fakecuda_order");
}

/* Keeps compiled kernels between runs; collects violations instead of printing them. */
static inline void need_fake(int devices)
{
    char text[16];
    if (system("${FAKECUDA_CXX:-c++} --version >/dev/null 2>&1")) SKIP("no C++ compiler: the fake CUDA driver cannot run kernels");
    snprintf(text, sizeof text, "%d", devices);
    setenv("FAKECUDA_DEVICES", text, 1);
    setenv("FAKECUDA_CACHE", SITU_FAKECUDA_DIR "/cache", 0);
    setenv("FAKECUDA_REPORT", "/dev/null", 1);
    fake_open();
    fake.reset();
}

/* Whether exactly this violation happened, or none (NULL). */
static inline bool fake_said(const char *words)
{
    static char text[8192];
    int count = fake.violations(text, sizeof text);
    bool right = words ? count > 0 && strstr(text, words) != NULL : count == 0;
    if (!right) printf("  expected %s, found %d violations:\n%s", words ? words : "no violation", count, text);
    return right;
}

#endif
