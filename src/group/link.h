/* This process among the others, by MPI. A thread of the library calls MPI_Init and MPI_Finalize, since what these wait for may
 * never come, and hears the others while there is no call. Calls are made one at a time: by the thread of the job where MPI allows
 * that (level SERIALIZED), else by that thread, too, under a deadline.
 *
 * Every collective begins with a head from each process to each other one: what it calls, with which shape and dtype, at which
 * line. Small values ride in it. All other bytes follow when all heads are there and agree, so that no receive is posted for a
 * message that may be longer: Open MPI 4 and 5 write a longer message over the end of the buffer. */
#ifndef SITU_GROUP_LINK_H
#define SITU_GROUP_LINK_H

#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "group/mpi.h"

/* What is called: a row of `names` in exchange.c. */
typedef enum situ_call_kind {
    SITU_CALL_NONE,
    SITU_CALL_HELLO,
    SITU_CALL_BARRIER,
    SITU_CALL_ALL_REDUCE,
    SITU_CALL_TREE_SUM,
    SITU_CALL_REDUCE_SCATTER,
    SITU_CALL_ALL_GATHER,
    SITU_CALL_BROADCAST,
    SITU_CALL_SEND,
    SITU_CALL_RECEIVE,
    SITU_CALL_END
} situ_call_kind;

enum { SITU_RIDE = 4096, SITU_PIECE = 512 << 10, SITU_WINDOW = 4, SITU_EVERYBODY = -1 };

/* What the processes say of a call, and compare. */
typedef struct situ_head {
    uint64_t sequence;
    uint16_t call, dtype, ndim, reduction;
    int32_t card;  /* the bytes are on a card, and NCCL carries them */
    int32_t root;  /* of a broadcast; of a message: whom to */
    uint32_t ride; /* bytes behind the head */
    int64_t dim[8], shards;
    char line[128]; /* for the message alone */
} situ_head;

/* In how many pieces so many bytes go, and the bytes of the piece that begins at `at`. */
static inline int situ_pieces(size_t bytes) { return (int)((bytes + SITU_PIECE - 1) / SITU_PIECE); }
static inline size_t situ_piece_bytes(size_t bytes, size_t at) { return bytes - at < SITU_PIECE ? bytes - at : SITU_PIECE; }

/* Bytes from or to one process. */
typedef struct situ_move {
    void *data;
    size_t bytes;
} situ_move;

typedef struct situ_message {
    void *request; /* situ_mpi_handle */
    bool open;     /* sent or awaited, not done yet */
    bool last;     /* of its move */
} situ_message;

/* Moves in one direction to or from one process, whose sizes both know; they go in order, a few pieces of them at a time. */
typedef struct situ_stream {
    int peer;
    bool out;
    bool result; /* what is made of the other stream's bytes; it goes beside that one and never rides in the heads */
    situ_move *move;
    int moves, allowed; /* in all; and so many may begin */
    int at, ended;      /* the next one to begin; those done */
    size_t offset, bytes;
    situ_message window[SITU_WINDOW];
    int first, open;
} situ_stream;

/* One call of all processes, or of two. */
typedef struct situ_exchange {
    situ_head head;
    int partner;
    situ_stream *stream;
    int streams;
    const char *lost; /* this process has nothing to give, and why: the others hear it; else NULL */
    /* After each round in which moves ended, and once before: it allows others to begin. */
    void (*more)(struct situ_exchange *e);
    /* Or all of it goes another way, once the heads agree, and streams only ride in these: 0, or a code with its words. */
    int (*instead)(struct situ_exchange *e, char *why, size_t size);
    int64_t sent; /* bytes */
} situ_exchange;

typedef struct situ_link situ_link;

/* The link to all processes, or to those of the program's own communicator (a pointer to an MPI_Comm, or NULL); *out stays NULL
 * where the process is alone. `deadline` in seconds. A second call gives the same link. */
int situ_link_open(situ_link **out, const void *communicator, double deadline, situ_site site);
void situ_link_deadline(situ_link *link, double seconds);
int situ_link_rank(const situ_link *link);
int situ_link_size(const situ_link *link);
/* "Open MPI 4.1.4", or "Open MPI 4.1.4, cards by NCCL 2.30.7" */
const char *situ_link_engine(const situ_link *link);
double situ_link_seconds(const situ_link *link); /* the deadline */
/* Does NCCL go between the ranks' cards? -1: an error is raised, it is not the same on all of them. */
int situ_link_cards(const situ_link *link, const char *call, situ_site site);
/* For who waits inside of a call for something else than MPI, each turn: has another rank failed? 0, or a code with its words. */
int situ_link_meanwhile(situ_link *link, int idle, char *why, size_t size);
/* Makes the call and waits for its end: 0, or a code with the words in `why`; raises nothing, since any thread may call it. Fills
 * in the sequence and the line of the head. After an error of another process every call is that error. */
int situ_link_exchange(situ_link *link, situ_exchange *e, situ_site site, char *why, size_t size);
/* True, with an error, in a child of a fork: MPI is the parent's. */
bool situ_link_child(situ_site site);
/* What broke it: a code with the words, or 0. */
int situ_link_broken(situ_link *link, char *why, size_t size);
/* This process cannot go on: the others hear why, as an error of their next call, and so is every later call here. */
void situ_link_fail(situ_link *link, const char *why);
struct situ_group;
void situ_group_fail(const struct situ_group *group, const char *why);
bool situ_group_survives(const struct situ_group *group);
/* The group has other ranks then. */
bool situ_group_survive(struct situ_group *group, char *lost, size_t size);
bool situ_group_settled(const struct situ_group *group);
/* Does MPI let this process go on when another one dies? */
bool situ_link_survives(const situ_link *link);
/* After a call failed since a process died: waits until all calls that were made have failed, too, and makes the link anew of those
 * that are left, if they are more than half of it, or half with its rank 0. True: calls go on, with other ranks; `lost` says
 * who died; else why not, or nothing. Every one of them calls it. */
bool situ_link_survive(situ_link *link, char *lost, size_t size);
/* Have all that are left come to here? Else, on each of them, situ_link_survive is due. */
bool situ_link_settled(situ_link *link);
/* The thread of MPI does not answer: it may still write to what it was given. */
bool situ_link_stuck(void);
/* Whether the program may compute, and call MPI, while the thread of MPI works. */
bool situ_link_beside(void);
/* One call more (1) is due, or one less (-1): the end of the process waits until there are none. Returns how many there are. */
int situ_link_due(int change);
/* The public name of a call. */
const char *situ_call_name(situ_call_kind call);

/* ---- between link.c and exchange.c: in the thread of MPI ----------------------------------------------------------------- */

typedef struct situ_packet {
    situ_head head;
    char ride[SITU_RIDE];
} situ_packet;

typedef struct situ_peer {
    situ_packet in, out;
    int64_t alive_in, alive_out; /* not 0: the last one; 1: it ends well; 2: its program has told of a failure */
    int64_t last_words;          /* the last one that came; 0: none */
    situ_message in_message, out_message, alive_in_message, alive_out_message;
    int watch;            /* see situ_watch_open */
    int64_t looked, gone; /* when its process was looked for, and seen to have ended; 0: not */
    bool there;           /* in.head came, and nobody has taken it */
    bool end_told;        /* that this process ends */
    int64_t heard, told;  /* when something came, and when "alive" went */
} situ_peer;

struct situ_link {
    situ_mpi *mpi;
    situ_mpi_handle communicator;
    int rank, size;
    uint64_t sequence;
    _Atomic int64_t deadline; /* nanoseconds */
    _Atomic int64_t beat;     /* when its thread was last seen to run */
    int64_t moved;            /* when something came or went          */
    bool greeted;             /* the others run what runs here */
    int ends;                 /* all hear that it ends, well (1) or not (2) */
    bool survives;            /* see situ_link_survives               */
    _Atomic bool died;        /* what broke it is that a process died */
    bool revoked, agreed;     /* nobody waits in it any more; all know that it is left */
    bool shrunk;              /* it was made of what was left of another               */
    _Atomic int code;         /* what broke it, and the words; 0: whole */
    char why[1600];
    bool cards;       /* all ranks have the same NCCL         */
    char engine[160]; /* what carries the bytes               */
    char unlike[400]; /* why NCCL cannot be used              */
    situ_exchange *now;
    int (*instead)(situ_link *link, situ_exchange *e); /* what a call is, in place of MPI; NULL: MPI */
    situ_peer peer[];
};

/* Nanoseconds of a clock for deadlines. It stands while the process does (Ctrl-Z, a scheduler that suspends the job, a machine
 * asleep): between two looks at it, less than a second apart where anybody waits, it goes on by one second at most. */
int64_t situ_link_now(void);
/* One round of what goes on beside everything: heads and "alive" messages. True if something came. */
bool situ_link_pump(situ_link *link, bool alive);
/* 0, or the code that now breaks the link. */
int situ_link_call(situ_link *link, situ_exchange *e);
/* stream.c. What rides in the heads: the bytes of a stream, to a packet or from it. */
bool situ_stream_rides(const situ_stream *s);
void situ_stream_ride(situ_stream *s, char *packet);
/* One round over all streams: true while some are not at their end. *idle becomes 0 where something moved. */
bool situ_streams_move(situ_link *link, situ_exchange *e, int *idle);
enum { SITU_TAG_HEAD = 1, SITU_TAG_DATA = 2, SITU_TAG_ALIVE = 3, SITU_TAG_RESULT = 4 };
int situ_message_send(situ_link *link, situ_message *m, const void *data, size_t bytes, int peer, int tag);
int situ_message_receive(situ_link *link, situ_message *m, void *data, size_t bytes, int peer, int tag);
/* True: it is done now. */
bool situ_message_done(situ_link *link, situ_message *m, int peer);
/* Tells all that this process ends, and waits, as long as they live, until all others do so if `wait`. 0 or a code. */
int situ_link_end(situ_link *link, bool wait);
/* A turn of waiting until the programs of all others that still speak have said what they have to say of a failure: have they? */
bool situ_link_last_words(situ_link *l);
/* hydra.c. May MPI_Finalize hang in a world of this size? Where it may, and all ranks have ended well, situ_hydra_leave tells the
 * launcher so instead. It waits for the launcher's answers until the time `until` of situ_link_now. */
bool situ_hydra_needed(const situ_mpi *m, int size);
void situ_hydra_leave(situ_link *l, int64_t until);
/* watch.c. A process, as another one is told of it. */
typedef struct situ_process {
    situ_hash machine; /* the run of a kernel, and the processes that see each other there */
    int64_t pid, start;
} situ_process;
situ_process situ_watch_own(void);
/* Of a process of this machine, a descriptor by which the kernel tells its end; 0: it is of another one, or the kernel cannot. */
int situ_watch_open(const situ_process *own, const situ_process *other);
bool situ_watch_ended(int watch);
/* survive.c. Nobody waits in it any more, nor do messages of this process: those of e (or NULL) are done, too. */
void situ_link_leave(situ_link *l, situ_exchange *e);
/* Whether all that are left say so; false: the next thing that each of them does is to shrink. */
bool situ_link_agree(situ_link *l, bool well);
/* The link of those that are left, and in `lost` who is not; 0 or a code. */
int situ_link_shrink(situ_link *l, char *lost, size_t size);
int situ_link_break(situ_link *link, int code, const char *format, ...) SITU_PRINTF(3, 4);
/* A turn of a loop that waits; `idle` counts the ones in which nothing came. */
void situ_link_rest(int *idle);

#endif
