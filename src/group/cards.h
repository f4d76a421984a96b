/* NCCL communicators that connect the card of this rank with the cards of other ranks. A communicator is opened by the
 * first collective of a tensor on the card; the identity that its ranks need to find each other is sent along with the
 * headers of that collective. Send and receive use communicators of two ranks. */
#ifndef SITU_GROUP_CARDS_H
#define SITU_GROUP_CARDS_H

#include "group/card_calls.h"

typedef struct situ_cards situ_cards;

/* The communicator for the card that holds a tensor of this device: with all ranks, or with one partner. NULL: the
 * bytes go through host memory, or there was an error. */
situ_cards *situ_cards_of(situ_link *link, situ_device device, int partner, situ_call_kind call, situ_site site);
situ_dev *situ_cards_device(const situ_cards *s);
/* This rank's number within the communicator, and the number of its ranks. */
int situ_cards_rank(const situ_cards *s);
int situ_cards_ranks(const situ_cards *s);
/* The number within the communicator of a rank of the group. */
int situ_cards_place(const situ_cards *s, int rank);
/* For the first call of a communicator: the identity that travels with the headers. *out: it is sent to all others
 * (from *bytes), else it is received from the communicator's first rank. Returns its size; 0 if the communicator is
 * open already, -1 on an error. From then on it counts as open. */
int situ_cards_identity(situ_cards *s, bool *out, char **bytes, situ_site site);
/* Opens the communicator, inside the job, once all headers match: 0, or a negative code with the message in `why`. */
int situ_cards_open(situ_cards *s, situ_nccl **out, char *why, size_t size);

#endif
