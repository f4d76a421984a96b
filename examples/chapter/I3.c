/* I3: the timed cells over 100,000,000 numbers: on the accelerator, on the CPU, and with a hop between the two. */
#include "chapter.h"

/* uniform(key, n); x**2 - 0.5; y**3 - 0.2: the first two where `first` is, the last where `second` is, the end at `first`. */
static double cells(situ_device first, situ_device second, int64_t n, double *mean)
{
    double best = 1e9;
    for (int run = 0; run < 2; run++) { /* the first one also gets the memory from the system */
        situ_scope *scope = situ_scope_open();
        double start = row_clock();
        situ_tensor *x = situ_uniform(situ_key(0, .device = first), SHAPE(n));
        situ_tensor *y = situ_sub(situ_pow(x, 2), 0.5);
        situ_tensor *z = situ_sub(situ_pow(situ_to(y, second), 3), 0.2);
        z = situ_to(z, first);
        situ_wait(z);
        double seconds = row_clock() - start;
        if (seconds < best) best = seconds;
        *mean = situ_item(situ_mean(z));
        situ_scope_close(scope);
    }
    situ_memory_trim(first);
    situ_memory_trim(second);
    return best;
}

int row_I3(void)
{
    two_gpus();
    int64_t n = row_size(100000000, 1000000);
    situ_device_info info;
    situ_device_describe(situ_gpu(0), &info);
    const char *kind = info.simulated ? " (simulated: run by one core of this machine)" : "";
    double cpu, gpu, hop;
    printf("n = %lld\n", (long long)n);
    printf("on the CPU            %8.1f ms\n", 1e3 * cells(situ_cpu(), situ_cpu(), n, &cpu));
    printf("on gpu(0)             %8.1f ms%s\n", 1e3 * cells(situ_gpu(0), situ_gpu(0), n, &gpu), kind);
    printf("gpu(0), cpu, gpu(0)   %8.1f ms%s\n", 1e3 * cells(situ_gpu(0), situ_cpu(), n, &hop), kind);
    printf("mean %.7g\n", cpu);
    HOLDS(fabs(cpu - -0.2321429) < 1e-3); /* the integral of (x^2 - 1/2)^3 - 1/5 over 0..1 */
    HOLDS(cpu == gpu && gpu == hop);      /* the same bits, wherever */
    return row_end();
}
