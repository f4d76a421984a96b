/* K1: exercise 1: a product of large matrices and one of small ones, on the CPU and on a GPU. */
#include "chapter.h"

/* Wall time of a product, and what it would take on the simulated device. */
static row_runs product(situ_device d, int64_t n, double *simulated, double *sum)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *a = situ_uniform(situ_key(1, .device = d), SHAPE(n, n));
    situ_tensor *b = situ_uniform(situ_key(2, .device = d), SHAPE(n, n));
    situ_wait(a);
    situ_wait(b);
    row_runs runs = {0};
    for (int r = 0; r < 8; r++) {
        double clock = row_virtual(d), start = row_clock();
        situ_tensor *c = situ_matmul(a, b);
        situ_wait(c);
        double seconds = row_clock() - start;
        if (r) row_ran(&runs, seconds);
        *simulated = row_virtual(d) - clock;
        *sum = situ_item(situ_sum(c));
    }
    situ_scope_close(scope);
    return runs;
}

int row_K1(void)
{
    two_gpus();
    int64_t size[] = {16, row_size(1024, 128)};
    double most = 0;
    struct { row_runs cpu, gpu; double simulated, sum, gpu_sum; } row[2];
    char figure[ROW_FIGURE];
    const char *name = row_name(situ_try_tpu_gpu(0));
    for (int i = 0; i < 2; i++) {
        double none;
        row[i].cpu = product(situ_cpu(), size[i], &none, &row[i].sum);
        row[i].gpu = product(situ_try_tpu_gpu(0), size[i], &row[i].simulated, &row[i].gpu_sum);
        most = fmax(most, row_mean(&row[i].cpu));
    }
    for (int i = 0; i < 2; i++) {
        printf("%4lld x %-4lld cpu(0)            %-32s %s\n", (long long)size[i], (long long)size[i],
               row_figure(&row[i].cpu, figure, sizeof figure), row_bar(row_mean(&row[i].cpu), most));
        char what[32], simulated[48];
        snprintf(simulated, sizeof simulated, "%s simulated", name);
        snprintf(what, sizeof what, "%lld x %lld", (long long)size[i], (long long)size[i]);
        row_plot(what, "cpu(0)", 0, row_mean(&row[i].cpu));
        row_plot(what, row[i].simulated > 0 ? simulated : name, 0,
                 row[i].simulated > 0 ? row[i].simulated : row_mean(&row[i].gpu));
        if (row[i].simulated > 0)
            printf("%11s %s  %-3.3g us %26s %s\n%11s (its wall time here %s)\n", "", simulated, 1e6 * row[i].simulated, "",
                   row_bar(row[i].simulated, most), "", row_figure(&row[i].gpu, figure, sizeof figure));
        else
            printf("%11s %s            %-32s %s\n", "", name, row_figure(&row[i].gpu, figure, sizeof figure), row_bar(row_mean(&row[i].gpu), most));
        printf("%11s sum of the product: %.8g and %.8g\n", "", row[i].sum, row[i].gpu_sum);
        if (!(fabs(row[i].sum - row[i].gpu_sum) <= 1e-5 * row[i].sum)) row_holds(false, "both devices give one product");
    }
    HOLDS(row_mean(&row[0].cpu) < row_mean(&row[1].cpu));
    if (row[0].simulated > 0) HOLDS(row[0].simulated < row[1].simulated);
    return row_end();
}
