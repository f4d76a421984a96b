/* situ simulate: predicts how long a training step takes on the cards of a cluster. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <situ.h>

#include "backend/sim/cluster.h"
#include "command.h"
#include "device/trace.h"
#include "os/plain.h"
#include "simulate.h"

enum { CLUSTER, CARDS, EXCHANGE, BYTES, TRACE };
enum { MOST = 32, MEASURED = 4, WIDTH = 40, DRAWN = 32 };

static const cli_option options[] = {
    [CLUSTER] = {"cluster", "FILE", "the nodes, cards and links; `situ help simulate` shows one", 'c'},
    [CARDS] = {"cards", "N,N,...", "of how many cards to tell (default: 1, 2, 4, ... up to all of the cluster's)", 'n'},
    [EXCHANGE] = {"exchange", "WAY",
        "how sums over all cards travel: direct (each card sums a part of them), ring, card (one card sums\n"
        "                           all) or host (default: direct)",
        'x'},
    [BYTES] = {"bytes", "N", "instead of PROGRAM: the sum of N bytes of each card; 160MB", 'b'},
    [TRACE] = {"trace", "FILE", "draw the step of the most cards there, for ui.perfetto.dev", 't'},
    {0},
};

static int run(int argc, char **argv);

const cli_command cli_simulate = {
    .name = "simulate",
    .summary = "predicts a training step on the cards of a cluster that a text describes",
    .usage = "simulate --cluster FILE [options] PROGRAM [ARGUMENT...]",
    .text = "Runs PROGRAM, which trains with a group (as `situ train` does), here as the first of so many ranks: its work is\n"
            "measured, what ranks would send each other is noted and not sent. From both a step on the cluster is predicted.\n"
            "Everything that is told is simulated. {32} in an argument is 32 times the number of cards: `--batch {32}` gives\n"
            "each card 32 rows; then four cards are measured at most, and more do what four do. Its output is left out.\n"
            "\n"
            "    nodes 4                            # equal ones (default 1)\n"
            "    cards 8                            # of each node: card0 to card7\n"
            "    speed 20                           # they compute so many times as fast as the device here (default 1)\n"
            "    message 1 us                       # what each message costs its sender (default 0)\n"
            "    link card switch 16 GB/s 2 us      # each card to its node's switch: bandwidth, latency\n"
            "    link switch host 16 GB/s 2 us      # names are yours; `card` is every card, `card0` one, `host` the memory\n"
            "    link switch network 100 Gbit/s 5 us   # `network` is what joins the nodes\n"
            "\n"
            "`shared` at the end of a link: both directions together have its bandwidth. `cores 2`: the cards are processes\n"
            "that share so many cores of their node.\n",
    .options = options,
    .arguments_follow = true,
    .run = run,
};

typedef enum way { DIRECT, RING, CARD, HOST, WAYS } way;
static const char *const way_names[] = {"direct", "ring", "card", "host"};

typedef struct settings {
    const char *cluster, *trace;
    situ_cluster *c;
    int cards[MOST], counts;
    way exchange;
    double bytes;
    char **program;
    bool grows; /* the batch grows with the number of cards */
} settings;

/* ---- costs ------------------------------------------------------------------------------------------ */

/* Seconds for an all_reduce of `bytes` bytes over n cards. */
static double sum_time(const settings *s, int n, double bytes)
{
    double part = bytes * (n - 1) / n;
    situ_pattern there = s->exchange == CARD ? SITU_PATTERN_IN :
        s->exchange == HOST                  ? SITU_PATTERN_TO_HOST :
        s->exchange == RING                  ? SITU_PATTERN_RING :
                                               SITU_PATTERN_DIRECT;
    situ_pattern back = s->exchange == CARD ? SITU_PATTERN_OUT : s->exchange == HOST ? SITU_PATTERN_FROM_HOST : there;
    bool whole = s->exchange == CARD || s->exchange == HOST;
    if (n == 1 && s->exchange != HOST) return 0;
    return situ_pattern_time(s->c, there, n, whole ? bytes : part, "situ simulate") +
        situ_pattern_time(s->c, back, n,
            s->exchange == CARD ? (n - 1) * bytes :
                whole           ? bytes :
                                  part,
            "situ simulate");
}

/* Seconds over n cards for an exchange that one bar of the trace of `measured` ranks stands for: partial sums are sent, and the
 * result is sent back, unless it is so small that each rank sends everything to each other one. */
static double exchange_time(const settings *s, const cli_bar *bar, int n, int measured)
{
    enum { SMALL = 4096 };
    double bytes = (double)bar->bytes / (measured - 1); /* to each other rank */
    if (!strcmp(bar->name, "situ_group_broadcast"))
        return situ_pattern_time(s->c, SITU_PATTERN_OUT, n, bytes * (n - 1), "situ simulate");
    bool back = (!strcmp(bar->name, "situ_group_all_reduce") || !strcmp(bar->name, "situ_group_tree_sum")) && bytes > SMALL;
    return back ? sum_time(s, n, bytes * measured / 2) : sum_time(s, n, bytes * measured) / 2;
}

typedef struct prediction {
    double step, work, exchange;
    int which; /* index of the window */
} prediction;

static void draw(const char *name, int card, bool exchange, double start, double end, int64_t bytes)
{
    if (end <= start) return;
    situ_trace_add(&(situ_trace_event){.name = name,
        .track = exchange ? SITU_TRACK_PEER : SITU_TRACK_COMPUTE,
        .device = situ_gpu(card),
        .start = 1,
        .end = 0,
        .virtual_start = start,
        .virtual_end = end,
        .bytes = bytes});
}

/* Cards of a node; and the factors by which work, and bytes carried by the node's cores, take longer than alone: on average while
 * they do not wait for each other, and in a step, where all wait for the most loaded core. */
static int on_node(const settings *s, int n) { return n < s->c->cards ? n : s->c->cards; }
static double shared(const settings *s, int here) { return s->c->cores && here > s->c->cores ? (double)here / s->c->cores : 1; }

/* Predicts a window of steps, bar by bar; `drawn`: number of cards to draw. */
static prediction replay(const settings *s, const cli_steps *t, int which, int n, int measured, int drawn)
{
    double here = ceil(shared(s, on_node(s, n))), slow = here / shared(s, t->beside) / s->c->speed;
    prediction p = {.which = which};
    double now = 0, busy = 0, at = t->bar[t->first[which]].start; /* now: time on the cluster; busy: end of the running exchange */
    int end = t->first[which + CLI_STEPS_TOGETHER];
    for (int i = t->first[which]; i <= end; i++) {
        const cli_bar *b = &t->bar[i];
        bool last = i == end;
        for (int card = 0; card < drawn && b->kind == BAR_WORK && !last; card++) {
            double from = now + (b->start - at) * slow;
            draw(b->name, card, false, from, from + (b->end - b->start) * slow, 0);
        }
        if (!last && b->kind != BAR_EXCHANGE && b->kind != BAR_WAIT) continue;
        double work = b->start > at ? (b->start - at) * slow : 0;
        p.work += work;
        now += work;
        at = b->start > at ? b->start : at;
        if (last) break;
        if (b->kind == BAR_EXCHANGE) {
            double takes = exchange_time(s, b, n, measured) * here, adding = (b->end - b->start) * slow,
                   from = busy > now ? busy : now;
            if (t->waits && takes < adding) takes = adding; /* sums are computed while the bytes arrive */
            for (int card = 0; card < drawn; card++) draw(b->name, card, true, from, from + takes, b->bytes);
            busy = from + takes;
            p.exchange += takes;
            if (t->waits) continue;
        }
        if (busy > now) now = busy;
        at = b->end > at ? b->end : at;
    }
    p.step = now / CLI_STEPS_TOGETHER;
    p.work /= CLI_STEPS_TOGETHER;
    p.exchange /= CLI_STEPS_TOGETHER;
    return p;
}

static int by_step(const void *a, const void *b)
{
    const prediction *x = a, *y = b;
    return x->step < y->step ? -1 : x->step > y->step;
}

/* The median of the windows; or a trimmed mean if processes take turns on a core, since then some windows have no pause and others
 * a long one. */
static bool predict(const settings *s, const cli_steps *t, int n, int measured, prediction *out)
{
    prediction *all = malloc((size_t)t->windows * sizeof *all);
    for (int i = 0; all && i < t->windows; i++) all[i] = replay(s, t, i, n, measured, 0);
    if (all) qsort(all, (size_t)t->windows, sizeof *all, by_step);
    if (all) *out = all[t->windows / 2];
    int few = t->windows / 10, most = t->windows - 2 * few;
    if (all && shared(s, t->beside) > 1) {
        out->step = out->work = out->exchange = 0;
        for (int i = few; i < few + most; i++) {
            out->step += all[i].step / most;
            out->work += all[i].work / most;
            out->exchange += all[i].exchange / most;
        }
    }
    free(all);
    return all != NULL;
}

/* ---- running the program -------------------------------------------------------------------------------------- */

/* Finds {32} in an argument: the number, and the text after it; NULL: there is none. */
static const char *brace(const char *argument, long long *each, char **after)
{
    const char *open = strchr(argument, '{');
    *each = open ? strtoll(open + 1, after, 10) : 0;
    if (!open || *each <= 0 || *each > 1 << 24 || **after != '}') return NULL;
    ++*after;
    return open;
}

/* Replaces {32} by 32 times the number of cards. */
static char *fill(const char *argument, int cards)
{
    long long each;
    char *after, *text = malloc(strlen(argument) + 32);
    const char *open = brace(argument, &each, &after);
    if (text && open) snprintf(text, strlen(argument) + 32, "%.*s%lld%s", (int)(open - argument), argument, each * cards, after);
    else if (text) strcpy(text, argument);
    return text;
}

/* Restricts this process to the first `cores` of its allowed CPUs. */
static void take_cores(int cores)
{
    cpu_set_t mine, some;
    CPU_ZERO(&some);
    if (sched_getaffinity(0, sizeof mine, &mine)) return;
    for (int i = 0, taken = 0; i < CPU_SETSIZE && taken < cores; i++)
        if (CPU_ISSET(i, &mine)) CPU_SET(i, &some), taken++;
    sched_setaffinity(0, sizeof some, &some);
}

/* Number of processes of a node to run at the same time: all, if there are as many cores here as they share. */
static int together(const settings *s, int n)
{
    enum { MOST_TOGETHER = 16 };
    cpu_set_t mine;
    int here = on_node(s, n);
    if (!s->c->cores || sched_getaffinity(0, sizeof mine, &mine) || CPU_COUNT(&mine) < s->c->cores) return 1;
    return here < MOST_TOGETHER ? here : MOST_TOGETHER;
}

static pid_t start(const settings *s, char **argument, const char *trace, int ranks, bool shares)
{
    char number[16];
    pid_t child = fork();
    if (child < 0) fprintf(stderr, "situ simulate: %s cannot be run: %s\n", *argument, situ_plain_reason(errno));
    if (child) return child;
    snprintf(number, sizeof number, "%d", ranks);
    setenv("SITU_TRACE", trace, 1);
    setenv("SITU_SIMULATE_RANKS", number, 1);
    if (shares) take_cores(s->c->cores);
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
    execvp(*argument, argument);
    fprintf(stderr, "situ simulate: %s cannot be run: %s\n", *argument, situ_plain_reason(errno));
    _exit(127);
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return child > 0 ? status : -1;
}

/* Runs the program as the first of `ranks` ranks, `beside` copies at the same time, and reads the trace of one. */
static bool measure(const settings *s, int ranks, int beside, cli_steps *out)
{
    char folder[] = "/tmp/situ-simulate-XXXXXX", trace[64], why[256];
    pid_t child[MOST] = {0};
    int arguments = 0;
    while (s->program[arguments]) arguments++;
    char **filled = calloc((size_t)arguments + 1, sizeof *filled);
    bool good = filled != NULL && mkdtemp(folder);
    for (int i = 0; i < arguments && good; i++) good = (filled[i] = fill(s->program[i], ranks)) != NULL;
    if (!good) return fprintf(stderr, "situ simulate: %s\n", situ_plain_reason(errno)), false;
    for (int i = beside; i-- > 0;) {
        snprintf(trace, sizeof trace, "%s/trace%d", folder, i);
        child[i] = start(s, filled, trace, ranks, beside > 1);
    }
    int status = wait_for(*child);
    good = *child > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
    if (!good && *child > 0)
        fprintf(stderr, "situ simulate: %s, as one of %d ranks, ended with %s %d\n", *filled, ranks,
            WIFEXITED(status) ? "status" : "signal", WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    else if (good && !(good = cli_steps_read(trace, out, why, sizeof why)))
        fprintf(stderr, "situ simulate: %s: %s\n", *filled, why);
    if (good) out->beside = beside;
    for (int i = 0; i < beside; i++) {
        if (i) wait_for(child[i]);
        snprintf(trace, sizeof trace, "%s/trace%d", folder, i);
        unlink(trace);
    }
    rmdir(folder);
    for (int i = 0; i < arguments; i++) free(filled[i]);
    free(filled);
    return good;
}

/* ---- output ----------------------------------------------------------------------------------------- */

static void put_bar(double work, double exposed, double longest)
{
    int a = (int)lround(WIDTH * work / longest), b = (int)lround(WIDTH * (work + exposed) / longest);
    for (int i = 0; i < b && i < 2 * WIDTH; i++) fputs(i < a ? "\u2588" : "\u2591", stdout);
    fputs("\n", stdout);
}

static void tell(const settings *s, const prediction *p)
{
    double longest = 0;
    for (int i = 0; i < s->counts; i++) longest = fmax(longest, p[i].step);
    printf("simulated: %d nodes of %d cards (%s), exchange %s; milliseconds of a step\n\n", s->c->nodes, s->c->cards, s->cluster,
        way_names[s->exchange]);
    printf("%7s %10s %10s %10s %10s %8s  \u2588 working \u2591 waiting for an exchange\n", "cards", "a step", "working",
        "exchanging", "of it seen", s->grows ? "rows/s x" : "faster x");
    for (int i = 0; i < s->counts; i++) {
        double seen = p[i].step - p[i].work;
        situ_plain_print(stdout, "%7d %10.3f %10.3f %10.3f %10.3f %8.2f  ", s->cards[i], 1e3 * p[i].step, 1e3 * p[i].work,
            1e3 * p[i].exchange, 1e3 * seen, p[0].step / p[i].step * (s->grows ? (double)s->cards[i] / s->cards[0] : 1));
        put_bar(p[i].work, seen, longest);
    }
}

static int save(const settings *s, const cli_steps *t, int n, int measured, int which)
{
    if (situ_profile_start(0)) return cli_fail("simulate");
    replay(s, t, which, n, measured, n < DRAWN ? n : DRAWN);
    int rc = situ_profile_save(s->trace);
    situ_profile_stop();
    return rc ? cli_fail("simulate") : EXIT_DONE;
}

static int simulate_program(const settings *s)
{
    prediction p[MOST] = {0};
    cli_steps t = {0};
    int measured = 0, beside = 0, status = EXIT_DONE;
    for (int i = 0; i < s->counts && status == EXIT_DONE; i++) {
        int ranks = s->grows && s->cards[i] > MEASURED ? MEASURED : s->cards[i];
        if (ranks != measured || together(s, s->cards[i]) != beside) {
            cli_steps_free(&t);
            beside = together(s, s->cards[i]);
            if (!measure(s, ranks, beside, &t)) return EXIT_FAILED;
            measured = ranks;
        }
        if (!predict(s, &t, s->cards[i], measured > 1 ? measured : 2, &p[i])) status = EXIT_FAILED;
    }
    if (status == EXIT_DONE && situ_failed()) status = cli_fail("simulate");
    if (status == EXIT_DONE) tell(s, p);
    int last = s->counts - 1;
    if (status == EXIT_DONE && s->trace) status = save(s, &t, s->cards[last], measured > 1 ? measured : 2, p[last].which);
    cli_steps_free(&t);
    return status;
}

static int simulate_sum(const settings *s)
{
    double seconds[MOST];
    for (int i = 0; i < s->counts; i++) seconds[i] = sum_time(s, s->cards[i], s->bytes);
    if (situ_failed()) return cli_fail("simulate");
    situ_plain_print(stdout,
        "simulated: the sum of %.4g MB of each card on all of them, %d nodes of %d cards (%s), exchange %s\n\n", s->bytes / 1e6,
        s->c->nodes, s->c->cards, s->cluster, way_names[s->exchange]);
    for (int i = 0; i < s->counts; i++) situ_plain_print(stdout, "%7d cards %12.3f ms\n", s->cards[i], 1e3 * seconds[i]);
    return EXIT_DONE;
}

/* ---- options ------------------------------------------------------------------------------------------ */

static bool read_cards(settings *s, const char *text)
{
    char one[32];
    for (s->counts = 0; *text && s->counts < MOST; s->counts++) {
        int n = (int)strcspn(text, ",");
        int64_t value = 0;
        snprintf(one, sizeof one, "%.*s", n < 31 ? n : 31, text);
        if (!cli_read_int("simulate", "cards", one, 1, 1 << 16, &value)) return false;
        s->cards[s->counts] = (int)value;
        text += n + (text[n] == ',');
    }
    return s->counts > 0;
}

static bool read_bytes(settings *s, const char *text)
{
    char *end;
    double value = situ_plain_number(text, &end);
    static const struct {
        const char *name;
        double value;
    } unit[] = {{"", 1}, {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}};
    for (size_t i = 0; end != text && i < sizeof unit / sizeof *unit; i++)
        if (!strcmp(end, unit[i].name) && value > 0 && value < 1e18) return s->bytes = value * unit[i].value, true;
    fprintf(stderr, "situ simulate: --bytes %s: a number of bytes, with kB, MB or GB behind it: 160MB\n", text);
    return false;
}

static bool read_option(settings *s, int which, const char *value)
{
    switch (which) {
    case CLUSTER: s->cluster = value; return true;
    case TRACE: s->trace = value; return true;
    case CARDS: return read_cards(s, value);
    case BYTES: return read_bytes(s, value);
    default: break;
    }
    for (int i = 0; i < WAYS; i++)
        if (!strcmp(value, way_names[i])) return s->exchange = (way)i, true;
    fprintf(stderr, "situ simulate: --exchange %s: direct, ring, card or host\n", value);
    return false;
}

/* Default numbers of cards: 1, 2, 4, ... and all. */
static bool choose_cards(settings *s)
{
    int all = s->c->nodes * s->c->cards;
    for (int i = 0; i < s->counts; i++)
        if (s->cards[i] > all) {
            fprintf(stderr, "situ simulate: --cards %d: the cluster of %s has %d (nodes %d, cards %d)\n", s->cards[i], s->cluster,
                all, s->c->nodes, s->c->cards);
            return false;
        }
    if (s->counts) return true;
    for (int n = 1; n < all; n *= 2) s->cards[s->counts++] = n;
    s->cards[s->counts++] = all;
    return true;
}

static int run(int argc, char **argv)
{
    settings s = {0};
    const char *value;
    int rest, got;
    while ((got = cli_next_option(&cli_simulate, argc, argv, &value, &rest)) >= 0)
        if (!read_option(&s, got, value)) return EXIT_USAGE;
    if (got == -3) return EXIT_DONE;
    if (got == -2) return EXIT_USAGE;
    s.program = argv + rest;
    if (!s.cluster || (rest < argc) == (s.bytes > 0)) {
        fprintf(stderr, "situ simulate: %s; `situ simulate --help` shows how\n",
            !s.cluster      ? "which cluster? --cluster FILE describes it" :
                s.bytes > 0 ? "--bytes stands instead of a program; give one of them" :
                              "which program? give one that trains, or --bytes N");
        return EXIT_USAGE;
    }
    long long each;
    char *after;
    for (int i = rest; i < argc; i++) s.grows |= brace(argv[i], &each, &after) != NULL;
    if (!(s.c = situ_cluster_open(s.cluster, "situ simulate"))) return cli_fail("simulate");
    int status = !choose_cards(&s) ? EXIT_FAILED : s.bytes > 0 ? simulate_sum(&s) : simulate_program(&s);
    situ_cluster_free(s.c);
    return status;
}
