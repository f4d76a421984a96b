/* I4: the host works while the GPU computes. A call only records; situ_eval starts the work and does not wait; situ_wait starts it and
 * waits. In eager mode each call starts its work, as in other frameworks. */
#include "chapter.h"

typedef enum how { LAZY, EVAL, WAIT, EAGER } how;

/* A product, and `seconds` of other work of the host: what both take. */
static double both(situ_tensor *a, double seconds, how start, double *wall)
{
    situ_scope *scope = situ_scope_open();
    double from = row_time(), began = row_clock();
    situ_eager(start == EAGER);
    situ_tensor *c = situ_matmul(a, a);
    situ_eager(false);
    if (start == EVAL) situ_eval(TENSORS(c));
    if (start == WAIT) situ_wait(c);
    row_work(seconds);
    situ_wait(c); /* it is needed now */
    double took = row_time() - from;
    *wall = row_clock() - began;
    situ_scope_close(scope);
    return took;
}

int row_I4(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    int64_t n = row_size(1024, 512);
    situ_tensor *a = situ_uniform(situ_key(0, .device = situ_try_tpu_gpu(0)), SHAPE(n, n));
    situ_wait(a);
    double wall[4], took[4], product = both(a, 0, WAIT, &wall[0]);
    product = both(a, 0, WAIT, &wall[0]); /* its plan is there now */
    for (int i = 0; i < 4; i++) took[i] = both(a, product, (how)i, &wall[i]);
    printf("a product of %lld x %lld takes %.3g us (%s); the host works as long with something else\n", (long long)n, (long long)n, 1e6 * product,
           row_time_name());
    static const char *const name[] = {"recorded, then host work, then a wait", "situ_eval, then host work, then a wait", "a wait, then host work",
                                       "eager mode: a call, host work, then a wait"};
    for (int i = 0; i < 4; i++)
        printf("%-42s %8.0f us (wall %8.0f us)  %s\n", name[i], 1e6 * took[i], 1e6 * wall[i], row_bar(took[i], took[0]));
    for (int i = 0; i < 4; i++) row_timed(name[i], row_is_simulated() ? took[i] : 0, wall[i]);
    if (row_is_simulated() || !row_is_host(situ_try_tpu_gpu(0))) {
        HOLDS(took[EVAL] < 0.7 * took[LAZY]); /* both at once ... */
        HOLDS(took[EAGER] < 0.7 * took[LAZY]);
        HOLDS(took[WAIT] > 0.9 * took[LAZY]); /* ... or one after the other */
    }
    situ_scope_close(scope);
    return row_end();
}
