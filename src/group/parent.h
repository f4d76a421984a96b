#ifndef SITU_GROUP_PARENT_H
#define SITU_GROUP_PARENT_H

/* The PID of a parent or ancestor process that is a rank in MPI; 0: there is none. */
int situ_rank_above(void);

#endif
