/* A queue of a device: jobs run one at a time, in order, on a thread of the queue's own. */
#ifndef SITU_BASE_QUEUE_H
#define SITU_BASE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct situ_queue situ_queue;

/* The worker starts with the first push. NULL and an error when memory is gone. With patience, a job that finds the
 * worker asleep wakes it only a little later, and whoever waits for the job before that runs it: the work of a host's own
 * processor, whose result is most often read at once, then has no way to another core and back. */
situ_queue *situ_queue_new(const char *name, bool patience);
/* Runs what was pushed, then joins the worker. NULL is allowed. */
void situ_queue_free(situ_queue *queue);

/* Appends a job; *sequence (may be NULL) gets its number: 1, 2, 3, ... Returns 0 or a negative code. */
int situ_queue_push(situ_queue *queue, void (*run)(void *argument), void *argument, uint64_t *sequence);
/* The same of a job for which the worker waits by wait(object, word) before it begins it. Meanwhile, with patience, whoever waits
 * for the job runs it, also from inside a job of another queue: what it waits for must have been pushed before it, as those have
 * that wait for it after it. */
int situ_queue_push_after(situ_queue *queue, void (*wait)(void *object, uint64_t word), void *object, uint64_t word,
    void (*run)(void *argument), void *argument, uint64_t *sequence);
/* Makes room for one more job, so that the next push cannot fail. */
int situ_queue_reserve(situ_queue *queue);
/* If all jobs are done and nobody runs one inline: runs this one in the caller, numbers it, returns 1; else 0. */
int situ_queue_run_inline(situ_queue *queue, void (*run)(void *argument), void *argument, uint64_t *sequence);

/* The number of the last job done; what that job wrote is visible to the caller. */
uint64_t situ_queue_done(situ_queue *queue);
/* The number of the last job pushed. */
uint64_t situ_queue_last(situ_queue *queue);
/* Returns when job number `sequence` is done. Not from inside a job of the same queue for a job not before it. */
void situ_queue_wait(situ_queue *queue, uint64_t sequence);
/* Waits for so many nanoseconds at most, and runs no job itself; is it done? */
bool situ_queue_wait_for(situ_queue *queue, uint64_t sequence, int64_t nanoseconds);
/* Whether the calling thread is running a job of this queue. */
bool situ_queue_inside(situ_queue *queue);

/* In a child after fork: the worker is gone and so is what was pushed; all numbers given count as done. */
void situ_queue_after_fork(situ_queue *queue);

#endif
