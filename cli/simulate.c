/* situ simulate: predicts how long a training step takes on the cards of a cluster. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "command.h"
#include "os/plain.h"
#include "simulate.h"

enum {
    CLUSTER,
    BESIDE,
    CARDS,
    EXCHANGE,
    BYTES,
    COLLECTIVE,
    STEP,
    GRADIENT,
    BACKWARD,
    ACCUMULATE,
    HALVES,
    RECOMPUTE,
    ROWS,
    ROW,
    STEPS,
    PARAMETERS,
    ZERO,
    PLAN,
    MODEL,
    SAVE,
    FROM,
    SPREAD,
    TRACE,
    JSON
};
enum { MEASURED = 4, WIDTH = 40, DRAWN = 32 };

static const cli_option options[] = {
    [CLUSTER] = {"cluster", "FILE", "the nodes, cards and links; `situ help simulate` shows one", 'c'},
    [BESIDE] = {"beside", "FILE", "another cluster, predicted beside the first", 0},
    [CARDS] = {"cards", "N,N,...", "of how many cards to tell (default: 1, 2, 4, ... up to all of the cluster's)", 'n'},
    [EXCHANGE] = {"exchange", "WAY",
        "how sums over all cards travel: direct (each card sums a part of them), ring, card (one card sums\n"
        "                           all), host, nccl (the quickest of nccl-ring, nccl-tree, nvls and nvls-tree) or\n"
        "                           hierarchical (planned only: situ has none) (default: direct)",
        'x'},
    [BYTES] = {"bytes", "N", "instead of PROGRAM: the exchange of N bytes of each card; 160MB", 'b'},
    [COLLECTIVE] = {"collective", "NAME", "with --bytes: all-reduce, reduce-scatter, all-gather, all-to-all, broadcast or send", 0},
    [STEP] = {"step", "TIME", "instead of PROGRAM: one card takes so long for a step; 273ms; the cluster's text may say it", 0},
    [GRADIENT] = {"gradient", "N", "with --step: bytes of the gradients that are summed in each step; 102MB", 0},
    [BACKWARD] = {"backward", "SHARE", "with --step: the last part of the step, in which gradients come (default: 0.667)", 0},
    [ACCUMULATE] = {"accumulate", "N", "with --step: so many such steps before the gradients are summed (default: 1)", 0},
    [HALVES] = {"halves", NULL, "with --step: gradients travel in 16 bits; --gradient is that of 32", 0},
    [RECOMPUTE] = {"recompute", NULL, "with --step: the forward pass is done again in the backward pass", 0},
    [ROWS] = {"rows", "N", "rows of a card in a step, for the cluster's `data`", 0},
    [ROW] = {"row", "N", "bytes of a row that is read; 110kB", 0},
    [STEPS] = {"steps", "N", "of the whole training: time, lost work, energy and price, as far as the cluster says them", 0},
    [PARAMETERS] = {"parameters", "N", "of the model: tells what of the card's `memory` they need; 7e9", 0},
    [ZERO] = {"zero", "STAGE", "0 to 3: what cards share of optimizer state, gradients, parameters (planned only)", 0},
    [PLAN] = {"plan", "WORDS",
        "instead of PROGRAM: \"data 24 tensor 8 pipeline 8 micro 1\", also interleaved and zero (planned only)", 0},
    [MODEL] = {"model", "WORDS", "with --plan: \"layers 80 hidden 12288 sequence 2048 vocabulary 51200 batch 2304\"", 0},
    [SAVE] = {"save", "FILE", "keep the trace that the prediction is made from", 0},
    [FROM] = {"from", "FILE", "instead of PROGRAM: predict from a trace that was kept", 0},
    [SPREAD] = {"spread", "PERCENT",
        "refuse to predict from a program unless 20 steps were measured and their quartiles are nearer than this", 0},
    [TRACE] = {"trace", "FILE", "draw the step of the most cards there, for ui.perfetto.dev", 't'},
    [JSON] = {"json", NULL, "tell everything as JSON", 'j'},
    {0},
};

static int run(int argc, char **argv);

const cli_command cli_simulate = {
    .name = "simulate",
    .summary = "predicts a training step on the cards of a cluster that a text describes",
    .usage = "simulate --cluster FILE [options] PROGRAM [ARGUMENT...]",
    .text =
        "Runs PROGRAM, which trains with a group (as `situ train` does), here as the first of so many ranks: its work is\n"
        "measured, what ranks would send each other is noted and not sent. From both a step on the cluster is predicted.\n"
        "Everything that is told is simulated. {32} in an argument is 32 times the number of cards: `--batch {32}` gives\n"
        "each card 32 rows; it is then run once, and all numbers of cards do what that rank did. Its output is left out.\n"
        "\n"
        "    nodes 4                            # equal ones (default 1)\n"
        "    cards 8                            # of each node: card0 to card7\n"
        "    speed 20                           # they compute so many times as fast as the device here (default 1)\n"
        "    message 1 us                       # what each message costs its sender (default 0)\n"
        "    link card nvswitch 450 GB/s nvlink # each card to its node's switch: bandwidth, latency or kind\n"
        "    link card host 16 GB/s 2 us        # names are yours; `card` is every card, `card0` one, `host` the memory\n"
        "    link card network 400 Gbit/s infiniband   # `network` is what joins the nodes\n"
        "    sums nvswitch                      # it adds what it forwards (NVLink SHARP)\n"
        "    switch leaf 16 nodes 800 GB/s 1 us # 16 nodes share what leads beyond them; several levels, the lowest first\n"
        "    rails                              # adapters of one place have switches of their own\n"
        "    capacity nvswitch 3.6 TB/s         # that exchanges may send through it\n"
        "    slower card3 1.2                   # and `slower node5 1.5`: takes so many times as long\n"
        "\n"
        "`shared` at the end of a link: both directions together have its bandwidth. Kinds (nvlink, pcie, infiniband,\n"
        "ethernet) give the latency, and how much of the bandwidth can be used; `efficiency 0.9` says that, too. `cores 2`: the\n"
        "cards are processes that share so many cores of their node. docs/simulate.md has the other words: step, memory,\n"
        "jitter, failures, checkpoint, restart, data, power, price, energy.\n",
    .options = options,
    .takes_arguments = true,
    .run = run,
};

/* ---- output ----------------------------------------------------------------------------------------- */

static void put_bar(double work, double exposed, double longest)
{
    int a = (int)lround(WIDTH * work / longest), b = (int)lround(WIDTH * (work + exposed) / longest);
    for (int i = 0; i < b && i < 2 * WIDTH; i++) fputs(i < a ? "\u2588" : "\u2591", stdout);
    fputs("\n", stdout);
}

static double time_of(const cli_simulation *s, int n)
{
    return s->bytes > 0 ? cli_exchange_time(s->c, s->way, s->what, n, s->bytes).seconds : cli_predict_step(s, n).step;
}

/* How many times as fast it is if a line of the text, or what reads data (line 0), has twice the bandwidth. */
static double gain(const cli_simulation *s, int line, int n)
{
    situ_cluster *c = s->c;
    double times = time_of(s, n);
    for (int turn = 0; turn < 2; turn++) {
        double factor = turn ? .5 : 2;
        for (int k = 0; k < c->links; k++) c->link[k].bandwidth *= c->link[k].line == line ? factor : 1;
        for (int k = 0; k < c->levels; k++) c->level[k].bandwidth *= c->level[k].line == line ? factor : 1;
        if (!line) c->plan.data *= factor;
        if (!situ_cluster_routes(c)) return 1;
        if (!turn) times /= time_of(s, n);
    }
    return times;
}

/* What is waited for, and what twice of each would gain. */
static void tell_limits(const cli_simulation *s, int n, int limit)
{
    const situ_cluster *c = s->c;
    cli_simulation fast = *s;
    fast.step /= 2;
    if (!limit) return;
    printf("\n%d cards: line %d of %s limits the exchange. So many times as fast, if twice as fast is\n", n, limit, s->cluster);
    if (!(s->bytes > 0)) situ_plain_print(stdout, "    a card     %6.2f\n", time_of(s, n) / time_of(&fast, n));
    if (!(s->bytes > 0) && c->plan.data > 0) situ_plain_print(stdout, "    reading    %6.2f\n", gain(s, 0, n));
    for (int k = 0; k < c->links; k++) {
        const situ_cluster_link *l = &c->link[k];
        if (k && l->line == l[-1].line) continue;
        situ_plain_print(
            stdout, "    line %-5d %6.2f  (link %s %s)\n", l->line, gain(s, l->line, n), c->point[l->from], c->point[l->to]);
    }
    for (int k = 0; k < c->levels; k++)
        situ_plain_print(
            stdout, "    line %-5d %6.2f  (switch %s)\n", c->level[k].line, gain(s, c->level[k].line, n), c->level[k].name);
}

static const char *planned(const cli_simulation *s)
{
    return s->way == CLI_HIERARCHICAL || s->zero ? ", planned only: situ cannot do it yet" : "";
}

static void tell_totals(const cli_simulation *s, const cli_prediction *p)
{
    const situ_cluster_plan *plan = &s->c->plan;
    for (int i = 0; i < s->counts && (s->steps || s->parameters > 0); i++) {
        cli_totals t = cli_total(s, s->cards[i], p[i].usual);
        printf("\n%7d cards:", s->cards[i]);
        if (s->steps) situ_plain_print(stdout, " %.4g hours for %lld steps", t.seconds / 3600, (long long)s->steps);
        if (t.interval > 0)
            situ_plain_print(stdout, ", of which %.1f %% lost; a checkpoint each %.4g min", 100 - 100 * t.useful, t.interval / 60);
        if (s->steps && plan->watts > 0) situ_plain_print(stdout, "; %.4g kWh", t.energy);
        if (s->steps && plan->price > 0) situ_plain_print(stdout, "; price %.4g", t.price);
        if (s->parameters > 0)
            situ_plain_print(stdout, "; %.4g GB of a card's %.4g GB for parameters, gradients and Adam's state%s", t.memory / 1e9,
                plan->memory / 1e9, plan->memory > 0 && t.memory > plan->memory ? ": TOO MUCH" : "");
    }
    if (s->steps || s->parameters > 0) puts("");
}

static void tell_json(const cli_simulation *s, const cli_prediction *p)
{
    printf("{\"simulated\":true,\"cluster\":\"%s\",\"nodes\":%d,\"cards_of_a_node\":%d,\"exchange\":\"%s\",\"planned_only\":%s,"
           "\"steps\":[",
        s->cluster, s->c->nodes, s->c->cards, cli_way_names[s->way], *planned(s) ? "true" : "false");
    for (int i = 0; i < s->counts; i++) {
        cli_totals t = cli_total(s, s->cards[i], p[i].usual);
        situ_plain_print(stdout,
            "%s\n "
            "{\"cards\":%d,\"step\":%.9g,\"working\":%.9g,\"exchanging\":%.9g,\"median\":%.9g,\"percentile_95\":%.9g,\"limited_by_"
            "line\":%d",
            i ? "," : "", s->cards[i], p[i].step, p[i].work, p[i].exchange, p[i].usual, p[i].late, p[i].line);
        situ_plain_print(stdout,
            ",\"seconds\":%.9g,\"useful\":%.9g,\"checkpoint_each\":%.9g,\"kWh\":%.9g,\"price\":%.9g,\"memory\":%.9g}", t.seconds,
            t.useful, t.interval, t.energy, t.price, t.memory);
    }
    puts("]}");
}

static void tell(const cli_simulation *s, const cli_prediction *p)
{
    double longest = 0;
    bool jitter = s->c->plan.jitter > 0;
    if (s->json) return tell_json(s, p);
    for (int i = 0; i < s->counts; i++) longest = fmax(longest, p[i].step);
    printf("simulated: %d nodes of %d cards (%s), exchange %s%s; milliseconds of a step\n\n", s->c->nodes, s->c->cards, s->cluster,
        cli_way_names[s->way], planned(s));
    printf("%7s %10s %10s %10s %10s %8s%s  \u2588 working \u2591 waiting for an exchange\n", "cards", "a step", "working",
        "exchanging", "of it seen", s->grows ? "rows/s x" : "faster x", jitter ? "     median  95 of 100" : "");
    for (int i = 0; i < s->counts; i++) {
        double seen = p[i].step - p[i].work, part = p[0].step / p[i].step * (s->grows ? (double)s->cards[i] / s->cards[0] : 1);
        situ_plain_print(stdout, "%7d %10.3f %10.3f %10.3f %10.3f %8.2f", s->cards[i], 1e3 * p[i].step, 1e3 * p[i].work,
            1e3 * p[i].exchange, 1e3 * seen, part);
        if (jitter) situ_plain_print(stdout, " %10.3f %10.3f", 1e3 * p[i].usual, 1e3 * p[i].late);
        fputs("  ", stdout);
        put_bar(p[i].work, seen, longest);
    }
    const cli_prediction *last = &p[s->counts - 1];
    if (last->spread > 0)
        situ_plain_print(
            stdout, "\nThe steps that were measured here lie within %.0f %% (quartiles) of their median.\n", 50 * last->spread);
    tell_totals(s, p);
    if (s->gradient > 0) tell_limits(s, s->cards[s->counts - 1], last->line);
}

/* ---- what is predicted ----------------------------------------------------------------------------------------------------- */

static int save(const cli_simulation *s, const cli_steps *t, int n, int which)
{
    if (situ_profile_start(0)) return cli_fail("simulate");
    cli_draw(s, t, which, n, n < DRAWN ? n : DRAWN);
    int rc = situ_profile_save(s->trace);
    situ_profile_stop();
    return rc ? cli_fail("simulate") : EXIT_DONE;
}

static bool read_kept(const cli_simulation *s, cli_steps *t)
{
    char why[256];
    if (!cli_steps_read(s->from, t, why, sizeof why)) return fprintf(stderr, "situ simulate: --from %s: %s\n", s->from, why), false;
    t->beside = 1;
    t->ranks = MEASURED;
    return true;
}

static bool is_steady(const cli_simulation *s, const cli_steps *t, const cli_prediction *p)
{
    enum { LEAST = 20 };
    int steps = t->windows + CLI_STEPS_TOGETHER;
    if (!(s->spread > 0) || (steps >= LEAST && 100 * p->spread <= s->spread)) return true;
    situ_plain_print(stderr,
        "situ simulate: --spread %g: of %d steps the quartiles are %.0f %% apart; let the program make %d steps or more, on a "
        "quiet "
        "machine\n",
        s->spread, steps, 100 * p->spread, LEAST);
    return false;
}

static int simulate_program(const cli_simulation *s)
{
    cli_prediction p[CLI_MOST_COUNTS] = {0};
    cli_steps t = {0};
    int beside = 0, status = EXIT_DONE, most = s->cards[s->counts - 1] > 1 ? MEASURED : 1;
    if (s->from && !read_kept(s, &t)) return EXIT_FAILED;
    for (int i = 0; i < s->counts && status == EXIT_DONE; i++) {
        int ranks = s->grows ? most : s->cards[i], side = cli_together(s, s->cards[i]);
        if (!s->from && (ranks != t.ranks || side != beside)) {
            cli_steps_free(&t);
            beside = side;
            if (!cli_measure(s, ranks, beside, &t)) return EXIT_FAILED;
        }
        if (!cli_predict(s, &t, s->cards[i], &p[i]) || !is_steady(s, &t, &p[i])) status = EXIT_FAILED;
    }
    if (status == EXIT_DONE && situ_failed()) status = cli_fail("simulate");
    if (status == EXIT_DONE) tell(s, p);
    int last = s->counts - 1;
    if (status == EXIT_DONE && s->trace) status = save(s, &t, s->cards[last], p[last].which);
    cli_steps_free(&t);
    return status;
}

static int simulate_step(const cli_simulation *s)
{
    cli_prediction p[CLI_MOST_COUNTS] = {0};
    for (int i = 0; i < s->counts; i++) p[i] = cli_predict_step(s, s->cards[i]);
    tell(s, p);
    return EXIT_DONE;
}

static int simulate_plan(const cli_simulation *s)
{
    const char *wrong = cli_plan_wrong(&s->plan, s->c);
    if (wrong) return fprintf(stderr, "situ simulate: --plan: %s\n", wrong), EXIT_FAILED;
    cli_planned r = cli_predict_plan(&s->plan, s->c, s->recompute);
    if (s->json) {
        situ_plain_print(stdout, "{\"simulated\":true,\"planned_only\":true,\"cluster\":\"%s\",\"step\":%.9g,\"computing\":%.9g,",
            s->cluster, r.step, r.computing);
        situ_plain_print(stdout, "\"tensor\":%.9g,\"pipeline\":%.9g,\"bubble\":%.9g,\"data\":%.9g,\"parameters\":%.9g,", r.tensor,
            r.pipeline, r.bubble, r.data, r.parameters);
        situ_plain_print(stdout, "\"flops_of_a_card\":%.9g,\"memory\":%.9g}\n", r.flops, r.memory);
        return EXIT_DONE;
    }
    situ_plain_print(stdout,
        "simulated, planned only: %.4g parameters on %g cards (%s), data %g x tensor %g x pipeline %g, ZeRO %g\n\n", r.parameters,
        s->plan.data * s->plan.tensor * s->plan.pipeline, s->cluster, s->plan.data, s->plan.tensor, s->plan.pipeline, s->plan.zero);
    situ_plain_print(stdout,
        "a step %.4g s: computing %.1f %%, sums of tensors %.1f %%, sends of the pipeline %.1f %%, its bubbles %.1f %%, ", r.step,
        100 * r.computing / r.step, 100 * r.tensor / r.step, 100 * r.pipeline / r.step, 100 * r.bubble / r.step);
    situ_plain_print(stdout, "sums of gradients %.1f %%\n%.4g Tflop/s of a card; %.4g GB of its %.4g GB%s\n", 100 * r.data / r.step,
        r.flops / 1e12, r.memory / 1e9, s->c->plan.memory / 1e9,
        s->c->plan.memory > 0 && r.memory > s->c->plan.memory ? ": TOO MUCH" : "");
    return EXIT_DONE;
}

/* The bandwidth that nccl-tests gives: what a link would carry if the exchange were a ring's. */
static double bus(const cli_simulation *s, int n, double seconds)
{
    double turns = s->what == CLI_ALL_REDUCE ? 2 : 1;
    return s->what == CLI_BROADCAST || s->what == CLI_SEND ? s->bytes / seconds : turns * (n - 1) / n * s->bytes / seconds;
}

static int simulate_sum(const cli_simulation *s)
{
    cli_exchange e[CLI_MOST_COUNTS];
    for (int i = 0; i < s->counts; i++) {
        e[i] = cli_exchange_time(s->c, s->way, s->what, s->cards[i], s->bytes);
        if (e[i].seconds >= 0) continue;
        bool host = s->way == CLI_HOST;
        fprintf(stderr, "situ simulate: %s\n",
            !host ? "no switch of the cluster sums: link card nvswitch 450 GB/s nvlink, and sums nvswitch" :
                situ_cluster_point(s->c, "host") < 0 ?
                    "the cluster has no point named host; link switch host 16 GB/s 2 us makes one" :
                    "no link leads from the network to the host; link host network 16 GB/s 2 us does");
        return EXIT_FAILED;
    }
    if (s->json) {
        printf("{\"simulated\":true,\"cluster\":\"%s\",\"collective\":\"%s\",\"exchange\":\"%s\",\"exchanges\":[", s->cluster,
            cli_collective_names[s->what], cli_way_names[s->way]);
        for (int i = 0; i < s->counts; i++)
            situ_plain_print(stdout,
                "%s\n {\"cards\":%d,\"bytes\":%.9g,\"seconds\":%.9g,\"latency\":%.9g,\"way\":\"%s\",\"limited_by_line\":%d}",
                i ? "," : "", s->cards[i], s->bytes, e[i].seconds, e[i].latency, cli_way_names[e[i].way], e[i].line);
        puts("]}");
        return EXIT_DONE;
    }
    situ_plain_print(stdout, "simulated: %s of %.4g MB of each card, %d nodes of %d cards (%s), exchange %s%s\n\n",
        s->what == CLI_ALL_REDUCE ? "the sum on all" : cli_collective_names[s->what], s->bytes / 1e6, s->c->nodes, s->c->cards,
        s->cluster, cli_way_names[s->way], planned(s));
    for (int i = 0; i < s->counts; i++) {
        situ_plain_print(stdout, "%7d cards %12.3f ms", s->cards[i], 1e3 * e[i].seconds);
        if (s->way == CLI_NCCL && e[i].seconds > 0)
            situ_plain_print(stdout, " %9.2f GB/s of the bus  %s %s", bus(s, s->cards[i], e[i].seconds) / 1e9,
                cli_way_names[e[i].way], e[i].protocol);
        puts("");
    }
    int last = s->counts - 1;
    if (s->way >= CLI_NCCL) tell_limits(s, s->cards[last], e[last].line);
    return EXIT_DONE;
}

/* ---- options ------------------------------------------------------------------------------------------ */

static bool read_cards(cli_simulation *s, const char *text)
{
    char one[32];
    for (s->counts = 0; *text && s->counts < CLI_MOST_COUNTS; s->counts++) {
        int n = (int)strcspn(text, ",");
        int64_t value = 0;
        snprintf(one, sizeof one, "%.*s", n < 31 ? n : 31, text);
        if (!cli_read_int("simulate", "cards", one, 1, 1 << 16, &value)) return false;
        s->cards[s->counts] = (int)value;
        text += n + (text[n] == ',');
    }
    return s->counts > 0;
}

typedef struct unit {
    const char *name;
    double value;
} unit;
static const unit sizes[] = {{"", 1}, {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {NULL, 0}};
static const unit times[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {NULL, 0}};

static bool read_amount(const char *option, const char *text, const unit *list, const char *what, double *out)
{
    char *end;
    double value = situ_plain_number(text, &end);
    for (; end != text && list->name; list++)
        if (!strcmp(end, list->name) && value > 0 && value < 1e18) return *out = value * list->value, true;
    fprintf(stderr, "situ simulate: --%s %s: %s\n", option, text, what);
    return false;
}

static bool read_name(const char *option, const char *text, const char *const *names, int count, int *out)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(text, names[i])) return *out = i, true;
    fprintf(stderr, "situ simulate: --%s %s:", option, text);
    for (int i = 0; i < count; i++) fprintf(stderr, "%s %s", i ? i + 1 < count ? "," : " or" : "", names[i]);
    fputs("\n", stderr);
    return false;
}

static bool read_option(cli_simulation *s, int which, const char *value)
{
    static const char bytes[] = "a number of bytes, with kB, MB or GB behind it: 160MB";
    const char *name = options[which].name;
    int found = 0;
    switch (which) {
    case CLUSTER: s->cluster = value; return true;
    case BESIDE: s->beside = value; return true;
    case TRACE: s->trace = value; return true;
    case SAVE: s->save = value; return true;
    case FROM: s->from = value; return true;
    case JSON: return s->json = true;
    case HALVES: return s->halves = true;
    case RECOMPUTE: return s->recompute = true;
    case CARDS: return read_cards(s, value);
    case BYTES: return read_amount(name, value, sizes, bytes, &s->bytes);
    case GRADIENT: return read_amount(name, value, sizes, bytes, &s->gradient);
    case ROW: return read_amount(name, value, sizes, bytes, &s->row);
    case STEP: return read_amount(name, value, times, "a time with its unit: 273ms", &s->step);
    case PARAMETERS: return cli_read_double("simulate", name, value, 1, 1e15, &s->parameters);
    case BACKWARD: return cli_read_double("simulate", name, value, 0, 1, &s->backward);
    case ACCUMULATE: return cli_read_int("simulate", name, value, 1, 1 << 20, &s->accumulate);
    case SPREAD: return cli_read_double("simulate", name, value, 0, 1e6, &s->spread);
    case ROWS: return cli_read_int("simulate", name, value, 1, 1 << 30, &s->rows);
    case STEPS: return cli_read_int("simulate", name, value, 1, 1LL << 40, &s->steps);
    case PLAN: return s->planned = cli_read_plan(&s->plan, value);
    case MODEL: return cli_read_model(&s->plan, value);
    case ZERO: return cli_read_int("simulate", name, value, 0, 3, &s->zero);
    case COLLECTIVE:
        if (!read_name(name, value, cli_collective_names, CLI_COLLECTIVES, &found)) return false;
        return s->what = (cli_collective)found, true;
    default: break;
    }
    if (!read_name(name, value, cli_way_names, CLI_WAYS, &found)) return false;
    return s->way = (cli_way)found, true;
}

/* Default numbers of cards: 1, 2, 4, ... and all. */
static bool choose_cards(cli_simulation *s)
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

static int simulate(cli_simulation *s, const char *cluster)
{
    s->cluster = cluster;
    if (!(s->c = situ_cluster_open(cluster, NULL))) return cli_fail("simulate");
    for (int k = 0; k < s->c->links; k++)
        if (!s->c->link[k].used && (!k || s->c->link[k].line != s->c->link[k - 1].line))
            fprintf(stderr, "situ simulate: %s:%d: no copy between cards, to the host or to the network uses this link\n", cluster,
                s->c->link[k].line);
    double own = s->step;
    if (!(s->step > 0) && !*s->program && !s->from && !s->planned) s->step = s->c->plan.step;
    bool nothing = !(s->step > 0) && !(s->bytes > 0) && !*s->program && !s->from && !s->planned;
    if (nothing)
        fprintf(stderr,
            "situ simulate: which program? give one that trains, or --bytes N, --step TIME or --from FILE; `situ simulate --help` "
            "shows how\n");
    int status = nothing ? EXIT_USAGE :
        !choose_cards(s) ? EXIT_FAILED :
        s->planned       ? simulate_plan(s) :
        s->bytes > 0     ? simulate_sum(s) :
        s->step > 0      ? simulate_step(s) :
                           simulate_program(s);
    s->step = own;
    situ_cluster_free(s->c);
    return status;
}

static int run(int argc, char **argv)
{
    cli_simulation s = {.backward = 2. / 3, .accumulate = 1, .plan = {1, 1, 1, 1, 0, 1, 0, 0, 0, 51200, 0}};
    const char *value;
    int rest, got;
    while ((got = cli_next_option(&cli_simulate, argc, argv, &value, &rest)) >= 0)
        if (!read_option(&s, got, value)) return EXIT_USAGE;
    if (got == -3) return EXIT_DONE;
    if (got == -2) return EXIT_USAGE;
    s.program = argv + rest;
    int given = (rest < argc) + (s.bytes > 0) + (s.step > 0) + (s.from != NULL) + s.planned;
    if (!s.cluster || given > 1) {
        fprintf(stderr, "situ simulate: %s; `situ simulate --help` shows how\n",
            !s.cluster ? "which cluster? --cluster FILE describes it" :
                         "--bytes, --step, --plan and --from stand instead of a program; give one of them");
        return EXIT_USAGE;
    }
    for (int i = rest; i < argc; i++) s.grows |= cli_has_brace(argv[i]);
    s.grows |= s.step > 0 || s.from || (rest == argc && !(s.bytes > 0));
    int status = simulate(&s, s.cluster);
    if (s.beside && status == EXIT_DONE) {
        puts("");
        status = simulate(&s, s.beside);
    }
    return status;
}
