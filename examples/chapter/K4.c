/* K4: exercise 4: two products on two GPUs at once, against one after the other on one: near-linear scaling. */
#include "chapter.h"

typedef struct times { double wall, clock[2]; } times;

/* Two products at once, on these devices; what each device's own clock moved by. */
static times two_products(situ_device first, situ_device second, int64_t n)
{
    situ_scope *scope = situ_scope_open();
    situ_device d[2] = {first, second};
    situ_tensor *a[2], *c[2];
    for (int i = 0; i < 2; i++) situ_wait(a[i] = situ_uniform(situ_key(i, .device = d[i]), SHAPE(n, n)));
    times t = {.clock = {row_virtual(situ_gpu(0)), row_virtual(situ_gpu(1))}};
    double start = row_clock();
    for (int i = 0; i < 2; i++) {
        c[i] = situ_matmul(a[i], a[i]);
        situ_eval(c[i]); /* starts it and goes on */
    }
    for (int i = 0; i < 2; i++) situ_wait(c[i]);
    t.wall = row_clock() - start;
    for (int i = 0; i < 2; i++) t.clock[i] = row_virtual(situ_gpu(i)) - t.clock[i];
    situ_scope_close(scope);
    return t;
}

/* One device's line: from the start to `busy`, of `whole`; '=' one product, '#' the other. */
static void line(const char *name, double busy, double whole, const char *marks)
{
    int end = (int)(60 * busy / whole + 0.5);
    printf("  %-7s|", name);
    for (int i = 0; i < 60; i++) putchar(i < end ? marks[marks[1] && 2 * i >= end] : ' ');
    printf("| %.2f ms\n", 1e3 * busy);
}

int row_K4(void)
{
    two_gpus();
    int64_t n = row_size(1024, 256);
    two_products(situ_gpu(0), situ_gpu(1), n); /* makes the plans */
    times one = two_products(situ_gpu(0), situ_gpu(0), n), two = two_products(situ_gpu(0), situ_gpu(1), n);
    bool simulated = one.clock[0] > 0;
    double both = two.clock[0] > two.clock[1] ? two.clock[0] : two.clock[1];
    printf("two products of %lld x %lld %14s %18s\n", (long long)n, (long long)n, "wall", simulated ? "simulated" : "");
    printf("one after the other on gpu(0) %8.2f ms %15.3f ms\n", 1e3 * one.wall, 1e3 * one.clock[0]);
    printf("at once on gpu(0) and gpu(1)  %8.2f ms %15.3f ms\n", 1e3 * two.wall, 1e3 * both);
    printf("faster by                     %8.2f    %15.2f\n", one.wall / two.wall, simulated ? one.clock[0] / both : 0);
    if (simulated) {
        printf("simulated timeline: = first product, # second product\n");
        line("gpu(0)", one.clock[0], one.clock[0], "=#");
        line("gpu(1)", one.clock[1], one.clock[0], "#");
        printf("  and at once:\n");
        line("gpu(0)", two.clock[0], one.clock[0], "=");
        line("gpu(1)", two.clock[1], one.clock[0], "#");
        HOLDS(one.clock[1] == 0);
        HOLDS(one.clock[0] / both > 1.9);
    } else {
        HOLDS(one.wall / two.wall > 1.5);
    }
    return row_end();
}
