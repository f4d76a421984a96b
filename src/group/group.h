#ifndef SITU_GROUP_GROUP_H
#define SITU_GROUP_GROUP_H

#include <situ/group.h>

#include "base/handle.h"
#include "group/link.h"
#include "run/borrow.h"

struct situ_group {
    situ_handle handle;
    situ_link *link; /* NULL: one rank */
    int rank, size;
};

/* Checks group and operand (or NULL); a number becomes a tensor. False with an error. */
bool situ_group_take(const situ_group *g, situ_tensor **x, situ_call_kind call, situ_site site);

/* One call of all ranks: what it is, and what goes where. */
typedef struct situ_exchange {
    situ_head head;
    int partner, moves;
    situ_move *move;
    int64_t sent; /* bytes */
} situ_exchange;
void situ_exchange_begin(situ_exchange *e, situ_call_kind call, const situ_tensor *x);
void situ_exchange_move(situ_exchange *e, int peer, bool out, void *data, size_t bytes);
/* Makes the call and notes it in ledger and trace; 0 or a negative code. */
int situ_exchange_run(situ_exchange *e, const situ_group *g, situ_site site);
void situ_exchange_end(situ_exchange *e);

/* A tensor of the CPU whose memory is filled by who asks; NULL with an error. */
situ_tensor *situ_group_room(situ_dtype dtype, situ_shape shape, char **data, situ_site site);
/* The values of x, row-major in the host's memory, until they are given back. 0 or a negative code. */
int situ_group_values(situ_tensor *x, situ_borrow *out, situ_site site);
void situ_group_return(situ_borrow *b);

#endif
