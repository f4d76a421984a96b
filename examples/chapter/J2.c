/* J2: many small operations cost much more than one big one; recorded together they are fused. */
#include "chapter.h"

enum { MANY = 1000 };

typedef struct cost { double wall, simulated, value; int64_t kernels; } cost;

static cost additions(situ_tensor *x, int count, bool each)
{
    situ_scope *scope = situ_scope_open();
    situ_device d = situ_device_of(x);
    cost c = {.kernels = row_kernels(d), .simulated = row_virtual(d)};
    double start = row_clock();
    for (int i = 0; i < count; i++) {
        x = situ_add(x, 1);
        if (each) situ_wait(x); /* as if every operation were asked for by itself */
    }
    situ_wait(x);
    c.wall = row_clock() - start;
    c.kernels = row_kernels(d) - c.kernels;
    c.simulated = row_virtual(d) - c.simulated;
    c.value = situ_item(situ_select(x, 0, 0));
    situ_scope_close(scope);
    return c;
}

int row_J2(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_tensor *small = situ_zeros(SHAPE(1000), .device = situ_try_tpu_gpu(0)), *big = situ_zeros(SHAPE(1000 * MANY), .device = situ_try_tpu_gpu(0));
    situ_wait(small);
    situ_wait(big);
    cost c[3];
    row_runs runs[3] = {{0}};
    char figure[ROW_FIGURE];
    for (int r = 0; r < 4; r++) { /* from the second round on plans are there */
        c[0] = additions(small, MANY, true);
        c[1] = additions(small, MANY, false);
        c[2] = additions(big, 1, false);
        for (int i = 0; r && i < 3; i++) row_ran(&runs[i], c[i].wall);
    }
    static const char *const name[] = {"1000 additions to 1,000 numbers, one by one", "the same, recorded together",
                                       "1 addition to 1,000,000 numbers"};
    printf("%-44s %8s  %-30s %12s %8s\n", "", "kernels", "wall", "simulated", "value");
    for (int i = 0; i < 3; i++)
        printf("%-44s %8lld  %-30s %9.0f us %8g\n", name[i], (long long)c[i].kernels, row_figure(&runs[i], figure, sizeof figure), 1e6 * c[i].simulated,
               c[i].value);
    for (int i = 0; i < 3; i++) row_timed(name[i], c[i].simulated, row_mean(&runs[i]));
    HOLDS(c[0].value == MANY && c[1].value == MANY && c[2].value == 1);
    if (c[0].simulated > 0) HOLDS(c[0].kernels == MANY && c[1].kernels <= 100 && c[2].kernels == 1);
    if (c[0].simulated > 0) HOLDS(c[2].simulated < c[1].simulated && c[1].simulated < c[0].simulated / 10);
    situ_scope_close(scope);
    return row_end();
}
