/* The card of this rank among those of the others: a communicator of NCCL, which begins with the first collective of a tensor on
 * it. What its ranks need to find each other rides in the heads of that one. Those who send and receive have one of two ranks. */
#ifndef SITU_GROUP_CARDS_H
#define SITU_GROUP_CARDS_H

#include "group/nccl.h"

typedef struct situ_cards situ_cards;

/* Of the card that a tensor of this device is on, with all ranks or with one. NULL: its bytes go by the host's memory, or an
 * error. */
situ_cards *situ_cards_of(situ_link *link, situ_device device, int partner, situ_call_kind call, situ_site site);
situ_dev *situ_cards_device(const situ_cards *s);
/* This rank's place in the communicator; and how many there are. */
int situ_cards_rank(const situ_cards *s);
int situ_cards_ranks(const situ_cards *s);
/* The place of a rank of the group. */
int situ_cards_place(const situ_cards *s, int rank);
/* What rides in the heads of its first call: bytes that go out to all others in the communicator (*out), or come in from its first
 * rank; 0: it has begun. Then it counts as begun. -1: an error. */
int situ_cards_identity(situ_cards *s, bool *out, char **bytes, situ_site site);
/* In the job, when the heads agree: 0, or a negative code with its words. */
int situ_cards_open(situ_cards *s, situ_nccl **out, char *why, size_t size);

#endif
