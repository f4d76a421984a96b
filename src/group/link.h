/* The link: this process's connection to the other ranks, by MPI. A thread of the library calls MPI_Init and
 * MPI_Finalize, because what these wait for may never happen; it also receives heartbeats while there is no call.
 * Calls run one at a time: in the thread of the job if MPI allows that (level SERIALIZED), else in the MPI thread,
 * with a deadline.
 *
 * Every collective begins with a header from each process to each other one: the operation, shape, dtype and line of
 * the call. Small values travel with the header. All other bytes follow once all headers have arrived and match. So no
 * receive is ever posted for a message that may be longer than its buffer: Open MPI 4 and 5 write such a message past
 * the end of the buffer. */
#ifndef SITU_GROUP_LINK_H
#define SITU_GROUP_LINK_H

#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "group/mpi.h"

/* The operation of a call. */
#define CALL(kind, ...) SITU_CALL_##kind,
typedef enum situ_call_kind {
    SITU_CALL_NONE,
    SITU_CALL_HELLO,
#include "group/calls.def"
    SITU_CALL_END
} situ_call_kind;
#undef CALL

enum { SITU_RIDE = 4096, SITU_PIECE = 512 << 10, SITU_WINDOW = 4, SITU_EVERYBODY = -1 };

/* The header of a call, which the processes exchange and compare. */
typedef struct situ_head {
    uint64_t sequence;
    uint16_t call, dtype, ndim, reduction;
    int32_t card;  /* 1: the tensor is on a card, and NCCL transfers it */
    int32_t root;  /* broadcast: its root; send: the receiver */
    uint32_t ride; /* bytes of the payload after the header */
    double clock;  /* virtual seconds at which this rank takes part */
    int64_t dim[8], shards;
    char line[128]; /* the source line, only for error messages */
} situ_head;

/* The number of pieces in which `bytes` bytes are sent, and the size of the piece that begins at `at`. */
static inline int situ_pieces(size_t bytes) { return (int)((bytes + SITU_PIECE - 1) / SITU_PIECE); }
static inline size_t situ_piece_bytes(size_t bytes, size_t at) { return bytes - at < SITU_PIECE ? bytes - at : SITU_PIECE; }

/* Bytes to send to, or receive from, one process. */
typedef struct situ_move {
    void *data;
    size_t bytes;
} situ_move;

typedef struct situ_message {
    void *request; /* a situ_mpi_handle */
    bool open;     /* posted and not finished */
    bool last;     /* the last piece of its move */
} situ_message;

/* Moves in one direction to or from one process; both sides know their sizes. They are transferred in order, a few
 * pieces at a time. */
typedef struct situ_stream {
    int peer;
    bool out;
    bool result; /* carries results of what the other streams bring; it runs beside them and never travels with a header */
    situ_move *move;
    int moves, allowed; /* number of moves, and how many of them may start so far */
    int at, ended;      /* index of the next move to start; number of finished moves */
    size_t offset, bytes;
    situ_message window[SITU_WINDOW];
    int first, open;
} situ_stream;

/* One call, of all processes or of two. */
typedef struct situ_exchange {
    situ_head head;
    int partner;
    situ_stream *stream;
    int streams;
    const char *lost; /* not NULL: this process has no operand because of this error, which the others receive */
    /* Called once at the start and after each round in which moves ended: it may allow further moves to start. */
    void (*more)(struct situ_exchange *e);
    /* If set, transfers everything after the headers match (streams then only travel with headers): 0, or a code with
     * the message. */
    int (*instead)(struct situ_exchange *e, char *why, size_t size);
    int64_t sent; /* bytes that this process sends */
    double clock; /* virtual seconds at which all that take part do so: a message takes the later of two clocks */
} situ_exchange;

typedef struct situ_link situ_link;

/* Opens the link to all processes, or to those of the program's communicator (a pointer to an MPI_Comm, or NULL). *out
 * stays NULL if the process is alone. `deadline` in seconds. A second call returns the same link. */
int situ_link_open(situ_link **out, const void *communicator, double deadline, situ_site site);
void situ_link_deadline(situ_link *link, double seconds);
int situ_link_rank(const situ_link *link);
int situ_link_size(const situ_link *link);
/* "Open MPI 4.1.4", or "Open MPI 4.1.4, cards by NCCL 2.30.7" */
const char *situ_link_engine(const situ_link *link);
double situ_link_seconds(const situ_link *link); /* the deadline, in seconds */
/* 1: NCCL connects the ranks' cards; 0: it does not; -1: the ranks differ, and an error is raised. */
int situ_link_cards(const situ_link *link, const char *call, situ_site site);
/* To be called in each turn of a loop that waits for something other than MPI: 0, or the error of another rank, with
 * its message. */
int situ_link_meanwhile(situ_link *link, int idle, char *why, size_t size);
/* Makes the call and waits for its end: 0, or a code with the message in `why`. It raises no error, since any thread
 * may call it. It sets the header's sequence number and line. After an error of another process every call returns
 * that error. */
int situ_link_exchange(situ_link *link, situ_exchange *e, situ_site site, char *why, size_t size);
/* True, with an error, in a forked child: MPI belongs to the parent. */
bool situ_link_child(situ_site site);
/* The error that broke the link, with its message, or 0. */
int situ_link_broken(situ_link *link, char *why, size_t size);
/* Breaks the link because of an error here: the other ranks get the message as the error of their next call, and every
 * later call here fails. */
void situ_link_fail(situ_link *link, const char *why);
struct situ_group;
void situ_group_fail(const struct situ_group *group, const char *why);
bool situ_group_survives(const struct situ_group *group);
/* Continues with the ranks that are left; they may have new numbers. */
bool situ_group_survive(struct situ_group *group, char *lost, size_t size);
bool situ_group_settled(const struct situ_group *group);
/* Can this process continue when another one dies (ULFM)? */
bool situ_link_survives(const situ_link *link);
/* After a call failed because a process died: waits until all started calls have failed, and makes a new link of the
 * survivors, if they are more than half of the old link, or half with its rank 0. True: calls continue, with other
 * ranks, and `lost` names the dead ones. False: `lost` has the reason, if there is one. Every survivor calls it. */
bool situ_link_survive(situ_link *link, char *lost, size_t size);
/* True if all ranks that are left have reached this point; else each of them has to call situ_link_survive. */
bool situ_link_settled(situ_link *link);
/* The MPI thread does not answer; it may still write to the memory of its job. */
bool situ_link_stuck(void);
/* True if the program may compute, and call MPI, while the MPI thread works. */
bool situ_link_beside(void);
/* Counts a started call (1) or an ended one (-1), and returns how many are under way. The end of the process waits for
 * them. */
int situ_link_due(int change);
/* The public name of the function. */
const char *situ_call_name(situ_call_kind call);

/* ---- between link.c and exchange.c: in the MPI thread ---------------------------------------------------------------------- */

typedef struct situ_packet {
    situ_head head;
    char ride[SITU_RIDE];
} situ_packet;

typedef struct situ_peer {
    situ_packet in, out;
    int64_t alive_in, alive_out; /* heartbeats; 0: alive, 1: last one, it ended well, 2: last one, its program has reported a
                                  * failure */
    int64_t last_words;          /* the last heartbeat that came (1 or 2); 0: none yet */
    situ_message in_message, out_message, alive_in_message, alive_out_message;
    int watch;                /* see situ_watch_open */
    int64_t looked, gone;     /* when its process was last checked, and when it was seen to have ended; 0: never */
    bool header_arrived;      /* in.head has arrived and has not been used yet */
    bool end_told;            /* the end of this process has been sent to it */
    int64_t heard, last_sent; /* time of its last message, and of the last heartbeat sent to it */
} situ_peer;

struct situ_link {
    situ_mpi *mpi;
    situ_mpi_handle communicator;
    int rank, size;
    uint64_t sequence;
    _Atomic int64_t deadline; /* nanoseconds */
    _Atomic int64_t beat;     /* when the thread last showed that it runs */
    int64_t moved;            /* when bytes last came or went */
    bool greeted;             /* the ranks have been compared: they run the same program */
    int ends;                 /* the end of this process is announced: well (1) or not (2) */
    bool survives;            /* see situ_link_survives               */
    _Atomic bool died;        /* the error is the death of a process */
    bool revoked, agreed;     /* revoked: nobody waits in it any more; agreed: all survivors know that it will be replaced */
    bool shrunk;              /* made of the survivors of another link */
    _Atomic int code;         /* the error that broke it, with its message; 0: intact */
    char why[1600];
    bool cards;       /* all ranks have the same NCCL         */
    char engine[160]; /* name and version of MPI (and NCCL) */
    char unlike[400]; /* the reason why NCCL cannot be used */
    situ_exchange *now;
    int (*instead)(situ_link *link, situ_exchange *e); /* replaces MPI in calls (pretend.c); NULL: MPI */
    situ_peer peer[];
};

/* Nanoseconds of a clock for deadlines. It stops while the process is suspended (Ctrl-Z, a scheduler, a sleeping
 * machine): between two readings, which are less than a second apart while anybody waits, it advances by one second at
 * most. */
int64_t situ_link_now(void);
/* One round of receiving headers and, with `alive`, heartbeats. True if a header came. */
bool situ_link_pump(situ_link *link, bool alive);
/* Makes one call: 0, or the code that now breaks the link. */
int situ_link_call(situ_link *link, situ_exchange *e);
/* stream.c. May the bytes of this stream travel with a header? And: copies them to the packet, or from it. */
bool situ_stream_rides(const situ_stream *s);
void situ_stream_ride(situ_stream *s, char *packet);
/* One round over all streams: true while some are unfinished. Sets *idle to 0 if bytes moved. */
bool situ_streams_move(situ_link *link, situ_exchange *e, int *idle);
enum { SITU_TAG_HEAD = 1, SITU_TAG_DATA = 2, SITU_TAG_ALIVE = 3, SITU_TAG_RESULT = 4 };
int situ_message_send(situ_link *link, situ_message *m, const void *data, size_t bytes, int peer, int tag);
int situ_message_receive(situ_link *link, situ_message *m, void *data, size_t bytes, int peer, int tag);
/* True if the message has just been completed. */
bool situ_message_done(situ_link *link, situ_message *m, int peer);
/* Announces the end of this process to all. With `wait`, waits until all others end, as long as they live. 0 or a
 * code. */
int situ_link_end(situ_link *link, bool wait);
/* One turn of waiting for the other ranks' last messages about a failure: true when all living ones have sent theirs. */
bool situ_link_last_words(situ_link *l);
/* hydra.c. May MPI_Finalize hang in a world of this size? If so, and all ranks have ended well, situ_hydra_leave tells
 * the launcher instead. It waits for the launcher's answers until the time `until` of situ_link_now. */
bool situ_hydra_needed(const situ_mpi *m, int size);
void situ_hydra_leave(situ_link *l, int64_t until);
/* watch.c. Identifies a process; sent to the other ranks. */
typedef struct situ_process {
    situ_hash machine; /* hash of the kernel's boot and of the PID namespace: equal if processes can see each other */
    int64_t pid, start;
} situ_process;
situ_process situ_watch_own(void);
/* A descriptor that becomes readable when `other` ends, if it runs on this machine. 0: another machine, or the kernel
 * has none. */
int situ_watch_open(const situ_process *own, const situ_process *other);
/* survive.c. Revokes the link, so that nobody waits in it any more, and completes this process's messages, also those
 * of e (or NULL). */
void situ_link_leave(situ_link *l, situ_exchange *e);
/* True if all survivors pass `well`. False: each of them shrinks the link next. */
bool situ_link_agree(situ_link *l, bool well);
/* Makes the link of the survivors, and writes the dead ranks to `lost`; 0 or a code. */
int situ_link_shrink(situ_link *l, char *lost, size_t size);
int situ_link_break(situ_link *link, int code, const char *format, ...) SITU_PRINTF(3, 4);

#endif
