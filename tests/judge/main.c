/* The judge's command: judge [--seed S] [--count N] [--seconds T] [--only SEED] [--digest] [--ways a,b] [--stop N]
 *
 * Programs S, S + 1, ... are generated, run in many ways and compared. The last line has how many there were. With
 * --digest they only run, lazily, and there is a line "seed hash" for each, to compare with a process that has another
 * environment; with --samples they are the calls of cli/samples.def, in all ways; --values shows the values
 * themselves. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "judge.h"

bool on_a_card;

typedef struct wishes {
    uint64_t seed;
    long count;
    double seconds;
    bool digest, values, opencl, whole, only, samples;
    int stop;
    unsigned ways;
} wishes;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A program that ends the process, or does not end, is one that differs. */
enum { MOST_SECONDS = 120 };
static volatile uint64_t current;
static void on_signal(int number)
{
    char text[80];
    int n = snprintf(text, sizeof text, "seed %llu, signal %d\n", (unsigned long long)current, number);
    if (write(1, text, (size_t)n) != n) _exit(4);
    _exit(3);
}

static void watch(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) signal(numbers[i], on_signal);
}

static unsigned read_ways(const char *text)
{
    unsigned ways = 0;
    for (int w = 0; w < W_COUNT; w++) {
        const char *at = strstr(text, way_names[w]);
        size_t n = strlen(way_names[w]);
        while (at && ((at != text && at[-1] != ',') || (at[n] && at[n] != ','))) at = strstr(at + 1, way_names[w]);
        if (at) ways |= 1u << w;
    }
    return ways;
}

static bool read_wishes(int argc, char **argv, wishes *w)
{
    *w = (wishes){.seed = (uint64_t)time(NULL) * 1000, .count = -1, .seconds = -1, .stop = 1};
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--digest")) w->digest = true;
        else if (!strcmp(argv[i], "--values")) w->values = true;
        else if (!strcmp(argv[i], "--opencl")) w->opencl = true;
        else if (!strcmp(argv[i], "--card")) on_a_card = true;
        else if (!strcmp(argv[i], "--whole")) w->whole = true;
        else if (!strcmp(argv[i], "--samples")) w->samples = w->only = true, w->count = sample_count;
        else if (!strcmp(argv[i], "--seed")) w->seed = strtoull(next, NULL, 0), i++;
        else if (!strcmp(argv[i], "--only")) w->seed = strtoull(next, NULL, 0), w->count = 1, w->only = true, i++;
        else if (!strcmp(argv[i], "--count")) w->count = atol(next), i++;
        else if (!strcmp(argv[i], "--seconds")) w->seconds = atof(next), i++;
        else if (!strcmp(argv[i], "--stop")) w->stop = atoi(next), i++;
        else if (!strcmp(argv[i], "--ways")) w->ways = read_ways(next), i++;
        else return false;
    }
    if (w->count < 0 && w->seconds < 0) w->count = 1000;
    return true;
}

/* Lazily always, and of the others one or two in turn. */
static unsigned ways_of(const wishes *w, uint64_t seed)
{
    if (w->ways) return w->ways;
    if (on_a_card) return 1u << (seed % 3 ? W_GPU : W_GPU_EAGER);
    if (w->only) return 0xffff & ~(w->opencl ? 0 : 1u << W_OPENCL);
    static const way turn[] = {W_UNFUSED, W_SOME, W_GPU, W_TWICE, W_TWO, W_FAIL, W_GPU_EAGER, W_SOME, W_TIGHT, W_TWICE};
    unsigned ways = 1u << W_LAZY;
    ways |= 1u << turn[seed % 10];
    if (w->opencl && seed % 50 == 0) ways |= 1u << W_OPENCL;
    return ways;
}

/* Vectors whose sign is free, and the bits of a float whose last one is: a card may have others. */
static bool is_free(const program *p)
{
    static const char *const names[] = {"eigh_vectors", "svd_u", "svd_vh", "bitcast_"};
    for (int i = 0; i < p->count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (!strncmp(rows[p->s[i].row].name, names[k], strlen(names[k]))) return true;
    return false;
}

int main(int argc, char **argv)
{
    static program p;
    static arena memory;
    wishes w;
    if (!read_wishes(argc, argv, &w)) {
        fprintf(stderr, "usage: judge [--seed S] [--only S] [--count N] [--seconds T] [--stop N] [--ways a,b] [--digest] [--values] [--opencl] [--card] [--whole] [--samples]\n");
        return 2;
    }
    if (!on_a_card) situ_sim_gpus(2);
    watch();
    if (w.opencl && situ_num_opencl() < 1) w.opencl = false;
    double start = now();
    long done = 0, differ = 0, statements = 0;
    for (uint64_t seed = w.seed; done != w.count && (w.seconds < 0 || now() - start < w.seconds); seed++, done++) {
        current = seed;
        alarm(MOST_SECONDS);
        arena_reset(&memory);
        const machine *known = w.samples ? generate_sample(&p, (int)done, seed, &memory) : generate(&p, seed, &memory);
        if (on_a_card && is_free(&p)) {
            done--;
            continue;
        }
        statements += p.count;
        if (w.values) {
            show_library(stdout, &p);
            continue;
        }
        if (w.digest) {
            printf("%llu %016llx\n", (unsigned long long)seed, (unsigned long long)digest_program(&p, known));
            continue;
        }
        verdict v = judge_program(&p, known, ways_of(&w, seed));
        if (!v.differs) continue;
        if (!w.whole) shrink(&p, &v);
        show(stdout, &p, &v);
        fflush(stdout);
        if (++differ >= w.stop && w.stop) {
            done++;
            break;
        }
    }
    if (!w.digest)
        printf("%ld programs from seed %llu, %ld statements, %.0f a second: %ld differ\n", done, (unsigned long long)w.seed, statements,
               (double)done / (now() - start), differ);
    alarm(0);
    situ_shutdown();
    return differ != 0;
}
