/* I1: a call returns at once; reading the value is the barrier. */
#include "chapter.h"

int row_I1(void)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_uniform(situ_key(0), SHAPE(row_size(4000000, 200000)));
    situ_eval(TENSORS(x));
    situ_wait(x);

    row_runs called = {0}, waited = {0};
    double simulated[2] = {0};
    situ_tensor *y = NULL;
    for (int run = 0; run < 8; run++) {
        double start = row_clock(), clock = situ_sim_clock();
        y = situ_sum(situ_tanh(situ_exp(situ_add(x, run)))); /* another number in each run: computed anew */
        if (run) row_ran(&called, row_clock() - start);
        simulated[0] = situ_sim_clock() - clock;
        if (run == 7) printf("after the call: %s\n", situ_state(y));
        if (run == 7) HOLDS(!strcmp(situ_state(y), "pending"));
        situ_eval(TENSORS(y)); /* starts the work ... */
        situ_wait(y); /* ... and waits for it, without copying anything: block_until_ready() */
        if (run) row_ran(&waited, row_clock() - start);
        simulated[1] = situ_sim_clock() - clock;
    }
    printf("after the wait: %s\n", situ_state(y));
    HOLDS(!strcmp(situ_state(y), "stored"));
    char call[ROW_FIGURE], wait[ROW_FIGURE];
    printf("the call took %s, the value was there after %s: ", row_figure(&called, call, sizeof call), row_figure(&waited, wait, sizeof wait));
    situ_print(y);
    row_timed("the call", simulated[0], row_mean(&called));
    row_timed("the value", simulated[1], row_mean(&waited));
    HOLDS(row_mean(&called) < row_mean(&waited));
    HOLDS(!situ_failed());
    situ_scope_close(scope);
    return row_end();
}
