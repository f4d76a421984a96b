/* The CUDA backend, on the fake driver of tests/fakecuda or on libraries that have nothing but names. */
#include <situ.h>

#include "base/queue.h"
#include "device/device.h"
#include "support/fake_cuda.h"

static bool message_has(const char *text) { return strstr(situ_error_message(), text) != NULL; }

/* ---------------------------------------------------------------- reasons */

static void remember(void *self, const char *backend, situ_device d, const situ_device_info *info, const char *reason)
{
    char *text = self;
    if (strcmp(backend, "cuda")) return;
    size_t used = strlen(text);
    snprintf(text + used, 1024 - used, "[%s %d] ", info ? info->name : reason, d.index);
}

/* In the process that was started: there is no GPU, for the reason that the environment tells. */
TEST(absent)
{
    const char *reason = getenv("SITU_TEST_REASON");
    char text[1024] = "";
    if (!reason) SKIP("other tests start this one");
    situ_devices_visit(remember, text);
    if (!CHECK(strstr(text, reason))) printf("  it says %s\n", text);
    CHECK_EQ(situ_num_gpus(), 0);
    CHECK(!situ_dev_open(situ_gpu(), "main.c:7"));
    if (!CHECK(message_has(reason))) printf("  it says %s\n", situ_error_message());
    CHECK_CODE(SITU_NO_DEVICE);
}

static void expect_absent(const char *reason, const char *environment)
{
    char all[3400];
    snprintf(all, sizeof all, "SITU_SIM_GPUS=0 SITU_TEST_REASON='%s' %s", reason, environment);
    run_again("cuda/absent", all);
}

/* A library of this C text. */
static const char *make_library(const char *name, const char *text)
{
    char command[8000];
    const char *path = test_path(name);
    snprintf(command, sizeof command, "echo '%s' | cc -w -shared -fPIC -x c -o '%s' -", text, path);
    CHECK_EQ(system(command), 0);
    return path;
}

TEST(libraries_that_are_none)
{
    char environment[700];
    expect_absent("/nowhere/libcuda.so.1: not found: no NVIDIA driver is installed", "SITU_LIBCUDA=/nowhere/libcuda.so.1");
    if (system("cc --version >/dev/null 2>&1")) SKIP("no C compiler named cc");
    snprintf(environment, sizeof environment, "SITU_LIBCUDA='%s'", make_library("libold.so", "int cuInit; int cuDriverGetVersion;"));
    expect_absent("libold.so is too old: it lacks cuGetErrorName; cuGetErrorString; cuDeviceGetCount; ", environment);
    const char *text = test_path("libtext.so");
    FILE *f = fopen(text, "w");
    if (!CHECK(f)) return;
    fputs("no library\n", f);
    fclose(f);
    snprintf(environment, sizeof environment, "SITU_LIBCUDA='%s'", text);
    expect_absent("libtext.so cannot be loaded: ", environment);
    CHECK_OK();
}

/* What the fake driver is told to say. */
TEST(drivers_and_cards_that_do_not_do)
{
    static const struct { const char *environment, *reason; } cases[] = {
        {"FAKECUDA_FAIL=cuInit:1:100", "the NVIDIA driver finds no GPU (cuInit: CUDA_ERROR_NO_DEVICE)"},
        {"FAKECUDA_FAIL=cuInit:1:100 CUDA_VISIBLE_DEVICES=", "CUDA_VISIBLE_DEVICES is set"},
        {"FAKECUDA_FAIL=cuInit:1:803", "the NVIDIA driver does not start: cuInit: "},
        {"FAKECUDA_FAIL=cuDriverGetVersion:1:1", "the NVIDIA driver does not tell its version: CUDA_ERROR_INVALID_VALUE"},
        {"FAKECUDA_DRIVER=11080", "the NVIDIA driver is too old: it is for CUDA 11.8, and situ needs 12.0 or newer; update the driver"},
        {"FAKECUDA_FAIL=cuDeviceGetCount:1:999", "the NVIDIA driver does not count its GPUs: CUDA_ERROR_UNKNOWN"},
        {"FAKECUDA_FAIL=cuDeviceGetName:1:999 FAKECUDA_DEVICES=1", "GPU 0 of CUDA does not answer: CUDA_ERROR_UNKNOWN"},
        {"FAKECUDA_CAPABILITY=7.0 FAKECUDA_DEVICES=1", "is too old: its compute capability is 7.0, and situ needs 7.5 or more"},
        {"SITU_NVRTC=/nowhere/libnvrtc.so.12", "there are 2 GPUs, but not NVRTC, which compiles kernels (/nowhere/libnvrtc.so.12: not found)"},
        {"SITU_NVRTC=/nowhere/libnvrtc.so.12", "pip install nvidia-cuda-nvrtc-cu12 and set SITU_NVRTC to its libnvrtc.so.12"},
        {"FAKECUDA_FAIL=nvrtcVersion:1:11", "does not tell its version: "},
    };
    char environment[3000];
    const char *folder = fake_cuda_folder();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(environment, sizeof environment, "SITU_LIBCUDA='%s/libcuda.so.1' SITU_NVRTC='%s/libnvrtc.so' FAKECUDA_DEVICES=2 %s", folder, folder, cases[i].environment);
        expect_absent(cases[i].reason, environment);
    }
    CHECK_OK();
}

/* One of two cards is too old: the other one is gpu(0), and the list says what became of the first. */
TEST(a_card_that_is_too_old_is_no_gpu)
{
    if (!on_fake_cuda("cuda/a_card_that_is_too_old", "FAKECUDA_CAPABILITY=6.1,8.6")) return;
    char text[1024] = "";
    CHECK_EQ(situ_num_gpus(), 1);
    situ_devices_visit(remember, text);
    CHECK(strstr(text, "GPU 0 of CUDA (") && strstr(text, "its compute capability is 6.1"));
    situ_device_info info;
    CHECK_EQ(situ_device_describe(situ_gpu(), &info), 0);
    CHECK(strstr(info.driver, "compute capability 8.6"));
    CHECK_OK();
}

/* Real cards are numbered first. */
TEST(simulated_gpus_come_after_cards)
{
    if (!on_fake_cuda("cuda/simulated_gpus_come_after", "SITU_SIM_GPUS=2")) return;
    situ_device_info info;
    CHECK_EQ(situ_num_gpus(), 4);
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(situ_device_describe(situ_gpu(i), &info), 0);
        CHECK_STR(info.backend, i < 2 ? "cuda" : "sim");
    }
    CHECK_OK();
}

TEST(tells_what_it_is)
{
    if (!on_fake_cuda("cuda/tells_what_it_is", "")) return;
    situ_device_info info;
    situ_memory m;
    CHECK_EQ(situ_device_describe(situ_gpu(1), &info), 0);
    CHECK_STR(info.backend, "cuda");
    CHECK(info.name[0] && strstr(info.driver, "CUDA 12.4") && strstr(info.driver, "NVRTC 12.") && info.bit_equal && !info.simulated);
    CHECK_EQ(info.memory_total, 256 << 20);
    CHECK(info.utilization >= 0 && info.utilization <= 1);
    CHECK_EQ(situ_memory_of(situ_gpu(1), &m), 0);
    CHECK_EQ(m.limit, info.memory_total);
    CHECK_OK();
}

/* ---------------------------------------------------------------- computing */

/* (x + 1) * tanh(x), summed: two kernels or one, from the host and back. */
static int compute(situ_device d, float *out, situ_site site)
{
    situ_scope *scope = situ_scope_open();
    float in[5] = {1, 2, 3, 4, 5};
    situ_tensor *x = situ_from_host(in, SHAPE(5), .device = d);
    situ_tensor *y = (situ_sum)((situ_mul)((situ_add)(x, situ_scalar_int(1), site), situ_tanh(x), site), NULL, site);
    int rc = situ_read(y, out, sizeof *out);
    situ_scope_close(scope);
    return rc;
}

static int (*violations)(char *text, size_t size);
static int (*living)(char *text, size_t size);
static void (*fail_call)(const char *function, int nth, int code);
static long (*calls_of)(const char *function);

static void find_fake(void)
{
    CHECK(situ_num_gpus() >= 1);
    *(void **)&violations = fake_cuda_symbol("fakecuda_violations");
    *(void **)&living = fake_cuda_symbol("fakecuda_live");
    *(void **)&fail_call = fake_cuda_symbol("fakecuda_fail");
    *(void **)&calls_of = fake_cuda_symbol("fakecuda_calls");
}

/* The device layer is closed: nothing was done wrong, nothing is left. */
static void expect_tidy(void)
{
    static char text[4096];
    situ_shutdown();
    if (!CHECK_EQ(violations(text, sizeof text), 0)) printf("%s", text);
    if (!CHECK_EQ(living(text, sizeof text), 0)) printf("%s", text);
}

TEST(computes)
{
    if (!on_fake_cuda("cuda/computes", "")) return;
    float a = 0, b = 1;
    find_fake();
    CHECK_EQ(compute(situ_cpu(), &a, SITU_HERE), 0);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(compute(situ_gpu(i), &b, SITU_HERE), 0);
        CHECK(a == b);
    }
    CHECK(calls_of("cuLaunchKernel") > 0);
    CHECK_EQ(calls_of("pageable"), 0);
    expect_tidy();
    CHECK_OK();
}

/* What OpenCL devices are tested with. */
TEST(passes_the_tests_of_devices)
{
    if (getenv("SITU_TEST_AGAIN")) return;
    on_fake_cuda("opencl", "SITU_TEST_BACKEND=cuda FAKECUDA_MEMORY=1024");
    CHECK_OK();
}
