/* What the rows of the chapter share: a line for each thing that must hold, two GPUs, sizes, a clock.
 *
 * A row is a function `int row_XX(void)` that prints values and returns 0 if all that must hold did. `situ chapter`
 * quotes its file and runs it.
 */
#ifndef CHAPTER_H
#define CHAPTER_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <situ.h>

#define ROW(number) int row_##number(void);
#include "rows.def"
#undef ROW

static int row_broken;

/* Says whether a condition holds, in its own words. */
#define HOLDS(condition) row_holds((condition), #condition)
static inline void row_holds(bool holds, const char *text)
{
    printf("  %s  %s\n", holds ? "holds " : "BROKEN", text);
    row_broken += !holds;
}

/* The end of a row: 0 if all held and no error is left. */
static inline int row_end(void)
{
    situ_error error;
    int broken = row_broken;
    row_broken = 0;
    if (situ_error_take(&error)) {
        printf("  BROKEN  an error was left: %s\n", error.message);
        broken++;
    }
    return broken;
}

/* Takes the error that must be there, prints its message, and says whether it names all of these words. */
static inline bool row_refused(int code, const char *const *words, int count)
{
    situ_error error;
    int got = situ_error_take(&error);
    printf("  error %d: %s\n", got, got ? error.message : "none");
    for (int i = 0; got && i < count; i++)
        if (!strstr(error.message, words[i])) {
            printf("  the message does not say \"%s\"\n", words[i]);
            return false;
        }
    return got == code;
}
#define REFUSED(code, ...) \
    row_refused((code), (const char *[]){__VA_ARGS__}, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)))

/* Two GPUs, simulated ones where there are no real ones. Where there are TPUs, rows that are of no GPU run on these: their cards are
 * situ_try_tpu_gpu(0) and (1). */
static inline void two_gpus(void)
{
    situ_device_info info;
    if (situ_num_gpus() < 2) situ_sim_gpus(2);
    if (!strcmp(situ_sim_profile_name(), "none") && !situ_device_describe(situ_gpu(0), &info) && info.simulated)
        situ_sim_profile("workstation"); /* the host and the CPU cost something, too */
}

/* A device's name; a place for four of them. */
static inline const char *row_name(situ_device d)
{
    static char text[4][32];
    static int next;
    return situ_device_name(d, text[next++ % 4]);
}

/* Are elementwise work and sums the CPU's, bit for bit? */
static inline bool row_bit_equal(situ_device d)
{
    situ_device_info info;
    return !situ_device_describe(d, &info) && info.bit_equal;
}

/* Is it the machine's CPU under another name, as of PoCL or of a plugin? Two of these are no faster than one. */
static inline bool row_is_host(situ_device d)
{
    situ_device_info info;
    return !situ_device_describe(d, &info) && !info.simulated && (!strncmp(info.name, "cpu", 3) || !strncmp(info.name, "Cpu", 3));
}

/* The chapter's size, or a small one with SITU_CHAPTER_SMALL=1. */
static inline bool row_is_small(void)
{
    const char *wish = getenv("SITU_CHAPTER_SMALL");
    return wish && *wish && strcmp(wish, "0");
}
static inline int64_t row_size(int64_t full, int64_t small) { return row_is_small() ? small : full; }
/* What the chapter's machine took for the same size, or that this is another size. */
static inline const char *row_beside(const char *figure) { return row_is_small() ? "a reduced size: nothing to set beside the chapter's figure" : figure; }

/* The virtual clock in seconds, moved by waits and reads: what the work would have taken there. 0 on other devices. */
static inline double row_virtual(situ_device d)
{
    situ_sim_counters count = {0};
    situ_device_info info;
    if (situ_device_describe(d, &info) || !info.simulated || situ_sim_count(d, &count)) return 0;
    return situ_sim_clock();
}

/* Is the rows' card simulated? Then what they claim about time is decided by the virtual clock alone. */
static inline bool row_is_simulated(void)
{
    situ_device_info info;
    return !situ_device_describe(situ_try_tpu_gpu(0), &info) && info.simulated;
}

/* How many kernels a simulated device has run; 0 for others. */
static inline int64_t row_kernels(situ_device d)
{
    situ_sim_counters count = {0};
    situ_device_info info;
    return situ_device_describe(d, &info) || !info.simulated || situ_sim_count(d, &count) ? 0 : count.kernels;
}

/* A bar of up to 40 characters, as long as value is of most. */
static inline const char *row_bar(double value, double most)
{
    static const char bar[] = "########################################";
    int length = most > 0 && value > 0 ? (int)(40 * value / most + 0.5) : 0;
    return bar + (length > 40 ? 0 : 40 - length);
}

/* One bar of the row's plot (`situ chapter --plot`), labelled "what, who": from one time to another, in seconds. */
void row_plot(const char *what, const char *who, double from, double to);

/* A line of the table of times (`situ chapter --times`): what a simulated machine takes (0: none), and what this one took. */
void row_timed(const char *what, double simulated, double wall);

/* The size from which on `ratio`, a GPU's time over the CPU's, is 1 at most: 0 if that is not between low and high. Asks for sizes between
 * until it is known to 1, or to a factor `within`. */
int64_t row_crossing(double (*ratio)(int64_t size), int64_t low, int64_t high, double within);

/* A figure of several runs. */
typedef struct row_runs { int count; double sum, squares; } row_runs;
static inline void row_ran(row_runs *r, double seconds)
{
    r->count++;
    r->sum += seconds;
    r->squares += seconds * seconds;
}
static inline double row_mean(const row_runs *r) { return r->sum / (r->count ? r->count : 1); }

/* "186 ms ± 33 ms (7 runs)": mean and standard deviation, as a notebook's timed cell prints them. */
static inline const char *row_figure(const row_runs *r, char *text, size_t size)
{
    static const struct { double least; const char *unit; double scale; } units[] = {{1, "s", 1}, {1e-3, "ms", 1e3}, {0, "us", 1e6}};
    double mean = row_mean(r), deviation = sqrt(fmax(r->squares / (r->count ? r->count : 1) - mean * mean, 0));
    int u = 0;
    while (mean < units[u].least) u++;
    snprintf(text, size, "%.3g %s ± %.3g %s (%d runs)", mean * units[u].scale, units[u].unit, deviation * units[u].scale, units[u].unit, r->count);
    return text;
}
enum { ROW_FIGURE = 64 };

/* Wall time in seconds. */
static inline double row_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What the claims are decided by: the virtual clock if the card is simulated, else the wall clock. */
static inline double row_time(void) { return row_is_simulated() ? situ_sim_clock() : row_clock(); }
static inline const char *row_time_name(void) { return row_is_simulated() ? "simulated" : "wall"; }

/* The host works for so long with something else. */
static inline void row_work(double seconds)
{
    if (row_is_simulated()) situ_sim_host(seconds);
    else
        for (double end = row_clock() + seconds; row_clock() < end;) {}
}

#endif
