/* K4: exercise 4: two products on two GPUs at once, against one after the other on one: near-linear scaling. */
#include "chapter.h"

/* Of the virtual clock: all of it, and each device's part of the timeline. */
typedef struct times { double wall, clock, from[2], to[2]; } times;

/* When the device's last work ended and how long it worked, on the virtual clock. */
static situ_sim_counters counters(int i)
{
    situ_sim_counters c = {0};
    if (row_virtual(situ_try_tpu_gpu(i)) > 0) situ_sim_count(situ_try_tpu_gpu(i), &c);
    return c;
}

/* Two products, each started at once, on these devices. */
static times two_products(situ_device first, situ_device second, int64_t n)
{
    situ_scope *scope = situ_scope_open();
    situ_device d[2] = {first, second};
    situ_tensor *a[2], *c[2];
    for (int i = 0; i < 2; i++) situ_wait(a[i] = situ_uniform(situ_key(i, .device = d[i]), SHAPE(n, n)));
    situ_sim_counters before[2] = {counters(0), counters(1)};
    double begin = row_virtual(situ_try_tpu_gpu(0)), start = row_clock();
    for (int i = 0; i < 2; i++) {
        c[i] = situ_matmul(a[i], a[i]);
        situ_eval(TENSORS(c[i])); /* starts it and goes on */
    }
    for (int i = 0; i < 2; i++) situ_wait(c[i]);
    times t = {.wall = row_clock() - start, .clock = row_virtual(situ_try_tpu_gpu(0)) - begin};
    for (int i = 0; i < 2; i++) {
        situ_sim_counters after = counters(i);
        double busy = after.busy_seconds - before[i].busy_seconds;
        if (busy <= 0) continue;
        t.to[i] = after.virtual_seconds - begin;
        t.from[i] = fmax(t.to[i] - busy, 0);
    }
    situ_scope_close(scope);
    return t;
}

/* The bars of a run: each device's stretch of the virtual clock, or the time it took. */
static void plot(const times *t, const char *what)
{
    if (t->clock <= 0) row_plot(what, "wall", 0, t->wall);
    if (t->clock > 0 && t->to[0] > 0) row_plot(what, "gpu(0) simulated", t->from[0], t->to[0]);
    if (t->clock > 0 && t->to[1] > 0) row_plot(what, "gpu(1) simulated", t->from[1], t->to[1]);
}

/* One device's line of the timeline, `whole` wide; with two marks its work is one product and then the other. */
static void line(const times *t, int device, double whole, const char *marks)
{
    int from = (int)(60 * t->from[device] / whole + 0.5), to = (int)(60 * t->to[device] / whole + 0.5);
    printf("  gpu(%d) |", device);
    for (int i = 0; i < 60; i++) putchar(i < from || i >= to ? ' ' : marks[marks[1] && 2 * i >= from + to]);
    if (t->to[device] > 0) printf("| %.3f to %.3f ms\n", 1e3 * t->from[device], 1e3 * t->to[device]);
    else printf("| idle\n");
}

int row_K4(void)
{
    two_gpus();
    int64_t n = row_size(2048, 1024); /* so large that starting the work does not count */
    two_products(situ_try_tpu_gpu(0), situ_try_tpu_gpu(1), n); /* makes the plans */
    times one = {0}, two = {0};
    row_runs after = {0}, at_once = {0};
    for (int run = 0; run < 3; run++) {
        one = two_products(situ_try_tpu_gpu(0), situ_try_tpu_gpu(0), n);
        two = two_products(situ_try_tpu_gpu(0), situ_try_tpu_gpu(1), n);
        row_ran(&after, one.wall);
        row_ran(&at_once, two.wall);
    }
    one.wall = row_mean(&after);
    two.wall = row_mean(&at_once);
    char figure[ROW_FIGURE];
    bool simulated = one.clock > 0;
    printf("two products of %4lld x %-4lld      %-32s %12s\n", (long long)n, (long long)n, "wall", simulated ? "simulated" : "");
    printf("one after the other on %s    %-32s %9.3f ms\n", row_name(situ_try_tpu_gpu(0)), row_figure(&after, figure, sizeof figure), 1e3 * one.clock);
    printf("at once on %s and %s     %-32s %9.3f ms\n", row_name(situ_try_tpu_gpu(0)), row_name(situ_try_tpu_gpu(1)), row_figure(&at_once, figure, sizeof figure), 1e3 * two.clock);
    printf("faster by                        %-32.2f %9.2f\n", one.wall / two.wall, simulated ? one.clock / two.clock : 0);
    row_timed("two products on one GPU", one.clock, one.wall);
    row_timed("two products on two GPUs", two.clock, two.wall);
    plot(&one, "one after the other");
    plot(&two, "at once");
    if (simulated) {
        printf("simulated timeline: = first product, # second product\n");
        for (int i = 0; i < 2; i++) line(&one, i, one.clock, "=#");
        printf("  and at once:\n");
        for (int i = 0; i < 2; i++) line(&two, i, one.clock, i ? "#" : "=");
        HOLDS(one.to[1] == 0);
        HOLDS(two.from[1] < two.to[0] && two.from[0] < two.to[1]);
        HOLDS(one.clock / two.clock > row_size(19, 18) / 10.0);
    } else if (!row_is_host(situ_try_tpu_gpu(0))) {
        HOLDS(one.wall / two.wall > 1.5);
    }
    return row_end();
}
