/* I5: two GPUs at once need two starts before the first wait. A wait for one product starts that product alone. */
#include "chapter.h"

/* A product on each GPU. */
static double products(situ_tensor *const *a, bool starts, double *wall)
{
    situ_scope *scope = situ_scope_open();
    double from = row_time(), began = row_clock();
    situ_tensor *c[2];
    for (int i = 0; i < 2; i++) c[i] = situ_matmul(a[i], a[i]);
    if (starts) situ_eval(TENSORS(c[0], c[1]));
    for (int i = 0; i < 2; i++) situ_wait(c[i]);
    double took = row_time() - from;
    *wall = row_clock() - began;
    situ_scope_close(scope);
    return took;
}

int row_I5(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    int64_t n = row_size(1024, 512);
    situ_tensor *a[2];
    for (int i = 0; i < 2; i++) situ_wait(a[i] = situ_uniform(situ_key(i, .device = situ_try_tpu_gpu(i)), SHAPE(n, n)));
    double wall[2], took[2];
    for (int run = 0; run < 2; run++) /* the second time the plans are there */
        for (int i = 0; i < 2; i++) took[i] = products(a, i == 1, &wall[i]);
    static const char *const name[] = {"two products, two waits", "situ_eval of both, two waits"};
    for (int i = 0; i < 2; i++)
        printf("%-30s %8.0f us %s (wall %8.0f us)  %s\n", name[i], 1e6 * took[i], row_time_name(), 1e6 * wall[i], row_bar(took[i], took[0]));
    for (int i = 0; i < 2; i++) row_timed(name[i], row_is_simulated() ? took[i] : 0, wall[i]);
    if (row_is_simulated()) HOLDS(took[1] < 0.7 * took[0]);
    situ_scope_close(scope);
    return row_end();
}
