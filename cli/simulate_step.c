/* Predicts a training step: from the trace of a program that ran here, or from a step that was measured elsewhere. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "device/trace.h"
#include "simulate.h"

/* ---- cards that are not alike ---------------------------------------------------------------------------------------------- */

/* The slowest of the first n cards decides. */
static double slowest(const situ_cluster *c, int n)
{
    double most = 1;
    for (int i = 0; i < c->slower; i++) {
        const situ_cluster_slower *s = &c->slow[i];
        bool there = s->card >= 0 ? s->card < n : s->node * c->cards < n;
        if (there) most = fmax(most, s->times);
    }
    return most;
}

/* The deviation, in standard deviations, that a part p of steps does not exceed if all wait for the slowest of n: each
 * card's is normally distributed. */
static double deviation(double p, int n)
{
    double least = -10, most = 10, each = pow(p, 1. / n);
    for (int i = 0; i < 100; i++) {
        double middle = (least + most) / 2;
        *(.5 * erfc(-middle / sqrt(2)) < each ? &least : &most) = middle;
    }
    return most;
}

static void add_jitter(const cli_simulation *s, int n, cli_prediction *p)
{
    double one = s->c->plan.jitter * p->work;
    p->usual = p->step + (one > 0 ? one * deviation(.5, n) : 0);
    p->late = p->step + (one > 0 ? one * deviation(.95, n) : 0);
}

/* ---- from a trace ---------------------------------------------------------------------------------------------------------- */

/* The exchange that one bar of the trace stands for: partial sums are sent, and the result is sent back, unless it is
 * so small that each rank sends everything to each other one. */
static cli_exchange exchange_of(const cli_simulation *s, const cli_bar *bar, int n, int measured)
{
    enum { SMALL = 4096 };
    static const struct {
        const char *name;
        cli_collective what;
    } calls[] = {{"situ_group_broadcast", CLI_BROADCAST}, {"situ_group_reduce_scatter", CLI_REDUCE_SCATTER},
        {"situ_group_all_gather", CLI_ALL_GATHER}, {"situ_group_send", CLI_SEND}, {"situ_group_receive", CLI_SEND}};
    double each = (double)bar->bytes / (measured - 1); /* to each other rank */
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strcmp(bar->name, calls[i].name)) continue;
        bool whole = calls[i].what == CLI_BROADCAST, pair = calls[i].what == CLI_SEND;
        return cli_exchange_time(s->c, s->way, calls[i].what, n, pair ? (double)bar->bytes : whole ? each : each * measured);
    }
    bool back = each > SMALL || s->way >= CLI_NCCL;
    double all = each > SMALL ? each * measured / 2 : each * (s->way >= CLI_NCCL ? 1 : measured);
    return cli_exchange_time(s->c, s->way, back ? CLI_ALL_REDUCE : CLI_REDUCE_SCATTER, n, all);
}

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

/* The factor by which work, and bytes carried by the node's cores, take longer than alone. */
static double shared(const cli_simulation *s, int here)
{
    return s->c->cores && here > s->c->cores ? (double)here / s->c->cores : 1;
}

/* Predicts a window of steps, bar by bar; `drawn`: number of cards to draw. */
static cli_prediction replay(const cli_simulation *s, const cli_steps *t, int which, int n, int drawn)
{
    double here = ceil(shared(s, cli_on_node(s, n))), slow = here / shared(s, t->beside) / s->c->speed * slowest(s->c, n);
    int measured = t->ranks > 1 ? t->ranks : 2;
    cli_prediction p = {.which = which};
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
        if (b->kind == BAR_EXCHANGE && n > 1) {
            cli_exchange e = exchange_of(s, b, n, measured);
            double takes = e.seconds * here, adding = s->way < CLI_NCCL ? (b->end - b->start) * slow : 0;
            double from = busy > now ? busy : now;
            if (t->waits && takes < adding) takes = adding; /* the CPU sums while the bytes arrive */
            for (int card = 0; card < drawn; card++) draw(b->name, card, true, from, from + takes, b->bytes);
            busy = from + takes;
            p.exchange += takes;
            p.line = e.line;
            p.taken = e.way;
        }
        if (b->kind == BAR_EXCHANGE && t->waits) {
            if (s->c->cores) now = fmax(now, busy); /* processes that share cores carry the bytes themselves */
            continue;
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
    const cli_prediction *x = a, *y = b;
    return x->step < y->step ? -1 : x->step > y->step;
}

/* A quick one of the windows, since what else the machine does only adds to a step; or a trimmed mean if processes
 * take turns on a core, since then some windows have no pause and others a long one. */
bool cli_predict(const cli_simulation *s, const cli_steps *t, int n, cli_prediction *out)
{
    enum { QUICK = 20 };
    cli_prediction *all = malloc((size_t)t->windows * sizeof *all);
    for (int i = 0; all && i < t->windows; i++) all[i] = replay(s, t, i, n, 0);
    if (all) qsort(all, (size_t)t->windows, sizeof *all, by_step);
    if (all) *out = all[t->windows / QUICK];
    int few = t->windows / 10, most = t->windows - 2 * few;
    if (all && shared(s, t->beside) > 1) {
        out->step = out->work = out->exchange = 0;
        for (int i = few; i < few + most; i++) {
            out->step += all[i].step / most;
            out->work += all[i].work / most;
            out->exchange += all[i].exchange / most;
        }
    }
    if (all && out->step > 0) out->spread = (all[3 * t->windows / 4].step - all[t->windows / 4].step) / out->step;
    if (all) add_jitter(s, n, out);
    free(all);
    return all != NULL;
}

void cli_draw(const cli_simulation *s, const cli_steps *t, int which, int n, int drawn) { replay(s, t, which, n, drawn); }

/* ---- from a measured step -------------------------------------------------------------------------------------------------- */

/* Gradients come evenly in the last part of the step, by buckets, whose exchanges follow each other beside the rest of
 * the work. */
cli_prediction cli_predict_step(const cli_simulation *s, int n)
{
    enum { BUCKET = 25000000 };
    double bytes = s->gradient * (s->halves ? .5 : 1), work = s->step * slowest(s->c, n), back = s->backward;
    if (s->recompute) { /* the forward pass again, within the backward pass */
        work *= 2 - s->backward;
        back = 1 / (2 - s->backward);
    }
    cli_prediction p = {.work = work * (double)s->accumulate};
    int buckets = (int)ceil(bytes / BUCKET);
    double done = 0, before = work * (double)(s->accumulate - 1);
    for (int i = 1; i <= buckets && n > 1; i++) {
        cli_exchange e = cli_exchange_time(s->c, s->way, CLI_ALL_REDUCE, n, bytes / buckets);
        double ready = before + work * (1 - back + back * i / buckets);
        done = fmax(done, ready) + e.seconds;
        p.exchange += e.seconds;
        p.line = e.line;
        p.taken = e.way;
    }
    p.step = fmax(p.work, done);
    if (s->row > 0 && s->c->plan.data > 0) { /* the next rows are read meanwhile, by the node for its cards */
        double rows = (double)s->rows * (double)s->accumulate * cli_on_node(s, n);
        p.step = fmax(p.step, rows * s->row / s->c->plan.data);
    }
    add_jitter(s, n, &p);
    return p;
}

/* ---- a whole training ------------------------------------------------------------------------------------------------------ */

/* J. T. Daly's estimate of the optimum. */
double cli_best_interval(double failures, double checkpoint)
{
    double share = checkpoint / (2 * failures);
    if (share >= 1) return failures;
    return sqrt(2 * checkpoint * failures) * (1 + sqrt(share) / 3 + share / 9) - checkpoint;
}

/* The time that a training takes without failures, by the time that it takes with them: failures come at random, and
 * each loses what came after the last checkpoint. */
double cli_useful(double failures, double checkpoint, double restart, double interval)
{
    return interval / (failures * exp(restart / failures) * expm1((interval + checkpoint) / failures));
}

/* Mixed precision and Adam: 2 bytes of a parameter, 2 of its gradient, 12 of its f32 copy and moments. */
static double memory_of(const cli_simulation *s, int n)
{
    double parts[] = {12, 2, 2}, sum = 0;
    for (int i = 0; i < 3; i++) sum += parts[i] / (s->zero > i ? n : 1);
    return sum * s->parameters;
}

cli_totals cli_total(const cli_simulation *s, int n, double step)
{
    const situ_cluster_plan *plan = &s->c->plan;
    cli_totals t = {.seconds = step * (double)s->steps, .useful = 1, .memory = memory_of(s, n)};
    int nodes = (n + s->c->cards - 1) / s->c->cards;
    if (plan->failures > 0 && plan->checkpoint > 0) {
        double each = plan->failures / nodes;
        t.interval = cli_best_interval(each, plan->checkpoint);
        t.useful = cli_useful(each, plan->checkpoint, plan->restart, t.interval);
        t.seconds /= t.useful;
    }
    t.energy = plan->watts * n * t.seconds / 3.6e6;
    t.price = plan->price * n * t.seconds / 3600 + plan->energy * t.energy;
    return t;
}
