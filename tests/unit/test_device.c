#include "test.h"

#include <situ.h>

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/queue.h"
#include "device/device.h"

static void at_least_two_gpus(void)
{
    if (situ_num_gpus() < 2) CHECK_EQ(situ_sim_gpus(2), 0);
}

static bool message_has(const char *part)
{
    if (strstr(situ_error_message(), part)) return true;
    printf("  \"%s\" has no \"%s\"\n", situ_error_message(), part);
    return false;
}

/* "cpu(0)", or the name of the error's code. */
static const char *parsed(const char *text)
{
    static char name[32];
    situ_device d;
    situ_error e;
    if (!situ_device_parse(text, &d)) return situ_device_name(d, name);
    situ_error_take(&e);
    return situ_code_name(e.code);
}

TEST(names_need_no_device)
{
    char name[32];
    CHECK_STR(situ_device_name(situ_cpu(), name), "cpu(0)");
    CHECK_STR(situ_device_name(situ_cpu(7), name), "cpu(0)");
    CHECK_STR(situ_device_name(situ_gpu(), name), "gpu(0)");
    CHECK_STR(situ_device_name(situ_gpu(31), name), "gpu(31)");
    CHECK_STR(situ_device_name(situ_tpu(2), name), "tpu(2)");
    CHECK_STR(situ_device_name(situ_null(), name), "null");
    CHECK_STR(situ_device_name(situ_opencl(1), name), "opencl(1)");
    CHECK_STR(situ_device_name(situ_gpu(-1), name), "gpu(-1)");
    CHECK_STR(situ_device_name((situ_device){99, 0}, name), "unknown(99)");
    CHECK(situ_device_equal(situ_cpu(), situ_cpu(7)));
    CHECK(situ_device_equal((situ_device){SITU_CPU, 3}, situ_cpu()));
    CHECK(situ_device_equal(situ_gpu(), situ_gpu(0)));
    CHECK(!situ_device_equal(situ_gpu(0), situ_gpu(1)));
    CHECK(!situ_device_equal(situ_gpu(0), situ_tpu(0)));
    CHECK(!situ_dev_exists(situ_gpu(INT_MAX)));
    CHECK(!situ_dev_exists(situ_gpu(INT_MIN)));
}

TEST(every_spelling_is_read)
{
    static const char *const cpu[] = {"cpu", "CPU", "cpu:0", "cpu(0)", "cpu(7)", "cpu()", " cpu ", "/CPU:0", "/device:CPU:0",
                                      "device:cpu:0", "/job:localhost/replica:0/task:0/device:CPU:0", "cpu( 3 )"};
    static const char *const gpu1[] = {"gpu(1)", "gpu:1", "cuda:1", "CUDA(1)", "/GPU:1", "/gpu:1", "/device:GPU:1",
                                       "/job:localhost/replica:0/task:0/device:GPU:1", "/job:localhost/device:GPU:1"};
    for (size_t i = 0; i < sizeof cpu / sizeof *cpu; i++) CHECK_STR(parsed(cpu[i]), "cpu(0)");
    for (size_t i = 0; i < sizeof gpu1 / sizeof *gpu1; i++) CHECK_STR(parsed(gpu1[i]), "gpu(1)");
    CHECK_STR(parsed("gpu"), "gpu(0)");
    CHECK_STR(parsed("cuda"), "gpu(0)");
    CHECK_STR(parsed("tpu:3"), "tpu(3)");
    CHECK_STR(parsed("null"), "null");
    CHECK_STR(parsed("opencl"), "opencl(0)");
    CHECK_STR(parsed("OpenCL:1"), "opencl(1)");
}

TEST(what_is_no_device_is_an_error)
{
    static const char *const bad[] = {"", " ", "gp", "gpux", "gpu(", "gpu(1", "gpu1)", "gpu:", "gpu:-1", "gpu(-1)", "gpu:1:2",
                                      "gpu:40000", "gpu(99999999999999999999)", "cpu;", "/", "/job:", "/device:", "vulkan:0",
                                      "/job:worker/replica:0/task:0/device:GPU:0", "/job:localhost/replica:0/task:1/cpu:0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK_STR(parsed(bad[i]), "bad argument");
    CHECK_STR(parsed(NULL), "bad argument");
    situ_device d;
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_device_parse("vulkan:0", &d), "vulkan:0", "gpu:1", "/device:GPU:1");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_device_parse("cpu", NULL));
}

TEST(try_forms_fall_back)
{
    at_least_two_gpus();
    int n = situ_num_gpus();
    situ_device all[64];
    CHECK(situ_device_equal(situ_try_gpu(1), situ_gpu(1)));
    CHECK(situ_device_equal(situ_try_gpu(n), situ_cpu()));
    CHECK(situ_device_equal(situ_try_gpu(-1), situ_cpu()));
    CHECK(situ_device_equal(situ_try_tpu_gpu(1), situ_gpu(1)));
    CHECK(situ_device_equal(situ_try_tpu_gpu(n), situ_cpu()));
    CHECK_EQ(situ_num_tpus(), 0);
    CHECK_EQ(situ_all_gpus(NULL, 0), n);
    CHECK_EQ(situ_all_gpus(all, 64), n);
    CHECK(situ_device_equal(all[1], situ_gpu(1)));
    all[1] = situ_null();
    CHECK_EQ(situ_try_all_gpus(all, 1), n);
    CHECK(situ_device_equal(all[1], situ_null()));
}

TEST(absent_device_says_what_exists)
{
    at_least_two_gpus();
    CHECK_FAILS(SITU_NO_DEVICE, situ_dev_open(situ_gpu(63), "main.c:7"),
                "main.c:7: gpu(63) does not exist: there are ", "gpu(0), gpu(1)");
    CHECK_FAILS(SITU_NO_DEVICE, situ_dev_open(situ_gpu(-1), NULL), "gpu(-1) does not exist");
    CHECK_FAILS(SITU_NO_DEVICE, situ_dev_open(situ_gpu(20000), NULL));
    CHECK_FAILS(SITU_NO_DEVICE, situ_dev_open(situ_tpu(0), NULL), "there is no TPU");
    CHECK_FAILS(SITU_BAD_DEVICE, situ_dev_open((situ_device){77, 0}, NULL));
}

/* Runs itself again in a process that was asked for no simulated GPU. */
TEST(without_gpus)
{
    if (!getenv("SITU_TEST_NO_GPUS")) {
        char command[2000];
        snprintf(command, sizeof command, "SITU_SIM_GPUS= SITU_TEST_NO_GPUS=1 %s device/without_gpus >%s 2>&1", test_self(),
                 test_path("log"));
        CHECK_EQ(system(command), 0);
        return;
    }
    situ_device all[2] = {situ_null(), situ_null()};
    if (situ_num_gpus()) SKIP("this machine has a GPU");
    CHECK(situ_device_equal(situ_try_gpu(0), situ_cpu()));
    CHECK_EQ(situ_all_gpus(all, 2), 0);
    CHECK_EQ(situ_try_all_gpus(all, 2), 1);
    CHECK(situ_device_equal(all[0], situ_cpu()) && situ_device_equal(all[1], situ_null()));
    CHECK(!situ_dev_open(situ_gpu(0), NULL));
    CHECK(message_has("there is no GPU (cuda: ") && message_has("sim: no simulated GPU was asked for"));
    CHECK(message_has("situ_try_gpu(0)") && message_has("SITU_SIM_GPUS=2"));
    CHECK_CODE(SITU_NO_DEVICE);
    CHECK_EQ(situ_sim_gpus(3), 0);
    CHECK_EQ(situ_num_gpus(), 3);
    CHECK(situ_dev_open(situ_gpu(2), NULL) != NULL);
}

TEST(opening_twice_gives_one_device)
{
    situ_dev *d = situ_dev_open(situ_cpu(), NULL);
    if (!CHECK(d)) return;
    CHECK(d == situ_dev_open((situ_device){SITU_CPU, 9}, NULL));
    CHECK_STR(d->backend->name, "cpu");
    at_least_two_gpus();
    CHECK(situ_dev_open(situ_gpu(0), NULL) != situ_dev_open(situ_gpu(1), NULL));
}

typedef struct seen { int rows, absent; bool cpu, cuda; } seen;

static void look(void *self, const char *backend, situ_device d, const situ_device_info *info, const char *reason)
{
    seen *s = self;
    s->rows++;
    CHECK((info == NULL) == (reason != NULL && *reason));
    if (!info) s->absent++;
    if (!strcmp(backend, "cuda")) s->cuda = true;
    if (strcmp(backend, "cpu")) return;
    s->cpu = d.kind == SITU_CPU && info && info->name[0] && info->memory_total > 0 && info->memory_used > 0 && info->bit_equal;
}

TEST(visit_sees_every_backend)
{
    seen s = {0, 0, false, false};
    at_least_two_gpus();
    situ_devices_visit(look, &s);
    CHECK(s.cpu && s.cuda);
    CHECK(s.rows >= 5); /* cpu, cuda, two simulated, null */
    situ_devices_visit(NULL, NULL);
}

TEST(describe_fills_in_what_is_known)
{
    situ_device_info info;
    at_least_two_gpus();
    CHECK_EQ(situ_device_describe(situ_cpu(), &info), 0);
    CHECK_STR(info.backend, "cpu");
    CHECK(info.utilization <= 1 && !info.simulated);
    CHECK_EQ(situ_device_describe(situ_null(), &info), 0);
    CHECK(!info.bit_equal);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_device_describe(situ_cpu(), NULL));
    CHECK_FAILS(SITU_NO_DEVICE, situ_device_describe(situ_tpu(0), &info));
}

static void *default_of_thread(void *out)
{
    *(situ_device *)out = situ_default_device();
    return NULL;
}

TEST(default_devices_nest_per_thread)
{
    pthread_t thread;
    situ_device other;
    CHECK(situ_device_equal(situ_default_device(), situ_cpu()));
    CHECK_EQ(situ_push_device(situ_gpu(1)), 0);
    CHECK_EQ(situ_push_device(situ_null()), 0);
    CHECK(situ_device_equal(situ_default_device(), situ_null()));
    CHECK_EQ(situ_pop_device(), 0);
    CHECK(situ_device_equal(situ_default_device(), situ_gpu(1)));
    pthread_create(&thread, NULL, default_of_thread, &other);
    pthread_join(thread, NULL);
    CHECK(situ_device_equal(other, situ_cpu()));
    CHECK_EQ(situ_pop_device(), 0);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_pop_device());
    CHECK_FAILS(SITU_BAD_DEVICE, situ_push_device((situ_device){0, 0}));
    int pushed = 0;
    while (!situ_push_device(situ_gpu(1))) pushed++;
    CHECK(message_has("situ_pop_device()"));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    while (pushed--) CHECK_EQ(situ_pop_device(), 0);
    CHECK(situ_device_equal(situ_default_device(), situ_cpu()));
}

TEST(strict_mode_has_no_default)
{
    situ_device d = {SITU_DEVICE_UNSET, 0};
    CHECK_EQ(situ_strict(true), 0);
    CHECK_FAILS(SITU_BAD_DEVICE, situ_device_resolve(&d, "main.c:3"), "main.c:3: ", ".device = situ_cpu()");
    CHECK_EQ(situ_default_device().kind, SITU_DEVICE_UNSET);
    CHECK_CODE(SITU_BAD_DEVICE);
    d = situ_gpu(1);
    CHECK_EQ(situ_device_resolve(&d, NULL), 0);
    CHECK_EQ(situ_strict(false), 0);
    d = (situ_device){SITU_DEVICE_UNSET, 0};
    CHECK_EQ(situ_device_resolve(&d, NULL), 0);
    CHECK(situ_device_equal(d, situ_cpu()));
}

TEST(null_device_accepts_everything)
{
    situ_dev *d = situ_dev_open(situ_null(), NULL);
    if (!CHECK(d)) return;
    situ_buffer *a = situ_buffer_new(d, (size_t)1 << 40, NULL, NULL), *b = situ_buffer_new(d, 0, NULL, NULL);
    if (!CHECK(a && b)) return;
    char host[16] = "something";
    CHECK(a->address != b->address);
    CHECK_EQ(d->backend->upload(d, a->address, host, sizeof host), 0);
    CHECK_EQ(d->backend->download(d, host, a->address, sizeof host), 0);
    CHECK(!host[0] && !host[8]);
    situ_buffer_unref(a);
    situ_buffer_unref(b);
}

TEST(processes_are_told)
{
    situ_device_process p[2];
    situ_device gpu = situ_gpu(situ_num_gpus()); /* a new one, which nobody has used */
    CHECK_EQ(situ_sim_gpus(situ_num_gpus() + 1), 0);
    CHECK_EQ(situ_device_processes(gpu, p, 2), 0);
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_ones(SHAPE(1000), .device = gpu);
    situ_wait(x);
    CHECK_EQ(situ_device_processes(gpu, p, 2), 1);
    CHECK_EQ(p[0].pid, getpid());
    CHECK(p[0].memory >= 4000 && p[0].name[0]);
    CHECK_EQ(situ_device_processes(gpu, NULL, 0), 1);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_device_processes(gpu, NULL, 1));
    CHECK_FAILS(SITU_NO_DEVICE, situ_device_processes(situ_tpu(), p, 2));
    situ_scope_close(scope);
}
