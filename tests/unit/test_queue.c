#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
/* The queue: jobs run in order, one at a time, on its own thread or in a thread that waits. */
#include "test.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 5000 };

typedef struct log_of_jobs {
    int order[MOST], count;
    _Atomic int running;
} log_of_jobs;

static struct {
    log_of_jobs *log;
    int number;
} jobs[MOST];

static void note(void *argument)
{
    int i = (int)(intptr_t)argument;
    log_of_jobs *log = jobs[i].log;
    CHECK_EQ(atomic_fetch_add(&log->running, 1), 0);
    log->order[log->count++] = jobs[i].number;
    atomic_fetch_sub(&log->running, 1);
}

TEST(queue_runs_in_order)
{
    static log_of_jobs log;
    memset(&log, 0, sizeof log);
    situ_queue *q = situ_queue_new("test", false);
    if (!CHECK(q != NULL)) return;
    CHECK_EQ(situ_queue_done(q), 0);
    for (int i = 0; i < MOST; i++) {
        uint64_t sequence = 0;
        jobs[i].log = &log;
        jobs[i].number = i;
        CHECK_EQ(situ_queue_push(q, note, (void *)(intptr_t)i, &sequence), 0);
        if (!CHECK_EQ(sequence, i + 1)) break;
    }
    situ_queue_wait(q, MOST / 2);
    CHECK(situ_queue_done(q) >= MOST / 2);
    situ_queue_wait(q, situ_queue_last(q));
    CHECK_EQ(situ_queue_done(q), MOST);
    CHECK_EQ(log.count, MOST);
    for (int i = 0; i < MOST; i++)
        if (!CHECK_EQ(log.order[i], i)) break;
    situ_queue_free(q);
}

static situ_queue *shared_queue;
static int64_t unguarded;

static void add_one(void *argument)
{
    (void)argument;
    CHECK(situ_queue_inside(shared_queue));
    unguarded++; /* jobs never overlap */
}

static void *push_and_run(void *argument)
{
    uint64_t last = 0;
    for (int i = 0; i < 2000; i++) {
        uint64_t sequence = 0;
        if (!(i & 1) || !situ_queue_run_inline(shared_queue, add_one, argument, &sequence))
            CHECK_EQ(situ_queue_push(shared_queue, add_one, argument, &sequence), 0);
        CHECK(sequence > last);
        last = sequence;
        if (i % 7 == 0) situ_queue_wait(shared_queue, last);
    }
    situ_queue_wait(shared_queue, last);
    return NULL;
}

static void three_threads_push(bool patience)
{
    pthread_t threads[3];
    unguarded = 0;
    shared_queue = situ_queue_new("shared", patience);
    if (!CHECK(shared_queue != NULL)) return;
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, push_and_run, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    CHECK_EQ(unguarded, 6000);
    CHECK_EQ(situ_queue_done(shared_queue), 6000);
    situ_queue_free(shared_queue);
}

TEST(queue_jobs_never_overlap) { three_threads_push(false); }
TEST(a_patient_queue_s_jobs_never_overlap) { three_threads_push(true); }

TEST(queue_runs_inline_only_when_idle)
{
    static log_of_jobs log;
    memset(&log, 0, sizeof log);
    situ_queue *q = situ_queue_new(NULL, false);
    uint64_t sequence = 0;
    for (int i = 0; i < 2; i++) {
        jobs[i].log = &log;
        jobs[i].number = i;
    }
    CHECK_EQ(situ_queue_run_inline(q, note, (void *)0, &sequence), 1);
    CHECK_EQ(sequence, 1);
    CHECK_EQ(situ_queue_done(q), 1);
    CHECK_EQ(situ_queue_push(q, note, (void *)1, NULL), 0);
    situ_queue_wait(q, 2);
    CHECK_EQ(situ_queue_run_inline(q, note, (void *)0, &sequence), 1);
    CHECK_EQ(sequence, 3);
    CHECK_EQ(log.count, 3);
    situ_queue_free(q);
}

static void take_long(void *argument)
{
    usleep(2000);
    ++*(int *)argument;
}

typedef struct who { pthread_t thread; int number; } who;
static int who_count;

static void who_ran(void *argument)
{
    who *w = argument;
    w->thread = pthread_self();
    w->number = ++who_count;
}

TEST(a_patient_queue_lets_whoever_waits_run_the_job)
{
    situ_queue *q = situ_queue_new("patient", true);
    who a[64];
    int here = 0;
    who_count = 0;
    for (int i = 0; i < 64; i++) {
        uint64_t sequence;
        usleep(i ? 0 : 20000);
        CHECK_EQ(situ_queue_push(q, who_ran, &a[i], &sequence), 0);
        situ_queue_wait(q, sequence);
        CHECK_EQ(a[i].number, i + 1);
        here += pthread_equal(a[i].thread, pthread_self()) != 0;
        if (i % 8 == 7) usleep(1000); /* the worker sleeps again */
    }
    CHECK(here > 0);
    for (int i = 0; i < 64; i++) CHECK_EQ(situ_queue_push(q, who_ran, &a[i], NULL), 0);
    for (int i = 0; i < 2000 && situ_queue_done(q) < 128; i++) usleep(1000); /* nobody waits: its own thread runs them all */
    CHECK_EQ(situ_queue_done(q), 128);
    for (int i = 0; i < 64; i++) CHECK(!pthread_equal(a[i].thread, pthread_self()));
    situ_queue_free(q);
}

typedef struct reader {
    situ_queue *lane;
    uint64_t sequence;
    pthread_t thread;
} reader;

static void read_from(void *argument)
{
    reader *r = argument;
    r->thread = pthread_self();
    situ_queue_wait(r->lane, r->sequence);
}

static void wait_in(void *queue, uint64_t sequence) { situ_queue_wait_for(queue, sequence, 0); }

/* A job on one queue reads what a job on another queue makes; a third job reads its result. */
TEST(a_job_that_waits_is_run_by_who_reads_it)
{
    situ_queue *q = situ_queue_new("main", true), *lane = situ_queue_new("lane", true);
    who a, b;
    int here = 0, count = 0;
    who_count = 0;
    for (int i = 0; i < 64; i++) {
        reader r = {.lane = lane};
        uint64_t made = 0, last = 0;
        if (i % 16 == 0) usleep(1000);
        CHECK_EQ(situ_queue_push(q, i % 4 ? who_ran : take_long, i % 4 ? (void *)&a : (void *)&count, &made), 0);
        CHECK_EQ(situ_queue_push_after(lane, wait_in, q, made, who_ran, &b, &r.sequence), 0);
        CHECK_EQ(situ_queue_push(q, read_from, &r, &last), 0);
        situ_queue_wait(q, last);
        CHECK_EQ(b.number, who_count);
        CHECK(situ_queue_done(lane) >= r.sequence && situ_queue_done(q) >= made);
        here += pthread_equal(b.thread, r.thread) != 0;
    }
    CHECK(here > 0);
    for (int i = 0; i < 64; i++) { /* what waits for nothing might wait inside for what comes after: its own thread runs it */
        reader r = {.lane = lane};
        uint64_t last = 0;
        CHECK_EQ(situ_queue_push(lane, who_ran, &b, &r.sequence), 0);
        CHECK_EQ(situ_queue_push(q, read_from, &r, &last), 0);
        situ_queue_wait(q, last);
        CHECK(!pthread_equal(b.thread, r.thread));
    }
    uint64_t made = 0, number = 0;
    CHECK_EQ(situ_queue_push(q, take_long, &count, &made), 0);
    CHECK_EQ(situ_queue_push_after(lane, wait_in, q, made, who_ran, &b, &number), 0);
    for (int i = 0; i < 2000 && situ_queue_done(lane) < number; i++) usleep(1000); /* nobody waits */
    CHECK_EQ(situ_queue_done(lane), number);
    CHECK(situ_queue_done(q) >= made);
    situ_queue_free(lane);
    situ_queue_free(q);
}

TEST(queue_is_drained_before_it_ends)
{
    int count = 0;
    situ_queue *q = situ_queue_new("slow", false);
    for (int i = 0; i < 20; i++) situ_queue_push(q, take_long, &count, NULL);
    CHECK_EQ(situ_queue_run_inline(q, take_long, &count, NULL), 0);
    situ_queue_free(q);
    CHECK_EQ(count, 20);
    situ_queue_free(NULL);
}

TEST(queue_reports_missing_memory)
{
    int count = 0;
    situ_test_fail_alloc(1);
    CHECK_FAILS(SITU_NO_MEMORY, situ_queue_new("none", false));
    situ_queue *q = situ_queue_new("some", false);
    for (int k = 1; k <= 2; k++) { /* the ring, the thread */
        situ_test_fail_alloc(k);
        CHECK(situ_queue_push(q, take_long, &count, NULL) < 0);
        CHECK(situ_failed());
        situ_error_take(NULL);
        situ_test_fail_alloc(-1);
    }
    CHECK_EQ(situ_queue_push(q, take_long, &count, NULL), 0);
    situ_queue_free(q);
    CHECK_EQ(count, 1);
}
