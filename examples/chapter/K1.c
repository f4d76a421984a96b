/* K1: exercise 1: products of small and of large matrices, on the CPU and on a GPU: the CPU is faster at first, then the GPU. */
#include "chapter.h"

typedef struct result { row_runs wall; double simulated, sum; } result;

/* A product and a wait. */
static result product(situ_device d, int64_t n)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *a = situ_uniform(situ_key(1, .device = d), SHAPE(n, n));
    situ_tensor *b = situ_uniform(situ_key(2, .device = d), SHAPE(n, n));
    situ_wait(a);
    situ_wait(b);
    result r = {0};
    for (int i = 0; i < 8; i++) {
        double clock = situ_sim_clock(), start = row_clock();
        situ_tensor *c = situ_matmul(a, b);
        situ_wait(c);
        double seconds = row_clock() - start;
        if (i) row_ran(&r.wall, seconds); /* the first one also makes the plan */
        r.simulated = situ_sim_clock() - clock;
        r.sum = situ_item(situ_sum(c));
    }
    situ_scope_close(scope);
    return r;
}

static double seconds_of(const result *r) { return row_is_simulated() ? r->simulated : row_mean(&r->wall); }

/* What a product takes on the GPU, of what it takes on the CPU. */
static double ratio(int64_t n)
{
    result cpu = product(situ_cpu(), n), gpu = product(situ_try_tpu_gpu(0), n);
    return seconds_of(&gpu) / seconds_of(&cpu);
}

int row_K1(void)
{
    two_gpus();
    int64_t size[] = {16, 64, 256, row_size(1024, 512)};
    enum { SIZES = sizeof size / sizeof *size };
    bool simulated = row_is_simulated();
    situ_device device[] = {situ_cpu(), situ_try_tpu_gpu(0)};
    double seconds[SIZES][2];
    char figure[ROW_FIGURE];
    printf("%-12s %-8s %-28s %s\n", "", "", "wall", simulated ? "simulated" : "");
    for (int i = 0; i < SIZES; i++) {
        double sum[2];
        for (int k = 0; k < 2; k++) {
            char what[32];
            result r = product(device[k], size[i]);
            seconds[i][k] = seconds_of(&r);
            sum[k] = r.sum;
            snprintf(what, sizeof what, "%lld x %lld", (long long)size[i], (long long)size[i]);
            printf("%-12s %-8s %-28s ", what, row_name(device[k]), row_figure(&r.wall, figure, sizeof figure));
            if (simulated) printf("%9.2f us  sum %.8g\n", 1e6 * r.simulated, r.sum);
            else printf("sum %.8g\n", r.sum);
            row_plot(what, row_name(device[k]), 0, seconds[i][k]);
            snprintf(what, sizeof what, "%lld x %lld %s", (long long)size[i], (long long)size[i], row_name(device[k]));
            row_timed(what, simulated ? r.simulated : 0, row_mean(&r.wall));
        }
        if (!(fabs(sum[0] - sum[1]) <= 1e-5 * sum[0])) row_holds(false, "both devices give one product");
    }
    long long n = row_crossing(ratio, size[0], size[SIZES - 1], simulated ? 1 : 1.1); /* products between: to the size, or to a tenth */
    if (n) printf("from %lld x %lld on the GPU is faster (%s)\n", n, n, row_time_name());
    if (simulated) {
        HOLDS(seconds[0][0] < seconds[0][1]); /* 16 x 16: starting the work and waiting for it costs more than the work */
        HOLDS(seconds[SIZES - 1][1] < seconds[SIZES - 1][0]);
    } else {
        HOLDS(seconds[0][0] < seconds[SIZES - 1][0]);
    }
    return row_end();
}
