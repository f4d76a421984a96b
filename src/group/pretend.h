/* A group of many ranks of which only the first is there, for `situ simulate`: nothing is moved, and what others would send is what
 * this rank sends. So the work of a rank takes as long as it does, and the trace has what each exchange would move. */
#ifndef SITU_GROUP_PRETEND_H
#define SITU_GROUP_PRETEND_H

#include "group/link.h"

/* SITU_SIMULATE_RANKS, or 0. */
int situ_pretend_ranks(void);
int situ_pretend_open(situ_link **out, situ_site site);

#endif
