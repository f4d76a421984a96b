/* I3: the timed cells over 100,000,000 numbers: on the accelerator, on the CPU, and with a hop between the two. */
#include "chapter.h"

/* uniform(key, n); x**2 - 0.5; y**3 - 0.2: the first two where `first` is, the last where `second` is, the end at `first`. */
static row_runs cells(situ_device first, situ_device second, int64_t n, double *mean)
{
    row_runs runs = {0};
    for (int run = 0; run < 4; run++) { /* the first one also gets the memory from the system */
        situ_scope *scope = situ_scope_open();
        double start = row_clock();
        situ_tensor *x = situ_uniform(situ_key(0, .device = first), SHAPE(n));
        situ_tensor *y = situ_sub(situ_pow(x, 2), 0.5);
        situ_tensor *z = situ_sub(situ_pow(situ_to(y, second), 3), 0.2);
        z = situ_to(z, first);
        situ_wait(z);
        double seconds = row_clock() - start;
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
    const char *kind = info.simulated ? " (simulated: run by one core of this machine)" : "";
    double cpu, gpu, hop;
    row_runs on_cpu = cells(situ_cpu(), situ_cpu(), n, &cpu), on_gpu = cells(card, card, n, &gpu), hopping = cells(card, situ_cpu(), n, &hop);
    char figure[ROW_FIGURE];
    printf("n = %lld; %s\n", (long long)n, row_beside("the chapter prints 1.20 s on the CPU, 1.09 s on the accelerator, 1.09 s with the hop"));
    printf("on the CPU            %s\n", row_figure(&on_cpu, figure, sizeof figure));
    printf("on %s             %s%s\n", row_name(card), row_figure(&on_gpu, figure, sizeof figure), kind);
    printf("%s, cpu, %s   %s%s\n", row_name(card), row_name(card), row_figure(&hopping, figure, sizeof figure), kind);
    printf("mean %.7g %.7g %.7g\n", cpu, gpu, hop);
    HOLDS(fabs(cpu - -0.2321429) < 1e-3); /* the integral of (x^2 - 1/2)^3 - 1/5 over 0..1 */
    if (info.bit_equal) HOLDS(cpu == gpu && gpu == hop); /* the same bits, wherever */
    else HOLDS(fabs(cpu - gpu) < 1e-6 && fabs(cpu - hop) < 1e-6);
    return row_end();
}
