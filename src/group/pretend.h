/* A group of many ranks of which only rank 0 exists, for `situ simulate`. Nothing is transferred; what other ranks
 * would send is replaced by what this rank sends. So this rank's work takes its real time, and the trace shows what
 * each exchange would transfer. */
#ifndef SITU_GROUP_PRETEND_H
#define SITU_GROUP_PRETEND_H

#include "group/link.h"

/* SITU_SIMULATE_RANKS, or 0. */
int situ_pretend_ranks(void);
int situ_pretend_open(situ_link **out, situ_site site);

#endif
