/* Finds the steps of a training in a trace file, which has one event in each line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/plain.h"
#include "simulate.h"

enum { DEVICES = 1000000 };

/* If the line continues with the word and a number, reads the number and advances. */
static bool number_after(const char **line, const char *word, double *value)
{
    size_t n = strlen(word);
    char *end;
    if (strncmp(*line, word, n)) return false;
    *value = situ_plain_number(*line + n, &end);
    bool found = end != *line + n;
    *line = end;
    return found;
}

static bool parse(const char *line, cli_bar *bar, char site[256])
{
    static const char name[] = ",\"name\":\"";
    int process = 0, at = 0;
    long long row = 0;
    if (sscanf(line, "{\"ph\":\"X\",\"pid\":%d,\"tid\":%lld%n", &process, &row, &at) != 2 || process != 1) return false;
    line += at;
    double start = 0, length = 0;
    if (!number_after(&line, ",\"ts\":", &start) || !number_after(&line, ",\"dur\":", &length)) return false;
    if (strncmp(line, name, sizeof name - 1)) return false;
    line += sizeof name - 1;
    const char *bytes = strstr(line, "\"bytes\":"), *where = strstr(line, "\"line\":\"");
    *bar = (cli_bar){.start = start / 1e6, .end = (start + length) / 1e6, .bytes = bytes ? strtoll(bytes + 8, NULL, 10) : 0};
    snprintf(bar->name, sizeof bar->name, "%.*s", (int)strcspn(line, "\""), line);
    snprintf(site, 256, "%.*s", where ? (int)strcspn(where + 8, "\"") : 0, where ? where + 8 : "");
    if (!strncmp(bar->name, "situ_group_", 11)) bar->kind = BAR_EXCHANGE;
    else if (!strcmp(bar->name, "wait for ranks")) bar->kind = BAR_WAIT;
    else if (!strcmp(bar->name, "situ_optimizer_step")) bar->kind = BAR_STEP;
    else if (row < DEVICES) return false; /* what the host did meanwhile is ignored */
    return true;
}

static int by_start(const void *a, const void *b)
{
    const cli_bar *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static bool read_bars(FILE *file, cli_steps *s)
{
    char *line = NULL, site[256], of[256] = "";
    size_t capacity = 0;
    int most = 0;
    bool good = true;
    while (good && getline(&line, &capacity, file) > 0) {
        cli_bar bar;
        if (!parse(line, &bar, site)) continue;
        if (bar.kind == BAR_STEP && !*of) snprintf(of, sizeof of, "%s", site);
        if (bar.kind == BAR_STEP && strcmp(of, site)) continue; /* a step of another optimizer */
        s->waits |= bar.kind == BAR_WAIT;
        if (s->bars == most) {
            most = most ? 2 * most : 1024;
            cli_bar *more = realloc(s->bar, (size_t)most * sizeof *more);
            if (!more) good = false;
            else s->bar = more;
        }
        if (good) s->bar[s->bars++] = bar;
    }
    free(line);
    return good;
}

bool cli_steps_read(const char *path, cli_steps *s, char *why, int size)
{
    *s = (cli_steps){0};
    FILE *file = fopen(path, "re");
    if (!file) return snprintf(why, (size_t)size, "it left no trace; does it work with situ, and did it end by itself?"), false;
    bool good = read_bars(file, s);
    fclose(file);
    s->first = good ? malloc(((size_t)s->bars + 1) * sizeof *s->first) : NULL;
    if (!s->first) return snprintf(why, (size_t)size, "out of memory"), cli_steps_free(s), false;
    if (s->bars) qsort(s->bar, (size_t)s->bars, sizeof *s->bar, by_start);
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
    *s = (cli_steps){0};
}
