/* B1: cpu() and cpu(7) are one device: all cores and main memory. Work on it uses all cores. */
#include "chapter.h"

static int64_t most_pieces;

/* Takes the place of the library's threads, to see into how many pieces the work is cut. */
static void run(void *self, void (*task)(void *context, int64_t index), void *context, int64_t count)
{
    (void)self;
    if (count > most_pieces) most_pieces = count;
    for (int64_t i = 0; i < count; i++) task(context, i);
}

int row_B1(void)
{
    situ_scope *scope = situ_scope_open();
    HOLDS(situ_device_equal(situ_cpu(), situ_cpu(7)));

    situ_tensor *x = situ_ones(SHAPE(4000000), .device = situ_cpu(7));
    situ_set_threads(4);
    situ_set_thread_pool(&(situ_thread_pool_hooks){.run = run});
    double sum = situ_item(situ_sum(situ_exp(x)));
    situ_set_thread_pool(NULL);
    situ_set_threads(0);

    printf("sum of exp(1), 4,000,000 times: %.7g; cut into %lld pieces for 4 threads; this machine gives %d\n", sum,
           (long long)most_pieces, situ_threads());
    HOLDS(fabs(sum - 4000000 * 2.718281828459045) < 4);
    HOLDS(most_pieces >= 4);
    situ_scope_close(scope);
    return row_end();
}
