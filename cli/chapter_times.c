/* situ chapter --times: what the rows time, in processes of their own: on the virtual clock, and with virtual seconds that
 * take long enough here for this machine to keep up. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <situ.h>

#include "command.h"
#include "os/env.h"
#include "os/plain.h"

/* A simulated second takes so many here, unless SITU_SIM_REALTIME says how many. What is shorter than `least` says nothing. */
static const char *const stretch_here = "500";
static const double least = .2, most_off = .1;
static const double same = 1e-8; /* simulated seconds: new memory instead of old is a traffic of some hundred bytes */

enum { FIGURES = 16 };
typedef struct figures {
    struct figure {
        char what[64];
        double simulated, here;
    } figure[FIGURES];
    int count, failed;
    double stretch;
} figures;
static figures mine; /* of the row that this process runs */

void row_timed(const char *what, double simulated, double wall);
void row_timed(const char *what, double simulated, double wall)
{
    if (mine.count == FIGURES) return;
    struct figure *f = &mine.figure[mine.count++];
    *f = (struct figure){.simulated = simulated, .here = wall};
    snprintf(f->what, sizeof f->what, "%s", what);
}

/* In a process of its own: a row that ran before has an effect on caches, and situ reads its environment once. */
static bool run_row(bool (*run)(int row), int row, const char *stretch, figures *out)
{
    int end[2], status = 0;
    if (pipe(end)) return false;
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        if (stretch) setenv("SITU_SIM_REALTIME", stretch, 1);
        else unsetenv("SITU_SIM_REALTIME");
        bool silent = freopen("/dev/null", "w", stdout) != NULL;
        mine.failed = !run(row);
        mine.stretch = situ_sim_stretch(NULL);
        _exit(!silent || write(end[1], &mine, sizeof mine) != (ssize_t)sizeof mine);
    }
    close(end[1]);
    size_t got = 0;
    for (ssize_t n = 1; child > 0 && n > 0 && got<sizeof *out; got += n> 0 ? (size_t)n : 0) {
        n = read(end[0], (char *)out + got, sizeof *out - got);
        if (n < 0 && errno == EINTR) n = 1, got--;
    }
    close(end[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return child > 0 && got == sizeof *out && !status && !out->failed;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Prints one figure of all runs; returns how much is wrong with it. */
static int tell(const figures *plain, const figures *stretched, int runs, int i)
{
    const struct figure *first = &plain[0].figure[i];
    double *here = malloc((size_t)runs * sizeof *here), stretch = stretched[0].stretch;
    int wrong = !here;
    double differ = 0;
    for (int r = 0; here && r < runs; r++) {
        here[r] = stretched[r].figure[i].here;
        differ = fmax(differ, fabs(plain[r].figure[i].simulated - first->simulated));
    }
    if (here) qsort(here, (size_t)runs, sizeof *here, by_value);
    double median = here ? here[runs / 2] : 0, quotient = median / (stretch * first->simulated);
    free(here);
    if (!(first->simulated > 0)) return printf("  %-44s %12s us\n", first->what, "-"), wrong + 1;
    bool counts = stretch * first->simulated >= least, off = counts && !(fabs(quotient - 1) <= most_off);
    situ_plain_print(stdout, "  %-44s %12.3f us  here %10.1f ms, %.3f of %.4g times as long%s%s", first->what,
        1e6 * first->simulated, 1e3 * median, quotient, stretch, counts ? "" : " (short)", off ? "  OFF" : "");
    bool differs = differ > same;
    if (differs) situ_plain_print(stdout, "  DIFFERS from run to run by %.3g us", 1e6 * differ);
    putchar('\n');
    return wrong + off + differs;
}

int cli_chapter_times(int runs, int row, bool (*run)(int row), void (*print_title)(int row))
{
    const char *stretch = situ_env("SITU_SIM_REALTIME");
    figures *all = calloc(2 * (size_t)runs, sizeof *all);
    int wrong = !all, count = 0;
    if (!stretch || !*stretch) stretch = stretch_here;
    for (int r = 0; all && r < runs; r++) {
        wrong += !run_row(run, row, NULL, &all[r]);
        wrong += !run_row(run, row, stretch, &all[runs + r]);
        wrong += all[r].count != all[0].count || all[runs + r].count != all[0].count;
    }
    print_title(row);
    if (wrong) printf("  BROKEN  %d of %d runs do not hold\n", wrong, 2 * runs);
    for (int i = 0; !wrong && i < all->count; i++) count += tell(all, all + runs, runs, i);
    fflush(stdout);
    free(all);
    return wrong + count;
}
