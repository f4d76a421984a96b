/* K3: exercise 3: 1000 products of 100 x 100 matrices and the Frobenius norm of each: printed one at a time, or logged on
 * the device and moved once. */
#include "chapter.h"

typedef struct result { double wall, simulated, last; int64_t copies; } result;

static result products(situ_device d, int count, bool each)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *b = situ_uniform(situ_key(1, .device = d), SHAPE(100, 100));
    situ_tensor *a = situ_uniform(situ_key(2, .device = d), SHAPE(count, 100, 100));
    situ_eval(TENSORS(a, b));
    situ_wait(a);
    situ_wait(b);
    situ_ledger_totals before = situ_ledger_sum();
    double clock = situ_sim_clock(), start = row_clock();
    float *norm = calloc((size_t)count, sizeof *norm);
    situ_tensor **log = calloc((size_t)count, sizeof *log);
    for (int i = 0; norm && log && i < count; i++) {
        log[i] = situ_norm(situ_matmul(situ_select(a, 0, i), b));
        if (each) norm[i] = (float)situ_item(log[i]);
    }
    if (norm && log && !each) situ_read(situ_stack(TENSORS_OF(log, count)), norm, (size_t)count * sizeof *norm);
    result r = {row_clock() - start, situ_sim_clock() - clock, norm ? norm[count - 1] : 0, 0};
    situ_ledger_totals after = situ_ledger_sum();
    r.copies = after.download_count - before.download_count + after.local_count - before.local_count;
    free(norm);
    free(log);
    situ_scope_close(scope);
    return r;
}

int row_K3(void)
{
    two_gpus();
    int count = (int)row_size(1000, 50);
    result r[4];
    row_runs runs[4] = {{0}};
    situ_device card = situ_try_tpu_gpu(0);
    const char *name = row_name(card);
    char figure[ROW_FIGURE];
    for (int run = 0; run < 4; run++)
        for (int i = 0; i < 4; i++) {
            r[i] = products(i < 2 ? situ_cpu() : card, count, i % 2 == 0);
            if (run) row_ran(&runs[i], r[i].wall);
            r[i].wall = row_mean(&runs[i]);
        }
    printf("%d products of 100 x 100 %-28s %12s %7s\n", count, "  wall", "simulated", "reads");
    for (int i = 0; i < 4; i++) {
        printf("%-6s %-20s %-28s ", i < 2 ? "cpu(0)" : name, i % 2 ? "log on the device" : "one at a time", row_figure(&runs[i], figure, sizeof figure));
        if (r[i].simulated > 0) printf("%9.2f ms ", 1e3 * r[i].simulated);
        else printf("%12s ", "-");
        printf("%7lld %s\n", (long long)r[i].copies, row_bar(r[i].wall, r[2].wall));
        char what[64];
        snprintf(what, sizeof what, "%s, %s", i < 2 ? "cpu(0)" : name, i % 2 ? "log on the device" : "one at a time");
        row_timed(what, r[i].simulated, r[i].wall);
        row_plot(i % 2 ? "log on the device" : "one at a time", i < 2 ? "cpu(0)" : name, 0, r[i].wall);
        if (r[i].simulated > 0) row_plot(i % 2 ? "log on the device" : "one at a time", i < 2 ? "cpu(0) simulated" : "gpu(0) simulated", 0, r[i].simulated);
    }
    printf("the last norm: %.8g on cpu(0), %.8g on %s\n", r[0].last, r[2].last, name);
    HOLDS(r[2].copies == count && r[3].copies == 1);
    HOLDS(r[0].last == r[1].last && r[2].last == r[3].last);
    HOLDS(fabs(r[0].last - r[2].last) <= 1e-5 * r[0].last);
    if (row_is_simulated()) HOLDS(r[3].simulated < 0.7 * r[2].simulated);
    return row_end();
}
