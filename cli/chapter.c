/* situ chapter: runs the rows of the textbook chapter on GPUs, and shows each row's source and output. */
#include <stdio.h>
#include <string.h>

#include <situ.h>

#include "command.h"
#include "os/embed.h"
#include "train/svg.h"

#define ROW(number) int row_##number(void);
#include "examples/chapter/rows.def"
#undef ROW

/* The source of each row, embedded by the assembler: what is shown is what was compiled. */
#define ROW(number) \
    SITU_EMBED(cli_source_##number, "examples/chapter/" #number ".c") \
    extern const char cli_source_##number[] __attribute__((visibility("hidden")));
#include "examples/chapter/rows.def"
#undef ROW

static const struct row {
    const char *number;
    int (*run)(void);
    const char *source;
} rows[] = {
#define ROW(number) {#number, row_##number, cli_source_##number},
#include "examples/chapter/rows.def"
#undef ROW
};
enum { ROWS = sizeof rows / sizeof *rows };

static int run(int argc, char **argv);

enum { LIST, BRIEF, PLOT, TIMES };
static const cli_option options[] = {
    [LIST] = {"list", NULL, "the numbers and what each shows, without running them", 'l'},
    [BRIEF] = {"brief", NULL, "the values without the code", 'b'},
    [PLOT] = {"plot", "FILE", "writes the times that the rows measured (K1 to K4) as an SVG picture", 0},
    [TIMES] = {"times", "RUNS", "a table of what the rows time: each claim, its simulated time, and the time here, of so many runs",
        0},
    {0},
};

const cli_command cli_chapter = {
    .name = "chapter",
    .summary = "runs the rows of the textbook chapter on GPUs, with the code of each",
    .usage = "chapter [options] [ROW...]",
    .text =
        "Runs what the code cells, exercises and claims of the chapter \"GPUs\" do, in order or only the rows named\n"
        "(C1, E1, ...): each with its number, its code as it was compiled, what it printed, and the devices that it ran\n"
        "on. Where there are TPUs, rows that are of no GPU run on them. Where the machine has fewer than two GPUs, simulated\n"
        "ones take their place. The status is 1 if a row does not hold.\n"
        "With --times each row that times something runs so often on the virtual clock, which has to say the same each time, and\n"
        "as often with simulated seconds that take 500 here (SITU_SIM_REALTIME says another number): the median of what takes\n"
        "200 ms or more has to be as long within a tenth.\n",
    .options = options,
    .run = run,
};

/* Bars of the rows that ran, for --plot. */
static situ_svg_bar bars[64];
static int nbars;
static const struct row *running;

void row_plot(const char *what, const char *who, double from, double to);
void row_plot(const char *what, const char *who, double from, double to)
{
    if (nbars == sizeof bars / sizeof *bars) return;
    situ_svg_bar *b = &bars[nbars++];
    const char *title = running ? running->source + strspn(running->source, "/* ") : "";
    int most = (int)sizeof b->section - 16, length = (int)strcspn(title, "\n*");
    snprintf(b->section, sizeof b->section, "%.*s%s", length < most ? length : most, title, length < most ? "" : " ...");
    snprintf(b->what, sizeof b->what, "%s", what);
    snprintf(b->who, sizeof b->who, "%s", who);
    b->from = from;
    b->to = to;
}

static int write_plot(const char *path)
{
    if (!nbars) {
        fprintf(stderr, "situ chapter: these rows measure nothing that --plot could draw; K1 to K4 do\n");
        return EXIT_USAGE;
    }
    if (situ_svg_bars(path, "situ chapter", nbars, bars)) return cli_fail("chapter");
    printf("the plot is in %s\n", path);
    return EXIT_DONE;
}

/* Prints the title, the first comment "C1: what it shows", on one line. */
static void print_title(const char *source)
{
    const char *at = source + strspn(source, "/* "), *end = strstr(at, "*/");
    while (end && end > at && end[-1] == ' ') end--;
    for (; at < end; at++) {
        putchar(*at == '\n' ? ' ' : *at);
        if (*at == '\n') at += strspn(at + 1, " *");
    }
    putchar('\n');
}

/* Prints the source without its first comment and include. */
static void print_code(const char *source)
{
    const char *at = strstr(source, "#include"), *end = at ? strchr(at, '\n') : NULL;
    at = end ? end + 1 : source;
    at += strspn(at, "\n");
    while (*at) {
        size_t n = strcspn(at, "\n");
        printf("%s%.*s\n", n ? "    | " : "    |", (int)n, at);
        at += n + (at[n] == '\n');
    }
}

/* Counts allocations on each device that rows use. */
enum { PLACES = 3, EACH = 16 };
static const situ_device_kind place_kinds[PLACES] = {SITU_CPU, SITU_GPU, SITU_TPU};
static void count_taken(int64_t taken[PLACES][EACH])
{
    situ_memory memory;
    for (int p = 0; p < PLACES; p++)
        for (int i = 0; i < EACH; i++) {
            bool there = i < situ_num_devices(place_kinds[p]) && !situ_memory_of(situ_device_nth(place_kinds[p], i), &memory);
            taken[p][i] = there ? memory.allocations : 0;
        }
    situ_error_take(NULL); /* for a device that cannot be opened */
}

/* Prints the devices on which the row allocated memory. */
static void print_places(int64_t before[PLACES][EACH])
{
    int64_t after[PLACES][EACH];
    const char *separator = "ran on ";
    count_taken(after);
    for (int p = 0; p < PLACES; p++)
        for (int i = 0; i < EACH; i++) {
            char name[32];
            situ_device_info info;
            if (after[p][i] == before[p][i]) continue;
            situ_device d = situ_device_nth(place_kinds[p], i);
            printf("%s%s", separator, situ_device_name(d, name));
            if (p && !situ_device_describe(d, &info)) printf(" (%s: %s)", info.backend, info.name);
            separator = ", ";
        }
    puts(*separator == ',' ? "" : "ran on no device: it computes nothing");
}

static bool run_row(const struct row *r, bool brief)
{
    int64_t taken[PLACES][EACH];
    print_title(r->source);
    if (!brief) print_code(r->source);
    count_taken(taken);
    running = r;
    situ_scope *scope = situ_scope_open();
    int result = r->run();
    situ_scope_close(scope);
    situ_error e;
    int code = situ_error_take(&e);
    if (code) printf("error: %s\n", e.message);
    print_places(taken);
    if (result || code) printf("%s does NOT hold\n", r->number);
    printf("\n");
    fflush(stdout);
    return !result && !code;
}

/* For --times: runs a row and is silent about it. */
static bool run_silently(int i)
{
    situ_scope *scope = situ_scope_open();
    int result = situ_num_gpus() < 2 && situ_sim_gpus(2 - situ_num_gpus());
    if (!result && !strcmp(situ_sim_profile_name(), "none"))
        result = situ_sim_profile("workstation"); /* CPUs cost something, too */
    if (!result) result = rows[i].run();
    situ_scope_close(scope);
    return !result && !situ_error_take(NULL);
}

static void print_title_of(int i) { print_title(rows[i].source); }

/* The table of the rows that time something, or of those that are named. */
static int print_times(int runs, int count, char **numbers)
{
    int wrong = 0;
    for (int i = 0; i < ROWS; i++) {
        bool wanted = !count && strstr(rows[i].source, "row_timed(");
        for (int k = 0; k < count; k++) wanted |= !strcmp(numbers[k], rows[i].number);
        if (wanted) wrong += cli_chapter_times(runs, i, run_silently, print_title_of);
    }
    printf(wrong ? "%d figures do not hold\n" : "all figures hold\n", wrong);
    return wrong ? EXIT_FAILED : EXIT_DONE;
}

static const struct row *find(const char *number)
{
    const char *names[ROWS];
    for (int i = 0; i < ROWS; i++) {
        if (!strcmp(rows[i].number, number)) return &rows[i];
        names[i] = rows[i].number;
    }
    const char *near = cli_nearest(number, names, ROWS);
    for (int i = 0; i < ROWS; i++)
        if ((number[0] & ~32) == names[i][0] && !strcmp(number + 1, names[i] + 1)) near = names[i];
    fprintf(stderr, "situ chapter: there is no row %s%s%s%s\n`situ chapter --list` lists them\n", number,
        near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return NULL;
}

static int run(int argc, char **argv)
{
    bool list = false, brief = false;
    int64_t times = 0;
    const char *value, *plot = NULL;
    int rest, got, failed = 0, plotted = EXIT_DONE;
    while ((got = cli_next_option(&cli_chapter, argc, argv, &value, &rest)) >= 0) {
        list |= got == LIST;
        brief |= got == BRIEF;
        if (got == PLOT) plot = value;
        if (got == TIMES && !cli_read_int("chapter", "times", value, 1, 100, &times)) return EXIT_USAGE;
    }
    if (got == -3) return EXIT_DONE;
    if (got == -2) return EXIT_USAGE;
    for (int i = rest; i < argc; i++)
        if (!find(argv[i])) return EXIT_USAGE;
    for (int i = 0; list && i < ROWS; i++) print_title(rows[i].source);
    if (list) return EXIT_DONE;
    if (times) return print_times((int)times, argc - rest, argv + rest);
    situ_set_print_digits(8); /* as many digits as the chapter prints */
    int gpus = situ_num_gpus();
    if (gpus < 2 && situ_sim_gpus(2 - gpus)) return cli_fail("chapter");
    if (rest == argc) {
        for (int i = 0; i < ROWS; i++) failed += !run_row(&rows[i], brief);
        printf("%d rows hold, %d do not\n", ROWS - failed, failed);
    }
    for (int i = rest; i < argc; i++) failed += !run_row(find(argv[i]), brief);
    if (plot) plotted = write_plot(plot);
    return failed ? EXIT_FAILED : plotted;
}
