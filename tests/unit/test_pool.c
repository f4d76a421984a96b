#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
/* The thread pool. */
#include "test.h"

#include "base/memory.h"
#include "base/pool.h"
#include "base/runtime.h"
#include "os/fp.h"
#include "os/machine.h"
#include "os/wait.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Number of CPUs that the calling thread may use; 0 if the system does not say. */
static int own_cpus(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set)) return CPU_COUNT(&set);
#endif
    return 0;
}

/* Tasks in which a thread sleeps: its CPU time does not advance, as if the system had stopped it. */
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

/* Whether a core is given to a sleeping thread. */
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

/* Whether the worker's affinity becomes that number of CPUs. */
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
    bool kept_off = false; /* the worker arrives on the caller's core and is excluded from it */
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
    if (!situ_cpu_exclude(self, cpu)) SKIP("this process may use one CPU");
    CHECK(situ_cpu_here() != cpu);
    CHECK(!situ_cpu_exclude(self, cpu)); /* unchanged */
    int others = own_cpus();
    CHECK(!situ_cpu_move_thread(self, cpu)); /* may not */
    CHECK(situ_cpu_here() != cpu);
    CHECK(situ_cpu_include(self, cpu));
    CHECK_EQ(own_cpus(), others + 1);
    CHECK(situ_cpu_include(self, cpu)); /* it is */
    CHECK(situ_cpu_move_thread(self, cpu));
    CHECK_EQ(own_cpus(), others + 1);
}

TEST(pool_refuses_bad_settings)
{
    CHECK_EQ(situ_set_threads(-1), -SITU_BAD_ARGUMENT);
    CHECK_CODE(SITU_BAD_ARGUMENT);
    CHECK_EQ(situ_set_threads(1025), -SITU_BAD_ARGUMENT);
    CHECK_CODE(SITU_BAD_ARGUMENT);
    situ_thread_pool_hooks none = {NULL, NULL};
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_set_thread_pool(&none));
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
    situ_thread_pool_hooks hooks = {&tasks, backwards};
    memset(&m, 0, sizeof m);
    situ_set_threads(2);
    CHECK_EQ(situ_set_thread_pool(&hooks), 0);
    situ_pool_run(mark, &m, 77);
    CHECK_EQ(situ_set_thread_pool(NULL), 0);
    CHECK(all_once(&m, 77));
    CHECK_EQ(tasks, 77);
    situ_pool_run(mark, &m, 77);
    CHECK_EQ(tasks, 77);
    situ_set_threads(0);
}

/* Half of the smallest normal number: 0 where subnormals are flushed. */
static void halve(void *context, int64_t i)
{
    volatile double least = 0x1p-1022;
    ((double *)context)[i] = least * 0.5;
}

/* A program that flushes subnormals to zero gets the same bits, and its setting is restored. */
TEST(pool_tasks_keep_subnormals)
{
    double halves[64], here = 1;
    uint64_t before = situ_fp_save(), flushing;
    situ_set_threads(3);
    situ_fp_flush();
    flushing = situ_fp_save();
    if (flushing == before) {
        situ_set_threads(0);
        SKIP("no way is known here to flush subnormals");
    }
    situ_pool_run(halve, halves, 64);
    halve(&here, 0);
    situ_fp_restore(before);
    CHECK_EQ(here, 0);
    for (int i = 0; i < 64; i++) CHECK(halves[i] == 0x1p-1023);
    situ_set_threads(0);
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
