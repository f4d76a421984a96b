/* One virtual clock for the host, the CPU, the simulated GPUs and the copies between them. Times are checked against
 * sums written here. */
#include "test.h"

#include <situ.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/sim_devices.h"

/* Constants of the profile in use, for sums. */
static const double product_rate = 10e12, kernel = 5e-6, start = 8e-6, call = .25e-6, link = 16e9, latency = 10e-6, staging = 10e9;

static situ_device card(int i)
{
    situ_device d = sim_device(i);
    CHECK_EQ(situ_sim_profile("workstation"), 0);
    return d;
}

static situ_tensor *square(situ_device d, int64_t n)
{
    situ_tensor *x = situ_uniform(situ_key(1, .device = d), SHAPE(n, n));
    situ_wait(x);
    return x;
}

static double product_seconds(double n) { return kernel + 2 * n * n * n / product_rate; }

TEST_IN_SCOPE(a_product_costs_a_call_a_start_and_its_work)
{
    situ_tensor *x = square(card(0), 512);
    double from = situ_sim_clock();
    situ_wait(situ_matmul(x, x));
    CHECK_NEAR(situ_sim_clock() - from, call + start + product_seconds(512), 1e-12);
}

/* Lazy, eval, wait: the host's work is beside the device's or before or behind it. */
TEST_IN_SCOPE(host_work_is_beside_what_has_started)
{
    situ_tensor *x = square(card(0), 512);
    double work = product_seconds(512), from = situ_sim_clock(), took[3];
    for (int how = 0; how < 3; how++) {
        from = situ_sim_clock();
        situ_tensor *c = situ_matmul(x, x);
        if (how == 1) situ_eval(TENSORS(c));
        if (how == 2) situ_wait(c);
        situ_sim_host(work);
        situ_wait(c);
        took[how] = situ_sim_clock() - from;
    }
    CHECK_NEAR(took[0], call + start + 2 * work, 1e-12);
    CHECK_NEAR(took[1], call + start + work, 1e-12);
    CHECK_NEAR(took[2], took[0], 1e-12);
}

TEST_IN_SCOPE(waiting_is_told_apart_from_working)
{
    situ_device g = card(1);
    situ_tensor *x = square(g, 512);
    situ_sim_parts host[2], device[2];
    CHECK_EQ(situ_sim_times(situ_cpu(), &host[0]), 0);
    CHECK_EQ(situ_sim_times(g, &device[0]), 0);
    situ_wait(situ_matmul(x, x));
    situ_sim_host(3e-6);
    CHECK_EQ(situ_sim_times(situ_cpu(), &host[1]), 0);
    CHECK_EQ(situ_sim_times(g, &device[1]), 0);
    CHECK_NEAR(host[1].computing - host[0].computing, call + start + 3e-6, 1e-12);
    CHECK_NEAR(host[1].waiting - host[0].waiting, product_seconds(512), 1e-12);
    CHECK_NEAR(device[1].computing - device[0].computing, product_seconds(512), 1e-12);
    CHECK_NEAR(device[1].copying - device[0].copying, 0, 1e-15);
    CHECK_NEAR(device[1].clock - device[1].computing, device[1].idle, 1e-12);
}

TEST_IN_SCOPE(an_upload_is_beside_computing)
{
    situ_device g = card(2);
    enum { N = 1 << 20 };
    situ_tensor *x = square(g, 1024), *on_cpu = situ_zeros(SHAPE(N));
    situ_wait(on_cpu);
    double from = situ_sim_clock(), copy = latency + 4.0 * N / link, product = product_seconds(1024);
    situ_tensor *c = situ_matmul(x, x), *b = situ_copy_to(on_cpu, g);
    situ_eval(TENSORS(c));
    situ_eval(TENSORS(b));
    situ_wait(c);
    CHECK_NEAR(situ_sim_clock() - from, 2 * call + start + product, 1e-9);
    situ_wait(b); /* it went over while the product was computed, or a little longer */
    CHECK_NEAR(situ_sim_clock() - from, fmax(2 * call + start + product, 2 * call + 2 * start + copy), 1e-9);
    /* What computes with it waits for it. */
    from = situ_sim_clock();
    situ_tensor *y = situ_add(situ_copy_to(on_cpu, g), 1.0f);
    situ_wait(y);
    CHECK(situ_sim_clock() - from > copy);
}

/* A wait for everything waits for copies, too; and no result waits for an upload that it does not read. */
TEST_IN_SCOPE(copies_are_waited_for_by_whom_they_concern)
{
    situ_device g = card(2), h = card(3);
    enum { N = 1 << 20 };
    static float host[N];
    situ_tensor *x = square(g, 256), *large = situ_zeros(SHAPE(N), .device = g);
    situ_wait(large);
    double from = situ_sim_clock();
    situ_eval(TENSORS(situ_copy_to(large, h)));
    situ_wait(NULL);
    CHECK_NEAR(situ_sim_clock() - from, call + 2 * start + latency + 4.0 * N / link, 1e-9); /* on two devices */
    situ_tensor *up = situ_from_host(host, SHAPE(N), .device = g);
    from = situ_sim_clock();
    situ_wait(situ_matmul(x, x));
    CHECK_NEAR(situ_sim_clock() - from, call + start + product_seconds(256), 1e-9);
    situ_wait(up);
    CHECK_NEAR(situ_sim_clock() - from, latency + 4.0 * N / link, 1e-9);
}

static float numbers[1 << 20];

TEST_IN_SCOPE(small_copies_cost_their_latencies)
{
    situ_device g = card(3);
    double took[2];
    for (int i = 0; i < 2; i++) {
        double from = situ_sim_clock();
        situ_tensor *x = NULL;
        int count = i ? 1 : 1000;
        for (int k = 0; k < count; k++) x = situ_from_host(numbers, SHAPE(1000000 / count), .device = g);
        situ_wait(x);
        took[i] = situ_sim_clock() - from;
    }
    CHECK_NEAR(took[0], call + 4000 / staging + 1000 * latency + 4e6 / link, 1e-6); /* the host prepares the next one meanwhile */
    CHECK_NEAR(took[1], call + 4e6 / staging + latency + 4e6 / link, 1e-9);
}

/* A training step whose loss is read, or kept in a log on the device. */
static double train(situ_device g, bool reads)
{
    enum { STEPS = 100 };
    situ_tensor *w = situ_variable(situ_zeros(SHAPE(8, 1), .device = g)), *log = situ_variable(situ_zeros(SHAPE(STEPS), .device = g));
    situ_wait(w);
    situ_wait(log);
    double from = situ_sim_clock();
    for (int i = 0; i < STEPS; i++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_uniform(situ_fold_in(situ_key(0, .device = g), i), SHAPE(32, 8)), *gradient;
        situ_tensor *loss = situ_mse(situ_matmul(x, w), 1);
        situ_grad(loss, TENSORS(w), &gradient);
        situ_assign(w, situ_sub(w, situ_mul(gradient, 0.1)));
        if (reads) situ_item(loss);
        else situ_assign_slice(log, situ_reshape(loss, SHAPE(1)), SHAPE(i));
        situ_scope_close(scope);
    }
    situ_wait(w);
    situ_wait(log);
    double took = situ_sim_clock() - from;
    situ_release(w);
    situ_release(log);
    return took;
}

TEST_IN_SCOPE(a_stall_costs_what_reading_costs)
{
    situ_device g = card(0);
    train(g, true);
    train(g, false);
    double reading = train(g, true), logging = train(g, false);
    CHECK(reading > 1.3 * logging);
    CHECK(reading - logging > 100 * (latency + start) * .5); /* the card is idle for the host's call and the copy of each step */
    CHECK_NEAR(train(g, true), reading, 1e-9);
    CHECK_NEAR(train(g, false), logging, 1e-9);
}

/* Exercise 1: is the card faster with products of n x n? */
static bool card_is_faster(situ_device g, int n)
{
    double took[2];
    for (int i = 0; i < 2; i++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_zeros(SHAPE(n, n), .device = i ? g : situ_cpu());
        situ_wait(x);
        double from = situ_sim_clock();
        situ_wait(situ_matmul(x, x));
        took[i] = situ_sim_clock() - from;
        situ_scope_close(scope);
    }
    return took[1] < took[0];
}

/* The size from which on it is. */
static int crossover(situ_device g)
{
    int low = 16, high = 1024;
    CHECK(!card_is_faster(g, low) && card_is_faster(g, high));
    while (high - low > 1) *(card_is_faster(g, (low + high) / 2) ? &high : &low) = (low + high) / 2;
    return high;
}

TEST_IN_SCOPE(each_profile_has_a_crossover)
{
    static const char *const names[] = {"laptop", "workstation", "a100", "h100", "h200"};
    situ_device g = card(1);
    for (int i = 0; i < 5; i++) {
        CHECK_EQ(situ_sim_profile(names[i]), 0);
        CHECK_STR(situ_sim_profile_name(), names[i]);
        int n = crossover(g);
        printf("  %s: the card is faster from %d on\n", names[i], n);
        CHECK(n > 17 && n < 1024);
        if (i == 1) CHECK_EQ(n, 135); /* 5.4 + 2 n^3 / 600e3 us on all cores, 13 + 2 n^3 / 10e6 us there */
    }
    card(0);
}

/* docs/gpu.md: 353 us as a graph, 816 us one by one. */
TEST_IN_SCOPE(a_hundred_small_kernels_take_what_an_h100_takes)
{
    situ_device g = card(1);
    CHECK_EQ(situ_sim_profile("h100"), 0);
    for (int each = 0; each < 2; each++) {
        situ_tensor *x = situ_zeros(SHAPE(32, 32), .device = g);
        situ_wait(x);
        double from = situ_sim_clock();
        bool fusing = situ_fusing(false);
        for (int i = 0; i < 100; i++) {
            x = situ_tanh(x);
            if (each) situ_eval(TENSORS(x));
        }
        situ_wait(x);
        situ_fusing(fusing);
        double took = situ_sim_clock() - from, seen = each ? 816e-6 : 353e-6;
        printf("  a hundred kernels %s: %.0f us, seen %.0f us\n", each ? "one by one" : "in one plan", 1e6 * took, 1e6 * seen);
        CHECK(fabs(took / seen - 1) < .25);
    }
    card(0);
}

TEST_IN_SCOPE(the_cpu_costs_what_its_profile_says)
{
    card(0);
    for (int n = 64; n <= 512; n *= 2) {
        situ_tensor *x = square(situ_cpu(), n);
        double from = situ_sim_clock(), flops = 2.0 * n * n * n;
        situ_wait(situ_matmul(x, x));
        CHECK_NEAR(situ_sim_clock() - from, call + .4e-6 + fmax(fmin(flops / 100e9, 5e-6 + flops / 600e9), 12.0 * n * n / 40e9), 1e-9);
    }
}

/* A row of a set that costs its maker a millisecond. */
static int costly_row(void *self, int64_t row, void *const *fields)
{
    (void)self;
    situ_sim_host(1e-3);
    *(float *)fields[0] = (float)row;
    *(float *)fields[1] = 0;
    return 0;
}

/* 8 batches of 4 rows, with `work` seconds of the host for each batch. */
static double load(double work, int workers)
{
    const situ_field fields[] = {{.name = "x", .dtype = SITU_F32, .shape = SHAPE(1)}, {.name = "y", .dtype = SITU_F32, .shape = SHAPE(1), .target = true}};
    situ_dataset *data = situ_callback_dataset(32, fields, 2, costly_row, NULL, "costly");
    situ_loader *loader = situ_loader_new(data, .batch = 4, .workers = workers);
    double from = situ_sim_clock();
    CHECK_EQ(situ_loader_start(loader, 0), 0);
    while (situ_loader_next(loader) > 0) situ_sim_host(work);
    double took = situ_sim_clock() - from;
    situ_loader_free(loader);
    situ_dataset_free(data);
    return took;
}

/* Threads gather the next batches while the caller works with one: what takes longer counts, and the first or last of
 * the other. */
TEST(a_loader_prefetches_beside_the_work)
{
    card(0);
    for (int round = 0; round < 3; round++) {
        CHECK_NEAR(load(1e-3, 1), 8 * 4e-3 + 1e-3, 1e-6);
        CHECK_NEAR(load(6e-3, 1), 4e-3 + 8 * 6e-3, 1e-6);
        CHECK_NEAR(load(1e-3, 2), 4 * 4e-3 + 2 * 1e-3, 1e-6);
    }
}

/* Python code of two threads, each with a GPU: each has a clock, and who joins has the later one. */
typedef struct errand {
    situ_device device;
    int products;
    double begin, took;
} errand;

static void *run_errand(void *argument)
{
    errand *e = argument;
    situ_sim_reach(e->begin);
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_zeros(SHAPE(256, 256), .device = e->device);
    situ_wait(x);
    double from = situ_sim_clock();
    for (int i = 0; i < e->products; i++) x = situ_matmul(x, x);
    situ_wait(x);
    e->took = situ_sim_clock() - from;
    e->begin = situ_sim_clock();
    situ_scope_close(scope);
    return NULL;
}

TEST(threads_have_clocks_of_their_own)
{
    situ_device g = card(0), h = card(1);
    for (int round = 0; round < 3; round++) {
        errand e[2] = {{g, 20, situ_sim_clock(), 0}, {h, 5, situ_sim_clock(), 0}};
        pthread_t thread[2];
        for (int i = 0; i < 2; i++) pthread_create(&thread[i], NULL, run_errand, &e[i]);
        for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
        for (int i = 0; i < 2; i++) {
            situ_sim_reach(e[i].begin);
            CHECK_NEAR(e[i].took, e[i].products * (call + product_seconds(256)) + start, (call + 1e-9) * e[i].products);
        }
        CHECK(situ_sim_clock() == fmax(e[0].begin, e[1].begin));
    }
}

TEST(a_profile_is_a_file_too)
{
    situ_device g = card(0);
    FILE *f = fopen(test_path("mine"), "w");
    fputs("# of my machine\nbase h100\nflops 1e12\npeer_bandwidth 0\n", f);
    fclose(f);
    CHECK_EQ(situ_sim_profile(test_path("mine")), 0);
    situ_device_info info;
    CHECK_EQ(situ_device_describe(g, &info), 0);
    CHECK(strstr(info.name, "1 TFLOP/s, 2970 GB/s, link 52.8 GB/s"));
    f = fopen(test_path("mine"), "w");
    fputs("base h100\nflops -1\n", f);
    fclose(f);
    CHECK_FAILS(SITU_BAD_FORMAT, situ_sim_profile(test_path("mine")), "mine:2: \"flops -1\"");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_sim_profile("h300"), "there is no profile \"h300\"");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_sim_profile(""));
    CHECK_FAILS(SITU_BAD_OPTION, situ_sim_host_configure(SITU_SIM_HOST(.call = -2)));
    CHECK_FAILS(SITU_BAD_DEVICE, situ_sim_times(situ_null(), &(situ_sim_parts){0}));
    card(0);
}
