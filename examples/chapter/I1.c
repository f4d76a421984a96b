/* I1: a call returns at once; reading the value is the barrier. */
#include "chapter.h"

int row_I1(void)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_uniform(situ_key(0), SHAPE(row_size(4000000, 200000)));
    situ_eval(x);
    situ_wait(x);

    double start = row_clock();
    situ_tensor *y = situ_sum(situ_tanh(situ_exp(x)));
    double called = row_clock() - start;
    HOLDS(!strcmp(situ_state(y), "pending"));
    situ_eval(y); /* starts the work ... */
    situ_wait(y); /* ... and waits for it, without copying anything: block_until_ready() */
    double waited = row_clock() - start;
    HOLDS(!strcmp(situ_state(y), "stored"));
    double value = situ_item(y);
    printf("the call took %.1f us, the value was there after %.1f us: %.6g\n", 1e6 * called, 1e6 * waited, value);
    HOLDS(called < waited);
    HOLDS(!situ_failed());
    situ_scope_close(scope);
    return row_end();
}
