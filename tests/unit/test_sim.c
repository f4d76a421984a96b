#include "test.h"

#include <situ.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/sim/sim.h"
#include "base/memory.h"
#include "device/device.h"
#include "plan/kernel.h"
#include "support/fake_cuda.h"
#include "support/settled.h"

/* Each test has a simulated GPU of its own, so that none sees another's counters and failures. The host costs nothing
 * here (test_virtual_clock.c has what it costs), so that the times of devices and links are exact. */
static void free_host(void)
{
    CHECK_EQ(situ_sim_host_configure(SITU_SIM_HOST(.call = -1, .start = -1, .copy_bandwidth = -1, .kernel = -1, .core_flops = -1, .flops = -1,
                                                   .spread = -1, .memory_bandwidth = -1)), 0);
}

/* A new simulated GPU for each test, so that counters and failures are its own. */
static situ_device fresh(void)
{
    static int used = 16;
    free_host();
    CHECK_EQ(situ_sim_gpus(used + 1), 0);
    int others = situ_num_gpus() - (used + 1);
    return situ_gpu(others + used++);
}

static situ_sim_counters count(situ_device d)
{
    situ_sim_counters c;
    CHECK_EQ(situ_sim_count(d, &c), 0);
    return c;
}

TEST(values_survive_the_round_trip)
{
    situ_device g = fresh();
    situ_dev *d = situ_dev_open(g, NULL);
    if (!CHECK(d)) return;
    situ_buffer *b = situ_buffer_new(d, 300000, NULL, NULL);
    if (!CHECK(b)) return;
    char *out = calloc(1, 300000), *in = malloc(300000);
    for (int i = 0; i < 300000; i++) in[i] = (char)(i * 7);
    CHECK_EQ((uintptr_t)b->address % 256, 0);
    double clock = situ_sim_clock();
    CHECK_EQ(d->backend->upload(d, b->address, in, 300000), 0);
    CHECK(situ_sim_clock() == clock); /* the host went on */
    situ_sim_reach(count(g).virtual_seconds);
    CHECK_EQ(d->backend->download(d, out, b->address + 1000, 299000), 0);
    CHECK(!memcmp(out, in + 1000, 299000));
    situ_sim_counters c = count(g);
    CHECK(c.upload_count == 1 && c.upload_bytes == 300000 && c.download_count == 1 && c.download_bytes == 299000);
    CHECK(c.allocations == 1 && c.frees == 0 && c.kernels == 0);
    CHECK_NEAR(c.virtual_seconds - clock, 2 * 10e-6 + 599000 / 16e9, 1e-12);
    CHECK(c.virtual_seconds == situ_sim_clock());
    situ_buffer_unref(b);
    CHECK_EQ(situ_memory_trim(g), 0);
    CHECK_EQ(count(g).frees, 1);
    free(in);
    free(out);
}

/* A kernel y = x + argument of 5,000 elements, 1 flop and 8 bytes each. */
static void *add_kernel(situ_dev *d)
{
    static const situ_fused group = {
        .ndim = 1, .dim = {5000}, .ninstruction = 3, .nload = 1, .nstore = 1, .nword = 1,
        .instruction = {{.kind = SITU_DO_LOAD, .dtype = SITU_F32, .from = SITU_F32, .a = 0},
                        {.kind = SITU_DO_ARGUMENT, .dtype = SITU_F32, .from = SITU_F32, .a = 0, .b = 0},
                        {.kind = SITU_DO_ELEMENT, .dtype = SITU_F32, .from = SITU_F32, .a = 0, .b = 1, .el = SITU_EL_add}},
        .load = {{.dtype = SITU_F32, .stride = {1}}}, .store = {{.from_register = 2, .dtype = SITU_F32}}, .reduction = -1};
    situ_kernel_desc desc = {.name = "add", .group = &group, .naddress = 2, .nargument = 1, .flops = 5000, .bytes = 40000};
    return d->backend->compile(d, &desc);
}

TEST(kernels_compute_on_hidden_memory)
{
    situ_device g = fresh();
    situ_dev *d = situ_dev_open(g, NULL);
    situ_buffer *x = situ_buffer_new(d, 20000, NULL, NULL), *y = situ_buffer_new(d, 20000, NULL, NULL);
    void *k = add_kernel(d);
    if (!CHECK(x && y && k)) return;
    static float in[5000], out[5000];
    for (int i = 0; i < 5000; i++) in[i] = (float)i;
    CHECK_EQ(d->backend->upload(d, x->address, in, sizeof in), 0);
    double before = count(g).virtual_seconds;
    situ_sim_reach(before);
    situ_fault fault = {0};
    char *address[2] = {y->address, x->address};
    uint64_t argument = 3;
    CHECK_EQ(d->backend->launch(d, k, address, &argument, &fault), 0);
    CHECK_EQ(fault.code, 0);
    CHECK_NEAR(count(g).virtual_seconds - before, 5e-6 + 40000 / 500e9, 1e-12);
    CHECK_EQ(d->backend->download(d, out, y->address, sizeof out), 0);
    CHECK(out[0] == 3 && out[4999] == 5002);
    CHECK_EQ(count(g).kernels, 1);
    d->backend->drop(d, k);
    situ_buffer_unref(x);
    situ_buffer_unref(y);
}

TEST(lost_at_the_kth_kernel)
{
    situ_device g = fresh();
    situ_dev *d = situ_dev_open(g, NULL);
    situ_buffer *x = situ_buffer_new(d, 20000, NULL, NULL);
    void *k = add_kernel(d);
    if (!CHECK(x && k)) return;
    char *address[2] = {x->address, x->address};
    uint64_t argument = 0;
    situ_fault fault = {0};
    CHECK_EQ(situ_sim_configure(g, SITU_SIM(.lose_at = 2)), 0);
    CHECK_EQ(d->backend->launch(d, k, address, &argument, &fault), 0);
    CHECK_EQ(d->backend->launch(d, k, address, &argument, &fault), -SITU_DEVICE_LOST);
    CHECK_EQ(d->backend->launch(d, k, address, &argument, &fault), -SITU_DEVICE_LOST);
    float one = 1;
    CHECK_EQ(d->backend->upload(d, x->address, &one, 4), -SITU_DEVICE_LOST);
    CHECK_EQ(situ_failed(), 0); /* the slots raise nothing */
    CHECK_EQ(count(g).kernels, 1);
    CHECK_EQ(situ_sim_configure(g, SITU_SIM(.lose_at = -1)), 0);
    CHECK_EQ(d->backend->launch(d, k, address, &argument, &fault), 0);
    d->backend->drop(d, k);
    situ_buffer_unref(x);
}

/* The status of a child that touches one byte. */
static int touch(char *address, bool write)
{
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return 0;
    if (!child) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        if (write) *(volatile char *)address = 1;
        else (void)*(volatile char *)address;
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

TEST(host_access_traps)
{
    situ_dev *d = situ_dev_open(fresh(), NULL);
    situ_buffer *b = d ? situ_buffer_new(d, 4096, NULL, NULL) : NULL;
    char byte = 1;
    if (!CHECK(b)) return;
    CHECK_EQ(d->backend->upload(d, b->address, &byte, 1), 0);
    for (int write = 0; write < 2; write++) {
        int status = touch(b->address, write);
        CHECK(WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS));
    }
    CHECK_EQ(touch(&byte, true), 0);
    situ_buffer_unref(b);
}

TEST(peers_copy_directly)
{
    situ_device ga = fresh(), gb = fresh();
    situ_dev *a = situ_dev_open(ga, NULL), *b = situ_dev_open(gb, NULL);
    if (!CHECK(a && b)) return;
    situ_buffer *from = situ_buffer_new(a, 64, NULL, NULL), *to = situ_buffer_new(b, 64, NULL, NULL);
    char in[64] = "peer to peer", out[64] = "";
    if (!CHECK(from && to)) return;
    CHECK_EQ(a->backend->upload(a, from->address, in, 64), 0);
    CHECK_EQ(b->backend->copy(b, to->address, a, from->address, 64), 0);
    CHECK_EQ(b->backend->download(b, out, to->address, 64), 0);
    CHECK_STR(out, in);
    CHECK(count(gb).peer_count == 1 && count(gb).peer_bytes == 64 && count(ga).peer_count == 0);
    CHECK_EQ(b->backend->copy(b, to->address, situ_dev_open(situ_cpu(), NULL), in, 64), -SITU_UNSUPPORTED);
    situ_buffer_unref(from);
    situ_buffer_unref(to);
}

TEST(wild_address_loses_the_device_not_the_process)
{
    situ_device g = fresh();
    situ_dev *d = situ_dev_open(g, NULL);
    situ_buffer *b = d ? situ_buffer_new(d, 256, NULL, NULL) : NULL;
    char host[1024] = "";
    if (!CHECK(b)) return;
    CHECK_EQ(d->backend->upload(d, b->address, host, 257), -SITU_DEVICE_LOST);
    CHECK_EQ(d->backend->upload(d, b->address, host, 256), -SITU_DEVICE_LOST);
    CHECK_FAILS(SITU_DEVICE_LOST, situ_buffer_new(d, 1 << 20, NULL, NULL));
    CHECK_EQ(situ_sim_configure(g, SITU_SIM(.lose_at = -1)), 0);
    CHECK_EQ(d->backend->upload(d, b->address, host, 256), 0);
    CHECK_EQ(d->backend->download(d, host, host, 4), -SITU_DEVICE_LOST);
    situ_buffer_unref(b);
}

/* An address outside of the block loses the device, even if nothing is read there. */
TEST_IN_SCOPE(views_without_elements_have_an_address_of_their_operand)
{
    situ_device g = fresh();
    float data[12] = {0};
    situ_tensor *x = situ_from_host(data, SHAPE(3, 4), .device = g), *none = situ_from_host(data, SHAPE(3, 0, 4), .device = g);
    situ_tensor *row[4], *column[5], *of_none[4];
    CHECK_EQ(situ_split(situ_flip(x), 4, row), 0); /* the last part begins behind all that the reversed axis has */
    CHECK_EQ(situ_split(situ_flip(x), 5, column, .axis = 1), 0);
    CHECK_EQ(situ_split(situ_flip(none), 4, of_none), 0);
    situ_tensor *view[] = {row[3], column[4], of_none[3], situ_flip(none), situ_flip(situ_permute(none, AXES(2, 1, 0))),
                           situ_diagonal(situ_flip(x), 4), situ_diagonal(situ_flip(x), -3)};
    for (int i = 0; i < (int)(sizeof view / sizeof *view); i++) {
        CHECK_EQ(situ_wait(situ_add(view[i], 1.0f)), 0);
        CHECK_EQ(situ_eval(TENSORS(view[i])), 0);
        CHECK_EQ(situ_wait(situ_add(situ_flip(view[i]), 1.0f)), 0); /* of what is stored */
    }
}

TEST(memory_is_its_limit)
{
    situ_device g = fresh();
    situ_dev *d = situ_dev_open(g, NULL);
    situ_memory m;
    CHECK_EQ(situ_memory_of(g, &m), 0);
    CHECK_EQ(m.limit, (int64_t)8 << 30);
    CHECK_EQ(situ_sim_configure(g, SITU_SIM(.memory = 1 << 20)), 0);
    situ_buffer *b = situ_buffer_new(d, 1 << 20, NULL, NULL);
    CHECK(b && !situ_buffer_new(d, 1, NULL, NULL));
    CHECK(strstr(situ_error_message(), "the limit is 1 MiB"));
    CHECK_CODE(SITU_DEVICE_MEMORY);
    situ_buffer_unref(b);
    CHECK_EQ(situ_sim_configure(g, SITU_SIM(.memory = (int64_t)40 << 30)), 0);
    b = situ_buffer_new(d, (size_t)20 << 30, NULL, NULL); /* addresses only, until it is written */
    CHECK(b != NULL);
    situ_buffer_unref(b);
    CHECK_EQ(situ_memory_limit(g, 5000), 0);
    CHECK_EQ(situ_sim_configure(g, SITU_SIM(.flops = 1e12)), 0);
    CHECK_EQ(situ_memory_of(g, &m), 0);
    CHECK_EQ(m.limit, 5000);
}

TEST(kth_allocation_fails)
{
    situ_device g = fresh();
    situ_dev *d = situ_dev_open(g, NULL);
    situ_buffer *warm = situ_buffer_new(d, 512, NULL, NULL);
    situ_buffer_unref(warm); /* whether a block is kept does not matter */
    CHECK_EQ(situ_sim_configure(g, SITU_SIM(.fail_allocation = 2)), 0);
    situ_buffer *a = situ_buffer_new(d, 512, NULL, NULL);
    CHECK(a && !situ_buffer_new(d, 512, NULL, NULL));
    CHECK_CODE(SITU_DEVICE_MEMORY);
    situ_buffer *b = situ_buffer_new(d, 512, NULL, NULL);
    CHECK(b != NULL);
    situ_buffer_unref(a);
    situ_buffer_unref(b);
    CHECK_EQ(situ_sim_configure(g, SITU_SIM(.fail_allocation = 1)), 0);
    CHECK_EQ(situ_sim_configure(g, SITU_SIM(.fail_allocation = -1)), 0);
    a = situ_buffer_new(d, 512, NULL, NULL);
    CHECK(a != NULL);
    situ_buffer_unref(a);
}

TEST(opening_survives_each_failing_allocation)
{
    situ_device g = fresh();
    int64_t blocks = settled_blocks();
    for (int64_t k = 1; k < 50; k++) {
        situ_test_fail_alloc(k);
        situ_dev *d = situ_dev_open(g, NULL);
        situ_buffer *b = d ? situ_buffer_new(d, 100, NULL, NULL) : NULL;
        bool struck = situ_test_fail_struck();
        situ_test_fail_alloc(0);
        if (!d) CHECK_EQ(situ_test_live_blocks(), blocks);
        if (!b && !CHECK(situ_failed() == SITU_NO_MEMORY || situ_failed() == SITU_DEVICE_MEMORY)) return;
        situ_error_take(NULL);
        situ_buffer_unref(b);
        if (!struck) return;
        if (d) CHECK_EQ(situ_memory_trim(g), 0);
    }
    CHECK(false);
}

TEST(configuration_is_checked)
{
    situ_device g = fresh();
    situ_device_info info;
    CHECK_EQ(situ_sim_configure(g, SITU_SIM(.link_bandwidth = 32e9, .link_latency = 1e-6)), 0);
    CHECK_EQ(situ_device_describe(g, &info), 0);
    CHECK(info.simulated && info.bit_equal && strstr(info.name, "link 32 GB/s") && strstr(info.driver, "simulated"));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_sim_configure(g, NULL));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_sim_configure(g, &(situ_sim_options){.size = 0}));
    CHECK_FAILS(SITU_BAD_OPTION, situ_sim_configure(g, SITU_SIM(.flops = -1)));
    CHECK_FAILS(SITU_BAD_OPTION, situ_sim_configure(g, SITU_SIM(.memory = INT64_MAX)));
    CHECK_FAILS(SITU_BAD_DEVICE, situ_sim_configure(situ_cpu(), SITU_SIM(.flops = 1)), "cpu(0) is not simulated");
    situ_sim_counters c;
    CHECK_FAILS(SITU_BAD_DEVICE, situ_sim_count(situ_null(), &c));
}

TEST(number_only_grows)
{
    fresh();
    int gpus = situ_num_gpus();
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_sim_gpus(1), "can only grow");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_sim_gpus(-1));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_sim_gpus(1000));
    CHECK_EQ(situ_num_gpus(), gpus);
}

TEST(addresses_are_first_fit_and_coalesce)
{
    situ_space s = {.ranges = 0};
    if (!CHECK_EQ(situ_space_grow(&s, 4 << 20), 0)) return;
    char *a = situ_space_alloc(&s, 1000), *b = situ_space_alloc(&s, 1), *c = situ_space_alloc(&s, 256);
    CHECK(a && b == a + 1024 + 256 && c == b + 256 + 256); /* 256 bytes between them are nobody's */
    CHECK(!situ_space_translate(&s, a - 1, 0) && !situ_space_translate(&s, b - 1, 0) && !situ_space_translate(&s, c + 257, 0));
    CHECK(situ_space_release(&s, a) && situ_space_release(&s, b));
    CHECK(!situ_space_release(&s, b) && !situ_space_release(&s, a + 1) && !situ_space_release(&s, &s));
    CHECK((char *)situ_space_alloc(&s, 1536) == a); /* what lay between them is free too */
    CHECK(situ_space_translate(&s, a + 1535, 1) && situ_space_translate(&s, a + 1536, 0));
    CHECK(!situ_space_translate(&s, a + 1535, 2) && !situ_space_translate(&s, c + 256, 1));
    CHECK(situ_space_translate(&s, c, 256) - situ_space_translate(&s, a, 1) == c - a);
    CHECK(!situ_space_alloc(&s, 4 << 20) && !situ_space_alloc(&s, SIZE_MAX));
    CHECK_EQ(s.used, 1536 + 256);
    CHECK_EQ(situ_space_grow(&s, 8 << 20), 0);
    CHECK(situ_space_alloc(&s, 4 << 20) != NULL);
    situ_space_free(&s);
}

/* ---- the virtual clock: a timeline by dependencies, not a sum ------------------------------------------------------ */

/* Tests may share a pair of devices, because they compare differences. */
static void pair(situ_device *g, situ_device *h)
{
    static situ_device two[2];
    static bool made;
    if (!made) two[0] = fresh(), two[1] = fresh();
    made = true;
    *g = two[0], *h = two[1];
}

static double clock_of(situ_device d) { return count(d).virtual_seconds; }

static situ_tensor *square_on(situ_device d, int64_t n)
{
    situ_tensor *x = situ_uniform(situ_key(1, .device = d), SHAPE(n, n));
    situ_wait(x);
    return x;
}

/* Virtual time of two products, on one device or on two. */
static double two_products(situ_device a, situ_device b)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = square_on(a, 128), *y = square_on(b, 128);
    double start = situ_sim_clock();
    situ_tensor *u = situ_matmul(x, x), *v = situ_matmul(y, y);
    situ_eval(TENSORS(u));
    situ_eval(TENSORS(v));
    CHECK(situ_sim_clock() == start); /* nobody waited yet */
    situ_wait(u);
    situ_wait(v);
    double seconds = situ_sim_clock() - start;
    situ_scope_close(scope);
    return seconds;
}

TEST(devices_work_side_by_side_on_the_virtual_clock)
{
    situ_device g, h;
    pair(&g, &h);
    double product = 5e-6 + 2.0 * 128 * 128 * 128 / 10e12;
    for (int round = 0; round < 3; round++) {
        double one = two_products(g, g), two = two_products(g, h);
        CHECK(one > 1.9 * two && two >= product - 1e-9);
        CHECK_NEAR(one, two_products(g, g), 1e-12);
    }
}

/* How long a device computed and copied; a copy between two of them counts on both. */
static double work_of(situ_device d)
{
    situ_sim_parts parts;
    CHECK_EQ(situ_sim_times(d, &parts), 0);
    return parts.computing + parts.copying / 2;
}

/* A dependency chain over two devices takes the sum of its steps' virtual times, whichever device is slower in
 * reality. */
TEST(a_device_waits_for_another_on_the_virtual_clock)
{
    situ_device g, h;
    pair(&g, &h);
    double took[3];
    for (int round = 0; round < 3; round++) {
        CHECK_EQ(situ_sim_configure(g, SITU_SIM(.delay = round == 1 ? 0.01 : -1)), 0);
        CHECK_EQ(situ_sim_configure(h, SITU_SIM(.delay = round == 2 ? 0.01 : -1)), 0);
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = square_on(g, 128);
        double start = situ_sim_clock(), busy = work_of(g) + work_of(h);
        situ_tensor *y = situ_matmul(situ_to(situ_matmul(x, x), h), situ_to(x, h));
        situ_wait(y);
        took[round] = situ_sim_clock() - start;
        double copy = 10e-6 + 4.0 * 128 * 128 / 16e9; /* the second one may run while the first product does */
        CHECK(took[round] <= work_of(g) + work_of(h) - busy + 1e-12);
        CHECK(took[round] >= work_of(g) + work_of(h) - busy - copy - 1e-12);
        CHECK(clock_of(h) >= clock_of(g) && situ_sim_clock() == clock_of(h));
        situ_scope_close(scope);
    }
    CHECK(took[0] == took[1] || fabs(took[0] - took[1]) < 1e-12);
    CHECK_NEAR(took[0], took[2], 1e-12);
    situ_sim_configure(g, SITU_SIM(.delay = -1));
    situ_sim_configure(h, SITU_SIM(.delay = -1));
}

/* ---- links are shared --------------------------------------------------------------------------------------------- */

static double seconds_of(situ_tensor *a, situ_tensor *b)
{
    double start = situ_sim_clock();
    situ_eval(TENSORS(a, b));
    situ_wait(a);
    situ_wait(b);
    return situ_sim_clock() - start;
}

/* Two copies from one device share its link, each at half speed; copies in opposite directions do not affect each
 * other. */
TEST(copies_over_one_link_share_it)
{
    enum { N = 1 << 18 };
    situ_device g = fresh(), h = fresh(), k = fresh();
    double one = 4.0 * N / 16e9;
    for (int round = 0; round < 3; round++) {
        situ_scope *scope = situ_scope_open();
        CHECK_EQ(situ_sim_configure(h, SITU_SIM(.delay = round == 1 ? 0.01 : -1)), 0);
        CHECK_EQ(situ_sim_configure(k, SITU_SIM(.delay = round == 2 ? 0.01 : -1)), 0);
        situ_tensor *x = situ_uniform(situ_key(1, .device = g), SHAPE(N)), *y = situ_uniform(situ_key(1, .device = h), SHAPE(N));
        situ_tensor *z = situ_uniform(situ_key(1, .device = k), SHAPE(N));
        situ_eval(TENSORS(x, y, z));
        situ_wait(x), situ_wait(y), situ_wait(z);
        CHECK_NEAR(seconds_of(situ_to(x, h), situ_to(x, k)), 10e-6 + 2 * one, 1e-12);
        CHECK_NEAR(seconds_of(situ_to(x, k), situ_to(y, k)), 2 * (10e-6 + one), 1e-9); /* one after the other: both are of k's queue */
        CHECK_NEAR(seconds_of(situ_to(x, h), situ_to(y, g)), 10e-6 + one, 1e-12);
        CHECK_NEAR(seconds_of(situ_to(x, h), situ_to(z, g)), 10e-6 + one, 1e-12);
        situ_scope_close(scope);
    }
    situ_sim_configure(h, SITU_SIM(.delay = -1));
    situ_sim_configure(k, SITU_SIM(.delay = -1));
}

/* The textbook's server: all transfers from the host to its four cards share one link. */
TEST(a_cluster_is_what_the_links_are)
{
    enum { N = 1 << 20 };
    char environment[700];
    if (!getenv("SITU_TEST_AGAIN")) {
        FILE *f = fopen(test_path("server"), "w");
        fputs("cards 4\nlink card switch 16 GB/s\nlink switch host 16 GB/s\nlink card0 card1 100 GB/s 1 us\n", f);
        fclose(f);
        snprintf(environment, sizeof environment, "SITU_GPUS=sim SITU_SIM_GPUS=4 SITU_SIM_CLUSTER='%s'", test_path("server"));
        run_again("sim/a_cluster_is_what_the_links_are", environment);
        f = fopen(test_path("server"), "w");
        fputs("cards 4\nlink card switch 16 GBs\n", f);
        fclose(f);
        return (void)run_again("sim/a_wrong_cluster_is_told", environment);
    }
    free_host();
    double one = 4.0 * N / 16e9, start = situ_sim_clock();
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_zeros(SHAPE(N)), *on[4];
    situ_wait(x);
    for (int i = 0; i < 4; i++) on[i] = situ_to(x, situ_gpu(i));
    situ_eval(TENSORS_OF(on, 4));
    for (int i = 0; i < 4; i++) situ_wait(on[i]);
    CHECK_NEAR(situ_sim_clock() - start, 4 * one, 1e-9);
    CHECK_NEAR(seconds_of(situ_to(on[2], situ_gpu(3)), situ_to(on[3], situ_gpu(2))), one, 1e-9); /* PCIe, both directions */
    CHECK_NEAR(seconds_of(situ_to(on[0], situ_gpu(1)), situ_to(on[1], situ_gpu(0))), 1e-6 + 4.0 * N / 100e9, 1e-9); /* NVLink */
    situ_scope_close(scope);
}

TEST(a_wrong_cluster_is_told)
{
    if (!getenv("SITU_TEST_AGAIN")) return;
    CHECK_FAILS(SITU_BAD_FORMAT, situ_dev_open(situ_gpu(0), NULL), "server:2:21: the bandwidth of a link: a number with its unit");
}

/* ---- what other processes see ------------------------------------------------------------------------------------------ */

typedef struct seen { int64_t pid, used, total; double clock; int index, cards; } seen;

static void see(void *self, int64_t pid, int index, const situ_sim_shown *card)
{
    seen *s = self;
    if (pid != s->pid || index != s->index) return;
    s->cards++;
    s->used = card->used;
    s->total = card->total;
    s->clock = card->clock;
}

static seen look_at(situ_device d, int64_t pid)
{
    seen s = {.pid = pid, .index = d.index};
    situ_sim_boards(see, &s);
    return s;
}

/* Another process reads the memory of a simulated card here, while this one works; a forked child shows nothing of its own. */
TEST_IN_SCOPE(another_process_sees_the_memory_of_a_simulated_card)
{
    situ_device g = fresh();
    situ_wait(situ_ones(SHAPE(1 << 20), .device = g)); /* the scope holds it */
    situ_device_info info;
    CHECK_EQ(situ_device_describe(g, &info), 0);
    seen s = look_at(g, getpid());
    if (!CHECK_EQ(s.cards, 1)) return;
    CHECK(s.used == info.memory_used && s.used >= 4 << 20 && s.total == info.memory_total);
    CHECK_NEAR(s.clock, count(g).virtual_seconds, 0);
    pid_t parent = getpid(), child = fork();
    if (!child) {
        seen of_parent = look_at(g, parent), of_child = look_at(g, getpid());
        _exit(of_parent.cards == 1 && of_parent.used == s.used && !of_child.cards ? 0 : 1);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    CHECK_EQ(situ_sim_configure(g, SITU_SIM(.memory = 1 << 28)), 0);
    CHECK_EQ(look_at(g, getpid()).total, 1 << 28);
}
