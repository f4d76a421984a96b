#ifndef SITU_GROUP_GROUP_H
#define SITU_GROUP_GROUP_H

#include <situ/group.h>

#include "base/handle.h"
#include "group/cards.h"
#include "group/fold.h"
#include "group/link.h"
#include "nn/collectives.h"
#include "run/borrow.h"

struct situ_group {
    situ_handle handle;
    situ_link *link; /* NULL: a group of one rank */
    int rank, size;
};

/* For base/parts.h. */
extern const situ_collectives situ_group_collectives;
/* Checks group and operand (or NULL), and turns a number into a tensor. False with an error. */
bool situ_group_take(const situ_group *g, situ_tensor **x, situ_call_kind call, situ_site site);

/* One collective call (or a send or receive), from its start in the calling thread to its end in any thread. It runs
 * as a job of the group's own CPU queue, so calls run in the order in which they were made, beside what the program
 * computes. Its result is stored memory; readers wait for the job. If NCCL connects the ranks' cards, operands and
 * result stay on the cards and only the headers go through MPI. Then the card's queue gets a job that waits for the
 * call, and readers of the result are queued after it. */
typedef struct situ_collective {
    situ_exchange e; /* must be the first member: e.more gets a pointer to it */
    situ_link *link;
    situ_site site;
    const char *speaker;
    situ_borrow *own; /* the operands that it reads */
    int owns;
    situ_buffer *out; /* NULL: no result */
    char *data;       /* the result's memory on the host */
    char *copy;       /* position of this rank's own operand in the result; NULL: it is not copied there */
    situ_folding fold;
    situ_cards *cards;      /* NULL: through host memory */
    situ_dev *dev;          /* the device of operands and result */
    situ_device_move *move; /* transfers between cards; none: one NCCL call does it all */
    int moves;
    size_t elements; /* elements of the operand of that NCCL call */
    bool loose;      /* messages under way may still access its memory */
    struct situ_outbox *outbox;
    struct situ_failure **report; /* where a caller that waits for the end gets the error ... */
    double *when;                 /* ... and the virtual time */
} situ_collective;

/* A new call with all ranks (SITU_EVERYBODY) or one partner, with capacity for so many operands, streams and moves;
 * calls between cards need no streams and moves. NULL with an error. */
situ_collective *situ_collective_new(const situ_group *g, situ_call_kind call, const situ_tensor *like, int partner, int owns,
    int streams, int64_t moves, situ_site site);
/* Starts computing the operand into row-major memory, from which it is sent. 0 or a negative code. */
int situ_collective_operand(situ_collective *c, situ_tensor *x);
/* Creates the result tensor, whose memory the call fills; NULL with an error. */
situ_tensor *situ_collective_result(situ_collective *c, situ_dtype dtype, situ_shape shape);
/* Adds a stream with room for `moves` moves; and adds a move to the end of the stream (nothing is added for 0 bytes). */
situ_stream *situ_collective_stream(situ_collective *c, int peer, bool out, int moves);
void situ_collective_move(situ_collective *c, situ_stream *s, void *data, size_t bytes);
/* Between cards. The first: one NCCL call on `elements` elements, in which this rank sends `sends` bytes. The others:
 * room for moves (0 or a negative code), and one move to or from a rank. */
void situ_collective_by_card(situ_collective *c, size_t elements, size_t sends);
int situ_collective_moves(situ_collective *c, int moves);
void situ_collective_card_move(situ_collective *c, int peer, bool out, void *data, size_t bytes);
/* Submits the call to the queue and records its bytes in the ledger. Waits for its end if `wait`, or if the program's
 * MPI does not support several threads. 0 or a negative code. The call is freed, whether it started or not. */
int situ_collective_start(situ_collective *c, bool wait);
void situ_collective_drop(situ_collective *c);
/* Waits for all calls of this thread; the first failure becomes the thread's error. Does nothing if there is an error
 * already. */
void situ_collectives_wait(void);

/* Returns y, the result of a started call. If an error occurred after the start (out of memory for y, for example),
 * the group has failed: the other ranks count this call as made, so a second try would be taken for the next call. */
situ_tensor *situ_group_give(situ_group *g, situ_tensor *y);

/* Gradient of a sum, for the sum of all ranks' losses: the all_reduce sum of the ranks' gradients. */
void situ_group_vjp_sum(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out);

#endif
