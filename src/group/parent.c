/* Finds out whether a rank started this process. Such a process has the rank's environment, but is no rank of MPI;
 * joining MPI would end it. */
#include "group/parent.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "os/env.h"
#include "os/process.h"

enum { MOST = 16 };

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
    int64_t pid = situ_process_parent(situ_process_id());
    for (int i = 0; i < MOST && pid > 1; i++, pid = situ_process_parent(pid)) {
        situ_process_name(pid, name, sizeof name);
        if (!*name || launches(name) || !situ_process_has_variable(pid, own)) return 0;
        if (situ_process_maps(pid, "/libmpi")) return (int)pid;
    }
    return 0;
}
