/* Measures how far a program runs ahead of its device, and what that costs others: loops that read each step beside
 * loops that never read, and a small inference beside a thread that trains. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <situ.h>

#include "bench.h"

#define IN_SCOPE for (situ_scope *scope_ = situ_scope_open(); scope_; situ_scope_close(scope_), scope_ = NULL)
enum { STEPS = 40, ROWS = 256, WIDTH = 512, CALLS = 2000 };

static situ_module *network(void)
{
    return situ_sequential(situ_linear_layer(WIDTH), situ_relu_layer(), situ_linear_layer(WIDTH), situ_relu_layer(), situ_linear_layer(10));
}

/* Runs a loop; seconds and peak bytes of its second half. */
static int loop(int reads, double *seconds, int64_t *peak)
{
    situ_module *net = network();
    situ_optimizer *opt = situ_adam(net);
    float *batch = calloc((size_t)ROWS * WIDTH, sizeof *batch);
    situ_memory m = {0};
    double start = 0;
    int rc = !batch || !opt;
    for (int i = 0; i < STEPS && !rc; i++) {
        if (i == STEPS / 2) {
            rc = situ_wait(NULL) || situ_memory_reset_peak(situ_cpu());
            start = bench_clock();
        }
        IN_SCOPE {
            situ_tensor *loss = situ_mean(situ_square(situ_module_call(net, situ_from_host(batch, SHAPE(ROWS, WIDTH)))));
            if (!rc) rc = situ_optimizer_step(opt, loss);
            if (!rc && reads) situ_item(loss);
        }
    }
    if (!rc) rc = situ_wait(NULL) || situ_memory_of(situ_cpu(), &m);
    *seconds = bench_clock() - start;
    *peak = m.peak;
    situ_optimizer_free(opt);
    situ_module_free(net);
    free(batch);
    return rc;
}

int bench_ahead(void)
{
    double seconds[2] = {1e9, 1e9};
    int64_t peak[2] = {0, 0};
    for (int turn = 0; turn < 6; turn++) {
        double took;
        int64_t most;
        if (loop(turn & 1, &took, &most)) {
            fprintf(stderr, "bench: %s\n", situ_error_message());
            return 1;
        }
        if (took < seconds[turn & 1]) seconds[turn & 1] = took;
        if (most > peak[turn & 1]) peak[turn & 1] = most;
    }
    printf("ahead unread %.6f s %lld bytes, read %.6f s %lld bytes\n", seconds[0], (long long)peak[0], seconds[1], (long long)peak[1]);
    return 0;
}

static _Atomic bool stop;

static void *train(void *nothing)
{
    situ_module *net = network();
    situ_optimizer *opt = situ_sgd(net, .lr = 0.01);
    while (!stop && !situ_failed())
        IN_SCOPE situ_optimizer_step(opt, situ_mean(situ_square(situ_module_call(net, situ_uniform(situ_key(1), SHAPE(ROWS, WIDTH))))));
    situ_wait(NULL);
    situ_optimizer_free(opt);
    situ_module_free(net);
    return nothing;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int bench_beside(void)
{
    static double time[CALLS];
    pthread_t thread;
    situ_module *net = situ_sequential(situ_linear_layer(64), situ_relu_layer(), situ_linear_layer(10));
    if (pthread_create(&thread, NULL, train, NULL)) return 1;
    situ_no_grad(true);
    for (int i = -100; i < CALLS; i++) {
        double start = bench_clock();
        IN_SCOPE situ_item(situ_max(situ_module_call(net, situ_full(SHAPE(1, 32), (double)i))));
        if (i >= 0) time[i] = bench_clock() - start;
    }
    stop = true;
    pthread_join(thread, NULL);
    situ_module_free(net);
    if (situ_failed()) fprintf(stderr, "bench: %s\n", situ_error_message());
    qsort(time, CALLS, sizeof *time, by_value);
    printf("beside median %.6f p99 %.6f most %.6f s\n", time[CALLS / 2], time[CALLS * 99 / 100], time[CALLS - 1]);
    return situ_failed() != 0;
}
