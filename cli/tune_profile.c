/* situ tune --profile: measures what this machine's host and CPU cost, and writes it as a profile for the virtual clock. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <situ.h>

#include "backend/sim/card.h"
#include "command.h"
#include "os/file.h"
#include "os/plain.h"

/* Every other size is held back from the fit. */
static const int64_t size[] = {16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048};
enum { SIZES = sizeof size / sizeof *size, ROUNDS = 24, CALLS = 20000, LARGE = 1 << 24, PARTS = 4, MOST_TIMES = 51 };

/* Of several runs the least counts: what else the machine does only adds. */
static void keep_least(double *least, double seconds) { *least = fmin(*least, seconds); }

/* Seconds of a call that records an addition. */
static double measure_call(void)
{
    double least = INFINITY;
    for (int r = 0; r < ROUNDS; r++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_zeros(SHAPE(16)), *y = x;
        double start = situ_seconds();
        for (int i = 0; i < CALLS; i++) y = situ_add(y, x);
        keep_least(&least, (situ_seconds() - start) / CALLS);
        situ_scope_close(scope);
    }
    return least;
}

/* Seconds of a sum of two large vectors, with its call and its wait. */
static double measure_sum(void)
{
    double least = INFINITY;
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_ones(SHAPE(LARGE)), *y = situ_ones(SHAPE(LARGE));
    situ_wait(x);
    situ_wait(y);
    for (int r = 0; r < ROUNDS; r++) {
        situ_scope *inner = situ_scope_open(); /* each sum goes to the memory of the one before */
        double start = situ_seconds();
        situ_wait(situ_add(x, y));
        keep_least(&least, situ_seconds() - start);
        situ_scope_close(inner);
    }
    situ_scope_close(scope);
    return least;
}

/* Bytes a second that the host copies itself; 0: out of memory. */
static double measure_copy(void)
{
    double least = INFINITY;
    float *data = malloc(LARGE * sizeof *data);
    for (int i = 0; data && i < LARGE; i++) data[i] = 1; /* pages that nobody wrote are all one */
    for (int r = 0; data && r < ROUNDS; r++) {
        situ_scope *scope = situ_scope_open();
        double start = situ_seconds();
        situ_from_host(data, SHAPE(LARGE));
        keep_least(&least, situ_seconds() - start);
        situ_scope_close(scope);
    }
    free(data);
    return data ? 4.0 * LARGE / least : 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of a product of n x n with its call and its wait, by one of two clocks: the median of some. */
static double product(situ_device d, int64_t n, int times, double (*clock)(void))
{
    double took[MOST_TIMES];
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_uniform(situ_key(0, .device = d), SHAPE(n, n));
    situ_wait(x);
    situ_wait(situ_matmul(x, x)); /* makes the plan */
    for (int i = 0; i < times; i++) {
        double start = clock();
        situ_wait(situ_matmul(x, x));
        took[i] = clock() - start;
    }
    situ_scope_close(scope);
    qsort(took, (size_t)times, sizeof *took, by_value);
    return took[times / 2];
}

static void measure_products(double seconds[SIZES])
{
    for (int i = 0; i < SIZES; i++) seconds[i] = INFINITY;
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < SIZES; i++)
            keep_least(&seconds[i],
                product(situ_cpu(), size[i],
                    size[i] < 200      ? MOST_TIMES :
                        size[i] < 1000 ? 5 :
                                         1,
                    situ_seconds));
}

static double predicted(const situ_card *c, double n) { return c->call + situ_card_cpu_seconds(c, 2 * n * n * n, 12 * n * n); }

/* The largest factor by which a prediction of the sizes first, first + step, ... is off. */
static double worst(const situ_card *c, const double *seconds, int first, int step)
{
    double most = 0;
    for (int i = first; i < SIZES; i += step) most = fmax(most, fabs(log(predicted(c, (double)size[i]) / seconds[i])));
    return exp(most);
}

/* Tries all values of four constants between bounds; the best become *c. */
static void search(situ_card *c, const double *seconds, double low[PARTS], double high[PARTS], double ratio)
{
    double least = worst(c, seconds, 0, 2);
    situ_card best = *c, try = *c;
    for (try.host_kernel = low[0]; try.host_kernel <= high[0]; try.host_kernel *= ratio)
        for (try.core_flops = low[1]; try.core_flops <= high[1]; try.core_flops *= ratio)
            for (try.host_flops = fmax(low[2], try.core_flops); try.host_flops <= high[2]; try.host_flops *= ratio)
                for (try.spread = low[3]; try.spread <= high[3]; try.spread *= ratio) {
                    double off = worst(&try, seconds, 0, 2);
                    if (off < least) least = off, best = try;
                }
    *c = best;
}

/* Chooses the constants of products so that the worst of the predictions that are looked at is as good as it can be. */
static void fit(situ_card *c, const double *seconds)
{
    double rate = 0;
    for (int i = 0; i < SIZES; i += 2) rate = fmax(rate, 2 * pow((double)size[i], 3) / seconds[i]);
    double low[PARTS] = {seconds[0] / 8, rate / situ_threads() / 3, rate / 4, 1e-7}, high[PARTS] = {seconds[0], rate, rate, 1e-4};
    search(c, seconds, low, high, 1.25);
    for (double ratio = 1.25; ratio > 1.02; ratio = sqrt(ratio)) {
        double at[PARTS] = {c->host_kernel, c->core_flops, c->host_flops, c->spread};
        for (int i = 0; i < PARTS; i++) low[i] = at[i] / ratio / ratio, high[i] = at[i] * ratio * ratio;
        search(c, seconds, low, high, sqrt(ratio));
    }
}

static bool write_profile(const situ_card *c, const char *path, double off)
{
    situ_file file;
    FILE *f = situ_file_begin(&file, path, false);
    int code = f ? 0 : errno;
    const struct {
        const char *name;
        double value;
    } line[] = {{"call", c->call}, {"copy_bandwidth", c->copy_bandwidth}, {"host_kernel", c->host_kernel},
        {"core_flops", c->core_flops}, {"host_flops", c->host_flops}, {"spread", c->spread},
        {"host_memory_bandwidth", c->host_memory_bandwidth}};
    if (f) {
        situ_plain_print(f,
            "# What a host and its CPU cost on the virtual clock, measured by situ tune --profile on %d threads; products of 16 "
            "to\n"
            "# 2048 that were held back are predicted within a factor of %.2f. The card is that of this line:\nbase workstation\n",
            situ_threads(), off);
        for (size_t i = 0; i < sizeof line / sizeof *line; i++) situ_plain_print(f, "%s %.4g\n", line[i].name, line[i].value);
        code = situ_file_end(&file, true);
    }
    if (code) fprintf(stderr, "situ tune: the profile %s cannot be written: %s\n", path, situ_file_why(code));
    return !code;
}

/* What a product takes on the card, of what it takes on the CPU: by the profile, and by what is seen here. */
static situ_device simulated;
static double by_profile(int64_t n) { return product(simulated, n, 1, situ_sim_clock) / product(situ_cpu(), n, 1, situ_sim_clock); }
static double by_seen(int64_t n)
{
    double cpu = INFINITY;
    for (int r = 0; r < ROUNDS; r++) keep_least(&cpu, product(situ_cpu(), n, 5, situ_seconds));
    return product(simulated, n, 1, situ_sim_clock) / cpu;
}

/* What was seen beside what the virtual clock says once the profile is in use. */
static int tell(const char *path, const double seen[SIZES])
{
    double cpu[SIZES], card[SIZES], most[2] = {1, 1};
    if (situ_sim_profile(path) || situ_sim_gpus(1)) return cli_fail("tune");
    simulated = situ_gpu(situ_num_gpus() - 1);
    printf("a product of    here, us  profile, us   of it   the card, us (simulated)\n");
    for (int i = 0; i < SIZES; i++) {
        cpu[i] = product(situ_cpu(), size[i], 1, situ_sim_clock);
        card[i] = product(simulated, size[i], 1, situ_sim_clock);
        most[i % 2] = fmax(most[i % 2], exp(fabs(log(cpu[i] / seen[i]))));
        situ_plain_print(stdout, "%5lld x %-5lld %11.2f %12.2f %7.2f%s %13.2f\n", (long long)size[i], (long long)size[i],
            1e6 * seen[i], 1e6 * cpu[i], cpu[i] / seen[i], i % 2 ? " held" : "     ", 1e6 * card[i]);
    }
    double said = (double)row_crossing(by_profile, size[0], size[SIZES - 1], 1);
    double found = (double)row_crossing(by_seen, size[0], size[SIZES - 1], 1.02);
    situ_plain_print(
        stdout, "the worst prediction is off by a factor of %.2f; of the sizes that were held back %.2f\n", most[0], most[1]);
    if (said > 0 && found > 0)
        situ_plain_print(stdout,
            "the card is faster from %.0f on by the profile, from %.0f on by what was seen: a factor of %.2f\n", said, found,
            exp(fabs(log(said / found))));
    if (most[0] > 1.3 || most[1] > 1.3) printf("that is more than 30 %%: was the machine busy? measure again\n");
    printf("%s: SITU_SIM_PROFILE=%s uses it\n", path, path);
    return situ_failed() ? cli_fail("tune") : EXIT_DONE;
}

int cli_tune_profile(const char *path)
{
    situ_card c = *situ_card_nth(0);
    double seconds[SIZES];
    int code = situ_file_check(path);
    if (code) return fprintf(stderr, "situ tune: the profile %s cannot be written: %s\n", path, situ_file_why(code)), EXIT_FAILED;
    c.call = measure_call();
    c.copy_bandwidth = measure_copy();
    c.host_memory_bandwidth = 12.0 * LARGE / measure_sum();
    measure_products(seconds);
    if (situ_failed()) return cli_fail("tune");
    fit(&c, seconds);
    return write_profile(&c, path, worst(&c, seconds, 1, 2)) ? tell(path, seconds) : EXIT_FAILED;
}
