/* Runs the program that `situ simulate` predicts, as one of several ranks that are not there, and reads its trace. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/plain.h"
#include "simulate.h"

enum { MOST_TOGETHER = 16 };

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
int cli_together(const cli_simulation *s, int n)
{
    cpu_set_t mine;
    int here = cli_on_node(s, n);
    if (!s->c->cores || sched_getaffinity(0, sizeof mine, &mine) || CPU_COUNT(&mine) < s->c->cores) return 1;
    return here < MOST_TOGETHER ? here : MOST_TOGETHER;
}

static pid_t start(const cli_simulation *s, char **argument, const char *trace, int ranks, bool shares)
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

/* Keeps the trace, so that a prediction can be made again without running. */
static bool copy(const char *from, const char *to)
{
    FILE *in = fopen(from, "re"), *out = in ? fopen(to, "we") : NULL;
    char part[1 << 14];
    bool good = out != NULL;
    for (size_t n; good && (n = fread(part, 1, sizeof part, in)) > 0;) good = fwrite(part, 1, n, out) == n;
    if (out && fclose(out)) good = false;
    if (in) fclose(in);
    if (!good) fprintf(stderr, "situ simulate: --save %s cannot be written: %s\n", to, situ_plain_reason(errno));
    return good;
}

/* Runs the program as the first of `ranks` ranks, `beside` copies at the same time, and reads the trace of one. */
bool cli_measure(const cli_simulation *s, int ranks, int beside, cli_steps *out)
{
    char folder[] = "/tmp/situ-simulate-XXXXXX", trace[64], why[256];
    pid_t child[MOST_TOGETHER] = {0};
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
    if (good) out->beside = beside, out->ranks = ranks;
    for (int i = 0; i < beside; i++) {
        if (i) wait_for(child[i]);
        snprintf(trace, sizeof trace, "%s/trace%d", folder, i);
        if (!i && good && s->save && !copy(trace, s->save)) good = false;
        unlink(trace);
    }
    rmdir(folder);
    for (int i = 0; i < arguments; i++) free(filled[i]);
    free(filled);
    return good;
}

bool cli_has_brace(const char *argument)
{
    long long each;
    char *after;
    return brace(argument, &each, &after) != NULL;
}
