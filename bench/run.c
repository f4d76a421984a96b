/* bench/run WORK [seconds]: prints "situ WORK median S min S runs N first S prepared S", and with simulated GPUs "simulated S", what a
 * run takes on the virtual clock. bench/compare runs the same with other libraries. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <situ.h>

#include "bench.h"

/* SITU_BENCH_CLOCK=cpu: CPU time, which other programs affect less than wall time. */
double bench_clock(void)
{
    static clockid_t clock = CLOCK_MONOTONIC;
    static bool asked;
    if (!asked && getenv("SITU_BENCH_CLOCK")) clock = CLOCK_PROCESS_CPUTIME_ID;
    asked = true;
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void help(void)
{
    puts("usage: run WORK [seconds]      prints: situ WORK median S min S runs N first S prepared S\n");
    const bench_work *tables[] = {bench_numbers, bench_networks, bench_vision, bench_card, bench_loader, bench_algebra};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const bench_work *w = tables[i]; w->name; w++) printf("  %-10s  %s\n", w->name, w->what);
    puts("\nthe kernel lab: peak | memory read|write|copy MIB | kernels | card [N]\nthreads WORK: one thread and two in turn; nodes: what an operation costs by the size of the graph; planning: what an mlp step costs besides its arithmetic; ahead: loops that read and that do not; beside: an inference beside a training; bits: of training; blas: who multiplies matrices; invariance: the price of batch-invariant inference; under mpirun, group: sums over ranks, group WORK RUNS: steps");
}

/* The workload with this name; *n is the number at the end of the name. */
static const bench_work *find(const char *name, int64_t *n)
{
    const bench_work *tables[] = {bench_numbers, bench_networks, bench_vision, bench_card, bench_loader, bench_algebra};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const bench_work *w = tables[i]; w->name; w++) {
            size_t length = strlen(w->name);
            bool sized = !strcmp(w->name, "matmul");
            if (strncmp(name, w->name, length) || (!sized && name[length])) continue;
            *n = sized ? atoll(name + length) : 0;
            if (!sized || *n > 0) return w;
        }
    return NULL;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { MOST = 1000000 };
static double first;     /* time of the first run, which plans and compiles */
static double simulated; /* of the last run, on the virtual clock */

/* Times runs until the seconds are over, at least three. */
static int measure(const bench_work *w, double seconds, double *time)
{
    int runs = 0;
    int64_t r = 0;
    double begin = bench_clock();
    for (; r < 3; r++) {
        if (w->run(r)) return 0;
        if (!r) first = bench_clock() - begin;
    }
    for (double end = bench_clock() + seconds; runs < MOST && (runs < 3 || bench_clock() < end); r++) {
        double start = bench_clock(), clock = situ_sim_clock();
        if (w->run(r)) return 0;
        time[runs++] = bench_clock() - start;
        simulated = situ_sim_clock() - clock;
    }
    return runs;
}

/* A value from /proc/self/status in KiB. */
static long memory_now(const char *key)
{
    char line[256];
    long kib = 0;
    FILE *f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, key, strlen(key))) kib = atol(line + strlen(key));
    if (f) fclose(f);
    return kib;
}

static int run_work(const bench_work *w, const char *name, int64_t n, double seconds)
{
    double *time = malloc(MOST * sizeof *time), operations = w->operations > 0 ? w->operations : 1;
    if (!time) return 1;
    long start = memory_now("VmRSS:");
    double begin = bench_clock();
    bool failed = w->prepare(n);
    double prepared = bench_clock() - begin;
    int runs = failed ? 0 : measure(w, seconds, time);
    if (runs) {
        long growth = memory_now("VmHWM:") - start;
        qsort(time, (size_t)runs, sizeof *time, by_size);
        double median = runs % 2 ? time[runs / 2] : (time[runs / 2 - 1] + time[runs / 2]) / 2;
        printf("%-12s %-14s median %.6g min %.6g runs %d first %.6g prepared %.6g\n", "situ", name, median / operations, time[0] / operations, runs, first,
               prepared);
        if (simulated > 0) printf("simulated %.6g\n", simulated / operations);
        if (getenv("SITU_BENCH_MEMORY")) printf("growth %ld\n", growth);
    } else {
        fprintf(stderr, "%s\n", situ_error_message());
    }
    free(time);
    return runs ? 0 : 1;
}

/* The shortest of the runs within 0.1 s on so many threads; 0: it failed. */
static double least_on(int threads, const bench_work *w, double *time)
{
    int runs = situ_set_threads(threads) ? 0 : measure(w, 0.1, time);
    double least = runs ? time[0] : 0;
    for (int i = 1; i < runs; i++) least = time[i] < least ? time[i] : least;
    return least;
}

/* One and two threads alternately: the shortest run of each. A virtual machine may put both of its cores on one
 * physical core for tenths of a second; then a second thread gains nothing. So it also prints in how many turns pure
 * multiply-adds, measured just before, gained at least 1.8. */
static int run_threads(const char *name)
{
    enum { TURNS = 8 };
    int64_t n = 0;
    int turns = 0, fit = 0;
    double one = 1e9, two = 1e9, *time = malloc(MOST * sizeof *time);
    const bench_work *w = find(name, &n);
    if (!w || !time) return free(time), fprintf(stderr, "run threads: there is no %s; --help lists the works\n", w ? "memory" : name), 2;
    for (bool failed = w->prepare(n); !failed && turns < TURNS; turns += !failed) {
        situ_set_threads(2);
        fit += bench_peak(2) / bench_peak(1) >= 1.8;
        double a = least_on(1, w, time), b = least_on(2, w, time);
        failed = !a || !b;
        one = a < one ? a : one;
        two = b < two ? b : two;
    }
    free(time);
    if (turns < TURNS) return fprintf(stderr, "%s\n", situ_error_message()), 1;
    printf("threads %s one %.6g two %.6g turns %d of them with two cores %d\n", name, one, two, TURNS, fit);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct { const char *name; int (*run)(void); } others[] = {
        {"peak", bench_lab_peak}, {"kernels", bench_lab_kernels}, {"nodes", bench_nodes}, {"planning", bench_planning},
        {"ahead", bench_ahead}, {"beside", bench_beside}, {"bits", bench_bits}, {"blas", bench_blas}, {"isa", bench_isa}, {"invariance", bench_invariance}};
    if (argc < 2 || !strcmp(argv[1], "--help")) return help(), argc < 2 ? 2 : 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(argv[1], others[i].name)) return others[i].run();
    if (!strcmp(argv[1], "memory")) return bench_lab_memory(argc > 2 ? argv[2] : NULL, argc > 3 ? argv[3] : NULL);
    if (!strcmp(argv[1], "threads")) return run_threads(argc > 2 ? argv[2] : "");
    if (!strcmp(argv[1], "card")) return bench_lab_card(argc > 2 ? argv[2] : NULL);
    int64_t n = 0;
    if (!strcmp(argv[1], "group") && argc < 3) return bench_group_sums();
    bool group = !strcmp(argv[1], "group");
    const bench_work *w = find(argv[1 + group], &n);
    if (w && group) return bench_group_steps(w, argv[2], argc > 3 ? atoi(argv[3]) : 50);
    if (!w) return fprintf(stderr, "run: there is no work %s; --help lists them\n", argv[1]), 2;
    return run_work(w, argv[1], n, argc > 2 ? atof(argv[2]) : 3);
}
