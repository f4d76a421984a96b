/* J3: a thousand small copies cost a thousand latencies, one large copy of the same numbers costs one. And what is copied to a GPU
 * while it computes costs no time at all. */
#include "chapter.h"

enum { MANY = 1000, EACH = 1000 };

static double copies(const float *data, int count, situ_device d, double *wall)
{
    situ_scope *scope = situ_scope_open();
    double from = row_time(), began = row_clock();
    situ_tensor *x = NULL;
    for (int i = 0; i < count; i++) x = situ_from_host(data, SHAPE(MANY * EACH / count), .device = d);
    situ_wait(situ_select(x, 0, 0)); /* the last one is there */
    double took = row_time() - from;
    *wall = row_clock() - began;
    situ_scope_close(scope);
    return took;
}

/* A product, and a copy of so many rows of it beside. */
static double beside(situ_tensor *a, situ_tensor *on_cpu, bool product, bool copy, double *wall)
{
    situ_scope *scope = situ_scope_open();
    double from = row_time(), began = row_clock();
    situ_tensor *c = product ? situ_matmul(a, a) : NULL, *b = copy ? situ_copy_to(on_cpu, situ_device_of(a)) : NULL;
    if (c) situ_eval(TENSORS(c));
    if (b) situ_eval(TENSORS(b));
    if (c) situ_wait(c);
    if (b) situ_wait(b);
    double took = row_time() - from;
    *wall = row_clock() - began;
    situ_scope_close(scope);
    return took;
}

int row_J3(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_device gpu = situ_try_tpu_gpu(0);
    float *data = calloc(MANY * EACH, sizeof *data);
    double many = 0, one = 0, wall[3] = {0};
    for (int run = 0; data && run < 2; run++) many = copies(data, MANY, gpu, &wall[0]), one = copies(data, 1, gpu, &wall[1]);
    free(data);
    printf("%d copies of %d numbers %8.0f us, one of %d %8.0f us (%s)\n", MANY, EACH, 1e6 * many, MANY * EACH, 1e6 * one, row_time_name());
    row_timed("1000 small copies", row_is_simulated() ? many : 0, wall[0]);
    row_timed("one large copy", row_is_simulated() ? one : 0, wall[1]);
    if (row_is_simulated()) HOLDS(many > 5 * one); /* elsewhere other work of the machine decides, too */
    int64_t n = row_size(2048, 1024);
    situ_tensor *a = situ_uniform(situ_key(0, .device = gpu), SHAPE(n, n)), *on_cpu = situ_uniform(situ_key(0), SHAPE(n, n));
    situ_wait(a);
    situ_wait(on_cpu);
    double product = 0, copy = 0, both = 0;
    for (int run = 0; run < 2; run++) {
        product = beside(a, on_cpu, true, false, &wall[0]);
        copy = beside(a, on_cpu, false, true, &wall[1]);
        both = beside(a, on_cpu, true, true, &wall[2]);
    }
    static const char *const name[] = {"a product", "a copy to the GPU", "both at once"};
    for (int i = 0; i < 3; i++) row_timed(name[i], row_is_simulated() ? (double[]){product, copy, both}[i] : 0, wall[i]);
    printf("a product %8.0f us, a copy to the GPU %8.0f us, both at once %8.0f us\n", 1e6 * product, 1e6 * copy, 1e6 * both);
    if (row_is_simulated()) HOLDS(both < fmax(product, copy) + 0.5 * fmin(product, copy));
    situ_scope_close(scope);
    return row_end();
}
