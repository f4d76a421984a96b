/* I2: the timed cell x**0.5 - log(abs(x)) over 10,000,000 numbers. scripts in bench/ time it beside other libraries. */
#include "chapter.h"

int row_I2(void)
{
    int64_t n = row_size(10000000, 100000);
    double sum = 0, simulated = 0;
    row_runs runs = {0};
    char figure[ROW_FIGURE];
    situ_plan_counters before = situ_plans();
    for (int r = 0; r < 8; r++) {
        situ_scope *scope = situ_scope_open();
        double start = row_clock(), clock = situ_sim_clock();
        situ_tensor *x = situ_linspace(0, 100 + r, n); /* another argument in each run: everything is computed anew */
        situ_tensor *y = situ_sub(situ_pow(x, 0.5), situ_log(situ_abs(x)));
        situ_eval(TENSORS(y));
        situ_wait(y);
        double seconds = row_clock() - start;
        simulated = situ_sim_clock() - clock;
        if (r > 0) row_ran(&runs, seconds); /* the first one also makes the plan and gets the memory from the system */
        if (r == 7) situ_print(y);
        if (r == 7) sum = situ_item(situ_sum(situ_slice(y, .start = SHAPE(1)))); /* the first one is 0 - log 0 = inf */
        situ_scope_close(scope);
    }
    printf("n = %lld: %s; %s\n", (long long)n, row_figure(&runs, figure, sizeof figure), row_beside("the chapter prints 186 ms ± 33 ms on its machine"));
    row_timed("the cell", simulated, row_mean(&runs));
    HOLDS(situ_plans().made - before.made <= 4); /* the cell once, then printing and the sum */
    HOLDS(isfinite(sum) && sum > 0);
    return row_end();
}
