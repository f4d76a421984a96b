/* A plan bound to memory of its own. It runs in the calling thread: without the planner, an allocation, a lock or a call of
 * the system. The values of variables are looked up by whoever changes them: the job that has computed new values gives
 * each bound plan that reads them a table of addresses, by one exchange of a number. */
#ifndef SITU_RUN_BOUND_H
#define SITU_RUN_BOUND_H

#include "graph/record.h"
#include "run/launch.h"

typedef struct situ_bound situ_bound;

/* Plans the `results` and binds what they are computed from. What is stored and no variable's value stays where it is;
 * the caller may write there between two runs. NULL with an error, also if the results are not on the CPU alone or one of
 * them needs no memory of its own (a view, a leaf, or the same as another). `function` is named by messages. */
situ_bound *situ_bound_new(situ_tensor *const *result, int results, const char *function, situ_site site);
void situ_bound_free(situ_bound *b);
/* Runs it; 0 or a negative code, without an error in the thread. One thread at a time. */
int situ_bound_run(situ_bound *b);
/* Where result i is after a run, contiguous. */
char *situ_bound_result(const situ_bound *b, int i);

/* New values of variables, l->fresh, are on device `device` of the launch: bound plans get them. */
void situ_bound_publish(const situ_launch *l, int device);

#endif
