/* A queue of a device: jobs run one at a time, in order, on the queue's own thread. On a system
 * without threads the thread that pushes a job runs it. */
#ifndef SITU_BASE_QUEUE_H
#define SITU_BASE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct situ_queue situ_queue;

/* The worker thread starts with the first push. NULL, with an error, if memory ran out. `patience` is for work of the
 * host's own processor, whose result is usually read at once: a job wakes a sleeping worker only after a delay, and a
 * thread that waits for the job meanwhile runs it itself, which saves the way to another core and back. */
situ_queue *situ_queue_new(const char *name, bool patience);
/* Runs what was pushed, then joins the worker. NULL is allowed. */
void situ_queue_free(situ_queue *queue);

/* Appends a job; *sequence (may be NULL) gets its number: 1, 2, 3, ... Returns 0 or a negative code. */
int situ_queue_push(situ_queue *queue, void (*run)(void *argument), void *argument, uint64_t *sequence);
/* Pushes a job before which the worker calls wait(object, word). With patience, a thread that waits for the job runs
 * it meanwhile, also from inside a job of another queue. For that, what the job waits for must have been pushed
 * earlier. */
int situ_queue_push_after(situ_queue *queue, void (*wait)(void *object, uint64_t word), void *object, uint64_t word,
    void (*run)(void *argument), void *argument, uint64_t *sequence);
/* Reserves capacity for one more job, so that the next push cannot fail. */
int situ_queue_reserve(situ_queue *queue);
/* If all jobs are done and none runs inline: runs this one in the caller, numbers it and returns 1; else returns 0. */
int situ_queue_run_inline(situ_queue *queue, void (*run)(void *argument), void *argument, uint64_t *sequence);

/* Number of the last job done. Its writes are visible to the caller. */
uint64_t situ_queue_done(situ_queue *queue);
/* The number of the last job pushed. */
uint64_t situ_queue_last(situ_queue *queue);
/* Returns when job `sequence` is done. Inside a job of the same queue only for earlier jobs. */
void situ_queue_wait(situ_queue *queue, uint64_t sequence);
/* Waits at most so many nanoseconds, and runs no job itself. Whether the job is done. */
bool situ_queue_wait_for(situ_queue *queue, uint64_t sequence, int64_t nanoseconds);
/* Whether the calling thread is running a job of this queue. */
bool situ_queue_inside(situ_queue *queue);

/* In the child of a fork: the worker and its jobs are gone; all numbers count as done. */
void situ_queue_after_fork(situ_queue *queue);

#endif
