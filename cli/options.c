/* Parsing options by getopt_long from a subcommand's table, help from the same table, and suggestions for misspelt
 * names. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "command.h"
#include "os/plain.h"

enum { MOST_OPTIONS = 40, HELP = 1000, FIRST = 1001 };

static int least(int a, int b) { return a < b ? a : b; }

/* Edit distance: insertions, deletions, changes and swaps of neighbours that turn one text into the other. */
static int distance(const char *a, const char *b)
{
    enum { MOST = 40 };
    int n = (int)strlen(a), m = (int)strlen(b), d[MOST + 1][MOST + 1];
    if (n > MOST || m > MOST) return MOST;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= m; j++) {
            if (!i || !j) d[i][j] = i + j;
            else d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

const char *cli_nearest(const char *text, const char *const *names, int count)
{
    const char *best = NULL;
    int smallest = 3 < (int)strlen(text) ? 3 : (int)strlen(text); /* a larger distance means another word */
    for (int i = 0; i < count; i++) {
        int far = distance(text, names[i]);
        if (far < smallest) {
            smallest = far;
            best = names[i];
        }
    }
    return best;
}

static void print_option(const cli_option *o)
{
    char left[64];
    snprintf(left, sizeof left, "--%s%s%s", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
    if (o->letter) printf("  -%c, %-20s %s\n", o->letter, left, o->help);
    else printf("      %-20s %s\n", left, o->help);
}

void cli_help(const cli_command *c)
{
    printf("usage: situ %s\n\n%s\n", c->usage, c->text);
    printf("options:\n");
    for (const cli_option *o = c->options; o && o->name; o++) print_option(o);
    printf("  -h, %-20s %s\n", "--help", "this text");
}

/* getopt's tables, made from ours at a subcommand's first call. */
static struct option long_options[MOST_OPTIONS];
static char letters[2 * MOST_OPTIONS + 5];

static int make_tables(const cli_command *c)
{
    int n = 0;
    char *at = letters;
    if (c->takes_arguments) *at++ = '+';
    *at++ = ':';
    for (const cli_option *o = c->options; o && o->name && n < MOST_OPTIONS - 2; o++, n++) {
        long_options[n] = (struct option){o->name, o->argument ? required_argument : no_argument, NULL, FIRST + n};
        if (o->letter) *at++ = o->letter;
        if (o->letter && o->argument) *at++ = ':';
    }
    long_options[n] = (struct option){"help", no_argument, NULL, HELP};
    long_options[n + 1] = (struct option){0};
    *at++ = 'h';
    *at = 0;
    return n + 1;
}

static void mistake(const cli_command *c, int kind, const char *word, int count)
{
    const char *names[MOST_OPTIONS];
    char name[64];
    for (int i = 0; i < count; i++) names[i] = long_options[i].name;
    snprintf(name, sizeof name, "%s", word ? word : "");
    if (kind == ':') {
        fprintf(stderr, "situ %s: %s needs an argument\n", c->name, name);
    } else {
        name[strcspn(name, "=")] = 0;
        const char *near = !strncmp(name, "--", 2) ? cli_nearest(name + 2, names, count) : NULL;
        fprintf(stderr, "situ %s: unknown option %s%s%s%s\n", c->name, name, near ? "; did you mean --" : "", near ? near : "",
            near ? "?" : "");
    }
    fprintf(stderr, "`situ %s --help` lists the options\n", c->name);
}

int cli_next_option(const cli_command *c, int argc, char **argv, const char **value, int *rest)
{
    int count = make_tables(c), before = optind;
    opterr = 0;
    int got = getopt_long(argc, argv, letters, long_options, NULL);
    *value = optarg;
    *rest = optind;
    if (got == -1) return -1;
    if (got == HELP || got == 'h') {
        cli_help(c);
        return -3;
    }
    if (got == '?' || got == ':') {
        mistake(c, got, argv[before < argc && optind == before ? before : optind - 1], count);
        return -2;
    }
    if (got >= FIRST) return got - FIRST;
    for (int i = 0; c->options[i].name; i++)
        if (c->options[i].letter == got) return i;
    return -2;
}

bool cli_read_double(const char *command, const char *option, const char *text, double low, double high, double *out)
{
    char *end;
    *out = situ_plain_number(text, &end);
    if (end != text && !*end && isfinite(*out) && *out >= low && *out <= high) return true;
    situ_plain_print(stderr, "situ %s: --%s takes a number from %g to %g, not %s\n", command, option, low, high, text);
    return false;
}

bool cli_read_int(const char *command, const char *option, const char *text, int64_t low, int64_t high, int64_t *out)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *out = value;
    if (end != text && !*end && !errno && value >= low && value <= high) return true;
    fprintf(stderr, "situ %s: --%s takes a whole number from %lld to %lld, not %s\n", command, option, (long long)low,
        (long long)high, text);
    return false;
}

/* The message without the line of this program and the name of the function that it called. */
static const char *plain(const char *message)
{
    if (!strncmp(message, "cli/", 4)) message += strcspn(message, " ") + 1;
    size_t name = strncmp(message, "situ_", 5) ? 0 : strspn(message, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return name && !strncmp(message + name, ": ", 2) ? message + name + 2 : message;
}

int cli_fail(const char *command)
{
    situ_error e;
    fflush(stdout);
    if (situ_error_take(&e)) fprintf(stderr, "situ %s: %s\n", command, plain(e.message));
    else fprintf(stderr, "situ %s: failed\n", command);
    return EXIT_FAILED;
}
