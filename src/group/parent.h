#ifndef SITU_GROUP_PARENT_H
#define SITU_GROUP_PARENT_H

/* The process of this rank that started this one, or a process above it, and is in MPI already; 0: there is none. */
int situ_rank_above(void);

#endif
