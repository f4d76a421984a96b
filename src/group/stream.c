/* The clock for deadlines, and the transfer of a call's bytes in pieces, which runs in the MPI thread. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "group/link.h"
#include "os/lock.h"
#include "os/plain.h"
#include "os/wait.h"

enum { SECOND = 1000000000 };
SITU_LOCK(clock_lock);

int64_t situ_link_now(void)
{
    static int64_t seen, shown;
    situ_mutex_lock(&clock_lock);
    int64_t now = situ_now(), went = now - seen;
    shown += went < SECOND ? went : SECOND;
    seen = now;
    int64_t result = shown;
    situ_mutex_unlock(&clock_lock);
    return result;
}

int situ_link_break(situ_link *l, int code, const char *format, ...)
{
    if (l->code) return l->code;
    va_list list;
    va_start(list, format);
    situ_plain_list(l->why, sizeof l->why, format, list);
    va_end(list);
    l->code = code;
    return code;
}

/* Error classes in Open MPI's mpi.h: a process failed, a process failed while a receive from any source was pending,
 * revoked. */
enum { FAILED_FIRST = 75, FAILED_LAST = 77 };

static int fail_mpi(situ_link *l, const char *what, int peer, int rc)
{
    char text[1024] = "";
    int length = 0;
    if (l->survives && !l->code) l->died = rc >= FAILED_FIRST && rc <= FAILED_LAST;
    l->mpi->Error_string(rc, text, &length);
    return situ_link_break(l, SITU_RANK_LOST, "rank %d: %s failed: %.400s", peer, what, text);
}

int situ_message_send(situ_link *l, situ_message *m, const void *data, size_t bytes, int peer, int tag)
{
    m->request = NULL;
    int rc = l->mpi->Isend(data, (int)bytes, l->mpi->byte, peer, tag, l->communicator, &m->request);
    m->open = !rc;
    return rc ? fail_mpi(l, "MPI_Isend", peer, rc) : 0;
}

int situ_message_receive(situ_link *l, situ_message *m, void *data, size_t bytes, int peer, int tag)
{
    m->request = NULL;
    int rc = l->mpi->Irecv(data, (int)bytes, l->mpi->byte, peer, tag, l->communicator, &m->request);
    m->open = !rc;
    return rc ? fail_mpi(l, "MPI_Irecv", peer, rc) : 0;
}

bool situ_message_done(situ_link *l, situ_message *m, int peer)
{
    int64_t status[SITU_MPI_STATUS_WORDS];
    int flag = 0;
    if (!m->open) return false;
    int rc = l->mpi->Test(&m->request, &flag, status);
    if (!rc && !flag) return false;
    m->open = false;
    if (rc) fail_mpi(l, "MPI_Test", peer, rc);
    return !rc;
}

/* ---- streams ------------------------------------------------------------------------------------------------------------- */

bool situ_stream_rides(const situ_stream *s) { return !s->result && s->bytes && s->bytes <= SITU_RIDE; }

void situ_stream_ride(situ_stream *s, char *packet)
{
    for (int i = 0; i < s->moves; i++) {
        const situ_move *m = &s->move[i];
        if (m->bytes) memcpy(s->out ? packet : m->data, s->out ? m->data : packet, m->bytes);
        packet += m->bytes;
    }
    s->at = s->ended = s->moves;
}

/* Starts pieces while the window has room. */
static void begin_pieces(situ_link *l, situ_stream *s)
{
    while (s->open < SITU_WINDOW && s->at < s->allowed && s->at < s->moves && !l->code) {
        const situ_move *m = &s->move[s->at];
        size_t bytes = situ_piece_bytes(m->bytes, s->offset);
        situ_message *message = &s->window[(s->first + s->open++) % SITU_WINDOW];
        char *data = (char *)m->data + s->offset;
        int tag = s->result ? SITU_TAG_RESULT : SITU_TAG_DATA;
        if (s->out) situ_message_send(l, message, data, bytes, s->peer, tag);
        else situ_message_receive(l, message, data, bytes, s->peer, tag);
        s->offset += bytes;
        message->last = s->offset == m->bytes;
        if (message->last) s->at++, s->offset = 0;
    }
}

bool situ_streams_move(situ_link *l, situ_exchange *e, int *idle)
{
    bool missing = false, ended = false;
    for (int i = 0; i < e->streams; i++) {
        situ_stream *s = &e->stream[i];
        if (s->ended == s->moves) continue;
        while (s->open && situ_message_done(l, &s->window[s->first], s->peer)) {
            ended |= s->window[s->first].last;
            s->ended += s->window[s->first].last;
            s->first = (s->first + 1) % SITU_WINDOW;
            s->open--;
            *idle = 0;
            l->moved = l->peer[s->peer].heard = situ_link_now();
        }
        begin_pieces(l, s);
        missing |= s->ended < s->moves;
    }
    if (!ended || !e->more) return missing;
    e->more(e);
    for (int i = 0; i < e->streams; i++)
        if (e->stream[i].ended < e->stream[i].moves) begin_pieces(l, &e->stream[i]);
    return true;
}
