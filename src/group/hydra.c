/* Ends a rank under MPICH's launcher (hydra) without MPI_Finalize. MPI_Finalize of MPICH 4.0 and 4.1 over UCX closes
 * the connections of a process, then waits at the launcher's barrier, and no longer answers processes that are still
 * closing theirs. Between machines it hangs once in four, in plain MPI programs too (openucx/ucx issues 2254 and 2656;
 * fixed by MPICH's pull request 6596). So this file passes the barrier itself while the network is still served, and
 * the connections end with the process. The protocol is PMI version 1: one line for a request, one for the answer, on
 * the file descriptor PMI_FD. */
#include <stdlib.h>
#include <string.h>

#include "group/link.h"
#include "os/env.h"
#include "os/process.h"

bool situ_hydra_needed(const situ_mpi *m, int size)
{
    const char *here = situ_env("MPI_LOCALNRANKS"); /* hydra sets it to the number of ranks on this machine */
    return m->hangs_at_end && situ_env("PMI_FD") && here && atoi(here) < size;
}

static bool ask(situ_link *l, int launcher, const char *words, const char *answer, int64_t until)
{
    char line[256];
    size_t n = 0;
    if (!situ_socket_send(launcher, words, strlen(words))) return false;
    while (n < sizeof line - 1 && situ_link_now() < until) {
        situ_link_pump(l, false);
        int got = situ_socket_receive(launcher, line + n);
        if (got < 0) return false;
        if (!got) continue;
        if (line[n] == '\n') return n >= strlen(answer) && !memcmp(line, answer, strlen(answer));
        n++;
    }
    return false;
}

void situ_hydra_leave(situ_link *l, int64_t until)
{
    int launcher = atoi(situ_env("PMI_FD"));
    if (ask(l, launcher, "cmd=barrier_in\n", "cmd=barrier_out", until))
        ask(l, launcher, "cmd=finalize\n", "cmd=finalize_ack", until);
}
