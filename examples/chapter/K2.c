/* K2: exercise 2: reading and writing parameters on a GPU. */
#include "chapter.h"

static double at(double *wall, situ_device d)
{
    *wall = row_clock();
    return row_virtual(d);
}

int row_K2(void)
{
    two_gpus();
    situ_scope *scope = situ_scope_open();
    situ_device gpu = situ_try_tpu_gpu(0);
    situ_module *net = situ_sequential(situ_linear_layer(256));
    situ_module_to(net, gpu);
    situ_module_init(net, situ_key(0));
    situ_wait(situ_module_call(net, situ_zeros(SHAPE(1, 784), .device = gpu)));
    situ_tensor *weight = situ_module_find(net, "0.weight");

    enum { N = 256 * 784 };
    static float host[N];
    static const char *const what[4] = {"read all of a parameter", "read one element", "write all from the host",
                                        "write one row on the device"};
    row_runs wall[4] = {{0}};
    double simulated[4], first = 0;
    static float counted[N];
    for (int i = 0; i < N; i++) counted[i] = (float)i;
    for (int run = 0; run < 8; run++) {
        double start, clock = at(&start, gpu), end, then;
#define MEASURED(i) \
    (then = at(&end, gpu), run ? row_ran(&wall[i], end - start) : (void)0, simulated[i] = then - clock, start = end, clock = then)
        situ_read(weight, host, sizeof host);
        MEASURED(0);
        double element = situ_item(situ_slice(weight, .stop = SHAPE(1, 1)));
        MEASURED(1);
        situ_assign(weight, situ_from_host(counted, SHAPE(256, 784), .device = gpu));
        situ_wait(weight);
        MEASURED(2);
        situ_assign_slice(weight, situ_full(SHAPE(1, 784), -1.0, .device = gpu), SHAPE(3, 0));
        situ_wait(weight);
        MEASURED(3);
        if (!run) first = element;
    }
    char figure[ROW_FIGURE];
    printf("256 x 784 numbers on %-9s %-32s %14s\n", row_name(gpu), "wall", "simulated");
    for (int i = 0; i < 4; i++) {
        row_timed(what[i], simulated[i], row_mean(&wall[i]));
        row_plot(what[i], "wall", 0, row_mean(&wall[i]));
        if (simulated[i] > 0) row_plot(what[i], "simulated", 0, simulated[i]);
        printf("%-30s %-32s %11.1f us %s\n", what[i], row_figure(&wall[i], figure, sizeof figure), 1e6 * simulated[i],
               row_bar(row_mean(&wall[i]), row_mean(&wall[0])));
    }
    printf("first value of the weight: %.8g\n", first);
    HOLDS(fabs(first) <= 1.0 / 28); /* it began uniform in +-1/sqrt(784) */
    situ_read(weight, host, sizeof host);
    HOLDS(host[0] == 0 && host[N - 1] == N - 1 && host[3 * 784] == -1 && host[4 * 784] == 4 * 784);
    situ_module_free(net);
    situ_scope_close(scope);
    return row_end();
}
