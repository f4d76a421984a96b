/* The CUDA backend, on the fake driver of tests/fakecuda or on libraries that have nothing but names. */
#include <situ.h>

#include "backend/cuda/cuda.h"
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

/* Runs in the started process: there is no GPU, for the reason that the environment gives. */
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
    snprintf(command, sizeof command, "echo '%s' | ${SITU_TEST_CC:-cc} -w -shared -fPIC -x c -o '%s' -", text, path);
    CHECK_EQ(system(command), 0);
    return path;
}

TEST(libraries_that_are_none)
{
    char environment[700];
    expect_absent("/nowhere/libcuda.so.1: not found: no NVIDIA driver is installed", "SITU_LIBCUDA=/nowhere/libcuda.so.1");
    if (system("${SITU_TEST_CC:-cc} --version >/dev/null 2>&1")) SKIP("no C compiler named cc");
    snprintf(environment, sizeof environment, "SITU_LIBCUDA='%s'", make_library("libold.so", "int cuInit; int cuDriverGetVersion;"));
    expect_absent("libold.so is too old: it lacks cuGetErrorName; cuGetErrorString; cuDeviceGetCount; ", environment);
    const char *text = test_path("libtext.so");
    FILE *f = fopen(text, "w");
    if (!CHECK(f)) return;
    fputs("no library\n", f);
    fclose(f);
    snprintf(environment, sizeof environment, "SITU_LIBCUDA='%s'", text);
    expect_absent("libtext.so cannot be loaded: ", environment);
}

/* Drivers and cards that are refused; the environment tells the fake driver what to report. */
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
}

/* NVML has sensors; a card without one says nothing, and nothing is made up. */
TEST(tells_power_and_temperature_where_the_driver_does)
{
    if (!on_fake_cuda("cuda/tells_power_and_temperature", "")) return;
    for (int i = 0; i < 2; i++) {
        double watts = -1, celsius = -1;
        situ_dev *d = situ_dev_open(situ_gpu(i), NULL);
        if (!CHECK(d)) return;
        situ_cuda_sense(d, &watts, &celsius);
        CHECK_NEAR(watts, 123.4 + 1e-3 * i, 1e-9);
        CHECK_NEAR(celsius, i ? -1 : 61, 0);
    }
}

/* NVML lists all processes; one of another container has no name, and its memory may be unknown. */
TEST_IN_SCOPE(tells_whose_processes_use_a_card)
{
    if (!on_fake_cuda("cuda/tells_whose_processes_use_a_card", "")) return;
    situ_tensor *x = situ_keep(situ_ones(SHAPE(1 << 20), .device = situ_gpu(1)));
    situ_wait(x);
    situ_device_process p[4];
    CHECK_EQ(situ_device_processes(situ_gpu(1), p, 4), 2);
    CHECK_EQ(p[0].pid, getpid());
    CHECK(p[0].memory >= 4 << 20 && p[0].name[0]);
    CHECK_EQ(p[1].pid, 1);
    CHECK_EQ(p[1].memory, -1);
    CHECK_EQ(situ_device_processes(situ_gpu(1), p, 1), 2);
    situ_release(x);
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
static void (*forget)(void);

static void find_fake(void)
{
    CHECK(situ_num_gpus() >= 1);
    *(void **)&violations = fake_cuda_symbol("fakecuda_violations");
    *(void **)&living = fake_cuda_symbol("fakecuda_live");
    *(void **)&fail_call = fake_cuda_symbol("fakecuda_fail");
    *(void **)&calls_of = fake_cuda_symbol("fakecuda_calls");
    *(void **)&forget = fake_cuda_symbol("fakecuda_reset");
}

/* After the device layer was closed: no rule was broken and nothing is left. */
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
}

/* Runs the tests written for OpenCL devices. The first run takes long, because kernels are compiled. */
static void pass_the_tests(const char *filter)
{
    if (getenv("SITU_TEST_AGAIN")) return;
    on_fake_cuda(filter, "SITU_TEST_BACKEND=cuda SITU_CUDNN=none FAKECUDA_MEMORY=1024");
    CHECK_OK();
}
TEST(passes_the_tests_of_devices) { pass_the_tests("opencl/"); }
TEST(passes_the_tests_of_bits) { pass_the_tests("opencl_bits/"); }
TEST(passes_the_tests_of_operations) { pass_the_tests("opencl_ops/"); }
TEST(passes_the_tests_of_convolutions) { pass_the_tests("opencl_conv/"); }
TEST(passes_the_tests_of_factors) { pass_the_tests("opencl_factors/"); }

/* ---------------------------------------------------------------- errors at each call in turn */

/* Work of two devices: an upload, a group, a checked index, a product, a copy to the other device, an update, reads;
 * three times, so that a run comes again. 0, 1: a wrong value, or a negative code. */
static int exercise(void)
{
    situ_device a = situ_gpu(0), b = situ_gpu(1);
    float in[6] = {1, 2, 3, 4, 5, 6}, out[4], last[4] = {0};
    int64_t at[2] = {1, 0};
    int wrong = 0;
    situ_tensor *sum = situ_variable(situ_zeros(SHAPE(2, 2), .device = b));
    for (int i = 0; i < 3; i++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_from_host(in, SHAPE(2, 3), .device = a);
        situ_tensor *index = situ_from_host(at, SHAPE(2), .dtype = SITU_I64, .device = a);
        situ_tensor *y = situ_take(situ_add(situ_mul(x, 2), i), index, .axis = 0);
        situ_tensor *z = situ_to(situ_matmul(y, situ_transpose(x)), b);
        situ_assign(sum, situ_add(sum, z));
        if (!situ_read(z, out, sizeof out)) wrong |= out[0] != 64 + 6 * (float)i || out[3] != 64 + 15 * (float)i;
        situ_scope_close(scope);
    }
    if (!situ_read(sum, last, sizeof last)) wrong |= last[0] != 64 * 3 + 18 || last[3] != 64 * 3 + 45;
    situ_release(sum);
    situ_wait(NULL); /* a failed update left the old value, and reports it here */
    return situ_failed() ? -situ_failed() : wrong;
}

static const char *const functions[] = {
    "cuDeviceTotalMem_v2", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuMemAlloc_v2", "cuMemHostAlloc", "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2", "cuMemcpyPeerAsync", "cuMemsetD32Async", "cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess", "cuStreamCreate",
    "cuStreamSynchronize", "cuStreamWaitEvent", "cuEventCreate", "cuEventRecord", "cuEventSynchronize", "cuModuleLoadDataEx",
    "cuModuleGetFunction", "cuLaunchKernel", "cuGraphCreate", "cuGraphAddKernelNode_v2", "cuGraphInstantiateWithFlags",
    "cuGraphExecKernelNodeSetParams_v2", "cuGraphLaunch", "nvrtcCreateProgram", "nvrtcCompileProgram", "nvrtcGetCUBINSize", "nvrtcGetCUBIN",
    "kernel", "copy"};

/* SITU_TEST_ALL=1: each of them, which takes minutes. */
static void fail_each(const char *function, int code)
{
    static char text[4096];
    bool all = getenv("SITU_TEST_ALL") != NULL;
    situ_shutdown();
    long before = calls_of(function);
    CHECK_EQ(exercise(), 0);
    situ_shutdown();
    long calls = calls_of(function) - before;
    for (int n = 1; n <= calls; n += calls > 4 && !all ? (int)calls / 4 : 1) {
        fail_call(function, n, code);
        int rc = exercise();
        bool good = CHECK(rc <= 0);
        if (rc < 0) good &= CHECK(rc == -situ_failed() && *situ_error_message());
        situ_error_take(NULL);
        fail_call(function, n, 0);
        if (rc < 0 && exercise() < 0) { /* a lost device stays lost until everything is closed */
            good &= CHECK(message_has("lost"));
            if (!good) printf("  it says %s\n", situ_error_message());
            situ_error_take(NULL);
        }
        situ_shutdown();
        /* to the driver, work of a context that broke is never waited for */
        if (!strcmp(function, "kernel") || !strcmp(function, "copy")) forget();
        else good &= CHECK_EQ(violations(text, sizeof text), 0);
        if (!good) printf("  after %s failed with %d the %d. time of %ld: %s\n", function, code, n, calls, text);
        if (!good) return;
    }
    CHECK_EQ(exercise(), 0);
}

TEST(survives_each_call_that_fails)
{
    if (!on_fake_cuda("cuda/survives_each_call", "")) return;
    find_fake();
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        static const int codes[] = {1, 2, 700}; /* CUDA_ERROR_INVALID_VALUE, _OUT_OF_MEMORY, _ILLEGAL_ADDRESS */
        bool compiler = !strncmp(functions[i], "nvrtc", 5), execution = !compiler && strncmp(functions[i], "cu", 2) != 0;
        for (int k = 0; k < 3; k++) {
            if ((compiler && k) || (execution && k < 2)) continue;
            if (getenv("SITU_TEST_ALL") || compiler || execution || k == (int)i % 3) fail_each(functions[i], codes[k]);
        }
    }
    expect_tidy();
}

/* ---------------------------------------------------------------- devices that break */

/* A kernel that writes out of bounds loses its device. The other device continues, and so does this one after a
 * shutdown. */
static void lose_a_device(const char *named)
{
    float a = 0, b = 1, out[2];
    int64_t index[2] = {1, 0};
    find_fake();
    CHECK_EQ(compute(situ_gpu(1), &a, SITU_HERE), 0);
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_from_host(((float[]){1, 2}), SHAPE(2), .device = situ_gpu(0));
    situ_tensor *i = situ_from_host(index, SHAPE(2), .dtype = SITU_I64, .device = situ_gpu(0));
    CHECK_EQ(situ_read(x, out, sizeof out), 0);
    situ_tensor *y = situ_cumsum(situ_add(x, 1));
    situ_tensor *z = (situ_take)(y, i, NULL, "model.c:12");
    fail_call("kernel", 3, 700);
    CHECK_EQ(situ_read(z, out, sizeof out), -SITU_DEVICE_LOST);
    if (!CHECK(message_has(named) && message_has("device lost on gpu(0) while computing: cu") &&
               message_has(": CUDA_ERROR_ILLEGAL_ADDRESS; this device is lost, others are not; CUDA promises it again to a new process only") && message_has("no variable was changed")))
        printf("  it says %s\n", situ_error_message());
    CHECK_CODE(SITU_DEVICE_LOST);
    CHECK_FAILS(SITU_DEVICE_LOST, situ_read(x, out, sizeof out),
                "gpu(0) did not give the data: device lost: cu", "CUDA_ERROR_ILLEGAL_ADDRESS");
    situ_from_host(out, SHAPE(2), .device = situ_gpu(0));
    if (!CHECK(message_has("CUDA_ERROR_ILLEGAL_ADDRESS"))) printf("  it says %s\n", situ_error_message());
    CHECK_CODE(SITU_DEVICE_LOST);
    situ_device_info info;
    CHECK_FAILS(SITU_DEVICE_LOST, situ_device_describe(situ_gpu(0), &info),
                "cuda does not answer: cu", "CUDA_ERROR_ILLEGAL_ADDRESS");
    situ_scope_close(scope);
    CHECK_EQ(compute(situ_gpu(1), &b, SITU_HERE), 0);
    CHECK(a == b);
    situ_shutdown();
    CHECK_EQ(compute(situ_gpu(0), &b, SITU_HERE), 0);
    CHECK(a == b);
    expect_tidy();
}

TEST(a_lost_device_is_lost_alone)
{
    if (!on_fake_cuda("cuda/a_lost_device_is_lost_alone", "")) return;
    lose_a_device("(or one of the 2 steps after it)");
}

/* With this setting the error names the kernel. */
TEST(waiting_after_each_kernel_names_it)
{
    if (!on_fake_cuda("cuda/waiting_after_each_kernel", "SITU_CUDA_SYNC=1")) return;
    lose_a_device("model.c:12: take: ");
}

TEST(out_of_memory_lists_the_largest)
{
    if (!on_fake_cuda("cuda/out_of_memory_lists", "FAKECUDA_MEMORY=64")) return;
    find_fake();
    situ_scope *scope = situ_scope_open();
    void *host = calloc(10 << 20, 4);
    situ_tensor *big = situ_from_host(host, SHAPE(10, 1 << 20), .device = situ_gpu());
    free(host);
    CHECK_EQ(situ_memory_limit(situ_gpu(), 0), 0); /* no limit of ours: the driver refuses */
    situ_tensor *more = situ_exp(big);
    CHECK_EQ(situ_eval(TENSORS(more)), -SITU_DEVICE_MEMORY);
    if (!CHECK(message_has("out of memory on gpu(0): 40 MiB asked for by \"exp\" f32[10,1048576]") && message_has("\"from_host\" f32[10,1048576] 40 MiB, made at tests/unit/test_cuda.c:")))
        printf("  it says %s\n", situ_error_message());
    CHECK_CODE(SITU_DEVICE_MEMORY);
    situ_scope_close(scope);
    float a;
    CHECK_EQ(compute(situ_gpu(), &a, SITU_HERE), 0);
    expect_tidy();
}

/* ---------------------------------------------------------------- runs that come again */

TEST(a_run_that_comes_again_is_started_as_one)
{
    if (!on_fake_cuda("cuda/a_run_that_comes_again", "")) return;
    float out[2][64];
    find_fake();
    long graphs = calls_of("cuGraphLaunch");
    for (int k = 0; k < 2; k++) { /* on the CPU and on the card */
        situ_tensor *sum = situ_variable(situ_ones(SHAPE(64), .device = k ? situ_gpu() : situ_cpu()));
        for (int i = 0; i < 8; i++) {
            situ_scope *scope = situ_scope_open();
            situ_assign(sum, situ_cumsum(situ_add(situ_mul(situ_cumsum(sum), 1e-3), i)));
            CHECK_EQ(situ_wait(sum), 0);
            situ_scope_close(scope);
        }
        CHECK_EQ(situ_read(sum, out[k], sizeof out[k]), 0);
        situ_release(sum);
    }
    CHECK(!memcmp(out[0], out[1], sizeof out[0]));
    CHECK(calls_of("cuGraphLaunch") - graphs >= 5);
    CHECK(calls_of("cuGraphExecKernelNodeSetParams_v2") >= 5); /* with another number each time */
    expect_tidy();
}

/* More operands than a kernel may have parameters: they are passed in a table. */
TEST(many_operands_go_by_a_table)
{
    enum { PARTS = 700 };
    if (!on_fake_cuda("cuda/many_operands", "")) return;
    static situ_tensor *part[PARTS];
    static float in[PARTS][3], out[PARTS][3];
    find_fake();
    for (int turn = 0; turn < 3; turn++) {
        situ_scope *scope = situ_scope_open();
        for (int i = 0; i < PARTS; i++) {
            for (int k = 0; k < 3; k++) in[i][k] = (float)(3 * i + k + turn);
            part[i] = situ_from_host(in[i], SHAPE(1, 3), .device = situ_gpu());
        }
        situ_tensor *all = situ_concat(TENSORS_OF(part, PARTS), .axis = 0);
        CHECK_EQ(situ_read(all, out, sizeof out), 0);
        CHECK(!memcmp(in, out, sizeof in));
        situ_scope_close(scope);
    }
    expect_tidy();
}

/* ---------------------------------------------------------------- between devices */

static void move_around(void)
{
    enum { N = 2000, MANY = 1100000 }; /* more than two pieces of pinned memory */
    static float in[MANY], out[MANY];
    find_fake();
    for (int i = 0; i < MANY; i++) in[i] = (float)i;
    for (int turn = 0; turn < 3; turn++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_from_host(in, SHAPE(N), .device = situ_gpu(0));
        situ_tensor *y = situ_add(situ_to(situ_mul(x, 2), situ_gpu(1)), turn);
        situ_tensor *z = situ_sub(situ_to(situ_mul(y, 3), situ_gpu(0)), x);
        situ_tensor *w = situ_add(situ_to(situ_to(z, situ_cpu()), situ_gpu(1)), y);
        CHECK_EQ(situ_read(w, out, N * sizeof *out), 0);
        int wrong = 0;
        for (int i = 0; i < N; i++) wrong += out[i] != (2 * in[i] + (float)turn) * 3 - in[i] + (2 * in[i] + (float)turn);
        CHECK_EQ(wrong, 0);
        x = situ_from_host(in, SHAPE(MANY), .device = situ_gpu(0));
        CHECK_EQ(situ_read(situ_to(x, situ_gpu(1)), out, sizeof out), 0);
        CHECK(!memcmp(in, out, sizeof in));
        situ_scope_close(scope);
    }
    CHECK_EQ(calls_of("pageable"), 0);
    expect_tidy();
    CHECK_OK();
}

TEST(moves_between_devices)
{
    static const char *const how[] = {"", "FAKECUDA_PEERS=0", "FAKECUDA_ORDER=lazy", "FAKECUDA_SEED=2"};
    if (getenv("SITU_TEST_AGAIN")) {
        move_around();
        return;
    }
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) on_fake_cuda("cuda/moves_between_devices", how[i]);
}

/* A value goes from card to card: the second waits for the first by an event, the host for each of them once. */
TEST(cards_follow_each_other_by_events)
{
    if (!on_fake_cuda("cuda/cards_follow", "")) return;
    float in[64] = {3}, out[64];
    find_fake();
    for (int turn = 0; turn < 4; turn++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_from_host(in, SHAPE(64), .device = situ_gpu(0));
        situ_tensor *y = situ_add(situ_to(situ_cumsum(situ_mul(x, 2)), situ_gpu(1)), turn);
        long waits = calls_of("cuStreamSynchronize"), events = calls_of("cuStreamWaitEvent");
        CHECK_EQ(situ_eval(TENSORS(y)), 0);
        CHECK_EQ(situ_wait(y), 0);
        CHECK_EQ(situ_wait(NULL), 0);
        CHECK_EQ(calls_of("cuStreamSynchronize") - waits, 2);
        CHECK(calls_of("cuStreamWaitEvent") > events);
        CHECK_EQ(situ_read(y, out, sizeof out), 0);
        CHECK(out[63] == 6 + (float)turn);
        situ_scope_close(scope);
    }
    expect_tidy();
}
