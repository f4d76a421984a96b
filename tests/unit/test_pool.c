#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
/* The thread pool and the queue. */
#include "test.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/fp.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/queue.h"
#include "base/runtime.h"
#include "base/wait.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define THREADS_AFTER_FORK 0 /* that sanitizer has none */
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREADS_AFTER_FORK 0
#endif
#endif
#ifndef THREADS_AFTER_FORK
#define THREADS_AFTER_FORK 1
#endif

enum { MOST = 5000 };

typedef struct marks {
    _Atomic int hit[MOST];
    _Atomic int threads;
} marks;

static void mark(void *context, int64_t i) { atomic_fetch_add(&((marks *)context)->hit[i], 1); }

static bool all_once(marks *m, int64_t count)
{
    for (int64_t i = 0; i < MOST; i++)
        if (atomic_load(&m->hit[i]) != (i < count)) return false;
    return true;
}

TEST(pool_runs_each_task_once)
{
    static marks m;
    const int64_t counts[] = {0, 1, 2, 3, 7, 64, 1000, MOST};
    for (int threads = 1; threads <= 5; threads++) {
        CHECK_EQ(situ_set_threads(threads), 0);
        CHECK_EQ(situ_threads(), threads);
        for (int repeat = 0; repeat < 20; repeat++)
            for (int i = 0; i < 8; i++) {
                memset(&m, 0, sizeof m);
                situ_pool_run(mark, &m, counts[i]);
                if (!CHECK(all_once(&m, counts[i]))) return;
            }
    }
    situ_set_threads(0);
    CHECK(situ_threads() >= 1);
}

TEST(pool_makes_many_small_runs)
{
    static marks m;
    memset(&m, 0, sizeof m);
    situ_set_threads(3);
    for (int i = 0; i < 20000; i++) situ_pool_run(mark, &m, 3);
    for (int i = 0; i < 3; i++) CHECK_EQ(m.hit[i], 20000);
    situ_set_threads(0);
}

static void nested(void *context, int64_t i)
{
    marks *m = context;
    CHECK_EQ(situ_pool_width(), 1);
    for (int k = 0; k < 2; k++) situ_pool_run(mark, (char *)m + i * 10 * (int64_t)sizeof(int), 10);
}

TEST(pool_calls_may_nest)
{
    static marks m;
    memset(&m, 0, sizeof m);
    situ_set_threads(4);
    CHECK_EQ(situ_pool_width(), 4);
    situ_pool_run(nested, &m, 100);
    for (int i = 0; i < 1000; i++) CHECK_EQ(m.hit[i], 2);
    situ_set_threads(0);
}

static void *run_many(void *argument)
{
    for (int i = 0; i < 300; i++) situ_pool_run(mark, argument, 50);
    return NULL;
}

TEST(pool_serves_several_threads)
{
    static marks m[4];
    pthread_t threads[4];
    memset(m, 0, sizeof m);
    situ_set_threads(3);
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run_many, &m[i]);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 50; k++) CHECK_EQ(m[i].hit[k], 300);
    situ_set_threads(0);
}

/* ---- beside others that want the cores ---- */

/* How many CPUs the calling thread may use; 0: this system does not say. */
static int own_cpus(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set)) return CPU_COUNT(&set);
#endif
    return 0;
}

/* Pieces of work in which a thread sleeps: its clock stands still, as if the system did not run it. */
static __thread bool is_caller;

typedef struct piece {
    bool caller_sleeps;
    _Atomic bool slept;
    _Atomic int cpus; /* of the worker; 0: it did nothing */
} piece;

static void work_50_us(void *context, int64_t i)
{
    piece *p = context;
    (void)i;
    if (is_caller == p->caller_sleeps && !atomic_exchange(&p->slept, true)) usleep(3000);
    for (int64_t start = situ_now(); situ_now() - start < 50000;) {}
    if (!is_caller) atomic_store(&p->cpus, own_cpus());
}

enum { PATIENCE = 1000000000 }; /* ns: other processes may keep the machine busy */

/* Whether a core is handed over to who sleeps. */
static bool hands_over(bool caller_sleeps, int64_t patience)
{
    int64_t before = situ_pool_hand_overs(caller_sleeps);
    for (int64_t start = situ_now(); situ_now() - start < patience;) {
        piece p = {.caller_sleeps = caller_sleeps};
        situ_pool_run(work_50_us, &p, 8);
        if (situ_pool_hand_overs(caller_sleeps) > before) return true;
    }
    return false;
}

/* Whether the worker comes to be one that may use so many CPUs. */
static bool comes_to_use(int cpus)
{
    for (int64_t start = situ_now(); situ_now() - start < 10ll * PATIENCE;) {
        piece p = {.slept = true};
        situ_pool_run(work_50_us, &p, 8);
        if (p.cpus == cpus) return true;
    }
    return false;
}

TEST(a_stopped_thread_gets_the_core_of_one_that_waits)
{
    if (situ_thread_ran(pthread_self()) < 0 || situ_cpu_here() < 0) SKIP("this system does not say how long a thread has run, or where");
    int cpus = own_cpus();
    if (cpus < 2 || situ_cpus() < 2) SKIP("this process may use one CPU");
    is_caller = true;
    situ_set_threads(2);
    CHECK(hands_over(true, 10ll * PATIENCE));
    CHECK_EQ(own_cpus(), cpus);
    bool kept_off = false; /* the worker comes to the caller's core, and off it */
    for (int i = 0; i < 10 && !kept_off; i++) {
        CHECK(hands_over(false, 10ll * PATIENCE));
        piece p = {.slept = true};
        for (int k = 0; k < 10; k++) situ_pool_run(work_50_us, &p, 8);
        kept_off = p.cpus == cpus - 1;
    }
    CHECK(kept_off);
    CHECK(comes_to_use(cpus));
    CHECK_EQ(own_cpus(), cpus);
    CHECK(!setenv("SITU_MOVE_THREADS", "0", 1));
    situ_set_threads(3);
    CHECK(!hands_over(true, PATIENCE / 10));
    CHECK(!hands_over(false, PATIENCE / 10));
    CHECK(!unsetenv("SITU_MOVE_THREADS"));
    situ_set_threads(2);
    CHECK(hands_over(true, 10ll * PATIENCE));
    situ_set_threads(0);
}

TEST(threads_are_kept_off_a_cpu_and_let_on_again)
{
    int cpu = situ_cpu_here();
    if (cpu < 0) SKIP("this system does not say where a thread runs");
    pthread_t self = pthread_self();
    if (!situ_cpu_keep_off(self, cpu)) SKIP("this process may use one CPU");
    CHECK(situ_cpu_here() != cpu);
    CHECK(!situ_cpu_keep_off(self, cpu)); /* as it is */
    int others = own_cpus();
    CHECK(!situ_cpu_bring(self, cpu)); /* may not */
    CHECK(situ_cpu_here() != cpu);
    CHECK(situ_cpu_let_on(self, cpu));
    CHECK_EQ(own_cpus(), others + 1);
    CHECK(situ_cpu_let_on(self, cpu)); /* it is */
    CHECK(situ_cpu_bring(self, cpu));
    CHECK_EQ(own_cpus(), others + 1);
}

TEST(pool_refuses_bad_settings)
{
    CHECK_EQ(situ_set_threads(-1), -SITU_BAD_ARGUMENT);
    CHECK_CODE(SITU_BAD_ARGUMENT);
    CHECK_EQ(situ_set_threads(1025), -SITU_BAD_ARGUMENT);
    CHECK_CODE(SITU_BAD_ARGUMENT);
    situ_pool_hooks none = {NULL, NULL};
    CHECK_EQ(situ_set_pool(&none), -SITU_BAD_ARGUMENT);
    CHECK_CODE(SITU_BAD_ARGUMENT);
}

TEST(pool_can_be_serial_for_a_thread)
{
    situ_set_threads(4);
    CHECK(!situ_pool_serial(true));
    CHECK_EQ(situ_pool_width(), 1);
    CHECK(situ_pool_serial(false));
    CHECK_EQ(situ_pool_width(), 4);
    situ_set_threads(0);
}

static void backwards(void *self, void (*task)(void *, int64_t), void *context, int64_t count)
{
    *(int64_t *)self += count;
    while (count-- > 0) task(context, count);
}

TEST(pool_of_the_host_is_used)
{
    static marks m;
    int64_t tasks = 0;
    situ_pool_hooks hooks = {&tasks, backwards};
    memset(&m, 0, sizeof m);
    situ_set_threads(2);
    CHECK_EQ(situ_set_pool(&hooks), 0);
    situ_pool_run(mark, &m, 77);
    CHECK_EQ(situ_set_pool(NULL), 0);
    CHECK(all_once(&m, 77));
    CHECK_EQ(tasks, 77);
    situ_pool_run(mark, &m, 77);
    CHECK_EQ(tasks, 77);
    situ_set_threads(0);
}

static void look_at_control_word(void *context, int64_t i) { ((uint64_t *)context)[i] = situ_fp_save() & 0xffc0; }

/* A program that flushes subnormals gets the same bits, and its setting back. */
TEST(pool_tasks_keep_subnormals)
{
#if defined(__x86_64__)
    uint64_t words[64], before = situ_fp_save();
    situ_set_threads(3);
    situ_fp_restore(before | 0x8040); /* FTZ and DAZ */
    situ_pool_run(look_at_control_word, words, 64);
    CHECK_EQ(situ_fp_save() & 0x8040, 0x8040);
    situ_fp_restore(before);
    for (int i = 0; i < 64; i++) CHECK_EQ(words[i], 0x1f80);
    situ_set_threads(0);
#else
    SKIP("not written for this machine");
#endif
}

TEST(pool_starts_again_after_shutdown)
{
    static marks m;
    situ_set_threads(4);
    for (int i = 0; i < 20; i++) {
        memset(&m, 0, sizeof m);
        situ_pool_run(mark, &m, 100);
        CHECK(all_once(&m, 100));
        situ_shutdown();
    }
    situ_set_threads(0);
}

TEST(pool_survives_missing_threads)
{
    static marks m;
    memset(&m, 0, sizeof m);
    situ_shutdown();
    situ_set_threads(4);
    situ_test_fail_alloc(2); /* the second worker does not start */
    situ_pool_run(mark, &m, 100);
    situ_test_fail_alloc(-1);
    CHECK(all_once(&m, 100));
    situ_set_threads(0);
    situ_shutdown();
}

TEST(pool_works_in_a_forked_child)
{
    static marks m;
    situ_set_threads(3);
    memset(&m, 0, sizeof m);
    situ_pool_run(mark, &m, 100);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        memset(&m, 0, sizeof m);
        situ_pool_run(mark, &m, 100); /* serial until after_fork */
        bool bad = !all_once(&m, 100);
        situ_after_fork();
        memset(&m, 0, sizeof m);
        if (THREADS_AFTER_FORK) {
            situ_pool_run(mark, &m, 100);
            bad |= !all_once(&m, 100);
            situ_shutdown();
        }
        _exit(bad);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK_EQ(status, 0);
    situ_set_threads(0);
}

/* ---------------------------------------------------------------- the queue */

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
    CHECK(!situ_queue_new("none", false));
    CHECK_CODE(SITU_NO_MEMORY);
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
