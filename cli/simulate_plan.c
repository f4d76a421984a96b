/* Predicts a step of a Transformer that is cut by data, tensors and layers (a pipeline): planned only, as situ cannot
 * run it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "os/plain.h"
#include "simulate.h"

/* ---- reading "data 24 tensor 8 pipeline 8" --------------------------------------------------------------------------------- */

typedef struct word {
    const char *name;
    double *value;
} word;

static bool read_words(const char *option, const char *text, const word *list)
{
    for (const char *at = text; *at;) {
        at += strspn(at, " ,");
        size_t n = strcspn(at, " ,");
        const word *w = list;
        while (w->name && (strlen(w->name) != n || memcmp(w->name, at, n))) w++;
        char *end = NULL;
        double value = w->name && at[n] ? situ_plain_number(at + n + 1, &end) : 0;
        if (!w->name || !(value >= 0 && value < 1e15) || end == at + n + 1) {
            fprintf(stderr, "situ simulate: --%s: words with a number behind each, here is \"%.24s\":", option, at);
            for (w = list; w->name; w++) fprintf(stderr, " %s", w->name);
            fputs("\n", stderr);
            return false;
        }
        *w->value = value;
        at = end + strspn(end, " ,");
    }
    return true;
}

bool cli_read_plan(cli_plan *p, const char *text)
{
    const word list[] = {{"data", &p->data}, {"tensor", &p->tensor}, {"pipeline", &p->pipeline}, {"interleaved", &p->interleaved},
        {"zero", &p->zero}, {"micro", &p->micro}, {NULL, NULL}};
    return read_words("plan", text, list);
}

bool cli_read_model(cli_plan *p, const char *text)
{
    const word list[] = {{"layers", &p->layers}, {"hidden", &p->hidden}, {"sequence", &p->sequence}, {"vocabulary", &p->vocabulary},
        {"batch", &p->batch}, {NULL, NULL}};
    return read_words("model", text, list);
}

const char *cli_plan_wrong(const cli_plan *p, const situ_cluster *c)
{
    double n = p->data * p->tensor * p->pipeline;
    if (!(p->layers > 0 && p->hidden > 0 && p->sequence > 0 && p->batch > 0))
        return "--model \"layers 80 hidden 12288 sequence 2048 vocabulary 51200 batch 2304\" says what is trained";
    if (n < 1 || n > (double)c->nodes * c->cards)
        return "data times tensor times pipeline are more cards than the cluster has, or none";
    if (p->tensor > c->cards) return "tensor: the cards of one node at most";
    if (p->batch < p->data * p->micro) return "the batch has fewer rows than data times micro";
    if (!(c->plan.flops > 0)) return "the cluster's text has to say what a card computes: flops 140 Tflop/s";
    return NULL;
}

/* ---- costs ----------------------------------------------------------------------------------------------------------------- */

/* Seconds of a sum over cards that lie in different nodes, one of each: the other cards of a node do the same at the
 * same time, and share its adapters. */
static double across(const situ_cluster *c, double groups, double members, double bytes)
{
    int here = groups < c->cards ? (int)groups : c->cards;
    double width = cli_outside(c, c->cards) / here;
    if (members < 2) return 0;
    return 2 * (members - 1) / members * bytes / width;
}

/* One card to the next of the pipeline, which may lie in another node. */
static double to_next(const situ_cluster *c, const cli_plan *p, double bytes)
{
    if (p->tensor * 2 <= c->cards) return bytes / cli_inside(c, c->cards);
    return bytes / (cli_outside(c, c->cards) / c->cards);
}

/* Of each parameter Adam keeps 12 bytes beside 2 of the parameter and 2 of its gradient. */
static double memory_of(const cli_plan *p, double parameters)
{
    static const double parts[] = {12, 2, 2};
    double sum = 0, own = parameters / (p->tensor * p->pipeline);
    for (int i = 0; i < 3; i++) sum += parts[i] * own / (p->zero > i ? p->data : 1);
    double kept = 2 * p->micro * p->sequence * p->hidden; /* what enters a layer is kept for each batch that is under way */
    return sum + kept * p->layers / p->pipeline * p->pipeline + 17 * kept / p->tensor;
}

cli_planned cli_predict_plan(const cli_plan *p, const situ_cluster *c, bool recompute)
{
    double l = p->layers, h = p->hidden, s = p->sequence, rows = p->batch, v = p->vocabulary;
    double flops = (recompute ? 96 : 72) * rows * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h));
    double cards = p->data * p->tensor * p->pipeline, turns = rows / (p->data * p->micro);
    double bytes = 2 * p->micro * s * h, each = l / p->pipeline;
    cli_planned r = {.parameters = l * 12 * h * h * (1 + 13 / (12 * h)) + (v + s) * h};
    r.computing = flops / cards / turns / c->plan.flops;
    r.tensor = each * (recompute ? 6 : 4) * cli_exchange_time(c, CLI_NCCL, CLI_ALL_REDUCE, (int)p->tensor, bytes).seconds;
    r.pipeline = p->pipeline > 1 ? 2 * p->interleaved * to_next(c, p, bytes / p->tensor) : 0;
    double turn = r.computing + r.tensor + r.pipeline;
    r.bubble = (p->pipeline - 1) / p->interleaved * turn;
    r.data = across(c, p->tensor * p->pipeline, p->data, 2 * r.parameters / (p->tensor * p->pipeline)) * (p->zero > 2 ? 1.5 : 1);
    r.computing *= turns;
    r.tensor *= turns;
    r.pipeline *= turns;
    r.step = turns * turn + r.bubble + r.data;
    r.flops = flops / r.step / cards;
    r.memory = memory_of(p, r.parameters);
    return r;
}
