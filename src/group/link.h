/* This process among the others, by MPI. One thread of the library makes all calls of MPI, from MPI_Init to MPI_Finalize; who wants
 * something of it waits, under a deadline, since what MPI waits for may never come.
 *
 * Every collective begins with a head from each process to each other one: what it calls, with which shape and dtype, at which
 * line. Small values ride in it. All other bytes follow when all heads are there and agree, so that no receive is posted for a
 * message that may be longer: Open MPI 4 and 5 write a longer message over the end of the buffer. */
#ifndef SITU_GROUP_LINK_H
#define SITU_GROUP_LINK_H

#include <stdint.h>

#include "base/error.h"
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

enum { SITU_RIDE = 4096, SITU_EVERYBODY = -1 };

/* What the processes say of a call, and compare. */
typedef struct situ_head {
    uint64_t sequence;
    uint16_t call, dtype, ndim, reduction;
    uint32_t second;       /* 1: what comes after the sum, in the same call */
    int32_t root;          /* of a broadcast; of a message: whom to */
    uint32_t ride, unused; /* bytes behind the head             */
    int64_t dim[8], shards;
    char line[128]; /* for the message alone */
} situ_head;

/* Bytes from or to one process. Between two processes both have the same list of sizes. */
typedef struct situ_move {
    int peer;
    bool out;
    void *data;
    size_t bytes;
} situ_move;

typedef struct situ_link situ_link;

/* The link to all processes, or to those of the program's own communicator (a pointer to an MPI_Comm, or NULL); *out stays NULL
 * where the process is alone. `deadline` in seconds. A second call gives the same link. */
int situ_link_open(situ_link **out, const void *communicator, double deadline, situ_site site);
void situ_link_deadline(situ_link *link, double seconds);
int situ_link_rank(const situ_link *link);
int situ_link_size(const situ_link *link);
/* "Open MPI 4.1.4" */
const char *situ_link_engine(const situ_link *link);
/* Calls with all others, or with the one `partner`, and waits until all of the moves are made. Fills in the sequence and the line
 * of the head. After an error of another process every call is that error. */
int situ_link_exchange(situ_link *link, situ_head *head, int partner, const situ_move *move, int moves, situ_site site);
/* The thread of MPI does not answer: it may still write to what it was given. */
bool situ_link_stuck(void);
/* The public name of a call. */
const char *situ_call_name(situ_call_kind call);

/* ---- between link.c and exchange.c: in the thread of MPI ----------------------------------------------------------------- */

typedef struct situ_message {
    situ_mpi_handle request;
    bool open; /* sent or awaited, not done yet */
} situ_message;

enum { SITU_WINDOW = 4 };
/* One direction to one process: pieces in order, a few of them under way. */
typedef struct situ_lane {
    int peer, at; /* the next move to look at */
    bool out;
    size_t offset, bytes; /* done of that move; of all its moves */
    situ_message window[SITU_WINDOW];
    int first, open;
} situ_lane;

typedef struct situ_packet {
    situ_head head;
    char ride[SITU_RIDE];
} situ_packet;

typedef struct situ_peer {
    situ_packet in, out;
    int64_t alive_in, alive_out; /* 1: the last one */
    situ_message in_message, out_message, alive_in_message, alive_out_message;
    bool there; /* in.head came, and nobody has taken it */
    bool alive_ended;
    int64_t heard, told; /* when something came, and when "alive" went */
} situ_peer;

struct situ_link {
    situ_mpi *mpi;
    situ_mpi_handle communicator;
    int rank, size;
    uint64_t sequence;
    _Atomic int64_t deadline; /* nanoseconds */
    _Atomic int64_t beat;     /* when its thread was last seen to run */
    int64_t moved;            /* when something came or went          */
    bool end_told;            /* all know that it ends or is broken   */
    int code;                 /* what broke it, and the words; 0: whole */
    char why[1600];
    int partner;
    const situ_move *move;
    int moves;
    situ_lane *lane; /* [2 * size] */
    situ_peer peer[];
};

/* One round of what goes on beside everything: heads and "alive" messages. True if something came. */
bool situ_link_pump(situ_link *link, bool alive);
/* 0, or the code that now breaks the link. */
int situ_link_call(situ_link *link, situ_head *head);
/* Tells all that this process ends, and waits, as long as they live, until all others do so if `wait`. 0 or a code. */
int situ_link_end(situ_link *link, bool wait);
int situ_link_break(situ_link *link, int code, const char *format, ...) SITU_PRINTF(3, 4);
/* A turn of a loop that waits; `idle` counts the ones in which nothing came. */
void situ_link_rest(int *idle);

#endif
