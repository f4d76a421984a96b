/* I3: the timed cells over 100,000,000 numbers: on the accelerator, on the CPU, and with a hop between the two. */
#include "chapter.h"

/* uniform(key, n); x**2 - 0.5; y**3 - 0.2: the first two where `first` is, the last where `second` is, the end at `first`. */
static row_runs cells(situ_device first, situ_device second, int64_t n, double *mean, double *simulated)
{
    row_runs runs = {0};
    for (int run = 0; run < 4; run++) { /* the first one also gets the memory from the system */
        situ_scope *scope = situ_scope_open();
        double start = row_clock(), clock = situ_sim_clock();
        situ_tensor *x = situ_uniform(situ_key(0, .device = first), SHAPE(n));
        situ_tensor *y = situ_sub(situ_pow(x, 2), 0.5);
        situ_tensor *z = situ_sub(situ_pow(situ_to(y, second), 3), 0.2);
        z = situ_to(z, first);
        situ_wait(z);
        double seconds = row_clock() - start;
        *simulated = situ_sim_clock() - clock;
        if (run > 0) row_ran(&runs, seconds);
        *mean = situ_item(situ_mean(z));
        situ_scope_close(scope);
    }
    situ_memory_trim(first);
    situ_memory_trim(second);
    return runs;
}

int row_I3(void)
{
    two_gpus();
    int64_t n = row_size(100000000, 1000000);
    situ_device card = situ_try_tpu_gpu(0);
    situ_device_info info;
    situ_device_describe(card, &info);
    double mean[3], clock[3];
    situ_device first[] = {situ_cpu(), card, card}, second[] = {situ_cpu(), card, situ_cpu()};
    static const char *const name[] = {"on the CPU", "on the accelerator", "accelerator, CPU, accelerator"};
    char figure[ROW_FIGURE];
    printf("n = %lld; %s\n", (long long)n, row_beside("the chapter prints 1.20 s on the CPU, 1.09 s on the accelerator, 1.09 s with the hop"));
    for (int i = 0; i < 3; i++) {
        row_runs runs = cells(first[i], second[i], n, &mean[i], &clock[i]);
        printf("%-30s %-28s mean %.7g", name[i], row_figure(&runs, figure, sizeof figure), mean[i]);
        printf(info.simulated ? "  simulated %9.3f ms\n" : "\n", 1e3 * clock[i]);
        row_timed(name[i], info.simulated ? clock[i] : 0, row_mean(&runs));
        row_plot(name[i], info.simulated ? "simulated" : row_name(card), 0, info.simulated ? clock[i] : row_mean(&runs));
    }
    if (info.simulated) printf("(a simulated card is run by one core of this machine: its wall time says nothing)\n");
    HOLDS(fabs(mean[0] - -0.2321429) < 1e-3); /* the integral of (x^2 - 1/2)^3 - 1/5 over 0..1 */
    if (info.bit_equal) HOLDS(mean[0] == mean[1] && mean[1] == mean[2]); /* the same bits, wherever */
    else HOLDS(fabs(mean[0] - mean[1]) < 1e-6 && fabs(mean[0] - mean[2]) < 1e-6);
    if (info.simulated) HOLDS(clock[1] < clock[0] && clock[1] < clock[2]); /* the card is faster, and the hop is not free */
    return row_end();
}
