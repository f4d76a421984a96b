/* D2: memory in use, peak and limit; the limit is hard, and the error names the largest tensors and their birthplaces. */
#include "chapter.h"

static void show(const char *when, situ_device d)
{
    situ_memory m;
    if (!situ_memory_of(d, &m))
        printf("%-22s in use %9lld, peak %9lld, limit %lld\n", when, (long long)m.in_use, (long long)m.peak, (long long)m.limit);
}

int row_D2(void)
{
    two_gpus();
    situ_device gpu = situ_try_tpu_gpu(0);
    situ_memory before, after;
    situ_memory_of(gpu, &before);
    situ_memory_limit(gpu, before.in_use + (10 << 20));
    situ_memory_reset_peak(gpu);

    situ_scope *scope = situ_scope_open();
    double start = row_clock(), clock = situ_sim_clock();
    situ_tensor *x = situ_name(situ_ones(SHAPE(1 << 20), .device = gpu), "activations"); /* 4 MiB */
    situ_eval(TENSORS(x));
    situ_wait(x);
    row_timed("making 4 MiB", row_is_simulated() ? situ_sim_clock() - clock : 0, row_clock() - start);
    show("4 MiB", gpu);
    situ_eval(TENSORS(situ_zeros(SHAPE(4, 1 << 20), .device = gpu))); /* 16 MiB more */
    HOLDS(REFUSED(SITU_DEVICE_MEMORY, row_name(gpu), "activations", "f32[1048576]", "D2.c:"));
    show("after the refusal", gpu);
    situ_memory_of(gpu, &after);
    HOLDS(after.peak <= before.in_use + (10 << 20));

    situ_tensor *smaller = situ_zeros(SHAPE(1 << 20), .device = gpu); /* the next smaller one runs */
    situ_eval(TENSORS(smaller));
    HOLDS(situ_wait(smaller) == 0);
    situ_scope_close(scope);
    situ_memory_limit(gpu, before.limit);
    situ_memory_of(gpu, &after);
    HOLDS(after.in_use == before.in_use);
    return row_end();
}
