#ifndef SITU_GROUP_GROUP_H
#define SITU_GROUP_GROUP_H

#include <situ/group.h>

#include "base/handle.h"
#include "group/cards.h"
#include "group/fold.h"
#include "group/link.h"
#include "run/borrow.h"

struct situ_group {
    situ_handle handle;
    situ_link *link; /* NULL: one rank */
    int rank, size;
};

/* Checks group and operand (or NULL); a number becomes a tensor. False with an error. */
bool situ_group_take(const situ_group *g, situ_tensor **x, situ_call_kind call, situ_site site);

/* One call of all ranks (or of two), from its start in the thread that calls to its end, wherever that is. It is a job of the
 * group's own lane of the CPU, so that calls run in the order in which they were made, beside what the program computes; its result
 * is stored memory whose readers wait for that job. Where NCCL goes between the ranks' cards, operands and result stay on these,
 * the heads alone go by MPI, and the card's own queue has a job that waits for the call, which those of its readers come behind. */
typedef struct situ_collective {
    situ_exchange e; /* first: what e.more gets */
    situ_link *link;
    situ_site site;
    const char *speaker;
    situ_borrow *own; /* operands that it reads */
    int owns;
    situ_buffer *out; /* NULL: no result */
    char *data;       /* of the result   */
    char *copy;       /* where in it the operand itself is to lie; NULL: nowhere */
    situ_folding fold;
    situ_cards *cards;      /* NULL: by the host's memory                              */
    situ_dev *dev;          /* where operands and result are                           */
    situ_device_move *move; /* what goes from card to card; none: NCCL's own call      */
    int moves;
    size_t elements; /* of the operand of that                                  */
    bool loose;      /* something may still write to its memory                 */
    struct situ_outbox *outbox;
    struct situ_failure **report; /* of a caller that waits for its end */
} situ_collective;

/* With SITU_EVERYBODY or one rank, with room for so many operands, and for that many streams and moves, of which calls between
 * cards need none; NULL with an error. */
situ_collective *situ_collective_new(const situ_group *g, situ_call_kind call, const situ_tensor *like, int partner, int owns,
    int streams, int64_t moves, situ_site site);
/* Starts computing the operand, in row-major order, in the memory that it goes from. 0 or a negative code. */
int situ_collective_operand(situ_collective *c, situ_tensor *x);
/* Its result: a tensor whose memory it fills; NULL with an error. */
situ_tensor *situ_collective_result(situ_collective *c, situ_dtype dtype, situ_shape shape);
/* A stream for `moves` moves, and a move for its end, which may have no bytes: then there is none. */
situ_stream *situ_collective_stream(situ_collective *c, int peer, bool out, int moves);
void situ_collective_move(situ_collective *c, situ_stream *s, void *data, size_t bytes);
/* Between cards: NCCL's own call, of an operand of so many elements, where this rank sends so many bytes; or room for moves (0 or a
 * negative code), and a move to or from a rank. */
void situ_collective_by_card(situ_collective *c, size_t elements, size_t sends);
int situ_collective_moves(situ_collective *c, int moves);
void situ_collective_card_move(situ_collective *c, int peer, bool out, void *data, size_t bytes);
/* Gives it to the lane, and the ledger its bytes. Waits for its end if `wait`, or where the program's MPI is not for several
 * threads; 0 or a negative code. It is gone afterwards, started or not. */
int situ_collective_start(situ_collective *c, bool wait);
void situ_collective_drop(situ_collective *c);
/* What this thread has called has ended; what went wrong is its error. Nothing with an error before. */
void situ_collectives_wait(void);

/* y, what a call gives that has begun. With an error, as that there is no memory for y, the group has failed: the others have had
 * this call, and would take the next one here, a second try perhaps, for the one after it. */
situ_tensor *situ_group_give(situ_group *g, situ_tensor *y);

/* Gradients, of the sum of all ranks' losses: the sum of theirs. */
void situ_group_vjp_sum(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out);

#endif
