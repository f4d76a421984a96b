/* Finds out whether a rank started this process. Such a process has the rank's environment, but is no rank of MPI; joining MPI
 * would end it. */
#define _GNU_SOURCE
#include "group/parent.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"

enum { MOST = 16 };

static FILE *of_process(int pid, const char *what)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, what);
    return fopen(path, "re");
}

/* True if a line (or a zero-terminated string: `end`) of the file begins with the text, or with `anywhere` contains it. */
static bool holds(int pid, const char *what, int end, const char *text, bool anywhere)
{
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    FILE *f = of_process(pid, what);
    while (f && !found && getdelim(&line, &room, end, f) > 0) found = anywhere ? strstr(line, text) != NULL : !strcmp(line, text);
    if (f) fclose(f);
    free(line);
    return found;
}

/* Launchers pass their own environment on. */
static bool launches(const char *name)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orte", "prte", "hydra", "srun", "slurm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(name, names[i], strlen(names[i]))) return true;
    return false;
}

int situ_rank_above(void)
{
    char own[64], name[32];
    const char *pmix = situ_env("PMIX_RANK"), *rank = pmix ? pmix : situ_env("PMI_RANK");
    if (!rank) return 0;
    snprintf(own, sizeof own, "%s=%.20s", pmix ? "PMIX_RANK" : "PMI_RANK", rank);
    for (int i = 0, pid = getppid(), above; i < MOST && pid > 1; i++, pid = above) {
        FILE *f = of_process(pid, "stat");
        int fields = f ? fscanf(f, "%*d (%31[^)]) %*c %d", name, &above) : 0;
        if (f) fclose(f);
        if (fields != 2 || launches(name) || !holds(pid, "environ", 0, own, false)) return 0;
        if (holds(pid, "maps", '\n', "/libmpi", true)) return pid;
    }
    return 0;
}
