/* Finds the steps of a training in a trace file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ/error.h>

#include "simulate.h"

enum { HERE = 1, DEVICES = 1000000 }; /* as device/trace.c numbers processes and rows */

static bool take(const situ_timeline_bar *b, const situ_timeline_lane *lane, cli_bar *bar)
{
    if (lane->process != HERE) return false;
    *bar = (cli_bar){.start = b->from, .end = b->to, .bytes = b->bytes, .name = b->name};
    if (!strncmp(b->name, "situ_group_", 11)) bar->kind = BAR_EXCHANGE;
    else if (!strcmp(b->name, "wait for ranks")) bar->kind = BAR_WAIT;
    else if (!strcmp(b->name, "situ_optimizer_step")) bar->kind = BAR_STEP;
    else if (lane->row < DEVICES) return false; /* what the host did meanwhile is ignored */
    return true;
}

static int by_start(const void *a, const void *b)
{
    const cli_bar *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* The line of the first optimizer's step. */
static const char *first_line(const situ_trace_view *t)
{
    const situ_timeline_bar *first = NULL;
    cli_bar bar;
    for (int i = 0; i < t->bars; i++) {
        const situ_timeline_bar *b = &t->bar[i];
        if (take(b, &t->lane[b->lane], &bar) && bar.kind == BAR_STEP && (!first || b->from < first->from)) first = b;
    }
    return first && first->line ? first->line : "";
}

static void take_bars(cli_steps *s)
{
    const situ_trace_view *t = &s->trace;
    const char *line = first_line(t);
    for (int i = 0; i < t->bars; i++) {
        const situ_timeline_bar *b = &t->bar[i];
        cli_bar *bar = &s->bar[s->bars];
        if (!take(b, &t->lane[b->lane], bar)) continue;
        if (bar->kind == BAR_STEP && strcmp(line, b->line ? b->line : "")) continue; /* a step of another optimizer */
        s->waits |= bar->kind == BAR_WAIT;
        s->bars++;
    }
    if (s->bars) qsort(s->bar, (size_t)s->bars, sizeof *s->bar, by_start);
}

bool cli_steps_read(const char *path, cli_steps *s, char *why, int size)
{
    *s = (cli_steps){0};
    if (situ_timeline_open(&s->trace, path, SITU_CLOCK_HERE)) {
        situ_error error;
        situ_error_take(&error);
        snprintf(why, (size_t)size, "it left no trace (%s); does it work with situ, and did it end by itself?", error.message);
        return cli_steps_free(s), false;
    }
    s->bar = malloc(((size_t)s->trace.bars + 1) * sizeof *s->bar);
    s->first = malloc(((size_t)s->trace.bars + 1) * sizeof *s->first);
    if (!s->bar || !s->first) return snprintf(why, (size_t)size, "out of memory"), cli_steps_free(s), false;
    take_bars(s);
    int n = 0;
    for (int i = 0; i < s->bars; i++)
        if (s->bar[i].kind == BAR_STEP) s->first[n++] = i;
    s->windows = n - CLI_STEPS_TOGETHER;
    if (s->windows > 0) return true;
    snprintf(why, (size_t)size,
        "it made %d steps of an optimizer (situ_optimizer_step, or a trainer's); a prediction needs %d at least", n,
        CLI_STEPS_TOGETHER + 1);
    cli_steps_free(s);
    return false;
}

void cli_steps_free(cli_steps *s)
{
    free(s->bar);
    free(s->first);
    situ_timeline_free(&s->trace);
    *s = (cli_steps){0};
}
