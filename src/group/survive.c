/* Continues with the survivors when a process dies, if MPI reports it: Open MPI 5 under `mpirun --with-ft ulfm`. Runs
 * in the MPI thread, except situ_link_leave. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "group/link.h"
#include "os/wait.h"

enum { LEAVING = 2000000000 }; /* nanoseconds to wait for messages; the memory of those that are unfinished then is never freed */

static void drop(situ_link *l, situ_message *m, int64_t until)
{
    int64_t status[SITU_MPI_STATUS_WORDS];
    for (int flag = 0, idle = 0; m->open && situ_link_now() < until; situ_rest(&idle))
        if (l->mpi->Test(&m->request, &flag, status) || flag) m->open = false;
}

void situ_link_leave(situ_link *l, situ_exchange *e)
{
    int64_t until = situ_link_now() + LEAVING;
    if (!l->revoked) l->mpi->Comm_revoke(l->communicator);
    l->revoked = true;
    for (int i = 0; i < l->size; i++) {
        situ_peer *p = &l->peer[i];
        situ_message *all[] = {&p->in_message, &p->out_message, &p->alive_in_message, &p->alive_out_message};
        for (int k = 0; k < 4 && i != l->rank; k++) drop(l, all[k], until);
    }
    for (int i = 0; e && i < e->streams; i++)
        for (situ_stream *s = &e->stream[i]; s->open; s->open--) {
            situ_message *m = &s->window[s->first];
            drop(l, m, until);
            if (m->open) return;
            s->first = (s->first + 1) % SITU_WINDOW;
        }
}

/* Writes "rank 2" or "ranks 0, 2": the ranks of l that are missing in `own`; false if MPI does not tell. *first: l's
 * rank 0 survives. */
static bool tell_lost(const situ_link *l, situ_mpi_handle own, bool *first, char *text, size_t size)
{
    const situ_mpi *m = l->mpi;
    situ_mpi_handle old = NULL, now = NULL;
    int *rank = situ_malloc(2 * (size_t)l->size * sizeof *rank), *at = rank + l->size, used = 0, count = 0;
    for (int i = 0; rank && i < l->size; i++) rank[i] = i;
    bool good = rank && !m->Comm_group(l->communicator, &old) && !m->Comm_group(own, &now) &&
        !m->Group_translate_ranks(old, l->size, rank, now, at);
    for (int i = 0; good && i < l->size; i++) count += at[i] < 0;
    for (int i = 0; good && i < l->size; i++)
        if (at[i] < 0 && used < (int)size)
            used += snprintf(text + used, size - (size_t)used, "%s%d", used ? ", " : count > 1 ? "ranks " : "rank ", i);
    *first = good && at[0] >= 0;
    if (old) m->Group_free(&old);
    if (now) m->Group_free(&now);
    situ_free(rank);
    return good;
}

/* A rank that has finished must not leave behind ranks that cannot continue without it, so all survivors agree here. */
bool situ_link_agree(situ_link *l, bool well)
{
    int flag = well;
    l->beat = situ_link_now();
    l->mpi->Comm_agree(l->communicator, &flag); /* it returns an error if a rank died, which is known already or will be */
    l->beat = situ_link_now();
    l->agreed = !flag;
    if (!flag && !l->code) {
        l->died = true;
        situ_link_break(l, SITU_RANK_LOST, "another rank died");
    }
    return flag;
}

int situ_link_shrink(situ_link *l, char *lost, size_t size)
{
    const situ_mpi *m = l->mpi;
    situ_mpi_handle own = NULL;
    int rank = 0, left = 0, before = l->size;
    bool first = false;
    situ_link_leave(l, NULL);
    if (!l->agreed) situ_link_agree(l, false);
    int rc = m->Comm_shrink(l->communicator, &own);
    if (!rc) rc = m->Comm_set_errhandler(own, m->errors_return);
    if (!rc) rc = m->Comm_rank(own, &rank);
    if (!rc) rc = m->Comm_size(own, &left);
    if (rc || !tell_lost(l, own, &first, lost, size)) {
        l->died = false;
        return l->code;
    }
    l->communicator = own;
    l->rank = rank;
    l->size = left;
    l->sequence = 0;
    l->shrunk = true;
    l->revoked = l->agreed = false;
    l->ends = 0;
    l->died = false;
    l->beat = situ_link_now();
    memset(l->peer, 0, (size_t)left * sizeof *l->peer);
    for (int i = 0; i < left; i++) l->peer[i].heard = l->beat;
    l->code = 0;
    if (2 * left > before || (2 * left == before && first)) return 0;
    return situ_link_break(l, SITU_RANK_LOST,
        "%s of %d died, and %d left are no more than half of them: others may have gone on; start again with .resume", lost, before,
        left);
}
